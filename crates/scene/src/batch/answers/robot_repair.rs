//! What the repair of a robot among obstacles answers.

use std::collections::BTreeMap;

use nalgebra::Isometry3;
use serde::Serialize;

use super::{Reply, Status};
use crate::batch::fault::{Class, Fault};
use crate::repair::{Change, Collision, Ensemble, Moved, Repair, RepairError};
use extricate_core::penetration::generalized::Pose;
use extricate_core::penetration::object_norm::Measure;

/// The answer to a configuration.
#[derive(Debug, Serialize)]
pub struct Answer {
    #[serde(skip)]
    pub status: Status,
    /// Why it was not repaired though it is free.
    #[serde(skip)]
    pub error: Option<String>,
    pub(crate) sigma: f64,
    pub depth: f64,
    pub(crate) mean_squared_displacement: f64,
    /// What the motion is measured by.
    pub measure: &'static str,
    pub joints: BTreeMap<String, f64>,
    pub base: BaseAnswer,
    pub change: BTreeMap<String, f64>,
    pub(crate) base_change: Option<BaseChange>,
    pub farthest: Option<FarthestAnswer>,
    pub clearance: Option<f64>,
    pub limits_kept: bool,
    pub verified_free: bool,
    pub collisions_before: Vec<[String; 2]>,
    pub(crate) collisions_after: Vec<[String; 2]>,
    pub(crate) iterations: u32,
    #[serde(skip)]
    pub told: Told,
}

/// What only people are told.
#[derive(Debug, Default)]
pub struct Told {
    pub changes: Vec<Change>,
    pub before: BTreeMap<String, f64>,
    pub collisions: Vec<Collision>,
}

#[derive(Debug, Clone, Serialize)]
pub struct BaseAnswer {
    translation: [f64; 3],
    rotation: [f64; 4],
}

#[derive(Debug, Serialize)]
pub(crate) struct BaseChange {
    translation: [f64; 3],
    pub(crate) angle: f64,
}

#[derive(Debug, Serialize)]
pub struct FarthestAnswer {
    pub link: String,
    pub distance: f64,
}

impl From<&Isometry3<f64>> for BaseAnswer {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

impl Answer {
    /// The answer to a pose; `repair` is missing where it was free already.
    pub(crate) fn new(
        (status, error): (Status, Option<String>),
        ensemble: &Ensemble,
        pose: &Pose,
        repair: Option<Repair>,
        measure: Measure,
    ) -> Result<Self, RepairError> {
        let before = ensemble.colliding(std::slice::from_ref(pose))?;
        let (after, poses) = match &repair {
            None => (Vec::new(), vec![pose.clone()]),
            Some(repair) => (ensemble.colliding(&repair.poses)?, repair.poses.clone()),
        };
        let clearance = Some(ensemble.clearance(&poses)?).filter(|clearance| clearance.is_finite());
        let names = |pairs: &[Collision]| pairs.iter().map(|pair| pair.names.clone()).collect();
        let of_joints = |change: &Change| match change.moved {
            Moved::Turned(by) | Moved::Slid(by) => Some((change.name.clone(), by)),
            Moved::Placed { .. } => None,
        };
        let of_base = |change: &Change| match change.moved {
            Moved::Placed { translation, angle } => {
                Some(BaseChange { translation: translation.into(), angle })
            }
            _ => None,
        };
        let changes = repair.as_ref().map_or(&[][..], |repair| &repair.changes);
        let farthest = repair.as_ref().and_then(|repair| repair.farthest.clone());
        Ok(Self {
            status,
            error,
            sigma: repair.as_ref().map_or(0.0, |repair| repair.sigma),
            depth: repair.as_ref().map_or(0.0, |repair| repair.depth),
            mean_squared_displacement: repair.as_ref().map_or(0.0, |r| r.mean_squared_displacement),
            measure: word(measure),
            joints: values(ensemble, &poses[0]),
            base: (&poses[0].base).into(),
            change: changes.iter().filter_map(of_joints).collect(),
            base_change: changes.iter().find_map(of_base),
            farthest: farthest.map(|found| FarthestAnswer { link: found.name, distance: found.distance }),
            clearance,
            limits_kept: repair.as_ref().is_none_or(|repair| repair.limits_kept),
            verified_free: ensemble.is_verified_free(&poses)?,
            collisions_before: names(&before),
            collisions_after: names(&after),
            iterations: repair.as_ref().map_or(0, |repair| repair.iterations),
            told: Told { changes: changes.to_vec(), before: values(ensemble, pose), collisions: after },
        })
    }
}

fn word(measure: Measure) -> &'static str {
    match measure {
        Measure::Area => "area",
        _ => "volume",
    }
}

/// Values of the joints that move of themselves, by name.
fn values(ensemble: &Ensemble, pose: &Pose) -> BTreeMap<String, f64> {
    let articulation = ensemble.arrangement().movers()[0].articulation();
    let joints = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
    joints.zip(pose.joints.iter().copied()).collect()
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        super::not_free(self.status, self.error.as_deref(), &self.collisions_after)
    }
}

/// Repairs a configuration by `search` and tells what was found; one that is not free is an answer, too.
pub fn answer(
    ensemble: &Ensemble,
    pose: &Pose,
    measure: Measure,
    found: Result<Option<Repair>, RepairError>,
) -> Result<Answer, RepairError> {
    let (status, repair, why) = match found {
        Ok(None) => (Status::AlreadyFree, None, None),
        Ok(Some(repair)) => (Status::Repaired, Some(repair), None),
        Err(RepairError::NotFound { best, .. }) => (Status::NotFound, Some(*best), None),
        Err(RepairError::TooFar { best, name, distance, limit }) => {
            let why = format!("`{name}` would move {distance} m, farther than {limit} m");
            (Status::NotFound, Some(*best), Some(why))
        }
        Err(other) => return Err(other),
    };
    Answer::new((status, why), ensemble, pose, repair, measure)
}

/// The class of what went wrong when a robot was repaired.
pub fn class_of(error: &RepairError) -> Class {
    match error {
        RepairError::UnknownName { .. } | RepairError::BadWeight { .. } => Class::Usage,
        RepairError::Norm { .. } | RepairError::Articulation(_) | RepairError::Search(_) => Class::BadFile,
        _ => Class::Numerical,
    }
}
