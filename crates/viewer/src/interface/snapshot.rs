//! The scene at one time, with its layers, which may be those of an earlier time.

use nalgebra::Point3;

use super::state::{ClockState, DisplayOptions, Recorded};
use crate::drawing::Drawing;
use extricate_dynamics::{StepReport, WorldContact};
use extricate_scene::record::WorldState;

/// The scene at one time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Poses and velocities, in the order of [`Models`](crate::Models).
    pub state: WorldState,
    /// Report of the last step; `None` at the start, and for a recording.
    pub report: Option<StepReport>,
    /// Contacts of the last step, if contacts are shown or a body is selected; empty for a recording without contacts.
    pub contacts: Vec<WorldContact>,
    /// Layers that belong to this state; `None` if none are shown.
    pub wanted: Option<LayersOf>,
    /// Layers that are drawn: those of this state, or of an earlier one until these are finished.
    pub drawn: Option<LayersOf>,
    /// Drawing of these layers.
    pub drawing: Drawing,
    /// Number of steps of the drawn query walk, zero if there is none.
    pub walk_steps: usize,
    /// State of the clock.
    pub clock: ClockState,
    /// Ends of the pulling spring: grip on the body and target [m, world].
    pub pull: Option<[Point3<f64>; 2]>,
    /// Position in the recording, if it is one.
    pub recorded: Option<Recorded>,
    /// Error of the step that failed, if the simulation cannot continue.
    pub failure: Option<String>,
    /// Number of commands executed before this snapshot.
    pub executed: u64,
}

/// State and display options of drawn layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayersOf {
    /// Number of the drawing, from 1; later ones have higher numbers.
    pub number: u64,
    /// Number of resets and of other jumps in time before the state.
    pub jumps: u64,
    /// Step of the state.
    pub step: u64,
    /// Time of the state \[s\].
    pub time: f64,
    /// The display options.
    pub display: DisplayOptions,
}

/// Finished layers.
#[derive(Debug, Clone)]
pub struct LayerDrawing {
    /// State and display options that they belong to.
    pub of: LayersOf,
    /// The drawing.
    pub drawing: Drawing,
    /// Number of steps of the drawn query walk.
    pub walk_steps: usize,
}

impl LayersOf {
    /// Whether these layers are shown until `wanted` are finished: there is no jump between them, and none is hidden since.
    fn may_be_shown_for(&self, wanted: &Self) -> bool {
        let [own, other] = [&self.display, &wanted.display];
        self.jumps == wanted.jumps
            && own.layers.are_among(other.layers)
            && own.coloring == other.coloring
            && own.subject == other.subject
    }
}

impl Snapshot {
    /// Shows finished layers, unless newer ones are shown, or they can no longer be shown.
    pub fn show_layers(&mut self, layers: LayerDrawing) {
        let is_newer = self.drawn.is_none_or(|drawn| drawn.number < layers.of.number);
        if is_newer && self.wanted.is_some_and(|wanted| layers.of.may_be_shown_for(&wanted)) {
            self.drawn = Some(layers.of);
            (self.drawing, self.walk_steps) = (layers.drawing, layers.walk_steps);
        }
    }

    /// Shows the layers of the snapshot before until its own are finished, if they can still be shown.
    pub fn keep_layers(&mut self, before: &mut Self) {
        if let Some(of) = before.drawn.take() {
            let (drawing, walk_steps) = (std::mem::take(&mut before.drawing), before.walk_steps);
            self.show_layers(LayerDrawing { of, drawing, walk_steps });
        }
    }

    /// Note for the user that the layers are not those of the state; `None` if they are.
    #[must_use]
    pub fn note_on_layers(&self) -> Option<String> {
        let wanted = self.wanted?;
        match self.drawn {
            None => Some("The layers are being computed.".to_owned()),
            Some(drawn) if drawn.step != wanted.step => {
                Some(format!("The layers are those of step {}, {:.3} s.", drawn.step, drawn.time))
            }
            Some(_) => None,
        }
    }
}
