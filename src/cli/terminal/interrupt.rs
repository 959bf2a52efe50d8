//! Ctrl-C: the first one asks to stop at the next step, the second one stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{Exit, Failure};

/// Whether the user wants to stop.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to listen; once a process.
    pub(in crate::cli) fn listen() -> Result<Self, Failure> {
        let asked = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&asked);
        let on_signal = move || {
            if seen.swap(true, Ordering::SeqCst) {
                std::process::exit(Exit::Interrupted as i32);
            }
        };
        ctrlc::set_handler(on_signal)
            .map_err(|error| Failure::new(Exit::Usage, format!("cannot listen to Ctrl-C: {error}")))?;
        Ok(Self(asked))
    }

    /// Whether Ctrl-C was pressed.
    pub(super) fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
