//! Equilibrium of soft bodies under constant forces, gravity, prescribed positions and an interaction.

use std::time::Instant;

use nalgebra::Vector3;

use super::interaction::Interaction;
use super::newton::{IncrementalPotential, Newton};
use super::report::SoftStepReport;
use super::step::StepOptions;
use super::system::SoftSystem;
use crate::error::SoftError;

impl SoftSystem {
    /// Moves the system to the equilibrium near its current state; velocities become zero. The caller applies large loads and
    /// large prescribed motions in increments. The scheme in `options` is ignored.
    ///
    /// # Errors
    /// [`SoftError`] where Newton's method does not converge, or where a body is free to move; the state is then as before.
    pub fn solve_quasi_static(
        &mut self,
        options: &StepOptions,
        interaction: &mut dyn Interaction,
    ) -> Result<SoftStepReport, SoftError> {
        self.solve_beside_extra(f64::INFINITY, options, interaction)
    }

    /// [`solve_quasi_static`](Self::solve_quasi_static) with extra blocks that keep their inertia: they move by a step of implicit
    /// Euler of `dt` \[s\]. With an infinite `dt` they have no inertia.
    ///
    /// # Errors
    /// As [`Self::solve_quasi_static`].
    pub fn solve_beside_extra(
        &mut self,
        dt: f64,
        options: &StepOptions,
        interaction: &mut dyn Interaction,
    ) -> Result<SoftStepReport, SoftError> {
        let start = Instant::now();
        let mut y = self.x.clone();
        if dt.is_finite() {
            (self.masses.len()..y.len()).for_each(|extra| y[extra] += dt * self.v[extra]);
        }
        let potential = IncrementalPotential {
            extra_inertia: 1.0 / (dt * dt),
            y,
            forces: self.constant_forces(),
            origin: self.x.clone(),
            dt: f64::INFINITY,
            ..IncrementalPotential::default()
        };
        let lift = self.lift();
        let x = self.x.clone();
        let guess = vec![Vector3::zeros(); x.len()];
        let mut newton = Newton::new(self, interaction, &potential, (options.newton, options.linear));
        let solution = newton.minimise(x, &lift, guess)?;
        let mut report = newton.report;
        let before = std::mem::replace(&mut self.x, solution);
        self.v.fill(Vector3::zeros());
        for extra in (self.masses.len()..before.len()).filter(|_| dt.is_finite()) {
            self.v[extra] = (self.x[extra] - before[extra]) / dt;
        }
        self.v_before.fill(Vector3::zeros());
        report.energies = super::Energies { elastic: report.energies.elastic, ..self.energies_of_motion() };
        report.times.total = start.elapsed().as_secs_f64();
        Ok(report)
    }
}
