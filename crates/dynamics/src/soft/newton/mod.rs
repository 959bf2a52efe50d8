//! Newton's method with line search on the incremental potential of soft bodies.
//!
//! E(x) = a/2 ‖x − y‖²_M + c/2 ‖x − z‖²_C + Ψ(x) + I(x) − f·x: inertia towards y, Rayleigh damping C = αM + βK with K of the
//! start of the step, the elements' energy Ψ, the interaction I, constant forces f. A quasi-static solve has a = c = 0.
//! Far from the solution the Hessian is projected to be positive definite; near it the exact one is taken, for
//! quadratic convergence, as long as it proves positive definite.

mod potential;

use std::time::Instant;

use nalgebra::Vector3;

use super::blocks::{Want, dot};
use super::interaction::Interaction;
use super::linear::{LinearOptions, Operator};
use super::report::SoftStepReport;
use super::system::{Kernel, SoftSystem};
use crate::error::SoftError;

/// Relative residual below which the exact Hessian is tried.
const NEAR: f64 = 0.05;

/// Part of the decrease that the slope promises with which the line search is content [Armijo].
const ARMIJO: f64 = 1e-4;

/// Shortest part of Newton's step that is tried.
const SHORTEST: f64 = 1e-8;

/// Share of the first slope that is left at the end of Newton's step from which on a longer one is tried, and the longest.
const FALLS_STILL: f64 = 0.5;
const LONGEST: f64 = 16.0;

/// Change of the energy over its terms that cannot be told from rounding: the line search does not judge it.
const ROUNDING: f64 = 1e-12;

/// Forces out of balance over Young's modulus times area that cannot be told from rounding of the coordinates.
const FORCE_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// How often the interaction's pieces are held anew at an equilibrium before one is taken in which some have just been left.
const HOLDS: usize = 8;

/// How often at the end of a time step, whatever holding anew would change: the next step does so in any case.
const HOLDS_IN_A_STEP: usize = 2;

/// Masses over T² are added to a singular matrix, as in a time step of T; the first 1/T² over the stiffness of a body over its
/// mass, the factor to the next, and how many are tried.
const SHIFT: f64 = 1e-9;
const SHIFT_GROWTH: f64 = 100.0;
const SHIFTS: i32 = 5;

/// Change of the interaction's energy over it that holding anew may still make there.
const DRIFT: f64 = 0.01;

/// Options of Newton's method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOptions {
    /// Most iterations.
    pub max_iterations: usize,
    /// Forces out of balance over the forces that meet (inertial, elastic, external, of contact) at which to stop.
    pub relative_tolerance: f64,
    /// One linear system, no line search, no test of convergence: the linearly implicit scheme.
    pub once: bool,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self { max_iterations: 100, relative_tolerance: 1e-4, once: false }
    }
}

/// The incremental potential's terms beside elasticity and interaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Goal {
    /// a [1/s²], zero in a quasi-static solve.
    pub(super) inertia: f64,
    /// The same of the extra blocks in a quasi-static solve [1/s²].
    pub(super) extra_inertia: f64,
    /// y [m].
    pub(super) y: Vec<Vector3<f64>>,
    /// c [1/s].
    pub(super) rate: f64,
    /// z [m].
    pub(super) z: Vec<Vector3<f64>>,
    /// f [N].
    pub(super) forces: Vec<Vector3<f64>>,
    /// Where f·x counts from, so that rounding does not grow with the distance from the origin [m].
    pub(super) origin: Vec<Vector3<f64>>,
    /// Time step for messages [s].
    pub(super) dt: f64,
}

impl Goal {
    /// a of a node, or of an extra block [1/s²].
    fn inertia_of(&self, node: bool) -> f64 {
        if node { self.inertia } else { self.inertia.max(self.extra_inertia) }
    }
}

/// A point, its energy and forces.
#[derive(Debug, Clone, Default)]
struct Point {
    x: Vec<Vector3<f64>>,
    gradient: Vec<Vector3<f64>>,
    energy: f64,
    /// Sum of the magnitudes of the energy's terms [J].
    magnitude: f64,
    elastic: f64,
    /// Norm of the free part of the gradient [N], and of the forces that meet.
    residual: f64,
    scale: f64,
}

/// Newton's iteration with its state.
pub(super) struct Newton<'a> {
    pub(super) system: &'a mut SoftSystem,
    pub(super) interaction: &'a mut dyn Interaction,
    pub(super) goal: &'a Goal,
    pub(super) options: NewtonOptions,
    pub(super) linear: LinearOptions,
    pub(super) report: SoftStepReport,
    /// Whether damping by stiffness was kept.
    damped: bool,
    /// Forces that cannot be told from rounding [N].
    rounding: f64,
}

impl<'a> Newton<'a> {
    pub(super) fn new(
        system: &'a mut SoftSystem,
        interaction: &'a mut dyn Interaction,
        goal: &'a Goal,
        options: (NewtonOptions, LinearOptions),
    ) -> Self {
        let damped = goal.rate > 0.0 && system.bodies.iter().any(|b| b.material().stiffness_damping() > 0.0);
        let report = SoftStepReport::default();
        let rounding = FORCE_ROUNDING * system.stiffness_times_area();
        Self { system, interaction, goal, options: options.0, linear: options.1, report, damped, rounding }
    }

