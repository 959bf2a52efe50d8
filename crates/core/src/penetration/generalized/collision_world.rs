//! Movable models and obstacles, preprocessed for many queries.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use nalgebra::{Isometry3, Point3, Vector3};

use super::constraint::PoseConstraint;
use super::constraint_frame::ConstraintEnd;
use super::error::GeneralizedError;
use super::movable::{MovableModel, Obstacle};
use super::part::Part;
use super::piece_tree::PieceTree;
use super::pose::Pose;
use super::proxy_geometry;
use super::shape::{Piece, Shape};
use super::tree::KinematicTree;
use super::workspace::Workspace;
use crate::geometry::convex::shape::ConvexShape;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;

/// A link or an obstacle with the data that queries need.
#[derive(Debug, Clone)]
pub struct Body {
    pub part: Part,
    /// Range of its convex pieces; empty where no convex decomposition is known.
    pub(crate) pieces: Range<usize>,
    /// Centre [m, body frame] and radius [m] of a bounding sphere.
    pub ball: (Point3<f64>, f64),
    pub model: Option<Arc<Model>>,
    /// Tree over its pieces: of obstacles of many.
    pub(crate) tree: Option<PieceTree>,
    /// A convex shape that contains its triangles [body frame]; `None` where no pair is to be proved apart by it.
    pub(crate) bound: Option<ConvexShape>,
}

/// Two bodies that must not overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyPair {
    pub(crate) bodies: [u32; 2],
    /// Index of the first cache of their pairs of pieces; those of one piece of A are contiguous.
    pub(crate) first_cache: usize,
}

/// Movable models and obstacles, preprocessed for many queries: collision test, colliding pairs, generalized penetration.
#[derive(Debug)]
pub struct CollisionWorld {
    pub(crate) movables: Vec<MovableModel>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) trees: Vec<KinematicTree>,
    /// Limits of the joints of each movable model [m or rad].
    pub limits: Vec<Vec<[f64; 2]>>,
    /// Bodies of all movable models, then the obstacles.
    pub bodies: Vec<Body>,
    pub(crate) pieces: Vec<Piece>,
    /// Pairs of bodies that both have a convex decomposition.
    pub(crate) pairs: Vec<BodyPair>,
    /// All other pairs: at least one body of each is known by its triangles alone.
    pub mesh_pairs: Vec<[u32; 2]>,
    pub(crate) caches: usize,
    /// Maximum bounding radius of a link [m]: the length to which tolerances are relative.
    pub(crate) size: f64,
    pub(super) constraints: Vec<PoseConstraint>,
    workspaces: Mutex<Vec<Workspace>>,
}

/// Maximum bounding radius of the links that the object norm measures \[m\], which leaves out a floor that is a link.
fn size_of(movables: &[MovableModel], bodies: &[Body]) -> f64 {
    let is_measured = |body: &Body| match body.part {
        Part::Link { movable, link } => movables[movable].norm().extents()[link].is_some(),
        Part::Obstacle(_) => false,
    };
    let radii = bodies.iter().filter(|body| is_measured(body)).map(|body| body.ball.1);
    // Half-spaces are infinite; a world without bounded links takes a metre.
    let size = radii.filter(|radius| radius.is_finite()).fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}

