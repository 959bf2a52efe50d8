//! The law of pressure over depth: linear at small depths, stiffening beyond a small fraction of the thickness of the bodies.
//!
//! With the effective depth e, the onset e₀ and s = (e − e₀)/w for e > e₀, else 0, the energy per area over the penalty stiffness is
//! e²/2 + c w² s³/6: twice continuously differentiable, convex, exactly the linear penalty where bodies rest. The curvature grows
//! linearly with the depth, so that an impact is stopped within a few w whatever its pressure, and Newton's method halves the
//! distance to the solution even from far too deep; a barrier, which incremental potential contact has instead, would need every
//! iterate to be shallow, and recovery from overlaps would have none.

/// Growth c of the slope of pressure over depth: per width w beyond the onset the slope grows by c times the penalty stiffness.
/// Larger: impacts go less deep and take more Newton iterations (docs/sensitivity.md). Pairs that stay deep have a multiple (`firmness.rs`).
const STIFFENING: f64 = 400.0;

/// The same of pairs of bodies with which a step did not converge, until they have parted. Larger: more of them do not converge again and
/// get a linear pressure; smaller: they go deeper. Not varied by itself.
const EASED: f64 = 25.0;

/// Law of pressure over depth of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PressureLaw {
    /// e₀ [m].
    onset: f64,
    /// w [m].
    width: f64,
    /// c.
    growth: f64,
}

impl PressureLaw {
    /// The law that stiffens beyond the depth `onset` [m]; linear where that is zero, as in a body without depth, or infinite.
    pub(super) fn beyond(onset: f64) -> Self {
        let stiffens = onset > 0.0 && onset.is_finite();
        let [onset, width] = if stiffens { [onset; 2] } else { [f64::INFINITY, 1.0] };
        Self { onset, width, growth: STIFFENING }
    }

    /// The law of bodies of which a step with the other one did not converge: it stiffens less.
    pub(super) fn eased_beyond(onset: f64) -> Self {
        Self { growth: EASED, ..Self::beyond(onset) }
    }

    /// The law that stiffens `factor` times as fast.
    pub(super) fn firmer(self, factor: f64) -> Self {
        Self { growth: factor * self.growth, ..self }
    }

    /// The depth beyond the onset [m], negative before it.
    pub(super) fn beyond_onset(&self, depth: f64) -> f64 {
        depth - self.onset
    }

    /// The law with its onset deeper by `depth` [m].
    pub(super) fn deeper_by(self, depth: f64) -> Self {
        Self { onset: self.onset + depth, ..self }
    }

    /// Whether a depth [m] is beyond the onset.
    pub(super) fn stiffens_at(&self, depth: f64) -> bool {
        depth > self.onset
    }

    /// s, zero up to the onset.
    fn excess(&self, depth: f64) -> f64 {
        if self.stiffens_at(depth) { (depth - self.onset) / self.width } else { 0.0 }
    }

    /// Energy per area over the penalty stiffness beyond the linear law's [m²].
    pub(super) fn added_energy(&self, depth: f64) -> f64 {
        let s = self.excess(depth);
        self.growth / 6.0 * self.width * self.width * s * s * s
    }

    /// Pressure over the penalty stiffness beyond the linear law's [m].
    pub(super) fn added_pressure(&self, depth: f64) -> f64 {
        let s = self.excess(depth);
        0.5 * self.growth * self.width * s * s
    }

    /// Derivative of that with respect to the depth.
    pub(super) fn added_slope(&self, depth: f64) -> f64 {
        self.growth * self.excess(depth)
    }

    /// The depth at a pressure over the penalty stiffness [m].
    pub(super) fn depth_at(&self, pressure: f64) -> f64 {
        if !self.stiffens_at(pressure) {
            return pressure;
        }
        // e − e₀ + c (e − e₀)²/2w = p/k − e₀, solved without cancellation.
        let more = pressure - self.onset;
        self.onset + 2.0 * more / (1.0 + (1.0 + 2.0 * self.growth / self.width * more).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_and_slope_are_the_derivatives_of_the_energy_in_any_unit() {
        for unit in [1e-3, 1.0, 1e3] {
            let law = PressureLaw::beyond(0.01 * unit);
            for law in [law, law.deeper_by(0.02 * unit)] {
                for depth in [0.004, 0.0099, 0.0101, 0.015, 0.031, 0.2].map(|depth| depth * unit) {
                    let h = 1e-6 * unit;
                    let difference = |f: &dyn Fn(f64) -> f64| (f(depth + h) - f(depth - h)) / (2.0 * h);
                    let pressure = difference(&|d| law.added_energy(d));
                    assert!((pressure - law.added_pressure(depth)).abs() < 1e-6 * depth, "{law:?} {depth}");
                    let slope = difference(&|d| law.added_pressure(d));
                    assert!((slope - law.added_slope(depth)).abs() < 1e-3, "{law:?} {depth}");
                    let back = law.depth_at(depth + law.added_pressure(depth));
                    assert!((back - depth).abs() < 1e-12 * depth, "{law:?} {depth} {back}");
                }
            }
        }
    }

    #[test]
    fn the_law_is_the_linear_penalty_up_to_its_onset_and_everywhere_without_one() {
        let nothing = |law: PressureLaw, depth: f64| {
            let added = [law.added_energy(depth), law.added_pressure(depth), law.added_slope(depth)];
            added.iter().all(|own: &f64| own.abs() <= 0.0) && law.depth_at(depth).to_bits() == depth.to_bits()
        };
        let law = PressureLaw::beyond(0.01);
        assert!([0.0, 1e-9, 0.0099, 0.01].into_iter().all(|depth| nothing(law, depth)));
        assert!(!nothing(law, 0.0101));
        assert!([0.0, f64::INFINITY].into_iter().all(|onset| nothing(PressureLaw::beyond(onset), 5.0)));
    }
}
