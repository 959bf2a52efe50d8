//! A spoon: an upper and a lower surface over one outline, so that it cannot intersect itself.

use std::f64::consts::FRAC_PI_2;

use nalgebra::Point3;

use super::parameters::Checks;
use super::surface::{angle_and_direction, loft};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "spoon"
    /// A spoon along x, its bowl towards +x and open above. The rim of the bowl lies in the plane z = 0.
    pub struct Spoon {
        /// Full length [m].
        length: f64 = 1.6,
        /// Length of the bowl [m].
        bowl_length: f64 = 0.55,
        /// Full width of the bowl [m].
        bowl_width: f64 = 0.36,
        /// Depth of the bowl below its rim [m].
        bowl_depth: f64 = 0.1,
        /// Full width of the handle [m].
        handle_width: f64 = 0.1,
        /// Height of the end of the handle above the plane of the rim [m].
        rise: f64 = 0.12,
        /// Thickness, measured upwards [m].
        thickness: f64 = 0.05,
        /// Steps along the spoon.
        segments: u32 = 40,
        /// Steps around a section.
        sides: u32 = 16,
    }
    mesh = Spoon::build
}

impl Spoon {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        self.check()?;
        let half = 0.5 * self.length;
        let rings = (0..self.segments).map(|i| self.ring(self.station(i)));
        loft(rings, [-half, half].map(|x| Point3::new(x, 0.0, self.middle(x, 0.0))))
    }

    fn check(&self) -> Result<(), ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([
            ("bowl_length", self.bowl_length),
            ("bowl_width", self.bowl_width),
            ("handle_width", self.handle_width),
            ("thickness", self.thickness),
        ])?;
        checks.require("length", self.length, self.length > self.bowl_length, "more than the bowl's")?;
        checks.require("bowl_depth", self.bowl_depth, self.bowl_depth >= 0.0, "not negative")?;
        checks.require("rise", self.rise, self.rise >= 0.0, "not negative")?;
        checks.at_least("segments", self.segments, 8, "at least 8")?;
        let is_even = self.sides >= 4 && self.sides.is_multiple_of(2);
        checks.require("sides", self.sides.into(), is_even, "even, at least 4")?;
        checks.triangles([2, self.segments, self.sides])
    }

    /// Position of a ring along the spoon [m]: equal steps in the angle of a half ellipse concentrate the rings at the tip, where
    /// the outline curves most; the pole beyond the last ring is the tip itself.
    fn station(&self, i: u32) -> f64 {
        let angle = FRAC_PI_2 * f64::from(i) / f64::from(self.segments);
        self.length * (angle.sin() - 0.5)
    }

    /// Position within the bowl: −1 where it meets the handle, 1 at the tip; below −1 on the handle.
    fn along_bowl(&self, x: f64) -> f64 {
        1.0 - 2.0 * (0.5 * self.length - x) / self.bowl_length
    }

    /// Half the width of the outline [m]: an ellipse for the bowl, blended with the strip of the handle, which tapers off at the
    /// tip.
    fn half_width(&self, x: f64) -> f64 {
        let u = self.along_bowl(x);
        let bowl = 0.5 * self.bowl_width * (1.0 - u * u).max(0.0).sqrt();
        let handle = 0.5 * self.handle_width * (1.0 - u.max(0.0).powi(2)).max(0.0).sqrt();
        // The 4-norm is a smooth maximum of the two widths.
        (bowl.powi(4) + handle.powi(4)).powf(0.25)
    }

    /// Height of the middle surface [m] at a fraction of the half width in [−1, 1].
    fn middle(&self, x: f64, fraction: f64) -> f64 {
        let u = self.along_bowl(x);
        let hollow = (1.0 - u * u).max(0.0) * (1.0 - fraction * fraction);
        let handle = ((-1.0 - u) / (2.0 * self.length / self.bowl_length - 2.0)).max(0.0);
        self.rise * handle * handle - self.bowl_depth * hollow
    }

    fn ring(&self, x: f64) -> Vec<Point3<f64>> {
        let half_width = self.half_width(x);
        (0..self.sides)
            .map(|i| angle_and_direction(i, self.sides).1)
            .map(|direction| {
                let z = self.middle(x, direction.x) + 0.5 * self.thickness * direction.y;
                Point3::new(x, half_width * direction.x, z)
            })
            .collect()
    }
}
