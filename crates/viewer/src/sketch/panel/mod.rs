//! The panel of a sketch: what collides, what a repair came to, joints and bodies by number, and files.

mod answer;
mod bodies;
mod joints;

use std::path::PathBuf;

use kiss3d::egui::{Button, Color32, DragValue, RichText, ScrollArea, Ui};

use super::SketchMode;
use super::text::metres;
use crate::interface::Action;
use crate::{Color, palette};
use extricate_core::penetration::Effort;

/// Pairs that collide, and joints at their limits, that are listed.
const LISTED: usize = 8;
/// What stays free below the panel, and how tall its lower part is at least [logical pixels].
const EDGE: f32 = 24.0;
const LEAST: f32 = 120.0;
/// Share of the size of the scene by which a pixel changes a clearance.
const FINE: f64 = 1e-5;

impl SketchMode {
    /// Draws the panel. What it is asked for that concerns more than the sketch is returned: to simulate it, or to end.
    pub fn panel(&mut self, ui: &mut Ui) -> Vec<Action> {
        let mut asked = Vec::new();
        self.buttons(ui, &mut asked);
        ui.separator();
        self.collisions(ui);
        let tall = (ui.ctx().content_rect().bottom() - ui.cursor().top() - EDGE).max(LEAST);
        let area =
            ScrollArea::vertical().auto_shrink([false, true]).min_scrolled_height(tall).max_height(tall);
        area.show(ui, |ui| {
            self.answer(ui);
            ui.horizontal(|ui| {
                ui.label("find");
                ui.text_edit_singleline(&mut self.panel.filter);
            });
            self.joints(ui);
            self.bodies(ui);
            self.files(ui, &mut asked);
        });
        asked.retain(|action| !self.handle(action));
        self.tick();
        asked
    }

    fn buttons(&mut self, ui: &mut Ui, asked: &mut Vec<Action>) {
        let [past, future] = self.sketch.steps();
        ui.horizontal_wrapped(|ui| {
            let repair = if self.repairing { "Repairing …" } else { "Repair (Enter)" };
            if ui.add_enabled(!self.repairing, Button::new(repair)).clicked() {
                asked.push(Action::Repair);
            }
            if ui.selectable_label(self.following, "as I drag (T)").clicked() {
                asked.push(Action::Follow);
            }
            if ui.add_enabled(past > 0, Button::new("Undo (Z)")).clicked() {
                asked.push(Action::Undo);
            }
            if ui.add_enabled(future > 0, Button::new("Redo (Y)")).clicked() {
                asked.push(Action::Redo);
            }
            if ui.button("Simulate").clicked() {
                asked.push(Action::Simulate);
            }
            if ui.button("End (E)").clicked() {
                asked.push(Action::Sketch);
            }
        });
        ui.horizontal(|ui| {
            let mut thorough = self.panel.effort == Effort::Best;
            ui.checkbox(&mut thorough, "thorough");
            self.panel.effort = if thorough { Effort::Best } else { Effort::Fast };
            ui.label("keep apart [m]");
            let speed = FINE * self.sketch.ensemble().arrangement().size();
            let value = DragValue::new(&mut self.panel.clearance).speed(speed).range(0.0..=f64::MAX);
            ui.add(value.max_decimals(6));
        });
    }

    /// Whether anything collides, and what.
    fn collisions(&mut self, ui: &mut Ui) {
        let (pairs, more) = match self.sketch.colliding() {
            Ok(found) => (found.iter().take(LISTED).cloned().collect(), found.len().saturating_sub(LISTED)),
            Err(_) => (Vec::new(), 0),
        };
        if pairs.is_empty() {
            ui.label(strong("free: nothing collides", palette::FREE));
        } else {
            let count = pairs.len() + more;
            let told =
                if count == 1 { "1 pair collides".to_owned() } else { format!("{count} pairs collide") };
            ui.label(strong(&told, palette::COLLIDING));
        }
        for pair in &pairs {
            let depth = pair.depth.map_or_else(String::new, |depth| format!("  {}", metres(depth)));
            ui.label(format!("{} – {}{depth}", pair.names[0], pair.names[1]));
        }
        if more > 0 {
            ui.label(format!("and {more} others"));
        }
        if let Some(dragged) = &self.panel.dragged
            && !dragged.at_limit.is_empty()
        {
            let listed = dragged.at_limit.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
            let more = dragged.at_limit.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} others") } else { String::new() };
            ui.label(format!("at their limits: {listed}{more}"));
        }
        if self.following
            && let Some((_, followed)) = &self.followed
        {
            let held = if followed.held { ", something is in the way" } else { "" };
            let time = self.panel.time_to_follow.map_or(0.0, |time| time.as_secs_f64() * 1e3);
            ui.label(format!("free at √σ = {}{held} ({time:.1} ms)", metres(followed.depth)));
        }
    }

    /// Where the sketch is saved.
    fn files(&mut self, ui: &mut Ui, asked: &mut Vec<Action>) {
        ui.collapsing("Save", |ui| {
            ui.text_edit_singleline(&mut self.panel.path).on_hover_text(
                "name.ron saves the scene, name.json the joints of a robot; without a name, a new file beside the scene",
            );
            if self.sketch.scene().robots.len() > 1 {
                for robot in &self.sketch.scene().robots {
                    let chosen = Some(robot.name.clone());
                    ui.radio_value(&mut self.panel.robot, chosen, format!("joints of {}", robot.name));
                }
            }
            ui.checkbox(&mut self.panel.over_source, "the file of the scene itself may be written over");
            if ui.button("Save (S)").clicked() {
                let path = self.panel.path.trim();
                asked.push(if path.is_empty() { Action::Save } else { Action::SaveAs(PathBuf::from(path)) });
            }
        });
    }
}

/// Whether something is among what is looked for.
fn is_wanted(name: &str, filter: &str) -> bool {
    let filter = filter.trim().to_lowercase();
    filter.is_empty() || name.to_lowercase().contains(&filter)
}

fn strong(text: &str, color: Color) -> RichText {
    let [red, green, blue, _] = color.bytes();
    RichText::new(text).strong().color(Color32::from_rgb(red, green, blue))
}
