//! Rows that hold at all times, couplings of joints and closed loops, eliminated from the response of the ports of a tree.
//!
//! With rows R x = 0 of port velocities x and the response B Bᵀ of the ports to impulses, the response that the rows leave is that of
//! B − B Qᵀ (Q Qᵀ)⁻¹ Q with Q = R B: coordinates across those of the rows. Redundant rows, as those of a planar loop in space, are left out. Products are written out: those of whole
//! matrices depend on the instructions that a processor has.

use crate::algebra::pivoted_cholesky::PivotedCholesky;
use crate::algebra::{add, dot};
use nalgebra::DMatrix;

/// Response of a row that the rows before it leave, over that of its sides alone, below which it is redundant, or moves nothing: rounding.
const SPANNED: f64 = 1e-10;

/// A row: a combination of port velocities that stays zero.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldRow {
    /// Ports and factors of each of the two things that it connects.
    pub(super) sides: [Vec<(usize, f64)>; 2],
    /// Its velocity in the displacement.
    pub(super) target: f64,
    /// Rows that belong together are compared by the largest response of their sides.
    pub(super) group: usize,
}

impl HeldRow {
    fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.sides.iter().flatten().copied()
    }

    pub(super) fn velocity(&self, velocities: &[f64]) -> f64 {
        self.entries().map(|(port, factor)| factor * velocities[port]).sum()
    }

    /// Its coordinates of unit response, and the response of its sides alone. `basis` has a column for each port.
    fn coordinates(&self, basis: &DMatrix<f64>) -> (Vec<f64>, f64) {
        let mut total = vec![0.0; basis.nrows()];
        let mut alone = 0.0;
        for side in &self.sides {
            let mut own = vec![0.0; basis.nrows()];
            for (port, factor) in side {
                own.iter_mut()
                    .zip(basis.column(*port).iter())
                    .for_each(|(own, entry)| *own += factor * entry);
            }
            alone += dot(&own, &own);
            add(&mut total, 1.0, &own);
        }
        (total, alone)
    }
}

/// Loops over all ports, each of which has its coordinates one after another.
enum Kernel<'a> {
    /// Products of rows with the coordinates of the ports, by row.
    Spread(&'a [Vec<f64>], &'a [f64], &'a mut [f64]),
    /// Takes the rows, by their products and the factor of their responses, out of the coordinates of the ports.
    Project(&'a [Vec<f64>], &'a PivotedCholesky, &'a [f64], &'a mut [f64]),
}

impl Kernel<'_> {
    #[inline(always)]
    fn run(self) {
        match self {
            Self::Spread(own, basis, spread) => {
                let Some(length) = own.first().map(Vec::len).filter(|&length| length > 0) else { return };
                let count = basis.len() / length;
                for (row, own) in own.iter().enumerate() {
                    for port in 0..count {
                        spread[row * count + port] = dot(&basis[port * length..(port + 1) * length], own);
                    }
                }
            }
            Self::Project(own, factor, spread, basis) => {
                let Some(length) = own.first().map(Vec::len).filter(|&length| length > 0) else { return };
                let count = basis.len() / length;
                let mut solved = spread.to_vec();
                factor.solve_all(&mut solved, count);
                for port in 0..count {
                    let coordinates = &mut basis[port * length..(port + 1) * length];
                    for (row, own) in own.iter().enumerate() {
                        add(coordinates, -solved[row * count + port], own);
                    }
                }
            }
        }
    }
}

/// Runs loops with AVX2 where it is there, without fused multiply-add, so that the bits are those of the baseline.
fn on_widest(kernel: Kernel<'_>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn run(kernel: Kernel<'_>) {
            kernel.run();
        }
        #[expect(unsafe_code, reason = "the instruction set was detected on the line above")]
        // SAFETY: AVX2 is there.
        return unsafe { run(kernel) };
    }
    kernel.run();
}

/// The rows of a tree.
#[derive(Debug)]
pub(super) struct Held {
    rows: Vec<HeldRow>,
    /// B Qᵀ: the response of the ports to an impulse of each row, by column.
    spread: DMatrix<f64>,
    factor: PivotedCholesky,
}

