//! Articulations: trees of links connected by joints, and the poses of the links in a configuration.
//!
//! | here          | meaning                                                                                          |
//! |---------------|--------------------------------------------------------------------------------------------------|
//! | configuration | generalized coordinates [rad or m] of the joints of [`Articulation::coordinates`], which neither are fixed nor mimic |
//! | base          | the pose of the root link in the world                                                           |
//! | link frame    | the frame of the link's parent joint, after its motion, as in URDF                               |

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
