//! Positions of values in a RON text.
//!
//! `ron` reports the position of a syntax error, but a value that parses and is invalid (a negative mass, an unknown name)
//! has lost its position. This second, lenient pass over a text that `ron` has accepted retains only the structure and
//! the byte ranges, so that [`Outline::find`] returns the range of, say, `bodies[3].mass`.

use std::ops::Range;

use thiserror::Error;

/// The structure of a RON text: every value with its byte range.
#[derive(Debug, Clone)]
pub(crate) struct Outline {
    root: Node,
}

/// A value: a scalar has no children.
#[derive(Debug, Clone)]
struct Node {
    span: Range<usize>,
    children: Vec<Child>,
    is_scalar: bool,
}

/// A value inside another one; fields of structs and entries of maps with string keys have a name.
#[derive(Debug, Clone)]
struct Child {
    name: Option<(String, Range<usize>)>,
    node: Node,
}

/// One step of a path to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of a struct, or the entry of a map.
    Field(&'static str),
    /// The n-th element of a list, tuple or map, 0-based.
    Index(usize),
    /// The n-th key of a map, 0-based (its value is [`Step::Index`]).
    Key(usize),
}

/// The text uses a form of RON that this pass does not support.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
#[error("unsupported RON syntax")]
pub(crate) struct UnsupportedSyntax {
    /// Byte offset of the unsupported syntax.
    pub(crate) offset: usize,
}

impl Outline {
    /// The outline of `text`.
    pub(crate) fn new(text: &str) -> Result<Self, UnsupportedSyntax> {
        let mut cursor = Cursor { text, at: 0, depth: 0 };
        cursor.skip_attributes()?;
        Ok(Self { root: cursor.value()? })
    }

    /// Byte range of the value at `path`, or of the nearest value around it that is written in the text.
    pub(crate) fn find(&self, path: &[Step]) -> Range<usize> {
        let mut node = &self.root;
        for step in path {
            let next = match step {
                Step::Field(name) => {
                    node.children.iter().find(|c| c.name.as_ref().is_some_and(|n| n.0 == *name))
                }
                Step::Index(index) => node.children.get(*index),
                Step::Key(index) => {
                    let key = node.children.get(*index).and_then(|child| child.name.as_ref());
                    return key.map_or_else(|| node.span.clone(), |(_, span)| span.clone());
                }
            };
            match next {
                Some(child) => node = &child.node,
                None => break,
            }
        }
        node.span.clone()
    }

    /// Byte range of the value at `path`, if it is written in the text.
    pub(crate) fn get(&self, path: &[Step]) -> Option<Range<usize>> {
        self.node(path).map(|node| node.span.clone())
    }

    fn node(&self, path: &[Step]) -> Option<&Node> {
        let mut node = &self.root;
        for step in path {
            let children = &node.children;
            node = match step {
                Step::Field(name) => {
                    &children.iter().find(|c| c.name.as_ref().is_some_and(|n| n.0 == *name))?.node
                }
                Step::Index(index) => &children.get(*index)?.node,
                Step::Key(_) => return None,
            };
        }
        Some(node)
    }

    /// Byte range of the field at `path`, which ends with a field, from its name to the end of its value, if it is written in the text.
    pub(crate) fn field(&self, path: &[Step]) -> Option<Range<usize>> {
        let value = self.get(path)?;
        let (Step::Field(name), around) = path.split_last()? else { return None };
        let children = &self.node(around)?.children;
        let (_, start) = children.iter().find_map(|child| child.name.as_ref().filter(|n| n.0 == *name))?;
        Some(start.start..value.end)
    }

    /// Byte ranges of the values of all fields of that name within the value at `path`.
    pub(crate) fn fields_named(&self, path: &[Step], name: &str) -> Vec<Range<usize>> {
        let Some(place) = self.get(path) else { return Vec::new() };
        let mut found = Vec::new();
        self.root.each_field(name, &mut |span| {
            if place.start <= span.start && span.end <= place.end {
                found.push(span.clone());
            }
        });
        found
    }

    /// Gives all fields `old` of structs in fields `within` the name `new`, and returns the byte range of the first such name
    /// in the text.
    pub(crate) fn rename_fields(
        &mut self,
        text: &str,
        within: &str,
        old: &str,
        new: &str,
    ) -> Option<Range<usize>> {
        let mut first = None;
        self.root.rename_fields(text, false, (within, old, new), &mut first);
        first
    }

