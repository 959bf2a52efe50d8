//! Output of a command: results on stdout, progress on stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::long_steps::LongSteps;
use extricate_dynamics::World;
use extricate_scene::request::Access;

/// Output style of results.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Style {
    /// Print results as JSON.
    pub(in crate::cli) json: bool,
    /// Print only results and errors.
    pub(in crate::cli) quiet: bool,
}

/// Output of one command, the files that it may read, and its interrupt flag.
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

    /// A console for a parallel task whose results are printed elsewhere.
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

    /// The interrupt flag.
    pub(in crate::cli) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Whether Ctrl-C was pressed.
    pub(in crate::cli) fn is_interrupted(&self) -> bool {
        self.interrupt.is_requested()
    }

    /// [`Self::is_interrupted`] as the return value of progress callbacks.
    pub(in crate::cli) fn control_flow(&self) -> ControlFlow<()> {
        if self.is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Prints one result as a line of JSON.
    pub(in crate::cli) fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string(value).map_err(io::Error::from)?;
        self.line(text)
    }

    /// Prints a line of text.
    pub(in crate::cli) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        Ok(writeln!(self.stdout, "{text}")?)
    }

    /// Flushes the output: after each long step of a command, and at its end.
    pub(in crate::cli) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.stdout.flush()?)
    }

    /// Prints a progress note on stderr. It is optional: a write error is ignored.
    pub(in crate::cli) fn note(&self, text: impl Display) {
        if !self.style.quiet {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Lines about long steps of a world, unless only results and errors are wanted.
    pub(in crate::cli) fn long_steps(&self, world: &World) -> Option<LongSteps> {
        (!self.style.quiet).then(|| LongSteps::of(world))
    }

    /// The progress of a long task: a bar on a terminal, after a second, and lines elsewhere, after some seconds.
    pub(in crate::cli) fn progress(&self, total: u64) -> Progress {
        Progress {
            started: Instant::now(),
            total,
            bar: None,
            next_line: Progress::FIRST_LINE,
            hidden: self.style.quiet,
            is_terminal: io::stderr().is_terminal(),
        }
    }
}

/// Prints a warning on stderr.
pub(in crate::cli) fn warn(warning: &dyn Display) {
    let _ = writeln!(io::stderr(), "warning: {warning}");
}

/// Progress that is shown for long tasks only.
pub(in crate::cli) struct Progress {
    started: Instant,
    total: u64,
    bar: Option<ProgressBar>,
    /// Time of the next line, where there is no terminal.
    next_line: Duration,
    hidden: bool,
    is_terminal: bool,
}

impl Progress {
    /// Tasks that take less time show no bar.
    const DELAY: Duration = Duration::from_secs(1);
    /// Time of the first line, where there is no terminal.
    const FIRST_LINE: Duration = Duration::from_secs(3);
    /// Maximum time between two lines; the interval is the time elapsed so far until it reaches this.
    const MAX_INTERVAL: Duration = Duration::from_secs(10);

    /// Updates the progress to `done` of the total.
    pub(in crate::cli) fn update(&mut self, done: u64, message: impl FnOnce() -> String) {
        let elapsed = self.started.elapsed();
        if self.hidden || elapsed < Self::DELAY {
            return;
        }
        if !self.is_terminal {
            if elapsed >= self.next_line {
                self.next_line = elapsed + elapsed.min(Self::MAX_INTERVAL);
                let left = time_left(elapsed, done, self.total);
                let _ = writeln!(io::stderr(), "{done} of {} · {} · {left}", self.total, message());
            }
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

/// Estimate of the time left after `done` of `total` parts.
fn time_left(elapsed: Duration, done: u64, total: u64) -> String {
    if done == 0 {
        return String::from("time left unknown");
    }
    #[expect(clippy::cast_precision_loss, reason = "an estimate needs no more than 52 bits")]
    let ratio = total.saturating_sub(done) as f64 / done as f64;
    format!("{:.0} s left", elapsed.as_secs_f64() * ratio)
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
