//! `<ros2_control>` of a URDF file: the motors of its joints by their command interfaces, and sensors by the state interfaces.
//!
//! | in the file | here |
//! |---|---|
//! | first of the command interfaces `position`, `velocity`, `effort` of a joint | kind of the motor of the joint, unless a transmission states one |
//! | parameters `min` and `max` of `velocity` and `effort` | bounds of the motor, besides those of `<limit>`; those of `position` bound commands only |
//! | state interfaces of a joint | a sensor of the joint, `BLOCK/JOINT` |
//! | parameters `mimic`, `multiplier` and `offset` of a joint | `<mimic>`, unless the joint has one |
//! | `<sensor>` with `force.x`, `torque.z` and so on, and its `frame_id` | force and torque that the link transmits from its parent, `BLOCK/SENSOR` |
//! | `<sensor>` with `angular_velocity.x`, `linear_acceleration.x`, `orientation.x` and so on | inertial measurement unit at the link |
//!
//! Source: `hardware_interface` of ros2_control, whose hardware plugins are not read.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Isometry3;
use roxmltree::Node;

use super::document::{JointElement, JointType, LinkElement, Reader};
use super::inertial::ActuatorKind;
use super::options::RobotFileError;
use crate::geometry::read::xml::elements;
use crate::kinematics::articulation::joint::Mimic;
use crate::kinematics::sensor::{Sensor, SensorKind};

/// Kinds of parts without a counterpart, each with the first of them and their number.
type Skipped<'a, 'i> = BTreeMap<String, (Node<'a, 'i>, usize)>;

/// Value of a `<param>` of an element; none of one that is missing or empty.
fn param<'a>(of: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let found = elements(of, "param").find(|param| param.attribute("name") == Some(name));
    found.and_then(|param| param.text()).map(str::trim).filter(|text| !text.is_empty())
}

/// Number of a `<param>`.
fn number(of: Node<'_, '_>, name: &str) -> Result<Option<f64>, String> {
    let Some(text) = param(of, name) else { return Ok(None) };
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value
        .map(Some)
        .ok_or_else(|| format!("the parameter `{name}` is \"{text}\", but must be a finite number"))
}

/// Names of the interfaces of a kind; those of several joints may have a prefix, as in `gripper/position`.
fn interfaces<'a>(of: Node<'a, 'a>, kind: &'a str) -> impl Iterator<Item = (&'a str, Node<'a, 'a>)> {
    elements(of, kind).map(|own| {
        let name = own.attribute("name").unwrap_or_default().trim();
        (name.rsplit('/').next().unwrap_or_default(), own)
    })
}

