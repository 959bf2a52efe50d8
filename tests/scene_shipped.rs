//! The shipped scenes load, say what to look at, and have expectations.

use std::fs;
use std::path::{Path, PathBuf};

use extricate::scene::Scene;
use extricate::scene::schema::Expect;

fn scenes_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry can be read").path()) {
        if path.is_dir() {
            found.extend(scenes_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_scene_loads_says_what_to_look_at_and_expects_something() {
    let scenes = scenes_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes"));
    assert!(scenes.len() >= 8, "{scenes:?}");
    for path in scenes {
        let name = path.display();
        let scene = Scene::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(scene.text.starts_with("// Look at: "), "{name} does not say what to look at");
        assert!(!scene.title.is_empty() && !scene.description.is_empty(), "{name} says nothing of itself");
        assert_ne!(scene.expect, Expect::default(), "{name} expects nothing");
        assert!(scene.world().is_ok(), "{name} makes no world");
    }
}
