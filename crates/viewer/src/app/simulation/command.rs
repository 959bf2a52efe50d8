//! What the thread that steps is told, and what paints for it.

use super::clock::Pace;
use crate::Drawing;
use crate::interface::Wants;
use crate::overlay::Sight;
use extricate_dynamics::Pull;

/// What the thread is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Plays or pauses.
    Play(bool),
    /// Pauses and takes a step.
    Step,
    /// Pauses and shows the recorded state before.
    Back,
    /// Goes back to the start; plays on if it played.
    Reset,
    /// Shows a recorded state.
    Seek(usize),
    /// Sets the speed: simulated seconds per second, within [`SPEEDS`].
    Speed(f64),
    /// Plays for so many simulated seconds, if it plays and is paced by this.
    Advance(f64),
    /// Who says when steps are taken from now on.
    Pace(Pace),
    /// Pulls at a body, or lets go.
    Pull(Option<Pull>),
    /// What is to be drawn on demand.
    Want(Wants),
}

/// Makes drawings on demand, on the thread that steps.
pub trait Painter: Send {
    /// What is wanted, of what there is now. What cannot be told is a note in the drawing.
    fn paint(&mut self, sight: &Sight, wants: &Wants) -> Drawing;

    /// Number of steps of the walk that was painted last.
    fn walk_steps(&self) -> usize {
        0
    }
}
