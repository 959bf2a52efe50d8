//! Worlds, runs of scenes, and the separation of bodies.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extricate::dynamics::{BodyDescription, BodyKind, BodyState, Checkpoint, Mobility, WorldOptions};
use extricate::nalgebra::{Isometry3, Translation3, Vector3};
use extricate::penetration::SeparationOptions;
use extricate::record::{Recording, RunDirectory};
use extricate::request::{RunFields, start};
use extricate::{Scene, Shape, World};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arrays::{Poses, array, column, matrices, matrix_rows};
use crate::errors::{Failure, bad, failed};
use crate::pool::{Stop, interruptible, interruptible_until};
use crate::queries::{at_least_zero, effort};
use crate::results;
use crate::robot::{unknown, warn};
use crate::shape::PyShape;

/// A world that threads hand to each other; missing while one of them steps it.
type Shared = Arc<Mutex<Option<World>>>;

/// A world of rigid, articulated and soft bodies under gravity, of a scene.
///
/// Bodies are in the order of their names. A world belongs to one thread at a time. It pickles with its scene, by path and
/// text, and its state.
///
/// >>> import extricate as ex
/// >>> world = ex.World.load("scenes/rigid/box_stack.ron")
/// >>> world.step(10)
/// >>> world.steps, world.poses.shape
/// (10, (11, 4, 4))
#[pyclass(name = "World", module = "extricate._native", frozen)]
pub(crate) struct PyWorld {
    scene: Arc<Scene>,
    world: Shared,
}

/// A pickled world: path and text of its scene, and its state.
type Pickled<'py> = (PathBuf, String, Bound<'py, PyBytes>);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn pose_of(body: &BodyState) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(body.position.coords), body.rotation)
}

/// The scene of a file, or of a text in its place.
fn loaded(path: &Path, text: Option<String>) -> Result<Scene, Failure> {
    let scene = match text {
        None => Scene::load(path),
        Some(text) => Scene::parse(path, text),
    };
    scene.map_err(|error| Failure::of_scene(path, &error))
}

/// Warns of deprecated names in a scene, and of corrections of its robots.
fn warn_of(py: Python<'_>, scene: &Scene) -> PyResult<()> {
    let names = scene.deprecations.iter().map(ToString::to_string).chain(scene.hints.iter().cloned());
    let corrections = scene.robots.iter().flat_map(|robot| robot.corrections.iter().map(ToString::to_string));
    names.chain(corrections).try_for_each(|text| warn(py, &text))
}

impl PyWorld {
    fn made(py: Python<'_>, path: PathBuf, text: Option<String>) -> PyResult<Self> {
        let (scene, world) = interruptible(py, move |_| Ok(start::at_start(loaded(&path, text)?)?))?;
        warn_of(py, &scene)?;
        Ok(Self { scene: Arc::new(scene), world: Arc::new(Mutex::new(Some(world))) })
    }

    /// Reads the world.
    fn with<T>(&self, py: Python<'_>, read: impl FnOnce(&World) -> T) -> PyResult<T> {
        let world = locked(&self.world);
        world
            .as_ref()
            .map(read)
            .ok_or_else(|| failed(py, "the world is in use by another thread, or a step of it failed"))
    }

    fn columns<'py>(
        &self,
        py: Python<'py>,
        of_body: impl Fn(&BodyState) -> [f64; 6],
    ) -> PyResult<Bound<'py, PyAny>> {
        let numbers = self.with(py, |world| world.bodies().iter().flat_map(of_body).collect::<Vec<_>>())?;
        let count = numbers.len() / 6;
        array(py, numbers, [count, 6])
    }
}