    /// Byte ranges of all non-finite numbers: `NaN`, `inf`, and literals that overflow.
    pub(crate) fn non_finite_numbers(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        self.root.each_scalar(&mut |span| {
            let number = text[span.clone()].replace('_', "").parse::<f64>();
            if number.is_ok_and(|value| !value.is_finite()) {
                found.push(span.clone());
            }
        });
        found
    }
}

/// Line and column of a byte offset in a text, 1-based, the column in characters.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

impl Node {
    /// Renames fields as [`Outline::rename_fields`] does; `is_within` holds for the value of a field `within`.
    fn rename_fields(
        &mut self,
        text: &str,
        is_within: bool,
        names: (&str, &str, &str),
        first: &mut Option<Range<usize>>,
    ) {
        let (within, old, new) = names;
        for child in &mut self.children {
            let mut is_container = false;
            if let Some((name, place)) = &mut child.name {
                // The key of a map is quoted: it is a name that the scene gives, not a field.
                let is_field = !text[place.clone()].starts_with('"');
                is_container = is_field && name == within;
                if is_field && is_within && name == old {
                    new.clone_into(name);
                    first.get_or_insert_with(|| place.clone());
                }
            }
            child.node.rename_fields(text, is_container, names, first);
        }
    }

    fn each_field(&self, name: &str, visit: &mut impl FnMut(&Range<usize>)) {
        for child in &self.children {
            if child.name.as_ref().is_some_and(|n| n.0 == name) {
                visit(&child.node.span);
            }
            child.node.each_field(name, visit);
        }
    }

    fn each_scalar(&self, visit: &mut impl FnMut(&Range<usize>)) {
        if self.is_scalar {
            visit(&self.span);
        }
        self.children.iter().for_each(|child| child.node.each_scalar(visit));
    }
}

/// Maximum nesting depth, beyond the 128 at which `ron` itself stops: this recursion must end on any text.
const MAX_DEPTH: usize = 256;

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Cursor<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn fail<T>(&self) -> Result<T, UnsupportedSyntax> {
        Err(UnsupportedSyntax { offset: self.at })
    }

    /// Skips white space and comments (block comments nest).
    fn skip_space(&mut self) -> Result<(), UnsupportedSyntax> {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                self.skip_block_comment()?;
            } else {
                return Ok(());
            }
        }
    }

    fn skip_block_comment(&mut self) -> Result<(), UnsupportedSyntax> {
        let mut depth = 0_usize;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else {
                let Some(c) = rest.chars().next() else { return self.fail() };
                self.at += c.len_utf8();
            }
        }
    }

    /// Skips `#![enable(…)]` at the top of a file.
    fn skip_attributes(&mut self) -> Result<(), UnsupportedSyntax> {
        self.skip_space()?;
        while self.rest().starts_with('#') {
            let Some(end) = self.rest().find(']') else { return self.fail() };
            self.at += end + 1;
            self.skip_space()?;
        }
        Ok(())
    }

    /// Parses the value at the cursor.
    fn value(&mut self) -> Result<Node, UnsupportedSyntax> {
        self.skip_space()?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail();
        }
        let start = self.at;
        let node = match self.rest().chars().next() {
            Some('[') => self.group(start, ']')?,
            Some('{') => self.group(start, '}')?,
            Some('(') => self.group(start, ')')?,
            Some(_) => self.scalar_or_named_group(start)?,
            None => return self.fail(),
        };
        self.depth -= 1;
        Ok(node)
    }

    /// Parses a scalar, or a struct or variant with its name in front; `Some(x)` is equivalent to `x`.
    fn scalar_or_named_group(&mut self, start: usize) -> Result<Node, UnsupportedSyntax> {
        let is_text = self.skip_scalar()?;
        let end = self.at;
        self.skip_space()?;
        if is_text || !self.rest().starts_with('(') {
            self.at = end;
            return Ok(Node { span: start..end, children: Vec::new(), is_scalar: !is_text });
        }
        let mut group = self.group(start, ')')?;
        if &self.text[start..end] == "Some" && group.children.len() == 1 {
            return Ok(group.children.remove(0).node);
        }
        Ok(group)
    }

    /// Parses the values up to `close`; the cursor is at the opening bracket.
    fn group(&mut self, start: usize, close: char) -> Result<Node, UnsupportedSyntax> {
        self.at += 1;
        let mut children = Vec::new();
        loop {
            self.skip_space()?;
            if self.rest().starts_with(close) {
                self.at += 1;
                return Ok(Node { span: start..self.at, children, is_scalar: false });
            }
            let first = self.value()?;
            self.skip_space()?;
            let child = if self.rest().starts_with(':') {
                self.at += 1;
                let name = self.text[first.span.clone()].trim_matches('"').to_owned();
                Child { name: Some((name, first.span)), node: self.value()? }
            } else {
                Child { name: None, node: first }
            };
            children.push(child);
            self.skip_space()?;
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().starts_with(close) {
                return self.fail();
            }
        }
    }

    /// Skips a string, character, number or word, and returns whether it was a string or character.
    fn skip_scalar(&mut self) -> Result<bool, UnsupportedSyntax> {
        let rest = self.rest();
        let unprefixed = rest.strip_prefix('b').unwrap_or(rest);
        let hashes = unprefixed.strip_prefix('r').map(|r| r.len() - r.trim_start_matches('#').len());
        let length = if let Some(hashes) = hashes.filter(|n| unprefixed[1 + n..].starts_with('"')) {
            let close = format!("\"{}", "#".repeat(hashes));
            let body = rest.len() - unprefixed.len() + hashes + 2;
            rest[body..].find(&close).map(|end| body + end + close.len())
        } else if let Some(quote) = unprefixed.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            end_of_quoted(unprefixed, quote).map(|end| rest.len() - unprefixed.len() + end)
        } else {
            let is_delimiter = |c: char| c.is_whitespace() || ",:()[]{}/".contains(c);
            let length = rest.find(is_delimiter).unwrap_or(rest.len());
            self.at += length;
            return if length == 0 { self.fail() } else { Ok(false) };
        };
        let Some(length) = length else { return self.fail() };
        self.at += length;
        Ok(true)
    }
}

