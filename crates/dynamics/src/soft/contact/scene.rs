//! Input of the searches for contacts.

use nalgebra::Vector3;

use super::body::Body;
use super::options::ContactOptions;

/// Geometry and options of a search.
pub(super) struct Scene<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) x: &'a [Vector3<f64>],
    /// Samples of each obstacle [m, world].
    pub(super) samples: &'a [Vec<Vector3<f64>>],
    pub(super) self_contact: bool,
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
        Self { bodies, x, samples, self_contact: options.self_contact, edges: options.edges }
    }

    /// Thickness of the thinner of the soft bodies of a contact, by owner, place and body of its key [m].
    pub(super) fn thickness(&self, [owner, _, body]: [u32; 3]) -> f64 {
        let own = self.bodies.get(owner as usize).map_or(f64::INFINITY, |body| body.thickness);
        own.min(self.bodies[body as usize].thickness)
    }
}
