//! Signed distances of rigid bodies: primitives in closed form and meshes by closest points.

use nalgebra::{Point3, Vector3};

use extricate_core::proximity::{Model, closest_point};

/// A signed distance in a body's own frame, positive outside.
pub trait SignedDistance: Send + Sync {
    /// Distance to the surface [m, negative inside] at `point` [m, body frame], and its gradient there.
    ///
    /// It must be Lipschitz with constant 1 (|gradient| ≤ 1): that saves queries while a node is far away. A field
    /// on a grid meets that within a few per cent, which [`super::SoftContact`] allows for.
    fn value_and_gradient(&self, point: &Point3<f64>) -> (f64, Vector3<f64>);
}

/// Shapes with a closed-form signed distance, centred at the origin; axisymmetric ones about z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive {
    /// The half-space z ≤ 0.
    HalfSpace,
    /// A ball.
    Ball {
        /// Radius \[m\].
        radius: f64,
    },
    /// A box.
    Cuboid {
        /// Half of each edge \[m\].
        half: Vector3<f64>,
    },
    /// The points within a radius of a segment of the z axis.
    Capsule {
        /// Half of the segment's length \[m\].
        half_height: f64,
        /// Radius \[m\].
        radius: f64,
    },
    /// A cylinder about the z axis.
    Cylinder {
        /// Half of its height \[m\].
        half_height: f64,
        /// Radius \[m\].
        radius: f64,
    },
}

impl SignedDistance for Primitive {
    fn value_and_gradient(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        let p = point.coords;
        match *self {
            Self::HalfSpace => (p.z, Vector3::z()),
            Self::Ball { radius } => round(p, radius),
            Self::Capsule { half_height, radius } => {
                round(Vector3::new(p.x, p.y, p.z - p.z.clamp(-half_height, half_height)), radius)
            }
            Self::Cuboid { half } => {
                let over = p.abs() - half;
                corner(over.into(), [0, 1, 2].map(|k| Vector3::ith(k, 1.0_f64.copysign(p[k]))))
            }
            Self::Cylinder { half_height, radius } => {
                let (across, out) = round(Vector3::new(p.x, p.y, 0.0), radius);
                let over = [across, p.z.abs() - half_height, f64::NEG_INFINITY];
                corner(over, [out, Vector3::z() * 1.0_f64.copysign(p.z), Vector3::zeros()])
            }
        }
    }
}

/// Signed distance to a ball and its gradient, defined even at the centre.
fn round(p: Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
    let norm = p.norm();
    (norm - radius, if norm > 0.0 { p / norm } else { Vector3::x() })
}

/// Signed distance to the intersection of half-spaces with orthogonal normals `out`, each exceeded by `over`.
fn corner(over: [f64; 3], out: [Vector3<f64>; 3]) -> (f64, Vector3<f64>) {
    let deepest = (1..3).fold(0, |max, k| if over[k] > over[max] { k } else { max });
    // Inside, the nearest face decides; outside, the vector over all exceeded faces.
    if !(over[deepest] > 0.0) {
        return (over[deepest], out[deepest]);
    }
    let away: Vector3<f64> = (0..3).map(|k| over[k].max(0.0) * out[k]).sum();
    let distance = away.norm();
    (distance, away / distance)
}

impl SignedDistance for Model {
    /// Distance by the closest point, sign by the winding number; on the surface itself the gradient is the normal of a triangle.
    fn value_and_gradient(&self, point: &Point3<f64>) -> (f64, Vector3<f64>) {
        /// Fraction of the model's size below which the direction to the closest point is rounding. A safeguard against
        /// a direction of rounding, without effect on the sets of docs/sensitivity.md.
        const TOUCHING: f64 = 1e-12;
        let closest = closest_point(self, point);
        let sign = if self.contains(point) { -1.0 } else { 1.0 };
        let away = point - closest.point;
        let gradient = if closest.distance > TOUCHING * self.radius() {
            sign * away / closest.distance
        } else {
            let [a, b, c] = self.mesh().triangle(closest.triangle as usize);
            (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
        };
        (sign * closest.distance, gradient)
    }
}
