//! Robots and bodies that may move, and what stands still, by name.

use nalgebra::{Isometry3, Point3};

use super::answer::{Farthest, Repair};
use super::error::RepairError;
use super::freedom::{self, Freedom};
use super::parts::{Actor, Collision, Prop};
use super::stand_in::{plane, with_triangles, with_triangles_where_needed};
use extricate_core::kinematics::Articulation;
use extricate_core::penetration::Effort;
use extricate_core::penetration::PenetrationError;
use extricate_core::penetration::generalized::{
    Arrangement, Base, CollidingPair, CollisionWatch, GeneralizedCoherence, GeneralizedError,
    GeneralizedOptions, GeneralizedPenetration, Mover, Part, Pose, Shape,
};
use extricate_core::proximity::{AllowedCollisions, Model, distance};

impl Actor {
    /// A rigid body. The volume of a rounded shape that has no closed form is that of a polyhedron around it, up to 4 % larger.
    ///
    /// # Errors
    /// [`RepairError::Norm`] when the shape has no volume, or an infinite one.
    pub fn body(name: &str, shape: Shape) -> Result<Self, RepairError> {
        let articulation = Articulation::new(vec![name.to_owned()], Vec::new())?;
        let allowed = AllowedCollisions::default();
        let make = |shape: &Shape| {
            Mover::new(articulation.clone(), vec![Some(shape.clone())], allowed.clone(), Base::Floating)
        };
        let mover = make(&shape).or_else(|error| {
            let is_infinite = !shape.ball().1.is_finite();
            let measured = if is_infinite { Err(error) } else { make(&with_triangles(&shape)) }?;
            let (norm, allowed) = (measured.norm().clone(), measured.allowed().clone());
            Ok(Mover::with_norm(norm, vec![Some(shape.clone())], allowed, Base::Floating))
        });
        let mover = mover.map_err(in_search)?;
        Ok(Self { prefix: String::new(), base: name.to_owned(), mover })
    }
}

/// Options of a repair.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairOptions {
    /// How much work it may be.
    pub effort: Effort,
    /// Distance that everything shall keep [m].
    pub clearance: f64,
    /// Distance that no point may be moved beyond [m].
    pub max_move: Option<f64>,
    /// Seed of random starts.
    pub seed: u64,
    /// Whether starts share the threads of the current pool; the answer does not depend on it.
    pub parallel: bool,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self { effort: Effort::Best, clearance: 0.0, max_move: None, seed: 0, parallel: true }
    }
}

/// Robots and bodies that may move and what stands still, made ready to be repaired again and again.
///
/// ```
/// use extricate_core::geometry::convex::ConvexShape;
/// use extricate_core::penetration::generalized::{Obstacle, Shape};
/// use extricate_scene::repair::{Actor, Ensemble, Freedom, Prop, RepairOptions};
/// use nalgebra::{Isometry3, Vector3};
///
/// let cube = Actor::body("cube", Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0))))?;
/// let ground = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
/// let ground = Prop { name: "ground".into(), obstacle: ground };
/// let ensemble = Ensemble::new(vec![cube], vec![ground], &Freedom::default())?;
/// let sunk = [Isometry3::translation(0.0, 0.0, 0.4).into()];
/// assert_eq!(ensemble.colliding(&sunk)?[0].names, ["cube", "ground"]);
/// let repair = ensemble.repair(&sunk, &RepairOptions::default())?.expect("it is sunk");
/// assert!(repair.verified_free && (repair.depth - 0.1).abs() < 1e-6);
/// assert_eq!(repair.changes[0].name, "cube");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Ensemble {
    arrangement: Arrangement,
    prefixes: Vec<String>,
    bases: Vec<String>,
    props: Vec<String>,
}

impl Ensemble {
    /// Puts actors and props together; `freedom` says what of the actors stays and what is dear to move.
    ///
    /// # Errors
    /// [`RepairError::UnknownName`] when `freedom` names what is not there, [`RepairError::BadWeight`], and
    /// [`RepairError::Search`] when the limits of joints that follow one another exclude each other.
    pub fn new(actors: Vec<Actor>, props: Vec<Prop>, freedom: &Freedom) -> Result<Self, RepairError> {
        freedom.check()?;
        check_names(&actors, freedom)?;
        let (actors, props) = with_triangles_where_needed(actors, props);
        let (mut movers, mut prefixes, mut bases) = (Vec::new(), Vec::new(), Vec::new());
        for Actor { prefix, base, mut mover } in actors {
            let articulation = mover.articulation().clone();
            freedom.put(&mut mover, |name| target_of(&articulation, name, [&prefix, &base]))?;
            movers.push(mover);
            prefixes.push(prefix);
            bases.push(base);
        }
        let (props, obstacles) = props.into_iter().map(|prop| (prop.name, prop.obstacle)).unzip();
        let arrangement = Arrangement::new(movers, obstacles).map_err(in_search)?;
        Ok(Self { arrangement, prefixes, bases, props })
    }

