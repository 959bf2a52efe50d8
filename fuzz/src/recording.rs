//! The folder of a run, of which one file is what it is fed.

use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::OnceLock;

use extricate::record::{Recording, RunDirectory, RunOptions, run};
use extricate::scene::Scene;

/// Files of a run; the first byte of the input says which one is replaced by the rest, or missing, and whether the summary is
/// missing, too.
pub const FILES: [&str; 5] = ["states.jsonl", "nodes.bin", "run.json", "summary.json", "scene.ron"];

/// Place of the summary among them.
const SUMMARY: usize = 3;

/// The scene that was run: a body, a robot's worth of names, and a soft body of one cell.
const SCENE: &str = r#"(title: "t", duration: 0.1, time_step: 0.01,
    shapes: {"box": cuboid(size: (1, 1, 1))},
    bodies: [(name: "b", shape: "box", position: (0, 0, 5))],
    soft_bodies: [(name: "s", mesh: block(size: (1, 1, 1), counts: (1, 1, 1)),
        material: (density: 1000, youngs_modulus: 1e5, poisson_ratio: 0.3))])"#;

/// The folder of a run of the scene, in which each process has one; the contents of its files.
pub fn folder() -> &'static (PathBuf, Vec<Vec<u8>>) {
    static FOLDER: OnceLock<(PathBuf, Vec<Vec<u8>>)> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let folder = parent.join(format!("extricate-fuzz-{}", std::process::id()));
        let scene = Scene::parse(&folder.join("x.ron"), SCENE.to_owned()).expect("a scene");
        let world = scene.world().expect("a world");
        let directory = RunDirectory::create(&folder).expect("a folder");
        let options = RunOptions { steps: 4, every: 2, check_expectations: false };
        run(&scene, world, &options, Some(directory), &mut |_| ControlFlow::Continue(())).expect("a run");
        let contents = FILES.map(|file| fs::read(folder.join(file)).expect("a file of the run"));
        (folder, contents.into())
    })
}

/// A run of which one file is what follows the first byte.
pub fn recording(bytes: &[u8]) {
    let Some((&first, content)) = bytes.split_first() else { return };
    let (folder, whole) = folder();
    let (which, missing) = (usize::from(first) % FILES.len(), usize::from(first) / FILES.len());
    if missing % 2 == 1 {
        fs::remove_file(folder.join(FILES[which])).expect("it can be removed");
    } else {
        fs::write(folder.join(FILES[which]), content).expect("it can be written");
    }
    let is_running = missing / 2 % 2 == 1;
    if is_running {
        // It may be the one that is missing.
        let _ = fs::remove_file(folder.join(FILES[SUMMARY]));
    }
    let opened = if which == 4 && !is_small(content) { None } else { Recording::open(folder).ok() };
    if let Some(recording) = opened {
        for state in 0..recording.state_count().min(16) {
            if let Ok(state) = recording.state(state) {
                assert!(
                    state.soft.iter().all(|body| body.nodes.iter().all(|p| p.iter().all(|x| x.is_finite())))
                );
            }
        }
        let _ = recording.state_at(0.5);
    }
    fs::write(folder.join(FILES[which]), &whole[which]).expect("it can be written");
    if is_running {
        fs::write(folder.join(FILES[SUMMARY]), &whole[SUMMARY]).expect("it can be written");
    }
}

/// The target of worlds is another one.
fn is_small(content: &[u8]) -> bool {
    content.len() < 2 * SCENE.len()
}
