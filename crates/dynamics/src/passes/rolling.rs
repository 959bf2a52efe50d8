//! In how many parts a step is taken: in one, but for what rolls fast.
//!
//! rapier finds contacts once a step, and in each substep follows the points of the bodies that touched then. A point of a
//! body of radius r that has turned by θ, about an axis across the normal, is r (1 − cos θ) off what it touched, and the
//! solver lets the body fall as far: it is held at the start of the step only, and falls for the rest of it. It sinks in
//! until what it is pushed out at the start makes up for that, by about r (g h² θ / r)^⅔ for steps of h. A marble of 1 cm
//! that rolls at 1 m/s would sink in by hundredths of its radius, and be taken for a body that overlaps another one.
//!
//! A step of such bodies is taken in parts, each with contacts of its own: n parts sink in n² times less.

use nalgebra::Vector3;
use rapier3d::dynamics::RigidBodyHandle;
use rapier3d::geometry::ColliderHandle;
use rapier3d::pipeline::PhysicsWorld;

/// Share of the radius by which what rolls may sink in.
const SINKING: f64 = 5e-3;
/// Angle [rad] across the normal of a contact by which a body may turn within a part.
const TURN: f64 = 0.6;
/// Most parts of a step.
pub(crate) const MOST: u32 = 32;

/// The number of parts of the next step of `time_step` [s], by the contacts of the last one; `radius` tells the bounding
/// radius of a body [m].
pub(crate) fn parts(physics: &PhysicsWorld, time_step: f64, radius: &dyn Fn(RigidBodyHandle) -> f64) -> u32 {
    let fall = Vector3::from(physics.gravity).norm() * time_step * time_step;
    // What a body turns by within a step, and its radius.
    let turning = |collider: ColliderHandle| {
        let body = physics.colliders.get(collider)?.parent()?;
        let turning = Vector3::from(physics.bodies.get(body)?.angvel()) * time_step;
        (turning != Vector3::zeros()).then(|| (turning, radius(body)))
    };
    let parts_of = |(turn, radius): (f64, f64)| {
        let sinking = (fall * turn / radius).powf(2.0 / 3.0);
        (sinking / SINKING).sqrt().max(turn / TURN)
    };
    let mut most = 1.0;
    for pair in physics.narrow_phase.contact_pairs() {
        for (turning, radius) in [pair.collider1, pair.collider2].into_iter().filter_map(turning) {
            if parts_of((turning.norm(), radius)) <= most {
                continue;
            }
            for manifold in pair.solver_manifolds() {
                if !manifold.data.solver_contacts.is_empty() {
                    let turn = turning.cross(&Vector3::from(manifold.data.normal)).norm();
                    most = f64::max(most, parts_of((turn, radius)));
                }
            }
        }
    }
    most.min(f64::from(MOST)).ceil() as u32
}
