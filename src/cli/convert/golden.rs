//! Conversion of golden files of the old format to the present one.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::compared::{failed, shown};
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_scene::record::golden::{FormatVersion, Golden};
use extricate_scene::record::{RecordError, write_whole};

/// Extension of golden files.
const EXTENSION: &str = "golden";

/// Result of converting a golden file.
#[derive(Debug, Serialize)]
struct Line {
    input: String,
    output: String,
    status: Status,
    states: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// It had the old format.
    Converted,
    /// It has the present format.
    Unchanged,
}

/// Whether a path is a golden file or a folder.
pub(super) fn is_golden(input: &Path) -> bool {
    input.is_dir() || input.extension().is_some_and(|extension| extension == EXTENSION)
}

/// Converts a golden file or all below a folder, in place or to `output`. A damaged one is reported, and the others are
/// converted nonetheless.
pub(super) fn convert(console: &mut Console, input: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let is_folder = input.is_dir();
    let mut files = Vec::new();
    if is_folder {
        below(input, &mut files)
            .map_err(|error| failed(RecordError::Unreadable { path: input.into(), source: error }))?;
        if files.is_empty() {
            let message = format!("no golden files (*.{EXTENSION}) in {}", input.display());
            return Err(Failure::new(Exit::Usage, message));
        }
    } else {
        files.push(input.to_owned());
    }
    let mut progress = console.progress(files.len() as u64);
    let (mut converted, mut damaged) = (0, 0);
    for (done, file) in (1..).zip(&files) {
        let place = match output {
            None => file.clone(),
            Some(output) if is_folder => output.join(file.strip_prefix(input).unwrap_or(file)),
            Some(output) if output.is_dir() => output.join(file.file_name().unwrap_or_default()),
            Some(output) => output.to_owned(),
        };
        match convert_one(file, &place) {
            Ok(line) => {
                converted += usize::from(line.status == Status::Converted);
                print_line(console, &line)?;
            }
            Err(failure) if !is_folder => return Err(failure),
            Err(failure) => {
                damaged += 1;
                console.flush()?;
                failure.print();
            }
        }
        progress.update(done, || shown(file));
    }
    if is_folder && !console.json() {
        console.line(format_args!("{converted} of {} golden files converted", files.len()))?;
    }
    if damaged > 0 { Err(Failure::Silent(Exit::BadFile)) } else { Ok(()) }
}

/// The golden files below a folder, sorted within each folder.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            below(&path, files)?;
        } else if is_golden(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Converts a file; one of the present format is copied unchanged if the output is another file.
fn convert_one(input: &Path, output: &Path) -> Result<Line, Failure> {
    let golden = Golden::read(input).map_err(failed)?;
    let status = match golden.format {
        FormatVersion::V1 => {
            golden.write(output).map_err(failed)?;
            Status::Converted
        }
        FormatVersion::V2 => {
            if input != output {
                copy(input, output)?;
            }
            Status::Unchanged
        }
    };
    Ok(Line { input: shown(input), output: shown(output), status, states: golden.states.len() })
}

fn copy(input: &Path, output: &Path) -> Result<(), Failure> {
    let written = |error| Failure::new(Exit::Usage, format!("cannot write {}: {error}", output.display()));
    if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(written)?;
    }
    let bytes =
        fs::read(input).map_err(|source| failed(RecordError::Unreadable { path: input.into(), source }))?;
    write_whole(output, &bytes).map_err(failed)
}

fn print_line(console: &mut Console, line: &Line) -> Result<(), Failure> {
    if console.json() {
        return console.json_line(line);
    }
    match line.status {
        Status::Converted => console.line(format_args!("{}: {} states converted", line.output, line.states)),
        Status::Unchanged => {
            console.line(format_args!("{}: unchanged, it has the present format", line.output))
        }
    }
}
