//! Time steps of soft bodies.
//!
//! | scheme             | solves for                        | then                                   |
//! |--------------------|-----------------------------------|----------------------------------------|
//! | implicit Euler     | x₁, y = x₀ + hv₀, a = 1/h²        | v₁ = (x₁ − x₀)/h                       |
//! | implicit midpoint  | xₘ, y = x₀ + hv₀/2, a = 4/h²      | x₁ = 2xₘ − x₀, v₁ = 4(xₘ − x₀)/h − v₀  |
//! | Newmark, average   | x₁, y = x₀ + hv₀ + h²a₀/4, a = 4/h² | v₁ = 2(x₁ − x₀)/h − v₀               |
//! | symplectic Euler   | nothing                           | v₁ = v₀ + ha₀, x₁ = x₀ + hv₁           |

use std::time::Instant;

use nalgebra::{Matrix3, Vector3};

use super::blocks::DerivativeOrder;
use super::interaction::Interaction;
use super::linear::LinearOptions;
use super::newton::{IncrementalPotential, Newton, NewtonOptions};
use super::report::{Energies, SoftStepReport};
use super::system::{Kernel, SoftSystem};
use crate::error::SoftError;

/// Time integrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// First order, stable at any step, damps vibration.
    #[default]
    ImplicitEuler,
    /// Second order, conserves momentum and angular momentum; vibration is not damped.
    ImplicitMidpoint,
    /// Second order, average acceleration; vibration is not damped.
    Newmark,
    /// Explicit, first order, conserves momentum and angular momentum; stable where h ω < 2 for the fastest vibration ω.
    SymplecticEuler,
}

/// Options of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepOptions {
    /// Time integrator.
    pub scheme: Scheme,
    /// Newton's method.
    pub newton: NewtonOptions,
    /// The linear systems in it.
    pub linear: LinearOptions,
}

