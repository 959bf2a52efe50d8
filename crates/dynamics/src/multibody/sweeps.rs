//! Gauss–Seidel sweeps over the rows of all islands.

use nalgebra::{Matrix3, Vector3};

use super::contact::{Contact, Side};
use super::limit::Limit;
use super::ports::Ports;

/// Maximum number of sweeps: a bound on the work of a step; what is left then is reported.
const MAX_SWEEPS: usize = 200;
/// Change of a velocity in a sweep, as a fraction of the free fall of a step and of the speeds of the ports, at which the sweeps have
/// converged. Larger leaves more slip to gripped objects.
const CONVERGED: f64 = 1e-5;

/// Rows with the velocities of their ports.
pub(super) struct Problem<'a> {
    pub(super) ports: &'a [Ports],
    pub(super) velocities: Vec<f64>,
    pub(super) contacts: &'a mut [Contact],
    pub(super) limits: &'a mut [Limit],
    /// Velocities [m/s; rad/s or m/s] at which contacts and limits bear no load; −∞ of a contact that is left out.
    pub(super) targets: [Vec<f64>; 2],
    /// Softness of contacts that overlap, as a fraction of their response.
    pub(super) softness: f64,
    /// Speed [m/s] that counts as one.
    pub(super) scale: f64,
}

/// Result of the sweeps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Swept {
    pub(super) sweeps: usize,
    /// Largest change of the last sweep [m/s].
    pub(super) residual: f64,
}

/// Velocity of a side at its contact.
fn velocity(side: &Side, velocities: &[f64]) -> Vector3<f64> {
    let at = &velocities[side.port..side.port + 6];
    let (angular, linear) = (Vector3::new(at[0], at[1], at[2]), Vector3::new(at[3], at[4], at[5]));
    linear + angular.cross(&side.arm)
}

/// Adds to the velocities what an impulse on a side causes.
fn push(side: &Side, impulse: &Vector3<f64>, ports: &Ports, velocities: &mut [f64]) {
    let moment = side.arm.cross(impulse);
    let wrench = [moment.x, moment.y, moment.z, impulse.x, impulse.y, impulse.z];
    let own = &mut velocities[ports.first..ports.first + ports.count()];
    for (axis, amount) in wrench.into_iter().enumerate() {
        let column = ports.response.column(side.port - ports.first + axis);
        own.iter_mut().zip(column.iter()).for_each(|(velocity, response)| *velocity += response * amount);
    }
}

/// Velocity of the second side of a contact relative to the first.
pub(super) fn relative(contact: &Contact, velocities: &[f64]) -> Vector3<f64> {
    let [first, second] =
        contact.sides.map(|side| side.map_or(Vector3::zeros(), |side| velocity(&side, velocities)));
    second - first + contact.given
}

/// Adds to the velocities what an impulse on the second side of a contact, and its opposite on the first, causes.
pub(super) fn push_apart(contact: &Contact, impulse: &Vector3<f64>, ports: &[Ports], velocities: &mut [f64]) {
    for (side, sign) in contact.sides.iter().zip([-1.0, 1.0]) {
        if let Some(side) = side {
            push(side, &(impulse * sign), &ports[side.tree], velocities);
        }
    }
}

/// Response of a contact's velocity to its impulse, and the sum of those of its sides alone; `velocities` are zero before and after.
pub(super) fn own_response(contact: &Contact, ports: &[Ports], velocities: &mut [f64]) -> [Matrix3<f64>; 2] {
    let columns = [0, 1, 2].map(|axis| {
        push_apart(contact, &Vector3::ith(axis, 1.0), ports, velocities);
        let response = relative(contact, velocities) - contact.given;
        for side in contact.sides.iter().flatten() {
            let ports = &ports[side.tree];
            velocities[ports.first..ports.first + ports.count()].fill(0.0);
        }
        response
    });
    let of_side = |side: &Side| {
        let own = &ports[side.tree];
        let block = own.response.fixed_view::<6, 6>(side.port - own.first, side.port - own.first);
        let across = -side.arm.cross_matrix();
        let rotated = block.fixed_view::<3, 3>(3, 0) * across.transpose();
        block.fixed_view::<3, 3>(3, 3)
            + rotated
            + rotated.transpose()
            + across * block.fixed_view::<3, 3>(0, 0) * across.transpose()
    };
    let matrix = Matrix3::from_columns(&columns);
    match contact.sides {
        [Some(a), Some(b)] if a.tree == b.tree => [matrix, of_side(&a) + of_side(&b)],
        _ => [matrix, matrix],
    }
}

impl Problem<'_> {
    /// Applies the impulses that the rows have at the start.
    pub(super) fn start(&mut self) {
        for contact in &*self.contacts {
            push_apart(contact, &contact.impulse, self.ports, &mut self.velocities);
        }
        for limit in &*self.limits {
            let impulse = limit.sign * limit.impulse;
            push_joint(limit, impulse, &self.ports[limit.tree], &mut self.velocities);
        }
    }

    /// Sweeps until nothing changes, forwards and backwards in turn.
    pub(super) fn solve(&mut self) -> Swept {
        let mut swept = Swept::default();
        let count = self.contacts.len();
        while swept.sweeps < MAX_SWEEPS {
            let forwards = swept.sweeps % 2 == 0;
            let mut change = self.sweep_limits();
            for index in 0..count {
                let index = if forwards { index } else { count - 1 - index };
                change = change.max(self.sweep_contact(index));
            }
            swept = Swept { sweeps: swept.sweeps + 1, residual: change };
            if !(change > CONVERGED * self.scale) {
                break;
            }
        }
        swept
    }

    fn sweep_limits(&mut self) -> f64 {
        let mut change = 0.0_f64;
        for (limit, target) in self.limits.iter_mut().zip(&self.targets[1]) {
            let speed = limit.sign * self.velocities[limit.port];
            let wanted = (limit.impulse - (speed - target) / limit.response).max(0.0);
            let added = wanted - limit.impulse;
            limit.impulse = wanted;
            push_joint(limit, limit.sign * added, &self.ports[limit.tree], &mut self.velocities);
            change = change.max((added * limit.response).abs());
        }
        change
    }

    fn sweep_contact(&mut self, index: usize) -> f64 {
        let contact = &mut self.contacts[index];
        if self.targets[0][index] <= f64::NEG_INFINITY {
            return 0.0;
        }
        let u = relative(contact, &self.velocities);
        let softness = if contact.gap < 0.0 { self.softness } else { 0.0 };
        let wanted = contact.solve(&u, self.targets[0][index], softness);
        let added = wanted - contact.impulse;
        if added == Vector3::zeros() {
            return 0.0;
        }
        contact.impulse = wanted;
        push_apart(contact, &added, self.ports, &mut self.velocities);
        added.norm() * contact.response.normal
    }
}

fn push_joint(limit: &Limit, impulse: f64, ports: &Ports, velocities: &mut [f64]) {
    let own = &mut velocities[ports.first..ports.first + ports.count()];
    let column = ports.response.column(limit.port - ports.first);
    own.iter_mut().zip(column.iter()).for_each(|(velocity, response)| *velocity += response * impulse);
}
