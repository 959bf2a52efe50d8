//! What the tests, benchmarks and examples of the workspace share. No other crate of the workspace is used here, so
//! that the unit tests of each of them can use this one.

pub mod imports;
pub mod json_schema;
mod noise;
mod scratch;

pub use noise::Noise;
pub use scratch::ScratchFolder;
