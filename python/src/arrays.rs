//! Arrays in and out: poses, points, configurations.

use extricate::nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArray3, PyArray4, PyArrayDyn, PyArrayMethods, PyFixedUnicode,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::bad;

/// Maximum deviation of a rotation from an orthonormal one, as in files of poses: the rounding of six written digits.
const ROTATION_TOLERANCE: f64 = 1e-5;
/// Number of items that are converted between two looks at signals: a few milliseconds.
const ITEMS_BETWEEN_LOOKS: usize = 1 << 16;
/// Maximum number of items of a call: larger arrays are passed in parts.
const MAX_ITEMS: usize = 1 << 24;

/// The numbers, row by row, and the shape of any array of numbers: lists, integers, single precision, other orders, and what
/// has `__array__` or `__dlpack__`.
fn numbers(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<f64>, Vec<usize>)> {
    let py = value.py();
    if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
        && array.is_c_contiguous()
    {
        check_count(array.shape(), name)?;
        // An array that is not aligned is copied below.
        if let Ok(numbers) = array.to_vec() {
            return Ok((numbers, array.shape().to_vec()));
        }
    }
    let array = as_array(value, name, "numbers")?;
    let untyped = array.cast::<PyUntypedArray>()?;
    let kind = untyped.dtype().getattr("kind")?.extract::<char>()?;
    if !matches!(kind, 'f' | 'i' | 'u') {
        return Err(bad(format!("{name}: expected real numbers, found dtype {}", untyped.dtype())));
    }
    let shape = untyped.shape().to_vec();
    check_count(&shape, name)?;
    let numpy = py.import("numpy")?;
    let array = numpy
        .call_method1("require", (array, numpy.getattr("float64")?, "CA"))?
        .cast_into::<PyArrayDyn<f64>>()?;
    let numbers = array.to_vec().map_err(|error| bad(format!("{name}: {error}")))?;
    Ok((numbers, shape))
}

/// An array of numpy from what has `__array__`, `__dlpack__` or is a sequence.
fn as_array<'py>(value: &Bound<'py, PyAny>, name: &str, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let by_dlpack = !value.hasattr("__array__")? && value.hasattr("__dlpack__")?;
    let array = py.import("numpy")?.call_method1(if by_dlpack { "from_dlpack" } else { "asarray" }, (value,));
    array.map_err(|error| bad(format!("{name}: not an array of {what}: {}", error.value(py))))
}

/// Refuses arrays of too many items, before they are copied.
fn check_count(shape: &[usize], name: &str) -> PyResult<()> {
    let numbers = shape.iter().fold(1_usize, |product, &length| product.saturating_mul(length));
    if shape.first().is_some_and(|&items| items > MAX_ITEMS) || numbers > 64 * MAX_ITEMS {
        return Err(too_many(name, shape));
    }
    Ok(())
}

fn too_many(name: &str, shape: &[usize]) -> PyErr {
    bad(format!(
        "{name}: an array of shape {shape:?} is too large; at most {MAX_ITEMS} items are accepted in a call"
    ))
}

fn wrong_shape(name: &str, shape: &[usize], accepted: &str) -> PyErr {
    bad(format!("{name}: expected an array of shape {accepted}, found {shape:?}"))
}

/// One pose, or many: of these the invalid ones are kept, with the reason.
#[derive(Debug, Clone)]
pub(crate) enum Poses {
    /// The pose of all items.
    One(Isometry3<f64>),
    /// The pose of each item.
    Many(Vec<Result<Isometry3<f64>, String>>),
}

