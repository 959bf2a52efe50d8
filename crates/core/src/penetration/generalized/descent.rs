//! The descent: sequential quadratic programming on signed distances, from any start.
//!
//! In the chart σ is ‖y‖² [Tang14 eqs. 24, 26–28], so each step is the nearest point to the origin that satisfies all rows and
//! limits: a minimum-norm projection whose only approximation is that the gaps are linear. Overlapping starts are accepted:
//! the rows then lead out. A filter of (constraint violation, σ) accepts a step that improves either over all points before;
//! otherwise the trust region shrinks. Contradictory rows are softened. Where that leads to nothing free, a descent may restore
//! feasibility first, as filter methods do [R. Fletcher, S. Leyffer, Nonlinear programming without a penalty function, Math.
//! Program. 91, 2002, §2]: here from the start on, and towards the nearest free point.

use std::time::Instant;

use super::bounded_projection::BoundedProjection;
use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::options::{GeneralizedOptions, GeneralizedSource, SearchEnd, SearchSummary};
use super::pairs::{GapSummary, ScanOptions};
use super::workspace::{ExitFace, Workspace};
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::quadratic_program::min_norm_projection::rows::Rows;

/// Margin added to the clearance of all pairs, as a fraction of the size of the collision world, so that contacts
/// within rounding count as free. A larger one costs σ in proportion. Half and twice change every depth by less than
/// 0.01 % and the steps by less than 0.5 % (docs/sensitivity.md).
const MARGIN: f64 = 5e-8;
/// Fraction of that margin that must remain for a point to count as free: the rest is room for linearisation errors.
/// Half and twice change every depth by less than 0.01 % and the steps by less than 0.5 % (docs/sensitivity.md).
const FREE_MARGIN: f64 = 0.25;
/// Fraction of the size within which pairs have rows. A smaller one lets a step run into pairs that were not seen; a
/// larger one costs distance queries. Half changes the mean depth by +1.4 % (worst +68 %, best −35 %) with +8.5 %
/// steps, twice by −0.046 % (best −1.2 %; docs/sensitivity.md).
const HORIZON: f64 = 0.3;
/// The same of descents from random points, of which most fail whatever they see: half and 1.7 times change the mean result
/// of the tuning part of `repair_suite` by less than 1 %, and three times take a tenth more work (docs/sensitivity.md).
pub(super) const RANDOM_HORIZON: f64 = 0.09;
/// Trust region of a step: maximum rotation [rad]. Beyond it linearised gaps predict little; smaller ones need more
/// steps. Half changes the mean depth by +8.4 % (worst +113 %) with +7.8 % steps, twice by +3.1 % (worst +59 %;
/// docs/sensitivity.md).
const MAX_ROTATION: f64 = 0.5;
/// Trust region of a step: maximum translation, as a fraction of the size. Half changes the mean depth by +0.29 %
/// (worst +7.5 %), twice by −0.11 % (worst +2.4 %, best −7.4 %; docs/sensitivity.md).
const MAX_SHIFT: f64 = 0.7;
/// Factor of the trust region after a step that was rejected. Half changes the mean depth by < 0.01 %, twice by
/// +0.014 % (worst +0.32 %) with 10 % fewer steps (docs/sensitivity.md).
const SHRINK: f64 = 0.4;
/// Factor of the trust region after a step that was accepted. Half changes the mean depth by +1.4 % (worst +36 %),
/// twice by < 0.01 %, both with 9 % fewer steps (docs/sensitivity.md).
const GROW: f64 = 2.0;
/// Radius of the trust region at which a descent gives up. Half and twice change no depth and the steps by less than
/// 0.5 % (docs/sensitivity.md).
const MIN_RADIUS: f64 = 2e-3;
/// Relative change of y below which a descent has converged. Half and twice change every depth by less than 0.01 % and
/// the steps by +0.78 % and < 0.5 % (docs/sensitivity.md).
const CONVERGED: f64 = 1e-5;
/// Fraction by which a new point must improve on the points of the filter. Half and twice change every depth by less
/// than 0.05 % and the steps by less than 1 % (docs/sensitivity.md).
const FILTER: f64 = 1e-3;
/// Softness s of contradictory rows: a violation v costs (v/s)² beside ‖y‖². A smaller one resolves more of the
/// violation per step at a larger σ. Half changes the mean depth by +4.1 % (worst +68 %) with +2.5 % steps, twice by
/// +2.6 % (worst +68 %) with +16 % steps (docs/sensitivity.md).
const SOFT: f64 = 0.5;
/// Fraction of the violation at which rows became contradictory below which they are hard again. Half changes the mean
/// depth by +2.4 % (worst +61 %), twice by < 0.01 % with +19 % steps (docs/sensitivity.md).
const RESOLVED: f64 = 0.5;
/// Rotation [rad] and, as a fraction of the size, translation that count as rounding. A safeguard against relative
/// poses that would count as movable by rounding alone, without effect on the sets of docs/sensitivity.md.
const MOTION_ROUNDING: f64 = 1e-7;
/// Relative tolerance of the bounds of signed distances in a descent. Half and twice change neither depths nor the
/// number of steps (docs/sensitivity.md).
pub(super) const PRECISION: f64 = 1e-6;

