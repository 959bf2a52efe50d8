//! Motors that know the robot, and targets over time, against closed forms: gravity compensation, computed torque, efforts, keyframes.

use std::f64::consts::TAU;
use std::sync::Arc;

use extricate::dynamics::{
    BodyDescription, BodyKind, JointDescription, JointKind, Motor, RobotDescription, Shape, TargetCurve,
    World, WorldOptions,
};
use extricate::kinematics::urdf::{Inertial, JointSpring};
use extricate::multibody::{RobotDynamics, RobotMotion};
use nalgebra::{Isometry3, Vector3};

use super::{chain, described, follow, one_joint, state, weightless, world_of};

const HOLD: Motor = Motor::Effort { target: 0.0, max_force: None };

/// A rod along x of 0.1 kg, hinged about y at an end: m g l = 0.1 · 9.81 · 0.05, I = 0.1 · 0.1² / 3.
fn pendulum(motor: Motor, compensation: f64) -> RobotDescription {
    let mut robot = chain(1);
    robot.joints[0].motor = Some(motor);
    robot.gravity_compensation = compensation;
    robot
}

/// A bent arm of three rods on a base that is askew, with a motor in each joint.
fn arm(motor: Motor) -> RobotDescription {
    let mut robot = chain(3);
    robot.pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.4, -0.3, 0.8));
    robot.configuration = vec![0.3, -0.8, 1.1];
    robot.joints.iter_mut().for_each(|joint| joint.motor = Some(motor));
    robot
}

/// Forces that hold a robot of rods in a configuration, by the library's inverse dynamics.
fn holding(robot: &RobotDescription, configuration: &[f64]) -> Vec<f64> {
    let inertials: Vec<Option<Inertial>> = robot.links.iter().map(|link| link.inertial).collect();
    let dynamics = RobotDynamics::new(&robot.articulation, &inertials);
    let still = vec![0.0; configuration.len()];
    let motion = RobotMotion { configuration, velocities: &still };
    let gravity = robot.pose.rotation.inverse() * Vector3::new(0.0, 0.0, -9.81);
    dynamics.inverse_dynamics(motion, &still, &gravity).unwrap().as_slice().to_vec()
}

/// Worlds with a joint between bodies are stepped by rapier.
pub(super) fn coupled_world_of(robot: RobotDescription) -> World {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_robot(robot).unwrap();
    for (name, x) in [("a", 50.0), ("b", 51.0)] {
        let pose = Isometry3::translation(x, 0.0, 0.0);
        builder.add_body(BodyDescription::new(name, BodyKind::Dynamic, Shape::ball(0.1), pose)).unwrap();
    }
    let anchors = [Isometry3::translation(1.0, 0.0, 0.0), Isometry3::identity()];
    let bodies = ["a", "b"].map(String::from);
    let joint =
        JointDescription { name: "weld".into(), bodies, anchors, kind: JointKind::Fixed, contacts: false };
    builder.add_joint(joint).unwrap();
    builder.build().unwrap()
}

#[test]
fn compensated_gravity_holds_an_arm_with_the_forces_of_inverse_dynamics() {
    let mut robot = arm(HOLD);
    robot.gravity_compensation = 1.0;
    let (start, expected) = (robot.configuration.clone(), holding(&robot, &robot.configuration));
    assert!(expected.iter().all(|force| force.abs() > 0.01), "{expected:?}");
    let mut rapier = coupled_world_of(robot.clone());
    let mut world = world_of(robot, WorldOptions::default());
    for (world, tolerance) in [(&mut world, 1e-11), (&mut rapier, 1e-5)] {
        for _ in 0..240 {
            world.step().unwrap();
        }
        let now = state(world);
        for (index, name) in ["j1", "j2", "j3"].into_iter().enumerate() {
            assert!((now.joints[name] - start[index]).abs() < tolerance, "{name}: {now:?}");
            let motor = now.efforts[name].motor;
            assert!((motor - expected[index]).abs() < tolerance, "{name}: {motor}, not {}", expected[index]);
        }
    }
}

