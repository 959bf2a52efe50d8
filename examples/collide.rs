//! Collision: how much of its turn two gears may slip before their teeth clash.
//!
//! ```text
//! cargo run --release --example collide
//! ```
//!
//! Two equal gears mesh; the second one is turned about its axis, and collision is asked at every angle. Then a
//! pebble is dropped into a bowl and into a closed box: a solid inside another one collides although no surfaces meet.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::f64::consts::TAU;

use extricate::geometry::ShapeError;
use extricate::geometry::Solidity;
use extricate::geometry::procedural::{Cuboid, Gear, Procedural, Sphere};
use extricate::proximity::{Model, collide, intersecting_pairs, surfaces_collide};
use nalgebra::{Isometry3, Vector3};

fn main() -> Result<(), ShapeError> {
    let gear = Gear::default();
    let teeth = gear.teeth;
    let model = Model::new(gear.mesh()?, Solidity::Solid);
    let pitch = TAU / f64::from(teeth);
    println!("two gears of {teeth} teeth, {} triangles each", model.mesh().triangles().len());

    // Closer than twice the outer radius, so that the teeth reach between each other.
    let outer = 0.5 * model.mesh().aabb().extents().x;
    for share in [2.02, 1.95, 1.9] {
        let apart = Isometry3::translation(share * outer, 0.0, 0.0);
        let turned = |slip: f64| apart * Isometry3::rotation(Vector3::z() * slip);
        let steps = 360;
        let free = (0..steps).filter(|&step| {
            let slip = pitch * f64::from(step) / f64::from(steps);
            !collide(&model, &Isometry3::identity(), &model, &turned(slip))
        });
        let degrees = (free.count() as f64 * pitch / f64::from(steps)).to_degrees();
        println!(
            "  axes {share} outer radii apart: free in {degrees:.2} of the {:.2} degrees from tooth to tooth",
            pitch.to_degrees()
        );
        let mut pairs = Vec::new();
        intersecting_pairs(&model, &Isometry3::identity(), &model, &apart, &mut pairs);
        println!("    at zero slip {} pairs of triangles intersect", pairs.len());
    }

    let pebble = Model::new(Sphere { radius: 0.1, ..Sphere::default() }.mesh()?, Solidity::Solid);
    let block = Cuboid::default().mesh()?;
    let origin = Isometry3::identity();
    for solidity in [Solidity::Solid, Solidity::Surface] {
        let block = Model::new(block.clone(), solidity);
        println!(
            "a pebble in the middle of a {solidity:?}: surfaces meet: {}, collide: {}",
            surfaces_collide(&pebble, &origin, &block, &origin),
            collide(&pebble, &origin, &block, &origin)
        );
    }
    Ok(())
}
