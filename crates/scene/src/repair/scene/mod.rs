//! The bodies and robots of a scene: what moves, what stands still, and what may touch.
//!
//! Robots move: their joints, and their bases where these float. Of the bodies those move that are dynamic and overlap
//! something; the others stand still, unless no answer is found without them. Bodies that joints tie together move as one
//! rigid body, and not at all where one of them stays; a robot that a joint ties to a body stays, and so does that body.

mod actors;

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Isometry3;

use self::actors::{actor_of_bodies, actor_of_robot, parts, prop, props_of_robot};
use super::{Actor, Ensemble, Freedom, Moved, Repair, RepairError, RepairOptions};
use crate::scene::schema::JointValue;
use crate::scene::{RobotPose, Scene, ScenePoses};
use extricate_core::kinematics::{Joint, JointKind};
use extricate_core::penetration::generalized::Pose;
use extricate_dynamics::{BodyDescription, BodyKind, RobotBase, RobotDescription, World};

/// Share of its value by which a joint changes by rounding alone: it is not written.
const ROUNDING: f64 = 1e-14;

/// The bodies and robots of a scene, made ready to be repaired.
#[derive(Debug)]
pub struct SceneRepair<'a> {
    scene: &'a Scene,
    ensemble: Ensemble,
    who: Vec<Who>,
    poses: Vec<Pose>,
}

/// What an actor is in the scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who {
    /// A robot, by index.
    Robot(usize),
    /// Bodies that move as one, by index; the first one's frame is that of the actor.
    Bodies(Vec<usize>),
}

impl<'a> SceneRepair<'a> {
    /// Makes a scene ready. Of its bodies the dynamic ones move that `moving` names, or all of them.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when `freedom` names nothing of the scene, [`RepairError::Norm`] when something that
    /// moves has no volume, and others when the scene makes no arrangement.
    pub fn new(
        scene: &'a Scene,
        world: &World,
        freedom: &Freedom,
        moving: Option<&BTreeSet<String>>,
    ) -> Result<Self, RepairError> {
        freedom.check()?;
        check_names(scene, freedom)?;
        let cast = Cast::of(scene, freedom, moving);
        let (mut actors, mut poses) = (Vec::new(), Vec::new());
        for who in &cast.who {
            let (actor, pose) = match who {
                Who::Robot(index) => actor_of_robot(&scene.robots[*index], world)?,
                Who::Bodies(members) => actor_of_bodies(scene, members)?,
            };
            actors.push(actor);
            poses.push(pose);
        }
        let mut props = Vec::new();
        for &body in &cast.still {
            props.push(prop(&scene.bodies[body]));
        }
        for &robot in &cast.still_robots {
            props.extend(props_of_robot(&scene.robots[robot])?);
        }
        let known: Freedom = freedom_of(&actors, freedom);
        let ensemble = Ensemble::new(actors, props, &known)?;
        let mut repair = Self { scene, ensemble, who: cast.who, poses };
        repair.allow_what_cannot_be_helped();
        Ok(repair)
    }

    /// Lets parts touch that are no pair of the dynamics: links that hang rigidly on a fixed base and what is not dynamic,
    /// and two bodies that a joint exempts.
    fn allow_what_cannot_be_helped(&mut self) {
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
        for [first, second] in pairs {
            // What is no part of the ensemble, a link without a shape, collides with nothing.
            let _ = self.ensemble.allow([&first, &second]);
        }
    }

    /// What moves and what stands still.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The poses of what moves, as the scene has them.
    #[must_use]
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// The nearest poses without overlaps; `None` where these are.
    ///
    /// # Errors
    /// As [`Ensemble::repair`].
    pub fn repair(&self, options: &RepairOptions) -> Result<Option<Repair>, RepairError> {
        self.ensemble.repair(&self.poses, options)
    }

    /// Where bodies and robots are put by a repair; what did not move is not named.
    #[must_use]
    pub fn placed(&self, repair: &Repair) -> ScenePoses {
        let mut placed = ScenePoses::default();
        for ((who, before), after) in self.who.iter().zip(&self.poses).zip(&repair.poses) {
            if before == after {
                continue;
            }
            match who {
                Who::Robot(index) => {
                    let robot = &self.scene.robots[*index];
                    let joints = joint_values(robot, &after.joints, |_, [after, before]| {
                        (after - before).abs() > ROUNDING * (1.0 + before.abs())
                    });
                    placed.robots.insert(robot.name.clone(), RobotPose { base: after.base, joints });
                }
                Who::Bodies(members) => {
                    let motion = after.base * before.base.inverse();
                    for (at, &member) in members.iter().enumerate() {
                        let body = &self.scene.bodies[member];
                        let pose = if at == 0 { after.base } else { motion * body.pose };
                        placed.bodies.insert(body.name.clone(), pose);
                    }
                }
            }
        }
        placed
    }

