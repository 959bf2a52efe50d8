//! Sliders for the joints, between their limits.

use std::f64::consts::PI;

use kiss3d::egui::{Grid, Response, Slider, Ui};

use super::super::SketchMode;
use super::matches_filter;
use crate::sketch::text::three_digits;
use extricate_scene::repair::{JointHandle, Unit};

/// Slider range to either side of the value of a joint without limits: an angle [rad], and a length over the maximum radius
/// of a link.
const UNLIMITED_ANGLE: f64 = PI;
const UNLIMITED_LENGTH: f64 = 10.0;

impl SketchMode {
    pub(super) fn joints(&mut self, ui: &mut Ui) {
        for robot in self.sketch.robots() {
            let joints: Vec<_> =
                robot.joints.iter().filter(|joint| matches_filter(&joint.name, &self.panel.filter)).collect();
            if joints.is_empty() {
                continue;
            }
            let title = format!("{}: {} joints", robot.name, joints.len());
            ui.collapsing(title, |ui| {
                Grid::new(("joints", &robot.name)).num_columns(3).show(ui, |ui| {
                    for joint in joints {
                        self.joint(ui, &robot.name, joint);
                        ui.end_row();
                    }
                });
            });
        }
    }

    fn joint(&mut self, ui: &mut Ui, robot: &str, joint: &JointHandle) {
        let (factor, unit, reach) = match joint.unit {
            Unit::Radians => (PI.recip() * 180.0, "°", UNLIMITED_ANGLE),
            Unit::Metres => (1.0, " m", UNLIMITED_LENGTH * self.sketch.ensemble().collision_world().size()),
        };
        let end = |limit: f64, reach: f64| if limit.is_finite() { limit } else { joint.value + reach };
        let ends = [end(joint.limits[0], -reach), end(joint.limits[1], reach)].map(|end| end * factor);
        let text =
            |limit: f64| if limit.is_finite() { three_digits(limit * factor) } else { "∞".to_owned() };
        ui.label(if joint.fixed { format!("{} (fixed)", joint.name) } else { joint.name.clone() });
        let mut value = joint.value * factor;
        let response = ui.add(Slider::new(&mut value, ends[0]..=ends[1]).suffix(unit).max_decimals(3));
        let lower = if joint.limits[0].is_finite() { text(joint.limits[0]) } else { "-∞".to_owned() };
        ui.weak(format!("{lower} … {}{unit}", text(joint.limits[1])));
        self.as_one_step(&response);
        if response.changed() {
            let set = self.sketch.set_joint(robot, &joint.name, value / factor);
            self.report(set.map(|_| None));
            self.settling |= self.following && !response.dragged();
        }
        self.end_drag_after(&response);
    }

    /// Makes a drag of a widget one undo step.
    pub(super) fn as_one_step(&mut self, response: &Response) {
        if response.drag_started() {
            self.end_drag();
            self.sketch.begin_undo_group();
        }
    }

    /// Ends the undo step of a drag of a widget, and lets the sketch take the following pose.
    pub(super) fn end_drag_after(&mut self, response: &Response) {
        if response.drag_stopped() {
            self.settling = self.following;
            if !self.settling {
                self.sketch.end_undo_group();
            }
        }
    }
}
