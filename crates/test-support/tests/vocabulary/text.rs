//! Prose and identifiers of a source, line by line.

/// A line of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Comments and string literals, without what is in backticks or braces.
    pub(crate) prose: String,
    /// Identifiers of the code.
    pub(crate) identifiers: Vec<String>,
    /// Whether documentation begins here.
    pub(crate) opens_documentation: bool,
}

/// The part of Rust's grammar in which a character is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    Comment,
    /// A string literal, with the number of `#` around a raw one.
    Text(Option<usize>),
}

/// Lines of Rust.
pub(crate) fn lines_of_rust(text: &str) -> Vec<Line> {
    let mut state = State::Code;
    let mut lines = Vec::new();
    let mut in_documentation = false;
    let mut in_example = false;
    for raw in text.lines() {
        let trimmed = raw.trim_start();
        let is_documentation = trimmed.starts_with("///") || trimmed.starts_with("//!");
        if is_documentation && trimmed[3..].trim_start().starts_with("```") {
            in_example = !in_example;
        }
        let (mut prose, mut code) = (String::new(), String::new());
        match is_documentation && in_example {
            true => code.push_str(&trimmed[3..]),
            false => state = split(raw, state, &mut prose, &mut code),
        }
        let opens = is_documentation && !in_documentation;
        lines.push(Line {
            prose: without_code(&prose),
            identifiers: identifiers_of(&code),
            opens_documentation: opens,
        });
        in_documentation = is_documentation;
    }
    lines
}

/// Lines of Markdown; blocks of code have neither prose nor identifiers.
pub(crate) fn lines_of_markdown(text: &str) -> Vec<Line> {
    let mut in_block = false;
    let mut lines = Vec::new();
    for raw in text.lines() {
        let is_fence = raw.trim_start().starts_with("```");
        in_block ^= is_fence;
        let prose = if in_block || is_fence { String::new() } else { without_code(raw) };
        lines.push(Line { prose, ..Line::default() });
    }
    lines
}

/// Sorts the characters of a line into prose and code, and returns the state at its end.
fn split(line: &str, mut state: State, prose: &mut String, code: &mut String) -> State {
    let characters: Vec<char> = line.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        match state {
            State::Comment => {
                prose.extend(rest.iter().skip_while(|c| matches!(c, '/' | '!')));
                break;
            }
            State::Code if rest.starts_with(&['/', '/']) => state = State::Comment,
            State::Code => at += of_code(rest, &mut state, code),
            State::Text(hashes) => at += of_text(rest, hashes, &mut state, prose),
        }
    }
    if state == State::Comment { State::Code } else { state }
}

/// Takes the characters at the start of some code, and returns their number.
fn of_code(rest: &[char], state: &mut State, code: &mut String) -> usize {
    let hashes = rest.iter().skip(1).take_while(|c| **c == '#').count();
    let is_raw = rest[0] == 'r' && rest.get(1 + hashes) == Some(&'"');
    match rest {
        _ if is_raw && !code.ends_with(|c: char| c.is_alphanumeric() && c != 'b') => {
            *state = State::Text(Some(hashes));
            code.push(' ');
            2 + hashes
        }
        ['"', ..] => {
            *state = State::Text(None);
            code.push(' ');
            1
        }
        ['\'', '\\', _, ..] => 2 + rest[2..].iter().position(|c| *c == '\'').map_or(1, |end| end + 1),
        ['\'', _, '\'', ..] => 3,
        [first, ..] => {
            code.push(*first);
            1
        }
        [] => 1,
    }
}

/// Takes the characters at the start of the rest of a string literal, and returns their number.
fn of_text(rest: &[char], hashes: Option<usize>, state: &mut State, prose: &mut String) -> usize {
    match (rest, hashes) {
        (['\\', ..], None) => 2,
        (['"', behind @ ..], hashes)
            if behind.iter().take_while(|c| **c == '#').count() >= hashes.unwrap_or(0) =>
        {
            *state = State::Code;
            prose.push('\n');
            1 + hashes.unwrap_or(0)
        }
        ([first, ..], _) => {
            prose.push(*first);
            1
        }
        ([], _) => 1,
    }
}

/// Prose without what is in backticks, which is code, or in braces, which is a value.
fn without_code(prose: &str) -> String {
    let mut kept = String::new();
    let (mut in_ticks, mut braces) = (false, 0_usize);
    for character in prose.chars() {
        match character {
            '`' => in_ticks = !in_ticks,
            '{' if !in_ticks => braces += 1,
            '}' if !in_ticks => braces = braces.saturating_sub(1),
            _ if in_ticks || braces > 0 => {}
            _ => kept.push(character),
        }
    }
    kept
}

/// Words in lower case; what ends a sentence or a clause is a word of its own.
pub(crate) fn words_of(prose: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in prose.chars().chain([' ']) {
        match character {
            c if c.is_alphanumeric() || matches!(c, '_' | '\'' | '’') => word.extend(c.to_lowercase()),
            c => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                if !c.is_whitespace() {
                    words.push(c.to_string());
                }
            }
        }
    }
    words
}

fn identifiers_of(code: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in code.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !found.iter().any(|own| own == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// Parts of an identifier of either convention, in lower case.
pub(crate) fn parts_of(identifier: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for piece in identifier.split('_').filter(|piece| !piece.is_empty()) {
        let is_camel = piece.chars().any(char::is_lowercase);
        let mut part = String::new();
        for character in piece.chars() {
            if is_camel && character.is_uppercase() && !part.is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.extend(character.to_lowercase());
        }
        parts.push(part);
    }
    parts
}
