//! Certified signed distances of two convex shapes along a motion: each query starts from the result of the last one.
//!
//! `cargo run --release --example convex_motion`

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use std::error::Error;

use extricate::geometry::procedural::{Procedural, Sphere};
use extricate::nalgebra::{Isometry3, Vector3};
use extricate::{Posed, Shape, query};

fn main() -> Result<(), Box<dyn Error>> {
    let ball = Shape::hull(Sphere { radius: 0.5, frequency: 6 }.mesh()?.vertices())?;
    let roof = Shape::cone(0.8, 0.6).rounded(0.05)?;
    let mut cache = query::Cache::default();
    println!("height [m]  distance [m]  proved bounds [m]");
    for step in 0..=20 {
        let height = 1.2 - 0.05 * f64::from(step);
        let pose = Isometry3::new(Vector3::new(0.2, 0.1, height), Vector3::z() * 0.02 * f64::from(step));
        let (ball, roof) = (Posed::new(&ball, pose), Posed::at_origin(&roof));
        let found = query::signed_distance_with(&ball, &roof, &Default::default(), &mut cache)?;
        println!(
            "{height:10.2}  {:12.9}  {:.12} … {:.12}",
            found.value, found.lower_bound, found.upper_bound
        );
    }
    Ok(())
}
