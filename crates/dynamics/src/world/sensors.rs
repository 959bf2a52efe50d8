//! Measurements of the sensors of robots after a step.

use nalgebra::{Point3, Vector3};
use rapier3d::dynamics::RigidBodyHandle;

use super::data::World;
use crate::rigid::parents;
use crate::robot::body::RobotBody;
use crate::robot::subtree::Selection;
use crate::robot::{ContactForce, RobotState};

impl World {
    /// State of a robot, with the values of its sensors once a step was made.
    pub(super) fn state_of(&self, robot: &RobotBody) -> RobotState {
        let mut state = robot.state(&self.physics);
        if self.steps > 0 {
            let contacts = |body, origin: &Point3<f64>, selected: &Selection<'_>| {
                self.contact_force(body, origin, selected)
            };
            state.sensors = robot.readings(&self.physics, &state, (&contacts, self.passes.part));
        }
        state
    }

    /// Resultant of the selected contacts of a body in the last step, with its moment about a point.
    fn contact_force(
        &self,
        body: RigidBodyHandle,
        origin: &Point3<f64>,
        selected: &Selection<'_>,
    ) -> ContactForce {
        let mut pairs: Vec<_> = self
            .physics
            .narrow_phase
            .contact_pairs()
            .filter_map(|pair| {
                let colliders = [pair.collider1, pair.collider2];
                let bodies = parents(&self.physics.colliders, colliders)?;
                let side = bodies.iter().position(|own| *own == body)?;
                Some((colliders.map(|collider| collider.into_raw_parts()), side, pair))
            })
            .collect();
        // Sums do not depend on the order in which pairs were found.
        pairs.sort_by_key(|(colliders, ..)| *colliders);
        let mut sum = ContactForce::default();
        for (_, side, pair) in pairs {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            self.visit_contacts(pair, &mut |contact| {
                if !selected(&contact.point) {
                    return;
                }
                // Of contacts that rapier solves only the normal part is known.
                let normal = -contact.normal.into_inner() * contact.impulse;
                let impulse: Vector3<f64> = contact.total.unwrap_or(normal) * sign;
                let force = impulse / self.passes.part;
                sum.force += force;
                sum.moment += (contact.point - origin).cross(&force);
                sum.normal += contact.impulse / self.passes.part;
            });
        }
        sum
    }
}
