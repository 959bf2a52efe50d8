//! Seeded random numbers: a linear congruential generator [Knuth97 §3.3.4].
//!
//! Tests depend on the sequences: none of them may change. Each number consists of the upper bits of the state after
//! one step; their count is part of the sequence.

use std::ops::RangeBounds;

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};

/// A reproducible sequence of numbers; the field is the state, initially the seed.
#[derive(Debug, Clone)]
pub struct Noise(pub u64);

impl Noise {
    /// The upper `count` bits (1 to 64) of the next state.
    pub fn bits(&mut self, count: u32) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> (64 - count)
    }

    /// The next number in [0, 1), of `bits` bits (1 to 53).
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
    pub fn fraction(&mut self, bits: u32) -> f64 {
        self.bits(bits) as f64 / (1_u64 << bits) as f64
    }

    /// The next number in [0, 1), of 53 bits.
    pub fn unit_interval(&mut self) -> f64 {
        self.fraction(53)
    }

    /// The next number in [−1, 1), of 53 bits.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.fraction(53) - 1.0
    }

    /// The next number in [−1, 1), of 31 bits; vectors, rotations and poses consist of these.
    #[expect(clippy::should_implement_trait, reason = "the sequence is endless")]
    pub fn next(&mut self) -> f64 {
        2.0 * self.fraction(31) - 1.0
    }

    /// The next number between two others, of 53 bits.
    pub fn between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.unit_interval()
    }

    /// The next index below `count`, of 53 bits.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "indices of tests are small"
    )]
    pub fn below(&mut self, count: usize) -> usize {
        (self.unit_interval() * count as f64) as usize
    }

    /// A vector in the cube [−1, 1)³.
    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }

    /// A vector in the cube [0, 1)³, of numbers of 53 bits.
    pub fn vector_in_unit_cube(&mut self) -> Vector3<f64> {
        Vector3::new(self.unit_interval(), self.unit_interval(), self.unit_interval())
    }

    /// A vector in the cube [−1, 1)³, of numbers of 53 bits.
    pub fn signed_vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.signed(), self.signed(), self.signed())
    }

    /// A direction, uniform over the sphere if the range of lengths ends at 1 or below: that of the first vector in
    /// the cube [−1, 1)³, of numbers of 53 bits, whose length is in the range.
    pub fn uniform_direction(&mut self, lengths: impl RangeBounds<f64>) -> Unit<Vector3<f64>> {
        loop {
            let vector = self.signed_vector();
            if lengths.contains(&vector.norm()) {
                return Unit::new_normalize(vector);
            }
        }
    }

    /// A direction: that of a vector in the cube.
    pub fn direction(&mut self) -> Unit<Vector3<f64>> {
        Unit::new_normalize(self.vector())
    }

    /// A rotation by up to `angle` \[rad\] about any direction.
    pub fn rotation(&mut self, angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&self.direction(), angle * self.next())
    }

    /// A pose up to `reach` \[m\] from the origin along every axis, rotated by up to `angle` \[rad\].
    pub fn pose(&mut self, reach: f64, angle: f64) -> Isometry3<f64> {
        let rotation = self.rotation(angle);
        Isometry3::from_parts((reach * self.vector()).into(), rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequences_stay_what_they_are() {
        let states = [7_806_831_264_735_756_412, 9_396_908_728_118_811_419];
        let mut noise = Noise(1);
        assert_eq!([noise.bits(64), noise.bits(64)], states);
        let ends = |number: f64, bits: u32| (number * (1_u64 << bits) as f64) as u64;
        for bits in [24, 31, 53] {
            assert_eq!(ends(Noise(1).fraction(bits), bits), states[0] >> (64 - bits));
        }
        let signed = |state: u64, shift: u32| (state >> shift) as f64 / (1_u64 << (63 - shift)) as f64 - 1.0;
        assert_eq!(Noise(1).next().to_bits(), signed(states[0], 33).to_bits());
        assert_eq!(Noise(1).signed().to_bits(), signed(states[0], 11).to_bits());
    }

    #[test]
    fn numbers_stay_in_their_ranges() {
        let mut noise = Noise(5);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&noise.unit_interval()));
            assert!((-1.0..1.0).contains(&noise.next()) && (-1.0..1.0).contains(&noise.signed()));
            assert!((2.0..5.0).contains(&noise.between(2.0, 5.0)) && noise.below(3) < 3);
            assert!((noise.uniform_direction(0.1..1.0).norm() - 1.0).abs() < 1e-15);
            let pose = noise.pose(2.0, 0.5);
            assert!(pose.translation.vector.amax() <= 2.0 && pose.rotation.angle() <= 0.5 + 1e-12);
        }
    }
}
