//! `extricate repair` and `run --on-overlap repair`: scenes come out free, and otherwise as they went in.

mod cli_program;

use std::path::Path;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::geometry::read::FileScope;
use extricate::penetration::Effort;
use extricate::scene::{Scene, overlaps};
use extricate_test_support::json_schema::faults;
use nalgebra::Vector3;
use serde_json::Value;

/// Bodies of every kind of shape that overlap each other and the floor.
const MIXED: &str = r#"// The first line.
(
    title: "Everything overlaps", /* with ( a comment */
    duration: 0.05,
    gravity: (0, 0, 0),
    shapes: {
        "floor": half_space,
        "ball": ball(radius: 0.3),
        "brick": cuboid(size: (0.5, 0.4, 0.3)),
        "pill": capsule(radius: 0.15, length: 0.5),
        "can": cylinder(radius: 0.2, height: 0.4),
        "hat": cone(radius: 0.3, height: 0.5),
        "rock": hull(of: procedural(kind: "bumpy_sphere", parameters: {"frequency": 3}, scale: 0.5)),
        "soap": rounded(core: cuboid(size: (0.3, 0.2, 0.1)), radius: 0.05),
        "ring": procedural(kind: "torus", parameters: {"segments": 24, "sides": 8}, scale: 0.4),
    },
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "ball", shape: "ball", position: (0, 0, 0.2)), // sinks into the floor
        (name: "brick", shape: "brick", position: (0.3, 0, 0.2), rotation: euler_degrees(10, 20, 30)),
        (name: "pill", position: (0.1, 0.3, 0.25), shape: "pill"),
        (name: "can", shape: "can", position: (-0.2, 0.1, 0.3)),
        (name: "hat", shape: "hat", position: (0, -0.3, 0.3)),
        (name: "rock", shape: "rock", position: (0.2, -0.2, 0.4)),
        (name: "soap", shape: "soap", position: (0.1, 0, 0.5), linear_velocity: (0, 0, 1)),
        (name: "ring", shape: "ring", position: (0, 0, 0.3)),
        (name: "pillar", shape: "can", kind: fixed, position: (-0.4, 0.3, 0.3)),
        (name: "nowhere near", shape: "ball", position: (9, 9, 9)),
    ],
)
"#;

fn two_cubes(second: &str, more: &str) -> String {
    format!(
        "(title: \"t\", duration: 0.1, gravity: (0, 0, 0), shapes: {{\"cube\": cuboid(size: (1, 1, 1))}},
    bodies: [
        (name: \"a\", shape: \"cube\"),
        (name: \"b\", shape: \"cube\", {second}),
    ]{more})"
    )
}

/// Repairs a scene of a folder and returns the exit code and the answer.
fn repair(folder: &ScratchFolder, scene: &str, options: &[&str]) -> (i32, Value) {
    let (path, out) = (folder.write("in.ron", scene), folder.path("out.ron"));
    let arguments = ["repair", &path, "-o", &out, "--json"];
    let ended = extricate(arguments.into_iter().chain(options.iter().copied()));
    let answer: Value = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ended.stdout, ended.stderr));
    let schema =
        std::fs::read_to_string(format!("{}/assets/schema/repair.schema.json", env!("CARGO_MANIFEST_DIR")));
    let schema = serde_json::from_str(&schema.expect("the schema can be read")).expect("the schema is JSON");
    assert_eq!(faults(&schema, &answer), Vec::<String>::new(), "{answer}");
    (ended.exit, answer)
}

fn change(answer: &Value, name: &str) -> Vector3<f64> {
    let numbers = &answer["change"][name];
    Vector3::from_fn(|k, _| numbers[k].as_f64().unwrap_or(0.0))
}

