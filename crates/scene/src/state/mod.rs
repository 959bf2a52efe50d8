//! State of a world at an instant, as it is recorded, compared, checked and drawn.

mod hash;
mod json;
mod soft_state;
mod world_state;

pub use hash::Hash;
pub(crate) use json::{Named, find, find_mut, insert, quaternion, rotation, unique};
pub use soft_state::{SoftState, SoftValues};
pub use world_state::WorldState;
