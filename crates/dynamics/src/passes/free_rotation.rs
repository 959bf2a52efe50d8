//! Free rotation: angular momentum stays, angular velocity follows the body as it turns.
//!
//! rapier turns a body by a constant angular velocity within a step. What turns it as a free body would is the *mean*
//! velocity of the exact motion; it is handed to rapier before the step, and after it the velocity is that of the
//! angular momentum at the new orientation. Impulses of contacts and joints act on the momentum in between.
//!
//! A body that contacts or joints hold must end a step with the velocity that they let it have. It is handed the
//! velocity at the end of the exact motion instead, and keeps what the solver makes of that. Whether it is held is told
//! by the step before.
//!
//! The exact motion is composed of rotations, each the exact flow of a part of the energy
//! H = |L|²/2Iₐ + ½ δ_b L_b² + ½ δ_c L_c², δ_i = 1/I_i − 1/Iₐ: about L for the first part, which commutes with the
//! others, about the principal axes b and c for these, in Strang's order [Reich94]. With Iₐ and I_b the closest two of
//! the moments, a symmetric top has δ_b = 0 and is exact.
//!
//! | here     | meaning                                              |
//! |----------|------------------------------------------------------|
//! | momentum | L, about the centre of mass [kg·m²/s, world]         |
//! | moments  | principal moments of inertia [kg·m²]                 |
//! | frame    | rotation principal frame → world                     |

use nalgebra::{Quaternion, Unit, UnitQuaternion, Vector3};
use rapier3d::dynamics::{RigidBody, RigidBodyHandle, RigidBodySet};
use rapier3d::pipeline::PhysicsWorld;

use crate::stateful::{Mismatch, Stateful, fits};

/// Relative difference of the moments below which a body turns like a ball.
const BALL: f64 = 1e-9;
/// Angle of a step [rad] below which a body counts as not turning.
const STILL: f64 = 1e-8;
/// Angle [rad] a body turns in one composition; the error is a 24th of its square.
const PIECE: f64 = 0.05;
/// Share of its angular velocity by which a step changes that of a body that nothing holds: rounding.
const ROUNDING: f64 = 1e-10;
/// Angle of a step [rad] beyond which the mean velocity is not defined well: whole turns would be lost.
const FASTEST: f64 = 2.0;

/// How a body is about to turn.
#[derive(Debug, Clone, Copy)]
struct Turning {
    top: usize,
    /// Angular momentum at the start of the step.
    momentum: Vector3<f64>,
    /// Angular velocity [rad/s, world] rapier was given.
    given: Vector3<f64>,
    /// Rotation principal frame → world at the start of the step.
    frame: UnitQuaternion<f64>,
}

/// A body whose principal moments differ.
#[derive(Debug, Clone, Copy)]
struct Top {
    body: RigidBodyHandle,
    /// Whether contacts or joints held it in the last step.
    held: bool,
}

/// The free rotation of the bodies of a world.
#[derive(Debug, Default)]
pub(crate) struct FreeRotation {
    tops: Vec<Top>,
    turning: Vec<Turning>,
}

/// Which of the bodies contacts or joints held in the last step.
impl Stateful for FreeRotation {
    type State = Vec<bool>;

    fn snapshot(&self) -> Vec<bool> {
        self.tops.iter().map(|top| top.held).collect()
    }

    fn restore(&mut self, state: Vec<bool>) -> Result<(), Mismatch> {
        fits(state.len() == self.tops.len())?;
        self.tops.iter_mut().zip(state).for_each(|(top, held)| top.held = held);
        Ok(())
    }
}

impl FreeRotation {
    /// Of those bodies that do not turn like balls.
    ///
    /// Parts of a robot are rapier's own matter: their velocities follow from those of the joints.
    pub(crate) fn of(physics: &PhysicsWorld, handles: &[RigidBodyHandle]) -> Self {
        let is_top = |handle: &RigidBodyHandle| {
            let body = &physics.bodies[*handle];
            let moments = moments(body);
            let is_free = body.is_dynamic() && physics.multibody_joints.rigid_body_link(*handle).is_none();
            is_free && moments.max() - moments.min() > BALL * moments.max()
        };
        let tops = handles.iter().copied().filter(is_top).map(|body| Top { body, held: false });
        Self { tops: tops.collect(), turning: Vec::new() }
    }

