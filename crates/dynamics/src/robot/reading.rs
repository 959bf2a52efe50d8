//! Values of sensors.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

/// Forces within a joint in a step [N·m or N], along its coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JointEfforts {
    /// That of the motor.
    pub motor: f64,
    /// Coulomb friction and damping.
    pub friction: f64,
    /// That of a limit, positive at the minimum.
    pub limit: f64,
}

/// Values of a sensor after a step. Forces are those of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// Of a joint.
    Joint {
        /// Its value [rad or m].
        position: f64,
        /// Its speed [rad/s or m/s].
        velocity: f64,
        /// Forces within it.
        efforts: JointEfforts,
    },
    /// Of the contacts of a link.
    Contact(ContactForce),
    /// Of an inertial measurement unit.
    Imu {
        /// Acceleration less that of free fall, the mean over the step [m/s², axes of the sensor]: g upwards at rest, zero in free fall.
        specific_force: Vector3<f64>,
        /// Angular velocity at the end of the step [rad/s, axes of the sensor].
        angular_velocity: Vector3<f64>,
    },
    /// Of a frame.
    Frame {
        /// Frame → world.
        pose: Isometry3<f64>,
        /// Velocity of its origin [m/s, world].
        linear_velocity: Vector3<f64>,
        /// Angular velocity [rad/s, world].
        angular_velocity: Vector3<f64>,
    },
}

/// Resultant of the contacts of a link.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactForce {
    /// Force on the link [N, world].
    pub force: Vector3<f64>,
    /// Moment of the forces about the origin of the link [N·m, world].
    pub moment: Vector3<f64>,
    /// Sum of the normal forces of all contacts \[N\].
    pub normal: f64,
}
