//! `extricate record`: runs a scene and writes its golden file.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use super::compared::{failed, shown};
use super::run::{default_folder, print_verdicts, simulate};
use super::terminal::Console;
use super::terminal::{Exit, Failure};
use extricate_scene::record::compare::Tolerances;
use extricate_scene::record::golden::{Golden, PERTURBED_STEP, RunSetup, Sampling};
use extricate_scene::record::{Hash, Outcome, RunDirectory, Summary};
use extricate_scene::request::RunFields;
use extricate_scene::scene::Scene;

const EXAMPLES: &str = "\
Examples:
  extricate record scenes/rigid/ring_stack.ron -o tests/golden/rigid/ring_stack.golden
  extricate record pile.ron -o pile.golden --rounding
  extricate record pile.ron -o pile.golden --tolerance position=1e-2 --tolerance contacts=any

The file is text, its tolerances may be edited. `extricate verify` compares later runs with it. A run that does not
meet the expectations of its scene is not recorded: exit code 1.";

/// RecordArguments of `record`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RecordArguments {
    /// The scene file.
    scene: PathBuf,
    /// The golden file to write.
    #[arg(short, long, value_name = "GOLDEN")]
    output: PathBuf,
    /// Number of states to write, including the start and the end [default: 3 to 9, fewer for many bodies].
    #[arg(long, value_name = "N", value_parser = at_least_two)]
    states: Option<usize>,
    /// Tolerance of a quantity; `any` disables its comparison. May be repeated.
    #[arg(long, value_name = "QUANTITY=X")]
    tolerance: Vec<String>,
    /// Run twice, the second time with a time step that differs in its last digits, and widen the tolerances by the difference:
    /// for scenes that amplify rounding, and for files that must pass on other machines.
    #[arg(long)]
    rounding: bool,
    /// Folder of the run [default: out/SCENE]; with --rounding the second run goes to a folder beside it.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

fn at_least_two(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count >= 2);
    count.ok_or_else(|| "expected an integer of at least 2".to_owned())
}

/// Answer of `record --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordAnswer {
    /// Path of the golden file.
    golden: String,
    /// Hash of the last state.
    hash: Hash,
    /// Name of the scene.
    scene: String,
    /// Number of states in it.
    #[schemars(range(min = 1))]
    states: usize,
}

/// The default tolerances with some replaced.
pub(super) fn tolerances(given: &[String]) -> Result<Tolerances, Failure> {
    let mut tolerances = Tolerances::default();
    for text in given {
        let wrong = || Failure::new(Exit::Usage, format!("--tolerance {text}: expected QUANTITY=X"));
        let (quantity, value) = text.split_once('=').ok_or_else(wrong)?;
        let set = tolerances.set(quantity, value);
        set.map_err(|error| Failure::new(Exit::Usage, format!("--tolerance {text}: {error}")))?;
    }
    Ok(tolerances)
}

/// Runs a scene to its end.
pub(super) fn run_whole(
    console: &Console,
    scene: Scene,
    folder: &Path,
) -> Result<(RunSetup, Summary), Failure> {
    let start = RunFields::default().start(scene)?;
    let directory = RunDirectory::create(folder).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let before = RunSetup::of(&start.scene, &start.world, &start.options);
    let before = before.map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let Outcome { summary, stopped, .. } = simulate(console, start, directory)?;
    if stopped { Err(Failure::Silent(Exit::Interrupted)) } else { Ok((before, summary)) }
}

/// Runs a scene to its end; unmet expectations are a failure.
fn complete(console: &mut Console, scene: Scene, folder: &Path) -> Result<(RunSetup, Summary), Failure> {
    let name = scene.name();
    let (before, summary) = run_whole(console, scene, folder)?;
    if !summary.pass {
        print_verdicts(console, &summary)?;
        let message = format!("{name}: expectations of the scene are not met; nothing is recorded");
        return Err(Failure::new(Exit::CheckFailed, message));
    }
    Ok((before, summary))
}

/// A path with a suffix appended to its last component.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

/// Runs the scene and writes the file.
pub(super) fn execute(console: &mut Console, arguments: &RecordArguments) -> Result<(), Failure> {
    let tolerances = tolerances(&arguments.tolerance)?;
    let scene = console.access().scene(&arguments.scene)?;
    let folder = arguments.run.clone().unwrap_or_else(|| default_folder(&scene));
    let (before, summary) = complete(console, scene, &folder)?;
    let run = before.after(&folder, &summary);
    let sampling = arguments.states.map_or(Sampling::Fitting, Sampling::Count);
    let golden = if arguments.rounding {
        let mut scene = console.access().scene(&arguments.scene)?;
        scene.options.time_step *= PERTURBED_STEP;
        let beside = with_suffix(&folder, "-rounded");
        complete(console, scene, &beside)?;
        Golden::with_rounding(&run, &tolerances, &sampling, &beside)
    } else {
        Golden::of(&run, &tolerances, &sampling)
    };
    let golden = golden.map_err(failed)?;
    golden.write(&arguments.output).map_err(failed)?;
    let path = shown(&arguments.output);
    if console.json() {
        let (hash, scene, states) = (summary.hash, summary.scene, golden.states.len());
        return console.json_line(&RecordAnswer { golden: path, hash, scene, states });
    }
    let states = golden.states.len();
    console.line(format_args!("{}: {states} states in {path} (hash {})", summary.scene, summary.hash))
}
