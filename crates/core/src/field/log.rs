//! Record of the changes of a field by an update, and the region in which it may change values.

use std::ops::Range;

/// Ranges of nodes along the axes.
pub(super) type Box3 = [Range<usize>; 3];

/// State of an update beside the field's values.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Nodes whose value has changed, with the old values.
    pub(super) old: Vec<(u32, f64)>,
    /// Set of these nodes.
    is_logged: Bits,
    /// Boxes of nodes that may be marched again; everywhere when it is `None`.
    within: Option<Vec<Box3>>,
    /// Nodes outside of these boxes whose values may no longer be valid.
    pub(super) beyond: Vec<u32>,
    /// Number of local solves.
    pub(super) solved: usize,
}

impl Log {
    pub(super) fn new(nodes: usize, within: Option<Vec<Box3>>) -> Self {
        Self { is_logged: Bits::new(nodes), within, ..Self::default() }
    }

    /// Records the old value of a node, unless one is recorded already.
    #[inline(always)]
    pub(super) fn note(&mut self, node: usize, old: f64) {
        if self.is_logged.insert(node) {
            self.old.push((node as u32, old));
        }
    }

    #[inline(always)]
    pub(super) fn allows(&self, node: usize, [_, line, plane]: [usize; 3]) -> bool {
        self.within.as_ref().is_none_or(|boxes| {
            let at = [node % line, node % plane / line, node / plane];
            let holds = |nodes: &Box3| (0..3).all(|axis| nodes[axis].contains(&(at[axis] - 1)));
            boxes.iter().any(holds)
        })
    }
}

/// A set of nodes.
#[derive(Debug, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(nodes: usize) -> Self {
        Self(vec![0; nodes.div_ceil(64)])
    }

    /// Adds a node; returns whether it is new.
    #[inline(always)]
    pub(super) fn insert(&mut self, node: usize) -> bool {
        let (word, bit) = (&mut self.0[node / 64], 1 << (node % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Removes a node; returns whether it was in the set.
    #[inline(always)]
    pub(super) fn remove(&mut self, node: usize) -> bool {
        let (word, bit) = (&mut self.0[node / 64], 1 << (node % 64));
        let was_there = *word & bit != 0;
        *word &= !bit;
        was_there
    }
}
