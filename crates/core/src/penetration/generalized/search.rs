//! Multi-start search for the minimum change: the descents made, their starts, and the choice of the best result.
//!
//! *Fast* effort descends from the overlap itself, and from other starts only where that fails or where a translation alone
//! is better; on what another start found it improves for as much work as it took to get there, with a bound. *Best* effort
//! tries all other sources of starts, then makes rounds of descents from random points no farther than the best result so far,
//! around the input and around that result; any better result lies within that ball. As long as nothing is free, some descents
//! of either effort restore feasibility first. A search ends when nothing has improved for as much [work](super::work) as it took to get there. Descents are independent, of equal results
//! the first counts, and work is counted rather than timed, so that the result is the same for every number of threads and on
//! every machine, unless a time budget ends the search.

use std::ops::Range;
use std::time::Instant;

use nalgebra::Translation3;

use super::chart::LocalChart;
use super::collision_world::{Body, CollisionWorld};
use super::descent::{Descent, DescentResult, DescentStart, squared};
use super::error::GeneralizedError;
use super::growth::{Anchor, Growth};
use super::limbs::Limbs;
use super::movable::Base;
use super::options::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedSource, GeneralizedStart,
    SearchEnd, WorkBounds,
};
use super::part::Part;
use super::pose::Pose;
use super::{articulated, starts};
use crate::parallel;
use crate::penetration::translational::options::{Effort, LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::error::ProximityError;

/// Strategies that find free configurations from collision queries alone [Tang14 §5.1].
const STRATEGIES: [GeneralizedStart; 2] =
    [GeneralizedStart::SuccessivePerturbation, GeneralizedStart::ConstrainedTranslation];
/// Descents of a round of best effort. Half and twice change every depth by less than 0.05 % and the steps by −37 % and
/// +112 % (docs/sensitivity.md).
const ROUND: u64 = 32;
/// Maximum number of rounds of best effort once something is free. No effect on the sets of docs/sensitivity.md.
const ROUNDS: u64 = 8;
/// Maximum number of rounds of best effort in all: only work bounds a search that has found nothing free, unless its descents end
/// without any.
const ALL_ROUNDS: u64 = 64;
/// Descents of a round between which the search may end: as many may run at once.
const BATCH: u64 = 8;
/// Growths about perturbations of the best result after each batch, where growth has found it.
const REGROWTHS: u64 = 4;
/// Number of sources that are tried before the first random starts even if something free has been found.
const QUICK: usize = 3;
/// Rounds without improvement that end the search; one may miss late improvements. Half and twice change every depth by
/// less than 0.05 % and the steps by −29 % and +75 % (docs/sensitivity.md).
const IDLE_ROUNDS: u32 = 2;
/// Random starts of fast effort after the other starts have failed; only hard inputs pay for them. No effect on the
/// sets of docs/sensitivity.md.
const FALLBACKS: u64 = 32;
/// Radius √σ of the first random starts, as a fraction of the size of the collision world. No effect on the sets of
/// docs/sensitivity.md.
const FIRST_RADIUS: f64 = 0.1;
/// Ratio of the radii of successive random starts: 32 starts reach from 0.1 to 1.9 sizes.
const RADIUS_GROWTH: f64 = 1.1;
/// Fraction of σ by which a round must improve to count. Half and twice change every depth by less than 0.05 % and the
/// steps by +18 % and < 0.5 % (docs/sensitivity.md).
const IMPROVEMENT: f64 = 1e-4;

/// Maximum work of fast effort to improve on a result that its first descent did not find: some twenty milliseconds.
const AGAIN: u64 = 20_000;

/// Factor on a translational solution for a second descent from a little farther away, because touching is not free:
/// above rounding, too little to lengthen the result noticeably.
const AWAY: f64 = 1.0 + 1e-6;

impl CollisionWorld {
    /// The minimum change of poses and joints found after which nothing overlaps, all pairs have the clearance of the options,
    /// and all limits are satisfied; `None` where the poses satisfy all of that already.
    ///
    /// # Errors
    /// [`GeneralizedError::NotFound`] with the best effort, [`GeneralizedError::TooFar`] when it moves more than the options
    /// allow, and others when the poses do not suit these movable models or an option is out of its range.
    pub fn penetration(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        self.search(poses, options, &[], &|| false)
    }

    /// As [`CollisionWorld::penetration`], with descents from `remembered` poses as well, until `stop` returns true: then the
    /// best result so far is returned.
    ///
    /// # Errors
    /// As [`CollisionWorld::penetration`]; [`GeneralizedError::NotFound`] also if it was stopped before any result.
    pub fn penetration_until(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
        remembered: &[Vec<Pose>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        self.search(poses, options, remembered, stop)
    }

    /// As [`CollisionWorld::penetration`], with descents from poses that were free in earlier queries of a sequence as well; the
    /// result, or a pose that is free already, is remembered.
    ///
    /// # Errors
    /// As [`CollisionWorld::penetration`].
    pub fn penetration_coherent(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
        coherence: &mut GeneralizedCoherence,
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        let found = self.search(poses, options, coherence.free(), &|| false)?;
        coherence.remember(found.as_ref().map_or(poses, |found| &found.poses));
        Ok(found)
    }

    /// Whether nothing overlaps, all pairs are farther apart than `clearance` \[m\], and all limits and constraints are satisfied.
    ///
    /// # Errors
    /// As [`CollisionWorld::is_free`].
    pub fn is_solution(&self, poses: &[Pose], clearance: f64) -> Result<bool, GeneralizedError> {
        Ok(self.is_free(poses, clearance)? && self.keeps_limits(poses) && self.keeps_constraints(poses)?)
    }

    fn search(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
        remembered: &[Vec<Pose>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        options.check()?;
        if self.is_solution(poses, options.clearance)? {
            return Ok(None);
        }
        let deadline = options.time_budget.and_then(|budget| Instant::now().checked_add(budget));
        let stop = &|| stop() || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let chart = LocalChart::new(self, poses);
        self.check_closable(&chart, options.seed)?;
        let descent = Descent::new(self, &chart, options);
        let search = MultiStartSearch { collision_world: self, chart: &chart, descent, options, stop };
        for other in remembered {
            self.check(other)?;
        }
        let mut best = match &options.start {
            None => search.by_effort(remembered),
            Some(start) => search.descend_from_start(start, remembered)?,
        };
        search.tighten(&mut best);
        self.answer(&search.descent, &best, options).map(Some)
    }
}

impl GeneralizedOptions {
    pub(super) fn check(&self) -> Result<(), GeneralizedError> {
        self.check_clearance()?;
        match self.max_move {
            Some(value) if !(value > 0.0) => {
                let (option, accepted) = ("max_move", "a length above zero");
                Err(ProximityError::Option { option, value, accepted }.into())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_clearance(&self) -> Result<(), ProximityError> {
        let (option, value, accepted) = ("clearance", self.clearance, "a length of at least zero");
        let is_length = value >= 0.0 && value.is_finite();
        if is_length { Ok(()) } else { Err(ProximityError::Option { option, value, accepted }) }
    }
}

/// A multi-start search around one input.
struct MultiStartSearch<'a> {
    collision_world: &'a CollisionWorld,
    chart: &'a LocalChart,
    descent: Descent<'a>,
    options: &'a GeneralizedOptions,
    /// Whether to stop with the best result so far.
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl MultiStartSearch<'_> {
    /// Runs the descents that the effort prescribes.
    fn by_effort(&self, remembered: &[Vec<Pose>]) -> DescentResult {
        let first = self.origin();
        // The first descent is made even if the search is stopped, so that there is a result to report.
        let mut best = self
            .collision_world
            .with_workspace(|workspace| self.descent.run(&DescentStart::from(first.as_slice()), workspace));
        for poses in remembered {
            best = better(best, self.descend_from_poses(poses, GeneralizedSource::MotionCoherence));
        }
        // Nothing can separate what is fixed to each other: no start helps.
        if best.free.is_none() && self.is_hopeless() {
            return DescentResult { end: SearchEnd::Impossible, ..best };
        }
        match self.options.effort {
            Effort::Fast => {
                // Fast effort takes the translation only if it beats the descent, best effort in any case as
                // one more start.
                best = self.fallbacks(best);
                self.translational(best.sigma()).into_iter().fold(best, better)
            }
            Effort::Best => {
                let best = self.all_sources(best);
                // The last resort, beyond the bound on work by two descents at most.
                DescentResult { end: best.end, ..self.restored(best) }
            }
        }
    }

    /// Descents from all other sources of starts and from random points, until the search [ends](Self::end).
    fn all_sources(&self, best: DescentResult) -> DescentResult {
        let sources: [&dyn Fn() -> Option<DescentResult>; 7] = [
            &|| Some(self.as_one_body()),
            &|| self.descend_from_common_exits(),
            &|| self.translational(f64::INFINITY),
            &|| self.grown_from_root(),
            &|| self.grown_from_elsewhere(),
            &|| self.strategy(&STRATEGIES[0]),
            &|| self.strategy(&STRATEGIES[1]),
        ];
        // What is slow, and seldom better than what the others find, waits until they have failed or a round is over.
        let quick = if best.free.is_some() { QUICK } else { sources.len() };
        let best = match self.try_sources(&sources[..quick], best) {
            Ok(best) => best,
            Err(ended) => return ended,
        };
        self.rounds(best, &sources[quick..])
    }

    /// The best of a result and those of sources; `Err` where the search ends before all were tried.
    fn try_sources(
        &self,
        sources: &[&dyn Fn() -> Option<DescentResult>],
        mut best: DescentResult,
    ) -> Result<DescentResult, DescentResult> {
        for source in sources {
            if let Some(end) = self.end(&best) {
                return Err(DescentResult { end, ..best });
            }
            best = source().into_iter().fold(best, better);
        }
        Ok(best)
    }

    /// The reason for which a search ends with this result, if it does.
    fn end(&self, best: &DescentResult) -> Option<SearchEnd> {
        let WorkBounds { min, patience, max, max_without_result } = self.options.work;
        let idle = (best.work - best.improved_work) as f64;
        let is_settled = best.work >= min && idle >= patience * best.improved_work as f64;
        if (self.stop)() {
            Some(SearchEnd::Stopped)
        } else if best.free.is_some() && is_settled {
            Some(SearchEnd::NoImprovement)
        } else {
            let limit = if best.free.is_some() { max } else { max.max(max_without_result) };
            (best.work >= limit).then_some(SearchEnd::WorkBound)
        }
    }

    /// Runs the descents of the only source of starts allowed.
    fn descend_from_start(
        &self,
        start: &GeneralizedStart,
        remembered: &[Vec<Pose>],
    ) -> Result<DescentResult, GeneralizedError> {
        let found = match start {
            GeneralizedStart::Direct => Some(self.run(&self.origin())),
            GeneralizedStart::ConstrainedTranslation | GeneralizedStart::SuccessivePerturbation => {
                self.strategy(start)
            }
            GeneralizedStart::Translational => self.translational(f64::INFINITY),
            GeneralizedStart::CentroidDifference => {
                starts::centroid_difference(self.collision_world, self.chart).map(|y| self.run(&y))
            }
            GeneralizedStart::Growth => {
                best_of([self.grown_from_root(), self.grown_from_elsewhere()].into_iter().flatten())
            }
            GeneralizedStart::Random => {
                let count = if self.options.effort == Effort::Fast { 1 } else { ROUND };
                let radius = FIRST_RADIUS * self.collision_world.size;
                let run = |index| {
                    self.run(&starts::random(self.chart, &self.origin(), radius, [self.options.seed, index]))
                };
                best_of((0..count).map(run))
            }
            GeneralizedStart::MotionCoherence => {
                let all = remembered.iter().map(|poses| self.descend_from_poses(poses, start.source()));
                Some(best_of(all).ok_or(GeneralizedError::NothingRemembered)?)
            }
            GeneralizedStart::Given(poses) => {
                self.collision_world.check(poses)?;
                Some(self.descend_from_poses(poses, start.source()))
            }
        };
        let source = start.source();
        Ok(found.ok_or(GeneralizedError::StartFailed { start: source })?.with_source(source))
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0; self.chart.dimension()]
    }

    /// A descent from given poses.
    fn descend_from_poses(&self, poses: &[Pose], source: GeneralizedSource) -> DescentResult {
        self.run(&self.chart.point(self.collision_world, poses)).with_source(source)
    }

    fn run(&self, from: &[f64]) -> DescentResult {
        self.run_from(&DescentStart::from(from))
    }

    /// A descent from a random start, which may restore feasibility first.
    fn run_random(&self, start: &[f64], restores: bool) -> DescentResult {
        self.run_from(&DescentStart { restores, ..start.into() }).with_source(GeneralizedSource::Random)
    }

    fn run_from(&self, start: &DescentStart<'_>) -> DescentResult {
        if (self.stop)() {
            return DescentResult {
                nearest: start.from.to_vec(),
                violation: f64::INFINITY,
                ..DescentResult::default()
            };
        }
        let descent = Descent { stop: self.stop, ..self.descent };
        self.collision_world.with_workspace(|workspace| descent.run(start, workspace))
    }

    /// Whether the input has an overlap that no motion can resolve.
    fn is_hopeless(&self) -> bool {
        let size = self.collision_world.size;
        let mut elsewhere = starts::elsewhere(self.chart, size, self.options.seed);
        self.collision_world.with_workspace(|workspace| {
            self.chart.retract(self.collision_world, &mut elsewhere, workspace)
                && self.descent.is_hopeless(&elsewhere, workspace)
        })
    }

    /// A descent from the translation that separates a rigid body from a single obstacle, if its σ is below this one: so the
    /// result is never worse than the translational penetration depth.
    fn translational(&self, sigma: f64) -> Option<DescentResult> {
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
    fn descend_from_common_exits(&self) -> Option<DescentResult> {
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
    fn strategy(&self, source: &GeneralizedStart) -> Option<DescentResult> {
        let mut work = 0;
        let poses = articulated::free_poses(self.collision_world, self.chart.start(), source, &mut work);
        let found = match poses {
            Some(poses) => self.descend_from_poses(&poses, source.source()),
            None => return None,
        };
        Some(found.with_work(work))
    }

    /// A descent from the configuration to which the scaled-down models grow; `None` where they do not grow to full size.
    fn grown(&self, anchors: &[Anchor], from: &[Pose]) -> Option<DescentResult> {
        let grown = Growth::new(self.collision_world, &self.descent, anchors, self.stop)?.grow(from);
        let found = self.descend_from_poses(&grown.poses?, GeneralizedSource::Growth);
        let iterations = found.iterations + grown.iterations;
        Some(DescentResult { iterations, ..found }.with_work(grown.work))
    }

    /// The growth from the input about the first choice of anchors.
    fn grown_from_root(&self) -> Option<DescentResult> {
        self.grown(self.collision_world.anchors().first()?, self.chart.start())
    }

    /// The best of the growths from the input about all other choices of anchors.
    fn grown_from_elsewhere(&self) -> Option<DescentResult> {
        let anchors = self.collision_world.anchors();
        let others = anchors.iter().skip(1);
        best_of(others.filter_map(|anchors| self.grown(anchors, self.chart.start())))
    }

    /// The best of a result and of growths about perturbations of it, where growth has found a side that no descent finds.
    fn regrown(&self, best: DescentResult, first: u64) -> DescentResult {
        let Some(center) = best.free.clone() else { return best };
        let anchors = self.collision_world.anchors();
        let run = |index: u64| {
            let number = [self.options.seed, first + index];
            let about = starts::perturbed(self.chart, &center, number);
            let about = self.chart.poses(self.collision_world, &about);
            self.grown(&anchors[index as usize % anchors.len()], &about)
        };
        let found = self.each(0..REGROWTHS, run);
        found.into_iter().flatten().fold(best, better)
    }

    /// Results of `run` for the indices, in parallel where the options allow, in their order.
    fn each<R: Send>(&self, indices: Range<u64>, run: impl Fn(u64) -> R + Sync) -> Vec<R> {
        if self.options.parallel {
            parallel::map(
                (indices.end - indices.start) as usize,
                1,
                |index| run(indices.start + index as u64),
            )
        } else {
            indices.map(run).collect()
        }
    }

    /// A descent of the variables that move all of a movable model, then of all variables.
    fn as_one_body(&self) -> DescentResult {
        let active = self.chart.moving_all(self.collision_world);
        let origin = self.origin();
        let start = DescentStart { active: Some(&active), ..origin.as_slice().into() };
        // Joints stay as they are at first, so that the links do not leave an obstacle on different sides.
        let first = self.collision_world.with_workspace(|workspace| self.descent.run(&start, workspace));
        let found = self.run(&first.free.unwrap_or(first.nearest));
        let iterations = first.iterations + found.iterations;
        DescentResult { iterations, source: GeneralizedSource::OneBody, ..found }.with_work(first.work)
    }

    /// Descents from other starts until one succeeds.
    fn fallbacks(&self, mut best: DescentResult) -> DescentResult {
        if best.free.is_some() {
            return best;
        }
        let limbs = Limbs::new(self.collision_world, self.chart);
        let sources: [&dyn Fn() -> Option<DescentResult>; 3] =
            [&|| self.grown_from_root(), &|| self.descend_from_common_exits(), &|| {
                self.grown_from_elsewhere()
            }];
        for source in sources {
            if best.free.is_none() {
                best = source().into_iter().fold(best, better);
            }
        }
        if best.free.is_none() {
            best = better(best, self.as_one_body());
        }
        for source in STRATEGIES {
            if best.free.is_none() {
                best = self.strategy(&source).into_iter().fold(best, better);
            }
        }
        best = self.restored(best);
        let mut radius = FIRST_RADIUS * self.collision_world.size;
        for index in 0..FALLBACKS {
            if best.free.is_some() {
                break;
            }
            if let Some(end) = self.end(&best) {
                return DescentResult { end, ..best };
            }
            let number = [self.options.seed, index];
            let start = match index % 2 {
                1 => self.with_other_limb(&limbs, (None, &best.nearest), radius, number),
                _ => starts::random(self.chart, &self.origin(), radius, number),
            };
            best = better(best, self.run_random(&start, index % 4 < 2));
            radius *= RADIUS_GROWTH;
        }
        self.again(best, &limbs)
    }

    /// The best of a result and, where nothing is free, of restorations from its nearest point and from the input.
    fn restored(&self, mut best: DescentResult) -> DescentResult {
        for from in [best.nearest.clone(), self.origin()] {
            if best.free.is_none() {
                let start = DescentStart { restores: true, ..from.as_slice().into() };
                best = better(best, self.run_from(&start).with_source(GeneralizedSource::Restoration));
            }
        }
        best
    }

    /// The best of a result of another source than the first descent and of further starts, for as much work as it took to get
    /// there: it is often far from the nearest.
    fn again(&self, mut best: DescentResult, limbs: &Limbs) -> DescentResult {
        let limit = best.work + best.work.min(AGAIN);
        for index in 0..FALLBACKS {
            let Some(free) = &best.free else { break };
            if best.work >= limit || (self.stop)() {
                break;
            }
            let (number, radius) = ([self.options.seed, FALLBACKS + index], best.sigma().sqrt());
            let start = match index % 2 {
                1 => self.with_other_limb(limbs, (Some(free), &best.nearest), radius, number),
                _ => starts::random(self.chart, &self.origin(), radius, number),
            };
            best = better(best, self.run(&start).with_source(GeneralizedSource::Random));
        }
        best
    }

    /// A start that differs in one limb from the free point found, or where there is none from the nearest one, of which a link
    /// that collides is moved; a random one where there is no such limb.
    fn with_other_limb(
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

    /// Rounds of random descents until they bring no improvement; the other `sources` follow the first batch.
    fn rounds(
        &self,
        mut best: DescentResult,
        sources: &[&dyn Fn() -> Option<DescentResult>],
    ) -> DescentResult {
        let mut idle = 0;
        let limbs = Limbs::new(self.collision_world, self.chart);
        for round in 0..ALL_ROUNDS {
            if round >= ROUNDS && best.free.is_some() {
                break;
            }
            let before = best.sigma();
            let (radius, around) = match &best.free {
                Some(free) => (before.sqrt(), free.clone()),
                None => {
                    // Nothing free yet: the ball doubles around the input, and begins anew where it has become as large as can be of
                    // use.
                    let doublings = (round % ROUNDS) as i32;
                    (FIRST_RADIUS * self.collision_world.size * 2.0_f64.powi(doublings), self.origin())
                }
            };
            let run = |index: u64, (free, nearest): (Option<&[f64]>, &[f64])| {
                let (origin, number) = (self.origin(), [self.options.seed, round * ROUND + index]);
                // Half explore the ball around the input that must contain any better result, a quarter changes a limb of the best
                // one, or one that keeps it from being free, and a quarter refines it. While nothing is free, every other one
                // restores feasibility first.
                let start = match index % 4 {
                    3 => starts::random(self.chart, &around, 0.5 * radius, number),
                    2 => self.with_other_limb(&limbs, (free, nearest), radius, number),
                    _ => starts::random(self.chart, &origin, radius, number),
                };
                self.run_random(&start, free.is_none() && index % 2 == 1)
            };
            for batch in 0..ROUND / BATCH {
                if let Some(end) = self.end(&best) {
                    return DescentResult { end, ..best };
                }
                let indices = batch * BATCH..(batch + 1) * BATCH;
                // Collected in order and folded afterwards: the choice does not depend on the threads.
                let (free, nearest) = (best.free.clone(), best.nearest.clone());
                let run = |index| run(index, (free.as_deref(), &nearest));
                let found = self.each(indices, run);
                best = found.into_iter().fold(best, better);
                if round == 0 && batch == 0 {
                    best = match self.try_sources(sources, best) {
                        Ok(best) => best,
                        Err(ended) => return ended,
                    };
                }
                if best.source == GeneralizedSource::Growth {
                    best = self.regrown(best, round * ROUND + batch * BATCH);
                }
            }
            // An infinite σ, nothing free yet, counts as idle, but only free results may end the search.
            idle = if best.sigma() < (1.0 - IMPROVEMENT) * before { 0 } else { idle + 1 };
            if idle >= IDLE_ROUNDS && best.free.is_some() {
                return DescentResult { end: SearchEnd::NoImprovement, ..best };
            }
        }
        DescentResult { end: SearchEnd::WorkBound, ..best }
    }

    /// Brings a free point into contact [Tang14 theorem 1]: the minimum change touches, so a result that is still free a little
    /// nearer to the input is moved back by bisection until it touches.
    fn tighten(&self, best: &mut DescentResult) {
        for _ in 0..TIGHTENINGS {
            let Some(free) = best.free.clone() else { return };
            let free_at = |fraction: f64| -> Option<Vec<f64>> {
                let mut y: Vec<f64> = free.iter().map(|y| fraction * y).collect();
                let is_free = self.collision_world.with_workspace(|workspace| {
                    self.chart.retract(self.collision_world, &mut y, workspace)
                        && self.descent.is_free(&y, workspace)
                });
                is_free.then_some(y)
            };
            // Usually one test shows that the result touches already.
            let Some(mut tight) = free_at(BACK) else { return };
            let (mut colliding, mut apart) = (0.0, BACK);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (colliding + apart);
                match free_at(middle) {
                    Some(free) => (tight, apart) = (free, middle),
                    None => colliding = middle,
                }
            }
            let again = self.run(&tight);
            // The descent from the tightened point may slide on along the contact; the tightened point itself is the fallback.
            let DescentResult { source, descents, improved_at, end, .. } = *best;
            let tight =
                DescentResult { free: Some(tight), nearest: free, source, ..DescentResult::default() };
            let found = better(better(tight, again.with_source(source)), std::mem::take(best));
            *best = DescentResult { descents, improved_at, end, ..found };
        }
    }
}

/// Fraction of the change at which a tight result must collide. Half and twice change every depth by less than 0.01 %
/// and the steps by less than 0.5 % (docs/sensitivity.md).
const BACK: f64 = 0.99;
/// Halvings of the path back to the input, which locate the contact to 1e-9 of it. Half and twice change every depth by
/// less than 0.01 % and the supports by −0.61 % and < 0.5 % (docs/sensitivity.md).
const BISECTIONS: u32 = 30;
/// Maximum number of repetitions of those halvings and the descent after them. Half and twice change no depth and the
/// work by less than 0.5 % (docs/sensitivity.md).
const TIGHTENINGS: u32 = 3;

fn best_of(found: impl Iterator<Item = DescentResult>) -> Option<DescentResult> {
    found.reduce(better)
}

/// The better of two descents, the second made after the first: the free one of smaller σ, else the one with less constraint
/// violation.
fn better(one: DescentResult, other: DescentResult) -> DescentResult {
    let iterations = one.iterations + other.iterations;
    let (descents, work) = (one.descents + other.descents, one.work + other.work);
    let (a, b) = (one.sigma(), other.sigma());
    // σ decides between free results, the violation between others; ties go to the first.
    let is_other = if a.is_finite() || b.is_finite() { b < a } else { other.violation < one.violation };
    // Gains within rounding do not prolong a search.
    let improves = is_other && (!a.is_finite() || b < (1.0 - IMPROVEMENT) * a);
    let improved_work = if improves { one.work + other.improved_work } else { one.improved_work };
    let improved_at = if is_other { one.descents + other.improved_at } else { one.improved_at };
    let best = if is_other { other } else { one };
    DescentResult { iterations, descents, work, improved_work, improved_at, ..best }
}
