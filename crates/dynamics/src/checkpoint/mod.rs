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

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::robot::{KeptJoint, RobotBody};
use super::soft_bodies::KeptSoft;
use super::state::StateHash;
use super::stepping::KeptOutside;
use super::{Pull, World, assembly};

pub use container::Checkpoint;
pub use error::CheckpointError;

/// Our own part of a state.
#[derive(Serialize, Deserialize)]
struct Own {
    steps: u64,
    outside: KeptOutside,
    robots: Vec<Vec<KeptJoint>>,
    soft: Option<KeptSoft>,
    pull: Option<Pull>,
}

impl World {
    /// The state of the world, to go on from.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexShape;
    /// use extricate_dynamics::{BodyDescription, Checkpoint, Shape, WorldBuilder};
    ///
    /// let ball = || BodyDescription::new("ball", Shape::Convex(ConvexShape::sphere(0.5)));
    /// let mut world = WorldBuilder::new().body(ball()).build()?;
    /// for _ in 0..20 {
    ///     world.step()?;
    /// }
    /// let bytes = world.checkpoint()?.to_bytes()?;
    ///
    /// let mut other = WorldBuilder::new().body(ball()).build()?;
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
        let own = Own {
            steps: self.steps,
            outside: self.outside.kept(),
            robots: self.robots.iter().map(RobotBody::kept).collect(),
            soft: self.soft.as_ref().map(|soft| soft.kept()),
            pull: self.pull.clone(),
        };
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
        if !(physics.fits(&self.physics) && self.fits(&own)) {
            return Err(CheckpointError::OtherWorld);
        }
        // A world that was not stepped is as it was built, marks of change and all.
        if own.steps > 0 {
            physics.put_into(&mut self.physics);
            let dispatcher = assembly::dispatcher(&self.options, &self.tally);
            self.physics.narrow_phase.set_query_dispatcher(dispatcher);
        }
        self.resume(own)
    }

    fn fits(&self, own: &Own) -> bool {
        let soft = match (&self.soft, &own.soft) {
            (Some(soft), Some(kept)) => soft.fits(kept),
            (None, None) => true,
            _ => false,
        };
        soft && own.robots.len() == self.robots.len()
    }

    /// Goes on from our own part of a state.
    fn resume(&mut self, own: Own) -> Result<(), CheckpointError> {
        self.steps = own.steps;
        self.outside.resume(own.outside);
        self.robots.iter_mut().zip(own.robots).for_each(|(robot, kept)| robot.resume(kept));
        if let (Some(soft), Some(kept)) = (&mut self.soft, own.soft) {
            soft.resume(kept);
        }
        self.pull(own.pull).map_err(|_| CheckpointError::OtherWorld)
    }

    /// A number that tells worlds of different builds apart: options, names, kinds, sizes, poses at the start, joints.
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
