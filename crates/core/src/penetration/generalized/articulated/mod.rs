//! Free configurations of articulated models, and their projection back towards the input [Tang14 §§ 5.1–5.2].
//!
//! What is asked of a robot and its surroundings is little ([`Configurations`]): the tree of links, which of them collide, and
//! the first contact of a motion. So the same strategies serve triangle models and unions of convex pieces.

mod arrangement;
mod configurations;
mod perturbation;
mod projection;
#[cfg(test)]
mod tests;
mod translation;

pub(crate) use arrangement::start;
