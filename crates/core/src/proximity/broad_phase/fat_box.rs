//! Fat boxes: enlarged bounds in which a box may move before its candidates must be found again.
//!
//! A moving box is enlarged by its predicted motion, extrapolated from the last one. While it stays within its fat box,
//! every box that it overlaps is among the candidates that were found for the fat boxes.

use crate::geometry::triangle_mesh::Aabb;

/// Margin on all sides, as a fraction of the predicted displacement: for motions that change direction or vibrate. A
/// larger one yields more candidates, a smaller one more boxes that leave their fat boxes early.
const SLACK: f64 = 0.25;

/// The box enlarged by `times` its displacement since it was `before`. Along every axis the fat box is at most twice as
/// long as its box, which bounds the ratio of candidates to pairs for any motion.
pub(super) fn fat_box(aabb: &Aabb, before: &Aabb, times: f64) -> Aabb {
    let mut fat = *aabb;
    for k in 0..3 {
        let max = 0.5 * (aabb.max[k] - aabb.min[k]);
        let predicted =
            [before.min[k] - aabb.min[k], aabb.max[k] - before.max[k]].map(|outward| times * outward);
        let slack = SLACK * predicted[0].abs().max(predicted[1].abs());
        // A face that moves inwards only gets the slack: its box shrinks or leaves it behind.
        let [down, up] = predicted.map(|outward| (outward.max(0.0) + slack).min(max));
        fat.min[k] -= down;
        fat.max[k] += up;
    }
    fat
}
