//! Descent of a time step on the energy as it is, not as the frozen active set has it.
//!
//! Far from the start a frozen set is wrong where pieces of a field have strongly deformed: its minima have contacts that only the
//! refreshed set sees, deep ones, and the next minimum has others. So a step that did not converge is repeated from its start x₀ as a descent: every few iterations
//! the set is refreshed, and an iterate counts only where its energy with the set that belongs to it is below that of the last one that counted; otherwise it is
//! moved back towards that one, until it is. Contacts are then as deep as the energy at the start affords and no deeper: Φ(x) ≤ Φ(x₀), the energy of the start
//! plus that of its motion, where no driven body is deep in another one at the start already: such a part may end deep. The result need not be balanced: it is the best of the iterates.

use nalgebra::Vector3;

use super::settling::{Course, MAX_REFRESHES_IN_STEP};
use super::{Newton, Point};
use crate::error::SoftError;
use crate::soft::blocks::DerivativeOrder;

/// Maximum number of iterations between two refreshes. Chosen on six scenes of the soak (docs/measured.md): with 3 one of them is six times
/// as deep, with 6 one is one and a half times as deep.
const ITERATIONS: usize = 4;

/// Maximum number of times that an iterate is moved half of the distance back. Not varied.
const MAX_HALVINGS: i32 = 12;

/// State of a descent.
#[derive(Debug)]
pub(super) struct Descent {
    /// The last iterate that counted, with the refreshed set; `None` before the prescribed positions are reached.
    base: Option<Point>,
    /// Iterations since, and maximum number of them.
    since: usize,
    allowed: usize,
    /// Number of minima of frozen sets reached.
    minima: usize,
}

impl Default for Descent {
    fn default() -> Self {
        Self { base: None, since: 0, allowed: ITERATIONS, minima: 0 }
    }
}

impl Newton<'_> {
    /// Whether the solve is a descent.
    pub(super) fn descends(&self) -> bool {
        self.options.accept && self.potential.inertia > 0.0
    }

    /// Ends a descent without convergence with the last iterate that counted, `point` if there is none.
    pub(super) fn end_descent(&mut self, point: Point) -> Result<Vec<Vector3<f64>>, SoftError> {
        let point = self.descent.base.take().unwrap_or(point);
        self.record(&point);
        (self.report.drift, self.report.unconverged) = (0.0, true);
        self.system.set_reactions(&point.gradient);
        self.checked(point)
    }

    /// Looks whether a refresh is due at `point`, in any case where it is the `last` iterate, and whether it counts; overwrites `trial`.
    pub(super) fn look(
        &mut self,
        [point, trial]: [&mut Point; 2],
        order: DerivativeOrder,
        last: bool,
    ) -> Result<Course, SoftError> {
        let is_first = self.descent.base.is_none();
        let is_balanced = !is_first && self.is_balanced(point);
        self.descent.since += 1;
        if !is_first && !is_balanced && !last && self.descent.since < self.descent.allowed {
            return Ok(Course::Underway);
        }
        self.descent.since = 0;
        if is_balanced {
            self.descent.minima += 1;
            let drift = self.interaction.drift(&point.x).unwrap_or(0.0);
            if self.descent.minima > MAX_REFRESHES_IN_STEP && drift <= self.options.max_drift {
                self.report.drift = drift;
                return Ok(Course::Converged);
            }
        }
        self.interaction.freeze_active_set(&point.x);
        self.evaluate(point, order)?;
        if !self.counts([point, trial]) {
            self.descent.allowed /= 2;
            let Some(base) = self.descent.base.as_mut().filter(|_| self.descent.allowed > 0) else {
                return Ok(Course::Stalled);
            };
            point.clone_from(base);
            self.interaction.freeze_active_set(&point.x);
        } else {
            self.interaction.refresh_active_set(&point.x);
        }
        self.evaluate(point, order)?;
        self.descent.base = Some(point.clone());
        self.report.drift = 0.0;
        Ok(if self.is_balanced(point) { Course::Converged } else { Course::Refreshed })
    }

    /// Whether `point`, which is evaluated with the set that belongs to it, has no more energy than the last iterate that counted; moves it back
    /// towards that one until it has less.
    fn counts(&mut self, [point, trial]: [&mut Point; 2]) -> bool {
        let Some(base) = self.descent.base.take() else { return true };
        let mut counts = point.energy <= base.energy;
        for halvings in 1..=MAX_HALVINGS {
            if counts {
                break;
            }
            let part = 0.5_f64.powi(halvings);
            trial.x.clear();
            trial.x.extend(base.x.iter().zip(&point.x).map(|(x, end)| x + part * (end - x)));
            self.interaction.freeze_active_set(&trial.x);
            counts = self.evaluate(trial, DerivativeOrder::Gradient).is_ok() && trial.energy < base.energy;
        }
        if counts && !(point.energy <= base.energy) {
            std::mem::swap(point, trial);
        }
        self.descent.base = Some(base);
        counts
    }
}
