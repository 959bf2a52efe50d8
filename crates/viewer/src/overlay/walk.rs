//! The walks of one query in contact space, step by step.

use std::sync::Arc;

use nalgebra::{Point3, Translation3, Vector3};

use super::super::{Arrow, Color, Drawing, Ghost, Line, Point, palette};
use super::penetrations::{GHOST, OPACITY, bounds, mark};
use super::sight::Sight;
use super::solids::Solids;
use super::text::with_unit;
use extricate_core::geometry::TriangleMesh;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::{
    Penetration, Trace, TranslationalOptions, Walk, WalkStep, WalkStepKind, penetration_traced,
};
use extricate_scene::record::WorldState;

/// Length of the arrow of a contact's normal as a share of the scene's size.
const NORMAL: f64 = 0.12;
/// Opacity of the ghost where the walk began.
const START: f32 = 0.15;

/// One query with its trace.
pub(super) struct TracedQuery {
    bodies: [usize; 2],
    answer: Result<(Option<Penetration>, Trace), PenetrationError>,
}

impl TracedQuery {
    /// The query of two bodies at the poses of a state.
    pub(super) fn of(bodies: [usize; 2], solids: &Solids, state: &WorldState) -> Self {
        let [a, b] = bodies;
        let answer = match (solids.model(a), solids.model(b)) {
            (Some(first), Some(second)) => {
                let options = TranslationalOptions::default();
                penetration_traced((first, &state.pose(a)), (second, &state.pose(b)), &options)
            }
            _ => Ok((None, Trace::default())),
        };
        Self { bodies, answer }
    }

    fn walks(&self) -> &[Walk] {
        self.answer.as_ref().map_or(&[], |(_, trace)| &trace.walks)
    }

    /// Number of steps of all walks, the start of each counted as one.
    pub(super) fn steps(&self) -> usize {
        self.walks().iter().map(|walk| 1 + walk.steps.len()).sum()
    }

    /// The walk and its step at a place in the list of all steps, `None` for its start; beyond the last one the last.
    fn at(&self, place: usize) -> Option<(usize, Option<usize>)> {
        let mut left = place;
        for (index, walk) in self.walks().iter().enumerate() {
            if left <= walk.steps.len() {
                return Some((index, left.checked_sub(1)));
            }
            left -= 1 + walk.steps.len();
        }
        let last = self.walks().last()?;
        Some((self.walks().len() - 1, last.steps.len().checked_sub(1)))
    }

    /// All free configurations tried, and one walk up to a step.
    pub(super) fn drawing(&self, solids: &Solids, sight: &Sight, place: usize) -> Drawing {
        let (found, (index, step)) = match (&self.answer, self.at(place)) {
            (Ok((Some(found), _)), Some(at)) => (found, at),
            (Err(error), _) => return note(error.to_string()),
            _ => return note("The query made no walk.".to_owned()),
        };
        let [a, b] = self.bodies;
        let Some(model) = solids.model(a) else { return note("The body has no model.".to_owned()) };
        let mut drawing = Drawing { opacity: Some(OPACITY), ..Drawing::default() };
        let walk = &self.walks()[index];
        let mesh = sight.models.bodies[a].mesh.clone().unwrap_or_else(|| Arc::new(model.mesh().clone()));
        let picture = Picture { here: sight.state.pose(a) * model.center(), size: sight.size(), walk };
        picture.starts(self.walks(), index, &mut drawing);
        picture.path(step, &mut drawing);
        let mut ghost = |translation: &Vector3<f64>, color: Color| {
            let pose = Translation3::from(*translation) * sight.state.pose(a);
            drawing.ghosts.push(Ghost { mesh: Arc::<TriangleMesh>::clone(&mesh), pose, color });
        };
        ghost(&walk.start, palette::SKY.with_alpha(START));
        if let Some(step) = step.map(|step| &walk.steps[step]) {
            ghost(&step.translation, color_of(step.kind).with_alpha(GHOST));
            picture.contacts(step, &mut drawing);
        }
        mark(&mut drawing, &picture.here, found.translation, palette::FREE);
        let names = [a, b].map(|body| sight.models.bodies[body].name.as_str());
        drawing.notes.push(format!(
            "{} in {}: depth {}",
            names[0],
            names[1],
            bounds(found.lower_bound, found.depth)
        ));
        drawing.notes.extend(told(walk, (index, self.walks().len()), step));
        drawing
    }
}

/// A walk as it is drawn.
struct Picture<'a> {
    /// The centre of the body that is moved, where it is [m].
    here: Point3<f64>,
    /// Size of the scene [m].
    size: f64,
    walk: &'a Walk,
}

impl Picture<'_> {
    /// A ray to a point for each free configuration that was tried, of the walks that got nearer than those before in colour.
    fn starts(&self, walks: &[Walk], current: usize, drawing: &mut Drawing) {
        for (index, walk) in walks.iter().enumerate() {
            let color = if walk.kept { palette::FREE } else { palette::FIXED };
            let (size, width) = if index == current { (1.4, 2.0) } else { (0.8, 0.75) };
            let at = self.here + walk.start;
            drawing.points.push(Point { at, color, size });
            drawing.lines.push(Line { ends: [self.here, at], color, width, on_top: true });
        }
    }

    /// The way of the body's centre: up to the step by what was done, from there on grey.
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

    /// The contacts that bound the contact space at a step.
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

/// What is said of a walk, the `index`-th of `count`, and of its step.
fn told(walk: &Walk, (index, count): (usize, usize), step: Option<usize>) -> [String; 2] {
    let end = match walk.depth {
        depth if depth.is_finite() && walk.kept => {
            format!("ends at {}, nearer than before", with_unit(depth, "m"))
        }
        depth if depth.is_finite() => format!("ends at {}", with_unit(depth, "m")),
        _ => "is given up".to_owned(),
    };
    let first = format!("Walk {} of {count}, start by {}: {end}", index + 1, walk.source);
    let Some(step) = step else {
        let start = with_unit(walk.start.norm(), "m");
        return [first, format!("Start, {start} away and free")];
    };
    let (now, steps) = (&walk.steps[step], walk.steps.len());
    let what = match now.kind {
        WalkStepKind::OutProjection => "out-projection, free",
        WalkStepKind::InProjection => "in-projection, where the known contacts allow",
        WalkStepKind::Hop => "hop from outside, free",
    };
    let (length, upper) = (with_unit(now.translation.norm(), "m"), with_unit(now.upper_bound, "m"));
    let contacts = match now.contacts.len() {
        1 => "1 contact".to_owned(),
        count => format!("{count} contacts"),
    };
    let second =
        format!("Step {} of {steps}: {what}, {length} away, {contacts}, upper bound {upper}", step + 1);
    [first, second]
}
