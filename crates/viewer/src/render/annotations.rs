//! Annotations of rendered pictures: overlaps, overlays and the clock.

use super::RenderSource;
use crate::overlay::{OverlayInput, OverlayPainter, Overlays};
use crate::{Drawing, Models, ViewError, palette};
use extricate_core::penetration::Effort;
use extricate_dynamics::BodyKind;
use extricate_scene::record::WorldState;
use extricate_scene::scene::{overlaps, soft_overlaps};

/// Annotations of rendered pictures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Annotations {
    /// Whether overlapping bodies are vermilion, the others green, and fixed bodies transparent.
    pub overlaps: bool,
    /// Overlays of contacts, penetrations, fields, ….
    pub overlays: Overlays,
    /// Whether the time is shown in a corner.
    pub clock: bool,
    /// Time over which motion trails are drawn, from the centres of the movable bodies \[s\]; `None` for no trails.
    pub trails: Option<f64>,
}

/// Opacity of fixed bodies where overlaps are shown.
const GLASS: f32 = 0.45;

impl Annotations {
    /// Drawing of the annotations of a source at a state.
    pub(super) fn drawing(
        &self,
        painter: &mut OverlayPainter,
        source: &RenderSource,
        models: &Models,
        state: &WorldState,
    ) -> Result<Drawing, ViewError> {
        let live = matches!(source, RenderSource::Live { .. });
        let mut drawing =
            painter.draw(&OverlayInput { world: source.world(), live, models, state }, &self.overlays);
        if self.overlaps {
            mark_overlaps(source, models, &mut drawing)?;
        }
        if self.clock {
            drawing.notes.push(format!("{:.2} s", state.time));
        }
        Ok(drawing)
    }
}

/// Tints overlapping and free bodies, and makes fixed bodies transparent.
fn mark_overlaps(source: &RenderSource, models: &Models, drawing: &mut Drawing) -> Result<(), ViewError> {
    let RenderSource::Live { world, .. } = source else { return Err(ViewError::NoRecordedOverlaps) };
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
