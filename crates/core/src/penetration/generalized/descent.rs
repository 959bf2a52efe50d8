//! The descent: sequential quadratic programming on signed distances, from any start.
//!
//! In the chart σ is ‖y‖², so each step is the nearest point to the origin that keeps all rows and limits: a least-change
//! problem whose only approximation is that the gaps are linear. Overlapping starts are welcome: the rows then lead out.
//! A filter of (lack of clearance, σ) takes a step that is better in either than all before; else it is halved. Rows that
//! contradict each other are softened.

use super::arrangement::Arrangement;
use super::chart::Chart;
use super::options::{GeneralizedOptions, GeneralizedSource};
use super::pairs::{Nearness, ScanOptions};
use super::workspace::{Exit, Frames, ScanMemory, Workspace};
use crate::penetration::convex::options::ConvexOptions;
use crate::penetration::quadratic_program::least_change::LeastChange;
use crate::penetration::quadratic_program::least_change::rows::Rows;

/// Share of the arrangement's size by which everything is kept farther apart than asked, so that what touches within
/// rounding is free: a larger one costs so much σ.
const TOUCH: f64 = 5e-8;
/// Share of that distance that must be kept for a point to count as free.
const FREE: f64 = 0.25;
/// Share of the size within which pairs have rows.
const HORIZON: f64 = 0.3;
/// Greatest turn [rad] and, as a share of the size, shift of a step.
const MOST_TURN: f64 = 0.5;
const MOST_SHIFT: f64 = 0.7;
/// Factors of the trust region after steps that were refused or taken, and the least one.
const SHRINK: f64 = 0.4;
const GROW: f64 = 2.0;
const LEAST_RADIUS: f64 = 2e-3;
/// Relative change of y below which a descent has arrived.
const ARRIVED: f64 = 1e-5;
/// A new point must undercut the filter by this share.
const FILTER: f64 = 1e-3;
/// Softness of contradictory rows.
const SOFT: f64 = 0.5;
/// Share of the lack of clearance at which rows contradicted each other, below which they may not any more.
const RESOLVED: f64 = 0.5;
/// Turn [rad] and, as a share of the size, shift that are rounding.
const STILL: f64 = 1e-7;
/// Share by which bounds of signed distances may differ in a descent.
const PRECISION: f64 = 1e-6;

/// What makes limits, and the reach of a step, hard among soft rows.
const HARD: f64 = 1e9;
const HARD_REACH: f64 = 100.0;
/// Share of its width by which a bound may be broken for all rounding.
const BOUND_ROUNDING: f64 = 1e-9;
/// Steps that must lessen the lack of clearance by a share or, once free, σ by another one.
const WINDOW: usize = 6;
const LACK_GAIN: f64 = 0.2;
const GAIN: f64 = 1e-4;

impl Workspace {
    pub(crate) fn new(arrangement: &Arrangement) -> Self {
        Self {
            scan: ScanMemory::new(arrangement),
            frames: Frames::default(),
            rows: Vec::new(),
            trial_rows: Vec::new(),
            trial_frames: Frames::default(),
            problem: Rows::new(0),
            solver: LeastChange::default(),
            derivative: Vec::new(),
            boxed: Vec::new(),
            soft: false,
        }
    }
}

/// Where a descent has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Descended {
    /// The free point of least σ, if any was met.
    pub(crate) free: Option<Vec<f64>>,
    /// The point that lacked the least clearance.
    pub(crate) nearest: Vec<f64>,
    pub(crate) lack: f64,
    pub(crate) iterations: u32,
    /// Where it set out.
    pub(crate) source: GeneralizedSource,
}

impl Descended {
    pub(crate) fn with_source(self, source: GeneralizedSource) -> Self {
        Self { source, ..self }
    }

    /// σ of the free point; infinite without one.
    pub(crate) fn sigma(&self) -> f64 {
        self.free.as_ref().map_or(f64::INFINITY, |y| squared(y))
    }
}