#[pymethods]
impl PyWorld {
    /// The world of a scene file at its start. Bodies that overlap there are separated or refused, as the scene states.
    ///
    /// Raises `FileError`, with the line; `NotSeparatedError` for overlaps that are refused or remain.
    ///
    /// >>> import extricate as ex
    /// >>> ex.World.load("scenes/rigid/box_stack.ron").names[:2]
    /// ('box-0', 'box-1')
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::made(py, path, None)
    }

    /// The world of the text of a scene; the files that it names are searched in `folder`.
    ///
    /// Raises as `load`.
    ///
    /// >>> import extricate as ex
    /// >>> scene = '''(title: "drop", duration: 1,
    /// ...     shapes: {"ball": ball(radius: 0.1), "ground": half_space},
    /// ...     bodies: [(name: "ball", shape: "ball", position: (0, 0, 1)), (name: "ground", shape: "ground", kind: fixed)])'''
    /// >>> world = ex.World.from_text(scene)
    /// >>> world.step(50)
    /// >>> bool(world.poses[0, 2, 3] < 1)
    /// True
    #[staticmethod]
    #[pyo3(signature = (text, *, folder=None))]
    fn from_text(py: Python<'_>, text: String, folder: Option<PathBuf>) -> PyResult<Self> {
        Self::made(py, folder.unwrap_or_default().join("scene.ron"), Some(text))
    }

    /// Advances the world by `n` time steps. Ctrl-C ends it after the current step, from which it can be continued.
    ///
    /// Raises `ExtricateError` when a step fails, after which the world cannot be used.
    ///
    /// >>> import extricate as ex
    /// >>> world = ex.World.load("scenes/rigid/box_stack.ron")
    /// >>> world.step()
    /// >>> world.time == world.time_step
    /// True
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: u64) -> PyResult<()> {
        let taken = locked(&self.world).take();
        let mut world = taken
            .ok_or_else(|| failed(py, "the world is in use by another thread, or a step of it failed"))?;
        let slot = Arc::clone(&self.world);
        let work = move |stop: &Stop| {
            for _ in 0..n {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                world.step().map_err(|error| Failure::Failed(error.to_string()))?;
            }
            *locked(&slot) = Some(world);
            Ok(())
        };
        interruptible_until(py, work, true)
    }

    /// Names of the bodies, in order; those of robots are `robot/link`.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let names = self.with(py, |world| {
            world.descriptions().iter().map(|body| body.name.clone()).collect::<Vec<_>>()
        })?;
        PyTuple::new(py, names)
    }

    /// Poses (B, 4, 4) of the bodies, body to world.
    #[getter]
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let poses = self.with(py, |world| world.bodies().iter().map(pose_of).collect::<Vec<_>>())?;
        Ok(matrices(py, &poses)?.into_any())
    }

    /// Velocities (B, 6): that of the centre of mass [m/s, world], then the angular velocity [rad/s, world].
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.columns(py, |body| {
            let (linear, angular) = (body.linear_velocity, body.angular_velocity);
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        })
    }

    /// Time since the start [s].
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, World::time)
    }

    /// Length of a step [s].
    #[getter]
    fn time_step(&self) -> f64 {
        self.scene.options.time_step
    }

    /// Number of steps taken.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, World::steps)
    }

    /// Hash of the state: the same state gives the same, a difference in the last bit another one. That of the end of a run is
    /// the `hash` of its `summary.json`.
    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |world| format!("{:016x}", world.hash()))
    }

    /// Mechanical energy [J], potential energy included.
    #[getter]
    fn energy(&self, py: Python<'_>) -> PyResult<f64> {
        self.with(py, |world| world.energy().total())
    }

    /// The contacts of the last step: columns of C, a `WorldContacts`.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (contacts, names) = self.with(py, |world| {
            let contacts = world.contacts();
            let name = |body| world.name_of(body).to_owned();
            let names = contacts.iter().map(|contact| (name(contact.bodies[0]), name(contact.bodies[1])));
            (contacts.clone(), names.collect::<Vec<_>>())
        })?;
        let count = contacts.len();
        let three = |of: &dyn Fn(&extricate::dynamics::WorldContact) -> Vector3<f64>| {
            array(py, contacts.iter().flat_map(|contact| <[f64; 3]>::from(of(contact))).collect(), [count, 3])
        };
        let (points, normals) =
            (three(&|contact| contact.point.coords)?, three(&|contact| contact.normal.into_inner())?);
        let depth = column(py, contacts.iter().map(|contact| contact.depth).collect());
        let force = column(py, contacts.iter().map(|contact| contact.force).collect());
        results::world_contacts(py, (PyTuple::new(py, names)?, points, normals, depth, force))
    }

    /// Positions (V, 3) [m, world] of the nodes of a soft body.
    ///
    /// Raises `ValueError` for an unknown soft body.
    fn nodes<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with(py, |world| {
            let known: Vec<_> = world.soft_descriptions().iter().map(|body| body.name.clone()).collect();
            let nodes = world.soft_positions(name);
            nodes
                .map(|nodes| nodes.iter().flat_map(|node| <[f64; 3]>::from(*node)).collect::<Vec<_>>())
                .ok_or(known)
        })?;
        let numbers = found.map_err(|known| unknown("soft body", name, &known))?;
        let count = numbers.len() / 3;
        array(py, numbers, [count, 3])
    }

    /// The state as bytes, from which `restore` continues with the same bits.
    ///
    /// >>> import extricate as ex
    /// >>> world = ex.World.load("scenes/rigid/box_stack.ron")
    /// >>> before = world.snapshot(); world.step(5); after = world.hash
    /// >>> world.restore(before); world.step(5)
    /// >>> world.hash == after
    /// True
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, |world| world.checkpoint().and_then(|checkpoint| checkpoint.to_bytes()))?;
        Ok(PyBytes::new(py, &bytes.map_err(|error| failed(py, error))?))
    }

    /// Restores a state of this scene that `snapshot` returned.
    ///
    /// Raises `ValueError` for bytes that are damaged, of another version or of another scene; the world is then unchanged.
    fn restore(&self, py: Python<'_>, snapshot: &[u8]) -> PyResult<()> {
        let checkpoint = Checkpoint::read(snapshot).map_err(|error| bad(format!("snapshot: {error}")))?;
        let scene = Arc::clone(&self.scene);
        let world = interruptible(py, move |_| {
            let mut world = scene.world()?;
            world.restore(&checkpoint).map_err(|error| Failure::Bad(format!("snapshot: {error}")))?;
            Ok(world)
        })?;
        *locked(&self.world) = Some(world);
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (steps, count) = self.with(py, |world| (world.steps(), world.descriptions().len()))?;
        Ok(format!("World({:?}, {count} bodies, step {steps})", self.scene.title))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let restored = py.get_type::<Self>().getattr("_restored")?;
        Ok((restored, (self.scene.path.clone(), self.scene.text.clone(), self.snapshot(py)?)))
    }

    #[staticmethod]
    fn _restored(py: Python<'_>, path: PathBuf, text: String, snapshot: &[u8]) -> PyResult<Self> {
        let world = Self::made(py, path, Some(text))?;
        world.restore(py, snapshot)?;
        Ok(world)
    }
}

