//! Plans: the movable model, its goal and the sampled region.

use super::super::locate::Step::{Field, Index};
use super::super::placement::vector;
use super::super::schema::RobotBase;
use super::{BodyNames, Checker};

impl Checker<'_> {
    pub(super) fn plan(&mut self, bodies: &BodyNames) {
        let Some(plan) = &self.file().plan else { return };
        let at = |field: &'static str| [Field("plan"), Field(field)];
        let robot = self.file().robots.iter().find(|robot| robot.name == plan.movable);
        let is_body = bodies.contains_key(&plan.movable) && !plan.movable.contains('/');
        match robot {
            None if !is_body => {
                let robots = self.file().robots.iter().map(|robot| &robot.name);
                let own = bodies.keys().filter(|name| !name.contains('/'));
                let fault = super::Fault::unknown_name("robot or body", &plan.movable, robots.chain(own));
                self.report(&at("movable"), fault);
            }
            None => {
                let given = [
                    ("joints", plan.joints.0.is_empty()),
                    ("fixed", plan.fixed.is_empty()),
                    ("limits", plan.limits.0.is_empty()),
                ];
                for (field, _) in given.into_iter().filter(|(_, is_empty)| !is_empty) {
                    self.contradiction(&at(field), format!("body `{}` has no joints", plan.movable));
                }
            }
            Some(robot) if robot.base == RobotBase::Fixed => {
                for (field, is_given) in
                    [("position", plan.position.is_some()), ("rotation", plan.rotation.is_some())]
                {
                    if is_given {
                        let message = format!(
                            "robot `{}` has a fixed base: `{field}` needs `base: floating`",
                            robot.name
                        );
                        self.contradiction(&at(field), message);
                    }
                }
            }
            _ => {}
        }
        if let Some(rotation) = plan.rotation {
            self.rotation(&at("rotation"), rotation);
        }
        if let Some((low, high)) = plan.region {
            for axis in 0..3 {
                let path = [Field("plan"), Field("region"), Index(0)];
                self.ordered(&path, vector(low)[axis], vector(high)[axis]);
            }
        }
    }
}
