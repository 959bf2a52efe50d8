//! Bowl and plate: solids of revolution with a flat foot.

use super::parameters::Checks;
use super::surface::revolve;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "bowl"
    /// A hemispherical bowl of uniform wall thickness on a flat foot, open above.
    pub struct Bowl {
        /// Outer radius [m].
        radius: f64 = 1.5,
        /// Thickness of the wall [m].
        wall: f64 = 0.15,
        /// Radius of the flat foot [m].
        foot: f64 = 0.5,
        /// Steps around the axis.
        segments: u32 = 48,
        /// Steps from foot to rim.
        rings: u32 = 10,
    }
    mesh = Bowl::build
}

impl Bowl {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("wall", self.wall), ("foot", self.foot)])?;
        checks.require("radius", self.radius, self.radius > self.wall, "more than the wall")?;
        let inner = self.radius - self.wall;
        let height = (self.radius * self.radius - self.foot * self.foot).sqrt();
        let is_closed = self.foot < self.radius && inner < height;
        checks.require("foot", self.foot, is_closed, "small enough to leave a floor under the inside")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([6, self.segments, self.rings])?;
        // Angles below the rim: the outside runs from the foot to the rim, the inside from the rim to the pole.
        let steps = || (0..=self.rings).map(|i| f64::from(i) / f64::from(self.rings));
        let foot_angle = height.atan2(self.foot);
        let arc = |radius: f64, angle: f64| [radius * angle.cos(), 0.5 * height - radius * angle.sin()];
        let outside = steps().map(|t| arc(self.radius, foot_angle * (1.0 - t)));
        let inside = steps().map(|t| arc(inner, std::f64::consts::FRAC_PI_2 * t));
        let profile: Vec<_> = [[0.0, -0.5 * height]].into_iter().chain(outside).chain(inside).collect();
        revolve(&profile, self.segments)
    }
}

procedural! { "plate"
    /// A plate: a flat middle and a rim that curves up.
    pub struct Plate {
        /// Outer radius [m].
        radius: f64 = 1.0,
        /// Radius of the flat middle [m].
        flat: f64 = 0.6,
        /// Full height [m].
        height: f64 = 0.18,
        /// Thickness, measured upwards [m].
        thickness: f64 = 0.08,
        /// Steps around the axis.
        segments: u32 = 48,
        /// Steps across the rim.
        rings: u32 = 6,
    }
    mesh = Plate::build
}

impl Plate {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("flat", self.flat), ("thickness", self.thickness)])?;
        checks.require("radius", self.radius, self.radius > self.flat, "more than the flat middle")?;
        checks.require("height", self.height, self.height >= self.thickness, "at least the thickness")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([6, self.segments, self.rings])?;
        let rim = |t: f64, lift: f64| {
            let radius = self.flat + (self.radius - self.flat) * t;
            [radius, (self.height - self.thickness) * t * t + lift - 0.5 * self.height]
        };
        let steps = || (0..=self.rings).map(|i| f64::from(i) / f64::from(self.rings));
        let below = steps().map(|t| rim(t, 0.0));
        let above = steps().map(|t| rim(1.0 - t, self.thickness));
        let poles = [0.0, self.thickness].map(|lift| [0.0, lift - 0.5 * self.height]);
        let profile: Vec<_> = [poles[0]].into_iter().chain(below).chain(above).chain([poles[1]]).collect();
        revolve(&profile, self.segments)
    }
}
