//! The command line: one file per subcommand, no physics. `docs/cli.md` specifies it.

mod batch;
mod check;
mod compared;
mod completions;
mod configurations;
mod convert;
mod diff;
mod field;
mod info;
mod man;
mod merge;
mod mesh;
mod page;
mod plan;
mod query;
#[doc(hidden)]
pub mod reading;
mod record;
mod render;
mod repair;
mod run;
mod run_folder;
mod schemas;
mod serve;
mod streaming;
mod terminal;
mod tetrahedralize;
mod verify;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use extricate_scene::request::{Access, MeshUnits};
use terminal::{Console, Exit, Failure, Interrupt, Style};

/// Penetration depth, proximity queries, pose repair and rigid, articulated and soft-body dynamics for triangle meshes.
#[derive(Debug, Parser)]
#[command(name = "extricate", version, max_term_width = 100, after_help = EXAMPLES)]
struct CommandLine {
    /// Number of threads; 0 uses one per core. Results do not depend on it.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", help_heading = GLOBAL)]
    threads: usize,
    /// Print only results and errors.
    #[arg(long, short, global = true, help_heading = GLOBAL)]
    quiet: bool,
    /// Print results as JSON: one object, or one per line for several results.
    #[arg(long, global = true, help_heading = GLOBAL)]
    json: bool,
    /// Folder whose files may be named by the given scenes, robots and meshes, in addition to their own folders (or the
    /// nearest parent folder that contains a file .extricate-root); may be repeated.
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL)]
    root: Vec<PathBuf>,
    /// Allow scenes, robots and meshes to name any file: for trusted input only.
    #[arg(long, global = true, help_heading = GLOBAL)]
    allow_outside: bool,
    #[command(subcommand)]
    command: Command,
}

/// Heading of the options that every command takes.
const GLOBAL: &str = "Global options";

const EXAMPLES: &str = "\
Examples:
  extricate run scenes/rigid/ring_stack.ron
  extricate check scenes/rigid/ring_stack.ron --strict
  extricate verify scenes/rigid
  extricate diff out/before out/after
  extricate query penetration cup.obj spoon.obj --poses poses.jsonl --json
  extricate repair scene.ron -o repaired.ron
  extricate plan scene.ron -o path.json
  extricate mesh torus --major-radius 1 --minor-radius 0.2 -o torus.obj

Exit codes: 0 success, 1 check failed, 2 usage error, 3 invalid file, 4 initial penetration, 5 numerical failure,
6 no collision-free pose found, 7 interrupted, 8 part of a batch failed.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene.
    Run(run::RunArguments),
    /// Validate a scene: errors, overlaps at the start, mesh defects.
    Check(check::CheckArguments),
    /// Run scenes, check their expectations, and compare them with their golden files.
    Verify(verify::VerifyArguments),
    /// Run a scene and write its golden file.
    Record(record::RecordArguments),
    /// Compare two runs: the first step, body and field that differ, and their drift.
    Diff(diff::DiffArguments),
    /// Query shapes: collision, distance, penetration depth, time of contact.
    #[command(subcommand, after_help = query::EXAMPLES)]
    Query(query::QueryCommand),
    /// Move colliding robots or bodies to the nearest collision-free poses.
    Repair(repair::RepairArguments),
    /// Find a collision-free path for a robot or body of a scene.
    Plan(plan::PlanArguments),
    /// Process the queries, repairs and runs of a manifest.
    Batch(batch::BatchArguments),
    /// Merge the shards of a batch.
    Merge(merge::MergeArguments),
    /// Render pictures and videos of scenes and runs, without a display.
    Render(render::RenderArguments),
    /// Generate a procedural mesh.
    Mesh(mesh::MeshArguments),
    /// Fill a closed mesh with tetrahedra.
    Tetrahedralize(tetrahedralize::TetrahedralizeArguments),
    /// Compute the signed distance field of a closed mesh.
    Field(field::FieldArguments),
    /// Convert a mesh file to another format and report its quality; convert old golden files.
    Convert(convert::ConvertArguments),
    /// Show a scene or a run in a window: play it, drag bodies, sketch poses and repair them.
    View(view::ViewArguments),
    /// Show a scene, a run, robots or meshes in a browser: drag, measure, repair, run.
    Serve(serve::ServeArguments),
    /// Print versions, features and the machine.
    Info(info::InfoArguments),
    /// Print a script that completes command lines in a shell.
    Completions(completions::CompletionsArguments),
    /// Write manual pages.
    Man(man::ManArguments),
}

