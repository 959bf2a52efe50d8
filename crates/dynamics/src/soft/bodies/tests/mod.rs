//! Soft bodies in worlds, coupled with rigid ones.

use std::sync::Arc;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use crate::soft::contact::ContactOptions;
use crate::soft::material::{Constitutive, Material};
use crate::{BodyDescription, BodyKind, Mass, Shape, World, WorldBuilder, WorldOptions};
use crate::{SoftBodyDescription, SoftOptions};
use extricate_core::geometry::TetMesh;
use extricate_core::geometry::tet_mesh::procedural::block;

mod attempts;
mod coupling;
mod errors;
mod fields;
mod handles;
mod overlaps;
mod robots;

/// Density of the soft bodies [kg/m³].
const DENSITY: f64 = 1000.0;

/// A cube of side `size` [m], centred at the origin, of `cells`³ cubes of six tetrahedra each.
fn cube(cells: usize, size: f64) -> Arc<TetMesh> {
    let origin = Point3::from(Vector3::repeat(-0.5 * size));
    Arc::new(block([cells; 3], Vector3::repeat(size), origin).unwrap())
}

fn rubber(youngs_modulus: f64) -> Material {
    let material = Material::new(Constitutive::Corotational, DENSITY, youngs_modulus, 0.3).unwrap();
    material.with_damping(2.0, 1e-3).unwrap()
}

/// A soft cube of side 0.1 m whose centre is at a height [m].
fn soft_cube(name: &str, height: f64) -> SoftBodyDescription {
    SoftBodyDescription::new(name, cube(2, 0.1), rubber(1e5), Isometry3::translation(0.0, 0.0, height))
}

fn options(stiffness: f64, time_step: f64) -> WorldOptions {
    let contact = ContactOptions { stiffness, ..ContactOptions::default() };
    WorldOptions {
        time_step,
        soft: SoftOptions { contact, ..SoftOptions::default() },
        ..WorldOptions::default()
    }
}

fn ground() -> BodyDescription {
    let plane = Shape::half_space();
    BodyDescription::new("ground", BodyKind::Fixed, plane, Isometry3::identity())
}

fn rigid_box(name: &str, size: Vector3<f64>, height: f64) -> BodyDescription {
    let above = Isometry3::translation(0.0, 0.0, height);
    BodyDescription::new(name, BodyKind::Dynamic, Shape::cuboid(size), above)
}

/// A soft cube of side 0.1 m on the ground that an edge of a falling box strikes; mass \[kg\] and speed \[m/s\] are those of the box.
fn struck_cube(options: WorldOptions, mass: f64, speed: f64) -> World {
    let mut builder = World::builder(options);
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.051)).unwrap();
    let mut wedge = rigid_box("wedge", Vector3::new(0.03, 0.03, 0.2), 0.32);
    wedge.pose.rotation = UnitQuaternion::from_euler_angles(0.6, 0.4, 0.0);
    (wedge.mass, wedge.linear_velocity.z) = (Mass::Total(mass), -speed);
    builder.add_body(wedge).unwrap();
    built(builder)
}

fn run(world: &mut World, duration: f64) {
    let until = world.time() + duration;
    while world.time() < until {
        world.step().unwrap();
    }
}

fn built(builder: WorldBuilder) -> World {
    builder.build().unwrap()
}
