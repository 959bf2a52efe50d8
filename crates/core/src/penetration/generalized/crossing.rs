//! Crossing of obstacles by a short motion between free poses, however thin they are.
//!
//! Two bodies whose distances at both ends of a motion add up to more than any point moves relative to the other body are apart in
//! between. Motions are halved for the other pairs; those that are in contact are never proved apart, as bodies that slide along
//! each other. Where such a pair has moved by no more than a resolution, or overlaps in the middle, as where a straight motion
//! cuts the corner of a round body, the directions of their distance at both ends decide: they are opposite if one body has
//! crossed the other, and nearly the same otherwise.

use nalgebra::{Isometry3, Unit, Vector3};

use super::collision_world::CollisionWorld;
use super::error::GeneralizedError;
use super::pose::Pose;
use super::proxy_geometry::plane;
use crate::penetration::convex::cache::ConvexCache;
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::convex::signed_distance;
use crate::proximity::distance::distance_up_to;

/// Factor on the displacement of a body between two poses, which bounds the length of its path: that of an arc of at most two radians,
/// over its chord, is less.
const PATH: f64 = 1.2;
/// Cosine of the angle between the directions at both ends below which one body has crossed the other.
const OPPOSITE: f64 = 0.0;
/// Maximum number of distances of a motion: it counts as crossing where they do not suffice.
const DISTANCES: usize = 20_000;

/// Two bodies, or two convex pieces of them, that may cross.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    bodies: [usize; 2],
    pieces: Option<[usize; 2]>,
}

/// A distance \[m\] with its direction; `None` where two triangle models overlap.
type Gap = Option<(f64, Unit<Vector3<f64>>)>;

/// A part of a motion: its times, and the poses of all bodies at them.
struct Part<'a> {
    times: [f64; 2],
    poses: [&'a [Isometry3<f64>]; 2],
}

/// The poses of the movable models in [0, 1], and bounds of the work.
struct Crossing<'a> {
    world: &'a CollisionWorld,
    at: &'a dyn Fn(f64) -> Vec<Pose>,
    /// Relative motion below which the directions decide [m].
    resolution: f64,
    distances: usize,
}

impl CollisionWorld {
    /// Whether a body crosses another one in a motion between two free poses, which `at` gives for times in [0, 1]: in which no link
    /// rotates by more than two radians. Motions are halved until nothing moves by more than `resolution` \[m\] relative to
    /// what it is in contact with.
    ///
    /// # Errors
    /// [`GeneralizedError`] when a pose does not suit its movable model.
    pub fn crosses(&self, at: &dyn Fn(f64) -> Vec<Pose>, resolution: f64) -> Result<bool, GeneralizedError> {
        let poses = [self.body_poses(&at(0.0))?, self.body_poses(&at(1.0))?];
        let mut crossing = Crossing { world: self, at, resolution, distances: 0 };
        let part = Part { times: [0.0, 1.0], poses: [&poses[0], &poses[1]] };
        let suspects = crossing.suspects(&part);
        let known = suspects.into_iter().map(|suspect| {
            let gaps = part.poses.map(|poses| crossing.gap(&suspect, poses));
            (suspect, gaps)
        });
        let known = known.collect();
        crossing.part(&part, known)
    }
}

