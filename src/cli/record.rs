//! `extricate record`: runs a scene and writes its golden file.

use std::path::{Path, PathBuf};

use clap::Args;

use super::access;
use super::compared::shown;
use super::console::Console;
use super::failure::{Exit, Failure};
use super::interrupt::Interrupt;
use super::run::{Simulation, at_start, simulate, tell_verdicts};
use super::verify::failed;
use crate::record::compare::Tolerances;
use crate::record::golden::{BeforeRun, Golden, Sampling};
use crate::record::{Outcome, RunDirectory, RunOptions};

const EXAMPLES: &str = "\
Examples:
  extricate record scenes/rigid/ring_stack.ron -o tests/golden/rigid/ring_stack.golden
  extricate record pile.ron -o pile.golden --tolerance position=1e-2 --tolerance contacts=any

The file is text, its tolerances may be edited. `extricate verify` holds later runs against it. A run that does not
meet what its scene expects is not recorded: exit code 1.";

/// Arguments of `record`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The scene file.
    scene: PathBuf,
    /// The golden file to write.
    #[arg(short, long, value_name = "GOLDEN")]
    output: PathBuf,
    /// Number of states to tell, the start and the end among them [default: 3 to 9, fewer of many bodies].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    states: Option<u64>,
    /// How far a run may be from the file: a quantity and its tolerance, `any` for what is not compared. May be repeated.
    #[arg(long, value_name = "QUANTITY=X")]
    tolerance: Vec<String>,
    /// Folder of the run [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

/// The default tolerances with some replaced.
pub(super) fn tolerances(given: &[String]) -> Result<Tolerances, Failure> {
    let mut tolerances = Tolerances::default();
    for text in given {
        let wrong = || Failure::new(Exit::Usage, format!("--tolerance {text}: QUANTITY=X is expected"));
        let (quantity, value) = text.split_once('=').ok_or_else(wrong)?;
        let set = tolerances.set(quantity, value);
        set.map_err(|error| Failure::new(Exit::Usage, format!("--tolerance {text}: {error}")))?;
    }
    Ok(tolerances)
}

/// Runs the scene and writes the file.
pub(super) fn execute(
    console: &mut Console,
    interrupt: &Interrupt,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let tolerances = tolerances(&arguments.tolerance)?;
    let scene = access::scene(&arguments.scene)?;
    let on_overlap = scene.on_overlap;
    let (scene, world) = at_start(scene, on_overlap)?;
    let folder = arguments.run.clone().unwrap_or_else(|| Path::new("out").join(scene.name()));
    let directory = RunDirectory::create(&folder).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let options = RunOptions::whole(&scene);
    let before = BeforeRun::of(&scene, &world, &options);
    let before = before.map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let Outcome { summary, stopped, .. } =
        simulate(console, interrupt, Simulation { scene: &scene, world, options, directory })?;
    if stopped {
        return Err(Failure::Silent(Exit::Interrupted));
    }
    if !summary.pass {
        tell_verdicts(console, &summary)?;
        let message = format!("{}: what the scene expects is not met; nothing is recorded", scene.name());
        return Err(Failure::new(Exit::CheckFailed, message));
    }
    let sampling = Sampling { states: arguments.states.map(|n| usize::try_from(n).unwrap_or(usize::MAX)) };
    let golden = Golden::of(&before.after(&folder, &summary), &tolerances, sampling).map_err(failed)?;
    golden.write(&arguments.output).map_err(failed)?;
    let path = shown(&arguments.output);
    if console.json() {
        let answer = serde_json::json!({
            "scene": summary.scene, "golden": path, "states": golden.states.len(), "hash": summary.hash,
        });
        return console.json_line(&answer);
    }
    let states = golden.states.len();
    console.line(format_args!("{}: {states} states in {path} (hash {})", summary.scene, summary.hash))
}
