//! Options and errors of reading URDF files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::geometry::read::error::FileError;
use crate::geometry::read::reach::{FileScope, OutsideFileScope};
use crate::kinematics::error::RobotError;

/// Selection of the shapes of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shapes {
    /// Collision geometry, `<collision>`.
    #[default]
    Collision,
    /// Visual geometry, `<visual>`.
    Visual,
}

/// Options of reading a URDF file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UrdfOptions {
    /// Shapes to read.
    pub shapes: Shapes,
    /// Folders that are packages, or that hold packages.
    pub packages: Vec<PathBuf>,
    /// Names and values of the arguments of a robot in xacro.
    pub arguments: Vec<(String, String)>,
    /// Whether masses are needed: then a physically invalid mass or inertia is dropped, and a damping or friction below
    /// zero is set to zero.
    pub sound_masses: bool,
    /// Whether an invalid element is an error instead of being corrected.
    pub strict: bool,
    /// Files that the robot may name; by default those of its folder and ROS package
    /// ([`FileScope::around_robot`]), and of the packages.
    pub reach: Option<FileScope>,
}

impl UrdfOptions {
    pub(in crate::kinematics) fn reach(&self, path: &Path) -> FileScope {
        let own =
            || self.packages.iter().fold(FileScope::around_robot(path), |reach, folder| reach.and(folder));
        self.reach.clone().unwrap_or_else(own)
    }
}

/// Failure to read the file of a robot, in URDF, xacro, MJCF or SRDF, or to write it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RobotFileError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The content of the file is invalid.
    #[error("{}: {cause}", place(path, *line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The defect.
        cause: String,
    },
    /// The links and joints do not make an articulation.
    #[error("{}: {source}", place(path, *line))]
    Articulation {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The cause.
        source: Box<RobotError>,
    },
    /// A link has a physically invalid mass or inertia.
    #[error("{}: link \"{link}\": {source}", place(path, *line))]
    Inertial {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The link.
        link: String,
        /// The defect.
        source: Box<RobotError>,
    },
    /// A mesh lies where the robot may name no files.
    #[error("{}: link \"{link}\": {source}", place(path, *line))]
    OutsideFileScope {
        /// The file of the robot.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// The link.
        link: String,
        /// The mesh, and the files that may be named.
        source: Box<OutsideFileScope>,
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
        /// The cause.
        source: Box<FileError>,
    },
    /// A mesh that the robot is to name cannot be written.
    #[error("{}: link \"{link}\": {source}", path.display())]
    MeshNotWritten {
        /// The file of the robot.
        path: PathBuf,
        /// The link.
        link: String,
        /// The cause.
        source: Box<FileError>,
    },
}

/// Former name of [`RobotFileError`].
pub type UrdfError = RobotFileError;

impl RobotFileError {
    /// The same error without its line.
    pub(super) fn without_line(mut self) -> Self {
        match &mut self {
            Self::Io { .. } | Self::MeshNotWritten { .. } => {}
            Self::Content { line, .. }
            | Self::Articulation { line, .. }
            | Self::Inertial { line, .. }
            | Self::OutsideFileScope { line, .. }
            | Self::Mesh { line, .. } => *line = None,
        }
        self
    }
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}

/// The file that is being read, as context of its errors.
pub(in crate::kinematics) struct File<'a> {
    pub(in crate::kinematics) path: &'a Path,
    pub(in crate::kinematics) text: &'a str,
    pub(in crate::kinematics) reach: &'a FileScope,
}

impl File<'_> {
    pub(in crate::kinematics) fn content(&self, line: Option<usize>, cause: String) -> RobotFileError {
        RobotFileError::Content { path: self.path.to_owned(), line, cause }
    }

    pub(in crate::kinematics) fn articulation(
        &self,
        source: RobotError,
        lines: &HashMap<String, usize>,
    ) -> RobotFileError {
        let name = match &source {
            RobotError::DuplicateName { name } => Some(name),
            RobotError::UnknownLink { joint, .. }
            | RobotError::UnknownJoint { joint, .. }
            | RobotError::CyclicMimic { joint }
            | RobotError::ZeroAxis { joint }
            | RobotError::ReversedLimits { joint, .. }
            | RobotError::NotFinite { joint } => Some(joint),
            RobotError::TwoParents { link, .. } | RobotError::Cyclic { link } => Some(link),
            RobotError::SeveralRoots { roots } => roots.get(1),
            _ => None,
        };
        let line = name.and_then(|name| lines.get(name)).copied();
        RobotFileError::Articulation { path: self.path.to_owned(), line, source: Box::new(source) }
    }
}
