//! What a command says: results on stdout, progress on stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::failure::Failure;
use super::interrupt::Interrupt;
use extricate_core::kinematics::urdf::Correction;
use extricate_scene::request::Access;

/// How the results are told.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Style {
    /// Results are JSON.
    pub(in crate::cli) json: bool,
    /// Nothing but results and errors is told.
    pub(in crate::cli) quiet: bool,
}

/// Stdout and the progress bar of one command, the files that it may read, and whether it should stop.
pub(in crate::cli) struct Console {
    style: Style,
    access: Access,
    interrupt: Interrupt,
    stdout: BufWriter<Stdout>,
}

impl Console {
    pub(in crate::cli) fn new(style: Style, access: Access, interrupt: Interrupt) -> Self {
        Self { style, access, interrupt, stdout: BufWriter::new(io::stdout()) }
    }

    /// A console for what runs beside others, whose results are told elsewhere.
    pub(in crate::cli) fn quiet(access: Access, interrupt: Interrupt) -> Self {
        Self::new(Style { json: false, quiet: true }, access, interrupt)
    }

    pub(in crate::cli) fn json(&self) -> bool {
        self.style.json
    }

    /// Files that the files on the command line may name.
    pub(in crate::cli) fn access(&self) -> &Access {
        &self.access
    }

    /// What tells whether the user wants to stop.
    pub(in crate::cli) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub(in crate::cli) fn is_interrupted(&self) -> bool {
        self.interrupt.is_asked()
    }

    /// The same, for what is watched while it works.
    pub(in crate::cli) fn go_on(&self) -> ControlFlow<()> {
        if self.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// One result as a line of JSON.
    pub(in crate::cli) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(text)
    }

    /// A line of text for a person.
    pub(in crate::cli) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Writes out what is buffered: after each long step of a command, and at its end.
    pub(in crate::cli) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }

    /// A line on stderr about how it goes. Nobody has to read it: that it cannot be written is no failure.
    pub(in crate::cli) fn note(&self, text: impl Display) {
        if !self.style.quiet {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// A bar for something that may take long; it shows on a terminal only, and after a second.
    pub(in crate::cli) fn progress(&self, total: u64) -> Progress {
        let hidden = self.style.quiet || !io::stderr().is_terminal();
        Progress { started: Instant::now(), total, bar: None, hidden }
    }
}

/// Warns on stderr of what was not taken as it stands in a file.
pub(in crate::cli) fn warn_of_correction(correction: &Correction) {
    let _ = writeln!(io::stderr(), "warning: {correction}");
}

/// A progress bar that keeps out of the way of what is quick.
pub(in crate::cli) struct Progress {
    started: Instant,
    total: u64,
    bar: Option<ProgressBar>,
    hidden: bool,
}

impl Progress {
    /// What is quicker shows no bar.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Shows that `done` of the total is done.
    pub(in crate::cli) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
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
