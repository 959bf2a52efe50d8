//! Ctrl-C: the first one stops the command after the current step, the second one at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Exit, Failure};

/// Flag that the user has requested to stop.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the signal handler; once per process.
    pub(in crate::cli) fn listen() -> Result<Self, Failure> {
        let requested = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&requested);
        let on_signal = move || {
            // The second signal ends the process at once, even if a step never returns.
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(Exit::Interrupted as i32);
            }
        };
        ctrlc::set_handler(on_signal).map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot install the handler of Ctrl-C: {error}"))
        })?;
        Ok(Self(requested))
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
