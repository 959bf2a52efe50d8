//! Newton's method with line search on the incremental potential of soft bodies.
//!
//! E(x) = a/2 ‖x − y‖²_M + c/2 ‖x − z‖²_C + Ψ(x) + I(x) − f·x: inertia towards y, Rayleigh damping C = αM + βK with K of the
//! start of the step, the elements' energy Ψ, the interaction I, constant forces f. A quasi-static solve has a = c = 0.
//! Far from the solution the Hessian is projected to be positive semi-definite; near it the exact one is used, for quadratic
//! convergence, while it proves positive definite. The interaction's active set is frozen during a minimisation and refreshed at
//! the minimum, until it settles.
//!
//! A time step always ends: no iterate inverts an element ([`inversion`]), each lowers the energy of its active set, but for jumps where
//! a contact appears at a depth, and with
//! [`NewtonOptions::accept`] the best iterate is the result where the bound on iterations is met.

mod descent;
mod firming;
mod inversion;
mod potential;
mod settling;

use std::time::Instant;

use nalgebra::Vector3;

use super::blocks::{DerivativeOrder, dot};
use super::interaction::Interaction;
use super::linear::{LinearOptions, Operator};
use super::report::SoftStepReport;
use super::system::{Kernel, SoftSystem};
use crate::error::SoftError;
use descent::Descent;
use inversion::InversionBarrier;
use settling::Course;

/// Relative residual below which the exact Hessian is tried; converging time steps use it from the start. Larger: more
/// attempts end in an indefinite matrix and a second assembly; smaller: more linearly converging iterations with the
/// other Hessian. No effect on the sets of docs/sensitivity.md.
const EXACT_HESSIAN_BELOW: f64 = 0.05;

/// Fraction of the decrease predicted by the slope that the line search accepts: Armijo's condition, at its customary
/// value. No effect on the sets of docs/sensitivity.md.
const ARMIJO: f64 = 1e-4;

/// Minimum fraction of Newton's step that the line search tries, 26 halvings. A safeguard against an endless line
/// search, without effect on the sets of docs/sensitivity.md.
const MIN_STEP_FACTOR: f64 = 1e-8;

/// Fraction of Newton's step below which a rise of the energy that hardly depends on the step is a jump: a contact appears at a depth, as
/// where a node leaves the elements of its own body that are near it. The step is then taken across the jump, once, since the contact is
/// in the active set from then on: in front of it no step would end. Larger: valleys are taken for jumps; smaller: more trials.
const JUMPS_BELOW: f64 = 1e-3;

/// Rise of the energy in a step over that in twice the step above which it hardly depends on the step.
const CONSTANT: f64 = 0.9;

/// Halvings of one line search from which on the interaction takes note of it. Fewer: more scenes in which friction converges linearly at
/// first; more: more iterations before it stops overshooting.
const SHORTENED: usize = 3;

/// Slope at the end of Newton's step over the slope at its start above which a longer step is tried. With it the loads
/// of V11 take 5 to 10 iterations each instead of 25 to 60. Half changes 0 and twice 1 of 5 runs and the linear
/// iterations by < 0.1 % and +0.16 % (docs/sensitivity.md).
const EXTEND_ABOVE: f64 = 0.5;

/// Maximum length of such a step in Newton's steps. A safeguard against long steps where both slopes nearly agree,
/// without effect on the sets of docs/sensitivity.md.
const MAX_STEP_FACTOR: f64 = 16.0;

/// Change of the energy over the magnitude of its terms that is indistinguishable from rounding: the line search does
/// not judge it. Smaller: rounding rejects good steps near convergence; larger: steps that raise the energy pass. A
/// safeguard, without effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 1e-12;

/// Residual forces over Young's modulus times area that are indistinguishable from rounding of the coordinates. A
/// safeguard against iterations that only rounding drives, without effect on the sets of docs/sensitivity.md.
const FORCE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Ratio of successive residuals above which a step whose energy the line search cannot judge counts as stalled:
/// Newton's steps near a solution decrease the residual much faster.
const STALLED: f64 = 0.5;

