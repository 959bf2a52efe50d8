//! Mesh files: written files are read back, by us and by other libraries; damaged ones are refused with the place.

use std::fs;
use std::path::{Path, PathBuf};

use extricate::geometry::FileError;
use extricate::geometry::procedural::{Cuboid, Procedural, TorusKnot};
use extricate::geometry::read::{FileScope, parse_mesh, read_mesh, read_mesh_corrected};
use extricate::geometry::report::MeshReport;
use extricate::geometry::write::{Encoding, write_mesh, write_mesh_as};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate_test_support::{Noise, ScratchFolder};
use nalgebra::{Point3, Vector3};

struct Folder(ScratchFolder);

impl Folder {
    fn new() -> Self {
        Self(ScratchFolder::new())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.folder().join(name);
        fs::write(&path, content).expect("the folder for temporary files is writable");
        path
    }

    fn read(&self, name: &str, content: impl AsRef<[u8]>) -> Result<TriangleMesh, FileError> {
        read_mesh(self.file(name, content))
    }

    /// The message of the error, without the folder.
    fn refusal(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let error = self.read(name, content).expect_err("a damaged file is refused");
        error.to_string().replace(&format!("{}/", self.0.folder().display()), "")
    }
}

/// A tetrahedron of volume 1/6, in the formats that a test writes by hand.
const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

fn assert_is_tetrahedron(mesh: &TriangleMesh) {
    let report = MeshReport::of(mesh);
    assert_eq!((report.triangles, report.distinct_vertices, report.solidity()), (4, 4, Solidity::Solid));
    assert!(report.volume.is_some_and(|volume| (volume - 1.0 / 6.0).abs() < 1e-15), "{report}");
}

/// Meshes whose coordinates need all their digits, small and large exponents among them.
fn awkward() -> [TriangleMesh; 3] {
    let knot = TorusKnot::default().mesh().expect("the default knot is a mesh");
    [1e-20, 1.0, 1e17].map(|size| {
        knot.scaled(&Vector3::new(size / 3.0, size / 7.0, size / 9.0)).expect("neither size overflows")
    })
}

#[test]
fn obj_and_ply_keep_every_bit_of_vertices_and_the_order_of_triangles() {
    let folder = Folder::new();
    for mesh in awkward() {
        for (name, encoding) in
            [("a.obj", Encoding::Text), ("a.ply", Encoding::Text), ("b.PLY", Encoding::Binary)]
        {
            let path = folder.0.folder().join(name);
            write_mesh_as(&mesh, &path, encoding).unwrap();
            assert_eq!(read_mesh(&path).unwrap(), mesh, "{name}");
        }
    }
}

#[test]
fn stl_keeps_closedness_and_every_bit_in_text_or_single_precision_in_binary() {
    let folder = Folder::new();
    for mesh in awkward() {
        for encoding in [Encoding::Text, Encoding::Binary] {
            let path = folder.0.folder().join("knot.stl");
            write_mesh_as(&mesh, &path, encoding).unwrap();
            let found = read_mesh(&path).unwrap();
            let rounded = |x: f64| if encoding == Encoding::Text { x } else { f64::from(x as f32) };
            for index in 0..mesh.triangles().len() {
                for (found, written) in found.triangle(index).iter().zip(mesh.triangle(index)) {
                    assert_eq!(found.coords, written.coords.map(rounded));
                }
            }
            assert!(found.vertices().len() == mesh.vertices().len() && MeshReport::of(&found).solid);
        }
    }
}

#[test]
fn other_libraries_read_what_is_written() {
    let folder = Folder::new();
    for mesh in awkward() {
        let path = folder.0.folder().join("a.obj");
        write_mesh(&mesh, &path).unwrap();
        let (models, _) = tobj::load_obj(&path, &tobj::LoadOptions::default()).unwrap();
        let theirs = &models[0].mesh;
        assert_eq!(theirs.indices.len(), 3 * mesh.triangles().len());
        for (&position, &index) in theirs.indices.iter().zip(mesh.triangles().as_flattened()) {
            let start = 3 * position as usize;
            assert_eq!(
                theirs.positions[start..start + 3],
                *mesh.vertices()[index as usize].coords.as_slice()
            );
        }
        for encoding in [Encoding::Text, Encoding::Binary] {
            let path = folder.0.folder().join("a.stl");
            write_mesh_as(&mesh, &path, encoding).unwrap();
            let theirs = stl_io::read_stl(&mut fs::File::open(&path).unwrap()).unwrap();
            assert_eq!(theirs.faces.len(), mesh.triangles().len());
            assert_eq!(theirs.vertices.len(), mesh.vertices().len());
        }
    }
}

