//! Scripts: a file of lines that do what keys and mouse do. `docs/viewer.md` describes them.

mod play;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::ViewError;
use nalgebra::{Point3, Vector2};

pub use play::{Screen, play};

/// A line of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its number, 1-based.
    pub number: usize,
    /// What it asks for.
    pub order: Order,
}

/// What a line asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Plays for so many simulated seconds; while nothing plays, waits for as many real ones.
    Wait(f64),
    /// Presses a key, by the name that help gives it.
    Key(String),
    /// Clicks at a pixel.
    Click(Vector2<f64>),
    /// Presses the left button at a pixel, moves to another within seconds that are simulated, and releases it.
    Drag {
        /// Where it is pressed and where it is released.
        ends: [Vector2<f64>; 2],
        /// Time between [s].
        seconds: f64,
    },
    /// Selects a body by name.
    Select(String),
    /// Looks from a place at another [m].
    Camera {
        /// From where.
        eye: Point3<f64>,
        /// At what.
        target: Point3<f64>,
    },
    /// Sets the speed.
    Speed(f64),
    /// Sets a joint of the sketch [rad or m].
    Joint {
        /// `ROBOT/JOINT`.
        name: String,
        /// Its value.
        value: f64,
    },
    /// Puts a body or the base of a robot of the sketch to a place; it is not turned.
    Move {
        /// Its name.
        name: String,
        /// Where [m].
        to: Point3<f64>,
    },
    /// Repairs the sketch.
    Repair,
    /// Saves the sketch.
    Save(PathBuf),
    /// Saves a picture.
    Picture(PathBuf),
    /// Ends the viewer.
    Quit,
}

/// The forms of lines.
const FORMS: [(&str, &str); 13] = [
    ("wait", "wait SECONDS"),
    ("key", "key NAME"),
    ("click", "click X Y"),
    ("drag", "drag X Y to X Y in SECONDS"),
    ("select", "select BODY"),
    ("camera", "camera X Y Z to X Y Z"),
    ("speed", "speed FACTOR"),
    ("joint", "joint ROBOT/JOINT VALUE"),
    ("move", "move BODY X Y Z"),
    ("repair", "repair"),
    ("save", "save FILE.ron or save FILE.json"),
    ("picture", "picture FILE.png"),
    ("quit", "quit"),
];

/// The script of a file.
///
/// # Errors
/// [`ViewError`] when it cannot be read, or with the first line that makes no sense.
pub fn load(path: &Path) -> Result<Vec<Line>, ViewError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ViewError::Script { path: path.to_owned(), source })?;
    parse(path, &text)
}

/// The script that a text describes; `path` is where it stands.
///
/// # Errors
/// [`ViewError`] with the first line that makes no sense.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Line>, ViewError> {
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let wrong = |message| ViewError::ScriptLine { path: path.to_owned(), line: number, message };
        let words = words(text).map_err(wrong)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        if let [order, arguments @ ..] = &words[..] {
            lines.push(Line { number, order: parse_order(order, arguments).map_err(wrong)? });
        }
    }
    Ok(lines)
}

/// The words of a line up to a `#`; a word with blanks stands in quotes.
fn words(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() && !rest.starts_with('#') {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or("a quote is not closed")?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

fn parse_order(order: &str, arguments: &[&str]) -> Result<Order, String> {
    let Some((_, form)) = FORMS.iter().find(|(name, _)| *name == order) else {
        let known: Vec<_> = FORMS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no `{order}`; a line begins with one of {}", known.join(", ")));
    };
    match (order, arguments) {
        ("wait", [seconds]) => Ok(Order::Wait(duration(seconds)?)),
        ("key", [name]) => Ok(Order::Key((*name).to_owned())),
        ("click", [x, y]) => Ok(Order::Click(pixel(x, y)?)),
        ("drag", [x, y, "to", to_x, to_y, "in", seconds]) => {
            Ok(Order::Drag { ends: [pixel(x, y)?, pixel(to_x, to_y)?], seconds: duration(seconds)? })
        }
        ("select", [name]) => Ok(Order::Select((*name).to_owned())),
        ("camera", [x, y, z, "to", at_x, at_y, at_z]) => {
            Ok(Order::Camera { eye: point(x, y, z)?, target: point(at_x, at_y, at_z)? })
        }
        ("speed", [factor]) => Ok(Order::Speed(duration(factor)?)),
        ("joint", [name, value]) if name.contains('/') => {
            Ok(Order::Joint { name: (*name).to_owned(), value: number(value)? })
        }
        ("move", [name, x, y, z]) => Ok(Order::Move { name: (*name).to_owned(), to: point(x, y, z)? }),
        ("repair", []) => Ok(Order::Repair),
        ("save", [file]) if has_extension(file, &["ron", "json"]) => Ok(Order::Save(file.into())),
        ("picture", [file]) if has_extension(file, &["png"]) => Ok(Order::Picture(file.into())),
        ("quit", []) => Ok(Order::Quit),
        _ => Err(format!("the form is: {form}")),
    }
}

fn number(text: &str) -> Result<f64, String> {
    match f64::from_str(text) {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("`{text}` is not a finite number")),
    }
}

fn duration(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    if value >= 0.0 { Ok(value) } else { Err(format!("{value} is less than zero")) }
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
