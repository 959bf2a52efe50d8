//! Proximity queries beside parry3d-f64: building the tree, collision, distance, distance within a tolerance, time of
//! contact, Hausdorff distance; on five pairs of meshes, at random poses and in coherent motion.
//!
//! A query is timed over a set of seeded poses, so a time is that of the whole set; compare the throughputs, which
//! are queries a second, because the peer answers few of the poses where it is slow. Ours starts each distance from
//! the result of the last one; the peer has no warm start.
//!
//! ```text
//! cargo bench --bench proximity -- distance
//! ```

#![expect(clippy::print_stdout, reason = "sizes and agreement belong beside the times")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use extricate::geometry::{Solidity, TriangleMesh, procedural};
use extricate::proximity::{self, DistanceCache, DistanceOptions, HausdorffOptions, Model};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::TriMesh;

/// Random directions are those of vectors of such lengths.
const LENGTHS: RangeInclusive<f64> = 0.01..=1.0;

/// Poses of a set.
const POSES: usize = 32;
/// Of pairs with more triangles than this, the peer answers only so many poses of the set where it is slow: it needs up
/// to half a second for one.
const LARGE: (usize, usize) = (8000, 2);
/// Number of poses for smaller pairs.
const SMALL: usize = 4;
/// Relative tolerance of the distances within one.
const TOLERANCE: f64 = 1e-2;

/// Name, procedural kind and its parameters.
type Recipe = (&'static str, &'static str, &'static [(&'static str, f64)]);

const GRATE: Recipe = ("grate_1k", "grate", &[("subdivisions", 2.0)]);
const CUP: Recipe = ("cup_2k", "cup", &[]);
const KNOT: Recipe = ("torus_knot_3k", "torus_knot", &[]);
const BUMPY: Recipe = ("bumpy_sphere_3k", "bumpy_sphere", &[]);
const TORUS: Recipe = ("torus_2k", "torus", &[("segments", 50.0), ("sides", 20.0)]);
const FIGURINE: Recipe = ("figurine_16k", "figurine", &[("frequency", 28.0)]);
const LONG_KNOT: Recipe = ("torus_knot_16k", "torus_knot", &[("segments", 400.0), ("sides", 20.0)]);
const BLOB: Recipe = ("blob_70k", "blob", &[("frequency", 59.0)]);

const PAIRS: [[Recipe; 2]; 5] =
    [[GRATE, CUP], [KNOT, KNOT], [BUMPY, TORUS], [FIGURINE, LONG_KNOT], [BLOB, BLOB]];

/// A model for both libraries.
struct Subject {
    name: &'static str,
    model: Model,
    peer: TriMesh,
}

impl Subject {
    fn new(&(name, kind, parameters): &Recipe) -> Self {
        let parameters = parameters.iter().map(|&(key, value)| (key.to_owned(), value));
        let mesh = procedural::build(kind, &parameters.collect::<BTreeMap<_, _>>())
            .expect("the kinds and their parameters are those above");
        Self { name, peer: peer_of(&mesh), model: Model::new(mesh, Solidity::Surface) }
    }

    fn triangles(&self) -> usize {
        self.model.mesh().triangles().len()
    }
}

fn peer_of(mesh: &TriangleMesh) -> TriMesh {
    let points = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    TriMesh::new(points, mesh.triangles().to_vec()).expect("the mesh is not empty")
}

/// A pair of models; the second one rests at the identity.
struct Pair {
    a: Subject,
    b: Subject,
}

impl Pair {
    fn all() -> Vec<Self> {
        PAIRS.iter().map(|[a, b]| Self { a: Subject::new(a), b: Subject::new(b) }).collect()
    }

    fn name(&self) -> String {
        format!("{}-{}", self.a.name, self.b.name)
    }

    fn radius(&self) -> f64 {
        self.a.model.radius() + self.b.model.radius()
    }

