//! Penetration of a spoon in the wall of a cup: the translation that separates them, globally and region by region.
//!
//! `cargo run --release --example penetration_depth`

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use std::error::Error;

use extricate::geometry::procedural::{Cup, Procedural, Spoon};
use extricate::nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use extricate::penetration::Effort;
use extricate::query::PenetrationOptions;
use extricate::{Posed, Shape, query};

fn main() -> Result<(), Box<dyn Error>> {
    let (spoon, cup) = (Shape::mesh(Spoon::default().mesh()?), Shape::mesh(Cup::default().mesh()?));
    let cup = Posed::at_origin(&cup);
    let tilted = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -1.2);
    let at = |x: f64| Isometry3::from_parts(Translation3::new(x, 0.0, 0.3), tilted);

    // From scratch: the minimum translation found from many starts, verified free.
    let start = Posed::new(&spoon, at(0.8));
    match query::penetration(&start, &cup, &Default::default())? {
        None => println!("proved apart"),
        Some(found) => {
            let n = found.direction;
            println!("depth {:.6} m along ({:.3}, {:.3}, {:.3})", found.depth, n.x, n.y, n.z);
            println!("  no translation shorter than {:.6} m separates them: proved", found.lower_bound);
            for region in query::local_penetrations_of(&start, &cup, &found)? {
                println!("  region at {:.3?}: {:.6} m", region.point.coords.as_slice(), region.depth);
            }
            let moved = Posed::new(&spoon, Translation3::from(found.translation) * at(0.8));
            println!("  collides afterwards: {}", query::collide(&moved, &cup, &Default::default())?);
        }
    }

    // Along a motion: pushed back to the side from which it came, at a fraction of the work.
    let fast = PenetrationOptions { effort: Effort::Fast, ..Default::default() };
    let mut cache = query::Cache::default();
    for x in [1.2, 1.0, 0.8, 0.6, 0.4] {
        match query::penetration_with(&Posed::new(&spoon, at(x)), &cup, &fast, &mut cache)? {
            None => println!("x = {x} m: free"),
            Some(found) => println!("x = {x} m: {:.6} m deep after {} casts", found.depth, found.casts),
        }
    }
    Ok(())
}
