//! The search policy: starts of walks, and the walks that an effort makes.
//!
//! | step | starts | action |
//! |------|--------|--------------|
//! | 1 | the translational penetration | a walk; `fast` ends here |
//! | 2 | outside along 212 directions at the input's orientation, holes and hollows | walks from the best |
//! | 3 | outside along 44 directions at each of 48 orientations | walks from the best |
//! | 4 | around the best optimum | walks from free configurations near it, in three rounds |
//!
//! Walks of one step run in parallel, and the best of them counts, the first of equals: the result does not depend on
//! the number of threads.

use std::time::Instant;

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};

use super::free::is_free_within;
use super::projection::contact_space_projection;
use super::starts::{Start, from_outside, orientations, promising};
use super::walk::{Optimum, Walk, WalkEffort};
use crate::parallel;
use crate::penetration::error::PenetrationError;
use crate::penetration::free_configuration::FreeConfiguration;
use crate::penetration::generalized::error::GeneralizedError;
use crate::penetration::generalized::options::{
    GeneralizedOptions, GeneralizedSource, GeneralizedStart, SearchEnd,
};
use crate::penetration::translational::answer::TranslationalEnd;
use crate::penetration::translational::collision_check::CollisionCheck;
use crate::penetration::translational::free_configuration::spread::axes;
use crate::penetration::translational::free_configuration::{centroid_difference, maximally_clear};
use crate::penetration::translational::options::{Effort, LowerBound, TranslationalOptions, deadline};
use crate::penetration::translational::query::penetration;
use crate::proximity::model::Model;
use crate::proximity::work_limit::WorkLimit;

/// A walk to the optimum. Half and twice change every depth by less than 0.01 % and the steps by at most 3 %, but
/// `refinements` by +15 % and −4.7 %; `iterations` is a safeguard without effect (docs/sensitivity.md).
const FINE: WalkEffort = WalkEffort {
    gain: 1e-7,
    iterations: 200,
    max_idle: 12,
    small_gain: 0.0,
    refinements: 4,
    window: 1e-3,
    stride: 2e-3,
};
/// A walk that estimates whether its start deserves a fine one. Half and twice change every depth by less than 0.01 %
/// and the steps by at most 4 % (docs/sensitivity.md).
const COARSE: WalkEffort = WalkEffort { gain: 1e-3, iterations: 40, ..FINE };
/// The only walk of fast effort. In finely meshed bodies there is always a little more to gain, so it ends soon after
/// gains have become small. Mean depths change by at most +0.6 % (worst +35 %): half of `gain` and twice `window`
/// +0.6 %, `refinements` +0.4 % and +0.2 %, all others < 0.05 % (docs/sensitivity.md).
const FAST: WalkEffort = WalkEffort {
    gain: 1e-3,
    iterations: 24,
    max_idle: 4,
    small_gain: 1e-2,
    refinements: 2,
    window: 2e-4,
    stride: 1e-2,
};
/// Maximum σ of a start relative to the best optimum so far: walks gain, so a start may be worse. A smaller one
/// discards starts that would win, a larger one walks from more. Half and twice change every depth by less than 0.01 %
/// and the steps by −33 % and +20 % (docs/sensitivity.md).
const HOPE: f64 = 1.6;
/// Number of walks from outside at the input's orientation, and at others. This and the next four trade time for
/// quality at best effort. Half and twice change every depth by less than 0.01 % and the steps by −17 % and +27 %
/// (docs/sensitivity.md).
const WALKS: [usize; 2] = [12, 24];
/// Number of walks from holes and hollows. Half and twice change no depth and the steps by −0.72 % and < 0.5 %
/// (docs/sensitivity.md).
const CLEAR: usize = 4;
/// Number of optima refined by fine walks. Half and twice change every depth by less than 0.01 % and the steps by
/// −6.6 % and +8.3 % (docs/sensitivity.md).
const FINALISTS: usize = 4;
/// Radii, in its √σ, of the rounds around the best optimum. Half and twice change every depth by less than 0.01 % and
/// the steps by +1.9 % and −19 % (docs/sensitivity.md).
const ROUNDS: [f64; 3] = [0.5, 0.3, 0.15];
/// Number of walks of a round. Half and twice change every depth by less than 0.01 % and the steps by −22 % and +39 %
/// (docs/sensitivity.md).
const ROUND: usize = 12;

/// A free pose of A with its σ.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreePose {
    /// σ [m²].
    pub(super) sigma: f64,
    pub(super) pose: Isometry3<f64>,
    /// Whether it was verified that nothing collides there.
    pub(super) verified_free: bool,
    pub(super) source: GeneralizedSource,
}

