//! Conversion of robots: URDF with its corrections applied, xacro or MJCF to URDF, and allowed pairs of links to SRDF.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::cli::repair::srdf_of;
use crate::cli::terminal::{Console, Exit, Failure};
use extricate_core::geometry::read::file::text_of;
use extricate_core::geometry::write::write_mesh;
use extricate_core::geometry::{FileError, TriangleMesh};
use extricate_core::kinematics::urdf::writer::{MeshNames, robot_as_urdf};
use extricate_core::kinematics::urdf::{RobotFileError, UrdfOptions, limits, locate_mesh};
use extricate_scene::record::write_whole;
use extricate_scene::request::{Context, Library, LinkFields, Origin, RobotSource};

/// Result of converting a robot.
#[derive(Debug, Serialize)]
struct Line {
    input: String,
    output: String,
    links: usize,
    joints: usize,
    /// Corrections of the file, which are applied.
    corrections: Vec<String>,
    /// Content of the file that URDF cannot hold, or that is not read.
    lost: Vec<String>,
}

/// Whether a path is a file of a robot that is written.
pub(super) fn is_output(output: &Path) -> bool {
    ["urdf", "srdf"].iter().any(|known| output.extension().is_some_and(|own| own.eq_ignore_ascii_case(known)))
}

/// Converts a robot.
pub(super) fn convert(
    console: &mut Console,
    (input, output): (&Path, &Path),
    links: &LinkFields,
) -> Result<(), Failure> {
    let source = RobotSource { robot: input.display().to_string(), floating: false, links: links.clone() };
    let library = Library::default().with_access(console.access());
    let context = Context {
        folder: Path::new(""),
        library: &library,
        parallel: true,
        sequence: false,
        origin: Origin::Options,
    };
    if output.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("srdf")) {
        let robot = source.robot(&context)?;
        let text = srdf_of(&robot, &source, &context)?;
        write_whole(output, text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))?;
        return report(console, (input, output), &robot_of(&robot), &[], &[]);
    }
    let options = console.access().options_of_robot(input, source.urdf_options(&context)?);
    let text = text_of(input, limits::FILE_BYTES).map_err(|error| {
        Failure::new(Exit::BadFile, format!("{}: cannot be read: {error}", input.display()))
    })?;
    let mut names = Names { robot: input, output, options: &options, written: 0 };
    let written = robot_as_urdf(&text, input, &options, &mut names).map_err(|error| match error {
        RobotFileError::MeshNotWritten { .. } => Failure::of(Exit::Usage, &error),
        _ => Failure::of(Exit::BadFile, &error),
    })?;
    write_whole(output, written.text.as_bytes()).map_err(|error| Failure::of(Exit::Usage, &error))?;
    let corrections: Vec<String> = written.corrections().iter().map(ToString::to_string).collect();
    let counts = [written.robot.articulation.links().len(), written.robot.articulation.coordinates().len()];
    report(console, (input, output), &counts, &corrections, &written.lost)
}

fn robot_of(robot: &extricate_scene::repair::Robot) -> [usize; 2] {
    let articulation = robot.model().articulation();
    [articulation.links().len(), articulation.coordinates().len()]
}

/// Prints the result.
fn report(
    console: &mut Console,
    (input, output): (&Path, &Path),
    &[links, joints]: &[usize; 2],
    corrections: &[String],
    lost: &[String],
) -> Result<(), Failure> {
    let [input, output] = [input, output].map(|path| path.display().to_string());
    let (corrections, lost) = (corrections.to_vec(), lost.to_vec());
    if console.json() {
        return console.json_line(&Line { input, output, links, joints, corrections, lost });
    }
    console.line(format_args!("{input} → {output}: {links} links, {joints} joints that move"))?;
    corrections.iter().try_for_each(|what| console.line(format_args!("  corrected: {what}")))?;
    lost.iter().try_for_each(|what| console.line(format_args!("  lost: {what}")))
}

/// Names of meshes in the written file.
struct Names<'a> {
    robot: &'a Path,
    output: &'a Path,
    options: &'a UrdfOptions,
    /// Number of meshes written so far.
    written: usize,
}

impl MeshNames for Names<'_> {
    /// A name in a package stays, if it leads to a file from the written one, too; others become relative to that.
    fn of_file(&mut self, filename: &str) -> String {
        let Some(reach) = &self.options.reach else { return filename.to_owned() };
        let Some(place) = locate_mesh(filename, self.robot, &self.options.packages, reach) else {
            return filename.to_owned();
        };
        let from_output = || locate_mesh(filename, self.output, &self.options.packages, reach);
        let in_package = filename.strip_prefix("package://").and_then(|name| name.split_once('/'));
        let is_found = |(package, path): (&str, &str)| {
            !package.is_empty() && place.ends_with(path) && from_output().as_ref() == Some(&place)
        };
        if in_package.is_some_and(is_found) {
            return filename.to_owned();
        }
        relative(&place, self.output.parent().unwrap_or(Path::new("")))
    }

    fn of_mesh(&mut self, link: &str, mesh: &TriangleMesh) -> Result<String, FileError> {
        let clean = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let (link, number) = (link.chars().map(clean).collect::<String>(), self.written);
        self.written += 1;
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}.meshes/{number}_{link}.obj");
        let path = self.output.parent().unwrap_or(Path::new("")).join(&name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| FileError::Io {
                path: folder.to_owned(),
                attempt: "written",
                source,
            })?;
        }
        write_mesh(mesh, &path)?;
        Ok(name)
    }
}

/// A path relative to a folder, with `/`.
fn relative(path: &Path, folder: &Path) -> String {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (path, folder) = (real(path), real(folder));
    let common = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| Component::ParentDir);
    let parts: PathBuf = up.chain(path.components().skip(common)).collect();
    parts.display().to_string().replace('\\', "/")
}
