//! Shapes and meshes.

use std::path::PathBuf;

use extricate::geometry::Solidity;
use extricate::nalgebra::Point3;
use extricate::record::export::surface::{Surfaces, shared_surface};
use extricate::{Mesh, Shape, query};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::arrays::{array, points, pose, triangles, vector};
use crate::errors::{Failure, bad};
use crate::pool::interruptible;

/// A shape in its own frame [m], centred at the origin with its axis along z.
///
/// Made by `Shape.box`, `Shape.sphere`, `Shape.capsule`, `Shape.cylinder`, `Shape.cone`, `Shape.half_space`,
/// `Shape.hull`, `Shape.rounded` and by `Mesh`. Shapes do not change, pickle, and can be used by several threads.
///
/// >>> import extricate as ex
/// >>> ex.Shape.sphere(0.5).kind
/// 'ball'
#[pyclass(name = "Shape", module = "extricate._native", frozen, subclass)]
pub(crate) struct PyShape {
    pub(crate) inner: Shape,
}

/// The SVG of an object, for notebooks.
pub(crate) fn drawn<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("extricate._pictures")?.getattr("svg_of")?.call1((object,))
}

fn made(shape: Result<Shape, query::QueryError>) -> PyResult<PyShape> {
    let inner = shape.and_then(Shape::validated).map_err(|error| bad(error.to_string()))?;
    Ok(PyShape { inner })
}

#[pymethods]
impl PyShape {
    /// The box of full edge lengths `size` (3,) [m] along the axes.
    ///
    /// Raises `ValueError` for lengths that are not finite and above zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.box([1, 2, 3]).volume
    /// 6.0
    #[staticmethod]
    fn r#box(size: &Bound<'_, PyAny>) -> PyResult<Self> {
        made(Ok(Shape::cuboid(vector(size, "size")?)))
    }

    /// The ball of a radius [m] around the origin.
    ///
    /// Raises `ValueError` for a radius that is not finite and above zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.sphere(0.05).bounding_radius
    /// 0.05
    #[staticmethod]
    fn sphere(radius: f64) -> PyResult<Self> {
        made(Ok(Shape::ball(radius)))
    }

    /// All points at most `radius` [m] from a segment of `length` [m] along z.
    ///
    /// Raises `ValueError` for sizes that are not finite or below zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.capsule(0.1, 0.5).kind
    /// 'capsule'
    #[staticmethod]
    fn capsule(radius: f64, length: f64) -> PyResult<Self> {
        made(Ok(Shape::capsule(radius, length)))
    }

    /// The cylinder of a radius and a full height [m] around z.
    ///
    /// Raises `ValueError` for sizes that are not finite and above zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.cylinder(0.1, 0.5).kind
    /// 'cylinder'
    #[staticmethod]
    fn cylinder(radius: f64, height: f64) -> PyResult<Self> {
        made(Ok(Shape::cylinder(radius, height)))
    }

    /// The cone of a base radius and a full height [m], apex towards +z, centred at half its height.
    ///
    /// Raises `ValueError` for sizes that are not finite and above zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.cone(0.1, 0.5).kind
    /// 'cone'
    #[staticmethod]
    fn cone(radius: f64, height: f64) -> PyResult<Self> {
        made(Ok(Shape::cone(radius, height)))
    }

    /// The half-space z ≤ 0, such as the ground; a pose rotates it.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.half_space().volume
    /// inf
    #[staticmethod]
    fn half_space() -> Self {
        Self { inner: Shape::half_space() }
    }

    /// The convex hull of points (N, 3) [m].
    ///
    /// Raises `ValueError` for no points and for points that are not finite.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.hull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]).kind
    /// 'hull'
    #[staticmethod]
    fn hull(points: &Bound<'_, PyAny>) -> PyResult<Self> {
        made(Shape::hull(&self::points(points, "points")?.0))
    }

    /// All points at most `radius` [m] from a convex shape.
    ///
    /// Raises `ValueError` for a mesh, and for a radius that is not finite or below zero.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.rounded(ex.Shape.box([1, 1, 1]), 0.1).kind
    /// 'rounded box'
    #[staticmethod]
    fn rounded(shape: &Bound<'_, Self>, radius: f64) -> PyResult<Self> {
        made(shape.get().inner.rounded(radius))
    }

    /// Kind of the shape: `ball`, `capsule`, `box`, `cylinder`, `cone`, `hull`, `rounded …`, `half-space`, `solid mesh`
    /// or `surface mesh`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    /// Volume [m³]; infinite for a half-space, without meaning for an open mesh.
    #[getter]
    fn volume(&self) -> f64 {
        self.inner.volume()
    }

    /// Radius [m] of a ball around the shape; infinite for a half-space.
    #[getter]
    fn bounding_radius(&self) -> f64 {
        self.inner.bounding_radius()
    }

    /// Computes what queries of a mesh compute on first use; convex shapes need nothing. `time_budget` of queries is for the search
    /// alone: the first query of a mesh that is not prepared takes longer than its budget by that.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.box([1, 2, 3]).to_mesh().prepare()
    fn prepare(&self, py: Python<'_>) {
        py.detach(|| self.inner.prepare());
    }

    /// Corners (2, 3) [m, world] of the smallest axis-aligned box around the shape at a pose (4, 4).
    ///
    /// >>> import extricate as ex
    /// >>> ex.Shape.box([2, 4, 6]).bounds()
    /// array([[-1., -2., -3.],
    ///        [ 1.,  2.,  3.]])
    #[pyo3(signature = (pose=None))]
    fn bounds<'py>(&self, py: Python<'py>, pose: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = self.inner.aabb(&self::pose(pose, "pose")?);
        array(py, bounds.min.iter().chain(bounds.max.iter()).copied().collect(), [2, 3])
    }

    /// The triangles of the surface as a mesh: exact for boxes, hulls and meshes; for a round shape those of a polyhedron
    /// that contains it.
    ///
    /// Raises `ValueError` for a half-space.
    ///
    /// >>> import extricate as ex
    /// >>> len(ex.Shape.box([1, 1, 1]).to_mesh().faces)
    /// 12
    fn to_mesh(&self, py: Python<'_>) -> PyResult<Py<PyMesh>> {
        let triangles =
            self.inner.triangles().ok_or_else(|| bad(format!("a {} has no triangles", self.kind())))?;
        PyMesh::wrapped(py, Shape::from(triangles.model.clone()))
    }

    /// The surface as it is drawn; `None` for a half-space.
    fn _surface(&self, py: Python<'_>) -> PyResult<Option<Py<PyMesh>>> {
        let surface = shared_surface(&self.inner, &mut Surfaces::new()).map_err(bad)?;
        surface.map(|mesh| PyMesh::wrapped(py, Shape::surface(Mesh::clone(&mesh)))).transpose()
    }

    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        drawn(slf.as_any())
    }

    fn __repr__(&self) -> String {
        match self.inner.model() {
            Some(model) => {
                let solid = if model.solidity() == Solidity::Solid { "solid" } else { "surface" };
                format!(
                    "Mesh({} vertices, {} triangles, {solid})",
                    model.mesh().vertices().len(),
                    model.mesh().triangles().len()
                )
            }
            None if self.inner.is_half_space() => String::from("Shape(half-space)"),
            None => format!("Shape({}, bounding radius {} m)", self.kind(), self.inner.bounding_radius()),
        }
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().inner).map_err(|error| bad(error.to_string()))?;
        Ok((slf.py().get_type::<Self>().getattr("_of_json")?, (text,)))
    }

    #[staticmethod]
    fn _of_json(text: &str) -> PyResult<Self> {
        let inner = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        Ok(Self { inner })
    }
}

