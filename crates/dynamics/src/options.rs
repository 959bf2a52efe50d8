//! Options of a world: gravity, time step, accuracy of the solver, narrow phase.

use nalgebra::Vector3;
use rapier3d::dynamics::{FrictionModel, IntegrationParameters, SpringCoefficients};

use crate::error::{BuildError, ranges_of};
use crate::soft::bodies::description::SoftOptions;

/// Effort of the solver in a step.
///
/// Each preset fixes the number of substeps, the stiffness of contacts and a default time step. The contact frequency
/// determines the sink of a loaded contact (load / (effective mass · ω²)); a quarter of the substep rate is the stiffest
/// that does not ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Accuracy {
    /// 4 substeps of 1/240 s, contacts of 240 Hz: passes the table of closed-form scenes except heavy bodies on light
    /// ones (1000 : 1 sinks in) and towers (one of thirty boxes sways by 5 mm).
    Preview,
    /// 6 substeps of 1/480 s, contacts of 720 Hz: passes the whole table of closed-form scenes. Contacts are found
    /// twice as often as with 12 substeps of 1/240 s, which cost as much in the solver: points of contact are fixed
    /// within a step, and a loaded body that is free to sway or spin (rate ω) gains amplitude at a rate of ω²·step/4, so
    /// that with the longer step towers of thirty sway and taut chains swing up.
    #[default]
    Standard,
    /// 6 substeps of 1/960 s, contacts of 1440 Hz: a quarter of the sink of `Standard`, at twice its cost.
    Reference,
}

impl Accuracy {
    /// Time step \[s\] for which the preset is tuned.
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

/// Settings of the solver that replace those of the [`Accuracy`], where they are not `None`.
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

/// Settings of the solver: the preset of the [`Accuracy`] with the [`SolverOverrides`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolverSettings {
    /// Substeps of the solver in one step, at least 1.
    pub substeps: u32,
    /// Natural frequency of contacts \[Hz\]. It determines the sink of a loaded contact: load / (effective mass · ω²).
    /// Beyond a third of the substep rate contacts start to ring; the default is a quarter of it.
    pub contact_frequency: f64,
    /// Damping ratio of contacts.
    pub contact_damping: f64,
    /// Relax passes of a substep: they remove the speed with which the solver corrects a position.
    pub relax_passes: u32,
    /// Approach [m/s] below which nothing bounces.
    pub least_bounce_speed: f64,
    /// Whether continuous collision detection (CCD) stops fast bodies at their first contact; without it they may pass
    /// through thin bodies.
    pub sweeps: bool,
}

/// Narrow phase for two convex bodies. Contacts of meshes are always this crate's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NarrowPhase {
    /// This crate: certified penetration depth, exact for every shape.
    #[default]
    Extricate,
    /// rapier's own, for comparison.
    Rapier,
}

/// Sleep of bodies at rest, which are then left out of all computation until something wakes them.
///
/// A body is at rest while none of its points comes farther than `speed` times `time` from its pose when it last did so: it
/// moves more slowly than `speed` in the mean, or trembles in place at any speed. An island, that is bodies connected by
/// contacts and joints, sleeps when all of its bodies have been at rest for `time`. It
/// wakes as a whole when a body that is awake touches one of its bodies, or a pull or a soft body loads one. Robots do not
/// sleep, nor do bodies that touch them or a kinematic body that moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SleepOptions {
    /// Maximum mean speed of the points of a body at rest [bounding radii/s]. Higher stops slow motions; lower than bodies
    /// creep on a curved contact keeps them awake.
    pub speed: f64,
    /// Time at rest \[s\] after which an island falls asleep. At less than bodies need to accelerate to that speed, those at
    /// the top of their flight sleep.
    pub time: f64,
}

impl Default for SleepOptions {
    /// 0.02 bounding radii per second for half a second.
    fn default() -> Self {
        Self { speed: 0.02, time: 0.5 }
    }
}

