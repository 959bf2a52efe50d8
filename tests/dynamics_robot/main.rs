//! Robots against closed forms: pendulums, motors, damping, friction, efforts, limits, and properties in common with bodies.
#![allow(clippy::unwrap_used, reason = "a robot that cannot be built is a failed test")]

mod contacts;
mod joints;
mod loads;
mod loops;
mod motion;
mod motors;
mod sensors;
mod transmitted;

use std::path::Path;

use extricate::dynamics::{Motor, RobotDescription, RobotState, World, WorldOptions};
use extricate::kinematics::urdf::{UrdfOptions, parse_urdf};
use nalgebra::{Isometry3, Vector3};

fn described(text: &str) -> RobotDescription {
    let robot = parse_urdf(text, Path::new("robot.urdf"), &UrdfOptions::default()).unwrap();
    RobotDescription::new("r", robot, Isometry3::identity())
}

/// A joint of one freedom about or along z, with a load of inertia 0.5 kg·m² about it, or of 2 kg.
fn one_joint(kind: &str, inner: &str) -> RobotDescription {
    described(&format!(
        r#"<robot name="r"><link name="base"/>
<link name="load"><inertial><mass value="2"/><inertia ixx="0.4" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.5"/></inertial></link>
<joint name="j" type="{kind}"><parent link="base"/><child link="load"/><axis xyz="0 0 1"/>{inner}</joint></robot>"#
    ))
}

/// A chain of rods along x, hinged about y, each 0.1 m long and of 0.1 kg.
fn chain(links: usize) -> RobotDescription {
    let mut text = String::from(r#"<robot name="chain"><link name="l0"/>"#);
    for i in 1..=links {
        let x = if i == 1 { 0.0 } else { 0.1 };
        let inertia = 0.1 * 0.01 / 12.0;
        text += &format!(
            r#"<link name="l{i}"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
<inertia ixx="1e-5" ixy="0" ixz="0" iyy="{inertia}" iyz="0" izz="{inertia}"/></inertial></link>
<joint name="j{i}" type="continuous"><origin xyz="{x} 0 0"/><parent link="l{}"/><child link="l{i}"/><axis xyz="0 1 0"/></joint>"#,
            i - 1
        );
    }
    described(&(text + "</robot>"))
}

fn world_of(robot: RobotDescription, options: WorldOptions) -> World {
    let mut builder = World::builder(options);
    builder.add_robot(robot).unwrap();
    builder.build().unwrap()
}

fn weightless() -> WorldOptions {
    WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() }
}

fn state(world: &World) -> RobotState {
    world.robot("r").unwrap()
}

/// Steps until a time, and passes the joint's state to `see` at every step.
fn follow(world: &mut World, until: f64, mut see: impl FnMut(f64, f64, f64)) {
    while world.time() < until - 1e-9 {
        world.step().unwrap();
        let now = state(world);
        see(world.time(), now.joints["j"], now.velocities["j"]);
    }
}

#[test]
fn links_are_where_the_joint_values_put_them() {
    let text = r#"<robot name="r"><link name="base"/><link name="flange"/>
<link name="a"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>
<link name="b"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>
<joint name="up" type="fixed"><origin xyz="0 0 1" rpy="0 0 0.4"/><parent link="base"/><child link="flange"/></joint>
<joint name="j" type="revolute"><origin xyz="0.1 0 0" rpy="0.3 0 0"/><parent link="flange"/><child link="a"/><axis xyz="0 1 1"/>
<limit lower="-2" upper="2" effort="9" velocity="0"/></joint>
<joint name="k" type="prismatic"><origin xyz="0 0 0.4" rpy="0 0.5 0"/><parent link="a"/><child link="b"/><axis xyz="0 0 -1"/>
<limit lower="0" upper="1" effort="9" velocity="0"/></joint></robot>"#;
    let mut robot = described(text);
    robot.pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    robot.configuration = vec![0.5, 0.1];
    let whole = robot.articulation.clone();
    let pose = robot.pose;
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..100 {
        let now = state(&world);
        let poses = whole.link_poses(&[now.joints["j"], now.joints["k"]], &pose).unwrap();
        for (link, expected) in ["a", "b"].into_iter().zip(&poses[2..]) {
            let body = world.body(&format!("r/{link}")).unwrap();
            assert!((body.position.coords - expected.translation.vector).norm() < 1e-12, "{link}");
            assert!(body.rotation.angle_to(&expected.rotation) < 1e-12, "{link}");
        }
        world.step().unwrap();
    }
    assert!((state(&world).joints["j"] - 0.5).abs() > 0.01, "it moves");
}

#[test]
fn links_that_fixed_joints_tie_together_are_one_body() {
    let text = r#"<robot name="r"><link name="root"/>
<link name="tray"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<collision><geometry><box size="0.4 0.4 0.02"/></geometry></collision></link>
<link name="cup"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="slide" type="prismatic"><parent link="root"/><child link="tray"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="0"/></joint>
<joint name="glue" type="fixed"><origin xyz="0.1 0 0.06"/><parent link="tray"/><child link="cup"/></joint></robot>"#;
    let mut robot = described(text);
    robot.density = 500.0;
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 100.0, damping: 20.0, max_force: None });
    let mut world = world_of(robot, WorldOptions::default());
    let names: Vec<String> = world.bodies().into_iter().map(|body| body.name).collect();
    assert_eq!(names, ["r/tray"]);
    follow(&mut world, 0.0, |_, _, _| {});
    while world.time() < 5.0 {
        world.step().unwrap();
    }
    // 1 kg and 0.5 kg of cup stretch the spring.
    let sag = world.robot("r").unwrap().joints["slide"];
    assert!((sag + 1.5 * 9.81 / 100.0).abs() < 1e-6, "{sag}");
}

#[test]
fn a_robot_that_no_world_can_take_is_refused_with_the_link_or_joint() {
    let message = |robot: RobotDescription| {
        let mut builder = World::builder(WorldOptions::default());
        builder.add_robot(robot).map(drop).unwrap_err().to_string()
    };
    let bare = r#"<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
    assert_eq!(
        message(described(bare)),
        "robot `r`: link \"b\" moves and has no mass: neither an <inertial> nor a shape, nor does it carry a link that has one"
    );
    let mut outside = one_joint("revolute", r#"<limit lower="-1" upper="2" effort="1" velocity="1"/>"#);
    outside.configuration = vec![2.5];
    assert_eq!(message(outside), "robot `r`: joint \"j\" starts at 2.5, outside its limits -1 to 2");
    let mut short = one_joint("continuous", "");
    short.velocities = vec![];
    assert!(message(short).contains("it has 0 velocities, where 1 are needed"));
    let mut weak = one_joint("continuous", "");
    weak.joints[0].motor = Some(Motor::Velocity { target: 1.0, damping: -1.0, max_force: None });
    assert!(message(weak).contains("joint \"j\": the damping of the motor is -1"));
    let mut stranger = one_joint("continuous", "");
    stranger.allowed = vec![["base".into(), "claw".into()]];
    assert!(message(stranger).contains("there is no link \"claw\""));
}
