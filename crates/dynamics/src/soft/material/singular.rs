//! Signed singular value decomposition of a 3 × 3 matrix: F = U Σ Vᵀ with *rotations* U and V.
//!
//! Where det F < 0 the smallest singular value is the negative one, so that U Vᵀ is the rotation nearest to F and the
//! decomposition is continuous while an element inverts through its thinnest direction [Irving04 §5].
//!
//! Jacobi's method diagonalises FᵀF = V Σ² Vᵀ; the columns of F V are then orthogonal, and Gram–Schmidt makes U of
//! them [McAdams11 §2]. Errors are rounding relative to the largest singular value. Entries whose squares underflow count as zero.

use std::array::from_fn;

use nalgebra::{Matrix3, Vector3};

use super::lanes::{Column, Lanes, column, cross, dot, scaled};

/// Maximum number of Jacobi sweeps. The method converges quadratically; four or five sweeps suffice for every matrix
/// met. A safeguard against an endless loop, without effect on the sets of docs/sensitivity.md.
const MAX_SWEEPS: usize = 12;

/// Off-diagonal entry of FᵀF over its trace that counts as zero: half a unit of rounding. Half and twice change 3 of 3
/// runs and the linear iterations by +2.1 % and +1.6 % (docs/sensitivity.md).
const NEGLIGIBLE: f64 = 0.5 * f64::EPSILON;

/// Second singular value over the first below which its column has no direction: some units of rounding. A safeguard,
/// without effect on the sets of docs/sensitivity.md.
const NO_DIRECTION: f64 = 4.0 * f64::EPSILON;

/// Signed singular value decomposition F = U Σ Vᵀ with rotations U and V and σ₁ ≥ σ₂ ≥ |σ₃| [Irving04 §5].
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
        let [only] = Self::of_many([f]);
        only
    }

    /// The decompositions of several matrices at once, each with the bits of [`SignedSvd::of`]: four take about as
    /// long as two computed singly.
    #[inline]
    #[must_use]
    pub fn of_many<const N: usize>(f: [&Matrix3<f64>; N]) -> [Self; N] {
        let f: [Column<N>; 3] = from_fn(|c| from_fn(|r| Lanes::gather(|lane| f[lane][(r, c)])));
        let mut v = eigenvectors(&f);
        let product =
            |v: &Column<N>| -> Column<N> { from_fn(|r| f[0][r] * v[0] + f[1][r] * v[1] + f[2][r] * v[2]) };
        let mut b = [product(&v[0]), product(&v[1]), product(&v[2])];
        // Sort by length; a swap with a change of sign keeps V a rotation.
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let swapped = dot(&b[i], &b[i]).mask(dot(&b[j], &b[j]), |first, second| first < second);
            for row in 0..3 {
                for m in [&mut b, &mut v] {
                    let (first, second) = (m[i][row], m[j][row]);
                    m[i][row] = second.or(first, swapped);
                    m[j][row] = (-first).or(second, swapped);
                }
            }
        }
        let (u, sigma) = orthonormalise(&b);
        from_fn(|lane| {
            let sigma = Vector3::from_fn(|i, _| sigma[i].0[lane]);
            Self { u: column(&u, lane), sigma, v: column(&v, lane) }
        })
    }

    /// U Vᵀ: the rotation nearest to the matrix.
    #[must_use]
    pub fn rotation(&self) -> Matrix3<f64> {
        self.u * self.v.transpose()
    }
}

/// Eigenvectors of FᵀF, as the columns of a rotation.
#[inline]
fn eigenvectors<const N: usize>(f: &[Column<N>; 3]) -> [Column<N>; 3] {
    let mut a: [Column<N>; 3] = from_fn(|i| from_fn(|j| dot(&f[i], &f[j])));
    // A unit trace: no square below overflows or vanishes, whatever the size of the matrix.
    let inverse = (a[0][0] + a[1][1] + a[2][2]).map(|trace| 1.0 / trace.max(f64::MIN_POSITIVE));
    a = a.map(|column| scaled(&column, inverse));
    let mut v: [Column<N>; 3] = from_fn(|i| from_fn(|j| if i == j { Lanes::ONE } else { Lanes::ZERO }));
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            let active = a[p][q].mask(Lanes::ZERO, |off, _| off.abs() > NEGLIGIBLE);
            if active.contains(&true) {
                rotate(&mut a, &mut v, (p, q, r), active);
                rotated = true;
            }
        }
        if !rotated {
            break;
        }
    }
    v
}

