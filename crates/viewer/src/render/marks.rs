//! What is drawn besides the bodies.

use super::Reel;
use crate::overlay::{Insight, Overlays, Sight};
use crate::{Drawing, Models, ViewError, palette};
use extricate_core::penetration::Effort;
use extricate_dynamics::BodyKind;
use extricate_scene::record::WorldState;
use extricate_scene::scene::{overlaps, soft_overlaps};

/// What is drawn besides the bodies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Marks {
    /// Bodies that overlap are vermilion and the others green, and what is fixed is seen through.
    pub overlaps: bool,
    /// What is known of the scene beyond where its bodies are.
    pub overlays: Overlays,
    /// The time stands in a corner.
    pub clock: bool,
}

/// How opaque what is fixed is where overlaps are shown.
const GLASS: f32 = 0.45;

impl Marks {
    /// What is drawn of a reel at a state.
    pub(super) fn drawing(
        &self,
        insight: &mut Insight,
        reel: &Reel,
        models: &Models,
        state: &WorldState,
    ) -> Result<Drawing, ViewError> {
        let live = matches!(reel, Reel::Live { .. });
        let mut drawing = insight.draw(&Sight { world: reel.world(), live, models, state }, &self.overlays);
        if self.overlaps {
            mark_overlaps(reel, models, &mut drawing)?;
        }
        if self.clock {
            drawing.notes.push(format!("{:.2} s", state.time));
        }
        Ok(drawing)
    }
}

/// Colours what overlaps and what does not, and makes glass of what is fixed.
fn mark_overlaps(reel: &Reel, models: &Models, drawing: &mut Drawing) -> Result<(), ViewError> {
    let Reel::Live { world, .. } = reel else { return Err(ViewError::NotOfRuns) };
    let mut pairs = overlaps(world, Effort::Fast)?;
    pairs.extend(soft_overlaps(world));
    let overlapping = |name: &str| pairs.iter().flat_map(|pair| &pair.bodies).any(|other| other == name);
    for (index, body) in models.bodies.iter().enumerate() {
        let color = match body.kind {
            BodyKind::Fixed => body.color.with_alpha(GLASS),
            _ if overlapping(&body.name) => palette::COLLIDING,
            _ => palette::FREE,
        };
        drawing.tints.insert(index, color);
    }
    for (index, body) in models.soft.iter().enumerate() {
        let color = if overlapping(&body.name) { palette::COLLIDING } else { palette::FREE };
        drawing.soft_tints.insert(index, color);
    }
    Ok(())
}
