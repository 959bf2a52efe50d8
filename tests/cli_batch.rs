//! `batch` and `merge`: the answers of the commands they stand for, whatever the threads, shards and kills.

mod cli_program;
mod json_schema;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use cli_program::{Ended, Folder, extricate, program};
use serde_json::{Map, Value};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Files of a batch that do not depend on the machine.
const FILES: [&str; 4] = ["batch.json", "results.jsonl", "failed.jsonl", "summary.json"];

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn schema(name: &str) -> Value {
    let path = format!("{ROOT}/assets/schema/{name}.schema.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON")
}

/// Numbers from 0 to 1, always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss, reason = "31 bits")]
        let number = (self.0 >> 33) as f64;
        number / f64::from(1_u32 << 31)
    }

    fn translation(&mut self, size: f64) -> String {
        let coordinates: [f64; 3] = std::array::from_fn(|_| size * (2.0 * self.next() - 1.0));
        format!("{{\"translation\": {coordinates:?}}}")
    }
}

/// A manifest of many kinds of items, some of which fail, in a folder with a mesh.
fn manifest(folder: &Folder, items: usize) -> String {
    fs::copy(format!("{ROOT}/assets/meshes/ring.obj"), folder.path("ring.obj")).expect("a mesh");
    fs::copy(format!("{ROOT}/assets/meshes/ring.obj"), folder.path("again.obj")).expect("a mesh");
    fs::copy(format!("{ROOT}/assets/robots/two_link.urdf"), folder.path("arm.urdf")).expect("a robot");
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 7\n");
    folder.write("scene.ron", SCENE);
    let mut numbers = Numbers(7);
    let item = |index: usize| {
        let pose = numbers.translation(0.6);
        match index % 12 {
            0 | 6 => format!(
                r#"{{"kind": "penetration", "a": "ring.obj", "b": "again.obj", "poses": {{"a": {pose}}}, "effort": "fast"}}"#
            ),
            1 => format!(
                r#"{{"kind": "penetration", "id": "c-{index}", "a": "box:1,1,1", "b": "hull:ring.obj", "poses": {{"a": {pose}}}}}"#
            ),
            2 => format!(
                r#"{{"kind": "collide", "a": "ring.obj", "b": "box:1,1,1", "poses": {{"b": {pose}}}, "all": true}}"#
            ),
            3 => format!(
                r#"{{"kind": "distance", "a": "cone:0.2,0.5", "b": "sphere:0.3", "poses": {{"a": {pose}}}, "signed": true}}"#
            ),
            4 => format!(
                r#"{{"kind": "generalized", "a": "box:1,0.2,0.2", "b": "box:0.5,0.5,0.5", "poses": {{"a": {pose}}}, "effort": "fast"}}"#
            ),
            5 => format!(
                r#"{{"kind": "penetration", "a": "bad.obj", "b": "ring.obj", "poses": {{"a": {pose}}}}}"#
            ),
            7 => format!(
                r#"{{"kind": "repair", "robot": "arm.urdf", "obstacle": [{{"shape": "sphere:0.1", "pose": {pose}}}], "effort": "fast"}}"#
            ),
            8 => String::from(
                r#"{"kind": "penetration", "a": "ring.obj", "b": "ring.obj", "poses": {"a": {"translation": [NaN, 0, 0]}}}"#,
            ),
            9 => format!(
                r#"{{"kind": "distance", "a": "ring.obj", "b": "again.obj", "poses": {{"a": {pose}}}}}"#
            ),
            10 => format!(r#"{{"kind": "run", "id": "run-{index}", "scene": "scene.ron", "steps": 5}}"#),
            _ => String::from(r#"{"kind": "repair", "scene": "scene.ron"}"#),
        }
    };
    let text: Vec<String> = (0..items).map(item).collect();
    folder.write("manifest.jsonl", &(text.join("\n") + "\n"))
}

/// Two cubes, one in the other.
const SCENE: &str = r#"(
    title: "Two cubes, one in the other",
    duration: 0.1,
    shapes: {"cube": cuboid(size: (1, 1, 1))},
    bodies: [
        (name: "a", shape: "cube", position: (0, 0, 0)),
        (name: "b", shape: "cube", position: (0.6, 0.1, 0)),
    ],
)
"#;

fn batch(manifest: &str, output: &str, options: &[&str]) -> Ended {
    extricate(["batch", manifest, "-o", output, "--quiet"].into_iter().chain(options.iter().copied()))
}

/// Every file below a folder that does not depend on the machine, with its bytes.
fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    fn gather(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                gather(root, &path, found);
            } else if path.file_name().is_some_and(|name| name != "timing.json") {
                let name = path.strip_prefix(root).expect("a file below").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    let mut found = BTreeMap::new();
    gather(Path::new(folder), Path::new(folder), &mut found);
    found
}

fn assert_same(left: &str, right: &str) {
    let (left, right) = (files(left), files(right));
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (name, bytes) in &left {
        assert!(bytes == &right[name], "{name} differs");
    }
}

/// The answer without what a command has and a batch has not, or the other way round.
fn stripped(answer: &Value) -> Map<String, Value> {
    let mut answer = answer.as_object().expect("an object").clone();
    for name in ["index", "id", "kind", "time_us", "time_ms"] {
        answer.remove(name);
    }
    answer
}

/// Items, and the commands that they stand for. Words in capitals stand for files, `POSE` and `MOTION` also for what these hold.
const ITEMS: [(&str, &str); 15] = [
    (
        r#"{"kind": "penetration", "a": "MESH", "b": "MESH", "poses": POSE, "seed": 3}"#,
        "query penetration MESH MESH --poses POSE --seed 3",
    ),
    (
        r#"{"kind": "penetration", "a": "MESH", "b": "box:1,1,1", "poses": POSE, "start": "normals", "lower_bound": "cover:100", "effort": "fast"}"#,
        "query penetration MESH box:1,1,1 --poses POSE --start normals --lower-bound cover:100 --effort fast",
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
        r#"{"kind": "hausdorff", "a": "MESH", "b": "box:1,1,1", "poses": POSE, "one_sided": true, "tolerance": "1%"}"#,
        "query hausdorff MESH box:1,1,1 --poses POSE --one-sided --tolerance 1%",
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
        r#"{"kind": "repair", "robot": "ROBOT", JOINTS, "obstacle": ["MESH@0.3,0.1,0.6"], "floating": true, "effort": "fast"}"#,
        "repair --robot ROBOT --joints CONFIGURATION --obstacle MESH@0.3,0.1,0.6 --base floating --effort fast",
    ),
    (
        r#"{"kind": "repair", "scene": "SCENE", "turn": true, "fix": ["a"]}"#,
        "repair SCENE -o OUT --turn --fix a",
    ),
];

#[test]
fn answers_are_those_of_the_commands_that_items_stand_for() {
    let folder = Folder::new();
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
    assert_eq!((statuses[6], repaired), ("farther", 3), "{statuses:?}");
}

#[test]
fn neither_threads_nor_shards_change_a_byte_and_the_files_are_as_their_schemas_say() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 60);
    let whole = folder.path("whole");
    let ended = batch(&manifest, &whole, &["--threads", "1", "--json"]);
    assert_eq!(ended.exit, 8, "{}", ended.stderr);
    assert_eq!(lines(&ended.stdout)[0]["complete"], true);
    for (name, file) in
        [("batch", "batch.json"), ("batch-summary", "summary.json"), ("batch-timing", "timing.json")]
    {
        let value = serde_json::from_str(&folder.read(&format!("whole/{file}"))).unwrap();
        assert_eq!(json_schema::faults(&schema(name), &value), Vec::<String>::new(), "{file}");
    }
    let results = lines(&folder.read("whole/results.jsonl"));
    assert_eq!(results.len(), 60);
    for (index, result) in results.iter().enumerate() {
        assert_eq!(result["index"], index);
        assert_eq!(json_schema::faults(&schema("batch-result"), result), Vec::<String>::new(), "{result}");
    }
    for failure in lines(&folder.read("whole/failed.jsonl")) {
        assert_eq!(json_schema::faults(&schema("batch-failure"), &failure), Vec::<String>::new());
    }
    assert!(folder.exists("whole/runs/run-10/summary.json"));
    let ended = batch(&manifest, &folder.path("threads"), &["--threads", "5"]);
    assert_eq!(ended.exit, 8);
    assert_same(&whole, &folder.path("threads"));
    for count in [1, 3, 16] {
        let shards = folder.path(&format!("shards-{count}"));
        for index in 0..count {
            let shard = format!("{index}/{count}");
            let ended =
                batch(&manifest, &format!("{shards}/{index}"), &["--shard", &shard, "--threads", "2"]);
            assert!([0, 8].contains(&ended.exit), "{}", ended.stderr);
        }
        let merged = folder.path(&format!("merged-{count}"));
        assert_eq!(extricate(["merge", &shards, "-o", &merged]).exit, 8);
        assert_same(&whole, &merged);
    }
}

