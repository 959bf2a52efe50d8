//! Deprecated names of fields: they are still read, with a warning.
//!
//! Each is an alias of its field in the schema (`#[serde(alias = "…")]`). [`NAMES`] repeats them, since serde does not report
//! under which name a field was read; a test compares the two.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

use super::locate::{Outline, line_and_column};

/// A field that was renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Renamed {
    /// Name of the field that contains it.
    pub(super) within: &'static str,
    /// The deprecated name.
    pub(super) old: &'static str,
    /// The name that replaces it.
    pub(super) new: &'static str,
}

/// All renamed fields.
pub(super) const NAMES: [Renamed; 6] = [
    Renamed { within: "solver", old: "least_bounce_speed", new: "min_bounce_speed" },
    Renamed { within: "solver", old: "sweeps", new: "ccd" },
    Renamed { within: "copies", old: "turned", new: "rotations" },
    Renamed { within: "newton", old: "limit", new: "max_iterations" },
    Renamed { within: "bore", old: "shares", new: "radius_ratios" },
    Renamed { within: "plan", old: "mover", new: "movable" },
];

/// The use of a deprecated name in a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecation {
    /// The deprecated name.
    pub name: &'static str,
    /// The name that replaces it.
    pub replacement: &'static str,
    /// Path of the scene file as given.
    pub path: PathBuf,
    /// Line of the first use, from 1.
    pub line: usize,
    /// Column of the first use in characters, from 1.
    pub column: usize,
}

impl Display for Deprecation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, replacement, path, line, column } = self;
        write!(f, "`{name}` is deprecated at {}:{line}:{column}; write `{replacement}`", path.display())
    }
}

/// Replaces deprecated names in the outline of `text` and returns one warning for each, in the order of [`NAMES`].
pub(super) fn modernize(outline: &mut Outline, path: &Path, text: &str) -> Vec<Deprecation> {
    let uses = |renamed: &Renamed| {
        let first = outline.rename_fields(text, renamed.within, renamed.old, renamed.new)?;
        let (line, column) = line_and_column(text, first.start);
        Some(Deprecation { name: renamed.old, replacement: renamed.new, path: path.to_owned(), line, column })
    };
    NAMES.iter().filter_map(uses).collect()
}

/// Whether `name` is a deprecated one among the accepted `names` of a field.
pub(super) fn is_in(name: &str, names: &[&str]) -> bool {
    NAMES.iter().any(|renamed| renamed.old == name && names.contains(&renamed.new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::scene::schema::SceneFile;

    /// A scene with every renamed field, under the name that `pick` chooses.
    fn scene(pick: fn(&Renamed) -> &'static str) -> String {
        let [bounce, ccd, rotations, iterations, ratios, movable] = NAMES.map(|renamed| pick(&renamed));
        format!(
            "(title: \"t\", duration: 1,
            solver: ({bounce}: 0.5, {ccd}: false),
            soft: (newton: ({iterations}: 7)),
            shapes: {{\"s\": ball(radius: 1), \"plan\": ball(radius: 2)}},
            bodies: [
                (name: \"a\", shape: \"s\", position: (9, 0, 0)),
                (name: \"b\", shape: \"s\", copies: (count: (2, 1, 1), spacing: (3, 0, 0),
                    {rotations}: {{\"b-1\": euler_degrees(0, 0, 90)}})),
            ],
            soft_bodies: [SOFT],
            PLAN)"
        )
        .replace("PLAN", &format!("plan: ({movable}: \"a\")"))
        .replace(
            "SOFT",
            &format!(
                "(name: \"rod\", mesh: rod(section: disc(radius: 1, rings: 2), length: 1, layers: 2, \
                 bore: (rings: 1, layers: 1, {ratios}: [0.5])), material: (youngs_modulus: 1, poisson_ratio: 0.3))"
            ),
        )
    }

    /// Without the plan, which excludes soft bodies.
    fn without_plan(text: &str) -> String {
        text.replace("plan: (mover: \"a\")", "").replace("plan: (movable: \"a\")", "")
    }

    fn document(text: &str) -> crate::scene::parse::Document {
        crate::scene::parse::Document::parse(Path::new("dir/s.ron"), text).unwrap()
    }

    #[test]
    fn deprecated_names_are_read_as_the_new_ones_and_each_is_reported_once_with_its_place() {
        let (old, new) = (document(&scene(|name| name.old)), document(&scene(|name| name.new)));
        assert_eq!(format!("{:?}", old.file), format!("{:?}", new.file));
        assert_eq!(new.deprecations, []);
        let names: Vec<_> = old.deprecations.iter().map(|found| (found.name, found.replacement)).collect();
        assert_eq!(names, NAMES.map(|renamed| (renamed.old, renamed.new)));
        let first = old.deprecations[0].to_string();
        assert_eq!(first, "`least_bounce_speed` is deprecated at dir/s.ron:2:22; write `min_bounce_speed`");
    }

    #[test]
    fn a_scene_carries_its_deprecations_and_writes_the_text_as_it_is() {
        let text = without_plan(&scene(|name| name.old));
        let scene = Scene::parse(Path::new("s.ron"), text.clone()).unwrap();
        assert_eq!(scene.deprecations.len(), NAMES.len() - 1);
        assert_eq!(scene.text, text);
    }

    #[test]
    fn quoted_names_are_no_fields() {
        let text =
            "(title: \"t\", duration: 1, shapes: {\"copies\": ball(radius: 1), \"turned\": ball(radius: 1)},
            bodies: [(name: \"turned\", shape: \"turned\")])";
        assert_eq!(document(text).deprecations, []);
    }

    #[test]
    fn errors_are_found_at_deprecated_names_and_list_only_current_ones() {
        let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [(name: \"a\", shape: \"s\")],
solver: (least_bounce_speed: -1))";
        let error = SceneFile::parse(Path::new("s.ron"), text).unwrap_err().to_string();
        assert!(error.starts_with("s.ron:2:30: the minimum speed of a bounce [m/s] is -1"), "{error}");
        let error = SceneFile::parse(Path::new("s.ron"), &text.replace("least", "lowest")).unwrap_err();
        let help = miette::Diagnostic::help(&error.problems()[0]).unwrap().to_string();
        assert!(help.contains("min_bounce_speed") && !help.contains("least_bounce_speed"), "{help}");
    }
}
