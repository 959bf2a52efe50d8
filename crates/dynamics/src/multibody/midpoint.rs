//! Accelerations of a tree over a step by the implicit midpoint rule, and the Newton iteration that solves it.
//!
//! r(a) = c(q̄, v̄, a) + D a − τ = 0 with v̄ = v + h/2 a and q̄ = q ⊕ h/2 v̄, where c are the forces that the motion needs (Newton–Euler).
//! A step is a ← a − N⁻¹ r with the factor of N = H + D + h²/4 K of one configuration. K is the geometric stiffness of the links that
//! their loads pull, K = (P·r̂) |r| (1 − r̂ r̂ᵀ) for a load P at r: a chain in tension is a string, whose waves would let
//! the iteration diverge where they move by more than two radians in a step. What N omits, the gyroscopic terms, is left to Anderson's
//! acceleration [Walker & Ni 2011] in the norm of N, in which the squared residual −f·r of a correction f = −N⁻¹ r is an energy.
//!
//! Links that rotate fast have the changes of their momenta instead of their accelerations in c: their momenta are then those of the forces,
//! whatever the rotation within the step.

use nalgebra::{Isometry3, Matrix3, Vector3};

use extricate_core::multibody::factor::SolveBuffer;
use extricate_core::multibody::inverse::Recursion;
use extricate_core::multibody::{Factor, Multibody, Placement, SpatialVector};

use super::acceleration::History;
use super::coupled::CoupledRows;
use crate::algebra::{add, dot};
use crate::robot::closed_rows::{Closed, ClosedRows};
use crate::robot::coupling::Coupling;
use crate::robot::lift::{Lift, lift};
use crate::robot::loops::TreeLoop;

/// Maximum number of iterations of a step, or of a piece of one. More are spent better on shorter pieces.
const MAX_ITERATIONS: usize = 20;
/// Error of the velocities, as the root of its energy over that of the motion, at which the iteration has converged. Larger, and the energy
/// of chains and fast tops drifts.
const CONVERGED: f64 = 1e-8;
/// Growth of the residual's energy over the first one at which the iteration is given up.
const DIVERGED: f64 = 1e4;
/// Ratio of the energies of two corrections below which the next is expected to be as much smaller again: above it, one more evaluation.
const STEADILY: f64 = 1e-3;
/// Rotation of a link in a step \[rad\] above which its momentum is integrated: the midpoint rule alone has an error of a twelfth of its square.
const FAST: f64 = 0.02;

/// Acceleration of the fall and duration of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) gravity: Vector3<f64>,
    /// Length \[s\].
    pub(super) h: f64,
}

/// The tree and the forces on it.
pub(super) struct Forces<'a> {
    pub(super) multibody: &'a Multibody,
    pub(super) base: Isometry3<f64>,
    /// Forces on the joints at a = 0.
    pub(super) joint: &'a [f64],
    /// D: what they lose with a.
    pub(super) added: &'a [f64],
    /// Joints that follow others, and the instants θ of the step at which forces within the joints are taken.
    pub(super) couplings: &'a [Coupling],
    pub(super) instants: &'a [f64],
    /// Loops that are closed, and the rows of couplings and loops that are not redundant.
    pub(super) loops: &'a [TreeLoop],
    pub(super) kept: &'a [usize],
    /// Forces on the links: at their centres of mass, world axes; none where the slice is empty.
    pub(super) loads: &'a [SpatialVector],
    /// Forces that bear the weight of links.
    pub(super) lifts: &'a [Lift],
    /// The tree at the start, where it is known.
    pub(super) start: Option<&'a Placement>,
}

/// Momenta of the links, where they are integrated.
struct Momenta {
    /// At the start: angular about the centres of mass.
    start: Vec<SpatialVector>,
    end: Placement,
    motions: Vec<SpatialVector>,
}

/// The rule for a step, with the present iterate.
#[derive(Default)]
pub(super) struct Midpoint {
    /// a.
    pub(super) rates: Vec<f64>,
    pub(super) placement: Placement,
    pub(super) factor: Factor,
    pub(super) buffer: SolveBuffer,
    middle: Vec<f64>,
    q: Vec<f64>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    recursion: Recursion,
    wrenches: Vec<SpatialVector>,
    moments: Vec<Matrix3<f64>>,
    momenta: Option<Momenta>,
    coupled: CoupledRows,
    closed: ClosedRows,
    history: History,
}

