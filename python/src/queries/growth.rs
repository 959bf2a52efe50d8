//! Growth distances of two convex shapes.

use extricate::query::{self, GrowthDistance, GrowthDistanceOptions, Posed};
use pyo3::prelude::*;

use super::common::{Arg, NAMES, answered, batched, both, six};
use crate::arrays::{PosePair, array, column, triple, two_points, vector};
use crate::pool::BatchOptions;
use crate::results::{self, Outcomes};
use crate::shape::PyShape;

/// The growth distance of two convex shapes: the factor by which both are scaled about their seeds so that they touch.
///
/// Below 1 they overlap, above 1 they are apart. `pose_a` and `pose_b` map body to world, (4, 4) or (N, 4, 4); none is the
/// identity. `seed_a` and `seed_b` (3,) [m, frame of the shape] are points of the shapes, of all items; none is the centre:
/// the origin of the frame, or the centre of a hull. Returns a `GrowthDistance`, or a `GrowthDistanceBatch` for many poses.
/// `progress` is called with the numbers of items done and of all; `True` shows a bar if `tqdm` is installed.
///
/// Raises `ValueError` for a bad pose, a seed outside of its shape, a mesh or a half-space, and where neither shape extends
/// from its seed towards that of the other one; `ExtricateError` where the query fails; an item of a batch has status -1
/// instead.
///
/// Source: [OG96].
///
/// >>> import numpy as np, extricate as ex
/// >>> apart = np.eye(4); apart[1, 3] = 1.2
/// >>> found = ex.growth_distance(ex.Shape.sphere(0.5), ex.Shape.sphere(0.3), None, apart)
/// >>> round(found.value, 6), found.contact.round(6).tolist()
/// (1.5, [0.0, 0.75, 0.0])
#[pyfunction]
#[pyo3(signature = (a, b, pose_a=None, pose_b=None, *, seed_a=None, seed_b=None, threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn growth_distance<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyShape>,
    b: &Bound<'py, PyShape>,
    pose_a: Arg<'_, 'py>,
    pose_b: Arg<'_, 'py>,
    seed_a: Arg<'_, 'py>,
    seed_b: Arg<'_, 'py>,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let seed = |given: Arg<'_, 'py>, name| given.map(|point| vector(point, name).map(Into::into)).transpose();
    let seeds = [seed(seed_a, "seed_a")?, seed(seed_b, "seed_b")?];
    let options = GrowthDistanceOptions { seeds, ..GrowthDistanceOptions::default() };
    match PosePair::new([pose_a, pose_b], NAMES)? {
        PosePair::One([pose_a, pose_b]) => {
            let (a, b) = (&a.get().inner, &b.get().inner);
            let (a, b) = (Posed::new(a, pose_a), Posed::new(b, pose_b));
            growth_of(py, &answered(py, || query::growth_distance(&a, &b, &options))?)
        }
        PosePair::Many(poses) => {
            let batch = BatchOptions { threads, progress };
            let found =
                batched(py, both(a, b), poses, &batch, move |a, b| query::growth_distance(a, b, &options))?;
            growth_columns(py, found)
        }
    }
}

fn growth_of<'py>(py: Python<'py>, found: &GrowthDistance) -> PyResult<Bound<'py, PyAny>> {
    let (points, seeds) = (two_points(py, &found.points)?, two_points(py, &found.seeds)?);
    let contact = triple(py, found.contact.coords.into());
    let normal = triple(py, found.normal.into_inner().into());
    let values =
        (found.value, found.lower_bound, found.upper_bound, points, contact, normal, seeds, found.converged);
    results::growth_distance(py, values)
}

fn growth_columns(py: Python<'_>, found: Vec<Result<GrowthDistance, String>>) -> PyResult<Bound<'_, PyAny>> {
    let count = found.len();
    let mut outcomes = Outcomes::default();
    let [mut value, mut lower, mut upper] = [(); 3].map(|()| Vec::with_capacity(count));
    let [mut points, mut seeds] = [(); 2].map(|()| Vec::with_capacity(6 * count));
    let [mut contact, mut normal] = [(); 2].map(|()| Vec::with_capacity(3 * count));
    let mut converged = Vec::with_capacity(count);
    for item in found {
        let item = outcomes.add(item.map(Some));
        value.push(item.map_or(f64::NAN, |found| found.value));
        lower.push(item.map_or(f64::NAN, |found| found.lower_bound));
        upper.push(item.map_or(f64::NAN, |found| found.upper_bound));
        points.extend(item.map_or([f64::NAN; 6], |found| six(&found.points)));
        contact.extend(item.map_or([f64::NAN; 3], |found| found.contact.coords.into()));
        normal.extend(item.map_or([f64::NAN; 3], |found| found.normal.into_inner().into()));
        seeds.extend(item.map_or([f64::NAN; 6], |found| six(&found.seeds)));
        converged.push(item.is_some_and(|found| found.converged));
    }
    let (errors, status) = (outcomes.errors(py)?, column(py, outcomes.status));
    let [value, lower, upper] = [value, lower, upper].map(|numbers| column(py, numbers));
    let (points, seeds) = (array(py, points, [count, 2, 3])?, array(py, seeds, [count, 2, 3])?);
    let (contact, normal) = (array(py, contact, [count, 3])?, array(py, normal, [count, 3])?);
    let converged = column(py, converged);
    let values = (status, errors, value, lower, upper, points, contact, normal, seeds, converged);
    results::growth_distance_batch(py, values)
}
