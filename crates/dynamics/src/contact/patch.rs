//! Rolling friction: contacts about which bodies roll get the extent of a patch.
//!
//! The resultant of the pressure between two bodies that roll on each other acts ahead of the point where rigid ones would
//! touch, by a length ρ, the *coefficient of rolling friction*; so it resists with the moment ρ N of the normal force N, and a
//! body at rest begins to roll where more than that is needed. Here the point is replaced by the corners of a square in the
//! tangent plane, at ρ from the point, one ahead in the direction of rolling: contacts that press and do not pull move their resultant by at most
//! ρ in that direction, as far as it takes to stop the rotation. (Two corners ahead, side by side, are loaded by chance: balls curve.) Rest, impacts, sleep, stacks and robots need no rows of their own, and since
//! friction acts at all corners, spinning about the normal is resisted with up to about µ ρ N, too.
//!
//! Two contacts, of a cylinder on its side, become four: each is drawn out by ρ both ways across the line between them. Three
//! and more remain; unless those that bear a load span more than 2ρ, the deepest of them gets a square in addition.
//!
//! The hook that rapier calls for a pair immediately before its contacts are computed, in the same thread, announces ρ and the rotation here.

use std::cell::Cell;

use nalgebra::{UnitQuaternion, Vector3};
use rapier3d::dynamics::RigidBody;
use rapier3d::geometry::Collider;

use super::point::{ContactPoint, Order};

thread_local! {
    static ANNOUNCED: Cell<Option<Patch>> = const { Cell::new(None) };
}

/// Gap between the deepest contact and another one, as a fraction of ρ, up to which both bear a load.
const CLOSED: f64 = 0.03;

/// Corners of a square, as many as contacts of a manifold.
const CORNERS: usize = 4;

/// Extent of the contacts of a pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patch {
    /// Coefficient of rolling friction ρ of the pair [m].
    radius: f64,
    /// Angular velocity of the bodies relative to each other, either sign [rad/s], world.
    rotation: Vector3<f64>,
    /// Shape → world, of both shapes.
    frames: [UnitQuaternion<f64>; 2],
}

/// Stores the coefficient of rolling friction \[m\] with a collider, which has no other user data.
pub(crate) fn stored(coefficient: f64) -> u128 {
    u128::from(coefficient.to_bits())
}

fn coefficient(collider: &Collider) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "the inverse of `stored`")]
    f64::from_bits(collider.user_data as u64)
}

impl Patch {
    /// Announces the pair whose contacts this thread is about to compute; it has the mean of both coefficients.
    pub(crate) fn announce(colliders: [&Collider; 2], bodies: [Option<&RigidBody>; 2]) {
        let radius = 0.5 * colliders.map(coefficient).iter().sum::<f64>();
        let patch = (radius > 0.0).then(|| {
            let [first, second] =
                bodies.map(|body| body.map_or(Vector3::zeros(), |body| body.angvel().into()));
            let frames = colliders.map(|collider| collider.rotation().into());
            Self { radius, rotation: second - first, frames }
        });
        ANNOUNCED.set(patch);
    }

    /// Takes the announcement: a thread that waits within a pair may compute another one.
    pub(super) fn take() -> Option<Self> {
        ANNOUNCED.take()
    }

    /// Half diagonals of the square at a contact, along and across the direction of rolling, in the frame in which contacts were computed.
    fn half_diagonals(&self, normal: &Vector3<f64>, order: Order) -> [Vector3<f64>; 2] {
        let frame = if order == Order::Original { self.frames[0] } else { self.frames[1] };
        let rotation = frame.inverse_transform_vector(&self.rotation);
        let about = rotation - normal * normal.dot(&rotation);
        let any = || normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let across = about.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(any);
        [normal.cross(&across) * self.radius, across * self.radius]
    }

    /// Contacts in the place of one or two of a manifold, or in addition to more of them; `None` where they span an area on which a body does not
    /// roll, and where there are none.
    pub(super) fn contacts(
        &self,
        manifold: &[ContactPoint],
        order: Order,
    ) -> Option<[ContactPoint; CORNERS]> {
        let deepest = manifold.iter().min_by(|a, b| a.distance.total_cmp(&b.distance))?;
        let moved =
            |contact: &ContactPoint, by: Vector3<f64>| ContactPoint { point: contact.point + by, ..*contact };
        if let [a, b] = manifold {
            let normal = deepest.normal;
            let line = (b.point - a.point) - normal * normal.dot(&(b.point - a.point));
            if let Some(line) = line.try_normalize(f64::MIN_POSITIVE) {
                let out = normal.cross(&line) * self.radius;
                return Some([moved(a, -out), moved(a, out), moved(b, out), moved(b, -out)]);
            }
        }
        if self.lies_on(manifold, deepest) {
            return None;
        }
        let [along, across] = self.half_diagonals(&deepest.normal, order);
        Some([along, across, -along, -across].map(|by| moved(deepest, by)))
    }

