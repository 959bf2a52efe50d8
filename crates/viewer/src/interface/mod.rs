//! Interface between the window, its panels and a sketch: actions, key bindings, and the state that panels show.

mod action;
mod keys;
mod state;

pub use action::{Action, Layer, Layers};
pub use keys::{BINDINGS, Binding, KeyContext, MOUSE, action_named, action_of, markdown};
pub use state::{
    ClockState, DisplayOptions, Message, MessageKind, PanelState, Recorded, Sample, Snapshot, Title,
};
