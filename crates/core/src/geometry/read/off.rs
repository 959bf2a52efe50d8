//! OFF: `OFF`, and its variants with normals, texture coordinates and colours (`NOFF`, `STOFF`, `COFF`, …), which
//! are ignored.

use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{before_comment, excerpt, integer, lines, point};
use crate::geometry::triangle_mesh::TriangleMesh;
use std::borrow::Cow;

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], _: Place) -> Result<TriangleMesh, Fault> {
    let mut lines = lines(bytes)
        .map(|(line, text)| (line, Cow::<str>::Owned(before_comment(&text).trim().to_owned())))
        .filter(|(_, text)| !text.is_empty());
    let [vertices, faces] = read_header(&mut lines)?;
    let mut polygons = Polygons::default();
    for read in 0..vertices {
        let (line, text) = lines.next().ok_or_else(|| ends_early("vertices", vertices, read))?;
        polygons.vertices.push(point(line, text.split_ascii_whitespace())?);
    }
    for read in 0..faces {
        let (line, text) = lines.next().ok_or_else(|| ends_early("faces", faces, read))?;
        read_face(line, &text, &mut polygons)?;
    }
    match lines.next() {
        Some((line, text)) => {
            let cause = format!("unexpected {} after the last of {faces} faces", excerpt(&text));
            Err(Fault::Line(line, cause))
        }
        None => polygons.into_mesh(),
    }
}

/// Numbers of vertices and faces, from the line of the keyword or the next one.
fn read_header<'a>(lines: &mut impl Iterator<Item = (usize, Cow<'a, str>)>) -> Result<[usize; 2], Fault> {
    let empty = || Fault::Content("the file is empty".to_owned());
    let (mut line, mut text) = lines.next().ok_or_else(empty)?;
    let keyword = text.split_ascii_whitespace().next().unwrap_or_default();
    let Some(prefix) = keyword.strip_suffix("OFF") else {
        return Err(Fault::Line(line, format!("expected OFF, found {}", excerpt(keyword))));
    };
    if !["", "C", "N", "CN", "ST", "STC", "STN", "STCN"].contains(&prefix) {
        return Err(Fault::Line(
            line,
            format!("{} files are not supported, only three dimensions", excerpt(keyword)),
        ));
    }
    let mut counts = text[keyword.len()..].trim().to_owned();
    if counts.starts_with("BINARY") {
        return Err(Fault::Line(line, "binary OFF is not supported".to_owned()));
    }
    if counts.is_empty() {
        (line, text) =
            lines.next().ok_or_else(|| Fault::Content("the file ends after its keyword".to_owned()))?;
        counts = text.into_owned();
    }
    let mut words = counts.split_ascii_whitespace();
    let mut count = |what: &str| {
        let missing = || Fault::Line(line, format!("the number of {what} is missing"));
        integer(line, words.next().ok_or_else(missing)?)
    };
    Ok([count("vertices")?, count("faces")?])
}

fn read_face(line: usize, text: &str, polygons: &mut Polygons) -> Result<(), Fault> {
    let mut words = text.split_ascii_whitespace();
    let corners: usize = integer(line, words.next().unwrap_or_default())?;
    for read in 0..corners {
        let missing = || Fault::Line(line, format!("the face has {read} of its {corners} corners"));
        polygons.corner(integer(line, words.next().ok_or_else(missing)?)?);
    }
    polygons.close(Some(line))
}

fn ends_early(what: &str, declared: usize, read: usize) -> Fault {
    Fault::Content(format!("the file ends early: {read} of the {declared} {what} that its header declares"))
}
