//! A file to which another file refers is read only within the root of that file, whatever its kind and path.
#![expect(clippy::unwrap_used, reason = "a folder that cannot be made is a failed test")]

mod cli_program;

use std::fs;
use std::path::Path;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate::geometry::FileError;
use extricate::geometry::procedural::{Cuboid, Procedural};
use extricate::geometry::read::{FileScope, ROOT_MARKER, read_mesh, read_mesh_within};
use extricate::geometry::write::write_mesh;
use extricate::kinematics::urdf::{RobotFileError, UrdfOptions, read_urdf};
use extricate::scene::Scene;

const ROBOT: &str = "<robot name=\"r\"><link name=\"a\"><KIND><geometry><mesh filename=\"FILE\"/></geometry></KIND>\
    <collision><geometry><box size=\"1 1 1\"/></geometry></collision></link></robot>";

/// A folder with `in/` for the file that is asked about, and `out/` with a mesh, a robot and a buffer out of its reach.
/// The empty marker keeps the marker of the repository, above, from being found.
struct World(ScratchFolder);

impl World {
    fn new() -> Self {
        let folder = scratch_folder();
        for name in ["in/deep", "out/pack"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        folder.write(&format!("in/{ROOT_MARKER}"), "");
        write_mesh(&Cuboid::default().mesh().unwrap(), folder.path("out/box.obj")).unwrap();
        fs::copy(folder.path("out/box.obj"), folder.path("out/pack/box.obj")).unwrap();
        fs::copy(folder.path("out/box.obj"), folder.path("in/box.obj")).unwrap();
        for copy in ["out/only.obj", "out/pack/only.obj"] {
            fs::copy(folder.path("out/box.obj"), folder.path(copy)).unwrap();
        }
        folder.write("out/r.urdf", &ROBOT.replace("KIND", "visual").replace("FILE", "box.obj"));
        folder.write("out/buffer.bin", &"\0".repeat(48));
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.path(name)
    }

    fn scene(&self, shape: &str, more: &str) -> String {
        let text = format!(
            "(title: \"t\", duration: 0.01, gravity: (0, 0, 0), shapes: {{\"s\": {shape}}},\n\
             bodies: [(name: \"b\", shape: \"s\", position: (0, 0, 9))], {more})"
        );
        self.0.write("in/s.ron", &text)
    }

    /// Absolute, with dots, and through a folder that is left again.
    fn paths_to(&self, name: &str) -> [String; 3] {
        [self.path(name), format!("../{name}"), format!("deep/../../{name}")]
    }
}

#[test]
fn no_part_of_a_scene_names_a_file_out_of_reach() {
    let world = World::new();
    for path in world.paths_to("out/box.obj").into_iter().chain(["/dev/zero".into(), "/etc/passwd".into()]) {
        let mesh = format!("mesh(file: \"{path}\")");
        let soft = format!("mesh: tetrahedralized(of: {mesh})");
        let of_file = format!("mesh: file(file: \"{path}.node\")");
        let material = "material: (youngs_modulus: 1, poisson_ratio: 0.3)";
        for (shape, more) in [
            (mesh.clone(), String::new()),
            (format!("hull(of: {mesh})"), String::new()),
            (format!("rounded(core: hull(of: {mesh}), radius: 1)"), String::new()),
            ("ball(radius: 1)".into(), format!("soft_bodies: [(name: \"x\", {soft}, {material})]")),
            ("ball(radius: 1)".into(), format!("soft_bodies: [(name: \"x\", {of_file}, {material})]")),
            ("ball(radius: 1)".into(), format!("robots: [(name: \"x\", file: \"{path}\")]")),
            (
                "ball(radius: 1)".into(),
                format!("robots: [(name: \"x\", file: \"no.urdf\", packages: [\"{path}\"])]"),
            ),
        ] {
            let path = world.scene(&shape, &more);
            let error = Scene::load(&path).unwrap_err().to_string();
            let is_missing_robot = error.contains("no.urdf");
            assert!(
                !is_missing_robot && error.contains("lies outside of") && error.contains("--root DIR"),
                "{shape} {more}: {error}"
            );
            assert!(error.contains("s.ron:") && error.contains("in"), "{error}");
        }
    }
    // The same names, allowed.
    let path =
        world.scene("mesh(file: \"../out/box.obj\")", "robots: [(name: \"x\", file: \"../out/r.urdf\")]");
    assert!(Scene::load(&path).is_err());
    assert!(Scene::load_within(Path::new(&path), &FileScope::anywhere()).is_ok());
    let reach = FileScope::around(Path::new(&path)).and(Path::new(&world.path("out")));
    assert!(Scene::load_within(Path::new(&path), &reach).is_ok());
    assert!(Scene::load(world.scene("mesh(file: \"deep/../box.obj\")", "")).is_ok());
}

#[test]
fn a_robot_names_meshes_within_its_reach_however_it_writes_them() {
    let world = World::new();
    let load = |file: &str, kind: &str| {
        let text = ROBOT.replace("KIND", kind).replace("FILE", file);
        read_urdf(world.0.write("in/r.urdf", &text), &UrdfOptions::default())
    };
    assert!(load("box.obj", "collision").is_ok() && load("file://box.obj", "collision").is_ok());
    let file = format!("file://{}", world.path("out/box.obj"));
    for path in world.paths_to("out/box.obj").into_iter().chain([file, "model://../../out/box.obj".into()]) {
        let error = load(&path, "collision").expect_err(&path);
        assert!(error.to_string().contains("lies outside of"), "{path}: {error}");
    }
    // A package beside the folder of the robot is looked for, but not taken.
    let error = load("package://out/only.obj", "collision").unwrap_err();
    assert!(
        error.to_string().contains("not found") && error.to_string().contains("--allow-outside"),
        "{error}"
    );
    let text = ROBOT.replace("KIND", "collision").replace("FILE", "package://pack/only.obj");
    let path = world.0.write("in/r.urdf", &text);
    let packages = vec![world.path("out/pack").into()];
    assert!(read_urdf(&path, &UrdfOptions { packages: packages.clone(), ..UrdfOptions::default() }).is_ok());
    // Told what it may name, it may name nothing else, its packages neither.
    let reach = Some(FileScope::around(Path::new(&path)));
    let error = read_urdf(&path, &UrdfOptions { packages, reach, ..UrdfOptions::default() }).unwrap_err();
    assert!(
        matches!(error, RobotFileError::Content { .. }) && error.to_string().contains("lies outside"),
        "{error}"
    );
}

#[test]
fn a_gltf_file_names_buffers_within_its_reach_however_it_writes_them() {
    let world = World::new();
    let load = |uri: &str| {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":4,"uri":"{uri}"}}]}}"#);
        let path = world.0.write("in/a.gltf", &text);
        read_mesh(&path).unwrap_err()
    };
    let encoded = "%2e%2e/out/buffer.bin".to_owned();
    let slash = "%2e%2e%2fout%2fbuffer.bin".to_owned();
    for path in world.paths_to("out/buffer.bin").into_iter().chain([encoded, slash]) {
        let error = load(&path);
        assert!(matches!(&error, FileError::OutsideFileScope(_)), "{path}: {error}");
    }
    assert!(load("file:///etc/passwd").to_string().contains("the scheme \"file:\" is not supported"));
    assert!(load("none.bin").to_string().contains("none.bin cannot be read"));
    let path = world.path("in/a.gltf");
    load("../out/buffer.bin");
    let within = read_mesh_within(Path::new(&path), &FileScope::anywhere()).unwrap_err();
    assert!(matches!(within, FileError::Shape { .. }), "it is read, and has no triangles: {within}");
}

#[cfg(unix)]
#[test]
fn symbolic_links_lead_nowhere_and_devices_have_no_end() {
    let world = World::new();
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, world.path(name)).unwrap();
    link("../out/box.obj", "in/link.obj");
    link("../out", "in/folder");
    link("/dev/zero", "in/zero.obj");
    for file in ["link.obj", "folder/box.obj", "folder/../out/box.obj", "zero.obj"] {
        let error = Scene::load(world.scene(&format!("mesh(file: \"{file}\")"), "")).unwrap_err().to_string();
        assert!(error.contains("lies outside of"), "{file}: {error}");
    }
    let path = world.scene("mesh(file: \"zero.obj\")", "");
    let error = Scene::load_within(Path::new(&path), &FileScope::anywhere()).unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn a_file_that_is_too_long_is_not_read() {
    let world = World::new();
    let file = fs::File::create(world.path("in/long.stl")).unwrap();
    // A hole, which takes no room.
    file.set_len(extricate::geometry::limits::FILE_BYTES + 1).unwrap();
    let error = read_mesh(world.path("in/long.stl")).unwrap_err().to_string();
    assert!(error.contains("long.stl") && error.contains("8589934593 bytes, at most"), "{error}");
    fs::File::create(world.path("in/long.ron")).unwrap().set_len(1 << 30).unwrap();
    assert!(
        Scene::load(world.path("in/long.ron"))
            .unwrap_err()
            .to_string()
            .contains("at most 67108864 are accepted")
    );
}

#[test]
fn every_command_takes_the_folders_that_files_may_name() {
    let world = World::new();
    let scene = world.scene("mesh(file: \"../out/box.obj\")", "");
    let (out, run) = (world.path("out"), world.path("run"));
    for command in [&["check", &scene][..], &["run", &scene, "-o", &run], &["verify", &scene, "-o", &run]] {
        let refused = extricate(command.iter().copied());
        assert_eq!(refused.exit, 3, "{command:?}: {}", refused.stderr);
        let message = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(message.contains("box.obj") && message.contains("--allow-outside"), "{command:?}: {message}");
        for allowed in [&["--root", &out][..], &["--allow-outside"]] {
            let ended = extricate(command.iter().chain(allowed).copied());
            assert!(ended.exit <= 1, "{command:?} {allowed:?}: {}", ended.stderr);
        }
    }
    let robot =
        world.0.write("in/r.urdf", &ROBOT.replace("KIND", "collision").replace("FILE", "../out/box.obj"));
    let ask = ["query", "self-collision", &robot];
    assert_eq!(extricate(ask).exit, 3);
    let ended = extricate(ask.into_iter().chain(["--root", &out]));
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    let missing = extricate(["check", &scene, "--root", &world.path("nowhere")]);
    assert!(missing.exit == 2 && missing.stderr.contains("folder not found"), "{}", missing.stderr);
}

#[test]
fn the_folder_of_a_run_holds_no_file_that_the_scene_may_not_name() {
    let world = World::new();
    // A mesh for display only is not read, and its absence is not an error: it must not be copied either.
    let secret = world.0.write("out/secret.txt", "a secret");
    for path in [secret.as_str(), "../out/secret.txt", "package://out/secret.txt"] {
        world.0.write("in/r.urdf", &ROBOT.replace("KIND", "visual").replace("FILE", path));
        let scene = world.scene("ball(radius: 1)", "robots: [(name: \"r\", file: \"r.urdf\")]");
        let ended = extricate(["run", &scene, "-o", &world.path("run")]);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        let assets = fs::read_dir(world.path("run/assets")).unwrap();
        let held: Vec<_> = assets.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect();
        assert!(held.len() == 1 && held[0].contains(path), "{path}: {held:?}");
    }
    world.0.write("in/r.urdf", &ROBOT.replace("KIND", "visual").replace("FILE", "box.obj"));
    let scene = world.scene("ball(radius: 1)", "robots: [(name: \"r\", file: \"r.urdf\")]");
    assert_eq!(extricate(["run", &scene, "-o", &world.path("run")]).exit, 0);
    assert_eq!(fs::read_dir(world.path("run/assets")).unwrap().count(), 2);
}

#[test]
fn a_repaired_scene_takes_along_what_it_may_not_name_from_where_it_is_written() {
    let world = World::new();
    fs::create_dir(world.path("elsewhere")).unwrap();
    world.0.write(&format!("elsewhere/{ROOT_MARKER}"), "");
    fs::create_dir_all(world.path("in/pack")).unwrap();
    fs::copy(world.path("in/box.obj"), world.path("in/pack/link.obj")).unwrap();
    let robot = ROBOT.replace("KIND", "visual").replace("FILE", "package://pack/link.obj");
    world.0.write("in/pack/r.urdf", &robot);
    let out = world.path("elsewhere/apart.ron");
    let held = || {
        let folder = fs::read_dir(world.path("elsewhere/apart.assets"));
        let names = folder.map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect());
        names.unwrap_or_else(|_| Vec::new())
    };
    let second = "robots: [(name: \"r\", file: \"pack/r.urdf\", packages: [\"pack\"], position: (5, 0, 0))]";
    for (more, files) in [("", 1), (second, 2)] {
        let scene = world.scene("mesh(file: \"box.obj\")", more);
        let text = fs::read_to_string(&scene).unwrap();
        let twice = "bodies: [(name: \"a\", shape: \"s\", position: (0.25, 0, 9)), ";
        world.0.write("in/s.ron", &text.replace("bodies: [", twice));
        let repair = ["repair", scene.as_str(), "-o", &out];
        let _ = fs::remove_dir_all(world.path("elsewhere/apart.assets"));
        let allowed = extricate(repair.into_iter().chain(["--root", &world.path("in")]));
        assert_eq!((allowed.exit, held().len()), (0, 0), "{}", allowed.stderr);
        assert_eq!(extricate(["check", &out]).exit, 3, "it names what lies outside");
        let ended = extricate(repair);
        // The mesh of the box and that of the link are one file; the other one is the robot.
        assert_eq!((ended.exit, held().len()), (0, files), "{}", ended.stderr);
        let kept = world.path("kept");
        fs::rename(world.path("in"), &kept).unwrap();
        let ended = extricate(["check", &out, "--strict"]);
        assert_eq!(ended.exit, 0, "it stands for itself: {}", ended.stderr);
        fs::rename(kept, world.path("in")).unwrap();
    }
}

