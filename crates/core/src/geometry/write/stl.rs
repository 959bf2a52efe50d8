//! STL, text and binary. The binary form has single precision; text has as many digits as the coordinates need.

use std::io::{self, Write};

use nalgebra::{Point3, Vector3};

use super::encoding::Encoding;
use crate::geometry::triangle_mesh::TriangleMesh;

/// The first vertex, if any, with a coordinate that single precision cannot hold.
pub(super) fn first_beyond_range(mesh: &TriangleMesh) -> Option<usize> {
    mesh.vertices().iter().position(|point| !single(point).iter().all(|x| x.is_finite()))
}

/// Writes the triangles with their unit normals, zero for degenerate ones.
pub(super) fn write(mesh: &TriangleMesh, encoding: Encoding, file: &mut dyn Write) -> io::Result<()> {
    match encoding {
        Encoding::Binary => write_binary(mesh, file),
        Encoding::Text => write_text(mesh, file),
    }
}

fn single(point: &Point3<f64>) -> [f32; 3] {
    // The format requires single precision; `write_mesh_as` checks for overflow first.
    [point.x, point.y, point.z].map(|x| x as f32)
}

fn normal([a, b, c]: &[Point3<f64>; 3]) -> [f32; 3] {
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros);
    single(&normal.into())
}

fn write_binary(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    // The text of the header must not begin with "solid", which marks text files.
    let mut header = [b' '; 80];
    let title = b"binary STL of Extricate, lengths in metres";
    header[..title.len()].copy_from_slice(title);
    file.write_all(&header)?;
    // `TriangleMesh` has fewer than 2³² triangles.
    file.write_all(&(mesh.triangles().len() as u32).to_le_bytes())?;
    for index in 0..mesh.triangles().len() {
        let corners = mesh.triangle(index);
        for x in [normal(&corners)].into_iter().chain(corners.iter().map(single)).flatten() {
            file.write_all(&x.to_le_bytes())?;
        }
        file.write_all(&[0; 2])?;
    }
    Ok(())
}

fn write_text(mesh: &TriangleMesh, file: &mut dyn Write) -> io::Result<()> {
    writeln!(file, "solid extricate")?;
    for index in 0..mesh.triangles().len() {
        let corners = mesh.triangle(index);
        let [x, y, z] = normal(&corners);
        writeln!(file, "facet normal {x:?} {y:?} {z:?}\n  outer loop")?;
        for point in &corners {
            writeln!(file, "    vertex {:?} {:?} {:?}", point.x, point.y, point.z)?;
        }
        writeln!(file, "  endloop\nendfacet")?;
    }
    writeln!(file, "endsolid extricate")
}
