//! The walk in contact space: out- and in-projections in turn until a local optimum [Je12 §§ 3.2, 6.2].
//!
//! | paper | here                | meaning                                              |
//! |-------|---------------------|------------------------------------------------------|
//! | o     | zero                | the input configuration                              |
//! | q     | `q`                 | a configuration: translation of A in B's frame [m]   |
//! | LCS   | [`LocalContactSpace`], `lcs` | local contact space                         |
//!
//! Departs from [Je12]: the walk continues until the in-projection gains nothing, it returns the best configuration, and
//! before each out-projection it tests whether a cast from outside along the target beats the present one (a hop).
//! All motion keeps a clearance from the contacts, so that a start never touches and needs no special case.

use nalgebra::{Point3, Vector3};

use super::collision_check::CollisionCheck;
use super::local_contact_space::{LocalContactSpace, PlacedContact};
use super::sampled_obstacle::Sample;
use super::scratch::{Scratch, ScratchLease};
use super::steps::{Trace, WalkStepKind};
use crate::penetration::allowed_translations::AllowedTranslations;
use crate::penetration::free_configuration::FreeConfiguration;
use crate::proximity::blocking_pairs::BlockingPairs;
use crate::proximity::collision::collide_at;
use crate::proximity::contained_parts::may_contain_any;
use crate::proximity::first_free::March;
use crate::proximity::model::Model;
use crate::proximity::obstacle_tree::ObstacleTree;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::time_of_contact::{Cast, Hit};

/// Gap that casts keep, relative to the size of the pair: 1e5 times the rounding of a coordinate. It adds to the length
/// of the returned translation, not to the depth; near the rounding, verified results would still collide. Half changes
/// the mean depth by < 0.01 % (best −0.16 %), twice by −0.037 % (best −5 %; docs/sensitivity.md).
const MARGIN: f64 = 1e-11;
/// Gap that in-projections keep, in margins: above the √3 margins that a cast may keep on oblique axes. With less, the
/// target of an in-projection could lie behind the contact that defines it. Half changes the mean depth by +3.8 %
/// (worst +189 %), twice by −0.17 % (best −34 %, worst +4 %; docs/sensitivity.md).
const CLEARANCE: f64 = 2.0;
/// Rounding of a pose's translation, relative to it; far from the world origin it exceeds the margin. Half changes the
/// mean depth by −0.031 % (worst +0.95 %, best −5 %), twice by < 0.01 % (worst +2.3 %; docs/sensitivity.md).
const POSE_ROUNDING: f64 = 1e-15;
/// Distance behind the first contact, relative to the size, up to which contacts belong to the same contact
/// configuration. A contact beyond it costs another projection; a much wider window adds planes of triangles that the
/// walk does not reach. Half changes no depth, twice the mean depth by +0.016 % (worst +14 %; docs/sensitivity.md).
const WINDOW: f64 = 1e-6;
/// Ratio of the next target to the depth to beat above which a walk is abandoned: around a convex obstacle the next
/// contact may be a little nearer than the last target. Half changes the mean depth by < 0.01 % with 1.4 % fewer casts,
/// twice by < 0.01 % (best −6.7 %; docs/sensitivity.md).
const ABANDON_RATIO: f64 = 1.1;
/// Maximum number of walls of enclosing solids that a march passes: more than nested shells have. A safeguard against
/// an endless march where single precision overflows and each wall seems to follow the last one, without effect on the
/// sets of docs/sensitivity.md.
const MAX_WALLS: u32 = 1 << 10;
/// Relative decrease of the depth below which the walk is at its optimum. Far above it walks end early, near rounding
/// they make steps that gain nothing. Half and twice change no depth and the work by less than 0.5 %
/// (docs/sensitivity.md).
const MIN_GAIN: f64 = 1e-9;

