//! Bodies and bases by number: where they are, and how they are turned.

use kiss3d::egui::{DragValue, Ui};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use super::super::SketchMode;
use super::is_wanted;
use extricate_scene::repair::Standing;

/// Share of the greatest radius of a link, and angle [°], by which a pixel moves and turns.
const SHIFT: f64 = 0.005;
const TURN: f64 = 0.5;

impl SketchMode {
    pub(super) fn bodies(&mut self, ui: &mut Ui) {
        let filter = self.panel.filter.clone();
        let bases =
            self.sketch.robots().into_iter().map(|robot| (true, robot.name, robot.base, robot.standing));
        let bodies =
            self.sketch.bodies().into_iter().map(|body| (false, body.name, body.pose, body.standing));
        let all: Vec<_> = bases.chain(bodies).filter(|(_, name, ..)| is_wanted(name, &filter)).collect();
        if all.is_empty() {
            return;
        }
        ui.collapsing(format!("{} bodies and bases", all.len()), |ui| {
            for (is_base, name, pose, standing) in all {
                let what = match standing {
                    Standing::Free => "",
                    Standing::Fixed => " (repairs leave it)",
                    Standing::Tied => " (tied by a joint)",
                };
                ui.label(format!("{name}{what}"));
                if standing == Standing::Tied {
                    continue;
                }
                if let Some(pose) = self.pose_fields(ui, &pose) {
                    let moved = if is_base {
                        self.sketch.move_base(&name, &pose)
                    } else {
                        self.sketch.move_body(&name, &pose)
                    };
                    self.tell(moved.map(|()| None));
                    self.settling |= self.following && !ui.input(|input| input.pointer.any_down());
                }
            }
        });
    }

    /// Position [m] and angles about x, y, z [°]; the new pose, where it was changed.
    fn pose_fields(&mut self, ui: &mut Ui, pose: &Isometry3<f64>) -> Option<Isometry3<f64>> {
        let mut position = pose.translation.vector;
        let (roll, pitch, yaw) = pose.rotation.euler_angles();
        let mut angles = Vector3::new(roll, pitch, yaw).map(f64::to_degrees);
        let shift = SHIFT * self.sketch.ensemble().arrangement().size();
        let (mut moved, mut turned) = (false, false);
        ui.horizontal(|ui| {
            for (axis, name) in ["x ", "y ", "z "].into_iter().enumerate() {
                let field = DragValue::new(&mut position[axis]).speed(shift).prefix(name).max_decimals(4);
                let response = ui.add(field);
                moved |= response.changed();
                self.as_one_step(&response);
                self.let_go_after(&response);
            }
            ui.label("m");
        });
        ui.horizontal(|ui| {
            for axis in 0..3 {
                let field = DragValue::new(&mut angles[axis]).speed(TURN).suffix("°").max_decimals(2);
                let response = ui.add(field);
                turned |= response.changed();
                self.as_one_step(&response);
                self.let_go_after(&response);
            }
        });
        let angles = angles.map(f64::to_radians);
        let rotation = UnitQuaternion::from_euler_angles(angles.x, angles.y, angles.z);
        let rotation = if turned { rotation } else { pose.rotation };
        (moved || turned).then(|| Isometry3::from_parts(Translation3::from(position), rotation))
    }
}