/// Items that fail, with their exit code and a part of the message.
const FAILING: [(&str, u8, &str); 12] = [
    (r#"{"kind": "penetration", "id": "x1", "a": "bad.obj", "b": "box:1,1,1"}"#, 3, "bad.obj:2: "),
    (
        r#"{"kind": "penetration", "id": "x2", "a": "none.obj", "b": "box:1,1,1"}"#,
        3,
        "none.obj: cannot be read",
    ),
    (
        r#"{"kind": "penetration", "id": "x3", "a": "spere:1", "b": "box:1,1,1"}"#,
        2,
        "there is no shape `spere`",
    ),
    (
        r#"{"kind": "collide", "id": "x4", "a": "sphere:1", "b": "sphere:1", "all": true}"#,
        2,
        "`sphere:1` has no triangles",
    ),
    (
        r#"{"kind": "penetration", "id": "x5", "a": "sphere:1", "b": "sphere:1", "seed": 1}"#,
        2,
        "`seed` belongs to meshes",
    ),
    (
        r#"{"kind": "penetration", "id": "x6", "a": "sphere:1", "b": "sphere:1", "sed": 1}"#,
        3,
        "line 7 of the manifest: there is no field `sed`",
    ),
    (r#"{"kind": "penetration", "a": NaN"#, 3, "line 8 of the manifest: not an item: "),
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
fn an_item_that_fails_is_told_by_name_and_the_others_are_answered() {
    let folder = Folder::new();
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
    for (index, (line, code, told)) in FAILING.iter().enumerate() {
        let failure = &failed[index];
        assert_eq!(failure["index"], index + 1);
        assert_eq!(
            (&failure["exit_code"], &failure["status"]),
            (&Value::from(*code), &Value::from("failed")),
            "{line}: {failure}"
        );
        let error = failure["error"].as_str().unwrap();
        assert!(error.contains(told), "{line}: {error}");
        assert!(!error.contains(&folder.path("")), "{error}");
        assert_eq!(failure["error"], results[index + 1]["error"]);
        let id = serde_json::from_str::<Value>(line).map_or(Value::Null, |item| item["id"].clone());
        assert_eq!(failure.get("id").unwrap_or(&Value::Null), &id);
    }
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["failed"], FAILING.len());
}

#[test]
fn what_is_not_found_is_a_failure_with_its_best_effort() {
    let folder = Folder::new();
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
fn a_batch_that_cannot_be_done_is_refused_with_the_reason() {
    let folder = Folder::new();
    let item = r#"{"kind": "collide", "a": "sphere:1", "b": "sphere:1""#;
    let good = folder.write("good.jsonl", &format!("{item}}}\n{item}, \"id\": \"two\"}}\n"));
    let twice = folder.write("twice.jsonl", &format!("{item}, \"id\": \"x\"}}\n\n{item}, \"id\": \"x\"}}\n"));
    let empty = folder.write("empty.jsonl", "\n\n");
    let other = folder.write("other.jsonl", &format!("{item}}}\n"));
    let out = folder.path("out");
    assert_eq!(batch(&good, &out, &["--shard", "0/2"]).exit, 0);
    let file = folder.write("file", "");
    for (arguments, exit, told) in [
        (vec![twice.as_str(), "-o", "x"], 3, ":3: the id `x` stands in line 1 already"),
        (vec![&empty, "-o", "x"], 3, "holds no items"),
        (vec!["none.jsonl", "-o", "x"], 3, "none.jsonl: cannot be read"),
        (vec![&good, "-o", &out, "--shard", "0/2"], 2, "holds answers already"),
        (vec![&good, "-o", &out, "--shard", "1/2", "--resume"], 2, "the shard is 0/2 there, and 1/2 here"),
        (vec![&other, "-o", &out, "--resume"], 2, "the hash of the manifest is "),
        (vec![&good, "-o", &file], 2, "cannot write"),
        (vec![&good, "-o", "x", "--shard", "2/2"], 2, "I/N"),
    ] {
        let ended = extricate(["batch"].into_iter().chain(arguments.iter().copied()));
        assert_eq!(ended.exit, exit, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(told), "{arguments:?}: {}", ended.stderr);
    }
    // Going on with what is complete changes nothing.
    let before = files(&out);
    assert_eq!(batch(&good, &out, &["--shard", "0/2", "--resume"]).exit, 0);
    assert_eq!(files(&out), before);
}

#[test]
fn shards_that_do_not_make_a_whole_are_refused_by_name() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 24);
    let shard = |name: &str, shard: &str| {
        let path = folder.path(name);
        batch(&manifest, &path, &["--shard", shard]);
        path
    };
    let [zero, one, two] = [shard("s0", "0/3"), shard("s1", "1/3"), shard("s2", "2/3")];
    let twin = shard("twin", "1/3");
    let of_two = shard("of-two", "1/2");
    let text = folder.read("manifest.jsonl") + "\n{\"kind\": \"run\", \"scene\": \"scene.ron\"}\n";
    let longer = folder.write("longer.jsonl", &text);
    let other = folder.path("other");
    batch(&longer, &other, &["--shard", "2/3"]);
    let unfinished = shard("unfinished", "2/3");
    fs::remove_file(format!("{unfinished}/summary.json")).unwrap();
    let cut = shard("cut", "2/3");
    let results = folder.read("cut/results.jsonl");
    fs::write(format!("{cut}/results.jsonl"), &results[..results.len() / 2]).unwrap();
    let changed = shard("changed", "2/3");
    let other_depth = results.replacen("depth\":0", "depth\":1", 1);
    assert_ne!(other_depth, results);
    fs::write(format!("{changed}/results.jsonl"), other_depth).unwrap();
    let nothing = folder.path("nothing");
    fs::create_dir(&nothing).unwrap();
    let out = folder.path("merged");
    for (shards, told) in [
        (vec![&zero, &two], "1 of 3 shards are missing: 1/3"),
        (vec![&zero, &one, &two, &twin], "are both shard 1/3"),
        (vec![&zero, &of_two, &two], "a shard of 3, the other of 2"),
        (vec![&zero, &one, &other], "of different batches: the hash of the manifest"),
        (vec![&zero, &one, &unfinished], "unfinished: shard 2/3 is not complete"),
        (vec![&zero, &one, &cut], "the answer to item"),
        (vec![&zero, &one, &changed], "the hash of the answers"),
        (vec![&nothing], "is no shard and holds none"),
    ] {
        let ended =
            extricate(["merge"].into_iter().chain(shards.iter().map(|s| s.as_str())).chain(["-o", &out]));
        assert_eq!(ended.exit, 3, "{shards:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(told), "{shards:?}: {}", ended.stderr);
    }
    // What went wrong stands in the way of nothing.
    assert_eq!(extricate(["merge", &two, &zero, &one, "-o", &out]).exit, 8);
    let ended = extricate(["merge", &zero, &one, &two, "-o", &out]);
    assert!(ended.exit == 2 && ended.stderr.contains("holds answers already"), "{}", ended.stderr);
}

/// Starts a batch that is going to be killed.
fn started(manifest: &str, output: &str, options: &[&str]) -> Child {
    let mut command: Command = program();
    command.args(["batch", manifest, "-o", output, "--quiet", "--threads", "2"]).args(options);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Kills a batch again and again, each time when its results have reached another random length below `length`, and lets it
/// end at last. Returns how often it was killed before its end.
fn killed(manifest: &str, output: &str, kills: u32, length: u64, seed: u64) -> u32 {
    let mut numbers = Numbers(seed);
    let (results, summary) =
        (Path::new(output).join("results.jsonl"), Path::new(output).join("summary.json"));
    let mut before_end = 0;
    for kill in 0..kills {
        #[expect(clippy::cast_precision_loss, reason = "a length of a test")]
        let length = length as f64 * (f64::from(kill) + numbers.next()) / f64::from(kills + 1);
        let mut child = started(manifest, output, &["--resume"]);
        #[expect(clippy::cast_precision_loss, reason = "a length of a test")]
        let is_short = || fs::metadata(&results).map_or(0, |file| file.len()) as f64 <= length;
        while is_short() && child.try_wait().expect("a process").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("the program can be killed");
        child.wait().expect("the program ends");
        before_end += u32::from(!summary.exists());
    }
    let done = whole_lines(output);
    let ended = batch(manifest, output, &["--resume", "--threads", "2"]);
    assert!([0, 8].contains(&ended.exit), "{}", ended.stderr);
    // What was whole was not done again.
    let timing = fs::read_to_string(format!("{output}/timing.json")).expect("times");
    assert_eq!(serde_json::from_str::<Value>(&timing).expect("JSON")["resumed"], done);
    before_end
}

/// Answers that are whole, written or waiting for their turn.
fn whole_lines(output: &str) -> usize {
    let read = |name: &str| fs::read(format!("{output}/{name}")).unwrap_or_default();
    let mut found: Vec<u64> = Vec::new();
    for text in [read("results.jsonl"), read("pending.jsonl")] {
        for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let value: Value = serde_json::from_slice(line).expect("a whole line is JSON");
            found.push(value["index"].as_u64().expect("an index"));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}

#[test]
fn a_batch_that_is_killed_is_gone_on_with_and_ends_with_the_same_bytes() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 240);
    let (whole, resumed) = (folder.path("whole"), folder.path("resumed"));
    assert_eq!(batch(&manifest, &whole, &["--threads", "2"]).exit, 8);
    let length = fs::metadata(folder.path("whole/results.jsonl")).unwrap().len();
    let kills = killed(&manifest, &resumed, 4, length, 11);
    assert!(kills >= 1, "no kill came before the end");
    assert_same(&whole, &resumed);
}

/// Twenty kills of a longer batch: `cargo test --release --test cli_batch -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute"]
fn twenty_kills_change_no_byte() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 2400);
    let (whole, resumed) = (folder.path("whole"), folder.path("resumed"));
    assert_eq!(batch(&manifest, &whole, &["--threads", "2"]).exit, 8);
    let length = fs::metadata(folder.path("whole/results.jsonl")).unwrap().len();
    let kills = killed(&manifest, &resumed, 20, length, 5);
    println!("{kills} kills before the end of a batch of 2400 items");
    assert_eq!(kills, 20);
    assert_same(&whole, &resumed);
}

