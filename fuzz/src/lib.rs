//! Every reader of the crate as a function of bytes. None may panic, hang, or take more memory than a small multiple of
//! what it is given; what it returns does not matter, except where it says so.

mod checksum;
mod recording;
mod scene;

use std::path::Path;
use std::sync::OnceLock;

use extricate::batch::Item;
use extricate::bvh::TriangleBvh;
use extricate::cli::reading;
use extricate::dynamics::Checkpoint;
use extricate::field::DistanceField;
use extricate::geometry::procedural::{Cuboid, Procedural};
use extricate::geometry::read::parse_mesh;
use extricate::geometry::tet_mesh::read::{parse_gmsh, parse_tetgen};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::kinematics::parse_robot;
use extricate::kinematics::srdf::{Srdf, parse_srdf, srdf_text};
use extricate::kinematics::urdf::{Shapes, UrdfOptions, parse_urdf};
use extricate::proximity::Model;
use extricate::record::golden::Golden;
use extricate::repair::{Robot, RobotOptions};

pub use recording::{folder, recording};
pub use scene::{files, scene, world};

/// A reader by its name, which is that of its target.
pub type Reader = (&'static str, fn(&[u8]));

/// All readers.
pub const READERS: [Reader; 22] = [
    ("obj", |bytes| mesh(bytes, "x.obj")),
    ("stl", |bytes| mesh(bytes, "x.stl")),
    ("ply", |bytes| mesh(bytes, "x.ply")),
    ("off", |bytes| mesh(bytes, "x.off")),
    ("gltf", |bytes| mesh(bytes, "/nowhere/x.gltf")),
    ("tetgen", tetgen),
    ("gmsh", |bytes| drop(parse_gmsh(bytes, Path::new("x.msh")))),
    ("urdf", robot),
    ("mjcf", robot),
    ("xacro", xacro),
    ("srdf", srdf),
    ("scene", scene),
    ("world", world),
    ("recording", recording),
    ("poses", poses),
    ("shape_argument", shape_argument),
    ("field", field),
    ("tree", tree),
    ("clear", clear),
    ("golden", golden),
    ("manifest", manifest),
    ("checkpoint", checkpoint),
];

/// Gives the bytes to a reader.
///
/// # Panics
/// Where there is none of that name, or the reader has a defect.
pub fn feed(name: &str, bytes: &[u8]) {
    let (_, reader) = READERS.iter().find(|(known, _)| *known == name).expect("a reader of that name");
    reader(bytes);
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn mesh(bytes: &[u8], path: &str) {
    if let Ok(mesh) = parse_mesh(bytes, path) {
        // What was accepted is what later layers rely on.
        assert!(mesh.vertices().iter().all(|p| p.iter().all(|x| x.is_finite())));
        let count = mesh.vertices().len() as u32;
        assert!(mesh.triangles().iter().flatten().all(|&corner| corner < count));
    }
}

/// The two files stand one after another, with a line of dashes between them.
fn tetgen(bytes: &[u8]) {
    const BORDER: &[u8] = b"\n----\n";
    let border = bytes.windows(BORDER.len()).position(|window| window == BORDER);
    let parts = border.map_or([bytes, bytes], |at| [&bytes[..at], &bytes[at + BORDER.len()..]]);
    let _ = parse_tetgen(parts, Path::new("x.node"));
}

/// URDF and MJCF, by the content.
fn robot(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for (shapes, sound_masses) in [(Shapes::Collision, true), (Shapes::Visual, false)] {
        let options = UrdfOptions { shapes, sound_masses, ..UrdfOptions::default() };
        if let Ok(robot) = parse_robot(text, Path::new("/nowhere/r.urdf"), &options) {
            let joints = robot.articulation.coordinates().len();
            let _ = robot.articulation.link_poses(&vec![0.1; joints], &nalgebra::Isometry3::identity());
        }
    }
}

/// The text stands in a robot that declares the namespace, so that every input is expanded.
fn xacro(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let text = format!("<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"${{1}}\"/>{text}</robot>");
    let _ = parse_urdf(&text, Path::new("/nowhere/r.xacro"), &UrdfOptions::default());
}

/// Pairs that are read are the same after they are written.
fn srdf(bytes: &[u8]) {
    let Some(Ok(srdf)) = text(bytes).map(|text| parse_srdf(text, Path::new("r.srdf"))) else { return };
    let pairs = srdf.disabled.iter().map(|pair| (pair.links.each_ref().map(String::as_str), &*pair.reason));
    let again = parse_srdf(&srdf_text(&srdf.name, pairs), Path::new("r.srdf")).expect("it was written");
    let links = |srdf: &Srdf| srdf.disabled.iter().map(|pair| pair.links.clone()).collect::<Vec<_>>();
    assert_eq!(links(&again), links(&srdf));
    let _ = srdf.allowed(&["a".to_owned(), "b".to_owned()]);
}

fn cuboid() -> &'static TriangleMesh {
    static CUBOID: OnceLock<TriangleMesh> = OnceLock::new();
    CUBOID.get_or_init(|| Cuboid::default().mesh().expect("a cuboid"))
}

/// Half of the files get the right checksum, so that what is behind it is reached.
fn field(bytes: &[u8]) {
    let repaired = checksum::of_field(bytes);
    let _ = DistanceField::parse(bytes, Path::new("x.field"));
    let _ = DistanceField::parse(&repaired, Path::new("x.field"));
}

fn tree(bytes: &[u8]) {
    let repaired = checksum::of_tree(bytes, cuboid().fingerprint());
    let _ = TriangleBvh::parse(cuboid(), bytes, Path::new("x.tree"));
    if let Ok(tree) = TriangleBvh::parse(cuboid(), &repaired, Path::new("x.tree")) {
        assert_eq!(tree, tree.clone());
    }
}

fn shape_argument(bytes: &[u8]) {
    let _ = text(bytes).is_some_and(reading::names_shape);
}

fn clear(bytes: &[u8]) {
    let mut model = Model::new(cuboid().clone(), Solidity::Solid);
    let _ = text(bytes).map(|text| model.parse_clear_configurations(text, Path::new("x.json")));
}

/// What is written of what was read is read as the same.
fn golden(bytes: &[u8]) {
    if let Some(Ok(golden)) = text(bytes).map(Golden::parse) {
        let again = golden.to_string();
        assert!(Golden::parse(&again).is_ok(), "{again}");
    }
}

fn manifest(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    for line in text.lines() {
        match Item::parse(line) {
            Ok(item) => assert!(item.id().is_none_or(|id| !id.contains('/'))),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn checkpoint(bytes: &[u8]) {
    let repaired = checksum::of_checkpoint(bytes);
    for bytes in [bytes, &repaired] {
        if let Ok(checkpoint) = Checkpoint::read(bytes) {
            assert_eq!(
                Checkpoint::read(&checkpoint.to_bytes().expect("bytes")).expect("it was written"),
                checkpoint
            );
        }
    }
}

fn poses(bytes: &[u8]) {
    static ROBOT: OnceLock<Robot> = OnceLock::new();
    let robot = ROBOT.get_or_init(|| {
        let text = r#"<robot name="r"><link name="a"/>
            <link name="b"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
            <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
            <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"#;
        let robot = parse_urdf(text, Path::new("r.urdf"), &UrdfOptions::default()).expect("a robot");
        Robot::new(robot, &RobotOptions::default()).expect("a robot that can be repaired")
    });
    let Some(text) = text(bytes) else { return };
    let _ = reading::poses(text);
    let _ = reading::motions(text);
    let _ = reading::boxes(text);
    let _ = reading::configurations(text, robot);
}