/// Number of the last iteration, from 0, in which a stalled step is not accepted as the end: the first steps of a solve
/// may raise the residual.
const MIN_ITERATIONS: usize = 2;

/// First shift of a singular matrix by masses over T², as in a time step of T: 1/T² over the stiffness of a body over its mass.
/// Small, so that a body held by friction alone is hardly slowed.
const SHIFT: f64 = 1e-9;
/// Factor from one shift to the next.
const SHIFT_GROWTH: f64 = 100.0;
/// Number of shifts tried: the last is 0.1 of stiffness over mass. A safeguard against an endless loop over singular
/// matrices, without effect on the sets of docs/sensitivity.md.
const SHIFTS: i32 = 5;

/// Options of Newton's method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOptions {
    /// Maximum number of iterations.
    pub max_iterations: usize,
    /// Residual forces over the forces in balance (inertial, elastic, external, contact) at which to stop.
    pub relative_tolerance: f64,
    /// Whether to solve one linear system without line search and convergence test: the linearly implicit scheme.
    pub once: bool,
    /// Whether a time step is a descent on the energy as it is, not as a frozen active set has it, and ends with its best iterate where it does not converge within the bound on
    /// iterations, which the report states, instead of an error. Each iterate that counts has less energy than the one before, so that it is stable, but not balanced.
    pub accept: bool,
    /// Relative change of the interaction's energy by the last refresh of its active set above which a time step that converged before
    /// that refresh, but not after it, is an error instead of the former result, and above which one that is a descent continues. Infinite by default.
    pub max_drift: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            relative_tolerance: 1e-4,
            once: false,
            accept: false,
            max_drift: f64::INFINITY,
        }
    }
}

/// The incremental potential's terms beside elasticity and interaction.
#[derive(Debug, Clone, Default)]
pub(super) struct IncrementalPotential {
    /// a [1/s²], zero in a quasi-static solve.
    pub(super) inertia: f64,
    /// a of the extra blocks in a quasi-static solve [1/s²].
    pub(super) extra_inertia: f64,
    /// y [m].
    pub(super) y: Vec<Vector3<f64>>,
    /// c [1/s].
    pub(super) rate: f64,
    /// z [m].
    pub(super) z: Vec<Vector3<f64>>,
    /// f [N].
    pub(super) forces: Vec<Vector3<f64>>,
    /// Reference positions of the work f·x [m], so that its rounding does not grow with the distance from the origin.
    pub(super) origin: Vec<Vector3<f64>>,
    /// Time step [s], for messages only.
    pub(super) dt: f64,
}

impl IncrementalPotential {
    /// a of a node, or of an extra block [1/s²].
    fn inertia_of(&self, node: bool) -> f64 {
        if node { self.inertia } else { self.inertia.max(self.extra_inertia) }
    }
}

/// An iterate with its energy and forces.
#[derive(Debug, Clone, Default)]
struct Point {
    x: Vec<Vector3<f64>>,
    gradient: Vec<Vector3<f64>>,
    energy: f64,
    /// Sum of the magnitudes of the energy's terms [J].
    magnitude: f64,
    elastic: f64,
    /// Norm of the gradient over the free components [N].
    residual: f64,
    /// Norm of the forces in balance [N], to which the residual is relative.
    scale: f64,
}

/// Newton's iteration with its state.
pub(super) struct Newton<'a> {
    pub(super) system: &'a mut SoftSystem,
    pub(super) interaction: &'a mut dyn Interaction,
    pub(super) potential: &'a IncrementalPotential,
    pub(super) options: NewtonOptions,
    pub(super) linear: LinearOptions,
    pub(super) report: SoftStepReport,
    /// Whether the matrix stores a stiffness-proportional damping matrix.
    damped: bool,
    /// Residual forces indistinguishable from rounding [N].
    rounding: f64,
    inversion: InversionBarrier,
    /// Number of times that the interaction became firmer.
    firmings: usize,
    /// Whether it did at the last minimum that was left.
    firmed: bool,
    descent: Descent,
}

