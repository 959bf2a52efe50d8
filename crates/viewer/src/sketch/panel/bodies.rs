//! Numeric fields for the poses of bodies and robot bases.

use kiss3d::egui::{DragValue, Ui};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::super::SketchMode;
use super::matches_filter;
use extricate_scene::repair::Mobility;

/// Displacement per pixel of a drag over the maximum radius of a link, and rotation per pixel [°].
const SHIFT_SPEED: f64 = 0.005;
const ANGLE_SPEED: f64 = 0.5;

impl SketchMode {
    pub(super) fn bodies(&mut self, ui: &mut Ui) {
        let filter = self.panel.filter.clone();
        let bases =
            self.sketch.robots().into_iter().map(|robot| (true, robot.name, robot.base, robot.mobility));
        let bodies =
            self.sketch.bodies().into_iter().map(|body| (false, body.name, body.pose, body.mobility));
        let all: Vec<_> = bases.chain(bodies).filter(|(_, name, ..)| matches_filter(name, &filter)).collect();
        if all.is_empty() {
            return;
        }
        ui.collapsing(format!("{} bodies and bases", all.len()), |ui| {
            for (is_base, name, pose, standing) in all {
                let what = match standing {
                    Mobility::Free => "",
                    Mobility::Fixed => " (fixed in repairs)",
                    Mobility::Tied => " (held by a joint, a handle or another body)",
                };
                ui.label(format!("{name}{what}"));
                if standing == Mobility::Tied {
                    continue;
                }
                if let Some(pose) = self.pose_fields(ui, &pose) {
                    let moved = if is_base {
                        self.sketch.move_base(&name, &pose)
                    } else {
                        self.sketch.move_body(&name, &pose)
                    };
                    self.report(moved.map(|()| None));
                    self.settling |= self.following && !ui.input(|input| input.pointer.any_down());
                }
            }
        });
    }

    /// Fields for position [m] and angles about x, y, z [°]. Returns the new pose if it was changed.
    fn pose_fields(&mut self, ui: &mut Ui, pose: &Isometry3<f64>) -> Option<Isometry3<f64>> {
        let mut position = pose.translation.vector;
        let (roll, pitch, yaw) = pose.rotation.euler_angles();
        let mut angles = Vector3::new(roll, pitch, yaw).map(f64::to_degrees);
        let shift = SHIFT_SPEED * self.sketch.ensemble().collision_world().size();
        let (mut moved, mut rotated) = (false, false);
        ui.horizontal(|ui| {
            for (axis, name) in ["x ", "y ", "z "].into_iter().enumerate() {
                let field = DragValue::new(&mut position[axis]).speed(shift).prefix(name).max_decimals(4);
                let response = ui.add(field);
                moved |= response.changed();
                self.as_one_step(&response);
                self.end_drag_after(&response);
            }
            ui.label("m");
        });
        ui.horizontal(|ui| {
            for axis in 0..3 {
                let field = DragValue::new(&mut angles[axis]).speed(ANGLE_SPEED).suffix("°").max_decimals(2);
                let response = ui.add(field);
                rotated |= response.changed();
                self.as_one_step(&response);
                self.end_drag_after(&response);
            }
        });
        let angles = angles.map(f64::to_radians);
        let rotation = UnitQuaternion::from_euler_angles(angles.x, angles.y, angles.z);
        // Angles are rounded by the conversion: an untouched rotation stays bit for bit.
        let rotation = if rotated { rotation } else { pose.rotation };
        (moved || rotated).then(|| Isometry3::from_parts(Translation3::from(position), rotation))
    }
}
