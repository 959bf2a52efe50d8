//! Arrangement: the scene of robots and shapes that are given as arguments, each at its pose. Nothing falls in it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use nalgebra::Isometry3;

use super::access::Access;
use super::fault::{Class, Fault};
use super::obstacles::ObstacleArgument;
use super::shape::ShapeArgument;
use crate::scene::Scene;
use crate::scene::schema::ShapeEntry;
use extricate_core::geometry::Solidity;
use extricate_core::geometry::read::FileScope;

/// Path of its text, which is not written: files are relative to the folder of the program.
const PATH: &str = "arrangement.ron";

/// The scene of arguments `ROBOT`, `SHAPE`, `SHAPE@X,Y,Z` or `SHAPE@X,Y,Z,W,QX,QY,QZ`, as [`ObstacleArgument`] parses them.
///
/// Solids are dynamic, so that repairs may move them; beside a robot, which moves its joints, and where a mesh is a
/// surface, bodies are fixed. Names are those of the files without extension, or of the kind of a shape.
///
/// # Errors
/// A [`Fault`] when an argument is not valid, or a file cannot be read.
pub fn arrangement(arguments: &[String], access: &Access) -> Result<Scene, Fault> {
    let parsed = arguments.iter().map(|text| ObstacleArgument::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let has_robot = parsed.iter().any(ObstacleArgument::is_robot);
    let mut parts =
        Parts { names: BTreeMap::new(), files: Vec::new(), has_robot, text: [const { String::new() }; 3] };
    for argument in &parsed {
        match argument.is_robot() {
            true => parts.robot(argument),
            false => parts.body(argument, access)?,
        }
    }
    let title = parsed.iter().map(|argument| name_of(&argument.shape)).collect::<Vec<_>>().join(", ");
    let [shapes, bodies, robots] = &parts.text;
    let text = format!(
        "Scene(\n    title: {title:?},\n    gravity: (0, 0, 0),\n    duration: 1,\n    shapes: {{\n{shapes}    }},\n    \
         bodies: [\n{bodies}    ],\n    robots: [\n{robots}    ],\n)\n"
    );
    let scope = parts.scope(access);
    Scene::parse_within(Path::new(PATH), text, &scope).map_err(|error| Fault::of(Class::BadFile, &error))
}

/// Entries of the scene as they are written.
struct Parts {
    /// Number of entries of each name.
    names: BTreeMap<String, usize>,
    /// Files that are named, each with whether it is that of a robot.
    files: Vec<(PathBuf, bool)>,
    has_robot: bool,
    /// Shapes, bodies and robots.
    text: [String; 3],
}

impl Parts {
    fn robot(&mut self, argument: &ObstacleArgument) {
        let name = self.unique(&name_of(&argument.shape));
        let file = &argument.shape;
        self.files.push((file.into(), true));
        let pose = pose_text(&argument.pose);
        // Writing to a string does not fail.
        let _ = writeln!(self.text[2], "        (name: {name:?}, file: {file:?}, {pose}),");
    }

    fn body(&mut self, argument: &ObstacleArgument, access: &Access) -> Result<(), Fault> {
        let shape = ShapeArgument::parse(&argument.shape)?;
        let name = self.unique(&name_of(&argument.shape));
        let mut is_solid = !matches!(shape.entry(), ShapeEntry::HalfSpace);
        if let Some(file) = shape.file() {
            let mesh = access.mesh(file).map_err(|error| Fault::of(Class::BadFile, &error))?;
            is_solid = shape.is_convex() || Solidity::of(&mesh) == Solidity::Solid;
            self.files.push((file.to_owned(), false));
        }
        let kind = if is_solid && !self.has_robot { "dynamic" } else { "fixed" };
        let (shape, pose) = (text_of(shape.entry()), pose_text(&argument.pose));
        let _ = writeln!(self.text[0], "        {name:?}: {shape},");
        let _ = writeln!(self.text[1], "        (name: {name:?}, shape: {name:?}, kind: {kind}, {pose}),");
        Ok(())
    }

    /// A name that no entry has yet: the second `cup` is `cup-2`.
    fn unique(&mut self, name: &str) -> String {
        let count = self.names.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name}-{count}") }
    }

    /// The files that the arguments name, and those that these may name.
    fn scope(&self, access: &Access) -> FileScope {
        let robot = self.files.iter().find(|(_, is_robot)| *is_robot);
        let own = match (robot, self.files.first()) {
            (Some((robot, _)), _) => FileScope::around_robot(robot),
            (None, Some((mesh, _))) => FileScope::around(mesh),
            (None, None) => FileScope::around(Path::new(PATH)),
        };
        let folders = self.files.iter().map(|(file, _)| file.parent().unwrap_or(Path::new("")));
        access.extended(folders.fold(own, |scope, folder| scope.and(folder)))
    }
}

