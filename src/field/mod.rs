//! Distance fields on regular grids [Fisher01 §4].
//!
//! The distance to a closed mesh is computed exactly at the nodes near it and marched from there over the rest of the
//! grid. Distances are **positive outside and negative inside**.

pub mod embedding;
mod error;
mod grid;
mod options;
pub mod tetrahedralize;

pub use error::FieldError;
pub use grid::Grid;
pub use options::{FieldOptions, Order, Side};
