//! Repair of mechanisms: closed loops, bodies tied by joints, objects in hands, and what a repair keeps.

mod cli_program;

use std::collections::BTreeMap;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::dynamics::{JointDescription, JointKind};
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::scene::Scene;
use extricate_test_support::json_schema::faults;
use nalgebra::{Isometry3, Point2, Vector2, Vector3};
use serde_json::Value;

/// Error up to which joints and kept properties count as exact [m, rad].
const KEPT: f64 = 1e-9;

fn path_of(scene: &str) -> String {
    format!("{}/scenes/repair/{scene}.ron", env!("CARGO_MANIFEST_DIR"))
}

/// Runs `repair --json` and returns the exit code and the answer, which the schema accepts.
fn repair(arguments: &[&str]) -> (i32, Value) {
    let ended = extricate(["repair", "--json"].into_iter().chain(arguments.iter().copied()));
    let line = ended.stdout.lines().next().unwrap_or_else(|| panic!("{}", ended.stderr));
    let answer: Value = serde_json::from_str(line).expect("the answer is JSON");
    let schema = format!("{}/assets/schema/repair.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema is shipped"))
        .expect("the schema is JSON");
    assert_eq!(faults(&schema, &answer), Vec::<String>::new(), "{answer}");
    (ended.exit, answer)
}

/// Repairs a shipped scene; returns the scene before and after, and the answer.
fn repaired(folder: &ScratchFolder, scene: &str, options: &[&str]) -> (Scene, Scene, Value) {
    let (path, out) = (path_of(scene), folder.path(&format!("{scene}.ron")));
    let (exit, answer) = repair(&[&[path.as_str(), "-o", &out], options].concat());
    assert_eq!(exit, 0, "{answer}");
    assert!(
        answer["verified_free"].as_bool().expect("the schema requires it")
            && answer["limits_kept"].as_bool().expect("the schema requires it"),
        "{answer}"
    );
    for constraint in answer["constraints"].as_array().expect("the schema requires it") {
        let errors =
            ["length", "angle"].map(|name| constraint[name].as_f64().expect("the schema requires it"));
        assert!(errors.iter().all(|error| *error <= KEPT), "{constraint}");
    }
    let load = |path: &str| Scene::load(path).expect("a scene before and after a repair is valid");
    (load(&path), load(&out), answer)
}

/// The poses of bodies and links of robots.
fn poses(scene: &Scene) -> BTreeMap<String, Isometry3<f64>> {
    let mut poses: BTreeMap<_, _> = scene.bodies.iter().map(|body| (body.name.clone(), body.pose)).collect();
    for robot in &scene.robots {
        let links = robot
            .articulation
            .link_poses(&robot.configuration, &robot.pose)
            .expect("its own configuration fits");
        let names = robot.articulation.links().iter().map(|link| format!("{}/{link}", robot.name));
        poses.extend(names.zip(links));
    }
    poses
}

/// The motion of a joint [rad or m] from the poses in which it was described, and how far its anchors are off [m, rad].
fn motion(joint: &JointDescription, poses: &BTreeMap<String, Isometry3<f64>>) -> (f64, [f64; 2]) {
    let [a, b] = [0, 1].map(|side| poses[&joint.bodies[side]] * joint.anchors[side]);
    let apart = a.rotation.inverse() * (b.translation.vector - a.translation.vector);
    let rotation = a.rotation.inverse() * b.rotation;
    let x = rotation * Vector3::x();
    let tilt = x.yz().norm().atan2(x.x);
    let y = rotation * Vector3::y();
    match joint.kind {
        JointKind::Fixed => (0.0, [apart.norm(), rotation.angle()]),
        JointKind::Revolute { .. } => (y.z.atan2(y.y), [apart.norm(), tilt]),
        JointKind::Prismatic { .. } => (apart.x, [apart.yz().norm(), rotation.angle()]),
        JointKind::Spherical => (0.0, [apart.norm(), 0.0]),
        JointKind::Rope { length } => (apart.norm(), [(apart.norm() - length).max(0.0), 0.0]),
    }
}

