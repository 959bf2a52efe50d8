//! The step of a world.

mod passes;
mod progress;
mod report;
mod schedule;

pub use report::{StepReport, StepTimings};
