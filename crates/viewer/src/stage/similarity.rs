//! Similarity transform from world to view coordinates.

use kiss3d::glamx::Vec3;
use nalgebra::{Point3, Vector3};

use crate::Models;
use crate::surface::single;
use extricate_core::geometry::Aabb;
use extricate_scene::record::WorldState;

/// World → view: subtract the origin, multiply by the scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Similarity {
    pub(super) origin: Point3<f64>,
    pub(super) scale: f64,
}

impl Similarity {
    /// Transform that moves the centre of a scene to the origin and scales its radius to one.
    pub(super) fn of(models: &Models, state: &WorldState) -> Self {
        /// Maximum radius of the whole scene over that of its movable bodies: a hall must not determine the scale of the robot in it.
        const HALL: f64 = 3.0;
        let [whole, moving] = [false, true].map(|moving| models.bounds(state, moving));
        let radius = |bounds: &Aabb| 0.5 * bounds.extents().norm();
        let (bounds, radius) = if radius(&whole) > HALL * radius(&moving) {
            (moving, HALL * radius(&moving))
        } else {
            (whole, radius(&whole))
        };
        if radius > 0.0 && radius.is_finite() {
            Self { origin: bounds.center(), scale: radius.recip() }
        } else {
            Self { origin: Point3::origin(), scale: 1.0 }
        }
    }

    /// View coordinates of a point, in double precision.
    pub(super) fn vector(&self, point: &Point3<f64>) -> Vector3<f64> {
        (point - self.origin) * self.scale
    }

    /// View coordinates of a point.
    pub(super) fn point(&self, point: &Point3<f64>) -> Vec3 {
        Vec3::from(single(&self.vector(point)))
    }
}
