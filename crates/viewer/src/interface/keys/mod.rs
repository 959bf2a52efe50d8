//! The keys, once: what is handled, what help shows, and the table of `docs/viewer.md`.

use kiss3d::event::{Key, Modifiers};

use super::action::{Action, Layer};

/// A key and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// The keys that do it, as they are read.
    pub keys: &'static str,
    /// What they do, as it is read.
    pub text: &'static str,
    /// When they do it.
    pub when: When,
    strokes: &'static [Stroke],
    action: fn() -> Action,
}

/// When a key does something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// While a scene runs or a run is played.
    Playing,
    /// While one sketches.
    Sketching,
}

/// A key that is pressed, with Ctrl or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stroke {
    key: Key,
    control: bool,
}

const fn plain(key: Key) -> Stroke {
    Stroke { key, control: false }
}

const fn control(key: Key) -> Stroke {
    Stroke { key, control: true }
}

/// What the mouse does.
pub const MOUSE: [[&str; 2]; 7] = [
    ["left drag on a body", "pulls it with a spring; while sketching, poses it"],
    ["left drag elsewhere, right drag", "turns the camera"],
    ["middle drag, shift with another drag", "shifts the camera"],
    ["wheel", "goes towards what is under the pointer, or away from it"],
    ["click on a body", "selects it"],
    ["click elsewhere", "deselects"],
    ["Ctrl with a drag, while sketching", "turns a body instead of shifting it"],
];

/// All keys, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    bind("space", "play, pause", When::Playing, &[plain(Key::Space)], || Action::PlayPause),
    bind(". or →", "a single step", When::Playing, &[plain(Key::Period), plain(Key::Right)], || {
        Action::Step
    }),
    bind(", or ←", "back to the state before (of a recording)", When::Playing, BACK, || Action::StepBack),
    bind("R", "back to the start", When::Playing, &[plain(Key::R)], || Action::Reset),
    bind("+", "twice as fast", When::Playing, PLUS, || Action::Faster),
    bind("-", "half as fast", When::Playing, MINUS, || Action::Slower),
    bind("F", "look at what is selected, or at all", When::Always, &[plain(Key::F)], || Action::Fit),
    layer("1", "contacts: points, normals, forces", &[plain(Key::Key1)], || Action::Toggle(Layer::Contacts)),
    layer("2", "local penetrations, an arrow a region", &[plain(Key::Key2)], || {
        Action::Toggle(Layer::Penetrations)
    }),
    layer("3", "global penetration depth, its bounds, and the separated ghost", &[plain(Key::Key3)], || {
        Action::Toggle(Layer::Depth)
    }),
    layer("4", "the walk of a query in contact space, step by step", &[plain(Key::Key4)], || {
        Action::Toggle(Layer::Walk)
    }),
    layer("5", "the distance field on a slice", &[plain(Key::Key5)], || Action::Toggle(Layer::Field)),
    layer("6", "boxes of the trees", &[plain(Key::Key6)], || Action::Toggle(Layer::Trees)),
    layer(
        "7",
        "colours of soft bodies: their own, stress, displacement, depths",
        &[plain(Key::Key7)],
        || Action::NextColoring,
    ),
    bind("E", "begin or end sketching", When::Always, &[plain(Key::E)], || Action::Sketch),
    bind("Enter", "repair the sketch", When::Sketching, ENTER, || Action::Repair),
    bind("T", "repair as you drag, or stop that", When::Sketching, &[plain(Key::T)], || Action::Follow),
    bind("Z or Ctrl-Z", "undo", When::Sketching, &[plain(Key::Z), control(Key::Z)], || Action::Undo),
    bind("Y or Ctrl-Y", "redo", When::Sketching, &[plain(Key::Y), control(Key::Y)], || Action::Redo),
    bind("S or Ctrl-S", "save the sketch", When::Sketching, SAVE, || Action::Save),
    bind("space", "simulate the sketch, from rest", When::Sketching, &[plain(Key::Space)], || {
        Action::Simulate
    }),
    bind("P", "save a picture", When::Always, &[plain(Key::P)], || Action::Picture),
    bind("H or F1", "help", When::Always, &[plain(Key::H), plain(Key::F1)], || Action::Help),
    bind("Esc", "take the message away, end sketching, or deselect", When::Always, ESCAPE, || Action::Escape),
    bind("Q or Ctrl-Q", "quit", When::Always, &[plain(Key::Q), control(Key::Q)], || Action::Quit),
];

const BACK: &[Stroke] = &[plain(Key::Comma), plain(Key::Left)];
/// The key of `=` is that of `+` on many keyboards; keys are told by their places.
const PLUS: &[Stroke] = &[plain(Key::Add), plain(Key::Equals)];
const MINUS: &[Stroke] = &[plain(Key::Minus), plain(Key::Subtract)];
const ENTER: &[Stroke] = &[plain(Key::Return), plain(Key::NumpadEnter)];
const SAVE: &[Stroke] = &[plain(Key::S), control(Key::S)];
const ESCAPE: &[Stroke] = &[plain(Key::Escape)];

const fn bind(
    keys: &'static str,
    text: &'static str,
    when: When,
    strokes: &'static [Stroke],
    action: fn() -> Action,
) -> Binding {
    Binding { keys, text, when, strokes, action }
}

const fn layer(
    keys: &'static str,
    text: &'static str,
    strokes: &'static [Stroke],
    action: fn() -> Action,
) -> Binding {
    bind(keys, text, When::Always, strokes, action)
}

/// What a key does, if anything.
#[must_use]
pub fn action_of(key: Key, modifiers: Modifiers, sketching: bool) -> Option<Action> {
    if modifiers.intersects(Modifiers::Alt | Modifiers::Super) {
        return None;
    }
    let stroke = Stroke { key, control: modifiers.contains(Modifiers::Control) };
    let mut bindings = BINDINGS.iter().filter(|binding| binding.when.holds(sketching));
    bindings.find(|binding| binding.strokes.contains(&stroke)).map(|binding| (binding.action)())
}

/// The action of a key as scripts name it: a word of [`Binding::keys`], in small or capital letters.
#[must_use]
pub fn action_named(name: &str, sketching: bool) -> Option<Action> {
    let is_named = |binding: &&Binding| {
        binding.keys.split(" or ").any(|key| key.eq_ignore_ascii_case(name) || arrow(key) == Some(name))
    };
    let mut bindings = BINDINGS.iter().filter(|binding| binding.when.holds(sketching));
    bindings.find(is_named).map(|binding| (binding.action)())
}

fn arrow(key: &str) -> Option<&'static str> {
    match key {
        "→" => Some("right"),
        "←" => Some("left"),
        _ => None,
    }
}

impl When {
    const fn holds(self, sketching: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Playing => !sketching,
            Self::Sketching => sketching,
        }
    }
}

/// All of the mouse and all keys as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mouse = MOUSE.iter().map(|[how, what]| format!("| {how} | {what} |\n"));
    let keys = BINDINGS.iter().map(|binding| {
        let keys: Vec<_> = binding.keys.split(" or ").map(|key| format!("`{key}`")).collect();
        let when = match binding.when {
            When::Always | When::Playing => "",
            When::Sketching => "while sketching: ",
        };
        format!("| {} | {when}{} |\n", keys.join(" or "), binding.text)
    });
    let head = |what: &str| format!("| {what} | does |\n|---|---|\n");
    head("mouse") + &mouse.collect::<String>() + "\n" + &head("key") + &keys.collect::<String>()
}

#[cfg(test)]
mod tests;
