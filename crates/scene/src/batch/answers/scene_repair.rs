//! The bodies and robots of a scene, put where nothing overlaps: bodies are turned as well, robots move their joints.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Isometry3;
use serde::Serialize;

use super::overlaps::measured;
use super::{Reply, Status};
use crate::batch::fault::{Class, Fault};
use crate::repair::{Change, Freedom, Moved, Repair, RepairError, RepairOptions, SceneRepair};
use crate::scene::{Scene, ScenePoses};
use extricate_core::penetration::generalized::Pose;
use extricate_dynamics::{BodyPenetration, World};

/// What a repair came to.
#[derive(Debug, Serialize)]
pub struct Answer {
    #[serde(skip)]
    pub status: Status,
    /// Why it does not count as free, if it does not.
    #[serde(skip)]
    pub refusal: Option<String>,
    pub scene: String,
    pub(crate) sigma: f64,
    pub depth: f64,
    pub(crate) mean_squared_displacement: f64,
    pub joints: BTreeMap<String, BTreeMap<String, f64>>,
    pub base: BTreeMap<String, Place>,
    pub change: BTreeMap<String, f64>,
    pub(crate) moved: BTreeMap<String, Shift>,
    pub farthest: Option<FarthestAnswer>,
    pub clearance: Option<f64>,
    pub limits_kept: bool,
    pub verified_free: bool,
    pub(crate) overlaps_before: usize,
    pub(crate) overlaps_after: Vec<[String; 2]>,
    pub(crate) iterations: u32,
}

#[derive(Debug, Serialize)]
pub struct Place {
    pub(crate) translation: [f64; 3],
    pub(crate) rotation: [f64; 4],
}

#[derive(Debug, Serialize)]
pub(crate) struct Shift {
    pub(crate) translation: [f64; 3],
    pub(crate) angle: f64,
}

#[derive(Debug, Serialize)]
pub struct FarthestAnswer {
    pub name: String,
    pub distance: f64,
}

/// What was found for a scene.
pub struct Found {
    pub repair: Option<Repair>,
    /// Why it does not count, if it does not.
    pub refusal: Option<String>,
    pub poses: ScenePoses,
    pub(crate) moved: BTreeMap<String, Moved>,
    pub(crate) robots: BTreeMap<String, Pose>,
    pub(crate) clearance: Option<f64>,
}

/// The scene with its robots and bodies where nothing overlaps, for a run.
pub(crate) fn repaired(scene: Scene, world: &World) -> Result<Scene, Fault> {
    let before = measured(world)?;
    let found = search((&scene, world), &before, &Freedom::default(), &RepairOptions::default())?;
    match found.refusal {
        Some(message) => Err(Fault::new(Class::NoFreePose, message)),
        None => Ok(scene.posed(&found.poses)),
    }
}

/// Looks for the nearest poses: with the bodies that overlap, then with all of them.
pub fn search(
    (scene, world): (&Scene, &World),
    overlaps: &[BodyPenetration],
    freedom: &Freedom,
    options: &RepairOptions,
) -> Result<Found, Fault> {
    let names: BTreeSet<String> = overlaps.iter().flat_map(|pair| pair.bodies.clone()).collect();
    let make = |moving: Option<&BTreeSet<String>>| {
        SceneRepair::new(scene, world, freedom, moving).map_err(|error| fault(&error))
    };
    let few = make(Some(&names))?;
    if overlaps.is_empty() && !(options.clearance > 0.0) {
        return Found::new(&few, None, None);
    }
    match few.repair(options) {
        Ok(repair) => Found::new(&few, repair, None),
        Err(RepairError::NotFound { .. }) => {
            let all = make(None)?;
            match all.repair(options) {
                Ok(repair) => Found::new(&all, repair, None),
                Err(error) => Found::failed(&all, error),
            }
        }
        Err(error) => Found::failed(&few, error),
    }
}

fn fault(error: &RepairError) -> Fault {
    match error {
        RepairError::UnknownName { .. } | RepairError::BadWeight { .. } => Fault::of(Class::Usage, error),
        RepairError::Norm { .. } | RepairError::Articulation(_) => Fault::of(Class::BadFile, error),
        _ => Fault::of(Class::Numerical, error),
    }
}

