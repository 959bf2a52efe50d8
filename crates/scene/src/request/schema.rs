//! JSON schemas of responses, derived from their types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::bodies_repair::BodiesRepair;
use super::broad_phase::BoxOverlaps;
use super::collide::Collision;
use super::distance::Separation;
use super::generalized::GeneralizedResponse;
use super::hausdorff::Deviation;
use super::penetration::PenetrationResponse;
use super::robot_repair::RobotRepair;
use super::scene_repair::SceneRepairResponse;
use super::self_collision::{LinksAtRest, MeshAtRest, MeshInMotion};
use super::spanning::Span;
use super::time_of_contact::FirstContact;

/// Extension by which a type says what `status` stands beside its fields.
const STATUS: &str = "x-status";

/// The schemas of the lines of queries and repairs, by the names of their files.
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
        ("hausdorff", query("hausdorff", vec![of::<Deviation>()])),
        ("penetration", query("penetration", vec![of::<PenetrationResponse>()])),
        ("repair", lines("The answer of `repair --json`, world frame", repairs, ("time_ms", &time))),
        ("self-collision", query("self-collision", own.to_vec())),
        ("spanning", query("spanning", vec![of::<Span>()])),
        ("time-of-contact", query("time-of-contact", vec![of::<FirstContact>()])),
    ]
}

/// The schema of a file with its title.
#[must_use]
pub fn titled(title: &str, mut schema: Value) -> Value {
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(title);
    schema
}

/// The schema of a type as it is written, in the few keywords that validators of ours know: without references, closed to
/// other fields, alternatives as `oneOf`.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Value::Object(keywords) = &mut schema {
        keywords.remove("title");
    }
    simplify(&mut schema);
    schema
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(keywords) => {
            for keyword in ["format", "default"] {
                if keywords.get(keyword).is_some_and(|value| !value.is_object()) {
                    keywords.remove(keyword);
                }
            }
            if let Some(options) = keywords.remove("anyOf") {
                keywords.insert("oneOf".to_owned(), options);
            }
            if keywords.get("type").is_some_and(|kind| kind == "object" || has_type(kind, "object")) {
                keywords.entry("additionalProperties").or_insert(Value::Bool(false));
                without_null_where_left_out(keywords);
            }
            keywords.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

fn has_type(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
}

/// A field that is left out where it is none is never null.
fn without_null_where_left_out(keywords: &mut Map<String, Value>) {
    let required = keywords.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = keywords.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required.iter().any(|one| one == *name)) {
        let Some(kinds) = property.get_mut("type").filter(|kinds| has_type(kinds, "null")) else { continue };
        let kept: Vec<Value> =
            kinds.as_array().into_iter().flatten().filter(|one| *one != "null").cloned().collect();
        *kinds = match <[Value; 1]>::try_from(kept) {
            Ok([only]) => only,
            Err(several) => Value::Array(several),
        };
    }
}

/// The contacts of robots among those of all, and that there is none.
fn of_robots(mut contacts: Value) -> Value {
    if let Some(Value::Array(options)) = contacts.get_mut("oneOf") {
        options
            .retain(|option| option[STATUS] == json!(["free"]) || option["properties"].get("link").is_some());
    }
    contacts
}

/// A schema whose `error` says why a repair does not count.
fn with_error(mut schema: Value) -> Value {
    let why = "Reason why it is not found though it is free: something would move too far.";
    schema["properties"]["error"] = json!({"type": "string", "description": why});
    schema
}

/// The schema of lines: the fields of responses beside `index`, `status` and a time.
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
