//! Relative paths of the points of two features, and planes that separate them over an interval of time.
//!
//! A common translation of both features and the distance from the origin must not affect the accuracy: only differences
//! enter, each rounded once. They are scaled by a power of two, which is exact.
//!
//! | here        | meaning                                                                              |
//! |-------------|--------------------------------------------------------------------------------------|
//! | r₀ … r_N₋₁  | differences of the points of both features; their convex hull is that of all differences |
//! | `extent`    | maximum coordinate of any rᵢ at the start or at the end, after scaling in [1, 2)       |

use super::bernstein::above_until;

/// Unit roundoff of `f64`.
pub(super) const ROUNDING: f64 = f64::EPSILON / 2.0;
/// Rounding of a distance to a plane in units of roundoff, extent and the normal's 1-norm: a difference (1), a scalar
/// product (3) and an interpolation (4) make 8; doubled.
const PLANE_ROUNDING: f64 = 16.0 * ROUNDING;
/// Rounding of a distance to a rotating plane, in the same units: a difference (1), its value at a time (4), a scalar
/// product (3), the mean of two (1), and the windows of [`above_until`] (50); doubled.
const ROTATING_PLANE_ROUNDING: f64 = 128.0 * ROUNDING;
/// Rounding of a time in the rest of the step: a sum and a product; doubled.
const TIME_ROUNDING: f64 = 4.0 * ROUNDING;
/// Rounding of a coordinate of a difference and of its comparison with a separation, in units of roundoff and extent:
/// 2; doubled.
const COORDINATE_ROUNDING: f64 = 4.0 * ROUNDING;
/// Range of exponents for which the scale and its reciprocal are normal numbers.
const EXPONENTS: [i64; 2] = [-1000, 1000];

/// Vector at the start and at the end.
pub(super) type Moving = [[f64; 3]; 2];

/// Differences of N pairs of points, `[start or end][axis][pair]`.
pub(super) type Differences<const N: usize> = [[[f64; N]; 3]; 2];

/// Whether a coordinate axis separates the features by more than `separation` [m] throughout the step: the cheapest
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
        let min = if separation > 0.0 { separation + slack } else { 0.0 };
        if low > min || -high > min {
            return true;
        }
    }
    false
}

/// Relative paths of two features with N pairs of points, scaled.
pub(super) struct Paths<const N: usize> {
    pub(super) differences: Differences<N>,
    /// Two edges of the features whose cross product is the normal in the determinant of coplanarity; scaled.
    pub(super) edges: [Moving; 2],
    /// Maximum magnitude of a coordinate of the scaled differences; NaN if one of them is not finite.
    pub(super) extent: f64,
    /// Power of two by which lengths were multiplied.
    pub(super) scale: f64,
}

impl<const N: usize> Paths<N> {
    /// Scales the differences and `edges` by the power of two that brings the extent of the former to [1, 2).
    #[inline(always)]
    pub(super) fn new(differences: &Differences<N>, edges: &[Moving; 2]) -> Self {
        let mut extent = 0.0;
        let mut poison = 0.0;
        for row in differences.iter().flatten() {
            for &value in row {
                extent = if value.abs() > extent { value.abs() } else { extent };
                // Comparisons ignore NaN; zero times a number that is not finite does not.
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

    /// Differences at a time.
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

    /// Time up to which the plane perpendicular to `normal` is proved to separate the features by more than `separation`
    /// (scaled), at all times from `from` on; `from` if it does not separate them then.
    #[inline(always)]
    pub(super) fn separated_until(&self, normal: &[f64; 3], from: f64, separation: f64) -> f64 {
        let rounding = PLANE_ROUNDING * norm_l1(normal) * self.extent;
        let min = rounding + separation * norm(normal) * (1.0 + 8.0 * ROUNDING);
        // Aim at the time at which the lowest height is twice its rounding, so that the check below holds.
        let aim = min + rounding;
        let (starts, ends) = (self.heights(normal, 0), self.heights(normal, 1));
        let mut until = 1.0;
        let mut holds = true;
        for pair in 0..N {
            let (start, end) = (starts[pair], ends[pair]);
            holds &= start + from * (end - start) > min;
            if !(end > min) {
                let time = (start - aim) / (start - end);
                until = if time >= until { until } else { time };
            }
        }
        // Heights are linear in time: above the minimum at both times, they are above it in between.
        for pair in 0..N {
            let (start, end) = (starts[pair], ends[pair]);
            holds &= until >= 1.0 || start + until * (end - start) > min;
        }
        if holds && until > from { until } else { from }
    }

    /// As [`Paths::separated_until`] with a plane that rotates with the side between two of the differences, about the
    /// axis perpendicular to it and to the difference `gap` at the time `from`.
    ///
    /// The normal w(t) = side(t) × axis is linear in time, the heights w(t)·rᵢ(t) are quadratic.
    #[inline(always)]
    pub(super) fn separated_by_side_until(
        &self,
        side: [usize; 2],
        gap: &[f64; 3],
        [from, beyond]: [f64; 2],
        separation: f64,
    ) -> f64 {
        // Over the interval from `from` to 1, so that the normal is precise where it has to separate.
        let points = [self.at(from), self.at(1.0)];
        let sides = [difference(&points[0], side), difference(&points[1], side)];
        let axis = cross(&sides[0], gap);
        let max = axis[0].abs().max(axis[1].abs()).max(axis[2].abs());
        let axis = [axis[0] / max, axis[1] / max, axis[2] / max];
        let normals = [cross(&sides[0], &axis), cross(&sides[1], &axis)];
        let sign = if dot(&normals[0], gap) < 0.0 { -1.0 } else { 1.0 };
        let rounding = ROTATING_PLANE_ROUNDING
            * norm_l1(&normals[0]).max(norm_l1(&normals[1]))
            * (self.extent + separation)
            + f64::MIN_POSITIVE;
        // |w(t)| is at most the interpolation of its lengths at the ends.
        let [first, last] = [separation * longer(&normals[0]), separation * longer(&normals[1])];
        let (mut fraction, mut until): (f64, f64) = (1.0, 1.0);
        for pair in 0..N {
            let [here, there] = [&points[0][pair], &points[1][pair]];
            let mixed = dot(&normals[0], there) + dot(&normals[1], here);
            let coefficients = [
                sign * dot(&normals[0], here) - first,
                0.5 * (sign * mixed - (first + last)),
                sign * dot(&normals[1], there) - last,
            ];
            let free = above_until(&coefficients, rounding, 0.0);
            fraction = if free >= fraction { fraction } else { free };
            // Rounded down: the roundoff of a time may be a large fraction of a short remaining interval.
            until = if fraction < 1.0 { from + (1.0 - from) * fraction - TIME_ROUNDING } else { 1.0 };
            // Not better than the other certificates: the remaining differences need not be tested.
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
fn difference<const N: usize>(points: &[[f64; 3]; N], [from, to]: [usize; 2]) -> [f64; 3] {
    let mut difference = [0.0; 3];
    for axis in 0..3 {
        difference[axis] = points[to][axis] - points[from][axis];
    }
    difference
}

#[inline(always)]
fn norm_l1(v: &[f64; 3]) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

/// Tight upper bound of the length of a vector, without underflow.
#[inline(always)]
pub(super) fn longer(v: &[f64; 3]) -> f64 {
    let max = v[0].abs().max(v[1].abs()).max(v[2].abs());
    let [x, y, z] = [v[0] / max, v[1] / max, v[2] / max];
    if max > 0.0 { max * norm(&[x, y, z]) * (1.0 + 16.0 * ROUNDING) } else { 0.0 }
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
