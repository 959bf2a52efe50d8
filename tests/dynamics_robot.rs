//! Robots against closed forms: pendulums, motors, damping, friction, efforts, limits, and properties in common with bodies.
#![allow(clippy::unwrap_used, reason = "a robot that cannot be built is a failed test")]

use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::path::Path;

use extricate::dynamics::{
    Accuracy, BodyDescription, BodyKind, BuildError, Motor, RobotBase, RobotDescription, RobotJoint,
    RobotState, Shape, World, WorldOptions,
};
use extricate::kinematics::urdf::{UrdfOptions, parse_urdf};
use extricate::proximity::AllowedReason;
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
fn a_position_motor_moves_an_inertia_as_a_damped_oscillator() {
    // I q̈ = k (target − q) − c q̇, underdamped.
    let (stiffness, damping, target) = (50.0_f64, 2.0_f64, 0.7_f64);
    for (kind, inertia) in [("continuous", 0.5_f64), ("prismatic", 2.0)] {
        let limit = r#"<limit lower="-9" upper="9" velocity="0"/>"#;
        let mut robot = one_joint(kind, if kind == "prismatic" { limit } else { "" });
        robot.joints[0].motor = Some(Motor::Position { target, stiffness, damping, max_force: None });
        let mut world = world_of(robot, weightless());
        let decay = damping / (2.0 * inertia);
        let ring = (stiffness / inertia - decay * decay).sqrt();
        let mut worst = 0.0_f64;
        follow(&mut world, 2.0, |t, q, _| {
            let exact =
                target * (1.0 - (-decay * t).exp() * ((ring * t).cos() + decay / ring * (ring * t).sin()));
            worst = worst.max((q - exact).abs());
        });
        assert!(worst < 0.01 * target, "{kind}: {worst}");
    }
}

