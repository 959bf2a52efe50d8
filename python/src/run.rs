//! Runs of scenes, and their states for other programs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use extricate::record::export::{ExportFormat, export};
use extricate::record::{Recording, RunDirectory, StateSource, StatesInMemory};
use extricate::request::{RunFields, Start};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arrays::{array, column, matrix_rows};
use crate::errors::{Failure, bad};
use crate::pool::{Stop, interruptible, interruptible_until};
use crate::queries::at_least_zero;
use crate::world::{contacts_of, loaded, pose_of, shapes_of};

/// States of a run, which threads share.
type Source = Arc<dyn StateSource + Send + Sync>;

/// The states of a run, of which a `Recording` takes what is not in its columns.
#[pyclass(name = "_Run", module = "extricate._native", frozen)]
pub(crate) struct PyRun {
    source: Source,
    folder: Option<PathBuf>,
}

impl PyRun {
    fn checked(&self, state: usize) -> PyResult<usize> {
        let count = self.source.state_count();
        if state < count { Ok(state) } else { Err(bad(format!("there is no state {state} of {count}"))) }
    }
}

#[pymethods]
impl PyRun {
    /// Writes the run for other programs, and returns what the format does not hold.
    #[pyo3(signature = (path, format, state=None))]
    fn export(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        state: Option<usize>,
    ) -> PyResult<Vec<String>> {
        let formats = ExportFormat::ALL.into_iter();
        let format = formats.into_iter().find(|own| own.extension() == format);
        let format = format.ok_or_else(|| bad("format: expected 'glb', 'mcap', 'usda' or 'csv'"))?;
        if ExportFormat::of(&path) != Some(format) {
            return Err(bad(format!("path: expected a name that ends in .{}", format.extension())));
        }
        let state = state.map(|state| self.checked(state)).transpose()?;
        let source = Arc::clone(&self.source);
        interruptible(py, move |_| Ok(export(&*source, &path, format, state)?.left_out))
    }

    /// The contacts of a state; `None` where they were not recorded.
    fn contacts<'py>(&self, py: Python<'py>, state: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (state, source) = (self.checked(state)?, Arc::clone(&self.source));
        let found = interruptible(py, move |_| Ok(source.contacts(state)?))?;
        found.map(|contacts| contacts_of(py, &contacts)).transpose()
    }

    /// The shape of each body.
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let source = Arc::clone(&self.source);
        let shapes = interruptible(py, move |_| {
            let world = source.scene().world()?;
            Ok(world.descriptions().iter().map(|body| body.shape.clone()).collect::<Vec<_>>())
        })?;
        shapes_of(py, shapes)
    }

    /// The surfaces of the soft bodies: name, and triangles (F, 3) of indices of nodes.
    fn soft_surfaces<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let source = Arc::clone(&self.source);
        let surfaces = interruptible(py, move |_| {
            let world = source.scene().world()?;
            let bodies = world.soft_descriptions().iter();
            Ok(bodies.map(|body| (body.name.clone(), body.mesh.boundary().faces)).collect::<Vec<_>>())
        })?;
        let one = |(name, faces): (String, Vec<[u32; 3]>)| {
            Ok((name, array(py, faces.as_flattened().to_vec(), [faces.len(), 3])?))
        };
        surfaces.into_iter().map(one).collect()
    }

    /// Positions (V, 3) [m, world] of the nodes of a soft body in a state.
    fn soft_nodes<'py>(&self, py: Python<'py>, state: usize, body: usize) -> PyResult<Bound<'py, PyAny>> {
        let (state, source) = (self.checked(state)?, Arc::clone(&self.source));
        let found = interruptible(py, move |_| Ok(source.state(state)?))?;
        let soft = found.soft.get(body).ok_or_else(|| bad(format!("there is no soft body {body}")))?;
        let numbers = soft.nodes.iter().flat_map(|node| <[f64; 3]>::from(*node)).collect();
        array(py, numbers, [soft.nodes.len(), 3])
    }

    /// One in a folder pickles as its path, one in memory not at all.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (PathBuf,))> {
        let Some(folder) = &self.folder else {
            return Err(bad("the states of a run pickle where the run was recorded in a folder"));
        };
        Ok((py.get_type::<Self>().getattr("_open")?, (folder.clone(),)))
    }

    #[staticmethod]
    fn _open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let path = folder.clone();
        let source: Source = interruptible(py, move |_| Ok(Arc::new(Recording::open(&path)?)))?;
        Ok(Self { source, folder: Some(folder) })
    }
}

