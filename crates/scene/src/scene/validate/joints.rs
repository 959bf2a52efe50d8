//! Joints: names, bodies, axes, limits.

use super::super::locate::Step::{self, Field, Index};
use super::super::placement::vector;
use super::super::schema::{JointEntry, JointKind};
use super::{BodyNames, Checker, HALF_CIRCLE, POSITIVE};

impl Checker<'_> {
    pub(super) fn joints(&mut self, bodies: &BodyNames) {
        let joints = &self.file().joints;
        let place = |index| vec![Field("joints"), Index(index), Field("name")];
        self.names("joints", joints.iter().enumerate().map(|(i, joint)| (joint.name.as_str(), place(i))));
        for (index, joint) in joints.iter().enumerate() {
            self.joint(&[Field("joints"), Index(index)], joint, bodies);
        }
    }

    fn joint(&mut self, path: &[Step], joint: &JointEntry, bodies: &BodyNames) {
        let (first, second) = (&joint.bodies.0, &joint.bodies.1);
        let names = [path, &[Field("bodies")]].concat();
        for (index, name) in [first, second].into_iter().enumerate() {
            self.known_body(&[names.as_slice(), &[Index(index)]].concat(), name, bodies);
        }
        if first == second {
            self.contradiction(&names, format!("joint `{}` connects body `{first}` with itself", joint.name));
        } else if [first, second].iter().all(|name| bodies.get(*name) == Some(&false)) {
            self.contradiction(
                &names,
                format!("joint `{}` connects two bodies of which neither is dynamic", joint.name),
            );
        }
        self.joint_kind(&[path, &[Field("kind")]].concat(), &joint.kind);
    }

    fn joint_kind(&mut self, path: &[Step], kind: &JointKind) {
        let at = |field: &'static str| [path, &[Field(field)]].concat();
        match kind {
            JointKind::Fixed | JointKind::Spherical { .. } => {}
            JointKind::Revolute { axis, limits_degrees, .. } => {
                self.unit(&at("axis"), "the axis of the joint", *axis);
                if let Some((lower, upper)) = *limits_degrees {
                    self.ordered(&at("limits_degrees"), lower, upper);
                    for limit in [lower, upper] {
                        self.range(&at("limits_degrees"), "the limit [°]", limit, HALF_CIRCLE);
                    }
                }
            }
            JointKind::Prismatic { axis, limits } => {
                self.unit(&at("axis"), "the axis of the joint", *axis);
                if let Some((lower, upper)) = *limits {
                    self.ordered(&at("limits"), lower, upper);
                }
            }
            JointKind::Rope { anchors, length } => {
                self.range(&at("length"), "the length [m]", *length, POSITIVE);
                let start = (vector(anchors.1) - vector(anchors.0)).norm();
                if start > *length {
                    let message = format!(
                        "the rope is shorter ({length} m) than the distance of its anchors ({start} m)"
                    );
                    self.contradiction(&at("length"), message);
                }
            }
        }
    }
}
