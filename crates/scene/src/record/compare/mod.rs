//! Comparing runs: which step, body and field differ first, by how much, and how the difference grows.
//!
//! States are compared one by one as they are read, so that long runs need no memory. A difference is compared with the tolerance of
//! its quantity ([`Tolerances`]), which is relative to a scale of the scene ([`Scales`]): the same scene in millimetres and in
//! kilometres gives the same result. Runs are equal bit for bit where the hashes of their states are equal.

mod inputs;
mod overlay;
mod picture;
mod quantity;
mod report;
mod runs;
mod scales;
mod series;
mod state;
mod states;
mod thresholds;
mod tolerances;

pub use inputs::InputDifference;
pub use overlay::overlay;
pub use picture::{draw, drift};
pub use quantity::Quantity;
pub use report::{BitDifference, ComparisonReport, Difference};
pub use runs::{Comparison, compare};
pub use scales::Scales;
pub use states::States;
pub use thresholds::AcceptanceThresholds;
pub use tolerances::Tolerances;

pub(in crate::record) use state::{Deviation, Field, each_deviation};
pub(in crate::record) use tolerances::json as tolerances_json;
