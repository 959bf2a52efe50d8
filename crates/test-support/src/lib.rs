//! Helpers for the tests, benchmarks and examples of the workspace. This crate uses no other crate of the workspace, so
//! that the unit tests of each of them can use it.

pub mod imports;
pub mod json_schema;
mod noise;
mod scratch;

pub use noise::Noise;
pub use scratch::ScratchFolder;
