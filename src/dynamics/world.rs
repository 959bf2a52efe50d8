//! A world: bodies and joints under gravity, stepped by rapier with contacts of ours.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::{Collider, ColliderHandle};
use rapier3d::pipeline::PhysicsWorld;

use super::contact::ContactTally;
use super::depenetration::Depenetration;
use super::gyroscopic::FreeRotation;
use super::restitution::Bounces;
use super::state::StateHash;
use super::watch::Watch;
use super::{
    BodyDescription, BodyState, Energy, Momentum, StepError, StepReport, StepTimings, WorldBuilder,
    WorldOptions,
};

/// Bodies and joints under gravity.
pub struct World {
    options: WorldOptions,
    physics: PhysicsWorld,
    tally: ContactTally,
    /// Sorted by name.
    bodies: Vec<BodyDescription>,
    /// In the order of `bodies`.
    handles: Vec<RigidBodyHandle>,
    steps: u64,
    rotation: FreeRotation,
    bounces: Bounces,
    depenetration: Depenetration,
    watch: Watch,
}

impl World {
    /// An empty world to be filled.
    ///
    /// ```
    /// use extricate::dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::HalfSpace { normal: Vector3::z_axis() }, Shape::Ball { radius: 0.1 });
    /// builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))?;
    /// let above = Isometry3::translation(0.0, 0.0, 0.2);
    /// builder.add_body(BodyDescription::new("ball", BodyKind::Dynamic, ball, above))?;
    /// let mut world = builder.build()?;
    /// while world.time() < 1.0 {
    ///     world.step()?;
    /// }
    /// let rests = world.body("ball").expect("it was added");
    /// assert!((rests.position.z - 0.1).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn builder(options: WorldOptions) -> WorldBuilder {
        WorldBuilder::new(options)
    }

    pub(super) fn assembled(
        options: WorldOptions,
        physics: PhysicsWorld,
        tally: ContactTally,
        bodies: Vec<BodyDescription>,
        handles: Vec<RigidBodyHandle>,
    ) -> Self {
        let settings = options.solver_settings();
        let rotation = FreeRotation::of(&physics.bodies, &handles);
        let bounces = Bounces::of(&physics, &bodies, &handles, settings.least_bounce_speed);
        let depenetration = Depenetration::of(&physics, &bodies, &handles, options.recoverable_depth());
        let watch = Watch::default();
        let step = options.time_step;
        let mut world = Self {
            options,
            physics,
            tally,
            bodies,
            handles,
            steps: 0,
            rotation,
            bounces,
            depenetration,
            watch,
        };
        world.watch = Watch::of(&world.physics, &world.bodies, world.energy(), step);
        world
    }

    /// Advances the world by one time step.
    ///
    /// # Errors
    /// [`StepError`] when a body's state is not finite any more, a body is faster than any that is meant, or the bodies
    /// have far more energy than can be explained; the world is of no use then.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let started = Instant::now();
        self.tally.take();
        let settings = self.options.solver_settings();
        self.bounces.before_step(&self.physics);
        self.rotation.before_step(&mut self.physics.bodies, self.options.time_step, settings.substeps);
        let stepping = Instant::now();
        self.physics.step_with_events(&self.depenetration, &());
        let stepped = stepping.elapsed();
        self.steps += 1;
        self.rotation.after_step(&mut self.physics.bodies);
        let depenetration = &self.depenetration;
        self.bounces.after_step(&mut self.physics, &|bodies| depenetration.is_resolving(bodies));
        let lifted = self.depenetration.after_step(&mut self.physics);
        self.watch.lift(lifted);
        let mut report = self.report();
        let now = (self.steps, self.time());
        self.watch.check(&self.physics, self.named_bodies(), report.energy, now)?;
        report.timings = self.timings(started, stepped);
        Ok(report)
    }

    /// Where the time went since the step was `started`; rapier `stepped` for a part of it.
    fn timings(&self, started: Instant, stepped: Duration) -> StepTimings {
        let counters = &self.physics.physics_pipeline.counters;
        let (contacts, _) = self.tally.take();
        let total = started.elapsed();
        StepTimings {
            total,
            broad_phase: counters.cd.broad_phase_time.time() + counters.cd.final_broad_phase_time.time(),
            narrow_phase: counters.cd.narrow_phase_time.time(),
            solver: counters.stages.solver_time.time(),
            continuous: counters.ccd.toi_computation_time.time(),
            outside: total.saturating_sub(stepped),
            contacts,
        }
    }

    /// What there is to tell of the step, but for the timings.
    fn report(&self) -> StepReport {
        let (mut manifolds, mut contacts) = (0, 0);
        let mut deepest: (f64, Option<[usize; 2]>) = (0.0, None);
        for pair in self.physics.narrow_phase.contact_pairs() {
            let Some(rigid) = pair.rigid() else { continue };
            for manifold in rigid.solver_manifolds() {
                manifolds += usize::from(!manifold.data.solver_contacts.is_empty());
                contacts += manifold.data.solver_contacts.len();
                let depth = manifold.points.iter().map(|contact| -contact.dist).fold(0.0, f64::max);
                if depth > deepest.0 {
                    deepest = (depth, self.indices([pair.collider1, pair.collider2]));
                }
            }
        }
        let speeds = self.named_bodies().map(|(.., body)| body.linvel().length()).enumerate();
        let fastest = speeds.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i)));
        StepReport {
            step: self.steps,
            time: self.time(),
            manifolds,
            contacts,
            max_penetration: deepest.0,
            deepest: deepest.1,
            resolving: self.depenetration.pairs(),
            greatest_speed: fastest.map_or(0.0, |(_, speed)| speed),
            fastest: fastest.map(|(index, _)| index),
            energy: self.energy(),
            momentum: self.momentum(),
            timings: StepTimings::default(),
        }
    }

    /// Indices of the bodies of two colliders, the lesser first.
    fn indices(&self, colliders: [ColliderHandle; 2]) -> Option<[usize; 2]> {
        let [a, b] = colliders.map(|collider| {
            let body = self.physics.colliders.get(collider)?.parent()?;
            self.handles.iter().position(|&handle| handle == body)
        });
        let (a, b) = (a?, b?);
        Some([a.min(b), a.max(b)])
    }

    /// What the world was built with.
    #[must_use]
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Number of steps taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time since the start [s].
    #[must_use]
    pub fn time(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "2^53 steps are out of reach")]
        let steps = self.steps as f64;
        steps * self.options.time_step
    }

    /// The bodies as they were described, sorted by name.
    #[must_use]
    pub fn descriptions(&self) -> &[BodyDescription] {
        &self.bodies
    }

    /// States of all bodies, sorted by name.
    #[must_use]
    pub fn bodies(&self) -> Vec<BodyState> {
        self.named_bodies().map(|(name, _, body)| body_state(name, body)).collect()
    }

    /// State of one body.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyState> {
        let index = self.bodies.binary_search_by(|body| body.name.as_str().cmp(name)).ok()?;
        Some(body_state(name, &self.physics.bodies[self.handles[index]]))
    }

    /// Mechanical energy of the dynamic bodies.
    #[must_use]
    pub fn energy(&self) -> Energy {
        self.named_bodies().filter(|(.., body)| body.is_dynamic()).fold(
            Energy::default(),
            |sum, (.., body)| {
                let one = self.energy_of(body);
                Energy { kinetic: sum.kinetic + one.kinetic, potential: sum.potential + one.potential }
            },
        )
    }

    /// Momentum of the dynamic bodies.
    #[must_use]
    pub fn momentum(&self) -> Momentum {
        let mut sum = Momentum { linear: Vector3::zeros(), angular: Vector3::zeros() };
        for (.., body) in self.named_bodies().filter(|(.., body)| body.is_dynamic()) {
            let center: Vector3<f64> = body.center_of_mass().into();
            let velocity: Vector3<f64> = body.linvel().into();
            let linear = body.mass() * velocity;
            sum.linear += linear;
            sum.angular += center.cross(&linear) + spin(body);
        }
        sum
    }

    fn energy_of(&self, body: &RigidBody) -> Energy {
        let mass = body.mass();
        let (velocity, turning): (Vector3<f64>, Vector3<f64>) = (body.linvel().into(), body.angvel().into());
        let center: Vector3<f64> = body.center_of_mass().into();
        Energy {
            kinetic: 0.5 * (mass * velocity.norm_squared() + turning.dot(&spin(body))),
            potential: -mass * self.options.gravity.dot(&center),
        }
    }

    /// Hash over the states of all bodies in the order of their names. Equal for equal runs, whatever the number
    /// of threads and the order in which the bodies were added; promised per target triple.
    #[must_use]
    pub fn hash(&self) -> u64 {
        StateHash::of(&self.bodies())
    }

    /// Pose body → world of the body at an index.
    pub(super) fn pose(&self, index: usize) -> Isometry3<f64> {
        (*self.physics.bodies[self.handles[index]].position()).into()
    }

    /// The collider of the body at an index.
    pub(super) fn collider(&self, index: usize) -> &Collider {
        let body = &self.physics.bodies[self.handles[index]];
        &self.physics.colliders[body.colliders()[0]]
    }

    /// Indices of the two bodies of every joint.
    pub(super) fn jointed(&self) -> Vec<[usize; 2]> {
        let index = |handle| self.handles.iter().position(|&other| other == handle);
        let joints = self.physics.impulse_joints.iter();
        joints.filter_map(|(_, joint)| Some([index(joint.body1())?, index(joint.body2())?])).collect()
    }

    /// Whether no joint between two bodies exempts them from contacts.
    pub(super) fn may_collide(&self, [a, b]: [usize; 2]) -> bool {
        let (a, b) = (self.handles[a], self.handles[b]);
        self.physics.impulse_joints.joints_between(a, b).all(|(_, joint)| joint.data.contacts_enabled)
    }

    fn named_bodies(&self) -> impl Iterator<Item = (&str, RigidBodyHandle, &RigidBody)> + Clone {
        self.bodies
            .iter()
            .zip(&self.handles)
            .map(|(body, &handle)| (body.name.as_str(), handle, &self.physics.bodies[handle]))
    }
}

/// I ω: angular momentum of a body about its centre of mass [kg·m²/s, world].
pub(super) fn spin(body: &RigidBody) -> Vector3<f64> {
    let properties = &body.mass_properties().local_mprops;
    let principal_to_world = body.rotation() * properties.principal_inertia_local_frame;
    let turning = principal_to_world.inverse() * body.angvel();
    (principal_to_world * (properties.principal_inertia() * turning)).into()
}

fn body_state(name: &str, body: &RigidBody) -> BodyState {
    let rotation: UnitQuaternion<f64> = (*body.rotation()).into();
    let position: Vector3<f64> = body.translation().into();
    BodyState {
        name: name.to_owned(),
        position: Point3::from(position),
        rotation,
        linear_velocity: body.linvel().into(),
        angular_velocity: body.angvel().into(),
    }
}
