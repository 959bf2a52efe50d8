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

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::separation::{Group, Pair};
use extricate_core::proximity::contacts::{Adjacency, FeatureFront};

/// An overlap is explained by a group of contacts if moving by their depth times this, and …
const FACTOR: f64 = 1.25;
/// … this share of the size separates it.
const SLACK: f64 = 1e-3;
/// Share of the size by which ways may differ from those of the proof.
const DRIFT: f64 = 2e-4;
/// Greatest share of the size for which a proof is made to last.
const LASTING: f64 = 3e-4;
/// Share of the size for which a proof is made to last at least.
const LITTLE: f64 = 1e-7;
/// Steps like the last one for which a proof about bodies at rest is made to last.
const STEPS: f64 = 16.0;
/// So many times the number of all pairs may be looked at as suspects before a new proof is tried.
const PATIENCE: usize = 2;
/// Rounding of gaps, relative to the lengths that enter.
const ROUNDING: f64 = 1e-12;
/// An axis shorter than this times its edges is all rounding and says nothing.
const VANISHING: f64 = 1e-12;

/// What was proved of the triangle pairs of a front.
#[derive(Debug, Clone, Default)]
pub(super) struct Explanation {
    proof: Option<Proof>,
    /// The ways that the proof needs.
    ways: Vec<Vector3<f64>>,
    /// Whether the proof needs them.
    needed: Vec<bool>,
    /// The ways of the present contacts.
    present: Vec<Vector3<f64>>,
    /// Pairs of triangles of which nothing was proved.
    suspects: Vec<[u32; 2]>,
    /// How many suspects were looked at since the proof.
    spent: usize,
}

/// What is asked and for how long a proof is to last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    /// Overlap [m] that counts as touching.
    pub(super) tolerance: f64,
    /// Motion [m] that a proof lasts if it can.
    pub(super) margin: f64,
    /// Motion [m] of the last step.
    pub(super) moved: f64,
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
    /// Whether every pair of triangles that overlaps by more than the tolerance is taken apart by one of the groups.
    pub(super) fn explains(
        &mut self,
        pair: &Pair,
        groups: &[Group],
        front: &FeatureFront,
        span: Span,
    ) -> bool {
        let size = pair.size();
        self.present.clear();
        self.present.extend(groups.iter().map(|group| way_out(group, size)));
        let Span { tolerance, margin, moved } = span;
        if !self.holds(pair, front, tolerance) {
            self.prove(pair, front, tolerance, margin.min(LASTING * size));
        } else if self.spent > PATIENCE * front.pairs().len() {
            // Bodies that have come to rest since: a proof for hardly any motion leaves few suspects.
            let little = (LITTLE * size).max(STEPS * moved);
            self.prove(pair, front, tolerance, little.min(margin).min(LASTING * size));
        }
        self.spent += self.suspects.len();
        let demand = Demand { staying: -tolerance, leaving: 0.0 };
        let placed = Placed::new(pair);
        self.suspects
            .iter()
            .all(|&triangles| Tried::new(&placed, triangles).clear(&self.present, demand).is_some())
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
        self.needed.clear();
        self.needed.resize(self.present.len(), false);
        self.spent = 0;
        self.suspects.clear();
        let placed = Placed::new(pair);
        for &triangles in front.pairs() {
            let clear = clear_of_faces(&placed, triangles, &self.present, demand)
                .or_else(|| Tried::new(&placed, triangles).clear(&self.present, demand));
            match clear {
                Some(Clear::Staying) => {}
                Some(Clear::Leaving(way)) => self.needed[way] = true,
                None => self.suspects.push(triangles),
            }
        }
        self.ways.clear();
        let needed = self.present.iter().zip(&self.needed).filter(|(_, needed)| **needed);
        self.ways.extend(needed.map(|(way, _)| way));
        let (b_to_a, gathering) = (pair.b_to_a, front.gathered());
        self.proof = Some(Proof { b_to_a, margin, tolerance, gathering });
    }
}

/// The translation of B [m], frame of A, that must separate what a group of contacts explains; for a pair of this size
/// [m].
pub(super) fn way_out(group: &Group, size: f64) -> Vector3<f64> {
    group.normal * (FACTOR * group.depth + SLACK * size)
}

/// Two meshes at a pose.
struct Placed<'a> {
    a: &'a Adjacency,
    b: &'a Adjacency,
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
}

