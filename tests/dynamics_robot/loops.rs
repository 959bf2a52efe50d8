//! Closed loops against closed forms: linkages of one freedom, energy and momentum of rings, loads, and loops that a file or a start leaves open.

use std::f64::consts::PI;
use std::path::Path;

use extricate::dynamics::{BodyDescription, BodyKind, Motor, RobotDescription, Shape, World, WorldOptions};
use extricate::kinematics::parse_robot;
use extricate::kinematics::urdf::UrdfOptions;
use nalgebra::Isometry3;

use super::motors::coupled_world_of;
use super::{state, weightless, world_of};

fn described(text: &str) -> RobotDescription {
    let robot = parse_robot(text, Path::new("robot.xml"), &UrdfOptions::default()).unwrap();
    RobotDescription::new("r", robot, Isometry3::identity())
}

/// Two hanging cranks of 0.5 m and 0.4 kg, 1 m apart, and a coupler of 1 kg between their tips, closed by `equality`; `halves` of the coupler hang on both cranks.
fn parallelogram(equality: &str, halves: bool) -> RobotDescription {
    let crank = r#"<inertial pos="0 0 -0.25" mass="0.4" diaginertia="0.01 0.01 0.001"/>"#;
    let half = |x: f64| format!(r#"<inertial pos="{x} 0 0" mass="0.5" diaginertia="0.001 0.02 0.02"/>"#);
    let whole = r#"<inertial pos="0.4 0 0.01" mass="1" diaginertia="0.001 0.09 0.09"/>"#.to_owned();
    let (left, right) = if halves {
        let right = format!(
            r#"<body name="right" pos="0 0 -0.5"><joint name="E" axis="0 1 0"/>{}</body>"#,
            half(-0.25)
        );
        (half(0.25), right)
    } else {
        (whole, String::new())
    };
    described(&format!(
        r#"<mujoco><compiler angle="radian"/><worldbody>
<body name="crank"><joint name="A" axis="0 1 0"/>{crank}
  <body name="coupler" pos="0 0 -0.5"><joint name="B" axis="0 1 0"/>{left}</body></body>
<body name="rocker" pos="1 0 0"><joint name="D" axis="0 1 0"/>{crank}{right}</body>
</worldbody><equality>{equality}</equality></mujoco>"#
    ))
}

/// The pin of the parallelogram.
const POINT: &str = r#"<connect name="C" body1="coupler" body2="rocker" anchor="1 0 0"/>"#;

/// The same with its crank at an angle and its loops closed.
fn parallelogram_at(start: f64, equality: &str, halves: bool) -> RobotDescription {
    let mut robot = parallelogram(equality, halves);
    robot.configuration[0] = start;
    robot.close_loops(&[0]).unwrap();
    robot
}

/// Angle of a pendulum of inertia I with the restoring moment w sin θ, after a time: 4th order, steps of 10 µs.
fn pendulum(inertia: f64, weight: f64, start: f64, time: f64) -> f64 {
    let count = (time / 1e-5).round();
    let (mut angle, mut speed) = (start, 0.0);
    let rate = |angle: f64| -weight / inertia * angle.sin();
    for _ in 0..count as usize {
        let h = time / count;
        let k1 = [speed, rate(angle)];
        let k2 = [speed + 0.5 * h * k1[1], rate(angle + 0.5 * h * k1[0])];
        let k3 = [speed + 0.5 * h * k2[1], rate(angle + 0.5 * h * k2[0])];
        let k4 = [speed + h * k3[1], rate(angle + h * k3[0])];
        angle += h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0]);
        speed += h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1]);
    }
    angle
}

