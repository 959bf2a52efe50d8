//! glTF 2.0, text and binary (GLB): the triangles of all meshes of the default scene, moved by their nodes.
//! Buffers may be external files, embedded in the text, or the binary chunk of a GLB. Vertices that coincide
//! exactly are joined: the format splits them where normals or texture coordinates differ.

use std::path::Path;

use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::scene::Transform;
use gltf::{Accessor, Document, Gltf, Node, Primitive, Semantic};
use nalgebra::{Isometry3, Matrix4, Point3, Quaternion, Translation3, UnitQuaternion};

use super::Fault;
use crate::geometry::TriangleMesh;
use crate::geometry::weld::Welder;

/// Bytes of the header of a GLB file.
const GLB_HEADER: usize = 12;

/// Reads the content of a file; external buffers are looked for beside it.
pub(super) fn read(bytes: &[u8], path: &Path) -> Result<TriangleMesh, Fault> {
    check_glb_length(bytes)?;
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(fault_of)?;
    let gltf = validated(document)?;
    let buffers = (gltf.buffers())
        .map(|buffer| buffers::load(&buffer, blob.as_deref(), path))
        .collect::<Result<Vec<_>, _>>()?;
    let mut gathered = Gathered { buffers, welder: Welder::default(), triangles: Vec::new() };
    let mut pending: Vec<_> = roots(&gltf).into_iter().map(|node| (node, Matrix4::identity())).collect();
    let mut is_seen = vec![false; gltf.nodes().len()];
    while let Some((node, parent_to_world)) = pending.pop() {
        if std::mem::replace(&mut is_seen[node.index()], true) {
            return Err(Fault::Content(format!("node {} has more than one parent", node.index())));
        }
        let to_world = parent_to_world * matrix(&node);
        for primitive in node.mesh().iter().flat_map(|mesh| mesh.primitives()) {
            gathered.add(&primitive, &to_world)?;
        }
        pending.extend(node.children().map(|child| (child, to_world)));
    }
    Ok(TriangleMesh::new(gathered.welder.into_points(), gathered.triangles)?)
}

fn fault_of(error: gltf::Error) -> Fault {
    Fault::Content(error.to_string())
}

/// The document, once every index in it is known to be in range.
fn validated(document: Document) -> Result<Document, Fault> {
    let json = document.into_json();
    // The validation of gltf 1.4 looks positions up before it has checked their index, and panics.
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut accessors = primitives.flat_map(|primitive| primitive.attributes.values());
    if let Some(wrong) = accessors.find(|accessor| accessor.value() >= json.accessors.len()) {
        let (wrong, count) = (wrong.value(), json.accessors.len());
        return Err(Fault::Content(format!(
            "a primitive names accessor {wrong}, but there are only {count}"
        )));
    }
    Document::from_json(json).map_err(fault_of)
}

/// Refuses a GLB whose header declares another length than the file has.
fn check_glb_length(bytes: &[u8]) -> Result<(), Fault> {
    if !bytes.starts_with(b"glTF") {
        return Ok(());
    }
    let declared = bytes.get(8..GLB_HEADER).and_then(|length| length.first_chunk::<4>());
    let declared = declared.map(|length| u32::from_le_bytes(*length) as usize);
    if declared.is_some_and(|declared| declared == bytes.len()) {
        return Ok(());
    }
    let declared = declared.map_or_else(|| "no".to_owned(), |declared| declared.to_string());
    Err(Fault::Content(format!("the header declares {declared} bytes, but the file has {}", bytes.len())))
}

/// The nodes of the default scene, else of the first, else those that are no node's child.
fn roots(document: &Document) -> Vec<Node<'_>> {
    if let Some(scene) = document.default_scene().or_else(|| document.scenes().next()) {
        return scene.nodes().collect();
    }
    let mut is_child = vec![false; document.nodes().len()];
    document.nodes().flat_map(|node| node.children()).for_each(|child| is_child[child.index()] = true);
    document.nodes().filter(|node| !is_child[node.index()]).collect()
}

/// Node frame → parent frame.
fn matrix(node: &Node) -> Matrix4<f64> {
    match node.transform() {
        Transform::Matrix { matrix } => Matrix4::from(matrix.map(|column| column.map(f64::from))),
        Transform::Decomposed { translation, rotation, scale } => {
            let [x, y, z, w] = rotation.map(f64::from);
            let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
            let translation = Translation3::from(translation.map(f64::from));
            let rigid = Isometry3::from_parts(translation, rotation).to_homogeneous();
            rigid.prepend_nonuniform_scaling(&scale.map(f64::from).into())
        }
    }
}

