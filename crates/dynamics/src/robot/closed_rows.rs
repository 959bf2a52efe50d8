//! Closed loops in the motion of a tree: rows J of its velocities, with those of its couplings, that depend on where it is.
//!
//! Forces Jᵀλ do no work where the velocities of the displacement hold the rows of the middle of the step, J(q̄) v̄ = 0. In the iteration for
//! the free motion each correction f = −N⁻¹ r becomes f = −N⁻¹ (r − Jᵀλ), with the rows of the present iterate and the λ after which
//! J (v + θh (a + f)) = 0. What the rows of one configuration leave of the gaps, of third order in the step, is closed by Newton's method at
//! its end, and velocities that open loops there end in the projection onto those that do not, nearest in kinetic energy.

use nalgebra::{DMatrix, DVector, Isometry3};

use super::carried::carried_velocities;
use super::coupling::Coupling;
use super::limited::{Limited, PASSED};
use super::loops::TreeLoop;
use crate::algebra::pivoted_cholesky::PivotedCholesky;
use crate::algebra::{add, dot};
use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::{Factor, Multibody, Placement, SpatialVector, UnitForce};

/// Response of a row that those before it leave, over the largest one of its group, below which it is redundant.
const SPANNED: f64 = 1e-10;
/// Softness of the rows, over the same. At a dead centre it bounds the forces, which damp then what the rows cannot hold.
const SOFT: f64 = 1e-12;
/// Maximum number of steps of Newton's method for the gaps. From a thousandth of the size it takes two or three.
const MAX_CLOSINGS: usize = 8;
/// Gap over the arms of its links, or \[rad\], at which a loop is closed.
const CLOSED: f64 = 1e-11;

/// Maximum number of times that joints are held within their limits.
const MAX_HELD: usize = 4;
/// Inertia of a joint that is held, over its own.
const HELD: f64 = 1e9;

/// Tree whose couplings and loops are rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed<'a> {
    pub(crate) multibody: &'a Multibody,
    pub(crate) base: &'a Isometry3<f64>,
    pub(crate) couplings: &'a [Coupling],
    pub(crate) loops: &'a [TreeLoop],
    /// Joints with limits.
    pub(crate) limited: &'a [Limited],
}

/// Rows of couplings, then of loops, where a tree is placed.
#[derive(Debug, Default)]
pub(crate) struct ClosedRows {
    /// Jᵀ and N⁻¹ Jᵀ, by row.
    rows: Vec<Vec<f64>>,
    spread: Vec<Vec<f64>>,
    /// Number of the group that each row belongs to: rows that are compared with each other.
    groups: Vec<usize>,
    /// Gap of each row [m or rad].
    gaps: Vec<f64>,
    /// Forces that hold them; zero in redundant rows.
    pub(crate) forces: Vec<f64>,
}

impl ClosedRows {
    /// Determines the rows and their response.
    pub(crate) fn update(
        &mut self,
        of: &Closed<'_>,
        placement: &Placement,
        (factor, buffer): (&Factor, &mut SolveBuffer),
    ) {
        self.place(of, placement);
        self.spread.resize(self.rows.len(), Vec::new());
        for (row, spread) in self.rows.iter().zip(&mut self.spread) {
            spread.resize(row.len(), 0.0);
            factor.solve(of.multibody, placement, (row, &[]), buffer, spread);
        }
    }

    /// Determines the rows.
    fn place(&mut self, of: &Closed<'_>, placement: &Placement) {
        let freedoms = of.multibody.freedoms();
        self.groups.clear();
        self.gaps.clear();
        self.rows.clear();
        for coupling in of.couplings {
            let mut row = vec![0.0; freedoms];
            let [follower, leader] = coupling.v;
            row[follower] += 1.0;
            row[leader] -= coupling.factor;
            self.groups.push(self.rows.len());
            self.gaps.push(0.0);
            self.rows.push(row);
        }
        let mut wrenches = vec![SpatialVector::ZERO; of.multibody.links().len()];
        for closed in of.loops {
            let first = self.rows.len();
            for (index, (gap, sides)) in closed.rows(of.base, placement.poses()).enumerate() {
                wrenches.fill(SpatialVector::ZERO);
                for (link, [angular, linear]) in sides {
                    if let Some(link) = link {
                        wrenches[link] += SpatialVector::new(angular, linear);
                    }
                }
                let mut row = vec![0.0; freedoms];
                of.multibody.transmit(placement, &mut wrenches, &mut row);
                // Translations, then rotations.
                self.groups.push(first + index / 3);
                self.gaps.push(gap);
                self.rows.push(row);
            }
        }
    }

