//! The bodies of a scene, moved apart without being turned.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use nalgebra::Vector3;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::table::{self, Table};
use super::{Arguments, Told, folder_of, word, write_scene};
use extricate_core::penetration::SeparationOptions;
use extricate_dynamics::{BodyPenetration, Mobility};
use extricate_scene::batch::answers::Status;
use extricate_scene::batch::answers::bodies_repair::{Answer, separated};
use extricate_scene::batch::answers::overlaps::{all_measured, build, not_moved};
use extricate_scene::scene::Scene;

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
    let (found, refusal) = separated(&world, &mobility, &options)?;
    let text = scene.text_with_moves(&found.moved, folder_of(output))?;
    let repaired = build(&write_scene(scene, &text, output)?)?;
    let after = all_measured(&repaired)?;
    let refusal = refusal.or_else(|| not_moved(&repaired));
    let answer = Answer::new(scene, &found, [&before, &after], refusal);
    let (status, refusal) = (answer.status, answer.refusal.clone());
    if console.json() {
        console.json_line(&Told::new(status, None, &answer, started.elapsed()))?;
    } else {
        tell(console, &answer, &before, &after, output)?;
    }
    match (status, refusal) {
        (Status::NotFound, Some(message)) => Err(Failure::new(Exit::NoFreePose, message)),
        (Status::NotFound, None) => Err(Failure::Silent(Exit::NoFreePose)),
        _ => Ok(()),
    }
}

fn tell(
    console: &mut Console,
    answer: &Answer,
    before: &[BodyPenetration],
    after: &[BodyPenetration],
    output: &Path,
) -> Result<(), Failure> {
    let word = word(answer.status);
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
