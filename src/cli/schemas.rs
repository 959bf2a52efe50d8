//! JSON schemas of answers and results, derived from their types.

use serde_json::{Value, json};

use super::verify::golden::{Comparison, Line, NotCompared};
use super::{check, diff, plan, record, verify};
use extricate_scene::json_schema::{of, titled};
use extricate_scene::{batch, record as recordings, request};

/// The published schemas except that of `info`, by the names of their files.
pub(super) fn all() -> Vec<(&'static str, Value)> {
    let own = |name, title: &str, schema| (name, titled(title, schema));
    let check = "`check --json`: the contents of a scene, and its defects";
    let plan = "The answer of `plan --json` and the file that `plan` writes, world frame";
    let verify = "A line of `verify --json`: an expectation of a scene and its verdict";
    let golden = "A line of `verify --json`: a run compared with its golden file; without one only the first five fields are present";
    let lines = json!({"oneOf": [of::<Line<'_, NotCompared>>(), of::<Line<'_, Comparison<'_>>>()]});
    let mut schemas = vec![
        own("check", check, of::<check::CheckOutput<'_>>()),
        own("diff", "The answer of `diff --json`", of::<diff::DiffAnswer>()),
        own("plan", plan, of::<plan::PlanOutput<'_>>()),
        own("record", "The answer of `record --json`", of::<record::RecordAnswer>()),
        own("verify", verify, of::<verify::Line>()),
        own("verify-golden", golden, lines),
    ];
    schemas.extend(request::schema::schemas());
    schemas.extend(batch::schema::schemas());
    schemas.extend(recordings::schema::schemas());
    schemas
}
