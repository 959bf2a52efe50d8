//! What a run leaves behind: states, a summary, timings and the hashes that make runs comparable.

mod bundle;
mod checkpoint;
pub mod compare;
mod course;
mod directory;
pub mod golden;
mod inputs;
mod manifest;
mod monitor;
mod nodes;
mod recording;
mod resume;
mod run;
mod soft;
mod summary;

pub use crate::state::{Hash, SoftState, SoftValues, WorldState};
pub use bundle::{whole as write_whole, write_scene};
pub use directory::{RecordError, RunDirectory};
pub use inputs::{InputFile, Inputs};
pub use manifest::Manifest;
pub use monitor::{DeepestContact, GreatestSpeed, MomentumBalance};
pub use recording::{Recording, RecordingError};
pub use resume::{ResumeError, ResumeFrom, Resumed, resume};
pub use run::{Outcome, RunError, RunOptions, run};
pub use soft::{SoftBodySummary, SoftSummary};
pub use summary::{Percentiles, Summary, Timing, WorstPenetration, host_name};
