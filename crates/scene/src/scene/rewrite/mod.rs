//! Scenes with moved bodies, in memory and as text. The text is edited at the places of the changed numbers only, so that
//! comments and layout are preserved.

mod added;
mod files;
mod poses;
mod properties;

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use nalgebra::Vector3;

use super::error::SceneError;
use super::load::{Moves, Scene};
use super::locate::Step::{self, Field, Index};
use super::parse::Document;
use super::placement::{copies, vector};
use super::random::Random;
use super::schema::{BodyEntry, Copies, JointKind, Triple};

pub use added::{text_with_mesh, text_with_robot};
pub(crate) use files::{NamedFile, with_files};
pub use poses::{RobotPose, ScenePoses};
pub use properties::{BodyField, body_values, text_with_body_value};

/// Fields with the anchor points of a joint, world frame.
const ANCHORS: [&str; 2] = ["anchor", "anchors"];

impl Scene {
    /// The scene with bodies moved before the start. Bodies that are connected by joints must move together.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use extricate_dynamics::Mobility;
    /// use extricate_core::penetration::SeparationOptions;
    /// use extricate_scene::scene::Scene;
    ///
    /// let scene = Scene::load("scenes/rigid/deep_overlap.ron")?;
    /// let found = scene.world()?.separate(&Mobility::default(), &SeparationOptions::default())?;
    /// let apart = scene.moved(&found.moved);
    /// assert!(apart.world()?.separate(&Mobility::default(), &SeparationOptions::default())?.moved.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn moved(mut self, moves: &Moves) -> Self {
        for body in &mut self.bodies {
            if let Some(by) = moves.get(&body.name) {
                body.pose.translation.vector += by;
            }
        }
        for robot in &mut self.robots {
            if let Some(by) = move_of_robot(&robot.name, moves) {
                robot.pose.translation.vector += by;
            }
        }
        self.moved.extend(moves.iter().map(|(name, by)| (name.clone(), *by)));
        self
    }

    /// Text of the scene with bodies moved, to be written to a file in `folder`: positions, copies and anchors of joints
    /// are edited in place, and so are paths of files where the folder is another one.
    ///
    /// ```
    /// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
    /// use std::collections::BTreeMap;
    /// use std::path::Path;
    ///
    /// use extricate_scene::scene::Scene;
    /// use nalgebra::Vector3;
    ///
    /// let scene = Scene::load("scenes/rigid/deep_overlap.ron")?;
    /// let moves = BTreeMap::from([("cube-2".to_owned(), Vector3::new(0.25, 0.0, 0.0))]);
    /// let text = scene.text_with_moves(&moves, Path::new("scenes/rigid"))?;
    /// assert!(text.contains("(name: \"cube-2\", shape: \"cube\", position: (0.75, 0.05, 0.02))"));
    /// assert_eq!(text.lines().count(), scene.text.lines().count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneError`] when the text of the scene is not a scene.
    pub fn text_with_moves(&self, moves: &Moves, folder: &Path) -> Result<String, SceneError> {
        let document = Document::parse(&self.path, &self.text);
        let document = document.map_err(|problems| SceneError::Invalid { problems })?;
        let mut edits = Edits { document: &document, edits: Vec::new() };
        for (index, body) in document.file.bodies.iter().enumerate() {
            edits.body(index, body, moves);
        }
        for (index, joint) in document.file.joints.iter().enumerate() {
            if let Some(by) = moves.get(&joint.bodies.0) {
                edits.joint(index, &joint.kind, by);
            }
        }
        for (index, robot) in document.file.robots.iter().enumerate() {
            if let Some(by) = move_of_robot(&robot.name, moves) {
                let at = |field: &'static str| [Field("robots"), Index(index), Field(field)];
                edits.position(at, robot.position, by);
            }
        }
        let own = self.path.parent().unwrap_or(Path::new(""));
        if let Some(back) = path_between(folder, own) {
            edits.mesh_files(&self.text, &back);
        }
        Ok(edits.apply(&self.text))
    }
}

/// Edits of a text: replacements of byte ranges.
struct Edits<'a> {
    document: &'a Document,
    edits: Vec<(Range<usize>, String)>,
}

