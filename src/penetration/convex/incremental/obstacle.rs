//! All translations of A at which it meets B, known by its extreme points.

use nalgebra::{Isometry3, Vector3};

use super::super::difference::Difference;
use crate::geometry::convex::{ConvexShape, START_ANYWHERE};

/// Rounding of a support value as a share of the extreme point: a smaller value is a touch, not a proof of distance.
const ROUNDING: f64 = 1e-15;

/// N = B − A, frame of A: A moved by t meets B if and only if t is in N. (The paper's set is −N, and moves B.)
///
/// The shapes are taken whole, cores and radii, as the paper takes them.
pub(super) struct Obstacle<'a> {
    cores: Difference<'a>,
    radii: [f64; 2],
    /// Where the last support was found, the start of the next search.
    last: [u32; 2],
    /// Supports that were computed.
    pub(super) supports: u32,
}

/// A point of N extreme in a direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extreme {
    /// Unit direction, frame of A.
    pub(super) direction: Vector3<f64>,
    /// The point b − a [m], frame of A.
    pub(super) point: Vector3<f64>,
    /// Its part along `direction` [m]: how far A moves that way until it is free.
    pub(super) value: f64,
    /// a [m], frame of A.
    pub(super) on_a: Vector3<f64>,
    /// b [m], frame of B.
    pub(super) on_b: Vector3<f64>,
}

/// Why no ray from the origin is followed.
#[derive(Debug)]
pub(super) enum NotInside {
    /// The origin is outside of N.
    Apart,
    /// A plane through the origin supports N.
    Touching(Box<Extreme>),
    /// Not known.
    Unknown,
}

impl<'a> Obstacle<'a> {
    pub(super) fn new(a: &'a ConvexShape, b: &'a ConvexShape, b_to_a: &Isometry3<f64>) -> Self {
        Self {
            cores: Difference::new(a.core(), b.core(), b_to_a),
            radii: [a.radius(), b.radius()],
            last: [START_ANYWHERE; 2],
            supports: 0,
        }
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
            on_a: vertex.on_a - a * direction,
            on_b: vertex.on_b + b * self.cores.rotation.tr_mul(direction),
        }
    }

    /// The extreme point in a direction of any length, if it does not show that the origin is not inside.
    pub(super) fn extreme_inside(&mut self, direction: &Vector3<f64>) -> Result<Extreme, NotInside> {
        let unit = direction.try_normalize(0.0).ok_or(NotInside::Unknown)?;
        let extreme = self.extreme(&unit);
        let rounding = ROUNDING * (extreme.point.norm() + extreme.on_a.norm() + self.cores.origin.norm());
        if extreme.value < -rounding {
            Err(NotInside::Apart)
        } else if extreme.value <= rounding {
            Err(NotInside::Touching(Box::new(extreme)))
        } else {
            Ok(extreme)
        }
    }
}
