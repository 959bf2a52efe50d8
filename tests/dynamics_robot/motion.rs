//! Free motion: pendulums, chains and robots that float, their energy and momentum.

use std::f64::consts::PI;

use extricate::dynamics::{Accuracy, Motor, Reading, RobotBase, Sensor, SensorKind, World, WorldOptions};
use nalgebra::{Isometry3, Vector3};

use super::{chain, described, state, weightless, world_of};

/// A link of 0.5 kg, its centre of mass 0.3 m along x and `y` \[m\] off.
fn spun_link(name: &str, y: &str) -> String {
    format!(
        r#"<link name="{name}"><inertial><origin xyz="0.3 {y} 0"/><mass value="0.5"/>
<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.005"/></inertial></link>"#
    )
}

#[test]
fn a_robot_that_spins_with_a_joint_at_its_limit_gains_no_energy() {
    let link = |name| spun_link(name, "0.1");
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
        let (energy, momentum) = (world.energy().total(), world.momentum());
        let gain = energy_gain(&mut world, 1.0);
        let after = world.momentum();
        let [linear, angular] = [after.linear - momentum.linear, after.angular - momentum.angular];
        // At 20 rad/s impulses act at the end of the step, where the links are by then.
        assert!(spin < 10.0 || linear.norm() < 1e-6 * momentum.linear.norm(), "{linear} of {momentum:?}");
        assert!(angular.norm() < 0.01 * momentum.angular.norm(), "{angular} of {momentum:?}");
        assert!(gain < 1e-4 * energy, "{spin} rad/s: {gain} J of {energy} J");
        assert!(world.energy().total() > 0.98 * energy, "{spin} rad/s: {:?} of {energy} J", world.energy());
        assert!(state(&world).joints["j"].abs() < 1e-6);
    }
}

#[test]
fn a_stiff_motor_does_not_brake_the_other_joints() {
    // A weightless robot spins with one joint held, while the next one swings in the centrifugal field.
    let link = |name| spun_link(name, "0");
    let text = format!(
        r#"<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>{}{}
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/></joint></robot>"#,
        link("b"),
        link("c")
    );
    let mut robot = described(&text);
    robot.base = RobotBase::Floating;
    robot.angular_velocity = Vector3::z() * 10.0;
    robot.configuration = vec![0.0, 1.0];
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 1e6, damping: 1e4, max_force: None });
    let mut world = world_of(robot, WorldOptions { time_step: 1.0 / 480.0, ..weightless() });
    let start = world.energy().total();
    let gain = energy_gain(&mut world, 1.0);
    let lost = start - world.energy().total();
    assert!(gain < 1e-3 * start && lost < 0.01 * start, "{gain} J gained, {lost} J lost of {start} J");
    assert!(state(&world).joints["j"].abs() < 1e-3);
}

#[test]
fn a_robot_that_whirls_with_joints_that_mimic_others_keeps_its_energy() {
    let link = |name| spun_link(name, "0.05");
    let text = format!(
        r#"<robot name="r"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>{}{}{}
<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0.4 0 0.1"/><axis xyz="0 0 1"/><mimic joint="j" multiplier="-0.7"/></joint>
<joint name="l" type="continuous"><parent link="a"/><child link="d"/><origin xyz="-0.1 0 0" rpy="0 0 3"/><axis xyz="0 1 0"/><mimic joint="j" multiplier="0.5"/></joint></robot>"#,
        link("b"),
        link("c"),
        link("d")
    );
    let mut robot = described(&text);
    robot.base = RobotBase::Floating;
    robot.self_collision = false;
    robot.angular_velocity = Vector3::new(3.0, 2.0, 15.0);
    robot.configuration = vec![0.8];
    robot.velocities = vec![10.0];
    let mut world = world_of(robot, WorldOptions { time_step: 1.0 / 480.0, ..weightless() });
    let start = world.energy().total();
    let gain = energy_gain(&mut world, 2.0);
    let lost = start - world.energy().total();
    assert!(gain < 1e-3 * start && lost < 1e-3 * start, "{gain} J gained, {lost} J lost of {start} J");
    let joints = state(&world).joints;
    assert!((joints["k"] + 0.7 * joints["j"]).abs() < 1e-9 && (joints["l"] - 0.5 * joints["j"]).abs() < 1e-9);
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
fn a_free_link_of_a_light_one_that_a_strong_motor_holds_at_its_limit_moves_straight_ahead() {
    // Without the limit the motor would rotate the light link by 0.8 rad in a step.
    let text = r#"<robot name="r"><link name="base"/><link name="light"><inertial><mass value="0.2"/><inertia ixx="2e-4" ixy="0" ixz="0" iyy="2e-4" iyz="0" izz="2e-4"/></inertial></link>
<link name="free"><inertial><mass value="0.8"/><inertia ixx="4e-4" ixy="0" ixz="0" iyy="4e-4" iyz="0" izz="4e-4"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="light"/><axis xyz="0 0 1"/><limit lower="-0.1" upper="0" effort="80" velocity="0"/></joint>
<joint name="k" type="floating"><parent link="light"/><child link="free"/><origin xyz="0.1 0 0"/></joint></robot>"#;
    for velocity in [0.0, 1.5, -0.5] {
        let mut robot = described(text);
        robot.joints[0].motor = Some(Motor::Effort { target: 70.0, max_force: None });
        robot.velocities[1] = velocity;
        robot.sensors = vec![Sensor {
            name: "f".into(),
            kind: SensorKind::Frame { link: "free".into(), frame: Isometry3::identity() },
        }];
        let mut world = world_of(robot, weightless());
        let start = world.energy().total();
        while world.time() < 0.5 - 1e-9 {
            world.step().unwrap();
            let now = state(&world);
            let Reading::Frame { pose, .. } = now.sensors["f"] else { panic!("{now:?}") };
            let wanted = Vector3::new(0.1 + velocity * world.time(), 0.0, 0.0);
            assert!((pose.translation.vector - wanted).norm() < 1e-6, "{velocity}: {pose} for {wanted}");
            let efforts = now.efforts["j"];
            assert!(
                (efforts.motor - 70.0).abs() < 1e-6 && (efforts.limit + 70.0).abs() < 1e-3,
                "{efforts:?}"
            );
            assert!(now.joints["j"].abs() < 1e-6, "{now:?}");
        }
        assert!((world.energy().total() - start).abs() < 1e-6, "{velocity}");
    }
}