impl Midpoint {
    /// Solves for the accelerations from a state; `false` where the iteration does not converge.
    pub(super) fn solve(&mut self, forces: &Forces<'_>, [q, v]: [&[f64]; 2], step: &Step) -> bool {
        let is_guessed = self.start(forces, [q, v], step);
        let (mut first, mut motion, mut last) = (0.0, 0.0, 0.0);
        for iteration in 0..MAX_ITERATIONS {
            self.evaluate(forces, [q, v], step);
            if iteration == 0 {
                motion = 2.0
                    * forces.multibody.kinetic_energy(&self.placement, &self.recursion.motions, &self.middle);
                if !(is_guessed && self.factorise_stiffened(forces, step.h)) {
                    self.factor.update(forces.multibody, &self.placement, forces.added);
                }
                self.couple(forces);
            } else if iteration == 1 && !is_guessed && self.factorise_stiffened(forces, step.h) {
                self.couple(forces);
                self.history.clear();
            }
            if !self.correct(forces, v, step.h) {
                return false;
            }
            let error = -step.h * step.h * dot(&self.correction, &self.residual);
            if iteration == 0 {
                first = if is_guessed { fall(forces.multibody, step) } else { error };
            }
            let scale = f64::max(motion, first);
            // Negative where nothing but rounding is left, or of an iterate that is out of all bounds.
            let size = error.abs();
            // What the correction leaves, where it shrinks as the last one did [Hairer & Wanner 1996, IV.8].
            let left = if is_guessed && size < STEADILY * last { size * (size / last) } else { size };
            last = size;
            if left <= CONVERGED * CONVERGED * scale {
                add(&mut self.rates, 1.0, &self.correction);
                return true;
            }
            if !(size <= DIVERGED * scale) {
                return false;
            }
            self.history.step(&mut self.rates, &self.correction, &self.residual);
        }
        false
    }

    /// Determines the response to the forces of couplings, after the factor. Where loops are closed, it is that of each iterate.
    pub(super) fn couple(&mut self, forces: &Forces<'_>) {
        if !forces.loops.is_empty() {
            return;
        }
        let Self { factor, placement, buffer, coupled, .. } = self;
        coupled.update((forces.couplings, self.rates.len()), |joint, x| {
            factor.solve(forces.multibody, placement, (joint, &[]), buffer, x);
        });
    }

    /// Determines the correction that answers the residual, which has the forces of couplings and loops then; `false` where none close these.
    fn correct(&mut self, forces: &Forces<'_>, v: &[f64], h: f64) -> bool {
        let Self { factor, placement, buffer, correction, residual, .. } = self;
        let rest: Vec<f64> = residual.iter().map(|r| -r).collect();
        factor.solve(forces.multibody, placement, (&rest, &[]), buffer, correction);
        self.answer(forces, v, h)
    }

    /// Makes the accelerations those that couplings and loops allow.
    pub(super) fn hold(&mut self, forces: &Forces<'_>, v: &[f64], h: f64) {
        self.correction.iter_mut().for_each(|correction| *correction = 0.0);
        self.answer(forces, v, h);
        add(&mut self.rates, 1.0, &self.correction);
    }

    /// Adds to the correction what couplings and loops ask for; `false` where no forces close these.
    fn answer(&mut self, forces: &Forces<'_>, v: &[f64], h: f64) -> bool {
        let Self { factor, placement, buffer, correction, residual, coupled, closed, rates, .. } = self;
        let held = (&rates[..], &mut correction[..], &mut residual[..]);
        let Forces { multibody, base, couplings, instants, loops, kept, .. } = *forces;
        if loops.is_empty() {
            coupled.hold(couplings, (v, instants, h), held);
            return true;
        }
        let of = Closed { multibody, base: &base, couplings, loops, limited: &[] };
        closed.update(&of, placement, (factor, buffer));
        closed.hold(kept, (v, instants, h), held)
    }

    /// Largest angular velocity of a link in the middle of the motion [rad/s].
    pub(super) fn fastest(&self) -> f64 {
        self.recursion.motions.iter().map(|motion| motion.angular.norm()).fold(0.0, f64::max)
    }

    /// Forces of the rows of couplings and loops, where there are loops.
    pub(super) fn closing_forces(&self) -> &[f64] {
        &self.closed.forces
    }

    /// Starts the iteration at the accelerations that `rates` has, or at none; returns whether it has them.
    fn start(&mut self, forces: &Forces<'_>, [q, v]: [&[f64]; 2], step: &Step) -> bool {
        let (count, multibody) = (v.len(), forces.multibody);
        let is_guessed = count > 0 && self.rates.len() == count;
        self.rates.resize(count, 0.0);
        for of in [&mut self.residual, &mut self.correction] {
            of.clear();
            of.resize(count, 0.0);
        }
        self.history.clear();
        let placement = forces.start.unwrap_or_else(|| {
            multibody.place(&forces.base, q, &mut self.placement);
            &self.placement
        });
        multibody.velocities(placement, v, &mut self.recursion.motions);
        let motions = &self.recursion.motions;
        let is_fast = motions.iter().any(|motion| motion.angular.norm() * step.h > FAST);
        self.momenta = is_fast.then(|| {
            let momentum = |(link, motion)| multibody.momentum(placement, link, motion);
            let start = motions.iter().enumerate().map(momentum).collect();
            Momenta { start, end: Placement::default(), motions: Vec::new() }
        });
        is_guessed
    }

