//! The folder of a run is self-contained, and reading it restores the run.

mod cli_program;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::dynamics::{NarrowPhase, World};
use extricate::geometry::procedural::{Procedural, Torus};
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::tet_mesh::write::write_tets;
use extricate::geometry::write::write_mesh;
use extricate::record::{RecordError, Recording, RunDirectory, RunOptions, run};
use extricate::scene::Scene;
use extricate_test_support::json_schema::faults;
use nalgebra::{Point3, Vector3};

/// Runs a scene into a folder.
fn record(scene: &Scene, folder: &str, steps: u64, every: u64) {
    let directory = RunDirectory::create(folder).expect("the folder can be made");
    let options = RunOptions { steps, every, check_expectations: false };
    let world = scene.world().expect("a world");
    run(scene, world, &options, Some(directory), &mut |_| ControlFlow::Continue(())).expect("the scene runs");
}

/// A robot that swings, a body of mesh, a ball and a soft block, all from files or beside them.
const EVERYTHING: &str = r#"// Look at: everything moves.
(
    title: "Everything at once",
    duration: 1,
    shapes: {
        "ring": mesh(file: "parts/ring.obj"),
        "same": hull(of: mesh(file: "parts/../parts/ring.obj", scale: 0.5)),
        "open": mesh(file: "parts/sheet.gltf", solidity: surface),
        "floor": half_space,
    },
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "sheet", shape: "open", kind: fixed, position: (9, 0, 0)),
        (name: "ring", shape: "ring", position: (0, 3, 0.3)),
        (name: "hull", shape: "same", position: (0, 5, 1), angular_velocity: (3, 1, 0)),
    ],
    robots: [(name: "arm", file: "parts/arm.urdf", packages: ["elsewhere/pack"], position: (0, 0, 3), joints: {"hinge": degrees(40)}),
        (name: "swing", file: "parts/swing.xml", position: (0, -5, 3), joints: {"swing": degrees(40)})],
    soft_bodies: [
        (name: "pair", mesh: file(file: "parts/block.ele"), position: (3, 0, 0.26),
            material: (youngs_modulus: 1e5, poisson_ratio: 0.3)),
        (name: "msh", mesh: file(file: "parts/block.msh"), position: (5, 0, 0.3), elements: quadratic,
            material: (youngs_modulus: 1e5, poisson_ratio: 0.3)),
        (name: "filled", mesh: tetrahedralized(of: mesh(file: "parts/ring.obj"), cell: 0.2), position: (3, 5, 0.3),
            material: (youngs_modulus: 1e5, poisson_ratio: 0.3)),
    ],
)"#;

const ARM: &str = r#"<robot name="arm"><link name="post"/>
  <!-- the mesh is that of a package -->
  <link name="bar"><visual><geometry><mesh filename="package://pack/not_there.dae"/></geometry></visual>
    <collision><geometry><mesh scale="2 2 2" filename='package://pack/meshes/a&amp;b.stl'/></geometry></collision></link>
  <joint name="hinge" type="continuous"><parent link="post"/><child link="bar"/><axis xyz="0 1 0"/></joint>
</robot>"#;

/// Its body is in another file, and its mesh in another folder.
const SWING: [&str; 2] = [
    r#"<mujoco><compiler meshdir="../elsewhere/pack/meshes"/><asset><mesh file="a&amp;b.stl"/></asset>
<worldbody><include file="swing_body.xml"/></worldbody></mujoco>"#,
    r#"<mujocoinclude><body name="bar"><joint name="swing" axis="0 1 0"/><geom type="mesh" mesh="a&amp;b"/></body></mujocoinclude>"#,
];

/// One triangle, its buffer in a file whose name is escaped.
const SHEET: &str = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"uri": "the%20sheet.bin", "byteLength": 36}]}"#;

/// Writes the scene with everything, and returns it.
fn everything(folder: &ScratchFolder) -> Scene {
    for name in ["in/parts", "in/elsewhere/pack/meshes"] {
        fs::create_dir_all(folder.path(name)).expect("a folder");
    }
    let ring = Torus { major_radius: 0.5, minor_radius: 0.15, ..Torus::default() }.mesh().expect("a ring");
    write_mesh(&ring, folder.path("in/parts/ring.obj")).expect("the ring");
    write_mesh(&ring, folder.path("in/elsewhere/pack/meshes/a&b.stl")).expect("the bar");
    let tets = block([2, 2, 2], Vector3::repeat(0.5), Point3::origin()).expect("a block");
    for extension in ["ele", "msh"] {
        write_tets(&tets, folder.path(&format!("in/parts/block.{extension}"))).expect("the block");
    }
    let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let bytes: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(folder.path("in/parts/the sheet.bin"), bytes).expect("the buffer");
    folder.write("in/parts/sheet.gltf", SHEET);
    folder.write("in/parts/arm.urdf", ARM);
    folder.write("in/parts/swing.xml", SWING[0]);
    folder.write("in/parts/swing_body.xml", SWING[1]);
    Scene::load(folder.write("in/everything.ron", EVERYTHING)).expect("a scene")
}

