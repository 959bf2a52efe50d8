//! Constraints in the chart: their linearisation, and the projection of points onto the closures.
//!
//! With the first frame A and the second one B of a closure, aₖ the axes of A, xᵇ the x axis of B, and q = (w, v) the rotation from A
//! to B:
//!
//! | locked | residual | rate |
//! |---|---|---|
//! | translation along aₖ | aₖ·(p_B − p_A) | aₖ·(v_B − v_A), both at p_B |
//! | all rotations but about x | aₖ·xᵇ of k = y, z | (xᵇ × aₖ)·(ω_B − ω_A) |
//! | all rotations | 2 v | A (w eₖ + v × eₖ)·(ω_B − ω_A) |
//!
//! The projection is Gauss–Newton's method: each step is the smallest one in the object norm that closes the linearised loops. Variables
//! that would leave their bounds stay on them.

use nalgebra::{Isometry3, Point3, Vector3};

use super::balance::{Balance, SupportEdge};
use super::chart::LocalChart;
use super::collision_world::CollisionWorld;
use super::constraint::{AxisMotion, Lock, ResolvedConstraint, RotationLock};
use super::constraint_frame::{ConstraintEnd, ConstraintFrame};
use super::equality::{Equations, Subspace};
use super::pairs::GapSummary;
use super::work::PRODUCTS;
use super::workspace::{ConstraintMemory, Frames, Workspace};

/// Maximum number of steps of a projection. From a step of a descent three suffice; a projection from afar takes tens.
const MAX_STEPS: usize = 60;
/// Maximum rotation [rad] of a step, and translation as a fraction of the size.
const MAX_ROTATION: f64 = 0.5;
const MAX_SHIFT: f64 = 1.0;
/// Residual, relative to the size and the distance from the origin, at which the method is at the rounding of the kinematics.
const CLOSED: f64 = 1e-14;
/// Residual, as before, that counts as closed where no step reduces it any more: a hundredth of what a result may have.
const NEARLY_CLOSED: f64 = 1e-11;

/// An inequality between carriers.
struct Inequality {
    /// The gap [m], which must not be negative.
    gap: f64,
    /// Force and moment about the origin on each carrier, whose power is the rate of the gap.
    wrenches: Vec<(ConstraintEnd, [Vector3<f64>; 2])>,
}

impl Inequality {
    /// One whose gap changes with the motion of the second carrier against the first, by the power of a wrench.
    fn between(gap: f64, [first, second]: [ConstraintEnd; 2], wrench: [Vector3<f64>; 2]) -> Self {
        Self { gap, wrenches: vec![(second, wrench), (first, wrench.map(|part| -part))] }
    }
}

