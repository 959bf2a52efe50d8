use std::collections::{BTreeSet, VecDeque};

use kiss3d::egui::{Event, Modifiers, PointerButton, Pos2, RawInput, pos2, vec2};
use nalgebra::{Isometry3, Vector3};

use super::*;
use crate::interface::{
    BINDINGS, ClockState, DisplayOptions, Layer, Message, MessageKind, Recorded, Sample, Snapshot, Title,
};
use crate::{Drawing, Models};
use extricate_dynamics::{AnyBody, BodyDescription, BodyKind, Shape, StepTimings, World, WorldOptions};
use extricate_scene::record::WorldState;
use kiss3d::egui::{Order, Rect};

/// Owner of all that a [`PanelState`] borrows.
struct Shown {
    title: Title,
    models: Models,
    snapshot: Snapshot,
    history: VecDeque<Sample>,
    display: DisplayOptions,
    message: Message,
}

impl Shown {
    /// A ball that has fallen a little, with all optional parts shown.
    fn new(recorded: bool) -> Self {
        let ball = BodyDescription::new("ball", BodyKind::Dynamic, Shape::ball(0.5), Isometry3::identity());
        let mut builder = World::builder(WorldOptions::default());
        builder.add_body(ball).expect("a ball");
        let mut world = builder.build().expect("a world");
        let report = world.step().expect("it steps");
        let sample = |step| Sample {
            step,
            time: 0.01 * step as f64,
            seconds: 1e-3,
            timings: StepTimings::default(),
            max_penetration: 0.0,
            contacts: 0,
            energy: -1.0,
        };
        let mut display = DisplayOptions::default();
        Layer::ALL.into_iter().for_each(|layer| display.layers.toggle(layer));
        let snapshot = Snapshot {
            state: WorldState::of(&world),
            report: Some(report),
            contacts: Vec::new(),
            drawing: Drawing::default(),
            walk_steps: 7,
            executed: 0,
            clock: ClockState { playing: true, speed: 1.0, achieved: 0.5, behind: true },
            pull: None,
            recorded: recorded.then_some(Recorded { at: 3, states: 9, duration: 1.0, complete: true }),
            failure: Some("it diverged".into()),
        };
        Self {
            title: Title { name: "ball".into(), time_step: 0.01, ..Title::default() },
            models: Models::of(&world).expect("a ball"),
            snapshot,
            history: (1..50).map(sample).collect(),
            display,
            message: Message { kind: MessageKind::Error, text: "a line\n".repeat(40) },
        }
    }

    fn state(&self) -> PanelState<'_> {
        PanelState {
            title: &self.title,
            models: &self.models,
            snapshot: &self.snapshot,
            history: &self.history,
            selection: Some(AnyBody::Rigid(0)),
            display: &self.display,
            message: Some(&self.message),
            help: false,
            sketching: false,
            grid: Some("20 cm"),
            picture_seconds: 0.02,
            keys: BINDINGS,
        }
    }
}

/// Shows the panels in a picture of 1280 × 720 with events; returns the requested actions.
fn shown(shown: &Shown, context: &Context, panels: &mut Panels, events: Vec<Event>) -> Vec<Action> {
    let screen = Rect::from_min_size(Pos2::ZERO, vec2(1280.0, 720.0));
    context.begin_pass(RawInput { screen_rect: Some(screen), events, ..RawInput::default() });
    let actions = panels.show(context, &shown.state(), 1.0);
    context.end_pass().textures_delta.clear();
    actions
}

fn click(at: Pos2) -> [Vec<Event>; 2] {
    let button = |pressed| Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::default(),
    };
    [vec![Event::PointerMoved(at), button(true)], vec![button(false)]]
}

#[test]
fn the_middle_of_the_picture_stays_free() {
    for recorded in [false, true] {
        let all = Shown::new(recorded);
        let (context, mut panels) = (Context::default(), Panels::default());
        for _ in 0..4 {
            shown(&all, &context, &mut panels, Vec::new());
        }
        let panel_at = |x: f32, y: f32| {
            let layer = context.layer_id_at(pos2(x, y));
            layer.is_some_and(|layer| layer.order != Order::Background)
        };
        for x in (260..=980).step_by(20) {
            for y in (100..=520).step_by(20) {
                assert!(!panel_at(x as f32, y as f32), "a panel is at {x}, {y}");
            }
        }
        // Legends and notes are not covered.
        assert!(!panel_at(100.0, 600.0) && !panel_at(250.0, 700.0));
        // The panels are present.
        let corners = [(10.0, 10.0), (100.0, 100.0), (1200.0, 100.0), (1200.0, 700.0), (640.0, 700.0)];
        assert!(corners.into_iter().all(|(x, y)| panel_at(x, y)));
    }
}

#[test]
fn clicks_request_actions() {
    let all = Shown::new(false);
    let (context, mut panels) = (Context::default(), Panels::default());
    let mut requested = BTreeSet::new();
    for _ in 0..3 {
        assert!(shown(&all, &context, &mut panels, Vec::new()).is_empty(), "nothing was clicked");
    }
    let toolbar = (0..160).map(|x| pos2(8.0 * x as f32, 19.0));
    let layers = (0..30).map(|y| pos2(22.0, 50.0 + 8.0 * y as f32));
    let inspector = (0..8).map(|x| pos2(1280.0 - 4.0 * x as f32, 66.0));
    for at in toolbar.chain(layers).chain(inspector) {
        for events in click(at) {
            requested.extend(
                shown(&all, &context, &mut panels, events).iter().map(|action| format!("{action:?}")),
            );
        }
    }
    let mut expected: Vec<_> =
        Layer::ALL.into_iter().map(|layer| format!("{:?}", Action::Toggle(layer))).collect();
    for action in [
        Action::Reset,
        Action::PlayPause,
        Action::Step,
        Action::Slower,
        Action::Faster,
        Action::Sketch,
        Action::Help,
        Action::Select(None),
    ] {
        expected.push(format!("{action:?}"));
    }
    for action in expected {
        assert!(requested.contains(&action), "{action} of {requested:?}");
    }
}

#[test]
fn numbers_that_are_not_numbers_are_shown() {
    let mut all = Shown::new(true);
    all.snapshot.state.bodies[0].linear_velocity = Vector3::repeat(f64::NAN);
    for sample in &mut all.history {
        sample.seconds = f64::NAN;
        sample.energy = f64::NAN;
        sample.max_penetration = f64::INFINITY;
    }
    let (context, mut panels) = (Context::default(), Panels::default());
    for _ in 0..3 {
        shown(&all, &context, &mut panels, Vec::new());
    }
}
