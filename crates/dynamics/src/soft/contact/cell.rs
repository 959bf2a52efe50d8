//! The deformed distance field inside a tetrahedron: d̃(m) = Σ uᵢ dᵢ with u the barycentric coordinates of m in the deformed
//! element [Fisher01 §5.1.1].
//!
//! With hᵢ = ∂uᵢ/∂m: g = ∂d̃/∂m = Σ dᵢ hᵢ and ∂d̃/∂nᵢ = −uᵢ g, so the five forces sum to zero and, because m = Σ uᵢ nᵢ,
//! so do their moments.
//!
//! Departs from [Fisher01]: where all nodes of an edge or a face lie on the surface and it itself does not, that field would be
//! zero on it: inside thin parts and along the rims of a block nothing would push. An element with such a part is subdivided at
//! the midpoints of its edges, of its faces and of itself, which have depths of their own: those at rest where the linear field
//! fails, else its values. With the coordinates in ascending order, u_a ≤ u_b ≤ u_c ≤ u_d,
//! d̃ = 4 u_a V + 3 (u_b − u_a) F + 2 (u_c − u_b) E + (u_d − u_c) N with V at the centroid, F on face bcd, E on edge cd and N at d:
//! linear in each of the 24 orders (a barycentric subdivision), continuous, the same from both sides of a face, zero on the surface.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use extricate_core::geometry::tet_mesh::{TET_EDGES, TET_FACES};

/// Six times the volume over the cube of the longest edge at corner 0 below which a deformed tetrahedron has no field:
/// its gradient is of the order of its depth over its height. Inverted ones have none either: their field would pull
/// inwards. Smaller: single contacts in elements that an impact has crushed carry forces beyond any balance, and steps stall; larger: bodies that are pressed
/// flat are entered (docs/sensitivity.md).
const FLAT: f64 = 1e-3;

/// Barycentric coordinate below zero up to which a point does not count as beyond a face: rounding must exclude nothing that counts as
/// inside. A safeguard, far above the rounding.
const CLEAR: f64 = 1e-9;

/// Ascending orders of the four coordinates; each is a part of a subdivided tetrahedron in which the field is linear.
const ORDERS: [[usize; 4]; 24] = orders();

const fn orders() -> [[usize; 4]; 24] {
    let mut all = [[0; 4]; 24];
    let (mut count, mut code) = (0, 0);
    while code < 256 {
        let order = [code >> 6, (code >> 4) & 3, (code >> 2) & 3, code & 3];
        if (1 << order[0]) | (1 << order[1]) | (1 << order[2]) | (1 << order[3]) == 15 {
            all[count] = order;
            count += 1;
        }
        code += 1;
    }
    all
}

/// A tetrahedron, or a part of a subdivided one, in which the field is linear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) tet: u32,
    pub(super) part: usize,
}

/// Depths of a tetrahedron's nodes [m], and of its midpoints where it is subdivided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Depths {
    pub(super) nodes: [f64; 4],
    pub(super) midpoints: Option<Box<MidpointDepths>>,
}

/// Depths [m] at the midpoints of a tetrahedron's edges and faces, in the order of `TET_EDGES` and `TET_FACES`, and at its centroid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct MidpointDepths {
    /// Midpoints that have a depth of their own, one bit each: edges, then faces. The others interpolate their nodes.
    pub(super) own: u16,
    pub(super) edges: [f64; 6],
    pub(super) faces: [f64; 4],
    pub(super) inside: f64,
}

impl Depths {
    /// Maximum [m].
    pub(super) fn max(&self) -> f64 {
        let midpoints = self.midpoints.iter();
        let midpoints = midpoints.flat_map(|of| of.edges.iter().chain(&of.faces).chain([&of.inside]));
        self.nodes.iter().chain(midpoints).copied().fold(0.0, f64::max)
    }

    /// Values of the linear field of part `part` at the four nodes: its extension over the whole tetrahedron.
    pub(super) fn of_part(&self, part: usize) -> [f64; 4] {
        let Some(midpoints) = &self.midpoints else { return self.nodes };
        let [a, b, c, d] = ORDERS[part];
        let edge = TET_EDGES.iter().position(|pair| pair.contains(&c) && pair.contains(&d));
        let on_edge = 2.0 * midpoints.edges[edge.expect("any two corners have an edge")];
        let on_face = 3.0 * midpoints.faces[a];
        let mut values = [0.0; 4];
        values[a] = 4.0 * midpoints.inside - on_face;
        values[b] = on_face - on_edge;
        values[c] = on_edge - self.nodes[d];
        values[d] = self.nodes[d];
        values
    }

    /// The part that contains the point with barycentric coordinates `u`.
    pub(super) fn part(&self, u: &[f64; 4]) -> usize {
        let ascends = |order: &[usize; 4]| order.is_sorted_by(|&a, &b| u[a] <= u[b]);
        if self.midpoints.is_none() { 0 } else { ORDERS.iter().position(ascends).unwrap_or(0) }
    }