/// Runs a scene file, and returns its states at sixty a second.
///
/// With `out`, a folder, the run is recorded there as by the command line, with its contacts and with its expectations judged;
/// without it, nothing is written. `time` [s] is the simulated time, by default that of the scene. Ctrl-C ends it after the
/// current step. Returns a `Recording`.
///
/// Raises `FileError` for a bad scene or folder, `NotSeparatedError` for overlaps at the start that are refused or remain,
/// `ExtricateError` when a step fails.
///
/// >>> import extricate as ex
/// >>> recording = ex.run("scenes/rigid/box_stack.ron", time=0.1)
/// >>> recording.poses.shape == (len(recording.times), len(recording.names), 4, 4)
/// True
#[pyfunction]
#[pyo3(signature = (scene, out=None, *, time=None))]
pub(crate) fn run<'py>(
    py: Python<'py>,
    scene: PathBuf,
    out: Option<PathBuf>,
    time: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(time) = time {
        at_least_zero("time", time)?;
    }
    let fields = RunFields { time: time.filter(|time| *time > 0.0), ..RunFields::default() };
    let folder = out.clone();
    let (source, summary) = interruptible_until(
        py,
        move |stop| {
            let start = fields.start(loaded(&scene, None)?)?;
            match folder {
                Some(folder) => recorded(start, &folder, stop),
                None => in_memory(start, stop).map(|source| (source, None)),
            }
        },
        true,
    )?;
    recording(py, (source, out), summary)
}

/// Opens the folder of a run that was recorded, complete or not. Returns a `Recording`.
///
/// Raises `FileError` where the folder holds no run, or a file of it is damaged.
///
/// >>> import tempfile, extricate as ex
/// >>> with tempfile.TemporaryDirectory() as folder:
/// ...     first = ex.run("scenes/rigid/box_stack.ron", folder, time=0.05)
/// ...     ex.open_run(folder).hash == first.hash
/// True
#[pyfunction]
pub(crate) fn open_run(py: Python<'_>, folder: PathBuf) -> PyResult<Bound<'_, PyAny>> {
    let path = folder.clone();
    let (source, summary) = interruptible(py, move |_| opened(&path))?;
    recording(py, (source, Some(folder)), summary)
}

/// The `Recording` of states.
fn recording(
    py: Python<'_>,
    (source, folder): (Source, Option<PathBuf>),
    summary: Option<String>,
) -> PyResult<Bound<'_, PyAny>> {
    let states = Arc::clone(&source);
    let (mut times, mut poses, mut names, mut hash) = (Vec::new(), Vec::new(), Vec::new(), String::new());
    for index in 0..states.state_count() {
        let state = states.state(index).map_err(|error| Failure::from(error).raised(py))?;
        times.push(state.time);
        poses.extend(state.bodies.iter().map(pose_of));
        if index == 0 {
            names = state.bodies.iter().map(|body| body.name.clone()).collect();
        }
        hash = state.hash.to_string();
    }
    let summary = summary.map(|text| py.import("json")?.call_method1("loads", (text,))).transpose()?;
    let values = PyDict::new(py);
    values.set_item("poses", matrix_rows(py, &poses, names.len())?)?;
    values.set_item("times", column(py, times))?;
    values.set_item("names", PyTuple::new(py, names)?)?;
    values.set_item("hash", hash)?;
    values.set_item("folder", folder.as_ref().map(|folder| folder.display().to_string()))?;
    values.set_item("summary", summary)?;
    values.set_item("_run", Py::new(py, PyRun { source, folder })?)?;
    py.import("extricate._recording")?.getattr("Recording")?.call((), Some(&values))
}

fn in_memory(start: Start, stop: &Stop) -> Result<Source, Failure> {
    let stop = || stop.load(Ordering::Relaxed);
    Ok(Arc::new(StatesInMemory::of_run(start.scene, start.world, &start.options, &stop)?))
}

/// Runs and records in a folder, and opens that.
fn recorded(start: Start, folder: &Path, stop: &Stop) -> Result<(Source, Option<String>), Failure> {
    let directory = RunDirectory::create(folder)?.with_contacts()?;
    let mut monitor = |_: &_| match stop.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    start.run(directory, &mut monitor)?;
    opened(folder)
}

fn opened(folder: &Path) -> Result<(Source, Option<String>), Failure> {
    let recording = Recording::open(folder)?;
    let summary = recording.summary().map(ToString::to_string);
    Ok((Arc::new(recording), summary))
}
