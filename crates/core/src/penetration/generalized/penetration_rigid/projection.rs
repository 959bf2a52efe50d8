//! Contact-space projection of a free pose whose orientation differs from that of the input [Tang14 §3.2].
//!
//! A is rotated as it was at the input, unless that makes the bodies collide; then the translation is projected exactly.
//! Otherwise the motion of both is followed to its first contact by continuous collision detection.

use std::time::Instant;

use nalgebra::{Vector3, Vector6};

use super::walk::Walk;
use crate::kinematics::motion::Motion;
use crate::proximity::continuous::{ContinuousOptions, time_of_contact_rigid};
use crate::proximity::work_limit::WorkLimit;

/// Contact-space projection: a free configuration on the path from the free `y` to the input, from which a walk can start.
/// Where continuous collision detection gives up, it is `y` itself.
pub(super) fn contact_space_projection(walk: &Walk<'_>, y: &Vector6<f64>) -> Vector6<f64> {
    let shift: Vector3<f64> = y.fixed_rows::<3>(3).into_owned();
    let unrotated = Vector6::new(0.0, 0.0, 0.0, shift.x, shift.y, shift.z);
    let limit = &mut WorkLimit::between(walk.a, walk.b, walk.limit.deadline());
    if walk.is_free(&unrotated, limit) { unrotated } else { first_contact(walk, y, limit).unwrap_or(*y) }
}

/// The first contact of the motion from `y` to the input: the centroid along a straight line, the rotation slerped.
fn first_contact(walk: &Walk<'_>, y: &Vector6<f64>, limit: &mut WorkLimit) -> Option<Vector6<f64>> {
    let [from, to] = [walk.chart.pose(y)?, walk.chart.pose(&Vector6::zeros())?];
    let center = walk.chart.centroid();
    let rotation = (to.rotation * from.rotation.inverse()).scaled_axis();
    let motion = Motion::about(&from, center, &(to * center - from * center), &rotation);
    let resting = Motion::still(&walk.pose_b);
    let time_budget = limit.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()));
    let options = ContinuousOptions { time_budget, ..ContinuousOptions::default() };
    let contact = time_of_contact_rigid(walk.a, &motion, walk.b, &resting, &options).ok()??;
    // The contact has a gap within the tolerance, so the time just before it is proved free.
    let back = walk.chart.interpolated(y, 1.0 - contact.time);
    walk.is_free(&back, limit).then_some(back)
}
