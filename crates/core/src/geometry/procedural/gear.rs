//! A spur gear with trapezoidal teeth and a bore.

use std::f64::consts::TAU;

use nalgebra::Point3;

use super::parameters::Checks;
use super::surface::loft_closed;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "gear"
    /// A spur gear about z with trapezoidal teeth and a round bore.
    pub struct Gear {
        /// Number of teeth.
        teeth: u32 = 12,
        /// Radius at the tips of the teeth [m].
        tip_radius: f64 = 0.6,
        /// Radius between the teeth [m].
        root_radius: f64 = 0.45,
        /// Radius of the bore [m].
        bore_radius: f64 = 0.2,
        /// Thickness along z [m].
        thickness: f64 = 0.25,
    }
    mesh = Gear::build
}

/// Corners of one tooth: angle as a fraction of the pitch, and whether it is at the tip.
const TOOTH: [(f64, bool); 5] = [(0.0, false), (0.25, false), (0.375, true), (0.625, true), (0.75, false)];

impl Gear {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.at_least("teeth", self.teeth, 3, "at least 3")?;
        checks.positive([("bore_radius", self.bore_radius), ("thickness", self.thickness)])?;
        let is_wider = self.root_radius > self.bore_radius;
        checks.require("root_radius", self.root_radius, is_wider, "more than the bore's")?;
        checks.require(
            "tip_radius",
            self.tip_radius,
            self.tip_radius > self.root_radius,
            "more than the root's",
        )?;
        checks.triangles([40, self.teeth])?;
        let half = 0.5 * self.thickness;
        let bore = |z| self.ring(z, |_| self.bore_radius);
        let rim = |z| self.ring(z, |is_tip| if is_tip { self.tip_radius } else { self.root_radius });
        loft_closed([bore(-half), rim(-half), rim(half), bore(half)])
    }

    fn ring(&self, z: f64, radius: impl Fn(bool) -> f64) -> Vec<Point3<f64>> {
        let teeth = (0..self.teeth)
            .flat_map(|tooth| TOOTH.map(|(fraction, is_tip)| (f64::from(tooth) + fraction, is_tip)));
        teeth
            .map(|(pitches, is_tip)| {
                let (sin, cos) = (TAU * pitches / f64::from(self.teeth)).sin_cos();
                Point3::new(radius(is_tip) * cos, radius(is_tip) * sin, z)
            })
            .collect()
    }
}
