//! Collision test at a pose.

use nalgebra::Isometry3;

use crate::proximity::collision::collide;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;

/// Whether two models are apart by more than a clearance [m].
pub(super) fn is_free(a: (&Model, &Isometry3<f64>), b: (&Model, &Isometry3<f64>), clearance: f64) -> bool {
    let near = clearance > 0.0 && is_within(a.0, a.1, b.0, b.1, clearance);
    !near && !collide(a.0, a.1, b.0, b.1)
}