#[test]
fn every_joint_of_the_repaired_mechanisms_is_closed_and_within_its_limits() {
    let folder = scratch_folder();
    for scene in ["four_bar", "stewart_platform", "doll_in_step", "two_arms_with_tray"] {
        let (before, after, answer) = repaired(&folder, scene, &[]);
        assert!(answer["overlaps_before"].as_u64().unwrap() > 0, "{scene}");
        let (start, end) = (poses(&before), poses(&after));
        assert!(start != end, "{scene}");
        for (joint, written) in before.joints.iter().zip(&after.joints) {
            let (value, off) = motion(joint, &end);
            assert!(off.iter().all(|off| *off <= KEPT), "{scene}: {}: {off:?}", joint.name);
            let limits = |joint: &JointDescription| match joint.kind {
                JointKind::Revolute { limits } | JointKind::Prismatic { limits } => limits,
                _ => None,
            };
            if let (Some([lower, upper]), Some(of_written)) = (limits(joint), limits(written)) {
                assert!(lower - KEPT <= value && value <= upper + KEPT, "{scene}: {}: {value}", joint.name);
                // Limits of a scene count from its start.
                for (before, after) in [lower, upper].into_iter().zip(of_written) {
                    assert!((before - value - after).abs() < KEPT, "{scene}: {}: {after}", joint.name);
                }
            }
            // The written joint is the same one: closed at the new start.
            let (_, off) = motion(written, &end);
            assert!(off.iter().all(|off| *off <= KEPT), "{scene}: {}: {off:?}", written.name);
        }
        let (exit, again) = repair(&[&folder.path(&format!("{scene}.ron")), "-o", &folder.path("again.ron")]);
        assert_eq!((exit, &again["status"]), (0, &"already-free".into()), "{scene}: {again}");
    }
}

#[test]
fn the_results_do_not_depend_on_the_number_of_threads() {
    let folder = scratch_folder();
    for scene in ["four_bar", "doll_in_step"] {
        let run = |threads: &str| {
            let out = folder.path(&format!("{threads}.ron"));
            let ended = extricate(["repair", &path_of(scene), "-o", &out, "--threads", threads]);
            assert_eq!(ended.exit, 0, "{}", ended.stderr);
            folder.read(&format!("{threads}.ron"))
        };
        assert_eq!(run("1"), run("4"), "{scene}");
    }
}

/// A bar of the plane between two points.
type Bar = [Point2<f64>; 2];

/// Crank, coupler and rocker of the four-bar linkage of the scene at an angle of the crank: position analysis by two circles.
fn four_bar(crank: f64) -> [Bar; 3] {
    let (a, b, c) = (0.45_f64, 0.9_f64, 0.7_f64);
    let (from, to) = (Point2::new(0.0, 0.0), Point2::new(1.0, 0.0));
    let first = Point2::new(a * crank.cos(), a * crank.sin());
    let between = to - first;
    let d = between.norm();
    let angle = between.y.atan2(between.x) + ((b * b + d * d - c * c) / (2.0 * b * d)).acos();
    let second = first + b * Vector2::new(angle.cos(), angle.sin());
    [[from, first], [first, second], [to, second]]
}

fn angle([from, to]: &Bar) -> f64 {
    (to.y - from.y).atan2(to.x - from.x)
}

/// Distance of a point from the rectangle of a bar, 0.06 m wide; zero inside.
fn distance([from, to]: &Bar, point: &Point2<f64>) -> f64 {
    let (along, length) = ((to - from).normalize(), (to - from).norm());
    let at = point - from;
    let (u, v) = (along.dot(&at), along.perp(&at));
    let beyond = Vector2::new((u - length).max(-u).max(0.0), (v.abs() - 0.03).max(0.0));
    beyond.norm()
}

/// Moment of inertia of a bar of unit height about a point, and its area.
fn moment(bar: &Bar, about: &Point2<f64>) -> (f64, f64) {
    let length = (bar[1] - bar[0]).norm();
    let area = 0.06 * length;
    let middle = nalgebra::center(&bar[0], &bar[1]);
    (area * ((length * length + 0.06 * 0.06) / 12.0 + (middle - about).norm_squared()), area)
}