impl<'a> Newton<'a> {
    pub(super) fn new(
        system: &'a mut SoftSystem,
        interaction: &'a mut dyn Interaction,
        potential: &'a IncrementalPotential,
        options: (NewtonOptions, LinearOptions),
    ) -> Self {
        let damped =
            potential.rate > 0.0 && system.bodies.iter().any(|b| b.material().stiffness_damping() > 0.0);
        let report = SoftStepReport::default();
        let rounding = FORCE_ROUNDING * system.stiffness_times_area();
        Self {
            system,
            interaction,
            potential,
            options: options.0,
            linear: options.1,
            report,
            damped,
            rounding,
            inversion: InversionBarrier::default(),
            firmings: 0,
            firmed: false,
            descent: Descent::default(),
        }
    }

    /// Minimises the potential from `x`; `lift` is the displacement of the prescribed components and `guess` the initial guess of
    /// the first update. Returns the minimiser.
    ///
    /// In a time step that converges for an earlier active set but not for a refreshed one, the minimum of the former is returned,
    /// and in a descent without convergence the last iterate that counted.
    pub(super) fn minimise(
        &mut self,
        x: Vec<Vector3<f64>>,
        lift: &[Vector3<f64>],
        guess: Vec<Vector3<f64>>,
    ) -> Result<Vec<Vector3<f64>>, SoftError> {
        let mut balanced = None;
        let mut point = Point { x, ..Point::default() };
        let found = self.iterate(&mut point, lift, guess, &mut balanced);
        if self.options.once && found.is_ok() {
            // A single linear system ends with the forces from before its update.
            if self.system.holds_any() && self.evaluate(&mut point, DerivativeOrder::Gradient).is_ok() {
                self.system.set_reactions(&point.gradient);
            }
            return self.checked(point);
        }
        let given_up = matches!(
            found,
            Err(SoftError::NotConverged { .. }
                | SoftError::NotPositive { .. }
                | SoftError::NotFactored { .. })
        );
        if given_up && self.descends() {
            return self.end_descent(point);
        }
        self.system.set_reactions(&point.gradient);
        let has_drifted = self.potential.inertia > 0.0 && self.report.drift > self.options.max_drift;
        if given_up
            && !has_drifted
            && let Some(balanced) = balanced
        {
            if self.firmed {
                self.interaction.undo_firming();
            }
            self.record(&balanced);
            self.system.set_reactions(&balanced.gradient);
            return Ok(balanced.x);
        }
        found.map(|()| point.x)
    }

