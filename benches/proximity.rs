//! Proximity queries beside parry3d-f64: building the tree, collision, distance, time of contact.
//!
//! A query is timed over a set of seeded poses, so a time is that of the whole set; compare the throughputs, which
//! are queries a second, because the peer answers one pose only of the large meshes. Poses as in [Je12 §6.1]: a mesh
//! against a copy of itself at a random orientation.

#![expect(clippy::print_stdout, reason = "sizes and agreement belong beside the times")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use extricate::geometry::{Solidity, TriangleMesh, procedural};
use extricate::proximity::{self, Model};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, ShapeCastOptions};
use parry3d::shape::TriMesh;

/// Poses of a set.
const POSES: usize = 16;
/// Of meshes with more triangles than this, the peer answers only so many poses of the set: it needs up to half a
/// second for one.
const LARGE: (usize, usize) = (5000, 1);

/// Name, procedural kind and its parameters.
type Recipe = (&'static str, &'static str, &'static [(&'static str, f64)]);

const MODELS: [Recipe; 7] = [
    ("grate_1k", "grate", &[("subdivisions", 2.0)]),
    ("cup_2k", "cup", &[]),
    ("torus_2k", "torus", &[("segments", 50.0), ("sides", 20.0)]),
    ("torus_knot_3k", "torus_knot", &[]),
    ("bumpy_sphere_3k", "bumpy_sphere", &[]),
    ("blob_10k", "blob", &[("frequency", 22.0)]),
    ("blob_70k", "blob", &[("frequency", 59.0)]),
];

/// A model for both libraries.
struct Subject {
    name: &'static str,
    model: Model,
    peer: TriMesh,
}

impl Subject {
    fn all() -> Vec<Self> {
        let subject = |&(name, kind, parameters): &Recipe| {
            let parameters = parameters.iter().map(|&(key, value)| (key.to_owned(), value));
            let mesh = procedural::build(kind, &parameters.collect::<BTreeMap<_, _>>())
                .expect("the kinds and their parameters are those above");
            Self { name, peer: peer_of(&mesh), model: Model::new(mesh, Solidity::Surface) }
        };
        MODELS.iter().map(subject).collect()
    }
}

fn peer_of(mesh: &TriangleMesh) -> TriMesh {
    let points = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    TriMesh::new(points, mesh.triangles().to_vec()).expect("the mesh is not empty")
}

fn peer_pose(pose: &Isometry3<f64>) -> Pose {
    let (t, q) = (&pose.translation, pose.rotation.coords);
    Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w))
}

/// Deterministic numbers in [-1, 1].
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn unit(&mut self) -> Unit<Vector3<f64>> {
        loop {
            let v = Vector3::new(self.next(), self.next(), self.next());
            if (0.01..=1.0).contains(&v.norm()) {
                return Unit::new_normalize(v);
            }
        }
    }

    /// A random orientation about the model's centre, moved by `reach` radii in a random direction.
    fn pose(&mut self, model: &Model, reach: f64) -> Isometry3<f64> {
        let rotation = UnitQuaternion::from_axis_angle(&self.unit(), std::f64::consts::PI * self.next());
        let center = model.center().coords;
        let shift = center - rotation * center + reach * model.radius() * self.unit().into_inner();
        Isometry3::from_parts(Translation3::from(shift), rotation)
    }
}

/// A pair of poses for both libraries.
struct Posed {
    a: Isometry3<f64>,
    peer_a: Pose,
    /// From A's centre to that of B, beyond it [m].
    towards: Vector3<f64>,
}

impl Posed {
    fn new(a: Isometry3<f64>, model: &Model) -> Self {
        let towards = 2.0 * (model.center() - a * model.center());
        Self { a, peer_a: peer_pose(&a), towards }
    }

    fn set(model: &Model, reach: f64) -> Vec<Self> {
        let mut noise = Noise(2012);
        (0..POSES).map(|_| Self::new(noise.pose(model, reach), model)).collect()
    }

