//! A lower bound of the penetration depth of solids, proved by balls inside them.
//!
//! If a ball of radius r inside A has its centre inside B at depth s, then B holds a ball of radius s about the same
//! centre, and the two overlap after every translation shorter than s + r: so the depth is at least that. It is so
//! as well where the centre is outside and s is negative: then the ball holds a point of B at −s from its centre, and
//! keeps it for r + s. The balls of B bound the depth likewise.
//!
//! The greatest s + r is sought over the balls that were chosen once for each model, best prospects first; what the
//! grid of depths shows to be no better costs next to nothing. From the best of them, or from the contact of the
//! separating translation that was found, a climb leads on to balls that were not chosen before.

mod cover;

use std::cell::Cell;

use nalgebra::{Isometry3, Point3, Vector3};

use super::answer::Penetration;
use super::options::LowerBound;
use crate::proximity::inner_ball::Ball;
use crate::proximity::inner_balls::climb::{Climb, Place};
use crate::proximity::model::Model;
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
    /// A depth that suffices [m].
    upper: f64,
    /// What a bound may be overestimated by because the placement is rounded [m].
    rounding: f64,
}

/// A length [m] that no separating translation of `a` is shorter than: proved, and no more than the depth `found`.
pub(super) fn lower_bound(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    found: &Penetration,
    effort: LowerBound,
) -> f64 {
    if matches!(effort, LowerBound::Skip) {
        return 0.0;
    }
    if [a, b].iter().any(|model| model.inner_balls().balls().is_empty()) {
        return 0.0;
    }
    let mut solids = Solids::new((a, pose_a), (b, pose_b), found.depth);
    let between = nalgebra::center(&found.witnesses[0], &found.witnesses[1]);
    let between = pose_b.inverse_transform_point(&between) - b.center();
    let proved = solids.by_inner_balls(between);
    let proved = match effort {
        LowerBound::Cover { evaluations } => solids.by_cover(proved, evaluations),
        _ => proved,
    };
    (proved - solids.rounding).min(found.depth).max(0.0)
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

/// Share of a depth that may be lost on the way to the best place, to get there sooner.
const SLACK: f64 = 0.005;

/// A point of the frame of B's tree with its depths in A and in B; the height is their sum, which is what it proves.
type Deep = Place<[f64; 2]>;

/// Steps of the climb from the best start.
const STEPS: u32 = 12;
/// Slope below which it is level: the most is 2.
const LEVEL: f64 = 0.02;

impl<'a> Solids<'a> {
    fn new(
        (a, pose_a): (&'a Model, &Isometry3<f64>),
        (b, pose_b): (&'a Model, &Isometry3<f64>),
        upper: f64,
    ) -> Self {
        let a_to_b = Placement::between(a, pose_a, b, pose_b);
        let to_other = [a_to_b, a_to_b.inverse()];
        let far = pose_a.translation.vector.norm() + pose_b.translation.vector.norm();
        let sizes = [a, b].map(|model| model.center().coords.norm() + model.radius());
        let moved = |owner: usize| {
            let balls = [a, b][owner].inner_balls().balls().iter();
            let center = |ball: &Ball| to_other[owner].point(&Point3::from(ball.center)).coords;
            balls.map(|ball| Ball { center: center(ball), ..*ball }).collect()
        };
        let rounding = ROUNDING * (far + sizes[0] + sizes[1]);
        Self { models: [a, b], to_other, balls: [moved(0), moved(1)], upper, rounding }
    }

    /// The greatest sum found of a point's depths in both solids: from the balls, from the point `between` the places
    /// where the solids touch when they have been separated, and from a climb from the better one of them.
    fn by_inner_balls(&mut self, between: Vector3<f64>) -> f64 {
        let origin = Vector3::zeros();
        let (proved, ball) = self.best_ball();
        if proved >= self.upper {
            return proved;
        }
        let of_witnesses = self.look(&origin, between, SLACK).filter(|deep| deep.height > proved);
        let start = of_witnesses.map(|deep| (deep, 0.25 * self.upper)).or_else(|| {
            let (owner, ball) = ball?;
            let deep = self.look(&origin, self.in_b(owner, &ball.center), SLACK)?;
            Some((deep, 0.25 * ball.radius))
        });
        let Some((start, step)) = start else { return proved };
        let top = self.climb(&origin, start, step, self.upper, &mut 0);
        let top = self.look(&origin, top.point, 0.0).unwrap_or(top);
        self.keep(&origin, &top);
        top.height.max(proved)
    }

    /// Climbs from `start` with A moved by `q` until `enough` is proved [m]; counts the points looked at.
    fn climb(&self, q: &Vector3<f64>, start: Deep, step: f64, enough: f64, looks: &mut u32) -> Deep {
        let climb = Climb { step, longest: f64::INFINITY, steps: STEPS, level: LEVEL, enough };
        climb.run(start, |point| {
            *looks += 1;
            self.look(q, point, SLACK)
        })
    }

    /// How deep a point [m, frame of B's tree] is in both solids with A moved by `q`, less by the share `slack` at most.
    fn look(&self, q: &Vector3<f64>, point: Vector3<f64>, slack: f64) -> Option<Deep> {
        let in_a = self.to_other[1].point(&Point3::from(point - q)).coords;
        let (depth_in_a, on_a) = self.models[0].depth_above(&in_a, f64::NEG_INFINITY, slack)?;
        let (depth_in_b, on_b) = self.models[1].depth_above(&point, f64::NEG_INFINITY, slack)?;
        let upwards_in_a = (in_a - on_a).normalize() * depth_in_a.signum();
        let upwards_in_b = (point - on_b).normalize() * depth_in_b.signum();
        let gradient = self.to_other[0].rotation * upwards_in_a + upwards_in_b;
        let is_known = gradient.iter().all(|x| x.is_finite());
        let height = depth_in_a + depth_in_b;
        is_known.then_some(Deep { point, height, gradient, detail: [depth_in_a, depth_in_b] })
    }

    /// A point of the frame of the tree of the model that is not the owner, in that of B's tree.
    fn in_b(&self, owner: usize, point: &Vector3<f64>) -> Vector3<f64> {
        if owner == 0 { *point } else { self.to_other[0].point(&Point3::from(*point)).coords }
    }

    /// Adds the balls about a point inside both solids, with A moved by `q`, to the balls.
    fn keep(&mut self, q: &Vector3<f64>, deep: &Deep) {
        let in_a = self.to_other[1].point(&Point3::from(deep.point)).coords;
        self.balls[0].push(Ball { center: deep.point - q, radius: deep.detail[0] });
        self.balls[1].push(Ball { center: in_a, radius: deep.detail[1] });
    }

    /// The ball that proves most, with its owner, and how much [m].
    fn best_ball(&self) -> (f64, Option<(usize, Ball)>) {
        let mut candidates = CANDIDATES.take();
        candidates.clear();
        let (mut best, mut by) = self.gather(&mut candidates);
        candidates.retain(|candidate| candidate.most > best);
        candidates.sort_unstable_by(|x, y| y.likely.total_cmp(&x.likely));
        for &Candidate { most, owner, ball, .. } in &candidates {
            if best >= self.upper {
                break;
            }
            if !(most > best) {
                continue;
            }
            let other = self.models[1 - owner];
            if let Some((depth, _)) = other.depth_above(&ball.center, best - ball.radius, SLACK)
                && ball.radius + depth > best
            {
                (best, by) = (ball.radius + depth, Some((owner, ball)));
            }
        }
        CANDIDATES.set(candidates);
        (best, by)
    }

    /// Collects the balls that may prove most; answers the one that does by the grids alone, and how much [m].
    fn gather(&self, candidates: &mut Vec<Candidate>) -> (f64, Option<(usize, Ball)>) {
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
                candidates.push(Candidate { likely, most, owner, ball });
                if least > proved {
                    (proved, by) = (least, Some((owner, ball)));
                }
            }
        }
        (proved, by)
    }
}
