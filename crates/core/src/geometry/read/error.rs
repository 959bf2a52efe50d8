//! Errors of reading meshes.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::reach::{OutOfReach, Reach};
use crate::geometry::triangle_mesh::MeshError;

/// Extensions of the formats that can be read; glTF with the feature `formats`.
pub const EXTENSIONS: &[&str] = if cfg!(feature = "formats") {
    &["obj", "stl", "ply", "off", "gltf", "glb"]
} else {
    &["obj", "stl", "ply", "off"]
};

/// Why a mesh file was not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The extension names no known format.
    #[error("{}: \"{extension}\" is no known mesh format; known are {}", path.display(), EXTENSIONS.join(", "))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
    },
    /// A line of a text file is not as the format wants it.
    #[error("{}:{line}: {cause}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// The file is not as its format wants it.
    #[error("{}: {cause}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The file names another one that it may not.
    #[error(transparent)]
    OutOfReach(#[from] OutOfReach),
    /// What the file holds is not a mesh.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: MeshError,
    },
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
    Mesh(MeshError),
}

impl Fault {
    pub(super) fn in_file(self, path: &Path) -> ReadError {
        let path = path.to_owned();
        match self {
            Self::Line(line, cause) => ReadError::Line { path, line, cause },
            Self::Content(cause) => ReadError::Content { path, cause },
            Self::OutOfReach(error) => error.into(),
            Self::Mesh(source) => ReadError::Mesh { path, source },
        }
    }
}

impl From<OutOfReach> for Fault {
    fn from(error: OutOfReach) -> Self {
        Self::OutOfReach(error)
    }
}

impl From<MeshError> for Fault {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}
