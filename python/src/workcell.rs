//! Work cells: a robot among obstacles.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use extricate::Workcell;
use extricate::nalgebra::Isometry3;
use extricate::penetration::generalized::Pose;
use extricate::plan::{PlanError, PlanOptions};
use extricate::query::Posed;
use extricate::repair::{
    AttachedObject, Change, Collision, Freedom, Keep, Moved, Repair, RepairError, RepairOptions, RobotOptions,
};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::arrays::{Configurations, array, column, matrices, matrix, pose};
use crate::errors::{Failure, bad, raised};
use crate::pool::{BatchOptions, batch, interruptible};
use crate::queries::{at_least_zero, effort};
use crate::results::{self, Outcomes};
use crate::robot::PyRobot;
use crate::shape::{PyShape, drawn};

/// A robot among named obstacles, preprocessed for many configurations.
///
/// `obstacles` maps names to a shape, or to a pair of a shape and its pose (4, 4). `base` (4, 4) is the pose of the robot's
/// root. `fixed` names joints and links that a repair does not move, `weights` factors of the cost of moving others; `allow`
/// and `forbid` are pairs of links that may or may not collide, beside those that are derived. `attached` maps names to a
/// link and a shape that moves with it, and its pose (4, 4) in the frame of the link: what a hand holds is part of the robot.
/// `keep` names what repairs keep as it is in their input: `"position:LINK"`, `"pose:LINK"`, `"direction:LINK,AXIS"`,
/// `"foot:LINK"`, `"com:FOOT,FOOT"`. Work cells do not change, and can be used by several threads; they pickle by their
/// arguments.
///
/// Raises `ValueError` for unknown names, bad weights and poses, and links without volume or area.
///
/// >>> import numpy as np, extricate as ex
/// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
/// >>> at = np.eye(4); at[:3, 3] = [0.75, 0, 0.3]
/// >>> cell = ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), at)})
/// >>> q = arm.configuration({"shoulder": 1.2, "elbow": 0.4})
/// >>> cell.collides(q)
/// True
/// >>> cell.collides(cell.repair(q).q)
/// False
/// >>> tray = np.eye(4); tray[:3, 3] = [0, 0, 0.2]
/// >>> holding = ex.Workcell(
/// ...     arm,
/// ...     {"table": (ex.Shape.box([1, 1, 0.6]), at)},
/// ...     attached={"tray": ("hand", ex.Shape.box([0.2, 0.2, 0.02]), tray)},
/// ...     keep=["direction:hand,z"],
/// ... )
/// >>> holding.repair(q).constraints["direction:hand,z"][1] < 1e-9
/// True
#[pyclass(name = "Workcell", module = "extricate._native", frozen)]
pub(crate) struct PyWorkcell {
    cell: Arc<Workcell>,
    robot: Py<PyRobot>,
    base: Isometry3<f64>,
    arguments: Py<PyTuple>,
}

/// Options of a repair that is part of a call.
fn options(
    effort: &str,
    [clearance, max_move]: [Option<f64>; 2],
    seed: u64,
    parallel: bool,
) -> PyResult<RepairOptions> {
    let of = |name: &'static str| move |value| at_least_zero(name, value);
    Ok(RepairOptions {
        effort: self::effort(effort)?,
        clearance: clearance.map(of("clearance")).transpose()?,
        max_move: max_move.map(of("max_move")).transpose()?,
        seed,
        parallel,
        ..RepairOptions::default()
    })
}

