//! Robots of a world: their states and motors.

use super::data::World;
use crate::error::{BuildError, ranges_of_part};
use crate::robot::body::RobotBody;
use crate::robot::{AllowedPair, Motor, RobotState};

impl World {
    /// States of all robots, sorted by name.
    #[must_use]
    pub fn robots(&self) -> Vec<RobotState> {
        self.robots.iter().map(|robot| self.state_of(robot)).collect()
    }

    /// Whether there are robots that rapier does not step.
    pub(crate) fn has_trees(&self) -> bool {
        self.robots.iter().any(|robot| robot.tree().is_some())
    }

    /// State of one robot.
    #[must_use]
    pub fn robot(&self, name: &str) -> Option<RobotState> {
        self.robots.iter().find(|robot| robot.name() == name).map(|robot| self.state_of(robot))
    }

    /// The pairs of bodies of a robot that may collide with one another, each with the reason; their contacts are off.
    /// None where there is no such robot.
    #[must_use]
    pub fn allowed_collisions(&self, robot: &str) -> Option<&[AllowedPair]> {
        self.robots.iter().find(|other| other.name() == robot).map(RobotBody::allowed)
    }

    /// The pairs of bodies of a robot that collide at its start and may not. None where there is no such robot.
    #[must_use]
    pub fn self_collisions_at_start(&self, robot: &str) -> Option<&[[String; 2]]> {
        self.robots.iter().find(|other| other.name() == robot).map(RobotBody::overlaps_at_start)
    }

    /// Sets or removes the motor of a joint of a robot.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use extricate_dynamics::{Motor, RobotDescription, World, WorldOptions};
    /// use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};
    /// use nalgebra::Isometry3;
    ///
    /// let text = r#"<robot name="cart">
    ///   <link name="rail"/>
    ///   <link name="cart"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
    ///   <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/></joint>
    /// </robot>"#;
    /// let robot = parse_urdf(text, Path::new("cart.urdf"), &UrdfOptions::default())?;
    /// let mut builder = World::builder(WorldOptions::default());
    /// builder.add_robot(RobotDescription::new("cart", robot, Isometry3::identity()))?;
    /// let mut world = builder.build()?;
    /// let drive = Motor::Velocity { target: 0.5, damping: 100.0, max_force: None };
    /// world.set_motor("cart", "slide", Some(drive))?;
    /// while world.time() < 1.0 {
    ///     world.step()?;
    /// }
    /// world.set_motor_target("cart", "slide", -0.5)?;
    /// while world.time() < 2.0 {
    ///     world.step()?;
    /// }
    /// let cart = world.robot("cart").expect("it was added");
    /// assert!((cart.velocities["slide"] + 0.5).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] when there is no such robot or no such joint that moves of itself, or a number is out of range.
    pub fn set_motor(&mut self, robot: &str, joint: &str, motor: Option<Motor>) -> Result<(), BuildError> {
        self.change_motor(robot, joint, |_| Ok(motor))
    }

    /// Sets the target of the motor of a joint [rad or m; of a velocity motor rad/s or m/s].
    ///
    /// # Errors
    /// [`BuildError`] when there is no such robot, no such joint that moves of itself, or no motor, or the target is not
    /// finite.
    pub fn set_motor_target(&mut self, robot: &str, joint: &str, target: f64) -> Result<(), BuildError> {
        let missing = || BuildError::NoMotor { robot: robot.to_owned(), joint: joint.to_owned() };
        self.change_motor(robot, joint, |motor| Ok(Some(motor.ok_or_else(missing)?.with_target(target))))
    }

    fn change_motor(
        &mut self,
        name: &str,
        joint: &str,
        change: impl FnOnce(Option<Motor>) -> Result<Option<Motor>, BuildError>,
    ) -> Result<(), BuildError> {
        let robot = self.robots.iter_mut().find(|robot| robot.name() == name);
        let robot = robot.ok_or_else(|| BuildError::UnknownRobot { robot: name.to_owned() })?;
        robot.change_motor(joint, |motor| {
            let motor = change(motor)?;
            let ranges = ranges_of_part(|| format!("the motor of joint `{joint}` of robot `{name}`"));
            motor.map_or(Ok(()), |motor| motor.check(&ranges))?;
            Ok(motor)
        })
    }
}
