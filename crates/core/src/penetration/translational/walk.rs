//! The walk in contact space: out- and in-projections in turn until a local optimum [Je12 §§ 3.2, 6.2].
//!
//! | paper | here                | meaning                                              |
//! |-------|---------------------|------------------------------------------------------|
//! | o     | zero                | the input configuration                              |
//! | q     | `q`                 | a configuration: translation of A in B's frame [m]   |
//! | LCS   | [`ContactCone`]     | local contact space                                  |
//!
//! Departs from [Je12]: the walk goes on until the in-projection gains nothing, it keeps the best configuration, and
//! before each out-projection it looks whether a cast from outside along the target beats the present one (a hop).
//! All motion keeps a clearance from the contacts, so that a start never touches and needs no special case.

use std::cell::Cell;
use std::time::Instant;

use nalgebra::{Point3, Vector3};

use super::contact_cone::ContactCone;
use super::steps::{Trace, WalkStepKind};
use crate::penetration::free_configuration::FreeConfiguration;
use crate::proximity::collision::collide_at;
use crate::proximity::first_free::March;
use crate::proximity::inside::shared_point;
use crate::proximity::model::Model;
use crate::proximity::obstacle_tree::ObstacleTree;
use crate::proximity::placement::Placement;
use crate::proximity::time_of_contact::{Cast, Hit};

/// Gap that casts keep, relative to the size of the pair: well above rounding, and far below what matters.
const MARGIN: f64 = 1e-11;
/// Gap that in-projections keep, in margins: above the √3 margins that a cast may keep on slanted axes.
const CLEARANCE: f64 = 2.0;
/// Rounding of a pose's translation, relative to it; far from the origin it exceeds the margin.
const POSE_ROUNDING: f64 = 1e-15;
/// Contacts this close behind the first one, relative to the size, belong to the same contact configuration.
const WINDOW: f64 = 1e-6;
/// A walk is given up when its next target lies farther than this times what it has to beat: around a convex obstacle the
/// next contact may be a little nearer than the last target.
const HOPE: f64 = 1.1;
/// Walls of enclosing solids that a march goes through at most: more than nested shells that anybody makes. Where single
/// precision overflows nothing is ever met, and each wall seems to follow the last one after a clearance.
const WALLS: u32 = 1 << 10;
/// A step must gain this much of the depth, or the walk is at its optimum.
const GAIN: f64 = 1e-9;

/// What outlives a space.
#[derive(Debug, Default)]
struct Buffers {
    hits: Vec<Hit>,
    cone: ContactCone,
}

thread_local! {
    /// The buffers of this thread's last space, kept so that a warm query allocates nothing.
    static BUFFERS: Cell<Buffers> = const { Cell::new(Buffers { hits: Vec::new(), cone: ContactCone::EMPTY }) };
}

/// Buffers that go back to their thread.
#[derive(Debug)]
struct Lent(Buffers);

impl Drop for Lent {
    fn drop(&mut self) {
        BUFFERS.set(std::mem::take(&mut self.0));
    }
}

/// A pair of models in one relative orientation, and the buffers of the walks between them.
pub(crate) struct ContactSpace<'a> {
    pub(crate) a: &'a Model,
    pub(crate) b: &'a Model,
    pub(crate) a_to_b: Placement,
    /// What A meets on its way.
    pub(crate) obstacles: ObstacleTree<'a>,
    margin: f64,
    window: f64,
    lent: Lent,
    /// Casts so far.
    pub(crate) casts: u32,
    /// Marches from inside so far.
    pub(crate) marches: u32,
    /// Walks so far.
    pub(crate) walks: u32,
    /// Projections so far.
    pub(crate) iterations: u32,
    /// Projections that one walk may make.
    pub(crate) max_iterations: u32,
    /// When to be content with what was found.
    pub(crate) deadline: Option<Instant>,
    /// Whether all threads of the current pool may be used.
    pub(crate) parallel: bool,
    far: f64,
    /// Where the starts of the next walks come from.
    pub(crate) source: FreeConfiguration,
    /// What the walks did, in the frame of B's tree; where nobody asks for it nothing is written down.
    pub(crate) trace: Option<Box<Trace>>,
}

