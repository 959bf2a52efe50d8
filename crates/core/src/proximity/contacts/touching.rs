//! Filter of pairs of triangles by their features: a vertex over a face, or two edges that cross, within the gaps of a query and
//! with normals that both can have.
//!
//! Eight pairs of features are tested at once, in single precision, and conservatively: lengths are relaxed by the rounding of
//! coordinates, directions by that of unit vectors. A pair of triangles that is excluded has no contact, so that the contacts are
//! those of a search without this filter, bit for bit. The admitted ones are tested by the conditions of [`Opposed`] as well.
//!
//! | here  | meaning                                                                                                  |
//! |-------|----------------------------------------------------------------------------------------------------------|
//! | d     | vector from a face or an edge of A to a feature of B [m, frame of B]                                      |
//! | n     | normal of a face, or e × f of two edges along the unit vectors e and f; L is its length                   |
//! | R     | distance of the middles of two edges above which they are apart [m]                                       |

use std::sync::atomic::{AtomicUsize, Ordering};

use super::cone_tree::Placement;
use super::features::{FeatureQuery, PARALLEL, VALLEY};
use super::leaf_features::{Edge, Faces, LeafFeatures, Vertex};
use super::opposed::Opposed;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::packet::{NONE, PACKET, above, below};
use crate::bvh::tree::Subtree;
use crate::proximity::collision::PairFilter;

/// Lanes of a vector.
const LANES: usize = 8;
/// Maximum number of vertices of a leaf, and of edges: all corners of its triangles.
const MAX: usize = 3 * PACKET;
/// Rounding of a cosine in single precision; more only admits more pairs.
const COSINE_ROUNDING: f32 = 2e-6;
/// Rounding of the products of e × f with unit vectors, absolute, and with other vectors, relative to their length.
const CROSS_ROUNDING: f32 = 4e-6;
/// Growth of lengths for the rounding of their sums, relative.
const GROWTH: f64 = 1.0 + 1e-5;

/// Three coordinates, each of eight features.
type Vectors<S> = [S; 3];

/// Ranges of a query, rounded outwards [m].
#[derive(Debug, Clone, Copy)]
struct Ranges {
    min: f32,
    max: f32,
    /// Extension of faces and edges beyond valleys.
    valley: f32,
    /// Maximum magnitude of a gap, plus twice that extension.
    apart: f32,
    rounding: f32,
}

/// Admits pairs of triangles of which some features can touch at the present pose.
#[derive(Clone)]
pub(super) struct Touching<'a> {
    opposed: Opposed<'a>,
    features: [&'a LeafFeatures; 2],
    a_to_b: Placement,
    ranges: Ranges,
    leaf: PreparedFeatures,
    /// Pairs of leaves that were visited, on all threads, and their maximum number.
    visited: &'a AtomicUsize,
    limit: usize,
}

/// Features of a leaf of A in the frame of B, side by side.
#[derive(Clone)]
struct PreparedFeatures {
    leaf: u32,
    /// The four faces twice.
    faces: LaneFaces,
    /// Two vertices, each four times.
    vertices: [LaneVertices; MAX / 2],
    /// Number of vertices, and the lanes of their triangles.
    vertex_count: usize,
    lanes_of_vertices: [u32; MAX],
    edges: [LaneEdges; 2],
    edge_count: usize,
    lanes_of_edges: [u32; 2 * LANES],
}

#[derive(Clone, Copy)]
struct LaneFaces {
    normal: [[f32; LANES]; 3],
    center: [[f32; LANES]; 3],
    reach: [f32; LANES],
}

#[derive(Clone, Copy)]
struct LaneVertices {
    position: [[f32; LANES]; 3],
    axis: [[f32; LANES]; 3],
    cosine: [f32; LANES],
}

#[derive(Clone, Copy)]
struct LaneEdges {
    middle: [[f32; LANES]; 3],
    direction: [[f32; LANES]; 3],
    axis: [[f32; LANES]; 3],
    half: [f32; LANES],
    cosine: [f32; LANES],
}

impl PreparedFeatures {
    const EMPTY: Self = Self {
        leaf: NONE,
        faces: LaneFaces { normal: [[0.0; LANES]; 3], center: [[0.0; LANES]; 3], reach: [0.0; LANES] },
        vertices: [LaneVertices {
            position: [[0.0; LANES]; 3],
            axis: [[0.0; LANES]; 3],
            cosine: [0.0; LANES],
        }; MAX / 2],
        vertex_count: 0,
        lanes_of_vertices: [0; MAX],
        edges: [LaneEdges {
            middle: [[0.0; LANES]; 3],
            direction: [[0.0; LANES]; 3],
            axis: [[0.0; LANES]; 3],
            half: [0.0; LANES],
            cosine: [0.0; LANES],
        }; 2],
        edge_count: 0,
        lanes_of_edges: [0; 2 * LANES],
    };

