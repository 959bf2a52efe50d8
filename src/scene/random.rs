//! Random orientations from a seed: the same on every machine.

use nalgebra::{Quaternion, UnitQuaternion};

/// `SplitMix64` [Steele, Lea, Flood 2014]: a counter and a mix, enough for setting up scenes.
#[derive(Debug, Clone)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in [0, 1).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
    fn unit_interval(&mut self) -> f64 {
        (self.next_bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform over all orientations [Shoemake 1992].
    pub(super) fn rotation(&mut self) -> UnitQuaternion<f64> {
        let [u, v, w] = std::array::from_fn(|_| self.unit_interval());
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
        assert_eq!(std::array::from_fn(|_| random.next_bits()), expected);
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
