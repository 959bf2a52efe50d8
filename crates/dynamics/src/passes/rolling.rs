//! Number of parts of a step: one, unless bodies roll fast.
//!
//! rapier finds contacts once a step, and in each substep follows the points of the bodies that touched then. A point of a
//! body of radius r that has rotated by θ, about an axis across the normal, has risen by r (1 − cos θ) off the surface that
//! it touched, and the solver lets the body fall as far: it is supported at the start of the step only, and falls for the
//! rest of it. It sinks until the push at the start of a step makes up for that, by about r (g h² θ / r)^⅔ for steps of h.
//! A marble of 1 cm that rolls at 1 m/s would sink by hundredths of its radius, and count as a body that overlaps another
//! one.
//!
//! A step of such bodies is divided into parts, each with contacts of its own: n parts sink n² times less.

use nalgebra::Vector3;
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::ColliderHandle;
use rapier3d::pipeline::PhysicsWorld;

use super::account::Account;
use super::awake::Awake;

/// Maximum sink of a rolling body, as a fraction of its radius: it must stay below the depth at which an overlap is
/// resolved by position (1e-2 of the radius). No effect on the sets of docs/sensitivity.md.
const SINKING: f64 = 5e-3;
/// Maximum rotation [rad] within a part about an axis across the normal of a contact: at π/2 a point of contact would
/// be at the side of the body. No effect on the sets of docs/sensitivity.md.
const MAX_ROTATION: f64 = 0.6;
/// Factor on these bounds below which rounding cannot lift a body over them.
const ROUNDING: f64 = 0.999;
/// Maximum number of parts of a step. A safeguard against the cost of steps of bodies that spin faster than contacts
/// can follow, without effect on the sets of docs/sensitivity.md.
pub(crate) const MAX_PARTS: u32 = 32;

/// Sink of a body of a radius [m] that rotates by an angle [rad] within a part, in which a free body falls by `fall` [m]: a fraction of the radius.
pub(crate) fn sinking(fall: f64, (angle, radius): (f64, f64)) -> f64 {
    (fall * angle / radius).powf(2.0 / 3.0)
}

/// Number of parts of the next step of `time_step` [s], from the contacts of the last one; `radius` returns the bounding
/// radius of a body [m].
pub(crate) fn parts(
    physics: &PhysicsWorld,
    (awake, account): (&Awake, &Account),
    handles: &[RigidBodyHandle],
    time_step: f64,
    radius: &dyn Fn(RigidBodyHandle) -> f64,
) -> u32 {
    let fall = Vector3::from(physics.gravity).norm() * time_step * time_step;
    // Where no body rotates far enough to need more than one part, no pair is looked at.
    let may_roll = |&body: &usize| {
        let angle = account.entries()[body].spin * time_step;
        let is_slow = fall * angle <= ROUNDING * SINKING.powf(1.5) * radius(handles[body])
            && angle <= ROUNDING * MAX_ROTATION;
        !is_slow
    };
    if !awake.bodies().iter().any(may_roll) {
        return 1;
    }
    // Rotation vector of a body within a step, and its radius.
    let rotation = |collider: ColliderHandle| {
        let body = physics.colliders.get(collider)?.parent()?;
        let rotation = Vector3::from(physics.bodies.get(body)?.angvel()) * time_step;
        (rotation != Vector3::zeros()).then(|| (rotation, radius(body)))
    };
    let parts_of = |(angle, radius): (f64, f64)| {
        let sinking = sinking(fall, (angle, radius));
        (sinking / SINKING).sqrt().max(angle / MAX_ROTATION)
    };
    let mut parts = 1.0;
    for pair in awake.pairs(physics) {
        for (rotation, radius) in [pair.collider1, pair.collider2].into_iter().filter_map(rotation) {
            // An upper bound over all normals spares most pairs their manifolds.
            if parts_of((rotation.norm(), radius)) <= parts {
                continue;
            }
            for manifold in pair.solver_manifolds() {
                if !manifold.data.solver_contacts.is_empty() {
                    let angle = rotation.cross(&Vector3::from(manifold.data.normal)).norm();
                    parts = f64::max(parts, parts_of((angle, radius)));
                }
            }
        }
    }
    parts.min(f64::from(MAX_PARTS)).ceil() as u32
}
