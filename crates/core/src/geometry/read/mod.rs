//! Reading meshes: OBJ, STL, PLY, OFF, glTF, GLB and COLLADA.
//!
//! A file is either read whole or refused with its name, the line (in text formats) and the cause. Nothing is
//! allocated on the word of a header: counts are checked against what the file holds.
//!
//! OBJ, STL, OFF and COLLADA have readers of our own, because the format crates give single-precision numbers, renumber
//! the vertices, cannot name the line of an error or read fewer files; `tobj` and `stl_io` check the writers in the tests.

mod collada;
pub(crate) mod error;
pub mod file;
#[cfg(feature = "formats")]
mod gltf;
mod obj;
mod off;
mod ply;
mod polygons;
pub(crate) mod reach;
mod stl;
pub(in crate::geometry) mod text;
pub(crate) mod xml;

pub use self::error::EXTENSIONS;

#[cfg(feature = "formats")]
pub use gltf::buffer_file;
pub use reach::{OutOfReach, ROOT_MARKER, Reach};

use crate::geometry::read::error::FileError;
use std::path::Path;

use self::error::{Fault, Place, extension_of};
use super::limits::FILE_BYTES;
use super::triangle_mesh::TriangleMesh;

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
/// # Ok::<(), extricate_core::geometry::FileError>(())
/// ```
///
/// # Errors
/// [`FileError`] when the file is missing, of no known format, longer than [`FILE_BYTES`], damaged, or holds no triangle
/// with an area.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    read_mesh_within(path, &Reach::around(path))
}

/// The mesh in a file as [`read_mesh`] reads it, the buffers that a glTF file names within `reach`.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_within(path: &Path, reach: &Reach) -> Result<TriangleMesh, FileError> {
    let read = reader_of(path)?;
    let bytes = file::bytes_of(path, FILE_BYTES).map_err(FileError::unread(path))?;
    read(&bytes, Place { path, reach }).map_err(|fault| fault.in_file(path))
}

/// The mesh in the content of a file that has been read already. The path tells the format and stands in the errors;
/// external buffers of a glTF are looked for beside it.
///
/// # Errors
/// [`FileError`] when the extension names no known format, or the content is damaged or holds no triangle with an
/// area.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    reader_of(path)?(bytes, Place { path, reach: &Reach::around(path) }).map_err(|fault| fault.in_file(path))
}

type Reader = fn(&[u8], Place) -> Result<TriangleMesh, Fault>;

fn reader_of(path: &Path) -> Result<Reader, FileError> {
    match extension_of(path).as_str() {
        "obj" => Ok(obj::read),
        "stl" => Ok(stl::read),
        "ply" => Ok(ply::read),
        "off" => Ok(off::read),
        "dae" => Ok(collada::read),
        #[cfg(feature = "formats")]
        "gltf" | "glb" => Ok(gltf::read),
        _ => Err(FileError::unknown_format(path, "is no known mesh format", EXTENSIONS)),
    }
}
