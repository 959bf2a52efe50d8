//! Building a world.

mod assembly;
mod builder;

pub use builder::WorldBuilder;
