//! glTF 2.0, text and binary (GLB): the triangles of all meshes of the default scene, transformed by their nodes.
//! Buffers may be external files, embedded in the text, or the binary chunk of a GLB. Vertices that coincide
//! exactly are merged: the format splits them where normals or texture coordinates differ.

mod buffers;
mod container;
mod document;
mod extensions;

pub use buffers::buffer_file;

use std::ops::RangeInclusive;
use std::rc::Rc;

use nalgebra::{Matrix4, Point3};

use self::container::Container;
use self::document::{Accessor, Component, Document, Mode, Primitive, View, item};
use super::correction::Corrections;
use super::error::{Fault, Place};
use crate::geometry::limits::{CORNERS_PER_BYTE, INSTANCED_CORNERS};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Distances of items that a buffer view may state [bytes].
const STRIDES: RangeInclusive<usize> = 4..=252;

/// Reads the content of a file; external buffers are relative to its folder.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let Container { json, binary } = container::split(bytes, place.corrections)?;
    let document = Document::parse(json)?;
    extensions::check(&document.extensions_required, place.corrections)?;
    let buffers = buffers::load_all(&document.buffers, binary, place)?;
    let held = bytes.len() + buffers.iter().map(|buffer| buffer.len()).sum::<usize>();
    let mut collector = Collector {
        document: &document,
        buffers,
        welder: Welder::default(),
        triangles: Vec::new(),
        corners_left: INSTANCED_CORNERS.max(held.saturating_mul(CORNERS_PER_BYTE)),
        corrections: place.corrections,
    };
    let mut pending: Vec<_> = document.roots()?.into_iter().map(|node| (node, Matrix4::identity())).collect();
    let mut is_seen = vec![false; document.nodes.len()];
    while let Some((index, parent_to_world)) = pending.pop() {
        let node = document.node(index)?;
        // A second parent would allow cycles, and a number of instances that is exponential in the number of nodes.
        if std::mem::replace(&mut is_seen[index], true) {
            return Err(Fault::Content(format!("node {index} has several parents")));
        }
        let to_world = parent_to_world * node.to_parent();
        if let Some(mesh) = node.mesh {
            for primitive in document.primitives(mesh)? {
                collector.add(primitive, &to_world)?;
            }
        }
        pending.extend(node.children.iter().map(|&child| (child, to_world)));
    }
    Ok(TriangleMesh::new(collector.welder.into_points(), collector.triangles)?)
}

/// Triangles collected so far.
struct Collector<'a> {
    document: &'a Document,
    buffers: Vec<Rc<[u8]>>,
    welder: Welder,
    triangles: Vec<[u32; 3]>,
    /// Remaining budget of corners of the file.
    corners_left: usize,
    corrections: &'a Corrections,
}