    /// What is asked: movers and obstacles by number.
    #[must_use]
    pub fn arrangement(&self) -> &Arrangement {
        &self.arrangement
    }

    /// Names of what stands still, in the order of the arrangement's obstacles.
    #[must_use]
    pub fn props(&self) -> &[String] {
        &self.props
    }

    /// Keeps the bases of actors where they are, by their numbers, and with them bodies.
    ///
    /// # Panics
    /// When there is no such actor.
    pub fn hold(&mut self, actors: &[usize]) {
        self.arrangement.hold(actors);
    }

    /// Puts a prop elsewhere, by its number, body to world.
    ///
    /// # Panics
    /// When there is no such prop.
    pub fn place_prop(&mut self, prop: usize, pose: Isometry3<f64>) {
        self.arrangement.place(prop, pose);
    }

    /// Gives a prop another name, by its number.
    ///
    /// # Panics
    /// When there is no such prop.
    pub fn name_prop(&mut self, prop: usize, name: impl Into<String>) {
        self.props[prop] = name.into();
    }

    /// Lets two parts collide, by name: links, bodies or obstacles.
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
        self.arrangement.allow(pair[0], pair[1]);
        Ok(())
    }

    /// Everything that may collide, in order.
    fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let links = self.arrangement.movers().iter().enumerate().flat_map(|(mover, own)| {
            let shaped = move |link: &usize| own.shapes()[*link].is_some();
            (0..own.shapes().len()).filter(shaped).map(move |link| Part::Link { mover, link })
        });
        links.chain((0..self.props.len()).map(Part::Obstacle))
    }

    /// The name of a part.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Obstacle(index) => self.props[index].clone(),
            Part::Link { mover, link } => {
                let articulation = self.arrangement.movers()[mover].articulation();
                if is_body(&self.arrangement.movers()[mover]) {
                    return self.bases[mover].clone();
                }
                format!("{}{}", self.prefixes[mover], articulation.links()[link])
            }
        }
    }

    /// Name of an actor's base.
    pub(super) fn base_of(&self, actor: usize) -> &str {
        &self.bases[actor]
    }

    /// What stands before the names of an actor's joints.
    pub(super) fn prefix_of(&self, actor: usize) -> &str {
        &self.prefixes[actor]
    }

    /// The pairs that collide, and how deep.
    ///
    /// # Errors
    /// [`RepairError::Articulation`] and [`RepairError::Search`] when the poses are none of these actors.
    pub fn colliding(&self, poses: &[Pose]) -> Result<Vec<Collision>, RepairError> {
        Ok(self.named(&self.arrangement.colliding(poses).map_err(in_search)?))
    }

    /// As [`Ensemble::colliding`], where only pairs of which something has moved since the watch was last used are looked at.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn colliding_since(
        &self,
        poses: &[Pose],
        watch: &mut CollisionWatch,
    ) -> Result<Vec<Collision>, RepairError> {
        Ok(self.named(&self.arrangement.colliding_since(poses, watch).map_err(in_search)?))
    }

    /// Whether collision queries of the models find nothing that collides: they know nothing of any search.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn is_verified_free(&self, poses: &[Pose]) -> Result<bool, RepairError> {
        self.arrangement.verify(poses).map_err(in_search)
    }

    /// Least distance of what may not collide [m]; zero or below where something does, infinite where there is no pair.
    ///
    /// # Errors
    /// As [`Ensemble::colliding`].
    pub fn clearance(&self, poses: &[Pose]) -> Result<f64, RepairError> {
        let convex = self.arrangement.clearance(poses, f64::INFINITY).map_err(in_search)?;
        let places = self.arrangement.body_poses(poses).map_err(in_search)?;
        let of_meshes = self.arrangement.mesh_pairs.iter().filter_map(|pair| {
            let [a, b] = pair.map(|body| body as usize);
            let bodies = &self.arrangement.bodies;
            match (&bodies[a].model, &bodies[b].model) {
                (Some(first), Some(second)) => Some(distance(first, &places[a], second, &places[b]).value),
                (Some(model), None) => Some(self.height((model, &places[a]), bodies[b].part)?),
                (None, Some(model)) => Some(self.height((model, &places[b]), bodies[a].part)?),
                (None, None) => None,
            }
        });
        Ok(of_meshes.fold(convex, f64::min))
    }

    /// Height of a model above an obstacle that is a half-space [m].
    fn height(&self, (model, pose): (&Model, &Isometry3<f64>), part: Part) -> Option<f64> {
        let Part::Obstacle(index) = part else { return None };
        let obstacle = &self.arrangement.obstacles()[index];
        let (normal, level) = plane(&obstacle.shape, &obstacle.pose)?;
        let above = |vertex: &Point3<f64>| normal.dot(&(pose * vertex).coords) - level;
        Some(model.mesh().vertices().iter().map(above).fold(f64::INFINITY, f64::min))
    }

    /// The nearest poses without overlaps that were found, within the limits of joints; `None` where these are.
    ///
    /// # Errors
    /// [`RepairError::NotFound`] and [`RepairError::TooFar`] with the best effort; others when the poses are none of these
    /// actors or an option makes no sense.
    pub fn repair(&self, poses: &[Pose], options: &RepairOptions) -> Result<Option<Repair>, RepairError> {
        let found = self.arrangement.penetration(poses, &options.into());
        self.told(poses, options, found)
    }

    /// As [`Ensemble::repair`] for poses of a sequence: what was free before is where the search begins as well.
    ///
    /// # Errors
    /// As [`Ensemble::repair`].
    pub fn repair_coherent(
        &self,
        poses: &[Pose],
        options: &RepairOptions,
        coherence: &mut GeneralizedCoherence,
    ) -> Result<Option<Repair>, RepairError> {
        let found = self.arrangement.penetration_coherent(poses, &options.into(), coherence);
        self.told(poses, options, found)
    }

    /// As [`Ensemble::repair`], with descents from `remembered` poses as well, until `stop` says that it is enough: then the best
    /// that was found so far is the answer.
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
        let found = self.arrangement.penetration_until(poses, &options.into(), remembered, stop);
        self.told(poses, options, found)
    }

    fn told(
        &self,
        poses: &[Pose],
        options: &RepairOptions,
        found: Result<Option<GeneralizedPenetration>, GeneralizedError>,
    ) -> Result<Option<Repair>, RepairError> {
        let found = match found {
            Ok(None) => return Ok(None),
            Ok(Some(found)) => found,
            Err(GeneralizedError::NotFound { best, still }) => {
                let best = Box::new(self.answer(poses, *best)?);
                return Err(RepairError::NotFound { best, still: self.named(&still) });
            }
            Err(other) => return Err(in_search(other)),
        };
        let repair = self.answer(poses, found)?;
        match (options.max_move, &repair.farthest) {
            (Some(limit), Some(farthest)) if !(farthest.distance <= limit) => {
                let Farthest { name, distance } = farthest.clone();
                Err(RepairError::TooFar { name, distance, limit, best: Box::new(repair) })
            }
            _ => Ok(Some(repair)),
        }
    }

    fn answer(&self, before: &[Pose], found: GeneralizedPenetration) -> Result<Repair, RepairError> {
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

/// Whether a mover is a rigid body of one link, which bears the name of its base.
fn is_body(mover: &Mover) -> bool {
    mover.articulation().links().len() == 1
}

impl From<&RepairOptions> for GeneralizedOptions {
    /// The options of the search; how far something may move is judged afterwards.
    fn from(options: &RepairOptions) -> Self {
        let RepairOptions { effort, clearance, seed, parallel, .. } = *options;
        let of_effort = match effort {
            Effort::Fast => Self::fast(),
            Effort::Best => Self::default(),
        };
        Self { clearance, seed, parallel, ..of_effort }
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

/// Refuses a freedom that names what no actor has.
fn check_names(actors: &[Actor], freedom: &Freedom) -> Result<(), RepairError> {
    let knows = |name: &str| {
        actors
            .iter()
            .any(|actor| target_of(actor.mover.articulation(), name, [&actor.prefix, &actor.base]).is_some())
    };
    let Some(name) = freedom.names().find(|name| !knows(name)) else { return Ok(()) };
    let of_actor = |actor: &Actor| {
        let inner =
            if is_body(&actor.mover) { Vec::new() } else { freedom::known(actor.mover.articulation()) };
        let inner = inner.into_iter().map(|name| format!("{}{name}", actor.prefix));
        std::iter::once(actor.base.clone()).chain(inner).collect::<Vec<_>>()
    };
    let known = actors.iter().flat_map(of_actor).collect();
    Err(RepairError::UnknownName { what: "joint, link, base or body", name: name.clone(), known })
}
