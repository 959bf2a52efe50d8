//! The reasons why something is no articulation, no configuration of one, or no inertia of a link.

use thiserror::Error;

/// Why something is no articulation, no configuration of one, or no inertia of a link.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum RobotError {
    /// Two links, or two joints, have the same name.
    #[error("the name \"{name}\" is given twice")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A joint names a link that does not exist.
    #[error("joint \"{joint}\" names the link \"{link}\", which does not exist")]
    UnknownLink {
        /// The joint.
        joint: String,
        /// The name of no link.
        link: String,
    },
    /// A joint that does not exist, or that has no value of its own, is named.
    #[error("there is no joint \"{joint}\" that moves of itself")]
    UnknownJoint {
        /// The name of no such joint.
        joint: String,
    },
    /// A link is carried by two joints.
    #[error("link \"{link}\" is carried by two joints, \"{}\" and \"{}\"", joints[0], joints[1])]
    TwoParents {
        /// The link.
        link: String,
        /// The joints.
        joints: [String; 2],
    },
    /// Several links are carried by no joint.
    #[error("{} links hang on nothing, where one may be the root: {}", roots.len(), roots.join(", "))]
    SeveralRoots {
        /// The links.
        roots: Vec<String>,
    },
    /// Links carry one another in a circle.
    #[error("link \"{link}\" hangs on itself: the joints make a circle")]
    Cyclic {
        /// A link of the circle, or one that hangs on it.
        link: String,
    },
    /// A joint mimics itself through others.
    #[error("joint \"{joint}\" mimics itself: the joints make a circle")]
    CyclicMimic {
        /// A joint of the circle, or one that mimics one of it.
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
    /// A number of a joint, or a value for it, is NaN or infinite.
    #[error("a number of joint \"{joint}\" is not finite")]
    NotFinite {
        /// The joint.
        joint: String,
    },
    /// A configuration has too many or too few numbers.
    #[error("the configuration has {given} numbers, where the articulation has {expected} coordinates")]
    Length {
        /// Numbers that were given.
        given: usize,
        /// Numbers that are needed.
        expected: usize,
    },
    /// A number of a mass or inertia is NaN or infinite.
    #[error("a number of its <inertial> is not finite")]
    InertialNotFinite,
    /// The mass is not positive.
    #[error("its mass is {mass} kg, but must be above zero")]
    MassNotPositive {
        /// The mass [kg].
        mass: f64,
    },
    /// The inertia resists no rotation about some axis, or rewards it.
    #[error("its inertia is not positive definite: the least principal moment is {least:e} kg·m²")]
    NotPositiveDefinite {
        /// The least principal moment [kg·m²].
        least: f64,
    },
    /// The largest principal moment is larger than the other two together, which no distribution of mass has.
    #[error(
        "its principal moments {}, {} and {} kg·m² break the triangle inequality: the largest is above the sum of the others",
        moments[0], moments[1], moments[2]
    )]
    TriangleInequality {
        /// The principal moments, ascending [kg·m²].
        moments: [f64; 3],
    },
}
