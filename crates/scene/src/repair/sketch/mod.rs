//! Sketching poses: robots and bodies of a scene are posed by number or by dragging, and repaired.
//!
//! A [`Sketch`] holds the scene, one [`Ensemble`] of everything that may move, and its current [`Posture`].
//! Edits set joints and drag links and bodies, through obstacles if need be, but within joint limits. Colliding
//! pairs are reported after every edit; a repair moves everything to the nearest poses without overlaps; and during
//! a drag the sketch can be followed without overlaps, from the last free poses. Every edit can be undone.
//! Nothing is drawn here.

mod edit;
mod follow;
mod handle;
mod history;
mod inverse_kinematics;
mod posture;
mod repair_job;
mod save;
mod start;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;

pub use edit::{DragMode, Dragged, JointSetting};
pub use follow::{FollowJob, Followed};
pub use handle::{BodyHandle, JointHandle, Mobility, NamedPose, RobotHandle, Unit};
pub use posture::Posture;
pub use repair_job::{RepairJob, Repaired};
pub use save::Overwrite;

use self::history::History;
use super::scene::source::ActorSource;
use super::{Collision, Ensemble, Freedom, RepairError, RepairOptions, SceneRepair};
use crate::record::WorldState;
use crate::scene::Scene;
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::{Base, CollisionMonitor, MovableModel, Pose};
use extricate_dynamics::{BodyKind, World};

/// Options of a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct SketchOptions {
    /// Parts that repairs leave fixed, and weights of the others. Edits may move bodies and bases that are fixed.
    pub freedom: Freedom,
    /// Options of repairs.
    pub repair: RepairOptions,
    /// Time after which a repair returns the best poses found so far; `None` lets it finish, and then the same
    /// calls give the same results.
    pub time_budget: Option<Duration>,
    /// Distance between samples of the path when a sketch is followed, as a fraction of the maximum radius of a link: corners are cut
    /// by no more than that. Halving it doubles the number of samples.
    pub resolution: f64,
    /// Maximum number of steps that can be undone.
    pub history: usize,
}

impl Default for SketchOptions {
    fn default() -> Self {
        Self {
            freedom: Freedom::default(),
            repair: RepairOptions { effort: Effort::Best, ..RepairOptions::default() },
            time_budget: None,
            resolution: 0.02,
            history: 256,
        }
    }
}

/// A scene that is being posed.
///
/// ```
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use std::sync::Arc;
///
/// use extricate_scene::repair::{Sketch, SketchOptions};
/// use extricate_scene::scene::Scene;
///
/// let scene = Arc::new(Scene::load("scenes/repair/three_link.ron")?);
/// let world = scene.world()?;
/// let mut sketch = Sketch::new(scene, &world, SketchOptions::default())?;
/// assert!(!sketch.colliding()?.is_empty());
/// let repaired = sketch.repair()?.expect("it overlaps");
/// assert!(repaired.repair.verified_free && repaired.repair.limits_kept);
/// assert!(sketch.colliding()?.is_empty());
/// assert!(sketch.undo());
/// assert!(!sketch.colliding()?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Sketch {
    scene: Arc<Scene>,
    /// The scene as it was when the sketch began: where its simulation had moved it.
    start: Arc<Scene>,
    options: SketchOptions,
    /// Shared with jobs on other threads; copied where one of these still holds it when an obstacle is moved.
    ensemble: Arc<Ensemble>,
    sources: Vec<ActorSource>,
    /// Actor of each robot; none where the robot is an obstacle.
    robots: Vec<Option<usize>>,
    /// Role of each body, then of each soft body.
    bodies: Vec<Role>,
    posture: Posture,
    /// Counts changes of the posture.
    revision: u64,
    history: History,
    monitor: CollisionMonitor,
    /// Colliding pairs, and the revision that they belong to.
    collisions: Option<(u64, Vec<Collision>)>,
    /// Last free poses of the actors, as far as following has found them.
    free: Option<Vec<Pose>>,
}

/// Role of a body of the scene in the ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// One of the bodies that move as an actor: its index there.
    Member { actor: usize, at: usize },
    /// An obstacle, and whether a joint attaches it to another part.
    Obstacle { obstacle: usize, tied: bool },
}

impl Sketch {
    /// A sketch that begins with the poses of the scene.
    ///
    /// # Errors
    /// [`RepairError`] when the options have an unknown name, or the scene does not form an ensemble: a movable
    /// part has no volume.
    ///
    /// # Panics
    /// Never: every body of a scene is an actor or an obstacle.
    pub fn new(scene: Arc<Scene>, world: &World, options: SketchOptions) -> Result<Self, RepairError> {
        Self::from_start(Arc::clone(&scene), scene, world, options)
    }

