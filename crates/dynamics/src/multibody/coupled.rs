//! Couplings of joints in the free motion of a tree: rows J of its velocities that stay zero, whatever accelerates it.
//!
//! J does not depend on the configuration: forces Jᵀλ do no work where the velocities in the middle of the step hold the rows. Each correction
//! f = −N⁻¹ r of the iteration becomes f = −N⁻¹ (r − Jᵀλ), with the λ after which the velocities of the displacement hold the rows,
//! J (v + θh (a + f)) = 0. Coupled joints have one instant θ, so that the velocities at the end hold them too.

use nalgebra::DMatrix;

use crate::algebra::pivoted_cholesky::PivotedCholesky;
use crate::robot::coupling::Coupling;

/// Response of a row that those before it leave, over its own, below which it is redundant.
const SPANNED: f64 = 1e-10;

/// Velocity of a coupling's row.
fn row(coupling: &Coupling, v: &[f64]) -> f64 {
    let [follower, leader] = coupling.v;
    v[follower] - coupling.factor * v[leader]
}

/// Largest velocity of the rows, over that of their joints.
pub(super) fn violation(couplings: &[Coupling], v: &[f64]) -> f64 {
    let of = |coupling: &Coupling| {
        let fastest = coupling.v.iter().fold(0.0_f64, |fastest, &at| fastest.max(v[at].abs()));
        if fastest > 0.0 { row(coupling, v).abs() / fastest } else { 0.0 }
    };
    couplings.iter().map(of).fold(0.0, f64::max)
}

/// Adds the force of a coupling's row to those on the joints.
fn add_force(coupling: &Coupling, force: f64, joint: &mut [f64]) {
    let [follower, leader] = coupling.v;
    joint[follower] += force;
    joint[leader] -= coupling.factor * force;
}

/// Gives coupled joints the latest of their instants.
pub(super) fn synchronise(couplings: &[Coupling], instants: &mut [f64]) {
    // Twice, for followers of one leader.
    for coupling in couplings.iter().chain(couplings) {
        let [follower, leader] = coupling.v;
        let latest = f64::max(instants[follower], instants[leader]);
        (instants[follower], instants[leader]) = (latest, latest);
    }
}

/// The rows with the response of the tree to their forces.
#[derive(Debug, Default)]
pub(super) struct CoupledRows {
    /// N⁻¹ Jᵀ, by row.
    spread: Vec<Vec<f64>>,
    factor: Option<PivotedCholesky>,
}

impl CoupledRows {
    /// Determines the response; `solve` multiplies forces on the joints by N⁻¹.
    pub(super) fn update(
        &mut self,
        (couplings, count): (&[Coupling], usize),
        mut solve: impl FnMut(&[f64], &mut [f64]),
    ) {
        self.factor = None;
        if couplings.is_empty() {
            return;
        }
        let mut forces = vec![0.0; count];
        self.spread.resize(couplings.len(), Vec::new());
        for (coupling, spread) in couplings.iter().zip(&mut self.spread) {
            add_force(coupling, 1.0, &mut forces);
            spread.resize(count, 0.0);
            solve(&forces, spread);
            coupling.v.iter().for_each(|&at| forces[at] = 0.0);
        }
        let own = DMatrix::from_fn(couplings.len(), couplings.len(), |at, column| {
            row(&couplings[at], &self.spread[column])
        });
        let scales: Vec<f64> = own.diagonal().iter().copied().collect();
        self.factor = Some(PivotedCholesky::new(own, &scales, SPANNED));
    }

    /// Changes a correction f of accelerations a, and the residual that it answers, so that J (a + f) is what the couplings ask for, −J v/(θh).
    pub(super) fn hold(
        &self,
        couplings: &[Coupling],
        (v, instants, h): (&[f64], &[f64], f64),
        (rates, correction, residual): (&[f64], &mut [f64], &mut [f64]),
    ) {
        let Some(factor) = &self.factor else { return };
        let missing = |coupling: &Coupling| {
            let reach = instants[coupling.v[0]] * h;
            -row(coupling, v) / reach - row(coupling, rates) - row(coupling, correction)
        };
        let forces = factor.solve(&couplings.iter().map(missing).collect::<Vec<_>>());
        for ((coupling, spread), force) in couplings.iter().zip(&self.spread).zip(forces) {
            correction.iter_mut().zip(spread).for_each(|(correction, spread)| *correction += force * spread);
            add_force(coupling, -force, residual);
        }
    }
}
