//! Penetrations of two shapes: by a translation, region by region, and by a rigid motion.

use extricate::Shape;
use extricate::nalgebra::Isometry3;
use extricate::penetration::{Effort, TranslationalEnd};
use extricate::query::{self, PenetrationOptions, Posed, RigidPenetrationOptions};
use pyo3::prelude::*;

use super::common::{Arg, NAMES, allowed, answered, at_least_zero, batched, both, budget, effort, norm, six};
use crate::arrays::{PoseList, PosePair, array, column, matrices, matrix, texts, triple, two_points};
use crate::pool::{BatchOptions, interruptible};
use crate::results::{self, Outcomes};
use crate::shape::PyShape;

/// The smallest translation found of A that separates it from B; `None` where they are proved apart.
///
/// `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. `effort` is `"fast"` or `"best"`, as
/// bounds on work that are reproducible; `time_budget` [s] is not. `seed` is that of random starts. `norm` is `"l2"`, `"l1"` or
/// `"linf"`, along the axes of the world, in which the depth is measured and the translation is the shortest. `allowed`
/// restricts the translation, in the world: `"direction:X,Y,Z"` for the depth along a direction, `"line:X,Y,Z"`, or
/// `"plane:X,Y,Z"` with the normal of the plane. Returns a `Penetration` or `None`; for many poses a `PenetrationBatch`.
///
/// Raises `ValueError` for a bad pose or option, `NotSeparatedError` when no separating translation could be verified, or none
/// is allowed, `ExtricateError` when the bounds leave open whether the shapes overlap.
///
/// Source: [Je12] for meshes; certified signed distances for convex shapes; [Lin17 §40.4] for norms and directions.
///
/// >>> import numpy as np, extricate as ex
/// >>> pose = np.eye(4); pose[2, 3] = 0.3
/// >>> found = ex.penetration(ex.Shape.sphere(0.5), ex.Shape.half_space(), pose)
/// >>> round(found.depth, 9), found.direction.round(6).tolist()
/// (0.2, [0.0, 0.0, 1.0])
/// >>> pose[2, 3] = 0.6
/// >>> ex.penetration(ex.Shape.sphere(0.5), ex.Shape.half_space(), pose) is None
/// True
/// >>> pose[2, 3] = 0.3
/// >>> ex.penetration(ex.Shape.sphere(0.5), ex.Shape.half_space(), pose, allowed="direction:3,0,4").translation.round(6).tolist()
/// [0.15, 0.0, 0.2]
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", time_budget=None, seed=0, norm="l2", allowed=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn penetration<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    effort: &str,
    time_budget: Option<f64>,
    seed: u64,
    norm: &str,
    allowed: Option<&str>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PenetrationOptions { seed, ..options([effort, norm], time_budget, allowed)? };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One(poses) => {
            let found = match options.effort {
                Effort::Best => searched(py, both(a, b), poses, options)?,
                _ => {
                    let (a, b) = (&a.get().inner, &b.get().inner);
                    let (a, b) = (Posed::new(a, poses[0]), Posed::new(b, poses[1]));
                    answered(py, || query::penetration(&a, &b, &options))?
                }
            };
            found.map_or_else(|| Ok(py.None().into_bound(py)), |found| penetration_of(py, &found))
        }
        PosePair::Many(poses) => {
            penetrations(py, both(a, b), poses, &options, &BatchOptions { threads, progress })
        }
    }
}

/// The options of one query on one thread.
fn options(
    [effort, norm]: [&str; 2],
    time_budget: Option<f64>,
    allowed: Option<&str>,
) -> PyResult<PenetrationOptions> {
    let (effort, norm) = (self::effort(effort)?, self::norm(norm)?);
    let (time_budget, allowed) = (budget(time_budget)?, self::allowed(allowed)?);
    Ok(PenetrationOptions {
        effort,
        time_budget,
        norm,
        allowed,
        parallel: false,
        ..PenetrationOptions::default()
    })
}

/// Reason for the end of a search.
fn end_of(end: TranslationalEnd) -> &'static str {
    end.bound().unwrap_or("completed")
}

