//! What hands do: joints are set, bodies and bases are put, links and bodies are dragged.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::pull::Pull;
use super::{Posture, Role, Sketch};
use crate::repair::error::RepairError;
use extricate_core::penetration::generalized::Shape;

/// What a joint was set to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Set {
    /// Its value [rad or m].
    pub value: f64,
    /// Whether its limits did not allow the value that was asked for.
    pub clamped: bool,
}

/// What a drag does to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// Shifts it.
    Shift,
    /// Turns it about its middle, as a trackball.
    Turn,
}

/// Where a drag has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Dragged {
    /// How far from the target what is dragged still is [m].
    pub distance: f64,
    /// The joints of the robot that are at a limit, by name.
    pub at_limit: Vec<String>,
}

/// Share of 1 + its value within which a joint is at its limit.
const AT_LIMIT: f64 = 1e-9;

impl Sketch {
    /// Sets a joint to a value [rad or m], or to the limit nearest to it. Joints that mimic it follow.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn set_joint(&mut self, robot: &str, joint: &str, value: f64) -> Result<Set, RepairError> {
        let (actor, _) = self.actor_of_robot(robot)?;
        let articulation = self.mover(actor).articulation();
        let name = |&joint: &usize| &articulation.joints()[joint].name;
        let at = articulation.coordinates().iter().position(|at| name(at) == joint);
        let known = || articulation.coordinates().iter().map(|at| name(at).clone()).collect();
        let at = at.ok_or_else(|| unknown("joint that moves of itself", joint, known()))?;
        if !value.is_finite() {
            return Err(RepairError::NotFinite { what: "value", name: format!("{robot}/{joint}") });
        }
        let [lower, upper] = self.limits(actor)[at];
        let kept = value.clamp(lower, upper);
        let mut posture = self.posture.clone();
        posture.poses[actor].joints[at] = kept;
        self.change(posture, None);
        Ok(Set { value: kept, clamped: !(lower <= value && value <= upper) })
    }

    /// Puts a body, and those that joints tie to it, elsewhere: its pose, body to world.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn move_body(&mut self, name: &str, pose: &Isometry3<f64>) -> Result<(), RepairError> {
        let posture = self.with_body(name, pose)?;
        self.change(posture, None);
        Ok(())
    }

    /// Puts the base of a robot elsewhere: the pose of its root link, link to world.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn move_base(&mut self, robot: &str, pose: &Isometry3<f64>) -> Result<(), RepairError> {
        let posture = self.with_base(robot, pose)?;
        self.change(posture, None);
        Ok(())
    }

    /// Pulls a point of a link, `anchor` [m, link frame], to `target` [m, world]: of the ways in which the joints can do that
    /// the one of least σ is followed, step by step, and their limits are kept. The base stays; so do joints that are fixed.
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
        let articulation = self.mover(actor).articulation();
        let at = articulation.link(link);
        let at = at.ok_or_else(|| unknown("link", link, articulation.links().to_vec()))?;
        let name = format!("{robot}/{link}");
        finite(&name, [anchor, target])?;
        let pull = Pull { mover: self.mover(actor), link: at, anchor: *anchor, target: *target };
        let (joints, distance) = pull.run(&self.posture.poses[actor], self.limits(actor))?;
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

    /// Drags a point of a body, `anchor` [m, body frame], to `target` [m, world]: shifts the body, or turns it about its middle
    /// until the point lies in the target's direction. What joints tie to it goes along.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn drag_body(
        &mut self,
        name: &str,
        anchor: &Point3<f64>,
        target: &Point3<f64>,
        hand: Hand,
    ) -> Result<Dragged, RepairError> {
        finite(name, [anchor, target])?;
        let index = self.body(name)?;
        let before = self.pose_of_body(index, &self.posture);
        let pose = by_hand(&before, &self.middle(index), (anchor, target), hand);
        let posture = self.with_body(name, &pose)?;
        self.change(posture, Some(name));
        Ok(Dragged { distance: (pose * anchor - target).norm(), at_limit: Vec::new() })
    }

    /// Drags a robot as a whole by a point of its root link, as [`Sketch::drag_body`]; it turns about its centroid.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`], [`RepairError::Tied`] and [`RepairError::NotFinite`].
    pub fn drag_base(
        &mut self,
        robot: &str,
        anchor: &Point3<f64>,
        target: &Point3<f64>,
        hand: Hand,
    ) -> Result<Dragged, RepairError> {
        finite(robot, [anchor, target])?;
        let (actor, _) = self.actor_of_robot(robot)?;
        let before = &self.posture.poses[actor];
        let whole = self.mover(actor).norm().at(&before.joints, &before.base)?;
        let middle = before.base.inverse() * whole.whole().centroid();
        let pose = by_hand(&before.base, &middle, (anchor, target), hand);
        let posture = self.with_base(robot, &pose)?;
        self.change(posture, Some(robot));
        Ok(Dragged { distance: (pose * anchor - target).norm(), at_limit: Vec::new() })
    }

    fn with_body(&self, name: &str, pose: &Isometry3<f64>) -> Result<Posture, RepairError> {
        let index = self.body(name)?;
        let pose = sound(name, pose)?;
        let mut posture = self.posture.clone();
        match self.bodies[index] {
            Role::Prop { tied: true, .. } => return Err(RepairError::Tied { name: name.to_owned() }),
            Role::Prop { prop, .. } => posture.props[prop] = pose,
            Role::Member { actor, at: 0 } => posture.poses[actor].base = pose,
            Role::Member { actor, .. } => {
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

    /// The actor of a robot, and its number in the scene.
    pub(super) fn actor_of_robot(&self, name: &str) -> Result<(usize, usize), RepairError> {
        let known = || self.scene.robots.iter().map(|robot| robot.name.clone()).collect();
        let index = self.scene.robots.iter().position(|robot| robot.name == name);
        let index = index.ok_or_else(|| unknown("robot", name, known()))?;
        let actor = self.robots[index].ok_or_else(|| RepairError::Tied { name: name.to_owned() })?;
        Ok((actor, index))
    }

    fn body(&self, name: &str) -> Result<usize, RepairError> {
        let known = || self.scene.bodies.iter().map(|body| body.name.clone()).collect();
        let index = self.scene.bodies.iter().position(|body| body.name == name);
        index.ok_or_else(|| unknown("body", name, known()))
    }

    /// The middle of a body [m, body frame]: its centroid, or the origin of what has none.
    fn middle(&self, body: usize) -> Point3<f64> {
        let arrangement = self.ensemble.arrangement();
        let middle = |shape: &Shape| {
            let (middle, radius) = shape.ball();
            if radius.is_finite() { middle } else { Point3::origin() }
        };
        match self.bodies[body] {
            Role::Prop { prop, .. } => middle(&arrangement.obstacles()[prop].shape),
            Role::Member { actor, at } => {
                arrangement.movers()[actor].shapes()[at].as_ref().map_or_else(Point3::origin, middle)
            }
        }
    }
}

/// The pose after a point was dragged.
fn by_hand(
    before: &Isometry3<f64>,
    middle: &Point3<f64>,
    (anchor, target): (&Point3<f64>, &Point3<f64>),
    hand: Hand,
) -> Isometry3<f64> {
    let from = before * anchor;
    match hand {
        Hand::Shift => Translation3::from(target - from) * before,
        Hand::Turn => {
            let middle = before * middle;
            let turn = UnitQuaternion::rotation_between(&(from - middle), &(target - middle));
            let turn = turn.unwrap_or_else(UnitQuaternion::identity);
            Isometry3::rotation_wrt_point(turn, middle) * before
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
