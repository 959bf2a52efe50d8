//! Scenes, repair of poses, recordings, requests and batches.
//!
//! The API of this crate is not stable: use the crate `extricate`, which re-exports it.

pub mod batch;
mod disk;
pub mod json_schema;
pub mod record;
pub mod repair;
pub mod request;
pub mod scene;
mod state;

pub use disk::PrivateFolder;
