//! A cup with a handle, as one surface of genus 1.
//!
//! The outer wall is a grid of rings. Two patches of it are left open, and a tube bends from the upper to the
//! lower one along a half ellipse; its first and last rings are the borders of the patches.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::parameters::Checks;
use super::surface::{Ring, Surface, border, circle, spans, wrapped};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "cup"
    /// A cup: a round, slightly tapered wall and a floor, open above, with or without a handle towards +x.
    pub struct Cup {
        /// Outer radius at the rim [m].
        radius: f64 = 0.5,
        /// Outer radius at the bottom [m].
        base_radius: f64 = 0.42,
        /// Full height [m].
        height: f64 = 1.1,
        /// Thickness of the wall, measured horizontally [m].
        wall: f64 = 0.06,
        /// Thickness of the floor [m].
        floor: f64 = 0.08,
        /// 1 with a handle, 0 without.
        handle: u32 = 1,
        /// Distance of the middle of the handle from the wall [m].
        handle_reach: f64 = 0.32,
        /// Thickness of the handle [m].
        handle_thickness: f64 = 0.13,
        /// Steps around the axis.
        segments: u32 = 36,
        /// Steps from bottom to rim.
        rings: u32 = 12,
    }
    mesh = Cup::build
}

/// Heights of the handle's roots as fractions of the height of the wall.
const ROOTS: [f64; 2] = [0.29, 0.79];

