//! Contacts of a world's last step: points, normals, depths and forces.

use std::collections::BTreeMap;

use nalgebra::{Point3, Unit, Vector3};
use rapier3d::geometry::{ContactManifold, ContactPair, SolverContact};

use super::data::World;
use crate::multibody::memory::ContactKey;
use crate::rigid::{index_in_manifold, raw};
use crate::state::{AnyBody, WorldContact};

/// A contact of two rigid bodies in the last step.
pub(super) struct SolvedContact {
    bodies: [usize; 2],
    /// Its point [m].
    pub(super) point: Point3<f64>,
    /// Direction in which the first body is pushed.
    pub(super) normal: Unit<Vector3<f64>>,
    depth: f64,
    /// Normal impulse [N·s].
    pub(super) impulse: f64,
    /// Impulse with that of friction [N·s, on the second body], where the solver of robots has solved it.
    pub(super) total: Option<Vector3<f64>>,
}

impl World {
    /// Contacts of the last step, as given to its solvers: of rigid bodies, links of robots, and soft bodies. Sorted by the
    /// names of the bodies and the same in equal runs; empty before the first step, except those of soft bodies.
    ///
    /// Speculative contacts without a force are included, with a negative depth. Pairs that overlap deeply and are separated
    /// by position ([`StepReport::resolving`](crate::StepReport::resolving)) are included with their depth.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::half_space(), Shape::ball(0.1));
    /// builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity()))?;
    /// let above = Isometry3::translation(0.0, 0.0, 0.1);
    /// builder.add_body(BodyDescription::new("ball", BodyKind::Dynamic, ball, above))?;
    /// let mut world = builder.build()?;
    /// while world.time() < 1.0 {
    ///     world.step()?;
    /// }
    /// let [contact] = world.contacts()[..] else { panic!("the ball touches the ground at one point") };
    /// assert_eq!(contact.bodies.map(|body| world.name_of(body)), ["ball", "ground"]);
    /// assert!((contact.normal.z - 1.0).abs() < 1e-9, "the ball is pushed up");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn contacts(&self) -> Vec<WorldContact> {
        let mut contacts = Vec::new();
        for pair in self.physics.narrow_phase.contact_pairs() {
            self.add_contacts_of(pair, &mut contacts);
        }
        if let Some(soft) = &self.soft {
            contacts.extend(soft.world_contacts());
        }
        for contact in &mut contacts {
            let [first, second] = contact.bodies.map(|body| self.name_of(body));
            if first > second {
                contact.bodies.reverse();
                contact.normal = -contact.normal;
            }
        }
        // The order of the contacts of a pair is that of its own manifolds.
        contacts.sort_by(|a, b| {
            a.bodies.map(|body| self.name_of(body)).cmp(&b.bodies.map(|body| self.name_of(body)))
        });
        contacts
    }

    fn add_contacts_of(&self, pair: &ContactPair, contacts: &mut Vec<WorldContact>) {
        self.visit_contacts(pair, &mut |contact| {
            contacts.push(WorldContact {
                bodies: contact.bodies.map(AnyBody::Rigid),
                point: contact.point,
                normal: contact.normal,
                depth: contact.depth,
                force: contact.impulse / self.passes.part,
            });
        });
    }

    /// Visits the contacts of a pair of colliders in the order of its manifolds.
    pub(super) fn visit_contacts(&self, pair: &ContactPair, visit: &mut dyn FnMut(&SolvedContact)) {
        let Some([first, second]) = self.indices([pair.collider1, pair.collider2]) else { return };
        let solved = self.solved_elsewhere([first, second]);
        let memory = self.multibody.memory();
        let mut numbers = BTreeMap::<[u32; 2], u32>::new();
        for manifold in pair.solver_manifolds() {
            let Some(normal) = Unit::try_new(-Vector3::from(manifold.data.normal), 0.0) else { continue };
            for contact in &manifold.data.solver_contacts {
                let Some(point) = manifold.points.get(index_in_manifold(contact)) else { continue };
                let (impulse, total) = if let Some(bodies) = solved {
                    let features = [point.fid1.0, point.fid2.0];
                    let number = numbers.entry(features).or_default();
                    let key = ContactKey { bodies, features, number: std::mem::replace(number, *number + 1) };
                    (memory.normal_impulse(&key).unwrap_or(0.0), memory.total_impulse(&key))
                } else {
                    (point.data.impulse, None)
                };
                visit(&SolvedContact {
                    bodies: [first, second],
                    point: self.position_of([first, second], manifold, contact),
                    normal,
                    depth: -point.dist,
                    impulse,
                    total,
                });
            }
        }
    }

    /// Raw indices of two bodies whose contacts the solver of robots has solved.
    fn solved_elsewhere(&self, bodies: [usize; 2]) -> Option<[usize; 2]> {
        let bodies = bodies.map(|body| raw(self.handles[body]));
        bodies.iter().any(|&body| self.multibody.memory().solved(body)).then_some(bodies)
    }

    /// Present position of a contact: the mean of its points on the bodies that it affects. The solver stores these in the
    /// frames of the centres of mass, and those on other bodies in the world's.
    fn position_of(
        &self,
        bodies: [usize; 2],
        manifold: &ContactManifold,
        contact: &SolverContact,
    ) -> Point3<f64> {
        let dominance = manifold.data.relative_dominance;
        let is_affected = [dominance <= 0, dominance >= 0];
        let anchors: [Vector3<f64>; 2] = [contact.anchor1.into(), contact.anchor2.into()];
        let on_bodies =
            bodies.iter().zip(is_affected).zip(anchors).filter(|((_, is_affected), _)| *is_affected);
        let places = on_bodies.map(|((&body, _), anchor)| {
            let body = &self.physics.bodies[self.handles[body]];
            let rotated: Vector3<f64> = (body.rotation() * rapier3d::math::Vector::from(anchor)).into();
            Vector3::from(body.center_of_mass()) + rotated
        });
        let (sum, count) =
            places.fold((Vector3::zeros(), 0.0), |(sum, count), place| (sum + place, count + 1.0));
        Point3::from(sum / count)
    }
}
