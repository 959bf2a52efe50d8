//! Scripts: files of commands for what keys and mouse do. `docs/viewer.md` describes them.

mod play;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::ViewError;
use extricate_scene::scene::BodyField;
use nalgebra::{Point3, Vector2};

pub use play::{Screen, play};

/// A line of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Line number, 1-based.
    pub number: usize,
    /// The command.
    pub command: ScriptCommand,
}

/// Command of a script line.
#[derive(Debug, Clone, PartialEq)]
pub enum ScriptCommand {
    /// Plays for a simulated time \[s\]; while paused, waits for a wall-clock time \[s\].
    Wait(f64),
    /// Presses a key, by its name in the help.
    Key(String),
    /// Clicks at a pixel.
    Click(Vector2<f64>),
    /// Drags with the left button from one pixel to another within a simulated time.
    Drag {
        /// Pixels where the button is pressed and released.
        ends: [Vector2<f64>; 2],
        /// Simulated time between press and release \[s\].
        seconds: f64,
    },
    /// Selects a body by name.
    Select(String),
    /// Sets the camera.
    Camera {
        /// Position of the camera [m, world].
        eye: Point3<f64>,
        /// Point that it looks at [m, world].
        target: Point3<f64>,
    },
    /// Sets the speed: simulated seconds per second.
    Speed(f64),
    /// Sets a joint of the sketch [rad or m].
    Joint {
        /// `ROBOT/JOINT`.
        name: String,
        /// New value [rad or m].
        value: f64,
    },
    /// Translates a body or a robot base of the sketch to a position; its rotation stays.
    Move {
        /// Name of the body or robot.
        name: String,
        /// New position of its origin [m, world].
        to: Point3<f64>,
    },
    /// Sets a value of a body in the scene file.
    Set {
        /// Name of the body.
        body: String,
        /// The field.
        field: BodyField,
        /// The value, numbers separated by blanks.
        value: String,
    },
    /// Repairs the sketch.
    Repair,
    /// Saves the sketch.
    Save(PathBuf),
    /// Saves a screenshot.
    Picture(PathBuf),
    /// Ends the viewer.
    Quit,
}

/// Names and syntax of the commands.
const SYNTAX: [(&str, &str); 14] = [
    ("wait", "wait SECONDS"),
    ("key", "key NAME"),
    ("click", "click X Y"),
    ("drag", "drag X Y to X Y in SECONDS"),
    ("select", "select BODY"),
    ("camera", "camera X Y Z to X Y Z"),
    ("speed", "speed FACTOR"),
    ("joint", "joint ROBOT/JOINT VALUE"),
    ("move", "move BODY X Y Z"),
    ("set", "set BODY FIELD VALUE"),
    ("repair", "repair"),
    ("save", "save FILE.ron or save FILE.json"),
    ("picture", "picture FILE.png"),
    ("quit", "quit"),
];

/// Loads the script of a file.
///
/// # Errors
/// [`ViewError`] when it cannot be read, or with the first invalid line.
pub fn load(path: &Path) -> Result<Vec<Line>, ViewError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ViewError::Script { path: path.to_owned(), source })?;
    parse(path, &text)
}

/// Parses the text of a script; `path` is its file, for error messages.
///
/// # Errors
/// [`ViewError`] with the first invalid line.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Line>, ViewError> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let wrong = |message| ViewError::ScriptLine { path: path.to_owned(), line: number, message };
        let words = words(text).map_err(wrong)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let [command, arguments @ ..] = &words[..] {
            lines.push(Line { number, command: parse_command(command, arguments).map_err(wrong)? });
        }
    }
    Ok(lines)
}

/// Words of a line up to a `#`; a word with blanks is quoted.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("unterminated quote")?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

fn parse_command(command: &str, arguments: &[&str]) -> Result<ScriptCommand, String> {
    let Some((_, syntax)) = SYNTAX.iter().find(|(name, _)| *name == command) else {
        let known: Vec<_> = SYNTAX.iter().map(|(name, _)| *name).collect();
        return Err(format!("unknown command `{command}`; expected one of {}", known.join(", ")));
    };
    match (command, arguments) {
        ("wait", [seconds]) => Ok(ScriptCommand::Wait(duration(seconds)?)),
        ("key", [name]) => Ok(ScriptCommand::Key((*name).to_owned())),
        ("click", [x, y]) => Ok(ScriptCommand::Click(pixel(x, y)?)),
        ("drag", [x, y, "to", to_x, to_y, "in", seconds]) => {
            Ok(ScriptCommand::Drag { ends: [pixel(x, y)?, pixel(to_x, to_y)?], seconds: duration(seconds)? })
        }
        ("select", [name]) => Ok(ScriptCommand::Select((*name).to_owned())),
        ("camera", [x, y, z, "to", at_x, at_y, at_z]) => {
            Ok(ScriptCommand::Camera { eye: point(x, y, z)?, target: point(at_x, at_y, at_z)? })
        }
        ("speed", [factor]) => Ok(ScriptCommand::Speed(duration(factor)?)),
        ("joint", [name, value]) if name.contains('/') => {
            Ok(ScriptCommand::Joint { name: (*name).to_owned(), value: number(value)? })
        }
        ("move", [name, x, y, z]) => {
            Ok(ScriptCommand::Move { name: (*name).to_owned(), to: point(x, y, z)? })
        }
        ("set", [body, field, value @ ..]) if !value.is_empty() => {
            let (body, value) = ((*body).to_owned(), value.join(" "));
            let field = BodyField::named(field).ok_or_else(|| unknown_field(field))?;
            Ok(ScriptCommand::Set { body, field, value })
        }
        ("repair", []) => Ok(ScriptCommand::Repair),
        ("save", [file]) if has_extension(file, &["ron", "json"]) => Ok(ScriptCommand::Save(file.into())),
        ("picture", [file]) if has_extension(file, &["png"]) => Ok(ScriptCommand::Picture(file.into())),
        ("quit", []) => Ok(ScriptCommand::Quit),
        _ => Err(format!("invalid arguments of `{command}`; expected: {syntax}")),
    }
}

fn unknown_field(field: &str) -> String {
    let known = BodyField::ALL.map(BodyField::name).join(", ");
    format!("unknown field `{field}`; expected one of {known}")
}

fn number(text: &str) -> Result<f64, String> {
    match f64::from_str(text) {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("invalid number `{text}`; expected a finite number")),
    }
}

fn duration(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value >= 0.0 { Ok(value) } else { Err(format!("negative value {value}; expected zero or more")) }
}

fn pixel(x: &str, y: &str) -> Result<Vector2<f64>, String> {
    Ok(Vector2::new(number(x)?, number(y)?))
}

fn point(x: &str, y: &str, z: &str) -> Result<Point3<f64>, String> {
    Ok(Point3::new(number(x)?, number(y)?, number(z)?))
}

fn has_extension(file: &str, extensions: &[&str]) -> bool {
    let extension = Path::new(file).extension().unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests;
