//! What the window, its panels and a sketch agree on: what can be asked for, the keys that ask for it, and what is shown.

mod action;
mod keys;
mod state;

pub use action::{Action, Layer, Layers};
pub use keys::{BINDINGS, Binding, MOUSE, When, action_named, action_of, markdown};
pub use state::{ClockState, Message, MessageKind, PanelState, Recorded, Sample, Snapshot, Title, Wants};
