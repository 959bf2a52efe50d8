//! Hausdorff distance: how far a simplified boulder deviates from the original, and how the proved bounds close in.
//!
//! ```text
//! cargo run --release --example hausdorff
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::collections::HashMap;
use std::error::Error;

use extricate::geometry::ShapeError;
use extricate::geometry::procedural::{Blob, Procedural};
use extricate::nalgebra::{Point3, Vector3};
use extricate::query::{HausdorffOptions, Side};
use extricate::{Mesh, Posed, Shape, query};

/// The mesh with all vertices of each cell of a grid merged into their mean; triangles that collapse are dropped.
fn simplified(mesh: &Mesh, cells: f64) -> Result<Mesh, ShapeError> {
    let width = mesh.aabb().extents().max() / cells;
    let mut index_of = HashMap::new();
    let mut sums: Vec<(Vector3<f64>, f64)> = Vec::new();
    let mut merge = |p: &Point3<f64>| {
        let cell = [p.x, p.y, p.z].map(|x| (x / width).floor() as i64);
        let index = *index_of.entry(cell).or_insert(sums.len());
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
    Mesh::new(vertices, triangles.filter(has_corners).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Blob { frequency: 59, ..Blob::default() }.mesh()?;
    let coarse = simplified(&mesh, 36.0)?;
    println!("{} triangles, simplified to {}", mesh.triangles().len(), coarse.triangles().len());
    let (fine, coarse) = (Shape::surface(mesh), Shape::surface(coarse));
    let (fine, coarse) = (Posed::at_origin(&fine), Posed::at_origin(&coarse));

    println!("\naccepted error   proved bounds [m]            width     distances");
    for relative_tolerance in [0.5, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9] {
        let options =
            HausdorffOptions { relative_tolerance, size_tolerance: 0.0, ..HausdorffOptions::default() };
        let found = query::hausdorff(&fine, &coarse, &options)?;
        let (lower, upper) = (found.lower_bound, found.upper_bound);
        println!(
            "{relative_tolerance:14.0e}   {lower:.9} … {upper:.9}  {:.1e}   {:9}",
            upper - lower,
            found.evaluations
        );
    }

    let one_sided = HausdorffOptions { one_sided: true, ..HausdorffOptions::default() };
    let to_coarse = query::hausdorff(&fine, &coarse, &one_sided)?;
    let to_fine = query::hausdorff(&coarse, &fine, &one_sided)?;
    println!("\nthe original deviates from the simplification by {:.6} m,", to_coarse.value);
    println!("the simplification from the original by          {:.6} m", to_fine.value);
    let both = query::hausdorff(&fine, &coarse, &Default::default())?;
    let name = if both.farthest_on == Side::A { "the original" } else { "the simplification" };
    println!("the point that deviates most is on {name}, at {:.4}", both.witnesses[0]);
    Ok(())
}
