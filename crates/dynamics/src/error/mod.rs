//! Errors of building a world, of stepping it, and of soft bodies outside a world.

mod build;
mod ranges;
mod soft;
mod step;

pub use build::BuildError;
pub(crate) use ranges::{Ranges, ranges_of, ranges_of_part};
pub use soft::SoftError;
pub use step::StepError;
