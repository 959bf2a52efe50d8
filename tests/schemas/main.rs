//! Published JSON schemas: all are derived from the types, and no field and no bound gets lost.

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

/// Objects of a schema that do not exclude further fields.
fn open_objects(schema: &Value, path: &str, found: &mut Vec<String>) {
    if schema["properties"].is_object() && schema["additionalProperties"] != false {
        found.push(path.to_owned());
    }
    for (keyword, inner) in schema.as_object().into_iter().flatten() {
        open_objects(inner, &format!("{path}/{keyword}"), found);
    }
    for (index, inner) in schema.as_array().into_iter().flatten().enumerate() {
        open_objects(inner, &format!("{path}/{index}"), found);
    }
}

#[test]
fn published_schemas_keep_their_bounds() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/schema");
    let hash = "\"^[0-9a-f]{16}$\"";
    for (name, place, bound) in [
        ("check", "penetrations/items/properties/depth/exclusiveMinimum", "0"),
        ("check", "penetrations/items/properties/kind/enum", "[\"rigid\", \"soft\", \"self\"]"),
        ("check", "soft/items/properties/mass/exclusiveMinimum", "0"),
        ("diff", "first/maxItems", "8"),
        ("diff", "first/items/properties/difference/type", "[\"number\", \"null\"]"),
        ("diff", "last/maxItems", "2"),
        ("info", "threads/minimum", "1"),
        ("plan", "path/minItems", "1"),
        ("plan", "path/items/properties/rotation/minItems", "4"),
        ("plan", "nodes/items/minimum", "1"),
        ("record", "hash/pattern", hash),
        ("record", "states/minimum", "1"),
        ("run", "steps/minimum", "1"),
        ("run", "time_step/exclusiveMinimum", "0"),
        ("state", "bodies/additionalProperties/properties/position/maxItems", "3"),
        ("state", "energy/properties/kinetic/minimum", "0.0"),
        ("state", "hash/pattern", hash),
        ("summary", "energy/properties/gain/minimum", "0.0"),
        ("summary", "expect/items/properties/measured/type", "[\"number\", \"null\"]"),
        ("summary", "moved/additionalProperties/minItems", "3"),
        ("timing", "step_ms/additionalProperties/properties/p99/minimum", "0.0"),
        ("timing", "threads/minimum", "1"),
        ("verify", "measured/type", "[\"number\", \"null\"]"),
    ] {
        let found = schema(published, name).pointer(&format!("/properties/{place}")).cloned();
        assert_eq!(found, serde_json::from_str(bound).ok(), "{name}: {place}");
    }
    for file in fs::read_dir(published).expect("a folder") {
        let file = file.expect("a file").file_name();
        let name = file.to_string_lossy().trim_end_matches(".schema.json").to_owned();
        let mut open = Vec::new();
        open_objects(&schema(published, &name), "", &mut open);
        // A line of results has the fields of the response beside its own.
        assert!(open.is_empty() || name == "batch-result", "{name} has open objects: {open:?}");
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
