//! Soft bodies of a world: what they are made of, and how they are stepped beside rigid ones.

mod access;
mod assembly;
mod check;
mod description;
mod error;
mod handle;
mod partner;
mod solid;
mod state;
mod stepping;
#[cfg(test)]
mod tests;
mod world;

pub(super) use assembly::Rigid;
pub(super) use check::check;
pub use description::{
    Handle, Keyframe, NodeDepths, SoftAttachment, SoftBodyDescription, SoftOptions, SoftScheme,
};
pub use error::SoftBodyError;
pub use state::{AnyBody, SoftBodyState, SoftLoad, SoftOverlap, SoftReport};
pub(super) use stepping::Failure;
pub(super) use world::SoftWorld;
