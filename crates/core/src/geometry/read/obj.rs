//! Wavefront OBJ: vertices and polygons; materials, normals, texture coordinates and grouping are ignored.

use super::correction::Corrections;
use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{any_point, before_comment, excerpt, integer, lines};
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

/// Statements of curves and surfaces.
const FREE_FORM: [&str; 18] = [
    "curv", "curv2", "surf", "cstype", "deg", "bmat", "step", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "ctech", "stech", "bzp", "bsp",
];

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let mut reader = Reader { corrections: place.corrections, polygons: Polygons::default() };
    let mut pending = String::new();
    for (number, line) in lines(bytes) {
        let statement = before_comment(&line).trim_end();
        if let Some(start) = statement.strip_suffix('\\') {
            pending.push_str(start);
            pending.push(' ');
            continue;
        }
        pending.push_str(statement);
        reader.read_statement(number, &pending)?;
        pending.clear();
    }
    if !pending.is_empty() {
        return Err(Fault::Content("the file ends within a continued line".to_owned()));
    }
    reader.polygons.into_mesh(place.corrections)
}

struct Reader<'a> {
    corrections: &'a Corrections,
    polygons: Polygons,
}

impl Reader<'_> {
    fn read_statement(&mut self, line: usize, statement: &str) -> Result<(), Fault> {
        let mut words = statement.split_ascii_whitespace();
        match words.next() {
            None => {}
            Some("v") => self.polygons.vertex(line, any_point(line, words)?),
            Some("f" | "fo") => {
                for word in words {
                    let index = vertex_index(line, word, self.polygons.vertices.len())?;
                    self.polygons.corner(index);
                }
                self.polygons.close(Some(line), self.corrections);
            }
            Some(word) if IGNORED.contains(&word) => {}
            Some(word) if FREE_FORM.contains(&word) => {
                let found = || format!("free-form geometry ({word}) is not supported, only polygons");
                self.corrections.add(Some(line), "curves and surfaces", "ignored", found);
            }
            Some(word) => {
                let found = || format!("unknown OBJ statement {}", excerpt(word));
                self.corrections.add(Some(line), "statement", "ignored", found);
            }
        }
        Ok(())
    }
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
