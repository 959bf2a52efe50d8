//! Gmsh's `.msh`, version 4.1 in text: the sections `$Nodes` and `$Elements`; of the elements the four-node
//! tetrahedra. Other sections and elements of lower dimension (the faces of the surface) are ignored.

use std::collections::BTreeMap;

use nalgebra::Point3;

use super::parts::Parts;
use crate::geometry::read::error::Fault;
use crate::geometry::read::text::{excerpt, integer, lines, number};

/// Gmsh's element type of four-node tetrahedra.
const TETRAHEDRON: usize = 4;

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Parts, Fault> {
    let mut rows = Rows { lines: lines(bytes).map(|(line, text)| (line, text.trim().to_owned())) };
    let mut nodes = None;
    let mut tets = None;
    read_format(&mut rows)?;
    while let Some((line, text)) = rows.lines.next() {
        match text.as_str() {
            "$Nodes" => nodes = Some(read_nodes(&mut rows)?),
            "$Elements" => {
                let missing = || Fault::Line(line, "$Elements precedes $Nodes".to_owned());
                tets = Some(read_elements(&mut rows, &nodes.as_ref().ok_or_else(missing)?.place)?);
            }
            section if section.starts_with('$') => {
                let end = format!("$End{}", &section[1..]);
                let is_complete = rows.lines.any(|(_, text)| text == end);
                if !is_complete {
                    return Err(Fault::Line(line, format!("the section {} has no end", excerpt(section))));
                }
            }
            "" => {}
            other => {
                return Err(Fault::Line(line, format!("expected a section, found {}", excerpt(other))));
            }
        }
    }
    let missing = |section: &str| Fault::Content(format!("there is no section {section}"));
    let nodes = nodes.ok_or_else(|| missing("$Nodes"))?.points;
    Ok(Parts { nodes, tets: tets.ok_or_else(|| missing("$Elements"))? })
}

/// The remaining lines.
struct Rows<I> {
    lines: I,
}

impl<I: Iterator<Item = (usize, String)>> Rows<I> {
    fn next(&mut self, what: &str) -> Result<(usize, String), Fault> {
        self.lines.next().ok_or_else(|| Fault::Content(format!("the file ends early: expected {what}")))
    }

    /// Reads `N` non-negative integers from a line.
    fn integers<const N: usize>(&mut self, what: &str) -> Result<(usize, [usize; N]), Fault> {
        let (line, text) = self.next(what)?;
        let mut words = text.split_ascii_whitespace();
        let mut numbers = [0; N];
        for (read, number) in numbers.iter_mut().enumerate() {
            let missing = || Fault::Line(line, format!("{what}: found {read} of {N} numbers"));
            *number = integer(line, words.next().ok_or_else(missing)?)?;
        }
        Ok((line, numbers))
    }

    fn end(&mut self, section: &str) -> Result<(), Fault> {
        let (line, text) = self.next(section)?;
        if text == section {
            return Ok(());
        }
        Err(Fault::Line(line, format!("expected {section}, found {}", excerpt(&text))))
    }
}

fn read_format<I: Iterator<Item = (usize, String)>>(rows: &mut Rows<I>) -> Result<(), Fault> {
    rows.end("$MeshFormat")?;
    let (line, text) = rows.next("the version")?;
    let mut words = text.split_ascii_whitespace();
    let version = words.next().unwrap_or_default();
    if version != "4.1" {
        let cause =
            format!("the format is version {}; only 4.1 is supported (gmsh -format msh41)", excerpt(version));
        return Err(Fault::Line(line, cause));
    }
    if words.next() != Some("0") {
        return Err(Fault::Line(line, "the file is binary; only text is supported (gmsh -bin 0)".to_owned()));
    }
    rows.end("$EndMeshFormat")
}

/// Nodes in the order of the file, and the index of each tag.
struct Nodes {
    points: Vec<Point3<f64>>,
    place: BTreeMap<usize, u32>,
}

fn read_nodes<I: Iterator<Item = (usize, String)>>(rows: &mut Rows<I>) -> Result<Nodes, Fault> {
    let (line, [blocks, count, _, _]) = rows.integers("the numbers of blocks and nodes")?;
    let mut nodes = Nodes { points: Vec::new(), place: BTreeMap::new() };
    for _ in 0..blocks {
        let (line, [_, _, parametric, own]) = rows.integers("a block of nodes")?;
        if parametric != 0 {
            return Err(Fault::Line(line, "nodes with parametric coordinates are not supported".to_owned()));
        }
        for _ in 0..own {
            let (line, [tag]) = rows.integers("a node's tag")?;
            let place = u32::try_from(nodes.place.len()).map_err(|_| {
                Fault::Line(line, "there are more nodes than 32-bit indices can address".to_owned())
            })?;
            if nodes.place.insert(tag, place).is_some() {
                return Err(Fault::Line(line, format!("there are two nodes with tag {tag}")));
            }
        }
        for _ in 0..own {
            let (line, text) = rows.next("a node")?;
            nodes.points.push(read_point(line, &text)?);
        }
    }
    if nodes.points.len() != count {
        let cause = format!("{count} nodes are declared and {} follow", nodes.points.len());
        return Err(Fault::Line(line, cause));
    }
    rows.end("$EndNodes")?;
    Ok(nodes)
}

fn read_point(line: usize, text: &str) -> Result<Point3<f64>, Fault> {
    let mut words = text.split_ascii_whitespace();
    let mut point = Point3::origin();
    for axis in 0..3 {
        let missing = || Fault::Line(line, format!("the node has {axis} of 3 coordinates"));
        point[axis] = number(line, words.next().ok_or_else(missing)?)?;
    }
    Ok(point)
}

fn read_elements<I: Iterator<Item = (usize, String)>>(
    rows: &mut Rows<I>,
    place: &BTreeMap<usize, u32>,
) -> Result<Vec<[u32; 4]>, Fault> {
    let (_, [blocks, _, _, _]) = rows.integers("the numbers of blocks and elements")?;
    let mut tets = Vec::new();
    for _ in 0..blocks {
        let (line, [dimension, _, kind, own]) = rows.integers("a block of elements")?;
        if dimension == 3 && kind != TETRAHEDRON {
            let cause = format!("elements of type {kind}; only four-node tetrahedra (type 4) are supported");
            return Err(Fault::Line(line, cause));
        }
        for _ in 0..own {
            // Points, edges and faces take one line each, whatever their type.
            if dimension < 3 {
                rows.next("an element")?;
                continue;
            }
            let (line, [tag, corners @ ..]) = rows.integers::<5>("a tetrahedron")?;
            let mut tet = [0; 4];
            for (corner, node) in tet.iter_mut().zip(corners) {
                let missing = || {
                    Fault::Line(line, format!("tetrahedron {tag} references node {node}, which is missing"))
                };
                *corner = *place.get(&node).ok_or_else(missing)?;
            }
            tets.push(tet);
        }
    }
    rows.end("$EndElements")?;
    Ok(tets)
}
