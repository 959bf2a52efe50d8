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
use super::normal_cone::Sides;
use super::opposed::Opposed;
use crate::bvh::lanes::isa::{Isa, Mask, Single};
use crate::bvh::node::Child;
use crate::bvh::packet::{NONE, PACKET, above, below};
use crate::bvh::tree::Subtree;
use crate::proximity::overlap::PairFilter;

/// Lanes of a vector.
const LANES: usize = 8;
/// Maximum number of vertices of a leaf, and of edges: all corners of its triangles.
const MAX: usize = 3 * PACKET;
/// Number of leaves that are kept prepared: those that a query visits in turn, and few enough for the fastest caches.
const SLOTS: usize = 32;
/// Slot without a leaf.
const EMPTY: u8 = u8::MAX;
/// Rounding of a cosine in single precision; more only admits more pairs.
const COSINE_ROUNDING: f32 = 2e-6;
/// Rounding of the products of e × f with unit vectors, absolute, and with other vectors, relative to their length.
const CROSS_ROUNDING: f32 = 4e-6;
/// Rounding of the places where two lines are closest, times the square of the sine of their angle, relative to the distance of
/// the middles: five products of numbers that round by less than 2e-6.
const PLACE_ROUNDING: f32 = 1e-5;
/// Growth of lengths for the rounding of their sums, relative.
const GROWTH: f64 = 1.0 + 1e-5;

/// Three coordinates, each of eight features.
type Vectors<S> = [S; 3];

/// Ranges of a query, rounded outwards [m].
#[derive(Debug, Clone, Copy)]
struct Ranges {
    min: f32,
    max: f32,
    /// Minimum height over a face of A and of B: the gap has the other sign where both sides of the face can be touched.
    min_height: [f32; 2],
    /// Whether the cones of A and of B are double cones.
    is_double: [bool; 2],
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
    prepared: PreparedLeaves,
    /// Pairs of leaves that were visited, on all threads, and their maximum number.
    visited: &'a AtomicUsize,
    limit: usize,
}

/// The last leaves of A that were visited, in the frame of B. Most are visited several times, with others in between.
#[derive(Clone)]
struct PreparedLeaves {
    /// Index of the leaf whose number has these last digits.
    places: [u8; SLOTS],
    leaves: Vec<PreparedFeatures>,
}

/// Features of a leaf of A in the frame of B.
#[derive(Clone)]
struct PreparedFeatures {
    leaf: u32,
    faces: Faces,
    vertices: [Vertex; MAX],
    vertex_count: usize,
    /// Side by side.
    edges: [LaneEdges; 2],
    edge_count: usize,
    lanes_of_edges: [u32; 2 * LANES],
}

#[derive(Clone, Copy)]
struct LaneEdges {
    middle: [[f32; LANES]; 3],
    direction: [[f32; LANES]; 3],
    axis: [[f32; LANES]; 3],
    half: [f32; LANES],
    cosine: [f32; LANES],
}

impl PreparedLeaves {
    const fn new() -> Self {
        Self { places: [EMPTY; SLOTS], leaves: Vec::new() }
    }

    /// Place of a leaf among the prepared ones, and whether it is one of them already.
    #[inline(always)]
    fn place(&mut self, leaf: u32) -> (usize, bool) {
        let place = &mut self.places[leaf as usize % SLOTS];
        if *place != EMPTY {
            let place = usize::from(*place);
            return (place, self.leaves[place].leaf == leaf);
        }
        *place = self.leaves.len() as u8;
        self.leaves.push(PreparedFeatures::EMPTY);
        (self.leaves.len() - 1, false)
    }
}

