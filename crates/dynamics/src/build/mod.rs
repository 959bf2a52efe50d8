//! Putting a world together.

mod assembly;
mod builder;

pub use builder::WorldBuilder;
