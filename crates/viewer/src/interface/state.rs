//! What panels show: all of it borrowed, made anew for every picture. What they ask for in return are [`Action`]s.

use std::collections::VecDeque;
use std::path::Path;

use nalgebra::Point3;

use super::action::Layers;
use super::keys::Binding;
use crate::soft_quantity::SoftQuantity;
use crate::{Drawing, Models};
use extricate_dynamics::{AnyBody, StepReport, StepTimings, WorldContact};
use extricate_scene::record::WorldState;

/// What panels show. They answer with [`Action`](super::Action)s.
#[derive(Debug, Clone, Copy)]
pub struct PanelState<'a> {
    /// What is shown.
    pub title: &'a Title,
    /// What it is made of; [`Models::bodies`] and [`Models::soft`] tell names.
    pub models: &'a Models,
    /// How it is now.
    pub snapshot: &'a Snapshot,
    /// Numbers of the last steps, for plots; the newest last.
    pub history: &'a VecDeque<Sample>,
    /// What is selected.
    pub selection: Option<AnyBody>,
    /// What is drawn on demand.
    pub wants: &'a Wants,
    /// What was said last and has not been taken away.
    pub message: Option<&'a Message>,
    /// Whether help is shown.
    pub help: bool,
    /// Whether one is sketching; the panel of the sketch is drawn by it.
    pub sketching: bool,
    /// Side of a cell of the ground's grid as it is read.
    pub grid: Option<&'a str>,
    /// Seconds that pictures take, smoothed.
    pub picture_seconds: f64,
    /// All keys, in the order of the help.
    pub keys: &'static [Binding],
}

/// What is shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Title {
    /// Name of the scene.
    pub name: String,
    /// One line that says what it shows.
    pub title: String,
    /// What to look at.
    pub description: String,
    /// The scene file or the run's folder.
    pub path: std::path::PathBuf,
    /// Length of a step [s].
    pub time_step: f64,
    /// Simulated time of a whole run [s].
    pub duration: f64,
}

impl Title {
    /// Where it was loaded from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// How the scene is at one time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Where everything is, in the order of [`Models`], and how it moves.
    pub state: WorldState,
    /// What the last step did; none at the start, and of a recording.
    pub report: Option<StepReport>,
    /// The contacts of the last step, where contacts are shown or something is selected; none of a recording.
    pub contacts: Vec<WorldContact>,
    /// What was asked to be drawn.
    pub drawing: Drawing,
    /// Number of steps of the walk that is drawn, zero where there is none.
    pub walk_steps: usize,
    /// How time passes.
    pub clock: ClockState,
    /// The spring that pulls a body: from where it is held to where it is pulled [m].
    pub pull: Option<[Point3<f64>; 2]>,
    /// Where a recording is, of how many states.
    pub recorded: Option<Recorded>,
    /// Why it does not go on.
    pub failure: Option<String>,
    /// Number of commands that were obeyed before.
    pub obeyed: u64,
}

/// A place in a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recorded {
    /// The state that is shown, 0 being the start.
    pub at: usize,
    /// Number of states.
    pub states: usize,
    /// Time of the last one [s].
    pub duration: f64,
    /// Whether the run came to its end.
    pub complete: bool,
}

/// How time passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockState {
    /// Whether it passes.
    pub playing: bool,
    /// Simulated seconds per second that were asked for.
    pub speed: f64,
    /// Simulated seconds per second of late; zero while paused.
    pub achieved: f64,
    /// Whether steps take so long that the speed cannot be kept.
    pub behind: bool,
}

/// Numbers of a step, for plots.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Number of the step.
    pub step: u64,
    /// Time at its end [s].
    pub time: f64,
    /// Seconds that the step took; NaN of a recording.
    pub seconds: f64,
    /// Where they went; zeros of a recording.
    pub timings: StepTimings,
    /// Deepest contact [m].
    pub max_penetration: f64,
    /// Number of contacts.
    pub contacts: usize,
    /// Energy at its end [J].
    pub energy: f64,
}

impl Sample {
    /// Samples that are kept.
    pub const KEPT: usize = 600;
}

/// What is drawn on demand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wants {
    /// The layers.
    pub layers: Layers,
    /// What the colours of soft bodies mean; none where each has its own.
    pub coloring: Option<SoftQuantity>,
    /// What is selected: queries and slices are of it and of what it touches.
    pub subject: Option<AnyBody>,
    /// Level of the trees whose boxes are shown.
    pub tree_level: usize,
    /// Step of the walk that is shown, counted through all walks of the query.
    pub walk_step: usize,
    /// Place of the slice along its axis, 0 and 1 at the ends of the body's box.
    pub slice: f64,
}

impl Default for Wants {
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

/// Something to tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub kind: MessageKind,
    /// Text of one or more lines, to be shown in a font of fixed width.
    pub text: String,
}

/// How bad a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// Good to know.
    Note,
    /// Something failed; what was there is still there.
    Error,
}