impl CollisionWorld {
    /// The pairs of bodies, by index, that must not collide.
    pub fn checked_pairs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let convex = self.pairs.iter().map(|pair| pair.bodies);
        convex.chain(self.mesh_pairs.iter().copied()).map(|pair| pair.map(|body| body as usize))
    }

    /// Preprocesses movable models and obstacles.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexShape;
    /// use extricate_core::penetration::generalized::{CollisionWorld, GeneralizedOptions, MovableModel, Obstacle, Shape};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// // A cube that has sunk into the ground by a tenth of its edge is lifted by that much.
    /// let cube = Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0)));
    /// let ground = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
    /// let world = CollisionWorld::new(vec![MovableModel::rigid(cube)?], vec![ground])?;
    /// let sunk = [Isometry3::translation(0.0, 0.0, 0.4).into()];
    /// assert!(!world.is_free(&sunk, 0.0)?);
    /// let found = world.penetration(&sunk, &GeneralizedOptions::fast())?.expect("it overlaps");
    /// assert!((found.depth - 0.1).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GeneralizedError::NoValueWithinLimits`] when the limits of joints that mimic one another exclude each other.
    pub fn new(movables: Vec<MovableModel>, obstacles: Vec<Obstacle>) -> Result<Self, GeneralizedError> {
        let limits = movables.iter().map(MovableModel::limits).collect::<Result<Vec<_>, _>>()?;
        let (mut bodies, mut pieces): (Vec<Body>, Vec<Piece>) = (Vec::new(), Vec::new());
        let mut add = |part: Part, shape: &Shape| {
            let first = pieces.len();
            pieces.extend_from_slice(shape.pieces());
            let (ball, model) = (shape.ball(), shape.shared_model());
            bodies.push(Body { part, pieces: first..pieces.len(), ball, model, tree: None, bound: None });
        };
        for (index, movable) in movables.iter().enumerate() {
            for (link, shape) in movable.shapes().iter().enumerate() {
                if let Some(shape) = shape {
                    add(Part::Link { movable: index, link }, shape);
                }
            }
        }
        let size = size_of(&movables, &bodies);
        // Obstacles follow the links, so pairs start at links only: two obstacles are never tested.
        let movable_bodies = bodies.len();
        let mut add = |part: Part, shape: &Shape| {
            let first = pieces.len();
            pieces.extend_from_slice(shape.pieces());
            let (ball, model) = (shape.ball(), shape.shared_model());
            // Only obstacles: the pieces of links are scaled by a growth.
            let tree = PieceTree::new(&pieces[first..]);
            bodies.push(Body { part, pieces: first..pieces.len(), ball, model, tree, bound: None });
        };
        obstacles
            .iter()
            .enumerate()
            .for_each(|(index, obstacle)| add(Part::Obstacle(index), &obstacle.shape));
        if bodies.iter().any(|body| body.pieces.is_empty()) {
            // Bodies known by their triangles alone are tested against triangles, so convex shapes need a proxy mesh.
            for body in bodies.iter_mut().filter(|body| body.model.is_none()) {
                body.model = proxy_geometry::tessellated(&pieces[body.pieces.clone()]).map(Arc::new);
            }
        }
        let (mut variables, mut slots) = (0, 0);
        let trees =
            movables.iter().map(|movable| KinematicTree::new(movable, &mut variables, &mut slots)).collect();
        let mut collision_world = Self {
            movables,
            obstacles,
            trees,
            limits,
            bodies,
            pieces,
            pairs: Vec::new(),
            mesh_pairs: Vec::new(),
            caches: 0,
            size,
            constraints: Vec::new(),
            workspaces: Mutex::new(Vec::new()),
        };
        for a in 0..movable_bodies {
            for b in a + 1..collision_world.bodies.len() {
                collision_world.pair_up(a, b);
            }
        }
        collision_world.bound();
        Ok(collision_world)
    }

    /// Gives the bodies of many pairs of triangle models their convex hulls, which prove most of these pairs apart.
    fn bound(&mut self) {
        if self.mesh_pairs.len() <= FEW_PAIRS {
            return;
        }
        for &body in self.mesh_pairs.iter().flatten() {
            let body = &mut self.bodies[body as usize];
            if let (None, Some(model)) = (&body.bound, &body.model) {
                body.bound = model.hull().map(|hull| ConvexShape::hull(Arc::clone(hull)));
            }
        }
    }

    /// Adds a pair of bodies unless they are allowed to collide.
    fn pair_up(&mut self, a: usize, b: usize) {
        if let (Part::Link { movable, link }, Part::Link { movable: other, link: second }) =
            (self.bodies[a].part, self.bodies[b].part)
            // Allowed collisions are those of links of one model; models always avoid each other.
            && movable == other
            && self.movables[movable].allowed().contains(link, second)
        {
            return;
        }
        let bodies = [a as u32, b as u32];
        let [of_a, of_b] = [a, b].map(|body| self.bodies[body].pieces.len());
        if of_a > 0 && of_b > 0 {
            self.pairs.push(BodyPair { bodies, first_cache: self.caches });
            self.caches += of_a * of_b;
        } else {
            self.mesh_pairs.push(bodies);
        }
    }

    /// Allows two parts to overlap: their pair is excluded from all queries.
    pub fn allow(&mut self, first: Part, second: Part) {
        let is_pair = |bodies: &[u32; 2]| {
            let [a, b] = bodies.map(|body| self.bodies[body as usize].part);
            (a, b) == (first, second) || (b, a) == (first, second)
        };
        self.pairs.retain(|pair| !is_pair(&pair.bodies));
        self.mesh_pairs.retain(|bodies| !is_pair(bodies));
    }

    /// Maximum bounding radius of a link that the object norm measures \[m\]: the length to which tolerances are relative.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The movable models.
    #[must_use]
    pub fn movables(&self) -> &[MovableModel] {
        &self.movables
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The name of a part: the link name, prefixed by the number of its movable model where there are several, or the number of
    /// an obstacle.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Link { movable, link } => {
                let name = &self.movables[movable].articulation().links()[link];
                if self.movables.len() == 1 { name.clone() } else { format!("{movable}/{name}") }
            }
            Part::Obstacle(index) => format!("obstacle {index}"),
        }
    }

    /// Fixes the bases of movable models, and with them rigid bodies.
    ///
    /// # Panics
    /// When there is no such movable model.
    pub fn fix_bases(&mut self, movables: &[usize]) {
        movables.iter().for_each(|&movable| self.movables[movable].fix_base());
        self.plant();
    }

    /// Adds a constraint that all results of [`CollisionWorld::penetration`] keep.
    ///
    /// # Errors
    /// [`GeneralizedError::InvalidConstraint`] when it names a link that there is not, or a number is not finite.
    pub fn constrain(&mut self, constraint: PoseConstraint) -> Result<(), GeneralizedError> {
        let links = self.movables.iter().map(|model| model.articulation().links().len());
        if let Some(why) = constraint.fault(&links.collect::<Vec<_>>()) {
            return Err(GeneralizedError::InvalidConstraint { constraint: constraint.name, why });
        }
        for end in constraint.ends() {
            if let ConstraintEnd::Link { movable, link } = end {
                self.movables[movable].note_constraint(link);
            }
        }
        constraint.massive().into_iter().for_each(|movable| self.movables[movable].note_masses());
        self.constraints.push(constraint);
        self.plant();
        Ok(())
    }

    /// The constraints.
    #[must_use]
    pub fn constraints(&self) -> &[PoseConstraint] {
        &self.constraints
    }

    /// Preprocesses the trees of the movable models anew.
    fn plant(&mut self) {
        let (mut variables, mut slots) = (0, 0);
        self.trees = self
            .movables
            .iter()
            .map(|movable| KinematicTree::new(movable, &mut variables, &mut slots))
            .collect();
        // Workspaces have buffers for the previous number of variables.
        self.workspaces = Mutex::default();
    }

    /// Sets the pose of an obstacle, body to world.
    ///
    /// # Panics
    /// When there is no such obstacle.
    pub fn place(&mut self, obstacle: usize, pose: Isometry3<f64>) {
        self.obstacles[obstacle].pose = pose;
    }

    /// Checks that poses suit these movable models.
    pub(crate) fn check(&self, poses: &[Pose]) -> Result<(), GeneralizedError> {
        let movables = self.movables.len();
        if poses.len() != movables {
            let (given, expected) = (poses.len(), movables);
            return Err(ProximityError::Count { what: "poses", given, expected }.into());
        }
        for (movable, (pose, model)) in poses.iter().zip(&self.movables).enumerate() {
            let mut numbers = pose.base.translation.vector.iter().chain(pose.base.rotation.coords.iter());
            if !numbers.all(|x| x.is_finite()) {
                return Err(GeneralizedError::NotFinite { movable });
            }
            model.articulation().check(&pose.joints)?;
        }
        Ok(())
    }

    /// Whether all joint values are within their limits, up to rounding.
    #[must_use]
    pub fn keeps_limits(&self, poses: &[Pose]) -> bool {
        let mut all =
            poses.iter().zip(&self.limits).flat_map(|(pose, limits)| pose.joints.iter().zip(limits));
        all.all(|(&q, &[lower, upper])| {
            let slack = LIMIT_ROUNDING * (1.0 + q.abs());
            lower - slack <= q && q <= upper + slack
        })
    }

    /// Runs a query with a pooled workspace, whose allocations outlive it.
    pub(crate) fn with_workspace<T>(&self, query: impl FnOnce(&mut Workspace) -> T) -> T {
        // Taken out of the pool, because parallel descents each need their own.
        let pooled = self.workspaces.lock().ok().and_then(|mut pool| pool.pop());
        let mut workspace = pooled.unwrap_or_else(|| Workspace::new(self));
        let answer = query(&mut workspace);
        if let Ok(mut pool) = self.workspaces.lock() {
            pool.push(workspace);
        }
        answer
    }

    /// The pose of every body, body to world: of links from the poses of the movable models, of obstacles their own.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not have as many joints as its movable model.
    pub fn body_poses(&self, poses: &[Pose]) -> Result<Vec<Isometry3<f64>>, GeneralizedError> {
        let of_movables = poses.iter().zip(&self.movables).map(|(pose, movable)| {
            movable.articulation().link_poses(&pose.joints, &pose.base).map_err(GeneralizedError::from)
        });
        let links = of_movables.collect::<Result<Vec<_>, _>>()?;
        let of_body = |body: &Body| match body.part {
            Part::Link { movable, link } => links[movable][link],
            Part::Obstacle(index) => self.obstacles[index].pose,
        };
        Ok(self.bodies.iter().map(of_body).collect())
    }

    /// Vector from the centre of body B to that of body A [m, world].
    pub(crate) fn between(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>]) -> Vector3<f64> {
        let middle = |body: u32| poses[body as usize] * self.bodies[body as usize].ball.0;
        middle(a) - middle(b)
    }
}

impl Clone for CollisionWorld {
    /// A copy that shares the triangle models but not the workspaces.
    fn clone(&self) -> Self {
        Self {
            movables: self.movables.clone(),
            obstacles: self.obstacles.clone(),
            trees: self.trees.clone(),
            limits: self.limits.clone(),
            bodies: self.bodies.clone(),
            pieces: self.pieces.clone(),
            pairs: self.pairs.clone(),
            mesh_pairs: self.mesh_pairs.clone(),
            caches: self.caches,
            size: self.size,
            constraints: self.constraints.clone(),
            workspaces: Mutex::default(),
        }
    }
}

/// Number of pairs of triangle models up to which none has a hull: it would cost more than it saves.
const FEW_PAIRS: usize = 2;

/// Relative tolerance of joint limits: values in files have nine digits. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
pub(crate) const LIMIT_ROUNDING: f64 = 1e-9;
