//! Motors, damping, friction, efforts, limits and couplings of joints against closed forms.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use extricate::dynamics::{
    Accuracy, BodyDescription, BodyKind, BuildError, Motor, RobotBase, RobotDescription, RobotJoint, Shape,
    World, WorldOptions,
};
use nalgebra::{Isometry3, Vector3};

use super::{chain, described, follow, one_joint, state, weightless, world_of};

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
fn light_links_on_a_light_base_follow_motors_far_stiffer_than_their_bounds() {
    let mut robot = finger();
    robot.pose = Isometry3::translation(0.0, 0.0, 0.1);
    robot.velocities = vec![8.0, -9.0, 7.0];
    let mut builder = World::builder(WorldOptions { time_step: 1.0 / 480.0, ..WorldOptions::default() });
    let ground = Shape::half_space();
    builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity())).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    let fastest = |world: &World| state(world).velocities.values().fold(0.0_f64, |v, w| v.max(w.abs()));
    // Spring and damper alone would drive a joint at 2000 · 0.4 / 100 rad/s.
    let mut steps = 0;
    while world.time() < 2.0 {
        for (place, joint) in ["j1", "j2", "j3"].into_iter().enumerate() {
            let is_bent = world.time() < 1.0 && (steps / 24 + place) % 2 == 1;
            world.set_motor_target("r", joint, if is_bent { 0.4 } else { 0.0 }).unwrap();
        }
        steps += 1;
        world.step().unwrap();
        assert!(fastest(&world) <= 9.0, "at {}: {:?}", world.time(), state(&world));
    }
    assert!(fastest(&world) < 1e-6, "{:?}", state(&world));
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

#[test]
fn a_blow_does_not_lead_a_joint_beyond_a_limit_that_its_own_motion_does_not_reach() {
    // A light rod at rest, 0.02 rad from its limit, which a heavy ball hits near its end: it rotates by 0.1 rad a step then.
    let limits = r#"<limit lower="-3" upper="0.02" effort="0" velocity="0"/>"#;
    let text = format!(
        r#"<robot name="r"><link name="base"/><link name="rod"><inertial><origin xyz="0.2 0 0"/><mass value="0.1"/>
<inertia ixx="0.0001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
<collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.04 0.04"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>{limits}</joint></robot>"#
    );
    let mut builder = World::builder(weightless());
    builder.add_robot(described(&text)).unwrap();
    let pose = Isometry3::translation(0.3, 0.0, 0.2);
    let mut ball = BodyDescription::new("ball", BodyKind::Dynamic, Shape::ball(0.05), pose);
    ball.mass = extricate::dynamics::Mass::Total(5.0);
    ball.linear_velocity = -Vector3::z() * 15.0;
    builder.add_body(ball).unwrap();
    let mut world = builder.build().unwrap();
    let (mut farthest, mut fastest) = (f64::NEG_INFINITY, 0.0_f64);
    follow(&mut world, 0.1, |_, q, v| (farthest, fastest) = (farthest.max(q), fastest.max(v.abs())));
    assert!(farthest > 0.015 && farthest < 0.0203, "{farthest} rad, {fastest} rad/s");
    // The rod holds: the ball is stopped.
    let ball = world.body("ball").unwrap();
    assert!(ball.linear_velocity.z > -0.1 && ball.position.z > 0.05, "{ball:?}");
}

/// Largest deviation of a motor's spring from the moment of the weight beyond its joint, over the largest moment; `last` is the mass of the last link \[kg\].
fn worst_imbalance(world: &World, (links, last): (usize, f64), stiffness: f64) -> f64 {
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
    let mass = |i: usize| if i + 1 == links { last } else { 0.1 };
    let moment = |i: usize| (i..links).map(|j| mass(j) * 9.81 * (centers[j] - x[i])).sum::<f64>();
    (0..links).map(|i| (stiffness * angles[i] - moment(i)).abs()).fold(0.0, f64::max) / moment(0)
}

/// A beam of links that motors hold.
fn held_beam(links: usize, [stiffness, damping]: [f64; 2]) -> RobotDescription {
    let mut robot = chain(links);
    for joint in &mut robot.joints {
        joint.motor = Some(Motor::Position { target: 0.0, stiffness, damping, max_force: None });
    }
    robot
}

#[test]
fn motors_in_series_hold_a_beam_to_rounding() {
    let (links, stiffness) = (20, 5e3);
    let options = WorldOptions { accuracy: Accuracy::Preview, ..WorldOptions::default() };
    let mut world = world_of(held_beam(links, [stiffness, 500.0]), options);
    while world.time() < 4.0 {
        world.step().unwrap();
    }
    let worst = worst_imbalance(&world, (links, 0.1), stiffness);
    assert!(worst < 1e-6, "{worst} of the maximum moment");
}

#[test]
fn a_chain_of_sixty_links_holds_a_thousand_times_a_links_mass_at_its_end() {
    let (links, stiffness) = (60, 1e6);
    let mut robot = held_beam(links, [stiffness, 5e5]);
    let load = robot.links.last_mut().unwrap().inertial.as_mut().unwrap();
    (load.mass, load.inertia) = (1000.0 * load.mass, 1000.0 * load.inertia);
    let mut world = world_of(robot, WorldOptions::default());
    while world.time() < 10.0 {
        world.step().unwrap();
    }
    let worst = worst_imbalance(&world, (links, 100.0), stiffness);
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
