//! Repair of the bodies and robots of a scene: bodies translate and rotate, robots move their joints.

use std::collections::{BTreeMap, BTreeSet};

use std::fmt;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;

use super::constraints::{self, ConstraintResponse};
use super::fault::{Class, Fault};
use super::overlaps::all_measured;
use super::repair_text::{SceneReport, at_least, change_text, write_changes};
use super::reply::{Displacement, PoseResponse, RepairStatus, Reply, not_free};
use super::search::SearchResponse;
use super::text::number;
use crate::repair::{
    Attachment, Change, Freedom, Keep, Moved, Repair, RepairError, RepairOptions, SceneRepair,
};
use crate::scene::{Scene, ScenePoses};
use extricate_core::penetration::generalized::{Pose, WorkBounds};
use extricate_dynamics::{BodyPenetration, World};

/// Repair of the bodies and robots of a scene.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["repaired", "already-free", "not-found"]))]
pub struct SceneRepairResponse {
    /// Outcome.
    #[serde(skip)]
    pub status: RepairStatus,
    /// Reason why the result is not accepted as free, if it is not.
    #[serde(skip)]
    pub refusal: Option<String>,
    /// Name of the scene: its file without folder and extension.
    pub scene: String,
    /// Object norm of the change, squared \[m²\].
    #[schemars(range(min = 0.0))]
    pub sigma: f64,
    /// Its square root \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Lower bound of the depth of every change that separates the parts that may move \[m\]; 0 where none is known.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Mean squared displacement of all points \[m²\].
    #[schemars(range(min = 0.0))]
    pub mean_squared_displacement: f64,
    /// Values of the independent joints, by robot.
    pub joints: BTreeMap<String, BTreeMap<String, f64>>,
    /// Pose of the root link, by robot.
    pub base: BTreeMap<String, PoseResponse>,
    /// Changes of the joints that moved, by robot/joint [rad or m].
    pub change: BTreeMap<String, f64>,
    /// Bodies and bases of robots that moved, by name.
    pub moved: BTreeMap<String, Displacement>,
    /// The body or link that moved farthest; null where nothing did.
    pub farthest: Option<FarthestBody>,
    /// Minimum distance of the pairs that may not collide \[m\]; null where unknown.
    pub clearance: Option<f64>,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Joints that close a loop or attach a body to a robot, with their errors.
    pub constraints: Vec<ConstraintResponse>,
    /// Whether an independent measurement found no overlaps in the repaired scene.
    pub verified_free: bool,
    /// Pairs that overlap in the scene.
    pub overlaps_before: usize,
    /// Pairs that overlap in the repaired scene.
    pub overlaps_after: Vec<[String; 2]>,
    /// Iterations of all searches.
    pub iterations: u32,
    /// Extent of the search; null where nothing had to be moved.
    pub search: Option<SearchResponse>,
    /// Facts for the text output.
    #[serde(skip)]
    pub report: SceneReport,
}

/// The body or link that moved farthest.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FarthestBody {
    /// Its name.
    pub name: String,
    /// Displacement of its farthest point \[m\]; for round shapes an upper bound.
    #[schemars(range(min = 0.0))]
    pub distance: f64,
}

/// Result of the search for a scene.
pub(super) struct SearchResult {
    repair: Option<Repair>,
    /// Reason why it is not accepted, if it is not.
    pub(super) refusal: Option<String>,
    pub(super) poses: ScenePoses,
    moved: BTreeMap<String, Moved>,
    robots: BTreeMap<String, Pose>,
    clearance: Option<f64>,
    lower_bound: f64,
    /// Pairs of an attached body and a part that it may touch.
    touching: Vec<[String; 2]>,
}

/// Parts and constraints of a repair of a scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demands<'a> {
    pub(super) freedom: &'a Freedom,
    pub(super) keeps: &'a [Keep],
    pub(super) attachments: &'a [Attachment],
}

