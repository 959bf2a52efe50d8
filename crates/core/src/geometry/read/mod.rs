//! Reading meshes: OBJ, STL, PLY, OFF, glTF and GLB.
//!
//! A file is either read whole or refused with its name, the line (in text formats) and the cause. Nothing is
//! allocated on the word of a header: counts are checked against what the file holds.
//!
//! OBJ, STL and OFF have readers of our own, because the format crates give single-precision numbers, renumber the
//! vertices or cannot name the line of an error; `tobj` and `stl_io` check the writers in the tests.

pub mod file;
#[cfg(feature = "formats")]
mod gltf;
mod obj;
mod off;
mod ply;
mod polygons;
mod reach;
mod stl;
pub(in crate::geometry) mod text;

#[cfg(feature = "formats")]
pub use gltf::buffer_file;
pub use reach::{OutOfReach, ROOT_MARKER, Reach};

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::limits::FILE_BYTES;
use super::{MeshError, TriangleMesh};

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

/// The mesh in a file; the extension, in capitals or not, tells the format.
///
/// All parts, groups and objects of a file become one mesh, and polygons are cut into triangles. The coordinates
/// are those of the file, taken as metres. STL and glTF files do not share vertices between neighbours: those that
/// coincide exactly are joined.
///
/// ```no_run
/// use extricate_core::geometry::read::read_mesh;
///
/// let mesh = read_mesh("ring.obj")?;
/// println!("{} triangles", mesh.triangles().len());
/// # Ok::<(), extricate_core::geometry::read::ReadError>(())
/// ```
///
/// # Errors
/// [`ReadError`] when the file is missing, of no known format, longer than [`FILE_BYTES`], damaged, or holds no triangle
/// with an area.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, ReadError> {
    let path = path.as_ref();
    read_mesh_within(path, &Reach::around(path))
}

/// The mesh in a file as [`read_mesh`] reads it, the buffers that a glTF file names within `reach`.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_within(path: &Path, reach: &Reach) -> Result<TriangleMesh, ReadError> {
    let read = reader_of(path)?;
    let bytes =
        file::bytes_of(path, FILE_BYTES).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    read(&bytes, Place { path, reach }).map_err(|fault| fault.in_file(path))
}

/// The mesh in the content of a file that has been read already. The path tells the format and stands in the errors;
/// external buffers of a glTF are looked for beside it.
///
/// # Errors
/// [`ReadError`] when the extension names no known format, or the content is damaged or holds no triangle with an
/// area.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>) -> Result<TriangleMesh, ReadError> {
    let path = path.as_ref();
    reader_of(path)?(bytes, Place { path, reach: &Reach::around(path) }).map_err(|fault| fault.in_file(path))
}

/// Where a file is, and what it may name.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "formats"), expect(dead_code, reason = "read by formats that name other files"))]
struct Place<'a> {
    path: &'a Path,
    reach: &'a Reach,
}

type Reader = fn(&[u8], Place) -> Result<TriangleMesh, Fault>;

fn reader_of(path: &Path) -> Result<Reader, ReadError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "obj" => Ok(obj::read),
        "stl" => Ok(stl::read),
        "ply" => Ok(ply::read),
        "off" => Ok(off::read),
        #[cfg(feature = "formats")]
        "gltf" | "glb" => Ok(gltf::read),
        _ => Err(ReadError::UnknownFormat { path: path.to_owned(), extension }),
    }
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
    fn in_file(self, path: &Path) -> ReadError {
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
