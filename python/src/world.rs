//! Worlds.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use extricate::dynamics::{BodyState, Checkpoint};
use extricate::nalgebra::{Isometry3, Translation3};
use extricate::record::ContactPoint;
use extricate::request::start;
use extricate::{Scene, World};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};

use crate::arrays::{array, column, matrices};
use crate::errors::{Failure, bad, failed};
use crate::pool::{Stop, interruptible, interruptible_until};
use crate::results;
use crate::robot::{unknown, warn, wrapped};
use crate::shape::drawn;

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

pub(crate) fn pose_of(body: &BodyState) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(body.position.coords), body.rotation)
}

/// The scene of a file, or of a text in its place.
pub(crate) fn loaded(path: &Path, text: Option<String>) -> Result<Scene, Failure> {
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

/// Contacts as columns.
pub(crate) fn contacts_of<'py>(py: Python<'py>, contacts: &[ContactPoint]) -> PyResult<Bound<'py, PyAny>> {
    let names = contacts.iter().map(|contact| (&contact.bodies[0], &contact.bodies[1]));
    let names = PyTuple::new(py, names.collect::<Vec<_>>())?;
    let count = contacts.len();
    let points = contacts.iter().flat_map(|contact| <[f64; 3]>::from(contact.point)).collect();
    let normals = contacts.iter().flat_map(|contact| <[f64; 3]>::from(contact.normal)).collect();
    let (points, normals) = (array(py, points, [count, 3])?, array(py, normals, [count, 3])?);
    let depth = column(py, contacts.iter().map(|contact| contact.depth).collect());
    let force = column(py, contacts.iter().map(|contact| contact.force).collect());
    results::world_contacts(py, (names, points, normals, depth, force))
}

/// Shapes as Python objects.
pub(crate) fn shapes_of(py: Python<'_>, shapes: Vec<extricate::Shape>) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, shapes.into_iter().map(|shape| wrapped(py, shape)).collect::<PyResult<Vec<_>>>()?)
}

impl PyWorld {
    fn made(py: Python<'_>, path: PathBuf, text: Option<String>) -> PyResult<Self> {
        Self::started(py, interruptible(py, move |_| Ok(start::at_start(loaded(&path, text)?)?))?)
    }

    fn started(py: Python<'_>, (scene, world): (Scene, World)) -> PyResult<Self> {
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

    /// The world of a scene as a dictionary: structures and maps are dictionaries, tuples and lists are lists or arrays, a
    /// variant is its name or `{name: fields}`. The files that it names are searched in `folder`.
    ///
    /// Raises `ValueError` for what is not a valid scene, with the place.
    ///
    /// >>> import extricate as ex
    /// >>> world = ex.World.from_dict({
    /// ...     "title": "drop", "duration": 1,
    /// ...     "shapes": {"ball": {"ball": {"radius": 0.1}}, "ground": "half_space"},
    /// ...     "bodies": [{"name": "ball", "shape": "ball", "position": [0, 0, 1]},
    /// ...                {"name": "ground", "shape": "ground", "kind": "fixed"}]})
    /// >>> world.names
    /// ('ball', 'ground')
    #[staticmethod]
    #[pyo3(signature = (scene, *, folder=None))]
    fn from_dict(py: Python<'_>, scene: &Bound<'_, PyDict>, folder: Option<PathBuf>) -> PyResult<Self> {
        let text: String = py.import("extricate._scene")?.getattr("to_json")?.call1((scene,))?.extract()?;
        let value = serde_json::from_str(&text).map_err(|error| bad(format!("scene: {error}")))?;
        let text = Scene::text_of_json(&value).map_err(|error| bad(format!("scene: {error}")))?;
        let path = folder.unwrap_or_default().join("scene.ron");
        let made = interruptible(py, move |_| match loaded(&path, Some(text)) {
            Ok(scene) => Ok(start::at_start(scene)?),
            // There is no file: the message shows the place.
            Err(failure) => Err(Failure::Bad(failure.text())),
        });
        Self::started(py, made?)
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

    /// Builds what steps need of the shapes, which otherwise the first step does. Returns the time that it took [s].
    ///
    /// >>> import extricate as ex
    /// >>> world = ex.World.load("scenes/rigid/box_stack.ron")
    /// >>> world.prepare() >= 0.0
    /// True
    fn prepare(&self, py: Python<'_>) -> PyResult<f64> {
        let taken = locked(&self.world).take();
        let world = taken
            .ok_or_else(|| failed(py, "the world is in use by another thread, or a step of it failed"))?;
        let slot = Arc::clone(&self.world);
        let work = move |_: &Stop| {
            let time = world.prepare().time.as_secs_f64();
            *locked(&slot) = Some(world);
            Ok(time)
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
        contacts_of(py, &self.with(py, ContactPoint::of)?)
    }

    /// The shape of each body, in the order of their names.
    ///
    /// >>> import extricate as ex
    /// >>> world = ex.World.load("scenes/rigid/box_stack.ron")
    /// >>> dict(zip(world.names, world.shapes))["box-0"].kind
    /// 'box'
    #[getter]
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shapes_of(
            py,
            self.with(py, |world| world.descriptions().iter().map(|body| body.shape.clone()).collect())?,
        )
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

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        drawn(slf.as_any())
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
