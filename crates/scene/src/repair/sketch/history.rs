//! What was before: changes that can be taken back, one gesture of a hand at a time.

use std::collections::VecDeque;

use super::Posture;

/// Postures before and after the present one.
#[derive(Debug, Clone)]
pub(super) struct History {
    past: VecDeque<Posture>,
    future: Vec<Posture>,
    /// Postures of the past that are kept.
    length: usize,
    gesture: Gesture,
}

/// What is going on.
#[derive(Debug, Clone, PartialEq)]
enum Gesture {
    /// Every change is a step of its own.
    None,
    /// All changes until the hand lets go are one step, which has begun where a change was made.
    Held { begun: bool },
    /// Something is dragged: further drags of the same thing belong to the same step.
    Drag(String),
}

impl History {
    pub(super) fn new(length: usize) -> Self {
        Self { past: VecDeque::new(), future: Vec::new(), length, gesture: Gesture::None }
    }

    /// All changes until [`History::release`] are one step.
    pub(super) fn hold(&mut self) {
        self.gesture = Gesture::Held { begun: false };
    }

    pub(super) fn release(&mut self) {
        self.gesture = Gesture::None;
    }

    /// Notes the posture before a change; of a drag what is dragged.
    pub(super) fn note(&mut self, before: &Posture, drag: Option<&str>) {
        let (goes_on, next) = match (&self.gesture, drag) {
            (Gesture::Held { begun }, _) => (*begun, Gesture::Held { begun: true }),
            (Gesture::Drag(what), Some(now)) => (what == now, Gesture::Drag(now.to_owned())),
            (_, Some(now)) => (false, Gesture::Drag(now.to_owned())),
            (_, None) => (false, Gesture::None),
        };
        self.gesture = next;
        self.future.clear();
        if goes_on {
            return;
        }
        if self.past.len() == self.length {
            self.past.pop_front();
        }
        self.past.push_back(before.clone());
    }

    /// Takes back the last step; the posture before it.
    pub(super) fn undo(&mut self, now: &Posture) -> Option<Posture> {
        let before = self.past.pop_back()?;
        self.future.push(now.clone());
        self.gesture = Gesture::None;
        Some(before)
    }

    /// Makes the last step that was taken back again; the posture after it.
    pub(super) fn redo(&mut self, now: &Posture) -> Option<Posture> {
        let after = self.future.pop()?;
        self.past.push_back(now.clone());
        self.gesture = Gesture::None;
        Some(after)
    }

    /// Steps that can be taken back, and made again.
    pub(super) fn steps(&self) -> [usize; 2] {
        [self.past.len(), self.future.len()]
    }
}
