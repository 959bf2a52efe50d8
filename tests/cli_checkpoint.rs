//! Runs that are killed, stopped, or out of disk, and continue as if nothing had happened.

mod cli_program;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use cli_program::{ScratchFolder, extricate, program, scratch_folder};
use extricate::record::Recording;
use extricate_test_support::Noise;
use extricate_test_support::json_schema::faults;

/// A soft cube and two rings fall onto a plane, one ring through the other; a bar hangs on a hinge.
const SCENE: &str = r#"(
    title: "Two rings, a soft cube and a bar",
    duration: 1.5,
    time_step: 0.005,
    shapes: {
        "floor": half_space,
        "ring": procedural(kind: "torus", parameters: {"major_radius": 0.1, "minor_radius": 0.03}),
        "bar": cuboid(size: (0.4, 0.05, 0.05)),
    },
    bodies: [
        (name: "floor", shape: "floor", kind: fixed),
        (name: "first", shape: "ring", position: (0, 0, 0.2), restitution: 0.4),
        (name: "second", shape: "ring", position: (0.1, 0, 0.2), rotation: axis_angle_degrees(axis: (1, 0, 0), angle: 90)),
        (name: "bar", shape: "bar", position: (1, 0, 0.5)),
    ],
    joints: [(name: "hinge", bodies: ("floor", "bar"), kind: revolute(anchor: (0.8, 0, 0.5), axis: (0, 1, 0)))],
    soft: (contact: (stiffness: 1e7)),
    soft_bodies: [(
        name: "cube",
        mesh: block(counts: (2, 2, 2), size: (0.2, 0.2, 0.2)),
        material: (youngs_modulus: 1e5, poisson_ratio: 0.3, mass_damping: 5),
        position: (0, 1, 0.2),
    )],
    expect: (
        max_speed: 50,
        measured: [
            (quantity: drift(body: "bar", from: 0.2), exact: 0, tolerance: 10),
            (quantity: volume_drift(body: "cube"), exact: 0, tolerance: 1),
            (quantity: deflection(body: "cube", nodes: all, along: (0, 0, 1)), exact: 0, tolerance: 1),
        ],
    ),
)"#;

/// Options that give many checkpoints, none of them at a recorded step only.
const OFTEN: [&str; 4] = ["--every", "7", "--checkpoint-every", "20"];

/// The files of a folder and of those in it with their bytes, but for the times.
fn files(folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_stem().expect("files have names") != "timing" {
                let bytes = fs::read(&path).expect("the folder can be read");
                found.insert(path.strip_prefix(folder).expect("it lies in the folder").to_owned(), bytes);
            }
        }
    }
    found
}