    /// What moves and what stands still, who that is in the scene, and the poses as the scene has them.
    pub(super) fn into_parts(self) -> (Ensemble, Vec<Who>, Vec<Pose>) {
        (self.ensemble, self.who, self.poses)
    }

    /// How far bodies and bases of robots moved, by name.
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
        let robots = self.scene.robots.iter().filter_map(|robot| {
            let put = placed.robots.get(&robot.name).filter(|put| put.base != robot.pose)?;
            Some((robot.name.clone(), by(&robot.pose, &put.base)))
        });
        bodies.chain(robots).collect()
    }

    /// The configuration of each robot after a repair, by name.
    #[must_use]
    pub fn robots(&self, repair: Option<&Repair>) -> BTreeMap<String, Pose> {
        let poses = repair.map_or(&self.poses, |repair| &repair.poses);
        let of_robot = |(who, pose): (&Who, &Pose)| match who {
            Who::Robot(index) => Some((self.scene.robots[*index].name.clone(), pose.clone())),
            Who::Bodies(_) => None,
        };
        self.who.iter().zip(poses).filter_map(of_robot).collect()
    }
}

/// Who moves and who stands still.
struct Cast {
    who: Vec<Who>,
    still: Vec<usize>,
    still_robots: Vec<usize>,
}

impl Cast {
    fn of(scene: &Scene, freedom: &Freedom, moving: Option<&BTreeSet<String>>) -> Self {
        let index: BTreeMap<&str, usize> =
            scene.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
        let mut group: Vec<usize> = (0..scene.bodies.len()).collect();
        let (mut tied_bodies, mut tied_robots) = (BTreeSet::new(), BTreeSet::new());
        for joint in &scene.joints {
            let ends = joint.bodies.each_ref().map(|name| index.get(name.as_str()).copied());
            if let [Some(a), Some(b)] = ends {
                let (kept, gone) = (group[a].min(group[b]), group[a].max(group[b]));
                group.iter_mut().filter(|at| **at == gone).for_each(|at| *at = kept);
                continue;
            }
            tied_bodies.extend(ends.into_iter().flatten());
            let robots = joint.bodies.iter().filter_map(|name| name.split_once('/'));
            tied_robots.extend(robots.map(|(robot, _)| robot.to_owned()));
        }
        let stays = |body: usize| {
            let BodyDescription { name, kind, .. } = &scene.bodies[body];
            *kind != BodyKind::Dynamic || freedom.fixed.contains(name) || tied_bodies.contains(&body)
        };
        let named = |body: usize| moving.is_none_or(|names| names.contains(&scene.bodies[body].name));
        let (mut who, mut still, mut still_robots) = (Vec::new(), Vec::new(), Vec::new());
        for (robot, description) in scene.robots.iter().enumerate() {
            if tied_robots.contains(&description.name) {
                still_robots.push(robot);
            } else {
                who.push(Who::Robot(robot));
            }
        }
        for first in (0..scene.bodies.len()).filter(|&body| group[body] == body) {
            let members: Vec<_> = (first..scene.bodies.len()).filter(|&body| group[body] == first).collect();
            let moves = !members.iter().any(|&body| stays(body)) && members.iter().any(|&body| named(body));
            if moves {
                who.push(Who::Bodies(members));
            } else {
                still.extend(members);
            }
        }
        Self { who, still, still_robots }
    }
}

/// Refuses a freedom that names nothing of the scene.
fn check_names(scene: &Scene, freedom: &Freedom) -> Result<(), RepairError> {
    let mut known: Vec<String> = scene.bodies.iter().map(|body| body.name.clone()).collect();
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

/// The part of a freedom that the actors know: what stands still needs none.
fn freedom_of(actors: &[Actor], freedom: &Freedom) -> Freedom {
    let is_known = |name: &String| {
        actors.iter().any(|actor| {
            let articulation = actor.mover.articulation();
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
