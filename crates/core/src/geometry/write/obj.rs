//! Wavefront OBJ.

use std::io::{self, Write};

use crate::geometry::triangle_mesh::TriangleMesh;

/// Writes vertices and triangles; `{:?}` is the shortest decimal that reads back to the same bits.
pub(super) fn write(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    writeln!(file, "# {} vertices, {} triangles", mesh.vertices().len(), mesh.triangles().len())?;
    for point in mesh.vertices() {
        writeln!(file, "v {:?} {:?} {:?}", point.x, point.y, point.z)?;
    }
    for &[a, b, c] in mesh.triangles() {
        // 64-bit, as the largest index plus one may be 2³².
        let [a, b, c] = [a, b, c].map(|i| u64::from(i) + 1);
        writeln!(file, "f {a} {b} {c}")?;
    }
    Ok(())
}
