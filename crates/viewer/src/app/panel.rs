//! What stands around the picture: the panels, and that of the sketch.

use kiss3d::egui::{Align2, Context, Window};

use super::session::Session;
use crate::Panels;
use crate::interface::Action;

/// Distance of the sketch's panel from the edge, and from the top, where the bar is [logical pixels].
const EDGE: [f32; 2] = [8.0, 44.0];
/// Its width, and what of the window's height it leaves free [logical pixels].
const WIDTH: f32 = 290.0;
const FREE: f32 = 120.0;

/// Draws the panels, texts larger by `scale`; what they ask for.
pub(super) fn draw(
    panels: &mut Panels,
    context: &Context,
    session: &mut Session,
    (grid, scale): (Option<&str>, f32),
) -> Vec<Action> {
    let mut asked = panels.show(context, &session.panel_state(grid), scale);
    if let Some(sketch) = session.sketch() {
        let [right, top] = EDGE.map(|edge| edge * scale);
        let height = (context.content_rect().height() - FREE * scale).max(FREE * scale);
        let window = Window::new("Sketch").anchor(Align2::RIGHT_TOP, [-right, top]).resizable(false);
        let window = window.default_width(WIDTH * scale).max_height(height);
        window.show(context, |ui| asked.extend(sketch.panel(ui)));
    }
    asked
}
