//! Robots in URDF files: their articulation, and a mesh for every link that has a shape.
//!
//! `urdf-rs` reads the format. Joints: *fixed*, *revolute*, *continuous* and *prismatic*, with *mimic*; *planar*,
//! *floating* and *spherical* joints become chains of these, named `JOINT/x`, `JOINT/yaw` and so on, between links
//! without a shape. The shapes of a link become one mesh in its frame. Meshes are looked for beside the file, and those
//! of a `package://` in the folders given, in a folder of that name above the file, or beside one above it. Round
//! primitives become meshes that *contain* them, so that what is free of the mesh is free of the primitive.
//!
//! Masses, damping, friction, efforts and speeds are read for dynamics. A mass or inertia that no body has is an error
//! only where [`UrdfOptions::sound_masses`] asks: kinematics does not care.

mod inertial;
mod joints;
pub mod limits;
mod shapes;

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::articulation::{Articulation, ArticulationError};
use crate::geometry::TriangleMesh;
use crate::geometry::read::file::text_of;
use crate::geometry::read::{OutOfReach, Reach, ReadError};

pub use shapes::mesh_places;

pub use inertial::{Inertial, InertialError, JointDynamics};

/// Which shapes of the links to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shapes {
    /// Those meant for collision.
    #[default]
    Collision,
    /// Those meant to be seen.
    Visual,
}

/// How to read a URDF file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UrdfOptions {
    /// Which shapes to read.
    pub shapes: Shapes,
    /// Folders that are packages, or that hold packages.
    pub packages: Vec<PathBuf>,
    /// Whether a mass or inertia that no body can have, or a damping or friction below zero, is an error.
    pub sound_masses: bool,
    /// Which files the robot may name; where nothing is said, those of its folder and ROS package
    /// ([`Reach::around_robot`]), and of the packages.
    pub reach: Option<Reach>,
}

impl UrdfOptions {
    fn reach(&self, path: &Path) -> Reach {
        let own = || self.packages.iter().fold(Reach::around_robot(path), |reach, folder| reach.and(folder));
        self.reach.clone().unwrap_or_else(own)
    }
}

/// A robot as its file describes it.
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
    /// What resists and drives each joint of the articulation, in its order. Of a joint that became a chain, nothing.
    pub dynamics: Vec<JointDynamics>,
}

/// Why a URDF file was not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The file is not as its format wants it.
    #[error("{}: {cause}", place(path, *line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// What is wrong.
        cause: String,
    },
    /// The links and joints do not make an articulation.
    #[error("{}: {source}", place(path, *line))]
    Articulation {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// Why not.
        source: ArticulationError,
    },
    /// A link has a mass or inertia that no body has.
    #[error("{}: link \"{link}\": {source}", place(path, *line))]
    Inertial {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The link.
        link: String,
        /// What is wrong.
        source: InertialError,
    },
    /// A mesh lies where the robot may name no files.
    #[error("{}: link \"{link}\": {source}", place(path, *line))]
    OutOfReach {
        /// The file of the robot.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The link.
        link: String,
        /// Which mesh, and where it may be.
        source: Box<OutOfReach>,
    },
    /// A mesh cannot be read.
    #[error("{}: link \"{link}\": {source}", place(path, *line))]
    Mesh {
        /// The file of the robot.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The link.
        link: String,
        /// Why the mesh cannot be read.
        source: Box<ReadError>,
    },
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}

/// The robot in a file.
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

