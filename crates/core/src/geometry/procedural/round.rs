//! Round primitives as meshes: cylinder, cone, capsule. Axis z, centred at half height, as the shapes of the command line.

use std::f64::consts::FRAC_PI_2;

use super::parameters::Checks;
use super::surface::revolve;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "cylinder"
    /// A cylinder about the z axis.
    pub struct Cylinder {
        /// Radius [m].
        radius: f64 = 0.5,
        /// Height [m].
        height: f64 = 1.0,
        /// Steps around the axis.
        segments: u32 = 32,
    }
    mesh = Cylinder::build
}

impl Cylinder {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius), ("height", self.height)])?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.triangles([4, self.segments])?;
        let half = 0.5 * self.height;
        revolve(&[[0.0, -half], [self.radius, -half], [self.radius, half], [0.0, half]], self.segments)
    }
}

procedural! { "cone"
    /// A cone about the z axis, its apex upwards.
    pub struct Cone {
        /// Radius of the base [m].
        radius: f64 = 0.5,
        /// Height [m].
        height: f64 = 1.0,
        /// Steps around the axis.
        segments: u32 = 32,
    }
    mesh = Cone::build
}

impl Cone {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius), ("height", self.height)])?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.triangles([2, self.segments])?;
        let half = 0.5 * self.height;
        revolve(&[[0.0, -half], [self.radius, -half], [0.0, half]], self.segments)
    }
}

procedural! { "capsule"
    /// A capsule about the z axis: a cylinder with a hemisphere at either end.
    pub struct Capsule {
        /// Radius [m].
        radius: f64 = 0.25,
        /// Length of the cylinder, without the hemispheres [m].
        length: f64 = 0.5,
        /// Steps around the axis.
        segments: u32 = 32,
        /// Steps from the rim of a hemisphere to its pole.
        rings: u32 = 8,
    }
    mesh = Capsule::build
}

impl Capsule {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius), ("length", self.length)])?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([4, self.segments, self.rings])?;
        let hemisphere = (0..=self.rings).map(|i| {
            let angle = FRAC_PI_2 * f64::from(i) / f64::from(self.rings);
            // cos(π/2) is not zero in floating point; the pole must be on the axis exactly.
            let cos = if i == self.rings { 0.0 } else { angle.cos() };
            [self.radius * cos, 0.5 * self.length + self.radius * angle.sin()]
        });
        let upper: Vec<_> = hemisphere.collect();
        let lower = upper.iter().rev().map(|&[radius, z]| [radius, -z]);
        revolve(&lower.chain(upper.iter().copied()).collect::<Vec<_>>(), self.segments)
    }
}