/// The scene that was written differs from the first one in the places of bodies alone, and these as the answer says.
fn differs_by(before: &Scene, after: &Scene, answer: &Value) {
    assert_eq!(before.bodies.len(), after.bodies.len());
    for (a, b) in before.bodies.iter().zip(&after.bodies) {
        let moved = b.pose.translation.vector - a.pose.translation.vector;
        assert!((moved - change(answer, &a.name)).norm() < 1e-12, "{}: {moved}", a.name);
        assert_eq!((&a.name, a.kind, a.pose.rotation), (&b.name, b.kind, b.pose.rotation));
        assert_eq!((a.linear_velocity, a.angular_velocity), (b.linear_velocity, b.angular_velocity));
        assert_eq!((a.mass, a.friction, a.restitution), (b.mass, b.friction, b.restitution));
    }
    assert_eq!((&before.title, &before.expect), (&after.title, &after.expect));
    assert_eq!(before.joints.len(), after.joints.len());
    for (a, b) in before.joints.iter().zip(&after.joints) {
        let shift = |k: usize| (a.anchors[k].translation.vector - b.anchors[k].translation.vector).norm();
        assert!(shift(0) < 1e-12 && shift(1) < 1e-12, "{}: the anchors stay on their bodies", a.name);
    }
    assert_eq!(before.text.lines().count(), after.text.lines().count());
    for (a, b) in before.text.lines().zip(after.text.lines()) {
        let comment = |line: &str| line.find("//").map(|at| line[at..].to_owned());
        assert_eq!(comment(a), comment(b));
    }
}

fn is_free(scene: &Scene) -> bool {
    let world = scene.world().expect("the scene makes a world");
    overlaps(&world, Effort::Best).expect("depths can be measured").is_empty()
}

/// A scene that may name any file: it was written for another folder.
fn read(path: &str) -> Scene {
    Scene::load_within(Path::new(path), &FileScope::anywhere()).expect("the answer is a scene")
}

#[test]
fn every_shipped_scene_comes_out_free_and_otherwise_equal() {
    let folder = scratch_folder();
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let in_folder = |folder: &str| std::fs::read_dir(scenes.join(folder)).unwrap();
    let files =
        ["rigid", "rigid/closed_form"].into_iter().flat_map(in_folder).map(|entry| entry.unwrap().path());
    let mut repaired = 0;
    for path in files.filter(|path| path.is_file()) {
        let (input, out) = (path.to_str().unwrap(), folder.path("out.ron"));
        let ended = extricate(["repair", input, "-o", &out, "--json", "--effort", "fast"]);
        assert_eq!(ended.exit, 0, "{input}: {}{}", ended.stdout, ended.stderr);
        let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
        let (before, after) = (Scene::load(&path).unwrap(), read(&out));
        assert!(is_free(&after), "{input}");
        differs_by(&before, &after, &answer);
        if answer["status"] == "already-free" {
            assert!(is_free(&before), "{input}");
            assert_eq!(answer["change"], serde_json::json!({}), "{input}");
        }
        repaired += u32::from(answer["status"] == "repaired");
    }
    assert!(repaired >= 1, "at least one shipped scene starts with overlaps");
}

#[test]
fn every_kind_of_shape_is_taken_apart() {
    let folder = scratch_folder();
    let (exit, answer) = repair(&folder, MIXED, &[]);
    assert_eq!(
        (exit, &answer["status"], &answer["verified_free"]),
        (0, &"repaired".into(), &true.into()),
        "{answer}"
    );
    assert!(answer["overlaps_before"].as_u64().unwrap() > 8, "{answer}");
    for name in ["floor", "pillar", "nowhere near"] {
        assert!(answer["change"].get(name).is_none(), "{name} moved");
    }
    let before = Scene::load(folder.path("in.ron")).unwrap();
    let after = Scene::load(folder.path("out.ron")).unwrap();
    assert!(!is_free(&before) && is_free(&after));
    differs_by(&before, &after, &answer);
    assert!(after.text.starts_with("// The first line.\n") && after.text.contains("/* with ( a comment */"));
}

