//! Multi-start search beyond its first descent.
//!
//! Where the first descent fails, other [sources](super::sources) of starts come first, and what the first of them that succeeds finds
//! is improved; fast effort has less patience than best effort, which therefore is never farther. Then the other
//! sources are tried, and rounds of descents are made from random points no farther than the best result
//! so far, around the input and around that result; any better result lies within that ball. What improved is moved back towards
//! the input limb by limb, jumping over what lies between, and descents start from the result with one limb back at the input.

use super::descent::DescentResult;
use super::limbs::Limbs;
use super::options::{GeneralizedSource, SearchEnd};
use super::search::{FALLBACKS, FIRST_RADIUS, IMPROVEMENT, MultiStartSearch, ROUND, better};
use super::sources::Source;
use super::starts;

/// Maximum number of rounds of best effort once something is free. No effect on the sets of docs/sensitivity.md.
const ROUNDS: u64 = 8;
/// Doublings of the first radius in the rounds as long as nothing is free: small and large balls in turn. In the largest one all variables
/// of most points are at their limits, which frees what must move as far as it can.
const DOUBLINGS: [i32; ROUNDS as usize] = [0, 7, 1, 6, 2, 5, 3, 4];
/// Maximum number of rounds of best effort in all: only work bounds a search that has found nothing free, unless its descents end
/// without any.
const ALL_ROUNDS: u64 = 64;
/// Descents of a round between which the search may end: as many may run at once.
const BATCH: u64 = 8;
/// Growths about perturbations of the best result after each batch, where growth has found it.
const REGROWTHS: u64 = 4;
/// Rounds without improvement that end the search; one may miss late improvements. Half and twice change every depth by
/// less than 0.05 % and the steps by −29 % and +75 % (docs/sensitivity.md).
const IDLE_ROUNDS: u32 = 2;
/// Factor on both where the first descent has failed: there many descents end at their start, so that a round is less work. Set on the
/// tuning part of `repair_suite` (docs/sensitivity.md).
const SHORT_ROUNDS: u32 = 2;
/// Every how many random starts one returns a limb of the best result to the input.
const RETURNS: u64 = 4;