/// Translational contact space of a pair of models in one relative orientation, with the scratch memory of the walks in it.
pub(crate) struct ContactSpace<'a> {
    pub(crate) a: &'a Model,
    pub(crate) b: &'a Model,
    pub(crate) a_to_b: RelativePose,
    /// The translational obstacles that A meets, by pairs of tree nodes.
    pub(crate) obstacles: ObstacleTree<'a>,
    margin: f64,
    window: f64,
    scratch: ScratchLease,
    /// Number of casts (out-projections).
    pub(crate) casts: u32,
    /// Number of marches from inside.
    pub(crate) marches: u32,
    /// Number of walks.
    pub(crate) walks: u32,
    /// Number of in-projections.
    pub(crate) iterations: u32,
    /// Maximum number of in-projections of one walk.
    pub(crate) max_iterations: u32,
    /// Whether all threads of the current pool may be used.
    pub(crate) parallel: bool,
    /// Whether gaps that are nearer than what is reached from outside are looked for.
    pub(crate) gaps: bool,
    far: f64,
    /// Source of the starts of the next walks.
    pub(crate) source: FreeConfiguration,
    /// Record of the walks in the frame of B's tree, if requested.
    pub(crate) trace: Option<Box<Trace>>,
    /// Pairs that blocked the lengths before the last result, if they are followed.
    pub(super) blocking: Option<BlockingPairs>,
    /// Whether an earlier part of the search has spent its bound on work.
    pub(super) was_work_spent: bool,
    /// Collision query that verifies results.
    pub(super) check: CollisionCheck,
}

/// Gap that casts keep [m].
fn margin(size: f64, far: f64) -> f64 {
    MARGIN * size + POSE_ROUNDING * far
}

/// End of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Optimum {
    /// A contact configuration: free, with a clearance from its contacts.
    pub(crate) q: Vector3<f64>,
    /// The same without the clearance; its length is the depth [m].
    pub(crate) touching: Vector3<f64>,
    /// Whether the last in-projection gained nothing, so that this is a local optimum.
    pub(crate) converged: bool,
    /// Points of A, at the input configuration, and of B that touch when A is at `q`.
    pub(crate) witnesses: [Point3<f64>; 2],
    /// Half-spaces of the local contact space.
    pub(crate) rows: usize,
    /// Source of the start of the walk.
    pub(crate) source: FreeConfiguration,
}

impl<'a> ContactSpace<'a> {
    /// The contact space of a pair; `far` is the distance of the farther pose from the world origin [m].
    pub(crate) fn new(
        a: &'a Model,
        b: &'a Model,
        a_to_b: RelativePose,
        far: f64,
        max_iterations: u32,
    ) -> Self {
        let size = a.radius() + b.radius();
        let margin = margin(size, far);
        let mut scratch = ScratchLease::of_thread();
        scratch.0.lcs.restrict(None);
        scratch.0.near.clear();
        let mut space = Self {
            a,
            b,
            a_to_b,
            obstacles: ObstacleTree::new(a, b, &a_to_b, CLEARANCE * margin),
            margin,
            window: WINDOW * size,
            scratch,
            casts: 0,
            marches: 0,
            walks: 0,
            iterations: 0,
            max_iterations,
            parallel: false,
            gaps: false,
            far,
            source: FreeConfiguration::CentroidDifference,
            trace: None,
            blocking: None,
            was_work_spent: false,
            check: CollisionCheck::new(None),
        };
        space.limit_work(None);
        space
    }

    /// Gap that every contact of a returned configuration of bodies of this size keeps [m]; see [`ContactSpace::new`].
    pub(crate) fn clearance_of(size: f64, far: f64) -> f64 {
        CLEARANCE * margin(size, far)
    }

    /// The same space with an additional gap of at least `clearance` [m] on every contact; on oblique planes it may be up to
    /// √3 times as wide.
    pub(crate) fn keeping(mut self, clearance: f64) -> Self {
        if clearance > 0.0 {
            // The obstacle tree is inflated by the clearance and has to be rebuilt.
            let limit = self.obstacles.limit;
            self.margin += clearance;
            self.obstacles = ObstacleTree::new(self.a, self.b, &self.a_to_b, self.clearance());
            self.obstacles.limit = limit;
        }
        self
    }

    /// The same contact space for another thread, with all counters at zero.
    pub(crate) fn fork(&self) -> Self {
        let fresh = Self::new(self.a, self.b, self.a_to_b, self.far, self.max_iterations);
        let mut fork = Self { source: self.source, ..fresh };
        fork.limit_work(self.deadline());
        fork
    }

    /// Restricts the walks to these translations, or to none.
    pub(super) fn restrict(&mut self, allowed: Option<AllowedTranslations>) {
        self.scratch.0.lcs.restrict(allowed);
    }

    /// Gap that every contact of a returned configuration keeps [m].
    pub(crate) fn clearance(&self) -> f64 {
        CLEARANCE * self.margin
    }