    /// Poses a hundredth of the size short of touching.
    fn near(model: &Model) -> Vec<Self> {
        let b = Isometry3::identity();
        let approach = |posed: Self| {
            let hit = proximity::translational(model, &posed.a, &posed.towards, model, &b);
            let time = hit.map_or(0.5, |hit| hit.time) - 0.01 * model.radius() / posed.towards.norm();
            let closer = Translation3::from(time * posed.towards) * posed.a;
            Self::new(closer, model)
        };
        Self::set(model, 3.0).into_iter().map(approach).collect()
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    group
}

fn build(criterion: &mut Criterion) {
    let mut group = group(criterion, "build");
    for subject in Subject::all() {
        let mesh = subject.model.mesh();
        let triangles = mesh.triangles().len();
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

/// Times one query of both libraries over the same poses.
fn compare<T>(
    criterion: &mut Criterion,
    name: &str,
    poses: impl Fn(&Model) -> Vec<Posed>,
    ours: impl Fn(&Model, &Posed) -> T,
    parry: impl Fn(&TriMesh, &Posed) -> T,
    agree: impl Fn(T, T) -> bool,
) {
    let mut group = group(criterion, name);
    for subject in Subject::all() {
        let poses = poses(&subject.model);
        let is_large = subject.model.mesh().triangles().len() > LARGE.0;
        let of_peer = if is_large { &poses[..LARGE.1] } else { &poses };
        let alike = |posed: &&Posed| agree(ours(&subject.model, posed), parry(&subject.peer, posed));
        let agreeing = of_peer.iter().filter(alike).count();
        println!("{name}/{}: both answer alike on {agreeing} of {} poses", subject.name, of_peer.len());
        group.throughput(Throughput::Elements(poses.len() as u64));
        group.bench_function(BenchmarkId::new("ours", subject.name), |bencher| {
            bencher.iter(|| poses.iter().for_each(|posed| drop(black_box(ours(&subject.model, posed)))));
        });
        group.throughput(Throughput::Elements(of_peer.len() as u64));
        group.bench_function(BenchmarkId::new("parry", subject.name), |bencher| {
            bencher.iter(|| of_peer.iter().for_each(|posed| drop(black_box(parry(&subject.peer, posed)))));
        });
    }
}

fn collide(criterion: &mut Criterion) {
    let b = Isometry3::identity();
    let intersect = |mesh: &TriMesh, posed: &Posed| {
        query::intersection_test(&posed.peer_a, mesh, &Pose::IDENTITY, mesh)
            .is_ok_and(|test| test.intersecting)
    };
    for (name, poses) in [
        ("collide/deep", (|model| Posed::set(model, 0.5)) as fn(&Model) -> Vec<Posed>),
        ("collide/near", Posed::near as fn(&Model) -> Vec<Posed>),
    ] {
        compare(
            criterion,
            name,
            poses,
            |model, posed| proximity::surfaces_collide(model, &posed.a, model, &b),
            intersect,
            |ours, parry| ours == parry,
        );
    }
}

fn distance(criterion: &mut Criterion) {
    let b = Isometry3::identity();
    for (name, poses) in [
        ("distance/far", (|model| Posed::set(model, 3.0)) as fn(&Model) -> Vec<Posed>),
        ("distance/near", Posed::near as fn(&Model) -> Vec<Posed>),
    ] {
        compare(
            criterion,
            name,
            poses,
            |model, posed| proximity::distance(model, &posed.a, model, &b).value,
            |mesh, posed| {
                query::distance(&posed.peer_a, mesh, &Pose::IDENTITY, mesh)
                    .map_or(f64::NAN, |found| found.distance)
            },
            |ours, parry| (ours - parry).abs() <= 1e-6 * ours.abs(),
        );
    }
}

fn time_of_contact(criterion: &mut Criterion) {
    let b = Isometry3::identity();
    let options = ShapeCastOptions::with_max_time_of_impact(1.0);
    compare(
        criterion,
        "time_of_contact",
        |model| Posed::set(model, 3.0),
        |model, posed| {
            proximity::translational(model, &posed.a, &posed.towards, model, &b)
                .map_or(f64::INFINITY, |hit| hit.time)
        },
        |mesh, posed| {
            let towards = Vector::new(posed.towards.x, posed.towards.y, posed.towards.z);
            query::cast_shapes(&posed.peer_a, towards, mesh, &Pose::IDENTITY, Vector::ZERO, mesh, options)
                .ok()
                .flatten()
                .map_or(f64::INFINITY, |hit| hit.time_of_impact)
        },
        |ours, parry| ours.is_infinite() && parry.is_infinite() || (ours - parry).abs() <= 1e-4,
    );
}

criterion_group!(benches, build, collide, distance, time_of_contact);
criterion_main!(benches);