/// A thorough search, which may take long and uses all threads.
fn searched(
    py: Python<'_>,
    [a, b]: [Shape; 2],
    [pose_a, pose_b]: [Isometry3<f64>; 2],
    options: PenetrationOptions,
) -> PyResult<Option<query::Penetration>> {
    let options = PenetrationOptions { parallel: true, ..options };
    interruptible(py, move |_| {
        Ok(query::penetration(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
    })
}

fn penetration_of<'py>(py: Python<'py>, found: &query::Penetration) -> PyResult<Bound<'py, PyAny>> {
    let direction = triple(py, found.direction.into_inner().into());
    let translation = triple(py, found.translation.into());
    let witnesses = two_points(py, &found.witnesses)?;
    results::penetration(
        py,
        (
            found.depth,
            found.lower_bound,
            direction,
            translation,
            witnesses,
            found.converged,
            found.approximation,
            end_of(found.ended_by),
        ),
    )
}

/// As `penetration` for many poses: columns of N, with a status for each item.
///
/// `poses_a` and `poses_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. `threads` bounds the threads of
/// the pool that are used; 0 uses all. Neither results nor their bits depend on it. `progress` is called with the numbers of items
/// done and of all; `True` shows a bar if `tqdm` is installed. The other options are those of `penetration`. Returns a
/// `PenetrationBatch`.
///
/// Raises `ValueError` for arrays of another shape and bad options only: an item that fails has status -1 and a message in
/// `errors`.
///
/// >>> import numpy as np, extricate as ex
/// >>> poses = np.tile(np.eye(4), (3, 1, 1)); poses[:, 0, 3] = [0.5, 1.5, np.nan]
/// >>> found = ex.penetration_batch(ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 1]), poses)
/// >>> found.status.tolist(), found.errors
/// ([1, 0, -1], {2: 'poses_a[2]: the pose is not finite'})
#[pyfunction]
#[pyo3(signature = (a, b, poses_a=None, poses_b=None, *, effort="fast", time_budget=None, seed=0, norm="l2", allowed=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn penetration_batch<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    poses_a: Arg<'_, 'py>,
    poses_b: Arg<'_, 'py>,
    effort: &str,
    time_budget: Option<f64>,
    seed: u64,
    norm: &str,
    allowed: Option<&str>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PenetrationOptions { seed, ..options([effort, norm], time_budget, allowed)? };
    let poses = PosePair::new([poses_a, poses_b], ["poses_a", "poses_b"])?.into_list();
    penetrations(py, both(a, b), poses, &options, &BatchOptions { threads, progress })
}

fn penetrations<'py>(
    py: Python<'py>,
    shapes: [Shape; 2],
    poses: PoseList,
    options: &PenetrationOptions,
    batch: &BatchOptions<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = *options;
    let found = batched(py, shapes, poses, batch, move |a, b| {
        let found = query::penetration(a, b, &options)?;
        // In a box: most items of a large batch are apart, and their rows would be moved as often.
        Ok(found.map(|found| {
            Box::new(Row {
                depth: found.depth,
                lower_bound: found.lower_bound,
                direction: found.direction.into_inner().into(),
                translation: found.translation.into(),
                witnesses: six(&found.witnesses),
                ended_by: end_of(found.ended_by),
            })
        }))
    })?;
    let count = found.len();
    let mut outcomes = Outcomes::default();
    let [mut depth, mut lower] = [(); 2].map(|()| Vec::with_capacity(count));
    let [mut direction, mut translation] = [(); 2].map(|()| Vec::with_capacity(3 * count));
    let (mut witnesses, mut ended_by) = (Vec::with_capacity(6 * count), Vec::with_capacity(count));
    for item in found {
        let is_apart = item.as_ref().is_ok_and(Option::is_none);
        let found = outcomes.add(item);
        let row = found.as_deref().unwrap_or(&Row::NONE);
        depth.push(if is_apart { 0.0 } else { row.depth });
        lower.push(if is_apart { 0.0 } else { row.lower_bound });
        direction.extend(row.direction);
        translation.extend(row.translation);
        witnesses.extend(row.witnesses);
        ended_by.push(row.ended_by);
    }
    let errors = outcomes.errors(py)?;
    let (direction, translation) = (array(py, direction, [count, 3])?, array(py, translation, [count, 3])?);
    let witnesses = array(py, witnesses, [count, 2, 3])?;
    let status = column(py, outcomes.status);
    let (depth, lower, ended_by) = (column(py, depth), column(py, lower), texts(py, &ended_by));
    let values = (status, errors, depth, lower, direction, translation, witnesses, ended_by);
    results::penetration_batch(py, values)
}

