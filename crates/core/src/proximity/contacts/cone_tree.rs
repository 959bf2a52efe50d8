//! Normal cones of all triangles and subtrees of a mesh: where two meshes can touch, seen by normals and directions.
//!
//! The cone of a triangle bounds the normals of all contacts that a search attributes to it: its own normal, and those of the
//! vertices and edges that it owns. The cone of a subtree bounds those of its triangles. Two subtrees can hold a contact
//! only if a direction of one cone is opposite to a direction of the other, and if the line between the witness points
//! has a direction of both [JC01]. Of surfaces that face each other at a distance the first leaves wide strips, the second
//! only the places where the distance can have a minimum.
//!
//! | here  | meaning                                                                                                  |
//! |-------|----------------------------------------------------------------------------------------------------------|
//! | c     | vector from the centre of a ball around one subtree to that of a ball around the other                     |
//! | R     | sum of the radii of both balls, and of what witness points may be beyond them                              |
//! | a, α  | axis and half angle of a normal cone                                                                       |
//! | w     | vector between the witness points of a contact, within R of c: gap · n, with n in both cones              |
//!
//! Cones of a mesh without an outside are double ones: with a, they hold the directions about −a.

use std::f32::consts::PI;

use nalgebra::{Point3, Vector3};

use super::adjacency::Adjacency;
use super::features::{owned_edges, owned_vertices};
use super::leaf_features::{LeafFeatures, TriangleCones};
use super::normal_cone::{NormalCone, Sides};
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::lanes::prefetch;
use crate::bvh::node::{Child, WIDTH};
use crate::bvh::packet::{Bounds, PACKET, Packet, above};
use crate::bvh::tree::Subtree;
use crate::geometry::Solidity;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Widening of cones for the rounding of single precision [rad]; more only admits more pairs.
const ROUNDING: f64 = 1e-5;
/// Rounding of a cosine in single precision; more only admits more pairs.
const COSINE_ROUNDING: f32 = 1e-6;
/// Rounding of a length in single precision, relative to the sizes that enter; more only admits more pairs.
const LENGTH_ROUNDING: f64 = 4e-6;

/// Normal cones of the triangles and subtrees of a mesh, in the order of its tree, and balls around them; single precision,
/// rounded outwards.
#[derive(Debug, Clone)]
pub struct ConeTree {
    nodes: Vec<Cones<WIDTH>>,
    packets: Vec<Cones<PACKET>>,
    /// Radius of the whole tree about its centre [m].
    radius: f64,
    sides: Sides,
    features: LeafFeatures,
}

/// Cones side by side, with the balls that they apply to [m, frame of the tree].
#[derive(Debug, Clone, Copy)]
struct Cones<const N: usize> {
    axis: [[f32; N]; 3],
    cosine: [f32; N],
    sine: [f32; N],
    center: [[f32; N]; 3],
    radius: [f32; N],
}

/// One cone with its ball, in the frame of the other body and reversed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opposite {
    axis: [f32; 3],
    cosine: f32,
    sine: f32,
    center: [f32; 3],
    /// Radius of the ball, and what witness points may be beyond both balls [m].
    radius: f32,
    /// Maximum depth of a contact [m].
    depth: f32,
    /// Whether it is a double cone.
    is_double: bool,
}

/// Contacts that a search may find beyond the pose that it is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// Maximum depth of a contact [m].
    pub(super) depth: f64,
    /// Distance [m] that a witness point may be beyond its triangle, or move.
    pub(super) slack: f64,
    /// Angle by which the rotation may change [rad].
    pub(super) angle: f64,
}

/// Pose of one tree in the frame of another, with a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    cosine: f32,
    sine: f32,
    slack: f32,
    depth: f32,
    length_rounding: f32,
}

