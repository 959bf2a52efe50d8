//! Edits of a sketch: joints are set, bodies and bases are placed, links and bodies are dragged.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::inverse_kinematics::InverseKinematics;
use super::{Posture, Role, Sketch};
use crate::repair::error::RepairError;
use extricate_core::penetration::generalized::Shape;

/// Result of setting a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSetting {
    /// Value of the joint [rad or m].
    pub value: f64,
    /// Whether the requested value was outside the limits.
    pub clamped: bool,
}

/// Motion of a dragged body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragMode {
    /// Translation.
    Translate,
    /// Rotation about its centre, as with a trackball.
    Rotate,
}

/// Result of a drag.
#[derive(Debug, Clone, PartialEq)]
pub struct Dragged {
    /// Remaining distance of the dragged point from the target \[m\].
    pub distance: f64,
    /// Names of the joints of the robot that are at a limit.
    pub at_limit: Vec<String>,
}

/// Distance within which a joint is at its limit, relative to 1 + its value: it absorbs rounding.
const AT_LIMIT: f64 = 1e-9;

impl Sketch {
    /// Sets a joint to a value [rad or m], or to the limit nearest to it. Joints that mimic it follow.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn set_joint(&mut self, robot: &str, joint: &str, value: f64) -> Result<JointSetting, RepairError> {
        let (actor, _) = self.actor_of_robot(robot)?;
        let articulation = self.movable(actor).articulation();
        let name = |&joint: &usize| &articulation.joints()[joint].name;
        let at = articulation.coordinates().iter().position(|at| name(at) == joint);
        let known = || articulation.coordinates().iter().map(|at| name(at).clone()).collect();
        let at = at.ok_or_else(|| unknown("joint that moves of itself", joint, known()))?;
        if !value.is_finite() {
            return Err(RepairError::NotFinite { what: "value", name: format!("{robot}/{joint}") });
        }
        let [lower, upper] = self.limits(actor)[at];
        let allowed = value.clamp(lower, upper);
        let mut posture = self.posture.clone();
        posture.poses[actor].joints[at] = allowed;
        self.change(posture, None);
        Ok(JointSetting { value: allowed, clamped: !(lower <= value && value <= upper) })
    }

    /// Moves a body, and those that joints attach to it, to a pose, body to world.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn move_body(&mut self, name: &str, pose: &Isometry3<f64>) -> Result<(), RepairError> {
        let posture = self.with_body(name, pose)?;
        self.change(posture, None);
        Ok(())
    }

    /// Moves the base of a robot to a pose of its root link, link to world.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn move_base(&mut self, robot: &str, pose: &Isometry3<f64>) -> Result<(), RepairError> {
        let posture = self.with_base(robot, pose)?;
        self.change(posture, None);
        Ok(())
    }

    /// Pulls a point of a link, `anchor` [m, link frame], to `target` [m, world]: of the motions of the joints that achieve it,
    /// that of minimum σ is followed step by step, within joint limits. The base stays; so do fixed joints.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn drag_link(
        &mut self,
        robot: &str,
        link: &str,
        anchor: &Point3<f64>,
        target: &Point3<f64>,
    ) -> Result<Dragged, RepairError> {
        let (actor, _) = self.actor_of_robot(robot)?;
        let articulation = self.movable(actor).articulation();
        let at = articulation.link(link);
        let at = at.ok_or_else(|| unknown("link", link, articulation.links().to_vec()))?;
        let name = format!("{robot}/{link}");
        finite(&name, [anchor, target])?;
        let pull =
            InverseKinematics { movable: self.movable(actor), link: at, anchor: *anchor, target: *target };
        let (joints, distance) = pull.solve(&self.posture.poses[actor], self.limits(actor))?;
        let is_at_limit = |at: &usize| {
            let slack = AT_LIMIT * (1.0 + joints[*at].abs());
            self.limits(actor)[*at].iter().any(|limit| (joints[*at] - limit).abs() <= slack)
        };
        let coordinates = articulation.coordinates();
        let at_limit = (0..coordinates.len()).filter(is_at_limit);
        let at_limit = at_limit.map(|at| articulation.joints()[coordinates[at]].name.clone()).collect();
        let mut posture = self.posture.clone();
        posture.poses[actor].joints = joints;
        self.change(posture, Some(&name));
        Ok(Dragged { distance, at_limit })
    }

    /// Drags a point of a body, `anchor` [m, body frame], to `target` [m, world]: translates the body, or rotates it about its centre
    /// until the point lies in the direction of the target. Bodies attached to it by joints move along.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn drag_body(
        &mut self,
        name: &str,
        anchor: &Point3<f64>,
        target: &Point3<f64>,
        mode: DragMode,
    ) -> Result<Dragged, RepairError> {
        finite(name, [anchor, target])?;
        let index = self.body(name)?;
        let before = self.pose_of_body(index, &self.posture);
        let pose = dragged_pose(&before, &self.middle(index), (anchor, target), mode);
        let posture = self.with_body(name, &pose)?;
        self.change(posture, Some(name));
        Ok(Dragged { distance: (pose * anchor - target).norm(), at_limit: Vec::new() })
    }

    /// Drags a robot as a whole by a point of its root link, as [`Sketch::drag_body`]; it rotates about its centroid.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn drag_base(
        &mut self,
        robot: &str,
        anchor: &Point3<f64>,
        target: &Point3<f64>,
        mode: DragMode,
    ) -> Result<Dragged, RepairError> {
        finite(robot, [anchor, target])?;
        let (actor, _) = self.actor_of_robot(robot)?;
        let before = &self.posture.poses[actor];
        let whole = self.movable(actor).norm().at(&before.joints, &before.base)?;
        let middle = before.base.inverse() * whole.whole().centroid();
        let pose = dragged_pose(&before.base, &middle, (anchor, target), mode);
        let posture = self.with_base(robot, &pose)?;
        self.change(posture, Some(robot));
        Ok(Dragged { distance: (pose * anchor - target).norm(), at_limit: Vec::new() })
    }

    fn with_body(&self, name: &str, pose: &Isometry3<f64>) -> Result<Posture, RepairError> {
        let index = self.body(name)?;
        let pose = sound(name, pose)?;
        let mut posture = self.posture.clone();
        match self.bodies[index] {
            Role::Obstacle { tied: true, .. } => return Err(RepairError::Tied { name: name.to_owned() }),
            Role::Obstacle { obstacle, .. } => posture.obstacles[obstacle] = pose,
            Role::Member { actor, at: 0 } => posture.poses[actor].base = pose,
            Role::Member { actor, .. } => {
                // The frame of the actor is that of its first member: the motion of this one is applied to it.
                let now = self.pose_of_body(index, &self.posture);
                posture.poses[actor].base = pose * now.inverse() * posture.poses[actor].base;
            }
        }
        Ok(posture)
    }

    fn with_base(&self, robot: &str, pose: &Isometry3<f64>) -> Result<Posture, RepairError> {
        let (actor, _) = self.actor_of_robot(robot)?;
        let mut posture = self.posture.clone();
        posture.poses[actor].base = sound(robot, pose)?;
        Ok(posture)
    }

    /// Actor of a robot, and index of the robot in the scene.
    pub(super) fn actor_of_robot(&self, name: &str) -> Result<(usize, usize), RepairError> {
        let known = || self.scene.robots.iter().map(|robot| robot.name.clone()).collect();
        let index = self.scene.robots.iter().position(|robot| robot.name == name);
        let index = index.ok_or_else(|| unknown("robot", name, known()))?;
        let actor = self.robots[index].ok_or_else(|| RepairError::Tied { name: name.to_owned() })?;
        Ok((actor, index))
    }

    fn body(&self, name: &str) -> Result<usize, RepairError> {
        let soft = self.scene.soft_bodies.iter().map(|body| &body.name);
        let mut names = self.scene.bodies.iter().map(|body| &body.name).chain(soft);
        let known = names.clone().cloned().collect();
        names.position(|own| own == name).ok_or_else(|| unknown("body", name, known))
    }

    /// Centre of a body's bounding ball [m, body frame], or the origin where the body is unbounded.
    fn middle(&self, body: usize) -> Point3<f64> {
        let collision_world = self.ensemble.collision_world();
        let middle = |shape: &Shape| {
            let (middle, radius) = shape.ball();
            if radius.is_finite() { middle } else { Point3::origin() }
        };
        match self.bodies[body] {
            Role::Obstacle { obstacle, .. } => middle(&collision_world.obstacles()[obstacle].shape),
            Role::Member { actor, at } => {
                collision_world.movables()[actor].shapes()[at].as_ref().map_or_else(Point3::origin, middle)
            }
        }
    }
}

