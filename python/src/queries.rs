//! Queries about two shapes.

use std::sync::Arc;
use std::time::Duration;

use extricate::nalgebra::{Isometry3, Point3};
use extricate::penetration::Effort;
use extricate::query::{
    self, CollideOptions, DistanceOptions, HausdorffOptions, Moving, PenetrationOptions, Posed,
    RigidPenetrationOptions, TimeOfContactOptions,
};
use extricate::{Shape, proximity};
use pyo3::prelude::*;

use crate::arrays::{PoseList, PosePair, array, column, matrices, matrix, triple, two_points};
use crate::errors::{Failure, bad, guarded};
use crate::pool::{BatchOptions, alone, batch, interruptible};
use crate::results::{self, Outcomes};
use crate::shape::PyShape;

type Arg<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Names of the arguments that are poses.
const NAMES: [&str; 2] = ["pose_a", "pose_b"];

/// The effort of a name.
pub(crate) fn effort(name: &str) -> PyResult<Effort> {
    match name {
        "fast" => Ok(Effort::Fast),
        "best" => Ok(Effort::Best),
        other => Err(bad(format!("effort: expected 'fast' or 'best', found '{other}'"))),
    }
}

/// A number of an option that must be finite and at least zero.
pub(crate) fn at_least_zero(name: &str, value: f64) -> PyResult<f64> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(bad(format!("{name}: expected a finite number of at least zero, found {value}")))
}

/// A time budget [s].
fn budget(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    duration
        .map(Some)
        .ok_or_else(|| bad(format!("time_budget: expected seconds above zero, found {seconds}")))
}

/// Two shapes, which threads share.
fn both(a: &Bound<'_, PyShape>, b: &Bound<'_, PyShape>) -> [Shape; 2] {
    [a.get().inner.clone(), b.get().inner.clone()]
}

/// Answers one query on this thread, without the interpreter's lock.
fn answered<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, query::QueryError> + Send,
) -> PyResult<T> {
    alone(py)?;
    guarded(py, || py.detach(work))?.map_err(|error| Failure::from(error).raised(py))
}

/// Answers a query at many poses.
fn batched<T: Send + 'static>(
    py: Python<'_>,
    shapes: [Shape; 2],
    poses: PoseList,
    options: &BatchOptions<'_>,
    query: impl Fn(&Posed, &Posed) -> Result<T, query::QueryError> + Send + Sync + 'static,
) -> PyResult<Vec<Result<T, String>>> {
    batch(py, poses.count, options, move |index| {
        let [pose_a, pose_b] = poses.get(index).map_err(Failure::Bad)?;
        Ok(query(&Posed::new(&shapes[0], pose_a), &Posed::new(&shapes[1], pose_b))?)
    })
}

/// Whether two shapes have a point in common, or are closer than `clearance` [m].
///
/// `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. Touching counts, and a solid contains
/// its inside. Returns a `bool`, or (N,) bool for many poses.
///
/// Raises `ValueError` for a pose that is not a rigid motion, with its index; `ExtricateError` when the bounds of two convex
/// shapes leave it open.
///
/// >>> import numpy as np, extricate as ex
/// >>> ball, table = ex.Shape.sphere(0.1), ex.Shape.box([1, 1, 0.1])
/// >>> above = np.eye(4); above[2, 3] = 0.14
/// >>> ex.collide(ball, table, above)
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, clearance=0.0, threads=0))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn collide<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    clearance: f64,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let options = CollideOptions { clearance: at_least_zero("clearance", clearance)? };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let (a, b) = (&a.get().inner, &b.get().inner);
            let (a, b) = (Posed::new(a, pose_a), Posed::new(b, pose_b));
            let found = answered(py, || query::collide(&a, &b, &options))?;
            Ok(pyo3::types::PyBool::new(py, found).to_owned().into_any())
        }
        PosePair::Many(poses) => {
            let batch = BatchOptions { threads, progress: None };
            let found = batched(py, both(a, b), poses, &batch, move |a, b| query::collide(a, b, &options))?;
            let first_error =
                found.iter().enumerate().find_map(|(index, item)| Some((index, item.as_ref().err()?)));
            if let Some((index, why)) = first_error {
                return Err(if why.starts_with("pose") {
                    bad(why)
                } else {
                    crate::errors::failed(py, format!("item {index}: {why}"))
                });
            }
            Ok(column(py, found.into_iter().map(|item| item == Ok(true)).collect()).into_any())
        }
    }
}

