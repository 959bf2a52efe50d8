//! JSON schemas of responses, derived from their types.

use serde_json::{Map, Value, json};

use super::bodies_repair::BodiesRepair;
use super::broad_phase::BoxOverlaps;
use super::collide::Collision;
use super::distance::Separation;
use super::generalized::GeneralizedResponse;
use super::growth::Growth;
use super::hausdorff::Deviation;
use super::penetration::PenetrationResponse;
use super::robot_repair::RobotRepair;
use super::scene_repair::SceneRepairResponse;
use super::self_collision::{LinksAtRest, MeshAtRest, MeshInMotion};
use super::spanning::SpanningDistance;
use super::time_of_contact::FirstContact;
use crate::json_schema::{of, titled};

/// Schema extension with the values of `status` that are written beside the fields of a type.
const STATUS: &str = "x-status";

/// Schemas of the output lines of queries and repairs, by file name.
#[must_use]
pub fn schemas() -> Vec<(&'static str, Value)> {
    let query = |kind: &str, responses: Vec<Value>| {
        let time = json!({"type": "number", "minimum": 0, "description": "Time of the query [µs]."});
        let failed = json!({
            "type": "object", STATUS: ["failed"],
            "properties": {"error": {"type": "string", "description": "Reason."}}, "required": ["error"],
        });
        let responses = responses.into_iter().chain([failed]).collect();
        lines(&format!("A line of `query {kind} --json`, world frame"), responses, ("time_us", &time))
    };
    let own =
        [of::<MeshAtRest>(), of::<MeshInMotion>(), of::<LinksAtRest>(), of_robots(of::<FirstContact>())];
    let time = json!({"type": "number", "minimum": 0, "description": "Time of the repair [ms]."});
    let repairs =
        vec![of::<BodiesRepair>(), with_error(of::<SceneRepairResponse>()), with_error(of::<RobotRepair>())];
    vec![
        ("broad-phase", query("broad-phase", vec![of::<BoxOverlaps>()])),
        ("collide", query("collide", vec![of::<Collision>()])),
        ("distance", query("distance", vec![of::<Separation>()])),
        ("generalized", query("generalized", vec![of::<GeneralizedResponse>()])),
        ("growth", query("growth", vec![of::<Growth>()])),
        ("hausdorff", query("hausdorff", vec![of::<Deviation>()])),
        ("penetration", query("penetration", vec![of::<PenetrationResponse>()])),
        ("repair", lines("The answer of `repair --json`, world frame", repairs, ("time_ms", &time))),
        ("self-collision", query("self-collision", own.to_vec())),
        ("spanning", query("spanning", vec![of::<SpanningDistance>()])),
        ("time-of-contact", query("time-of-contact", vec![of::<FirstContact>()])),
    ]
}

/// The alternatives of a schema of contacts that concern robots: contacts of links, and no contact.
fn of_robots(mut contacts: Value) -> Value {
    if let Some(Value::Array(options)) = contacts.get_mut("oneOf") {
        options
            .retain(|option| option[STATUS] == json!(["free"]) || option["properties"].get("link").is_some());
    }
    contacts
}

/// A schema with the field `error`, the reason why a repair is not accepted.
fn with_error(mut schema: Value) -> Value {
    let why = "Reason why it is not found though it is free: something would move too far.";
    schema["properties"]["error"] = json!({"type": "string", "description": why});
    schema
}

/// The schema of lines: `index`, `status`, a time, and the fields of responses.
fn lines(title: &str, responses: Vec<Value>, (time_name, time): (&str, &Value)) -> Value {
    let alternatives = responses.into_iter().flat_map(|response| match response.get("oneOf") {
        Some(Value::Array(options)) => options.clone(),
        _ => vec![response],
    });
    let line = |response: Value| {
        let Value::Object(mut response) = response else { return response };
        let status = response.remove(STATUS).unwrap_or_default();
        let index =
            json!({"type": "integer", "minimum": 0, "description": "Number of the question, 0-based."});
        let header = [("index", index), ("status", json!({"enum": status})), (time_name, time.clone())];
        let properties = response.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        for (name, schema) in &header {
            properties[*name] = schema.clone();
        }
        let mut required: Vec<Value> = header.iter().map(|(name, _)| json!(name)).collect();
        required.extend(response.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
        response.insert("required".to_owned(), Value::Array(required));
        response.insert("additionalProperties".to_owned(), Value::Bool(false));
        Value::Object(response)
    };
    titled(title, json!({"oneOf": alternatives.map(line).collect::<Vec<_>>()}))
}
