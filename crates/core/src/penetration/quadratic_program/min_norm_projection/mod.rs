//! Minimum-norm projection: the point of a polyhedron that is nearest to a given one, in any number of dimensions
//! [Tang14 eqs. 11–12, 29–30].
//!
//! minimise ½‖y − t‖² subject to aᵢ·y ≥ bᵢ. The optimum is y = t + Σ λᵢ aᵢ with 0 ≤ λ ⟂ Ay − b ≥ 0: with y = √H X it is
//! the linear complementarity problem of the paper, C′H⁻¹C′ᵀλ − C′Xc ≥ 0.
//!
//! Departs from [Tang14]: instead of projected Gauss–Seidel sweeps, which only approximate the solution and converge slowly
//! where rows are nearly dependent, the dual active-set method of Goldfarb and Idnani (Math. Prog. 27, 1983) reaches it
//! exactly, in about as many steps as there are active rows. Rows may be soft: a violation vᵢ then costs ½(vᵢ/s)², and
//! contradictory rows have a compromise instead of no solution.
//!
//! | here        | meaning                                                                   |
//! |-------------|---------------------------------------------------------------------------|
//! | aᵢ, bᵢ      | rows, scaled to unit length inside                                        |
//! | λ           | multipliers of the unit rows; those of inactive ones are zero             |
//! | r, z        | of an entering row: its coordinates in the active ones (`rates`), and the rest that they do not span |

mod active;
pub(crate) mod rows;
mod soft;
mod violations;

use thiserror::Error;

use self::active::{Active, SPANNED};
pub(crate) use self::rows::Rows;
use self::soft::SoftProjection;
use self::violations::Violations;
use crate::bvh::lanes::isa::{Isa, Kernel};
use crate::bvh::lanes::on_widest;

/// Violation of a unit row that counts as satisfied, relative to the maximum one at the target: rounding of a dot
/// product in tens of dimensions. Half and twice change every depth by less than 0.01 % and the steps by −3.3 % and
/// +0.71 % (docs/sensitivity.md).
const FEASIBLE: f64 = 1e-13;
/// Steps per row before the method counts as cycling, which rounding could cause; regular problems take about one. A
/// safeguard, without effect on the sets of docs/sensitivity.md.
const STEPS_PER_ROW: usize = 10;
/// Number of soft rows violated at the target above which the primal method solves the problem: the dual one has a factor
/// of as many rows as are active, and all violated soft rows are. Below it both take microseconds.
const MANY_SOFT: usize = 64;
/// Number of active rows above which the point is recomputed only every [`RECOMPUTE_EVERY`] steps and at the end.
const MANY_ACTIVE: usize = 24;
/// Steps between two of those: rounding of a few steps is far below [`FEASIBLE`] times the violations that remain.
const RECOMPUTE_EVERY: usize = 8;

/// Reasons that there is no nearest point.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub(crate) enum MinNormProjectionError {
    /// Hard rows have no point in common.
    #[error("infeasible rows: row {row} contradicts the others")]
    Contradiction {
        /// The row that could not be satisfied as well.
        row: usize,
    },
    /// The active set cycles.
    #[error("no convergence: the active set still changes after {steps} steps")]
    Cycling {
        /// Rows that entered the active set.
        steps: usize,
    },
    /// A row or the target holds NaN or an infinite number.
    #[error("row {row} is not finite")]
    NotFinite {
        /// The first such row; the number of rows where it is the target.
        row: usize,
    },
}

/// A solver with its workspace; it does not allocate once it has solved a problem of the same size.
#[derive(Debug, Clone, Default)]
pub(crate) struct MinNormProjection {
    active: Active,
    /// The point, padded as the rows are.
    point: Vec<f64>,
    target: Vec<f64>,
    /// r of the entering row: the rates at which the active multipliers decrease.
    rates: Vec<f64>,
    /// z of the entering row.
    rest: Vec<f64>,
    violations: Violations,
    soft: SoftProjection,
    /// Whether the dual method solves the last problem, and the last point is that of the active rows.
    is_dual: bool,
    /// Products computed so far, which measure the work of all problems.
    work: u64,
}

