//! Many questions at once: manifests, answered side by side, in shards, and over interruptions.
//!
//! A [`Manifest`] holds an [`Item`] a line. [`batch()`] answers all of them, or a [`Shard`], into a folder; [`merge`] makes one
//! batch of all its shards, the same bytes as if there had been one. What items have in common, a [`Library`] makes ready once.

pub mod access;
pub mod answers;
mod error;
mod fault;
mod fields;
mod folder;
mod item;
mod library;
mod manifest;
mod memory;
mod merge;
pub mod obstacles;
pub mod poses;
mod run;
pub mod shape;
mod shard;
mod summary;
mod task;
pub mod text;
pub mod tolerance;
mod workers;

pub use error::BatchError;
pub use fault::{Class, Fault};
pub use item::{Item, ItemError, ItemFault};
pub use library::Library;
pub use manifest::{LONGEST_LINE, Manifest};
pub use merge::merge;
pub use run::{BatchOptions, BatchOutcome, BatchProgress, batch};
pub use shard::Shard;
pub use summary::{BatchFile, BatchSummary, BatchTiming, KindTiming, ManifestFacts, MemorySample};
pub use workers::THREAD_NAME;
