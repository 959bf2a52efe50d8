//! The viewer application: simulation or playback, keys and mouse, sketching, and scripts.

mod input;
mod layers;
mod load;
mod opening;
mod panel;
mod picking;
mod playback;
mod recent;
mod reload;
pub mod script;
mod session;
mod simulation;
mod source;
mod window;

pub use crate::interface::{
    Action, BINDINGS, Binding, BodyValues, ClockState, DisplayOptions, KeyContext, Layer, LayerDrawing,
    Layers, LayersOf, MOUSE, Message, MessageKind, PanelState, Recorded, Sample, Snapshot, Title,
    action_named, action_of, markdown,
};
pub use input::{DragMode, Gesture, Pointer};
pub use load::{Loaded, Prepare, prepare};
pub use picking::{Hit, Picker};
pub use playback::Playback;
pub use recent::Recent;
pub use session::{Picture, Session};
pub use simulation::{Command, Pace, Painter, SPEEDS, Simulation, Update};
pub use source::{Live, Source};
pub use window::{View, view};
