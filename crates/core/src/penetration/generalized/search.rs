//! Multi-start search for the minimum change: the descents made, their starts, and the choice of the best result.
//!
//! *Fast* effort descends from the overlap itself. Where that succeeds nearby it is done, unless a translation alone is better; where it
//! fails, or ends far from the input, it does what best effort does, with less patience ([`patience`](super::patience)). *Best* effort
//! continues in any case ([`best_effort`](super::best_effort)). As long as nothing is free, some descents of
//! either effort restore feasibility first. A search ends when nothing has improved for as much [work](super::work) as it took
//! to get there. Descents are independent, of equal results the first counts, and work is counted rather than timed, so that the
//! result is the same for every number of threads and on every machine, unless a time budget ends the search.

use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::descent::{Descent, DescentResult, DescentStart, PROMISE, RANDOM_HORIZON, RANDOM_WINDOW};
use super::error::GeneralizedError;
use super::limbs::Limbs;
use super::options::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedSource, GeneralizedStart,
    SearchEnd,
};
use super::pose::Pose;
use super::starts;
use crate::parallel;
use crate::penetration::translational::options::Effort;
use crate::proximity::error::ProximityError;

/// Descents of a round of best effort. Half and twice change every depth by less than 0.05 % and the steps by −37 % and
/// +112 % (docs/sensitivity.md).
pub(super) const ROUND: u64 = 32;
/// Random starts of the fallbacks after the other starts have failed; only hard inputs pay for them. No effect on the
/// sets of docs/sensitivity.md.
pub(super) const FALLBACKS: u64 = 32;
/// Radius √σ of the first random starts, as a fraction of the size of the collision world. No effect on the sets of
/// docs/sensitivity.md.
pub(super) const FIRST_RADIUS: f64 = 0.1;
/// Ratio of the radii of successive random starts: 32 starts reach from 0.1 to 1.9 sizes.
const RADIUS_GROWTH: f64 = 1.1;
/// Factors on the radii of successive random starts of the fallbacks. Most results that are worth much lie near the input; where a
/// model must move as far as it can, all variables are at their limits.
const RADII: [f64; 4] = [1.0, 0.3, 10.0, 0.1];
/// Fraction of σ by which a round must improve to count. Half and twice change every depth by less than 0.05 % and the
/// steps by +18 % and < 0.5 % (docs/sensitivity.md).
pub(super) const IMPROVEMENT: f64 = 1e-4;

/// Maximum work to improve on the first result of a fallback at once: some twenty milliseconds.
const AGAIN: u64 = 20_000;

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
        // The first descent is made even after the deadline, so that there is a result to report, but not for long.
        let last = deadline.and_then(|deadline| deadline.checked_add(FIRST_DESCENT));
        let first_stop = &|| last.is_some_and(|last| Instant::now() >= last);
        let descent = Descent { stop: first_stop, deadline: last, ..Descent::new(self, &chart, options) };
        let search = MultiStartSearch {
            collision_world: self,
            chart: &chart,
            descent,
            options,
            min_after_success: None,
            chooses: false,
            at_fast: &OnceLock::new(),
            deadline,
            stop,
        };
        for other in remembered {
            self.check(other)?;
        }
        let mut best = match &options.start {
            None => search.by_effort(remembered),
            Some(start) => search.descend_from_start(start, remembered)?,
        };
        search.tighten_with_fast(&mut best);
        self.answer(&search.descent, &best, options).map(Some)
    }
}

