//! Panel of a sketch: collisions, report of the last repair, joints, bodies, and files.

mod bodies;
mod joints;
mod repair_report;

use std::path::PathBuf;

use kiss3d::egui::{Button, Color32, DragValue, RichText, ScrollArea, Ui};

use super::SketchMode;
use super::text::metres;
use crate::interface::Action;
use crate::{Color, palette};
use extricate_core::penetration::Effort;

/// Maximum number of listed colliding pairs, and of listed joints at their limits.
const LISTED: usize = 8;
/// Free height below the panel, and minimum height of its lower part [logical pixels].
const EDGE: f32 = 24.0;
const MIN: f32 = 120.0;
/// Change of the clearance per pixel of a drag over the size of the scene.
const FINE: f64 = 1e-5;

impl SketchMode {
    /// Draws the panel and executes its actions; returns those that concern more than the sketch: to simulate or close it.
    pub fn panel(&mut self, ui: &mut Ui) -> Vec<Action> {
        let mut requested = Vec::new();
        self.buttons(ui, &mut requested);
        ui.separator();
        self.collisions(ui);
        let tall = (ui.ctx().content_rect().bottom() - ui.cursor().top() - EDGE).max(MIN);
        let area =
            ScrollArea::vertical().auto_shrink([false, true]).min_scrolled_height(tall).max_height(tall);
        area.show(ui, |ui| {
            self.repair_report(ui);
            ui.horizontal(|ui| {
                ui.label("Filter");
                ui.text_edit_singleline(&mut self.panel.filter);
            });
            self.joints(ui);
            self.bodies(ui);
            self.files(ui, &mut requested);
        });
        requested.retain(|action| !self.handle(action));
        self.tick();
        requested
    }

    fn buttons(&mut self, ui: &mut Ui, requested: &mut Vec<Action>) {
        let [past, future] = self.sketch.steps();
        ui.horizontal_wrapped(|ui| {
            let repair = if self.repairing { "Repairing…" } else { "Repair (Enter)" };
            if ui.add_enabled(!self.repairing, Button::new(repair)).clicked() {
                requested.push(Action::Repair);
            }
            if ui.selectable_label(self.following, "While dragging (T)").clicked() {
                requested.push(Action::Follow);
            }
            if ui.add_enabled(past > 0, Button::new("Undo (Z)")).clicked() {
                requested.push(Action::Undo);
            }
            if ui.add_enabled(future > 0, Button::new("Redo (Y)")).clicked() {
                requested.push(Action::Redo);
            }
            if ui.button("Simulate").clicked() {
                requested.push(Action::Simulate);
            }
            if ui.button("Close (E)").clicked() {
                requested.push(Action::Sketch);
            }
        });
        ui.horizontal(|ui| {
            let mut thorough = self.panel.effort == Effort::Best;
            ui.checkbox(&mut thorough, "Thorough");
            self.panel.effort = if thorough { Effort::Best } else { Effort::Fast };
            ui.label("Clearance [m]");
            let speed = FINE * self.sketch.ensemble().collision_world().size();
            let value = DragValue::new(&mut self.panel.clearance).speed(speed).range(0.0..=f64::MAX);
            ui.add(value.max_decimals(6));
        });
    }

    /// Colliding pairs, joints at their limits, and the state of the following pose.
    fn collisions(&mut self, ui: &mut Ui) {
        let (pairs, more) = match self.sketch.colliding() {
            Ok(found) => (found.iter().take(LISTED).cloned().collect(), found.len().saturating_sub(LISTED)),
            Err(_) => (Vec::new(), 0),
        };
        if pairs.is_empty() {
            ui.label(strong("Free: no collisions", palette::FREE));
        } else {
            let count = pairs.len() + more;
            let text =
                if count == 1 { "1 colliding pair".to_owned() } else { format!("{count} colliding pairs") };
            ui.label(strong(&text, palette::COLLIDING));
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
            ui.label(format!("At limits: {listed}{more}"));
        }
        if self.following
            && let Some((_, followed)) = &self.followed
        {
            let held = if followed.held { ", blocked" } else { "" };
            let time = self.panel.time_to_follow.map_or(0.0, |time| time.as_secs_f64() * 1e3);
            ui.label(format!("Free at √σ = {}{held} ({time:.1} ms)", metres(followed.depth)));
        }
    }

    /// Fields for saving the sketch.
    fn files(&mut self, ui: &mut Ui, requested: &mut Vec<Action>) {
        ui.collapsing("Save", |ui| {
            ui.text_edit_singleline(&mut self.panel.path).on_hover_text(
                "name.ron saves the scene, name.json the joints of a robot; empty: a new file beside the scene",
            );
            if self.sketch.scene().robots.len() > 1 {
                for robot in &self.sketch.scene().robots {
                    let chosen = Some(robot.name.clone());
                    ui.radio_value(&mut self.panel.robot, chosen, format!("Joints of {}", robot.name));
                }
            }
            ui.checkbox(&mut self.panel.over_source, "Allow overwriting the scene file");
            if ui.button("Save (S)").clicked() {
                let path = self.panel.path.trim();
                requested.push(if path.is_empty() { Action::Save } else { Action::SaveAs(PathBuf::from(path)) });
            }
        });
    }
}

/// Whether a name matches the filter.
fn matches_filter(name: &str, filter: &str) -> bool {
    let filter = filter.trim().to_lowercase();
    filter.is_empty() || name.to_lowercase().contains(&filter)
}

fn strong(text: &str, color: Color) -> RichText {
    let [red, green, blue, _] = color.bytes();
    RichText::new(text).strong().color(Color32::from_rgb(red, green, blue))
}