impl PreparedFeatures {
    const EMPTY: Self = Self {
        leaf: NONE,
        faces: Faces::NONE,
        vertices: [Vertex { position: [0.0; 3], axis: [0.0; 3], cosine: 0.0, lane: 0 }; MAX],
        vertex_count: 0,
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
    fn set_faces(&mut self, faces: &Faces, placement: &Placement) {
        for lane in 0..PACKET {
            let center = [faces.center[0][lane], faces.center[1][lane], faces.center[2][lane]];
            let normal = [faces.normal[0][lane], faces.normal[1][lane], faces.normal[2][lane]];
            let (center, normal) = (placement.moved(center), placement.rotated(normal));
            for k in 0..3 {
                (self.faces.center[k][lane], self.faces.normal[k][lane]) = (center[k], normal[k]);
            }
        }
        (self.faces.radius, self.faces.stretch) = (faces.radius, faces.stretch);
    }

    #[inline(always)]
    fn set_vertices(&mut self, vertices: &[Vertex], placement: &Placement) {
        self.vertex_count = vertices.len();
        for (prepared, vertex) in self.vertices.iter_mut().zip(vertices) {
            let (position, axis) = (placement.moved(vertex.position), placement.rotated(vertex.axis));
            *prepared = Vertex { position, axis, ..*vertex };
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
        let is_double = opposed.sides().map(|sides| sides == Sides::Both);
        let min_height = |is_double: bool| if is_double { query.min.min(-query.max) } else { query.min };
        let ranges = Ranges {
            min: below(query.min - rounding),
            min_height: is_double.map(|is_double| below(min_height(is_double) - rounding)),
            is_double,
            max: above(query.max + rounding),
            valley: above(valley * GROWTH),
            apart: above((reach + 2.0 * valley + rounding) * GROWTH),
            rounding: above(rounding),
        };
        let prepared = PreparedLeaves::new();
        Self { features: opposed.features(), opposed, a_to_b, ranges, prepared, visited, limit }
    }

    /// The features of a leaf of A in the frame of B.
    #[inline(always)]
    fn prepare(&mut self, leaf: u32) -> &PreparedFeatures {
        let (place, is_prepared) = self.prepared.place(leaf);
        let prepared = &mut self.prepared.leaves[place];
        if !is_prepared {
            let features = self.features[0];
            prepared.leaf = leaf;
            prepared.set_faces(&features.faces[leaf as usize], &self.a_to_b);
            prepared.set_vertices(features.vertices(leaf), &self.a_to_b);
            prepared.set_edges(features.edges(leaf), &self.a_to_b);
        }
        prepared
    }
}

/// Calls a function with the lane of each face, of A (`side` 0) or B, and the lane of the triangle of each vertex that can touch.
#[inline(always)]
fn for_vertices_over<I: Isa>(
    (ranges, side): (&Ranges, usize),
    faces: &Faces,
    vertices: &[Vertex],
    mut add: impl FnMut(usize, usize),
) {
    if vertices.is_empty() {
        return;
    }
    let (repeat, single) = (I::Single::repeat, I::Single::splat);
    let normal = [repeat(&faces.normal[0]), repeat(&faces.normal[1]), repeat(&faces.normal[2])];
    let center = [repeat(&faces.center[0]), repeat(&faces.center[1]), repeat(&faces.center[2])];
    let reach =
        repeat(&faces.radius) + repeat(&faces.stretch) * single(ranges.valley) + single(ranges.rounding);
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
        let mut bits = over::<I>((ranges, side), (&center, &normal, reach), (&position, &axis, cosine));
        while bits != 0 {
            let bit = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let vertex = if bit < PACKET { first } else { last };
            add(bit % PACKET, vertex.lane as usize);
        }
    }
}

/// Adds the pairs of triangles that own edges.
#[inline(always)]
fn add_edges<I: Isa>(ranges: &Ranges, of_a: &PreparedFeatures, edges: &[Edge], admitted: &mut [u32; PACKET]) {
    for first in (0..of_a.edge_count).step_by(LANES) {
        let lanes = &of_a.edges[first / LANES];
        let filled = (1 << (of_a.edge_count - first).min(LANES)) - 1;
        for edge in edges {
            let mut bits = crossing::<I>(ranges, (lanes, filled), edge);
            while bits != 0 {
                let lane = first + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                admitted[of_a.lanes_of_edges[lane] as usize] |= 1 << edge.lane;
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
    fn prefetch_of_a(&self, child: Child) {
        self.opposed.prefetch(0, child);
    }

    #[inline(always)]
    fn prefetch_of_b(&self, child: Child) {
        self.opposed.prefetch(1, child);
    }

    #[inline(always)]
    fn triangles<I: Isa>(&mut self, leaf_of_a: u32, leaf_of_b: u32) -> [u32; PACKET] {
        self.visited.fetch_add(1, Ordering::Relaxed);
        let (ranges, of_b) = (self.ranges, self.features[1]);
        let of_a = self.prepare(leaf_of_a);
        let mut admitted = [0; PACKET];
        let (faces, vertices) = (&of_b.faces[leaf_of_b as usize], of_b.vertices(leaf_of_b));
        for_vertices_over::<I>((&ranges, 1), faces, &of_a.vertices[..of_a.vertex_count], |face, vertex| {
            admitted[vertex] |= 1 << face;
        });
        for_vertices_over::<I>((&ranges, 0), &of_a.faces, vertices, |face, vertex| {
            admitted[face] |= 1 << vertex;
        });
        add_edges::<I>(&ranges, of_a, of_b.edges(leaf_of_b), &mut admitted);
        if admitted == [0; PACKET] {
            return admitted;
        }
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

/// Component along the axis of a cone of a normal and of its opposite, given that of the normal. A double cone has both ends.
#[inline(always)]
fn ends<S: Single>(along: S, is_double: bool) -> [S; 2] {
    if is_double { [along.abs(); 2] } else { [along, S::splat(0.0) - along] }
}

#[inline(always)]
fn cross<S: Single>(a: &Vectors<S>, b: &Vectors<S>) -> Vectors<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Bits of the lanes in which a vertex can touch a face: its height is within the gaps, its foot point within the circle around
/// the face, and the reversed normal of the face within the cone of the vertex.
#[inline(always)]
fn over<I: Isa>(
    (ranges, side): (&Ranges, usize),
    (center, normal, reach): (&Vectors<I::Single>, &Vectors<I::Single>, I::Single),
    (position, axis, cosine): (&Vectors<I::Single>, &Vectors<I::Single>, I::Single),
) -> u32 {
    let single = I::Single::splat;
    let d = difference(position, center);
    let height = dot(&d, normal);
    let min = single(ranges.min_height[side]);
    let in_range = min.less_or_equal(height) & height.less_or_equal(single(ranges.max));
    // By components, without the cancellation of d·d − height².
    let beside = [d[0] - normal[0] * height, d[1] - normal[1] * height, d[2] - normal[2] * height];
    let above_face = dot(&beside, &beside).less_or_equal(reach * reach);
    let along = dot(axis, normal);
    let along = if ranges.is_double == [false; 2] { along } else { single(0.0) - along.abs() };
    let in_cone = (cosine + along).less_or_equal(single(COSINE_ROUNDING));
    (in_range & above_face & in_cone).bits()
}

/// Bits of the edges of A, of those that are `filled`, that can touch an edge of B: the points where the lines are closest are on
/// both edges, at a distance within the gaps, along a direction that is in the cone of one and opposite to one in the cone of the
/// other.
///
/// With c = e·f, these points are (d·e − c d·f) / (1 − c²) and (c d·e − d·f) / (1 − c²) from the middles.
#[inline(always)]
fn crossing<I: Isa>(ranges: &Ranges, (a, filled): (&LaneEdges, u32), b: &Edge) -> u32 {
    let single = I::Single::splat;
    let (e, f) = (vectors::<I>(&a.direction), splat::<I>(&b.direction));
    let d = difference(&splat::<I>(&b.middle), &vectors::<I>(&a.middle));
    let half = [I::Single::load(&a.half), single(b.half)];
    let far = half[0] + half[1] + single(ranges.apart);
    let near = dot(&d, &d).less_or_equal(far * far);
    let (cosine, along) = (dot(&e, &f), [dot(&d, &e), dot(&d, &f)]);
    let square = single(1.0) - cosine * cosine;
    let valley = single(ranges.valley);
    let slack = single(PLACE_ROUNDING) * far + single(2.0 * ranges.rounding);
    let on_a = (along[0] - cosine * along[1]).abs().less_or_equal((half[0] + valley) * square + slack);
    let on_b = (cosine * along[0] - along[1]).abs().less_or_equal((half[1] + valley) * square + slack);
    let bits = filled & (near & on_a & on_b).bits();
    if bits == 0 {
        return 0;
    }
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
    let of_a = ends(of_a, ranges.is_double[0]);
    let of_b = ends(of_b, ranges.is_double[1]);
    let along = min_of_a.less_or_equal(of_a[0])
        & min_of_b.less_or_equal(of_b[1])
        & min.less_or_equal(gap)
        & gap.less_or_equal(max);
    let against = min_of_a.less_or_equal(of_a[1])
        & min_of_b.less_or_equal(of_b[0])
        & min.less_or_equal(zero - gap)
        & (zero - gap).less_or_equal(max);
    bits & crossed.bits() & (along.bits() | against.bits())
}

/// Square of the sine of the angle between two edges below which they have no common normal, less its rounding.
const NOT_PARALLEL: f32 = (PARALLEL * PARALLEL - 1e-5) as f32;