#[test]
fn a_parallelogram_swings_as_the_pendulum_that_it_is() {
    // The coupler moves on a circle without rotating: 2 (0.01 + 0.4 · 0.25²) + 1 · 0.5² kg·m² and g (0.4 · 0.25 · 2 + 1 · 0.5) N·m.
    let (inertia, weight) = (0.32, 9.81 * 0.7);
    // Twice on the axis of the hinge: the second one is redundant.
    let hinge = r#"<connect name="C" body1="coupler" body2="rocker" anchor="1 0 0"/><connect name="D" body1="coupler" body2="rocker" anchor="1 0.1 0"/>"#;
    let weld = r#"<weld name="W" body1="coupler" body2="right"/>"#;
    for (equality, halves) in [(POINT, false), (hinge, false), (weld, true)] {
        let start = 1.0;
        let mut world = world_of(parallelogram_at(start, equality, halves), WorldOptions::default());
        let (h, energy) = (world.options().time_step, world.energy().total());
        let (mut largest, mut gap, mut gain) = (0.0_f64, 0.0_f64, 0.0_f64);
        for step in 1..=200 {
            world.step().unwrap();
            let joints = state(&world).joints;
            if step % 20 == 0 {
                let expected = pendulum(inertia, weight, start, h * f64::from(step));
                largest = largest.max((joints["A"] - expected).abs());
            }
            gap = gap.max((joints["A"] - joints["D"]).abs()).max((joints["A"] + joints["B"]).abs());
            gain = gain.max((world.energy().total() - energy).abs());
        }
        assert!(gap < 1e-12, "{equality}: {gap}");
        assert!(largest < 5e-5, "{equality}: {largest}");
        assert!(gain < 5e-6 * weight, "{equality}: {gain} J");
    }
}

/// Lengths of a crank, its coupler, the rocker and the ground between them [m]: the crank rotates all the way.
const LENGTHS: [f64; 4] = [0.3, 1.0, 0.8, 1.0];

/// A crank that is connected with a rocker, as its file has it: the loop is open. `shape` is that of the crank.
fn crank_and_rocker(shape: &str) -> RobotDescription {
    let [crank, coupler, rocker, ground] = LENGTHS;
    let body = |mass: f64, length: f64| {
        let inertia = mass * length * length / 12.0;
        format!(
            r#"<inertial pos="{} 0 0" mass="{mass}" diaginertia="1e-3 {inertia} {inertia}"/>"#,
            0.5 * length
        )
    };
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><worldbody>
<body name="crank"><joint name="A" axis="0 -1 0"/>{}{shape}
  <body name="coupler" pos="{crank} 0 0"><joint name="B" axis="0 -1 0"/>{}</body></body>
<body name="rocker" pos="{ground} 0 0"><joint name="D" axis="0 -1 0"/>{}</body>
</worldbody><equality><connect name="C" body1="coupler" body2="rocker" anchor="{coupler} 0 0"/></equality></mujoco>"#,
        body(0.5, crank),
        body(1.0, coupler),
        body(0.8, rocker)
    );
    // The file closes the loop at rest, where it is open: the frame on the rocker is its tip.
    let mut robot = described(&text);
    robot.closures[0].frames[1] = Isometry3::translation(rocker, 0.0, 0.0);
    robot.configuration = vec![1.0, -0.5, 1.8];
    robot
}

/// Difference of the angle of the rocker \[rad\] from what the geometry has for that of the crank.
fn rocker_error(world: &World) -> f64 {
    let [crank, coupler, rocker, ground] = LENGTHS;
    let joints = state(world).joints;
    // The tip of the crank, and the angle of the rocker whose tip is one coupler away from it.
    let (x, z) = (ground - crank * joints["A"].cos(), -crank * joints["A"].sin());
    let away = x.hypot(z);
    let inner = ((away * away + rocker * rocker - coupler * coupler) / (2.0 * away * rocker)).acos();
    let wrapped = (joints["D"] - (PI + z.atan2(x) - inner)).rem_euclid(2.0 * PI);
    wrapped.min(2.0 * PI - wrapped)
}

