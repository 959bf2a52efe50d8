//! Soft bodies from the command line: runs and their files, checks, repairs, and their refusals.

mod cli_program;

use cli_program::{extricate, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::{Value, json};

/// A soft cube falls 2 cm onto a plane; a rigid ball lies beside it.
const SCENE: &str = r#"(
    title: "A soft cube falls",
    duration: 0.3,
    time_step: 0.01,
    shapes: {"floor": half_space, "ball": ball(radius: 0.1)},
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "ball", shape: "ball", position: (1, 0, 0.1)),
    ],
    soft: (contact: (stiffness: 1e7)),
    soft_bodies: [(
        name: "cube",
        mesh: block(counts: (2, 2, 2), size: (0.2, 0.2, 0.2)),
        material: (youngs_modulus: 1e5, poisson_ratio: 0.3, mass_damping: 5),
        position: (0, 0, 0.12),
    )],
    expect: (measured: [
        (quantity: inverted_elements(body: "cube"), exact: 0, tolerance: 0),
        (quantity: contact_imbalance, exact: 0, tolerance: 1e-10),
    ]),
)"#;

fn conforms(name: &str, text: &str) -> Value {
    let path = format!("{}/assets/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = std::fs::read_to_string(&path).expect("the schema can be read");
    let schema: Value = serde_json::from_str(&schema).expect("the schema is JSON");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let found = faults(&schema, &value);
    assert!(found.is_empty(), "{name}: {}\nin {text}", found.join("\n"));
    value
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn a_run_reports_its_soft_bodies_and_is_the_same_on_two_threads() {
    let folder = scratch_folder();
    let path = folder.write("cube.ron", SCENE);
    for (out, threads) in [("one", "1"), ("two", "2")] {
        let ended =
            extricate(["run", &path, "-o", &folder.path(out), "--every", "5", "--threads", threads, "--vtk"]);
        assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    }
    let states = folder.read("one/states.jsonl");
    assert_eq!(states, folder.read("two/states.jsonl"));
    assert_eq!(folder.read("one/summary.json"), folder.read("two/summary.json"));
    let collection = folder.read("one/soft.pvd");
    let last = collection.lines().rfind(|line| line.contains("<DataSet")).expect("files");
    assert_eq!(collection.matches("<DataSet").count(), states.lines().count());
    let file = last.split("file=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a file");
    assert!(folder.exists(&format!("one/{file}")) && last.contains("name=\"cube\""), "{last}");
    let states: Vec<Value> = states.lines().map(|line| conforms("state", line)).collect();
    let [first, last] = [&states[0], &states[states.len() - 1]];
    let centroid = &first["soft"]["cube"]["centroid"];
    let mut off = (0..3).map(|axis| number(&centroid[axis]) - [0.0, 0.0, 0.12][axis]);
    assert!(off.all(|off| off.abs() < 1e-15), "{centroid}");
    assert!((number(&first["soft"]["cube"]["volume"]) - 0.008).abs() < 1e-15);
    assert!(number(&first["energy"]["elastic"]).abs() < 1e-12);
    // 8 kg at 12 cm and a ball of 4.19 kg at 10 cm.
    let potential = 9.81 * (8.0 * 0.12 + 4.0 / 3.0 * std::f64::consts::PI * 0.1);
    assert!((number(&first["energy"]["potential"]) - potential).abs() < 1e-9);
    assert!(
        number(&last["energy"]["elastic"]) > 0.0 && number(&last["soft"]["cube"]["max_penetration"]) > 0.0
    );
    let summary = conforms("summary", &folder.read("one/summary.json"));
    let soft = &summary["soft"];
    assert_eq!(soft["bodies"]["cube"]["nodes"], 27);
    assert_eq!(soft["bodies"]["cube"]["elements"], 48);
    assert_eq!(soft["deepest_contact"]["bodies"], json!(["cube", "floor"]));
    // At rest the floor carries 78.5 N; where it catches the fall, more.
    assert!(number(&soft["greatest_contact_force"]) > 78.5, "{soft}");
    let timing = conforms("timing", &folder.read("one/timing.json"));
    for phase in ["soft", "soft_assembly", "soft_solve", "soft_contact"] {
        assert!(timing["step_ms"][phase].is_object(), "{phase} is not timed");
    }
    // One file for each recorded state; ParaView's form of tetrahedra.
    for step in (0..=30).step_by(5) {
        let file = folder.read(&format!("one/soft/cube-{step:06}.vtu"));
        assert!(file.contains("NumberOfPoints=\"27\"") && file.contains("NumberOfCells=\"48\""), "{file}");
    }
}

#[test]
fn a_check_lists_soft_overlaps_and_strictly_refuses_them() {
    let folder = scratch_folder();
    let free = extricate(["check", &folder.write("free.ron", SCENE), "--json", "--strict"]);
    assert_eq!(free.exit, 0, "{}", free.stdout);
    let found = conforms("check", &free.stdout);
    assert_eq!(found["soft"][0]["body"], "cube");
    assert!((number(&found["soft"][0]["mass"]) - 8.0).abs() < 1e-12);
    let sunk = folder.write("sunk.ron", &SCENE.replace("(0, 0, 0.12)", "(0, 0, 0.07)"));
    let checked = extricate(["check", &sunk, "--json"]);
    assert_eq!(checked.exit, 0);
    let found = conforms("check", &checked.stdout);
    let overlap = &found["penetrations"][0];
    assert_eq!((&overlap["bodies"], &overlap["kind"]), (&json!(["cube", "floor"]), &json!("soft")));
    assert!((number(&overlap["depth"]) - 0.03).abs() < 1e-12, "{overlap}");
    // Half the diagonal of a cube of 20 cm is the size of the cube.
    assert!((number(&overlap["relative"]) - 0.03 / 0.03_f64.sqrt()).abs() < 1e-12, "{overlap}");
    let strict = extricate(["check", &sunk, "--strict"]);
    assert_eq!(strict.exit, 4, "{}", strict.stdout);
    assert!(strict.stdout.contains("overlap: cube and floor: 0.03 m deep"), "{}", strict.stdout);
    let refused = extricate(["run", &sunk, "--on-overlap", "error", "-o", &folder.path("out")]);
    assert_eq!(refused.exit, 4);
    assert!(refused.stderr.contains("cube and floor") && !folder.exists("out"), "{}", refused.stderr);
}

#[test]
fn a_repair_moves_soft_bodies_rigidly() {
    let folder = scratch_folder();
    let text = SCENE.replace("(0, 0, 0.12)", "(0, 0, 0.07)").replace("(1, 0, 0.1)", "(1, 0, 0.05)");
    let path = folder.write("sunk.ron", &text);
    let out = folder.path("out.ron");
    let ended = extricate(["repair", &path, "-o", &out, "--json", "--clearance", "0.001"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let answer = conforms("repair", &ended.stdout);
    assert_eq!((&answer["status"], &answer["verified_free"]), (&json!("repaired"), &json!(true)));
    assert_eq!((&answer["overlaps_before"], &answer["overlaps_after"]), (&json!(2), &json!([])));
    // The cube is 3 cm in the floor, the ball 5 cm; both are lifted to the clearance.
    for (name, depth) in [("cube", 0.031), ("ball", 0.051)] {
        let moved = &answer["moved"][name];
        assert!((number(&moved["translation"][2]) - depth).abs() < 1e-6, "{name}: {answer}");
        assert!(number(&moved["angle"]).abs() < 1e-6, "{name}: {answer}");
    }
    let written = extricate(["check", &out, "--strict"]);
    assert_eq!(written.exit, 0, "{}", written.stdout);
    let run = extricate(["run", &path, "--on-overlap", "repair", "-o", &folder.path("out")]);
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    // Scenes without overlaps are unchanged, with soft bodies or without.
    let free = extricate(["repair", &folder.write("free.ron", SCENE), "-o", &out, "--json"]);
    assert_eq!((free.exit, &conforms("repair", &free.stdout)["status"]), (0, &json!("already-free")));
}

#[test]
fn a_repair_leaves_soft_bodies_that_something_holds_and_names_their_overlaps() {
    let folder = scratch_folder();
    let held = "position: (0, 0, 0.07), handles: [(name: \"top\", nodes: half_space(point: (0, 0, 0.1), normal: (0, 0, -1)))]";
    let text = SCENE.replace("position: (0, 0, 0.12)", held).replace("(1, 0, 0.1)", "(1, 0, 0.05)");
    let path = folder.write("held.ron", &text);
    let out = folder.path("out.ron");
    let ended = extricate(["repair", &path, "-o", &out, "--json"]);
    assert_eq!(ended.exit, 6, "{}", ended.stderr);
    assert!(ended.stderr.contains("cube and floor") && ended.stderr.contains("soft"), "{}", ended.stderr);
    let answer = conforms("repair", &ended.stdout);
    assert_eq!((&answer["status"], &answer["verified_free"]), (&json!("not-found"), &json!(false)));
    assert_eq!(&answer["overlaps_after"], &json!([["cube", "floor"]]));
    let written = folder.read("out.ron");
    assert!(written.contains("position: (0, 0, 0.07)") && !written.contains("(1, 0, 0.05)"), "{written}");
    let run = extricate(["run", &path, "--on-overlap", "repair", "-o", &folder.path("out")]);
    assert_eq!(run.exit, 6, "{}", run.stderr);
    assert!(run.stderr.contains("cube and floor") && !folder.exists("out"), "{}", run.stderr);
}

#[test]
fn paths_of_tetrahedra_are_mended_where_a_repaired_scene_is_in_another_folder() {
    let folder = scratch_folder();
    folder.write("m.node", "4 3 0 0\n0 0 0 0\n1 0.2 0 0\n2 0 0.2 0\n3 0 0 0.2\n");
    folder.write("m.ele", "1 4 0\n0 0 1 2 3\n");
    let mesh = "mesh: block(counts: (2, 2, 2), size: (0.2, 0.2, 0.2))";
    let path = folder.write("file.ron", &SCENE.replace(mesh, "mesh: file(file: \"m.ele\")"));
    std::fs::create_dir_all(folder.path("other")).expect("a folder");
    let ended = extricate(["repair", &path, "-o", &folder.path("other/out.ron")]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    assert!(folder.read("other/out.ron").contains("file: \"../m.ele\""));
}

#[test]
fn a_step_too_long_to_converge_ends_the_run_with_its_cause_and_what_is_complete() {
    let folder = scratch_folder();
    // The explicit scheme is stable below 2/ω; ω of a stiff cube is far above 2/h.
    let held = "position: (0, 0, 0.12), handles: [(name: \"top\", nodes: half_space(point: (0, 0, 0.1), normal: (0, 0, -1)))]";
    let text = SCENE
        .replace("position: (0, 0, 0.12)", held)
        .replace("soft: (", "soft: (scheme: symplectic_euler, ")
        .replace("youngs_modulus: 1e5", "youngs_modulus: 1e9")
        .replace("duration: 0.3", "duration: 3");
    let path = folder.write("explicit.ron", &text);
    let ended = extricate(["run", &path, "-o", &folder.path("out"), "--every", "1"]);
    assert_eq!(ended.exit, 5, "{}{}", ended.stdout, ended.stderr);
    for part in ["cube", "step", "time"] {
        assert!(ended.stderr.contains(part), "{part} is not in {}", ended.stderr);
    }
    let states = folder.read("out/states.jsonl");
    assert!(states.ends_with('\n') && !folder.exists("out/summary.json"));
    let recorded: Vec<Value> = states.lines().map(|line| conforms("state", line)).collect();
    assert_eq!(recorded[0]["step"], 0);
    // Newton's method that may iterate once a substep does not converge: the run goes on with the best iterates and says so.
    let text = SCENE.replace("soft: (", "soft: (newton: (max_iterations: 1, tolerance: 1e-12), ");
    let ended = extricate(["run", &folder.write("few.ron", &text), "-o", &folder.path("few")]);
    let summary = conforms("summary", &folder.read("few/summary.json"));
    assert!(number(&summary["soft"]["unconverged_steps"]) > 0.0, "{summary}");
    assert!(ended.stdout.contains(" not converged"), "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn a_bad_soft_body_is_a_bad_scene() {
    let folder = scratch_folder();
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (good, bad, cause) in [
        (
            "poisson_ratio: 0.3",
            "poisson_ratio: 0.5",
            "Poisson's ratio is 0.5, but must be above -1 and below 0.5",
        ),
        ("material: (", "material: (density: 0, ", "the density [kg/m³] is 0, but must be above zero"),
        (
            "block(counts: (2, 2, 2), size: (0.2, 0.2, 0.2))",
            "tetrahedralized(of: mesh(file: \"open.obj\"))",
            "the mesh is not closed",
        ),
        (
            "position: (0, 0, 0.12)",
            "handles: [(name: \"h\", nodes: indices(of: [99]))]",
            "soft body `cube` has no node 99: it has 27, counted from 0",
        ),
    ] {
        let path = folder.write("bad.ron", &SCENE.replace(good, bad));
        for command in ["run", "check", "verify"] {
            let ended = extricate([command, &path]);
            assert_eq!(ended.exit, 3, "{command} {bad}: {}{}", ended.stdout, ended.stderr);
            assert!(ended.stderr.contains(cause) && ended.stderr.contains("bad.ron:"), "{}", ended.stderr);
        }
    }
}
