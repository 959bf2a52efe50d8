//! Scenes: their text alone, and small ones up to the world.

use std::path::Path;

use extricate::geometry::procedural::KINDS;
use extricate::geometry::read::Reach;
use extricate::scene::Scene;
use extricate::scene::schema::{
    DepthsEntry, SceneFile, SectionEntry, ShapeEntry, SoftBodyEntry, TetMeshEntry,
};

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

/// A scene that is small, with its meshes, and its world after a step.
pub fn world(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let path = Path::new("/nowhere/x.ron");
    let Ok(file) = SceneFile::parse(path, text) else { return };
    if !is_small(&file) {
        return;
    }
    if let Ok(scene) = Scene::parse_within(path, text.to_owned(), &Reach::around(path)) {
        let moved = scene.bodies.iter().map(|body| (body.name.clone(), nalgebra::Vector3::x())).collect();
        let text = scene.text_with_moves(&moved, Path::new("/nowhere")).expect("the text of a scene");
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
        DepthsEntry::Grid { resolution } => resolution,
    };
    cells <= 500 && depths <= 24
}
