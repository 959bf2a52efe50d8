//! Penetrations of all overlapping bodies: the global one with its bounds and a separated ghost, and the local ones of each
//! region.

use std::sync::Arc;

use nalgebra::{Point3, Translation3, Vector3};

use super::super::{Arrow, Color, Drawing, Ghost, Label, Line, Point, palette};
use super::input::OverlayInput;
use super::solids::Solids;
use super::text::with_unit;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::{Penetration, TranslationalOptions, local_penetrations, penetration};
use extricate_dynamics::AnyBody;
use extricate_scene::record::WorldState;

/// Opacity of bodies with arrows inside.
pub(super) const OPACITY: f32 = 0.25;
/// Opacity of a ghost.
pub(super) const GHOST: f32 = 0.25;
/// Maximum number of pairs listed in the notes.
const MAX_LISTED: usize = 3;

/// Two overlapping bodies.
pub(super) struct Overlap {
    /// Indices of the bodies; the first is the one that the penetration moves.
    pub(super) bodies: [usize; 2],
    /// Result of the penetration query.
    pub(super) result: Result<Penetration, PenetrationError>,
}

/// All overlaps at the poses of a state, or those with the subject.
pub(super) fn find(solids: &Solids, state: &WorldState, subject: Option<AnyBody>) -> Vec<Overlap> {
    let pairs = solids.overlapping(state, subject);
    let overlaps = pairs.into_iter().filter_map(|bodies| {
        let [a, b] = bodies;
        let (first, second) = (solids.model(a)?, solids.model(b)?);
        let options = TranslationalOptions::default();
        let result = penetration(first, &state.pose(a), second, &state.pose(b), &options);
        Some(Overlap { bodies, result: result.transpose()? })
    });
    overlaps.collect()
}

/// The deepest overlap.
pub(super) fn deepest(overlaps: &[Overlap]) -> Option<&Overlap> {
    let known = overlaps.iter().filter_map(|overlap| Some((overlap, overlap.result.as_ref().ok()?.depth)));
    known.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(overlap, _)| overlap)
}

/// An arrow, both bounds and a separated ghost for each pair.
pub(super) fn global(overlaps: &[Overlap], solids: &Solids, input: &OverlayInput, scale: f64) -> Drawing {
    let mut drawing = Drawing { opacity: (!overlaps.is_empty()).then_some(OPACITY), ..Drawing::default() };
    for (place, overlap) in overlaps.iter().enumerate() {
        let [a, b] = overlap.bodies;
        let names = [a, b].map(|body| input.models.bodies[body].name.as_str());
        let is_listed = place < MAX_LISTED;
        let found = match &overlap.result {
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
            let mesh = input.models.bodies[a].mesh.clone().unwrap_or_else(|| Arc::new(model.mesh().clone()));
            let pose = Translation3::from(found.translation) * input.state.pose(a);
            drawing.ghosts.push(Ghost { mesh, pose, color: palette::FREE.with_alpha(GHOST) });
        }
        if is_listed {
            drawing.notes.push(format!("{} in {}: depth {bounds}", names[0], names[1]));
        }
    }
    note_unlisted(&mut drawing, overlaps.len());
    drawing
}

/// An arrow for each region of each pair, along the motion of the first body that resolves the region.
pub(super) fn local(overlaps: &[Overlap], solids: &Solids, input: &OverlayInput, scale: f64) -> Drawing {
    let mut drawing = Drawing { opacity: (!overlaps.is_empty()).then_some(OPACITY), ..Drawing::default() };
    for (place, overlap) in overlaps.iter().enumerate() {
        let [a, b] = overlap.bodies;
        let (Ok(found), Some(first), Some(second)) = (&overlap.result, solids.model(a), solids.model(b))
        else {
            continue;
        };
        let poses = [a, b].map(|body| input.state.pose(body));
        let regions = local_penetrations(first, &poses[0], second, &poses[1], found);
        for region in &regions {
            let along = scale * region.depth * region.normal.into_inner();
            mark(&mut drawing, &region.point, along, palette::VERMILION);
            drawing.points.push(Point { at: region.point, color: palette::VERMILION, size: 0.8 });
        }
        if place < MAX_LISTED {
            let names = [a, b].map(|body| input.models.bodies[body].name.as_str());
            let deepest = regions.iter().map(|region| region.depth).fold(0.0, f64::max);
            let count =
                if regions.len() == 1 { "1 region".to_owned() } else { format!("{} regions", regions.len()) };
            let deepest = with_unit(deepest, "m");
            drawing.notes.push(format!("{} in {}: {count}, the deepest {deepest}", names[0], names[1]));
        }
    }
    note_unlisted(&mut drawing, overlaps.len());
    drawing
}

/// An arrow, and a line along it that is visible through the body around the arrow.
pub(super) fn mark(drawing: &mut Drawing, from: &Point3<f64>, along: Vector3<f64>, color: Color) {
    drawing.arrows.push(Arrow { from: *from, along, color, thickness: 1.2 });
    drawing.lines.push(Line { ends: [*from, from + along], color, width: 2.0, on_top: true });
}

/// Notes how many pairs are not listed.
fn note_unlisted(drawing: &mut Drawing, count: usize) {
    if count > MAX_LISTED {
        drawing.notes.push(format!("and {} more pairs", count - MAX_LISTED));
    }
}

/// Text of the lower and upper bound of a depth [m].
pub(super) fn bounds(lower: f64, upper: f64) -> String {
    format!("between {} and {}", with_unit(lower, "m"), with_unit(upper, "m"))
}