/// Length of the literal that starts with `quote`, both quotes included.
fn end_of_quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r##"#![enable(implicit_some)]
        // a comment with ( and "
        Scene(
            title: "braces ) ] } in a string \" here", /* and /* nested */ ( */
            shapes: {"cup": mesh(file: r#"a "b".obj"#), "cup": ball(radius: 0.5)},
            bodies: [(name: "é", mass: Some(-1.0)), (name: "b", position: (0, inf, -NaN), note: 'x')],
            duration: 1e999, time_step: 1_000.0,
        )"##;

    fn at(path: &[Step]) -> &'static str {
        &TEXT[Outline::new(TEXT).unwrap().find(path)]
    }

    #[test]
    fn a_value_is_found_by_its_path() {
        use Step::{Field, Index, Key};
        assert_eq!(at(&[Field("bodies"), Index(0), Field("mass")]), "-1.0");
        assert_eq!(at(&[Field("bodies"), Index(1), Field("position"), Index(1)]), "inf");
        assert_eq!(at(&[Field("shapes"), Key(1)]), "\"cup\"");
        assert_eq!(at(&[Field("shapes"), Index(0), Field("file")]), "r#\"a \"b\".obj\"#");
        assert_eq!(at(&[Field("shapes"), Index(1)]), "ball(radius: 0.5)");
        assert_eq!(at(&[Field("bodies"), Index(0), Field("name")]), "\"é\"");
    }

    #[test]
    fn a_value_that_is_not_written_is_placed_at_its_container() {
        use Step::{Field, Index};
        let body = at(&[Field("bodies"), Index(1)]);
        assert_eq!(at(&[Field("bodies"), Index(1), Field("shape")]), body);
        assert_eq!(at(&[Field("bodies"), Index(1), Field("shape"), Index(4)]), body);
    }

    #[test]
    fn every_non_finite_number_is_found_and_no_other_word() {
        let words = |text: &'static str| -> Vec<&str> {
            let spans = Outline::new(text).unwrap().non_finite_numbers(text);
            spans.into_iter().map(|span| &text[span]).collect()
        };
        assert_eq!(words(TEXT), ["inf", "-NaN", "1e999"]);
        assert_eq!(words(r#"(a: "inf", b: NaN)"#), ["NaN"]);
    }

    #[test]
    fn a_text_that_ends_early_is_refused_at_its_end() {
        for text in ["(a: 1", "(a: \"b", "(a: /* b", "", "(a: [1, 2)"] {
            assert!(Outline::new(text).is_err(), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(Outline::new(&deep).is_err());
    }
}