#[test]
fn damping_slows_a_joint_as_an_exponential() {
    let mut robot = one_joint("continuous", r#"<dynamics damping="0.8"/>"#);
    assert_eq!(robot.joints[0], RobotJoint { damping: 0.8, ..RobotJoint::default() });
    robot.velocities = vec![3.0];
    let mut world = world_of(robot, weightless());
    assert!((world.energy().kinetic - 0.5 * 0.5 * 9.0).abs() < 1e-12, "{:?}", world.energy());
    follow(&mut world, 2.0, |t, q, v| {
        let exact = 3.0 * (-0.8 * t / 0.5_f64).exp();
        assert!((v - exact).abs() < 1e-3 * 3.0, "at {t}: {v}, not {exact}");
        let travel = 3.0 * 0.5 / 0.8 * (1.0 - (-0.8 * t / 0.5_f64).exp());
        assert!((q - travel).abs() < 2e-3, "at {t}: {q}, not {travel}");
    });
}

#[test]
fn an_effort_is_the_max_force_of_a_motor() {
    // Far from its target the motor accelerates with its effort, 1.5 N·m / 0.5 kg·m².
    let mut robot = one_joint("revolute", r#"<limit lower="-99" upper="99" effort="1.5" velocity="0"/>"#);
    robot.joints[0].motor =
        Some(Motor::Position { target: 50.0, stiffness: 1e3, damping: 10.0, max_force: None });
    let mut world = world_of(robot.clone(), weightless());
    follow(&mut world, 1.0, |t, q, v| {
        assert!((v - 3.0 * t).abs() < 1e-8, "at {t}: {v}");
        assert!((q - 1.5 * t * t).abs() < 1.5 * t / 240.0, "at {t}: {q}");
    });
    // Against the weight of 2 kg it holds no more than it can.
    let mut lift = one_joint("prismatic", r#"<limit lower="-9" upper="9" effort="15" velocity="0"/>"#);
    lift.joints[0].motor =
        Some(Motor::Position { target: 1.0, stiffness: 1e4, damping: 1e2, max_force: None });
    // Where it starts at its target, it bears nothing before the first step.
    let mut at_target = lift.clone();
    at_target.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 1e6, damping: 1e4, max_force: None });
    for robot in [lift, at_target] {
        let mut world = world_of(robot, WorldOptions::default());
        follow(&mut world, 0.5, |t, _, v| {
            let exact = (15.0 / 2.0 - 9.81) * t;
            assert!((v - exact).abs() < 1e-6, "at {t}: {v}, not {exact}");
        });
    }
}

#[test]
fn a_stiff_motor_with_a_bounded_force_settles_at_its_target() {
    for stiffness in [1e2, 1e4, 1e6] {
        let mut robot = one_joint("continuous", "");
        // Meanwhile it brakes where it would need 0.2 s at its speed: softer, and a bounded motor swings for long.
        let damping = 0.2 * stiffness;
        let motor = Motor::Position { target: 0.3, stiffness, damping, max_force: Some(4.0) };
        robot.joints[0].motor = Some(motor);
        let mut world = world_of(robot, weightless());
        follow(&mut world, 4.0, |_, _, _| {});
        let now = state(&world);
        assert!((now.joints["j"] - 0.3).abs() < 1e-4, "{stiffness}: {now:?}");
        assert!(now.velocities["j"].abs() < 1e-4, "{stiffness}: {now:?}");
    }
}

/// A palm of 0.1 kg that floats, with a finger of three links of 10 g, whose motors are far stiffer than their bound of 15 N·m.
fn finger() -> RobotDescription {
    let mut text = String::from(
        r#"<robot name="r"><link name="l0"><inertial><mass value="0.1"/>
<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
<collision><geometry><box size="0.06 0.06 0.02"/></geometry></collision></link>"#,
    );
    for i in 1..=3 {
        text += &format!(
            r#"<link name="l{i}"><inertial><origin xyz="0.02 0 0"/><mass value="0.01"/>
<inertia ixx="1e-6" ixy="0" ixz="0" iyy="2e-6" iyz="0" izz="2e-6"/></inertial>
<collision><origin xyz="0.02 0 0"/><geometry><box size="0.03 0.01 0.01"/></geometry></collision></link>
<joint name="j{i}" type="continuous"><origin xyz="0.04 0 0"/><parent link="l{}"/><child link="l{i}"/><axis xyz="0 1 0"/></joint>"#,
            i - 1
        );
    }
    let mut robot = described(&(text + "</robot>"));
    robot.base = RobotBase::Floating;
    for joint in &mut robot.joints {
        let motor = Motor::Position { target: 0.0, stiffness: 2e3, damping: 100.0, max_force: Some(15.0) };
        joint.motor = Some(motor);
    }
    robot
}

#[test]
fn light_links_on_a_light_base_come_to_rest_between_motors_far_stiffer_than_their_bounds() {
    let mut robot = finger();
    robot.pose = Isometry3::translation(0.0, 0.0, 0.1);
    robot.velocities = vec![8.0, -9.0, 7.0];
    let mut builder = World::builder(WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() });
    let ground = Shape::half_space();
    builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity())).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    let fastest = |world: &World| state(world).velocities.values().fold(0.0_f64, |v, w| v.max(w.abs()));
    while world.time() < 1.0 {
        world.step().unwrap();
        assert!(fastest(&world) < 20.0, "at {}: {:?}", world.time(), state(&world));
    }
    assert!(fastest(&world) < 1e-3, "{:?}", state(&world));
}

#[test]
fn a_robot_that_spins_with_a_joint_at_its_limit_gains_no_energy() {
    let link = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0.3 0.1 0"/><mass value="0.5"/>
<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.005"/></inertial></link>"#
        )
    };
    // The centrifugal force holds the first joint at its limit; the second one swings.
    let text = format!(
        r#"<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>{}{}
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="0" effort="10" velocity="200"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0.1"/><axis xyz="0 1 0"/>
<limit lower="-0.5" upper="0.5" effort="10" velocity="200"/></joint></robot>"#,
        link("b"),
        link("c")
    );
    for spin in [5.0, 20.0] {
        let mut robot = described(&text);
        robot.base = RobotBase::Floating;
        robot.angular_velocity = Vector3::new(0.15, 0.05, 1.0) * spin;
        let options = WorldOptions { time_step: 1.0 / 480.0, ..weightless() };
        let mut world = world_of(robot, options);
        let energy = world.energy().total();
        let gain = energy_gain(&mut world, 1.0);
        assert!(gain < 1e-4 * energy, "{spin} rad/s: {gain} J of {energy} J");
        assert!(world.energy().total() > 0.98 * energy, "{spin} rad/s: {:?} of {energy} J", world.energy());
        assert!(state(&world).joints["j"].abs() < 1e-6);
    }
}