/// The distance [m] of two shapes: zero where they collide, or minus the penetration depth if `signed`.
///
/// `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. `tolerance` is the accepted relative
/// error; exact by default. Returns a `Distance`, or a `DistanceBatch` for many poses. `progress` is called with the numbers
/// of items done and of all; `True` shows a bar if `tqdm` is installed.
///
/// Raises `ValueError` for a bad pose or option, `ExtricateError` where the query fails; an item of a batch has status -1
/// instead.
///
/// >>> import numpy as np, extricate as ex
/// >>> apart = np.eye(4); apart[0, 3] = 3
/// >>> ex.distance(ex.Shape.sphere(1), ex.Shape.sphere(1), apart).value
/// 1.0
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, signed=false, tolerance=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn distance<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    signed: bool,
    tolerance: Option<f64>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let tolerance = tolerance.map(|tolerance| at_least_zero("tolerance", tolerance)).transpose()?;
    let options =
        DistanceOptions { relative_tolerance: tolerance.unwrap_or(0.0), ..DistanceOptions::default() };
    let of_sign = PenetrationOptions { parallel: false, ..PenetrationOptions::default() };
    let of_sign =
        PenetrationOptions { relative_tolerance: tolerance.unwrap_or(of_sign.relative_tolerance), ..of_sign };
    let query = move |a: &Posed, b: &Posed| match signed {
        true => query::signed_distance(a, b, &of_sign),
        false => query::distance(a, b, &options),
    };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let (a, b) = (&a.get().inner, &b.get().inner);
            let (a, b) = (Posed::new(a, pose_a), Posed::new(b, pose_b));
            let found = answered(py, || query(&a, &b))?;
            results::distance(
                py,
                (found.value, found.lower_bound, found.upper_bound, two_points(py, &found.points)?),
            )
        }
        PosePair::Many(poses) => {
            let found = batched(py, both(a, b), poses, &BatchOptions { threads, progress }, query)?;
            distance_columns(py, found)
        }
    }
}

fn distance_columns(
    py: Python<'_>,
    found: Vec<Result<query::Distance, String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let count = found.len();
    let mut outcomes = Outcomes::default();
    let [mut value, mut lower, mut upper] = [(); 3].map(|()| Vec::with_capacity(count));
    let mut points = Vec::with_capacity(6 * count);
    for item in found {
        let item = outcomes.add(item.map(Some));
        value.push(item.map_or(f64::NAN, |found| found.value));
        lower.push(item.map_or(f64::NAN, |found| found.lower_bound));
        upper.push(item.map_or(f64::NAN, |found| found.upper_bound));
        points.extend(item.map_or([f64::NAN; 6], |found| six(&found.points)));
    }
    let errors = outcomes.errors(py)?;
    let (points, status) = (array(py, points, [count, 2, 3])?, column(py, outcomes.status));
    results::distance_batch(
        py,
        (status, errors, column(py, value), column(py, lower), column(py, upper), points),
    )
}

fn six([a, b]: &[Point3<f64>; 2]) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// The smallest translation found of A that separates it from B; `None` where they are proved apart.
///
/// `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. `effort` is `"fast"` or `"best"`, as
/// bounds on work that are reproducible; `time_budget` [s] is not. `seed` is that of random starts. Returns a
/// `Penetration` or `None`; for many poses a `PenetrationBatch`.
///
/// Raises `ValueError` for a bad pose or option, `NotSeparatedError` when no separating translation could be verified,
/// `ExtricateError` when the bounds leave open whether the shapes overlap.
///
/// Source: [Je12] for meshes; certified signed distances for convex shapes.
///
/// >>> import numpy as np, extricate as ex
/// >>> pose = np.eye(4); pose[2, 3] = 0.3
/// >>> found = ex.penetration(ex.Shape.sphere(0.5), ex.Shape.half_space(), pose)
/// >>> round(found.depth, 9), found.direction.round(6).tolist()
/// (0.2, [0.0, 0.0, 1.0])
/// >>> pose[2, 3] = 0.6
/// >>> ex.penetration(ex.Shape.sphere(0.5), ex.Shape.half_space(), pose) is None
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", time_budget=None, seed=0, threads=0, progress=None))]
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
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (effort, time_budget) = (self::effort(effort)?, budget(time_budget)?);
    let options =
        PenetrationOptions { effort, time_budget, seed, parallel: false, ..PenetrationOptions::default() };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One(poses) => {
            let found = match effort {
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
        ),
    )
}

