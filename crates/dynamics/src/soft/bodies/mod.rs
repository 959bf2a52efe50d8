//! Soft bodies of a world: their descriptions, and their stepping coupled with rigid bodies.
//!
//! A step of a world first advances the soft bodies from the state at its start, then applies their loads to the rigid bodies in
//! rapier, which advances those. In the soft step
//!
//! - a dynamic body has its inertia and two blocks of unknowns, position and rotation, so that stiff contacts and light bodies are
//!   stable; the velocity that these blocks gain beyond the one predicted without the soft bodies is the load, which acts
//!   through rapier's step as a force, as gravity does;
//! - a kinematic body is at its pose of the end of the step, a fixed one at its pose, and neither is affected;
//! - a link of a robot that is near a soft body moves as its robot would by itself, and its response to the soft bodies is that of the whole
//!   robot, in unknowns of its own ([`jointed`]); the robot then receives the mean force of the soft step. With the schemes that do not damp, and where rapier
//!   steps the robot, a link moves with its current velocity instead, and receives the force of the end of the soft step, a substep late.
//!
//! Where free bodies may meet other rigid ones within the step, the soft solve has these contacts as unilateral penalties with friction ([`supports`]): a box on
//! the ground does not give way under a soft body, whatever its load becomes. For groups of bodies that robots or joints hold, the predicted
//! acceleration of a dynamic body without the soft bodies is free fall plus the support that balanced it and the
//! soft load in the previous step, bounded by these; one that has just hit the ground is not predicted to jump. Where rapier's step ends elsewhere than the soft one expected, because the body hit another
//! rigid one, the next soft solve sets out from where the soft bodies were in balance with it, and the difference is a part of the way
//! of its blocks: soft bodies that press on it do not find it deep inside them at once.
//!
//! Action and reaction are one number, so momentum is conserved to the residual of Newton's method. Limits: support by robots and joints that
//! appears or ends is known a step late; free fall differs by 5/12 g h² a step between the implicit soft step of length h and
//! rapier's six substeps; nodes on fixed and kinematic bodies are prescribed, and their constraint forces
//! are part of the loads on these bodies; those of handles are reported with the state of the soft body.
//!
//! A step that does not converge is repeated in 2 and 4 substeps, and in 4 and 8 with more iterations where these leave bodies deep; a substep that does not converge either ends
//! with its best iterate, which the report states. Only a state that is not finite is an error, and the world is as before.
//!
//! ```
//! use std::sync::Arc;
//!
//! use extricate_dynamics::soft::material::{Constitutive, Material};
//! use extricate_dynamics::{BodyDescription, BodyKind, Shape, SoftBodyDescription, World, WorldOptions};
//! use extricate_core::geometry::tet_mesh::procedural::block;
//! use nalgebra::{Isometry3, Point3, Vector3};
//!
//! let mut builder = World::builder(WorldOptions { time_step: 0.01, ..WorldOptions::default() });
//! let ground = Shape::half_space();
//! builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))?;
//! let mesh = Arc::new(block([1, 1, 1], Vector3::repeat(0.1), Point3::origin())?);
//! let material = Material::new(Constitutive::Corotational, 1000.0, 1e5, 0.3)?.with_damping(2.0, 1e-3)?;
//! let above = Isometry3::translation(0.0, 0.0, 0.01);
//! builder.add_soft_body(SoftBodyDescription::new("cube", mesh, material, above))?;
//! let mut world = builder.build()?;
//! while world.time() < 1.0 {
//!     world.step()?;
//! }
//! let weight = world.soft_load("ground").expect("it is there").force.z;
//! assert!((weight + 9.81).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod check;
pub(crate) mod description;
mod finer;
mod handle;
mod joining;
pub(crate) mod jointed;
mod partner;
mod pull;
mod snapshot;
mod solid;
pub(crate) mod state;
mod stepping;
mod supports;
#[cfg(test)]
mod tests;
pub(crate) mod world;

pub(crate) use assembly::Rigid;
pub(crate) use check::check;
pub(crate) use stepping::Failure;
