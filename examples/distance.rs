//! Separation distance: how close a torus knot passes a boulder, and how a cache follows coherent motion.
//!
//! ```text
//! cargo run --release --example distance
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::time::Instant;

use extricate::geometry::ShapeError;
use extricate::geometry::Solidity;
use extricate::geometry::procedural::{Blob, Procedural, TorusKnot};
use extricate::proximity::{
    DistanceCache, Model, closest_point, distance, distance_with_cache, is_within, signed_distance,
};
use nalgebra::{Isometry3, Point3, Vector3};

/// A body that tumbles past the origin along x.
fn pose_at(time: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(4.0 - 8.0 * time, 2.1, 0.3), Vector3::new(5.0, 1.0, 2.0) * time)
}

fn main() -> Result<(), ShapeError> {
    let boulder = Model::new(Blob { frequency: 32, ..Blob::default() }.mesh()?, Solidity::Solid);
    let knot = Model::new(TorusKnot::default().mesh()?, Solidity::Solid);
    let rest = Isometry3::identity();
    let triangles = [&boulder, &knot].map(|model| model.mesh().triangles().len());
    println!("a torus knot of {} triangles passes a boulder of {}", triangles[1], triangles[0]);

    let steps = 200;
    let times = || (0..=steps).map(|step| f64::from(step) / f64::from(steps));
    let start = Instant::now();
    let cold = times().map(|t| distance(&knot, &pose_at(t), &boulder, &rest)).collect::<Vec<_>>();
    let cold_time = start.elapsed() / (steps + 1);
    let mut cache = DistanceCache::default();
    let start = Instant::now();
    let warm = times()
        .map(|t| distance_with_cache(&knot, &pose_at(t), &boulder, &rest, &mut cache).value)
        .collect::<Vec<_>>();
    let warm_time = start.elapsed() / (steps + 1);

    let nearest = times().zip(&cold).min_by(|x, y| x.1.value.total_cmp(&y.1.value));
    if let Some((time, found)) = nearest {
        let [x, y] = found.witnesses;
        println!("  nearest at t = {time:.3}: {:.6} m, from {x:.3} to {y:.3}", found.value);
        for limit in [0.5 * found.value, 2.0 * found.value] {
            let within = is_within(&knot, &pose_at(time), &boulder, &rest, limit);
            println!("  within {limit:.6} m then: {within}");
        }
    }
    let differing = cold.iter().zip(&warm).map(|(x, y)| (x.value - y).abs()).fold(0.0, f64::max);
    println!(
        "  {cold_time:.1?} a query, {warm_time:.1?} with a cache, answers at most {differing:.0e} m apart"
    );

    let probe = Point3::new(0.1, 0.2, 0.9);
    let found = closest_point(&boulder, &probe);
    println!("closest to {probe} is {:.4}, {:.6} m away", found.point, found.distance);
    println!(
        "signed distance of the boulder's middle: {:.6} m",
        signed_distance(&boulder, &boulder.center())
    );
    Ok(())
}
