//! One mover of an arrangement as the strategies see it, and the free configurations that they find for all movers.

use nalgebra::{Isometry3, Point3, Vector3};

use super::configurations::{Configurations, FirstContact};
use super::perturbation::successive_perturbation;
use super::projection::{Direction, project};
use super::translation::{constrained_translation, free_directions, least_translation};
use crate::kinematics::articulation::joint::JointKind;
use crate::kinematics::motion::Motion;
use crate::penetration::generalized::arrangement::Arrangement;
use crate::penetration::generalized::mover::Base;
use crate::penetration::generalized::options::GeneralizedStart;
use crate::penetration::generalized::part::Part;
use crate::penetration::generalized::pose::Pose;
use crate::proximity::articulated;
use crate::proximity::articulated::contact::{ArticulatedMotion, MovingObstacle, Other};
use crate::proximity::articulated::link_pairs::AllowedCollisions;
use crate::proximity::articulated::model::ArticulatedModel;
use crate::proximity::continuous::ContinuousOptions;
use crate::proximity::distance::distance_up_to;

/// Samples of a motion where there are no triangle models to follow continuously, and halvings at the first that
/// collides.
const SAMPLES: u32 = 32;
const BISECTIONS: u32 = 12;

/// A mover among obstacles and other movers, which stay where they are.
struct OneMover<'a> {
    arrangement: &'a Arrangement,
    mover: usize,
    /// Poses of all movers; that of this one is overwritten.
    poses: Vec<Pose>,
    parents: Vec<Option<usize>>,
    /// The links with their triangles, where all bodies have them.
    models: Option<ArticulatedModel>,
}

impl<'a> OneMover<'a> {
    fn new(arrangement: &'a Arrangement, mover: usize, poses: &[Pose]) -> Self {
        let articulation = arrangement.movers()[mover].articulation();
        let parents = (0..articulation.links().len()).map(|link| articulation.parent(link)).collect();
        let alone = arrangement.movers().len() == 1;
        let models = if alone { Self::models(arrangement, mover) } else { None };
        Self { arrangement, mover, poses: poses.to_vec(), parents, models }
    }

    fn models(arrangement: &Arrangement, mover: usize) -> Option<ArticulatedModel> {
        let mover = &arrangement.movers()[mover];
        let all = mover.shapes().iter().flatten().chain(arrangement.obstacles().iter().map(|o| &o.shape));
        if !all.into_iter().all(|shape| shape.model().is_some()) {
            return None;
        }
        let models =
            mover.shapes().iter().map(|shape| shape.as_ref().and_then(|shape| shape.model().cloned()));
        Some(ArticulatedModel::of_models(mover.articulation().clone(), models.collect()))
    }

    fn at(&mut self, configuration: &[f64]) -> &[Pose] {
        self.poses[self.mover].joints.copy_from_slice(configuration);
        &self.poses
    }