    /// The poses of a set that a slow peer answers, spread evenly.
    fn thinned<'a>(&self, poses: &'a [Posed]) -> Vec<&'a Posed> {
        let is_large = self.a.triangles() + self.b.triangles() > LARGE.0;
        let step = poses.len() / if is_large { LARGE.1 } else { SMALL };
        poses.iter().skip(step / 2).step_by(step).collect()
    }

    /// The pose of A rotated by `rotation` about its centre, which is `arm` from that of B [m].
    fn at(&self, rotation: UnitQuaternion<f64>, arm: Vector3<f64>) -> Posed {
        let (a, b) = (self.a.model.center(), self.b.model.center());
        let a = Isometry3::from_parts(Translation3::from(b.coords + arm - rotation * a.coords), rotation);
        Posed { a, peer_a: peer_pose(&a), towards: -2.0 * arm }
    }

    /// Orientations and places at random, overlapping or apart.
    fn random(&self) -> Vec<Posed> {
        let mut noise = Noise(2012);
        let mut pose = || {
            let rotation = UnitQuaternion::from_axis_angle(
                &noise.uniform_direction(LENGTHS),
                std::f64::consts::PI * noise.signed(),
            );
            let reach = (0.85 + 0.65 * noise.signed()) * self.radius();
            self.at(rotation, reach * noise.uniform_direction(LENGTHS).into_inner())
        };
        (0..POSES).map(|_| pose()).collect()
    }

    /// A smooth motion: half a degree a step, closer and farther.
    fn coherent(&self) -> Vec<Posed> {
        let mut noise = Noise(2026);
        let (start, [axis, of_rotation]) = (
            noise.uniform_direction(LENGTHS),
            [noise.uniform_direction(LENGTHS), noise.uniform_direction(LENGTHS)],
        );
        let pose = |step: usize| {
            let angle = 0.5_f64.to_radians() * step as f64;
            let reach = (0.55 + 0.3 * (8.0 * angle).cos()) * self.radius();
            let arm = UnitQuaternion::from_axis_angle(&axis, angle) * start.into_inner();
            self.at(UnitQuaternion::from_axis_angle(&of_rotation, angle), reach * arm)
        };
        (0..2 * POSES).map(pose).collect()
    }
}

fn peer_pose(pose: &Isometry3<f64>) -> Pose {
    let (t, q) = (&pose.translation, pose.rotation.coords);
    Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// A pose of A for both libraries.
struct Posed {
    a: Isometry3<f64>,
    peer_a: Pose,
    /// From A's centre to that of B, and as far beyond it [m].
    towards: Vector3<f64>,
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(50)).measurement_time(Duration::from_millis(200));
    group
}

fn build(criterion: &mut Criterion) {
    let mut group = group(criterion, "build");
    for recipe in [KNOT, FIGURINE, BLOB] {
        let subject = Subject::new(&recipe);
        let (mesh, triangles) = (subject.model.mesh(), subject.triangles());
        let per_triangle = |bytes: usize| bytes as f64 / triangles as f64;
        println!(
            "{}: {triangles} triangles, bytes a triangle beyond the mesh: ours {:.0}, parry {:.0}",
            subject.name,
            per_triangle(subject.model.memory()),
            per_triangle(subject.peer.bvh().total_memory_size()),
        );
        group.throughput(Throughput::Elements(triangles as u64));
        group.bench_function(BenchmarkId::new("ours", subject.name), |bencher| {
            bencher.iter_with_large_drop(|| Model::new(black_box(mesh).clone(), Solidity::Solid));
        });
        group.bench_function(BenchmarkId::new("parry", subject.name), |bencher| {
            bencher.iter_with_large_drop(|| peer_of(black_box(mesh)));
        });
    }
}

/// A query of ours over a set of poses in order, a number for each; and the peer's at one pose.
struct Question {
    name: &'static str,
    ours: fn(&Pair, &[&Posed]) -> Vec<f64>,
    parry: fn(&Pair, &Posed) -> f64,
    parry_is_slow: bool,
    agree: fn(f64, f64) -> bool,
}

impl Question {
    /// Times both libraries over the same poses.
    fn ask(&self, criterion: &mut Criterion) {
        for (set, poses) in
            [("random", Pair::random as fn(&Pair) -> Vec<Posed>), ("coherent", Pair::coherent)]
        {
            let name = format!("{}/{set}", self.name);
            let mut group = group(criterion, &name);
            for pair in Pair::all() {
                let all = poses(&pair);
                let poses = all.iter().collect::<Vec<_>>();
                let of_peer = if self.parry_is_slow { pair.thinned(&all) } else { poses.clone() };
                let ours = (self.ours)(&pair, &of_peer);
                let alike = |(posed, ours): &(&&Posed, f64)| (self.agree)(*ours, (self.parry)(&pair, posed));
                let agreeing = of_peer.iter().zip(ours).filter(alike).count();
                println!(
                    "{name}/{}: both answer alike on {agreeing} of {} poses",
                    pair.name(),
                    of_peer.len()
                );
                group.throughput(Throughput::Elements(poses.len() as u64));
                group.bench_function(BenchmarkId::new("ours", pair.name()), |bencher| {
                    bencher.iter(|| (self.ours)(&pair, black_box(&poses)));
                });
                group.throughput(Throughput::Elements(of_peer.len() as u64));
                group.bench_function(BenchmarkId::new("parry", pair.name()), |bencher| {
                    bencher.iter(|| of_peer.iter().map(|posed| (self.parry)(&pair, posed)).sum::<f64>());
                });
            }
        }
    }
}