/// Gap that casts keep [m].
fn margin(size: f64, far: f64) -> f64 {
    MARGIN * size + POSE_ROUNDING * far
}

/// Where a walk ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimum {
    /// A contact configuration: free, with a clearance from its contacts.
    pub(crate) q: Vector3<f64>,
    /// The same without the clearance; its length is the depth [m].
    pub(crate) touching: Vector3<f64>,
    /// Whether the last in-projection gained nothing: then it is a local optimum.
    pub(crate) converged: bool,
    /// Points of A, where it is, and of B that touch when A is at `q`.
    pub(crate) witnesses: [Point3<f64>; 2],
    /// Half-spaces of the contact cone.
    pub(crate) rows: usize,
    /// Where the start of the walk came from.
    pub(crate) source: FreeConfiguration,
}

impl<'a> ContactSpace<'a> {
    /// `far` is the distance of the farther pose from its world's origin [m].
    pub(crate) fn new(a: &'a Model, b: &'a Model, a_to_b: Placement, far: f64, max_iterations: u32) -> Self {
        let size = a.radius() + b.radius();
        let margin = margin(size, far);
        Self {
            a,
            b,
            a_to_b,
            obstacles: ObstacleTree::new(a, b, &a_to_b, CLEARANCE * margin),
            margin,
            window: WINDOW * size,
            lent: Lent(BUFFERS.take()),
            casts: 0,
            marches: 0,
            walks: 0,
            iterations: 0,
            max_iterations,
            deadline: None,
            parallel: false,
            far,
            source: FreeConfiguration::CentroidDifference,
            trace: None,
        }
    }

    /// Gap that every contact of a returned configuration of bodies of this size keeps [m]; see [`ContactSpace::new`].
    pub(crate) fn clearance_of(size: f64, far: f64) -> f64 {
        CLEARANCE * margin(size, far)
    }

    /// The same with a gap of at least `clearance` [m] beyond that on every contact; on slanted planes it may be up to
    /// √3 times as wide.
    pub(crate) fn keeping(mut self, clearance: f64) -> Self {
        if clearance > 0.0 {
            self.margin += clearance;
            self.obstacles = ObstacleTree::new(self.a, self.b, &self.a_to_b, self.clearance());
        }
        self
    }

    /// The same models in the same orientation for another thread, with nothing counted yet.
    pub(crate) fn fork(&self) -> Self {
        let fresh = Self::new(self.a, self.b, self.a_to_b, self.far, self.max_iterations);
        Self { deadline: self.deadline, source: self.source, ..fresh }
    }

    /// Whether the time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Gap that every contact of a returned configuration keeps [m].
    pub(crate) fn clearance(&self) -> f64 {
        CLEARANCE * self.margin
    }

    /// Length along the unit vector `direction` beyond which the bounding balls are apart [m].
    pub(crate) fn outside(&self, direction: &Vector3<f64>) -> f64 {
        /// Beyond touching balls.
        const BEYOND: f64 = 1.001;
        let between = self.a_to_b.translation;
        let reach = BEYOND * (self.a.radius() + self.b.radius());
        let along = between.dot(direction);
        let root = (along * along - between.norm_squared() + reach * reach).max(0.0).sqrt();
        (root - along).max(0.0)
    }

    /// Whether the models are apart at the configuration `q`: their surfaces, and neither inside the other.
    #[must_use]
    pub(crate) fn is_apart(&self, q: &Vector3<f64>) -> bool {
        !collide_at(self.a, self.b, &self.a_to_b.shifted(q))
    }

    /// Out-projection: moves from the free `from` towards `to` up to the first contact.
    ///
    /// Answers the length moved, or `None` when nothing is in the way; leaves the contacts in the hits.
    fn cast(&mut self, from: &Vector3<f64>, to: &Vector3<f64>, worse_than: f64) -> Option<f64> {
        let length = (to - from).norm();
        if !(length > 0.0) {
            return None;
        }
        self.casts += 1;
        let direction = (to - from) / length;
        let (margin, window) = (self.margin, self.window);
        let cast = Cast { from: *from, direction, length, margin, window, worse_than };
        cast.run(&mut self.obstacles, &mut self.lent.0.hits)
    }

