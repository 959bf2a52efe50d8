//! Identity (`batch.json`), summary (`summary.json`) and times (`timing.json`) of a batch.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use super::shard::Shard;
use crate::record::Hash;

/// Identity of a batch, written at its start. Those of the shards of one batch differ in the shard alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchFile {
    /// Version of this program.
    pub version: String,
    /// Versions of the libraries that the results depend on.
    pub libraries: BTreeMap<String, String>,
    /// The manifest.
    pub manifest: ManifestIdentity,
    /// Shard of the manifest.
    pub shard: Shard,
    /// Number of items of the shard.
    pub items: u64,
}

/// Identity of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestIdentity {
    /// Hash of its bytes.
    pub hash: Hash,
    /// Length \[bytes\].
    pub bytes: u64,
    /// Number of items.
    pub items: u64,
}

impl BatchFile {
    /// File name in the folder of a batch.
    pub const FILE: &str = "batch.json";

    /// Identity of a shard of a manifest, as this program answers it.
    #[must_use]
    pub fn new(manifest: &Manifest, shard: Shard) -> Self {
        let identity =
            ManifestIdentity { hash: manifest.hash(), bytes: manifest.bytes(), items: manifest.items() };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            libraries: [("rapier3d-f64".to_owned(), rapier3d::VERSION.to_owned())].into(),
            items: shard.item_count(identity.items),
            manifest: identity,
            shard,
        }
    }

    /// First property in which `other` differs: its name, the own value and the other one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let properties = |file: &Self| {
            let libraries = file.libraries.iter().map(|(name, version)| format!("{name} {version}"));
            [
                ("the hash of the manifest", file.manifest.hash.to_string()),
                ("the number of its items", file.manifest.items.to_string()),
                ("the shard", file.shard.to_string()),
                ("the version of the program", file.version.clone()),
                ("the libraries", libraries.collect::<Vec<_>>().join(", ")),
            ]
        };
        let mut pairs = properties(self).into_iter().zip(properties(other));
        pairs.find(|(own, other)| own != other).map(|((what, own), (_, other))| (what, own, other))
    }
}

/// Summary of a batch. Equal batches have equal summaries, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatchSummary {
    /// Version of this program.
    pub version: String,
    /// Versions of the libraries that the results depend on.
    pub libraries: BTreeMap<String, String>,
    /// The manifest.
    pub manifest: ManifestIdentity,
    /// Number of answered items.
    pub items: u64,
    /// Number of failed items among them.
    pub failed: u64,
    /// Number of items by kind and status.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, NonZeroU64>>")]
    pub kinds: BTreeMap<String, BTreeMap<String, u64>>,
    /// Number of failures by exit code.
    #[schemars(with = "BTreeMap<String, NonZeroU64>")]
    pub exit_codes: BTreeMap<u8, u64>,
    /// Hash of `results.jsonl`.
    pub results_hash: Hash,
}

/// Fields of a result that are counted; a line of `failed.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ItemOutcome {
    /// Number of the item in the manifest, from 0.
    pub(super) index: u64,
    /// Id of the item, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) id: Option<String>,
    /// Kind of the request; `unknown` where the line could not be read.
    pub(super) kind: String,
    /// Status as of the equivalent command; `failed` where there is no answer; of a run `complete` or `not-met`.
    pub(super) status: String,
    /// Exit code of the equivalent command; failures only.
    #[serde(default)]
    #[schemars(with = "crate::request::Class")]
    pub(super) exit_code: Option<u8>,
    /// Reason of the failure; failures only.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) error: Option<String>,
}

impl ItemOutcome {
    /// The line of `failed.jsonl`, where the answer is a failure.
    pub(super) fn failed_line(&self) -> Option<Vec<u8>> {
        self.exit_code?;
        let mut line = serde_json::to_vec(self).expect("texts and numbers can be written");
        line.push(b'\n');
        Some(line)
    }
}

/// Counts of results, taken in the order of the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) done: u64,
    pub(super) failed: u64,
    kinds: BTreeMap<String, BTreeMap<String, u64>>,
    exit_codes: BTreeMap<u8, u64>,
    hash: Hash,
}

impl Default for Tally {
    fn default() -> Self {
        let (kinds, exit_codes) = (BTreeMap::new(), BTreeMap::new());
        Self { done: 0, failed: 0, kinds, exit_codes, hash: Hash::OF_NOTHING }
    }
}

impl Tally {
    /// Counts a result, which is the next line of the results.
    pub(super) fn add(&mut self, outcome: &ItemOutcome, line: &[u8]) {
        self.done += 1;
        let by_status = self.kinds.entry(outcome.kind.clone()).or_default();
        *by_status.entry(outcome.status.clone()).or_default() += 1;
        if let Some(code) = outcome.exit_code {
            self.failed += 1;
            *self.exit_codes.entry(code).or_default() += 1;
        }
        self.hash = self.hash.then(line);
    }

    /// The summary of a batch that is complete.
    pub(super) fn summary(self, file: &BatchFile) -> BatchSummary {
        let Self { done, failed, kinds, exit_codes, hash } = self;
        BatchSummary {
            version: file.version.clone(),
            libraries: file.libraries.clone(),
            manifest: file.manifest.clone(),
            items: done,
            failed,
            kinds,
            exit_codes,
            results_hash: hash,
        }
    }
}

/// Wall-clock times of a batch. No other file of a batch, those of its runs aside, depends on time or machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BatchTiming {
    /// Name of the machine.
    pub host: String,
    /// Number of threads.
    #[schemars(range(min = 1))]
    pub threads: usize,
    /// Number of workers: items that were answered at a time.
    #[schemars(range(min = 1))]
    pub workers: usize,
    /// Number of items that earlier calls have answered.
    pub resumed: u64,
    /// Number of items that this call has answered.
    pub items: u64,
    /// Wall-clock time from the first item to the last \[s\].
    #[schemars(range(min = 0.0))]
    pub wall_time: f64,
    /// Items of this call over that time [1/s].
    #[schemars(range(min = 0.0))]
    pub items_per_second: f64,
    /// Time inside the requests themselves, over all workers \[s\].
    #[schemars(range(min = 0.0))]
    pub time_in_questions: f64,
    /// Fraction of the workers' time outside the requests: reading, preprocessing, writing, waiting.
    #[schemars(range(max = 1.0))]
    #[serde(rename = "share_outside")]
    pub overhead_fraction: f64,
    /// Items and time inside their requests, by kind.
    pub kinds: BTreeMap<&'static str, KindTiming>,
    /// Number of times that a mesh, a robot or the like was preprocessed.
    pub loads: u64,
    /// Peak memory of the process \[bytes\]; null where the system does not report it.
    pub peak_memory: Option<u64>,
    /// Memory of the process over time.
    pub memory: Vec<MemorySample>,
}

/// Time of the requests of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct KindTiming {
    /// Number of items.
    pub items: u64,
    /// Time inside their requests \[s\].
    #[schemars(range(min = 0.0))]
    pub time: f64,
}

/// Memory use at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemorySample {
    /// Number of finished items.
    pub items: u64,
    /// Resident memory of the process \[bytes\].
    pub bytes: u64,
}