    /// Residual at the present iterate.
    fn evaluate(&mut self, forces: &Forces<'_>, [q, v]: [&[f64]; 2], step: &Step) {
        let Forces { multibody, base, joint, added, loads, lifts, .. } = forces;
        self.middle.clear();
        self.middle.extend(v.iter().zip(&self.rates).map(|(v, a)| v + 0.5 * step.h * a));
        self.q.clear();
        self.q.extend_from_slice(q);
        multibody.advance(&mut self.q, &self.middle, 0.5 * step.h);
        multibody.place(base, &self.q, &mut self.placement);
        let centers = multibody.links().iter().zip(self.placement.poses());
        self.wrenches.clear();
        let shifted =
            centers.zip(*loads).map(|((link, pose), load)| load.force_from(&(pose.rotation * link.center)));
        self.wrenches.extend(shifted);
        lift(lifts, &step.gravity, self.placement.poses(), &mut self.wrenches);
        if self.momenta.is_some() {
            multibody.velocities(&self.placement, &self.middle, &mut self.recursion.motions);
            self.change_momenta(forces, [q, v], step);
            multibody.transmit(&self.placement, &mut self.recursion.forces, &mut self.residual);
            for (index, link) in multibody.links().iter().enumerate() {
                for freedom in multibody.freedoms_of(index) {
                    self.residual[freedom] += link.armature * self.rates[freedom];
                }
            }
        } else {
            let motion = [&self.middle[..], &self.rates[..]];
            let outside = (&step.gravity, &self.wrenches[..]);
            multibody.inverse_dynamics(
                &self.placement,
                motion,
                outside,
                &mut self.recursion,
                &mut self.residual,
            );
        }
        for (at, residual) in self.residual.iter_mut().enumerate() {
            *residual += added[at] * self.rates[at] - joint[at];
        }
    }

    /// Forces on the links that change their momenta over the step as the iterate does.
    fn change_momenta(&mut self, forces: &Forces<'_>, [q, v]: [&[f64]; 2], step: &Step) {
        let Some(Momenta { start, end, motions }) = &mut self.momenta else { return };
        let multibody = forces.multibody;
        let last: Vec<f64> = v.iter().zip(&self.rates).map(|(v, a)| v + step.h * a).collect();
        self.q.copy_from_slice(q);
        multibody.advance(&mut self.q, &self.middle, step.h);
        multibody.place(&forces.base, &self.q, end);
        multibody.velocities(end, &last, motions);
        self.recursion.forces.clear();
        for (link, model) in multibody.links().iter().enumerate() {
            let momentum = multibody.momentum(end, link, &motions[link]);
            let center = self.placement.poses()[link].rotation * model.center;
            let mut change = (momentum - start[link]) * step.h.recip();
            change.linear -= step.gravity * model.mass;
            let mut force = change.force_from(&center);
            if let Some(wrench) = self.wrenches.get(link) {
                force -= *wrench;
            }
            self.recursion.forces.push(force);
        }
    }

    /// Factorises N with the geometric stiffness at the loads of the iterate; `false`, and no factor, where nothing is pulled.
    fn factorise_stiffened(&mut self, forces: &Forces<'_>, h: f64) -> bool {
        let stiffens = self.stiffen(forces.multibody, h);
        if stiffens {
            let added = (forces.added, &self.moments[..]);
            self.factor.update_stiffened(forces.multibody, &self.placement, added);
        }
        stiffens
    }

    /// Determines the moments h²/4 K of the links; `false` where all are zero.
    fn stiffen(&mut self, multibody: &Multibody, h: f64) -> bool {
        let mut any = false;
        self.moments.clear();
        self.moments.resize(multibody.links().len(), Matrix3::zeros());
        for (index, link) in multibody.links().iter().enumerate() {
            let Some(parent) = link.parent else { continue };
            let (arm, force) = (&self.placement.offsets()[index], &self.recursion.forces[index].linear);
            let (pull, square) = (-force.dot(arm), arm.norm_squared());
            if pull > 0.0 && square > 0.0 {
                let across = Matrix3::identity() - arm * arm.transpose() / square;
                self.moments[parent] += across * (0.25 * h * h * pull);
                any = true;
            }
        }
        any
    }
}

/// Twice the kinetic energy \[J\] that all links gain in a step of free fall from rest.
fn fall(multibody: &Multibody, step: &Step) -> f64 {
    let mass: f64 = multibody.links().iter().map(|link| link.mass).sum();
    mass * step.gravity.norm_squared() * step.h * step.h
}
