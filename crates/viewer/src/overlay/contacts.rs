//! Contacts of the last step: points, and arrows along the forces.

use super::super::{Arrow, Drawing, Line, Point, palette};
use super::input::OverlayInput;
use super::text::with_unit;
use extricate_dynamics::{AnyBody, BodyKind, WorldContact};

/// Length of the arrow of the maximum force over the scene's size.
const LONGEST: f64 = 0.25;
/// Length of the arrow of zero force over the scene's size: above zero, so that the direction is visible.
const SHORTEST: f64 = 0.03;
/// Opacity of the bodies, since contacts lie between them.
const OPACITY: f32 = 0.4;
/// Size of the point of a contact without force, which is speculative only.
const SPECULATIVE: f32 = 0.5;

/// Note that contacts were not recorded.
const NOT_RECORDED: &str = "Contacts were not recorded; `extricate run --contacts` records them.";

/// Contacts of the last step, or a note that they were not recorded.
pub(super) fn drawing(input: &OverlayInput) -> Drawing {
    let Some(contacts) = input.contacts else {
        return Drawing { notes: vec![NOT_RECORDED.to_owned()], ..Drawing::default() };
    };
    let is_fixed = |body: AnyBody| match body {
        AnyBody::Rigid(index) => input.shapes.bodies[index].kind == BodyKind::Fixed,
        AnyBody::Soft(_) => false,
    };
    let mut contacts = contacts.to_vec();
    // Normals of a fixed first body are reversed, so that arrows show the force on the body that can move.
    for contact in contacts.iter_mut().filter(|contact| is_fixed(contact.bodies[0])) {
        contact.normal = -contact.normal;
    }
    of(&contacts, input.size())
}

/// Drawing of contacts, with arrows along their normals; `size` is that of the scene [m].
fn of(contacts: &[WorldContact], size: f64) -> Drawing {
    let max_force = contacts.iter().map(|contact| contact.force).fold(0.0, f64::max);
    let opacity = (!contacts.is_empty()).then_some(OPACITY);
    let mut drawing = Drawing { opacity, ..Drawing::default() };
    for contact in contacts {
        let pushes = contact.force > 0.0;
        let is_soft = contact.bodies.iter().any(|body| matches!(body, AnyBody::Soft(_)));
        let color = if !pushes {
            palette::FIXED
        } else if is_soft {
            palette::PURPLE
        } else {
            palette::BLUE
        };
        drawing.points.push(Point { at: contact.point, color, size: if pushes { 1.0 } else { SPECULATIVE } });
        let fraction = if max_force > 0.0 { contact.force / max_force } else { 0.0 };
        let length = size * (SHORTEST + (LONGEST - SHORTEST) * fraction);
        let along = length * contact.normal.into_inner();
        drawing.arrows.push(Arrow { from: contact.point, along, color, thickness: 0.6 });
        let ends = [contact.point, contact.point + along];
        drawing.lines.push(Line { ends, color, width: 1.5, on_top: true });
    }
    let bearing = contacts.iter().filter(|contact| contact.force > 0.0).count();
    let deepest = contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max);
    drawing.notes.push(match bearing {
        0 => "No contact carries a force.".to_owned(),
        _ => format!(
            "{bearing} contacts, forces up to {}, depths up to {}",
            with_unit(max_force, "N"),
            with_unit(deepest, "m")
        ),
    });
    drawing
}
