//! Sharp vertices of a mesh below a plane, by its tree.

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use super::near_triangles::{Region, find_near};
use crate::bvh::TriangleBvh;
use crate::bvh::node::Node;

/// Rounding of heights of boxes, over the size of their coordinates.
const ROUNDING: f64 = 1e-12;

impl Adjacency {
    /// Sharp vertices of triangles whose boxes reach below a plane: all of those below it are among them, in the order of
    /// [`Self::sharp_vertices`]. Index and position [m, body frame].
    #[must_use]
    pub fn sharp_vertices_near(
        &self,
        bvh: &TriangleBvh,
        up: &Vector3<f64>,
        height: f64,
    ) -> Vec<(u32, Point3<f64>)> {
        let below = Below { up: *up, height: height - up.dot(&bvh.center().coords) };
        let mut triangles = Vec::new();
        find_near(bvh, &below, &mut triangles);
        triangles.into_iter().flat_map(|triangle| self.sharp_corners(triangle)).collect()
    }
}

/// Points below a plane, relative to the centre of a tree.
struct Below {
    up: Vector3<f64>,
    height: f64,
}

impl Region for Below {
    #[inline(always)]
    fn meets(&self, children: &Node, lane: usize) -> bool {
        let (mut lowest, mut size) = (0.0, 0.0);
        for axis in 0..3 {
            let ends = [children.min[axis][lane], children.max[axis][lane]];
            let [a, b] = ends.map(|end| self.up[axis] * f64::from(end));
            lowest += a.min(b);
            size += a.abs().max(b.abs());
        }
        lowest <= self.height + ROUNDING * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::TriangleMesh;
    use extricate_test_support::Noise;

    #[test]
    fn all_sharp_vertices_below_a_plane_are_found() {
        let mut noise = Noise(31);
        let mut vertices = Vec::new();
        for _ in 0..400 {
            let place = noise.vector() * 0.7 + Vector3::new(5.0, -3.0, 2.0);
            vertices.extend((0..3).map(|_| Point3::from(place + noise.vector() * 0.02)));
        }
        let triangles = (0..400).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect();
        let mesh = TriangleMesh::new(vertices, triangles).unwrap();
        let (adjacency, bvh) = (Adjacency::new(&mesh), TriangleBvh::new(&mesh));
        let (mut found, mut looked) = (0, 0);
        for _ in 0..100 {
            let up = noise.direction();
            let height = up.dot(&Vector3::new(5.0, -3.0, 2.0)) + 0.9 * noise.next();
            let below = |(_, place): &(u32, Point3<f64>)| up.dot(&place.coords) <= height;
            let exact: Vec<_> = adjacency.sharp_vertices().filter(below).collect();
            let near = adjacency.sharp_vertices_near(&bvh, &up, height);
            looked += near.len();
            found += exact.len();
            assert_eq!(near.into_iter().filter(below).collect::<Vec<_>>(), exact);
        }
        // And not many more.
        assert!(found > 20_000 && looked < found + found / 4, "{found} {looked}");
    }
}