pub(super) struct RigidSearch<'a> {
    a: (&'a Model, &'a Isometry3<f64>),
    b: (&'a Model, &'a Isometry3<f64>),
    options: &'a GeneralizedOptions,
    /// Constrained optimizations made so far.
    pub(super) iterations: u32,
    /// Whether the translational search or a walk has spent its bound on work.
    is_work_spent: bool,
    /// Time at which the best result so far is returned.
    deadline: Option<Instant>,
}

impl<'a> RigidSearch<'a> {
    pub(super) fn new(
        a: (&'a Model, &'a Isometry3<f64>),
        b: (&'a Model, &'a Isometry3<f64>),
        options: &'a GeneralizedOptions,
    ) -> Self {
        Self { a, b, options, iterations: 0, is_work_spent: false, deadline: deadline(options.time_budget) }
    }

    fn walk(&self, effort: WalkEffort) -> Walk<'a> {
        Walk::new(self.a, self.b, (self.options.clearance, effort), self.deadline)
    }

    /// Reason for the end of the search.
    pub(super) fn end(&self) -> SearchEnd {
        match self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            true => SearchEnd::Stopped,
            false if self.is_work_spent => SearchEnd::WorkBound,
            false => SearchEnd::Completed,
        }
    }

    /// The best free pose found by the effort, verified by a check.
    pub(super) fn run(
        &mut self,
        remembered: &[Isometry3<f64>],
        check: CollisionCheck,
    ) -> Result<FreePose, GeneralizedError> {
        let walk = self.walk(FAST);
        let seed = self.start(&walk, remembered)?;
        let found = match self.options.effort {
            Effort::Best if self.options.start.is_none() => self.thorough(&walk, seed),
            Effort::Best => self.walks(&[seed], FINE),
            Effort::Fast => self.walks(&[seed], FAST),
        };
        // The walk may end no better than its start, which is then the result.
        let best = found.first().copied().filter(|best| best.sigma() < seed.sigma()).unwrap_or(seed);
        let best = self.settle(&walk, best);
        let found = |optimum: &Optimum| {
            let Some(pose) = walk.chart.pose(&optimum.y) else { return Ok(None) };
            let (a, b, clearance) = ((self.a.0, &pose), self.b, self.options.clearance);
            let verified_free = check.decide([a.0, b.0], |limit| is_free_within(a, b, clearance, limit))?;
            let (sigma, source) = (optimum.sigma(), optimum.source);
            Ok::<_, GeneralizedError>(Some(FreePose { sigma, pose, verified_free, source }))
        };
        if let Some(best) = found(&best)?.filter(|best| best.verified_free) {
            return Ok(best);
        }
        Ok(found(&seed)?.expect("a start is in the chart"))
    }

    /// The start of the walk of a fast effort: a stored pose or the translational penetration, whichever is nearer, or the only
    /// source allowed [Tang14 §3.2, free-configuration selection].
    fn start(&mut self, walk: &Walk<'_>, remembered: &[Isometry3<f64>]) -> Result<Optimum, GeneralizedError> {
        let (a, b, clearance) = (self.a.0, self.b, self.options.clearance);
        let free = |pose: &&Isometry3<f64>| {
            let limit = &mut WorkLimit::between(a, b.0, walk.limit.deadline());
            is_free_within((a, *pose), b, clearance, limit).unwrap_or(false)
        };
        let projected =
            |pose: &Isometry3<f64>| walk.chart.of_pose(pose).map(|y| contact_space_projection(walk, &y));
        let nearest = |poses: &[Isometry3<f64>]| {
            let starts = poses.iter().filter(free).filter_map(projected);
            starts.min_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared()))
        };
        let none = |source| PenetrationError::NoFreeConfiguration { start: source };
        let source = match &self.options.start {
            Some(GeneralizedStart::MotionCoherence) => {
                let y = nearest(remembered).ok_or_else(|| none(FreeConfiguration::MotionCoherence))?;
                return Ok(Optimum { y, source: GeneralizedSource::MotionCoherence });
            }
            Some(GeneralizedStart::Given(poses)) => {
                let poses = poses.iter().map(|pose| pose.base).collect::<Vec<_>>();
                let y = nearest(&poses).ok_or_else(|| none(FreeConfiguration::Given(Vector3::zeros())))?;
                return Ok(Optimum { y, source: GeneralizedSource::Given });
            }
            Some(GeneralizedStart::CentroidDifference) => Some(FreeConfiguration::CentroidDifference),
            Some(GeneralizedStart::Random) => Some(FreeConfiguration::Random),
            Some(GeneralizedStart::Translational) | None => None,
            // Walks start from free configurations, and a single body has neither links to perturb nor joints that constrain it.
            Some(start) => return Err(GeneralizedError::StartFailed { start: start.source() }),
        };
        let y = self.translational(walk, source)?;
        if let Some(start) = &self.options.start {
            return Ok(Optimum { y, source: start.source() });
        }
        Ok(match nearest(remembered).filter(|other| other.norm_squared() < y.norm_squared()) {
            Some(y) => Optimum { y, source: GeneralizedSource::MotionCoherence },
            None => Optimum { y, source: GeneralizedSource::Translational },
        })
    }

    /// The result of the translational query, as a point of the chart.
    fn translational(
        &mut self,
        walk: &Walk<'_>,
        source: Option<FreeConfiguration>,
    ) -> Result<Vector6<f64>, GeneralizedError> {
        let options = TranslationalOptions {
            effort: self.options.effort,
            start: source,
            lower_bound: LowerBound::Skip,
            // The other half is for rotations.
            time_budget: self.options.time_budget.map(|budget| budget / 2),
            parallel: self.options.parallel,
            seed: self.options.seed,
            ..TranslationalOptions::default()
        };
        let ((a, pose_a), (b, pose_b)) = (self.a, self.b);
        if self.options.clearance <= 0.0
            && let Some(found) = penetration(a, pose_a, b, pose_b, &options)?
        {
            self.is_work_spent |= found.ended_by == TranslationalEnd::WorkBound;
            let pose = Translation3::from(found.translation) * pose_a;
            return Ok(walk.chart.of_pose(&pose).expect("a translation is in the chart"));
        }
        // The translational query has no clearance, but casts keep one: the best cast from outside takes its place.
        let at = walk.chart.at(&Vector6::zeros()).expect("the input is in the chart");
        let mut space = walk.space(&at, &Vector3::zeros());
        let others = axes(&space).filter(|_| source.is_none());
        let directions = match source {
            Some(FreeConfiguration::Random) => {
                return Err(GeneralizedError::StartFailed { start: GeneralizedSource::Random });
            }
            _ => std::iter::once(centroid_difference(&space)).chain(others).collect::<Vec<_>>(),
        };
        let (mut nearest, mut q) = (f64::INFINITY, directions[0] * space.outside(&directions[0]));
        for direction in directions {
            if let Some(depth) = space.depth_from_outside(&direction, nearest) {
                (nearest, q) = (depth, direction * (depth + space.clearance()));
            }
        }
        Ok(Vector6::new(0.0, 0.0, 0.0, q.x, q.y, q.z))
    }

    /// Ensures that samples of the path back to the input collide: where one is free, the search walks on from it.
    fn settle(&mut self, walk: &Walk<'_>, mut best: Optimum) -> Optimum {
        /// Maximum number of such walks; each starts nearer than the last one ended. A safeguard against an endless
        /// loop, without effect on the sets of docs/sensitivity.md.
        const WALKS: u32 = 4;
        /// Samples, as fractions of the path from the input to the result. Half changes no depth, twice the mean depth
        /// by < 0.01 % (worst +0.17 %, best −0.11 %) with +11 % steps (docs/sensitivity.md).
        const PLACES: [f64; 6] = [0.99, 0.95, 0.85, 0.7, 0.5, 0.25];
        let effort = if self.options.effort == Effort::Fast { FAST } else { COARSE };
        let mut limit = WorkLimit::between(walk.a, walk.b, walk.limit.deadline());
        for _ in 0..WALKS {
            if limit.is_spent() || walk.is_late() {
                break;
            }
            // Nearest to the input first: the smallest σ that is free.
            let back = PLACES.into_iter().rev().map(|fraction| walk.chart.interpolated(&best.y, fraction));
            let Some(y) = back.into_iter().find(|y| walk.is_free(y, &mut limit)) else { break };
            let start = Optimum { y, ..best };
            match self.walks(&[start], effort).first() {
                Some(better) if better.sigma() < best.sigma() => best = *better,
                _ => best = start,
            }
        }
        best
    }
}

