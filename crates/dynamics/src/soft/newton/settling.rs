//! Minima of frozen active sets: which are accepted, and which lead to a refresh.

use super::{Newton, Point};
use crate::error::SoftError;
use crate::soft::blocks::DerivativeOrder;

/// Refreshes of the active set in a quasi-static solve before an equilibrium is accepted whose set has not settled but whose
/// refresh changes the energy by [`ACCEPTED_DRIFT`] at most; after three times as many any is accepted.
const MAX_REFRESHES: usize = 8;

/// Refreshes in a time step, after which the equilibrium is accepted in any case: the next step begins with a refresh.
/// Each refresh costs at least one more Newton iteration. Half and twice change the linear iterations of both runs by
/// −28 % and +53 % (docs/sensitivity.md).
pub(super) const MAX_REFRESHES_IN_STEP: usize = 2;

/// Relative change of the interaction's energy by a refresh that is accepted after [`MAX_REFRESHES`].
const ACCEPTED_DRIFT: f64 = 0.01;

/// State of the iteration after a look at the active set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// The iterate is balanced, and the active set has settled or nearly agrees.
    Converged,
    /// The iterate is evaluated with a refreshed set.
    Refreshed,
    /// Nothing changed.
    Underway,
    /// A descent has found no iterate that counts any more.
    Stalled,
}

impl Newton<'_> {
    /// Refreshes the active set at a balanced `point`, until it settles or the point is balanced no more; `balanced` becomes the last minimum of a set that had
    /// not settled, in a time step.
    pub(super) fn settle(
        &mut self,
        point: &mut Point,
        order: DerivativeOrder,
        (refreshes, balanced): (&mut usize, &mut Option<Point>),
    ) -> Result<Course, SoftError> {
        let mut course = Course::Underway;
        while self.is_balanced(point) {
            if self.active_set_settled(point, refreshes) {
                return Ok(Course::Converged);
            }
            // The refreshed set has another energy: evaluate and test again. `balanced` remains the point of the previous set.
            *balanced = (self.potential.inertia > 0.0).then(|| point.clone());
            self.evaluate(point, order)?;
            course = Course::Refreshed;
        }
        Ok(course)
    }

    /// Whether the minimum at `point` of the frozen active set is accepted as one of the interaction; if not, refreshes the set.
    /// Where the minimum lies on a kink the set never settles: the minimum is accepted when a refresh changes the energy by next
    /// to nothing, when the refreshes cycle, and in a time step in any case.
    fn active_set_settled(&mut self, point: &Point, refreshes: &mut usize) -> bool {
        let left = self.interaction.drift(&point.x);
        self.report.drift = left.unwrap_or(0.0);
        let Some(drift) = left else { return !self.firms_up(point) };
        *refreshes += 1;
        let in_a_step = self.potential.inertia > 0.0;
        let max_refreshes = if in_a_step { MAX_REFRESHES_IN_STEP } else { MAX_REFRESHES };
        if *refreshes > max_refreshes
            && (in_a_step || drift <= ACCEPTED_DRIFT || *refreshes > 3 * max_refreshes)
        {
            return !self.firms_up(point);
        }
        self.interaction.refresh_active_set(&point.x);
        self.firmed = false;
        false
    }
}
