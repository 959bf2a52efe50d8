//! Layers panel: a checkbox for each optional layer, with its settings.

use kiss3d::egui::{Align2, Button, ComboBox, DragValue, RichText, Slider, Ui};

use super::layout::PanelLayout;
use crate::interface::{Action, Layer, PanelState, action_named};
use crate::soft_quantity::SoftQuantity;

/// Width of the panel [logical pixels].
const WIDTH: f32 = 190.0;
/// Maximum level of the bounding volume hierarchies that can be shown.
const DEEPEST: usize = 24;

/// Shows the panel in the upper left corner.
pub(super) fn show(layout: &mut PanelLayout<'_>, state: &PanelState<'_>) {
    layout.panel("layers", Align2::LEFT_TOP, WIDTH, |layout, ui| {
        for layer in Layer::ALL {
            switch(layout, ui, state, layer);
            if state.display.layers.has(layer) {
                detail(layout, ui, state, layer);
            }
        }
        if !state.models.soft.is_empty() {
            coloring(layout, ui, state);
        }
    });
}

fn switch(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>, layer: Layer) {
    ui.horizontal(|ui| {
        let mut is_shown = state.display.layers.has(layer);
        if ui.checkbox(&mut is_shown, layer.name()).changed() {
            layout.actions.push(Action::Toggle(layer));
        }
        ui.weak(RichText::new(key(state, &Action::Toggle(layer))).small());
    });
}

/// Names of the keys of an action, empty if none is bound.
fn key(state: &PanelState<'_>, action: &Action) -> &'static str {
    let does = |keys: &str| action_named(keys, state.sketching).as_ref() == Some(action);
    state.keys.iter().map(|binding| binding.keys).find(|keys| does(keys)).unwrap_or_default()
}

fn detail(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>, layer: Layer) {
    match layer {
        Layer::Trees => {
            let mut level = state.display.tree_level;
            if ui.add(Slider::new(&mut level, 0..=DEEPEST).text("Level")).changed() {
                layout.actions.push(Action::TreeLevel(level));
            }
        }
        Layer::Walk => walk(layout, ui, state.display.walk_step, state.snapshot.walk_steps),
        Layer::Field => {
            let mut slice = state.display.slice;
            if ui.add(Slider::new(&mut slice, 0.0..=1.0).fixed_decimals(2).text("Slice")).changed() {
                layout.actions.push(Action::Slice(slice));
            }
        }
        Layer::Contacts | Layer::Penetrations | Layer::Depth => {}
    }
}

fn walk(layout: &mut PanelLayout<'_>, ui: &mut Ui, step: usize, steps: usize) {
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
            layout.actions.push(Action::WalkStep(at));
        }
    });
}

fn coloring(layout: &mut PanelLayout<'_>, ui: &mut Ui, state: &PanelState<'_>) {
    ui.separator();
    ui.horizontal(|ui| {
        ui.label("Soft bodies");
        ui.weak(RichText::new(key(state, &Action::NextColoring)).small());
    });
    let now = state.display.coloring;
    let choice = ComboBox::from_id_salt("colouring").selected_text(SoftQuantity::name(now));
    choice.width(ui.available_width()).show_ui(ui, |ui| {
        for coloring in SoftQuantity::CHOICES {
            if ui.selectable_label(coloring == now, SoftQuantity::name(coloring)).clicked() {
                layout.actions.push(Action::Color(coloring));
            }
        }
    });
}
