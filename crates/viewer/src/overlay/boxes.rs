//! Boxes of trees, level by level.

use nalgebra::Point3;

use super::super::{Drawing, Line};
use super::penetrations::OPACITY;
use super::sight::Sight;
use super::solids::Solids;
use extricate_core::geometry::Aabb;
use extricate_dynamics::AnyBody;

/// Most boxes that are drawn: more are but a blot.
const MOST: usize = 1536;

/// The boxes of a level of the trees of all bodies, or of the subject's.
pub(super) fn drawing(solids: &Solids, sight: &Sight, level: usize, subject: Option<AnyBody>) -> Drawing {
    let mut drawing = Drawing { opacity: Some(OPACITY), ..Drawing::default() };
    let (mut shown, mut levels, mut all) = (0, 0, 0);
    for body in 0..solids.len() {
        let Some(model) = solids.model(body).filter(|_| is_subject(subject, body)) else { continue };
        let boxes = model.bvh().boxes(level);
        levels = levels.max(model.bvh().levels());
        all += boxes.len();
        let color = sight.models.bodies[body].color;
        for aabb in boxes.iter().take(MOST - shown) {
            let lines = edges(aabb).map(|edge| edge.map(|corner| sight.state.pose(body) * corner));
            drawing.lines.extend(lines.map(|ends| Line { ends, color, width: 1.0, on_top: false }));
            shown += 1;
        }
    }
    drawing.notes.push(if all == 0 {
        "No body has a tree.".to_owned()
    } else {
        let left_out = if shown < all { format!(", {shown} of them shown") } else { String::new() };
        format!("Level {} of {levels}: {all} boxes{left_out}", level.min(levels - 1))
    });
    drawing
}

pub(super) fn is_subject(subject: Option<AnyBody>, body: usize) -> bool {
    subject.is_none_or(|subject| subject == AnyBody::Rigid(body))
}

/// The twelve edges of a box.
pub(crate) fn edges(aabb: &Aabb) -> [[Point3<f64>; 2]; 12] {
    let corners = corners(aabb);
    std::array::from_fn(|edge| {
        let (axis, place) = (edge / 4, edge % 4);
        // The two bits of the other axes, around that of the edge's own.
        let low = place & ((1 << axis) - 1);
        let first = low | (place >> axis) << (axis + 1);
        [corners[first], corners[first | 1 << axis]]
    })
}

/// The corners of a box: bit k of the index tells on which side of axis k.
pub(crate) fn corners(Aabb { min, max }: &Aabb) -> [Point3<f64>; 8] {
    std::array::from_fn(|corner| {
        let side = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Point3::new(side(0), side(1), side(2))
    })
}