    /// Gives bodies the velocity of their free rotation over a step [s] of `substeps`.
    pub(crate) fn before_step(&mut self, bodies: &mut RigidBodySet, step: f64, substeps: u32) {
        self.turning.clear();
        for (top, Top { body: handle, held }) in self.tops.iter().copied().enumerate() {
            let body = &bodies[handle];
            let velocity: Vector3<f64> = body.angvel().into();
            let angle = velocity.norm() * step;
            if body.is_sleeping() || !(angle > STILL && angle < FASTEST) {
                continue;
            }
            let (frame, moments) = (frame(body), moments(body));
            let momentum = frame * moments.component_mul(&(frame.inverse() * velocity));
            let turned = turned_freely(&frame, &momentum, &moments, step);
            let given = if held {
                turned * (turned.inverse() * momentum).component_div(&moments)
            } else {
                let mean = mean_velocity(&frame, &turned, step);
                // rapier turns by 2 atan(ω h/2) in a substep h instead of by ω h.
                let half = mean.norm() * step / (2.0 * f64::from(substeps));
                if half > 0.0 { mean * (half.tan() / half) } else { mean }
            };
            bodies[handle].set_angvel(given.into(), false);
            self.turning.push(Turning { top, momentum, given, frame });
        }
    }

    /// Gives bodies the velocity of their angular momentum: that before the step and what impulses added.
    pub(crate) fn after_step(&mut self, bodies: &mut RigidBodySet, step: f64) {
        for turning in &self.turning {
            let top = &mut self.tops[turning.top];
            let body = &bodies[top.body];
            let moments = moments(body);
            let change: Vector3<f64> = Vector3::from(body.angvel()) - turning.given;
            let damped = 2.0 * step * body.angular_damping() + ROUNDING;
            let was_held = std::mem::replace(&mut top.held, change.norm() > damped * turning.given.norm());
            if was_held && top.held {
                continue;
            }
            let impulse = turning.frame * moments.component_mul(&(turning.frame.inverse() * change));
            let momentum = turning.momentum + impulse;
            let frame = frame(body);
            let velocity = frame * (frame.inverse() * momentum).component_div(&moments);
            bodies[top.body].set_angvel(velocity.into(), false);
        }
    }
}

/// Principal moments of inertia [kg·m²].
fn moments(body: &RigidBody) -> Vector3<f64> {
    body.mass_properties().local_mprops.principal_inertia().into()
}

/// Rotation principal frame → world.
fn frame(body: &RigidBody) -> UnitQuaternion<f64> {
    (body.rotation() * body.mass_properties().local_mprops.principal_inertia_local_frame).into()
}

/// The constant angular velocity [rad/s, world] that turns a frame to another one in `time` [s].
fn mean_velocity(frame: &UnitQuaternion<f64>, turned: &UnitQuaternion<f64>, time: f64) -> Vector3<f64> {
    let turned = turned * frame.inverse();
    let turned = if turned.w < 0.0 { -*turned.quaternion() } else { *turned.quaternion() };
    let sine = turned.imag().norm();
    // 2 atan2(s, w)/s, which is 2 in the limit.
    let factor = if sine > 0.0 { 2.0 * sine.atan2(turned.w) / sine } else { 2.0 };
    turned.imag() * (factor / time)
}