impl LocalChart {
    /// Moves a point onto all closures, by the smallest steps in the object norm. Returns whether it lies on them; without constraints
    /// it does.
    pub(super) fn retract(
        &self,
        collision_world: &CollisionWorld,
        y: &mut [f64],
        workspace: &mut Workspace,
    ) -> bool {
        if self.constraints().is_empty() {
            return true;
        }
        let size = collision_world.size;
        let ConstraintMemory { frames, equations, step, .. } = &mut workspace.constraints;
        let mut on_bound = vec![false; y.len()];
        let mut last = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            self.place(collision_world, y, frames);
            let reach = self.equate(collision_world, frames, equations);
            let residual = equations.right().iter().fold(0.0, |max: f64, r| max.max(r.abs()));
            let scale = size + reach;
            // Near the solution the residual squares with each step: one that no longer halves it has met rounding.
            if residual <= CLOSED * scale || (residual <= NEARLY_CLOSED * scale && residual > 0.5 * last) {
                return true;
            }
            last = residual;
            equations.freeze(|at| on_bound[at]);
            step.solve(equations);
            workspace.scan.work += 1 + equations.work() / PRODUCTS;
            if step.is_whole() || !step.nearest().iter().all(|x| x.is_finite()) {
                return false;
            }
            let fraction = self.max_step_fraction(frames, step.nearest(), MAX_ROTATION, MAX_SHIFT * size);
            for (at, (y, bound)) in y.iter_mut().zip(self.bounds()).enumerate() {
                let to = *y + fraction * step.nearest()[at];
                *y = to.clamp(bound[0], bound[1]);
                on_bound[at] |= (to - *y).abs() > 0.0;
            }
        }
        false
    }

    /// The equations that a change of y satisfies on the linearised closures, at a point on them with these frames, restricted to
    /// `active` variables.
    pub(super) fn linearise_closures(
        &self,
        collision_world: &CollisionWorld,
        (frames, y): (&Frames, &[f64]),
        active: Option<&[bool]>,
        (memory, subspace): (&mut ConstraintMemory, &mut Subspace),
    ) {
        subspace.clear();
        if self.constraints().is_empty() {
            return;
        }
        self.equate(collision_world, frames, &mut memory.equations);
        if let Some(active) = active {
            memory.equations.freeze(|at| !active[at]);
        }
        subspace.solve(&memory.equations);
        subspace.about(y);
    }

    /// Rows a·Δy = −residual of all closures [m; rotations times the size]; returns the distance of the farthest frame from the
    /// origin [m].
    fn equate(&self, collision_world: &CollisionWorld, frames: &Frames, equations: &mut Equations) -> f64 {
        equations.clear(self.dimension());
        let mut reach: f64 = 0.0;
        for constraint in self.constraints() {
            let ResolvedConstraint::Closure { frames: ends, lock } = constraint else { continue };
            let [a, b] = ends.each_ref().map(|end| self.pose_of(frames, end.end) * end.frame);
            reach = reach.max(a.translation.vector.norm()).max(b.translation.vector.norm());
            equations.begin();
            let mut add = |residual: f64, force: &Vector3<f64>, moment: &Vector3<f64>| {
                let row = equations.row(-residual);
                for (end, sign) in [(ends[1].end, 1.0), (ends[0].end, -1.0)] {
                    self.add_wrench(collision_world, frames, end, [force * sign, moment * sign], row);
                }
            };
            close(lock, [&a, &b], collision_world.size, &mut add);
        }
        reach
    }

    /// The residuals of all closures, and their gradients.
    #[cfg(test)]
    pub(super) fn residuals(
        &self,
        collision_world: &CollisionWorld,
        frames: &Frames,
    ) -> (Vec<f64>, Vec<Vec<f64>>) {
        let mut equations = Equations::default();
        self.equate(collision_world, frames, &mut equations);
        let gradients = (0..equations.right().len()).map(|row| equations.coefficients(row).to_vec());
        (equations.right().iter().map(|right| -right).collect(), gradients.collect())
    }

    /// Visits each inequality with its gap [m], which must not be negative, and the gradient of the gap by y.
    pub(super) fn visit_inequalities(
        &self,
        collision_world: &CollisionWorld,
        frames: &Frames,
        memory: &mut ConstraintMemory,
        mut visit: impl FnMut(f64, &[f64]),
    ) {
        for constraint in self.constraints() {
            for Inequality { gap, wrenches } in self.inequalities(frames, constraint, collision_world.size) {
                memory.gradient.clear();
                memory.gradient.resize(self.dimension(), 0.0);
                for (end, wrench) in wrenches {
                    self.add_wrench(collision_world, frames, end, wrench, &mut memory.gradient);
                }
                visit(gap, &memory.gradient);
            }
        }
    }

    /// Adds the gaps of the inequalities to those of a scan, with which they share the target [m] beyond the clearance.
    pub(super) fn add_gaps(
        &self,
        frames: &Frames,
        size: f64,
        [clearance, target]: [f64; 2],
        gaps: &mut GapSummary,
    ) {
        for constraint in self.constraints() {
            for Inequality { gap, .. } in self.inequalities(frames, constraint, size) {
                gaps.violation += (target - gap - clearance).max(0.0);
                gaps.min = gaps.min.min(gap + clearance);
            }
        }
    }

    /// The inequalities of a constraint.
    fn inequalities(&self, frames: &Frames, constraint: &ResolvedConstraint, size: f64) -> Vec<Inequality> {
        let poses = |both: &[ConstraintFrame; 2]| {
            both.each_ref().map(|end| self.pose_of(frames, end.end) * end.frame)
        };
        let ends = |both: &[ConstraintFrame; 2]| both.each_ref().map(|end| end.end);
        match constraint {
            ResolvedConstraint::Closure { .. } => Vec::new(),
            ResolvedConstraint::Balance(balance) => self.of_balance(frames, balance),
            ResolvedConstraint::MaxDistance { points, max } => {
                let [a, b] = poses(points).map(|pose| pose.translation.vector);
                let between = b - a;
                // Any direction will do for points that coincide: they are far from the end of the rope.
                let toward = -between.try_normalize(0.0).unwrap_or_else(Vector3::x);
                // Along their line both points may be taken for the second one.
                let wrench = [toward, b.cross(&toward)];
                vec![Inequality::between(max - between.norm(), ends(points), wrench)]
            }
            ResolvedConstraint::Range { frames: both, motion, limits: [lower, upper] } => {
                let [a, b] = poses(both);
                let x = a.rotation * Vector3::x();
                let (value, scale, wrench) = match motion {
                    AxisMotion::Translation => {
                        let at = b.translation.vector;
                        (x.dot(&(at - a.translation.vector)), 1.0, [x, at.cross(&x)])
                    }
                    AxisMotion::Rotation => {
                        let y = a.rotation.inverse() * (b.rotation * Vector3::y());
                        (y.z.atan2(y.y), size, [Vector3::zeros(), x * size])
                    }
                };
                let above = Inequality::between(scale * (value - lower), ends(both), wrench);
                let opposite = wrench.map(|part| -part);
                let below = Inequality::between(scale * (upper - value), ends(both), opposite);
                [above, below].into_iter().filter(|own| own.gap.is_finite()).collect()
            }
        }
    }

    /// An inequality for each edge of the support polygon.
    fn of_balance(&self, frames: &Frames, balance: &Balance) -> Vec<Inequality> {
        let pose_of = |end: ConstraintEnd| self.pose_of(frames, end);
        let at = |end, point: &Point3<f64>, force: Vector3<f64>| (end, [force, point.coords.cross(&force)]);
        let edges = balance.edges(&pose_of).into_iter().map(|SupportEdge { gap, normal, ends }| {
            let masses = balance.masses(&pose_of);
            let mut wrenches: Vec<_> =
                masses.map(|(end, center, fraction)| at(end, &center, normal * fraction)).collect();
            wrenches.extend(ends.map(|(end, point, weight)| at(end, &point, normal * -weight)));
            Inequality { gap, wrenches }
        });
        edges.collect()
    }

    fn pose_of(&self, frames: &Frames, end: ConstraintEnd) -> Isometry3<f64> {
        match end {
            ConstraintEnd::World => Isometry3::identity(),
            ConstraintEnd::Link { movable, link } => frames.all_links[self.first_link(movable) + link],
        }
    }
}

