//! A world that is restored from a saved state continues with the bits of the one that was not interrupted.

use std::path::{Path, PathBuf};

use extricate::dynamics::{
    BodyDescription, BodyKind, Checkpoint, CheckpointError, Grip, Motor, NarrowPhase, Pull, Shape,
    SleepOptions, World, WorldOptions,
};
use extricate::scene::Scene;
use nalgebra::{Isometry3, Point3, Vector3};

/// A world of a scene: as it is built, for every call the same.
fn world(path: &Path) -> World {
    Scene::load(path).expect("a scene that is fine").world().expect("a scene that is fine")
}

fn steps(world: &mut World, count: u64) {
    for _ in 0..count {
        world.step().expect("the step converges");
    }
}

/// Bytes of the whole state.
fn bytes(world: &World) -> Vec<u8> {
    world.checkpoint().expect("the state is written").to_bytes().expect("the state is written")
}

/// Interrupts a scene after `before` steps and compares `after` more, the second world on `threads` threads.
fn goes_on_alike(path: &Path, [before, after]: [u64; 2], threads: usize) {
    let name = path.display();
    let mut first = world(path);
    steps(&mut first, before);
    let saved = bytes(&first);
    let mut second = world(path);
    second.restore(&Checkpoint::read(&saved).expect("the state is read")).expect("the state is read");
    assert_eq!(second.hash(), first.hash(), "{name}: the state taken on");
    assert_eq!(bytes(&second), saved, "{name}: saved again");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    for step in 1..=after {
        let [one, two] = [
            first.step().expect("the step converges"),
            pool.install(|| second.step().expect("the step converges")),
        ];
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
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
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

/// Rigid bodies of all shapes with joints, overlaps at the start and swept ones; robots; soft bodies beside all of them.
#[test]
fn scenes_of_every_kind_resume_alike() {
    let scenes = [
        ("rigid/linked_chain", [60, 30]),
        ("rigid/convex_mix", [90, 30]),
        ("rigid/hull_pile", [60, 20]),
        ("rigid/loaded_chain", [60, 30]),
        ("rigid/plank_tower", [30, 20]),
        // Bodies are stopped in mid-flight in the third step.
        ("rigid/closed_form/balls_and_wall", [3, 30]),
        ("rigid/closed_form/bounce", [70, 60]),
        ("rigid/closed_form/dzhanibekov", [70, 60]),
        ("rigid/closed_form/overlapping_tori", [20, 30]),
        ("rigid/closed_form/thousand_to_one", [60, 40]),
        ("repair/hand_around_bottle", [3, 8]),
        ("robots/arm_reaches", [60, 40]),
        ("robots/cart_drives", [60, 40]),
        ("robots/gripper_lifts", [150, 50]),
        // Conjugate gradients fail there, which the next step knows.
        ("soft/beam", [2, 2]),
        ("soft/deep_overlap", [6, 4]),
        ("soft/hanging_block", [20, 10]),
        ("soft/weight_on_rod", [30, 20]),
    ];
    for (scene, counts) in scenes {
        goes_on_alike(Path::new(&format!("scenes/{scene}.ron")), counts, 1);
    }
}

#[test]
fn a_world_resumes_alike_on_other_threads_and_from_its_start() {
    for threads in [2, 5] {
        goes_on_alike(Path::new("scenes/rigid/closed_form/stack_of_ten.ron"), [50, 20], threads);
    }
    goes_on_alike(Path::new("scenes/rigid/linked_chain.ron"), [0, 40], 2);
    goes_on_alike(Path::new("scenes/rigid/linked_chain.ron"), [1, 40], 1);
}

/// Two cubes that fall asleep on each other, and a ball that wakes them.
fn sleepers(narrow_phase: NarrowPhase) -> World {
    let mut builder = World::builder(WorldOptions {
        sleep: Some(SleepOptions::default()),
        narrow_phase,
        ..WorldOptions::default()
    });
    let ground = Shape::half_space();
    let cube = Shape::cuboid(Vector3::repeat(0.2));
    let body = |name: &str, shape: Shape, x: f64, z: f64| {
        BodyDescription::new(name, BodyKind::Dynamic, shape, Isometry3::translation(x, 0.0, z))
    };
    builder
        .add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))
        .expect("a body that is fine");
    builder.add_body(body("low", cube.clone(), 0.0, 0.1)).expect("a body that is fine");
    builder.add_body(body("high", cube, 0.03, 0.3)).expect("a body that is fine");
    let ball = BodyDescription {
        linear_velocity: Vector3::new(0.0, 0.0, -1.0),
        restitution: 0.5,
        ..body("ball", Shape::ball(0.05), 0.01, 60.0)
    };
    builder.add_body(ball).expect("a body that is fine");
    builder.build().expect("a body that is fine")
}