    /// Newton's iteration; in a time step `balanced` becomes the last minimum of a frozen active set that had not settled.
    fn iterate(
        &mut self,
        point: &mut Point,
        lift: &[Vector3<f64>],
        guess: Vec<Vector3<f64>>,
        balanced: &mut Option<Point>,
    ) -> Result<(), SoftError> {
        let mut lifting = lift.iter().any(|d| *d != Vector3::zeros());
        let mut change = guess;
        let mut order = self.far_order();
        if self.damped {
            self.store_damping(&point.x);
        }
        self.guard(&point.x);
        self.interaction.freeze_active_set(&point.x);
        self.evaluate(point, order)?;
        let (mut assembled, mut assembled_order, mut refreshes) = (true, order, 0);
        let mut trial = point.clone();
        // One pass more than iterations: the last one only tests for convergence.
        for iteration in 0..=self.options.max_iterations {
            self.record(point);
            let last = iteration == self.options.max_iterations;
            let course = match lifting || self.options.once {
                true => Course::Underway,
                false if self.descends() => self.look([point, &mut trial], order, last)?,
                false => self.settle(point, order, (&mut refreshes, balanced))?,
            };
            match course {
                Course::Converged => return Ok(()),
                Course::Stalled => break,
                Course::Refreshed => (assembled, assembled_order) = (true, order),
                Course::Underway => {}
            }
            if last {
                break;
            }
            let near = point.residual <= EXACT_HESSIAN_BELOW * point.scale && !lifting;
            order = if near { DerivativeOrder::ExactHessian } else { self.far_order() };
            if !assembled || order != assembled_order {
                self.evaluate(point, order)?;
                assembled_order = order;
            }
            self.direction(point, lifting.then_some(lift), &mut change, order)?;
            if self.options.once {
                point.x.iter_mut().zip(&change).for_each(|(x, d)| *x += d);
                return Ok(());
            }
            let before = point.residual;
            let judged = self.move_along(&change, [point, &mut trial], lifting)?;
            if !judged && !lifting && !(point.residual < STALLED * before) && iteration > MIN_ITERATIONS {
                // Energy and forces no longer decrease beyond rounding: accept the better point if its residual is small.
                if point.residual > before {
                    std::mem::swap(point, &mut trial);
                }
                self.record(point);
                if point.residual <= self.options.relative_tolerance.max(ROUNDING.sqrt()) * point.scale {
                    return Ok(());
                }
                break;
            }
            (lifting, assembled) = (false, false);
            change.fill(Vector3::zeros());
        }
        Err(SoftError::NotConverged {
            iterations: self.report.newton_iterations,
            relative: self.report.relative_residual,
            tolerance: self.options.relative_tolerance,
            dt: self.potential.dt,
        })
    }

    /// Moves the point as far along `change` as the line search lets it, and leaves its former state in the trial; returns what the line search
    /// returns.
    fn move_along(
        &mut self,
        change: &[Vector3<f64>],
        [point, trial]: [&mut Point; 2],
        lifting: bool,
    ) -> Result<bool, SoftError> {
        let halvings = self.report.halvings;
        let judged = self.line_search(point, trial, change, lifting)?;
        std::mem::swap(point, trial);
        self.interaction.extend_active_set(&point.x);
        if self.report.halvings >= halvings + SHORTENED {
            self.interaction.note_shortened_step(&point.x);
        }
        Ok(judged)
    }

    /// Guards the elements that are not inverted at `x`; none in the linearly implicit scheme, which has no line search.
    fn guard(&mut self, x: &[Vector3<f64>]) {
        if !self.options.once {
            self.inversion = InversionBarrier::of(self.system, x);
        }
    }

    /// Hessian used far from the solution. Masses make the exact one positive definite in most time steps; where they do not
    /// the fall-back is the projected one.
    fn far_order(&self) -> DerivativeOrder {
        match (self.options.once, self.potential.inertia > 0.0) {
            (true, _) => DerivativeOrder::WarpedHessian,
            (false, true) => DerivativeOrder::ExactHessian,
            (false, false) => DerivativeOrder::ProjectedHessian,
        }
    }

    /// Whether the residual meets the tolerance, or rounding.
    fn is_balanced(&self, point: &Point) -> bool {
        point.residual <= self.options.relative_tolerance * point.scale + self.rounding
    }

    /// Records residual and energy of `point` in the report.
    fn record(&mut self, point: &Point) {
        self.report.residual = point.residual;
        self.report.relative_residual = if point.scale > 0.0 { point.residual / point.scale } else { 0.0 };
        self.report.energies.elastic = point.elastic;
    }

    /// The positions of `point`, or an error where one is not finite.
    fn checked(&self, point: Point) -> Result<Vec<Vector3<f64>>, SoftError> {
        let sound = point.x.iter().all(|x| x.iter().all(|x| x.is_finite()));
        if sound { Ok(point.x) } else { Err(self.not_finite(&point)) }
    }

    fn not_finite(&self, point: &Point) -> SoftError {
        let bad = |x: &Vector3<f64>| !x.iter().all(|x| x.is_finite());
        SoftError::NotFinite {
            iteration: self.report.newton_iterations,
            energy: point.energy,
            block: point.x.iter().position(bad),
            dt: self.potential.dt,
        }
    }

