//! What can be wrong with a robot.

use thiserror::Error;

use extricate_core::kinematics::ArticulationError;
use extricate_core::kinematics::urdf::InertialError;

/// Why a robot does not fit into a world.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum RobotError {
    /// A list has not one entry for each link, joint or coordinate.
    #[error("it has {given} {what}, where {expected} are needed")]
    Count {
        /// What is counted.
        what: &'static str,
        /// Entries given.
        given: usize,
        /// Entries needed.
        expected: usize,
    },
    /// Its configuration is none.
    #[error(transparent)]
    Articulation(#[from] ArticulationError),
    /// A link has a mass or inertia that no body has.
    #[error("link \"{link}\": {source}")]
    Inertial {
        /// The link.
        link: String,
        /// What is wrong.
        source: InertialError,
    },
    /// A link states no mass, and its mesh encloses no volume to take it from.
    #[error("link \"{link}\" states no mass, and its mesh encloses no volume from which it would follow")]
    NoVolume {
        /// The link.
        link: String,
    },
    /// A link moves and neither it nor any link that it carries has a mass.
    #[error(
        "link \"{link}\" moves and has no mass: neither an <inertial> nor a shape, nor does it carry a link that has one"
    )]
    Massless {
        /// The link.
        link: String,
    },
    /// A number is out of its range.
    #[error("{what}: {quantity} is {value}, but must be {requirement}")]
    OutOfRange {
        /// The joint, or the robot.
        what: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// The start is outside the limits of a joint.
    #[error("joint \"{joint}\" starts at {value}, outside its limits {} to {}", limits[0], limits[1])]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// Where it starts [rad or m].
        value: f64,
        /// Its limits [rad or m].
        limits: [f64; 2],
    },
    /// A link that does not exist is named.
    #[error("there is no link \"{link}\"")]
    UnknownLink {
        /// The name.
        link: String,
    },
    /// A joint follows another one and was given a motor of its own.
    #[error("joint \"{joint}\" follows another joint, and can have no motor of its own")]
    MotorOfMimic {
        /// The joint.
        joint: String,
    },
}

/// Why a motor cannot be set.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum MotorError {
    /// There is no such robot.
    #[error("there is no robot `{robot}`")]
    UnknownRobot {
        /// The name.
        robot: String,
    },
    /// The robot has no such joint that moves of itself.
    #[error("robot `{robot}` has no joint `{joint}` that moves of itself")]
    UnknownJoint {
        /// The robot.
        robot: String,
        /// The name.
        joint: String,
    },
    /// A target is given to a joint without a motor.
    #[error("joint `{joint}` of robot `{robot}` has no motor")]
    NoMotor {
        /// The robot.
        robot: String,
        /// The joint.
        joint: String,
    },
    /// A number of the motor is out of its range.
    #[error(
        "the motor of joint `{joint}` of robot `{robot}`: {quantity} is {value}, but must be {requirement}"
    )]
    OutOfRange {
        /// The robot.
        robot: String,
        /// The joint.
        joint: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
}