#[test]
fn the_four_bar_ends_at_the_minimum_of_its_family_of_poses() {
    let folder = scratch_folder();
    let start = four_bar(70.0_f64.to_radians());
    let post = nalgebra::center(&start[1][0], &start[1][1]) + Vector2::new(0.0, 0.05);
    // The tree is crank and coupler, and the rocker; the hinge between coupler and rocker closes the loop.
    let (about_a, about_b, about_d) = (start[0][0], start[1][0], start[2][0]);
    let weights = [
        moment(&start[0], &about_a).0 + moment(&start[1], &about_a).0,
        moment(&start[1], &about_b).0,
        moment(&start[2], &about_d).0,
    ];
    let whole: f64 = start.iter().map(|bar| moment(bar, &about_a).1).sum();
    let sigma = |bars: &[Bar; 3]| {
        let rotated = |k: usize| angle(&bars[k]) - angle(&start[k]);
        let joints = [rotated(0), rotated(1) - rotated(0), rotated(2)];
        let squared = |change: f64| (2.0 * (0.5 * change).sin()).powi(2);
        joints.iter().zip(weights).map(|(change, weight)| weight * squared(*change)).sum::<f64>() / whole
    };
    let free = |bars: &[Bar; 3]| bars.iter().all(|bar| distance(bar, &post) >= 0.08);
    assert!(!free(&start));
    let family = (-100_000..=100_000).map(|step| four_bar(70.0_f64.to_radians() + f64::from(step) * 1e-5));
    let best = family.filter(free).map(|bars| sigma(&bars)).fold(f64::INFINITY, f64::min);
    for effort in ["fast", "best"] {
        let options = ["--clearance", "0", "--effort", effort];
        let (before, after, answer) = repaired(&folder, "four_bar", &options);
        let found = answer["sigma"].as_f64().unwrap();
        assert!((found.sqrt() - best.sqrt()).abs() < 1e-4 * best.sqrt(), "{effort}: {found} {best}");
        // The bodies are where the position analysis of the crank's angle has them.
        let crank = |scene: &Scene| scene.bodies.iter().find(|body| body.name == "crank").unwrap().pose;
        let by = (crank(&after).rotation * crank(&before).rotation.inverse()).scaled_axis().z;
        for (bar, name) in four_bar(70.0_f64.to_radians() + by).iter().zip(["crank", "coupler", "rocker"]) {
            let place = after.bodies.iter().find(|body| body.name == name).unwrap().pose.translation.vector;
            let middle = nalgebra::center(&bar[0], &bar[1]);
            assert!((place.xy() - middle.coords).norm() < KEPT && place.z.abs() < KEPT, "{name}: {place}");
        }
    }
}

#[test]
fn the_slides_of_a_stewart_platform_have_the_lengths_of_its_pose() {
    let folder = scratch_folder();
    let (before, after, _) = repaired(&folder, "stewart_platform", &[]);
    let platform = |scene: &Scene| scene.bodies.iter().find(|body| body.name == "platform").unwrap().pose;
    let motion_of_platform = platform(&after) * platform(&before).inverse();
    let anchor = |name: &str| {
        let joint = before.joints.iter().find(|joint| joint.name == name).unwrap();
        poses(&before)[&joint.bodies[0]] * joint.anchors[0] * nalgebra::Point3::origin()
    };
    let mut moved: f64 = 0.0;
    for leg in 1..=6 {
        let (foot, head) = (anchor(&format!("foot {leg}")), anchor(&format!("head {leg}")));
        let slide = before.joints.iter().find(|joint| joint.name == format!("slide {leg}")).unwrap();
        let (by, _) = motion(slide, &poses(&after));
        let expected = (motion_of_platform * head - foot).norm() - (head - foot).norm();
        assert!((by - expected).abs() < KEPT, "{leg}: {by} {expected}");
        moved = moved.max(by.abs());
    }
    assert!(moved > 0.01, "{moved}");
}

#[test]
fn jointed_bodies_bend_where_a_rigid_lump_would_move_farther() {
    let folder = scratch_folder();
    let (_, _, jointed) = repaired(&folder, "doll_in_step", &[]);
    let text = std::fs::read_to_string(path_of("doll_in_step")).unwrap();
    let stiff: Vec<String> = text
        .lines()
        .map(|line| match line.find("kind: spherical").or_else(|| line.find("kind: revolute")) {
            Some(at) => format!("{}kind: fixed),", &line[..at]),
            None => line.to_owned(),
        })
        .collect();
    let path = folder.write("stiff.ron", &stiff.join("\n"));
    let (exit, lump) = repair(&[&path, "-o", &folder.path("out.ron"), "--turn"]);
    assert_eq!(exit, 0, "{lump}");
    let [bent, whole] = [&jointed, &lump].map(|answer| answer["depth"].as_f64().unwrap());
    assert!(bent < 0.8 * whole, "{bent} {whole}");
    assert!(!jointed["change"].as_object().unwrap().is_empty(), "{jointed}");
}

