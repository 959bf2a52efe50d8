//! Parsing of scenes: from the text to the schema, with the place of every value.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use miette::NamedSource;
use ron::extensions::Extensions;

use super::deprecated::{self, Deprecation};
use super::error::{Fault, Problem};
use super::limits::{DEPTH, FILE_BYTES, PROBLEMS};
use super::locate::{Outline, Step};
use super::schema::SceneFile;
use extricate_core::geometry::read::EXTENSIONS;
use extricate_core::kinematics::robot_format;
use extricate_core::suggestion::did_you_mean;

/// RON options of scenes: optional fields are written without `Some`.
pub(super) fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(DEPTH)
}

/// A parsed scene file: valid RON that fits the schema.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) file: SceneFile,
    pub(super) source: Arc<NamedSource<String>>,
    /// Deprecated names in the text, each once.
    pub(super) deprecations: Vec<Deprecation>,
    outline: Outline,
}

impl Document {
    /// Parses `text`; `path` names the file in messages.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() as u64 > FILE_BYTES {
            let message = format!("the scene has {} bytes, more than {FILE_BYTES}", text.len());
            let source = Arc::new(NamedSource::new(path.display().to_string(), String::new()));
            return Err(vec![Problem::new(Fault::TooLarge { message }, 0..0, &source)]);
        }
        let source = Arc::new(NamedSource::new(path.display().to_string(), text.to_owned()));
        let problem = |fault, place| Problem::new(fault, place, &source);
        let file = options().from_str::<SceneFile>(text).map_err(|error| {
            let place = byte_range(text, error.span.start, error.span.end);
            let fault = other_format(path, text).or_else(|| decimal_comma(text, place.start));
            vec![problem(fault.unwrap_or_else(|| describe(&error.code)), place)]
        })?;
        let mut outline = Outline::new(text).map_err(|error| {
            let fault = Fault::Syntax { message: error.to_string(), expected: None };
            vec![problem(fault, error.offset..error.offset)]
        })?;
        let not_finite = outline.non_finite_numbers(text).into_iter().take(PROBLEMS);
        let problems: Vec<_> = not_finite
            .map(|place| problem(Fault::NotFinite { text: text[place.clone()].to_owned() }, place))
            .collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let deprecations = deprecated::modernize(&mut outline, path, text);
        Ok(Self { file, source, deprecations, outline })
    }

    /// A problem with the value at `path`.
    pub(super) fn problem(&self, path: &[Step], fault: Fault) -> Problem {
        Problem::new(fault, self.outline.find(path), &self.source)
    }

    /// The structure of the text.
    pub(super) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Byte range of the value at `path`.
    pub(super) fn place(&self, path: &[Step]) -> Range<usize> {
        self.outline.find(path)
    }
}

/// The bytes between two positions of `ron`. An empty range is extended to the word before it, since `ron` stops behind
/// the name or value that it rejects.
fn byte_range(text: &str, start: ron::error::Position, end: ron::error::Position) -> Range<usize> {
    let offset = |at: ron::error::Position| {
        let line_start =
            text.split_inclusive('\n').take(at.line.saturating_sub(1)).map(str::len).sum::<usize>();
        let in_line =
            text[line_start..].chars().take(at.col.saturating_sub(1)).map(char::len_utf8).sum::<usize>();
        line_start + in_line
    };
    let (start, end) = (offset(start), offset(end));
    if start < end {
        return start..end;
    }
    let word = |c: char| c.is_alphanumeric() || "_.\"-+".contains(c);
    let before = text[..end].trim_end_matches(word).len();
    before..end
}

/// The error of the parser, in the wording of this crate.
fn describe(error: &ron::Error) -> Fault {
    let within =
        |outer: &Option<String>| outer.as_ref().map_or(String::new(), |name| format!(" of `{name}`"));
    let one_of = |expected: &[&'static str]| {
        let current: Vec<&str> =
            expected.iter().copied().filter(|name| !deprecated::is_in(name, expected)).collect();
        Some(format!("accepted: {}", current.join(", ")))
    };
    let (message, expected) = match error {
        ron::Error::NoSuchStructField { expected, found, outer } => {
            let meant = did_you_mean(found, *expected);
            (format!("unknown field `{found}`{}{meant}", within(outer)), one_of(expected))
        }
        ron::Error::NoSuchEnumVariant { expected, found, outer } => {
            let meant = did_you_mean(found, *expected);
            (format!("unknown value `{found}`{}{meant}", within(outer)), one_of(expected))
        }
        ron::Error::MissingStructField { field, outer } => {
            (format!("missing field `{field}`{}", within(outer)), None)
        }
        ron::Error::DuplicateStructField { field, outer } => {
            (format!("duplicate field `{field}`{}", within(outer)), None)
        }
        ron::Error::SuggestRawIdentifier(found) | ron::Error::InvalidIdentifier(found) => {
            let accepted = "write `name: value`; the value of a joint has a unit: `degrees(30)`, `radians(0.5)`, `metres(0.1)`";
            let what = if found.parse::<f64>().is_ok() {
                "number without a name or unit:"
            } else {
                "invalid field name"
            };
            (format!("{what} `{found}`"), Some(accepted.into()))
        }
        other => {
            let text = other.to_string();
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            (first.into_iter().chain(letters).collect(), None)
        }
    };
    Fault::Syntax { message, expected }
}

/// The error of a number with a comma, whose second half is at `offset` or behind.
fn decimal_comma(text: &str, offset: usize) -> Option<Fault> {
    let digits = |c: &char| c.is_ascii_digit();
    let at = offset.checked_sub(1).filter(|_| text.get(..offset).is_some())?;
    let comma = text[..at + 1].rfind(',').filter(|comma| text[comma + 1..].starts_with(|c| digits(&c)))?;
    let whole: String = text[..comma].chars().rev().take_while(digits).collect();
    let part: String = text[comma + 1..].chars().take_while(digits).collect();
    let reaches = comma + 1 + part.len() >= at && !whole.is_empty();
    let whole: String = whole.chars().rev().collect();
    reaches.then(|| Fault::Syntax {
        message: format!("`{whole},{part}` are two numbers"),
        expected: Some(format!("a number has a decimal point: `{whole}.{part}`")),
    })
}

/// The error of a file that is not RON but a mesh, a robot, or in another notation; it accepts what takes such a file.
pub(super) fn other_format(path: &Path, text: &str) -> Option<Fault> {
    const RON: &str = "a scene is RON: (title: \"fall\", duration: 1, shapes: {\"s\": ball(radius: 0.5)}, \
                       bodies: [(name: \"a\", shape: \"s\")])";
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let robot = robot_format(text).ok().filter(|_| start.starts_with('<'));
    let (what, accepted) = if EXTENSIONS.contains(&extension.as_str()) {
        (
            "a mesh".to_owned(),
            "a scene names it in `shapes: {\"s\": mesh(file: \"FILE\")}`; `extricate convert IN OUT` lists its defects, \
             `extricate query` takes two shapes",
        )
    } else if let Some((format, _)) = robot {
        (
            format!("a robot ({format})"),
            "a scene names it in `robots: [(name: \"r\", file: \"FILE\")]`; `extricate query self-collision FILE` and \
             `extricate repair --robot FILE` take the file itself",
        )
    } else if start.starts_with('<') {
        ("XML".to_owned(), RON)
    } else if start.starts_with('{') {
        ("JSON".to_owned(), RON)
    } else {
        return None;
    };
    Some(Fault::Syntax { message: format!("not a scene but {what}"), expected: Some(accepted.to_owned()) })
}
