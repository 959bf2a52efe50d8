//! Whether shapes collide, how far they are apart or deviate from each other, and when they meet.

use extricate::proximity;
use extricate::query::{
    self, CollideOptions, DistanceOptions, HausdorffOptions, Moving, PenetrationOptions, Posed,
    TimeOfContactOptions,
};
use pyo3::prelude::*;

use super::common::{Arg, NAMES, answered, at_least_zero, batched, both, budget, norm, six};
use crate::arrays::{PoseList, PosePair, array, column, triple, two_points};
use crate::errors::{Failure, bad};
use crate::pool::{BatchOptions, batch, interruptible};
use crate::results::{self, Outcomes};
use crate::shape::PyShape;

/// Whether two shapes have a point in common, or are closer than `clearance` [m].
///
/// `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the identity. Touching counts, and a solid contains
/// its inside. Returns a `bool`, or (N,) bool for many poses.
///
/// Raises `ValueError` for a pose that is not a rigid motion, with its index; `ExtricateError` when the bounds of two convex
/// shapes leave it open, or when `time_budget` [s], that of each pose, is spent before it is known where a mesh takes part.
///
/// >>> import numpy as np, extricate as ex
/// >>> ball, table = ex.Shape.sphere(0.1), ex.Shape.box([1, 1, 0.1])
/// >>> above = np.eye(4); above[2, 3] = 0.14
/// >>> ex.collide(ball, table, above)
/// True
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, clearance=0.0, time_budget=None, threads=0))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn collide<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    clearance: f64,
    time_budget: Option<f64>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (clearance, time_budget) = (at_least_zero("clearance", clearance)?, budget(time_budget)?);
    let options = CollideOptions { clearance, time_budget };
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
/// error; exact by default. `time_budget` [s] is that of each pose, where a mesh takes part: after it, `lower_bound` of two meshes that are known to be apart is below `value`; else it is an error. `norm` is `"l2"`, `"l1"` or `"linf"`, along
/// the axes of the world: the distance is then the minimum norm of a translation after which the shapes touch; where a convex
/// shape takes part, bounds agree to 1e-9. Returns a `Distance`, or a `DistanceBatch` for many poses. `progress` is called with the numbers of items done and of all; `True` shows a bar if
/// `tqdm` is installed.
///
/// Raises `ValueError` for a bad pose or option, `ExtricateError` where the query fails or its
/// time budget is spent before the distance is known; an item of a batch has status -1 instead.
///
/// Source: [Lin17 §40.4] for norms.
///
/// >>> import numpy as np, extricate as ex
/// >>> apart = np.eye(4); apart[0, 3] = 3
/// >>> ex.distance(ex.Shape.sphere(1), ex.Shape.sphere(1), apart).value
/// 1.0
/// >>> apart[1, 3] = 4
/// >>> box = ex.Shape.box([1, 1, 1])
/// >>> [round(ex.distance(box, box, apart, norm=norm).value, 6) for norm in ("l1", "linf")]
/// [5.0, 3.0]
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, signed=false, tolerance=None, norm="l2", time_budget=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn distance<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    signed: bool,
    tolerance: Option<f64>,
    norm: &str,
    time_budget: Option<f64>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (norm, time_budget) = (self::norm(norm)?, budget(time_budget)?);
    let tolerance = tolerance.map(|tolerance| at_least_zero("tolerance", tolerance)).transpose()?;
    let relative_tolerance = tolerance.unwrap_or(0.0);
    let options = DistanceOptions { relative_tolerance, time_budget, ..DistanceOptions::default() };
    let of_sign = PenetrationOptions { norm, time_budget, parallel: false, ..PenetrationOptions::default() };
    let of_sign =
        PenetrationOptions { relative_tolerance: tolerance.unwrap_or(of_sign.relative_tolerance), ..of_sign };
    let query = move |a: &Posed, b: &Posed| match signed {
        true => query::signed_distance(a, b, &of_sign),
        false => query::distance_in_norm(a, b, norm, &options),
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

/// The first contact of A while it moves from `start` to `end` and B stands still at `pose_b`; `None` where the whole motion
/// is proved free.
///
/// Poses map body to world, (4, 4) or (N, 4, 4). `motion` is `"screw"`, or `"linear"` for the origin along a straight line
/// with the rotation slerped. Returns a `Contact` or `None`; for many poses a `ContactBatch`.
///
/// Raises `ValueError` for a bad pose or option, `ExtricateError` when the work bound was met or `time_budget` [s] is spent,
/// with the time up to which the motion is free.
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
#[pyo3(signature = (a, b, start, end, pose_b=None, *, motion="screw", time_budget=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn time_of_contact<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    pose_b: Arg<'_, 'py>,
    motion: &str,
    time_budget: Option<f64>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = TimeOfContactOptions { time_budget: budget(time_budget)?, ..Default::default() };
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
        Ok(query::time_of_contact(&moving, &Moving::still(&b, &still), &options)?)
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
/// count. After `time_budget` [s] for each pose the bounds found by then are returned, and `converged` is false. Returns a `Hausdorff`;
/// for many poses a `HausdorffBatch`.
///
/// Raises `ValueError` for a half-space, a bad pose or option; an item of a batch has status -1 instead.
///
/// >>> import extricate as ex
/// >>> small, large = ex.Shape.box([1, 1, 1]), ex.Shape.box([1, 1, 2])
/// >>> round(ex.hausdorff(small, large).value, 6)
/// 0.5
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, tolerance=None, one_sided=false, time_budget=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn hausdorff<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    tolerance: Option<f64>,
    one_sided: bool,
    time_budget: Option<f64>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let default = HausdorffOptions::default();
    let tolerance = tolerance.map(|tolerance| at_least_zero("tolerance", tolerance)).transpose()?;
    let relative_tolerance = tolerance.unwrap_or(default.relative_tolerance);
    let time_budget = budget(time_budget)?;
    let options = HausdorffOptions { relative_tolerance, one_sided, time_budget, ..default };
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