#[test]
fn links_that_overlap_where_joints_hardly_let_them_part_are_not_thrown() {
    // The ball of the tip is 5 mm within that of the base, straight below its hinge but for a tenth of a millimetre: to push it out, the
    // hinge would have to rotate by radians in a step, against its motor.
    let ball = |at: f64, radius: f64| {
        format!(
            r#"<collision><origin xyz="0 0 {at}"/><geometry><sphere radius="{radius}"/></geometry></collision>"#
        )
    };
    let link = |name: &str, balls: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="0.5"/>
<inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>{balls}</link>"#
        )
    };
    let text = format!(
        r#"<robot name="r">{}{}{}
<joint name="j" type="continuous"><parent link="base"/><child link="middle"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="continuous"><parent link="middle"/><child link="tip"/><origin xyz="0.0001 0 0.15"/><axis xyz="0 1 0"/></joint></robot>"#,
        link("base", &ball(0.0, 0.045)),
        link("middle", &ball(0.3, 0.02)),
        link("tip", &ball(-0.1, 0.01)),
    );
    let mut robot = described(&text);
    robot.base = RobotBase::Floating;
    robot.friction = 0.0;
    for joint in &mut robot.joints {
        joint.motor =
            Some(Motor::Position { target: 0.0, stiffness: 2e3, damping: 100.0, max_force: Some(40.0) });
    }
    let mut world = world_of(robot, weightless());
    let mut deepest = 0.0_f64;
    while world.time() < 0.5 {
        let report = world.step().unwrap();
        deepest = deepest.max(report.max_penetration);
        assert!(report.max_speed < 0.5, "{} m/s at {}", report.max_speed, world.time());
        let angle = state(&world).joints["k"];
        assert!(angle.abs() < 0.01, "{angle} rad at {}", world.time());
    }
    assert!(deepest > 1e-3, "they do not touch: {deepest} m");
}

