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
//!
//! A surface without an outside is touched from both sides, and its bounds are *double cones*: the directions whose angle with the
//! line along the axis is at most the half angle.

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::{Matrix3, Vector3};

use super::adjacency::Adjacency;
use super::features::CONE;

/// Neighbours of a vertex that bound its normals: fewer bound them less tightly, and the work grows with the cube of the number.
const MAX_NEIGHBOURS: usize = 12;
/// Half angle [rad] of a double cone below which no narrower one is looked for.
const NARROW: f64 = 0.5;
/// Cosine of the angle between two planes through a vertex below which their common directions are computed.
const PARALLEL_PLANES: f64 = 1.0 - 1e-12;
/// Rounding of the test whether a direction is admitted. More only widens cones.
const ROUNDING: f64 = 1e-9;

/// Sides on which a mesh can be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// The outside of a solid.
    Outside,
    /// Both, of a surface without an outside: its cones are double cones.
    Both,
}

/// Directions within an angle of an axis, or of the line along it if it is a double cone; unit vectors in the body frame.
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
    pub(super) fn around(cones: impl Iterator<Item = Self> + Clone, sides: Sides) -> Option<Self> {
        let mut all = cones.clone();
        let first = all.next()?;
        if all.next().is_none() {
            return Some(first);
        }
        // Of double cones, the end of the axis that is nearer to the first one's.
        let oriented = |cone: &Self| match sides {
            Sides::Both if cone.axis.dot(&first.axis) < 0.0 => -cone.axis,
            _ => cone.axis,
        };
        let sum: Vector3<f64> = cones.clone().map(|cone| oriented(&cone)).sum();
        let Some(axis) = sum.try_normalize(ROUNDING) else { return Some(Self::ALL) };
        let beyond = |cone: Self| sides.angle(&axis, &cone.axis) + cone.half_angle;
        let half_angle = cones.map(beyond).fold(0.0, f64::max);
        Some(if half_angle < sides.widest() { Self { axis, half_angle } } else { Self::ALL })
    }

    /// Normals of an edge whose faces extend along these unit vectors, perpendicular to it; the outward ones where the faces
    /// enclose a right angle or more, unless it is a double cone.
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
    pub(super) fn of_vertex(adjacency: &Adjacency, vertex: u32, sides: Sides) -> Option<Self> {
        let position = adjacency.position(vertex);
        let neighbours = adjacency.neighbours(vertex);
        // The first one bounds the side.
        let mut planes = [(Vector3::zeros(), 0.0); MAX_NEIGHBOURS + 1];
        let mut count = 1;
        // Some of many neighbours: fewer constraints admit more directions.
        let stride = neighbours.len().div_ceil(MAX_NEIGHBOURS).max(1);
        for &neighbour in neighbours.iter().step_by(stride) {
            let Some(along) = (adjacency.position(neighbour) - position).try_normalize(0.0) else { continue };
            (planes[count], count) = ((along, CONE), count + 1);
        }
        let planes = &mut planes[..count];
        if sides == Sides::Both {
            return Self::around_line(planes);
        }
        let Some(axis) = adjacency.mean_normal(vertex) else { return Some(Self::ALL) };
        planes[0] = (-axis, 0.0);
        let minimum = min_along(&axis, if adjacency.is_blunt(vertex) { planes } else { &planes[1..] })?;
        Some(Self { axis, half_angle: (minimum.clamp(-1.0, 1.0).acos() + ROUNDING.sqrt()).min(PI) })
    }

    /// Double cone that contains the unit vectors n with n·e ≤ s for all (e, s) but the first, which is overwritten; the narrower
    /// one of that across the plane in which the directions e spread most, and that away from their mean. `None` where there is no
    /// such n.
    fn around_line(planes: &mut [(Vector3<f64>, f64)]) -> Option<Self> {
        let spread: Matrix3<f64> = planes[1..].iter().map(|(e, _)| e * e.transpose()).sum();
        let mean: Vector3<f64> = planes[1..].iter().map(|(e, _)| e).sum();
        let spread = spread.symmetric_eigen();
        let across = spread.eigenvectors.column(spread.eigenvalues.imin()).into_owned();
        let mut narrowest = Self::ALL;
        for axis in [Some(across), (-mean).try_normalize(ROUNDING)].into_iter().flatten() {
            let mut min_on_side = |axis: Vector3<f64>| {
                planes[0] = (-axis, 0.0);
                min_along(&axis, planes)
            };
            let minimum = match (min_on_side(axis), min_on_side(-axis)) {
                (Some(one), Some(other)) => f64::min(one, other),
                (one, other) => one.or(other)?,
            };
            let half_angle = minimum.clamp(-1.0, 1.0).acos() + ROUNDING.sqrt();
            if half_angle < FRAC_PI_2 && half_angle < narrowest.half_angle {
                narrowest = Self { axis, half_angle };
            }
            if half_angle < NARROW {
                break;
            }
        }
        Some(narrowest)
    }
}

impl Sides {
    /// Angle [rad] between two unit vectors, or between the lines along them.
    fn angle(self, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
        match self {
            Self::Outside => a.angle(b),
            Self::Both => a.angle(b).min(a.angle(&-b)),
        }
    }

    /// Half angle [rad] from which on a cone contains all directions.
    fn widest(self) -> f64 {
        match self {
            Self::Outside => PI,
            Self::Both => FRAC_PI_2,
        }
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
