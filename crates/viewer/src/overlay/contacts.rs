//! Contacts of the last step: points, and arrows along the forces.

use super::super::{Arrow, Drawing, Line, Point, palette};
use super::sight::Sight;
use super::text::with_unit;
use extricate_dynamics::{AnyBody, BodyKind, WorldContact};

/// Length of the arrow of the greatest force as a share of the scene's size.
const LONGEST: f64 = 0.25;
/// Length of that of no force: the direction is to be seen.
const SHORTEST: f64 = 0.03;
/// Opacity of the bodies, for contacts lie between them.
const OPACITY: f32 = 0.4;
/// Size of the point of a contact without force, which was foreseen only.
const FORESEEN: f32 = 0.5;

/// The contacts of the world, or a note that there are none to be had.
pub(super) fn drawing(sight: &Sight) -> Drawing {
    if !sight.live {
        let notes = vec!["A recording has no contacts.".to_owned()];
        return Drawing { notes, ..Drawing::default() };
    }
    let stands = |body: AnyBody| match body {
        AnyBody::Rigid(index) => sight.world.descriptions()[index].kind == BodyKind::Fixed,
        AnyBody::Soft(_) => false,
    };
    let mut contacts = sight.world.contacts();
    for contact in contacts.iter_mut().filter(|contact| stands(contact.bodies[0])) {
        contact.normal = -contact.normal;
    }
    of(&contacts, sight.size())
}

/// Contacts in a scene of a size [m], with arrows along their normals.
fn of(contacts: &[WorldContact], size: f64) -> Drawing {
    let most = contacts.iter().map(|contact| contact.force).fold(0.0, f64::max);
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
        drawing.points.push(Point { at: contact.point, color, size: if pushes { 1.0 } else { FORESEEN } });
        let share = if most > 0.0 { contact.force / most } else { 0.0 };
        let length = size * (SHORTEST + (LONGEST - SHORTEST) * share);
        let along = length * contact.normal.into_inner();
        drawing.arrows.push(Arrow { from: contact.point, along, color, thickness: 0.6 });
        let ends = [contact.point, contact.point + along];
        drawing.lines.push(Line { ends, color, width: 1.5, on_top: true });
    }
    let bearing = contacts.iter().filter(|contact| contact.force > 0.0).count();
    let deepest = contacts.iter().map(|contact| contact.depth).fold(0.0, f64::max);
    drawing.notes.push(match bearing {
        0 => "No contact bears a force.".to_owned(),
        _ => format!(
            "{bearing} contacts, forces up to {}, depths up to {}",
            with_unit(most, "N"),
            with_unit(deepest, "m")
        ),
    });
    drawing
}
