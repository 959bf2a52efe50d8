//! Hausdorff distance: how far a simplified boulder deviates from the original, and how the proved bounds close in.
//!
//! ```text
//! cargo run --release --example hausdorff
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

use extricate::geometry::ShapeError;
use extricate::geometry::procedural::{Blob, Procedural};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::proximity::{
    HausdorffOptions, Model, SelfCollisionOptions, Side, hausdorff_distance, one_sided_hausdorff_distance,
    self_collisions, spanning_distance,
};
use nalgebra::{Isometry3, Point3, Vector3};

/// The mesh with all vertices of each cell of a grid merged into their mean; what is left of no triangle is dropped.
fn simplified(mesh: &TriangleMesh, cells: f64) -> Result<TriangleMesh, ShapeError> {
    let width = mesh.aabb().extents().max() / cells;
    let mut index_of = HashMap::new();
    let mut sums: Vec<(Vector3<f64>, f64)> = Vec::new();
    let mut merge = |p: &Point3<f64>| {
        let index =
            *index_of.entry([p.x, p.y, p.z].map(|x| (x / width).floor() as i64)).or_insert(sums.len());
        if index == sums.len() {
            sums.push((Vector3::zeros(), 0.0));
        }
        sums[index].0 += p.coords;
        sums[index].1 += 1.0;
        index as u32
    };
    let merged = mesh.vertices().iter().map(&mut merge).collect::<Vec<_>>();
    let triangles = mesh.triangles().iter().map(|t| t.map(|i| merged[i as usize]));
    let has_corners = |&[i, j, k]: &[u32; 3]| i != j && j != k && k != i;
    let vertices = sums.iter().map(|(sum, count)| Point3::from(sum / *count)).collect();
    TriangleMesh::new(vertices, triangles.filter(has_corners).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Blob { frequency: 59, ..Blob::default() }.mesh()?;
    let coarse = Model::new(simplified(&mesh, 36.0)?, Solidity::Surface);
    let (fine, pose) = (Model::new(mesh, Solidity::Surface), Isometry3::identity());
    let triangles = [&fine, &coarse].map(|model| model.mesh().triangles().len());
    println!("a boulder of {} triangles and its simplification of {}", triangles[0], triangles[1]);

    println!("\nallowed error   proved bounds [m]            width     distances        time");
    for relative_tolerance in [0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9] {
        let options =
            HausdorffOptions { relative_tolerance, size_tolerance: 0.0, ..HausdorffOptions::default() };
        let start = Instant::now();
        let found = hausdorff_distance(&fine, &pose, &coarse, &pose, &options)?;
        let time = start.elapsed();
        println!(
            "{relative_tolerance:13.0e}   {:.9} … {:.9}  {:.1e}   {:9}   {:6.1} ms",
            found.lower_bound,
            found.upper_bound,
            found.upper_bound - found.lower_bound,
            found.evaluations,
            1e3 * time.as_secs_f64()
        );
    }

    let options = HausdorffOptions::default();
    let to_coarse = one_sided_hausdorff_distance(&fine, &pose, &coarse, &pose, &options)?;
    let to_fine = one_sided_hausdorff_distance(&coarse, &pose, &fine, &pose, &options)?;
    println!("\nthe original deviates from the simplification by {:.6} m,", to_coarse.value);
    println!("the simplification from the original by          {:.6} m", to_fine.value);
    let both = hausdorff_distance(&fine, &pose, &coarse, &pose, &options)?;
    let name = if both.farthest_on == Side::A { "the original" } else { "the simplification" };
    println!("the point that is farthest away is on {name}, at {:.4}", both.witnesses[0]);

    let span = spanning_distance(&fine, &pose, &coarse, &pose);
    println!("the farthest points of both are {:.6} m apart", span.value);
    let folded = self_collisions(&coarse, &SelfCollisionOptions::default());
    println!("merging has left {} pairs of triangles of the simplification that collide", folded.len());
    Ok(())
}
