//! Random choices from a seed, the same on every machine.

use extricate_core::geometry::random::SplitMix64;

/// A stream of numbers, and draws from it.
#[derive(Debug, Clone)]
pub(crate) struct Random(SplitMix64);

impl Random {
    /// The stream of scene `index` of a soak of `seed`.
    pub(crate) fn of(seed: u64, index: u64) -> Self {
        let mixed = SplitMix64(seed).next_bits();
        let state = SplitMix64(mixed ^ index.wrapping_mul(0xd134_2543_de82_ef95)).next_bits();
        Self(SplitMix64(state))
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit_interval(&mut self) -> f64 {
        self.0.unit_interval()
    }

    /// Uniform in [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit_interval()
    }

    /// Uniform in its logarithm.
    pub(crate) fn log_within(&mut self, low: f64, high: f64) -> f64 {
        (self.within(low.ln(), high.ln())).exp()
    }

    /// One of `count`, the first being 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.0.next_bits() % count as u64).expect("below a usize")
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, chance: f64) -> bool {
        self.unit_interval() < chance
    }

    /// One of them.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Uniform in the cube of half edge 1.
    pub(crate) fn in_cube(&mut self) -> [f64; 3] {
        std::array::from_fn(|_| self.within(-1.0, 1.0))
    }

    /// A direction, near enough uniform.
    pub(crate) fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = self.in_cube();
            let squared: f64 = v.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&squared) {
                return v.map(|x| x / squared.sqrt());
            }
        }
    }
}
