//! Local separation test of a pair of meshes: every pair of intersecting triangles must be separated by a translation
//! along the normal of some contact, by slightly more than the depth of that contact.
//!
//! A descent of both trees proves more than is required of most pairs of triangles: that a plane separates them at all nearby
//! poses. Of the others many are separated by a translation at all nearby poses. Only the rest, the *suspects*, are tested in
//! every step, until the motion since the last proof exceeds the margin of the proof. The result is the same as that of
//! testing every pair at the present pose.
//!
//! | here        | meaning                                                                                       |
//! |-------------|-----------------------------------------------------------------------------------------------|
//! | translation | translation of B that separates triangles [m, frame of A]                                     |
//! | gap         | width of the slab between two triangles across one axis, negative where they overlap [m]      |

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::separation::{Group, MeshPair};
use extricate_core::proximity::contacts::{Adjacency, FeatureFront};

/// Length of a separating translation over the depth of its contacts, besides [`SLACK`]: curved faces need somewhat
/// more than the depth. Much more, and shallow contacts of a thin wall pass for separating deep triangles. Half changes
/// 1 and twice 0 of 7 runs and the work by +0.19 % and < 0.1 % (docs/sensitivity.md).
const DEPTH_FACTOR: f64 = 1.25;
/// Length added to a separating translation, as a fraction of the size: triangles that overlap by less along the normal
/// count as separated by a contact that merely touches. Half and twice change none of 7 runs and the work by less than
/// 0.1 % (docs/sensitivity.md).
const SLACK: f64 = 1e-3;
/// Change of a translation since the proof, as a fraction of the size, up to which the proof remains valid. It is part
/// of the gap that a proof requires: more makes proofs last longer as depths change, and leaves more suspects. No
/// effect on the sets of docs/sensitivity.md.
const DRIFT: f64 = 2e-4;
/// Maximum motion, as a fraction of the size, for which a proof is made to hold. More makes proofs rarer and leaves
/// more suspects to be tested in every step. Half and twice change none of 7 runs and the instructions of a chain of
/// tori by +0.3 % and < 0.1 % (docs/sensitivity.md).
const MAX_PROOF_MARGIN: f64 = 3e-4;
/// Minimum motion, as a fraction of the size, for which a proof about bodies at rest is made to hold: above the jitter
/// of a resting pair. No effect on the sets of docs/sensitivity.md.
const MIN_PROOF_MARGIN: f64 = 1e-7;
/// Steps like the last one for which a proof about bodies at rest is made to hold. Fewer leave fewer suspects and need
/// proofs more often. No effect on the sets of docs/sensitivity.md.
const PROOF_STEPS: f64 = 16.0;
/// Tests of suspects since the last proof, over the pairs that the proof tested, after which a new proof is tried: the tests of
/// suspects then cost about this many times as much as the proofs. No effect on the sets of docs/sensitivity.md.
const PATIENCE: usize = 2;
/// Tests of pairs that cost as much as the descent of the trees that lists them. It changes the time only.
const DESCENT: usize = 64;
/// Rounding of gaps, relative to the lengths that enter. A safeguard against proofs that only rounding makes, without
/// effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 1e-12;
/// Length of an axis, relative to the edges that it is the product of, below which it is all rounding and separates
/// nothing. A safeguard, without effect on the sets of docs/sensitivity.md.
const VANISHING: f64 = 1e-12;

/// Local separation test of a pair of meshes, with what was proved of the triangle pairs of its front.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalSeparation {
    proof: Option<Proof>,
    /// Translations that the proof needs.
    required: Vec<Vector3<f64>>,
    /// Whether the proof needs each of the `current` translations.
    needed: Vec<bool>,
    /// Translations of the present contacts.
    current: Vec<Vector3<f64>>,
    /// Pairs of triangles that the proof had to test one by one.
    near: Vec<[u32; 2]>,
    /// Those of them of which nothing was proved.
    suspects: Vec<[u32; 2]>,
    /// Number of tests of suspects since the proof.
    tested: usize,
}

/// Tolerance of the test and the motion for which a proof is to hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestParameters {
    /// Overlap [m] that counts as touching.
    pub(super) tolerance: f64,
    /// Motion [m] for which a proof holds where possible.
    pub(super) margin: f64,
    /// Motion [m] of the last step.
    pub(super) moved: f64,
}

/// Poses for which a proof holds: those within `margin` [m] of motion from `b_to_a`.
#[derive(Debug, Clone, Copy)]
struct Proof {
    b_to_a: Isometry3<f64>,
    margin: f64,
    tolerance: f64,
}