/// Row scale that keeps limits hard among soft rows. A safeguard, without effect on the sets of docs/sensitivity.md.
const HARD: f64 = 1e9;
/// Row scale that keeps the trust region hard among soft rows. Half and twice change every depth by less than 0.01 %
/// and the supports by less than 0.5 % (docs/sensitivity.md).
const HARD_REACH: f64 = 100.0;
/// Constraint violation up to which points are accepted after a restoration, as a fraction of the size: more would give up the
/// sides that it found. Set on the tuning part of `repair_suite` (docs/sensitivity.md).
const HELD: f64 = 0.01;
/// Factor of the maximum rotation of a step after a restoration. Set on the tuning part of `repair_suite` (docs/sensitivity.md).
const HELD_ROTATION: f64 = 0.5;
/// Fraction of the maximum work of a search that one descent may take, inverted.
const DESCENTS: u64 = 4;
/// Number of steps within which the violation must decrease by [`VIOLATION_GAIN`] or, once free, σ by [`GAIN`]: fewer
/// stop descents that only pause. Half changes the mean depth by +4.3 % (worst +123 %) with −37 % steps, twice by
/// +0.28 % (worst +15 %, best −7.4 %) with +44 % steps (docs/sensitivity.md).
pub(super) const WINDOW: usize = 6;
/// The same for descents from random points, as long as nothing is free: most of them end with an overlap, and a third of their work
/// went into steps after which nothing came. Set on the tuning part of `repair_suite` (docs/sensitivity.md).
pub(super) const RANDOM_WINDOW: usize = 3;
/// Number of steps after which a descent from a random point ends unless something was free, or its violation has fallen to a fraction
/// of that at the start: of 830 that became free 95 % had got there, of 17 000 others one in seven. Set on the tuning part of `repair_suite`
/// (docs/sensitivity.md).
const TRIAL: u32 = 2;
pub(super) const PROMISE: f64 = 0.35;
/// Fraction by which the violation must decrease within [`WINDOW`] steps. Half and twice change every depth by less
/// than 0.05 % and the steps by +1.2 % and −2.9 % (docs/sensitivity.md).
const VIOLATION_GAIN: f64 = 0.2;
/// Fraction by which σ must decrease within [`WINDOW`] steps once the poses are free. Half and twice change every depth
/// by less than 0.01 % and the steps by less than 0.5 % (docs/sensitivity.md).
const GAIN: f64 = 1e-4;

/// Result of a descent.
#[derive(Debug, Clone, Default)]
pub(crate) struct DescentResult {
    /// The free point of minimum σ, if any was found.
    pub(crate) free: Option<Vec<f64>>,
    /// The point of minimum constraint violation.
    pub(crate) nearest: Vec<f64>,
    pub(crate) violation: f64,
    pub(crate) iterations: u32,
    /// Source of the start.
    pub(crate) source: GeneralizedSource,
    /// Number of descents, and of those after which this one was the best.
    pub(crate) descents: u32,
    pub(crate) improved_at: u32,
    /// [Work](super::work) of all descents, and up to the last noticeable improvement.
    pub(crate) work: u64,
    pub(crate) improved_work: u64,
    pub(crate) end: SearchEnd,
    /// Whether the descent ended at its start, by its [bound](Descent::bound).
    pub(crate) is_vain: bool,
}

