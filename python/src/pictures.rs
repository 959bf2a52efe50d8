//! Visible triangles of a picture: a depth buffer, for the views of notebooks.

use extricate::nalgebra::{Point3, Vector3};
use pyo3::prelude::*;

use crate::arrays::{array, points, triangles};
use crate::errors::bad;

/// Maximum edge length of a picture \[pixels\].
const MAX_SIZE: usize = 4096;

/// The index (H, W) int32 of the triangle that is nearest in each pixel, or -1, and its depth (H, W). `vertices` (V, 3) are x
/// and y in pixels from the upper left corner, and the depth.
#[pyfunction]
pub(crate) fn _raster<'py>(
    py: Python<'py>,
    vertices: &Bound<'py, PyAny>,
    faces: &Bound<'py, PyAny>,
    size: [usize; 2],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (vertices, faces) = (points(vertices, "vertices")?.0, triangles(faces, "faces")?);
    let [height, width] = size;
    if !size.iter().all(|&length| (1..=MAX_SIZE).contains(&length)) {
        return Err(bad(format!("size: expected lengths from 1 to {MAX_SIZE}, found {size:?}")));
    }
    if faces.iter().flatten().any(|&vertex| vertex as usize >= vertices.len()) {
        return Err(bad("faces: an index is not that of a vertex"));
    }
    let (nearest, depth) = py.detach(|| {
        let mut buffer = Buffer {
            width,
            height,
            nearest: vec![-1; width * height],
            depth: vec![f64::INFINITY; width * height],
        };
        for (index, face) in (0_i32..).zip(&faces) {
            buffer.add(index, face.map(|vertex| vertices[vertex as usize]));
        }
        (buffer.nearest, buffer.depth)
    });
    Ok((array(py, nearest, size)?, array(py, depth, size)?))
}

struct Buffer {
    width: usize,
    height: usize,
    nearest: Vec<i32>,
    depth: Vec<f64>,
}

impl Buffer {
    /// Adds a triangle, whichever its orientation.
    fn add(&mut self, index: i32, [a, b, c]: [Point3<f64>; 3]) {
        let (u, v) = (b - a, c - a);
        let area = u.x * v.y - u.y * v.x;
        if !(area.abs() > 0.0) {
            return;
        }
        let [left, right] = range([a.x, b.x, c.x], self.width);
        let [top, bottom] = range([a.y, b.y, c.y], self.height);
        for row in top..bottom {
            for column in left..right {
                let to: Vector3<f64> = Point3::new(column as f64 + 0.5, row as f64 + 0.5, 0.0) - a;
                let s = (to.x * v.y - to.y * v.x) / area;
                let t = (u.x * to.y - u.y * to.x) / area;
                let depth = a.z + s * u.z + t * v.z;
                let pixel = row * self.width + column;
                if s >= 0.0 && t >= 0.0 && s + t <= 1.0 && depth < self.depth[pixel] {
                    (self.nearest[pixel], self.depth[pixel]) = (index, depth);
                }
            }
        }
    }
}

/// Pixels of a span.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the numbers are clamped")]
fn range(span: [f64; 3], length: usize) -> [usize; 2] {
    let clamped = |value: f64| value.clamp(0.0, length as f64) as usize;
    let (min, max) =
        span.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), &x| (min.min(x), max.max(x)));
    [clamped(min.floor()), clamped(max.ceil())]
}