impl MinNormProjection {
    /// The point nearest to `target` with aᵢ·y ≥ bᵢ for all rows; its length is the number of columns.
    ///
    /// `softness` s > 0 lets rows be violated at the cost of ½(violation/s)², in the unit of bᵢ; with zero they are
    /// hard.
    ///
    /// # Errors
    /// [`MinNormProjectionError`]: contradictory hard rows, cycling, numbers that are not finite.
    ///
    /// # Panics
    /// When the target has another length than the rows.
    pub(crate) fn nearest(
        &mut self,
        rows: &Rows,
        target: &[f64],
        softness: f64,
    ) -> Result<&[f64], MinNormProjectionError> {
        assert_eq!(target.len(), rows.columns(), "a target of the rows' dimension");
        self.solve(rows, Some(target), softness)?;
        Ok(&self.point[..rows.columns()])
    }

    /// As [`MinNormProjection::nearest`] for the rows and the target of the last problem and rows added after them: either method
    /// continues from the last point.
    ///
    /// # Errors
    /// As [`MinNormProjection::nearest`].
    pub(crate) fn nearest_with_more(
        &mut self,
        rows: &Rows,
        softness: f64,
    ) -> Result<&[f64], MinNormProjectionError> {
        self.solve(rows, None, softness)?;
        Ok(&self.point[..rows.columns()])
    }

    /// Moves the point to the solution; without a target, from the solution of the last problem.
    fn solve(
        &mut self,
        rows: &Rows,
        target: Option<&[f64]>,
        softness: f64,
    ) -> Result<(), MinNormProjectionError> {
        on_widest(Solve { solver: self, rows, target, softness })
    }

    #[inline(always)]
    fn solve_with<I: Isa>(
        &mut self,
        rows: &Rows,
        target: Option<&[f64]>,
        softness: f64,
    ) -> Result<(), MinNormProjectionError> {
        if let Some(row) = rows.first_not_finite() {
            return Err(MinNormProjectionError::NotFinite { row });
        }
        if let Some(target) = target {
            self.begin::<I>(rows, target)?;
            let violated = self.violations.at_target().iter().filter(|&&slack| slack < 0.0).count();
            self.is_dual = !(softness > 0.0 && violated > MANY_SOFT);
        }
        if !self.is_dual {
            let from = (self.target.as_slice(), target.is_none());
            self.work += self.soft.nearest::<I>(rows, from, softness, &mut self.point);
            return Ok(());
        }
        self.violations.extend::<I>(rows, &self.target);
        self.enter_violated::<I>(rows, softness)
    }

    /// Enters violated rows until there are none.
    #[inline(always)]
    fn enter_violated<I: Isa>(&mut self, rows: &Rows, softness: f64) -> Result<(), MinNormProjectionError> {
        let limit = STEPS_PER_ROW * (rows.len() + 1);
        let mut is_exact = true;
        for step in 0..limit {
            let (active, stride) = (self.active.rows().len(), rows.stride());
            self.work += (rows.len() * stride + active * (2 * stride + 2 * active)) as u64;
            let entering = self.violations.maximum::<I>(rows, &self.point, self.active.rows());
            if let Some((entering, slack)) = entering {
                self.enter::<I>(rows, (entering, slack), softness)?;
                // The steps accumulate rounding, which nearly dependent rows would amplify.
                is_exact = active < MANY_ACTIVE || step % RECOMPUTE_EVERY == 0;
                if !is_exact {
                    continue;
                }
            } else if is_exact {
                return Ok(());
            }
            // Rows may be violated once the rounding of the last steps is gone.
            is_exact = true;
            self.recompute_point::<I>(rows);
        }
        Err(MinNormProjectionError::Cycling { steps: limit })
    }

    /// Products computed since the solver was made, which measure its work.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Rows that hold with equality at the last solution, with λ of the unit rows.
    pub(crate) fn active(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.active.rows().iter().copied().zip(self.active.multipliers().iter().copied())
    }

