//! Runs and robots in formats of other programs. Written runs are read by the crate `gltf` and by readers of MCAP and USD of these
//! tests, and compared with the lines of `states.jsonl`.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use extricate::geometry::mass_properties::surface_area;
use extricate::kinematics::read_robot;
use extricate::kinematics::urdf::{Robot, Shapes, UrdfOptions};
use extricate::record::Recording;
use extricate_test_support::{Noise, ScratchFolder};
use gltf::animation::Property;
use nalgebra::Isometry3;
use serde_json::Value;

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

fn extricate(folder: &Path, arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_extricate"));
    command.args(arguments.split(' ')).current_dir(folder).output().expect("the program starts")
}

fn success(folder: &Path, arguments: &str) -> String {
    let output = extricate(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs a scene of the repository into `run`, with a file of each format, and returns the lines of its states.
fn recorded(folder: &Path, scene: &str) -> Vec<Value> {
    let formats = "--record-as glb --record-as mcap --record-as usda";
    success(folder, &format!("run {REPOSITORY}/scenes/{scene} --steps 12 --every 3 -o run {formats}"));
    let lines = fs::read_to_string(folder.join("run/states.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Position and rotation (w, x, y, z) of a body in a state.
fn pose(state: &Value, body: &str) -> (Vec<f64>, Vec<f64>) {
    let body = &state["bodies"][body];
    (numbers(&body["position"]), numbers(&body["rotation"]))
}

/// Single-precision numbers of an accessor.
fn floats(accessor: &gltf::Accessor, binary: &[u8]) -> Vec<Vec<f64>> {
    let view = accessor.view().unwrap();
    let bytes = &binary[view.offset() + accessor.offset()..][..accessor.count() * accessor.size()];
    let number = |bytes: &[u8]| f64::from(f32::from_le_bytes(bytes.try_into().unwrap()));
    bytes.chunks(accessor.size()).map(|item| item.chunks(4).map(number).collect()).collect()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * (1.0 + b.abs());
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{what}: {found:?} {expected:?}"
    );
}

#[test]
fn an_animated_gltf_file_has_the_recorded_poses() {
    for (scene, meshes) in [("rigid/linked_chain.ron", 1), ("robots/arm_reaches.ron", usize::MAX)] {
        let folder = ScratchFolder::new();
        let states = recorded(folder.folder(), scene);
        assert_eq!(states.len(), 5);
        let bytes = fs::read(folder.folder().join("run/run.glb")).unwrap();
        // Validates the file, too.
        let file = gltf::Gltf::from_slice(&bytes).unwrap();
        let binary = file.blob.as_deref().unwrap();
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let positions = json["meshes"].as_array().unwrap().iter();
        let positions: std::collections::BTreeSet<u64> =
            positions.map(|mesh| mesh["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap()).collect();
        assert!(positions.len() <= meshes, "{scene}: {} meshes", positions.len());
        // The world's z is the y of glTF.
        let root = json["nodes"][0]["rotation"].as_array().unwrap();
        assert_near(
            &numbers(&Value::from(root.clone())),
            &[-0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()],
            "root",
        );
        let names: Vec<&str> =
            json["nodes"].as_array().unwrap().iter().map(|node| node["name"].as_str().unwrap()).collect();
        let mut animated: BTreeMap<(usize, bool), Vec<Vec<f64>>> = BTreeMap::new();
        for channel in file.animations().flat_map(|animation| animation.channels()) {
            let is_rotation = channel.target().property() == Property::Rotation;
            let times = floats(&channel.sampler().input(), binary);
            for (time, state) in times.iter().zip(&states) {
                assert_near(time, &[state["time"].as_f64().unwrap()], "time");
            }
            let values = floats(&channel.sampler().output(), binary);
            animated.insert((channel.target().node().index(), is_rotation), values);
        }
        assert!(!animated.is_empty());
        let mut compared = 0;
        for (index, name) in names.iter().enumerate().skip(1) {
            let rest = |field: &str| numbers(&json["nodes"][index][field]);
            for (at, state) in states.iter().enumerate() {
                let (position, rotation) = pose(state, name);
                let keyed =
                    |is_rotation| animated.get(&(index, is_rotation)).map(|values| values[at].clone());
                let found = keyed(false).unwrap_or_else(|| rest("translation"));
                assert_near(&found, &position, name);
                let [x, y, z, w] = keyed(true).unwrap_or_else(|| rest("rotation"))[..] else { panic!() };
                // Both signs are the same rotation.
                let sign = if w * rotation[0] + x * rotation[1] + y * rotation[2] + z * rotation[3] < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                assert_near(&[sign * w, sign * x, sign * y, sign * z], &rotation, name);
                compared += 1;
            }
        }
        assert_eq!(compared, 5 * states[0]["bodies"].as_object().unwrap().len());
    }
}

#[test]
fn morph_targets_are_the_recorded_shapes_of_a_soft_body() {
    let folder = ScratchFolder::new();
    recorded(folder.folder(), "soft/drop.ron");
    let recording = Recording::open(folder.folder().join("run")).unwrap();
    let bytes = fs::read(folder.folder().join("run/run.glb")).unwrap();
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let binary = file.blob.as_deref().unwrap();
    let accessor = |index: u64| file.accessors().nth(index as usize).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let world = recording.scene().world().unwrap();
    for (at, body) in world.soft_descriptions().iter().enumerate() {
        let mesh = json["meshes"].as_array().unwrap().iter().find(|mesh| mesh["name"] == body.name).unwrap();
        let primitive = &mesh["primitives"][0];
        let base = floats(&accessor(primitive["attributes"]["POSITION"].as_u64().unwrap()), binary);
        let targets = primitive["targets"].as_array().unwrap();
        assert_eq!(targets.len() + 1, recording.state_count());
        let surface = body.mesh.boundary().nodes;
        for index in 0..recording.state_count() {
            let nodes = &recording.state(index).unwrap().soft[at].nodes;
            let moved = index
                .checked_sub(1)
                .map(|target| floats(&accessor(targets[target]["POSITION"].as_u64().unwrap()), binary));
            for (vertex, &node) in surface.iter().enumerate() {
                let mut found = base[vertex].clone();
                let moved = moved.as_ref().map(|moved| &moved[vertex]);
                moved.into_iter().for_each(|by| found.iter_mut().zip(by).for_each(|(x, dx)| *x += dx));
                assert_near(&found, nodes[node as usize].coords.as_slice(), &body.name);
            }
        }
    }
    // One weight is one in each state but the first.
    let weights = file.animations().flat_map(|animation| animation.channels().collect::<Vec<_>>());
    let weights: Vec<_> =
        weights.filter(|channel| channel.target().property() == Property::MorphTargetWeights).collect();
    assert_eq!(weights.len(), world.soft_descriptions().len());
}

/// The records of a part of an MCAP file: kinds and contents.
fn records(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut found = Vec::new();
    while let [kind, rest @ ..] = bytes {
        let (length, rest) = rest.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap()) as usize;
        found.push((*kind, &rest[..length]));
        bytes = &rest[length..];
    }
    found
}

/// Takes a number of `N` bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> u64 {
    let (number, rest) = bytes.split_at(N);
    *bytes = rest;
    number.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

fn take_text(bytes: &mut &[u8]) -> String {
    let length = take::<4>(bytes) as usize;
    let (text, rest) = bytes.split_at(length);
    *bytes = rest;
    String::from_utf8(text.to_vec()).unwrap()
}

/// A message of an MCAP file: topic, time [ns], content.
type Message = (String, u64, Value);

/// All messages of an MCAP file, whose statistics count them.
fn mcap_messages(file: &Path) -> Vec<Message> {
    let bytes = fs::read(file).unwrap();
    let magic = b"\x89MCAP0\r\n";
    let content = bytes.strip_prefix(magic).and_then(|rest| rest.strip_suffix(magic)).unwrap();
    let all = records(content);
    assert_eq!((all[0].0, all.last().unwrap().0), (0x01, 0x02));
    let (mut topics, mut messages) = (BTreeMap::new(), Vec::new());
    for (_, mut chunk) in all.iter().filter(|(kind, _)| *kind == 0x06).copied() {
        // Times, size, checksum, compression.
        for _ in 0..3 {
            take::<8>(&mut chunk);
        }
        assert_eq!((take::<4>(&mut chunk), take_text(&mut chunk).as_str()), (0, ""));
        assert_eq!(take::<8>(&mut chunk) as usize, chunk.len());
        for (kind, mut record) in records(chunk) {
            match kind {
                0x04 => {
                    let (channel, _) = (take::<2>(&mut record), take::<2>(&mut record));
                    topics.insert(channel, take_text(&mut record));
                }
                0x05 => {
                    let (channel, _) = (take::<2>(&mut record), take::<4>(&mut record));
                    let time = take::<8>(&mut record);
                    take::<8>(&mut record);
                    let message: Value = serde_json::from_slice(record).unwrap();
                    messages.push((topics[&channel].clone(), time, message));
                }
                _ => {}
            }
        }
    }
    // The footer states where the summary begins; its statistics count the messages.
    let mut footer = all.last().unwrap().1;
    let summary = take::<8>(&mut footer) as usize;
    let (_, mut statistics) = records(&bytes[summary..bytes.len() - magic.len()])
        .into_iter()
        .find(|(kind, _)| *kind == 0x0b)
        .unwrap();
    assert_eq!(take::<8>(&mut statistics) as usize, messages.len());
    messages
}

#[test]
fn an_mcap_file_has_the_recorded_poses_joints_and_meshes() {
    let folder = ScratchFolder::new();
    let states = recorded(folder.folder(), "robots/arm_reaches.ron");
    let messages = mcap_messages(&folder.folder().join("run/run.mcap"));
    let of = |topic: &str| messages.iter().filter(|(own, ..)| own == topic).collect::<Vec<_>>();
    let (transforms, joints, scene) = (of("/tf"), of("/joints"), of("/scene"));
    assert_eq!((transforms.len(), joints.len(), scene.len(), of("/contacts").len()), (5, 5, 1, 5));
    for ((_, time, message), state) in transforms.iter().zip(&states) {
        assert!((*time as f64 - 1e9 * state["time"].as_f64().unwrap()).abs() <= 1.0);
        let transforms = message["transforms"].as_array().unwrap();
        assert_eq!(transforms.len(), state["bodies"].as_object().unwrap().len());
        for found in transforms {
            let (position, rotation) = pose(state, found["child_frame_id"].as_str().unwrap());
            let (t, r) = (&found["translation"], &found["rotation"]);
            assert_eq!(["x", "y", "z"].map(|axis| t[axis].as_f64().unwrap()).to_vec(), position);
            assert_eq!(["w", "x", "y", "z"].map(|axis| r[axis].as_f64().unwrap()).to_vec(), rotation);
        }
    }
    for ((.., message), state) in joints.iter().zip(&states) {
        let found = message["joints"].as_array().unwrap().iter();
        let found = found.map(|joint| (joint["name"].as_str().unwrap(), &joint["position"]));
        let expected = state["robots"]["arm"]["joints"].as_object().unwrap();
        let names: Vec<String> = expected.keys().map(|name| format!("arm/{name}")).collect();
        let expected = names.iter().map(String::as_str).zip(expected.values());
        assert!(found.eq(expected), "{message}");
    }
    let entities = scene[0].2["entities"].as_array().unwrap();
    // All bodies but the floor, a half-space.
    assert_eq!(entities.len() + 1, states[0]["bodies"].as_object().unwrap().len());
}

#[test]
fn an_mcap_file_has_the_contacts_of_the_world_as_numbers_and_as_arrows() {
    let folder = ScratchFolder::new();
    let scene = format!("{REPOSITORY}/scenes/rigid/ring_stack.ron");
    success(folder.folder(), &format!("run {scene} --steps 60 --every 20 -o run --record-as mcap"));
    let lines = fs::read_to_string(folder.folder().join("run/states.jsonl")).unwrap();
    let states: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let messages = mcap_messages(&folder.folder().join("run/run.mcap"));
    let of = |topic: &str| messages.iter().filter(|(own, ..)| own == topic).collect::<Vec<_>>();
    let (contacts, markers) = (of("/contacts"), of("/contact_markers"));
    assert_eq!((contacts.len(), markers.len()), (states.len(), states.len()));
    // The oracle is a world that is stepped here.
    let recording = Recording::open(folder.folder().join("run")).unwrap();
    let mut world = recording.scene().world().unwrap();
    let mut count = 0;
    for ((contacts, markers), state) in contacts.iter().zip(&markers).zip(&states) {
        while world.steps() < state["step"].as_u64().unwrap() {
            world.step().unwrap();
        }
        let expected = world.contacts();
        let found = contacts.2["contacts"].as_array().unwrap();
        let arrows = markers.2["entities"][0]["arrows"].as_array().unwrap();
        assert_eq!(contacts.2["count"], state["contacts"]);
        assert_eq!((found.len(), arrows.len()), (expected.len(), expected.len()));
        for ((found, arrow), expected) in found.iter().zip(arrows).zip(&expected) {
            assert_eq!(numbers(&found["point"]), expected.point.coords.as_slice());
            assert_eq!(numbers(&found["normal"]), expected.normal.as_slice());
            assert_eq!(found["bodies"][0], world.name_of(expected.bodies[0]));
            assert_eq!(
                [&found["depth"], &found["force"]].map(|x| x.as_f64().map(f64::to_bits)),
                [expected.depth, expected.force].map(|x| Some(x.to_bits()))
            );
            let [position, rotation] = ["position", "orientation"].map(|part| &arrow["pose"][part]);
            assert_eq!(
                ["x", "y", "z"].map(|axis| position[axis].as_f64().map(f64::to_bits)),
                <[f64; 3]>::from(expected.point).map(|x| Some(x.to_bits()))
            );
            let [w, x, y, z] = ["w", "x", "y", "z"].map(|axis| rotation[axis].as_f64().unwrap());
            // The x axis of the rotation.
            let along = [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)];
            assert_near(&along, expected.normal.as_slice(), "arrow");
            count += 1;
        }
    }
    assert!(count > 20, "{count} contacts");
}

#[test]
fn contacts_of_a_resumed_run_are_those_of_an_uninterrupted_one() {
    let folder = ScratchFolder::new();
    let folder = folder.folder();
    let scene = format!("{REPOSITORY}/scenes/rigid/ring_stack.ron");
    let options = "--every 7 --checkpoint-every 10 --contacts";
    success(folder, &format!("run {scene} --steps 60 {options} -o whole"));
    success(folder, &format!("run {scene} --steps 45 {options} -o cut"));
    success(folder, "run cut --from 25 --steps 60");
    let [whole, cut] =
        ["whole", "cut"].map(|run| fs::read_to_string(folder.join(run).join("contacts.jsonl")).unwrap());
    assert_eq!(whole, cut);
    assert_eq!(
        whole.lines().count(),
        fs::read_to_string(folder.join("whole/states.jsonl")).unwrap().lines().count()
    );
    // Without them a file has their number alone, and says so.
    success(folder, &format!("run {scene} --steps 9 -o bare"));
    assert!(!folder.join("bare/contacts.jsonl").exists());
    let printed = success(folder, "convert bare bare.mcap");
    assert!(printed.contains("left out: points of contact, which were not recorded"), "{printed}");
    // A file of another run is refused.
    fs::copy(folder.join("whole/contacts.jsonl"), folder.join("bare/contacts.jsonl")).unwrap();
    assert!(Recording::open(folder.join("bare")).unwrap_err().to_string().contains("the contacts of step"));
    // A run into the same folder removes those of the earlier one.
    success(folder, &format!("run {scene} --steps 9 -o bare"));
    assert!(!folder.join("bare/contacts.jsonl").exists());
}

#[test]
fn a_glb_file_of_more_states_than_morph_targets_says_what_it_leaves_out() {
    let folder = ScratchFolder::new();
    let folder = folder.folder();
    success(folder, &format!("run {REPOSITORY}/scenes/soft/drop.ron --steps 300 --every 1 -o run"));
    let printed = success(folder, "convert run run.glb");
    let expected =
        "left out: states of the soft bodies: one of 2 is taken, since a file holds at most 256 shapes";
    assert!(printed.contains(expected), "{printed}");
    let bytes = fs::read(folder.join("run.glb")).unwrap();
    let file = gltf::Gltf::from_slice(&bytes).unwrap();
    let targets =
        file.meshes().flat_map(|mesh| mesh.primitives()).map(|part| part.morph_targets().count()).max();
    assert_eq!(targets, Some(150));
}

#[test]
fn a_state_in_usd_has_the_poses_of_its_line() {
    let folder = ScratchFolder::new();
    let states = recorded(folder.folder(), "robots/arm_reaches.ron");
    success(folder.folder(), "convert run start.usda --time 0");
    for (file, state) in [("run/run.usda", &states[4]), ("start.usda", &states[0])] {
        let text = fs::read_to_string(folder.folder().join(file)).unwrap();
        assert!(text.starts_with("#usda 1.0\n") && text.contains("upAxis = \"Z\""));
        let after = |line: &str, start: &str| {
            let inside = line.split_once(start)?.1.trim_end_matches(')');
            Some(inside.split(", ").map(|word| word.parse().unwrap()).collect::<Vec<f64>>())
        };
        let (mut translation, mut rotation, mut compared) = (None, None, 0);
        for line in text.lines() {
            translation = after(line, "xformOp:translate = (").or(translation);
            rotation = after(line, "xformOp:orient = (").or(rotation);
            if let Some((_, name)) = line.split_once("extricate:name = \"") {
                let (position, quaternion) = pose(state, name.trim_end_matches('"'));
                assert_eq!((translation.take().unwrap(), rotation.take().unwrap()), (position, quaternion));
                compared += 1;
            }
        }
        assert_eq!(compared, state["bodies"].as_object().unwrap().len());
    }
}

#[test]
fn formats_and_options_that_do_not_fit_are_refused() {
    let folder = ScratchFolder::new();
    let folder = folder.folder();
    recorded(folder, "rigid/linked_chain.ron");
    let refused = |arguments: &str, expected: &str| {
        let output = extricate(folder, arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && message.contains(expected), "{arguments}: {message}");
    };
    refused("convert run a.fbx", "unsupported format of runs; supported are .glb, .mcap, .usda, .csv");
    refused("convert run a.glb --time 1", "--time selects the state of .usda");
    refused("convert run a.glb --scale 2", "apply to meshes");
    refused("convert a.obj b.obj --time 1", "--time applies to runs");
    refused("convert a.obj b.obj --package .", "options of robots");
    refused("run scene.ron --record-as glbb", "expected glb, mcap, usda, csv; did you mean `glb`?");
}

/// A robot that has been read.
fn robot(path: &Path, shapes: Shapes) -> Robot {
    read_robot(path, &UrdfOptions { shapes, sound_masses: true, strict: true, ..UrdfOptions::default() })
        .unwrap()
}

/// Checks that two robots move alike and have the same masses and surfaces.
fn assert_same(before: &Robot, after: &Robot) {
    let (a, b) = (&before.articulation, &after.articulation);
    assert_eq!(a.coordinates().len(), b.coordinates().len());
    let mut noise = Noise(7);
    for _ in 0..10 {
        let moving = a.coordinates().iter().map(|&joint| a.joints()[joint].name.clone());
        let values: BTreeMap<String, f64> = moving.map(|name| (name, noise.between(-1.0, 1.0))).collect();
        let [poses_a, poses_b] = [a, b]
            .map(|own| own.link_poses(&own.configuration(&values).unwrap(), &Isometry3::identity()).unwrap());
        for (link, pose) in a.links().iter().zip(&poses_a) {
            let found = &poses_b[b.link(link).unwrap()];
            let difference = (pose.to_homogeneous() - found.to_homogeneous()).norm();
            assert!(difference < 1e-7, "{link}: {difference}");
        }
    }
    for (index, link) in a.links().iter().enumerate() {
        let other = b.link(link).unwrap();
        let masses =
            [before.inertials[index], after.inertials[other]].map(|own| own.map_or(0.0, |own| own.mass));
        assert!((masses[0] - masses[1]).abs() <= 1e-12 * masses[0], "{link}: {masses:?}");
        let areas =
            [&before.meshes[index], &after.meshes[other]].map(|mesh| mesh.as_ref().map_or(0.0, surface_area));
        assert!((areas[0] - areas[1]).abs() <= 1e-9 * areas[0], "{link}: {areas:?}");
    }
}

#[test]
fn a_robot_is_converted_to_urdf_with_its_corrections() {
    let folder = ScratchFolder::new();
    let folder = folder.folder();
    // Reversed limits, a box of size zero, a mass of zero, and elements that are not read.
    let text = r#"<robot name="odd &amp; even"><material name="grey"/>
<link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision><collision><geometry><box size="0 1 1"/></geometry></collision>
<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="arm"><visual><geometry><sphere radius="0.5"/></geometry></visual><collision><origin xyz="0 0 0.5" rpy="0.1 0.2 0.3"/><geometry><capsule radius="0.1" length="1"/></geometry></collision>
<inertial><mass value="3"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial></link>
<joint name="swing" type="revolute"><origin xyz="0 0.1 0.2" rpy="1 -0.4 2"/><parent link="base"/><child link="arm"/><axis xyz="0 1 1"/>
<limit lower="1" upper="-1" effort="5" velocity="2"/><dynamics damping="0.5"/></joint>
<gazebo reference="arm"/></robot>"#;
    fs::write(folder.join("odd.urdf"), text).unwrap();
    let answer: Value =
        serde_json::from_str(&success(folder, "convert odd.urdf sound.urdf --json -q")).unwrap();
    assert_eq!((&answer["links"], &answer["joints"]), (&2.into(), &1.into()));
    let corrections = answer["corrections"].as_array().unwrap();
    assert_eq!(corrections.len(), 3, "{corrections:?}");
    assert_eq!(answer["lost"], serde_json::json!(["<gazebo> of <robot>", "<material> of <robot>"]));
    let lenient = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let before = read_robot(folder.join("odd.urdf"), &lenient).unwrap();
    // Read strictly: nothing is left to correct.
    let after = robot(&folder.join("sound.urdf"), Shapes::Collision);
    assert_eq!(after.name, "odd & even");
    assert_eq!(after.articulation.joints()[0].limits, Some([-1.0, 1.0]));
    assert_eq!(after.dynamics, before.dynamics);
    let capsule = after.meshes[1].as_ref().unwrap();
    assert!(capsule.triangles().len() > before.meshes[1].as_ref().unwrap().triangles().len() / 2);
    let mut before = before;
    // The capsule has become a cylinder and two spheres, whose surfaces overlap.
    before.meshes[1] = after.meshes[1].clone();
    assert_same(&before, &after);
    let visual = robot(&folder.join("sound.urdf"), Shapes::Visual);
    assert!(visual.meshes[1].is_some());
}

#[test]
fn mjcf_and_every_shipped_robot_are_the_same_in_urdf() {
    let folder = ScratchFolder::new();
    let folder = folder.folder();
    let model = r#"<mujoco model="door"><asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
<worldbody><body name="leaf" pos="1 2 3" euler="10 20 30"><joint name="hinge" axis="0 0 1" range="-90 90" damping="0.2"/>
<geom type="box" size="0.5 0.05 1" density="500"/><body name="handle" pos="0.4 0 0"><joint name="turn" type="hinge" axis="0 1 0"/>
<geom type="mesh" mesh="wedge"/></body></body></worldbody></mujoco>"#;
    fs::write(folder.join("door.xml"), model).unwrap();
    success(folder, "convert door.xml door.urdf");
    let lenient = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    assert_same(
        &read_robot(folder.join("door.xml"), &lenient).unwrap(),
        &robot(&folder.join("door.urdf"), Shapes::Collision),
    );
    for name in ["arm", "arm_on_base", "cart", "chain", "crawler", "figure", "gripper", "hand", "three_link"]
    {
        let path = format!("{REPOSITORY}/assets/robots/{name}.urdf");
        success(folder, &format!("convert {path} {name}.urdf"));
        let before = read_robot(&path, &lenient).unwrap();
        // The written robot names meshes of the repository, beyond its own folder.
        let options = UrdfOptions {
            sound_masses: true,
            reach: Some(extricate::geometry::read::FileScope::anywhere()),
            ..UrdfOptions::default()
        };
        let after = read_robot(folder.join(format!("{name}.urdf")), &options).unwrap();
        let mut before = before;
        if name == "chain" {
            // Its capsules have become cylinders with spheres, whose surfaces overlap.
            before.meshes = after.meshes.clone();
        }
        assert_same(&before, &after);
    }
    // Allowed pairs, as `repair --list-allowed` writes them.
    let arm = format!("{REPOSITORY}/assets/robots/arm.urdf");
    success(folder, &format!("convert {arm} arm.srdf"));
    let listed = success(folder, &format!("repair --robot {arm} --list-allowed --format srdf"));
    assert_eq!(fs::read_to_string(folder.join("arm.srdf")).unwrap(), listed);
}

/// All files below a folder, with their content.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(content(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

#[test]
fn the_run_that_is_attached_to_an_mcap_file_is_that_of_its_folder() {
    for scene in ["robots/arm_reaches.ron", "soft/drop.ron", "rigid/ring_stack.ron"] {
        let scratch = ScratchFolder::new();
        let folder = scratch.folder();
        let states = recorded(folder, scene);
        success(folder, "convert run/run.mcap again");
        let (run, again) = (content(&folder.join("run")), content(&folder.join("again")));
        assert!(again.contains_key("states.jsonl") && again.contains_key("contacts.jsonl"), "{scene}");
        for (name, bytes) in &again {
            assert!(run.get(name) == Some(bytes), "{scene}: {name}");
        }
        let left_out = run.keys().filter(|name| !again.contains_key(*name));
        let is_product = |name: &str| {
            ["checkpoints/", "run.", "plots.", "timing."].iter().any(|part| name.starts_with(part))
        };
        assert_eq!(
            left_out.filter(|name| !is_product(name)).collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "{scene}"
        );
        let answer = success(folder, "convert run/run.mcap run/again.csv --json");
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["states"], states.len());
        success(folder, "convert run/run.mcap run/again.glb");
        assert!(
            fs::read(folder.join("run/again.glb")).unwrap() == fs::read(folder.join("run/run.glb")).unwrap(),
            "{scene}"
        );
    }
}

#[test]
fn mcap_files_without_a_run_and_damaged_ones_are_refused() {
    let scratch = ScratchFolder::new();
    let folder = scratch.folder();
    recorded(folder, "rigid/ring_stack.ron");
    let whole = fs::read(folder.join("run/run.mcap")).unwrap();
    let refused = |bytes: &[u8], output: &str, exit: i32| {
        fs::write(folder.join("bad.mcap"), bytes).unwrap();
        let ended = extricate(folder, &format!("convert bad.mcap {output}"));
        let message = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(exit), "{message}");
        message
    };
    // A header, a footer and nothing else.
    let empty =
        [&b"\x89MCAP0\r\n\x01"[..], &8_u64.to_le_bytes(), &[0; 8], &[2], &20_u64.to_le_bytes(), &[0; 20]]
            .concat();
    assert!(refused(&empty, "a", 3).contains("bad.mcap: it has no run of `extricate`"));
    assert!(refused(b"OBJ", "b", 3).contains("not an MCAP recording"));
    for (index, part) in [3, 10].iter().enumerate() {
        let message = refused(&whole[..whole.len() * part / 11], &format!("c{index}"), 3);
        assert!(message.contains("the file ends within"), "{message}");
    }
    let name = b"extricate/scene.ron";
    let places =
        whole.windows(name.len()).enumerate().filter(|(_, bytes)| bytes == name).map(|(place, _)| place);
    let mut hostile = whole.clone();
    for place in places {
        hostile[place..place + name.len()].copy_from_slice(b"extricate/../ne.ron");
    }
    assert!(refused(&hostile, "d", 3).contains("`../ne.ron` is not a file of a run"));
    assert!(!folder.join("ne.ron").exists());
    // A folder that exists is not written to.
    let message = refused(&whole, "run", 2);
    assert!(message.contains("cannot write run"), "{message}");
}
