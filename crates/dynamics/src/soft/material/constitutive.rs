//! Energy density ψ(F), first Piola–Kirchhoff stress P = ∂ψ/∂F, and tangent ∂P/∂F of each constitutive model.
//!
//! For an isotropic ψ = ψ(σ₁, σ₂, σ₃) with F = U Σ Vᵀ (signed) the tangent is known in closed form [Smith19 §4]: three
//! modes that scale, with the 3 × 3 matrix ∂²ψ/∂σᵢ∂σⱼ, and for each pair i ≠ j one symmetric mode ("flip") and one
//! antisymmetric ("twist"), with the eigenvalues
//!
//! flip = (ψᵢ − ψⱼ)/(σᵢ − σⱼ), twist = (ψᵢ + ψⱼ)/(σᵢ + σⱼ), ψᵢ = ∂ψ/∂σᵢ,
//!
//! whose divisions cancel analytically in every model but the corotational twist. With σₖ the third one:
//!
//! | model       | scaling, diagonal             | scaling, off         | flip                       | twist                      |
//! |-------------|-------------------------------|----------------------|----------------------------|----------------------------|
//! | linear      | 2μ + λ                        | λ                    | 2μ                         | 0                          |
//! | corotational| 2μ + λ                        | λ                    | 2μ                         | 2μ + (2λ(S−3) − 4μ)/(σᵢ+σⱼ)|
//! | StVK        | λT + μ(3σᵢ² − 1) + λσᵢ²       | λσᵢσⱼ                | λT + μ(σᵢ²+σᵢσⱼ+σⱼ²−1)     | λT + μ(σᵢ²−σᵢσⱼ+σⱼ²−1)     |
//! | neo-Hookean | μ + κσⱼ²σₖ²                   | κJσₖ + gσₖ           | μ − gσₖ                    | μ + gσₖ                    |
//!
//! S = Σσ, T = tr E, κ = λ + μ, g = κ(J − 1) − μ; for the linear model U = V = 1.

use nalgebra::{Matrix3, Vector3};

use super::lanes::{Column, Lanes, cross, dot};
use super::model::{Constitutive, Material};
use super::projection::project_semi_definite;
use super::singular::SignedSvd;

/// Lower bound of σᵢ + σⱼ in the corotational twist; where the sum is zero the nearest rotation is not unique. Its
/// value scales an eigenvalue that is projected or enormous anyway. A safeguard against an infinite tangent, without
/// effect on the sets of docs/sensitivity.md.
const NO_ROTATION: f64 = 1e-9;

/// Tangent ∂P/∂F \[Pa\] in the principal frame F = U Σ Vᵀ, by its modes [Smith19 §4].
///
/// With T the tangent there: `T[ii][kk] = scaling[i][k]`, and for a pair i ≠ j whose third axis is k
/// `T[ij][ij] = (flip[k] + twist[k]) / 2`, `T[ij][ji] = (flip[k] − twist[k]) / 2`; all other entries are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent {
    /// U, a rotation.
    pub u: Matrix3<f64>,
    /// V, a rotation.
    pub v: Matrix3<f64>,
    /// ∂²ψ/∂σᵢ∂σⱼ \[Pa\].
    pub scaling: Matrix3<f64>,
    /// Eigenvalues of the symmetric modes in the plane perpendicular to each axis \[Pa\].
    pub flip: [f64; 3],
    /// Eigenvalues of the antisymmetric modes in the plane perpendicular to each axis \[Pa\].
    pub twist: [f64; 3],
}

impl Tangent {
    /// The nearest positive semi-definite tangent: the modes are orthogonal, so each negative eigenvalue is set to zero.
    #[must_use]
    pub fn projected(mut self) -> Self {
        self.scaling = project_semi_definite(&self.scaling);
        self.flip = self.flip.map(|value| value.max(0.0));
        self.twist = self.twist.map(|value| value.max(0.0));
        self
    }

