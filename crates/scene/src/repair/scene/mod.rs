//! Ensemble of a scene: movable bodies and robots, obstacles, and pairs that may touch.
//!
//! Robots move: their joints, and floating bases. Of the bodies, the dynamic ones that overlap
//! something move; the others are fixed, unless no solution is found without them. Bodies attached to each other by joints move as one
//! rigid body, and not at all where one of them is fixed; a robot that a joint attaches to a body is fixed, and so is that body.

mod actors;

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Isometry3;

use self::actors::{actor_of_bodies, actor_of_robot, obstacle_of_body, obstacles_of_robot, parts};
use super::{Actor, Ensemble, Freedom, Moved, Repair, RepairError, RepairOptions};
use crate::scene::schema::JointValue;
use crate::scene::{RobotPose, Scene, ScenePoses};
use extricate_core::kinematics::{Joint, JointKind};
use extricate_core::penetration::generalized::Pose;
use extricate_dynamics::{BodyDescription, BodyKind, RobotBase, RobotDescription, World};

/// Change of a joint, relative to one plus its value, that rounding alone can cause: smaller changes are not written.
const ROUNDING: f64 = 1e-14;

/// The bodies and robots of a scene, preprocessed for repairs.
#[derive(Debug)]
pub struct SceneRepair<'a> {
    scene: &'a Scene,
    ensemble: Ensemble,
    sources: Vec<ActorSource>,
    poses: Vec<Pose>,
}

/// Source of an actor in the scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActorSource {
    /// A robot, by index.
    Robot(usize),
    /// Bodies that move as one, by index; the first one's frame is that of the actor.
    Bodies(Vec<usize>),
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
        freedom.check()?;
        check_names(scene, freedom)?;
        let division = Division::of(scene, freedom, moving);
        let (mut actors, mut poses) = (Vec::new(), Vec::new());
        for source in &division.sources {
            let (actor, pose) = match source {
                ActorSource::Robot(index) => actor_of_robot(&scene.robots[*index], world)?,
                ActorSource::Bodies(members) => actor_of_bodies(scene, members)?,
            };
            actors.push(actor);
            poses.push(pose);
        }
        let mut obstacles = Vec::new();
        for &body in &division.fixed_bodies {
            obstacles.push(obstacle_of_body(&scene.bodies[body]));
        }
        for &robot in &division.fixed_robots {
            obstacles.extend(obstacles_of_robot(&scene.robots[robot])?);
        }
        let known: Freedom = freedom_of(&actors, freedom);
        let ensemble = Ensemble::new(actors, obstacles, &known)?;
        let mut repair = Self { scene, ensemble, sources: division.sources, poses };
        repair.allow_exempt_pairs();
        Ok(repair)
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
        for [first, second] in pairs {
            // Unknown names are those of links without a shape, which collide with nothing.
            let _ = self.ensemble.allow([&first, &second]);
        }
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
        for ((source, before), after) in self.sources.iter().zip(&self.poses).zip(&repair.poses) {
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
            }
        }
        placed
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
        let of_robot = |(source, pose): (&ActorSource, &Pose)| match source {
            ActorSource::Robot(index) => Some((self.scene.robots[*index].name.clone(), pose.clone())),
            ActorSource::Bodies(_) => None,
        };
        self.sources.iter().zip(poses).filter_map(of_robot).collect()
    }
}

/// Division of a scene into actors and obstacles.
struct Division {
    sources: Vec<ActorSource>,
    fixed_bodies: Vec<usize>,
    fixed_robots: Vec<usize>,
}

impl Division {
    fn of(scene: &Scene, freedom: &Freedom, moving: Option<&BTreeSet<String>>) -> Self {
        let index: BTreeMap<&str, usize> =
            scene.bodies.iter().enumerate().map(|(index, body)| (body.name.as_str(), index)).collect();
        // The group of bodies that joints connect is the smallest index among them.
        let mut group: Vec<usize> = (0..scene.bodies.len()).collect();
        let (mut tied_bodies, mut tied_robots) = (BTreeSet::new(), BTreeSet::new());
        for joint in &scene.joints {
            let ends = joint.bodies.each_ref().map(|name| index.get(name.as_str()).copied());
            if let [Some(a), Some(b)] = ends {
                let (root, merged) = (group[a].min(group[b]), group[a].max(group[b]));
                group.iter_mut().filter(|at| **at == merged).for_each(|at| *at = root);
                continue;
            }
            // A joint to a link of a robot: the body cannot join the robot's articulation, so that both are fixed.
            tied_bodies.extend(ends.into_iter().flatten());
            let robots = joint.bodies.iter().filter_map(|name| name.split_once('/'));
            tied_robots.extend(robots.map(|(robot, _)| robot.to_owned()));
        }
        let stays = |body: usize| {
            let BodyDescription { name, kind, .. } = &scene.bodies[body];
            *kind != BodyKind::Dynamic || freedom.fixed.contains(name) || tied_bodies.contains(&body)
        };
        let named = |body: usize| moving.is_none_or(|names| names.contains(&scene.bodies[body].name));
        let (mut sources, mut fixed_bodies, mut fixed_robots) = (Vec::new(), Vec::new(), Vec::new());
        for (robot, description) in scene.robots.iter().enumerate() {
            if tied_robots.contains(&description.name) {
                fixed_robots.push(robot);
            } else {
                sources.push(ActorSource::Robot(robot));
            }
        }
        for first in (0..scene.bodies.len()).filter(|&body| group[body] == body) {
            let members: Vec<_> = (first..scene.bodies.len()).filter(|&body| group[body] == first).collect();
            // One fixed member fixes the group; one named member suffices to move it.
            let moves = !members.iter().any(|&body| stays(body)) && members.iter().any(|&body| named(body));
            if moves {
                sources.push(ActorSource::Bodies(members));
            } else {
                fixed_bodies.extend(members);
            }
        }
        Self { sources, fixed_bodies, fixed_robots }
    }
}

/// Refuses a freedom with a name unknown to the scene.
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
