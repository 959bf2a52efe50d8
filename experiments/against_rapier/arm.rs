//! An arm of the comparison: a scene that someone steps.

use std::time::Duration;

use clap::ValueEnum;
use extricate::dynamics::{BodyState, World};
use extricate::scene::Scene;

use crate::Result;
use crate::peer::Peer;
use crate::peer_shapes::Meshes;

/// Source of the contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArmKind {
    /// This crate.
    Ours,
    /// rapier on triangle meshes.
    Triangles,
    /// rapier on convex parts.
    Parts,
}

impl ArmKind {
    pub(crate) const ALL: [Self; 3] = [Self::Ours, Self::Triangles, Self::Parts];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Triangles => "triangles",
            Self::Parts => "parts",
        }
    }

    /// The scene at time zero.
    pub(crate) fn world(self, scene: &Scene) -> Result<Box<dyn Arm>> {
        Ok(match self {
            Self::Ours => Box::new(scene.world()?),
            Self::Triangles => Box::new(Peer::new(scene, Meshes::Triangles)?),
            Self::Parts => Box::new(Peer::new(scene, Meshes::Parts)?),
        })
    }
}

/// Time of a step, and its number of contacts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Step {
    pub(crate) time: Duration,
    pub(crate) contacts: usize,
    pub(crate) manifolds: usize,
}

/// A scene that is stepped.
pub(crate) trait Arm {
    fn step(&mut self) -> Result<Step>;

    /// States of all bodies, sorted by name.
    fn states(&self) -> Vec<BodyState>;
}

impl Arm for World {
    fn step(&mut self) -> Result<Step> {
        let report = World::step(self)?;
        Ok(Step { time: report.timings.total, contacts: report.contacts, manifolds: report.manifolds })
    }

    fn states(&self) -> Vec<BodyState> {
        self.bodies()
    }
}