/// Where a descent starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch<'a> {
    /// The point of the chart.
    pub(crate) from: &'a [f64],
    /// Which variables move; all, where it is not given.
    pub(crate) active: Option<&'a [bool]>,
    /// Ways out of pairs of pieces that are prescribed.
    pub(crate) exits: &'a [(usize, Exit)],
}

impl<'a> From<&'a [f64]> for Launch<'a> {
    fn from(from: &'a [f64]) -> Self {
        Self { from, active: None, exits: &[] }
    }
}

/// A descent in an arrangement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Descent<'a> {
    pub(crate) arrangement: &'a Arrangement,
    pub(crate) chart: &'a Chart,
    pub(crate) clearance: f64,
    pub(crate) max_iterations: u32,
}

/// Whether the last steps neither lessened the lack of clearance nor, once free, σ.
fn stalls(progress: &[[f64; 2]]) -> bool {
    let Some(before) = progress.len().checked_sub(WINDOW + 1) else { return false };
    let ([old_lack, old_sigma], [lack, sigma]) = (progress[before], progress[progress.len() - 1]);
    if sigma.is_finite() {
        old_sigma.is_finite() && !(sigma < (1.0 - GAIN) * old_sigma)
    } else {
        !(lack < (1.0 - LACK_GAIN) * old_lack)
    }
}

/// ‖y‖².
pub(crate) fn squared(y: &[f64]) -> f64 {
    y.iter().map(|x| x * x).sum()
}

impl<'a> Descent<'a> {
    pub(crate) fn new(arrangement: &'a Arrangement, chart: &'a Chart, options: &GeneralizedOptions) -> Self {
        let GeneralizedOptions { clearance, max_iterations, .. } = *options;
        Self { arrangement, chart, clearance, max_iterations }
    }

    /// Common ways out of what several links are stuck in at the start of the chart.
    pub(crate) fn common_exits(&self, workspace: &mut Workspace) -> Vec<(usize, Exit)> {
        let origin = vec![0.0; self.chart.dimension()];
        workspace.scan.forget();
        self.chart.place(self.arrangement, &origin, &mut workspace.frames);
        self.arrangement.common_exits(&workspace.frames, &mut workspace.scan)
    }

    /// Whether a point is free as an answer must be.
    pub(crate) fn is_free(&self, y: &[f64], workspace: &mut Workspace) -> bool {
        workspace.scan.forget();
        self.chart.place(self.arrangement, y, &mut workspace.frames);
        !self.arrangement.touches(&workspace.frames, self.free_gap(), &mut workspace.scan)
    }

    /// Whether two bodies overlap at the start of the chart that are where they are to each other at `elsewhere`, a point in
    /// general position, too: nothing takes them apart.
    pub(crate) fn is_hopeless(&self, elsewhere: &[f64], workspace: &mut Workspace) -> bool {
        workspace.scan.forget();
        self.look(&vec![0.0; elsewhere.len()], workspace);
        let Workspace { frames, trial_frames, trial_rows, .. } = workspace;
        self.chart.place(self.arrangement, elsewhere, frames);
        trial_rows.iter().filter(|row| !(row.gap >= self.clearance)).any(|row| {
            let [here, there] = [&*trial_frames, &*frames].map(|frames| {
                let [a, b] = row.bodies.map(|body| &frames.bodies[body as usize]);
                a.inv_mul(b)
            });
            let moved = here.inv_mul(&there);
            moved.translation.vector.norm() <= STILL * self.arrangement.size
                && moved.rotation.angle() <= STILL
        })
    }

    /// How far apart everything is to be [m].
    fn target(&self) -> f64 {
        self.clearance + TOUCH * self.arrangement.size
    }

    /// The least gap that counts as free [m].
    pub(crate) fn free_gap(&self) -> f64 {
        self.clearance + FREE * TOUCH * self.arrangement.size
    }