/// Time after the deadline at which also the first descent ends, with or without a free point: a few descents of a robot.
const FIRST_DESCENT: Duration = Duration::from_millis(4);

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
pub(super) struct MultiStartSearch<'a> {
    pub(super) collision_world: &'a CollisionWorld,
    pub(super) chart: &'a LocalChart,
    pub(super) descent: Descent<'a>,
    pub(super) options: &'a GeneralizedOptions,
    /// Minimum work where the first descent has succeeded.
    pub(super) min_after_success: Option<u64>,
    /// Whether random points around the input are [chosen](super::overlap) by their overlaps, and descents from them have a
    /// [bound](Descent::bound): where the first descent has failed.
    pub(super) chooses: bool,
    /// The result with which fast effort would have ended, of a search of best effort.
    pub(super) at_fast: &'a OnceLock<DescentResult>,
    /// Time at which it is stopped, if there is one.
    pub(super) deadline: Option<Instant>,
    /// Whether to stop with the best result so far.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
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
        if best.free.is_some() {
            return self.after_success(best);
        }
        let best = Self { chooses: true, ..*self }.beyond_failure(best);
        // The last resort, beyond the bound on work by two descents at most.
        DescentResult { end: best.end, ..self.restored(best) }
    }

    /// Runs what follows a first descent that has succeeded.
    fn after_success(&self, best: DescentResult) -> DescentResult {
        let min = self.min_after_success(&best);
        let search = Self { min_after_success: Some(min), ..*self };
        if min > 0 {
            return search.beyond_first(best);
        }
        match self.options.effort {
            Effort::Fast => {
                // The translation is taken only if it beats the descent; best effort has it in any case as one more start.
                let translated = (!(self.stop)()).then(|| self.translational(best.sigma())).flatten();
                translated.into_iter().fold(best, better)
            }
            Effort::Best => {
                self.keep_for_fast(&best);
                search.beyond_first(best)
            }
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

    pub(super) fn origin(&self) -> Vec<f64> {
        vec![0.0; self.chart.dimension()]
    }

    /// A descent from given poses.
    pub(super) fn descend_from_poses(&self, poses: &[Pose], source: GeneralizedSource) -> DescentResult {
        self.run(&self.chart.point(self.collision_world, poses)).with_source(source)
    }

    pub(super) fn run(&self, from: &[f64]) -> DescentResult {
        self.run_from(&DescentStart::from(from))
    }

    /// A descent from a random start, which may restore feasibility first and ends there where it does not lead below a
    /// [bound](Descent::bound).
    pub(super) fn run_random(&self, start: &[f64], restores: bool, bound: f64) -> DescentResult {
        let (window, promise, horizon) = (RANDOM_WINDOW, PROMISE, RANDOM_HORIZON);
        let descent = Descent { window, promise, horizon, bound, ..self.descent };
        let search = Self { descent, ..*self };
        search.run_from(&DescentStart { restores, ..start.into() }).with_source(GeneralizedSource::Random)
    }

    /// The [bound](Descent::bound) of random descents that are to improve on a result.
    pub(super) fn bound(&self, best: &DescentResult) -> f64 {
        if self.chooses { best.sigma() } else { f64::INFINITY }
    }

    pub(super) fn run_from(&self, start: &DescentStart<'_>) -> DescentResult {
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
                || !(self.stop)() && self.collision_world.is_stuck(self.chart.start(), workspace)
        })
    }

    /// Results of `run` for the indices, in parallel where the options allow, in their order.
    pub(super) fn each<R: Send>(&self, indices: Range<u64>, run: impl Fn(u64) -> R + Sync) -> Vec<R> {
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

    /// Descents from other starts until one succeeds, and the number of [sources](Self::FALLBACK_SOURCES) among them.
    pub(super) fn fallbacks(&self, mut best: DescentResult) -> (DescentResult, usize) {
        if best.free.is_some() {
            return (best, 0);
        }
        let limbs = Limbs::new(self.collision_world, self.chart);
        let mut tried = 0;
        for source in Self::FALLBACK_SOURCES {
            if best.free.is_none() && !(self.stop)() {
                best = source(self).into_iter().fold(best, better);
                tried += 1;
            }
        }
        best = self.shifted(self.restored(best));
        let mut radius = FIRST_RADIUS * self.collision_world.size;
        for index in 0..FALLBACKS {
            if best.free.is_some() {
                break;
            }
            if let Some(end) = self.end(&best) {
                return (DescentResult { end, ..best }, tried);
            }
            let number = [self.options.seed, index];
            let (start, work) = match index % 2 {
                1 => (self.with_other_limb(&limbs, (None, &best.nearest), radius, number), 0),
                _ => {
                    let factor = RADII[(index / 2) as usize % RADII.len()];
                    let make = |number| starts::random(self.chart, &self.origin(), factor * radius, number);
                    self.with_smallest_overlap(number, make)
                }
            };
            best = better(best, self.run_random(&start, index % 4 < 2, f64::INFINITY).with_work(work));
            radius *= RADIUS_GROWTH;
        }
        (self.again(best, &limbs), tried)
    }

    /// The best of a result of another source than the first descent and of further starts, for as much work as it took to get
    /// there, with the limbs of the best moved back: it is often far from the nearest.
    fn again(&self, mut best: DescentResult, limbs: &Limbs) -> DescentResult {
        let limit = best.work + best.work.min(AGAIN);
        for index in 0..FALLBACKS {
            let Some(free) = &best.free else { break };
            if best.work >= limit || (self.stop)() {
                break;
            }
            let (number, radius) = ([self.options.seed, FALLBACKS + index], best.sigma().sqrt());
            // Half change a limb, and half refine what was found: for their work they improve on it five and twenty times as often as
            // points of the ball around the input.
            let start = match index % 2 {
                1 => self.with_other_limb(limbs, (Some(free), &best.nearest), radius, number),
                _ => starts::random(self.chart, free, 0.5 * radius, number),
            };
            let bound = self.bound(&best);
            best = better(best, self.run_random(&start, false, bound));
        }
        self.moved_back(best, limbs)
    }
}

pub(super) fn best_of(found: impl Iterator<Item = DescentResult>) -> Option<DescentResult> {
    found.reduce(better)
}

/// The better of two descents, the second made after the first: the free one of smaller σ, else the one with less constraint
/// violation.
pub(super) fn better(one: DescentResult, other: DescentResult) -> DescentResult {
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
