//! Sensors of a robot in a world.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle, RigidBodySet};
use serde::{Deserialize, Serialize};

use super::parts::Parts;
use super::reading::{ContactForce, Reading};
use crate::stateful::{Mismatch, Stateful, fits};
use extricate_core::kinematics::{Sensor, SensorKind};

/// Resultant of the contacts of a body, with its moment about a point.
pub(crate) type ContactsOf<'a> = dyn Fn(RigidBodyHandle, &Point3<f64>) -> ContactForce + 'a;

/// The sensors of a robot.
#[derive(Debug, Default)]
pub(super) struct Sensing {
    placed: Vec<Placed>,
}

/// A sensor at its place.
#[derive(Debug)]
struct Placed {
    name: String,
    kind: PlacedKind,
}

#[derive(Debug)]
enum PlacedKind {
    /// Name of the joint.
    Joint(String),
    /// At the origin of the link.
    Contact(Mount),
    Imu(Mount, Start),
    Frame(Mount),
}

/// A frame on a body.
#[derive(Debug, Clone, Copy)]
struct Mount {
    body: RigidBodyHandle,
    /// Frame → body.
    frame: Isometry3<f64>,
}

/// Motion of a frame at the start of a step.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Start {
    /// Rotation to the world: x, y, z, w.
    rotation: [f64; 4],
    /// Velocity of the origin [m/s].
    velocity: [f64; 3],
}

impl Stateful for Sensing {
    type State = Vec<Start>;

    fn snapshot(&self) -> Vec<Start> {
        let start = |placed: &Placed| match placed.kind {
            PlacedKind::Imu(_, start) => Some(start),
            _ => None,
        };
        self.placed.iter().filter_map(start).collect()
    }

    fn restore(&mut self, state: Vec<Start>) -> Result<(), Mismatch> {
        let mut starts = state.into_iter();
        for placed in &mut self.placed {
            if let PlacedKind::Imu(_, start) = &mut placed.kind {
                *start = starts.next().ok_or(Mismatch)?;
            }
        }
        fits(starts.next().is_none())
    }
}

impl Mount {
    fn pose(&self, body: &RigidBody) -> Isometry3<f64> {
        Isometry3::from(*body.position()) * self.frame
    }

    /// Velocity of the origin.
    fn velocity(&self, body: &RigidBody) -> Vector3<f64> {
        let origin = Point3::from(self.pose(body).translation.vector);
        let center = Point3::from(Vector3::from(body.center_of_mass()));
        let (linear, angular): (Vector3<f64>, Vector3<f64>) = (body.linvel().into(), body.angvel().into());
        linear + angular.cross(&(origin - center))
    }

    fn start(&self, body: &RigidBody) -> Start {
        let rotation = self.pose(body).rotation.coords.into();
        Start { rotation, velocity: self.velocity(body).into() }
    }
}

impl Sensing {
    /// Places the sensors of a robot on the bodies of its parts.
    pub(super) fn new(parts: &Parts, handles: &[RigidBodyHandle]) -> Self {
        let mount = |link: &str, frame: &Isometry3<f64>| {
            let (part, to_part) = parts.place(link)?;
            Some(Mount { body: handles[part], frame: to_part * frame })
        };
        let placed = |sensor: &Sensor| {
            let kind = match &sensor.kind {
                SensorKind::Joint { joint } => PlacedKind::Joint(joint.clone()),
                SensorKind::Contact { link } => PlacedKind::Contact(mount(link, &Isometry3::identity())?),
                SensorKind::Imu { link, frame } => PlacedKind::Imu(mount(link, frame)?, Start::default()),
                SensorKind::Frame { link, frame } => PlacedKind::Frame(mount(link, frame)?),
            };
            Some(Placed { name: sensor.name.clone(), kind })
        };
        Self { placed: parts.description.sensors.iter().filter_map(placed).collect() }
    }

    /// Remembers the motion at the start of a step.
    pub(super) fn begin(&mut self, bodies: &RigidBodySet) {
        for placed in &mut self.placed {
            if let PlacedKind::Imu(mount, start) = &mut placed.kind {
                *start = mount.start(&bodies[mount.body]);
            }
        }
    }

    /// Values of the sensors by name, after a step.
    pub(super) fn readings(
        &self,
        bodies: &RigidBodySet,
        joint: &dyn Fn(&str) -> Option<Reading>,
        contacts: &ContactsOf<'_>,
        (gravity, h): (&Vector3<f64>, f64),
    ) -> BTreeMap<String, Reading> {
        let read = |placed: &Placed| {
            let reading = match &placed.kind {
                PlacedKind::Joint(name) => joint(name)?,
                PlacedKind::Contact(mount) => {
                    let origin = Point3::from(mount.pose(&bodies[mount.body]).translation.vector);
                    Reading::Contact(contacts(mount.body, &origin))
                }
                PlacedKind::Imu(mount, start) => imu(mount, start, &bodies[mount.body], (gravity, h)),
                PlacedKind::Frame(mount) => {
                    let body = &bodies[mount.body];
                    Reading::Frame {
                        pose: mount.pose(body),
                        linear_velocity: mount.velocity(body),
                        angular_velocity: body.angvel().into(),
                    }
                }
            };
            Some((placed.name.clone(), reading))
        };
        self.placed.iter().filter_map(read).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.placed.is_empty()
    }
}

/// Values of an inertial measurement unit. The mean acceleration is that of the middle of the step to second order, and so is expressed in
/// the axes of the middle.
fn imu(mount: &Mount, start: &Start, body: &RigidBody, (gravity, h): (&Vector3<f64>, f64)) -> Reading {
    let end = mount.start(body);
    let [before, after] = [start.rotation, end.rotation]
        .map(|[x, y, z, w]| UnitQuaternion::new_unchecked(Quaternion::new(w, x, y, z)));
    let middle = UnitQuaternion::from_scaled_axis(0.5 * (after * before.inverse()).scaled_axis()) * before;
    let acceleration = (Vector3::from(end.velocity) - Vector3::from(start.velocity)) / h;
    let angular: Vector3<f64> = body.angvel().into();
    Reading::Imu {
        specific_force: middle.inverse() * (acceleration - gravity),
        angular_velocity: after.inverse() * angular,
    }
}