impl RigidSearch<'_> {
    /// Optima from many starts, best first; those found until the deadline.
    fn thorough(&mut self, walk: &Walk<'_>, seed: Optimum) -> Vec<Optimum> {
        let of = |source| move |y: Vector6<f64>| Optimum { y, source };
        let outside = |start: &Start| of(GeneralizedSource::Outside)(start.y);
        let mut optima = self.walks(&[seed], COARSE);
        let best = |optima: &[Optimum]| optima.first().map_or(seed.sigma(), Optimum::sigma);
        // Starts at the input's orientation first: their best σ bounds the other orientations.
        let here = from_outside(walk, &Vector3::zeros(), HOPE * seed.sigma(), true);
        let mut starts = promising(here, WALKS[0]).iter().map(outside).collect::<Vec<_>>();
        let clear = if walk.is_late() { Vec::new() } else { self.clear(walk, seed.y.norm()) };
        starts.extend(clear.into_iter().map(of(GeneralizedSource::ClearConfiguration)));
        optima.extend(self.walks(&starts, COARSE));
        sort(&mut optima);
        let within = HOPE * best(&optima);
        let rotated = self.each(&orientations(best(&optima).sqrt()), |rotation| {
            from_outside(walk, rotation, within, false)
        });
        let starts = promising(rotated.into_iter().flatten().collect::<Vec<Start>>(), WALKS[1]);
        optima.extend(self.walks(&starts.iter().map(outside).collect::<Vec<_>>(), COARSE));
        sort(&mut optima);
        optima.truncate(FINALISTS);
        let ends = optima.clone();
        optima.extend(self.walks(&ends, FINE));
        sort(&mut optima);
        for (round, radius) in ROUNDS.into_iter().enumerate() {
            let Some(&best) = optima.first().filter(|_| !walk.is_late()) else { break };
            let around =
                (0..ROUND).map(|i| best.y + noise(round * ROUND + i) * (radius * best.sigma().sqrt()));
            let starts = around.collect::<Vec<_>>();
            // Random configurations usually overlap: each is first moved out along its own translation.
            let free = self.each(&starts, |y| self.walk(FINE).free_near(y, HOPE * best.sigma()));
            let free = free.into_iter().flatten().map(of(GeneralizedSource::Random)).collect::<Vec<_>>();
            let mut found = self.walks(&free, COARSE);
            sort(&mut found);
            found.truncate(FINALISTS);
            optima.extend(self.walks(&found, FINE));
            sort(&mut optima);
        }
        optima
    }

    /// Configurations in holes and hollows at the input's orientation.
    fn clear(&self, walk: &Walk<'_>, within: f64) -> Vec<Vector6<f64>> {
        let Some(at) = walk.chart.at(&Vector6::zeros()) else { return Vec::new() };
        let space = walk.space(&at, &Vector3::zeros());
        let found = maximally_clear(&space, HOPE * within, CLEAR);
        found.into_iter().map(|q| Vector6::new(0.0, 0.0, 0.0, q.x, q.y, q.z)).collect()
    }

    /// Optima at which walks from free configurations end, best first.
    fn walks(&mut self, starts: &[Optimum], effort: WalkEffort) -> Vec<Optimum> {
        let walked = self.each(starts, |start| {
            let mut walk = self.walk(effort);
            (walk.descend(start), walk.iterations, walk.limit.is_work_spent())
        });
        let mut optima = Vec::with_capacity(walked.len());
        for (optimum, iterations, is_work_spent) in walked {
            optima.extend(optimum);
            self.iterations += iterations;
            self.is_work_spent |= is_work_spent;
        }
        sort(&mut optima);
        optima
    }

    /// Maps `look` over `items`, in parallel where the options allow, in their order.
    fn each<T: Sync, R: Send>(&self, items: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
        if self.options.parallel && items.len() > 1 {
            parallel::map_slice(items, 1, look)
        } else {
            items.iter().map(look).collect()
        }
    }
}

/// Best first; equals stay in their order.
fn sort(optima: &mut [Optimum]) {
    optima.sort_by(|x, y| x.sigma().total_cmp(&y.sigma()));
}

/// A point of the cube [−1, 1]⁶ / √6, the `index`-th of an even sequence (Roberts, R₆).
fn noise(index: usize) -> Vector6<f64> {
    /// The positive root of x⁷ = x + 1.
    const ROOT: f64 = 1.112_775_684_278_705_5;
    let at = (index + 1) as f64;
    Vector6::from_fn(|k, _| {
        let fraction = (0.5 + at * ROOT.powi(-(k as i32 + 1))).fract();
        (2.0 * fraction - 1.0) / 6.0_f64.sqrt()
    })
}