/// Obstacles of a dictionary: name, shape, pose.
fn obstacles(given: &Bound<'_, PyDict>) -> PyResult<Vec<(String, extricate::Shape, Isometry3<f64>)>> {
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.extract::<String>().map_err(|_| bad("obstacles: names are strings"))?;
        if let Ok(shape) = value.cast::<PyShape>() {
            return Ok((name, shape.get().inner.clone(), Isometry3::identity()));
        }
        let refused = || {
            bad(format!("obstacles['{name}']: expected a shape, or a pair of a shape and its pose (4, 4)"))
        };
        let (shape, at) = value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().map_err(|_| refused())?;
        let inner = shape.cast::<PyShape>().map_err(|_| refused())?.get().inner.clone();
        let at = pose(Some(&at), &format!("obstacles['{name}']"))?;
        Ok((name, inner, at))
    };
    given.iter().map(one).collect()
}

/// Objects of a dictionary that move with links: name; link, shape and pose in the frame of the link.
fn attached(given: &Bound<'_, PyDict>) -> PyResult<Vec<AttachedObject>> {
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let name = name.extract::<String>().map_err(|_| bad("attached: names are strings"))?;
        let refused = || {
            bad(format!(
                "attached['{name}']: expected a link and a shape, and its pose (4, 4) in the frame of the link"
            ))
        };
        let parts = value.extract::<Vec<Bound<'_, PyAny>>>().map_err(|_| refused())?;
        let (link, shape, at) = match parts.as_slice() {
            [link, shape] => (link, shape, None),
            [link, shape, at] => (link, shape, Some(at)),
            _ => return Err(refused()),
        };
        let link = link.extract::<String>().map_err(|_| refused())?;
        let shape = shape.cast::<PyShape>().map_err(|_| refused())?.get().inner.clone();
        let shape = shape.searchable();
        let pose = pose(at, &format!("attached['{name}']"))?;
        Ok(AttachedObject { link, name, shape, pose })
    };
    given.iter().map(one).collect()
}

/// Parses the texts of properties that repairs keep.
fn keeps(given: &[String]) -> PyResult<Vec<Keep>> {
    given.iter().map(|text| text.parse().map_err(|why| bad(format!("keep: {why}")))).collect()
}

impl PyWorkcell {
    fn configurations(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<Configurations> {
        self.robot.bind(py).get().configurations(q)
    }

    fn joint_names(&self) -> Vec<String> {
        let world = self.cell.ensemble().collision_world();
        let articulation = world.movables()[0].articulation();
        articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone()).collect()
    }

    /// Answers a question for one configuration, or for each of many.
    fn each<T: Send + 'static>(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        threads: usize,
        answer: impl Fn(&Workcell, &[f64]) -> Result<T, RepairError> + Send + Sync + 'static,
    ) -> PyResult<(Vec<T>, bool)> {
        let q = self.configurations(py, q)?.checked()?;
        let (cell, is_single) = (Arc::clone(&self.cell), q.is_single);
        if is_single {
            let found = interruptible(py, move |_| Ok(answer(&cell, q.get(0).map_err(Failure::Bad)?)?))?;
            return Ok((vec![found], true));
        }
        let options = BatchOptions { threads, progress: None };
        let found = batch(py, q.count, &options, move |index| {
            Ok(answer(&cell, q.get(index).map_err(Failure::Bad)?)?)
        })?;
        let of_item =
            |(index, item): (usize, Result<T, String>)| item.map_err(|why| bad(format!("q[{index}]: {why}")));
        Ok((found.into_iter().enumerate().map(of_item).collect::<PyResult<_>>()?, false))
    }

    fn pairs<'py>(&self, py: Python<'py>, pairs: &[Collision]) -> PyResult<Bound<'py, PyList>> {
        let pair =
            |pair: &Collision| results::colliding_pair(py, (&pair.names[0], &pair.names[1], pair.depth));
        PyList::new(py, pairs.iter().map(pair).collect::<PyResult<Vec<_>>>()?)
    }

    /// A `Repair`; of a configuration that was free one without a change.
    fn repaired<'py>(
        &self,
        py: Python<'py>,
        before: &[f64],
        found: Option<&Repair>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = PyDict::new(py);
        let joints = found.map_or(before, |found| found.poses[0].joints.as_slice());
        let base = found.map_or(self.base, |found| found.poses[0].base);
        let changes = PyDict::new(py);
        for Change { name, moved, .. } in found.map_or(&[][..], |found| &found.changes) {
            match moved {
                Moved::Rotated(by) | Moved::Slid(by) => changes.set_item(name, by)?,
                Moved::Placed { translation, .. } => changes.set_item(name, translation.norm())?,
            }
        }
        let farthest = found.and_then(|found| found.farthest.as_ref());
        values.set_item("q", column(py, joints.to_vec()))?;
        values.set_item("base", matrix(py, &base)?)?;
        values.set_item("was_free", found.is_none())?;
        values.set_item("depth", found.map_or(0.0, |found| found.depth))?;
        values.set_item("sigma", found.map_or(0.0, |found| found.sigma))?;
        values.set_item("changes", changes)?;
        values.set_item("farthest", farthest.map(|found| (found.name.as_str(), found.distance)))?;
        values.set_item("limits_kept", found.is_none_or(|found| found.limits_kept))?;
        values.set_item("verified_free", found.is_none_or(|found| found.verified_free))?;
        values.set_item("iterations", found.map_or(0, |found| found.iterations))?;
        let constraints = PyDict::new(py);
        for kept in found.map_or(&[][..], |found| &found.constraints) {
            constraints.set_item(&kept.name, (kept.length, kept.angle))?;
        }
        values.set_item("constraints", constraints)?;
        let immobile = found.map_or(&[][..], |found| &found.immobilised_by);
        values.set_item("immobilised_by", PyTuple::new(py, immobile)?)?;
        py.import("extricate._results")?.getattr("Repair")?.call((), Some(&values))
    }
}

