//! Interactions, the energies of soft bodies beside elasticity: contact, friction, springs of handles. Each is an energy over
//! blocks of three coordinates, with a gradient and a positive semi-definite Hessian, a sum of outer products.

use nalgebra::{Matrix3, Vector3};

/// An energy over the blocks of a system of soft bodies.
///
/// A block is a node, or the position or the rotation vector of a coupled rigid body.
///
/// An energy that is smooth only piecewise (a contact potential) has an active set: the piece of each of its terms. Newton's method
/// freezes the set while it minimises, refreshes it at the minimum and repeats.
pub trait Interaction {
    /// Energy \[J\] with the blocks at `x`.
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64;

    /// Energy \[J\] at `x`; adds its gradient \[N\] to `gradient` and appends to `hessian` a positive semi-definite
    /// approximation of its Hessian [N/m], or more of it where [`OuterProducts::takes_indefinite`] permits.
    fn linearise(
        &mut self,
        x: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) -> f64;

    /// The interaction that this one wraps, if any; calls about active sets are forwarded to it.
    fn inner(&mut self) -> Option<&mut dyn Interaction> {
        None
    }

    /// Freezes the active set at `x`, the start of a minimisation: each term keeps the smooth piece that it is in there, without
    /// the kinks where pieces meet, so that Newton's method minimises a smooth function. [`Self::drift`] measures the error of
    /// that in the end.
    fn freeze_active_set(&mut self, x: &[Vector3<f64>]) {
        if let Some(other) = self.inner() {
            other.freeze_active_set(x);
        }
    }

    /// Extends the active set at the iterate `x` by the terms that have appeared since.
    fn extend_active_set(&mut self, x: &[Vector3<f64>]) {
        if let Some(other) = self.inner() {
            other.extend_active_set(x);
        }
    }

    /// Takes note of an iterate `x` that the line search reached by a shortened step: terms whose curvature falls abruptly beside them may
    /// count with more of it until the next time step.
    fn note_shortened_step(&mut self, x: &[Vector3<f64>]) {
        if let Some(other) = self.inner() {
            other.note_shortened_step(x);
        }
    }

    /// Refreshes the active set at `x`, a minimum of the frozen energy: every term takes the piece that it is in there.
    fn refresh_active_set(&mut self, x: &[Vector3<f64>]) {
        match self.inner() {
            Some(other) => other.refresh_active_set(x),
            None => self.freeze_active_set(x),
        }
    }

    /// Lets terms that are too compliant at `x`, a minimum of the energy in a time step, grow faster there; returns whether any does.
    fn firm_up(&mut self, x: &[Vector3<f64>]) -> bool {
        self.inner().is_some_and(|other| other.firm_up(x))
    }

    /// Undoes the last call of [`Self::firm_up`] that changed terms, without a change of the active set.
    fn undo_firming(&mut self) {
        if let Some(other) = self.inner() {
            other.undo_firming();
        }
    }

    /// Relative change of the energy that a refresh of the active set at `x` would make; `None` where no term has left its frozen
    /// piece.
    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        self.inner()?.drift(x)
    }
}

/// A sum of terms stiffness · J Jᵀ, each J a sparse column with a vector for each of a few blocks.
#[derive(Debug, Clone, Default)]
pub struct OuterProducts {
    /// End of each term's entries.
    ends: Vec<u32>,
    stiffness: Vec<f64>,
    entries: Vec<(u32, Vector3<f64>)>,
    indefinite: bool,
}

impl OuterProducts {
    /// Removes all terms and keeps the allocation; the sum is to be semi-definite again.
    pub fn clear(&mut self) {
        self.indefinite = false;
        self.ends.clear();
        self.stiffness.clear();
        self.entries.clear();
    }

    /// Number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no term.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends `stiffness` · J Jᵀ with J given by block; a negative stiffness counts as zero, so the sum stays semi-definite.
    ///
    /// # Panics
    /// When there are more entries than 32 bits can count.
    pub fn push(&mut self, stiffness: f64, column: impl IntoIterator<Item = (u32, Vector3<f64>)>) {
        self.entries.extend(column);
        self.ends.push(u32::try_from(self.entries.len()).expect("entries of contacts fit 32 bits"));
        self.stiffness.push(stiffness.max(0.0));
    }

