//! `extricate repair --robot`: configurations come out free, within their limits, and as near as can be.

mod cli_program;

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_2;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::proximity::{ArticulatedModel, Model, distance};
use extricate_test_support::Noise;
use extricate_test_support::json_schema::faults;
use nalgebra::Isometry3;
use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn asset(name: &str) -> String {
    format!("{ROOT}/assets/{name}")
}

/// A box of 1 × 1 × 1 on a rotating post of no extent, with a second box that slides out of it along x.
const CRANE: &str = r#"<robot name="crane">
  <link name="ground"/>
  <link name="tower"><collision><origin xyz="0 0 0.5"/><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="boom"><collision><origin xyz="1.5 0 0.5"/><geometry><box size="2 0.5 0.5"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="ground"/><child link="tower"/><axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="reach" type="prismatic"><parent link="tower"/><child link="boom"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="1" effort="1" velocity="1"/></joint>
</robot>"#;

/// Answers of a repair with its exit code, each in the form of the schema.
fn repair(arguments: &[&str]) -> (i32, Vec<Value>) {
    let ended = extricate(["repair", "--json"].into_iter().chain(arguments.iter().copied()));
    let text = std::fs::read_to_string(asset("schema/repair.schema.json")).expect("a schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let answers: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for answer in &answers {
        assert_eq!(faults(&schema, answer), Vec::<String>::new(), "{answer}");
    }
    assert!(!answers.is_empty(), "{}", ended.stderr);
    (ended.exit, answers)
}

fn crane(folder: &ScratchFolder, joints: Value, options: &[&str]) -> (i32, Value) {
    let (robot, line) = (folder.write("crane.urdf", CRANE), json!({ "joints": joints }).to_string());
    let joints = folder.write("q.json", &line);
    let mut arguments = vec!["--robot", &robot, "--joints", &joints];
    arguments.extend(options);
    let (exit, mut answers) = repair(&arguments);
    (exit, answers.remove(0))
}

/// Configurations of the arm on its planar base, around and in the car.
fn arm_configurations(count: usize) -> Vec<BTreeMap<String, f64>> {
    let robot = read_urdf(asset("robots/arm_on_base.urdf"), &UrdfOptions::default()).expect("a robot");
    let mut numbers = Noise(7);
    let joints = robot.articulation.joints();
    let value = |joint: &usize, fraction: f64| {
        let joint = &joints[*joint];
        // The base is within two metres of the middle of the car.
        let [lower, upper] = joint.limits.unwrap_or([-3.0, 3.0]).map(|limit| limit.clamp(-2.0, 2.0));
        (joint.name.clone(), lower + (upper - lower) * fraction)
    };
    let one =
        |_| robot.articulation.coordinates().iter().map(|joint| value(joint, numbers.fraction(24))).collect();
    (0..count).map(one).collect()
}

fn lines(configurations: &[BTreeMap<String, f64>]) -> String {
    configurations.iter().map(|joints| json!({ "joints": joints }).to_string() + "\n").collect()
}

#[test]
fn a_repaired_scene_is_free_and_at_99_percent_of_the_displacement_it_collides() {
    let folder = scratch_folder();
    let start = arm_configurations(12);
    let joints = folder.write("q.jsonl", &lines(&start));
    let (robot, car, out) =
        (asset("robots/arm_on_base.urdf"), asset("meshes/car.obj"), folder.path("out.jsonl"));
    let common = ["--robot", &robot, "--obstacle", &car, "--independent"];
    let arguments = [&common[..], &["--joints", &joints, "-o", &out]].concat();
    let (exit, answers) = repair(&arguments);
    assert_eq!(exit, 0, "{answers:?}");
    let (mut repaired, mut nearly) = (0, Vec::new());
    for (answer, before) in answers.iter().zip(&start) {
        assert!(answer["verified_free"] == true && answer["limits_kept"] == true, "{answer}");
        assert_eq!(answer["sigma"] == 0.0, answer["status"] == "already-free", "{answer}");
        assert_eq!(answer["collisions_before"] == json!([]), answer["status"] == "already-free", "{answer}");
        if answer["status"] == "repaired" {
            repaired += 1;
            let after = |name: &str| answer["joints"][name].as_f64().unwrap();
            let at = |(name, value): (&String, &f64)| (name.clone(), value + 0.99 * (after(name) - value));
            nearly.push(before.iter().map(at).collect());
        }
    }
    assert!(repaired >= 4, "only {repaired} configurations collided");
    let (exit, again) = repair(&[&common[..], &["--joints", &out]].concat());
    assert_eq!(exit, 0);
    assert!(again.iter().all(|answer| answer["status"] == "already-free"), "{again:?}");
    let nearly = folder.write("nearly.jsonl", &lines(&nearly));
    let (_, short) = repair(&[&common[..], &["--joints", &nearly, "--effort", "fast"]].concat());
    assert!(short.iter().all(|answer| answer["status"] != "already-free"), "{short:?}");
}

