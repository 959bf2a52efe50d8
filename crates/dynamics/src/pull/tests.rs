//! Pulls against the critically damped oscillator, and their bounds and errors.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::spring::{LIMIT, RATE};
use super::*;
use crate::error::BuildError;
use crate::soft::material::{Constitutive, Material};
use crate::{
    BodyDescription, BodyKind, Mass, RobotDescription, Shape, SoftBodyDescription, World, WorldBuilder,
    WorldOptions,
};
use extricate_core::geometry::tet_mesh::procedural::block;
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

fn options(time_step: f64, gravity: f64) -> WorldOptions {
    WorldOptions { time_step, gravity: Vector3::new(0.0, 0.0, -gravity), ..WorldOptions::default() }
}

fn cuboid(name: &str, edge: f64, mass: f64) -> BodyDescription {
    let shape = Shape::cuboid(Vector3::new(edge, 0.7 * edge, 0.4 * edge));
    let body = BodyDescription::new(name, BodyKind::Dynamic, shape, Isometry3::identity());
    BodyDescription { mass: Mass::Total(mass), ..body }
}

fn pull(body: &str, grip: Grip, target: Point3<f64>) -> Option<Pull> {
    Some(Pull { body: body.into(), grip, target })
}

fn at(point: Vector3<f64>) -> Grip {
    Grip::Point(Point3::from(point))
}

fn world(builder: WorldBuilder) -> World {
    builder.build().unwrap()
}

fn run(world: &mut World, duration: f64) {
    let until = world.time() + duration;
    while world.time() < until {
        world.step().unwrap();
    }
}

const CART: &str = r#"<robot name="cart">
  <link name="rail"/>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0 -0.3"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -0.3"/><geometry><box size="0.02 0.02 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/></joint>
  <joint name="hinge" type="continuous"><parent link="cart"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#;

fn cart(text: &str, options: WorldOptions) -> World {
    let robot = parse_urdf(text, Path::new("cart.urdf"), &UrdfOptions::default()).unwrap();
    let mut builder = World::builder(options);
    builder.add_robot(RobotDescription::new("r", robot, Isometry3::identity())).unwrap();
    world(builder)
}

fn jelly(options: WorldOptions) -> World {
    let mesh = Arc::new(block([3; 3], Vector3::repeat(0.3), Point3::origin()).unwrap());
    let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3).unwrap();
    let mut builder = World::builder(options);
    let damped = material.with_damping(1.0, 1e-3).unwrap();
    builder.add_soft_body(SoftBodyDescription::new("jelly", mesh, damped, Isometry3::identity())).unwrap();
    world(builder)
}

/// (1 + ωt) exp(−ωt): remaining fraction of a stretch after a time.
fn left(time: f64) -> f64 {
    (1.0 + RATE * time) * (-RATE * time).exp()
}

#[test]
fn a_body_pulled_at_its_centre_settles_as_a_critically_damped_oscillator() {
    for (mass, edge) in [(1e-3, 0.01), (1.0, 0.3), (1e5, 3.0)] {
        let mut builder = World::builder(options(1e-3, 9.81));
        builder.add_body(cuboid("body", edge, mass)).unwrap();
        let mut world = world(builder);
        world.pull(pull("body", at(Vector3::zeros()), Point3::new(0.1, -0.2, 0.3))).unwrap();
        for _ in 0..500 {
            world.step().unwrap();
            let gone = 1.0 - world.body("body").unwrap().position.z / 0.3;
            assert!((gone - left(world.time())).abs() < 0.01, "{} of {mass}", world.time());
        }
    }
}

#[test]
fn a_cart_feels_the_pull_along_its_rail_with_all_its_mass() {
    let only_cart =
        CART.replace("<joint name=\"hinge\" type=\"continuous\">", "<joint name=\"hinge\" type=\"fixed\">");
    let mut world = cart(&only_cart, options(1e-3, 9.81));
    world.pull(pull("r/cart", at(Vector3::zeros()), Point3::new(0.2, 1.0, 0.0))).unwrap();
    for _ in 0..500 {
        world.step().unwrap();
        let gone = 1.0 - world.robot("r").unwrap().joints["slide"] / 0.2;
        assert!((gone - left(world.time())).abs() < 0.015, "{} {gone}", world.time());
    }
}

