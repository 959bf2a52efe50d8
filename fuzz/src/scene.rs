//! Scenes: their text alone, and small ones up to the world.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use extricate::geometry::procedural::{Cuboid, KINDS, Procedural};
use extricate::geometry::read::FileScope;
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::tet_mesh::write::write_tets;
use extricate::geometry::write::write_mesh;
use extricate::scene::Scene;
use extricate::scene::schema::{
    DepthsEntry, SceneFile, SectionEntry, ShapeEntry, SoftBodyEntry, TetMeshEntry,
};
use nalgebra::{Point3, Vector3};

/// A count up to which what is made of numbers is made at once.
const SMALL: f64 = 24.0;

/// The text of a scene, validated.
pub fn scene(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        match SceneFile::parse(Path::new("/nowhere/x.ron"), text) {
            Ok(_) => {}
            Err(error) => error.problems().iter().for_each(|problem| {
                assert!(problem.line_and_column() >= (1, 1) && !problem.to_string().is_empty());
            }),
        }
    }
}

/// A robot with a joint that turns, one that slides, and one that does neither.
const ROBOT: &str = r#"<robot name="r"><link name="base"/>
<link name="arm"><collision><geometry><box size="0.1 0.1 1"/></geometry></collision></link>
<link name="hand"><visual><geometry><mesh filename="box.obj"/></geometry></visual>
<collision><geometry><mesh filename="package://folder/box.obj"/></geometry></collision><collision><geometry><sphere radius="0.2"/></geometry></collision></link>
<link name="tip"/><joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="3" velocity="2"/></joint><joint name="slide" type="prismatic"><parent link="arm"/>
<child link="hand"/><origin xyz="0 0 2"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="3" velocity="2"/></joint>
<joint name="hold" type="fixed"><parent link="hand"/><child link="tip"/></joint></robot>"#;

/// The folder of the files that scenes may name, made when it is asked for first: a robot, meshes that are closed, open and
/// flat, tetrahedra. All processes share it.
///
/// # Panics
/// Where it cannot be made.
pub fn files() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| make_files().expect("the folder of files can be made"))
}

fn make_files() -> Result<PathBuf, Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("extricate-fuzz-files");
    std::fs::create_dir_all(&folder)?;
    // Whole under another name first: another process may read them.
    let draft = |name: &str| folder.join(format!("{}-{name}", std::process::id()));
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    std::fs::write(draft("arm.urdf"), ROBOT)?;
    std::fs::write(draft("open.obj"), triangle)?;
    std::fs::write(draft("flat.obj"), format!("{triangle}f 1 3 2\n"))?;
    write_mesh(&Cuboid::default().mesh()?, draft("box.obj"))?;
    let mesh = block([1, 1, 1], Vector3::repeat(1.0), Point3::origin())?;
    write_tets(&mesh, draft("block.node"))?;
    write_tets(&mesh, draft("block.msh"))?;
    for name in ["arm.urdf", "open.obj", "flat.obj", "box.obj", "block.node", "block.ele", "block.msh"] {
        std::fs::rename(draft(name), folder.join(name))?;
    }
    Ok(folder)
}

/// A scene that is small, with its files, and its world.
pub fn world(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = &files().join("x.ron");
    let Ok(file) = SceneFile::parse(path, text) else { return };
    if !is_small(&file) {
        return;
    }
    if let Ok(scene) = Scene::parse_within(path, text.to_owned(), &FileScope::around(path)) {
        let moved = scene.bodies.iter().map(|body| (body.name.clone(), Vector3::x())).collect();
        let text = scene.text_with_moves(&moved, files()).expect("the text of a scene");
        let _ = SceneFile::parse(path, &text);
        let _ = scene.world();
    }
}

fn is_small(file: &SceneFile) -> bool {
    let copies = file.bodies.iter().filter_map(|body| body.copies.as_ref());
    let copies: u64 = copies.map(|copies| product([copies.count.0, copies.count.1, copies.count.2])).sum();
    file.bodies.len() + file.robots.len() + file.soft_bodies.len() <= 8
        && copies <= 64
        && file.shapes.0.len() <= 8
        && file.shapes.0.iter().all(|(_, shape)| is_small_shape(shape))
        && file.soft_bodies.iter().all(is_small_body)
}

fn product<const N: usize>(counts: [u32; N]) -> u64 {
    counts.into_iter().fold(1, |product, count| product.saturating_mul(count.into()))
}

fn is_small_shape(shape: &ShapeEntry) -> bool {
    match shape {
        ShapeEntry::Procedural { kind, parameters, .. } => {
            let given = |name: &str, default: f64| parameters.get(name).copied().unwrap_or(default);
            let mut counts =
                KINDS.iter().filter(|known| known.name == kind).flat_map(|known| known.parameters);
            parameters.values().all(|value| value.abs() <= SMALL)
                && counts.all(|count| !count.is_count || given(count.name, count.default) <= SMALL)
        }
        ShapeEntry::Hull { of } => is_small_shape(of),
        ShapeEntry::Rounded { core, .. } => is_small_shape(core),
        _ => true,
    }
}

fn is_small_body(body: &SoftBodyEntry) -> bool {
    let section = |section: &SectionEntry| match *section {
        SectionEntry::Disc { rings, .. } => product([rings, rings]),
        SectionEntry::Annulus { layers, around, .. } => product([layers, around]),
        SectionEntry::Rectangle { counts: (a, b), .. } => product([a, b]),
    };
    let cells = match &body.mesh {
        TetMeshEntry::Block { counts: (x, y, z), .. } => product([*x, *y, *z]),
        TetMeshEntry::Rod { section: of, layers, .. } | TetMeshEntry::Ring { section: of, layers, .. } => {
            section(of).saturating_mul((*layers).into())
        }
        TetMeshEntry::File { .. } => 0,
        // Small cells of a large shape are many.
        TetMeshEntry::Tetrahedralized { cell, .. } => u64::MAX * u64::from(cell.is_some()),
    };
    let depths = match body.depths {
        DepthsEntry::Exact => 0,
        DepthsEntry::Grid { resolution, .. } => resolution,
    };
    cells <= 500 && depths <= 24
}