#[test]
fn a_motor_does_not_drive_beyond_the_max_speed() {
    let mut robot = one_joint("revolute", r#"<limit lower="-99" upper="99" effort="20" velocity="2"/>"#);
    robot.joints[0].motor =
        Some(Motor::Position { target: 3.0, stiffness: 100.0, damping: 14.0, max_force: None });
    let mut world = world_of(robot, weightless());
    let mut fastest = 0.0_f64;
    follow(&mut world, 6.0, |_, _, v| fastest = fastest.max(v));
    assert!((fastest - 2.0).abs() < 1e-3, "{fastest}");
    assert!((state(&world).joints["j"] - 3.0).abs() < 1e-3);
}

#[test]
fn coulomb_friction_stops_a_joint_and_holds_it_up_to_its_bound() {
    // 0.6 N·m slow 0.5 kg·m² down by 1.2 rad/s².
    let mut robot = one_joint("continuous", r#"<dynamics friction="0.6"/>"#);
    robot.velocities = vec![3.0];
    let mut world = world_of(robot, weightless());
    follow(&mut world, 4.0, |t, q, v| {
        let s = t.min(2.5);
        assert!((v - (3.0 - 1.2 * s)).abs() < 6e-3, "at {t}: {v}");
        assert!((q - (3.0 * s - 0.6 * s * s)).abs() < 1e-2, "at {t}: {q}");
    });
    // An upright slide of 2 kg: 19.62 N pull.
    for (friction, slides) in [(21.0, false), (18.0, true)] {
        let limit = r#"<limit lower="-99" upper="99" velocity="0"/>"#;
        let text = format!(r#"{limit}<dynamics friction="{friction}"/>"#);
        let mut world = world_of(one_joint("prismatic", &text), WorldOptions::default());
        follow(&mut world, 2.0, |_, _, _| {});
        let travel = state(&world).joints["j"];
        if slides {
            let exact = -0.5 * (9.81 - 9.0) * 4.0;
            assert!((travel - exact).abs() < 0.01, "{travel}, not {exact}");
        } else {
            assert!(travel.abs() < 5e-4, "it creeps: {travel}");
        }
    }
}

#[test]
fn limits_stop_a_joint_and_bear_its_load() {
    // A rod of 1 m falls from the horizontal onto a limit at 30° below it, and a slide of 2 kg onto one at 0.2 m.
    let limits = r#"<limit lower="-3" upper="0.5235987755982988" effort="0" velocity="0"/>"#;
    let text = format!(
        r#"<robot name="r"><link name="base"/><link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="3"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.25" iyz="0" izz="0.25"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{limits}</joint></robot>"#
    );
    let mut world = world_of(described(&text), WorldOptions::default());
    let mut farthest = 0.0_f64;
    follow(&mut world, 3.0, |_, q, _| farthest = farthest.max(q));
    let over = (farthest - PI / 6.0).to_degrees();
    assert!(over < 0.5, "{over}° beyond the limit");
    let now = state(&world);
    assert!((now.joints["j"] - PI / 6.0).abs() < 1e-4 && now.velocities["j"].abs() < 1e-4, "{now:?}");
    let slide = one_joint("prismatic", r#"<limit lower="-0.2" upper="1" effort="0" velocity="0"/>"#);
    let mut world = world_of(slide, WorldOptions::default());
    let mut lowest = 0.0_f64;
    follow(&mut world, 2.0, |_, q, _| lowest = lowest.min(q));
    assert!(-0.2 - lowest < 1e-3, "{lowest}");
    assert!((state(&world).joints["j"] + 0.2).abs() < 1e-5);
}

/// Angle of each joint under which its motor's spring balances the weight beyond it.
fn worst_imbalance(world: &World, links: usize, stiffness: f64) -> f64 {
    let state = world.robot("r").unwrap();
    let angles: Vec<f64> = (1..=links).map(|i| state.joints[&format!("j{i}")]).collect();
    let (mut x, mut total_angle) = (vec![0.0], 0.0);
    let mut centers = Vec::new();
    for angle in &angles {
        total_angle += angle;
        let start = *x.last().unwrap();
        centers.push(start + 0.05 * total_angle.cos());
        x.push(start + 0.1 * total_angle.cos());
    }
    let moment = |i: usize| centers[i..].iter().map(|c| 0.1 * 9.81 * (c - x[i])).sum::<f64>();
    (0..links).map(|i| (stiffness * angles[i] - moment(i)).abs()).fold(0.0, f64::max) / moment(0)
}

#[test]
fn motors_in_series_hold_a_beam_to_rounding() {
    let (links, stiffness) = (20, 5e3);
    let mut robot = chain(links);
    for joint in &mut robot.joints {
        joint.motor = Some(Motor::Position { target: 0.0, stiffness, damping: 500.0, max_force: None });
    }
    let options = WorldOptions { accuracy: Accuracy::Preview, ..WorldOptions::default() };
    let mut world = world_of(robot, options);
    while world.time() < 4.0 {
        world.step().unwrap();
    }
    let worst = worst_imbalance(&world, links, stiffness);
    assert!(worst < 1e-6, "{worst} of the maximum moment");
}

#[test]
fn limits_in_series_hold_a_beam() {
    let links = 20;
    let mut text = chain(links);
    let joints = text.articulation.joints().iter().map(|joint| joint.clone().within([-0.02, 0.02])).collect();
    text.articulation =
        extricate::kinematics::Articulation::new(text.articulation.links().to_vec(), joints).unwrap();
    let options = WorldOptions { accuracy: Accuracy::Preview, ..WorldOptions::default() };
    let mut world = world_of(text, options);
    while world.time() < 3.0 {
        world.step().unwrap();
        if world.time() > 2.0 {
            let worst = state(&world).joints.values().fold(0.0_f64, |worst, q| worst.max(q.abs()));
            assert!((worst - 0.02).to_degrees() < 0.5, "{}° beyond the limits", (worst - 0.02).to_degrees());
        }
    }
}

#[test]
fn a_pendulum_of_two_links_swings_as_its_equations_say() {
    // Angles to the horizontal θ, M(θ) θ̈ = f, by Runge–Kutta.
    let (m, l, g, inertia) = (0.1, 0.1, 9.81, 0.1 * 0.01 / 12.0);
    let rates = |y: &[f64; 4]| {
        let [a, b, u, v] = *y;
        let (c, s) = ((a - b).cos(), (a - b).sin());
        let (m11, m12, m22) = (1.25 * m * l * l + inertia, 0.5 * m * l * l * c, 0.25 * m * l * l + inertia);
        let f1 = 1.5 * m * g * l * a.cos() - 0.5 * m * l * l * s * v * v;
        let f2 = 0.5 * m * g * l * b.cos() + 0.5 * m * l * l * s * u * u;
        let det = m11 * m22 - m12 * m12;
        [u, v, (f1 * m22 - f2 * m12) / det, (f2 * m11 - f1 * m12) / det]
    };
    let mut robot = chain(2);
    robot.configuration = vec![1.0, 0.3];
    let mut world = world_of(robot, WorldOptions::default());
    let mut y = [1.0, 1.3, 0.0, 0.0];
    let add = |y: &[f64; 4], k: &[f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| y[i] + h * k[i]) };
    let mut worst = 0.0_f64;
    while world.time() < 1.0 {
        world.step().unwrap();
        for _ in 0..20 {
            let h = world.options().time_step / 20.0;
            let k1 = rates(&y);
            let k2 = rates(&add(&y, &k1, h / 2.0));
            let k3 = rates(&add(&y, &k2, h / 2.0));
            let k4 = rates(&add(&y, &k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        let now = state(&world);
        let [a, b] = [now.joints["j1"], now.joints["j1"] + now.joints["j2"]];
        worst = worst.max((a - y[0]).abs()).max((b - y[1]).abs());
    }
    assert!(worst < 0.03, "{worst} rad");
}

#[test]
fn a_floating_robot_keeps_its_momentum_and_its_centre_goes_straight() {
    let text = r#"<robot name="r">
<link name="hub"><inertial><origin xyz="0.3 0.1 0"/><mass value="2"/><inertia ixx="0.1" ixy="0.01" ixz="0" iyy="0.2" iyz="0" izz="0.25"/></inertial></link>
<link name="arm"><inertial><origin xyz="0 0 0.4"/><mass value="1"/><inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial></link>
<joint name="j" type="continuous"><origin xyz="0.5 0 0.1" rpy="0.2 0.3 0"/><parent link="hub"/><child link="arm"/><axis xyz="1 1 0"/></joint></robot>"#;
    let mut robot = described(text);
    robot.base = RobotBase::Floating;
    robot.pose = Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -0.2, 0.5));
    robot.linear_velocity = Vector3::new(0.2, 0.0, -0.1);
    robot.angular_velocity = Vector3::new(0.5, 1.0, 2.0);
    robot.velocities = vec![1.5];
    let mut world = world_of(robot, weightless());
    let (before, energy) = (world.momentum(), world.energy().total());
    assert!(before.linear.norm() > 0.1 && energy > 0.1, "{before:?} {energy}");
    for _ in 0..480 {
        world.step().unwrap();
    }
    let after = world.momentum();
    let linear = (after.linear - before.linear).norm() / before.linear.norm();
    let angular = (after.angular - before.angular).norm() / before.angular.norm();
    assert!(linear < 1e-2 && angular < 1e-2, "linear {linear} angular {angular}");
    let drift = (world.energy().total() - energy).abs() / energy;
    assert!(drift < 2e-2, "energy {drift}");
}

#[test]
fn a_joint_that_mimics_follows_the_other() {
    let text = r#"<robot name="r"><link name="base"/>
<link name="left"><inertial><mass value="0.2"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
<link name="right"><inertial><mass value="0.3"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="base"/><child link="left"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="20" velocity="0"/></joint>
<joint name="other" type="prismatic"><parent link="base"/><child link="right"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.3" effort="20" velocity="0"/><mimic joint="grip" multiplier="2" offset="0.01"/></joint></robot>"#;
    let mut robot = described(text);
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.06, stiffness: 500.0, damping: 40.0, max_force: None });
    let mut world = world_of(robot, WorldOptions::default());
    let mut worst = 0.0_f64;
    for _ in 0..480 {
        world.step().unwrap();
        let joints: BTreeMap<_, _> = state(&world).joints;
        worst = worst.max((joints["other"] - 2.0 * joints["grip"] - 0.01).abs());
    }
    assert!((state(&world).joints["grip"] - 0.06).abs() < 1e-4, "{:?}", state(&world).joints);
    assert!(worst < 1e-4, "{worst} m");
}

#[test]
fn a_motor_far_stiffer_than_its_bound_moves_no_farther_in_a_step_than_the_bound_allows() {
    let mut robot = one_joint("continuous", "");
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.3, stiffness: 1e9, damping: 2e8, max_force: Some(4.0) });
    let mut world = world_of(robot, weightless());
    follow(&mut world, 3.0, |t, q, _| {
        assert!(t < 2.0 || (q - 0.3).abs() < 4.0 / 0.5 / 240.0_f64.powi(2), "at {t}: {q}");
    });
}