#[test]
fn a_crank_drives_a_rocker_as_its_geometry_says() {
    let mut robot = crank_and_rocker("");
    let mut open = World::builder(WorldOptions::default());
    let refused = open.add_robot(robot.clone()).map(drop).unwrap_err();
    assert!(refused.to_string().starts_with("robot `r`: loop \"C\" is open by"), "{refused}");
    robot.close_loops(&[0]).unwrap();
    let speed = 5.0;
    robot.joints[0].motor = Some(Motor::Velocity { target: speed, damping: 1e4, max_force: None });
    let mut world = world_of(robot, WorldOptions::default());
    let h = world.options().time_step;
    let (mut gap, mut work, mut balance, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut start: Option<f64> = None;
    for step in 0..600 {
        world.step().unwrap();
        let now = state(&world);
        gap = gap.max(rocker_error(&world));
        let energy = world.energy().total();
        if let Some(first) = start {
            work += h * now.efforts["A"].motor * now.velocities["A"];
            balance = balance.max((energy - first - work).abs());
            largest = largest.max(energy - first);
            assert!((now.velocities["A"] - speed).abs() < 0.01, "{}", now.velocities["A"]);
        } else if step == 5 {
            start = Some(energy);
        }
    }
    assert!(gap < 1e-9, "{gap}");
    assert!(balance < 0.01 * largest, "{balance} of {largest}");
}

/// A crank that makes half a turn in three steps: the free motion is divided into pieces.
#[test]
fn a_linkage_that_whirls_keeps_its_loop_closed_and_gains_no_energy() {
    let mut robot = crank_and_rocker("");
    robot.close_loops(&[0]).unwrap();
    robot.velocities[0] = 500.0;
    let mut world = world_of(robot, weightless());
    world.step().unwrap();
    let start = world.energy().total();
    let (mut gap, mut gain, mut fastest) = (0.0_f64, 0.0_f64, 0.0_f64);
    while world.time() < 2.0 {
        world.step().unwrap();
        gap = gap.max(rocker_error(&world));
        gain = gain.max(world.energy().total() / start - 1.0);
        fastest = fastest.max(state(&world).velocities["A"].abs());
    }
    assert!(gap < 1e-9, "{gap}");
    assert!(gain < 1e-3 && fastest > 100.0, "{gain} {fastest}");
}

/// Continuous collision detection moves the crank back to where it strikes a thin plate, within a step.
#[test]
fn a_linkage_that_is_stopped_within_a_step_keeps_its_loop_closed() {
    let mut robot = crank_and_rocker(r#"<geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.01"/>"#);
    robot.close_loops(&[0]).unwrap();
    robot.velocities[0] = 100.0;
    let mut builder = World::builder(weightless());
    let plate = Shape::cuboid(nalgebra::Vector3::new(0.05, 0.1, 0.001));
    let at = Isometry3::translation(-0.3, 0.0, 0.0);
    builder.add_body(BodyDescription::new("plate", BodyKind::Fixed, plate, at)).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    let (mut gap, mut farthest) = (0.0_f64, 0.0_f64);
    while world.time() < 0.2 {
        world.step().unwrap();
        gap = gap.max(rocker_error(&world));
        farthest = farthest.max(state(&world).joints["A"]);
    }
    assert!(gap < 1e-9, "{gap}");
    assert!(farthest > 3.0 && farthest < PI, "{farthest}");
}

#[test]
fn a_motor_bears_the_load_that_virtual_work_asks_for() {
    // A horizontal force balance of the parallelogram: the crank bears g (0.4 · 0.25 · 2 + 1 · 0.5) sin θ, whatever the loop.
    let mut robot = parallelogram_at(0.7, POINT, false);
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.7, stiffness: 1e4, damping: 1e3, max_force: None });
    let mut world = world_of(robot, WorldOptions::default());
    while world.time() < 3.0 {
        world.step().unwrap();
    }
    let now = state(&world);
    let expected = 9.81 * 0.7 * now.joints["A"].sin();
    assert!((now.efforts["A"].motor - expected).abs() < 1e-10, "{} {expected}", now.efforts["A"].motor);
    assert!(now.velocities.values().all(|speed| speed.abs() < 1e-9), "{:?}", now.velocities);
}

