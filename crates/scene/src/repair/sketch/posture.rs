//! Where everything is.

use nalgebra::Isometry3;

use super::{Place, Role, Sketch};
use crate::repair::error::RepairError;
use crate::repair::scene::Who;
use extricate_core::penetration::generalized::Pose;

/// Where all of a sketch is: what a sketch goes back to, and what ghosts are drawn at.
#[derive(Debug, Clone, PartialEq)]
pub struct Posture {
    /// Poses of the actors of the ensemble.
    pub(super) poses: Vec<Pose>,
    /// Poses of what stands still, body to world.
    pub(super) props: Vec<Isometry3<f64>>,
}

impl Posture {
    /// Poses of the actors of the ensemble, in their order.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }
}

impl Sketch {
    /// Where every link of the robots and every body is in a posture of this sketch.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] when the posture is that of another scene.
    pub fn places(&self, posture: &Posture) -> Result<Vec<Place>, RepairError> {
        let mut places = Vec::new();
        for (robot, actor) in self.scene.robots.iter().zip(&self.robots) {
            let (joints, base) = match actor {
                Some(actor) => (&posture.poses[*actor].joints, &posture.poses[*actor].base),
                None => (&robot.configuration, &robot.pose),
            };
            let links = robot.articulation.links();
            let poses = robot.articulation.link_poses(joints, base)?;
            let place = |(link, pose)| Place { name: format!("{}/{link}", robot.name), pose };
            places.extend(links.iter().zip(poses).map(place));
        }
        let body = |(index, body): (usize, &extricate_dynamics::BodyDescription)| Place {
            name: body.name.clone(),
            pose: self.pose_of_body(index, posture),
        };
        places.extend(self.scene.bodies.iter().enumerate().map(body));
        Ok(places)
    }

    pub(super) fn pose_of_body(&self, index: usize, posture: &Posture) -> Isometry3<f64> {
        let start = self.scene.bodies[index].pose;
        match self.bodies[index] {
            Role::Prop { prop, .. } => posture.props[prop],
            Role::Member { actor, at: 0 } => posture.poses[actor].base,
            Role::Member { actor, .. } => match &self.who[actor] {
                Who::Bodies(members) => {
                    let first = self.scene.bodies[members[0]].pose;
                    posture.poses[actor].base * first.inverse() * start
                }
                Who::Robot(_) => start,
            },
        }
    }
}
