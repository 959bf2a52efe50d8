//! Whether the contacts of a pair of meshes explain its overlap: whether moving along the normal of some contact, by
//! a little more than its depth, takes every two triangles apart that intersect.
//!
//! What is looked at are pairs of triangles that come near each other. For most of them one look proves more than is
//! asked: a plane that stays between them, or between them after the way out, for all poses nearby. Only the others,
//! the *suspects*, are looked at in every step, until the motion since the last proof exceeds its margin. The answer
//! is the same as that of looking at every pair at the present pose.
//!
//! | here      | meaning                                                                                         |
//! |-----------|-------------------------------------------------------------------------------------------------|
//! | way       | translation of B that takes triangles apart; zero for those that do not intersect [m]           |
//! | clearance | gap of two triangles after a way, along one direction [m]                                       |

use nalgebra::{Isometry3, Point3, Vector3};

use super::separation::{Group, Pair};
use crate::proximity::contacts::FeatureFront;

/// An overlap is explained by a group of contacts if moving by their depth times this, and …
const FACTOR: f64 = 1.25;
/// … this share of the size separates it.
const SLACK: f64 = 1e-3;
/// Share of the size by which ways may differ from those of the proof.
const DRIFT: f64 = 2e-5;
/// Greatest share of the size for which a proof is made to last.
const LASTING: f64 = 3e-4;
/// Rounding of gaps, relative to the lengths that enter.
const ROUNDING: f64 = 1e-12;
/// An axis shorter than this times its edges is all rounding and says nothing.
const VANISHING: f64 = 1e-12;

/// What was proved of the triangle pairs of a front.
#[derive(Debug, Clone, Default)]
pub(super) struct Explanation {
    proof: Option<Proof>,
    /// The ways that the proof used.
    ways: Vec<Vector3<f64>>,
    /// The ways of the present contacts.
    present: Vec<Vector3<f64>>,
    /// Pairs of triangles of which nothing was proved.
    suspects: Vec<[u32; 2]>,
}

/// For which poses a proof holds.
#[derive(Debug, Clone, Copy)]
struct Proof {
    b_to_a: Isometry3<f64>,
    margin: f64,
    tolerance: f64,
    /// Which gathering of the front it was made of.
    gathering: u64,
}

/// What is to be proved of a pair of triangles.
#[derive(Clone, Copy)]
struct Demand {
    /// Least gap [m] as they are.
    staying: f64,
    /// Least gap [m] after a way.
    leaving: f64,
}

impl Explanation {
    /// Whether every pair of triangles that overlaps by more than `tolerance` [m] is taken apart by one of the groups.
    /// The proofs that this needs are made to last for a motion of `margin` [m].
    pub(super) fn explains(
        &mut self,
        pair: &Pair,
        groups: &[Group],
        front: &FeatureFront,
        [tolerance, margin]: [f64; 2],
    ) -> bool {
        let size = pair.size();
        let way = |group: &Group| group.normal * (FACTOR * group.depth + SLACK * size);
        self.present.clear();
        self.present.extend(groups.iter().map(way));
        if !self.holds(pair, front, tolerance) {
            let margin = margin.min(LASTING * size);
            self.prove(pair, front, tolerance, margin);
        }
        let demand = Demand { staying: -tolerance, leaving: 0.0 };
        self.suspects.iter().all(|&triangles| Tried::new(pair, triangles).clears(&self.present, demand))
    }

    fn holds(&self, pair: &Pair, front: &FeatureFront, tolerance: f64) -> bool {
        let drift = DRIFT * pair.size();
        self.proof.is_some_and(|proof| {
            let motion = FeatureFront::motion(&pair.b.model, &proof.b_to_a, &pair.b_to_a);
            let same =
                proof.gathering == front.gathered() && proof.tolerance.to_bits() == tolerance.to_bits();
            same && motion <= proof.margin
        }) && self.ways.iter().all(|way| self.present.iter().any(|now| (now - way).norm() <= drift))
    }

