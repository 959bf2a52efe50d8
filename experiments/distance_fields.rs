//! Distance fields measured: time, error and order on the unit sphere, and [Fisher01]'s tables 1 and 2.
//!
//! `cargo run --release --example distance_fields [-- RESOLUTION…]`
//!
//! Errors are those at the nodes inside, against the exact distance to the same triangles by closest-point queries.
//! Times are the minimum of several runs.

#![expect(clippy::print_stdout, reason = "a program that prints its results")]

use cpu_time::ProcessTime;
use std::error::Error;

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
    updates(&resolutions)?;
    table_1()?;
    table_2()
}

/// One run: the field and its times [ms].
fn timed(mesh: &TriangleMesh, grid: Grid, options: &FieldOptions) -> Outcome<(DistanceField, f64)> {
    let repeats = (20_000_000 / grid.len()).clamp(1, 50);
    let mut min = f64::INFINITY;
    let mut field = DistanceField::on(mesh, grid, options)?;
    for _ in 0..repeats {
        let start = ProcessTime::now();
        field = DistanceField::on(mesh, grid, options)?;
        min = min.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok((field, min))
}

fn accuracy(resolutions: &[usize]) -> Outcome<()> {
    let sphere = icosphere(5)?;
    let model = Model::new(sphere.clone(), Solidity::Solid);
    println!("Unit sphere of {} triangles in [-1.05, 1.05]³, inside only", sphere.triangles().len());
    println!(
        "{:>5} {:>6} {:>10} {:>10} {:>8} {:>11} {:>11} {:>6}",
        "grid", "order", "whole ms", "init ms", "ns/node", "mean error", "max error", "order"
    );
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
                format!("{order:?}"),
                1e6 * (whole - start) / field.known() as f64
            );
            last = Some((grid.spacing, mean));
        }
    }
    Ok(())
}

/// An eighth of the sphere pressed in, smoothly to its borders; the mesh and the box that holds what has changed.
fn pressed(mesh: &TriangleMesh) -> Outcome<(TriangleMesh, Aabb)> {
    let press = |p: &Point3<f64>| {
        let is_inside = p.iter().all(|&x| x > 0.0);
        // One at the middle of the octant of the unit sphere.
        let fraction = if is_inside { 27.0_f64.sqrt() * p.x * p.y * p.z } else { 0.0 };
        p - 0.05 * fraction * p.coords
    };
    let after = TriangleMesh::new(mesh.vertices().iter().map(press).collect(), mesh.triangles().to_vec())?;
    let mut region = Aabb::EMPTY;
    for index in 0..mesh.triangles().len() {
        let (old, new) = (mesh.triangle(index), after.triangle(index));
        if old != new {
            old.iter().chain(&new).for_each(|p| region.include(p));
        }
    }
    Ok((after, region))
}

/// The minimum time of making a field anew and of updating it [ms], nodes that have changed and nodes solved, the maximum
/// difference [m], and nodes with a value.
fn update(mesh: &TriangleMesh, grid: Grid) -> Outcome<[f64; 6]> {
    let options = FieldOptions { side: Side::Inside, ..Default::default() };
    let (after, region) = pressed(mesh)?;
    let (anew, whole) = timed(&after, grid, &options)?;
    let before = DistanceField::on(mesh, grid, &options)?;
    let (mut min, mut difference, mut counts) = (f64::INFINITY, 0.0_f64, [0.0; 2]);
    for _ in 0..(20_000_000 / grid.len()).clamp(3, 50) {
        let mut field = before.clone();
        let start = ProcessTime::now();
        let update = field.update(&after, &[region])?;
        min = min.min(1e3 * start.elapsed().as_secs_f64());
        counts = [update.recomputed as f64, update.solved as f64];
        let both = field.values().zip(anew.values()).filter(|(value, _)| value.is_finite());
        difference = both.map(|(a, b)| (a - b).abs()).fold(difference, f64::max);
    }
    Ok([whole, min, counts[0], counts[1], difference, anew.known() as f64])
}

fn updates(resolutions: &[usize]) -> Outcome<()> {
    let sphere = icosphere(5)?;
    println!("\nAn eighth of the sphere pressed in by 0.05: the whole anew and the update");
    println!(
        "{:>5} {:>10} {:>10} {:>7} {:>9} {:>9} {:>9} {:>11}",
        "grid", "whole ms", "update ms", "ratio", "known", "changed", "solved", "difference"
    );
    for &resolution in resolutions {
        let [whole, part, changed, solved, difference, known] = update(&sphere, around_sphere(resolution)?)?;
        let ratio = whole / part;
        println!(
            "{resolution:>5} {whole:>10.3} {part:>10.3} {ratio:>7.1} {known:>9} {changed:>9} {solved:>9} {difference:>11.1e}"
        );
    }
    Ok(())
}

