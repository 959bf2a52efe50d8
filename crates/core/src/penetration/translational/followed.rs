//! The contacts of the last result, followed to the next pose.
//!
//! A contact is a point of A, one of B and the normal at which they touch. After a small motion the translation that brings them
//! together again, with a small gap, is most likely free and near a local optimum: a walk from there has a few contacts to find,
//! where one from the last placement has all of them. Nothing is taken on trust: the start is proved free, and the walk, the march
//! for nearer gaps and the verification are those of any other start.
//!
//! Normals are followed by half the rotation of A in the frame of B: that of a face of A would rotate with it, that of a face of B
//! not at all, that of two edges or of curved faces somewhere in between. The gap of the start covers the difference.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::lower_bound::known::displacement;
use super::walk::{ContactSpace, Optimum};
use crate::penetration::quadratic_program::in_projection::{HalfSpace, in_projection};
use crate::proximity::blocking_pairs::BlockingPairs;

/// Gaps of the starts that are tried, relative to the motion since the last query.
const GAPS: [f64; 2] = [1.0 / 16.0, 1.0 / 4.0];
/// Distance of a start from the last result, relative to that motion, beyond which it is not tried: contacts of nearly parallel
/// planes move their intersection far away, where it may lie on another side.
const NEAR: f64 = 4.0;
/// Minimum gap of a start, in clearances: a walk must be able to begin.
const MIN_GAP: f64 = 16.0;
/// Distance from the first start, in gaps, within which all pairs of leaves are found at once: the walk usually stays there.
const AROUND: f64 = 3.0;
/// Distance of the triangles of a contact at a start, in gaps, above which the contact has slid off them.
const SLID: f64 = 2.0;
/// Contacts that are stored, the first ones: a local optimum has at most three.
const MAX_CONTACTS: usize = 16;

/// The contacts of a result and the pairs that blocked all shorter translations.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Followed {
    /// Pose of A in the frame of B at the last query; `None` before the first one.
    placement: Option<Isometry3<f64>>,
    contacts: Vec<FollowedContact>,
    /// Pairs of leaves with the first contacts of the last casts.
    leaves: Vec<[u32; 2]>,
    blocking: BlockingPairs,
    /// Scratch memory.
    rows: Vec<HalfSpace>,
    /// Whether A and B are the models in the reverse order.
    is_exchanged: bool,
}

/// A contact of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FollowedContact {
    /// Its triangles.
    pair: [u32; 2],
    /// Point of A [m, frame of A's tree].
    on_a: Point3<f64>,
    /// Point of B [m, frame of B's tree].
    on_b: Point3<f64>,
    /// Unit normal, from B to A, in the frame of B.
    normal: Vector3<f64>,
}

impl Followed {
    /// Whether it is known to belong to a result.
    pub(super) fn has_result(&self) -> bool {
        self.placement.is_some()
    }

    /// Forgets the last result.
    pub(super) fn clear(&mut self) {
        self.placement = None;
        self.blocking.clear();
    }

    /// Forgets the last result unless it is that of models in this order.
    pub(super) fn set_order(&mut self, is_exchanged: bool) {
        if self.is_exchanged != is_exchanged {
            self.clear();
            self.is_exchanged = is_exchanged;
        }
    }

    /// Whether triangles intersect that blocked shorter translations at the last query.
    pub(super) fn collide(&mut self, space: &ContactSpace) -> bool {
        self.blocking.intersect(&space.obstacles)
    }

    /// Lends the blocking pairs to a search, until its result is stored.
    pub(super) fn begin(&mut self, space: &mut ContactSpace) {
        space.blocking = Some(std::mem::take(&mut self.blocking));
        let leaves = if self.has_result() { &self.leaves[..] } else { &[] };
        leaves.iter().rev().for_each(|leaves| space.obstacles.remember(*leaves));
    }

