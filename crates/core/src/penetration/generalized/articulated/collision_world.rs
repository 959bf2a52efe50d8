//! One movable model of a collision world as a configuration space, and the free configurations that the strategies find for
//! all movable models.

use nalgebra::{Isometry3, Point3, Vector3};

use super::configuration_space::{ConfigurationSpace, FirstContact};
use super::perturbation::successive_perturbation;
use super::projection::{Direction, contact_space_projection};
use super::translation::{constrained_translation, free_directions, min_translation};
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::motion::Motion;
use crate::penetration::generalized::collision_world::CollisionWorld;
use crate::penetration::generalized::movable::Base;
use crate::penetration::generalized::options::GeneralizedStart;
use crate::penetration::generalized::part::Part;
use crate::penetration::generalized::pose::Pose;
use crate::penetration::generalized::work::{COLLISION, FIRST_CONTACT, SPHERES};
use crate::proximity::articulated;
use crate::proximity::articulated::contact::{ArticulatedMotion, ContactPartner, MovingObstacle};
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::articulated::model::ArticulatedModel;
use crate::proximity::continuous::ContinuousOptions;
use crate::proximity::distance::distance_up_to;

/// Number of samples of a motion where not all bodies have triangle models to follow continuously, and halvings at the first
/// that collides. More samples miss fewer thin obstacles, at the cost of one collision query each.
const SAMPLES: u32 = 32;
const BISECTIONS: u32 = 12;

/// A movable model among obstacles and other movable models, which are static.
struct SingleMovable<'a> {
    collision_world: &'a CollisionWorld,
    movable: usize,
    /// Poses of all movable models; that of this one is overwritten.
    poses: Vec<Pose>,
    parents: Vec<Option<usize>>,
    /// The links with their triangles, if all bodies have them.
    models: Option<ArticulatedModel>,
    /// Work of the queries so far.
    work: u64,
}

impl<'a> SingleMovable<'a> {
    fn new(collision_world: &'a CollisionWorld, movable: usize, poses: &[Pose]) -> Self {
        let articulation = collision_world.movables()[movable].articulation();
        let parents = (0..articulation.links().len()).map(|link| articulation.parent(link)).collect();
        // Continuous collision detection takes one articulated model among obstacles.
        let alone = collision_world.movables().len() == 1;
        let models = if alone { Self::models(collision_world, movable) } else { None };
        Self { collision_world, movable, poses: poses.to_vec(), parents, models, work: 0 }
    }

    fn models(collision_world: &CollisionWorld, movable: usize) -> Option<ArticulatedModel> {
        let movable = &collision_world.movables()[movable];
        let all =
            movable.shapes().iter().flatten().chain(collision_world.obstacles().iter().map(|o| &o.shape));
        if !all.into_iter().all(|shape| shape.model().is_some()) {
            return None;
        }
        let models =
            movable.shapes().iter().map(|shape| shape.as_ref().and_then(|shape| shape.model().cloned()));
        Some(ArticulatedModel::of_models(movable.articulation().clone(), models.collect()))
    }

    fn at(&mut self, configuration: &[f64]) -> &[Pose] {
        self.poses[self.movable].joints.copy_from_slice(configuration);
        &self.poses
    }

    /// The first contact by continuous collision detection of the triangle models; outer `None` where that is not available.
    fn followed(&self, models: &ArticulatedModel, from: &[f64], to: &[f64]) -> Option<Option<FirstContact>> {
        let base = self.poses[self.movable].base;
        let motion = ArticulatedMotion { from, to, base: Motion::still(&base) };
        let obstacle = |obstacle: &'a crate::penetration::generalized::Obstacle| {
            Some(MovingObstacle { model: obstacle.shape.model()?, motion: Motion::still(&obstacle.pose) })
        };
        let obstacles = self.collision_world.obstacles().iter().map(obstacle).collect::<Option<Vec<_>>>()?;
        let allowed: &AllowedCollisions = self.collision_world.movables()[self.movable].allowed();
        let options = ContinuousOptions::default();
        let Some(found) = articulated(models, &motion, &obstacles, Some(allowed), &options).ok()? else {
            return Some(None);
        };
        let mut links = vec![found.link];
        if let ContactPartner::Link(other) = found.other {
            links.push(other);
        }
        let time = self.back_from(models, (from, to), (found.link, found.other), found.time)?;
        Some(Some(FirstContact { time, links }))
    }

    /// A time before that of a contact at which the gap exceeds the contact tolerance.
    fn back_from(
        &self,
        models: &ArticulatedModel,
        (from, to): (&[f64], &[f64]),
        (link, other): (usize, ContactPartner),
        time: f64,
    ) -> Option<f64> {
        /// Gap, in contact tolerances, at which the models count as apart. Half and twice change neither depths nor the
        /// number of steps (docs/sensitivity.md).
        const GAPS: f64 = 4.0;
        /// First step back, as a fraction of the motion; it doubles. Half and twice change neither depths nor the
        /// number of steps (docs/sensitivity.md).
        const STEP: f64 = 1e-5;
        let base = self.poses[self.movable].base;
        let first = models.model(link)?;
        let (mut back, mut step) = (time, STEP);
        loop {
            let at = from.iter().zip(to).map(|(a, b)| a + (b - a) * back).collect::<Vec<_>>();
            let poses = models.articulation().link_poses(&at, &base).ok()?;
            let (second, pose): (_, Isometry3<f64>) = match other {
                ContactPartner::Link(other) => (models.model(other)?, poses[other]),
                ContactPartner::Obstacle(index) => {
                    let obstacle = self.collision_world.obstacles().get(index)?;
                    (obstacle.shape.model()?, obstacle.pose)
                }
            };
            let gap =
                GAPS * ContinuousOptions::default().relative_tolerance * first.radius().min(second.radius());
            if back <= 0.0 || distance_up_to(first, &poses[link], second, &pose, gap).is_none() {
                return Some(back.max(0.0));
            }
            back = (time - step).max(0.0);
            step *= 2.0;
        }
    }

    /// The first contact by samples, refined by bisection at the first that collides.
    fn sampled(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact> {
        let between =
            |fraction: f64| from.iter().zip(to).map(|(a, b)| a + (b - a) * fraction).collect::<Vec<_>>();
        let blocked = (1..=SAMPLES)
            .map(|i| f64::from(i) / f64::from(SAMPLES))
            .find(|&fraction| !self.is_free(&between(fraction)))?;
        let (mut free, mut blocked) = (blocked - 1.0 / f64::from(SAMPLES), blocked);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (free + blocked);
            if self.is_free(&between(middle)) { free = middle } else { blocked = middle }
        }
        Some(FirstContact { time: free, links: self.colliding(&between(blocked)) })
    }
}

