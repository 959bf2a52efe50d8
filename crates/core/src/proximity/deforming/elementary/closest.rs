//! Closest points of two features at one time: the point of the convex hull of their differences (the Minkowski difference)
//! that is nearest to the origin.
//!
//! Nothing is proved here: the direction is a candidate for the normal of a separating plane, which is verified, and the
//! distance is attained by two points of the features, so that it is never too small by more than rounding.

use nalgebra::Point3;

use super::paths::{Differences, Moving, cross, dot};

/// Maximum squared ratio of the attained distance to that along the normal for which the foot point is accepted without
/// testing the sides. A smaller one only tests the sides more often, a larger one accepts noisier normals of nearly parallel
/// edges, which the certificates then reject.
const SHARP: f64 = 1.1;

/// Closest points of two features.
#[derive(Debug, Clone, Copy)]
pub(super) struct Closest {
    /// Direction across the gap, from the second feature to the first; not normalized.
    pub(super) direction: [f64; 3],
    pub(super) distance: f64,
    pub(super) parameters: [f64; 2],
    /// Indices of the differences at the ends of the side in whose interior the closest point lies, if any.
    pub(super) side: Option<[usize; 2]>,
}

/// Pair of kinds of features whose Minkowski difference is the convex hull of N points.
pub(super) trait FeaturePair<const N: usize> {
    /// Positions of the corners of the first feature relative to those of the second one.
    fn differences(points: [&[Point3<f64>; 4]; 2]) -> Differences<N>;
    /// Two edges whose cross product is the normal in the determinant of coplanarity.
    fn edges(points: [&[Point3<f64>; 4]; 2]) -> [Moving; 2];
    /// Closest points at a time at which the differences are `points` and the edges `edges`.
    fn closest(points: &[[f64; 3]; N], edges: &[[f64; 3]; 2]) -> Closest;
    /// Index of the difference that completes the two edges to the determinant of coplanarity.
    const ORIGIN: usize = 0;
}

/// Vertex and triangle: the differences form a triangle.
pub(super) struct VertexFace;

/// Two edges: the differences form a parallelogram.
pub(super) struct EdgeEdge;

impl FeaturePair<3> for VertexFace {
    /// Position of the vertex relative to each corner.
    #[inline(always)]
    fn differences(points: [&[Point3<f64>; 4]; 2]) -> Differences<3> {
        let mut differences = [[[0.0; 3]; 3]; 2];
        for time in 0..2 {
            for axis in 0..3 {
                for corner in 0..3 {
                    differences[time][axis][corner] = points[time][0][axis] - points[time][1 + corner][axis];
                }
            }
        }
        differences
    }

    #[inline(always)]
    fn edges(points: [&[Point3<f64>; 4]; 2]) -> [Moving; 2] {
        [moving(points, [1, 2]), moving(points, [1, 3])]
    }

    #[inline(always)]
    fn closest(points: &[[f64; 3]; 3], edges: &[[f64; 3]; 2]) -> Closest {
        let normal = cross(&edges[0], &edges[1]);
        let squared = dot(&normal, &normal);
        // Barycentric weights of the foot of the perpendicular, times the square of the normal.
        let second = dot(&cross(&points[2], &points[0]), &normal);
        let third = dot(&cross(&points[0], &points[1]), &normal);
        let first = dot(&cross(&points[1], &points[2]), &normal);
        let mut inner = None;
        if first >= 0.0 && second >= 0.0 && third >= 0.0 && squared > 0.0 {
            // The weights add up to the square but for their rounding; so divided they are inside the triangle.
            let sum = first + second + third;
            let parameters = [second / sum, third / sum];
            let attained = combination(&points[0], &edges[0], -parameters[0], &edges[1], -parameters[1]);
            let foot = across(&normal, squared, &points[0], &attained, parameters);
            if foot.is_sharp {
                return foot.closest;
            }
            inner = Some(foot.closest);
        }
        // The sides of the triangle of differences are the sides of the face, seen from the vertex.
        let sides = [
            on_side(points, [0, 1], [[0.0, 0.0], [1.0, 0.0]]),
            on_side(points, [0, 2], [[0.0, 0.0], [0.0, 1.0]]),
            on_side(points, [1, 2], [[1.0, 0.0], [0.0, 1.0]]),
        ];
        nearest(&sides, inner)
    }
}

impl FeaturePair<4> for EdgeEdge {
    /// Position of end i of the first edge relative to end j of the second one, at index 2i + j.
    #[inline(always)]
    fn differences(points: [&[Point3<f64>; 4]; 2]) -> Differences<4> {
        let mut differences = [[[0.0; 4]; 3]; 2];
        for time in 0..2 {
            for axis in 0..3 {
                for pair in 0..4 {
                    let [from, to] = [points[time][2 + pair % 2], points[time][pair / 2]];
                    differences[time][axis][pair] = to[axis] - from[axis];
                }
            }
        }
        differences
    }

