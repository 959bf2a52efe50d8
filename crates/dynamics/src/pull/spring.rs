//! The spring of a pull.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Rate ω of the spring [1/s]: the stretch has settled to a tenth after a quarter of a second. Half of it takes twice as
/// long and doubles the lag behind a moving target.
pub(crate) const RATE: f64 = 15.0;
/// Rate at which the rotation of a free body about its grip is damped [1/s]: much less and it swings for long, much more
/// and it sinks slowly to its hanging position.
pub(crate) const ROTATION_RATE: f64 = RATE;
/// Bound on the force on rigid bodies and robots, see the module's documentation: enough to pull a body out of a pile, too
/// little to press it through an obstacle.
pub(crate) const LIMIT: f64 = 20.0;
/// The same for soft bodies, which are held by few of their elements.
pub(crate) const SOFT_LIMIT: f64 = 4.0;

/// A spring from a body to a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pull {
    /// Name of the body: a dynamic one, a link of a robot (`robot/link`), or a soft one.
    pub body: String,
    /// Point or node at which it is held.
    pub grip: Grip,
    /// Target of that point [m, world].
    pub target: Point3<f64>,
}

/// Point or node at which a pulled body is held.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Grip {
    /// A point of a rigid body [m, body frame]; it need not be inside.
    Point(Point3<f64>),
    /// A node of a soft body, an index in [`World::soft_positions`](crate::World::soft_positions), with the nodes of the elements around it.
    Node(usize),
}

/// Change of velocity [m/s] of a point that is stretched by `stretch` [m] and moves with `velocity` [m/s], in a step of
/// `h` [s].
pub(crate) fn change_of_velocity(stretch: &Vector3<f64>, velocity: &Vector3<f64>, h: f64) -> Vector3<f64> {
    let settled = (1.0 + RATE * h).powi(2);
    (velocity + h * RATE * RATE * stretch) / settled - velocity
}

/// Maximum acceleration [m/s²] under a `limit` for a body of a radius [m].
pub(crate) fn max_acceleration(limit: f64, gravity: &Vector3<f64>, radius: f64) -> f64 {
    limit * gravity.norm().max(RATE * RATE * radius)
}
