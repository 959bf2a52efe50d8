//! How a world is stepped: gravity, time step, the accuracy of the solver, the narrow phase.

use nalgebra::Vector3;
use rapier3d::dynamics::{FrictionModel, IntegrationParameters, SpringCoefficients};

use crate::error::{BuildError, ranges_of};
use crate::soft::bodies::description::SoftOptions;

/// How much work the solver spends on a step.
///
/// Each preset fixes the number of substeps, the stiffness of contacts and a default time step. The contact
/// frequency decides how far a loaded contact sinks (load / (effective mass · ω²)); a quarter of the substep
/// rate is the stiffest that stays calm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Accuracy {
    /// 4 substeps of 1/240 s, contacts of 240 Hz: everything of the closed-form table but heavy bodies on light
    /// ones (1000 : 1 sinks in) and towers (one of thirty boxes sways by 5 mm).
    Preview,
    /// 6 substeps of 1/480 s, contacts of 720 Hz: passes the whole table of closed-form scenes. Contacts are found
    /// twice as often as with 12 substeps of 1/240 s, which cost as much in the solver: where bodies touch is held
    /// within a step, and what is under load and free to sway or spin (rate ω) gains amplitude at ω²·step/4 a second,
    /// so that towers of thirty sway and taut chains swing up.
    #[default]
    Standard,
    /// 6 substeps of 1/960 s, contacts of 1440 Hz: a quarter of the sink of `Standard`, at twice its cost.
    Reference,
}

impl Accuracy {
    /// Time step [s] the preset was tuned for.
    #[must_use]
    pub fn time_step(self) -> f64 {
        match self {
            Self::Preview => 1.0 / 240.0,
            Self::Standard => 1.0 / 480.0,
            Self::Reference => 1.0 / 960.0,
        }
    }

    /// Substeps of the solver in one step.
    fn substeps(self) -> u32 {
        match self {
            Self::Preview => 4,
            Self::Standard | Self::Reference => 6,
        }
    }
}

/// Settings of the solver that replace those of the [`Accuracy`]; what is `None` stays as it is there.
///
/// ```
/// use extricate_dynamics::{SolverOverrides, World, WorldOptions};
///
/// let solver = SolverOverrides { substeps: Some(20), ..SolverOverrides::default() };
/// let world = World::builder(WorldOptions { solver, ..WorldOptions::default() }).build()?;
/// assert_eq!(world.options().solver_settings().substeps, 20);
/// // Contacts stay as stiff in relation to the substeps as they were.
/// let frequency = world.options().solver_settings().contact_frequency;
/// assert!((frequency - 20.0 * 480.0 / 4.0).abs() < 1e-9);
/// # Ok::<(), extricate_dynamics::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SolverOverrides {
    /// See [`SolverSettings::substeps`].
    pub substeps: Option<u32>,
    /// See [`SolverSettings::contact_frequency`].
    pub contact_frequency: Option<f64>,
    /// See [`SolverSettings::contact_damping`].
    pub contact_damping: Option<f64>,
    /// See [`SolverSettings::relax_passes`].
    pub relax_passes: Option<u32>,
    /// See [`SolverSettings::least_bounce_speed`].
    pub least_bounce_speed: Option<f64>,
    /// See [`SolverSettings::sweeps`].
    pub sweeps: Option<bool>,
}

/// How the solver works: the preset of the [`Accuracy`] with the [`SolverOverrides`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverSettings {
    /// Substeps of the solver in one step, at least 1.
    pub substeps: u32,
    /// Natural frequency of contacts [Hz]. It decides how far a loaded contact sinks: load / (effective mass · ω²).
    /// Beyond a third of the substep rate contacts start to ring; a quarter is what follows from the substeps.
    pub contact_frequency: f64,
    /// Damping ratio of contacts.
    pub contact_damping: f64,
    /// Relax passes of a substep: they take out the speed with which the solver corrects a position.
    pub relax_passes: u32,
    /// Approach [m/s] below which nothing bounces.
    pub least_bounce_speed: f64,
    /// Whether fast bodies are swept and stopped where they meet something, or may pass through what is thin.
    pub sweeps: bool,
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
    /// Length of a step [s]. Where a body rolls so fast that contacts of a whole step would lose it, a step is taken in
    /// parts.
    pub time_step: f64,
    /// Effort of the solver.
    pub accuracy: Accuracy,
    /// What replaces single settings of the accuracy.
    pub solver: SolverOverrides,
    /// Who finds the contacts of two convex bodies.
    pub narrow_phase: NarrowPhase,
    /// Bodies that rest are taken out of the solver until something touches them. Off by default: a body that
    /// creeps is then seen to creep.
    pub sleeping: bool,
    /// How soft bodies are stepped.
    pub soft: SoftOptions,
}