/// Compares the files of two runs.
fn same_files(one: &str, other: &str) {
    let (one, other) = (files(one), files(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (path, bytes) in &one {
        assert!(bytes == &other[path], "{} differs", path.display());
    }
}

/// A scene and its uninterrupted run, with the arguments and the time that it took.
struct Reference {
    folder: ScratchFolder,
    scene: String,
    took: Duration,
}

impl Reference {
    fn new() -> Self {
        let folder = scratch_folder();
        let scene = folder.write("scene.ron", SCENE);
        let started = Instant::now();
        let whole = folder.path("whole");
        let ended = extricate([&["run", &scene, "-o", &whole][..], &OFTEN].concat());
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        Self { folder, scene, took: started.elapsed() }
    }

    /// Starts a run into a folder of a name, or resumes the one that is there.
    fn start(&self, name: &str) -> Child {
        let out = self.folder.path(name);
        let begun = Path::new(&out).join("run.json").exists();
        let fresh = [&["run", self.scene.as_str(), "-o", &out][..], &OFTEN].concat();
        let more = vec!["run", out.as_str(), "--from", "last"];
        let arguments = if begun { more } else { fresh };
        program()
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs")
    }

    /// Resumes to the end and compares the files.
    fn ends_alike(&self, name: &str) {
        let ended = self.start(name).wait().expect("the program runs");
        assert!(ended.success(), "{name}: {ended}");
        same_files(&self.folder.path("whole"), &self.folder.path(name));
    }

    /// Kills a run a number of times at random moments, then lets it end. Returns the step at which each attempt found it.
    fn survives(&self, name: &str, kills: u64, random: &mut Noise) -> Vec<u64> {
        let mut steps = Vec::new();
        for _ in 0..kills {
            let mut child = self.start(name);
            std::thread::sleep(self.took.mul_f64(1.1 * random.unit_interval()));
            child.kill().expect("the program runs");
            child.wait().expect("the program runs");
            let folder = self.folder.path(name);
            let recording = Recording::open(&folder).ok();
            steps.push(recording.map_or(0, |run| run.state(run.state_count() - 1).expect("a state").step));
        }
        self.ends_alike(name);
        steps
    }
}

#[test]
fn a_run_that_is_killed_and_resumed_leaves_the_files_of_one_that_was_not() {
    Reference::new().survives("killed", 3, &mut Noise(1));
}

#[test]
#[ignore = "takes a minute"]
fn twenty_random_kills_leave_no_trace() {
    let reference = Reference::new();
    let mut random = Noise(20);
    for kill in 1..=20 {
        let name = format!("killed-{kill}");
        let steps = reference.survives(&name, 1, &mut random);
        println!("kill {kill:2}: last state of step {:3}, resumed, all files equal", steps[0]);
    }
    let steps = reference.survives("again", 20, &mut random);
    println!("one run killed 20 times, last states of steps {steps:?}: all files equal");
}

#[test]
fn every_checkpoint_leads_to_the_same_files_and_a_longer_run_to_those_of_one_that_was_longer() {
    let reference = Reference::new();
    let whole = reference.folder.path("whole");
    let before = files(&whole);
    // The newest three of 300 steps stay.
    let steps = [("last", 280), ("299", 280), ("275", 260), ("3", 0)];
    for (from, step) in steps {
        let ended = extricate(["run", &whole, "--from", from]);
        assert_eq!(ended.exit, 0, "{}", ended.stderr);
        assert!(ended.stdout.contains(&format!("resumed from step {step}")), "{from}: {}", ended.stdout);
        assert!(files(&whole) == before, "from {from}");
    }
    let out = reference.folder.path("longer");
    let longer = ["run", &reference.scene, "-o", &out, "--steps", "330"];
    assert_eq!(extricate([&longer[..], &OFTEN].concat()).exit, 0);
    let ended = extricate(["run", &reference.scene, "-o", &whole, "--from", "last", "--time", "1.65"]);
    assert_eq!(ended.exit, 0, "{}", ended.stderr);
    same_files(&out, &whole);
}

#[test]
fn a_recorded_run_restores_the_world_at_any_step() {
    let reference = Reference::new();
    let run = Recording::open(reference.folder.path("whole")).unwrap();
    for state in [0, 1, run.state_count() - 2, run.state_count() - 1] {
        let recorded = run.state(state).unwrap();
        let world = run.world_at(recorded.step).unwrap();
        assert_eq!(world.steps(), recorded.step);
        let positions: Vec<_> = world.bodies().iter().map(|body| body.position).collect();
        assert_eq!(positions, recorded.bodies.iter().map(|body| body.position).collect::<Vec<_>>());
    }
}

#[test]
fn damaged_checkpoints_are_skipped_and_named_where_none_is_left() {
    let reference = Reference::new();
    let whole = reference.folder.path("whole");
    let before = files(&whole);
    let damage = |step: u64| {
        let path = Path::new(&whole).join(format!("checkpoints/{step:09}.bin"));
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).unwrap();
    };
    damage(280);
    let ended = extricate(["run", &whole, "--from", "last"]);
    assert!(ended.stdout.contains("resumed from step 260"), "{}{}", ended.stdout, ended.stderr);
    assert!(files(&whole) == before);
    damage(280);
    damage(260);
    let ended = extricate(["run", &whole, "--from", "290"]);
    assert_eq!(ended.exit, 3);
    assert!(ended.stderr.contains("000000260.bin") && ended.stderr.contains("damaged"), "{}", ended.stderr);
    assert!(Path::new(&whole).join("summary.json").exists(), "nothing was touched");
}

#[test]
fn a_state_that_does_not_fit_is_refused_before_anything_is_changed() {
    let folder = scratch_folder();
    let scene = folder.write("scene.ron", SCENE);
    let out = folder.path("out");
    assert_eq!(extricate(["run", &scene, "-o", &out, "--steps", "10"]).exit, 0);
    let before = files(&out);
    let cases: [(&[&str], i32, &str); 5] = [
        (&["run", &out, "--from", "last", "--dt", "0.01"], 2, "--dt"),
        (&["run", &out, "--from", "soon"], 2, "last"),
        (&["run", &out, "--from", "last", "-o", &out], 2, "--output"),
        (&["run", env!("CARGO_MANIFEST_DIR"), "--from", "last"], 3, "run.json"),
        (&["run", "scenes/rigid/ring_stack.ron", "-o", &out, "--from", "last"], 2, "another scene"),
    ];
    for (arguments, exit, word) in cases {
        let ended = extricate(arguments.iter().copied());
        assert_eq!(ended.exit, exit, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(word), "{arguments:?}: {}", ended.stderr);
    }
    assert!(files(&out) == before);
    let schema = fs::read_to_string(format!("{}/assets/schema/run.schema.json", env!("CARGO_MANIFEST_DIR")));
    let manifest = serde_json::from_str(&folder.read("out/run.json")).unwrap();
    assert_eq!(faults(&serde_json::from_str(&schema.unwrap()).unwrap(), &manifest), [""; 0]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_checkpoint_of_the_step_and_the_run_resumes_from_it() {
    let reference = Reference::new();
    let mut child = reference.start("stopped");
    let states = PathBuf::from(reference.folder.path("stopped")).join("states.jsonl");
    let lines = || fs::read(&states).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count());
    while lines() < 12 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    let code = child.wait().unwrap().code();
    // A machine that was busy elsewhere may have let it come to its end.
    assert!(matches!(code, Some(7 | 0)), "{code:?}");
    if code == Some(7) {
        let run = Recording::open(states.parent().unwrap()).unwrap();
        assert!(!run.is_complete());
        let last = run.state(run.state_count() - 1).unwrap().step;
        let checkpoint = reference.folder.path(&format!("stopped/checkpoints/{last:09}.bin"));
        assert!(Path::new(&checkpoint).exists(), "step {last}");
    }
    reference.ends_alike("stopped");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_run_with_the_name_of_the_file_and_without_a_summary() {
    let folder = scratch_folder();
    let scene = folder.write("scene.ron", SCENE);
    let out = folder.path("out");
    fs::create_dir_all(&out).unwrap();
    // This device accepts no data.
    std::os::unix::fs::symlink("/dev/full", Path::new(&out).join("states.jsonl")).unwrap();
    let ended = extricate(["run", &scene, "-o", &out, "--steps", "20"]);
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("states.jsonl: No space left"), "{}", ended.stderr);
    assert!(!folder.exists("out/summary.json"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_had_no_room_resumes_once_there_is_room() {
    let reference = Reference::new();
    let out = reference.folder.path("small");
    // Maximum sizes of files in blocks of half a kilobyte: too few for a checkpoint, then for the states.
    for (blocks, file) in [(60, "checkpoints"), (170, "states.jsonl")] {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let arguments = ["run", &reference.scene, "-o", &out, "--every", "1", "--checkpoint-every", "20"];
        let program = program();
        let ended = std::process::Command::new("sh")
            .args(["-c", &limited])
            .arg(program.get_program())
            .args(arguments)
            .output()
            .unwrap();
        let message = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(2), "{file}: {message}");
        assert!(message.contains(file) && message.contains("File too large"), "{file}: {message}");
        let left = files(&out);
        assert!(!left.keys().any(|path| path.ends_with("summary.json")), "{file}");
        assert!(!left.keys().any(|path| path.extension().is_some_and(|end| end == "part")), "{file}");
    }
    assert_eq!(extricate(["run", &out, "--from", "last"]).exit, 0);
    let whole = reference.folder.path("every");
    let arguments = ["run", &reference.scene, "-o", &whole, "--every", "1", "--checkpoint-every", "20"];
    assert_eq!(extricate(arguments).exit, 0);
    same_files(&whole, &out);
}
