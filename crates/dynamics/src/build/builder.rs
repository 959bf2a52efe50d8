//! Builder of worlds: bodies and joints are checked one by one and sorted by name, so that the result does not depend on
//! the order in which they are added.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Vector3};

use super::assembly::assemble;
use crate::description::{BodyDescription, BodyKind, JointDescription, JointKind, Mass};
use crate::error::{BuildError, ranges_of};
use crate::mass::mass_properties;
use crate::options::WorldOptions;
use crate::robot::RobotDescription;
use crate::robot::parts::Parts;
use crate::soft::bodies;
use crate::soft::bodies::description::SoftBodyDescription;
use crate::world::World;
use extricate_core::geometry::convex::Core;
use extricate_core::query::Shape;

/// Builder of a world.
#[derive(Debug, Clone)]
pub struct WorldBuilder {
    options: WorldOptions,
    bodies: BTreeMap<String, BodyDescription>,
    joints: BTreeMap<String, JointDescription>,
    robots: BTreeMap<String, Parts>,
    soft: BTreeMap<String, SoftBodyDescription>,
}

impl World {
    /// Builder of a world, without bodies.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::half_space(), Shape::ball(0.1));
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
}

impl WorldBuilder {
    fn new(options: WorldOptions) -> Self {
        Self {
            options,
            bodies: BTreeMap::new(),
            joints: BTreeMap::new(),
            robots: BTreeMap::new(),
            soft: BTreeMap::new(),
        }
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`BuildError`] when the name is taken, a number is out of range or a dynamic body has no volume.
    pub fn add_body(&mut self, body: BodyDescription) -> Result<&mut Self, BuildError> {
        check_body(&body)?;
        if self.bodies.contains_key(&body.name) || self.soft.contains_key(&body.name) {
            return Err(BuildError::DuplicateBody { name: body.name });
        }
        self.bodies.insert(body.name.clone(), body);
        Ok(self)
    }

    /// Adds a joint; its bodies may follow later.
    ///
    /// # Errors
    /// [`BuildError`] when the name is taken, a number is out of range or the joint connects a body with itself.
    pub fn add_joint(&mut self, joint: JointDescription) -> Result<&mut Self, BuildError> {
        check_joint(&joint)?;
        if self.joints.contains_key(&joint.name) {
            return Err(BuildError::DuplicateJoint { name: joint.name });
        }
        self.joints.insert(joint.name.clone(), joint);
        Ok(self)
    }

    /// Adds a robot: a body `robot/link` for each of its links that has a shape, with those merged that fixed joints
    /// connect.
    ///
    /// # Errors
    /// [`BuildError`] when a name is taken, or the robot is not valid.
    pub fn add_robot(&mut self, robot: RobotDescription) -> Result<&mut Self, BuildError> {
        let name = robot.name.clone();
        if self.robots.contains_key(&name) {
            return Err(BuildError::DuplicateRobot { name });
        }
        let failed = |source| BuildError::Robot { robot: name.clone(), source: Box::new(source) };
        let parts = Parts::new(robot).map_err(failed)?;
        // The parts with a shape are ordinary bodies; the others are inserted with the multibody.
        for body in parts.bodies() {
            self.add_body(body)?;
        }
        self.robots.insert(name, parts);
        Ok(self)
    }

    /// Adds a soft body; the rigid bodies that it is attached to may follow later.
    ///
    /// # Errors
    /// [`BuildError`] when the name is taken, a number is out of range, or a handle or an attachment holds nodes that do not
    /// exist or are held already.
    pub fn add_soft_body(&mut self, body: SoftBodyDescription) -> Result<&mut Self, BuildError> {
        check_motion(&body.name, &body.pose, &body.linear_velocity, &body.angular_velocity)?;
        bodies::check(&body).map_err(|source| BuildError::Soft { name: body.name.clone(), source })?;
        if self.bodies.contains_key(&body.name) || self.soft.contains_key(&body.name) {
            return Err(BuildError::DuplicateBody { name: body.name });
        }
        self.soft.insert(body.name.clone(), body);
        Ok(self)
    }

