//! Faces, vertices and edges of the leaves of a tree that can be contact features, in single precision and side by side.
//!
//! A search visits far more pairs of triangles than touch: those of two leaves that are near and have opposite normals. Most are
//! excluded by a test of their features one by one, each with its own cone of normals, which is far narrower than that of its
//! triangle.
//!
//! | here  | meaning                                                                                                  |
//! |-------|----------------------------------------------------------------------------------------------------------|
//! | ρ     | radius of a circle around a face, in its plane [m]                                                        |
//! | σ     | maximum distance from a face of a point beyond its valleys, over the distance from those [1]               |
//! | α     | half angle of the cone of normals of a vertex or an edge                                                  |

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use super::features::{owned_edges, owned_vertices};
use super::normal_cone::NormalCone;
use crate::bvh::lanes::prefetch;
use crate::bvh::packet::{PACKET, Packet, above};

/// Coordinate of a lane without a face [m]: beyond reach, and with a square that is finite.
const NOWHERE: f32 = 1e18;
/// Maximum σ that is computed with; faces with more are unbounded.
const MAX_STRETCH: f64 = 1e6;
/// Growth of lengths for the rounding of their products in single precision, relative.
const GROWTH: f64 = 1.0 + 1e-5;
/// Widening of cones for the rounding of single precision [rad]; more only admits more pairs.
const ROUNDING: f64 = 1e-5;

/// Features of all leaves of a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct LeafFeatures {
    pub(super) faces: Vec<Faces>,
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
    /// First vertex and first edge of each leaf, and the numbers of all.
    starts: Vec<[u32; 2]>,
}

/// The faces of a leaf [m, frame of the tree].
#[derive(Debug, Clone, Copy)]
pub(super) struct Faces {
    pub(super) normal: [[f32; PACKET]; 3],
    pub(super) center: [[f32; PACKET]; 3],
    /// ρ [m].
    pub(super) radius: [f32; PACKET],
    /// σ.
    pub(super) stretch: [f32; PACKET],
}

/// A vertex that a triangle of a leaf owns, with its cone of normals.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    pub(super) position: [f32; 3],
    pub(super) axis: [f32; 3],
    /// Cosine of α.
    pub(super) cosine: f32,
    /// Lane of the triangle.
    pub(super) lane: u32,
}

/// An edge that a triangle of a leaf owns, with its cone of normals.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Edge {
    pub(super) middle: [f32; 3],
    /// Unit vector along it.
    pub(super) direction: [f32; 3],
    pub(super) axis: [f32; 3],
    /// Half its length [m].
    pub(super) half: f32,
    /// Cosine of α.
    pub(super) cosine: f32,
    /// Lane of the triangle.
    pub(super) lane: u32,
}

/// Cones of normals of a triangle: of its face, its corners and its edges, of those that it owns and that have any.
pub(super) type TriangleCones = [Option<NormalCone>; 7];

impl LeafFeatures {
    /// Appends the features of the next leaf of a tree about `origin` [m, body frame].
    pub(super) fn push(
        &mut self,
        packet: &Packet,
        (adjacency, origin): (&Adjacency, &Point3<f64>),
        cones: &[TriangleCones; PACKET],
    ) {
        if self.starts.is_empty() {
            self.starts.push([0; 2]);
        }
        let mut faces = Faces::NONE;
        for (lane, triangle) in packet.lanes() {
            let corners = adjacency.triangle(triangle).map(|corner| corner - origin);
            let valleys = std::array::from_fn(|k| adjacency.is_valley(triangle, k));
            faces.set(lane, &corners, &adjacency.normal(triangle), valleys);
            let (owned, lane_number) = (adjacency.owned(triangle), lane as u32);
            for k in owned_vertices(owned) {
                let Some(cone) = cones[lane][1 + k] else { continue };
                let (axis, cosine) = single(&cone);
                self.vertices.push(Vertex { position: narrow(&corners[k]), axis, cosine, lane: lane_number });
            }
            for k in owned_edges(owned) {
                let Some(cone) = cones[lane][4 + k] else { continue };
                let (axis, cosine) = single(&cone);
                let ([from, to], lane) = ([corners[k], corners[(k + 1) % 3]], lane_number);
                let along = to - from;
                self.edges.push(Edge {
                    middle: narrow(&(0.5 * (from + to))),
                    direction: narrow(&along.normalize()),
                    axis,
                    half: above(0.5 * along.norm() * GROWTH),
                    cosine,
                    lane,
                });
            }
        }
        self.faces.push(faces);
        self.starts.push([self.vertices.len() as u32, self.edges.len() as u32]);
    }