    /// The minimiser, from `x`; `lift` moves the prescribed components and `guess` is a first guess of the first change.
    ///
    /// In a time step the minimum of the pieces as they were first held is taken where that of later ones is not found.
    pub(super) fn minimise(
        &mut self,
        x: Vec<Vector3<f64>>,
        lift: &[Vector3<f64>],
        guess: Vec<Vector3<f64>>,
    ) -> Result<Vec<Vector3<f64>>, SoftError> {
        let mut balanced = None;
        let found = self.iterate(x, lift, guess, &mut balanced);
        match (found, balanced) {
            (
                Err(
                    SoftError::NotConverged { .. }
                    | SoftError::NotPositive { .. }
                    | SoftError::NotFactored { .. },
                ),
                Some(point),
            ) => {
                self.note(&point);
                Ok(point.x)
            }
            (found, _) => found,
        }
    }

    /// Newton's iteration; `balanced` becomes the last minimum of held pieces that did not settle, in a time step.
    fn iterate(
        &mut self,
        x: Vec<Vector3<f64>>,
        lift: &[Vector3<f64>],
        guess: Vec<Vector3<f64>>,
        balanced: &mut Option<Point>,
    ) -> Result<Vec<Vector3<f64>>, SoftError> {
        let mut lifting = lift.iter().any(|d| *d != Vector3::zeros());
        let mut change = guess;
        let mut want = self.far();
        if self.damped {
            self.keep_damping(&x);
        }
        let mut point = Point { x, ..Point::default() };
        self.interaction.hold(&point.x);
        self.evaluate(&mut point, want)?;
        let (mut assembled, mut have, mut holds) = (true, want, 0);
        let mut trial = point.clone();
        for iteration in 0..=self.options.max_iterations {
            self.note(&point);
            while !self.options.once && !lifting && self.balanced(&point) {
                if self.settled(&point, &mut holds) {
                    return Ok(point.x);
                }
                *balanced = (self.goal.inertia > 0.0).then(|| point.clone());
                self.evaluate(&mut point, want)?;
                have = want;
            }
            if iteration == self.options.max_iterations {
                break;
            }
            let near = point.residual <= NEAR * point.scale && !lifting;
            want = if near { Want::ExactHessian } else { self.far() };
            if !assembled || want != have {
                self.evaluate(&mut point, want)?;
                have = want;
            }
            self.direction(&mut point, lifting.then_some(lift), &mut change, want)?;
            if self.options.once {
                point.x.iter_mut().zip(&change).for_each(|(x, d)| *x += d);
                return self.checked(point);
            }
            let before = point.residual;
            let judged = self.search(&point, &mut trial, &change, lifting)?;
            std::mem::swap(&mut point, &mut trial);
            self.interaction.hold_appeared(&point.x);
            if !judged && !lifting && !(point.residual < 0.5 * before) && iteration > 2 {
                // Neither energy nor forces can be told apart any more.
                let best = if point.residual <= before { point } else { trial };
                self.note(&best);
                if best.residual <= self.options.relative_tolerance.max(ROUNDING.sqrt()) * best.scale {
                    return Ok(best.x);
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
            dt: self.goal.dt,
        })
    }

    /// Whether the minimum of the held pieces is one of the interaction; if not they are held anew. Where it lies on a kink
    /// they never settle: it is taken when holding anew changes next to nothing, in a time step in any
    /// case, and where it has gone round in circles.
    fn settled(&mut self, point: &Point, holds: &mut usize) -> bool {
        let left = self.interaction.drift(&point.x);
        self.report.drift = left.unwrap_or(0.0);
        let Some(drift) = left else { return true };
        *holds += 1;
        let in_a_step = self.goal.inertia > 0.0;
        let most = if in_a_step { HOLDS_IN_A_STEP } else { HOLDS };
        if *holds > most && (in_a_step || drift <= DRIFT || *holds > 3 * most) {
            return true;
        }
        self.interaction.hold_again(&point.x);
        false
    }

    /// The Hessian to take far from the solution. Masses make the exact one positive definite in most time steps, and
    /// where they do not the fall-back is the projected one.
    fn far(&self) -> Want {
        match (self.options.once, self.goal.inertia > 0.0) {
            (true, _) => Want::WarpedHessian,
            (false, true) => Want::ExactHessian,
            (false, false) => Want::ProjectedHessian,
        }
    }

    fn balanced(&self, point: &Point) -> bool {
        point.residual <= self.options.relative_tolerance * point.scale + self.rounding
    }

    fn note(&mut self, point: &Point) {
        self.report.residual = point.residual;
        self.report.relative_residual = if point.scale > 0.0 { point.residual / point.scale } else { 0.0 };
        self.report.energies.elastic = point.elastic;
    }

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
            dt: self.goal.dt,
        }
    }

    /// Keeps β K at `x` for damping.
    fn keep_damping(&mut self, x: &[Vector3<f64>]) {
        let SoftSystem { bodies, first, matrix, .. } = &mut *self.system;
        let mut gradient = vec![Vector3::zeros(); x.len()];
        matrix.assemble(&Kernel { bodies, first }, x, Want::ProjectedHessian, &mut gradient);
        matrix.keep(&|body| bodies[body].material().stiffness_damping());
    }

    /// Newton's direction at `point` into `change`, which holds a first guess; with `lift` the prescribed components
    /// move by it. Falls back to the projected Hessian where the exact one is not positive definite.
    fn direction(
        &mut self,
        point: &mut Point,
        lift: Option<&[Vector3<f64>]>,
        change: &mut [Vector3<f64>],
        want: Want,
    ) -> Result<(), SoftError> {
        let ratio = point.residual / point.scale;
        let mut solved = self.solve(point, lift, change, ratio);
        let judged = lift.is_none() && !self.options.once && solved.is_ok();
        if judged && dot(&point.gradient, change) > ROUNDING * point.magnitude {
            // From a first guess conjugate gradients may stop uphill; from nothing they do not.
            change.fill(Vector3::zeros());
            solved = self.solve(point, lift, change, ratio);
        }
        if want == Want::ExactHessian && solved.as_ref().is_err_and(SoftError::is_linear) {
            change.fill(Vector3::zeros());
            self.evaluate(point, Want::ProjectedHessian)?;
            solved = self.solve(point, lift, change, ratio);
        }
        for power in 0..SHIFTS {
            if !solved.as_ref().is_err_and(SoftError::is_linear) || self.options.once {
                break;
            }
            // A body that nothing holds but friction, or that only touches, is free to move for the moment.
            change.fill(Vector3::zeros());
            self.evaluate(point, Want::ProjectedHessian)?;
            self.shift(SHIFT * SHIFT_GROWTH.powi(power));
            solved = self.solve(point, lift, change, ratio);
        }
        solved
    }

    /// Adds masses over T² to the matrix, with 1/T² = `share` of the stiffness of a body over its mass.
    fn shift(&mut self, share: f64) {
        let system = &mut *self.system;
        let (mut stiffness, mut mass) = (0.0, 0.0);
        for body in &system.bodies {
            let bounds = body.linear_mesh().aabb();
            stiffness += body.material().youngs_modulus() * (bounds.max - bounds.min).norm();
            mass += body.masses().iter().sum::<f64>();
        }
        let rate = share * stiffness / mass.max(f64::MIN_POSITIVE);
        for block in 0..system.block_count() {
            let term = rate * system.inertia(block);
            system.matrix.add_diagonal(block, &term);
        }
    }

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
        let tolerance = if self.options.once {
            self.linear.relative_tolerance
        } else {
            self.linear.relative_tolerance.min(ratio)
        };
        let options = LinearOptions { relative_tolerance: tolerance.max(f64::EPSILON), ..self.linear };
        let solved =
            solver.solve(Operator { matrix, outer, free }, &right, change, self.goal.inertia > 0.0, &options);
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

    /// The first point along `change` that lowers the energy enough, into `trial`; true where the energy could judge.
    fn search(
        &mut self,
        point: &Point,
        trial: &mut Point,
        change: &[Vector3<f64>],
        lifting: bool,
    ) -> Result<bool, SoftError> {
        let slope = dot(&point.gradient, change);
        let judges = slope.abs() > ROUNDING * point.magnitude;
        let mut part = 1.0;
        while part >= SHORTEST {
            trial.x.clear();
            trial.x.extend(point.x.iter().zip(change).map(|(x, d)| x + part * d));
            let finite = self.evaluate(trial, Want::Gradient).is_ok();
            // Prescribed motion does work, so its first step is not judged by the energy, nor shortened.
            let content = !judges || lifting || trial.energy <= point.energy + ARMIJO * part * slope;
            if finite && content {
                if judges && !lifting && part >= 1.0 {
                    self.lengthen(point, trial, change, slope);
                }
                return Ok(judges);
            }
            if lifting {
                return Err(self.not_finite(trial));
            }
            part *= 0.5;
            self.report.halvings += 1;
        }
        Err(SoftError::NotConverged {
            iterations: self.report.newton_iterations,
            relative: point.residual / point.scale,
            tolerance: self.options.relative_tolerance,
            dt: self.goal.dt,
        })
    }
    /// Goes further along `change` from `trial`, which is at its end, where the energy falls there still at a great part of the
    /// first `slope`: a projected Hessian is too stiff for what the exact one has little stiffness for, and would come near it
    /// by small steps.
    fn lengthen(&mut self, point: &Point, trial: &mut Point, change: &[Vector3<f64>], slope: f64) {
        let left = dot(&trial.gradient, change) / slope;
        if !(left > FALLS_STILL) {
            return;
        }
        let part = (1.0 / (1.0 - left)).clamp(1.0, LONGEST);
        let mut further = trial.clone();
        further.x.clear();
        further.x.extend(point.x.iter().zip(change).map(|(x, d)| x + part * d));
        if self.evaluate(&mut further, Want::Gradient).is_ok() && further.energy < trial.energy {
            std::mem::swap(trial, &mut further);
        }
    }
}