impl Cup {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        self.check()?;
        let handle = if self.handle == 1 { Some(self.handle_roots()?) } else { None };
        let mut surface = Surface::default();
        let outside = self.wall_rings(&mut surface, 0.0, -0.5 * self.height);
        let inside = self.wall_rings(&mut surface, self.wall, -0.5 * self.height + self.floor);
        surface.cap_start(&outside[0], Point3::new(0.0, 0.0, -0.5 * self.height));
        for (row, pair) in outside.windows(2).enumerate() {
            let count = pair[0].len();
            let is_open = |column| handle.is_some_and(|roots| roots.open(row, column, count));
            surface.band_except(&pair[0], &pair[1], is_open);
        }
        let mut downwards = inside.iter().rev();
        let mut above = &outside[outside.len() - 1];
        for ring in &mut downwards {
            surface.band(above, ring);
            above = ring;
        }
        surface.cap_end(above, Point3::new(0.0, 0.0, -0.5 * self.height + self.floor));
        if let Some(roots) = handle {
            self.add_handle(&mut surface, &outside, roots);
        }
        surface.finish()
    }

    fn check(&self) -> Result<(), ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("wall", self.wall), ("floor", self.floor)])?;
        checks.require("radius", self.radius, self.radius > self.wall, "more than the wall")?;
        checks.require(
            "base_radius",
            self.base_radius,
            self.base_radius > self.wall,
            "more than the wall",
        )?;
        checks.require("height", self.height, self.height > self.floor, "more than the floor")?;
        checks.require("handle", self.handle.into(), self.handle <= 1, "0 or 1")?;
        checks.at_least("segments", self.segments, 8, "at least 8")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([6, self.segments, self.rings])
    }

    /// Outer radius at a height above the bottom [m].
    fn outer_radius(&self, height: f64) -> f64 {
        self.base_radius + (self.radius - self.base_radius) * height / self.height
    }

    fn wall_rings(&self, surface: &mut Surface, inset: f64, bottom: f64) -> Vec<Ring> {
        let top = 0.5 * self.height;
        (0..=self.rings)
            .map(|i| bottom + (top - bottom) * f64::from(i) / f64::from(self.rings))
            .map(|z| surface.ring(circle(self.segments, z, |_| self.outer_radius(z + top) - inset)))
            .collect()
    }

    /// Rows and columns of the wall's grid from which the handle starts.
    fn handle_roots(&self) -> Result<Roots, ShapeError> {
        let checks = Checks::of::<Self>();
        let thickness = self.handle_thickness;
        checks.positive([("handle_thickness", thickness)])?;
        checks.at_least("rings", self.rings, 8, "at least 8 with a handle")?;
        let half_span = 0.5 * (ROOTS[1] - ROOTS[0]) * self.height;
        let is_thin = thickness < half_span && thickness < self.radius.min(self.base_radius);
        checks.require("handle_thickness", thickness, is_thin, "thin beside the cup")?;
        // The inner side of the bend must not touch the wall, and no bend may be tighter than the tube: the radii of
        // curvature of the half ellipse are span²/reach at its middle and reach²/span at its ends.
        let (reach, radius) = (self.handle_reach, 0.5 * thickness);
        let tightest = (half_span * half_span / reach).min(reach * reach / half_span);
        let is_free = reach > thickness && tightest > radius;
        checks.require("handle_reach", reach, is_free, "wide enough for the thickness, yet no sharp bend")?;
        let steps = |length: f64, step: f64| (0.5 * length / step).round().max(1.0) as usize;
        let half_rows = steps(thickness, self.height / f64::from(self.rings));
        let arc = std::f64::consts::TAU * self.radius / f64::from(self.segments);
        let half_columns = steps(thickness, arc) as i64;
        let rows = ROOTS.map(|fraction| {
            let middle = (fraction * f64::from(self.rings)).round() as usize;
            [middle - half_rows.min(middle), middle + half_rows]
        });
        let fits = rows[0][0] > 0 && rows[0][1] < rows[1][0] && rows[1][1] < self.rings as usize;
        checks.require("handle_thickness", thickness, fits, "thin enough for its roots on the wall")?;
        Ok(Roots { rows, columns: [-half_columns, half_columns] })
    }

    fn add_handle(&self, surface: &mut Surface, wall: &[Ring], roots: Roots) {
        let at = |(row, column): (usize, i64)| wrapped(&wall[row], column);
        let [lower, upper] = roots.rows;
        let upper_border = border(upper, roots.columns);
        // The handle bends by 180°: the top of the upper root is joined to the bottom of the lower one.
        let lower_border = upper_border.iter().map(|&(row, column)| (upper[1] - row + lower[0], column));
        let last: Ring = lower_border.map(at).collect();
        let mut ring: Ring = upper_border.iter().copied().map(at).collect();
        let middle = |ring: &[u32]| {
            let sum: Vector3<f64> = ring.iter().map(|&vertex| surface.point(vertex).coords).sum();
            sum / ring.len() as f64
        };
        let ends = [middle(&ring), middle(&last)];
        let section: Vec<_> = ring.iter().map(|&vertex| surface.point(vertex).coords - ends[0]).collect();
        let steps = (self.segments / 2).max(8);
        for step in 1..steps {
            let points = self.handle_ring(ends, &section, f64::from(step) / f64::from(steps));
            let next = surface.ring(points);
            surface.band(&ring, &next);
            ring = next;
        }
        surface.band(&ring, &last);
    }

    /// Ring of the handle at a fraction `t` of its half circle. Its section is blended from the rectangle of the root to a circle
    /// and back.
    fn handle_ring(&self, ends: [Vector3<f64>; 2], section: &[Vector3<f64>], t: f64) -> Vec<Point3<f64>> {
        let angle = PI * t;
        let (sin, cos) = angle.sin_cos();
        let half_span = 0.5 * (ends[0].z - ends[1].z);
        let root_x = ends[0].x + (ends[1].x - ends[0].x) * t;
        let middle_z = 0.5 * (ends[0].z + ends[1].z);
        let center = Point3::new(root_x + self.handle_reach * sin, 0.0, middle_z + half_span * cos);
        let forwards = Vector3::new(self.handle_reach * cos, 0.0, -half_span * sin).normalize();
        let outwards = Vector3::new(-forwards.z, 0.0, forwards.x);
        // Fully round between 30° and 150° of the half circle.
        let roundness = (2.0 * sin).min(1.0);
        (section.iter())
            .map(|corner| {
                let square = Vector3::new(corner.y, corner.z, 0.0);
                let round = square.normalize() * (0.5 * self.handle_thickness);
                let offset = square + (round - square) * roundness;
                center + Vector3::y() * offset.x + outwards * offset.y
            })
            .collect()
    }
}

/// Patches of the wall from which the handle starts: rows of the lower and upper root, and their columns.
#[derive(Clone, Copy)]
struct Roots {
    rows: [[usize; 2]; 2],
    columns: [i64; 2],
}

impl Roots {
    /// Whether the quad above `row` and after `column` belongs to a root.
    fn open(&self, row: usize, column: usize, count: usize) -> bool {
        self.rows.iter().any(|rows| (rows[0]..rows[1]).contains(&row)) && spans(self.columns, column, count)
    }
}
