//! The bodies and robots of a scene, put where nothing overlaps: bodies are turned as well, robots move their joints.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use nalgebra::Isometry3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::table::{self, Table, number};
use super::bodies::{all_measured, build, measured, not_moved};
use super::{Arguments, matter, word, write_whole};
use crate::batch::answers::Status;
use crate::dynamics::{BodyPenetration, World};
use crate::penetration::generalized::Pose;
use crate::repair::{Change, Freedom, Moved, Repair, RepairError, RepairOptions, SceneRepair};
use crate::scene::{Scene, ScenePoses};

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    index: u32,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    scene: String,
    sigma: f64,
    depth: f64,
    mean_squared_displacement: f64,
    joints: BTreeMap<String, BTreeMap<String, f64>>,
    base: BTreeMap<String, Place>,
    change: BTreeMap<String, f64>,
    moved: BTreeMap<String, Shift>,
    farthest: Option<FarthestAnswer>,
    clearance: Option<f64>,
    limits_kept: bool,
    verified_free: bool,
    overlaps_before: usize,
    overlaps_after: Vec<[String; 2]>,
    iterations: u32,
    time_ms: f64,
}

#[derive(Debug, Serialize)]
struct Place {
    translation: [f64; 3],
    rotation: [f64; 4],
}

#[derive(Debug, Serialize)]
struct Shift {
    translation: [f64; 3],
    angle: f64,
}

#[derive(Debug, Serialize)]
struct FarthestAnswer {
    name: String,
    distance: f64,
}

/// What was found for a scene.
struct Found {
    repair: Option<Repair>,
    /// Why it does not count, if it does not.
    refusal: Option<String>,
    poses: ScenePoses,
    moved: BTreeMap<String, Moved>,
    robots: BTreeMap<String, Pose>,
    clearance: Option<f64>,
}

/// Repairs the scene.
pub(super) fn execute(
    console: &mut Console,
    arguments: &Arguments,
    (scene, output): (&Scene, &Path),
    started: Instant,
) -> Result<(), Failure> {
    let world = build(scene)?;
    let rigid = measured(&world)?;
    let before = all_measured(&world)?;
    let freedom = Freedom {
        fixed: arguments.fix.iter().cloned().collect(),
        weights: arguments.weight.iter().cloned().collect(),
    };
    let options = RepairOptions {
        effort: arguments.effort.into(),
        clearance: arguments.clearance,
        max_move: arguments.max_move,
        ..RepairOptions::default()
    };
    let mut found = search((scene, &world), &rigid, &freedom, &options)?;
    let repaired = build(&write(scene, &found.poses, output)?)?;
    let after = all_measured(&repaired)?;
    found.refusal = found.refusal.or_else(|| not_moved(&repaired));
    let has_moved = found.poses != ScenePoses::default();
    let status = match (found.refusal.is_none() && after.is_empty(), has_moved) {
        (false, _) => Status::NotFound,
        (true, false) => Status::AlreadyFree,
        (true, true) => Status::Repaired,
    };
    let changes = found.repair.as_ref().map(|repair| repair.changes.clone()).unwrap_or_default();
    let refusal = found.refusal.clone();
    let answer = Answer {
        status,
        error: found.refusal.clone().filter(|_| after.is_empty()),
        overlaps_before: before.len(),
        overlaps_after: after.iter().map(|pair| pair.bodies.clone()).collect(),
        verified_free: after.is_empty(),
        time_ms: started.elapsed().as_secs_f64() * 1e3,
        ..Answer::new(scene, found)
    };
    if console.json() {
        console.json_line(&answer)?;
    } else {
        tell(console, (&answer, &changes), &before, &after, output)?;
    }
    match (status, refusal) {
        (Status::NotFound, Some(message)) => Err(Failure::new(Exit::NoFreePose, message)),
        (Status::NotFound, None) => Err(Failure::Silent(Exit::NoFreePose)),
        _ => Ok(()),
    }
}

/// The scene with its robots and bodies where nothing overlaps, for a run.
pub(super) fn repaired(scene: Scene, world: &World) -> Result<Scene, Failure> {
    let before = measured(world)?;
    let found = search((&scene, world), &before, &Freedom::default(), &RepairOptions::default())?;
    match found.refusal {
        Some(message) => Err(Failure::new(Exit::NoFreePose, message)),
        None => Ok(scene.posed(&found.poses)),
    }
}

