//! The contacts of a world's last step, one by one: where bodies touch, how deep, and how hard they push.

use nalgebra::{Point3, Unit, Vector3};
use rapier3d::geometry::{ContactManifold, ContactPair, SolverContact};

use super::{AnyBody, World};

/// The part of a contact's number that is its index in the manifold.
const INDEX: u32 = 0x7fff_ffff;

/// A point at which two bodies touch, or a soft one touches itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldContact {
    /// The two bodies, the one whose name comes first in front; [`World::name_of`] tells the names. The same body twice
    /// for a contact of a soft body with itself.
    pub bodies: [AnyBody; 2],
    /// Where they touch [m, world]: a point that goes with the surfaces of those bodies that feel the contact, where
    /// they are now. Of a soft contact it is the point that is inside the other body.
    pub point: Point3<f64>,
    /// Direction in which the first body is pushed [world]; the second one is pushed the other way.
    pub normal: Unit<Vector3<f64>>,
    /// How far they overlap along the normal [m]: positive where they do, negative for a contact that the step
    /// foresaw. Between rigid bodies at the start of the step, for the step moved them by what it made of that; at its
    /// end where a soft body takes part.
    pub depth: f64,
    /// Magnitude of the force along the normal [N], ≥ 0, friction left out: between rigid bodies the mean over the
    /// step, that of a bounce not included; at its end where a soft body takes part.
    pub force: f64,
}

impl World {
    /// The contacts of the last step, as its solvers had them: rigid bodies, parts of robots, and soft bodies. Sorted by
    /// the names of the bodies and the same in equal runs; empty before the first step, but for soft bodies.
    ///
    /// Foreseen contacts that carry no force are among them, with a negative depth. Pairs that overlap deeply and are
    /// taken apart by position ([`StepReport::resolving`](super::StepReport::resolving)) are there with their depth.
    ///
    /// ```
    /// use extricate_dynamics::{BodyDescription, BodyKind, Shape, World, WorldOptions};
    /// use nalgebra::{Isometry3, Vector3};
    ///
    /// let mut builder = World::builder(WorldOptions::default());
    /// let (ground, ball) = (Shape::HalfSpace { normal: Vector3::z_axis() }, Shape::Ball { radius: 0.1 });
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
        let index = |collider| {
            let body = self.physics.colliders.get(collider)?.parent()?;
            self.handles.iter().position(|&handle| handle == body)
        };
        let (Some(first), Some(second)) = (index(pair.collider1), index(pair.collider2)) else { return };
        for manifold in pair.solver_manifolds() {
            let Some(normal) = Unit::try_new(-Vector3::from(manifold.data.normal), 0.0) else { continue };
            for contact in &manifold.data.solver_contacts {
                #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
                let place = (contact.contact_id[0] as u32 & INDEX) as usize;
                let Some(point) = manifold.points.get(place) else { continue };
                contacts.push(WorldContact {
                    bodies: [AnyBody::Rigid(first), AnyBody::Rigid(second)],
                    point: self.place_of([first, second], manifold, contact),
                    normal,
                    depth: -point.dist,
                    force: point.data.impulse / self.outside.part(),
                });
            }
        }
    }

    /// Where a contact is now: the mean of its points on the bodies that feel it. The solver has these in the frames of
    /// the centres of mass, and those on other bodies in the world's.
    fn place_of(
        &self,
        bodies: [usize; 2],
        manifold: &ContactManifold,
        contact: &SolverContact,
    ) -> Point3<f64> {
        let dominance = manifold.data.relative_dominance;
        let feels = [dominance <= 0, dominance >= 0];
        let anchors: [Vector3<f64>; 2] = [contact.anchor1.into(), contact.anchor2.into()];
        let on_bodies = bodies.iter().zip(feels).zip(anchors).filter(|((_, feels), _)| *feels);
        let places = on_bodies.map(|((&body, _), anchor)| {
            let body = &self.physics.bodies[self.handles[body]];
            let turned: Vector3<f64> = (body.rotation() * rapier3d::math::Vector::from(anchor)).into();
            Vector3::from(body.center_of_mass()) + turned
        });
        let (sum, count) =
            places.fold((Vector3::zeros(), 0.0), |(sum, count), place| (sum + place, count + 1.0));
        Point3::from(sum / count)
    }
}

#[cfg(test)]
mod tests;
