//! Result of the workers.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::batch::summary::{KindTiming, MemorySample, Tally};

/// Result of the workers.
pub(in crate::batch) struct Done {
    pub(in crate::batch) tally: Tally,
    pub(in crate::batch) stopped: bool,
    pub(in crate::batch) items: u64,
    pub(in crate::batch) wall: Duration,
    pub(in crate::batch) kinds: BTreeMap<&'static str, KindTiming>,
    pub(in crate::batch) memory: Vec<MemorySample>,
}