/// A ring of four links of 1 kg hinged about z, which floats.
fn ring() -> RobotDescription {
    let link = r#"<geom type="box" pos="0.25 0 0" size="0.2 0.05 0.05" mass="1"/>"#;
    let angle = PI / 2.0;
    let child = |name: &str, inner: &str| {
        format!(
            r#"<body name="{name}" pos="0.5 0 0" euler="0 0 {angle}"><joint name="to_{name}" axis="0 0 1"/>{link}{inner}</body>"#
        )
    };
    let chain = child("b", &child("c", &child("d", "")));
    described(&format!(
        r#"<mujoco><compiler angle="radian"/><worldbody><body name="a"><freejoint/>{link}{chain}</body></worldbody>
<equality><connect body1="d" body2="a" anchor="0.5 0 0"/></equality></mujoco>"#
    ))
}

#[test]
fn a_ring_in_flight_keeps_its_energy_and_momenta() {
    let mut robot = ring();
    robot.self_collision = false;
    let spin = [
        ("a/joint/x", 0.3),
        ("a/joint/yaw", 8.0),
        ("a/joint/roll", 0.5),
        ("to_b", 0.3),
        ("to_c", -0.3),
        ("to_d", 0.3),
    ];
    for (joint, speed) in spin {
        let at = robot.coordinate(joint).unwrap();
        robot.velocities[at] = speed;
    }
    let mut world = world_of(robot, weightless());
    let (energy, momentum) = (world.energy().total(), world.momentum());
    let (mut gain, mut loss) = (0.0_f64, 0.0_f64);
    while world.time() < 2.0 {
        world.step().unwrap();
        let change = (world.energy().total() - energy) / energy;
        (gain, loss) = (gain.max(change), loss.max(-change));
    }
    let after = world.momentum();
    let linear = (after.linear - momentum.linear).norm() / momentum.linear.norm();
    let angular = (after.angular - momentum.angular).norm() / momentum.angular.norm();
    assert!(gain < 1e-4 && loss < 1e-4, "{gain} {loss}");
    assert!(linear < 1e-4 && angular < 2e-4, "{linear} {angular}");
}

#[test]
fn a_ring_that_falls_comes_to_rest_on_the_floor() {
    let mut robot = ring();
    robot.pose = Isometry3::translation(0.0, 0.0, 0.4);
    for (joint, speed) in [("a/joint/roll", 0.2), ("a/joint/pitch", 0.4), ("to_c", 1.0)] {
        let at = robot.coordinate(joint).unwrap();
        robot.velocities[at] = speed;
    }
    let mut builder = World::builder(WorldOptions::default());
    let floor = Shape::half_space();
    builder.add_body(BodyDescription::new("floor", BodyKind::Fixed, floor, Isometry3::identity())).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    while world.time() < 4.0 {
        world.step().unwrap();
    }
    let now = state(&world);
    let bodies = world.bodies();
    let links = || bodies.iter().filter(|body| body.name.starts_with("r/"));
    let fastest = links().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
    let angles: f64 = ["to_b", "to_c", "to_d"].map(|joint| now.joints[joint]).iter().sum();
    // Opposite angles of a rhombus are equal, neighbours add up to 180°.
    assert!((angles - now.joints["to_b"]).abs() < 1e-9, "{now:?}");
    assert!(fastest < 1e-4, "{fastest}");
    assert!(links().all(|body| body.position.z > 0.04 && body.position.z < 0.3));
}

