//! Help: what the scene shows, and what mouse and keys do.

use kiss3d::egui::{Align2, Grid, RichText, ScrollArea, Ui, Window};

use super::room::Room;
use crate::interface::{Action, MOUSE, PanelState, When};

/// Width of the window.
const WIDTH: f32 = 660.0;

/// Shows help in the middle.
pub(super) fn show(room: &mut Room<'_>, state: &PanelState<'_>) {
    let mut is_open = true;
    let width = (WIDTH * room.scale).min(0.9 * room.free.width());
    Window::new("Help")
        .anchor(Align2::CENTER_CENTER, room.size(0.0, 16.0))
        .collapsible(false)
        .resizable(false)
        .fade_in(false)
        .open(&mut is_open)
        .show(room.context, |ui| {
            ui.set_width(width);
            let height = 0.78 * room.free.height();
            ScrollArea::vertical().max_height(height).show(ui, |ui| content(room, ui, state));
        });
    if !is_open {
        room.actions.push(Action::Help);
    }
}

fn content(room: &Room<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    let title = state.title;
    ui.label(RichText::new(&title.title).strong());
    if !title.description.is_empty() {
        ui.label(&title.description);
    }
    ui.separator();
    table(room, ui, "Mouse", MOUSE.iter().map(|&[how, what]| (how, what)));
    for (heading, when) in
        [("Keys", When::Always), ("While a scene runs", When::Playing), ("While sketching", When::Sketching)]
    {
        let keys = state.keys.iter().filter(|binding| binding.when == when);
        table(room, ui, heading, keys.map(|binding| (binding.keys, binding.text)));
    }
}

fn table<'a>(room: &Room<'_>, ui: &mut Ui, heading: &str, rows: impl Iterator<Item = (&'a str, &'a str)>) {
    ui.add_space(4.0 * room.scale);
    ui.label(RichText::new(heading).strong());
    Grid::new(heading).num_columns(2).spacing(room.size(14.0, 2.0)).min_col_width(190.0 * room.scale).show(
        ui,
        |ui| {
            for (how, what) in rows {
                ui.label(RichText::new(how).monospace());
                ui.label(what);
                ui.end_row();
            }
        },
    );
}
