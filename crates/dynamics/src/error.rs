//! What can go wrong when a world is built or stepped.

use thiserror::Error;

use super::soft::SoftError;
use super::soft::contact::ContactError;
use super::{RobotError, SoftBodyError};
use extricate_core::kinematics::urdf::InertialError;

/// Why a body or a joint does not fit into a world.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two bodies have the same name.
    #[error("there are two bodies named `{name}`")]
    DuplicateBody {
        /// The name.
        name: String,
    },
    /// Two joints have the same name.
    #[error("there are two joints named `{name}`")]
    DuplicateJoint {
        /// The name.
        name: String,
    },
    /// Two robots have the same name.
    #[error("there are two robots named `{name}`")]
    DuplicateRobot {
        /// The name.
        name: String,
    },
    /// A robot does not fit into a world.
    #[error("robot `{robot}`: {source}")]
    Robot {
        /// Name of the robot.
        robot: String,
        /// Why not.
        source: RobotError,
    },
    /// A body has a mass and inertia that no body has.
    #[error("`{name}`: {source}")]
    Inertial {
        /// Name of the body.
        name: String,
        /// What is wrong.
        source: InertialError,
    },
    /// A joint names a body that does not exist.
    #[error("joint `{joint}` names body `{body}`, which does not exist")]
    UnknownBody {
        /// Name of the joint.
        joint: String,
        /// The name that is not there.
        body: String,
    },
    /// A joint connects a body with itself.
    #[error("joint `{joint}` connects body `{body}` with itself")]
    SelfJoint {
        /// Name of the joint.
        joint: String,
        /// Name of the body.
        body: String,
    },
    /// A number of a body or of a joint is out of its range.
    #[error("`{name}`: {quantity} is {value}, but must be {requirement}")]
    OutOfRange {
        /// Name of the body or of the joint.
        name: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A shape cannot be rounded: it is no cuboid, cylinder, cone or hull.
    #[error("`{name}`: only cuboids, cylinders, cones and hulls can be rounded")]
    NotRoundable {
        /// Name of the body.
        name: String,
    },
    /// rapier's narrow phase cannot take a hull.
    #[error("`{name}`: the hull is too flat or too thin for rapier's narrow phase")]
    NotForRapier {
        /// Name of the body.
        name: String,
    },
    /// A dynamic body has no volume, so its inertia is unknown.
    #[error("dynamic body `{name}` has a volume of {volume} m³; it needs a closed mesh or a solid primitive")]
    NoVolume {
        /// Name of the body.
        name: String,
        /// Volume its surface encloses [m³].
        volume: f64,
    },
    /// A dynamic body is a surface without an inside and was given a density.
    #[error("dynamic body `{name}` is a surface without a volume: give it a mass instead of a density")]
    SurfaceDensity {
        /// Name of the body.
        name: String,
    },
    /// A soft body does not fit into a world.
    #[error("soft body `{name}`: {source}")]
    Soft {
        /// Name of the soft body.
        name: String,
        /// Why not.
        source: SoftBodyError,
    },
    /// An option of soft contact is out of its range.
    #[error("contact of soft bodies: {0}")]
    SoftContact(#[from] ContactError),
}

/// Why a step failed.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The state of a body is not finite any more.
    #[error("body `{name}` has a state that is not finite at step {step} (time {time} s)")]
    Diverged {
        /// Name of the body.
        name: String,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step [s].
        time: f64,
    },
    /// A body is faster than any motion of a run can be.
    #[error(
        "body `{name}` moves at {speed} m/s at step {step} (time {time} s), beyond the bound of {bound} m/s"
    )]
    TooFast {
        /// Name of the body.
        name: String,
        /// Its speed [m/s].
        speed: f64,
        /// The greatest that is taken for meant [m/s].
        bound: f64,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step [s].
        time: f64,
    },
    /// The bodies move with far more energy than they had at the start and gravity gave them.
    #[error(
        "the bodies have {kinetic} J of kinetic energy at step {step} (time {time} s), but {explained} J at most can be \
         explained; most of it is that of body `{name}`"
    )]
    EnergyGrown {
        /// Name of the body with the most kinetic energy.
        name: String,
        /// Kinetic energy of all bodies [J].
        kinetic: f64,
        /// What they had at the start and what they fell from there [J].
        explained: f64,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step [s].
        time: f64,
    },
    /// The soft bodies did not get through a step, nor through it in parts.
    #[error("soft bodies ({name}) at step {step} (time {time} s), cut into {parts} parts at last: {source}")]
    Soft {
        /// Name of the soft body at fault, or of all that may be.
        name: String,
        /// Into how many parts the step was cut in the last attempt.
        parts: usize,
        /// What went wrong.
        source: SoftError,
        /// The step that failed, 1-based.
        step: u64,
        /// Time at the end of that step [s].
        time: f64,
    },
}

impl StepError {
    /// Name of the body that a step failed at.
    #[must_use]
    pub fn body(&self) -> &str {
        match self {
            Self::Diverged { name, .. }
            | Self::TooFast { name, .. }
            | Self::EnergyGrown { name, .. }
            | Self::Soft { name, .. } => name,
        }
    }

    /// The step that failed, 1-based.
    #[must_use]
    pub fn step(&self) -> u64 {
        match self {
            Self::Diverged { step, .. }
            | Self::TooFast { step, .. }
            | Self::EnergyGrown { step, .. }
            | Self::Soft { step, .. } => *step,
        }
    }
}