#[test]
fn writing_replaces_the_file_whole_and_leaves_nothing_else() {
    let folder = Folder::new();
    let path = folder.file("a.obj", "old");
    write_mesh(&Cuboid::default().mesh().unwrap(), &path).unwrap();
    assert_eq!(read_mesh(&path).unwrap().triangles().len(), 12);
    assert_eq!(fs::read_dir(folder.0.folder()).unwrap().count(), 1);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_and_leaves_nothing() {
    let folder = Folder::new();
    let mesh = Cuboid::default().mesh().unwrap();
    let missing = write_mesh(&mesh, folder.0.folder().join("none/a.obj"));
    assert!(matches!(missing, Err(FileError::Io { .. })));
    let unknown = write_mesh(&mesh, folder.0.folder().join("a.xyz")).unwrap_err();
    assert!(unknown.to_string().contains("xyz"), "{unknown}");
    let huge = mesh.scaled(&Vector3::repeat(1e39)).unwrap();
    let beyond = write_mesh(&huge, folder.0.folder().join("a.stl"));
    assert!(matches!(beyond, Err(FileError::BeyondSinglePrecision { vertex: 0, .. })));
    assert_eq!(fs::read_dir(folder.0.folder()).unwrap().count(), 0);
}

#[test]
fn obj_with_everything_that_it_may_hold_is_read() {
    let folder = Folder::new();
    let text = "\u{feff}# a tetrahedron\r\nmtllib none.mtl\no part\nv 0 0 0\nv 1 0 0 # x\nv 0 1e0 0 1.0\nvt 0 0\nvn 0 0 1\n"
        .to_owned()
        + "usemtl red\ns off\nf 1/1 3/1 2/1\ng other\nv 0 0 +1 0.5 0.5 0.5\nf 1//1 2//1 \\\n 4//1\nf 2/1/1 3/1/1 4/1/1\n"
        + "f -2 -4 -1\nl 1 2";
    assert_is_tetrahedron(&folder.read("a.OBJ", text).unwrap());
}

#[test]
fn obj_polygons_are_cut_into_triangles_that_cover_them() {
    let folder = Folder::new();
    // An L of area 3, extruded by 1, from two concave hexagons and six quads.
    let outline = ["0 0", "2 0", "2 1", "1 1", "1 2", "0 2"];
    let vertices: String =
        ["0", "1"].iter().flat_map(|z| outline.map(|point| format!("v {point} {z}\n"))).collect();
    let sides: String = (1..=6)
        .map(|i| [i, i % 6 + 1])
        .map(|[here, next]| format!("f {here} {next} {} {}\n", next + 6, here + 6))
        .collect();
    let mesh = folder.read("l.obj", format!("{vertices}f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n{sides}")).unwrap();
    let report = MeshReport::of(&mesh);
    assert_eq!((report.triangles, report.defects().count(), report.genus), (20, 0, Some(0)));
    assert!((report.volume.unwrap() - 3.0).abs() < 1e-12 && (report.area - 14.0).abs() < 1e-12, "{report}");
}

#[test]
fn off_and_its_variants_are_read() {
    let folder = Folder::new();
    let points = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let faces: String = TETRAHEDRON.map(|[a, b, c]| format!("3 {a} {b} {c}\n")).concat();
    let coloured: String = TETRAHEDRON.map(|[a, b, c]| format!("3  {a} {b} {c}  255 0 0\n")).concat();
    let with = |extra: &str| points.map(|point| format!("{point} {extra}\n")).concat();
    for (header, extra) in [
        ("OFF\n4 4 6\n", ""),
        ("OFF 4 4 0\n", ""),
        ("# first\nOFF # keyword\n\n# counts\n4 4 6\n", "# a corner"),
        ("COFF\n4 4 6\n", "255 0 0 255"),
        ("NOFF\n4 4 6\n", "0 0 1"),
    ] {
        assert_is_tetrahedron(&folder.read("a.off", format!("{header}{}{faces}", with(extra))).unwrap());
        assert_is_tetrahedron(&folder.read("a.off", format!("{header}{}\n{coloured}", with(extra))).unwrap());
    }
}

/// The tetrahedron as a text STL.
fn stl_text() -> String {
    let points = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let facets = TETRAHEDRON.map(|triangle| {
        let corners = triangle.map(|i| format!("      vertex {}\n", points[i as usize])).concat();
        format!("  facet normal 0 0 0\n    outer loop\n{corners}    endloop\n  endfacet\n")
    });
    format!("solid a tetrahedron\n{}endsolid a tetrahedron\n", facets.concat())
}

fn stl_binary(title: &[u8]) -> Vec<u8> {
    let points = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut bytes = title.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(4_u32.to_le_bytes());
    for triangle in TETRAHEDRON {
        let corners = triangle.map(|i| points[i as usize]).concat();
        bytes.extend([0.0; 3].into_iter().chain(corners).flat_map(f32::to_le_bytes));
        bytes.extend([7, 0]);
    }
    bytes
}

#[test]
fn stl_is_read_as_text_and_as_binary_whatever_its_first_word() {
    let folder = Folder::new();
    assert_is_tetrahedron(&folder.read("a.stl", stl_text()).unwrap());
    assert_is_tetrahedron(&folder.read("a.stl", stl_binary(b"made by hand")).unwrap());
    assert_is_tetrahedron(&folder.read("a.stl", stl_binary(b"solid, but binary")).unwrap());
}

fn ply_text() -> String {
    let faces = TETRAHEDRON.map(|[a, b, c]| format!("3 {a} {b} {c} 9\n")).concat();
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty double z\n\
     property uchar red\nelement face 4\nproperty list uchar int vertex_index\nproperty int tag\nelement note 1\n\
     property int n\nend_header\n0 0 0 1\n1 0 0 2\n0 1 0 3\n0 0 1 4\n"
        .to_owned()
        + &faces
        + "5\n"
}

fn ply_big_endian() -> Vec<u8> {
    let header = "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
                  property float z\nelement face 4\nproperty list uchar ushort vertex_indices\nend_header\n";
    let points = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let points = points.as_flattened().iter().flat_map(|x| x.to_be_bytes());
    let faces = TETRAHEDRON.into_iter().flat_map(|triangle| {
        [3].into_iter().chain(triangle.into_iter().flat_map(|i| (i as u16).to_be_bytes()))
    });
    header.bytes().chain(points).chain(faces).collect()
}

#[test]
fn ply_is_read_as_text_and_in_both_byte_orders() {
    let folder = Folder::new();
    assert_is_tetrahedron(&folder.read("a.ply", ply_text()).unwrap());
    assert_is_tetrahedron(&folder.read("a.ply", ply_big_endian()).unwrap());
}

/// Positions and 16-bit indices of the tetrahedron: 48 + 24 bytes.
fn gltf_bytes() -> Vec<u8> {
    let points = [[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let points = points.as_flattened().iter().flat_map(|x| x.to_le_bytes());
    points.chain(TETRAHEDRON.as_flattened().iter().flat_map(|&i| (i as u16).to_le_bytes())).collect()
}

/// A glTF text with one mesh, the given nodes and the given address of its buffer.
fn gltf_text(nodes: &str, uri: &str) -> String {
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": {nodes},
        "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]}},
            {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
        "bufferViews": [
            {{"buffer": 0, "byteOffset": 0, "byteLength": 48}},
            {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
        "buffers": [{{"byteLength": 72{uri}}}]}}"#
    )
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = bytes.chunks(3).flat_map(|chunk| {
        let bits =
            chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        (0..=chunk.len()).map(move |i| char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]))
    });
    letters.collect()
}

fn glb(json: &str, binary: &[u8]) -> Vec<u8> {
    let padded = |bytes: &[u8], pad: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), pad);
        bytes
    };
    let (json, binary) = (padded(json.as_bytes(), b' '), padded(binary, 0));
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

