//! `extricate repair` of scenes with robots, and of bodies that may rotate.

mod cli_program;

use std::path::Path;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::geometry::read::FileScope;
use extricate::penetration::Effort;
use extricate::scene::{Scene, overlaps};
use extricate_test_support::json_schema::faults;
use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The arm beside a box into which it is bent, above a floor, and a ball that overlaps a fixed pillar.
fn arm_scene(more: &str) -> String {
    format!(
        r#"// The first line.
(
    title: "An arm in a box", /* with ( a comment */
    duration: 0.05,
    gravity: (0, 0, 0),
    {more}
    shapes: {{"box": cuboid(size: (0.6, 2, 0.6)), "ball": ball(radius: 0.1), "pillar": cylinder(radius: 0.1, height: 1)}},
    bodies: [
        (name: "box", shape: "box", kind: fixed, position: (0.7, 0, 0.9)), // in the way
        (name: "pillar", shape: "pillar", kind: fixed, position: (0, 3, 0.5)),
        (name: "ball", shape: "ball", position: (0.15, 3, 0.5)),
        (name: "far", shape: "ball", position: (9, 9, 9)),
    ],
    robots: [(
        name: "arm",
        file: "{ROOT}/assets/robots/arm.urdf",
        joints: {{"shoulder": degrees(50)}}, // bent
    )],
)
"#
    )
}

fn repair(folder: &ScratchFolder, scene: &str, options: &[&str]) -> (i32, Value) {
    let (path, out) = (folder.write("in.ron", scene), folder.path("out.ron"));
    let arguments = ["repair", &path, "-o", &out, "--json", "--root", ROOT];
    let ended = extricate(arguments.into_iter().chain(options.iter().copied()));
    let answer: Value = serde_json::from_str(&ended.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", ended.stdout, ended.stderr));
    let schema =
        std::fs::read_to_string(format!("{ROOT}/assets/schema/repair.schema.json")).expect("a schema");
    let schema = serde_json::from_str(&schema).expect("JSON");
    assert_eq!(faults(&schema, &answer), Vec::<String>::new(), "{answer}");
    (ended.exit, answer)
}

fn is_free(scene: &Scene) -> bool {
    let world = scene.world().expect("the scene makes a world");
    overlaps(&world, Effort::Best).expect("depths can be measured").is_empty()
}

/// A scene of the folder, which may refer to shipped files.
fn read(folder: &ScratchFolder, name: &str) -> Scene {
    let path = folder.path(name);
    let reach = FileScope::around(Path::new(&path)).and(Path::new(ROOT));
    Scene::load_within(Path::new(&path), &reach).unwrap_or_else(|error| panic!("{error}"))
}

fn out(folder: &ScratchFolder) -> Scene {
    read(folder, "out.ron")
}

#[test]
fn robots_move_their_joints_and_bodies_their_places_and_the_rest_stays() {
    let folder = scratch_folder();
    let (exit, answer) = repair(&folder, &arm_scene(""), &["--clearance", "0"]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    let (before, after) = (read(&folder, "in.ron"), out(&folder));
    assert!(!is_free(&before) && is_free(&after) && answer["verified_free"] == true, "{answer}");
    assert!(answer["overlaps_before"].as_u64().unwrap() >= 2, "{answer}");
    let (old, new) = (&before.robots[0], &after.robots[0]);
    assert!(old.pose == new.pose && old.configuration != new.configuration);
    for (at, &joint) in old.articulation.coordinates().iter().enumerate() {
        let name = &old.articulation.joints()[joint].name;
        let change = answer["change"][format!("arm/{name}")].as_f64().unwrap_or(0.0);
        assert!((new.configuration[at] - old.configuration[at] - change).abs() < 1e-12, "{name}: {answer}");
        let reported = answer["joints"]["arm"][name].as_f64().unwrap();
        assert!((reported - new.configuration[at]).abs() < 1e-12, "{name}: {answer}");
    }
    for (old, new) in before.bodies.iter().zip(&after.bodies) {
        let moved = new.pose.translation.vector - old.pose.translation.vector;
        assert_eq!(moved.norm() > 0.0, old.name == "ball", "{} moved by {moved}", old.name);
        if old.name == "ball" {
            assert!((moved.norm() - 0.05).abs() < 1e-5, "{moved}");
        }
    }
    for comment in ["// The first line.\n", "/* with ( a comment */", "// in the way", "// bent"] {
        assert!(after.text.contains(comment), "{}", after.text);
    }
    let once = folder.read("out.ron");
    let (exit, again) = repair(&folder, &once, &[]);
    assert_eq!(
        (exit, &again["status"], &again["sigma"]),
        (0, &json!("already-free"), &json!(0.0)),
        "{again}"
    );
    assert_eq!(folder.read("out.ron"), once);
}

#[test]
fn joints_and_bodies_that_are_fixed_or_dear_are_respected() {
    let folder = scratch_folder();
    let (exit, answer) = repair(&folder, &arm_scene(""), &["--fix", "arm/shoulder", "--fix", "arm/turn"]);
    assert_eq!(exit, 0, "{answer}");
    let change = |answer: &Value, joint: &str| answer["change"][joint].as_f64().unwrap_or(0.0);
    assert!(change(&answer, "arm/shoulder") == 0.0 && change(&answer, "arm/turn") == 0.0, "{answer}");
    assert!(is_free(&out(&folder)));
    let (_, light) = repair(&folder, &arm_scene(""), &[]);
    let (exit, dear) = repair(&folder, &arm_scene(""), &["--weight", "arm/shoulder=10000"]);
    let of_shoulder = |answer: &Value| change(answer, "arm/shoulder").abs();
    assert!(exit == 0 && of_shoulder(&dear) < 0.1 * of_shoulder(&light), "{dear}");
    let (exit, answer) = repair(&folder, &arm_scene(""), &["--fix", "ball"]);
    assert_eq!((exit, &answer["status"]), (6, &json!("not-found")), "{answer}");
    assert_eq!(answer["overlaps_after"], json!([["ball", "pillar"]]));
    let (exit, answer) = repair(&folder, &arm_scene(""), &["--max-move", "0.001"]);
    assert_eq!((exit, &answer["status"], &answer["verified_free"]), (6, &json!("not-found"), &json!(true)));
    assert!(answer["error"].as_str().unwrap().contains("farther than 0.001 m"), "{answer}");
    let path = folder.write("in.ron", &arm_scene(""));
    let ended =
        extricate(["repair", &path, "-o", &folder.path("o.ron"), "--fix", "arm/nothing", "--root", ROOT]);
    assert!(ended.exit == 2 && ended.stderr.contains("named `arm/nothing`"), "{}", ended.stderr);
}

#[test]
fn a_floating_robot_moves_its_base() {
    let folder = scratch_folder();
    let scene = format!(
        r#"(title: "t", duration: 0.05, gravity: (0, 0, 0), shapes: {{"floor": half_space}},
        bodies: [(name: "floor", shape: "floor", kind: fixed, position: (0, 0, 0.02))],
        robots: [(name: "arm", base: floating, file: "{ROOT}/assets/robots/arm.urdf", position: (1, 2, -0.03))])"#
    );
    let (exit, answer) = repair(&folder, &scene, &[]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    assert!(answer["moved"]["arm"]["translation"][2].as_f64().unwrap() > 0.0, "{answer}");
    let after = out(&folder);
    assert!(is_free(&after) && after.robots[0].pose.translation.z > -0.03);
    let reported: [f64; 3] = serde_json::from_value(answer["base"]["arm"]["translation"].clone()).unwrap();
    assert_eq!(after.robots[0].pose.translation.vector, nalgebra::Vector3::from(reported));
}

/// A leaning plank in a corner, with its foot in the wall.
const PLANK: &str = r#"(title: "t", duration: 0.05, gravity: (0, 0, 0),
    shapes: {"plank": cuboid(size: (2, 0.2, 0.1)), "floor": half_space},
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "wall", shape: "floor", kind: fixed, position: (1, 0, 0), rotation: euler_degrees(0, -90, 0)),
        (name: "plank", shape: "plank", position: (0.2, 0, 0.45), rotation: euler_degrees(0, 30, 0)), // leans
    ])"#;

