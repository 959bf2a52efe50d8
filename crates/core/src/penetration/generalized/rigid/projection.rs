//! Contact-space projection of a free pose whose orientation differs from that of the input [Tang14 §3.2].
//!
//! A is turned as it was at the input, unless that brings the bodies together; then the translation is projected exactly.
//! Else the motion of both is followed to its first contact by continuous collision.

use nalgebra::{Vector3, Vector6};

use super::walk::Walk;
use crate::kinematics::motion::Motion;
use crate::proximity::continuous::{ContinuousOptions, rigid};

/// A free configuration on the way from the free `y` to the input, from which a walk can start. Where continuous
/// collision gives up, it is `y` itself.
pub(super) fn project(walk: &Walk<'_>, y: &Vector6<f64>) -> Vector6<f64> {
    let shift: Vector3<f64> = y.fixed_rows::<3>(3).into_owned();
    let unturned = Vector6::new(0.0, 0.0, 0.0, shift.x, shift.y, shift.z);
    if walk.is_free(&unturned) { unturned } else { first_contact(walk, y).unwrap_or(*y) }
}

/// The first contact of the motion from `y` to the input: the centroid along a straight line, the turn slerped.
fn first_contact(walk: &Walk<'_>, y: &Vector6<f64>) -> Option<Vector6<f64>> {
    let [from, to] = [walk.chart.pose(y)?, walk.chart.pose(&Vector6::zeros())?];
    let center = walk.chart.centroid();
    let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
    let motion = Motion::about(&from, center, &(to * center - from * center), &turn);
    let resting = Motion::still(&walk.pose_b);
    let contact = rigid(walk.a, &motion, walk.b, &resting, &ContinuousOptions::default()).ok()??;
    // The gap there is within the tolerance: the time before it is proved free.
    let back = walk.chart.back(y, 1.0 - contact.time);
    walk.is_free(&back).then_some(back)
}