impl Edits<'_> {
    fn body(&mut self, index: usize, body: &BodyEntry, moves: &Moves) {
        let at = |field: &'static str| [Field("bodies"), Index(index), Field(field)];
        if let Some(grid) = &body.copies {
            self.copies(index, body, grid, moves);
        } else if let Some(by) = moves.get(&body.name) {
            self.position(at, body.position, by);
        }
    }

    /// Moves the field `position`, and inserts it where it is not written.
    fn position(&mut self, at: impl Fn(&'static str) -> [Step; 3], before: Triple, by: &Vector3<f64>) {
        let position = triple(&(vector(before) + by));
        match self.document.outline().get(&at("position")) {
            Some(place) => self.edits.push((place, position)),
            None => self.insert_after(&at("name"), &format!(", position: {position}")),
        }
    }

    fn copies(&mut self, index: usize, body: &BodyEntry, grid: &Copies, moves: &Moves) {
        let names = copies(body, &mut Random::new(0)).into_iter().map(|(name, _)| name);
        let mut is_changed = false;
        let moved = names.filter_map(|name| {
            let before = grid.moved.get(&name).copied().map_or(Vector3::zeros(), vector);
            let by = moves.get(&name);
            is_changed |= by.is_some();
            let after = before + by.copied().unwrap_or_default();
            (after != Vector3::zeros()).then(|| format!("{name:?}: {}", triple(&after)))
        });
        let moved = format!("{{{}}}", moved.collect::<Vec<_>>().join(", "));
        if !is_changed {
            return;
        }
        let at = |field| [Field("bodies"), Index(index), Field("copies"), Field(field)];
        match self.document.outline().get(&at("moved")) {
            Some(place) => self.edits.push((place, moved)),
            None => self.insert_after(&at("spacing"), &format!(", moved: {moved}")),
        }
    }

    /// Moves the anchors of a joint with its bodies.
    fn joint(&mut self, index: usize, kind: &JointKind, by: &Vector3<f64>) {
        let moved = |anchor: Triple| triple(&(vector(anchor) + by));
        let text = match kind {
            JointKind::Fixed | JointKind::Prismatic { .. } => return,
            JointKind::Revolute { anchor, .. } | JointKind::Spherical { anchor } => moved(*anchor),
            JointKind::Rope { anchors, .. } => format!("({}, {})", moved(anchors.0), moved(anchors.1)),
        };
        let outline = self.document.outline();
        let place = |field| outline.get(&[Field("joints"), Index(index), Field("kind"), Field(field)]);
        if let Some(place) = ANCHORS.into_iter().find_map(place) {
            self.edits.push((place, text));
        }
    }

    /// Puts `back`, the relative path from the new folder to the old one, before relative paths of meshes, robots, their packages and SRDF
    /// files.
    fn mesh_files(&mut self, text: &str, back: &Path) {
        let from_there = |path: &String| {
            let path = if Path::new(path).is_relative() { back.join(path) } else { PathBuf::from(path) };
            path.to_string_lossy().replace('\\', "/")
        };
        let outline = self.document.outline();
        let files =
            ["shapes", "robots", "soft_bodies"].map(|part| outline.fields_named(&[Field(part)], "file"));
        for place in files.concat() {
            let Ok(file) = ron::from_str::<String>(&text[place.clone()]) else { continue };
            self.edits.push((place, format!("{:?}", from_there(&file))));
        }
        for (index, robot) in self.document.file.robots.iter().enumerate() {
            let place = outline.get(&[Field("robots"), Index(index), Field("packages")]);
            let packages = robot.packages.iter().map(from_there).collect::<Vec<_>>();
            self.edits.extend(place.map(|place| (place, format!("{packages:?}"))));
            let place = outline.get(&[Field("robots"), Index(index), Field("srdf")]);
            let srdf = robot.srdf.as_ref().map(from_there);
            self.edits.extend(place.zip(srdf).map(|(place, srdf)| (place, format!("{srdf:?}"))));
        }
    }

    fn insert_after(&mut self, path: &[Step], text: &str) {
        if let Some(place) = self.document.outline().get(path) {
            self.edits.push((place.end..place.end, text.to_owned()));
        }
    }

    /// The text with all edits applied.
    fn apply(mut self, text: &str) -> String {
        // The ranges refer to the original text, so the edits are applied in one pass in their order.
        self.edits.sort_by_key(|(place, _)| place.start);
        let (mut edited, mut at) = (String::with_capacity(text.len()), 0);
        for (place, replacement) in self.edits {
            edited.push_str(&text[at..place.start]);
            edited.push_str(&replacement);
            at = place.end;
        }
        edited + &text[at..]
    }
}

/// Translation of a robot: that of any of its bodies, since all move together.
fn move_of_robot<'a>(robot: &str, moves: &'a Moves) -> Option<&'a Vector3<f64>> {
    let is_link = |name: &str| name.split_once('/').is_some_and(|(of, _)| of == robot);
    moves.iter().find(|(name, _)| is_link(name)).map(|(_, by)| by)
}

