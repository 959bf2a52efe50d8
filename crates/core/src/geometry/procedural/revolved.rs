//! Solids of revolution: pawn, apple and bottle.

use std::f64::consts::PI;

use super::parameters::Checks;
use super::surface::revolve;
use crate::geometry::shape_error::ShapeError;
use crate::geometry::triangle_mesh::TriangleMesh;

procedural! { "pawn"
    /// A chess pawn: a stepped foot, a slender waist, a collar and a ball.
    pub struct Pawn {
        /// Full height [m].
        height: f64 = 1.0,
        /// Radius of the foot [m].
        radius: f64 = 0.3,
        /// Steps around the axis.
        segments: u32 = 32,
        /// Steps along the ball.
        rings: u32 = 10,
    }
    mesh = Pawn::build
}

/// Profile of the pawn up to the neck: fraction of the foot's radius, fraction of the height.
const PAWN: [[f64; 2]; 14] = [
    [0.0, 0.0],
    [1.0, 0.0],
    [1.0, 0.06],
    [0.93, 0.1],
    [0.78, 0.13],
    [0.75, 0.18],
    [0.56, 0.23],
    [0.43, 0.32],
    [0.36, 0.43],
    [0.33, 0.55],
    [0.58, 0.58],
    [0.62, 0.605],
    [0.58, 0.63],
    [0.36, 0.66],
];

impl Pawn {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("height", self.height)])?;
        let is_slender = self.radius > 0.0 && self.radius < 0.6 * self.height;
        checks.require("radius", self.radius, is_slender, "positive, below 0.6 of the height")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 2, "at least 2")?;
        checks.triangles([2, self.segments, self.rings.saturating_add(14)])?;
        let mut profile = PAWN.map(|[r, z]| [r * self.radius, z * self.height]).to_vec();
        // The ball passes through the neck (n, z) and ends at the top: a = (H² + n²) / 2H with H = top − z.
        let [neck, neck_z] = profile[PAWN.len() - 1];
        let above = self.height - neck_z;
        let ball = (above * above + neck * neck) / (2.0 * above);
        let start = (neck / ball).asin();
        profile.extend((1..=self.rings).map(|i| {
            let angle = start + (PI - start) * f64::from(i) / f64::from(self.rings);
            [ball * angle.sin(), self.height - ball - ball * angle.cos()]
        }));
        profile.iter_mut().for_each(|point| point[1] -= 0.5 * self.height);
        revolve(&profile, self.segments)
    }
}

procedural! { "apple"
    /// An apple: a ball with a dimple above, where the stem was, and a flatter one below.
    pub struct Apple {
        /// Radius of the ball [m].
        radius: f64 = 0.5,
        /// Depth of the upper dimple as a fraction of the radius; the lower one has a third of it.
        dimple: f64 = 0.35,
        /// Steps around the axis.
        segments: u32 = 40,
        /// Steps from pole to pole.
        rings: u32 = 24,
    }
    mesh = Apple::build
}

/// Angular radius of the apple's dimples [rad], where a Gaussian has fallen to 1/e.
const DIMPLE: f64 = 0.45;

impl Apple {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("radius", self.radius)])?;
        let is_shallow = (0.0..=0.6).contains(&self.dimple);
        checks.require("dimple", self.dimple, is_shallow, "between 0 and 0.6")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 2, "at least 2")?;
        checks.triangles([2, self.segments, self.rings])?;
        let bell = |angle: f64| (-(angle / DIMPLE).powi(2)).exp();
        let at = |i: u32| {
            let angle = PI * f64::from(i) / f64::from(self.rings);
            let dent = self.dimple * (bell(angle) / 3.0 + bell(PI - angle));
            let distance = self.radius * (1.0 - dent);
            // sin(π) is not zero in floating point; the poles must be on the axis exactly.
            let sin = if i == 0 || i == self.rings { 0.0 } else { angle.sin() };
            [distance * sin, -distance * angle.cos()]
        };
        revolve(&(0..=self.rings).map(at).collect::<Vec<_>>(), self.segments)
    }
}

procedural! { "bottle"
    /// A bottle: a straight body, a shoulder and a straight neck, hollow and open above, or solid.
    pub struct Bottle {
        /// Full height [m].
        height: f64 = 1.2,
        /// Outer radius of the body [m].
        radius: f64 = 0.25,
        /// Outer radius of the neck [m].
        neck: f64 = 0.1,
        /// Thickness of wall and floor, the wall measured horizontally [m]; 0 for a solid bottle.
        wall: f64 = 0.03,
        /// Steps around the axis.
        segments: u32 = 32,
        /// Steps along the shoulder.
        rings: u32 = 8,
    }
    mesh = Bottle::build
}

/// Heights where the shoulder begins and ends, as fractions of the height.
const SHOULDER: [f64; 2] = [0.55, 0.78];

impl Bottle {
    fn build(&self) -> Result<TriangleMesh, ShapeError> {
        let checks = Checks::of::<Self>();
        checks.positive([("height", self.height), ("radius", self.radius)])?;
        let is_narrower = self.neck > 0.0 && self.neck <= self.radius;
        checks.require("neck", self.neck, is_narrower, "positive, at most the radius of the body")?;
        let is_thin = self.wall >= 0.0 && self.wall < self.neck && self.wall < SHOULDER[0] * self.height;
        checks.require("wall", self.wall, is_thin, "not negative, below the neck's radius")?;
        checks.at_least("segments", self.segments, 3, "at least 3")?;
        checks.at_least("rings", self.rings, 1, "at least 1")?;
        checks.triangles([4, self.segments, self.rings.saturating_add(5)])?;
        let (bottom, top) = (-0.5 * self.height, 0.5 * self.height);
        let mut profile = vec![[0.0, bottom], [self.radius, bottom]];
        profile.extend(self.shoulder(0.0));
        profile.push([self.neck, top]);
        if self.wall > 0.0 {
            let floor = bottom + self.wall;
            profile.push([self.neck - self.wall, top]);
            profile.extend(self.shoulder(self.wall).rev());
            profile.extend([[self.radius - self.wall, floor], [0.0, floor]]);
        } else {
            profile.push([0.0, top]);
        }
        revolve(&profile, self.segments)
    }

    /// Profile of the shoulder, upwards, offset inwards by the inset [m].
    fn shoulder(&self, inset: f64) -> impl DoubleEndedIterator<Item = [f64; 2]> {
        let (height, radius, neck, rings) = (self.height, self.radius, self.neck, self.rings);
        (0..=rings).map(move |i| {
            let t = f64::from(i) / f64::from(rings);
            let fraction = SHOULDER[0] + (SHOULDER[1] - SHOULDER[0]) * t;
            let outer = neck + (radius - neck) * 0.5 * (1.0 + (PI * t).cos());
            [outer - inset, (fraction - 0.5) * height]
        })
    }
}
