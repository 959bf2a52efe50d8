//! Normal cones of all triangles and subtrees of a mesh: where two meshes can touch, seen by normals alone.
//!
//! The cone of a triangle bounds the normals of all contacts that a search attributes to it: its own normal, and those of the
//! vertices and edges that it owns. The cone of a subtree bounds those of its triangles. Two subtrees can hold a contact
//! only if a direction of one cone is opposite to a direction of the other [JC01]. On finely meshed
//! surfaces that nearly touch, that leaves a small patch of the surfaces that are near each other.

use std::f32::consts::PI;

use nalgebra::Matrix3;

use super::adjacency::Adjacency;
use super::features::{owned_edges, owned_vertices};
use super::normal_cone::NormalCone;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::PACKET;
use crate::bvh::tree::{Subtree, TriangleBvh};

/// Widening of cones for the rounding of single precision [rad]; more only admits more pairs.
const ROUNDING: f64 = 1e-5;
/// Rounding of a cosine in single precision; more only admits more pairs.
const COSINE_ROUNDING: f32 = 1e-6;

/// Normal cones of the triangles and subtrees of a mesh, in the order of its tree; single precision, rounded outwards.
#[derive(Debug, Clone)]
pub struct ConeTree {
    nodes: Vec<Cones<WIDTH>>,
    packets: Vec<Cones<PACKET>>,
}

/// Cones side by side.
#[derive(Debug, Clone, Copy)]
struct Cones<const N: usize> {
    axis: [[f32; N]; 3],
    cosine: [f32; N],
    sine: [f32; N],
}

/// One cone, in the frame of the other body and reversed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opposite {
    axis: [f32; 3],
    cosine: f32,
    sine: f32,
}

/// Rotation of one body into the frame of another, with the angle by which it may change [rad].
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisRotation {
    rotation: [[f32; 3]; 3],
    cosine: f32,
    sine: f32,
}

impl AxisRotation {
    pub(super) fn new(rotation: &Matrix3<f64>, angle: f64) -> Self {
        let (sine, cosine) = angle.min(f64::from(PI)).sin_cos();
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| rotation[(i, j)] as f32)),
            cosine: cosine as f32,
            sine: sine as f32,
        }
    }

    /// A cone that admits every direction opposite to one of the given cone, in the frame of the other body.
    #[inline(always)]
    fn opposite(&self, axis: [f32; 3], cosine: f32, sine: f32) -> Opposite {
        let mut rotated = [0.0; 3];
        for (k, row) in self.rotation.iter().enumerate() {
            rotated[k] = -(row[0] * axis[0] + row[1] * axis[1] + row[2] * axis[2]);
        }
        let wide = sine * self.cosine + cosine * self.sine;
        // Beyond π the sine of the sum is negative: all directions.
        if wide < 0.0 || cosine <= -1.0 {
            return Opposite { axis: rotated, cosine: -1.0, sine: 0.0 };
        }
        Opposite { axis: rotated, cosine: cosine * self.cosine - sine * self.sine, sine: wide }
    }
}

impl<const N: usize> Cones<N> {
    const ALL: Self = Self { axis: [[0.0; N]; 3], cosine: [-1.0; N], sine: [0.0; N] };

    fn set(&mut self, lane: usize, cone: &NormalCone) {
        let half_angle = cone.half_angle + ROUNDING;
        if half_angle >= std::f64::consts::PI {
            return;
        }
        for k in 0..3 {
            self.axis[k][lane] = cone.axis[k] as f32;
        }
        (self.cosine[lane], self.sine[lane]) = (half_angle.cos() as f32, half_angle.sin() as f32);
    }

    #[inline(always)]
    fn opposite(&self, lane: usize, rotation: &AxisRotation) -> Opposite {
        let axis = [self.axis[0][lane], self.axis[1][lane], self.axis[2][lane]];
        rotation.opposite(axis, self.cosine[lane], self.sine[lane])
    }
}

