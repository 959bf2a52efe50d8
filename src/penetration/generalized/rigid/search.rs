//! The policy: where walks start, and which of them an effort makes.
//!
//! | step | starts | what is done |
//! |------|--------|--------------|
//! | 1 | the translational answer | a walk; `fast` ends here |
//! | 2 | outside along 212 directions at the input's orientation, holes and hollows | walks from the best |
//! | 3 | outside along 44 directions at each of 48 orientations | walks from the best |
//! | 4 | around the best optimum | walks from free configurations near it, in two rounds |
//!
//! Walks of one step run side by side, and the best of them counts, the first of equals: the answer does not depend on
//! the number of threads.

use nalgebra::{Isometry3, Translation3, Vector3, Vector6};
use rayon::prelude::*;

use super::starts::{Start, from_outside, orientations, promising};
use super::walk::{Optimum, Walk, WalkEffort};
use super::{RigidError, RigidOptions, RigidPenetration};
use crate::penetration::translational::maximally_clear;
use crate::penetration::{Effort, LowerBound, TranslationalOptions, penetration};
use crate::proximity::{Model, collide};

/// A walk for its own sake: a hundredth of a per cent of √σ is beyond what anybody asks of a fast answer.
const FAST: WalkEffort = WalkEffort { gain: 1e-3, iterations: 24 };
/// A walk that tells whether its start is worth more.
const COARSE: WalkEffort = WalkEffort { gain: 1e-3, iterations: 40 };
/// A walk to the optimum.
const FINE: WalkEffort = WalkEffort { gain: 1e-7, iterations: 200 };
/// How much worse than the best optimum so far a start may be, in σ.
const HOPE: f64 = 1.6;
/// Walks from outside at the input's orientation, and at others.
const WALKS: [usize; 2] = [12, 24];
/// Walks from holes and hollows.
const CLEAR: usize = 4;
/// Optima that are walked to their ends.
const FINALISTS: usize = 4;
/// Rounds around the best optimum, with their radius in its √σ.
const ROUNDS: [f64; 3] = [0.5, 0.3, 0.15];
/// Walks of a round.
const ROUND: usize = 12;

struct Search<'a> {
    a: (&'a Model, &'a Isometry3<f64>),
    b: (&'a Model, &'a Isometry3<f64>),
    parallel: bool,
    iterations: u32,
    projections: u32,
}

pub(super) fn search(
    a: (&Model, &Isometry3<f64>),
    b: (&Model, &Isometry3<f64>),
    options: &RigidOptions,
) -> Result<RigidPenetration, RigidError> {
    let translational = TranslationalOptions {
        effort: options.effort,
        lower_bound: LowerBound::Skip,
        parallel: options.parallel,
        ..TranslationalOptions::default()
    };
    let found = penetration(a.0, a.1, b.0, b.1, &translational)?.expect("the models collide");
    let seed = Translation3::from(found.translation) * a.1;
    let mut search = Search { a, b, parallel: options.parallel, iterations: 0, projections: 0 };
    let walk = Walk::new(a, b, FAST);
    let start = walk.chart.of_pose(&seed).unwrap_or_else(Vector6::zeros);
    let seeded = Optimum { y: start, converged: false };
    let found = match options.effort {
        Effort::Fast => search.walks(&[start], FAST),
        Effort::Best => search.thorough(&walk, start),
    };
    let best = found.first().copied().filter(|best| best.sigma() < seeded.sigma()).unwrap_or(seeded);
    let pose = walk.chart.pose(&best.y).unwrap_or(seed);
    let free = !collide(a.0, &pose, b.0, b.1);
    let (pose, sigma) = if free { (pose, best.sigma()) } else { (seed, seeded.sigma()) };
    Ok(RigidPenetration {
        sigma,
        pose,
        iterations: search.iterations,
        projections: search.projections,
        converged: best.converged && free,
    })
}

impl Search<'_> {
    /// Optima from many starts, best first.
    fn thorough(&mut self, walk: &Walk<'_>, seed: Vector6<f64>) -> Vec<Optimum> {
        let mut optima = self.walks(&[seed], COARSE);
        let best = |optima: &[Optimum]| optima.first().map_or(seed.norm_squared(), Optimum::sigma);
        let here = from_outside(walk, &Vector3::zeros(), HOPE * seed.norm_squared(), true);
        let mut starts = promising(here, WALKS[0]).iter().map(|start| start.y).collect::<Vec<_>>();
        starts.extend(self.clear(walk, seed.norm()));
        optima.extend(self.walks(&starts, COARSE));
        sort(&mut optima);
        let within = HOPE * best(&optima);
        let turned = self.each(&orientations(best(&optima).sqrt()), |turn| from_outside(walk, turn, within, false));
        let starts = promising(turned.into_iter().flatten().collect::<Vec<Start>>(), WALKS[1]);
        optima.extend(self.walks(&starts.iter().map(|start| start.y).collect::<Vec<_>>(), COARSE));
        sort(&mut optima);
        optima.truncate(FINALISTS);
        let ends = optima.iter().map(|optimum| optimum.y).collect::<Vec<_>>();
        optima.extend(self.walks(&ends, FINE));
        sort(&mut optima);
        for (round, radius) in ROUNDS.into_iter().enumerate() {
            let Some(&best) = optima.first() else { break };
            let around = (0..ROUND).map(|i| best.y + noise(round * ROUND + i) * (radius * best.sigma().sqrt()));
            let starts = around.collect::<Vec<_>>();
            let free = self.each(&starts, |y| {
                Walk::new(self.a, self.b, FINE).free_near(y, HOPE * best.sigma())
            });
            let free = free.into_iter().flatten().collect::<Vec<_>>();
            let mut found = self.walks(&free, COARSE);
            sort(&mut found);
            found.truncate(FINALISTS);
            let ends = found.iter().map(|optimum| optimum.y).collect::<Vec<_>>();
            optima.extend(self.walks(&ends, FINE));
            sort(&mut optima);
        }
        optima
    }

    /// Configurations in holes and hollows at the input's orientation.
    fn clear(&self, walk: &Walk<'_>, within: f64) -> Vec<Vector6<f64>> {
        let Some(at) = walk.chart.at(&Vector6::zeros()) else { return Vec::new() };
        let mut space = walk.space(&at, &Vector3::zeros());
        let found = maximally_clear(&mut space, HOPE * within, CLEAR);
        found.into_iter().map(|q| Vector6::new(0.0, 0.0, 0.0, q.x, q.y, q.z)).collect()
    }

    /// Where walks from free configurations end, best first.
    fn walks(&mut self, starts: &[Vector6<f64>], effort: WalkEffort) -> Vec<Optimum> {
        let walked = self.each(starts, |start| {
            let mut walk = Walk::new(self.a, self.b, effort);
            (walk.descend(start), walk.iterations, walk.projections)
        });
        let mut optima = Vec::with_capacity(walked.len());
        for (optimum, iterations, projections) in walked {
            optima.extend(optimum);
            self.iterations += iterations;
            self.projections += projections;
        }
        sort(&mut optima);
        optima
    }

    /// What `look` answers for each of `items`, in their order.
    fn each<T: Sync, R: Send>(&self, items: &[T], look: impl Fn(&T) -> R + Sync) -> Vec<R> {
        if self.parallel && items.len() > 1 {
            items.par_iter().map(&look).collect()
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
        let share = (0.5 + at * ROOT.powi(-(k as i32 + 1))).fract();
        (2.0 * share - 1.0) / 6.0_f64.sqrt()
    })
}
