//! JSON schemas of the files of a run, derived from their types.

use serde_json::Value;

use super::manifest::Manifest;
use super::summary::{Summary, Timing};
use crate::json_schema::{of, titled};
use crate::state::WorldState;

/// The schemas of the files of a run, by the names of their files.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    let state = "A line of states.jsonl: a recorded state, SI units, world frame";
    let summary = "summary.json: what a complete run came to; equal runs have equal summaries";
    let timing = "timing.json: how long a run took; nothing else of a run holds wall-clock time";
    vec![
        ("run", titled("run.json: what is run, and how; there from the start of a run", of::<Manifest>())),
        ("state", titled(state, of::<WorldState>())),
        ("summary", titled(summary, of::<Summary>())),
        ("timing", titled(timing, of::<Timing>())),
    ]
}
