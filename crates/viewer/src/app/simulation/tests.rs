use std::path::Path;
use std::sync::{Condvar, Mutex};
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

/// Waits for a message before it paints; the note is the step of the state.
struct Slow(std::sync::mpsc::Receiver<()>);

impl Painter for Slow {
    fn paint(&mut self, input: &OverlayInput, _: &DisplayOptions) -> Drawing {
        // The sender is gone when the waiting is over.
        let _ = self.0.recv();
        Drawing { notes: vec![input.state.step.to_string()], ..Drawing::default() }
    }
}

fn with_contacts() -> Command {
    let mut display = DisplayOptions::default();
    display.layers.toggle(Layer::Contacts);
    Command::Display(display)
}

/// Waits until this many steps have been taken.
fn steps_are_taken(simulation: &Simulation, count: usize) {
    let until = Instant::now() + LIMIT;
    let mut steps = 0;
    while steps < count {
        assert!(Instant::now() < until, "only {steps} steps");
        steps += simulation.samples().len();
    }
}

#[test]
fn layers_that_are_being_painted_delay_no_step_and_belong_to_the_state_after_a_pause() {
    let (go, wait) = channel();
    let mut simulation = start(Slow(wait), Pace::RealTime);
    simulation.send(with_contacts());
    simulation.send(Command::Play(true));
    // The painter has got the first state, and is not finished with it after two hundred steps.
    let first = simulation.executed(LIMIT).expect("it continues").expect("nobody took it");
    assert!(first.wanted.is_some() && first.drawn.is_none());
    steps_are_taken(&simulation, 200);
    // Snapshots are published without their layers.
    let until = Instant::now() + LIMIT;
    let mut shown = first;
    while shown.state.step < 100 {
        assert!(Instant::now() < until);
        let Update { snapshot, layers } = simulation.take();
        assert!(layers.is_none(), "the painter waits");
        shown = snapshot.unwrap_or(shown);
    }
    assert_eq!(shown.note_on_layers().as_deref(), Some("The layers are being computed."));
    // The layers of the first state are shown with a later one, and a note says so.
    go.send(()).expect("it waits");
    let layers = loop {
        assert!(Instant::now() < until);
        if let Some(layers) = simulation.take().layers {
            break layers;
        }
    };
    while shown.state.step <= layers.of.step {
        assert!(Instant::now() < until);
        shown = simulation.take().snapshot.unwrap_or(shown);
    }
    shown.show_layers(*layers);
    let note = shown.note_on_layers().expect("they are late");
    assert!(
        note.starts_with(&format!("The layers are those of step {}, ", shown.drawing.notes[0])),
        "{note}"
    );
    drop(go);
    simulation.send(Command::Play(false));
    let paused = settled(&simulation);
    assert_eq!(paused.drawing.notes, [paused.state.step.to_string()]);
    assert!(paused.drawn == paused.wanted && paused.note_on_layers().is_none());
}

/// Paints while the gate is open; the note is the step of the state.
struct Gated(Arc<(Mutex<bool>, Condvar)>);

impl Painter for Gated {
    fn paint(&mut self, input: &OverlayInput, _: &DisplayOptions) -> Drawing {
        let open = self.0.0.lock().expect("nobody panics");
        drop(self.0.1.wait_while(open, |open| !*open).expect("nobody panics"));
        Drawing { notes: vec![input.state.step.to_string()], ..Drawing::default() }
    }
}

#[test]
fn layers_from_before_a_reset_or_with_hidden_parts_are_not_shown() {
    let gate = Arc::new((Mutex::new(true), Condvar::new()));
    let set_open = |open| {
        *gate.0.lock().expect("nobody panics") = open;
        gate.1.notify_all();
    };
    let mut simulation = start(Gated(Arc::clone(&gate)), Pace::Commanded);
    simulation.send(with_contacts());
    simulation.send(Command::Step);
    let stepped = settled(&simulation);
    set_open(false);
    let after = |simulation: &mut Simulation, command: Command| {
        simulation.send(command);
        let mut next = simulation.executed(LIMIT).expect("it continues").expect("nobody took it");
        next.keep_layers(&mut stepped.clone());
        next
    };
    let stepped_again = after(&mut simulation, Command::Step);
    assert_eq!(stepped_again.drawing.notes, ["1"], "those of the step before");
    let hidden = after(&mut simulation, Command::Display(DisplayOptions::default()));
    assert!(hidden.wanted.is_none() && hidden.drawing.notes.is_empty());
    let reset = after(&mut simulation, Command::Reset);
    assert!(reset.drawn.is_none());
    let shown = after(&mut simulation, with_contacts());
    assert!(shown.wanted.is_some() && shown.drawn.is_none() && shown.drawing.notes.is_empty());
    set_open(true);
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
