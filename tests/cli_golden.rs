//! Golden files and the comparison of runs: changes are reported by step, body and field.

mod cli_program;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use cli_program::{Ended, ScratchFolder, extricate, scratch_folder};
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::tet_mesh::write::write_tets;
use extricate::record::Inputs;
use extricate::record::golden::{FormatVersion, Golden};
use extricate::scene::Scene;
use extricate_test_support::json_schema::faults;
use nalgebra::{Point3, Vector3};
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
fn recorded() -> ScratchFolder {
    let folder = scratch_folder();
    let scene = folder.write("land.ron", SCENE);
    let golden = folder.path("golden/land.golden");
    let run = folder.path("out/first");
    let ended = extricate(["record", &scene, "-o", &golden, "--run", &run, "--states", ALL_STATES]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    folder
}

fn verify(folder: &ScratchFolder, further: &[&str]) -> Ended {
    let (scene, golden, out) = (folder.path("land.ron"), folder.path("golden"), folder.path("out"));
    let arguments = ["verify", &scene, "--golden", &golden, "-o", &out];
    extricate(arguments.into_iter().chain(further.iter().copied()))
}

/// The lines of the golden file: its header and its states.
fn golden_lines(folder: &ScratchFolder, name: &str) -> Vec<Value> {
    let text = folder.read(name);
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn write_lines(folder: &ScratchFolder, lines: &[Value]) {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    folder.write("golden/land.golden", &(lines.join("\n") + "\n"));
}

/// Index of the line with the state of a step.
fn at_step(lines: &[Value], step: u64) -> usize {
    lines.iter().position(|line| line["step"] == step).expect("the state of that step")
}

/// The answer about the golden file.
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
    assert!(told.stdout.ends_with("1 of 1 scenes pass, 1 compared with golden files\n"), "{}", told.stdout);
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
    // The impulse of the landing is m √(2 g h); 0.0025 more friction rotates the ball by 5/2 of its change of speed over
    // its radius, as it slides.
    let landing = 0.0025 * (2.0 * 9.81 * 0.2_f64).sqrt() * 2.5 / 0.1;
    assert!((difference / landing - 1.0).abs() < 0.1, "{difference} of {landing}");
    assert_eq!((&line["agrees_until"], &line["bits"]["after"]), (&96.into(), &96.into()));
    assert_eq!(line["inputs"][0]["what"], "scene");
    assert!(line["worst"].as_array().is_some_and(|worst| worst.len() >= 5), "{line}");
    let verified = verify(&folder, &[]);
    for part in ["between step 96, which agrees, and step 104", "right, rotation", "FAIL", "drift.svg"] {
        assert!(verified.stdout.contains(part), "{part} is not in\n{}", verified.stdout);
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
    let mut lines = golden_lines(&folder, "golden/land.golden");
    let at = at_step(&lines, 48);
    // In free fall for 0.1 s, up to the error of a step of finite length.
    let position = &mut lines[at]["bodies"]["left"]["position"];
    assert_eq!((&position[0], &position[1]), (&0.5.into(), &0.0.into()), "the ball flies");
    let height = position[2].as_f64().expect("a number");
    assert!((height - 0.85095).abs() < 2e-3, "{height}");
    position[2] = 0.86.into();
    write_lines(&folder, &lines);
    let ended = verify(&folder, &["--json"]);
    assert_eq!(ended.exit, 1);
    let answer = golden_line(&ended);
    let (step, body, field, _) = first(&answer);
    assert_eq!((step, body, field), (48, "left", "position"));
    assert_eq!(answer["states_beyond"], 1, "the next state lists the ball again");
    assert_eq!((&answer["agrees_until"], &answer["exact"]), (&40.into(), &true.into()));
    lines[0]["tolerances"]["position"] = 0.02.into();
    write_lines(&folder, &lines);
    assert_eq!(verify(&folder, &[]).exit, 0, "the file says itself what it promises");
}

#[test]
fn tolerances_below_a_state_hold_from_there_on() {
    let folder = recorded();
    let mut lines = golden_lines(&folder, "golden/land.golden");
    let landed = at_step(&lines, 104);
    let quantities = ["position", "rotation", "linear_velocity", "angular_velocity", "penetration", "energy"];
    lines[landed]["tolerances"] = quantities.iter().map(|quantity| (*quantity, "any")).collect();
    write_lines(&folder, &lines);
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.505"));
    let landed = golden_line(&verify(&folder, &["--json"]));
    assert_eq!(
        (&landed["states_beyond"], &landed["inputs"][0]["what"]),
        (&0.into(), &"scene".into()),
        "{landed}"
    );
    folder.write("land.ron", &SCENE.replace("(0, 0, 0.9)", "(0, 2e-4, 0.9)"));
    let moved = golden_line(&verify(&folder, &["--json"]));
    assert_eq!((first(&moved).0, &moved["states_beyond"]), (0, &13.into()), "{moved}");
}

/// A ball flies among four walls round a pillar, bounces off all of them without loss and is thrown farther off its way by the
/// pillar each time [Sinai 1970].
const BILLIARD: &str = r#"(
    title: "A billiard that magnifies rounding",
    duration: 4, gravity: (0, 0, 0),
    shapes: {"ball": ball(radius: 0.1), "pillar": ball(radius: 0.5), "wall": half_space},
    bodies: [
        (name: "pillar", shape: "pillar", kind: fixed, restitution: 1, friction: 0),
        (name: "west", shape: "wall", kind: fixed, position: (-1, 0, 0), rotation: euler_degrees(0, 90, 0), restitution: 1, friction: 0),
        (name: "east", shape: "wall", kind: fixed, position: (1, 0, 0), rotation: euler_degrees(0, -90, 0), restitution: 1, friction: 0),
        (name: "south", shape: "wall", kind: fixed, position: (0, -1, 0), rotation: euler_degrees(-90, 0, 0), restitution: 1, friction: 0),
        (name: "north", shape: "wall", kind: fixed, position: (0, 1, 0), rotation: euler_degrees(90, 0, 0), restitution: 1, friction: 0),
        (name: "ball", shape: "ball", position: (-0.7, -0.6, 0), linear_velocity: (19, 7, 0), restitution: 1, friction: 0),
    ],
    expect: (energy_gain: 1e-2),
)"#;

#[test]
fn a_file_that_allows_for_rounding_is_as_wide_as_the_motion_asks_for() {
    let folder = recorded();
    let record = |name: &str, scene: &str| {
        let scene = folder.write(&format!("{name}.ron"), scene);
        let (golden, run) = (folder.path(&format!("{name}.golden")), folder.path(&format!("out/{name}")));
        let ended = extricate(["record", &scene, "-o", &golden, "--run", &run, "--rounding", "--json"]);
        assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
        conforms("record", &ended.stdout);
        golden_lines(&folder, &format!("{name}.golden")).split_off(1)
    };
    let land = record("land", SCENE);
    let is_free = |state: &Value| state["tolerances"]["position"] == "any";
    assert!(
        land.iter().all(|state| state.get("tolerances").is_none()),
        "what falls once magnifies nothing: {land:?}"
    );
    let billiard = record("billiard", BILLIARD);
    let late = billiard.iter().position(is_free).expect("in the end the ball may be anywhere");
    assert_eq!(late + 1, 9, "most states are reported before that: {billiard:?}");
    at_step(&billiard, 1920);
}

#[test]
fn an_update_writes_what_changed_and_keeps_comments_and_tolerances() {
    let folder = recorded();
    let mut lines = golden_lines(&folder, "golden/land.golden");
    lines[0]["tolerances"]["contacts"] = "any".into();
    lines[0]["comments"] = serde_json::json!(["contacts flicker"]);
    write_lines(&folder, &lines);
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.6"));
    assert_eq!(verify(&folder, &[]).exit, 1);
    let ended = verify(&folder, &["--update", "--json"]);
    assert_eq!((ended.exit, &golden_line(&ended)["status"]), (0, &"updated".into()), "{}", ended.stderr);
    assert_eq!(verify(&folder, &["--exact"]).exit, 0);
    let (text, updated) = (folder.read("golden/land.golden"), golden_lines(&folder, "golden/land.golden"));
    assert_eq!(updated[0]["comments"], lines[0]["comments"]);
    assert_eq!(updated[0]["tolerances"], lines[0]["tolerances"]);
    assert_eq!(updated.len(), 1 + 31);
    let landed = at_step(&lines, 104);
    assert_eq!(lines[1..landed], updated[1..landed], "what did not change stays as it was");
    // A run that does not meet the scene's expectations must not become a reference.
    folder.write("land.ron", &SCENE.replace("energy_gain: 1e-3", "max_speed: 1e-3"));
    assert_eq!(verify(&folder, &["--update"]).exit, 1);
    assert_eq!(folder.read("golden/land.golden"), text);
}

#[test]
fn a_golden_file_that_is_missing_or_bad_has_its_own_exit_code() {
    let folder = recorded();
    let golden = folder.path("golden/land.golden");
    let text = folder.read("golden/land.golden");
    folder.write("golden/land.golden", &text.replace("\"steps\":240", "\"steps\":\"many\""));
    let ended = verify(&folder, &[]);
    assert_eq!(ended.exit, 3, "{}", ended.stderr);
    assert!(ended.stderr.contains("land.golden:1: invalid type: string \"many\""), "{}", ended.stderr);
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
    let folder = scratch_folder();
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
    let start = &golden_lines(&folder, "swing.golden")[1];
    assert!(start["robots"]["arm"]["joints"]["hinge"].is_number(), "{start}");
    let verify = || extricate(["verify", &scene, "--golden", &here, "-o", &out, "--json"]);
    let same = verify();
    assert_eq!(same.exit, 0, "{}{}", same.stdout, same.stderr);
    folder.write("part.obj", &cube.replace("o cube", "o other"));
    let changed = verify();
    assert_eq!(changed.exit, 1);
    let line = golden_line(&changed);
    assert_eq!((&line["inputs"][0]["what"], &line["exact"]), (&"part.obj".into(), &true.into()), "{line}");
    assert_eq!(line["inputs"].as_array().map(Vec::len), Some(1), "{line}");
    assert!(!folder.exists("out/swing/drift.svg"), "nothing drifts");
}

#[test]
fn junit_has_a_case_for_each_expectation_and_for_the_golden_file() {
    let folder = recorded();
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.6"));
    let file = folder.path("verify.xml");
    let report = folder.path("verify.html");
    assert_eq!(verify(&folder, &["--junit", &file, "--html", &report]).exit, 1);
    let page = folder.read("verify.html");
    assert!(page.contains("between step 96") && page.contains("energy_gain"), "{page}");
    assert_eq!(page.matches("<img ").count(), 3, "drift, states and times");
    assert!(!page.contains("<script") && !page.contains("<link") && !page.contains("src=\"http"), "{page}");
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
fn many_scenes_are_reported_in_their_order_whatever_the_number_of_threads() {
    let folder = scratch_folder();
    for (name, height) in [("a/land", "0.9"), ("b/land", "0.8"), ("c", "0.7"), ("d", "0.6"), ("e", "0.5")] {
        fs::create_dir_all(folder.path("scenes/a"))
            .and_then(|()| fs::create_dir_all(folder.path("scenes/b")))
            .expect("folders");
        folder.write(&format!("scenes/{name}.ron"), &SCENE.replace("0.9", height));
    }
    let (scenes, golden) = (folder.path("scenes"), folder.path("golden"));
    let verified = ["1", "2"].map(|threads| {
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
    assert_eq!((heads(&verified[0]), heads(&verified[1])), (expected.to_vec(), expected.to_vec()));
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

fn below(folder: &Path, extension: &str) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(below(&path, extension)),
            false if path.extension().is_some_and(|own| own == extension) => {
                found.insert(path.with_extension(""));
            }
            false => {}
        }
    }
    found
}

#[test]
fn every_shipped_scene_has_a_golden_file_of_the_scene_and_files_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let relative = |folder: &Path, extension: &str| -> BTreeSet<PathBuf> {
        let paths = below(folder, extension).into_iter();
        paths.map(|path| path.strip_prefix(folder).expect("it is below").to_owned()).collect()
    };
    let (scenes, golden) = (root.join("scenes"), root.join("tests/golden"));
    let names = relative(&scenes, "ron");
    assert_eq!(names, relative(&golden, "golden"));
    let mut size = 0;
    for name in names {
        let path = golden.join(&name).with_extension("golden");
        let text = fs::read_to_string(&path).expect("the golden file can be read");
        let read = Golden::parse(&text).unwrap_or_else(|fault| panic!("{}:{fault}", path.display()));
        assert_eq!(read.format, FormatVersion::V2, "{}: `convert` makes it one", path.display());
        assert!(read.to_string() == text, "{} is not as this program writes it", path.display());
        for (index, line) in text.lines().enumerate() {
            conforms(if index == 0 { "golden" } else { "golden-state" }, line);
        }
        let scene = Scene::load(scenes.join(&name).with_extension("ron")).expect("the scene");
        let inputs = Inputs::of(&scene).expect("the files of the scene");
        let hint = "`verify --update` writes it anew";
        assert_eq!(read.files, inputs.files, "{}: a file changed: {hint}", path.display());
        assert_eq!(read.input, inputs.hash, "{}: the scene changed: {hint}", path.display());
        size += text.len();
    }
    assert!(size < 1_000_000, "{size} bytes of golden files are too many");
}

/// Golden files of the first form: the scene above, with a comment; robots; soft bodies and wider
/// tolerances below states.
const FIRST_FORM: [&str; 3] = ["land", "arm_reaches", "soft_overlap"];

fn first_form(name: &str) -> String {
    let path = format!("{}/tests/golden_first_form/{name}.golden", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("a golden file")
}

#[test]
fn a_converted_golden_file_says_what_the_old_one_said() {
    let folder = scratch_folder();
    for name in FIRST_FORM {
        folder.write(&format!("{name}.golden"), &first_form(name));
    }
    let (from, to) = (folder.path("."), folder.path("new"));
    let ended = extricate(["convert", &from, &to, "--json"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    assert_eq!(ended.stdout.matches("\"status\":\"converted\"").count(), 3, "{}", ended.stdout);
    for name in FIRST_FORM {
        let old = Golden::parse(&first_form(name)).expect("a golden file");
        let text = folder.read(&format!("new/{name}.golden"));
        let new = Golden::parse(&text).expect("a golden file");
        assert_eq!((old.format, new.format), (FormatVersion::V1, FormatVersion::V2));
        assert_eq!(Golden { format: FormatVersion::V2, ..old }, new, "{name}");
        assert_eq!(new.to_string(), text);
        assert_eq!(folder.read(&format!("{name}.golden")), first_form(name), "it stays");
    }
    assert_eq!(golden_lines(&folder, "new/land.golden")[0]["comments"][0], "the balls land in step 97");
    // In place; a second time nothing is left to do.
    let (land, new) = (folder.path("land.golden"), folder.read("new/land.golden"));
    for status in ["9 states converted", "unchanged"] {
        let ended = extricate(["convert", &land]);
        assert!(ended.exit == 0 && ended.stdout.contains(status), "{}{}", ended.stdout, ended.stderr);
        assert_eq!(folder.read("land.golden"), new);
    }
    assert_eq!(extricate(["convert", &land, "--text"]).exit, 2);
    assert_eq!(extricate(["convert", "a.obj"]).exit, 2, "a mesh goes to a file of its own");
}

#[test]
fn a_run_is_judged_alike_by_golden_files_of_both_forms() {
    let folder = scratch_folder();
    fs::create_dir_all(folder.path("old")).expect("a folder");
    folder.write("old/land.golden", &first_form("land"));
    let (old, new, out) = (folder.path("old"), folder.path("new"), folder.path("out"));
    assert_eq!(extricate(["convert", &old, &new]).exit, 0);
    for (scene, exit) in [
        (SCENE.to_owned(), 0),
        (SCENE.replace("friction: 0.5", "friction: 0.505"), 1),
        (SCENE.replace("(0, 0, 0.9)", "(0, 2e-4, 0.9)"), 1),
    ] {
        let scene = folder.write("land.ron", &scene);
        for further in [&["--json"][..], &["--json", "--exact"], &[]] {
            let [by_old, by_new] = [&old, &new].map(|golden| {
                let arguments = ["verify", &scene, "--golden", golden, "-o", &out];
                extricate(arguments.into_iter().chain(further.iter().copied()))
            });
            // Bits are promised for the version that recorded the file.
            if !further.contains(&"--exact") {
                assert_eq!(by_old.exit, exit, "{}{}", by_old.stdout, by_old.stderr);
            }
            assert_eq!(by_old.exit, by_new.exit, "{}{}", by_new.stdout, by_new.stderr);
            assert_eq!(by_old.stdout.replace(&old, &new), by_new.stdout);
            let warned = format!("`extricate convert {old}`");
            assert_eq!(by_old.stderr.matches(&warned).count(), 1, "{}", by_old.stderr);
            assert_eq!(by_new.stderr, "");
        }
    }
}

#[test]
fn a_damaged_golden_file_of_either_form_is_refused_with_its_line() {
    let folder = scratch_folder();
    let old = first_form("land");
    let new = Golden::parse(&old).expect("a golden file").to_string();
    let third = new.lines().nth(2).expect("a state").to_owned();
    let cases = [
        ("old_number", old.replace("\nsteps 240", "\nsteps many"), "10: steps: `many`"),
        ("old_cut", old[..old.rfind("energy").expect("an energy")].to_owned(), "the energy of the state"),
        ("new_cut", new.replace(&third, &third[..third.len() / 2]), "3: EOF while parsing"),
        (
            "new_field",
            new.replace(&third, &third.replacen('{', "{\"luck\":1,", 1)),
            "3: a state has no `luck`",
        ),
        (
            "new_twice",
            new.replace(&third, &third.replace("\"right\"", "\"left\"")),
            "3: duplicate key \"left\"",
        ),
        ("new_order", format!("{new}{third}\n"), "11: step 32 does not come after step 240"),
        ("new_version", new.replace("version 2", "version 3"), "1: unknown variant"),
        ("new_empty", new.lines().next().expect("a header").to_owned(), "1: there is no state"),
    ];
    folder.write("good.golden", &old);
    for (name, text, _) in &cases {
        assert!(*text != old && *text != new, "{name}");
        folder.write(&format!("{name}.golden"), text);
    }
    let ended = extricate(["convert", &folder.path(".")]);
    assert_eq!(ended.exit, 3, "{}", ended.stderr);
    for (name, text, cause) in &cases {
        let verified = ended.stderr.lines().find(|line| line.contains(&format!("{name}.golden:")));
        assert!(verified.is_some_and(|line| line.contains(cause)), "{name}: {}", ended.stderr);
        assert_eq!(folder.read(&format!("{name}.golden")), *text, "it stays as it is");
    }
    assert_eq!(folder.read("good.golden"), new, "the others are converted");
    assert!(ended.stdout.ends_with("1 of 9 golden files converted\n"), "{}", ended.stdout);
}

/// One triangle, its buffer in a file whose name is escaped.
const SHEET: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "the%20sheet.bin", "byteLength": 36}]}"#;

#[test]
fn every_file_that_a_run_reads_is_an_input_and_a_changed_byte_of_it_another_input() {
    let folder = scratch_folder();
    folder.write("sheet.gltf", SHEET);
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    fs::write(folder.path("the sheet.bin"), corners.map(f32::to_le_bytes).concat()).expect("the buffer");
    let tets = block([1, 1, 1], Vector3::repeat(0.5), Point3::origin()).expect("a block");
    write_tets(&tets, folder.path("block.ele")).expect("the block");
    let scene = folder.write(
        "all.ron",
        r#"(title: "Files that name files", duration: 1, shapes: {"sheet": mesh(file: "sheet.gltf", solidity: surface)},
            bodies: [(name: "sheet", shape: "sheet", kind: fixed)], soft_bodies: [(name: "block", mesh: file(file: "block.ele"),
            position: (0, 0, 2), material: (youngs_modulus: 1e5, poisson_ratio: 0.3))])"#,
    );
    let scene = Scene::load(scene).expect("a scene");
    let before = Inputs::of(&scene).expect("its files");
    let names: Vec<&str> = before.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["sheet.gltf", "the sheet.bin", "block.ele", "block.node"]);
    for name in names {
        let bytes = fs::read(folder.path(name)).expect("the file");
        fs::write(folder.path(name), [bytes.as_slice(), b"\n"].concat()).expect("the file");
        let after = Inputs::of(&scene).expect("its files");
        let changed = before.files.iter().zip(&after.files).filter(|(before, after)| before != after);
        assert_eq!(changed.map(|(_, after)| after.name.as_str()).collect::<Vec<_>>(), [name]);
        assert_ne!(before.hash, after.hash);
        fs::write(folder.path(name), bytes).expect("the file");
    }
}

