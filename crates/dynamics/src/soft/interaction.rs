//! What acts on the nodes of soft bodies beside elasticity: contact, friction, springs of handles. An energy over blocks of
//! three coordinates, with a gradient and a positive semi-definite Hessian made of outer products.

use nalgebra::{Matrix3, Vector3};

/// An energy over the blocks of a system of soft bodies.
///
/// A block is a node, or the displacement or the turn of a rigid body that takes part.
pub trait Interaction {
    /// Energy [J] with the blocks at `x`.
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64;

    /// Energy [J] at `x`; adds its gradient [N] to `gradient` and appends to `hessian` a positive semi-definite
    /// approximation of its Hessian [N/m].
    fn linearise(
        &mut self,
        x: &[Vector3<f64>],
        gradient: &mut [Vector3<f64>],
        hessian: &mut OuterProducts,
    ) -> f64;

    /// The interaction that this one stands beside, if any; it answers for pieces where this one has none.
    fn beside(&mut self) -> Option<&mut dyn Interaction> {
        None
    }

    /// Begins a search for a minimum at `x`. An energy made of pieces, with kinks where they meet, holds the piece that each of
    /// its terms is in there, so that Newton's method sees a smooth function; [`Self::drift`] says what that is worth in the end.
    fn hold(&mut self, x: &[Vector3<f64>]) {
        if let Some(other) = self.beside() {
            other.hold(x);
        }
    }

    /// The search has come to `x`: terms that have appeared may be held too.
    fn hold_appeared(&mut self, x: &[Vector3<f64>]) {
        if let Some(other) = self.beside() {
            other.hold_appeared(x);
        }
    }

    /// The minimum of what is held is at `x`: all terms are held anew, as they are there.
    fn hold_again(&mut self, x: &[Vector3<f64>]) {
        match self.beside() {
            Some(other) => other.hold_again(x),
            None => self.hold(x),
        }
    }

    /// Whether at `x` any term has left the piece in which it is held; then the change of the energy were they held anew, over
    /// the energy.
    fn drift(&mut self, x: &[Vector3<f64>]) -> Option<f64> {
        self.beside()?.drift(x)
    }
}

/// A sum of terms stiffness · J Jᵀ, each J a column with a vector for a few blocks.
#[derive(Debug, Clone, Default)]
pub struct OuterProducts {
    /// End of each term's entries.
    ends: Vec<u32>,
    stiffness: Vec<f64>,
    entries: Vec<(u32, Vector3<f64>)>,
}

impl OuterProducts {
    /// Forgets all terms and keeps the memory.
    pub fn clear(&mut self) {
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

    /// Appends `stiffness` · J Jᵀ with J given by block; a negative stiffness is taken for zero.
    ///
    /// # Panics
    /// When there are more entries than 32 bits can count.
    pub fn push(&mut self, stiffness: f64, column: impl IntoIterator<Item = (u32, Vector3<f64>)>) {
        self.entries.extend(column);
        self.ends.push(u32::try_from(self.entries.len()).expect("entries of contacts fit 32 bits"));
        self.stiffness.push(stiffness.max(0.0));
    }

    /// The terms: stiffness and column.
    pub fn terms(&self) -> impl Iterator<Item = (f64, &[(u32, Vector3<f64>)])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends).map(|(start, &end)| &self.entries[start as usize..end as usize]);
        self.stiffness.iter().copied().zip(spans)
    }

    /// Adds the sum times `p` to `out`; returns `p` times that.
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
