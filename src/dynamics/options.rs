//! How a world is stepped: gravity, time step, the accuracy of the solver, the narrow phase.

use nalgebra::Vector3;
use rapier3d::dynamics::{FrictionModel, IntegrationParameters, SpringCoefficients};

/// How much work the solver spends on a step.
///
/// Each preset fixes the number of substeps, the stiffness of contacts and a default time step. The contact
/// frequency decides how far a loaded contact sinks (load / (effective mass · ω²)); a quarter of the substep
/// rate is the stiffest that stays calm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Accuracy {
    /// 4 substeps of 1/240 s, contacts of 240 Hz: everything of the closed-form table but heavy bodies on light
    /// ones (1000 : 1 sinks visibly).
    Preview,
    /// 12 substeps of 1/240 s, contacts of 720 Hz: passes the whole table of closed-form scenes.
    #[default]
    Standard,
    /// 12 substeps of 1/480 s, contacts of 1440 Hz: a quarter of the sink and half of the bounce error of
    /// `Standard`, at twice its cost.
    Reference,
}

impl Accuracy {
    /// Time step [s] the preset was tuned for.
    #[must_use]
    pub fn time_step(self) -> f64 {
        match self {
            Self::Preview | Self::Standard => 1.0 / 240.0,
            Self::Reference => 1.0 / 480.0,
        }
    }

    /// Substeps of the solver in one step.
    fn substeps(self) -> usize {
        match self {
            Self::Preview => 4,
            Self::Standard | Self::Reference => 12,
        }
    }
}

/// Who finds the contacts of two convex bodies. Those of meshes are always our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NarrowPhase {
    /// This crate: certified penetration depth, exact for every shape.
    #[default]
    Extricate,
    /// rapier's own, for comparison.
    Rapier,
}

/// What holds for the whole world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldOptions {
    /// Acceleration of free fall [m/s²], world frame.
    pub gravity: Vector3<f64>,
    /// Length of a step [s].
    pub time_step: f64,
    /// Effort of the solver.
    pub accuracy: Accuracy,
    /// Who finds the contacts of two convex bodies.
    pub narrow_phase: NarrowPhase,
    /// Bodies that rest are taken out of the solver until something touches them. Off by default: a body that
    /// creeps is then seen to creep.
    pub sleeping: bool,
}

impl Default for WorldOptions {
    /// Earth's gravity along −z, and the standard accuracy with its own time step.
    fn default() -> Self {
        Self {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            time_step: Accuracy::default().time_step(),
            accuracy: Accuracy::default(),
            narrow_phase: NarrowPhase::default(),
            sleeping: false,
        }
    }
}

impl WorldOptions {
    /// Ratio of the contact frequency [Hz] to the substep rate: a quarter; above a third contacts start to ring.
    const FREQUENCY_PER_SUBSTEP: f64 = 0.25;
    /// Damping ratio of contacts: far above critical, so that what overlaps is pushed apart without a bounce.
    const CONTACT_DAMPING: f64 = 10.0;
    /// Relax passes of a substep: they take out the speed of depenetration.
    const RELAX_PASSES: usize = 3;
    /// Contact slop [m] of the sweeps of continuous collision.
    const SLOP: f64 = 0.001;

    /// Depth [m] up to which the solver pushes harder at what is deeper; beyond it pushes at its greatest speed.
    pub(super) fn recoverable_depth(&self) -> f64 {
        /// Stays clear of the bound; the speed left after a push-out is proportional to it.
        const SHARE: f64 = 0.6;
        let parameters = self.integration_parameters();
        #[expect(clippy::cast_precision_loss, reason = "at most a few dozen substeps")]
        let substep = self.time_step / self.accuracy.substeps() as f64;
        SHARE * parameters.max_corrective_velocity() / parameters.contact_softness.erp_inv_dt(substep)
    }

    /// rapier's settings that say the same.
    pub(super) fn integration_parameters(&self) -> IntegrationParameters {
        let substeps = self.accuracy.substeps();
        #[expect(clippy::cast_precision_loss, reason = "at most a few dozen substeps")]
        let frequency = Self::FREQUENCY_PER_SUBSTEP * substeps as f64 / self.time_step;
        let softness = SpringCoefficients::new(frequency, Self::CONTACT_DAMPING);
        IntegrationParameters {
            dt: self.time_step,
            // Continuous collision is our own.
            max_ccd_substeps: 0,
            num_solver_iterations: substeps,
            num_internal_pgs_iterations: 1,
            num_internal_stabilization_iterations: Self::RELAX_PASSES,
            contact_softness: softness,
            static_contact_softness: softness,
            normalized_allowed_linear_error: Self::SLOP,
            contact_recycling: false,
            contact_clustering: false,
            friction_model: FrictionModel::Simplified,
            friction_in_bias_pass: false,
            ..IntegrationParameters::default()
        }
    }
}