    /// Depths with the nodes' `depth` and, where the tetrahedron is subdivided, those `at` the midpoints: at the mean of some of
    /// its `corners`, which are given in ascending order so that elements that share an edge or a face compute the same bits.
    pub(super) fn anew(
        &self,
        corners: &[u32; 4],
        depth: impl Fn(u32) -> f64,
        at: impl Fn(&[u32]) -> f64,
    ) -> Self {
        let nodes = corners.map(&depth);
        let midpoints = self.midpoints.as_ref().map(|old| {
            let of = |places: &[usize], bit: usize| {
                let mut some: Vec<u32> = places.iter().map(|&i| corners[i]).collect();
                some.sort_unstable();
                if old.own >> bit & 1 == 1 {
                    at(&some)
                } else {
                    some.iter().map(|&i| depth(i)).sum::<f64>() / some.len() as f64
                }
            };
            let mut all = *corners;
            all.sort_unstable();
            Box::new(MidpointDepths {
                own: old.own,
                edges: std::array::from_fn(|e| of(&TET_EDGES[e], e)),
                faces: std::array::from_fn(|f| of(&TET_FACES[f], TET_EDGES.len() + f)),
                inside: at(&all),
            })
        });
        Self { nodes, midpoints }
    }

    /// Number of parts.
    pub(super) fn part_count(&self) -> usize {
        if self.midpoints.is_none() { 1 } else { ORDERS.len() }
    }

    /// Four quantities, linear in `u`, that are at or above zero inside part `part`.
    pub(super) fn sides(&self, part: usize, u: &[f64; 4]) -> [f64; 4] {
        if self.midpoints.is_none() {
            return *u;
        }
        let [a, b, c, d] = ORDERS[part].map(|i| u[i]);
        [a, b - a, c - b, d - c]
    }
}

/// A deformed tetrahedron: its first corner and the gradients of the barycentric coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    origin: Vector3<f64>,
    /// Gradients hᵢ of the barycentric coordinates [1/m].
    pub(super) slopes: [Vector3<f64>; 4],
}

impl Shape {
    /// The shape of the tetrahedron with these corners, `None` where it is flat or inverted.
    pub(super) fn of(corners: &[Vector3<f64>; 4]) -> Option<Self> {
        let [a, b, c, d] = *corners;
        let (ab, ac, ad) = (b - a, c - a, d - a);
        let volume = ab.dot(&ac.cross(&ad));
        let longest = ab.norm_squared().max(ac.norm_squared()).max(ad.norm_squared());
        if !(volume > FLAT * longest * longest.sqrt()) {
            return None;
        }
        let [h1, h2, h3] = [ac.cross(&ad) / volume, ad.cross(&ab) / volume, ab.cross(&ac) / volume];
        Some(Self { origin: a, slopes: [-(h1 + h2 + h3), h1, h2, h3] })
    }

    /// Barycentric coordinates u of a point [Fisher01 §5.1.1].
    pub(super) fn coordinates(&self, point: &Vector3<f64>) -> [f64; 4] {
        let from = point - self.origin;
        let [u1, u2, u3] = [1, 2, 3].map(|i: usize| self.slopes[i].dot(&from));
        [1.0 - u1 - u2 - u3, u1, u2, u3]
    }

    /// Gradient g = ∂d̃/∂m = Σ dᵢ hᵢ for node values `depths`.
    pub(super) fn gradient(&self, depths: &[f64; 4]) -> Vector3<f64> {
        self.slopes.iter().zip(depths).map(|(h, d)| *d * h).sum()
    }
}

/// Whether all `points` are beyond the plane of one face of the tetrahedron with these corners by more than `by` [m]: then nothing
/// between them is inside, nor gets there before something has moved by half of it.
pub(super) fn are_beyond_a_face(points: &[Vector3<f64>], corners: &[Vector3<f64>; 4], by: f64) -> bool {
    (0..4).any(|apex| {
        let [a, b, c] = [1, 2, 3].map(|next| corners[(apex + next) % 4]);
        let normal = (b - a).cross(&(c - a));
        let height = normal.dot(&(corners[apex] - a));
        let sign = if height > 0.0 { -1.0 } else { 1.0 };
        let beyond = points.iter().map(|point| sign * normal.dot(&(point - a))).fold(f64::INFINITY, f64::min);
        let clear = beyond - CLEAR * height.abs();
        clear > 0.0 && clear * clear > by * by * normal.norm_squared()
    })
}

/// Interpolated depth d̃ = Σ uᵢ dᵢ for coordinates `u` and node values `depths` [m] [Fisher01 §5.1.1].
pub(super) fn value(u: &[f64; 4], depths: &[f64; 4]) -> f64 {
    u.iter().zip(depths).map(|(u, d)| u * d).sum()
}
