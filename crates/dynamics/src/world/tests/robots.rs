//! Robots whose links are far from each other, against bodies that fly straight.

use std::path::Path;

use nalgebra::{Isometry3, Vector3};

use crate::{RobotDescription, World, WorldOptions};
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

#[test]
fn what_bears_on_an_arm_does_not_push_a_body_that_came_off_it() {
    // An arm rotates about z, and its second link, flung outwards, stays at its limit: both go on as one. A joint with six freedoms connects a body with it, 6 m
    // away, which flies straight from the start: v = ω × r.
    let link = |name: &str, center: &str, mass: f64| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="{center}"/><mass value="{mass}"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"#
        )
    };
    let text = format!(
        r#"<robot name="r"><link name="base"/>{}{}{}
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="fling" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint>
<joint name="off" type="floating"><parent link="hand"/><child link="body"/><origin xyz="5.5 0 0"/></joint></robot>"#,
        link("arm", "0.25 0 0", 1.0),
        link("hand", "0.4 0 -0.4", 1.0),
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
    for _ in 0..240 {
        let report = world.step().expect("a step");
        assert_eq!(report.robots.map_or(0, |robots| robots.limits), 1);
        let at = world.body("r/body").expect("a body").position.coords;
        let straight = Vector3::new(6.0, 6.0 * omega * world.time(), 0.0);
        strayed = strayed.max((at - straight).norm());
        gain = gain.max((world.energy().total() / start - 1.0).abs());
    }
    let state = world.robot("r").expect("a robot");
    let rotated = state.joints["swing"] - omega * world.time();
    assert!(rotated.abs() < 1e-3, "{rotated} rad");
    // Of 24 m.
    assert!(strayed < 1e-2, "{strayed} m");
    assert!(gain < 1e-3, "{gain}");
}