/// A triangle mesh [m]: concave, open or polygon soup.
///
/// `vertices` (V, 3) are coordinates and `faces` (F, 3) 0-based indices, counter-clockwise seen from outside: arrays,
/// lists, or anything with `__array__` or `__dlpack__`, such as tensors of `PyTorch`. The mesh is a solid if it is closed and has
/// a volume, else a surface; `solid=True` requires a solid, `solid=False` takes the surface alone.
///
/// Raises `ValueError` for arrays of another shape or type, numbers that are not finite, indices out of range, and an open
/// mesh where a solid is required. Triangles may be degenerate, but not all of them.
///
/// >>> import extricate as ex
/// >>> corner = ex.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
/// >>> corner.solid, round(corner.volume, 3)
/// (True, 0.167)
#[pyclass(name = "Mesh", module = "extricate._native", frozen, extends = PyShape)]
pub(crate) struct PyMesh {
    vertices: PyOnceLock<Py<PyAny>>,
    faces: PyOnceLock<Py<PyAny>>,
}

impl PyMesh {
    fn new_with(inner: Shape) -> PyClassInitializer<Self> {
        let own = Self { vertices: PyOnceLock::new(), faces: PyOnceLock::new() };
        PyClassInitializer::from(PyShape { inner }).add_subclass(own)
    }

    /// The Python object of a mesh.
    pub(crate) fn wrapped(py: Python<'_>, inner: Shape) -> PyResult<Py<Self>> {
        Py::new(py, Self::new_with(inner))
    }
}

fn of_mesh(mesh: Mesh, solid: Option<bool>) -> Result<Shape, Failure> {
    Ok(match solid {
        Some(true) => Shape::solid(mesh)?,
        Some(false) => Shape::surface(mesh),
        None => Shape::mesh(mesh),
    })
}

