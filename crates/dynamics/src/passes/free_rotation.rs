//! Free rotation: angular momentum is conserved, angular velocity follows from it as the body rotates.
//!
//! rapier rotates a body with a constant angular velocity within a step. The *mean* velocity of the exact motion rotates it
//! as a free body would; it is set before the step, and after the step the velocity is that of the angular momentum at the
//! new orientation. Impulses of contacts and joints act on the momentum in between.
//!
//! A body that contacts or joints hold must end a step with the velocity that they allow. It is given the velocity at the
//! end of the exact motion instead, and retains the solver's result. Whether it is held is taken from the step before.
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

use super::awake::Awake;
use crate::rigid::{is_link, raw};
use crate::stateful::{Mismatch, Stateful, fits};

/// Relative difference of the moments below which a body rotates like a ball, whose angular velocity is constant. A
/// safeguard against compositions that a ball does not need, without effect on the sets of docs/sensitivity.md.
const BALL: f64 = 1e-9;
/// Angle of a step [rad] below which a body counts as not rotating. Half changes 3 and twice 2 of 6 runs and the work
/// by less than 0.1 % (docs/sensitivity.md).
const STILL: f64 = 1e-8;
/// Angle [rad] by which a body rotates in one composition; the error is a 24th of its square, so that half of it costs
/// twice as much and leaves a quarter of the error. Half changes 3 and twice 2 of 5 runs and the work by −0.2 % and
/// −0.18 % (docs/sensitivity.md).
const PIECE: f64 = 0.05;
/// Maximum number of compositions in a step: 50 rad, far beyond [`MAX_ANGLE`]. A safeguard against the cost of thin
/// bodies, for which the rate of the smallest moment bounds the angle poorly.
const MAX_PIECES: f64 = 1000.0;
/// Relative change of the angular velocity in a step up to which nothing holds a body: rounding. A safeguard, without
/// effect on the sets of docs/sensitivity.md.
const ROUNDING: f64 = 1e-10;
/// Angle of a step [rad] beyond which the mean velocity is not well defined: it must stay well below π, where the
/// shorter rotation is the other way round. Faster bodies rotate as rapier has it. A safeguard against a loss of full
/// revolutions, without effect on the sets of docs/sensitivity.md.
const MAX_ANGLE: f64 = 2.0;

/// A body whose rotation is exchanged with rapier's during a step.
#[derive(Debug, Clone, Copy)]
struct RotatingTop {
    top: usize,
    /// Angular momentum at the start of the step.
    momentum: Vector3<f64>,
    /// Angular velocity [rad/s, world] that was set before the step.
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

/// Free rotation of the bodies of a world.
#[derive(Debug, Default)]
pub(crate) struct FreeRotation {
    tops: Vec<Top>,
    rotating: Vec<RotatingTop>,
}

/// The state holds for each body whether contacts or joints held it in the last step.
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
    /// Free rotation of those bodies that do not rotate like balls.
    ///
    /// Links of a robot are left to rapier: their velocities follow from those of the joints.
    pub(crate) fn of(physics: &PhysicsWorld, handles: &[RigidBodyHandle]) -> Self {
        let is_top = |handle: &RigidBodyHandle| {
            let body = &physics.bodies[*handle];
            let moments = moments(body);
            let is_free = body.is_dynamic() && !is_link(physics, *handle);
            is_free && moments.max() - moments.min() > BALL * moments.max()
        };
        let tops = handles.iter().copied().filter(is_top).map(|body| Top { body, held: false });
        Self { tops: tops.collect(), rotating: Vec::new() }
    }

    /// Sets the velocities of the bodies that are awake to those of their free rotation over a step [s] of `substeps`.
    pub(crate) fn before_step(
        &mut self,
        bodies: &mut RigidBodySet,
        awake: &Awake,
        (step, substeps): (f64, u32),
    ) {
        self.rotating.clear();
        for (top, Top { body: handle, held }) in self.tops.iter().copied().enumerate() {
            if !awake.contains(raw(handle)) {
                continue;
            }
            let body = &bodies[handle];
            let velocity: Vector3<f64> = body.angvel().into();
            let angle = velocity.norm() * step;
            if body.is_sleeping() || !(angle > STILL && angle < MAX_ANGLE) {
                continue;
            }
            let (frame, moments) = (frame(body), moments(body));
            let momentum = frame * moments.component_mul(&(frame.inverse() * velocity));
            let rotated = rotate_freely(&frame, &momentum, &moments, step);
            let given = if held {
                rotated * (rotated.inverse() * momentum).component_div(&moments)
            } else {
                let mean = mean_velocity(&frame, &rotated, step);
                // rapier rotates by 2 atan(ω h/2) in a substep h instead of by ω h.
                let half = mean.norm() * step / (2.0 * f64::from(substeps));
                if half > 0.0 { mean * (half.tan() / half) } else { mean }
            };
            bodies[handle].set_angvel(given.into(), false);
            self.rotating.push(RotatingTop { top, momentum, given, frame });
        }
    }

