//! What a batch is of (`batch.json`), what it came to (`summary.json`), and how long it took (`timing.json`).

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manifest::Manifest;
use super::shard::Shard;
use crate::record::Hash;

/// What a batch is of: there from its start. Those of the shards of one batch differ in the shard alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchFile {
    /// Version of this program.
    pub version: String,
    /// Versions of the libraries that the answers depend on.
    pub libraries: BTreeMap<String, String>,
    /// The manifest.
    pub manifest: ManifestFacts,
    /// Which of its items.
    pub shard: Shard,
    /// How many of its items.
    pub items: u64,
}

/// What a manifest goes by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ManifestFacts {
    /// Hash of its bytes.
    pub hash: Hash,
    /// Its length in bytes.
    pub bytes: u64,
    /// How many items it holds.
    pub items: u64,
}

impl BatchFile {
    /// Its name in the folder of a batch.
    pub const FILE: &str = "batch.json";

    /// A shard of a manifest, as this program answers it.
    #[must_use]
    pub fn new(manifest: &Manifest, shard: Shard) -> Self {
        let facts = ManifestFacts { hash: manifest.hash(), bytes: manifest.bytes(), items: manifest.items() };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            libraries: [("rapier3d-f64".to_owned(), rapier3d::VERSION.to_owned())].into(),
            items: shard.share(facts.items),
            manifest: facts,
            shard,
        }
    }

    /// The first thing in which another one differs, as it is there and here.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let facts = |file: &Self| {
            let libraries = file.libraries.iter().map(|(name, version)| format!("{name} {version}"));
            [
                ("the hash of the manifest", file.manifest.hash.to_string()),
                ("the number of its items", file.manifest.items.to_string()),
                ("the shard", file.shard.to_string()),
                ("the version of the program", file.version.clone()),
                ("the libraries", libraries.collect::<Vec<_>>().join(", ")),
            ]
        };
        let mut pairs = facts(self).into_iter().zip(facts(other));
        pairs.find(|(own, other)| own != other).map(|((what, own), (_, other))| (what, own, other))
    }
}

/// What a batch came to. Equal batches have equal summaries, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BatchSummary {
    /// Version of this program.
    pub version: String,
    /// Versions of the libraries that the answers depend on.
    pub libraries: BTreeMap<String, String>,
    /// The manifest.
    pub manifest: ManifestFacts,
    /// How many items were answered.
    pub items: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many came to what, by kind and status.
    #[schemars(with = "BTreeMap<String, BTreeMap<String, NonZeroU64>>")]
    pub kinds: BTreeMap<String, BTreeMap<String, u64>>,
    /// Failures by exit code.
    #[schemars(with = "BTreeMap<String, NonZeroU64>")]
    pub exit_codes: BTreeMap<u8, u64>,
    /// Hash of `results.jsonl`.
    pub results_hash: Hash,
}

/// What of an answer is counted; the fields of a line of `failed.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Facts {
    /// Number of the item in the manifest, from 0.
    pub(super) index: u64,
    /// Its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub(super) id: Option<String>,
    /// Kind of the question; unknown where the line could not be read.
    pub(super) kind: String,
    /// As of the command that the item stands for; failed where there is no answer; of a run complete or not-met.
    pub(super) status: String,
    /// Of a failure: the exit code of the command that the item stands for.
    #[serde(default)]
    #[schemars(with = "crate::request::Class")]
    pub(super) exit_code: Option<u8>,
    /// Of a failure: the reason.
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) error: Option<String>,
}

impl Facts {
    /// The line of `failed.jsonl`, where the answer is a failure.
    pub(super) fn failed_line(&self) -> Option<Vec<u8>> {
        self.exit_code?;
        let mut line = serde_json::to_vec(self).expect("texts and numbers can be written");
        line.push(b'\n');
        Some(line)
    }
}

/// Answers, as they are counted in their order.
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
    /// Counts an answer, which is the next line of the results.
    pub(super) fn add(&mut self, facts: &Facts, line: &[u8]) {
        self.done += 1;
        let by_status = self.kinds.entry(facts.kind.clone()).or_default();
        *by_status.entry(facts.status.clone()).or_default() += 1;
        if let Some(code) = facts.exit_code {
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

/// How long a batch took. Nothing else of it, its runs aside, holds wall-clock time or depends on the machine.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BatchTiming {
    /// Name of the machine.
    pub host: String,
    /// Threads that were used.
    #[schemars(range(min = 1))]
    pub threads: usize,
    /// Items that were answered at a time.
    #[schemars(range(min = 1))]
    pub workers: usize,
    /// Items that an earlier call had answered.
    pub resumed: u64,
    /// Items that this call has answered.
    pub items: u64,
    /// Wall-clock time from the first item to the last [s].
    #[schemars(range(min = 0.0))]
    pub wall_time: f64,
    /// Items of this call over that time [1/s].
    #[schemars(range(min = 0.0))]
    pub items_per_second: f64,
    /// Time inside the questions themselves, over all workers [s].
    #[schemars(range(min = 0.0))]
    pub time_in_questions: f64,
    /// Share of the workers' time outside of them: reading, making ready, writing, waiting.
    #[schemars(range(max = 1.0))]
    pub share_outside: f64,
    /// Items and time inside their questions by kind.
    pub kinds: BTreeMap<&'static str, KindTiming>,
    /// How often a mesh, a robot or the like was made ready.
    pub loads: u64,
    /// Most memory of the process [bytes]; null where the system does not tell.
    pub peak_memory: Option<u64>,
    /// Memory of the process on the way, first to last.
    pub memory: Vec<MemorySample>,
}

/// The time of the questions of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct KindTiming {
    /// Number of items.
    pub items: u64,
    /// Time inside their questions [s].
    #[schemars(range(min = 0.0))]
    pub time: f64,
}

/// Memory at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MemorySample {
    /// Items done.
    pub items: u64,
    /// Resident memory of the process [bytes].
    pub bytes: u64,
}
