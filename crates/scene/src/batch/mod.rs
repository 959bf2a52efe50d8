//! Batches: many requests answered in parallel from a manifest, in shards, resumable after interruptions.
//!
//! A [`Manifest`] holds an [`Item`] a line. [`batch()`] answers all of them, or those of a [`Shard`], into a folder; [`merge`] makes one
//! batch of all its shards, with the same bytes as if there had been one. A [`Library`] preprocesses shared meshes and robots once.

mod error;
mod folder;
mod item;
mod manifest;
mod memory;
mod merge;
mod progress;
mod report;
mod run;
pub mod schema;
mod shard;
mod summary;
mod workers;

pub use crate::request::{Access, Class, Fault, Library};
pub use error::BatchError;
pub use item::{Item, ItemError};
pub use manifest::{MAX_LINE_BYTES, Manifest};
pub use merge::merge;
pub use progress::BatchProgress;
pub use run::{BatchOptions, BatchOutcome, batch};
pub use shard::Shard;
pub use summary::{BatchFile, BatchSummary, BatchTiming, KindTiming, ManifestIdentity, MemorySample};
pub use workers::THREAD_NAME;
