//! A surface under construction: rings of vertices, the bands between them and the caps that close them.
//!
//! Orientation: a ring runs counter-clockwise about the direction in which the surface is built, that is, seen
//! from ahead. Bands and caps then face outwards.

use nalgebra::{Point3, Vector3};

use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Vertex indices around a closed ring.
pub(super) type Ring = Vec<u32>;

/// Vertices and triangles of a surface under construction.
#[derive(Debug, Default)]
pub(super) struct Surface {
    vertices: Vec<Point3<f64>>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    /// Adds a vertex.
    pub(super) fn vertex(&mut self, point: Point3<f64>) -> u32 {
        self.vertices.push(point);
        // `Checks::triangles` bounds the size of every procedural mesh well below 2³².
        (self.vertices.len() - 1) as u32
    }

    /// Position of a vertex [m].
    pub(super) fn point(&self, vertex: u32) -> Point3<f64> {
        self.vertices[vertex as usize]
    }

    /// Adds a ring of new vertices.
    pub(super) fn ring(&mut self, points: impl IntoIterator<Item = Point3<f64>>) -> Ring {
        points.into_iter().map(|point| self.vertex(point)).collect()
    }

    /// Adds a triangle, counter-clockwise seen from outside.
    pub(super) fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    /// Adds a quadrilateral, counter-clockwise seen from outside, split along its first diagonal.
    pub(super) fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// Adds the band from one ring to the next.
    pub(super) fn band(&mut self, from: &[u32], to: &[u32]) {
        self.band_except(from, to, |_| false);
    }

    /// Adds the band from one ring to the next, except for the quads after open columns.
    pub(super) fn band_except(&mut self, from: &[u32], to: &[u32], is_open: impl Fn(usize) -> bool) {
        let count = from.len();
        for column in (0..count).filter(|&column| !is_open(column)) {
            let next = (column + 1) % count;
            self.quad([from[column], from[next], to[next], to[column]]);
        }
    }

    /// Closes the first ring with a fan around a new vertex.
    pub(super) fn cap_start(&mut self, ring: &[u32], pole: Point3<f64>) {
        let pole = self.vertex(pole);
        for column in 0..ring.len() {
            self.triangle([pole, ring[(column + 1) % ring.len()], ring[column]]);
        }
    }

    /// Closes the last ring with a fan around a new vertex.
    pub(super) fn cap_end(&mut self, ring: &[u32], pole: Point3<f64>) {
        let pole = self.vertex(pole);
        for column in 0..ring.len() {
            self.triangle([pole, ring[column], ring[(column + 1) % ring.len()]]);
        }
    }

    /// The mesh, without the unused vertices inside open patches.
    pub(super) fn finish(mut self) -> Result<TriangleMesh, ShapeError> {
        let mut moved_to = vec![None; self.vertices.len()];
        let mut used = Vec::with_capacity(self.vertices.len());
        for corner in self.triangles.iter_mut().flatten() {
            *corner = *moved_to[*corner as usize].get_or_insert_with(|| {
                used.push(self.vertices[*corner as usize]);
                (used.len() - 1) as u32
            });
        }
        TriangleMesh::new(used, self.triangles)
    }
}

/// A solid lofted through rings of equally many points, closed by a fan at either end.
pub(super) fn loft(
    rings: impl IntoIterator<Item = Vec<Point3<f64>>>,
    [start, end]: [Point3<f64>; 2],
) -> Result<TriangleMesh, ShapeError> {
    let mut surface = Surface::default();
    let rings: Vec<Ring> = rings.into_iter().map(|points| surface.ring(points)).collect();
    rings.windows(2).for_each(|pair| surface.band(&pair[0], &pair[1]));
    surface.cap_start(&rings[0], start);
    surface.cap_end(&rings[rings.len() - 1], end);
    surface.finish()
}