    /// Sets the diagonal entry of axis `k` and the off-diagonal entry of the other two axes.
    #[inline]
    fn set_scaling(&mut self, k: usize, diagonal: f64, off: f64) {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        self.scaling[(k, k)] = diagonal;
        (self.scaling[(i, j)], self.scaling[(j, i)]) = (off, off);
    }

    /// δP \[Pa\] for a small change δF of the deformation gradient.
    #[must_use]
    pub fn apply(&self, change: &Matrix3<f64>) -> Matrix3<f64> {
        let local = self.u.transpose() * change * self.v;
        let mut stress = Matrix3::from_diagonal(&(self.scaling * local.diagonal()));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (direct, crossed) =
                (0.5 * (self.flip[k] + self.twist[k]), 0.5 * (self.flip[k] - self.twist[k]));
            stress[(i, j)] = direct * local[(i, j)] + crossed * local[(j, i)];
            stress[(j, i)] = direct * local[(j, i)] + crossed * local[(i, j)];
        }
        self.u * stress * self.v.transpose()
    }

    /// The 3 × 3 block ∂fₐ/∂x_b [Pa/m²] for gradients gₐ, g_b [1/m] of two shape functions: Σ T[ij][kl] gₐ[j] g_b[l]. The
    /// gradients are in the principal frame, Vᵀg; the block is in the world frame.
    #[inline]
    #[must_use]
    pub(crate) fn block(&self, a: &Vector3<f64>, b: &Vector3<f64>) -> Matrix3<f64> {
        let mut m = Matrix3::zeros();
        for i in 0..3 {
            m[(i, i)] = self.scaling[(i, i)] * a[i] * b[i];
        }
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (direct, crossed) =
                (0.5 * (self.flip[k] + self.twist[k]), 0.5 * (self.flip[k] - self.twist[k]));
            m[(i, i)] += direct * a[j] * b[j];
            m[(j, j)] += direct * a[i] * b[i];
            m[(i, j)] = self.scaling[(i, j)] * a[i] * b[j] + crossed * a[j] * b[i];
            m[(j, i)] = self.scaling[(i, j)] * a[j] * b[i] + crossed * a[i] * b[j];
        }
        self.u * m * self.u.transpose()
    }
}

/// Energy density and stress at a deformation gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// ψ, energy per volume at rest \[Pa\].
    pub energy_density: f64,
    /// P = ∂ψ/∂F, first Piola–Kirchhoff stress \[Pa\].
    pub stress: Matrix3<f64>,
}