    /// Depth at which A, coming from outside against `direction`, first touches B, if less than `within` [m].
    pub(crate) fn depth_from_outside(&mut self, direction: &Vector3<f64>, within: f64) -> Option<f64> {
        let start = self.outside(direction);
        let stopped = self.cast(&(direction * start), &Vector3::zeros(), start - within)?;
        Some(start - stopped).filter(|&depth| depth < within)
    }

    /// The least free configuration along `direction`, if nearer than `within` [m]; gaps narrower than `stride` [m]
    /// may be stepped over. None as well behind [`WALLS`] walls.
    pub(crate) fn first_free(
        &mut self,
        direction: &Vector3<f64>,
        within: f64,
        stride: f64,
        skip: impl Fn(f64) -> f64,
    ) -> Option<Vector3<f64>> {
        let march = March { direction: *direction, margin: self.clearance(), within, stride };
        let mut length = 0.0;
        for _ in 0..WALLS {
            self.marches += 1;
            length = march.first_free(&mut self.obstacles, length, &skip)?;
            let q = direction * length;
            // The surfaces are apart by the margin already.
            if shared_point(self.a, self.b, &self.a_to_b.shifted(&q)).is_none() {
                return Some(q);
            }
            // Enclosed by the other one: on through the wall.
            length += self.cast(&q, &(direction * within), 0.0)? + self.clearance();
        }
        None
    }