/// As `penetration` for many poses: columns of N, with a status for each item.
///
/// `poses_a` and `poses_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. `threads` bounds the threads of
/// the pool that are used; 0 uses all. Neither results nor their bits depend on it. `progress` is called with the numbers of items
/// done and of all; `True` shows a bar if `tqdm` is installed. Returns a `PenetrationBatch`.
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
#[pyo3(signature = (a, b, poses_a=None, poses_b=None, *, effort="fast", time_budget=None, seed=0, threads=0, progress=None))]
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
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (effort, time_budget) = (self::effort(effort)?, budget(time_budget)?);
    let options =
        PenetrationOptions { effort, time_budget, seed, parallel: false, ..PenetrationOptions::default() };
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
            })
        }))
    })?;
    let count = found.len();
    let mut outcomes = Outcomes::default();
    let [mut depth, mut lower] = [(); 2].map(|()| Vec::with_capacity(count));
    let [mut direction, mut translation] = [(); 2].map(|()| Vec::with_capacity(3 * count));
    let mut witnesses = Vec::with_capacity(6 * count);
    for item in found {
        let is_apart = item.as_ref().is_ok_and(Option::is_none);
        let found = outcomes.add(item);
        let row = found.as_deref().unwrap_or(&Row::NONE);
        depth.push(if is_apart { 0.0 } else { row.depth });
        lower.push(if is_apart { 0.0 } else { row.lower_bound });
        direction.extend(row.direction);
        translation.extend(row.translation);
        witnesses.extend(row.witnesses);
    }
    let errors = outcomes.errors(py)?;
    let (direction, translation) = (array(py, direction, [count, 3])?, array(py, translation, [count, 3])?);
    let witnesses = array(py, witnesses, [count, 2, 3])?;
    let status = column(py, outcomes.status);
    results::penetration_batch(
        py,
        (status, errors, column(py, depth), column(py, lower), direction, translation, witnesses),
    )
}

/// A row of a batch of penetrations.
struct Row {
    depth: f64,
    lower_bound: f64,
    direction: [f64; 3],
    translation: [f64; 3],
    witnesses: [f64; 6],
}

impl Row {
    const NONE: Self = Self {
        depth: f64::NAN,
        lower_bound: f64::NAN,
        direction: [f64::NAN; 3],
        translation: [f64::NAN; 3],
        witnesses: [f64::NAN; 6],
    };
}

/// One penetration for every region of the overlap, deepest first; an empty list where the shapes are proved apart.
///
/// Poses and errors are those of `penetration`, (4, 4) or (N, 4, 4). Returns a list of `LocalPenetration`; for many poses a
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
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", seed=0, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn local_penetrations<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    effort: &str,
    seed: u64,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = PenetrationOptions { effort: self::effort(effort)?, seed, ..PenetrationOptions::default() };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let [a, b] = both(a, b);
            let found = interruptible(py, move |_| {
                Ok(query::local_penetrations(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
            })?;
            let regions = found.iter().map(|region| region_of(py, region)).collect::<PyResult<Vec<_>>>()?;
            Ok(pyo3::types::PyList::new(py, regions)?.into_any())
        }
        PosePair::Many(poses) => {
            let options = PenetrationOptions { parallel: false, ..options };
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
        (triple(py, point.into()), triple(py, normal.into()), region.depth, on_a, on_b),
    )
}

