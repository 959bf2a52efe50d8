//! JSON schemas of the files of a batch, derived from their types.

use serde_json::{Value, json};

use super::report::{Line, NoAnswer};
use super::summary::{BatchFile, BatchSummary, BatchTiming, ItemOutcome};
use crate::json_schema::{of, titled};
use crate::request::KINDS;

/// The schemas of the files of a batch, by the names of their files.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    let kinds: Vec<&str> = KINDS.into_iter().chain(["unknown"]).collect();
    let with_kinds = |mut schema: Value| {
        schema["properties"]["kind"]["enum"] = json!(kinds);
        schema
    };
    let mut result = with_kinds(of::<Line<'_, NoAnswer>>());
    // Further fields are those of the response.
    result["additionalProperties"] = json!({});
    vec![
        ("batch", titled("batch.json", of::<BatchFile>())),
        ("batch-failure", titled("A line of failed.jsonl", with_kinds(of::<ItemOutcome>()))),
        ("batch-result", titled("A line of results.jsonl", result)),
        ("batch-summary", titled("summary.json of a batch", of::<BatchSummary>())),
        ("batch-timing", titled("timing.json of a batch", of::<BatchTiming>())),
    ]
}
