//! Conversion of the folder of a run to a format of other programs.

use std::path::Path;

use serde::Serialize;

use crate::cli::run_folder::RunFolder;
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_scene::record::export::{ExportFormat, Exported, export, unpack};
use extricate_scene::record::{Manifest, RecordError, Recording};

/// Result of converting a run.
#[derive(Debug, Serialize)]
struct Line {
    input: String,
    output: String,
    states: usize,
    bodies: usize,
    meshes: usize,
    /// Content of the run that the format does not hold.
    left_out: Vec<String>,
}

/// Result of unpacking a run.
#[derive(Debug, Serialize)]
struct Unpacked {
    input: String,
    output: String,
    states: usize,
}

/// Whether a path is the folder of a run.
pub(super) fn is_run(input: &Path) -> bool {
    input.join(Manifest::FILE).is_file()
}

/// Whether a path is an MCAP recording, to which a run may be attached.
pub(super) fn is_attached(input: &Path) -> bool {
    input.is_file() && ExportFormat::of(input) == Some(ExportFormat::Mcap)
}

/// Converts a run; `time` [s] selects the state of a format that holds one.
pub(super) fn convert(
    console: &mut Console,
    input: &Path,
    output: &Path,
    time: Option<f64>,
) -> Result<(), Failure> {
    let format = ExportFormat::of(output);
    if format.is_none() && is_attached(input) && output.extension().is_none() {
        return unpacked(console, input, output);
    }
    let Some(format) = format else {
        let known = ExportFormat::ALL.map(|format| format!(".{}", format.extension())).join(", ");
        let message = format!("{}: unsupported format of runs; supported are {known}", output.display());
        return Err(Failure::new(Exit::Usage, message));
    };
    if time.is_some() && format != ExportFormat::Usda {
        let message = format!("--time selects the state of .usda; .{} holds all", format.extension());
        return Err(Failure::new(Exit::Usage, message));
    }
    let exported = write((input, output), format, time)?;
    if console.json() {
        let Exported { states, bodies, meshes, left_out } = exported;
        let [input, output] = [input, output].map(|path| path.display().to_string());
        return console.json_line(&Line { input, output, states, bodies, meshes, left_out });
    }
    print(console, (input, output), &exported)
}

/// Writes the run that is attached to an MCAP recording as a folder.
fn unpacked(console: &mut Console, input: &Path, output: &Path) -> Result<(), Failure> {
    let failed = |error: RecordError| match error {
        RecordError::File { .. } => Failure::of(Exit::Usage, &error),
        _ => Failure::of(Exit::BadFile, &error),
    };
    unpack(input, output).map_err(failed)?;
    if !console.json() {
        return console.line(format_args!("{} → {}", input.display(), output.display()));
    }
    let states = Recording::open(output).map_err(failed)?.state_count();
    let [input, output] = [input, output].map(|path| path.display().to_string());
    console.json_line(&Unpacked { input, output, states })
}

/// Writes a run to a file.
pub(in crate::cli) fn write(
    (input, output): (&Path, &Path),
    format: ExportFormat,
    time: Option<f64>,
) -> Result<Exported, Failure> {
    let folder = RunFolder::find(input)?;
    let input = folder.as_ref().map_or(input, RunFolder::path);
    let recording = Recording::open(input).map_err(|error| Failure::of(Exit::BadFile, &error))?;
    let state = time.map(|time| recording.state_at(time));
    export(&recording, output, format, state).map_err(|error| Failure::of(Exit::BadFile, &error))
}

/// Prints what was written, for people.
pub(in crate::cli) fn print(
    console: &mut Console,
    (input, output): (&Path, &Path),
    exported: &Exported,
) -> Result<(), Failure> {
    let &Exported { states, bodies, meshes, ref left_out } = exported;
    let [input, output] = [input, output].map(|path| path.display().to_string());
    let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let [states, meshes] = [count(states, "state"), count(meshes, "mesh").replace("meshs", "meshes")];
    console.line(format_args!("{input} → {output}: {states} of {bodies} bodies, {meshes}"))?;
    left_out.iter().try_for_each(|what| console.line(format_args!("  left out: {what}")))
}
