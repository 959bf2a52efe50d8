//! Walks of one penetration query in contact space, step by step.

use std::sync::Arc;

use nalgebra::{Point3, Translation3, Vector3};

use super::super::{Arrow, Color, Drawing, Ghost, Line, Point, palette};
use super::input::OverlayInput;
use super::penetrations::{GHOST, OPACITY, bounds, mark};
use super::solids::Solids;
use super::text::with_unit;
use extricate_core::geometry::TriangleMesh;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::{
    Penetration, Trace, TranslationalOptions, Walk, WalkStep, WalkStepKind, penetration_traced,
};
use extricate_scene::record::WorldState;

/// Length of the arrow of a contact normal over the scene's size.
const NORMAL: f64 = 0.12;
/// Opacity of the ghost at the start of the walk.
const START: f32 = 0.15;

/// A penetration query with its trace.
pub(super) struct TracedQuery {
    bodies: [usize; 2],
    result: Result<(Option<Penetration>, Trace), PenetrationError>,
}

impl TracedQuery {
    /// Runs the query of two bodies at the poses of a state.
    pub(super) fn of(bodies: [usize; 2], solids: &Solids, state: &WorldState) -> Self {
        let [a, b] = bodies;
        let result = match (solids.model(a), solids.model(b)) {
            (Some(first), Some(second)) => {
                let options = TranslationalOptions::default();
                penetration_traced((first, &state.pose(a)), (second, &state.pose(b)), &options)
            }
            _ => Ok((None, Trace::default())),
        };
        Self { bodies, result }
    }

    fn walks(&self) -> &[Walk] {
        self.result.as_ref().map_or(&[], |(_, trace)| &trace.walks)
    }

    /// Number of steps of all walks; the start of each counts as one.
    pub(super) fn steps(&self) -> usize {
        self.walks().iter().map(|walk| 1 + walk.steps.len()).sum()
    }

    /// Index of the walk and of its step (`None` for its start) at a position in the list of all steps, clamped to the last.
    fn at(&self, place: usize) -> Option<(usize, Option<usize>)> {
        let mut remaining = place;
        for (index, walk) in self.walks().iter().enumerate() {
            if remaining <= walk.steps.len() {
                return Some((index, remaining.checked_sub(1)));
            }
            remaining -= 1 + walk.steps.len();
        }
        let last = self.walks().last()?;
        Some((self.walks().len() - 1, last.steps.len().checked_sub(1)))
    }

    /// Drawing of all free configurations tried, and of one walk up to a step.
    pub(super) fn drawing(&self, solids: &Solids, input: &OverlayInput, place: usize) -> Drawing {
        let (found, (index, step)) = match (&self.result, self.at(place)) {
            (Ok((Some(found), _)), Some(at)) => (found, at),
            (Err(error), _) => return note(error.to_string()),
            _ => return note("The query has no walk.".to_owned()),
        };
        let [a, b] = self.bodies;
        // Configurations are translations of the first body: they are drawn from its centre.
        let Some(model) = solids.model(a) else { return note("The body has no model.".to_owned()) };
        let mut drawing = Drawing { opacity: Some(OPACITY), ..Drawing::default() };
        let walk = &self.walks()[index];
        let mesh = input.models.bodies[a].mesh.clone().unwrap_or_else(|| Arc::new(model.mesh().clone()));
        let view = WalkDrawing { here: input.state.pose(a) * model.center(), size: input.size(), walk };
        view.starts(self.walks(), index, &mut drawing);
        view.path(step, &mut drawing);
        let mut ghost = |translation: &Vector3<f64>, color: Color| {
            let pose = Translation3::from(*translation) * input.state.pose(a);
            drawing.ghosts.push(Ghost { mesh: Arc::<TriangleMesh>::clone(&mesh), pose, color });
        };
        ghost(&walk.start, palette::SKY.with_alpha(START));
        if let Some(step) = step.map(|step| &walk.steps[step]) {
            ghost(&step.translation, color_of(step.kind).with_alpha(GHOST));
            view.contacts(step, &mut drawing);
        }
        mark(&mut drawing, &view.here, found.translation, palette::FREE);
        let names = [a, b].map(|body| input.models.bodies[body].name.as_str());
        drawing.notes.push(format!(
            "{} in {}: depth {}",
            names[0],
            names[1],
            bounds(found.lower_bound, found.depth)
        ));
        drawing.notes.extend(describe(walk, (index, self.walks().len()), step));
        drawing
    }
}

