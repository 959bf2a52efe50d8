//! Paths of the points of one feature relative to those of the other, and planes that separate them for a while.
//!
//! A translation that both features share is no motion at all, and a place far from the origin is no magnitude: only
//! differences enter, each rounded once. They are scaled by a power of two, which rounds nothing.
//!
//! | here        | meaning                                                                              |
//! |-------------|--------------------------------------------------------------------------------------|
//! | r₀ … r_N₋₁  | differences of the points of both features; their convex hull is that of all differences |
//! | `extent`    | greatest coordinate of any rᵢ at the start or at the end, after scaling in [1, 2)       |

use super::bernstein::above_until;

/// Unit roundoff of `f64`.
pub(super) const ROUNDING: f64 = f64::EPSILON / 2.0;
/// Rounding of a distance to a plane in units of roundoff, extent and the normal's 1-norm: a difference (1), a scalar
/// product (3) and an interpolation (4) make 8; doubled.
const PLANE_ROUNDING: f64 = 16.0 * ROUNDING;
/// The same of a plane that turns: a difference (1), its place at a time (4), a scalar product (3), the mean of two (1),
/// and the windows of [`above_until`] (50); doubled.
const TURNING_ROUNDING: f64 = 128.0 * ROUNDING;
/// Rounding of a time in the rest of the step: a sum and a product; doubled.
const TIME_ROUNDING: f64 = 4.0 * ROUNDING;
/// Rounding of a coordinate of a difference and of its comparison with a separation, in units of roundoff and extent:
/// 2; doubled.
const COORDINATE_ROUNDING: f64 = 4.0 * ROUNDING;
/// Keeps the scale a normal number.
const EXPONENTS: [i64; 2] = [-1000, 1000];

/// A vector at the start and at the end.
pub(super) type Moving = [[f64; 3]; 2];

/// Differences of N pairs of points, `[start or end][axis][pair]`.
pub(super) type Differences<const N: usize> = [[[f64; N]; 3]; 2];

/// Whether a coordinate axis separates the features all the time by more than `separation` [m]: the cheapest
/// certificate.
#[inline(always)]
pub(super) fn are_apart_on_an_axis<const N: usize>(differences: &Differences<N>, separation: f64) -> bool {
    for axis in 0..3 {
        let [start, end] = [&differences[0][axis], &differences[1][axis]];
        let (mut low, mut high) = (start[0], start[0]);
        for pair in 0..N {
            for value in [start[pair], end[pair]] {
                low = if value < low { value } else { low };
                high = if value > high { value } else { high };
            }
        }
        // The sign of a difference is exact, its value is rounded.
        let slack = COORDINATE_ROUNDING * (high - low + separation);
        let least = if separation > 0.0 { separation + slack } else { 0.0 };
        if low > least || -high > least {
            return true;
        }
    }
    false
}

/// Relative paths of two features with N pairs of points, scaled.
pub(super) struct Paths<const N: usize> {
    pub(super) differences: Differences<N>,
    /// Two edges of the features that span the plane of coplanarity; scaled.
    pub(super) edges: [Moving; 2],
    pub(super) extent: f64,
    /// One over the power of two that lengths were divided by.
    pub(super) scale: f64,
}

impl<const N: usize> Paths<N> {
    /// Scales the differences by the power of two that brings their extent to [1, 2); `edges` likewise.
    #[inline(always)]
    pub(super) fn new(differences: &Differences<N>, edges: &[Moving; 2]) -> Self {
        let mut extent = 0.0;
        let mut poison = 0.0;
        for row in differences.iter().flatten() {
            for &value in row {
                extent = if value.abs() > extent { value.abs() } else { extent };
                poison += 0.0 * value;
            }
        }
        let exponent = (((extent.to_bits() >> 52) & 0x7ff) as i64 - 1023).clamp(EXPONENTS[0], EXPONENTS[1]);
        let scale = f64::from_bits(((1023 - exponent) as u64) << 52);
        let mut paths =
            Self { differences: *differences, edges: *edges, extent: extent * scale + poison, scale };
        for value in paths.differences.iter_mut().flatten().flatten() {
            *value *= scale;
        }
        for value in paths.edges.iter_mut().flatten().flatten() {
            *value *= scale;
        }
        paths
    }

    /// Whether every difference is finite.
    #[inline(always)]
    pub(super) fn is_finite(&self) -> bool {
        self.extent.is_finite()
    }

    /// The differences at a time.
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> [[f64; 3]; N] {
        let mut points = [[0.0; 3]; N];
        for axis in 0..3 {
            for pair in 0..N {
                let (start, end) = (self.differences[0][axis][pair], self.differences[1][axis][pair]);
                points[pair][axis] = (1.0 - time) * start + time * end;
            }
        }
        points
    }