/// Gaps along an axis above which two triangles count as separated.
#[derive(Clone, Copy)]
struct RequiredGaps {
    /// Minimum gap [m] at the pose as it is.
    in_place: f64,
    /// Minimum gap [m] after a translation.
    translated: f64,
}

impl LocalSeparation {
    /// Whether every pair of triangles that overlaps by more than the tolerance is separated by the translation of one of
    /// the groups.
    pub(super) fn test(&mut self, pair: &MeshPair, groups: &[Group], parameters: TestParameters) -> bool {
        let size = pair.size();
        self.current.clear();
        self.current.extend(groups.iter().map(|group| separating_translation(group, size)));
        let TestParameters { tolerance, margin, moved } = parameters;
        if !self.holds(pair, tolerance) {
            self.prove(pair, tolerance, margin.min(MAX_PROOF_MARGIN * size));
        } else if self.tested > PATIENCE * (self.near.len() + DESCENT) {
            // For bodies that have come to rest since: a proof for hardly any motion leaves few suspects.
            let small = (MIN_PROOF_MARGIN * size).max(PROOF_STEPS * moved);
            self.prove(pair, tolerance, small.min(margin).min(MAX_PROOF_MARGIN * size));
        }
        self.tested += self.suspects.len();
        // Without the margins of the proof: the suspects are tested at this very pose.
        let required = RequiredGaps { in_place: -tolerance, translated: 0.0 };
        let posed = PosedMeshes::new(pair);
        self.suspects.iter().all(|&triangles| {
            TrianglePairTest::new(&posed, triangles).separation(&self.current, required).is_some()
        })
    }

    /// Whether the proof is valid at the present pose and for the current translations.
    fn holds(&self, pair: &MeshPair, tolerance: f64) -> bool {
        let drift = DRIFT * pair.size();
        self.proof.is_some_and(|proof| {
            let motion = FeatureFront::motion(&pair.b.model, &proof.b_to_a, &pair.b_to_a);
            proof.tolerance.to_bits() == tolerance.to_bits() && motion <= proof.margin
        }) && self.required.iter().all(|old| self.current.iter().any(|now| (now - old).norm() <= drift))
    }

    /// Tests all pairs with gaps so wide that the result holds for a motion of `margin` [m].
    fn prove(&mut self, pair: &MeshPair, tolerance: f64, margin: f64) {
        let rounding = ROUNDING * (pair.b_to_a.translation.vector.norm() + pair.a.size() + pair.b.size());
        let in_place = margin + rounding - tolerance;
        let required = RequiredGaps { in_place, translated: margin + DRIFT * pair.size() + rounding };
        self.needed.clear();
        self.needed.resize(self.current.len(), false);
        self.tested = 0;
        self.suspects.clear();
        pair.triangle_pairs(&Vector3::zeros(), in_place, &mut self.near);
        let posed = PosedMeshes::new(pair);
        for &triangles in &self.near {
            // The two face normals separate most pairs, at a fraction of the cost of all seventeen axes.
            let separation = separated_by_faces(&posed, triangles, &self.current, required)
                .or_else(|| TrianglePairTest::new(&posed, triangles).separation(&self.current, required));
            match separation {
                Some(Separation::InPlace) => {}
                Some(Separation::By(translation)) => self.needed[translation] = true,
                None => self.suspects.push(triangles),
            }
        }
        self.required.clear();
        let needed = self.current.iter().zip(&self.needed).filter(|(_, needed)| **needed);
        self.required.extend(needed.map(|(translation, _)| translation));
        self.proof = Some(Proof { b_to_a: pair.b_to_a, margin, tolerance });
    }
}

/// Translation of B [m, frame of A] by which a group of contacts is expected to separate the triangles around it, for a
/// pair of this size [m].
pub(super) fn separating_translation(group: &Group, size: f64) -> Vector3<f64> {
    group.normal * (DEPTH_FACTOR * group.depth + SLACK * size)
}

/// Two meshes at a relative pose.
struct PosedMeshes<'a> {
    a: &'a Adjacency,
    b: &'a Adjacency,
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
}

impl<'a> PosedMeshes<'a> {
    fn new(pair: &MeshPair<'a>) -> Self {
        Self {
            a: &pair.a.adjacency,
            b: &pair.b.adjacency,
            rotation: pair.b_to_a.rotation.to_rotation_matrix().into_inner(),
            translation: pair.b_to_a.translation.vector,
        }
    }

