//! Response to the repair of a robot among obstacles.

use std::collections::BTreeMap;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::constraints::{self, ConstraintResponse};
use super::fault::{Class, Fault};
use super::repair_text::{at_least, change_text, gap, write_changes};
use super::reply::{Displacement, PoseResponse, RepairStatus, Reply, not_free};
use super::search::SearchResponse;
use super::table::Table;
use super::text::number;
use crate::repair::{Change, Collision, Ensemble, Moved, Repair, RepairError};
use extricate_core::penetration::generalized::Pose;
use extricate_core::penetration::object_norm::Measure;

/// Repair of a configuration.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(extend("x-status" = ["repaired", "already-free", "not-found"]))]
pub struct RobotRepair {
    /// Outcome.
    #[serde(skip)]
    pub status: RepairStatus,
    /// Reason why a free configuration is not accepted.
    #[serde(skip)]
    pub error: Option<String>,
    /// Object norm of the change, squared \[m²\].
    #[schemars(range(min = 0.0))]
    pub sigma: f64,
    /// Its square root \[m\].
    #[schemars(range(min = 0.0))]
    pub depth: f64,
    /// Lower bound of the depth of every free configuration \[m\]; 0 where none is known.
    #[schemars(range(min = 0.0))]
    pub lower_bound: f64,
    /// Mean squared displacement of all points \[m²\].
    #[schemars(range(min = 0.0))]
    pub mean_squared_displacement: f64,
    /// Measure over the points: by volume, or by area where a link is a surface without volume.
    #[schemars(extend("enum" = ["volume", "area"]))]
    pub measure: &'static str,
    /// Values of the independent joints, by name [rad or m].
    pub joints: BTreeMap<String, f64>,
    /// Pose of the root link.
    pub base: PoseResponse,
    /// Changes of the joints that moved, by name [rad or m].
    pub change: BTreeMap<String, f64>,
    /// Change of the base; null where it did not move.
    pub base_change: Option<Displacement>,
    /// The link that moved farthest; null where nothing did.
    pub farthest: Option<FarthestLink>,
    /// Minimum distance of the pairs that may not collide \[m\]; negative where they overlap, null where there is no pair.
    pub clearance: Option<f64>,
    /// Whether all joints are within their limits.
    pub limits_kept: bool,
    /// Loops that joints close, and what was to be kept, with their errors.
    pub constraints: Vec<ConstraintResponse>,
    /// Whether an independent collision query found no collision.
    pub verified_free: bool,
    /// Pairs of links and obstacles that collide in the initial configuration.
    pub collisions_before: Vec<[String; 2]>,
    /// Pairs that collide in the repaired configuration.
    pub collisions_after: Vec<[String; 2]>,
    /// Iterations of all searches.
    pub iterations: u32,
    /// Extent of the search; null where nothing had to be moved.
    pub search: Option<SearchResponse>,
    /// Facts for the text output.
    #[serde(skip)]
    report: RobotReport,
}

/// Facts about a repaired configuration that are part of its text only.
#[derive(Debug, Default)]
struct RobotReport {
    changes: Vec<Change>,
    before: BTreeMap<String, f64>,
    collisions: Vec<Collision>,
}

/// A configuration as a line of a file of configurations.
#[derive(Debug, Serialize)]
struct Line<'a> {
    joints: &'a BTreeMap<String, f64>,
    base: &'a PoseResponse,
}

/// The link that moved farthest.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FarthestLink {
    /// Its name.
    pub link: String,
    /// Displacement of its farthest point \[m\]; for round shapes an upper bound.
    #[schemars(range(min = 0.0))]
    pub distance: f64,
}

impl RobotRepair {
    /// The response for a configuration; `repair` is missing where it was already free.
    fn new(
        (status, error): (RepairStatus, Option<String>),
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
            Moved::Rotated(by) | Moved::Slid(by) => Some((change.name.clone(), by)),
            Moved::Placed { .. } => None,
        };
        let of_base = |change: &Change| match change.moved {
            Moved::Placed { translation, angle } => {
                Some(Displacement { translation: translation.into(), angle })
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
            lower_bound: ensemble.lower_bound(std::slice::from_ref(pose))?,
            mean_squared_displacement: repair.as_ref().map_or(0.0, |r| r.mean_squared_displacement),
            measure: measure_name(measure),
            joints: values(ensemble, &poses[0]),
            base: (&poses[0].base).into(),
            change: changes.iter().filter_map(of_joints).collect(),
            base_change: changes.iter().find_map(of_base),
            farthest: farthest.map(|found| FarthestLink { link: found.name, distance: found.distance }),
            clearance,
            limits_kept: repair.as_ref().is_none_or(|repair| repair.limits_kept),
            constraints: ConstraintResponse::of(repair.as_ref()),
            verified_free: ensemble.is_verified_free(&poses)?,
            collisions_before: names(&before),
            collisions_after: names(&after),
            iterations: repair.as_ref().map_or(0, |repair| repair.iterations),
            search: repair.as_ref().map(SearchResponse::from),
            report: RobotReport {
                changes: changes.to_vec(),
                before: values(ensemble, pose),
                collisions: after,
            },
        })
    }

    /// The configuration as a line of a file of configurations.
    ///
    /// # Errors
    /// Errors of serialization.
    pub fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(&Line { joints: &self.joints, base: &self.base }).map(|line| line + "\n")
    }
}

