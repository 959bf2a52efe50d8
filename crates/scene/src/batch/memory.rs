//! Memory use of the process, where `/proc/self/status` reports it.

use std::time::{Duration, Instant};

use super::summary::MemorySample;

/// Maximum number of samples; where there are more, every second one is dropped. It sets the resolution of the log in time.
const MAX_SAMPLES: usize = 64;

/// Samples of the memory over time.
#[derive(Debug)]
pub(super) struct MemoryLog {
    samples: Vec<MemorySample>,
    every: Duration,
    last: Option<Instant>,
}

impl MemoryLog {
    pub(super) fn new() -> Self {
        Self { samples: Vec::new(), every: Duration::from_millis(100), last: None }
    }

    /// Takes a sample if one is due, or if it is `forced`.
    pub(super) fn sample(&mut self, items: u64, forced: bool) {
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if !due && !forced {
            return;
        }
        self.last = Some(Instant::now());
        let Some(bytes) = status("VmRSS:") else { return };
        self.samples.push(MemorySample { items, bytes });
        // Dropping half of the samples and doubling the interval bounds the log for batches of any length.
        if self.samples.len() > MAX_SAMPLES {
            let mut keep = false;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.every *= 2;
        }
    }

    pub(super) fn into_samples(self) -> Vec<MemorySample> {
        self.samples
    }
}

/// Peak memory of the process [bytes].
pub(super) fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
