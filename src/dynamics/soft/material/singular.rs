//! Signed singular value decomposition of a 3 × 3 matrix: F = U Σ Vᵀ with *rotations* U and V.
//!
//! Where det F < 0 the smallest singular value is the negative one, so that U Vᵀ is the rotation nearest to F and the
//! decomposition is continuous while an element inverts through its thinnest direction [Irving04 §5].
//!
//! Jacobi's method diagonalises FᵀF = V Σ² Vᵀ; the columns of F V are then orthogonal, and Gram–Schmidt makes U of
//! them [McAdams11 §2]. Errors are those of rounding against the largest singular
//! value. Entries of which the squares underflow count as zero.

use nalgebra::{Matrix3, Vector3};

/// Most sweeps of Jacobi's method. It converges quadratically; four or five are enough for every matrix met.
const SWEEPS: usize = 12;

/// An off-diagonal entry of FᵀF below this part of the trace is zero: half a unit of rounding.
const NEGLIGIBLE: f64 = 0.5 * f64::EPSILON;

/// A second singular value below this part of the first gives no direction: some units of rounding.
const NO_DIRECTION: f64 = 4.0 * f64::EPSILON;

/// F = U Σ Vᵀ with rotations U and V and σ₁ ≥ σ₂ ≥ |σ₃|.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedSvd {
    /// U, a rotation.
    pub u: Matrix3<f64>,
    /// Σ; the last is negative where det F < 0.
    pub sigma: Vector3<f64>,
    /// V, a rotation.
    pub v: Matrix3<f64>,
}

impl SignedSvd {
    /// The decomposition of `f`, which may be inverted, flat or zero, but must be finite.
    #[must_use]
    pub fn of(f: &Matrix3<f64>) -> Self {
        let v = eigenvectors(&(f.transpose() * f));
        let mut b: [Vector3<f64>; 3] = [0, 1, 2].map(|i| f * v.column(i));
        let mut v: [Vector3<f64>; 3] = [0, 1, 2].map(|i| v.column(i).into_owned());
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if b[i].norm_squared() < b[j].norm_squared() {
                (b[i], b[j]) = (b[j], -b[i]);
                (v[i], v[j]) = (v[j], -v[i]);
            }
        }
        let first = b[0].norm();
        if !(first > 0.0) {
            return Self {
                u: Matrix3::from_columns(&v),
                sigma: Vector3::zeros(),
                v: Matrix3::from_columns(&v),
            };
        }
        let u0 = b[0] / first;
        let across = b[1] - u0.dot(&b[1]) * u0;
        let length = across.norm();
        let u1 = if length > NO_DIRECTION * first { across / length } else { perpendicular(&u0) };
        let u2 = u0.cross(&u1);
        Self {
            u: Matrix3::from_columns(&[u0, u1, u2]),
            sigma: Vector3::new(first, u1.dot(&b[1]), u2.dot(&b[2])),
            v: Matrix3::from_columns(&v),
        }
    }

    /// U Vᵀ: the rotation nearest to the matrix.
    #[must_use]
    pub fn rotation(&self) -> Matrix3<f64> {
        self.u * self.v.transpose()
    }
}

