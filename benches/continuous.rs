//! Time of contact of motions that rotate: ours, conservative advancement of whole bodies, and parry3d-f64.
//!
//! A query is timed over a set of seeded motions, so a time is that of the whole set; compare the throughputs, which
//! are queries a second. Poses as in `benches/proximity.rs`: a mesh at a random orientation three radii off moves
//! through a copy of itself, and rotates about a random axis by 0.1 or 3 rad meanwhile.
//!
//! *Whole bodies* is the conservative advancement that [Lin17 §40.3] begins with: the distance of the bodies divided by
//! a bound of their speed is the next step, until the distance is within the same tolerance. The articulated group
//! moves an arm of seven links among three obstacles, self-collision included.

#![expect(clippy::print_stdout, reason = "steps and agreement belong beside the times")]

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, PI};
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use extricate::geometry::procedural::{self, Capsule, Procedural, Sphere};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::kinematics::{Articulation, Joint, JointKind, Motion, RigidMotion};
use extricate::proximity::{
    AllowedCollisions, ArticulatedModel, ArticulatedMotion, ContinuousOptions, DistanceCache, Model,
    MovingObstacle, articulated, distance_with_cache, time_of_contact_rigid,
};
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, NonlinearRigidMotion};
use parry3d::shape::TriMesh;

/// Random directions are those of vectors of such lengths.
const LENGTHS: RangeInclusive<f64> = 0.01..=1.0;

/// Motions of a set.
const MOTIONS: usize = 16;
/// Maximum number of triangles for which the peer is queried, for one motion: it needs seconds, and minutes for larger meshes.
const OF_PEER: usize = 400;
/// Steps after which the advancement of whole bodies gives up.
const MAX_STEPS: u32 = 1000;

/// Name, procedural kind and its parameters.
type Recipe = (&'static str, &'static str, &'static [(&'static str, f64)]);

const MODELS: [Recipe; 4] = [
    ("torus_300", "torus", &[("segments", 15.0), ("sides", 10.0)]),
    ("torus_knot_3k", "torus_knot", &[]),
    ("blob_10k", "blob", &[("frequency", 22.0)]),
    ("blob_70k", "blob", &[("frequency", 59.0)]),
];

/// A motion for both libraries.
struct Moving {
    ours: Motion,
    peer: NonlinearRigidMotion,
}

impl Moving {
    /// Through the middle of the other one and as far beyond it, rotating by `angle` [rad] about its own middle.
    fn new(model: &Model, noise: &mut Noise, angle: f64) -> Self {
        let rotation =
            UnitQuaternion::from_axis_angle(&noise.uniform_direction(LENGTHS), PI * noise.signed());
        let center = model.center().coords;
        let offset = 3.0 * model.radius() * noise.uniform_direction(LENGTHS).into_inner();
        let from = Isometry3::from_parts(Translation3::from(center - rotation * center + offset), rotation);
        let (velocity, angular) = (-2.0 * offset, noise.uniform_direction(LENGTHS).into_inner() * angle);
        let (t, q) = (&from.translation, from.rotation.coords);
        let [v, w] = [velocity, angular].map(|v| Vector::new(v.x, v.y, v.z));
        let pose = Pose::from_parts(Vector::new(t.x, t.y, t.z), Rotation::from_xyzw(q.x, q.y, q.z, q.w));
        let peer = NonlinearRigidMotion::new(pose, Vector::ZERO, v, w);
        Self { ours: Motion::steady(&from, &velocity, &angular), peer }
    }
}

/// Advancement of whole bodies: the time of contact and the distances that were asked for.
fn whole_bodies(model: &Model, moving: &Moving, tolerance: f64) -> (f64, u32) {
    let (rest, mut cache) = (Isometry3::identity(), DistanceCache::default());
    let speed = moving.ours.speed_bound(&model.center(), model.radius());
    let mut time = 0.0;
    for step in 1..=MAX_STEPS {
        let found = distance_with_cache(model, &moving.ours.pose_at(time), model, &rest, &mut cache);
        if found.value <= tolerance {
            return (time, step);
        }
        time += (found.value - 0.25 * tolerance) / speed;
        if !(time < 1.0) {
            return (1.0, step);
        }
    }
    (time, MAX_STEPS)
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400));
    group
}

fn rigid_motions(criterion: &mut Criterion) {
    let (rest, options) = (Motion::still(&Isometry3::identity()), ContinuousOptions::default());
    for (name, kind, parameters) in MODELS {
        let parameters = parameters.iter().map(|&(key, value)| (key.to_owned(), value));
        let mesh = procedural::build(kind, &parameters.collect::<BTreeMap<_, _>>())
            .expect("the kinds and their parameters are those above");
        let peer = peer_of(&mesh);
        let model = Model::new(mesh, Solidity::Surface);
        for angle in [0.1, 3.0] {
            let mut noise = Noise(2012);
            let motions: Vec<_> = (0..MOTIONS).map(|_| Moving::new(&model, &mut noise, angle)).collect();
            let ours = |moving: &Moving| {
                time_of_contact_rigid(&model, &moving.ours, &model, &rest, &options)
                    .expect("far fewer steps than allowed")
            };
            let whole =
                |moving: &Moving| whole_bodies(&model, moving, options.relative_tolerance * model.radius());
            print_steps(&format!("{name}, {angle} rad"), &motions, ours, whole);
            if model.mesh().triangles().len() <= OF_PEER {
                print_peer(&peer, &motions[0], ours(&motions[0]).map(|contact| contact.time));
            }
            let mut group = group(criterion, &format!("time_of_contact/rotating {angle} rad"));
            group.throughput(Throughput::Elements(MOTIONS as u64));
            group.bench_function(BenchmarkId::new("ours", name), |bencher| {
                bencher.iter(|| {
                    motions.iter().for_each(|moving| {
                        black_box(ours(moving));
                    })
                });
            });
            group.bench_function(BenchmarkId::new("whole bodies", name), |bencher| {
                bencher.iter(|| {
                    motions.iter().for_each(|moving| {
                        black_box(whole(moving));
                    })
                });
            });
        }
    }
}

