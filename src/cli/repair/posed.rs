//! The bodies and robots of a scene, put where nothing overlaps: bodies are turned as well, robots move their joints.

use std::path::Path;
use std::time::Instant;

use super::super::console::Console;
use super::super::failure::{Exit, Failure};
use super::super::table::{self, Table, number};
use super::{Arguments, Told, folder_of, matter, word, write_scene};
use extricate_dynamics::BodyPenetration;
use extricate_scene::batch::answers::Status;
use extricate_scene::batch::answers::overlaps::{all_measured, build, measured, not_moved};
use extricate_scene::batch::answers::scene_repair::{Answer, FarthestAnswer, search};
use extricate_scene::repair::{Change, Freedom, Moved, RepairOptions};
use extricate_scene::scene::Scene;

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
    let text = scene.text_with_poses(&found.poses, folder_of(output))?;
    let repaired = build(&write_scene(scene, &text, output)?)?;
    let after = all_measured(&repaired)?;
    found.refusal = found.refusal.or_else(|| not_moved(&repaired));
    let changes = found.repair.as_ref().map(|repair| repair.changes.clone()).unwrap_or_default();
    let answer = Answer::new(scene, found, [&before, &after]);
    let (status, refusal) = (answer.status, answer.refusal.clone());
    let error = refusal.as_deref().filter(|_| after.is_empty());
    if console.json() {
        console.json_line(&Told::new(status, error, &answer, started.elapsed()))?;
    } else {
        tell(console, (&answer, &changes), &before, &after, output)?;
    }
    match (status, refusal) {
        (Status::NotFound, Some(message)) => Err(Failure::new(Exit::NoFreePose, message)),
        (Status::NotFound, None) => Err(Failure::Silent(Exit::NoFreePose)),
        _ => Ok(()),
    }
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
