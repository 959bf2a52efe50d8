use super::*;
use crate::app::load::prepare;

const SCENE: &str = r#"(
    title: "boxes", duration: 1,
    shapes: {"box": cuboid(size: (1, 1, 1)), "mesh": mesh(file: "part.obj")},
    bodies: [(name: "box", shape: "box"), (name: "part", shape: "mesh", kind: fixed, position: (0, 0, 3))],
)"#;
const PART: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// A folder with a scene, and the monitor of its files.
fn monitored(name: &str) -> (PathBuf, Reload) {
    let folder = std::env::temp_dir().join(format!("extricate-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("scene.ron");
    fs::write(folder.join("part.obj"), PART).expect("a mesh");
    fs::write(&path, SCENE).expect("a scene");
    let loaded = Loaded::scene(&path, &prepare).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(loaded.models.bodies.len(), 2);
    (folder, Reload::new(&path, &loaded.files, Arc::new(prepare)))
}

/// Waits for the next result of reloading.
fn wait_for_reload(reload: &mut Reload) -> Result<Box<Loaded>, String> {
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until {
        if let Some(reloaded) = reload.poll() {
            return reloaded;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("a change was not seen")
}

#[test]
fn a_changed_scene_is_reloaded_and_an_invalid_one_is_reported_with_its_position() {
    let (folder, mut reload) = monitored("reload-scene");
    let path = folder.join("scene.ron");
    fs::write(&path, SCENE.replace("shape: \"box\")", "shape: \"bax\")")).expect("a scene");
    let error = wait_for_reload(&mut reload).err().expect("it names an unknown shape");
    assert!(error.contains("scene.ron:4:") && error.contains("bax"), "{error}");
    fs::write(
        &path,
        SCENE.replace("bodies: [", "bodies: [(name: \"new\", shape: \"box\", position: (9, 0, 0)),"),
    )
    .expect("a scene");
    assert_eq!(wait_for_reload(&mut reload).unwrap_or_else(|error| panic!("{error}")).models.bodies.len(), 3);
    fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_changed_mesh_is_reloaded_and_a_missing_file_does_not_count_as_changed() {
    let (folder, mut reload) = monitored("reload-mesh");
    let mesh = folder.join("part.obj");
    fs::remove_file(&mesh).expect("it is ours");
    assert!(!reload.has_changed());
    fs::write(&mesh, PART.replace("v 1 0 0", "v 2.5 0 0")).expect("a mesh");
    let loaded = wait_for_reload(&mut reload).unwrap_or_else(|error| panic!("{error}"));
    let part = loaded.models.bodies[loaded.models.body("part").expect("a part")].mesh.clone();
    assert!((part.expect("a mesh").aabb().extents().x - 2.5).abs() < 1e-12);
    assert!(!reload.has_changed(), "nothing has changed since");
    fs::remove_dir_all(folder).expect("it is ours");
}
