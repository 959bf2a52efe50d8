//! Robots and bodies that may move, and obstacles, by name.

use std::time::{Duration, Instant};

use nalgebra::{Isometry3, Point3};

use super::answer::{Farthest, Repair};
use super::error::RepairError;
use super::freedom::{self, Freedom};
use super::parts::{Actor, Collision, NamedObstacle};
use super::proxy_geometry::{plane, with_triangles, with_triangles_where_needed};
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::Effort;
use extricate_core::penetration::generalized::{
    Base, CollidingPair, CollisionMonitor, CollisionWorld, ConstraintEnd, GeneralizedCoherence,
    GeneralizedError, GeneralizedOptions, GeneralizedPenetration, GeneralizedStart, MovableModel, Part, Pose,
    PoseConstraint, Shape, WorkBounds,
};
use extricate_core::penetration::{PenetrationError, default_clearance};
use extricate_core::proximity::{AllowedCollisions, Model, distance};

/// Result of a search.
type Found = Result<Option<GeneralizedPenetration>, GeneralizedError>;

impl Actor {
    /// A rigid body. The volume of a rounded shape that has no closed form is that of a polyhedron around it, up to 4 % larger.
    ///
    /// # Errors
    /// [`RepairError::Norm`] when the shape has no volume, or an infinite one.
    pub fn body(name: &str, shape: Shape) -> Result<Self, RepairError> {
        let articulation = Articulation::new(vec![name.to_owned()], Vec::new())?;
        let allowed = AllowedCollisions::default();
        let make = |shape: &Shape| {
            MovableModel::new(
                articulation.clone(),
                vec![Some(shape.clone())],
                allowed.clone(),
                Base::Floating,
            )
        };
        // Some rounded shapes have no norm in closed form: that of proxy triangles is taken, with the exact shape.
        let movable = make(&shape).or_else(|error| {
            let is_infinite = !shape.ball().1.is_finite();
            let measured = if is_infinite { Err(error) } else { make(&with_triangles(&shape)) }?;
            let (norm, allowed) = (measured.norm().clone(), measured.allowed().clone());
            Ok(MovableModel::with_norm(norm, vec![Some(shape.clone())], allowed, Base::Floating))
        });
        let movable = movable.map_err(in_search)?;
        Ok(Self { prefix: String::new(), base: name.to_owned(), movable })
    }
}

/// Options of a repair.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairOptions {
    /// Effort of the search.
    pub effort: Effort,
    /// Distance that all pairs must keep \[m\]; by default [`Ensemble::default_clearance`], for poses that are not free.
    pub clearance: Option<f64>,
    /// Maximum displacement of any point \[m\]; unlimited if none.
    pub max_move: Option<f64>,
    /// Seed of random starts.
    pub seed: u64,
    /// Bounds of the work of the search.
    pub work: WorkBounds,
    /// Time after which the best result so far is returned, which is then not reproducible; unlimited if none.
    pub time_budget: Option<Duration>,
    /// Whether starts share the threads of the current pool; the result does not depend on it.
    pub parallel: bool,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            effort: Effort::Best,
            clearance: None,
            max_move: None,
            seed: 0,
            work: WorkBounds::default(),
            time_budget: None,
            parallel: true,
        }
    }
}

/// Robots and bodies that may move, and obstacles, preprocessed for repeated repairs.
///
/// ```
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_core::penetration::generalized::{Obstacle, Shape};
/// use extricate_scene::repair::{Actor, Ensemble, Freedom, NamedObstacle, RepairOptions};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Actor::body("cube", Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0))))?;
/// let ground = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
/// let ground = NamedObstacle { name: "ground".into(), obstacle: ground };
/// let ensemble = Ensemble::new(vec![cube], vec![ground], &Freedom::default())?;
/// let sunk = [Isometry3::translation(0.0, 0.0, 0.4).into()];
/// assert_eq!(ensemble.colliding(&sunk)?[0].names, ["cube", "ground"]);
/// let repair = ensemble.repair(&sunk, &RepairOptions::default())?.expect("it is sunk");
/// let depth = 0.1 + ensemble.default_clearance();
/// assert!(repair.verified_free && (repair.depth - depth).abs() < 1e-6);
/// assert_eq!(repair.changes[0].name, "cube");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ensemble {
    collision_world: CollisionWorld,
    prefixes: Vec<String>,
    bases: Vec<String>,
    obstacle_names: Vec<String>,
}