#[test]
fn a_rope_ends_the_motion_of_a_body() {
    let folder = scratch_folder();
    // The wall pushes the ball away from the hook, to which 0.52 m are left.
    let scene = |length: f64| {
        format!(
            r#"(title: "t", duration: 0.1, gravity: (0, 0, 0), shapes: {{"ball": ball(radius: 0.1), "wall": cuboid(size: (1, 9, 9))}},
    bodies: [
        (name: "hook", shape: "ball", kind: fixed, position: (0, 0, 5)),
        (name: "wall", shape: "wall", kind: fixed, position: (0, 0, 0)),
        (name: "ball", shape: "ball", position: (0.45, 0, 0)),
    ],
    joints: [(name: "rope", bodies: ("hook", "ball"), kind: rope(anchors: ((0, 0, 5), (0.45, 0, 0)), length: {length}))])"#
        )
    };
    let (slack, out) = (folder.write("in.ron", &scene(6.0)), folder.path("out.ron"));
    let (exit, answer) = repair(&[&slack, "-o", &out, "--clearance", "0"]);
    assert_eq!(exit, 0, "{answer}");
    // The shortest motion: to the surface of the wall.
    assert!((answer["depth"].as_f64().unwrap() - 0.15).abs() < 1e-6, "{answer}");
    let taut = (25.0_f64 + 0.45 * 0.45).sqrt() + 1e-3;
    let path = folder.write("in.ron", &scene(taut));
    let (exit, answer) = repair(&[&path, "-o", &out, "--clearance", "0"]);
    assert_eq!(exit, 0, "{answer}");
    let after = Scene::load(&out).unwrap();
    let ball = after.bodies.iter().find(|body| body.name == "ball").unwrap().pose.translation.vector;
    assert!(ball.x >= 0.6 - 1e-9, "{ball}");
    assert!((ball - Vector3::new(0.0, 0.0, 5.0)).norm() <= taut + 1e-9, "{ball}");
    // Nearest to the start on the circle of the rope in the surface of the wall.
    let height = 5.0 - (taut * taut - 0.36).sqrt();
    assert!((ball.z - height).abs() < 1e-5, "{ball} {height}");
}

/// Three bars of length one in the plane, of 0.1 m width.
fn planar(folder: &ScratchFolder) -> String {
    let mut text = String::from("<robot name=\"planar\"><link name=\"ground\"/>");
    for (k, name) in ["one", "two", "three"].iter().enumerate() {
        let (parent, at) = ([("ground", 0), ("one", 1), ("two", 1)])[k];
        text += &format!(
            "<link name=\"{name}\"><collision><origin xyz=\"0.5 0 0\"/><geometry><box size=\"0.96 0.1 0.1\"/></geometry></collision></link>
<joint name=\"to {name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{name}\"/><origin xyz=\"{at} 0 0\"/><axis xyz=\"0 0 1\"/></joint>"
        );
    }
    text += "<link name=\"tip\"/><joint name=\"end\" type=\"fixed\"><parent link=\"three\"/><child link=\"tip\"/><origin xyz=\"1 0 0\"/></joint></robot>";
    folder.write("planar.urdf", &text)
}

/// The place of the tip of the three bars, and the direction of the last one.
fn tip(joints: [f64; 3]) -> (Vector2<f64>, f64) {
    let sums = [joints[0], joints[0] + joints[1], joints[0] + joints[1] + joints[2]];
    (sums.iter().map(|sum| Vector2::new(sum.cos(), sum.sin())).sum(), sums[2])
}