impl Command {
    /// Unit and up axis of the mesh files that it names.
    fn mesh_units(&self) -> MeshUnits {
        match self {
            Self::Query(query) => query.mesh_units(),
            Self::Repair(arguments) => arguments.units,
            Self::Tetrahedralize(arguments) => arguments.units,
            Self::Field(arguments) => arguments.units,
            Self::Convert(arguments) => arguments.units,
            _ => MeshUnits::default(),
        }
    }
}

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(main_with(std::env::args_os()))
}

/// Runs a command line, of which the first argument is the name of the program, and returns the exit code of `docs/cli.md`.
///
/// It belongs to a process that does nothing else: it sets the number of threads of the global pool and handles Ctrl-C.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    terminal::install_report_handler();
    let matches = program().try_get_matches_from(arguments);
    let command_line = match matches.and_then(|matches| CommandLine::from_arg_matches(&matches)) {
        Ok(command_line) => command_line,
        Err(error) => {
            // Help and version arrive here as well and go to stdout; a closed pipe is not an error.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage as u8 } else { 0 };
        }
    };
    match dispatch(command_line) {
        Ok(()) => 0,
        Err(failure) => failure.print(),
    }
}

/// The command line that is parsed.
fn program() -> clap::Command {
    plain_help(CommandLine::command())
}

/// A command with its help as plain text: brackets are escaped in documentation that rustdoc reads as well.
fn plain_help(command: clap::Command) -> clap::Command {
    let plain = |argument: Arg| match argument.get_help().map(ToString::to_string) {
        Some(text) => argument.help(text.replace(r"\[", "[").replace(r"\]", "]")),
        None => argument,
    };
    command.mut_args(plain).mut_subcommands(plain_help)
}

fn dispatch(command_line: CommandLine) -> Result<(), Failure> {
    let CommandLine { threads, quiet, json, root, allow_outside, command } = command_line;
    if let Some(missing) = root.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::new(Exit::Usage, format!("--root {}: folder not found", missing.display())));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    // The loop of a run is on this thread, which would hand work over to the pool in every step. Other commands have threads of their own that do.
    let pool = if matches!(command, Command::Run(_)) { pool.use_current_thread() } else { pool };
    pool.build_global()
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot start {threads} threads: {error}")))?;
    let warn = (!quiet).then_some(terminal::warn as fn(&dyn std::fmt::Display));
    let packages = Access::packages_of_environment();
    let units = command.mesh_units();
    let access = Access { roots: root, anywhere: allow_outside, packages, units, warn };
    let mut console = Console::new(Style { json, quiet }, access, Interrupt::listen()?);
    let result = match &command {
        Command::Run(arguments) => run::execute(&mut console, arguments),
        Command::Check(arguments) => check::execute(&mut console, arguments),
        Command::Verify(arguments) => verify::execute(&mut console, arguments),
        Command::Record(arguments) => record::execute(&mut console, arguments),
        Command::Diff(arguments) => diff::execute(&mut console, arguments),
        Command::Query(query) => query::execute(&mut console, query),
        Command::Repair(arguments) => repair::execute(&mut console, arguments),
        Command::Plan(arguments) => plan::execute(&mut console, arguments),
        Command::Batch(arguments) => batch::execute(&mut console, arguments),
        Command::Merge(arguments) => merge::execute(&mut console, arguments),
        Command::Render(arguments) => render::execute(&mut console, arguments),
        Command::Mesh(arguments) => mesh::execute(&mut console, arguments),
        Command::Tetrahedralize(arguments) => tetrahedralize::execute(&mut console, arguments),
        Command::Field(arguments) => field::execute(&mut console, arguments),
        Command::Convert(arguments) => convert::execute(&mut console, arguments),
        Command::View(arguments) => view::execute(&mut console, arguments),
        Command::Serve(arguments) => serve::execute(&mut console, arguments),
        Command::Info(arguments) => info::execute(&mut console, arguments),
        Command::Completions(arguments) => completions::execute(&mut console, arguments, program()),
        Command::Man(arguments) => man::execute(&mut console, arguments, program()),
    };
    // Results obtained before a failure are printed as well; of two failures the first one is reported.
    let flushed = console.flush();
    result.and(flushed)
}