/// A row of a batch of penetrations.
struct Row {
    depth: f64,
    lower_bound: f64,
    direction: [f64; 3],
    translation: [f64; 3],
    witnesses: [f64; 6],
    ended_by: &'static str,
}

impl Row {
    const NONE: Self = Self {
        depth: f64::NAN,
        lower_bound: f64::NAN,
        direction: [f64::NAN; 3],
        translation: [f64::NAN; 3],
        witnesses: [f64::NAN; 6],
        ended_by: "",
    };
}

/// One penetration for every region of the overlap, deepest first; an empty list where the shapes are proved apart.
///
/// Poses and errors are those of `penetration`, (4, 4) or (N, 4, 4). After `time_budget` [s], regions that have not been measured
/// have the global depth, and `is_measured` is false. `norm` and `allowed` are those of `penetration` for
/// the whole overlap: two convex shapes, and regions that are not measured, have its translation. Depths are Euclidean lengths. Returns a list of `LocalPenetration`; for many poses a
/// `LocalPenetrationBatch`.
///
/// Source: [Je12 §6.3].
///
/// >>> import numpy as np, extricate as ex
/// >>> pose = np.eye(4); pose[2, 3] = 0.9
/// >>> box = ex.Shape.box([1, 1, 1]).to_mesh()
/// >>> [round(region.depth, 6) for region in ex.local_penetrations(box, box, pose)]
/// [0.1]
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", time_budget=None, seed=0, norm="l2", allowed=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn local_penetrations<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    effort: &str,
    time_budget: Option<f64>,
    seed: u64,
    norm: &str,
    allowed: Option<&str>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PenetrationOptions { seed, ..options([effort, norm], time_budget, allowed)? };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let [a, b] = both(a, b);
            let options = PenetrationOptions { parallel: true, ..options };
            let found = interruptible(py, move |_| {
                Ok(query::local_penetrations(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
            })?;
            let regions = found.iter().map(|region| region_of(py, region)).collect::<PyResult<Vec<_>>>()?;
            Ok(pyo3::types::PyList::new(py, regions)?.into_any())
        }
        PosePair::Many(poses) => {
            let batch = BatchOptions { threads, progress };
            let found = batched(py, both(a, b), poses, &batch, move |a, b| {
                query::local_penetrations(a, b, &options)
            })?;
            region_columns(py, found)
        }
    }
}

fn region_of<'py>(py: Python<'py>, region: &query::LocalPenetration) -> PyResult<Bound<'py, PyAny>> {
    let [on_a, on_b] = region.patches.clone().map(|patch| column(py, patch));
    let (point, normal) = (region.point.coords, region.normal.into_inner());
    results::local_penetration(
        py,
        (triple(py, point.into()), triple(py, normal.into()), region.depth, on_a, on_b, region.is_measured),
    )
}

/// Columns of all regions, and for each item where its own begin; the same for the triangles of each region.
fn region_columns(
    py: Python<'_>,
    found: Vec<Result<Vec<query::LocalPenetration>, String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let mut outcomes = Outcomes::default();
    let (mut offsets, mut depth, mut is_measured) = (vec![0_i64], Vec::new(), Vec::new());
    let (mut point, mut normal) = (Vec::<f64>::new(), Vec::<f64>::new());
    let (mut triangles, mut starts) = ([Vec::<u32>::new(), Vec::new()], [vec![0_i64], vec![0]]);
    for item in found {
        let regions = outcomes.add(item.map(|regions| (!regions.is_empty()).then_some(regions)));
        for region in regions.into_iter().flatten() {
            point.extend(region.point.iter());
            normal.extend(region.normal.iter());
            depth.push(region.depth);
            is_measured.push(region.is_measured);
            for ((triangles, starts), patch) in triangles.iter_mut().zip(&mut starts).zip(region.patches) {
                triangles.extend(patch);
                starts.push(triangles.len() as i64);
            }
        }
        offsets.push(depth.len() as i64);
    }
    let (errors, count) = (outcomes.errors(py)?, depth.len());
    let (point, normal) = (array(py, point, [count, 3])?, array(py, normal, [count, 3])?);
    let [on_a, on_b] = triangles.map(|triangles| column(py, triangles));
    let [starts_a, starts_b] = starts.map(|starts| column(py, starts));
    let status = column(py, outcomes.status);
    let values = (
        status,
        errors,
        column(py, offsets),
        point,
        normal,
        column(py, depth),
        on_a,
        starts_a,
        on_b,
        starts_b,
        column(py, is_measured),
    );
    results::local_penetration_batch(py, values)
}