impl Material {
    /// Energy per volume at rest, ψ \[Pa\], at the deformation gradient `f`.
    #[must_use]
    pub fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
        self.response(f, self.svd(f, false).as_ref()).energy_density
    }

    /// First Piola–Kirchhoff stress P = ∂ψ/∂F \[Pa\] at the deformation gradient `f`.
    #[must_use]
    pub fn first_piola(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.response(f, self.svd(f, false).as_ref()).stress
    }

    /// Cauchy stress P Fᵀ / J \[Pa\]; not finite where the element is flat.
    #[must_use]
    pub fn cauchy(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.first_piola(f) * f.transpose() / f.determinant()
    }

    /// Tangent ∂P/∂F \[Pa\] at the deformation gradient `f`.
    #[must_use]
    pub fn tangent(&self, f: &Matrix3<f64>) -> Tangent {
        self.tangent_of(self.svd(f, true).as_ref())
    }

    /// Whether [`response`](Self::response), and with `tangent` also [`tangent_of`](Self::tangent_of), need F's
    /// decomposition.
    pub(crate) fn needs_svd(&self, tangent: bool) -> bool {
        match self.model() {
            Constitutive::Linear => false,
            Constitutive::Corotational => true,
            Constitutive::StVenantKirchhoff | Constitutive::NeoHookean => tangent,
        }
    }

    /// Decomposition of `f` where the model needs it.
    fn svd(&self, f: &Matrix3<f64>, tangent: bool) -> Option<SignedSvd> {
        self.needs_svd(tangent).then(|| SignedSvd::of(f))
    }

    /// Energy density and stress; the decomposition of `f` provides the nearest rotation for the corotational model.
    #[inline]
    pub(crate) fn response(&self, f: &Matrix3<f64>, svd: Option<&SignedSvd>) -> Response {
        let (mu, lambda) = (self.mu, self.lambda);
        let (energy_density, stress) = match (self.model(), svd) {
            (Constitutive::Corotational, Some(svd)) => {
                let rotation = svd.rotation();
                let strain = f - rotation;
                let trace = rotation.dot(&strain);
                let energy = mu * strain.norm_squared() + 0.5 * lambda * trace * trace;
                (energy, 2.0 * mu * strain + lambda * trace * rotation)
            }
            (Constitutive::Linear | Constitutive::Corotational, _) => {
                let strain = 0.5 * (f + f.transpose()) - Matrix3::identity();
                hooke(&strain, mu, lambda)
            }
            (Constitutive::StVenantKirchhoff, _) => {
                let (energy, stress) = hooke(&(0.5 * (f.transpose() * f - Matrix3::identity())), mu, lambda);
                (energy, f * stress)
            }
            (Constitutive::NeoHookean, _) => {
                let cofactor = cofactor(f);
                let growth = f.column(0).dot(&cofactor.column(0)) - 1.0;
                let kappa = lambda + mu;
                let lanes = [0, 1, 2].map(|j| [0, 1, 2].map(|i| Lanes([f[(i, j)]])));
                let [energy] = neo_hookean_energy(&lanes, [Lanes([mu]), Lanes([kappa])]).0;
                (energy, mu * f + (kappa * growth - mu) * cofactor)
            }
        };
        Response { energy_density, stress }
    }

    /// The tangent where F has the decomposition `svd`, by the table above [Smith19 §4].
    #[inline]
    pub(crate) fn tangent_of(&self, svd: Option<&SignedSvd>) -> Tangent {
        let (mu, lambda) = (self.mu, self.lambda);
        let mut tangent = Tangent {
            u: Matrix3::identity(),
            v: Matrix3::identity(),
            scaling: Matrix3::from_diagonal_element(2.0 * mu) + Matrix3::repeat(lambda),
            flip: [2.0 * mu; 3],
            twist: [0.0; 3],
        };
        let Some(svd) = svd else { return tangent };
        (tangent.u, tangent.v) = (svd.u, svd.v);
        let s = svd.sigma;
        let planes = [(1, 2), (2, 0), (0, 1)];
        match self.model() {
            Constitutive::Linear => {}
            Constitutive::Corotational => {
                let coupling = 2.0 * lambda * (s.sum() - 3.0) - 4.0 * mu;
                tangent.twist = planes.map(|(i, j)| 2.0 * mu + coupling / (s[i] + s[j]).max(NO_ROTATION));
            }
            Constitutive::StVenantKirchhoff => {
                let pressure = 0.5 * lambda * (s.norm_squared() - 3.0);
                for (k, (i, j)) in planes.into_iter().enumerate() {
                    let (squares, product) = (s[i] * s[i] + s[j] * s[j] - 1.0, s[i] * s[j]);
                    tangent.flip[k] = pressure + mu * (squares + product);
                    tangent.twist[k] = pressure + mu * (squares - product);
                    let diagonal = pressure + mu * (3.0 * s[k] * s[k] - 1.0) + lambda * s[k] * s[k];
                    tangent.set_scaling(k, diagonal, lambda * product);
                }
            }
            Constitutive::NeoHookean => {
                let (kappa, volume) = (lambda + mu, s[0] * s[1] * s[2]);
                let g = kappa * (volume - 1.0) - mu;
                for (k, (i, j)) in planes.into_iter().enumerate() {
                    let area = s[i] * s[j];
                    (tangent.flip[k], tangent.twist[k]) = (mu - g * s[k], mu + g * s[k]);
                    tangent.set_scaling(k, mu + kappa * area * area, (kappa * volume + g) * s[k]);
                }
            }
        }
        tangent
    }
}