/// Runs the scene into a folder.
fn run(folder: &ScratchFolder, scene: &str, out: &str, further: &[&str]) {
    let (scene, out) = (folder.path(scene), folder.path(out));
    let ended = extricate(["run", scene.as_str(), "-o", &out].into_iter().chain(further.iter().copied()));
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
}

fn diff(folder: &ScratchFolder, a: &str, b: &str, further: &[&str]) -> Ended {
    let (a, b) = (folder.path(a), folder.path(b));
    extricate(["diff", a.as_str(), &b].into_iter().chain(further.iter().copied()))
}

#[test]
fn runs_of_other_cadence_and_length_are_compared_where_both_have_states() {
    let folder = scratch_folder();
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
    let drawn =
        diff(&folder, "a", "b", &["-o", &folder.path("drift.svg"), "--html", &folder.path("equal.html")]);
    assert_eq!(folder.read("equal.html").matches("<img ").count(), 4, "two plots of each run");
    assert!(drawn.stdout.contains("A ends at step 240, B at step 120"), "{}", drawn.stdout);
    assert!(folder.read("drift.svg").contains("time [s]"), "equal runs have an empty picture");
    run(&folder, "land.ron", "c", &["--dt", "0.0006944444444444445", "--every", "30"]);
    let third = conforms("diff", &diff(&folder, "a", "c", &["--json", "--tolerance", "contacts=any"]).stdout);
    assert_eq!((&third["states"], &third["inputs"][0]["what"]), (&25.into(), &"time_step".into()), "{third}");
}

