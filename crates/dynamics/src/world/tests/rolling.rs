//! Rolling friction, against the mechanics of rigid bodies: a moment ρ N resists rolling.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::contacts::{GRAVITY, body, plane, run};
use crate::{
    Accuracy, BodyDescription, BodyState, Mass, RobotDescription, Shape, World, WorldBuilder, WorldOptions,
};
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

/// Radius of all bodies and coefficient of rolling friction [m].
const RADIUS: f64 = 0.1;
const ROLLING: f64 = 1e-3;
/// Size of a foil [m].
const FOIL: Vector3<f64> = Vector3::new(0.15, 0.15, 1.4e-3);

/// A world in which both the ground, as it is given, and the bodies have rolling friction.
fn world(ground: BodyDescription, bodies: Vec<BodyDescription>, rolling_friction: f64) -> WorldBuilder {
    let mut builder = World::builder(WorldOptions::default());
    for body in std::iter::once(ground).chain(bodies) {
        builder.add_body(BodyDescription { rolling_friction, ..body }).unwrap();
    }
    builder
}

/// A body that rolls at a velocity, its axis of rotation across it.
fn rolling(name: &str, shape: Shape, place: f64, velocity: Vector3<f64>) -> BodyDescription {
    let mut body = body(name, shape, RADIUS);
    body.pose.translation.y = place;
    body.linear_velocity = velocity;
    body.angular_velocity = Vector3::z().cross(&velocity) / RADIUS;
    body
}

fn along_y() -> UnitQuaternion<f64> {
    UnitQuaternion::rotation_between(&Vector3::z(), &Vector3::y()).unwrap()
}

/// Distance that a body rolls until it stops: v² / 2a with a = ρ g / r (1 + k), where k = I / m r².
fn distance(speed: f64, inertia: f64) -> f64 {
    speed * speed * RADIUS * (1.0 + inertia) / (2.0 * ROLLING * GRAVITY)
}

#[test]
fn rolling_bodies_stop_where_the_moment_of_the_normal_force_stops_them() {
    let speed = 0.1;
    let straight = Vector3::new(speed, 0.0, 0.0);
    let oblique = Vector3::new(0.6 * speed, 0.8 * speed, 0.0);
    let mut cylinder = rolling("cylinder", Shape::cylinder(RADIUS, 0.3), 1.0, straight);
    cylinder.pose.rotation = along_y();
    let ball = || Shape::ball(RADIUS);
    let bodies =
        vec![rolling("ball", ball(), 0.0, straight), rolling("oblique", ball(), 2.0, oblique), cylinder];
    let starts: BTreeMap<_, _> =
        bodies.iter().map(|body| (body.name.clone(), Point3::from(body.pose.translation.vector))).collect();
    let world = run(world(plane(), bodies, ROLLING), 4.0);
    for (name, inertia, direction) in
        [("ball", 0.4, straight), ("oblique", 0.4, oblique), ("cylinder", 0.5, straight)]
    {
        let state = world.body(name).unwrap();
        let moved = state.position - starts[name];
        let expected = direction.normalize() * distance(speed, inertia);
        assert!((moved - expected).norm() < 5e-3 * expected.norm(), "{name}: {moved} for {expected}");
        assert!(state.linear_velocity.norm() < 1e-4, "{name}: {}", state.linear_velocity);
    }
}

#[test]
fn a_ball_on_a_slope_rests_below_the_angle_of_rolling_friction_and_rolls_above_it() {
    let (coefficient, duration) = (5e-3, 2.0);
    for tangent in [0.04_f64, 0.08] {
        let angle = tangent.atan();
        let slope = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
        let mut ground = plane();
        ground.pose.rotation = slope;
        let mut ball = body("ball", Shape::ball(RADIUS), 0.0);
        ball.pose.translation.vector = slope * Vector3::new(0.0, 0.0, RADIUS);
        let world = run(world(ground, vec![ball], coefficient), duration);
        let moved = slope.inverse() * world.body("ball").unwrap().position;
        let acceleration = GRAVITY * (angle.sin() - angle.cos() * coefficient / RADIUS) / 1.4;
        if acceleration > 0.0 {
            let expected = 0.5 * acceleration * duration * duration;
            assert!((moved.x - expected).abs() < 0.02 * expected, "{} for {expected}", moved.x);
        } else {
            // Contacts are soft: it settles by some millimetres, in place of 0.3 m.
            assert!(moved.x < 6e-3, "{}", moved.x);
        }
    }
}

#[test]
fn spinning_about_the_normal_is_resisted_by_friction_at_the_corners() {
    let mut spinning = body("ball", Shape::ball(RADIUS), RADIUS);
    spinning.angular_velocity = Vector3::new(0.0, 0.0, 10.0);
    let world = run(world(plane(), vec![spinning], ROLLING), 2.0);
    let lost = 10.0 - world.body("ball").unwrap().angular_velocity.z;
    let expected = 2.0 * BodyDescription::FRICTION * ROLLING * GRAVITY / (0.4 * RADIUS * RADIUS);
    assert!((lost - expected).abs() < 0.01 * expected, "{lost} for {expected}");
}

