//! Minimum-norm projection onto rows, closures and bounds.

use super::equality::Subspace;
use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Fraction of its width by which a bound may be violated by rounding. Half and twice change neither depths nor the
/// number of steps (docs/sensitivity.md).
const BOUND_ROUNDING: f64 = 1e-9;

/// Minimum-norm projection with bounds of the variables, and the scale of each bound row.
pub(super) struct BoundedProjection<'a, H: Fn(usize) -> f64> {
    pub(super) bounds: &'a [[f64; 2]],
    pub(super) hardness: H,
}

impl<H: Fn(usize) -> f64> BoundedProjection<'_, H> {
    /// The point nearest to `target` that satisfies the rows and the bounds; `None` where there is none. Few bounds are active, so
    /// they become rows only once a solution violates them.
    pub(super) fn nearest(
        &self,
        (problem, subspace): (&mut Rows, &mut Subspace),
        target: &[f64],
        solver: &mut MinNormProjection,
        soft: f64,
    ) -> Option<Vec<f64>> {
        let dimension = self.bounds.len();
        let target = subspace.within(target);
        let mut pushed = vec![[false; 2]; dimension];
        let mut point = solver.nearest(problem, &target, soft).ok()?.to_vec();
        loop {
            // The solution is relative to the nearest point of the closures; without any, it is empty.
            point.iter_mut().zip(subspace.nearest()).for_each(|(y, p)| *y += p);
            let mut is_feasible = true;
            for (at, &[lower, upper]) in self.bounds.iter().enumerate() {
                // Solutions on a bound exceed it by rounding; without slack the loop would add rows that are
                // already there.
                let slack = BOUND_ROUNDING * (1.0 + point[at].abs());
                for (side, beyond) in [lower - point[at], point[at] - upper].into_iter().enumerate() {
                    if beyond > slack * (upper - lower).min(1.0) && !pushed[at][side] {
                        pushed[at][side] = true;
                        let (sign, bound) = if side == 0 { (1.0, lower) } else { (-1.0, -upper) };
                        let hardness = (self.hardness)(at);
                        let mut row = vec![0.0; dimension];
                        row[at] = sign * hardness;
                        is_feasible &= !subspace.push(problem, &row, bound * hardness);
                    }
                }
            }
            if is_feasible {
                // Removes the rounding that the slack admits.
                for (y, [lower, upper]) in point.iter_mut().zip(self.bounds) {
                    *y = y.clamp(*lower, *upper);
                }
                return Some(point);
            }
            point.copy_from_slice(solver.nearest_with_more(problem, soft).ok()?);
        }
    }
}
