//! The whole state of a world, saved and taken on by another one of the same build: it goes on with the same bits.
//!
//! Saved is what a step leaves for the next one: rapier's bodies, joints, islands, pairs with their impulses and the
//! memories of our contacts; bounces, overlaps that are being resolved, the energy that the run is watched by; what joints
//! of robots remember; soft bodies with their velocities, the overlaps that they release and the neighbourhoods in
//! which contacts are looked for; what is pulled. Shapes, masses and options are not: they come from the world that takes
//! the state on, which must have been built alike. Caches that only spare work are found anew.

mod container;
mod error;
mod physics;

use serde::{Deserialize, Serialize};

use super::World;
use super::state::StateHash;

pub use container::Checkpoint;
pub use error::CheckpointError;

/// Our own part of a state.
#[derive(Serialize, Deserialize)]
struct Own {
    steps: u64,
    outside: super::stepping::KeptOutside,
}

impl World {
    /// The state of the world, to go on from.
    ///
    /// # Errors
    /// [`CheckpointError::Encode`] when it cannot be written.
    pub fn checkpoint(&self) -> Result<Checkpoint, CheckpointError> {
        let own = Own { steps: self.steps, outside: self.outside.kept() };
        let encode = |error| CheckpointError::encode(&error);
        let bytes = postcard::to_allocvec(&own).map_err(encode)?;
        let bytes = postcard::to_extend(&physics::Written::of(&self.physics), bytes).map_err(encode)?;
        Ok(Checkpoint::of(self.steps, self.build(), bytes))
    }

    /// Takes on a state that was saved of a world of the same build. This world must have been built and not stepped; after an
    /// error it is of no use.
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
        let (own, rest) = postcard::take_from_bytes::<Own>(&checkpoint.world)
            .map_err(|error| CheckpointError::decode("world", &error))?;
        let physics = postcard::from_bytes::<physics::Read>(rest)
            .map_err(|error| CheckpointError::decode("rigid bodies", &error))?;
        if own.steps == 0 {
            return Ok(());
        }
        if !physics.fits(&self.physics) {
            return Err(CheckpointError::OtherWorld);
        }
        physics.put_into(&mut self.physics)?;
        self.physics
            .narrow_phase
            .set_query_dispatcher(super::assembly::dispatcher(&self.options, &self.tally));
        self.steps = own.steps;
        self.outside.resume(own.outside);
        Ok(())
    }

    /// A number that tells worlds of different builds apart: options, names, kinds, sizes, poses at the start, joints.
    fn build(&self) -> u64 {
        use std::fmt::Write;
        let mut text = format!("{:?}", self.options);
        for body in self.descriptions() {
            let size = body.shape.bounding_radius();
            // Writing to a string does not fail.
            let _ = write!(text, "{}\0{:?}{size}{:?}", body.name, body.kind, body.pose);
        }
        let joints = self.physics.impulse_joints.len();
        let _ = write!(text, "{joints}");
        StateHash::of_bytes(text.as_bytes())
    }
}
