//! Interface between the window, its panels and a sketch: actions, key bindings, and the state that panels show.

mod action;
mod keys;
mod panel_state;
mod snapshot;
mod state;

pub use action::{Action, Layer, Layers};
pub use keys::{BINDINGS, Binding, KeyContext, MOUSE, action_named, action_of, markdown};
pub use panel_state::{BodyValues, PanelState};
pub use snapshot::{LayerDrawing, LayersOf, Snapshot};
pub use state::{ClockState, DisplayOptions, Message, MessageKind, Recorded, Sample, Title};