#[test]
fn bodies_may_rotate_where_requested_and_then_move_less() {
    let folder = scratch_folder();
    let (exit, straight) = repair(&folder, PLANK, &[]);
    assert_eq!(exit, 0, "{straight}");
    assert_eq!(out(&folder).bodies[2].pose.rotation, read(&folder, "in.ron").bodies[2].pose.rotation);
    let (exit, rotated) = repair(&folder, PLANK, &["--turn"]);
    assert_eq!((exit, &rotated["status"]), (0, &json!("repaired")), "{rotated}");
    let after = out(&folder);
    assert!(is_free(&after) && after.text.contains("// leans"));
    assert!(rotated["moved"]["plank"]["angle"].as_f64().unwrap() > 1e-3, "{rotated}");
    // The object norm of a translation is its length.
    let [straight, rotated] = [straight, rotated].map(|answer| answer["depth"].as_f64().unwrap());
    assert!(rotated < straight, "{rotated} {straight}");
}

#[test]
fn bodies_tied_by_joints_rotate_as_one_and_the_joint_with_them() {
    let folder = scratch_folder();
    let scene = r#"(title: "t", duration: 0.05, gravity: (0, 0, 0),
    shapes: {"cube": cuboid(size: (1, 1, 1)), "floor": half_space},
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "a", shape: "cube", position: (0, 0, 0.4), rotation: euler_degrees(0, 10, 0)),
        (name: "b", shape: "cube", position: (1.2, 0, 0.8)),
    ],
    joints: [(name: "j", bodies: ("a", "b"), kind: revolute(anchor: (0.6, 0, 0.6), axis: (0, 1, 0)))])"#;
    let (exit, answer) = repair(&folder, scene, &["--turn"]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    let (before, after) = (read(&folder, "in.ron"), out(&folder));
    assert!(is_free(&after));
    let between = |scene: &Scene| scene.bodies[1].pose.inverse() * scene.bodies[2].pose;
    assert!((between(&before).to_matrix() - between(&after).to_matrix()).norm() < 1e-12);
    for (old, new) in before.joints[0].anchors.iter().zip(&after.joints[0].anchors) {
        assert!((old.translation.vector - new.translation.vector).norm() < 1e-12, "{new}");
    }
}

