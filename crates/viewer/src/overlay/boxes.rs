//! Boxes of bounding volume hierarchies, level by level.

use nalgebra::Point3;

use super::super::{Drawing, Line};
use super::input::OverlayInput;
use super::penetrations::OPACITY;
use super::solids::Solids;
use extricate_core::geometry::Aabb;
use extricate_dynamics::AnyBody;

/// Maximum number of boxes drawn: more cover each other and slow the picture.
const MAX_BOXES: usize = 1536;

/// Boxes of one level of the bounding volume hierarchies of all bodies, or of the subject.
pub(super) fn drawing(
    solids: &Solids,
    input: &OverlayInput,
    level: usize,
    subject: Option<AnyBody>,
) -> Drawing {
    let mut drawing = Drawing { opacity: Some(OPACITY), ..Drawing::default() };
    let (mut shown, mut levels, mut all) = (0, 0, 0);
    for body in 0..solids.len() {
        let Some(model) = solids.model(body).filter(|_| is_subject(subject, body)) else { continue };
        let boxes = model.bvh().boxes(level);
        levels = levels.max(model.bvh().levels());
        all += boxes.len();
        let color = input.models.bodies[body].color;
        for aabb in boxes.iter().take(MAX_BOXES - shown) {
            let lines = edges(aabb).map(|edge| edge.map(|corner| input.state.pose(body) * corner));
            drawing.lines.extend(lines.map(|ends| Line { ends, color, width: 1.0, on_top: false }));
            shown += 1;
        }
    }
    drawing.notes.push(if all == 0 {
        "No body has a bounding volume hierarchy.".to_owned()
    } else {
        let suffix = if shown < all { format!(", {shown} of them shown") } else { String::new() };
        format!("Level {} of {levels}: {all} boxes{suffix}", level.min(levels - 1))
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
        // The corner index has the bits of the other two axes around a zero bit at the edge's own axis.
        let low = place & ((1 << axis) - 1);
        let first = low | (place >> axis) << (axis + 1);
        [corners[first], corners[first | 1 << axis]]
    })
}

/// The corners of a box: bit k of the index is the side along axis k.
pub(crate) fn corners(Aabb { min, max }: &Aabb) -> [Point3<f64>; 8] {
    std::array::from_fn(|corner| {
        let side = |axis: usize| if corner >> axis & 1 == 0 { min[axis] } else { max[axis] };
        Point3::new(side(0), side(1), side(2))
    })
}
