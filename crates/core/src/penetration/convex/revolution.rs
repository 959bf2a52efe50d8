//! Solids of revolution with parallel axes: their difference is a solid of revolution, so the problem is plane.
//!
//! The meridian of the difference {a − b} is the sum of the meridian of A and that of B mirrored. Both are convex
//! polygons in the half-plane (ρ, z), ρ ≥ 0; the nearest boundary point is in the half-plane of the origin. A point is a
//! solid of revolution about any axis.

use nalgebra::{Vector2, Vector3};

use super::closed_forms::perpendicular_to;
use super::difference::Difference;
use super::gap::Gap;
use crate::geometry::convex::shape::Core;

/// Half of a meridian: the radii at the top and at the bottom, and the height of the top above the centre [m].
#[derive(Debug, Clone, Copy)]
struct Meridian {
    top: f64,
    bottom: f64,
    half_height: f64,
}

impl Meridian {
    fn of(core: &Core) -> Option<Self> {
        let of = |top: f64, bottom: f64, half_height: f64| Some(Self { top, bottom, half_height });
        match core {
            Core::Point => of(0.0, 0.0, 0.0),
            Core::Segment { half_length } => of(0.0, 0.0, *half_length),
            Core::Cylinder { radius, half_height } => of(*radius, *radius, *half_height),
            Core::Cone { radius, half_height } => of(0.0, *radius, *half_height),
            _ => None,
        }
    }

    /// Mirrored at the plane z = 0.
    fn upside_down(self) -> Self {
        Self { top: self.bottom, bottom: self.top, ..self }
    }

    fn corners(&self) -> [Vector2<f64>; 2] {
        [Vector2::new(self.top, self.half_height), Vector2::new(self.bottom, -self.half_height)]
    }

    /// The outward normal of the side.
    fn side(&self) -> Option<Vector2<f64>> {
        Vector2::new(2.0 * self.half_height, self.bottom - self.top).try_normalize(0.0)
    }
}

/// Sine up to which axes count as parallel: the rounding of a rotation. The closed form ignores the tilt, so the depth
/// is off by this times the size; a smaller value sends upright stacks to the general search. A safeguard, without
/// effect on the sets of docs/sensitivity.md.
const PARALLEL: f64 = 4.0 * f64::EPSILON;

/// The gap of two solids of revolution with parallel axes, frame of A; `None` for other pairs.
pub(super) fn gap(difference: &Difference) -> Option<Gap> {
    let (a, b) = (Meridian::of(difference.a)?, Meridian::of(difference.b)?);
    let axis_b = difference.rotation.column(2).into_owned();
    // The axis in the frame of A; that of a point is free.
    let (axis, b) = match (difference.a, difference.b) {
        (Core::Point, _) => (axis_b, b),
        (_, Core::Point) => (Vector3::z(), b),
        _ if axis_b.xy().norm() > PARALLEL => return None,
        _ => (Vector3::z(), if axis_b.z < 0.0 { b.upside_down() } else { b }),
    };
    let height = difference.origin.dot(&axis);
    let across = difference.origin - axis * height;
    let radial = across.try_normalize(0.0).unwrap_or_else(|| perpendicular_to(&axis));
    let plane = Sum { a, mirrored_b: b.upside_down(), origin: Vector2::new(across.norm(), height) };
    let (value, normal) = plane.max_gap();
    let in_space = |v: &Vector2<f64>| radial * v.x + axis * v.y;
    let on_a = plane.witness_on_a(value, &normal);
    Some(Gap::exact(value, in_space(&normal), in_space(&on_a)))
}

/// The sum of two meridians, and the point whose signed distance is sought, relative to the centre of the sum.
struct Sum {
    a: Meridian,
    mirrored_b: Meridian,
    origin: Vector2<f64>,
}

impl Sum {
    /// The maximum gap n·o − h(n) [m] over unit vectors n, and its n. Inside, n is the normal of a side; outside it may be
    /// the direction from a corner.
    fn max_gap(&self) -> (f64, Vector2<f64>) {
        let (up, out) = (Vector2::y(), Vector2::x());
        let sides = [self.a.side(), self.mirrored_b.side()].into_iter().flatten();
        let normals = [up, -up, out].into_iter().chain(sides);
        let from_corners = self.a.corners().into_iter().flat_map(|corner| {
            let offsets = self.mirrored_b.corners().map(|other| self.origin - corner - other);
            // Corners on the far side of the axis are mirror images and never nearest.
            offsets.into_iter().filter_map(|v| if v.x >= 0.0 { v.try_normalize(0.0) } else { None })
        });
        let mut best = (self.gap(&up), up);
        for normal in normals.chain(from_corners) {
            let gap = self.gap(&normal);
            if gap > best.0 {
                best = (gap, normal);
            }
        }
        best
    }

    fn gap(&self, n: &Vector2<f64>) -> f64 {
        let reach = |meridian: &Meridian| {
            let [top, bottom] = meridian.corners();
            n.dot(&top).max(n.dot(&bottom))
        };
        n.dot(&self.origin) - reach(&self.a) - reach(&self.mirrored_b)
    }

    /// The point of A that corresponds to the foot o − n·gap on the sum.
    fn witness_on_a(&self, gap: f64, n: &Vector2<f64>) -> Vector2<f64> {
        let ([a0, a1], [b0, b1]) = (self.a.extreme(n), self.mirrored_b.extreme(n));
        let (start, side) = (a0 + b0, a1 + b1 - a0 - b0);
        let foot = self.origin - n * gap;
        let length_squared = side.norm_squared();
        let along = if length_squared > 0.0 { (foot - start).dot(&side) / length_squared } else { 0.0 };
        a0 + (a1 - a0) * along.clamp(0.0, 1.0)
    }
}

/// Difference of the heights of two corners along a unit normal, relative to the size, below which both are extreme and
/// so is the side between them. Above rounding; it moves only the witnesses, by no more than the height difference in
/// depth. A safeguard, without effect on the sets of docs/sensitivity.md.
const LEVEL: f64 = 1e-12;

impl Meridian {
    /// The ends of the extreme set of the whole meridian in a direction: a corner twice, or the ends of a side.
    fn extreme(&self, n: &Vector2<f64>) -> [Vector2<f64>; 2] {
        let [top, bottom] = self.corners();
        let level = LEVEL * (self.top + self.bottom + self.half_height);
        let across = |corner: Vector2<f64>| [Vector2::new(-corner.x, corner.y), corner];
        let difference = n.dot(&(top - bottom));
        if n.x.abs() <= LEVEL {
            across(if n.y > 0.0 { top } else { bottom })
        } else if difference.abs() <= level {
            [bottom, top]
        } else if difference > 0.0 {
            [top; 2]
        } else {
            [bottom; 2]
        }
    }
}
