//! Sources of the states of a run: a folder, or memory.

use std::path::Path;

use super::contacts::ContactPoint;
use super::error::RecordError;
use super::options::RunOptions;
use super::threads::{self, Span, Steps};
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
    fn new(scene: Scene, world: &World) -> Self {
        let mut this = Self { scene, states: Vec::new() };
        this.push(world);
        this
    }

    /// Runs `world`, which is the world of `scene` at its start, until `stop` returns true.
    ///
    /// # Errors
    /// [`RecordError`] when a step fails.
    pub fn of_run(
        scene: Scene,
        world: World,
        options: &RunOptions,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, RecordError> {
        let mut running = Running { states: Self::new(scene, &world), world, options: *options, stop };
        threads::in_spans(&mut running)?;
        Ok(running.states)
    }

    /// Adds the current state of the world.
    fn push(&mut self, world: &World) {
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

/// A run whose states are held in memory.
struct Running<'a> {
    states: StatesInMemory,
    world: World,
    options: RunOptions,
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Running<'_> {
    fn is_over(&self) -> bool {
        self.world.steps() >= self.options.steps
    }

    fn is_due(&self) -> bool {
        self.world.steps().is_multiple_of(self.options.every)
    }
}

impl Steps for Running<'_> {
    type Error = RecordError;

    fn make(&mut self, span: Span) -> Result<Span, RecordError> {
        let mut made = Span::default();
        while !self.is_over() && !span.is_over(&made) && !(self.stop)() {
            made = Span::of(made.steps + 1, made.time + self.world.step()?.timings.total);
            if self.is_due() {
                break;
            }
        }
        Ok(made)
    }

    fn between(&mut self) -> Result<bool, RecordError> {
        if self.is_due() || self.is_over() {
            self.states.push(&self.world);
        }
        Ok(!self.is_over())
    }
}