/// The world after some steps.
fn stepped(scene: &Scene, steps: u64) -> World {
    let mut world = scene.world().expect("a world");
    while world.steps() < steps {
        world.step().expect("a step");
    }
    world
}

#[test]
fn a_run_folder_is_self_contained_wherever_it_is_moved() {
    let folder = scratch_folder();
    let scene = everything(&folder);
    let expected = [0, 3].map(|steps| stepped(&scene, steps).hash());
    record(&scene, &folder.path("out"), 3, 1);
    fs::remove_dir_all(folder.path("in")).expect("the originals go");
    fs::create_dir_all(folder.path("far/away")).expect("a folder");
    fs::rename(folder.path("out"), folder.path("far/away/run")).expect("the run moves");
    let again = Scene::load(folder.path("far/away/run/scene.ron")).expect("the scene of the run");
    assert_eq!([0, 3].map(|steps| stepped(&again, steps).hash()), expected);
    assert!(again.text.starts_with("// Look at: everything moves.\n"), "{}", again.text);
    let mut extensions: Vec<String> = fs::read_dir(folder.path("far/away/run/assets"))
        .expect("the assets")
        .map(|entry| {
            entry.expect("an asset").path().extension().expect("one").to_str().expect("UTF-8").to_owned()
        })
        .collect();
    extensions.sort();
    // The ring is named three times and there once.
    assert_eq!(extensions, ["bin", "ele", "gltf", "msh", "node", "obj", "stl", "urdf", "xml"]);
}

#[test]
fn shipped_scenes_with_meshes_and_robots_start_alike_from_their_run_folders() {
    let folder = scratch_folder();
    for name in
        ["repair/arm_in_car", "repair/figure_on_bench_repaired", "robots/gripper_lifts", "rigid/grate_stack"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).with_extension("ron");
        let scene = Scene::load(path).expect("a shipped scene");
        let out = folder.path(&name.replace('/', "-"));
        record(&scene, &out, 1, 1);
        let again = Scene::load(PathBuf::from(out).join("scene.ron")).expect("the scene of the run");
        let [a, b] = [&scene, &again].map(|scene| stepped(scene, 0).hash());
        assert_eq!(a, b, "{name}");
    }
}

#[test]
fn changes_by_the_command_line_are_in_the_scene_of_the_run() {
    let folder = scratch_folder();
    let text = r#"(title: "Two cubes", duration: 0.1, shapes: {"cube": cuboid(size: (1, 1, 1))}, bodies: [
        (name: "a", shape: "cube"), (name: "b", shape: "cube", position: (0.75, 0, 0)) ])"#;
    let path = folder.write("cubes.ron", text);
    let out = folder.path("out");
    let ended = extricate([
        "run",
        &path,
        "-o",
        &out,
        "--dt",
        "0.005",
        "--narrow-phase",
        "rapier",
        "--on-overlap",
        "repair",
    ]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let recording = Recording::open(&out).expect("a recording");
    let first = recording.state(0).expect("the start");
    let world = stepped(recording.scene(), 0);
    assert_eq!(first.hash.0, world.hash(), "the cubes start where they were moved to");
    assert!(first.bodies[1].position.x - first.bodies[0].position.x >= 1.0);
    let copy = Scene::load(folder.path("out/scene.ron")).expect("the scene of the run").options;
    assert_eq!(copy.time_step.to_bits(), 0.005_f64.to_bits());
    assert_eq!(copy.narrow_phase, NarrowPhase::Rapier);
    assert_eq!(
        stepped(recording.scene(), 20).hash(),
        recording.state(recording.state_count() - 1).expect("the end").hash.0
    );
}

