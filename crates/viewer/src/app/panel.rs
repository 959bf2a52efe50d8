//! Drawing of the panels, including that of the sketch.

use kiss3d::egui::{Align2, Context, Window};

use super::session::Session;
use crate::Panels;
use crate::interface::Action;

/// Distance of the sketch panel from the right edge, and from the top, where the toolbar is [logical pixels].
const EDGE: [f32; 2] = [8.0, 44.0];
/// Width of the sketch panel, and height of the window that it leaves free [logical pixels].
const WIDTH: f32 = 290.0;
const FREE: f32 = 120.0;

/// Draws the panels, scaled by `scale`, and returns the actions that they request.
pub(super) fn draw(
    panels: &mut Panels,
    context: &Context,
    session: &mut Session,
    (grid, scale): (Option<&str>, f32),
) -> Vec<Action> {
    let mut requested = panels.show(context, &session.panel_state(grid), scale);
    if let Some(sketch) = session.sketch() {
        let [right, top] = EDGE.map(|edge| edge * scale);
        let height = (context.content_rect().height() - FREE * scale).max(FREE * scale);
        let window = Window::new("Sketch").anchor(Align2::RIGHT_TOP, [-right, top]).resizable(false);
        let window = window.default_width(WIDTH * scale).max_height(height);
        window.show(context, |ui| requested.extend(sketch.panel(ui)));
    }
    requested
}
