//! Energy density ψ(F), first Piola–Kirchhoff stress P = ∂ψ/∂F, and tangent ∂P/∂F of each constitutive model.
//!
//! For an isotropic ψ = ψ(σ₁, σ₂, σ₃) with F = U Σ Vᵀ (signed) the tangent is known in closed form [Smith19 §4]: three
//! modes that scale, with the 3 × 3 matrix ∂²ψ/∂σᵢ∂σⱼ, and for each pair i ≠ j one symmetric mode ("flip") and one
//! antisymmetric ("twist"), with the eigenvalues
//!
//! flip = (ψᵢ − ψⱼ)/(σᵢ − σⱼ), twist = (ψᵢ + ψⱼ)/(σᵢ + σⱼ), ψᵢ = ∂ψ/∂σᵢ,
//!
//! whose divisions cancel by hand in every model but the corotational twist. With σₖ the third one:
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

use super::projection::project_semi_definite;
use super::{Constitutive, Material, SignedSvd};

/// σᵢ + σⱼ below this has no nearest rotation; the corotational twist, which is infinite there, is taken at this sum.
const NO_ROTATION: f64 = 1e-9;

/// ∂P/∂F [Pa] in the principal frame F = U Σ Vᵀ, as a few numbers.
///
/// With T the tangent there: `T[ii][kk] = scaling[i][k]`, and for a pair i ≠ j whose third axis is k
/// `T[ij][ij] = (flip[k] + twist[k]) / 2`, `T[ij][ji] = (flip[k] − twist[k]) / 2`; all other entries are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tangent {
    /// U, a rotation.
    pub u: Matrix3<f64>,
    /// V, a rotation.
    pub v: Matrix3<f64>,
    /// ∂²ψ/∂σᵢ∂σⱼ [Pa].
    pub scaling: Matrix3<f64>,
    /// Eigenvalues of the symmetric modes in the plane perpendicular to each axis [Pa].
    pub flip: [f64; 3],
    /// Eigenvalues of the antisymmetric modes in the plane perpendicular to each axis [Pa].
    pub twist: [f64; 3],
}

impl Tangent {
    /// The nearest positive semi-definite tangent: negative eigenvalues become zero.
    #[must_use]
    pub fn projected(mut self) -> Self {
        self.scaling = project_semi_definite(&self.scaling);
        self.flip = self.flip.map(|value| value.max(0.0));
        self.twist = self.twist.map(|value| value.max(0.0));
        self
    }

    /// δP [Pa] for a small change δF of the deformation gradient.
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