/// Name of an argument: that of its file without extension, or the kind of its shape.
fn name_of(text: &str) -> String {
    let file = Path::new(text.rsplit(':').next().unwrap_or(text));
    let has_file =
        file.extension().is_some_and(|extension| !extension.to_string_lossy().contains([',', '.']))
            && !text.ends_with(|last: char| last.is_ascii_digit());
    let stem = if has_file { file.file_stem() } else { None };
    let kind = || text.split(':').next().unwrap_or(text).to_owned();
    stem.map_or_else(kind, |stem| stem.to_string_lossy().into_owned())
}

/// A pose as fields of a body or robot.
fn pose_text(pose: &Isometry3<f64>) -> String {
    let ([x, y, z], q): ([f64; 3], _) = (pose.translation.vector.into(), pose.rotation);
    format!(
        "position: ({x:?}, {y:?}, {z:?}), rotation: quaternion({:?}, {:?}, {:?}, {:?})",
        q.w, q.i, q.j, q.k
    )
}

/// A shape as it is written in a scene.
fn text_of(entry: &ShapeEntry) -> String {
    match entry {
        ShapeEntry::Mesh { file, .. } => format!("mesh(file: {file:?})"),
        ShapeEntry::Ball { radius } => format!("ball(radius: {radius:?})"),
        ShapeEntry::Cuboid { size } => format!("cuboid(size: {size:?})"),
        ShapeEntry::Capsule { radius, length } => format!("capsule(radius: {radius:?}, length: {length:?})"),
        ShapeEntry::Cylinder { radius, height } => {
            format!("cylinder(radius: {radius:?}, height: {height:?})")
        }
        ShapeEntry::Cone { radius, height } => format!("cone(radius: {radius:?}, height: {height:?})"),
        ShapeEntry::Hull { of } => format!("hull(of: {})", text_of(of)),
        ShapeEntry::Rounded { core, radius } => {
            format!("rounded(core: {}, radius: {radius:?})", text_of(core))
        }
        ShapeEntry::HalfSpace => String::from("half_space"),
        ShapeEntry::Procedural { .. } => unreachable!("arguments do not name procedural meshes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_bodies_and_robots_with_unique_names_and_their_poses() {
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
        let arguments = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let scene = |texts: &[&str]| arrangement(&arguments(texts), &Access::default());
        let cups = scene(&[
            "assets/meshes/cup.obj",
            "assets/meshes/cup.obj@1,2,3",
            "rounded:0.1:box:1,1,0.5@0,0,2,0.6,0,0.8,0",
            "sphere:0.25",
            "halfspace",
        ])
        .unwrap();
        let names: Vec<_> = cups.bodies.iter().map(|body| (body.name.as_str(), body.kind)).collect();
        use extricate_dynamics::BodyKind::{Dynamic, Fixed};
        let expected = [
            ("cup", Dynamic),
            ("cup-2", Dynamic),
            ("rounded", Dynamic),
            ("sphere", Dynamic),
            ("halfspace", Fixed),
        ];
        assert_eq!(names, expected);
        assert_eq!(cups.bodies[1].pose, Isometry3::translation(1.0, 2.0, 3.0));
        assert!((cups.bodies[2].pose.rotation.j - 0.8).abs() < 1e-15);
        let robots = scene(&["assets/robots/arm.urdf@0,0,1", "sphere:0.2@1,0,0"]).unwrap();
        assert_eq!((robots.robots[0].name.as_str(), robots.bodies[0].kind), ("arm", Fixed));
        for bad in ["missing.obj", "sphere:x", "sphere:1@0,0"] {
            assert!(scene(&[bad]).is_err(), "{bad}");
        }
    }
}