impl Found {
    fn new(scene: &SceneRepair<'_>, repair: Option<Repair>, refusal: Option<String>) -> Result<Self, Fault> {
        let poses = repair.as_ref().map_or_else(ScenePoses::default, |repair| scene.placed(repair));
        let moved = repair.as_ref().map(|repair| scene.moved(repair)).unwrap_or_default();
        let robots = scene.robots(repair.as_ref());
        let at = repair.as_ref().map_or(scene.poses(), |repair| &repair.poses);
        let clearance = scene.ensemble().clearance(at).map_err(|error| fault(&error))?;
        let clearance = Some(clearance).filter(|clearance| clearance.is_finite());
        Ok(Self { repair, refusal, poses, moved, robots, clearance })
    }

    /// The best effort of a search that failed for want of a free pose.
    fn failed(scene: &SceneRepair<'_>, error: RepairError) -> Result<Self, Fault> {
        let message = error.to_string();
        match error {
            RepairError::NotFound { best, .. } | RepairError::TooFar { best, .. } => {
                Self::new(scene, Some(*best), Some(message))
            }
            other => Err(fault(&other)),
        }
    }
}

impl Answer {
    /// What the search says, with the overlaps before and after it.
    pub fn new(scene: &Scene, found: Found, [before, after]: [&[BodyPenetration]; 2]) -> Self {
        let has_moved = found.poses != ScenePoses::default();
        let status = match (found.refusal.is_none() && after.is_empty(), has_moved) {
            (false, _) => Status::NotFound,
            (true, false) => Status::AlreadyFree,
            (true, true) => Status::Repaired,
        };
        Self {
            status,
            refusal: found.refusal.clone(),
            overlaps_before: before.len(),
            overlaps_after: after.iter().map(|pair| pair.bodies.clone()).collect(),
            verified_free: after.is_empty(),
            ..Self::of_search(scene, found)
        }
    }

    /// What the search says; what is measured afterwards is left at nothing.
    fn of_search(scene: &Scene, found: Found) -> Self {
        let Found { repair, moved, robots, clearance, .. } = found;
        let values = |name: &String, pose: &Pose| {
            let articulation = scene.robots.iter().find(|robot| robot.name == *name).map(|r| &r.articulation);
            let joints = articulation.into_iter().flat_map(|articulation| {
                articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone())
            });
            joints.zip(pose.joints.iter().copied()).collect()
        };
        let by_joint = |change: &Change| match change.moved {
            Moved::Turned(by) | Moved::Slid(by) => Some((change.name.clone(), by)),
            Moved::Placed { .. } => None,
        };
        let shift = |(name, moved): (String, Moved)| match moved {
            Moved::Placed { translation, angle } => {
                Some((name, Shift { translation: translation.into(), angle }))
            }
            _ => None,
        };
        let repair = repair.as_ref();
        Self {
            status: Status::NotFound,
            refusal: None,
            scene: scene.name(),
            sigma: repair.map_or(0.0, |repair| repair.sigma),
            depth: repair.map_or(0.0, |repair| repair.depth),
            mean_squared_displacement: repair.map_or(0.0, |repair| repair.mean_squared_displacement),
            joints: robots.iter().map(|(name, pose)| (name.clone(), values(name, pose))).collect(),
            base: robots.iter().map(|(name, pose)| (name.clone(), (&pose.base).into())).collect(),
            change: repair.iter().flat_map(|repair| repair.changes.iter().filter_map(by_joint)).collect(),
            moved: moved.into_iter().filter_map(shift).collect(),
            farthest: repair
                .and_then(|repair| repair.farthest.clone())
                .map(|farthest| FarthestAnswer { name: farthest.name, distance: farthest.distance }),
            clearance,
            limits_kept: repair.is_none_or(|repair| repair.limits_kept),
            verified_free: false,
            overlaps_before: 0,
            overlaps_after: Vec::new(),
            iterations: repair.map_or(0, |repair| repair.iterations),
        }
    }
}

impl From<&Isometry3<f64>> for Place {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

impl Reply for Answer {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        super::not_free(self.status, self.refusal.as_deref(), &self.overlaps_after)
    }
}