/// The eigenvectors of a positive semi-definite matrix, as a rotation.
fn eigenvectors(symmetric: &Matrix3<f64>) -> Matrix3<f64> {
    // A unit trace: no square below overflows or vanishes, whatever the size of the matrix.
    let mut a = symmetric * (1.0 / symmetric.trace().max(f64::MIN_POSITIVE));
    let mut v = Matrix3::identity();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let off = a[(p, q)];
            if off.abs() > NEGLIGIBLE {
                let (cosine, sine) = annihilator(a[(q, q)] - a[(p, p)], 2.0 * off);
                turn(&mut a, &mut v, (p, q, r), (cosine, sine));
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    v
}

/// Cosine and sine of the smaller angle that makes the off-diagonal zero; t = tan solves t² + (d/off) t − 1 = 0.
#[inline]
fn annihilator(difference: f64, twice_off: f64) -> (f64, f64) {
    let long = difference.abs() + (difference * difference + twice_off * twice_off).sqrt();
    let across = twice_off * 1.0_f64.copysign(difference);
    let inverse = 1.0 / (long * long + across * across).sqrt();
    (long * inverse, across * inverse)
}

/// A ← JᵀAJ and V ← VJ for the rotation J in the plane of axes p and q.
#[inline]
fn turn(a: &mut Matrix3<f64>, v: &mut Matrix3<f64>, (p, q, r): (usize, usize, usize), (c, s): (f64, f64)) {
    let (pp, qq, pq) = (a[(p, p)], a[(q, q)], a[(p, q)]);
    let (rp, rq) = (a[(r, p)], a[(r, q)]);
    let shift = 2.0 * c * s * pq;
    a[(p, p)] = c * c * pp - shift + s * s * qq;
    a[(q, q)] = s * s * pp + shift + c * c * qq;
    (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
    let (to_p, to_q) = (c * rp - s * rq, s * rp + c * rq);
    (a[(r, p)], a[(p, r)]) = (to_p, to_p);
    (a[(r, q)], a[(q, r)]) = (to_q, to_q);
    for row in 0..3 {
        let (vp, vq) = (v[(row, p)], v[(row, q)]);
        v[(row, p)] = c * vp - s * vq;
        v[(row, q)] = s * vp + c * vq;
    }
}

/// A unit vector perpendicular to a unit vector.
fn perpendicular(unit: &Vector3<f64>) -> Vector3<f64> {
    let axis = unit.iamin();
    let mut along = Vector3::zeros();
    along[axis] = 1.0;
    unit.cross(&along).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::soft::samples::{Uniform, deformation_gradients};

    /// U Σ Vᵀ for every kind of rank, sign, multiplicity and size.
    fn matrices() -> Vec<Matrix3<f64>> {
        let mut random = Uniform(3);
        let mut all = deformation_gradients(50);
        for sigma in [
            [1.0, 1.0, 1.0],
            [1.0, 1.0, -1.0],
            [2.0, 2.0, 0.5],
            [3.0, 1.0, 1.0],
            [2.0, 1.0, 0.0],
            [2.0, 2.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1e-8, -1e-8],
            [1.0, 1.0 - 1e-12, 1.0 - 2e-12],
            [1.0, 1e-15, 1e-16],
            [0.0; 3],
        ] {
            let core = Matrix3::from_diagonal(&sigma.into());
            all.push(core);
            all.extend((0..5).map(|_| random.rotation() * core * random.rotation()));
        }
        all.push(Matrix3::repeat(1.0));
        [1e-130, 1e-90, 1e-12, 1.0, 1e12, 1e140]
            .iter()
            .flat_map(|scale| all.iter().map(move |f| f * *scale))
            .collect()
    }

    #[test]
    fn the_factors_are_rotations_and_multiply_to_the_matrix() {
        for f in matrices() {
            let SignedSvd { u, sigma, v } = SignedSvd::of(&f);
            for rotation in [u, v] {
                assert!((rotation.transpose() * rotation - Matrix3::identity()).norm() < 3e-15, "{f:e}");
                assert!((rotation.determinant() - 1.0).abs() < 3e-15);
            }
            let error = (u * Matrix3::from_diagonal(&sigma) * v.transpose() - f).norm();
            assert!(error <= 4e-15 * f.norm(), "{f:e}{sigma:e} {error:e}");
            let slack = 1.0 + 1e-14;
            assert!(
                sigma[0] * slack >= sigma[1] && sigma[1] * slack + 1e-15 * sigma[0] >= sigma[2].abs(),
                "{sigma:e}"
            );
        }
    }

    #[test]
    fn no_rotation_is_nearer_than_that_of_the_factors() {
        let mut random = Uniform(11);
        for f in deformation_gradients(40) {
            let nearest = SignedSvd::of(&f).rotation();
            for _ in 0..20 {
                let other = nearest * nalgebra::Rotation3::new(0.3 * random.vector()).into_inner();
                assert!((f - nearest).norm() <= (f - other).norm() + 1e-14);
                assert!((f - nearest).norm() <= (f - random.rotation()).norm() + 1e-14);
            }
        }
    }
}