#[test]
fn a_compensated_pendulum_keeps_its_speed_and_half_of_gravity_accelerates_half() {
    let mut free = pendulum(HOLD, 1.0);
    free.velocities = vec![3.0];
    let mut world = world_of(free, WorldOptions::default());
    for _ in 0..720 {
        world.step().unwrap();
        let now = state(&world);
        assert!((now.velocities["j1"] - 3.0).abs() < 1e-9, "{now:?}");
        assert!((now.joints["j1"] - 3.0 * world.time()).abs() < 1e-9, "{now:?}");
    }
    // Released where it is level: θ̈ = (1 − γ) m g l / I; within a bound, (m g l − bound) / I.
    let (weight, inertia) = (0.1 * 9.81 * 0.05, 0.1 * 0.01 / 3.0);
    for (compensation, bound, rest) in [(0.5, None, 0.5 * weight), (1.0, Some(0.02), weight - 0.02)] {
        let motor = Motor::Effort { target: 0.0, max_force: bound };
        let options = WorldOptions { time_step: 1e-5, ..WorldOptions::default() };
        let mut world = world_of(pendulum(motor, compensation), options);
        world.step().unwrap();
        let acceleration = state(&world).velocities["j1"] / 1e-5;
        assert!((acceleration - rest / inertia).abs() < 1e-4 * acceleration.abs(), "{acceleration}");
    }
}

#[test]
fn compensation_of_a_motor_bears_the_joints_that_mimic_its_own() {
    let slide = |name: &str, mimic: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j_{name}" type="prismatic"><parent link="rail"/><child link="{name}"/><axis xyz="0 0 1"/>
<limit lower="-9" upper="9" velocity="0"/>{mimic}</joint>"#
        )
    };
    let mimic = r#"<mimic joint="j_a" multiplier="0.5"/>"#;
    let text =
        format!(r#"<robot name="r"><link name="rail"/>{}{}</robot>"#, slide("a", ""), slide("b", mimic));
    let mut robot = described(&text);
    robot.gravity_compensation = 1.0;
    let a = robot.joint("j_a").unwrap();
    robot.joints[a].motor = Some(HOLD);
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..200 {
        world.step().unwrap();
    }
    let now = state(&world);
    assert!(now.joints["j_a"].abs() < 1e-11 && now.joints["j_b"].abs() < 1e-11, "{now:?}");
    // 2 kg, and half of 2 kg at half the speed.
    assert!((now.efforts["j_a"].motor - 3.0 * 9.81).abs() < 1e-9, "{now:?}");
}

#[test]
fn errors_under_computed_torque_decay_as_decoupled_oscillators() {
    let (targets, frequencies) = ([0.8, -0.2, 0.4], [1.0, 1.5, 2.0]);
    let mut robot = arm(HOLD);
    for (joint, (target, frequency)) in robot.joints.iter_mut().zip(targets.into_iter().zip(frequencies)) {
        joint.motor = Some(Motor::computed_torque(target, frequency, 1.0));
    }
    let start = robot.configuration.clone();
    let mut world = world_of(robot, WorldOptions::default());
    while world.time() < 1.5 {
        world.step().unwrap();
        let now = state(&world);
        for (index, name) in ["j1", "j2", "j3"].into_iter().enumerate() {
            let rate = TAU * frequencies[index] * world.time();
            let exact = targets[index] + (start[index] - targets[index]) * (1.0 + rate) * (-rate).exp();
            assert!((now.joints[name] - exact).abs() < 1e-3, "{name} at {}: {exact}, {now:?}", world.time());
        }
    }
    let now = state(&world);
    assert!((now.joints["j3"] - 0.4).abs() < 1e-6, "{now:?}");
}

