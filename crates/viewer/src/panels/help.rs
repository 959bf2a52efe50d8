//! Help window: description of the scene, mouse gestures and keys.

use kiss3d::egui::{Align2, Grid, RichText, ScrollArea, Ui, Window};

use super::layout::PanelLayout;
use crate::interface::{Action, KeyContext, MOUSE, PanelState};

/// Width of the window [logical pixels].
const WIDTH: f32 = 660.0;

/// Shows the help window in the middle.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>) {
    let mut is_open = true;
    let width = (WIDTH * layout.scale).min(0.9 * layout.free.width());
    Window::new("Help")
        .anchor(Align2::CENTER_CENTER, layout.size(0.0, 16.0))
        .collapsible(false)
        .resizable(false)
        .fade_in(false)
        .open(&mut is_open)
        .show(layout.context, |ui| {
            ui.set_width(width);
            let height = 0.78 * layout.free.height();
            ScrollArea::vertical().max_height(height).show(ui, |ui| content(layout, ui, state));
        });
    if !is_open {
        layout.actions.push(Action::Help);
    }
}

fn content(layout: &PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    let title = state.title;
    ui.label(RichText::new(&title.title).strong());
    if !title.description.is_empty() {
        ui.label(&title.description);
    }
    ui.separator();
    table(layout, ui, "Mouse", MOUSE.iter().map(|&[how, what]| (how, what)));
    for (heading, context) in [
        ("General", KeyContext::Always),
        ("Playback", KeyContext::Playing),
        ("Sketch", KeyContext::Sketching),
    ] {
        let keys = state.keys.iter().filter(|binding| binding.context == context);
        table(layout, ui, heading, keys.map(|binding| (binding.keys, binding.text)));
    }
}

fn table<'a>(
    layout: &PanelLayout<'_>,
    ui: &mut Ui,
    heading: &str,
    rows: impl Iterator<Item = (&'a str, &'a str)>,
) {
    ui.add_space(4.0 * layout.scale);
    ui.label(RichText::new(heading).strong());
    Grid::new(heading)
        .num_columns(2)
        .spacing(layout.size(14.0, 2.0))
        .min_col_width(190.0 * layout.scale)
        .show(ui, |ui| {
            for (how, what) in rows {
                ui.label(RichText::new(how).monospace());
                ui.label(what);
                ui.end_row();
            }
        });
}