    /// The 3 × 3 blocks ∂fₐ/∂x_b [Pa/m²] for gradients gₐ, g_b [1/m] of two shape functions: Σ T[ij][kl] gₐ[j] g_b[l]. The
    /// gradients are in the principal frame, Vᵀg; the block is in the frame of the world.
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

impl Material {
    /// Energy per volume at rest, ψ [Pa], at the deformation gradient `f`.
    #[must_use]
    pub fn energy_density(&self, f: &Matrix3<f64>) -> f64 {
        let (mu, lambda) = (self.shear_modulus(), self.lame_lambda());
        match self.model() {
            Constitutive::Linear => {
                let strain = 0.5 * (f + f.transpose()) - Matrix3::identity();
                mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2)
            }
            Constitutive::Corotational => {
                let rotation = SignedSvd::of(f).rotation();
                mu * (f - rotation).norm_squared() + 0.5 * lambda * stretch(&rotation, f).powi(2)
            }
            Constitutive::StVenantKirchhoff => {
                let strain = green(f);
                mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2)
            }
            Constitutive::NeoHookean => {
                let growth = f.determinant() - 1.0;
                // ‖F‖² − 3 = ‖F − 1‖² + 2 tr(F − 1) would cancel less near rest, but not near a rotation.
                0.5 * mu * (f.norm_squared() - 3.0) - mu * growth + 0.5 * (lambda + mu) * growth * growth
            }
        }
    }

    /// First Piola–Kirchhoff stress P = ∂ψ/∂F [Pa] at the deformation gradient `f`.
    #[must_use]
    pub fn first_piola(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        let rotation = match self.model() {
            Constitutive::Corotational => SignedSvd::of(f).rotation(),
            _ => Matrix3::identity(),
        };
        self.stress(f, &rotation)
    }

    /// Cauchy stress P Fᵀ / J [Pa]; not finite where the element is flat.
    #[must_use]
    pub fn cauchy(&self, f: &Matrix3<f64>) -> Matrix3<f64> {
        self.first_piola(f) * f.transpose() / f.determinant()
    }

    /// Stress P [Pa] and tangent ∂P/∂F [Pa] at the deformation gradient `f`.
    #[must_use]
    pub fn stress_and_tangent(&self, f: &Matrix3<f64>) -> (Matrix3<f64>, Tangent) {
        if self.model() == Constitutive::Linear {
            return (self.stress(f, &Matrix3::identity()), self.linear_tangent());
        }
        let svd = SignedSvd::of(f);
        let rotation = match self.model() {
            Constitutive::Corotational => svd.rotation(),
            _ => Matrix3::identity(),
        };
        (self.stress(f, &rotation), self.tangent(&svd))
    }

    /// P, with the nearest rotation (used by the corotational model alone).
    fn stress(&self, f: &Matrix3<f64>, rotation: &Matrix3<f64>) -> Matrix3<f64> {
        let (mu, lambda) = (self.shear_modulus(), self.lame_lambda());
        match self.model() {
            Constitutive::Linear => {
                let strain = 0.5 * (f + f.transpose()) - Matrix3::identity();
                2.0 * mu * strain + Matrix3::from_diagonal_element(lambda * strain.trace())
            }
            Constitutive::Corotational => {
                2.0 * mu * (f - rotation) + lambda * stretch(rotation, f) * rotation
            }
            Constitutive::StVenantKirchhoff => {
                let strain = green(f);
                f * (2.0 * mu * strain + Matrix3::from_diagonal_element(lambda * strain.trace()))
            }
            Constitutive::NeoHookean => {
                let growth = f.determinant() - 1.0;
                mu * f + ((lambda + mu) * growth - mu) * cofactor(f)
            }
        }
    }

    fn linear_tangent(&self) -> Tangent {
        let (mu, lambda) = (self.shear_modulus(), self.lame_lambda());
        Tangent {
            u: Matrix3::identity(),
            v: Matrix3::identity(),
            scaling: Matrix3::from_diagonal_element(2.0 * mu) + Matrix3::repeat(lambda),
            flip: [2.0 * mu; 3],
            twist: [0.0; 3],
        }
    }

    /// The table above, for the models that see rotations.
    fn tangent(&self, svd: &SignedSvd) -> Tangent {
        let (mu, lambda) = (self.shear_modulus(), self.lame_lambda());
        let s = svd.sigma;
        let mut tangent = Tangent { u: svd.u, v: svd.v, ..self.linear_tangent() };
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let (flip, twist, diagonal, off) = match self.model() {
                Constitutive::Linear | Constitutive::Corotational => {
                    let coupling = 2.0 * lambda * (s.sum() - 3.0) - 4.0 * mu;
                    let twist = 2.0 * mu + coupling / (s[i] + s[j]).max(NO_ROTATION);
                    (2.0 * mu, twist, 2.0 * mu + lambda, lambda)
                }
                Constitutive::StVenantKirchhoff => {
                    let pressure = 0.5 * lambda * (s.norm_squared() - 3.0);
                    let (squares, product) = (s[i] * s[i] + s[j] * s[j] - 1.0, s[i] * s[j]);
                    let diagonal = pressure + mu * (3.0 * s[k] * s[k] - 1.0) + lambda * s[k] * s[k];
                    let (flip, twist) = (mu * (squares + product), mu * (squares - product));
                    (pressure + flip, pressure + twist, diagonal, lambda * product)
                }
                Constitutive::NeoHookean => {
                    let (kappa, volume) = (lambda + mu, s[0] * s[1] * s[2]);
                    let g = kappa * (volume - 1.0) - mu;
                    let area = s[i] * s[j];
                    (mu - g * s[k], mu + g * s[k], mu + kappa * area * area, (kappa * volume + g) * s[k])
                }
            };
            (tangent.flip[k], tangent.twist[k], tangent.scaling[(k, k)]) = (flip, twist, diagonal);
            (tangent.scaling[(i, j)], tangent.scaling[(j, i)]) = (off, off);
        }
        tangent
    }
}

/// tr(RᵀF − 1).
fn stretch(rotation: &Matrix3<f64>, f: &Matrix3<f64>) -> f64 {
    rotation.dot(&(f - rotation))
}

/// Green's strain (FᵀF − 1)/2.
fn green(f: &Matrix3<f64>) -> Matrix3<f64> {
    0.5 * (f.transpose() * f - Matrix3::identity())
}

/// ∂ det F / ∂F: the matrix of cofactors.
fn cofactor(f: &Matrix3<f64>) -> Matrix3<f64> {
    let [a, b, c] = [0, 1, 2].map(|i| f.column(i).into_owned());
    Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}
