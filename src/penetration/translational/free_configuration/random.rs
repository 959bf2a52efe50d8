//! Random directions from a seed [Je12 §5.4].
//!
//! One cast for each of sixteen directions. Good as a second opinion: another seed gives another answer where the
//! search is caught in a local optimum.

use nalgebra::Vector3;

/// Directions that are tried.
const TRIES: usize = 16;

/// Unit vectors, uniform over the sphere, the same for the same seed on every machine.
pub(in super::super) fn random(seed: u64) -> impl Iterator<Item = Vector3<f64>> {
    let mut random = SplitMix64(seed);
    (0..TRIES).map(move |_| random.direction())
}

/// A counter and a mix [Steele, Lea, Flood 2014].
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in [0, 1).
    fn unit_interval(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform over the sphere: so is the height of its points [Archimedes].
    fn direction(&mut self) -> Vector3<f64> {
        let z = 2.0 * self.unit_interval() - 1.0;
        let (sin, cos) = (std::f64::consts::TAU * self.unit_interval()).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vector3::new(radius * cos, radius * sin, z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_gives_the_published_sequence() {
        let mut random = SplitMix64(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], first);
    }

    #[test]
    fn directions_are_units_that_depend_on_the_seed_and_on_nothing_else() {
        let of = |seed| random(seed).collect::<Vec<_>>();
        assert_eq!(of(7), of(7));
        assert_ne!(of(7), of(8));
        assert!(of(7).iter().all(|direction| (direction.norm() - 1.0).abs() < 1e-12));
        let mean = (0..500).flat_map(random).sum::<Vector3<f64>>() / 8000.0;
        assert!(mean.norm() < 0.03, "{mean}");
    }
}
