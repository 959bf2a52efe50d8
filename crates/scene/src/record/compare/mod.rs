//! Comparing runs: which step, body and field differ first, by how much, and how the difference grows.
//!
//! States are compared one by one as they are read, so that long runs need no memory. A difference is judged against a
//! [`Tolerances`] of its quantity, which is relative to a [`Scales`] of the scene: the same scene in millimetres and in
//! kilometres gives the same answer. Whether runs are equal bit for bit is told by the hashes of their states.

mod bars;
mod inputs;
mod picture;
mod quantity;
mod report;
mod runs;
mod scales;
mod series;
mod state;
mod states;
mod tolerances;

pub use bars::Bars;
pub use inputs::InputDifference;
pub use picture::draw;
pub use quantity::Quantity;
pub use report::{BitDifference, Difference, Report};
pub use runs::{Comparison, compare};
pub use scales::Scales;
pub use states::States;
pub use tolerances::Tolerances;

pub(in crate::record) use state::{Deviation, Field, each_deviation};
pub(in crate::record) use tolerances::json as tolerances_json;
