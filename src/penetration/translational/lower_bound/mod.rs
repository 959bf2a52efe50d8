//! A lower bound of the penetration depth of solids, proved by balls inside them.
//!
//! If a ball of radius r inside A has its centre inside B at depth s, then B holds a ball of radius s about the same
//! centre, and the two overlap after every translation shorter than s + r: so the depth is at least that. It is so
//! as well where the centre is outside and s is negative: then the ball holds a point of B at −s from its centre, and
//! keeps it for r + s. The balls of B bound the depth likewise. The greatest s + r is sought over the balls that were chosen once for each model, best
//! prospects first; what the grid of depths shows to be no better costs next to nothing.

mod ascent;
mod cover;

use std::cell::Cell;

use nalgebra::{Isometry3, Point3};

use super::LowerBound;
use crate::proximity::Model;
use crate::proximity::inner_balls::Ball;
use crate::proximity::placement::Placement;

/// Rounding of a placement, relative to the sizes that enter it: turned and moved points of unit size are a few
/// units in the last place off.
const ROUNDING: f64 = 1e-14;

/// Two solids in one relative placement.
pub(super) struct Solids<'a> {
    models: [&'a Model; 2],
    /// From the tree of either model to that of the other one.
    to_other: [Placement; 2],
    /// The balls of either model, in the frame of the other one's tree.
    balls: [Vec<Ball>; 2],
    /// What a bound may be overestimated by because the placement is rounded [m].
    rounding: f64,
}

/// A length below the depth [m] by which `a` must move: proved, and at most `upper`, a depth that is known to suffice.
pub(super) fn lower_bound(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    upper: f64,
    effort: LowerBound,
) -> f64 {
    let is_nothing_proved = [a, b].iter().any(|model| model.inner_balls().balls().is_empty());
    if matches!(effort, LowerBound::Skip) || is_nothing_proved {
        return 0.0;
    }
    let a_to_b = Placement::between(a, pose_a, b, pose_b);
    let far = [pose_a, pose_b].map(|pose| pose.translation.vector.norm()).iter().sum::<f64>()
        + [a, b].map(|model| model.center().coords.norm()).iter().sum::<f64>();
    let to_other = [a_to_b, a_to_b.inverse()];
    let moved = |owner: usize| {
        let balls = [a, b][owner].inner_balls().balls().iter();
        let center = |ball: &Ball| to_other[owner].point(&Point3::from(ball.center)).coords;
        balls.map(|ball| Ball { center: center(ball), ..*ball }).collect::<Vec<_>>()
    };
    let solids = Solids {
        models: [a, b],
        to_other,
        balls: [moved(0), moved(1)],
        rounding: ROUNDING * (far + a.radius() + b.radius()),
    };
    let bound = solids.by_inner_balls(upper);
    let bound = match effort {
        LowerBound::Cover { evaluations } => solids.by_cover(bound, upper, evaluations),
        _ => bound,
    };
    (bound - solids.rounding).clamp(0.0, upper)
}

/// A ball that may prove something.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// What it is likely to prove [m].
    likely: f64,
    /// What it proves at the most [m].
    most: f64,
    /// Whose it is.
    owner: usize,
    /// In the frame of the other one's tree.
    ball: Ball,
}

thread_local! {
    static CANDIDATES: Cell<Vec<Candidate>> = const { Cell::new(Vec::new()) };
}

/// Steps of the ascent from the best ball.
const STEPS: u32 = 12;

impl Solids<'_> {
    /// The greatest sum of a ball's radius and its centre's depth in the other solid, or `upper` if it is less.
    fn by_inner_balls(&self, upper: f64) -> f64 {
        let mut candidates = CANDIDATES.take();
        candidates.clear();
        let (mut best, mut start) = self.gather(&mut candidates);
        candidates.sort_unstable_by(|x, y| y.likely.total_cmp(&x.likely));
        for candidate in &candidates {
            if best >= upper {
                break;
            }
            if !(candidate.most > best) {
                continue;
            }
            let Ball { center, radius } = candidate.ball;
            let other = self.models[1 - candidate.owner];
            if let Some((depth, _)) = other.depth_above(&center, best - radius) {
                if radius + depth > best {
                    (best, start) = (radius + depth, Some(*candidate));
                }
            }
        }
        CANDIDATES.set(candidates);
        if let Some(Candidate { owner, ball, .. }) = start
            && best < upper
        {
            let point = if owner == 0 {
                ball.center
            } else {
                self.to_other[0].point(&Point3::from(ball.center)).coords
            };
            let step = 0.25 * ball.radius;
            best = best.max(self.ascend(point, step, STEPS, upper));
        }
        best
    }

    /// Collects the balls whose centre may be inside the other solid; answers what the grids alone prove [m] and the
    /// ball that proves it.
    fn gather(&self, candidates: &mut Vec<Candidate>) -> (f64, Option<Candidate>) {
        let (mut proved, mut by) = (f64::NEG_INFINITY, None);
        for owner in 0..2 {
            let other = self.models[1 - owner].inner_balls();
            for &ball in &self.balls[owner] {
                let Some(known) = other.estimate(&ball.center) else { continue };
                let [likely, least, most] =
                    [known.likely, known.least, known.most].map(|depth| ball.radius + depth);
                if !(most > proved) {
                    continue;
                }
                let candidate = Candidate { likely, most, owner, ball };
                candidates.push(candidate);
                if least > proved {
                    (proved, by) = (least, Some(candidate));
                }
            }
        }
        (proved, by)
    }
}
