//! Malicious or damaged files: each is refused with a clear error, at once and without much
//! memory. Whatever fuzzing has found is here by name (`fuzz/`).

use std::path::Path;

use extricate::cli::reading;
use extricate::geometry::limits;
use extricate::geometry::read::parse_mesh;
use extricate::geometry::tet_mesh::read::{parse_gmsh, parse_tetgen};
use extricate::kinematics::urdf::{self, UrdfOptions, parse_urdf};
use extricate::scene::limits as scene_limits;
use extricate::scene::schema::SceneFile;

fn refused(name: &str, bytes: impl AsRef<[u8]>) -> String {
    parse_mesh(bytes.as_ref(), name).expect_err(name).to_string()
}

fn robot(text: &str) -> Result<urdf::Robot, String> {
    parse_urdf(text, Path::new("r.urdf"), &UrdfOptions::default()).map_err(|error| error.to_string())
}

/// All that is wrong with the text of a scene.
fn scene(text: &str) -> Vec<String> {
    let Err(error) = SceneFile::parse(Path::new("s.ron"), text) else { return Vec::new() };
    error.problems().iter().map(ToString::to_string).collect()
}

fn of_bodies(bodies: &str) -> String {
    format!("(title: \"t\", duration: 1, shapes: {{\"s\": ball(radius: 1)}}, bodies: [{bodies}])")
}

/// A glTF file of one triangle with the given nodes, accessor count and buffer.
fn gltf(nodes: &str, count: &str, stride: &str, uri: &str) -> String {
    let children = (0..nodes.matches("mesh").count()).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{children}]}}],"nodes":[{nodes}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3","min":[0,0,0],"max":[1,1,1]}}],
"bufferViews":[{{"buffer":0,"byteLength":36{stride}}}],"buffers":[{{"byteLength":36,"uri":"{uri}"}}]}}"#
    )
}

/// (0, 0, 0), (1, 0, 0) and (0, 1, 0) in single precision.
const TRIANGLE: &str =
    "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";

#[test]
fn a_count_in_a_header_is_checked_against_what_the_file_holds() {
    let binary = [&[0; 80][..], &u32::MAX.to_le_bytes(), &[0; 50]].concat();
    assert!(refused("a.stl", binary).contains("declares 4294967295 triangles, but the file has bytes for 1"));
    let ply = |vertices: &str, list: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
             element face 1\nproperty list uint uint vertex_indices\nend_header\n0 0 0\n{list}\n"
        )
    };
    assert!(refused("a.ply", ply("18446744073709551615", "")).contains("more than the file can hold"));
    assert!(refused("a.ply", ply("1", "4294967295 0 0 0")).contains("a.ply:11"));
    assert!(refused("a.off", "OFF\n18446744073709551615 1 0\n0 0 0").contains("ends early"));
    let huge = "18446744073709551615";
    let gmsh = format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {huge} 1 1\n3 1 0 {huge}\n1\n");
    assert!(parse_gmsh(gmsh.as_bytes(), Path::new("a.msh")).is_err());
    let pair = [format!("{huge} 3\n0 0 0 0\n"), format!("{huge} 4\n")];
    let found = parse_tetgen([pair[0].as_bytes(), pair[1].as_bytes()], Path::new("a.node"));
    assert!(found.unwrap_err().to_string().contains("ends early"));
    for count in ["4", "4000000000", "9223372036854775807"] {
        let message = refused("a.gltf", gltf("{\"mesh\":0}", count, "", TRIANGLE));
        assert!(message.contains("declares") || message.contains("corners"), "{message}");
    }
    assert!(parse_mesh(gltf("{\"mesh\":0}", "3", "", TRIANGLE).as_bytes(), "a.gltf").is_ok());
}

