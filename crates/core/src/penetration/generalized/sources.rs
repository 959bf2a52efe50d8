//! Sources of starts of a multi-start search, and the return of what they found.

use std::time::Instant;

use nalgebra::Translation3;

use super::collision_world::Body;
use super::descent::{DescentResult, DescentStart, squared};
use super::growth::{Anchor, Growth};
use super::limbs::Limbs;
use super::movable::Base;
use super::options::{GeneralizedSource, GeneralizedStart};
use super::part::Part;
use super::pose::Pose;
use super::search::{IMPROVEMENT, MultiStartSearch, best_of, better};
use super::work::SPHERES;
use super::{articulated, starts};
use crate::penetration::translational::options::{LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;

/// Factor on a translational solution for a second descent from a little farther away, because touching is not free:
/// above rounding, too little to lengthen the result noticeably.
const AWAY: f64 = 1.0 + 1e-6;

/// Factors of the variables of a limb that moves back to the input.
const RETURN_FACTORS: [f64; 2] = [0.0, 0.5];

/// Radii of the random points near the input, as fractions of the size of the collision world.
const NEARBY: [f64; 6] = [0.02, 0.06, 0.006, 0.02, 0.06, 0.006];
/// The number of the first of them, beyond those of all other random points.
const NEARBY_NUMBERS: u64 = 1 << 32;

/// Far values of variables that move all of a model, in sizes of the collision world, and the fraction of them at which they are tried next.
const FAR: f64 = 3.0;
const HALFWAY: f64 = 0.5;

/// A source of starts: the best of its descents, or `None` where it has no start.
pub(super) type Source<'a> = fn(&MultiStartSearch<'a>) -> Option<DescentResult>;

impl<'a> MultiStartSearch<'a> {
    /// Sources other than the input, in the order in which they are tried where a descent from there fails, roughly that of what they
    /// find for their work; two find free configurations from collision queries alone [Tang14 §5.1].
    pub(super) const FALLBACK_SOURCES: [Source<'a>; 7] = [
        Self::grown_from_root,
        Self::descend_from_common_exits,
        Self::perturbed,
        Self::translated,
        Self::nearby,
        Self::grown_from_elsewhere,
        |search| Some(search.as_one_body()),
    ];

    /// The best of a few descents from random points near the input: of thin obstacles, the other side is often as near.
    pub(super) fn nearby(&self) -> Option<DescentResult> {
        let size = self.collision_world.size;
        let run = |(index, factor): (usize, f64)| {
            let number = [self.options.seed, NEARBY_NUMBERS + index as u64];
            let start = starts::random(self.chart, &self.origin(), factor * size, number);
            self.run_random(&start, false, f64::INFINITY)
        };
        best_of(NEARBY.into_iter().enumerate().map(run))
    }

    /// The source that perturbs successively [Tang14 §5.1].
    pub(super) fn perturbed(&self) -> Option<DescentResult> {
        self.strategy(&GeneralizedStart::SuccessivePerturbation)
    }

    /// The source that translates as constraints allow [Tang14 §5.1].
    pub(super) fn translated(&self) -> Option<DescentResult> {
        self.strategy(&GeneralizedStart::ConstrainedTranslation)
    }

    /// A descent from the translation that separates a rigid body from a single obstacle, if its σ is below this one: so the
    /// result is never worse than the translational penetration depth.
    pub(super) fn translational(&self, sigma: f64) -> Option<DescentResult> {
        let collision_world = self.collision_world;
        let [
            Body { part: Part::Link { .. }, model: Some(a), .. },
            Body { part: Part::Obstacle(_), model: Some(b), .. },
        ] = &collision_world.bodies[..]
        else {
            return None;
        };
        let start = &self.chart.start()[0];
        if collision_world.movables[0].base() == Base::Fixed || !start.joints.is_empty() {
            return None;
        }
        let options = TranslationalOptions {
            effort: self.options.effort,
            seed: self.options.seed,
            parallel: self.options.parallel,
            lower_bound: LowerBound::Skip,
            time_budget: self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            ..TranslationalOptions::default()
        };
        let poses = collision_world.body_poses(self.chart.start()).ok()?;
        let found = penetration(a, &poses[0], b, &poses[1], &options).ok()??;
        // σ of a translation is its squared length, so the comparison needs no descent.
        let moved = Pose { base: Translation3::from(found.translation) * start.base, joints: Vec::new() };
        let y = self.chart.point(collision_world, &[moved]);
        if !(squared(&y) < sigma) {
            return None;
        }
        // A little farther as well, because touching is not free.
        let away: Vec<f64> = y.iter().map(|y| y * AWAY).collect();
        Some(better(self.run(&y), self.run(&away)).with_source(GeneralizedSource::Translational))
    }

    /// A descent in which all links that are stuck in a piece of an obstacle leave it through the same face; `None` where no
    /// piece holds several links.
    pub(super) fn descend_from_common_exits(&self) -> Option<DescentResult> {
        let origin = self.origin();
        self.collision_world.with_workspace(|workspace| {
            let exits = self.descent.common_exits(workspace);
            let start = DescentStart { exits: &exits, ..origin.as_slice().into() };
            let run = || self.descent.run(&start, workspace).with_source(GeneralizedSource::CommonExit);
            (!exits.is_empty()).then(run)
        })
    }

    /// A descent from the free configuration that a strategy finds and projects back towards the input; `None` where it finds
    /// none.
    pub(super) fn strategy(&self, source: &GeneralizedStart) -> Option<DescentResult> {
        let mut work = 0;
        let poses = articulated::free_poses(self.collision_world, self.chart.start(), source, &mut work);
        let found = match poses {
            Some(poses) => self.descend_from_poses(&poses, source.source()),
            None => return None,
        };
        Some(found.with_work(work))
    }

