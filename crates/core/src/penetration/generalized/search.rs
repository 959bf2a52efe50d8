//! The search for the least change: which descents are made, from where, and which of their answers is the best.
//!
//! *Fast* effort descends from the overlap itself, and from elsewhere only where that fails or where a translation alone
//! does better. *Best* effort makes rounds
//! of descents from random points no farther than the best answer so far, around the start and around that answer, until
//! rounds bring nothing; any better answer lies within that ball. Descents share nothing, and of equal answers the first
//! counts, so that the answer is the same for every number of threads.

use nalgebra::Translation3;
use rayon::prelude::*;

use super::arrangement::{Arrangement, Body};
use super::chart::Chart;
use super::descent::{Descended, Descent, Launch, squared};
use super::error::GeneralizedError;
use super::mover::Base;
use super::options::{
    GeneralizedCoherence, GeneralizedOptions, GeneralizedPenetration, GeneralizedSource, GeneralizedStart,
};
use super::part::Part;
use super::pose::Pose;
use super::{articulated, starts};
use crate::penetration::translational::options::{Effort, LowerBound, TranslationalOptions};
use crate::penetration::translational::query::penetration;
use crate::proximity::error::ProximityError;

/// Strategies that find free configurations from nothing but collision queries.
const STRATEGIES: [GeneralizedStart; 2] =
    [GeneralizedStart::SuccessivePerturbation, GeneralizedStart::ConstrainedTranslation];
/// Descents of a round, and rounds at most.
const ROUND: u64 = 32;
const ROUNDS: u64 = 8;
/// Rounds that bring nothing before the search ends.
const IDLE_ROUNDS: u32 = 2;
/// Random starts of fast effort after the others have failed.
const FALLBACKS: u64 = 32;
/// Share of the size of the arrangement within which the first of them lie, and its growth.
const FIRST_RADIUS: f64 = 0.1;
const RADIUS_GROWTH: f64 = 1.1;
/// Share of σ that counts as an improvement.
const IMPROVEMENT: f64 = 1e-4;

impl Arrangement {
    /// The least change of poses and joints that was found after which nothing overlaps, everything is as far apart as the
    /// options ask, and all limits are kept; `None` where that is so already.
    ///
    /// # Errors
    /// [`GeneralizedError::NotFound`] with the best effort, [`GeneralizedError::TooFar`] when it moves more than the options
    /// allow, and others when the poses are none of these movers or an option is out of its range.
    pub fn penetration(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        self.search(poses, options, &[], &|| false)
    }