    /// Length along the unit vector `direction` beyond which the bounding balls are separated [m].
    pub(crate) fn outside(&self, direction: &Vector3<f64>) -> f64 {
        /// Sum of the radii of the balls, relative to that at which they touch: rounding must not make them touch. Half
        /// changes the mean depth by < 0.01 % (worst +9.1 %, best −5 %), twice by < 0.01 % (worst +7.1 %;
        /// docs/sensitivity.md).
        const BEYOND: f64 = 1.001;
        let between = self.a_to_b.translation;
        let reach = BEYOND * (self.a.radius() + self.b.radius());
        // The larger root s of ‖between + s direction‖ = reach.
        let along = between.dot(direction);
        let root = (along * along - between.norm_squared() + reach * reach).max(0.0).sqrt();
        (root - along).max(0.0)
    }

    /// Whether the models are separated at the configuration `q`: their surfaces, and neither inside the other.
    #[must_use]
    pub(crate) fn is_apart(&self, q: &Vector3<f64>) -> bool {
        !collide_at(self.a, self.b, &self.a_to_b.shifted(q))
    }

    /// Out-projection [Je12 §4, eq. 5]: moves from the free `from` towards `to` up to the first contact.
    ///
    /// Returns the length moved, or `None` if the path is free; stores the contacts in the hits. It may end early once the
    /// length is known to be less than `worse_than` [m].
    fn out_projection(&mut self, from: &Vector3<f64>, to: &Vector3<f64>, worse_than: f64) -> Option<f64> {
        let length = (to - from).norm();
        if !(length > 0.0) {
            return None;
        }
        self.casts += 1;
        let direction = (to - from) / length;
        let (margin, window) = (self.margin, self.window);
        let cast = Cast { from: *from, direction, length, margin, window, worse_than };
        let Scratch { hits, near, .. } = &mut self.scratch.0;
        if let Some((leaves, reach)) = near.along(from, &direction) {
            // Contacts within the window behind the first one must be within reach, too.
            let length = length.min(reach - window);
            let first = Cast { length, ..cast }.run_among(&self.obstacles, leaves, hits);
            if first.is_some() || length >= cast.length {
                return first;
            }
        }
        cast.run(&mut self.obstacles, hits)
    }

    /// Depth at which A, coming from outside against `direction`, first touches B, if less than `within` [m].
    pub(crate) fn depth_from_outside(&mut self, direction: &Vector3<f64>, within: f64) -> Option<f64> {
        let start = self.outside(direction);
        // A cast that stops before this length is deeper than `within` and may end early.
        let stopped = self.out_projection(&(direction * start), &Vector3::zeros(), start - within)?;
        Some(start - stopped).filter(|&depth| depth < within)
    }

    /// The minimum free configuration along `direction`, if nearer than `within` [m]; gaps narrower than `stride` [m]
    /// may be stepped over. `None` also behind [`MAX_WALLS`] walls, and at the deadline.
    pub(crate) fn first_free(
        &mut self,
        direction: &Vector3<f64>,
        within: f64,
        stride: f64,
        mut skip: impl FnMut(f64) -> f64,
    ) -> Option<Vector3<f64>> {
        let march = March { direction: *direction, margin: self.clearance(), within, stride };
        let mut length = 0.0;
        for _ in 0..MAX_WALLS {
            if self.is_late() {
                return None;
            }
            self.marches += 1;
            length = march.first_free(&mut self.obstacles, length, &mut skip)?;
            let q = direction * length;
            // The surfaces are separated by the margin already; what remains is containment.
            let placement = self.a_to_b.shifted(&q);
            if !may_contain_any(self.a, self.b, &placement, &mut self.obstacles.limit) {
                return Some(q);
            }
            // One is enclosed by the other: continue beyond the wall.
            length += self.out_projection(&q, &(direction * within), 0.0)? + self.clearance();
        }
        None
    }

    /// As [`ContactSpace::first_free`] without a stride; if pairs are followed, it asks the trees only where none of them blocks.
    pub(super) fn first_free_followed(
        &mut self,
        direction: &Vector3<f64>,
        within: f64,
    ) -> Option<Vector3<f64>> {
        let Some(mut blocking) = self.blocking.take() else {
            return self.first_free(direction, within, 0.0, |length| length);
        };
        let margin = self.clearance();
        blocking.place(&self.obstacles, (direction, margin), within);
        self.obstacles.left = Some(std::mem::take(&mut self.scratch.0.left));
        let free = self.first_free(direction, within, 0.0, |mut length| {
            while length < within
                && let Some(exit) = blocking.exit_at(length)
            {
                length = exit + margin;
            }
            length
        });
        let mut left = self.obstacles.left.take().unwrap_or_default();
        blocking.renew(&left);
        left.clear();
        self.scratch.0.left = left;
        self.blocking = Some(blocking);
        free
    }