#[test]
fn a_box_on_its_face_has_the_same_bits_with_rolling_friction() {
    let boxes = || {
        let cuboid = || Shape::cuboid(Vector3::repeat(0.2));
        let slides = BodyDescription { linear_velocity: Vector3::x(), ..body("below", cuboid(), 0.1) };
        vec![slides, body("above", cuboid(), 0.3)]
    };
    let [with, without] = [ROLLING, 0.0].map(|rolling| run(world(plane(), boxes(), rolling), 1.0));
    for name in ["below", "above"] {
        assert_eq!(with.body(name).unwrap(), without.body(name).unwrap(), "{name}");
    }
}

#[test]
fn a_ball_on_a_link_rolls_as_on_the_ground() {
    let speed = 0.1;
    let resisted = ball_on_a_link(speed, ROLLING).position.x;
    let expected = distance(speed, 0.4);
    assert!((resisted - expected).abs() < 0.01 * expected, "{resisted} for {expected}");
    let free = ball_on_a_link(speed, 0.0).linear_velocity.x;
    assert!((free - speed).abs() < 1e-4 * speed, "{free} after 2 s, of {speed} m/s");
}

/// State after 2 s of a ball that rolls on a link at a speed [m/s].
fn ball_on_a_link(speed: f64, rolling_friction: f64) -> BodyState {
    // The link could slide across the direction of rolling, so that its contacts are solved in generalized coordinates.
    let text = r#"<robot name="table"><link name="base"/><link name="plate">
        <collision><origin xyz="0 0 -0.05"/><geometry><box size="2 2 0.1"/></geometry></collision>
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="slide" type="prismatic"><parent link="base"/><child link="plate"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="0" velocity="1"/></joint></robot>"#;
    let robot = parse_urdf(text, Path::new("table.urdf"), &UrdfOptions::default()).unwrap();
    let mut builder = World::builder(WorldOptions::default());
    let table = RobotDescription::new("table", robot, Isometry3::identity());
    builder.add_robot(RobotDescription { rolling_friction, ..table }).unwrap();
    let ball = rolling("ball", Shape::ball(RADIUS), 0.0, Vector3::new(speed, 0.0, 0.0));
    builder.add_body(BodyDescription { rolling_friction, ..ball }).unwrap();
    run(builder, 2.0).body("ball").unwrap()
}

/// A world of a foil of 29 g under a block of 5 kg that rests on a part of it.
fn pressed_foil(options: &WorldOptions) -> WorldBuilder {
    let mut builder = World::builder(options.clone());
    builder.add_body(plane()).unwrap();
    let foil = Shape::cuboid(FOIL);
    builder
        .add_body(BodyDescription { mass: Mass::Total(0.029), ..body("foil", foil, 0.5 * FOIL.z) })
        .unwrap();
    let block = Shape::cuboid(Vector3::repeat(0.1));
    let mut block = BodyDescription { mass: Mass::Total(5.0), ..body("block", block, FOIL.z + 0.05) };
    block.pose.translation.x = 0.05;
    builder.add_body(block).unwrap();
    builder
}

/// Overlap at the end, as a fraction of the foil's size.
fn overlap_of_foil(options: &WorldOptions) -> f64 {
    let contacts = run(pressed_foil(options), 1.5).contacts();
    contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max) / (0.5 * FOIL.norm())
}

fn preview() -> WorldOptions {
    let time_step = Accuracy::Preview.time_step();
    WorldOptions { accuracy: Accuracy::Preview, time_step, ..WorldOptions::default() }
}

#[test]
fn light_bodies_under_heavy_ones_get_the_substeps_that_they_need() {
    let mut options = preview();
    let refined = overlap_of_foil(&options);
    // Settings that are given remain.
    options.solver.substeps = Some(options.solver_settings().substeps);
    let plain = overlap_of_foil(&options);
    assert!(refined < 1e-3 && plain > 2e-3, "{refined}, and {plain} with the substeps of the accuracy");
}

#[test]
fn a_world_with_refined_substeps_continues_from_a_checkpoint_with_the_same_bits() {
    let mut world = run(pressed_foil(&preview()), 0.5);
    let mut report = world.step().unwrap();
    assert!(report.substeps > preview().solver_settings().substeps, "{}", report.substeps);
    let mut restored = pressed_foil(&preview()).build().unwrap();
    restored.restore(&world.checkpoint().unwrap()).unwrap();
    for _ in 0..50 {
        report = world.step().unwrap();
        assert_eq!(restored.step().unwrap().substeps, report.substeps);
    }
    assert_eq!(restored.bodies(), world.bodies());
}