    /// By continuous collision of the triangle models.
    fn followed(&self, models: &ArticulatedModel, from: &[f64], to: &[f64]) -> Option<Option<FirstContact>> {
        let base = self.poses[self.mover].base;
        let motion = ArticulatedMotion { from, to, base: Motion::still(&base) };
        let obstacle = |obstacle: &'a crate::penetration::generalized::Obstacle| {
            Some(MovingObstacle { model: obstacle.shape.model()?, motion: Motion::still(&obstacle.pose) })
        };
        let obstacles = self.arrangement.obstacles().iter().map(obstacle).collect::<Option<Vec<_>>>()?;
        let allowed: &AllowedCollisions = self.arrangement.movers()[self.mover].allowed();
        let options = ContinuousOptions::default();
        let Some(found) = articulated(models, &motion, &obstacles, Some(allowed), &options).ok()? else {
            return Some(None);
        };
        let mut links = vec![found.link];
        if let Other::Link(other) = found.other {
            links.push(other);
        }
        let time = self.back_from(models, (from, to), (found.link, found.other), found.time)?;
        Some(Some(FirstContact { time, links }))
    }

    /// A time before that of a contact at which the two are apart by more than what counts as a contact.
    fn back_from(
        &self,
        models: &ArticulatedModel,
        (from, to): (&[f64], &[f64]),
        (link, other): (usize, Other),
        time: f64,
    ) -> Option<f64> {
        /// Gaps at which a contact begins.
        const GAPS: f64 = 4.0;
        /// First step back, in shares of the motion; it doubles.
        const STEP: f64 = 1e-5;
        let base = self.poses[self.mover].base;
        let first = models.model(link)?;
        let (mut back, mut step) = (time, STEP);
        loop {
            let at = from.iter().zip(to).map(|(a, b)| a + (b - a) * back).collect::<Vec<_>>();
            let poses = models.articulation().link_poses(&at, &base).ok()?;
            let (second, pose): (_, Isometry3<f64>) = match other {
                Other::Link(other) => (models.model(other)?, poses[other]),
                Other::Obstacle(index) => {
                    let obstacle = self.arrangement.obstacles().get(index)?;
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

    /// By samples, and a bisection at the first that collides.
    fn sampled(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact> {
        let between = |share: f64| from.iter().zip(to).map(|(a, b)| a + (b - a) * share).collect::<Vec<_>>();
        let blocked = (1..=SAMPLES)
            .map(|i| f64::from(i) / f64::from(SAMPLES))
            .find(|&share| !self.is_free(&between(share)))?;
        let (mut free, mut blocked) = (blocked - 1.0 / f64::from(SAMPLES), blocked);
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (free + blocked);
            if self.is_free(&between(middle)) { free = middle } else { blocked = middle }
        }
        Some(FirstContact { time: free, links: self.colliding(&between(blocked)) })
    }
}

impl Configurations for OneMover<'_> {
    fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    fn coordinate(&self, link: usize) -> Option<usize> {
        let mover = &self.arrangement.movers()[self.mover];
        let joint = mover.articulation().carrier(link)?;
        let (coordinate, ..) = mover.articulation().dependence(joint)?;
        (!mover.fixed()[coordinate]).then_some(coordinate)
    }

    fn limits(&self, coordinate: usize) -> [f64; 2] {
        self.arrangement.limits[self.mover][coordinate]
    }

    fn scale(&self, coordinate: usize) -> f64 {
        let articulation = self.arrangement.movers()[self.mover].articulation();
        match articulation.joints()[articulation.coordinates()[coordinate]].kind {
            JointKind::Prismatic { .. } => self.arrangement.size,
            _ => 1.0,
        }
    }

    fn colliding(&mut self, configuration: &[f64]) -> Vec<usize> {
        let mover = self.mover;
        let arrangement = self.arrangement;
        // A configuration within the joints' number is always a pose of the mover.
        let pairs = arrangement.colliding(self.at(configuration)).unwrap_or_default();
        let parts = pairs.iter().flat_map(|pair| pair.parts);
        let mut links: Vec<usize> = parts
            .filter_map(|part| match part {
                Part::Link { mover: of, link } if of == mover => Some(link),
                _ => None,
            })
            .collect();
        links.sort_unstable();
        links.dedup();
        links
    }

    fn first_contact(&mut self, from: &[f64], to: &[f64]) -> Option<FirstContact> {
        if let Some(models) = self.models.take() {
            let followed = self.followed(&models, from, to);
            self.models = Some(models);
            if let Some(found) = followed {
                return found;
            }
        }
        self.sampled(from, to)
    }

    fn is_free(&mut self, configuration: &[f64]) -> bool {
        let arrangement = self.arrangement;
        arrangement.is_free(self.at(configuration), 0.0).unwrap_or(false)
    }
}

/// Free poses of all movers that a strategy finds, projected back towards the input; `None` where it finds none, or is no
/// strategy for articulated models.
pub(crate) fn start(
    arrangement: &Arrangement,
    input: &[Pose],
    source: &GeneralizedStart,
) -> Option<Vec<Pose>> {
    let mut poses = input.to_vec();
    for mover in 0..poses.len() {
        let mut space = OneMover::new(arrangement, mover, &poses);
        let joints = input[mover].joints.clone();
        if space.colliding(&joints).is_empty() {
            continue;
        }
        let found = match source {
            GeneralizedStart::SuccessivePerturbation => successive_perturbation(&mut space, &joints),
            GeneralizedStart::ConstrainedTranslation
                if arrangement.movers()[mover].base() == Base::Floating =>
            {
                poses[mover].base = translated(arrangement, mover, &poses)?;
                continue;
            }
            GeneralizedStart::ConstrainedTranslation => {
                let (away, reach) = away(arrangement, mover, &poses);
                let base = sliding_base(arrangement, mover, &poses[mover]);
                constrained_translation(&mut space, &joints, &base, (&away, reach))
            }
            _ => None,
        };
        poses[mover].joints = found?;
    }
    let free = arrangement.is_free(&poses, 0.0).unwrap_or(false);
    free.then(|| projected(arrangement, poses, input))
}

/// Free poses moved back towards the input, mover by mover, from both ends of the way; those of least σ.
pub(crate) fn projected(arrangement: &Arrangement, free: Vec<Pose>, input: &[Pose]) -> Vec<Pose> {
    let sigma = |poses: &[Pose]| -> f64 {
        let of_mover = |(index, (from, to)): (usize, (&Pose, &Pose))| {
            let norm = arrangement.movers()[index].norm();
            norm.at(&from.joints, &from.base)
                .map_or(0.0, |metric| norm.measure() * metric.sigma(&to.joints, &to.base))
        };
        input.iter().zip(poses).enumerate().map(of_mover).sum()
    };
    let mut best = free;
    for mover in 0..best.len() {
        for direction in [Direction::Reverse, Direction::Forward] {
            let mut space = OneMover::new(arrangement, mover, &best);
            let mut poses = best.clone();
            poses[mover].joints = project(&mut space, &best[mover].joints, &input[mover].joints, direction);
            if sigma(&poses) < sigma(&best) && arrangement.is_free(&poses, 0.0).unwrap_or(false) {
                best = poses;
            }
        }
    }
    best
}

/// Numbers of the configuration with which all of a mover slides, with their directions in the world.
fn sliding_base(arrangement: &Arrangement, mover: usize, pose: &Pose) -> Vec<(usize, Vector3<f64>)> {
    let mover = &arrangement.movers()[mover];
    let articulation = mover.articulation();
    let Ok(poses) = articulation.link_poses(&pose.joints, &pose.base) else { return Vec::new() };
    let mut found = Vec::new();
    let mut link = articulation.parents_first()[0];
    while mover.shapes()[link].is_none() {
        let mut below =
            (0..articulation.links().len()).filter(|&other| articulation.parent(other) == Some(link));
        let (Some(only), None) = (below.next(), below.next()) else { break };
        let joint = articulation.carrier(only);
        let of_joint = joint.map(|joint| (&articulation.joints()[joint], articulation.dependence(joint)));
        match of_joint {
            Some((joint, Some((coordinate, factor, _)))) if factor > 0.0 => {
                let JointKind::Prismatic { axis } = joint.kind else { break };
                if !mover.fixed()[coordinate] {
                    found.push((coordinate, poses[link].rotation * joint.origin.rotation * axis));
                }
            }
            Some((_, None)) => {}
            _ => break,
        }
        link = only;
    }
    found
}

/// The base of a floating mover moved out of everything else as one rigid body.
fn translated(arrangement: &Arrangement, mover: usize, poses: &[Pose]) -> Option<Isometry3<f64>> {
    let (away, reach) = away(arrangement, mover, poses);
    let mut trial = poses.to_vec();
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let by = least_translation(&free_directions(&axes, &away), reach, |by| {
        trial[mover].base.translation.vector = poses[mover].base.translation.vector + by;
        arrangement.is_free(&trial, 0.0).unwrap_or(false)
    })?;
    let mut base = poses[mover].base;
    base.translation.vector += by;
    Some(base)
}

/// From the middle of all else to that of a mover, and the sum of their radii [m]: how far it may have to go.
fn away(arrangement: &Arrangement, mover: usize, poses: &[Pose]) -> (Vector3<f64>, f64) {
    let Ok(bodies) = arrangement.body_poses(poses) else { return (Vector3::x(), arrangement.size) };
    let of = |own: bool| {
        let balls: Vec<(Point3<f64>, f64)> = arrangement
            .bodies
            .iter()
            .zip(&bodies)
            .filter(|(body, _)| own == matches!(body.part, Part::Link { mover: of, .. } if of == mover))
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
