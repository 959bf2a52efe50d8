use std::path::Path;
use std::time::Instant;

use nalgebra::Point3;

use super::*;
use crate::Drawing;
use crate::interface::{DisplayOptions, Layer};
use crate::overlay::{OverlayInput, OverlayPainter};
use extricate_dynamics::Grip;
use extricate_dynamics::Pull;
use extricate_scene::scene::Scene;

/// Long enough for any of these worlds on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A ball of radius 0.1 that falls from a height of 1 on a plane, steps of 1 ms.
const BALL: &str = r#"(
    title: "a ball",
    duration: 1,
    time_step: 0.001,
    shapes: {"ball": ball(radius: 0.1), "ground": half_space},
    bodies: [
        (name: "ball", shape: "ball", position: (0, 0, 1)),
        (name: "ground", shape: "ground", kind: fixed),
    ],
)"#;

fn scene(text: &str) -> Arc<Scene> {
    Arc::new(Scene::parse(Path::new("ball.ron"), text.into()).expect("a scene"))
}

fn start(painter: impl Painter + 'static, pace: Pace) -> Simulation {
    let scene = scene(BALL);
    let world = scene.world().expect("a world");
    let models = Models::of(&world).expect("models");
    Simulation::start(Source::live(scene, world), models, Box::new(painter), pace)
}

/// The snapshot after all commands.
fn settled(simulation: &Simulation) -> Box<Snapshot> {
    simulation.settled(LIMIT).expect("it continues").expect("nobody took it")
}

fn height(snapshot: &Snapshot) -> f64 {
    snapshot.state.bodies.iter().find(|body| body.name == "ball").expect("the ball").position.z
}

#[test]
fn it_starts_paused_and_takes_the_commanded_steps() {
    let mut simulation = start(OverlayPainter::default(), Pace::Commanded);
    let at_start = settled(&simulation);
    assert_eq!((at_start.state.step, at_start.clock.playing), (0, false));
    simulation.send(Command::Step);
    simulation.send(Command::Step);
    assert_eq!(settled(&simulation).state.step, 2);
    simulation.send(Command::Advance(1.0));
    assert_eq!(settled(&simulation).state.step, 2);
    simulation.send(Command::Play(true));
    simulation.send(Command::Advance(0.1));
    let fallen = settled(&simulation);
    assert_eq!(fallen.state.step, 102);
    // Free fall.
    assert!((height(&fallen) - (1.0 - 0.5 * 9.81 * 0.102_f64.powi(2))).abs() < 1e-3);
    assert_eq!(
        simulation.samples().iter().map(|sample| sample.step).collect::<Vec<_>>(),
        (1..=102).collect::<Vec<_>>()
    );
    simulation.send(Command::Reset);
    let again = settled(&simulation);
    assert_eq!((again.state.step, again.report), (0, None));
    assert!(again.clock.playing, "it plays on");
}

#[test]
fn equal_commands_give_equal_runs() {
    let run = || {
        let mut simulation = start(OverlayPainter::default(), Pace::Commanded);
        simulation.send(Command::Play(true));
        for _ in 0..7 {
            simulation.send(Command::Advance(0.0503));
            settled(&simulation);
        }
        simulation.send(Command::Advance(0.1));
        settled(&simulation)
    };
    let [first, second] = [run(), run()];
    assert_eq!(first.state, second.state);
}

#[test]
fn a_ball_is_pulled_and_released_and_the_snapshot_has_the_spring() {
    let mut simulation = start(OverlayPainter::default(), Pace::Commanded);
    let target = Point3::new(0.5, 0.0, 2.0);
    let pull = Pull { body: "ball".into(), grip: Grip::Point(Point3::new(0.0, 0.0, 0.1)), target };
    simulation.send(Command::Pull(Some(pull.clone())));
    simulation.send(Command::Play(true));
    simulation.send(Command::Advance(2.0));
    let pulled = settled(&simulation);
    let [held, towards] = pulled.pull.expect("it is pulled");
    assert_eq!(towards, target);
    assert!((held - target).norm() < 1e-2, "{held}");
    simulation.send(Command::Pull(None));
    simulation.send(Command::Advance(2.0));
    let dropped = settled(&simulation);
    assert!(dropped.pull.is_none() && height(&dropped) < 0.11, "{}", height(&dropped));
    simulation.send(Command::Pull(Some(Pull { body: "ground".into(), ..pull })));
    assert!(settled(&simulation).pull.is_none());
    let errors = simulation.errors();
    assert!(errors.len() == 1 && errors[0].contains("ground"), "{errors:?}");
}

#[test]
fn a_step_that_fails_pauses_and_reports_the_error_and_a_reset_recovers() {
    // 1e9 m/s is faster than any motion is meant to be.
    let text = BALL.replace("(0, 0, 1)),", "(0, 0, 1), linear_velocity: (1e9, 0, 0)),");
    let scene = scene(&text);
    let world = scene.world().expect("a world");
    let models = Models::of(&world).expect("models");
    let mut simulation = Simulation::start(
        Source::live(scene, world),
        models,
        Box::new(OverlayPainter::default()),
        Pace::Commanded,
    );
    simulation.send(Command::Play(true));
    simulation.send(Command::Advance(1.0));
    let failed = settled(&simulation);
    assert!(failed.failure.as_ref().is_some_and(|text| text.contains("ball")), "{:?}", failed.failure);
    assert!(!failed.clock.playing);
    simulation.send(Command::Play(true));
    assert!(!settled(&simulation).clock.playing, "it does not continue");
    simulation.send(Command::Reset);
    assert_eq!(settled(&simulation).failure, None);
}

/// Waits for a message before it paints.
struct Slow(std::sync::mpsc::Receiver<()>);

impl Painter for Slow {
    fn paint(&mut self, _: &OverlayInput, _: &DisplayOptions) -> Drawing {
        // The sender is gone when the test is over.
        let _ = self.0.recv();
        Drawing { notes: vec!["painted".into()], ..Drawing::default() }
    }
}

#[test]
fn painting_is_done_on_demand_and_readers_block_nothing() {
    let (go, wait) = channel();
    let mut simulation = start(Slow(wait), Pace::RealTime);
    simulation.send(Command::Play(true));
    let snapshot = settled(&simulation);
    // A reader holds a snapshot, as the window does, and steps are taken nevertheless.
    let until = Instant::now() + LIMIT;
    let mut steps = 0;
    while steps < 20 && Instant::now() < until {
        steps += simulation.samples().len();
    }
    assert!(steps >= 20 && snapshot.drawing.notes.is_empty());
    let mut display = DisplayOptions::default();
    display.layers.toggle(Layer::Contacts);
    simulation.send(Command::Display(display));
    // The thread may be painting now; taking a snapshot does not wait for it.
    while simulation.take().is_some() {}
    assert!(simulation.ended().is_none());
    drop(go);
    let painted = settled(&simulation);
    assert_eq!(painted.drawing.notes, ["painted"]);
}

/// Panics.
struct Broken;

impl Painter for Broken {
    fn paint(&mut self, _: &OverlayInput, _: &DisplayOptions) -> Drawing {
        panic!("no paint left")
    }
}

#[test]
fn a_thread_that_panics_is_reported_and_nobody_waits_for_it() {
    let mut simulation = start(Broken, Pace::Commanded);
    let mut display = DisplayOptions::default();
    display.layers.toggle(Layer::Trees);
    simulation.send(Command::Display(display));
    assert!(simulation.settled(LIMIT).is_err());
    assert!(simulation.ended().is_some_and(|reason| reason.contains("no paint left")));
}