impl Reader<'_> {
    /// Reads the control blocks of a robot: motors into its joints; returns the sensors. What has no counterpart is one correction for each kind.
    pub(super) fn ros2_control(
        &mut self,
        robot: Node<'_, '_>,
        links: &[LinkElement],
        joints: &mut [JointElement],
    ) -> Result<Vec<Sensor>, RobotFileError> {
        let (mut skipped, mut sensors) = (Skipped::new(), Vec::new());
        for block in elements(robot, "ros2_control") {
            let block_name = block.attribute("name").unwrap_or("ros2_control");
            for own in block.children().filter(Node::is_element) {
                let name = own.attribute("name").unwrap_or_default();
                let found = match own.tag_name().name() {
                    "joint" => self.controlled_joint(own, joints)?,
                    "sensor" => sensor_of(own, links).map(Some),
                    // The driver of the hardware, which a simulation has none of.
                    "hardware" => continue,
                    other => Err(format!("<{other}> of <ros2_control>")),
                };
                match found {
                    Ok(Some(kind)) => sensors.push(Sensor { name: format!("{block_name}/{name}"), kind }),
                    Ok(None) => {}
                    Err(kind) => skipped.entry(kind).or_insert((own, 0)).1 += 1,
                }
            }
        }
        "robot".clone_into(&mut self.part);
        for (kind, (first, count)) in skipped {
            let times = if count == 1 { String::new() } else { format!(", {count} times") };
            self.correct(first, format!("{kind} has no counterpart{times}"), "it is ignored".to_owned())?;
        }
        self.distinct(robot, &mut sensors)?;
        Ok(sensors)
    }

    /// Keeps the first of sensors with the same name.
    fn distinct(&mut self, robot: Node<'_, '_>, sensors: &mut Vec<Sensor>) -> Result<(), RobotFileError> {
        let mut names = BTreeSet::new();
        let before = sensors.len();
        sensors.retain(|sensor| names.insert(sensor.name.clone()));
        if sensors.len() < before {
            let found = "sensors or joints of <ros2_control> have the same name".to_owned();
            self.correct(robot, found, "the first of each is used".to_owned())?;
        }
        Ok(())
    }

    /// Reads the joints that follow others by the parameters of their control.
    pub(super) fn controlled_mimics(
        &mut self,
        robot: Node<'_, '_>,
        joints: &mut [JointElement],
    ) -> Result<(), RobotFileError> {
        let blocks = elements(robot, "ros2_control");
        for own in blocks.flat_map(|block| elements(block, "joint")) {
            let found = |name: &str| joints.iter().position(|joint| joint.name == name);
            let name = own.attribute("name").unwrap_or_default();
            let Some(follower) = found(name).filter(|&joint| joints[joint].mimic.is_none()) else { continue };
            let mimic = mimic(own).and_then(|mimic| match mimic {
                Some(mimic) if found(&mimic.joint).is_none_or(|leader| leader == follower) => {
                    Err(format!("the parameter `mimic` is \"{}\", but must be another joint", mimic.joint))
                }
                mimic => Ok(mimic),
            });
            match mimic {
                Ok(mimic) => joints[follower].mimic = mimic,
                Err(wrong) => {
                    self.part = format!("<ros2_control> of joint \"{name}\"");
                    self.correct(own, wrong, "it moves independently".to_owned())?;
                }
            }
        }
        Ok(())
    }

    /// Reads a joint of a block, and returns its sensor; or the kind of its part that has no counterpart.
    fn controlled_joint(
        &mut self,
        own: Node<'_, '_>,
        joints: &mut [JointElement],
    ) -> Result<Result<Option<SensorKind>, String>, RobotFileError> {
        let name = own.attribute("name").unwrap_or_default();
        let Some(joint) = joints.iter_mut().find(|joint| joint.name == name) else {
            return Ok(Err(format!("the unknown joint \"{name}\" of <ros2_control>")));
        };
        if !matches!(joint.kind, JointType::Revolute | JointType::Continuous | JointType::Prismatic) {
            return Ok(Err("a joint of <ros2_control> that is fixed or has several coordinates".to_owned()));
        }
        let mut flaw = None;
        for (interface, element) in interfaces(own, "command_interface") {
            let kind = match interface {
                "position" => ActuatorKind::Position,
                "velocity" => ActuatorKind::Velocity,
                "effort" => ActuatorKind::Effort,
                other => {
                    return Ok(Err(format!("the command interface \"{other}\" of <ros2_control>")));
                }
            };
            joint.dynamics.actuator.get_or_insert(kind);
            match (kind, bound(element)) {
                (_, Err(wrong)) => flaw = Some(wrong),
                (ActuatorKind::Velocity, Ok(Some(max))) => tighten(&mut joint.dynamics.speed, max),
                (ActuatorKind::Effort, Ok(Some(max))) => tighten(&mut joint.dynamics.effort, max),
                _ => {}
            }
        }
        if let Some(flaw) = flaw {
            self.part = format!("<ros2_control> of joint \"{name}\"");
            self.correct(own, flaw, "it is ignored".to_owned())?;
        }
        let is_measured = elements(own, "state_interface").next().is_some();
        Ok(Ok(is_measured.then(|| SensorKind::Joint { joint: name.to_owned() })))
    }
}

/// Maximum magnitude of a command, where its range is bounded on both sides.
fn bound(interface: Node<'_, '_>) -> Result<Option<f64>, String> {
    let range = number(interface, "min")?.zip(number(interface, "max")?);
    Ok(range.map(|(min, max)| min.abs().max(max.abs())).filter(|max| *max > 0.0))
}

