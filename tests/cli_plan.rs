//! `extricate plan`: the path of a scene, in the form of its schema and equal in equal runs, with documented exit codes.

mod cli_program;

use cli_program::{extricate, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::Value;

/// A cube on one side of a wall with a hole, to go to the other side; `hole` is its edge, `plan` further fields of the plan.
fn scene(hole: f64, start: f64, plan: &str) -> String {
    let side = 2.0 - 0.5 * hole;
    let middle = 1.0 + 0.25 * hole;
    format!(
        r#"(
    title: "A cube behind a wall", duration: 1,
    shapes: {{
        "cube": cuboid(size: (0.2, 0.2, 0.2)),
        "beam": cuboid(size: (0.1, 4, {side})),
        "pier": cuboid(size: (0.1, {side}, {hole})),
        "floor": half_space,
    }},
    bodies: [
        (name: "cube", shape: "cube", position: ({start}, 0.4, 0)),
        (name: "above", shape: "beam", kind: fixed, position: (0, 0, {middle})),
        (name: "below", shape: "beam", kind: fixed, position: (0, 0, -{middle})),
        (name: "left", shape: "pier", kind: fixed, position: (0, {middle}, 0)),
        (name: "right", shape: "pier", kind: fixed, position: (0, -{middle}, 0)),
        (name: "floor", shape: "floor", kind: fixed, position: (0, 0, -2.5)),
    ],
    plan: (movable: "cube", position: (0.6, 0, 0.1), region: ((-1, -1, -1), (1, 1, 1)){plan}),
)"#
    )
}

fn conforms(text: &str) -> Value {
    let path = format!("{}/assets/schema/plan.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let found = faults(&schema, &value);
    assert!(found.is_empty(), "{}\nin {text}", found.join("\n"));
    value
}

#[test]
fn a_path_conforms_to_its_schema_and_is_the_same_in_equal_runs() {
    let folder = scratch_folder();
    let path = folder.write("wall.ron", &scene(0.4, -0.6, ""));
    let run = |out: &str, more: &[&str]| {
        let ended = extricate([&["plan", &path, "-o", &folder.path(out), "--json"], more].concat());
        assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
        let report = conforms(&ended.stdout);
        assert!(report["time_ms"].is_number());
        (report, folder.read(out))
    };
    let ((report, first), (_, second)) = (run("a.json", &[]), run("b.json", &["--threads", "1"]));
    assert_eq!(first, second);
    let written = conforms(&first);
    assert!(written.get("time_ms").is_none());
    assert_eq!((&written["status"], &written["path"]), (&Value::from("found"), &report["path"]));
    let poses = written["path"].as_array().expect("a path");
    let x = |pose: &Value| pose["position"][0].as_f64().expect("a number");
    assert_eq!((x(&poses[0]), x(poses.last().expect("poses"))), (-0.6, 0.6));
    let (other, _) = run("c.json", &["--no-retraction", "--seed", "4", "--shortcuts", "0"]);
    assert_eq!(other["retracted"], 0);
    assert_eq!(other["length"], other["found_length"]);
}

#[test]
fn where_no_path_is_found_the_exit_code_is_6_and_the_file_holds_what_was_reached() {
    let folder = scratch_folder();
    let path = folder.write("wall.ron", &scene(0.15, -0.6, ""));
    let ended = extricate(["plan", &path, "-o", &folder.path("out.json"), "--max-samples", "40", "--json"]);
    assert_eq!(ended.exit, 6, "{}{}", ended.stdout, ended.stderr);
    let written = conforms(&folder.read("out.json"));
    assert_eq!((&written["status"], &written["samples"]), (&Value::from("not-found"), &Value::from(40)));
    assert!(written["gap"].as_f64().is_some_and(|gap| gap > 0.1) && written["length"].is_null());
    let text = extricate(["plan", &path, "-o", &folder.path("out.json"), "--max-samples", "40"]);
    assert!(text.exit == 6 && text.stdout.contains("NO path was found"), "{}", text.stdout);
}

#[test]
fn a_scene_that_cannot_be_planned_is_refused_with_its_exit_code_and_the_names() {
    let folder = scratch_folder();
    let refused = |text: &str, exit: i32, parts: &[&str]| {
        let path = folder.write("scene.ron", text);
        let ended = extricate(["plan", &path, "-o", &folder.path("out.json")]);
        assert_eq!(ended.exit, exit, "{}{}", ended.stdout, ended.stderr);
        for part in parts {
            assert!(ended.stderr.contains(part), "{part} is not in {}", ended.stderr);
        }
    };
    refused(&scene(0.4, -0.1, ""), 4, &["the start is not free", "cube with left"]);
    refused(&scene(0.4, -0.6, ", joints: {\"elbow\": degrees(3)}"), 3, &["body `cube` has no joints"]);
    refused(&scene(0.4, -0.6, ", rotation: quaternion(1, 1, 0, 0)"), 3, &["unit"]);
    let text = scene(0.4, -0.6, "");
    refused(&text.replace("movable: \"cube\"", "movable: \"cub\""), 3, &["unknown robot or body `cub`"]);
    let without = text.replace(&text[text.find("    plan:").expect("a plan")..], ")");
    refused(&without, 3, &["has no `plan`"]);
    let reversed = text.replace("((-1, -1, -1), (1, 1, 1))", "((-1, 2, -1), (1, 1, 1))");
    refused(&reversed, 3, &["the limits are reversed"]);
}
