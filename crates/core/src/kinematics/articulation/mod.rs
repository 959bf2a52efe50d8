//! Articulations: trees of links that joints connect, and where the links are in a configuration.
//!
//! | here          | meaning                                                                                          |
//! |---------------|--------------------------------------------------------------------------------------------------|
//! | configuration | one number for each joint that moves of itself, in the order of [`Articulation::coordinates`]: [rad] of a revolute, [m] of a prismatic one |
//! | base          | the pose of the root link in the world                                                           |
//! | link frame    | the frame of the joint that carries the link, after its motion, as in URDF                       |

mod jacobian;
pub(crate) mod joint;
pub(crate) mod link_motion;
pub(crate) mod tree;

pub use self::tree::Articulation;

pub use jacobian::PlacedArticulation;
pub use joint::{Joint, JointKind, Mimic};
pub use link_motion::LinkMotion;

#[cfg(test)]
mod tests;
