//! glTF 2.0, text and binary (GLB): the triangles of all meshes of the default scene, transformed by their nodes.
//! Buffers may be external files, embedded in the text, or the binary chunk of a GLB. Vertices that coincide
//! exactly are merged: the format splits them where normals or texture coordinates differ.

mod buffers;
mod extensions;
mod transforms;

pub use buffers::buffer_file;

use std::rc::Rc;

use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::View;
use gltf::mesh::Mode;
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};
use nalgebra::{Matrix4, Point3};

use super::correction::Corrections;
use super::error::{Fault, Place};
use crate::geometry::limits::{CORNERS_PER_BYTE, GLTF_ITEMS, INSTANCED_CORNERS};
use crate::geometry::triangle_mesh::TriangleMesh;
use crate::geometry::weld::Welder;

/// Mark with which some programs begin a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Bytes of the header of a GLB file.
const GLB_HEADER: usize = 12;
/// Bytes of the header of a chunk.
const CHUNK_HEADER: usize = 8;

/// Reads the content of a file; external buffers are relative to its folder.
pub(super) fn read(bytes: &[u8], place: Place) -> Result<TriangleMesh, Fault> {
    let bytes = without_rest(bytes, place.corrections)?;
    check_items(bytes)?;
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(fault_of)?;
    let gltf = validated(document, place.corrections)?;
    let to_parent = transforms::transforms(json_of(bytes))?;
    let buffers = buffers::load_all(&gltf, blob, place)?;
    let held = bytes.len() + buffers.iter().map(|buffer| buffer.len()).sum::<usize>();
    let corners_left = INSTANCED_CORNERS.max(held.saturating_mul(CORNERS_PER_BYTE));
    let mut collector = Collector {
        buffers,
        welder: Welder::default(),
        triangles: Vec::new(),
        corners_left,
        corrections: place.corrections,
    };
    let mut pending: Vec<_> = roots(&gltf).into_iter().map(|node| (node, Matrix4::identity())).collect();
    let mut is_seen = vec![false; gltf.nodes().len()];
    while let Some((node, parent_to_world)) = pending.pop() {
        // A second parent would allow cycles, and a number of instances that is exponential in the number of nodes.
        if std::mem::replace(&mut is_seen[node.index()], true) {
            return Err(Fault::Content(format!("node {} has several parents", node.index())));
        }
        let to_world = parent_to_world * to_parent[node.index()];
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            collector.add(&primitive, &to_world)?;
        }
        pending.extend(node.children().map(|child| (child, to_world)));
    }
    Ok(TriangleMesh::new(collector.welder.into_points(), collector.triangles)?)
}

fn fault_of(error: gltf::Error) -> Fault {
    Fault::Content(error.to_string())
}

/// Checks that every index in the document that matters for its triangles is in range; the rest is removed.
fn validated(document: Document, corrections: &Corrections) -> Result<Document, Fault> {
    let mut json = document.into_json();
    extensions::check(&json, corrections)?;
    extensions::retain_geometry(&mut json);
    // The validation of the crate gltf 1.4 uses the indices of positions before it checks them, and panics.
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut accessors = primitives.flat_map(|primitive| primitive.attributes.values());
    if let Some(wrong) = accessors.find(|accessor| accessor.value() >= json.accessors.len()) {
        let (wrong, count) = (wrong.value(), json.accessors.len());
        return Err(Fault::Content(format!(
            "a primitive references accessor {wrong}, but there are only {count}"
        )));
    }
    Document::from_json(json).map_err(fault_of)
}

/// The bytes that the header of a GLB declares; refuses one that is shorter.
fn without_rest<'a>(bytes: &'a [u8], corrections: &Corrections) -> Result<&'a [u8], Fault> {
    if !bytes.starts_with(b"glTF") {
        return Ok(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes));
    }
    let declared = bytes.get(8..GLB_HEADER).and_then(|length| length.first_chunk::<4>());
    let declared = declared.map(|length| u32::from_le_bytes(*length) as usize);
    if let Some(declared) = declared.filter(|&declared| declared >= GLB_HEADER && declared <= bytes.len()) {
        if declared < bytes.len() {
            let found =
                || format!("{} bytes after the {declared} that its header declares", bytes.len() - declared);
            corrections.add(None, "end", "ignored", found);
        }
        return Ok(&bytes[..declared]);
    }
    let declared = declared.map_or_else(|| "no".to_owned(), |declared| declared.to_string());
    Err(Fault::Content(format!("the header declares {declared} bytes, but the file has {}", bytes.len())))
}

/// The text of a file.
fn json_of(bytes: &[u8]) -> &[u8] {
    if !bytes.starts_with(b"glTF") {
        return bytes;
    }
    let length = bytes.get(GLB_HEADER..).and_then(|chunk| chunk.first_chunk::<4>());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    let rest = bytes.get(GLB_HEADER + CHUNK_HEADER..).unwrap_or_default();
    &rest[..length.min(rest.len())]
}

/// Refuses an excessive number of objects before they are created: each takes a hundred times the memory of its text.
fn check_items(bytes: &[u8]) -> Result<(), Fault> {
    // An upper bound without parsing: braces within strings count too.
    let items = json_of(bytes).iter().filter(|&&byte| byte == b'{').count();
    if items > GLTF_ITEMS {
        let cause = format!("it has {items} JSON objects, at most {GLTF_ITEMS} are accepted");
        return Err(Fault::Content(cause));
    }
    Ok(())
}

