//! Minima of a time step at which the interaction becomes firmer, so that the minimisation continues.

use super::{Newton, Point};

/// Maximum number of times in a time step that the interaction becomes firmer. More: steps with heavy impacts take more iterations; fewer: they
/// end deeper. Not varied.
const MAX_FIRMINGS: usize = 3;

impl Newton<'_> {
    /// Whether the interaction becomes firmer at a minimum of a time step, which then is a minimum no more.
    pub(super) fn firms_up(&mut self, point: &Point) -> bool {
        let in_a_step = self.potential.inertia > 0.0;
        if !in_a_step || self.firmings == MAX_FIRMINGS || !self.interaction.firm_up(&point.x) {
            return false;
        }
        self.interaction.refresh_active_set(&point.x);
        (self.firmings, self.firmed) = (self.firmings + 1, true);
        true
    }
}
