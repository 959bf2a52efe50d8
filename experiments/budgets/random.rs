//! Random numbers of the search.

use extricate::nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

/// SplitMix64 [Vigna].
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 2_f64.powi(53)
    }

    /// A number in [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// A vector in the cube of half-width one.
    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    pub(crate) fn direction(&mut self) -> Unit<Vector3<f64>> {
        loop {
            let inside = self.vector();
            if inside.norm_squared() <= 1.0
                && let Some(direction) = Unit::try_new(inside, 1e-3)
            {
                return direction;
            }
        }
    }

    /// A rotation by up to `angle` [rad] and a translation by up to `distance` [m].
    pub(crate) fn pose(&mut self, angle: f64, distance: f64) -> Isometry3<f64> {
        let rotation = UnitQuaternion::from_axis_angle(&self.direction(), angle * self.unit());
        let translation = self.direction().into_inner() * (distance * self.unit());
        Isometry3::from_parts(translation.into(), rotation)
    }
}
