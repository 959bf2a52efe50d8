//! State that the panels show, borrowed and rebuilt for every picture.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::keys::Binding;
use super::snapshot::Snapshot;
use super::state::{DisplayOptions, Message, Sample, Title};
use crate::models::Models;
use extricate_dynamics::AnyBody;
use extricate_scene::scene::BodyField;

/// Values of a body in the scene file, as text; or why they cannot be edited.
pub type BodyValues = Result<Vec<(BodyField, String)>, String>;

/// State that the panels show. They return [`Action`](super::Action)s.
#[derive(Debug, Clone, Copy)]
pub struct PanelState<'a> {
    /// Name, description and times of the scene or run.
    pub title: &'a Title,
    /// Models of the bodies, with their names.
    pub models: &'a Models,
    /// Last snapshot of the simulation.
    pub snapshot: &'a Snapshot,
    /// Samples of the last steps, for plots; the newest last.
    pub history: &'a VecDeque<Sample>,
    /// The selected body.
    pub selection: Option<AnyBody>,
    /// Values of the selected body in the scene file; `None` for a recorded run.
    pub values: Option<&'a BodyValues>,
    /// Display options.
    pub display: &'a DisplayOptions,
    /// Last message that has not been dismissed.
    pub message: Option<&'a Message>,
    /// Whether help is shown.
    pub help: bool,
    /// Whether a sketch is open; it draws its own panel.
    pub sketching: bool,
    /// Side of a grid cell of the ground, as text.
    pub grid: Option<&'a str>,
    /// Recently opened scenes and runs, the last one first.
    pub recent: &'a [PathBuf],
    /// Smoothed time per picture \[s\].
    pub picture_seconds: f64,
    /// All key bindings, in the order of the help.
    pub keys: &'static [Binding],
}
