//! Sources of the states of a run: a folder, or memory.

use std::path::Path;

use super::contacts::ContactPoint;
use super::error::RecordError;
use crate::scene::Scene;
use crate::state::WorldState;
use extricate_dynamics::World;

/// The states of a run in order, at least one.
pub trait StateSource {
    /// The scene that was run.
    fn scene(&self) -> &Scene;

    /// Number of states.
    fn state_count(&self) -> usize;

    /// A state, 0 being the start.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot be read.
    ///
    /// # Panics
    /// When there is no such state.
    fn state(&self, state: usize) -> Result<WorldState, RecordError>;

    /// The contacts of a state; `None` where they were not recorded.
    ///
    /// # Errors
    /// [`RecordError`] when they cannot be read.
    ///
    /// # Panics
    /// When there is no such state.
    fn contacts(&self, state: usize) -> Result<Option<Vec<ContactPoint>>, RecordError>;

    /// The folder of the run; `None` of states in memory.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// States of a run that are held in memory, with their contacts.
#[derive(Debug)]
pub struct StatesInMemory {
    scene: Scene,
    states: Vec<(WorldState, Vec<ContactPoint>)>,
}

impl StatesInMemory {
    /// The run of a scene, with the state of its start.
    #[must_use]
    pub fn new(scene: Scene, world: &World) -> Self {
        let mut this = Self { scene, states: Vec::new() };
        this.push(world);
        this
    }

    /// Adds the current state of the world.
    pub fn push(&mut self, world: &World) {
        let contacts = ContactPoint::of(world);
        self.states.push((WorldState { contacts: contacts.len(), ..WorldState::of(world) }, contacts));
    }
}

impl StateSource for StatesInMemory {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn state_count(&self) -> usize {
        self.states.len()
    }

    fn state(&self, state: usize) -> Result<WorldState, RecordError> {
        Ok(self.states[state].0.clone())
    }

    fn contacts(&self, state: usize) -> Result<Option<Vec<ContactPoint>>, RecordError> {
        Ok(Some(self.states[state].1.clone()))
    }
}
