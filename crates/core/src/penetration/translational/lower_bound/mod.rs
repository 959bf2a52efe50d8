//! A lower bound of the penetration depth, proved by balls inside solids and by curves that cross surfaces ([`crossing`]).
//!
//! If a ball of radius r inside A has its centre inside B at depth s, then B contains a ball of radius s about the same
//! centre, and the two overlap after every translation shorter than s + r: so the depth is at least that. This holds
//! as well if the centre is outside and s is negative: then the ball contains a point of B at −s from its centre, and
//! retains it for r + s. The balls of B bound the depth likewise.
//!
//! The maximum s + r is searched over the balls that were chosen once for each model, best prospects first; balls that the
//! grid of depths shows to be no better cost next to nothing. From the best of them, or from the contact of the
//! separating translation that was found, an ascent leads to balls that were not chosen before.

mod cover;
mod crossing;
pub(super) mod known;
mod widest_curve;

use std::cell::Cell;
use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3};

use self::crossing::{Certificate, CrossingSearch, Limits};
use self::known::KnownCertificate;
use super::answer::Penetration;
use super::options::LowerBound;
use crate::proximity::inner_ball::Ball;
use crate::proximity::inner_balls::steepest_ascent::{Iterate, SteepestAscent};
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;

/// Rounding of a placement, relative to the sizes that enter it: rotated and translated points of unit size are off by
/// a few units in the last place. Smaller, a bound may exceed the depth by rounding; it is subtracted from every bound.
/// Half and twice change no depth (docs/sensitivity.md).
const ROUNDING: f64 = 1e-14;

/// Two solids in one relative placement.
pub(super) struct Solids<'a> {
    models: [&'a Model; 2],
    /// From the tree of either model to that of the other one.
    to_other: [RelativePose; 2],
    /// The balls of either model, in the frame of the other one's tree.
    balls: [Vec<Ball>; 2],
    /// Upper bound of the depth: a sufficient lower bound [m].
    upper: f64,
    /// Overestimation of a bound by the rounding of the placement [m].
    rounding: f64,
    /// Time at which a cover ends, if there is one.
    deadline: Option<Instant>,
}

/// A search for a shorter separating translation from a given one.
pub(super) type Resume<'a> = &'a mut dyn FnMut(&Vector3<f64>) -> Option<Vector3<f64>>;

/// A proved lower bound of the length of all separating translations of `a` [m], not above the depth `found`; a cover ends at
/// the deadline. It may search for a shorter separating translation from a given one with `resume`; all are in the frame
/// of B's tree. The certificate of the last query, if `known`, is verified first, and replaced.
pub(super) fn lower_bound(
    (a, pose_a): (&Model, &Isometry3<f64>),
    (b, pose_b): (&Model, &Isometry3<f64>),
    found: &Penetration,
    (effort, deadline): (LowerBound, Option<Instant>),
    (known, resume): (Option<&mut Option<KnownCertificate>>, Resume),
) -> f64 {
    if matches!(effort, LowerBound::Skip) {
        return 0.0;
    }
    let mut solids = Solids::new((a, pose_a), (b, pose_b), found.depth);
    solids.deadline = deadline;
    let placement = pose_b.inv_mul(pose_a);
    let is_cheap = matches!(effort, LowerBound::Crossings { .. });
    let mut known = known.filter(|_| is_cheap);
    if let Some(proved) = known.as_deref_mut().and_then(|known| solids.by_known(known, &placement)) {
        return (proved - solids.rounding).clamp(0.0, found.depth);
    }
    let between = nalgebra::center(&found.witnesses[0], &found.witnesses[1]);
    let between = pose_b.inverse_transform_point(&between) - b.center();
    let proved = solids.by_inner_balls(between, is_cheap);
    let proved = match effort {
        LowerBound::Cover { evaluations } => {
            let proved = solids.by_crossings(proved, PATCHES_OF_COVER).0;
            let separating = pose_b.rotation.inverse() * found.translation;
            solids.by_cover(proved, evaluations, separating, resume)
        }
        LowerBound::Crossings { patches } => {
            let (proved, certificate) = solids.by_crossings(proved, patches);
            if let Some(known) = known {
                let with_pose = |found| KnownCertificate::new(found, placement, proved / solids.upper);
                *known = certificate.map(with_pose);
            }
            proved
        }
        _ => proved,
    };
    // Rounded down, and at most the depth, below which a true bound may lie by rounding only.
    (proved - solids.rounding).min(solids.upper).max(0.0)
}

/// A ball whose bound may be the best one.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    /// Likely bound [m].
    likely: f64,
    /// Upper bound of the bound that it proves [m].
    max: f64,
    /// Index of the solid that contains it.
    owner: usize,
    /// The ball, in the frame of the other solid's tree.
    ball: Ball,
}

thread_local! {
    static CANDIDATES: Cell<Vec<Candidate>> = const { Cell::new(Vec::new()) };
}