/// Hooke's law: μ ε:ε + λ/2 tr²ε and its derivative with respect to ε.
#[inline]
fn hooke(strain: &Matrix3<f64>, mu: f64, lambda: f64) -> (f64, Matrix3<f64>) {
    let trace = strain.trace();
    let energy = mu * strain.norm_squared() + 0.5 * lambda * trace * trace;
    (energy, 2.0 * mu * strain + Matrix3::from_diagonal_element(lambda * trace))
}

/// Stable neo-Hookean energy density μ/2 (‖F‖² − 3) − μ(J − 1) + κ/2 (J − 1)² of `f`, by columns, with `[μ, κ]` [Smith18 eq. 14,
/// without its logarithm].
///
/// Near rest the first two terms cancel, and with them all digits of a small energy, so that a line search fails. With
/// C = FᵀF − 1, t = tr C and its other invariants c₂ and c₃, J² − 1 = t + c₂ + c₃, so g = J − 1 = (t + c₂ + c₃)/(J + 1)
/// and t/2 − g = (t g/2 − c₂ − c₃)/(J + 1): only small terms of second order. Inverted elements take the first form.
#[inline(always)]
pub(in crate::soft) fn neo_hookean_energy<const N: usize>(
    f: &[Column<N>; 3],
    [mu, kappa]: [Lanes<N>; 2],
) -> Lanes<N> {
    /// J + 1 above which the second form is used: elements that are not inverted. Below, its division loses digits and the
    /// first form has no cancellation.
    const UPRIGHT: f64 = 1.0;
    let (half, one) = (Lanes::of(0.5), Lanes::ONE);
    let [x, y, z] = [0, 1, 2].map(|i: usize| dot(&f[i], &f[i]) - one);
    let [a, b, c] = [(1, 2), (2, 0), (0, 1)].map(|(i, j): (usize, usize)| dot(&f[i], &f[j]));
    let trace = x + y + z;
    let second = (x * y - c * c) + (y * z - a * a) + (z * x - b * b);
    let third = x * (y * z - a * a) - c * (c * z - a * b) + b * (c * a - y * b);
    let volume = dot(&cross(&f[0], &f[1]), &f[2]);
    let sum = volume + one;
    let growth = (trace + second + third) / sum;
    let small = mu * ((half * trace * growth - second - third) / sum) + half * kappa * growth * growth;
    let growth = volume - one;
    let plain = mu * (half * trace - growth) + half * kappa * growth * growth;
    small.or(plain, sum.mask(Lanes::of(UPRIGHT), |sum, min| sum > min))
}

/// ∂ det F / ∂F: the matrix of cofactors.
#[inline]
fn cofactor(f: &Matrix3<f64>) -> Matrix3<f64> {
    let [a, b, c] = [0, 1, 2].map(|i| f.column(i).into_owned());
    Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}

#[cfg(test)]
mod tests {
    use nalgebra::{SMatrix, SymmetricEigen};

    use super::*;
    use crate::soft::samples::{MODELS, deformation_gradients, material};

    type Matrix9 = SMatrix<f64, 9, 9>;

    fn dense(tangent: &Tangent) -> Matrix9 {
        let unit = |column| Matrix3::from_fn(|i, j| f64::from(u8::from(3 * j + i == column)));
        Matrix9::from_columns(&[0, 1, 2, 3, 4, 5, 6, 7, 8].map(|column| {
            let stress = tangent.apply(&unit(column));
            nalgebra::SVector::<f64, 9>::from_column_slice(stress.as_slice())
        }))
    }

    /// Away from the inverted states where the corotational energy has a kink.
    fn is_smooth(f: &Matrix3<f64>) -> bool {
        let sigma = SignedSvd::of(f).sigma;
        sigma[1] + sigma[2] > 0.1
    }

