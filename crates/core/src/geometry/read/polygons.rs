//! Polygons of a file, and their triangulation by ear clipping.

use nalgebra::{Point3, Vector2, Vector3};

use super::correction::Corrections;
use super::error::Fault;
use crate::geometry::limits::POLYGON_CORNERS;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Vertices and polygons of a file.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    pub(super) vertices: Vec<Point3<f64>>,
    corners: Vec<u32>,
    /// End of the corners of each polygon, and its line in a text file.
    ends: Vec<(usize, Option<usize>)>,
    /// Index and line of each vertex of a text file that is not finite.
    not_finite: Vec<(usize, usize)>,
}

fn is_finite(point: &Point3<f64>) -> bool {
    point.iter().all(|x| x.is_finite())
}

impl Polygons {
    /// Adds a vertex of a text file.
    pub(super) fn vertex(&mut self, line: usize, point: Point3<f64>) {
        if !is_finite(&point) {
            self.not_finite.push((self.vertices.len(), line));
        }
        self.vertices.push(point);
    }

    /// Adds a corner to the polygon that [`Polygons::close`] will finish.
    pub(super) fn corner(&mut self, index: u32) {
        self.corners.push(index);
    }

    /// Finishes a polygon; `line` is its place in a text file. One with fewer than three corners has no area and is left out.
    pub(super) fn close(&mut self, line: Option<usize>, corrections: &Corrections) {
        let start = self.ends.last().map_or(0, |&(end, _)| end);
        let count = self.corners.len() - start;
        if count < 3 {
            let corners = if count == 1 { "corner" } else { "corners" };
            corrections
                .add(line, "face", "left out", || format!("it has {count} {corners}, fewer than three"));
            return self.corners.truncate(start);
        }
        self.ends.push((self.corners.len(), line));
    }

    /// Mesh of all polygons, triangulated. Vertices that are not finite are left out with their polygons.
    pub(super) fn into_mesh(mut self, corrections: &Corrections) -> Result<TriangleMesh, Fault> {
        if !self.vertices.iter().all(is_finite) {
            self.leave_out_vertices(is_finite, corrections);
        }
        let mut triangles = Vec::with_capacity(self.corners.len());
        let mut start = 0;
        for &(end, line) in &self.ends {
            let polygon = &self.corners[start..end];
            if let Some(&index) = polygon.iter().find(|&&index| index as usize >= self.vertices.len()) {
                let count = self.vertices.len();
                let cause = format!(
                    "a corner references vertex {index}, but there are only {count} vertices (0-based)"
                );
                return Err(self.fault(line, cause));
            }
            if let Err(cause) = triangulate(&self.vertices, polygon, &mut triangles) {
                return Err(self.fault(line, cause));
            }
            start = end;
        }
        Ok(TriangleMesh::new(self.vertices, triangles)?)
    }

    /// Leaves out the vertices that are not `kept`, and the polygons with such a corner; the others are renumbered.
    fn leave_out_vertices(&mut self, kept: impl Fn(&Point3<f64>) -> bool, corrections: &Corrections) {
        for (index, point) in self.vertices.iter().enumerate().filter(|(_, point)| !kept(point)) {
            let found = || format!("vertex {index} is not finite: ({}, {}, {})", point.x, point.y, point.z);
            let place = self.not_finite.binary_search_by_key(&index, |&(index, _)| index);
            corrections.add(place.ok().map(|place| self.not_finite[place].1), "vertex", "left out", found);
        }
        let mut numbers = 0..;
        let renumbered: Vec<Option<u32>> =
            self.vertices.iter().map(|point| kept(point).then(|| numbers.next()).flatten()).collect();
        let old = std::mem::take(self);
        self.vertices = old.vertices.into_iter().filter(kept).collect();
        let mut start = 0;
        for (end, line) in old.ends {
            let polygon = &old.corners[start..end];
            start = end;
            // An index that is out of range stays out of range, and is reported later.
            let beyond = renumbered.len() as u32;
            let corners: Option<Vec<u32>> = (polygon.iter())
                .map(|&index| renumbered.get(index as usize).map_or(Some(index.max(beyond)), |&new| new))
                .collect();
            match corners {
                Some(corners) => {
                    self.corners.extend(corners);
                    self.ends.push((self.corners.len(), line));
                }
                None => corrections
                    .add(line, "face", "left out", || "it has a corner that is not finite".to_owned()),
            }
        }
    }

    fn fault(&self, line: Option<usize>, cause: String) -> Fault {
        line.map_or_else(|| Fault::Content(cause.clone()), |line| Fault::Line(line, cause.clone()))
    }
}

/// Triangulates a polygon with valid indices, preserving its orientation.
///
/// A convex polygon becomes a fan. Any other is projected along its mean normal and triangulated by ear clipping; if rounding
/// or a self-intersection leaves no ear, the rest becomes a fan, so that the boundary of the polygon is always preserved.
///
/// Clipping an ear of a simple polygon can make ears of its two neighbours only, so that no other corner is tested again.
fn triangulate(
    vertices: &[Point3<f64>],
    polygon: &[u32],
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), String> {
    if let &[a, b, c] = polygon {
        triangles.push([a, b, c]);
        return Ok(());
    }
    let flat = flatten(vertices, polygon);
    let mut rest: Vec<usize> = (0..polygon.len()).collect();
    if !is_convex(&flat) {
        if polygon.len() > POLYGON_CORNERS {
            let count = polygon.len();
            return Err(format!(
                "the polygon is not convex and has {count} corners, at most {POLYGON_CORNERS} are accepted"
            ));
        }
        let mut ears: Vec<bool> = (0..rest.len()).map(|position| is_ear(&flat, &rest, position)).collect();
        while rest.len() > 3 {
            // Only a polygon that is self-intersecting, or so to within rounding, has no ear.
            let Some(ear) = ears.iter().position(|&is_ear| is_ear) else { break };
            let [before, after] = neighbours(&rest, ear);
            triangles.push([before, rest[ear], after].map(|i| polygon[i]));
            rest.remove(ear);
            ears.remove(ear);
            for neighbour in [ear + rest.len() - 1, ear].map(|position| position % rest.len()) {
                ears[neighbour] = is_ear(&flat, &rest, neighbour);
            }
        }
    }
    triangles.extend((1..rest.len() - 1).map(|i| [rest[0], rest[i], rest[i + 1]].map(|i| polygon[i])));
    Ok(())
}

