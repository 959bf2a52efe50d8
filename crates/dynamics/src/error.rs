//! What can go wrong: building a world and what is put into it, stepping it, and soft bodies on their own.

use nalgebra::Point3;
use thiserror::Error;

use crate::state::BodySeparation;
use extricate_core::geometry::tet_mesh::TetMeshError;
use extricate_core::kinematics::ArticulationError;
use extricate_core::kinematics::urdf::InertialError;
use extricate_core::penetration::PenetrationError;

/// Why a body, a joint, a robot, a motor or a pull does not fit into a world, or why bodies do not fit beside each other.
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
        /// The name that is not there.
        body: String,
    },
    /// A number of a body, of a joint or of the options is out of its range.
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
    /// A body has a mass and inertia that no body has.
    #[error("`{name}`: {source}")]
    Inertial {
        /// Name of the body.
        name: String,
        /// What is wrong.
        source: InertialError,
    },
    /// A dynamic body has no volume, so its inertia is unknown.
    #[error("dynamic body `{name}` has a volume of {volume} m³; it needs a closed mesh or a solid primitive")]
    NoVolume {
        /// Name of the body.
        name: String,
        /// Volume its surface encloses [m³].
        volume: f64,
    },
    /// A soft body does not fit into a world.
    #[error("soft body `{name}`: {source}")]
    Soft {
        /// Name of the soft body.
        name: String,
        /// Why not.
        source: SoftError,
    },
    /// An option of soft contact is out of its range.
    #[error("contact of soft bodies: {0}")]
    SoftContact(#[from] SoftError),
    /// A robot does not fit into a world.
    #[error("robot `{robot}`: {source}")]
    Robot {
        /// Name of the robot.
        robot: String,
        /// Why not.
        source: Box<BuildError>,
    },
    /// A number of a robot, of one of its joints or of a motor is out of its range.
    #[error("{part}: {quantity} is {value}, but must be {requirement}")]
    PartOutOfRange {
        /// The robot, the joint or the motor.
        part: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
        /// The range.
        requirement: &'static str,
    },
    /// A link has a mass or inertia that no body has.
    #[error("link \"{link}\": {source}")]
    LinkInertial {
        /// The link.
        link: String,
        /// What is wrong.
        source: InertialError,
    },
    /// A link states no mass, and its mesh encloses no volume to take it from.
    #[error("link \"{link}\" states no mass, and its mesh encloses no volume from which it would follow")]
    LinkVolume {
        /// The link.
        link: String,
    },
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
    /// There is no such body to be pulled.
    #[error("there is no body `{body}` to pull")]
    NoBodyToPull {
        /// The name.
        body: String,
    },
    /// No force moves the body: it is fixed or kinematic, or a link that no joint lets move.
    #[error("body `{body}` cannot be pulled: no force moves it")]
    Immovable {
        /// The body.
        body: String,
    },
    /// A rigid body is held by a node, or a soft one by a point.
    #[error("body `{body}` is {is}, which is held by a {by}")]
    Grip {
        /// The body.
        body: String,
        /// `rigid` or `soft`.
        is: &'static str,
        /// What such a body is held by.
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
        /// The point [m].
        point: Point3<f64>,
    },
    /// A name that no body bears.
    #[error("there is no body named `{name}`; there are: {}", .known.join(", "))]
    NoSuchBody {
        /// The name.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// A weight is no weight.
    #[error("the weight of `{name}` is {weight}, but must be finite and above 0")]
    BadWeight {
        /// Name of the body.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// A distance of the options makes no sense.
    #[error("the {what} is {value} m, but must be finite and not below 0")]
    BadDistance {
        /// Which one.
        what: &'static str,
        /// Its value [m].
        value: f64,
    },
    /// The penetration of a pair could not be established.
    #[error("`{}` and `{}`: {source}", .bodies[0], .bodies[1])]
    Pair {
        /// Names of two bodies; of bodies that move as one the first.
        bodies: [String; 2],
        /// Why.
        source: PenetrationError,
    },
    /// No translations were found that take all bodies apart.
    #[error("no arrangement without overlaps was found: {} still overlap", quoted(.overlapping))]
    NotSeparated {
        /// The best arrangement found.
        best: Box<BodySeparation>,
        /// Names of pairs that overlap in it; of bodies that move as one the first.
        overlapping: Vec<[String; 2]>,
    },
    /// A body would have to move farther than the options allow.
    #[error("`{name}` would move {distance} m, farther than {limit} m")]
    TooFar {
        /// Name of the body.
        name: String,
        /// How far [m].
        distance: f64,
        /// How far it may [m].
        limit: f64,
        /// The arrangement.
        best: Box<BodySeparation>,
    },
}

fn quoted(pairs: &[[String; 2]]) -> String {
    pairs.iter().map(|[a, b]| format!("`{a}` and `{b}`")).collect::<Vec<_>>().join(", ")
}

/// Checks of numbers against their ranges; `refuse` makes the error of a quantity, its value and the requirement.
pub(crate) struct Ranges<F>(pub(crate) F);

impl<F: Fn(&'static str, f64, &'static str) -> BuildError> Ranges<F> {
    pub(crate) fn within(
        &self,
        quantity: &'static str,
        value: f64,
        range: std::ops::RangeInclusive<f64>,
        requirement: &'static str,
    ) -> Result<(), BuildError> {
        if range.contains(&value) { Ok(()) } else { Err((self.0)(quantity, value, requirement)) }
    }

    pub(crate) fn positive(&self, quantity: &'static str, value: f64) -> Result<(), BuildError> {
        self.within(quantity, value, f64::MIN_POSITIVE..=f64::MAX, "finite and above 0")
    }

    pub(crate) fn not_negative(&self, quantity: &'static str, value: f64) -> Result<(), BuildError> {
        self.within(quantity, value, 0.0..=f64::MAX, "finite and not below 0")
    }

    pub(crate) fn finite<'a>(
        &self,
        quantity: &'static str,
        values: impl IntoIterator<Item = &'a f64>,
    ) -> Result<(), BuildError> {
        values.into_iter().try_for_each(|&value| self.within(quantity, value, f64::MIN..=f64::MAX, "finite"))
    }
}

/// Checks of the numbers of a body, of a joint or of the options.
pub(crate) fn ranges_of(name: &str) -> Ranges<impl Fn(&'static str, f64, &'static str) -> BuildError> {
    Ranges(move |quantity, value, requirement| BuildError::OutOfRange {
        name: name.to_owned(),
        quantity,
        value,
        requirement,
    })
}

/// Checks of the numbers of a robot, of one of its joints or of a motor, which `part` describes.
pub(crate) fn ranges_of_part(
    part: impl Fn() -> String,
) -> Ranges<impl Fn(&'static str, f64, &'static str) -> BuildError> {
    Ranges(move |quantity, value, requirement| BuildError::PartOutOfRange {
        part: part(),
        quantity,
        value,
        requirement,
    })
}

/// Why soft bodies do not fit into a world or have no elements, or why a step of them has no result; after a step that
/// failed positions and velocities are as before it.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SoftError {
    /// The time step is not a positive number.
    #[error("a time step must be positive and finite, not {dt} s")]
    TimeStep {
        /// What was given [s].
        dt: f64,
    },
    /// Newton's iteration did not converge.
    #[error(
        "the soft bodies did not converge: forces out of balance {relative:e} of those that meet after {iterations} \
         iterations, {tolerance:e} wanted; take a smaller time step (now {dt} s) or load step"
    )]
    NotConverged {
        /// Newton iterations.
        iterations: usize,
        /// Forces out of balance over the forces that meet.
        relative: f64,
        /// What was wanted.
        tolerance: f64,
        /// Time step [s]; infinite in a quasi-static solve.
        dt: f64,
    },
    /// A position, a velocity or an energy is not finite.
    #[error(
        "the soft bodies' energy is {energy} J in iteration {iteration}: block {block:?} is not finite, or the time step ({dt} s) is too large"
    )]
    NotFinite {
        /// Newton iterations so far.
        iteration: usize,
        /// The energy [J].
        energy: f64,
        /// The first block whose position is not finite, if there is one.
        block: Option<usize>,
        /// Time step [s]; infinite in a quasi-static solve.
        dt: f64,
    },
    /// The matrix is not positive definite, or not finite.
    #[error(
        "conjugate gradients met curvature {curvature:e} N/m in iteration {iteration}: the matrix is not positive definite"
    )]
    NotPositive {
        /// Iteration, from 0.
        iteration: usize,
        /// pᵀAp/pᵀp [N/m].
        curvature: f64,
    },
    /// Cholesky met a pivot that is not positive.
    #[error(
        "the matrix of {unknowns} unknowns has no Cholesky factor ({reason}): is a body free to move without mass?"
    )]
    NotFactored {
        /// Rows of the matrix.
        unknowns: usize,
        /// What the factorisation says.
        reason: &'static str,
    },
    /// The density is zero, negative or not finite.
    #[error("the density must be positive and finite, not {density} kg/m³")]
    Density {
        /// The density [kg/m³].
        density: f64,
    },
    /// Young's modulus is zero, negative or not finite.
    #[error("Young's modulus must be positive and finite, not {youngs_modulus} Pa")]
    YoungsModulus {
        /// Young's modulus [Pa].
        youngs_modulus: f64,
    },
    /// Poisson's ratio is not between −1 and 0.5; at 0.5 the material is incompressible and λ infinite.
    #[error("Poisson's ratio must be above -1 and below 0.5, not {poisson_ratio}")]
    PoissonRatio {
        /// Poisson's ratio.
        poisson_ratio: f64,
    },
    /// A coefficient of damping is negative or not finite.
    #[error("damping must not be negative: alpha {alpha} 1/s, beta {beta} s")]
    Damping {
        /// Mass-proportional damping [1/s].
        alpha: f64,
        /// Stiffness-proportional damping [s].
        beta: f64,
    },
    /// The matrix of the edges of a tetrahedron cannot be inverted in this arithmetic.
    #[error("tetrahedron {element} is too small or too thin: its volume is {volume:e} m³")]
    Degenerate {
        /// 0-based index of the tetrahedron.
        element: usize,
        /// Its volume [m³].
        volume: f64,
    },
    /// The linear tetrahedra within quadratic ones are not a mesh: too many nodes, or too thin.
    #[error("the parts of the quadratic tetrahedra are not a mesh")]
    Parts(#[from] TetMeshError),
    /// There is not one depth for each node.
    #[error("{depths} depths for {nodes} nodes")]
    Depths {
        /// Number of depths.
        depths: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A node's depth is negative or not finite.
    #[error("node {node} has a depth of {depth} m, which is not a finite depth at or above zero")]
    Depth {
        /// 0-based index of the node.
        node: usize,
        /// Its depth [m].
        depth: f64,
    },
    /// An option is out of its range.
    #[error("the option {name} is {value}, which must be finite and {must}")]
    Option {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// A handle or an attachment has no nodes.
    #[error("{holder} has no nodes")]
    NoNodes {
        /// The handle or the attachment.
        holder: String,
    },
    /// A handle or an attachment names a node that the mesh does not have.
    #[error("{holder} names node {node}, but the mesh has only {nodes} nodes (0-based)")]
    NodeOutOfRange {
        /// The handle or the attachment.
        holder: String,
        /// The node that is out of range.
        node: u32,
        /// Number of nodes of the mesh.
        nodes: usize,
    },
    /// A node is held by two handles or attachments, or twice by one.
    #[error("node {node} belongs to {first} and to {second}, but can belong to one only")]
    HeldTwice {
        /// The node.
        node: u32,
        /// What holds it first.
        first: String,
        /// What holds it, too.
        second: String,
    },
    /// Two handles of a body have the same name.
    #[error("there are two handles named `{handle}`")]
    DuplicateHandle {
        /// Name of the handle.
        handle: String,
    },
    /// A handle prescribes nothing.
    #[error("handle `{handle}` prescribes none of the three axes")]
    NoAxis {
        /// Name of the handle.
        handle: String,
    },
    /// A handle turns and leaves an axis free.
    #[error("handle `{handle}` turns at {time} s, so it must prescribe all three axes")]
    TurnsWithFreeAxis {
        /// Name of the handle.
        handle: String,
        /// Time of the first keyframe that turns it [s].
        time: f64,
    },
    /// The times of a handle's keyframes do not ascend from zero.
    #[error(
        "keyframe {keyframe} (0-based) of handle `{handle}` has the time {time} s: times are finite, not negative and ascend"
    )]
    KeyframeTime {
        /// Name of the handle.
        handle: String,
        /// 0-based index of the keyframe.
        keyframe: usize,
        /// Its time [s].
        time: f64,
    },
    /// A number of a handle is not finite.
    #[error("{quantity} of handle `{handle}` is {value}, but must be finite")]
    HandleNotFinite {
        /// Name of the handle.
        handle: String,
        /// Which number.
        quantity: &'static str,
        /// Its value.
        value: f64,
    },
    /// The stiffness of an attachment is not a positive number.
    #[error(
        "the attachment to `{body}` has a stiffness of {stiffness} N/m, but must have a finite one above 0"
    )]
    Stiffness {
        /// Name of the rigid body.
        body: String,
        /// The stiffness [N/m].
        stiffness: f64,
    },
    /// An attachment names a rigid body that does not exist.
    #[error("there is no rigid body `{body}` to be attached to")]
    UnknownBody {
        /// The name that is not there.
        body: String,
    },
    /// There is no distance field of the surface on the grid asked for.
    #[error("no distance field with {resolution} points along the longest side: {reason}")]
    Field {
        /// Points along the longest side.
        resolution: usize,
        /// What the field says.
        reason: String,
    },
}

impl SoftError {
    /// Whether a linear system was not solved.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, Self::NotPositive { .. } | Self::NotFactored { .. })
    }
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
