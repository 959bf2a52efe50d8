//! The walk in the contact space of a rigid body: constrained optimization on the linearised local contact space and
//! re-projection, alternating until a local optimum [Tang14 §3.2, Fig. 2].
//!
//! Departs from [Tang14]: the contact space bends, so that a straight motion from one contact to the next runs into the
//! obstacle at once and continuous collision detection would not advance at all. Here the rotation of the next configuration
//! is taken as it is, and the translation is projected exactly: out of the overlap by a march, or towards the input by a
//! cast, both of them exact at one orientation. The constrained optimization is iterated until it satisfies the features
//! themselves, not only their linearisation; a step without gain is shortened, with the contacts that it met stored; and the
//! best configuration is retained, so that σ decreases monotonically.

use std::time::Instant;

use nalgebra::{Isometry3, Point3, Vector3, Vector6};

use super::chart::{Configuration, RigidLocalChart};
use super::contacts::Contacts;
use super::feature::TrianglePair;
use super::free::is_free_within;
use crate::penetration::generalized::options::GeneralizedSource;
use crate::penetration::quadratic_program::min_norm_projection::MinNormProjection;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;
use crate::penetration::translational::collision_check::distance_from_origin;
use crate::penetration::translational::walk::ContactSpace;
use crate::proximity::collision::pair_within;
use crate::proximity::model::Model;
use crate::proximity::work_limit::WorkLimit;

/// Distance within which contacts touch, relative to the size. Half and twice change no depth and the steps by +0.91 %
/// and −0.81 % (docs/sensitivity.md).
const TOUCHING: f64 = 1e-6;
/// Gap that contacts on slanted planes may have, in clearances. No effect on the sets of docs/sensitivity.md.
const SLANTED: f64 = 2.0;
/// Gap, in clearances, that the features of a stored pair must keep at the configuration at which they are chosen;
/// pairs whose features fail there get others. At 1 rounding would reject those of contacts, at 0 features could touch.
const MIN_GAP: f64 = 0.25;
/// Number of pairs stored of one projection, nearest first. Half changes the mean depth by −0.01 % (worst +0.43 %, best
/// −0.36 %) with +4.0 % steps, twice by < 0.01 % (worst +0.17 %; docs/sensitivity.md).
const MET: usize = 24;
/// Length of the first cast for a contact, in √σ: most contacts are that near, and a short cast visits less of the
/// tree. Half and twice change no depth and the instructions by about 0.1 % (docs/sensitivity.md).
const NEAR: f64 = 0.02;
/// Factor by which every next cast is longer. No effect on the sets of docs/sensitivity.md.
const FARTHER: f64 = 8.0;
/// Length of a refinement, relative to √σ, that ends the refinements. Half and twice change every depth by less than
/// 0.01 % and the steps by < 0.5 % and −0.55 % (docs/sensitivity.md).
const REFINED: f64 = 1e-5;
/// Factor by which a step without gain is shortened. A larger one takes more attempts, a smaller one overshoots the
/// contact. Half changes the mean depth by < 0.01 % (best −0.21 %) with +2.5 % steps, twice by < 0.01 % (worst +0.18 %;
/// docs/sensitivity.md).
const SHORTENING: f64 = 0.35;
/// Number of steps without gain that are not shortened, because they met contacts that were not stored yet. Half
/// changes the mean depth by +0.24 % (worst +35 %, best −22 %) with −3.1 % steps, twice by < 0.01 %
/// (docs/sensitivity.md).
const LEARNING: u32 = 2;
/// Distance, in the present √σ, at which a projection may end and still contribute contacts. Half changes the mean
/// depth by +0.59 % (worst +36 %), twice by < 0.01 % (docs/sensitivity.md).
const BEYOND: f64 = 1.5;

/// Work bounds of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkEffort {
    /// Fraction of σ that a step must promise; below it the walk is at its optimum.
    pub(crate) gain: f64,
    /// Maximum number of constrained optimizations of a walk.
    pub(crate) iterations: u32,
    /// Maximum number of consecutive steps with little or no gain.
    pub(crate) max_idle: u32,
    /// Fraction of σ below which a gain is little.
    pub(crate) small_gain: f64,
    /// Maximum number of constrained optimizations for one step, each linearised where the last one ended.
    pub(crate) refinements: u32,
    /// Distance behind the first contact, relative to the size of the pair, within which contacts are stored with it.
    pub(crate) window: f64,
    /// Minimum step out of an overlap, in √σ: the cast back finds what it steps over, and in finely meshed bodies it bounds the
    /// number of steps.
    pub(crate) stride: f64,
}

