//! Robots in URDF files: their articulation, and a mesh for every link that has a shape.
//!
//! Reading is lenient: an invalid element is corrected and reported as a [`Correction`], or is an error with
//! [`UrdfOptions::strict`]. Joints: *fixed*, *revolute*, *continuous* and *prismatic*, with *mimic*; *planar*,
//! *floating* and *spherical* joints become chains of these, named `JOINT/x`, `JOINT/yaw` and so on, between links
//! without a shape. The shapes of a link become one mesh in its frame. Meshes are searched beside the file, and those
//! of a `package://` in the given folders, in a folder of that name above the file, or beside one above it. Round
//! primitives become meshes that *contain* them, so that a body free of the mesh is free of the primitive.
//!
//! Masses, damping, friction, efforts, speeds and transmissions are read for dynamics. Whether masses and inertias are physically valid is
//! checked with [`UrdfOptions::sound_masses`] only: kinematics needs none.

pub(super) mod document;
pub(super) mod inertial;
mod joints;
pub mod limits;
mod masses;
pub(super) mod options;
mod ros2_control;
mod shapes;
mod transmissions;
pub mod writer;

pub use self::options::{RobotFileError, Shapes, UrdfError, UrdfOptions};
use std::borrow::Cow;
use std::path::Path;

use self::document::{Document, Reader};
use self::options::File;
use self::shapes::{LinkMeshes, add_planes};
use super::articulation::tree::Articulation;
use super::format::{RobotFormat, robot_format};
use super::named::NamedConfiguration;
use super::sensor::Sensor;
use super::xacro;
use super::xacro::source::Source;
use crate::geometry::read::file::text_of;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::kinematics::closure::{Closure, completed};

pub use shapes::locate_mesh;

pub use crate::geometry::read::correction::Correction;
pub use inertial::{ActuatorKind, Inertial, JointDynamics, JointSpring, Servo};

/// A robot read from a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    /// Its name.
    pub name: String,
    /// Its links and joints.
    pub articulation: Articulation,
    /// The shape of each link in its frame \[m\]; `None` of a link without one.
    pub meshes: Vec<Option<TriangleMesh>>,
    /// Links that are the world around the robot, as `world` of MJCF with floors and tables: they are collided with, but do not belong to it.
    pub surroundings: Vec<usize>,
    /// The mass of each link; `None` where the file states none.
    pub inertials: Vec<Option<Inertial>>,
    /// Fraction of the weight of each link that a force at its centre of mass bears; `gravcomp` of MJCF, zero of other files.
    pub compensations: Vec<f64>,
    /// Damping, friction and motor limits of each joint of the articulation, in its order; zero for joints of a chain.
    pub dynamics: Vec<JointDynamics>,
    /// Pairs of links that the file exempts from collision, by name.
    pub exempt: Vec<[String; 2]>,
    /// Loops that the file closes between links: `connect` and `weld` of MJCF.
    pub closures: Vec<Closure>,
    /// Configurations that the file names: keyframes of MJCF.
    pub configurations: Vec<NamedConfiguration>,
    /// Sensors that the file places: those of MJCF.
    pub sensors: Vec<Sensor>,
    /// Corrections that were made, in the order of the file.
    pub corrections: Vec<Correction>,
}

impl Robot {
    /// Mass \[kg\] and centre of mass \[m, link frame\] of each link; `None` where the file states none.
    #[must_use]
    pub fn masses(&self) -> Vec<Option<(f64, nalgebra::Point3<f64>)>> {
        self.inertials.iter().map(|own| own.map(|own| (own.mass, own.center))).collect()
    }
}

