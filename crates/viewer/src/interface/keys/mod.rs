//! Key bindings: the one source of the keys handled, of the help, and of the table in `docs/viewer.md`.

use kiss3d::event::{Key, Modifiers};

use super::action::{Action, Layer};

/// A key binding.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Names of its keys, joined by ` or `.
    pub keys: &'static str,
    /// Description of its action.
    pub text: &'static str,
    /// Context in which it is active.
    pub context: KeyContext,
    strokes: &'static [Stroke],
    action: fn() -> Action,
}

/// Context in which a key binding is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyContext {
    /// Always.
    Always,
    /// While no sketch is open.
    Playing,
    /// While a sketch is open.
    Sketching,
}

/// A key stroke, with Ctrl or without.
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

/// Mouse gestures and their effects.
pub const MOUSE: [[&str; 2]; 7] = [
    ["Left drag on a body", "Pull with a spring; in a sketch, move the body"],
    ["Left drag elsewhere, right drag", "Orbit the camera"],
    ["Middle drag, Shift-drag", "Pan the camera"],
    ["Wheel", "Zoom towards or away from the pointer"],
    ["Click on a body", "Select"],
    ["Click elsewhere", "Deselect"],
    ["Ctrl-drag in a sketch", "Rotate a body instead of translating it"],
];

/// All key bindings, in the order of the help.
pub const BINDINGS: &[Binding] = &[
    bind("space", "Play or pause", KeyContext::Playing, &[plain(Key::Space)], || Action::PlayPause),
    bind(". or →", "Single step", KeyContext::Playing, &[plain(Key::Period), plain(Key::Right)], || {
        Action::Step
    }),
    bind(", or ←", "Previous state (recordings only)", KeyContext::Playing, BACK, || Action::StepBack),
    bind("R", "Reset to the start", KeyContext::Playing, &[plain(Key::R)], || Action::Reset),
    bind("+", "Double speed", KeyContext::Playing, PLUS, || Action::Faster),
    bind("-", "Half speed", KeyContext::Playing, MINUS, || Action::Slower),
    bind("F", "Frame the selection or the scene", KeyContext::Always, &[plain(Key::F)], || Action::Fit),
    layer("1", "Contacts: points, normals, forces", &[plain(Key::Key1)], || Action::Toggle(Layer::Contacts)),
    layer("2", "Local penetrations, one arrow per region", &[plain(Key::Key2)], || {
        Action::Toggle(Layer::Penetrations)
    }),
    layer("3", "Global penetration depth, bounds, and separated ghost", &[plain(Key::Key3)], || {
        Action::Toggle(Layer::Depth)
    }),
    layer("4", "Query walk in contact space, step by step", &[plain(Key::Key4)], || {
        Action::Toggle(Layer::Walk)
    }),
    layer("5", "Distance field on a slice", &[plain(Key::Key5)], || Action::Toggle(Layer::Field)),
    layer("6", "Boxes of the bounding volume hierarchies", &[plain(Key::Key6)], || {
        Action::Toggle(Layer::Trees)
    }),
    layer("7", "Soft-body colouring: own colour, stress, displacement, depths", &[plain(Key::Key7)], || {
        Action::NextColoring
    }),
    bind("E", "Open or close a sketch", KeyContext::Always, &[plain(Key::E)], || Action::Sketch),
    bind("Enter", "Repair the sketch", KeyContext::Sketching, ENTER, || Action::Repair),
    bind("T", "Repair while dragging, on or off", KeyContext::Sketching, &[plain(Key::T)], || Action::Follow),
    bind("Z or Ctrl-Z", "Undo: in a sketch, or an edited value", KeyContext::Always, UNDO, || Action::Undo),
    bind("Y or Ctrl-Y", "Redo: in a sketch, or an edited value", KeyContext::Always, REDO, || Action::Redo),
    bind("S or Ctrl-S", "Save the sketch", KeyContext::Sketching, SAVE, || Action::Save),
    bind("space", "Simulate the sketch from rest", KeyContext::Sketching, &[plain(Key::Space)], || {
        Action::Simulate
    }),
    bind("P", "Save a screenshot", KeyContext::Always, &[plain(Key::P)], || Action::Picture),
    bind("H or F1", "Help", KeyContext::Always, &[plain(Key::H), plain(Key::F1)], || Action::Help),
    bind("Esc", "Dismiss the message, close the sketch, or deselect", KeyContext::Always, ESCAPE, || {
        Action::Escape
    }),
    bind("Q or Ctrl-Q", "Quit", KeyContext::Always, &[plain(Key::Q), control(Key::Q)], || Action::Quit),
];

