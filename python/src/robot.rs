//! Robots.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use extricate::kinematics::urdf::UrdfOptions;
use extricate::kinematics::{Articulation, read_robot};
use extricate::nalgebra::{DVector, Vector3};
use extricate::penetration::generalized::Base;
use extricate::query::{QueryError, Robot};
use extricate::request::Access;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::arrays::{Configurations, array, column, matrix_rows, pose, vector};
use crate::errors::{Failure, bad};
use crate::pool::interruptible;
use crate::shape::{PyShape, drawn};

/// A robot: links, joints, and the collision shape of each link.
///
/// A configuration `q` holds the values [rad or m] of the independent joints in the order of `joint_names`. Robots do not
/// change and can be used by several threads; they pickle as the path of their file.
///
/// >>> import extricate as ex
/// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
/// >>> arm.joint_names.index("shoulder") < arm.joint_names.index("elbow")
/// True
#[pyclass(name = "Robot", module = "extricate._native", frozen)]
pub(crate) struct PyRobot {
    pub(crate) robot: Arc<Robot>,
    pub(crate) base: Base,
    path: PathBuf,
    packages: Vec<PathBuf>,
}

/// Arguments of `Robot.load`.
type LoadArguments = (PathBuf, Vec<PathBuf>, &'static str);

impl PyRobot {
    fn articulation(&self) -> &Articulation {
        self.robot.articulation()
    }

    fn joints(&self) -> usize {
        self.articulation().coordinates().len()
    }

    /// Configurations of this robot.
    pub(crate) fn configurations(&self, q: &Bound<'_, PyAny>) -> PyResult<Configurations> {
        Configurations::new(q, "q", self.joints())
    }

    fn names(&self) -> Vec<String> {
        let articulation = self.articulation();
        articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone()).collect()
    }

    fn base_name(&self) -> &'static str {
        if self.base == Base::Floating { "floating" } else { "fixed" }
    }
}

#[pymethods]
impl PyRobot {
    /// Reads a robot: URDF, xacro or MJCF.
    ///
    /// `packages` are folders that are ROS packages or hold some, beside those of `ROS_PACKAGE_PATH` and `AMENT_PREFIX_PATH`.
    /// `base` is `"fixed"` or `"floating"`: whether a repair may move the root. Corrections of the file are warnings.
    ///
    /// Raises `FileError`, with the path and the line where it is known; `ValueError` when no link has a shape.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Robot.load("assets/robots/hand.urdf").name
    /// 'hand'
    #[staticmethod]
    #[pyo3(signature = (path, *, packages=Vec::new(), base="fixed"))]
    fn load(py: Python<'_>, path: PathBuf, packages: Vec<PathBuf>, base: &str) -> PyResult<Self> {
        let base = match base {
            "fixed" => Base::Fixed,
            "floating" => Base::Floating,
            other => return Err(bad(format!("base: expected 'fixed' or 'floating', found '{other}'"))),
        };
        let own = packages.iter().cloned().chain(Access::packages_of_environment()).collect();
        let (file, options) = (path.clone(), UrdfOptions { packages: own, ..UrdfOptions::default() });
        let (robot, corrections) = interruptible(py, move |_| {
            let read = read_robot(&file, &options).map_err(|error| Failure::of_robot_file(&file, &error))?;
            let corrections: Vec<String> = read.corrections.iter().map(ToString::to_string).collect();
            Ok((Robot::of_file(read)?, corrections))
        })?;
        for correction in corrections {
            warn(py, &correction)?;
        }
        Ok(Self { robot: Arc::new(robot), base, path, packages })
    }

    /// Name of the robot in its file.
    #[getter]
    fn name(&self) -> &str {
        self.robot.name()
    }

