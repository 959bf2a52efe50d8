//! Sharp vertices of a mesh below a plane, by its tree.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use crate::bvh::TriangleBvh;
use crate::bvh::lanes::isa::Isa;
use crate::bvh::node::{Node, WIDTH};
use crate::bvh::packet::Packet;
use crate::bvh::single::{TreeQuery, descend};

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
        let mut query =
            Below { up: *up, height: height - up.dot(&bvh.center().coords), triangles: Vec::new() };
        descend(bvh, &mut query);
        query.triangles.sort_unstable();
        query.triangles.into_iter().flat_map(|triangle| self.sharp_corners(triangle)).collect()
    }
}

/// Traversal to the triangles whose boxes reach below a plane. Boxes are relative to the centre of the tree.
struct Below {
    up: Vector3<f64>,
    height: f64,
    triangles: Vec<u32>,
}

impl TreeQuery for Below {
    #[inline(always)]
    fn costs<I: Isa>(&self, children: &Node) -> [f32; WIDTH] {
        std::array::from_fn(|lane| {
            let (mut lowest, mut size) = (0.0, 0.0);
            for axis in 0..3 {
                let ends = [children.min[axis][lane], children.max[axis][lane]];
                let [a, b] = ends.map(|end| self.up[axis] * f64::from(end));
                lowest += a.min(b);
                size += a.abs().max(b.abs());
            }
            if lowest <= self.height + ROUNDING * size { 0.0 } else { f32::INFINITY }
        })
    }

    #[inline(always)]
    fn bound(&self) -> f32 {
        0.0
    }

    #[inline(always)]
    fn leaf<I: Isa>(&mut self, packet: &Packet) -> ControlFlow<()> {
        self.triangles.extend(packet.lanes().map(|(_, triangle)| triangle));
        ControlFlow::Continue(())
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
