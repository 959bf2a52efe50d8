//! The command line: one file per subcommand, no physics. `docs/cli.md` is its contract.

mod allowed;
mod batch;
mod check;
mod compared;
mod convert;
mod diff;
mod field;
mod info;
mod merge;
mod mesh;
mod plan;
mod query;
#[doc(hidden)]
pub mod reading;
mod record;
mod render;
mod repair;
mod run;
mod schemas;
mod terminal;
mod tetrahedralize;
mod verify;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use extricate_scene::request::Access;
use terminal::{Console, Exit, Failure, Interrupt, Style};

/// Penetration depth between triangle meshes, and rigid dynamics that stands on it.
#[derive(Debug, Parser)]
#[command(name = "extricate", version, max_term_width = 100, after_help = EXAMPLES)]
struct CommandLine {
    /// Threads to use; 0 is one for each core. Results do not depend on it.
    #[arg(long, global = true, default_value_t = 0, value_name = "N", help_heading = EVERYWHERE)]
    threads: usize,
    /// Tell nothing but results and errors.
    #[arg(long, short, global = true, help_heading = EVERYWHERE)]
    quiet: bool,
    /// Tell results as JSON: one object, or one per line for many.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    json: bool,
    /// Folder whose files may be named by the scenes, robots and meshes given, beside those of their own folders (or of the
    /// folder around them that holds a file .extricate-root); may be given several times.
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    root: Vec<PathBuf>,
    /// Let scenes, robots and meshes name any file: only where you trust them.
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    allow_outside: bool,
    #[command(subcommand)]
    command: Command,
}

/// Heading of the options that every command takes.
const EVERYWHERE: &str = "Options of every command";

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

Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad file, 4 initial penetration, 5 numerical failure,
6 no collision-free pose found, 7 interrupted, 8 part of a batch failed.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scene from its start to its end.
    Run(run::Arguments),
    /// Check a scene: errors, overlaps at the start, defects of meshes.
    Check(check::Arguments),
    /// Run scenes and judge what they expect, and hold them against their golden files.
    Verify(verify::Arguments),
    /// Run a scene and write its golden file.
    Record(record::Arguments),
    /// Tell in which step, body and field two runs differ first, and how far they drift apart.
    Diff(diff::Arguments),
    /// Ask about shapes: do they collide, how far apart, how deep, when.
    #[command(subcommand, after_help = query::EXAMPLES)]
    Query(query::Question),
    /// Move what collides to the nearest poses that are free: a robot's joints, or the bodies of a scene.
    Repair(repair::Arguments),
    /// Find a free path for a robot or body of a scene.
    Plan(plan::Arguments),
    /// Answer many questions of a manifest: queries, repairs, runs.
    Batch(batch::Arguments),
    /// Make one batch of all its shards.
    Merge(merge::Arguments),
    /// Make pictures and films of scenes and runs, without a display.
    Render(render::Arguments),
    /// Make a procedural mesh.
    Mesh(mesh::Arguments),
    /// Fill a closed mesh with tetrahedra.
    Tetrahedralize(tetrahedralize::Arguments),
    /// Compute the signed distance field of a closed mesh.
    Field(field::Arguments),
    /// Convert a mesh file to another format, and tell what it is like; golden files to their second form.
    Convert(convert::Arguments),
    /// Show a scene or a run in a window: play it, pull at bodies, sketch poses and repair them.
    View(view::Arguments),
    /// Tell versions, features and the machine.
    Info(info::Arguments),
}

/// Runs the command line of this process and returns its exit code.
#[must_use]
pub fn main() -> ExitCode {
    start(std::env::args_os())
}

fn start(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    terminal::draw_reports();
    let command_line = match CommandLine::try_parse_from(arguments) {
        Ok(command_line) => command_line,
        Err(error) => {
            // Help and versions come this way, too, and go to stdout; a closed pipe is no error.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { Exit::Usage as u8 } else { 0 });
        }
    };
    match dispatch(command_line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.tell(),
    }
}

fn dispatch(command_line: CommandLine) -> Result<(), Failure> {
    let CommandLine { threads, quiet, json, root, allow_outside, command } = command_line;
    if let Some(missing) = root.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::new(
            Exit::Usage,
            format!("--root {}: there is no such folder", missing.display()),
        ));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot start {threads} threads: {error}")))?;
    let corrected = (!quiet).then_some(terminal::warn_of_correction as fn(&_));
    let access = Access { roots: root, anywhere: allow_outside, corrected };
    let mut console = Console::new(Style { json, quiet }, access, Interrupt::listen()?);
    let result = match &command {
        Command::Run(arguments) => run::execute(&mut console, arguments),
        Command::Check(arguments) => check::execute(&mut console, arguments),
        Command::Verify(arguments) => verify::execute(&mut console, arguments),
        Command::Record(arguments) => record::execute(&mut console, arguments),
        Command::Diff(arguments) => diff::execute(&mut console, arguments),
        Command::Query(question) => query::execute(&mut console, question),
        Command::Repair(arguments) => repair::execute(&mut console, arguments),
        Command::Plan(arguments) => plan::execute(&mut console, arguments),
        Command::Batch(arguments) => batch::execute(&mut console, arguments),
        Command::Merge(arguments) => merge::execute(&mut console, arguments),
        Command::Render(arguments) => render::execute(&mut console, arguments),
        Command::Mesh(arguments) => mesh::execute(&mut console, arguments),
        Command::Tetrahedralize(arguments) => tetrahedralize::execute(&mut console, arguments),
        Command::Field(arguments) => field::execute(&mut console, arguments),
        Command::Convert(arguments) => convert::execute(&mut console, arguments),
        Command::View(arguments) => view::execute(&console, arguments),
        Command::Info(arguments) => info::execute(&mut console, arguments),
    };
    // What was found before a failure is told as well; of two failures the first one counts.
    let flushed = console.flush();
    result.and(flushed)
}