    /// Largest response of the group of each row.
    fn scales(&self) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.rows.len()];
        for ((row, spread), &group) in self.rows.iter().zip(&self.spread).zip(&self.groups) {
            largest[group] = largest[group].max(dot(row, spread));
        }
        self.groups.iter().map(|&group| largest[group]).collect()
    }

    /// Factor of the response of the rows, without redundant ones.
    fn factor(&self) -> PivotedCholesky {
        let count = self.rows.len();
        let matrix = DMatrix::from_fn(count, count, |row, other| dot(&self.rows[row], &self.spread[other]));
        PivotedCholesky::new(matrix, &self.scales(), SPANNED)
    }

    /// Changes a correction f of accelerations a, and the residual that it answers, so that the velocities of the displacement hold the rows `kept`;
    /// `false` where no forces do.
    pub(crate) fn hold(
        &mut self,
        kept: &[usize],
        (v, instants, h): (&[f64], &[f64], f64),
        (rates, correction, residual): (&[f64], &mut [f64], &mut [f64]),
    ) -> bool {
        let scales = self.scales();
        let late = |spread: &[f64]| spread.iter().zip(instants).map(|(x, instant)| x * instant).collect();
        let spread: Vec<Vec<f64>> = kept.iter().map(|&row| late(&self.spread[row])).collect();
        let matrix = DMatrix::from_fn(kept.len(), kept.len(), |row, other| {
            let soft = if row == other { SOFT * scales[kept[row]] } else { 0.0 };
            dot(&self.rows[kept[row]], &spread[other]) + soft
        });
        let mean = v.iter().zip(instants).zip(rates.iter().zip(&*correction));
        let mean: Vec<f64> = mean.map(|((v, instant), (a, f))| v / h + instant * (a + f)).collect();
        let missing = kept.iter().map(|&row| -dot(&self.rows[row], &mean));
        let missing = DVector::from_iterator(kept.len(), missing);
        self.forces.clear();
        self.forces.resize(self.rows.len(), 0.0);
        let Some(forces) = matrix.lu().solve(&missing) else { return false };
        for (&row, &force) in kept.iter().zip(forces.iter()) {
            self.forces[row] = force;
            add(correction, force, &self.spread[row]);
            add(residual, -force, &self.rows[row]);
        }
        true
    }

    /// Largest gap, of translations over the arms of the links.
    fn opening(&self, of: &Closed<'_>, placement: &Placement) -> f64 {
        let mut first = of.couplings.len();
        let mut largest = 0.0_f64;
        for closed in of.loops {
            let arm = closed.arm(of.base, placement.poses());
            for (index, gap) in self.gaps[first..first + closed.count()].iter().enumerate() {
                let size = if index < 3 { arm } else { 1.0 };
                largest = largest.max(if size > 0.0 { gap.abs() / size } else { 0.0 });
            }
            first += closed.count();
        }
        largest
    }
}

/// Loops of a tree where it is at the end of a motion.
#[derive(Debug, Default)]
pub(crate) struct Closing {
    rows: ClosedRows,
    pub(crate) placement: Placement,
    pub(crate) factor: Factor,
    pub(crate) buffer: SolveBuffer,
}

impl Closing {
    /// Moves coordinates until the loops are closed, with `added` moments of inertia of the velocities; returns the rows that are not redundant there.
    /// Joints that this led beyond their limits stay where they were, if the loops can be closed without them. Where the gaps do not shrink, as at a
    /// dead centre, they are left.
    pub(crate) fn close(&mut self, of: &Closed<'_>, added: &[f64], q: &mut Vec<f64>) -> Vec<usize> {
        let start = q.clone();
        let mut opening = self.approach(of, added, q);
        let (mut held, mut holds) = (added.to_vec(), false);
        for _ in 0..MAX_HELD {
            let passes = |limited: &&Limited| {
                let [before, after] = [&start, &*q].map(|q| limited.distance_beyond(q[limited.q]));
                after > PASSED + before && held[limited.v] <= added[limited.v]
            };
            let passed: Vec<usize> = of.limited.iter().filter(passes).map(|limited| limited.v).collect();
            if passed.is_empty() {
                break;
            }
            passed.into_iter().for_each(|v| held[v] += HELD * self.inertia(of, v));
            holds = true;
            let mut other = start.clone();
            let left = self.approach(of, &held, &mut other);
            if left > CLOSED.max(opening) {
                break;
            }
            (*q, opening) = (other, left);
        }
        if holds {
            self.approach(of, added, q);
        }
        self.rows.factor().order
    }

    /// Inertia that a force within a joint accelerates [kg·m² or kg].
    fn inertia(&self, of: &Closed<'_>, v: usize) -> f64 {
        let mut z = vec![0.0; of.multibody.freedoms()];
        self.factor.coordinates((of.multibody, &self.placement), &UnitForce::Joint(v), &mut z);
        dot(&z, &z).recip()
    }

