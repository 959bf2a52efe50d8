//! The cubic of coplanarity in Bernstein form, and how long it surely does not vanish.
//!
//! c(t) = det(e₁(t), e₂(t), r(t)) = n(t)·r(t) vanishes where the four points lie in a plane. With all points closer than a
//! separation s there are points of both features r(u, v) with |r(u, v)| ≤ s, and n·r(u, v) = n·r, so |c| ≤ s |n|.

use super::bernstein::above_until;
use super::paths::{Moving, ROUNDING, cross, dot, longer};

/// Rounding of a Bernstein coefficient of the cubic in units of roundoff and of the greatest coordinates of its three
/// vectors: six products whose factors (3) and arithmetic (at most 9) are rounded make 72; the windows of
/// [`above_until`] add 50 to each of the six; some to spare.
const CUBIC_ROUNDING: f64 = 512.0 * ROUNDING;
/// Rounding of the length of a normal in units of roundoff and of the greatest coordinates of its two vectors: six
/// products rounded five times each; doubled.
const NORMAL_ROUNDING: f64 = 64.0 * ROUNDING;

/// The cubic of coplanarity over the whole time.
pub(super) struct Coplanarity {
    coefficients: [f64; 4],
    /// The separation times an upper bound of |n(t)|, in the same form.
    thickness: [f64; 4],
    /// Rounding of the coefficients and windows: below it the sign is not known.
    rounding: f64,
}

impl Coplanarity {
    /// The cubic of two moving edges and a moving difference; contact counts up to `separation`.
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
        let greatest_of_edges = greatest(e) * greatest(f);
        let reach = greatest(origin) + separation;
        let mut thickness = [0.0; 4];
        if separation > 0.0 {
            // The length of the normal is at most what its coefficients' lengths interpolate.
            let slack = NORMAL_ROUNDING * greatest_of_edges;
            let [n, m, o] = [longer(&normals[0]), longer(&normals[1]), longer(&normals[2])];
            for (slot, length) in thickness.iter_mut().zip([n, (n + 2.0 * m) / 3.0, (2.0 * m + o) / 3.0, o]) {
                *slot = separation * (length + slack);
            }
        }
        let rounding = CUBIC_ROUNDING * greatest_of_edges * reach + f64::MIN_POSITIVE;
        Self { coefficients, thickness, rounding }
    }

    /// Until when the cubic surely keeps the sign that it has at the time `from`; `from` where that is not known.
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

/// Greatest coordinate of a moving vector.
#[inline(always)]
fn greatest(moving: &Moving) -> f64 {
    let mut greatest: f64 = 0.0;
    for vector in moving {
        for value in vector {
            greatest = if value.abs() > greatest { value.abs() } else { greatest };
        }
    }
    greatest
}

#[inline(always)]
fn half_sum(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])]
}