    /// Builds the world, at time zero.
    ///
    /// # Errors
    /// [`BuildError`] when an option is out of range, a joint or an attachment names a body that was not added, or a
    /// soft body has elements too thin to compute with.
    pub fn build(self) -> Result<World, BuildError> {
        self.options.check()?;
        for joint in self.joints.values() {
            if let Some(body) = joint.bodies.iter().find(|name| !self.bodies.contains_key(*name)) {
                return Err(BuildError::UnknownBody { joint: joint.name.clone(), body: body.clone() });
            }
        }
        let soft = self.soft.into_values().collect();
        assemble(self.options, self.bodies, &self.joints, &self.robots, soft)
    }
}

fn check_body(body: &BodyDescription) -> Result<(), BuildError> {
    let name = &body.name;
    let ranges = ranges_of(name);
    check_motion(name, &body.pose, &body.linear_velocity, &body.angular_velocity)?;
    ranges.not_negative("the friction", body.friction)?;
    ranges.not_negative("the rolling friction [m]", body.rolling_friction)?;
    ranges.not_negative("the linear damping [1/s]", body.linear_damping)?;
    ranges.not_negative("the angular damping [1/s]", body.angular_damping)?;
    ranges.within("the restitution", body.restitution, 0.0..=1.0, "between 0 and 1")?;
    check_shape(name, &body.shape)?;
    if body.kind != BodyKind::Dynamic {
        return Ok(());
    }
    match body.mass {
        Mass::Density(density) => ranges.positive("the density [kg/m³]", density)?,
        Mass::Total(mass) => ranges.positive("the mass [kg]", mass)?,
        Mass::Inertial(own) => {
            own.check()
                .map_err(|error| BuildError::Inertial { name: name.clone(), source: Box::new(error) })?;
        }
    }
    mass_properties(body).map(drop)
}

fn check_motion(
    name: &str,
    pose: &Isometry3<f64>,
    linear: &Vector3<f64>,
    angular: &Vector3<f64>,
) -> Result<(), BuildError> {
    let ranges = ranges_of(name);
    let pose = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    ranges.finite("a number of the pose", pose)?;
    ranges.finite("a component of the linear velocity [m/s]", linear)?;
    ranges.finite("a component of the angular velocity [rad/s]", angular)
}

fn check_shape(name: &str, shape: &Shape) -> Result<(), BuildError> {
    let ranges = ranges_of(name);
    let Some(convex) = shape.core() else { return Ok(()) };
    let radius = convex.radius();
    let is_round = matches!(convex.core(), Core::Point | Core::Segment { .. });
    if radius != 0.0 && !is_round {
        ranges.positive("the radius of rounding [m]", radius)?;
    }
    match *convex.core() {
        Core::Point => ranges.positive("the radius [m]", radius),
        Core::Segment { half_length } => {
            ranges.positive("the radius [m]", radius)?;
            ranges.positive("the length [m]", 2.0 * half_length)
        }
        Core::Cuboid { half_extents } => {
            half_extents.iter().try_for_each(|&half| ranges.positive("a size [m]", 2.0 * half))
        }
        Core::Cylinder { radius, half_height } | Core::Cone { radius, half_height } => {
            ranges.positive("the radius [m]", radius)?;
            ranges.positive("the height [m]", 2.0 * half_height)
        }
        Core::HalfSpace if radius != 0.0 => Err(BuildError::NotRoundable { name: name.to_owned() }),
        Core::Hull(_) | Core::HalfSpace => Ok(()),
    }
}

fn check_joint(joint: &JointDescription) -> Result<(), BuildError> {
    let name = &joint.name;
    let ranges = ranges_of(name);
    if joint.bodies[0] == joint.bodies[1] {
        return Err(BuildError::SelfJoint { joint: name.clone(), body: joint.bodies[0].clone() });
    }
    for anchor in &joint.anchors {
        let translation: &Vector3<f64> = &anchor.translation.vector;
        ranges.finite("a component of an anchor [m]", translation)?;
        ranges.finite("a component of an anchor's rotation", &anchor.rotation.coords)?;
    }
    match joint.kind {
        JointKind::Fixed | JointKind::Spherical => Ok(()),
        JointKind::Rope { length } => ranges.positive("the length of the rope [m]", length),
        JointKind::Revolute { limits } | JointKind::Prismatic { limits } => {
            let Some([min, max]) = limits else { return Ok(()) };
            ranges.finite("a limit", &[min, max])?;
            ranges.within("the lower limit", min, f64::MIN..=max, "not above the upper limit")
        }
    }
}