    #[inline(always)]
    fn set_faces(&mut self, faces: &Faces, placement: &Placement, ranges: &Ranges) {
        for lane in 0..PACKET {
            let center = [faces.center[0][lane], faces.center[1][lane], faces.center[2][lane]];
            let normal = [faces.normal[0][lane], faces.normal[1][lane], faces.normal[2][lane]];
            let (center, normal) = (placement.moved(center), placement.rotated(normal));
            for k in 0..3 {
                (self.faces.center[k][lane], self.faces.center[k][lane + PACKET]) = (center[k], center[k]);
                (self.faces.normal[k][lane], self.faces.normal[k][lane + PACKET]) = (normal[k], normal[k]);
            }
            let reach = faces.radius[lane] + faces.stretch[lane] * ranges.valley + ranges.rounding;
            (self.faces.reach[lane], self.faces.reach[lane + PACKET]) = (reach, reach);
        }
    }

    #[inline(always)]
    fn set_vertices(&mut self, vertices: &[Vertex], placement: &Placement) {
        self.vertex_count = vertices.len();
        for (index, vertex) in vertices.iter().enumerate() {
            let (position, axis) = (placement.moved(vertex.position), placement.rotated(vertex.axis));
            let (lanes, first) = (&mut self.vertices[index / 2], PACKET * (index % 2));
            for lane in first..first + PACKET {
                for k in 0..3 {
                    (lanes.position[k][lane], lanes.axis[k][lane]) = (position[k], axis[k]);
                }
                lanes.cosine[lane] = vertex.cosine;
            }
            self.lanes_of_vertices[index] = vertex.lane;
        }
    }

    #[inline(always)]
    fn set_edges(&mut self, edges: &[Edge], placement: &Placement) {
        self.edge_count = edges.len();
        for (index, edge) in edges.iter().enumerate() {
            let (middle, axis) = (placement.moved(edge.middle), placement.rotated(edge.axis));
            let direction = placement.rotated(edge.direction);
            let (lanes, lane) = (&mut self.edges[index / LANES], index % LANES);
            for k in 0..3 {
                (lanes.middle[k][lane], lanes.axis[k][lane]) = (middle[k], axis[k]);
                lanes.direction[k][lane] = direction[k];
            }
            (lanes.half[lane], lanes.cosine[lane]) = (edge.half, edge.cosine);
            self.lanes_of_edges[index] = edge.lane;
        }
    }
}

