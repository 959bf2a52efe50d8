//! Initial simplex of a hull: the affine dimension of a point set, decided exactly.

use super::exact::ExactPoints;

/// Points of a set whose hull has the affine dimension of the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InitialSimplex {
    /// All points coincide.
    Point(u32),
    /// All are collinear, between these two.
    Segment([u32; 2]),
    /// All are coplanar with these three.
    Plane([u32; 3]),
    /// A tetrahedron: the fourth is above the plane of the others.
    Space([u32; 4]),
}

impl InitialSimplex {
    /// Initial simplex of at least one point. Its corners are far apart, so that many points are inside it from the start.
    pub(super) fn of(points: &ExactPoints) -> Self {
        let [first, last] = ends(points);
        if points.scaled(first) == points.scaled(last) {
            return Self::Point(first);
        }
        let (origin, along) = (points.scaled(first), points.scaled(last) - points.scaled(first));
        let area = |index: u32| along.cross(&(points.scaled(index) - origin)).norm_squared();
        let bends = |index: &u32| !points.are_collinear([first, last, *index]);
        let farthest = max(points, area);
        // The rounded areas only propose a point; if the farthest one is collinear, exactly, any other may not be.
        let Some(third) = Some(farthest).filter(bends).or_else(|| (0..points.len() as u32).find(bends))
        else {
            return Self::Segment([first, last]);
        };
        let triangle = [first, last, third];
        let fourth = max(points, |index| points.height(triangle, index).abs());
        match points.height(triangle, fourth) {
            height if height > 0.0 => Self::Space([first, last, third, fourth]),
            height if height < 0.0 => Self::Space([last, first, third, fourth]),
            _ => Self::Plane(triangle),
        }
    }
}

/// First and last point in lexicographic order: the ends of collinear points.
fn ends(points: &ExactPoints) -> [u32; 2] {
    let key = |index: u32| <[f64; 3]>::from(points.scaled(index));
    let (mut first, mut last) = (0, 0);
    for index in 1..points.len() as u32 {
        first = if key(index) < key(first) { index } else { first };
        last = if key(index) > key(last) { index } else { last };
    }
    [first, last]
}

/// The first point of maximum measure.
fn max(points: &ExactPoints, measure: impl Fn(u32) -> f64) -> u32 {
    let mut best = (f64::NEG_INFINITY, 0);
    for index in 0..points.len() as u32 {
        let value = measure(index);
        if value > best.0 {
            best = (value, index);
        }
    }
    best.1
}