/// Two models and the buffers of the walks between them.
pub(crate) struct Walk<'a> {
    pub(crate) a: &'a Model,
    pub(crate) b: &'a Model,
    pub(crate) pose_b: Isometry3<f64>,
    pub(crate) chart: RigidLocalChart,
    size: f64,
    far: f64,
    /// Clearance beyond rounding [m].
    apart: f64,
    contacts: Contacts,
    rows: Rows,
    solver: MinNormProjection,
    pub(crate) effort: WalkEffort,
    /// Constrained optimizations so far.
    pub(crate) iterations: u32,
    /// Projections so far.
    pub(crate) projections: u32,
    /// Account of the work of a descent, which ends where it is when that is spent.
    pub(crate) limit: WorkLimit,
}

/// A free configuration at which a walk starts or ends, with its source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimum {
    pub(crate) y: Vector6<f64>,
    pub(crate) source: GeneralizedSource,
}

impl Optimum {
    /// σ [m²].
    pub(crate) fn sigma(&self) -> f64 {
        self.y.norm_squared()
    }
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        (a, pose_a): (&'a Model, &Isometry3<f64>),
        (b, pose_b): (&'a Model, &Isometry3<f64>),
        (apart, effort): (f64, WalkEffort),
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            a,
            b,
            pose_b: *pose_b,
            chart: RigidLocalChart::new(a, pose_a, b, pose_b),
            size: a.radius() + b.radius(),
            far: distance_from_origin([(a, pose_a), (b, pose_b)]),
            apart,
            contacts: Contacts::default(),
            rows: Rows::new(6),
            solver: MinNormProjection::default(),
            effort,
            iterations: 0,
            projections: 0,
            limit: WorkLimit::between(a, b, deadline),
        }
    }