impl<'a> Touching<'a> {
    /// The filter of a query by features, for at most `limit` pairs of leaves.
    pub(super) fn new(
        opposed: Opposed<'a>,
        query: &FeatureQuery,
        (visited, limit): (&'a AtomicUsize, usize),
    ) -> Self {
        let (a_to_b, rounding) = (opposed.a_to_b(), f64::from(opposed.a_to_b().length_rounding()));
        let valley = f64::max(0.0, VALLEY * query.max);
        let reach = query.max.max(-query.min);
        let ranges = Ranges {
            min: below(query.min - rounding),
            max: above(query.max + rounding),
            valley: above(valley * GROWTH),
            apart: above((reach + 2.0 * valley + rounding) * GROWTH),
            rounding: above(rounding),
        };
        let leaf = PreparedFeatures::EMPTY;
        Self { features: opposed.features(), opposed, a_to_b, ranges, leaf, visited, limit }
    }

    #[inline(always)]
    fn prepare(&mut self, leaf: u32) {
        if self.leaf.leaf == leaf {
            return;
        }
        self.leaf.leaf = leaf;
        let features = self.features[0];
        self.leaf.set_faces(&features.faces[leaf as usize], &self.a_to_b, &self.ranges);
        self.leaf.set_vertices(features.vertices(leaf), &self.a_to_b);
        self.leaf.set_edges(features.edges(leaf), &self.a_to_b);
    }

    /// Adds the pairs of a triangle of A that owns a vertex, and a triangle of B.
    #[inline(always)]
    fn add_vertices_of_a<I: Isa>(&self, faces: &Faces, admitted: &mut [u32; PACKET]) {
        if self.leaf.vertex_count == 0 {
            return;
        }
        let (repeat, single) = (I::Single::repeat, I::Single::splat);
        let normal = [repeat(&faces.normal[0]), repeat(&faces.normal[1]), repeat(&faces.normal[2])];
        let center = [repeat(&faces.center[0]), repeat(&faces.center[1]), repeat(&faces.center[2])];
        let reach = repeat(&faces.radius)
            + repeat(&faces.stretch) * single(self.ranges.valley)
            + single(self.ranges.rounding);
        for first in (0..self.leaf.vertex_count).step_by(2) {
            let lanes = &self.leaf.vertices[first / 2];
            let (position, axis) = (vectors::<I>(&lanes.position), vectors::<I>(&lanes.axis));
            let cosine = I::Single::load(&lanes.cosine);
            let bits = over::<I>(&self.ranges, (&center, &normal, reach), (&position, &axis, cosine));
            admitted[self.leaf.lanes_of_vertices[first] as usize] |= bits & 15;
            if first + 1 < self.leaf.vertex_count {
                admitted[self.leaf.lanes_of_vertices[first + 1] as usize] |= bits >> PACKET;
            }
        }
    }

    /// Adds the pairs of a triangle of A, and one of B that owns a vertex.
    #[inline(always)]
    fn add_vertices_of_b<I: Isa>(&self, vertices: &[Vertex], admitted: &mut [u32; PACKET]) {
        let faces = &self.leaf.faces;
        let (normal, center) = (vectors::<I>(&faces.normal), vectors::<I>(&faces.center));
        let reach = I::Single::load(&faces.reach);
        for pair in vertices.chunks(2) {
            let (first, last) = (&pair[0], &pair[pair.len() - 1]);
            let position = [
                both::<I>(first.position[0], last.position[0]),
                both::<I>(first.position[1], last.position[1]),
                both::<I>(first.position[2], last.position[2]),
            ];
            let axis = [
                both::<I>(first.axis[0], last.axis[0]),
                both::<I>(first.axis[1], last.axis[1]),
                both::<I>(first.axis[2], last.axis[2]),
            ];
            let cosine = both::<I>(first.cosine, last.cosine);
            let mut bits = over::<I>(&self.ranges, (&center, &normal, reach), (&position, &axis, cosine));
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let vertex = if bit < PACKET { first } else { last };
                admitted[bit % PACKET] |= 1 << vertex.lane;
            }
        }
    }

    /// Adds the pairs of triangles that own edges.
    #[inline(always)]
    fn add_edges<I: Isa>(&self, edges: &[Edge], admitted: &mut [u32; PACKET]) {
        for first in (0..self.leaf.edge_count).step_by(LANES) {
            let lanes = &self.leaf.edges[first / LANES];
            let filled = (1 << (self.leaf.edge_count - first).min(LANES)) - 1;
            for edge in edges {
                let mut bits = filled & crossing::<I>(&self.ranges, lanes, edge);
                while bits != 0 {
                    let lane = first + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    admitted[self.leaf.lanes_of_edges[lane] as usize] |= 1 << edge.lane;
                }
            }
        }
    }
}

impl PairFilter for Touching<'_> {
    #[inline(always)]
    fn children_of_a<I: Isa>(&self, node: u32, of_b: Subtree) -> u32 {
        self.opposed.children_of_a::<I>(node, of_b)
    }

    #[inline(always)]
    fn children_of_b<I: Isa>(&self, node: u32, of_a: Subtree) -> u32 {
        self.opposed.children_of_b::<I>(node, of_a)
    }

    #[inline(always)]
    fn triangles<I: Isa>(&mut self, leaf_of_a: u32, leaf_of_b: u32) -> [u32; PACKET] {
        self.visited.fetch_add(1, Ordering::Relaxed);
        self.prepare(leaf_of_a);
        let mut admitted = [0; PACKET];
        let of_b = self.features[1];
        self.add_vertices_of_a::<I>(&of_b.faces[leaf_of_b as usize], &mut admitted);
        self.add_vertices_of_b::<I>(of_b.vertices(leaf_of_b), &mut admitted);
        self.add_edges::<I>(of_b.edges(leaf_of_b), &mut admitted);
        for lane in 0..PACKET {
            if admitted[lane] != 0 {
                admitted[lane] &= self.opposed.triangles_of(leaf_of_a, lane, leaf_of_b);
            }
        }
        admitted
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        self.visited.load(Ordering::Relaxed) > self.limit
    }
}

