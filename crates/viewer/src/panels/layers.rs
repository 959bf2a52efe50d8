//! What is drawn on demand: a switch each, with what it needs to know.

use kiss3d::egui::{Align2, Button, ComboBox, DragValue, RichText, Slider, Ui};

use super::room::Room;
use crate::interface::{Action, Layer, PanelState, action_named};
use crate::soft_quantity::SoftQuantity;

/// Width of the panel.
const WIDTH: f32 = 190.0;
/// Deepest level of trees that can be shown.
const DEEPEST: usize = 24;

/// Shows the switches in the upper left corner.
pub(super) fn show(room: &mut Room<'_>, state: &PanelState<'_>) {
    room.panel("layers", Align2::LEFT_TOP, WIDTH, |room, ui| {
        for layer in Layer::ALL {
            switch(room, ui, state, layer);
            if state.wants.layers.has(layer) {
                detail(room, ui, state, layer);
            }
        }
        if !state.models.soft.is_empty() {
            coloring(room, ui, state);
        }
    });
}

fn switch(room: &mut Room<'_>, ui: &mut Ui, state: &PanelState<'_>, layer: Layer) {
    ui.horizontal(|ui| {
        let mut is_shown = state.wants.layers.has(layer);
        if ui.checkbox(&mut is_shown, layer.name()).changed() {
            room.actions.push(Action::Toggle(layer));
        }
        ui.weak(RichText::new(key(state, &Action::Toggle(layer))).small());
    });
}

/// The key of an action as it is read, nothing if there is none.
fn key(state: &PanelState<'_>, action: &Action) -> &'static str {
    let does = |keys: &str| action_named(keys, state.sketching).as_ref() == Some(action);
    state.keys.iter().map(|binding| binding.keys).find(|keys| does(keys)).unwrap_or_default()
}

fn detail(room: &mut Room<'_>, ui: &mut Ui, state: &PanelState<'_>, layer: Layer) {
    match layer {
        Layer::Trees => {
            let mut level = state.wants.tree_level;
            if ui.add(Slider::new(&mut level, 0..=DEEPEST).text("level")).changed() {
                room.actions.push(Action::TreeLevel(level));
            }
        }
        Layer::Walk => walk(room, ui, state.wants.walk_step, state.snapshot.walk_steps),
        Layer::Field => {
            let mut slice = state.wants.slice;
            if ui.add(Slider::new(&mut slice, 0.0..=1.0).fixed_decimals(2).text("slice")).changed() {
                room.actions.push(Action::Slice(slice));
            }
        }
        Layer::Contacts | Layer::Penetrations | Layer::Depth => {}
    }
}

fn walk(room: &mut Room<'_>, ui: &mut Ui, step: usize, steps: usize) {
    let last = steps.saturating_sub(1);
    ui.horizontal(|ui| {
        let mut at = step.min(last);
        if ui.add_enabled(at > 0, Button::new("⏴")).clicked() {
            at -= 1;
        }
        ui.add(DragValue::new(&mut at).range(0..=last).speed(0.1));
        if ui.add_enabled(at < last, Button::new("⏵")).clicked() {
            at += 1;
        }
        ui.label(format!("of {last} steps"));
        if at != step.min(last) {
            room.actions.push(Action::WalkStep(at));
        }
    });
}

fn coloring(room: &mut Room<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    ui.separator();
    ui.horizontal(|ui| {
        ui.label("Soft bodies");
        ui.weak(RichText::new(key(state, &Action::NextColoring)).small());
    });
    let now = state.wants.coloring;
    let choice = ComboBox::from_id_salt("colouring").selected_text(SoftQuantity::name(now));
    choice.width(ui.available_width()).show_ui(ui, |ui| {
        for coloring in SoftQuantity::CHOICES {
            if ui.selectable_label(coloring == now, SoftQuantity::name(coloring)).clicked() {
                room.actions.push(Action::Color(coloring));
            }
        }
    });
}
