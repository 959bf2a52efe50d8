//! Quantities of rapier's rigid bodies.

use nalgebra::{Matrix3, Point3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};
use rapier3d::dynamics::{MassProperties, RigidBody, RigidBodyHandle};
use rapier3d::geometry::{ColliderHandle, ColliderSet, SolverContact};
use rapier3d::math::{Matrix, Vector};
use rapier3d::pipeline::PhysicsWorld;

use crate::state::{BodyState, Energy, Momentum};
use extricate_core::kinematics::urdf::Inertial;

/// I ω: angular momentum of a body about its centre of mass [kg·m²/s, world].
pub(crate) fn spin(body: &RigidBody) -> Vector3<f64> {
    inertia_times(body, &body.angvel().into())
}

/// I v, with the inertia of a body about its centre of mass in the world frame.
pub(crate) fn inertia_times(body: &RigidBody, v: &Vector3<f64>) -> Vector3<f64> {
    let properties = &body.mass_properties().local_mprops;
    let principal_to_world = body.rotation() * properties.principal_inertia_local_frame;
    let local = principal_to_world.inverse() * Vector::from(*v);
    (principal_to_world * (properties.principal_inertia() * local)).into()
}

/// Kinetic and potential energy of a dynamic body, with the acceleration of free fall [m/s²].
pub(crate) fn energy_of(body: &RigidBody, gravity: &Vector3<f64>) -> Energy {
    let mass = body.mass();
    let (velocity, angular): (Vector3<f64>, Vector3<f64>) = (body.linvel().into(), body.angvel().into());
    let center: Vector3<f64> = body.center_of_mass().into();
    Energy {
        kinetic: 0.5 * (mass * velocity.norm_squared() + angular.dot(&spin(body))),
        potential: -mass * gravity.dot(&center),
        elastic: 0.0,
    }
}

/// Momentum of a dynamic body, the angular one about the world's origin.
pub(crate) fn momentum_of(body: &RigidBody) -> Momentum {
    let center: Vector3<f64> = body.center_of_mass().into();
    let velocity: Vector3<f64> = body.linvel().into();
    let linear = body.mass() * velocity;
    Momentum { linear, angular: center.cross(&linear) + spin(body) }
}

/// Wakes a body that sleeps, with its island, at once: its change flags alone would wake it within rapier's next step.
pub(crate) fn wake(physics: &mut PhysicsWorld, body: RigidBodyHandle) {
    if physics.bodies[body].is_sleeping() {
        physics.islands.wake_up(&mut physics.bodies, body, true);
    }
}

/// Mark of the links of robots that rapier does not joint, in the user data of their bodies.
const LINK: u128 = 1;

/// Marks a body as a link of a robot that rapier does not joint.
pub(crate) fn mark_as_link(body: &mut RigidBody) {
    body.user_data = LINK;
}

/// Whether a body is a link of a robot.
pub(crate) fn is_link(physics: &PhysicsWorld, body: RigidBodyHandle) -> bool {
    physics.bodies[body].user_data == LINK || physics.multibody_joints.rigid_body_link(body).is_some()
}

/// Whether impulses between two bodies would move links of robots that rapier does not joint, and nothing else.
pub(crate) fn moves_links_alone(bodies: [Option<&RigidBody>; 2]) -> bool {
    let is_link = |body: &RigidBody| body.user_data == LINK;
    let bodies = bodies.iter().flatten();
    bodies.clone().any(|body| is_link(body)) && bodies.clone().all(|body| is_link(body) || !body.is_dynamic())
}

/// Moves the colliders of a body to where it is.
pub(crate) fn show_colliders(physics: &mut PhysicsWorld, handle: RigidBodyHandle) {
    let PhysicsWorld { bodies, colliders, .. } = physics;
    let body = &bodies[handle];
    for &collider in body.colliders() {
        if let Some(collider) = colliders.get_mut(collider)
            && let Some(place) = collider.position_wrt_parent()
        {
            collider.set_position(body.position() * place);
        }
    }
}

/// Difference of an inertia to that of its principal axes, as a fraction of it, beyond which the axes are wrong: far above rounding.
const WRONG_AXES: f64 = 1e-9;

/// Mass properties in rapier's form.
pub(crate) fn rapier_mass(inertial: &Inertial) -> MassProperties {
    let inertia: Matrix = inertial.inertia.into();
    let (center, mass) = (Vector::from(inertial.center.coords), inertial.mass);
    let made = MassProperties::with_inertia_matrix(center, mass, inertia);
    let error: Matrix3<f64> = Matrix3::from(made.reconstruct_inertia_matrix()) - inertial.inertia;
    if error.amax() <= WRONG_AXES * inertial.inertia.amax() {
        return made;
    }
    // rapier's principal axes are wrong where two moments are equal and the third is the largest and not the last.
    let SymmetricEigen { mut eigenvectors, eigenvalues } = inertial.inertia.symmetric_eigen();
    if eigenvectors.determinant() < 0.0 {
        eigenvectors.neg_mut();
    }
    let axes = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(eigenvectors));
    MassProperties::with_principal_inertia_frame(center, mass, eigenvalues.into(), axes.into())
}

/// Index of a body in rapier's set.
pub(crate) fn raw(body: RigidBodyHandle) -> usize {
    body.into_raw_parts().0 as usize
}

/// The bodies of two colliders.
pub(crate) fn parents(colliders: &ColliderSet, pair: [ColliderHandle; 2]) -> Option<[RigidBodyHandle; 2]> {
    let [a, b] = pair.map(|collider| colliders.get(collider).and_then(|collider| collider.parent()));
    Some([a?, b?])
}

/// Index of a solver contact in its manifold: the low 31 bits of its id.
pub(crate) fn index_in_manifold(contact: &SolverContact) -> usize {
    const INDEX: u32 = 0x7fff_ffff;
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    let index = (contact.contact_id[0] as u32 & INDEX) as usize;
    index
}

/// State of a body.
pub(crate) fn body_state(name: &str, body: &RigidBody) -> BodyState {
    let rotation: UnitQuaternion<f64> = (*body.rotation()).into();
    let position: Vector3<f64> = body.translation().into();
    BodyState {
        name: name.to_owned(),
        position: Point3::from(position),
        rotation,
        linear_velocity: body.linvel().into(),
        angular_velocity: body.angvel().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_that_are_equal_keep_their_axes() {
        for moments in [
            [2.0, 1.0, 1.0],
            [1.0, 2.0, 1.0],
            [1.0, 1.0, 2.0],
            [1.0, 2.0, 2.0],
            [1.0, 1.0, 1.0],
            [3.0, 2.0, 1.5],
        ] {
            let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
            let made = rapier_mass(&Inertial { mass: 1.0, center: Point3::origin(), inertia });
            let error: Matrix3<f64> = Matrix3::from(made.reconstruct_inertia_matrix()) - inertia;
            assert!(error.amax() < 1e-14, "{moments:?}: {error}");
        }
    }
}