/// Three numbers as RON; reading them returns the same bits.
fn triple(v: &Vector3<f64>) -> String {
    format!("({}, {}, {})", number(v.x), number(v.y), number(v.z))
}

/// A number as RON; reading it returns the same bits.
fn number(x: f64) -> String {
    let text = format!("{x:?}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// The indentation of the line that contains a place.
fn indent_of(text: &str, place: usize) -> &str {
    let start = text[..place].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..place];
    &line[..line.len() - line.trim_start().len()]
}

/// The relative path from one folder to another; none where they are the same. Where a folder cannot be resolved, the second
/// one as given.
fn path_between(from: &Path, to: &Path) -> Option<PathBuf> {
    let absolute = |folder: &Path| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize()
    };
    let (Ok(from), Ok(to)) = (absolute(from), absolute(to)) else { return Some(to.to_owned()) };
    if from == to {
        return None;
    }
    let (mut from, mut to) = (from.components().peekable(), to.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| Component::ParentDir);
    Some(up.chain(to).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, moves: &[(&str, [f64; 3])]) -> String {
        let document = Document::parse(Path::new("a.ron"), text).unwrap();
        let mut edits = Edits { document: &document, edits: Vec::new() };
        let moves = moves.iter().map(|(name, by)| ((*name).to_owned(), Vector3::from(*by))).collect();
        for (index, body) in document.file.bodies.iter().enumerate() {
            edits.body(index, body, &moves);
        }
        for (index, joint) in document.file.joints.iter().enumerate() {
            if let Some(by) = moves.get(&joint.bodies.0) {
                edits.joint(index, &joint.kind, by);
            }
        }
        edits.apply(text)
    }

    const HEAD: &str = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [";

    #[test]
    fn a_position_is_replaced_or_inserted_and_comments_stay() {
        let text = format!(
            "{HEAD}
            (name: \"a\", shape: \"s\"), // a comment (with brackets
            (shape: \"s\", position: (/* x */ 1, 2, 0), name: \"b\"),
        ])"
        );
        let expected = format!(
            "{HEAD}
            (name: \"a\", position: (0.5, 0, -0.25), shape: \"s\"), // a comment (with brackets
            (shape: \"s\", position: (1, 2, -1e-7), name: \"b\"),
        ])"
        );
        assert_eq!(edited(&text, &[("a", [0.5, 0.0, -0.25]), ("b", [0.0, 0.0, -1e-7])]), expected);
    }

    #[test]
    fn copies_are_moved_by_name_on_top_of_where_they_were() {
        let text =
            format!("{HEAD}(name: \"a\", shape: \"s\", copies: (count: (3, 1, 1), spacing: (3, 0, 0)))])");
        let once = edited(&text, &[("a-1", [0.0, 0.5, 0.0])]);
        assert!(once.contains("spacing: (3, 0, 0), moved: {\"a-1\": (0, 0.5, 0)})"), "{once}");
        let twice = edited(&once, &[("a-1", [1.0, 0.0, 0.0]), ("a-2", [0.0, 0.0, 2.0])]);
        assert!(twice.contains("moved: {\"a-1\": (1, 0.5, 0), \"a-2\": (0, 0, 2)})"), "{twice}");
        let back = edited(&twice, &[("a-1", [-1.0, -0.5, 0.0]), ("a-2", [0.0, 0.0, -2.0])]);
        assert!(back.contains("moved: {})"), "{back}");
        assert_eq!(edited(&text, &[("b", [1.0; 3])]), text);
    }

    #[test]
    fn anchors_move_with_their_bodies() {
        let text = format!(
            "{HEAD}(name: \"a\", shape: \"s\"), (name: \"b\", shape: \"s\")], joints: [
            (name: \"j\", bodies: (\"a\", \"b\"), kind: spherical(anchor: (1, 0, 0))),
            (name: \"k\", bodies: (\"a\", \"b\"), kind: rope(anchors: ((0, 0, 0), (0, 0, 1)), length: 2)),
            (name: \"l\", bodies: (\"a\", \"b\"), kind: fixed),
        ])"
        );
        let moved = edited(&text, &[("a", [0.0, 1.0, 0.0]), ("b", [0.0, 1.0, 0.0])]);
        assert!(moved.contains("anchor: (1, 1, 0)"), "{moved}");
        assert!(moved.contains("anchors: ((0, 1, 0), (0, 1, 1)), length: 2"), "{moved}");
    }
}