/// Options of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldOptions {
    /// Acceleration of free fall [m/s²], world frame.
    pub gravity: Vector3<f64>,
    /// Length of a step \[s\]. Where a body rolls so fast that the contacts of a whole step would not hold it, a step is
    /// divided into parts.
    pub time_step: f64,
    /// Effort of the solver.
    pub accuracy: Accuracy,
    /// Overrides of single settings of the accuracy.
    pub solver: SolverOverrides,
    /// Narrow phase for two convex bodies.
    pub narrow_phase: NarrowPhase,
    /// Sleep of bodies at rest; `None` for bodies that never sleep. Off by default: a body that creeps, or whose load
    /// changes slowly, would stop at a speed that the scene has not stated.
    pub sleep: Option<SleepOptions>,
    /// Options of soft bodies.
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
            sleep: None,
            soft: SoftOptions::default(),
        }
    }
}

impl WorldOptions {
    /// Ratio of the contact frequency [Hz] to the substep rate. Half of it sinks four times as far under load; above a third
    /// contacts start to ring.
    const FREQUENCY_PER_SUBSTEP: f64 = 0.25;
    /// Damping ratio of contacts: far above critical, so that overlaps are pushed apart without a bounce; more makes them
    /// recover more slowly.
    const CONTACT_DAMPING: f64 = 10.0;
    /// Relax passes of a substep: they remove the speed of depenetration, which fewer leave to the bodies.
    const RELAX_PASSES: u32 = 3;
    /// Maximum number of substeps or passes that is accepted as intended.
    const MAX_PASSES: u32 = 1000;
    /// Length [m] that rapier treats as negligible.
    const SLOP: f64 = 0.001;

    /// Minimum duration of free fall to the speed of a bounce, in steps. Less lets contacts that gravity loads within a step
    /// bounce; more stops slow bounces that could be resolved.
    const BOUNCE_STEPS: f64 = 0.5;

    /// Settings of the solver: those of the accuracy, except for the overrides.
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

    /// Depth [m] up to which the push of the solver grows with the depth; beyond it, it pushes at its maximum speed.
    pub(crate) fn recoverable_depth(&self) -> f64 {
        /// Fraction of the depth at which the bound is reached: the speed left after a push-out is proportional to it.
        const FRACTION: f64 = 0.6;
        let parameters = self.integration_parameters();
        FRACTION * parameters.max_corrective_velocity()
            / parameters.contact_softness.erp_inv_dt(self.substep())
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`BuildError::OutOfRange`] for the first number that is out of its range.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let settings = self.solver_settings();
        let ranges = ranges_of("world");
        ranges.positive("the time step [s]", self.time_step)?;
        ranges.finite("a component of gravity [m/s²]", &self.gravity)?;
        if let Some(SleepOptions { speed, time }) = self.sleep {
            ranges.positive("the speed of bodies at rest [bounding radii/s]", speed)?;
            ranges.positive("the time at rest [s]", time)?;
        }
        let passes = |quantity, count: u32, min: f64| {
            let range = min..=f64::from(Self::MAX_PASSES);
            ranges.within(quantity, count.into(), range, "at least 1 (0 for passes) and at most 1000")
        };
        passes("the number of substeps", settings.substeps, 1.0)?;
        passes("the number of relax passes", settings.relax_passes, 0.0)?;
        ranges.positive("the contact frequency [Hz]", settings.contact_frequency)?;
        ranges.positive("the damping ratio of contacts", settings.contact_damping)?;
        ranges.not_negative("the minimum speed of a bounce [m/s]", settings.least_bounce_speed)
    }

    /// These options as rapier's parameters.
    pub(crate) fn integration_parameters(&self) -> IntegrationParameters {
        let settings = self.solver_settings();
        let softness = SpringCoefficients::new(settings.contact_frequency, settings.contact_damping);
        IntegrationParameters {
            dt: self.time_step,
            num_solver_iterations: settings.substeps as usize,
            num_internal_pgs_iterations: 1,
            num_internal_stabilization_iterations: settings.relax_passes as usize,
            // Continuous collision detection is a pass of its own.
            max_ccd_substeps: 0,
            contact_softness: softness,
            static_contact_softness: softness,
            normalized_allowed_linear_error: Self::SLOP,
            // A body too fast to be intended ends the run with an error; rapier would silently slow it down.
            normalized_max_linear_velocity: f64::MAX,
            // Recycled contacts register fast impacts late.
            contact_recycling: false,
            contact_clustering: false,
            // The other model clips friction per point: 14.5 % wrong for a box that slides.
            friction_model: FrictionModel::Simplified,
            friction_in_bias_pass: false,
            ..IntegrationParameters::default()
        }
    }
}