    #[inline(always)]
    fn edges(points: [&[Point3<f64>; 4]; 2]) -> [Moving; 2] {
        [moving(points, [0, 1]), moving(points, [2, 3])]
    }

    #[inline(always)]
    fn closest(points: &[[f64; 3]; 4], edges: &[[f64; 3]; 2]) -> Closest {
        let normal = cross(&edges[0], &edges[1]);
        let squared = dot(&normal, &normal);
        let along_first = -dot(&cross(&points[0], &edges[1]), &normal);
        let along_second = -dot(&cross(&points[0], &edges[0]), &normal);
        // Compared before the division by the square, which may be zero for parallel edges.
        let inside = |value: f64| value >= 0.0 && value <= squared;
        let mut inner = None;
        if inside(along_first) && inside(along_second) && squared > 0.0 {
            let parameters = [along_first / squared, along_second / squared];
            let attained = combination(&points[0], &edges[0], parameters[0], &edges[1], -parameters[1]);
            let foot = across(&normal, squared, &points[0], &attained, parameters);
            if foot.is_sharp {
                return foot.closest;
            }
            inner = Some(foot.closest);
        }
        let sides = [
            // One edge against an end of the other one.
            on_side(points, [0, 2], [[0.0, 0.0], [1.0, 0.0]]),
            on_side(points, [1, 3], [[0.0, 1.0], [1.0, 1.0]]),
            on_side(points, [0, 1], [[0.0, 0.0], [0.0, 1.0]]),
            on_side(points, [2, 3], [[1.0, 0.0], [1.0, 1.0]]),
        ];
        nearest(&sides, inner)
    }
}

/// Vector from one point to another at both times.
#[inline(always)]
fn moving(points: [&[Point3<f64>; 4]; 2], [from, to]: [usize; 2]) -> Moving {
    let mut moving = [[0.0; 3]; 2];
    for time in 0..2 {
        for axis in 0..3 {
            moving[time][axis] = points[time][to][axis] - points[time][from][axis];
        }
    }
    moving
}

/// Foot point of a perpendicular, and whether it is proved to be the closest point in spite of rounding.
struct Foot {
    closest: Closest,
    is_sharp: bool,
}

/// Foot point inside the feature: the gap is along the normal, whose direction is known far more precisely than the gap.
///
/// Where the edges are nearly parallel the normal is dominated by rounding, and the `attained` distance is not that along it.
#[inline(always)]
fn across(
    normal: &[f64; 3],
    squared: f64,
    point: &[f64; 3],
    attained: &[f64; 3],
    parameters: [f64; 2],
) -> Foot {
    let height = dot(normal, point);
    let sign = if height < 0.0 { -1.0 } else { 1.0 };
    let direction = [sign * normal[0], sign * normal[1], sign * normal[2]];
    let distance_squared = dot(attained, attained);
    let is_sharp = distance_squared * squared <= SHARP * height * height;
    Foot {
        closest: Closest { direction, distance: distance_squared.sqrt(), parameters, side: None },
        is_sharp,
    }
}

/// point + s · first + t · second.
#[inline(always)]
fn combination(point: &[f64; 3], first: &[f64; 3], s: f64, second: &[f64; 3], t: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for axis in 0..3 {
        sum[axis] = point[axis] + s * first[axis] + t * second[axis];
    }
    sum
}

/// Point of a side that is nearest to the origin, with its squared distance; `corners` are the parameters at its ends.
#[inline(always)]
fn on_side<const N: usize>(
    points: &[[f64; 3]; N],
    side: [usize; 2],
    corners: [[f64; 2]; 2],
) -> (f64, Closest) {
    let (from, to) = (&points[side[0]], &points[side[1]]);
    let along = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let (reach, length) = (-dot(from, &along), dot(&along, &along));
    // A side without length is its first end.
    let fraction = if reach <= 0.0 || !(length > 0.0) {
        0.0
    } else if reach >= length {
        1.0
    } else {
        reach / length
    };
    let mut direction = [0.0; 3];
    for axis in 0..3 {
        direction[axis] = (1.0 - fraction) * from[axis] + fraction * to[axis];
    }
    let mut parameters = [0.0; 2];
    for k in 0..2 {
        parameters[k] = (1.0 - fraction) * corners[0][k] + fraction * corners[1][k];
    }
    let squared = dot(&direction, &direction);
    // At an end the closest point is a corner, which belongs to several sides.
    let is_inside = fraction > 0.0 && fraction < 1.0;
    let side = is_inside.then_some(side);
    (squared, Closest { direction, distance: squared.sqrt(), parameters, side })
}

/// Nearest of the sides, unless the inner point is nearer.
#[inline(always)]
fn nearest<const N: usize>(sides: &[(f64, Closest); N], inner: Option<Closest>) -> Closest {
    let mut best = sides[0];
    for side in &sides[1..] {
        if side.0 < best.0 {
            best = *side;
        }
    }
    match inner {
        Some(inner) if inner.distance < best.1.distance => inner,
        _ => best.1,
    }
}
