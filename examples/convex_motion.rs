//! Signed distances of two convex hulls along a motion: each query starts from the polytope of the last one.
//!
//! `cargo run --release --example convex_motion`

#![expect(clippy::print_stdout, reason = "a program that tells its results")]

use std::error::Error;
use std::sync::Arc;

use extricate::geometry::convex::{ConvexHull, ConvexShape};
use extricate::geometry::procedural::{Procedural, Sphere};
use extricate::penetration::convex::{ConvexCache, ConvexOptions, signed_distance};
use nalgebra::{Isometry3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let ball = Sphere { radius: 0.5, frequency: 6 }.mesh()?;
    let ball = ConvexShape::hull(Arc::new(ConvexHull::new(ball.vertices())?));
    let roof = ConvexShape::cone(0.8, 0.6).rounded(0.05);
    let (options, mut cache) = (ConvexOptions::default(), ConvexCache::default());
    println!("height [m]  distance [m]  proved no more than  supports");
    for step in 0..=20 {
        let height = 1.2 - 0.05 * f64::from(step);
        let pose = Isometry3::new(Vector3::new(0.2, 0.1, height), Vector3::z() * 0.02 * f64::from(step));
        let found = signed_distance(&ball, &pose, &roof, &Isometry3::identity(), &options, &mut cache)?;
        println!("{height:10.2}  {:12.9}  {:19.9}  {:8}", found.value, found.at_most, found.supports);
    }
    Ok(())
}