#[test]
fn a_repaired_scene_is_free_already() {
    let folder = scratch_folder();
    repair(&folder, MIXED, &[]);
    let once = folder.read("out.ron");
    let (exit, answer) = repair(&folder, &once, &[]);
    assert_eq!(
        (exit, &answer["status"], &answer["depth"]),
        (0, &"already-free".into(), &0.0.into()),
        "{answer}"
    );
    assert_eq!(folder.read("out.ron"), once);
}

#[test]
fn bodies_that_rest_on_each_other_are_left_alone() {
    let folder = scratch_folder();
    let (exit, answer) = repair(&folder, &two_cubes("position: (0, 0, 1)", ""), &[]);
    assert_eq!((exit, &answer["status"]), (0, &"already-free".into()), "{answer}");
}

#[test]
fn fixed_names_weights_and_clearance_are_respected() {
    let folder = scratch_folder();
    let scene = two_cubes("position: (0.5, 0.25, 0)", "");
    let x = |options: &[&str]| {
        let (exit, answer) = repair(&folder, &scene, options);
        assert_eq!(exit, 0, "{answer}");
        [change(&answer, "a").x, change(&answer, "b").x]
    };
    let close = |found: [f64; 2], expected: [f64; 2]| (0..2).all(|k| (found[k] - expected[k]).abs() < 1e-6);
    let touching = ["--clearance", "0"];
    assert!(close(x(&touching), [-0.25, 0.25]));
    assert!(close(x(&[&touching[..], &["--fix", "a"]].concat()), [0.0, 0.5]));
    assert!(close(x(&[&touching[..], &["--weight", "b=4"]].concat()), [-0.4, 0.1]));
    assert!(close(x(&["--clearance", "0.1"]), [-0.3, 0.3]));
    // By default 1e-4 of the diameter of a cube, which is that of its corners.
    let half = 0.25 + 0.5e-4 * 3.0_f64.sqrt();
    assert!(close(x(&[]), [-half, half]));
}

#[test]
fn the_default_clearance_lifts_nothing_that_rests_and_yields_where_there_is_no_room() {
    let folder = scratch_folder();
    let cubes = |bodies: &str| {
        format!(
            "(title: \"t\", duration: 0.1, gravity: (0, 0, 0), shapes: {{\"cube\": cuboid(size: (1, 1, 1))}}, bodies: [{bodies}])"
        )
    };
    // The first two overlap along x and rest on a fixed one; a third one rests beside them.
    let resting = cubes(
        r#"(name: "ground", shape: "cube", kind: fixed), (name: "a", shape: "cube", position: (-0.4, 0, 1)),
        (name: "b", shape: "cube", position: (0.4, 0, 1)), (name: "c", shape: "cube", position: (0, 1, 0))"#,
    );
    let (exit, answer) = repair(&folder, &resting, &[]);
    assert_eq!(exit, 0, "{answer}");
    let gap = 1e-4 * 3.0_f64.sqrt();
    let (a, b) = (change(&answer, "a"), change(&answer, "b"));
    assert!((b.x - a.x - 0.2 - gap).abs() < 1e-9 && a.z.abs() < 1e-9 && b.z.abs() < 1e-9, "{answer}");
    assert_eq!(change(&answer, "c"), Vector3::zeros(), "{answer}");
    // Between two fixed cubes there is room for half of the clearance on either side.
    let narrow = cubes(&format!(
        r#"(name: "l", shape: "cube", kind: fixed, position: ({}, 0, 0)), (name: "r", shape: "cube", kind: fixed, position: (1, 0, 0)),
        (name: "a", shape: "cube", position: (0.0001, 0, 0)), (name: "below", shape: "cube", kind: fixed, position: (0, 0, -1)),
        (name: "above", shape: "cube", kind: fixed, position: (0, 0, 1)), (name: "near", shape: "cube", kind: fixed, position: (0, -1, 0)),
        (name: "far", shape: "cube", kind: fixed, position: (0, 1, 0))"#,
        -1.0 - gap
    ));
    let (exit, answer) = repair(&folder, &narrow, &["--max-move", "0.01"]);
    assert_eq!((exit, &answer["status"]), (0, &"repaired".into()), "{answer}");
    assert!(change(&answer, "a").norm() < 1.1e-4 && answer["verified_free"] == true, "{answer}");
}

