//! Errors of queries for distances, collisions and first contacts.

use std::time::Duration;

use nalgebra::Isometry3;
use thiserror::Error;

use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::Aabb;
use crate::kinematics::error::RobotError;

/// Error of a proximity query. A failure is never reported as an absence.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum ProximityError {
    /// A pose has a component that is not finite.
    #[error("the pose of {body} is not finite: {pose}")]
    PoseNotFinite {
        /// `A` or `B`.
        body: char,
        /// The pose.
        pose: Isometry3<f64>,
    },
    /// A pose, a velocity or a point of a motion is NaN or infinite, or so large that its square is.
    #[error("a pose, a velocity or a point of the motion is not finite, or too large for double precision")]
    NotFinite,
    /// An option is out of its range.
    #[error("the option {option} is {value}, but must be {accepted}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// Description of the accepted values.
        accepted: &'static str,
    },
    /// Models so far apart, or points over such an extent, that the arithmetic of the query overflows.
    #[error("a distance or an extent of {length:e} m overflows the arithmetic of the query")]
    Overflow {
        /// Distance between the centres of the models, or maximum extent of the box around all points \[m\].
        length: f64,
    },
    /// The time budget was spent before the answer was known.
    #[error("time budget of {budget:.1?} spent before the answer was known: allow more time, or none")]
    OutOfTime {
        /// The budget.
        budget: Duration,
    },
    /// The default bound on work was met before the answer was known: thousands of triangles of one model nearly coincide with thousands
    /// of the other.
    #[error(
        "answer not known after {pairs} pairs of subtrees, the bound without a time budget: thousands of triangles nearly coincide; allow more with a time budget"
    )]
    OutOfWork {
        /// Pairs of subtrees visited.
        pairs: u64,
    },
    /// The iteration limit was reached.
    #[error(
        "no answer after {iterations} iterations: the motion is free of contact up to the time {free_until} of 1"
    )]
    IterationsExhausted {
        /// Iterations made.
        iterations: u64,
        /// The time up to which the motion is proved free of contact.
        free_until: f64,
    },
    /// A list has the wrong number of entries.
    #[error("{given} {what} are given, where {expected} are needed")]
    Count {
        /// The entries that are counted.
        what: &'static str,
        /// Entries that were given.
        given: usize,
        /// Entries that are needed.
        expected: usize,
    },
    /// There are more boxes than the trees of the broad phase can hold.
    #[error("too many boxes: {count}, the maximum is 2³⁰")]
    TooManyBoxes {
        /// Number of boxes.
        count: usize,
    },
    /// A box with a coordinate that is NaN, or with an edge that is infinite or of negative length.
    #[error(
        "box {index} is invalid: minimum ({}, {}, {}) m, maximum ({}, {}, {}) m, which must be finite and in this order",
        .aabb.min.x, .aabb.min.y, .aabb.min.z, .aabb.max.x, .aabb.max.y, .aabb.max.z
    )]
    ImproperBox {
        /// Index of the handle of the box.
        index: usize,
        /// The box \[m\].
        aabb: Aabb,
    },
    /// There is no box of this handle.
    #[error("there is no box {index}")]
    NoSuchBox {
        /// Index of the handle.
        index: usize,
    },
    /// The triangles are not those that the deforming model was built from.
    #[error(
        "triangle {triangle} differs from that of the mesh from which the model was built: the topology is fixed"
    )]
    Topology {
        /// The first triangle that differs, or the smaller number of triangles.
        triangle: usize,
    },
    /// The points of a deforming model do not form a valid mesh.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The moving body is not a valid articulation in a valid configuration.
    #[error(transparent)]
    Articulation(#[from] RobotError),
}

impl ProximityError {
    /// Returns an error for the first option that is negative or NaN.
    pub(crate) fn check_not_negative<const N: usize>(options: [(&'static str, f64); N]) -> Result<(), Self> {
        let accepted = "a number of at least zero";
        // NaN fails.
        match options.into_iter().find(|(_, value)| !(*value >= 0.0)) {
            None => Ok(()),
            Some((option, value)) => Err(Self::Option { option, value, accepted }),
        }
    }
}
