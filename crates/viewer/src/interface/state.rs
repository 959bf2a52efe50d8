//! Parts of the state that the panels show.

use std::path::Path;

use super::action::Layers;
use crate::soft_quantity::SoftQuantity;
use extricate_dynamics::{AnyBody, StepTimings};

/// Name, description and times of a scene or run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Title {
    /// Name of the scene.
    pub name: String,
    /// Title, one line.
    pub title: String,
    /// Description.
    pub description: String,
    /// The scene file or the run's folder.
    pub path: std::path::PathBuf,
    /// Length of a step \[s\].
    pub time_step: f64,
    /// Simulated duration of the whole run \[s\].
    pub duration: f64,
}

impl Title {
    /// The scene file or the run's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Position in a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    /// Index of the shown state, 0 being the start.
    pub at: usize,
    /// Number of states.
    pub states: usize,
    /// Time of the last state \[s\].
    pub duration: f64,
    /// Whether the run was completed.
    pub complete: bool,
    /// Whether contacts were recorded.
    pub has_contacts: bool,
}

/// State of the clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockState {
    /// Whether the simulation plays.
    pub playing: bool,
    /// Set speed: simulated seconds per second.
    pub speed: f64,
    /// Achieved speed, recent mean: simulated seconds per second; zero while paused.
    pub achieved: f64,
    /// Whether steps take too long for the set speed.
    pub behind: bool,
}

/// Quantities of a step, for plots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Number of the step.
    pub step: u64,
    /// Time at its end \[s\].
    pub time: f64,
    /// Wall-clock time of the step \[s\]; NaN for a recording.
    pub seconds: f64,
    /// Times of the parts of the step; zeros for a recording.
    pub timings: StepTimings,
    /// Deepest contact \[m\].
    pub max_penetration: f64,
    /// Number of contacts.
    pub contacts: usize,
    /// Energy at its end \[J\].
    pub energy: f64,
}

impl Sample {
    /// Number of samples that plots show.
    pub const HISTORY_LENGTH: usize = 600;
}

/// Display options: optional layers, colouring, selection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DisplayOptions {
    /// Shown layers.
    pub layers: Layers,
    /// Quantity that colours soft bodies; `None` for each body's own colour.
    pub coloring: Option<SoftQuantity>,
    /// Selected body, to which queries and slices are restricted.
    pub subject: Option<AnyBody>,
    /// Level of the bounding volume hierarchies whose boxes are shown.
    pub tree_level: usize,
    /// Shown step of the query walk, counted through all walks of the query.
    pub walk_step: usize,
    /// Position of the slice along its axis, 0 and 1 at the ends of the body's box.
    pub slice: f64,
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self {
            layers: Layers::default(),
            coloring: None,
            subject: None,
            tree_level: 2,
            walk_step: 0,
            slice: 0.5,
        }
    }
}

/// A message to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Severity.
    pub kind: MessageKind,
    /// Text of one or more lines, shown in a monospaced font.
    pub text: String,
}

/// Severity of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Information.
    Note,
    /// Error; the previous state remains.
    Error,
}
