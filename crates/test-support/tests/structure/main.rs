//! The workspace depends one way: its crates on each other, the rooms (top modules) of each crate, and its files.
//!
//! It fails on a dependency on a crate above, on files that import each other, on names that a file takes from the
//! module that only passes on its and its neighbours' names, and on imports that run back up between rooms.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use extricate_test_support::imports::{Crate, Offences};

/// A crate.
struct Member {
    name: &'static str,
    folder: &'static str,
    /// The module that has its rooms, where that is not its root.
    module: &'static [&'static str],
    /// Its rooms, bottom to top. A new one takes its place here.
    rooms: &'static [&'static str],
}

/// The crates, bottom to top: each depends on those before it alone.
const MEMBERS: [Member; 5] = [
    Member {
        name: "extricate-core",
        folder: "crates/core",
        module: &[],
        rooms: &["geometry", "kinematics", "bvh", "proximity", "penetration", "field", "plan"],
    },
    Member { name: "extricate-dynamics", folder: "crates/dynamics", module: &[], rooms: &[] },
    Member {
        name: "extricate-scene",
        folder: "crates/scene",
        module: &[],
        rooms: &["scene", "repair", "record", "batch"],
    },
    Member { name: "extricate-viewer", folder: "crates/viewer", module: &[], rooms: &[] },
    Member { name: "extricate", folder: ".", module: &["cli"], rooms: &[] },
];

/// Offences that are there: none may be added, and none stay here that are gone.
const KNOWN: &str = include_str!("known.txt");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn offences() -> Offences {
    let mut all = Offences::new();
    for member in &MEMBERS {
        let folder = format!("{}/src", member.folder);
        let read = Crate::read(&root(), folder.trim_start_matches("./"));
        all.extend(read.circles());
        let back_up = read.back_up(member.module, member.rooms);
        all.extend(back_up.into_iter().map(|(what, places)| match what.starts_with('`') {
            true => (format!("{}: {what}", member.name), places),
            false => (what, places),
        }));
    }
    all
}

#[test]
fn no_file_takes_from_what_stands_on_it_but_for_known_offences_which_only_become_fewer() {
    let found = offences();
    let known: BTreeSet<&str> = KNOWN.lines().filter(|line| !line.is_empty()).collect();
    let new: Vec<String> = (found.iter().filter(|(what, _)| !known.contains(what.as_str())))
        .map(|(what, places)| format!("{what}\n    {}", places.join("\n    ")))
        .collect();
    let gone: Vec<&str> = known.iter().filter(|what| !found.contains_key(**what)).copied().collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "{} new:\n{}\n\n{} no longer there, to be taken out of known.txt:\n{}",
        new.len(),
        new.join("\n"),
        gone.len(),
        gone.join("\n"),
    );
}

/// The crates of the workspace that a manifest names under a heading.
fn dependencies(manifest: &str, heading: &str) -> Vec<String> {
    let lines = manifest.lines().map(str::trim).skip_while(|line| *line != heading).skip(1);
    let names =
        lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split([' ', '.', '=']).next());
    names.filter(|name| name.starts_with("extricate")).map(str::to_owned).collect()
}

#[test]
fn crates_depend_on_those_below_them_and_test_support_on_none() {
    let read = |folder: &str| fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
    let support = read("crates/test-support");
    assert_eq!(dependencies(&support, "[dependencies]"), Vec::<String>::new());
    for (at, member) in MEMBERS.iter().enumerate() {
        let below: Vec<&str> = MEMBERS[..at].iter().map(|member| member.name).collect();
        let manifest = read(member.folder);
        assert!(manifest.contains(&format!("name = \"{}\"\n", member.name)), "{}", member.folder);
        for heading in ["[dependencies]", "[build-dependencies]", "[dev-dependencies]"] {
            for name in dependencies(&manifest, heading) {
                let is_for_tests = name == "extricate-test-support" && heading == "[dev-dependencies]";
                assert!(below.contains(&&*name) || is_for_tests, "{} depends on {name}", member.name);
            }
        }
    }
    let folders = fs::read_dir(root().join("crates")).expect("the crates").count();
    assert_eq!(folders, MEMBERS.len(), "a crate has no place in the order");
}
