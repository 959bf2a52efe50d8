//! Transmissions of a URDF file: the kinds of the motors of its joints.
//!
//! | in the file | here |
//! |---|---|
//! | `SimpleTransmission` of a joint that moves | a motor of the joint |
//! | `PositionJointInterface`, `VelocityJointInterface`, `EffortJointInterface` of the joint or, in old files, of the actuator | its kind |
//! | none of these, as in files of the PR2 | effort |
//! | `mechanicalReduction`, or `gear_ratio` of Drake, n with `rotor_inertia` I | armature n² I |
//!
//! Efforts and velocities of `<limit>` are those of the joint, whatever the reduction.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::document::{JointElement, JointType, Reader};
use super::inertial::ActuatorKind;
use super::options::RobotFileError;
use crate::geometry::read::xml::{elements, number};

/// Kinds of parts of transmissions without a counterpart, each with the first of them and their number.
type Skipped<'a, 'i> = BTreeMap<String, (Node<'a, 'i>, usize)>;

/// Last segment of a name that may be qualified, as in `hardware_interface/EffortJointInterface` and `a::b`.
fn last_segment(name: &str) -> &str {
    name.trim().rsplit(['/', ':']).next().unwrap_or_default()
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> impl Iterator<Item = &'a str> {
    elements(node, name).filter_map(|child| child.text())
}

/// Kind of a hardware interface; none of one that commands nothing known.
fn kind_of(interface: &str) -> Option<ActuatorKind> {
    match last_segment(interface) {
        "PositionJointInterface" => Some(ActuatorKind::Position),
        "VelocityJointInterface" => Some(ActuatorKind::Velocity),
        "EffortJointInterface" => Some(ActuatorKind::Effort),
        _ => None,
    }
}

impl Reader<'_> {
    /// Reads the transmissions of a robot into its joints. What has no counterpart is one correction for each kind.
    pub(super) fn transmissions(
        &mut self,
        robot: Node<'_, '_>,
        joints: &mut [JointElement],
    ) -> Result<(), RobotFileError> {
        let mut skipped = Skipped::new();
        for transmission in elements(robot, "transmission") {
            if let Err(kind) = self.transmission(transmission, joints)? {
                skipped.entry(kind).or_insert((transmission, 0)).1 += 1;
            }
        }
        "robot".clone_into(&mut self.part);
        for (kind, (first, count)) in skipped {
            let times = if count == 1 { String::new() } else { format!(", {count} times") };
            self.correct(first, format!("{kind} has no counterpart{times}"), "it is ignored".to_owned())?;
        }
        Ok(())
    }

    /// Reads a transmission, or returns the kind of its part that has no counterpart.
    fn transmission(
        &mut self,
        transmission: Node<'_, '_>,
        joints: &mut [JointElement],
    ) -> Result<Result<(), String>, RobotFileError> {
        let kind = text_of(transmission, "type").next().or_else(|| transmission.attribute("type"));
        if let Some(kind) = kind.map(last_segment).filter(|kind| *kind != "SimpleTransmission") {
            return Ok(Err(format!("a transmission of type \"{kind}\"")));
        }
        let own: Vec<_> = elements(transmission, "joint").collect();
        let [own] = own[..] else { return Ok(Err("a transmission without its one joint".to_owned())) };
        let name = own.attribute("name").unwrap_or_default();
        let Some(joint) = joints.iter_mut().find(|joint| joint.name == name) else {
            return Ok(Err(format!("a transmission of the unknown joint \"{name}\"")));
        };
        if !matches!(joint.kind, JointType::Revolute | JointType::Continuous | JointType::Prismatic) {
            return Ok(Err("a transmission of a joint that is fixed or has several coordinates".to_owned()));
        }
        let actuator = elements(transmission, "actuator").next();
        let mut interfaces: Vec<&str> = text_of(own, "hardwareInterface").collect();
        if interfaces.is_empty() {
            interfaces.extend(actuator.into_iter().flat_map(|node| text_of(node, "hardwareInterface")));
        }
        let found = interfaces.iter().find_map(|interface| kind_of(interface));
        let Some(found) = found.or_else(|| interfaces.is_empty().then_some(ActuatorKind::Effort)) else {
            let interface = last_segment(interfaces[0]);
            return Ok(Err(format!("the hardware interface \"{interface}\" of a transmission")));
        };
        joint.dynamics.actuator.get_or_insert(found);
        let nodes: Vec<Node<'_, '_>> = actuator.into_iter().chain([transmission]).collect();
        match rotor(&nodes) {
            Ok(armature) => joint.dynamics.armature += armature,
            Err(wrong) => {
                self.part = format!("transmission of joint \"{name}\"");
                self.correct(transmission, wrong, "the rotor is ignored".to_owned())?;
            }
        }
        Ok(Ok(()))
    }
}

/// Inertia of the rotor behind the reduction [kg·m² or kg], of an actuator and its transmission.
fn rotor(nodes: &[Node<'_, '_>]) -> Result<f64, String> {
    // Those of Drake are in a namespace of theirs.
    let is_named = |child: &Node<'_, '_>, name: &str| child.is_element() && child.tag_name().name() == name;
    let child =
        |name: &str| nodes.iter().find_map(|node| node.children().find(|child| is_named(child, name)));
    let Some(inertia) = child("rotor_inertia") else { return Ok(0.0) };
    let inertia = number(inertia, "value")?;
    let ratio = if let Some(ratio) = child("gear_ratio") {
        number(ratio, "value")?
    } else {
        let text = child("mechanicalReduction").and_then(|node| node.text()).unwrap_or("1").trim();
        text.parse().map_err(|_| format!("the mechanical reduction is \"{text}\", but must be a number"))?
    };
    let armature = ratio * ratio * inertia;
    if armature >= 0.0 && armature.is_finite() {
        return Ok(armature);
    }
    Err(format!("the rotor has the inertia {inertia} kg·m² behind a reduction of {ratio}"))
}