    /// A sketch that begins where a simulation of the scene is: with the poses of its state, and with soft bodies as they are deformed
    /// there. Soft bodies move rigidly; a scene that is saved has them at rest, at the poses that fit best.
    ///
    /// # Errors
    /// As [`Sketch::new`].
    pub fn at_state(
        scene: Arc<Scene>,
        world: &World,
        state: &WorldState,
        options: SketchOptions,
    ) -> Result<Self, RepairError> {
        let start = Arc::new(start::scene_at(&scene, state));
        Self::from_start(scene, start, world, options)
    }

    fn from_start(
        scene: Arc<Scene>,
        start: Arc<Scene>,
        world: &World,
        options: SketchOptions,
    ) -> Result<Self, RepairError> {
        let (ensemble, sources, poses) =
            SceneRepair::with_rigid_groups(&start, world, &options.freedom)?.into_parts();
        let collision_world = ensemble.collision_world();
        let obstacles = collision_world.obstacles().iter().map(|obstacle| obstacle.pose).collect();
        let mut robots = vec![None; scene.robots.len()];
        let rigid = scene.bodies.len();
        let mut roles: BTreeMap<usize, Role> = BTreeMap::new();
        for (actor, source) in sources.iter().enumerate() {
            match source {
                ActorSource::Robot(robot) => robots[*robot] = Some(actor),
                ActorSource::Bodies(members) => {
                    let role = |(at, &body): (usize, &usize)| (body, Role::Member { actor, at });
                    roles.extend(members.iter().enumerate().map(role));
                }
                ActorSource::Soft(body) => {
                    roles.insert(rigid + body, Role::Member { actor, at: 0 });
                }
                // Bodies of a sketch that joints attach to each other move as one.
                ActorSource::Linkage(_) => {}
            }
        }
        let names = scene.bodies.iter().map(|body| &body.name);
        let soft = scene.soft_bodies.iter().map(|body| &body.name);
        let role = |(index, own): (usize, &String)| {
            // A soft body that is an obstacle is held by handles or by other bodies.
            let tied = index >= rigid || scene.joints.iter().any(|joint| joint.bodies.contains(own));
            let obstacle = || ensemble.obstacle_names().iter().position(|name| name == own);
            let obstacle_role = || obstacle().map(|obstacle| Role::Obstacle { obstacle, tied });
            roles
                .get(&index)
                .copied()
                .or_else(obstacle_role)
                .expect("a body that does not move is an obstacle")
        };
        let bodies = names.chain(soft).enumerate().map(role).collect();
        let history = History::new(options.history);
        Ok(Self {
            options,
            sources,
            robots,
            bodies,
            posture: Posture { poses, obstacles },
            revision: 0,
            history,
            monitor: CollisionMonitor::default(),
            collisions: None,
            free: None,
            ensemble: Arc::new(ensemble),
            scene,
            start,
        })
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &SketchOptions {
        &self.options
    }

    /// Sets the options of further repairs.
    pub fn set_repair(&mut self, repair: RepairOptions, time_budget: Option<Duration>) {
        (self.options.repair, self.options.time_budget) = (repair, time_budget);
    }

    /// The ensemble.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The current posture.
    #[must_use]
    pub fn posture(&self) -> &Posture {
        &self.posture
    }

    /// Number of changes: where it is the same, nothing has moved.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The robots, with their joints, in the order of the scene.
    #[must_use]
    pub fn robots(&self) -> Vec<RobotHandle> {
        let handle = |(index, robot): (usize, &extricate_dynamics::RobotDescription)| {
            let actor = self.robots[index];
            let joints = actor.map_or_else(Vec::new, |actor| self.joints_of(actor));
            let mobility = match actor.map(|actor| self.movable(actor).base()) {
                // Only a joint to a body makes an obstacle of a robot.
                None => Mobility::Tied,
                Some(Base::Fixed) => Mobility::Fixed,
                Some(Base::Floating) => Mobility::Free,
            };
            RobotHandle {
                name: robot.name.clone(),
                joints,
                links: robot.articulation.links().to_vec(),
                base: actor.map_or(self.start.robots[index].pose, |actor| self.posture.poses[actor].base),
                mobility,
            }
        };
        self.scene.robots.iter().enumerate().map(handle).collect()
    }

    fn joints_of(&self, actor: usize) -> Vec<JointHandle> {
        let movable = self.movable(actor);
        let articulation = movable.articulation();
        let joint = |(at, &joint): (usize, &usize)| JointHandle {
            name: articulation.joints()[joint].name.clone(),
            unit: if inverse_kinematics::is_revolute(articulation, at) {
                Unit::Radians
            } else {
                Unit::Metres
            },
            value: self.posture.poses[actor].joints[at],
            limits: self.limits(actor)[at],
            fixed: movable.fixed()[at],
        };
        articulation.coordinates().iter().enumerate().map(joint).collect()
    }

    /// The bodies, in the order of the scene, then the soft bodies.
    #[must_use]
    pub fn bodies(&self) -> Vec<BodyHandle> {
        let handle = |(index, body): (usize, &extricate_dynamics::BodyDescription)| {
            let mobility = match self.bodies[index] {
                Role::Obstacle { tied: true, .. } => Mobility::Tied,
                Role::Member { actor, .. } if self.movable(actor).base() == Base::Floating => Mobility::Free,
                _ => Mobility::Fixed,
            };
            let with = |source: &ActorSource| match source {
                ActorSource::Bodies(members) => {
                    members.iter().filter(|&&other| other != index).copied().collect()
                }
                ActorSource::Robot(_) | ActorSource::Linkage(_) | ActorSource::Soft(_) => Vec::new(),
            };
            let others: Vec<usize> = match self.bodies[index] {
                Role::Member { actor, .. } => with(&self.sources[actor]),
                Role::Obstacle { .. } => Vec::new(),
            };
            BodyHandle {
                name: body.name.clone(),
                pose: self.pose_of_body(index, &self.posture),
                // Repairs move dynamic bodies only.
                mobility: if body.kind == BodyKind::Dynamic { mobility } else { fixed(mobility) },
                moves_with: others.into_iter().map(|other| self.scene.bodies[other].name.clone()).collect(),
            }
        };
        let soft = |(index, body): (usize, &extricate_dynamics::SoftBodyDescription)| {
            let role = self.scene.bodies.len() + index;
            let is_free = matches!(self.bodies[role], Role::Member { .. });
            BodyHandle {
                name: body.name.clone(),
                pose: self.pose_of_body(role, &self.posture),
                mobility: if is_free { Mobility::Free } else { Mobility::Tied },
                moves_with: Vec::new(),
            }
        };
        let rigid = self.scene.bodies.iter().enumerate().map(handle);
        rigid.chain(self.scene.soft_bodies.iter().enumerate().map(soft)).collect()
    }

    /// Pairs that collide now, by name (`robot/link`, or that of a body), with their depths. Only parts that have moved since the
    /// last call are queried.
    ///
    /// # Errors
    /// [`RepairError`] when a query fails.
    pub fn colliding(&mut self) -> Result<&[Collision], RepairError> {
        if self.collisions.as_ref().is_none_or(|(revision, _)| *revision != self.revision) {
            let found = self.ensemble.colliding_since(&self.posture.poses, &mut self.monitor)?;
            self.collisions = Some((self.revision, found));
        }
        Ok(self.collisions.as_ref().map_or(&[], |(_, found)| found))
    }

    /// Groups all changes until [`Sketch::end_undo_group`] into one undo step.
    pub fn begin_undo_group(&mut self) {
        self.history.begin_group();
    }

    /// Ends the group or drag: the next change is a step of its own.
    pub fn end_undo_group(&mut self) {
        self.history.end_group();
    }

    /// Undoes the last step; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let before = self.history.undo(&self.posture);
        before.map(|before| self.put(before)).is_some()
    }