/// Receives a residual, a force, and a moment about the origin.
type Add<'a> = dyn FnMut(f64, &Vector3<f64>, &Vector3<f64>) + 'a;

/// Adds the residual and the wrench (force, and moment about the origin) of each locked direction.
fn close(lock: &Lock, [a, b]: [&Isometry3<f64>; 2], size: f64, add: &mut Add<'_>) {
    let axis = |k: usize| a.rotation * Vector3::ith(k, 1.0);
    let between = b.translation.vector - a.translation.vector;
    for k in (0..3).filter(|&k| lock.translation[k]) {
        let along = axis(k);
        add(along.dot(&between), &along, &b.translation.vector.cross(&along));
    }
    match lock.rotation {
        RotationLock::Free => {}
        RotationLock::Axis => {
            let x = b.rotation * Vector3::x();
            for k in [1, 2] {
                let across = axis(k);
                add(size * across.dot(&x), &Vector3::zeros(), &(x.cross(&across) * size));
            }
        }
        RotationLock::Full => {
            let q = a.rotation.inverse() * b.rotation;
            // q and −q are the same rotation; the one with w ≥ 0 is the short one.
            let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
            let (w, v) = (sign * q.w, q.imag() * sign);
            for k in 0..3 {
                let unit = Vector3::ith(k, 1.0);
                let moment = a.rotation * (unit * w + v.cross(&unit));
                add(size * 2.0 * v[k], &Vector3::zeros(), &(moment * size));
            }
        }
    }
}
