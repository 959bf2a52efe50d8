//! The reasons why files of shapes and robots are not read or written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reach::{OutOfReach, Reach};
use crate::geometry::shape_error::ShapeError;

/// Extensions of the formats that can be read; glTF with the feature `formats`.
pub const EXTENSIONS: &[&str] = if cfg!(feature = "formats") {
    &["obj", "stl", "ply", "off", "gltf", "glb", "dae"]
} else {
    &["obj", "stl", "ply", "off", "dae"]
};

/// Why a file was not read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be opened, read, created, written or put in its place.
    #[error("{}: cannot be {attempt}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        attempt: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The extension names no format that can be read, or written.
    #[error("{}: \"{extension}\" {problem}; known are {}", path.display(), known.join(", "))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
        /// What it is not, or what cannot be done with it.
        problem: &'static str,
        /// The extensions that are accepted.
        known: &'static [&'static str],
    },
    /// The file, or a line of it, is not as its format wants it.
    #[error("{}: {cause}", place(path, *line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1, where it is known.
        line: Option<usize>,
        /// What is wrong with it.
        cause: String,
    },
    /// What the file holds is no sound shape; elements and vertices are counted from 0 in their order in the file.
    #[error("{}: {source}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: ShapeError,
    },
    /// The file names another one that it may not.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    /// A coordinate is beyond the single precision of binary STL.
    #[error("{}: vertex {vertex} is beyond the range of binary STL's single precision", path.display())]
    BeyondSinglePrecision {
        /// The file.
        path: PathBuf,
        /// 0-based index of the vertex.
        vertex: usize,
    },
    /// The file is none of the project's own format, or it is truncated or damaged.
    #[error("{} is no {format}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What it should hold.
        format: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// Another version wrote the file.
    #[error("{} has version {found} of the format, not {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// The file belongs to another mesh, or to the same one with another solidity.
    #[error("{} belongs to another mesh: its fingerprint is {found}, that of this one {expected}", path.display())]
    OtherMesh {
        /// The file.
        path: PathBuf,
        /// Fingerprint in the file.
        found: String,
        /// Fingerprint of the mesh.
        expected: String,
    },
}

fn place(path: &Path, line: Option<usize>) -> String {
    line.map_or_else(|| path.display().to_string(), |line| format!("{}:{line}", path.display()))
}

impl FileError {
    /// The error of a file that cannot be read.
    pub(crate) fn unread(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), attempt: "read", source }
    }

    /// The error of an extension that names no format.
    pub(crate) fn unknown_format(path: &Path, problem: &'static str, known: &'static [&'static str]) -> Self {
        Self::UnknownFormat { path: path.to_owned(), extension: extension_of(path), problem, known }
    }
}

/// The extension of a file in small letters; empty where there is none.
pub(crate) fn extension_of(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Where a file is, and what it may name.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "formats"), expect(dead_code, reason = "read by formats that name other files"))]
pub(super) struct Place<'a> {
    pub(super) path: &'a Path,
    pub(super) reach: &'a Reach,
}

/// What is wrong with the content of a file.
#[derive(Debug)]
pub(crate) enum Fault {
    Line(usize, String),
    Content(String),
    OutOfReach(OutOfReach),
    Shape(ShapeError),
}

impl Fault {
    pub(in crate::geometry) fn in_file(self, path: &Path) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Line(line, cause) => FileError::Content { path, line: Some(line), cause },
            Self::Content(cause) => FileError::Content { path, line: None, cause },
            Self::OutOfReach(error) => error.into(),
            Self::Shape(source) => FileError::Shape { path, source },
        }
    }
}

impl From<OutOfReach> for Fault {
    fn from(error: OutOfReach) -> Self {
        Self::OutOfReach(error)
    }
}

impl From<ShapeError> for Fault {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}