impl ConfigurationSpace for SingleMovable<'_> {
    fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    fn coordinate(&self, link: usize) -> Option<usize> {
        let movable = &self.collision_world.movables()[self.movable];
        let joint = movable.articulation().parent_joint(link)?;
        let (coordinate, ..) = movable.articulation().dependence(joint)?;
        (!movable.fixed()[coordinate]).then_some(coordinate)
    }

    fn limits(&self, coordinate: usize) -> [f64; 2] {
        self.collision_world.limits[self.movable][coordinate]
    }

    fn scale(&self, coordinate: usize) -> f64 {
        let articulation = self.collision_world.movables()[self.movable].articulation();
        match articulation.joints()[articulation.coordinates()[coordinate]].kind {
            JointKind::Prismatic { .. } => self.collision_world.size,
            _ => 1.0,
        }
    }

    fn colliding(&mut self, configuration: &[f64]) -> Vec<usize> {
        self.work += work_of_test(self.collision_world);
        let movable = self.movable;
        let collision_world = self.collision_world;
        // A configuration with as many values as joints is always a valid pose of the movable model.
        let pairs = collision_world.colliding(self.at(configuration)).unwrap_or_default();
        let parts = pairs.iter().flat_map(|pair| pair.parts);
        let mut links: Vec<usize> = parts
            .filter_map(|part| match part {
                Part::Link { movable: of, link } if of == movable => Some(link),
                _ => None,
            })
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    fn first_contact(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact> {
        // Taken out because `followed` borrows `self` as well.
        if let Some(models) = self.models.take() {
            self.work += FIRST_CONTACT;
            let followed = self.followed(&models, from, to);
            self.models = Some(models);
            if let Some(found) = followed {
                return found;
            }
        }
        self.sampled(from, to)
    }

    fn is_free(&mut self, configuration: &[f64]) -> bool {
        self.work += work_of_test(self.collision_world);
        let collision_world = self.collision_world;
        collision_world.is_free(self.at(configuration), 0.0).unwrap_or(false)
    }
}

/// [Work](crate::penetration::generalized::work) of a collision test of everything.
fn work_of_test(collision_world: &CollisionWorld) -> u64 {
    1 + collision_world.pairs.len() as u64 / SPHERES + collision_world.mesh_pairs.len() as u64 * COLLISION
}

/// Free poses of all movable models that a strategy finds, projected back towards the input [Tang14 §§ 5.1–5.2]; `None` where
/// it finds none, or is not a strategy for articulated models.
pub(crate) fn free_poses(
    collision_world: &CollisionWorld,
    input: &[Pose],
    source: &GeneralizedStart,
    work: &mut u64,
) -> Option<Vec<Pose>> {
    let mut poses = input.to_vec();
    for movable in 0..poses.len() {
        let mut space = SingleMovable::new(collision_world, movable, &poses);
        let joints = input[movable].joints.clone();
        // Models that collide with nothing stay as they are.
        if space.colliding(&joints).is_empty() {
            continue;
        }
        let found = match source {
            GeneralizedStart::SuccessivePerturbation => successive_perturbation(&mut space, &joints),
            GeneralizedStart::ConstrainedTranslation
                if collision_world.movables()[movable].base() == Base::Floating =>
            {
                poses[movable].base = translated(collision_world, movable, &poses, work)?;
                continue;
            }
            GeneralizedStart::ConstrainedTranslation => {
                let (away, reach) = away(collision_world, movable, &poses);
                let base = sliding_base(collision_world, movable, &poses[movable]);
                constrained_translation(&mut space, &joints, &base, (&away, reach))
            }
            _ => None,
        };
        *work += space.work;
        poses[movable].joints = found?;
    }
    let free = collision_world.is_free(&poses, 0.0).unwrap_or(false);
    free.then(|| projected(collision_world, poses, input, work))
}

/// Free poses projected back towards the input, one movable model after another, from both ends of the path; those of
/// minimum σ.
fn projected(collision_world: &CollisionWorld, free: Vec<Pose>, input: &[Pose], work: &mut u64) -> Vec<Pose> {
    let sigma = |poses: &[Pose]| -> f64 {
        let of_movable = |(index, (from, to)): (usize, (&Pose, &Pose))| {
            let norm = collision_world.movables()[index].norm();
            norm.at(&from.joints, &from.base)
                .map_or(0.0, |metric| norm.measure() * metric.sigma(&to.joints, &to.base))
        };
        input.iter().zip(poses).enumerate().map(of_movable).sum()
    };
    let mut best = free;
    for movable in 0..best.len() {
        // Either end may be blocked; the result of smaller σ is retained.
        for direction in [Direction::Reverse, Direction::Forward] {
            let mut space = SingleMovable::new(collision_world, movable, &best);
            let mut poses = best.clone();
            poses[movable].joints = contact_space_projection(
                &mut space,
                &best[movable].joints,
                &input[movable].joints,
                direction,
            );
            *work += space.work;
            // Checked again, as samples and tolerances may have missed a contact.
            if sigma(&poses) < sigma(&best) && collision_world.is_free(&poses, 0.0).unwrap_or(false) {
                best = poses;
            }
        }
    }
    best
}

/// Generalized coordinates that translate all of a movable model, with their directions in the world: the constraint-free
/// directions aᵢ of its base [Tang14 eq. 20].
fn sliding_base(collision_world: &CollisionWorld, movable: usize, pose: &Pose) -> Vec<(usize, Vector3<f64>)> {
    let movable = &collision_world.movables()[movable];
    let articulation = movable.articulation();
    let Ok(poses) = articulation.link_poses(&pose.joints, &pose.base) else { return Vec::new() };
    let mut found = Vec::new();
    let mut link = articulation.parents_first()[0];
    // Only joints above the first link with a shape move all shapes; a fork ends the chain.
    while movable.shapes()[link].is_none() {
        let mut below =
            (0..articulation.links().len()).filter(|&other| articulation.parent(other) == Some(link));
        let (Some(only), None) = (below.next(), below.next()) else { break };
        let joint = articulation.parent_joint(only);
        let of_joint = joint.map(|joint| (&articulation.joints()[joint], articulation.dependence(joint)));
        match of_joint {
            Some((joint, Some((coordinate, factor, _)))) if factor > 0.0 => {
                let JointKind::Prismatic { axis } = joint.kind else { break };
                if !movable.fixed()[coordinate] {
                    found.push((coordinate, poses[link].rotation * joint.origin.rotation * axis));
                }
            }
            // A fixed joint passes the base on to its child.
            Some((_, None)) => {}
            _ => break,
        }
        link = only;
    }
    found
}

/// The base of a floating movable model translated out of everything else as one rigid body [Tang14 eq. 20].
fn translated(
    collision_world: &CollisionWorld,
    movable: usize,
    poses: &[Pose],
    work: &mut u64,
) -> Option<Isometry3<f64>> {
    let (away, reach) = away(collision_world, movable, poses);
    let mut trial = poses.to_vec();
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let by = min_translation(&free_directions(&axes, &away), reach, |by| {
        *work += work_of_test(collision_world);
        trial[movable].base.translation.vector = poses[movable].base.translation.vector + by;
        collision_world.is_free(&trial, 0.0).unwrap_or(false)
    })?;
    let mut base = poses[movable].base;
    base.translation.vector += by;
    Some(base)
}

/// Centroid difference from everything else to a movable model, and the sum of their radii [m], an upper bound of the
/// separating translation: o_A − o_B and r_A + r_B of [Tang14 eq. 20].
fn away(collision_world: &CollisionWorld, movable: usize, poses: &[Pose]) -> (Vector3<f64>, f64) {
    let Ok(bodies) = collision_world.body_poses(poses) else { return (Vector3::x(), collision_world.size) };
    let of = |own: bool| {
        let balls: Vec<(Point3<f64>, f64)> = collision_world
            .bodies
            .iter()
            .zip(&bodies)
            .filter(|(body, _)| own == matches!(body.part, Part::Link { movable: of, .. } if of == movable))
            .filter(|(body, _)| body.ball.1.is_finite())
            .map(|(body, pose)| (pose * body.ball.0, body.ball.1))
            .collect();
        let sum: Vector3<f64> = balls.iter().map(|(center, _)| center.coords).sum();
        let middle = sum / balls.len().max(1) as f64;
        let reach = balls.iter().map(|(center, radius)| (center.coords - middle).norm() + radius);
        (middle, reach.fold(0.0, f64::max))
    };
    let ((own, radius), (other, rest)) = (of(true), of(false));
    (own - other, radius + rest)
}