    /// Corners of two triangles, axes of A, relative to a corner of the first: far from the origin, differences of such
    /// coordinates keep digits that absolute ones lose.
    fn corners(&self, [i, j]: [u32; 2]) -> [[Vector3<f64>; 3]; 2] {
        let ([x, y, z], [u, v, w]) = (self.a.triangle(i), self.b.triangle(j));
        let shift = self.translation - x.coords;
        let placed = |point: Point3<f64>| self.rotation * point.coords + shift;
        [[Vector3::zeros(), y - x, z - x], [placed(u), placed(v), placed(w)]]
    }
}

/// Separation of two triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Separation {
    /// They are separated as they are.
    InPlace,
    /// The translation of this index separates them.
    By(usize),
}

/// Minimum and maximum coordinate of three points along an axis.
fn range(corners: &[Vector3<f64>; 3], axis: &Vector3<f64>) -> [f64; 2] {
    let (x, y, z) = (corners[0].dot(axis), corners[1].dot(axis), corners[2].dot(axis));
    [x.min(y).min(z), x.max(y).max(z)]
}

/// Separation along an axis with gaps in units of the axis's length: `above` from A up to B and `below` from B up to A.
fn separation_along(
    axis: &Vector3<f64>,
    [above, below]: [f64; 2],
    length: f64,
    translations: &[Vector3<f64>],
    required: RequiredGaps,
) -> Option<Separation> {
    if above.max(below) > required.in_place * length {
        return Some(Separation::InPlace);
    }
    for (index, translation) in translations.iter().enumerate() {
        let shift = translation.dot(axis);
        if (above + shift).max(below - shift) > required.translated * length {
            return Some(Separation::By(index));
        }
    }
    None
}

/// Separation along one of the two face normals: a first test that is enough for most pairs.
fn separated_by_faces(
    posed: &PosedMeshes,
    [i, j]: [u32; 2],
    translations: &[Vector3<f64>],
    required: RequiredGaps,
) -> Option<Separation> {
    let [p, q] = &posed.corners([i, j]);
    let normal = posed.a.normal(i);
    let [min, max] = range(q, &normal);
    // The first triangle lies in the plane through the origin: its range along its own normal is zero.
    separation_along(&normal, [min, -max], 1.0, translations, required).or_else(|| {
        let normal = posed.rotation * posed.b.normal(j);
        let ([min, max], height) = (range(p, &normal), q[0].dot(&normal));
        separation_along(&normal, [height - max, min - height], 1.0, translations, required)
    })
}

/// Separating-axis test of two triangles: along both normals, the products of their edges, and the in-plane normals of
/// the edges, which separate coplanar triangles.
struct TrianglePairTest {
    corners: [[Vector3<f64>; 3]; 2],
    edges: [[Vector3<f64>; 3]; 2],
}

impl TrianglePairTest {
    fn new(posed: &PosedMeshes, triangles: [u32; 2]) -> Self {
        let corners = posed.corners(triangles);
        let edges = |t: &[Vector3<f64>; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
        Self { corners, edges: [edges(&corners[0]), edges(&corners[1])] }
    }

    /// Separation of the triangles, `None` where no axis separates them.
    fn separation(&self, translations: &[Vector3<f64>], required: RequiredGaps) -> Option<Separation> {
        let [e, f] = &self.edges;
        let (n, m) = (e[0].cross(&e[1]), f[0].cross(&f[1]));
        let along = |axis: Vector3<f64>, scale: f64| self.test_axis(&axis, scale, translations, required);
        let mut separation = along(n, e[0].norm() * e[1].norm());
        separation = separation.or_else(|| along(m, f[0].norm() * f[1].norm()));
        for k in 0..9 {
            let (e, f) = (&e[k / 3], &f[k % 3]);
            separation = separation.or_else(|| along(e.cross(f), e.norm() * f.norm()));
        }
        for k in 0..3 {
            separation = separation.or_else(|| along(n.cross(&e[k]), n.norm() * e[k].norm()));
            separation = separation.or_else(|| along(m.cross(&f[k]), m.norm() * f[k].norm()));
        }
        separation
    }

    fn test_axis(
        &self,
        axis: &Vector3<f64>,
        scale: f64,
        translations: &[Vector3<f64>],
        required: RequiredGaps,
    ) -> Option<Separation> {
        let length = axis.norm();
        // Negated so that an axis of NaN is rejected, too.
        if !(length > VANISHING * scale) {
            return None;
        }
        let [p_min, p_max] = range(&self.corners[0], axis);
        let [q_min, q_max] = range(&self.corners[1], axis);
        separation_along(axis, [q_min - p_max, p_min - q_max], length, translations, required)
    }
}
