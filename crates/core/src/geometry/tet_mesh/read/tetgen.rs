//! TetGen's `.node` and `.ele`: a line of counts, then a line for each node or tetrahedron, numbered from 0 or 1;
//! comments start with `#`; attributes and boundary markers are ignored.

use nalgebra::Point3;

use crate::geometry::read::error::Fault;
use crate::geometry::read::text::{before_comment, excerpt, integer, lines, point};

/// Parses a `.node` file: index of the first node, 0 or 1, and the nodes.
pub(super) fn nodes(bytes: &[u8]) -> Result<(usize, Vec<Point3<f64>>), Fault> {
    let mut rows = rows(bytes);
    let (line, counts) = header(&mut rows, ["nodes", "dimensions"])?;
    if counts[1] != 3 {
        return Err(Fault::Line(line, format!("the nodes have {} dimensions, expected 3", counts[1])));
    }
    let mut first = 0;
    let mut nodes = Vec::new();
    for (line, text) in rows {
        let mut words = text.split_ascii_whitespace();
        let index: usize = integer(line, words.next().unwrap_or_default())?;
        if nodes.is_empty() {
            first = index;
        }
        check_number(line, "node", [index, first, nodes.len(), counts[0]])?;
        nodes.push(point(line, words)?);
    }
    complete("nodes", counts[0], nodes.len())?;
    Ok((first, nodes))
}

/// Parses an `.ele` file over `count` nodes, the first with index `first`; the returned indices are 0-based.
pub(super) fn tets(bytes: &[u8], first: usize, count: usize) -> Result<Vec<[u32; 4]>, Fault> {
    let mut rows = rows(bytes);
    let (line, counts) = header(&mut rows, ["tetrahedra", "nodes of a tetrahedron"])?;
    if counts[1] != 4 {
        let cause = format!("the tetrahedra have {} nodes; only those with 4 are supported", counts[1]);
        return Err(Fault::Line(line, cause));
    }
    let mut tets: Vec<[u32; 4]> = Vec::new();
    let mut first_tet = 0;
    for (line, text) in rows {
        let mut words = text.split_ascii_whitespace();
        let index: usize = integer(line, words.next().unwrap_or_default())?;
        if tets.is_empty() {
            first_tet = index;
        }
        check_number(line, "tetrahedron", [index, first_tet, tets.len(), counts[0]])?;
        let mut tet = [0; 4];
        for (place, corner) in tet.iter_mut().enumerate() {
            let missing = || Fault::Line(line, format!("the tetrahedron has {place} of its 4 nodes"));
            let node: usize = integer(line, words.next().ok_or_else(missing)?)?;
            let in_range = node.checked_sub(first).filter(|&node| node < count);
            *corner = in_range.and_then(|node| u32::try_from(node).ok()).ok_or_else(|| {
                let last = (first + count).saturating_sub(1);
                let cause =
                    format!("tetrahedron {index} references node {node}; there are nodes {first} to {last}");
                Fault::Line(line, cause)
            })?;
        }
        tets.push(tet);
    }
    complete("tetrahedra", counts[0], tets.len())?;
    Ok(tets)
}

/// Lines that are not empty without their comments.
fn rows(bytes: &[u8]) -> impl Iterator<Item = (usize, String)> {
    lines(bytes)
        .map(|(line, text)| (line, before_comment(&text).trim().to_owned()))
        .filter(|(_, text)| !text.is_empty())
}

/// First two counts of the first line.
fn header(
    rows: &mut impl Iterator<Item = (usize, String)>,
    names: [&str; 2],
) -> Result<(usize, [usize; 2]), Fault> {
    let (line, text) = rows.next().ok_or_else(|| Fault::Content("the file is empty".to_owned()))?;
    let mut words = text.split_ascii_whitespace();
    let mut counts = [0; 2];
    for (count, name) in counts.iter_mut().zip(names) {
        let missing = || Fault::Line(line, format!("the number of {name} is missing"));
        *count = integer(line, words.next().ok_or_else(missing)?)?;
    }
    Ok((line, counts))
}

/// Refuses an index that is not the next one.
fn check_number(line: usize, what: &str, [index, first, read, declared]: [usize; 4]) -> Result<(), Fault> {
    if first > 1 {
        let cause = format!("the first {what} has number {}; it must be 0 or 1", excerpt(&first.to_string()));
        return Err(Fault::Line(line, cause));
    }
    if read >= declared {
        return Err(Fault::Line(
            line,
            format!("a {what} beyond the {declared} that the first line declares"),
        ));
    }
    if index != first + read {
        return Err(Fault::Line(line, format!("expected {what} {}, found {what} {index}", first + read)));
    }
    Ok(())
}

fn complete(what: &str, declared: usize, read: usize) -> Result<(), Fault> {
    if read == declared {
        return Ok(());
    }
    Err(Fault::Content(format!(
        "the file ends early: {read} of the {declared} {what} that its first line declares"
    )))
}
