//! Continuous collision of deforming meshes [Lin17 §40.3]: elementary tests beside tight inclusion, and a folded sheet
//! of 92 450 triangles.
//!
//! Throughputs are queries a second. The tolerance of ours is 1e-12 of the extent, that of the peer 1e-6 m as in its
//! paper; both miss no contact.

#![expect(clippy::print_stdout, reason = "sizes and contacts belong beside the times")]

mod cloth;
#[path = "../../experiments/elementary_ccd/generate.rs"]
mod generate;
mod inclusion;
#[path = "../../experiments/elementary_ccd/question.rs"]
mod question;

use std::hint::black_box;
use std::time::Duration;

use cloth::{CELLS, Query, elementary_queries, folded, sheet};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use extricate::proximity::deforming::{
    DeformingModel, DeformingOptions, ElementaryOptions, edge_edge, first_self_contact, self_collides,
    self_contacts, vertex_face,
};
use generate::Class;
use nalgebra::Point3;
use question::Kind;

/// Queries of a set.
const QUERIES: usize = 2000;

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    group
}

/// Generated queries of some classes and of one kind.
fn generated(is_face: bool, classes: &[Class]) -> Vec<Query> {
    let of_index = |index| {
        let (class, kind, query) = generate::query(3, index);
        let fits = classes.contains(&class) && (kind == Kind::VertexFace) == is_face;
        fits.then(|| query.map(|points| points.map(Point3::from)))
    };
    (0..).filter_map(of_index).take(QUERIES).collect()
}

fn elementary(criterion: &mut Criterion) {
    let mesh = sheet(CELLS);
    for (kind, is_face) in [("vertex_face", true), ("edge_edge", false)] {
        let sets = [
            ("random", generated(is_face, &[Class::Random])),
            ("simulated", elementary_queries(is_face, &mesh, 1.9, 1.92, QUERIES)),
            ("aimed", generated(is_face, &[Class::Aimed])),
            ("near_degenerate", generated(is_face, &[Class::Grazing, Class::Parallel, Class::InMovingPlane])),
        ];
        let mut group = group(criterion, kind);
        for (name, queries) in &sets {
            group.throughput(Throughput::Elements(queries.len() as u64));
            let ours = |[start, end]: &Query| {
                let options = ElementaryOptions::default();
                if is_face { vertex_face(start, end, &options) } else { edge_edge(start, end, &options) }
            };
            let contacts = queries.iter().filter(|query| matches!(ours(query), Ok(Some(_)))).count();
            println!("{kind}/{name}: {} queries, {contacts} contacts", queries.len());
            group.bench_with_input(BenchmarkId::new("ours", name), queries, |bencher, queries| {
                bencher.iter(|| queries.iter().filter(|query| matches!(ours(query), Ok(Some(_)))).count());
            });
            // The peer's rounding is that of coordinates near one; it does not know the disguised scales.
            if *name == "near_degenerate" {
                continue;
            }
            let few = &queries[..QUERIES / 40];
            group.throughput(Throughput::Elements(few.len() as u64));
            group.bench_with_input(BenchmarkId::new("inclusion", name), few, |bencher, few| {
                bencher.iter(|| {
                    few.iter().filter(|[s, e]| inclusion::first_contact(is_face, s, e).is_some()).count()
                });
            });
        }
        group.finish();
    }
}

fn folded_sheet(criterion: &mut Criterion) {
    let mesh = sheet(CELLS);
    let with = DeformingOptions::default();
    let without = DeformingOptions { normal_cones: false, ..with };
    let mut model = DeformingModel::new(&mesh).expect("a small mesh");
    let triangles = mesh.triangles().len();
    let mut group = group(criterion, &format!("sheet/{triangles}"));
    group.bench_function("build", |bencher| bencher.iter(|| DeformingModel::new(black_box(&mesh))));
    for (name, from, to) in [("height_field", 0.8, 0.81), ("folded", 1.9, 1.92), ("in_contact", 2.2, 2.22)] {
        let (start, end) = (folded(&mesh, from), folded(&mesh, to));
        let mut step = |options: Option<&DeformingOptions>| {
            model.set_motion(&start, &end).expect("finite");
            let mut contacts = Vec::new();
            if let Some(options) = options {
                self_contacts(&model, options, &mut contacts).expect("valid options");
            }
            contacts.len()
        };
        let contacts = [step(Some(&with)), step(Some(&without))];
        group.bench_function(BenchmarkId::new("refit", name), |b| b.iter(|| step(None)));
        group.bench_function(BenchmarkId::new("refit_and_contacts", name), |b| b.iter(|| step(Some(&with))));
        group.bench_function(BenchmarkId::new("without_cones", name), |b| b.iter(|| step(Some(&without))));
        println!("{name}: contacts {contacts:?}, {} bytes a triangle", model.memory() / triangles);
        group.bench_function(BenchmarkId::new("boolean", name), |b| b.iter(|| self_collides(&model, &with)));
        group.bench_function(BenchmarkId::new("first", name), |b| {
            b.iter(|| first_self_contact(&model, &with))
        });
    }
    group.finish();
}

criterion_group!(benches, elementary, folded_sheet);
criterion_main!(benches);
