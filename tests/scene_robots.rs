//! Robots of scenes: errors are reported with the place and the cause, and pairs that may collide are listed with the
//! reason.
#![allow(clippy::unwrap_used, reason = "a scene that cannot be written is a failed test")]

mod cli_program;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::dynamics::Motor;
use extricate::scene::Scene;
use extricate_test_support::json_schema::faults as faults_of;
use serde_json::Value;

/// Two bars on a post that rotate about z, one on the other, and a slide.
const ROBOT: &str = r#"<robot name="r">
<link name="post"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="bar"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<collision><origin xyz="0.3 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
<link name="tip"><collision><geometry><box size="0.05 0.05 0.05"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="post"/><child link="bar"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
<joint name="slide" type="prismatic"><origin xyz="0.6 0 0"/><parent link="bar"/><child link="tip"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="5" velocity="1"/></joint>
</robot>"#;

fn folder_with(robot: &str) -> ScratchFolder {
    let folder = scratch_folder();
    folder.write("r.urdf", robot);
    folder
}

/// The JSON of a text, which must be as its schema says.
fn conforms(name: &str, text: &str) -> Value {
    let path = format!("{}/assets/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    let found = faults_of(&schema, &value);
    assert!(found.is_empty(), "{name}: {}\nin {text}", found.join("\n"));
    value
}

/// Errors of a scene of one robot with these fields, each `line:column: cause`.
fn faults(folder: &ScratchFolder, fields: &str, rest: &str) -> Vec<String> {
    let text = format!(
        "(title: \"t\", duration: 1,\nbodies: [],\nrobots: [(name: \"r\", file: \"r.urdf\",\n{fields})],\n{rest})"
    );
    let path = folder.write("s.ron", &text);
    let Err(error) = Scene::load(&path) else { return Vec::new() };
    let message = |problem: &extricate::scene::Problem| {
        problem.to_string().strip_prefix(&format!("{path}:")).expect("the path comes first").to_owned()
    };
    error.problems().iter().map(message).collect()
}

#[test]
fn a_wrong_value_of_a_robot_is_reported_with_its_place_and_cause() {
    let folder = folder_with(ROBOT);
    assert_eq!(faults(&folder, "joints: {\"turn\": degrees(30)}", ""), Vec::<String>::new());
    for (fields, expected) in [
        ("joints: {\"trun\": degrees(30)}", "4:10: unknown independent joint `trun`"),
        (
            "joints: {\"turn\": degrees(90)}",
            "4:18: joint `turn` starts at 1.5707963267948966, outside its limits -1 to 1",
        ),
        (
            "joints: {\"turn\": metres(0.1)}",
            "4:18: wrong unit: joint `turn` is revolute and takes `degrees(…)` or `radians(…)`",
        ),
        (
            "motors: {\"slide\": position(target: degrees(1), stiffness: 1)}",
            "wrong unit: joint `slide` is prismatic and takes `metres(…)`",
        ),
        (
            "motors: {\"turn\": velocity(target: degrees(1), damping: -1)}",
            "4:56: the damping of the motor is -1, but must be zero or above",
        ),
        (
            "motors: {\"turn\": velocity(target: degrees(1), damping: 1, max_force: 0)}",
            "the maximum force of the motor is 0",
        ),
        ("damping: {\"turn\": -0.5}", "4:19: the damping of the joint is -0.5"),
        ("springs: {\"turn\": (stiffness: -2)}", "the stiffness of the spring is -2"),
        ("springs: {\"slide\": (stiffness: 2, rest: degrees(1))}", "wrong unit: joint `slide` is prismatic"),
        (
            "damping: {\"turn\": 1, \"turn\": 2}",
            "4:22: duplicate name `turn`: the names of joints must be unique",
        ),
        ("density: 0", "4:10: the density [kg/m³] is 0, but must be above zero"),
        ("rotation: quaternion(1, 1, 0, 0)", "the quaternion (w, x, y, z) has length"),
        ("linear_velocity: (1, 0, 0)", "robot `r` has a fixed base, but also a velocity"),
        ("allow: [(\"bar\", \"claw\")]", "4:17: unknown link `claw`"),
        ("moters: {}", "unknown field `moters` of `Robot`"),
    ] {
        let found = faults(&folder, fields, "");
        assert_eq!(found.len(), 1, "{fields}: {found:?}");
        assert!(found[0].contains(expected), "{fields}: {} (expected {expected})", found[0]);
    }
}

#[test]
fn a_wrong_motor_or_sensor_is_reported_with_its_place_and_cause() {
    let folder = folder_with(ROBOT);
    for (fields, expected) in [
        (
            "motors: {\"turn\": position(target: degrees(1))}",
            "4:18: the file states no stiffness of a motor of joint `turn`; write `stiffness`",
        ),
        (
            "motors: {\"turn\": velocity()}",
            "4:18: the file states no damping of a motor of joint `turn`; write `damping`",
        ),
        (
            "motors: {\"turn\": computed_torque(target: degrees(1), frequency: 0)}",
            "the frequency of the motor [Hz] is 0, but must be above zero",
        ),
        (
            "motors: {\"turn\": effort(target: 1, keyframes: [(time: 0, target: 1)])}",
            "a motor has either a `target` or `keyframes`",
        ),
        (
            "motors: {\"turn\": effort(keyframes: [(time: 1, target: 1), (time: 1, target: 2)])}",
            "the times of keyframes must increase: 1 s is not after the previous one",
        ),
        (
            "motors: {\"slide\": velocity(damping: 1, keyframes: [(time: 0, target: degrees(1))])}",
            "joint `slide` is prismatic",
        ),
        (
            "motors: {\"turn\": effort()}, gravity_compensation: 1.5",
            "the compensated fraction of gravity is 1.5, but must be between 0 and 1",
        ),
        ("gravity_compensation: 1", "4:23: robot `r` has no motor that could compensate gravity"),
        ("sensors: [joints, joint(joint: \"trun\")]", "unknown movable joint `trun`"),
        ("sensors: [imu(link: \"claw\")]", "unknown link `claw`"),
        (
            "sensors: [imu(link: \"bar\"), imu(link: \"bar\")]",
            "duplicate name `imu/bar`: the names of sensors must be unique",
        ),
        ("sensors: [contact(link: \"bar\", name: \"\")]", "empty name: sensors must have non-empty names"),
    ] {
        let found = faults(&folder, fields, "");
        assert_eq!(found.len(), 1, "{fields}: {found:?}");
        assert!(found[0].contains(expected), "{fields}: {} (expected {expected})", found[0]);
    }
}

/// Two hanging bars of 0.5 m, 1 m apart, and a third one of 1 m on the first.
const BARS: &str = r#"<robot name="r"><link name="wall"/>
<link name="left"><inertial><origin xyz="0 0 -0.25"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<link name="right"><inertial><origin xyz="0 0 -0.25"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="a" type="continuous"><parent link="wall"/><child link="left"/><axis xyz="0 1 0"/></joint>
<joint name="b" type="continuous"><origin xyz="0 0 -0.5"/><parent link="left"/><child link="bar"/><axis xyz="0 1 0"/></joint>
<joint name="d" type="revolute"><origin xyz="1 0 0"/><parent link="wall"/><child link="right"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="0" velocity="0"/></joint>
</robot>"#;

#[test]
fn loops_of_a_scene_are_closed_at_the_start_and_stay_closed() {
    let folder = folder_with(BARS);
    let loops = r#"loops: [(links: ("bar", "right"), at: ((1, 0, 0), (0, 0, -0.5)))]"#;
    let path = folder.write(
        "s.ron",
        &format!(
            r#"(title: "t", duration: 0.5, robots: [(name: "r", file: "r.urdf", joints: {{"a": degrees(40)}}, {loops})])"#
        ),
    );
    let scene = Scene::load(&path).unwrap();
    let start = &scene.robots[0].configuration;
    for (value, expected) in start.iter().zip([40.0_f64, -40.0, 40.0]) {
        assert!((value - expected.to_radians()).abs() < 1e-12, "{start:?}");
    }
    let mut world = scene.world().unwrap();
    while world.time() < 0.5 {
        world.step().unwrap();
    }
    let joints = world.robot("r").unwrap().joints;
    assert!(
        (joints["a"] - joints["d"]).abs() < 1e-12 && (joints["a"] + joints["b"]).abs() < 1e-12,
        "{joints:?}"
    );
    assert!(joints["a"] < 0.0, "it does not swing: {joints:?}");
}

#[test]
fn a_loop_that_is_wrong_or_cannot_be_closed_is_reported_with_its_place() {
    let folder = folder_with(BARS);
    for (fields, expected) in [
        (r#"loops: [(links: ("bar", "rihgt"), at: ((1, 0, 0), (0, 0, -0.5)))]"#, "unknown link `rihgt`"),
        (r#"loops: [(name: "", links: ("bar", "right"), at: ((1, 0, 0), (0, 0, -0.5)))]"#, "name"),
        (
            r#"joints: {"a": degrees(80)}, loops: [(links: ("bar", "right"), at: ((1, 0, 0), (0, 0, -0.5)))]"#,
            "loop \"bar/right\" is open by",
        ),
        (
            r#"loops: [(name: "pin", links: ("bar", "right"), at: ((1, 9, 0), (0, 0, -0.5)))]"#,
            "loop \"pin\" is open by 9.000e0 m",
        ),
        (r#"loops: [(links: ("bar", "right"), at: ((1, nan, 0), (0, 0, -0.5)))]"#, ""),
    ] {
        let found = faults(&folder, fields, "");
        assert!(
            found.len() == 1 && found[0].starts_with("4:") && found[0].contains(expected),
            "{fields}: {found:?}"
        );
    }
    let loops = r#"loops: [(links: ("bar", "right"), at: ((1, 0, 0), (0, 0, -0.5)))]"#;
    let found = faults(&folder, loops, r#"plan: (movable: "r", joints: {"a": degrees(10)})"#);
    assert!(found[0].contains("robot `r` closes loops, which paths do not keep"), "{found:?}");
}

#[test]
fn a_link_or_joint_that_does_not_exist_is_reported() {
    let folder = folder_with(ROBOT);
    for (rest, expected) in [
        (
            "expect: (body_at: [(body: \"r/claw\", position: (0, 0, 0), tolerance: 1)])",
            "unknown body `r/claw`",
        ),
        (
            "expect: (joint_at: [(robot: \"q\", joint: \"turn\", value: degrees(1), tolerance: degrees(1))])",
            "unknown robot `q`",
        ),
        (
            "expect: (joint_at: [(robot: \"r\", joint: \"x\", value: degrees(1), tolerance: degrees(1))])",
            "unknown movable joint `x`",
        ),
        (
            "expect: (joint_at: [(robot: \"r\", joint: \"turn\", value: degrees(1), tolerance: metres(1))])",
            "`tolerance` and `value` have different units",
        ),
        (
            "expect: (joint_at: [(robot: \"r\", joint: \"slide\", value: degrees(1), tolerance: degrees(1))])",
            "joint `slide` is prismatic",
        ),
        ("joints: [(name: \"j\", bodies: (\"r/bar\", \"r/claw\"), kind: fixed)]", "unknown body `r/claw`"),
    ] {
        let found = faults(&folder, "", rest);
        assert!(found.iter().any(|fault| fault.contains(expected)), "{rest}: {found:?}");
    }
}

#[test]
fn a_wrong_file_of_a_robot_is_reported_with_its_line() {
    let message = |robot: &str| faults(&folder_with(robot), "", "").join("\n");
    assert!(message("<robot").starts_with("3:28: cannot use the robot "), "{}", message("<robot"));
    let cases = [
        (ROBOT.replace("child link=\"bar\"", "child link=\"post\""), "r.urdf"),
        (
            ROBOT.replace("<box size=\"0.05 0.05 0.05\"/>", "<mesh filename=\"tip.obj\"/>"),
            "link \"tip\": mesh \"tip.obj\" not found",
        ),
        (
            ROBOT.replace("<box size=\"0.05 0.05 0.05\"/>", "<mesh filename=\"package://lost/tip.obj\"/>"),
            "package \"lost\" not found: no folder and no package.xml of this name in ",
        ),
        (ROBOT.replace("</robot>", "<xacro:lost/></robot>"), "r.urdf: cannot expand this xacro: "),
    ];
    for (robot, expected) in cases {
        assert!(message(&robot).contains(expected), "{} (expected {expected})", message(&robot));
    }
    let missing = scratch_folder();
    assert!(faults(&missing, "", "")[0].contains("r.urdf"), "a missing file is named");
}

#[test]
fn check_lists_what_was_corrected_in_a_robot_and_refuses_it_where_strict() {
    let cases = [
        ("ixx=\"0.01\"", "ixx=\"-0.01\"", "link \"bar\"", "its inertia is not positive definite"),
        ("ixx=\"0.01\"", "ixx=\"0.05\"", "link \"bar\"", "its principal moments"),
        (
            "mass value=\"1\"",
            "mass value=\"-1\"",
            "link \"bar\"",
            "its mass is -1 kg, but must be above zero",
        ),
        (
            "<collision><geometry><box size=\"0.05 0.05 0.05\"/></geometry></collision>",
            "",
            "link \"tip\"",
            "it moves and has no mass: neither an <inertial> nor a shape",
        ),
        ("lower=\"-1\"", "lower=\"2\"", "joint \"turn\"", "the limits are reversed: 2 > 1"),
    ];
    for (from, to, part, cause) in cases {
        let folder = folder_with(&ROBOT.replace(from, to));
        let text = "(title: \"t\", duration: 1, robots: [(name: \"r\", file: \"r.urdf\"), (name: \"s\", file: \"r.urdf\", position: (9, 0, 0))])";
        let path = folder.write("s.ron", text);
        let checked = extricate(["check", &path, "--json"]);
        assert_eq!(checked.exit, 0, "{}", checked.stderr);
        let found = &conforms("check", &checked.stdout)["robots"][0]["corrections"][0];
        assert!(found["part"] == part && found["found"].as_str().unwrap().starts_with(cause), "{found}");
        // Once, though two robots are made of the file.
        let line = format!("r.urdf:{}: {part}: {cause}", found["line"]);
        assert!(checked.stderr.starts_with("warning: ") && checked.stderr.lines().count() == 1);
        assert!(checked.stderr.contains(&line), "{} (expected {line})", checked.stderr);
        assert_eq!(extricate(["check", &path, "--strict", "--quiet"]).exit, 1);
    }
}

#[test]
fn check_lists_the_links_that_may_collide_with_the_reason() {
    // The tip always overlaps the post, and the bar cannot know.
    let robot = ROBOT
        .replace("<origin xyz=\"0.6 0 0\"/>", "<origin xyz=\"0 0 0\"/>")
        .replace("upper=\"0.2\"", "upper=\"0.05\"");
    let folder = folder_with(&robot);
    let text = "(title: \"t\", duration: 1, robots: [(name: \"r\", file: \"r.urdf\")])";
    let path = folder.write("s.ron", text);
    let plain = extricate(["check", &path]);
    assert_eq!(plain.exit, 0, "{}", plain.stderr);
    assert!(plain.stdout.contains("r/bar and r/tip: adjacent"), "{}", plain.stdout);
    let message = conforms("check", &extricate(["check", &path, "--json"]).stdout);
    let allowed = message["robots"][0]["allowed_collisions"].as_array().unwrap();
    let reasons: Vec<_> = allowed.iter().map(|pair| pair["because"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["adjacent", "always_colliding", "adjacent"], "{message}");
    assert_eq!(
        message["penetrations"],
        serde_json::json!([]),
        "a pair that may collide is not a penetration"
    );
    // Where it can come free, it is a collision.
    let free = folder_with(&robot.replace("upper=\"0.05\"", "upper=\"0.5\""));
    let path = free.write("s.ron", text);
    let message = conforms("check", &extricate(["check", &path, "--json"]).stdout);
    assert_eq!(message["robots"][0]["collisions_at_start"], serde_json::json!([["r/post", "r/tip"]]));
    assert_eq!(message["penetrations"][0]["bodies"], serde_json::json!(["r/post", "r/tip"]));
    let strict = extricate(["check", &path, "--strict"]);
    assert_eq!(strict.exit, 4, "{}", strict.stdout);
}

#[test]
fn a_run_records_the_joints_and_the_base() {
    let folder = folder_with(ROBOT);
    let path = folder.write(
        "s.ron",
        "(title: \"t\", duration: 0.1, robots: [(name: \"r\", file: \"r.urdf\", position: (1, 2, 3), \
         joints: {\"turn\": degrees(30)}, motors: {\"turn\": position(target: degrees(30), stiffness: 1000, damping: 100)})],\
         expect: (joint_at: [(robot: \"r\", joint: \"turn\", value: degrees(30), tolerance: degrees(0.1))]))",
    );
    let ended = extricate(["run", &path, "-o", &folder.path("out"), "--json"]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let states = folder.read("out/states.jsonl");
    for line in states.lines() {
        let state = conforms("state", line);
        let robot = &state["robots"]["r"];
        assert!((robot["joints"]["turn"].as_f64().unwrap() - 30_f64.to_radians()).abs() < 1e-9, "{robot}");
        assert_eq!(robot["base"]["translation"], serde_json::json!([1.0, 2.0, 3.0]));
        assert!(state["bodies"]["r/tip"].is_object());
    }
    let summary: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(summary["bodies"], 3);
}

#[test]
fn a_robot_of_mujoco_is_held_where_it_starts_by_its_actuators() {
    let folder = scratch_folder();
    folder.write(
        "m.xml",
        "<mujoco><worldbody><body name='post'><geom type='box' size='.1 .1 .1'/><body name='bar'>\
         <joint name='turn' axis='0 1 0'/><geom type='box' size='.3 .03 .03' pos='.4 0 0'/><body name='tip' pos='.7 0 0'>\
         <joint name='bend' axis='0 1 0' damping='1'/><geom size='.05'/></body></body></body></worldbody>\
         <actuator><position joint='turn' kp='2000' kv='50'/></actuator>\
         <contact><exclude body1='post' body2='tip'/></contact>\
         <keyframe><key name='up' qpos='0.5235987755982988 0'/></keyframe></mujoco>",
    );
    let scene = |start: &str| {
        format!(
            "(title: \"t\", duration: 0.5, robots: [(name: \"r\", file: \"m.xml\", position: (0, 0, 3), {start})],\
             expect: (joint_at: [(robot: \"r\", joint: \"turn\", value: degrees(30), tolerance: degrees(1))]))"
        )
    };
    // The bar of 2.2 kg turns the joint by 0.2° against the actuator.
    let held = folder.write("held.ron", &scene("joints: {\"turn\": degrees(30)}"));
    let ended = extricate(["run", &held, "-o", &folder.path("out")]);
    assert_eq!(ended.exit, 0, "{}{}", ended.stdout, ended.stderr);
    let named = folder.write("named.ron", &scene("at: \"up\""));
    assert_eq!(extricate(["run", &named, "-o", &folder.path("named")]).exit, 0);
    let unknown = extricate(["check", &folder.write("unknown.ron", &scene("at: \"down\""))]);
    assert_eq!(unknown.exit, 3, "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("named configuration") && unknown.stderr.contains("up"),
        "{}",
        unknown.stderr
    );
    let elsewhere = folder.write("elsewhere.ron", &scene(""));
    assert_ne!(extricate(["run", &elsewhere, "-o", &folder.path("other")]).exit, 0);
    let found = conforms("check", &extricate(["check", &held, "--json"]).stdout);
    let because: Vec<_> = found["robots"][0]["allowed_collisions"].as_array().unwrap().iter().collect();
    assert!(because.iter().any(|pair| pair["because"] == "given" && pair["bodies"][1] == "r/tip"), "{found}");
}

#[test]
fn motors_take_their_gains_from_the_file_and_begin_their_keyframes_where_the_joint_starts() {
    let model = "<mujoco><worldbody><body><joint name='a'/><geom size='0.1'/><body pos='0 0 1'><joint name='b'/><geom size='0.1'/></body></body></worldbody>\
        <actuator><position joint='a' kp='30' kv='2'/><velocity joint='b' kv='4'/></actuator></mujoco>";
    let folder = folder_with(model);
    let text = "(title: \"t\", duration: 1, robots: [(name: \"r\", file: \"r.urdf\", joints: {\"a\": radians(0.2)},\
        motors: {\"a\": position(keyframes: [(time: 2, target: radians(1))]), \"b\": velocity(target: radians(3), max_force: 5)})])";
    let scene = Scene::load(folder.write("s.ron", text)).unwrap();
    let joints = &scene.robots[0].joints;
    let of = |name: &str| &joints[scene.robots[0].joint(name).unwrap()];
    let (stiffness, damping) = (30.0, 2.0);
    assert_eq!(of("a").motor, Some(Motor::Position { target: 0.2, stiffness, damping, max_force: None }));
    let targets = of("a").targets.as_ref().unwrap();
    for (time, target) in [(0.0, 0.2), (1.0, 0.6), (2.0, 1.0)] {
        assert!((targets.at(time)[0] - target).abs() < 1e-15, "{time}");
    }
    let velocity = Motor::Velocity { target: 3.0, damping: 4.0, max_force: Some(5.0) };
    assert!(of("b").motor == Some(velocity) && of("b").targets.is_none(), "{:?}", of("b"));
    // A file that names only the kinds of its motors.
    let transmissions = ["Position", "Effort"].map(|kind| {
        let joint = if kind == "Effort" { "slide" } else { "turn" };
        format!("<transmission name='t'><joint name='{joint}'><hardwareInterface>{kind}JointInterface</hardwareInterface></joint></transmission>")
    });
    let folder = folder_with(&ROBOT.replace("</robot>", &(transmissions.concat() + "</robot>")));
    let start = "joints: {\"turn\": radians(0.5)}, gravity_compensation: 0.5,";
    assert_eq!(faults(&folder, start, ""), Vec::<String>::new());
    let path = folder.path("s.ron");
    let scene = Scene::load(path).unwrap();
    let motors: Vec<_> = scene.robots[0].joints.iter().map(|joint| joint.motor).collect();
    let holds = Motor::ComputedTorque { target: 0.5, stiffness: 900.0, damping: 60.0, max_force: None };
    assert_eq!(motors, [Some(holds), Some(Motor::Effort { target: 0.0, max_force: None })]);
}

#[test]
fn sensors_are_recorded_with_each_state_and_written_as_a_table() {
    let folder = folder_with(ROBOT);
    let fields = "motors: {\"turn\": effort(target: 0.1)}, sensors: [joints, imu(link: \"post\", name: \"a,b\"), frame(link: \"tip\")],";
    assert_eq!(faults(&folder, fields, "gravity: (0, 0, -9)"), Vec::<String>::new());
    let (scene, run) = (folder.path("s.ron"), folder.path("run"));
    let recorded = |threads: &str, run: &str| {
        let done = extricate([
            "run",
            &scene,
            "--steps",
            "4",
            "--every",
            "2",
            "-o",
            run,
            "--threads",
            threads,
            "--record-as",
            "csv",
        ]);
        assert_eq!(done.exit, 0, "{}", done.stderr);
        ["states.jsonl", "run.csv"].map(|name| std::fs::read_to_string(format!("{run}/{name}")).unwrap())
    };
    let [states, table] = recorded("1", &run);
    assert_eq!(
        [states.clone(), table.clone()],
        recorded("2", &folder.path("again")),
        "for any number of threads"
    );
    let states: Vec<Value> = states.lines().map(|line| conforms("state", line)).collect();
    assert_eq!(states.len(), 3);
    assert!(states[0]["robots"]["r"]["sensors"].is_null(), "nothing is measured before the first step");
    let sensors = &states[2]["robots"]["r"]["sensors"];
    let names: Vec<_> = sensors.as_object().unwrap().keys().cloned().collect();
    assert_eq!(names, ["a,b", "frame/tip", "joint/slide", "joint/turn"]);
    assert_eq!(sensors["a,b"]["imu"]["specific_force"], serde_json::json!([0.0, 0.0, 9.0]));
    assert_eq!(sensors["joint/turn"]["joint"]["motor"], 0.1);
    let position = &states[2]["robots"]["r"]["joints"]["turn"];
    assert!(position.as_f64() > Some(0.0) && sensors["joint/turn"]["joint"]["position"] == *position);
    let lines: Vec<&str> = table.split("\r\n").collect();
    assert!(lines.len() == 5 && lines[4].is_empty(), "{table}");
    assert!(
        lines[0].starts_with("step,time,kinetic,potential,elastic,max_penetration,r/slide,r/turn,"),
        "{table}"
    );
    assert!(lines[0].contains(",\"r:a,b.specific_force.x\","), "{table}");
    let column = |name: &str| lines[0].replace("a,b", "a b").split(',').position(|own| own == name).unwrap();
    let cell = |line: usize, name: &str| lines[line].split(',').nth(column(name)).unwrap().to_owned();
    assert_eq!(cell(3, "r:joint/turn.motor"), "0.1");
    assert_eq!(cell(3, "r/turn").parse::<f64>().ok(), position.as_f64());
    assert_eq!((cell(1, "r:joint/turn.motor"), cell(1, "step")), (String::new(), "0".to_owned()));
}
