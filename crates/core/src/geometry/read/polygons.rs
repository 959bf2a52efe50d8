//! Polygons read from a file, on their way to a triangle mesh.

use nalgebra::{Point3, Vector2, Vector3};

use super::error::Fault;
use crate::geometry::limits::POLYGON_CORNERS;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Vertices and polygons of a file.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    pub(super) vertices: Vec<Point3<f64>>,
    corners: Vec<u32>,
    /// Where the corners of each polygon end, and its line in a text file.
    ends: Vec<(usize, Option<usize>)>,
}

impl Polygons {
    /// Adds a corner to the polygon that [`Polygons::close`] will finish.
    pub(super) fn corner(&mut self, index: u32) {
        self.corners.push(index);
    }

    /// Finishes a polygon; `line` is its place in a text file.
    pub(super) fn close(&mut self, line: Option<usize>) -> Result<(), Fault> {
        let start = self.ends.last().map_or(0, |&(end, _)| end);
        let count = self.corners.len() - start;
        self.ends.push((self.corners.len(), line));
        if count < 3 {
            return Err(self.fault(line, format!("the polygon has {count} corners, fewer than three")));
        }
        Ok(())
    }

    /// The mesh of all polygons, each cut into triangles.
    pub(super) fn into_mesh(self) -> Result<TriangleMesh, Fault> {
        let mut triangles = Vec::with_capacity(self.corners.len());
        let mut start = 0;
        for &(end, line) in &self.ends {
            let polygon = &self.corners[start..end];
            if let Some(&index) = polygon.iter().find(|&&index| index as usize >= self.vertices.len()) {
                let count = self.vertices.len();
                let cause =
                    format!("a corner names vertex {index}, but there are only {count} vertices (0-based)");
                return Err(self.fault(line, cause));
            }
            if let Err(cause) = triangulate(&self.vertices, polygon, &mut triangles) {
                return Err(self.fault(line, cause));
            }
            start = end;
        }
        Ok(TriangleMesh::new(self.vertices, triangles)?)
    }

    fn fault(&self, line: Option<usize>, cause: String) -> Fault {
        line.map_or_else(|| Fault::Content(cause.clone()), |line| Fault::Line(line, cause.clone()))
    }
}

/// Cuts a polygon with valid indices into triangles of the same orientation.
///
/// A convex polygon becomes a fan. Any other is projected along its mean normal and its ears are clipped; where
/// rounding or a crossing leaves no ear, the rest becomes a fan, so that the border of the polygon is always kept.
///
/// Cutting off an ear may make ears of its two neighbours, and of no other corner of a polygon that does not cross
/// itself, so that only those are looked at again.
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
                "the polygon is not convex, and its {count} corners are more than the {POLYGON_CORNERS} that are cut"
            ));
        }
        let mut ears: Vec<bool> = (0..rest.len()).map(|position| is_ear(&flat, &rest, position)).collect();
        while rest.len() > 3 {
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

/// The polygon in the plane of its mean normal (Newell), counter-clockwise.
fn flatten(vertices: &[Point3<f64>], polygon: &[u32]) -> Vec<Vector2<f64>> {
    let corners: Vec<_> =
        polygon.iter().map(|&i| vertices[i as usize] - vertices[polygon[0] as usize]).collect();
    let normal: Vector3<f64> =
        (0..corners.len()).map(|i| corners[i].cross(&corners[(i + 1) % corners.len()])).sum();
    let least = normal.iamin();
    let across = normal.cross(&Vector3::ith(least, 1.0));
    let along = normal.cross(&across);
    let scale = across.norm().max(f64::MIN_POSITIVE);
    let (u, v) = (across / scale, along / along.norm().max(f64::MIN_POSITIVE));
    corners.iter().map(|corner| Vector2::new(corner.dot(&u), corner.dot(&v))).collect()
}

fn turn(a: Vector2<f64>, b: Vector2<f64>, c: Vector2<f64>) -> f64 {
    (b - a).perp(&(c - b))
}

fn is_convex(flat: &[Vector2<f64>]) -> bool {
    let count = flat.len();
    let turns_left = (0..count).all(|i| turn(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) >= 0.0);
    // All turns to the left add up to one turn, unless the polygon winds around more than once.
    let total: f64 = (0..count)
        .map(|i| [flat[(i + 1) % count] - flat[i], flat[(i + 2) % count] - flat[(i + 1) % count]])
        .map(|[here, next]| here.perp(&next).atan2(here.dot(&next)))
        .sum();
    turns_left && total < 1.5 * std::f64::consts::TAU
}

fn neighbours(rest: &[usize], position: usize) -> [usize; 2] {
    let count = rest.len();
    [rest[(position + count - 1) % count], rest[(position + 1) % count]]
}

/// Whether the corner at the position turns left and no other corner lies in its triangle.
fn is_ear(flat: &[Vector2<f64>], rest: &[usize], position: usize) -> bool {
    let corner = rest[position];
    let [before, after] = neighbours(rest, position);
    let (a, b, c) = (flat[before], flat[corner], flat[after]);
    let contains = |p: Vector2<f64>| turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    let is_empty = (rest.iter())
        .filter(|&&other| other != before && other != corner && other != after)
        // A corner that coincides with one of the three, as at a bridge to a hole, does not block.
        .filter(|&&other| ![a, b, c].contains(&flat[other]))
        .all(|&other| !contains(flat[other]));
    turn(a, b, c) > 0.0 && is_empty
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
        // The areas add up, and no triangle is turned against the others.
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
