//! Configurations of a robot as a file holds them: objects of JSON, one after another.

use std::fs;
use std::path::Path;

use super::super::super::failure::{Exit, Failure};
use crate::batch::answers::configuration::{Entry, configuration};
use crate::penetration::generalized::Pose;
use crate::repair::Robot;

/// A configuration, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// File and line, for messages.
    pub(super) place: String,
    pub(super) pose: Pose,
}

/// The configurations of a file; without one, all joints at zero. Objects may stand on a line each or on several.
pub(super) fn read(path: Option<&Path>, robot: &Robot) -> Result<Vec<Line>, Failure> {
    let Some(path) = path else {
        let pose = configuration(robot, Entry::default()).map_err(|why| Failure::new(Exit::BadFile, why))?;
        return Ok(vec![Line { place: "all joints at zero".to_owned(), pose }]);
    };
    let bad = |message: String| Failure::new(Exit::BadFile, message);
    let text = fs::read_to_string(path)
        .map_err(|error| bad(format!("cannot read the configurations {}: {error}", path.display())))?;
    let mut entries = serde_json::Deserializer::from_str(&text).into_iter::<Entry>();
    let mut lines = Vec::new();
    loop {
        let start = entries.byte_offset();
        let skipped = text[start..].len() - text[start..].trim_start().len();
        let Some(entry) = entries.next() else { break };
        let line = 1 + text[..start + skipped].matches('\n').count();
        let place = format!("{}:{line}", path.display());
        // The parser counts lines from the start of the file.
        let entry = entry.map_err(|error| {
            bad(format!("{}:{}: not a configuration: {error}", path.display(), error.line().max(1)))
        })?;
        let pose = configuration(robot, entry).map_err(|why| bad(format!("{place}: {why}")))?;
        lines.push(Line { place, pose });
    }
    if lines.is_empty() {
        return Err(bad(format!("{} holds no configurations", path.display())));
    }
    Ok(lines)
}
