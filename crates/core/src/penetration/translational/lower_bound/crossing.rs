//! Lower bounds from crossings: a curve on one model through a patch of the other one.
//!
//! **Certificate.** Let γ be a curve on A and P an oriented patch of B: a chain of its triangles, with the border ∂P.
//! Translated by t, γ has the intersection number I(γ + t, P), the number of its crossings with P, counted with
//! their signs. Let I(γ + c, P) ≠ 0 and
//!
//! m = min(dist(∂γ + c, P), dist(γ + c, ∂P)),
//!
//! where ∂γ are the ends of γ, none if it is closed. *Then A + t and B intersect for all |t − c| < m.* For along the segment
//! from c to t no end of γ comes to P and no point of γ to ∂P, since each moves by less than m. In a homotopy of that kind the
//! intersection number does not change, so it is not zero at t, and γ + t, a part of A + t, meets P, a part of B.
//!
//! Nothing is required of the meshes: a wall may be thin, the surface open, unbalanced, or intersect itself. P need not be
//! simple, and ∂P consists of the edges that its triangles do not use equally often in both directions. The same holds with A and
//! B exchanged.
//!
//! **Search.** At a translation, all crossings of a graph of curves of each model with the triangles of the other one are found
//! at once (`proximity::crossings`). The patches that are crossed farthest from their borders are tried first; the best
//! curve through each is found by [`WidestCurve`] with approximate distances. Exact distances along it replace the approximate
//! ones, and the search is repeated until they agree.
//!
//! **Rounding.** Curves and patches are those of the stored coordinates: a refined face is off by rounding, which is subtracted.
//! A crossing within rounding of an edge or of a vertex is not counted; the segment is not used. So that aligned bodies
//! have no such crossings, the search is made at a translation next to the one asked for.

use std::cell::Cell;
use std::time::Instant;

use nalgebra::Vector3;

use super::ROUNDING;
use super::widest_curve::{Found, WidestCurve, Widths};
use crate::proximity::crossings::{Crossing, Crossings};
use crate::proximity::curves_and_patches::curve_graph::{CurveGraph, Step};
use crate::proximity::curves_and_patches::patches::{CrossedRegions, PatchesOfModel};
use crate::proximity::model::Model;
use crate::proximity::relative_pose::RelativePose;
use crate::proximity::work_limit::WorkLimit;

/// Translation by which a search departs from the one asked for, relative to the size: far above the rounding of a
/// crossing, far below every depth of interest. It is subtracted from the bound.
const SHIFT: f64 = 1e-9;
/// Its direction: not along any plane of symmetry of bodies aligned with the axes.
const SHIFT_DIRECTION: [f64; 3] = [0.733, 0.541, 0.412];
/// Searches of one patch, each with the exact distances along the curve of the last one.
const REFINEMENTS: u32 = 5;
/// Ratio of the exact margin to the approximate one above which a curve is accepted.
const ACCEPTED: f64 = 0.97;
/// Distance up to which exact distances are computed, relative to the approximate margin: farther ones do not limit it.
const MEASURED: f64 = 1.1;
/// Ratio of the distance of the crossings of a patch from its border, which is known roughly only, to a margin that has been
/// proved, below which the patch is not tried.
const PROMISING: f64 = 0.85;
/// Segments of borders, and groups of them, that the search for a certificate evaluates at most: searches of meshes of other
/// people evaluate a twelfth of it. A safeguard against meshes of which all parts of a curve are equally near to the border.
const MAX_VISITS: u64 = 1 << 22;

/// A curve on one model and a patch of the other one that prove overlap for a ball of translations.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::penetration::translational) struct Certificate {
    /// Index of the model with the curve.
    owner: usize,
    patch: u32,
    is_closed: bool,
    /// The segments of the curve.
    steps: Vec<Step>,
    /// Centre of the ball [m, frame of B's tree].
    pub(super) center: Vector3<f64>,
    /// Its radius [m].
    pub(super) margin: f64,
}

impl Certificate {
    /// Index of the model with the curve.
    pub(super) fn owner(&self) -> usize {
        self.owner
    }
}

/// A patch that curves cross.
#[derive(Debug, Clone, Copy)]
struct Prospect {
    /// Rank: the distance, less for patches that are nearly closed [m].
    rank: f32,
    /// Distance of the crossings from the border, roughly [m].
    distance: f32,
    owner: usize,
    patch: u32,
}

