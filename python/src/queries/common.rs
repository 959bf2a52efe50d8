//! Arguments and calls that all queries share.

use std::time::Duration;

use extricate::Shape;
use extricate::penetration::{AllowedTranslations, Effort};
use extricate::query::{self, Norm, Posed};
use pyo3::prelude::*;

use crate::arrays::PoseList;
use crate::errors::{Failure, bad, guarded};
use crate::pool::{BatchOptions, alone, batch};
use crate::shape::PyShape;

/// An argument that may be left out.
pub(super) type Arg<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Names of the arguments that are poses.
pub(super) const NAMES: [&str; 2] = ["pose_a", "pose_b"];

/// A time budget [s].
pub(super) fn budget(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let Some(seconds) = seconds else { return Ok(None) };
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
    duration
        .map(Some)
        .ok_or_else(|| bad(format!("time_budget: expected seconds above zero, found {seconds}")))
}

/// The effort of a name.
pub(crate) fn effort(name: &str) -> PyResult<Effort> {
    match name {
        "fast" => Ok(Effort::Fast),
        "best" => Ok(Effort::Best),
        other => Err(bad(format!("effort: expected 'fast' or 'best', found '{other}'"))),
    }
}

/// The norm of a name.
pub(super) fn norm(name: &str) -> PyResult<Norm> {
    name.parse().map_err(|_| bad(format!("norm: expected 'l1', 'l2' or 'linf', found '{name}'")))
}

/// The translations of a text, as of the command line; all where there is none.
pub(super) fn allowed(text: Option<&str>) -> PyResult<Option<AllowedTranslations>> {
    text.map(|text| text.parse().map_err(|error| bad(format!("allowed: {error}")))).transpose()
}

/// A number of an option that must be finite and at least zero.
pub(crate) fn at_least_zero(name: &str, value: f64) -> PyResult<f64> {
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    Err(bad(format!("{name}: expected a finite number of at least zero, found {value}")))
}

/// Two shapes, which threads share.
pub(super) fn both(a: &Bound<'_, PyShape>, b: &Bound<'_, PyShape>) -> [Shape; 2] {
    [a.get().inner.clone(), b.get().inner.clone()]
}

/// Answers one query on this thread, without the interpreter's lock.
pub(super) fn answered<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, query::QueryError> + Send,
) -> PyResult<T> {
    alone(py)?;
    guarded(py, || py.detach(work))?.map_err(|error| Failure::from(error).raised(py))
}

/// Answers a query at many poses.
pub(super) fn batched<T: Send + 'static>(
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

/// Coordinates of two points.
pub(super) fn six([a, b]: &[extricate::nalgebra::Point3<f64>; 2]) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}
