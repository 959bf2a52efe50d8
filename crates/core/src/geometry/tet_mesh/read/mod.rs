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

use self::parts::Parts;
use crate::geometry::limits::FILE_BYTES;
use crate::geometry::read::error::FileError;
use crate::geometry::read::error::extension_of;
use crate::geometry::read::file::bytes_of;

/// Extensions of the formats that can be read.
pub const EXTENSIONS: [&str; 3] = ["node", "ele", "msh"];

/// The tetrahedral mesh in a file; the extension tells the format. Of a pair of `.node` and `.ele` either may be named.
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
/// [`FileError`] when the file is missing, of no known format, damaged, or holds no sound mesh.
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

/// The tetrahedral mesh in the contents of a `.node` and an `.ele` file; `path`, that of either, stands in the errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_tetgen([nodes, tets]: [&[u8]; 2], path: &Path) -> Result<TetFile, FileError> {
    let [node, ele] = pair(path);
    let (first, nodes) = tetgen::nodes(nodes).map_err(|fault| fault.in_file(&node))?;
    let read = tetgen::tets(tets, first, nodes.len()).and_then(|tets| Parts { nodes, tets }.into_mesh());
    read.map_err(|fault| fault.in_file(&ele))
}

/// The tetrahedral mesh in the content of a `.msh` file; the path stands in the errors.
///
/// # Errors
/// As [`read_tets`].
pub fn parse_gmsh(bytes: &[u8], path: &Path) -> Result<TetFile, FileError> {
    gmsh::read(bytes).and_then(Parts::into_mesh).map_err(|fault| fault.in_file(path))
}

/// What a file holds.
enum Format {
    Tetgen,
    Gmsh,
}

fn format(path: &Path) -> Result<Format, FileError> {
    match extension_of(path).as_str() {
        "node" | "ele" => Ok(Format::Tetgen),
        "msh" => Ok(Format::Gmsh),
        _ => Err(FileError::unknown_format(path, "is no known format of tetrahedra", &EXTENSIONS)),
    }
}

/// The two files of TetGen.
fn pair(path: &Path) -> [PathBuf; 2] {
    ["node", "ele"].map(|extension| path.with_extension(extension))
}

#[cfg(test)]
mod tests;