/// Relative error of a depth that is accepted during the search for the best point; the result is evaluated exactly.
/// Half of it costs longer distance queries, twice it may end the ascent at a point that proves 1 % less. Half and
/// twice change no depth (docs/sensitivity.md).
const SLACK: f64 = 0.005;

/// A point of the frame of B's tree with its depths in A and in B; the height is their sum, the bound that it proves.
type Deep = Iterate<[f64; 2]>;

/// Sum of the largest inner radii over the depth below which balls are not tried before crossings: they prove at most
/// that sum.
const LITTLE: f64 = 0.12;
/// Patches that are tried at the zero translation before a cover.
const PATCHES_OF_COVER: u32 = 32;
/// Fraction of the depth that balls prove above which crossings are not tried.
const SUFFICIENT: f64 = 0.95;
/// First step of an ascent, as a fraction of the depth at its start: of the upper bound, or of the radius of the ball.
/// The step adapts afterwards; much more leaves the overlap at once, much less spends steps on growing.
const FIRST_STEP: f64 = 0.25;
/// Maximum number of steps of the ascent from the best start; each evaluates two signed distances at each point tried.
/// Half and twice change the proved bound by −0.54 % and +0.37 % of the depth, and no depth (docs/sensitivity.md).
const STEPS: u32 = 12;
/// Slope below which the ascent ends as at a maximum; the largest possible slope is 2. Half and twice change no depth
/// and the proved bound by less than 0.03 % of the depth (docs/sensitivity.md).
const LEVEL: f64 = 0.02;

