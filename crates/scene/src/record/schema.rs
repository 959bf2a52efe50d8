//! JSON schemas of the files of a run, derived from their types.

use serde_json::Value;

use super::golden::{Golden, GoldenState};
use super::manifest::Manifest;
use super::summary::{Summary, Timing};
use crate::json_schema::{of, titled};
use crate::state::WorldState;

/// The schemas of the files of a run, by the names of their files.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    let state = "A line of states.jsonl: a recorded state, SI units, world frame";
    let summary = "summary.json: results of a complete run; equal runs have equal summaries";
    let timing = "timing.json: wall-clock times of a run; no other file of a run depends on them";
    let golden_state = "A further line of a golden file: a state, without what is equal in the state before";
    vec![
        ("golden", titled("The first line of a golden file: its header", of::<Golden>())),
        ("golden-state", titled(golden_state, of_golden_state())),
        ("run", titled("run.json: inputs and options of a run, written at its start", of::<Manifest>())),
        ("state", titled(state, of::<WorldState>())),
        ("summary", titled(summary, of::<Summary>())),
        ("timing", titled(timing, of::<Timing>())),
    ]
}

/// Schema of a state of a golden file: the change of a soft body's volume is left out, since it follows from the volume.
fn of_golden_state() -> Value {
    let mut schema = of::<GoldenState>();
    let required =
        schema.pointer_mut("/properties/soft/additionalProperties/required").and_then(Value::as_array_mut);
    required.into_iter().for_each(|names| names.retain(|name| name != "volume_change"));
    schema
}