    /// Whether the sum may be indefinite: exact second derivatives are wanted, and what solves with it finds out.
    #[must_use]
    pub fn takes_indefinite(&self) -> bool {
        self.indefinite
    }

    /// Permits an indefinite sum, or not, until the terms are removed.
    pub fn permit_indefinite(&mut self, permit: bool) {
        self.indefinite = permit;
    }

    /// Appends `stiffness` · J Jᵀ as [`Self::push`] does, with a stiffness of any sign where the sum may be indefinite.
    ///
    /// # Panics
    /// When there are more entries than 32 bits can count.
    pub fn push_signed(&mut self, stiffness: f64, column: impl IntoIterator<Item = (u32, Vector3<f64>)>) {
        self.push(stiffness, column);
        if let Some(last) = self.stiffness.last_mut().filter(|_| self.indefinite) {
            *last = stiffness;
        }
    }

    /// The terms: stiffness and column.
    pub fn terms(&self) -> impl Iterator<Item = (f64, &[(u32, Vector3<f64>)])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends).map(|(start, &end)| &self.entries[start as usize..end as usize]);
        self.stiffness.iter().copied().zip(spans)
    }

    /// Adds the product of the sum with `p` to `out`; returns the curvature pᵀ(Σ stiffness J Jᵀ)p.
    pub fn add_product(&self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) -> f64 {
        let mut curvature = 0.0;
        for (stiffness, column) in self.terms() {
            let along: f64 = column.iter().map(|(block, j)| j.dot(&p[*block as usize])).sum();
            column.iter().for_each(|(block, j)| out[*block as usize] += stiffness * along * j);
            curvature += stiffness * along * along;
        }
        curvature
    }

    /// Adds the diagonal blocks of the sum to `diagonal`, for a preconditioner.
    pub fn add_diagonal(&self, diagonal: &mut [Matrix3<f64>]) {
        for (stiffness, column) in self.terms() {
            column.iter().for_each(|(block, j)| diagonal[*block as usize] += stiffness * j * j.transpose());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_diagonal_are_those_of_the_dense_sum() {
        let columns = [
            vec![(0, Vector3::new(1.0, 2.0, -1.0)), (2, Vector3::new(0.5, 0.0, 3.0))],
            vec![(1, Vector3::new(-1.0, 0.25, 2.0)), (2, Vector3::x()), (0, Vector3::z())],
        ];
        let mut sum = OuterProducts::default();
        let mut dense = nalgebra::DMatrix::zeros(9, 9);
        for (stiffness, column) in [2.0, 0.7].into_iter().zip(&columns) {
            sum.push(stiffness, column.iter().copied());
            let mut j = nalgebra::DVector::zeros(9);
            column
                .iter()
                .for_each(|(block, part)| j.fixed_rows_mut::<3>(3 * *block as usize).copy_from(part));
            dense += stiffness * &j * j.transpose();
        }
        let p = [Vector3::new(0.1, -2.0, 1.0), Vector3::new(3.0, 1.0, 0.0), Vector3::new(-1.0, 0.5, 0.2)];
        let mut out = [Vector3::zeros(); 3];
        let curvature = sum.add_product(&p, &mut out);
        assert!((curvature - p.iter().zip(&out).map(|(p, out)| p.dot(out)).sum::<f64>()).abs() < 1e-12);
        let expected = &dense * nalgebra::DVector::from_iterator(9, p.iter().flat_map(|v| v.iter().copied()));
        let mut diagonal = [Matrix3::zeros(); 3];
        sum.add_diagonal(&mut diagonal);
        for block in 0..3 {
            assert!((out[block] - expected.fixed_rows::<3>(3 * block)).norm() < 1e-12);
            assert!((diagonal[block] - dense.fixed_view::<3, 3>(3 * block, 3 * block)).norm() < 1e-12);
        }
        assert_eq!((sum.len(), sum.is_empty()), (2, false));
    }
}
