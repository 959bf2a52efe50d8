//! Forces of motors that hold or accelerate a robot whose links close loops.
//!
//! At rest the weights g are balanced by the forces τ of the motors and those of the loops and of joints that follow others, g = S τ + C λ: with
//! the projection P onto the motions that these leave free, P S τ = P g. Of all τ that fit best, those with the smallest norm are taken: they are unique where
//! there are no more motors than freedoms, and hold the robot where there are enough. Forces are measured by the root of the inertia that they move, so that no unit counts; a floating
//! root is held.
//!
//! Computed torque is the same with the forces H a + c of accelerations a that keep the loops closed: those of the motors, with Cᵀ a = −Ċᵀ v for the others.

use nalgebra::{DMatrix, DVector};

use super::loops::Directed;
use super::tree::RobotTree;
use extricate_core::multibody::{JointModel, Placement, SpatialVector};

/// Part of a row that the rows before it leave, over the row, below which it is redundant.
const SPANNED: f64 = 1e-9;
/// Eigenvalue of the motors' effect on the free motions, over the largest one, below which they have none: at dead centres.
const WITHOUT_EFFECT: f64 = 1e-10;

/// Time of the differences for the rates of rows \[s\]: an error of 1e-10 of the rate at 10 rad/s, where rounding has one of 1e-11.
const DIFFERENCE: f64 = 1e-6;

impl RobotTree {
    /// Forces of motors at the velocities `actuated` that balance `forces` on the joints where the links are placed, for each velocity.
    pub(super) fn closed_balance(
        &self,
        placement: &Placement,
        forces: &[f64],
        actuated: &[usize],
    ) -> Vec<f64> {
        let units = self.force_units(placement);
        let scaled = |force: &[f64]| -> Vec<f64> {
            force
                .iter()
                .zip(&units)
                .map(|(force, unit)| if *unit > 0.0 { force / unit } else { 0.0 })
                .collect()
        };
        let basis = orthonormal(self.held_rows(placement).iter().map(|row| scaled(row)));
        let free = |mut force: Vec<f64>| {
            basis.iter().for_each(|own| remove(own, &mut force));
            force
        };
        let columns: Vec<Vec<f64>> = actuated
            .iter()
            .map(|&at| free((0..forces.len()).map(|other| f64::from(u8::from(other == at))).collect()))
            .collect();
        let wanted = free(scaled(forces));
        let matrix = DMatrix::from_fn(columns.len(), columns.len(), |a, b| dot(&columns[a], &columns[b]));
        let right: Vec<f64> = columns.iter().map(|column| dot(column, &wanted)).collect();
        let mut balance = vec![0.0; forces.len()];
        for (&at, force) in actuated.iter().zip(smallest_solution(matrix, &right)) {
            balance[at] = units[at] * force;
        }
        balance
    }

    /// Accelerations of all joints in the middle of a step of `h` \[s\] that keep loops closed and couplings where those of some are given.
    pub(super) fn closed_accelerations(&self, given: &[Option<f64>], h: f64) -> Vec<f64> {
        let mut v = self.v.clone();
        let mut all = vec![0.0; v.len()];
        // The velocity in the middle depends on what is sought: the second time it is of second order.
        for _ in 0..2 {
            let mut q = self.q.clone();
            self.multibody.advance(&mut q, &v, 0.5 * h);
            all = self.accelerations_at((&q, &v), given);
            v = self.v.iter().zip(&all).map(|(v, a)| v + 0.5 * h * a).collect();
        }
        all
    }

    /// The same at a state: of the joints without a given one, those that fit best, and of these the smallest.
    fn accelerations_at(&self, (q, v): (&[f64], &[f64]), given: &[Option<f64>]) -> Vec<f64> {
        let mut placement = Placement::default();
        self.multibody.place(&self.base, q, &mut placement);
        let units = self.force_units(&placement);
        let rows = self.held_rows(&placement);
        let mut all: Vec<f64> = given.iter().map(|given| given.unwrap_or(0.0)).collect();
        let others: Vec<usize> = (0..v.len()).filter(|&at| given[at].is_none() && units[at] > 0.0).collect();
        let columns: Vec<Vec<f64>> =
            others.iter().map(|&at| rows.iter().map(|row| row[at] / units[at]).collect()).collect();
        let missing: Vec<f64> =
            rows.iter().zip(self.row_rates(q, v)).map(|(row, rate)| -rate - dot(row, &all)).collect();
        let matrix = DMatrix::from_fn(columns.len(), columns.len(), |a, b| dot(&columns[a], &columns[b]));
        let right: Vec<f64> = columns.iter().map(|column| dot(column, &missing)).collect();
        for (&at, acceleration) in others.iter().zip(smallest_solution(matrix, &right)) {
            all[at] = acceleration / units[at];
        }
        all
    }