    /// `"fixed"` or `"floating"`.
    #[getter]
    fn base(&self) -> &'static str {
        self.base_name()
    }

    /// Names of the independent joints, in the order of a configuration.
    #[getter]
    fn joint_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, self.names())
    }

    /// Names of the links, in the order of `forward_kinematics`.
    #[getter]
    fn link_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, self.articulation().links())
    }

    /// Limits (J, 2) [rad or m] of the joints; infinite where there are none.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let articulation = self.articulation();
        let none = [f64::NEG_INFINITY, f64::INFINITY];
        let limits = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].limits);
        array(py, limits.flat_map(|limits| limits.unwrap_or(none)).collect(), [self.joints(), 2])
    }

    /// The configuration (J,) of joint values by name [rad or m]; joints that are not named are at zero.
    ///
    /// Raises `ValueError` for an unknown joint, one that mimics another, and a value that is not finite.
    ///
    /// >>> import extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> float(arm.configuration({"elbow": 0.4})[arm.joint_names.index("elbow")])
    /// 0.4
    fn configuration<'py>(
        &self,
        py: Python<'py>,
        joints: BTreeMap<String, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = self.robot.configuration(&joints).map_err(|error| Failure::from(error).raised(py))?;
        Ok(column(py, found).into_any())
    }

    /// Configurations in the order of `names` (J,), such as another library's, in the order of this robot.
    ///
    /// `q` is (J,) or (N, J); `names` holds all joints of this robot, each once, or is a robot of yourdfpy (`URDF`) or
    /// Pinocchio (`Model`).
    ///
    /// Raises `ValueError` for missing, repeated and unknown names.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> backwards = arm.joint_names[::-1]
    /// >>> q = np.arange(len(backwards), dtype=float)
    /// >>> bool((arm.from_order(backwards, q) == q[::-1]).all())
    /// True
    #[expect(
        clippy::wrong_self_convention,
        reason = "the inverse of `to_order`, as Python names conversions"
    )]
    fn from_order<'py>(
        &self,
        py: Python<'py>,
        names: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (names, own) = (names_in(names)?, self.names());
        self.permuted(py, q, own.iter().map(|name| (name, &names)).collect(), &names)
    }

    /// Configurations of this robot in the order of `names`, or of a robot of yourdfpy or Pinocchio: the inverse of `from_order`.
    ///
    /// Raises `ValueError` for missing, repeated and unknown names.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> q = np.arange(len(arm.joint_names), dtype=float)
    /// >>> names = arm.joint_names[::-1]
    /// >>> bool((arm.from_order(names, arm.to_order(names, q)) == q).all())
    /// True
    fn to_order<'py>(
        &self,
        py: Python<'py>,
        names: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (names, own) = (names_in(names)?, self.names());
        self.permuted(py, q, names.iter().map(|name| (name, &own)).collect(), &names)
    }

    /// Poses of all links in configurations `q`, (J,) or (N, J): (L, 4, 4) or (N, L, 4, 4), link to world.
    ///
    /// `base` (4, 4) is the pose of the root.
    ///
    /// Raises `ValueError` for configurations of another length and values that are not finite, with the index.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> poses = arm.forward_kinematics(np.zeros(len(arm.joint_names)))
    /// >>> poses.shape == (len(arm.link_names), 4, 4)
    /// True
    #[pyo3(signature = (q, *, base=None))]
    fn forward_kinematics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        base: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q, base) = (self.configurations(q)?.checked()?, pose(base, "base")?);
        let robot = Arc::clone(&self.robot);
        let links = self.articulation().links().len();
        let (count, is_single) = (q.count, q.is_single);
        let found = interruptible(py, move |_| {
            let poses = |index| {
                Ok::<_, Failure>(robot.articulation().link_poses(q.get(index).map_err(Failure::Bad)?, &base)?)
            };
            let found = (0..count).map(poses).collect::<Result<Vec<_>, _>>()?;
            Ok(found.concat())
        })?;
        let found = matrix_rows(py, &found, links)?.into_any();
        if is_single { found.get_item(0) } else { Ok(found) }
    }

    /// Jacobian of a link in configurations `q`, (J,) or (N, J): (6, J) or (N, 6, J).
    ///
    /// Rows 0 to 2 are the velocity of the origin of the link [m/rad or m/m], rows 3 to 5 its angular velocity, both in the
    /// world.
    ///
    /// Raises `ValueError` for an unknown link and for configurations of another length.
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> arm.jacobian(np.zeros(len(arm.joint_names)), "hand").shape == (6, len(arm.joint_names))
    /// True
    #[pyo3(signature = (q, link, *, base=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: &str,
        base: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (q, base) = (self.configurations(q)?.checked()?, pose(base, "base")?);
        let articulation = self.articulation();
        let index = articulation.link(link);
        let index = index.ok_or_else(|| unknown("link", link, articulation.links()))?;
        let mut numbers: Vec<f64> = Vec::with_capacity(6 * self.joints() * q.count);
        for item in 0..q.count {
            let placed = articulation.placed(q.get(item).map_err(bad)?, &base);
            let placed = placed.map_err(|error| Failure::from(error).raised(py))?;
            let jacobian = placed.link_jacobian(index);
            jacobian.row_iter().for_each(|row| numbers.extend(row.iter()));
        }
        match q.is_single {
            true => array(py, numbers, [6, self.joints()]),
            false => array(py, numbers, [q.count, 6, self.joints()]),
        }
    }

    /// Mass matrix in configurations `q`, (J,) or (N, J): (J, J) or (N, J, J), in kg·m², kg·m or kg.
    ///
    /// The kinetic energy is half of v · H v [J]. Joints that mimic others are part of those that they follow. Links that state
    /// no inertia have that of their shape at 1000 kg/m³.
    ///
    /// Raises `ValueError` for configurations of another length and values that are not finite, with the index.
    ///
    /// Source: [Featherstone08 §6.2].
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> inertia = arm.mass_matrix(np.zeros(len(arm.joint_names)))
    /// >>> bool((np.linalg.eigvalsh(inertia) > 0).all())
    /// True
    fn mass_matrix<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let q = self.configurations(q)?.checked()?;
        let (count, is_single, joints, robot) =
            (q.count, q.is_single, self.joints(), Arc::clone(&self.robot));
        let numbers = interruptible(py, move |_| {
            let matrix = |index| {
                let found = robot.mass_matrix(q.get(index).map_err(Failure::Bad)?)?;
                Ok::<_, Failure>(found.as_slice().to_vec())
            };
            Ok((0..count).map(matrix).collect::<Result<Vec<_>, _>>()?.concat())
        })?;
        match is_single {
            true => array(py, numbers, [joints, joints]),
            false => array(py, numbers, [count, joints, joints]),
        }
    }

    /// Forces of the joints [N·m or N] in motions: `q`, `velocities` and `accelerations` are (J,) or (N, J).
    ///
    /// At zero velocities and accelerations these hold the robot against `gravity` [m/s², frame of the root].
    ///
    /// Raises `ValueError` for other shapes and values that are not finite, with the index.
    ///
    /// Source: [Featherstone08 §5.3].
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> q = np.full(len(arm.joint_names), 0.1)
    /// >>> holding = arm.inverse_dynamics(q, 0 * q, 0 * q)
    /// >>> bool(abs(arm.forward_dynamics(q, 0 * q, holding)).max() < 1e-9)
    /// True
    #[pyo3(signature = (q, velocities, accelerations, *, gravity=None))]
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        velocities: &Bound<'py, PyAny>,
        accelerations: &Bound<'py, PyAny>,
        gravity: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let motion = [(q, "q"), (velocities, "velocities"), (accelerations, "accelerations")];
        self.of_motion(py, motion, gravity, Robot::inverse_dynamics)
    }

    /// Accelerations of the joints [rad/s² or m/s²]: `q`, `velocities` and `forces` [N·m or N] are (J,) or (N, J).
    ///
    /// `gravity` [m/s²] is in the frame of the root, by default 9.81 downwards.
    ///
    /// Raises `ValueError` as `inverse_dynamics`, and for a joint that moves no mass.
    ///
    /// Source: [Featherstone08 §7.3].
    ///
    /// >>> import numpy as np, extricate as ex
    /// >>> arm = ex.Robot.load("assets/robots/arm.urdf")
    /// >>> q = np.zeros((2, len(arm.joint_names)))
    /// >>> arm.forward_dynamics(q, 0 * q, 0 * q).shape == q.shape
    /// True
    #[pyo3(signature = (q, velocities, forces, *, gravity=None))]
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        velocities: &Bound<'py, PyAny>,
        forces: &Bound<'py, PyAny>,
        gravity: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let motion = [(q, "q"), (velocities, "velocities"), (forces, "forces")];
        self.of_motion(py, motion, gravity, Robot::forward_dynamics)
    }

    /// The collision shape of a link in its frame; `None` for a link without one.
    ///
    /// Raises `ValueError` for an unknown link.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Robot.load("assets/robots/arm.urdf").link_shape("hand").kind
    /// 'solid mesh'
    fn link_shape(&self, py: Python<'_>, link: &str) -> PyResult<Option<Py<PyAny>>> {
        let links = self.articulation().links();
        let index = self.articulation().link(link).ok_or_else(|| unknown("link", link, links))?;
        let shape = self.robot.shapes()[index].clone();
        shape.map(|shape| wrapped(py, shape)).transpose()
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        drawn(slf.as_any())
    }

    fn __repr__(&self) -> String {
        let (joints, links) = (self.joints(), self.articulation().links().len());
        format!("Robot({:?}, {joints} joints, {links} links, {} base)", self.robot.name(), self.base_name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, LoadArguments)> {
        let arguments = (self.path.clone(), self.packages.clone(), self.base_name());
        Ok((py.get_type::<Self>().getattr("_load")?, arguments))
    }

    #[staticmethod]
    fn _load(py: Python<'_>, path: PathBuf, packages: Vec<PathBuf>, base: &str) -> PyResult<Self> {
        Self::load(py, path, packages, base)
    }
}

