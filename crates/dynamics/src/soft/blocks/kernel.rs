//! Interface between the block matrix and the elements that fill it.

use nalgebra::Vector3;

use crate::soft::element::{Local, LocalBatch};

/// Derivatives to evaluate: the gradient alone, or also one of the Hessians.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DerivativeOrder {
    /// Energy and gradient.
    Gradient,
    /// Also the Hessian projected element by element to be positive semi-definite.
    ProjectedHessian,
    /// Also the exact Hessian, which may be indefinite.
    ExactHessian,
    /// Also the Hessian with the rotations of corotational elements fixed, which is positive semi-definite and cheap; for
    /// other elements the projected one.
    WarpedHessian,
}

/// The energies of elements.
pub trait ElementKernel: Sync {
    /// Energy \[J\] of an element of a body with the system's blocks at `x`; writes its gradient to `local`, and the pairs
    /// (a, b ≥ a) of its Hessian at least.
    fn local(
        &self,
        body: usize,
        element: usize,
        x: &[Vector3<f64>],
        local: &mut Local,
        order: DerivativeOrder,
    ) -> f64;

    /// Evaluates four elements at once where they have a vectorised closed form; false, and nothing written, where they have none.
    fn local_four(
        &self,
        body: usize,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        batch: &mut LocalBatch<4>,
        order: DerivativeOrder,
    ) -> bool {
        let _ = (body, elements, x, batch, order);
        false
    }
}

/// Connectivity of a body: the blocks that each of its elements couples.
#[derive(Debug, Clone, Default)]
pub struct Connectivity {
    /// The system's block of the body's first node.
    pub first: u32,
    /// Nodes of an element, 4 or 10.
    pub width: usize,
    /// Nodes of the elements, #E × width, counted from the body's first.
    pub nodes: Vec<u32>,
    /// A point in each element at rest \[m\].
    pub centres: Vec<Vector3<f64>>,
}

impl Connectivity {
    pub(super) fn nodes_of(&self, element: usize) -> &[u32] {
        &self.nodes[element * self.width..][..self.width]
    }
}