#[test]
fn a_boom_that_overlaps_a_wall_by_a_tenth_is_drawn_back_by_a_tenth() {
    let folder = scratch_folder();
    // The boom ends at 2.5 + reach; the wall begins at 2.9. Its volume is a third of the crane's.
    let wall = "box:1,4,4@3.4,0,0";
    // By default a gap remains that other libraries see: 1e-4 of the diagonal of the boom, 2 × ½ × ½.
    let (exit, answer) = crane(&folder, json!({ "reach": 0.5 }), &["--obstacle", wall]);
    let gap = 1e-4 * 4.5_f64.sqrt();
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    assert!((answer["change"]["reach"].as_f64().unwrap() + 0.1 + gap).abs() < 1e-6, "{answer}");
    assert!((answer["clearance"].as_f64().unwrap() - gap).abs() < 1e-6, "{answer}");
    let none = ["--obstacle", wall, "--clearance", "0"];
    let (exit, answer) = crane(&folder, json!({ "reach": 0.5 }), &none);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    assert!((answer["change"]["reach"].as_f64().unwrap() + 0.1).abs() < 1e-5, "{answer}");
    assert!((answer["sigma"].as_f64().unwrap() - 0.01 / 3.0).abs() < 1e-6, "{answer}");
    assert_eq!(answer["collisions_before"], json!([["boom", wall]]));
    assert_eq!(answer["farthest"]["link"], "boom");
    let (exit, answer) = crane(&folder, json!({ "reach": 0.3 }), &["--obstacle", wall]);
    assert_eq!(
        (exit, &answer["status"], &answer["change"]),
        (0, &json!("already-free"), &json!({})),
        "{answer}"
    );
    assert!((answer["clearance"].as_f64().unwrap() - 0.1).abs() < 1e-9, "{answer}");
}

#[test]
fn the_default_clearance_moves_no_free_robot_and_yields_where_there_is_no_room() {
    let folder = scratch_folder();
    // Free by a tenth of the default clearance.
    let wall = ["--obstacle", "box:1,4,4@3.4,0,0"];
    let (exit, answer) = crane(&folder, json!({ "reach": 0.39998 }), &wall);
    assert_eq!((exit, &answer["status"]), (0, &json!("already-free")), "{answer}");
    assert!((answer["clearance"].as_f64().unwrap() - 2e-5).abs() < 1e-9, "{answer}");
    // Drawn in to its limit of −0.5, the boom ends 1e-5 before the wall.
    let wall = ["--obstacle", "box:1,4,4@2.50001,0,0", "--fix", "turn"];
    let (exit, answer) = crane(&folder, json!({}), &wall);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    let gap = answer["clearance"].as_f64().unwrap();
    assert!(gap > 0.0 && gap < 1.1e-5 && answer["limits_kept"] == true, "{answer}");
}

#[test]
fn fixed_bodies_stay_and_heavily_weighted_ones_move_less() {
    let folder = scratch_folder();
    let post = ["--obstacle", "cylinder:0.1,4@2.2,0.2,0"];
    let with = |options: &[&str]| {
        let (exit, answer) = crane(&folder, json!({ "reach": 0.2 }), &[&post[..], options].concat());
        assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
        ["turn", "reach"].map(|joint| answer["change"][joint].as_f64().unwrap_or(0.0))
    };
    let [angle, reach] = with(&["--fix", "reach"]);
    assert!(angle.abs() > 1e-3 && reach == 0.0, "{angle} {reach}");
    let [angle, reach] = with(&["--fix", "tower"]);
    assert!(angle == 0.0 && reach.abs() > 1e-3, "{angle} {reach}");
    let [angle, _] = with(&[]);
    assert!(angle.abs() > 1e-3);
    let [dear, reach] = with(&["--weight", "turn=1000"]);
    assert!(dear.abs() < 1e-2 * angle.abs() && reach.abs() > 1e-3, "{dear} {reach}");
}

#[test]
fn a_floating_base_is_lifted_and_a_fixed_one_is_not() {
    let folder = scratch_folder();
    let ground = ["--obstacle", "halfspace@0,0,0.25", "--base", "floating", "--clearance", "0"];
    let (exit, answer) = crane(&folder, json!({}), &ground);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    let up = answer["base_change"]["translation"][2].as_f64().unwrap();
    assert!((up - 0.25).abs() < 1e-2 && answer["depth"].as_f64().unwrap() <= 0.25 + 1e-5, "{answer}");
    let (exit, answer) = crane(&folder, json!({}), &[&ground[..], &["--fix", "base"]].concat());
    assert_eq!((exit, &answer["status"]), (6, &json!("not-found")), "{answer}");
    assert_eq!((&answer["base_change"], &answer["verified_free"]), (&Value::Null, &json!(false)), "{answer}");
    assert!(
        answer["collisions_after"].as_array().unwrap().contains(&json!(["tower", ground[1]])),
        "{answer}"
    );
}

