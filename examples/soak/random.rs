//! Random numbers from a seed, the same on every machine: `SplitMix64` [Steele, Lea, Flood 2014].

/// A counter and a mix.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The stream of scene `index` of a soak of `seed`.
    pub(crate) fn of(seed: u64, index: u64) -> Self {
        let mut first = Self(seed);
        let mixed = first.bits();
        Self(Self(mixed ^ index.wrapping_mul(0xd134_2543_de82_ef95)).bits())
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn share(&mut self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit an f64 exactly")]
        let share = (self.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        share
    }

    /// Uniform in [low, high).
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share()
    }

    /// Uniform in its logarithm.
    pub(crate) fn log_within(&mut self, low: f64, high: f64) -> f64 {
        (self.within(low.ln(), high.ln())).exp()
    }

    /// One of `count`, the first being 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.bits() % count as u64).expect("below a usize")
    }

    /// Whether what happens with this chance does.
    pub(crate) fn chance(&mut self, chance: f64) -> bool {
        self.share() < chance
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
