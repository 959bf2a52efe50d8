//! The exact Hessian of the contacts of soft bodies, dense, for checks.
//!
//! For a point with shares p of blocks in an element, dy = Σ p dx − Σ uⱼ dnⱼ: duᵢ = hᵢ·dy and dg = −Σ hⱼ (g·dnⱼ), hence
//! ∇²d̃: (point, nⱼ) ↦ −hⱼ gᵀ and (nᵢ, nⱼ) ↦ uⱼ g hᵢᵀ + uᵢ hⱼ gᵀ. On an edge, with P − Q = 0 fixing s: s' = −(∂P − ∂Q)/(P' − Q') and
//! ∇²D = λ (∇²P + ∂P' s'ᵀ + s' ∂P'ᵀ) + (1 − λ) (the same of Q).

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::body::Body;
use super::cell::{Cell, Shape};
use super::contacts::SoftContact;
use super::point::{Contact, Field, Probe, Site};

impl SoftContact {
    /// The exact Hessian [N/m], 3 rows for each block of `x`, of what soft bodies do to each other and themselves; friction and
    /// obstacles are left out. For checks: it is dense and has negative eigenvalues, which a solver is spared.
    pub fn exact_hessian(&mut self, x: &[Vector3<f64>]) -> DMatrix<f64> {
        self.find(x);
        let mut hessian = DMatrix::zeros(3 * x.len(), 3 * x.len());
        for contact in self.found.contacts.iter().filter(|contact| contact.obstacle.is_none()) {
            let (Field::Body(body), Some(site)) = (contact.field, contact.site) else { continue };
            if !(contact.pressed > 0.0) {
                continue;
            }
            let column = dense(contact.jacobian(None), x.len());
            hessian += contact.stiffness * &column * column.transpose();
            let scale = contact.stiffness * contact.pressed;
            let body = &self.bodies[body as usize];
            match site {
                Site::Cell(Cell { tet, part }) => {
                    let side = Side { tet, part, share: 1.0 };
                    hessian += scale * side.curvature(contact, body, x);
                }
                Site::Face(deepest) => {
                    let shares = [deepest.weight, 1.0 - deepest.weight];
                    let sides = [0, 1].map(|i| Side {
                        tet: deepest.sides[i].tet,
                        part: deepest.sides[i].part,
                        share: shares[i],
                    });
                    let turn = deepest.sides[0].slope - deepest.sides[1].slope;
                    let [rising, falling] = sides.each_ref().map(|side| side.column(contact, body, x));
                    let moving = -(rising - falling) / turn;
                    for side in &sides {
                        let drift = side.drift(contact, body, x);
                        let mixed = &drift * moving.transpose();
                        let whole =
                            side.curvature(contact, body, x) + side.share * (&mixed + mixed.transpose());
                        hessian += scale * whole;
                    }
                }
            }
        }
        hessian
    }
}

/// A part of a tetrahedron that a contact's point lies in.
struct Side {
    tet: u32,
    part: usize,
    share: f64,
}

impl Side {
    /// Corners, hᵢ, uᵢ and g.
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

    /// ∇²d̃ at a fixed point of the probe, times the share.
    fn curvature(&self, contact: &Contact, body: &Body, x: &[Vector3<f64>]) -> DMatrix<f64> {
        let (corners, h, u, g) = self.field(contact, body, x);
        let mut curvature = DMatrix::zeros(3 * x.len(), 3 * x.len());
        let mut add = |a: u32, b: u32, part: Matrix3<f64>| {
            let mut view = curvature.fixed_view_mut::<3, 3>(3 * a as usize, 3 * b as usize);
            view += self.share * part;
        };
        for j in 0..4 {
            for &(block, share) in probe_shares(contact) {
                add(block, corners[j], -share * h[j] * g.transpose());
                add(corners[j], block, -share * g * h[j].transpose());
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
        let probe = probe_shares(contact).iter().map(|&(block, share)| (block, share * g));
        dense(probe.chain((0..4).map(|i| (corners[i], -u[i] * g))), x.len())
    }

    /// ∂(∂d̃/∂s) at a fixed point of the edge.
    fn drift(&self, contact: &Contact, body: &Body, x: &[Vector3<f64>]) -> DVector<f64> {
        let (corners, h, _, g) = self.field(contact, body, x);
        let [from, to] = [contact.shares[0].0, contact.shares[1].0];
        let along = x[to as usize] - x[from as usize];
        let nodes = (0..4).map(|i| (corners[i], -h[i].dot(&along) * g));
        dense([(from, -g), (to, g)].into_iter().chain(nodes), x.len())
    }
}

fn probe_shares(contact: &Contact) -> &[(u32, f64)] {
    let count = if matches!(contact.probe, Probe::Edge(..)) { 2 } else { 1 };
    &contact.shares[..count]
}

fn dense(column: impl Iterator<Item = (u32, Vector3<f64>)>, blocks: usize) -> DVector<f64> {
    let mut dense = DVector::zeros(3 * blocks);
    for (block, j) in column {
        let mut rows = dense.fixed_rows_mut::<3>(3 * block as usize);
        rows += j;
    }
    dense
}
