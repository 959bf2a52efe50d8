//! Velocities of contacts at the ports of trees, and their responses.

use nalgebra::{Matrix3, Vector3};

use super::acceleration::{add, dot};
use super::contact::{Contact, Side};
use super::ports::Ports;

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

/// Coordinates of unit response of the velocity of a side at its contact, by axis.
pub(super) fn of_side(side: &Side, ports: &Ports) -> [Vec<f64>; 3] {
    let first = side.port - ports.first;
    let [x, y, z] = [0, 1, 2].map(|axis| ports.of_port(first + axis));
    let arm = &side.arm;
    let along = |axis: usize, [(a, from), (b, to)]: [(f64, &[f64]); 2]| {
        let linear = ports.of_port(first + 3 + axis);
        let rotated = from.iter().zip(to).map(|(from, to)| a * from - b * to);
        linear.iter().zip(rotated).map(|(linear, rotated)| linear + rotated).collect::<Vec<f64>>()
    };
    [
        along(0, [(arm.z, y), (arm.y, z)]),
        along(1, [(arm.x, z), (arm.z, x)]),
        along(2, [(arm.y, x), (arm.x, y)]),
    ]
}

/// Response of a contact's velocity to its impulse, and the sum of those of its sides alone.
pub(super) fn own_response(contact: &Contact, ports: &[Ports]) -> [Matrix3<f64>; 2] {
    let gram = |rows: &[Vec<f64>; 3]| Matrix3::from_fn(|row, column| dot(&rows[row], &rows[column]));
    let sides = contact.sides.iter().flatten();
    let mut rows: Vec<[Vec<f64>; 3]> = sides.map(|side| of_side(side, &ports[side.tree])).collect();
    let alone = rows.iter().map(gram).sum();
    let is_of_one = matches!(contact.sides, [Some(a), Some(b)] if a.tree == b.tree);
    let (true, Some(second)) = (is_of_one, rows.pop()) else { return [alone, alone] };
    for (first, second) in rows.iter_mut().flatten().zip(&second) {
        add(first, -1.0, second);
    }
    [rows.iter().map(gram).sum(), alone]
}
