//! Sensors of a robot in a world.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle, RigidBodySet};
use serde::{Deserialize, Serialize};

use super::mount::Mount;
use super::parts::Parts;
use super::reading::Reading;
use super::subtree::{Exerted, Subtree, SubtreeStart};
use super::tree::RobotTree;
use crate::stateful::{Mismatch, Stateful, fits};
use extricate_core::kinematics::{Sensor, SensorKind};

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
    Velocimeter(Mount),
    ForceTorque(Mount, Box<Subtree>, SubtreeStart),
    Subtree(Box<Subtree>),
}

/// Motion of a frame at the start of a step.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Start {
    /// Rotation to the world: x, y, z, w.
    rotation: [f64; 4],
    /// Velocity of the origin [m/s].
    velocity: [f64; 3],
}

/// State of the sensors: motions at the start of the last step.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct SensingState {
    frames: Vec<Start>,
    subtrees: Vec<SubtreeStart>,
}

impl Stateful for Sensing {
    type State = SensingState;

    fn snapshot(&self) -> SensingState {
        let mut state = SensingState::default();
        for placed in &self.placed {
            match &placed.kind {
                PlacedKind::Imu(_, start) => state.frames.push(*start),
                PlacedKind::ForceTorque(_, _, start) => state.subtrees.push(start.clone()),
                _ => {}
            }
        }
        state
    }

    fn restore(&mut self, state: SensingState) -> Result<(), Mismatch> {
        let (mut frames, mut subtrees) = (state.frames.into_iter(), state.subtrees.into_iter());
        for placed in &mut self.placed {
            match &mut placed.kind {
                PlacedKind::Imu(_, start) => *start = frames.next().ok_or(Mismatch)?,
                PlacedKind::ForceTorque(_, _, start) => *start = subtrees.next().ok_or(Mismatch)?,
                _ => {}
            }
        }
        fits(frames.next().is_none() && subtrees.next().is_none())
    }
}

impl Start {
    fn of(mount: &Mount, body: &RigidBody) -> Self {
        let rotation = mount.pose(body).rotation.coords.into();
        Self { rotation, velocity: mount.velocity(body).into() }
    }
}

impl Sensing {
    /// Places the sensors of a robot on the bodies of its parts.
    pub(super) fn new(parts: &Parts, handles: &[RigidBodyHandle], tree: Option<&RobotTree>) -> Self {
        let subtree = |link: &str| Subtree::new((parts, handles), link, tree).map(Box::new);
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
                SensorKind::Velocimeter { link, frame } => PlacedKind::Velocimeter(mount(link, frame)?),
                SensorKind::ForceTorque { link, frame } => {
                    // Of a robot that rapier steps, the forces on it are not all known.
                    tree?;
                    PlacedKind::ForceTorque(mount(link, frame)?, subtree(link)?, SubtreeStart::default())
                }
                SensorKind::Subtree { link } => PlacedKind::Subtree(subtree(link)?),
            };
            Some(Placed { name: sensor.name.clone(), kind })
        };
        Self { placed: parts.description.sensors.iter().filter_map(placed).collect() }
    }

    /// Remembers the motion at the start of a step.
    pub(super) fn begin(&mut self, bodies: &RigidBodySet) {
        for placed in &mut self.placed {
            match &mut placed.kind {
                PlacedKind::Imu(mount, start) => *start = Start::of(mount, &bodies[mount.body]),
                PlacedKind::ForceTorque(mount, subtree, start) => *start = subtree.begin(bodies, mount),
                _ => {}
            }
        }
    }

    /// Values of the sensors by name, after a step.
    pub(super) fn readings(
        &self,
        bodies: &RigidBodySet,
        joint: &dyn Fn(&str) -> Option<Reading>,
        exerted: &Exerted<'_>,
    ) -> BTreeMap<String, Reading> {
        let read = |placed: &Placed| {
            let reading = match &placed.kind {
                PlacedKind::Joint(name) => joint(name)?,
                PlacedKind::Contact(mount) => {
                    let origin = Point3::from(mount.pose(&bodies[mount.body]).translation.vector);
                    Reading::Contact((exerted.contacts)(mount.body, &origin, &|_| true))
                }
                PlacedKind::Imu(mount, start) => {
                    imu(mount, start, &bodies[mount.body], (&exerted.gravity, exerted.h))
                }
                PlacedKind::Velocimeter(mount) => {
                    let body = &bodies[mount.body];
                    let axes = mount.pose(body).rotation.inverse();
                    Reading::Velocimeter {
                        linear_velocity: axes * mount.velocity(body),
                        angular_velocity: axes * Vector3::from(body.angvel()),
                    }
                }
                PlacedKind::ForceTorque(mount, subtree, start) => {
                    subtree.transmitted(bodies, (mount, start), exerted)
                }
                PlacedKind::Subtree(subtree) => subtree.reading(bodies)?,
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
    let end = Start::of(mount, body);
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