    /// Sets the velocities of bodies to those of their angular momentum: that before the step plus the impulses.
    /// Those that were `solved` elsewhere have theirs.
    pub(crate) fn after_step(
        &mut self,
        bodies: &mut RigidBodySet,
        step: f64,
        solved: impl Fn(usize) -> bool,
    ) {
        for rotating in &self.rotating {
            let top = &mut self.tops[rotating.top];
            if solved(raw(top.body)) {
                top.held = false;
                continue;
            }
            let body = &bodies[top.body];
            // A body that fell asleep in this step has no velocity.
            if body.is_sleeping() {
                continue;
            }
            let moments = moments(body);
            let change: Vector3<f64> = Vector3::from(body.angvel()) - rotating.given;
            // Damping changes the velocity of a free body, too: up to twice its rate is not a contact.
            let damped = 2.0 * step * body.angular_damping() + ROUNDING;
            let was_held = std::mem::replace(&mut top.held, change.norm() > damped * rotating.given.norm());
            if was_held && top.held {
                continue;
            }
            let impulse = rotating.frame * moments.component_mul(&(rotating.frame.inverse() * change));
            let momentum = rotating.momentum + impulse;
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

/// Constant angular velocity [rad/s, world] that rotates a frame to another one in `time` [s].
fn mean_velocity(frame: &UnitQuaternion<f64>, rotated: &UnitQuaternion<f64>, time: f64) -> Vector3<f64> {
    let rotation = rotated * frame.inverse();
    // Of q and −q the one of the shorter rotation.
    let rotation = if rotation.w < 0.0 { -*rotation.quaternion() } else { *rotation.quaternion() };
    let sine = rotation.imag().norm();
    // 2 atan2(s, w)/s, which is 2 in the limit.
    let factor = if sine > 0.0 { 2.0 * sine.atan2(rotation.w) / sine } else { 2.0 };
    rotation.imag() * (factor / time)
}

/// Rotation principal frame → world of a free body after `time` [s], by Strang's composition [Reich94].
fn rotate_freely(
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
        reason = "angles of a step are below 2π"
    )]
    let pieces = (fastest / PIECE).ceil().clamp(1.0, MAX_PIECES) as u32;
    let piece = time / f64::from(pieces);
    let mut rotated = *frame;
    let mut local = frame.inverse() * momentum;
    let mut about = |axis: usize, rate: f64, duration: f64| {
        let angle = rate * local[axis] * duration;
        let (sine, cosine) = (0.5 * angle).sin_cos();
        let mut imaginary = Vector3::zeros();
        imaginary[axis] = sine;
        let rotation = UnitQuaternion::new_unchecked(Quaternion::from_parts(cosine, imaginary));
        rotated *= rotation;
        local = rotation.inverse() * local;
    };
    for _ in 0..pieces {
        about(b, rate_b, 0.5 * piece);
        about(c, rate_c, piece);
        about(b, rate_b, 0.5 * piece);
    }
    // The part of the energy in |L|²/2Iₐ: it commutes with the others, so one rotation over the whole time is exact.
    let axis = Unit::try_new(*momentum, 0.0);
    axis.map_or(rotated, |axis| {
        UnitQuaternion::from_axis_angle(&axis, momentum.norm() * time / moments[a]) * rotated
    })
}

/// Principal axes, the two of the closest moments first, so that δ_b is smallest.
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
        assert!(rotate_freely(&frame, &momentum, &moments, time).angle_to(&exact) < 1e-12);
    }

    #[test]
    fn the_composition_is_of_second_order_and_conserves_energy() {
        // Against itself with many times the pieces, one of which is a step here: the error falls with the square of the step.
        let moments = Vector3::new(0.34, 0.26, 0.10);
        let (frame, momentum) = (tilted(), Vector3::new(0.05, 0.8, 0.05));
        let walk = |pieces: u32, time: f64| {
            (0..pieces)
                .fold(frame, |frame, _| rotate_freely(&frame, &momentum, &moments, time / f64::from(pieces)))
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
    fn the_mean_velocity_rotates_the_body_to_where_it_rotates_freely() {
        let moments = Vector3::new(0.34, 0.26, 0.10);
        let (frame, momentum) = (tilted(), Vector3::new(0.05, 0.8, 0.05));
        let exact = rotate_freely(&frame, &momentum, &moments, 0.1);
        let mean = mean_velocity(&frame, &exact, 0.1);
        let rotated = UnitQuaternion::from_scaled_axis(mean * 0.1) * frame;
        assert!(rotated.angle_to(&exact) < 1e-12);
    }
}
