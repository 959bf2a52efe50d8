//! Wavefront OBJ: vertices and polygons; materials, normals, texture coordinates and grouping are ignored.

use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{before_comment, excerpt, integer, lines, point};
use crate::geometry::triangle_mesh::TriangleMesh;

/// Statements that do not affect the triangles.
const IGNORED: [&str; 19] = [
    "vt",
    "vn",
    "vp",
    "g",
    "o",
    "s",
    "mg",
    "usemtl",
    "mtllib",
    "l",
    "p",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "usemap",
    "maplib",
];

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], _: Place) -> Result<TriangleMesh, Fault> {
    let mut polygons = Polygons::default();
    let mut pending = String::new();
    for (number, line) in lines(bytes) {
        let statement = before_comment(&line).trim_end();
        if let Some(start) = statement.strip_suffix('\\') {
            pending.push_str(start);
            pending.push(' ');
            continue;
        }
        pending.push_str(statement);
        read_statement(number, &pending, &mut polygons)?;
        pending.clear();
    }
    if !pending.is_empty() {
        return Err(Fault::Content("the file ends within a continued line".to_owned()));
    }
    polygons.into_mesh()
}

fn read_statement(line: usize, statement: &str, polygons: &mut Polygons) -> Result<(), Fault> {
    let mut words = statement.split_ascii_whitespace();
    match words.next() {
        None => {}
        Some("v") => polygons.vertices.push(point(line, words)?),
        Some("f" | "fo") => {
            for word in words {
                let index = vertex_index(line, word, polygons.vertices.len())?;
                polygons.corner(index);
            }
            polygons.close(Some(line))?;
        }
        Some(word) if IGNORED.contains(&word) => {}
        Some(word @ ("curv" | "curv2" | "surf" | "cstype")) => {
            return Err(Fault::Line(
                line,
                format!("free-form geometry ({word}) is not supported, only polygons"),
            ));
        }
        Some(word) => return Err(Fault::Line(line, format!("unknown OBJ statement {}", excerpt(word)))),
    }
    Ok(())
}

/// Vertex of a corner such as `3/1/2` or `-1//4`, 0-based. Negative indices count back from the last vertex so far.
fn vertex_index(line: usize, word: &str, vertices: usize) -> Result<u32, Fault> {
    let index: i64 = integer(line, word.split('/').next().unwrap_or_default())?;
    let absolute = if index < 0 { index + vertices as i64 } else { index - 1 };
    u32::try_from(absolute).map_err(|_| {
        let cause =
            format!("a corner references vertex {index}, but there are {vertices} vertices so far (1-based)");
        Fault::Line(line, cause)
    })
}