#[test]
fn a_run_of_the_scene_of_a_run_writes_it_anew_and_no_other_scene_is_overwritten() {
    let folder = scratch_folder();
    let scene = everything(&folder);
    let out = folder.path("out");
    record(&scene, &out, 2, 1);
    let files = ["run.json", "scene.ron", "states.jsonl", "summary.json"];
    let before = files.map(|file| folder.read(&format!("out/{file}")));
    let nodes = fs::read(folder.path("out/nodes.bin")).expect("the nodes");
    let again = Scene::load(folder.path("out/scene.ron")).expect("the scene of the run");
    record(&again, &out, 2, 1);
    assert_eq!(folder.read("out/scene.ron"), before[1]);
    assert_eq!(folder.read("out/states.jsonl"), before[2]);
    assert!(fs::read(folder.path("out/nodes.bin")).expect("the nodes") == nodes);
    Recording::open(&out).expect("it is still a run");
    // Files of an earlier scene are removed, other files stay.
    folder.write("out/assets/notes.txt", "mine");
    record(&Scene::load("scenes/rigid/linked_chain.ron").expect("a scene"), &out, 1, 1);
    let left: Vec<_> = fs::read_dir(folder.path("out/assets")).expect("it stays").collect();
    assert!(left.len() == 1 && !folder.exists("out/nodes.bin"), "{left:?}");
    // A scene that happens to bear the name of the copy.
    let own = folder.path("in/scene.ron");
    fs::copy(folder.path("in/everything.ron"), &own).expect("a copy");
    let ended = extricate(["run", &own, "-o", &folder.path("in"), "--steps", "1"]);
    assert!(ended.exit == 2 && ended.stderr.contains("does not overwrite it"), "{}", ended.stderr);
    assert_eq!(folder.read("in/scene.ron"), EVERYTHING);
}

#[test]
fn a_restored_world_is_equal_to_the_last_bit() {
    let folder = scratch_folder();
    let scene = everything(&folder);
    record(&scene, &folder.path("out"), 7, 3);
    let recording = Recording::open(folder.path("out")).expect("a recording");
    assert!(recording.is_complete() && recording.state_count() == 4);
    let manifest = json_schema_of("run", &folder.read("out/run.json"));
    assert_eq!((manifest["scene"].as_str(), manifest["steps"].as_u64()), (Some("everything"), Some(7)));
    // Not in order: any state can be had by itself.
    for (state, step) in [(2, 6), (0, 0), (3, 7), (1, 3)] {
        let (read, world) = (recording.state(state).expect("a state"), stepped(&scene, step));
        assert_eq!(
            (read.step, read.hash.0, read.time.to_bits()),
            (step, world.hash(), world.time().to_bits())
        );
        assert_eq!(recording.time(state).to_bits(), read.time.to_bits());
        assert_eq!(recording.state_at(read.time), state);
        assert_eq!(recording.state_at(read.time + 1e-9), state);
        assert!(read.bodies == world.bodies() && read.energy == world.energy(), "state {state}");
        let robot = &world.robots()[0];
        assert_eq!((&read.robots[0].joints, read.robots[0].base), (&robot.joints, robot.base));
        assert_eq!(read.soft.len(), 3);
        for body in &read.soft {
            let nodes: Vec<_> = body.nodes.iter().map(|node| node.coords).collect();
            assert_eq!(Some(nodes.as_slice()), world.soft_positions(&body.name), "{}", body.name);
            let state = world.soft_body(&body.name).expect("a soft body");
            assert_eq!(body.state.volume.to_bits(), state.volume.to_bits());
        }
    }
    assert_eq!((recording.state_at(-1.0), recording.state_at(1e9)), (0, 3));
}

fn json_schema_of(name: &str, text: &str) -> serde_json::Value {
    let path = format!("{}/assets/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(path).expect("the schema")).expect("it is JSON");
    let value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(faults(&schema, &value), Vec::<String>::new());
    value
}

/// A recorded fall of a soft block and a ball, five states.
fn fall(folder: &ScratchFolder) -> PathBuf {
    let text = r#"(title: "Two fall", duration: 1, shapes: {"ball": ball(radius: 0.1)}, bodies: [(name: "ball", shape: "ball")],
        soft_bodies: [(name: "block", mesh: block(counts: (1, 1, 1), size: (1, 1, 1)), position: (2, 0, 0),
            material: (youngs_modulus: 1e5, poisson_ratio: 0.3))])"#;
    let scene = Scene::load(folder.write("fall.ron", text)).expect("a scene");
    record(&scene, &folder.path("out"), 4, 1);
    PathBuf::from(folder.path("out"))
}