    /// Redoes the last undone step; returns whether there was one.
    pub fn redo(&mut self) -> bool {
        let after = self.history.redo(&self.posture);
        after.map(|after| self.put(after)).is_some()
    }

    /// Numbers of steps that can be undone, and redone.
    #[must_use]
    pub fn steps(&self) -> [usize; 2] {
        self.history.steps()
    }

    /// Replaces the posture.
    fn put(&mut self, posture: Posture) {
        let moved = |(obstacle, (pose, before)): (usize, (&Isometry3<f64>, &Isometry3<f64>))| {
            (pose != before).then_some((obstacle, *pose))
        };
        let obstacles = posture.obstacles.iter().zip(&self.posture.obstacles).enumerate();
        let obstacles: Vec<_> = obstacles.filter_map(moved).collect();
        if !obstacles.is_empty() {
            // Copies the ensemble where a job on another thread still uses it.
            let ensemble = Arc::make_mut(&mut self.ensemble);
            obstacles.iter().for_each(|(obstacle, pose)| ensemble.place_obstacle(*obstacle, *pose));
        }
        self.posture = posture;
        self.revision += 1;
    }

    /// Makes a step, of a drag or by itself; none where nothing changes.
    fn change(&mut self, posture: Posture, drag: Option<&str>) {
        if posture != self.posture {
            self.history.note(&self.posture, drag);
            self.put(posture);
        }
    }

    fn movable(&self, actor: usize) -> &MovableModel {
        &self.ensemble.collision_world().movables()[actor]
    }

    /// Joint limits of an actor.
    fn limits(&self, actor: usize) -> &[[f64; 2]] {
        &self.ensemble.collision_world().limits[actor]
    }
}

/// Mobility of a part that repairs do not move.
fn fixed(mobility: Mobility) -> Mobility {
    if mobility == Mobility::Free { Mobility::Fixed } else { mobility }
}

#[cfg(test)]
mod start_tests;
#[cfg(test)]
mod tests;
