//! Coplanarity cubic in Bernstein form [TMT10a], and the time for which it is proved not to vanish.
//!
//! c(t) = det(e₁(t), e₂(t), r(t)) = n(t)·r(t) vanishes where the four points are coplanar. If the features are within a
//! separation s of each other, there are points of both with a difference r(u, v) of |r(u, v)| ≤ s, and
//! n·r(u, v) = n·r, so that |c| ≤ s |n|.

use super::bernstein::above_until;
use super::paths::{Moving, ROUNDING, cross, dot, longer};

/// Rounding of a Bernstein coefficient of the cubic in units of roundoff and of the maximum coordinates of its three
/// vectors: six products whose factors (3) and arithmetic (at most 9) are rounded make 72; the windows of
/// [`above_until`] add 50 to each of the six; rounded up to a power of two.
const CUBIC_ROUNDING: f64 = 512.0 * ROUNDING;
/// Rounding of the length of a normal in units of roundoff and of the maximum coordinates of its two vectors: six
/// products rounded five times each; doubled.
const NORMAL_ROUNDING: f64 = 64.0 * ROUNDING;

/// Coplanarity cubic over the whole step.
pub(super) struct Coplanarity {
    coefficients: [f64; 4],
    /// Bernstein coefficients of the separation times an upper bound of |n(t)|.
    thickness: [f64; 4],
    /// Bound of the rounding of coefficients and windows, below which the sign is unknown.
    rounding: f64,
}

impl Coplanarity {
    /// Computes the cubic of two moving edges and a moving difference; distances up to `separation` count as contact.
    #[inline(always)]
    pub(super) fn new(edges: &[Moving; 2], origin: &Moving, separation: f64) -> Self {
        let [e, f] = edges;
        let normals =
            [cross(&e[0], &f[0]), half_sum(&cross(&e[0], &f[1]), &cross(&e[1], &f[0])), cross(&e[1], &f[1])];
        let coefficients = [
            dot(&normals[0], &origin[0]),
            (2.0 * dot(&normals[1], &origin[0]) + dot(&normals[0], &origin[1])) / 3.0,
            (dot(&normals[2], &origin[0]) + 2.0 * dot(&normals[1], &origin[1])) / 3.0,
            dot(&normals[2], &origin[1]),
        ];
        let max_of_edges = max(e) * max(f);
        let reach = max(origin) + separation;
        let mut thickness = [0.0; 4];
        if separation > 0.0 {
            // |n(t)| is convex in the coefficients: at most the interpolation of their lengths, raised to degree three.
            let slack = NORMAL_ROUNDING * max_of_edges;
            let [n, m, o] = [longer(&normals[0]), longer(&normals[1]), longer(&normals[2])];
            for (slot, length) in thickness.iter_mut().zip([n, (n + 2.0 * m) / 3.0, (2.0 * m + o) / 3.0, o]) {
                *slot = separation * (length + slack);
            }
        }
        let rounding = CUBIC_ROUNDING * max_of_edges * reach + f64::MIN_POSITIVE;
        Self { coefficients, thickness, rounding }
    }

    /// Time up to which the cubic is proved to keep the sign that it has at the time `from`; `from` if the sign is unknown.
    #[inline(always)]
    pub(super) fn keeps_its_sign_until(&self, from: f64) -> f64 {
        let mut until = from;
        for sign in [1.0, -1.0] {
            let mut heights = self.coefficients;
            for k in 0..4 {
                heights[k] = sign * heights[k] - self.thickness[k];
            }
            // The rounding of a window moves the hull by less than the cubic's own rounding.
            let time = above_until(&heights, 2.0 * self.rounding, from);
            until = if time > until { time } else { until };
        }
        until
    }
}

/// Maximum coordinate of a moving vector.
#[inline(always)]
fn max(moving: &Moving) -> f64 {
    let mut max: f64 = 0.0;
    for vector in moving {
        for value in vector {
            max = if value.abs() > max { value.abs() } else { max };
        }
    }
    max
}

#[inline(always)]
fn half_sum(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])]
}
