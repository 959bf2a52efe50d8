//! The times of all queries of one mesh and its copy.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::{
    Effort, MotionCoherence, Penetration, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide, distance, translational};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::Result;

/// Timed operations, in the order of [`Measured::milliseconds`].
pub(crate) const KINDS: [&str; 8] = [
    "best",
    "fast",
    "warm",
    "distance, apart",
    "collide, touching",
    "cast",
    "build, 1 thread",
    "build, all threads, wall",
];
/// The first kinds are queries.
pub(crate) const QUERIES: usize = 6;
/// Repetitions of a query and of a build; the minimum time counts.
const REPETITIONS: usize = 3;
/// Share of the size by which a body moves between two warm queries.
const STEP: f64 = 1e-3;

/// Times of one mesh.
pub(crate) struct Measured {
    pub(crate) triangles: usize,
    /// Medians of CPU time over the poses, by kind; the last is a wall-clock time.
    pub(crate) milliseconds: [f64; KINDS.len()],
    /// Of the tree, for each triangle.
    pub(crate) bytes: f64,
}

/// The answer of a query and the minimum CPU time of a few repetitions [ms]; the first one brings the tree into the
/// caches.
fn timed<T>(mut query: impl FnMut() -> T) -> (T, f64) {
    let mut min = f64::INFINITY;
    let mut time = || {
        let start = ProcessTime::now();
        let answer = black_box(query());
        min = min.min(milliseconds(start.elapsed()));
        answer
    };
    for _ in 1..REPETITIONS {
        time();
    }
    (time(), min)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The model, and the minimum CPU and wall-clock time of building it on this number of threads [ms]; 0 for all.
fn build(mesh: &TriangleMesh, threads: usize) -> Result<(Model, [f64; 2])> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let mut min = [f64::INFINITY; 2];
    let mut model = None;
    for _ in 0..REPETITIONS {
        let copy = mesh.clone();
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        model = Some(pool.install(|| Model::new(copy, Solidity::Solid)));
        let times = [cpu.elapsed(), wall.elapsed()].map(milliseconds);
        min = [min[0].min(times[0]), min[1].min(times[1])];
    }
    Ok((model.ok_or("no build")?, min))
}

/// Poses half a size away in which the model overlaps its copy.
fn overlapping(model: &Model, count: usize) -> Vec<Isometry3<f64>> {
    let poses = (1_u32..).map(|i| {
        // Steps of an irrational fraction of the circle fill the directions and angles evenly.
        let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt()) * f64::from(i);
        let axis = Vector3::new(golden.cos(), (1.7 * golden).sin(), (2.3 * golden).cos());
        let away =
            Unit::new_normalize(Vector3::new((0.6 * golden).sin(), golden.cos(), (3.1 * golden).sin()));
        let rotation = UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), golden);
        let center = model.center() + away.into_inner() * model.radius();
        Isometry3::from_parts((center - rotation * model.center()).into(), rotation)
    });
    poses.filter(|pose| collide(model, pose, model, &Isometry3::identity())).take(count).collect()
}

/// All times of a mesh.
pub(crate) fn measure(mesh: &TriangleMesh, poses: usize) -> Result<Measured> {
    let (model, [on_one, _]) = build(mesh, 1)?;
    let (_, [_, on_all]) = build(mesh, 0)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut times: [Vec<f64>; QUERIES] = Default::default();
    for pose in overlapping(&model, poses) {
        let of_pose = pool.install(|| queries(&model, &pose))?;
        times.iter_mut().zip(of_pose).for_each(|(all, one)| all.push(one));
    }
    let mut medians = [0.0; KINDS.len()];
    for (kind, times) in times.iter_mut().enumerate() {
        times.sort_by(f64::total_cmp);
        medians[kind] = times[times.len() / 2];
    }
    medians[QUERIES..].copy_from_slice(&[on_one, on_all]);
    let triangles = mesh.triangles().len();
    Ok(Measured { triangles, milliseconds: medians, bytes: model.bvh().memory() as f64 / triangles as f64 })
}

/// Times of the queries at one pose [ms], in the order of [`KINDS`].
fn queries(model: &Model, pose: &Isometry3<f64>) -> Result<[f64; QUERIES]> {
    let here = Isometry3::identity();
    let ask = |effort| {
        let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
        let (found, time) = timed(|| penetration(model, pose, model, &here, &options));
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((found?.ok_or("reported apart")?, time))
    };
    let (nearest, best) = ask(Effort::Best)?;
    let (found, fast) = ask(Effort::Fast)?;
    for found in [&nearest, &found] {
        check_free(model, pose, found)?;
    }
    let free = Translation3::from(nearest.translation) * pose;
    let (_, colliding) = timed(|| collide(model, &free, model, &here));
    let from = Translation3::from(nearest.direction.into_inner() * (2.0 * model.radius())) * pose;
    let (_, apart) = timed(|| distance(model, &from, model, &here));
    let inwards = pose.translation.vector - from.translation.vector;
    let (_, cast) = timed(|| translational(model, &from, &inwards, model, &here));
    let warm = warm(model, pose, &-nearest.direction.into_inner())?;
    Ok([best, fast, warm, apart, colliding, cast])
}

/// Minimum time of a query with motion coherence in a motion of small steps inwards [ms].
fn warm(model: &Model, pose: &Isometry3<f64>, inwards: &Vector3<f64>) -> Result<f64> {
    /// Steps that are timed, behind one that is not.
    const STEPS: u32 = 5;
    let options = TranslationalOptions { effort: Effort::Fast, ..TranslationalOptions::default() };
    let (mut coherence, mut min) = (MotionCoherence::default(), f64::INFINITY);
    for step in 0..=STEPS {
        let fraction = STEP * f64::from(step);
        let center = pose * model.center();
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), fraction);
        let rotated =
            Translation3::from(center.coords) * rotation * Translation3::from(-center.coords) * pose;
        let moved = Translation3::from(inwards * (fraction * model.radius())) * rotated;
        let start = ProcessTime::now();
        let found =
            penetration_coherent((model, &moved), (model, &Isometry3::identity()), &options, &mut coherence)?;
        let time = milliseconds(start.elapsed());
        if let Some(found) = found {
            check_free(model, &moved, &found)?;
            min = if step > 0 { min.min(time) } else { min };
        }
    }
    if min.is_finite() { Ok(min) } else { Err("never overlapped while moving inwards".into()) }
}

fn check_free(model: &Model, pose: &Isometry3<f64>, found: &Penetration) -> Result<()> {
    let moved = Translation3::from(found.translation) * pose;
    if collide(model, &moved, model, &Isometry3::identity()) {
        return Err(format!("not free after {} m", found.depth).into());
    }
    Ok(())
}
