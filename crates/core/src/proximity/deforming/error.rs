//! Why a query of deforming meshes has no answer.

use nalgebra::Point3;
use thiserror::Error;

use super::elementary::contact::ElementaryError;

/// Why a motion is refused or a query has no answer.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum DeformingError {
    /// The number of positions is not that of the mesh that the model was made from.
    #[error("{given} positions for a model of {vertices} vertices")]
    VertexCount {
        /// Vertices of the model.
        vertices: usize,
        /// Positions that were given.
        given: usize,
    },
    /// The triangles are not those that the model was made from.
    #[error(
        "triangle {triangle} is not that of the mesh which the model was made from: its topology is fixed"
    )]
    Topology {
        /// The first triangle that differs, or the lesser number of triangles.
        triangle: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite: ({}, {}, {})", .point.x, .point.y, .point.z)]
    NotFinite {
        /// 0-based index of the vertex.
        vertex: usize,
        /// Its coordinates.
        point: Point3<f64>,
    },
    /// The step reaches farther than single-precision boxes can.
    #[error("the step extends over {extent:e} m, more than {limit:e} m", limit = DeformingError::GREATEST_EXTENT)]
    TooLarge {
        /// Greatest extent of the box around all paths [m].
        extent: f64,
    },
    /// An option is negative or NaN.
    #[error(transparent)]
    Elementary(#[from] ElementaryError),
}

impl DeformingError {
    /// Greatest extent of a step [m].
    pub const GREATEST_EXTENT: f64 = 1e37;
}
