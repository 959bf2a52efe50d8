//! Pulling at a body: a damped spring from a point of it to a place in the world, as a mouse does.
//!
//! The spring moves what it holds as a critically damped oscillator of rate ω = [`RATE`](spring::RATE) would, by implicit Euler: from the
//! stretch e = target − x and the velocity v of the point follows its velocity at the end of the step,
//!
//! v₁ = (v + h ω² e) / (1 + ωh)²,
//!
//! and the force is what brings the point there, (v₁ − v)/h times the mass that resists at the point. So its stiffness
//! follows from the body, and it is stable for any body and any step. A free body's weight is carried besides, so that it
//! does not sag, and its turning about the grip fades at the rate ω.
//!
//! | pulled           | what resists at the point                                                              |
//! |------------------|----------------------------------------------------------------------------------------|
//! | a free body      | K⁻¹, K = 1/m − [r]× I⁻¹ [r]×, r from the centre of mass                                |
//! | a link of a robot| the same with K = J M⁻¹ Jᵀ over the joints; what motors and limits add makes it slower |
//! | a soft body      | its mass; the spring holds the mean of the nodes around one, within the implicit solve |
//!
//! The force is at most [`LIMIT`](spring::LIMIT) (of a soft body [`SOFT_LIMIT`](spring::SOFT_LIMIT)) times the mass (of a robot the whole one's) times the
//! greater of gravity and ω² times the body's radius.

pub(crate) mod mobility;
pub(crate) mod rigid;
pub(crate) mod spring;
#[cfg(test)]
mod tests;

pub use spring::{Grip, Pull};
