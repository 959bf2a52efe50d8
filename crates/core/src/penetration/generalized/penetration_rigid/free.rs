//! Collision test at a pose.

use nalgebra::Isometry3;

use crate::proximity::collision::{collide_within, pair_within};
use crate::proximity::distance::surfaces_within;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::work_limit::WorkLimit;

/// Whether two models are apart by more than a clearance [m], if that is known before the limit is spent.
pub(super) fn is_free_within(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
    clearance: f64,
    limit: &mut WorkLimit,
) -> Option<bool> {
    if clearance > 0.0 {
        // Pairs of triangles may seem near on all axes that are farther; then the distance decides.
        let a_to_b = RelativePose::between(a.0, a.1, b.0, b.1);
        let may_be_near = pair_within(a.0, b.0, &a_to_b, clearance, limit).is_some();
        if limit.is_spent() && !may_be_near {
            return None;
        }
        if may_be_near && surfaces_within(a, b, clearance, limit)? {
            return Some(false);
        }
    }
    collide_within(a, b, limit).map(|collides| !collides)
}