#[test]
fn elements_of_a_ply_file_without_data_take_no_memory() {
    let count = 3_000_000;
    let header = format!(
        "ply\nformat binary_little_endian 1.0\nelement dust {count}\nproperty uchar a\nelement vertex 3\n\
         property uchar x\nproperty uchar y\nproperty uchar z\nelement face 1\nproperty list uchar uchar vertex_index\n\
         end_header\n"
    );
    let bytes = [header.as_bytes(), &vec![7; count], &[0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0, 1, 2]].concat();
    assert_eq!(parse_mesh(&bytes, "a.ply").unwrap().triangles().len(), 1);
}

#[test]
fn a_polygon_that_would_take_long_to_cut_is_refused_and_a_convex_one_is_not() {
    let polygon = |count: usize, radius: fn(usize) -> f64| {
        let corner = |i: usize| {
            let (angle, r) = (i as f64 / count as f64 * std::f64::consts::TAU, radius(i));
            format!("v {} {} 0\n", r * angle.cos(), r * angle.sin())
        };
        let corners: String = (0..count).map(corner).collect();
        let face: String = (1..=count).map(|i| format!(" {i}")).collect();
        parse_mesh(format!("{corners}f{face}\n").as_bytes(), "a.obj")
    };
    let star = |i| if i % 2 == 0 { 1.0 } else { 0.5 };
    assert_eq!(polygon(400, star).unwrap().triangles().len(), 398);
    let error = polygon(limits::POLYGON_CORNERS + 2, star).unwrap_err().to_string();
    assert!(error.contains("a.obj:10003: the polygon is not convex") && error.contains("10000"), "{error}");
    assert_eq!(polygon(20_000, |_| 1.0).unwrap().triangles().len(), 19_998);
}

#[test]
fn a_mesh_that_many_nodes_show_is_refused_before_it_fills_the_memory() {
    let nodes = |count: usize| vec!["{\"mesh\":0}"; count].join(",");
    assert_eq!(
        parse_mesh(gltf(&nodes(100), "3", "", TRIANGLE).as_bytes(), "a.gltf").unwrap().triangles().len(),
        100
    );
    // A view of which each byte begins a position, shown often.
    let data = format!("{TRIANGLE}{}", "A".repeat(400_000));
    let many = gltf(&nodes(30), "300000", ",\"byteStride\":4", &data).replace("36", "300036");
    let message = refused("a.gltf", many);
    assert!(message.contains("6 million corners") || message.contains("declares"), "{message}");
    let objects = format!("{{\"nodes\":[{}]}}", vec!["{}"; limits::GLTF_ITEMS + 1].join(","));
    assert!(refused("a.gltf", objects).contains("at most 1000000 are accepted"));
    let buffers = vec!["{\"byteLength\":1,\"uri\":\"none.bin\"}"; limits::BUFFERS + 1].join(",");
    let text = format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{buffers}]}}");
    assert!(refused("a.gltf", text).contains("1001 buffers, at most 1000"));
}

#[test]
fn values_in_values_end_in_an_error_and_not_on_the_stack() {
    for deep in [1_000, 100_000] {
        let (open, close) = ("[".repeat(deep), "]".repeat(deep));
        assert_eq!(scene(&format!("(title: {open}{close})")).len(), 1);
        assert_eq!(scene(&of_bodies(&"hull(of: ".repeat(deep))).len(), 1);
        assert!(!scene(&format!("{}(title: \"t\")", "/*".repeat(deep))).is_empty());
        assert!(reading::poses(&format!("{{\"a\": {open}{close}}}")).is_err());
        // Ignored values are skipped, however deep they are.
        assert!(reading::poses(&format!("{{\"other\": {open}{close}}}")).is_ok());
        assert!(refused("a.gltf", format!("{{\"extras\": {open}{close}}}")).starts_with("a.gltf: "));
        let elements =
            format!("<robot name=\"r\">{}{}</robot>", "<link>".repeat(deep), "</link>".repeat(deep));
        assert!(robot(&elements).unwrap_err().contains("nested more than 64 deep"));
        assert!(!reading::names_shape(&"rounded:1:".repeat(deep)));
    }
}

