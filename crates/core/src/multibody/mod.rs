//! Dynamics of trees of rigid bodies in generalized coordinates \[Featherstone08\].
//!
//! A [`Multibody`] is a tree of links, each with a joint to its parent or to the base. Joints move on their
//! manifolds: rotations are rotations, not angles, so that no configuration is singular but that of the mechanism.
//!
//! | to | use | cost of n links of depth d |
//! |---|---|---|
//! | place the links, and move the joints | [`model::Multibody::place`], [`model::Multibody::advance`] | O(n) |
//! | mass matrix H (composite rigid bodies) | [`model::Multibody::mass_matrix`] | O(n d) |
//! | forces of a motion, H(q) v̇ + c(q, v) (Newton–Euler) | [`model::Multibody::inverse_dynamics`] | O(n) |
//! | motion under forces (articulated bodies) | [`factor::Factor`] | O(n) |
//!
//! Spatial vectors have world axes and, as reference point, the origin of their link: no rotation of a spatial quantity is
//! ever computed, and the moments of links far from the base lose no digits.

pub mod factor;
pub mod inverse;
pub mod joint;
pub mod mass_matrix;
pub mod model;
pub mod placement;
pub mod robot;
pub mod spatial;

#[cfg(test)]
mod tests;

pub use factor::{Factor, UnitForce};
pub use joint::JointModel;
pub use model::{LinkModel, Multibody};
pub use placement::Placement;
pub use robot::{RobotDynamics, RobotMotion};
pub use spatial::{ArticulatedInertia, RigidInertia, SpatialVector};