    /// As an out-projection, from the free `from` towards `to`: where it stops, and the pairs that are met there or within
    /// `window` [m] farther on, nearest first; none where it arrives.
    pub(crate) fn stop(
        &mut self,
        from: &Vector3<f64>,
        to: &Vector3<f64>,
        window: f64,
    ) -> (Vector3<f64>, &[Hit]) {
        let usual = std::mem::replace(&mut self.window, window);
        let stopped = self.cast(from, to, 0.0);
        self.window = usual;
        let hits = &mut self.lent.0.hits;
        let Some(length) = stopped else {
            hits.clear();
            return (*to, hits);
        };
        hits.sort_unstable_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)));
        (from + (to - from) * (length / (to - from).norm()), hits)
    }

    /// What the last cast met.
    pub(crate) fn hits(&self) -> &[Hit] {
        &self.lent.0.hits
    }

    /// The contacts that the walk knows.
    pub(super) fn cone(&self) -> &ContactCone {
        &self.lent.0.cone
    }

    fn remember(&mut self, q: &Vector3<f64>) {
        let clearance = self.clearance();
        let Buffers { hits, cone } = &mut self.lent.0;
        cone.remember((self.a, self.b, &self.a_to_b), hits, q, clearance);
    }

    /// Walks from the free configuration `start` to a local optimum.
    ///
    /// `hops` allows leaving the component of the contact space that can be reached from the start: a simulator
    /// that wants to be pushed back to the side it came from says no.
    pub(crate) fn walk(&mut self, start: &Vector3<f64>, hops: bool) -> Optimum {
        let (q, converged) = self.descend(start, hops, f64::INFINITY);
        let optimum = self.finish(q, converged);
        self.trace_end(&optimum, f64::INFINITY);
        optimum
    }

    /// As [`ContactSpace::walk`] with hops, unless the contacts met on the way leave nothing nearer than `within` [m]:
    /// then `None`, early.
    pub(crate) fn walk_within(&mut self, start: &Vector3<f64>, within: f64) -> Option<Optimum> {
        let (q, converged) = self.descend(start, true, within);
        if !(q.norm() - self.clearance() < within) {
            return None;
        }
        let optimum = self.finish(q, converged);
        self.trace_end(&optimum, within);
        Some(optimum).filter(|optimum| optimum.touching.norm() < within)
    }

    /// The walk: where it ends, and whether the last in-projection gained nothing. It ends early where the target of
    /// an in-projection is not nearer than `within` [m].
    fn descend(&mut self, start: &Vector3<f64>, hops: bool, within: f64) -> (Vector3<f64>, bool) {
        let origin = Vector3::zeros();
        self.walks += 1;
        self.lent.0.cone.clear();
        self.trace_start(start);
        let mut q = self.advance(start, &origin);
        self.trace_step(WalkStepKind::OutProjection, &q);
        let (mut converged, mut touching) = (false, false);
        for _ in 0..self.max_iterations {
            self.iterations += 1;
            let clearance = self.clearance();
            self.lent.0.cone.update(&q, clearance);
            let Some(target) = self.lent.0.cone.nearest(&origin, clearance) else { break };
            if target.norm() - clearance >= HOPE * within {
                break;
            }
            if !(target.norm() < q.norm() * (1.0 - GAIN) - clearance) {
                // Planes of pairs that the walk has left behind may hold it back where nothing does.
                if !touching && self.lent.0.cone.keep_touching(&q, self.window) {
                    touching = true;
                    continue;
                }
                converged = true;
                break;
            }
            self.trace_step(WalkStepKind::InProjection, &target);
            let hopped = if hops { self.hop(&q, &target) } else { None };
            let kind = if hopped.is_some() { WalkStepKind::Hop } else { WalkStepKind::OutProjection };
            let next = hopped.unwrap_or_else(|| self.slide(&q, &target));
            self.trace_step(kind, &next);
            if !(next.norm() < q.norm() * (1.0 - GAIN) - clearance) && self.stuck(&next, &target) {
                break;
            }
            q = next;
            touching = false;
        }
        (q, converged)
    }

    /// Whether even the contacts just met leave the target where it was.
    fn stuck(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> bool {
        let clearance = self.clearance();
        self.lent.0.cone.update(q, clearance);
        let renewed = self.lent.0.cone.nearest(&Vector3::zeros(), clearance);
        renewed.is_none_or(|renewed| (renewed - target).norm() <= clearance)
    }

    /// Moves from `from` towards `to` and remembers the contacts met; where there are none, arrives.
    fn advance(&mut self, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
        match self.cast(from, to, 0.0) {
            Some(length) => {
                let q = from + (to - from) * (length / (to - from).norm());
                self.remember(&q);
                q
            }
            None => *to,
        }
    }

    /// A better contact configuration on the ray through the target, met from outside.
    fn hop(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> Option<Vector3<f64>> {
        let length = target.norm();
        if !(length > 0.0) {
            return None;
        }
        let direction = target / length;
        let depth = self.depth_from_outside(&direction, q.norm() * (1.0 - GAIN) - self.clearance())?;
        let hopped = direction * depth;
        self.remember(&hopped);
        Some(hopped)
    }

    /// The configuration near `q` that keeps the clearance from all contacts; `q` itself where planes that nearly
    /// coincide would send it away.
    fn lift(&mut self, q: &Vector3<f64>) -> Vector3<f64> {
        /// Clearances that a lift may move.
        const NEAR: f64 = 32.0;
        let clearance = self.clearance();
        let lifted = self.lent.0.cone.nearest(q, clearance);
        lifted.filter(|lifted| (lifted - q).norm() <= NEAR * clearance).unwrap_or(*q)
    }

    /// Out-projection from `q` to the target of the in-projection, and on towards the origin where it is free.
    fn slide(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> Vector3<f64> {
        let lifted = self.lift(q);
        let reached = self.advance(&lifted, target);
        if reached == *target { self.advance(target, &Vector3::zeros()) } else { reached }
    }

    /// Settles the last configuration: away from its contacts by the clearance, and touching them.
    fn finish(&mut self, q: Vector3<f64>, converged: bool) -> Optimum {
        self.lent.0.cone.update(&q, self.clearance());
        let lifted = self.lift(&q);
        let (free, touching) =
            if converged { self.in_projected(&lifted) } else { None }.unwrap_or((lifted, lifted));
        let witnesses = self.lent.0.cone.witnesses(&free).unwrap_or([Point3::origin(); 2]);
        let (rows, source) = (self.lent.0.cone.rows().len(), self.source);
        Optimum { q: free, touching, converged, witnesses, rows, source }
    }

    /// The last in-projection, with and without clearance, if the way there from `lifted` is free: it gains next to
    /// nothing, and yet it may lie to the side.
    fn in_projected(&mut self, lifted: &Vector3<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let origin = Vector3::zeros();
        let free = self.lent.0.cone.nearest(&origin, self.clearance())?;
        let touching = self.lent.0.cone.nearest(&origin, 0.0)?;
        let is_there = (free - lifted).norm() <= self.clearance();
        (is_there || self.cast(lifted, &free, 0.0).is_none()).then_some((free, touching))
    }
}
