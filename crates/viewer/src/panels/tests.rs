use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use kiss3d::egui::{Event, Id, Key, Modifiers, PointerButton, Pos2, RawInput, pos2, vec2};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

use super::*;
use crate::interface::{
    BINDINGS, BodyValues, ClockState, DisplayOptions, Layer, Message, MessageKind, Recorded, Sample,
    Snapshot, Title,
};
use crate::{Drawing, Models};
use extricate_dynamics::{
    AnyBody, BodyDescription, BodyKind, Shape, StepTimings, World, WorldContact, WorldOptions,
};
use extricate_scene::record::WorldState;
use extricate_scene::scene::BodyField;
use kiss3d::egui::{Order, Rect};

/// Owner of all that a [`PanelState`] borrows.
struct Shown {
    title: Title,
    models: Models,
    snapshot: Snapshot,
    history: VecDeque<Sample>,
    display: DisplayOptions,
    message: Message,
    values: Option<BodyValues>,
    recent: Vec<PathBuf>,
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
            wanted: None,
            drawn: None,
            drawing: Drawing::default(),
            walk_steps: 7,
            executed: 0,
            clock: ClockState { playing: true, speed: 1.0, achieved: 0.5, behind: true },
            pull: None,
            recorded: recorded.then_some(Recorded {
                at: 3,
                states: 9,
                duration: 1.0,
                complete: true,
                has_contacts: false,
            }),
            failure: Some("it diverged".into()),
        };
        Self {
            title: Title { name: "ball".into(), time_step: 0.01, ..Title::default() },
            models: Models::of(&world).expect("a ball"),
            snapshot,
            history: (1..50).map(sample).collect(),
            display,
            message: Message { kind: MessageKind::Error, text: "a line\n".repeat(40) },
            recent: (0..10).map(|number| format!("/scenes/{number}.ron").into()).collect(),
            values: (!recorded).then(|| {
                let value = |field: BodyField| match field {
                    BodyField::Kind => "dynamic",
                    BodyField::Density => "",
                    BodyField::Mass
                    | BodyField::Friction
                    | BodyField::RollingFriction
                    | BodyField::Restitution => "0.5",
                    _ => "0.125 -12.5 1e-9",
                };
                Ok(BodyField::ALL.map(|field| (field, value(field).to_owned())).into())
            }),
        }
    }

    fn state(&self) -> PanelState<'_> {
        PanelState {
            title: &self.title,
            models: &self.models,
            snapshot: &self.snapshot,
            history: &self.history,
            selection: Some(AnyBody::Rigid(0)),
            values: self.values.as_ref(),
            display: &self.display,
            message: Some(&self.message),
            help: false,
            sketching: false,
            grid: Some("20 cm"),
            recent: &self.recent,
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
fn a_long_inspector_stays_above_the_plots_and_within_the_window() {
    for recorded in [false, true] {
        let mut all = Shown::new(recorded);
        let body = &mut all.snapshot.state.bodies[0];
        body.rotation = UnitQuaternion::from_euler_angles(-3.1, -1.5, -2.9);
        (body.position, body.linear_velocity) =
            (Point3::new(-0.101, -0.202, -0.303), Vector3::repeat(-12.34));
        body.angular_velocity = Vector3::repeat(-1234.5);
        let others = (0..9).map(|other| WorldContact {
            bodies: [AnyBody::Rigid(0), AnyBody::Rigid(other)],
            point: Point3::origin(),
            normal: Vector3::z_axis(),
            depth: 1.234e-7,
            force: 123.4,
        });
        all.snapshot.contacts = others.collect();
        let (context, mut panels) = (Context::default(), Panels::default());
        for _ in 0..4 {
            shown(&all, &context, &mut panels, Vec::new());
        }
        let area = |name: &str| {
            let area = context.memory(|memory| memory.area_rect(Id::new(("panel", name))));
            area.expect("the panel is shown")
        };
        let (inspector, plots) = (area("inspector"), area("plots"));
        assert!(inspector.max.y < plots.min.y, "{inspector:?} {plots:?}");
        assert!(inspector.max.x <= 1280.0 && plots.max.y <= 720.0, "{inspector:?} {plots:?}");
        assert!((inspector.width() - plots.width()).abs() < 1.0, "{inspector:?} {plots:?}");
        assert!(inspector.height() > 200.0, "{inspector:?}");
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

/// Types a text into the field of a value, in place of what it holds, and presses a key.
fn typed(all: &Shown, context: &Context, field: BodyField, text: &str, last: Key) -> Vec<Action> {
    let mut panels = Panels::default();
    for _ in 0..3 {
        shown(all, context, &mut panels, Vec::new());
    }
    let place = context.read_response(Id::new(("value", "ball", field.name()))).expect("the field is shown");
    let key = |key, modifiers| {
        [true, false].map(|pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers })
    };
    let [press, release] = click(place.rect.center());
    let all_of_it = key(Key::A, Modifiers::COMMAND).into();
    let rest = vec![vec![Event::Text(text.into())], key(last, Modifiers::NONE).into(), Vec::new()];
    let passes = [press, release, all_of_it].into_iter().chain(rest);
    passes.flat_map(|events| shown(all, context, &mut panels, events)).collect()
}

#[test]
fn a_value_is_edited_with_enter_and_not_with_escape() {
    let all = Shown::new(false);
    let request = |field, value: &str| Action::SetValue { body: "ball".into(), field, value: value.into() };
    let context = Context::default();
    let actions = typed(&all, &context, BodyField::Mass, "2.25", Key::Enter);
    assert_eq!(actions, [request(BodyField::Mass, "2.25")]);
    let actions = typed(&all, &context, BodyField::Position, "0 0 1", Key::Enter);
    assert_eq!(actions, [request(BodyField::Position, "0 0 1")]);
    assert_eq!(typed(&all, &context, BodyField::Mass, "3", Key::Escape), []);
    assert_eq!(typed(&all, &context, BodyField::Mass, "0.5", Key::Enter), [], "it is the same");
    let all = Shown { values: Some(Err("it is a copy".into())), ..all };
    let (context, mut panels) = (Context::default(), Panels::default());
    for _ in 0..3 {
        shown(&all, &context, &mut panels, Vec::new());
    }
    assert!(context.read_response(Id::new(("value", "ball", "mass"))).is_none());
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