    /// A descent from the configuration to which the scaled-down models grow; `None` where they do not grow to full size.
    pub(super) fn grown(&self, anchors: &[Anchor], from: &[Pose]) -> Option<DescentResult> {
        let grown = Growth::new(self.collision_world, &self.descent, anchors, self.stop)?.grow(from);
        let found = self.descend_from_poses(&grown.poses?, GeneralizedSource::Growth);
        let iterations = found.iterations + grown.iterations;
        Some(DescentResult { iterations, ..found }.with_work(grown.work))
    }

    /// The growth from the input about the first choice of anchors.
    pub(super) fn grown_from_root(&self) -> Option<DescentResult> {
        self.grown(self.collision_world.anchors().first()?, self.chart.start())
    }

    /// The best of the growths from the input about all other choices of anchors.
    pub(super) fn grown_from_elsewhere(&self) -> Option<DescentResult> {
        let anchors = self.collision_world.anchors();
        let others = anchors.iter().skip(1);
        best_of(others.filter_map(|anchors| self.grown(anchors, self.chart.start())))
    }

    /// A descent of the variables that move all of a movable model, then of all variables.
    pub(super) fn as_one_body(&self) -> DescentResult {
        let active = self.chart.moving_all(self.collision_world);
        let origin = self.origin();
        let start = DescentStart { active: Some(&active), ..origin.as_slice().into() };
        // Joints stay as they are at first, so that the links do not leave an obstacle on different sides.
        let first = self.collision_world.with_workspace(|workspace| self.descent.run(&start, workspace));
        let found = self.run(&first.free.unwrap_or(first.nearest));
        let iterations = first.iterations + found.iterations;
        DescentResult { iterations, source: GeneralizedSource::OneBody, ..found }.with_work(first.work)
    }

    /// The best of a result and, where nothing is free, of descents from the input with one of the variables that move all of a model
    /// at a far value, its bound or some sizes of the collision world; where none succeeds, at half of that.
    ///
    /// A model that is stuck where it is may be free at the end of its rail.
    pub(super) fn shifted(&self, mut best: DescentResult) -> DescentResult {
        let moving = self.chart.moving_all(self.collision_world);
        let ends = starts::ends(self.chart, FAR * self.collision_world.size, |variable| moving[variable]);
        for fraction in [1.0, HALFWAY] {
            if best.free.is_some() {
                break;
            }
            for &(variable, value) in &ends {
                // By work alone, so that both efforts continue from the same result.
                if self.is_exhausted(&best) {
                    return best;
                }
                let mut start = self.origin();
                start[variable] = fraction * value;
                best = better(best, self.run(&start).with_source(GeneralizedSource::Shift));
            }
        }
        best
    }

    /// The best of a result and, where nothing is free, of restorations from its nearest point and from the input.
    pub(super) fn restored(&self, mut best: DescentResult) -> DescentResult {
        for from in [best.nearest.clone(), self.origin()] {
            if best.free.is_none() {
                let start = DescentStart { restores: true, ..from.as_slice().into() };
                best = better(best, self.run_from(&start).with_source(GeneralizedSource::Restoration));
            }
        }
        best
    }

    /// A start that differs in one limb from the free point found, or where there is none from the nearest one, of which a link
    /// that collides is moved; a random one where there is no such limb.
    pub(super) fn with_other_limb(
        &self,
        limbs: &Limbs,
        (free, nearest): (Option<&[f64]>, &[f64]),
        radius: f64,
        number: [u64; 2],
    ) -> Vec<f64> {
        let start = match free {
            Some(free) => limbs.start(self.chart, free, number),
            None => limbs.start_of_colliding((self.collision_world, self.chart), nearest, radius, number),
        };
        start.unwrap_or_else(|| starts::random(self.chart, &self.origin(), radius, number))
    }

    /// The best of a result and of a descent from where it is after its limbs have moved back towards the input, one after the other,
    /// in jumps over whatever lies between.
    pub(super) fn moved_back(&self, best: DescentResult, limbs: &Limbs) -> DescentResult {
        let Some(free) = &best.free else { return best };
        let (mut nearer, mut work) = (free.clone(), 0);
        for limb in limbs.in_order_of_part(free) {
            if (self.stop)() {
                break;
            }
            let free_there = |factor: &f64| {
                let mut y = self.chart.scaled(&nearer, &limb, *factor);
                let is_nearer = |y: &[f64]| squared(y) < (1.0 - IMPROVEMENT) * squared(&nearer);
                let is_free = is_nearer(&y) && self.is_free(&mut y, &mut work) && is_nearer(&y);
                is_free.then_some(y)
            };
            let found = RETURN_FACTORS.iter().find_map(free_there);
            nearer = found.unwrap_or(nearer);
        }
        let source = best.source;
        let is_moved = squared(&nearer) < best.sigma();
        let best = DescentResult { work: best.work + work, ..best };
        if is_moved { better(best, self.run(&nearer).with_source(source)) } else { best }
    }

    /// Whether a point is free once closures are closed there, and the work of the test added to `work`.
    fn is_free(&self, y: &mut [f64], work: &mut u64) -> bool {
        self.collision_world.with_workspace(|workspace| {
            let before = workspace.counters();
            let is_free =
                self.chart.retract(self.collision_world, y, workspace) && self.descent.is_free(y, workspace);
            *work += workspace.work_since(before) + self.collision_world.pairs.len() as u64 / SPHERES;
            is_free
        })
    }
}
