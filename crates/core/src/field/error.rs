//! Why there is no distance field.

use thiserror::Error;

use crate::geometry::read::error::FileError;

/// Why a distance field cannot be made, read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The mesh does not separate an inside from an outside.
    #[error("the mesh is not closed: {edges} edges are not used equally often in both directions")]
    NotClosed {
        /// Number of such edges.
        edges: usize,
    },
    /// The box of the grid is empty or not finite.
    #[error("the grid's box is empty or has a corner that is not finite")]
    NoBox,
    /// The size of a cell is no positive number.
    #[error("the grid's spacing must be a positive number of metres, not {spacing}")]
    Spacing {
        /// What was given [m].
        spacing: f64,
    },
    /// The padding or the band is no number that can be.
    #[error("the {what} must be a number of at least zero, not {value}")]
    Option {
        /// Which option.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The band of exact distances is narrower than a cell.
    #[error("the band of exact distances must be at least 1 cell wide, not {cells}")]
    ExactBand {
        /// What was given [cells].
        cells: f64,
    },
    /// The grid has less than two nodes along its longest edge.
    #[error("a grid needs at least 2 nodes along its longest edge, not {nodes}")]
    TooCoarse {
        /// What was given.
        nodes: usize,
    },
    /// The grid has more nodes than can be named or held.
    #[error(
        "a grid of {nodes:.3e} nodes would take {memory:.1} GiB; fewer than 2³¹ nodes are possible, and what memory is free"
    )]
    TooLarge {
        /// Number of nodes, border included.
        nodes: f64,
        /// Memory of their values [GiB].
        memory: f64,
    },
    /// A file is not written, or not read: it is missing, damaged, no distance field, or of another version.
    #[error(transparent)]
    File(#[from] FileError),
    /// A picture cannot be drawn.
    #[error("no picture of the field: {why}")]
    Picture {
        /// What is wrong.
        why: String,
    },
}
