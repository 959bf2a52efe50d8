//! Writing meshes: OBJ, PLY and STL.
//!
//! Files are written atomically: under a temporary name in the same folder, and then renamed. All formats preserve every bit
//! of the coordinates (text has the shortest decimal that reads back to the same bits), except binary STL, which has single
//! precision. STL does not share vertices; closed meshes remain closed, as equal corners remain equal.

mod encoding;
mod obj;
mod ply;
mod stl;

pub use self::encoding::Encoding;
use crate::geometry::read::error::FileError;
use crate::geometry::read::error::extension_of;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::triangle_mesh::TriangleMesh;

/// Writes a mesh; the extension (case-insensitive) determines the format. PLY and STL files are binary.
///
/// ```
/// use extricate_core::geometry::procedural::{Cuboid, Procedural};
/// use extricate_core::geometry::read::read_mesh;
/// use extricate_core::geometry::write::write_mesh;
///
/// let path = std::env::temp_dir().join("extricate_write_mesh_example.ply");
/// let mesh = Cuboid::default().mesh()?;
/// write_mesh(&mesh, &path)?;
/// assert_eq!(read_mesh(&path)?, mesh);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`FileError`] when the format is unknown or the file cannot be written.
pub fn write_mesh(mesh: &TriangleMesh, path: impl AsRef<Path>) -> Result<(), FileError> {
    write_mesh_as(mesh, path, Encoding::default())
}

/// Writes a mesh as text or binary; the extension determines the format.
///
/// # Errors
/// [`FileError`] when the format is unknown, the file cannot be written, or a coordinate does not fit STL.
pub fn write_mesh_as(
    mesh: &TriangleMesh,
    path: impl AsRef<Path>,
    encoding: Encoding,
) -> Result<(), FileError> {
    let path = path.as_ref();
    let extension = extension_of(path);
    let write = match extension.as_str() {
        "obj" => |mesh: &TriangleMesh, _, file: &mut dyn Write| obj::write(mesh, file),
        "ply" => ply::write,
        "stl" => stl::write,
        _ => {
            return Err(FileError::unknown_format(path, "unsupported output format", &["obj", "ply", "stl"]));
        }
    };
    if let Some(vertex) =
        (extension == "stl" && encoding == Encoding::Binary).then(|| stl::first_beyond_range(mesh)).flatten()
    {
        return Err(FileError::BeyondSinglePrecision { path: path.to_owned(), vertex });
    }
    write_atomically(path, |file| write(mesh, encoding, file))
}

/// Writes a file under a temporary name in the same folder and renames it once it is complete.
pub(crate) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unwritten = |source| FileError::Io { path: path.to_owned(), attempt: "written", source };
    let name = path
        .file_name()
        .ok_or_else(|| unwritten(io::Error::new(io::ErrorKind::InvalidInput, "no file name")))?;
    let unique = format!("{}.{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
    let partial = path.with_file_name(format!(".{}.{unique}.partial", name.to_string_lossy()));
    let finish = || {
        let mut file = BufWriter::new(File::create_new(&partial)?);
        write(&mut file)?;
        // Synchronised before it is renamed: a crash must not leave an empty file under the final name.
        file.into_inner()?.sync_all()?;
        std::fs::rename(&partial, path)
    };
    finish().map_err(|source| {
        // Best effort: the error that is reported is the one that led here.
        let _ = std::fs::remove_file(&partial);
        unwritten(source)
    })
}
