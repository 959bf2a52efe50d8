//! A golf club: one tube along a straight shaft, a bend and a straight head, its section an ellipse that widens into
//! the head and closes with a round toe.
//!
//! It cannot intersect itself: the sections of each part are in planes that do not cross within the tube as long as the bend
//! is wider than the shaft, and a bend of at most 90° separates the regions of the three parts.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, Vector3};

use super::parameters::Checks;
use super::surface::{angle_and_direction, loft};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "golf_club"
    /// A golf club: a slender round shaft along z, a bend at its lower end towards +x, and a flat head. The origin is
    /// the middle of the shaft.
    pub struct GolfClub {
        /// Length of the straight shaft [m].
        length: f64 = 1.0,
        /// Radius of the shaft [m].
        shaft_radius: f64 = 0.018,
        /// Radius of the bend [m].
        bend_radius: f64 = 0.05,
        /// Angle between the shaft and the head [rad], at most π/2.
        bend: f64 = 1.0,
        /// Length of the head from the bend to the toe [m].
        head_length: f64 = 0.24,
        /// Full height of the head, in the plane of the bend [m].
        head_height: f64 = 0.13,
        /// Full thickness of the head, across that plane [m].
        head_thickness: f64 = 0.06,
        /// Steps along the club.
        segments: u32 = 60,
        /// Steps around a section.
        sides: u32 = 20,
    }
    mesh = GolfClub::build
}

/// Fractions of the steps along the shaft and along the bend; the others are along the head.
const STEPS: [f64; 2] = [0.3, 0.2];
/// Fraction of the head's length over which it widens.
const NECK: f64 = 0.4;
/// Fraction of the head's length after which it closes towards the toe.
const TOE: f64 = 0.5;

/// A section of the tube.
struct Section {
    center: Point3<f64>,
    /// Unit vector across the tube in the plane of the bend, towards its outer side.
    across: Vector3<f64>,
    /// Half axes along `across` and along y [m].
    half_axes: [f64; 2],
}

impl GolfClub {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        self.check()?;
        let rings = self.sections().into_iter().map(|section| {
            let point = |i| {
                let direction = angle_and_direction(i, self.sides).1;
                section.center
                    + section.across * (section.half_axes[0] * direction.x)
                    + Vector3::y() * (section.half_axes[1] * direction.y)
            };
            (0..self.sides).map(point).collect()
        });
        let butt = Point3::new(0.0, 0.0, 0.5 * self.length);
        loft(rings, [butt, self.on_head(self.head_length).center])
    }

    fn check(&self) -> Result<(), ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([
            ("length", self.length),
            ("shaft_radius", self.shaft_radius),
            ("head_length", self.head_length),
            ("head_height", self.head_height),
            ("head_thickness", self.head_thickness),
        ])?;
        let is_wide = self.bend_radius > self.shaft_radius;
        checks.require("bend_radius", self.bend_radius, is_wide, "more than the shaft's")?;
        let is_bent = self.bend > 0.0 && self.bend <= FRAC_PI_2;
        checks.require("bend", self.bend, is_bent, "positive, at most π/2")?;
        checks.at_least("segments", self.segments, 10, "at least 10")?;
        checks.at_least("sides", self.sides, 3, "at least 3")?;
        checks.triangles([2, self.segments, self.sides])
    }

    /// Sections from the butt to just before the toe.
    fn sections(&self) -> Vec<Section> {
        let [shaft, bend] = STEPS.map(|fraction| (fraction * f64::from(self.segments)) as u32);
        let head = self.segments - shaft - bend;
        let fraction = |i: u32, n: u32| f64::from(i) / f64::from(n);
        let on_shaft = (0..shaft).map(|i| self.on_shaft(fraction(i, shaft)));
        let on_bend = (0..bend).map(|i| self.on_bend(self.bend * fraction(i, bend)));
        // Concentrated at the toe, where the section closes fastest.
        let on_head =
            (0..head).map(|i| self.on_head(self.head_length * (FRAC_PI_2 * fraction(i, head)).sin()));
        on_shaft.chain(on_bend).chain(on_head).collect()
    }

    fn on_shaft(&self, fraction: f64) -> Section {
        let center = Point3::new(0.0, 0.0, self.length * (0.5 - fraction));
        Section { center, across: -Vector3::x(), half_axes: [self.shaft_radius; 2] }
    }

    /// Section after an angle [rad] of the bend.
    fn on_bend(&self, angle: f64) -> Section {
        let (sin, cos) = angle.sin_cos();
        let across = Vector3::new(-cos, 0.0, -sin);
        let middle = Point3::new(self.bend_radius, 0.0, -0.5 * self.length);
        Section { center: middle + across * self.bend_radius, across, half_axes: [self.shaft_radius; 2] }
    }

    /// Section at a distance along the head from the bend [m].
    fn on_head(&self, along: f64) -> Section {
        let root = self.on_bend(self.bend);
        let forwards = Vector3::new(-root.across.z, 0.0, root.across.x);
        let widened = smooth_step(along / (NECK * self.head_length));
        let beyond = ((along / self.head_length - TOE) / (1.0 - TOE)).max(0.0);
        let closing = (1.0 - beyond * beyond).max(0.0).sqrt();
        let half_axes = [self.head_height, self.head_thickness]
            .map(|full| closing * (self.shaft_radius + (0.5 * full - self.shaft_radius) * widened));
        Section { center: root.center + forwards * along, half_axes, ..root }
    }
}

/// Cubic from 0 at 0 to 1 at 1 with zero slopes at the ends (smoothstep).
fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::Procedural as _;
    use crate::geometry::report::MeshReport;

    #[test]
    fn a_club_whose_head_is_no_wider_than_its_shaft_is_a_bent_rod_with_a_round_end() {
        let (length, radius, bend_radius, bend, head_length) = (1.0, 0.04, 0.1, 1.2, 0.3);
        let full = 2.0 * radius;
        let club = GolfClub {
            length,
            shaft_radius: radius,
            bend_radius,
            bend,
            head_length,
            head_height: full,
            head_thickness: full,
            segments: 400,
            sides: 120,
        };
        // Pappus for the bend; the half ellipsoid of the toe fills two thirds of its cylinder.
        let along = length + bend_radius * bend + head_length * (TOE + (1.0 - TOE) * 2.0 / 3.0);
        let expected = std::f64::consts::PI * radius * radius * along;
        let found = MeshReport::of(&club.mesh().unwrap()).volume.unwrap();
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} is not {expected}");
    }
}
