//! Sketching poses: robots and bodies of a scene are put where one likes, by number or by hand, and repaired.
//!
//! A [`Sketch`] holds the scene, one [`Ensemble`] of all that may move, and where everything is now, its [`Posture`].
//! Hands set joints and drag links and bodies, through what is in the way if need be; limits of joints are kept. What
//! collides is told after every move; a repair puts everything into the nearest poses without overlaps; and while one
//! drags, the sketch can be followed without overlaps, from where it was free last. Every gesture can be undone.
//! Nothing is drawn here.

mod edit;
mod follow;
mod handle;
mod history;
mod posture;
mod pull;
mod repairing;
mod save;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use nalgebra::Isometry3;

pub use edit::{Dragged, Hand, Set};
pub use follow::{FollowJob, Followed};
pub use handle::{BodyHandle, JointHandle, Place, RobotHandle, Standing, Unit};
pub use posture::Posture;
pub use repairing::{RepairJob, Repaired};
pub use save::Overwrite;

use self::history::History;
use super::scene::Who;
use super::{Collision, Ensemble, Freedom, RepairError, RepairOptions, SceneRepair};
use crate::scene::Scene;
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::{Base, CollisionWatch, Mover, Pose};
use extricate_dynamics::{BodyKind, World};

/// Options of a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct SketchOptions {
    /// What repairs leave where it is, and what is dear to move. Hands may move bodies and bases that are fixed.
    pub freedom: Freedom,
    /// How repairs are made.
    pub repair: RepairOptions,
    /// Time after which a repair answers with the best that was found so far; `None` lets it finish, and then the same
    /// calls give the same answers.
    pub time_budget: Option<Duration>,
    /// How far apart, as a share of the greatest radius of a link, the poses on the way of what follows a sketch are looked at:
    /// it passes through nothing that is thicker than two of these.
    pub resolution: f64,
    /// Steps that can be undone.
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
    options: SketchOptions,
    /// Shared with jobs on other threads; copied where one of these still holds it when an obstacle is moved.
    ensemble: Arc<Ensemble>,
    who: Vec<Who>,
    /// The actor of each robot; none of one that stands still.
    robots: Vec<Option<usize>>,
    /// What each body is.
    bodies: Vec<Role>,
    posture: Posture,
    /// Counts changes of the posture.
    revision: u64,
    history: History,
    watch: CollisionWatch,
    /// What collides, and at which revision.
    collisions: Option<(u64, Vec<Collision>)>,
    /// The poses of the actors where they were free last, as far as following has seen it.
    free: Option<Vec<Pose>>,
}

/// What a body of the scene is in the ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// One of the bodies that move as an actor: its number there.
    Member { actor: usize, at: usize },
    /// An obstacle, and whether a joint ties it to something.
    Prop { prop: usize, tied: bool },
}

