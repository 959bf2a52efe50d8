//! Errors of articulations, their configurations, and the inertias of links.

use thiserror::Error;

use crate::suggestion::did_you_mean;

/// An invalid articulation, a configuration that does not fit it, or an inertia that no rigid body has.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum RobotError {
    /// Two links, or two joints, have the same name.
    #[error("duplicate name \"{name}\"")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A joint names a link that does not exist.
    #[error("joint \"{joint}\" names the link \"{link}\", which does not exist{meant}")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// The unknown name.
        link: String,
        /// The name that was probably meant, as the end of the message.
        meant: String,
    },
    /// A joint is named that does not exist or has no generalized coordinate: fixed joints and mimicking ones have none.
    #[error(
        "unknown joint \"{joint}\": expected a joint that is neither fixed nor mimics another one ({}){}",
        known.join(", "), did_you_mean(joint, known)
    )]
    UnknownJoint {
        /// The name.
        joint: String,
        /// The names of the joints that have a generalized coordinate.
        known: Vec<String>,
    },
    /// No configuration of the robot has this name.
    #[error("unknown configuration \"{name}\": {}{}", names_listed(known), did_you_mean(name, known))]
    UnknownConfiguration {
        /// The name.
        name: String,
        /// The names of its configurations.
        known: Vec<String>,
    },
    /// A link is the child of two joints.
    #[error("link \"{link}\" is the child of two joints, \"{}\" and \"{}\"", joints[0], joints[1])]
    TwoParents {
        /// The link.
        link: String,
        /// The joints.
        joints: [String; 2],
    },
    /// Several links are the child of no joint.
    #[error("{} links have no parent, expected exactly one root: {}", roots.len(), roots.join(", "))]
    SeveralRoots {
        /// The links.
        roots: Vec<String>,
    },
    /// The joints form a cycle.
    #[error("link \"{link}\" is its own ancestor: the joints form a cycle")]
    Cyclic {
        /// A link of the cycle, or a descendant of one.
        link: String,
    },
    /// A joint mimics itself through others.
    #[error("joint \"{joint}\" mimics itself: the mimicking joints form a cycle")]
    CyclicMimic {
        /// A joint of the cycle, or one that mimics a joint of it.
        joint: String,
    },
    /// The axis of a joint has no direction.
    #[error("the axis of joint \"{joint}\" is zero")]
    ZeroAxis {
        /// The joint.
        joint: String,
    },
    /// The lower limit of a joint is above the upper one.
    #[error("the limits of joint \"{joint}\" are reversed: {lower} > {upper}")]
    ReversedLimits {
        /// The joint.
        joint: String,
        /// The lower limit [rad or m].
        lower: f64,
        /// The upper limit [rad or m].
        upper: f64,
    },
    /// A parameter or the value of a joint is NaN or infinite.
    #[error("a parameter or value of joint \"{joint}\" is not finite")]
    NotFinite {
        /// The joint.
        joint: String,
    },
    /// A configuration has too many or too few numbers.
    #[error(
        "the configuration has {given} numbers, expected {expected}, one for each generalized coordinate"
    )]
    Length {
        /// Length that was given.
        given: usize,
        /// Number of generalized coordinates.
        expected: usize,
    },
    /// A coordinate moves no mass, so that its acceleration is not determined.
    #[error("joint \"{joint}\" moves no mass: its acceleration is not determined")]
    Massless {
        /// The joint.
        joint: String,
    },
    /// An entry of a mass or inertia is NaN or infinite.
    #[error("its <inertial> has an entry that is not finite")]
    InertialNotFinite,
    /// The mass is not positive.
    #[error("its mass is {mass} kg, but must be above zero")]
    MassNotPositive {
        /// The mass \[kg\].
        mass: f64,
    },
    /// A principal moment of the inertia is zero or negative.
    #[error("its inertia is not positive definite: the minimum principal moment is {min:e} kg·m²")]
    NotPositiveDefinite {
        /// The minimum principal moment [kg·m²].
        min: f64,
    },
    /// The largest principal moment exceeds the sum of the other two, which no mass distribution allows.
    #[error(
        "its principal moments {}, {} and {} kg·m² break the triangle inequality: the largest is above the sum of the others",
        moments[0], moments[1], moments[2]
    )]
    TriangleInequality {
        /// The principal moments, ascending [kg·m²].
        moments: [f64; 3],
    },
}

/// Names of configurations, for messages.
fn names_listed(names: &[String]) -> String {
    if names.is_empty() {
        return String::from("the robot has none: keyframes of MJCF and group states of SRDF are named");
    }
    format!("expected {}", names.join(", "))
}
