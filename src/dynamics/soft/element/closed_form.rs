//! Linear tetrahedra of two models without a singular value decomposition.
//!
//! Corotational, with the rotation R nearest to F by Newton's iteration F ← (F + F⁻ᵀ)/2 [Higham86] and held in the
//! Hessian ("warped stiffness" [Müller04]): with Gₐ = R∇Nₐ
//!
//! Hₐb = V (λ Gₐ G_bᵀ + μ G_b Gₐᵀ + μ Gₐ·G_b 1), positive semi-definite.
//!
//! Neo-Hookean, exact: with cₐ = cof(F)∇Nₐ, s = κ(J − 1) − μ, w = F(∇Nₐ × ∇N_b)
//!
//! Hₐb = V (μ ∇Nₐ·∇N_b 1 + κ cₐ c_bᵀ − s \[w\]×).

use nalgebra::{Matrix3, Vector3};

use super::super::material::{Constitutive, SignedSvd};
use super::{ElementKind, Elements, Local};

/// Change of the rotation at which the iteration stops: the next one would be its square.
const SETTLED: f64 = 1e-8;

/// Determinant over the cube of the norm below which the iteration gives way to the decomposition: det of the
/// identity is 0.19 of it.
const SQUASHED: f64 = 1e-3;

/// Most iterations; four or five happen.
const ITERATIONS: usize = 20;

impl Elements {
    /// Energy [J] and gradient of a corotational linear element; else nothing.
    pub(crate) fn fast_gradient(&self, e: usize, x: &[Vector3<f64>], local: &mut Local) -> Option<f64> {
        self.is_linear(Constitutive::Corotational).then(|| self.corotational(e, x, local).1)
    }

    /// Energy [J], gradient and warped Hessian, pairs (a, b ≥ a), of a corotational linear element; else nothing.
    pub(crate) fn warped_local(&self, e: usize, x: &[Vector3<f64>], local: &mut Local) -> Option<f64> {
        if !self.is_linear(Constitutive::Corotational) {
            return None;
        }
        let (rotation, energy) = self.corotational(e, x, local);
        let volume = self.rest[e].volume;
        let (mu, lambda) = (volume * self.material.shear_modulus(), volume * self.material.lame_lambda());
        let turned = rotation * self.rest[e].inverse.transpose();
        let [g1, g2, g3] = [0, 1, 2].map(|a| turned.column(a).into_owned());
        let block = |a: &Vector3<f64>, b: &Vector3<f64>| {
            let (stretch, shear, direct) = (lambda * a, mu * a, mu * a.dot(b));
            Matrix3::from_fn(|i, j| stretch[i] * b[j] + b[i] * shear[j])
                + Matrix3::from_diagonal_element(direct)
        };
        let diagonal = [block(&g1, &g1), block(&g2, &g2), block(&g3, &g3)];
        write_upper(local, &diagonal, &[block(&g1, &g2), block(&g1, &g3), block(&g2, &g3)]);
        Some(energy)
    }