impl Placement {
    /// The placement of one tree in the frame of the other one by a pose.
    pub(super) fn new(pose: &RelativePose, trees: [&ConeTree; 2], range: &Range) -> Self {
        let (sine, cosine) = range.angle.min(f64::from(PI)).sin_cos();
        let sizes = trees[0].radius + trees[1].radius + pose.translation.norm();
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| pose.rotation[(i, j)] as f32)),
            translation: std::array::from_fn(|k| pose.translation[k] as f32),
            cosine: cosine as f32,
            sine: sine as f32,
            slack: above(range.slack + LENGTH_ROUNDING * sizes),
            depth: above(range.depth),
            length_rounding: above(LENGTH_ROUNDING * sizes),
        }
    }

    /// Rounding of coordinates in the frame of the other body [m].
    pub(super) fn length_rounding(&self) -> f32 {
        self.length_rounding
    }

    /// A point in the frame of the other body.
    #[inline(always)]
    pub(super) fn moved(&self, point: [f32; 3]) -> [f32; 3] {
        let (rotated, t) = (self.rotated(point), self.translation);
        [rotated[0] + t[0], rotated[1] + t[1], rotated[2] + t[2]]
    }

    #[inline(always)]
    pub(super) fn rotated(&self, v: [f32; 3]) -> [f32; 3] {
        let mut rotated = [0.0; 3];
        for (k, row) in self.rotation.iter().enumerate() {
            rotated[k] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
        }
        rotated
    }

    /// A cone that admits every direction opposite to one of a given cone, in the frame of the other body.
    #[inline(always)]
    fn opposite<const N: usize>(&self, cones: &Cones<N>, lane: usize, sides: Sides) -> Opposite {
        let at = |vectors: &[[f32; N]; 3]| [vectors[0][lane], vectors[1][lane], vectors[2][lane]];
        let axis = self.rotated(at(&cones.axis)).map(|x| -x);
        let center = self.moved(at(&cones.center));
        let radius = cones.radius[lane] + self.slack;
        let (cosine, sine) = (cones.cosine[lane], cones.sine[lane]);
        let wide = sine * self.cosine + cosine * self.sine;
        // Beyond π the sine of the sum is negative: all directions.
        let (cosine, sine) = if wide < 0.0 || cosine <= -1.0 {
            (-1.0, 0.0)
        } else {
            (cosine * self.cosine - sine * self.sine, wide)
        };
        Opposite { axis, cosine, sine, center, radius, depth: self.depth, is_double: sides == Sides::Both }
    }
}

/// Ball [m, frame of the tree].
#[derive(Debug, Clone, Copy)]
struct Ball {
    center: Point3<f64>,
    radius: f64,
}

impl Ball {
    /// About the middle of a box, around some points.
    fn around(bounds: &Bounds, points: impl Iterator<Item = Point3<f64>>) -> Self {
        let center = Point3::from(bounds.center());
        Self { center, radius: points.map(|point| (point - center).norm()).fold(0.0, f64::max) }
    }

    /// About the middle of a box, around the box or around balls, whichever is smaller.
    fn around_balls(bounds: &Bounds, balls: impl Iterator<Item = Self>) -> Self {
        let center = Point3::from(bounds.center());
        let radius = balls.map(|ball| (ball.center - center).norm() + ball.radius).fold(0.0, f64::max);
        Self { center, radius: radius.min(Vector3::from(bounds.half_extents()).norm()) }
    }
}

impl<const N: usize> Cones<N> {
    const ALL: Self = Self {
        axis: [[0.0; N]; 3],
        cosine: [-1.0; N],
        sine: [0.0; N],
        center: [[0.0; N]; 3],
        radius: [0.0; N],
    };

    fn set_ball(&mut self, lane: usize, ball: &Ball) {
        for k in 0..3 {
            self.center[k][lane] = ball.center[k] as f32;
        }
        self.radius[lane] = above(ball.radius);
    }

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
}

impl ConeTree {
    /// The cones of a mesh, given by its adjacency, for its tree: those of a solid that is [`oriented`](Adjacency::oriented)
    /// bound outward normals, those of any other mesh normals of both sides.
    #[must_use]
    pub fn new(adjacency: &Adjacency, model: &Model) -> Self {
        let bvh = model.bvh();
        let (nodes, packets) = (bvh.inner_nodes(), bvh.packets());
        let is_solid = model.solidity() == Solidity::Solid && adjacency.oriented();
        let sides = if is_solid { Sides::Outside } else { Sides::Both };
        let mut tree = Self {
            nodes: vec![Cones::ALL; nodes.len() + 1],
            packets: vec![Cones::ALL; packets.len()],
            radius: bvh.half_diagonal(),
            sides,
            features: LeafFeatures::default(),
        };
        let mut of_packets = Vec::with_capacity(packets.len());
        for (cones, packet) in tree.packets.iter_mut().zip(packets) {
            let of_triangles = cones_of_triangles(adjacency, packet, sides);
            of_packets.push(fill_packet(cones, packet, &of_triangles, sides));
            tree.features.push(packet, (adjacency, &bvh.center()), &of_triangles);
        }
        let all = Ball { center: Point3::origin(), radius: 0.0 };
        let mut of_nodes = vec![(NormalCone::ALL, all); nodes.len()];
        // Children follow their parents.
        for index in (0..nodes.len()).rev() {
            let node = &nodes[index];
            let of_child = |lane| match node.child(lane) {
                Some(Child::Inner(child)) => Some(of_nodes[child as usize]),
                Some(Child::Leaf(packet)) => Some(of_packets[packet as usize]),
                None => None,
            };
            let children: [Option<(NormalCone, Ball)>; WIDTH] = std::array::from_fn(of_child);
            for (lane, child) in children.iter().enumerate() {
                if let Some((cone, ball)) = child {
                    tree.nodes[index].set(lane, cone);
                    tree.nodes[index].set_ball(lane, ball);
                }
            }
            let children = children.into_iter().flatten();
            let around = NormalCone::around(children.clone().map(|(cone, _)| cone), sides);
            let ball = Ball::around_balls(&node.hull(), children.map(|(_, ball)| ball));
            of_nodes[index] = (around.unwrap_or(NormalCone::ALL), ball);
        }
        // The last node holds the root.
        if let (Some(top), Some((_, ball))) = (tree.nodes.last_mut(), of_nodes.first()) {
            top.set_ball(0, ball);
        }
        tree
    }