impl DescentResult {
    /// That of a start at which the closures cannot be closed.
    fn open(nearest: Vec<f64>) -> Self {
        Self { nearest, violation: f64::INFINITY, descents: 1, improved_at: 1, ..Self::default() }
    }

    pub(crate) fn with_source(self, source: GeneralizedSource) -> Self {
        Self { source, ..self }
    }

    /// Adds work other than that of the descent itself.
    pub(crate) fn with_work(self, work: u64) -> Self {
        Self { work: self.work + work, improved_work: self.improved_work + work, ..self }
    }

    /// Extent of the search that led here.
    pub(crate) fn summary(&self) -> SearchSummary {
        let Self { descents, improved_at, work, end, .. } = *self;
        SearchSummary { descents, improved_at, work, end }
    }

    /// σ of the free point; infinite without one.
    pub(crate) fn sigma(&self) -> f64 {
        self.free.as_ref().map_or(f64::INFINITY, |y| squared(y))
    }
}

/// Start of a descent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DescentStart<'a> {
    /// The point of the chart.
    pub(crate) from: &'a [f64],
    /// Whether each variable may move; all of them where not given.
    pub(crate) active: Option<&'a [bool]>,
    /// Prescribed exit faces of pairs of pieces.
    pub(crate) exits: &'a [(usize, ExitFace)],
    /// Whether the descent [restores](Phase::Restore) feasibility first.
    pub(crate) restores: bool,
}

impl<'a> From<&'a [f64]> for DescentStart<'a> {
    fn from(from: &'a [f64]) -> Self {
        Self { from, active: None, exits: &[], restores: false }
    }
}

/// Phase of a descent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Each step goes to the point nearest to the origin of the chart.
    Descend,
    /// Each step goes to the free point nearest to the current one, whatever its distance from the origin: links keep the sides on
    /// which the start has them, where the pull of the origin would draw them back through walls.
    Restore,
    /// As [`Phase::Descend`] from the free point that was restored, in small steps that stay near what is free.
    Hold,
}

/// A descent in a collision world.
#[derive(Clone, Copy)]
pub(crate) struct Descent<'a> {
    pub(crate) collision_world: &'a CollisionWorld,
    pub(crate) chart: &'a LocalChart,
    pub(crate) clearance: f64,
    pub(crate) max_iterations: u32,
    /// Trust region of a step: maximum rotation [rad].
    pub(crate) max_rotation: f64,
    /// Number of steps within which the violation must decrease.
    pub(crate) window: usize,
    /// Fraction to which the violation must have fallen after [`TRIAL`] steps.
    pub(crate) promise: f64,
    /// Fraction of the size of the collision world within which pairs have rows.
    pub(crate) horizon: f64,
    /// σ that a result must undercut to be of use; where it is finite, a descent ends at a start whose linearised rows have no point in
    /// common, or none nearer. Of 51 000 random descents of the tuning part of `repair_suite` 33 000 began so, and 166 of these were among
    /// the 1043 that improved on a result (docs/sensitivity.md).
    pub(crate) bound: f64,
    /// [Work](super::work) at which a run ends with the best point so far.
    pub(crate) max_work: u64,
    /// Whether to end with the best point so far.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// Time after which no more pairs are looked at, if there is one.
    pub(crate) deadline: Option<Instant>,
}

/// Whether the last steps improved neither the violation, within `window` of them, nor, once free, σ, within [`WINDOW`].
pub(super) fn stalls(progress: &[[f64; 2]], window: usize) -> bool {
    let Some(&[violation, sigma]) = progress.last() else { return false };
    let window = if sigma.is_finite() { WINDOW } else { window };
    // Fewer steps than a window prove nothing.
    let Some(before) = progress.len().checked_sub(window + 1) else { return false };
    let [old_violation, old_sigma] = progress[before];
    if sigma.is_finite() {
        // A descent that has only just become free has not stalled: its σ has no predecessor to compare with.
        old_sigma.is_finite() && !(sigma < (1.0 - GAIN) * old_sigma)
    } else {
        !(violation < (1.0 - VIOLATION_GAIN) * old_violation)
    }
}

