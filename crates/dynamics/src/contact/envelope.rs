//! Lower envelope of a few contacts: the distance that their interpolation has at a place between them.
//!
//! Two rigid bodies that rest on each other in nearly one plane touch where the distance, as a function of the place in that plane, has the vertices of its lower
//! convex hull. A contact above the envelope of others cannot touch while these do not sink; one below it bears a load, and a body that is not held there sinks.

use nalgebra::{Point2, Point3, Vector3};

/// Distance from a triangle, as a fraction of its heights, up to which its distances are extrapolated: contacts at the rim of a face are beside it by rounding.
const BESIDE: f64 = 0.05;

/// Contacts in the plane across a normal, up to those of two manifolds.
#[derive(Debug, Clone)]
pub(super) struct Envelope<const N: usize> {
    /// Axes of the plane.
    axes: [Vector3<f64>; 2],
    /// Places, and distances [m].
    contacts: [(Point2<f64>, f64); N],
    count: usize,
}

impl<const N: usize> Envelope<N> {
    pub(super) fn new(normal: &Vector3<f64>) -> Self {
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
        let axes = [first, normal.cross(&first)];
        Self { axes, contacts: [(Point2::origin(), 0.0); N], count: 0 }
    }

    fn project(&self, point: &Point3<f64>) -> Point2<f64> {
        Point2::from(self.axes.map(|axis| axis.dot(&point.coords)))
    }

    /// Adds a contact with its distance [m].
    pub(super) fn add(&mut self, point: &Point3<f64>, distance: f64) {
        self.contacts[self.count] = (self.project(point), distance);
        self.count += 1;
    }

    /// Minimum of the distances [m] that triangles of the contacts have at a point; `None` outside their polygon.
    pub(super) fn at(&self, point: &Point3<f64>) -> Option<f64> {
        let point = self.project(point);
        let contacts = &self.contacts[..self.count];
        let mut lowest: Option<f64> = None;
        for (i, (a, at_a)) in contacts.iter().enumerate() {
            for (j, (b, at_b)) in contacts.iter().enumerate().skip(i + 1) {
                let (to_a, to_b) = (a - point, b - point);
                let of_c = to_a.perp(&to_b);
                for (c, at_c) in &contacts[j + 1..] {
                    let to_c = c - point;
                    let (of_a, of_b) = (to_b.perp(&to_c), to_c.perp(&to_a));
                    let area = of_a + of_b + of_c;
                    let is_within =
                        [of_a, of_b, of_c].iter().all(|part| part * area >= -BESIDE * area.powi(2));
                    if is_within && area.abs() > 0.0 {
                        let distance = (of_a * at_a + of_b * at_b + of_c * at_c) / area;
                        lowest = Some(lowest.map_or(distance, |lowest| lowest.min(distance)));
                    }
                }
            }
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use extricate_test_support::Noise;

    /// A distance that is convex in the place.
    fn paraboloid(x: f64, y: f64) -> f64 {
        2.0 * (x - 0.2).powi(2) + 0.5 * (y + 0.1).powi(2) + 0.3 * x * y
    }

    #[test]
    fn it_is_a_plane_through_contacts_of_a_plane_and_lies_above_a_convex_function_through_others() {
        let mut noise = Noise(3);
        let normal = Vector3::new(0.3, -0.5, 0.8).normalize();
        let mut within = 0;
        for _ in 0..200 {
            let mut places: Vec<_> = (0..7).map(|_| noise.vector()).collect();
            // The last one is a mean of three others, so within their triangle.
            places.push((places[0] + places[1] + places[2]) / 3.0);
            let (mut plane, mut convex) = (Envelope::<8>::new(&normal), Envelope::<8>::new(&normal));
            let [u, v] = plane.axes;
            let slope = noise.vector();
            let flat = |place: &Vector3<f64>| slope.x + slope.y * u.dot(place) + slope.z * v.dot(place);
            let bent = |place: &Vector3<f64>| paraboloid(u.dot(place), v.dot(place));
            places[..6].iter().for_each(|place| plane.add(&Point3::from(*place), flat(place)));
            // One triangle alone: others may be extrapolated.
            places[..3].iter().for_each(|place| convex.add(&Point3::from(*place), bent(place)));
            for place in &places[6..] {
                let Some(at) = plane.at(&Point3::from(*place)) else { continue };
                assert!((at - flat(place)).abs() < 1e-9, "{at}");
                within += 1;
            }
            let at = convex.at(&Point3::from(places[7])).unwrap();
            assert!(at > bent(&places[7]), "Jensen's inequality");
        }
        assert!(within > 250, "{within}");
    }

    #[test]
    fn it_has_no_value_outside_the_polygon() {
        let mut envelope = Envelope::<8>::new(&Vector3::z());
        for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] {
            envelope.add(&Point3::new(x, y, 7.0), 1.0);
        }
        assert_eq!(envelope.at(&Point3::new(0.6, 0.6, 0.0)), None);
        assert_eq!(envelope.at(&Point3::new(-0.1, 0.5, 0.0)), None);
        // At its rim, to within a twentieth.
        assert!(envelope.at(&Point3::new(0.5, -0.01, 0.0)).is_some());
    }
}
