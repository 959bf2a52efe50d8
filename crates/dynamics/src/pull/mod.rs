//! Pull on a body: a damped spring from a point of it to a target in the world, as for dragging with a mouse.
//!
//! The spring moves the point as a critically damped oscillator of rate ω = [`RATE`](spring::RATE), by implicit Euler: from the
//! stretch e = target − x and the velocity v of the point follows its velocity at the end of the step,
//!
//! v₁ = (v + h ω² e) / (1 + ωh)²,
//!
//! and the force that gives the point this velocity is (v₁ − v)/h times the effective mass at the point. So the stiffness
//! scales with the body, and the pull is stable for any body and any step. The weight of a free body is compensated besides,
//! so that it does not sag, and its rotation about the grip is damped at the rate ω.
//!
//! | pulled           | effective mass at the point                                                            |
//! |------------------|----------------------------------------------------------------------------------------|
//! | a free body      | K⁻¹, K = 1/m − [r]× I⁻¹ [r]×, r from the centre of mass                                |
//! | a link of a robot| the same with K = J M⁻¹ Jᵀ over the joints; motors and limits make it slower           |
//! | a soft body      | its mass; the spring holds the mean of the nodes around one, within the implicit solve |
//!
//! The force is at most [`LIMIT`](spring::LIMIT) (for a soft body [`SOFT_LIMIT`](spring::SOFT_LIMIT)) times the mass (for a link that of the robot) times
//! the larger of gravity and ω² times the body's radius.

pub(crate) mod mobility;
pub(crate) mod rigid;
pub(crate) mod spring;
#[cfg(test)]
mod tests;

pub use spring::{Grip, Pull};
