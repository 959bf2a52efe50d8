//! Translational configuration-space obstacle of a convex pair, by its support function.

use nalgebra::{Isometry3, Vector3};

use crate::geometry::convex::extreme::START_ANYWHERE;
use crate::geometry::convex::shape::ConvexShape;
use crate::penetration::convex::difference::Difference;

/// Rounding of a support value relative to the radii, which the noise of the cores does not include.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// N = B − A, frame of A: A moved by t meets B if and only if t is in N. (The paper's set is −N, and moves B.)
///
/// The shapes are taken whole, cores and radii, as the paper takes them.
pub(super) struct Obstacle<'a> {
    cores: Difference<'a>,
    radii: [f64; 2],
    /// A support value closer to zero than this [m] is a touching contact; it does not prove a distance.
    rounding: f64,
    /// Vertices of the last support, at which the next search starts.
    last: [u32; 2],
    /// Support evaluations.
    pub(super) supports: u32,
}

/// A point of N extreme in a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extreme {
    /// Unit direction, frame of A.
    pub(super) direction: Vector3<f64>,
    /// The point b − a [m], frame of A.
    pub(super) point: Vector3<f64>,
    /// Its component along `direction` [m]: the distance that A moves along it until it is free.
    pub(super) value: f64,
    /// The points of the cores [m], each in its own frame.
    on_cores: [Vector3<f64>; 2],
}

/// Reasons that no ray from the origin is followed.
#[derive(Debug)]
pub(super) enum NotInside {
    /// The origin is outside of N.
    Apart,
    /// A plane through the origin supports N.
    Touching(Box<Extreme>),
    /// Undecided.
    Unknown,
}

impl<'a> Obstacle<'a> {
    pub(super) fn new(a: &'a ConvexShape, b: &'a ConvexShape, b_to_a: &Isometry3<f64>) -> Self {
        let cores = Difference::new(a, b, b_to_a);
        let rounding = cores.noise() + ROUNDING * (a.radius() + b.radius());
        Self { cores, radii: [a.radius(), b.radius()], rounding, last: [START_ANYWHERE; 2], supports: 0 }
    }

    /// The extreme point in a unit direction, frame of A.
    pub(super) fn extreme(&mut self, direction: &Vector3<f64>) -> Extreme {
        let vertex = self.cores.support(&-direction, self.last);
        self.last = vertex.vertices;
        self.supports += 1;
        let [a, b] = self.radii;
        let point = (a + b) * direction - vertex.point;
        Extreme {
            direction: *direction,
            point,
            value: point.dot(direction),
            on_cores: [vertex.on_a, vertex.on_b],
        }
    }

    /// The points a [m], frame of A, and b [m], frame of B, whose difference is an extreme point.
    pub(super) fn witnesses(&self, extreme: &Extreme) -> [Vector3<f64>; 2] {
        let ([on_a, on_b], [a, b]) = (extreme.on_cores, self.radii);
        [on_a - a * extreme.direction, on_b + b * self.cores.rotation.tr_mul(&extreme.direction)]
    }

    /// The extreme point in a direction of any length, if it does not show that the origin is not inside.
    pub(super) fn extreme_inside(&mut self, direction: &Vector3<f64>) -> Result<Extreme, NotInside> {
        let unit = direction.try_normalize(0.0).ok_or(NotInside::Unknown)?;
        let extreme = self.extreme(&unit);
        if extreme.value < -self.rounding {
            Err(NotInside::Apart)
        } else if extreme.value <= self.rounding {
            Err(NotInside::Touching(Box::new(extreme)))
        } else {
            Ok(extreme)
        }
    }
}