/// Reads a robot from a file.
///
/// ```no_run
/// use extricate_core::kinematics::urdf::{UrdfOptions, read_urdf};
///
/// let robot = read_urdf("robot.urdf", &UrdfOptions::default())?;
/// println!("{} joints move", robot.articulation.coordinates().len());
/// # Ok::<(), extricate_core::kinematics::urdf::RobotFileError>(())
/// ```
///
/// # Errors
/// [`RobotFileError`] when the file or a mesh that it names is missing or damaged, or when its links and joints do not make
/// a tree; the error names the file, the line where it is known, and the cause.
pub fn read_urdf(path: impl AsRef<Path>, options: &UrdfOptions) -> Result<Robot, RobotFileError> {
    let path = path.as_ref();
    let text = text_of(path, limits::FILE_BYTES)
        .map_err(|source| RobotFileError::Io { path: path.to_owned(), source })?;
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
/// # Ok::<(), extricate_core::kinematics::urdf::RobotFileError>(())
/// ```
///
/// # Errors
/// As [`read_urdf`].
pub fn parse_urdf(text: &str, path: &Path, options: &UrdfOptions) -> Result<Robot, RobotFileError> {
    let reach = &options.reach(path);
    let expanded = urdf_text(text, path, options)?;
    let is_expanded = matches!(expanded, Cow::Owned(_));
    let file = File { path, text: &expanded, reach };
    let read = Reader::read(&file, options);
    let read = read.and_then(|(document, corrections)| document.assembled(corrections, &file, options));
    if !is_expanded {
        return read;
    }
    // The lines are those of the expansion, which nobody sees.
    let mut robot = read.map_err(RobotFileError::without_line)?;
    let own = robot.corrections.iter_mut().filter(|correction| correction.path == path);
    own.for_each(|correction| correction.line = 0);
    Ok(robot)
}

/// The URDF text of a robot's file: that of the file, or the expansion of one in xacro.
///
/// # Errors
/// [`RobotFileError::Content`] when it cannot be expanded.
pub fn urdf_text<'a>(
    text: &'a str,
    path: &Path,
    options: &UrdfOptions,
) -> Result<Cow<'a, str>, RobotFileError> {
    let refused = |line, cause| RobotFileError::Content { path: path.to_owned(), line, cause };
    match robot_format(text).map_err(|(line, cause)| refused(line, cause))? {
        (RobotFormat::Urdf, _) => Ok(Cow::Borrowed(text)),
        (RobotFormat::Xacro, _) => {
            let (reach, arguments) = (&options.reach(path), &*options.arguments);
            let source = Source { path, text, reach, packages: &options.packages, arguments };
            xacro::expanded(&source).map(Cow::Owned).map_err(|cause| refused(None, cause))
        }
        (RobotFormat::Mjcf, line) => {
            Err(refused(Some(line), format!("this is {}; expected a URDF file", RobotFormat::Mjcf)))
        }
    }
}

impl Document {
    /// The robot of these links and joints: chains for joints with several degrees of freedom, and meshes.
    pub(super) fn assembled(
        mut self,
        mut corrections: Vec<Correction>,
        file: &File<'_>,
        options: &UrdfOptions,
    ) -> Result<Robot, RobotFileError> {
        self.check_counts(file)?;
        let mut links: Vec<_> = self.links.iter().map(|link| link.name.clone()).collect();
        let (mut joints, mut dynamics) = (Vec::new(), Vec::new());
        for joint in &self.joints {
            let first = joints.len();
            joints::add(joint, &mut links, &mut joints);
            // A joint that became a chain has one damping for several coordinates of different units: it is dropped.
            dynamics.extend(if joints.len() == first + 1 { Some(joint.dynamics) } else { None });
            dynamics.resize(joints.len(), JointDynamics::default());
        }
        if options.sound_masses {
            masses::correct(&mut self, file, options.strict, &mut corrections)?;
        }
        let mut link_meshes = LinkMeshes::new(file, options);
        let meshes = self.links.iter().map(|link| link_meshes.mesh_of(link)).collect::<Result<Vec<_>, _>>();
        let mut meshes = meshes?;
        corrections.append(&mut link_meshes.corrections);
        let mut inertials: Vec<_> = self.links.iter().map(|link| link.inertial).collect();
        let articulation = Articulation::new(links, joints);
        let articulation = articulation.map_err(|source| file.articulation(source, &self.lines()))?;
        meshes.resize(articulation.links().len(), None);
        inertials.resize(articulation.links().len(), None);
        let mut compensations: Vec<_> = self.links.iter().map(|link| link.compensation).collect();
        compensations.resize(articulation.links().len(), 0.0);
        if options.sound_masses && !options.strict {
            corrections.extend(masses::complete(&self, &articulation, (&meshes, &mut inertials), file));
        }
        corrections.sort_by_key(|correction| correction.line);
        add_planes(&self.links, &articulation, &mut meshes);
        let surroundings = (0..self.links.len()).filter(|&link| self.links[link].is_world).collect();
        let Self { name, exempt, configurations, closures, sensors, .. } = self;
        let closures = completed(closures, &articulation);
        Ok(Robot {
            name,
            articulation,
            meshes,
            surroundings,
            inertials,
            compensations,
            dynamics,
            exempt,
            closures,
            configurations,
            sensors,
            corrections,
        })
    }
}

#[cfg(test)]
mod tests;
