//! The result of a distance query of models that collide, and some pair of triangles where none is known.

use super::answer::Distance;
use crate::proximity::collision::pair_within;
use crate::proximity::contained_parts::shared_point_within;
use crate::proximity::model::Model;
use crate::proximity::relative_pose::{RelativePose, triangles_in_b};
use crate::proximity::triangle_distance::common_point;
use crate::proximity::work_limit::WorkLimit;

/// The result where the models collide, if that is known before the limit is spent; witnesses in the frame of B's tree.
pub(super) fn zero_at([a, b]: [&Model; 2], a_to_b: &RelativePose, work: &mut WorkLimit) -> Option<Distance> {
    let touching =
        |point, triangles| Distance { value: 0.0, lower_bound: 0.0, witnesses: [point; 2], triangles };
    if let Some(pair) = pair_within(a, b, a_to_b, 0.0, work) {
        let [p, q] = triangles_in_b(a, b, a_to_b, pair);
        return Some(touching(common_point(&p, &q), Some(pair)));
    }
    if work.is_spent() {
        return None;
    }
    shared_point_within(a, b, a_to_b, work).map(|point| touching(point, None))
}

/// Some triangle with an area of each model.
pub(super) fn some_pair(a: &Model, b: &Model) -> [u32; 2] {
    [a, b].map(|model| model.bvh().packets()[0].triangles[0])
}
