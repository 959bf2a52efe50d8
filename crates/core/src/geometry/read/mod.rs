//! Reading meshes: OBJ, STL, PLY, OFF, glTF, GLB and COLLADA.
//!
//! A file is read as other programs read it, or refused with its name, the line (in text formats) and the cause. What has no
//! meaning in it, such as a face with two corners, is left out and reported as a [`Correction`]; a file that was cut off is
//! refused. Counts of a header are
//! checked against the size of the file before anything is allocated for them.
//!
//! OBJ, STL, OFF and COLLADA have our own readers, because the format crates return single-precision numbers, renumber the
//! vertices, do not report the line of an error or read fewer files; `tobj` and `stl_io` check the writers in the tests.

mod collada;
pub(crate) mod correction;
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

pub use self::correction::Correction;
pub use self::error::EXTENSIONS;

#[cfg(feature = "formats")]
pub use gltf::buffer_file;
pub use reach::{FileScope, OutsideFileScope, ROOT_MARKER};

use crate::geometry::read::error::FileError;
use std::path::Path;

use self::correction::Corrections;
use self::error::{Fault, Place, extension_of};
use super::limits::FILE_BYTES;
use super::shape_error::ShapeError;
use super::triangle_mesh::TriangleMesh;

/// Reads the mesh of a file; the extension (case-insensitive) determines the format.
///
/// All parts, groups and objects of a file become one mesh, and polygons are triangulated. The coordinates are those of the
/// file, in metres. STL and glTF files do not share vertices between adjacent triangles: vertices that coincide exactly are
/// merged.
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
/// [`FileError`] when the file is missing, of an unsupported format, longer than [`FILE_BYTES`], damaged, or has no
/// triangle with an area.
pub fn read_mesh(path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    read_mesh_within(path, &FileScope::around(path))
}

/// Reads the mesh of a file as [`read_mesh`] does; the buffers that a glTF file references must be within `reach`.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_within(path: &Path, reach: &FileScope) -> Result<TriangleMesh, FileError> {
    read_mesh_corrected(path, reach).map(|(mesh, _)| mesh)
}

/// Reads the mesh of a file as [`read_mesh_within`] does, and returns what was corrected: one correction for each cause.
///
/// # Errors
/// As [`read_mesh`].
pub fn read_mesh_corrected(
    path: &Path,
    reach: &FileScope,
) -> Result<(TriangleMesh, Vec<Correction>), FileError> {
    let read = reader_of(path)?;
    let bytes = file::bytes_of(path, FILE_BYTES).map_err(FileError::unread(path))?;
    let corrections = Corrections::default();
    let mesh = parse(read, &bytes, Place { path, reach, corrections: &corrections })?;
    Ok((mesh, corrections.of_file(path)))
}

/// Parses a file. If nothing is left of it, the reason is what was left out first: it is probably of another format.
fn parse(read: Reader, bytes: &[u8], place: Place) -> Result<TriangleMesh, FileError> {
    read(bytes, place).map_err(|fault| {
        let is_empty = matches!(fault, Fault::Shape(ShapeError::Empty { .. }));
        match place.corrections.first().filter(|_| is_empty) {
            Some((Some(line), found)) => Fault::Line(line, found),
            Some((None, found)) => Fault::Content(found),
            None => fault,
        }
        .in_file(place.path)
    })
}

/// Parses the content of a file that has been read already. The path determines the format and is reported in errors;
/// external buffers of a glTF file are relative to its folder.
///
/// # Errors
/// [`FileError`] when the format is unsupported, or the content is damaged or has no triangle with an area.
pub fn parse_mesh(bytes: &[u8], path: impl AsRef<Path>) -> Result<TriangleMesh, FileError> {
    let path = path.as_ref();
    let (reach, corrections) = (FileScope::around(path), Corrections::default());
    let place = Place { path, reach: &reach, corrections: &corrections };
    parse(reader_of(path)?, bytes, place)
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
        _ => Err(FileError::unknown_format(path, "unsupported mesh format", EXTENSIONS)),
    }
}
