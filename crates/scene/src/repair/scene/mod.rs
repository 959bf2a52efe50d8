//! Ensemble of a scene: movable bodies and robots, obstacles, and pairs that may touch.
//!
//! Robots move: their joints, and floating bases. Of the bodies, the dynamic ones that overlap
//! something move; the others are fixed, unless no solution is found without them. Bodies attached to each other by joints are links of
//! an articulation; joints that close a loop or attach a body to a robot are constraints.

mod actors;
mod division;
mod linkage;
pub(super) mod source;

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Isometry3, Vector3};

use self::actors::{
    actor_of_bodies, actor_of_robot, actor_of_soft, obstacle_of_body, obstacle_of_soft, obstacles_of_robot,
    parts,
};
use self::division::Division;
use self::linkage::{actor_of_group, constraints_of};
use self::source::{ActorSource, Ties};
use super::robot::{lock_of, touched};
use super::{Actor, Attachment, Ensemble, Freedom, Keep, Moved, Repair, RepairError, RepairOptions};
use crate::scene::schema::JointValue;
use crate::scene::{RobotPose, Scene, ScenePoses};
use extricate_core::kinematics::{Joint, JointKind};
use extricate_core::penetration::generalized::{ConstraintEnd, ConstraintFrame, Lock, Pose, PoseConstraint};
use extricate_dynamics::{BodyKind, RobotBase, RobotDescription, World};

/// Change of a joint, relative to one plus its value, that rounding alone can cause: smaller changes are not written.
const ROUNDING: f64 = 1e-14;

/// The bodies and robots of a scene, preprocessed for repairs.
#[derive(Debug)]
pub struct SceneRepair<'a> {
    scene: &'a Scene,
    ensemble: Ensemble,
    sources: Vec<ActorSource>,
    poses: Vec<Pose>,
    /// Pairs of an attached body and a part that it may touch.
    touching: Vec<[String; 2]>,
}

impl<'a> SceneRepair<'a> {
    /// Preprocesses a scene. Of its bodies the dynamic ones move that are in `moving`, or all dynamic ones.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when `freedom` has a name unknown to the scene, [`RepairError::Norm`] when a movable
    /// part has no volume, and others when the scene does not form a collision world.
    pub fn new(
        scene: &'a Scene,
        world: &World,
        freedom: &Freedom,
        moving: Option<&BTreeSet<String>>,
    ) -> Result<Self, RepairError> {
        Self::with_ties((scene, world), freedom, moving, Ties::Articulated)
    }

    /// As [`SceneRepair::new`], with bodies that joints attach to each other as one rigid body each.
    pub(super) fn with_rigid_groups(
        scene: &'a Scene,
        world: &World,
        freedom: &Freedom,
    ) -> Result<Self, RepairError> {
        Self::with_ties((scene, world), freedom, None, Ties::Rigid)
    }

