//! Files of configurations of a robot: a sequence of JSON objects.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::cli::terminal::{Exit, Failure, lines};
use extricate_core::penetration::generalized::Pose;
use extricate_scene::repair::Robot;
use extricate_scene::request::configuration::{ConfigurationFields, configuration};

/// A configuration, and its location in the file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::cli) struct Line {
    /// File and line, for messages.
    pub(in crate::cli) place: String,
    pub(in crate::cli) pose: Pose,
}

/// Reads the configurations of a file; without one, the configuration `at`, or all joints at zero. An object may span several lines.
pub(in crate::cli) fn read(
    path: Option<&Path>,
    robot: &Robot,
    at: Option<&str>,
) -> Result<Vec<Line>, Failure> {
    let Some(path) = path else {
        let named = ConfigurationFields { at: at.map(str::to_owned), ..ConfigurationFields::default() };
        let class = if at.is_some() { Exit::Usage } else { Exit::BadFile };
        let pose = configuration(robot, named).map_err(|why| Failure::new(class, why))?;
        let place =
            at.map_or_else(|| "all joints at zero".to_owned(), |name| format!("configuration `{name}`"));
        return Ok(vec![Line { place, pose }]);
    };
    let lines = entries(path).and_then(|(text, path)| parse(&text, &path, robot, at));
    lines.map_err(|message| Failure::new(Exit::BadFile, message))
}

/// The configurations of a file as lines of JSON, each with its place in the file: of a query.
pub(in crate::cli) fn lines(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let entries = entries(path).and_then(|text| parse_entries::<Value>(&text.0, &text.1));
    let entries = entries.map_err(|message| Failure::new(Exit::BadFile, message))?;
    Ok(entries.into_iter().map(|(place, entry)| (place, entry.to_string())).collect())
}

/// The text of a file of configurations, or of the option itself, and its name in messages.
fn entries(path: &Path) -> Result<(String, PathBuf), String> {
    match path.to_str().filter(|text| text.trim_start().starts_with('{')) {
        Some(text) => Ok((inline(text), PathBuf::from("`--joints`"))),
        None => lines::text_of(path).map(|text| (text, path.to_owned())).map_err(|error| {
            format!("cannot read the configurations {}: {error}{}", path.display(), as_json(path))
        }),
    }
}

/// A configuration that is written as the option: {"joints": {…}}, or the values of the joints alone.
fn inline(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) if fields.values().all(Value::is_number) => {
            json!({ "joints": fields }).to_string()
        }
        _ => text.to_owned(),
    }
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
pub(in crate::cli) fn parse(
    text: &str,
    path: &Path,
    robot: &Robot,
    at: Option<&str>,
) -> Result<Vec<Line>, String> {
    let entries = parse_entries::<ConfigurationFields>(text, path)?;
    let line = |(place, mut entry): (String, ConfigurationFields)| {
        entry.at = entry.at.or_else(|| at.map(str::to_owned));
        let pose = configuration(robot, entry).map_err(|why| format!("{place}: {why}"))?;
        Ok(Line { place, pose })
    };
    entries.into_iter().map(line).collect()
}

/// Parses a sequence of JSON values, each with its place.
fn parse_entries<T: DeserializeOwned>(text: &str, path: &Path) -> Result<Vec<(String, T)>, String> {
    let mut entries = serde_json::Deserializer::from_str(text).into_iter::<T>();
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
        lines.push((place, entry));
    }
    if lines.is_empty() {
        return Err(format!("no configurations in {}", path.display()));
    }
    Ok(lines)
}
