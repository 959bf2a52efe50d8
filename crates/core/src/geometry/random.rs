//! Random numbers from a seed, the same on every machine: `SplitMix64` [Steele, Lea, Flood 2014].

/// Counter-based generator with a mixing function, for scenes, directions and start values; not for cryptography.
#[derive(Debug, Clone)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next 64 bits.
    pub fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// The next number, uniform in [0, 1).
    pub fn unit_interval(&mut self) -> f64 {
        as_fraction(self.next_bits())
    }
}

/// A number in [0, 1) hashed from three integers.
pub(crate) fn fraction(numbers: [u64; 3]) -> f64 {
    as_fraction(numbers.into_iter().fold(0, |state, number| SplitMix64(state ^ number).next_bits()))
}

#[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
fn as_fraction(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}
