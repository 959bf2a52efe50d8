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
            vec![problem(describe(&error.code), place)]
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
            (format!("unknown field `{found}`{}", within(outer)), one_of(expected))
        }
        ron::Error::NoSuchEnumVariant { expected, found, outer } => {
            (format!("unknown value `{found}`{}", within(outer)), one_of(expected))
        }
        ron::Error::MissingStructField { field, outer } => {
            (format!("missing field `{field}`{}", within(outer)), None)
        }
        ron::Error::DuplicateStructField { field, outer } => {
            (format!("duplicate field `{field}`{}", within(outer)), None)
        }
        ron::Error::SuggestRawIdentifier(found) | ron::Error::InvalidIdentifier(found) => {
            (format!("invalid field name `{found}`"), Some("write `name: value`".into()))
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
