//! Random orientations from a seed, equal on every machine.

use nalgebra::{Quaternion, UnitQuaternion};

use extricate_core::geometry::random::SplitMix64;

/// Random orientations.
#[derive(Debug, Clone)]
pub(super) struct Random(SplitMix64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    /// A random orientation, uniformly distributed over all rotations [Shoemake 1992].
    pub(super) fn rotation(&mut self) -> UnitQuaternion<f64> {
        let [u, v, w] = std::array::from_fn(|_| self.0.unit_interval());
        let ((sin_v, cos_v), (sin_w, cos_w)) =
            ((v * std::f64::consts::TAU).sin_cos(), (w * std::f64::consts::TAU).sin_cos());
        let (low, high) = ((1.0 - u).sqrt(), u.sqrt());
        UnitQuaternion::new_normalize(Quaternion::new(high * cos_w, low * sin_v, low * cos_v, high * sin_w))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn the_stream_of_seed_1234567_is_the_published_one() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(std::array::from_fn(|_| random.0.next_bits()), expected);
    }

    #[test]
    fn rotated_axes_point_everywhere_alike() {
        let mut random = Random::new(7);
        let (mut mean, mut covariance) = (Vector3::zeros(), Matrix3::zeros());
        let count = 20_000;
        for _ in 0..count {
            let axis = random.rotation() * Vector3::new(0.6, 0.0, 0.8);
            mean += axis / f64::from(count);
            covariance += axis * axis.transpose() / f64::from(count);
        }
        assert!(mean.norm() < 0.02, "{mean}");
        assert!((covariance - Matrix3::identity() / 3.0).norm() < 0.02, "{covariance}");
    }
}