/// The polygon projected to the plane of its mean normal (Newell), counter-clockwise.
fn flatten(vertices: &[Point3<f64>], polygon: &[u32]) -> Vec<Vector2<f64>> {
    let corners: Vec<_> =
        // Relative to the first corner, so that products of large coordinates lose no digits.
        polygon.iter().map(|&i| vertices[i as usize] - vertices[polygon[0] as usize]).collect();
    let normal: Vector3<f64> =
        (0..corners.len()).map(|i| corners[i].cross(&corners[(i + 1) % corners.len()])).sum();
    // The axis of the smallest component is farthest from parallel to the normal.
    let min = normal.iamin();
    let across = normal.cross(&Vector3::ith(min, 1.0));
    let along = normal.cross(&across);
    let scale = across.norm().max(f64::MIN_POSITIVE);
    let (u, v) = (across / scale, along / along.norm().max(f64::MIN_POSITIVE));
    corners.iter().map(|corner| Vector2::new(corner.dot(&u), corner.dot(&v))).collect()
}

/// Twice the signed area of a triangle: positive if it is counter-clockwise.
fn orientation(a: Vector2<f64>, b: Vector2<f64>, c: Vector2<f64>) -> f64 {
    (b - a).perp(&(c - b))
}

fn is_convex(flat: &[Vector2<f64>]) -> bool {
    let count = flat.len();
    let is_locally_convex =
        (0..count).all(|i| orientation(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) >= 0.0);
    // The exterior angles of a convex polygon add up to 2π; a polygon that winds around several times has a multiple of it.
    let total: f64 = (0..count)
        .map(|i| [flat[(i + 1) % count] - flat[i], flat[(i + 2) % count] - flat[(i + 1) % count]])
        .map(|[here, next]| here.perp(&next).atan2(here.dot(&next)))
        .sum();
    is_locally_convex && total < 1.5 * std::f64::consts::TAU
}

fn neighbours(rest: &[usize], position: usize) -> [usize; 2] {
    let count = rest.len();
    [rest[(position + count - 1) % count], rest[(position + 1) % count]]
}

/// Whether the corner at the position is convex and no other corner is in its triangle.
fn is_ear(flat: &[Vector2<f64>], rest: &[usize], position: usize) -> bool {
    let corner = rest[position];
    let [before, after] = neighbours(rest, position);
    let (a, b, c) = (flat[before], flat[corner], flat[after]);
    let contains = |p: Vector2<f64>| {
        orientation(a, b, p) >= 0.0 && orientation(b, c, p) >= 0.0 && orientation(c, a, p) >= 0.0
    };
    let is_empty = (rest.iter())
        .filter(|&&other| other != before && other != corner && other != after)
        // A corner that coincides with one of the three, as at a bridge to a hole, does not count.
        .filter(|&&other| ![a, b, c].contains(&flat[other]))
        .all(|&other| !contains(flat[other]));
    orientation(a, b, c) > 0.0 && is_empty
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area_vector(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> (Vector3<f64>, f64) {
        let areas = triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|i| points[i as usize]);
            0.5 * (b - a).cross(&(c - a))
        });
        areas.fold((Vector3::zeros(), 0.0), |(sum, total), area| (sum + area, total + area.norm()))
    }

    fn check(outline: &[[f64; 2]], area: f64) {
        // Tilted out of every coordinate plane.
        let tilt = nalgebra::Rotation3::from_euler_angles(0.7, -0.4, 1.9);
        let points: Vec<_> = outline.iter().map(|&[x, y]| tilt * Point3::new(x, y, 0.3)).collect();
        let mut triangles = Vec::new();
        let polygon: Vec<_> = (0..points.len() as u32).collect();
        triangulate(&points, &polygon, &mut triangles).unwrap();
        assert_eq!(triangles.len(), outline.len() - 2);
        let (sum, total) = area_vector(&points, &triangles);
        // The areas add up, and all triangles have the same orientation.
        assert!((sum - tilt * Vector3::z() * area).norm() < 1e-12, "area {} is not {area}", sum.norm());
        assert!((total - area).abs() < 1e-12, "total {total} is not {area}");
    }

    #[test]
    fn convex_concave_and_spiral_polygons_are_covered_once() {
        check(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]], 2.0);
        check(&[[0.0, 0.0], [2.0, 0.0], [0.2, 0.2], [0.0, 2.0]], 0.4);
        check(&[[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]], 5.0);
        check(
            &[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [3.0, 4.0], [3.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]],
            10.0,
        );
    }

    #[test]
    fn a_hole_joined_by_a_bridge_stays_open() {
        let outline = [
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 3.0],
            [0.0, 3.0],
            [0.0, 0.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [2.0, 2.0],
            [2.0, 1.0],
            [1.0, 1.0],
        ];
        check(&outline, 8.0);
    }
}