/// The rotation principal frame → world of a free body after `time` [s].
fn turned_freely(
    frame: &UnitQuaternion<f64>,
    momentum: &Vector3<f64>,
    moments: &Vector3<f64>,
    time: f64,
) -> UnitQuaternion<f64> {
    let [a, b, c] = closest_first(moments);
    let rate = |axis: usize| 1.0 / moments[axis] - 1.0 / moments[a];
    let (rate_b, rate_c) = (rate(b), rate(c));
    let fastest = momentum.norm() * time / moments.min();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "angles of a step are below a turn"
    )]
    let pieces = (fastest / PIECE).ceil().clamp(1.0, 1000.0) as u32;
    let piece = time / f64::from(pieces);
    let mut turned = *frame;
    let mut local = frame.inverse() * momentum;
    let mut about = |axis: usize, rate: f64, duration: f64| {
        let angle = rate * local[axis] * duration;
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let mut imaginary = Vector3::zeros();
        imaginary[axis] = sine;
        let turn = UnitQuaternion::new_unchecked(Quaternion::from_parts(cosine, imaginary));
        turned *= turn;
        local = turn.inverse() * local;
    };
    for _ in 0..pieces {
        about(b, rate_b, 0.5 * piece);
        about(c, rate_c, piece);
        about(b, rate_b, 0.5 * piece);
    }
    let axis = Unit::try_new(*momentum, 0.0);
    axis.map_or(turned, |axis| {
        UnitQuaternion::from_axis_angle(&axis, momentum.norm() * time / moments[a]) * turned
    })
}

/// The principal axes, the two of the closest moments first.
fn closest_first(moments: &Vector3<f64>) -> [usize; 3] {
    let apart = |i: usize, j: usize| (1.0 / moments[i] - 1.0 / moments[j]).abs();
    [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
        .into_iter()
        .min_by(|p, q| apart(p[0], p[1]).total_cmp(&apart(q[0], q[1])))
        .expect("there are three")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tilted() -> UnitQuaternion<f64> {
        UnitQuaternion::from_euler_angles(0.3, -0.5, 1.1)
    }

    #[test]
    fn a_symmetric_top_precesses_about_its_momentum_at_l_over_i_whatever_the_step() {
        let moments = Vector3::new(2.0, 0.7, 2.0);
        let (frame, momentum) = (tilted(), Vector3::new(0.4, 3.0, -1.2));
        let time = 1.7;
        let along = (frame.inverse() * momentum).y;
        let precession = UnitQuaternion::from_scaled_axis(momentum * (time / 2.0));
        let spin = UnitQuaternion::from_scaled_axis(Vector3::y() * (along * (1.0 / 0.7 - 1.0 / 2.0) * time));
        let exact = precession * frame * spin;
        assert!(turned_freely(&frame, &momentum, &moments, time).angle_to(&exact) < 1e-12);
    }

    #[test]
    fn the_composition_is_of_second_order_and_conserves_energy() {
        // Against itself with many times the pieces, one of which is a step here: the error falls with the square of the step.
        let moments = Vector3::new(0.34, 0.26, 0.10);
        let (frame, momentum) = (tilted(), Vector3::new(0.05, 0.8, 0.05));
        let walk = |pieces: u32, time: f64| {
            (0..pieces)
                .fold(frame, |frame, _| turned_freely(&frame, &momentum, &moments, time / f64::from(pieces)))
        };
        let exact = walk(200_000, 2.0);
        let errors = [400, 800].map(|pieces| walk(pieces, 2.0).angle_to(&exact));
        assert!(errors[0] < 1e-3 && (3.5..4.5).contains(&(errors[0] / errors[1])), "{errors:?}");
        let energy = |frame: &UnitQuaternion<f64>| {
            let local = frame.inverse() * momentum;
            0.5 * local.component_mul(&local).component_div(&moments).sum()
        };
        assert!((energy(&exact) / energy(&frame) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_mean_velocity_turns_the_body_to_where_it_turns_freely() {
        let moments = Vector3::new(0.34, 0.26, 0.10);
        let (frame, momentum) = (tilted(), Vector3::new(0.05, 0.8, 0.05));
        let exact = turned_freely(&frame, &momentum, &moments, 0.1);
        let mean = mean_velocity(&frame, &exact, 0.1);
        let turned = UnitQuaternion::from_scaled_axis(mean * 0.1) * frame;
        assert!(turned.angle_to(&exact) < 1e-12);
    }
}