#[test]
fn copies_that_are_turned_are_written_by_name() {
    let folder = scratch_folder();
    let scene = r#"(title: "t", duration: 0.05, gravity: (0, 0, 0),
    shapes: {"cube": cuboid(size: (1, 1, 1)), "floor": half_space},
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "a", shape: "cube", position: (0, 0, 0.6), rotation: euler_degrees(0, 20, 0),
         copies: (count: (2, 1, 1), spacing: (3, 0, 0))),
    ])"#;
    let (exit, answer) = repair(&folder, scene, &["--turn"]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    let after = out(&folder);
    assert!(is_free(&after) && after.text.contains("rotations: {\"a-0\": quaternion("), "{}", after.text);
}

#[test]
fn a_run_starts_from_the_repaired_robot_and_its_summary_lists_displacements() {
    let folder = scratch_folder();
    for (scene, options) in
        [(arm_scene("on_overlap: repair,"), &[][..]), (arm_scene(""), &["--on-overlap", "repair"])]
    {
        let (path, run) = (folder.write("in.ron", &scene), folder.path("run"));
        let ended = extricate(
            ["run", &path, "-o", &run, "--json", "--root", ROOT].into_iter().chain(options.iter().copied()),
        );
        assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
        let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert!(summary["joints_moved"].as_object().is_some_and(|joints| !joints.is_empty()), "{summary}");
        assert!(summary["moved"]["ball"][0].as_f64().is_some(), "{summary}");
        let start: Value =
            serde_json::from_str(folder.read("run/states.jsonl").lines().next().unwrap()).unwrap();
        assert_eq!(start["max_penetration"], 0.0, "{start}");
    }
}

#[test]
fn answers_of_the_generalized_query_are_the_nearest_poses_in_closed_form() {
    let folder = scratch_folder();
    let poses = folder.write(
        "poses.jsonl",
        r#"{"a": {"translation": [0, 0, 0.4]}}
{"a": {"translation": [0, 0, 0.5001]}}
{"a": {"translation": [5, 0, 0.3]}, "b": {"translation": [0, 0, -0.1]}}
{"a": {"translation": [0.3, 0, 0]}, "b": {"rotation": [0.7071067811865476, 0, 0.7071067811865476, 0]}}
"#,
    );
    let schema =
        std::fs::read_to_string(format!("{ROOT}/assets/schema/generalized.schema.json")).expect("a schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    for more in [&[][..], &["--coherent"], &["--effort", "fast"]] {
        let ask = [
            "query",
            "generalized",
            "box:1,1,1",
            "halfspace",
            "--poses",
            &poses,
            "--json",
            "--clearance",
            "0",
        ];
        let ended = extricate(ask.into_iter().chain(more.iter().copied()));
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        let answers: Vec<Value> =
            ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        answers
            .iter()
            .for_each(|answer| assert_eq!(faults(&schema, answer), Vec::<String>::new(), "{answer}"));
        assert_eq!(answers[1]["status"], "separate");
        // A cube on its face in a half-space is best lifted straight.
        for (index, depth, place) in
            [(0, 0.1, [0.0, 0.0, 0.5]), (2, 0.1, [5.0, 0.0, 0.4]), (3, 0.2, [0.5, 0.0, 0.0])]
        {
            let answer = &answers[index];
            assert!((answer["depth"].as_f64().unwrap() - depth).abs() < 1e-5, "{answer}");
            assert!((answer["sigma"].as_f64().unwrap() - depth * depth).abs() < 1e-5, "{answer}");
            for axis in 0..3 {
                let found = answer["pose"]["translation"][axis].as_f64().unwrap();
                assert!((found - place[axis]).abs() < 1e-5, "{answer}");
            }
        }
    }
    let alone = extricate(["query", "generalized", "sphere:1", "sphere:1", "--coherent"]);
    assert!(alone.exit == 2 && alone.stderr.contains("--poses"), "{}", alone.stderr);
    let endless = extricate(["query", "generalized", "halfspace", "sphere:1"]);
    assert!(endless.exit == 3 && endless.stderr.contains("halfspace"), "{}", endless.stderr);
}