/// Scratch memory of searches.
#[derive(Debug, Default)]
struct Scratch {
    crossings: Crossings,
    nodes: [Vec<[f32; 3]>; 2],
    prospects: Vec<Prospect>,
    of_owner: Vec<(f32, u32)>,
    border: Vec<f32>,
    reach: Vec<f32>,
    /// Crossings of each arc with a patch.
    numbers: Vec<i32>,
    curve: WidestCurve,
    path: Vec<(u32, bool)>,
    steps: Vec<Step>,
    best_steps: Vec<Step>,
}

thread_local! {
    /// The scratch memory of this thread's last search.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Searches for certificates of two models in one relative orientation.
pub(super) struct CrossingSearch<'a> {
    graphs: [&'a CurveGraph; 2],
    patches: [PatchesOfModel<'a>; 2],
    /// Radius of the largest ball inside each model, beyond which no curve ends inside it; infinite if it has none [m].
    depths: [f32; 2],
    a_to_b: RelativePose,
    size: f64,
    /// Overestimate of a margin by rounding [m].
    rounding: f64,
    /// Time after which it finds nothing.
    deadline: Option<Instant>,
    /// Maximum number of segments of borders and of their groups that the search for a certificate evaluates.
    max_visits: u64,
    /// The account of the present one; none is found where it is spent.
    work: Cell<WorkLimit>,
    scratch: Box<Scratch>,
}

impl Drop for CrossingSearch<'_> {
    fn drop(&mut self) {
        SCRATCH.set(Some(std::mem::take(&mut self.scratch)));
    }
}

/// Bounds of a search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Margin above which a certificate is of interest [m].
    pub(super) above: f64,
    /// Margin at which the search ends [m].
    pub(super) enough: f64,
    /// Maximum number of patches that are tried.
    pub(super) patches: usize,
}

impl<'a> CrossingSearch<'a> {
    /// The searches of two models; `None` if one has no curves. `rounding` is that of the placement [m].
    pub(super) fn new(
        models: [&'a Model; 2],
        a_to_b: RelativePose,
        (rounding, deadline): (f64, Option<Instant>),
    ) -> Option<Self> {
        let [(graph_a, patches_a), (graph_b, patches_b)] =
            [models[0].curves_and_patches()?, models[1].curves_and_patches()?];
        let size = models[0].radius() + models[1].radius();
        let needles = patches_a.rounding().max(patches_b.rounding());
        let depths = models.map(|model| {
            let largest = model.inner_balls().balls().first();
            largest.map_or(f32::INFINITY, |ball| ball.radius as f32)
        });
        Some(Self {
            depths,
            graphs: [graph_a, graph_b],
            patches: [patches_a, patches_b],
            a_to_b,
            size,
            rounding: 2.0 * rounding + 4.0 * ROUNDING * size + needles,
            deadline,
            max_visits: MAX_VISITS,
            work: Cell::new(WorkLimit::new(MAX_VISITS, deadline)),
            scratch: SCRATCH.take().unwrap_or_default(),
        })
    }

    /// Distance between the translation asked for and the centre of the certificate [m].
    pub(super) fn shift(&self) -> f64 {
        SHIFT * self.size * Vector3::from(SHIFT_DIRECTION).norm() * (1.0 + 1e-6)
    }

    /// The best certificate found near the translation `q` of A, if its margin is above the limit; the curves and patches of
    /// `known` ones are tried first.
    pub(super) fn certificate_at<'b>(
        &mut self,
        q: &Vector3<f64>,
        limits: Limits,
        known: impl Iterator<Item = &'b Certificate>,
    ) -> Option<Certificate> {
        self.work.set(WorkLimit::new(self.max_visits, self.deadline));
        let center = q + SHIFT * self.size * Vector3::from(SHIFT_DIRECTION);
        let poses = self.poses_at(&center);
        let mut scratch = std::mem::take(&mut self.scratch);
        if !self.find_prospects(&mut scratch, &poses) {
            self.scratch = scratch;
            return None;
        }
        let mut best: Option<Certificate> = None;
        let mut limits = limits;
        for certificate in known {
            let margin = self.margin_of(&scratch, certificate, &poses, limits);
            if margin > limits.above {
                limits.above = margin;
                best = Some(Certificate { center, margin, ..certificate.clone() });
            }
        }
        let found = self.best(&mut scratch, &poses, limits);
        if let Some((owner, patch, is_closed, margin)) = found {
            let steps = scratch.best_steps.clone();
            best = Some(Certificate { owner, patch, is_closed, steps, center, margin });
        }
        self.scratch = scratch;
        best
    }