#[test]
fn a_kept_position_or_direction_is_that_of_the_closed_form() {
    let folder = scratch_folder();
    let robot = planar(&folder);
    let start = [0.4, 0.9, -0.7];
    let line = format!(r#"{{"to one": {}, "to two": {}, "to three": {}}}"#, start[0], start[1], start[2]);
    // In the middle of the second bar.
    let middle = Vector2::new(0.4_f64.cos() + 0.5 * 1.3_f64.cos(), 0.4_f64.sin() + 0.5 * 1.3_f64.sin());
    let ball = format!("sphere:0.1@{},{},0", middle.x + 0.03, middle.y);
    let run = |keep: &[&str]| {
        let mut arguments = vec!["--robot", &robot, "--joints", &line, "--obstacle", &ball];
        keep.iter().for_each(|keep| arguments.extend(["--keep", keep]));
        repair(&arguments)
    };
    let joints = |answer: &Value| {
        ["to one", "to two", "to three"].map(|name| answer["joints"][name].as_f64().unwrap())
    };
    let ((at, along), (free_exit, free)) = (tip(start), run(&[]));
    assert_eq!(free_exit, 0, "{free}");
    assert!((tip(joints(&free)).0 - at).norm() > 1e-3, "{free}");
    let (exit, held) = run(&["position:tip"]);
    assert_eq!(exit, 0, "{held}");
    assert!((tip(joints(&held)).0 - at).norm() < KEPT, "{held}");
    assert_eq!(held["constraints"][0]["name"], "position:tip", "{held}");
    assert!(held["sigma"].as_f64().unwrap() >= free["sigma"].as_f64().unwrap(), "{held} {free}");
    let (exit, looking) = run(&["direction:tip,x"]);
    assert_eq!(exit, 0, "{looking}");
    assert!((tip(joints(&looking)).1 - along).abs() < KEPT, "{looking}");
    // Three joints have no freedom left; the report names what was kept.
    let (exit, none) = run(&["pose:tip"]);
    assert_eq!((exit, &none["status"]), (6, &"not-found".into()), "{none}");
    assert_eq!(none["constraints"][0]["name"], "pose:tip", "{none}");
    assert!(none["error"].as_str().unwrap().contains("`pose:tip` leaves them no freedom"), "{none}");
    let arguments = ["--robot", &robot, "--joints", &line, "--obstacle", &ball, "--keep", "pose:tip"];
    let text = extricate(["repair"].into_iter().chain(arguments));
    assert!(text.stdout.contains("`pose:tip` leaves them no freedom"), "{}", text.stdout);
    let ended = extricate(["repair", "--robot", &robot, "--obstacle", &ball, "--keep", "position:hand"]);
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
    for part in ["`hand`", "one, two, three"] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
}

#[test]
fn a_foot_of_a_robot_stays_on_the_floor_while_it_slides() {
    let folder = scratch_folder();
    let path = format!("{}/assets/robots/two_arms.urdf", env!("CARGO_MANIFEST_DIR"));
    let robot = read_urdf(&path, &UrdfOptions::default()).unwrap();
    let column = robot.articulation.link("column").unwrap();
    let line = r#"{"joints": {"left_elbow": 0.5}, "base": {"translation": [0, 0, 0]}}"#;
    let line = folder.write("q.json", line);
    let arguments = ["--robot", &path, "--base", "floating", "--joints", &line];
    let more = ["--obstacle", "box:0.2,0.2,2@0.15,0,0.5", "--keep", "foot:column"];
    let (exit, answer) = repair(&[&arguments[..], &more].concat());
    assert_eq!(exit, 0, "{answer}");
    let joints = serde_json::from_value(answer["joints"].clone()).unwrap();
    let position: [f64; 3] = serde_json::from_value(answer["base"]["translation"].clone()).unwrap();
    let [w, x, y, z]: [f64; 4] = serde_json::from_value(answer["base"]["rotation"].clone()).unwrap();
    let rotation = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
    let base = Isometry3::from_parts(Vector3::from(position).into(), rotation);
    let configuration = robot.articulation.configuration(&joints).unwrap();
    let foot = robot.articulation.link_poses(&configuration, &base).unwrap()[column];
    assert!(foot.translation.z.abs() < KEPT, "{foot}");
    assert!((foot.rotation * Vector3::z() - Vector3::z()).norm() < KEPT, "{foot}");
    assert!(foot.translation.vector.norm() > 0.01, "{foot}");
}

#[test]
fn a_loop_of_a_model_of_mujoco_stays_closed() {
    let folder = scratch_folder();
    let path = format!("{}/assets/robots/four_bar.xml", env!("CARGO_MANIFEST_DIR"));
    let start = four_bar(70.0_f64.to_radians());
    let middle = nalgebra::center(&start[1][0], &start[1][1]);
    let post = format!("cylinder:0.08,0.4@{},{},0", middle.x, middle.y + 0.05);
    let (exit, answer) = repair(&["--robot", &path, "--obstacle", &post]);
    assert_eq!(exit, 0, "{answer}");
    assert_eq!(answer["constraints"][0]["name"], "C", "{answer}");
    // At rest the joints are at zero; the angles of the bars are those of the position analysis of the crank's.
    let joint = |name: &str| answer["joints"][name].as_f64().unwrap();
    assert!(joint("A").abs() > 0.01, "{answer}");
    let bars = four_bar(70.0_f64.to_radians() + joint("A"));
    let changes = [joint("A"), joint("A") + joint("B"), joint("D")];
    for ((bar, before), change) in bars.iter().zip(&start).zip(changes) {
        assert!((angle(bar) - angle(before) - change).abs() < KEPT, "{answer}");
    }
    // A configuration with an open loop is closed, and one that cannot be is an error that names the constraint.
    let open = folder.write("q.json", r#"{"joints": {"A": 0.05}}"#);
    let (exit, closed) = repair(&["--robot", &path, "--joints", &open]);
    assert_eq!((exit, &closed["status"]), (0, &"repaired".into()), "{closed}");
    assert!(closed["constraints"][0]["length"].as_f64().unwrap() < KEPT, "{closed}");
    let stuck = ["A", "B", "D"].map(|joint| ["--fix", joint]).concat();
    let ended = extricate(["repair", "--robot", &path, "--joints", &open].into_iter().chain(stuck));
    assert!(ended.exit != 0 && ended.stderr.contains("\"C\""), "{}: {}", ended.exit, ended.stderr);
}

#[test]
fn a_loop_of_a_robot_in_a_scene_stays_closed() {
    let folder = scratch_folder();
    let robot = format!("{}/assets/robots/four_bar.xml", env!("CARGO_MANIFEST_DIR"));
    let start = four_bar(70.0_f64.to_radians());
    let middle = nalgebra::center(&start[1][0], &start[1][1]);
    let scene = folder.write(
        "scene.ron",
        &format!(
            r#"(title: "t", duration: 1, shapes: {{"post": cylinder(radius: 0.08, height: 0.4)}},
bodies: [(name: "post", shape: "post", kind: fixed, position: ({:?}, {:?}, 0))], robots: [(name: "r", file: {robot:?})])"#,
            middle.x,
            middle.y + 0.05
        ),
    );
    let out = folder.path("free.ron");
    let (exit, answer) = repair(&[&scene, "-o", &out]);
    assert_eq!(exit, 0, "{answer}");
    assert_eq!(answer["constraints"][0]["name"], "r/C", "{answer}");
    let scene = Scene::load(&out).unwrap();
    let [a, b, d] = ["A", "B", "D"].map(|joint| {
        let robot = &scene.robots[0];
        robot.configuration[robot.coordinate(joint).unwrap()]
    });
    assert!(a.abs() > 0.01, "{a}");
    let bars = four_bar(70.0_f64.to_radians() + a);
    for ((bar, before), change) in bars.iter().zip(&start).zip([a, a + b, d]) {
        assert!((angle(bar) - angle(before) - change).abs() < KEPT, "{a} {b} {d}");
    }
}

#[test]
fn an_attached_object_moves_with_its_link_and_is_kept_free() {
    let folder = scratch_folder();
    let robot = planar(&folder);
    let start = [0.4, 0.9, -0.7];
    let line = format!(r#"{{"to one": {}, "to two": {}, "to three": {}}}"#, start[0], start[1], start[2]);
    // A ball in a box that the last bar holds beyond its end.
    let ((at, along), reach) = (tip(start), 0.35);
    let ball = at + reach * Vector2::new(along.cos(), along.sin());
    let obstacle = format!("sphere:0.05@{},{},0", ball.x, ball.y);
    let run = |more: &[&str]| {
        let arguments = ["--robot", &robot, "--joints", &line, "--obstacle", &obstacle];
        repair(&[&arguments[..], more].concat())
    };
    let (exit, alone) = run(&[]);
    assert_eq!((exit, &alone["status"]), (0, &"already-free".into()), "{alone}");
    // The box touches the bar, which it may.
    let held = "three=box:0.4,0.2,0.2@1.18,0,0";
    let (exit, answer) = run(&["--attach", held]);
    assert_eq!((exit, &answer["status"]), (0, &"repaired".into()), "{answer}");
    assert_eq!(answer["collisions_before"], serde_json::json!([[held, obstacle]]), "{answer}");
    let joints = ["to one", "to two", "to three"].map(|name| answer["joints"][name].as_f64().unwrap());
    let (at, along) = tip(joints);
    // The distance of the ball from the box, whose middle is 0.18 m beyond the tip.
    let away = nalgebra::Rotation2::new(-along) * (ball - at) - Vector2::new(0.18, 0.0);
    let outside = Vector2::new((away.x.abs() - 0.2).max(0.0), (away.y.abs() - 0.1).max(0.0)).norm();
    assert!(outside >= 0.05, "{outside} {answer}");
    for (wrong, part) in [("four=box:1,1,1", "`four`"), ("three=halfspace", "halfspace"), ("three", "LINK=")]
    {
        let arguments = ["repair", "--robot", &robot, "--obstacle", &obstacle, "--attach", wrong];
        let ended = extricate(arguments);
        assert!(ended.exit == 2 || ended.exit == 3, "{wrong}: {} {}", ended.exit, ended.stderr);
        assert!(ended.stderr.contains(part), "{wrong}: {}", ended.stderr);
    }
}

/// The centre of mass of a robot of uniform density, from the volumes of its meshes.
fn center_of_mass(
    robot: &extricate::kinematics::urdf::Robot,
    joints: &BTreeMap<String, f64>,
) -> Vector3<f64> {
    let configuration = robot.articulation.configuration(joints).expect("joints of the robot");
    let poses = robot
        .articulation
        .link_poses(&configuration, &Isometry3::identity())
        .expect("a configuration of the robot");
    let (mut sum, mut whole) = (Vector3::zeros(), 0.0);
    for (mesh, pose) in robot.meshes.iter().zip(poses) {
        let Some(mesh) = mesh else { continue };
        for triangle in 0..mesh.triangles().len() {
            let [a, b, c] = mesh.triangle(triangle).map(|corner| (pose * corner).coords);
            let volume = a.cross(&b).dot(&c) / 6.0;
            sum += (a + b + c) / 4.0 * volume;
            whole += volume;
        }
    }
    sum / whole
}

#[test]
fn a_figure_keeps_its_centre_of_mass_over_its_feet() {
    let path = format!("{}/assets/robots/figure.urdf", env!("CARGO_MANIFEST_DIR"));
    let robot = read_urdf(&path, &UrdfOptions::default()).unwrap();
    let feet = ["--keep", "pose:left_foot", "--keep", "pose:right_foot"];
    let run = |more: &[&str]| {
        let arguments = ["--robot", &path, "--obstacle", "box:0.6,0.8,0.5@0.3,0,1.35", "--effort", "fast"];
        let (exit, answer) = repair(&[&arguments[..], &feet, more].concat());
        assert_eq!(exit, 0, "{answer}");
        let joints: BTreeMap<String, f64> = serde_json::from_value(answer["joints"].clone()).unwrap();
        (center_of_mass(&robot, &joints), answer)
    };
    // The feet are boxes whose soles reach from 0.06 − 0.12 to 0.06 + 0.12 along x.
    let (unbalanced, _) = run(&[]);
    assert!(unbalanced.x < -0.06, "{unbalanced}");
    let (balanced, answer) = run(&["--keep", "com:left_foot,right_foot"]);
    assert!(balanced.x >= -0.06 && balanced.x <= 0.18, "{balanced} {answer}");
    let constraints = answer["constraints"].as_array().unwrap();
    assert_eq!(constraints[2]["name"], "com:left_foot,right_foot", "{answer}");
    for constraint in constraints {
        assert!(constraint["length"].as_f64().unwrap() < KEPT, "{answer}");
    }
}
