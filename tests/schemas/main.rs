//! Published JSON schemas: those of answers and batches are derived from the types, and no field gets lost.

#[path = "../cli_program/mod.rs"]
mod cli_program;

use std::collections::BTreeSet;
use std::fs;

use cli_program::{ScratchFolder, extricate};
use extricate_test_support::json_schema::faults;
use serde_json::Value;

fn schema(folder: &str, name: &str) -> Value {
    let path = format!("{folder}/{name}.schema.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Fields of a schema: those of an object within another one behind its name and a dot.
fn fields(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(format!("{path}{name}"));
        fields(inner, &format!("{path}{name}."), found);
    }
    fields_of(&schema["items"], path, found);
    fields_of(&schema["additionalProperties"], &format!("{path}*."), found);
    schema["oneOf"].as_array().into_iter().flatten().for_each(|option| fields(option, path, found));
}

fn fields_of(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    if schema.is_object() {
        fields(schema, path, found);
    }
}

#[test]
fn published_schemas_are_those_of_the_types_and_lose_no_field() {
    let folder = ScratchFolder::new();
    let derived = folder.path("schemas");
    assert_eq!(extricate(["info", "--schemas", &derived]).exit, 0);
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schema");
    let oracle = include_str!("published_fields.txt");
    let names: BTreeSet<&str> = oracle.lines().filter_map(|line| Some(line.split_once(' ')?.0)).collect();
    let written = fs::read_dir(&derived).expect("a folder").count();
    assert_eq!(names.len(), written, "every derived schema has its list of fields");
    for name in names {
        let own_schema = schema(&derived, name);
        let how = "write it anew by `extricate info --schemas assets/schema`";
        assert_eq!(own_schema, schema(published, name), "{name}: {how}");
        let mut found = BTreeSet::new();
        fields(&own_schema, "", &mut found);
        let own = oracle.lines().filter_map(|line| line.split_once(' ')).filter(|(of, _)| *of == name);
        let lost: Vec<&str> = own.map(|(_, field)| field).filter(|field| !found.contains(*field)).collect();
        assert!(lost.is_empty(), "{name} has lost {lost:?}");
    }
}

#[test]
fn published_schemas_refuse_lines_that_hold_less_or_more_than_their_status_says() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schema");
    let points = "\"points\": [[0, 0, 0], [0, 0, 1]]";
    let line = |fields: &str| format!("{{\"index\": 0, \"time_us\": 1.5, {fields}}}");
    let counts = "\"counts\": {\"boxes\": 2, \"pairs\": 1, \"begun\": 1, \"ended\": 0}";
    let apart = |distance: &str| format!("\"distance\": {distance}, \"lower_bound\": 1, {points}");
    let contact = |time: f64| {
        format!(
            "\"status\": \"contact\", \"time\": {time}, {points}, \"normal\": [0, 0, 1], \"gap\": 0, \"triangles\": null, \"steps\": 3"
        )
    };
    for (name, accepted, refused) in [
        (
            "distance",
            format!("\"status\": \"separate\", {}", apart("1")),
            format!("\"status\": \"separate\", {}", apart("null")),
        ),
        (
            "distance",
            "\"status\": \"farther\", \"distance\": null, \"lower_bound\": null, \"points\": null".to_owned(),
            format!("\"status\": \"farther\", {}", apart("1")),
        ),
        (
            "collide",
            "\"status\": \"colliding\", \"collides\": true, \"pairs\": [[0, 3]]".to_owned(),
            "\"status\": \"colliding\", \"collides\": true, \"pairs\": null".to_owned(),
        ),
        ("time-of-contact", contact(0.5), contact(1.5)),
        ("self-collision", "\"status\": \"separate\", \"collides\": false".to_owned(), contact(0.5)),
        (
            "self-collision",
            "\"status\": \"separate\", \"collides\": false, \"contact\": null".to_owned(),
            "\"status\": \"separate\", \"collides\": false, \"contact\": {}".to_owned(),
        ),
        (
            "broad-phase",
            format!("\"status\": \"updated\", {counts}"),
            format!("\"status\": \"updated\", {counts}, \"begun\": null"),
        ),
    ] {
        let schema = schema(published, name);
        let found = |fields: &str| {
            let line = line(fields);
            faults(&schema, &serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
        };
        assert_eq!(found(&accepted), Vec::<String>::new(), "{name}: {accepted}");
        assert!(!found(&refused).is_empty(), "{name}: {refused}");
    }
}
