//! Errors of reading and writing files of shapes and robots.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::correction::Corrections;
use super::reach::{FileScope, OutsideFileScope};
use crate::geometry::shape_error::ShapeError;

/// Extensions of the supported formats; glTF requires the feature `formats`.
pub const EXTENSIONS: &[&str] = if cfg!(feature = "formats") {
    &["obj", "stl", "ply", "off", "gltf", "glb", "dae"]
} else {
    &["obj", "stl", "ply", "off", "dae"]
};

/// Error of reading or writing a file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be opened, read, created, written or renamed.
    #[error("{}: cannot be {attempt}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        attempt: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The extension is not that of a supported format.
    #[error("{}: {problem} \"{extension}\"; supported are {}", path.display(), known.join(", "))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
        /// The problem, such as `unsupported mesh format`.
        problem: &'static str,
        /// The extensions that are accepted.
        known: &'static [&'static str],
    },
    /// The file, or a line of it, violates its format.
    #[error("{}: {cause}", place(path, *line))]
    Content {
        /// The file.
        path: PathBuf,
        /// The line, from 1, if known.
        line: Option<usize>,
        /// The violation.
        cause: String,
    },
    /// The content of the file is not a valid shape; elements and vertices are counted from 0 in the order of the file.
    #[error("{}: {source}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// The error of the shape.
        source: ShapeError,
    },
    /// The file references another one outside its scope.
    #[error(transparent)]
    OutsideFileScope(#[from] OutsideFileScope),
    /// A coordinate is beyond the single precision of binary STL.
    #[error("{}: vertex {vertex} is beyond the range of binary STL's single precision", path.display())]
    BeyondSinglePrecision {
        /// The file.
        path: PathBuf,
        /// 0-based index of the vertex.
        vertex: usize,
    },
    /// The file is not of the project's own format, truncated or damaged.
    #[error("{}: not a valid {format}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The expected format.
        format: &'static str,
        /// The violation.
        why: String,
    },
    /// The file was written by another version.
    #[error("{} has version {found} of the format, expected {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Version of the file.
        found: u32,
        /// The supported version.
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
    /// Error of a file that cannot be read.
    pub(crate) fn unread(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), attempt: "read", source }
    }

    /// Error of an extension that is not that of a supported format.
    pub(crate) fn unknown_format(path: &Path, problem: &'static str, known: &'static [&'static str]) -> Self {
        Self::UnknownFormat { path: path.to_owned(), extension: extension_of(path), problem, known }
    }
}

/// Extension of a file in lower case; empty if there is none.
pub(crate) fn extension_of(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// Path of a file, the files that it may reference, and what was corrected in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) path: &'a Path,
    #[cfg_attr(
        not(feature = "formats"),
        expect(dead_code, reason = "read by formats that name other files")
    )]
    pub(super) reach: &'a FileScope,
    pub(super) corrections: &'a Corrections,
}

/// Error in the content of a file.
#[derive(Debug)]
pub(crate) enum Fault {
    Line(usize, String),
    Content(String),
    OutsideFileScope(OutsideFileScope),
    Shape(ShapeError),
}

impl Fault {
    pub(in crate::geometry) fn in_file(self, path: &Path) -> FileError {
        let path = path.to_owned();
        match self {
            Self::Line(line, cause) => FileError::Content { path, line: Some(line), cause },
            Self::Content(cause) => FileError::Content { path, line: None, cause },
            Self::OutsideFileScope(error) => error.into(),
            Self::Shape(source) => FileError::Shape { path, source },
        }
    }
}

impl From<OutsideFileScope> for Fault {
    fn from(error: OutsideFileScope) -> Self {
        Self::OutsideFileScope(error)
    }
}

impl From<ShapeError> for Fault {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}
