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
/// Contacts that are stored, the first ones: a local optimum has at most three.
const MAX_CONTACTS: usize = 16;

/// The contacts of a result and the pairs that blocked all shorter translations.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Followed {
    /// Pose of A in the frame of B at the last query; `None` before the first one.
    placement: Option<Isometry3<f64>>,
    contacts: Vec<FollowedContact>,
    blocking: BlockingPairs,
    /// Scratch memory.
    rows: Vec<HalfSpace>,
    /// Whether A and B are the models in the reverse order.
    is_exchanged: bool,
}

/// A contact of a result.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FollowedContact {
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
    }

    /// Stores the contacts of a result at the pose of A in the frame of B.
    pub(super) fn remember(&mut self, space: &mut ContactSpace, optimum: &Optimum, placement: &Isometry3<f64>) {
        let to_a = space.a_to_b.inverse();
        self.placement = Some(*placement);
        self.blocking = space.blocking.take().unwrap_or_default();
        self.contacts.clear();
        let contacts = space.contacts_of(optimum).map(|([moved, on_b], normal)| FollowedContact {
            on_a: to_a.point(&(moved - optimum.q)),
            on_b,
            normal,
        });
        self.contacts.extend(contacts.take(MAX_CONTACTS));
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
        for gap in GAPS {
            let gap = (gap * motion).max(MIN_GAP * space.clearance());
            self.place(space, &(placement.rotation * before.rotation.inverse()), gap);
            let start = in_projection(&self.rows, &Vector3::zeros())?;
            if !((start - back).norm() <= NEAR * motion + gap) {
                return None;
            }
            if let Some(optimum) = space.walk_if_apart(&start) {
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