impl Poses {
    /// Poses of shape `(4, 4)` or `(N, 4, 4)`, body to world; the identity where nothing is given.
    pub(crate) fn new(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Self> {
        let Some(value) = value else { return Ok(Self::One(Isometry3::identity())) };
        if let Ok(array) = value.cast::<PyArray2<f64>>()
            && array.is_c_contiguous()
            && array.len() == 16
            && let Ok(numbers) = array.to_vec()
        {
            let rows = numbers.as_slice().try_into().map_err(|_| wrong_shape(name, array.shape(), FORMS))?;
            return isometry(rows).map(Self::One).map_err(|why| bad(format!("{name}: {why}")));
        }
        let (numbers, shape) = numbers(value, name)?;
        match shape.as_slice() {
            [4, 4] => {
                let rows = numbers.as_slice().try_into().map_err(|_| wrong_shape(name, &shape, FORMS))?;
                isometry(rows).map(Self::One).map_err(|why| bad(format!("{name}: {why}")))
            }
            [_, 4, 4] => {
                let (rows, _) = numbers.as_chunks::<16>();
                let mut poses = Vec::with_capacity(rows.len());
                for (index, rows) in rows.iter().enumerate() {
                    // Millions of poses take long enough for somebody to give up.
                    if index % ITEMS_BETWEEN_LOOKS == 0 {
                        value.py().check_signals()?;
                    }
                    poses.push(isometry(rows).map_err(|why| format!("{name}[{index}]: {why}")));
                }
                Ok(Self::Many(poses))
            }
            _ => Err(wrong_shape(name, &shape, FORMS)),
        }
    }

    /// The pose of an item.
    pub(crate) fn get(&self, index: usize) -> Result<Isometry3<f64>, String> {
        match self {
            Self::One(pose) => Ok(*pose),
            // Only a message is cloned.
            Self::Many(poses) => poses[index].as_ref().map(|pose| *pose).map_err(String::clone),
        }
    }

    fn len(&self) -> Option<usize> {
        match self {
            Self::One(_) => None,
            Self::Many(poses) => Some(poses.len()),
        }
    }
}

/// Accepted shapes of poses.
const FORMS: &str = "(4, 4) or (N, 4, 4)";

/// The poses of two shapes: one pair, or as many as the longer one; a single pose is that of all items.
pub(crate) enum PosePair {
    /// One pair.
    One([Isometry3<f64>; 2]),
    /// Many pairs.
    Many(PoseList),
}

/// Pairs of poses.
pub(crate) struct PoseList {
    poses: [Poses; 2],
    /// Their number.
    pub(crate) count: usize,
}

impl PoseList {
    /// The poses of A and of B of an item.
    pub(crate) fn get(&self, index: usize) -> Result<[Isometry3<f64>; 2], String> {
        Ok([self.poses[0].get(index)?, self.poses[1].get(index)?])
    }
}

impl PosePair {
    /// Two arguments, each a pose, poses or nothing.
    pub(crate) fn new(given: [Option<&Bound<'_, PyAny>>; 2], names: [&str; 2]) -> PyResult<Self> {
        let poses = [Poses::new(given[0], names[0])?, Poses::new(given[1], names[1])?];
        let count = match [poses[0].len(), poses[1].len()] {
            [None, None] => match poses {
                [Poses::One(a), Poses::One(b)] => return Ok(Self::One([a, b])),
                _ => 1,
            },
            [Some(a), Some(b)] if a != b => {
                let [first, second] = names;
                return Err(bad(format!(
                    "{first} has {a} poses and {second} {b}: equal numbers, or one pose, are accepted"
                )));
            }
            [first, second] => first.or(second).unwrap_or(1),
        };
        Ok(Self::Many(PoseList { poses, count }))
    }

    /// The pairs, whether one or many.
    pub(crate) fn into_list(self) -> PoseList {
        match self {
            Self::One([a, b]) => PoseList { poses: [Poses::One(a), Poses::One(b)], count: 1 },
            Self::Many(list) => list,
        }
    }
}

/// Poses of B bodies in one scene, (B, 4, 4), or in many, (N, B, 4, 4).
pub(crate) struct PoseRows {
    numbers: Vec<f64>,
    bodies: usize,
    name: String,
    /// Number of scenes.
    pub(crate) count: usize,
    /// Whether a single scene was given.
    pub(crate) is_single: bool,
}

impl PoseRows {
    /// Poses of a number of bodies.
    pub(crate) fn new(value: &Bound<'_, PyAny>, name: &str, bodies: usize) -> PyResult<Self> {
        let (numbers, shape) = numbers(value, name)?;
        let (count, is_single) = match *shape.as_slice() {
            [length, 4, 4] if length == bodies => (1, true),
            [count, length, 4, 4] if length == bodies => (count, false),
            _ => return Err(wrong_shape(name, &shape, &format!("({bodies}, 4, 4) or (N, {bodies}, 4, 4)"))),
        };
        Ok(Self { numbers, bodies, name: name.to_owned(), count, is_single })
    }