#[test]
fn a_body_held_off_its_centre_comes_to_the_target_whatever_the_step_and_the_body() {
    for (time_step, mass, edge) in [
        (1e-3, 1e-6, 0.01),
        (1.0 / 240.0, 1.0, 0.3),
        (1.0 / 60.0, 1e4, 1.0),
        (0.1, 1e-3, 0.1),
        (0.5, 10.0, 1.0),
    ] {
        let mut builder = World::builder(options(time_step, 9.81));
        builder.add_body(cuboid("body", edge, mass)).unwrap();
        let mut world = world(builder);
        let (grip, target) = (Vector3::new(0.5 * edge, 0.3 * edge, 0.2 * edge), Point3::new(0.5, 0.4, 0.3));
        world.pull(pull("body", at(grip), target)).unwrap();
        run(&mut world, 500.0 * time_step.max(0.01));
        let off = (world.pulled_at().unwrap() - target).norm();
        assert!(off < 1e-3 * edge, "{time_step} {mass} {edge}: {off}");
        // It hangs: the centre is below the grip.
        let center = world.body("body").unwrap().position;
        assert!((center - target).xy().norm() < 0.02 * edge && center.z < target.z, "{center}");
    }
}

#[test]
fn an_arm_follows_where_its_joints_let_it() {
    for time_step in [1e-3, 1.0 / 60.0, 0.05] {
        let mut world = cart(CART, options(time_step, 0.0));
        let target = Point3::new(0.4, 0.0, -0.2);
        world.pull(pull("r/arm", at(Vector3::new(0.0, 0.0, -0.4)), target)).unwrap();
        run(&mut world, 5.0);
        let off = world.pulled_at().unwrap() - target;
        assert!(off.norm() < 1e-3, "{time_step} {off}");
    }
}

#[test]
fn the_force_is_bounded_by_the_weight_or_the_size() {
    for (gravity, edge) in [(9.81, 0.01), (9.81, 3.0), (0.0, 0.3)] {
        let mut builder = World::builder(options(1e-3, gravity));
        builder.add_body(cuboid("body", edge, 1.0)).unwrap();
        let mut world = world(builder);
        world.pull(pull("body", at(Vector3::zeros()), Point3::new(1e4, 0.0, 0.0))).unwrap();
        world.step().unwrap();
        let gained = world.body("body").unwrap().linear_velocity + Vector3::new(0.0, 0.0, gravity * 1e-3);
        let radius = 0.5 * edge * Vector3::new(1.0, 0.7, 0.4).norm();
        let max = LIMIT * f64::max(gravity, RATE * RATE * radius) * 1e-3;
        assert!((gained.norm() - max).abs() < 1e-6 * max, "{gained} {max}");
    }
}

#[test]
fn the_monitor_accepts_the_energy_of_a_pull_and_continues_when_it_ends() {
    let mut builder = World::builder(options(1.0 / 60.0, 0.0));
    builder.add_body(cuboid("body", 0.1, 1.0)).unwrap();
    let mut world = world(builder);
    world.pull(pull("body", at(Vector3::zeros()), Point3::new(1e4, 0.0, 0.0))).unwrap();
    run(&mut world, 2.0);
    let fast = world.body("body").unwrap().linear_velocity.x;
    assert!(fast > 50.0, "far beyond what it could have of its own: {fast}");
    world.pull(None).unwrap();
    run(&mut world, 1.0);
    assert!((world.body("body").unwrap().linear_velocity.x - fast).abs() < 1e-9 * fast);
    assert!(world.pulled().is_none() && world.pulled_at().is_none());
}

