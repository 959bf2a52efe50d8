//! Movers and obstacles, made ready for many queries.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use nalgebra::{Isometry3, Point3, Vector3};

use super::error::GeneralizedError;
use super::mover::{Mover, Obstacle};
use super::part::Part;
use super::pose::Pose;
use super::shape::{Piece, Shape};
use super::stand_in;
use super::tree::Tree;
use super::workspace::Workspace;
use crate::proximity::error::ProximityError;
use crate::proximity::model::Model;

/// A part with all that queries need of it.
#[derive(Debug, Clone)]
pub struct Body {
    pub part: Part,
    /// Its convex pieces; none where it is known by its triangles alone.
    pub(crate) pieces: Range<usize>,
    /// Middle [m, body frame] and radius [m] of a ball around it.
    pub ball: (Point3<f64>, f64),
    pub model: Option<Arc<Model>>,
}

/// Two bodies that must not overlap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyPair {
    pub(crate) bodies: [u32; 2],
    /// The first of the caches of their pairs of pieces; those of one piece of A lie together.
    pub(crate) first_cache: usize,
}

/// Movers and obstacles, made ready for many queries: is it free, what collides, what is the least change that makes it
/// free.
#[derive(Debug)]
pub struct Arrangement {
    pub(crate) movers: Vec<Mover>,
    pub(crate) obstacles: Vec<Obstacle>,
    pub(crate) trees: Vec<Tree>,
    /// Limits of the joints of each mover [m or rad].
    pub limits: Vec<Vec<[f64; 2]>>,
    /// Bodies of all movers, then the obstacles.
    pub bodies: Vec<Body>,
    pub(crate) pieces: Vec<Piece>,
    /// Pairs of bodies that are both unions of convex pieces.
    pub(crate) pairs: Vec<BodyPair>,
    /// Other pairs: at least one of the two is known by its triangles alone.
    pub mesh_pairs: Vec<[u32; 2]>,
    pub(crate) caches: usize,
    /// Greatest radius of a link [m]: the size that tolerances relate to.
    pub(crate) size: f64,
    workspaces: Mutex<Vec<Workspace>>,
}