fn tighten(bound: &mut Option<f64>, max: f64) {
    *bound = Some(bound.map_or(max, |bound| bound.min(max)));
}

/// The joint that a joint follows by its parameters.
fn mimic(own: Node<'_, '_>) -> Result<Option<Mimic>, String> {
    // `true` and `false` select the `<mimic>` of the joint.
    let Some(joint) = param(own, "mimic").filter(|name| !["true", "false"].contains(name)) else {
        return Ok(None);
    };
    let factor = number(own, "multiplier")?.unwrap_or(1.0);
    Ok(Some(Mimic { joint: joint.to_owned(), factor, offset: number(own, "offset")?.unwrap_or(0.0) }))
}

/// Kind of a sensor of a block; or the kind of what has no counterpart.
fn sensor_of(own: Node<'_, '_>, links: &[LinkElement]) -> Result<SensorKind, String> {
    let quantity = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let measured: Vec<String> =
        elements(own, "state_interface").filter_map(|own| own.attribute("name")).map(quantity).collect();
    let measures = |names: &[&str]| measured.iter().any(|own| names.contains(&own.as_str()));
    let is_force = measures(&["force", "torque"]);
    if !is_force && !measures(&["angular_velocity", "linear_acceleration", "orientation"]) {
        return Err(
            "a <sensor> of <ros2_control> that is neither a force and torque sensor nor an IMU".to_owned()
        );
    }
    let Some(link) = param(own, "frame_id").filter(|name| links.iter().any(|link| link.name == **name))
    else {
        return Err("a <sensor> of <ros2_control> without the `frame_id` of a link".to_owned());
    };
    let (link, frame) = (link.to_owned(), Isometry3::identity());
    Ok(if is_force { SensorKind::ForceTorque { link, frame } } else { SensorKind::Imu { link, frame } })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::kinematics::urdf::{Robot, UrdfOptions, parse_urdf};

    /// A robot of three joints `a`, `b` and `c` in series with links of mass, and a fixed tool, with control blocks.
    fn robot(blocks: &str) -> (Robot, Vec<String>) {
        let link = |name: &str| {
            format!(
                "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
            )
        };
        let joint = |name: &str, kind: &str, [parent, child]: [&str; 2]| {
            format!(
                "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/><axis xyz='0 0 1'/>\
                 <limit lower='-2' upper='2' effort='30' velocity='3'/></joint>"
            )
        };
        let text = format!(
            "<robot name='r'>{}{}{}{}{}{}{}{}{}\n{blocks}</robot>",
            link("l0"),
            link("l1"),
            link("l2"),
            link("l3"),
            link("tool"),
            joint("a", "revolute", ["l0", "l1"]),
            joint("b", "revolute", ["l1", "l2"]),
            joint("c", "prismatic", ["l2", "l3"]),
            joint("d", "fixed", ["l3", "tool"]),
        );
        let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
        let robot = parse_urdf(&text, Path::new("r.urdf"), &options).unwrap();
        let corrections = robot.corrections.iter().map(ToString::to_string).collect();
        (robot, corrections)
    }

    #[test]
    fn command_interfaces_are_motors_and_their_ranges_bounds() {
        let (robot, corrections) = robot(
            "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='c'>\
             <hardwareInterface>EffortJointInterface</hardwareInterface></joint></transmission>\
             <ros2_control name='Arm' type='system'><hardware><plugin>mock_components/GenericSystem</plugin></hardware>\
             <joint name='a'><command_interface name='position'><param name='min'>-1</param><param name='max'>1</param></command_interface>\
             <command_interface name='velocity'><param name='min'>-1.5</param><param name='max'>2.5</param></command_interface>\
             <command_interface name='effort'><param name='min'>-50</param><param name='max'>50</param></command_interface>\
             <state_interface name='position'/><state_interface name='velocity'/></joint>\
             <joint name='b'><command_interface name='effort'><param name='min'>-20</param><param name='max'>10</param></command_interface></joint>\
             <joint name='c'><command_interface name='velocity'/><state_interface name='effort'/></joint></ros2_control>",
        );
        assert_eq!(corrections, [""; 0]);
        let found: Vec<_> = robot.dynamics.iter().map(|own| (own.actuator, own.speed, own.effort)).collect();
        let expected = [
            (Some(ActuatorKind::Position), Some(2.5), Some(30.0)),
            (Some(ActuatorKind::Effort), Some(3.0), Some(20.0)),
            (Some(ActuatorKind::Effort), Some(3.0), Some(30.0)),
        ];
        assert_eq!(found[..3], expected);
        let sensors: Vec<_> = robot.sensors.iter().map(|own| (own.name.as_str(), own.kind.clone())).collect();
        let joint = |joint: &str| SensorKind::Joint { joint: joint.to_owned() };
        assert_eq!(sensors, [("Arm/a", joint("a")), ("Arm/c", joint("c"))]);
    }

    #[test]
    fn joints_that_follow_by_a_parameter_follow_in_kinematics_as_well() {
        let block = "<ros2_control name='R'><joint name='b'><param name='mimic'>a</param><param name='multiplier'>-2</param>\
            <command_interface name='position'/></joint><joint name='c'><param name='mimic'>true</param></joint></ros2_control>";
        let (robot, corrections) = robot(block);
        assert_eq!(corrections, [""; 0]);
        let mimic = robot.articulation.joints()[1].mimic.clone();
        assert_eq!(mimic, Some(Mimic { joint: "a".into(), factor: -2.0, offset: 0.0 }));
        assert_eq!(robot.articulation.coordinates().len(), 2);
    }

    #[test]
    fn sensors_are_at_the_links_of_their_frames() {
        let (robot, corrections) = robot(
            "<ros2_control name='R'><sensor name='fts'><state_interface name='force.x'/><state_interface name='torque.z'/>\
             <param name='frame_id'>tool</param></sensor><sensor name='imu'><state_interface name='angular_velocity.x'/>\
             <param name='frame_id'>l1</param></sensor></ros2_control>",
        );
        assert_eq!(corrections, [""; 0]);
        let frame = Isometry3::identity();
        let expected = [
            Sensor { name: "R/fts".into(), kind: SensorKind::ForceTorque { link: "tool".into(), frame } },
            Sensor { name: "R/imu".into(), kind: SensorKind::Imu { link: "l1".into(), frame } },
        ];
        assert_eq!(robot.sensors, expected);
    }

    #[test]
    fn each_kind_of_part_without_a_counterpart_is_named_once() {
        let (robot, corrections) = robot(
            "<ros2_control name='R'><joint name='x'/><joint name='d'><command_interface name='position'/></joint>\
             <joint name='a'><command_interface name='acceleration'/></joint><gpio name='g'/><gpio name='h'/>\
             <sensor name='s'><state_interface name='temperature'/></sensor><sensor name='f'><state_interface name='force.x'/></sensor>\
             <joint name='b'><command_interface name='effort'><param name='min'>low</param></command_interface></joint>\
             <joint name='c'><param name='mimic'>x</param></joint></ros2_control>",
        );
        let expected = [
            "<ros2_control> of joint \"c\": the parameter `mimic` is \"x\", but must be another joint; it moves independently",
            "<ros2_control> of joint \"b\": the parameter `min` is \"low\", but must be a finite number; it is ignored",
            "robot: <gpio> of <ros2_control> has no counterpart, 2 times; it is ignored",
            "robot: a <sensor> of <ros2_control> that is neither a force and torque sensor nor an IMU has no counterpart; it is ignored",
            "robot: a <sensor> of <ros2_control> without the `frame_id` of a link has no counterpart; it is ignored",
            "robot: a joint of <ros2_control> that is fixed or has several coordinates has no counterpart; it is ignored",
            "robot: the command interface \"acceleration\" of <ros2_control> has no counterpart; it is ignored",
            "robot: the unknown joint \"x\" of <ros2_control> has no counterpart; it is ignored",
        ];
        assert_eq!(corrections, expected.map(|own| format!("r.urdf:2: {own}")));
        assert!(robot.sensors.is_empty());
    }
}