#[test]
fn results_that_end_anywhere_are_gone_on_with() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 12);
    let whole = folder.path("whole");
    assert_eq!(batch(&manifest, &whole, &[]).exit, 8);
    let results = fs::read(format!("{whole}/results.jsonl")).unwrap();
    let failed = fs::read(format!("{whole}/failed.jsonl")).unwrap();
    let borders = results.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let mut cuts: Vec<usize> =
        borders.flat_map(|at| [at, at + 1, at + 2]).filter(|at| *at <= results.len()).collect();
    cuts.extend((0..results.len()).step_by(results.len() / 8));
    for (number, cut) in cuts.into_iter().enumerate() {
        let torn = folder.path(&format!("torn-{number}"));
        fs::create_dir(&torn).unwrap();
        fs::copy(format!("{whole}/batch.json"), format!("{torn}/batch.json")).unwrap();
        fs::write(format!("{torn}/results.jsonl"), &results[..cut]).unwrap();
        // Failures may be ahead or behind: they follow from the results.
        fs::write(format!("{torn}/failed.jsonl"), &failed[..failed.len() * (number % 3) / 2]).unwrap();
        // An answer that waits for its turn, and a torn one.
        let last = results[..results.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let pending = [&results[last..], b"{\"index\": 3, \"ki"].concat();
        fs::write(format!("{torn}/pending.jsonl"), pending).unwrap();
        let ended = batch(&manifest, &torn, &["--resume"]);
        assert_eq!(ended.exit, 8, "cut at {cut}: {}", ended.stderr);
        for name in FILES {
            let read = |folder: &str| fs::read(format!("{folder}/{name}")).unwrap();
            assert!(read(&torn) == read(&whole), "cut at {cut}: {name} differs");
        }
        assert!(!Path::new(&torn).join("pending.jsonl").exists());
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_batch_that_can_be_gone_on_with() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 600);
    let output = folder.path("out");
    let mut child = started(&manifest, &output, &[]);
    let results = Path::new(&output).join("results.jsonl");
    let waited = Instant::now();
    while fs::metadata(&results).map_or(0, |file| file.len()) == 0 && waited.elapsed().as_secs() < 60 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(asked.expect("kill is there").success());
    let exit = child.wait().unwrap().code();
    assert_eq!(exit, Some(7));
    assert!(!folder.exists("out/summary.json") && folder.exists("out/timing.json"));
    assert!(fs::read(&results).unwrap().ends_with(b"\n"));
    assert_eq!(batch(&manifest, &output, &["--resume"]).exit, 8);
    assert_eq!(lines(&folder.read("out/results.jsonl")).len(), 600);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_batch_with_an_error_that_names_the_file() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 60);
    let (whole, output) = (folder.path("whole"), folder.path("out"));
    assert_eq!(batch(&manifest, &whole, &[]).exit, 8);
    // No file may be longer than 8 KiB; the signal that tells of it is ignored, and the write fails.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' batch '{manifest}' -o '{output}' --quiet",
        env!("CARGO_BIN_EXE_extricate")
    );
    let ended: Ended = Command::new("bash").args(["-c", &script]).output().expect("bash is there").into();
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot write") && ended.stderr.contains("out/"), "{}", ended.stderr);
    assert_eq!(batch(&manifest, &output, &["--resume"]).exit, 8);
    for name in FILES {
        assert_eq!(folder.read(&format!("whole/{name}")), folder.read(&format!("out/{name}")), "{name}");
    }
}