fn measure_name(measure: Measure) -> &'static str {
    match measure {
        Measure::Area => "area",
        _ => "volume",
    }
}

/// Values of the independent joints, by name.
fn values(ensemble: &Ensemble, pose: &Pose) -> BTreeMap<String, f64> {
    let articulation = ensemble.collision_world().movables()[0].articulation();
    let joints = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
    joints.zip(pose.joints.iter().copied()).collect()
}

impl Reply for RobotRepair {
    fn status(&self) -> &'static str {
        self.status.name()
    }

    fn shortfall(&self) -> Option<Fault> {
        not_free(self.status, self.error.as_deref(), &self.collisions_after)
    }
}

/// The response to the result of a search; a configuration that is not free has one as well.
pub(super) fn response(
    ensemble: &Ensemble,
    pose: &Pose,
    measure: Measure,
    found: Result<Option<Repair>, RepairError>,
) -> Result<RobotRepair, RepairError> {
    let message = found.as_ref().err().map(ToString::to_string);
    let (status, repair, why) = match found {
        Ok(None) => (RepairStatus::AlreadyFree, None, None),
        Ok(Some(repair)) => (RepairStatus::Repaired, Some(repair), None),
        Err(RepairError::NotFound { best, .. }) => {
            let why = message.filter(|_| !best.immobilised_by.is_empty());
            (RepairStatus::NotFound, Some(*best), why)
        }
        Err(RepairError::TooFar { best, name, distance, limit }) => {
            let why = format!("`{name}` would move {distance} m, farther than {limit} m");
            (RepairStatus::NotFound, Some(*best), Some(why))
        }
        Err(other) => return Err(other),
    };
    RobotRepair::new((status, why), ensemble, pose, repair, measure)
}

/// Class of an error of the repair of a robot.
pub(super) fn class_of(error: &RepairError) -> Class {
    match error {
        RepairError::UnknownName { .. } | RepairError::BadWeight { .. } => Class::Usage,
        RepairError::Norm { .. } | RepairError::Articulation(_) | RepairError::Search(_) => Class::BadFile,
        _ => Class::Numerical,
    }
}

impl fmt::Display for RobotRepair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}; {} pairs collided", self.status.word(), self.collisions_before.len())?;
        let mut facts = Table::default();
        if self.status != RepairStatus::AlreadyFree {
            let by = if self.measure == "volume" { "" } else { ", by area" };
            let bound = at_least(self.lower_bound);
            facts.row("moved", [format!("{} m (root mean square{by}{bound})", number(self.depth))]);
        }
        if let Some(FarthestLink { link, distance }) = &self.farthest {
            facts.row("farthest", [format!("{link}, by {} m", number(*distance))]);
        }
        facts.row("minimum distance", [gap(self.clearance)]);
        constraints::text(&self.constraints).into_iter().for_each(|text| facts.row("constraints", [text]));
        self.search.iter().for_each(|search| facts.row("search", [search.to_string()]));
        let checked = if self.verified_free { "free" } else { "NOT free" };
        let limits = if self.limits_kept { "satisfied" } else { "NOT satisfied" };
        facts.row("checked", [format!("{checked}, limits {limits}")]);
        write!(f, "{facts}")?;
        for Collision { names: [a, b], depth } in &self.report.collisions {
            let depth = depth.map_or_else(String::new, |depth| format!(", {} m deep", number(depth)));
            write!(f, "\n  still collides: {a} and {b}{depth}")?;
        }
        if let Some(error) = &self.error {
            write!(f, "\n  {error}")?;
        }
        let heading = ("joint", &["change", "from", "to", "moves all by [m]"][..]);
        write_changes(f, (&self.report.changes, self.depth), heading, |change| self.cells(change))
    }
}

impl RobotRepair {
    /// A change, and the values before and after it.
    fn cells(&self, Change { name, moved, .. }: &Change) -> Vec<String> {
        let from = self.report.before.get(name).copied().unwrap_or_default();
        let at = match *moved {
            Moved::Rotated(by) => {
                [Moved::Rotated(from), Moved::Rotated(from + by)].map(|at| change_text(&at))
            }
            Moved::Slid(by) => [Moved::Slid(from), Moved::Slid(from + by)].map(|at| change_text(&at)),
            Moved::Placed { .. } => [String::new(), String::new()],
        };
        std::iter::once(change_text(moved)).chain(at).collect()
    }
}
