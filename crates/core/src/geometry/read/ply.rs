//! PLY, text and binary: the elements `vertex` and `face`; all others are ignored.

use nalgebra::Point3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType,
};
use std::borrow::Cow;
use std::io::Cursor;

use super::correction::Corrections;
use super::error::{Fault, Place};
use super::polygons::Polygons;
use super::text::{excerpt, lines};
use crate::geometry::triangle_mesh::TriangleMesh;

/// Names that files use for the list of a face's corners.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// Last word of a header.
const END_OF_HEADER: &[u8] = b"end_header";
/// Statement of a header that the body is text.
const TEXT_FORMAT: &[u8] = b"format ascii";

/// Reads the content of a file.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let bytes = &*with_infinite_numbers(bytes);
    let mut reader = Reader::new(Cursor::new(bytes));
    let header = Parser::<Vertex>::new().read_header(&mut reader).map_err(|error| fault_of(&error, bytes))?;
    let mut polygons = Polygons::default();
    for (name, element) in &header.elements {
        check_element(element, bytes.len())?;
        let is_text = header.encoding == Encoding::Ascii;
        let line = is_text.then(|| reader.line());
        match name.as_str() {
            "vertex" => {
                let vertices = read_elements::<Vertex>(&mut reader, element, &header)?;
                polygons.vertices.extend(vertices.into_iter().map(|Vertex(point)| point));
            }
            "face" => read_faces(&mut reader, (element, &header), line, &mut polygons, place.corrections)?,
            _ => drop(read_elements::<IgnoredElement>(&mut reader, element, &header)?),
        }
    }
    polygons.into_mesh(place.corrections)
}

/// The text of a file with the words for numbers that are not finite, such as `nan` and `-inf`, in the form in which the parser
/// reads them: it knows infinite numbers only as decimal ones out of range.
fn with_infinite_numbers(bytes: &[u8]) -> Cow<'_, [u8]> {
    let body = bytes.windows(END_OF_HEADER.len()).position(|window| window == END_OF_HEADER);
    let Some(start) = body.map(|start| start + END_OF_HEADER.len()) else { return Cow::Borrowed(bytes) };
    let (header, body) = bytes.split_at(start);
    let is_text = header.windows(TEXT_FORMAT.len()).any(|window| window == TEXT_FORMAT);
    let is_odd = |word: &[u8]| {
        let unsigned = word.strip_prefix(b"-").unwrap_or(word);
        unsigned.first().is_some_and(|first| matches!(first, b'n' | b'N' | b'i' | b'I'))
            && std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok())
    };
    let words = || body.split(u8::is_ascii_whitespace);
    if !is_text || !words().any(is_odd) {
        return Cow::Borrowed(bytes);
    }
    let mut text = header.to_vec();
    let mut rest = body;
    for word in words() {
        text.extend_from_slice(if is_odd(word) { b"9e999" } else { word });
        rest = &rest[word.len()..];
        // The white space after the word: lines keep their numbers.
        if let Some((space, after)) = rest.split_first() {
            text.push(*space);
            rest = after;
        }
    }
    Cow::Owned(text)
}

/// Index of a corner that is written as a floating-point number; any other number becomes out of range for every mesh.
fn index_of(number: f64) -> u32 {
    let is_index = number >= 0.0 && number < f64::from(u32::MAX) && number.fract() == 0.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an integer in the range")]
    let index = if is_index { number as u32 } else { u32::MAX };
    index
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

fn read_faces(
    reader: &mut PlyReader,
    (element, header): (&ElementDef, &Header),
    line: Option<usize>,
    polygons: &mut Polygons,
    corrections: &Corrections,
) -> Result<(), Fault> {
    for (index, Face(corners)) in read_elements::<Face>(reader, element, header)?.into_iter().enumerate() {
        corners.into_iter().for_each(|corner| polygons.corner(corner));
        polygons.close(line.map(|first| first + index), corrections);
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
    let cause = if text.is_empty() { cause.to_owned() } else { format!("{cause}: {}", excerpt(&text)) };
    Fault::Line(line, cause)
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
            Property::ListFloat(list) => list.into_iter().map(|i| index_of(i.into())).collect(),
            Property::ListDouble(list) => list.into_iter().map(index_of).collect(),
            list => match list.to_u32_list() {
                Some(list) => list,
                None => return PropertyAccessResult::UnsupportedType,
            },
        };
        PropertyAccessResult::Set
    }
}