/// σ at a point of the chart: ‖y‖² [Tang14 eq. 27].
pub(crate) fn squared(y: &[f64]) -> f64 {
    y.iter().map(|x| x * x).sum()
}

impl<'a> Descent<'a> {
    pub(crate) fn new(
        collision_world: &'a CollisionWorld,
        chart: &'a LocalChart,
        options: &GeneralizedOptions,
    ) -> Self {
        let GeneralizedOptions { clearance, max_iterations, .. } = *options;
        Self {
            collision_world,
            chart,
            clearance,
            max_iterations,
            max_rotation: MAX_ROTATION,
            window: WINDOW,
            promise: f64::INFINITY,
            horizon: HORIZON,
            bound: f64::INFINITY,
            max_work: options.work.max / DESCENTS,
            stop: &|| false,
            deadline: None,
        }
    }

    /// Common exit faces of what several links are stuck in at the origin of the chart.
    pub(crate) fn common_exits(&self, workspace: &mut Workspace) -> Vec<(usize, ExitFace)> {
        let origin = vec![0.0; self.chart.dimension()];
        workspace.scan.forget_until(self.deadline);
        self.chart.place(self.collision_world, &origin, &mut workspace.frames);
        self.collision_world.common_exits(&workspace.frames, &mut workspace.scan, self.stop)
    }

    /// Whether a point is free by the standard of a result.
    pub(crate) fn is_free(&self, y: &[f64], workspace: &mut Workspace) -> bool {
        workspace.scan.forget();
        self.chart.place(self.collision_world, y, &mut workspace.frames);
        let mut limits = GapSummary { violation: 0.0, min: f64::INFINITY };
        self.chart.add_gaps(
            &workspace.frames,
            self.collision_world.size,
            [self.clearance, self.target()],
            &mut limits,
        );
        limits.min >= self.free_gap()
            && !self.collision_world.touches(&workspace.frames, self.free_gap(), &mut workspace.scan)
    }

    /// Whether two bodies that overlap at the origin of the chart have the same relative pose at `elsewhere`, a point in general
    /// position, or a link is too short to leave an obstacle: then no motion separates them.
    pub(crate) fn is_hopeless(&self, elsewhere: &[f64], workspace: &mut Workspace) -> bool {
        if self.is_confined(workspace) {
            return true;
        }
        workspace.scan.forget_until(self.deadline);
        self.evaluate(&vec![0.0; elsewhere.len()], workspace);
        let Workspace { frames, trial_frames, trial_rows, .. } = workspace;
        self.chart.place(self.collision_world, elsewhere, frames);
        trial_rows.iter().filter(|row| !(row.gap >= self.clearance)).any(|row| {
            let [here, there] = [&*trial_frames, &*frames].map(|frames| {
                let [a, b] = row.bodies.map(|body| &frames.bodies[body as usize]);
                a.inv_mul(b)
            });
            // A relative pose that a random motion leaves as it was cannot be changed at all.
            let moved = here.inv_mul(&there);
            moved.translation.vector.norm() <= MOTION_ROUNDING * self.collision_world.size
                && moved.rotation.angle() <= MOTION_ROUNDING
        })
    }

    /// Names of the closures that leave parts which overlap at the origin and at a point no freedom to separate to first order; empty
    /// where there is some freedom.
    pub(crate) fn immobilised_by(&self, nearest: &[f64]) -> Vec<String> {
        let origin = vec![0.0; nearest.len()];
        let is_held = |y: &[f64]| self.collision_world.with_workspace(|workspace| self.is_held(y, workspace));
        match is_held(&origin) && is_held(nearest) {
            true => self
                .collision_world
                .constraints
                .iter()
                .filter(|own| own.is_closure())
                .map(|own| own.name().to_owned())
                .collect(),
            false => Vec::new(),
        }
    }

