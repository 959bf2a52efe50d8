//! A small rasteriser: orthographic depth buffers of triangles, one from the eye and one from the light.

use nalgebra::{Matrix3, Point3, Vector3};

/// A parallel projection: rows of `axes` are right, up and towards the eye.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) axes: Matrix3<f64>,
    /// World point in the middle of the picture [m].
    pub(crate) middle: Point3<f64>,
    /// Pixels a metre.
    pub(crate) scale: f64,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl View {
    /// A view from `eye`, a direction that is not vertical, with z upwards.
    pub(crate) fn from(eye: Vector3<f64>) -> Matrix3<f64> {
        let towards = eye.normalize();
        let right = Vector3::z().cross(&towards).normalize();
        let up = towards.cross(&right);
        Matrix3::from_rows(&[right.transpose(), up.transpose(), towards.transpose()])
    }

    /// Pixel column, row and height towards the eye.
    pub(crate) fn project(&self, point: &Point3<f64>) -> Vector3<f64> {
        let seen = self.axes * (point - self.middle);
        let (columns, rows) = (self.width as f64, self.height as f64);
        Vector3::new(0.5 * columns + self.scale * seen.x, 0.5 * rows - self.scale * seen.y, seen.z)
    }

    /// World point at a pixel and a height towards the eye.
    pub(crate) fn unproject(&self, pixel: &Vector3<f64>) -> Point3<f64> {
        let (columns, rows) = (self.width as f64, self.height as f64);
        let seen = Vector3::new(
            (pixel.x - 0.5 * columns) / self.scale,
            (0.5 * rows - pixel.y) / self.scale,
            pixel.z,
        );
        self.middle + self.axes.transpose() * seen
    }
}

/// What the eye meets at a pixel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fragment {
    /// Height towards the eye [m].
    pub(crate) height: f64,
    pub(crate) normal: Vector3<f64>,
    /// Which body.
    pub(crate) body: usize,
}

/// The nearest fragment of every pixel, row by row.
pub(crate) struct Buffer {
    pub(crate) view: View,
    pub(crate) fragments: Vec<Option<Fragment>>,
}

impl Buffer {
    pub(crate) fn new(view: View) -> Self {
        let fragments = vec![None; view.width * view.height];
        Self { view, fragments }
    }

    /// Draws a triangle of a body.
    pub(crate) fn draw(&mut self, corners: &[Point3<f64>; 3], body: usize) {
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let Some(normal) = normal.try_normalize(0.0) else { return };
        let [a, b, c] = corners.map(|p| self.view.project(&p));
        let area = (b - a).xy().perp(&(c - a).xy());
        if !(area.abs() > 0.0) {
            return;
        }
        let clamp = |x: f64, end: usize| x.clamp(0.0, end as f64) as usize;
        let columns = clamp(a.x.min(b.x).min(c.x), self.view.width)
            ..clamp(a.x.max(b.x).max(c.x) + 1.0, self.view.width);
        let rows = clamp(a.y.min(b.y).min(c.y), self.view.height)
            ..clamp(a.y.max(b.y).max(c.y) + 1.0, self.view.height);
        for row in rows {
            for column in columns.clone() {
                let at = nalgebra::Vector2::new(column as f64 + 0.5, row as f64 + 0.5);
                let u = (b.xy() - at).perp(&(c.xy() - at)) / area;
                let v = (c.xy() - at).perp(&(a.xy() - at)) / area;
                let w = 1.0 - u - v;
                if u < 0.0 || v < 0.0 || w < 0.0 {
                    continue;
                }
                let height = u * a.z + v * b.z + w * c.z;
                let slot = &mut self.fragments[row * self.view.width + column];
                if slot.is_none_or(|known| height > known.height) {
                    *slot = Some(Fragment { height, normal, body });
                }
            }
        }
    }

    /// Whether something lies between the point and the eye of this buffer.
    pub(crate) fn hides(&self, point: &Point3<f64>, tolerance: f64) -> bool {
        let seen = self.view.project(point);
        let inside = seen.x >= 0.0 && seen.y >= 0.0;
        let (column, row) = (seen.x as usize, seen.y as usize);
        if !inside || column >= self.view.width || row >= self.view.height {
            return false;
        }
        self.fragments[row * self.view.width + column].is_some_and(|met| met.height > seen.z + tolerance)
    }
}