impl Default for WorldOptions {
    /// Earth's gravity along −z, and the standard accuracy with its own time step.
    fn default() -> Self {
        Self {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            time_step: Accuracy::default().time_step(),
            accuracy: Accuracy::default(),
            solver: SolverOverrides::default(),
            narrow_phase: NarrowPhase::default(),
            sleeping: false,
            soft: SoftOptions::default(),
        }
    }
}

impl WorldOptions {
    /// Ratio of the contact frequency [Hz] to the substep rate: a quarter; above a third contacts start to ring.
    const FREQUENCY_PER_SUBSTEP: f64 = 0.25;
    /// Damping ratio of contacts: far above critical, so that what overlaps is pushed apart without a bounce.
    const CONTACT_DAMPING: f64 = 10.0;
    /// Relax passes of a substep: they take out the speed of depenetration.
    const RELAX_PASSES: u32 = 3;
    /// Greatest number of substeps or passes that is taken for meant.
    const MOST_PASSES: u32 = 1000;
    /// What rapier takes for a negligible length [m].
    const SLOP: f64 = 0.001;

    /// Duration of free fall [s] that bodies need, at least, for the speed of a bounce, in steps.
    const BOUNCE_STEPS: f64 = 0.5;

    /// The settings of the solver: those of the accuracy, but for the overrides.
    #[must_use]
    pub fn solver_settings(&self) -> SolverSettings {
        let substeps = self.solver.substeps.unwrap_or_else(|| self.accuracy.substeps());
        let substep_rate = f64::from(substeps) / self.time_step;
        let slow = Self::BOUNCE_STEPS * self.gravity.norm() * self.time_step;
        SolverSettings {
            substeps,
            contact_frequency: self
                .solver
                .contact_frequency
                .unwrap_or(Self::FREQUENCY_PER_SUBSTEP * substep_rate),
            contact_damping: self.solver.contact_damping.unwrap_or(Self::CONTACT_DAMPING),
            relax_passes: self.solver.relax_passes.unwrap_or(Self::RELAX_PASSES),
            least_bounce_speed: self.solver.least_bounce_speed.unwrap_or(slow),
            sweeps: self.solver.sweeps.unwrap_or(true),
        }
    }

    /// Length of a substep [s].
    fn substep(&self) -> f64 {
        self.time_step / f64::from(self.solver_settings().substeps)
    }

    /// Depth [m] up to which the solver pushes harder at what is deeper; beyond it pushes at its greatest speed.
    pub(crate) fn recoverable_depth(&self) -> f64 {
        /// Stays clear of the bound; the speed left after a push-out is proportional to it.
        const SHARE: f64 = 0.6;
        let parameters = self.integration_parameters();
        SHARE * parameters.max_corrective_velocity() / parameters.contact_softness.erp_inv_dt(self.substep())
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`BuildError::OutOfRange`] for the first one that is out of its range.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let settings = self.solver_settings();
        let ranges = ranges_of("world");
        ranges.positive("the time step [s]", self.time_step)?;
        ranges.finite("a component of gravity [m/s²]", &self.gravity)?;
        let passes = |quantity, count: u32, min: f64| {
            let range = min..=f64::from(Self::MOST_PASSES);
            ranges.within(quantity, count.into(), range, "at least 1 (0 for passes) and at most 1000")
        };
        passes("the number of substeps", settings.substeps, 1.0)?;
        passes("the number of relax passes", settings.relax_passes, 0.0)?;
        ranges.positive("the contact frequency [Hz]", settings.contact_frequency)?;
        ranges.positive("the damping ratio of contacts", settings.contact_damping)?;
        ranges.not_negative("the least speed of a bounce [m/s]", settings.least_bounce_speed)
    }

    /// rapier's settings that say the same.
    pub(crate) fn integration_parameters(&self) -> IntegrationParameters {
        let settings = self.solver_settings();
        let softness = SpringCoefficients::new(settings.contact_frequency, settings.contact_damping);
        IntegrationParameters {
            dt: self.time_step,
            num_solver_iterations: settings.substeps as usize,
            num_internal_pgs_iterations: 1,
            num_internal_stabilization_iterations: settings.relax_passes as usize,
            // Continuous collision is our own.
            max_ccd_substeps: 0,
            contact_softness: softness,
            static_contact_softness: softness,
            normalized_allowed_linear_error: Self::SLOP,
            // A body too fast to be meant stops the run; rapier would slow it down and say nothing.
            normalized_max_linear_velocity: f64::MAX,
            contact_recycling: false,
            contact_clustering: false,
            friction_model: FrictionModel::Simplified,
            friction_in_bias_pass: false,
            ..IntegrationParameters::default()
        }
    }
}
