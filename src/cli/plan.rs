//! `extricate plan`: a free path of a robot or body of a scene.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::generalized::{CollidingPair, GeneralizedError, Pose};
use extricate_core::plan::{PlanError, PlanOptions, PlanWork, plan};
use extricate_core::proximity::ProximityError;
use extricate_scene::request::table::Table;
use extricate_scene::request::text::number;
use extricate_scene::scene::Planning;

const EXAMPLES: &str = "\
Examples:
  extricate plan scenes/plan/crawler_under_bridge.ron -o path.json
  extricate plan scene.ron -o path.json --seed 3 --no-retraction --max-samples 5000
  extricate plan scene.ron -o path.json --clearance 0.005 --json

The scene's `plan` says what moves where to; all else stands still. Every segment of the path is proved free for all of
its time, and the path is checked by collision queries before it is written.
Exit code 6 tells that no path was found, which does not prove that there is none: the file then holds a free path from
the start to where the search came nearest. Exit code 4 tells that the start or the goal is not free.";

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// File of the path.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Seed of the samples: the same seed gives the same path.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Leave samples that overlap where they are, instead of moving them to the nearest free pose.
    #[arg(long)]
    no_retraction: bool,
    /// Samples after which the search gives up.
    #[arg(long, value_name = "N", default_value_t = PlanOptions::default().max_samples)]
    max_samples: u32,
    /// Gap that is kept on the way [m].
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    clearance: f64,
    /// Attempts to shorten the path.
    #[arg(long, value_name = "N", default_value_t = PlanOptions::default().shortcuts)]
    shortcuts: u32,
}

/// What a search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Found,
    NotFound,
}

/// The answer as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answer {
    /// Number of the answer, 0-based.
    index: u32,
    /// Whether a path was found.
    status: Status,
    /// Name of the scene: its file without folder and extension.
    scene: String,
    /// Name of the robot or body that moves.
    mover: String,
    /// Poses from the start to the goal, or to where the search came nearest to it. Between two of them joints and positions run
    /// linearly, and the rotation the short way at constant speed: all of that is proved free.
    #[schemars(length(min = 1))]
    path: Vec<PathPose>,
    /// Sum of the root mean squared displacements (object norm) of the segments [m]; null where no path was found.
    #[schemars(range(min = 0.0))]
    length: Option<f64>,
    /// The same before the path was shortened [m]; null where none was found.
    #[schemars(range(min = 0.0))]
    found_length: Option<f64>,
    /// Object norm between what was reached from the start and from the goal [m]; null where a path was found.
    #[schemars(range(min = 0.0))]
    gap: Option<f64>,
    /// Poses along the path at which collision queries of the models found everything free.
    checked: usize,
    /// Samples that were drawn.
    samples: u32,
    /// Those of them that overlapped.
    overlapping: u32,
    /// Those of them that were moved to the nearest free pose.
    retracted: u32,
    /// Nodes of the trees of the start and of the goal.
    #[schemars(inner(range(min = 1)))]
    nodes: [usize; 2],
    /// Segments that were proved free, or blocked.
    segments: u64,
    /// Time of the search, with loading and writing [ms]; on stdout alone, so that equal runs write equal files.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    time_ms: Option<f64>,
}

/// A pose of a path.
#[derive(Debug, Serialize, JsonSchema)]
struct PathPose {
    /// Of the body, or of the robot's root [m].
    position: [f64; 3],
    /// Unit quaternion w, x, y, z.
    rotation: [f64; 4],
    /// Values of the joints that move of themselves, by name [rad or m]; empty of a body.
    joints: BTreeMap<String, f64>,
}

impl PathPose {
    fn new(pose: &Pose, articulation: &Articulation) -> Self {
        let q = pose.base.rotation;
        let names = articulation.coordinates().iter().map(|&joint| articulation.joints()[joint].name.clone());
        Self {
            position: pose.base.translation.vector.into(),
            rotation: [q.w, q.i, q.j, q.k],
            joints: names.zip(pose.joints.iter().copied()).collect(),
        }
    }
}

