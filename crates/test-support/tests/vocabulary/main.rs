//! The language of the code and of its documentation is that of the field.
//!
//! Reads comments, documentation, messages and identifiers of all crates, the Python package, the README and `docs/`, and fails
//! with file and line on a word or pattern of [`rules`] that `exceptions.txt` does not argue for.

mod rules;
mod text;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::{OPENINGS, PARTS, PHRASES, Phrase};
use text::{Line, lines_of_markdown, lines_of_rust, parts_of, words_of};

/// Parts of the longest identifier that is a name; longer ones are the sentences of tests.
const MAX_PARTS: usize = 6;

/// A banned word or pattern at its place.
struct Offence {
    path: String,
    line: usize,
    found: String,
    instead: &'static str,
}

/// An exception: for paths that begin with `path`, `found` is standard.
struct Exception<'a> {
    path: &'a str,
    found: &'a str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn exceptions(text: &str) -> Vec<Exception<'_>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fields = lines.map(|line| match line.splitn(3, " | ").collect::<Vec<_>>()[..] {
        [path, found, reason] if !reason.trim().is_empty() => Exception { path, found },
        _ => panic!("exceptions.txt: `{line}` is not of the form `path | word | reason`"),
    });
    fields.collect()
}

/// Files below a folder with an extension, in order.
fn files(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
}

/// Sources of all crates and all documentation for users.
fn sources() -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    files(&root.join("src"), "rs", &mut found);
    let crates = fs::read_dir(root.join("crates")).expect("the crates");
    let mut crates: Vec<PathBuf> = crates.filter_map(|entry| Some(entry.ok()?.path().join("src"))).collect();
    crates.sort();
    crates.iter().for_each(|folder| files(folder, "rs", &mut found));
    files(&root.join("python/src"), "rs", &mut found);
    for folder in ["python/extricate", "python/examples", "python/tests"] {
        files(&root.join(folder), "py", &mut found);
    }
    files(&root.join("docs"), "md", &mut found);
    found.extend(["README.md", "CONTRIBUTING.md", "python/README.md"].map(|name| root.join(name)));
    found
}

/// Whether the words of a phrase begin at an index.
fn matches(phrase: &Phrase, words: &[String], at: usize) -> bool {
    let mut end = at;
    for alternatives in phrase.words.split(' ') {
        match words.get(end) {
            Some(word) if alternatives.split('|').any(|one| one == word) => end += 1,
            _ => return false,
        }
    }
    let before = at.checked_sub(1).map(|before| words[before].as_str());
    let behind = words.get(end).map(String::as_str);
    !before.is_some_and(|word| phrase.unless_after.contains(&word))
        && !behind.is_some_and(|word| phrase.unless_before.contains(&word))
}

fn offences_of(line: &Line) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let words = words_of(&line.prose);
    for phrase in PHRASES {
        for at in (0..words.len()).filter(|&at| matches(phrase, &words, at)) {
            let length = phrase.words.split(' ').count();
            found.push((words[at..at + length].join(" "), phrase.instead));
        }
    }
    if line.opens_documentation {
        let first = line.prose.split_whitespace().next().unwrap_or_default();
        if OPENINGS.contains(&first) {
            found.push((format!("/// {first}"), "a noun phrase, or a verb in the third person"));
        }
    }
    for identifier in &line.identifiers {
        let parts = parts_of(identifier);
        // "At least" is standard, as in prose.
        let is_banned = |at: usize, part: &str| {
            parts[at] == part && !(part == "least" && at > 0 && parts[at - 1] == "at")
        };
        let banned = PARTS.iter().find(|(part, _)| (0..parts.len()).any(|at| is_banned(at, part)));
        if let Some((_, instead)) = banned.filter(|_| parts.len() <= MAX_PARTS) {
            found.push((identifier.clone(), instead));
        }
    }
    found
}

fn offences() -> Vec<Offence> {
    let root = root();
    let mut found = Vec::new();
    for file in sources() {
        let path =
            file.strip_prefix(&root).expect("a file below the root").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
        let lines = if path.ends_with(".rs") { lines_of_rust(&text) } else { lines_of_markdown(&text) };
        for (number, line) in (1..).zip(&lines) {
            found.extend(offences_of(line).into_iter().map(|(offence, instead)| Offence {
                path: path.clone(),
                line: number,
                found: offence,
                instead,
            }));
        }
    }
    found
}

#[test]
fn the_language_is_that_of_the_field() {
    let text = include_str!("exceptions.txt");
    let exceptions = exceptions(text);
    let mut used = BTreeSet::new();
    let mut left = Vec::new();
    for offence in offences() {
        let excepted = exceptions
            .iter()
            .position(|one| offence.path.starts_with(one.path) && offence.found == one.found);
        match excepted {
            Some(index) => {
                used.insert(index);
            }
            None => left
                .push(format!("{}:{}: `{}`: {}", offence.path, offence.line, offence.found, offence.instead)),
        }
    }
    assert!(left.is_empty(), "{} words that the vocabulary bans:\n{}", left.len(), left.join("\n"));
    let unused: Vec<&str> =
        (0..exceptions.len()).filter(|i| !used.contains(i)).map(|i| exceptions[i].found).collect();
    assert!(unused.is_empty(), "exceptions that nothing needs any more: {unused:?}");
}

#[test]
fn banned_words_are_found_in_prose_messages_and_names_and_nowhere_else() {
    let text = "/// What the least turn is, `told`, at least in turn.\nfn tell_turn(shared: f64) -> u8 {\n    \
                panic!(\"it stands {told}\") // a share of it\n}\n";
    let lines = lines_of_rust(text);
    let found: Vec<Vec<String>> =
        lines.iter().map(|line| offences_of(line).into_iter().map(|(found, _)| found).collect()).collect();
    assert_eq!(found[0], ["turn", "least", "/// What"]);
    assert_eq!(found[1], ["tell_turn"]);
    assert_eq!(found[2], ["share of", "stands"]);
    assert!(found[3].is_empty());
}

#[test]
fn an_exception_needs_a_reason() {
    assert_eq!(exceptions("# comment\nsrc/a.rs | turns | turns of a screw\n").len(), 1);
    assert!(std::panic::catch_unwind(|| exceptions("src/a.rs | turns\n").len()).is_err());
}