/// Triangles gathered so far.
struct Gathered {
    buffers: Vec<Vec<u8>>,
    welder: Welder,
    triangles: Vec<[u32; 3]>,
}

impl Gathered {
    fn add(&mut self, primitive: &Primitive, to_world: &Matrix4<f64>) -> Result<(), Fault> {
        let mode = primitive.mode();
        if !matches!(mode, Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let Some(accessor) = primitive.get(&Semantic::Positions) else {
            return Err(Fault::Content("a primitive has no positions".to_owned()));
        };
        let welded: Vec<u32> = (self.positions(&accessor)?.into_iter())
            .map(|position| self.welder.add(to_world.transform_point(&position)))
            .collect();
        let corners = match primitive.indices() {
            Some(accessor) => self.indices(&accessor)?,
            None => (0..welded.len()).collect(),
        };
        let corner = |position: usize| {
            let index = corners[position];
            welded.get(index).copied().ok_or_else(|| {
                let count = welded.len();
                Fault::Content(format!(
                    "an index names vertex {index}, but the primitive has only {count} (0-based)"
                ))
            })
        };
        // A mirroring transform turns the triangles round; turned back, outwards stays outwards.
        let is_mirrored = to_world.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for [a, b, c] in triangles(mode, corners.len()) {
            let [a, b, c] = [corner(a)?, corner(b)?, corner(c)?];
            self.triangles.push(if is_mirrored { [a, c, b] } else { [a, b, c] });
        }
        Ok(())
    }

    fn positions(&self, accessor: &Accessor) -> Result<Vec<Point3<f64>>, Fault> {
        if (accessor.data_type(), accessor.dimensions()) != (DataType::F32, Dimensions::Vec3) {
            return Err(Fault::Content(format!("accessor {} does not hold positions", accessor.index())));
        }
        let coordinate =
            |bytes: &[u8]| bytes.first_chunk().map_or(f64::NAN, |&bytes| f32::from_le_bytes(bytes).into());
        let point = |(index, bytes): (usize, &[u8])| {
            let point = Point3::new(coordinate(bytes), coordinate(&bytes[4..]), coordinate(&bytes[8..]));
            let cause =
                || format!("position {index} of accessor {} is not finite: {point}", accessor.index());
            if point.iter().all(|x| x.is_finite()) { Ok(point) } else { Err(Fault::Content(cause())) }
        };
        self.items(accessor)?.into_iter().enumerate().map(point).collect()
    }

    fn indices(&self, accessor: &Accessor) -> Result<Vec<usize>, Fault> {
        let is_unsigned = matches!(accessor.data_type(), DataType::U8 | DataType::U16 | DataType::U32);
        if accessor.dimensions() != Dimensions::Scalar || !is_unsigned {
            return Err(Fault::Content(format!("accessor {} does not hold indices", accessor.index())));
        }
        let little_endian =
            |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        Ok(self.items(accessor)?.into_iter().map(little_endian).collect())
    }

    /// The bytes of each item of an accessor, all of them within the buffer.
    fn items(&self, accessor: &Accessor) -> Result<Vec<&[u8]>, Fault> {
        let number = accessor.index();
        if accessor.sparse().is_some() {
            return Err(Fault::Content(format!("accessor {number} is sparse, which is not supported")));
        }
        let Some(view) = accessor.view() else {
            return Err(Fault::Content(format!("accessor {number} has no buffer view")));
        };
        let buffer = &self.buffers[view.buffer().index()];
        let bytes = view.offset().checked_add(view.length()).and_then(|end| buffer.get(view.offset()..end));
        let bytes = bytes.ok_or_else(|| {
            let (view, length) = (view.index(), buffer.len());
            Fault::Content(format!("buffer view {view} reaches beyond the {length} bytes of its buffer"))
        })?;
        let stride = view.stride().unwrap_or(accessor.size());
        let item = |index: usize| {
            let start = index.checked_mul(stride)?.checked_add(accessor.offset())?;
            bytes.get(start..start.checked_add(accessor.size())?)
        };
        let beyond = |index| {
            let count = accessor.count();
            Fault::Content(format!(
                "accessor {number} declares {count} items, but its view ends before item {index}"
            ))
        };
        (0..accessor.count()).map(|index| item(index).ok_or_else(|| beyond(index))).collect()
    }
}

/// Positions among the corners of the triangles of a primitive.
fn triangles(mode: Mode, corners: usize) -> Vec<[usize; 3]> {
    match mode {
        Mode::TriangleStrip => {
            (2..corners).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }).collect()
        }
        Mode::TriangleFan => (2..corners).map(|i| [0, i - 1, i]).collect(),
        _ => (0..corners / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    }
}

