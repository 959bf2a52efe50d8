//! Where everything is at one time.

use nalgebra::{Isometry3, Point3};

use extricate_dynamics::World;

/// Where everything is at one time, in the order of [`Models`](super::Models). World frame, metres.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Number of steps taken.
    pub step: u64,
    /// Time since the start [s].
    pub time: f64,
    /// Body → world, for each body in the order of their names.
    pub poses: Vec<Isometry3<f64>>,
    /// Positions of all nodes of each soft body, in the order of their names [m].
    pub soft: Vec<Vec<Point3<f64>>>,
}

impl Frame {
    /// A world as it is now.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let pose = |state: &extricate_dynamics::BodyState| {
            Isometry3::from_parts(state.position.coords.into(), state.rotation)
        };
        let nodes = |name: &str| {
            world.soft_positions(name).unwrap_or_default().iter().map(|&x| Point3::from(x)).collect()
        };
        Self {
            step: world.steps(),
            time: world.time(),
            poses: world.bodies().iter().map(pose).collect(),
            soft: world.soft_descriptions().iter().map(|body| nodes(&body.name)).collect(),
        }
    }
}