    /// The certificate about the translation `q` of A, which must be in its ball: its crossings are the same there.
    pub(super) fn moved(&self, certificate: &Certificate, q: &Vector3<f64>, enough: f64) -> Certificate {
        self.work.set(WorkLimit::new(self.max_visits, self.deadline));
        let pose = self.poses_at(q)[certificate.owner];
        let margin = self.margin_at(certificate, &pose, enough);
        Certificate { center: *q, margin, ..certificate.clone() }
    }

    /// The certificate after a motion by which no point of the curve moved farther than `moved` relative to the patch [m];
    /// `None` where its crossings may have changed.
    pub(super) fn after_motion(
        &self,
        certificate: &Certificate,
        moved: f64,
        enough: f64,
    ) -> Option<Certificate> {
        let is_same = moved + certificate.center.norm() < certificate.margin;
        is_same.then(|| self.moved(certificate, &Vector3::zeros(), enough))
    }

    /// The poses of either model relative to the other one with A translated.
    fn poses_at(&self, q: &Vector3<f64>) -> [RelativePose; 2] {
        let pose = self.a_to_b.shifted(q);
        [pose, pose.inverse()]
    }

    /// The margin of a known curve and patch where crossings have been found; zero if they cancel.
    fn margin_of(
        &self,
        scratch: &Scratch,
        certificate: &Certificate,
        poses: &[RelativePose; 2],
        limits: Limits,
    ) -> f64 {
        let Certificate { owner, patch, ref steps, .. } = *certificate;
        let (crossings, patches) = (&scratch.crossings.of[owner], &self.patches[1 - owner]);
        let of_curve = |segment: u32| steps.iter().filter(move |step| step.segment == segment);
        if crossings.uncertain.iter().any(|&segment| of_curve(segment).next().is_some()) {
            return 0.0;
        }
        let through =
            crossings.all.iter().filter(|crossing| patches.mask(crossing.triangle) & (1 << patch) != 0);
        let number: i32 = through
            .flat_map(|crossing| {
                of_curve(crossing.segment)
                    .map(|step| if step.is_forwards { crossing.sign } else { -crossing.sign })
            })
            .sum();
        if number == 0 { 0.0 } else { self.margin_at(certificate, &poses[owner], limits.enough) }
    }

    /// The minimum distance of a segment from the border of a patch [m] if less than `below`, else `below`; none that is proved,
    /// zero, where the work is spent.
    fn border_distance(
        &self,
        (owner, patch): (usize, u32),
        (segment, pose): (u32, &RelativePose),
        below: f64,
    ) -> f64 {
        let place = |point: &Vector3<f64>| pose.rotation * point + pose.translation;
        let [p, q] = self.graphs[owner].segment(segment).each_ref().map(place);
        if self.work.get().is_spent() {
            return 0.0;
        }
        let mut visits = 0;
        let distance = self.patches[1 - owner].border_distance(patch, [&p, &q], (below, &mut visits));
        self.spend(visits);
        distance
    }

    /// Counts what was evaluated.
    fn spend(&self, visits: u64) {
        let mut work = self.work.get();
        work.spend_many(visits);
        self.work.set(work);
    }

    /// The minimum distance of a certificate's curve from the border and of its ends from the patch [m], at most `enough`.
    fn margin_at(&self, certificate: &Certificate, pose: &RelativePose, enough: f64) -> f64 {
        let Certificate { owner, patch, is_closed, ref steps, .. } = *certificate;
        let (graph, patches) = (self.graphs[owner], &self.patches[1 - owner]);
        let place = |point: &Vector3<f64>| pose.rotation * point + pose.translation;
        let mut margin = enough;
        for step in steps {
            margin = self.border_distance((owner, patch), (step.segment, pose), margin);
        }
        let end = |step: &Step, is_first: bool| {
            let [p, q] = graph.segment(step.segment);
            if step.is_forwards == is_first { *p } else { *q }
        };
        if let (false, Some(first), Some(last)) = (is_closed, steps.first(), steps.last()) {
            for end in [end(first, true), end(last, false)] {
                margin = patches.distance(patch, &place(&end), margin.max(0.0));
            }
        }
        margin - self.rounding
    }