    fn prove(&mut self, pair: &Pair, front: &FeatureFront, tolerance: f64, margin: f64) {
        let rounding = ROUNDING * (pair.b_to_a.translation.vector.norm() + pair.a.size() + pair.b.size());
        let staying = margin + rounding - tolerance;
        let demand = Demand { staying, leaving: margin + DRIFT * pair.size() + rounding };
        self.ways.clone_from(&self.present);
        self.suspects.clear();
        let clear = |triangles: [u32; 2]| {
            clear_of_faces(pair, triangles, &self.ways, demand)
                || Tried::new(pair, triangles).clears(&self.ways, demand)
        };
        self.suspects.extend(front.pairs().iter().filter(|&&triangles| !clear(triangles)));
        let (b_to_a, gathering) = (pair.b_to_a, front.gathered());
        self.proof = Some(Proof { b_to_a, margin, tolerance, gathering });
    }
}

/// Whether the plane of one of two triangles already shows what is to be proved.
fn clear_of_faces(pair: &Pair, [i, j]: [u32; 2], ways: &[Vector3<f64>], demand: Demand) -> bool {
    let (a, b) = (&pair.a.adjacency, &pair.b.adjacency);
    let on_a = a.triangle(i);
    let on_b = b.triangle(j).map(|corner| pair.b_to_a * corner);
    let normals = [a.normal(i), pair.b_to_a.rotation * b.normal(j)];
    for (side, normal) in normals.iter().enumerate() {
        let (origin, corners) = if side == 0 { (on_a[0], &on_b) } else { (on_b[0], &on_a) };
        let height = |k: usize| (corners[k] - origin).dot(normal);
        let (x, y, z) = (height(0), height(1), height(2));
        let (least, greatest) = (x.min(y).min(z), x.max(y).max(z));
        if least.max(-greatest) > demand.staying {
            return true;
        }
        for way in ways {
            // The corners of B move along the way, or the plane of B does.
            let shift = if side == 0 { way.dot(normal) } else { -way.dot(normal) };
            if (least + shift).max(-greatest - shift) > demand.leaving {
                return true;
            }
        }
    }
    false
}

/// Two triangles, in the frame of A and relative to a corner of the first.
struct Tried {
    corners: [[Vector3<f64>; 3]; 2],
    edges: [[Vector3<f64>; 3]; 2],
}

impl Tried {
    fn new(pair: &Pair, [i, j]: [u32; 2]) -> Self {
        let on_a = pair.a.adjacency.triangle(i);
        let on_b = pair.b.adjacency.triangle(j).map(|corner| pair.b_to_a * corner);
        let origin = on_a[0];
        let relative = |t: [Point3<f64>; 3]| [t[0] - origin, t[1] - origin, t[2] - origin];
        let corners = [relative(on_a), relative(on_b)];
        let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        Self { corners, edges: [edges(&corners[0]), edges(&corners[1])] }
    }

    /// Whether some axis shows a gap of more than what is demanded, as they are or after one of the ways.
    fn clears(&self, ways: &[Vector3<f64>], demand: Demand) -> bool {
        let [e, f] = &self.edges;
        let (n, m) = (e[0].cross(&e[1]), f[0].cross(&f[1]));
        for (normal, edges) in [(&n, e), (&m, f)] {
            if self.clears_along(normal, edges[0].norm() * edges[1].norm(), ways, demand) {
                return true;
            }
        }
        for e in e {
            for f in f {
                if self.clears_along(&e.cross(f), e.norm() * f.norm(), ways, demand) {
                    return true;
                }
            }
        }
        for (normal, edges) in [(&n, e), (&m, f)] {
            for edge in edges {
                if self.clears_along(&normal.cross(edge), normal.norm() * edge.norm(), ways, demand) {
                    return true;
                }
            }
        }
        false
    }

    fn clears_along(&self, axis: &Vector3<f64>, scale: f64, ways: &[Vector3<f64>], demand: Demand) -> bool {
        let length = axis.norm();
        if !(length > VANISHING * scale) {
            return false;
        }
        let [p, q] = &self.corners;
        let (p0, p1, p2) = (p[0].dot(axis), p[1].dot(axis), p[2].dot(axis));
        let (q0, q1, q2) = (q[0].dot(axis), q[1].dot(axis), q[2].dot(axis));
        let above = q0.min(q1).min(q2) - p0.max(p1).max(p2);
        let below = p0.min(p1).min(p2) - q0.max(q1).max(q2);
        if above.max(below) > demand.staying * length {
            return true;
        }
        for way in ways {
            let shift = way.dot(axis);
            if (above + shift).max(below - shift) > demand.leaving * length {
                return true;
            }
        }
        false
    }
}
