//! Algorithms of a step around rapier's own; [`step`](crate::step) orders them.

pub(crate) mod account;
mod all;
pub(crate) mod awake;
pub(crate) mod continuous;
pub(crate) mod depenetration;
pub(crate) mod free_rotation;
pub(crate) mod monitor;
pub(crate) mod pair_contacts;
pub(crate) mod refinement;
pub(crate) mod rest;
pub(crate) mod restitution;
pub(crate) mod rolling;

pub(crate) use all::Passes;