    /// Descends from a point of the chart.
    pub(crate) fn run(&self, launch: &Launch<'_>, workspace: &mut Workspace) -> Descended {
        let Launch { from, active, exits } = *launch;
        workspace.scan.forget();
        workspace.scan.prescribe(exits);
        let mut y: Vec<f64> =
            from.iter().zip(self.chart.bounds()).map(|(y, b)| y.clamp(b[0], b[1])).collect();
        let mut trial = y.clone();
        let mut nearness = self.look(&y, workspace);
        std::mem::swap(&mut workspace.rows, &mut workspace.trial_rows);
        std::mem::swap(&mut workspace.frames, &mut workspace.trial_frames);
        let mut found =
            Descended { free: None, nearest: y.clone(), lack: nearness.lack, ..Descended::default() };
        self.note(&y, &nearness, &mut found);
        let mut filter = vec![[nearness.lack, squared(&y)]];
        let mut radius = 1.0;
        let mut contradictory = nearness.lack;
        workspace.soft = false;
        let mut progress: Vec<[f64; 2]> = Vec::new();
        for _ in 0..self.max_iterations {
            found.iterations += 1;
            let Some(step) = self.step(&y, radius, active, workspace) else { break };
            let length = squared(&step).sqrt();
            for ((trial, y), (step, bound)) in
                trial.iter_mut().zip(&y).zip(step.iter().zip(self.chart.bounds()))
            {
                *trial = (y + step).clamp(bound[0], bound[1]);
            }
            nearness = self.look(&trial, workspace);
            self.note(&trial, &nearness, &mut found);
            let point = [nearness.lack, squared(&trial)];
            let accepted = filter.iter().all(|old| self.undercuts(&point, old));
            progress.push([found.lack, found.sigma()]);
            if stalls(&progress) {
                break;
            }
            if !accepted {
                radius *= SHRINK;
                if radius < LEAST_RADIUS {
                    break;
                }
                continue;
            }
            filter.retain(|old| !(point[0] <= old[0] && point[1] <= old[1]));
            filter.push(point);
            radius = (radius * GROW).min(1.0);
            // What contradicts itself goes on doing so until much of it is resolved.
            let resolved = nearness.lack < RESOLVED * contradictory;
            if !workspace.soft {
                contradictory = nearness.lack;
            } else if resolved {
                workspace.soft = false;
            }
            std::mem::swap(&mut y, &mut trial);
            std::mem::swap(&mut workspace.rows, &mut workspace.trial_rows);
            std::mem::swap(&mut workspace.frames, &mut workspace.trial_frames);
            let is_free = nearness.least >= self.free_gap();
            if is_free && length <= ARRIVED * squared(&y).sqrt() {
                break;
            }
        }
        found
    }

    /// Whether a point is better than an old one in clearance or in σ.
    fn undercuts(&self, point: &[f64; 2], old: &[f64; 2]) -> bool {
        let enough = (1.0 - FREE) * TOUCH * self.arrangement.size;
        if point[0] <= enough && old[0] <= enough {
            return point[1] < old[1];
        }
        point[0] < (1.0 - FILTER) * old[0] || point[1] < old[1] * (1.0 - FILTER)
    }

    /// Keeps a point that is free and better, or that lacks less.
    fn note(&self, y: &[f64], nearness: &Nearness, found: &mut Descended) {
        if nearness.least >= self.free_gap() && squared(y) < found.sigma() {
            found.free = Some(y.to_vec());
        }
        if nearness.lack < found.lack {
            found.lack = nearness.lack;
            found.nearest = y.to_vec();
        }
    }

    /// Rows and nearness at a point, into the trial's place.
    fn look(&self, y: &[f64], workspace: &mut Workspace) -> Nearness {
        let Workspace { scan, trial_frames, trial_rows, .. } = workspace;
        self.chart.place(self.arrangement, y, trial_frames);
        let convex = ConvexOptions { relative_tolerance: PRECISION, ..ConvexOptions::default() };
        let target = self.target();
        let options = ScanOptions { target, horizon: target + HORIZON * self.arrangement.size, convex };
        self.arrangement.scan(trial_frames, &options, scan, trial_rows)
    }