#[test]
fn files_with_equal_bytes_are_made_ready_once() {
    let folder = Folder::new();
    let _ = manifest(&folder, 1);
    let item = |a: &str| format!(r#"{{"kind": "collide", "a": "{a}", "b": "ring.obj"}}"#);
    let text: Vec<String> = (0..50).map(|i| item(["ring.obj", "again.obj", "./ring.obj"][i % 3])).collect();
    let manifest = folder.write("shared.jsonl", &text.join("\n"));
    assert_eq!(batch(&manifest, &folder.path("out"), &[]).exit, 0);
    let timing: Value = serde_json::from_str(&folder.read("out/timing.json")).unwrap();
    assert_eq!(timing["loads"], 1);
    // With room for nothing everything is made again, and the answers are the same.
    assert_eq!(batch(&manifest, &folder.path("small"), &["--memory", "1"]).exit, 0);
    assert_same(&folder.path("out"), &folder.path("small"));
}

#[test]
fn progress_is_told_where_there_is_no_terminal_unless_it_is_to_be_quiet() {
    let folder = Folder::new();
    let item = r#"{"kind": "run", "scene": "scene.ron", "time": 2000}"#;
    folder.write("scene.ron", SCENE);
    let manifest = folder.write("manifest.jsonl", item);
    let run = |quiet: bool, name: &str| {
        let mut command = program();
        command.args(["batch", &manifest, "-o", &folder.path(name)]).args(quiet.then_some("--quiet"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_secs(3));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let ended: Ended = {
            child.wait().unwrap();
            child.wait_with_output().unwrap().into()
        };
        ended.stderr
    };
    assert!(run(false, "told").contains("0 of 1 items"));
    assert_eq!(run(true, "quiet"), "");
}

#[cfg(unix)]
#[test]
fn the_task_of_a_slurm_array_answers_its_shard() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 24);
    let out = folder.path("out");
    let task = |script: &str, arguments: &[&str], index: usize| {
        let mut command = Command::new("bash");
        command.arg(format!("{ROOT}/deploy/slurm/{script}")).args(arguments);
        command.env("EXTRICATE", env!("CARGO_BIN_EXE_extricate"));
        command.env("SLURM_ARRAY_TASK_ID", index.to_string()).env("SLURM_ARRAY_TASK_COUNT", "3");
        let ended: Ended = command.output().expect("bash is there").into();
        ended
    };
    for index in 0..2 {
        let ended = task("batch.sbatch", &[&manifest, &out], index);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
    }
    let ended = task("merge.sbatch", &[&out], 0);
    assert!(ended.exit == 3 && ended.stderr.contains("2/3"), "{}", ended.stderr);
    // A part of the array, submitted again, is told how many shards there are.
    assert_eq!(task("batch.sbatch", &[&manifest, &out, "3"], 2).exit, 0);
    assert_eq!(task("merge.sbatch", &[&out], 0).exit, 0);
    assert_eq!(batch(&manifest, &folder.path("whole"), &[]).exit, 8);
    assert_same(&folder.path("whole"), &folder.path("out/all"));
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_kubernetes_jobs_answer_and_merge_the_shards() {
    let folder = Folder::new();
    let manifest = manifest(&folder, 16);
    let bin = Path::new(env!("CARGO_BIN_EXE_extricate")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let run = |file: &str, index: usize| {
        let text = fs::read_to_string(format!("{ROOT}/deploy/kubernetes/{file}")).expect("a job");
        let (_, script) = text.split_once("- |\n").expect("a script");
        let script: Vec<&str> = script.lines().take_while(|line| line.starts_with(&" ".repeat(14))).collect();
        let script =
            script.join("\n").replace("/data/manifest.jsonl", &manifest).replace("/data", &folder.path(""));
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]).env("PATH", &path).env("SHARDS", "3");
        let ended: Ended =
            command.env("JOB_COMPLETION_INDEX", index.to_string()).output().expect("sh is there").into();
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
    };
    (0..3).for_each(|index| run("batch.yaml", index));
    run("merge.yaml", 0);
    assert_eq!(batch(&manifest, &folder.path("whole"), &[]).exit, 8);
    assert_same(&folder.path("whole"), &folder.path("out/all"));
}

#[test]
fn the_shipped_manifest_is_answered() {
    let folder = Folder::new();
    let ended = batch(&format!("{ROOT}/assets/manifests/demo.jsonl"), &folder.path("out"), &[]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let summary: Value = serde_json::from_str(&folder.read("out/summary.json")).unwrap();
    assert_eq!(summary["failed"], 0);
}
