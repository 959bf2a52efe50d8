//! Room for a box to move in before its candidates must be found anew.
//!
//! A box that moves is given room in the direction in which it has been going. While it stays in its room, whatever
//! it meets is among the candidates that were found for the rooms.

use crate::geometry::triangle_mesh::Aabb;

/// Room on all sides, as a share of the way ahead: for motions that turn and shake.
const SLACK: f64 = 0.25;

/// The box with room for `times` its motion since it was `before`. On every axis a room is at most twice as long as
/// its box, so that the candidates of no motion outnumber the pairs without bound.
pub(super) fn room(aabb: &Aabb, before: &Aabb, times: f64) -> Aabb {
    let mut room = *aabb;
    for k in 0..3 {
        let most = 0.5 * (aabb.max[k] - aabb.min[k]);
        let ways = [before.min[k] - aabb.min[k], aabb.max[k] - before.max[k]].map(|way| times * way);
        let slack = SLACK * ways[0].abs().max(ways[1].abs());
        let [down, up] = ways.map(|way| (way.max(0.0) + slack).min(most));
        room.min[k] -= down;
        room.max[k] += up;
    }
    room
}
