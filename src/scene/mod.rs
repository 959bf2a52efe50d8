//! Scenes: the RON schema, validation, loading and instantiation.

mod error;
mod locate;
mod parse;
mod placement;
mod random;
pub mod schema;
mod validate;

pub use error::{Fault, Problem, SceneError};