impl SoftSystem {
    /// Advances the system by `dt` \[s\].
    ///
    /// # Errors
    /// [`SoftError`] where the step does not converge or is not finite; the state is then as before.
    pub fn step(
        &mut self,
        dt: f64,
        options: &StepOptions,
        interaction: &mut dyn Interaction,
    ) -> Result<SoftStepReport, SoftError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(SoftError::TimeStep { dt });
        }
        let start = Instant::now();
        let mut report = match options.scheme {
            Scheme::SymplecticEuler => self.explicit_step(dt, interaction)?,
            _ => self.implicit_step(dt, options, interaction)?,
        };
        report.energies = Energies { elastic: report.energies.elastic, ..self.energies_of_motion() };
        report.times.total = start.elapsed().as_secs_f64();
        Ok(report)
    }

    fn implicit_step(
        &mut self,
        dt: f64,
        options: &StepOptions,
        interaction: &mut dyn Interaction,
    ) -> Result<SoftStepReport, SoftError> {
        let midpoint = options.scheme == Scheme::ImplicitMidpoint;
        let h = if midpoint { 0.5 * dt } else { dt };
        let potential = self.incremental_potential(dt, h, options.scheme, interaction);
        // The midpoint scheme solves for half of the step, so prescribed components move half of their displacement.
        let scale = h / dt;
        let lift = self.lift();
        let part: Vec<_> = lift.iter().map(|d| scale * d).collect();
        // Initial displacement: the velocity extrapolated linearly over the last two steps.
        let guess = self.v.iter().zip(&self.v_before).map(|(v, before)| h * (2.0 * v - before)).collect();
        let start = self.x.clone();
        let mut newton = Newton::new(self, interaction, &potential, (options.newton, options.linear));
        let solution = newton.minimise(start, &part, guess)?;
        let report = newton.report;
        // Velocities of prescribed components are those of a step, at which the second-order schemes multiply their changes.
        let surplus = match options.scheme {
            Scheme::ImplicitMidpoint => 1.0,
            Scheme::Newmark => 3.0,
            Scheme::ImplicitEuler | Scheme::SymplecticEuler => 0.0,
        };
        self.add_held_inertia(-surplus, &lift, dt);
        for (block, solved) in solution.iter().enumerate() {
            let (x, v) = (self.x[block], self.v[block]);
            self.v_before[block] = v;
            let rate = (solved - x) / h;
            self.x[block] = if midpoint { x + 2.0 * (solved - x) } else { *solved };
            let reflected = if midpoint { 2.0 * rate - v } else { 2.0 * (solved - x) / dt - v };
            self.v[block] = if options.scheme == Scheme::ImplicitEuler { rate } else { reflected };
        }
        self.land(dt, &lift);
        Ok(report)
    }

    /// Incremental potential of a step of `scheme`: y, z, a and c of the table above. `h` is half of `dt` for the midpoint.
    fn incremental_potential(
        &mut self,
        dt: f64,
        h: f64,
        scheme: Scheme,
        interaction: &mut dyn Interaction,
    ) -> IncrementalPotential {
        let newmark = scheme == Scheme::Newmark;
        let mut y: Vec<_> = self.x.iter().zip(&self.v).map(|(x, v)| x + h * v).collect();
        let mut z = self.x.clone();
        if newmark {
            let (accelerations, _) = self.accelerations(interaction);
            y.iter_mut().zip(&accelerations).for_each(|(y, a)| *y += 0.25 * dt * dt * a);
            z.iter_mut().zip(&self.v).for_each(|(z, v)| *z += 0.5 * dt * v);
        }
        let (inertia, rate) = if newmark { (4.0 / (dt * dt), 2.0 / dt) } else { (1.0 / (h * h), 1.0 / h) };
        let (forces, origin) = (self.constant_forces(), self.x.clone());
        IncrementalPotential { inertia, y, rate, z, forces, origin, dt, ..IncrementalPotential::default() }
    }

    /// A step of symplectic Euler: v₁ = v₀ + ha₀, then x₁ = x₀ + hv₁.
    fn explicit_step(
        &mut self,
        dt: f64,
        interaction: &mut dyn Interaction,
    ) -> Result<SoftStepReport, SoftError> {
        let start = Instant::now();
        let (accelerations, elastic) = self.accelerations(interaction);
        let moved: Vec<_> = self.v.iter().zip(&accelerations).map(|(v, a)| v + dt * a).collect();
        if let Some(block) = moved.iter().position(|v| !v.iter().all(|v| v.is_finite())) {
            return Err(SoftError::NotFinite { iteration: 0, energy: elastic, block: Some(block), dt });
        }
        let lift = self.lift();
        self.add_held_inertia(1.0, &lift, dt);
        self.v_before.copy_from_slice(&self.v);
        self.v = moved;
        self.x.iter_mut().zip(&self.v).for_each(|(x, v)| *x += dt * v);
        self.land(dt, &lift);
        let mut report = SoftStepReport::default();
        report.energies.elastic = elastic;
        report.times.assembly = start.elapsed().as_secs_f64();
        Ok(report)
    }

    /// Adds `factor` times what accelerates the prescribed components from their velocities to the displacement `lift` over `dt` to the
    /// reactions.
    fn add_held_inertia(&mut self, factor: f64, lift: &[Vector3<f64>], dt: f64) {
        if factor.abs() > 0.0 && self.holds_any() {
            for (block, lift) in lift.iter().enumerate() {
                let held = factor * self.inertia(block) * (lift / dt - self.v[block]) / dt;
                let free = self.free[block];
                self.reactions[block] += held.component_mul(&free.map(|free| 1.0 - free));
            }
        }
    }

    /// Sets prescribed components exactly to their targets, and their velocities to the displacement `lift` over `dt`.
    fn land(&mut self, dt: f64, lift: &[Vector3<f64>]) {
        for block in 0..self.x.len() {
            for axis in (0..3).filter(|&axis| self.free[block][axis] <= 0.0) {
                self.x[block][axis] = self.targets[block][axis];
                self.v[block][axis] = lift[block][axis] / dt;
            }
        }
    }

    /// Displacement of the prescribed components [m], zero elsewhere: the Dirichlet lifting of the step.
    pub(super) fn lift(&self) -> Vec<Vector3<f64>> {
        let blocks = self.x.iter().zip(&self.targets).zip(&self.free);
        blocks.map(|((x, target), free)| (target - x).component_mul(&free.map(|free| 1.0 - free))).collect()
    }

    /// Gravity and constant forces of all blocks [N].
    pub(super) fn constant_forces(&self) -> Vec<Vector3<f64>> {
        self.forces.iter().enumerate().map(|(block, force)| force + self.weight(block)).collect()
    }

    /// Accelerations of all blocks [m/s²], zero where a block has no inertia or a component is prescribed, and the elastic energy [J];
    /// the reactions are those that hold the prescribed components without acceleration.
    fn accelerations(&mut self, interaction: &mut dyn Interaction) -> (Vec<Vector3<f64>>, f64) {
        let damped = self.bodies.iter().any(|body| body.material().stiffness_damping() > 0.0);
        let mut gradient = vec![Vector3::zeros(); self.x.len()];
        let Self { bodies, first, matrix, x, v, .. } = &mut *self;
        let order = if damped { DerivativeOrder::ProjectedHessian } else { DerivativeOrder::Gradient };
        let elastic = matrix.assemble(&Kernel { bodies, first }, x, order, &mut gradient);
        if damped {
            matrix.store_damping(&|body| bodies[body].material().stiffness_damping());
            let mut drag = vec![Vector3::zeros(); x.len()];
            matrix.multiply_damping(v, &mut drag);
            gradient.iter_mut().zip(&drag).for_each(|(g, drag)| *g += drag);
        }
        self.outer.clear();
        interaction.linearise(&self.x, &mut gradient, &mut self.outer);
        let mut accelerations = self.constant_forces();
        for body in 0..self.first.len() {
            let end = self.first.get(body + 1).map_or(self.x.len(), |&end| end as usize);
            for block in self.first[body] as usize..end {
                let force = accelerations[block] - gradient[block];
                // Extra blocks may have a full inertia tensor, and those of no body none at all.
                let inverse = self.inertia(block).try_inverse().unwrap_or_else(Matrix3::zeros);
                accelerations[block] = inverse * force - self.mass_damping(body) * self.v[block];
                let free = self.free[block];
                self.reactions[block] =
                    -(self.inertia(block) * accelerations[block]).component_mul(&free.map(|free| 1.0 - free));
                accelerations[block].component_mul_assign(&free);
            }
        }
        (accelerations, elastic)
    }
}