    /// Owner of the curve, patch, whether the curve is closed, and the margin; its steps are left in the scratch memory.
    fn best(
        &self,
        scratch: &mut Scratch,
        poses: &[RelativePose; 2],
        limits: Limits,
    ) -> Option<(usize, u32, bool, f64)> {
        let (mut proved, mut best) = (limits.above, None);
        let prospects = std::mem::take(&mut scratch.prospects);
        let mut left = limits.patches;
        for prospect in &prospects {
            if proved >= limits.enough || left == 0 || self.work.get().is_spent() {
                break;
            }
            if f64::from(prospect.distance) <= PROMISING * proved {
                continue;
            }
            left -= 1;
            let Prospect { owner, patch, .. } = *prospect;
            let limits = Limits { above: proved, ..limits };
            if let Some((margin, is_closed)) = self.try_patch(scratch, (owner, patch), &poses[owner], limits)
            {
                proved = margin;
                best = Some((owner, patch, is_closed, margin));
            }
        }
        scratch.prospects = prospects;
        best
    }

    /// Finds the crossings of both roles and the patches to try, most promising first. False where the deadline passes before.
    fn find_prospects(&self, scratch: &mut Scratch, poses: &[RelativePose; 2]) -> bool {
        scratch.prospects.clear();
        if !scratch.crossings.find(self.graphs, &self.patches, poses, (self.size, self.deadline)) {
            return false;
        }
        for owner in 0..2 {
            let (graph, patches, pose) = (self.graphs[owner], &self.patches[1 - owner], &poses[owner]);
            let mut crossed = CrossedRegions::default();
            for crossing in &scratch.crossings.of[owner].all {
                patches.add_crossing(crossing.triangle, &mut crossed);
            }
            scratch.of_owner.clear();
            patches.prospects(&crossed, &mut scratch.of_owner);
            let depth = self.depths[1 - owner];
            for &(distance, patch) in &scratch.of_owner {
                let distance = if distance.is_finite() { distance } else { depth };
                let rank = distance * patches.prospect(patch);
                scratch.prospects.push(Prospect { rank, distance, owner, patch });
            }
            let placed = graph.nodes.iter().map(|node| pose.rotation * node + pose.translation);
            scratch.nodes[owner].clear();
            scratch.nodes[owner].extend(placed.map(|node| <[f64; 3]>::from(node).map(|x| x as f32)));
        }
        let order = |x: &Prospect, y: &Prospect| {
            y.rank.total_cmp(&x.rank).then((x.owner, x.patch).cmp(&(y.owner, y.patch)))
        };
        scratch.prospects.sort_unstable_by(order);
        true
    }

    /// The best curve through a patch, if its margin is above the limit: the margin, and whether it is closed.
    fn try_patch(
        &self,
        scratch: &mut Scratch,
        (owner, patch): (usize, u32),
        pose: &RelativePose,
        limits: Limits,
    ) -> Option<(f64, bool)> {
        self.approximate(scratch, (owner, patch));
        let arcs = &self.graphs[owner].arcs;
        let (mut proved, mut best) = (limits.above, None);
        for _ in 0..REFINEMENTS {
            if self.work.get().is_spent() {
                break;
            }
            let Scratch { border, reach, numbers, curve, path, .. } = scratch;
            let widths = Widths { arcs, border, reach, crossings: numbers };
            let found = curve.find(&widths, proved as f32, limits.enough as f32);
            let Some((likely, found)) = found else { break };
            path.clear();
            curve.path(arcs, found, path);
            let margin = self.measure(
                scratch,
                (owner, patch),
                pose,
                (found, (MEASURED * f64::from(likely)).min(limits.enough)),
            );
            if margin > proved {
                proved = margin;
                best = Some((margin, matches!(found, Found::Closed(_))));
                std::mem::swap(&mut scratch.steps, &mut scratch.best_steps);
            }
            if margin >= ACCEPTED * f64::from(likely) {
                break;
            }
        }
        best
    }

    /// Sets the approximate distances of nodes and arcs, and the crossings of the arcs.
    fn approximate(&self, scratch: &mut Scratch, (owner, patch): (usize, u32)) {
        let (graph, patches) = (self.graphs[owner], &self.patches[1 - owner]);
        let field = patches.field(patch);
        let Scratch { crossings, nodes, border, reach, numbers, .. } = scratch;
        // The distances of nodes from the border are only needed for the arcs.
        let mut of_nodes = std::mem::take(&mut scratch.of_owner);
        of_nodes.clear();
        reach.clear();
        for node in &nodes[owner] {
            let [from_border, from_patch] = field.at(node);
            of_nodes.push((from_border, 0));
            reach.push(from_patch);
        }
        border.clear();
        border.extend(graph.arcs.iter().map(|arc| {
            let [p, q] = arc.ends.map(|node| of_nodes[node as usize].0);
            p.min(q)
        }));
        scratch.of_owner = of_nodes;
        numbers.clear();
        numbers.resize(graph.arcs.len(), 0);
        for &Crossing { segment, triangle, sign } in &crossings.of[owner].all {
            if patches.mask(triangle) & (1 << patch) != 0 {
                for &(arc, direction) in graph.arcs_through(segment) {
                    numbers[arc as usize] += sign * direction;
                }
            }
        }
        for &segment in &crossings.of[owner].uncertain {
            for &(arc, _) in graph.arcs_through(segment) {
                border[arc as usize] = f32::NEG_INFINITY;
            }
        }
    }

