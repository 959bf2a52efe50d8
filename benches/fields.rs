//! Distance fields of the unit sphere of 20 480 triangles, inside only: the whole field, what of it is the
//! initialisation from triangles, and an update after an eighth of the surface was pressed in; [Fisher01]'s table 1.
//!
//! `cargo bench --bench fields`. `experiments/distance_fields.rs` has the errors beside the times, and
//! `benches/peers/fields_scikit_fmm.py` the peer on the same grids.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::field::{DistanceField, FieldOptions, Grid, Order, Side};
use extricate::geometry::procedural::{Procedural, Sphere};
use extricate::geometry::{Aabb, TriangleMesh};
use nalgebra::{Point3, Vector3};

/// Nodes along an edge of the grid.
const RESOLUTIONS: [usize; 3] = [20, 60, 128];
const OPTIONS: FieldOptions = FieldOptions {
    resolution: 0,
    spacing: None,
    padding: 0.0,
    order: Order::Second,
    side: Side::Inside,
    band: None,
    exact: None,
};

fn sphere() -> TriangleMesh {
    Sphere { radius: 1.0, frequency: 32 }.mesh().expect("a sphere is one")
}

fn grid(resolution: usize) -> Grid {
    let half = Vector3::repeat(1.05);
    Grid::over(&Aabb { min: Point3::from(-half), max: Point3::from(half) }, resolution).expect("a box is one")
}

/// The sphere with an octant pressed in, and the box that holds the change.
fn pressed(mesh: &TriangleMesh) -> (TriangleMesh, Aabb) {
    let press = |p: &Point3<f64>| {
        let fraction = if p.iter().all(|&x| x > 0.0) { 27.0_f64.sqrt() * p.x * p.y * p.z } else { 0.0 };
        p - 0.05 * fraction * p.coords
    };
    let vertices = mesh.vertices().iter().map(press).collect();
    let after = TriangleMesh::new(vertices, mesh.triangles().to_vec()).expect("it has as many vertices");
    (after, Aabb { min: Point3::origin(), max: Point3::new(1.0, 1.0, 1.0) })
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group
}

fn whole(criterion: &mut Criterion) {
    let mesh = sphere();
    for (name, band) in [("fields/whole", None), ("fields/initialisation", Some(0.0))] {
        let mut group = group(criterion, name);
        for resolution in RESOLUTIONS {
            let (grid, options) = (grid(resolution), FieldOptions { band, ..OPTIONS });
            group.bench_function(BenchmarkId::from_parameter(resolution), |bencher| {
                bencher.iter(|| black_box(DistanceField::on(&mesh, grid, &options)));
            });
        }
    }
}

fn update(criterion: &mut Criterion) {
    let mesh = sphere();
    let (after, region) = pressed(&mesh);
    let mut group = group(criterion, "fields/update");
    for resolution in RESOLUTIONS {
        let before = DistanceField::on(&mesh, grid(resolution), &OPTIONS).expect("a sphere is closed");
        group.bench_function(BenchmarkId::from_parameter(resolution), |bencher| {
            let updated = |mut field: DistanceField| {
                let update = field.update(&after, &[region]);
                (update, field)
            };
            bencher.iter_batched(|| before.clone(), updated, BatchSize::LargeInput);
        });
    }
}

criterion_group!(benches, whole, update);
criterion_main!(benches);
