//! Trees that are moved back within a step, and links of equal shapes.

use std::path::Path;
use std::sync::Arc;

use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};
use extricate_core::multibody::Placement;
use nalgebra::{Isometry3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;

use super::description::{RobotBase, RobotDescription};
use super::parts::Parts;
use super::tree::RobotTree;

/// Kinetic energy and linear momentum at velocities.
fn motion_of(tree: &RobotTree, v: &[f64]) -> (f64, Vector3<f64>) {
    let (mut motions, mut placement) = (Vec::new(), Placement::default());
    tree.multibody.place(&tree.base, &tree.q, &mut placement);
    tree.multibody.velocities(&placement, v, &mut motions);
    let links = motions.iter().enumerate();
    let momentum = links.map(|(link, motion)| tree.multibody.momentum(&placement, link, motion).linear).sum();
    (tree.multibody.kinetic_energy(&placement, &motions, v), momentum)
}

#[test]
fn a_robot_that_goes_back_within_a_step_keeps_its_momentum_and_gains_no_energy() {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0.2 0.1 0"/><mass value="0.5"/>
<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.005"/></inertial></link>"#
        )
    };
    let text = format!(
        r#"<robot name="r">{}{}{}
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0.1"/><axis xyz="0 1 1"/></joint></robot>"#,
        link("a"),
        link("b"),
        link("c")
    );
    let robot = parse_urdf(&text, Path::new("robot.urdf"), &UrdfOptions::default()).expect("a robot");
    let mut description = RobotDescription::new("r", robot, Isometry3::identity());
    description.base = RobotBase::Floating;
    description.linear_velocity = Vector3::new(1.0, 0.5, -2.0);
    let parts = Parts::new(description).expect("parts");
    let handles: Vec<_> = (0..3).map(|index| RigidBodyHandle::from_raw_parts(index, 0)).collect();
    let mut gains = 0;
    for number in 0..40_u8 {
        let mut tree = RobotTree::new(&parts, &handles);
        let angle = f64::from(number) * 0.37;
        (tree.q[7], tree.q[8]) = (angle, 2.0 * angle);
        (tree.v[6], tree.v[7]) = (80.0 * angle.sin(), -60.0 * angle.cos());
        tree.settle();
        let rates = tree.v.clone();
        tree.arrive([tree.q.clone(), rates.clone(), rates.clone()], (0.0, None));
        let (energy, momentum) = motion_of(&tree, &rates);
        tree.go_back(0.005);
        let (after, carried) = motion_of(&tree, &tree.v);
        assert!(after <= energy * (1.0 + 1e-12), "{angle}: {after} J of {energy} J");
        assert!((carried - momentum).norm() < 1e-12 * momentum.norm(), "{carried} of {momentum}");
        gains += usize::from(motion_of(&tree, &rates).0 > 1.05 * energy);
    }
    assert!(gains > 3, "the same rates seldom gain energy: {gains}");
}