/// Resolution, and of [Fisher01]'s sphere the value at its centre, and seconds for the whole field and for an eighth.
const TABLE_1: [(usize, [f64; 3]); 6] = [
    (60, [0.921986, 57.4696, 2.02469]),
    (55, [0.916389, 28.9428, 1.16319]),
    (50, [0.912209, 17.4810, 0.71547]),
    (40, [0.898008, 3.81680, 0.29566]),
    (30, [0.878681, 0.52117, 0.08658]),
    (20, [0.875549, 0.10853, 0.02734]),
];

/// At an even number of nodes none is at the centre: the value is that at the deepest node, beside the exact one.
fn table_1() -> Outcome<()> {
    let sphere = icosphere(5)?;
    let model = Model::new(sphere.clone(), Solidity::Solid);
    println!(
        "\n[Fisher01] table 1: depth at the deepest node, whole field and an eighth [ms]; theirs, then ours"
    );
    println!(
        "{:>5} {:>9} {:>9} {:>8} | {:>9} {:>9} {:>9} {:>9}",
        "grid", "centre", "whole", "eighth", "deepest", "exact", "whole", "eighth"
    );
    for (resolution, [centre, whole, eighth]) in TABLE_1 {
        let grid = around_sphere(resolution)?;
        let field =
            DistanceField::on(&sphere, grid, &FieldOptions { side: Side::Inside, ..Default::default() })?;
        let middle = [resolution / 2; 3];
        let exact = closest_point(&model, &grid.node(middle)).distance;
        let [ours, part, ..] = update(&sphere, grid)?;
        println!(
            "{resolution:>5} {centre:>9.6} {:>9.1} {:>8.1} | {:>9.6} {exact:>9.6} {ours:>9.3} {part:>9.3}",
            1e3 * whole,
            1e3 * eighth,
            -field.at(middle)
        );
    }
    Ok(())
}

/// Bodies of about as many triangles as [Fisher01]'s, at 50³ nodes; seconds for the whole field and for an eighth.
fn table_2() -> Outcome<()> {
    println!("\n[Fisher01] table 2, 50³: whole field and an eighth [ms]; theirs, then ours");
    println!(
        "{:>7} {:>9} {:>9} {:>9} | {:>9} {:>9} {:>9}",
        "body", "triangles", "whole", "eighth", "triangles", "whole", "eighth"
    );
    let torus = revolved(32, 32, |t| [1.0 + 0.4 * t.cos(), 0.4 * t.sin()])?;
    // Dented at both poles.
    let apple = revolved(14, 14, |t| {
        [0.55 * (1.0 + t.cos()) * (1.0 + 0.1 * t.sin()), 0.95 * t.sin() - 0.3 * (2.0 * t).sin()]
    })?;
    for (name, mesh, theirs) in [
        ("torus", torus, (2048, [1.04334, 0.290281])),
        ("apple", apple, (384, [10.6384, 0.958958])),
        ("sphere", icosphere(3)?, (972, [5.21021, 0.516960])),
    ] {
        let bounds = mesh.aabb();
        let half = Vector3::repeat(0.525 * bounds.extents().max());
        let grid = Grid::over(&Aabb { min: bounds.center() - half, max: bounds.center() + half }, 50)?;
        let [whole, part, ..] = update(&mesh, grid)?;
        let (triangles, [their_whole, their_part]) = theirs;
        println!(
            "{name:>7} {triangles:>9} {:>9.1} {:>9.1} | {:>9} {whole:>9.3} {part:>9.3}",
            1e3 * their_whole,
            1e3 * their_part,
            mesh.triangles().len()
        );
    }
    Ok(())
}

/// A closed outline (distance from the axis, height) revolved around the z axis.
fn revolved(points: u32, sectors: u32, outline: impl Fn(f64) -> [f64; 2]) -> Outcome<TriangleMesh> {
    let angle = |i: u32, n: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
    let mut vertices = Vec::new();
    for sector in 0..sectors {
        let (sine, cosine) = angle(sector, sectors).sin_cos();
        vertices.extend(
            (0..points).map(|i| outline(angle(i, points))).map(|[r, z]| Point3::new(r * cosine, r * sine, z)),
        );
    }
    let at = |sector: u32, i: u32| sector % sectors * points + i % points;
    let quads = (0..sectors).flat_map(|sector| (0..points).map(move |i| (sector, i)));
    let triangles = quads.flat_map(|(sector, i)| {
        let [a, b, c, d] = [at(sector, i), at(sector + 1, i), at(sector + 1, i + 1), at(sector, i + 1)];
        [[a, b, c], [a, c, d]]
    });
    Ok(TriangleMesh::new(vertices, triangles.collect())?)
}

/// Mean and maximum error inside [m].
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
    let mut vertices: Vec<Vector3<f64>> =
        vertices.into_iter().map(|p| Vector3::from(p).normalize()).collect();
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
