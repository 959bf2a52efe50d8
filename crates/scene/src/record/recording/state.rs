//! A state as it is read.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;

use super::Names;
use crate::record::{BaseLine, BodyLine, EnergyLine, Hash, SoftLine};
use extricate_dynamics::{BodyState, Energy};

/// A recorded state, SI units, world frame.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedState {
    /// Number of steps taken; 0 is the start.
    pub step: u64,
    /// Time since the start [s].
    pub time: f64,
    /// Bodies, sorted by name, as [`extricate_dynamics::World::bodies`] tells them.
    pub bodies: Vec<BodyState>,
    /// Robots, sorted by name; their bodies stand among the others as `robot/link`.
    pub robots: Vec<RecordedRobot>,
    /// Soft bodies, sorted by name.
    pub soft: Vec<RecordedSoftBody>,
    /// Energy of the dynamic and the soft bodies.
    pub energy: Energy,
    /// Contact points that the solver of rigid bodies was given, and points of soft bodies in contact.
    pub contacts: usize,
    /// Largest penetration depth of a pair, rigid or soft [m].
    pub max_penetration: f64,
    /// Hash of the state.
    pub hash: Hash,
}

/// Where a robot was.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRobot {
    /// Its name.
    pub name: String,
    /// Values of all joints that move, by name [rad or m].
    pub joints: BTreeMap<String, f64>,
    /// Root link → world.
    pub base: Isometry3<f64>,
}

/// Where a soft body was.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedSoftBody {
    /// Its name.
    pub name: String,
    /// Positions of its nodes, those of the edges' middles included where elements are quadratic, as
    /// [`extricate_dynamics::World::soft_positions`] tells them [m].
    pub nodes: Vec<Vector3<f64>>,
    /// How it did.
    pub state: SoftLine,
}

/// A line of `states.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) step: u64,
    time: f64,
    bodies: BTreeMap<String, BodyLine>,
    #[serde(default)]
    robots: BTreeMap<String, Robot>,
    #[serde(default)]
    soft: BTreeMap<String, SoftLine>,
    energy: EnergyLine,
    contacts: usize,
    max_penetration: f64,
    hash: Hash,
}

#[derive(Debug, Deserialize)]
struct Robot {
    joints: BTreeMap<String, f64>,
    base: BaseLine,
}

impl Line {
    /// The state, which must hold what the scene has; what is wrong is told otherwise.
    pub(super) fn into_state(
        mut self,
        names: &Names,
        nodes: impl Iterator<Item = (String, Vec<Vector3<f64>>)>,
    ) -> Result<RecordedState, String> {
        same("body", &names.bodies, self.bodies.keys())?;
        same("robot", &names.robots, self.robots.keys())?;
        let bodies = self.bodies.into_iter().map(|(name, body)| state_of(name, &body));
        let robots = self.robots.into_iter().map(|(name, Robot { joints, base })| {
            let rotation = rotation(base.rotation).ok_or_else(|| not_turned(&name))?;
            let base = Isometry3::from_parts(base.translation.into(), rotation);
            Ok::<_, String>(RecordedRobot { name, joints, base })
        });
        let (bodies, robots) = (bodies.collect::<Result<_, _>>()?, robots.collect::<Result<_, _>>()?);
        let soft = nodes.map(|(name, nodes)| match self.soft.remove(&name) {
            Some(state) => Ok(RecordedSoftBody { name, nodes, state }),
            None => Err(format!("the soft body `{name}` is missing")),
        });
        let soft = soft.collect::<Result<_, _>>()?;
        Ok(RecordedState {
            step: self.step,
            time: self.time,
            bodies,
            robots,
            soft,
            energy: Energy {
                kinetic: self.energy.kinetic,
                potential: self.energy.potential,
                elastic: self.energy.elastic,
            },
            contacts: self.contacts,
            max_penetration: self.max_penetration,
            hash: self.hash,
        })
    }
}

/// Whether the names, both sorted, are the same.
fn same<'a>(what: &str, expected: &[String], found: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let found: Vec<&String> = found.collect();
    if let Some(missing) = expected.iter().find(|name| found.binary_search(name).is_err()) {
        return Err(format!("the {what} `{missing}` is missing"));
    }
    match found.into_iter().find(|name| expected.binary_search(name).is_err()) {
        Some(unknown) => Err(format!("the scene has no {what} `{unknown}`")),
        None => Ok(()),
    }
}

fn state_of(name: String, body: &BodyLine) -> Result<BodyState, String> {
    let rotation = rotation(body.rotation).ok_or_else(|| not_turned(&name))?;
    Ok(BodyState {
        name,
        position: Point3::from(body.position),
        rotation,
        linear_velocity: body.linear_velocity.into(),
        angular_velocity: body.angular_velocity.into(),
    })
}

fn not_turned(name: &str) -> String {
    format!("the rotation of `{name}` is no unit quaternion")
}

/// Deviation of the length of a quaternion from 1 that a run may write: rapier renormalizes after every step.
const UNIT_TOLERANCE: f64 = 1e-6;

/// The rotation of a unit quaternion w, x, y, z, with the same bits.
fn rotation([w, x, y, z]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    let quaternion = Quaternion::new(w, x, y, z);
    let is_unit = (quaternion.norm() - 1.0).abs() <= UNIT_TOLERANCE;
    is_unit.then(|| UnitQuaternion::new_unchecked(quaternion))
}