#[test]
fn rapier_closes_the_loops_of_robots_that_it_steps() {
    let (mut largest, mut smallest) = (0.0_f64, f64::INFINITY);
    let mut world = coupled_world_of(parallelogram_at(0.5, POINT, false));
    while world.time() < 1.0 {
        world.step().unwrap();
        let joints = state(&world).joints;
        largest = largest.max((joints["A"] - joints["D"]).abs());
        smallest = smallest.min(joints["A"]);
    }
    assert!(largest < 1e-3, "{largest}");
    assert!(smallest < -0.4, "{smallest}");
}

#[test]
fn a_joint_that_mimics_another_does_so_within_a_loop() {
    // The angle of the rocker is that of the crank in any case: it may mimic it, and half the work is the same work.
    let robot = parallelogram_at(1.0, &format!(r#"{POINT}<joint joint1="D" joint2="A"/>"#), false);
    assert_eq!(robot.articulation.coordinates().len(), 2);
    let mut world = world_of(robot, WorldOptions::default());
    let h = world.options().time_step;
    for _ in 0..200 {
        world.step().unwrap();
    }
    let joints = state(&world).joints;
    let expected = pendulum(0.32, 9.81 * 0.7, 1.0, 200.0 * h);
    assert!((joints["A"] - expected).abs() < 5e-5, "{} {expected}", joints["A"]);
    assert!(
        (joints["A"] - joints["D"]).abs() < 1e-9 && (joints["A"] + joints["B"]).abs() < 1e-9,
        "{joints:?}"
    );
}

#[test]
fn motors_that_compensate_gravity_hold_a_linkage_in_which_fewer_joints_than_it_has_are_driven() {
    // The potential energy of a parallelogram is that of a pendulum: 2 · 0.4 kg at 0.25 m and the coupler of 1 kg at 0.5 m.
    let moment = |angle: f64| 9.81 * 0.7 * angle.sin();
    let weld = r#"<weld name="W" body1="coupler" body2="right"/>"#;
    for (equality, halves) in [(POINT, false), (weld, true)] {
        for driven in [vec!["A"], vec!["D"], vec!["B"], vec!["A", "D"], vec!["A", "B", "D"]] {
            let mut robot = parallelogram_at(0.6, equality, halves);
            robot.gravity_compensation = 1.0;
            for joint in &driven {
                let joint = robot.joint(joint).unwrap();
                robot.joints[joint].motor = Some(Motor::Effort { target: 0.0, max_force: None });
            }
            let start = robot.configuration[0];
            let mut world = world_of(robot, WorldOptions::default());
            for _ in 0..120 {
                world.step().unwrap();
            }
            let now = state(&world);
            assert!((now.joints["A"] - start).abs() < 1e-9, "{driven:?}: {now:?}");
            // A motor between crank and coupler, which does not rotate, bears on the crank from the other side.
            let work: f64 = driven
                .iter()
                .map(
                    |joint| {
                        if *joint == "B" { -now.efforts[*joint].motor } else { now.efforts[*joint].motor }
                    },
                )
                .sum();
            assert!((work.abs() - moment(0.6)).abs() < 1e-8, "{driven:?}: {now:?}");
        }
    }
}

#[test]
fn computed_torque_moves_a_linkage_as_the_oscillator_that_was_asked_for() {
    let weld = r#"<weld name="W" body1="coupler" body2="right"/>"#;
    for (equality, halves, driven) in [(POINT, false, "A"), (weld, true, "D"), (POINT, false, "D")] {
        let mut robot = parallelogram_at(0.9, equality, halves);
        let rate = 2.0 * PI * 1.5;
        let joint = robot.joint(driven).unwrap();
        robot.joints[joint].motor = Some(Motor::computed_torque(-0.4, 1.5, 1.0));
        let mut world = world_of(robot, WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() });
        while world.time() < 0.6 {
            world.step().unwrap();
            let (time, now) = (world.time(), state(&world));
            let expected = -0.4 + 1.3 * (1.0 + rate * time) * (-rate * time).exp();
            assert!((now.joints[driven] - expected).abs() < 2e-3, "{driven} {time}: {now:?} {expected}");
        }
    }
}
