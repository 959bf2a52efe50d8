//! Many questions at once.

pub(crate) mod answers;
mod fault;
mod library;
pub(crate) mod poses;
pub(crate) mod shape;
pub(crate) mod tolerance;

pub use fault::{Class, Fault};
pub use library::Library;
