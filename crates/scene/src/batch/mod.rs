//! Many questions at once: manifests, answered side by side, in shards, and over interruptions.
//!
//! A [`Manifest`] holds an [`Item`] a line. [`batch()`] answers all of them, or a [`Shard`], into a folder; [`merge`] makes one
//! batch of all its shards, the same bytes as if there had been one. Meshes and robots that items have in common, a [`Library`] preprocesses once.

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
pub use manifest::{LONGEST_LINE, Manifest};
pub use merge::merge;
pub use progress::BatchProgress;
pub use run::{BatchOptions, BatchOutcome, batch};
pub use shard::Shard;
pub use summary::{BatchFile, BatchSummary, BatchTiming, KindTiming, ManifestFacts, MemorySample};
pub use workers::THREAD_NAME;