/// A solid lofted through rings of equally many points, the last joined to the first.
pub(super) fn loft_closed(
    rings: impl IntoIterator<Item = Vec<Point3<f64>>>,
) -> Result<TriangleMesh, ShapeError> {
    let mut surface = Surface::default();
    let rings: Vec<Ring> = rings.into_iter().map(|points| surface.ring(points)).collect();
    for (index, ring) in rings.iter().enumerate() {
        surface.band(ring, &rings[(index + 1) % rings.len()]);
    }
    surface.finish()
}

/// Points at radius `radius(angle)` [m] around the z axis at height `z` [m], counter-clockwise from x.
pub(super) fn circle(count: u32, z: f64, radius: impl Fn(f64) -> f64) -> Vec<Point3<f64>> {
    (0..count)
        .map(|i| angle_and_direction(i, count))
        .map(|(angle, direction)| {
            let radius = radius(angle);
            Point3::new(radius * direction.x, radius * direction.y, z)
        })
        .collect()
}

/// Angle [rad] of step `i` of `count` around the circle, and its unit direction in the xy plane. Multiples of 90° are exact, so
/// that symmetric shapes are symmetric.
pub(super) fn angle_and_direction(i: u32, count: u32) -> (f64, Vector3<f64>) {
    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(count);
    let (sin, cos) = match (4 * u64::from(i) / u64::from(count), 4 * u64::from(i) % u64::from(count)) {
        (0, 0) => (0.0, 1.0),
        (1, 0) => (1.0, 0.0),
        (2, 0) => (0.0, -1.0),
        (3, 0) => (-1.0, 0.0),
        _ => angle.sin_cos(),
    };
    (angle, Vector3::new(cos, sin, 0.0))
}

/// Solid of revolution about z of a profile (radius, height) [m] that starts and ends on the axis, with the solid on its
/// left: up the outside, down the inside.
pub(super) fn revolve(profile: &[[f64; 2]], segments: u32) -> Result<TriangleMesh, ShapeError> {
    let [first, inner @ .., last] = profile else { unreachable!("a profile has two ends on the axis") };
    let rings = inner.iter().map(|&[radius, z]| circle(segments, z, |_| radius));
    loft(rings, [Point3::new(0.0, 0.0, first[1]), Point3::new(0.0, 0.0, last[1])])
}

/// Solid of revolution about z of a closed profile (radius, height) [m] off the axis, counter-clockwise.
pub(super) fn revolve_closed(profile: &[[f64; 2]], segments: u32) -> Result<TriangleMesh, ShapeError> {
    loft_closed(profile.iter().map(|&[radius, z]| circle(segments, z, |_| radius)))
}

/// Border of a patch of a grid of rings, as (row, column) pairs: rows `rows[0]..=rows[1]`, columns
/// `columns[0]..=columns[1]`, counter-clockwise seen from outside. Columns are not yet wrapped around the ring.
pub(super) fn border(rows: [usize; 2], columns: [i64; 2]) -> Vec<(usize, i64)> {
    let [bottom, top] = rows;
    let [left, right] = columns;
    let along_bottom = (left..right).map(|column| (bottom, column));
    let up_the_right = (bottom..top).map(|row| (row, right));
    let along_top = (left + 1..=right).rev().map(|column| (top, column));
    let down_the_left = (bottom + 1..=top).rev().map(|row| (row, left));
    along_bottom.chain(up_the_right).chain(along_top).chain(down_the_left).collect()
}

/// Whether the quad after `column`, of `count` around, is within the columns from `columns[0]` to `columns[1]`.
pub(super) fn spans(columns: [i64; 2], column: usize, count: usize) -> bool {
    // Ring sizes are 32-bit counts, so both conversions are exact.
    let offset = (column as i64 - columns[0]).rem_euclid(count as i64);
    offset < columns[1] - columns[0]
}

/// Vertex of a ring at a column that may be negative or beyond the last.
pub(super) fn wrapped(ring: &[u32], column: i64) -> u32 {
    ring[column.rem_euclid(ring.len() as i64) as usize]
}