#[test]
fn computed_torque_of_any_frequency_is_stable_and_follows_keyframes() {
    for frequency in [2.0, 1e3] {
        let mut robot = arm(Motor::computed_torque(0.0, frequency, 1.0));
        let curves: Vec<_> = [[0.3, 1.0], [-0.8, 0.5], [1.1, -0.4]]
            .map(|[start, end]| Arc::new(TargetCurve::new(vec![[0.0, start], [1.0, end]]).unwrap()))
            .into();
        for (joint, curve) in robot.joints.iter_mut().zip(&curves) {
            joint.targets = Some(Arc::clone(curve));
        }
        let mut world = world_of(robot, WorldOptions::default());
        while world.time() < 1.5 {
            world.step().unwrap();
            let now = state(&world);
            for (curve, name) in curves.iter().zip(["j1", "j2", "j3"]) {
                let wanted = curve.at(world.time())[0];
                assert!(
                    (now.joints[name] - wanted).abs() < 2e-4,
                    "{frequency} Hz, {name}: {wanted}, {now:?}"
                );
            }
        }
    }
}

#[test]
fn an_effort_accelerates_as_newton_says_within_its_bound() {
    for (target, max_force, expected) in [(1.5, None, 3.0), (-1.5, Some(0.5), -1.0)] {
        let mut robot = one_joint("continuous", "");
        robot.joints[0].motor = Some(Motor::Effort { target, max_force });
        let mut world = world_of(robot, weightless());
        follow(&mut world, 0.5, |t, _, v| assert!((v - expected * t).abs() < 1e-10, "at {t}: {v}"));
        assert!((state(&world).efforts["j"].motor - 0.5 * expected).abs() < 1e-12);
    }
    // A pulse of effort over time ends at the speed of its integral: a plateau with half of each flank.
    let mut robot = one_joint("continuous", "");
    robot.joints[0].motor = Some(HOLD);
    let pulse = vec![[0.1, 0.0], [0.2, 2.0], [0.4, 2.0], [0.5, 0.0]];
    robot.joints[0].targets = Some(Arc::new(TargetCurve::new(pulse).unwrap()));
    let mut world = world_of(robot, weightless());
    follow(&mut world, 0.6, |_, _, _| {});
    let speed = state(&world).velocities["j"];
    assert!((speed - 2.0 * 0.3 / 0.5).abs() < 1e-4, "{speed}");
}

#[test]
fn a_light_joint_whose_bound_throws_it_beyond_its_speed_in_a_step_is_held() {
    // The bound accelerates it by 13 rad/s in a step; within the bound the error decays as e^(−20 t), from 9.8 rad/s.
    for speed in [-9.5, -3.0, 0.0, 3.0, 9.8, 9.9] {
        let mut robot = one_joint("continuous", "");
        let joint = &mut robot.joints[0];
        let (stiffness, damping) = (1e7, 5e5);
        joint.motor = Some(Motor::Position { target: 0.0, stiffness, damping, max_force: Some(3120.0) });
        joint.max_speed = Some(10.0);
        (robot.configuration, robot.velocities) = (vec![-0.49], vec![speed]);
        let mut world = world_of(robot, WorldOptions { time_step: 1.0 / 480.0, ..weightless() });
        while world.time() < 1.0 {
            let report = world.step().unwrap();
            let (time, now) = (world.time(), state(&world));
            let solves = report.robots.unwrap_or_default().solves;
            assert!(solves <= 3, "from {speed}: {solves} solves at {time}");
            assert!(now.velocities["j"].abs() < 10.1, "from {speed}: {now:?} at {time}");
        }
        let left = state(&world).joints["j"];
        assert!(left.abs() < 1e-6, "from {speed}: {left}");
    }
}

