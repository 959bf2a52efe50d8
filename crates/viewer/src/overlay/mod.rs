//! Overlays: drawings of contacts, penetrations, query walks, distance fields, stresses, and bounding boxes.
//!
//! Only requested overlays are computed. Data that depends on shapes alone is computed once; data that depends on poses is
//! recomputed when bodies have moved.

pub(crate) mod boxes;
mod contacts;
mod input;
mod penetrations;
mod recorded;
mod section;
mod shapes;
mod soft;
mod solids;
#[cfg(test)]
mod tests;
pub(super) mod text;
mod walk;

pub use input::{OverlayInput, Overlays, Section};
pub(crate) use recorded::recorded_contacts;
pub use shapes::SceneShapes;
pub(crate) use soft::contact_depths;

use self::penetrations::Overlap;
use self::section::Fields;
use self::soft::SoftShapes;
use self::solids::Solids;
use self::walk::TracedQuery;
use super::Drawing;
use extricate_dynamics::AnyBody;
use extricate_scene::record::WorldState;

/// Draws overlays of one scene, with caches of reusable data.
#[derive(Default)]
pub struct OverlayPainter {
    solids: Option<Solids>,
    soft: Option<SoftShapes>,
    fields: Fields,
    /// Overlaps at the last requested poses.
    overlaps: Option<Overlaps>,
    traced: Option<TracedQuery>,
}

/// Overlaps of bodies at poses.
struct Overlaps {
    state: WorldState,
    subject: Option<AnyBody>,
    found: Vec<Overlap>,
}

impl OverlayPainter {
    /// Drawing of the requested overlays. What cannot be drawn is a note in the drawing.
    pub fn draw(&mut self, input: &OverlayInput, overlays: &Overlays) -> Drawing {
        let mut drawing = Drawing::default();
        if overlays.contacts {
            drawing.extend(contacts::drawing(input));
        }
        if overlays.penetrations || overlays.local_penetrations || overlays.walk.is_some() {
            self.draw_overlaps(input, overlays, &mut drawing);
        }
        if let Some(section) = overlays.section {
            let soft = self.soft.get_or_insert_with(|| SoftShapes::of(input.shapes));
            let depths = soft.depths();
            drawing.extend(self.fields.section(input, &section, depths, overlays));
        }
        if let Some(quantity) = overlays.soft {
            let soft = self.soft.get_or_insert_with(|| SoftShapes::of(input.shapes));
            drawing.extend(soft.colors(input, quantity, overlays.max));
        }
        if let Some(level) = overlays.boxes {
            let solids = self.solids.get_or_insert_with(|| Solids::of(input.shapes, input.models));
            drawing.extend(boxes::drawing(solids, input, level, overlays.subject));
        }
        drawing
    }

    fn draw_overlaps(&mut self, input: &OverlayInput, overlays: &Overlays, drawing: &mut Drawing) {
        let solids = self.solids.get_or_insert_with(|| Solids::of(input.shapes, input.models));
        // Penetration queries are costly: they are repeated only for other poses or another subject.
        let is_old = |known: &Overlaps| {
            !known.state.poses().eq(input.state.poses()) || known.subject != overlays.subject
        };
        if self.overlaps.as_ref().is_none_or(is_old) {
            let found = penetrations::find(solids, input.state, overlays.subject);
            self.overlaps = Some(Overlaps { state: input.state.clone(), subject: overlays.subject, found });
            self.traced = None;
        }
        let found = self.overlaps.as_ref().map_or(&[][..], |overlaps| &overlaps.found);
        let Some(deepest) = penetrations::deepest(found) else {
            let errors = found.iter().filter_map(|overlap| overlap.result.as_ref().err());
            drawing.notes.extend(errors.map(ToString::to_string));
            if found.is_empty() {
                drawing.notes.push("No two rigid bodies overlap.".to_owned());
            }
            return;
        };
        if overlays.penetrations {
            drawing.extend(penetrations::global(found, solids, input, overlays.depth_scale));
        }
        if overlays.local_penetrations {
            drawing.extend(penetrations::local(found, solids, input, overlays.depth_scale));
        }
        let Some(step) = overlays.walk else { return };
        let traced = self.traced.get_or_insert_with(|| TracedQuery::of(deepest.bodies, solids, input.state));
        drawing.extend(traced.drawing(solids, input, step));
    }

    /// Number of steps of the query walk that was drawn last.
    #[must_use]
    pub fn walk_steps(&self) -> usize {
        self.traced.as_ref().map_or(0, TracedQuery::steps)
    }
}
