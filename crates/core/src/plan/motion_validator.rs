//! Continuous collision checking: the time up to which a straight motion of a movable model is proved free.
//!
//! Over an interval of time every pair of bodies approaches by no more than its speed bound times the duration. So when
//! the distance of two bodies in the middle of an interval exceeds that bound over half of it, they are apart in all of
//! it. Intervals are halved, the earlier half first, and only for the pairs that are not proved yet
//! [Lin17 §40.3, conservative advancement; Schwarzer, Saha, Latombe 2005, adaptive bisection].
//!
//! | bound                              | of the speed of any point of a link                                      |
//! |------------------------------------|---------------------------------------------------------------------------|
//! | a revolute joint with q̇            | \|q̇\| times the maximum distance of the point from the joint, along the chain |
//! | a prismatic joint with q̇           | \|q̇\|                                                                     |
//! | the base, with velocities v and ω  | \|v\| + \|ω\| times the maximum distance of the point from the base             |
//!
//! Two links of one movable model count the joints from their nearest common ancestor on.

use std::collections::BTreeSet;
use std::ops::Range;

use nalgebra::{Isometry3, Point3};

use super::segment::Segment;
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::articulation::tree::Articulation;
use crate::kinematics::rigid_motion::RigidMotion;
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::signed_distance;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::part::Part;
use crate::penetration::generalized::shape::Shape;
use crate::proximity::distance::is_within;

/// Relative tolerance of the distances of convex pieces: they only have to exceed a bound, and are proved lower bounds. A
/// tighter one costs iterations, a looser one halves intervals that were free.
const ROUGH: f64 = 0.05;

/// A link or an obstacle.
pub(super) struct Body<'a> {
    pub part: Part,
    shape: &'a Shape,
    /// Centre [m, body frame] and radius [m] of a bounding sphere.
    pub ball: (Point3<f64>, f64),
}

/// Two bodies that must stay apart during a motion.
struct MotionPair {
    bodies: [usize; 2],
    /// Number of joints from each link up to the nearest common ancestor; `usize::MAX`, all of them, where the other body is an
    /// obstacle.
    levels: [usize; 2],
    first_cache: usize,
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
    resolution: f64,
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
        let of_link = |(link, shape): (usize, &'a Option<Shape>)| {
            let shape = shape.as_ref()?;
            Some(Body { part: Part::Link { movable: 0, link }, shape, ball: shape.ball() })
        };
        let mut bodies: Vec<_> = movable.shapes().iter().enumerate().filter_map(of_link).collect();
        let links = bodies.len();
        bodies.extend(collision_world.obstacles().iter().enumerate().map(|(index, obstacle)| Body {
            part: Part::Obstacle(index),
            shape: &obstacle.shape,
            ball: obstacle.shape.ball(),
        }));
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
        let pieces = a.shape.pieces().len() * b.shape.pieces().len();
        self.caches.resize_with(first_cache + pieces, ConvexCache::default);
        self.pairs.push(MotionPair { bodies: [i, j], levels, first_cache });
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
        self.bound_speeds(segment);
        // Pairs that do not approach each other stay as free as they were at the start.
        let moving = (0..self.pairs.len()).filter(|&pair| self.speeds[pair] > 0.0).collect::<Vec<_>>();
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
        let (first, second) = (a.shape.pieces(), b.shape.pieces());
        if first.is_empty() || second.is_empty() {
            return match (a.shape.model(), b.shape.model()) {
                (Some(a), Some(b)) => !is_within(a, pose_a, b, pose_b, distance),
                _ => false,
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
    fn bound_speeds(&mut self, segment: &Segment<'_>) {
        let chains: Vec<Vec<f64>> = self.bodies.iter().map(|body| self.chain_speeds(body, segment)).collect();
        let of_pair = |pair: &MotionPair| {
            let speed = |i: usize| {
                let chain = &chains[pair.bodies[i]];
                // Fixed joints count as a level of speed zero, so that levels and speeds correspond.
                chain[..pair.levels[i].min(chain.len())].iter().sum::<f64>()
            };
            speed(0) + speed(1)
        };
        self.speeds.clear();
        self.speeds.extend(self.pairs.iter().map(of_pair));
    }

    /// The contributions of each joint from a body upwards, and at last of the base, to the speed bound of its points.
    fn chain_speeds(&self, body: &Body<'_>, segment: &Segment<'_>) -> Vec<f64> {
        let Part::Link { link, .. } = body.part else { return Vec::new() };
        let (mut speeds, mut at) = (Vec::new(), link);
        // Maximum distance of a point of the body from each joint's origin, whatever the joints between do.
        let mut reach = body.ball.0.coords.norm() + body.ball.1;
        while let (Some(index), Some(parent)) =
            (self.articulation.parent_joint(at), self.articulation.parent(at))
        {
            let joint = &self.articulation.joints()[index];
            let dependence = self.articulation.dependence(index);
            let ends = dependence.map_or([0.0; 2], |(coordinate, factor, offset)| {
                [segment.from, segment.to].map(|pose| factor * pose.joints[coordinate] + offset)
            });
            let change = (ends[1] - ends[0]).abs();
            speeds.push(match joint.kind {
                JointKind::Fixed => 0.0,
                JointKind::Revolute { .. } => change * reach,
                JointKind::Prismatic { .. } => {
                    // Beyond this joint the point can be farther away by the longest extension of the slider.
                    reach += ends[0].abs().max(ends[1].abs());
                    change
                }
            });
            reach += joint.origin.translation.vector.norm();
            at = parent;
        }
        let base = segment.base.bounds();
        speeds.push(base.speed + base.angular_speed * reach);
        speeds
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};

    use super::*;
    use crate::geometry::Solidity;
    use crate::geometry::procedural::{Cuboid, Procedural, Torus};
    use crate::geometry::random::SplitMix64;
    use crate::kinematics::Joint;
    use crate::penetration::generalized::{Base, MovableModel, Obstacle, Pose};
    use crate::proximity::{AllowedCollisions, Model};

    const LINKS: usize = 4;

    fn rotation(numbers: &mut SplitMix64) -> UnitQuaternion<f64> {
        let mut next = || 6.0 * numbers.unit_interval() - 3.0;
        UnitQuaternion::from_scaled_axis(Vector3::new(next(), next(), next()))
    }

    /// A chain of bars with joints of both kinds on a floating base, among bars and a ring known by its triangles.
    fn collision_world(numbers: &mut SplitMix64) -> CollisionWorld {
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
        let shapes = (0..LINKS).map(|_| Some(bar(0.5))).collect();
        let movable = MovableModel::new(tree, shapes, allowed, Base::Floating).unwrap();
        let ring = Torus { major_radius: 0.5, minor_radius: 0.1, segments: 24, sides: 8 }.mesh().unwrap();
        let ring = Shape::of_model(Model::new(ring, Solidity::Solid));
        let mut place = |shape: Shape| {
            let shift = Vector3::from_fn(|_, _| 3.0 * numbers.unit_interval() - 1.5);
            Obstacle { shape, pose: Isometry3::from_parts(shift.into(), rotation(numbers)) }
        };
        let obstacles = vec![place(bar(2.0)), place(bar(2.0)), place(ring)];
        CollisionWorld::new(vec![movable], obstacles).unwrap()
    }

    #[test]
    fn up_to_the_answered_time_nothing_collides_and_soon_after_something_is_near() {
        let mut numbers = SplitMix64(7);
        let (mut free, mut blocked) = (0, 0);
        for round in 0..150 {
            let collision_world = collision_world(&mut numbers);
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
        assert!(free > 10 && blocked > 10, "{free} {blocked}");
    }
}
