//! Springs between nodes of soft bodies and points of dynamic rigid bodies.
//!
//! A rigid body takes part with two blocks, the position c of its centre of mass and its turn θ since the start of the
//! step. A point r [m, world axes, from the centre of mass, at the start of the step] is at p = c + exp(θ) r, and
//!
//! E = k/2 ‖x − p‖², ∂p/∂θ = −[exp(θ) r]× J(θ), J(θ) = ∫₀¹ exp(sθ) ds,
//!
//! so that the force on the node and the force and the torque on the body balance exactly.

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::interaction::{Interaction, OuterProducts};

/// An angle [rad] below which J(θ) is taken by its series: the closed form would divide rounding by θ³.
const SMALL_TURN: f64 = 1e-4;

/// A node that hangs on a point of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The node's block.
    pub node: u32,
    /// Block of the rigid body's centre of mass; the turn is the next block.
    pub body: u32,
    /// The point, from the centre of mass, in world axes at the start of the step [m].
    pub arm: Vector3<f64>,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

/// Attachments as an interaction, beside another one.
pub struct Attached<'a> {
    /// The attachments.
    pub attachments: &'a [Attachment],
    /// What else acts.
    pub other: &'a mut dyn Interaction,
}

impl Attachment {
    /// From the point to the node [m].
    #[must_use]
    pub fn gap(&self, x: &[Vector3<f64>]) -> Vector3<f64> {
        let body = self.body as usize;
        x[self.node as usize] - x[body] - Rotation3::new(x[body + 1]) * self.arm
    }

    /// ∂p/∂θ.
    fn turn_jacobian(&self, turn: &Vector3<f64>) -> Matrix3<f64> {
        let arm: Vector3<f64> = Rotation3::new(*turn) * self.arm;
        -arm.cross_matrix() * mean_rotation(turn)
    }
}

/// J(θ) = 1 + (1 − cos θ)/θ² \[θ\]× + (θ − sin θ)/θ³ \[θ\]×².
fn mean_rotation(turn: &Vector3<f64>) -> Matrix3<f64> {
    let (angle, cross) = (turn.norm(), turn.cross_matrix());
    let (first, second) = if angle < SMALL_TURN {
        (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
    } else {
        let half = (0.5 * angle).sin() / angle;
        (2.0 * half * half, (angle - angle.sin()) / (angle * angle * angle))
    };
    Matrix3::identity() + first * cross + second * cross * cross
}

impl Interaction for Attached<'_> {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        let springs = self.attachments.iter().map(|a| 0.5 * a.stiffness * a.gap(x).norm_squared());
        springs.sum::<f64>() + self.other.energy(x)
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        let mut energy = 0.0;
        for attachment in self.attachments {
            let (node, body) = (attachment.node, attachment.body);
            let gap = attachment.gap(x);
            let pull = attachment.stiffness * gap;
            let turning = attachment.turn_jacobian(&x[body as usize + 1]);
            energy += 0.5 * pull.dot(&gap);
            g[node as usize] += pull;
            g[body as usize] -= pull;
            g[body as usize + 1] -= turning.tr_mul(&pull);
            for axis in 0..3 {
                let unit = Vector3::ith(axis, 1.0);
                let turned = -turning.row(axis).transpose();
                hessian.push(attachment.stiffness, [(node, unit), (body, -unit), (body + 1, turned)]);
            }
        }
        energy + self.other.linearise(x, g, hessian)
    }

    fn beside(&mut self) -> Option<&mut dyn Interaction> {
        Some(self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Nothing;
    use super::*;

    fn attachments() -> [Attachment; 2] {
        let arm = |x: f64| Vector3::new(x, 0.5, -0.2);
        [
            Attachment { node: 0, body: 2, arm: arm(0.4), stiffness: 30.0 },
            Attachment { node: 1, body: 2, arm: arm(-1.0), stiffness: 50.0 },
        ]
    }

    fn places(turn: f64) -> Vec<Vector3<f64>> {
        let turn = turn * Vector3::new(0.6, -0.3, 0.9);
        vec![Vector3::new(0.5, 0.1, 0.2), Vector3::new(-0.3, 0.4, 1.0), Vector3::new(0.1, 0.0, 0.3), turn]
    }

    #[test]
    fn the_gradient_is_the_difference_quotient_of_the_energy() {
        let attachments = attachments();
        for turn in [0.0, 1e-5, 0.01, 1.0, 2.5] {
            let mut x = places(turn);
            let mut nothing = Nothing;
            let mut attached = Attached { attachments: &attachments, other: &mut nothing };
            let mut g = vec![Vector3::zeros(); 4];
            let energy = attached.linearise(&x, &mut g, &mut OuterProducts::default());
            assert!((energy - attached.energy(&x)).abs() < 1e-12 * energy);
            for (block, axis) in (0..4).flat_map(|block| (0..3).map(move |axis| (block, axis))) {
                let before = x[block][axis];
                let mut at = |shift: f64| {
                    x[block][axis] = before + shift;
                    attached.energy(&x)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                x[block][axis] = before;
                assert!((slope - g[block][axis]).abs() < 1e-7 * 100.0, "{turn} {block} {axis}");
            }
        }
    }

    #[test]
    fn forces_and_torques_sum_to_zero() {
        let attachments = attachments();
        let x = places(0.0);
        let mut g = vec![Vector3::zeros(); 4];
        let mut nothing = Nothing;
        Attached { attachments: &attachments, other: &mut nothing }.linearise(
            &x,
            &mut g,
            &mut OuterProducts::default(),
        );
        let torque = x[0].cross(&g[0]) + x[1].cross(&g[1]) + x[2].cross(&g[2]) + g[3];
        assert!((g[0] + g[1] + g[2]).norm() < 1e-12 && torque.norm() < 1e-12);
    }
}
