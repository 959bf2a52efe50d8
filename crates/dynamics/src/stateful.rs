//! Algorithms with a state that is carried from step to step.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The state is that of another world: of other bodies, joints or sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// An algorithm with a state that determines its next step: caches that only save work are not part of it.
pub(crate) trait Stateful {
    /// State that determines the next step.
    type State: Serialize + DeserializeOwned;

    /// The present state.
    fn snapshot(&self) -> Self::State;

    /// Restores a state of the same world. After an error the algorithm must not be used.
    fn restore(&mut self, state: Self::State) -> Result<(), Mismatch>;
}

/// An error unless a condition on the state holds.
pub(crate) fn fits(condition: bool) -> Result<(), Mismatch> {
    if condition { Ok(()) } else { Err(Mismatch) }
}

impl<T: Stateful> Stateful for Vec<T> {
    type State = Vec<T::State>;

    fn snapshot(&self) -> Self::State {
        self.iter().map(T::snapshot).collect()
    }

    fn restore(&mut self, state: Self::State) -> Result<(), Mismatch> {
        fits(state.len() == self.len())?;
        self.iter_mut().zip(state).try_for_each(|(own, state)| own.restore(state))
    }
}

impl<T: Stateful> Stateful for Option<Box<T>> {
    type State = Option<T::State>;

    fn snapshot(&self) -> Self::State {
        self.as_ref().map(|own| own.snapshot())
    }

    fn restore(&mut self, state: Self::State) -> Result<(), Mismatch> {
        match (self, state) {
            (Some(own), Some(state)) => own.restore(state),
            (None, None) => Ok(()),
            _ => Err(Mismatch),
        }
    }
}