    /// Memory in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.packets) + self.features.memory()
    }

    pub(super) fn features(&self) -> &LeafFeatures {
        &self.features
    }

    /// Sides of the mesh of which normals are bounded.
    pub(super) fn sides(&self) -> Sides {
        self.sides
    }

    /// Begins to load the cones of a node, or the features of a leaf.
    #[inline(always)]
    pub(super) fn prefetch(&self, child: Child) {
        match child {
            Child::Inner(node) => prefetch(&self.nodes[node as usize]),
            Child::Leaf(leaf) => self.features.prefetch(leaf),
        }
    }

    /// The cone of a subtree in the frame of the other body, reversed.
    #[inline(always)]
    pub(super) fn opposite(&self, subtree: Subtree, placement: &Placement) -> Opposite {
        placement.opposite(&self.nodes[subtree.index() / WIDTH], subtree.index() % WIDTH, self.sides)
    }

    /// The cone of a triangle of a packet in the frame of the other body, reversed.
    #[inline(always)]
    pub(super) fn opposite_of_triangle(&self, packet: u32, lane: usize, placement: &Placement) -> Opposite {
        placement.opposite(&self.packets[packet as usize], lane, self.sides)
    }

    /// Bits of the children of a node that can hold a contact with the subtree of another cone.
    #[inline(always)]
    pub(super) fn children_meeting<I: Isa>(&self, node: u32, other: &Opposite) -> u32 {
        let (cones, single) = (&self.nodes[node as usize], I::Single::splat);
        let load = I::Single::load;
        let (cosine, sine) = (load(&cones.cosine), load(&cones.sine));
        let axis = [load(&cones.axis[0]), load(&cones.axis[1]), load(&cones.axis[2])];
        // The sum of both angles is π or more.
        let all = cosine.less_or_equal(single(-other.cosine)).bits();
        let along = single(other.axis[0]) * axis[0]
            + single(other.axis[1]) * axis[1]
            + single(other.axis[2]) * axis[2];
        let is_double = self.sides == Sides::Both;
        let along = if is_double || other.is_double { along.abs() } else { along };
        let sum = cosine * single(other.cosine) - sine * single(other.sine);
        let meeting = all | sum.less_or_equal(along + single(COSINE_ROUNDING)).bits();
        if meeting == 0 {
            return 0;
        }
        let between = [
            single(other.center[0]) - load(&cones.center[0]),
            single(other.center[1]) - load(&cones.center[1]),
            single(other.center[2]) - load(&cones.center[2]),
        ];
        let radius = load(&cones.radius) + single(other.radius);
        let square = between[0] * between[0] + between[1] * between[1] + between[2] * between[2];
        let near = radius + single(other.depth);
        let overlapping = square.less_or_equal(near * near).bits();
        if meeting & !overlapping == 0 {
            return meeting;
        }
        let of_other = [single(other.axis[0]), single(other.axis[1]), single(other.axis[2])];
        // No closures here: they would be compiled without the instruction set, and call it operation by operation.
        let of_own = along_cone::<I>((&between, radius), &axis, [cosine, sine], is_double);
        let angle = [single(other.cosine), single(other.sine)];
        let connected = of_own & along_cone::<I>((&between, radius), &of_other, angle, other.is_double);
        meeting & (overlapping | connected)
    }

    /// Bits of the triangles of a packet that can touch the triangle of another cone.
    #[inline(always)]
    pub(super) fn triangles_meeting(&self, packet: u32, other: &Opposite) -> u32 {
        let cones = &self.packets[packet as usize];
        let is_double = self.sides == Sides::Both;
        let mut bits = 0;
        for lane in 0..PACKET {
            let axis = [cones.axis[0][lane], cones.axis[1][lane], cones.axis[2][lane]];
            let (cosine, sine) = (cones.cosine[lane], cones.sine[lane]);
            let sum = cosine * other.cosine - sine * other.sine;
            let along = dot(&other.axis, &axis);
            let along = if is_double || other.is_double { along.abs() } else { along };
            let meets = cosine <= -other.cosine || sum <= along + COSINE_ROUNDING;
            let between: [f32; 3] = std::array::from_fn(|k| other.center[k] - cones.center[k][lane]);
            let radius = cones.radius[lane] + other.radius;
            let near = radius + other.depth;
            let connected = dot(&between, &between) <= near * near
                || is_along_cone((&between, radius), &axis, [cosine, sine], is_double)
                    && is_along_cone(
                        (&between, radius),
                        &other.axis,
                        [other.cosine, other.sine],
                        other.is_double,
                    );
            bits |= u32::from(meets && connected) << lane;
        }
        bits
    }
}

