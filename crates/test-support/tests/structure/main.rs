//! The workspace depends one way: its crates on each other, the rooms (top modules) of each crate, and its files.
//!
//! It fails on a dependency on a crate above, on files that import each other, on names that a file takes from the
//! module that only passes on its and its neighbours' names, and on imports that run back up between rooms.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use extricate_test_support::imports::{Crate, Violations};

/// The crates with their folders, bottom to top: each depends on those before it alone.
const CRATES: [(&str, &str); 6] = [
    ("extricate-core", "crates/core"),
    ("extricate-dynamics", "crates/dynamics"),
    ("extricate-scene", "crates/scene"),
    ("extricate-serve", "crates/serve"),
    ("extricate-viewer", "crates/viewer"),
    ("extricate", "."),
];

/// The rooms of a module of a crate.
struct Rooms {
    /// Folder of the crate.
    folder: &'static str,
    /// The module; none is the root of the crate.
    module: &'static [&'static str],
    /// Its modules, bottom to top. A new one takes its place here.
    order: &'static [&'static str],
}

const ROOMS: [Rooms; 7] = [
    Rooms {
        folder: "crates/core",
        module: &[],
        order: &[
            "parallel",
            "suggestion",
            "geometry",
            "bvh",
            "kinematics",
            "multibody",
            "proximity",
            "field",
            "penetration",
            "plan",
            "query",
        ],
    },
    Rooms {
        folder: "crates/core",
        module: &["proximity"],
        order: &[
            "error",
            "broad_phase",
            "clear_place",
            "face_normals",
            "gyration",
            "incidence",
            "parts",
            "patch",
            "principal_axes",
            "triangle_distance",
            "nearest",
            "depth_grid",
            "outline",
            "inner_ball",
            "triangle_pair",
            "winding",
            "curves_and_patches",
            "model",
            "closest_point",
            "clear_configurations",
            "relative_pose",
            "work_limit",
            "deforming",
            "hausdorff",
            "inside",
            "leaf_and_box",
            "contained_parts",
            "leaf_pair",
            "overlap",
            "collision",
            "near_leaves",
            "crossings",
            "contacts",
            "continuous",
            "articulated",
            "distance",
            "inner_balls",
            "outline_sampling",
            "intersection",
            "obstacle_tree",
            "blocking_pairs",
            "self_collision",
            "spanning",
            "time_of_contact",
            "first_free",
        ],
    },
    Rooms {
        folder: "crates/dynamics",
        module: &[],
        order: &[
            "shape",
            "description",
            "state",
            "error",
            "rigid",
            "mass",
            "pull",
            "stateful",
            "algebra",
            "robot",
            "soft",
            "options",
            "profile",
            "contact",
            "passes",
            "multibody",
            "world",
            "build",
            "checkpoint",
            "penetration",
            "separation",
            "step",
        ],
    },
    Rooms {
        folder: "crates/scene",
        module: &[],
        order: &["disk", "json_schema", "state", "scene", "record", "repair", "request", "batch"],
    },
    Rooms {
        folder: "crates/serve",
        module: &[],
        order: &[
            "limits",
            "page",
            "head",
            "handshake",
            "gate",
            "dropped",
            "command",
            "encode",
            "stage",
            "frame",
            "posing",
            "measure",
            "live",
            "search",
            "playback",
            "session",
            "server",
            "foxglove",
        ],
    },
    Rooms {
        folder: "crates/viewer",
        module: &[],
        order: &[
            "camera",
            "color",
            "drawing",
            "error",
            "models",
            "soft_quantity",
            "interface",
            "overlay",
            "sketch",
            "surface",
            "stage",
            "panels",
            "app",
            "render",
        ],
    },
    Rooms {
        folder: ".",
        module: &["cli"],
        order: &[
            "terminal",
            "run_folder",
            "page",
            "batch",
            "check",
            "compared",
            "configurations",
            "field",
            "merge",
            "mesh",
            "plan",
            "query",
            "repair",
            "convert",
            "reading",
            "streaming",
            "run",
            "record",
            "diff",
            "render",
            "tetrahedralize",
            "verify",
            "schemas",
            "info",
            "serve",
            "completions",
            "man",
            "view",
        ],
    },
];

/// Known violations: none may be added, and those that are gone must be removed.
const KNOWN: &str = include_str!("known.txt");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(folder: &str) -> Crate {
    Crate::read(&root(), format!("{folder}/src").trim_start_matches("./"))
}

fn violations() -> Violations {
    let mut all: Violations = CRATES.iter().flat_map(|(_, folder)| read(folder).cycles()).collect();
    for rooms in &ROOMS {
        for (what, places) in read(rooms.folder).upward_imports(rooms.module, rooms.order) {
            let what = if places.is_empty() { format!("{}: {what}", rooms.folder) } else { what };
            all.entry(what).or_default().extend(places);
        }
    }
    all
}

#[test]
fn no_imports_are_cyclic_or_upward_except_for_known_ones() {
    let found = violations();
    let known: BTreeSet<&str> = KNOWN.lines().filter(|line| !line.is_empty()).collect();
    let new: Vec<String> = (found.iter().filter(|(what, _)| !known.contains(what.as_str())))
        .map(|(what, places)| format!("{what}\n    {}", places.join("\n    ")))
        .collect();
    let gone: Vec<&str> = known.iter().filter(|what| !found.contains_key(**what)).copied().collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "{} new:\n{}\n\n{} no longer there, to be removed from known.txt:\n{}",
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
    let manifest =
        |folder: &str| fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
    let support = manifest("crates/test-support");
    assert_eq!(dependencies(&support, "[dependencies]"), Vec::<String>::new());
    for (at, (crate_name, folder)) in CRATES.iter().enumerate() {
        let below = &CRATES[..at];
        let manifest = manifest(folder);
        assert!(manifest.contains(&format!("name = \"{crate_name}\"\n")), "{folder}");
        for heading in ["[dependencies]", "[build-dependencies]", "[dev-dependencies]"] {
            for name in dependencies(&manifest, heading) {
                let is_for_tests = name == "extricate-test-support" && heading == "[dev-dependencies]";
                let is_below = below.iter().any(|(known, _)| *known == name);
                assert!(is_below || is_for_tests, "{crate_name} depends on {name}");
            }
        }
    }
    let folders = fs::read_dir(root().join("crates")).expect("the crates").count();
    assert_eq!(folders, CRATES.len(), "a crate has no place in the order");
}

#[test]
fn the_lock_file_has_no_dependencies_that_a_few_months_older_releases_do_without() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    for (heavy, package, version) in
        [("icu_segmenter", "textwrap", "0.16.2"), ("jiff", "env_logger", "0.11.5")]
    {
        assert!(
            !lock.contains(&format!("name = \"{heavy}\"\n")),
            "{heavy} costs seconds of every clean build: cargo update -p {package} --precise {version}"
        );
    }
}

/// Appends the Rust files of a folder and of those within it.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of a folder").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn there_are_no_more_than_twenty_public_error_enums() {
    let mut enums = Vec::new();
    for (_, folder) in CRATES {
        let mut files = Vec::new();
        rust_files(&root().join(folder).join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a source");
            let names = text.lines().filter_map(|line| line.strip_prefix("pub enum "));
            let names = names.map(|rest| rest.trim_end_matches([' ', '{']).to_owned());
            enums.extend(names.filter(|name| name.ends_with("Error")));
        }
    }
    enums.sort_unstable();
    assert!(enums.len() <= 20, "{}: {enums:?}", enums.len());
    assert!(enums.iter().any(|name| name == "QueryError"), "the search finds those there are: {enums:?}");
}