    /// Stores β K at `x` for damping, projected so that it dissipates.
    fn store_damping(&mut self, x: &[Vector3<f64>]) {
        let SoftSystem { bodies, first, matrix, .. } = &mut *self.system;
        let mut gradient = vec![Vector3::zeros(); x.len()];
        matrix.assemble(&Kernel { bodies, first }, x, DerivativeOrder::ProjectedHessian, &mut gradient);
        matrix.store_damping(&|body| bodies[body].material().stiffness_damping());
    }

    /// Computes Newton's direction at `point` into `change`, which contains the initial guess; with `lift` the prescribed
    /// components move by it. Falls back to the projected Hessian where the exact one is not positive definite, then to shifts.
    fn direction(
        &mut self,
        point: &mut Point,
        lift: Option<&[Vector3<f64>]>,
        change: &mut [Vector3<f64>],
        order: DerivativeOrder,
    ) -> Result<(), SoftError> {
        let ratio = point.residual / point.scale;
        let mut solved = self.solve(point, lift, change, ratio);
        let judged = lift.is_none() && !self.options.once && solved.is_ok();
        if judged && dot(&point.gradient, change) > ROUNDING * point.magnitude {
            // Stopped early from a guess, conjugate gradients may return an ascent direction; from zero they never do.
            change.fill(Vector3::zeros());
            solved = self.solve(point, lift, change, ratio);
        }
        if order == DerivativeOrder::ExactHessian && solved.as_ref().is_err_and(SoftError::is_linear) {
            change.fill(Vector3::zeros());
            self.evaluate(point, DerivativeOrder::ProjectedHessian)?;
            solved = self.solve(point, lift, change, ratio);
        }
        for power in 0..SHIFTS {
            if !solved.as_ref().is_err_and(SoftError::is_linear) || self.options.once {
                break;
            }
            // A body held by friction alone, or that barely touches, is free to move at this iterate: the matrix is singular.
            change.fill(Vector3::zeros());
            self.evaluate(point, DerivativeOrder::ProjectedHessian)?;
            self.shift(SHIFT * SHIFT_GROWTH.powi(power));
            solved = self.solve(point, lift, change, ratio);
        }
        solved
    }

    /// Adds masses over T² to the matrix, with 1/T² = `fraction` × stiffness over mass of the bodies.
    fn shift(&mut self, fraction: f64) {
        let system = &mut *self.system;
        let (mut stiffness, mut mass) = (0.0, 0.0);
        for body in &system.bodies {
            let bounds = body.linear_mesh().aabb();
            stiffness += body.material().youngs_modulus() * (bounds.max - bounds.min).norm();
            mass += body.masses().iter().sum::<f64>();
        }
        let rate = fraction * stiffness / mass.max(f64::MIN_POSITIVE);
        for block in 0..system.block_count() {
            let term = rate * system.inertia(block);
            system.matrix.add_diagonal(block, &term);
        }
    }

    /// Solves A d = −(g + A lift) for the free components of `change` and adds `lift`. `ratio` is the relative residual.
    fn solve(
        &mut self,
        point: &Point,
        lift: Option<&[Vector3<f64>]>,
        change: &mut [Vector3<f64>],
        ratio: f64,
    ) -> Result<(), SoftError> {
        let start = Instant::now();
        let SoftSystem { matrix, outer, free, solver, .. } = &mut *self.system;
        let mut right = vec![Vector3::zeros(); change.len()];
        if let Some(lift) = lift {
            matrix.multiply(lift, &mut right);
            outer.add_product(lift, &mut right);
        }
        for (right, (gradient, free)) in right.iter_mut().zip(point.gradient.iter().zip(&*free)) {
            *right = -(*right + gradient).component_mul(free);
        }
        change.iter_mut().zip(&*free).for_each(|(d, free)| d.component_mul_assign(free));
        // Inexact Newton: the forcing term falls with the residual, which keeps convergence quadratic.
        let tolerance = if self.options.once {
            self.linear.relative_tolerance
        } else {
            self.linear.relative_tolerance.min(ratio)
        };
        let options = LinearOptions { relative_tolerance: tolerance.max(f64::EPSILON), ..self.linear };
        let solved = solver.solve(
            Operator { matrix, outer, free },
            &right,
            change,
            self.potential.inertia > 0.0,
            &options,
        );
        self.report.times.solve += start.elapsed().as_secs_f64();
        let solved = solved?;
        self.report.newton_iterations += 1;
        self.report.linear_iterations += solved.iterations;
        self.report.factorisations += usize::from(solved.factored);
        if let Some(lift) = lift {
            change.iter_mut().zip(lift).for_each(|(d, lift)| *d += lift);
        }
        Ok(())
    }

