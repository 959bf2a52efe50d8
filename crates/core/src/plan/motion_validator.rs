//! Continuous collision checking: the time up to which a straight motion of a movable model is proved free.
//!
//! Over an interval of time every pair of bodies approaches by no more than its speed bound times the duration. So when
//! the distance of two bodies in the middle of an interval exceeds that bound over half of it, they are apart in all of
//! it. Intervals are halved, the earlier half first, and only for the pairs that are not proved yet
//! [Lin17 §40.3, conservative advancement; Schwarzer, Saha, Latombe 2005, adaptive bisection].
//!
//! The bounds of speeds are in [`link_speeds`](super::link_speeds). Bodies known by their triangles alone are compared with
//! the triangles of others, and with half-spaces by their convex hulls, which are as far from a half-space as they are.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3};

use super::link_speeds::LinkSpeeds;
use super::segment::Segment;
use crate::geometry::convex::shape::ConvexShape;
use crate::kinematics::articulation::tree::Articulation;
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::signed_distance;
use crate::penetration::generalized::collision_world::{Body as CollisionBody, CollisionWorld};
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::part::Part;
use crate::penetration::generalized::proxy_geometry::{height, plane as plane_of};
use crate::penetration::generalized::shape::Piece;
use crate::proximity::distance::is_within;
use crate::proximity::model::Model;

/// Relative tolerance of the distances of convex pieces: they only have to exceed a bound, and are proved lower bounds. A
/// tighter one costs iterations, a looser one halves intervals that were free.
const ROUGH: f64 = 0.05;

/// A link or an obstacle.
pub(super) struct Body<'a> {
    pub part: Part,
    pieces: &'a [Piece],
    /// Triangles: its own, or a proxy of its pieces where others are known by their triangles alone.
    model: Option<&'a Model>,
    /// Centre [m, body frame] and radius [m] of a bounding sphere.
    pub ball: (Point3<f64>, f64),
    /// Convex hull of its triangles, where it has no pieces: as far from a half-space as they are.
    hull: Option<ConvexShape>,
}

/// Two bodies that must stay apart during a motion.
struct MotionPair {
    bodies: [usize; 2],
    /// Number of joints from each link up to the nearest common ancestor; `usize::MAX`, all of them, where the other body is an
    /// obstacle.
    levels: [usize; 2],
    first_cache: usize,
    /// Whether the second body is a half-space that rests: only the approach along its normal counts.
    is_over_plane: bool,
}

/// Proves straight motions of the only movable model of a collision world free.
pub(super) struct MotionValidator<'a> {
    articulation: &'a Articulation,
    bodies: Vec<Body<'a>>,
    pairs: Vec<MotionPair>,
    caches: Vec<ConvexCache>,
    /// Clearance to maintain [m].
    clearance: f64,
    /// Bound of the approach within an interval [m] below which it is not halved any more.
    pub(super) resolution: f64,
    /// Bound of the approach of each pair per motion [m] in the current segment.
    speeds: Vec<f64>,
    poses: Vec<Isometry3<f64>>,
    pending: Vec<usize>,
    /// Number of segments tested.
    pub(super) validated: u64,
}

impl<'a> MotionValidator<'a> {
    /// A validator for the only movable model of a collision world.
    pub(super) fn new(collision_world: &'a CollisionWorld, clearance: f64, resolution: f64) -> Self {
        let movable = &collision_world.movables()[0];
        let articulation = movable.articulation();
        // The bodies of the collision world are the links with a shape, then the obstacles.
        let links = movable.shapes().iter().flatten().count();
        let mut bodies: Vec<_> =
            collision_world.bodies.iter().map(|body| Body::new(body, collision_world)).collect();
        let has_plane = bodies.iter().any(|body| plane_of(body.pieces, &Isometry3::identity()).is_some());
        for (body, given) in bodies.iter_mut().zip(&collision_world.bodies).filter(|_| has_plane) {
            if let (true, Some(model)) = (body.pieces.is_empty(), &given.model) {
                body.hull = model.hull().map(|hull| ConvexShape::hull(Arc::clone(hull)));
            }
        }
        let mut validator = Self {
            articulation,
            bodies,
            pairs: Vec::new(),
            caches: Vec::new(),
            clearance,
            resolution,
            speeds: Vec::new(),
            poses: Vec::new(),
            pending: Vec::new(),
            validated: 0,
        };
        let convex = collision_world.pairs.iter().map(|pair| pair.bodies);
        let parts = convex.chain(collision_world.mesh_pairs.iter().copied());
        let parts = parts.map(|bodies| bodies.map(|body| collision_world.bodies[body as usize].part));
        // The pairs that the collision world checks: allowed collisions are left out.
        let apart: BTreeSet<[Part; 2]> = parts.collect();
        for i in 0..links {
            for j in i + 1..validator.bodies.len() {
                let [a, b] = [i, j].map(|body| validator.bodies[body].part);
                if apart.contains(&[a, b]) || apart.contains(&[b, a]) {
                    validator.pair_up(i, j);
                }
            }
        }
        validator
    }

