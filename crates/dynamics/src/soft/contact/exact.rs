//! The exact Hessian of the contacts of soft bodies, dense, for checks.
//!
//! For a point with coefficients p of blocks in an element, dy = Σ p dx − Σ uⱼ dnⱼ: duᵢ = hᵢ·dy and dg = −Σ hⱼ (g·dnⱼ), hence
//! ∇²d̃: (point, nⱼ) ↦ −hⱼ gᵀ and (nᵢ, nⱼ) ↦ uⱼ g hᵢᵀ + uᵢ hⱼ gᵀ. On an edge, with P − Q = 0 fixing s: s' = −(∂P − ∂Q)/(P' − Q') and
//! ∇²D = λ (∇²P + ∂P' s'ᵀ + s' ∂P'ᵀ) + (1 − λ) (the same of Q).

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::body::Body;
use super::cell::{Cell, Shape};
use super::contacts::SoftContact;
use super::point::{Contact, Field, Probe, Site};

impl SoftContact {
    /// The exact Hessian [N/m], 3 rows for each block of `x`, of the contacts between soft bodies and with themselves, without
    /// friction and obstacles. For checks: it is dense and has negative eigenvalues, unlike the Gauss–Newton one for solvers.
    pub fn exact_hessian(&mut self, x: &[Vector3<f64>]) -> DMatrix<f64> {
        self.detect(x);
        let mut hessian = DMatrix::zeros(3 * x.len(), 3 * x.len());
        for contact in self.detected.contacts.iter().filter(|contact| contact.obstacle.is_none()) {
            let (Field::Body(body), Some(site)) = (contact.field, contact.site) else { continue };
            if !(contact.effective_depth > 0.0) {
                continue;
            }
            let column = dense(contact.jacobian(None), x.len());
            hessian += contact.pull_rate() * &column * column.transpose();
            let scale = contact.pull();
            let body = &self.bodies[body as usize];
            match site {
                Site::Cell(Cell { tet, part }) => {
                    let side = Side { tet, part, weight: 1.0 };
                    hessian += scale * side.curvature(contact, body, x);
                }
                Site::Face(deepest) => {
                    let weights = [deepest.weight, 1.0 - deepest.weight];
                    let sides = [0, 1].map(|i| Side {
                        tet: deepest.sides[i].tet,
                        part: deepest.sides[i].part,
                        weight: weights[i],
                    });
                    // s' of the header: the deepest point moves along the edge so that P − Q stays zero.
                    let slope_change = deepest.sides[0].slope - deepest.sides[1].slope;
                    let [rising, falling] = sides.each_ref().map(|side| side.column(contact, body, x));
                    let parameter_gradient = -(rising - falling) / slope_change;
                    for side in &sides {
                        let slope_gradient = side.slope_gradient(contact, body, x);
                        let mixed = &slope_gradient * parameter_gradient.transpose();
                        let whole =
                            side.curvature(contact, body, x) + side.weight * (&mixed + mixed.transpose());
                        hessian += scale * whole;
                    }
                }
            }
        }
        hessian
    }
}

/// A cell that a contact's point lies in, with its weight: 1, or λ and 1 − λ on an edge.
struct Side {
    tet: u32,
    part: usize,
    weight: f64,
}

impl Side {
    /// Corners, gradients hᵢ, coordinates uᵢ and field gradient g.
    fn field(
        &self,
        contact: &Contact,
        body: &Body,
        x: &[Vector3<f64>],
    ) -> ([u32; 4], [Vector3<f64>; 4], [f64; 4], Vector3<f64>) {
        let corners = body.tets[self.tet as usize];
        let shape = Shape::of(&corners.map(|i| x[i as usize])).expect("contacts lie in elements with volume");
        let values = body.depths[self.tet as usize].of_part(self.part);
        (corners, shape.slopes, shape.coordinates(&contact.point), shape.gradient(&values))
    }

    /// ∇²d̃ at a fixed point of the probe, times the weight.
    fn curvature(&self, contact: &Contact, body: &Body, x: &[Vector3<f64>]) -> DMatrix<f64> {
        let (corners, h, u, g) = self.field(contact, body, x);
        let mut curvature = DMatrix::zeros(3 * x.len(), 3 * x.len());
        let mut add = |a: u32, b: u32, part: Matrix3<f64>| {
            let mut view = curvature.fixed_view_mut::<3, 3>(3 * a as usize, 3 * b as usize);
            view += self.weight * part;
        };
        for j in 0..4 {
            for &(block, coefficient) in probe_coefficients(contact) {
                add(block, corners[j], -coefficient * h[j] * g.transpose());
                add(corners[j], block, -coefficient * g * h[j].transpose());
            }
            for i in 0..4 {
                add(corners[i], corners[j], u[j] * g * h[i].transpose() + u[i] * h[j] * g.transpose());
            }
        }
        curvature
    }

    /// ∂d̃ at a fixed point of the edge.
    fn column(&self, contact: &Contact, body: &Body, x: &[Vector3<f64>]) -> DVector<f64> {
        let (corners, _, u, g) = self.field(contact, body, x);
        let probe = probe_coefficients(contact).iter().map(|&(block, coefficient)| (block, coefficient * g));
        dense(probe.chain((0..4).map(|i| (corners[i], -u[i] * g))), x.len())
    }

    /// ∂(∂d̃/∂s) at a fixed point of the edge.
    fn slope_gradient(&self, contact: &Contact, body: &Body, x: &[Vector3<f64>]) -> DVector<f64> {
        let (corners, h, _, g) = self.field(contact, body, x);
        let [from, to] = [contact.coefficients[0].0, contact.coefficients[1].0];
        let along = x[to as usize] - x[from as usize];
        let nodes = (0..4).map(|i| (corners[i], -h[i].dot(&along) * g));
        dense([(from, -g), (to, g)].into_iter().chain(nodes), x.len())
    }
}

/// Blocks of the probe alone with their coefficients.
fn probe_coefficients(contact: &Contact) -> &[(u32, f64)] {
    let count = if matches!(contact.probe, Probe::Edge(..)) { 2 } else { 1 };
    &contact.coefficients[..count]
}

/// The dense vector of a sparse column.
fn dense(column: impl Iterator<Item = (u32, Vector3<f64>)>, blocks: usize) -> DVector<f64> {
    let mut dense = DVector::zeros(3 * blocks);
    for (block, j) in column {
        let mut rows = dense.fixed_rows_mut::<3>(3 * block as usize);
        rows += j;
    }
    dense
}