    /// The poses of a scene.
    pub(crate) fn get(&self, scene: usize) -> Result<Vec<Isometry3<f64>>, String> {
        let rows = &self.numbers.as_chunks::<16>().0[scene * self.bodies..(scene + 1) * self.bodies];
        let place = |body| if self.is_single { format!("[{body}]") } else { format!("[{scene}, {body}]") };
        let of_body =
            |(body, rows)| isometry(rows).map_err(|why| format!("{}{}: {why}", self.name, place(body)));
        rows.iter().enumerate().map(of_body).collect()
    }
}

/// The pose of a homogeneous matrix, row by row.
pub(crate) fn isometry(rows: &[f64; 16]) -> Result<Isometry3<f64>, String> {
    if !rows.iter().all(|number| number.is_finite()) {
        return Err(String::from("the pose is not finite"));
    }
    let [a, b, c, x, d, e, f, y, g, h, i, z, last @ ..] = *rows;
    let matrix = Matrix3::new(a, b, c, d, e, f, g, h, i);
    let bottom = (Vector3::new(last[0], last[1], last[2]).amax()).max((last[3] - 1.0).abs());
    if !(bottom <= ROTATION_TOLERANCE) {
        return Err(format!("the last row of a pose is 0, 0, 0, 1, not {last:?}"));
    }
    let deviation = (matrix * matrix.transpose() - Matrix3::identity()).amax();
    if !(deviation <= ROTATION_TOLERANCE) {
        return Err(format!("not a rotation: R Rᵀ deviates from the identity by {deviation:.3e}"));
    }
    if matrix.determinant() < 0.0 {
        return Err(String::from("not a rotation but a reflection: its determinant is -1"));
    }
    // The same conversion as that of files of poses, so that answers have the same bits.
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

/// The homogeneous matrix of a pose, row by row.
pub(crate) fn rows(pose: &Isometry3<f64>) -> [f64; 16] {
    let matrix = pose.to_homogeneous();
    std::array::from_fn(|index| matrix[(index / 4, index % 4)])
}

/// A single pose.
pub(crate) fn pose(value: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<Isometry3<f64>> {
    match Poses::new(value, name)? {
        Poses::One(pose) => Ok(pose),
        Poses::Many(_) => Err(bad(format!("{name}: expected one pose of shape (4, 4)"))),
    }
}

/// Points of shape `(N, 3)` or `(3,)`, and whether it was a single one.
pub(crate) fn points(value: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<Point3<f64>>, bool)> {
    let (numbers, shape) = numbers(value, name)?;
    if !matches!(shape.as_slice(), [3] | [_, 3]) {
        return Err(wrong_shape(name, &shape, "(N, 3)"));
    }
    if let Some(index) = numbers.iter().position(|number| !number.is_finite()) {
        return Err(bad(format!("{name}[{}]: not finite", index / 3)));
    }
    let points = numbers.as_chunks::<3>().0.iter().map(|row| Point3::from(*row)).collect();
    Ok((points, shape.len() == 1))
}

/// Three numbers, such as the edge lengths of a box.
pub(crate) fn vector(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vector3<f64>> {
    match points(value, name)? {
        (points, true) => Ok(points[0].coords),
        _ => Err(bad(format!("{name}: expected three numbers"))),
    }
}

/// Triangles of shape `(F, 3)` of 0-based vertex indices.
pub(crate) fn triangles(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<[u32; 3]>> {
    let py = value.py();
    let numpy = py.import("numpy")?;
    let array = as_array(value, name, "integers")?;
    let untyped = array.cast::<PyUntypedArray>()?;
    let shape = untyped.shape().to_vec();
    let &[count, 3] = shape.as_slice() else { return Err(wrong_shape(name, &shape, "(F, 3)")) };
    let kind = untyped.dtype().getattr("kind")?.extract::<char>()?;
    if !matches!(kind, 'i' | 'u') && count > 0 {
        return Err(bad(format!("{name}: expected integers, found dtype {}", untyped.dtype())));
    }
    check_count(&shape, name)?;
    let array = numpy.call_method1("require", (array, numpy.getattr("int64")?, "CA"))?;
    let numbers =
        array.cast_into::<PyArray2<i64>>()?.to_vec().map_err(|error| bad(format!("{name}: {error}")))?;
    let index = |(place, &number): (usize, &i64)| {
        u32::try_from(number)
            .map_err(|_| bad(format!("{name}[{}]: {number} is not the index of a vertex", place / 3)))
    };
    let indices = numbers.iter().enumerate().map(index).collect::<PyResult<Vec<u32>>>()?;
    Ok(indices.as_chunks::<3>().0.to_vec())
}

/// Configurations of shape `(J,)` or `(N, J)`, row by row, and whether it was a single one.
pub(crate) struct Configurations {
    name: String,
    numbers: Vec<f64>,
    joints: usize,
    /// Their number.
    pub(crate) count: usize,
    /// Whether a single one of shape `(J,)` was given.
    pub(crate) is_single: bool,
}

impl Configurations {
    /// Configurations of a robot with a number of joints.
    pub(crate) fn new(value: &Bound<'_, PyAny>, name: &str, joints: usize) -> PyResult<Self> {
        let (numbers, shape) = numbers(value, name)?;
        let (count, is_single) = match *shape.as_slice() {
            [length] if length == joints => (1, true),
            [count, length] if length == joints => (count, false),
            _ => return Err(wrong_shape(name, &shape, &format!("({joints},) or (N, {joints})"))),
        };
        Ok(Self { name: name.to_owned(), numbers, joints, count, is_single })
    }

    /// The values of an item, all finite.
    pub(crate) fn get(&self, index: usize) -> Result<&[f64], String> {
        let values = &self.numbers[index * self.joints..(index + 1) * self.joints];
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(joint) => Err(format!("{}[{index}]: the value of joint {joint} is not finite", self.name)),
        }
    }

    /// All configurations, of which each must be finite.
    pub(crate) fn checked(self) -> PyResult<Self> {
        (0..self.count).try_for_each(|index| self.get(index).map(|_| ()).map_err(bad))?;
        Ok(self)
    }
}

/// An array of a shape.
pub(crate) fn array<'py, T: Element, const D: usize>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: [usize; D],
) -> PyResult<Bound<'py, PyAny>> {
    Ok(numbers.into_pyarray(py).reshape(shape.as_slice())?.into_any())
}

/// One number an item.
pub(crate) fn column<T: Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    numbers.into_pyarray(py)
}

/// A text an item, `<U14`: as long as the longest reason for the end of a search.
pub(crate) fn texts<'py>(py: Python<'py>, texts: &[&str]) -> Bound<'py, PyArray1<PyFixedUnicode<14>>> {
    let fixed = |text: &&str| {
        let mut characters = [0; 14];
        characters.iter_mut().zip(text.chars()).for_each(|(place, character)| *place = character.into());
        PyFixedUnicode(characters)
    };
    column(py, texts.iter().map(fixed).collect())
}

