//! The second derivatives of the depth of a contact, for solves in which Gauss–Newton steps are too long.
//!
//! With the relative displacement r = Σ p dx − Σ uⱼ dnⱼ of point and field and w = Σ hⱼ (g·dnⱼ) the second differential of the depth is
//! −2 r·w (`exact.rs`), and with any s > 0 −2 r·w = (|s r − w/s|² − |s r + w/s|²)/2: six outer products, three of them negative. An edge is taken at
//! a fixed point between fixed pieces, as it is while its active set is frozen. The rotation of an obstacle adds no second derivative here.

use nalgebra::Vector3;

use super::cell::{Cell, Shape};
use super::contacts::SoftContact;
use super::point::{BLOCKS, Contact, ENDS, Field, Site};
use crate::soft::interaction::OuterProducts;

/// Maximum number of blocks of a column: those of a contact, and the two of a rigid body.
const COLUMN: usize = BLOCKS + 2;

impl SoftContact {
    /// Appends force times second derivatives of the depth of `contact` with the blocks at `x`; nothing in the field of an obstacle.
    pub(super) fn add_curvature(&self, contact: &Contact, x: &[Vector3<f64>], hessian: &mut OuterProducts) {
        let (Field::Body(_), Some(site), true) = (contact.field, &contact.site, contact.pull() > 0.0) else {
            return;
        };
        match site {
            Site::Cell(cell) => self.add_side(contact, *cell, 1.0, x, hessian),
            Site::Face(deepest) => {
                for (side, weight) in deepest.sides.iter().zip([deepest.weight, 1.0 - deepest.weight]) {
                    self.add_side(contact, Cell { tet: side.tet, part: side.part }, weight, x, hessian);
                }
            }
        }
    }

    /// Appends the second derivatives in one cell, times force and `weight`.
    fn add_side(
        &self,
        contact: &Contact,
        cell: Cell,
        weight: f64,
        x: &[Vector3<f64>],
        hessian: &mut OuterProducts,
    ) {
        let Field::Body(number) = contact.field else { return };
        let body = &self.bodies[number as usize];
        let corners = body.tets[cell.tet as usize];
        let Some(shape) = Shape::of(&corners.map(|i| x[i as usize])) else { return };
        let gradient = shape.gradient(&body.depths[cell.tet as usize].of_part(cell.part));
        let u = shape.coordinates(&contact.point);
        // r has no unit and w one of 1/m: s makes them comparable, whatever the unit of length.
        let s = shape.slopes.iter().map(Vector3::norm).fold(0.0, f64::max).sqrt();
        for axis in 0..3 {
            let unit = Vector3::ith(axis, s);
            for sign in [1.0, -1.0] {
                let mut column = [(0, Vector3::zeros()); COLUMN];
                let (mut count, mut of_corners) = (0, 0);
                let mut add = |entry| {
                    column[count] = entry;
                    count += 1;
                };
                if contact.sides.is_some() {
                    contact.coefficients[..ENDS].iter().for_each(|&(block, p)| add((block, p * unit)));
                    corners.iter().zip(u).for_each(|(&block, u)| add((block, -u * unit)));
                    of_corners = ENDS;
                } else {
                    contact.column(unit, self.obstacle_pose_of(contact)).for_each(add);
                    of_corners += contact.count - corners.len();
                }
                for (entry, slope) in column[of_corners..].iter_mut().zip(&shape.slopes) {
                    entry.1 += sign / s * slope[axis] * gradient;
                }
                let stiffness = -0.5 * sign * weight * contact.pull();
                hessian.push_signed(stiffness, column[..count].iter().copied());
            }
        }
    }
}