/// A quantity of the joints in a motion: configuration, velocities, and accelerations or forces; under gravity.
type OfMotion = fn(&Robot, [&[f64]; 3], &Vector3<f64>) -> Result<DVector<f64>, QueryError>;

impl PyRobot {
    /// A quantity of the joints in one motion, or in each of many.
    fn of_motion<'py>(
        &self,
        py: Python<'py>,
        motion: [(&Bound<'py, PyAny>, &str); 3],
        gravity: Option<&Bound<'py, PyAny>>,
        quantity: OfMotion,
    ) -> PyResult<Bound<'py, PyAny>> {
        let gravity = gravity.map(|given| vector(given, "gravity")).transpose()?;
        let gravity = gravity.unwrap_or_else(|| Vector3::new(0.0, 0.0, -9.81));
        let mut given = Vec::with_capacity(3);
        for (value, name) in motion {
            let own = Configurations::new(value, name, self.joints())?.checked()?;
            let first = given.first().unwrap_or(&own);
            if (own.count, own.is_single) != (first.count, first.is_single) {
                return Err(bad(format!("{name}: expected the shape of q")));
            }
            given.push(own);
        }
        let (count, is_single, joints) = (given[0].count, given[0].is_single, self.joints());
        let robot = Arc::clone(&self.robot);
        let numbers = interruptible(py, move |_| {
            let mut numbers: Vec<f64> = Vec::with_capacity(count * joints);
            for index in 0..count {
                let [q, velocities, last] =
                    [0, 1, 2].map(|part| given[part].get(index).map_err(Failure::Bad));
                numbers.extend(quantity(&robot, [q?, velocities?, last?], &gravity)?.iter());
            }
            Ok(numbers)
        })?;
        match is_single {
            true => Ok(column(py, numbers).into_any()),
            false => array(py, numbers, [count, joints]),
        }
    }

