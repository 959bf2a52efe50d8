//! Suggestions for misspelt names: the accepted name that was probably meant.

use std::path::{Path, PathBuf};

use strsim::osa_distance;

/// Names of one thing in other programs and file formats; of each line the accepted one is suggested.
const SYNONYMS: [&[&str]; 18] = [
    &["ball", "sphere"],
    &["ball", "spherical", "point2point"],
    &["cuboid", "box", "cube", "block"],
    &["half_space", "halfspace", "plane", "ground", "floor"],
    &["hull", "convex", "convex_hull"],
    &["mesh", "obj", "stl", "trimesh", "triangle_mesh"],
    &["revolute", "hinge", "continuous"],
    &["prismatic", "slider", "slide"],
    &["fixed", "static", "weld"],
    &["dynamic", "rigid", "free"],
    &["position", "pos", "translation", "origin", "xyz"],
    &["rotation", "orientation", "quat", "rpy"],
    &["linear_velocity", "velocity", "linvel"],
    &["angular_velocity", "angvel"],
    &["restitution", "bounce", "bounciness"],
    &["time_step", "timestep", "dt"],
    &["kind", "type"],
    &["file", "filename", "path"],
];

/// Maximum length of a name for which a suggestion is searched [bytes]: bounds the time on hostile files.
const NAME_BYTES: usize = 64;

/// Characters of a name for each tolerated edit. With two, `fast` would become `mass`; with four, `mss` would find nothing.
const CHARACTERS_PER_EDIT: usize = 3;

/// Maximum number of files of a folder that are compared with a missing one: bounds the time in large folders.
const FILES: usize = 10_000;

/// The accepted name that `name` probably stands for: the one with the fewest edits, or a synonym.
pub fn nearest<S: AsRef<str>>(name: &str, accepted: impl IntoIterator<Item = S>) -> Option<S> {
    if name.len() > NAME_BYTES {
        return None;
    }
    let lower = name.to_lowercase();
    let max_edits = lower.chars().count() / CHARACTERS_PER_EDIT;
    let is_synonym =
        |other: &str| SYNONYMS.iter().any(|names| names.contains(&lower.as_str()) && names.contains(&other));
    let edits = |candidate: S| {
        let other = candidate.as_ref();
        if other.len() > NAME_BYTES + max_edits || other == name {
            return None;
        }
        // A synonym is as good as one wrong letter.
        let edits = if is_synonym(other) { 1 } else { osa_distance(&lower, &other.to_lowercase()) };
        (edits <= max_edits || is_synonym(other)).then_some((edits, candidate))
    };
    accepted.into_iter().filter_map(edits).min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// The end of a message about an unknown name: ``; did you mean `…`?``, or nothing.
pub fn did_you_mean<S: AsRef<str>>(name: &str, accepted: impl IntoIterator<Item = S>) -> String {
    nearest(name, accepted).map_or_else(String::new, |near| format!("; did you mean `{}`?", near.as_ref()))
}

/// Reason why a file is not found: the outermost folder that does not exist, or the file, with the name in its folder that was
/// probably meant.
#[must_use]
pub fn missing(path: &Path) -> String {
    let folders = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folders.filter(|folder| !folder.is_dir()).last() {
        return format!("the folder {} does not exist", folder.display());
    }
    let here = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(here).into_iter().flatten().flatten().take(FILES);
    let mut names: Vec<String> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    // The order of a folder is not reproducible.
    names.sort();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let near: Option<PathBuf> = nearest(&name, names).map(|near| path.with_file_name(near));
    near.map_or_else(
        || String::from("no such file"),
        |near| format!("no such file; did you mean `{}`?", near.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_the_nearest_and_a_strange_one_none() {
        let fields = ["gravity", "mass", "density", "position", "friction"];
        for (name, meant) in [
            ("graviti", Some("gravity")),
            ("frction", Some("friction")),
            ("Mass", Some("mass")),
            ("pos", Some("position")),
            ("amss", Some("mass")),
            ("fast", None),
            ("colour", None),
            ("m", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, fields), meant, "{name}");
        }
        assert_eq!(nearest(&"m".repeat(1 << 20), fields), None);
    }

    #[test]
    fn a_synonym_is_suggested_where_it_is_accepted() {
        assert_eq!(nearest("sphere", ["ball", "cuboid", "cone"]), Some("ball"));
        assert_eq!(nearest("ball", ["sphere", "box", "hull"]), Some("sphere"));
        assert_eq!(nearest("box", ["sphere", "cone"]), None);
        assert_eq!(did_you_mean("hinge", ["fixed", "revolute"]), "; did you mean `revolute`?");
    }
}
