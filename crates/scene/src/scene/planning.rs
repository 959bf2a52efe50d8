//! What a scene asks a path for: the one that moves among all the others, where it starts, and where it is to go.

use nalgebra::{Isometry3, Point3};

use super::error::SceneError;
use super::load::Scene;
use super::placement::{orientation, point, vector};
use super::robots::within_limits;
use super::schema::PlanEntry;
use extricate_core::kinematics::{Articulation, RobotError};
use extricate_core::penetration::generalized::{Arrangement, Base, Mover, Obstacle, Part, Pose, Shape};
use extricate_core::proximity::{AllowedCollisions, ArticulatedModel, Sampling};
use extricate_dynamics::{RobotBase, RobotDescription};

/// What a scene asks a path for.
#[derive(Debug)]
pub struct Planning {
    /// The robot or body that moves, and all the others as obstacles.
    pub arrangement: Arrangement,
    /// Where it starts.
    pub start: Pose,
    /// Where it is to go.
    pub goal: Pose,
    /// Corners of the box in which positions are sampled [m].
    pub region: Option<[Point3<f64>; 2]>,
    mover: String,
    is_robot: bool,
    obstacles: Vec<String>,
}

impl Planning {
    /// The name of a part as the scene knows it: that of a body, or `robot/link`.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Obstacle(index) => self.obstacles[index].clone(),
            Part::Link { .. } if !self.is_robot => self.mover.clone(),
            Part::Link { link, .. } => {
                format!("{}/{}", self.mover, self.arrangement.movers()[0].articulation().links()[link])
            }
        }
    }
}

impl Scene {
    /// What the scene asks a path for.
    ///
    /// # Errors
    /// [`SceneError`] when it asks for none, or for one of something that cannot move.
    pub fn planning(&self) -> Result<Planning, SceneError> {
        let plan = self.plan.as_ref().ok_or(SceneError::NoPlan)?;
        let refused = |source| SceneError::PlanMover { mover: plan.mover.clone(), source };
        let robot = self.robots.iter().find(|robot| robot.name == plan.mover);
        let (mover, start, goal) = match robot {
            Some(robot) => {
                let mut mover = mover_of(robot, plan)?;
                plan.fixed.iter().try_for_each(|joint| mover.fix(joint)).map_err(refused)?;
                let start = Pose { base: robot.pose, joints: robot.configuration.clone() };
                (mover, start, goal_of(robot, plan))
            }
            None => {
                let body = self.bodies.iter().find(|body| body.name == plan.mover);
                let body = body.ok_or(SceneError::NoPlan)?;
                let mover = Mover::rigid(body.shape.searchable()).map_err(refused)?;
                (mover, body.pose.into(), placed(&body.pose, plan).into())
            }
        };
        let (mut obstacles, mut names) = (Vec::new(), Vec::new());
        for body in self.bodies.iter().filter(|body| body.name != plan.mover) {
            names.push(body.name.clone());
            obstacles.push(Obstacle { shape: body.shape.searchable(), pose: body.pose });
        }
        for robot in self.robots.iter().filter(|robot| robot.name != plan.mover) {
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
            arrangement: Arrangement::new(vec![mover], obstacles).map_err(refused)?,
            start,
            goal,
            region: plan.region.map(|(low, high)| [point(low), point(high)]),
            mover: plan.mover.clone(),
            is_robot: robot.is_some(),
            obstacles: names,
        })
    }
}

/// A robot as something that moves: its links may collide where that is derived, or the scene says so.
fn mover_of(robot: &RobotDescription, plan: &PlanEntry) -> Result<Mover, SceneError> {
    let refused = |source| SceneError::PlanRobot { robot: robot.name.clone(), source };
    let articulation = narrowed(robot, plan).map_err(refused)?;
    let models = robot.links.iter().map(|link| link.model.as_ref().map(|model| (**model).clone()));
    let model = ArticulatedModel::of_models(articulation, models.collect());
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
    Mover::robot(model, allowed, base)
        .map_err(|source| SceneError::PlanMover { mover: robot.name.clone(), source })
}

/// The articulation of a robot with the limits that the plan gives, within its own.
fn narrowed(robot: &RobotDescription, plan: &PlanEntry) -> Result<Articulation, RobotError> {
    let mut joints = robot.articulation.joints().to_vec();
    for (name, (least, most)) in &plan.limits.0 {
        let Some(joint) = robot.joint(name) else { continue };
        let [least, most] = [least, most].map(|value| value.in_si().0);
        let [lower, upper] = joints[joint].limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        joints[joint].limits = Some([least.max(lower), most.min(upper)]);
    }
    Articulation::new(robot.articulation.links().to_vec(), joints)
}

fn goal_of(robot: &RobotDescription, plan: &PlanEntry) -> Pose {
    let mut joints = robot.configuration.clone();
    for (name, value) in &plan.joints.0 {
        let found = robot.joint(name).zip(robot.coordinate(name));
        // Names, units and limits have been checked when the scene was loaded.
        if let Some((joint, at)) = found
            && let Ok(value) = within_limits(robot, joint, *value)
        {
            joints[at] = value;
        }
    }
    Pose { base: placed(&robot.pose, plan), joints }
}

/// A pose with the position and rotation that the plan gives.
fn placed(start: &Isometry3<f64>, plan: &PlanEntry) -> Isometry3<f64> {
    let position = plan.position.map_or(start.translation.vector, vector);
    let rotation = plan.rotation.as_ref().map_or(start.rotation, orientation);
    Isometry3::from_parts(position.into(), rotation)
}