impl<'a> Solids<'a> {
    fn new(
        (a, pose_a): (&'a Model, &Isometry3<f64>),
        (b, pose_b): (&'a Model, &Isometry3<f64>),
        upper: f64,
    ) -> Self {
        let a_to_b = RelativePose::between(a, pose_a, b, pose_b);
        let to_other = [a_to_b, a_to_b.inverse()];
        let far = pose_a.translation.vector.norm() + pose_b.translation.vector.norm();
        let sizes = [a, b].map(|model| model.center().coords.norm() + model.radius());
        let moved = |owner: usize| {
            let balls = [a, b][owner].inner_balls().balls().iter();
            let center = |ball: &Ball| to_other[owner].point(&Point3::from(ball.center)).coords;
            balls.map(|ball| Ball { center: center(ball), ..*ball }).collect()
        };
        let rounding = ROUNDING * (far + sizes[0] + sizes[1]);
        Self { models: [a, b], to_other, balls: [moved(0), moved(1)], upper, rounding, deadline: None }
    }

    /// Whether the deadline has passed.
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The bound by the certificate of the last query [m], if it is hardly worse than then.
    fn by_known(&self, known: &mut Option<KnownCertificate>, placement: &Isometry3<f64>) -> Option<f64> {
        let search = CrossingSearch::new(self.models, self.to_other[0], (self.rounding, self.deadline))?;
        known.as_mut()?.verify(&search, self.models, placement, self.upper)
    }

    /// The search for crossings; `None` after the deadline, and under one if curves and patches would have to be found first.
    fn crossing_search(&self) -> Option<CrossingSearch<'a>> {
        if let Some(deadline) = self.deadline
            && (Instant::now() >= deadline || !self.models.iter().all(|model| model.has_curves_and_patches()))
        {
            return None;
        }
        CrossingSearch::new(self.models, self.to_other[0], (self.rounding, self.deadline))
    }

    /// The bound `proved` raised by crossings at the zero translation, with at most so many `patches`, and the certificate if
    /// there is one.
    fn by_crossings(&self, proved: f64, patches: u32) -> (f64, Option<Certificate>) {
        if proved >= SUFFICIENT * self.upper {
            return (proved, None);
        }
        let Some(mut search) = self.crossing_search() else { return (proved, None) };
        let limits = Limits { above: proved.max(0.0), enough: self.upper, patches: patches as usize };
        let found = search.certificate_at(&Vector3::zeros(), limits, std::iter::empty());
        let margin = found.as_ref().map_or(0.0, |found| found.margin - search.shift());
        (proved.max(margin), found)
    }

    /// The maximum sum found of a point's depths in both solids: from the balls, from the point `between` the witnesses of the
    /// separating translation, and from an ascent from the better one of them; zero where the balls are small and `skips_little`.
    fn by_inner_balls(&mut self, between: Vector3<f64>, skips_little: bool) -> f64 {
        // A model without an inside has no balls. Of thin ones the largest, which come first, prove next to nothing.
        let largest = self.models.map(|model| model.inner_balls().balls().first().map(|ball| ball.radius));
        let [Some(of_a), Some(of_b)] = largest else { return 0.0 };
        if skips_little && of_a + of_b < LITTLE * self.upper {
            return 0.0;
        }
        let origin = Vector3::zeros();
        let (proved, ball) = self.best_ball();
        if proved >= self.upper || self.is_late() {
            return proved;
        }
        // The ascent starts at the better point of both; its first step is a fraction of the overlap there.
        let of_witnesses = self.depths_at(&origin, between, SLACK).filter(|deep| deep.height > proved);
        let start = of_witnesses.map(|deep| (deep, FIRST_STEP * self.upper)).or_else(|| {
            let (owner, ball) = ball?;
            let deep = self.depths_at(&origin, self.in_b(owner, &ball.center), SLACK)?;
            Some((deep, FIRST_STEP * ball.radius))
        });
        let Some((start, step)) = start else { return proved };
        let top = self.ascend(&origin, start, step, self.upper, &mut 0);
        // The ascent used depths that are too small by up to `SLACK`; the final one is evaluated exactly.
        let top = self.depths_at(&origin, top.point, 0.0).unwrap_or(top);
        // The cover starts with these balls as well.
        self.add_balls(&origin, &top);
        top.height.max(proved)
    }

    /// Ascends from `start` with A translated by `q` until `enough` is proved [m]; counts the points evaluated.
    fn ascend(&self, q: &Vector3<f64>, start: Deep, step: f64, enough: f64, evaluations: &mut u32) -> Deep {
        let climb = SteepestAscent {
            initial_step: step,
            max_step: f64::INFINITY,
            max_steps: STEPS,
            min_slope: LEVEL,
            target: enough,
        };
        climb.run(start, |point| {
            *evaluations += 1;
            if self.is_late() {
                return None;
            }
            self.depths_at(q, point, SLACK)
        })
    }

    /// The depths of a point [m, frame of B's tree] in both solids with A translated by `q`, up to the relative error `slack`.
    fn depths_at(&self, q: &Vector3<f64>, point: Vector3<f64>, slack: f64) -> Option<Deep> {
        let in_a = self.to_other[1].point(&Point3::from(point - q)).coords;
        let (depth_in_a, on_a) = self.models[0].depth_above(&in_a, f64::NEG_INFINITY, slack)?;
        let (depth_in_b, on_b) = self.models[1].depth_above(&point, f64::NEG_INFINITY, slack)?;
        // The gradient of a depth points away from the nearest boundary point inside, and towards it outside.
        let upwards_in_a = (in_a - on_a).normalize() * depth_in_a.signum();
        let upwards_in_b = (point - on_b).normalize() * depth_in_b.signum();
        let gradient = self.to_other[0].rotation * upwards_in_a + upwards_in_b;
        // On the boundary itself the direction is undefined.
        let is_known = gradient.iter().all(|x| x.is_finite());
        let height = depth_in_a + depth_in_b;
        is_known.then_some(Deep { point, height, gradient, detail: [depth_in_a, depth_in_b] })
    }

    /// A point of the frame of the tree of the model that is not the owner, in that of B's tree.
    fn in_b(&self, owner: usize, point: &Vector3<f64>) -> Vector3<f64> {
        if owner == 0 { *point } else { self.to_other[0].point(&Point3::from(*point)).coords }
    }

    /// Adds the balls of both solids about a point, with A translated by `q`.
    fn add_balls(&mut self, q: &Vector3<f64>, deep: &Deep) {
        let in_a = self.to_other[1].point(&Point3::from(deep.point)).coords;
        self.balls[0].push(Ball { center: deep.point - q, radius: deep.detail[0] });
        self.balls[1].push(Ball { center: in_a, radius: deep.detail[1] });
    }

    /// The best bound of the balls [m], with its ball and owner.
    fn best_ball(&self) -> (f64, Option<(usize, Ball)>) {
        let mut candidates = CANDIDATES.take();
        candidates.clear();
        let (mut best, mut by) = self.gather(&mut candidates);
        candidates.retain(|candidate| candidate.max > best);
        // Likely ones first: a good bound early cuts the distance queries of the others.
        candidates.sort_unstable_by(|x, y| y.likely.total_cmp(&x.likely));
        for &Candidate { max, owner, ball, .. } in &candidates {
            if best >= self.upper || self.is_late() {
                break;
            }
            if !(max > best) {
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

    /// Collects the balls that may prove the best bound; returns the best bound by the grids alone [m], with its ball and owner.
    fn gather(&self, candidates: &mut Vec<Candidate>) -> (f64, Option<(usize, Ball)>) {
        let (mut proved, mut by) = (f64::NEG_INFINITY, None);
        for owner in 0..2 {
            let other = self.models[1 - owner].inner_balls();
            for &ball in &self.balls[owner] {
                let Some(known) = other.estimate(&ball.center) else { continue };
                let [likely, min, max] =
                    [known.likely, known.min, known.max].map(|depth| ball.radius + depth);
                if !(max > proved) {
                    continue;
                }
                candidates.push(Candidate { likely, max, owner, ball });
                if min > proved {
                    (proved, by) = (min, Some((owner, ball)));
                }
            }
        }
        (proved, by)
    }
}
