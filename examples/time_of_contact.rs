//! Time of contact: a spoon falls into a cup, exactly, without stepping.
//!
//! ```text
//! cargo run --release --example time_of_contact
//! ```
//!
//! The first contact of a translation is found in one query. Sampling the same fall with collision queries finds it to
//! within one step only, and takes as many queries as there are steps.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::time::Instant;

use extricate::geometry::Solidity;
use extricate::geometry::procedural::{Cup, Procedural, Spoon};
use extricate::proximity::{Model, collide, distance, translational};
use nalgebra::{Isometry3, Translation3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let spoon = Model::new(Spoon::default().mesh()?, Solidity::Solid);
    let cup = Model::new(Cup::default().mesh()?, Solidity::Solid);
    let rest = Isometry3::identity();
    let fall = Vector3::new(0.0, 0.0, -6.0);
    println!(
        "a spoon of {} triangles falls {} m onto a cup of {}",
        spoon.mesh().triangles().len(),
        fall.norm(),
        cup.mesh().triangles().len()
    );
    for (tilt, aside) in [(0.0, 0.0), (0.4, 0.1), (1.2, 0.3), (1.5, 0.0), (0.0, 5.0)] {
        let start = Isometry3::new(Vector3::new(aside, 0.0, 3.0), Vector3::y() * tilt);
        let clock = Instant::now();
        let Some(hit) = translational(&spoon, &start, &fall, &cup, &rest)? else {
            println!("  tilt {tilt}, {aside} m aside: never touches");
            continue;
        };
        let one_query = clock.elapsed();
        let at = |time: f64| Translation3::from(time * fall) * start;
        let gap = distance(&spoon, &at(hit.time), &cup, &rest).value;
        let clock = Instant::now();
        let steps = 1000;
        let sampled = (0..=steps)
            .map(|step| f64::from(step) / f64::from(steps))
            .find(|&time| collide(&spoon, &at(time), &cup, &rest));
        let many_queries = clock.elapsed();
        let n = hit.normal;
        println!("  tilt {tilt}, {aside} m aside: touches at {:.9} in {one_query:.1?}", hit.time);
        println!("    normal ({:.3}, {:.3}, {:.3}), then {gap:.1e} m apart", n.x, n.y, n.z);
        println!("    sampled in {steps} steps: {} in {many_queries:.1?}", sampled.unwrap_or(f64::NAN));
    }
    Ok(())
}