#[test]
fn bodies_that_sleep_are_woken_alike() {
    for narrow_phase in [NarrowPhase::Extricate, NarrowPhase::Rapier] {
        // The ball arrives after 3.4 seconds.
        for (before, after) in [(1500, 200), (1640, 60)] {
            let mut first = sleepers(narrow_phase);
            steps(&mut first, before - 1);
            let asleep = first.step().expect("the step converges").asleep;
            assert_eq!(asleep, if before == 1500 { 2 } else { 0 }, "{narrow_phase:?}: step {before}");
            let mut second = sleepers(narrow_phase);
            second.restore(&Checkpoint::read(&bytes(&first)).unwrap()).unwrap();
            for step in 0..after {
                steps(&mut first, 1);
                steps(&mut second, 1);
                assert_eq!(first.hash(), second.hash(), "{narrow_phase:?}: step {step} after {before}");
            }
            assert_eq!(bytes(&first), bytes(&second));
        }
    }
}

#[test]
fn a_body_that_is_dragged_is_still_dragged_after_a_restore() {
    for (scene, body, grip) in [
        ("scenes/rigid/linked_chain.ron", None, Grip::Point(Point3::new(0.01, 0.0, 0.0))),
        ("scenes/soft/drop.ron", Some(0), Grip::Node(3)),
    ] {
        let mut first = world(Path::new(scene));
        let dynamic = || first.descriptions().iter().find(|body| body.kind == BodyKind::Dynamic).unwrap();
        let name =
            body.map_or_else(|| dynamic().name.clone(), |i: usize| first.soft_descriptions()[i].name.clone());
        first.pull(Some(Pull { body: name, grip, target: Point3::new(0.3, 0.2, 1.0) })).unwrap();
        steps(&mut first, 10);
        let mut second = world(Path::new(scene));
        second.restore(&first.checkpoint().unwrap()).unwrap();
        assert_eq!(second.pulled(), first.pulled());
        for _ in 0..10 {
            steps(&mut first, 1);
            steps(&mut second, 1);
            assert_eq!(first.hash(), second.hash(), "{scene}");
        }
    }
}

#[test]
fn motors_that_were_changed_stay_changed() {
    let path = Path::new("scenes/robots/arm_reaches.ron");
    let mut first = world(path);
    let robot = first.robots()[0].clone();
    let joint = robot.joints.keys().next().unwrap();
    let motor = Motor::Velocity { target: 0.7, damping: 50.0, max_force: None };
    first.set_motor(&robot.name, joint, Some(motor)).unwrap();
    steps(&mut first, 20);
    let mut second = world(path);
    second.restore(&first.checkpoint().unwrap()).unwrap();
    steps(&mut first, 20);
    steps(&mut second, 20);
    assert_eq!(first.robots(), second.robots());
    assert_eq!(bytes(&first), bytes(&second));
}

#[test]
fn a_state_of_another_world_and_a_world_that_was_stepped_are_refused() {
    let mut one = world(Path::new("scenes/rigid/linked_chain.ron"));
    steps(&mut one, 3);
    let saved = one.checkpoint().unwrap();
    let mut other = world(Path::new("scenes/rigid/loaded_chain.ron"));
    assert_eq!(other.restore(&saved), Err(CheckpointError::OtherWorld));
    assert_eq!(one.restore(&saved), Err(CheckpointError::Stepped { steps: 3 }));
    let mut scene = Scene::load("scenes/rigid/linked_chain.ron").unwrap();
    scene.options.time_step *= 0.5;
    assert_eq!(scene.world().unwrap().restore(&saved), Err(CheckpointError::OtherWorld));
}

/// `EXTRICATE_SCENES=folder` picks the scenes, `EXTRICATE_STEPS=before,after` the steps.
#[test]
#[ignore = "takes minutes"]
fn every_shipped_scene_resumes_alike() {
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

#[test]
fn fast_rolling_bodies_resume_alike() {
    let marble = || {
        let mut builder = World::builder(WorldOptions::default());
        let ground = Shape::half_space();
        let ground = BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity());
        builder.add_body(ground).expect("a body that is fine");
        let (radius, speed) = (0.005, 1.5);
        let shape = Shape::ball(radius);
        let at = Isometry3::translation(0.0, 0.0, radius);
        let marble = BodyDescription {
            linear_velocity: Vector3::x() * speed,
            angular_velocity: Vector3::y() * (speed / radius),
            ..BodyDescription::new("marble", BodyKind::Dynamic, shape, at)
        };
        builder.add_body(marble).expect("a body that is fine");
        builder.build().expect("a body that is fine")
    };
    let mut first = marble();
    steps(&mut first, 100);
    let mut second = marble();
    second.restore(&Checkpoint::read(&bytes(&first)).unwrap()).unwrap();
    assert_eq!(first.contacts(), second.contacts());
    for step in 0..50 {
        steps(&mut first, 1);
        steps(&mut second, 1);
        assert_eq!(first.hash(), second.hash(), "step {step}");
        assert_eq!(first.contacts(), second.contacts(), "step {step}");
    }
    assert_eq!(bytes(&first), bytes(&second));
}
