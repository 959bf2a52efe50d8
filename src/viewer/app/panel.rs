//! The panels in the window.

use kiss3d::egui::{Align2, Context, Window};

use super::action::Action;
use super::session::Session;

/// Distance of panels from the edges [logical pixels].
const EDGE: f32 = 12.0;

/// Draws the panels; what they ask for.
pub(super) fn draw(context: &Context, session: &mut Session, grid: Option<&str>) -> Vec<Action> {
    let mut asked = Vec::new();
    if let Some(sketch) = session.sketch() {
        let window = Window::new("Sketch").anchor(Align2::RIGHT_TOP, [-EDGE, EDGE]);
        window.show(context, |ui| asked.extend(sketch.panel(ui)));
    }
    let _ = session.panel_state(grid);
    asked
}