pub(crate) use buffers::decode_percent;

mod buffers {
    //! Buffers: the binary chunk, data embedded in the text, files beside it.

    use std::path::Path;

    use gltf::buffer::{Buffer, Source};

    use super::Fault;

    /// The bytes of a buffer, at least as many as it declares.
    pub(super) fn load(buffer: &Buffer, blob: Option<&[u8]>, path: &Path) -> Result<Vec<u8>, Fault> {
        let fault = |cause: String| Fault::Content(format!("buffer {}: {cause}", buffer.index()));
        let bytes = match buffer.source() {
            Source::Bin => {
                blob.map(<[u8]>::to_vec).ok_or_else(|| fault("the file has no binary chunk".to_owned()))?
            }
            Source::Uri(uri) => match uri.split_once(',') {
                Some((kind, data)) if kind.starts_with("data:") && kind.ends_with(";base64") => {
                    decode_base64(data).ok_or_else(|| fault("its embedded data is not base64".to_owned()))?
                }
                _ if uri.contains(':') => {
                    let scheme = uri.split(':').next().unwrap_or_default();
                    return Err(fault(format!(
                        "cannot be had by \"{scheme}:\", only from a file beside this one"
                    )));
                }
                _ => {
                    let name =
                        decode_percent(uri).ok_or_else(|| fault(format!("\"{uri}\" is no file name")))?;
                    let file = path.parent().unwrap_or_else(|| Path::new("")).join(&name);
                    std::fs::read(file).map_err(|error| fault(format!("{name} cannot be read: {error}")))?
                }
            },
        };
        if bytes.len() < buffer.length() {
            return Err(fault(format!("declares {} bytes, but has {}", buffer.length(), bytes.len())));
        }
        Ok(bytes)
    }

    fn decode_base64(text: &str) -> Option<Vec<u8>> {
        let text = text.trim_end_matches('=').as_bytes();
        let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
        for group in text.chunks(4) {
            let mut bits = 0_u32;
            for &letter in group {
                let value = match letter {
                    b'A'..=b'Z' => letter - b'A',
                    b'a'..=b'z' => letter - b'a' + 26,
                    b'0'..=b'9' => letter - b'0' + 52,
                    b'+' => 62,
                    b'/' => 63,
                    _ => return None,
                };
                bits = bits << 6 | u32::from(value);
            }
            // n letters carry 6n bits, of which the last 6n mod 8 are padding.
            let count = group.len() * 6 / 8;
            bits <<= 32 - 6 * group.len();
            if count == 0 {
                return None;
            }
            bytes.extend_from_slice(&bits.to_be_bytes()[..count]);
        }
        Some(bytes)
    }

    pub(crate) fn decode_percent(text: &str) -> Option<String> {
        let mut bytes = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            (bytes, rest) = if *first == b'%' {
                let hex = std::str::from_utf8(after.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(hex, 16).ok()?);
                (bytes, &after[2..])
            } else {
                bytes.push(*first);
                (bytes, after)
            };
        }
        String::from_utf8(bytes).ok()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn base64_is_that_of_rfc_4648() {
            for (text, bytes) in
                [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmE=", "fooba")]
            {
                assert_eq!(decode_base64(text).as_deref(), Some(bytes.as_bytes()));
            }
            assert_eq!(decode_base64("+/+/").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
            assert_eq!((decode_base64("Z"), decode_base64("Z*==")), (None, None));
        }

        #[test]
        fn percent_signs_are_decoded() {
            assert_eq!(decode_percent("a%20b%C3%A9.bin").as_deref(), Some("a bé.bin"));
            assert_eq!((decode_percent("a%2"), decode_percent("%zz")), (None, None));
        }
    }
}