    /// Until when the plane across `normal` separates the features by more than `separation` (scaled); `from` where it
    /// does not do so at that time. Proved for all times between.
    #[inline(always)]
    pub(super) fn separated_until(&self, normal: &[f64; 3], from: f64, separation: f64) -> f64 {
        let rounding = PLANE_ROUNDING * norm_l1(normal) * self.extent;
        let least = rounding + separation * norm(normal) * (1.0 + 8.0 * ROUNDING);
        // Aim where the lowest height is twice its rounding, so that the check below holds.
        let aim = least + rounding;
        let (starts, ends) = (self.heights(normal, 0), self.heights(normal, 1));
        let mut until = 1.0;
        let mut holds = true;
        for pair in 0..N {
            let (start, end) = (starts[pair], ends[pair]);
            holds &= start + from * (end - start) > least;
            if !(end > least) {
                let time = (start - aim) / (start - end);
                until = if time >= until { until } else { time };
            }
        }
        for pair in 0..N {
            let (start, end) = (starts[pair], ends[pair]);
            holds &= until >= 1.0 || start + until * (end - start) > least;
        }
        if holds && until > from { until } else { from }
    }

    /// As [`Paths::separated_until`] with a plane that turns with the side between two of the differences, about the
    /// axis across it and the difference `gap` at the time `from`.
    ///
    /// The normal w(t) = axis × side(t) is linear in time, the heights w(t)·rᵢ(t) are quadratic.
    #[inline(always)]
    pub(super) fn separated_by_side_until(
        &self,
        side: [usize; 2],
        gap: &[f64; 3],
        [from, beyond]: [f64; 2],
        separation: f64,
    ) -> f64 {
        // Over the time from `from` on, so that the normal is known well where it is to be judged.
        let places = [self.at(from), self.at(1.0)];
        let sides = [difference(&places[0], side), difference(&places[1], side)];
        let axis = cross(&sides[0], gap);
        let greatest = axis[0].abs().max(axis[1].abs()).max(axis[2].abs());
        let axis = [axis[0] / greatest, axis[1] / greatest, axis[2] / greatest];
        let normals = [cross(&sides[0], &axis), cross(&sides[1], &axis)];
        let sign = if dot(&normals[0], gap) < 0.0 { -1.0 } else { 1.0 };
        let rounding =
            TURNING_ROUNDING * norm_l1(&normals[0]).max(norm_l1(&normals[1])) * (self.extent + separation)
                + f64::MIN_POSITIVE;
        // |w(t)| is at most the interpolation of its lengths at the ends.
        let [first, last] = [separation * longer(&normals[0]), separation * longer(&normals[1])];
        let (mut share, mut until): (f64, f64) = (1.0, 1.0);
        for pair in 0..N {
            let [here, there] = [&places[0][pair], &places[1][pair]];
            let mixed = dot(&normals[0], there) + dot(&normals[1], here);
            let coefficients = [
                sign * dot(&normals[0], here) - first,
                0.5 * (sign * mixed - (first + last)),
                sign * dot(&normals[1], there) - last,
            ];
            let free = above_until(&coefficients, rounding, 0.0);
            share = if free >= share { share } else { free };
            // Rounded down: a moment of the whole may be much of a short rest.
            until = if share < 1.0 { from + (1.0 - from) * share - TIME_ROUNDING } else { 1.0 };
            if !(until > beyond) {
                return from;
            }
        }
        until
    }

    /// Scalar products of the differences at the start or at the end with a vector.
    #[inline(always)]
    fn heights(&self, normal: &[f64; 3], time: usize) -> [f64; N] {
        let rows = &self.differences[time];
        let mut heights = [0.0; N];
        for pair in 0..N {
            heights[pair] = normal[0] * rows[0][pair] + normal[1] * rows[1][pair] + normal[2] * rows[2][pair];
        }
        heights
    }
}

#[inline(always)]
fn difference<const N: usize>(places: &[[f64; 3]; N], [from, to]: [usize; 2]) -> [f64; 3] {
    let mut difference = [0.0; 3];
    for axis in 0..3 {
        difference[axis] = places[to][axis] - places[from][axis];
    }
    difference
}

#[inline(always)]
fn norm_l1(v: &[f64; 3]) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

/// A number at least the length of a vector and hardly more, free of underflow.
#[inline(always)]
pub(super) fn longer(v: &[f64; 3]) -> f64 {
    let greatest = v[0].abs().max(v[1].abs()).max(v[2].abs());
    let [x, y, z] = [v[0] / greatest, v[1] / greatest, v[2] / greatest];
    if greatest > 0.0 { greatest * norm(&[x, y, z]) * (1.0 + 16.0 * ROUNDING) } else { 0.0 }
}

#[inline(always)]
fn norm(v: &[f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

#[inline(always)]
pub(super) fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
