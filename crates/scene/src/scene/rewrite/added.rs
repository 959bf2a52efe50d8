//! Bodies and robots that are added to the text of a scene.

use std::collections::BTreeSet;
use std::path::Path;

use nalgebra::Point3;

use super::{Edits, indent_of, path_between, triple};
use crate::scene::error::SceneError;
use crate::scene::locate::Step::{self, Field, Index, Key};
use crate::scene::parse::Document;
use crate::scene::placement::copies;
use crate::scene::random::Random;

/// The text of a scene with a further body, whose shape is the mesh of a file, at a position \[m\]; and its name, which is that of the
/// file, with a number if it is in use. All else stays, with comments and layout. Neither is the mesh read nor the scene checked:
/// [`Scene::parse`](crate::scene::Scene::parse) does that.
///
/// # Errors
/// [`SceneError`] when the text is not a scene.
pub fn text_with_mesh(
    path: &Path,
    text: &str,
    file: &Path,
    position: &Point3<f64>,
) -> Result<(String, String), SceneError> {
    with_file(path, text, file, |edits, name, file| {
        let has_shapes = !edits.document.file.shapes.0.is_empty();
        let shape = format!("{name:?}: mesh(file: {file:?})");
        edits.insert_first(text, "shapes", ["{", "}"], has_shapes.then_some(Key(0)), &shape);
        let has_bodies = !edits.document.file.bodies.is_empty();
        let body = format!("(name: {name:?}, shape: {name:?}, position: {})", triple(&position.coords));
        edits.insert_first(text, "bodies", ["[", "]"], has_bodies.then_some(Index(0)), &body);
    })
}

/// The text of a scene with a further robot from a file, its base at a position \[m\]; and its name. The same as
/// [`text_with_mesh`] otherwise.
///
/// # Errors
/// [`SceneError`] when the text is not a scene.
pub fn text_with_robot(
    path: &Path,
    text: &str,
    file: &Path,
    position: &Point3<f64>,
) -> Result<(String, String), SceneError> {
    with_file(path, text, file, |edits, name, file| {
        let has_robots = !edits.document.file.robots.is_empty();
        let robot = format!("(name: {name:?}, file: {file:?}, position: {})", triple(&position.coords));
        edits.insert_first(text, "robots", ["[", "]"], has_robots.then_some(Index(0)), &robot);
    })
}

/// The text of a scene after edits that are given an unused name and the path of a file from the folder of the scene; and that name.
fn with_file(
    path: &Path,
    text: &str,
    file: &Path,
    insert: impl FnOnce(&mut Edits, &str, &str),
) -> Result<(String, String), SceneError> {
    let document = Document::parse(path, text).map_err(|problems| SceneError::Invalid { problems })?;
    let name = unused_name(&document, file);
    let mut edits = Edits { document: &document, edits: Vec::new() };
    insert(&mut edits, &name, &relative(path, file));
    Ok((edits.apply(text), name))
}

impl Edits<'_> {
    /// Inserts an entry before the first one of a list or map, which is added if it is not written: on a line of its own where the
    /// first one has one.
    fn insert_first(
        &mut self,
        text: &str,
        list: &'static str,
        [open, close]: [&str; 2],
        first: Option<Step>,
        entry: &str,
    ) {
        let outline = self.document.outline();
        let Some(place) = outline.get(&[Field(list)]) else {
            self.insert_after(&[Field("duration")], &format!(", {list}: {open}{entry}{close}"));
            return;
        };
        let start = place.start + text[place].find(open).map_or(0, |at| at + open.len());
        let inserted = match first.map(|first| outline.find(&[Field(list), first]).start) {
            None => entry.to_owned(),
            Some(first) if text[start..first].contains('\n') => {
                format!("\n{}{entry},", indent_of(text, first))
            }
            Some(_) => format!("{entry}, "),
        };
        self.edits.push((start..start, inserted));
    }
}

/// Name of a file without its extension, with a number if a shape, body or robot of the scene has that name.
fn unused_name(document: &Document, file: &Path) -> String {
    let scene = &document.file;
    let bodies = scene.bodies.iter().flat_map(|body| copies(body, &mut Random::new(0)));
    let mut used: BTreeSet<String> = bodies.map(|(name, _)| name).collect();
    used.extend(scene.shapes.0.iter().map(|(name, _)| name.clone()));
    used.extend(scene.bodies.iter().map(|body| body.name.clone()));
    used.extend(scene.soft_bodies.iter().map(|body| body.name.clone()));
    used.extend(scene.robots.iter().map(|robot| robot.name.clone()));
    let stem = file.file_stem().map_or_else(|| "part".into(), |stem| stem.to_string_lossy().into_owned());
    let mut name = stem.clone();
    let mut number = 1_u32;
    while used.contains(&name) {
        number += 1;
        name = format!("{stem}-{number}");
    }
    name
}

/// Path of a file from the folder of a scene.
fn relative(scene: &Path, file: &Path) -> String {
    let folder = scene.parent().unwrap_or(Path::new(""));
    let name = file.file_name().unwrap_or_default();
    let there = path_between(folder, file.parent().unwrap_or(Path::new("")));
    there.unwrap_or_default().join(name).to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    const PART: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

    #[test]
    fn a_mesh_becomes_a_shape_and_a_body_and_all_else_stays() {
        let folder = std::env::temp_dir().join(format!("extricate-added-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("meshes")).unwrap();
        let (path, file) = (folder.join("a.ron"), folder.join("meshes/part.obj"));
        std::fs::write(&file, PART).unwrap();
        let text = "(\n    title: \"t\", duration: 1, // short\n    shapes: {\"s\": ball(radius: 1)},\n    bodies: [\n        \
                    (name: \"a\", shape: \"s\", position: (9, 0, 0)), // a ball\n    ],\n)";
        let at = Point3::new(0.5, 0.0, -1.0);
        let (once, name) = text_with_mesh(&path, text, &file, &at).unwrap();
        assert_eq!(name, "part");
        let expected = text.replace("{\"s\"", "{\"part\": mesh(file: \"meshes/part.obj\"), \"s\"").replace(
            "bodies: [",
            "bodies: [\n        (name: \"part\", shape: \"part\", position: (0.5, 0, -1)),",
        );
        assert_eq!(once, expected);
        let (twice, name) = text_with_mesh(&path, &once, &file, &at).unwrap();
        assert_eq!(name, "part-2");
        let scene = Scene::parse(&path, twice).unwrap();
        assert_eq!(scene.bodies.len(), 3);
        let added = scene.bodies.iter().find(|body| body.name == "part-2").unwrap();
        assert_eq!(added.pose.translation.vector, at.coords);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn missing_and_empty_lists_are_filled() {
        let path = Path::new("/scenes/a.ron");
        let robot = Path::new("/robots/arm.urdf");
        let text = "(title: \"t\", duration: 1, bodies: [ /* none */ ], shapes: {})";
        let (text, name) = text_with_robot(path, text, robot, &Point3::origin()).unwrap();
        assert_eq!(name, "arm");
        assert!(text.contains("duration: 1, robots: [(name: \"arm\", file: \""), "{text}");
        let (text, name) =
            text_with_mesh(path, &text, Path::new("/scenes/arm.stl"), &Point3::origin()).unwrap();
        assert_eq!(name, "arm-2");
        assert!(
            text.contains("bodies: [(name: \"arm-2\", shape: \"arm-2\", position: (0, 0, 0)) /* none */ ]"),
            "{text}"
        );
        assert!(
            text.contains("shapes: {\"arm-2\": mesh(file: \"") && text.ends_with("arm.stl\")})"),
            "{text}"
        );
    }
}