impl Held {
    /// Eliminates rows from the response of the ports, whose coordinates `basis` has as columns: of those in `only` the ones that are not redundant.
    pub(super) fn eliminate(rows: Vec<HeldRow>, only: Option<&[usize]>, basis: &mut DMatrix<f64>) -> Self {
        let (own, sides): (Vec<_>, Vec<_>) = rows.iter().map(|row| row.coordinates(basis)).unzip();
        let count = basis.ncols();
        let mut spread = DMatrix::zeros(count, rows.len());
        on_widest(Kernel::Spread(&own, basis.as_slice(), spread.as_mut_slice()));
        let matrix = DMatrix::from_fn(rows.len(), rows.len(), |row, other| dot(&own[row], &own[other]));
        let mut alone = vec![0.0; rows.iter().map(|row| row.group + 1).max().unwrap_or(0)];
        for (row, sides) in rows.iter().zip(sides) {
            alone[row.group] = f64::max(alone[row.group], sides);
        }
        let is_open = |row: usize| only.is_none_or(|only| only.contains(&row));
        let scale = |(index, row): (usize, &HeldRow)| if is_open(index) { alone[row.group] } else { 0.0 };
        let scales: Vec<f64> = rows.iter().enumerate().map(scale).collect();
        let factor = PivotedCholesky::new(matrix, &scales, SPANNED);
        on_widest(Kernel::Project(&own, &factor, spread.as_slice(), basis.as_mut_slice()));
        Self { rows, spread, factor }
    }

    /// Velocities of the rows at velocities of the ports, less their targets in the displacement.
    pub(super) fn violations(&self, velocities: &[f64], is_displacement: bool) -> Vec<f64> {
        let violation =
            |row: &HeldRow| row.velocity(velocities) - if is_displacement { row.target } else { 0.0 };
        self.rows.iter().map(violation).collect()
    }

    /// Impulses of the rows that end violations.
    pub(super) fn impulses(&self, violations: &[f64]) -> Vec<f64> {
        self.factor.solve(&violations.iter().map(|violation| -violation).collect::<Vec<_>>())
    }

    /// Rows that are not redundant.
    pub(super) fn kept(&self) -> &[usize] {
        &self.factor.order
    }

    /// Adds to the velocities of the ports what impulses of the rows cause.
    pub(super) fn respond(&self, impulses: &[f64], velocities: &mut [f64]) {
        for (row, impulse) in impulses.iter().enumerate() {
            let responses = self.spread.column(row);
            velocities
                .iter_mut()
                .zip(responses.iter())
                .for_each(|(velocity, response)| *velocity += response * impulse);
        }
    }

    /// Adds impulses of the rows to those of the ports.
    pub(super) fn add_to_ports(&self, impulses: &[f64], ports: &mut [f64]) {
        for (row, impulse) in self.rows.iter().zip(impulses) {
            row.entries().for_each(|(port, factor)| ports[port] += factor * impulse);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundant_rows_are_left_out_and_the_others_hold() {
        // Three ports of unit response; the third row is the sum of the first two, the fourth one moves nothing.
        let row = |entries: &[(usize, f64)], group| HeldRow {
            sides: [entries.to_vec(), Vec::new()],
            group,
            ..HeldRow::default()
        };
        let rows = vec![
            row(&[(0, 1.0), (1, 2.0)], 0),
            row(&[(1, 1.0), (2, -1.0)], 1),
            row(&[(0, 1.0), (1, 3.0), (2, -1.0)], 2),
            row(&[(3, 1.0)], 0),
        ];
        let mut basis = DMatrix::identity(4, 4);
        basis[(3, 3)] = 1e-17_f64.sqrt();
        let held = Held::eliminate(rows, None, &mut basis);
        let response = basis.transpose() * &basis;
        let mut velocities = vec![1.0, -0.5, 2.0, 0.0];
        let impulses = held.impulses(&held.violations(&velocities, false));
        held.respond(&impulses, &mut velocities);
        assert!(held.violations(&velocities, false).iter().all(|rest| rest.abs() < 1e-14), "{velocities:?}");
        // What the rows leave is along (2, −1, −1), onto which the response projects.
        let left = [2.0, -1.0, -1.0];
        for (row, a) in left.iter().enumerate() {
            assert!((velocities[row] - a * 0.5 / 6.0).abs() < 1e-14, "{velocities:?}");
            for (column, b) in left.iter().enumerate() {
                assert!((response[(row, column)] - a * b / 6.0).abs() < 1e-14, "{response}");
            }
        }
    }
}
