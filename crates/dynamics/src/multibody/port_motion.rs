//! Velocities of contacts at the ports of trees, and what impulses there cause.

use nalgebra::{Matrix3, Vector3};

use super::contact::{Contact, Side};
use super::ports::Ports;

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