    /// Closes loops with Newton's method, by the smallest motion in the norm of the mass matrix with `added`; returns the gap that is left.
    fn approach(&mut self, of: &Closed<'_>, added: &[f64], q: &mut Vec<f64>) -> f64 {
        let mut last = f64::INFINITY;
        let mut before = q.clone();
        for closings in 0..=MAX_CLOSINGS {
            let Self { rows, placement, factor, buffer } = self;
            of.multibody.place(of.base, q, placement);
            factor.update(of.multibody, placement, added);
            rows.update(of, placement, (factor, buffer));
            let opening = rows.opening(of, placement);
            // Negated, so that NaN counts as one that does not shrink.
            if !(opening < last) {
                q.clone_from(&before);
                of.multibody.place(of.base, q, placement);
                factor.update(of.multibody, placement, added);
                rows.update(of, placement, (factor, buffer));
                return last;
            }
            if opening <= CLOSED || closings == MAX_CLOSINGS {
                return opening;
            }
            last = opening;
            before.clone_from(q);
            let forces = rows.factor().solve(&rows.gaps.iter().map(|gap| -gap).collect::<Vec<_>>());
            let mut moved = vec![0.0; of.multibody.freedoms()];
            rows.spread.iter().zip(forces).for_each(|(spread, force)| add(&mut moved, force, spread));
            of.multibody.advance(q, &moved, 1.0);
        }
        last
    }

    /// Makes coordinates those of closed loops, and velocities `v` at a placement those with which the links keep their momenta, as far as the joints and
    /// the loops let them: a projection. Returns the rows that are not redundant there.
    pub(crate) fn close_moving(
        &mut self,
        of: &Closed<'_>,
        from: &Placement,
        [q, v]: [&mut Vec<f64>; 2],
    ) -> Vec<usize> {
        let kept = self.close(of, &vec![0.0; v.len()], q);
        let Self { rows, placement, factor, buffer } = self;
        *v = carried_velocities(of.multibody, (from, v), placement, (factor, buffer));
        rows.update(of, placement, (factor, buffer));
        let missing: Vec<f64> = rows.rows.iter().map(|row| -dot(row, v)).collect();
        let impulses = rows.factor().solve(&missing);
        rows.spread.iter().zip(impulses).for_each(|(spread, impulse)| add(v, impulse, spread));
        kept
    }
}

#[cfg(test)]
mod tests {
    use extricate_core::kinematics::ClosureKind;
    use extricate_core::multibody::{JointModel, LinkModel};
    use nalgebra::{Matrix3, Vector3};

    use super::*;

    /// A chain of three hinges in a plane, its last link light, whose end is 36 mm from where it belongs.
    #[test]
    fn joints_at_their_limits_stay_there_where_a_loop_can_be_closed_by_others() {
        let mut multibody = Multibody::new();
        for (at, mass) in [1.0, 1.0, 1e-3].into_iter().enumerate() {
            multibody.add(LinkModel {
                parent: at.checked_sub(1),
                origin: Isometry3::translation(if at == 0 { 0.0 } else { 0.5 }, 0.0, 0.0),
                joint: JointModel::Revolute { axis: Vector3::z() },
                mass,
                center: Vector3::x() * 0.25,
                inertia: Matrix3::identity() * (0.02 * mass),
                armature: 0.0,
            });
        }
        let start = vec![0.5, 0.8, 0.3];
        let (base, mut placement) = (Isometry3::identity(), Placement::default());
        multibody.place(&base, &start, &mut placement);
        let end = Isometry3::translation(0.5, 0.0, 0.0);
        let there = Isometry3::translation(0.03, 0.02, 0.0) * placement.poses()[2] * end;
        let links = [None, Some(2)];
        let loops = [TreeLoop { links, frames: [there, end], kind: ClosureKind::Point, closure: 0 }];
        let close = |limited: &[Limited]| {
            let (multibody, base) = (&multibody, &base);
            let of = Closed { multibody, base, couplings: &[], loops: &loops, limited };
            let (mut closing, mut q) = (Closing::default(), start.clone());
            let kept = closing.close(&of, &[0.0; 3], &mut q);
            assert_eq!(kept.len(), 2, "{kept:?}");
            (q[2] - start[2], closing.rows.opening(&of, &closing.placement))
        };
        let (moved, opening) = close(&[]);
        assert!(moved.abs() > 0.05 && opening < CLOSED, "{moved} {opening}");
        // Now it is at the limit in the direction in which it moved.
        let limits = if moved > 0.0 { [-10.0, start[2]] } else { [start[2], 10.0] };
        let (held, opening) = close(&[Limited { q: 2, v: 2, limits }]);
        assert!(held.abs() < 1e-6 && opening < CLOSED, "{held} {opening}");
        // Where all are at limits, the loop is closed all the same.
        let all = [0, 1, 2].map(|at| Limited { q: at, v: at, limits: [start[at], start[at]] });
        let (bent, opening) = close(&all);
        assert!(bent.abs() > 0.01 && opening < CLOSED, "{bent} {opening}");
    }
}