/// States of a run: times, poses of all bodies at each, and the hash of the last one.
#[derive(Default)]
struct States {
    times: Vec<f64>,
    poses: Vec<Isometry3<f64>>,
    names: Vec<String>,
    hash: String,
}

impl States {
    fn add(&mut self, world: &World) {
        self.times.push(world.time());
        self.poses.extend(world.bodies().iter().map(pose_of));
    }
}

/// Runs a scene file, and returns its states at sixty a second.
///
/// With `out`, a folder, the run is recorded there as by the command line, with its expectations judged; without it, nothing
/// is written. `time` [s] is the simulated time, by default that of the scene. Ctrl-C ends it after the current step.
/// Returns a `Recording`.
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
    let (states, summary) = interruptible_until(
        py,
        move |stop| {
            let start = fields.start(loaded(&scene, None)?)?;
            match folder {
                Some(folder) => recorded(start, &folder, stop),
                None => in_memory(start, stop).map(|states| (states, None)),
            }
        },
        true,
    )?;
    let summary =
        summary.map(|text: String| py.import("json")?.call_method1("loads", (text,))).transpose()?;
    let values = PyDict::new(py);
    values.set_item("poses", matrix_rows(py, &states.poses, states.names.len())?)?;
    values.set_item("times", column(py, states.times))?;
    values.set_item("names", PyTuple::new(py, states.names)?)?;
    values.set_item("hash", states.hash)?;
    values.set_item("folder", out.map(|folder| folder.display().to_string()))?;
    values.set_item("summary", summary)?;
    py.import("extricate._results")?.getattr("Recording")?.call((), Some(&values))
}

fn in_memory(start: extricate::request::Start, stop: &Stop) -> Result<States, Failure> {
    let (mut world, options) = (start.world, start.options);
    let names = world.descriptions().iter().map(|body| body.name.clone()).collect();
    let mut states = States { names, ..States::default() };
    states.add(&world);
    for step in 1..=options.steps {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        world.step().map_err(|error| Failure::Failed(error.to_string()))?;
        if step % options.every == 0 || step == options.steps {
            states.add(&world);
        }
    }
    states.hash = format!("{:016x}", world.hash());
    Ok(states)
}