    fn pair_up(&mut self, i: usize, j: usize) {
        let [a, b] = [&self.bodies[i], &self.bodies[j]];
        let levels = match (a.part, b.part) {
            (Part::Link { link: first, .. }, Part::Link { link: second, .. }) => {
                let ancestor = self.articulation.common_ancestor(first, second);
                [first, second].map(|link| self.levels_below(ancestor, link))
            }
            _ => [usize::MAX; 2],
        };
        let first_cache = self.caches.len();
        // Hulls in place of pieces need a cache as well.
        let pieces = (a.pieces.len() * b.pieces.len()).max(1);
        let is_over_plane =
            matches!(b.part, Part::Obstacle(_)) && plane_of(b.pieces, &Isometry3::identity()).is_some();
        self.caches.resize_with(first_cache + pieces, ConvexCache::default);
        self.pairs.push(MotionPair { bodies: [i, j], levels, first_cache, is_over_plane });
    }

    /// Number of joints from a link up to one of its ancestors.
    fn levels_below(&self, ancestor: usize, link: usize) -> usize {
        let up = |&link: &usize| self.articulation.parent(link);
        std::iter::successors(Some(link), up).take_while(|&link| link != ancestor).count()
    }

    /// The time in [0, 1] up to which a segment is proved free; 1 for all of it.
    ///
    /// # Errors
    /// [`GeneralizedError`] when its ends do not suit the movable model.
    pub(super) fn free_until(&mut self, segment: &Segment<'_>) -> Result<f64, GeneralizedError> {
        self.validated += 1;
        self.bound_speeds(segment)?;
        // Pairs that do not approach each other stay as free as they were at the start.
        let moving = (0..self.pairs.len()).filter(|&pair| !(self.speeds[pair] <= 0.0)).collect::<Vec<_>>();
        self.pending.clear();
        self.pending.extend(&moving);
        self.interval(segment, [0.0, 1.0], 0..moving.len()).map(|blocked| blocked.unwrap_or(1.0))
    }

    /// Proves an interval of a segment free for the pairs in a range of the pending ones; returns the time up to which it is
    /// proved free where it is not, `None` where it is.
    fn interval(
        &mut self,
        segment: &Segment<'_>,
        [from, to]: [f64; 2],
        range: Range<usize>,
    ) -> Result<Option<f64>, GeneralizedError> {
        let middle = 0.5 * (from + to);
        self.place(segment, middle)?;
        let (first, half) = (self.pending.len(), middle - from);
        let mut is_blocked = false;
        // Unproved pairs are pushed behind the range: `pending` serves as the stack of the recursion.
        for at in range {
            let pair = self.pending[at];
            let nearer = self.speeds[pair] * half;
            if !self.is_farther(pair, nearer + self.clearance) {
                self.pending.push(pair);
                is_blocked |= !(nearer > self.resolution);
            }
        }
        let range = first..self.pending.len();
        let mut blocked = None;
        // A pair below the resolution cannot be proved any more: the interval's beginning is the last safe
        // time.
        if is_blocked {
            blocked = Some(from);
        } else if !range.is_empty() {
            blocked = self.interval(segment, [from, middle], range.clone())?;
            if blocked.is_none() {
                blocked = self.interval(segment, [middle, to], range)?;
            }
        }
        self.pending.truncate(first);
        Ok(blocked)
    }