    /// Rates of the velocities of the rows of loops and couplings where all joints keep their velocities, by central differences.
    fn row_rates(&self, q: &[f64], v: &[f64]) -> Vec<f64> {
        let [before, after] = [-DIFFERENCE, DIFFERENCE].map(|time| {
            let (mut q, mut placement) = (q.to_vec(), Placement::default());
            self.multibody.advance(&mut q, v, time);
            self.multibody.place(&self.base, &q, &mut placement);
            self.held_rows(&placement).iter().map(|row| dot(row, v)).collect::<Vec<f64>>()
        });
        after.iter().zip(before).map(|(after, before)| (after - before) / (2.0 * DIFFERENCE)).collect()
    }

    /// Roots of the inertias of the velocities; zero of those of a floating root.
    fn force_units(&self, placement: &Placement) -> Vec<f64> {
        let mut units: Vec<f64> =
            self.multibody.mass_matrix(placement).diagonal().iter().map(|own| own.max(0.0).sqrt()).collect();
        for (index, link) in self.multibody.links().iter().enumerate() {
            if link.joint == JointModel::Floating {
                units[self.multibody.freedoms_of(index)].fill(0.0);
            }
        }
        units
    }

    /// Forces on the joints of a unit force of each row of loops and couplings.
    fn held_rows(&self, placement: &Placement) -> Vec<Vec<f64>> {
        let count = self.v.len();
        let of_loop = |(_, sides): (f64, [Directed; 2])| {
            let mut wrenches = vec![SpatialVector::ZERO; self.multibody.links().len()];
            for (link, [angular, linear]) in sides {
                if let Some(link) = link {
                    wrenches[link] += SpatialVector::new(angular, linear);
                }
            }
            let mut forces = vec![0.0; count];
            self.multibody.transmit(placement, &mut wrenches, &mut forces);
            forces
        };
        let loops = self.loops.iter().flat_map(|own| own.rows(&self.base, placement.poses())).map(of_loop);
        let couplings = self.couplings.iter().map(|coupling| {
            let mut forces = vec![0.0; count];
            forces[coupling.v[0]] += 1.0;
            forces[coupling.v[1]] -= coupling.factor;
            forces
        });
        loops.chain(couplings).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Removes the part along a unit vector.
fn remove(unit: &[f64], from: &mut [f64]) {
    let along = dot(unit, from);
    from.iter_mut().zip(unit).for_each(|(from, unit)| *from -= along * unit);
}

/// Orthonormal basis of what vectors span, by modified Gram–Schmidt, each vector twice.
fn orthonormal(vectors: impl Iterator<Item = Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut vector in vectors {
        let before = dot(&vector, &vector).sqrt();
        for _ in 0..2 {
            basis.iter().for_each(|own| remove(own, &mut vector));
        }
        let length = dot(&vector, &vector).sqrt();
        if length > SPANNED * before {
            vector.iter_mut().for_each(|component| *component /= length);
            basis.push(vector);
        }
    }
    basis
}

/// Solution with the smallest norm of a symmetric system that may be singular.
fn smallest_solution(matrix: DMatrix<f64>, right: &[f64]) -> Vec<f64> {
    if right.is_empty() {
        return Vec::new();
    }
    let eigen = matrix.symmetric_eigen();
    let largest = eigen.eigenvalues.max();
    let mut solution = DVector::zeros(right.len());
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > WITHOUT_EFFECT * largest {
            let along = dot(vector.as_slice(), right) / value;
            solution.axpy(along, &vector, 1.0);
        }
    }
    solution.iter().copied().collect()
}