impl Crossing<'_> {
    /// The pairs that are near enough to each other to cross.
    fn suspects(&self, part: &Part<'_>) -> Vec<Suspect> {
        let world = self.world;
        let mut suspects = Vec::new();
        for bodies in world.checked_pairs() {
            let motion = self.motion(bodies, part);
            let [a, b] = bodies.map(|body| &world.bodies[body]);
            // A half-space has no other side.
            let is_plane = |body: usize| {
                plane(&world.pieces[world.bodies[body].pieces.clone()], &part.poses[0][body]).is_some()
            };
            let near = |one: (nalgebra::Point3<f64>, f64), other: (nalgebra::Point3<f64>, f64)| {
                let between = part.poses[0][bodies[0]] * one.0 - part.poses[0][bodies[1]] * other.0;
                between.norm() <= one.1 + other.1 + motion
            };
            if !(motion > 0.0) || bodies.iter().any(|&body| is_plane(body)) || !near(a.ball, b.ball) {
                continue;
            }
            if a.pieces.is_empty() || b.pieces.is_empty() {
                suspects.push(Suspect { bodies, pieces: None });
                continue;
            }
            for i in a.pieces.clone() {
                for j in b.pieces.clone() {
                    if near(world.pieces[i].ball, world.pieces[j].ball) {
                        suspects.push(Suspect { bodies, pieces: Some([i, j]) });
                    }
                }
            }
        }
        suspects
    }

    /// Whether any pair crosses in a part of the motion.
    fn part(&mut self, part: &Part<'_>, known: Vec<(Suspect, [Gap; 2])>) -> Result<bool, GeneralizedError> {
        let distance = |gap: &Gap| gap.map_or(0.0, |(value, _)| value.max(0.0));
        let open: Vec<_> = known
            .into_iter()
            .map(|(suspect, gaps)| (suspect, gaps, self.motion(suspect.bodies, part)))
            .filter(|(_, gaps, motion)| distance(&gaps[0]) + distance(&gaps[1]) <= *motion)
            .collect();
        if open.is_empty() {
            return Ok(false);
        }
        let [from, to] = part.times;
        let middle = 0.5 * (from + to);
        let poses = self.world.body_poses(&(self.at)(middle))?;
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (suspect, gaps, motion) in open {
            if motion <= self.resolution {
                if is_opposite(&gaps) {
                    return Ok(true);
                }
                continue;
            }
            self.distances += 1;
            if self.distances > DISTANCES {
                return Ok(true);
            }
            let gap = self.gap(&suspect, &poses);
            if distance(&gap) > 0.0 {
                first.push((suspect, [gaps[0], gap]));
                second.push((suspect, [gap, gaps[1]]));
            } else if is_opposite(&gaps) {
                return Ok(true);
            }
        }
        let halves = [([from, middle], [part.poses[0], &poses]), ([middle, to], [&poses, part.poses[1]])];
        for ((times, poses), known) in halves.into_iter().zip([first, second]) {
            if self.part(&Part { times, poses }, known)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Bound of the length of the path of any point of one body relative to the other [m].
    fn motion(&self, bodies: [usize; 2], part: &Part<'_>) -> f64 {
        let of_body = |body: usize| {
            let [from, to] = part.poses.map(|poses| &poses[body]);
            if from == to {
                return 0.0;
            }
            let (middle, radius) = self.world.bodies[body].ball;
            (from * middle - to * middle).norm() + radius * from.rotation.angle_to(&to.rotation)
        };
        PATH * (of_body(bodies[0]) + of_body(bodies[1]))
    }

    fn gap(&self, suspect: &Suspect, poses: &[Isometry3<f64>]) -> Gap {
        let [a, b] = suspect.bodies;
        if let Some([i, j]) = suspect.pieces {
            let [first, second] = [i, j].map(|piece| &self.world.pieces[piece]);
            let (own, other) = (poses[a] * first.pose, poses[b] * second.pose);
            let mut cache = ConvexCache::default();
            let options = ConvexOptions::default();
            let found = signed_distance(&first.shape, &own, &second.shape, &other, &options, &mut cache);
            return found.ok().map(|found| (found.value, found.direction));
        }
        let models = [a, b].map(|body| self.world.bodies[body].model.as_deref());
        let [Some(one), Some(other)] = models else { return None };
        let found = distance_up_to(one, &poses[a], other, &poses[b], f64::INFINITY)?;
        let direction = Unit::try_new(found.witnesses[0] - found.witnesses[1], 0.0)?;
        Some((found.value, direction))
    }
}

/// Whether the directions of two distances are opposite.
fn is_opposite(gaps: &[Gap; 2]) -> bool {
    match gaps {
        [Some((_, before)), Some((_, after))] => before.dot(after) < OPPOSITE,
        // Without a direction nothing speaks for the same side.
        _ => true,
    }
}
