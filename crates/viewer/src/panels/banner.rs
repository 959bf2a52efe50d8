//! Banner with messages: errors and notes.

use kiss3d::egui::{Align2, RichText, ScrollArea, Stroke, Ui};

use super::layout::PanelLayout;
use crate::interface::{Action, MessageKind, PanelState};
use crate::palette;
use crate::stage::ink;

/// Maximum width of the banner [logical pixels].
const WIDTH: f32 = 640.0;
/// Maximum fraction of the picture's height that texts take.
const HEIGHT: f32 = 0.16;

/// Shows the message and the error that stopped the simulation, if there are any, at the lower edge.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>) {
    let failure = state.snapshot.failure.as_deref();
    if state.message.is_none() && failure.is_none() {
        return;
    }
    let texts = usize::from(state.message.is_some()) + usize::from(failure.is_some());
    let height = HEIGHT * layout.free.height() / texts as f32;
    let width = WIDTH.min(0.5 * layout.free.width() / layout.scale);
    layout.panel("banner", Align2::CENTER_BOTTOM, width, |layout, ui| {
        if let Some(failure) = failure {
            head(layout, ui, "Simulation stopped", true, None);
            body(ui, failure, height);
        }
        if let Some(message) = state.message {
            let is_error = message.kind == MessageKind::Error;
            head(layout, ui, if is_error { "Error" } else { "Note" }, is_error, Some(Action::Escape));
            body(ui, &message.text, height);
        }
    });
}

fn head(layout: &mut PanelLayout<'_>, ui: &mut Ui, title: &str, is_error: bool, dismiss: Option<Action>) {
    let color = ink(if is_error { palette::VERMILION } else { palette::BLUE });
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).strong().color(color));
        if let Some(dismiss) = dismiss {
            layout.button(ui, "×", "Dismiss (Esc)", dismiss);
        }
    });
    let rect = ui.min_rect();
    let line = [rect.left_bottom(), rect.right_bottom()];
    ui.painter().line_segment(line, Stroke::new(1.5 * layout.scale, color));
}

fn body(ui: &mut Ui, text: &str, height: f32) {
    ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.label(RichText::new(text).monospace());
    });
}
