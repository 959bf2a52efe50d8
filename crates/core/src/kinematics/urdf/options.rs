//! Options and errors of reading URDF files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::geometry::read::error::FileError;
use crate::geometry::read::reach::{OutOfReach, Reach};
use crate::kinematics::error::RobotError;

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
    /// Whether masses are needed: then a mass or inertia that no body can have counts as none stated, and a damping or
    /// friction below zero as zero.
    pub sound_masses: bool,
    /// Whether what cannot be taken as it stands is an error, where it would be corrected otherwise.
    pub strict: bool,
    /// Which files the robot may name; where nothing is said, those of its folder and ROS package
    /// ([`Reach::around_robot`]), and of the packages.
    pub reach: Option<Reach>,
}

impl UrdfOptions {
    pub(super) fn reach(&self, path: &Path) -> Reach {
        let own = || self.packages.iter().fold(Reach::around_robot(path), |reach, folder| reach.and(folder));
        self.reach.clone().unwrap_or_else(own)
    }
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
        source: Box<RobotError>,
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
        source: Box<RobotError>,
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
        source: Box<FileError>,
    },
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}

/// The file that is being read, for its errors.
pub(super) struct File<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    pub(super) reach: &'a Reach,
}

impl File<'_> {
    pub(super) fn content(&self, line: Option<usize>, cause: String) -> UrdfError {
        UrdfError::Content { path: self.path.to_owned(), line, cause }
    }

    pub(super) fn articulation(&self, source: RobotError, lines: &HashMap<String, usize>) -> UrdfError {
        let name = match &source {
            RobotError::DuplicateName { name } => Some(name),
            RobotError::UnknownLink { joint, .. }
            | RobotError::UnknownJoint { joint }
            | RobotError::CyclicMimic { joint }
            | RobotError::ZeroAxis { joint }
            | RobotError::ReversedLimits { joint, .. }
            | RobotError::NotFinite { joint } => Some(joint),
            RobotError::TwoParents { link, .. } | RobotError::Cyclic { link } => Some(link),
            RobotError::SeveralRoots { roots } => roots.get(1),
            _ => None,
        };
        let line = name.and_then(|name| lines.get(name)).copied();
        UrdfError::Articulation { path: self.path.to_owned(), line, source: Box::new(source) }
    }
}
