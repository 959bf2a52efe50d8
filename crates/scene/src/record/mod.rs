//! Records of runs: states, a summary, timings and the hashes that make runs comparable.

mod bundle;
mod checkpoint;
pub mod compare;
mod directory;
mod error;
pub mod export;
pub mod golden;
mod index;
mod inputs;
mod manifest;
mod monitor;
mod nodes;
mod options;
mod profile;
mod recording;
mod resume;
mod run;
pub mod schema;
mod soft;
mod summary;
mod trajectory;

pub use crate::state::{Hash, SoftState, SoftValues, WorldState};
pub use bundle::{whole as write_whole, write_scene};
pub use directory::RunDirectory;
pub use error::RecordError;
pub use inputs::{InputFile, Inputs};
pub use manifest::Manifest;
pub use monitor::{DeepestContact, MaxSpeed, MomentumBalance, Percentiles, PhaseProfile};
pub use options::RunOptions;
pub use profile::{PairProfile, Profile};
pub use recording::Recording;
pub use resume::{ResumeFrom, Resumed, resume};
pub use run::{Outcome, run};
pub use soft::{SoftBodySummary, SoftSummary};
pub use summary::{OutsideTimes, Summary, Timing, WorstPenetration, host_name};
