//! Messages: what went wrong, or is good to know.

use kiss3d::egui::{Align2, RichText, ScrollArea, Stroke, Ui};

use super::room::Room;
use crate::interface::{Action, MessageKind, PanelState};
use crate::palette;
use crate::stage::ink;

/// Greatest width of the banner.
const WIDTH: f32 = 640.0;
/// Part of the picture's height that texts take at most.
const HEIGHT: f32 = 0.16;

/// Shows the message and why time does not pass, if there are any, at the lower edge.
pub(super) fn show(room: &mut Room<'_>, state: &PanelState<'_>) {
    let failure = state.snapshot.failure.as_deref();
    if state.message.is_none() && failure.is_none() {
        return;
    }
    let texts = usize::from(state.message.is_some()) + usize::from(failure.is_some());
    let height = HEIGHT * room.free.height() / texts as f32;
    let width = WIDTH.min(0.5 * room.free.width() / room.scale);
    room.panel("banner", Align2::CENTER_BOTTOM, width, |room, ui| {
        if let Some(failure) = failure {
            head(room, ui, "It does not go on", true, None);
            body(ui, failure, height);
        }
        if let Some(message) = state.message {
            let is_error = message.kind == MessageKind::Error;
            head(room, ui, if is_error { "Error" } else { "Note" }, is_error, Some(Action::Escape));
            body(ui, &message.text, height);
        }
    });
}

fn head(room: &mut Room<'_>, ui: &mut Ui, title: &str, is_error: bool, away: Option<Action>) {
    let color = ink(if is_error { palette::VERMILION } else { palette::BLUE });
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).strong().color(color));
        if let Some(away) = away {
            room.button(ui, "×", "Take it away (Esc)", away);
        }
    });
    let rect = ui.min_rect();
    let line = [rect.left_bottom(), rect.right_bottom()];
    ui.painter().line_segment(line, Stroke::new(1.5 * room.scale, color));
}

fn body(ui: &mut Ui, text: &str, height: f32) {
    ScrollArea::both().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        ui.label(RichText::new(text).monospace());
    });
}
