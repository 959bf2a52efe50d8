//! Step of a world: pre-step passes, parts with rapier's own step, post-step passes.

mod passes;
mod progress;
mod report;
mod schedule;

pub use report::{StepReport, StepTimings};