impl Arrangement {
    /// The pairs of bodies, by index, that must not collide.
    pub fn checked_pairs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let convex = self.pairs.iter().map(|pair| pair.bodies);
        convex.chain(self.mesh_pairs.iter().copied()).map(|pair| pair.map(|body| body as usize))
    }

    /// Makes movers and obstacles ready.
    ///
    /// ```
    /// use extricate_core::geometry::convex::ConvexShape;
    /// use extricate_core::penetration::generalized::{Arrangement, GeneralizedOptions, Mover, Obstacle, Shape};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// // A cube that has sunk into the ground by a tenth of its edge is lifted by as much.
    /// let cube = Shape::convex(ConvexShape::cuboid(Vector3::repeat(1.0)));
    /// let ground = Obstacle { shape: Shape::convex(ConvexShape::half_space()), pose: Isometry3::identity() };
    /// let arrangement = Arrangement::new(vec![Mover::rigid(cube)?], vec![ground])?;
    /// let sunk = [Isometry3::translation(0.0, 0.0, 0.4).into()];
    /// assert!(!arrangement.is_free(&sunk, 0.0)?);
    /// let found = arrangement.penetration(&sunk, &GeneralizedOptions::fast())?.expect("it overlaps");
    /// assert!((found.depth - 0.1).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`GeneralizedError::NoValueWithinLimits`] when the limits of joints that follow one another exclude each other.
    pub fn new(movers: Vec<Mover>, obstacles: Vec<Obstacle>) -> Result<Self, GeneralizedError> {
        let limits = movers.iter().map(Mover::limits).collect::<Result<Vec<_>, _>>()?;
        let (mut bodies, mut pieces): (Vec<Body>, Vec<Piece>) = (Vec::new(), Vec::new());
        let mut add = |part: Part, shape: &Shape| {
            let first = pieces.len();
            pieces.extend_from_slice(shape.pieces());
            let body =
                Body { part, pieces: first..pieces.len(), ball: shape.ball(), model: shape.shared_model() };
            bodies.push(body);
        };
        for (index, mover) in movers.iter().enumerate() {
            for (link, shape) in mover.shapes().iter().enumerate() {
                if let Some(shape) = shape {
                    add(Part::Link { mover: index, link }, shape);
                }
            }
        }
        let size = bodies.iter().map(|body| body.ball.1).filter(|r| r.is_finite()).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        let bodies_that_move = bodies.len();
        let mut add = |part: Part, shape: &Shape| {
            let first = pieces.len();
            pieces.extend_from_slice(shape.pieces());
            let body =
                Body { part, pieces: first..pieces.len(), ball: shape.ball(), model: shape.shared_model() };
            bodies.push(body);
        };
        obstacles
            .iter()
            .enumerate()
            .for_each(|(index, obstacle)| add(Part::Obstacle(index), &obstacle.shape));
        if bodies.iter().any(|body| body.pieces.is_empty()) {
            // Bodies that are known by their triangles alone meet triangles.
            for body in bodies.iter_mut().filter(|body| body.model.is_none()) {
                body.model = stand_in::tessellated(&pieces[body.pieces.clone()]).map(Arc::new);
            }
        }
        let (mut variables, mut slots) = (0, 0);
        let trees = movers.iter().map(|mover| Tree::new(mover, &mut variables, &mut slots)).collect();
        let mut arrangement = Self {
            movers,
            obstacles,
            trees,
            limits,
            bodies,
            pieces,
            pairs: Vec::new(),
            mesh_pairs: Vec::new(),
            caches: 0,
            size,
            workspaces: Mutex::new(Vec::new()),
        };
        for a in 0..bodies_that_move {
            for b in a + 1..arrangement.bodies.len() {
                arrangement.pair_up(a, b);
            }
        }
        Ok(arrangement)
    }

    /// Adds a pair of bodies unless they may collide.
    fn pair_up(&mut self, a: usize, b: usize) {
        if let (Part::Link { mover, link }, Part::Link { mover: other, link: second }) =
            (self.bodies[a].part, self.bodies[b].part)
            && mover == other
            && self.movers[mover].allowed().contains(link, second)
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

    /// Lets two parts overlap: their pair is not looked at any more.
    pub fn allow(&mut self, first: Part, second: Part) {
        let is_pair = |bodies: &[u32; 2]| {
            let [a, b] = bodies.map(|body| self.bodies[body as usize].part);
            (a, b) == (first, second) || (b, a) == (first, second)
        };
        self.pairs.retain(|pair| !is_pair(&pair.bodies));
        self.mesh_pairs.retain(|bodies| !is_pair(bodies));
    }

    /// Greatest radius of a link [m]: the size that tolerances relate to.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size
    }

    /// The movers.
    #[must_use]
    pub fn movers(&self) -> &[Mover] {
        &self.movers
    }

    /// The obstacles.
    #[must_use]
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The name of a part: that of a link, with the mover's number before it where there are several, or the number of
    /// an obstacle.
    ///
    /// # Panics
    /// When there is no such part.
    #[must_use]
    pub fn name_of(&self, part: Part) -> String {
        match part {
            Part::Link { mover, link } => {
                let name = &self.movers[mover].articulation().links()[link];
                if self.movers.len() == 1 { name.clone() } else { format!("{mover}/{name}") }
            }
            Part::Obstacle(index) => format!("obstacle {index}"),
        }
    }

    /// Keeps the bases of movers where they are, and with them rigid bodies.
    ///
    /// # Panics
    /// When there is no such mover.
    pub fn hold(&mut self, movers: &[usize]) {
        movers.iter().for_each(|&mover| self.movers[mover].fix_base());
        let (mut variables, mut slots) = (0, 0);
        self.trees = self.movers.iter().map(|mover| Tree::new(mover, &mut variables, &mut slots)).collect();
        // What queries remember is of as many variables as there were.
        self.workspaces = Mutex::default();
    }

    /// Puts an obstacle elsewhere, body to world.
    ///
    /// # Panics
    /// When there is no such obstacle.
    pub fn place(&mut self, obstacle: usize, pose: Isometry3<f64>) {
        self.obstacles[obstacle].pose = pose;
    }

    /// Whether poses are poses of these movers.
    pub(crate) fn check(&self, poses: &[Pose]) -> Result<(), GeneralizedError> {
        let movers = self.movers.len();
        if poses.len() != movers {
            let (given, expected) = (poses.len(), movers);
            return Err(ProximityError::Count { what: "poses", given, expected }.into());
        }
        for (mover, (pose, model)) in poses.iter().zip(&self.movers).enumerate() {
            let mut numbers = pose.base.translation.vector.iter().chain(pose.base.rotation.coords.iter());
            if !numbers.all(|x| x.is_finite()) {
                return Err(GeneralizedError::NotFinite { mover });
            }
            model.articulation().check(&pose.joints)?;
        }
        Ok(())
    }

    /// Whether all joints are within their limits, to within rounding.
    #[must_use]
    pub fn keeps_limits(&self, poses: &[Pose]) -> bool {
        let mut all =
            poses.iter().zip(&self.limits).flat_map(|(pose, limits)| pose.joints.iter().zip(limits));
        all.all(|(&q, &[lower, upper])| {
            let slack = LIMIT_ROUNDING * (1.0 + q.abs());
            lower - slack <= q && q <= upper + slack
        })
    }

    /// Runs a query with a workspace that outlives it.
    pub(crate) fn with_workspace<T>(&self, query: impl FnOnce(&mut Workspace) -> T) -> T {
        let kept = self.workspaces.lock().ok().and_then(|mut kept| kept.pop());
        let mut workspace = kept.unwrap_or_else(|| Workspace::new(self));
        let answer = query(&mut workspace);
        if let Ok(mut kept) = self.workspaces.lock() {
            kept.push(workspace);
        }
        answer
    }

    /// The pose of every body: of links from the movers' poses, of obstacles their own.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not have as many joints as its mover.
    pub fn body_poses(&self, poses: &[Pose]) -> Result<Vec<Isometry3<f64>>, GeneralizedError> {
        let of_movers = poses.iter().zip(&self.movers).map(|(pose, mover)| {
            mover.articulation().link_poses(&pose.joints, &pose.base).map_err(GeneralizedError::from)
        });
        let links = of_movers.collect::<Result<Vec<_>, _>>()?;
        let of_body = |body: &Body| match body.part {
            Part::Link { mover, link } => links[mover][link],
            Part::Obstacle(index) => self.obstacles[index].pose,
        };
        Ok(self.bodies.iter().map(of_body).collect())
    }

    /// The direction in which the middles of two bodies lie [m, world].
    pub(crate) fn between(&self, [a, b]: [u32; 2], poses: &[Isometry3<f64>]) -> Vector3<f64> {
        let middle = |body: u32| poses[body as usize] * self.bodies[body as usize].ball.0;
        middle(a) - middle(b)
    }
}

impl Clone for Arrangement {
    /// The same movers and obstacles; models are shared, what queries remember is not.
    fn clone(&self) -> Self {
        Self {
            movers: self.movers.clone(),
            obstacles: self.obstacles.clone(),
            trees: self.trees.clone(),
            limits: self.limits.clone(),
            bodies: self.bodies.clone(),
            pieces: self.pieces.clone(),
            pairs: self.pairs.clone(),
            mesh_pairs: self.mesh_pairs.clone(),
            caches: self.caches,
            size: self.size,
            workspaces: Mutex::default(),
        }
    }
}

/// Share of its value by which a joint may be beyond its limit for all its rounding: files give nine digits.
pub(crate) const LIMIT_ROUNDING: f64 = 1e-9;
