//! Penetrations of all bodies that overlap: the global one with its bounds and a ghost that is apart, and those of each
//! region.

use std::sync::Arc;

use nalgebra::{Point3, Translation3, Vector3};

use super::super::{Arrow, Color, Drawing, Ghost, Label, Line, Point, palette};
use super::sight::Sight;
use super::solids::Solids;
use super::text::with_unit;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::{Penetration, TranslationalOptions, local_penetrations, penetration};
use extricate_dynamics::AnyBody;
use extricate_scene::record::WorldState;

/// Opacity of bodies that arrows are inside of.
pub(super) const OPACITY: f32 = 0.25;
/// Opacity of a ghost.
pub(super) const GHOST: f32 = 0.25;
/// Most pairs of which the notes tell.
const TOLD: usize = 3;

/// Two bodies that overlap.
pub(super) struct Overlap {
    /// Which ones: the first is the one that is moved.
    pub(super) bodies: [usize; 2],
    /// How deep.
    pub(super) answer: Result<Penetration, PenetrationError>,
}

/// All overlaps at the poses of a state, those with a subject if there is one.
pub(super) fn find(solids: &Solids, state: &WorldState, subject: Option<AnyBody>) -> Vec<Overlap> {
    let pairs = solids.overlapping(state, subject);
    let overlaps = pairs.into_iter().filter_map(|bodies| {
        let [a, b] = bodies;
        let (first, second) = (solids.model(a)?, solids.model(b)?);
        let options = TranslationalOptions::default();
        let answer = penetration(first, &state.pose(a), second, &state.pose(b), &options);
        Some(Overlap { bodies, answer: answer.transpose()? })
    });
    overlaps.collect()
}

/// The deepest of some overlaps.
pub(super) fn deepest(overlaps: &[Overlap]) -> Option<&Overlap> {
    let known = overlaps.iter().filter_map(|overlap| Some((overlap, overlap.answer.as_ref().ok()?.depth)));
    known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(overlap, _)| overlap)
}

/// An arrow, both bounds and a ghost for each pair.
pub(super) fn global(overlaps: &[Overlap], solids: &Solids, sight: &Sight, scale: f64) -> Drawing {
    let mut drawing = Drawing { opacity: (!overlaps.is_empty()).then_some(OPACITY), ..Drawing::default() };
    for (place, overlap) in overlaps.iter().enumerate() {
        let [a, b] = overlap.bodies;
        let names = [a, b].map(|body| sight.models.bodies[body].name.as_str());
        let tells = place < TOLD;
        let found = match &overlap.answer {
            Ok(found) => found,
            Err(error) => {
                drawing.notes.push(format!("{} in {}: {error}", names[0], names[1]));
                continue;
            }
        };
        let bounds = bounds(found.lower_bound, found.depth);
        let from = found.witnesses[0];
        mark(&mut drawing, &from, scale * found.translation, palette::FREE);
        let tip = from + scale * found.translation;
        drawing.labels.push(Label { at: tip, text: with_unit(found.depth, "m"), color: palette::INK });
        if let Some(model) = solids.model(a) {
            let mesh = sight.models.bodies[a].mesh.clone().unwrap_or_else(|| Arc::new(model.mesh().clone()));
            let pose = Translation3::from(found.translation) * sight.state.pose(a);
            drawing.ghosts.push(Ghost { mesh, pose, color: palette::FREE.with_alpha(GHOST) });
        }
        if tells {
            drawing.notes.push(format!("{} in {}: depth {bounds}", names[0], names[1]));
        }
    }
    more(&mut drawing, overlaps.len());
    drawing
}

/// An arrow for each region of each pair, along which the first body must move.
pub(super) fn local(overlaps: &[Overlap], solids: &Solids, sight: &Sight, scale: f64) -> Drawing {
    let mut drawing = Drawing { opacity: (!overlaps.is_empty()).then_some(OPACITY), ..Drawing::default() };
    for (place, overlap) in overlaps.iter().enumerate() {
        let [a, b] = overlap.bodies;
        let (Ok(found), Some(first), Some(second)) = (&overlap.answer, solids.model(a), solids.model(b))
        else {
            continue;
        };
        let poses = [a, b].map(|body| sight.state.pose(body));
        let regions = local_penetrations(first, &poses[0], second, &poses[1], found);
        for region in &regions {
            let along = scale * region.depth * region.normal.into_inner();
            mark(&mut drawing, &region.point, along, palette::VERMILION);
            drawing.points.push(Point { at: region.point, color: palette::VERMILION, size: 0.8 });
        }
        if place < TOLD {
            let names = [a, b].map(|body| sight.models.bodies[body].name.as_str());
            let deepest = regions.iter().map(|region| region.depth).fold(0.0, f64::max);
            let count =
                if regions.len() == 1 { "1 region".to_owned() } else { format!("{} regions", regions.len()) };
            let deepest = with_unit(deepest, "m");
            drawing.notes.push(format!("{} in {}: {count}, the deepest {deepest}", names[0], names[1]));
        }
    }
    more(&mut drawing, overlaps.len());
    drawing
}

/// An arrow, and a line along it that is seen through what the arrow is inside of.
pub(super) fn mark(drawing: &mut Drawing, from: &Point3<f64>, along: Vector3<f64>, color: Color) {
    drawing.arrows.push(Arrow { from: *from, along, color, thickness: 1.2 });
    drawing.lines.push(Line { ends: [*from, from + along], color, width: 2.0, on_top: true });
}

/// Says that there is more than is told.
fn more(drawing: &mut Drawing, count: usize) {
    if count > TOLD {
        drawing.notes.push(format!("and {} more pairs", count - TOLD));
    }
}

/// Lower and upper bound of a depth.
pub(super) fn bounds(lower: f64, upper: f64) -> String {
    format!("between {} and {}", with_unit(lower, "m"), with_unit(upper, "m"))
}
