//! Springs between nodes of soft bodies and points of dynamic rigid bodies.
//!
//! A rigid body has two blocks of unknowns, the position c of its centre of mass and its rotation vector θ since the start of
//! the step. A point r [m, world axes, from the centre of mass, at the start of the step] is at p = c + exp(θ) r, and
//!
//! E = k/2 ‖x − p‖², ∂p/∂θ = −[exp(θ) r]× J(θ), J(θ) = ∫₀¹ exp(sθ) ds,
//!
//! so that the force on the node and the force and the torque on the body balance exactly. J(θ) is the left Jacobian of SO(3).

use nalgebra::{Matrix3, Rotation3, Vector3};

use super::interaction::{Interaction, OuterProducts};

/// Angle [rad] below which J(θ) is evaluated by its series: the closed form divides the rounding of θ − sin θ by θ³. At
/// 1e-4 the neglected terms, θ⁴/720 and less, are below rounding. A safeguard, without effect on the sets of
/// docs/sensitivity.md.
const SMALL_ANGLE: f64 = 1e-4;

/// Spring between a node and a point of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attachment {
    /// The node's block.
    pub node: u32,
    /// Block of the rigid body's centre of mass; the rotation vector is the next block.
    pub body: u32,
    /// The point, from the centre of mass, in world axes at the start of the step \[m\].
    pub arm: Vector3<f64>,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

/// Attachments as an interaction, added to another one.
pub struct Attached<'a> {
    /// The attachments.
    pub attachments: &'a [Attachment],
    /// The other interaction.
    pub other: &'a mut dyn Interaction,
}

impl Attachment {
    /// Vector from the point to the node, x − p \[m\].
    #[must_use]
    pub fn gap(&self, x: &[Vector3<f64>]) -> Vector3<f64> {
        let body = self.body as usize;
        x[self.node as usize] - x[body] - Rotation3::new(x[body + 1]) * self.arm
    }

    /// ∂p/∂θ.
    fn rotation_jacobian(&self, theta: &Vector3<f64>) -> Matrix3<f64> {
        let arm: Vector3<f64> = Rotation3::new(*theta) * self.arm;
        -arm.cross_matrix() * left_jacobian(theta)
    }
}

/// J(θ) = 1 + (1 − cos θ)/θ² \[θ\]× + (θ − sin θ)/θ³ \[θ\]×².
pub(super) fn left_jacobian(theta: &Vector3<f64>) -> Matrix3<f64> {
    let (angle, cross) = (theta.norm(), theta.cross_matrix());
    let (first, second) = if angle < SMALL_ANGLE {
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
            let jacobian = attachment.rotation_jacobian(&x[body as usize + 1]);
            energy += 0.5 * pull.dot(&gap);
            g[node as usize] += pull;
            g[body as usize] -= pull;
            g[body as usize + 1] -= jacobian.tr_mul(&pull);
            // Gauss–Newton: one outer product for each component of x − p; the term of ∂²p/∂θ² is left out.
            for axis in 0..3 {
                let unit = Vector3::ith(axis, 1.0);
                let row = -jacobian.row(axis).transpose();
                hessian.push(attachment.stiffness, [(node, unit), (body, -unit), (body + 1, row)]);
            }
        }
        energy + self.other.linearise(x, g, hessian)
    }

    fn inner(&mut self) -> Option<&mut dyn Interaction> {
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

    fn places(angle: f64) -> Vec<Vector3<f64>> {
        let theta = angle * Vector3::new(0.6, -0.3, 0.9);
        vec![Vector3::new(0.5, 0.1, 0.2), Vector3::new(-0.3, 0.4, 1.0), Vector3::new(0.1, 0.0, 0.3), theta]
    }

    #[test]
    fn the_gradient_is_the_difference_quotient_of_the_energy() {
        let attachments = attachments();
        for angle in [0.0, 1e-5, 0.01, 1.0, 2.5] {
            let mut x = places(angle);
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
                assert!((slope - g[block][axis]).abs() < 1e-7 * 100.0, "{angle} {block} {axis}");
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
