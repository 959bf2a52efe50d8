//! Translational penetration depth of a mesh and its copy in random orientations [Je12 §7.1.1].
//!
//! The copy is moved by half the mesh's size in a random direction and turned at random, from a fixed seed. parry has
//! no penetration depth of meshes; its contact of two triangle meshes, which answers pair by pair, stands beside ours
//! for its time only.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::geometry::procedural::{Blob, BumpySphere, Cup, Grate, Procedural, Spoon, Torus, TorusKnot};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{
    Effort, MotionCoherence, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use parry3d::math::Pose;
use parry3d::shape::TriMesh;

/// Poses of a mesh; each measurement goes through them in turn.
const POSES: usize = 12;

struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

fn models() -> Vec<(&'static str, Model)> {
    let meshes: [(&str, Result<TriangleMesh, _>); 8] = [
        ("grate", Grate::default().mesh()),
        ("cup", Cup::default().mesh()),
        ("spoon", Spoon::default().mesh()),
        ("torus", Torus::default().mesh()),
        ("bumpy_sphere", BumpySphere::default().mesh()),
        ("torus_knot", TorusKnot::default().mesh()),
        ("blob_20k", Blob { frequency: 32, ..Blob::default() }.mesh()),
        ("blob_80k", Blob { frequency: 64, ..Blob::default() }.mesh()),
    ];
    meshes.map(|(name, mesh)| (name, Model::new(mesh.expect("valid"), Solidity::Solid))).into()
}

/// Overlapping poses of the copy.
fn poses(model: &Model) -> Vec<Isometry3<f64>> {
    let mut noise = Noise(1);
    let mut poses = Vec::new();
    while poses.len() < POSES {
        let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(noise.vector()), 3.0 * noise.next());
        let by = noise.vector().normalize() * model.radius();
        let pose = Isometry3::from_parts(by.into(), turn);
        if collide(model, &pose, model, &Isometry3::identity()) {
            poses.push(pose);
        }
    }
    poses
}

fn random_configurations(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("penetration");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(900));
    for (name, model) in models() {
        let poses = poses(&model);
        let label = format!("{name}/{}", model.mesh().triangles().len());
        for (effort_name, effort) in [("fast", Effort::Fast), ("best", Effort::Best)] {
            let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
            let mut next = (0..POSES).cycle();
            group.bench_function(BenchmarkId::new(effort_name, &label), |bencher| {
                bencher.iter(|| {
                    let pose = &poses[next.next().expect("endless")];
                    penetration(&model, pose, &model, &Isometry3::identity(), &options)
                });
            });
        }
        coherent(&mut group, &label, &model, &poses[0]);
        peer(&mut group, &label, &model, &poses);
    }
    group.finish();
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// A motion back and forth around one overlap in steps of a thousandth of the size.
fn coherent(group: &mut Group, label: &str, model: &Model, pose: &Isometry3<f64>) {
    let options = TranslationalOptions { effort: Effort::Fast, ..TranslationalOptions::default() };
    let mut coherence = MotionCoherence::default();
    let step = 1e-3 * model.radius();
    let mut phase = 0_u32;
    group.bench_function(BenchmarkId::new("coherent", label), |bencher| {
        bencher.iter(|| {
            phase = (phase + 1) % 20;
            let shift = f64::from(phase.abs_diff(10)) * step;
            let moved = Translation3::new(shift, 0.5 * shift, 0.0) * pose;
            penetration_coherent((model, &moved), (model, &Isometry3::identity()), &options, &mut coherence)
        });
    });
}

fn peer(group: &mut Group, label: &str, model: &Model, poses: &[Isometry3<f64>]) {
    let vertices = model.mesh().vertices().iter().map(|p| (*p).into()).collect();
    let Ok(mesh) = TriMesh::new(vertices, model.mesh().triangles().to_vec()) else { return };
    let mut next = (0..POSES).cycle();
    group.bench_function(BenchmarkId::new("parry_contact", label), |bencher| {
        bencher.iter(|| {
            let pose: Pose = poses[next.next().expect("endless")].into();
            parry3d::query::contact(&pose, &mesh, &Pose::IDENTITY, &mesh, 0.0)
        });
    });
}

criterion_group!(benches, random_configurations);
criterion_main!(benches);
