//! Errors of tetrahedralisation.

use crate::geometry::shape_error::ShapeError;
use thiserror::Error;

/// Why a surface was not filled with tetrahedra.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum TetrahedralizeError {
    /// The surface has no inside.
    #[error("the mesh is not closed: {unbalanced_edges} edges are not used equally often in both directions")]
    NotClosed {
        /// Edges not used equally often in both directions.
        unbalanced_edges: usize,
    },
    /// The surface is closed but encloses nothing.
    #[error("the mesh encloses no volume ({volume:e} m³)")]
    NoVolume {
        /// Its signed volume [m³].
        volume: f64,
    },
    /// The cell is not a length.
    #[error("the cell must be a positive length, not {cell} m")]
    Cell {
        /// The length [m].
        cell: f64,
    },
    /// No point of the lattice is inside.
    #[error("no tetrahedron fits inside: cells of {cell:e} m are too coarse")]
    TooCoarse {
        /// Length of a cell [m].
        cell: f64,
    },
    /// The lattice would have too many cells.
    #[error("cells of {cell:e} m are too fine: the lattice would have more than {most_cells}")]
    TooFine {
        /// Length of a cell [m].
        cell: f64,
        /// Most cells allowed.
        most_cells: usize,
    },
    /// What was made is no sound mesh.
    #[error("the tetrahedra are not sound: {0}")]
    Mesh(#[from] ShapeError),
}
