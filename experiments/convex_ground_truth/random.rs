//! Seeded random forms and poses.

use extricate_core::geometry::random::SplitMix64;
use nalgebra::{Isometry3, Point3, Quaternion, Unit, UnitQuaternion, Vector3, Vector4};

use super::forms::Form;

/// Forms and poses of a seed.
pub(crate) struct Random(SplitMix64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(SplitMix64(seed.wrapping_mul(0xd134_2543_de82_ef95)))
    }

    /// Uniform in [from, to).
    pub(crate) fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.0.unit_interval()
    }

    /// Uniform among 0 … count − 1.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.0.next_bits() % count as u64) as usize
    }

    /// 10 to a uniform power.
    pub(crate) fn magnitude(&mut self, from: f64, to: f64) -> f64 {
        10_f64.powf(self.between(from, to))
    }

    /// Uniform in the unit ball.
    pub(crate) fn in_ball(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| self.between(-1.0, 1.0));
            if v.norm_squared() <= 1.0 {
                return v;
            }
        }
    }

    pub(crate) fn direction(&mut self) -> Unit<Vector3<f64>> {
        loop {
            if let Some(direction) = Unit::try_new(self.in_ball(), 1e-3) {
                return direction;
            }
        }
    }

    /// Uniform over all rotations: the direction of a point in the ball of four dimensions.
    pub(crate) fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let quaternion = Quaternion::from(Vector4::from_fn(|_, _| self.between(-1.0, 1.0)));
            if (1e-3..1.0).contains(&quaternion.norm()) {
                return UnitQuaternion::from_quaternion(quaternion);
            }
        }
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Isometry3<f64> {
        Isometry3::from_parts((self.in_ball() * reach).into(), self.rotation())
    }

    /// A rotation by a multiple of a right angle about an axis of the frame.
    pub(crate) fn quarter_turn(&mut self) -> UnitQuaternion<f64> {
        let axis = Unit::new_unchecked(Vector3::ith(self.below(3), 1.0));
        UnitQuaternion::from_axis_angle(&axis, std::f64::consts::FRAC_PI_2 * self.below(4) as f64)
    }

    /// Points at random on a sphere around the origin, of which every one is extreme.
    pub(crate) fn round_hull(&mut self, radius: f64, points: usize) -> Form {
        Form::Hull((0..points).map(|_| Point3::from(self.direction().into_inner() * radius)).collect())
    }

    /// Points in a ball, stretched along the axes, some of them inside.
    pub(crate) fn stretched_hull(&mut self, stretch: Vector3<f64>, points: usize) -> Form {
        Form::Hull((0..points).map(|_| self.in_ball().component_mul(&stretch).into()).collect())
    }

    /// A bounded form of about a metre, not rounded.
    pub(crate) fn plain_form(&mut self) -> Form {
        let size = |random: &mut Self| random.magnitude(-1.5, 0.0);
        match self.below(12) {
            0 => Form::Sphere(size(self)),
            1 => Form::Capsule { radius: size(self), length: size(self) },
            2 => Form::Cuboid(Vector3::from_fn(|_, _| self.magnitude(-1.5, 0.0))),
            3 => Form::Cuboid(Vector3::repeat(1.0)),
            4 => Form::Cylinder { radius: size(self), height: size(self) },
            5 => Form::Cone { radius: size(self), height: size(self) },
            6 => {
                let points = 4 + self.below(12);
                self.stretched_hull(Vector3::repeat(0.5), points)
            }
            7 => {
                let points = 10 + self.below(60);
                self.round_hull(0.5, points)
            }
            8 => {
                // A plate, down to no thickness at all.
                let thickness = [0.0, 1e-12, 1e-6, 1e-2][self.below(4)];
                let points = 4 + self.below(20);
                self.stretched_hull(Vector3::new(0.5, 0.5, thickness), points)
            }
            9 => {
                let thickness = [0.0, 1e-9, 1e-3, 1e-2][self.below(4)];
                let points = 3 + self.below(20);
                self.stretched_hull(Vector3::new(0.5, thickness, thickness), points)
            }
            10 => self.lattice_hull(),
            _ => {
                // A point, a segment or a triangle.
                let points = 1 + self.below(3);
                self.stretched_hull(Vector3::repeat(0.5), points)
            }
        }
    }

    /// Points of a lattice: faces of many points, edges of several, points that are there twice.
    fn lattice_hull(&mut self) -> Form {
        let count = 8 + self.below(40);
        let mut along = || self.below(3) as f64 / 2.0 - 0.5;
        Form::Hull((0..count).map(|_| Point3::new(along(), along(), along())).collect())
    }

    /// Any form, rounded at times.
    pub(crate) fn form(&mut self) -> Form {
        let form = self.plain_form();
        match self.below(5) {
            0 => Form::Rounded(Box::new(form), self.magnitude(-3.0, -0.5)),
            _ => form,
        }
    }
}