#[test]
fn elements_that_the_parser_of_robots_multiplies_are_counted_before() {
    let many = |what: &str, count: usize| (0..count).map(|i| format!(" {what}{i}=\"u\"")).collect::<String>();
    let spaces = many("xmlns:n", limits::XML_NAMESPACES + 1);
    assert!(robot(&format!("<robot name=\"r\"{spaces}/>")).unwrap_err().contains("1000 namespaces"));
    let attributes = many("a", limits::XML_ATTRIBUTES + 1);
    assert!(robot(&format!("<robot name=\"r\"{attributes}/>")).unwrap_err().contains("10000 attributes"));
    let laughs = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\">]><robot name=\"r\">&a;</robot>";
    assert!(robot(laughs).unwrap_err().contains("document type"));
    let brackets =
        format!("<robot name=\"r\"><link name=\"a\"><![CDATA[{}]]></link></robot>", "]".repeat(300));
    assert!(robot(&brackets).is_ok());
    let links: String = (0..=urdf::limits::LINKS).map(|i| format!("<link name=\"l{i}\"/>")).collect();
    assert!(robot(&format!("<robot name=\"r\">{links}</robot>")).unwrap_err().contains("10001 links"));
}

#[test]
fn a_scene_that_asks_for_too_much_is_refused_at_the_place_where_it_does() {
    let copies = |count: &str, more: &str| {
        of_bodies(&format!("(name: \"a\", shape: \"s\", copies: (count: {count}, spacing: (1, 1, 1){more}))"))
    };
    assert!(
        scene(&copies("(4000000000, 4000000000, 4000000000)", ""))[0]
            .contains("at most 1000000 are supported")
    );
    // A hundred unknown names, each of which was reported with all known ones.
    let unknown: String = (0..100).map(|i| format!("\"x{i}\": (0, 0, 0), ")).collect();
    let problems = scene(&copies("(300, 300, 1)", &format!(", moved: {{{unknown}}}")));
    assert_eq!(problems.len(), scene_limits::PROBLEMS);
    let long = "n".repeat(scene_limits::NAME_BYTES + 1);
    let problems = scene(&of_bodies(&format!("(name: \"{long}\", shape: \"s\")")));
    assert!(problems.len() == 1 && problems[0].contains("257 bytes; at most 256"), "{problems:?}");
    let wrong = "(name: \"\", shape: \"t\"), ".repeat(10_000);
    assert_eq!(scene(&of_bodies(&wrong)).len(), scene_limits::PROBLEMS);
    let infinite = "inf, ".repeat(10_000);
    assert!(scene(&format!("(title: \"t\", duration: 1, bodies: [], gravity: ({infinite}))")).len() <= 100);
    let body = |resolution: u32| {
        let mesh = "mesh: block(size: (1, 1, 1), counts: (1, 1, 1))";
        let material = "material: (youngs_modulus: 1, poisson_ratio: 0.3)";
        format!("(name: \"b{resolution}\", {mesh}, {material}, depths: grid(resolution: {resolution}))")
    };
    let soft = |bodies: &str| format!("(title: \"t\", duration: 1, soft_bodies: [{bodies}])");
    assert_eq!(scene(&soft(&body(600))), Vec::<String>::new());
    assert!(scene(&soft(&format!("{}, {}", body(600), body(500))))[0].contains("reduce their `resolution`"));
}

/// Found by fuzzing: the copies of an empty grid were counted out along its other axes.
#[test]
fn an_empty_grid_of_copies_is_refused_at_once_however_long_its_other_sides_are() {
    let copies =
        "(name: \"a\", shape: \"s\", copies: (count: (40000000, 0, 4000000000), spacing: (0, 0, 0)))";
    let problems = scene(&of_bodies(copies));
    assert!(problems.iter().any(|problem| problem.contains("zero count")), "{problems:?}");
}
