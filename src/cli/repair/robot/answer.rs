//! What the repair of a robot answers, as people and programs read it.

use std::collections::BTreeMap;

use nalgebra::Isometry3;
use serde::Serialize;

use super::super::super::console::Console;
use super::super::super::failure::{Exit, Failure};
use super::super::super::table::{Table, number};
use super::super::{Status, matter};
use crate::penetration::generalized::Pose;
use crate::penetration::object_norm::Measure;
use crate::proximity::AllowedBecause;
use crate::repair::{Change, Collision, Ensemble, Moved, Repair, RepairError, Robot};

/// The answer to a configuration.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    index: usize,
    pub(super) status: Status,
    /// Why it was not repaired though it is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    sigma: f64,
    depth: f64,
    mean_squared_displacement: f64,
    /// What the motion is measured by.
    measure: &'static str,
    joints: BTreeMap<String, f64>,
    base: BaseAnswer,
    change: BTreeMap<String, f64>,
    base_change: Option<BaseChange>,
    farthest: Option<FarthestAnswer>,
    clearance: Option<f64>,
    limits_kept: bool,
    verified_free: bool,
    collisions_before: Vec<[String; 2]>,
    collisions_after: Vec<[String; 2]>,
    iterations: u32,
    time_ms: f64,
    #[serde(skip)]
    told: Told,
}

/// What only people are told.
#[derive(Debug, Default)]
struct Told {
    changes: Vec<Change>,
    before: BTreeMap<String, f64>,
    collisions: Vec<Collision>,
}

#[derive(Debug, Clone, Serialize)]
struct BaseAnswer {
    translation: [f64; 3],
    rotation: [f64; 4],
}

#[derive(Debug, Serialize)]
struct BaseChange {
    translation: [f64; 3],
    angle: f64,
}

#[derive(Debug, Serialize)]
struct FarthestAnswer {
    link: String,
    distance: f64,
}

/// A line of the file of what was repaired.
#[derive(Debug, Serialize)]
struct Line<'a> {
    joints: &'a BTreeMap<String, f64>,
    base: &'a BaseAnswer,
}

impl From<&Isometry3<f64>> for BaseAnswer {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

impl Answer {
    /// The answer to a pose; `repair` is missing where it was free already.
    pub(super) fn new(
        (index, status, error): (usize, Status, Option<String>),
        ensemble: &Ensemble,
        pose: &Pose,
        repair: Option<Repair>,
        (measure, time_ms): (Measure, f64),
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
            index,
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
            time_ms,
            told: Told { changes: changes.to_vec(), before: values(ensemble, pose), collisions: after },
        })
    }

    /// The configuration as a line that `--joints` takes.
    pub(super) fn line(&self) -> Result<String, Failure> {
        let line = Line { joints: &self.joints, base: &self.base };
        let text = serde_json::to_string(&line);
        text.map(|text| text + "\n").map_err(|error| Failure::of(Exit::Usage, &error))
    }

    pub(super) fn tell(&self, console: &mut Console) -> Result<(), Failure> {
        if console.json() {
            return console.json_line(self);
        }
        let word = self.status.word();
        let pairs = self.collisions_before.len();
        console.line(format_args!("{}: {word}; {pairs} pairs collided", self.index))?;
        let mut facts = Table::default();
        if self.status != Status::AlreadyFree {
            let by = if self.measure == "volume" { "" } else { ", by area" };
            facts.row("moved", [format!("{} m (root mean square{by})", number(self.depth))]);
        }
        if let Some(FarthestAnswer { link, distance }) = &self.farthest {
            facts.row("farthest", [format!("{link}, by {} m", number(*distance))]);
        }
        let clearance = self.clearance.map_or_else(|| "none".into(), |gap| format!("{gap:.3e} m"));
        facts.row("least distance", [clearance]);
        facts.row("checked", [format!("{}, limits {}", self.checked(), kept(self.limits_kept))]);
        console.line(facts)?;
        for Collision { names: [a, b], depth } in &self.told.collisions {
            let depth = depth.map_or_else(String::new, |depth| format!(", {} m deep", number(depth)));
            console.line(format_args!("  still collides: {a} and {b}{depth}"))?;
        }
        if let Some(error) = &self.error {
            console.line(format_args!("  {error}"))?;
        }
        self.tell_changes(console)
    }

    fn checked(&self) -> &'static str {
        if self.verified_free { "free" } else { "NOT free" }
    }

    /// What moved by how much, largest part of the motion first.
    fn tell_changes(&self, console: &mut Console) -> Result<(), Failure> {
        if self.told.changes.is_empty() {
            return Ok(());
        }
        let mut table = Table::default();
        table.row("joint", ["change", "from", "to", "moves all by [m]"].map(String::from));
        let (listed, rest) = matter(&self.told.changes, self.depth);
        for Change { name, moved, sigma } in listed {
            let from = self.told.before.get(name).copied().unwrap_or_default();
            let part = number(sigma.sqrt());
            let cells = match *moved {
                Moved::Turned(by) => {
                    let told = |angle: f64| format!("{}°", number(angle.to_degrees()));
                    [told(by), told(from), told(from + by), part]
                }
                Moved::Slid(by) => {
                    let told = |length: f64| format!("{} m", number(length));
                    [told(by), told(from), told(from + by), part]
                }
                Moved::Placed { translation, angle } => {
                    let by = format!("{} m, {}°", number(translation.norm()), number(angle.to_degrees()));
                    [by, String::new(), String::new(), part]
                }
            };
            table.row(name, cells);
        }
        console.line(table)?;
        if rest > 0 { console.line(format_args!("  and {rest} others by less")) } else { Ok(()) }
    }
}

fn kept(kept: bool) -> &'static str {
    if kept { "kept" } else { "NOT kept" }
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

/// Which links may collide, and why.
#[derive(Debug, Serialize)]
pub(super) struct AllowedAnswer {
    allowed_collisions: Vec<AllowedPair>,
}

#[derive(Debug, Serialize)]
struct AllowedPair {
    links: [String; 2],
    because: &'static str,
    configurations: u32,
}

impl AllowedAnswer {
    pub(super) fn new(robot: &Robot) -> Self {
        let pair = |pair: &crate::repair::AllowedLinks| {
            let (because, configurations) = match pair.because {
                AllowedBecause::Adjacent => ("adjacent", 0),
                AllowedBecause::AlwaysColliding { configurations } => ("always_colliding", configurations),
                AllowedBecause::Given => ("given", 0),
            };
            AllowedPair { links: pair.links.clone(), because, configurations }
        };
        Self { allowed_collisions: robot.allowed().iter().map(pair).collect() }
    }

    pub(super) fn tell(&self, console: &mut Console) -> Result<(), Failure> {
        let pairs = self.allowed_collisions.len();
        console.line(format_args!("{pairs} pairs of links are allowed to collide"))?;
        for AllowedPair { links: [a, b], because, configurations } in &self.allowed_collisions {
            let why = match *because {
                "always_colliding" => {
                    format!("they collide at rest and in all of {configurations} other configurations")
                }
                "given" => String::from("`--allow` says so"),
                other => other.to_owned(),
            };
            console.line(format_args!("  {a} and {b}: {why}"))?;
        }
        Ok(())
    }
}