#[test]
fn motors_are_changed_by_name_and_refused_with_the_cause() {
    let mut world = world_of(one_joint("continuous", ""), weightless());
    let spin = Motor::Velocity { target: 2.0, damping: 5.0, max_force: None };
    let message = |result: Result<(), BuildError>| result.unwrap_err().to_string();
    assert_eq!(message(world.set_motor("x", "j", Some(spin))), "there is no robot `x`");
    assert!(message(world.set_motor("r", "k", Some(spin))).contains("no joint `k` that moves of itself"));
    assert!(message(world.set_motor_target("r", "j", 1.0)).contains("has no motor"));
    world.set_motor("r", "j", Some(spin)).unwrap();
    assert!(message(world.set_motor_target("r", "j", f64::NAN)).contains("the target of the motor is NaN"));
    world.set_motor_target("r", "j", 3.0).unwrap();
    // ω = 3 (1 − exp(−c t / I)).
    follow(&mut world, 1.0, |_, _, _| {});
    assert!((state(&world).velocities["j"] - 3.0 * (1.0 - (-10.0_f64).exp())).abs() < 1e-3);
    let total_angle = state(&world).joints["j"];
    follow(&mut world, 4.0, |_, _, _| {});
    assert!((state(&world).joints["j"] - total_angle - 9.0).abs() < 0.01, "revolutions are counted");
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

#[test]
fn links_push_one_another_unless_they_are_allowed_to_collide() {
    let slide = |name: &str, x: f64| {
        format!(
            r#"<link name="{name}"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="j_{name}" type="prismatic"><origin xyz="{x} 0 0"/><parent link="rail"/><child link="{name}"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="0" velocity="0"/></joint>"#
        )
    };
    let text =
        format!(r#"<robot name="r"><link name="rail"/>{}{}</robot>"#, slide("a", 0.0), slide("b", 0.3));
    for allowed in [false, true] {
        let mut robot = described(&text);
        let a = robot.joint("j_a").unwrap();
        robot.joints[a].motor = Some(Motor::Velocity { target: 0.5, damping: 100.0, max_force: None });
        if allowed {
            robot.allowed = vec![["b".into(), "a".into()]];
        }
        let mut world = world_of(robot, weightless());
        let expected: &[_] = if allowed { &[AllowedReason::Given] } else { &[] };
        let reasons = world.allowed_collisions("r").unwrap().iter().map(|pair| pair.because);
        assert_eq!(reasons.collect::<Vec<_>>(), expected);
        while world.time() < 1.5 {
            world.step().unwrap();
        }
        let joints = state(&world).joints;
        if allowed {
            assert!(joints["j_a"] > 0.7 && joints["j_b"].abs() < 1e-9, "{joints:?}");
        } else {
            let gap = 0.3 + joints["j_b"] - joints["j_a"] - 0.1;
            assert!(gap > -1e-3 && joints["j_b"] > 0.3, "gap {gap}: {joints:?}");
        }
    }
}

#[test]
fn a_floating_robot_falls_onto_the_ground_and_rests_there() {
    let text = r#"<robot name="r">
<link name="trunk"><collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision></link>
<link name="tail"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.2 0.1 0.06"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="0.2 0 0"/><parent link="trunk"/><child link="tail"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="0" velocity="0"/></joint></robot>"#;
    let mut robot = described(text);
    robot.base = RobotBase::Floating;
    robot.pose = Isometry3::translation(0.0, 0.0, 0.2);
    let mut builder = World::builder(WorldOptions::default());
    let ground = Shape::half_space();
    builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity())).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    while world.time() < 2.0 {
        world.step().unwrap();
    }
    let trunk = world.body("r/trunk").unwrap();
    assert!((trunk.position.z - 0.05).abs() < 1e-3, "{trunk:?}");
    assert!(trunk.linear_velocity.norm() < 1e-3, "{trunk:?}");
    // The tail, 0.25 m long and 0.06 m thick, hangs from the hinge at a height of 0.05 m and lies on the edge of its end.
    let angle = state(&world).joints["j"];
    let lowest = 0.05 - 0.25 * angle.sin() - 0.03 * angle.cos();
    assert!(lowest.abs() < 1e-3, "the end of the tail is at {lowest}, its angle {angle}");
}

