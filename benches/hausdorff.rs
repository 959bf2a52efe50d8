//! Hausdorff distance at several errors, spanning distance, and self-collision of a mesh at rest.
//!
//! `cargo bench --bench hausdorff`. The pairs are a mesh against itself, against a copy that was moved a little and
//! against a finer or coarser mesh of the same shape, and two meshes that have nothing in common.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::geometry::{Solidity, procedural};
use extricate::proximity::{
    HausdorffOptions, Model, SelfCollisionOptions, hausdorff_distance, self_collisions, spanning_distance,
};
use nalgebra::{Isometry3, Vector3};

/// Name, procedural kind and its parameters.
type Recipe = (&'static str, &'static [(&'static str, f64)]);

const BLOB_70K: Recipe = ("blob", &[("frequency", 59.0)]);
const BLOB_10K: Recipe = ("blob", &[("frequency", 22.0)]);
const KNOT_3K: Recipe = ("torus_knot", &[]);
const CUP_2K: Recipe = ("cup", &[]);

fn model((kind, parameters): Recipe) -> Model {
    let parameters = parameters.iter().map(|&(key, value)| (key.to_owned(), value));
    let mesh = procedural::build(kind, &parameters.collect::<BTreeMap<_, _>>())
        .expect("the kinds and their parameters are those above");
    Model::new(mesh, Solidity::Surface)
}

/// A pose a little off the identity.
fn moved() -> Isometry3<f64> {
    Isometry3::new(Vector3::new(0.03, 0.02, 0.01), Vector3::new(0.02, 0.01, 0.03))
}

fn pairs() -> [(&'static str, Model, Model, Isometry3<f64>); 5] {
    let here = Isometry3::identity();
    [
        ("blob_70k_itself", model(BLOB_70K), model(BLOB_70K), here),
        ("blob_70k_moved", model(BLOB_70K), model(BLOB_70K), moved()),
        ("blob_70k_blob_10k", model(BLOB_70K), model(BLOB_10K), here),
        ("knot_3k_moved", model(KNOT_3K), model(KNOT_3K), moved()),
        ("knot_3k_cup_2k", model(KNOT_3K), model(CUP_2K), here),
    ]
}

fn hausdorff(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hausdorff");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    let here = Isometry3::identity();
    for (name, a, b, pose) in &pairs() {
        for relative_tolerance in [1e-1, 1e-2, 1e-3, 1e-6] {
            let options = HausdorffOptions { relative_tolerance, ..HausdorffOptions::default() };
            let id = BenchmarkId::new(*name, format!("{relative_tolerance:.0e}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| black_box(hausdorff_distance(a, &here, b, pose, &options)));
            });
        }
    }
}

fn spanning(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("spanning");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    let here = Isometry3::identity();
    for (name, a, b, pose) in &pairs() {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| black_box(spanning_distance(a, &here, b, pose)));
        });
    }
}

fn self_collision(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("self_collision");
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (name, recipe) in
        [("blob_70k", BLOB_70K), ("blob_10k", BLOB_10K), ("knot_3k", KNOT_3K), ("cup_2k", CUP_2K)]
    {
        let model = model(recipe);
        let options = SelfCollisionOptions::default();
        group.bench_function(name, |bencher| bencher.iter(|| black_box(self_collisions(&model, &options))));
    }
}

criterion_group!(benches, hausdorff, spanning, self_collision);
criterion_main!(benches);
