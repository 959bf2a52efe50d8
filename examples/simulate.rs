//! Two linked rings: one fixed, one hanging in it, held by the contacts of their triangle meshes alone.
//!
//! `cargo run --release --example simulate`

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use std::error::Error;
use std::f64::consts::FRAC_PI_2;

use extricate::dynamics::{BodyDescription, BodyKind, WorldOptions};
use extricate::geometry::procedural::{Procedural, Torus};
use extricate::nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use extricate::{Shape, World};

fn main() -> Result<(), Box<dyn Error>> {
    let ring = Torus { major_radius: 1.0, minor_radius: 0.2, segments: 48, sides: 16 }.mesh()?;
    let ring = Shape::solid(ring)?;
    let quarter = |axis| UnitQuaternion::from_axis_angle(&axis, FRAC_PI_2);
    let upright = Isometry3::from_parts(Translation3::identity(), quarter(Vector3::x_axis()));
    let across = quarter(Vector3::z_axis()) * quarter(Vector3::x_axis());
    let below = Isometry3::from_parts(Translation3::new(0.0, 0.0, -1.55), across);

    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(BodyDescription::new("holder", BodyKind::Fixed, ring.clone(), upright))?;
    builder.add_body(BodyDescription::new("hanging", BodyKind::Dynamic, ring, below))?;
    let mut world = builder.build()?;

    while world.time() < 2.0 {
        let report = world.step()?;
        if report.step.is_multiple_of(60) {
            let hanging = world.body("hanging").ok_or("it has a name")?;
            let (height, speed) = (hanging.position.z, hanging.linear_velocity.norm());
            println!(
                "{:.2} s: height {height:.6} m, speed {speed:.6} m/s, energy {:.3} J",
                report.time,
                world.energy().total()
            );
        }
    }
    println!("twice the difference of the radii is 1.6 m; state {:016x}", world.hash());
    Ok(())
}
