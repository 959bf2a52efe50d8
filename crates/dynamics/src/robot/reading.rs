//! Values of sensors.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};

/// Forces within a joint in a step [N·m or N], along its coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JointEfforts {
    /// That of the motor.
    pub motor: f64,
    /// Coulomb friction, damping, and the spring of the joint.
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
    /// Velocities of a frame, in its own axes.
    Velocimeter {
        /// Velocity of its origin [m/s, axes of the sensor].
        linear_velocity: Vector3<f64>,
        /// Angular velocity [rad/s, axes of the sensor].
        angular_velocity: Vector3<f64>,
    },
    /// Force and torque that the joint of a link, also a fixed one, transmits to it from its parent, the mean over the step.
    ForceTorque {
        /// Force on the link [N, axes of the sensor in the middle of the step]: at rest that which bears its weight.
        force: Vector3<f64>,
        /// Torque on it about the sensor [N·m, axes of the sensor in the middle of the step].
        torque: Vector3<f64>,
    },
    /// Of a link with all that it carries.
    Subtree {
        /// Centre of mass [m, world].
        center: Point3<f64>,
        /// Velocity of the centre of mass [m/s, world].
        linear_velocity: Vector3<f64>,
        /// Angular momentum about the centre of mass, without those of rotors [kg·m²/s, world].
        angular_momentum: Vector3<f64>,
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
