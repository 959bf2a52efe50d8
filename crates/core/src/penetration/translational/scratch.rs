//! Scratch memory of the walks in a contact space.

use std::cell::Cell;

use super::local_contact_space::LocalContactSpace;
use super::sampled_obstacle::Sample;
use crate::proximity::near_leaves::NearLeaves;
use crate::proximity::time_of_contact::Hit;

/// Scratch memory of the walks, which outlives a contact space.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) hits: Vec<Hit>,
    pub(super) lcs: LocalContactSpace,
    /// Samples that are skipped by the marches to the nearest gap.
    pub(super) samples: Vec<Sample>,
    /// Pairs of leaves that marches left last.
    pub(super) left: Vec<[u32; 2]>,
    /// Pairs of leaves that a short walk can meet.
    pub(super) near: NearLeaves,
}

impl Scratch {
    const EMPTY: Self = Self {
        hits: Vec::new(),
        lcs: LocalContactSpace::EMPTY,
        samples: Vec::new(),
        left: Vec::new(),
        near: NearLeaves::EMPTY,
    };
}

thread_local! {
    /// The scratch memory of this thread's last contact space, stored so that a warm query does not allocate.
    static SCRATCH: Cell<Scratch> = const { Cell::new(Scratch::EMPTY) };
}

/// Scratch memory that is returned to its thread when dropped.
#[derive(Debug)]
pub(super) struct ScratchLease(pub(super) Scratch);

impl ScratchLease {
    /// The memory of this thread's last contact space.
    pub(super) fn of_thread() -> Self {
        Self(SCRATCH.take())
    }
}

impl Drop for ScratchLease {
    fn drop(&mut self) {
        SCRATCH.set(std::mem::take(&mut self.0));
    }
}
