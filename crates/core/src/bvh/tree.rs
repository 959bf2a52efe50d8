//! The BVH over the triangles of a mesh.

use nalgebra::{Point3, Vector3};

use super::layers::TASK;
use super::node::{Child, Node, Volume};
use super::packet::{Bounds, Packet};
use super::{build, growth, layers, node};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::parallel;

/// A bounding volume hierarchy over the triangles of a mesh that have an area.
///
/// A triangle without an area is ignored by queries: it bounds nothing, and its edges belong to its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct TriangleBvh {
    /// The last node has the root as its only child, so that every box of the tree is a lane of some node.
    pub(super) nodes: Vec<Node>,
    pub(super) packets: Vec<Packet>,
    pub(super) center: Point3<f64>,
}

/// Corners of a triangle relative to `center` [m].
pub(super) fn corners(mesh: &TriangleMesh, center: &Point3<f64>, triangle: u32) -> [Point3<f64>; 3] {
    mesh.triangle(triangle as usize).map(|p| Point3::from(p - center))
}

/// A lane of a node: a subtree with its box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subtree(u32);

impl Subtree {
    #[inline(always)]
    pub(crate) fn new(node: u32, lane: usize) -> Self {
        Self(node * 8 + lane as u32)
    }

    /// Number of the lane among all lanes of the tree.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl TriangleBvh {
    /// Builds the tree over `mesh`, with all threads of the current pool; the result does not depend on their number.
    #[must_use]
    pub fn new(mesh: &TriangleMesh) -> Self {
        let center = mesh.aabb().center();
        let corners = |triangle: u32| corners(mesh, &center, triangle);
        let degenerate = parallel::map(mesh.triangles().len(), TASK, |i| mesh.is_degenerate(i));
        let with_area = (0..).zip(degenerate).filter(|(_, is_degenerate)| !is_degenerate);
        let with_area = with_area.map(|(i, _)| i).collect::<Vec<u32>>();
        let growth::Arrays { nodes, packets } = build::build(&with_area, &corners);
        Self { nodes, packets, center }
    }

    /// Refits the boxes to a mesh with the same triangles whose vertices have moved.
    ///
    /// # Panics
    /// When the mesh has fewer triangles than the one the tree was built over.
    pub fn refit(&mut self, mesh: &TriangleMesh) {
        self.center = mesh.aabb().center();
        let center = self.center;
        parallel::for_each_mut(&mut self.packets, TASK, |_, packet| {
            packet.fill(|triangle| corners(mesh, &center, triangle));
        });
        self.fit();
    }

    /// Sets the boxes and layers from the packets.
    pub(super) fn fit(&mut self) {
        let packets = &self.packets;
        parallel::for_each_mut(&mut self.nodes, TASK, |_, node| {
            for lane in 0..node::WIDTH {
                if let Some(Child::Leaf(packet)) = node.child(lane) {
                    node.set_bounds(lane, &packets[packet as usize].bounds());
                }
            }
        });
        // Children follow their parents, except that the last node holds the root.
        let top = self.nodes.len() - 1;
        for index in (0..top).rev() {
            for lane in 0..node::WIDTH {
                if let Some(Child::Inner(child)) = self.nodes[index].child(lane) {
                    let hull = self.nodes[child as usize].hull();
                    self.nodes[index].set_bounds(lane, &hull);
                }
            }
        }
        let hull = self.nodes[0].hull();
        self.nodes[top].set_bounds(0, &hull);
        let extent = layers::fill(&mut self.nodes[..top], &self.packets);
        self.nodes[top].set_layer(0, &extent.layer(&self.packets));
    }

    /// Origin of the tree's coordinates in the body frame \[m\].
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        self.center
    }

    /// Memory in bytes, the mesh not included.
    #[must_use]
    pub fn memory(&self) -> usize {
        std::mem::size_of_val(&*self.nodes) + std::mem::size_of_val(&*self.packets)
    }

    /// The whole tree.
    #[inline(always)]
    pub(crate) fn root(&self) -> Subtree {
        Subtree::new(self.nodes.len() as u32 - 1, 0)
    }

    #[inline(always)]
    pub(crate) fn bounds(&self, subtree: Subtree) -> Bounds {
        self.nodes[(subtree.0 / 8) as usize].bounds((subtree.0 % 8) as usize)
    }

    /// The bounding volume of the subtree.
    #[inline(always)]
    pub(crate) fn volume(&self, subtree: Subtree) -> Volume {
        self.nodes[(subtree.0 / 8) as usize].volume((subtree.0 % 8) as usize)
    }

    /// The node or leaf of the subtree; `None` for an empty lane, which overlaps only a box that reaches infinity.
    #[inline(always)]
    pub(crate) fn child(&self, subtree: Subtree) -> Option<Child> {
        self.nodes[(subtree.0 / 8) as usize].child((subtree.0 % 8) as usize)
    }

    #[inline(always)]
    pub(crate) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    /// The nodes, parents before their children; the first is the root.
    pub(crate) fn inner_nodes(&self) -> &[Node] {
        &self.nodes[..self.nodes.len() - 1]
    }

    #[inline(always)]
    pub(crate) fn packet(&self, index: u32) -> &Packet {
        &self.packets[index as usize]
    }

    pub(crate) fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// Half the diagonal of the root box \[m\].
    #[must_use]
    pub fn half_diagonal(&self) -> f64 {
        Vector3::from(self.bounds(self.root()).half_extents()).norm()
    }
}