    /// Columns of `q` by name: for each wanted name its place in the list of given ones.
    fn permuted<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        wanted: Vec<(&String, &Vec<String>)>,
        names: &[String],
    ) -> PyResult<Bound<'py, PyAny>> {
        if names.len() != self.joints() {
            return Err(bad(format!(
                "names: expected {} names, one for each joint, found {}",
                self.joints(),
                names.len()
            )));
        }
        let own = self.names();
        if let Some(name) = names.iter().find(|name| !own.contains(name)) {
            return Err(unknown("joint", name, &own));
        }
        let place = |(name, given): &(&String, &Vec<String>)| given.iter().position(|other| other == *name);
        let places = wanted.iter().map(place).collect::<Option<Vec<usize>>>();
        let places = places.ok_or_else(|| bad("names: a joint is named twice and another one not at all"))?;
        let q = self.configurations(q)?;
        let mut numbers = Vec::with_capacity(q.count * places.len());
        for index in 0..q.count {
            let values = q.get(index).map_err(bad)?;
            numbers.extend(places.iter().map(|&place| values[place]));
        }
        match q.is_single {
            true => Ok(column(py, numbers).into_any()),
            false => array(py, numbers, [q.count, places.len()]),
        }
    }
}

/// Names of joints, or those of a robot of another library.
fn names_in(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match given.extract() {
        Ok(names) => Ok(names),
        Err(_) => given.py().import("extricate._orders")?.getattr("names_of")?.call1((given,))?.extract(),
    }
}

/// The Python object of a shape.
pub(crate) fn wrapped(py: Python<'_>, shape: extricate::Shape) -> PyResult<Py<PyAny>> {
    match shape.model() {
        Some(_) => Ok(crate::shape::PyMesh::wrapped(py, shape)?.into_any()),
        None => Ok(Py::new(py, PyShape { inner: shape })?.into_any()),
    }
}

/// An unknown name, with the known ones.
pub(crate) fn unknown(what: &str, name: &str, known: &[String]) -> PyErr {
    bad(format!("there is no {what} named '{name}'; there are: {}", known.join(", ")))
}

/// Issues a warning.
pub(crate) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    py.import("warnings")?.call_method1("warn", (text, py.get_type::<PyUserWarning>(), 2)).map(|_| ())
}
