//! The walk in the contact space of a rigid body: least change on the linearised contact space and projection back to it,
//! in turn, until a local optimum [Tang14 §3.2, Fig. 2].
//!
//! Departs from [Tang14]: the contact space bends, so that a straight motion from one contact to the next runs into the
//! obstacle at once and continuous collision would not move at all. Here the turn of the next configuration is taken as
//! it is, and the translation is projected exactly: out of the overlap by a march, or towards the input by a cast, both
//! of them exact at one orientation. The least change goes on until it satisfies the features as they are, not only
//! linearised; a step that gains nothing is shortened, with the contacts that it met remembered; and the best
//! configuration is kept, so that σ only falls.

use nalgebra::{Isometry3, Point3, Vector3, Vector6};

use super::chart::{Chart, Configuration};
use super::contacts::Contacts;
use super::feature::Pair;
use super::free::is_free;
use crate::penetration::generalized::options::GeneralizedSource;
use crate::penetration::quadratic_program::least_change::LeastChange;
use crate::penetration::quadratic_program::least_change::rows::Rows;
use crate::penetration::translational::walk::ContactSpace;
use crate::proximity::collision::intersecting_pair_at;
use crate::proximity::model::Model;

/// Contacts this close, relative to the size, touch.
const TOUCHING: f64 = 1e-6;
/// Gaps that contacts on slanted planes may have, in clearances.
const SLANTED: f64 = 2.0;
/// Pairs of one projection that are remembered, nearest first.
const MET: usize = 24;
/// Length of the first look for a contact, in √σ: mostly one is that near, and a short cast leaves out what lies behind it.
const NEAR: f64 = 0.02;
/// How much farther every next look reaches.
const FARTHER: f64 = 8.0;
/// A refinement shorter than this, relative to √σ, is the last.
const REFINED: f64 = 1e-5;
/// How a step that gained nothing is shortened.
const SHORTER: f64 = 0.35;
/// Of the steps that gain nothing, those that are not shortened because they met contacts that were not known.
const LEARNING: u32 = 2;
/// How far beyond the present √σ a projection may end and still teach contacts.
const BEYOND: f64 = 1.5;

/// How much work a walk is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkEffort {
    /// A step must promise this much of σ, or the walk is at its optimum.
    pub(crate) gain: f64,
    /// Least changes that a walk may make.
    pub(crate) iterations: u32,
    /// Steps in a row that may gain nothing, or too little.
    pub(crate) vain: u32,
    /// Share of σ that is too little to go on for many steps.
    pub(crate) little: f64,
    /// Least changes for one step, each linearised where the last one ended.
    pub(crate) refinements: u32,
    /// Contacts this close behind the first one, relative to the size of the pair, are remembered with it.
    pub(crate) window: f64,
    /// Least step out of an overlap, in √σ: what it steps over the cast back finds again, and in finely meshed bodies it
    /// bounds the number of steps.
    pub(crate) stride: f64,
}

/// Two models and the buffers of the walks between them.
pub(crate) struct Walk<'a> {
    pub(crate) a: &'a Model,
    pub(crate) b: &'a Model,
    pub(crate) pose_b: Isometry3<f64>,
    pub(crate) chart: Chart,
    size: f64,
    far: f64,
    /// Gap that is asked for beyond rounding [m].
    apart: f64,
    contacts: Contacts,
    rows: Rows,
    solver: LeastChange,
    pub(crate) effort: WalkEffort,
    /// Least changes so far.
    pub(crate) iterations: u32,
    /// Projections so far.
    pub(crate) projections: u32,
}