/// Pose after a point was dragged.
fn dragged_pose(
    before: &Isometry3<f64>,
    middle: &Point3<f64>,
    (anchor, target): (&Point3<f64>, &Point3<f64>),
    mode: DragMode,
) -> Isometry3<f64> {
    let from = before * anchor;
    match mode {
        DragMode::Translate => Translation3::from(target - from) * before,
        DragMode::Rotate => {
            let middle = before * middle;
            let rotation = UnitQuaternion::rotation_between(&(from - middle), &(target - middle));
            // Opposite directions leave the axis undefined: the body stays.
            let rotation = rotation.unwrap_or_else(UnitQuaternion::identity);
            Isometry3::rotation_wrt_point(rotation, middle) * before
        }
    }
}

fn unknown(what: &'static str, name: &str, known: Vec<String>) -> RepairError {
    RepairError::UnknownName { what, name: name.to_owned(), known }
}

fn finite(name: &str, points: [&Point3<f64>; 2]) -> Result<(), RepairError> {
    for (point, what) in points.into_iter().zip(["anchor", "target"]) {
        if !point.iter().all(|x| x.is_finite()) {
            return Err(RepairError::NotFinite { what, name: name.to_owned() });
        }
    }
    Ok(())
}

fn sound(name: &str, pose: &Isometry3<f64>) -> Result<Isometry3<f64>, RepairError> {
    let mut numbers = pose.translation.vector.iter().chain(pose.rotation.coords.iter());
    if !numbers.all(|x| x.is_finite()) {
        return Err(RepairError::NotFinite { what: "pose", name: name.to_owned() });
    }
    Ok(*pose)
}
