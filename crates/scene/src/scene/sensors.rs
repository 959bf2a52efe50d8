//! The sensors of robots in a scene.

use nalgebra::Isometry3;

use super::error::Fault;
use super::locate::Step::{self, Field};
use super::placement::{orientation, vector};
use super::schema::{Rotation, SensorEntry, Triple};
use extricate_core::kinematics::{JointKind, Sensor, SensorKind};
use extricate_dynamics::RobotDescription;

/// Adds the sensors of an entry to a robot with these bodies, or says what is wrong, and where in the entry.
pub(super) fn add(
    entry: &SensorEntry,
    bodies: &[(String, Isometry3<f64>)],
    robot: &mut RobotDescription,
) -> Result<(), (Vec<Step>, Fault)> {
    let sensors: Vec<Sensor> = match entry {
        SensorEntry::Joints => moving(robot).map(|joint| of_joint(joint, None)).collect(),
        SensorEntry::Contacts => {
            let links =
                bodies.iter().filter_map(|(name, _)| name.strip_prefix(&robot.name)?.strip_prefix('/'));
            links.map(|link| of_contacts(link, None)).collect()
        }
        SensorEntry::Joint { joint, name } => {
            if !moving(robot).any(|own| own == joint) {
                let fault = Fault::unknown_name("movable joint", joint, moving(robot));
                return Err((vec![Field("joint")], fault));
            }
            vec![of_joint(joint, name.as_ref())]
        }
        SensorEntry::Contact { link, name } => {
            vec![of_contacts(known(link, robot)?, name.as_ref())]
        }
        SensorEntry::Subtree { link, name } => {
            let link = known(link, robot)?.clone();
            let name = name.clone().unwrap_or_else(|| format!("subtree/{link}"));
            vec![Sensor { name, kind: SensorKind::Subtree { link } }]
        }
        SensorEntry::Imu { link, name, position, rotation }
        | SensorEntry::Frame { link, name, position, rotation }
        | SensorEntry::Velocimeter { link, name, position, rotation }
        | SensorEntry::ForceTorque { link, name, position, rotation } => {
            let (link, frame) = (known(link, robot)?.clone(), frame(*position, rotation));
            let (kind, prefix) = of_frame(entry, link.clone(), frame);
            let name = name.clone().unwrap_or_else(|| format!("{prefix}/{link}"));
            vec![Sensor { name, kind }]
        }
    };
    for sensor in sensors {
        if robot.sensors.iter().any(|other| other.name == sensor.name) {
            return Err((Vec::new(), Fault::DuplicateName { what: "sensors", name: sensor.name }));
        }
        robot.sensors.push(sensor);
    }
    Ok(())
}

/// Kind of a sensor with a frame, and the beginning of its name.
fn of_frame(entry: &SensorEntry, link: String, frame: Isometry3<f64>) -> (SensorKind, &'static str) {
    match entry {
        SensorEntry::Imu { .. } => (SensorKind::Imu { link, frame }, "imu"),
        SensorEntry::Velocimeter { .. } => (SensorKind::Velocimeter { link, frame }, "velocimeter"),
        SensorEntry::ForceTorque { .. } => (SensorKind::ForceTorque { link, frame }, "force_torque"),
        _ => (SensorKind::Frame { link, frame }, "frame"),
    }
}

/// Names of the joints that move.
fn moving(robot: &RobotDescription) -> impl Iterator<Item = &String> + Clone {
    let joints = robot.articulation.joints().iter();
    joints.filter(|joint| joint.kind != JointKind::Fixed).map(|joint| &joint.name)
}

fn known<'a>(link: &'a String, robot: &RobotDescription) -> Result<&'a String, (Vec<Step>, Fault)> {
    if robot.articulation.link(link).is_some() {
        return Ok(link);
    }
    Err((vec![Field("link")], Fault::unknown_name("link", link, robot.articulation.links())))
}

fn of_joint(joint: &str, name: Option<&String>) -> Sensor {
    let name = name.map_or_else(|| format!("joint/{joint}"), String::clone);
    Sensor { name, kind: SensorKind::Joint { joint: joint.to_owned() } }
}

fn of_contacts(link: &str, name: Option<&String>) -> Sensor {
    let name = name.map_or_else(|| format!("contact/{link}"), String::clone);
    Sensor { name, kind: SensorKind::Contact { link: link.to_owned() } }
}

fn frame(position: Triple, rotation: &Rotation) -> Isometry3<f64> {
    Isometry3::from_parts(vector(position).into(), orientation(rotation))
}
