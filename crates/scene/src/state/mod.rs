//! State of a world at an instant, as it is recorded, compared, checked and drawn.

mod components;
mod hash;
mod json;
mod reading;
mod soft_state;
mod world_state;

pub(crate) use components::{quaternion, rotation};
pub use hash::Hash;
pub(crate) use json::{Named, find, find_mut, insert, unique};
pub use soft_state::{SoftState, SoftValues};
pub use world_state::WorldState;