impl ConeTree {
    /// The cones of a mesh, given by its adjacency, for its tree. Those of a mesh that is not
    /// [`oriented`](Adjacency::oriented) admit all directions.
    #[must_use]
    pub fn new(adjacency: &Adjacency, bvh: &TriangleBvh) -> Self {
        let (nodes, packets) = (bvh.inner_nodes(), bvh.packets());
        let mut tree =
            Self { nodes: vec![Cones::ALL; nodes.len() + 1], packets: vec![Cones::ALL; packets.len()] };
        if !adjacency.oriented() {
            return tree;
        }
        let mut of_packets = Vec::with_capacity(packets.len());
        for (cones, packet) in tree.packets.iter_mut().zip(packets) {
            let mut lanes = [None; PACKET];
            for (lane, triangle) in packet.lanes() {
                let cone = of_triangle(adjacency, triangle);
                cones.set(lane, &cone);
                lanes[lane] = Some(cone);
            }
            of_packets.push(NormalCone::around(lanes.into_iter().flatten()).unwrap_or(NormalCone::ALL));
        }
        let mut of_nodes = vec![NormalCone::ALL; nodes.len()];
        // Children follow their parents.
        for index in (0..nodes.len()).rev() {
            let node = &nodes[index];
            let of_child = |lane| match node.child(lane) {
                Some(Child::Inner(child)) => Some(of_nodes[child as usize]),
                Some(Child::Leaf(packet)) => Some(of_packets[packet as usize]),
                None => None,
            };
            let cones: [Option<NormalCone>; WIDTH] = std::array::from_fn(of_child);
            for (lane, cone) in cones.iter().enumerate() {
                cone.iter().for_each(|cone| tree.nodes[index].set(lane, cone));
            }
            let around = NormalCone::around(cones.into_iter().flatten());
            of_nodes[index] = around.unwrap_or(NormalCone::ALL);
        }
        tree
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.packets)
    }

    /// The cone of a subtree, turned into the frame of the other body and reversed.
    #[inline(always)]
    pub(super) fn opposite(&self, subtree: Subtree, rotation: &AxisRotation) -> Opposite {
        self.nodes[subtree.index() / WIDTH].opposite(subtree.index() % WIDTH, rotation)
    }

    /// The cone of a triangle of a packet, turned into the frame of the other body and reversed.
    #[inline(always)]
    pub(super) fn opposite_of_triangle(&self, packet: u32, lane: usize, rotation: &AxisRotation) -> Opposite {
        self.packets[packet as usize].opposite(lane, rotation)
    }

    /// Bits of the children of a node whose cones meet another cone.
    #[inline(always)]
    pub(super) fn children_meeting<I: Isa>(&self, node: u32, other: &Opposite) -> u32 {
        let (cones, single) = (&self.nodes[node as usize], I::Single::splat);
        let load = I::Single::load;
        let (cosine, sine) = (load(&cones.cosine), load(&cones.sine));
        // The sum of both angles is π or more.
        let all = cosine.less_or_equal(single(-other.cosine)).bits();
        let along = single(other.axis[0]) * load(&cones.axis[0])
            + single(other.axis[1]) * load(&cones.axis[1])
            + single(other.axis[2]) * load(&cones.axis[2]);
        let sum = cosine * single(other.cosine) - sine * single(other.sine);
        all | sum.less_or_equal(along + single(COSINE_ROUNDING)).bits()
    }

    /// Bits of the triangles of a packet whose cones meet another cone.
    #[inline(always)]
    pub(super) fn triangles_meeting(&self, packet: u32, other: &Opposite) -> u32 {
        let cones = &self.packets[packet as usize];
        let mut bits = 0;
        for lane in 0..PACKET {
            let along = other.axis[0] * cones.axis[0][lane]
                + other.axis[1] * cones.axis[1][lane]
                + other.axis[2] * cones.axis[2][lane];
            let sum = cones.cosine[lane] * other.cosine - cones.sine[lane] * other.sine;
            let meets = cones.cosine[lane] <= -other.cosine || sum <= along + COSINE_ROUNDING;
            bits |= u32::from(meets) << lane;
        }
        bits
    }
}

/// Cone of all normals of the contacts that are attributed to a triangle.
fn of_triangle(adjacency: &Adjacency, triangle: u32) -> NormalCone {
    let mut cones = [None; 7];
    cones[0] = Some(NormalCone::of_direction(adjacency.normal(triangle)));
    for k in owned_vertices(adjacency.owned(triangle)) {
        cones[1 + k] = NormalCone::of_vertex(adjacency, adjacency.corners(triangle)[k]);
    }
    for k in owned_edges(adjacency.owned(triangle)) {
        cones[4 + k] = Some(NormalCone::of_edge(adjacency.sides(adjacency.edges_of(triangle)[k])));
    }
    NormalCone::around(cones.into_iter().flatten()).unwrap_or(NormalCone::ALL)
}
