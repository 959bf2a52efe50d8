//! Path planning problem of a scene: the movable model among all the others, its start and its goal.

use nalgebra::{Isometry3, Point3};

use super::error::SceneError;
use super::joint_values::within_limits;
use super::load::Scene;
use super::placement::{orientation, point, vector};
use super::schema::PlanEntry;
use extricate_core::kinematics::{Articulation, RobotError};
use extricate_core::penetration::default_clearance;
use extricate_core::penetration::generalized::{
    Base, CollisionWorld, MovableModel, Obstacle, Part, Pose, Shape,
};
use extricate_core::proximity::{AllowedCollisions, ArticulatedModel, Sampling};
use extricate_dynamics::{RobotBase, RobotDescription};

/// Path planning problem of a scene.
#[derive(Debug)]
pub struct Planning {
    /// The robot or body that moves, and all the others as obstacles.
    pub collision_world: CollisionWorld,
    /// Start pose.
    pub start: Pose,
    /// Goal pose.
    pub goal: Pose,
    /// Corners of the box in which positions are sampled \[m\].
    pub region: Option<[Point3<f64>; 2]>,
    /// Maximum speed of each joint of the robot [rad/s or m/s], where it states one; empty of a body.
    pub speeds: Vec<Option<f64>>,
    movable: String,
    is_robot: bool,
    obstacles: Vec<String>,
}

impl Planning {
    /// Clearance of a path where none is requested \[m\].
    #[must_use]
    pub fn default_clearance(&self) -> f64 {
        default_clearance(2.0 * self.collision_world.size())
    }

    /// Name of a part in the scene: that of a body, or `robot/link`.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Obstacle(index) => self.obstacles[index].clone(),
            Part::Link { .. } if !self.is_robot => self.movable.clone(),
            Part::Link { link, .. } => {
                format!(
                    "{}/{}",
                    self.movable,
                    self.collision_world.movables()[0].articulation().links()[link]
                )
            }
        }
    }
}

impl Scene {
    /// Path planning problem of the scene.
    ///
    /// # Errors
    /// [`SceneError`] when the scene has no `plan`, or one of something that cannot move.
    pub fn planning(&self) -> Result<Planning, SceneError> {
        let plan = self.plan.as_ref().ok_or(SceneError::NoPlan)?;
        let refused = |source| SceneError::PlanMovable { movable: plan.movable.clone(), source };
        let robot = self.robots.iter().find(|robot| robot.name == plan.movable);
        let (movable, start, goal) = match robot {
            Some(robot) => {
                let mut movable = movable_of(robot, plan)?;
                plan.fixed.iter().try_for_each(|joint| movable.fix(joint)).map_err(refused)?;
                let start = Pose { base: robot.pose, joints: robot.configuration.clone() };
                (movable, start, goal_of(robot, plan))
            }
            None => {
                let body = self.bodies.iter().find(|body| body.name == plan.movable);
                let body = body.ok_or(SceneError::NoPlan)?;
                let movable = MovableModel::rigid(body.shape.searchable()).map_err(refused)?;
                (movable, body.pose.into(), placed(&body.pose, plan).into())
            }
        };
        let (mut obstacles, mut names) = (Vec::new(), Vec::new());
        for body in self.bodies.iter().filter(|body| body.name != plan.movable) {
            names.push(body.name.clone());
            obstacles.push(Obstacle { shape: body.shape.searchable(), pose: body.pose });
        }
        for robot in self.robots.iter().filter(|robot| robot.name != plan.movable) {
            let poses = robot.articulation.link_poses(&robot.configuration, &robot.pose);
            let poses =
                poses.map_err(|source| SceneError::PlanRobot { robot: robot.name.clone(), source })?;
            for ((link, name), pose) in robot.links.iter().zip(robot.articulation.links()).zip(poses) {
                let Some(model) = &link.model else { continue };
                names.push(format!("{}/{name}", robot.name));
                obstacles.push(Obstacle { shape: Shape::of_model(std::sync::Arc::clone(model)), pose });
            }
        }
        Ok(Planning {
            collision_world: CollisionWorld::new(vec![movable], obstacles).map_err(refused)?,
            start,
            goal,
            region: plan.region.map(|(low, high)| [point(low), point(high)]),
            speeds: robot
                .map_or_else(Vec::new, |robot| robot.joints.iter().map(|own| own.max_speed).collect()),
            movable: plan.movable.clone(),
            is_robot: robot.is_some(),
            obstacles: names,
        })
    }
}

/// A robot as a movable model; pairs of its links may collide where that is derived or the scene allows it.
fn movable_of(robot: &RobotDescription, plan: &PlanEntry) -> Result<MovableModel, SceneError> {
    let refused = |source| SceneError::PlanRobot { robot: robot.name.clone(), source };
    let articulation = narrowed(robot, plan).map_err(refused)?;
    let models = robot.links.iter().map(|link| link.model.as_ref().map(|model| (**model).clone()));
    let model =
        ArticulatedModel::of_models(articulation, models.collect()).with_surroundings(robot.surroundings());
    let link = |name: &String| robot.articulation.link(name);
    let given = robot.allowed.iter().filter_map(|[a, b]| Some([link(a)?, link(b)?])).collect::<Vec<_>>();
    let derived = model.derive_allowed(&robot.configuration, &given, Sampling::default()).map_err(refused)?;
    let mut allowed = AllowedCollisions::default();
    derived.allowed.iter().for_each(|([a, b], _)| allowed.allow(*a, *b));
    if !robot.self_collision {
        let links = robot.articulation.links().len();
        (0..links).flat_map(|a| (a + 1..links).map(move |b| (a, b))).for_each(|(a, b)| allowed.allow(a, b));
    }
    let base = match robot.base {
        RobotBase::Fixed => Base::Fixed,
        RobotBase::Floating => Base::Floating,
    };
    MovableModel::robot(model, allowed, base)
        .map_err(|source| SceneError::PlanMovable { movable: robot.name.clone(), source })
}

/// The articulation of a robot with its joint limits intersected with those of the plan.
fn narrowed(robot: &RobotDescription, plan: &PlanEntry) -> Result<Articulation, RobotError> {
    let mut joints = robot.articulation.joints().to_vec();
    for (name, (min, max)) in &plan.limits.0 {
        let Some(joint) = robot.joint(name) else { continue };
        let [min, max] = [min, max].map(|value| value.in_si().0);
        let [lower, upper] = joints[joint].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        joints[joint].limits = Some([min.max(lower), max.min(upper)]);
    }
    Articulation::new(robot.articulation.links().to_vec(), joints)
}

fn goal_of(robot: &RobotDescription, plan: &PlanEntry) -> Pose {
    let mut joints = robot.configuration.clone();
    for (name, value) in &plan.joints.0 {
        let found = robot.joint(name).zip(robot.coordinate(name));
        // Errors cannot occur here: names, units and limits have been checked when the scene was loaded.
        if let Some((joint, at)) = found
            && let Ok(value) = within_limits(robot, joint, *value)
        {
            joints[at] = value;
        }
    }
    Pose { base: placed(&robot.pose, plan), joints }
}

/// The start pose with the position and rotation of the plan in place of its own, where the plan has them.
fn placed(start: &Isometry3<f64>, plan: &PlanEntry) -> Isometry3<f64> {
    let position = plan.position.map_or(start.translation.vector, vector);
    let rotation = plan.rotation.as_ref().map_or(start.rotation, orientation);
    Isometry3::from_parts(position.into(), rotation)
}