    /// Energy [J], gradient and exact Hessian, pairs (a, b ≥ a), of a neo-Hookean linear element; else nothing.
    pub(crate) fn exact_local(&self, e: usize, x: &[Vector3<f64>], local: &mut Local) -> Option<f64> {
        if !self.is_linear(Constitutive::NeoHookean) {
            return None;
        }
        let volume = self.rest[e].volume;
        let mu = self.material.shear_modulus();
        let kappa = self.material.lame_lambda() + mu;
        let f = self.linear_gradient(e, x);
        let [f0, f1, f2] = [0, 1, 2].map(|i| f.column(i).into_owned());
        let cofactor = Matrix3::from_columns(&[f1.cross(&f2), f2.cross(&f0), f0.cross(&f1)]);
        let growth = cofactor.column(0).dot(&f0) - 1.0;
        let s = kappa * growth - mu;
        let gradients = self.rest[e].inverse.transpose();
        self.write_gradient(e, &(mu * f + s * cofactor), local);
        let c = cofactor * gradients;
        let [g0, g1, g2] = [0, 1, 2].map(|a| gradients.column(a).into_owned());
        let [c0, c1, c2] = [0, 1, 2].map(|a| volume * kappa * c.column(a));
        let (shear, weight) = (volume * mu, volume * s);
        let plain = |ga: &Vector3<f64>, gb: &Vector3<f64>, ca: &Vector3<f64>, b: usize| {
            ca * c.column(b).transpose() + Matrix3::from_diagonal_element(shear * ga.dot(gb))
        };
        let skew = |ga: &Vector3<f64>, gb: &Vector3<f64>| (f * ga.cross(gb) * -weight).cross_matrix();
        let diagonal = [plain(&g0, &g0, &c0, 0), plain(&g1, &g1, &c1, 1), plain(&g2, &g2, &c2, 2)];
        let off = [
            plain(&g0, &g1, &c0, 1) + skew(&g0, &g1),
            plain(&g0, &g2, &c0, 2) + skew(&g0, &g2),
            plain(&g1, &g2, &c1, 2) + skew(&g1, &g2),
        ];
        write_upper(local, &diagonal, &off);
        Some(volume * (0.5 * mu * (f.norm_squared() - 3.0) - mu * growth + 0.5 * kappa * growth * growth))
    }

    fn is_linear(&self, model: Constitutive) -> bool {
        self.kind == ElementKind::Linear && self.material.model() == model
    }

    /// Writes the gradient; the rotation and the energy [J].
    fn corotational(&self, e: usize, x: &[Vector3<f64>], local: &mut Local) -> (Matrix3<f64>, f64) {
        let (mu, lambda) = (self.material.shear_modulus(), self.material.lame_lambda());
        let f = self.linear_gradient(e, x);
        let rotation = nearest_rotation(&f);
        let strain = f - rotation;
        let growth = rotation.dot(&strain);
        self.write_gradient(e, &(2.0 * mu * strain + lambda * growth * rotation), local);
        let density = mu * strain.norm_squared() + 0.5 * lambda * growth * growth;
        (rotation, self.rest[e].volume * density)
    }

    fn write_gradient(&self, e: usize, stress: &Matrix3<f64>, local: &mut Local) {
        let forces = stress * (self.rest[e].volume * self.rest[e].inverse.transpose());
        let [a, b, c] = [0, 1, 2].map(|a| forces.column(a).into_owned());
        local.gradient[..4].copy_from_slice(&[-(a + b + c), a, b, c]);
    }
}

/// The rotation nearest to `f`.
fn nearest_rotation(f: &Matrix3<f64>) -> Matrix3<f64> {
    let size = f.norm_squared();
    let mut r = *f;
    for _ in 0..ITERATIONS {
        let [a, b, c] = [0, 1, 2].map(|i| r.column(i).into_owned());
        let cofactor = Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)]);
        let determinant = cofactor.column(0).dot(&a);
        if !(determinant > SQUASHED * size * size.sqrt()) && !(determinant > 0.5) {
            break;
        }
        let half = 0.5 / determinant;
        let next = 0.5 * r + half * cofactor;
        let change = (next - r).amax();
        r = next;
        if change < SETTLED {
            return r;
        }
    }
    SignedSvd::of(f).rotation()
}