impl<'a> MultiStartSearch<'a> {
    /// Best effort where the first descent has found something: descents from all other sources of starts and from random points,
    /// until the search [ends](Self::end).
    pub(super) fn beyond_first(&self, best: DescentResult) -> DescentResult {
        let quick: [Source<'a>; 3] = [
            |search| Some(search.as_one_body()),
            Self::descend_from_common_exits,
            |search| search.translational(f64::INFINITY),
        ];
        // What is slow, and seldom better than what the others find, waits until a round is over.
        let slow: [Source<'a>; 4] =
            [Self::grown_from_root, Self::grown_from_elsewhere, Self::perturbed, Self::translated];
        match self.try_sources(&quick, best) {
            Ok(best) => self.rounds(best, &slow, 0),
            Err(ended) => ended,
        }
    }

    /// Either effort where the first descent has found nothing: descents from other sources until one succeeds, the sources that were
    /// not tried, and random points.
    pub(super) fn beyond_failure(&self, best: DescentResult) -> DescentResult {
        let (best, tried) = self.fallbacks(best);
        let best = self.translational(best.sigma()).into_iter().fold(best, better);
        let sources = &Self::FALLBACK_SOURCES[tried..];
        if best.free.is_none() && self.end(&best).is_none() {
            // The bound on work begins anew: what was tried in vain takes nothing from the search.
            let spent = best.work;
            return self
                .rounds(DescentResult { work: 0, improved_work: 0, ..best }, sources, 0)
                .with_work(spent);
        }
        // Improving what a fallback found is part of the way there.
        let best = DescentResult { improved_work: best.work, ..best };
        // Beyond the random numbers of the fallbacks.
        self.rounds(best, sources, 2 * FALLBACKS)
    }

    /// The best of a result and those of sources; `Err` where the search ends before all were tried.
    fn try_sources(
        &self,
        sources: &[Source<'a>],
        mut best: DescentResult,
    ) -> Result<DescentResult, DescentResult> {
        for source in sources {
            if let Some(end) = self.end(&best) {
                return Err(DescentResult { end, ..best });
            }
            best = source(self).into_iter().fold(best, better);
        }
        Ok(best)
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

    /// Rounds of random descents, whose numbers begin at `first`, until they bring no improvement; the other `sources` follow the
    /// first batch.
    fn rounds(&self, mut best: DescentResult, sources: &[Source<'a>], first: u64) -> DescentResult {
        let mut idle = 0;
        let factor = if self.chooses { SHORT_ROUNDS } else { 1 };
        let limbs = Limbs::new(self.collision_world, self.chart);
        let mut returned = 0;
        for round in 0..ALL_ROUNDS {
            if round >= u64::from(factor) * ROUNDS && best.free.is_some() {
                break;
            }
            let before = best.sigma();
            let (radius, around) = match &best.free {
                Some(free) => (before.sqrt(), free.clone()),
                None => {
                    // Nothing free yet: balls around the input from a small one to one as large as can be of use.
                    let doublings = DOUBLINGS[round as usize % DOUBLINGS.len()];
                    (FIRST_RADIUS * self.collision_world.size * 2.0_f64.powi(doublings), self.origin())
                }
            };
            for batch in 0..ROUND / BATCH {
                if let Some(end) = self.end(&best) {
                    return DescentResult { end, ..best };
                }
                let (sigma, number) = (best.sigma(), first + round * ROUND + batch * BATCH);
                best = self.batch(best, &limbs, (&around, radius), (number, returned));
                if round == 0 && batch == 0 {
                    best = match self.try_sources(sources, best) {
                        Ok(best) => best,
                        Err(ended) => return ended,
                    };
                }
                if best.source == GeneralizedSource::Growth {
                    best = self.regrown(best, number);
                }
                returned += (BATCH / RETURNS) as usize;
                if best.sigma() < sigma {
                    best = self.moved_back(best, &limbs);
                    returned = 0;
                }
            }
            // An infinite σ, nothing free yet, counts as idle, but only free results may end the search.
            idle = if best.sigma() < (1.0 - IMPROVEMENT) * before { 0 } else { idle + 1 };
            if idle >= factor * IDLE_ROUNDS && best.free.is_some() {
                return DescentResult { end: SearchEnd::NoImprovement, ..best };
            }
        }
        DescentResult { end: SearchEnd::WorkBound, ..best }
    }

    /// The best of a result and of a batch of random descents, in the ball in which a round looks; `returned` limbs of the result
    /// have been back at the input.
    fn batch(
        &self,
        best: DescentResult,
        limbs: &Limbs,
        (around, radius): (&[f64], f64),
        (first, returned): (u64, usize),
    ) -> DescentResult {
        let (free, nearest) = (best.free.as_deref(), best.nearest.as_slice());
        let bound = self.bound(&best);
        let back = free.map(|free| limbs.in_order_of_part(free)).unwrap_or_default();
        let run = |index: u64| {
            let (origin, number) = (self.origin(), [self.options.seed, index]);
            // Half explore the ball around the input that must contain any better result, a quarter changes a limb of the best
            // one, or one that keeps it from being free, and a quarter refines it.
            let (start, work) = match index % RETURNS {
                3 => (starts::random(self.chart, around, 0.5 * radius, number), 0),
                2 => match (free, back.get(returned + (index % BATCH / RETURNS) as usize)) {
                    (Some(free), Some(limb)) => (self.chart.scaled(free, limb, 0.0), 0),
                    _ => (self.with_other_limb(limbs, (free, nearest), radius, number), 0),
                },
                _ => self.with_smallest_overlap(number, |number| {
                    starts::random(self.chart, &origin, radius, number)
                }),
            };
            // While nothing is free, every other one restores feasibility first; later only those that end with an overlap, from
            // where they end.
            let found = self.run_random(&start, free.is_none() && index % 2 == 1, bound).with_work(work);
            if free.is_none() || found.free.is_some() || found.is_vain {
                return found;
            }
            let restored = self.run_random(&found.nearest, true, bound);
            better(found, restored)
        };
        // Collected in order and folded afterwards: the choice does not depend on the threads.
        let found = self.each(first..first + BATCH, run);
        found.into_iter().fold(best, better)
    }
}
