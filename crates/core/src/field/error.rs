//! Errors of distance fields and of the tetrahedral mesher.

use thiserror::Error;

use crate::geometry::read::error::FileError;
use crate::geometry::shape_error::ShapeError;

/// Failure to compute, read or write a distance field, or to fill a surface with tetrahedra.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The mesh does not separate an inside from an outside or encloses no volume, or its tetrahedra are invalid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The box of the grid is empty or not finite.
    #[error("the grid's box is empty or not finite")]
    NoBox,
    /// An option is out of its range.
    #[error("the {option} must be {accepted}, not {value}")]
    Option {
        /// Its name.
        option: &'static str,
        /// Its value.
        value: f64,
        /// The accepted values.
        accepted: &'static str,
    },
    /// The grid has fewer than two nodes along its longest edge.
    #[error("a grid needs at least 2 nodes along its longest edge, not {nodes}")]
    TooCoarse {
        /// Number of nodes that was given.
        nodes: usize,
    },
    /// The grid has more nodes than can be indexed or stored.
    #[error(
        "grid too large: {nodes:.3e} nodes would take {memory:.1} GiB; accepted are fewer than 2³¹ nodes that fit the free memory"
    )]
    TooLarge {
        /// Number of nodes, border included.
        nodes: f64,
        /// Memory of their values \[GiB\].
        memory: f64,
    },
    /// No point of the tetrahedral lattice is inside.
    #[error("no tetrahedron fits inside: cells of {cell:e} m are too coarse")]
    NothingInside {
        /// Length of a cell \[m\].
        cell: f64,
    },
    /// The tetrahedral lattice would have too many cells.
    #[error("cells of {cell:e} m are too fine: the lattice would have more than {max_cells}")]
    TooFine {
        /// Length of a cell \[m\].
        cell: f64,
        /// Maximum number of cells.
        max_cells: usize,
    },
    /// A file cannot be written, or cannot be read: it is missing, damaged, not a distance field, or of another version.
    #[error(transparent)]
    File(#[from] FileError),
    /// A picture cannot be drawn.
    #[error("cannot draw the field: {why}")]
    Picture {
        /// The cause.
        why: String,
    },
}
