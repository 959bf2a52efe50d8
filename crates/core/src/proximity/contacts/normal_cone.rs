//! Cones of contact normals: bounds of the directions along which a vertex, an edge or a face can touch another body.
//!
//! Two features touch only where a normal of one is opposite to a normal of the other, so that bounds of these normals exclude
//! pairs of features however close they are [JC01].
//!
//! | here   | meaning                                                                                              |
//! |--------|------------------------------------------------------------------------------------------------------|
//! | n      | unit direction from the feature away from its body                                                     |
//! | ê      | unit vector from a vertex to a neighbour; n is admitted where n·ê ≤ [`CONE`] for all of them           |
//! | m      | mean of the normals of the faces at a vertex; of a blunt one n is admitted where n·m ≥ 0               |

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::adjacency::Adjacency;
use super::features::CONE;

/// Neighbours of a vertex that bound its normals: fewer bound them less tightly, and the work grows with the cube of the number.
const MAX_NEIGHBOURS: usize = 12;
/// Cosine of the angle between two planes through a vertex below which their common directions are computed.
const PARALLEL_PLANES: f64 = 1.0 - 1e-12;
/// Rounding of the test whether a direction is admitted. More only widens cones.
const ROUNDING: f64 = 1e-9;

/// Directions within an angle of an axis; unit vectors in the body frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NormalCone {
    pub(super) axis: Vector3<f64>,
    /// Angle between the axis and the boundary [rad]; π for all directions.
    pub(super) half_angle: f64,
}

impl NormalCone {
    /// All directions.
    pub(super) const ALL: Self = Self { axis: Vector3::new(1.0, 0.0, 0.0), half_angle: PI };

    /// A single direction; all of them where it has no length, as the normal of a triangle without area.
    pub(super) fn of_direction(axis: Vector3<f64>) -> Self {
        if axis == Vector3::zeros() { Self::ALL } else { Self { axis, half_angle: 0.0 } }
    }

    /// Smallest cone about the mean axis of some cones that contains them; `None` where there are none.
    pub(super) fn around(cones: impl Iterator<Item = Self> + Clone) -> Option<Self> {
        let sum: Vector3<f64> = cones.clone().map(|cone| cone.axis).sum();
        let mut all = cones.clone();
        let first = all.next()?;
        if all.next().is_none() {
            return Some(first);
        }
        let Some(axis) = sum.try_normalize(ROUNDING) else { return Some(Self::ALL) };
        let half_angle = cones.map(|cone| axis.angle(&cone.axis) + cone.half_angle).fold(0.0, f64::max);
        Some(if half_angle < PI { Self { axis, half_angle } } else { Self::ALL })
    }

    /// Normals of an edge whose faces extend along these unit vectors, perpendicular to it; the outward ones where the faces
    /// enclose a right angle or more.
    pub(super) fn of_edge(sides: &[Vector3<f64>]) -> Self {
        let &[first, second] = sides else { return Self::ALL };
        // Beside a triangle without area.
        if first == Vector3::zeros() || second == Vector3::zeros() {
            return Self::ALL;
        }
        let (sum, difference) = (first + second, first - second);
        let Some(axis) = (-sum).try_normalize(0.0) else { return Self::ALL };
        Self { axis, half_angle: f64::atan2(sum.norm(), difference.norm()) + CONE.asin() + ROUNDING }
    }

    /// Normals of a vertex; `None` where no direction is admitted, as at a saddle.
    ///
    /// The bound is exact for the neighbours that are looked at: n·m is minimum at a point of the admitted region where the
    /// direction is −m, or where one or two of the constraints are active.
    pub(super) fn of_vertex(adjacency: &Adjacency, vertex: u32) -> Option<Self> {
        let position = adjacency.position(vertex);
        let neighbours = adjacency.neighbours(vertex);
        let Some(axis) = adjacency.mean_normal(vertex) else { return Some(Self::ALL) };
        let mut planes = [(Vector3::zeros(), 0.0); MAX_NEIGHBOURS + 1];
        let mut count = 0;
        if adjacency.is_blunt(vertex) {
            (planes[0], count) = ((-axis, 0.0), 1);
        }
        // Some of many neighbours: fewer constraints admit more directions.
        let stride = neighbours.len().div_ceil(MAX_NEIGHBOURS).max(1);
        for &neighbour in neighbours.iter().step_by(stride) {
            let Some(along) = (adjacency.position(neighbour) - position).try_normalize(0.0) else { continue };
            (planes[count], count) = ((along, CONE), count + 1);
        }
        let minimum = min_along(&axis, &planes[..count])?;
        Some(Self { axis, half_angle: (minimum.clamp(-1.0, 1.0).acos() + ROUNDING.sqrt()).min(PI) })
    }
}

/// Minimum of n·m over the unit vectors n with n·e ≤ s for all (e, s); `None` where there is no such n.
fn min_along(axis: &Vector3<f64>, planes: &[(Vector3<f64>, f64)]) -> Option<f64> {
    let admitted = |n: &Vector3<f64>| planes.iter().all(|(e, s)| n.dot(e) <= s + ROUNDING);
    if admitted(&-axis) {
        return Some(-1.0);
    }
    let mut minimum = None;
    let mut add = |n: Vector3<f64>| {
        let along = n.dot(axis);
        if minimum.is_none_or(|minimum| along < minimum) && admitted(&n) {
            minimum = Some(along);
        }
    };
    // The axis itself: a region that no other candidate touches is all directions but small caps, or a point.
    add(*axis);
    for (k, (e, s)) in planes.iter().enumerate() {
        // Where the axis is e, n·m is the same all around.
        let down = (e * e.dot(axis) - axis).try_normalize(ROUNDING);
        let down = down.or_else(|| e.cross(&perpendicular_axis(e)).try_normalize(0.0));
        down.into_iter().for_each(|down| add(e * *s + down * (1.0 - s * s).sqrt()));
        for (f, t) in &planes[..k] {
            let cosine = e.dot(f);
            if cosine.abs() > PARALLEL_PLANES {
                continue;
            }
            let square = 1.0 - cosine * cosine;
            let inside = (e * (s - t * cosine) + f * (t - s * cosine)) / square;
            let left = 1.0 - inside.norm_squared();
            if left >= 0.0 {
                let across = e.cross(f) * (left / square).sqrt();
                add(inside + across);
                add(inside - across);
            }
        }
    }
    minimum
}

/// Coordinate axis that is farthest from being parallel to a vector.
fn perpendicular_axis(vector: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[vector.iamin()] = 1.0;
    axis
}