fn collide(criterion: &mut Criterion) {
    let question = Question {
        name: "collide",
        ours: |Pair { a, b }, poses| {
            let here = Isometry3::identity();
            let ask = |posed: &Posed| proximity::surfaces_collide(&a.model, &posed.a, &b.model, &here);
            poses.iter().map(|posed| f64::from(u8::from(ask(posed)))).collect()
        },
        parry: |Pair { a, b }, posed| {
            let found = query::intersection_test(&posed.peer_a, &a.peer, &Pose::IDENTITY, &b.peer);
            f64::from(u8::from(found.is_ok_and(|test| test.intersecting)))
        },
        parry_is_slow: false,
        agree: |ours, parry| (ours > 0.5) == (parry > 0.5),
    };
    question.ask(criterion);
}

/// Distances of a pair along a sequence of poses, each starting from the last one.
fn distances(Pair { a, b }: &Pair, poses: &[&Posed], relative_tolerance: f64) -> Vec<f64> {
    let options = DistanceOptions { relative_tolerance, ..DistanceOptions::default() };
    let (here, mut cache) = (Isometry3::identity(), DistanceCache::default());
    let mut ask = |posed: &Posed| {
        proximity::distance_with(&a.model, &posed.a, &b.model, &here, &options, &mut cache)
            .expect("the options are valid")
            .map_or(f64::INFINITY, |found| found.value)
    };
    poses.iter().map(|posed| ask(posed)).collect()
}

fn parry_distance(Pair { a, b }: &Pair, posed: &Posed) -> f64 {
    query::distance(&posed.peer_a, &a.peer, &Pose::IDENTITY, &b.peer).map_or(f64::NAN, |found| found.distance)
}

fn distance(criterion: &mut Criterion) {
    let question = Question {
        name: "distance",
        ours: |pair, poses| distances(pair, poses, 0.0),
        parry: parry_distance,
        parry_is_slow: true,
        agree: |ours, parry| (ours - parry).abs() <= 1e-6 * ours.abs(),
    };
    question.ask(criterion);
}

fn tolerance_distance(criterion: &mut Criterion) {
    let question = Question {
        name: "tolerance_distance",
        ours: |pair, poses| distances(pair, poses, TOLERANCE),
        // It knows exact distances only.
        parry: parry_distance,
        parry_is_slow: true,
        agree: |ours, parry| (ours - parry).abs() <= TOLERANCE * ours.abs(),
    };
    question.ask(criterion);
}

fn time_of_contact(criterion: &mut Criterion) {
    let question = Question {
        name: "time_of_contact",
        ours: |Pair { a, b }, poses| {
            let here = Isometry3::identity();
            let ask = |posed: &Posed| {
                proximity::translational(&a.model, &posed.a, &posed.towards, &b.model, &here)
                    .expect("the poses are finite")
                    .map_or(f64::INFINITY, |hit| hit.time)
            };
            poses.iter().map(|posed| ask(posed)).collect()
        },
        parry: |Pair { a, b }, posed| {
            let towards = Vector::new(posed.towards.x, posed.towards.y, posed.towards.z);
            let options = ShapeCastOptions::with_max_time_of_impact(1.0);
            let (at, rest) = (&posed.peer_a, &Pose::IDENTITY);
            query::cast_shapes(at, towards, &a.peer, rest, Vector::ZERO, &b.peer, options)
                .ok()
                .flatten()
                .map_or(f64::INFINITY, |hit| hit.time_of_impact)
        },
        parry_is_slow: true,
        agree: |ours, parry| ours.is_infinite() && parry.is_infinite() || (ours - parry).abs() <= 1e-4,
    };
    question.ask(criterion);
}

/// The peer has no Hausdorff distance.
fn hausdorff(criterion: &mut Criterion) {
    let here = Isometry3::identity();
    let options = HausdorffOptions { parallel: false, ..HausdorffOptions::default() };
    for (set, poses) in [("random", Pair::random as fn(&Pair) -> Vec<Posed>), ("coherent", Pair::coherent)] {
        let mut group = group(criterion, &format!("hausdorff/{set}"));
        group.throughput(Throughput::Elements(SMALL as u64));
        for pair in Pair::all() {
            let poses = poses(&pair);
            group.bench_function(BenchmarkId::new("ours", pair.name()), |bencher| {
                bencher.iter(|| {
                    for posed in &poses[..SMALL] {
                        let (a, b) = (&pair.a.model, &pair.b.model);
                        black_box(proximity::hausdorff_distance(a, &posed.a, b, &here, &options))
                            .expect("the poses are finite");
                    }
                });
            });
        }
    }
}

criterion_group!(benches, build, collide, distance, tolerance_distance, time_of_contact, hausdorff);
criterion_main!(benches);
