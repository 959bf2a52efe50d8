//! Distance fields measured: time, error and order on the unit sphere, and [Fisher01]'s tables 1 and 2.
//!
//! `cargo run --release --example distance_fields [-- RESOLUTION…]`
//!
//! Errors are those at the nodes inside, against the exact distance to the same triangles by closest-point queries.
//! Times are the least of several runs.

use std::error::Error;
use cpu_time::ProcessTime;

use extricate::field::{DistanceField, FieldOptions, Grid, Order, Side};
use extricate::geometry::{Aabb, Solidity, TriangleMesh};
use extricate::proximity::{Model, closest_point};
use nalgebra::{Point3, Vector3};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Edge of the box around the unit sphere [m].
const BOX: f64 = 2.1;

fn main() -> Outcome<()> {
    let given = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<Vec<usize>, _>>()?;
    let resolutions = if given.is_empty() { vec![20, 30, 40, 60, 128] } else { given };
    accuracy(&resolutions)?;
    Ok(())
}

/// One run: the field and its times [ms].
fn timed(mesh: &TriangleMesh, grid: Grid, options: &FieldOptions) -> Outcome<(DistanceField, f64)> {
    let repeats = (20_000_000 / grid.len()).clamp(1, 50);
    let mut least = f64::INFINITY;
    let mut field = DistanceField::on(mesh, grid, options)?;
    for _ in 0..repeats {
        let start = ProcessTime::now();
        field = DistanceField::on(mesh, grid, options)?;
        least = least.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok((field, least))
}

fn accuracy(resolutions: &[usize]) -> Outcome<()> {
    let sphere = icosphere(5)?;
    let model = Model::new(sphere.clone(), Solidity::Solid);
    println!("Unit sphere of {} triangles in [-1.05, 1.05]³, inside only", sphere.triangles().len());
    println!("{:>5} {:>6} {:>10} {:>10} {:>8} {:>11} {:>11} {:>6}", "grid", "order", "whole ms", "init ms", "ns/node", "mean error", "max error", "order");
    for order in [Order::First, Order::Second] {
        let mut last: Option<(f64, f64)> = None;
        for &resolution in resolutions {
            let grid = around_sphere(resolution)?;
            let options = FieldOptions { order, side: Side::Inside, ..Default::default() };
            let (field, whole) = timed(&sphere, grid, &options)?;
            let (_, start) = timed(&sphere, grid, &FieldOptions { band: Some(0.0), ..options })?;
            let (mean, most) = errors(&field, &model);
            let observed = last.map_or(f64::NAN, |(h, error)| (error / mean).ln() / (h / grid.spacing).ln());
            println!(
                "{resolution:>5} {:>6} {whole:>10.3} {start:>10.3} {:>8.1} {mean:>11.3e} {most:>11.3e} {observed:>6.2}",
                format!("{order:?}"), 1e6 * (whole - start) / field.known() as f64
            );
            last = Some((grid.spacing, mean));
        }
    }
    Ok(())
}

/// Mean and greatest error inside [m].
fn errors(field: &DistanceField, model: &Model) -> (f64, f64) {
    let stride = field.grid().len().div_ceil(300_000);
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0);
    for (value, node) in field.values().zip(field.nodes()).filter(|(value, _)| *value < 0.0).step_by(stride) {
        let error = (closest_point(model, &node).distance + value).abs();
        (sum, most, count) = (sum + error, most.max(error), count + 1);
    }
    (sum / f64::from(count), most)
}

fn around_sphere(resolution: usize) -> Outcome<Grid> {
    let half = Vector3::repeat(0.5 * BOX);
    Ok(Grid::over(&Aabb { min: Point3::from(-half), max: Point3::from(half) }, resolution)?)
}

/// The unit sphere as an icosahedron whose triangles have been quartered `levels` times.
fn icosphere(levels: usize) -> Outcome<TriangleMesh> {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut vertices = Vec::new();
    for (one, long) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        vertices.extend([[one, long, 0.0], [0.0, one, long], [long, 0.0, one]]);
    }
    let mut vertices: Vec<Vector3<f64>> = vertices.into_iter().map(|p| Vector3::from(p).normalize()).collect();
    let mut triangles = hull(&vertices);
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32, vertices: &mut Vec<Vector3<f64>>| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(x, y)| middle(x, y, &mut vertices));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    Ok(TriangleMesh::new(vertices.into_iter().map(Point3::from).collect(), triangles)?)
}

/// The faces of the icosahedron: triples of vertices at the distance of neighbours, outward.
fn hull(vertices: &[Vector3<f64>]) -> Vec<[u32; 3]> {
    let near = |a: usize, b: usize| (vertices[a] - vertices[b]).norm() < 1.1;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = vertices[a].dot(&vertices[b].cross(&vertices[c])) > 0.0;
                    faces.push(if outward { [a, b, c] } else { [a, c, b] }.map(|i| i as u32));
                }
            }
        }
    }
    faces
}