/// Rise of the energy over a run \[J\].
fn energy_gain(world: &mut World, until: f64) -> f64 {
    let start = world.energy().total();
    let mut gain = 0.0_f64;
    while world.time() < until {
        let energy = world.step().unwrap().energy.total();
        assert!(energy.is_finite());
        gain = gain.max(energy - start);
    }
    gain
}

#[test]
fn a_chain_with_a_thousand_times_a_links_mass_at_its_end_swings_without_gaining_energy() {
    // Waves along it have 600 rad/s: 2.6 rad in a step of the preview.
    let mut robot = chain(60);
    let load = robot.links.last_mut().unwrap().inertial.as_mut().unwrap();
    load.mass *= 1000.0;
    load.inertia *= 1000.0;
    robot.configuration[0] = PI / 3.0;
    let mut world = world_of(robot, WorldOptions { accuracy: Accuracy::Preview, ..WorldOptions::default() });
    let gain = energy_gain(&mut world, 2.0);
    let fall = 100.0 * 9.81 * 6.0 * (1.0 - (PI / 3.0).sin());
    assert!(gain < 1e-6 * fall, "{gain} J of {fall} J");
}

#[test]
fn a_crumpled_chain_whips_and_gains_hardly_any_energy() {
    // Its end whips at up to a third of a radian in a step, where the midpoint rule has an error.
    let mut robot = chain(60);
    robot.configuration = (0..60).map(|i| 0.3 * (f64::from(i * 7919 % 101) / 50.0 - 1.0)).collect();
    let mut world = world_of(robot, WorldOptions::default());
    let gain = energy_gain(&mut world, 2.0);
    // Its weight times its length.
    let scale = 60.0 * 0.1 * 9.81 * 6.0;
    assert!(gain < 0.02 * scale, "{gain} J of {scale} J");
}

