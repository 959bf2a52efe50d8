//! Geometry, kinematics, multibody dynamics, trees, proximity, penetration depth, distance fields and planning.
//!
//! The API of this crate is not stable; use the crate `extricate`, which re-exports it.

pub mod bvh;
pub mod field;
pub mod geometry;
pub mod kinematics;
pub mod multibody;
pub mod parallel;
pub mod penetration;
pub mod plan;
pub mod proximity;
pub mod query;
pub mod suggestion;