#[test]
fn the_clearance_is_kept_as_an_independent_distance_measures_it() {
    let folder = scratch_folder();
    let (robot, car) = (asset("robots/arm_on_base.urdf"), asset("meshes/car.obj"));
    let joints = folder.write("q.jsonl", &lines(&arm_configurations(4)));
    let arguments = ["--robot", &robot, "--obstacle", &car, "--joints", &joints, "--effort", "fast"];
    let (exit, answers) = repair(&[&arguments[..], &["--clearance", "0.02"]].concat());
    assert_eq!(exit, 0, "{answers:?}");
    let model = ArticulatedModel::of_robot(read_urdf(robot, &UrdfOptions::default()).unwrap());
    let car = extricate::geometry::read::read_mesh(car).unwrap();
    let car = Model::new(car, extricate::geometry::Solidity::Solid);
    for answer in &answers {
        let joints = serde_json::from_value(answer["joints"].clone()).unwrap();
        let configuration = model.articulation().configuration(&joints).unwrap();
        let poses = model.articulation().link_poses(&configuration, &Isometry3::identity()).unwrap();
        let links = (0..poses.len()).filter_map(|link| Some((model.model(link)?, &poses[link])));
        let gap = |(link, pose)| distance(link, pose, &car, &Isometry3::identity()).value;
        let min = links.map(gap).fold(f64::INFINITY, f64::min);
        assert!(min >= 0.02 && answer["clearance"].as_f64().unwrap() >= 0.02, "{min}: {answer}");
        assert!(answer["clearance"].as_f64().unwrap() <= min + 1e-9, "{min}: {answer}");
    }
}

#[test]
fn a_repair_that_moves_too_far_is_not_found_and_written_all_the_same() {
    let folder = scratch_folder();
    let out = folder.path("out.json");
    let options = ["--obstacle", "box:1,4,4@3.4,0,0", "--max-move", "0.05", "-o", &out];
    let (exit, answer) = crane(&folder, json!({ "reach": 0.5 }), &options);
    assert_eq!((exit, &answer["status"], &answer["verified_free"]), (6, &json!("not-found"), &json!(true)));
    assert!(answer["error"].as_str().unwrap().contains("`boom` would move 0.1"), "{answer}");
    let written: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!((&written["joints"], &written["base"]), (&answer["joints"], &answer["base"]));
}