#[test]
fn the_impact_of_a_pendulum_runs_through_a_row_of_them_to_the_last() {
    let options = WorldOptions { time_step: 1.0 / 960.0, ..WorldOptions::default() };
    let mut builder = World::builder(options);
    for i in 0..5 {
        let text = r#"<robot name="r"><link name="hook"/><link name="ball"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/></inertial>
<collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="hook"/><child link="ball"/><axis xyz="0 1 0"/></joint></robot>"#;
        let mut robot = described(text);
        robot.name = format!("r{i}");
        robot.pose = Isometry3::translation(0.2 * f64::from(i), 0.0, 2.0);
        (robot.restitution, robot.friction) = (1.0, 0.0);
        if i == 0 {
            robot.configuration = vec![0.3];
        }
        builder.add_robot(robot).unwrap();
    }
    let mut world = builder.build().unwrap();
    // Half a period: down, and up on the other side.
    let period = 2.0 * PI * (1.004_f64 / 9.81).sqrt();
    let mut highest = [0.0_f64; 5];
    while world.time() < 0.55 * period {
        world.step().unwrap();
        if world.time() > 0.27 * period {
            for (i, highest) in highest.iter_mut().enumerate() {
                let angle = world.robot(&format!("r{i}")).unwrap().joints["j"];
                *highest = highest.max(angle.abs());
            }
        }
    }
    assert!((highest[4] - 0.3).abs() < 0.003, "{highest:?}");
    assert!(highest[..4].iter().all(|angle| *angle < 0.01), "{highest:?}");
}
