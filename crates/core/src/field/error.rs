//! Why there is no distance field.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

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
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no distance field, or it is truncated or damaged.
    #[error("{path} is no distance field: {why}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Another version wrote the file.
    #[error("{path} has version {found} of the format of distance fields, not {expected}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// A picture cannot be drawn.
    #[error("no picture of the field: {why}")]
    Picture {
        /// What is wrong.
        why: String,
    },
}