    /// Whether the contacts that are closed span a triangle with edges and heights of more than 2ρ.
    fn lies_on(&self, manifold: &[ContactPoint], deepest: &ContactPoint) -> bool {
        let closed = |contact: &&ContactPoint| contact.distance - deepest.distance <= CLOSED * self.radius;
        let farthest = |from: &dyn Fn(&ContactPoint) -> f64| {
            let distances = manifold.iter().filter(closed).map(|contact| (from(contact), contact.point));
            distances
                .max_by(|(a, _), (b, _)| a.total_cmp(b))
                .filter(|(distance, _)| *distance > 2.0 * self.radius)
        };
        let base = farthest(&|contact| (contact.point - deepest.point).norm());
        let Some((length, end)) = base else { return false };
        let direction = (end - deepest.point) / length;
        farthest(&|contact| (contact.point - deepest.point).cross(&direction).norm()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;
    use extricate_core::proximity::contacts::Feature;

    const RADIUS: f64 = 0.01;

    fn patch(rotation: Vector3<f64>) -> Patch {
        Patch { radius: RADIUS, rotation, frames: [UnitQuaternion::identity(); 2] }
    }

    fn contact(x: f64, y: f64, distance: f64) -> ContactPoint {
        let features = [Feature::Face(0), Feature::Vertex(1)];
        ContactPoint { point: Point3::new(x, y, 0.0), normal: Vector3::z(), distance, features }
    }

    fn points(manifold: &[ContactPoint]) -> Option<[Point3<f64>; CORNERS]> {
        let found = patch(Vector3::new(0.0, 3.0, 7.0)).contacts(manifold, Order::Original);
        found.map(|corners| corners.map(|corner| corner.point))
    }

    #[test]
    fn a_contact_becomes_a_square_with_one_corner_ahead() {
        // It rolls about y, along x; its spin about the normal does not count.
        let corners = points(&[contact(1.0, 2.0, 0.0)]).unwrap();
        for (x, y) in [(1.0 + RADIUS, 2.0), (1.0 - RADIUS, 2.0), (1.0, 2.0 + RADIUS), (1.0, 2.0 - RADIUS)] {
            let nearest = corners.iter().map(|corner| (corner - Point3::new(x, y, 0.0)).norm());
            assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-15, "({x}, {y}): {corners:?}");
        }
    }

    #[test]
    fn two_contacts_are_drawn_out_across_the_line_between_them() {
        let corners = points(&[contact(0.0, 0.0, 0.0), contact(0.0, 1.0, 0.001)]).unwrap();
        assert!(corners.iter().all(|corner| (corner.x.abs() - RADIUS).abs() < 1e-15), "{corners:?}");
        let ends: Vec<f64> = corners.iter().map(|corner| corner.y).collect();
        assert_eq!(ends, [0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn contacts_that_bear_on_an_area_stay_as_they_are_and_others_get_a_square_at_the_deepest() {
        let wide = [contact(0.0, 0.0, 0.0), contact(1.0, 0.0, 0.0), contact(0.0, 1.0, 0.0)];
        assert_eq!(points(&wide), None);
        let small = wide.map(|contact| ContactPoint { point: contact.point * (1.5 * RADIUS), ..contact });
        assert!(points(&small).is_some(), "an area smaller than the patch");
        let mut open = wide;
        open[2].distance = 0.1 * RADIUS;
        open[0].distance = -1e-6 * RADIUS;
        let corners = points(&open).unwrap();
        assert!(corners.iter().all(|corner| (corner.coords.norm() - RADIUS).abs() < 1e-15), "{corners:?}");
        let collinear = [contact(0.0, 0.0, 0.0), contact(1.0, 0.0, 0.0), contact(2.0, 0.0, 0.0)];
        assert!(points(&collinear).is_some());
    }

    #[test]
    fn the_coefficient_of_a_collider_is_read_back() {
        for value in [0.0, 1e-3, f64::MIN_POSITIVE] {
            let collider = rapier3d::geometry::ColliderBuilder::ball(1.0).user_data(stored(value)).build();
            assert_eq!(coefficient(&collider).to_bits(), value.to_bits());
        }
    }
}