/// Plans a path.
pub(super) fn execute(console: &mut Console, arguments: &Arguments) -> Result<(), Failure> {
    let started = Instant::now();
    let scene = console.access().scene(&arguments.scene)?;
    let planning = scene.planning().map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let options = PlanOptions {
        retraction: !arguments.no_retraction,
        max_samples: arguments.max_samples,
        seed: arguments.seed,
        clearance: arguments.clearance,
        region: planning.region,
        shortcuts: arguments.shortcuts,
        ..PlanOptions::default()
    };
    let mover = scene.plan.as_ref().map_or_else(String::new, |plan| plan.mover.clone());
    let mut answer = searched(&planning, &options, (scene.name(), mover))?;
    let text = serde_json::to_string_pretty(&answer).map_err(|error| {
        Failure::new(Exit::Numerical, format!("the path cannot be written as JSON: {error}"))
    })?;
    fs::write(&arguments.output, text + "\n").map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write {}: {error}", arguments.output.display()))
    })?;
    answer.time_ms = Some(started.elapsed().as_secs_f64() * 1e3);
    if console.json() {
        console.json_line(&answer)?;
    } else {
        tell(console, &answer, arguments)?;
    }
    match answer.status {
        Status::Found => Ok(()),
        Status::NotFound => Err(Failure::Silent(Exit::NoFreePose)),
    }
}

/// The answer of a search, found or not.
fn searched(
    planning: &Planning,
    options: &PlanOptions,
    (scene, mover): (String, String),
) -> Result<Answer, Failure> {
    let found = plan(&planning.arrangement, &planning.start, &planning.goal, options);
    let articulation = planning.arrangement.movers()[0].articulation();
    let poses = |path: &[Pose]| path.iter().map(|pose| PathPose::new(pose, articulation)).collect();
    let answer = |status, path: &[Pose], work: PlanWork| Answer {
        index: 0,
        status,
        scene,
        mover,
        path: poses(path),
        length: None,
        found_length: None,
        gap: None,
        checked: 0,
        samples: work.samples,
        overlapping: work.overlapping,
        retracted: work.retracted,
        nodes: work.nodes,
        segments: work.segments,
        time_ms: None,
    };
    match found {
        Ok(found) => Ok(Answer {
            length: Some(found.length),
            found_length: Some(found.found_length),
            checked: found.checked,
            ..answer(Status::Found, &found.path, found.work)
        }),
        Err(PlanError::NotFound { reached }) => {
            Ok(Answer { gap: Some(reached.gap), ..answer(Status::NotFound, &reached.path, reached.work) })
        }
        Err(error) => Err(refused(planning, &error)),
    }
}

fn refused(planning: &Planning, error: &PlanError) -> Failure {
    let names = |pairs: &[CollidingPair]| {
        let name = |pair: &CollidingPair| {
            let [a, b] = pair.parts.map(|part| planning.name_of(part));
            format!("{a} with {b}")
        };
        pairs.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    match error {
        PlanError::NotFree { end, pairs, .. } if !pairs.is_empty() => {
            let message = format!("the {end} is not free: {}", names(pairs));
            Failure::new(Exit::InitialPenetration, message)
        }
        PlanError::NotFree { .. } => Failure::of(Exit::InitialPenetration, error),
        PlanError::Unsound { pairs } => Failure::new(Exit::Numerical, format!("{error}: {}", names(pairs))),
        PlanError::OutsideLimits { .. } | PlanError::Unmoved { .. } => Failure::of(Exit::BadFile, error),
        PlanError::Query(GeneralizedError::Proximity(ProximityError::Option { .. })) => {
            Failure::of(Exit::Usage, error)
        }
        _ => Failure::of(Exit::Numerical, error),
    }
}

fn tell(console: &mut Console, answer: &Answer, arguments: &Arguments) -> Result<(), Failure> {
    let word = match answer.status {
        Status::Found => "a path was found",
        Status::NotFound => "NO path was found",
    };
    console.line(format_args!("{}, {}: {word}", answer.scene, answer.mover))?;
    let mut facts = Table::default();
    facts.row("poses", [answer.path.len().to_string()]);
    if let (Some(length), Some(found)) = (answer.length, answer.found_length) {
        let [length, found] = [length, found].map(number);
        facts.row("length", [format!("{length} m of mean displacement, {found} m before it was shortened")]);
        facts.row("checked at", [format!("{} poses", answer.checked)]);
    }
    if let Some(gap) = answer.gap {
        facts.row("came within", [format!("{} m", number(gap))]);
    }
    let (overlapping, retracted) = (answer.overlapping, answer.retracted);
    facts.row("samples", [format!("{}, {overlapping} overlapping, {retracted} retracted", answer.samples)]);
    facts.row("nodes", [format!("{} and {}", answer.nodes[0], answer.nodes[1])]);
    facts.row("segments", [answer.segments.to_string()]);
    facts.row("time", [format!("{} ms", number(answer.time_ms.unwrap_or(f64::NAN)))]);
    facts.row("written to", [arguments.output.display().to_string()]);
    console.line(facts)
}