/// Columns of all regions, and for each item where its own begin; the same for the triangles of each region.
fn region_columns(
    py: Python<'_>,
    found: Vec<Result<Vec<query::LocalPenetration>, String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let mut outcomes = Outcomes::default();
    let (mut offsets, mut depth) = (vec![0_i64], Vec::new());
    let (mut point, mut normal) = (Vec::<f64>::new(), Vec::<f64>::new());
    let (mut triangles, mut starts) = ([Vec::<u32>::new(), Vec::new()], [vec![0_i64], vec![0]]);
    for item in found {
        let regions = outcomes.add(item.map(|regions| (!regions.is_empty()).then_some(regions)));
        for region in regions.into_iter().flatten() {
            point.extend(region.point.iter());
            normal.extend(region.normal.iter());
            depth.push(region.depth);
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
    );
    results::local_penetration_batch(py, values)
}

/// The smallest rigid motion found of A, rotation included, that separates it from B; `None` where they are proved apart.
///
/// Smallest in the object norm, the mean squared displacement of the points of A. `pose_a` and `pose_b` map body to world,
/// (4, 4) or (N, 4, 4). `clearance` [m] is kept in the result. Returns a `RigidPenetration` or `None`; for many poses a
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
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, effort="fast", clearance=0.0, seed=0, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn penetration_rigid<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    effort: &str,
    clearance: f64,
    seed: u64,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let clearance = at_least_zero("clearance", clearance)?;
    let of_effort = match self::effort(effort)? {
        Effort::Best => RigidPenetrationOptions::default(),
        _ => RigidPenetrationOptions::fast(),
    };
    let options = RigidPenetrationOptions { clearance, seed, parallel: false, ..of_effort };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let [a, b] = both(a, b);
            let options = RigidPenetrationOptions { parallel: true, ..options };
            let found = interruptible(py, move |_| {
                Ok(query::penetration_rigid(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
            })?;
            let Some(found) = found else { return Ok(py.None().into_bound(py)) };
            let values =
                (found.depth, found.sigma, matrix(py, &found.pose)?, found.clearance, found.verified_free);
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
    let (mut depth, mut sigma, mut poses) = (Vec::new(), Vec::new(), Vec::new());
    let nowhere = Isometry3::translation(f64::NAN, f64::NAN, f64::NAN);
    for item in found {
        let none = if item.is_ok() { 0.0 } else { f64::NAN };
        let item = outcomes.add(item);
        depth.push(item.as_ref().map_or(none, |found| found.depth));
        sigma.push(item.as_ref().map_or(none, |found| found.sigma));
        poses.push(item.map_or(nowhere, |found| found.pose));
    }
    let errors = outcomes.errors(py)?;
    let poses = matrices(py, &poses)?;
    let status = column(py, outcomes.status);
    results::rigid_penetration_batch(py, (status, errors, column(py, depth), column(py, sigma), poses))
}

/// The first contact of A while it moves from `start` to `end` and B stands still at `pose_b`; `None` where the whole motion
/// is proved free.
///
/// Poses map body to world, (4, 4) or (N, 4, 4). `motion` is `"screw"`, or `"linear"` for the origin along a straight line
/// with the rotation slerped. Returns a `Contact` or `None`; for many poses a `ContactBatch`.
///
/// Raises `ValueError` for a bad pose or option, `ExtricateError` when the work bound was met, with the time up to which
/// the motion is free.
///
/// Source: [Lin17 §40.3].
///
/// >>> import numpy as np, extricate as ex
/// >>> up, down = np.eye(4), np.eye(4)
/// >>> up[2, 3], down[2, 3] = 2.5, -1.5
/// >>> found = ex.time_of_contact(ex.Shape.sphere(0.5), ex.Shape.half_space(), up, down)
/// >>> round(found.time, 5), found.normal.round(6).tolist()
/// (0.5, [0.0, 0.0, 1.0])
#[pyfunction]
#[pyo3(signature = (a, b, start, end, pose_b=None, *, motion="screw", threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn time_of_contact<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    pose_b: Arg<'_, 'py>,
    motion: &str,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let is_screw = match motion {
        "screw" => true,
        "linear" => false,
        other => return Err(bad(format!("motion: expected 'screw' or 'linear', found '{other}'"))),
    };
    let still = crate::arrays::pose(pose_b, "pose_b")?;
    let ends = PosePair::new([Some(start), Some(end)], ["start", "end"])?;
    let is_one = matches!(ends, PosePair::One(_));
    let (ends, [a, b]) = (ends.into_list(), both(a, b));
    let find = move |ends: &PoseList, index| -> Result<Option<proximity::ContactInTime>, Failure> {
        let [start, end] = ends.get(index).map_err(Failure::Bad)?;
        let moving =
            if is_screw { Moving::screw(&a, &start, &end) } else { Moving::linear(&a, &start, &end) };
        Ok(query::time_of_contact(&moving, &Moving::still(&b, &still), &TimeOfContactOptions::default())?)
    };
    if is_one {
        let Some(found) = interruptible(py, move |_| find(&ends, 0))? else {
            return Ok(py.None().into_bound(py));
        };
        let normal = triple(py, found.normal.into_inner().into());
        return results::contact(py, (found.time, found.gap, two_points(py, &found.points)?, normal));
    }
    let found = batch(py, ends.count, &BatchOptions { threads, progress }, move |index| find(&ends, index))?;
    let mut outcomes = Outcomes::default();
    let (mut time, mut normal, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for item in found {
        let item = outcomes.add(item);
        time.push(item.as_ref().map_or(f64::NAN, |found| found.time));
        normal.extend(item.as_ref().map_or([f64::NAN; 3], |found| found.normal.into_inner().into()));
        points.extend(item.as_ref().map_or([f64::NAN; 6], |found| six(&found.points)));
    }
    let (count, errors) = (time.len(), outcomes.errors(py)?);
    let (points, normal) = (array(py, points, [count, 2, 3])?, array(py, normal, [count, 3])?);
    results::contact_batch(py, (column(py, outcomes.status), errors, column(py, time), points, normal))
}

/// The Hausdorff distance [m] of two surfaces: the maximum distance of a point of one from the other.
///
/// Poses are (4, 4) or (N, 4, 4). `tolerance` is the accepted relative difference of the bounds. If `one_sided`, only points of A
/// count. Returns a `Hausdorff`; for many poses a `HausdorffBatch`.
///
/// Raises `ValueError` for a half-space, a bad pose or option; an item of a batch has status -1 instead.
///
/// >>> import extricate as ex
/// >>> small, large = ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 2])
/// >>> round(ex.hausdorff(small, large).value, 6)
/// 0.5
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=None, one_sided=false, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn hausdorff<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    tolerance: Option<f64>,
    one_sided: bool,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let default = HausdorffOptions::default();
    let tolerance = tolerance.map(|tolerance| at_least_zero("tolerance", tolerance)).transpose()?;
    let relative_tolerance = tolerance.unwrap_or(default.relative_tolerance);
    let options = HausdorffOptions { relative_tolerance, one_sided, ..default };
    let [a, b] = both(a, b);
    let [pose_a, pose_b] = match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One(poses) => poses,
        PosePair::Many(poses) => {
            let batch = BatchOptions { threads, progress };
            let found = batched(py, [a, b], poses, &batch, move |a, b| query::hausdorff(a, b, &options))?;
            return hausdorff_columns(py, found);
        }
    };
    let found = interruptible(py, move |_| {
        Ok(query::hausdorff(&Posed::new(&a, pose_a), &Posed::new(&b, pose_b), &options)?)
    })?;
    let points = two_points(py, &found.witnesses)?;
    results::hausdorff(py, (found.value, found.lower_bound, found.upper_bound, points, found.converged))
}