/// The robot in the content of a file that has been read already; meshes are looked for relative to its path, which
/// stands in the errors.
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
    let file = File { path, text, reach: &options.reach(path) };
    if let Some(cause) = limits::excess(text) {
        return Err(file.content(None, cause));
    }
    let robot = urdf_rs::read_from_string(text).map_err(|error| file.content(None, error.to_string()))?;
    file.check_counts(&robot, options.shapes)?;
    let (mut links, mut joints, mut dynamics) =
        (robot.links.iter().map(|link| link.name.clone()).collect::<Vec<_>>(), Vec::new(), Vec::new());
    for joint in &robot.joints {
        let first = joints.len();
        joints::add(joint, &mut links, &mut joints);
        let own = inertial::dynamics_of(joint);
        dynamics.extend(if joints.len() == first + 1 { Some(own) } else { None });
        dynamics.resize(joints.len(), JointDynamics::default());
    }
    if options.sound_masses {
        file.check_masses(&robot)?;
    }
    let (mut meshes, mut triangles) = (Vec::new(), 0);
    for link in &robot.links {
        meshes.push(shapes::mesh_of(link, &file, options, &mut triangles)?);
    }
    let mut inertials = robot.links.iter().map(inertial::inertial_of).collect::<Vec<_>>();
    meshes.resize(links.len(), None);
    inertials.resize(links.len(), None);
    let articulation = Articulation::new(links, joints).map_err(|source| file.articulation(source))?;
    Ok(Robot { name: robot.name, articulation, meshes, inertials, dynamics })
}

/// The file that is being read, for its errors.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    reach: &'a Reach,
}

impl File<'_> {
    /// The first line that holds `what` between quotes.
    fn line_of(&self, what: &str) -> Option<usize> {
        let quoted = [format!("\"{what}\""), format!("'{what}'")];
        let line = self.text.lines().position(|line| quoted.iter().any(|quoted| line.contains(quoted)));
        line.map(|line| line + 1)
    }

    fn content(&self, line: Option<usize>, cause: String) -> UrdfError {
        UrdfError::Content { path: self.path.to_owned(), line, cause }
    }

    /// Refuses more links, joints and shapes than anybody means.
    fn check_counts(&self, robot: &urdf_rs::Robot, shapes: Shapes) -> Result<(), UrdfError> {
        let of_link = |link: &urdf_rs::Link| match shapes {
            Shapes::Collision => link.collision.len(),
            Shapes::Visual => link.visual.len(),
        };
        let counts = [
            ("links", robot.links.len(), limits::LINKS),
            ("joints", robot.joints.len(), limits::LINKS),
            ("shapes", robot.links.iter().map(of_link).sum(), limits::SHAPES),
        ];
        for (what, count, most) in counts {
            if count > most {
                return Err(self.content(None, format!("it has {count} {what}, more than {most}")));
            }
        }
        Ok(())
    }

    /// Refuses masses and inertias that no body has, and damping and friction below zero.
    fn check_masses(&self, robot: &urdf_rs::Robot) -> Result<(), UrdfError> {
        for link in &robot.links {
            let Some(Err(source)) = inertial::inertial_of(link).map(|inertial| inertial.check()) else {
                continue;
            };
            let (path, line, link) = (self.path.to_owned(), self.line_of(&link.name), link.name.clone());
            return Err(UrdfError::Inertial { path, line, link, source });
        }
        for joint in &robot.joints {
            let own = inertial::dynamics_of(joint);
            for (what, value) in [("damping", own.damping), ("friction", own.friction)] {
                let is_sound = value >= 0.0 && value.is_finite();
                if !is_sound {
                    let cause =
                        format!("joint \"{}\": the {what} is {value}, but must be zero or above", joint.name);
                    return Err(self.content(self.line_of(&joint.name), cause));
                }
            }
        }
        Ok(())
    }

    fn articulation(&self, source: ArticulationError) -> UrdfError {
        let name = match &source {
            ArticulationError::DuplicateName { name } => Some(name),
            ArticulationError::UnknownLink { joint, .. }
            | ArticulationError::UnknownJoint { joint }
            | ArticulationError::CyclicMimic { joint }
            | ArticulationError::ZeroAxis { joint }
            | ArticulationError::ReversedLimits { joint, .. }
            | ArticulationError::NotFinite { joint } => Some(joint),
            ArticulationError::TwoParents { link, .. } | ArticulationError::Cyclic { link } => Some(link),
            ArticulationError::SeveralRoots { roots } => roots.get(1),
            ArticulationError::Length { .. } => None,
        };
        let line = name.and_then(|name| self.line_of(name));
        UrdfError::Articulation { path: self.path.to_owned(), line, source }
    }
}

#[cfg(test)]
mod tests;
