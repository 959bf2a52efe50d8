//! Values of a sensor as recorded.

use nalgebra::{Isometry3, Vector3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::components::{quaternion, rotation};
use extricate_dynamics::{ContactForce, JointEfforts, Reading};

/// Values of a sensor after a step.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReadingValue {
    /// Of a joint.
    Joint {
        /// Its value [rad or m].
        position: f64,
        /// Its velocity [rad/s or m/s].
        velocity: f64,
        /// Force of the motor in the step [N·m or N].
        motor: f64,
        /// Friction and damping in the step [N·m or N].
        friction: f64,
        /// Force of a limit in the step [N·m or N], positive at the minimum.
        limit: f64,
    },
    /// Of the contacts of a link.
    Contact {
        /// Their force on the link in the step [N, world].
        #[schemars(with = "[f64; 3]")]
        force: Vector3<f64>,
        /// Its moment about the origin of the link [N·m, world].
        #[schemars(with = "[f64; 3]")]
        moment: Vector3<f64>,
        /// Sum of the normal forces [N].
        normal: f64,
    },
    /// Of an inertial measurement unit.
    Imu {
        /// Acceleration less that of free fall, the mean over the step [m/s², axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        specific_force: Vector3<f64>,
        /// Angular velocity [rad/s, axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        angular_velocity: Vector3<f64>,
    },
    /// Of a frame.
    Frame {
        /// Position of its origin [m, world].
        #[schemars(with = "[f64; 3]")]
        position: Vector3<f64>,
        /// Unit quaternion w, x, y, z.
        rotation: [f64; 4],
        /// Velocity of its origin [m/s, world].
        #[schemars(with = "[f64; 3]")]
        linear_velocity: Vector3<f64>,
        /// Angular velocity [rad/s, world].
        #[schemars(with = "[f64; 3]")]
        angular_velocity: Vector3<f64>,
    },
    /// Velocities of a frame in its axes.
    Velocimeter {
        /// Velocity of its origin [m/s, axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        linear_velocity: Vector3<f64>,
        /// Angular velocity [rad/s, axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        angular_velocity: Vector3<f64>,
    },
    /// Force and torque that a link gets from its parent, the mean over the step.
    ForceTorque {
        /// Force on the link [N, axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        force: Vector3<f64>,
        /// Torque on it about the sensor [N·m, axes of the sensor].
        #[schemars(with = "[f64; 3]")]
        torque: Vector3<f64>,
    },
    /// Of a link with all that it carries.
    Subtree {
        /// Centre of mass [m, world].
        #[schemars(with = "[f64; 3]")]
        center: Vector3<f64>,
        /// Velocity of the centre of mass [m/s, world].
        #[schemars(with = "[f64; 3]")]
        linear_velocity: Vector3<f64>,
        /// Angular momentum about the centre of mass [kg·m²/s, world].
        #[schemars(with = "[f64; 3]")]
        angular_momentum: Vector3<f64>,
    },
}

impl From<Reading> for ReadingValue {
    fn from(reading: Reading) -> Self {
        match reading {
            Reading::Joint { position, velocity, efforts: JointEfforts { motor, friction, limit } } => {
                Self::Joint { position, velocity, motor, friction, limit }
            }
            Reading::Contact(ContactForce { force, moment, normal }) => {
                Self::Contact { force, moment, normal }
            }
            Reading::Imu { specific_force, angular_velocity } => {
                Self::Imu { specific_force, angular_velocity }
            }
            Reading::Frame { pose, linear_velocity, angular_velocity } => Self::Frame {
                position: pose.translation.vector,
                rotation: quaternion(&pose.rotation),
                linear_velocity,
                angular_velocity,
            },
            Reading::Velocimeter { linear_velocity, angular_velocity } => {
                Self::Velocimeter { linear_velocity, angular_velocity }
            }
            Reading::ForceTorque { force, torque } => Self::ForceTorque { force, torque },
            Reading::Subtree { center, linear_velocity, angular_momentum } => {
                Self::Subtree { center: center.coords, linear_velocity, angular_momentum }
            }
        }
    }
}

impl From<ReadingValue> for Reading {
    fn from(value: ReadingValue) -> Self {
        match value {
            ReadingValue::Joint { position, velocity, motor, friction, limit } => {
                Self::Joint { position, velocity, efforts: JointEfforts { motor, friction, limit } }
            }
            ReadingValue::Contact { force, moment, normal } => {
                Self::Contact(ContactForce { force, moment, normal })
            }
            ReadingValue::Imu { specific_force, angular_velocity } => {
                Self::Imu { specific_force, angular_velocity }
            }
            ReadingValue::Frame { position, rotation: components, linear_velocity, angular_velocity } => {
                let pose = Isometry3::from_parts(position.into(), rotation(components));
                Self::Frame { pose, linear_velocity, angular_velocity }
            }
            ReadingValue::Velocimeter { linear_velocity, angular_velocity } => {
                Self::Velocimeter { linear_velocity, angular_velocity }
            }
            ReadingValue::ForceTorque { force, torque } => Self::ForceTorque { force, torque },
            ReadingValue::Subtree { center, linear_velocity, angular_momentum } => {
                Self::Subtree { center: center.into(), linear_velocity, angular_momentum }
            }
        }
    }
}