impl<'a> Placed<'a> {
    fn new(pair: &Pair<'a>) -> Self {
        Self {
            a: &pair.a.adjacency,
            b: &pair.b.adjacency,
            rotation: pair.b_to_a.rotation.to_rotation_matrix().into_inner(),
            translation: pair.b_to_a.translation.vector,
        }
    }

    /// The corners of two triangles, in the frame of A and relative to a corner of the first.
    fn corners(&self, [i, j]: [u32; 2]) -> [[Vector3<f64>; 3]; 2] {
        let ([x, y, z], [u, v, w]) = (self.a.triangle(i), self.b.triangle(j));
        let shift = self.translation - x.coords;
        let placed = |point: Point3<f64>| self.rotation * point.coords + shift;
        [[Vector3::zeros(), y - x, z - x], [placed(u), placed(v), placed(w)]]
    }
}

/// Why two triangles are clear of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Clear {
    /// They do not intersect.
    Staying,
    /// The way of this number takes them apart.
    Leaving(usize),
}

/// Least and greatest place of three points along an axis.
fn range(corners: &[Vector3<f64>; 3], axis: &Vector3<f64>) -> [f64; 2] {
    let (x, y, z) = (corners[0].dot(axis), corners[1].dot(axis), corners[2].dot(axis));
    [x.min(y).min(z), x.max(y).max(z)]
}

/// What gaps along an axis show, in units of the axis's length: `above` from A up to B and `below` from B up to A.
fn shown(
    axis: &Vector3<f64>,
    [above, below]: [f64; 2],
    length: f64,
    ways: &[Vector3<f64>],
    demand: Demand,
) -> Option<Clear> {
    if above.max(below) > demand.staying * length {
        return Some(Clear::Staying);
    }
    for (index, way) in ways.iter().enumerate() {
        let shift = way.dot(axis);
        if (above + shift).max(below - shift) > demand.leaving * length {
            return Some(Clear::Leaving(index));
        }
    }
    None
}

/// What the planes of two triangles show: a first look that is enough for most.
fn clear_of_faces(placed: &Placed, [i, j]: [u32; 2], ways: &[Vector3<f64>], demand: Demand) -> Option<Clear> {
    let [p, q] = &placed.corners([i, j]);
    let normal = placed.a.normal(i);
    let [least, greatest] = range(q, &normal);
    shown(&normal, [least, -greatest], 1.0, ways, demand).or_else(|| {
        let normal = placed.rotation * placed.b.normal(j);
        let ([least, greatest], height) = (range(p, &normal), q[0].dot(&normal));
        shown(&normal, [height - greatest, least - height], 1.0, ways, demand)
    })
}

/// Two triangles that are looked at along every axis that could separate them.
struct Tried {
    corners: [[Vector3<f64>; 3]; 2],
    edges: [[Vector3<f64>; 3]; 2],
}

impl Tried {
    fn new(placed: &Placed, triangles: [u32; 2]) -> Self {
        let corners = placed.corners(triangles);
        let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        Self { corners, edges: [edges(&corners[0]), edges(&corners[1])] }
    }

    /// Why they are clear of each other, if they are.
    fn clear(&self, ways: &[Vector3<f64>], demand: Demand) -> Option<Clear> {
        let [e, f] = &self.edges;
        let (n, m) = (e[0].cross(&e[1]), f[0].cross(&f[1]));
        let along = |axis: Vector3<f64>, scale: f64| self.clear_along(&axis, scale, ways, demand);
        let mut clear = along(n, e[0].norm() * e[1].norm());
        clear = clear.or_else(|| along(m, f[0].norm() * f[1].norm()));
        for k in 0..9 {
            let (e, f) = (&e[k / 3], &f[k % 3]);
            clear = clear.or_else(|| along(e.cross(f), e.norm() * f.norm()));
        }
        for k in 0..3 {
            clear = clear.or_else(|| along(n.cross(&e[k]), n.norm() * e[k].norm()));
            clear = clear.or_else(|| along(m.cross(&f[k]), m.norm() * f[k].norm()));
        }
        clear
    }

    fn clear_along(
        &self,
        axis: &Vector3<f64>,
        scale: f64,
        ways: &[Vector3<f64>],
        demand: Demand,
    ) -> Option<Clear> {
        let length = axis.norm();
        // NaN says nothing either.
        if !(length > VANISHING * scale) {
            return None;
        }
        let [p_least, p_greatest] = range(&self.corners[0], axis);
        let [q_least, q_greatest] = range(&self.corners[1], axis);
        shown(axis, [q_least - p_greatest, p_least - q_greatest], length, ways, demand)
    }
}
