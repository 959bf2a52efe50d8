//! Moves bodies back to the poses at which they stopped.

use nalgebra::Vector3;
use rapier3d::dynamics::{MultibodyIndex, RigidBodyHandle};
use rapier3d::pipeline::PhysicsWorld;

use super::path::Path;
use crate::rigid::{is_link, show_colliders};

/// Stopped bodies of a step.
pub(super) struct Stop<'a> {
    pub(super) physics: &'a mut PhysicsWorld,
    /// Robots that have been moved back, each as a whole.
    pub(super) rewound: Vec<MultibodyIndex>,
    /// Links of robots that rapier does not joint, with the duration [s] by which to move them back.
    pub(super) links: Vec<(RigidBodyHandle, f64)>,
    /// Length of the step [s].
    pub(super) time_step: f64,
}

impl Stop<'_> {
    /// Moves a body to the end of its path. Where the rest of the step is lost to it, `before` is the velocity of its centre
    /// of mass at the start of the step [m/s].
    pub(super) fn at(&mut self, handle: RigidBodyHandle, path: &Path, before: Option<Vector3<f64>>) {
        if let Some(link) = self.physics.multibody_joints.rigid_body_link(handle) {
            let robot = link.multibody;
            if !self.rewound.contains(&robot) {
                self.rewound.push(robot);
                self.rewind(robot, (1.0 - path.begin) * self.time_step);
            }
            return;
        }
        if is_link(self.physics, handle) {
            self.links.push((handle, (1.0 - path.begin) * self.time_step));
            return;
        }
        // A body in free fall has gained velocity for the whole step, but falls for a part of it only.
        let before = before.filter(|_| flew_freely(self.physics, handle));
        let body = &mut self.physics.bodies[handle];
        body.set_position(path.pose_at(1.0).into(), false);
        if let Some(before) = before {
            let after = Vector3::from(body.linvel());
            body.set_linvel((before + (after - before) * path.begin).into(), false);
        }
        show_colliders(self.physics, handle);
    }

    /// Moves a robot back by a duration [s], at its present joint velocities.
    fn rewind(&mut self, robot: MultibodyIndex, duration: f64) {
        let PhysicsWorld { bodies, multibody_joints, .. } = &mut *self.physics;
        let Some(multibody) = multibody_joints.get_multibody_mut(robot) else { return };
        let back = multibody.generalized_velocity() * -duration;
        multibody.apply_displacements(back.as_slice());
        multibody.forward_kinematics(bodies, false);
        multibody.update_rigid_bodies(bodies, true);
        let links = multibody.links().map(|link| link.rigid_body_handle()).collect::<Vec<_>>();
        for link in links {
            show_colliders(self.physics, link);
        }
    }
}

/// Whether no contact or joint changed the velocity of a body in the last step.
fn flew_freely(physics: &PhysicsWorld, handle: RigidBodyHandle) -> bool {
    let colliders = physics.bodies[handle].colliders().iter();
    let pairs = colliders.flat_map(|&collider| physics.narrow_phase.contact_pairs_with(collider));
    let manifolds = pairs.filter_map(|pair| pair.rigid()).flat_map(|rigid| rigid.solver_manifolds());
    let pushed = manifolds.flat_map(|manifold| &manifold.points).any(|point| point.data.impulse > 0.0);
    !pushed && physics.impulse_joints.attached_joints(handle).next().is_none()
}
