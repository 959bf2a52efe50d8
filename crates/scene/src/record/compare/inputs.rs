//! Inputs of two runs: differences before their first step.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::bundle::{ASSETS, SCENE};
use crate::record::{Manifest, RecordError};

/// Maximum number of reported lines of the scenes.
const MAX_LINES: usize = 12;
/// Maximum number of characters of a reported line.
const MAX_LETTERS: usize = 160;

/// A difference between the inputs of two runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputDifference {
    /// Name of the input: `time_step`, `rapier3d-f64`, `scene.ron:12`, `assets/…`.
    pub what: String,
    /// Value in the first run; null where it has none.
    pub a: Option<String>,
    /// Value in the second run; null where it has none.
    pub b: Option<String>,
}

impl InputDifference {
    fn new(what: impl Into<String>, a: Option<String>, b: Option<String>) -> Self {
        Self { what: what.into(), a, b }
    }
}

/// Differences between the inputs of two runs: versions and options, lines of the scenes, files.
pub(super) fn differences(
    (a, b): (&Path, &Path),
    of: (&Manifest, &Manifest),
) -> Result<Vec<InputDifference>, RecordError> {
    let mut found = options(of.0, of.1);
    let [text_a, text_b] = [a, b].map(|folder| {
        let path = folder.join(SCENE);
        fs::read_to_string(&path).map_err(|source| RecordError::unreadable(&path, source))
    });
    found.extend(lines(&text_a?, &text_b?));
    let (files_a, files_b) = (assets(a), assets(b));
    let only = |file: &String, of: &BTreeSet<String>| of.contains(file).then(|| file.clone());
    for file in files_a.symmetric_difference(&files_b) {
        let what = format!("{ASSETS}/{file}");
        found.push(InputDifference::new(what, only(file, &files_a), only(file, &files_b)));
    }
    Ok(found)
}

fn options(a: &Manifest, b: &Manifest) -> Vec<InputDifference> {
    let mut found = Vec::new();
    let mut compare = |what: &str, a: Option<String>, b: Option<String>| {
        if a != b {
            found.push(InputDifference::new(what, a, b));
        }
    };
    compare("scene", Some(a.scene.clone()), Some(b.scene.clone()));
    compare("version", Some(a.version.clone()), Some(b.version.clone()));
    let libraries: BTreeSet<&String> = a.libraries.keys().chain(b.libraries.keys()).collect();
    for library in libraries {
        compare(library, a.libraries.get(library).cloned(), b.libraries.get(library).cloned());
    }
    let number = |x: f64| Some(format!("{x:?}"));
    compare("time_step", number(a.time_step), number(b.time_step));
    for (what, a, b) in [("steps", a.steps, b.steps), ("every", a.every, b.every), ("seed", a.seed, b.seed)] {
        compare(what, Some(a.to_string()), Some(b.to_string()));
    }
    found
}

/// Names of the files of a run: hashes of their content.
fn assets(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder.join(ASSETS)).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect()
}

/// Lines that differ between the common beginning and the common end of two texts.
fn lines(a: &str, b: &str) -> Vec<InputDifference> {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.lines().collect(), b.lines().collect());
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[head..], &b[head..]);
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&rest_a[..rest_a.len() - tail], &rest_b[..rest_b.len() - tail]);
    let clipped = |line: Option<&&str>| line.map(|line| line.trim().chars().take(MAX_LETTERS).collect());
    let pairs = (0..rest_a.len().max(rest_b.len())).filter(|&at| rest_a.get(at) != rest_b.get(at));
    let differ = pairs.map(|at| {
        let what = format!("{SCENE}:{}", head + at + 1);
        InputDifference::new(what, clipped(rest_a.get(at)), clipped(rest_b.get(at)))
    });
    differ.take(MAX_LINES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differing_lines_are_reported_with_their_numbers_and_those_around_them_are_not() {
        let report = |a: &str, b: &str| -> Vec<String> {
            let of = |line: Option<String>| line.unwrap_or_else(|| "-".to_owned());
            lines(a, b)
                .into_iter()
                .map(|line| format!("{} {} {}", line.what, of(line.a), of(line.b)))
                .collect()
        };
        assert_eq!(report("a\nb\nc\n", "a\n B\nc\n"), ["scene.ron:2 b B"]);
        assert_eq!(report("a\nc\n", "a\nb\nc\n"), ["scene.ron:2 - b"]);
        assert_eq!(report("a\nb\nc\nd", "a\nB\nc\nD"), ["scene.ron:2 b B", "scene.ron:4 d D"]);
        assert_eq!(report("same", "same"), Vec::<String>::new());
    }
}
