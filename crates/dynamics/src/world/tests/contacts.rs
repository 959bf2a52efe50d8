//! Reported contacts account for the forces on the bodies: weights, corners, Newton's second law.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use crate::soft::material::{Constitutive, Material};
use crate::{
    BodyDescription, BodyKind, NarrowPhase, RobotDescription, Shape, SoftBodyDescription, World,
    WorldBuilder, WorldContact, WorldOptions,
};
use extricate_core::geometry::Solidity;
use extricate_core::geometry::procedural::{Cuboid, Procedural};
use extricate_core::geometry::tet_mesh::procedural::block;
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};
use extricate_core::proximity::Model;

/// Acceleration of free fall [m/s²].
pub(super) const GRAVITY: f64 = 9.81;

pub(super) fn plane() -> BodyDescription {
    let plane = Shape::half_space();
    BodyDescription::new("ground", BodyKind::Fixed, plane, Isometry3::identity())
}

pub(super) fn body(name: &str, shape: Shape, height: f64) -> BodyDescription {
    BodyDescription::new(name, BodyKind::Dynamic, shape, Isometry3::translation(0.0, 0.0, height))
}

pub(super) fn run(builder: WorldBuilder, duration: f64) -> World {
    let mut world = builder.build().unwrap();
    while world.time() < duration {
        world.step().unwrap();
    }
    world
}

/// Sum of the forces along the normals on a body [N].
fn push_on(world: &World, name: &str) -> Vector3<f64> {
    let on = |contact: &WorldContact| {
        let names = contact.bodies.map(|body| world.name_of(body));
        let force = contact.force * contact.normal.into_inner();
        if names[0] == name {
            force
        } else if names[1] == name {
            -force
        } else {
            Vector3::zeros()
        }
    };
    world.contacts().iter().map(on).sum()
}

fn cube(edge: f64) -> Shape {
    let mesh = Cuboid { x: edge, y: edge, z: edge, ..Cuboid::default() }.mesh().unwrap();
    Shape::from(Model::new(mesh, Solidity::Solid))
}

#[test]
fn boxes_on_the_ground_are_held_at_their_corners_with_their_weight_whatever_their_names() {
    for narrow_phase in [NarrowPhase::Extricate, NarrowPhase::default()] {
        for (name, shape) in [("a box", cube(0.2)), ("z box", Shape::cuboid(Vector3::repeat(0.2)))] {
            let mut builder = World::builder(WorldOptions { narrow_phase, ..WorldOptions::default() });
            builder.add_body(plane()).unwrap();
            builder.add_body(body(name, shape, 0.1)).unwrap();
            let world = run(builder, 1.0);
            let (contacts, weight) = (world.contacts(), 1000.0 * 0.008 * GRAVITY);
            let first = name.cmp("ground").is_lt();
            let place = world.body(name).unwrap();
            assert_eq!(contacts.len(), 4, "{name}");
            for contact in &contacts {
                let sign = if first { 1.0 } else { -1.0 };
                assert!((contact.normal.z - sign).abs() < 1e-6, "{name} {contact:?}");
                let corner = place.rotation.inverse() * (contact.point - place.position);
                assert!(
                    (corner.abs() - Vector3::repeat(0.1)).amax() < 1e-3 && corner.z < 0.0,
                    "{name} {corner}"
                );
                assert!(contact.depth.abs() < 1e-3 && contact.force > 0.0, "{name} {contact:?}");
            }
            let push = push_on(&world, name);
            assert!((push - weight * Vector3::z()).norm() < 1e-3 * weight, "{name} {push}");
        }
    }
}

#[test]
fn a_body_in_the_air_that_is_hit_gains_the_impulse_of_its_contacts() {
    let weightless = WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() };
    let mut builder = World::builder(weightless);
    let mut fast = body("fast", Shape::ball(0.1), -0.3);
    (fast.linear_velocity.z, fast.friction) = (2.0, 0.0);
    let still = BodyDescription { friction: 0.0, ..body("still", Shape::ball(0.2), 0.0) };
    builder.add_body(fast).unwrap();
    builder.add_body(still).unwrap();
    let mut world = builder.build().unwrap();
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.008;
    let (mut before, mut pushed) = (0.0, 0.0);
    for _ in 0..60 {
        world.step().unwrap();
        let now = world.body("still").unwrap().linear_velocity.z;
        let force = push_on(&world, "still").z;
        assert!(
            (mass * (now - before) / world.options().time_step - force).abs() < 1e-6 * (1.0 + force),
            "{force}"
        );
        (before, pushed) = (now, pushed + force);
    }
    assert!(before > 0.1 && pushed > 0.0);
}

#[test]
fn contacts_are_sorted_by_name_and_the_same_in_equal_runs() {
    let stack = || {
        let mut builder = World::builder(WorldOptions::default());
        builder.add_body(plane()).unwrap();
        for (name, height) in [("m", 0.1), ("c", 0.3), ("z", 0.5)] {
            builder.add_body(body(name, cube(0.2), height)).unwrap();
        }
        run(builder, 0.3)
    };
    let (world, again) = (stack(), stack());
    let pairs: Vec<_> =
        world.contacts().iter().map(|contact| contact.bodies.map(|body| world.name_of(body))).collect();
    let mut sorted = pairs.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted, [["c", "m"], ["c", "z"], ["ground", "m"]]);
    assert!(pairs.is_sorted());
    assert_eq!(world.contacts(), again.contacts());
}

#[test]
fn links_and_soft_bodies_have_contacts_too() {
    let text = r#"<robot name="lift"><link name="base"/><link name="hand">
<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint></robot>"#;
    let robot = parse_urdf(text, Path::new("lift.urdf"), &UrdfOptions::default()).unwrap();
    let mut builder = World::builder(WorldOptions { time_step: 1.0 / 240.0, ..WorldOptions::default() });
    builder.add_body(plane()).unwrap();
    builder.add_robot(RobotDescription::new("lift", robot, Isometry3::translation(0.0, 0.0, 0.1))).unwrap();
    let mesh = Arc::new(block([2; 3], Vector3::repeat(0.1), Point3::from(Vector3::repeat(-0.05))).unwrap());
    let rubber =
        Material::new(Constitutive::Corotational, 1000.0, 1e5, 0.3).unwrap().with_damping(2.0, 1e-3).unwrap();
    let above = Isometry3::translation(0.0, 0.0, 0.2501);
    builder.add_soft_body(SoftBodyDescription::new("jelly", mesh, rubber, above)).unwrap();
    let world = run(builder, 1.5);
    let (jelly, hand) = (push_on(&world, "jelly").z, push_on(&world, "lift/hand").z);
    assert!((jelly - GRAVITY).abs() < 1e-2 * GRAVITY, "{jelly}");
    assert!((hand - 2.0 * GRAVITY).abs() < 2e-2 * GRAVITY, "load of the ground without the jelly: {hand}");
    let names = |contact: &WorldContact| contact.bodies.map(|body| world.name_of(body).to_owned());
    let between: Vec<_> =
        world.contacts().into_iter().filter(|c| names(c) == ["jelly", "lift/hand"]).collect();
    assert!(between.iter().all(|c| c.normal.z > 0.99 && (c.point.z - 0.2).abs() < 2e-3 && c.depth > 0.0));
    assert!(between.len() >= 9);
}
