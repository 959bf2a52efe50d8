//! Why there is no distance field, or no tetrahedra over one.

use thiserror::Error;

use crate::geometry::read::error::FileError;
use crate::geometry::shape_error::ShapeError;

/// Why a distance field cannot be made, read or written, or a surface not filled with tetrahedra.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FieldError {
    /// The mesh does not separate an inside from an outside or encloses nothing, or the tetrahedra in it are not sound.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The box of the grid is empty or not finite.
    #[error("the grid's box is empty or has a corner that is not finite")]
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
    /// No point of the lattice of tetrahedra is inside.
    #[error("no tetrahedron fits inside: cells of {cell:e} m are too coarse")]
    NothingInside {
        /// Length of a cell [m].
        cell: f64,
    },
    /// The lattice of tetrahedra would have too many cells.
    #[error("cells of {cell:e} m are too fine: the lattice would have more than {max_cells}")]
    TooFine {
        /// Length of a cell [m].
        cell: f64,
        /// Most cells allowed.
        max_cells: usize,
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
