//! Sensors of joints, sites and bodies. Each measures at least what it does for MuJoCo; those without a counterpart are one correction for each
//! kind.
//!
//! | MJCF | here |
//! |---|---|
//! | `jointpos`, `jointvel`, `jointactuatorfrc`, `jointlimitfrc` of a hinge or slide; `actuatorfrc` | of the joint |
//! | `accelerometer`, `gyro` | inertial measurement unit at the site |
//! | `touch` | contacts of the link of the site, wherever they are on it |
//! | `force`, `torque` | force and torque at the site that its body transmits from its parent |
//! | `velocimeter` | velocities of the site in its axes |
//! | `framepos`, `framequat`, `framexaxis` and so on, `framelinvel`, `frameangvel` of a site or the frame of a body, in the world | of the frame |
//! | `subtreecom`, `subtreelinvel`, `subtreeangmom` | of the body and all that it carries |

use std::collections::{BTreeSet, HashMap};

use nalgebra::Isometry3;

use super::bodies::{Bodies, Model};
use super::element::Element;
use crate::kinematics::sensor::{Sensor, SensorKind};
use crate::kinematics::urdf::RobotFileError;
use crate::kinematics::urdf::document::JointType;

/// Sensors of frames, whose values those of a frame here hold.
const FRAME_SENSORS: [&str; 7] =
    ["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel"];

/// Reads the sensors of a model; `actuators` are the joints of its actuators by name.
pub(super) fn sensors<'a>(
    model: &Model<'a>,
    bodies: &mut Bodies<'a>,
    actuators: &HashMap<&'a str, String>,
) -> Result<Vec<Sensor>, RobotFileError> {
    let (mut sensors, mut names) = (Vec::<Sensor>::new(), BTreeSet::new());
    for (index, element) in model.root.section("sensor").enumerate() {
        let Some(kind) = kind_of(element, bodies, actuators) else {
            bodies.skipped.note(element, "sensor", &format!("<{}>", element.name));
            continue;
        };
        if element.name == "touch" {
            let found = "a <touch> sensor has a volume".to_owned();
            let became = "it measures all contacts of its body";
            bodies.corrections.push(element.correction("model".to_owned(), found, became));
        }
        let name = element.get("name").map_or_else(|| format!("{}{index}", element.name), str::to_owned);
        if !names.insert(name.clone()) {
            return Err(element.refused(format!("duplicate sensor \"{name}\"")));
        }
        sensors.push(Sensor { name, kind });
    }
    Ok(sensors)
}

/// Kind and place of a sensor; none of one that has no counterpart.
fn kind_of(element: &Element, bodies: &Bodies<'_>, actuators: &HashMap<&str, String>) -> Option<SensorKind> {
    let at_site = |name: &str| {
        let (link, frame) = bodies.sites.get(name)?;
        Some((bodies.links[*link].name.clone(), *frame))
    };
    match element.name.as_str() {
        "jointpos" | "jointvel" | "jointactuatorfrc" | "jointlimitfrc" => {
            let joint = element.get("joint")?.to_owned();
            let is_scalar = |kind| matches!(kind, JointType::Revolute | JointType::Prismatic);
            let is_known = bodies.joints.iter().any(|own| own.name == joint && is_scalar(own.kind));
            is_known.then_some(SensorKind::Joint { joint })
        }
        "actuatorfrc" => {
            actuators.get(element.get("actuator")?).cloned().map(|joint| SensorKind::Joint { joint })
        }
        "accelerometer" | "gyro" => {
            let (link, frame) = at_site(element.get("site")?)?;
            Some(SensorKind::Imu { link, frame })
        }
        "velocimeter" => {
            let (link, frame) = at_site(element.get("site")?)?;
            Some(SensorKind::Velocimeter { link, frame })
        }
        "force" | "torque" => {
            let (link, frame) = at_site(element.get("site")?)?;
            // Links between several joints of a body have no mass: what they transmit is the same.
            Some(SensorKind::ForceTorque { link, frame })
        }
        "touch" => at_site(element.get("site")?).map(|(link, _)| SensorKind::Contact { link }),
        "subtreecom" | "subtreelinvel" | "subtreeangmom" => {
            let link =
                element.get("body").filter(|name| bodies.links.iter().any(|own| own.name == **name))?;
            Some(SensorKind::Subtree { link: link.to_owned() })
        }
        name if FRAME_SENSORS.contains(&name) && element.get("refname").is_none() => {
            let name = element.get("objname")?;
            let (link, frame) = match element.get("objtype")? {
                "site" => at_site(name)?,
                // The frame of a body; `body` is that of its principal axes.
                "xbody" => {
                    let link = bodies.links.iter().position(|link| link.name == name)?;
                    (name.to_owned(), bodies.to_links.get(link).copied().unwrap_or_else(Isometry3::identity))
                }
                _ => return None,
            };
            Some(SensorKind::Frame { link, frame })
        }
        _ => None,
    }
}
