//! Postures of a sketch.

use nalgebra::Isometry3;

use super::{NamedPose, Role, Sketch};
use crate::repair::error::RepairError;
use crate::repair::scene::source::ActorSource;
use crate::scene::Scene;
use extricate_core::penetration::generalized::Pose;
use extricate_dynamics::SoftBodyDescription;

/// Poses of all parts of a sketch: an undo state, and that in which ghosts are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Poses of the actors of the ensemble.
    pub(super) poses: Vec<Pose>,
    /// Poses of the obstacles, body to world.
    pub(super) obstacles: Vec<Isometry3<f64>>,
}

impl Posture {
    /// Poses of the actors of the ensemble, in their order.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }
}

impl Sketch {
    /// Poses of all links of the robots and all bodies in a posture of this sketch.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] when the posture is that of another scene.
    pub fn named_poses(&self, posture: &Posture) -> Result<Vec<NamedPose>, RepairError> {
        let mut places = Vec::new();
        for (robot, actor) in self.start.robots.iter().zip(&self.robots) {
            let (joints, base) = match actor {
                Some(actor) => (&posture.poses[*actor].joints, &posture.poses[*actor].base),
                None => (&robot.configuration, &robot.pose),
            };
            let links = robot.articulation.links();
            let poses = robot.articulation.link_poses(joints, base)?;
            let place = |(link, pose)| NamedPose { name: format!("{}/{link}", robot.name), pose };
            places.extend(links.iter().zip(poses).map(place));
        }
        let body = |(index, body): (usize, &extricate_dynamics::BodyDescription)| NamedPose {
            name: body.name.clone(),
            pose: self.pose_of_body(index, posture),
        };
        places.extend(self.scene.bodies.iter().enumerate().map(body));
        let soft = |(index, body): (usize, &SoftBodyDescription)| NamedPose {
            name: body.name.clone(),
            pose: self.pose_of_body(self.scene.bodies.len() + index, posture),
        };
        places.extend(self.scene.soft_bodies.iter().enumerate().map(soft));
        Ok(places)
    }

    /// Motion of each soft body of the scene in a posture of this sketch, from where the sketch began, world to world.
    #[must_use]
    pub fn soft_motions(&self, posture: &Posture) -> Vec<NamedPose> {
        let motion = |(index, body): (usize, &SoftBodyDescription)| {
            let now = self.pose_of_body(self.scene.bodies.len() + index, posture);
            // What has not moved has no rounding either.
            let pose = if now == body.pose { Isometry3::identity() } else { now * body.pose.inverse() };
            NamedPose { name: body.name.clone(), pose }
        };
        self.start.soft_bodies.iter().enumerate().map(motion).collect()
    }

    /// Moves everything to where it is in another version of its scene, such as one that was repaired: as one undo step.
    pub fn move_to(&mut self, scene: &Scene) {
        let mut posture = self.posture.clone();
        for (robot, actor) in scene.robots.iter().zip(&self.robots) {
            if let Some(actor) = *actor {
                posture.poses[actor] = Pose { base: robot.pose, joints: robot.configuration.clone() };
            }
        }
        let soft = scene.soft_bodies.iter().map(|body| body.pose);
        let poses = scene.bodies.iter().map(|body| body.pose).chain(soft);
        for (pose, role) in poses.zip(&self.bodies) {
            match *role {
                Role::Obstacle { obstacle, .. } => posture.obstacles[obstacle] = pose,
                Role::Member { actor, at: 0 } => posture.poses[actor].base = pose,
                // It moves with the first member.
                Role::Member { .. } => {}
            }
        }
        self.history.end_group();
        self.change(posture, None);
    }

    pub(super) fn pose_of_body(&self, index: usize, posture: &Posture) -> Isometry3<f64> {
        let rigid = self.start.bodies.len();
        let start = match index.checked_sub(rigid) {
            Some(soft) => self.start.soft_bodies[soft].pose,
            None => self.start.bodies[index].pose,
        };
        match self.bodies[index] {
            Role::Obstacle { obstacle, .. } => posture.obstacles[obstacle],
            Role::Member { actor, at: 0 } => posture.poses[actor].base,
            Role::Member { actor, .. } => match &self.sources[actor] {
                ActorSource::Bodies(members) => {
                    let first = self.start.bodies[members[0]].pose;
                    posture.poses[actor].base * first.inverse() * start
                }
                ActorSource::Robot(_) | ActorSource::Linkage(_) | ActorSource::Soft(_) => start,
            },
        }
    }
}