/// Looks for the nearest poses: with the bodies that overlap, then with all of them.
fn search(
    (scene, world): (&Scene, &World),
    overlaps: &[BodyPenetration],
    freedom: &Freedom,
    options: &RepairOptions,
) -> Result<Found, Failure> {
    let names: BTreeSet<String> = overlaps.iter().flat_map(|pair| pair.bodies.clone()).collect();
    let make = |moving: Option<&BTreeSet<String>>| {
        SceneRepair::new(scene, world, freedom, moving).map_err(|error| failure(&error))
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

fn failure(error: &RepairError) -> Failure {
    match error {
        RepairError::UnknownName { .. } | RepairError::BadWeight { .. } => Failure::of(Exit::Usage, error),
        RepairError::Norm { .. } | RepairError::Articulation(_) => Failure::of(Exit::BadFile, error),
        _ => Failure::of(Exit::Numerical, error),
    }
}

impl Found {
    fn new(
        scene: &SceneRepair<'_>,
        repair: Option<Repair>,
        refusal: Option<String>,
    ) -> Result<Self, Failure> {
        let poses = repair.as_ref().map_or_else(ScenePoses::default, |repair| scene.placed(repair));
        let moved = repair.as_ref().map(|repair| scene.moved(repair)).unwrap_or_default();
        let robots = scene.robots(repair.as_ref());
        let at = repair.as_ref().map_or(scene.poses(), |repair| &repair.poses);
        let clearance = scene.ensemble().clearance(at).map_err(|error| failure(&error))?;
        let clearance = Some(clearance).filter(|clearance| clearance.is_finite());
        Ok(Self { repair, refusal, poses, moved, robots, clearance })
    }

    /// The best effort of a search that failed for want of a free pose.
    fn failed(scene: &SceneRepair<'_>, error: RepairError) -> Result<Self, Failure> {
        let message = error.to_string();
        match error {
            RepairError::NotFound { best, .. } | RepairError::TooFar { best, .. } => {
                Self::new(scene, Some(*best), Some(message))
            }
            other => Err(failure(&other)),
        }
    }
}

impl Answer {
    /// What the search says; what is measured afterwards is left at nothing.
    fn new(scene: &Scene, found: Found) -> Self {
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
            index: 0,
            status: Status::NotFound,
            error: None,
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
            time_ms: 0.0,
        }
    }
}

impl From<&Isometry3<f64>> for Place {
    fn from(pose: &Isometry3<f64>) -> Self {
        let q = pose.rotation;
        Self { translation: pose.translation.vector.into(), rotation: [q.w, q.i, q.j, q.k] }
    }
}

/// Writes the scene with bodies and robots put elsewhere, and reads it back.
fn write(scene: &Scene, poses: &ScenePoses, output: &Path) -> Result<Scene, Failure> {
    let folder = output.parent().unwrap_or(Path::new(""));
    let text = scene.text_with_poses(poses, folder)?;
    write_whole(output, &text)?;
    Ok(Scene::parse(output, text)?)
}

fn tell(
    console: &mut Console,
    (answer, changes): (&Answer, &[Change]),
    before: &[BodyPenetration],
    after: &[BodyPenetration],
    output: &Path,
) -> Result<(), Failure> {
    console.line(format_args!("{}: {}", answer.scene, word(answer.status)))?;
    let mut facts = Table::default();
    let depths = number(before.iter().map(|pair| pair.depth).sum());
    facts.row("overlaps before", [format!("{}, {depths} m deep in sum", before.len())]);
    facts.row("overlaps after", [after.len().to_string()]);
    facts.row("moved", [format!("{} m (root mean square)", number(answer.depth))]);
    if let Some(FarthestAnswer { name, distance }) = &answer.farthest {
        facts.row("farthest", [format!("{name}, by {} m", number(*distance))]);
    }
    let clearance = answer.clearance.map_or_else(|| "none".into(), |gap| format!("{gap:.3e} m"));
    facts.row("least distance", [clearance]);
    facts.row("written to", [output.display().to_string()]);
    console.line(facts)?;
    after.iter().try_for_each(|pair| console.line(format_args!("  overlap: {}", table::overlap(pair))))?;
    if changes.is_empty() {
        return Ok(());
    }
    let mut moves = Table::default();
    moves.row("what", ["change", "moves all by [m]"].map(String::from));
    let (listed, rest) = matter(changes, answer.depth);
    for Change { name, moved, sigma } in listed {
        let change = match *moved {
            Moved::Turned(by) => format!("{}°", number(by.to_degrees())),
            Moved::Slid(by) => format!("{} m", number(by)),
            Moved::Placed { translation, angle } => {
                format!("{} m, {}°", number(translation.norm()), number(angle.to_degrees()))
            }
        };
        moves.row(name, [change, number(sigma.sqrt())]);
    }
    console.line(moves)?;
    if rest > 0 { console.line(format_args!("  and {rest} others by less")) } else { Ok(()) }
}
