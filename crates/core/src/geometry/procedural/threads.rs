//! Hexagonal nut and bolt with a round (knuckle) thread that fit each other.
//!
//! The thread is a true right-handed helix: its radius is a cosine of the phase 2πz/pitch − angle, the rounded form
//! of knuckle threads. Nut and bolt of equal diameter, pitch and depth differ by the clearance everywhere.

use std::f64::consts::{FRAC_PI_3, FRAC_PI_6, TAU};

use nalgebra::Point3;

use super::parameters::Checks;
use super::surface::{circle, loft, loft_closed};
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "bolt"
    /// A bolt along z with a hexagonal head on top; its thread tapers off over one pitch at either end.
    pub struct Bolt {
        /// Outer diameter of the thread [m].
        diameter: f64 = 0.5,
        /// Length of the shank [m].
        length: f64 = 1.2,
        /// Pitch: axial advance of the thread per revolution [m].
        pitch: f64 = 0.15,
        /// Depth of the thread [m]; 0 for a plain shank.
        depth: f64 = 0.05,
        /// Width of the head across flats [m].
        across_flats: f64 = 0.8,
        /// Height of the head [m].
        head: f64 = 0.3,
        /// Steps around the axis, a multiple of 6.
        segments: u32 = 36,
        /// Steps along one pitch.
        steps: u32 = 8,
    }
    mesh = Bolt::build
}

impl Bolt {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("length", self.length), ("head", self.head)])?;
        let rows = check_thread(&checks, self.diameter, self.pitch, self.depth, self.steps, self.length)?;
        let is_wider = self.across_flats > self.diameter;
        checks.require("across_flats", self.across_flats, is_wider, "more than the diameter")?;
        check_segments(&checks, self.segments)?;
        checks.triangles([2, self.segments, rows.saturating_add(4)])?;
        let half = 0.5 * (self.length + self.head);
        let tip = -half;
        let shank = (0..=rows).map(|i| {
            let along = self.length * f64::from(i) / f64::from(rows);
            // The depth grows linearly from zero over the first pitch, and falls to zero over the last.
            let run_out = (along.min(self.length - along) / self.pitch).min(1.0);
            let root = 0.5 * self.diameter - self.depth;
            let z = tip + along;
            circle(self.segments, z, |angle| root + run_out * self.depth * crest(z, self.pitch, angle))
        });
        let hexagons = [half - self.head, half].map(|z| circle(self.segments, z, hexagon(self.across_flats)));
        loft(shank.chain(hexagons), [tip, half].map(|z| Point3::new(0.0, 0.0, z)))
    }
}

procedural! { "nut"
    /// A hexagonal nut about z with a threaded hole.
    pub struct Nut {
        /// Outer diameter of the matching bolt's thread [m].
        diameter: f64 = 0.5,
        /// Height [m].
        height: f64 = 0.4,
        /// Pitch: axial advance of the thread per revolution [m].
        pitch: f64 = 0.15,
        /// Depth of the thread [m]; 0 for a plain hole.
        depth: f64 = 0.05,
        /// Radial gap between nut and bolt [m].
        clearance: f64 = 0.01,
        /// Width across flats [m].
        across_flats: f64 = 0.8,
        /// Steps around the axis, a multiple of 6.
        segments: u32 = 36,
        /// Steps along one pitch.
        steps: u32 = 8,
    }
    mesh = Nut::build
}

impl Nut {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("height", self.height)])?;
        let rows = check_thread(&checks, self.diameter, self.pitch, self.depth, self.steps, self.height)?;
        checks.require("clearance", self.clearance, self.clearance >= 0.0, "not negative")?;
        let is_wider = self.across_flats > self.diameter + 2.0 * self.clearance;
        checks.require("across_flats", self.across_flats, is_wider, "more than the diameter of the hole")?;
        check_segments(&checks, self.segments)?;
        checks.triangles([2, self.segments, rows.saturating_add(4)])?;
        let half = 0.5 * self.height;
        let root = 0.5 * self.diameter - self.depth + self.clearance;
        let outside = [-half, half].map(|z| circle(self.segments, z, hexagon(self.across_flats)));
        let hole = (0..=rows).map(|i| {
            let z = half - self.height * f64::from(i) / f64::from(rows);
            circle(self.segments, z, |angle| root + self.depth * crest(z, self.pitch, angle))
        });
        loft_closed(outside.into_iter().chain(hole))
    }
}

/// Height of the thread as a fraction of its depth, in [0, 1].
fn crest(z: f64, pitch: f64, angle: f64) -> f64 {
    0.5 * (1.0 + (TAU * z / pitch - angle).cos())
}

/// Radius of a hexagon with corners at multiples of 60°.
fn hexagon(across_flats: f64) -> impl Fn(f64) -> f64 {
    move |angle| 0.5 * across_flats / (angle.rem_euclid(FRAC_PI_3) - FRAC_PI_6).cos()
}

/// Checks the thread and returns the number of rows of quads along it.
fn check_thread(
    checks: &Checks,
    diameter: f64,
    pitch: f64,
    depth: f64,
    steps: u32,
    length: f64,
) -> Result<u32, ShapeError> {
    checks.positive([("diameter", diameter), ("pitch", pitch)])?;
    let is_shallow = depth >= 0.0 && depth < 0.5 * diameter;
    checks.require("depth", depth, is_shallow, "not negative and below the radius")?;
    checks.at_least("steps", steps, 4, "at least 4")?;
    // The conversion saturates; such a fine thread is then refused because of its number of triangles.
    Ok(if depth > 0.0 { (length / pitch * f64::from(steps)).ceil() as u32 } else { 1 })
}

fn check_segments(checks: &Checks, segments: u32) -> Result<(), ShapeError> {
    let is_divisible = segments >= 6 && segments.is_multiple_of(6);
    checks.require("segments", segments.into(), is_divisible, "a multiple of 6")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::procedural::Procedural as _;

    #[test]
    fn a_nut_keeps_its_clearance_from_the_bolt_when_it_is_screwed_along() {
        let (bolt, nut) = (Bolt::default(), Nut::default());
        for revolutions in [0.0, 0.25, 1.6] {
            for (z, angle) in [(0.0, 0.3), (0.1, 2.0), (-0.2, 5.0)] {
                // A right-handed nut advances by one pitch per revolution.
                let (nut_z, nut_angle) = (z - revolutions * nut.pitch, angle - revolutions * TAU);
                let gap = crest(nut_z, nut.pitch, nut_angle) - crest(z, bolt.pitch, angle);
                assert!(gap.abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_plain_nut_has_the_volume_of_a_hexagon_less_a_polygon() {
        let nut = Nut { depth: 0.0, clearance: 0.0, segments: 12, ..Nut::default() };
        let mesh = nut.mesh().unwrap();
        let hexagon = 0.5 * 3.0_f64.sqrt() * nut.across_flats.powi(2);
        let hole = 6.0 * (TAU / 12.0).sin() * (0.5 * nut.diameter).powi(2);
        let volume = crate::geometry::mass_properties::signed_volume(&mesh);
        assert!((volume - (hexagon - hole) * nut.height).abs() < 1e-12);
    }
}
