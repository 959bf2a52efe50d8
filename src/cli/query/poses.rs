//! Files of pose lines: where A and B are, one query a line.

use std::fs;
use std::path::Path;

use super::super::failure::{Exit, Failure};
pub(super) use crate::batch::poses::{Motions, Poses, parse, parse_motions};

/// What the lines of a file of `what` say, one for each line that is not blank; `parse` reads a line.
pub(super) fn read_lines<T>(
    path: &Path,
    what: &str,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let bad = |message: String| Failure::new(Exit::BadFile, message);
    let text = fs::read_to_string(path)
        .map_err(|error| bad(format!("cannot read the {what} {}: {error}", path.display())))?;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = parse(line).map_err(|why| bad(format!("{}:{}: {why}", path.display(), index + 1)))?;
        lines.push(line);
    }
    if lines.is_empty() {
        return Err(bad(format!("{} holds no {what}", path.display())));
    }
    Ok(lines)
}