#[test]
fn a_report_shows_both_states_at_the_first_step_that_differs() {
    let folder = scratch_folder();
    folder.write("land.ron", SCENE);
    run(&folder, "land.ron", "a", &["--steps", "120"]);
    folder.write("land.ron", &SCENE.replace("friction: 0.5", "friction: 0.6"));
    run(&folder, "land.ron", "b", &["--steps", "120"]);
    let ended = diff(&folder, "a", "b", &["--html", &folder.path("report.html")]);
    assert_eq!(ended.exit, 1, "{}", ended.stderr);
    let page = folder.read("report.html");
    let step =
        ended.stdout.split("and step ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a step");
    assert!(page.contains(&format!("Step {step}, the first that differs")), "{page}");
    assert_eq!(page.matches("<img ").count(), 6, "drift, both states, and the plots of both runs");
    let energy = folder.read("a/plots.svg");
    assert!(energy.contains("kinetic") && energy.contains("penetration"), "{energy}");
    assert!(folder.read("a/timing.svg").contains("time of a step"));
}

#[test]
fn a_line_of_the_scene_and_the_step_at_which_it_matters_are_named() {
    let folder = scratch_folder();
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
fn a_changed_state_and_a_killed_run_are_distinguished_from_a_damaged_one() {
    let folder = scratch_folder();
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
