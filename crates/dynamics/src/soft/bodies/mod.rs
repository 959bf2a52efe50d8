//! Soft bodies of a world: what they are made of, and how they are stepped beside rigid ones.
//!
//! A step of a world first moves the soft bodies, from the state at its start, then hands rapier what they did to the rigid
//! ones, and rapier moves those. In the soft step
//!
//! - a dynamic body takes part with its inertia and two blocks of unknowns, its position and its turn, so that stiff contacts
//!   and light bodies are stable; what these blocks gain in velocity beyond what is expected without the soft bodies is the
//!   load, and it acts through rapier's step as a force, as gravity does;
//! - a kinematic body is where it will be at the end of the step, a fixed one where it is, and neither feels anything;
//! - a link of a robot is moved with the velocity that it has and feels the force of the end of the soft step in rapier's, a substep
//!   late.
//!
//! What is expected of a dynamic body without the soft bodies is free fall, and what held it against that and against their load
//! in the step before, but no more than that: a box on the ground does not give way under a soft body, and one that has just
//! hit the ground is not expected to jump.
//!
//! Force and opposite force are one number, so momentum is kept to the residual of Newton's method. The limits: support that
//! appears or ends is known a step late; free fall differs by 5/12 g h² a step between the implicit soft step of length h and
//! rapier's six substeps; a link that is much lighter than what its contacts bear in a step (their stiffness times h²)
//! rings; nodes on fixed and kinematic bodies are prescribed, and the force that takes is not told.
//!
//! A step that does not converge is taken again in halves, quarters and eighths, then it is an error and the world is as before.
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
mod handle;
mod partner;
mod pull;
mod snapshot;
mod solid;
pub(crate) mod state;
mod stepping;
#[cfg(test)]
mod tests;
pub(crate) mod world;

pub(crate) use assembly::Rigid;
pub(crate) use check::check;
pub(crate) use stepping::Failure;
