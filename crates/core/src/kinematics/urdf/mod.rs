//! Robots in URDF files: their articulation, and a mesh for every link that has a shape.
//!
//! Reading is lenient: an invalid element is corrected and reported as a [`Correction`], or is an error with
//! [`UrdfOptions::strict`]. Joints: *fixed*, *revolute*, *continuous* and *prismatic*, with *mimic*; *planar*,
//! *floating* and *spherical* joints become chains of these, named `JOINT/x`, `JOINT/yaw` and so on, between links
//! without a shape. The shapes of a link become one mesh in its frame. Meshes are searched beside the file, and those
//! of a `package://` in the given folders, in a folder of that name above the file, or beside one above it. Round
//! primitives become meshes that *contain* them, so that a body free of the mesh is free of the primitive.
//!
//! Masses, damping, friction, efforts and speeds are read for dynamics. Whether masses and inertias are physically valid is
//! checked with [`UrdfOptions::sound_masses`] only: kinematics needs none.

pub(crate) mod correction;
mod document;
mod inertial;
mod joints;
pub mod limits;
mod masses;
mod options;
mod shapes;

pub use self::options::{Shapes, UrdfError, UrdfOptions};
use std::borrow::Cow;
use std::path::Path;

use self::document::Reader;
use self::options::File;
use self::shapes::LinkMeshes;
use super::articulation::tree::Articulation;
use super::format::{RobotFormat, robot_format};
use super::xacro;
use super::xacro::source::Source;
use crate::geometry::read::file::text_of;
use crate::geometry::triangle_mesh::TriangleMesh;

pub use shapes::locate_mesh;

pub use correction::Correction;
pub use inertial::{Inertial, JointDynamics};

/// A robot read from a URDF file.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Its links and joints.
    pub articulation: Articulation,
    /// The shape of each link in its frame [m]; `None` of a link without one.
    pub meshes: Vec<Option<TriangleMesh>>,
    /// The mass of each link; `None` where the file states none.
    pub inertials: Vec<Option<Inertial>>,
    /// Damping, friction and motor limits of each joint of the articulation, in its order; zero for joints of a chain.
    pub dynamics: Vec<JointDynamics>,
    /// Corrections that were made, in the order of the file.
    pub corrections: Vec<Correction>,
}

/// Reads a robot from a file.
///
/// ```no_run
/// use extricate_core::kinematics::urdf::{UrdfOptions, read_urdf};
///
/// let robot = read_urdf("robot.urdf", &UrdfOptions::default())?;
/// println!("{} joints move", robot.articulation.coordinates().len());
/// # Ok::<(), extricate_core::kinematics::urdf::UrdfError>(())
/// ```
///
/// # Errors
/// [`UrdfError`] when the file or a mesh that it names is missing or damaged, or when its links and joints do not make
/// a tree; the error names the file, the line where it is known, and the cause.
pub fn read_urdf(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Robot, UrdfError> {
    let path = path.as_ref();
    let text = text_of(path, limits::FILE_BYTES)
        .map_err(|source| UrdfError::Io { path: path.to_owned(), source })?;
    parse_urdf(&text, path, options)
}

/// The robot in the content of a file that has been read already; meshes are searched relative to its path, which
/// errors name.
///
/// ```
/// use std::path::Path;
/// use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};
///
/// let text = r#"<robot name="door">
///   <link name="wall"/>
///   <link name="leaf"><collision><geometry><box size="1 0.1 2"/></geometry></collision></link>
///   <joint name="hinge" type="continuous">
///     <parent link="wall"/><child link="leaf"/><axis xyz="0 0 1"/>
///   </joint>
/// </robot>"#;
/// let door = parse_urdf(text, Path::new("door.urdf"), &UrdfOptions::default())?;
/// assert_eq!(door.articulation.coordinates().len(), 1);
/// assert!(door.meshes[0].is_none() && door.meshes[1].is_some());
/// # Ok::<(), extricate_core::kinematics::urdf::UrdfError>(())
/// ```
///
/// # Errors
/// As [`read_urdf`].
pub fn parse_urdf(text: &str, path: &Path, options: &UrdfOptions) -> Result<Robot, UrdfError> {
    let reach = &options.reach(path);
    let expanded = urdf_text(text, path, options)?;
    let is_expanded = matches!(expanded, Cow::Owned(_));
    let read = parse(&File { path, text: &expanded, reach }, options);
    if !is_expanded {
        return read;
    }
    // The lines are those of the expansion, which nobody sees.
    let mut robot = read.map_err(UrdfError::without_line)?;
    robot.corrections.iter_mut().for_each(|correction| correction.line = 0);
    Ok(robot)
}

/// The URDF text of a robot's file: that of the file, or the expansion of one in xacro.
///
/// # Errors
/// [`UrdfError::Content`] when it cannot be expanded.
pub fn urdf_text<'a>(text: &'a str, path: &Path, options: &UrdfOptions) -> Result<Cow<'a, str>, UrdfError> {
    match robot_format(text) {
        RobotFormat::Urdf => Ok(Cow::Borrowed(text)),
        RobotFormat::Xacro => {
            let (reach, arguments) = (&options.reach(path), &*options.arguments);
            let source = Source { path, text, reach, packages: &options.packages, arguments };
            let refused = |cause| UrdfError::Content { path: path.to_owned(), line: None, cause };
            xacro::expanded(&source).map(Cow::Owned).map_err(refused)
        }
    }
}

fn parse(file: &File<'_>, options: &UrdfOptions) -> Result<Robot, UrdfError> {
    let (mut robot, mut corrections) = Reader::read(file, options)?;
    robot.check_counts(file)?;
    let (mut links, mut joints, mut dynamics) =
        (robot.links.iter().map(|link| link.name.clone()).collect::<Vec<_>>(), Vec::new(), Vec::new());
    for joint in &robot.joints {
        let first = joints.len();
        joints::add(joint, &mut links, &mut joints);
        // A joint that became a chain has one damping for several coordinates of different units: it is dropped.
        dynamics.extend(if joints.len() == first + 1 { Some(joint.dynamics) } else { None });
        dynamics.resize(joints.len(), JointDynamics::default());
    }
    if options.sound_masses {
        masses::correct(&mut robot, file, options.strict, &mut corrections)?;
    }
    let mut link_meshes = LinkMeshes::new(file, options);
    let meshes = robot.links.iter().map(|link| link_meshes.mesh_of(link)).collect::<Result<Vec<_>, _>>();
    let mut meshes = meshes?;
    corrections.append(&mut link_meshes.corrections);
    let mut inertials = robot.links.iter().map(|link| link.inertial).collect::<Vec<_>>();
    meshes.resize(links.len(), None);
    inertials.resize(links.len(), None);
    let articulation = Articulation::new(links, joints);
    let articulation = articulation.map_err(|source| file.articulation(source, &robot.lines()))?;
    if options.sound_masses && !options.strict {
        corrections.extend(masses::complete(&robot, &articulation, (&meshes, &mut inertials), file));
    }
    corrections.sort_by_key(|correction| correction.line);
    Ok(Robot { name: robot.name, articulation, meshes, inertials, dynamics, corrections })
}

#[cfg(test)]
mod tests;