#[test]
fn a_value_beyond_its_limit_comes_back_to_it() {
    let folder = scratch_folder();
    let (exit, answer) = crane(&folder, json!({ "reach": 1.25 }), &[]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    assert!((answer["joints"]["reach"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{answer}");
    assert!(answer["limits_kept"] == true && answer["collisions_before"] == json!([]), "{answer}");
}

#[test]
fn lines_of_a_sequence_are_answered_one_by_one_in_any_layout() {
    let folder = scratch_folder();
    let robot = folder.write("crane.urdf", CRANE);
    let joints = folder.write(
        "q.json",
        "{\n  \"joints\": {\n    \"reach\": 0.5\n  }\n}\n\n{\"joints\": {\"reach\": 0.3}} {\"joints\": {\"reach\": 0.6}}\n",
    );
    for more in [&[][..], &["--independent"]] {
        let common = ["--robot", &robot, "--joints", &joints, "--obstacle", "box:1,4,4@3.4,0,0"];
        let (exit, answers) = repair(&[&common[..], more].concat());
        let message: Vec<_> = answers.iter().map(|answer| answer["status"].as_str().unwrap()).collect();
        assert_eq!((exit, &message[..]), (0, &["repaired", "already-free", "repaired"][..]));
        let indices: Vec<_> = answers.iter().map(|answer| answer["index"].as_u64().unwrap()).collect();
        assert_eq!(indices, [0, 1, 2]);
    }
}

#[test]
fn obstacles_are_shapes_meshes_hulls_and_robots_at_rest() {
    let folder = scratch_folder();
    let wall = folder.write(
        "wall.urdf",
        r#"<robot name="wall"><link name="wall"><collision><origin xyz="3.4 0 0"/><geometry><box size="1 4 4"/></geometry>
           </collision></link></robot>"#,
    );
    let mesh = folder.path("wall.obj");
    let made = extricate(["mesh", "box", "--x", "1", "--y", "4", "--z", "4", "-o", &mesh]);
    assert_eq!(made.exit, 0, "{}", made.stderr);
    let place = "@3.4,0,0";
    for obstacle in [
        wall,
        format!("{mesh}{place}"),
        format!("hull:{mesh}{place}"),
        format!("rounded:0.1:box:0.8,3.8,3.8{place}"),
    ] {
        let (exit, answer) =
            crane(&folder, json!({ "reach": 0.5 }), &["--obstacle", &obstacle, "--clearance", "0"]);
        assert_eq!(exit, 0, "{obstacle}: {answer}");
        assert!((answer["change"]["reach"].as_f64().unwrap() + 0.1).abs() < 1e-5, "{obstacle}: {answer}");
    }
}

#[test]
fn round_obstacles_are_seen_by_links_that_are_known_by_their_triangles_alone() {
    let folder = scratch_folder();
    std::fs::copy(asset("meshes/cup.obj"), folder.path("cup.obj")).unwrap();
    // A cup is not a union of convex components.
    let robot = folder.write(
        "cup.urdf",
        r#"<robot name="cup"><link name="ground"/><link name="cup"><collision><geometry><mesh filename="cup.obj"/>
           </geometry></collision></link><joint name="lift" type="prismatic"><parent link="ground"/><child link="cup"/>
           <axis xyz="0 0 1"/><limit lower="-1" upper="1000" effort="1" velocity="1"/></joint></robot>"#,
    );
    let cup = extricate::geometry::read::read_mesh(asset("meshes/cup.obj")).unwrap();
    let lowest = cup.vertices().iter().map(|vertex| vertex.z).fold(f64::INFINITY, f64::min);
    let (level, radius) = (lowest + 0.1, 3.0);
    for (obstacle, top) in [
        (format!("halfspace@0,0,{level}"), level),
        (format!("cylinder:{radius},1@0,0,{}", level - 0.5), level),
    ] {
        let ended = extricate(["repair", "--json", "--robot", &robot, "--obstacle", &obstacle]);
        let answer: Value =
            serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{}", ended.stderr));
        assert_eq!((ended.exit, &answer["status"]), (0, &json!("repaired")), "{obstacle}: {answer}");
        let lift = answer["change"]["lift"].as_f64().unwrap();
        assert!((lift - (top - lowest)).abs() < 1e-3, "{obstacle}: {answer}");
    }
}

#[test]
fn allowed_pairs_are_listed_and_can_be_changed() {
    let folder = scratch_folder();
    let robot = folder.write("crane.urdf", CRANE);
    let listed = extricate(["repair", "--robot", &robot, "--list-allowed", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let adjacent = json!([{ "links": ["tower", "boom"], "because": "adjacent", "configurations": 0 }]);
    assert_eq!(listed["allowed_collisions"], adjacent);
    // The boom starts inside the tower once it is drawn in; neighbours may collide unless forbidden.
    let (exit, answer) = crane(&folder, json!({ "reach": -0.2 }), &[]);
    assert_eq!((exit, &answer["status"]), (0, &json!("already-free")), "{answer}");
    let (exit, answer) =
        crane(&folder, json!({ "reach": -0.2 }), &["--forbid", "boom,tower", "--clearance", "0"]);
    assert_eq!((exit, &answer["status"]), (0, &json!("repaired")), "{answer}");
    assert!((answer["change"]["reach"].as_f64().unwrap() - 0.2).abs() < 1e-5, "{answer}");
    let wall = "box:1,4,4@3.4,0,0";
    let allow = format!("boom,{wall}");
    let (exit, answer) = crane(&folder, json!({ "reach": 0.5 }), &["--obstacle", wall, "--allow", &allow]);
    assert_eq!((exit, &answer["status"]), (0, &json!("already-free")), "{answer}");
}

#[test]
fn joints_that_mimic_follow_and_cannot_be_set() {
    let folder = scratch_folder();
    let robot = asset("robots/gripper.urdf");
    let joints = folder.write("q.json", r#"{"joints": {"grip": 0.06}}"#);
    // A block between the fingers that is wider than they are apart: their inner sides are at ±(0.07 − grip), and only
    // both together let it in.
    let block = "box:0.05,0.02,0.04@0,0,0.08";
    let (exit, answers) = repair(&[
        "--robot",
        &robot,
        "--joints",
        &joints,
        "--obstacle",
        block,
        "--fix",
        "lift",
        "--clearance",
        "0",
    ]);
    assert_eq!(exit, 0, "{answers:?}");
    let grip = answers[0]["joints"]["grip"].as_f64().unwrap();
    assert!((grip - 0.045).abs() < 1e-6, "{grip}");
    assert!(answers[0]["joints"].get("grip_mirrored").is_none(), "{answers:?}");
    let wrong = folder.write("wrong.json", r#"{"joints": {"grip_mirrored": 0.01}}"#);
    let ended = extricate(["repair", "--robot", &robot, "--joints", &wrong]);
    assert_eq!(ended.exit, 3);
    assert!(
        ended.stderr.contains("wrong.json:1") && ended.stderr.contains("grip_mirrored"),
        "{}",
        ended.stderr
    );
}

#[test]
fn files_that_are_wrong_are_reported_with_place_and_cause() {
    let folder = scratch_folder();
    let robot = folder.write("crane.urdf", CRANE);
    for (text, message) in [
        ("{\"joints\": {\"reach\": 0}}\n\n{\"joints\": {\"raech\": 0}}", "q.json:3: unknown joint \"raech\""),
        ("{\"joints\": {\"reach\": NaN}}", "q.json:1: not a configuration"),
        ("{\"joints\": {\"reach\": 1e999}}", "q.json:1: not a configuration"),
        (
            "{\"joints\": {\"reach\": 0},\n \"base\": {\"rotation\": [1, 1, 0, 0]}}",
            "q.json:1: base: the quaternion",
        ),
        ("{\"joints\": {\"reach\":\n \"far\"}}", "q.json:2: not a configuration"),
        ("{\"joints\": {\"reach\": 0}", "q.json:1: not a configuration"),
        ("  \n", "no configurations in"),
    ] {
        let out = folder.path("out.json");
        let joints = folder.write("q.json", text);
        let ended = extricate(["repair", "--robot", &robot, "--joints", &joints, "-o", &out]);
        assert_eq!(ended.exit, 3, "{text}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{text}: {}", ended.stderr);
        assert!(!folder.exists("out.json") && ended.stdout.is_empty(), "{text}");
    }
    let missing = extricate(["repair", "--robot", &robot, "--joints", &folder.path("none.json")]);
    assert!(missing.exit == 3 && missing.stderr.contains("none.json"), "{}", missing.stderr);
}

#[test]
fn robots_that_are_wrong_are_reported_with_the_link_or_joint() {
    let folder = scratch_folder();
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n";
    folder.write("flat.obj", flat);
    let link = |name: &str, shape: &str| {
        format!("<link name=\"{name}\"><collision><geometry>{shape}</geometry></collision></link>")
    };
    let (cube, joint) = ("<box size=\"1 1 1\"/>", |parent: &str, child: &str, limits: &str| {
        format!(
            "<joint name=\"{parent}-{child}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>
             <axis xyz=\"0 0 1\"/><limit {limits} effort=\"1\" velocity=\"1\"/></joint>"
        )
    });
    let sound = "lower=\"-1\" upper=\"1\"";
    let ab = link("a", cube) + &link("b", cube);
    let cases = [
        (ab.clone() + &joint("a", "b", sound) + &joint("b", "a", sound), "is its own ancestor"),
        (
            ab.clone()
                + &link("c", cube)
                + &joint("a", "b", sound)
                + &joint("a", "c", sound)
                + &joint("b", "c", sound),
            "link \"c\" is the child of two joints",
        ),
        (link("a", "<mesh filename=\"none.obj\"/>"), "link \"a\": mesh \"none.obj\" not found"),
        (link("a", cube) + "<link name=\"c\"/>" + &joint("a", "b", sound), "\"b\""),
        ("<link name=\"a\"/>".to_owned(), "no"),
        (ab + &joint("a", "b", "lower=\"nan\" upper=\"1\""), "a-b"),
    ];
    for (content, message) in cases {
        let robot = folder.write("r.urdf", &format!("<robot name=\"r\">{content}</robot>"));
        let ended = extricate(["repair", "--robot", &robot, "--obstacle", "sphere:1"]);
        assert_eq!(ended.exit, 3, "{content}: {}{}", ended.stdout, ended.stderr);
        assert!(
            ended.stderr.contains("r.urdf") && ended.stderr.contains(message),
            "{content}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_correction_of_a_robot_is_a_warning_with_its_line() {
    let folder = scratch_folder();
    let robot = r#"<robot name="r"><link name="a"/>
<link name="b"><collision><geometry><box size="1 1 0"/></geometry></collision>
<collision><geometry><box size="1 1 1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>"#;
    let path = folder.write("r.urdf", robot);
    let ended = extricate(["repair", "--robot", &path, "--list-allowed"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let expected = [
        format!("warning: {path}:2: link \"b\": the box has the edges 1, 1 and 0 m; the shape is left out"),
        format!("warning: {path}:5: joint \"j\": the limits are reversed: 1 > -1; they are exchanged"),
    ];
    assert_eq!(ended.stderr.lines().collect::<Vec<_>>(), expected);
    assert!(extricate(["repair", "--robot", &path, "--list-allowed", "--quiet"]).stderr.is_empty());
    for (text, message) in [
        ("<robot name='r'/>", "r.urdf:1: the robot has no links"),
        ("<mujoco model='m'/>", "r.urdf:1: <mujoco>: the model has no bodies"),
        (
            "\n<package/>",
            "r.urdf:2: not a robot: found the root element <package>, expected <robot> (URDF) or <mujoco> (MJCF)",
        ),
        (
            "<robot xmlns:xacro='http://ros.org/wiki/xacro'><xacro:arm/></robot>",
            "r.urdf: cannot expand this xacro: <xacro:arm> is neither a macro",
        ),
    ] {
        let ended = extricate(["repair", "--robot", &folder.write("r.urdf", text), "--list-allowed"]);
        assert!(ended.exit == 3 && ended.stderr.contains(message), "{text}: {}", ended.stderr);
    }
}

/// The crane as a model of MuJoCo, in a file with another ending.
const MUJOCO_CRANE: &str = r#"<?xml version="1.0"?><!-- crane --><mujoco model="crane"><compiler angle="radian"/>
<worldbody><body name="tower"><joint name="turn" range="-1.5 1.5"/><geom type="box" size=".5 .5 .5" pos="0 0 .5"/>
<body name="boom"><joint name="reach" type="slide" axis="1 0 0" range="-.5 1"/>
<geom type="box" size="1 .25 .25" pos="1.5 0 .5"/></body></body></worldbody></mujoco>"#;

#[test]
fn a_model_of_mujoco_is_a_robot_wherever_one_is_read() {
    let folder = scratch_folder();
    let [urdf, mjcf] = [folder.write("crane.urdf", CRANE), folder.write("crane.xml", MUJOCO_CRANE)];
    let misnamed = folder.write("mujoco.urdf", MUJOCO_CRANE);
    let joints = folder.write("q.json", &json!({ "joints": {"turn": 0.2} }).to_string());
    let answer = |robot: &str| {
        let obstacle = "box:0.4,0.4,0.4@1.5,0.6,0.5";
        let (exit, answers) =
            repair(&["--robot", robot, "--joints", &joints, "--obstacle", obstacle, "--effort", "fast"]);
        assert_eq!(exit, 0, "{answers:?}");
        (answers[0]["joints"].clone(), answers[0]["collisions_before"].clone())
    };
    assert_eq!(answer(&mjcf), answer(&urdf));
    assert_eq!(answer(&misnamed), answer(&urdf));
    let contact = |robot: &str| {
        let poses = folder.write("poses.jsonl", r#"{"joints": {}, "joints_end": {"turn": 1}}"#);
        extricate(["query", "time-of-contact", robot, "box:0.4,0.4,0.4", "--poses", &poses, "--json"])
    };
    let found: Vec<Value> = [contact(&mjcf), contact(&urdf)]
        .map(|ended| serde_json::from_str(ended.stdout.lines().next().expect(&ended.stderr)).expect("JSON"))
        .to_vec();
    assert_eq!(found[0]["time"], found[1]["time"]);
    let package = folder.write("package.xml", "<package format='2'/>");
    let ended = extricate(["query", "self-collision", &package]);
    let message = "package.xml:1: not a robot: found the root element <package>, expected <robot> (URDF) or <mujoco> (MJCF)";
    assert!(ended.exit == 3 && ended.stderr.contains(message), "{}", ended.stderr);
}

/// Where the first descent fails, both efforts search on by other sources, each with its own order.
#[test]
fn best_effort_is_never_farther_than_fast_effort() {
    let robot = asset("robots/figure.urdf");
    for place in ["tub.obj", "tub.obj@0,0,0.5", "desk.obj", "lattice.obj@0,0,0.5", "bench.obj"] {
        let obstacle = asset(&format!("meshes/{place}"));
        let depth = |effort: &str| {
            let (exit, answers) = repair(&["--robot", &robot, "--obstacle", &obstacle, "--effort", effort]);
            assert_eq!(exit, 0, "{place}: {answers:?}");
            assert_eq!(answers[0]["verified_free"], true, "{place}");
            assert_ne!(answers[0]["search"]["source"], "direct", "{place}");
            answers[0]["depth"].as_f64().expect("a depth")
        };
        let (best, fast) = (depth("best"), depth("fast"));
        assert!(best <= fast * (1.0 + 1e-9), "{place}: {best} {fast}");
    }
}

#[test]
fn a_floor_of_a_model_of_mujoco_is_no_part_of_what_moves() {
    let folder = scratch_folder();
    let floor = r#"<worldbody><geom type="plane" size="0 0 1" pos="0 0 -3"/><geom type="box" size="2 2 .5" pos="0 0 -9"/>"#;
    let bare = folder.write("bare.xml", MUJOCO_CRANE);
    let floored = folder.write("floored.xml", &MUJOCO_CRANE.replacen("<worldbody>", floor, 1));
    let joints = folder.write("q.json", &json!({ "joints": {"turn": 0.2} }).to_string());
    let answer = |robot: &str| {
        let obstacle = "box:0.4,0.4,0.4@1.5,0.6,0.5";
        let (exit, answers) = repair(&["--robot", robot, "--joints", &joints, "--obstacle", obstacle]);
        assert_eq!(exit, 0, "{answers:?}");
        ["depth", "clearance"].map(|key| answers[0][key].as_f64().expect(key))
    };
    let ([depth, clearance], [expected, of_bare]) = (answer(&floored), answer(&bare));
    assert!((depth / expected - 1.0).abs() < 1e-6, "{depth} {expected}");
    assert!((clearance / of_bare - 1.0).abs() < 1e-3, "{clearance} {of_bare}");
    // It is collided with all the same.
    let sunk =
        folder.write("sunk.xml", &MUJOCO_CRANE.replacen("<worldbody>", &floor.replace("-3", "0.5"), 1));
    let (_, answers) = repair(&["--robot", &sunk, "--joints", &joints, "--forbid", "world,boom"]);
    let pairs = answers[0]["collisions_before"].as_array().expect("pairs");
    assert!(pairs.iter().any(|pair| pair[0] == "world" || pair[1] == "world"), "{pairs:?}");
}

#[test]
fn names_and_options_that_make_no_sense_are_usage_errors() {
    let folder = scratch_folder();
    let robot = folder.write("crane.urdf", CRANE);
    let scene = folder.write("s.ron", "(title: \"t\", duration: 1)");
    for (options, message) in [
        (&["--robot", &robot, "--fix", "hook"][..], "named `hook`; there are: base, turn, reach"),
        (&["--robot", &robot, "--weight", "hook=2"], "named `hook`"),
        (&["--robot", &robot, "--weight", "turn=0"], "above zero"),
        (&["--robot", &robot, "--allow", "boom,hook"], "named `hook`"),
        (&["--robot", &robot, "--forbid", "boom,hook"], "named `hook`"),
        (&["--robot", &robot, "--obstacle", "sphere:-1"], "radius of a sphere"),
        (&["--robot", &robot, "--obstacle", "sphere:1@1,2"], "3 numbers"),
        (&["--robot", &robot, &scene], "cannot be used with"),
        (&[&scene], "--output"),
        (&[&scene, "-o", "out.ron", "--independent"], "`--independent` requires `--robot`"),
        (&[], "required"),
    ] {
        let ended = extricate(["repair"].into_iter().chain(options.iter().copied()));
        assert_eq!(ended.exit, 2, "{options:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(message), "{options:?}: {}", ended.stderr);
    }
}

#[test]
fn the_text_report_lists_displacements_largest_first() {
    let folder = scratch_folder();
    let (robot, car) = (asset("robots/arm_on_base.urdf"), asset("meshes/car.obj"));
    let reach = json!({ "joints": { "base_x": 0.2, "base_y": -1.45, "base_turn": FRAC_PI_2, "shoulder_bend": 0.9, "elbow": 0.8 } });
    let joints = folder.write("q.json", &reach.to_string());
    let ended = extricate(["repair", "--robot", &robot, "--joints", &joints, "--obstacle", &car]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let parts = |line: &str| line.split_whitespace().last().and_then(|word| word.parse::<f64>().ok());
    let table = ended.stdout.lines().skip_while(|line| !line.contains("moves all by")).skip(1);
    let message: Vec<f64> = table.filter_map(parts).collect();
    assert!(message.len() >= 3 && message.is_sorted_by(|a, b| a >= b), "{}", ended.stdout);
    assert!(ended.stdout.contains("0: repaired; ") && ended.stdout.contains("°"), "{}", ended.stdout);
}

#[test]
fn answers_are_equal_for_every_number_of_threads() {
    let folder = scratch_folder();
    let (robot, car) = (asset("robots/arm_on_base.urdf"), asset("meshes/car.obj"));
    let joints = folder.write("q.jsonl", &lines(&arm_configurations(3)));
    let with = |threads: &str| {
        let (_, mut answers) =
            repair(&["--robot", &robot, "--obstacle", &car, "--joints", &joints, "--threads", threads]);
        for answer in &mut answers {
            answer["time_ms"] = json!(0);
        }
        answers
    };
    assert_eq!(with("1"), with("2"));
}

/// The crane in xacro, its boom of the length that an argument gives, its tower in a file of its package.
fn crane_in_xacro(folder: &ScratchFolder) -> String {
    for name in ["ws/crane/urdf", "robots"] {
        std::fs::create_dir_all(folder.path(name)).expect("a folder");
    }
    folder.write("ws/crane/package.xml", "<package><name>crane_description</name></package>");
    let (head, tail) = CRANE.split_once("  <link name=\"tower\"").expect("a tower");
    let (tower, tail) = tail.split_once("</link>").expect("its end");
    let tower = format!("<robot><link name=\"tower\"{tower}</link></robot>");
    folder.write("ws/crane/urdf/tower.xacro", &tower);
    let head = head.replace("name=\"crane\"", "name=\"crane\" xmlns:xacro=\"http://ros.org/wiki/xacro\"");
    let tail = tail.replace("2 0.5 0.5", "$(arg length) 0.5 ${0.25 * 2}");
    let include = "<xacro:arg name=\"length\" default=\"2\"/>\n\
        <xacro:include filename=\"$(find crane_description)/urdf/tower.xacro\"/>";
    folder.write("robots/crane.urdf.xacro", &format!("{head}{include}{tail}"))
}

#[test]
fn robots_in_xacro_are_expanded_with_their_arguments_and_packages() {
    let folder = scratch_folder();
    let (robot, packages) = (crane_in_xacro(&folder), folder.path("ws"));
    let list = |options: &[&str]| {
        let arguments = ["repair", "--robot", &robot, "--list-allowed", "--json"];
        extricate(arguments.into_iter().chain(options.iter().copied()))
    };
    let of_urdf = folder.write("crane.urdf", CRANE);
    let expected = extricate(["repair", "--robot", &of_urdf, "--list-allowed", "--json"]);
    let found = list(&["--package", &packages]);
    assert_eq!((found.exit, &found.stdout), (0, &expected.stdout), "{}", found.stderr);
    let error = |options: &[&str]| {
        let ended = list(options);
        assert_eq!(ended.exit, 3, "{}", ended.stdout);
        ended.stderr
    };
    let message = error(&[]);
    assert!(
        message.contains(&format!(
            "error: {robot}: cannot expand this xacro: {robot}:4: package \"crane_description\" not found"
        )) && message.contains(&format!("; expand first: xacro {robot} > ROBOT.urdf")),
        "{message}"
    );
    let message = error(&["--package", &packages, "--xacro-arg", "length=0.5m"]);
    assert!(message.contains("`size` of <box> is \"0.5m 0.5 0.5\", but must be 3 numbers"), "{message}");
    let usage = list(&["--xacro-arg", "length"]);
    assert_eq!(usage.exit, 2, "{}", usage.stderr);
    assert!(usage.stderr.contains("argument of xacro `length`: expected NAME=VALUE"), "{}", usage.stderr);
    // The same in a scene.
    let scene = folder.write(
        "s.ron",
        "(title: \"t\", duration: 1, robots: [(name: \"r\", file: \"robots/crane.urdf.xacro\", packages: [\"ws\"], \
         xacro_args: {\"length\": \"3\"}, srdf: \"crane.srdf\")])",
    );
    folder.write("crane.srdf", "<robot><disable_collisions link1=\"tower\" link2=\"hook\"/></robot>");
    let checked = extricate(["check", &scene, "--json"]);
    assert_eq!(checked.exit, 0, "{}", checked.stderr);
    let finding: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    assert_eq!((&finding["robots"][0]["links"], &finding["robots"][0]["joints"]), (&json!(3), &json!(2)));
    assert!(checked.stderr.contains("crane.srdf:1: disabled collisions: the robot has no link \"hook\""));
}

#[test]
fn pairs_of_srdf_are_allowed_and_written_with_their_reasons() {
    let folder = scratch_folder();
    let robot = folder.write("crane.urdf", CRANE);
    let written = |options: &[&str]| {
        let arguments = ["repair", "--robot", &robot, "--list-allowed", "--format", "srdf"];
        let ended = extricate(arguments.into_iter().chain(options.iter().copied()));
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        ended
    };
    let pair = |links: &str, reason: &str| format!("  <disable_collisions {links} reason=\"{reason}\"/>\n");
    let expected =
        |pairs: &str| format!("<?xml version=\"1.0\"?>\n<robot name=\"crane\">\n{pairs}</robot>\n");
    let adjacent = pair("link1=\"tower\" link2=\"boom\"", "Adjacent");
    assert_eq!(written(&[]).stdout, expected(&adjacent));
    let never = pair("link1=\"boom\" link2=\"ground\"", "Never").replace("/>", "/><group name=\"g\"/>");
    let srdf = folder.write("crane.srdf", &expected(&never));
    let ended = written(&["--srdf", &srdf, "--forbid", "tower,boom"]);
    assert_eq!(ended.stdout, expected(&pair("link1=\"ground\" link2=\"boom\"", "Never")));
    assert_eq!(
        ended.stderr,
        format!("warning: {srdf}:3: 1 <group>: only pairs of links and group states are read; ignored\n")
    );
    let refused = extricate(["repair", "--robot", &robot, "--srdf", &robot, "--list-allowed"]);
    assert_eq!(refused.exit, 3);
    assert!(
        refused
            .stderr
            .contains("crane.urdf:2: this is URDF, which describes links and joints; expected an SRDF file"),
        "{}",
        refused.stderr
    );
}

#[test]
fn where_the_default_clearance_has_no_room_its_lower_bound_is_kept() {
    let folder = scratch_folder();
    let robot = folder.write(
        "slider.urdf",
        r#"<robot name="slider"><link name="rail"/>
  <link name="box"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="box"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#,
    );
    // A slot with 4e-5 m on either side of the box, for which the default is 1.7e-4 m.
    let walls = [-1.0, 1.0].map(|side| format!("box:1,1,1@{},0,0", side * (1.0 + 4e-5)));
    let line = r#"{"slide": 0.001}"#;
    let arguments = ["--robot", &robot, "--joints", line, "--obstacle", &walls[0], "--obstacle", &walls[1]];
    let (exit, answers) = repair(&arguments);
    assert_eq!((exit, &answers[0]["status"]), (0, &"repaired".into()), "{}", answers[0]);
    let at = answers[0]["joints"]["slide"].as_f64().unwrap();
    assert!(4e-5 - at.abs() >= 1e-5 * (1.0 - 1e-6), "{at}");
    // The nearest such place, up to the margin of a descent, 5e-8 of the size.
    assert!((at - 3e-5).abs() < 1e-7, "{at}");
    let (exit, touching) = repair(&[&arguments[..], &["--clearance", "0"]].concat());
    let at = touching[0]["joints"]["slide"].as_f64().unwrap();
    assert!(exit == 0 && (at - 4e-5).abs() < 1e-7, "{at}");
}
