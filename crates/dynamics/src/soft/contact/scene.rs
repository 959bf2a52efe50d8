//! Input of the searches for contacts.

use nalgebra::Vector3;

use super::body::Body;
use super::options::ContactOptions;
use super::penalty::Penalty;
use super::point::{Field, Probe};
use super::pressure::PressureLaw;

/// Geometry and options of a search.
pub(super) struct Scene<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) x: &'a [Vector3<f64>],
    /// Samples of each obstacle [m, world].
    pub(super) samples: &'a [Vec<Vector3<f64>>],
    pub(super) edges: bool,
}

impl<'a> Scene<'a> {
    /// The scene with the blocks at `x` and the samples of each obstacle [m, world].
    pub(super) fn of(
        bodies: &'a [Body],
        x: &'a [Vector3<f64>],
        samples: &'a [Vec<Vector3<f64>>],
        options: &ContactOptions,
    ) -> Self {
        Self { bodies, x, samples, edges: options.edges }
    }

    /// Law of the pressure of the contact of a probe in a soft body, by owner, place and body of its key.
    pub(super) fn law(&self, penalty: &Penalty<'_>, [owner, _, body]: [u32; 3], probe: Probe) -> PressureLaw {
        let bodies = u32::try_from(self.bodies.len()).expect("bodies are fewer than 2³²");
        let owner = if owner < bodies { Field::Body(owner) } else { Field::Obstacle(owner - bodies) };
        let law = penalty.law(owner, Field::Body(body));
        if owner == Field::Body(body) { law.deeper_by(penalty.folds.depth_of(probe)) } else { law }
    }
}
