//! Undo history: changes that can be undone, one drag at a time.

use std::collections::VecDeque;

use super::Posture;

/// Postures before and after the current one.
#[derive(Debug, Clone)]
pub(super) struct History {
    past: VecDeque<Posture>,
    future: Vec<Posture>,
    /// Maximum number of retained postures of the past.
    length: usize,
    grouping: UndoGrouping,
}

/// Grouping of changes into undo steps.
#[derive(Debug, Clone, PartialEq)]
enum UndoGrouping {
    /// Every change is a step of its own.
    PerChange,
    /// All changes until the group is closed are one step, which has begun once a change was made.
    Group { begun: bool },
    /// A drag: further drags of the same part belong to the same step.
    Drag(String),
}

impl History {
    pub(super) fn new(length: usize) -> Self {
        Self { past: VecDeque::new(), future: Vec::new(), length, grouping: UndoGrouping::PerChange }
    }

    /// Groups all changes until [`History::end_group`] into one step.
    pub(super) fn begin_group(&mut self) {
        self.grouping = UndoGrouping::Group { begun: false };
    }

    pub(super) fn end_group(&mut self) {
        self.grouping = UndoGrouping::PerChange;
    }

    /// Stores the posture before a change; of a drag, `drag` is the name of the part.
    pub(super) fn note(&mut self, before: &Posture, drag: Option<&str>) {
        let (continues, next) = match (&self.grouping, drag) {
            (UndoGrouping::Group { begun }, _) => (*begun, UndoGrouping::Group { begun: true }),
            (UndoGrouping::Drag(what), Some(now)) => (what == now, UndoGrouping::Drag(now.to_owned())),
            (_, Some(now)) => (false, UndoGrouping::Drag(now.to_owned())),
            (_, None) => (false, UndoGrouping::PerChange),
        };
        self.grouping = next;
        // A new change discards the undone steps.
        self.future.clear();
        if continues {
            return;
        }
        if self.past.len() == self.length {
            self.past.pop_front();
        }
        self.past.push_back(before.clone());
    }

    /// Undoes the last step; returns the posture before it.
    pub(super) fn undo(&mut self, now: &Posture) -> Option<Posture> {
        let before = self.past.pop_back()?;
        self.future.push(now.clone());
        self.grouping = UndoGrouping::PerChange;
        Some(before)
    }

    /// Redoes the last undone step; returns the posture after it.
    pub(super) fn redo(&mut self, now: &Posture) -> Option<Posture> {
        let after = self.future.pop()?;
        self.past.push_back(now.clone());
        self.grouping = UndoGrouping::PerChange;
        Some(after)
    }

    /// Numbers of steps that can be undone, and redone.
    pub(super) fn steps(&self) -> [usize; 2] {
        [self.past.len(), self.future.len()]
    }
}
