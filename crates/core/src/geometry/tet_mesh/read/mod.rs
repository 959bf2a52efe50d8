//! Reading tetrahedral meshes: TetGen's `.node` with `.ele`, and Gmsh's `.msh` 4.1 in text.
//!
//! A file is read whole or refused with its name, the line and the cause. Gmsh files have a reader of our own: that of
//! the `mshio` crate takes nodes to be numbered in their order, and names no line.
//!
//! Orientation: some writers order all tetrahedra the other way round. A file of which *every* tetrahedron has a
//! negative volume is turned round as a whole, and [`TetFile::reoriented`] says so. A file in which some are inverted
//! is refused, and so is one with a flat tetrahedron: that is a defect, not a convention.

mod gmsh;
mod parts;
mod tetgen;

pub use self::parts::TetFile;
use std::path::{Path, PathBuf};

use thiserror::Error;

use self::parts::Parts;
use super::mesh::TetMeshError;
use crate::geometry::limits::FILE_BYTES;
use crate::geometry::read::error::Fault;
use crate::geometry::read::file::bytes_of;

/// Extensions of the formats that can be read.
pub const EXTENSIONS: [&str; 3] = ["node", "ele", "msh"];

/// Why a file of tetrahedra was not read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TetReadError {
    /// The file cannot be opened or read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The extension names no known format.
    #[error(
        "{}: \"{extension}\" is no known format of tetrahedra; known are {}",
        path.display(),
        EXTENSIONS.join(", ")
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its extension.
        extension: String,
    },
    /// A line is not as the format wants it.
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
    /// What the file holds is not a mesh; tetrahedra and nodes are counted from 0 in their order in the file.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: TetMeshError,
    },
}

/// The tetrahedral mesh in a file; the extension tells the format. Of a pair of `.node` and `.ele` either may be named.
///
/// ```no_run
/// use extricate_core::geometry::tet_mesh::read::read_tets;
///
/// let file = read_tets("snake.ele")?;
/// println!("{} tetrahedra", file.mesh.tets().len());
/// # Ok::<(), extricate_core::geometry::tet_mesh::read::TetReadError>(())
/// ```
///
/// # Errors
/// [`TetReadError`] when the file is missing, of no known format, damaged, or holds no sound mesh.
pub fn read_tets(path: impl AsRef<Path>) -> Result<TetFile, TetReadError> {
    let path = path.as_ref();
    let read = |path: &Path| {
        let bytes = bytes_of(path, FILE_BYTES);
        bytes.map_err(|source| TetReadError::Io { path: path.to_owned(), source })
    };
    match format(path)? {
        Format::Tetgen => {
            let [node, ele] = pair(path);
            parse_tetgen([&read(&node)?, &read(&ele)?], path)
        }
        Format::Gmsh => parse_gmsh(&read(path)?, path),
    }
}

/// The tetrahedral mesh in the contents of a `.node` and an `.ele` file; `path`, that of either, stands in the errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_tetgen([nodes, tets]: [&[u8]; 2], path: &Path) -> Result<TetFile, TetReadError> {
    let [node, ele] = pair(path);
    let (first, nodes) = in_file(&node, tetgen::nodes(nodes))?;
    let tets = in_file(&ele, tetgen::tets(tets, first, nodes.len()))?;
    let parts = Parts { nodes, tets };
    parts.into_mesh().map_err(|source| TetReadError::Mesh { path: ele, source })
}

/// The tetrahedral mesh in the content of a `.msh` file; the path stands in the errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_gmsh(bytes: &[u8], path: &Path) -> Result<TetFile, TetReadError> {
    let parts = in_file(path, gmsh::read(bytes))?;
    parts.into_mesh().map_err(|source| TetReadError::Mesh { path: path.to_owned(), source })
}

/// What a file holds.
enum Format {
    Tetgen,
    Gmsh,
}

fn format(path: &Path) -> Result<Format, TetReadError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    match extension.as_str() {
        "node" | "ele" => Ok(Format::Tetgen),
        "msh" => Ok(Format::Gmsh),
        _ => Err(TetReadError::UnknownFormat { path: path.to_owned(), extension }),
    }
}

/// The two files of TetGen.
fn pair(path: &Path) -> [PathBuf; 2] {
    ["node", "ele"].map(|extension| path.with_extension(extension))
}

fn in_file<T>(path: &Path, read: Result<T, Fault>) -> Result<T, TetReadError> {
    let path = path.to_owned();
    read.map_err(|fault| match fault {
        Fault::Line(line, cause) => TetReadError::Line { path, line, cause },
        Fault::Content(cause) => TetReadError::Content { path, cause },
        // Neither is told by these formats: they name no files, and hold no triangles.
        Fault::OutOfReach(error) => TetReadError::Content { path, cause: error.to_string() },
        Fault::Mesh(error) => TetReadError::Content { path, cause: error.to_string() },
    })
}

#[cfg(test)]
mod tests;
