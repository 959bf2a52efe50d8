//! A hammer as one surface: a round head along x, and a handle that extends downwards from a patch of it.

use nalgebra::Point3;

use super::parameters::Checks;
use super::surface::{Ring, Surface, angle_and_direction, border, spans, wrapped};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "hammer"
    /// A hammer: a round head along x with bevelled faces, and a round handle down from its middle. The axis of
    /// the head passes through the origin.
    pub struct Hammer {
        /// Length of the head [m].
        head_length: f64 = 0.8,
        /// Radius of the head [m].
        head_radius: f64 = 0.2,
        /// Length of the handle below the head [m].
        handle_length: f64 = 1.4,
        /// Radius of the handle [m].
        handle_radius: f64 = 0.08,
        /// Steps around the head.
        segments: u32 = 24,
        /// Steps along the handle.
        rings: u32 = 8,
    }
    mesh = Hammer::build
}

/// Bevel of the head's faces as a fraction of its radius.
const BEVEL: f64 = 0.2;
/// Rows of the head from which its handle starts.
const ROOT_ROWS: [usize; 2] = [2, 4];

impl Hammer {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        self.check()?;
        let columns = self.root_columns();
        let mut surface = Surface::default();
        let head = self.head(&mut surface);
        for (row, pair) in head.windows(2).enumerate() {
            let in_root = (ROOT_ROWS[0]..ROOT_ROWS[1]).contains(&row);
            let count = pair[0].len();
            surface.band_except(&pair[0], &pair[1], |column| in_root && spans(columns, column, count));
        }
        let half = 0.5 * self.head_length;
        surface.cap_start(&head[0], Point3::new(-half, 0.0, 0.0));
        surface.cap_end(&head[head.len() - 1], Point3::new(half, 0.0, 0.0));
        self.add_handle(&mut surface, &head, columns);
        surface.finish()
    }

    fn check(&self) -> Result<(), ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("head_radius", self.head_radius), ("handle_length", self.handle_length)])?;
        let is_thin = self.handle_radius > 0.0 && self.handle_radius <= 0.6 * self.head_radius;
        checks.require(
            "handle_radius",
            self.handle_radius,
            is_thin,
            "positive, at most 0.6 of the head's",
        )?;
        let min = 2.0 * (self.handle_radius + BEVEL * self.head_radius);
        checks.require(
            "head_length",
            self.head_length,
            self.head_length > min,
            "wide enough for its handle",
        )?;
        let is_divisible = self.segments >= 8 && self.segments.is_multiple_of(4);
        checks.require("segments", self.segments.into(), is_divisible, "a multiple of 4, at least 8")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([4, self.segments, self.rings])
    }

    /// Columns at the bottom of the head that are about as wide as the handle.
    fn root_columns(&self) -> [i64; 2] {
        let arc = std::f64::consts::TAU * self.head_radius / f64::from(self.segments);
        let half = (self.handle_radius / arc).round().max(1.0) as i64;
        let bottom = i64::from(self.segments) * 3 / 4;
        [bottom - half, bottom + half]
    }

    fn head(&self, surface: &mut Surface) -> Vec<Ring> {
        let (half, bevel) = (0.5 * self.head_length, BEVEL * self.head_radius);
        let face = self.head_radius - bevel;
        // The two stations at the handle's radius bound the patch of its root: rows 2 to 4.
        let stations = [
            (-half, face),
            (-half + bevel, self.head_radius),
            (-self.handle_radius, self.head_radius),
            (0.0, self.head_radius),
            (self.handle_radius, self.head_radius),
            (half - bevel, self.head_radius),
            (half, face),
        ];
        let ring = |(x, radius): (f64, f64)| {
            let around = (0..self.segments).map(|i| angle_and_direction(i, self.segments).1 * radius);
            surface.ring(around.map(|offset| Point3::new(x, offset.x, offset.y)))
        };
        stations.map(ring).to_vec()
    }

    fn add_handle(&self, surface: &mut Surface, head: &[Ring], columns: [i64; 2]) {
        let root = border(ROOT_ROWS, columns);
        let mut ring: Ring = root.iter().map(|&(row, column)| wrapped(&head[row], column)).collect();
        let round: Vec<_> = (ring.iter())
            .map(|&vertex| surface.point(vertex).coords.xy().normalize() * self.handle_radius)
            .collect();
        // From the patch on the head to the full round just below it, then straight down.
        let top = -self.head_radius - 0.25 * self.handle_radius.min(self.handle_length);
        let bottom = -self.head_radius - self.handle_length;
        for step in 0..=self.rings {
            let z = top + (bottom - top) * f64::from(step) / f64::from(self.rings);
            let next = surface.ring(round.iter().map(|offset| Point3::new(offset.x, offset.y, z)));
            surface.band(&ring, &next);
            ring = next;
        }
        surface.cap_end(&ring, Point3::new(0.0, 0.0, bottom));
    }
}