    /// As [`Arrangement::penetration`], with descents from `remembered` poses as well, until `stop` says that it is enough: then
    /// the best that was found so far is the answer.
    ///
    /// # Errors
    /// As [`Arrangement::penetration`]; [`GeneralizedError::NotFound`] also where it was stopped before anything was found.
    pub fn penetration_until(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
        remembered: &[Vec<Pose>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        self.search(poses, options, remembered, stop)
    }

    /// As [`Arrangement::penetration`], with descents from poses that were free in earlier queries of a sequence as well; the
    /// answer, and a pose that is free already, are remembered.
    ///
    /// # Errors
    /// As [`Arrangement::penetration`].
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

    fn search(
        &self,
        poses: &[Pose],
        options: &GeneralizedOptions,
        remembered: &[Vec<Pose>],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<GeneralizedPenetration>, GeneralizedError> {
        options.check()?;
        if self.is_free(poses, options.clearance)? && self.keeps_limits(poses) {
            return Ok(None);
        }
        let chart = Chart::new(self, poses);
        let descent = Descent::new(self, &chart, options);
        let search = Search { arrangement: self, chart: &chart, descent, options, stop };
        for other in remembered {
            self.check(other)?;
        }
        let mut best = match &options.start {
            None => search.all(remembered),
            Some(start) => search.from(start, remembered)?,
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

/// A search around one start.
struct Search<'a> {
    arrangement: &'a Arrangement,
    chart: &'a Chart,
    descent: Descent<'a>,
    options: &'a GeneralizedOptions,
    /// Whether it is enough.
    stop: &'a (dyn Fn() -> bool + Sync),
}

impl Search<'_> {
    /// What the effort asks for.
    fn all(&self, remembered: &[Vec<Pose>]) -> Descended {
        let first = self.origin();
        // The first descent is made in any case, so that there is an answer.
        let mut best = self
            .arrangement
            .with_workspace(|workspace| self.descent.run(&Launch::from(first.as_slice()), workspace));
        for poses in remembered {
            best = better(best, self.at(poses, GeneralizedSource::MotionCoherence));
        }
        if (self.stop)() || (best.free.is_none() && self.is_hopeless()) {
            return best;
        }
        match self.options.effort {
            Effort::Fast => {
                best = self.fallbacks(best);
                self.translational(best.sigma()).into_iter().fold(best, better)
            }
            Effort::Best => {
                best = better(best, self.as_one_body());
                if (self.stop)() {
                    return best;
                }
                for found in [self.together(), self.translational(f64::INFINITY)].into_iter().flatten() {
                    best = better(best, found);
                }
                best = STRATEGIES.iter().filter_map(|source| self.strategy(source)).fold(best, better);
                self.rounds(best)
            }
        }
    }

    /// The one source of starts that is asked for.
    fn from(
        &self,
        start: &GeneralizedStart,
        remembered: &[Vec<Pose>],
    ) -> Result<Descended, GeneralizedError> {
        let found = match start {
            GeneralizedStart::Direct => Some(self.run(&self.origin())),
            GeneralizedStart::ConstrainedTranslation | GeneralizedStart::SuccessivePerturbation => {
                self.strategy(start)
            }
            GeneralizedStart::Translational => self.translational(f64::INFINITY),
            GeneralizedStart::CentroidDifference => {
                starts::centroid_difference(self.arrangement, self.chart).map(|y| self.run(&y))
            }
            GeneralizedStart::Random => {
                let count = if self.options.effort == Effort::Fast { 1 } else { ROUND };
                let radius = FIRST_RADIUS * self.arrangement.size;
                let run = |index| {
                    self.run(&starts::random(self.chart, &self.origin(), radius, [self.options.seed, index]))
                };
                best_of((0..count).map(run))
            }
            GeneralizedStart::MotionCoherence => {
                let all = remembered.iter().map(|poses| self.at(poses, start.source()));
                Some(best_of(all).ok_or(GeneralizedError::NothingRemembered)?)
            }
            GeneralizedStart::Given(poses) => {
                self.arrangement.check(poses)?;
                Some(self.at(poses, start.source()))
            }
        };
        let source = start.source();
        Ok(found.ok_or(GeneralizedError::StartFailed { start: source })?.with_source(source))
    }

    fn origin(&self) -> Vec<f64> {
        vec![0.0; self.chart.dimension()]
    }

    /// A descent from poses.
    fn at(&self, poses: &[Pose], source: GeneralizedSource) -> Descended {
        self.run(&self.chart.point(self.arrangement, poses)).with_source(source)
    }

    fn run(&self, from: &[f64]) -> Descended {
        if (self.stop)() {
            return Descended { nearest: from.to_vec(), lack: f64::INFINITY, ..Descended::default() };
        }
        self.arrangement.with_workspace(|workspace| self.descent.run(&Launch::from(from), workspace))
    }

    /// Whether the start overlaps where nothing can be moved.
    fn is_hopeless(&self) -> bool {
        let size = self.arrangement.size;
        let elsewhere = starts::random(self.chart, &self.origin(), size, [self.options.seed, 0]);
        self.arrangement.with_workspace(|workspace| self.descent.is_hopeless(&elsewhere, workspace))
    }

    /// From the translation that separates a rigid body from the one obstacle, where its σ is less than this one: so the answer
    /// is no worse than that.
    fn translational(&self, sigma: f64) -> Option<Descended> {
        let arrangement = self.arrangement;
        let [
            Body { part: Part::Link { .. }, model: Some(a), .. },
            Body { part: Part::Obstacle(_), model: Some(b), .. },
        ] = &arrangement.bodies[..]
        else {
            return None;
        };
        let start = &self.chart.start()[0];
        if arrangement.movers[0].base() == Base::Fixed || !start.joints.is_empty() {
            return None;
        }
        let options = TranslationalOptions {
            effort: self.options.effort,
            seed: self.options.seed,
            parallel: self.options.parallel,
            lower_bound: LowerBound::Skip,
            ..TranslationalOptions::default()
        };
        let poses = arrangement.body_poses(self.chart.start()).ok()?;
        let found = penetration(a, &poses[0], b, &poses[1], &options).ok()??;
        let moved = Pose { base: Translation3::from(found.translation) * start.base, joints: Vec::new() };
        let y = self.chart.point(arrangement, &[moved]);
        if !(squared(&y) < sigma) {
            return None;
        }
        // A hair farther, as what touches is not free.
        let away: Vec<f64> = y.iter().map(|y| y * (1.0 + 1e-6)).collect();
        Some(better(self.run(&y), self.run(&away)).with_source(GeneralizedSource::Translational))
    }

    /// All links that are stuck in a piece of an obstacle leave it through the same face, where several are.
    fn together(&self) -> Option<Descended> {
        let origin = self.origin();
        self.arrangement.with_workspace(|workspace| {
            let exits = self.descent.common_exits(workspace);
            let launch = Launch { exits: &exits, ..origin.as_slice().into() };
            let run = || self.descent.run(&launch, workspace).with_source(GeneralizedSource::CommonExit);
            (!exits.is_empty()).then(run)
        })
    }

    /// A descent from the free configuration that a strategy finds and projects back towards the input, if it finds one.
    fn strategy(&self, source: &GeneralizedStart) -> Option<Descended> {
        let poses = articulated::start(self.arrangement, self.chart.start(), source)?;
        Some(self.at(&poses, source.source()))
    }

    /// First only what moves all of a mover moves, then everything.
    fn as_one_body(&self) -> Descended {
        let active = self.chart.moving_all(self.arrangement);
        let origin = self.origin();
        let launch = Launch { active: Some(&active), ..origin.as_slice().into() };
        let first = self.arrangement.with_workspace(|workspace| self.descent.run(&launch, workspace));
        let found = self.run(&first.free.unwrap_or(first.nearest));
        let iterations = first.iterations + found.iterations;
        Descended { iterations, source: GeneralizedSource::OneBody, ..found }
    }

    /// Descents from elsewhere until one succeeds.
    fn fallbacks(&self, mut best: Descended) -> Descended {
        if best.free.is_none()
            && let Some(found) = self.together()
        {
            best = better(best, found);
        }
        if best.free.is_none() {
            best = better(best, self.as_one_body());
        }
        for source in STRATEGIES {
            if best.free.is_none() {
                best = self.strategy(&source).into_iter().fold(best, better);
            }
        }
        let mut radius = FIRST_RADIUS * self.arrangement.size;
        for index in 0..FALLBACKS {
            if best.free.is_some() {
                break;
            }
            let start = starts::random(self.chart, &self.origin(), radius, [self.options.seed, index]);
            best = better(best, self.run(&start).with_source(GeneralizedSource::Random));
            radius *= RADIUS_GROWTH;
        }
        best
    }

    /// Rounds of random descents until they bring nothing.
    fn rounds(&self, mut best: Descended) -> Descended {
        let mut idle = 0;
        for round in 0..ROUNDS {
            let before = best.sigma();
            let (radius, around) = match &best.free {
                Some(free) => (before.sqrt(), free.clone()),
                None => (FIRST_RADIUS * self.arrangement.size * 2.0_f64.powi(round as i32), self.origin()),
            };
            let run = |index: u64| {
                let (origin, number) = (self.origin(), [self.options.seed, round * ROUND + index]);
                let start = match index % 4 {
                    3 => starts::random(self.chart, &around, 0.5 * radius, number),
                    _ => starts::random(self.chart, &origin, radius, number),
                };
                self.run(&start).with_source(GeneralizedSource::Random)
            };
            let found: Vec<Descended> = if self.options.parallel {
                (0..ROUND).into_par_iter().map(run).collect()
            } else {
                (0..ROUND).map(run).collect()
            };
            best = found.into_iter().fold(best, better);
            idle = if best.sigma() < (1.0 - IMPROVEMENT) * before { 0 } else { idle + 1 };
            if (self.stop)() || (idle >= IDLE_ROUNDS && best.free.is_some()) {
                break;
            }
        }
        best
    }

    /// Brings a free point into contact [Tang14 theorem 1]: the least change touches, so what is free a little way back
    /// towards the start is moved back until it touches.
    fn tighten(&self, best: &mut Descended) {
        for _ in 0..TIGHTENINGS {
            let Some(free) = best.free.clone() else { return };
            let back = |share: f64| -> Vec<f64> { free.iter().map(|y| share * y).collect() };
            let is_free = |share: f64| {
                self.arrangement.with_workspace(|workspace| self.descent.is_free(&back(share), workspace))
            };
            if !is_free(BACK) {
                return;
            }
            let (mut colliding, mut apart) = (0.0, BACK);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (colliding + apart);
                if is_free(middle) { apart = middle } else { colliding = middle }
            }
            let tight = back(apart);
            let again = self.run(&tight);
            let source = best.source;
            let tight = Descended { free: Some(tight), nearest: free, source, ..Descended::default() };
            *best = better(better(tight, again.with_source(source)), std::mem::take(best));
        }
    }
}

/// Share of the way from the start at which an answer collides.
const BACK: f64 = 0.99;
/// Halvings of the way back, and ways back.
const BISECTIONS: u32 = 30;
const TIGHTENINGS: u32 = 3;

fn best_of(found: impl Iterator<Item = Descended>) -> Option<Descended> {
    found.reduce(better)
}

/// The better of two descents: the free one of lesser σ, else the one that lacks less.
fn better(one: Descended, other: Descended) -> Descended {
    let iterations = one.iterations + other.iterations;
    let (a, b) = (one.sigma(), other.sigma());
    let is_other = if a.is_finite() || b.is_finite() { b < a } else { other.lack < one.lack };
    Descended { iterations, ..if is_other { other } else { one } }
}
