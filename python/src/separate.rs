//! Separation of many bodies.

use std::sync::Arc;

use extricate::dynamics::{BodyDescription, BodyKind, Mobility, WorldOptions};
use extricate::nalgebra::{Isometry3, Vector3};
use extricate::penetration::SeparationOptions;
use extricate::{Shape, World};
use pyo3::prelude::*;

use crate::arrays::{PoseRows, array, column};
use crate::errors::{Failure, bad};
use crate::pool::{BatchOptions, batch, interruptible};
use crate::queries::{at_least_zero, effort};
use crate::results::{self, Outcomes};
use crate::shape::PyShape;

/// Bodies that are separated at many poses.
struct Bodies {
    shapes: Vec<Shape>,
    mobility: Mobility,
    options: SeparationOptions,
}

/// Translations of the bodies [m, world], and their minimum distance then [m].
type Apart = (Vec<Vector3<f64>>, f64);

impl Bodies {
    fn new(shapes: &[Bound<'_, PyShape>], fixed: &[usize], options: SeparationOptions) -> PyResult<Self> {
        let count = shapes.len();
        if let Some(index) = fixed.iter().find(|index| **index >= count) {
            return Err(bad(format!("fixed: there is no body {index} of {count}")));
        }
        // Bodies that are fixed by their mobility are compared with each other, those of a fixed kind are not.
        let fixed = fixed.iter().copied().map(name).collect();
        let shapes = shapes.iter().map(|shape| shape.get().inner.clone()).collect();
        Ok(Self { shapes, mobility: Mobility { fixed, ..Mobility::default() }, options })
    }

    fn separated(&self, poses: &[Isometry3<f64>]) -> Result<Apart, Failure> {
        let mut builder = World::builder(WorldOptions::default());
        for (index, (shape, pose)) in self.shapes.iter().zip(poses).enumerate() {
            let kind = if shape.is_half_space() { BodyKind::Fixed } else { BodyKind::Dynamic };
            builder.add_body(BodyDescription::new(name(index), kind, shape.clone(), *pose))?;
        }
        let found = builder.build()?.separate(&self.mobility, &self.options)?;
        let moved = (0..poses.len()).map(|index| found.moved.get(&name(index)).copied().unwrap_or_default());
        Ok((moved.collect(), found.clearance))
    }
}

/// Name of a body. Bodies of a world are sorted by name: numbers of equal width keep their order.
fn name(index: usize) -> String {
    format!("{index:09}")
}

fn numbers(moved: &[Vector3<f64>]) -> impl Iterator<Item = f64> {
    moved.iter().flat_map(|by| <[f64; 3]>::from(*by))
}

fn total(moved: &[Vector3<f64>]) -> f64 {
    moved.iter().map(Vector3::norm).sum()
}

/// Small translations of bodies after which none of them overlap.
///
/// `shapes` are B shapes and `poses` (B, 4, 4) their poses, body to world, or (N, B, 4, 4) for many scenes; `fixed` are
/// indices of bodies that stay. `clearance` [m] is the distance that the bodies keep. `threads` and `progress` are those of a
/// batch. Returns a `Separation` with translations (B, 3), or a `SeparationBatch`.
///
/// Raises `ValueError` for bad poses, indices and shapes that have no volume; `NotSeparatedError` when no translations
/// were found that separate all bodies. A scene of a batch that fails has status -1 instead.
///
/// >>> import numpy as np, extricate as ex
/// >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[1, 0, 3] = 0.9
/// >>> box = ex.Shape.box([1, 1, 1])
/// >>> ex.separate([box, box], poses, fixed=[0]).translations.round(6).tolist()
/// [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]
#[pyfunction]
#[pyo3(signature = (shapes, poses, *, fixed=Vec::new(), clearance=0.0, effort="fast", threads=0, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub(crate) fn separate<'py>(
    py: Python<'py>,
    shapes: Vec<Bound<'py, PyShape>>,
    poses: &Bound<'py, PyAny>,
    fixed: Vec<usize>,
    clearance: f64,
    effort: &str,
    threads: usize,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let clearance = at_least_zero("clearance", clearance)?;
    let options =
        SeparationOptions { effort: self::effort(effort)?, clearance, ..SeparationOptions::default() };
    let poses = PoseRows::new(poses, "poses", shapes.len())?;
    let bodies = Bodies::new(&shapes, &fixed, options)?;
    let count = shapes.len();
    if poses.is_single {
        let poses = poses.get(0).map_err(bad)?;
        let (moved, clearance) = interruptible(py, move |_| bodies.separated(&poses))?;
        let translations = array(py, numbers(&moved).collect(), [count, 3])?;
        return results::separation(py, (translations, total(&moved), clearance));
    }
    let (poses, bodies) = (Arc::new(poses), Arc::new(bodies));
    let scenes = poses.count;
    let found = batch(py, scenes, &BatchOptions { threads, progress }, move |index| {
        bodies.separated(&poses.get(index).map_err(Failure::Bad)?)
    })?;
    columns(py, found, count)
}

/// Columns of a batch: a scene in which no body had to move has the status of a proved absence.
fn columns(py: Python<'_>, found: Vec<Result<Apart, String>>, bodies: usize) -> PyResult<Bound<'_, PyAny>> {
    let scenes = found.len();
    let mut outcomes = Outcomes::default();
    let (mut translations, mut totals, mut clearance) = (Vec::new(), Vec::new(), Vec::new());
    for item in found {
        match &item {
            Ok((moved, distance)) => {
                translations.extend(numbers(moved));
                totals.push(total(moved));
                clearance.push(*distance);
            }
            Err(_) => {
                translations.extend(std::iter::repeat_n(f64::NAN, 3 * bodies));
                totals.push(f64::NAN);
                clearance.push(f64::NAN);
            }
        }
        outcomes.add(item.map(|(moved, _)| (total(&moved) > 0.0).then_some(())));
    }
    let errors = outcomes.errors(py)?;
    let translations = array(py, translations, [scenes, bodies, 3])?;
    let (totals, clearance) = (column(py, totals), column(py, clearance));
    results::separation_batch(py, (column(py, outcomes.status), errors, translations, totals, clearance))
}
