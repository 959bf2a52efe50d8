//! PLY with double-precision coordinates.

use std::io::{self, Write};

use super::encoding::Encoding;
use crate::geometry::triangle_mesh::TriangleMesh;

/// Writes header, vertices and triangles.
pub(super) fn write(mesh: &TriangleMesh, encoding: Encoding, file: &mut dyn Write) -> io::Result<()> {
    let format = match encoding {
        Encoding::Binary => "binary_little_endian",
        Encoding::Text => "ascii",
    };
    writeln!(file, "ply\nformat {format} 1.0")?;
    writeln!(file, "element vertex {}", mesh.vertices().len())?;
    writeln!(file, "property double x\nproperty double y\nproperty double z")?;
    writeln!(file, "element face {}", mesh.triangles().len())?;
    writeln!(file, "property list uchar uint vertex_indices\nend_header")?;
    match encoding {
        Encoding::Binary => write_binary(mesh, file),
        Encoding::Text => write_text(mesh, file),
    }
}

fn write_binary(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    for x in mesh.vertices().iter().flat_map(|point| point.coords.iter()) {
        file.write_all(&x.to_le_bytes())?;
    }
    for triangle in mesh.triangles() {
        file.write_all(&[3])?;
        for index in triangle {
            file.write_all(&index.to_le_bytes())?;
        }
    }
    Ok(())
}

fn write_text(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    for point in mesh.vertices() {
        writeln!(file, "{:?} {:?} {:?}", point.x, point.y, point.z)?;
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(file, "3 {a} {b} {c}")?;
    }
    Ok(())
}