/// The matrices of poses, `(N, 4, 4)`.
pub(crate) fn matrices<'py>(
    py: Python<'py>,
    poses: &[Isometry3<f64>],
) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let numbers = poses.iter().flat_map(rows).collect::<Vec<f64>>();
    numbers.into_pyarray(py).reshape([poses.len(), 4, 4])
}

/// The matrices of rows of poses, `(N, L, 4, 4)`.
pub(crate) fn matrix_rows<'py>(
    py: Python<'py>,
    poses: &[Isometry3<f64>],
    length: usize,
) -> PyResult<Bound<'py, PyArray4<f64>>> {
    let numbers = poses.iter().flat_map(rows).collect::<Vec<f64>>();
    let count = poses.len() / length.max(1);
    numbers.into_pyarray(py).reshape([count, length, 4, 4])
}

/// The matrix of a pose, `(4, 4)`.
pub(crate) fn matrix<'py>(py: Python<'py>, pose: &Isometry3<f64>) -> PyResult<Bound<'py, PyAny>> {
    array(py, rows(pose).to_vec(), [4, 4])
}

/// Three numbers.
pub(crate) fn triple(py: Python<'_>, [x, y, z]: [f64; 3]) -> Bound<'_, PyArray1<f64>> {
    vec![x, y, z].into_pyarray(py)
}

/// Two points, `(2, 3)`.
pub(crate) fn two_points<'py>(py: Python<'py>, points: &[Point3<f64>; 2]) -> PyResult<Bound<'py, PyAny>> {
    array(py, points.iter().flat_map(|point| <[f64; 3]>::from(*point)).collect(), [2, 3])
}
