//! Distance fields.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use extricate::Mesh;
use extricate::field::{DistanceField, FieldOptions};
use extricate::geometry::Aabb;
use extricate::nalgebra::Point3;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays::{array, column, points};
use crate::errors::{Failure, bad};
use crate::pool::interruptible;
use crate::shape::PyMesh;

/// Signed distances [m] of a closed mesh on a grid around it, negative inside.
///
/// `spacing` [m] is the size of the cells.
///
/// Raises `ValueError` for an open mesh, and for a grid that is too coarse or does not fit the memory.
///
/// Source: [Fisher01].
///
/// >>> import numpy as np, extricate as ex
/// >>> field = ex.DistanceField(ex.Shape.box([1, 1, 1]).to_mesh(), 0.05)
/// >>> field.sample([[0.4, 0.1, 0.0]]).round(3).tolist()
/// [-0.1]
#[pyclass(name = "DistanceField", module = "extricate._native", frozen)]
pub(crate) struct PyDistanceField {
    field: Mutex<Arc<DistanceField>>,
}

impl PyDistanceField {
    fn of(field: DistanceField) -> Self {
        Self { field: Mutex::new(Arc::new(field)) }
    }

    /// The field as it is now; held for a moment only.
    fn now(&self) -> Arc<DistanceField> {
        Arc::clone(&self.field.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The triangles of a mesh, which threads share.
fn triangles(mesh: &Bound<'_, PyMesh>) -> PyResult<impl AsRef<Mesh> + Send + 'static> {
    let model = mesh.as_super().get().inner.model().cloned().ok_or_else(|| bad("not a mesh"))?;
    Ok(Triangles(model))
}

struct Triangles(Arc<extricate::proximity::Model>);

impl AsRef<Mesh> for Triangles {
    fn as_ref(&self) -> &Mesh {
        self.0.mesh()
    }
}

#[pymethods]
impl PyDistanceField {
    #[new]
    fn new(py: Python<'_>, mesh: &Bound<'_, PyMesh>, spacing: f64) -> PyResult<Self> {
        if !(spacing > 0.0 && spacing.is_finite()) {
            return Err(bad(format!("spacing: expected a finite number above zero, found {spacing}")));
        }
        let mesh = triangles(mesh)?;
        let options = FieldOptions { spacing: Some(spacing), ..FieldOptions::default() };
        interruptible(py, move |_| Ok(DistanceField::of(mesh.as_ref(), &options)?)).map(Self::of)
    }

    /// Reads a field that `save` or the command line has written.
    ///
    /// Raises `FileError`.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = interruptible(py, move |_| {
            DistanceField::load(&path).map_err(|error| Failure::of_file_error(&path, &error))
        });
        read.map(Self::of)
    }

    /// Writes the field to a file, which replaces an older one: eight bytes a node.
    ///
    /// Raises `FileError`.
    ///
    /// >>> import os, tempfile, extricate as ex
    /// >>> field = ex.DistanceField(ex.Shape.box([1, 1, 1]).to_mesh(), 0.2)
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     path = os.path.join(folder, "box.field")
    /// ...     field.save(path)
    /// ...     ex.DistanceField.load(path).shape == field.shape
    /// True
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let field = self.now();
        interruptible(py, move |_| field.save(&path).map_err(|error| Failure::of_file_error(&path, &error)))
    }

    /// Numbers of nodes along x, y and z.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        let [x, y, z] = self.now().grid().counts;
        (x, y, z)
    }

    /// Size [m] of the cells.
    #[getter]
    fn spacing(&self) -> f64 {
        self.now().grid().spacing
    }

    /// Signed distances (N,) [m] at points (N, 3) [m, frame of the mesh], trilinear between nodes.
    ///
    /// Raises `ValueError` for points that are not finite, with the index.
    ///
    /// >>> import extricate as ex
    /// >>> field = ex.DistanceField(ex.Shape.box([1, 1, 1]).to_mesh(), 0.1)
    /// >>> field.sample([[0.45, 0, 0], [2, 0, 0]]).round(3).tolist()
    /// [-0.05, 1.5]
    fn sample<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ((points, _), field) = (self::points(points, "points")?, self.now());
        let values = py.detach(move || points.iter().map(|point| field.value(point)).collect::<Vec<_>>());
        Ok(column(py, values).into_any())
    }

    /// Gradients (N, 3) of the signed distance at points (N, 3) [m, frame of the mesh].
    ///
    /// Raises `ValueError` for points that are not finite, with the index.
    ///
    /// >>> import extricate as ex
    /// >>> field = ex.DistanceField(ex.Shape.box([1, 1, 1]).to_mesh(), 0.1)
    /// >>> field.gradient([[2, 0, 0]]).round(3).tolist()
    /// [[1.0, 0.0, 0.0]]
    fn gradient<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ((points, _), field) = (self::points(points, "points")?, self.now());
        let count = points.len();
        let gradient = |point: &Point3<f64>| <[f64; 3]>::from(field.value_and_gradient(point).1);
        let numbers = py.detach(|| points.iter().flat_map(gradient).collect::<Vec<_>>());
        array(py, numbers, [count, 3])
    }

    /// Updates the field to that of a mesh which differs only inside a region: corners (2, 3) [m, frame of the mesh] of a box
    /// that contains every changed triangle before and after. Returns the number of nodes that were computed again.
    ///
    /// Raises `ValueError` for an open mesh, and the field is unchanged.
    ///
    /// >>> import extricate as ex
    /// >>> box = ex.Shape.box([1, 1, 1]).to_mesh()
    /// >>> field = ex.DistanceField(box, 0.1)
    /// >>> field.update(box, [[-0.6, -0.6, -0.6], [0.6, 0.6, 0.6]]) >= 0
    /// True
    fn update(&self, py: Python<'_>, mesh: &Bound<'_, PyMesh>, region: &Bound<'_, PyAny>) -> PyResult<usize> {
        let corners = points(region, "region")?.0;
        let &[min, max] = corners.as_slice() else { return Err(bad("region: expected two corners (2, 3)")) };
        if !(0..3).all(|axis| min[axis] <= max[axis]) {
            return Err(bad("region: its first corner is not below the second one"));
        }
        let (mesh, mut field) = (triangles(mesh)?, DistanceField::clone(&self.now()));
        let (field, count) = interruptible(py, move |_| {
            let count = field.update(mesh.as_ref(), &[Aabb { min, max }])?.recomputed;
            Ok((field, count))
        })?;
        *self.field.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(field);
        Ok(count)
    }

    /// As the content of its file: the same field to the bit.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let field = self.now();
        let bytes = interruptible(py, move |_| Ok(field.to_bytes()))?;
        Ok((py.get_type::<Self>().getattr("_of_bytes")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _of_bytes(bytes: &[u8]) -> PyResult<Self> {
        let path = std::path::Path::new("pickle");
        DistanceField::parse(bytes, path).map(Self::of).map_err(bad)
    }

    fn __repr__(&self) -> String {
        let (x, y, z) = self.shape();
        format!("DistanceField({x} x {y} x {z} nodes, {} m apart)", self.spacing())
    }
}