/// Nodes of the default scene, else of the first scene, else all nodes without a parent.
fn roots(document: &Document) -> Vec<Node<'_>> {
    if let Some(scene) = document.default_scene().or_else(|| document.scenes().next()) {
        return scene.nodes().collect();
    }
    let mut is_child = vec![false; document.nodes().len()];
    document.nodes().flat_map(|node| node.children()).for_each(|child| is_child[child.index()] = true);
    document.nodes().filter(|node| !is_child[node.index()]).collect()
}

/// Triangles collected so far.
struct Collector<'a> {
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
        let held = accessor.view().map_or(0, |view| view.length());
        if accessor.count() > held {
            // More items than bytes: reading them reports what is missing.
            return Ok(());
        }
        let left = self.corners_left.checked_sub(accessor.count());
        self.corners_left = left.ok_or_else(|| {
            let cause = "the instances of its meshes have more than 6 million corners in total, \
            and more than 2 for each byte of the file";
            Fault::Content(cause.to_owned())
        })?;
        Ok(())
    }

    fn add(&mut self, primitive: &Primitive, to_world: &Matrix4<f64>) -> Result<(), Fault> {
        let mode = primitive.mode();
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let Some(accessor) = primitive.get(&Semantic::Positions) else {
            return Err(Fault::Content("a primitive has no positions".to_owned()));
        };
        self.consume(&accessor)?;
        let welded: Vec<Option<u32>> = (self.positions(&accessor)?.into_iter())
            .map(|position| to_world.transform_point(&position))
            .map(|point| point.iter().all(|x| x.is_finite()).then(|| self.welder.add(point)))
            .collect();
        let corners = match primitive.indices() {
            Some(accessor) => {
                self.consume(&accessor)?;
                self.indices(&accessor)?
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
                let found = || format!("a corner of accessor {} is not finite", accessor.index());
                self.corrections.add(None, "triangle", "left out", found);
                continue;
            };
            self.triangles.push(if is_mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(())
    }

    fn positions(&self, accessor: &Accessor) -> Result<Vec<Point3<f64>>, Fault> {
        if accessor.dimensions() != Dimensions::Vec3 || accessor.data_type() == DataType::U32 {
            return Err(Fault::Content(format!("accessor {} does not hold positions", accessor.index())));
        }
        let (kind, size) = (accessor.data_type(), accessor.data_type().size());
        // Integers are positions with the extension KHR_mesh_quantization; normalized, they are fractions of their maximum.
        let maximum = |of_type: f64| if accessor.normalized() { of_type } else { 1.0 };
        let coordinate = |bytes: &[u8]| match (kind, bytes) {
            (DataType::I8, &[x, ..]) => (f64::from(x.cast_signed()) / maximum(127.0)).max(-maximum(127.0)),
            (DataType::U8, &[x, ..]) => f64::from(x) / maximum(255.0),
            (DataType::I16, &[x, y, ..]) => f64::from(i16::from_le_bytes([x, y])) / maximum(32767.0),
            (DataType::U16, &[x, y, ..]) => f64::from(u16::from_le_bytes([x, y])) / maximum(65535.0),
            (_, bytes) => bytes.first_chunk().map_or(f64::NAN, |&bytes| f32::from_le_bytes(bytes).into()),
        };
        let point = |bytes: &[u8]| Point3::from([0, 1, 2].map(|axis| coordinate(&bytes[axis * size..])));
        Ok(self.items(accessor)?.into_iter().map(point).collect())
    }

    fn indices(&self, accessor: &Accessor) -> Result<Vec<usize>, Fault> {
        let is_unsigned = matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
        if accessor.dimensions() != Dimensions::Scalar || !is_unsigned {
            return Err(Fault::Content(format!("accessor {} does not hold indices", accessor.index())));
        }
        Ok(self.items(accessor)?.into_iter().map(little_endian).collect())
    }

    /// Bytes of each item of an accessor, checked to be within the buffer; a sparse one replaces some of them.
    fn items(&self, accessor: &Accessor) -> Result<Vec<&[u8]>, Fault> {
        let (number, count, size) = (accessor.index(), accessor.count(), accessor.size());
        let Some(view) = accessor.view() else {
            return Err(Fault::Content(format!("accessor {number} has no buffer view")));
        };
        let mut items = self.items_of((&view, accessor.offset()), number, count, size)?;
        let Some(sparse) = accessor.sparse() else { return Ok(items) };
        let (indices, values) = (sparse.indices(), sparse.values());
        let index_size = indices.index_type().size();
        let replaced =
            self.items_of((&indices.view(), indices.offset()), number, sparse.count(), index_size)?;
        let new = self.items_of((&values.view(), values.offset()), number, sparse.count(), size)?;
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
        (view, offset): (&View, usize),
        number: usize,
        count: usize,
        size: usize,
    ) -> Result<Vec<&[u8]>, Fault> {
        let buffer = &self.buffers[view.buffer().index()];
        let bytes = view.offset().checked_add(view.length()).and_then(|end| buffer.get(view.offset()..end));
        let bytes = bytes.ok_or_else(|| {
            let (view, length) = (view.index(), buffer.len());
            Fault::Content(format!("buffer view {view} exceeds the {length} bytes of its buffer"))
        })?;
        let stride = view.stride().unwrap_or(size);
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
        Mode::TriangleStrip => {
            // Every second triangle of a strip has the opposite orientation.
            (2..corners).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }).collect()
        }
        Mode::TriangleFan => (2..corners).map(|i| [0, i - 1, i]).collect(),
        _ => (0..corners / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    }
}