    /// The exact margin of the curve along the path [m], at most `up_to`; exact distances of its arcs and ends that are less
    /// replace the approximate ones.
    fn measure(
        &self,
        scratch: &mut Scratch,
        (owner, patch): (usize, u32),
        pose: &RelativePose,
        (found, up_to): (Found, f64),
    ) -> f64 {
        let (graph, patches) = (self.graphs[owner], &self.patches[1 - owner]);
        let place = |point: &Vector3<f64>| pose.rotation * point + pose.translation;
        let mut margin = up_to;
        scratch.steps.clear();
        // The arc that seems nearest to the border first: only nearer ones limit the margin then.
        let nearest = scratch.path.iter().map(|step| step.0);
        let nearest =
            nearest.min_by(|x, y| scratch.border[*x as usize].total_cmp(&scratch.border[*y as usize]));
        for arc in nearest.into_iter().chain(scratch.path.iter().map(|step| step.0)) {
            let (center, radius) = graph.arcs[arc as usize].ball;
            let mut visits = 0;
            let is_near = patches.is_near_border(patch, (&place(&center), radius), (margin, &mut visits));
            self.spend(visits);
            if !is_near {
                continue;
            }
            let mut of_arc = margin;
            for step in graph.steps(arc) {
                of_arc = self.border_distance((owner, patch), (step.segment, pose), of_arc);
            }
            if of_arc < margin {
                scratch.border[arc as usize] = of_arc as f32;
                margin = of_arc;
            }
        }
        for &(arc, is_forwards) in &scratch.path {
            let steps = graph.steps(arc);
            let oriented = |step: &Step| Step { is_forwards: step.is_forwards == is_forwards, ..*step };
            if is_forwards {
                scratch.steps.extend(steps.iter().map(oriented));
            } else {
                scratch.steps.extend(steps.iter().rev().map(oriented));
            }
        }
        if let Found::Open(ends) = found {
            for node in ends {
                let point = place(&graph.nodes[node as usize]);
                let distance = patches.distance(patch, &point, up_to);
                if distance < up_to {
                    scratch.reach[node as usize] = distance as f32;
                }
                margin = margin.min(distance);
            }
        }
        margin - self.rounding
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;
    use crate::geometry::procedural::{Procedural, Torus};
    use crate::geometry::triangle_mesh::Solidity;

    #[test]
    fn a_search_ends_when_its_work_is_spent_and_proves_nothing_then() {
        let torus = Model::new(Torus::default().mesh().unwrap(), Solidity::Solid);
        let pose = Isometry3::new(Vector3::new(0.15, 0.05, 0.02), Vector3::new(1.3, 0.2, 0.1));
        let a_to_b = RelativePose::between(&torus, &pose, &torus, &Isometry3::identity());
        let mut search = CrossingSearch::new([&torus, &torus], a_to_b, (0.0, None)).unwrap();
        let limits = Limits { above: 0.0, enough: f64::INFINITY, patches: 32 };
        let at = |search: &mut CrossingSearch| {
            search.certificate_at(&Vector3::zeros(), limits, std::iter::empty())
        };
        let certificate = at(&mut search).expect("one torus goes through the other one");
        let spent = MAX_VISITS - search.work.get().left();
        let moved = |search: &CrossingSearch| search.moved(&certificate, &certificate.center, 1.0).margin;
        assert!(certificate.margin > 0.01 && moved(&search) > 0.01);
        // What it needs is enough, and with less it ends early: a segment of the curve later.
        search.max_visits = spent + 1;
        assert_eq!(at(&mut search).as_ref(), Some(&certificate));
        for max_visits in [1, spent / 20] {
            search.max_visits = max_visits;
            let found = at(&mut search);
            assert!(search.work.get().is_spent());
            assert!(found.is_none_or(|found| found.margin <= certificate.margin));
        }
        search.max_visits = 1;
        assert!(at(&mut search).is_none() && moved(&search) <= 0.0);
    }
}