    /// Whether some row of an overlap at a point depends on variables, but on no motion that the closures leave.
    fn is_held(&self, y: &[f64], workspace: &mut Workspace) -> bool {
        workspace.scan.forget_until(self.deadline);
        self.evaluate(y, workspace);
        let Workspace { trial_frames, trial_rows, constraints, subspace, derivative, problem, .. } =
            workspace;
        self.chart.linearise_closures(self.collision_world, (trial_frames, y), None, (constraints, subspace));
        if problem.columns() != y.len() {
            *problem = Rows::new(y.len());
        }
        problem.clear();
        trial_rows.iter().filter(|row| !(row.gap >= self.clearance)).any(|row| {
            derivative.clear();
            derivative.resize(y.len(), 0.0);
            self.chart.differentiate(self.collision_world, trial_frames, row, derivative);
            derivative.iter().any(|x| x.abs() > 0.0) && !subspace.push(problem, derivative, 0.0)
        })
    }

    /// Gap that the rows demand [m].
    fn target(&self) -> f64 {
        self.clearance + MARGIN * self.collision_world.size
    }

    /// Minimum gap that counts as free [m].
    pub(crate) fn free_gap(&self) -> f64 {
        self.clearance + FREE_MARGIN * MARGIN * self.collision_world.size
    }

    /// Descends from a point of the chart: iterated constrained optimization [Tang14 §5.3].
    #[expect(clippy::too_many_lines, reason = "one loop, whose steps share their state")]
    pub(crate) fn run(&self, start: &DescentStart<'_>, workspace: &mut Workspace) -> DescentResult {
        let DescentStart { from, active, exits, restores } = *start;
        let before = workspace.counters();
        workspace.scan.forget_until(self.deadline);
        workspace.scan.prescribe(exits);
        let mut y: Vec<f64> =
            from.iter().zip(self.chart.bounds()).map(|(y, b)| y.clamp(b[0], b[1])).collect();
        if !self.chart.retract(self.collision_world, &mut y, workspace) {
            let work = workspace.work_since(before);
            return DescentResult { work, improved_work: work, ..DescentResult::open(y) };
        }
        let mut trial = y.clone();
        let mut gaps = self.evaluate(&y, workspace);
        let first_violation = gaps.violation;
        // The start counts as an accepted trial: its rows and frames are linearised first.
        std::mem::swap(&mut workspace.rows, &mut workspace.trial_rows);
        std::mem::swap(&mut workspace.frames, &mut workspace.trial_frames);
        let mut found = DescentResult {
            free: None,
            nearest: y.clone(),
            violation: gaps.violation,
            ..DescentResult::default()
        };
        self.record(&y, &gaps, &mut found);
        let mut filter = vec![[gaps.violation, squared(&y)]];
        let mut phase = match (restores, gaps.min >= self.free_gap()) {
            (true, false) => Phase::Restore,
            (true, true) => Phase::Hold,
            (false, _) => Phase::Descend,
        };
        let mut radius = 1.0;
        let mut contradictory = gaps.violation;
        workspace.soft = false;
        let mut progress: Vec<[f64; 2]> = Vec::new();
        for _ in 0..self.max_iterations {
            if (self.stop)() || workspace.work_since(before) >= self.max_work {
                break;
            }
            found.iterations += 1;
            self.linearise(&y, active, workspace);
            let nearest = self.nearest(&y, phase, workspace);
            found.is_vain = found.iterations == 1 && self.is_vain(nearest.as_deref(), phase);
            if found.is_vain {
                break;
            }
            // Without a solution even of the softened rows, the best point so far is the result.
            let Some(step) = self.step(nearest, &y, (phase, radius), workspace) else { break };
            let length = squared(&step).sqrt();
            for ((trial, y), (step, bound)) in
                trial.iter_mut().zip(&y).zip(step.iter().zip(self.chart.bounds()))
            {
                *trial = (y + step).clamp(bound[0], bound[1]);
            }
            let is_closed = self.chart.retract(self.collision_world, &mut trial, workspace);
            if is_closed {
                gaps = self.evaluate(&trial, workspace);
                self.record(&trial, &gaps, &mut found);
            }
            let point = [gaps.violation, squared(&trial)];
            // A step must improve on every earlier point, so that the descent cannot cycle.
            let accepted = is_closed && filter.iter().all(|old| self.improves(phase, &point, old));
            let is_promising = found.free.is_some() || found.violation <= self.promise * first_violation;
            if found.iterations == TRIAL && !is_promising {
                break;
            }
            // Measured on the best points: a rejected trial counts as a step without progress.
            progress.push([found.violation, found.sigma()]);
            if stalls(&progress, self.window) {
                break;
            }
            if !accepted {
                radius *= SHRINK;
                if radius < MIN_RADIUS {
                    break;
                }
                continue;
            }
            // Points that the new one dominates constrain nothing any more.
            filter.retain(|old| !(point[0] <= old[0] && point[1] <= old[1]));
            filter.push(point);
            radius = (radius * GROW).min(1.0);
            // Rows that contradict each other usually do so again at the next point: they stay soft until much of the violation is
            // resolved.
            let resolved = gaps.violation < RESOLVED * contradictory;
            if !workspace.soft {
                contradictory = gaps.violation;
            } else if resolved {
                workspace.soft = false;
            }
            std::mem::swap(&mut y, &mut trial);
            std::mem::swap(&mut workspace.rows, &mut workspace.trial_rows);
            std::mem::swap(&mut workspace.frames, &mut workspace.trial_frames);
            let is_free = gaps.min >= self.free_gap();
            if phase == Phase::Restore && is_free {
                // From here on σ counts, which grew so far.
                phase = Phase::Hold;
                filter = vec![point];
                progress.clear();
                radius = 1.0;
                continue;
            }
            // A short step is not convergence while something overlaps: there the window decides.
            if is_free && length <= CONVERGED * squared(&y).sqrt() {
                break;
            }
        }
        let work = workspace.work_since(before);
        DescentResult { descents: 1, improved_at: 1, work, improved_work: work, ..found }
    }

