//! The bodies of a scene, moved apart without being turned.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use nalgebra::Vector3;
use serde::Serialize;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::table::{self, Table};
use super::{Arguments, write_whole};
use crate::batch::answers::Status;
use crate::dynamics::{BodyPenetration, BodySeparation, BodySeparationError, Mobility, World};
use crate::penetration::{Effort, SeparationOptions};
use crate::scene::{Moves, Scene, overlaps, soft_overlaps};

/// The answer as JSON.
#[derive(Debug, Serialize)]
struct Answer {
    index: u32,
    status: Status,
    scene: String,
    /// Translations by name [m].
    change: BTreeMap<String, [f64; 3]>,
    /// Sum of their lengths [m].
    depth: f64,
    /// Least distance of two bodies [m]; null where there is one only, or where not known.
    clearance: Option<f64>,
    verified_free: bool,
    overlaps_before: usize,
    overlaps_after: Vec<[String; 2]>,
    rounds: u32,
    queries: u64,
    time_ms: f64,
}

/// Repairs the scene.
pub(super) fn execute(
    console: &mut Console,
    arguments: &Arguments,
    (scene, output): (&Scene, &Path),
    started: Instant,
) -> Result<(), Failure> {
    let world = build(scene)?;
    let before = all_measured(&world)?;
    let mobility = Mobility {
        fixed: arguments.fix.iter().cloned().collect(),
        weights: arguments.weight.iter().cloned().collect(),
    };
    let options = SeparationOptions {
        effort: arguments.effort.into(),
        clearance: arguments.clearance,
        max_move: arguments.max_move,
        ..SeparationOptions::default()
    };
    let (found, refusal) = match world.separate(&mobility, &options) {
        Ok(found) => (found, None),
        Err(error) => {
            let message = error.to_string();
            (best_effort(error)?, Some(message))
        }
    };
    let repaired = write(scene, &found.moved, output)?;
    let repaired = build(&repaired)?;
    let after = all_measured(&repaired)?;
    let refusal = refusal.or_else(|| not_moved(&repaired));
    let status = match (refusal.is_none() && after.is_empty(), found.moved.is_empty()) {
        (false, _) => Status::NotFound,
        (true, true) => Status::AlreadyFree,
        (true, false) => Status::Repaired,
    };
    let answer = Answer {
        index: 0,
        status,
        scene: scene.name(),
        change: found.moved.iter().map(|(name, by)| (name.clone(), (*by).into())).collect(),
        depth: found.total_displacement,
        clearance: Some(found.clearance).filter(|clearance| clearance.is_finite()),
        verified_free: after.is_empty(),
        overlaps_before: before.len(),
        overlaps_after: after.iter().map(|pair| pair.bodies.clone()).collect(),
        rounds: found.rounds,
        queries: found.queries,
        time_ms: started.elapsed().as_secs_f64() * 1e3,
    };
    if console.json() {
        console.json_line(&answer)?;
    } else {
        tell(console, &answer, &before, &after, output)?;
    }
    match (status, refusal) {
        (Status::NotFound, Some(message)) => Err(Failure::new(Exit::NoFreePose, message)),
        (Status::NotFound, None) => Err(Failure::Silent(Exit::NoFreePose)),
        _ => Ok(()),
    }
}

/// The best arrangement found, where a separation failed for want of one.
fn best_effort(error: BodySeparationError) -> Result<BodySeparation, Failure> {
    match error {
        BodySeparationError::NotSeparated { best, .. } | BodySeparationError::TooFar { best, .. } => {
            Ok(*best)
        }
        BodySeparationError::Pair { .. } => Err(Failure::of(Exit::Numerical, &error)),
        _ => Err(Failure::of(Exit::Usage, &error)),
    }
}

/// Writes the scene with bodies moved, and reads it back.
fn write(scene: &Scene, moves: &Moves, output: &Path) -> Result<Scene, Failure> {
    let folder = output.parent().unwrap_or(Path::new(""));
    let text = scene.text_with_moves(moves, folder)?;
    write_whole(output, &text)?;
    Ok(Scene::parse(output, text)?)
}

pub(super) fn build(scene: &Scene) -> Result<World, Failure> {
    scene.world().map_err(|error| Failure::of(Exit::BadFile, &error))
}

pub(super) fn measured(world: &World) -> Result<Vec<BodyPenetration>, Failure> {
    overlaps(world, Effort::Best).map_err(|error| Failure::of(Exit::Numerical, &error))
}

/// The same, with the overlaps of soft bodies behind those of rigid ones.
pub(super) fn all_measured(world: &World) -> Result<Vec<BodyPenetration>, Failure> {
    let mut found = measured(world)?;
    found.extend(soft_overlaps(world));
    Ok(found)
}

/// Why overlaps of soft bodies stay, if there are any.
pub(super) fn not_moved(world: &World) -> Option<String> {
    let overlaps = soft_overlaps(world);
    let pairs: Vec<String> = overlaps.iter().map(table::overlap).collect();
    let why = "soft bodies overlap at the start, and what overlaps with a soft body is not moved (a run pushes it out)";
    (!pairs.is_empty()).then(|| format!("{why}:\n  {}", pairs.join("\n  ")))
}

/// The scene with its bodies moved apart, for a run.
pub(super) fn moved_apart(scene: Scene, world: &World) -> Result<Scene, Failure> {
    let options = SeparationOptions { effort: Effort::Best, ..SeparationOptions::default() };
    let found = world.separate(&Mobility::default(), &options).map_err(|error| match error {
        BodySeparationError::Pair { .. } => Failure::of(Exit::Numerical, &error),
        _ => Failure::of(Exit::NoFreePose, &error),
    })?;
    Ok(scene.moved(&found.moved))
}

fn tell(
    console: &mut Console,
    answer: &Answer,
    before: &[BodyPenetration],
    after: &[BodyPenetration],
    output: &Path,
) -> Result<(), Failure> {
    let word = match answer.status {
        Status::Repaired => "repaired",
        Status::AlreadyFree => "free already",
        Status::NotFound => "NOT repaired",
    };
    console.line(format_args!("{}: {word}", answer.scene))?;
    let mut facts = Table::default();
    let depths = table::number(before.iter().map(|pair| pair.depth).sum());
    facts.row("overlaps before", [format!("{}, {depths} m deep in sum", before.len())]);
    facts.row("overlaps after", [after.len().to_string()]);
    let moved = answer.change.len();
    facts.row("moved", [format!("{moved} bodies by {} m in sum", table::number(answer.depth))]);
    let clearance = answer.clearance.map_or_else(|| "none".into(), |gap| format!("{gap:.3e} m"));
    facts.row("least distance", [clearance]);
    facts.row("written to", [output.display().to_string()]);
    console.line(facts)?;
    after.iter().try_for_each(|pair| console.line(format_args!("  overlap: {}", table::overlap(pair))))?;
    tell_moves(console, &answer.change)
}

/// What moved, farthest first.
fn tell_moves(console: &mut Console, change: &BTreeMap<String, [f64; 3]>) -> Result<(), Failure> {
    if change.is_empty() {
        return Ok(());
    }
    let lengths = change.iter().map(|(name, by)| (name, by, Vector3::from(*by).norm()));
    let mut moves = lengths.collect::<Vec<_>>();
    moves.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(b.0)));
    let mut table = Table::default();
    table.row("body", ["moved [m]", "x", "y", "z"].map(String::from));
    for (name, by, length) in moves {
        table.row(name, [length, by[0], by[1], by[2]].map(table::number));
    }
    console.line(table)
}