/// An array that cannot be written.
fn read_only(array: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let options = PyDict::new(array.py());
    options.set_item("write", false)?;
    array.call_method("setflags", (), Some(&options))?;
    Ok(array.unbind())
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (vertices, faces, *, solid=None))]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        solid: Option<bool>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let vertices = points(vertices, "vertices")?.0;
        let faces = triangles(faces, "faces")?;
        let shape = interruptible(py, move |_| of_mesh(Mesh::new(vertices, faces)?, solid))?;
        Ok(Self::new_with(shape))
    }

    /// Reads a mesh file: OBJ, STL, PLY, OFF, glTF or COLLADA.
    ///
    /// Raises `FileError`, with the path and the line where it is known.
    ///
    /// >>> import extricate as ex
    /// >>> ex.Mesh.load("assets/meshes/cup.obj").solid
    /// True
    #[staticmethod]
    #[pyo3(signature = (path, *, solid=None))]
    fn load(py: Python<'_>, path: PathBuf, solid: Option<bool>) -> PyResult<Py<Self>> {
        let shape = interruptible(py, move |_| {
            let mesh = extricate::geometry::read::read_mesh(&path);
            of_mesh(mesh.map_err(|error| Failure::of_file_error(&path, &error))?, solid)
        })?;
        Self::wrapped(py, shape)
    }

    /// The mesh of a `trimesh.Trimesh`, or of any object with `vertices` (V, 3) and `faces` (F, 3), or `triangles` as
    /// `Open3D` names them; also for tensor meshes of `Open3D`.
    ///
    /// Raises `ValueError` as the constructor does.
    ///
    /// >>> import types, extricate as ex
    /// >>> box = ex.Shape.box([1, 1, 1]).to_mesh()
    /// >>> like_trimesh = types.SimpleNamespace(vertices=box.vertices, faces=box.faces)
    /// >>> ex.Mesh.from_trimesh(like_trimesh).volume
    /// 1.0
    #[classmethod]
    #[pyo3(signature = (mesh, *, solid=None))]
    fn from_trimesh<'py>(
        class: &Bound<'py, PyType>,
        mesh: &Bound<'py, PyAny>,
        solid: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let part = |of: &str, name: &str| mesh.getattr(of)?.getattr(name);
        let vertices = mesh.getattr("vertices").or_else(|_| part("vertex", "positions"));
        let faces = mesh.getattr("faces").or_else(|_| mesh.getattr("triangles"));
        let (Ok(vertices), Ok(faces)) = (vertices, faces.or_else(|_| part("triangle", "indices"))) else {
            return Err(bad(format!("{} has no vertices and faces", mesh.get_type().name()?)));
        };
        let options = PyDict::new(class.py());
        options.set_item("solid", solid)?;
        class.call((vertices, faces), Some(&options))
    }

    /// Coordinates (V, 3) [m], float64: one array that all uses share and that cannot be written.
    #[getter]
    fn vertices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let made = || {
            let mesh = mesh_of(slf)?;
            let numbers =
                mesh.vertices().iter().flat_map(|point: &Point3<f64>| <[f64; 3]>::from(*point)).collect();
            read_only(array(py, numbers, [mesh.vertices().len(), 3])?)
        };
        Ok(slf.get().vertices.get_or_try_init(py, made)?.bind(py).clone())
    }

    /// Indices (F, 3) of the vertices of each triangle, uint32: one array that all uses share and that cannot be written.
    #[getter]
    fn faces<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let made = || {
            let mesh = mesh_of(slf)?;
            let numbers = mesh.triangles().concat();
            read_only(numbers.into_pyarray(py).reshape([mesh.triangles().len(), 3])?.into_any())
        };
        Ok(slf.get().faces.get_or_try_init(py, made)?.bind(py).clone())
    }

    /// Whether the mesh bounds a solid.
    #[getter]
    fn solid(slf: &Bound<'_, Self>) -> bool {
        slf.as_super().get().inner.model().is_some_and(|model| model.solidity() == Solidity::Solid)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let arguments = (Self::vertices(slf)?, Self::faces(slf)?, Self::solid(slf));
        Ok((py.get_type::<Self>().getattr("_of_arrays")?, arguments.into_pyobject(py)?))
    }

    #[staticmethod]
    fn _of_arrays(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        solid: bool,
    ) -> PyResult<Py<Self>> {
        Py::new(py, Self::new(py, vertices, faces, Some(solid))?)
    }
}

fn mesh_of<'a>(slf: &'a Bound<'_, PyMesh>) -> PyResult<&'a Mesh> {
    let model = slf.as_super().get().inner.model().ok_or_else(|| bad("not a mesh"))?;
    Ok(model.mesh())
}
