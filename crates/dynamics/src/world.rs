//! A world: bodies and joints under gravity, stepped by rapier with contacts of ours.

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle};
use rapier3d::geometry::Collider;
use rapier3d::math::Vector;
use rapier3d::pipeline::PhysicsWorld;

use super::contact::ContactTally;
use super::continuous::ContinuousCollision;
use super::robot::RobotBody;
use super::soft_bodies::{Rigid, SoftWorld};
use super::state::StateHash;
use super::stepping::Outside;
use super::{
    BodyDescription, BodyState, BuildError, Energy, Momentum, Pull, SoftBodyDescription, WorldBuilder,
    WorldOptions,
};

/// Bodies and joints under gravity.
pub struct World {
    pub(super) options: WorldOptions,
    pub(super) physics: PhysicsWorld,
    pub(super) tally: ContactTally,
    pub(super) continuous: ContinuousCollision,
    /// Sorted by name.
    bodies: Vec<BodyDescription>,
    /// In the order of `bodies`.
    pub(super) handles: Vec<RigidBodyHandle>,
    /// Sorted by name.
    pub(super) robots: Vec<RobotBody>,
    pub(super) steps: u64,
    pub(super) outside: Outside,
    pub(super) soft: Option<Box<SoftWorld>>,
    pub(super) pull: Option<Pull>,
}

impl World {
    /// An empty world to be filled.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
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
        let continuous = ContinuousCollision::new(&physics, &bodies, &handles);
        let outside = Outside::of(&physics, &bodies, &handles, &options);
        let robots = Vec::new();
        let (soft, pull) = (None, None);
        Self { options, physics, tally, continuous, bodies, handles, robots, steps: 0, outside, soft, pull }
    }

    /// The same with soft bodies, sorted by name.
    pub(super) fn with_soft_bodies(mut self, soft: Vec<SoftBodyDescription>) -> Result<Self, BuildError> {
        let rigid = Rigid { physics: &self.physics, bodies: &self.bodies, handles: &self.handles };
        self.soft = SoftWorld::assembled(&self.options, soft, &rigid)?.map(Box::new);
        Ok(self)
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

    /// Mechanical energy of the dynamic and the soft bodies.
    #[must_use]
    pub fn energy(&self) -> Energy {
        let soft = self.soft.as_ref().map_or_else(Energy::default, |soft| soft.energy());
        self.dynamic_bodies().fold(soft, |sum, body| {
            let one = self.energy_of(body);
            Energy {
                kinetic: sum.kinetic + one.kinetic,
                potential: sum.potential + one.potential,
                elastic: sum.elastic,
            }
        })
    }

    /// Momentum of the dynamic and the soft bodies.
    #[must_use]
    pub fn momentum(&self) -> Momentum {
        let none = || Momentum { linear: Vector3::zeros(), angular: Vector3::zeros() };
        let mut sum = self.soft.as_ref().map_or_else(none, |soft| soft.momentum());
        for body in self.dynamic_bodies() {
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
            elastic: 0.0,
        }
    }

    /// Hash over the states of all bodies in the order of their names, then over the nodes of the soft ones and their
    /// velocities. Equal for equal runs, whatever the number
    /// of threads and the order in which the bodies were added; promised per target triple.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let soft = self.soft_descriptions().iter().map(|body| {
            let name = body.name.as_str();
            let [x, v] = [self.soft_positions(name), self.soft_velocities(name)];
            (name, x.unwrap_or_default(), v.unwrap_or_default())
        });
        StateHash::of(&self.bodies()).and_soft(soft).value()
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

    /// All bodies that move under forces, those of robots included that have no shape.
    fn dynamic_bodies(&self) -> impl Iterator<Item = &RigidBody> {
        let hidden = self.robots.iter().flat_map(|robot| robot.hidden(&self.physics));
        self.named_bodies().map(|(.., body)| body).chain(hidden).filter(|body| body.is_dynamic())
    }

    pub(super) fn named_bodies(&self) -> impl Iterator<Item = (&str, RigidBodyHandle, &RigidBody)> + Clone {
        self.bodies
            .iter()
            .zip(&self.handles)
            .map(|(body, &handle)| (body.name.as_str(), handle, &self.physics.bodies[handle]))
    }
}

/// I ω: angular momentum of a body about its centre of mass [kg·m²/s, world].
pub(super) fn spin(body: &RigidBody) -> Vector3<f64> {
    inertia_times(body, &body.angvel().into())
}

/// I v, with the inertia of a body about its centre of mass in the world frame.
pub(super) fn inertia_times(body: &RigidBody, v: &Vector3<f64>) -> Vector3<f64> {
    let properties = &body.mass_properties().local_mprops;
    let principal_to_world = body.rotation() * properties.principal_inertia_local_frame;
    let turning = principal_to_world.inverse() * Vector::from(*v);
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
