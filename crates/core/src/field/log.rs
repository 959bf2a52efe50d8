//! What an update of a field has changed, and where it may change something.

use std::ops::Range;

/// Ranges of nodes along the axes.
pub(super) type Box3 = [Range<usize>; 3];

/// What an update keeps of a field beside its values.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Nodes whose value has changed, and the old one.
    pub(super) old: Vec<(u32, f64)>,
    /// Which nodes are among them.
    is_logged: Bits,
    /// Nodes that may be marched again, as places; everywhere when it is `None`.
    within: Option<Vec<Box3>>,
    /// Nodes outside of those that are in doubt.
    pub(super) beyond: Vec<u32>,
    /// Number of times that a node was solved.
    pub(super) solved: usize,
}

impl Log {
    pub(super) fn new(nodes: usize, within: Option<Vec<Box3>>) -> Self {
        Self { is_logged: Bits::new(nodes), within, ..Self::default() }
    }

    /// Remembers the old value of a node, when that has not been done.
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

    /// Whether it was not there.
    #[inline(always)]
    pub(super) fn insert(&mut self, node: usize) -> bool {
        let (word, bit) = (&mut self.0[node / 64], 1 << (node % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether it was there.
    #[inline(always)]
    pub(super) fn remove(&mut self, node: usize) -> bool {
        let (word, bit) = (&mut self.0[node / 64], 1 << (node % 64));
        let was_there = *word & bit != 0;
        *word &= !bit;
        was_there
    }
}
