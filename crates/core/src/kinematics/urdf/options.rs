//! Options and errors of reading URDF files.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::{inertial, limits};
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
    /// Whether a mass or inertia that no body can have, or a damping or friction below zero, is an error.
    pub sound_masses: bool,
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
        source: RobotError,
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
        source: RobotError,
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
    /// The first line that holds `what` between quotes.
    pub(super) fn line_of(&self, what: &str) -> Option<usize> {
        let quoted = [format!("\"{what}\""), format!("'{what}'")];
        let line = self.text.lines().position(|line| quoted.iter().any(|quoted| line.contains(quoted)));
        line.map(|line| line + 1)
    }

    pub(super) fn content(&self, line: Option<usize>, cause: String) -> UrdfError {
        UrdfError::Content { path: self.path.to_owned(), line, cause }
    }

    /// Refuses more links, joints and shapes than anybody means.
    pub(super) fn check_counts(&self, robot: &urdf_rs::Robot, shapes: Shapes) -> Result<(), UrdfError> {
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
    pub(super) fn check_masses(&self, robot: &urdf_rs::Robot) -> Result<(), UrdfError> {
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

    pub(super) fn articulation(&self, source: RobotError) -> UrdfError {
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
        let line = name.and_then(|name| self.line_of(name));
        UrdfError::Articulation { path: self.path.to_owned(), line, source }
    }
}
