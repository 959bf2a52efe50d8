//! Free configurations of articulated models, and their projection back towards the input [Tang14 §§ 5.1–5.2].
//!
//! The strategies need little of a robot and its surroundings ([`ConfigurationSpace`]): the kinematic tree, the colliding links,
//! and the first contact of a motion. So the same strategies apply to triangle models and unions of convex pieces.

mod collision_world;
mod configuration_space;
mod perturbation;
mod projection;
#[cfg(test)]
mod tests;
mod translation;

pub(crate) use collision_world::free_poses;
