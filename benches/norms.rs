//! Queries in the norms L1 and L∞ beside those in L2, and growth distances, each through the façade and on one thread: depths of meshes in random
//! orientations, depths and distances of convex shapes.
//!
//! ```text
//! cargo bench --bench norms -- depth_of_meshes
//! ```

mod support;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::geometry::procedural::{Cup, Procedural, Torus, TorusKnot};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{Effort, LowerBound, TranslationalOptions, penetration};
use extricate::proximity::{Model, collide};
use extricate::query::{
    DistanceOptions, GrowthDistanceOptions, Norm, PenetrationOptions, Posed, Shape, distance_in_norm,
    growth_distance, penetration as depth,
};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Vector3};
use support::short_group;

const NORMS: [Norm; 3] = [Norm::L1, Norm::L2, Norm::LInf];

/// Poses of a set; each measurement goes through them in turn.
const POSES: usize = 24;

/// Poses of A in the frame of B that a test accepts, within `reach` of it.
fn poses(reach: f64, accepts: impl Fn(&Isometry3<f64>) -> bool) -> Vec<Isometry3<f64>> {
    let mut noise = Noise(1);
    std::iter::repeat_with(|| noise.pose(reach, 3.0)).filter(accepts).take(POSES).collect()
}

fn depth_of_meshes(criterion: &mut Criterion) {
    let meshes: [(&str, Result<TriangleMesh, _>); 3] = [
        ("cup", Cup::default().mesh()),
        ("torus", Torus::default().mesh()),
        ("torus_knot", TorusKnot::default().mesh()),
    ];
    let origin = Isometry3::identity();
    let mut group = short_group(criterion, "depth_of_meshes");
    for (name, mesh) in meshes {
        let model = Model::new(mesh.expect("valid"), Solidity::Solid);
        let poses = poses(model.radius(), |pose| collide(&model, pose, &model, &origin));
        for norm in NORMS {
            for effort in [Effort::Fast, Effort::Best] {
                let options = TranslationalOptions {
                    norm,
                    effort,
                    lower_bound: LowerBound::Skip,
                    parallel: false,
                    ..TranslationalOptions::default()
                };
                let mut next = poses.iter().cycle();
                group.bench_function(BenchmarkId::new(format!("{norm}_{effort:?}"), name), |bencher| {
                    bencher.iter(|| {
                        penetration(&model, next.next().expect("endless"), &model, &origin, &options)
                    });
                });
            }
        }
    }
    group.finish();
}

/// Shapes of each kind of support function.
fn convex_shapes() -> [(&'static str, Shape); 3] {
    let mut noise = Noise(2);
    let points: Vec<_> = std::iter::repeat_with(|| noise.vector().into()).take(60).collect();
    let hull = Shape::hull(&points).expect("a hull");
    [("cuboid", Shape::cuboid(Vector3::new(1.0, 0.8, 0.6))), ("ball", Shape::ball(0.5)), ("hull", hull)]
}

/// A query of all pairs of convex shapes, at poses within some metres of each other.
fn of_convex_shapes(
    criterion: &mut Criterion,
    (name, reach): (&str, f64),
    query: impl Fn([&Posed; 2], Norm) -> f64,
) {
    let shapes = convex_shapes();
    let poses = poses(reach, |_| true);
    let mut group = short_group(criterion, name);
    for (first, a) in &shapes {
        let pairs = poses.iter().map(|pose| Posed::new(a, *pose)).collect::<Vec<_>>();
        for (second, b) in &shapes {
            let still = Posed::at_origin(b);
            for norm in NORMS {
                let mut next = pairs.iter().cycle();
                let id = BenchmarkId::new(norm.to_string(), format!("{first}_{second}"));
                group.bench_function(id, |bencher| {
                    bencher.iter(|| black_box(query([next.next().expect("endless"), &still], norm)));
                });
            }
        }
    }
    group.finish();
}

fn depth_of_convex_shapes(criterion: &mut Criterion) {
    of_convex_shapes(criterion, ("depth_of_convex_shapes", 0.3), |[a, b], norm| {
        let options = PenetrationOptions { norm, ..PenetrationOptions::default() };
        depth(a, b, &options).expect("a query").map_or(0.0, |found| found.depth)
    });
}

fn distance_of_convex_shapes(criterion: &mut Criterion) {
    of_convex_shapes(criterion, ("distance_of_convex_shapes", 4.0), |[a, b], norm| {
        distance_in_norm(a, b, norm, &DistanceOptions::default()).expect("a query").value
    });
}

/// Growth distances about the centroids; the norm does not count.
fn growth(criterion: &mut Criterion) {
    let options = GrowthDistanceOptions::default();
    let shapes = convex_shapes();
    let poses = poses(2.0, |_| true);
    let mut group = short_group(criterion, "growth_distance");
    for (name, shape) in &shapes {
        let still = Posed::at_origin(shape);
        let moved: Vec<_> = poses.iter().map(|pose| Posed::new(shape, *pose)).collect();
        let mut next = moved.iter().cycle();
        group.bench_function(*name, |bencher| {
            bencher
                .iter(|| growth_distance(next.next().expect("endless"), &still, &options).expect("a query"));
        });
    }
    group.finish();
}

criterion_group!(norms, depth_of_meshes, depth_of_convex_shapes, distance_of_convex_shapes, growth);
criterion_main!(norms);
