//! Translational penetration depth of a mesh and its copy: random orientations [Je12 §7.1.1], coherent motion, and
//! local penetrations.
//!
//! The copy is moved by half the mesh's size in a random direction and rotated at random, from a fixed seed. parry has
//! no penetration depth of meshes; its contact of two triangle meshes, which answers pair by pair, is listed beside ours
//! for its time only.

mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use extricate::geometry::procedural::{Blob, BumpySphere, Cup, Grate, Procedural, Spoon, Torus, TorusKnot};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, TranslationalOptions, local_penetrations, penetration,
    penetration_coherent,
};
use extricate::proximity::{Model, collide};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use parry3d::math::Pose;
use parry3d::shape::TriMesh;
use support::short_group;

/// Poses of a mesh; each measurement goes through them in turn.
const POSES: usize = 12;

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
        let rotation =
            UnitQuaternion::from_axis_angle(&Unit::new_normalize(noise.vector()), 3.0 * noise.next());
        let by = noise.vector().normalize() * model.radius();
        let pose = Isometry3::from_parts(by.into(), rotation);
        if collide(model, &pose, model, &Isometry3::identity()) {
            poses.push(pose);
        }
    }
    poses
}

fn random_configurations(criterion: &mut Criterion) {
    let mut group = short_group(criterion, "penetration");
    for (name, model) in models() {
        let poses = poses(&model);
        let label = format!("{name}/{}", model.mesh().triangles().len());
        let (alone, bounded) = (LowerBound::Skip, LowerBound::InnerBalls);
        let asked = [
            ("fast", Effort::Fast, alone),
            ("fast_bounded", Effort::Fast, bounded),
            ("best", Effort::Best, alone),
        ];
        for (effort_name, effort, lower_bound) in asked {
            let options = TranslationalOptions {
                effort,
                lower_bound,
                parallel: false,
                ..TranslationalOptions::default()
            };
            let mut next = (0..POSES).cycle();
            group.bench_function(BenchmarkId::new(effort_name, &label), |bencher| {
                bencher.iter(|| {
                    let pose = &poses[next.next().expect("endless")];
                    penetration(&model, pose, &model, &Isometry3::identity(), &options)
                });
            });
        }
        peer(&mut group, &label, &model, &poses);
    }
    group.finish();
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// A query of a pair that has moved by a thousandth of its size and rotated by a milliradian since the last one, with
/// and without the state of that query, at the same poses [Je12 §5.3].
fn coherent_motion(criterion: &mut Criterion) {
    let mut group = short_group(criterion, "coherent_motion");
    for (name, model) in models() {
        let motion = motion(&model, &poses(&model)[0]);
        let label = format!("{name}/{}", model.mesh().triangles().len());
        let options = TranslationalOptions {
            effort: Effort::Fast,
            lower_bound: LowerBound::Skip,
            ..TranslationalOptions::default()
        };
        let here = Isometry3::identity();
        // There and back again: no step is longer than the others.
        let round = || (0..motion.len()).chain((0..motion.len()).rev()).cycle();
        let (mut next, mut coherence) = (round(), MotionCoherence::default());
        group.bench_function(BenchmarkId::new("warm", &label), |bencher| {
            bencher.iter(|| {
                let pose = &motion[next.next().expect("endless")];
                penetration_coherent((&model, pose), (&model, &here), &options, &mut coherence)
            });
        });
        let mut next = round();
        group.bench_function(BenchmarkId::new("cold", &label), |bencher| {
            bencher.iter(|| {
                let pose = &motion[next.next().expect("endless")];
                penetration(&model, pose, &model, &here, &options)
            });
        });
    }
    group.finish();
}

/// Poses of a motion by small steps from an overlap towards the other body.
fn motion(model: &Model, pose: &Isometry3<f64>) -> Vec<Isometry3<f64>> {
    let inwards = (model.center() - pose * model.center()).normalize();
    let center = (pose * model.center()).coords;
    (0..20_u32)
        .map(|step| 1e-3 * f64::from(step))
        .map(|fraction| {
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), fraction);
            let shift = inwards * (fraction * model.radius());
            Translation3::from(center + shift) * rotation * Translation3::from(-center) * pose
        })
        .collect()
}

/// Local penetrations of a pair whose global penetration is known [Je12 §6.3, Table 4]: deep overlaps, and shallow ones
/// as a simulator sees them.
fn local(criterion: &mut Criterion) {
    let mut group = short_group(criterion, "local_penetrations");
    let here = Isometry3::identity();
    for (name, model) in models() {
        let label = format!("{name}/{}", model.mesh().triangles().len());
        let options = TranslationalOptions {
            effort: Effort::Fast,
            lower_bound: LowerBound::Skip,
            ..TranslationalOptions::default()
        };
        let ask = |pose: &Isometry3<f64>| {
            penetration(&model, pose, &model, &here, &options).ok().flatten().expect("they overlap")
        };
        let deep: Vec<_> = poses(&model).into_iter().map(|pose| (pose, ask(&pose))).collect();
        let shallow = deep.iter().map(|(pose, found)| {
            let left = found.translation - 1e-3 * model.radius() * found.direction.into_inner();
            let moved = Translation3::from(left) * pose;
            (moved, ask(&moved))
        });
        let shallow: Vec<_> = shallow.collect();
        for (kind, cases) in [("deep", &deep), ("shallow", &shallow)] {
            let mut next = cases.iter().cycle();
            group.bench_function(BenchmarkId::new(kind, &label), |bencher| {
                bencher.iter(|| {
                    let (pose, global) = next.next().expect("endless");
                    local_penetrations(&model, pose, &model, &here, global)
                });
            });
        }
    }
    group.finish();
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

criterion_group!(benches, random_configurations, coherent_motion, local);
criterion_main!(benches);