/// Drawing of a walk.
struct WalkDrawing<'a> {
    /// Centre of the moved body at its current pose [m].
    here: Point3<f64>,
    /// Size of the scene [m].
    size: f64,
    walk: &'a Walk,
}

impl WalkDrawing<'_> {
    /// A ray and a point for each free configuration tried; coloured if its walk improved the depth.
    fn starts(&self, walks: &[Walk], current: usize, drawing: &mut Drawing) {
        for (index, walk) in walks.iter().enumerate() {
            let color = if walk.kept { palette::FREE } else { palette::FIXED };
            let (size, width) = if index == current { (1.4, 2.0) } else { (0.8, 0.75) };
            let at = self.here + walk.start;
            drawing.points.push(Point { at, color, size });
            drawing.lines.push(Line { ends: [self.here, at], color, width, on_top: true });
        }
    }

    /// Path of the body's centre: up to the step coloured by kind of projection, then grey.
    fn path(&self, step: Option<usize>, drawing: &mut Drawing) {
        let mut from = self.here + self.walk.start;
        for (index, next) in self.walk.steps.iter().enumerate() {
            let done = step.is_some_and(|step| index <= step);
            let (color, width) = if done { (color_of(next.kind), 3.0) } else { (palette::FIXED, 1.0) };
            let to = self.here + next.translation;
            drawing.lines.push(Line { ends: [from, to], color, width, on_top: true });
            from = to;
        }
    }

    /// Contacts that bound the contact space at a step.
    fn contacts(&self, step: &WalkStep, drawing: &mut Drawing) {
        for contact in &step.contacts {
            let along = NORMAL * self.size * contact.normal;
            drawing.points.push(Point { at: contact.point, color: palette::PURPLE, size: 0.6 });
            drawing.arrows.push(Arrow { from: contact.point, along, color: palette::PURPLE, thickness: 0.5 });
        }
    }
}

fn note(text: String) -> Drawing {
    Drawing { notes: vec![text], ..Drawing::default() }
}

fn color_of(kind: WalkStepKind) -> Color {
    match kind {
        WalkStepKind::OutProjection => palette::BLUE,
        WalkStepKind::InProjection => palette::ORANGE,
        WalkStepKind::Hop => palette::VERMILION,
    }
}

/// Description of a walk, the `index`-th of `count`, and of its step.
fn describe(walk: &Walk, (index, count): (usize, usize), step: Option<usize>) -> [String; 2] {
    let end = match walk.depth {
        depth if depth.is_finite() && walk.kept => {
            format!("ends at {}, an improvement", with_unit(depth, "m"))
        }
        depth if depth.is_finite() => format!("ends at {}", with_unit(depth, "m")),
        _ => "is abandoned".to_owned(),
    };
    let first = format!("Walk {} of {count}, start by {}: {end}", index + 1, walk.source);
    let Some(step) = step else {
        let start = with_unit(walk.start.norm(), "m");
        return [first, format!("Start at distance {start}, free")];
    };
    let (now, steps) = (&walk.steps[step], walk.steps.len());
    let what = match now.kind {
        WalkStepKind::OutProjection => "out-projection, free",
        WalkStepKind::InProjection => "in-projection, feasible for the known contacts",
        WalkStepKind::Hop => "hop from outside, free",
    };
    let (length, upper) = (with_unit(now.translation.norm(), "m"), with_unit(now.upper_bound, "m"));
    let contacts = match now.contacts.len() {
        1 => "1 contact".to_owned(),
        count => format!("{count} contacts"),
    };
    let second =
        format!("Step {} of {steps}: {what}, distance {length}, {contacts}, upper bound {upper}", step + 1);
    [first, second]
}
