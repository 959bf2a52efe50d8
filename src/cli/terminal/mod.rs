//! The terminal side of all commands: results, progress, failures, interruptions, files of lines.

pub(super) mod answers;
mod console;
mod failure;
mod interrupt;
pub(super) mod lines;
mod long_steps;

pub(super) use console::{Console, Progress, Style, warn};
pub(super) use failure::{Exit, Failure, install_report_handler};
pub(super) use interrupt::Interrupt;
