//! OFF: `OFF`, and its variants with normals, texture coordinates and colours (`NOFF`, `STOFF`, `COFF`, …), which
//! are ignored.

use super::correction::Corrections;
use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{any_point, before_comment, excerpt, integer, lines};
use crate::geometry::triangle_mesh::TriangleMesh;
use std::borrow::Cow;

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let mut lines = lines(bytes)
        .map(|(line, text)| (line, Cow::<str>::Owned(before_comment(&text).trim().to_owned())))
        .filter(|(_, text)| !text.is_empty());
    let corrections = place.corrections;
    let [vertices, faces] = read_header(&mut lines, corrections)?;
    let mut polygons = Polygons::default();
    for read in 0..vertices {
        let (line, text) = lines.next().ok_or_else(|| ends_early("vertices", vertices, read))?;
        polygons.vertex(line, any_point(line, text.split_ascii_whitespace())?);
    }
    for read in 0..faces {
        let (line, text) = lines.next().ok_or_else(|| ends_early("faces", faces, read))?;
        read_face(line, &text, &mut polygons, corrections)?;
    }
    if let Some((line, text)) = lines.next() {
        let found = || format!("unexpected {} after the last of {faces} faces", excerpt(&text));
        corrections.add(Some(line), "end", "ignored", found);
    }
    polygons.into_mesh(corrections)
}

/// Numbers of vertices and faces, from the line of the keyword or the next one.
fn read_header<'a>(
    lines: &mut impl Iterator<Item = (usize, Cow<'a, str>)>,
    corrections: &Corrections,
) -> Result<[usize; 2], Fault> {
    let empty = || Fault::Content("the file is empty".to_owned());
    let (mut line, mut text) = lines.next().ok_or_else(empty)?;
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    let Some((prefix, glued)) = word.split_once("OFF") else {
        return Err(Fault::Line(line, format!("expected OFF, found {}", excerpt(word))));
    };
    let keyword = &word[..prefix.len() + "OFF".len()];
    if !glued.is_empty() {
        let found = || format!("no space between the keyword and the counts: {}", excerpt(word));
        corrections.add(Some(line), "header", "read as if there were one", found);
    }
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

fn read_face(
    line: usize,
    text: &str,
    polygons: &mut Polygons,
    corrections: &Corrections,
) -> Result<(), Fault> {
    let mut words = text.split_ascii_whitespace();
    let corners: usize = integer(line, words.next().unwrap_or_default())?;
    for read in 0..corners {
        let missing = || Fault::Line(line, format!("the face has {read} of its {corners} corners"));
        polygons.corner(integer(line, words.next().ok_or_else(missing)?)?);
    }
    polygons.close(Some(line), corrections);
    Ok(())
}

fn ends_early(what: &str, declared: usize, read: usize) -> Fault {
    Fault::Content(format!("the file ends early: {read} of the {declared} {what} that its header declares"))
}
