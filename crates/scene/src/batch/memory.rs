//! How much memory the process has, as far as the system tells.

use std::time::{Duration, Instant};

use super::summary::MemorySample;

/// Most samples that are kept; where there are more, every second one goes.
const MOST: usize = 64;

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

    /// Takes a sample if it is time for one, or if it `must`.
    pub(super) fn look(&mut self, items: u64, must: bool) {
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if !due && !must {
            return;
        }
        self.last = Some(Instant::now());
        let Some(bytes) = status("VmRSS:") else { return };
        self.samples.push(MemorySample { items, bytes });
        if self.samples.len() > MOST {
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

/// Most memory that the process had [bytes].
pub(super) fn peak() -> Option<u64> {
    status("VmHWM:")
}

fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
