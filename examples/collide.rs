//! Collision: the backlash of two meshing gears, and a solid inside another one.
//!
//! ```text
//! cargo run --release --example collide
//! ```
//!
//! The second gear is rotated about its axis, and collision is queried at every angle. Then a pebble is put into the middle
//! of a block: a solid inside another one collides although no surfaces meet.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::f64::consts::TAU;

use extricate::geometry::procedural::{Cuboid, Gear, Procedural};
use extricate::nalgebra::{Isometry3, Vector3};
use extricate::{Posed, Shape, query};

fn main() -> Result<(), Box<dyn Error>> {
    let gear = Gear::default();
    let (teeth, pitch) = (gear.teeth, TAU / f64::from(gear.teeth));
    let gear = Shape::mesh(gear.mesh()?);
    let outer_radius = 0.5 * gear.aabb(&Isometry3::identity()).extents().x;
    println!("two gears of {teeth} teeth");

    // Closer than twice the outer radius, so that the teeth reach between each other.
    for fraction in [2.02, 1.95, 1.9] {
        let apart = Isometry3::translation(fraction * outer_radius, 0.0, 0.0);
        let (steps, mut free) = (360, 0);
        for step in 0..steps {
            let slip = pitch * f64::from(step) / f64::from(steps);
            let rotated = Posed::new(&gear, apart * Isometry3::rotation(Vector3::z() * slip));
            if !query::collide(&Posed::at_origin(&gear), &rotated, &Default::default())? {
                free += 1;
            }
        }
        let degrees = (f64::from(free) * pitch / f64::from(steps)).to_degrees();
        println!(
            "  axes {fraction} outer radii apart: free in {degrees:.2} of the {:.2} degrees from tooth to tooth",
            pitch.to_degrees()
        );
    }

    // A closed mesh is a solid unless it is declared a surface.
    let (pebble, block) = (Shape::ball(0.1), Cuboid::default().mesh()?);
    for block in [Shape::mesh(block.clone()), Shape::surface(block)] {
        let collides =
            query::collide(&Posed::at_origin(&pebble), &Posed::at_origin(&block), &Default::default())?;
        println!("a pebble in the middle of a {} collides: {collides}", block.kind());
    }
    Ok(())
}