impl Ensemble {
    /// Collects actors and obstacles; `freedom` fixes parts of the actors and weights their motion.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when `freedom` has an unknown name, [`RepairError::BadWeight`], and
    /// [`RepairError::Search`] when the limits of joints that mimic one another exclude each other.
    pub fn new(
        actors: Vec<Actor>,
        obstacles: Vec<NamedObstacle>,
        freedom: &Freedom,
    ) -> Result<Self, RepairError> {
        freedom.check()?;
        check_names(&actors, freedom)?;
        let (actors, obstacles) = with_triangles_where_needed(actors, obstacles);
        let (mut movables, mut prefixes, mut bases) = (Vec::new(), Vec::new(), Vec::new());
        for Actor { prefix, base, mut movable } in actors {
            let articulation = movable.articulation().clone();
            freedom.apply(&mut movable, |name| target_of(&articulation, name, [&prefix, &base]))?;
            movables.push(movable);
            prefixes.push(prefix);
            bases.push(base);
        }
        let (obstacle_names, obstacles) =
            obstacles.into_iter().map(|named| (named.name, named.obstacle)).unzip();
        let collision_world = CollisionWorld::new(movables, obstacles).map_err(in_search)?;
        Ok(Self { collision_world, prefixes, bases, obstacle_names })
    }

    /// The collision world: movable models and obstacles by index.
    #[must_use]
    pub fn collision_world(&self) -> &CollisionWorld {
        &self.collision_world
    }

    /// Names of the obstacles, in the order of the collision world.
    #[must_use]
    pub fn obstacle_names(&self) -> &[String] {
        &self.obstacle_names
    }

    /// Fixes the bases of actors, by index; bodies thereby stay where they are.
    ///
    /// # Panics
    /// When there is no such actor.
    pub fn fix_bases(&mut self, actors: &[usize]) {
        self.collision_world.fix_bases(actors);
    }

    /// Moves an obstacle, by index, to a pose, body to world.
    ///
    /// # Panics
    /// When there is no such obstacle.
    pub fn place_obstacle(&mut self, obstacle: usize, pose: Isometry3<f64>) {
        self.collision_world.place(obstacle, pose);
    }

    /// Renames an obstacle, by index.
    ///
    /// # Panics
    /// When there is no such obstacle.
    pub fn rename_obstacle(&mut self, obstacle: usize, name: impl Into<String>) {
        self.obstacle_names[obstacle] = name.into();
    }

    /// Allows two parts to collide, by name: links, bodies or obstacles.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when a part does not exist.
    pub fn allow(&mut self, names: [&str; 2]) -> Result<(), RepairError> {
        let [first, second] =
            names.map(|name| self.parts().find(|part| self.name_of(*part) == name).ok_or(name));
        let unknown = |name: &str| RepairError::UnknownName {
            what: "link, body or obstacle",
            name: name.to_owned(),
            known: self.parts().map(|part| self.name_of(part)).collect(),
        };
        let pair = [first.map_err(unknown)?, second.map_err(unknown)?];
        self.collision_world.allow(pair[0], pair[1]);
        Ok(())
    }

    /// Adds a constraint that all repairs keep.
    ///
    /// # Errors
    /// [`RepairError::Search`] when it names a link that there is not, or a number is not finite.
    pub fn constrain(&mut self, constraint: PoseConstraint) -> Result<(), RepairError> {
        self.collision_world.constrain(constraint).map_err(in_search)
    }

    /// The link or body of an actor with a name, with or without a shape.
    pub(super) fn carrier(&self, name: &str) -> Option<ConstraintEnd> {
        let movables = self.collision_world.movables().iter().enumerate();
        let links =
            movables.flat_map(|(movable, own)| (0..own.shapes().len()).map(move |link| (movable, link)));
        let found =
            links.into_iter().find(|&(movable, link)| self.name_of(Part::Link { movable, link }) == name);
        found.map(|(movable, link)| ConstraintEnd::Link { movable, link })
    }

