//! Joints by number: a slider for each, between its limits.

use std::f64::consts::PI;

use kiss3d::egui::{Grid, Response, Slider, Ui};

use super::super::SketchMode;
use super::is_wanted;
use crate::sketch::text::three_digits;
use extricate_scene::repair::{JointHandle, Unit};

/// Reach of the slider of a joint without limits: a turn, and as a share of the greatest radius of a link.
const TURN: f64 = PI;
const SHIFT: f64 = 10.0;

impl SketchMode {
    pub(super) fn joints(&mut self, ui: &mut Ui) {
        for robot in self.sketch.robots() {
            let joints: Vec<_> =
                robot.joints.iter().filter(|joint| is_wanted(&joint.name, &self.panel.filter)).collect();
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
            Unit::Radians => (PI.recip() * 180.0, "°", TURN),
            Unit::Metres => (1.0, " m", SHIFT * self.sketch.ensemble().arrangement().size()),
        };
        let end = |limit: f64, reach: f64| if limit.is_finite() { limit } else { joint.value + reach };
        let ends = [end(joint.limits[0], -reach), end(joint.limits[1], reach)].map(|end| end * factor);
        let told =
            |limit: f64| if limit.is_finite() { three_digits(limit * factor) } else { "∞".to_owned() };
        ui.label(if joint.fixed { format!("{} (fixed)", joint.name) } else { joint.name.clone() });
        let mut value = joint.value * factor;
        let response = ui.add(Slider::new(&mut value, ends[0]..=ends[1]).suffix(unit).max_decimals(3));
        let lower = if joint.limits[0].is_finite() { told(joint.limits[0]) } else { "-∞".to_owned() };
        ui.weak(format!("{lower} … {}{unit}", told(joint.limits[1])));
        self.as_one_step(&response);
        if response.changed() {
            let set = self.sketch.set_joint(robot, &joint.name, value / factor);
            self.tell(set.map(|_| None));
            self.settling |= self.following && !response.dragged();
        }
        self.let_go_after(&response);
    }

    /// A drag of a widget is one step to be undone.
    pub(super) fn as_one_step(&mut self, response: &Response) {
        if response.drag_started() {
            self.let_go();
            self.sketch.hold();
        }
    }

    /// Ends the step of a drag of a widget, and lets the sketch go to where it was followed to.
    pub(super) fn let_go_after(&mut self, response: &Response) {
        if response.drag_stopped() {
            self.settling = self.following;
            if !self.settling {
                self.sketch.release();
            }
        }
    }
}
