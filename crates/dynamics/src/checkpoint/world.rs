//! Saving a world and restoring it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::container::Checkpoint;
use super::error::CheckpointError;
use super::physics;
use crate::contact::dispatcher::Dispatcher;
use crate::multibody::MultibodySolver;
use crate::passes::Passes;
use crate::pull::Pull;
use crate::robot::body::RobotBody;
use crate::soft::bodies::world::SoftWorld;
use crate::state::StateHash;
use crate::stateful::{Mismatch, Stateful};
use crate::world::World;

/// State of a world, except for rapier's part.
#[derive(Serialize, Deserialize)]
pub(crate) struct WorldState {
    steps: u64,
    passes: <Passes as Stateful>::State,
    robots: <Vec<RobotBody> as Stateful>::State,
    multibody: <MultibodySolver as Stateful>::State,
    soft: <Option<Box<SoftWorld>> as Stateful>::State,
    pull: Option<Pull>,
}

impl Stateful for World {
    type State = WorldState;

    fn snapshot(&self) -> WorldState {
        WorldState {
            steps: self.steps,
            passes: self.passes.snapshot(),
            robots: self.robots.snapshot(),
            multibody: self.multibody.snapshot(),
            soft: self.soft.snapshot(),
            pull: self.pull.clone(),
        }
    }

    fn restore(&mut self, state: WorldState) -> Result<(), Mismatch> {
        self.steps = state.steps;
        self.passes.restore(state.passes)?;
        self.robots.restore(state.robots)?;
        self.multibody.restore(state.multibody)?;
        self.soft.restore(state.soft)?;
        self.pull(state.pull).map_err(|_| Mismatch)
    }
}

impl World {
    /// Saves the state of the world, see [`World::restore`].
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Checkpoint, Shape, World, WorldOptions};
    /// use nalgebra::Isometry3;
    ///
    /// let ball = || {
    ///     let shape = Shape::ball(0.5);
    ///     BodyDescription::new("ball", BodyKind::Dynamic, shape, Isometry3::identity())
    /// };
    /// let mut builder = World::builder(WorldOptions::default());
    /// let mut world = builder.add_body(ball())?.clone().build()?;
    /// for _ in 0..20 {
    ///     world.step()?;
    /// }
    /// let bytes = world.checkpoint()?.to_bytes()?;
    ///
    /// let mut other = builder.build()?;
    /// other.restore(&Checkpoint::read(&bytes)?)?;
    /// world.step()?;
    /// other.step()?;
    /// assert_eq!(other.hash(), world.hash());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CheckpointError::Encode`] when it cannot be written.
    pub fn checkpoint(&self) -> Result<Checkpoint, CheckpointError> {
        let encode = |error| CheckpointError::encode(&error);
        let bytes = postcard::to_allocvec(&self.snapshot()).map_err(encode)?;
        let bytes = postcard::to_extend(&physics::Written::of(&self.physics), bytes).map_err(encode)?;
        Ok(Checkpoint::of(self.steps, self.build(), bytes))
    }

    /// Restores a state that was saved of a world of the same build. This world must not have been stepped; after an error it
    /// must not be used.
    ///
    /// # Errors
    /// [`CheckpointError`] when the world was stepped, the state is that of another world, or cannot be read.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.steps > 0 {
            return Err(CheckpointError::Stepped { steps: self.steps });
        }
        if checkpoint.build != self.build() {
            return Err(CheckpointError::OtherWorld);
        }
        let (own, rest) = postcard::take_from_bytes::<WorldState>(&checkpoint.world)
            .map_err(|error| CheckpointError::decode("world", &error))?;
        let physics = postcard::from_bytes::<physics::Read>(rest)
            .map_err(|error| CheckpointError::decode("rigid bodies", &error))?;
        if !physics.fits(&self.physics) {
            return Err(CheckpointError::OtherWorld);
        }
        // A state without steps equals that of a newly built world, including its change flags.
        if own.steps > 0 {
            physics.put_into(&mut self.physics);
            let dispatcher = Dispatcher::chained(&self.options, &self.tally);
            self.physics.narrow_phase.set_query_dispatcher(dispatcher);
        }
        Stateful::restore(self, own).map_err(|_| CheckpointError::OtherWorld)
    }

    /// Hash that distinguishes worlds of different builds: options, names, kinds, sizes, poses at the start, joints.
    fn build(&self) -> u64 {
        let mut text = format!("{:?}", self.options);
        for body in self.descriptions() {
            let size = body.shape.bounding_radius();
            // Writing to a string does not fail.
            let _ = write!(text, "{}\0{:?}{size}{:?}", body.name, body.kind, body.pose);
        }
        for body in self.soft_descriptions() {
            let (nodes, elements) = (body.mesh.nodes().len(), body.mesh.tets().len());
            let _ = write!(text, "{}\0{nodes} {elements}{:?}", body.name, body.pose);
        }
        let [joints, links] =
            [self.physics.impulse_joints.len(), self.physics.multibody_joints.iter().count()];
        let _ = write!(text, "{joints} {links}");
        StateHash::of_bytes(text.as_bytes())
    }
}
