//! Robots whose links are far from each other, against bodies that fly straight.

use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use crate::{RobotDescription, World, WorldOptions};
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

#[test]
fn what_bears_on_an_arm_does_not_push_a_body_that_came_off_it() {
    // An arm rotates about z, and its second link, flung outwards, stays at its limit: both continue as one. A joint with six freedoms connects a body with it, 6 m
    // from z, which flies straight from the start: v = ω × r.
    let link = |name: &str, center: &str, mass: f64| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"#
        )
    };
    let text = format!(
        r#"<robot name="r"><link name="base"/>{}{}{}
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="fling" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="5 0 0"/><axis xyz="0 1 0"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="off" type="floating"><parent link="hand"/><child link="body"/><origin xyz="1 0 0"/></joint></robot>"#,
        link("arm", "0.25 0 0", 1.0),
        link("hand", "0.1 0 -0.4", 1.0),
        link("body", "0 0 0", 0.5),
    );
    let robot = parse_urdf(&text, Path::new("robot.urdf"), &UrdfOptions::default()).expect("a robot");
    let mut description = RobotDescription::new("r", robot, Isometry3::identity());
    let omega = 8.0;
    description.velocities[0] = omega;
    let options =
        WorldOptions { time_step: 1.0 / 480.0, gravity: Vector3::zeros(), ..WorldOptions::default() };
    let mut builder = World::builder(options);
    builder.add_robot(description).expect("a robot");
    let mut world = builder.build().expect("a world");
    let start = world.energy().total();
    let (mut strayed, mut gain) = (0.0_f64, 0.0_f64);
    for _ in 0..120 {
        world.step().expect("a step");
        let joints = world.robot("r").expect("a robot").joints;
        assert!(joints["fling"].abs() < 1e-9, "at its limit");
        let in_arm = Vector3::new(6.0 + joints["off/x"], joints["off/y"], joints["off/z"]);
        let at = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), joints["swing"]) * in_arm;
        let straight = Vector3::new(6.0, 6.0 * omega * world.time(), 0.0);
        strayed = strayed.max((at - straight).norm());
        gain = gain.max(world.energy().total() / start - 1.0);
    }
    let lags = omega * world.time() - world.robot("r").expect("a robot").joints["swing"];
    assert!(lags.abs() < 0.02, "{lags} rad");
    // Of 12 m. With velocities in the middle of each step it strays by 0.75 m.
    assert!(strayed < 0.01, "{strayed} m");
    assert!(gain < 1e-6, "{gain}");
}
