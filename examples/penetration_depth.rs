//! How deep a spoon is in the wall of a cup, globally and region by region, and where it goes to be free.
//!
//! `cargo run --release --example penetration_depth`

#![expect(clippy::print_stdout, reason = "a program that tells its results")]

use std::error::Error;

use extricate::geometry::Solidity;
use extricate::geometry::procedural::{Cup, Procedural, Spoon};
use extricate::penetration::{
    Effort, MotionCoherence, TranslationalOptions, local_penetrations, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let cup = Model::new(Cup::default().mesh()?, Solidity::Solid);
    let spoon = Model::new(Spoon::default().mesh()?, Solidity::Solid);
    let in_cup = Isometry3::identity();
    let tilted = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -1.2);
    let at = |x: f64| Isometry3::from_parts(Translation3::new(x, 0.0, 0.3), tilted);

    // From scratch: the least translation found from many starts, verified free.
    let options = TranslationalOptions::default();
    let pose = at(0.8);
    match penetration(&spoon, &pose, &cup, &in_cup, &options)? {
        None => println!("the spoon is free"),
        Some(found) => {
            let direction = found.direction.into_inner();
            println!(
                "depth {:.6} m along ({:.3}, {:.3}, {:.3})",
                found.depth, direction.x, direction.y, direction.z
            );
            for region in local_penetrations(&spoon, &pose, &cup, &in_cup, &found) {
                println!("  region at {:.3?}: {:.6} m", region.point.coords.as_slice(), region.depth);
            }
            let moved = Translation3::from(found.translation) * pose;
            println!("  collides after the move: {}", collide(&spoon, &moved, &cup, &in_cup));
        }
    }

    // Along a motion: pushed back to the side it came from, at a fraction of the work.
    let fast = TranslationalOptions { effort: Effort::Fast, ..options };
    let mut coherence = MotionCoherence::default();
    for step in 0..5 {
        let pose = at(1.2 - 0.2 * f64::from(step));
        match penetration_coherent((&spoon, &pose), (&cup, &in_cup), &fast, &mut coherence)? {
            None => println!("x = {:.1} m: free", pose.translation.x),
            Some(found) => {
                println!(
                    "x = {:.1} m: {:.6} m deep after {} casts",
                    pose.translation.x, found.depth, found.casts
                );
            }
        }
    }
    Ok(())
}