#[test]
fn an_impossible_repair_ends_with_exit_code_6_and_the_best_arrangement() {
    let folder = scratch_folder();
    let scene = two_cubes("position: (0.5, 0, 0)", "");
    let (exit, answer) = repair(&folder, &scene, &["--fix", "a", "--fix", "b"]);
    assert_eq!((exit, &answer["status"]), (6, &"not-found".into()));
    assert_eq!(answer["overlaps_after"], serde_json::json!([["a", "b"]]));
    assert_eq!(folder.read("out.ron"), scene);
    let (exit, answer) = repair(&folder, &scene, &["--max-move", "0.2"]);
    assert_eq!((exit, &answer["status"], &answer["verified_free"]), (6, &"not-found".into(), &true.into()));
}

#[test]
fn names_and_numbers_that_make_no_sense_are_usage_errors() {
    let folder = scratch_folder();
    let path = folder.write("in.ron", &two_cubes("position: (0.5, 0, 0)", ""));
    let out = folder.path("out.ron");
    for (options, message) in [
        (["--fix", "c"], "no body named `c`"),
        (["--weight", "c=1"], "no body named `c`"),
        (["--weight", "a=0"], "above zero"),
        (["--weight", "a"], "NAME=W"),
        (["--clearance", "-1"], "zero or above"),
        (["--max-move", "nan"], "zero or above"),
    ] {
        let ended = extricate(["repair", &path, "-o", &out].into_iter().chain(options));
        assert_eq!(ended.exit, 2, "{options:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{options:?}: {}", ended.stderr);
        assert!(!folder.exists("out.ron"));
    }
}

#[test]
fn bodies_tied_by_a_fixed_joint_move_together_and_the_joint_with_them() {
    let folder = scratch_folder();
    let scene = r#"(title: "t", duration: 0.1, gravity: (0, 0, 0), shapes: {"cube": cuboid(size: (1, 1, 1))},
    bodies: [
        (name: "a", shape: "cube"),
        (name: "b", shape: "cube", position: (0.8, 0, 0)),
        (name: "c", shape: "cube", position: (1.9, 0, 0)),
    ],
    joints: [(name: "j", bodies: ("b", "c"), kind: fixed)])"#;
    let (exit, answer) = repair(&folder, scene, &["--clearance", "0"]);
    assert_eq!(exit, 0, "{answer}");
    // Two bodies of weight one weigh two: the pair moves a third of the way.
    assert!((change(&answer, "a").x + 0.4 / 3.0).abs() < 1e-6, "{answer}");
    assert_eq!(change(&answer, "b"), change(&answer, "c"));
    let (before, after) =
        (Scene::load(folder.path("in.ron")).unwrap(), Scene::load(folder.path("out.ron")).unwrap());
    differs_by(&before, &after, &answer);
}

#[test]
fn an_overlap_of_two_bodies_that_a_joint_ties_together_is_not_found_unless_the_joint_exempts_it() {
    let folder = scratch_folder();
    let joint = |contacts: bool| {
        format!(", joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed, contacts: {contacts})]")
    };
    let (exit, answer) = repair(&folder, &two_cubes("position: (0.5, 0, 0)", &joint(true)), &[]);
    assert_eq!((exit, &answer["status"]), (6, &"not-found".into()), "{answer}");
    let (exit, answer) = repair(&folder, &two_cubes("position: (0.5, 0, 0)", &joint(false)), &[]);
    assert_eq!((exit, &answer["status"]), (0, &"already-free".into()), "{answer}");
}

