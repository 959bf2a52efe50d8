//! Toolbar: time controls, and the position in a recording.

use std::path::PathBuf;

use kiss3d::egui::{Align, Label, Layout, Pos2, Rect, RichText, Slider, Ui};
use kiss3d::egui::{Area, Id, Order};

use super::layout::{MARGIN, PanelLayout};
use crate::interface::{Action, PanelState, Recorded};
use crate::overlay::text::with_unit;

/// Shows the toolbar along the upper edge, and removes its height from the free area.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>) {
    let screen = layout.free;
    let area = Area::new(Id::new("bar")).order(Order::Middle).fixed_pos(screen.min).fade_in(false);
    let shown = area.constrain(false).show(layout.context, |ui| {
        let frame = layout.frame(ui).corner_radius(0.0);
        frame.show(ui, |ui| {
            let margin = 2.0 * MARGIN * layout.scale;
            ui.set_width(screen.width() - margin);
            ui.horizontal(|ui| {
                buttons(layout, ui, state);
                ui.separator();
                clock(ui, state);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| right(layout, ui, state));
            });
            if let Some(recorded) = state.snapshot.recorded {
                scrub(layout, ui, &recorded);
            }
        });
    });
    let top = shown.response.rect.max.y;
    layout.free = Rect::from_min_max(Pos2::new(screen.min.x, top), screen.max);
}

fn buttons(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    let clock = state.snapshot.clock;
    let is_recording = state.snapshot.recorded.is_some();
    let play = if clock.playing { ["⏸", "Pause (space)"] } else { ["▶", "Play (space)"] };
    layout.button(ui, "⏮", "Reset to the start (R)", Action::Reset);
    if is_recording {
        layout.button(ui, "⏪", "Previous state (,)", Action::StepBack);
    }
    layout.button(ui, play[0], play[1], Action::PlayPause);
    let step = if is_recording { ["⏩", "Next state (.)"] } else { ["⏭", "Single step (.)"] };
    layout.button(ui, step[0], step[1], Action::Step);
    ui.separator();
    layout.button(ui, "-", "Half speed", Action::Slower);
    ui.label(speed(clock.speed));
    layout.button(ui, "+", "Double speed", Action::Faster);
}

/// Text of a speed: a quarter is `1/4 ×`.
fn speed(speed: f64) -> String {
    let inverse = speed.recip();
    if speed < 1.0 && (inverse - inverse.round()).abs() < 1e-6 * inverse {
        format!("1/{inverse:.0} ×")
    } else {
        format!("{} ×", (speed * 100.0).round() / 100.0)
    }
}

fn clock(ui: &mut Ui, state: &PanelState<'_>) {
    let snapshot = state.snapshot;
    let now = &snapshot.state;
    ui.label(RichText::new(format!("{:.3} s", now.time)).monospace().strong());
    ui.label(RichText::new(format!("Step {}", now.step)).monospace());
    let clock = snapshot.clock;
    if !(clock.playing && clock.achieved > 0.0) {
        return;
    }
    let steps = clock.achieved / state.title.time_step;
    if steps.is_finite() && snapshot.recorded.is_none() {
        ui.label(RichText::new(format!("{steps:.0} steps/s")).monospace());
    }
    let achieved = RichText::new(format!("{:.2} × real time", clock.achieved)).monospace();
    let color = if clock.behind { ui.visuals().warn_fg_color } else { ui.visuals().text_color() };
    let achieved = ui.label(achieved.color(color));
    if clock.behind {
        achieved.on_hover_text("Steps take too long for the set speed.");
    }
}

fn right(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    layout.button(ui, "?", "Help (H)", Action::Help);
    if state.snapshot.recorded.is_none() {
        let sketch = ui.selectable_label(state.sketching, "Sketch");
        if sketch.on_hover_text("Pose and repair (E)").clicked() {
            layout.actions.push(Action::Sketch);
        }
    }
    ui.separator();
    if !state.recent.is_empty() {
        let menu = ui.menu_button("Recent", |ui| recent(layout, ui, state.recent));
        menu.response.on_hover_text("Scenes and runs opened before");
    }
    if let Some(grid) = state.grid {
        ui.weak(format!("Grid {grid}"));
    }
    if state.picture_seconds > 0.0 {
        ui.weak(with_unit(state.picture_seconds, "s")).on_hover_text("Time per picture");
    }
    let name = Label::new(RichText::new(&state.title.name).strong()).truncate();
    ui.add(name).on_hover_text(&state.title.title);
}

/// Entries of the menu of recent scenes and runs.
fn recent(layout: &mut PanelLayout<'_>, ui: &mut Ui, paths: &[PathBuf]) {
    for path in paths {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
            layout.actions.push(Action::Open(path.clone()));
            ui.close();
        }
    }
}

/// A slider over all states of a recording.
fn scrub(layout: &mut PanelLayout<'_>, ui: &mut Ui, recorded: &Recorded) {
    ui.horizontal(|ui| {
        let last = recorded.states.saturating_sub(1);
        let end = if recorded.complete { "" } else { ", incomplete" };
        let text = format!("State {} of {last}, {:.3} s{end}", recorded.at, recorded.duration);
        // The rest of the line is for the text beside the slider.
        let width = ui.available_width() - 260.0 * layout.scale;
        ui.spacing_mut().slider_width = width.max(80.0 * layout.scale);
        let mut at = recorded.at;
        if ui.add(Slider::new(&mut at, 0..=last).show_value(false)).changed() {
            layout.actions.push(Action::Seek(at));
        }
        ui.label(RichText::new(text).monospace());
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_below_one_are_shown_as_fractions() {
        for (value, text) in
            [(0.25, "1/4 ×"), (1.0, "1 ×"), (1.0 / 16.0, "1/16 ×"), (0.3, "0.3 ×"), (8.0, "8 ×")]
        {
            assert_eq!(speed(value), text);
        }
    }
}