    /// Backtracking line search: the first point along `change` that satisfies Armijo's condition, into `trial`. Returns whether
    /// the change of energy was above rounding, so that it could decide.
    fn line_search(
        &mut self,
        point: &Point,
        trial: &mut Point,
        change: &[Vector3<f64>],
        lifting: bool,
    ) -> Result<bool, SoftError> {
        let slope = dot(&point.gradient, change);
        let judges = slope.abs() > ROUNDING * point.magnitude;
        let (mut part, mut rise) = (1.0, f64::NEG_INFINITY);
        while part >= MIN_STEP_FACTOR {
            trial.x.clear();
            trial.x.extend(point.x.iter().zip(change).map(|(x, d)| x + part * d));
            let finite = self.evaluate(trial, DerivativeOrder::Gradient).is_ok();
            // Prescribed motion does work, so the energy may rise; and a shortened step would miss the prescribed positions.
            let decreased = !judges || lifting || trial.energy <= point.energy + ARMIJO * part * slope;
            if finite && decreased {
                if judges && !lifting && part >= 1.0 {
                    self.extend_step(point, trial, change, slope);
                }
                return Ok(judges);
            }
            if lifting {
                return self.lift_without_guard(trial).map(|()| judges);
            }
            let rose = std::mem::replace(&mut rise, trial.energy - point.energy);
            if finite
                && part < JUMPS_BELOW
                && rise > CONSTANT * rose
                && rise > ROUNDING.sqrt() * point.magnitude
            {
                return Ok(judges);
            }
            part *= 0.5;
            self.report.halvings += 1;
        }
        Err(SoftError::NotConverged {
            iterations: self.report.newton_iterations,
            relative: point.residual / point.scale,
            tolerance: self.options.relative_tolerance,
            dt: self.potential.dt,
        })
    }

    /// Evaluates a step to the prescribed positions that inverts elements, where the result is accepted in any case: these elements
    /// are left to their material from then on.
    fn lift_without_guard(&mut self, trial: &mut Point) -> Result<(), SoftError> {
        if !self.options.accept {
            return Err(self.not_finite(trial));
        }
        self.guard(&trial.x);
        self.evaluate(trial, DerivativeOrder::Gradient)
    }

    /// Extrapolates along `change` beyond `trial`, which is at its end, where the slope there is still a large fraction of the
    /// initial `slope`: a projected Hessian is too stiff in directions in which the exact one is soft, and would approach the
    /// minimum by small steps.
    fn extend_step(&mut self, point: &Point, trial: &mut Point, change: &[Vector3<f64>], slope: f64) {
        let left = dot(&trial.gradient, change) / slope;
        if !(left > EXTEND_ABOVE) {
            return;
        }
        // The zero of the slope by linear extrapolation.
        let part = (1.0 / (1.0 - left)).clamp(1.0, MAX_STEP_FACTOR);
        let mut further = trial.clone();
        further.x.clear();
        further.x.extend(point.x.iter().zip(change).map(|(x, d)| x + part * d));
        if self.evaluate(&mut further, DerivativeOrder::Gradient).is_ok() && further.energy < trial.energy {
            std::mem::swap(trial, &mut further);
        }
    }
}
