//! Time of contact: a spoon falls into a cup; the first contact is found in one query, without stepping.
//!
//! ```text
//! cargo run --release --example time_of_contact
//! ```
//!
//! Sampling the same fall with collision queries finds the contact to within one step only, and may miss it.

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;

use extricate::geometry::procedural::{Cup, Procedural, Spoon};
use extricate::nalgebra::{Isometry3, Translation3, Vector3};
use extricate::query::Moving;
use extricate::{Posed, Shape, query};

fn main() -> Result<(), Box<dyn Error>> {
    let (spoon, cup) = (Shape::mesh(Spoon::default().mesh()?), Shape::mesh(Cup::default().mesh()?));
    let still = Moving::still(&cup, &Isometry3::identity());
    let fall = Vector3::new(0.0, 0.0, -6.0);
    for (tilt, aside) in [(0.0, 0.0), (0.4, 0.1), (1.2, 0.3), (1.5, 0.0), (0.0, 5.0)] {
        let start = Isometry3::new(Vector3::new(aside, 0.0, 3.0), Vector3::y() * tilt);
        let at = |time: f64| Translation3::from(time * fall) * start;

        let falling = Moving::linear(&spoon, &start, &at(1.0));
        let Some(hit) = query::time_of_contact(&falling, &still, &Default::default())? else {
            println!("tilt {tilt}, {aside} m aside: proved to touch at no time");
            continue;
        };
        let n = hit.normal;
        println!("tilt {tilt}, {aside} m aside: touches at {:.9}", hit.time);
        println!("  normal ({:.3}, {:.3}, {:.3}), then {:.1e} m apart", n.x, n.y, n.z, hit.gap);

        let (steps, mut step) = (1000, 0);
        let touches = |step: i32| {
            let spoon = Posed::new(&spoon, at(f64::from(step) / f64::from(steps)));
            query::collide(&spoon, &Posed::at_origin(&cup), &Default::default())
        };
        while step < steps && !touches(step)? {
            step += 1;
        }
        println!("  sampled: collides at step {step} of {steps}");
    }
    Ok(())
}
