//! What is known of a scene beyond where its bodies are, as drawings: contacts, penetrations, the walk of a query,
//! distance fields, stresses, boxes of trees.
//!
//! Nothing is computed that is not asked for. What depends on shapes alone is made once and kept; what depends on where
//! bodies are is made anew when they have moved.

pub(crate) mod boxes;
mod contacts;
mod penetrations;
mod section;
mod sight;
mod soft;
mod solids;
#[cfg(test)]
mod tests;
pub(super) mod text;
mod walk;

pub use sight::{Overlays, Section, Sight};

use self::penetrations::Overlap;
use self::section::Fields;
use self::soft::SoftShapes;
use self::solids::Solids;
use self::walk::TracedQuery;
use super::Drawing;
use extricate_dynamics::AnyBody;
use extricate_scene::record::WorldState;

/// Draws overlays of one scene, and keeps what can be used again.
#[derive(Default)]
pub struct Insight {
    solids: Option<Solids>,
    soft: Option<SoftShapes>,
    fields: Fields,
    /// Overlaps at the last poses that were asked for.
    overlaps: Option<Overlaps>,
    traced: Option<TracedQuery>,
}

/// Overlaps of bodies at poses.
struct Overlaps {
    state: WorldState,
    subject: Option<AnyBody>,
    found: Vec<Overlap>,
}

impl Insight {
    /// The overlays that are wanted. What cannot be told is a note in the drawing.
    pub fn draw(&mut self, sight: &Sight, overlays: &Overlays) -> Drawing {
        let mut drawing = Drawing::default();
        if overlays.contacts {
            drawing.extend(contacts::drawing(sight));
        }
        if overlays.penetrations || overlays.local_penetrations || overlays.walk.is_some() {
            self.draw_overlaps(sight, overlays, &mut drawing);
        }
        if let Some(section) = overlays.section {
            let soft = self.soft.get_or_insert_with(|| SoftShapes::of(sight.world));
            let depths = soft.depths();
            drawing.extend(self.fields.section(sight, &section, depths, overlays));
        }
        if let Some(quantity) = overlays.soft {
            let soft = self.soft.get_or_insert_with(|| SoftShapes::of(sight.world));
            drawing.extend(soft.colors(sight, quantity, overlays.greatest));
        }
        if let Some(level) = overlays.boxes {
            let solids = self.solids.get_or_insert_with(|| Solids::of(sight.world, sight.models));
            drawing.extend(boxes::drawing(solids, sight, level, overlays.subject));
        }
        drawing
    }

    fn draw_overlaps(&mut self, sight: &Sight, overlays: &Overlays, drawing: &mut Drawing) {
        let solids = self.solids.get_or_insert_with(|| Solids::of(sight.world, sight.models));
        let is_old = |known: &Overlaps| {
            !known.state.poses().eq(sight.state.poses()) || known.subject != overlays.subject
        };
        if self.overlaps.as_ref().is_none_or(is_old) {
            let found = penetrations::find(solids, sight.state, overlays.subject);
            self.overlaps = Some(Overlaps { state: sight.state.clone(), subject: overlays.subject, found });
            self.traced = None;
        }
        let found = self.overlaps.as_ref().map_or(&[][..], |overlaps| &overlaps.found);
        let Some(deepest) = penetrations::deepest(found) else {
            let said = found.iter().filter_map(|overlap| overlap.answer.as_ref().err());
            drawing.notes.extend(said.map(ToString::to_string));
            if found.is_empty() {
                drawing.notes.push("No two rigid bodies overlap.".to_owned());
            }
            return;
        };
        if overlays.penetrations {
            drawing.extend(penetrations::global(found, solids, sight, overlays.depth_scale));
        }
        if overlays.local_penetrations {
            drawing.extend(penetrations::local(found, solids, sight, overlays.depth_scale));
        }
        let Some(step) = overlays.walk else { return };
        let traced = self.traced.get_or_insert_with(|| TracedQuery::of(deepest.bodies, solids, sight.state));
        drawing.extend(traced.drawing(solids, sight, step));
    }

    /// Number of steps of the walk that was drawn last.
    #[must_use]
    pub fn walk_steps(&self) -> usize {
        self.traced.as_ref().map_or(0, TracedQuery::steps)
    }
}