    /// Stores the contacts of a result at the pose of A in the frame of B.
    pub(super) fn remember(
        &mut self,
        space: &mut ContactSpace,
        optimum: &Optimum,
        placement: &Isometry3<f64>,
    ) {
        let to_a = space.a_to_b.inverse();
        self.placement = Some(*placement);
        self.blocking = space.blocking.take().unwrap_or_default();
        self.contacts.clear();
        let contacts = space.contacts_of(optimum).map(|(pair, [moved, on_b], normal)| FollowedContact {
            pair,
            on_a: to_a.point(&(moved - optimum.q)),
            on_b,
            normal,
        });
        self.contacts.extend(contacts.take(MAX_CONTACTS));
        self.leaves.clear();
        self.leaves.extend_from_slice(space.obstacles.recent());
    }

    /// The end of a walk from where the contacts of the last result lead, if that is near the `last` separated placement.
    pub(super) fn walk(
        &mut self,
        space: &mut ContactSpace,
        placement: &Isometry3<f64>,
        last: &Isometry3<f64>,
    ) -> Option<Optimum> {
        let before = self.placement?;
        let back = last * space.a.center() - (placement * space.a.center());
        let motion = displacement(space.a, &before, placement);
        for (attempt, gap) in GAPS.into_iter().enumerate() {
            let gap = (gap * motion).max(MIN_GAP * space.clearance());
            self.place(space, &(placement.rotation * before.rotation.inverse()), gap);
            let start = in_projection(&self.rows, &Vector3::zeros())?;
            if !((start - back).norm() <= NEAR * motion + gap) {
                return None;
            }
            if attempt == 0 {
                space.look_around(&start, AROUND * gap);
            }
            let pairs = self.contacts.iter().map(|contact| contact.pair);
            if let Some(optimum) = space.walk_if_apart(&start, (pairs, SLID * gap)) {
                return Some(optimum);
            }
        }
        None
    }

