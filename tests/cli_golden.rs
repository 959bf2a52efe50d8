//! Golden files and the comparison of runs: what was changed is named by step, body and field.

mod cli_program;
mod json_schema;

use std::fs;

use cli_program::{Ended, Folder, extricate};
use json_schema::faults;
use serde_json::Value;

/// Two balls fly over a plane and land on it: the right one from 0.2 m after √(2 · 0.2 / 9.81) s = 0.2019 s, in step 97 of
/// 1/480 s. States are recorded every 8 steps, so that 96 is the last one before.
const SCENE: &str = r#"(
    title: "Two balls land",
    duration: 0.5,
    shapes: {"ball": ball(radius: 0.1), "floor": half_space},
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "left", shape: "ball", position: (0, 0, 0.9), linear_velocity: (5, 0, 0)),
        (name: "right", shape: "ball", position: (0, 1, 0.3), linear_velocity: (5, 0, 0), friction: 0.5),
    ],
    expect: (energy_gain: 1e-3),
)"#;

/// All recorded states of the scene.
const ALL_STATES: &str = "31";

fn conforms(name: &str, text: &str) -> Value {
    let path = format!("{}/assets/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(&path).expect("the schema can be read");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let found = faults(&schema, &value);
    assert!(found.is_empty(), "{name}: {}\nin {text}", found.join("\n"));
    value
}

/// A folder with the scene and its golden file.
fn recorded() -> Folder {
    let folder = Folder::new();
    let scene = folder.write("land.ron", SCENE);
    let golden = folder.path("golden/land.golden");
    let run = folder.path("out/first");
    let ended = extricate(["record", &scene, "-o", &golden, "--run", &run, "--states", ALL_STATES]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    folder
}

fn verify(folder: &Folder, further: &[&str]) -> Ended {
    let (scene, golden, out) = (folder.path("land.ron"), folder.path("golden"), folder.path("out"));
    let arguments = ["verify", &scene, "--golden", &golden, "-o", &out];
    extricate(arguments.into_iter().chain(further.iter().copied()))
}

/// The line of the golden file.
fn golden_line(ended: &Ended) -> Value {
    let line = ended.stdout.lines().find(|line| line.contains("\"golden\""));
    conforms("verify-golden", line.unwrap_or_else(|| panic!("{}{}", ended.stdout, ended.stderr)))
}

/// The first difference: step, body, field, by how much.
fn first(answer: &Value) -> (u64, &str, &str, f64) {
    let first = &answer["first"][0];
    let text = |key: &str| first[key].as_str().unwrap_or("");
    (
        first["step"].as_u64().expect("a step"),
        text("body"),
        text("field"),
        first["difference"].as_f64().expect("a number"),
    )
}

#[test]
fn a_run_that_is_as_it_was_passes_bit_for_bit() {
    let folder = recorded();
    let ended = verify(&folder, &["--exact", "--json"]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let line = golden_line(&ended);
    assert_eq!(
        (&line["status"], &line["exact"], &line["states"]),
        (&"pass".into(), &true.into(), &31.into())
    );
    assert_eq!(line["first"].as_array().map(Vec::len), Some(0));
    assert!(!folder.exists("out/land/drift.svg"));
    let told = verify(&folder, &[]);
    assert!(told.stdout.ends_with("1 of 1 scenes pass, 1 held against golden files\n"), "{}", told.stdout);
}

#[test]
fn friction_that_changed_a_little_is_named_from_the_landing_on() {
    let folder = recorded();
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.505"));
    let ended = verify(&folder, &["--json"]);
    assert_eq!(ended.exit, 1, "{}{}", ended.stdout, ended.stderr);
    let line = golden_line(&ended);
    let (step, body, ..) = first(&line);
    assert_eq!((step, body), (104, "right"), "{line}");
    let spin =
        line["first"].as_array().and_then(|first| first.iter().find(|it| it["field"] == "angular_velocity"));
    let difference = spin.and_then(|spin| spin["difference"].as_f64()).expect("it spins differently");
    // The impulse of the landing is m √(2 g h); what is 0.0025 more friction of it turns the ball by 5/2 of its speed over
    // its radius, as it slides.
    let landing = 0.0025 * (2.0 * 9.81 * 0.2_f64).sqrt() * 2.5 / 0.1;
    assert!((difference / landing - 1.0).abs() < 0.1, "{difference} of {landing}");
    assert_eq!((&line["agrees_until"], &line["bits"]["after"]), (&96.into(), &96.into()));
    assert_eq!(line["inputs"][0]["what"], "scene");
    assert!(line["worst"].as_array().is_some_and(|worst| worst.len() >= 5), "{line}");
    let told = verify(&folder, &[]);
    for part in ["between step 96, which agrees, and step 104", "right, rotation", "FAIL", "drift.svg"] {
        assert!(told.stdout.contains(part), "{part} is not in\n{}", told.stdout);
    }
    let drift = folder.read("out/land/drift.svg");
    assert!(drift.starts_with("<svg") && drift.contains("angular_velocity") && drift.contains("right"));
}

#[test]
fn a_body_that_starts_elsewhere_is_named_at_step_zero_with_how_far() {
    let folder = recorded();
    folder.write("land.ron", &SCENE.replace("(0, 0, 0.9)", "(0, 2e-4, 0.9)"));
    let line = golden_line(&verify(&folder, &["--json"]));
    let (step, body, field, difference) = first(&line);
    assert_eq!((step, body, field), (0, "left", "position"));
    assert!((difference - 2e-4).abs() < 1e-7, "{difference}");
    assert_eq!(line["agrees_until"], Value::Null);
    assert_eq!(line["first"].as_array().map(Vec::len), Some(1), "nothing else differs there");
}

#[test]
fn a_number_of_a_state_in_the_middle_is_named_with_what_it_should_be() {
    let folder = recorded();
    let text = folder.read("golden/land.golden");
    let at = text.find("state 48 ").expect("the state of step 48");
    let (head, tail) = text.split_at(at);
    // In free fall for 0.1 s, but for what a step of finite length makes of it.
    let body = "body \"left\" position 0.5 0 ";
    let line = tail.lines().find(|line| line.starts_with(body)).expect("the ball flies");
    let height = line[body.len()..].split(' ').next().expect("a height");
    assert!((height.parse::<f64>().expect("a number") - 0.85095).abs() < 2e-3, "{height}");
    let changed = tail.replacen(line, &line.replacen(height, "0.86", 1), 1);
    folder.write("golden/land.golden", &format!("{head}{changed}"));
    let ended = verify(&folder, &["--json"]);
    assert_eq!(ended.exit, 1);
    let answer = golden_line(&ended);
    let (step, body, field, _) = first(&answer);
    assert_eq!((step, body, field), (48, "left", "position"));
    assert_eq!(answer["states_beyond"], 1, "the next state tells the ball anew");
    assert_eq!((&answer["agrees_until"], &answer["exact"]), (&40.into(), &true.into()));
    let loose = head.replace("tolerance position 1e-6", "tolerance position 0.02");
    folder.write("golden/land.golden", &format!("{loose}{changed}"));
    assert_eq!(verify(&folder, &[]).exit, 0, "the file says itself what it promises");
}

#[test]
fn an_update_writes_what_changed_and_keeps_comments_and_tolerances() {
    let folder = recorded();
    let text = folder.read("golden/land.golden");
    let text = text.replace("tolerance contacts 0.1", "tolerance contacts any");
    folder.write("golden/land.golden", &format!("# contacts flicker\n{text}"));
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.6"));
    assert_eq!(verify(&folder, &[]).exit, 1);
    let ended = verify(&folder, &["--update", "--json"]);
    assert_eq!((ended.exit, &golden_line(&ended)["status"]), (0, &"updated".into()), "{}", ended.stderr);
    assert_eq!(verify(&folder, &["--exact"]).exit, 0);
    let updated = folder.read("golden/land.golden");
    assert!(updated.starts_with("# contacts flicker\n") && updated.contains("tolerance contacts any\n"));
    assert_eq!(updated.matches("\nstate ").count(), 31);
    let before_landing =
        |text: &str| text[text.find("\nstate 0 ").unwrap()..text.find("\nstate 104 ").unwrap()].to_owned();
    assert_eq!(before_landing(&text), before_landing(&updated), "what did not change stays as it was");
    // A run that does not do what the scene expects is no example for others.
    folder.write("land.ron", &SCENE.replace("energy_gain: 1e-3", "max_speed: 1e-3"));
    assert_eq!(verify(&folder, &["--update"]).exit, 1);
    assert_eq!(folder.read("golden/land.golden"), updated);
}

#[test]
fn a_golden_file_that_is_missing_or_bad_has_its_own_exit_code() {
    let folder = recorded();
    let golden = folder.path("golden/land.golden");
    let text = folder.read("golden/land.golden");
    folder.write("golden/land.golden", &text.replace("steps 240", "steps many"));
    let ended = verify(&folder, &[]);
    assert_eq!(ended.exit, 3, "{}", ended.stderr);
    let line = text.lines().position(|line| line == "steps 240").expect("the line") + 1;
    assert!(ended.stderr.contains(&format!("land.golden:{line}: steps: `many`")), "{}", ended.stderr);
    fs::remove_file(&golden).expect("the file can be removed");
    let ended = verify(&folder, &["--json"]);
    assert_eq!((ended.exit, &golden_line(&ended)["status"]), (1, &"missing".into()));
    let ended = verify(&folder, &["--json", "--update"]);
    assert_eq!((ended.exit, &golden_line(&ended)["status"]), (0, &"written".into()));
    assert_eq!(verify(&folder, &["--exact"]).exit, 0);
    let scene = folder.path("land.ron");
    let plain = extricate(["verify", &scene, "-o", &folder.path("out")]);
    assert!(plain.stdout.ends_with("1 of 1 scenes pass\n"), "{}", plain.stdout);
}

#[test]
fn a_mesh_of_a_robot_that_changed_is_named_although_no_number_did() {
    let folder = Folder::new();
    let cube = "o cube\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    folder.write("part.obj", cube);
    folder.write(
        "arm.urdf",
        r#"<robot name="arm"><link name="post"/><link name="bar"><collision><geometry><mesh filename="part.obj"/></geometry>
        </collision></link><joint name="hinge" type="continuous"><parent link="post"/><child link="bar"/><axis xyz="0 1 0"/></joint></robot>"#,
    );
    let scene = folder.write(
        "swing.ron",
        r#"(title: "An arm swings", duration: 0.1, robots: [(name: "arm", file: "arm.urdf")], expect: (energy_gain: 1e-2))"#,
    );
    let golden = folder.path("swing.golden");
    let (run, out, here) = (folder.path("run"), folder.path("out"), folder.path("."));
    assert_eq!(extricate(["record", &scene, "-o", &golden, "--run", &run]).exit, 0);
    assert!(folder.read("swing.golden").contains("\njoint \"arm\" \"hinge\" "));
    let verify = || extricate(["verify", &scene, "--golden", &here, "-o", &out, "--json"]);
    let same = verify();
    assert_eq!(same.exit, 0, "{}{}", same.stdout, same.stderr);
    folder.write("part.obj", &cube.replace("o cube", "o other"));
    let changed = verify();
    assert_eq!(changed.exit, 1);
    let line = golden_line(&changed);
    assert_eq!((&line["inputs"][0]["what"], &line["exact"]), (&"part.obj".into(), &true.into()), "{line}");
    assert_eq!(line["inputs"].as_array().map(Vec::len), Some(1), "{line}");
}

#[test]
fn junit_has_a_case_for_each_expectation_and_for_the_golden_file() {
    let folder = recorded();
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.6"));
    let file = folder.path("verify.xml");
    assert_eq!(verify(&folder, &["--junit", &file]).exit, 1);
    let xml = folder.read("verify.xml");
    assert!(
        xml.contains("<testsuite name=\"land\" tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\">"),
        "{xml}"
    );
    assert!(xml.contains("<testcase name=\"expect energy_gain\"/>"), "{xml}");
    assert!(xml.contains("between step 96") && xml.contains("right, rotation"), "{xml}");
    folder.write("land.ron", "(");
    assert_eq!(verify(&folder, &["--junit", &file]).exit, 3);
    assert!(folder.read("verify.xml").contains("errors=\"1\""));
}

#[test]
fn many_scenes_are_told_in_their_order_whatever_the_number_of_threads() {
    let folder = Folder::new();
    for (name, height) in [("a/land", "0.9"), ("b/land", "0.8"), ("c", "0.7"), ("d", "0.6"), ("e", "0.5")] {
        fs::create_dir_all(folder.path("scenes/a"))
            .and_then(|()| fs::create_dir_all(folder.path("scenes/b")))
            .expect("folders");
        folder.write(&format!("scenes/{name}.ron"), &SCENE.replace("0.9", height));
    }
    let (scenes, golden) = (folder.path("scenes"), folder.path("golden"));
    let told = ["1", "2"].map(|threads| {
        let out = folder.path("out");
        let arguments =
            ["verify", &scenes, "--golden", &golden, "-o", &out, "--update", "--threads", threads, "--json"];
        let ended = extricate(arguments);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        ended.stdout.replace("\"written\"", "\"pass\"")
    });
    let heads = |text: &str| -> Vec<String> {
        let golden = text.lines().filter(|line| line.contains("\"golden\""));
        golden
            .map(|line| conforms("verify-golden", line)["golden"].as_str().unwrap_or("").to_owned())
            .collect()
    };
    let expected = ["a/land", "b/land", "c", "d", "e"].map(|name| format!("{golden}/{name}.golden"));
    assert_eq!((heads(&told[0]), heads(&told[1])), (expected.to_vec(), expected.to_vec()));
    assert!(folder.exists("out/land/states.jsonl") && folder.exists("out/land-2/states.jsonl"));
    let again = ["1", "2"].map(|threads| {
        extricate([
            "verify",
            &scenes,
            "--golden",
            &golden,
            "-o",
            &folder.path("out"),
            "--exact",
            "--threads",
            threads,
        ])
        .stdout
    });
    assert_eq!(again[0], again[1]);
}

/// Runs the scene into a folder.
fn run(folder: &Folder, scene: &str, out: &str, further: &[&str]) {
    let (scene, out) = (folder.path(scene), folder.path(out));
    let ended = extricate(["run", scene.as_str(), "-o", &out].into_iter().chain(further.iter().copied()));
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
}

fn diff(folder: &Folder, a: &str, b: &str, further: &[&str]) -> Ended {
    let (a, b) = (folder.path(a), folder.path(b));
    extricate(["diff", a.as_str(), &b].into_iter().chain(further.iter().copied()))
}

#[test]
fn runs_of_other_cadence_and_length_are_compared_where_both_have_states() {
    let folder = Folder::new();
    folder.write("land.ron", SCENE);
    run(&folder, "land.ron", "a", &["--every", "10"]);
    run(&folder, "land.ron", "b", &["--every", "15", "--steps", "120"]);
    let ended = diff(&folder, "a", "b", &["--json", "--exact"]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let answer = conforms("diff", &ended.stdout);
    // Every 30 steps up to 120 both have one.
    assert_eq!((&answer["states"], &answer["alone"]), (&5.into(), &serde_json::json!([20, 4])));
    assert_eq!(answer["last"], serde_json::json!([240, 120]));
    let inputs: Vec<_> =
        answer["inputs"].as_array().expect("inputs").iter().map(|input| &input["what"]).collect();
    assert_eq!(inputs, ["steps", "every"]);
    assert!(diff(&folder, "a", "b", &[]).stdout.contains("A ends at step 240, B at step 120"));
    run(&folder, "land.ron", "c", &["--dt", "0.0010416666666666667", "--every", "20"]);
    let half = conforms("diff", &diff(&folder, "a", "c", &["--json", "--tolerance", "contacts=any"]).stdout);
    assert_eq!((&half["states"], &half["inputs"][0]["what"]), (&25.into(), &"time_step".into()), "{half}");
}

#[test]
fn a_line_of_the_scene_and_the_step_at_which_it_matters_are_named() {
    let folder = Folder::new();
    folder.write("land.ron", SCENE);
    folder.write("rough.ron", &SCENE.replace("friction: 0.5", "friction: 0.505"));
    run(&folder, "land.ron", "a", &["--every", "1"]);
    run(&folder, "rough.ron", "b", &["--every", "1"]);
    let (text, drawn) = (folder.path("drift.svg"), ["-o"]);
    let ended = diff(&folder, "a", "b", &["--json", drawn[0], &text]);
    assert_eq!(ended.exit, 1);
    let answer = conforms("diff", &ended.stdout);
    let (step, body, field, _) = first(&answer);
    assert_eq!((step, body, field), (97, "right", "angular_velocity"), "the ball lands in step 97: {answer}");
    assert_eq!(answer["bits"], serde_json::json!({"step": 97, "after": 96}));
    let scene = answer["inputs"]
        .as_array()
        .and_then(|inputs| inputs.iter().find(|input| input["what"] == "scene.ron:8"));
    assert!(scene.is_some_and(|line| line["b"].as_str().is_some_and(|b| b.contains("0.505"))), "{answer}");
    assert!(folder.read("drift.svg").contains("linear_velocity"));
    let loose =
        ["linear_velocity=1", "angular_velocity=1", "position=1", "rotation=10", "energy=1", "penetration=1"];
    let loose: Vec<&str> = loose.iter().flat_map(|tolerance| ["--tolerance", tolerance]).collect();
    assert_eq!(diff(&folder, "a", "b", &loose).exit, 0);
    assert_eq!(diff(&folder, "a", "b", &[loose.as_slice(), &["--exact"]].concat()).exit, 1);
}

#[test]
fn a_state_that_was_changed_and_a_run_that_was_killed_are_told_apart_from_a_damaged_one() {
    let folder = Folder::new();
    folder.write("land.ron", SCENE);
    run(&folder, "land.ron", "a", &["--every", "8"]);
    run(&folder, "land.ron", "b", &["--every", "8"]);
    let states = folder.read("b/states.jsonl");
    let line = states.lines().nth(5).expect("a state");
    let mut state: Value = serde_json::from_str(line).expect("JSON");
    state["bodies"]["left"]["rotation"] = serde_json::json!([0.0, 1.0, 0.0, 0.0]);
    folder.write("b/states.jsonl", &states.replace(line, &state.to_string()));
    let answer = conforms("diff", &diff(&folder, "a", "b", &["--json"]).stdout);
    let (step, body, field, difference) = first(&answer);
    assert_eq!((step, body, field), (40, "left", "rotation"));
    assert!((difference - std::f64::consts::PI).abs() < 1e-9, "half a turn, not {difference}");
    assert_eq!(answer["states_beyond"], 1);
    folder.write("b/states.jsonl", &states[..states.len() / 2]);
    let killed = diff(&folder, "a", "b", &["--exact"]);
    assert_eq!(killed.exit, 0, "{}{}", killed.stdout, killed.stderr);
    folder.write("b/states.jsonl", &states.replacen("\"time\"", "\"tim\"", 3));
    let damaged = diff(&folder, "a", "b", &[]);
    assert_eq!(damaged.exit, 3);
    assert!(damaged.stderr.contains("states.jsonl:1: "), "{}", damaged.stderr);
    assert_eq!(diff(&folder, "a", "nowhere", &[]).exit, 3);
}
