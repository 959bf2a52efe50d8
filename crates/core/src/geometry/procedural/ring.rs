//! Tori: a regular one, and one with an undulating centre line and a varying tube radius.

use nalgebra::{Point3, Vector3};

use super::parameters::Checks;
use super::surface::{angle_and_direction, revolve_closed};
use super::tube::{Tube, clearance};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "torus"
    /// A torus about the z axis.
    pub struct Torus {
        /// Radius of the centre line [m].
        major_radius: f64 = 1.0,
        /// Radius of the tube [m].
        minor_radius: f64 = 0.2,
        /// Steps around the axis.
        segments: u32 = 48,
        /// Steps around the tube.
        sides: u32 = 12,
    }
    mesh = Torus::build
}

impl Torus {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("minor_radius", self.minor_radius)])?;
        let is_open = self.major_radius > self.minor_radius;
        checks.require("major_radius", self.major_radius, is_open, "more than the minor radius")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("sides", self.sides, 3, "at least 3")?;
        checks.triangles([2, self.segments, self.sides])?;
        let profile: Vec<_> = (0..self.sides)
            .map(|i| angle_and_direction(i, self.sides).1 * self.minor_radius)
            .map(|offset| [self.major_radius + offset.x, offset.y])
            .collect();
        revolve_closed(&profile, self.segments)
    }
}

procedural! { "distorted_torus"
    /// A torus about the z axis with an undulating centre line and a tube of varying radius.
    pub struct DistortedTorus {
        /// Mean radius of the centre line [m].
        major_radius: f64 = 1.0,
        /// Mean radius of the tube [m].
        minor_radius: f64 = 0.25,
        /// Amplitude of the centre line's undulation along z [m].
        rise: f64 = 0.2,
        /// Number of undulations around the axis.
        waves: u32 = 3,
        /// Amplitude of the tube's radius as a fraction of its mean, below 1.
        swelling: f64 = 0.35,
        /// Number of maxima of the tube's radius around the axis.
        swellings: u32 = 5,
        /// Steps around the axis.
        segments: u32 = 72,
        /// Steps around the tube.
        sides: u32 = 18,
    }
    mesh = DistortedTorus::build
}

impl DistortedTorus {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("major_radius", self.major_radius), ("minor_radius", self.minor_radius)])?;
        checks.require("rise", self.rise, self.rise >= 0.0, "not negative")?;
        checks.require(
            "swelling",
            self.swelling,
            (0.0..1.0).contains(&self.swelling),
            "from 0 to below 1",
        )?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("sides", self.sides, 3, "at least 3")?;
        checks.triangles([2, self.segments, self.sides])?;
        let widest = self.minor_radius * (1.0 + self.swelling);
        checks.no_self_intersection(widest, clearance(|t| self.center_line(t)))?;
        let tube = Tube {
            center: |t| self.center_line(t),
            outward: |t: f64| Vector3::new(t.cos(), t.sin(), 0.0),
            radius: |t: f64| {
                self.minor_radius * (1.0 + self.swelling * (f64::from(self.swellings) * t).cos())
            },
        };
        tube.mesh(self.segments, self.sides)
    }

    fn center_line(&self, t: f64) -> Point3<f64> {
        let z = self.rise * (f64::from(self.waves) * t).sin();
        Point3::new(self.major_radius * t.cos(), self.major_radius * t.sin(), z)
    }
}
