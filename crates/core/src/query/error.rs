//! Errors of queries.

use thiserror::Error;

use crate::geometry::read::error::FileError;
use crate::geometry::shape_error::ShapeError;
use crate::kinematics::error::RobotError;
use crate::kinematics::urdf::RobotFileError;
use crate::penetration::error::PenetrationError;
use crate::penetration::generalized::GeneralizedError;
use crate::proximity::error::ProximityError;

/// Reason for which a query has no result. A failure is never reported as an absence: shapes reported apart are proved apart.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// A pose has a component that is not finite.
    #[error("the pose of {body} is not finite")]
    PoseNotFinite {
        /// `A`, `B`, or `the robot`.
        body: &'static str,
    },
    /// Sizes, triangles or points that define no shape.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Lengths of a shape, or its distance from the other shape, exceed the range of the arithmetic of the query.
    #[error("the size or the position of a shape is out of range: {value:e} m, where {range} is accepted")]
    OutOfRange {
        /// The length that was found \[m\].
        value: f64,
        /// The lengths that are accepted.
        range: &'static str,
    },
    /// A mesh is open where a solid is needed.
    #[error(
        "the mesh bounds no solid: {unbalanced_edges} of {edges} edges are open, its volume is {volume} m³"
    )]
    OpenMesh {
        /// Edges that triangles do not use equally often in both directions.
        unbalanced_edges: usize,
        /// Edges of the mesh.
        edges: usize,
        /// Signed volume \[m³\]; NaN where the mesh is open.
        volume: f64,
    },
    /// The query has no meaning, or no algorithm, for this pair of shapes.
    #[error("{query} of {} and {} is not supported: {reason}", shapes[0], shapes[1])]
    Unsupported {
        /// Name of the query.
        query: &'static str,
        /// Names of the kinds of A and B.
        shapes: [&'static str; 2],
        /// Reason.
        reason: &'static str,
    },
    /// An option is out of its range.
    #[error("the option {option} is {value}, but must be {accepted}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The accepted values.
        accepted: &'static str,
    },
    /// The proved bounds leave open whether the shapes overlap: the work bound was reached, or they touch up to rounding.
    #[error("not decided: apart by no more than {apart} m, or overlapping by no more than {overlap} m")]
    Undecided {
        /// Upper bound of the distance \[m\].
        apart: f64,
        /// Upper bound of the penetration depth \[m\].
        overlap: f64,
    },
    /// The best translation found fails the independent verification.
    #[error("the best translation found ({length} m) does not separate the shapes")]
    NotSeparated {
        /// Its length \[m\].
        length: f64,
    },
    /// The iteration or time bound was reached before a result.
    #[error(
        "no answer after {iterations} iterations: the motion is free of contact up to the time {free_until} of 1"
    )]
    BoundMet {
        /// Number of iterations made.
        iterations: u64,
        /// Time up to which the motion is proved free of contact.
        free_until: f64,
    },
    /// A query about collisions failed for a reason of its own.
    #[error(transparent)]
    Proximity(ProximityError),
    /// A translational search failed for a reason of its own.
    #[error(transparent)]
    Penetration(PenetrationError),
    /// A search among rigid motions failed; the error carries the best effort.
    #[error(transparent)]
    PenetrationRigid(Box<GeneralizedError>),
    /// A configuration does not belong to the robot.
    #[error(transparent)]
    Configuration(#[from] RobotError),
    /// No link of the robot has a shape.
    #[error("no link of the robot `{robot}` has a shape")]
    NoShape {
        /// Its name.
        robot: String,
    },
    /// A mesh file was not read.
    #[error(transparent)]
    File(Box<FileError>),
    /// A robot file was not read.
    #[error(transparent)]
    RobotFile(Box<RobotFileError>),
}

fn body(letter: char) -> &'static str {
    if letter == 'A' { "A" } else { "B" }
}

impl From<PenetrationError> for QueryError {
    fn from(error: PenetrationError) -> Self {
        match error {
            PenetrationError::Proximity(source) => source.into(),
            PenetrationError::BadSize => {
                Self::OutOfRange { value: f64::NAN, range: "a finite size of at least zero" }
            }
            PenetrationError::Unbounded => Self::Unsupported {
                query: "the signed distance",
                shapes: ["half-space"; 2],
                reason: "half-spaces that do not face each other overlap without end",
            },
            PenetrationError::SizeOutOfRange { radius, .. } => {
                Self::OutOfRange { value: radius, range: "1e-26 to 1e18 m" }
            }
            PenetrationError::NotSeparated { length } => Self::NotSeparated { length },
            other => Self::Penetration(other),
        }
    }
}

impl From<ProximityError> for QueryError {
    fn from(error: ProximityError) -> Self {
        match error {
            ProximityError::PoseNotFinite { body: letter, .. } => Self::PoseNotFinite { body: body(letter) },
            ProximityError::NotFinite => Self::PoseNotFinite { body: "A or B" },
            ProximityError::Option { option, value, accepted } => Self::Option { option, value, accepted },
            ProximityError::Overflow { length } => {
                Self::OutOfRange { value: length, range: "a distance whose square is finite" }
            }
            ProximityError::IterationsExhausted { iterations, free_until } => {
                Self::BoundMet { iterations, free_until }
            }
            ProximityError::Articulation(source) => Self::Configuration(source),
            other => Self::Proximity(other),
        }
    }
}

impl From<GeneralizedError> for QueryError {
    fn from(error: GeneralizedError) -> Self {
        match error {
            GeneralizedError::Penetration(source) => source.into(),
            GeneralizedError::Proximity(source) => source.into(),
            GeneralizedError::Articulation(source) => Self::Configuration(source),
            other => Self::PenetrationRigid(Box::new(other)),
        }
    }
}

impl From<FileError> for QueryError {
    fn from(error: FileError) -> Self {
        Self::File(Box::new(error))
    }
}

impl From<RobotFileError> for QueryError {
    fn from(error: RobotFileError) -> Self {
        Self::RobotFile(Box::new(error))
    }
}