    fn with_ties(
        (scene, world): (&'a Scene, &World),
        freedom: &Freedom,
        moving: Option<&BTreeSet<String>>,
        ties: Ties,
    ) -> Result<Self, RepairError> {
        freedom.check()?;
        check_names(scene, freedom)?;
        let mut division = Division::of(scene, freedom, moving, ties);
        let (mut actors, mut poses) = (Vec::new(), Vec::new());
        for (index, source) in division.sources.iter_mut().enumerate() {
            let (actor, pose) = match source {
                ActorSource::Robot(index) => actor_of_robot(&scene.robots[*index], world)?,
                ActorSource::Bodies(members) => actor_of_bodies(scene, members)?,
                ActorSource::Soft(index) => actor_of_soft(&scene.soft_bodies[*index])?,
                ActorSource::Linkage(places) => {
                    let (actor, pose, found) = actor_of_group(scene, &division.groups[&index])?;
                    *places = found;
                    (actor, pose)
                }
            };
            actors.push(actor);
            poses.push(pose);
        }
        let mut obstacles = Vec::new();
        for &body in &division.fixed_bodies {
            obstacles.push(obstacle_of_body(&scene.bodies[body]));
        }
        for &body in &division.fixed_soft {
            obstacles.push(obstacle_of_soft(&scene.soft_bodies[body]));
        }
        for &robot in &division.fixed_robots {
            obstacles.extend(obstacles_of_robot(&scene.robots[robot])?);
        }
        let known: Freedom = freedom_of(&actors, freedom);
        let ensemble = Ensemble::new(actors, obstacles, &known)?;
        let mut repair = Self { scene, ensemble, sources: division.sources, poses, touching: Vec::new() };
        repair.allow_exempt_pairs();
        repair.constrain(&division.closing)?;
        Ok(repair)
    }

    /// Lets a body keep its pose relative to a link `robot/link` or another body in all repairs. It may touch that link, those that are
    /// rigidly connected to it, and those that it carries.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when the scene has no such link or body.
    pub fn attach(&mut self, attachment: &Attachment) -> Result<(), RepairError> {
        let (holder, object) = (attachment.holder(), attachment.object());
        let body = self.scene.bodies.iter().find(|body| body.name == object);
        let body = body.ok_or_else(|| RepairError::UnknownName {
            what: "body",
            name: object.to_owned(),
            known: self.scene.bodies.iter().map(|body| body.name.clone()).collect(),
        })?;
        let (pose, touched) = self.holder(holder)?;
        let of_holder = self.frame_of(holder, &(pose.inverse() * body.pose));
        let of_object = self.frame_of(object, &Isometry3::identity());
        if [of_holder, of_object].iter().any(|frame| frame.end != ConstraintEnd::World) {
            let tie = PoseConstraint::closure(attachment.text(), [of_holder, of_object], Lock::FIXED);
            self.ensemble.constrain(tie)?;
        }
        for other in touched {
            // Unknown names are those of links without a shape, which collide with nothing.
            let _ = self.ensemble.allow([&other, object]);
            self.touching.push([other, object.to_owned()]);
        }
        Ok(())
    }

    /// The pose of a link or body in the scene, and the names of the parts that an object on it may touch.
    fn holder(&self, name: &str) -> Result<(Isometry3<f64>, Vec<String>), RepairError> {
        if let Some(body) = self.scene.bodies.iter().find(|body| body.name == name) {
            return Ok((body.pose, vec![name.to_owned()]));
        }
        for robot in &self.scene.robots {
            let link = name.strip_prefix(robot.name.as_str()).and_then(|rest| rest.strip_prefix('/'));
            if let Some(link) = link.and_then(|link| robot.articulation.link(link)) {
                let poses = robot.articulation.link_poses(&robot.configuration, &robot.pose)?;
                let named = |link: usize| format!("{}/{}", robot.name, robot.articulation.links()[link]);
                let touched = touched(&robot.articulation, link).into_iter().map(named).collect();
                return Ok((poses[link], touched));
            }
        }
        Err(RepairError::UnknownName { what: "body or link", name: name.to_owned(), known: self.names() })
    }

    /// Names of all bodies and of the links `robot/link` of the scene.
    fn names(&self) -> Vec<String> {
        let bodies = self.scene.bodies.iter().map(|body| body.name.clone());
        let links =
            self.scene.robots.iter().flat_map(|robot| {
                robot.articulation.links().iter().map(|link| format!("{}/{link}", robot.name))
            });
        bodies.chain(links).collect()
    }

    /// Keeps a property of a link `robot/link` or body in all repairs, if it moves.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when the scene has no such link or body.
    pub fn keep(&mut self, keep: &Keep) -> Result<(), RepairError> {
        let up = (-self.scene.options.gravity).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let known = self.names();
        if let Some(name) = keep.parts().iter().find(|name| !known.contains(name)) {
            let what = "body or link";
            return Err(RepairError::UnknownName { what, name: name.clone(), known });
        }
        match keep.parts().iter().any(|part| self.ensemble.carrier(part).is_some()) {
            true => self.ensemble.keep(keep, &up),
            // Obstacles keep everything.
            false => Ok(()),
        }
    }

    /// Adds the constraints of joints that are part of no actor, and of the loops of robots.
    fn constrain(&mut self, closing: &[usize]) -> Result<(), RepairError> {
        for &joint in closing {
            let joint = &self.scene.joints[joint];
            let frames = [0, 1].map(|side| self.frame_of(&joint.bodies[side], &joint.anchors[side]));
            for constraint in constraints_of(joint, frames) {
                self.ensemble.constrain(constraint)?;
            }
        }
        for robot in &self.scene.robots {
            for closure in &robot.closures {
                let name = |side: usize| format!("{}/{}", robot.name, closure.links[side]);
                let frames = [0, 1].map(|side| self.frame_of(&name(side), &closure.frames[side]));
                // Robots that do not move are obstacles.
                if frames.iter().all(|frame| frame.end != ConstraintEnd::World) {
                    let name = format!("{}/{}", robot.name, closure.name);
                    self.ensemble.constrain(PoseConstraint::closure(name, frames, lock_of(closure.kind)))?;
                }
            }
        }
        Ok(())
    }

    /// A frame of a body, or of a link `robot/link`, on its part of the ensemble.
    fn frame_of(&self, name: &str, anchor: &Isometry3<f64>) -> ConstraintFrame {
        let body = self.scene.bodies.iter().position(|body| body.name == name);
        for (movable, source) in self.sources.iter().enumerate() {
            let link = match (source, body) {
                (ActorSource::Robot(robot), None) => {
                    let robot = &self.scene.robots[*robot];
                    let link = name.strip_prefix(robot.name.as_str()).and_then(|rest| rest.strip_prefix('/'));
                    link.and_then(|link| robot.articulation.link(link))
                }
                // The links of bodies that move as one are in their order.
                (ActorSource::Bodies(members), Some(body)) => {
                    members.iter().position(|&member| member == body)
                }
                (ActorSource::Linkage(places), Some(body)) => {
                    places.iter().find(|(member, _)| *member == body).map(|(_, link)| *link)
                }
                _ => None,
            };
            if let Some(link) = link {
                return ConstraintFrame { end: ConstraintEnd::Link { movable, link }, frame: *anchor };
            }
        }
        let pose = body.map_or_else(Isometry3::identity, |body| self.scene.bodies[body].pose);
        ConstraintFrame { end: ConstraintEnd::World, frame: pose * anchor }
    }

    /// Allows contacts of pairs that the dynamics leaves out: links attached rigidly to a fixed base with bodies that are not dynamic,
    /// and two bodies that a joint exempts.
    fn allow_exempt_pairs(&mut self) {
        let mut pairs: Vec<[String; 2]> = Vec::new();
        for robot in self.scene.robots.iter().filter(|robot| robot.base == RobotBase::Fixed) {
            let rigid = parts(&robot.articulation);
            let root = robot.articulation.parents_first()[0];
            let on_base = (0..rigid.len()).filter(|&link| rigid[link] == root);
            for link in on_base {
                let link = format!("{}/{}", robot.name, robot.articulation.links()[link]);
                let still = self.scene.bodies.iter().filter(|body| body.kind != BodyKind::Dynamic);
                pairs.extend(still.map(|body| [link.clone(), body.name.clone()]));
            }
        }
        let exempt = self.scene.joints.iter().filter(|joint| !joint.contacts);
        pairs.extend(exempt.map(|joint| joint.bodies.clone()));
        for soft in &self.scene.soft_bodies {
            pairs.extend(soft.attachments.iter().map(|own| [soft.name.clone(), own.body.clone()]));
        }
        for [first, second] in pairs {
            // Unknown names are those of links without a shape, which collide with nothing.
            let _ = self.ensemble.allow([&first, &second]);
        }
    }

    /// Pairs of an attached body and a part that it may touch, by name.
    #[must_use]
    pub fn touching(&self) -> &[[String; 2]] {
        &self.touching
    }

    /// The ensemble.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// Poses of the actors in the scene.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Nearest poses without overlaps; `None` where those of the scene are such.
    ///
    /// # Errors
    /// As [`Ensemble::repair`].
    pub fn repair(&self, options: &RepairOptions) -> Result<Option<Repair>, RepairError> {
        self.ensemble.repair(&self.poses, options)
    }

    /// Poses of bodies and robots after a repair; unmoved ones are left out.
    #[must_use]
    pub fn placed(&self, repair: &Repair) -> ScenePoses {
        let mut placed = ScenePoses::default();
        let both = self.poses.iter().zip(&repair.poses);
        for (actor, (source, (before, after))) in self.sources.iter().zip(both).enumerate() {
            if before == after {
                continue;
            }
            match source {
                ActorSource::Robot(index) => {
                    let robot = &self.scene.robots[*index];
                    let joints = joint_values(robot, &after.joints, |_, [after, before]| {
                        (after - before).abs() > ROUNDING * (1.0 + before.abs())
                    });
                    placed.robots.insert(robot.name.clone(), RobotPose { base: after.base, joints });
                }
                ActorSource::Bodies(members) => {
                    // The other members keep their poses relative to the first one, whose frame is that of the actor.
                    let motion = after.base * before.base.inverse();
                    for (at, &member) in members.iter().enumerate() {
                        let body = &self.scene.bodies[member];
                        let pose = if at == 0 { after.base } else { motion * body.pose };
                        placed.bodies.insert(body.name.clone(), pose);
                    }
                }
                ActorSource::Linkage(places) => self.place_links(&mut placed, places, (actor, after)),
                ActorSource::Soft(index) => {
                    placed.soft_bodies.insert(self.scene.soft_bodies[*index].name.clone(), after.base);
                }
            }
        }
        placed
    }

    /// Adds the poses of the bodies of an articulation that has moved.
    fn place_links(
        &self,
        placed: &mut ScenePoses,
        places: &[(usize, usize)],
        (actor, after): (usize, &Pose),
    ) {
        let articulation = self.ensemble.collision_world().movables()[actor].articulation();
        // The configuration is one of this articulation.
        let poses = articulation.link_poses(&after.joints, &after.base).unwrap_or_default();
        for &(member, link) in places {
            let (body, pose) = (&self.scene.bodies[member], poses[link]);
            let shift = (pose.translation.vector - body.pose.translation.vector).norm();
            let size = ROUNDING * (1.0 + body.pose.translation.vector.norm());
            if shift > size || pose.rotation.angle_to(&body.pose.rotation) > ROUNDING {
                placed.bodies.insert(body.name.clone(), pose);
            }
        }
    }

    /// The ensemble, the source of each actor, and the poses of the scene.
    pub(super) fn into_parts(self) -> (Ensemble, Vec<ActorSource>, Vec<Pose>) {
        (self.ensemble, self.sources, self.poses)
    }

    /// Displacements of bodies and bases of robots, by name.
    #[must_use]
    pub fn moved(&self, repair: &Repair) -> BTreeMap<String, Moved> {
        let placed = self.placed(repair);
        let by = |from: &Isometry3<f64>, to: &Isometry3<f64>| Moved::Placed {
            translation: to.translation.vector - from.translation.vector,
            angle: from.rotation.angle_to(&to.rotation),
        };
        let bodies = self
            .scene
            .bodies
            .iter()
            .filter_map(|body| Some((body.name.clone(), by(&body.pose, placed.bodies.get(&body.name)?))));
        let soft = self.scene.soft_bodies.iter().filter_map(|body| {
            Some((body.name.clone(), by(&body.pose, placed.soft_bodies.get(&body.name)?)))
        });
        let robots = self.scene.robots.iter().filter_map(|robot| {
            let put = placed.robots.get(&robot.name).filter(|put| put.base != robot.pose)?;
            Some((robot.name.clone(), by(&robot.pose, &put.base)))
        });
        bodies.chain(soft).chain(robots).collect()
    }

    /// The configuration of each robot after a repair, by name.
    #[must_use]
    pub fn robots(&self, repair: Option<&Repair>) -> BTreeMap<String, Pose> {
        let poses = repair.map_or(&self.poses, |repair| &repair.poses);
        let of_robot = |(source, pose): (&ActorSource, &Pose)| match source {
            ActorSource::Robot(index) => Some((self.scene.robots[*index].name.clone(), pose.clone())),
            ActorSource::Bodies(_) | ActorSource::Linkage(_) | ActorSource::Soft(_) => None,
        };
        self.sources.iter().zip(poses).filter_map(of_robot).collect()
    }
}

/// Refuses a freedom with a name unknown to the scene.
fn check_names(scene: &Scene, freedom: &Freedom) -> Result<(), RepairError> {
    let mut known: Vec<String> = scene.bodies.iter().map(|body| body.name.clone()).collect();
    known.extend(scene.joints.iter().map(|joint| joint.name.clone()));
    known.extend(scene.soft_bodies.iter().map(|body| body.name.clone()));
    for robot in &scene.robots {
        known.push(robot.name.clone());
        let inner = super::freedom::known(&robot.articulation);
        known.extend(inner.into_iter().map(|name| format!("{}/{name}", robot.name)));
    }
    match freedom.names().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let what = "body, robot, joint or link";
            Err(RepairError::UnknownName { what, name: name.clone(), known })
        }
    }
}

