//! Reading tetrahedral meshes: TetGen's `.node` with `.ele`, and Gmsh's `.msh` 4.1 in text.
//!
//! A file is read completely or refused with its name, the line and the cause. Gmsh files have our own reader: that of
//! the `mshio` crate assumes that nodes are numbered in their order, and does not report the line of an error.
//!
//! Orientation: some writers use the opposite orientation for all tetrahedra. A file in which *every* tetrahedron has a
//! negative volume is reoriented as a whole, which [`TetFile::reoriented`] reports. A file with some inverted tetrahedra
//! is refused, and so is one with a flat tetrahedron: these are defects, not a convention.

mod gmsh;
mod parts;
mod tetgen;

pub use self::parts::TetFile;
use std::path::{Path, PathBuf};

use self::parts::Parts;
use crate::geometry::limits::FILE_BYTES;
use crate::geometry::read::error::FileError;
use crate::geometry::read::error::extension_of;
use crate::geometry::read::file::bytes_of;

/// Extensions of the supported formats.
pub const EXTENSIONS: [&str; 3] = ["node", "ele", "msh"];

/// Reads the tetrahedral mesh of a file; the extension determines the format. For a pair of `.node` and `.ele`, `path` is either
/// of them.
///
/// ```no_run
/// use extricate_core::geometry::tet_mesh::read::read_tets;
///
/// let file = read_tets("snake.ele")?;
/// println!("{} tetrahedra", file.mesh.tets().len());
/// # Ok::<(), extricate_core::geometry::FileError>(())
/// ```
///
/// # Errors
/// [`FileError`] when the file is missing, of an unsupported format, damaged, or its mesh is invalid.
pub fn read_tets(path: impl AsRef<Path>) -> Result<TetFile, FileError> {
    let path = path.as_ref();
    let read = |path: &Path| bytes_of(path, FILE_BYTES).map_err(FileError::unread(path));
    match format(path)? {
        Format::Tetgen => {
            let [node, ele] = pair(path);
            parse_tetgen([&read(&node)?, &read(&ele)?], path)
        }
        Format::Gmsh => parse_gmsh(&read(path)?, path),
    }
}

/// Parses the contents of a `.node` and an `.ele` file; `path`, that of either, is reported in errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_tetgen([nodes, tets]: [&[u8]; 2], path: &Path) -> Result<TetFile, FileError> {
    let [node, ele] = pair(path);
    let (first, nodes) = tetgen::nodes(nodes).map_err(|fault| fault.in_file(&node))?;
    let read = tetgen::tets(tets, first, nodes.len()).and_then(|tets| Parts { nodes, tets }.into_mesh());
    read.map_err(|fault| fault.in_file(&ele))
}

/// Parses the content of a `.msh` file; `path` is reported in errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_gmsh(bytes: &[u8], path: &Path) -> Result<TetFile, FileError> {
    gmsh::read(bytes).and_then(Parts::into_mesh).map_err(|fault| fault.in_file(path))
}

/// Format of a file.
enum Format {
    Tetgen,
    Gmsh,
}

fn format(path: &Path) -> Result<Format, FileError> {
    match extension_of(path).as_str() {
        "node" | "ele" => Ok(Format::Tetgen),
        "msh" => Ok(Format::Gmsh),
        _ => Err(FileError::unknown_format(path, "unsupported format of a tetrahedral mesh", &EXTENSIONS)),
    }
}

/// Paths of TetGen's two files.
fn pair(path: &Path) -> [PathBuf; 2] {
    ["node", "ele"].map(|extension| path.with_extension(extension))
}

#[cfg(test)]
mod tests;