fn print_steps(
    what: &str,
    motions: &[Moving],
    ours: impl Fn(&Moving) -> Option<extricate::proximity::ContactInTime>,
    whole: impl Fn(&Moving) -> (f64, u32),
) {
    let (mut steps, mut distances, mut alike) = (0, 0, 0);
    for moving in motions {
        let (found, (time, asked)) = (ours(moving), whole(moving));
        steps += found.map_or(0, |contact| contact.steps);
        distances += asked;
        alike += usize::from((found.map_or(1.0, |contact| contact.time) - time).abs() < 1e-4);
    }
    println!(
        "{what}: {:.0} steps a query of ours, {:.0} distances of whole bodies; alike {alike} of {}",
        steps as f64 / motions.len() as f64,
        f64::from(distances) / motions.len() as f64,
        motions.len()
    );
}

fn peer_of(mesh: &TriangleMesh) -> TriMesh {
    let points = mesh.vertices().iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
    TriMesh::new(points, mesh.triangles().to_vec()).expect("the mesh is not empty")
}

/// One cast of the peer, with the time that it takes.
fn print_peer(mesh: &TriMesh, moving: &Moving, ours: Option<f64>) {
    let rest = NonlinearRigidMotion::constant_position(Pose::IDENTITY);
    let begin = Instant::now();
    let hit = query::cast_shapes_nonlinear(&moving.peer, mesh, &rest, mesh, 0.0, 1.0, true);
    let took = begin.elapsed();
    let time = hit.ok().flatten().map(|hit| hit.time_of_impact);
    println!("one cast by parry took {took:.2?}: contact at {time:?}, by ours at {ours:?}");
}

/// Seven capsules in a chain.
fn arm() -> ArticulatedModel {
    let lying = Isometry3::new(Vector3::x() * 0.2, Vector3::y() * FRAC_PI_2);
    let capsule =
        Capsule { radius: 0.04, length: 0.3, ..Capsule::default() }.mesh().expect("sound parameters");
    let links: Vec<_> = (0..8).map(|i| format!("link{i}")).collect();
    let joint = |i: usize| {
        let kind = JointKind::Revolute { axis: [Vector3::z(), Vector3::z(), Vector3::y()][i % 3] };
        let at = Isometry3::translation(if i == 0 { 0.0 } else { 0.45 }, 0.0, 0.0);
        Joint::new(&format!("joint{i}"), &links[i], &links[i + 1], kind).at(at)
    };
    let tree = Articulation::new(links.clone(), (0..7).map(joint).collect()).expect("a chain");
    let meshes = (0..8).map(|i| (i > 0).then(|| capsule.transformed(&lying))).collect();
    ArticulatedModel::new(tree, meshes, Solidity::Solid)
}

fn articulated_motions(criterion: &mut Criterion) {
    let model = arm();
    let allowed = AllowedCollisions::adjacent(&model);
    let ball =
        Model::new(Sphere { radius: 0.3, frequency: 20 }.mesh().expect("sound parameters"), Solidity::Solid);
    let base = Motion::still(&Isometry3::identity());
    let mut noise = Noise(40);
    let obstacles = [(); 3].map(|()| {
        let place = Translation3::from(1.2 * noise.uniform_direction(LENGTHS).into_inner());
        MovingObstacle { model: &ball, motion: Motion::still(&place.into()) }
    });
    for reach in [0.5, 2.5] {
        let mut group = group(criterion, "time_of_contact/articulated");
        let mut configuration =
            |from: &[f64]| from.iter().map(|x| x + reach * noise.signed()).collect::<Vec<_>>();
        let from = vec![0.2; 7];
        let ends: Vec<_> = (0..MOTIONS).map(|_| configuration(&from)).collect();
        let run = |to: &Vec<f64>| {
            let motion = ArticulatedMotion { from: &from, to, base };
            articulated(&model, &motion, &obstacles, Some(&allowed), &ContinuousOptions::default())
                .expect("far fewer steps than allowed")
        };
        let contacts: Vec<_> = ends.iter().filter_map(run).collect();
        let steps = contacts.iter().map(|contact| contact.steps).sum::<u64>() as f64;
        println!(
            "arm, joints by {reach} rad: {} of {MOTIONS} in contact, {:.0} steps each",
            contacts.len(),
            steps / contacts.len().max(1) as f64
        );
        group.throughput(Throughput::Elements(MOTIONS as u64));
        group.bench_function(BenchmarkId::new("ours", format!("joints by {reach} rad")), |bencher| {
            bencher.iter(|| {
                ends.iter().for_each(|to| {
                    black_box(run(to));
                })
            });
        });
    }
}

criterion_group!(benches, rigid_motions, articulated_motions);
criterion_main!(benches);