    fn place(&mut self, segment: &Segment<'_>, time: f64) -> Result<(), GeneralizedError> {
        let pose = segment.at(time);
        let links = self.articulation.link_poses(&pose.joints, &pose.base)?;
        self.poses.clear();
        self.poses.extend(self.bodies.iter().map(|body| match body.part {
            Part::Link { link, .. } => links[link],
            Part::Obstacle(index) => segment.obstacles[index].pose,
        }));
        Ok(())
    }

    /// Whether two bodies are proved to be farther apart than a distance [m] at the current poses.
    fn is_farther(&mut self, pair: usize, distance: f64) -> bool {
        let MotionPair { bodies: [i, j], first_cache, .. } = self.pairs[pair];
        let [a, b] = [&self.bodies[i], &self.bodies[j]];
        let [pose_a, pose_b] = [&self.poses[i], &self.poses[j]];
        // Bounding spheres first: most pairs need no distance query.
        let apart = |one: (Point3<f64>, f64), other: (Point3<f64>, f64)| {
            (pose_a * one.0 - pose_b * other.0).norm() > one.1 + other.1 + distance
        };
        if apart(a.ball, b.ball) {
            return true;
        }
        let (first, second) = (a.pieces, b.pieces);
        if first.is_empty() || second.is_empty() {
            return match (a.model, b.model) {
                (Some(a), Some(b)) => !is_within(a, pose_a, b, pose_b, distance),
                (Some(_), None) => {
                    is_above([(a, pose_a), (b, pose_b)], distance, &mut self.caches[first_cache])
                }
                (None, Some(_)) => {
                    is_above([(b, pose_b), (a, pose_a)], distance, &mut self.caches[first_cache])
                }
                (None, None) => false,
            };
        }
        let options = ConvexOptions { relative_tolerance: ROUGH, ..ConvexOptions::default() };
        let mut cache = first_cache;
        for piece in first {
            let own = pose_a * piece.pose;
            for other in second {
                // The cache advances with every pair of pieces, also with those that are skipped.
                cache += 1;
                if apart(piece.ball, other.ball) {
                    continue;
                }
                let place = pose_b * other.pose;
                let cached = &mut self.caches[cache - 1];
                let found = signed_distance(&piece.shape, &own, &other.shape, &place, &options, cached);
                // Without a proved distance the pair counts as near.
                if !found.is_ok_and(|found| found.value > distance) {
                    return false;
                }
            }
        }
        true
    }

    /// Computes bounds of the approach speed of each pair.
    fn bound_speeds(&mut self, segment: &Segment<'_>) -> Result<(), GeneralizedError> {
        let chains: Vec<LinkSpeeds> = self
            .bodies
            .iter()
            .map(|body| match body.part {
                Part::Link { link, .. } => LinkSpeeds::new(self.articulation, (link, body.ball), segment),
                Part::Obstacle(_) => LinkSpeeds::default(),
            })
            .collect();
        let is_level = self.pairs.iter().any(|pair| pair.is_over_plane);
        let starts = if is_level {
            self.articulation.link_poses(&segment.from.joints, &segment.from.base)?
        } else {
            Vec::new()
        };
        let of_pair = |pair: &MotionPair| {
            let [i, j] = pair.bodies;
            let speed = chains[i].below(pair.levels[0]) + chains[j].below(pair.levels[1]);
            if !pair.is_over_plane {
                return speed;
            }
            let (Part::Link { link, .. }, Part::Obstacle(index)) = (self.bodies[i].part, self.bodies[j].part)
            else {
                return speed;
            };
            match plane_of(self.bodies[j].pieces, &segment.obstacles[index].pose) {
                Some((normal, _)) => {
                    speed.min(chains[i].along(&normal, (self.articulation, link), &starts, segment))
                }
                None => speed,
            }
        };
        self.speeds.clear();
        self.speeds.extend(self.pairs.iter().map(of_pair));
        Ok(())
    }
}

