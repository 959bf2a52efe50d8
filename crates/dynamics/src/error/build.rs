//! Errors of building a world, of its motors and pulls, and of separating its bodies.

use nalgebra::Point3;
use thiserror::Error;

use super::soft::SoftError;
use crate::state::BodySeparation;
use extricate_core::kinematics::RobotError;
use extricate_core::penetration::PenetrationError;
use extricate_core::suggestion::did_you_mean;

/// Error of adding a body, a joint, a robot, a motor or a pull to a world, or of separating bodies.
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
    /// A joint connects a body with itself.
    #[error("joint `{joint}` connects body `{body}` with itself")]
    SelfJoint {
        /// Name of the joint.
        joint: String,
        /// Name of the body.
        body: String,
    },
    /// A shape cannot be rounded: it is not a cuboid, cylinder, cone or hull.
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
    /// A dynamic body is a surface without an inside and was given a density.
    #[error("dynamic body `{name}` is a surface without a volume: give it a mass instead of a density")]
    SurfaceDensity {
        /// Name of the body.
        name: String,
    },
    /// A joint names a body that does not exist.
    #[error("joint `{joint}` names body `{body}`, which does not exist")]
    UnknownBody {
        /// Name of the joint.
        joint: String,
        /// The unknown name.
        body: String,
    },
    /// A number of a body, of a joint or of the options is out of its range.
    #[error("`{name}`: {quantity} is {value}, but must be {requirement}")]
    OutOfRange {
        /// Name of the body or of the joint.
        name: String,
        /// Name of the number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A body has a mass and inertia that are not physical.
    #[error("`{name}`: {source}")]
    Inertial {
        /// Name of the body.
        name: String,
        /// Cause.
        source: Box<RobotError>,
    },
    /// A dynamic body has no volume, so its inertia is unknown.
    #[error("dynamic body `{name}` has a volume of {volume} m³; it needs a closed mesh or a solid primitive")]
    NoVolume {
        /// Name of the body.
        name: String,
        /// Volume its surface encloses \[m³\].
        volume: f64,
    },
    /// A soft body cannot be added.
    #[error("soft body `{name}`: {source}")]
    Soft {
        /// Name of the soft body.
        name: String,
        /// Cause.
        source: SoftError,
    },
    /// An option of soft contact is out of its range.
    #[error("contact of soft bodies: {0}")]
    SoftContact(#[from] SoftError),
    /// A robot cannot be added.
    #[error("robot `{robot}`: {source}")]
    Robot {
        /// Name of the robot.
        robot: String,
        /// Cause.
        source: Box<BuildError>,
    },
    /// A number of a robot, of one of its joints or of a motor is out of its range.
    #[error("{part}: {quantity} is {value}, but must be {requirement}")]
    PartOutOfRange {
        /// The robot, the joint or the motor.
        part: String,
        /// Name of the number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A link has a mass or inertia that is not physical.
    #[error("link \"{link}\": {source}")]
    LinkInertial {
        /// The link.
        link: String,
        /// Cause.
        source: Box<RobotError>,
    },
    /// A link states no mass, and its mesh encloses no volume to take it from.
    #[error("link \"{link}\" states no mass, and its mesh encloses no volume from which it would follow")]
    LinkVolume {
        /// The link.
        link: String,
    },
    /// A list does not have one entry for each link, joint or coordinate.
    #[error("it has {given} {what}, where {expected} are needed")]
    Count {
        /// Name of the entries.
        what: &'static str,
        /// Entries given.
        given: usize,
        /// Entries needed.
        expected: usize,
    },
    /// The configuration is not valid.
    #[error(transparent)]
    Articulation(#[from] RobotError),
    /// A link moves and neither it nor any link that it carries has a mass.
    #[error(
        "link \"{link}\" moves and has no mass: neither an <inertial> nor a shape, nor does it carry a link that has one"
    )]
    Massless {
        /// The link.
        link: String,
    },
    /// The start is outside the limits of a joint.
    #[error("joint \"{joint}\" starts at {value}, outside its limits {} to {}", limits[0], limits[1])]
    OutsideLimits {
        /// The joint.
        joint: String,
        /// Its value at the start [rad or m].
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
    /// A joint mimics another one and was given a motor of its own.
    #[error("joint \"{joint}\" follows another joint, and can have no motor of its own")]
    MotorOfMimic {
        /// The joint.
        joint: String,
    },
    /// The keyframes of a motor's targets do not ascend in time, or are not finite.
    #[error(
        "keyframe {keyframe} (0-based) of the motor's targets has the time {time} s and the target {target}: both are finite, and times ascend"
    )]
    TargetKeyframe {
        /// 0-based index of the keyframe.
        keyframe: usize,
        /// Its time \[s\].
        time: f64,
        /// Its target.
        target: f64,
    },
    /// Two sensors of a robot have the same name.
    #[error("duplicate sensor \"{sensor}\": the names of the sensors of a robot must be unique")]
    DuplicateSensor {
        /// The name.
        sensor: String,
    },
    /// A sensor is at a joint that does not exist, or does not move.
    #[error("sensor \"{sensor}\" is at joint \"{joint}\", which does not exist or does not move")]
    SensorJoint {
        /// The sensor.
        sensor: String,
        /// The joint.
        joint: String,
    },
    /// There is no such robot.
    #[error("there is no robot `{robot}`")]
    UnknownRobot {
        /// The name.
        robot: String,
    },
    /// The robot has no such joint that moves and does not mimic another one.
    #[error("robot `{robot}` has no joint `{joint}` that moves of itself")]
    UnknownJoint {
        /// The robot.
        robot: String,
        /// The name.
        joint: String,
    },
    /// A loop of a robot is not closed in the configuration at the start.
    #[error(
        "loop \"{name}\" is open by {distance:.3e} m and {angle:.3e} rad in the configuration at the start"
    )]
    OpenLoop {
        /// Name of the loop.
        name: String,
        /// Distance of its two frames \[m\].
        distance: f64,
        /// Angle between them \[rad\]; zero of a loop that leaves the rotation free.
        angle: f64,
    },
    /// A target is given to a joint without a motor.
    #[error("joint `{joint}` of robot `{robot}` has no motor")]
    NoMotor {
        /// The robot.
        robot: String,
        /// The joint.
        joint: String,
    },
    /// There is no such body to pull.
    #[error("there is no body `{body}` to pull")]
    NoBodyToPull {
        /// The name.
        body: String,
    },
    /// No force moves the body: it is fixed or kinematic, or a link that its joints hold in place.
    #[error("body `{body}` cannot be pulled: no force moves it")]
    Immovable {
        /// The body.
        body: String,
    },
    /// A rigid body is held by a node, or a soft one by a point.
    #[error("body `{body}` is {is} and can only be held by a {by}")]
    Grip {
        /// The body.
        body: String,
        /// `rigid` or `soft`.
        is: &'static str,
        /// `point` or `node`, by which such a body is held.
        by: &'static str,
    },
    /// The soft body has no such node.
    #[error("soft body `{body}` has no node {node}, only {nodes} nodes (0-based)")]
    NodeOutOfRange {
        /// The body.
        body: String,
        /// The node.
        node: usize,
        /// Number of its nodes.
        nodes: usize,
    },
    /// A coordinate is not finite.
    #[error("the {what} of the pull at `{body}` is not finite: {point}")]
    PullNotFinite {
        /// The body.
        body: String,
        /// `grip` or `target`.
        what: &'static str,
        /// The point \[m\].
        point: Point3<f64>,
    },
    /// A name that is not that of a body.
    #[error("there is no body named `{name}`; there are: {}{}", .known.join(", "), did_you_mean(.name, .known))]
    NoSuchBody {
        /// The name.
        name: String,
        /// Names of all bodies.
        known: Vec<String>,
    },
    /// A weight is not finite and positive.
    #[error("the weight of `{name}` is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Name of the body.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// A distance of the options is negative or not finite.
    #[error("the {what} is {value} m, but must be finite and not below 0")]
    BadDistance {
        /// Name of the distance.
        what: &'static str,
        /// Its value \[m\].
        value: f64,
    },
    /// The penetration of a pair could not be determined.
    #[error("`{}` and `{}`: {source}", .bodies[0], .bodies[1])]
    Pair {
        /// Names of two bodies; of bodies that move as one the first.
        bodies: [String; 2],
        /// Cause.
        source: Box<PenetrationError>,
    },
    /// No translations were found that separate all bodies.
    #[error("no translations were found that separate all bodies: {} still overlap", quoted(.overlapping))]
    NotSeparated {
        /// The best translations found.
        best: Box<BodySeparation>,
        /// Names of pairs that overlap after them; of bodies that move as one the first.
        overlapping: Vec<[String; 2]>,
    },
    /// A body would have to move farther than the options allow.
    #[error("`{name}` would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Name of the body.
        name: String,
        /// Length of its translation \[m\].
        distance: f64,
        /// Maximum length \[m\].
        limit: f64,
        /// The translations.
        best: Box<BodySeparation>,
    },
}

fn quoted(pairs: &[[String; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect::<Vec<_>>().join(", ")
}
