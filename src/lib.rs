//! Penetration depth between triangle meshes, and physics that stands on it.
//!
//! # Conventions
//!
//! SI units; right-handed frames; column vectors; poses are active and map body coordinates to world coordinates.
//! The direction of a penetration is the direction in which body **A** must move. Quaternions are written
//! `w, x, y, z` in every file format. Gravity belongs to the scene.
//!
//! Every query has three outcomes in three shapes: `Ok(Some(answer))`, `Ok(None)` for a *proved* absence, and
//! `Err` for a failure, which is never reported as an absence.
//!
//! # Layers
//!
//! Each layer names only those before it: [`geometry`], [`kinematics`], [`bvh`], [`proximity`], [`penetration`], [`field`], [`mod@plan`], [`dynamics`],
//! [`scene`], [`repair`], [`record`], [`batch`], `viewer` (with the feature of that name), [`cli`].

pub mod cli;

pub use extricate_core::query::{self, Posed, Robot, Shape};
pub use extricate_core::{bvh, field, geometry, kinematics, penetration, plan, proximity};
pub use extricate_dynamics as dynamics;
pub use extricate_scene::{batch, record, repair, scene};
#[cfg(feature = "viewer")]
pub use extricate_viewer as viewer;

/// The program in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmePrograms;