impl<'a> Body<'a> {
    fn new(body: &'a CollisionBody, collision_world: &'a CollisionWorld) -> Self {
        let pieces = &collision_world.pieces[body.pieces.clone()];
        Self { part: body.part, pieces, model: body.model.as_deref(), ball: body.ball, hull: None }
    }
}

/// Whether a body known by its triangles is proved to be farther above a half-space than a distance [m].
fn is_above(
    [(body, pose), (plane, plane_pose)]: [(&Body<'_>, &Isometry3<f64>); 2],
    distance: f64,
    cache: &mut ConvexCache,
) -> bool {
    let (Some(model), Some(at)) = (body.model, plane_of(plane.pieces, plane_pose)) else { return false };
    let (Some(hull), [piece]) = (&body.hull, plane.pieces) else {
        // A flat model has no hull.
        return height(model, pose, &at) > distance;
    };
    let place = plane_pose * piece.pose;
    let options = ConvexOptions { relative_tolerance: ROUGH, ..ConvexOptions::default() };
    signed_distance(hull, pose, &piece.shape, &place, &options, cache)
        .is_ok_and(|found| found.value > distance)
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};

    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Cuboid, Procedural, Torus};
    use crate::geometry::random::SplitMix64;
    use crate::kinematics::Joint;
    use crate::kinematics::articulation::joint::JointKind;
    use crate::penetration::generalized::{Base, MovableModel, Obstacle, Pose, Shape};
    use crate::proximity::{AllowedCollisions, Model};

    const LINKS: usize = 4;

    fn rotation(numbers: &mut SplitMix64) -> UnitQuaternion<f64> {
        let mut next = || 6.0 * numbers.unit_interval() - 3.0;
        UnitQuaternion::from_scaled_axis(Vector3::new(next(), next(), next()))
    }

    /// A chain of bars with joints of both kinds on a floating base, among bars and a ring known by its triangles; over a floor, if
    /// there is one, the bars of the chain are known by their triangles as well.
    fn collision_world(numbers: &mut SplitMix64, has_floor: bool) -> CollisionWorld {
        let bar = |x: f64| {
            let mesh = Cuboid { x, y: 0.1, z: 0.1, ..Cuboid::default() }.mesh().unwrap();
            Shape::of_model(Model::new(mesh, Solidity::Solid))
        };
        let names: Vec<String> = (0..LINKS).map(|link| link.to_string()).collect();
        let mut allowed = AllowedCollisions::default();
        let joint = |at: usize| {
            let axis = Vector3::new(0.3, 1.0, 0.5 * at as f64);
            let kind = if at == 2 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } };
            let origin =
                Isometry3::from_parts(Vector3::new(0.4, 0.0, 0.1).into(), UnitQuaternion::identity());
            Joint::new(&format!("j{at}"), &names[at - 1], &names[at], kind).at(origin)
        };
        (1..LINKS).for_each(|at| allowed.allow(at - 1, at));
        let tree = Articulation::new(names.clone(), (1..LINKS).map(joint).collect()).unwrap();
        let link = |_| Some(if has_floor { bar(0.5).without_pieces() } else { bar(0.5) });
        let shapes = (0..LINKS).map(link).collect();
        let movable = MovableModel::new(tree, shapes, allowed, Base::Floating).unwrap();
        let ring = Torus { major_radius: 0.5, minor_radius: 0.1, segments: 24, sides: 8 }.mesh().unwrap();
        let ring = Shape::of_model(Model::new(ring, Solidity::Solid));
        let mut place = |shape: Shape| {
            let shift = Vector3::from_fn(|_, _| 3.0 * numbers.unit_interval() - 1.5);
            Obstacle { shape, pose: Isometry3::from_parts(shift.into(), rotation(numbers)) }
        };
        let mut obstacles = vec![place(bar(2.0)), place(bar(2.0)), place(ring)];
        if has_floor {
            let floor = Shape::convex(ConvexShape::half_space());
            let pose = Isometry3::new(Vector3::new(0.0, 0.0, -1.0), Vector3::new(0.2, 0.1, 0.0));
            obstacles.push(Obstacle { shape: floor, pose });
        }
        CollisionWorld::new(vec![movable], obstacles).unwrap()
    }

    /// Checks the times of random motions; returns how many were free and how many blocked.
    fn check_times(seed: u64, has_floor: bool) -> [usize; 2] {
        let mut numbers = SplitMix64(seed);
        let (mut free, mut blocked) = (0, 0);
        for round in 0..150 {
            let collision_world = collision_world(&mut numbers, has_floor);
            let mut pose = || Pose {
                base: Isometry3::from_parts(
                    Vector3::from_fn(|_, _| 3.0 * numbers.unit_interval() - 1.5).into(),
                    rotation(&mut numbers),
                ),
                joints: (1..LINKS).map(|_| 2.0 * numbers.unit_interval() - 1.0).collect(),
            };
            let (from, to) = (pose(), pose());
            let resolution = 1e-3;
            if !collision_world.is_free(std::slice::from_ref(&from), 4.0 * resolution).unwrap() {
                continue;
            }
            let segment = Segment::new(&from, &to, collision_world.obstacles());
            let time = MotionValidator::new(&collision_world, 0.0, resolution).free_until(&segment).unwrap();
            for i in 0..=100 {
                let pose = [segment.at(time * f64::from(i) / 100.0)];
                assert!(collision_world.is_free(&pose, 0.0).unwrap(), "{round}");
            }
            if time < 1.0 {
                blocked += 1;
                // Within the interval that could not be halved everything moves by no more than a few resolutions.
                assert!(!collision_world.is_free(&[segment.at(time)], 8.0 * resolution).unwrap(), "{round}");
            } else {
                free += 1;
            }
        }
        [free, blocked]
    }

    #[test]
    fn up_to_the_answered_time_nothing_collides_and_soon_after_something_is_near() {
        let [free, blocked] = check_times(7, false);
        assert!(free > 10 && blocked > 10, "{free} {blocked}");
    }

    #[test]
    fn links_of_triangles_are_proved_free_above_a_half_space_and_blocked_by_it() {
        let [free, blocked] = check_times(8, true);
        assert!(free > 10 && blocked > 10, "{free} {blocked}");
    }

    /// A cart of triangles that slides along and across a floor and rotates on it, a fraction of the resolution above it.
    #[test]
    fn a_motion_that_keeps_its_height_is_free_however_low_it_is() {
        let names = ["ground", "along", "cart"].map(String::from);
        let along = JointKind::Prismatic { axis: Vector3::x() };
        let about = JointKind::Revolute { axis: Vector3::z() };
        let joints = vec![
            Joint::new("j0", &names[0], &names[1], along),
            Joint::new("j1", &names[1], &names[2], about),
        ];
        let tree = Articulation::new(names.to_vec(), joints).unwrap();
        let cart = Cuboid { x: 0.5, y: 0.3, z: 0.2, ..Cuboid::default() }.mesh().unwrap();
        let cart = Shape::of_model(Model::new(cart, Solidity::Solid)).without_pieces();
        let shapes = vec![None, None, Some(cart)];
        let movable = MovableModel::new(tree, shapes, AllowedCollisions::default(), Base::Fixed).unwrap();
        let floor = Shape::convex(ConvexShape::half_space());
        let at = |z: f64| Isometry3::translation(0.0, 0.0, z);
        let world =
            CollisionWorld::new(vec![movable], vec![Obstacle { shape: floor, pose: at(-0.1001) }]).unwrap();
        let pose = |joints: [f64; 2]| Pose { base: Isometry3::identity(), joints: joints.to_vec() };
        let (from, to) = (pose([-2.0, -3.0]), pose([2.0, 3.0]));
        let segment = Segment::new(&from, &to, world.obstacles());
        let mut validator = MotionValidator::new(&world, 0.0, 1e-3);
        assert!(validator.free_until(&segment).unwrap() >= 1.0);
        // A base that inclines meets the floor.
        let tilted = Pose { base: Isometry3::rotation(Vector3::y() * 0.01), ..to.clone() };
        let segment = Segment::new(&from, &tilted, world.obstacles());
        assert!(validator.free_until(&segment).unwrap() < 1.0);
    }
}
