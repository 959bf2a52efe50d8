//! Manifests of all kinds of items, and folders of batches to compare.

use extricate_test_support::Noise;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::ROOT;
use super::cli_program::{Ended, ScratchFolder, extricate};

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

pub(crate) fn schema(name: &str) -> Value {
    let path = format!("{ROOT}/assets/schema/{name}.schema.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON")
}

fn translation(noise: &mut Noise, size: f64) -> String {
    let coordinates: [f64; 3] = std::array::from_fn(|_| size * noise.next());
    format!("{{\"translation\": {coordinates:?}}}")
}

/// A manifest of many kinds of items, some of which fail, in a folder with a mesh.
pub(crate) fn manifest(folder: &ScratchFolder, items: usize) -> String {
    fs::copy(format!("{ROOT}/assets/meshes/ring.obj"), folder.path("ring.obj")).expect("a mesh");
    fs::copy(format!("{ROOT}/assets/meshes/ring.obj"), folder.path("again.obj")).expect("a mesh");
    fs::copy(format!("{ROOT}/assets/robots/two_link.urdf"), folder.path("arm.urdf")).expect("a robot");
    folder.write("bad.obj", "v 0 0 0\nv 1 0 0\nf 1 2 7\n");
    folder.write("scene.ron", SCENE);
    let mut noise = Noise(7);
    let item = |index: usize| {
        let pose = translation(&mut noise, 0.6);
        match index % 12 {
            0 | 6 => format!(
                r#"{{"kind": "penetration", "a": "ring.obj", "b": "again.obj", "poses": {{"a": {pose}}}, "effort": "fast"}}"#
            ),
            1 => format!(
                r#"{{"kind": "penetration", "id": "c-{index}", "a": "box:1,1,1", "b": "hull:ring.obj", "poses": {{"a": {pose}}}}}"#
            ),
            2 => format!(
                r#"{{"kind": "collide", "a": "ring.obj", "b": "box:1,1,1", "poses": {{"b": {pose}}}, "all": true}}"#
            ),
            3 => format!(
                r#"{{"kind": "distance", "a": "cone:0.2,0.5", "b": "sphere:0.3", "poses": {{"a": {pose}}}, "signed": true}}"#
            ),
            4 => format!(
                r#"{{"kind": "generalized", "a": "box:1,0.2,0.2", "b": "box:0.5,0.5,0.5", "poses": {{"a": {pose}}}, "effort": "fast"}}"#
            ),
            5 => format!(
                r#"{{"kind": "penetration", "a": "bad.obj", "b": "ring.obj", "poses": {{"a": {pose}}}}}"#
            ),
            7 => format!(
                r#"{{"kind": "repair", "robot": "arm.urdf", "obstacle": [{{"shape": "sphere:0.1", "pose": {pose}}}], "effort": "fast"}}"#
            ),
            8 => String::from(
                r#"{"kind": "penetration", "a": "ring.obj", "b": "ring.obj", "poses": {"a": {"translation": [NaN, 0, 0]}}}"#,
            ),
            9 => format!(
                r#"{{"kind": "distance", "a": "ring.obj", "b": "again.obj", "poses": {{"a": {pose}}}}}"#
            ),
            10 => format!(r#"{{"kind": "run", "id": "run-{index}", "scene": "scene.ron", "steps": 5}}"#),
            _ => String::from(r#"{"kind": "repair", "scene": "scene.ron"}"#),
        }
    };
    let text: Vec<String> = (0..items).map(item).collect();
    folder.write("manifest.jsonl", &(text.join("\n") + "\n"))
}

/// Two cubes, one in the other.
pub(crate) const SCENE: &str = r#"(
    title: "Two cubes, one in the other",
    duration: 0.1,
    shapes: {"cube": cuboid(size: (1, 1, 1))},
    bodies: [
        (name: "a", shape: "cube", position: (0, 0, 0)),
        (name: "b", shape: "cube", position: (0.6, 0.1, 0)),
    ],
)
"#;

pub(crate) fn batch(manifest: &str, output: &str, options: &[&str]) -> Ended {
    extricate(["batch", manifest, "-o", output, "--quiet"].into_iter().chain(options.iter().copied()))
}

/// Every file below a folder that does not depend on the machine, with its bytes.
pub(crate) fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    fn gather(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                gather(root, &path, found);
            } else if path.file_stem().is_some_and(|name| name != "timing") {
                let name = path.strip_prefix(root).expect("a file below").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    let mut found = BTreeMap::new();
    gather(Path::new(folder), Path::new(folder), &mut found);
    found
}

pub(crate) fn assert_same(left: &str, right: &str) {
    let (left, right) = (files(left), files(right));
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (name, bytes) in &left {
        assert!(bytes == &right[name], "{name} differs");
    }
}