    /// Against the principal stretches, whose small differences from one are known exactly, of rotated states.
    #[test]
    fn a_small_neo_hookean_energy_keeps_its_digits() {
        let (mu, kappa) = (2.0, 5.0);
        for strain in [1e-2, 1e-5, 1e-7] {
            let e = Vector3::new(1.0, -0.3, 0.2) * strain;
            let growth = (e.x + e.y + e.z) + (e.x * e.y + e.y * e.z + e.z * e.x) + e.x * e.y * e.z;
            let second = e.x * e.y + e.y * e.z + e.z * e.x;
            let expected =
                mu * (0.5 * e.norm_squared() - second - e.x * e.y * e.z) + 0.5 * kappa * growth * growth;
            let rotation = nalgebra::Rotation3::new(Vector3::new(0.3, -1.1, 0.4)).into_inner();
            let f = rotation * (Matrix3::identity() + Matrix3::from_diagonal(&e));
            let lanes = [0, 1, 2].map(|j| [0, 1, 2].map(|i| Lanes([f[(i, j)]])));
            let [energy] = neo_hookean_energy(&lanes, [Lanes([mu]), Lanes([kappa])]).0;
            // F itself is rounded; that is felt as stress times rounding.
            let rounding = 40.0 * f64::EPSILON * strain;
            assert!(
                (energy - expected).abs() < rounding + 1e-13 * expected,
                "{strain} {energy:e} {expected:e}"
            );
        }
    }

