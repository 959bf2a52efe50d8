//! PLY, text and binary: the elements `vertex` and `face`; all others are ignored.

use nalgebra::Point3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType,
};
use std::io::Cursor;

use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{excerpt, lines};
use crate::geometry::triangle_mesh::TriangleMesh;

/// Names that files use for the list of a face's corners.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], _: Place) -> Result<TriangleMesh, Fault> {
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = Parser::<Vertex>::new().read_header(&mut reader).map_err(|error| fault_of(&error, bytes))?;
    let mut polygons = Polygons::default();
    for (name, element) in &header.elements {
        check_element(element, bytes.len())?;
        let is_text = header.encoding == Encoding::Ascii;
        let line = is_text.then(|| reader.line());
        match name.as_str() {
            "vertex" => read_vertices(&mut reader, element, &header, line, &mut polygons)?,
            "face" => read_faces(&mut reader, element, &header, line, &mut polygons)?,
            _ => drop(read_elements::<IgnoredElement>(&mut reader, element, &header)?),
        }
    }
    polygons.into_mesh()
}

/// Refuses a count that exceeds the size of the file, and vertices or faces without their required properties.
fn check_element(element: &ElementDef, bytes: usize) -> Result<(), Fault> {
    let ElementDef { name, count, properties } = element;
    // An element takes at least one byte, unless it has no properties, which would make any count valid.
    if *count > bytes || (properties.is_empty() && *count > 0) {
        let cause = format!("the header declares {count} elements \"{name}\", more than the file can hold");
        return Err(Fault::Content(cause));
    }
    let missing = |what: &str| Err(Fault::Content(format!("the element \"{name}\" has no property {what}")));
    match name.as_str() {
        "vertex" => {
            // True for a coordinate that is missing or a list.
            let is_unusable = |axis: &&str| {
                let property = properties.get(&(*axis).to_owned());
                property.is_none_or(|property| !matches!(property.data_type, PropertyType::Scalar(_)))
            };
            ["x", "y", "z"].iter().find(|axis| is_unusable(axis)).map_or(Ok(()), |axis| missing(axis))
        }
        "face" if !CORNERS.iter().any(|&list| properties.contains_key(&list.to_owned())) => {
            missing(CORNERS[0])
        }
        _ => Ok(()),
    }
}

type PlyReader<'a> = Reader<Cursor<&'a [u8]>>;

fn read_elements<E: PropertyAccess>(
    reader: &mut PlyReader,
    element: &ElementDef,
    header: &Header,
) -> Result<Vec<E>, Fault> {
    let elements = Parser::<E>::new().read_payload_for_element(reader, element, header);
    elements.map_err(|error| fault_of(&error, reader.get_ref().get_ref()))
}

fn read_vertices(
    reader: &mut PlyReader,
    element: &ElementDef,
    header: &Header,
    line: Option<usize>,
    polygons: &mut Polygons,
) -> Result<(), Fault> {
    let vertices = read_elements::<Vertex>(reader, element, header)?;
    for (index, Vertex(point)) in vertices.iter().enumerate() {
        if !point.iter().all(|x| x.is_finite()) {
            let cause = format!("vertex {index} has a coordinate that is not finite: {point}");
            return Err(line.map_or(Fault::Content(cause.clone()), |first| Fault::Line(first + index, cause)));
        }
    }
    polygons.vertices.extend(vertices.into_iter().map(|Vertex(point)| point));
    Ok(())
}

fn read_faces(
    reader: &mut PlyReader,
    element: &ElementDef,
    header: &Header,
    line: Option<usize>,
    polygons: &mut Polygons,
) -> Result<(), Fault> {
    for (index, Face(corners)) in read_elements::<Face>(reader, element, header)?.into_iter().enumerate() {
        corners.into_iter().for_each(|corner| polygons.corner(corner));
        polygons.close(line.map(|first| first + index))?;
    }
    Ok(())
}

/// First line of the parser's message (the rest repeats its inner causes), with the line of the file.
fn fault_of(error: &ParseError, bytes: &[u8]) -> Fault {
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default().trim_end_matches('.');
    let Some(line) = error.line() else { return Fault::Content(first.to_owned()) };
    let cause = first.split_once(": ").map_or(first, |(_, cause)| cause);
    let text = lines(bytes).nth(line.saturating_sub(1)).map(|(_, text)| text).unwrap_or_default();
    // The parser reports NaN and infinity as syntax errors.
    let mut words = text.split_ascii_whitespace();
    let not_finite = words.find(|word| word.parse::<f64>().is_ok_and(|x| !x.is_finite()));
    Fault::Line(
        line,
        match not_finite {
            Some(word) => format!("the coordinate {} is not finite", excerpt(word)),
            None if text.is_empty() => cause.to_owned(),
            None => format!("{cause}: {}", excerpt(&text)),
        },
    )
}

/// An element that does not affect the triangles; it takes no memory.
struct IgnoredElement;

impl PropertyAccess for IgnoredElement {
    fn new() -> Self {
        Self
    }

    fn set_property(&mut self, _: &str, _: Property) -> PropertyAccessResult {
        PropertyAccessResult::Ignored
    }
}

/// A vertex of a PLY file.
struct Vertex(Point3<f64>);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self(Point3::origin())
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        self.0[axis] = match property {
            Property::Double(x) => x,
            Property::Float(x) => x.into(),
            Property::Char(x) => x.into(),
            Property::UChar(x) => x.into(),
            Property::Short(x) => x.into(),
            Property::UShort(x) => x.into(),
            Property::Int(x) => x.into(),
            Property::UInt(x) => x.into(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// A face of a PLY file: the indices of its corners.
struct Face(Vec<u32>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if !CORNERS.contains(&name) {
            return PropertyAccessResult::Ignored;
        }
        // A negative index becomes one that is out of range for every mesh, and is reported as such.
        self.0 = match property {
            Property::ListInt(list) => {
                list.into_iter().map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
            }
            Property::ListShort(list) => {
                list.into_iter().map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
            }
            Property::ListChar(list) => {
                list.into_iter().map(|i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
            }
            list => match list.to_u32_list() {
                Some(list) => list,
                None => return PropertyAccessResult::UnsupportedType,
            },
        };
        PropertyAccessResult::Set
    }
}