/// Jacobi rotation of the `active` lanes: A ← JᵀAJ and V ← VJ for the rotation J in the plane of axes p and q that makes A[p][q]
/// zero.
///
/// Its tangent is the smaller root of t² + (d/a)t − 1 = 0, with a the off-diagonal and d = A[q][q] − A[p][p]: the
/// cosine and the sine are as |d| + √(d² + 4a²) to ±2a.
#[inline(always)]
fn rotate<const N: usize>(
    a: &mut [Column<N>; 3],
    v: &mut [Column<N>; 3],
    (p, q, r): (usize, usize, usize),
    active: [bool; N],
) {
    let (pp, qq, off) = (a[p][p], a[q][q], a[p][q]);
    let (difference, twice) = (qq - pp, off + off);
    let root = (difference * difference + twice * twice).map(f64::sqrt);
    let long = difference.map(f64::abs) + root;
    let across = twice * difference.map(|d| 1.0_f64.copysign(d));
    let inverse = (long * long + across * across).map(|square| 1.0 / square.sqrt());
    let (c, s) = (long * inverse, across * inverse);
    let (cc, ss, cs) = (c * c, s * s, c * s);
    let shift = cs * twice;
    a[p][p] = (cc * pp - shift + ss * qq).or(pp, active);
    a[q][q] = (ss * pp + shift + cc * qq).or(qq, active);
    a[p][q] = Lanes::ZERO.or(off, active);
    a[q][p] = a[p][q];
    let (rp, rq) = (a[r][p], a[r][q]);
    a[r][p] = (c * rp - s * rq).or(rp, active);
    a[p][r] = a[r][p];
    a[r][q] = (s * rp + c * rq).or(rq, active);
    a[q][r] = a[r][q];
    for row in 0..3 {
        let (vp, vq) = (v[p][row], v[q][row]);
        v[p][row] = (c * vp - s * vq).or(vp, active);
        v[q][row] = (s * vp + c * vq).or(vq, active);
    }
}

/// Gram–Schmidt orthonormalisation: the columns of a rotation U and the diagonal of UᵀB, for columns B by descending length.
#[inline]
fn orthonormalise<const N: usize>(b: &[Column<N>; 3]) -> ([Column<N>; 3], Column<N>) {
    let first = dot(&b[0], &b[0]).map(f64::sqrt);
    let mut u0 = scaled(&b[0], first.map(|length| 1.0 / length));
    let along = dot(&u0, &b[1]);
    let across: Column<N> = from_fn(|row| b[1][row] - along * u0[row]);
    let second = dot(&across, &across).map(f64::sqrt);
    let mut u1 = scaled(&across, second.map(|length| 1.0 / length));
    for lane in 0..N {
        // Rank deficient: any completion to a rotation is a decomposition.
        if !(first.0[lane] > 0.0) {
            (0..3).for_each(|row| u0[row].0[lane] = if row == 0 { 1.0 } else { 0.0 });
        }
        if !(second.0[lane] > NO_DIRECTION * first.0[lane]) {
            let unit = perpendicular(&Vector3::from_fn(|row, _| u0[row].0[lane]));
            (0..3).for_each(|row| u1[row].0[lane] = unit[row]);
        }
    }
    // The third column is the cross product, so that U is a rotation and the sign of det F falls on σ₃.
    let u2 = cross(&u0, &u1);
    ([u0, u1, u2], [first, dot(&u1, &b[1]), dot(&u2, &b[2])])
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
    use extricate_test_support::Noise;

    use super::*;
    use crate::soft::samples::{deformation_gradients, rotation};

    /// U Σ Vᵀ for every kind of rank, sign, multiplicity and size.
    fn matrices() -> Vec<Matrix3<f64>> {
        let mut random = Noise(3);
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
            all.extend((0..5).map(|_| rotation(&mut random) * core * rotation(&mut random)));
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
        let mut random = Noise(11);
        for f in deformation_gradients(40) {
            let nearest = SignedSvd::of(&f).rotation();
            for _ in 0..20 {
                let other = nearest * nalgebra::Rotation3::new(0.3 * random.signed_vector()).into_inner();
                assert!((f - nearest).norm() <= (f - other).norm() + 1e-14);
                assert!((f - nearest).norm() <= (f - rotation(&mut random)).norm() + 1e-14);
            }
        }
    }

    #[test]
    fn four_at_once_have_the_bits_of_one() {
        let all = matrices();
        for four in all.windows(4) {
            let together = SignedSvd::of_many([&four[0], &four[1], &four[2], &four[3]]);
            for (f, svd) in four.iter().zip(together) {
                let alone = SignedSvd::of(f);
                let bits = |svd: &SignedSvd| -> Vec<u64> {
                    svd.u.iter().chain(&svd.sigma).chain(&svd.v).map(|x| x.to_bits()).collect()
                };
                assert_eq!(bits(&svd), bits(&alone), "{f:e}");
            }
        }
    }
}