    /// Evaluates the half-spaces of the translations that leave a `gap` [m] at the contacts after a `rotation` of A in the frame
    /// of B.
    fn place(&mut self, space: &ContactSpace, rotation: &UnitQuaternion<f64>, gap: f64) {
        self.rows.clear();
        let rows = self.contacts.iter().map(|contact| {
            // Half of the rotation.
            let normal = (contact.normal + rotation * contact.normal).normalize();
            let between = contact.on_b - space.a_to_b.point(&contact.on_a);
            HalfSpace { normal, offset: normal.dot(&between) + gap }
        });
        self.rows.extend(rows);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Translation3;

    use super::super::{Effort, LowerBound, MotionCoherence, TranslationalOptions};
    use super::*;
    use crate::geometry::procedural::{BumpySphere, Cup, Procedural, Torus, TorusKnot};
    use crate::geometry::triangle_mesh::Solidity;
    use crate::penetration::{Penetration, penetration, penetration_coherent};
    use crate::proximity::collision::collide;
    use crate::proximity::model::Model;
    use extricate_test_support::Noise;

    fn options() -> TranslationalOptions {
        let lower_bound = LowerBound::Skip;
        TranslationalOptions { effort: Effort::Fast, lower_bound, ..TranslationalOptions::default() }
    }

    /// Poses of A along a random motion by a five-hundredth of its size and half a degree each, while the models overlap.
    fn motion(a: &Model, b: &Model, seed: u64) -> Vec<Isometry3<f64>> {
        let mut noise = Noise(seed);
        let shift = noise.vector().normalize() * 2e-3 * a.radius();
        let rotation = UnitQuaternion::from_scaled_axis(noise.vector().normalize() * 0.5_f64.to_radians());
        let start = noise.vector().normalize() * 0.5 * (a.radius() + b.radius());
        let mut pose = Isometry3::new(start, 2.0 * noise.vector());
        let next = || {
            pose = Isometry3::from_parts((pose.translation.vector + shift).into(), rotation * pose.rotation);
            pose
        };
        let overlap = |pose: &Isometry3<f64>| collide(a, pose, b, &Isometry3::identity());
        std::iter::repeat_with(next).take(12).take_while(overlap).collect()
    }

    fn models() -> [Model; 4] {
        let meshes = [
            BumpySphere::default().mesh(),
            Torus::default().mesh(),
            Cup::default().mesh(),
            TorusKnot::default().mesh(),
        ];
        meshes.map(|mesh| Model::new(mesh.unwrap(), Solidity::Solid))
    }

    /// Results of coherent queries along a motion.
    fn along(a: &Model, b: &Model, motion: &[Isometry3<f64>]) -> Vec<Penetration> {
        let (here, mut coherence) = (Isometry3::identity(), MotionCoherence::default());
        let mut ask = |pose: &_| penetration_coherent((a, pose), (b, &here), &options(), &mut coherence);
        motion.iter().map(|pose| ask(pose).unwrap().unwrap()).collect()
    }

    #[test]
    fn results_along_a_motion_are_free_tight_and_not_deeper_than_those_from_scratch() {
        /// Excess over the result from scratch that a local optimum may have, in each and on average.
        const EXCESS: [f64; 2] = [0.1, 0.002];
        let (models, here) = (models(), Isometry3::identity());
        let (mut excess, mut count, mut casts) = (0.0, 0, [0, 0]);
        for (i, a) in models.iter().enumerate() {
            for seed in 0..4 {
                let b = &models[(i + seed) % 4];
                let motion = motion(a, b, 100 + seed as u64);
                let found = along(a, b, &motion);
                assert_eq!(found, along(a, b, &motion));
                for (pose, found) in motion.iter().zip(&found).skip(1) {
                    let collides = |part: f64| {
                        collide(a, &(Translation3::from(found.translation * part) * pose), b, &here)
                    };
                    assert!(!collides(1.0) && collides(0.999));
                    let fresh = penetration(a, pose, b, &here, &options()).unwrap().unwrap();
                    assert!(
                        found.depth <= fresh.depth * (1.0 + EXCESS[0]),
                        "{} {}",
                        found.depth,
                        fresh.depth
                    );
                    excess += found.depth / fresh.depth - 1.0;
                    count += 1;
                    casts[0] += found.casts;
                    casts[1] += fresh.casts + fresh.marches;
                }
            }
        }
        assert!(count > 50 && excess <= EXCESS[1] * f64::from(count), "{excess} of {count}");
        // What is followed saves most of the search.
        assert!(2 * casts[0] < casts[1], "{casts:?}");
    }

    #[test]
    fn what_is_known_of_other_models_does_no_harm() {
        let models = models();
        let here = Isometry3::identity();
        let mut coherence = MotionCoherence::default();
        let pose = Isometry3::new(Vector3::new(0.3, 0.2, 0.1), Vector3::new(0.1, 0.2, 0.3));
        for a in models.iter().rev().chain(&models) {
            for b in &models {
                let found = penetration_coherent((a, &pose), (b, &here), &options(), &mut coherence);
                let found = found.unwrap().unwrap();
                assert!(!collide(a, &(Translation3::from(found.translation) * pose), b, &here));
            }
        }
    }

    #[test]
    fn results_do_not_depend_on_the_unit_of_length() {
        let scaled = |scale: f64| {
            let mesh = |mesh: crate::geometry::TriangleMesh| {
                Model::new(mesh.scaled(&Vector3::repeat(scale)).unwrap(), Solidity::Solid)
            };
            let (a, b) =
                (mesh(BumpySphere::default().mesh().unwrap()), mesh(Torus::default().mesh().unwrap()));
            let motion = motion(&a, &b, 7);
            along(&a, &b, &motion).iter().map(|found| found.depth / scale).collect::<Vec<_>>()
        };
        // A factor of two changes no rounding.
        assert_eq!(scaled(1.0), scaled(1024.0));
    }
}
