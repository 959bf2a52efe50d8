//! What a command says: results on stdout, progress on stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::failure::Failure;

/// How the results are told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Results are JSON.
    pub(super) json: bool,
    /// Nothing but results and errors is told.
    pub(super) quiet: bool,
}

/// Stdout and the progress bar of one command.
pub(super) struct Console {
    style: Style,
    stdout: BufWriter<Stdout>,
}

impl Console {
    pub(super) fn new(style: Style) -> Self {
        Self { style, stdout: BufWriter::new(io::stdout()) }
    }

    pub(super) fn json(&self) -> bool {
        self.style.json
    }

    /// One result as a line of JSON.
    pub(super) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(text)
    }

    /// A line of text for a person.
    pub(super) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Writes out what is buffered: after each long step of a command, and at its end.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }

    /// A line on stderr about how it goes. Nobody has to read it: that it cannot be written is no failure.
    pub(super) fn note(&self, text: impl Display) {
        if !self.style.quiet {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// A bar for something that may take long; it shows on a terminal only, and after a second.
    pub(super) fn progress(&self, total: u64) -> Progress {
        let hidden = self.style.quiet || !io::stderr().is_terminal();
        Progress { started: Instant::now(), total, bar: None, hidden }
    }
}

/// A progress bar that keeps out of the way of what is quick.
pub(super) struct Progress {
    started: Instant,
    total: u64,
    bar: Option<ProgressBar>,
    hidden: bool,
}

impl Progress {
    /// What is quicker shows no bar.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Shows that `done` of the total is done.
    pub(super) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        if self.hidden || self.started.elapsed() < Self::PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
            let style = "{wide_bar} {pos}/{len} · {msg} · {eta} left";
            bar.with_style(
                ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
            )
            .with_elapsed(self.started.elapsed())
        });
        bar.set_message(message());
        bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