/// URDF of a slide along z on a slide along y, which is 2 m from the axis of a hinge about z.
fn slide_on_a_hinge() -> String {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>"#
        )
    };
    let joint = |name: &str, kind: &str, links: [&str; 2], more: &str| {
        let [parent, child] = links;
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>"#
        )
    };
    let limit = r#"<limit lower="-9" upper="9" effort="0" velocity="0"/>"#;
    let links = ["base", "hinge", "along", "up"].map(link).concat();
    let joints = [
        joint("j", "continuous", ["base", "hinge"], r#"<axis xyz="0 0 1"/>"#),
        joint(
            "k",
            "prismatic",
            ["hinge", "along"],
            &format!(r#"<origin xyz="2 0 0"/><axis xyz="0 1 0"/>{limit}"#),
        ),
        joint("l", "prismatic", ["along", "up"], &format!(r#"<axis xyz="0 0 1"/>{limit}"#)),
    ];
    format!(r#"<robot name="r">{links}{}</robot>"#, joints.concat())
}

#[test]
fn a_robot_that_goes_back_within_a_step_does_not_get_where_it_never_was() {
    let text = slide_on_a_hinge();
    let robot = parse_urdf(&text, Path::new("robot.urdf"), &UrdfOptions::default()).expect("a robot");
    let parts = Parts::new(RobotDescription::new("r", robot, Isometry3::identity())).expect("parts");
    let handles: Vec<_> = (0..4).map(|index| RigidBodyHandle::from_raw_parts(index, 0)).collect();
    let (h, speed, up) = (0.005, -1.0, 2);
    for part in [0.25, 0.5, 1.0] {
        for rate in [0.0, 20.0, 60.0, -120.0] {
            let mut tree = RobotTree::new(&parts, &handles);
            // The last link moved along z, and rests at the end: the slide balances the hinge.
            let end = vec![rate, -2.0 * rate, 0.0];
            tree.arrive([vec![0.0, 0.0, h * speed], end, vec![0.0, 0.0, speed]], (h, None));
            tree.go_back(part * h);
            let place = tree.placement.poses()[up].translation.vector;
            // At rest it stays where it is: its displacement may have recovered an overlap.
            let height = if f64::abs(rate) > 0.0 { (1.0 - part) * h * speed } else { h * speed };
            let wanted = Vector3::new(2.0, 0.0, height);
            assert!((place - wanted).norm() < 1e-12, "rate {rate}, part {part}: {place} for {wanted}");
        }
    }
}

#[test]
fn a_joint_that_left_its_limit_is_not_beyond_it_when_it_goes_back_within_the_step() {
    let text = r#"<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-0.5" upper="1" effort="0" velocity="0"/></joint></robot>"#;
    let robot = parse_urdf(text, Path::new("robot.urdf"), &UrdfOptions::default()).expect("a robot");
    let parts = Parts::new(RobotDescription::new("r", robot, Isometry3::identity())).expect("parts");
    let handles: Vec<_> = (0..2).map(|index| RigidBodyHandle::from_raw_parts(index, 0)).collect();
    let h = 0.005;
    for (limit, inward) in [(-0.5, 1.0), (1.0, -1.0)] {
        for part in [0.25, 0.5, 1.0] {
            // It was at its limit, has moved by 0.01 rad, and has been thrown off at 60 rad/s.
            let (moved, speed) = (inward * 0.01, inward * 60.0);
            let mut tree = RobotTree::new(&parts, &handles);
            tree.q[0] = limit;
            tree.settle();
            tree.arrive([vec![limit + moved], vec![speed], vec![moved / h]], (h, None));
            tree.go_back(part * h);
            let wanted = limit + (1.0 - part) * moved;
            assert!((tree.q[0] - wanted).abs() < 1e-12, "{limit}, {part}: {} for {wanted}", tree.q[0]);
            // Farther from its limit than the step is long, it goes back at its speed.
            tree.q[0] = limit + 40.0 * moved;
            tree.settle();
            tree.arrive([vec![limit + 41.0 * moved], vec![inward * 2.0], vec![moved / h]], (h, None));
            tree.go_back(part * h);
            let wanted = limit + 41.0 * moved - inward * 2.0 * part * h;
            assert!((tree.q[0] - wanted).abs() < 1e-12, "{limit}, {part}: {} for {wanted}", tree.q[0]);
        }
    }
}

#[test]
fn links_of_equal_shapes_have_one_model() {
    let link = |name: &str, radius: f64| {
        format!(
            r#"<link name="{name}"><collision><geometry><sphere radius="{radius}"/></geometry></collision></link>"#
        )
    };
    let joint = |child: &str| {
        format!(r#"<joint name="to_{child}" type="fixed"><parent link="a"/><child link="{child}"/></joint>"#)
    };
    let links = [link("a", 0.1), link("b", 0.2), link("c", 0.1), joint("b"), joint("c")].concat();
    let text = format!(r#"<robot name="r">{links}</robot>"#);
    let robot = parse_urdf(&text, Path::new("robot.urdf"), &UrdfOptions::default()).expect("a robot");
    let description = RobotDescription::new("r", robot, Isometry3::identity());
    let [a, b, c] = [0, 1, 2].map(|link| description.links[link].model.as_ref().expect("a shape"));
    assert!(Arc::ptr_eq(a, c) && !Arc::ptr_eq(a, b));
}