    /// Out-projection from the free `from` towards `to`: the configuration at which it stops, and the pairs in contact there or
    /// within `window` [m] beyond, nearest first; none if it reaches `to`.
    pub(crate) fn stop(
        &mut self,
        from: &Vector3<f64>,
        to: &Vector3<f64>,
        window: f64,
    ) -> (Vector3<f64>, &[Hit]) {
        let usual = std::mem::replace(&mut self.window, window);
        let stopped = self.out_projection(from, to, 0.0);
        self.window = usual;
        let hits = &mut self.scratch.0.hits;
        let Some(length) = stopped else {
            hits.clear();
            return (*to, hits);
        };
        hits.sort_unstable_by(|x, y| x.entry.total_cmp(&y.entry).then(x.pair.cmp(&y.pair)));
        (from + (to - from) * (length / (to - from).norm()), hits)
    }

    /// The memory for the samples that marches skip; what is borrowed is lost unless it is put back.
    pub(super) fn samples(&mut self) -> &mut Vec<Sample> {
        &mut self.scratch.0.samples
    }

    /// The contacts of the last out-projection.
    pub(crate) fn hits(&self) -> &[Hit] {
        &self.scratch.0.hits
    }

    /// The local contact space of the walk, its half-spaces at `q`.
    pub(super) fn local_contact_space_at(&mut self, q: &Vector3<f64>) -> &LocalContactSpace {
        let clearance = self.clearance();
        self.scratch.0.lcs.update(q, clearance);
        &self.scratch.0.lcs
    }

    /// Leaves out the contacts of the walk that are not near `q`; returns whether there were any.
    pub(super) fn retain_touching(&mut self, q: &Vector3<f64>) -> bool {
        let window = self.window;
        self.scratch.0.lcs.retain_touching(q, window)
    }

    /// The local contact space of the walk.
    pub(super) fn local_contact_space(&self) -> &LocalContactSpace {
        &self.scratch.0.lcs
    }

    /// Adds the contacts of the last out-projection, which ended at `q`, to the local contact space [Je12 §6.1].
    fn extend_local_contact_space(&mut self, q: &Vector3<f64>) {
        let clearance = self.clearance();
        let Scratch { hits, lcs, .. } = &mut self.scratch.0;
        lcs.add_contacts((self.a, self.b, &self.a_to_b), hits, q, clearance);
    }

    /// Walks from the free configuration `start` to a local optimum [Je12 §§ 3.2, 6.2].
    ///
    /// `hops` allows leaving the component of the contact space that is reachable from the start; a simulator whose bodies must
    /// be pushed back to the side they came from passes `false`.
    pub(crate) fn walk(&mut self, start: &Vector3<f64>, hops: bool) -> Optimum {
        let (q, converged) = self.descend(start, hops, f64::INFINITY);
        let optimum = self.finish(q, converged);
        self.trace_end(&optimum, f64::INFINITY);
        optimum
    }

    /// Finds what walks around the configuration `q` can meet within a `distance` [m]: their casts are shorter then.
    pub(super) fn look_around(&mut self, q: &Vector3<f64>, distance: f64) {
        let (clearance, near) = (self.clearance(), &mut self.scratch.0.near);
        near.find((self.a, self.b, &self.a_to_b), q, (distance, clearance));
    }