impl Collector<'_> {
    /// Subtracts the vertices or corners of an accessor from the budget of the file.
    fn consume(&mut self, accessor: &Accessor) -> Result<(), Fault> {
        let view = accessor.buffer_view.map(|view| self.document.view(view)).transpose()?;
        if accessor.count > view.map_or(0, |view| view.byte_length) {
            // More items than bytes: reading them reports what is missing.
            return Ok(());
        }
        let left = self.corners_left.checked_sub(accessor.count);
        self.corners_left = left.ok_or_else(|| {
            let cause = "the instances of its meshes have more than 6 million corners in total, \
            and more than 2 for each byte of the file";
            Fault::Content(cause.to_owned())
        })?;
        Ok(())
    }

    fn add(&mut self, primitive: &Primitive, to_world: &Matrix4<f64>) -> Result<(), Fault> {
        let Some(mode) = primitive.mode()? else { return Ok(()) };
        let of_positions = primitive.positions()?;
        let accessor = self.document.accessor(of_positions)?;
        self.consume(accessor)?;
        let welded: Vec<Option<u32>> = (self.positions(of_positions, accessor)?.into_iter())
            .map(|position| to_world.transform_point(&position))
            .map(|point| point.iter().all(|x| x.is_finite()).then(|| self.welder.add(point)))
            .collect();
        let corners = match primitive.indices {
            Some(index) => {
                let accessor = self.document.accessor(index)?;
                self.consume(accessor)?;
                self.indices(index, accessor)?
            }
            None => (0..welded.len()).collect(),
        };
        let corner = |position: usize| {
            let index = corners[position];
            welded.get(index).copied().ok_or_else(|| {
                let count = welded.len();
                Fault::Content(format!(
                    "an index references vertex {index}, but the primitive has only {count} (0-based)"
                ))
            })
        };
        // A mirroring transform reverses the orientation of the triangles; it is restored below.
        let is_mirrored = to_world.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for [a, b, c] in triangles(mode, corners.len()) {
            let [Some(a), Some(b), Some(c)] = [corner(a)?, corner(b)?, corner(c)?] else {
                let found = || format!("a corner of accessor {of_positions} is not finite");
                self.corrections.add(None, "triangle", "left out", found);
                continue;
            };
            self.triangles.push(if is_mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(())
    }

    fn positions(&self, number: usize, accessor: &Accessor) -> Result<Vec<Point3<f64>>, Fault> {
        let component = Component::of(accessor.component_type).filter(|&kind| kind != Component::U32);
        let Some(kind) = component.filter(|_| accessor.dimensions == "VEC3") else {
            return Err(Fault::Content(format!("accessor {number} does not hold positions")));
        };
        // Integers are positions with the extension KHR_mesh_quantization; normalized, they are fractions of their maximum.
        let maximum = |of_type: f64| if accessor.normalized { of_type } else { 1.0 };
        let coordinate = |bytes: &[u8]| match (kind, bytes) {
            (Component::I8, &[x, ..]) => (f64::from(x.cast_signed()) / maximum(127.0)).max(-maximum(127.0)),
            (Component::U8, &[x, ..]) => f64::from(x) / maximum(255.0),
            (Component::I16, &[x, y, ..]) => f64::from(i16::from_le_bytes([x, y])) / maximum(32767.0),
            (Component::U16, &[x, y, ..]) => f64::from(u16::from_le_bytes([x, y])) / maximum(65535.0),
            (_, bytes) => bytes.first_chunk().map_or(f64::NAN, |&bytes| f32::from_le_bytes(bytes).into()),
        };
        let size = kind.size();
        let point = |bytes: &[u8]| Point3::from([0, 1, 2].map(|axis| coordinate(&bytes[axis * size..])));
        Ok(self.items(number, accessor, 3 * size)?.into_iter().map(point).collect())
    }

    fn indices(&self, number: usize, accessor: &Accessor) -> Result<Vec<usize>, Fault> {
        let component = Component::of(accessor.component_type).filter(|kind| kind.is_index());
        let Some(kind) = component.filter(|_| accessor.dimensions == "SCALAR") else {
            return Err(Fault::Content(format!("accessor {number} does not hold indices")));
        };
        Ok(self.items(number, accessor, kind.size())?.into_iter().map(little_endian).collect())
    }

    /// Bytes of each item of an accessor, checked to be within the buffer; a sparse one replaces some of them.
    fn items(&self, number: usize, accessor: &Accessor, size: usize) -> Result<Vec<&[u8]>, Fault> {
        let count = accessor.count;
        let Some(view) = accessor.buffer_view else {
            return Err(Fault::Content(format!("accessor {number} has no buffer view")));
        };
        let mut items = self.items_of((view, accessor.byte_offset), number, count, size)?;
        let Some(sparse) = &accessor.sparse else { return Ok(items) };
        let (indices, values) = (&sparse.indices, &sparse.values);
        let kind = indices.component_type.and_then(Component::of).filter(|kind| kind.is_index());
        let kind = kind.ok_or_else(|| {
            Fault::Content(format!("the sparse indices of accessor {number} are not unsigned integers"))
        })?;
        let replaced =
            self.items_of((indices.buffer_view, indices.byte_offset), number, sparse.count, kind.size())?;
        let new = self.items_of((values.buffer_view, values.byte_offset), number, sparse.count, size)?;
        for (index, value) in replaced.into_iter().map(little_endian).zip(new) {
            let beyond =
                || format!("accessor {number} replaces item {index}, but it has only {count} (0-based)");
            *items.get_mut(index).ok_or_else(|| Fault::Content(beyond()))? = value;
        }
        Ok(items)
    }

    /// `count` items of `size` bytes in a view, from an offset.
    fn items_of(
        &self,
        (index, offset): (usize, usize),
        number: usize,
        count: usize,
        size: usize,
    ) -> Result<Vec<&[u8]>, Fault> {
        let &View { buffer, byte_offset, byte_length, byte_stride } = self.document.view(index)?;
        let buffer = item(&self.buffers, buffer, "buffer")?;
        let bytes = byte_offset.checked_add(byte_length).and_then(|end| buffer.get(byte_offset..end));
        let bytes = bytes.ok_or_else(|| {
            let length = buffer.len();
            Fault::Content(format!("buffer view {index} exceeds the {length} bytes of its buffer"))
        })?;
        let stride = byte_stride.filter(|&stride| stride != 0).unwrap_or(size);
        if byte_stride.is_some_and(|stride| stride != 0 && !STRIDES.contains(&stride)) {
            let cause = format!("buffer view {index} has items {stride} bytes apart, which must be 4 to 252");
            return Err(Fault::Content(cause));
        }
        let item = |index: usize| {
            let start = index.checked_mul(stride)?.checked_add(offset)?;
            bytes.get(start..start.checked_add(size)?)
        };
        let beyond = |index| {
            Fault::Content(format!(
                "accessor {number} declares {count} items, but its view ends before item {index}"
            ))
        };
        (0..count).map(|index| item(index).ok_or_else(|| beyond(index))).collect()
    }
}

/// An unsigned number of up to four bytes.
fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte))
}

/// Triangles of a primitive, as indices of its corners.
fn triangles(mode: Mode, corners: usize) -> Vec<[usize; 3]> {
    match mode {
        Mode::Strip => {
            // Every second triangle of a strip has the opposite orientation.
            (2..corners).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }).collect()
        }
        Mode::Fan => (2..corners).map(|i| [0, i - 1, i]).collect(),
        Mode::Triangles => (0..corners / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    }
}
