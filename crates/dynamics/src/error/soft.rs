//! Errors of soft bodies, in a world and outside one.

use extricate_core::geometry::ShapeError;
use thiserror::Error;

/// Error of a soft body or of a step of soft bodies; after a step that failed positions and velocities are as before it.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SoftError {
    /// The time step is not a positive number.
    #[error("a time step must be positive and finite, not {dt} s")]
    TimeStep {
        /// The time step \[s\].
        dt: f64,
    },
    /// Newton's iteration did not converge.
    #[error(
        "the soft bodies did not converge: relative residual {relative:e} after {iterations} iterations, above the tolerance \
         {tolerance:e}; take a smaller time step (now {dt} s) or load step"
    )]
    NotConverged {
        /// Newton iterations.
        iterations: usize,
        /// Relative residual: forces out of balance over the forces that meet.
        relative: f64,
        /// Tolerance of the relative residual.
        tolerance: f64,
        /// Time step \[s\]; infinite in a quasi-static solve.
        dt: f64,
    },
    /// A position, a velocity or an energy is not finite.
    #[error(
        "the soft bodies' energy is {energy} J in iteration {iteration}: block {block:?} is not finite, or the time step ({dt} s) is too large"
    )]
    NotFinite {
        /// Newton iterations so far.
        iteration: usize,
        /// The energy \[J\].
        energy: f64,
        /// The first block whose position is not finite, if there is one.
        block: Option<usize>,
        /// Time step \[s\]; infinite in a quasi-static solve.
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
        /// Reason of the factorisation.
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
        /// Young's modulus \[Pa\].
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
        /// Stiffness-proportional damping \[s\].
        beta: f64,
    },
    /// The matrix of the edges of a tetrahedron cannot be inverted in this arithmetic.
    #[error("tetrahedron {element} is too small or too thin: its volume is {volume:e} m³")]
    Degenerate {
        /// 0-based index of the tetrahedron.
        element: usize,
        /// Its volume \[m³\].
        volume: f64,
    },
    /// The linear tetrahedra within quadratic ones are not a mesh: they have too many nodes, or are too thin.
    #[error("the parts of the quadratic tetrahedra are not a mesh")]
    Parts(#[from] ShapeError),
    /// The number of depths is not that of the nodes.
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
        /// Its depth \[m\].
        depth: f64,
    },
    /// An option is out of its range.
    #[error("the option {name} is {value}, which must be finite and {must}")]
    Option {
        /// Name of the field.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The requirement.
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
        /// The first handle or attachment that holds it.
        first: String,
        /// The second one.
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
    /// A handle rotates and leaves an axis free.
    #[error("handle `{handle}` rotates at {time} s, so it must prescribe all three axes")]
    RotatesWithFreeAxis {
        /// Name of the handle.
        handle: String,
        /// Time of the first keyframe that rotates it \[s\].
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
        /// Its time \[s\].
        time: f64,
    },
    /// A number of a handle is not finite.
    #[error("{quantity} of handle `{handle}` is {value}, but must be finite")]
    HandleNotFinite {
        /// Name of the handle.
        handle: String,
        /// Name of the number.
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
        /// The unknown name.
        body: String,
    },
    /// There is no distance field of the surface on the given grid.
    #[error("no distance field with {resolution} points along the longest side: {reason}")]
    Field {
        /// Points along the longest side.
        resolution: usize,
        /// Reason of the field.
        reason: String,
    },
}

impl SoftError {
    /// Whether a linear system was not solved.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(self, Self::NotPositive { .. } | Self::NotFactored { .. })
    }
}