    /// Whether a point improves on an old one by the standard of a phase.
    fn improves(&self, phase: Phase, point: &[f64; 2], old: &[f64; 2]) -> bool {
        match phase {
            Phase::Descend => self.undercuts(point, old),
            Phase::Restore => point[0] < (1.0 - FILTER) * old[0],
            Phase::Hold => point[0] <= HELD * self.collision_world.size && self.undercuts(point, old),
        }
    }

    /// Whether a point improves on an old one in violation or in σ.
    fn undercuts(&self, point: &[f64; 2], old: &[f64; 2]) -> bool {
        // Within this violation every gap is at least the free gap, so that only σ counts.
        let enough = (1.0 - FREE_MARGIN) * MARGIN * self.collision_world.size;
        if point[0] <= enough && old[0] <= enough {
            return point[1] < old[1];
        }
        point[0] < (1.0 - FILTER) * old[0] || point[1] < old[1] * (1.0 - FILTER)
    }

    /// Records a point that is free and better, or less violated.
    fn record(&self, y: &[f64], gaps: &GapSummary, found: &mut DescentResult) {
        if gaps.min >= self.free_gap() && squared(y) < found.sigma() {
            found.free = Some(y.to_vec());
        }
        if gaps.violation < found.violation {
            found.violation = gaps.violation;
            found.nearest = y.to_vec();
        }
    }

    /// Evaluates rows and gaps at a point, into the trial buffers.
    fn evaluate(&self, y: &[f64], workspace: &mut Workspace) -> GapSummary {
        let Workspace { scan, trial_frames, trial_rows, .. } = workspace;
        self.chart.place(self.collision_world, y, trial_frames);
        let convex = ConvexOptions { relative_tolerance: PRECISION, ..ConvexOptions::default() };
        let target = self.target();
        let options =
            ScanOptions { target, horizon: target + self.horizon * self.collision_world.size, convex };
        let mut gaps = self.collision_world.scan(trial_frames, &options, scan, trial_rows);
        self.chart.add_gaps(trial_frames, self.collision_world.size, [self.clearance, target], &mut gaps);
        gaps
    }

    /// Whether nothing nearer than the [bound](Self::bound) is to be expected of a descent from a start, of whose rows this is the nearest
    /// point in common.
    fn is_vain(&self, nearest: Option<&[f64]>, phase: Phase) -> bool {
        let leads_nearer = |point: &[f64]| phase != Phase::Descend || squared(point) < self.bound;
        self.bound.is_finite() && !nearest.is_some_and(leads_nearer)
    }