#[test]
fn a_run_that_was_killed_is_read_up_to_its_last_whole_state_wherever_it_was_cut() {
    let folder = scratch_folder();
    let out = fall(&folder);
    let (states, nodes) = (out.join("states.jsonl"), out.join("nodes.bin"));
    let [lines, bytes] = [&states, &nodes].map(|path| fs::read(path).expect("a file"));
    fs::remove_file(out.join("summary.json")).expect("a run that is killed has no summary");
    for cut in (0..=lines.len()).step_by(23).chain([lines.len()]) {
        fs::write(&states, &lines[..cut]).expect("a cut file");
        let whole = lines[..cut].iter().filter(|&&byte| byte == b'\n').count();
        match Recording::open(&out) {
            Ok(recording) => {
                assert!(!recording.is_complete());
                assert_eq!(recording.state_count(), whole);
                assert_eq!(recording.state(whole - 1).expect("the last state").step, whole as u64 - 1);
            }
            Err(error) => {
                assert!(whole == 0 && error.to_string().contains("no state was recorded"), "{error}")
            }
        }
    }
    let state = 8 + 24 * 8;
    let header = bytes.len() - 5 * state;
    for cut in [header + 3 * state, header + 4 * state - 1] {
        fs::write(&nodes, &bytes[..cut]).expect("a cut file");
        assert_eq!(Recording::open(&out).expect("a recording").state_count(), 3);
    }
    for cut in 0..header {
        fs::write(&nodes, &bytes[..cut]).expect("a cut file");
        let error = Recording::open(&out).expect_err("the header is cut");
        assert!(error.to_string().contains("nodes.bin"), "{error}");
    }
}

#[test]
fn damage_is_reported_with_file_line_and_cause() {
    let folder = scratch_folder();
    let out = fall(&folder);
    let (states, nodes) = (out.join("states.jsonl"), out.join("nodes.bin"));
    let (text, bytes) = (fs::read_to_string(&states).expect("text"), fs::read(&nodes).expect("bytes"));
    let states_of = |text: &str| {
        fs::write(&states, text).expect("a damaged file");
        let recording = Recording::open(&out)?;
        (0..recording.state_count()).try_for_each(|state| recording.state(state).map(|_| ()))
    };
    let line = |number: usize, from: &str, to: &str| {
        let edited = |(index, line): (usize, &str)| match index + 1 == number {
            true => line.replacen(from, to, 1),
            false => line.to_owned(),
        };
        text.lines().enumerate().map(edited).map(|line| line + "\n").collect::<String>()
    };
    states_of(&text).expect("nothing is damaged");
    for (damaged, expected) in [
        (line(3, "{", ""), "states.jsonl:3: "),
        (line(2, "\"ball\"", "\"bell\""), "states.jsonl:2: the body `ball` is missing"),
        (
            line(
                2,
                "{\"ball\"",
                "{\"aha\":{\"position\":[0,0,0],\"rotation\":[1,0,0,0],\"linear_velocity\":[0,0,0],\"angular_velocity\":[0,0,0]},\"ball\"",
            ),
            "states.jsonl:2: the scene has no body `aha`",
        ),
        (line(4, "\"step\":3", "\"step\":2"), "states.jsonl:4: step 2 does not come after step 2"),
        (line(5, "\"rotation\":[1.0", "\"rotation\":[1.5"), "states.jsonl:5: the rotation of `ball`"),
        (line(5, "\"energy\"", "\"enrgy\""), "states.jsonl:5: missing field `energy`"),
        (line(1, "\"block\"", "\"blick\""), "states.jsonl:1: the soft body `block` is missing"),
        (
            text.lines().take(3).map(|line| format!("{line}\n")).collect(),
            "states.jsonl: the last state is that of step 2, but the run took 4",
        ),
    ] {
        let error = states_of(&damaged).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error} (expected {expected})");
    }
    let damaged_nodes = |at: usize, byte: u8, expected: &str| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        fs::write(&nodes, bytes).expect("a damaged file");
        let error = states_of(&text).expect_err(expected).to_string();
        assert!(error.contains("nodes.bin") && error.contains(expected), "{error} (expected {expected})");
    };
    let first = bytes.len() - 5 * (8 + 24 * 8);
    damaged_nodes(0, b'e', "not a node file");
    damaged_nodes(8, 2, "not a node file of version 1");
    damaged_nodes(20, b'c', "its soft bodies are not those of the scene");
    damaged_nodes(first, 7, "its state 0 is that of step 7, not of step 0");
    damaged_nodes(first + 8 + 7, 0x7f, "a node of its state 0 is not finite");
    fs::write(&nodes, &bytes[..bytes.len() - 1]).expect("a cut file");
    let error = states_of(&text).expect_err("a complete run has all nodes").to_string();
    assert!(error.contains("it holds 4 states, and states.jsonl 5"), "{error}");
}

#[test]
fn a_folder_that_is_not_a_run_is_refused_as_such() {
    let folder = scratch_folder();
    for path in [folder.path("."), folder.path("nowhere"), folder.write("file", "")] {
        let error = Recording::open(&path).expect_err("no run");
        assert!(matches!(error, RecordError::NoRun { .. }), "{error}");
        assert!(error.to_string().contains("is not the folder of a run"), "{error}");
    }
    let out = fall(&folder);
    fs::remove_file(out.join("scene.ron")).expect("the scene goes");
    let error = Recording::open(&out).expect_err("the scene is missing");
    assert!(error.to_string().contains("scene.ron"), "{error}");
}
