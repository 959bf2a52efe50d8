//! Commands to the simulation thread, and the painter that it calls.

use super::clock::Pace;
use crate::Drawing;
use crate::interface::DisplayOptions;
use crate::overlay::OverlayInput;
use extricate_dynamics::Pull;

/// Command to the simulation thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Plays or pauses.
    Play(bool),
    /// Pauses and takes a step.
    Step,
    /// Pauses and shows the previous recorded state.
    Back,
    /// Resets to the start; continues to play if it played.
    Reset,
    /// Shows a recorded state.
    Seek(usize),
    /// Sets the speed: simulated seconds per second, clamped to [`SPEEDS`](super::SPEEDS).
    Speed(f64),
    /// Plays for a simulated time \[s\], if it plays with [`Pace::Commanded`].
    Advance(f64),
    /// Sets the pace.
    Pace(Pace),
    /// Pulls at a body with a spring, or releases it.
    Pull(Option<Pull>),
    /// Sets the display options.
    Display(DisplayOptions),
}

/// Makes drawings of the display options, on a thread of its own.
pub trait Painter: Send {
    /// Drawing of the selected layers. What cannot be drawn is a note in the drawing.
    fn paint(&mut self, input: &OverlayInput, display: &DisplayOptions) -> Drawing;

    /// Number of steps of the query walk that was painted last.
    fn walk_steps(&self) -> usize {
        0
    }
}
