//! Contact of a result: the minimum change touches, so that what is still free nearer to the input is moved there.

use super::descent::DescentResult;
use super::search::{MultiStartSearch, better};

/// Fraction of the change at which a tight result must collide. Half and twice change every depth by less than 0.01 %
/// and the steps by less than 0.5 % (docs/sensitivity.md).
const BACK: f64 = 0.99;
/// Halvings of the path back to the input, which locate the contact to 1e-9 of it. Half and twice change every depth by
/// less than 0.01 % and the supports by −0.61 % and < 0.5 % (docs/sensitivity.md).
const BISECTIONS: u32 = 30;
/// Maximum number of repetitions of those halvings and the descent after them. Half and twice change no depth and the
/// work by less than 0.5 % (docs/sensitivity.md).
const TIGHTENINGS: u32 = 3;

impl MultiStartSearch<'_> {
    /// Brings the result into contact, and that with which fast effort would have ended as well: which of two results is nearer may
    /// change with it, and best effort is never farther.
    pub(super) fn tighten_with_fast(&self, best: &mut DescentResult) {
        let early = self.at_fast.get().filter(|early| early.free != best.free).cloned();
        self.tighten(best);
        let Some(mut early) = early else { return };
        self.tighten(&mut early);
        if early.sigma() < best.sigma() {
            let DescentResult { free, source, improved_at, .. } = early;
            *best = DescentResult { free, source, improved_at, ..std::mem::take(best) };
        }
    }

    /// Brings a free point into contact [Tang14 theorem 1]: the minimum change touches, so a result that is still free a little
    /// nearer to the input is moved back by bisection until it touches.
    pub(super) fn tighten(&self, best: &mut DescentResult) {
        for _ in 0..TIGHTENINGS {
            let Some(free) = best.free.clone().filter(|_| !(self.stop)()) else { return };
            let free_at = |fraction: f64| -> Option<Vec<f64>> {
                let mut y: Vec<f64> = free.iter().map(|y| fraction * y).collect();
                let is_free = self.collision_world.with_workspace(|workspace| {
                    self.chart.retract(self.collision_world, &mut y, workspace)
                        && self.descent.is_free(&y, workspace)
                });
                is_free.then_some(y)
            };
            // Usually one test shows that the result touches already.
            let Some(mut tight) = free_at(BACK) else { return };
            let (mut colliding, mut apart) = (0.0, BACK);
            for _ in 0..BISECTIONS {
                if (self.stop)() {
                    break;
                }
                let middle = 0.5 * (colliding + apart);
                match free_at(middle) {
                    Some(free) => (tight, apart) = (free, middle),
                    None => colliding = middle,
                }
            }
            let again = self.run(&tight);
            // The descent from the tightened point may slide on along the contact; the tightened point itself is the fallback.
            let DescentResult { source, descents, improved_at, end, .. } = *best;
            let tight =
                DescentResult { free: Some(tight), nearest: free, source, ..DescentResult::default() };
            let found = better(better(tight, again.with_source(source)), std::mem::take(best));
            *best = DescentResult { descents, improved_at, end, ..found };
        }
    }
}