/// Runs and records in a folder, and reads the states and the summary from there.
fn recorded(
    start: extricate::request::Start,
    folder: &Path,
    stop: &Stop,
) -> Result<(States, Option<String>), Failure> {
    let directory = RunDirectory::create(folder)?;
    let mut monitor = |_: &_| match stop.load(Ordering::Relaxed) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    start.run(directory, &mut monitor)?;
    let recording = Recording::open(folder)?;
    let mut states = States::default();
    for index in 0..recording.state_count() {
        let state = recording.state(index)?;
        states.times.push(state.time);
        states.poses.extend(state.bodies.iter().map(pose_of));
        if index == 0 {
            states.names = state.bodies.iter().map(|body| body.name.clone()).collect();
        }
        states.hash = format!("{:016x}", state.hash.0);
    }
    Ok((states, recording.summary().map(ToString::to_string)))
}

/// Small translations of bodies after which none of them overlap.
///
/// `shapes` are B shapes and `poses` (B, 4, 4) their poses, body to world; `fixed` are indices of bodies that stay.
/// `clearance` [m] is the distance that the bodies keep. Returns a `Separation` with translations (B, 3).
///
/// Raises `ValueError` for bad poses, indices and shapes that have no volume; `NotSeparatedError` when no translations
/// were found that separate all bodies.
///
/// >>> import numpy as np, extricate as ex
/// >>> poses = np.tile(np.eye(4), (2, 1, 1)); poses[1, 0, 3] = 0.9
/// >>> box = ex.Shape.box([1, 1, 1])
/// >>> ex.separate([box, box], poses, fixed=[0]).translations.round(6).tolist()
/// [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]]
#[pyfunction]
#[pyo3(signature = (shapes, poses, *, fixed=Vec::new(), clearance=0.0, effort="fast"))]
pub(crate) fn separate<'py>(
    py: Python<'py>,
    shapes: Vec<Bound<'py, PyShape>>,
    poses: &Bound<'py, PyAny>,
    fixed: Vec<usize>,
    clearance: f64,
    effort: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let clearance = at_least_zero("clearance", clearance)?;
    let options =
        SeparationOptions { effort: self::effort(effort)?, clearance, ..SeparationOptions::default() };
    let Poses::Many(poses) = Poses::new(Some(poses), "poses")? else {
        return Err(bad("poses: expected an array of shape (B, 4, 4)"));
    };
    let poses = poses.into_iter().collect::<Result<Vec<_>, _>>().map_err(bad)?;
    let count = shapes.len();
    if poses.len() != count {
        return Err(bad(format!("{count} shapes and {} poses: expected equal numbers", poses.len())));
    }
    if let Some(index) = fixed.iter().find(|index| **index >= count) {
        return Err(bad(format!("fixed: there is no body {index} of {count}")));
    }
    let shapes: Vec<Shape> = shapes.iter().map(|shape| shape.get().inner.clone()).collect();
    let (moved, clearance) = interruptible(py, move |_| {
        // Bodies of a world are sorted by name: numbers of equal width keep their order.
        let name = |index: usize| format!("{index:09}");
        let mut builder = World::builder(WorldOptions::default());
        // Bodies that are fixed by their mobility are compared with each other, those of a fixed kind are not.
        let fixed = fixed.into_iter().map(name).collect();
        for (index, (shape, pose)) in shapes.into_iter().zip(poses).enumerate() {
            let kind = if shape.is_half_space() { BodyKind::Fixed } else { BodyKind::Dynamic };
            builder.add_body(BodyDescription::new(name(index), kind, shape, pose))?;
        }
        let found = builder.build()?.separate(&Mobility { fixed, ..Mobility::default() }, &options)?;
        let moved = (0..count).map(|index| found.moved.get(&name(index)).copied().unwrap_or_default());
        Ok((moved.collect::<Vec<_>>(), found.clearance))
    })?;
    let total: f64 = moved.iter().map(Vector3::norm).sum();
    let numbers: Vec<f64> = moved.iter().flat_map(|by| <[f64; 3]>::from(*by)).collect();
    results::separation(py, (numbers.into_pyarray(py).reshape([count, 3])?, total, clearance))
}
