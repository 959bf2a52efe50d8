//! Files of configurations of a robot: a sequence of JSON objects.

use std::path::Path;

use crate::cli::terminal::{Exit, Failure, lines};
use extricate_core::penetration::generalized::Pose;
use extricate_scene::repair::Robot;
use extricate_scene::request::configuration::{ConfigurationFields, configuration};

/// A configuration, and its location in the file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct Line {
    /// File and line, for messages.
    pub(super) place: String,
    pub(super) pose: Pose,
}

/// Reads the configurations of a file; without one, all joints at zero. An object may span several lines.
pub(super) fn read(path: Option<&Path>, robot: &Robot) -> Result<Vec<Line>, Failure> {
    let Some(path) = path else {
        let pose = configuration(robot, ConfigurationFields::default())
            .map_err(|why| Failure::new(Exit::BadFile, why))?;
        return Ok(vec![Line { place: "all joints at zero".to_owned(), pose }]);
    };
    let text = lines::text_of(path).map_err(|error| {
        format!("cannot read the configurations {}: {error}{}", path.display(), as_json(path))
    });
    let lines = text.and_then(|text| parse(&text, path, robot));
    lines.map_err(|message| Failure::new(Exit::BadFile, message))
}

/// The content of the file that is meant where joints are written instead of its name: `elbow=1,wrist=2`.
fn as_json(path: &Path) -> String {
    let text = path.to_string_lossy();
    let joints: Option<Vec<_>> = text.split(',').map(|joint| joint.split_once('=')).collect();
    let Some(joints) = joints else { return String::new() };
    let joints: Vec<_> = joints.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    format!("; write a file with {{\"joints\": {{{}}}}} [rad or m] and give its name", joints.join(", "))
}

/// Parses the configurations in the content of a file; errors name the path.
pub(in crate::cli) fn parse(text: &str, path: &Path, robot: &Robot) -> Result<Vec<Line>, String> {
    let mut entries = serde_json::Deserializer::from_str(text).into_iter::<ConfigurationFields>();
    let mut lines = Vec::new();
    // Offset up to which lines have been counted, and the number of the line there.
    let (mut counted, mut line) = (0, 1);
    loop {
        let rest = &text[entries.byte_offset()..];
        let start = text.len() - rest.trim_start().len();
        let Some(entry) = entries.next() else { break };
        line += text[counted..start].matches('\n').count();
        counted = start;
        let place = format!("{}:{line}", path.display());
        // The parser counts lines from the start of the file.
        let entry = entry.map_err(|error| {
            format!("{}:{}: not a configuration: {error}", path.display(), error.line().max(1))
        })?;
        let pose = configuration(robot, entry).map_err(|why| format!("{place}: {why}"))?;
        lines.push(Line { place, pose });
    }
    if lines.is_empty() {
        return Err(format!("no configurations in {}", path.display()));
    }
    Ok(lines)
}
