//! What a block matrix asks of elements.

use nalgebra::Vector3;

use crate::soft::element::{Local, Parts};

/// What of an element is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// Energy and gradient.
    Gradient,
    /// Also the Hessian, its negative eigenvalues taken out.
    ProjectedHessian,
    /// Also the Hessian as it is.
    ExactHessian,
    /// Also the Hessian with the rotations of corotational elements held, which is positive semi-definite and cheap; of
    /// other elements the projected one.
    WarpedHessian,
}

/// The energies of elements.
pub trait ElementKernel: Sync {
    /// Energy [J] of an element of a body with the system's blocks at `x`; its gradient into `local`, and of its Hessian at
    /// least the pairs (a, b ≥ a).
    fn local(&self, body: usize, element: usize, x: &[Vector3<f64>], local: &mut Local, want: Want) -> f64;

    /// The same of four elements at once where there is a quicker way for them; false where there is none.
    fn four(
        &self,
        body: usize,
        elements: [u32; 4],
        x: &[Vector3<f64>],
        parts: &mut Parts<4>,
        want: Want,
    ) -> bool {
        let _ = (body, elements, x, parts, want);
        false
    }
}

/// Which blocks the elements of a body couple.
#[derive(Debug, Clone, Default)]
pub struct Connectivity {
    /// The system's block of the body's first node.
    pub first: u32,
    /// Nodes of an element, 4 or 10.
    pub width: usize,
    /// Nodes of the elements, #E × width, counted from the body's first.
    pub nodes: Vec<u32>,
    /// A point in each element at rest [m].
    pub centres: Vec<Vector3<f64>>,
}

impl Connectivity {
    pub(super) fn nodes_of(&self, element: usize) -> &[u32] {
        &self.nodes[element * self.width..][..self.width]
    }
}