/// The part of a freedom that concerns the actors; obstacles are fixed in any case.
fn freedom_of(actors: &[Actor], freedom: &Freedom) -> Freedom {
    let is_known = |name: &String| {
        actors.iter().any(|actor| {
            let articulation = actor.movable.articulation();
            super::ensemble::target_of(articulation, name, [&actor.prefix, &actor.base]).is_some()
        })
    };
    Freedom {
        fixed: freedom.fixed.iter().filter(|name| is_known(name)).cloned().collect(),
        weights: freedom
            .weights
            .iter()
            .filter(|(name, _)| is_known(name))
            .map(|(n, w)| (n.clone(), *w))
            .collect(),
    }
}

/// The joints of a robot whose values, after and before, are `changed`.
pub(super) fn joint_values(
    robot: &RobotDescription,
    values: &[f64],
    changed: impl Fn(&str, [f64; 2]) -> bool,
) -> BTreeMap<String, JointValue> {
    let joints = robot.articulation.joints();
    let named = robot.articulation.coordinates().iter().map(|&joint| &joints[joint]);
    let named = named.zip(values.iter().zip(&robot.configuration));
    let value = |(joint, (&after, &before)): (&Joint, (&f64, &f64))| {
        let value = match joint.kind {
            JointKind::Prismatic { .. } => JointValue::Metres(after),
            _ => JointValue::Radians(after),
        };
        changed(&joint.name, [after, before]).then(|| (joint.name.clone(), value))
    };
    named.filter_map(value).collect()
}