    /// The names that [`Ensemble::carrier`] knows: those of links with a shape.
    pub(super) fn carriers(&self) -> Vec<String> {
        let is_link = |part: &Part| matches!(part, Part::Link { .. });
        self.parts().filter(is_link).map(|part| self.name_of(part)).collect()
    }

    /// All parts that may collide, in order.
    fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let links = self.collision_world.movables().iter().enumerate().flat_map(|(movable, own)| {
            let shaped = move |link: &usize| own.shapes()[*link].is_some();
            (0..own.shapes().len()).filter(shaped).map(move |link| Part::Link { movable, link })
        });
        links.chain((0..self.obstacle_names.len()).map(Part::Obstacle))
    }

    /// The name of a part.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Obstacle(index) => self.obstacle_names[index].clone(),
            Part::Link { movable, link } => {
                let articulation = self.collision_world.movables()[movable].articulation();
                // A body has one link, whose name is that of the body.
                if is_body(&self.collision_world.movables()[movable]) {
                    return self.bases[movable].clone();
                }
                format!("{}{}", self.prefixes[movable], articulation.links()[link])
            }
        }
    }

    /// Name of an actor's base.
    pub(super) fn base_of(&self, actor: usize) -> &str {
        &self.bases[actor]
    }

    /// Prefix of the names of an actor's joints and links.
    pub(super) fn prefix_of(&self, actor: usize) -> &str {
        &self.prefixes[actor]
    }

    /// Colliding pairs, with their depths.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] and [`RepairError::Search`] when the poses do not fit the actors.
    pub fn colliding(&self, poses: &[Pose]) -> Result<Vec<Collision>, RepairError> {
        Ok(self.named(&self.collision_world.colliding(poses).map_err(in_search)?))
    }

    /// As [`Ensemble::colliding`], but only pairs with a part that has moved since the last use of `monitor` are queried.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn colliding_since(
        &self,
        poses: &[Pose],
        monitor: &mut CollisionMonitor,
    ) -> Result<Vec<Collision>, RepairError> {
        Ok(self.named(&self.collision_world.colliding_since(poses, monitor).map_err(in_search)?))
    }

    /// Whether collision queries of the models, independent of any search, find no colliding pair.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn is_verified_free(&self, poses: &[Pose]) -> Result<bool, RepairError> {
        self.collision_world.verify(poses).map_err(in_search)
    }

    /// Minimum distance of the pairs that may not collide \[m\]; zero or below where one does, infinite where there is no pair.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn clearance(&self, poses: &[Pose]) -> Result<f64, RepairError> {
        let convex = self.collision_world.clearance(poses, f64::INFINITY).map_err(in_search)?;
        let body_poses = self.collision_world.body_poses(poses).map_err(in_search)?;
        // The convex clearance does not cover pairs that are known by their triangles.
        let of_meshes = self.collision_world.mesh_pairs.iter().filter_map(|pair| {
            let [a, b] = pair.map(|body| body as usize);
            let bodies = &self.collision_world.bodies;
            match (&bodies[a].model, &bodies[b].model) {
                (Some(first), Some(second)) => {
                    Some(distance(first, &body_poses[a], second, &body_poses[b]).value)
                }
                (Some(model), None) => Some(self.height((model, &body_poses[a]), bodies[b].part)?),
                (None, Some(model)) => Some(self.height((model, &body_poses[b]), bodies[a].part)?),
                (None, None) => None,
            }
        });
        Ok(of_meshes.fold(convex, f64::min))
    }

    /// Lower bound of the depth √σ \[m\] of every repair of these poses; zero where none is known. It is that of one pair of convex parts,
    /// proved by separation in the object norm
    /// ([`CollisionWorld::lower_bound`](extricate_core::penetration::generalized::CollisionWorld::lower_bound)).
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn lower_bound(&self, poses: &[Pose]) -> Result<f64, RepairError> {
        self.collision_world.lower_bound(poses, 0.0).map_err(in_search)
    }

    /// Height of a model above an obstacle that is a half-space [m].
    fn height(&self, (model, pose): (&Model, &Isometry3<f64>), part: Part) -> Option<f64> {
        let Part::Obstacle(index) = part else { return None };
        let obstacle = &self.collision_world.obstacles()[index];
        let (normal, level) = plane(&obstacle.shape, &obstacle.pose)?;
        let above = |vertex: &Point3<f64>| normal.dot(&(pose * vertex).coords) - level;
        Some(model.mesh().vertices().iter().map(above).fold(f64::INFINITY, f64::min))
    }

    /// Clearance of a repair whose options state none \[m\]: 1e-4 of the diameter of the largest moving part, at least 1e-5.
    /// Other collision libraries at their default tolerances take smaller gaps for contact: of poses free by 1e-8 m coal
    /// refused 28 of 35, and none with 1e-5 m.
    #[must_use]
    pub fn default_clearance(&self) -> f64 {
        default_clearance(2.0 * self.collision_world.size())
    }

    /// Nearest poses found without overlaps, within joint limits; `None` where the given poses are such.
    ///
    /// # Errors
    /// [`RepairError::NotFound`] and [`RepairError::TooFar`] with the best effort; others when the poses do not fit the
    /// actors or an option is invalid.
    pub fn repair(&self, poses: &[Pose], options: &RepairOptions) -> Result<Option<Repair>, RepairError> {
        self.search(poses, options, &mut |options| self.collision_world.penetration(poses, options))
    }

    /// As [`Ensemble::repair`] for poses of a sequence: the search also starts from the free poses found before.
    ///
    /// # Errors
    /// As [`Ensemble::repair`].
    pub fn repair_coherent(
        &self,
        poses: &[Pose],
        options: &RepairOptions,
        coherence: &mut GeneralizedCoherence,
    ) -> Result<Option<Repair>, RepairError> {
        self.search(poses, options, &mut |options| {
            self.collision_world.penetration_coherent(poses, options, coherence)
        })
    }

    /// As [`Ensemble::repair`], with descents from `remembered` poses as well, until `stop` returns true: then the best
    /// poses found so far are the result.
    ///
    /// # Errors
    /// As [`Ensemble::repair`]; [`RepairError::NotFound`] also where it was stopped before anything was found.
    pub fn repair_until(
        &self,
        poses: &[Pose],
        options: &RepairOptions,
        remembered: &[Vec<Pose>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Repair>, RepairError> {
        self.search(poses, options, &mut |options| {
            self.collision_world.penetration_until(poses, options, remembered, stop)
        })
    }

    /// The repair that `run` finds with the clearance of the options, or with the default one.
    fn search(
        &self,
        poses: &[Pose],
        options: &RepairOptions,
        run: &mut dyn FnMut(&GeneralizedOptions) -> Found,
    ) -> Result<Option<Repair>, RepairError> {
        let started = Instant::now();
        let mut run = |clearance, start, work| {
            // All searches share the budget.
            let time_budget = options.time_budget.map(|budget| budget.saturating_sub(started.elapsed()));
            run(&GeneralizedOptions { clearance, start, work, time_budget, ..options.into() })
        };
        // Before much work is done for the default clearance, a search without one may find poses that are nearer.
        let short = WorkBounds { max_without_result: options.work.max, ..options.work };
        let found = match options.clearance {
            Some(clearance) => run(clearance, None, options.work),
            // Bodies at rest on each other are free: they are not moved for the sake of the default.
            None if self.collision_world.is_solution(poses, 0.0).map_err(in_search)? => {
                run(0.0, None, options.work)
            }
            None => match run(self.default_clearance(), None, short) {
                // Some parts cannot get so far from each other.
                Err(GeneralizedError::NotFound { .. }) => {
                    self.with_less_clearance(&mut |clearance, start| run(clearance, start, options.work))
                }
                found => found,
            },
        };
        let found = match found {
            Ok(None) => return Ok(None),
            Ok(Some(found)) => found,
            Err(GeneralizedError::NotFound { best, still }) => {
                // The best effort is reported like a repair, so that callers can show it.
                let best = Box::new(self.repair_of(poses, *best)?);
                return Err(RepairError::NotFound { best, still: self.named(&still) });
            }
            Err(other) => return Err(in_search(other)),
        };
        let repair = self.repair_of(poses, found)?;
        match (options.max_move, &repair.farthest) {
            // Negated, so that NaN is refused.
            (Some(limit), Some(farthest)) if !(farthest.distance <= limit) => {
                let Farthest { name, distance } = farthest.clone();
                Err(RepairError::TooFar { name, distance, limit, best: Box::new(repair) })
            }
            _ => Ok(Some(repair)),
        }
    }

    /// The repair with the largest clearance of the default, its lower bound and none that is found: from the free poses of a
    /// search without clearance the others are often near.
    fn with_less_clearance(&self, run: &mut dyn FnMut(f64, Option<GeneralizedStart>) -> Found) -> Found {
        let Some(touching) = run(0.0, None)? else { return Ok(None) };
        let minimum = default_clearance(0.0);
        let from_touching = || Some(GeneralizedStart::Given(touching.poses.clone()));
        let attempts =
            [(self.default_clearance(), from_touching()), (minimum, from_touching()), (minimum, None)];
        for (clearance, start) in attempts {
            if let Ok(Some(found)) = run(clearance, start) {
                return Ok(Some(found));
            }
        }
        Ok(Some(touching))
    }

    fn repair_of(&self, before: &[Pose], found: GeneralizedPenetration) -> Result<Repair, RepairError> {
        let changes = self.changes(before, &found.poses)?;
        let farthest = self.farthest(before, &found.poses)?;
        Ok(Repair::new(found, changes, farthest))
    }

    fn named(&self, pairs: &[CollidingPair]) -> Vec<Collision> {
        let named = |pair: &CollidingPair| Collision {
            names: pair.parts.map(|part| self.name_of(part)),
            depth: Some(pair.depth).filter(|depth| depth.is_finite()),
        };
        pairs.iter().map(named).collect()
    }
}

/// Whether a movable model is a rigid body: one link, with the name of its base.
fn is_body(movable: &MovableModel) -> bool {
    movable.articulation().links().len() == 1
}

impl From<&RepairOptions> for GeneralizedOptions {
    /// The options of the search; the maximum displacement is checked afterwards.
    fn from(options: &RepairOptions) -> Self {
        let RepairOptions { effort, clearance, seed, work, time_budget, parallel, .. } = *options;
        let clearance = clearance.unwrap_or_default();
        let of_effort = match effort {
            Effort::Fast => Self::fast(),
            Effort::Best => Self::default(),
        };
        Self { clearance, seed, work, time_budget, parallel, ..of_effort }
    }
}

pub(super) fn in_search(error: GeneralizedError) -> RepairError {
    match error {
        GeneralizedError::Articulation(source) => RepairError::Articulation(source),
        GeneralizedError::Penetration(PenetrationError::Link { link, source }) => {
            RepairError::Norm { name: link, source: *source }
        }
        other => RepairError::Search(Box::new(other)),
    }
}

pub(super) fn target_of(
    articulation: &Articulation,
    name: &str,
    [prefix, base]: [&String; 2],
) -> Option<freedom::Target> {
    if name == base {
        return freedom::target(articulation, name, base);
    }
    freedom::target(articulation, name.strip_prefix(prefix.as_str())?, "")
}

/// Refuses a freedom with a name that no actor has.
fn check_names(actors: &[Actor], freedom: &Freedom) -> Result<(), RepairError> {
    let knows = |name: &str| {
        actors.iter().any(|actor| {
            target_of(actor.movable.articulation(), name, [&actor.prefix, &actor.base]).is_some()
        })
    };
    let Some(name) = freedom.names().find(|name| !knows(name)) else { return Ok(()) };
    let of_actor = |actor: &Actor| {
        let inner =
            if is_body(&actor.movable) { Vec::new() } else { freedom::known(actor.movable.articulation()) };
        let inner = inner.into_iter().map(|name| format!("{}{name}", actor.prefix));
        std::iter::once(actor.base.clone()).chain(inner).collect::<Vec<_>>()
    };
    let known = actors.iter().flat_map(of_actor).collect();
    Err(RepairError::UnknownName { what: "joint, link, base or body", name: name.clone(), known })
}