#[test]
fn a_soft_body_hangs_on_the_nodes_that_are_held_and_comes_along() {
    for (time_step, gravity) in [(1.0 / 240.0, 9.81), (1.0 / 60.0, 9.81), (0.05, 0.0)] {
        let mut world = jelly(options(time_step, gravity));
        let nodes = world.soft_positions("jelly").unwrap();
        let corner =
            (0..nodes.len()).find(|&node| (nodes[node] - Vector3::repeat(0.3)).norm() < 1e-9).unwrap();
        let target = Point3::new(0.5, 0.2, 0.6);
        world.pull(pull("jelly", Grip::Node(corner), target)).unwrap();
        run(&mut world, 6.0);
        let off = (world.pulled_at().unwrap() - target).norm();
        let state = world.soft_body("jelly").unwrap();
        assert!(off < 1e-3 && state.inverted == 0, "{time_step} {off} {state:?}");
        assert!((state.centroid - target).norm() < 0.35 && state.velocity.norm() < 0.05, "{state:?}");
        if gravity > 0.0 {
            assert!((state.centroid - target).xy().norm() < 0.02 && state.centroid.z < target.z, "{state:?}");
        }
        world.pull(None).unwrap();
        let before = world.momentum().linear;
        world.step().unwrap();
        let fallen = world.momentum().linear - before + Vector3::new(0.0, 0.0, 27.0 * gravity * time_step);
        // Damping by mass, 1/s, acts on the rest of the swing and on the fall.
        let damped = (27.0 * 0.05 + 27.0 * gravity * time_step) * time_step;
        assert!(fallen.norm() < damped + 1e-9, "nothing pulls any more: {fallen}");
    }
}

#[test]
fn a_body_that_cannot_be_pulled_is_an_error_and_the_pull_before_continues() {
    let mut builder = World::builder(options(0.01, 0.0));
    builder.add_body(cuboid("body", 0.1, 1.0)).unwrap();
    builder.add_body(BodyDescription { kind: BodyKind::Fixed, ..cuboid("wall", 0.1, 1.0) }).unwrap();
    builder.add_body(BodyDescription { kind: BodyKind::Kinematic, ..cuboid("belt", 0.1, 1.0) }).unwrap();
    let mut world = world(builder);
    let (origin, center) = (Point3::origin(), at(Vector3::zeros()));
    world.pull(pull("body", center, origin)).unwrap();
    let nan = Point3::new(0.0, f64::NAN, 0.0);
    assert_eq!(
        world.pull(pull("boddy", center, origin)),
        Err(BuildError::NoBodyToPull { body: "boddy".into() })
    );
    for name in ["wall", "belt"] {
        assert_eq!(world.pull(pull(name, center, origin)), Err(BuildError::Immovable { body: name.into() }));
    }
    assert!(matches!(
        world.pull(pull("body", Grip::Node(0), origin)),
        Err(BuildError::Grip { is: "rigid", .. })
    ));
    assert!(matches!(
        world.pull(pull("body", center, nan)),
        Err(BuildError::PullNotFinite { what: "target", .. })
    ));
    assert!(matches!(
        world.pull(pull("body", Grip::Point(nan), origin)),
        Err(BuildError::PullNotFinite { what: "grip", .. })
    ));
    assert_eq!(world.pulled().unwrap().body, "body");
    let mut soft = jelly(options(0.01, 0.0));
    assert!(matches!(soft.pull(pull("jelly", center, origin)), Err(BuildError::Grip { is: "soft", .. })));
    assert!(matches!(
        soft.pull(pull("jelly", Grip::Node(64), origin)),
        Err(BuildError::NodeOutOfRange { nodes: 64, .. })
    ));
    // The cart is one with the rail, and a point on its hinge is where the arm cannot move.
    let all_fixed = CART.replace("prismatic", "fixed");
    let mut robot = cart(&all_fixed, options(0.01, 0.0));
    assert_eq!(
        robot.pull(pull("r/rail", center, origin)),
        Err(BuildError::Immovable { body: "r/rail".into() })
    );
    assert_eq!(
        robot.pull(pull("r/arm", center, origin)),
        Err(BuildError::Immovable { body: "r/arm".into() })
    );
}