impl Sketch {
    /// A sketch that begins with the poses of the scene.
    ///
    /// # Errors
    /// [`RepairError`] when the options name what is not there, or the scene makes no ensemble: something that
    /// moves has no volume.
    ///
    /// # Panics
    /// Never: every body of a scene is an actor or a prop.
    pub fn new(scene: Arc<Scene>, world: &World, options: SketchOptions) -> Result<Self, RepairError> {
        let (ensemble, who, poses) = SceneRepair::new(&scene, world, &options.freedom, None)?.into_parts();
        let arrangement = ensemble.arrangement();
        let props = arrangement.obstacles().iter().map(|obstacle| obstacle.pose).collect();
        let mut robots = vec![None; scene.robots.len()];
        let mut roles: BTreeMap<usize, Role> = BTreeMap::new();
        for (actor, who) in who.iter().enumerate() {
            match who {
                Who::Robot(robot) => robots[*robot] = Some(actor),
                Who::Bodies(members) => {
                    let role = |(at, &body): (usize, &usize)| (body, Role::Member { actor, at });
                    roles.extend(members.iter().enumerate().map(role));
                }
            }
        }
        let role = |(index, body): (usize, &extricate_dynamics::BodyDescription)| {
            let tied = scene.joints.iter().any(|joint| joint.bodies.contains(&body.name));
            let prop = || ensemble.props().iter().position(|name| *name == body.name);
            let standing = || prop().map(|prop| Role::Prop { prop, tied });
            roles.get(&index).copied().or_else(standing).expect("a body that does not move is a prop")
        };
        let bodies = scene.bodies.iter().enumerate().map(role).collect();
        let history = History::new(options.history);
        Ok(Self {
            options,
            who,
            robots,
            bodies,
            posture: Posture { poses, props },
            revision: 0,
            history,
            watch: CollisionWatch::default(),
            collisions: None,
            free: None,
            ensemble: Arc::new(ensemble),
            scene,
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

    /// How repairs are made from now on.
    pub fn set_repair(&mut self, repair: RepairOptions, time_budget: Option<Duration>) {
        (self.options.repair, self.options.time_budget) = (repair, time_budget);
    }

    /// What moves and what stands still.
    #[must_use]
    pub fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// Where everything is now.
    #[must_use]
    pub fn posture(&self) -> &Posture {
        &self.posture
    }

    /// Counts changes: where it is the same, nothing has moved.
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
            let standing = match actor.map(|actor| self.mover(actor).base()) {
                None => Standing::Tied,
                Some(Base::Fixed) => Standing::Fixed,
                Some(Base::Floating) => Standing::Free,
            };
            RobotHandle {
                name: robot.name.clone(),
                joints,
                links: robot.articulation.links().to_vec(),
                base: actor.map_or(robot.pose, |actor| self.posture.poses[actor].base),
                standing,
            }
        };
        self.scene.robots.iter().enumerate().map(handle).collect()
    }

    fn joints_of(&self, actor: usize) -> Vec<JointHandle> {
        let mover = self.mover(actor);
        let articulation = mover.articulation();
        let joint = |(at, &joint): (usize, &usize)| JointHandle {
            name: articulation.joints()[joint].name.clone(),
            unit: if pull::turns(articulation, at) { Unit::Radians } else { Unit::Metres },
            value: self.posture.poses[actor].joints[at],
            limits: self.limits(actor)[at],
            fixed: mover.fixed()[at],
        };
        articulation.coordinates().iter().enumerate().map(joint).collect()
    }

    /// The bodies, in the order of the scene.
    #[must_use]
    pub fn bodies(&self) -> Vec<BodyHandle> {
        let handle = |(index, body): (usize, &extricate_dynamics::BodyDescription)| {
            let standing = match self.bodies[index] {
                Role::Prop { tied: true, .. } => Standing::Tied,
                Role::Member { actor, .. } if self.mover(actor).base() == Base::Floating => Standing::Free,
                _ => Standing::Fixed,
            };
            let with = |who: &Who| match who {
                Who::Bodies(members) => members.iter().filter(|&&other| other != index).copied().collect(),
                Who::Robot(_) => Vec::new(),
            };
            let others: Vec<usize> = match self.bodies[index] {
                Role::Member { actor, .. } => with(&self.who[actor]),
                Role::Prop { .. } => Vec::new(),
            };
            BodyHandle {
                name: body.name.clone(),
                pose: self.pose_of_body(index, &self.posture),
                standing: if body.kind == BodyKind::Dynamic { standing } else { fixed(standing) },
                moves_with: others.into_iter().map(|other| self.scene.bodies[other].name.clone()).collect(),
            }
        };
        self.scene.bodies.iter().enumerate().map(handle).collect()
    }

    /// The pairs that collide now, by name (`robot/link`, or that of a body), and how deep. Only what has moved since the
    /// last call is looked at.
    ///
    /// # Errors
    /// [`RepairError`] when a query fails.
    pub fn colliding(&mut self) -> Result<&[Collision], RepairError> {
        if self.collisions.as_ref().is_none_or(|(revision, _)| *revision != self.revision) {
            let found = self.ensemble.colliding_since(&self.posture.poses, &mut self.watch)?;
            self.collisions = Some((self.revision, found));
        }
        Ok(self.collisions.as_ref().map_or(&[], |(_, found)| found))
    }

    /// All changes until [`Sketch::release`] are one step to be undone.
    pub fn hold(&mut self) {
        self.history.hold();
    }

    /// The hand lets go: what is dragged next is a step of its own.
    pub fn release(&mut self) {
        self.history.release();
    }

    /// Takes back the last step; whether there was one.
    pub fn undo(&mut self) -> bool {
        let before = self.history.undo(&self.posture);
        before.map(|before| self.put(before)).is_some()
    }

    /// Makes the last step that was taken back again; whether there was one.
    pub fn redo(&mut self) -> bool {
        let after = self.history.redo(&self.posture);
        after.map(|after| self.put(after)).is_some()
    }

    /// Steps that can be undone, and made again.
    #[must_use]
    pub fn steps(&self) -> [usize; 2] {
        self.history.steps()
    }

    /// Puts everything elsewhere.
    fn put(&mut self, posture: Posture) {
        let moved = |(prop, (pose, before)): (usize, (&Isometry3<f64>, &Isometry3<f64>))| {
            (pose != before).then_some((prop, *pose))
        };
        let props = posture.props.iter().zip(&self.posture.props).enumerate();
        let props: Vec<_> = props.filter_map(moved).collect();
        if !props.is_empty() {
            let ensemble = Arc::make_mut(&mut self.ensemble);
            props.iter().for_each(|(prop, pose)| ensemble.place_prop(*prop, *pose));
        }
        self.posture = posture;
        self.revision += 1;
    }

    /// Makes a step, of a drag or by itself; nothing where nothing changes.
    fn change(&mut self, posture: Posture, drag: Option<&str>) {
        if posture != self.posture {
            self.history.note(&self.posture, drag);
            self.put(posture);
        }
    }

    fn mover(&self, actor: usize) -> &Mover {
        &self.ensemble.arrangement().movers()[actor]
    }

    /// Limits of an actor's joints.
    fn limits(&self, actor: usize) -> &[[f64; 2]] {
        &self.ensemble.arrangement().limits[actor]
    }
}

/// What of a standing is left to what no repair moves.
fn fixed(standing: Standing) -> Standing {
    if standing == Standing::Free { Standing::Fixed } else { standing }
}

#[cfg(test)]
mod tests;
