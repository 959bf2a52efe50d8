use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use super::*;
use crate::Models;
use crate::app::{Command, Pace, Simulation, Source};
use crate::interface::Snapshot;
use crate::overlay::OverlayPainter;
use extricate_scene::record::{RunDirectory, RunOptions, run};
use extricate_scene::scene::Scene;

const SCENE: &str = r#"(
    title: "a ball",
    duration: 1,
    time_step: 0.01,
    shapes: {"ball": ball(radius: 0.1)},
    bodies: [(name: "ball", shape: "ball", position: (0, 0, 1))],
)"#;

/// A run of forty steps, every tenth of which is recorded.
fn recorded(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("extricate-playback-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("ball.ron");
    std::fs::write(&path, SCENE).expect("a scene");
    let scene = Scene::load(&path).expect("a scene");
    let options = RunOptions { steps: 40, every: 10, check_expectations: false };
    let directory = RunDirectory::create(folder.join("run")).expect("a folder");
    let world = scene.world().expect("a world");
    run(&scene, world, &options, Some(directory), &mut |_| ControlFlow::Continue(())).expect("a run");
    folder
}

#[test]
fn a_run_is_played_stepped_in_both_directions_and_seeked() {
    let folder = recorded("seek");
    let playback = Playback::open(&folder.join("run")).expect("a run");
    let models = Models::of(playback.start()).expect("models");
    let source = Source::Recorded(Box::new(playback));
    let mut simulation =
        Simulation::start(source, models, Box::new(OverlayPainter::default()), Pace::Commanded);
    let mut send = |commands: &[Command]| -> Box<Snapshot> {
        commands.iter().for_each(|command| simulation.send(command.clone()));
        simulation.settled(Duration::from_secs(60)).expect("it continues").expect("nobody took it")
    };
    let at = |snapshot: &Snapshot| snapshot.recorded.map(|recorded| (recorded.at, recorded.states));
    assert_eq!(at(&send(&[])), Some((0, 5)));
    assert_eq!(at(&send(&[Command::Step, Command::Step, Command::Back])), Some((1, 5)));
    let third = send(&[Command::Seek(3)]);
    assert_eq!((at(&third), third.state.step), (Some((3, 5)), 30));
    // Free fall from 1 m: z = 1 − g t²/2.
    assert!((third.state.pose(0).translation.z - (1.0 - 0.5 * 9.81 * 0.09)).abs() < 0.02);
    assert_eq!(at(&send(&[Command::Seek(99), Command::Step])), Some((4, 5)));
    // States are 0.1 s apart.
    let played = send(&[Command::Reset, Command::Play(true), Command::Advance(0.25)]);
    assert_eq!(at(&played), Some((2, 5)));
    let ended = send(&[Command::Advance(9.0)]);
    assert_eq!((at(&ended), ended.clock.playing), (Some((4, 5)), false));
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_folder_without_a_run_is_reported() {
    let error = Playback::open(&std::env::temp_dir()).err().expect("no run is there");
    assert!(error.contains(&std::env::temp_dir().display().to_string()), "{error}");
}