    /// The point nearest to the origin, or in [`Phase::Restore`] to y, that satisfies all rows and limits [Tang14 eqs. 27, 29–30], which
    /// are linearised at y; `None` where they contradict each other, or did so before.
    fn nearest(&self, y: &[f64], phase: Phase, workspace: &mut Workspace) -> Option<Vec<f64>> {
        let Workspace { problem, solver, soft, subspace, .. } = workspace;
        if *soft {
            return None;
        }
        let origin = vec![0.0; y.len()];
        let target = if phase == Phase::Restore { y } else { &origin };
        BoundedProjection { bounds: self.chart.bounds(), hardness: |_: usize| HARD }.nearest(
            (problem, subspace),
            target,
            solver,
            0.0,
        )
    }

    /// The change of y to the `nearest` point: restricted to the trust region if it would leave that, and softened if the rows
    /// contradict each other there.
    fn step(
        &self,
        nearest: Option<Vec<f64>>,
        y: &[f64],
        (phase, radius): (Phase, f64),
        workspace: &mut Workspace,
    ) -> Option<Vec<f64>> {
        let Workspace { frames, problem, solver, derivative, bounds, soft, subspace, .. } = workspace;
        let shift = radius * MAX_SHIFT * self.collision_world.size;
        let rotation = radius * self.max_rotation * if phase == Phase::Hold { HELD_ROTATION } else { 1.0 };
        let change =
            |nearest: Vec<f64>| -> Vec<f64> { nearest.iter().zip(y).map(|(to, from)| to - from).collect() };
        // Where the full step stays within the trust region, no rows are needed for its box.
        if let Some(step) = nearest.map(change)
            && self.chart.max_step_fraction(frames, &step, rotation, shift) >= 1.0
        {
            return Some(step);
        }
        self.chart.reach(frames, rotation, shift, derivative);
        bounds.clear();
        bounds.extend_from_slice(self.chart.bounds());
        for ((bound, reach), y) in bounds.iter_mut().zip(derivative.iter()).zip(y) {
            // The box of the trust region is around y, the limits of the chart stay.
            *bound = [bound[0].max(y - reach), bound[1].min(y + reach)];
        }
        let origin = vec![0.0; y.len()];
        let target = if phase == Phase::Restore { y } else { &origin };
        // `derivative` now contains the reach of each variable: short reaches need stiffer rows.
        let hardness = |at: usize| HARD_REACH * self.collision_world.size / derivative[at];
        let projection = BoundedProjection { bounds: bounds.as_slice(), hardness };
        let hard = if *soft { None } else { projection.nearest((problem, subspace), target, solver, 0.0) };
        *soft = hard.is_none();
        hard.or_else(|| projection.nearest((problem, subspace), target, solver, SOFT)).map(change)
    }

    /// Linearises the rows at a point: C′ (X − X_c) ≥ 0 with the gaps as right-hand sides [Tang14 eqs. 22–23, 27].
    fn linearise(&self, y: &[f64], active: Option<&[bool]>, workspace: &mut Workspace) {
        let Workspace { frames, rows, problem, derivative, constraints, subspace, .. } = workspace;
        self.chart.linearise_closures(self.collision_world, (frames, y), active, (constraints, subspace));
        if problem.columns() != y.len() {
            *problem = Rows::new(y.len());
        }
        problem.clear();
        let wanted = self.target();
        for row in rows.iter() {
            derivative.clear();
            derivative.resize(y.len(), 0.0);
            self.chart.differentiate(self.collision_world, frames, row, derivative);
            if let Some(active) = active {
                derivative.iter_mut().zip(active).filter(|(_, active)| !**active).for_each(|(d, _)| *d = 0.0);
            }
            // A row that no active variable changes cannot be satisfied by a step, and would make the problem infeasible.
            if derivative.iter().any(|x| x.abs() > 0.0) {
                let here: f64 = derivative.iter().zip(y).map(|(d, y)| d * y).sum();
                subspace.push(problem, derivative, wanted - row.gap + here);
            }
        }
        let margin = wanted - self.clearance;
        self.chart.visit_inequalities(self.collision_world, frames, constraints, |gap, gradient| {
            let here: f64 = gradient.iter().zip(y).map(|(d, y)| d * y).sum();
            subspace.push(problem, gradient, margin - gap + here);
        });
    }
}