#[test]
fn motors_follow_targets_over_time_until_they_are_changed() {
    let curve = TargetCurve::new(vec![[0.0, 0.0], [0.5, 1.0], [1.0, 1.0], [1.5, -0.5]]).unwrap();
    for velocity in [false, true] {
        let mut robot = one_joint("continuous", "");
        robot.joints[0].motor = Some(match velocity {
            true => Motor::Velocity { target: 0.0, damping: 1e4, max_force: None },
            false => Motor::Position { target: 0.0, stiffness: 1e4, damping: 2e2, max_force: None },
        });
        robot.joints[0].targets = Some(Arc::new(curve.clone()));
        let mut world = world_of(robot.clone(), weightless());
        let mut worst = 0.0_f64;
        follow(&mut world, 1.0, |t, q, v| {
            let found = if velocity { v } else { q };
            worst = worst.max((found - curve.at(t)[0]).abs());
        });
        assert!(worst < 0.01, "{worst}");
        // A checkpoint continues alike, along the curve, and without it where the target was set.
        for sets in [false, true] {
            if sets {
                world.set_motor_target("r", "j", 0.25).unwrap();
            }
            let mut resumed = world_of(robot.clone(), weightless());
            resumed.restore(&world.checkpoint().unwrap()).unwrap();
            for _ in 0..100 {
                world.step().unwrap();
                resumed.step().unwrap();
                assert_eq!((state(&world), world.hash()), (state(&resumed), resumed.hash()));
            }
        }
        follow(&mut world, 3.0, |_, _, _| {});
        let now = state(&world);
        let found = if velocity { now.velocities["j"] } else { now.joints["j"] };
        assert!((found - 0.25).abs() < 1e-6, "{now:?}");
    }
}

#[test]
fn a_load_on_a_spring_swings_as_its_closed_form() {
    // ω² = k / I = 16 / s² of an inertia of 0.5 kg·m², and k / m = 4 / s² of 2 kg.
    for (kind, rate) in [("continuous", 4.0_f64), ("prismatic", 2.0)] {
        let mut robot = one_joint(kind, r#"<limit lower="-9" upper="9" effort="0" velocity="0"/>"#);
        robot.joints[0].spring = Some(JointSpring { stiffness: 8.0, rest: 0.1 });
        robot.configuration = vec![0.4];
        let mut world = world_of(robot, weightless());
        for _ in 0..2000 {
            world.step().unwrap();
            let expected = 0.1 + 0.3 * (rate * world.time()).cos();
            let found = state(&world).joints["j"];
            assert!((found - expected).abs() < 1e-3, "{kind}, {} s: {found} {expected}", world.time());
            let energy = world.energy();
            assert!((energy.total() - 0.5 * 8.0 * 0.09).abs() < 1e-4, "{kind}: {energy:?}");
        }
    }
}

#[test]
fn forces_within_a_joint_balance_its_load() {
    // A pendulum that hangs at an angle: motor, friction or a limit bear m g l sin q, with the arm along x at q = 0.
    let weight = |q: f64| 0.1 * 9.81 * 0.05 * q.cos();
    let of = |robot: RobotDescription| {
        let mut world = world_of(robot, WorldOptions::default());
        for _ in 0..1500 {
            world.step().unwrap();
        }
        let now = state(&world);
        (now.joints["j1"], now.efforts["j1"])
    };
    let spring = Motor::Position { target: 0.0, stiffness: 0.2, damping: 0.02, max_force: None };
    let (q, efforts) = of(pendulum(spring, 0.0));
    assert!(q > 0.1 && (efforts.motor + weight(q)).abs() < 1e-9, "{q}: {efforts:?}");
    let mut sprung = chain(1);
    sprung.joints[0].spring = Some(JointSpring { stiffness: 0.2, rest: -0.1 });
    sprung.joints[0].damping = 0.02;
    let (q, efforts) = of(sprung);
    assert!((efforts.friction + weight(q)).abs() < 1e-9 && efforts.motor == 0.0, "{q}: {efforts:?}");
    assert!((0.2 * (-0.1 - q) + weight(q)).abs() < 1e-9, "{q}");
    let mut stuck = chain(1);
    stuck.configuration = vec![0.7];
    stuck.joints[0].friction = 0.1;
    let (q, efforts) = of(stuck);
    assert!((efforts.friction + weight(q)).abs() < 1e-9 && efforts.motor == 0.0, "{q}: {efforts:?}");
    let text = r#"<robot name="r"><link name="base"/><link name="l1"><inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
<inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><axis xyz="0 1 0"/><limit lower="-1" upper="0.4" velocity="0"/></joint></robot>"#;
    let (q, efforts) = of(described(text));
    assert!((q - 0.4).abs() < 1e-3, "{q}");
    // Weight is taken where the free motion of a step has its middle, 1.4e-4 rad farther.
    assert!((efforts.limit + weight(q)).abs() < 1e-4 * weight(q), "{q}: {efforts:?}");
}