    #[test]
    fn stress_and_tangent_are_derivatives_of_the_energy() {
        let step = 1e-5;
        for model in MODELS {
            let material = material(model, 1e5, 0.4);
            let smooth = |f: &Matrix3<f64>| model != Constitutive::Corotational || is_smooth(f);
            for f in deformation_gradients(60).iter().filter(|f| smooth(f)) {
                let (stress, tangent) = (material.first_piola(f), material.tangent(f));
                for entry in 0..9 {
                    let mut change = Matrix3::zeros();
                    change[entry] = step;
                    let (ahead, behind) = (f + change, f - change);
                    let slope =
                        (material.energy_density(&ahead) - material.energy_density(&behind)) / (2.0 * step);
                    let scale = stress.norm().max(1e5);
                    assert!((slope - stress[entry]).abs() <= 1e-8 * scale, "{model:?} {f}");
                    let row = (material.first_piola(&ahead) - material.first_piola(&behind)) / (2.0 * step);
                    let exact = tangent.apply(&(change / step));
                    assert!(
                        (row - exact).norm() <= 1e-7 * exact.norm().max(1e5),
                        "{model:?} {f} {row} {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_projected_tangent_is_the_nearest_semi_definite_one() {
        let mut changed = 0;
        for model in MODELS {
            let material = material(model, 1e5, 0.4);
            for f in deformation_gradients(60).iter().chain(&[Matrix3::identity(), Matrix3::zeros()]) {
                if model == Constitutive::Corotational && f.norm_squared() <= 0.0 {
                    continue;
                }
                let tangent = material.tangent(f);
                let exact = dense(&tangent);
                let mut eigen = SymmetricEigen::new(0.5 * (exact + exact.transpose()));
                changed += u32::from(eigen.eigenvalues.min() < -1.0);
                eigen.eigenvalues.iter_mut().for_each(|value| *value = value.max(0.0));
                let projected = dense(&tangent.projected());
                let error = (projected - eigen.recompose()).norm();
                assert!(error <= 1e-12 * exact.norm(), "{model:?} {f} {:e}", error / exact.norm());
            }
        }
        assert!(changed > 50, "{changed}");
    }

    #[test]
    fn the_corotational_tangent_stays_finite_and_semi_definite_where_no_rotation_is_nearest() {
        let material = material(Constitutive::Corotational, 1e5, 0.4);
        for sigma in [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.5, -0.5], [1.0, 1.0, -1.0], [5.0, 1.0, -1.0]] {
            let f = Matrix3::from_diagonal(&sigma.into());
            let (stress, tangent) = (material.first_piola(&f), material.tangent(&f));
            let projected = dense(&tangent.projected());
            assert!(stress.iter().chain(projected.iter()).all(|x| x.is_finite()), "{sigma:?}");
            assert!(SymmetricEigen::new(projected).eigenvalues.min() >= -1e-9 * projected.norm());
        }
    }

    /// `shared/data/fem/valid/v01_patch.json`: P by rows and ψ, at E = 1e5 Pa and ν = 0.3.
    #[test]
    fn stress_and_energy_of_the_patch_test_are_those_of_the_data() {
        let f = Matrix3::new(1.1, 0.05, -0.02, 0.03, 0.92, 0.04, -0.01, 0.02, 1.05);
        #[rustfmt::skip]
        let expected = [
            [11730.769231, 3076.923077, -1153.846154, 3076.923077, -2115.384615, 2307.692308,
             -1153.846154, 2307.692308, 7884.615385],
            [11748.260714, 3123.007418, -1179.370669, 3027.146763, -2095.022316, 2333.525218,
             -1135.662612, 2278.268496, 7902.310661],
            [14338.692308, 3390.346154, -1390.461538, 3253.615385, -776.461538, 2324.653846,
             -1329.346154, 2241.307692, 9267.461538],
            [10746.487577, 2966.179317, -1089.682288, 2883.630375, -2376.345269, 2274.192067,
             -1051.677731, 2227.612173, 7342.139856],
        ];
        let energies = [1077.8846153846132, 1078.7470731127437, 1158.773076923074, 1036.9367808173047];
        for ((model, stress), energy) in MODELS.into_iter().zip(expected).zip(energies) {
            let material = material(model, 1e5, 0.3);
            let difference = material.first_piola(&f) - Matrix3::from_row_slice(&stress);
            assert!(difference.abs().max() <= 6e-7, "{model:?} {difference}");
            assert!((material.energy_density(&f) - energy).abs() <= 1e-11 * energy, "{model:?}");
        }
    }

    /// `shared/data/fem/valid/v02_uniaxial.json`: stretches of a bar under a nominal stress, E = 1e6 Pa, ν = 0.3.
    #[test]
    fn a_bar_under_tension_is_as_long_and_as_thin_as_the_data_say() {
        let cases = [
            (Constitutive::Linear, 1e3, 1.001, 0.9997),
            (Constitutive::Corotational, 1e3, 1.001, 0.9997),
            (Constitutive::StVenantKirchhoff, 1e3, 1.000998503986923, 0.9997002543286576),
            (Constitutive::NeoHookean, 1e3, 1.0010006926508008, 0.999699847397453),
            (Constitutive::Linear, 2e5, 1.2, 0.9400000000000001),
            (Constitutive::Corotational, 2e5, 1.2, 0.9400000000000001),
            (Constitutive::StVenantKirchhoff, 2e5, 1.1597048527648617, 0.9468502502202178),
            (Constitutive::NeoHookean, 2e5, 1.2302128787180286, 0.9347261791724486),
        ];
        for (model, nominal, along, across) in cases {
            let f = Matrix3::from_diagonal(&Vector3::new(along, across, across));
            let expected = Matrix3::from_diagonal(&Vector3::new(nominal, 0.0, 0.0));
            let stress = material(model, 1e6, 0.3).first_piola(&f);
            assert!((stress - expected).norm() <= 1e-9 * 1e6, "{model:?} {stress}");
        }
    }

    #[test]
    fn the_cauchy_stress_is_symmetric_and_is_the_pressure_of_a_swollen_body() {
        let material = material(Constitutive::NeoHookean, 1e5, 0.3);
        for f in deformation_gradients(20) {
            let stress = material.cauchy(&f);
            assert!((stress - stress.transpose()).norm() <= 1e-11 * stress.norm());
        }
        // ψ(s) = ½·3μ(s² − 1) − μ(s³ − 1) + ½κ(s³ − 1)², pressure dψ/d(s³).
        let s: f64 = 1.1;
        let (mu, kappa) = (material.shear_modulus(), material.lame_lambda() + material.shear_modulus());
        let expected = mu / s - mu + kappa * (s.powi(3) - 1.0);
        let stress = material.cauchy(&Matrix3::from_diagonal_element(s));
        assert!((stress - Matrix3::from_diagonal_element(expected)).norm() <= 1e-12 * expected);
    }
}