/// Joints and base of a repaired configuration, with its displacement, and whether it is free.
struct Row {
    q: Vec<f64>,
    base: Isometry3<f64>,
    depth: f64,
    sigma: f64,
    limits_kept: bool,
    verified_free: bool,
}

impl From<Repair> for Row {
    fn from(found: Repair) -> Self {
        let Repair { sigma, depth, limits_kept, verified_free, mut poses, .. } = found;
        let Pose { base, joints } = poses.swap_remove(0);
        Self { q: joints, base, depth, sigma, limits_kept, verified_free }
    }
}

#[pymethods]
impl PyWorkcell {
    #[new]
    #[pyo3(signature = (robot, obstacles=None, *, base=None, fixed=Vec::new(), weights=None, allow=Vec::new(), forbid=Vec::new(), attached=None, keep=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new<'py>(
        py: Python<'py>,
        robot: &Bound<'py, PyRobot>,
        obstacles: Option<&Bound<'py, PyDict>>,
        base: Option<&Bound<'py, PyAny>>,
        fixed: Vec<String>,
        weights: Option<BTreeMap<String, f64>>,
        allow: Vec<[String; 2]>,
        forbid: Vec<[String; 2]>,
        attached: Option<&Bound<'py, PyDict>>,
        keep: Vec<String>,
    ) -> PyResult<Self> {
        let base = pose(base, "base")?;
        let named = obstacles.map(self::obstacles).transpose()?.unwrap_or_default();
        let of_matrix = matrix(py, &base)?;
        let copied = obstacles.map(pyo3::types::PyDictMethods::copy).transpose()?;
        let objects = attached.map(self::attached).transpose()?.unwrap_or_default();
        let kept = keeps(&keep)?;
        let held = attached.map(pyo3::types::PyDictMethods::copy).transpose()?;
        let arguments = (
            robot,
            copied,
            of_matrix,
            fixed.clone(),
            weights.clone(),
            allow.clone(),
            forbid.clone(),
            held,
            keep,
        );
        let arguments = arguments.into_pyobject(py)?.unbind();
        let freedom = Freedom { fixed: BTreeSet::from_iter(fixed), weights: weights.unwrap_or_default() };
        let options = RobotOptions { base: robot.get().base, allow, forbid };
        let own = Arc::clone(&robot.get().robot);
        let cell = interruptible(py, move |_| {
            let posed = named.iter().map(|(name, shape, at)| (name.as_str(), Posed::new(shape, *at)));
            let mut cell = Workcell::holding(&own, base, posed, (&options, &freedom), &objects)?;
            kept.iter().try_for_each(|keep| cell.keep(keep))?;
            Ok(Arc::new(cell))
        })?;
        Ok(Self { cell, robot: robot.clone().unbind(), base, arguments })
    }

    /// The robot.
    #[getter]
    fn robot(&self, py: Python<'_>) -> Py<PyRobot> {
        self.robot.clone_ref(py)
    }

    /// Names of the obstacles.
    #[getter]
    fn obstacle_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.cell.ensemble().obstacle_names())
    }

    /// Whether links collide with obstacles, or with links that they may not touch: `bool` for `q` (J,), (N,) bool for
    /// (N, J).
    ///
    /// Raises `ValueError` for configurations of another length and values that are not finite, with the index.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> ex.Workcell(arm).collides(np.zeros((2, len(arm.joint_names)))).tolist()
    /// [False, False]
    #[pyo3(signature = (q, *, threads=0))]
    fn collides<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (found, is_single) = self.each(py, q, threads, Workcell::collides)?;
        let found = column(py, found).into_any();
        if is_single { found.get_item(0)?.call_method0("item") } else { Ok(found) }
    }

    /// Minimum distance [m] of the pairs that may not collide, zero or below where one does: `float` for `q` (J,), (N,) for
    /// (N, J). Infinite where there is no pair.
    ///
    /// Raises `ValueError` as `collides`.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> ex.Workcell(arm).clearance(np.zeros(len(arm.joint_names))) > 0
    /// True
    #[pyo3(signature = (q, *, threads=0))]
    fn clearance<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (found, is_single) = self.each(py, q, threads, Workcell::clearance)?;
        let found = column(py, found).into_any();
        if is_single { found.get_item(0)?.call_method0("item") } else { Ok(found) }
    }

    /// The colliding pairs: a list of `CollidingPair` for `q` (J,), a list of lists for (N, J).
    ///
    /// Raises `ValueError` as `collides`.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> cell = ex.Workcell(arm, {"ground": ex.Shape.half_space()})
    /// >>> sorted({pair.b for pair in cell.colliding_pairs(np.zeros(len(arm.joint_names)))})
    /// ['ground']
    #[pyo3(signature = (q, *, threads=0))]
    fn colliding_pairs<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let (found, is_single) = self.each(py, q, threads, Workcell::colliding_pairs)?;
        if let ([pairs], true) = (found.as_slice(), is_single) {
            return self.pairs(py, pairs);
        }
        PyList::new(py, found.iter().map(|pairs| self.pairs(py, pairs)).collect::<PyResult<Vec<_>>>()?)
    }

    /// The nearest free configuration found within all joint limits.
    ///
    /// `q` is (J,). `effort` is `"fast"` or `"best"`. `clearance` [m] is the distance that all pairs keep; by default it suits
    /// the size of the robot. `max_move` [m] bounds the displacement of any point. Returns a `Repair`, which of a
    /// configuration that is free has no change. Ctrl-C ends it at once.
    ///
    /// Raises `ValueError` for a bad configuration or option; `RepairNotFoundError` with the best effort, and the pairs that
    /// still collide in it.
    ///
    /// Source: [Tang14].
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> at = np.eye(4); at[:3, 3] = [0.75, 0, 0.3]
    /// >>> cell = ex.Workcell(arm, {"table": (ex.Shape.box([1, 1, 0.6]), at)})
    /// >>> repair = cell.repair(arm.configuration({"shoulder": 1.2, "elbow": 0.4}), effort="best")
    /// >>> repair.verified_free, repair.limits_kept
    /// (True, True)
    #[pyo3(signature = (q, *, effort="fast", clearance=None, max_move=None, seed=0))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn repair<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        effort: &str,
        clearance: Option<f64>,
        max_move: Option<f64>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options(effort, [clearance, max_move], seed, true)?;
        let q = self.configurations(py, q)?.checked()?;
        if !q.is_single {
            return Err(bad("q: expected one configuration of shape (J,); repair_batch takes many"));
        }
        let before = q.get(0).map_err(bad)?.to_vec();
        let (cell, start) = (Arc::clone(&self.cell), Pose { base: self.base, joints: before.clone() });
        let found = interruptible(py, move |stop| {
            let ended = || stop.load(Ordering::Relaxed);
            Ok(cell.ensemble().repair_until(&[start], &options, &[], &ended))
        })?;
        match found {
            Ok(found) => self.repaired(py, &before, found.as_ref()),
            Err(RepairError::NotFound { best, still }) => {
                let why = RepairError::NotFound { best: best.clone(), still: still.clone() }.to_string();
                let (best, still) = (self.repaired(py, &before, Some(&best))?, self.pairs(py, &still)?);
                Err(raised(py, "RepairNotFoundError", (why, best, still)))
            }
            Err(RepairError::TooFar { name, distance, limit, best }) => {
                let why = RepairError::TooFar { name, distance, limit, best: best.clone() }.to_string();
                let best = self.repaired(py, &before, Some(&best))?;
                Err(raised(py, "RepairNotFoundError", (why, best, PyList::empty(py))))
            }
            Err(other) => Err(Failure::from(other).raised(py)),
        }
    }

    /// As `repair` for many configurations `q` (N, J): columns of N, with a status for each item.
    ///
    /// `threads` bounds the threads of the pool that are used; 0 uses all. `progress` is called with the numbers of items
    /// done and of all; `True` shows a bar if `tqdm` is installed. Returns a `RepairBatch`, in which failed rows are NaN and
    /// have a message in `errors`.
    ///
    /// Raises `ValueError` for arrays of another shape and bad options only.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> q = np.zeros((3, len(arm.joint_names))); q[1, 0] = np.nan
    /// >>> ex.Workcell(arm).repair_batch(q).status.tolist()
    /// [0, -1, 0]
    #[pyo3(signature = (q, *, effort="fast", clearance=None, max_move=None, seed=0, threads=0, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn repair_batch<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        effort: &str,
        clearance: Option<f64>,
        max_move: Option<f64>,
        seed: u64,
        threads: usize,
        progress: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = options(effort, [clearance, max_move], seed, false)?;
        let q = Arc::new(self.configurations(py, q)?);
        let (cell, base, given) = (Arc::clone(&self.cell), self.base, Arc::clone(&q));
        let found = batch(py, q.count, &BatchOptions { threads, progress }, move |index| {
            let joints = given.get(index).map_err(Failure::Bad)?.to_vec();
            let found = cell.ensemble().repair(&[Pose { base, joints }], &options);
            match found {
                Ok(found) => Ok(found.map(Row::from)),
                Err(error) => Err(Failure::Failed(error.to_string())),
            }
        })?;
        let (count, joints) = (found.len(), self.joint_names().len());
        let (mut outcomes, mut numbers) = (Outcomes::default(), Vec::with_capacity(count * joints));
        let (mut bases, mut depth, mut sigma) = (Vec::new(), Vec::new(), Vec::new());
        let (mut limits_kept, mut free) = (Vec::new(), Vec::new());
        let nowhere = Isometry3::translation(f64::NAN, f64::NAN, f64::NAN);
        for (index, item) in found.into_iter().enumerate() {
            let is_answer = item.is_ok();
            let row = outcomes.add(item);
            let none = if is_answer { 0.0 } else { f64::NAN };
            depth.push(row.as_ref().map_or(none, |row| row.depth));
            sigma.push(row.as_ref().map_or(none, |row| row.sigma));
            limits_kept.push(row.as_ref().map_or(is_answer, |row| row.limits_kept));
            free.push(row.as_ref().map_or(is_answer, |row| row.verified_free));
            bases.push(row.as_ref().map_or(if is_answer { self.base } else { nowhere }, |row| row.base));
            match row {
                Some(row) => numbers.extend(row.q),
                None if is_answer => numbers.extend(q.get(index).map_err(bad)?),
                None => numbers.extend(std::iter::repeat_n(f64::NAN, joints)),
            }
        }
        let errors = outcomes.errors(py)?;
        let values = (
            column(py, outcomes.status),
            errors,
            numbers.into_pyarray(py).reshape([count, joints])?,
            matrices(py, &bases)?,
            column(py, depth),
            column(py, sigma),
            column(py, limits_kept),
            column(py, free),
        );
        results::repair_batch(py, values)
    }

    /// A path from `start` (J,) to `goal` (J,), proved free at all times.
    ///
    /// Returns a `Path` with configurations (T, J), between which joints are interpolated linearly.
    ///
    /// Raises `ValueError` when an end is not free or beyond a limit, `ExtricateError` when no path was found.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> start, goal = arm.configuration({}), arm.configuration({"shoulder": 0.5})
    /// >>> path = ex.Workcell(arm).plan(start, goal)
    /// >>> bool((path.q[0] == start).all() and (path.q[-1] == goal).all())
    /// True
    #[pyo3(signature = (start, goal, *, clearance=0.0, seed=0, max_samples=20_000))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'py, PyAny>,
        goal: &Bound<'py, PyAny>,
        clearance: f64,
        seed: u64,
        max_samples: u32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let clearance = at_least_zero("clearance", clearance)?;
        let options = PlanOptions { clearance, seed, max_samples, ..PlanOptions::default() };
        let joints = self.joint_names().len();
        let end = |value, name| {
            let q = Configurations::new(value, name, joints)?.checked()?;
            if q.is_single {
                q.get(0).map(<[f64]>::to_vec).map_err(bad)
            } else {
                Err(bad(format!("{name}: expected shape ({joints},)")))
            }
        };
        let (start, goal, cell) = (end(start, "start")?, end(goal, "goal")?, Arc::clone(&self.cell));
        let found = interruptible(py, move |_| {
            cell.plan(&start, &goal, &options).map_err(|error: PlanError| error.into())
        })?;
        let numbers = found.path.iter().flat_map(|pose| pose.joints.iter().copied()).collect();
        let q = array(py, numbers, [found.path.len(), joints])?;
        results::path(py, (q, found.length, found.found_length, found.checked, found.work.samples))
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        drawn(slf.as_any())
    }

    fn __repr__(&self) -> String {
        let obstacles = self.cell.ensemble().obstacle_names().len();
        format!("Workcell({} joints, {obstacles} obstacles)", self.joint_names().len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        Ok((py.get_type::<Self>().getattr("_of_arguments")?, self.arguments.bind(py).clone()))
    }

    #[staticmethod]
    #[pyo3(signature = (robot, obstacles, base, fixed, weights, allow, forbid, attached=None, keep=Vec::new()))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of the constructor")]
    fn _of_arguments<'py>(
        py: Python<'py>,
        robot: &Bound<'py, PyRobot>,
        obstacles: Option<&Bound<'py, PyDict>>,
        base: Option<&Bound<'py, PyAny>>,
        fixed: Vec<String>,
        weights: Option<BTreeMap<String, f64>>,
        allow: Vec<[String; 2]>,
        forbid: Vec<[String; 2]>,
        attached: Option<&Bound<'py, PyDict>>,
        keep: Vec<String>,
    ) -> PyResult<Self> {
        Self::new(py, robot, obstacles, base, fixed, weights, allow, forbid, attached, keep)
    }
}
