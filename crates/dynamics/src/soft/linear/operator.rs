//! The operator of a linear system.

use nalgebra::Vector3;

use crate::soft::blocks::BlockMatrix;
use crate::soft::interaction::OuterProducts;

/// A + Σ stiffness J Jᵀ restricted to the free components.
#[derive(Debug)]
pub struct Operator<'a> {
    /// The elastic and inertial part.
    pub matrix: &'a mut BlockMatrix,
    /// The part of contacts.
    pub outer: &'a OuterProducts,
    /// 1 where a component is free, 0 where it is prescribed.
    pub free: &'a [Vector3<f64>],
}

impl Operator<'_> {
    /// Product with `p`, whose prescribed components must be zero; it replaces `out`.
    pub fn multiply(&mut self, p: &[Vector3<f64>], out: &mut [Vector3<f64>]) {
        self.matrix.multiply(p, out);
        self.outer.add_product(p, out);
        out.iter_mut().zip(self.free).for_each(|(out, free)| out.component_mul_assign(free));
    }

    /// Updates p ← z + `beta` p, whose prescribed components must be zero; `out` becomes its product, whose prescribed components
    /// the caller has to ignore. Returns p · `out`.
    pub(super) fn multiply_direction(
        &mut self,
        z: &[Vector3<f64>],
        beta: f64,
        p: &mut [Vector3<f64>],
        out: &mut [Vector3<f64>],
    ) -> f64 {
        self.matrix.multiply_direction(z, beta, p, out) + self.outer.add_product(p, out)
    }
}