fn hausdorff_columns(
    py: Python<'_>,
    found: Vec<Result<proximity::Hausdorff, String>>,
) -> PyResult<Bound<'_, PyAny>> {
    let count = found.len();
    let mut outcomes = Outcomes::default();
    let [mut value, mut lower, mut upper] = [(); 3].map(|()| Vec::with_capacity(count));
    let (mut points, mut converged) = (Vec::with_capacity(6 * count), Vec::with_capacity(count));
    for item in found {
        let item = outcomes.add(item.map(Some));
        value.push(item.as_ref().map_or(f64::NAN, |found| found.value));
        lower.push(item.as_ref().map_or(f64::NAN, |found| found.lower_bound));
        upper.push(item.as_ref().map_or(f64::NAN, |found| found.upper_bound));
        points.extend(item.as_ref().map_or([f64::NAN; 6], |found| six(&found.witnesses)));
        converged.push(item.is_some_and(|found| found.converged));
    }
    let errors = outcomes.errors(py)?;
    let (points, status) = (array(py, points, [count, 2, 3])?, column(py, outcomes.status));
    let [value, lower, upper] = [value, lower, upper].map(|numbers| column(py, numbers));
    results::hausdorff_batch(py, (status, errors, value, lower, upper, points, column(py, converged)))
}

/// Panics on purpose, here, in a pool or in a batch, by which tests check that a panic arrives as an exception.
#[pyfunction]
#[pyo3(signature = (place="here"))]
pub(crate) fn _panic(py: Python<'_>, place: &str) -> PyResult<()> {
    #[expect(
        clippy::panic,
        reason = "a panic on purpose, by which callers test that it arrives as an exception"
    )]
    fn fall() -> Result<(), Failure> {
        panic!("a panic on purpose")
    }
    match place {
        "here" => guarded(py, fall)?.map_err(|failure| failure.raised(py)),
        "pool" => interruptible(py, |_| fall()),
        _ => {
            let options = BatchOptions { threads: 0, progress: None };
            let found = batch(py, 3, &options, |index| if index == 1 { fall() } else { Ok(()) })?;
            let errors: Arc<[String]> = found.into_iter().filter_map(Result::err).collect();
            Err(bad(errors.join("; ")))
        }
    }
}
