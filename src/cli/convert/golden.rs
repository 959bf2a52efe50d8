//! Golden files of the first form made into those of the second one.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::cli::compared::{failed, shown};
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_scene::record::golden::{Form, Golden};
use extricate_scene::record::{RecordError, write_whole};

/// Extension of golden files.
const EXTENSION: &str = "golden";

/// A golden file that was looked at.
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
    /// It was of the first form.
    Converted,
    /// It is of the second form.
    Unchanged,
}

/// Whether a path is that of a golden file or of a folder.
pub(super) fn is_meant(input: &Path) -> bool {
    input.is_dir() || input.extension().is_some_and(|extension| extension == EXTENSION)
}

/// Converts a golden file or all below a folder, in place or to `output`. One that is damaged is told and does not keep the
/// others from being converted.
pub(super) fn convert(console: &mut Console, input: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let is_folder = input.is_dir();
    let mut files = Vec::new();
    if is_folder {
        below(input, &mut files)
            .map_err(|error| failed(RecordError::Unreadable { path: input.into(), source: error }))?;
        if files.is_empty() {
            let message = format!("{} holds no golden files (*.{EXTENSION})", input.display());
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
        match one(file, &place) {
            Ok(line) => {
                converted += usize::from(line.status == Status::Converted);
                tell(console, &line)?;
            }
            Err(failure) if !is_folder => return Err(failure),
            Err(failure) => {
                damaged += 1;
                console.flush()?;
                failure.tell();
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
        } else if is_meant(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Converts a file; one of the second form is copied as it is, if it is to stand elsewhere.
fn one(input: &Path, output: &Path) -> Result<Line, Failure> {
    let golden = Golden::read(input).map_err(failed)?;
    let status = match golden.form {
        Form::First => {
            golden.write(output).map_err(failed)?;
            Status::Converted
        }
        Form::Second => {
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

fn tell(console: &mut Console, line: &Line) -> Result<(), Failure> {
    if console.json() {
        return console.json_line(line);
    }
    match line.status {
        Status::Converted => console.line(format_args!("{}: {} states converted", line.output, line.states)),
        Status::Unchanged => {
            console.line(format_args!("{}: unchanged, it is of the second form", line.output))
        }
    }
}