    /// The translations of A with the orientation of a configuration; their origin is at `q`, a translation from the
    /// input. They have an account of their own.
    pub(crate) fn space(&self, at: &Configuration, q: &Vector3<f64>) -> ContactSpace<'a> {
        let placement = self.chart.placement(at, self.a, self.b).shifted(q);
        let space = ContactSpace::new(self.a, self.b, placement, self.far, self.effort.iterations);
        let mut space = space.keeping(self.apart);
        space.limit_work(self.limit.deadline());
        space
    }

    /// As [`Self::space`], on the account of the descent: the caller stores what is left of it.
    fn space_of_descent(&self, at: &Configuration, q: &Vector3<f64>) -> ContactSpace<'a> {
        let mut space = self.space(at, q);
        space.obstacles.limit = self.limit;
        space
    }

    /// Whether the deadline has passed.
    pub(crate) fn is_late(&self) -> bool {
        self.limit.deadline().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the models are apart at `y` by the clearance of the query; false also where the limit is spent before that is known.
    pub(crate) fn is_free(&self, y: &Vector6<f64>, limit: &mut WorkLimit) -> bool {
        let pose = self.chart.pose(y);
        pose.is_some_and(|pose| {
            is_free_within((self.a, &pose), (self.b, &self.pose_b), self.apart, limit).unwrap_or(false)
        })
    }

    /// Iterates constrained optimization and re-projection from the free configuration `start` to a local optimum
    /// [Tang14 Fig. 2]; `None` where the start is outside the chart, and after the deadline. Where the limit is spent it ends where
    /// it is.
    pub(crate) fn descend(&mut self, start: &Optimum) -> Option<Optimum> {
        if self.is_late() {
            return None;
        }
        self.contacts.clear();
        let source = start.source;
        let start = self.chart.at(&start.y)?;
        let mut at = self.towards_input(&start)?;
        let (mut fraction, mut idle, mut touching) = (1.0, 0, false);
        for _ in 0..self.effort.iterations {
            if self.limit.is_spent() || self.is_late() {
                break;
            }
            self.iterations += 1;
            // A shortened step aims at a point between the configuration and the input.
            let target = at.y * (1.0 - fraction);
            let next = self.constrained_optimization(&at, &target);
            let gains =
                next.is_some_and(|next| next.sigma() < at.sigma() * (1.0 - self.effort.gain * fraction));
            if !gains {
                // Planes of pairs that the walk has left behind may still restrict it where nothing else does.
                if !touching
                    && self.contacts.retain_touching(&at, TOUCHING * self.size + SLANTED * self.apart)
                {
                    touching = true;
                    continue;
                }
                return Some(Optimum { y: at.y, source });
            }
            let Some(next) = next else { break };
            let (landed, learned) = self.re_projection(&next, &at);
            match landed {
                Some(landed) if landed.sigma() < at.sigma() * (1.0 - self.effort.gain * fraction) => {
                    idle = if landed.sigma() < at.sigma() * (1.0 - self.effort.small_gain) {
                        0
                    } else {
                        idle + 1
                    };
                    at = landed;
                    if idle > self.effort.max_idle {
                        break;
                    }
                    // A step that gained makes the next one longer again, up to the whole.
                    fraction = f64::min(1.0, fraction / SHORTENING);
                    touching = false;
                    self.renew(&at);
                }
                _ => {
                    idle += 1;
                    if idle > self.effort.max_idle {
                        break;
                    }
                    // A step that met new contacts may succeed at full length once they are known.
                    if !(learned && idle % (LEARNING + 1) != 0) {
                        fraction *= SHORTENING;
                    }
                    self.renew(&at);
                }
            }
        }
        Some(Optimum { y: at.y, source })
    }

    /// Chooses features anew that fail at a free configuration, and those that restrict the walk.
    fn renew(&mut self, at: &Configuration) {
        let min = MIN_GAP * self.clearance();
        let active = self.solver.active().map(|(row, _)| row).collect::<Vec<_>>();
        self.contacts.renew(&self.chart, at, (&Vector6::zeros(), min), &active);
    }

    /// Gap of every contact [m].
    fn clearance(&self) -> f64 {
        ContactSpace::clearance_of(self.size, self.far) + self.apart
    }

    /// Constrained optimization: the configuration nearest to `target` that separates all features [Tang14 eqs. 10–12].
    fn constrained_optimization(
        &mut self,
        from: &Configuration,
        target: &Vector6<f64>,
    ) -> Option<Configuration> {
        /// Factor on the reach of a step, for the refinements after it. Half and twice change every depth by less than
        /// 0.01 % and the steps by −1.5 % and < 0.5 % (docs/sensitivity.md).
        const ROOM: f64 = 2.0;
        let clearance = self.clearance();
        let mut at = *from;
        for refinement in 0..self.effort.refinements {
            // Rows beyond this reach cannot be met by the step; leaving them out keeps the problem small.
            let reach = ROOM * (at.y - target).norm() + clearance;
            self.contacts.rows(&self.chart, &at, (clearance, reach), &mut self.rows);
            let soft = TOUCHING * self.size;
            let next = match self.solver.nearest(&self.rows, target.as_slice(), 0.0) {
                Ok(next) => Vector6::from_column_slice(next),
                // A refinement may become infeasible where the first linearisation was not: its last solution is good enough.
                Err(_) if refinement > 0 => break,
                Err(_) => {
                    Vector6::from_column_slice(self.solver.nearest(&self.rows, target.as_slice(), soft).ok()?)
                }
            };
            let step = (next - at.y).norm();
            let Some(next) = self.chart.at(&next) else { break };
            at = next;
            // The linearisation no longer changes: further refinements would repeat the solution.
            if step <= REFINED * from.y.norm() {
                break;
            }
        }
        Some(at)
    }

    /// Re-projection [Tang14 Fig. 3]: a free contact configuration with the orientation of `next`, and whether contacts
    /// were met that were not stored.
    fn re_projection(&mut self, next: &Configuration, from: &Configuration) -> (Option<Configuration>, bool) {
        self.projections += 1;
        let q = next.shift();
        let mut space = self.space_of_descent(next, &q);
        let outwards = self.outwards(next, from);
        let within = BEYOND * from.y.norm() + self.clearance();
        let stride = self.effort.stride * from.y.norm();
        let Some(free) = space.first_free(&outwards, within, stride, |length| length) else {
            self.limit = space.obstacles.limit;
            return (None, self.learn(next, from));
        };
        let projected = self.project_to_contact(&mut space, next, &q, &free);
        self.limit = space.obstacles.limit;
        projected
    }

    /// Stores a pair that intersects at `next`, from which no free translation was found, with the features that separate it at
    /// the free `from`; returns whether it is new.
    fn learn(&mut self, next: &Configuration, from: &Configuration) -> bool {
        let placement = self.chart.placement(next, self.a, self.b).shifted(&next.shift());
        let met = pair_within(self.a, self.b, &placement, 0.0, &mut self.limit);
        let Some(triangles) = met.filter(|&triangles| !self.contacts.knows(triangles)) else { return false };
        let pair = triangle_pair(self.a, self.b, &self.chart, triangles);
        self.contacts.remember(&self.chart, pair, from, (&next.y, MIN_GAP * self.clearance()));
        true
    }

    /// A free configuration at or near `y`, with the same orientation and a σ below `within` [m²]; `None` where there is none.
    pub(crate) fn free_near(&self, y: &Vector6<f64>, within: f64) -> Option<Vector6<f64>> {
        let at = self.chart.at(y)?;
        let q = at.shift();
        let mut space = self.space(&at, &q);
        let outwards = q.try_normalize(0.0)?;
        let sigma_of_rotation = y.norm_squared() - q.norm_squared();
        let reach = (within - sigma_of_rotation).max(0.0).sqrt() - q.norm();
        let free = space.first_free(&outwards, reach, self.effort.stride * y.norm(), |length| length)?;
        let mut y = *y;
        y.fixed_rows_mut::<3>(3).copy_from(&(q + free));
        Some(y)
    }

    /// The direction in which to leave an overlap at `next`.
    fn outwards(&self, next: &Configuration, from: &Configuration) -> Vector3<f64> {
        let of_contacts = || self.contacts.mean_normal(next, TOUCHING * self.size);
        next.shift()
            // Outwards is away from the input; without a translation, along the mean contact normal.
            .try_normalize(TOUCHING * self.size)
            .or_else(of_contacts)
            .or_else(|| from.shift().try_normalize(0.0))
            .unwrap_or_else(Vector3::x)
    }

    /// Projects a free configuration towards the input's position, at its own orientation, up to the first contact.
    fn towards_input(&mut self, from: &Configuration) -> Option<Configuration> {
        self.projections += 1;
        let mut space = self.space_of_descent(from, &Vector3::zeros());
        let shift = from.shift();
        let projected = self.project_to_contact(&mut space, from, &Vector3::zeros(), &shift).0;
        self.limit = space.obstacles.limit;
        projected
    }

    /// Casts from the free translation `free`, in a space with its origin at `q`, towards the input's position up to the first
    /// contact, and stores the pairs met; returns the configuration and whether any pair is new.
    fn project_to_contact(
        &mut self,
        space: &mut ContactSpace<'_>,
        at_rotation: &Configuration,
        q: &Vector3<f64>,
        free: &Vector3<f64>,
    ) -> (Option<Configuration>, bool) {
        let near =
            if free.norm() > 0.0 { free.norm() + self.clearance() } else { NEAR * at_rotation.y.norm() };
        // After a march the cast back is as long as the march; a landing that was free casts a short way first.
        let stopped = self.first_contact(space, (free, &-q), near);
        let mut y = at_rotation.y;
        y.fixed_rows_mut::<3>(3).copy_from(&(q + stopped));
        let Some(at) = self.chart.at(&y) else { return (None, false) };
        let min = MIN_GAP * self.clearance();
        let mut learned = false;
        for hit in space.hits().iter().take(MET) {
            learned |= !self.contacts.knows(hit.pair);
            let pair = triangle_pair(self.a, self.b, &self.chart, hit.pair);
            self.contacts.remember(&self.chart, pair, &at, (&Vector6::zeros(), min));
        }
        (Some(at), learned)
    }
}

