//! The quadratic tetrahedron: ten nodes, straight edges at rest, four quadrature points.
//!
//! With barycentric coordinates u: Nₐ = uₐ(2uₐ − 1) at the corners and N = 4 uᵢuⱼ at the midpoint of edge ij. The four
//! points have one coordinate (5 + 3√5)/20 and three (5 − √5)/20, weight one quarter each: exact to degree two.

use std::array::from_fn;

use nalgebra::{Matrix3, Vector3};

use super::elements::{Elements, Local};
use crate::soft::material::{SignedSvd, Tangent};
use extricate_core::geometry::tet_mesh::TET_EDGES;

/// Coordinate of a quadrature point towards its own corner: (5 + 3√5)/20.
const NEAR: f64 = 0.585_410_196_624_968_5;

/// Its other three coordinates: (5 − √5)/20.
const FAR: f64 = 0.138_196_601_125_010_5;

/// Barycentric coordinates of quadrature point `q`.
fn quadrature_point(q: usize) -> [f64; 4] {
    let mut u = [FAR; 4];
    u[q] = NEAR;
    u
}

/// ∂N/∂u of the ten shape functions, as pairs of (barycentric coordinate, derivative); a corner has one.
fn derivatives(u: &[f64; 4]) -> [[(usize, f64); 2]; 10] {
    let mut all = [[(0, 0.0); 2]; 10];
    for a in 0..4 {
        all[a][0] = (a, 4.0 * u[a] - 1.0);
    }
    for (place, [i, j]) in TET_EDGES.into_iter().enumerate() {
        all[4 + place] = [(i, 4.0 * u[j]), (j, 4.0 * u[i])];
    }
    all
}

impl Elements {
    /// ∇N [1/m] of the ten shape functions of element `e` at barycentric coordinates `u`.
    fn shape_gradients(&self, e: usize, u: &[f64; 4]) -> [Vector3<f64>; 10] {
        let inverse = &self.rest[e].inverse;
        let [b, c, d] = [0, 1, 2].map(|a| inverse.row(a).transpose());
        let barycentric = [-(b + c + d), b, c, d];
        derivatives(u).map(|parts| parts.iter().map(|&(a, slope)| slope * barycentric[a]).sum())
    }

    /// Deformation gradient Σ xₐ ∇Nₐᵀ for the shape gradients `shape`.
    fn gradient_at(&self, e: usize, x: &[Vector3<f64>], shape: &[Vector3<f64>; 10]) -> Matrix3<f64> {
        // The gradients sum to zero: positions relative to a corner lose no digits far from the origin.
        let nodes = self.nodes_of(e);
        let origin = x[nodes[0] as usize];
        let terms = nodes.iter().zip(shape).map(|(&node, g)| (x[node as usize] - origin) * g.transpose());
        terms.fold(Matrix3::zeros(), |sum, term| sum + term)
    }

    /// Deformation gradient at the centroid.
    pub(super) fn quadratic_gradient(&self, e: usize, x: &[Vector3<f64>]) -> Matrix3<f64> {
        self.gradient_at(e, x, &self.shape_gradients(e, &[0.25; 4]))
    }

    /// Whether det F ≤ 0 (or NaN) at a quadrature point.
    pub(super) fn quadratic_is_inverted(&self, e: usize, x: &[Vector3<f64>]) -> bool {
        (0..4).any(|q| {
            let shape = self.shape_gradients(e, &quadrature_point(q));
            !(self.gradient_at(e, x, &shape).determinant() > 0.0)
        })
    }

    /// States at the quadrature points: gradients of the shape functions, deformation gradients, and their decompositions where
    /// the material needs them.
    fn quadratic_states(&self, e: usize, x: &[Vector3<f64>], hessian: bool) -> [State; 4] {
        let shapes: [_; 4] = from_fn(|q| self.shape_gradients(e, &quadrature_point(q)));
        let f: [_; 4] = from_fn(|q| self.gradient_at(e, x, &shapes[q]));
        let svds = self.material.needs_svd(hessian).then(|| SignedSvd::of_many(f.each_ref()));
        from_fn(|q| State { shape: shapes[q], f: f[q], svd: svds.map(|all| all[q]) })
    }

    /// Elastic energy [J] of a quadratic element.
    pub(super) fn quadratic_energy(&self, e: usize, x: &[Vector3<f64>]) -> f64 {
        let weight = 0.25 * self.rest[e].volume;
        let states = self.quadratic_states(e, x, false);
        states
            .iter()
            .map(|state| weight * self.material.response(&state.f, state.svd.as_ref()).energy_density)
            .sum()
    }

    /// [`local`](Self::local) of a quadratic element, summed over its quadrature points.
    pub(super) fn quadratic_local(
        &self,
        e: usize,
        x: &[Vector3<f64>],
        local: &mut Local,
        (want_hessian, project): (bool, bool),
    ) -> f64 {
        let weight = 0.25 * self.rest[e].volume;
        local.gradient = [Vector3::zeros(); 10];
        if want_hessian {
            local.hessian = [[Matrix3::zeros(); 10]; 10];
        }
        let mut energy = 0.0;
        for State { shape, f, svd } in &self.quadratic_states(e, x, want_hessian) {
            let response = self.material.response(f, svd.as_ref());
            energy += weight * response.energy_density;
            let stress = weight * response.stress;
            for a in 0..10 {
                local.gradient[a] += stress * shape[a];
            }
            if want_hessian {
                let tangent = self.material.tangent_of(svd.as_ref());
                // Each point is projected by itself: a sum of semi-definite matrices is one.
                add_hessian(&if project { tangent.projected() } else { tangent }, shape, weight, local);
            }
        }
        if want_hessian {
            for (a, b) in (1..10).flat_map(|a| (0..a).map(move |b| (a, b))) {
                local.hessian[a][b] = local.hessian[b][a].transpose();
            }
        }
        energy
    }
}

/// State at a quadrature point.
struct State {
    shape: [Vector3<f64>; 10],
    f: Matrix3<f64>,
    svd: Option<SignedSvd>,
}

/// Adds the upper triangle of the blocks of one quadrature point.
fn add_hessian(tangent: &Tangent, shape: &[Vector3<f64>; 10], weight: f64, local: &mut Local) {
    let principal = shape.map(|g| tangent.v.transpose() * g);
    for a in 0..10 {
        let weighted = weight * principal[a];
        for b in a..10 {
            local.hessian[a][b] += tangent.block(&weighted, &principal[b]);
        }
    }
}
