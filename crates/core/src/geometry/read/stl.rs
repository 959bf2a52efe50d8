//! STL, text and binary. Corners that coincide exactly become one vertex; stored normals are ignored, the orientation is
//! that of the corners.

use nalgebra::Point3;

use super::error::{Fault, Place};
use super::text::{excerpt, lines, point};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Bytes before the first triangle of a binary file: 80 bytes of arbitrary text and a 32-bit count.
const HEADER: usize = 84;
/// Bytes of a triangle: normal and corners in single precision, and two bytes of attributes.
const TRIANGLE: usize = 50;

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], _: Place) -> Result<TriangleMesh, Fault> {
    let is_binary_size =
        declared_triangles(bytes).is_some_and(|count| bytes.len() == HEADER + count * TRIANGLE);
    // Some binary files start with "solid" too. Their size identifies them, or, if they are damaged, their zero bytes.
    let is_text = bytes.trim_ascii_start().starts_with(b"solid") && !bytes.contains(&0);
    if is_text && !is_binary_size { read_text(bytes) } else { read_binary(bytes) }
}

fn declared_triangles(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*count)).ok()
}

fn read_binary(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let short = || Fault::Content(format!("{} bytes are too few for an STL file", bytes.len()));
    let declared = declared_triangles(bytes).ok_or_else(short)?;
    let held = (bytes.len() - HEADER) / TRIANGLE;
    if bytes.len() != HEADER + declared * TRIANGLE {
        let cause = format!("the header declares {declared} triangles, but the file has bytes for {held}");
        return Err(Fault::Content(cause));
    }
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(held);
    for (index, record) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let mut triangle = [0; 3];
        for (corner, slot) in triangle.iter_mut().enumerate() {
            let coordinate = |axis: usize| {
                // The normal takes the first 12 bytes.
                let start = 12 + 12 * corner + 4 * axis;
                let bytes =
                    record[start..start + 4].first_chunk().expect("a slice of four bytes has four bytes");
                f64::from(f32::from_le_bytes(*bytes))
            };
            let point = Point3::new(coordinate(0), coordinate(1), coordinate(2));
            if !point.iter().all(|x| x.is_finite()) {
                let cause = format!("triangle {index} has a coordinate that is not finite: {point}");
                return Err(Fault::Content(cause));
            }
            *slot = welder.add(point);
        }
        triangles.push(triangle);
    }
    Ok(TriangleMesh::new(welder.into_points(), triangles)?)
}

fn read_text(bytes: &[u8]) -> Result<TriangleMesh, Fault> {
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    let mut corners = Vec::with_capacity(3);
    let mut is_open = false;
    for (line, text) in lines(bytes) {
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            None | Some("facet" | "outer") => {}
            Some("solid") => is_open = true,
            Some("endsolid") => is_open = false,
            Some("vertex") => corners.push(welder.add(point(line, words)?)),
            Some("endloop") => {
                let Ok(triangle) = <[u32; 3]>::try_from(corners.as_slice()) else {
                    return Err(Fault::Line(
                        line,
                        format!("the facet has {} corners, not three", corners.len()),
                    ));
                };
                triangles.push(triangle);
                corners.clear();
            }
            Some("endfacet") if corners.is_empty() => {}
            Some("endfacet") => return Err(Fault::Line(line, "the facet ends within its loop".to_owned())),
            Some(word) => return Err(Fault::Line(line, format!("unknown STL keyword {}", excerpt(word)))),
        }
    }
    if is_open || !corners.is_empty() {
        return Err(Fault::Content(format!("the file ends early, after {} triangles", triangles.len())));
    }
    if triangles.is_empty() {
        return Err(ShapeError::Empty { elements: "triangles", vertices: 0 }.into());
    }
    Ok(TriangleMesh::new(welder.into_points(), triangles)?)
}
