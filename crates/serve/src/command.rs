//! Commands of the page: one object of JSON each, with an `id` that the reply repeats.

use std::collections::BTreeMap;

use serde::Deserialize;

use extricate_scene::repair::DragMode;
use extricate_scene::request::{PenetrationRequest, RepairFields};

/// A command with its number.
#[derive(Debug, Deserialize)]
pub(crate) struct Order {
    /// Number that the reply repeats.
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) command: Command,
}

/// A command.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Command {
    /// Sends the bodies with their surfaces.
    Stage,
    /// Sends the poses that are sketched.
    Pose,
    /// Sends a state of the run or of the record: the last one, or that of an index.
    State { index: Option<usize> },
    /// Drags a point of a body or link [m, its frame] to a point [m, world].
    Drag {
        name: String,
        anchor: [f64; 3],
        target: [f64; 3],
        /// Rotates a body about its centre instead.
        #[serde(default)]
        rotate: bool,
        /// Drags a robot as a whole instead of by its joints.
        #[serde(default)]
        whole: bool,
    },
    /// Ends a drag: the next one is a step of its own.
    Drop,
    /// Sets a joint [rad or m].
    Joint { robot: String, joint: String, value: f64 },
    /// Measures the pairs that overlap.
    Measure {
        /// The body that is asked about: the first of its pairs.
        subject: Option<String>,
        #[serde(default)]
        request: PenetrationRequest,
    },
    /// Begins the search for the nearest poses without overlaps.
    Repair {
        #[serde(default)]
        rotate: bool,
        #[serde(default)]
        fields: RepairFields,
    },
    /// Asks for the result of the search.
    Repaired,
    /// Undoes a step.
    Undo,
    /// Redoes a step.
    Redo,
    /// Moves everything to where the scene has it.
    Restore,
    /// Sends the text of the scene with its poses.
    Text,
    /// Runs the scene, from the poses that are sketched unless it was paused; `speed` is relative to real time.
    Play { speed: f64 },
    /// Pauses the run.
    Pause,
    /// Takes a step.
    Step,
    /// Ends the run; with `keep`, the sketch then is where the run was.
    Stop {
        #[serde(default)]
        keep: bool,
    },
    /// Pulls a point of a body [m, its frame] to a point [m, world] while the scene runs.
    Pull { name: String, anchor: [f64; 3], target: [f64; 3] },
    /// Releases what is pulled.
    Release,
    /// Removes everything.
    Clear,
    /// Takes files, whose contents follow the object, each with its length [bytes].
    Files {
        files: Vec<(String, usize)>,
        /// Place of what is new [m, world].
        #[serde(default)]
        at: Option<[f64; 3]>,
        /// Fields that are not known yet.
        #[serde(flatten)]
        _further: BTreeMap<String, serde_json::Value>,
    },
}

/// Kind of a drag.
pub(crate) fn drag_mode(rotate: bool) -> DragMode {
    if rotate { DragMode::Rotate } else { DragMode::Translate }
}
