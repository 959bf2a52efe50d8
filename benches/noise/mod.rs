//! Numbers that look random and are the same in every run.

use nalgebra::{Unit, Vector3};

/// Deterministic numbers in [-1, 1].
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A direction.
    pub(crate) fn unit(&mut self) -> Unit<Vector3<f64>> {
        loop {
            let v = Vector3::new(self.next(), self.next(), self.next());
            if (0.01..=1.0).contains(&v.norm()) {
                return Unit::new_normalize(v);
            }
        }
    }
}
