//! Velocities of contacts at the ports of trees, and their responses.

use nalgebra::{Matrix3, Vector3};

use super::contact::{Contact, Side};
use super::ports::Ports;
use crate::algebra::{add, dot};

/// Velocity of a side at its contact.
fn velocity(side: &Side, velocities: &[f64]) -> Vector3<f64> {
    let at = &velocities[side.port..side.port + 6];
    let (angular, linear) = (Vector3::new(at[0], at[1], at[2]), Vector3::new(at[3], at[4], at[5]));
    linear + angular.cross(&side.arm)
}

/// Velocity of the second side of a contact relative to the first.
pub(super) fn relative(contact: &Contact, velocities: &[f64]) -> Vector3<f64> {
    let [first, second] =
        contact.sides.map(|side| side.map_or(Vector3::zeros(), |side| velocity(&side, velocities)));
    second - first + contact.given
}

/// Adds the coordinates of unit response of the velocity of a side at its contact, with a sign, to rows for the axes, one after another.
pub(super) fn add_side(side: &Side, sign: f64, ports: &Ports, rows: &mut [f64]) {
    let (first, length) = (side.port - ports.first, ports.basis.nrows());
    let [x, y, z] = [0, 1, 2].map(|axis| ports.of_port(first + axis));
    let arm = &side.arm;
    let mut along = |axis: usize, [(a, from), (b, to)]: [(f64, &[f64]); 2]| {
        let linear = ports.of_port(first + 3 + axis);
        let row = &mut rows[axis * length..(axis + 1) * length];
        for (((row, linear), from), to) in row.iter_mut().zip(linear).zip(from).zip(to) {
            *row += sign * (linear + (a * from - b * to));
        }
    };
    along(0, [(arm.z, y), (arm.y, z)]);
    along(1, [(arm.x, z), (arm.z, x)]);
    along(2, [(arm.y, x), (arm.x, y)]);
}

/// Response of a contact's velocity to its impulse, and the sum of those of its sides alone.
pub(super) fn own_response(contact: &Contact, ports: &[Ports]) -> [Matrix3<f64>; 2] {
    let gram = |rows: &[f64]| {
        let row = |axis: usize| &rows[axis * rows.len() / 3..(axis + 1) * rows.len() / 3];
        Matrix3::from_fn(|i, j| dot(row(i), row(j)))
    };
    let of_side = |side: &Side| {
        let mut rows = vec![0.0; 3 * ports[side.tree].basis.nrows()];
        add_side(side, 1.0, &ports[side.tree], &mut rows);
        rows
    };
    let mut sides = contact.sides.iter().flatten().map(of_side);
    let (Some(mut rows), second) = (sides.next(), sides.next()) else { return [Matrix3::zeros(); 2] };
    let alone = gram(&rows) + second.as_ref().map_or(Matrix3::zeros(), |rows| gram(rows));
    let is_of_one = matches!(contact.sides, [Some(a), Some(b)] if a.tree == b.tree);
    let (true, Some(second)) = (is_of_one, second) else { return [alone, alone] };
    add(&mut rows, -1.0, &second);
    [gram(&rows), alone]
}