/// The scene with its robots and bodies at collision-free poses, for a run.
pub(super) fn repaired(scene: Scene, world: &World) -> Result<Scene, Fault> {
    let before = all_measured(world)?;
    // A run is repaired once, at its start: all rounds of the search are made, whatever they cost.
    let work = WorkBounds { min: u64::MAX, max: u64::MAX, ..WorkBounds::default() };
    let options = RepairOptions { work, ..RepairOptions::default() };
    let freedom = Freedom::default();
    let demands = Demands { freedom: &freedom, keeps: &[], attachments: &[] };
    let found = search((&scene, world), &before, demands, &options)?;
    match found.refusal {
        Some(message) => Err(Fault::new(Class::NoFreePose, message)),
        None => Ok(scene.posed(&found.poses)),
    }
}

/// Searches for the nearest collision-free poses: first moving only the bodies that overlap, then all of them.
pub(super) fn search(
    (scene, world): (&Scene, &World),
    overlaps: &[BodyPenetration],
    Demands { freedom, keeps, attachments }: Demands<'_>,
    options: &RepairOptions,
) -> Result<SearchResult, Fault> {
    let mut names: BTreeSet<String> = overlaps.iter().flat_map(|pair| pair.bodies.clone()).collect();
    // What is attached to each other moves together, even if only one of them overlaps.
    names.extend(attachments.iter().flat_map(|own| [own.holder().to_owned(), own.object().to_owned()]));
    let make = |moving: Option<&BTreeSet<String>>| {
        let made = SceneRepair::new(scene, world, freedom, moving).and_then(|mut made| {
            attachments.iter().try_for_each(|own| made.attach(own))?;
            keeps.iter().try_for_each(|keep| made.keep(keep))?;
            Ok(made)
        });
        made.map_err(|error| fault(&error))
    };
    // A search in few coordinates is much faster; it fails where the bodies around them would have to give way.
    let few = make(Some(&names))?;
    let is_free = overlaps.iter().all(|pair| is_touching(few.touching(), pair)) && keeps.is_empty();
    if is_free && !options.clearance.is_some_and(|clearance| clearance > 0.0) {
        return SearchResult::new(&few, None, None);
    }
    let started = Instant::now();
    match few.repair(options) {
        Ok(repair) => SearchResult::new(&few, repair, None),
        Err(RepairError::NotFound { .. }) => {
            let all = make(None)?;
            // A second search has the rest of the budget.
            let time_budget = options.time_budget.map(|budget| budget.saturating_sub(started.elapsed()));
            match all.repair(&RepairOptions { time_budget, ..options.clone() }) {
                Ok(repair) => SearchResult::new(&all, repair, None),
                Err(error) => SearchResult::failed(&all, error),
            }
        }
        Err(error) => SearchResult::failed(&few, error),
    }
}

fn fault(error: &RepairError) -> Fault {
    match error {
        RepairError::UnknownName { .. } | RepairError::BadWeight { .. } => Fault::of(Class::Usage, error),
        RepairError::Norm { .. } | RepairError::Articulation(_) => Fault::of(Class::BadFile, error),
        _ => Fault::of(Class::Numerical, error),
    }
}

/// Whether a pair is one of an attached body and a part that it may touch.
fn is_touching(touching: &[[String; 2]], pair: &BodyPenetration) -> bool {
    let [a, b] = &pair.bodies;
    touching.iter().any(|[first, second]| (a, b) == (first, second) || (b, a) == (first, second))
}

impl SearchResult {
    /// Removes the pairs of attached bodies and parts that they may touch.
    pub(super) fn without_touching(&self, pairs: Vec<BodyPenetration>) -> Vec<BodyPenetration> {
        pairs.into_iter().filter(|pair| !is_touching(&self.touching, pair)).collect()
    }

    fn new(scene: &SceneRepair<'_>, repair: Option<Repair>, refusal: Option<String>) -> Result<Self, Fault> {
        let poses = repair.as_ref().map_or_else(ScenePoses::default, |repair| scene.placed(repair));
        let moved = repair.as_ref().map(|repair| scene.moved(repair)).unwrap_or_default();
        let robots = scene.robots(repair.as_ref());
        let at = repair.as_ref().map_or(scene.poses(), |repair| &repair.poses);
        let clearance = scene.ensemble().clearance(at).map_err(|error| fault(&error))?;
        let clearance = Some(clearance).filter(|clearance| clearance.is_finite());
        let touching = scene.touching().to_vec();
        let lower_bound = scene.ensemble().lower_bound(scene.poses()).map_err(|error| fault(&error))?;
        Ok(Self { repair, refusal, poses, moved, robots, clearance, lower_bound, touching })
    }

