//! Files with one input per line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::failure::{Exit, Failure};
use extricate_core::geometry::read::file::explained;

/// Maximum length of a file of lines [bytes]: a hundred times a million pose lines.
const LINES_BYTES: u64 = 16 << 30;

/// Parses the lines of a file of `what` that are not blank; `parse` reads a line.
pub(in crate::cli) fn read_lines<T>(
    path: &Path,
    what: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let text = text_of(path).map_err(|error| format!("cannot read the {what} {}: {error}", path.display()));
    let lines = text.and_then(|text| parse_lines(&text, path, what, parse));
    lines.map_err(|message| Failure::new(Exit::BadFile, message))
}

/// Parses the lines of the content of a file; errors name the path.
pub(in crate::cli) fn parse_lines<T>(
    text: &str,
    path: &Path,
    what: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        lines.push(parse(line).map_err(|why| format!("{}:{}: {why}", path.display(), index + 1))?);
    }
    if lines.is_empty() {
        return Err(format!("no {what} in {}", path.display()));
    }
    Ok(lines)
}

/// The text of a file of lines, which may be a pipe.
pub(in crate::cli) fn text_of(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let read = File::open(path).map_err(explained(path))?.take(LINES_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > LINES_BYTES {
        let message = format!("it has more than {LINES_BYTES} bytes");
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}