#[inline(always)]
fn vectors<I: Isa>(v: &[[f32; LANES]; 3]) -> Vectors<I::Single> {
    [I::Single::load(&v[0]), I::Single::load(&v[1]), I::Single::load(&v[2])]
}

#[inline(always)]
fn splat<I: Isa>(v: &[f32; 3]) -> Vectors<I::Single> {
    [I::Single::splat(v[0]), I::Single::splat(v[1]), I::Single::splat(v[2])]
}

/// One number in the first four lanes, another in the others.
#[inline(always)]
fn both<I: Isa>(a: f32, b: f32) -> I::Single {
    I::Single::load(&[a, a, a, a, b, b, b, b])
}

#[inline(always)]
fn difference<S: Single>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Single>(a: &Vectors<S>, b: &Vectors<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<S: Single>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Bits of the lanes in which a vertex can touch a face: its height is within the gaps, its foot point within the circle around
/// the face, and the reversed normal of the face within the cone of the vertex.
#[inline(always)]
fn over<I: Isa>(
    ranges: &Ranges,
    (center, normal, reach): (&Vectors<I::Single>, &Vectors<I::Single>, I::Single),
    (position, axis, cosine): (&Vectors<I::Single>, &Vectors<I::Single>, I::Single),
) -> u32 {
    let single = I::Single::splat;
    let d = difference(position, center);
    let height = dot(&d, normal);
    let in_range = single(ranges.min).less_or_equal(height) & height.less_or_equal(single(ranges.max));
    // By components, without the cancellation of d·d − height².
    let beside = [d[0] - normal[0] * height, d[1] - normal[1] * height, d[2] - normal[2] * height];
    let above_face = dot(&beside, &beside).less_or_equal(reach * reach);
    let against = cosine + dot(axis, normal);
    let in_cone = against.less_or_equal(single(COSINE_ROUNDING));
    (in_range & above_face & in_cone).bits()
}

/// Bits of the edges of A that can touch an edge of B: the points where the lines are closest are on both edges, at a distance
/// within the gaps, along a direction that is in the cone of one and opposite to one in the cone of the other.
#[inline(always)]
fn crossing<I: Isa>(ranges: &Ranges, a: &LaneEdges, b: &Edge) -> u32 {
    let single = I::Single::splat;
    let (e, f) = (vectors::<I>(&a.direction), splat::<I>(&b.direction));
    let d = difference(&splat::<I>(&b.middle), &vectors::<I>(&a.middle));
    let half = [I::Single::load(&a.half), single(b.half)];
    let far = half[0] + half[1] + single(ranges.apart);
    let near = dot(&d, &d).less_or_equal(far * far);
    let n = cross(&e, &f);
    let square = dot(&n, &n);
    let crossed = single(NOT_PARALLEL).less_or_equal(square);
    let length = square.sqrt();
    // The normal is n or −n, from A to B.
    let of_a = dot(&n, &vectors::<I>(&a.axis));
    let of_b = dot(&n, &splat::<I>(&b.axis));
    let rounding = single(CROSS_ROUNDING);
    let min_of_a = length * I::Single::load(&a.cosine) - rounding;
    let min_of_b = length * single(b.cosine) - rounding;
    let zero = single(0.0);
    let gap = dot(&d, &n);
    let slack = rounding * far;
    let (min, max) = (length * single(ranges.min) - slack, length * single(ranges.max) + slack);
    let along = min_of_a.less_or_equal(of_a)
        & min_of_b.less_or_equal(zero - of_b)
        & min.less_or_equal(gap)
        & gap.less_or_equal(max);
    let against = min_of_a.less_or_equal(zero - of_a)
        & min_of_b.less_or_equal(of_b)
        & min.less_or_equal(zero - gap)
        & (zero - gap).less_or_equal(max);
    let bits = (near & crossed).bits() & (along.bits() | against.bits());
    if bits == 0 {
        return 0;
    }
    let valley = single(ranges.valley);
    let slack = length * single(ranges.rounding) + slack;
    let on_a = dot(&cross(&d, &f), &n).abs().less_or_equal((half[0] + valley) * square + slack);
    let on_b = dot(&cross(&d, &e), &n).abs().less_or_equal((half[1] + valley) * square + slack);
    bits & (on_a & on_b).bits()
}

/// Square of the sine of the angle between two edges below which they have no common normal, less its rounding.
const NOT_PARALLEL: f32 = (PARALLEL * PARALLEL - 1e-5) as f32;