#[inline(always)]
fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Bits of the lanes of which some vector within `radius` [m] of `between` is in the cone, where that is longer than it.
///
/// With φ the angle between c and the axis a, the distance of c from the cone is |c| sin(φ − α) where the cosine of φ − α
/// is positive; else the apex is the nearest point, which is farther than R.
#[inline(always)]
fn along_cone<I: Isa>(
    (between, radius): (&[I::Single; 3], I::Single),
    axis: &[I::Single; 3],
    [cosine, sine]: [I::Single; 2],
    is_double: bool,
) -> u32 {
    let zero = I::Single::splat(0.0);
    let height = between[0] * axis[0] + between[1] * axis[1] + between[2] * axis[2];
    // By components, without the cancellation of c·c − (c·a)².
    let (x, y) = (between[0] - axis[0] * height, between[1] - axis[1] * height);
    let z = between[2] - axis[2] * height;
    let beside = (x * x + y * y + z * z).sqrt();
    let height = if is_double { height.abs() } else { height };
    let across = beside * cosine - height * sine;
    let along = height * cosine + beside * sine;
    let within = across.less_or_equal(zero).bits();
    within | across.less_or_equal(radius).bits() & zero.less_or_equal(along + radius).bits()
}

/// As [`along_cone`], of one cone given by its axis, and cosine and sine of its half angle.
#[inline(always)]
fn is_along_cone(
    (between, radius): (&[f32; 3], f32),
    axis: &[f32; 3],
    [cosine, sine]: [f32; 2],
    is_double: bool,
) -> bool {
    let height = dot(between, axis);
    let part: [f32; 3] = std::array::from_fn(|k| between[k] - axis[k] * height);
    let beside = dot(&part, &part).sqrt();
    let height = if is_double { height.abs() } else { height };
    let across = beside * cosine - height * sine;
    let along = height * cosine + beside * sine;
    across <= 0.0 || across <= radius && along >= -radius
}

/// Sets the cones and balls of the triangles of a packet; returns those around them.
fn fill_packet(
    cones: &mut Cones<PACKET>,
    packet: &Packet,
    of_triangles: &[TriangleCones; PACKET],
    sides: Sides,
) -> (NormalCone, Ball) {
    let mut lanes = [None; PACKET];
    for (lane, _) in packet.lanes() {
        let of_features = of_triangles[lane].iter().copied().flatten();
        let cone = NormalCone::around(of_features, sides).unwrap_or(NormalCone::ALL);
        let corners = packet.triangle(lane).map(Point3::from);
        cones.set(lane, &cone);
        cones.set_ball(lane, &Ball::around(&Bounds::of_triangle(&corners), corners.into_iter()));
        lanes[lane] = Some(cone);
    }
    let corners = packet.lanes().flat_map(|(lane, _)| packet.triangle(lane).map(Point3::from));
    let ball = Ball::around(&packet.bounds(), corners);
    (NormalCone::around(lanes.into_iter().flatten(), sides).unwrap_or(NormalCone::ALL), ball)
}

/// Cones of the normals of the contacts that are attributed to the triangles of a packet.
fn cones_of_triangles(adjacency: &Adjacency, packet: &Packet, sides: Sides) -> [TriangleCones; PACKET] {
    let mut cones = [[None; 7]; PACKET];
    for (lane, triangle) in packet.lanes() {
        let of_triangle = &mut cones[lane];
        of_triangle[0] = Some(NormalCone::of_direction(adjacency.normal(triangle)));
        for k in owned_vertices(adjacency.owned(triangle)) {
            of_triangle[1 + k] = NormalCone::of_vertex(adjacency, adjacency.corners(triangle)[k], sides);
        }
        for k in owned_edges(adjacency.owned(triangle)) {
            let beside = adjacency.sides(adjacency.edges_of(triangle)[k]);
            of_triangle[4 + k] = Some(NormalCone::of_edge(beside));
        }
    }
    cones
}
