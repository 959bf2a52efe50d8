//! Separation distance: how close a torus knot passes a boulder, and how a cache follows coherent motion.
//!
//! ```text
//! cargo run --release --example distance
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::time::Instant;

use extricate::geometry::procedural::{Blob, Procedural, TorusKnot};
use extricate::nalgebra::{Isometry3, Vector3};
use extricate::query::CollideOptions;
use extricate::{Posed, Shape, query};

/// A body that tumbles past the origin along x.
fn pose_at(time: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(4.0 - 8.0 * time, 2.1, 0.3), Vector3::new(5.0, 1.0, 2.0) * time)
}

fn main() -> Result<(), Box<dyn Error>> {
    let boulder = Shape::mesh(Blob { frequency: 32, ..Blob::default() }.mesh()?);
    let knot = Shape::mesh(TorusKnot::default().mesh()?);
    let boulder = Posed::at_origin(&boulder);
    let knot_at = |time: f64| Posed::new(&knot, pose_at(time));
    let times: Vec<f64> = (0..=200).map(|step| f64::from(step) / 200.0).collect();

    // From scratch at each time.
    let start = Instant::now();
    let mut cold = Vec::new();
    for &time in &times {
        cold.push(query::distance(&knot_at(time), &boulder, &Default::default())?);
    }
    let cold_time = start.elapsed() / 201;

    // With a cache, which starts each query from the closest points of the last one.
    let start = Instant::now();
    let (mut cache, mut warm) = (query::Cache::default(), Vec::new());
    for &time in &times {
        warm.push(query::distance_with(&knot_at(time), &boulder, &Default::default(), &mut cache)?);
    }
    let warm_time = start.elapsed() / 201;

    let nearest = times.iter().zip(&cold).min_by(|x, y| x.1.value.total_cmp(&y.1.value));
    if let Some((&time, found)) = nearest {
        let [on_knot, on_boulder] = found.points;
        println!("nearest at t = {time:.3}: {:.6} m, from {on_knot:.3} to {on_boulder:.3}", found.value);
        for clearance in [0.5 * found.value, 2.0 * found.value] {
            let is_within = query::collide(
                &knot_at(time),
                &boulder,
                &CollideOptions { clearance, ..Default::default() },
            )?;
            println!("  within {clearance:.6} m then: {is_within}");
        }
    }
    let differing = cold.iter().zip(&warm).map(|(x, y)| (x.value - y.value).abs()).fold(0.0, f64::max);
    println!(
        "{cold_time:.1?} a query, {warm_time:.1?} with a cache, results at most {differing:.0e} m apart"
    );

    // Negative inside: a small ball in the middle of the boulder.
    let probe = Shape::ball(1e-3);
    let inside = query::signed_distance(&Posed::at_origin(&probe), &boulder, &Default::default())?;
    println!("signed distance of a ball of 1 mm in the middle: {:.6} m", inside.value);
    Ok(())
}
