//! A world that takes on a saved state goes on with the bits of the one that was not interrupted.

use std::path::{Path, PathBuf};

use extricate::dynamics::{Checkpoint, World};
use extricate::scene::Scene;

/// A world of a scene: as it is built, for every call the same.
fn world(path: &Path) -> World {
    Scene::load(path).unwrap().world().unwrap()
}

fn steps(world: &mut World, count: u64) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

/// Bytes of the whole state.
fn bytes(world: &World) -> Vec<u8> {
    world.checkpoint().unwrap().to_bytes().unwrap()
}

/// Interrupts a scene after `before` steps and compares `after` more, the second world on `threads` threads.
fn goes_on_alike(path: &Path, [before, after]: [u64; 2], threads: usize) {
    let name = path.display();
    let mut first = world(path);
    steps(&mut first, before);
    let saved = bytes(&first);
    let mut second = world(path);
    second.restore(&Checkpoint::read(&saved).unwrap()).unwrap();
    assert_eq!(second.hash(), first.hash(), "{name}: the state taken on");
    assert_eq!(bytes(&second), saved, "{name}: saved again");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    for step in 1..=after {
        let [one, two] = [first.step().unwrap(), pool.install(|| second.step().unwrap())];
        assert_eq!(second.hash(), first.hash(), "{name}: step {step} after {before}");
        assert_eq!((two.contacts, two.energy, two.resolving), (one.contacts, one.energy, one.resolving));
    }
    assert_eq!(first.robots(), second.robots(), "{name}");
    assert_eq!(bytes(&first), bytes(&second), "{name}: the whole state {after} steps after {before}");
}

/// The scene files of a folder and of the folders in it, sorted.
fn scenes(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "ron" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn closed_forms_go_on_alike() {
    for path in scenes("scenes/rigid/closed_form") {
        goes_on_alike(&path, [70, 60], 1);
    }
}

/// `EXTRICATE_SCENES=folder` picks the scenes, `EXTRICATE_STEPS=before,after` the steps.
#[test]
#[ignore = "takes minutes"]
fn every_shipped_scene_goes_on_alike() {
    let folder = std::env::var("EXTRICATE_SCENES").unwrap_or_else(|_| "scenes".into());
    let counts = std::env::var("EXTRICATE_STEPS").unwrap_or_else(|_| "60,40".into());
    let (before, after) = counts.split_once(',').unwrap();
    let counts = [before, after].map(|count| count.parse().unwrap());
    let mut failed = Vec::new();
    for path in scenes(&folder) {
        let started = std::time::Instant::now();
        let outcome = std::panic::catch_unwind(|| goes_on_alike(&path, counts, 1));
        let word = if outcome.is_ok() { "alike" } else { "DIFFERS" };
        println!("{word} {} {:.1} s", path.display(), started.elapsed().as_secs_f64());
        if outcome.is_err() {
            failed.push(path);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
