//! The viewer's window: a scene that runs or a run that is played, keys and mouse, sketching, and scripts of all that.

mod input;
mod layers;
mod load;
mod panel;
mod picking;
mod playback;
mod reload;
pub mod script;
mod session;
mod simulation;
mod source;
mod window;

pub use crate::interface::{
    Action, BINDINGS, Binding, ClockState, Layer, Layers, MOUSE, Message, MessageKind, PanelState, Recorded,
    Sample, Snapshot, Title, Wants, When, action_named, action_of, markdown,
};
pub use input::{Gesture, Hold, Pointer};
pub use load::{Loaded, Prepare, prepare};
pub use picking::{Hit, Picker};
pub use playback::Playback;
pub use session::{Picture, Session};
pub use simulation::{Command, Pace, Painter, SPEEDS, Simulation};
pub use source::{Live, Source};
pub use window::{View, view};