    /// The change of y to the nearest point to the origin that keeps all rows and limits: within the trust region where it
    /// would leave it, softly where the rows contradict each other there.
    fn step(
        &self,
        y: &[f64],
        radius: f64,
        active: Option<&[bool]>,
        workspace: &mut Workspace,
    ) -> Option<Vec<f64>> {
        self.linearise(y, active, workspace);
        let Workspace { frames, problem, solver, derivative, boxed, soft, .. } = workspace;
        boxed.clear();
        boxed.extend_from_slice(self.chart.bounds());
        let shift = radius * MOST_SHIFT * self.arrangement.size;
        let turn = radius * MOST_TURN;
        let change =
            |nearest: Vec<f64>| -> Vec<f64> { nearest.iter().zip(y).map(|(to, from)| to - from).collect() };
        let hardness = |_: usize| HARD;
        if !*soft
            && let Some(step) =
                (InBox { boxed: boxed.as_slice(), hardness }).nearest(problem, solver, 0.0).map(change)
            && self.chart.share_within(frames, &step, turn, shift) >= 1.0
        {
            return Some(step);
        }
        self.chart.reach(frames, turn, shift, derivative);
        for ((bound, reach), y) in boxed.iter_mut().zip(derivative.iter()).zip(y) {
            *bound = [bound[0].max(y - reach), bound[1].min(y + reach)];
        }
        let hardness = |at: usize| HARD_REACH * self.arrangement.size / derivative[at];
        let in_box = InBox { boxed: boxed.as_slice(), hardness };
        let hard = if *soft { None } else { in_box.nearest(problem, solver, 0.0) };
        *soft = hard.is_none();
        hard.or_else(|| in_box.nearest(problem, solver, SOFT)).map(change)
    }

    /// The rows of the least-change problem at a point.
    fn linearise(&self, y: &[f64], active: Option<&[bool]>, workspace: &mut Workspace) {
        let Workspace { frames, rows, problem, derivative, .. } = workspace;
        if problem.columns() != y.len() {
            *problem = Rows::new(y.len());
        }
        problem.clear();
        let wanted = self.target();
        for row in rows.iter() {
            derivative.clear();
            derivative.resize(y.len(), 0.0);
            self.chart.differentiate(self.arrangement, frames, row, derivative);
            if let Some(active) = active {
                derivative.iter_mut().zip(active).filter(|(_, active)| !**active).for_each(|(d, _)| *d = 0.0);
            }
            if derivative.iter().any(|x| x.abs() > 0.0) {
                let here: f64 = derivative.iter().zip(y).map(|(d, y)| d * y).sum();
                problem.push(derivative, wanted - row.gap + here);
            }
        }
    }
}

/// Bounds of the variables of a least-change problem, and how hard each is among soft rows.
struct InBox<'a, H: Fn(usize) -> f64> {
    boxed: &'a [[f64; 2]],
    hardness: H,
}

impl<H: Fn(usize) -> f64> InBox<'_, H> {
    /// The nearest point to the origin that keeps the rows and the bounds. Few bounds matter, so that they become rows only
    /// when an answer breaks them.
    fn nearest(&self, problem: &mut Rows, solver: &mut LeastChange, soft: f64) -> Option<Vec<f64>> {
        let dimension = self.boxed.len();
        let target = vec![0.0; dimension];
        let mut pushed = vec![[false; 2]; dimension];
        loop {
            let mut point = solver.nearest(problem, &target, soft).ok()?.to_vec();
            let mut is_kept = true;
            for (at, &[lower, upper]) in self.boxed.iter().enumerate() {
                let slack = BOUND_ROUNDING * (1.0 + point[at].abs());
                for (side, beyond) in [lower - point[at], point[at] - upper].into_iter().enumerate() {
                    if beyond > slack * (upper - lower).min(1.0) && !pushed[at][side] {
                        pushed[at][side] = true;
                        is_kept = false;
                        let (sign, bound) = if side == 0 { (1.0, lower) } else { (-1.0, -upper) };
                        let hardness = (self.hardness)(at);
                        let mut row = vec![0.0; dimension];
                        row[at] = sign * hardness;
                        problem.push(&row, bound * hardness);
                    }
                }
            }
            if is_kept {
                for (y, [lower, upper]) in point.iter_mut().zip(self.boxed) {
                    *y = y.clamp(*lower, *upper);
                }
                return Some(point);
            }
        }
    }
}
