//! Answers to items, and the errors with which they fail.

use serde_json::{Map, Value};

use super::ROOT;
use super::cli_program::{extricate, scratch_folder};
use super::material::{SCENE, assert_same, batch, files, lines, manifest};

/// The answer without the fields that only a command or only a batch has.
fn stripped(answer: &Value) -> Map<String, Value> {
    let mut answer = answer.as_object().expect("an object").clone();
    for name in ["index", "id", "kind", "time_us", "time_ms"] {
        answer.remove(name);
    }
    answer
}

/// Items, and the commands that they stand for. Words in capitals stand for files, `POSE` and `MOTION` also for what these hold.
const ITEMS: [(&str, &str); 21] = [
    (
        r#"{"kind": "penetration", "a": "MESH", "b": "MESH", "poses": POSE, "seed": 3}"#,
        "query penetration MESH MESH --poses POSE --seed 3",
    ),
    (
        r#"{"kind": "penetration", "a": "MESH", "b": "box:1,1,1", "poses": POSE, "start": "normals", "lower_bound": "cover:100", "effort": "fast"}"#,
        "query penetration MESH box:1,1,1 --poses POSE --start normals --lower-bound cover:100 --effort fast",
    ),
    (
        r#"{"kind": "penetration", "a": "MESH", "b": "MESH", "poses": POSE, "allowed": "plane:0,1,2", "effort": "fast"}"#,
        "query penetration MESH MESH --poses POSE --allowed plane:0,1,2 --effort fast",
    ),
    (
        r#"{"kind": "penetration", "a": "cone:1,1", "b": "box:1,1,1", "poses": POSE, "norm": "linf"}"#,
        "query penetration cone:1,1 box:1,1,1 --poses POSE --norm linf",
    ),
    (
        r#"{"kind": "penetration", "a": "cone:1,1", "b": "rounded:0.1:box:1,1,1", "poses": POSE}"#,
        "query penetration cone:1,1 rounded:0.1:box:1,1,1 --poses POSE",
    ),
    (
        r#"{"kind": "collide", "a": "MESH", "b": "MESH", "poses": POSE, "all": true, "segments": true, "surface": true}"#,
        "query collide MESH MESH --poses POSE --all --segments --surface",
    ),
    (
        r#"{"kind": "distance", "a": "MESH", "b": "hull:MESH", "poses": FAR, "tolerance": "1%"}"#,
        "query distance MESH hull:MESH --poses FAR --tolerance 1%",
    ),
    (
        r#"{"kind": "distance", "a": "MESH", "b": "MESH", "poses": POSE, "signed": true}"#,
        "query distance MESH MESH --poses POSE --signed",
    ),
    (
        r#"{"kind": "distance", "a": "sphere:1", "b": "sphere:1", "poses": FAR, "closer_than": 1}"#,
        "query distance sphere:1 sphere:1 --poses FAR --closer-than 1",
    ),
    (
        r#"{"kind": "distance", "a": "sphere:1", "b": "cone:1,1", "poses": FAR, "norm": "l1"}"#,
        "query distance sphere:1 cone:1,1 --poses FAR --norm l1",
    ),
    (
        r#"{"kind": "hausdorff", "a": "MESH", "b": "box:1,1,1", "poses": POSE, "one_sided": true, "tolerance": "1%"}"#,
        "query hausdorff MESH box:1,1,1 --poses POSE --one-sided --tolerance 1%",
    ),
    (
        r#"{"kind": "growth", "a": "hull:MESH", "b": "box:1,1,1", "poses": POSE, "b_seed": [0.1, -0.2, 0]}"#,
        "query growth hull:MESH box:1,1,1 --poses POSE --b-seed 0.1,-0.2,0",
    ),
    (
        r#"{"kind": "spanning", "a": "MESH", "b": "box:1,1,1", "poses": POSE}"#,
        "query spanning MESH box:1,1,1 --poses POSE",
    ),
    (
        r#"{"kind": "time-of-contact", "a": "MESH", "b": "box:1,1,1", "poses": MOTION, "motion": "screw", "tolerance": "0.001%"}"#,
        "query time-of-contact MESH box:1,1,1 --poses MOTION --motion screw --tolerance 0.001%",
    ),
    (r#"{"kind": "self-collision", "a": "MESH", "all": true}"#, "query self-collision MESH --all"),
    (
        r#"{"kind": "generalized", "a": "MESH", "b": "box:1,1,1", "poses": POSE, "effort": "fast", "clearance": 0.01, "seed": 5}"#,
        "query generalized MESH box:1,1,1 --poses POSE --effort fast --clearance 0.01 --seed 5",
    ),
    (
        r#"{"kind": "repair", "robot": "ROBOT", JOINTS, "obstacle": ["box:0.4,0.4,0.4@0.5,0,0.4", "halfspace@0,0,-0.1"], "fix": ["turn"], "weight": {"elbow": 2}, "allow": [["forearm", "halfspace@0,0,-0.1"]]}"#,
        "repair --robot ROBOT --joints CONFIGURATION --obstacle box:0.4,0.4,0.4@0.5,0,0.4 --obstacle halfspace@0,0,-0.1 --fix turn --weight elbow=2 --allow forearm,halfspace@0,0,-0.1",
    ),
    (
        r#"{"kind": "repair", "robot": "ROBOT", JOINTS, "obstacle": ["MESH@1.5,0,0.4"], "floating": true, "effort": "fast"}"#,
        "repair --robot ROBOT --joints CONFIGURATION --obstacle MESH@1.5,0,0.4 --base floating --effort fast",
    ),
    (
        r#"{"kind": "repair", "scene": "SCENE", "turn": true, "fix": ["a"]}"#,
        "repair SCENE -o OUT --turn --fix a",
    ),
    (
        r#"{"kind": "plan", "scene": "PATH", "seed": 3, "shortcuts": 20}"#,
        "plan PATH -o OUT --seed 3 --shortcuts 20",
    ),
    (r#"{"kind": "check", "scene": "SCENE"}"#, "check SCENE"),
];

#[test]
fn answers_of_items_are_those_of_the_corresponding_commands() {
    let folder = scratch_folder();
    let joints = r#""joints": {"shoulder": 1.2, "elbow": 0.3}"#;
    let texts = [
        ("POSE", r#"{"a": {"translation": [0.3, 0.2, 0.1], "rotation": [0.8, 0, 0, 0.6]}}"#),
        ("FAR", r#"{"a": {"translation": [4, 0, 0]}}"#),
        ("MOTION", r#"{"a": {"translation": [4, 0, 0]}, "a_end": {"rotation": [0.8, 0, 0, 0.6]}}"#),
        ("JOINTS", joints),
    ];
    let files: Vec<(&str, String)> =
        texts.iter().map(|(name, text)| (*name, folder.write(&format!("{name}.jsonl"), text))).collect();
    let shared = [
        ("MESH", format!("{ROOT}/assets/meshes/ring.obj")),
        ("ROBOT", format!("{ROOT}/assets/robots/arm.urdf")),
        ("CONFIGURATION", folder.write("q.json", &format!("{{{joints}}}"))),
        ("SCENE", folder.write("scene.ron", SCENE)),
        ("PATH", format!("{ROOT}/scenes/plan/crawler_under_bridge.ron")),
        ("OUT", folder.path("out.ron")),
    ];
    let filled =
        |text: &str| shared.iter().fold(text.to_owned(), |text, (name, path)| text.replace(name, path));
    let item = |text: &str| texts.iter().fold(filled(text), |text, (name, held)| text.replace(name, held));
    let command = |word: &str| files.iter().fold(filled(word), |word, (name, path)| word.replace(name, path));
    let manifest: Vec<String> = ITEMS.iter().map(|(text, _)| item(text)).collect();
    let manifest = folder.write("manifest.jsonl", &manifest.join("\n"));
    let ended = batch(&manifest, &folder.path("batch"), &[]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let answers = lines(&folder.read("batch/results.jsonl"));
    for (answer, (item, words)) in answers.iter().zip(ITEMS) {
        let words: Vec<String> = words.split(' ').map(command).collect();
        let ended = extricate(words.iter().map(String::as_str).chain(["--json"]));
        assert_eq!(ended.exit, 0, "{item}: {}", ended.stderr);
        assert_eq!(stripped(answer), stripped(&lines(&ended.stdout)[0]), "{item}");
    }
    let statuses: Vec<&str> =
        answers.iter().map(|answer| answer["status"].as_str().expect("a status")).collect();
    let repaired = statuses.iter().filter(|status| **status == "repaired").count();
    assert_eq!((statuses[8], repaired), ("farther", 3), "{statuses:?}");
}

/// Items that fail, with their exit code and a part of the message.
const FAILING: [(&str, u8, &str); 12] = [
    (r#"{"kind": "penetration", "id": "x1", "a": "bad.obj", "b": "box:1,1,1"}"#, 3, "bad.obj:2: "),
    (
        r#"{"kind": "penetration", "id": "x2", "a": "none.obj", "b": "box:1,1,1"}"#,
        3,
        "none.obj: cannot be read",
    ),
    (r#"{"kind": "penetration", "id": "x3", "a": "spere:1", "b": "box:1,1,1"}"#, 2, "unknown shape `spere`"),
    (
        r#"{"kind": "collide", "id": "x4", "a": "sphere:1", "b": "sphere:1", "all": true}"#,
        2,
        "`sphere:1` has no triangles",
    ),
    (
        r#"{"kind": "penetration", "id": "x5", "a": "sphere:1", "b": "sphere:1", "seed": 1}"#,
        2,
        "`seed` applies to meshes only",
    ),
    (
        r#"{"kind": "penetration", "id": "x6", "a": "sphere:1", "b": "sphere:1", "sed": 1}"#,
        3,
        "line 7 of the manifest: unknown field `sed`",
    ),
    (r#"{"kind": "penetration", "a": NaN"#, 3, "line 8 of the manifest: invalid item: "),
    (r#"{"kind": "generalized", "id": "x8", "a": "halfspace", "b": "box:1,1,1"}"#, 3, "halfspace"),
    (r#"{"kind": "repair", "id": "x9", "scene": "bad.ron"}"#, 3, "bad.ron:1:"),
    (r#"{"kind": "run", "id": "x10", "scene": "none.ron"}"#, 3, "none.ron"),
    (r#"{"kind": "repair", "id": "x11", "robot": "none.urdf"}"#, 3, "none.urdf"),
    (
        r#"{"kind": "distance", "id": "x12", "a": "box:1,1,1", "b": "box:1,1,1", "poses": {"a": {"translation": [1e308, 0, 0]}, "b": {"translation": [-1e308, 0, 0]}}}"#,
        5,
        "",
    ),
];

#[test]
fn a_failing_item_is_reported_by_name_and_the_others_are_answered() {
    let folder = scratch_folder();
    folder.write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    folder.write("bad.ron", "Scene(title: 3)");
    let good = r#"{"kind": "penetration", "id": "good", "a": "box:1,1,1", "b": "sphere:1"}"#;
    let mut text = vec![good];
    text.extend(FAILING.iter().map(|(line, _, _)| *line));
    text.push(r#"{"kind": "collide", "id": "last", "a": "sphere:1", "b": "sphere:1"}"#);
    let manifest = folder.write("manifest.jsonl", &text.join("\n"));
    let ended = batch(&manifest, &folder.path("out"), &[]);
    assert_eq!(ended.exit, 8, "{}", ended.stderr);
    let results = lines(&folder.read("out/results.jsonl"));
    let failed = lines(&folder.read("out/failed.jsonl"));
    assert_eq!((results.len(), failed.len()), (FAILING.len() + 2, FAILING.len()));
    assert_eq!(results[0]["status"], "penetrating");
    assert_eq!(results[FAILING.len() + 1]["status"], "colliding");
    for (index, (line, code, message)) in FAILING.iter().enumerate() {
        let failure = &failed[index];
        assert_eq!(failure["index"], index + 1);
        assert_eq!(
            (&failure["exit_code"], &failure["status"]),
            (&Value::from(*code), &Value::from("failed")),
            "{line}: {failure}"
        );
        let error = failure["error"].as_str().unwrap();
        assert!(error.contains(message), "{line}: {error}");
        assert!(!error.contains(&folder.path("")), "{error}");
        assert_eq!(failure["error"], results[index + 1]["error"]);
        let id = serde_json::from_str::<Value>(line).map_or(Value::Null, |item| item["id"].clone());
        assert_eq!(failure.get("id").unwrap_or(&Value::Null), &id);
    }
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["failed"], FAILING.len());
}

#[test]
fn a_repair_that_is_not_found_is_a_failure_with_its_best_effort() {
    let folder = scratch_folder();
    let robot = format!("{ROOT}/assets/robots/two_link.urdf");
    // A ball around the whole arm: its root cannot move.
    let manifest = folder.write(
        "manifest.jsonl",
        &format!(r#"{{"kind": "repair", "robot": "{robot}", "obstacle": ["sphere:30"], "effort": "fast"}}"#),
    );
    assert_eq!(batch(&manifest, &folder.path("out"), &[]).exit, 8);
    let result = &lines(&folder.read("out/results.jsonl"))[0];
    assert_eq!((&result["status"], &result["exit_code"]), (&Value::from("not-found"), &Value::from(6)));
    assert!(result["joints"].is_object());
    assert!(result["error"].as_str().unwrap().contains("sphere:30"));
    assert_eq!(lines(&folder.read("out/failed.jsonl"))[0]["exit_code"], 6);
}

#[test]
fn a_strict_check_that_finds_overlaps_is_a_failure_with_its_findings() {
    let folder = scratch_folder();
    let scene = folder.write("scene.ron", SCENE);
    let item = |strict: &str| format!(r#"{{"kind": "check", "scene": "{scene}"{strict}}}"#);
    let text = format!("{}\n{}", item(""), item(r#", "strict": true"#));
    let manifest = folder.write("manifest.jsonl", &text);
    assert_eq!(batch(&manifest, &folder.path("out"), &[]).exit, 8);
    let results = lines(&folder.read("out/results.jsonl"));
    let [lenient, strict] = [0, 1].map(|index: usize| &results[index]);
    assert_eq!((&lenient["status"], lenient.get("exit_code")), (&Value::from("overlapping"), None));
    let expected = extricate(["check", &scene, "--strict"]).exit;
    assert_eq!(
        (&strict["status"], &strict["exit_code"]),
        (&Value::from("overlapping"), &Value::from(expected))
    );
    assert_eq!((expected, &strict["penetrations"]), (4, &lenient["penetrations"]));
}

#[test]
fn a_batch_that_cannot_be_done_is_refused_with_the_reason() {
    let folder = scratch_folder();
    let item = r#"{"kind": "collide", "a": "sphere:1", "b": "sphere:1""#;
    let good = folder.write("good.jsonl", &format!("{item}}}\n{item}, \"id\": \"two\"}}\n"));
    let twice = folder.write("twice.jsonl", &format!("{item}, \"id\": \"x\"}}\n\n{item}, \"id\": \"x\"}}\n"));
    let empty = folder.write("empty.jsonl", "\n\n");
    let other = folder.write("other.jsonl", &format!("{item}}}\n"));
    let out = folder.path("out");
    assert_eq!(batch(&good, &out, &["--shard", "0/2"]).exit, 0);
    let file = folder.write("file", "");
    for (arguments, exit, message) in [
        (vec![twice.as_str(), "-o", "x"], 3, ":3: duplicate id `x`: first used in line 1"),
        (vec![&empty, "-o", "x"], 3, "holds no items"),
        (vec!["none.jsonl", "-o", "x"], 3, "none.jsonl: cannot be read"),
        (vec![&good, "-o", &out, "--shard", "0/2"], 2, "already holds results"),
        (vec![&good, "-o", &out, "--shard", "1/2", "--resume"], 2, "the shard is 0/2 there, expected 1/2"),
        (vec![&other, "-o", &out, "--resume"], 2, "the hash of the manifest is "),
        (vec![&good, "-o", &file], 2, "cannot write"),
        (vec![&good, "-o", "x", "--shard", "2/2"], 2, "I/N"),
    ] {
        let ended = extricate(["batch"].into_iter().chain(arguments.iter().copied()));
        assert_eq!(ended.exit, exit, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{arguments:?}: {}", ended.stderr);
    }
    // Resuming a complete batch changes nothing.
    let before = files(&out);
    assert_eq!(batch(&good, &out, &["--shard", "0/2", "--resume"]).exit, 0);
    assert_eq!(files(&out), before);
}

#[test]
fn files_with_equal_bytes_are_preprocessed_once() {
    let folder = scratch_folder();
    let _ = manifest(&folder, 1);
    let item = |a: &str| format!(r#"{{"kind": "collide", "a": "{a}", "b": "ring.obj"}}"#);
    let text: Vec<String> = (0..50).map(|i| item(["ring.obj", "again.obj", "./ring.obj"][i % 3])).collect();
    let manifest = folder.write("shared.jsonl", &text.join("\n"));
    assert_eq!(batch(&manifest, &folder.path("out"), &[]).exit, 0);
    let timing: Value = serde_json::from_str(&folder.read("out/timing.json")).unwrap();
    assert_eq!(timing["loads"], 1);
    // Without memory everything is preprocessed again, and the answers are the same.
    assert_eq!(batch(&manifest, &folder.path("small"), &["--memory", "1"]).exit, 0);
    assert_same(&folder.path("out"), &folder.path("small"));
}

#[test]
fn the_shipped_manifest_is_answered() {
    let folder = scratch_folder();
    let ended = batch(&format!("{ROOT}/assets/manifests/demo.jsonl"), &folder.path("out"), &[]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["failed"], 0);
}

#[test]
fn a_manifest_that_is_named_without_its_folder_is_answered() {
    let folder = scratch_folder();
    folder.write("m.jsonl", "{\"id\":\"a\",\"kind\":\"collide\",\"a\":\"box:1,1,1\",\"b\":\"sphere:1\"}\n");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_extricate"));
    let ended = command.args(["batch", "m.jsonl", "-o", "out"]).current_dir(folder.folder()).output();
    let ended = ended.expect("the program starts");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    assert!(folder.read("out/results.jsonl").contains("\"colliding\""));
}
