//! Sensors of robots.

use nalgebra::Isometry3;

/// A sensor of a robot, which measures in a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// Its name, unique among the sensors of its robot.
    pub name: String,
    /// Its kind.
    pub kind: SensorKind,
}

/// Kind and place of a sensor.
#[derive(Debug, Clone, PartialEq)]
pub enum SensorKind {
    /// Value and speed of a joint, and the forces within it.
    Joint {
        /// Name of the joint.
        joint: String,
    },
    /// Forces of the contacts of a link, and of the links that fixed joints connect with it.
    Contact {
        /// Name of the link.
        link: String,
    },
    /// Specific force and angular velocity, as an inertial measurement unit measures them.
    Imu {
        /// Name of the link that bears it.
        link: String,
        /// Sensor → link.
        frame: Isometry3<f64>,
    },
    /// Pose and velocities of a frame.
    Frame {
        /// Name of the link that bears it.
        link: String,
        /// Frame → link.
        frame: Isometry3<f64>,
    },
    /// Linear and angular velocity of a frame, in its own axes.
    Velocimeter {
        /// Name of the link that bears it.
        link: String,
        /// Frame → link.
        frame: Isometry3<f64>,
    },
    /// Force and torque that the joint of a link, also a fixed one, transmits to it from its parent: of a root, those of what carries it.
    ForceTorque {
        /// Name of the link.
        link: String,
        /// Sensor → link.
        frame: Isometry3<f64>,
    },
    /// Centre of mass and momentum of a link with all links that it carries.
    Subtree {
        /// Name of the link.
        link: String,
    },
}