    /// As [`ContactSpace::walk`] without hops from a configuration that is only likely to be free, with pairs of triangles that are
    /// likely to be in contact if all of them are within a distance [m] there; `None` unless the models are separated there.
    pub(super) fn walk_if_apart(
        &mut self,
        start: &Vector3<f64>,
        (pairs, within): (impl Iterator<Item = [u32; 2]>, f64),
    ) -> Option<Optimum> {
        let (origin, clearance) = (Vector3::zeros(), self.clearance());
        let lcs = &mut self.scratch.0.lcs;
        lcs.set_pairs((self.a, self.b, &self.a_to_b), pairs, start, (clearance, within));
        let target = lcs.in_projection(&origin, clearance);
        let target = target.filter(|target| target.norm() < start.norm()).unwrap_or(origin);
        // A cast from inside would visit all pairs that overlap: it ends at the first one.
        let stopped = self.out_projection(start, &target, clearance);
        let moved = stopped.unwrap_or_else(|| (target - start).norm());
        // The surfaces are separated there; what remains is containment.
        let placement = self.a_to_b.shifted(start);
        if !(moved > clearance) || may_contain_any(self.a, self.b, &placement, &mut self.obstacles.limit) {
            return None;
        }
        self.walks += 1;
        self.trace_start(start);
        let q = if stopped.is_some() {
            let q = start + (target - start) * (moved / (target - start).norm());
            self.extend_local_contact_space(&q);
            q
        } else {
            self.advance(&target, &origin)
        };
        let (q, converged) = self.descend_from(q, false, f64::INFINITY);
        let optimum = self.finish(q, converged);
        self.trace_end(&optimum, f64::INFINITY);
        Some(optimum)
    }