/// The smallest rigid motion found of A, rotation included, that separates it from B; `None` where they are proved apart.
///
/// Smallest in the object norm, the mean squared displacement of the points of A. `pose_a` and `pose_b` map body to world,
/// (4, 4) or (N, 4, 4). `clearance` [m] is kept in the result. After `time_budget` [s] the search ends with what it has
/// found, as `ended_by` says. Returns a `RigidPenetration` or `None`; for many poses a
/// `RigidPenetrationBatch`.
///
/// Raises `ValueError` for a bad pose, option or shape, `NotSeparatedError` when no free pose was found.
///
/// Source: [Tang14].
///
/// >>> import numpy as np, extricate as ex
/// >>> pose = np.eye(4); pose[2, 3] = 0.9
/// >>> found = ex.penetration_rigid(ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 1]), pose)
/// >>> round(found.depth, 6), found.pose.shape
/// (0.1, (4, 4))
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", time_budget=None, clearance=0.0, seed=0, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn penetration_rigid<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    effort: &str,
    time_budget: Option<f64>,
    clearance: f64,
    seed: u64,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (clearance, time_budget) = (at_least_zero("clearance", clearance)?, budget(time_budget)?);
    let of_effort = match self::effort(effort)? {
        Effort::Best => RigidPenetrationOptions::default(),
        _ => RigidPenetrationOptions::fast(),
    };
    let options = RigidPenetrationOptions { clearance, time_budget, seed, parallel: false, ..of_effort };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let [a, b] = both(a, b);
            let options = RigidPenetrationOptions { parallel: true, ..options };
            let found = interruptible(py, move |_| {
                Ok(query::penetration_rigid(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
            })?;
            let Some(found) = found else { return Ok(py.None().into_bound(py)) };
            let (pose, ended_by) = (matrix(py, &found.pose)?, found.ended_by.to_string());
            let values = (found.depth, found.sigma, pose, found.clearance, found.verified_free, ended_by);
            results::rigid_penetration(py, values)
        }
        PosePair::Many(poses) => {
            let batch = BatchOptions { threads, progress };
            let found =
                batched(py, both(a, b), poses, &batch, move |a, b| query::penetration_rigid(a, b, &options))?;
            rigid_columns(py, found)
        }
    }
}

fn rigid_columns(
    py: Python<'_>,
    found: Vec<Result<Option<query::RigidPenetration>, String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let mut outcomes = Outcomes::default();
    let (mut depth, mut sigma, mut poses, mut ended_by) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let nowhere = Isometry3::translation(f64::NAN, f64::NAN, f64::NAN);
    for item in found {
        let none = if item.is_ok() { 0.0 } else { f64::NAN };
        let item = outcomes.add(item);
        depth.push(item.as_ref().map_or(none, |found| found.depth));
        sigma.push(item.as_ref().map_or(none, |found| found.sigma));
        ended_by.push(item.as_ref().map_or_else(String::new, |found| found.ended_by.to_string()));
        poses.push(item.map_or(nowhere, |found| found.pose));
    }
    let errors = outcomes.errors(py)?;
    let (poses, status) = (matrices(py, &poses)?, column(py, outcomes.status));
    let ended_by = texts(py, &ended_by.iter().map(String::as_str).collect::<Vec<_>>());
    let values = (status, errors, column(py, depth), column(py, sigma), poses, ended_by);
    results::rigid_penetration_batch(py, values)
}