    /// The best result of a search that found no free pose.
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

impl SceneRepairResponse {
    /// The response to a search, with the overlaps before and after it.
    pub(super) fn new(scene: &Scene, found: SearchResult, [before, after]: [&[BodyPenetration]; 2]) -> Self {
        let has_moved = found.poses != ScenePoses::default();
        let status = match (found.refusal.is_none() && after.is_empty(), has_moved) {
            (false, _) => RepairStatus::NotFound,
            (true, false) => RepairStatus::AlreadyFree,
            (true, true) => RepairStatus::Repaired,
        };
        let changes = found.repair.as_ref().map(|repair| repair.changes.clone()).unwrap_or_default();
        Self {
            status,
            report: SceneReport::new([before, after], changes),
            refusal: found.refusal.clone(),
            overlaps_before: before.len(),
            overlaps_after: after.iter().map(|pair| pair.bodies.clone()).collect(),
            verified_free: after.is_empty(),
            ..Self::of_search(scene, found)
        }
    }

    /// The fields that follow from the search; those of the measurement after it are empty.
    fn of_search(scene: &Scene, found: SearchResult) -> Self {
        let SearchResult { repair, moved, robots, clearance, lower_bound, .. } = found;
        let values = |name: &String, pose: &Pose| {
            let articulation = scene.robots.iter().find(|robot| robot.name == *name).map(|r| &r.articulation);
            let joints = articulation.into_iter().flat_map(|articulation| {
                articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone())
            });
            joints.zip(pose.joints.iter().copied()).collect()
        };
        let by_joint = |change: &Change| match change.moved {
            Moved::Rotated(by) | Moved::Slid(by) => Some((change.name.clone(), by)),
            Moved::Placed { .. } => None,
        };
        let shift = |(name, moved): (String, Moved)| match moved {
            Moved::Placed { translation, angle } => {
                Some((name, Displacement { translation: translation.into(), angle }))
            }
            _ => None,
        };
        let repair = repair.as_ref();
        Self {
            status: RepairStatus::NotFound,
            refusal: None,
            scene: scene.name(),
            sigma: repair.map_or(0.0, |repair| repair.sigma),
            depth: repair.map_or(0.0, |repair| repair.depth),
            lower_bound,
            mean_squared_displacement: repair.map_or(0.0, |repair| repair.mean_squared_displacement),
            joints: robots.iter().map(|(name, pose)| (name.clone(), values(name, pose))).collect(),
            base: robots.iter().map(|(name, pose)| (name.clone(), (&pose.base).into())).collect(),
            change: repair.iter().flat_map(|repair| repair.changes.iter().filter_map(by_joint)).collect(),
            moved: moved.into_iter().filter_map(shift).collect(),
            farthest: repair
                .and_then(|repair| repair.farthest.clone())
                .map(|farthest| FarthestBody { name: farthest.name, distance: farthest.distance }),
            clearance,
            limits_kept: repair.is_none_or(|repair| repair.limits_kept),
            constraints: ConstraintResponse::of(repair),
            verified_free: false,
            overlaps_before: 0,
            overlaps_after: Vec::new(),
            iterations: repair.map_or(0, |repair| repair.iterations),
            search: repair.map(SearchResponse::from),
            report: SceneReport::default(),
        }
    }
}

impl Reply for SceneRepairResponse {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        not_free(self.status, self.refusal.as_deref(), &self.overlaps_after)
    }
}

impl fmt::Display for SceneRepairResponse {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let bound = at_least(self.lower_bound);
        let mut moved = vec![("moved", format!("{} m (root mean square{bound})", number(self.depth)))];
        if let Some(FarthestBody { name, distance }) = &self.farthest {
            moved.push(("farthest", format!("{name}, by {} m", number(*distance))));
        }
        moved.extend(constraints::text(&self.constraints).map(|text| ("constraints", text)));
        moved.extend(self.search.iter().map(|search| ("search", search.to_string())));
        let head = (self.scene.as_str(), self.status);
        self.report.facts(f, head, self.overlaps_before, &moved, self.clearance)?;
        let heading = ("name", &["change", "moves all by [m]"][..]);
        write_changes(f, (&self.report.changes, self.depth), heading, |change| {
            vec![change_text(&change.moved)]
        })
    }
}