#[test]
fn copies_are_moved_one_by_one() {
    let folder = scratch_folder();
    let scene = r#"(title: "t", duration: 0.1, gravity: (0, 0, 0), shapes: {"cube": cuboid(size: (1, 1, 1))},
    bodies: [(name: "a", shape: "cube", copies: (count: (3, 1, 1), spacing: (0.9, 0, 0)))])"#;
    let (exit, answer) = repair(&folder, scene, &["--clearance", "0"]);
    assert_eq!(exit, 0, "{answer}");
    assert!((change(&answer, "a-0").x + 0.1).abs() < 1e-6 && (change(&answer, "a-2").x - 0.1).abs() < 1e-6);
    let (before, after) =
        (Scene::load(folder.path("in.ron")).unwrap(), Scene::load(folder.path("out.ron")).unwrap());
    assert!(is_free(&after), "{}", after.text);
    differs_by(&before, &after, &answer);
}

#[test]
fn paths_of_meshes_are_found_from_another_folder() {
    let folder = scratch_folder();
    std::fs::create_dir_all(folder.path("deep/er")).unwrap();
    std::fs::create_dir_all(folder.path("meshes")).unwrap();
    let ended = extricate(["mesh", "box", "-o", &folder.path("meshes/box.obj")]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let scene = r#"(title: "t", duration: 0.1, shapes: {"box": mesh(file: "meshes/box.obj")},
    bodies: [(name: "a", shape: "box"), (name: "b", shape: "box", position: (0.5, 0, 0))])"#;
    let (path, out) = (folder.write("in.ron", scene), folder.path("deep/er/out.ron"));
    let ended = extricate(["repair", &path, "-o", &out]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(folder.read("deep/er/out.ron").contains("file: \"../../meshes/box.obj\""));
    // The new folder does not hold the mesh.
    assert!(is_free(&read(&out)));
}

#[test]
fn a_run_starts_from_the_repaired_scene_and_its_summary_lists_displacements() {
    let folder = scratch_folder();
    let scene = two_cubes("position: (0.5, 0.25, 0)", ", on_overlap: repair");
    for (scene, options) in
        [(scene, &[][..]), (two_cubes("position: (0.5, 0.25, 0)", ""), &["--on-overlap", "repair"])]
    {
        let (path, out) = (folder.write("in.ron", &scene), folder.path("out"));
        let arguments = ["run", &path, "-o", &out, "--json"];
        let ended = extricate(arguments.into_iter().chain(options.iter().copied()));
        assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
        let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
        // Half of the overlap and of the default clearance.
        let half = 0.25 + 0.5e-4 * 3.0_f64.sqrt();
        assert!((summary["moved"]["b"][0].as_f64().unwrap() - half).abs() < 1e-6, "{summary}");
        let start: Value =
            serde_json::from_str(folder.read("out/states.jsonl").lines().next().unwrap()).unwrap();
        assert_eq!(start["max_penetration"], 0.0, "{start}");
    }
}

#[test]
fn a_run_that_cannot_be_repaired_does_not_start() {
    let folder = scratch_folder();
    let joint = ", joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed, contacts: true)]";
    let path = folder.write("in.ron", &two_cubes("position: (0.5, 0, 0)", joint));
    let ended = extricate(["run", &path, "-o", &folder.path("out"), "--on-overlap", "repair"]);
    assert_eq!(ended.exit, 6, "{}", ended.stderr);
    assert!(ended.stderr.contains("`a` and `b`"), "{}", ended.stderr);
    assert!(!folder.exists("out"));
}

#[test]
fn the_text_report_lists_the_farthest_displacement_first() {
    let folder = scratch_folder();
    let path = folder.write("in.ron", &two_cubes("position: (0.5, 0.25, 0)", ""));
    let ended = extricate(["repair", &path, "-o", &folder.path("out.ron"), "--weight", "a=4"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let at = |row: &str| ended.stdout.find(row).unwrap_or_else(|| panic!("no `{row}` in {}", ended.stdout));
    assert!(at("\n  b ") < at("\n  a "), "{}", ended.stdout);
}
