use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;
use crate::Models;
use crate::app::{Command, Pace, Simulation, Source};
use crate::interface::{DisplayOptions, Layer, Snapshot};
use crate::overlay::OverlayPainter;
use extricate_dynamics::AnyBody;
use extricate_scene::record::{RunDirectory, RunOptions, run};
use extricate_scene::scene::Scene;

const SCENE: &str = r#"(
    title: "a ball",
    duration: 1,
    time_step: 0.01,
    shapes: {"ball": ball(radius: 0.1), "block": cuboid(size: (1, 1, 0.2))},
    bodies: [
        (name: "ball", shape: "ball", position: (0, 0, 1)),
        (name: "block", shape: "block", position: (5, 0, 0.1)),
        (name: "floor", shape: "block", kind: fixed, position: (5, 0, -0.1)),
    ],
)"#;

/// A run of forty steps, every tenth of which is recorded.
fn recorded(name: &str, contacts: bool) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("extricate-playback-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("ball.ron");
    std::fs::write(&path, SCENE).expect("a scene");
    let scene = Scene::load(&path).expect("a scene");
    let options = RunOptions { steps: 40, every: 10, check_expectations: false };
    let mut directory = RunDirectory::create(folder.join("run")).expect("a folder");
    if contacts {
        directory = directory.with_contacts().expect("a file");
    }
    let world = scene.world().expect("a world");
    run(&scene, world, &options, Some(directory), &mut |_| ControlFlow::Continue(())).expect("a run");
    folder
}

#[test]
fn a_run_is_played_stepped_in_both_directions_and_seeked() {
    let folder = recorded("seek", false);
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

/// The last state of a run with the contacts shown and the block selected.
fn with_contacts(folder: &Path) -> (Box<Snapshot>, usize) {
    let playback = Playback::open(&folder.join("run")).expect("a run");
    let models = Models::of(playback.start()).expect("models");
    let block = models.body("block").expect("a block");
    let source = Source::Recorded(Box::new(playback));
    let mut simulation =
        Simulation::start(source, models, Box::new(OverlayPainter::default()), Pace::Commanded);
    let mut display = DisplayOptions { subject: Some(AnyBody::Rigid(block)), ..DisplayOptions::default() };
    display.layers.toggle(Layer::Contacts);
    simulation.send(Command::Display(display));
    simulation.send(Command::Seek(4));
    let snapshot = simulation.settled(Duration::from_secs(60)).expect("it continues");
    assert!(simulation.errors().is_empty());
    (snapshot.expect("nobody took it"), block)
}

#[test]
fn recorded_contacts_are_shown_and_missing_ones_are_noted() {
    let folder = recorded("contacts", true);
    let (last, block) = with_contacts(&folder);
    // A cube of one density rests on four corners, which carry its weight.
    let of_block: Vec<_> =
        last.contacts.iter().filter(|contact| contact.bodies.contains(&AnyBody::Rigid(block))).collect();
    let total: f64 = of_block.iter().map(|contact| contact.force * contact.normal.z.abs()).sum();
    assert_eq!(of_block.len(), 4);
    assert!((total - 200.0 * 9.81).abs() < 0.02 * 200.0 * 9.81, "{total}");
    assert_eq!((last.drawing.points.len(), last.drawing.arrows.len()), (4, 4));
    assert!(last.drawing.arrows.iter().all(|arrow| arrow.along.z > 0.0), "forces on the body that can move");
    assert!(last.recorded.is_some_and(|recorded| recorded.has_contacts));
    std::fs::remove_dir_all(folder).expect("it is ours");

    let folder = recorded("no-contacts", false);
    let (last, _) = with_contacts(&folder);
    assert!(last.drawing.points.is_empty() && last.contacts.is_empty());
    assert!(last.drawing.notes[0].contains("run --contacts"), "{:?}", last.drawing.notes);
    assert!(last.recorded.is_some_and(|recorded| !recorded.has_contacts));
    std::fs::remove_dir_all(folder).expect("it is ours");
}