const ONE_NODE: &str = r#"[{"mesh": 0}]"#;

#[test]
fn gltf_is_read_with_external_embedded_and_binary_buffers() {
    let folder = Folder::new();
    folder.file("a buffer.bin", gltf_bytes());
    let external = gltf_text(ONE_NODE, r#", "uri": "a%20buffer.bin""#);
    assert_is_tetrahedron(&folder.read("a.gltf", external).unwrap());
    let data = format!(r#", "uri": "data:application/octet-stream;base64,{}""#, base64(&gltf_bytes()));
    assert_is_tetrahedron(&folder.read("b.gltf", gltf_text(ONE_NODE, &data)).unwrap());
    assert_is_tetrahedron(&folder.read("c.glb", glb(&gltf_text(ONE_NODE, ""), &gltf_bytes())).unwrap());
}

#[test]
fn gltf_meshes_are_moved_by_their_nodes_and_stay_the_right_way_out() {
    let folder = Folder::new();
    // Moved by (10, 0, 0) and rotated by 90° about z; below it a child of double size, and one that is mirrored.
    let nodes = r#"[
        {"translation": [10, 0, 0], "rotation": [0, 0, 0.70710678, 0.70710678], "children": [1, 2]},
        {"mesh": 0, "scale": [2, 2, 2]},
        {"mesh": 0, "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, -5,0,0,1]}]"#;
    let mesh = folder.read("a.glb", glb(&gltf_text(nodes, ""), &gltf_bytes())).unwrap();
    let report = MeshReport::of(&mesh);
    assert_eq!((report.components, report.triangles, report.defects().count()), (2, 8, 0));
    assert!((report.volume.unwrap() - (8.0 + 1.0) / 6.0).abs() < 1e-6, "{report}");
    // The child's corner (1, 0, 0) goes to (0, 2, 0) + (10, 0, 0), the mirrored one's to (0, -6, 0) + (10, 0, 0).
    for corner in [Point3::new(10.0, 2.0, 0.0), Point3::new(10.0, -6.0, 0.0)] {
        assert!(mesh.vertices().iter().any(|point| (point - corner).norm() < 1e-6), "{corner}");
    }
}

#[test]
fn a_missing_file_and_an_unknown_format_are_named() {
    let folder = Folder::new();
    let error = read_mesh(folder.0.folder().join("none.obj")).unwrap_err();
    assert!(matches!(error, FileError::Io { .. }) && error.to_string().contains("none.obj"));
    assert!(folder.refusal("a.blend", "").contains("unsupported mesh format \"blend\""));
    assert!(folder.refusal("noextension", "").contains("obj, stl, ply, off, gltf, glb"));
}

/// The OBJ, OFF, STL and PLY texts of the tetrahedron.
fn texts() -> [String; 4] {
    let points = ["0 0 0", "1 0 0", "0 1 0", "0 0 1"];
    let vertices = points.map(|point| format!("v {point}\n")).concat();
    let faces = TETRAHEDRON.map(|triangle| triangle.map(|i| (i + 1).to_string()).join(" "));
    let obj = vertices + &faces.map(|face| format!("f {face}\n")).concat();
    let faces = TETRAHEDRON.map(|[a, b, c]| format!("3 {a} {b} {c}\n")).concat();
    let off = format!("OFF\n4 4 6\n{}\n{faces}", points.join("\n"));
    [obj, off, stl_text(), ply_text()]
}

/// Checks that a file is read as the tetrahedron, with these corrections.
fn assert_corrected(folder: &Folder, (name, content, expected): (&str, Vec<u8>, &[&str])) {
    let path = folder.file(name, content);
    let (mesh, corrections) =
        read_mesh_corrected(&path, &FileScope::around(&path)).expect("a file that is read");
    assert_is_tetrahedron(&mesh);
    let found = corrections
        .iter()
        .map(|correction| correction.to_string().replace(&format!("{}/", folder.0.folder().display()), ""));
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn defects_without_meaning_of_text_files_are_left_out_with_one_warning_for_each_cause() {
    let folder = Folder::new();
    let [obj, off, stl, ply] = texts();
    let corrected: [(&str, Vec<u8>, &[&str]); 10] = [
        (
            "a.obj",
            (obj.clone() + "f 1 2\nf 3\nf\n").into(),
            &["a.obj:9: face: it has 2 corners, fewer than three; left out, and so are 2 more"],
        ),
        (
            "a.obj",
            (obj.clone() + "foo\ncurv 0 1 1 2\nbar").into(),
            &[
                "a.obj:9: statement: unknown OBJ statement \"foo\"; ignored, and so is one more",
                "a.obj:10: curves and surfaces: free-form geometry (curv) is not supported, only polygons; ignored",
            ],
        ),
        (
            "a.obj",
            (obj.clone() + "v nan 0 inf\nf 1 2 5\n").into(),
            &[
                "a.obj:9: vertex: vertex 4 is not finite: (NaN, 0, inf); left out",
                "a.obj:10: face: it has a corner that is not finite; left out",
            ],
        ),
        (
            "a.off",
            off.replacen("OFF\n4 ", "OFF4 ", 1).into(),
            &[
                "a.off:1: header: no space between the keyword and the counts: \"OFF4\"; read as if there were one",
            ],
        ),
        (
            "a.off",
            (off.clone() + "the end").into(),
            &["a.off:11: end: unexpected \"the end\" after the last of 4 faces; ignored"],
        ),
        (
            "a.off",
            (off.replacen("4 4 6", "4 5 6", 1) + "2 0 1").into(),
            &["a.off:11: face: it has 2 corners, fewer than three; left out"],
        ),
        ("a.stl", stl.to_uppercase().into(), &[]),
        (
            "a.stl",
            ("; made by hand\n".to_owned() + &stl.replace("  facet", "  color 1 0 0\n  facet")).into(),
            &["a.stl:1: line: unknown STL keyword \";\"; ignored, and so are 4 more"],
        ),
        (
            "a.ply",
            ply.replacen("face 4", "face 5", 1).replacen("3 0 2 1 9\n", "2 0 1 9\n3 0 2 1 9\n", 1).into(),
            &["a.ply:19: face: it has 2 corners, fewer than three; left out"],
        ),
        (
            "a.ply",
            ply.replacen("uchar red", "float red", 1).replacen("0 0 0 1\n", "0 0 0 nan\n", 1).into(),
            &[],
        ),
    ];
    corrected.into_iter().for_each(|case| assert_corrected(&folder, case));
}

#[test]
fn defects_without_meaning_of_binary_files_are_left_out_with_one_warning_for_each_cause() {
    let folder = Folder::new();
    let mut nan = stl_binary(b"");
    nan.extend_from_within(84..134);
    nan[80..84].copy_from_slice(&5_u32.to_le_bytes());
    let at = nan.len() - 50 + 12;
    nan[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut few = stl_binary(b"");
    few[80..84].copy_from_slice(&0_u32.to_le_bytes());
    let more = [stl_binary(b""), b"made by hand".to_vec()].concat();
    let gltf = glb(&gltf_text(ONE_NODE, ""), &gltf_bytes());
    let beyond = format!("a.glb: end: 4 bytes after the {} that its header declares; ignored", gltf.len());
    let unknown = gltf_text(ONE_NODE, "").replacen(
        '{',
        r#"{"extensionsRequired": ["FOO_bar", "KHR_materials_unlit"], "#,
        1,
    );
    let corrected: [(&str, Vec<u8>, &[&str]); 5] = [
        ("a.stl", nan, &["a.stl: facet: facet 4 has a corner that is not finite; left out"]),
        (
            "a.stl",
            few,
            &[
                "a.stl: header: the header declares 0 triangles, but the file has bytes for 4; all that the file has are read",
            ],
        ),
        ("a.stl", more, &["a.stl: end: 12 bytes after the last of 4 triangles; ignored"]),
        ("a.glb", [gltf.clone(), vec![0; 4]].concat(), &[&beyond]),
        (
            "a.glb",
            glb(&unknown, &gltf_bytes()),
            &["a.glb: extensions: the unknown extension \"FOO_bar\" is required; ignored"],
        ),
    ];
    corrected.into_iter().for_each(|case| assert_corrected(&folder, case));
}

#[test]
fn damaged_text_files_are_refused_with_the_line_and_the_cause() {
    let folder = Folder::new();
    let damaged = [
        ("a.obj", "v 0 0 0\nv 1 0", "a.obj:2: the vertex has no z: the line ends early"),
        ("a.obj", "v 0 0 nan", "a.obj:1: vertex 0 is not finite: (0, 0, NaN)"),
        ("a.obj", "v 0 -inf 0", "a.obj:1: vertex 0 is not finite: (0, -inf, 0)"),
        ("a.obj", "v 0 1e999 0\nf 1 1 1", "a.obj:1: vertex 0 is not finite: (0, inf, 0)"),
        ("a.obj", "v 0 0,5 0", "a.obj:1: \"0,5\" is not a number"),
        (
            "a.obj",
            "v 0 0 0\n\nf 1 2 3",
            "a.obj:3: a corner references vertex 1, but there are only 1 vertices (0-based)",
        ),
        (
            "a.obj",
            "v 0 0 0\nf 1 1 0",
            "a.obj:2: a corner references vertex 0, but there are 1 vertices so far (1-based)",
        ),
        ("a.obj", "v 0 0 0\nf -1 -2 1", "a.obj:2: a corner references vertex -2"),
        ("a.obj", "v 0 0 0\nf 1 1", "a.obj:2: it has 2 corners, fewer than three"),
        (
            "a.obj",
            "v 0 0 0\nf 1 99999999999999999999 1",
            "a.obj:2: \"99999999999999999999\" is not an integer",
        ),
        ("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2 1", "a.obj: all 1 triangles are degenerate"),
        ("a.obj", "v 0 0 0\nx 1 2 3", "a.obj:2: unknown OBJ statement \"x\""),
        ("a.obj", "v 0 0 0\nf 1 1 1 \\", "a.obj: the file ends within a continued line"),
        ("a.obj", "", "a.obj: the mesh has no triangles (0 vertices)"),
        ("a.off", "", "a.off: the file is empty"),
        ("a.off", "PLY", "a.off:1: expected OFF, found \"PLY\""),
        ("a.off", "4OFF", "a.off:1: \"4OFF\" files are not supported"),
        ("a.off", "OFF BINARY", "a.off:1: binary OFF is not supported"),
        ("a.off", "OFF\n", "a.off: the file ends after its keyword"),
        ("a.off", "OFF\n4", "a.off:2: the number of faces is missing"),
        ("a.off", "OFF\n2 0 0\n0 0 0", "a.off: the file ends early: 1 of the 2 vertices"),
        (
            "a.off",
            "OFF\n1 18446744073709551615 0\n0 0 0",
            "a.off: the file ends early: 0 of the 18446744073709551615",
        ),
        ("a.off", "OFF\n1 1 0\n0 0 0\n3 0 0", "a.off:4: the face has 2 of its 3 corners"),
        ("a.off", "OFF\n1 1 0\n0 0 0\n3 0 0 1", "a.off:4: a corner references vertex 1"),
        ("a.off", "OFF\n1 0 0\n0 0 0\n3 0 0 0", "a.off:4: unexpected \"3 0 0 0\" after the last of 0 faces"),
        ("a.stl", "solid a\nfacet\nouter loop\nvertex 0 0\n", "a.stl:4: the vertex has no z"),
        ("a.stl", "solid a\nvertex 0 0 0\nendloop", "a.stl:3: the facet has 1 corners, not three"),
        ("a.stl", "solid a\nvertex 0 0 0\nendfacet", "a.stl:3: the facet ends within its loop"),
        ("a.stl", "solid a\nfoo\nendsolid", "a.stl:2: unknown STL keyword \"foo\""),
        ("a.stl", "solid a\n", "a.stl: the file ends early, after 0 triangles"),
        ("a.stl", "solid a\nendsolid", "a.stl: the mesh has no triangles"),
        ("a.stl", "tiny", "a.stl: 4 bytes are too few for an STL file"),
        ("a.gltf", "{", "a.gltf: "),
        ("a.gltf", "{}", "a.gltf: "),
    ];
    for (name, content, expected) in damaged {
        let message = folder.refusal(name, content);
        assert!(message.starts_with(expected), "{content:?} is refused with {message:?}, not {expected:?}");
    }
}

#[test]
fn damaged_ply_files_are_refused_with_the_line_and_the_cause() {
    let folder = Folder::new();
    let good = ply_text();
    let damaged = [
        (
            "3 1 2 3 9",
            "3 1 2 4 9",
            "a.ply:21: a corner references vertex 4, but there are only 4 vertices (0-based)",
        ),
        ("3 1 2 3 9", "3 1 2 -1 9", "a.ply:21: a corner references vertex 4294967295"),
        ("1 0 0 2", "1 0", "a.ply:16: "),
        ("1 0 0 2", "1 x 0 2", "a.ply:16: Couldn't read element line: \"1 x 0 2\""),
        ("1 0 0 2", "", "a.ply:16: "),
        ("vertex 4", "vertex 5", "a.ply:23: "),
        ("face 4", "face 400000000000", "a.ply: the header declares 400000000000 elements \"face\""),
        ("face 4", "face 5", "a.ply:23: "),
        ("property double z\n", "", "a.ply: the element \"vertex\" has no property z"),
        ("vertex_index", "corners", "a.ply: the element \"face\" has no property vertex_indices"),
        ("ply\n", "plz\n", "a.ply:1: "),
        ("end_header\n", "end_of_header\n", "a.ply:14: "),
        (
            "element face 4\nproperty list uchar int vertex_index\nproperty int tag\n",
            "",
            "a.ply: the mesh has no",
        ),
    ];
    for (part, replacement, expected) in damaged {
        assert!(good.contains(part), "{part:?}");
        let message = folder.refusal("a.ply", good.replacen(part, replacement, 1));
        assert!(message.starts_with(expected), "{replacement:?}: {message:?} is not {expected:?}");
        assert!(!message.contains('\n'), "{message:?}");
    }
}

#[test]
fn damaged_binary_files_are_refused_with_the_cause() {
    let folder = Folder::new();
    let mut stl = stl_binary(b"");
    assert!(
        folder
            .refusal("a.stl", &stl[..stl.len() - 1])
            .contains("declares 4 triangles, but the file has bytes for 3")
    );
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(folder.refusal("a.stl", &stl).contains("declares 4294967295 triangles"));
    stl[80..84].copy_from_slice(&5_u32.to_le_bytes());
    assert!(folder.refusal("a.stl", &stl).contains("declares 5 triangles, but the file has bytes for 4"));
    let ply = ply_big_endian();
    assert!(!folder.refusal("a.ply", &ply[..ply.len() - 1]).is_empty());
    let json = gltf_text(ONE_NODE, "");
    let refused = |json: &str, binary: &[u8], expected: &str| {
        let message = folder.refusal("a.glb", glb(json, binary));
        assert!(message.contains(expected), "{message:?} is not {expected:?}");
    };
    refused(&json, &gltf_bytes()[..60], "declares 72 bytes, but has 60");
    refused(&json.replace("\"count\": 12", "\"count\": 1000000000000"), &gltf_bytes(), "1000000000000 items");
    refused(&json.replace("\"byteLength\": 48", "\"byteLength\": 18446744073709551615"), &gltf_bytes(), "");
    let mut wrong = gltf_bytes();
    wrong[48] = 200;
    refused(&json, &wrong, "references vertex 200");
    let required = |name: &str| json.replacen('{', &format!("{{\"extensionsRequired\": [\"{name}\"], "), 1);
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing"] {
        refused(
            &required(name),
            &gltf_bytes(),
            &format!("requires the extension {name}, which is not supported"),
        );
    }
    for (wrong, cause) in [
        (json.replace("\"version\": \"2.0\"", "\"version\": \"1.0\""), "version \"1.0\" of glTF"),
        (json.replace("\"mesh\": 0", "\"mesh\": 3"), "mesh 3 is referenced, but there are only 1"),
        (json.replace("\"nodes\": [0]", "\"nodes\": [7]"), "node 7 is referenced"),
        (json.replace("\"bufferView\": 0", "\"bufferView\": 9"), "buffer view 9 is referenced"),
        (json.replace("\"POSITION\": 0", "\"POSITION\": 8"), "accessor 8 is referenced"),
    ] {
        assert_ne!(wrong, json);
        refused(&wrong, &gltf_bytes(), cause);
    }
    let cycle = gltf_text(r#"[{"mesh": 0, "children": [1]}, {"children": [0]}]"#, "");
    refused(&cycle, &gltf_bytes(), "several parents");
    let whole = glb(&json, &gltf_bytes());
    assert!(folder.refusal("a.glb", &whole[..whole.len() - 4]).contains("bytes, but the file has"));
    assert!(
        folder
            .refusal("a.gltf", gltf_text(ONE_NODE, r#", "uri": "none.bin""#))
            .contains("none.bin cannot be read")
    );
    assert!(folder.refusal("a.gltf", gltf_text(ONE_NODE, r#", "uri": "http://a/b""#)).contains("\"http:\""));
}

/// Every file of every format, cut short anywhere, with any byte changed, or replaced by noise: an error or a mesh,
/// never a panic or an allocation on the word of a header.
#[test]
fn no_damage_makes_a_reader_panic() {
    let data = format!(r#", "uri": "data:;base64,{}""#, base64(&gltf_bytes()));
    let files: [(&str, Vec<u8>); 8] = [
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4 3\nf -1/2/3 2 3\n".to_vec()),
        ("a.off", b"OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n4 0 1 3 2\n".to_vec()),
        ("a.stl", stl_text().into_bytes()),
        ("b.stl", stl_binary(b"x")),
        ("a.ply", ply_text().into_bytes()),
        ("b.ply", ply_big_endian()),
        ("a.glb", glb(&gltf_text(ONE_NODE, ""), &gltf_bytes())),
        ("a.gltf", gltf_text(ONE_NODE, &data).into_bytes()),
    ];
    let mut noise = Noise(1);
    let mut random = || noise.bits(31) as usize;
    for (name, content) in files {
        let path = Path::new(name);
        parse_mesh(&content, path).expect("the undamaged file is good");
        let attempt = |content: &[u8]| {
            if let Err(error) = parse_mesh(content, path) {
                assert!(error.to_string().starts_with(name), "{error}");
            }
        };
        for length in 0..content.len() {
            attempt(&content[..length]);
        }
        for _ in 0..2000 {
            let mut damaged = content.clone();
            for _ in 0..=random() % 3 {
                let position = random() % damaged.len();
                damaged[position] = b"0123456789-.eE \n\xff\x00\x7f\x80"[random() % 20];
            }
            attempt(&damaged);
        }
        let nonsense: Vec<u8> = (0..500).map(|_| random() as u8).collect();
        attempt(&nonsense);
    }
}

/// Models in a folder beside a checkout of the project, which are not part of it.
fn shared_meshes() -> Vec<PathBuf> {
    fn gather(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                gather(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "obj") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    gather(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), &mut found);
    found.sort();
    found
}

#[test]
fn shared_models_load_and_match_their_description() {
    /// The closed ones of `soup/meshes` according to `shared/data/README.md`; those not named here are balanced or open.
    const CLOSED: [&str; 10] = [
        "bumpysphere",
        "bunny_noholes",
        "cup",
        "grate1",
        "grate2",
        "lshape",
        "torus",
        "torusknot",
        "santaclass",
        "dragonclass",
    ];
    const BALANCED: [&str; 2] = ["dragon48k", "dragon200k"];
    const OPEN: [&str; 5] = ["bunny1k", "stanford_bunny", "dragon10k", "spoon", "golfclass"];
    for path in shared_meshes() {
        let place = path.to_string_lossy().into_owned();
        let mesh = match read_mesh(&path) {
            Ok(mesh) => mesh,
            // Files of other projects' tests are damaged on purpose: a refusal names the file.
            Err(error) if place.contains("data/real/") => {
                assert!(error.to_string().starts_with(&place), "{error}");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        if !place.contains("soup/meshes") {
            continue;
        }
        let report = MeshReport::of(&mesh);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if CLOSED.contains(&name.as_str()) {
            assert!(report.closed && report.non_manifold_edges == 0, "{name}: {report}");
        } else if BALANCED.contains(&name.as_str()) {
            assert!(report.closed && report.non_manifold_edges > 0, "{name}: {report}");
        } else if OPEN.contains(&name.as_str()) {
            assert!(!report.closed, "{name}: {report}");
        }
    }
}