impl Walk<'_> {
    /// The point where a translation from one configuration to another makes its first contact, or its end; leaves the pairs met
    /// in the hits of the space. Casts are `near` [m] long first, then longer and longer.
    fn first_contact(
        &self,
        space: &mut ContactSpace<'_>,
        (from, to): (&Vector3<f64>, &Vector3<f64>),
        near: f64,
    ) -> Vector3<f64> {
        let window = self.effort.window * self.size;
        let path = to - from;
        let total = path.norm();
        let mut reach = near;
        while reach > 0.0 && reach + window < total {
            let (stopped, hits) = space.stop(from, &(from + path * ((reach + window) / total)), window);
            // A contact beyond the reach may hide others of its window.
            if !hits.is_empty() && (stopped - from).norm() <= reach {
                return stopped;
            }
            reach *= FARTHER;
        }
        space.stop(from, to, window).0
    }
}

fn triangle_pair(a: &Model, b: &Model, chart: &RigidLocalChart, triangles: [u32; 2]) -> TrianglePair {
    let [i, j] = triangles;
    TrianglePair {
        triangles,
        of_a: a.mesh().triangle(i as usize).map(|p| chart.relative_to_centroid(&p)),
        of_b: b.mesh().triangle(j as usize).map(|p: Point3<f64>| p - b.center()),
    }
}