    pub(super) fn vertices(&self, leaf: u32) -> &[Vertex] {
        let leaf = leaf as usize;
        &self.vertices[self.starts[leaf][0] as usize..self.starts[leaf + 1][0] as usize]
    }

    pub(super) fn edges(&self, leaf: u32) -> &[Edge] {
        let leaf = leaf as usize;
        &self.edges[self.starts[leaf][1] as usize..self.starts[leaf + 1][1] as usize]
    }

    /// Begins to load the features of a leaf.
    #[inline(always)]
    pub(super) fn prefetch(&self, leaf: u32) {
        prefetch(&self.faces[leaf as usize]);
        self.vertices(leaf).first().into_iter().for_each(prefetch);
        self.edges(leaf).iter().for_each(prefetch);
    }

    /// Memory in bytes.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.faces)
            + size_of_val(&*self.vertices)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.starts)
    }
}

impl Faces {
    pub(super) const NONE: Self = Self {
        normal: [[0.0; PACKET]; 3],
        center: [[NOWHERE; PACKET]; 3],
        radius: [0.0; PACKET],
        stretch: [0.0; PACKET],
    };

    fn set(&mut self, lane: usize, corners: &[Vector3<f64>; 3], normal: &Vector3<f64>, valleys: [bool; 3]) {
        let (center, radius) = circle_around(corners);
        for k in 0..3 {
            (self.normal[k][lane], self.center[k][lane]) = (normal[k] as f32, center[k] as f32);
        }
        let stretch = stretch(corners, valleys);
        // Also where it is not a number.
        (self.radius[lane], self.stretch[lane]) = if stretch <= MAX_STRETCH {
            (above(radius * GROWTH), above(stretch * GROWTH))
        } else {
            (NOWHERE, 0.0)
        };
    }
}

/// Axis, and cosine of the half angle, of a cone in single precision.
fn single(cone: &NormalCone) -> ([f32; 3], f32) {
    (narrow(&cone.axis), (cone.half_angle + ROUNDING).min(PI).cos() as f32)
}

fn narrow(v: &Vector3<f64>) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Centre and radius of the smallest circle around a triangle, in its plane.
fn circle_around(corners: &[Vector3<f64>; 3]) -> (Vector3<f64>, f64) {
    let farthest = |center: &Vector3<f64>| corners.iter().map(|x| (x - center).norm()).fold(0.0, f64::max);
    let square = |k: usize| (corners[(k + 1) % 3] - corners[k]).norm_squared();
    let longest = (0..3).max_by(|&i, &j| square(i).total_cmp(&square(j))).unwrap_or(0);
    let (from, to) = (corners[longest], corners[(longest + 1) % 3]);
    let middle = 0.5 * (from + to);
    let apex = corners[(longest + 2) % 3] - middle;
    if apex.norm_squared() <= 0.25 * square(longest) {
        return (middle, farthest(&middle));
    }
    // Acute: along the perpendicular bisector of the longest edge within the plane.
    let along = (to - from).normalize();
    let across = apex - along * apex.dot(&along);
    let height = across.norm();
    let center = middle + across / height * ((apex.norm_squared() - 0.25 * square(longest)) / (2.0 * height));
    (center, farthest(&center))
}

/// σ: a point that is at most δ beyond each valley is at most σ δ from the triangle, which is at its corners.
fn stretch(corners: &[Vector3<f64>; 3], valleys: [bool; 3]) -> f64 {
    let mut max: f64 = if valleys == [false; 3] { 0.0 } else { 1.0 };
    for k in 0..3 {
        let (onward, back) = (corners[(k + 1) % 3] - corners[k], corners[(k + 2) % 3] - corners[k]);
        let angle = f64::atan2(onward.cross(&back).norm(), onward.dot(&back));
        // Both edges of the corner moved by δ, or one of them.
        let stretch = match [valleys[k], valleys[(k + 2) % 3]] {
            [false, false] => 0.0,
            [true, true] => 1.0 / (0.5 * angle).sin(),
            _ => 1.0 / angle.sin(),
        };
        max = if stretch <= max { max } else { stretch };
    }
    max
}
