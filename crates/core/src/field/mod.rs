//! Distance fields on regular grids [Fisher01 §4].
//!
//! The distance to a closed mesh is computed exactly at the nodes near it and marched from there over the rest of the
//! grid. Distances are **positive outside and negative inside**. The tetrahedral mesher and the embedding of fine surfaces
//! build on them.

mod band;
mod closed;
mod crossings;
mod distance_field;
pub mod embedding;
mod error;
mod file;
mod front;
mod grid;
mod interpolate;
mod log;
mod march;
mod options;
mod prism;
mod queue;
mod sample;
#[cfg(feature = "formats")]
mod slice;
#[cfg(test)]
mod tests;
pub mod tetrahedralize;
mod update;
mod vtk;

pub use distance_field::DistanceField;
pub use error::FieldError;
pub use grid::Grid;
pub use options::{FieldOptions, Order, Side};
pub use sample::sample_nodes;
pub use update::{Remedy, Update};