    #[inline(always)]
    fn begin<I: Isa>(&mut self, rows: &Rows, target: &[f64]) -> Result<(), MinNormProjectionError> {
        if !target.iter().all(|value| value.is_finite()) {
            return Err(MinNormProjectionError::NotFinite { row: rows.len() });
        }
        self.target.clear();
        self.target.extend_from_slice(target);
        self.target.resize(rows.stride(), 0.0);
        self.point.clone_from(&self.target);
        self.rest.clear();
        self.rest.resize(rows.stride(), 0.0);
        self.active.clear();
        self.violations.begin(&self.target);
        self.violations.extend::<I>(rows, &self.target);
        // A row without coefficients holds everywhere or nowhere.
        let slacks = self.violations.at_target();
        match (0..rows.len()).find(|&i| rows.is_zero(i) && slacks[i] < 0.0) {
            Some(row) => Err(MinNormProjectionError::Contradiction { row }),
            None => Ok(()),
        }
    }

    /// Moves along the dual until the entering row of this slack holds, dropping active rows whose multiplier reaches zero.
    #[inline(always)]
    fn enter<I: Isa>(
        &mut self,
        rows: &Rows,
        (entering, mut slack): (usize, f64),
        softness: f64,
    ) -> Result<(), MinNormProjectionError> {
        let soft = rows.softness(entering, softness);
        let mut multiplier = 0.0;
        loop {
            self.decompose::<I>(rows, entering);
            // Increase of the row's slack per unit of its multiplier; zero if the active rows span it.
            let slope = rows.product::<I>(entering, &self.rest) + soft * soft;
            // A soft row yields by s² λ.
            let violation = -(slack + soft * soft * multiplier);
            let full = if slope > SPANNED { violation / slope } else { f64::INFINITY };
            let blocking = self.blocking();
            let step = blocking.map_or(full, |(partial, _)| full.min(partial));
            if !step.is_finite() {
                return Err(MinNormProjectionError::Contradiction { row: entering });
            }
            // A row that the active ones span changes their multipliers only.
            if full.is_finite() {
                for (y, z) in self.point.iter_mut().zip(&self.rest) {
                    *y += step * z;
                }
            }
            self.active.change_multipliers(-step, &self.rates);
            multiplier += step;
            match blocking {
                Some((partial, place)) if partial < full => {
                    self.violations.deactivate(self.active.remove(place));
                    slack = rows.slack::<I>(entering, &self.point);
                }
                _ => {
                    self.active.push::<I>(rows, entering, multiplier, soft);
                    self.violations.activate(entering);
                    return Ok(());
                }
            }
        }
    }

    /// r = G⁻¹Na and z = a − Nᵀr of a row a, over the active rows N with the Gram matrix G.
    #[inline(always)]
    fn decompose<I: Isa>(&mut self, rows: &Rows, entering: usize) {
        let a = rows.row(entering);
        self.active.decompose::<I>(rows, a, &mut self.rates);
        self.rest.copy_from_slice(a);
        for (&row, r) in self.active.rows().iter().zip(&self.rates) {
            rows.add(row, -r, &mut self.rest);
        }
    }

    /// The step at which the first active multiplier reaches zero, and its place.
    #[inline(always)]
    fn blocking(&self) -> Option<(f64, usize)> {
        let multipliers = self.active.multipliers().iter().zip(&self.rates).enumerate();
        let steps = multipliers.filter(|&(_, (_, &r))| r > 0.0).map(|(k, (&lambda, &r))| (lambda / r, k));
        steps.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// y = t + Nᵀλ with the λ that make all active rows hold: removes the accumulated rounding of the steps.
    #[inline(always)]
    fn recompute_point<I: Isa>(&mut self, rows: &Rows) {
        self.active.settle::<I>(self.violations.at_target(), &mut self.rates);
        self.point.copy_from_slice(&self.target);
        for (&row, lambda) in self.active.rows().iter().zip(self.active.multipliers()) {
            rows.add(row, *lambda, &mut self.point);
        }
    }
}

/// A problem to be solved with a solver.
struct Solve<'a> {
    solver: &'a mut MinNormProjection,
    rows: &'a Rows,
    target: Option<&'a [f64]>,
    softness: f64,
}

impl Kernel for Solve<'_> {
    type Output = Result<(), MinNormProjectionError>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Self::Output {
        self.solver.solve_with::<I>(self.rows, self.target, self.softness)
    }
}

#[cfg(test)]
mod tests;