/// A free configuration where a walk starts or ends, and the source that it comes from.
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
    ) -> Self {
        Self {
            a,
            b,
            pose_b: *pose_b,
            chart: Chart::new(a, pose_a, b, pose_b),
            size: a.radius() + b.radius(),
            far: pose_a.translation.vector.norm().max(pose_b.translation.vector.norm()),
            apart,
            contacts: Contacts::default(),
            rows: Rows::new(6),
            solver: LeastChange::default(),
            effort,
            iterations: 0,
            projections: 0,
        }
    }

    /// The translations of A with the orientation of a configuration; their origin is at `q`, a translation from the
    /// input.
    pub(crate) fn space(&self, at: &Configuration, q: &Vector3<f64>) -> ContactSpace<'a> {
        let placement = self.chart.placement(at, self.a, self.b).shifted(q);
        ContactSpace::new(self.a, self.b, placement, self.far, self.effort.iterations).keeping(self.apart)
    }

    /// Whether the models are apart at `y`, by the clearance that is asked for.
    pub(crate) fn is_free(&self, y: &Vector6<f64>) -> bool {
        let pose = self.chart.pose(y);
        pose.is_some_and(|pose| is_free((self.a, &pose), (self.b, &self.pose_b), self.apart))
    }

    /// Walks from the free configuration `start` to a local optimum.
    pub(crate) fn descend(&mut self, start: &Optimum) -> Option<Optimum> {
        self.contacts.clear();
        let source = start.source;
        let start = self.chart.at(&start.y)?;
        let mut at = self.towards_input(&start)?;
        let (mut share, mut vain, mut touching) = (1.0, 0, false);
        for _ in 0..self.effort.iterations {
            self.iterations += 1;
            let target = at.y * (1.0 - share);
            let next = self.least_change(&at, &target);
            let gains = next.is_some_and(|next| next.sigma() < at.sigma() * (1.0 - self.effort.gain * share));
            if !gains {
                // Planes of pairs that the walk has left behind may hold it back where nothing does.
                if !touching && self.contacts.keep_touching(&at, TOUCHING * self.size + SLANTED * self.apart)
                {
                    touching = true;
                    continue;
                }
                return Some(Optimum { y: at.y, source });
            }
            let Some(next) = next else { break };
            let (landed, learned) = self.land(&next, &at);
            match landed {
                Some(landed) if landed.sigma() < at.sigma() * (1.0 - self.effort.gain * share) => {
                    vain =
                        if landed.sigma() < at.sigma() * (1.0 - self.effort.little) { 0 } else { vain + 1 };
                    at = landed;
                    if vain > self.effort.vain {
                        break;
                    }
                    share = f64::min(1.0, share / SHORTER);
                    touching = false;
                    self.renew(&at);
                }
                _ => {
                    vain += 1;
                    if vain > self.effort.vain {
                        break;
                    }
                    if !(learned && vain % (LEARNING + 1) != 0) {
                        share *= SHORTER;
                    }
                    self.renew(&at);
                }
            }
        }
        Some(Optimum { y: at.y, source })
    }

    /// Looks anew at features that fail at a configuration that is free, and at those that hold the walk back.
    fn renew(&mut self, at: &Configuration) {
        let least = 0.25 * self.clearance();
        let active = self.solver.active().map(|(row, _)| row).collect::<Vec<_>>();
        self.contacts.renew(&self.chart, at, (&Vector6::zeros(), least), &active);
    }

    /// Gap that every contact keeps [m].
    fn clearance(&self) -> f64 {
        ContactSpace::clearance_of(self.size, self.far) + self.apart
    }

    /// The configuration nearest to `target` that keeps all features apart [Tang14 eqs. 10–12].
    fn least_change(&mut self, from: &Configuration, target: &Vector6<f64>) -> Option<Configuration> {
        /// Room in the reach of a step for the refinements after it.
        const ROOM: f64 = 2.0;
        let clearance = self.clearance();
        let mut at = *from;
        for refinement in 0..self.effort.refinements {
            let reach = ROOM * (at.y - target).norm() + clearance;
            self.contacts.rows(&self.chart, &at, (clearance, reach), &mut self.rows);
            let soft = TOUCHING * self.size;
            let next = match self.solver.nearest(&self.rows, target.as_slice(), 0.0) {
                Ok(next) => Vector6::from_column_slice(next),
                Err(_) if refinement > 0 => break,
                Err(_) => {
                    Vector6::from_column_slice(self.solver.nearest(&self.rows, target.as_slice(), soft).ok()?)
                }
            };
            let step = (next - at.y).norm();
            let Some(next) = self.chart.at(&next) else { break };
            at = next;
            if step <= REFINED * from.y.norm() {
                break;
            }
        }
        Some(at)
    }

    /// Re-projection [Tang14 Fig. 3]: a free contact configuration with the orientation of `next`, and whether contacts
    /// were met that were not known.
    fn land(&mut self, next: &Configuration, from: &Configuration) -> (Option<Configuration>, bool) {
        self.projections += 1;
        let q = next.shift();
        let mut space = self.space(next, &q);
        let outwards = self.outwards(next, from);
        let within = BEYOND * from.y.norm() + self.clearance();
        let stride = self.effort.stride * from.y.norm();
        let Some(free) = space.first_free(&outwards, within, stride, |length| length) else {
            return (None, self.learn(next, from));
        };
        self.touch(&mut space, next, &q, &free)
    }

    /// Remembers a pair that intersects at `next`, for which no way out was found, by what keeps it apart at the free
    /// `from`; whether it was not known.
    fn learn(&mut self, next: &Configuration, from: &Configuration) -> bool {
        let placement = self.chart.placement(next, self.a, self.b).shifted(&next.shift());
        let met = intersecting_pair_at(self.a, self.b, &placement);
        let Some(triangles) = met.filter(|&triangles| !self.contacts.knows(triangles)) else { return false };
        let pair = pair_of(self.a, self.b, &self.chart, triangles);
        self.contacts.remember(&self.chart, pair, from, (&next.y, 0.25 * self.clearance()));
        true
    }

    /// A free configuration at or near `y`, with the same orientation, if there is one with a σ below `within` [m²].
    pub(crate) fn free_near(&self, y: &Vector6<f64>, within: f64) -> Option<Vector6<f64>> {
        let at = self.chart.at(y)?;
        let q = at.shift();
        let mut space = self.space(&at, &q);
        let outwards = q.try_normalize(0.0)?;
        let of_turn = y.norm_squared() - q.norm_squared();
        let reach = (within - of_turn).max(0.0).sqrt() - q.norm();
        let free = space.first_free(&outwards, reach, self.effort.stride * y.norm(), |length| length)?;
        let mut y = *y;
        y.fixed_rows_mut::<3>(3).copy_from(&(q + free));
        Some(y)
    }

    /// The direction in which to leave an overlap at `next`.
    fn outwards(&self, next: &Configuration, from: &Configuration) -> Vector3<f64> {
        let of_contacts = || self.contacts.mean_normal(next, TOUCHING * self.size);
        next.shift()
            .try_normalize(TOUCHING * self.size)
            .or_else(of_contacts)
            .or_else(|| from.shift().try_normalize(0.0))
            .unwrap_or_else(Vector3::x)
    }

    /// From a free configuration towards the input's position, at its own orientation, up to the first contact.
    fn towards_input(&mut self, from: &Configuration) -> Option<Configuration> {
        self.projections += 1;
        let mut space = self.space(from, &Vector3::zeros());
        let shift = from.shift();
        self.touch(&mut space, from, &Vector3::zeros(), &shift).0
    }

    /// From the free translation `free` in a space with its origin at `q` towards the input's position, up to the first
    /// contact; remembers what it meets.
    fn touch(
        &mut self,
        space: &mut ContactSpace<'_>,
        turned: &Configuration,
        q: &Vector3<f64>,
        free: &Vector3<f64>,
    ) -> (Option<Configuration>, bool) {
        let near = if free.norm() > 0.0 { free.norm() + self.clearance() } else { NEAR * turned.y.norm() };
        let stopped = self.first_contact(space, (free, &-q), near);
        let mut y = turned.y;
        y.fixed_rows_mut::<3>(3).copy_from(&(q + stopped));
        let Some(at) = self.chart.at(&y) else { return (None, false) };
        let least = 0.25 * self.clearance();
        let mut learned = false;
        for hit in space.hits().iter().take(MET) {
            learned |= !self.contacts.knows(hit.pair);
            let pair = pair_of(self.a, self.b, &self.chart, hit.pair);
            self.contacts.remember(&self.chart, pair, &at, (&Vector6::zeros(), least));
        }
        (Some(at), learned)
    }
}

