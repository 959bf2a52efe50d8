//! What a run leaves behind: states, a summary, timings and the hashes that make runs comparable.

mod directory;
mod hash;
mod monitor;
mod run;
mod soft;
mod state;
mod summary;

pub use directory::{RecordError, RunDirectory};
pub use hash::Hash;
pub use monitor::{DeepestContact, GreatestSpeed, MomentumBalance};
pub use run::{Outcome, RunError, RunOptions, run};
pub use soft::{SoftBodySummary, SoftLine, SoftSummary};
pub use state::{BaseLine, BodyLine, EnergyLine, RobotLine, StateLine};
pub use summary::{Percentiles, Summary, Timing, WorstPenetration, host_name};