/// The upper blocks from those of the nodes 1 to 3: a translation makes no force.
fn write_upper(local: &mut Local, diagonal: &[Matrix3<f64>; 3], off: &[Matrix3<f64>; 3]) {
    let [b12, b13, b23] = off;
    let from_zero = [
        -(diagonal[0] + b12.transpose() + b13.transpose()),
        -(diagonal[1] + b12 + b23.transpose()),
        -(diagonal[2] + b13 + b23),
    ];
    let h = &mut local.hessian;
    h[0][0] = -(from_zero[0] + from_zero[1] + from_zero[2]);
    h[0][1..4].copy_from_slice(&from_zero);
    h[1][1..4].copy_from_slice(&[diagonal[0], *b12, *b13]);
    h[2][2..4].copy_from_slice(&[diagonal[1], *b23]);
    h[3][3] = diagonal[2];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::soft::material::Material;
    use crate::geometry::TetMesh;
    use nalgebra::Point3;

    fn element(model: Constitutive) -> Elements {
        let corners = [[0.1, 0.0, 0.0], [1.0, 0.2, 0.0], [0.0, 0.9, -0.1], [0.2, 0.1, 1.1]].map(Point3::from);
        let mesh = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]]).expect("a tetrahedron");
        let material = Material::new(model, 1000.0, 1e3, 0.3).expect("a material");
        Elements::new(&mesh, material, ElementKind::Linear).expect("elements")
    }

    fn moved(elements: &Elements, case: u32) -> Vec<Vector3<f64>> {
        let turn = nalgebra::Rotation3::new(Vector3::new(0.3, -0.9, 0.5) * f64::from(case));
        let bend = |(i, x): (usize, &Vector3<f64>)| {
            let phase = f64::from(case) * (i as f64 + 0.5);
            turn * x + 0.25 * Vector3::new(phase.sin(), (2.1 * phase).cos(), (1.3 * phase).sin())
        };
        let mut x: Vec<_> = elements.rest_positions().iter().enumerate().map(bend).collect();
        if case == 7 {
            // Inside out.
            x.iter_mut().for_each(|x| x.z = -x.z);
        }
        x
    }

    /// By another way: the singular value decomposition, projected for the warped one where that is the same.
    #[test]
    fn the_closed_forms_are_the_general_ones() {
        for case in 0..8 {
            let elements = element(Constitutive::NeoHookean);
            let x = moved(&elements, case);
            let (mut fast, mut slow) = (Local::default(), Local::default());
            let energy = elements.exact_local(0, &x, &mut fast).expect("neo-Hookean");
            assert!((energy - elements.local(0, &x, &mut slow, true, false)).abs() < 1e-9 * 1e3);
            for a in 0..4 {
                assert!((fast.gradient[a] - slow.gradient[a]).amax() < 1e-12 * 1e3);
                for b in a..4 {
                    assert!((fast.hessian[a][b] - slow.hessian[a][b]).amax() < 1e-11 * 1e3, "{case} {a} {b}");
                }
            }
            let elements = element(Constitutive::Corotational);
            let energy = elements.fast_gradient(0, &x, &mut fast).expect("corotational");
            assert!((energy - elements.local(0, &x, &mut slow, false, false)).abs() < 1e-9 * 1e3);
            assert!((0..4).all(|a| (fast.gradient[a] - slow.gradient[a]).amax() < 1e-10 * 1e3), "{case}");
            assert!(elements.exact_local(0, &x, &mut fast).is_none());
        }
    }

    #[test]
    fn the_warped_hessian_is_the_turned_one_of_the_linear_model() {
        let (warped, linear) = (element(Constitutive::Corotational), element(Constitutive::Linear));
        let turn = nalgebra::Rotation3::new(Vector3::new(0.4, 1.2, -0.7)).into_inner();
        let x: Vec<_> = warped.rest_positions().iter().map(|x| turn * x).collect();
        let (mut fast, mut slow) = (Local::default(), Local::default());
        warped.warped_local(0, &x, &mut fast).expect("corotational");
        linear.local(0, linear.rest_positions(), &mut slow, true, false);
        for (a, b) in (0..4).flat_map(|a| (a..4).map(move |b| (a, b))) {
            let expected = turn * slow.hessian[a][b] * turn.transpose();
            assert!((fast.hessian[a][b] - expected).amax() < 1e-10 * 1e3, "{a} {b}");
        }
    }

    #[test]
    fn rotations_are_those_of_the_decomposition_at_every_size_and_sign() {
        for case in 0..200 {
            let value = |k: usize| (f64::from(case) * (1.7 + k as f64)).sin();
            let f = Matrix3::from_fn(|i, j| value(3 * i + j)) * 10_f64.powi(case % 7 - 3);
            let rotation = nearest_rotation(&f);
            assert!((rotation - SignedSvd::of(&f).rotation()).amax() < 1e-9, "{case} {f}");
            assert!((rotation.determinant() - 1.0).abs() < 1e-12);
        }
    }
}