impl Walk<'_> {
    /// Where a translation from one configuration to another first makes contact, or where it ends; leaves what it meets
    /// in the space's hits. It looks up to a length of `near` [m] first, then farther and farther.
    fn first_contact(
        &self,
        space: &mut ContactSpace<'_>,
        (from, to): (&Vector3<f64>, &Vector3<f64>),
        near: f64,
    ) -> Vector3<f64> {
        let window = self.effort.window * self.size;
        let way = to - from;
        let total = way.norm();
        let mut reach = near;
        while reach > 0.0 && reach + window < total {
            let (stopped, hits) = space.stop(from, &(from + way * ((reach + window) / total)), window);
            // A contact beyond the reach may leave others of its window unseen.
            if !hits.is_empty() && (stopped - from).norm() <= reach {
                return stopped;
            }
            reach *= FARTHER;
        }
        space.stop(from, to, window).0
    }
}

fn pair_of(a: &Model, b: &Model, chart: &Chart, triangles: [u32; 2]) -> Pair {
    let [i, j] = triangles;
    Pair {
        triangles,
        of_a: a.mesh().triangle(i as usize).map(|p| chart.relative_to_centroid(&p)),
        of_b: b.mesh().triangle(j as usize).map(|p: Point3<f64>| p - b.center()),
    }
}
