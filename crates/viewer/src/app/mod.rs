//! The viewer's window: a scene that runs or a run that is played, keys and mouse, sketching, and scripts of all that.

mod action;
mod input;
mod keys;
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
mod state;
mod window;

pub use action::{Action, Coloring, Layer, Layers};
pub use input::{Gesture, Hold, Pointer};
pub use keys::{BINDINGS, Binding, MOUSE, When, action_named, action_of, markdown};
pub use load::{Loaded, Prepare, prepare};
pub use picking::{Hit, Picker};
pub use playback::Playback;
pub use session::{Picture, Session};
pub use simulation::{Command, NoPainter, Pace, Painter, SPEEDS, Simulation};
pub use source::{Live, Source};
pub use state::{ClockState, Message, MessageKind, PanelState, Recorded, Sample, Snapshot, Title, Wants};
pub use window::{View, view};
