//! Evaluation of the incremental potential: energy, gradient, Hessian.

use std::time::Instant;

use nalgebra::{Matrix3, Vector3};

use super::{Newton, Point};
use crate::error::SoftError;
use crate::soft::blocks::{DerivativeOrder, dot, norm};
use crate::soft::system::{Kernel, SoftSystem};

impl Newton<'_> {
    /// Evaluates energy and gradient at the point, and the Hessian that `order` names into the system's matrix.
    pub(super) fn evaluate(&mut self, point: &mut Point, order: DerivativeOrder) -> Result<(), SoftError> {
        let start = Instant::now();
        if !self.inversion.admits(self.system, &point.x) {
            // The barrier's energy is infinite there.
            point.energy = f64::INFINITY;
            return Err(self.not_finite(point));
        }
        point.gradient.resize(point.x.len(), Vector3::zeros());
        let SoftSystem { bodies, first, matrix, .. } = &mut *self.system;
        point.elastic = matrix.assemble(&Kernel { bodies, first }, &point.x, order, &mut point.gradient);
        (point.energy, point.magnitude) = (point.elastic, point.elastic.abs());
        // Norms of the parts of the gradient, before they cancel: the forces to which the residual is relative.
        let elastic = norm(&point.gradient);
        if self.damped {
            self.damp(point, order);
        }
        let moving = self.inertia_and_forces(point);
        if order != DerivativeOrder::Gradient {
            self.add_masses();
        }
        self.report.times.assembly += start.elapsed().as_secs_f64();
        let start = Instant::now();
        // At equilibrium the interaction's force is the opposite of this sum.
        let before = norm(&point.gradient);
        self.bar_inversion(point, order);
        let SoftSystem { outer, .. } = &mut *self.system;
        let contact = self.interaction.linearise(&point.x, &mut point.gradient, outer);
        self.report.times.contact += start.elapsed().as_secs_f64();
        point.energy += contact;
        point.magnitude += contact.abs();
        let free = point.gradient.iter().zip(&self.system.free);
        point.residual = free.map(|(g, free)| g.component_mul(free).norm_squared()).sum::<f64>().sqrt();
        point.scale = elastic.max(moving).max(before).max(f64::MIN_POSITIVE);
        if (point.energy + point.residual).is_finite() { Ok(()) } else { Err(self.not_finite(point)) }
    }

    /// Clears the outer products and adds the barrier against inversion to energy, gradient and Hessian.
    fn bar_inversion(&mut self, point: &mut Point, order: DerivativeOrder) {
        let mut outer = std::mem::take(&mut self.system.outer);
        outer.clear();
        // Where Newton's steps fit, the Gauss–Newton terms serve as well at a fraction of the cost.
        outer.permit_indefinite(order == DerivativeOrder::ExactHessian && self.report.halvings > 0);
        let wanted = (order != DerivativeOrder::Gradient).then_some(&mut outer);
        let energy = self.inversion.linearise(self.system, &point.x, &mut point.gradient, wanted);
        self.system.outer = outer;
        point.energy += energy.unwrap_or(f64::INFINITY);
        point.magnitude += energy.unwrap_or_default();
    }

    /// Adds stiffness-proportional damping c/2 ‖x − z‖² in the norm of βK to energy, gradient and matrix.
    fn damp(&mut self, point: &mut Point, order: DerivativeOrder) {
        let rate = self.potential.rate;
        let moved: Vec<_> = point.x.iter().zip(&self.potential.z).map(|(x, z)| x - z).collect();
        let mut product = vec![Vector3::zeros(); moved.len()];
        self.system.matrix.multiply_damping(&moved, &mut product);
        let energy = 0.5 * rate * dot(&moved, &product);
        point.energy += energy;
        point.magnitude += energy.abs();
        point.gradient.iter_mut().zip(&product).for_each(|(g, product)| *g += rate * product);
        if order != DerivativeOrder::Gradient {
            self.system.matrix.add_damping(rate);
        }
    }

    /// Adds inertia, mass-proportional damping and constant forces to energy and gradient; returns the larger of the norms of the
    /// inertial and the constant forces [N].
    fn inertia_and_forces(&mut self, point: &mut Point) -> f64 {
        let (potential, system) = (self.potential, &*self.system);
        let (mut inertial, mut constant) = (0.0, 0.0);
        // The last range is that of the extra blocks.
        for body in 0..system.first.len() {
            let end = system.first.get(body + 1).map_or(system.block_count(), |&end| end as usize);
            let damping = potential.rate * system.mass_damping(body);
            let inertia = potential.inertia_of(body < system.bodies.len());
            for block in system.first[body] as usize..end {
                let x = point.x[block];
                let force = potential.forces[block];
                let work = force.dot(&(x - potential.origin[block]));
                point.energy -= work;
                point.magnitude += work.abs();
                point.gradient[block] -= force;
                constant += force.norm_squared();
                if inertia <= 0.0 {
                    continue;
                }
                let moved = x - potential.y[block];
                let mut push = inertia * system.inertia_times(block, &moved);
                inertial += push.norm_squared();
                let mut energy = 0.5 * push.dot(&moved);
                if damping > 0.0 {
                    let moved = x - potential.z[block];
                    let drag = damping * system.inertia_times(block, &moved);
                    energy += 0.5 * drag.dot(&moved);
                    push += drag;
                }
                point.energy += energy;
                point.magnitude += energy;
                point.gradient[block] += push;
            }
        }
        inertial.max(constant).sqrt()
    }

    /// Adds the Hessian of inertia and mass-proportional damping to the matrix.
    fn add_masses(&mut self) {
        let (potential, system) = (self.potential, &mut *self.system);
        for body in 0..system.first.len() {
            let end = system.first.get(body + 1).map_or(system.block_count(), |&end| end as usize);
            let factor =
                potential.inertia_of(body < system.bodies.len()) + potential.rate * system.mass_damping(body);
            for block in system.first[body] as usize..end {
                let term: Matrix3<f64> = factor * system.inertia(block);
                system.matrix.add_diagonal(block, &term);
            }
        }
    }
}