const BACK: &[Stroke] = &[plain(Key::Comma), plain(Key::Left)];
/// The key of `=` is that of `+` on many keyboards; keys are identified by position.
const PLUS: &[Stroke] = &[plain(Key::Add), plain(Key::Equals)];
const MINUS: &[Stroke] = &[plain(Key::Minus), plain(Key::Subtract)];
const ENTER: &[Stroke] = &[plain(Key::Return), plain(Key::NumpadEnter)];
const UNDO: &[Stroke] = &[plain(Key::Z), control(Key::Z)];
const REDO: &[Stroke] = &[plain(Key::Y), control(Key::Y)];
const SAVE: &[Stroke] = &[plain(Key::S), control(Key::S)];
const ESCAPE: &[Stroke] = &[plain(Key::Escape)];

const fn bind(
    keys: &'static str,
    text: &'static str,
    context: KeyContext,
    strokes: &'static [Stroke],
    action: fn() -> Action,
) -> Binding {
    Binding { keys, text, context, strokes, action }
}

const fn layer(
    keys: &'static str,
    text: &'static str,
    strokes: &'static [Stroke],
    action: fn() -> Action,
) -> Binding {
    bind(keys, text, KeyContext::Always, strokes, action)
}

/// Action of a key stroke, if one is bound.
#[must_use]
pub fn action_of(key: Key, modifiers: Modifiers, sketching: bool) -> Option<Action> {
    if modifiers.intersects(Modifiers::Alt | Modifiers::Super) {
        return None;
    }
    let stroke = Stroke { key, control: modifiers.contains(Modifiers::Control) };
    let mut bindings = BINDINGS.iter().filter(|binding| binding.context.is_active(sketching));
    bindings.find(|binding| binding.strokes.contains(&stroke)).map(|binding| (binding.action)())
}

/// Action of a key by its name in scripts: a name of [`Binding::keys`], in any case, or `left` and `right`.
#[must_use]
pub fn action_named(name: &str, sketching: bool) -> Option<Action> {
    let is_named = |binding: &&Binding| {
        binding.keys.split(" or ").any(|key| key.eq_ignore_ascii_case(name) || arrow(key) == Some(name))
    };
    let mut bindings = BINDINGS.iter().filter(|binding| binding.context.is_active(sketching));
    bindings.find(is_named).map(|binding| (binding.action)())
}

fn arrow(key: &str) -> Option<&'static str> {
    match key {
        "→" => Some("right"),
        "←" => Some("left"),
        _ => None,
    }
}

impl KeyContext {
    const fn is_active(self, sketching: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Playing => !sketching,
            Self::Sketching => sketching,
        }
    }
}

/// Mouse gestures and key bindings as Markdown tables.
#[must_use]
pub fn markdown() -> String {
    let mouse = MOUSE.iter().map(|[how, what]| format!("| {how} | {what} |\n"));
    let keys = BINDINGS.iter().map(|binding| {
        let keys: Vec<_> = binding.keys.split(" or ").map(|key| format!("`{key}`")).collect();
        let suffix = match binding.context {
            KeyContext::Always | KeyContext::Playing => "",
            KeyContext::Sketching => " (in a sketch)",
        };
        format!("| {} | {}{suffix} |\n", keys.join(" or "), binding.text)
    });
    let head = |input: &str| format!("| {input} | Action |\n|---|---|\n");
    head("Mouse") + &mouse.collect::<String>() + "\n" + &head("Key") + &keys.collect::<String>()
}

#[cfg(test)]
mod tests;