#[test]
fn a_scene_that_has_its_files_beside_it_keeps_them_when_it_is_repaired_in_place() {
    let world = World::new();
    fs::create_dir(world.path("elsewhere")).unwrap();
    world.0.write(&format!("elsewhere/{ROOT_MARKER}"), "");
    let scene = world.scene("mesh(file: \"box.obj\")", "");
    let out = world.path("elsewhere/apart.ron");
    for from in [&scene, &out, &out] {
        let ended = extricate(["repair", from, "-o", &out]);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        assert_eq!(fs::read_dir(world.path("elsewhere/apart.assets")).unwrap().count(), 1);
        assert_eq!(extricate(["check", &out, "--strict"]).exit, 0);
    }
}

#[test]
fn a_scene_that_is_written_to_another_folder_finds_the_packages_of_its_robots() {
    let world = World::new();
    let robot = ROBOT.replace("KIND", "collision").replace("FILE", "package://pack/box.obj");
    world.0.write("in/r.urdf", &robot);
    fs::create_dir_all(world.path("in/shelf/pack")).unwrap();
    fs::copy(world.path("in/box.obj"), world.path("in/shelf/pack/box.obj")).unwrap();
    let scene =
        world.scene("ball(radius: 1)", "robots: [(name: \"r\", file: \"r.urdf\", packages: [\"shelf\"])]");
    let out = world.path("in/deep/s.ron");
    let ended = extricate(["repair", &scene, "-o", &out]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    assert!(fs::read_to_string(&out).unwrap().contains("packages: [\"../shelf\"]"));
    assert_eq!(Scene::load(&out).unwrap().robots.len(), 1);
}
