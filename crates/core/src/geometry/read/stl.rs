//! STL, text and binary. Corners that coincide exactly become one vertex; stored normals are ignored, the orientation is
//! that of the corners.

use nalgebra::Point3;

use super::correction::Corrections;
use super::error::{Fault, Place};
use super::text::{any_point, excerpt, lines};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Bytes before the first triangle of a binary file: 80 bytes of arbitrary text and a 32-bit count.
const HEADER: usize = 84;
/// Bytes of a triangle: normal and corners in single precision, and two bytes of attributes.
const TRIANGLE: usize = 50;

/// Words of a text file, one of each triangle.
const FACET: &[u8] = b"facet";

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let is_binary_size = declared_triangles(bytes).is_some_and(|count| Some(bytes.len()) == length_of(count));
    // Some binary files start with "solid" too, and some text files with something else. The size identifies the former, or,
    // if they are damaged, that the word of each triangle is missing after what is their header.
    let is_text = || {
        let has_solid = bytes.trim_ascii_start().starts_with(b"solid") && !bytes.contains(&0);
        let start = bytes.len().min(MAX_TEXT_HEADER);
        has_solid || bytes[..start].windows(FACET.len()).any(|word| word.eq_ignore_ascii_case(FACET))
    };
    if !is_binary_size && is_text() {
        read_text(bytes, place.corrections)
    } else {
        read_binary(bytes, place.corrections)
    }
}

/// Bytes of a text file in which its first triangle begins.
const MAX_TEXT_HEADER: usize = 1024;

fn declared_triangles(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER - 4..HEADER)?.first_chunk::<4>()?;
    usize::try_from(u32::from_le_bytes(*count)).ok()
}

/// Bytes of a binary file of `count` triangles.
fn length_of(count: usize) -> Option<usize> {
    count.checked_mul(TRIANGLE)?.checked_add(HEADER)
}

/// Number of triangles to read of a binary file. A header that declares more than the file has bytes for belongs to a file that
/// was cut off.
fn triangles_to_read(bytes: &[u8], corrections: &Corrections) -> Result<usize, Fault> {
    let short = || Fault::Content(format!("{} bytes are too few for an STL file", bytes.len()));
    let declared = declared_triangles(bytes).ok_or_else(short)?;
    let held = (bytes.len() - HEADER) / TRIANGLE;
    let is_whole = length_of(held) == Some(bytes.len());
    if declared == held && is_whole {
        return Ok(held);
    }
    let cause = || format!("the header declares {declared} triangles, but the file has bytes for {held}");
    if is_whole && declared < held {
        corrections.add(None, "header", "all that the file has are read", cause);
        return Ok(held);
    }
    if declared > 0 && declared <= held {
        let beyond = bytes.len() - HEADER - declared * TRIANGLE;
        let found = || format!("{beyond} bytes after the last of {declared} triangles");
        corrections.add(None, "end", "ignored", found);
        return Ok(declared);
    }
    Err(Fault::Content(cause()))
}

fn read_binary(bytes: &[u8], corrections: &Corrections) -> Result<TriangleMesh, Fault> {
    let count = triangles_to_read(bytes, corrections)?;
    let mut welder = Welder::default();
    let mut triangles = Vec::with_capacity(count);
    for (index, record) in bytes[HEADER..].chunks_exact(TRIANGLE).take(count).enumerate() {
        let mut points = [Point3::origin(); 3];
        for corner in 0..3 {
            let coordinate = |axis: usize| {
                // The normal takes the first 12 bytes.
                let start = 12 + 12 * corner + 4 * axis;
                let bytes =
                    record[start..start + 4].first_chunk().expect("a slice of four bytes has four bytes");
                f64::from(f32::from_le_bytes(*bytes))
            };
            let point = Point3::new(coordinate(0), coordinate(1), coordinate(2));
            points[corner] = point;
        }
        if points.iter().any(|point| !point.iter().all(|x| x.is_finite())) {
            let found = || format!("facet {index} has a corner that is not finite");
            corrections.add(None, "facet", "left out", found);
            continue;
        }
        triangles.push(points.map(|point| welder.add(point)));
    }
    Ok(TriangleMesh::new(welder.into_points(), triangles)?)
}

fn read_text(bytes: &[u8], corrections: &Corrections) -> Result<TriangleMesh, Fault> {
    let mut welder = Welder::default();
    let mut triangles = Vec::new();
    let mut corners = Vec::with_capacity(3);
    let mut is_open = false;
    for (line, text) in lines(bytes) {
        let mut words =
            text.split(|c: char| c.is_ascii_whitespace() || c == '\0').filter(|word| !word.is_empty());
        let Some(word) = words.next() else { continue };
        match word.to_ascii_lowercase().as_str() {
            "facet" | "outer" => {}
            "solid" => is_open = true,
            "endsolid" => is_open = false,
            "vertex" => corners.push(any_point(line, words)?),
            "endloop" => {
                let facet = <[Point3<f64>; 3]>::try_from(corners.as_slice());
                let wrong =
                    || Fault::Line(line, format!("the facet has {} corners, not three", corners.len()));
                let facet = facet.map_err(|_| wrong())?;
                corners.clear();
                if facet.iter().all(|point| point.iter().all(|x| x.is_finite())) {
                    triangles.push(facet.map(|point| welder.add(point)));
                } else {
                    let found = || "it has a corner that is not finite".to_owned();
                    corrections.add(Some(line), "facet", "left out", found);
                }
            }
            "endfacet" if corners.is_empty() => {}
            "endfacet" => return Err(Fault::Line(line, "the facet ends within its loop".to_owned())),
            // Comments and colours, which some programs write between the facets.
            _ if corners.is_empty() => {
                let found = || format!("unknown STL keyword {}", excerpt(word));
                corrections.add(Some(line), "line", "ignored", found);
            }
            _ => return Err(Fault::Line(line, format!("unknown STL keyword {}", excerpt(word)))),
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