    /// The contacts that touch at the end of a walk; those of one more out-projection if the last walk did not end there.
    pub(super) fn contacts_of(&mut self, optimum: &Optimum) -> impl Iterator<Item = PlacedContact> + '_ {
        let (q, clearance) = (optimum.q, self.clearance());
        let lcs = &mut self.scratch.0.lcs;
        lcs.update(&q, clearance);
        let is_last = lcs.in_projection(&Vector3::zeros(), 0.0);
        if !is_last.is_some_and(|end| (end - optimum.touching).norm() <= clearance) {
            lcs.clear();
            self.advance(&q, &Vector3::zeros());
        }
        let near = self.window;
        let contacts = self.scratch.0.lcs.contacts_at(&q, clearance);
        contacts.filter(move |(_, [moved, on_b], _)| (moved - on_b).norm() <= near)
    }

    /// As [`ContactSpace::walk`] with hops, but `None`, early, if the contacts of the walk leave nothing nearer than
    /// `within` [m].
    pub(crate) fn walk_within(&mut self, start: &Vector3<f64>, within: f64) -> Option<Optimum> {
        let (q, converged) = self.descend(start, true, within);
        if !(q.norm() - self.clearance() < within) {
            return None;
        }
        let optimum = self.finish(q, converged);
        self.trace_end(&optimum, within);
        Some(optimum).filter(|optimum| optimum.touching.norm() < within)
    }

    /// Alternates in- and out-projections [Je12 §6.2]; returns the last configuration, and whether the last in-projection gained
    /// nothing. It ends early if the target of an in-projection is not nearer than `within` [m], and at the deadline.
    fn descend(&mut self, start: &Vector3<f64>, hops: bool, within: f64) -> (Vector3<f64>, bool) {
        let q = self.begin_walk(start);
        self.descend_from(q, hops, within)
    }

    /// The end of the first out-projection of a walk.
    pub(super) fn begin_walk(&mut self, start: &Vector3<f64>) -> Vector3<f64> {
        self.walks += 1;
        self.scratch.0.lcs.clear();
        self.trace_start(start);
        self.advance(start, &Vector3::zeros())
    }

    /// As [`ContactSpace::descend`], from the end of the first out-projection.
    fn descend_from(&mut self, mut q: Vector3<f64>, hops: bool, within: f64) -> (Vector3<f64>, bool) {
        let origin = Vector3::zeros();
        self.trace_step(WalkStepKind::OutProjection, &q);
        let (mut converged, mut touching) = (false, false);
        for _ in 0..self.max_iterations {
            if self.is_late() {
                break;
            }
            self.iterations += 1;
            let clearance = self.clearance();
            self.scratch.0.lcs.update(&q, clearance);
            let Some(target) = self.scratch.0.lcs.in_projection(&origin, clearance) else { break };
            // The target is a lower bound of what the local contact space allows.
            if target.norm() - clearance >= ABANDON_RATIO * within {
                break;
            }
            if !(target.norm() < q.norm() * (1.0 - MIN_GAIN) - clearance) {
                // Planes of pairs that the walk has left may hold it back: once more without them.
                if !touching && self.retain_touching(&q) {
                    touching = true;
                    continue;
                }
                converged = true;
                break;
            }
            self.trace_step(WalkStepKind::InProjection, &target);
            // From outside first: it reaches the ray through the target past obstacles that block the direct path.
            let hopped = if hops { self.hop(&q, &target) } else { None };
            let kind = if hopped.is_some() { WalkStepKind::Hop } else { WalkStepKind::OutProjection };
            let next = hopped.unwrap_or_else(|| self.slide(&q, &target));
            self.trace_step(kind, &next);
            // A step without gain is accepted only if its contacts give a new target.
            if !(next.norm() < q.norm() * (1.0 - MIN_GAIN) - clearance) && self.is_stuck(&next, &target) {
                break;
            }
            q = next;
            touching = false;
        }
        (q, converged)
    }

    /// Whether the latest contacts leave the target unchanged, so that another step would repeat this one.
    fn is_stuck(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> bool {
        let clearance = self.clearance();
        self.scratch.0.lcs.update(q, clearance);
        let renewed = self.scratch.0.lcs.in_projection(&Vector3::zeros(), clearance);
        renewed.is_none_or(|renewed| (renewed - target).norm() <= clearance)
    }

    /// Out-projection from `from` towards `to` that adds its contacts to the local contact space; without contacts it reaches `to`.
    fn advance(&mut self, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
        match self.out_projection(from, to, 0.0) {
            Some(length) => {
                let q = from + (to - from) * (length / (to - from).norm());
                self.extend_local_contact_space(&q);
                q
            }
            None => *to,
        }
    }

    /// A better contact configuration on the ray through the target, found by a cast from outside.
    fn hop(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> Option<Vector3<f64>> {
        let length = target.norm();
        if !(length > 0.0) {
            return None;
        }
        let direction = target / length;
        let depth = self.depth_from_outside(&direction, q.norm() * (1.0 - MIN_GAIN) - self.clearance())?;
        let hopped = direction * depth;
        self.extend_local_contact_space(&hopped);
        Some(hopped)
    }

    /// The configuration near `q` with the clearance from all contacts; `q` itself if nearly coincident planes would move it
    /// far away.
    fn lift(&mut self, q: &Vector3<f64>) -> Vector3<f64> {
        /// Maximum motion of a lift, in clearances. Edges sharper than about 2/32 rad are not lifted; a larger bound
        /// admits the far intersections of nearly coincident planes. No effect on the sets of docs/sensitivity.md.
        const NEAR: f64 = 32.0;
        let clearance = self.clearance();
        let lifted = self.scratch.0.lcs.in_projection(q, clearance);
        lifted.filter(|lifted| (lifted - q).norm() <= NEAR * clearance).unwrap_or(*q)
    }

    /// Out-projection from `q` to the target of the in-projection, and from there towards the origin if the target is free.
    pub(super) fn slide(&mut self, q: &Vector3<f64>, target: &Vector3<f64>) -> Vector3<f64> {
        // A start within its clearance of a contact would stop the cast at once.
        let lifted = self.lift(q);
        let reached = self.advance(&lifted, target);
        if reached == *target { self.advance(target, &Vector3::zeros()) } else { reached }
    }

    /// The optimum at the last configuration: with the clearance from its contacts, and touching them.
    pub(super) fn finish(&mut self, q: Vector3<f64>, converged: bool) -> Optimum {
        self.scratch.0.lcs.update(&q, self.clearance());
        let lifted = self.lift(&q);
        // Only a converged walk ends at its in-projection; one that was cut off ends at its last contact.
        let (free, touching) =
            if converged { self.in_projected(&lifted) } else { None }.unwrap_or((lifted, lifted));
        let witnesses = self.scratch.0.lcs.witnesses(&free).unwrap_or([Point3::origin(); 2]);
        let (rows, source) = (self.scratch.0.lcs.rows().len(), self.source);
        Optimum { q: free, touching, converged, witnesses, rows, source }
    }

    /// The last in-projection, with and without clearance, if the path to it from `lifted` is free: its length is nearly the
    /// same, but it may lie to the side, behind an obstacle.
    fn in_projected(&mut self, lifted: &Vector3<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let origin = Vector3::zeros();
        let free = self.scratch.0.lcs.in_projection(&origin, self.clearance())?;
        let touching = self.scratch.0.lcs.in_projection(&origin, 0.0)?;
        let is_there = (free - lifted).norm() <= self.clearance();
        (is_there || self.out_projection(lifted, &free, 0.0).is_none()).then_some((free, touching))
    }
}
