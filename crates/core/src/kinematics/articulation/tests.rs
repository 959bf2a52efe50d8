use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Point3, Vector3};

use super::*;
use crate::kinematics::error::RobotError;
use crate::kinematics::tests::{Noise, assert_bounds_hold, distance_of};
use crate::kinematics::{Motion, RigidMotion};
use std::collections::BTreeMap;

fn revolute(axis: Vector3<f64>) -> JointKind {
    JointKind::Revolute { axis }
}

fn prismatic(axis: Vector3<f64>) -> JointKind {
    JointKind::Prismatic { axis }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Five links in a chain and one on the side, with joints of all kinds.
fn chain(noise: &mut Noise) -> Articulation {
    let joints = vec![
        Joint::new("j1", "root", "one", revolute(noise.vector())).at(noise.pose(0.5, 3.0)),
        Joint::new("j2", "one", "two", prismatic(noise.vector())).at(noise.pose(0.5, 3.0)),
        Joint::new("j3", "two", "three", JointKind::Fixed).at(noise.pose(0.5, 3.0)),
        Joint::new("j4", "three", "four", revolute(noise.vector())).at(noise.pose(0.5, 3.0)),
        Joint {
            mimic: Some(Mimic { joint: "j1".into(), factor: -0.5, offset: 0.2 }),
            ..Joint::new("j5", "two", "side", revolute(noise.vector())).at(noise.pose(0.5, 3.0))
        },
    ];
    Articulation::new(names(&["four", "root", "side", "one", "two", "three"]), joints).unwrap()
}

#[test]
fn a_planar_arm_reaches_the_position_given_by_trigonometry() {
    let x = Isometry3::translation(1.0, 0.0, 0.0);
    let joints = vec![
        Joint::new("shoulder", "base", "upper", revolute(Vector3::z() * 5.0)),
        Joint::new("elbow", "upper", "lower", revolute(Vector3::z())).at(x),
        Joint::new("wrist", "lower", "hand", prismatic(Vector3::x())).at(x),
    ];
    let arm = Articulation::new(names(&["base", "upper", "lower", "hand"]), joints).unwrap();
    let (p, q, d) = (0.3, -1.1, 0.25);
    let base = Isometry3::translation(0.0, 0.0, 7.0);
    let hand = arm.link_poses(&[p, q, d], &base).unwrap()[3] * Point3::origin();
    let expected = Point3::new(p.cos() + (1.0 + d) * (p + q).cos(), p.sin() + (1.0 + d) * (p + q).sin(), 7.0);
    assert!((hand - expected).norm() < 1e-15, "{hand} {expected}");
}

#[test]
fn a_joint_that_mimics_follows_and_has_no_coordinate() {
    let follower = Joint {
        mimic: Some(Mimic { joint: "a".into(), factor: 2.0, offset: 0.5 }),
        ..Joint::new("b", "r", "y", revolute(Vector3::z()))
    };
    let of_follower = Joint {
        mimic: Some(Mimic { joint: "b".into(), factor: -1.0, offset: 0.0 }),
        ..Joint::new("c", "r", "z", revolute(Vector3::z()))
    };
    let joints = vec![of_follower, follower, Joint::new("a", "r", "x", revolute(Vector3::z()))];
    let tree = Articulation::new(names(&["r", "x", "y", "z"]), joints).unwrap();
    assert_eq!(tree.coordinates(), &[2]);
    let poses = tree.link_poses(&[0.1], &Isometry3::identity()).unwrap();
    for (link, expected) in [(1, 0.1), (2, 0.7), (3, -0.7)] {
        assert!((poses[link].rotation.scaled_axis().z - expected).abs() < 1e-15);
    }
}

#[test]
fn a_link_moves_from_one_configuration_to_the_other_within_its_bounds() {
    let mut noise = Noise(3);
    for _ in 0..20 {
        let tree = chain(&mut noise);
        let [from, to] = [(); 2].map(|()| [2.0 * noise.next(), noise.next(), 2.0 * noise.next()]);
        let base = Motion::screw(&noise.pose(1.0, 2.0), &noise.pose(1.0, 2.0));
        let half: Vec<f64> = from.iter().zip(&to).map(|(x, y)| 0.5 * (x + y)).collect();
        for link in 0..tree.links().len() {
            let motion = LinkMotion::new(&tree, link, [&from, &to], &base).unwrap();
            for (t, configuration) in [(0.0, &from[..]), (0.5, &half), (1.0, &to)] {
                let expected = tree.link_poses(configuration, &base.pose_at(t)).unwrap()[link];
                assert!(distance_of(&motion.pose_at(t), &expected, 1.0) < 1e-14);
            }
            assert_bounds_hold(&motion, &mut noise);
        }
    }
}

#[test]
fn a_planar_arm_never_accelerates_along_its_axis_and_one_with_a_skew_joint_has_none() {
    let mut noise = Noise(5);
    let z = Vector3::z();
    let arm = |last: Vector3<f64>| {
        let joints = vec![
            Joint::new("a", "r", "x", revolute(z)).at(Isometry3::new(offset(1.0), z)),
            Joint::new("b", "x", "y", prismatic(Vector3::new(1.0, 2.0, 3.0)))
                .at(Isometry3::new(offset(0.3), 2.0 * z)),
            Joint::new("c", "y", "w", revolute(last)).at(Isometry3::new(offset(0.7), -z)),
        ];
        Articulation::new(names(&["r", "x", "y", "w"]), joints).unwrap()
    };
    let base = Motion::screw(&noise.pose(1.0, 3.0), &noise.pose(1.0, 3.0));
    let (from, to) = ([0.1, 0.2, 0.3], [-2.0, 1.0, 3.0]);
    let resting = Motion::still(base.start());
    let motion = LinkMotion::new(&arm(-3.0 * z), 3, [&from, &to], &resting).unwrap();
    let axis = motion.bounds().axis.unwrap();
    assert!(axis.cross(&(base.start().rotation * z)).norm() < 1e-15);
    assert_bounds_hold(&motion, &mut noise);
    for (arm, base) in [(arm(Vector3::new(0.0, 1e-6, 1.0)), &resting), (arm(z), &base)] {
        let motion = LinkMotion::new(&arm, 3, [&from, &to], base).unwrap();
        assert_eq!(motion.bounds().axis, None);
        assert_bounds_hold(&motion, &mut noise);
    }
}

fn offset(x: f64) -> Vector3<f64> {
    Vector3::new(x, -0.5 * x, 0.25)
}

#[test]
fn seen_from_a_link_that_carries_it_a_link_moves_by_the_joints_between_alone() {
    let mut noise = Noise(4);
    let tree = chain(&mut noise);
    let (four, side) = (tree.link("four").unwrap(), tree.link("side").unwrap());
    let ancestor = tree.common_ancestor(four, side);
    assert_eq!(tree.links()[ancestor], "two");
    assert_eq!(tree.common_ancestor(four, ancestor), ancestor);
    let (from, to) = ([0.3, 0.2, 0.1], [0.3, -0.7, 0.9]);
    let motion = LinkMotion::below(&tree, ancestor, side, [&from, &to]).unwrap();
    // The side link follows the first joint, which rests.
    assert!(motion.bounds().speed == 0.0 && motion.bounds().angular_speed == 0.0);
    let motion = LinkMotion::below(&tree, ancestor, four, [&from, &to]).unwrap();
    let poses = tree.link_poses(&to, &noise.pose(1.0, 1.0)).unwrap();
    assert!(distance_of(&motion.pose_at(1.0), &(poses[ancestor].inverse() * poses[four]), 1.0) < 1e-14);
}

#[test]
fn joints_that_form_no_tree_are_refused_with_the_name() {
    let joint =
        |name: &str, parent: &str, child: &str| Joint::new(name, parent, child, revolute(Vector3::z()));
    let zero = Joint { kind: revolute(Vector3::zeros()), ..joint("j", "a", "b") };
    let mimic = |name: &str, child: &str, other: &str| Joint {
        mimic: Some(Mimic { joint: other.into(), factor: 1.0, offset: 0.0 }),
        ..joint(name, "a", child)
    };
    let ab = &["a", "b"][..];
    let abc = &["a", "b", "c"][..];
    let cases: [(&[&str], Vec<Joint>, &str); 13] = [
        (&["a", "a"], vec![], "duplicate name \"a\""),
        (abc, vec![joint("j", "a", "b"), joint("j", "a", "c")], "duplicate name \"j\""),
        (ab, vec![joint("j", "a", "x")], "joint \"j\" names the link \"x\""),
        (
            abc,
            vec![joint("j", "a", "c"), joint("k", "b", "c")],
            "\"c\" is the child of two joints, \"j\" and \"k\"",
        ),
        (abc, vec![joint("j", "a", "b")], "2 links have no parent, expected exactly one root: a, c"),
        (abc, vec![joint("j", "b", "c"), joint("k", "c", "b")], "link \"b\" is its own ancestor"),
        (ab, vec![joint("j", "a", "b"), joint("k", "b", "a")], "link \"a\" is its own ancestor"),
        (ab, vec![zero], "the axis of joint \"j\" is zero"),
        (ab, vec![joint("j", "a", "b").within([1.0, -1.0])], "limits of joint \"j\" are reversed: 1 > -1"),
        (ab, vec![joint("j", "a", "b").within([f64::NAN, 1.0])], "limits of joint \"j\" are reversed"),
        (
            ab,
            vec![joint("j", "a", "b").at(Isometry3::translation(f64::NAN, 0.0, 0.0))],
            "\"j\" is not finite",
        ),
        (ab, vec![mimic("j", "b", "nothing")], "unknown joint \"nothing\""),
        (abc, vec![mimic("j", "b", "k"), mimic("k", "c", "j")], "joint \"j\" mimics itself"),
    ];
    for (links, joints, expected) in cases {
        let error = Articulation::new(names(links), joints).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn invalid_configurations_are_refused() {
    let tree = Articulation::new(names(&["a", "b"]), vec![Joint::new("j", "a", "b", revolute(Vector3::z()))])
        .unwrap();
    let here = Isometry3::identity();
    assert_eq!(tree.link_poses(&[], &here), Err(RobotError::Length { given: 0, expected: 1 }));
    for value in [f64::NAN, f64::INFINITY] {
        let error = RobotError::NotFinite { joint: "j".into() };
        assert_eq!(tree.link_poses(&[value], &here), Err(error.clone()));
        assert_eq!(tree.configuration(&BTreeMap::from([("j".to_owned(), value)])), Err(error));
    }
    assert_eq!(tree.configuration(&BTreeMap::from([("j".to_owned(), FRAC_PI_2)])), Ok(vec![FRAC_PI_2]));
    let error = RobotError::UnknownJoint { joint: "x".into(), known: vec!["j".into()] };
    assert_eq!(tree.configuration(&BTreeMap::from([("x".to_owned(), 0.0)])), Err(error));
}
