//! Overlap of two support features: its corners, seen along the contact normal, with the distance from one feature to the
//! other at each (Sutherland and Hodgman's clipping of the incident feature against the sides of the reference facet).
//!
//! | here      | meaning                                                                                          |
//! |-----------|--------------------------------------------------------------------------------------------------|
//! | n         | unit normal of the contact, from the first shape to the second                                   |
//! | reference | the facet that is better aligned with n; its sides are the planes through its edges along n      |
//! | incident  | the other facet, or a line                                                                       |
//! | margin    | width by which the reference is extended [m]: bodies whose edges coincide keep their corners       |

use nalgebra::Vector3;

use super::feature::{Corner, SupportFeature, directed_name};
use crate::contact::point::ContactPoint;
use extricate_core::proximity::contacts::Feature;

/// Cosine of the angle to n below which a facet is too steep to be the reference: heights above it along n are divided
/// by the cosine, and an error of the normal grows tenfold there. No effect on the sets of docs/sensitivity.md.
const STEEPEST: f64 = 0.1;
/// Difference of the alignment (cosine) by which the second facet must exceed the first to become the reference. At
/// zero, two parallel facets would change roles by rounding, and contacts their names. Half and twice change 2 of 3
/// runs; the overlaps of a pile under impacts vary by more than the value explains (docs/sensitivity.md).
const BETTER_ALIGNED: f64 = 1e-3;
/// Sine of the angle between two lines up to which they touch along their length. Lines at a larger angle have the pair of
/// witness points as their only contact.
const PARALLEL: f64 = 0.05;
/// Squared length of a cross product with an edge, over that of the edge, below which it is zero up to rounding. A
/// safeguard against cuts by a plane of rounding, without effect on the sets of docs/sensitivity.md.
const NO_LENGTH: f64 = 1e-20;

/// The pair of features a contact is made of, and the scale of it.
pub(super) struct Facing<'a> {
    pub(super) first: &'a SupportFeature,
    pub(super) second: &'a SupportFeature,
    /// n.
    pub(super) normal: Vector3<f64>,
    /// The margin [m].
    pub(super) margin: f64,
    /// Radii around the two cores together [m].
    pub(super) radii: f64,
}

/// The edge that follows a corner of the overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// An edge of the reference, by index.
    Reference(usize),
    /// An edge of the incident feature, by index.
    Incident(usize),
}

/// A corner of the overlap.
#[derive(Debug, Clone, Copy)]
struct Vertex {
    /// On the incident feature [m].
    point: Vector3<f64>,
    /// Features of the reference and of the incident body.
    features: [Feature; 2],
    edge: Edge,
}

/// Clips features; holds buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Clipper {
    polygon: Vec<Vertex>,
    clipped: Vec<Vertex>,
}

impl Facing<'_> {
    /// Adds a contact for each corner of the overlap: points on the cores, distances between the cores.
    pub(super) fn contacts(&self, clipper: &mut Clipper, contacts: &mut Vec<ContactPoint>) {
        let alignment = |feature: &SupportFeature| {
            if feature.is_polygon() { feature.normal.dot(&self.normal).abs() } else { 0.0 }
        };
        let (first, second) = (alignment(self.first), alignment(self.second));
        // The facet that is better aligned with n: heights above it are most accurate.
        let exchanged = second > first + BETTER_ALIGNED;
        let (reference, incident) =
            if exchanged { (self.second, self.first) } else { (self.first, self.second) };
        match (reference.corners.len(), incident.corners.len()) {
            (2, 2) => self.along_lines(contacts),
            (3.., 2..) if first.max(second) > STEEPEST => {
                clipper.clip(reference, incident, &self.normal, self.margin);
                contacts.extend(clipper.polygon.iter().map(|vertex| self.contact(vertex, exchanged)));
            }
            _ => {}
        }
    }

    /// Contact at a corner of the overlap, with the distance of the incident point from the plane of the reference along n.
    fn contact(&self, vertex: &Vertex, exchanged: bool) -> ContactPoint {
        let reference = if exchanged { self.second } else { self.first };
        let above = reference.normal.dot(&(vertex.point - reference.corners[0].point))
            / reference.normal.dot(&self.normal);
        let [of_reference, of_incident] = vertex.features;
        let (point, distance, features) = if exchanged {
            (vertex.point - self.normal * above, -above, [of_incident, of_reference])
        } else {
            (vertex.point, above, [of_reference, of_incident])
        };
        ContactPoint { point: point.into(), normal: self.normal, distance, features }
    }

    /// Contacts of two lines that touch along their length: the ends of the common part. Where the lines have a lateral
    /// distance `e`, surfaces of radii r₁ and r₂ are farther apart by e² / (2 (r₁ + r₂)).
    fn along_lines(&self, contacts: &mut Vec<ContactPoint>) {
        let n = self.normal;
        let flat = |v: Vector3<f64>| v - n * v.dot(&n);
        let line = |feature: &SupportFeature| [0, 1].map(|end| feature.corners[end].point);
        let (a, b) = (line(self.first), line(self.second));
        let (along_a, along_b) = (flat(a[1] - a[0]), flat(b[1] - b[0]));
        let (length_a, length_b) = (along_a.norm(), along_b.norm());
        let parallel = along_a.cross(&along_b).norm() <= PARALLEL * length_a * length_b;
        let bend = self.first.bend + self.second.bend + self.radii;
        if !(parallel && length_a > 0.0 && length_b > 0.0 && bend > 0.0) {
            return;
        }
        let fraction_of_a = |point: &Vector3<f64>| (point - a[0]).dot(&along_a) / length_a.powi(2);
        let [from, to] = [0, 1].map(|end| fraction_of_a(&b[end]));
        let edge = |feature: &SupportFeature| Feature::Edge(feature.name);
        let mut add = |on_a: Vector3<f64>, on_b: Vector3<f64>, features| {
            let apart = on_b - on_a;
            let distance = apart.dot(&n) + flat(apart).norm_squared() / (2.0 * bend);
            contacts.push(ContactPoint { point: on_b.into(), normal: n, distance, features });
        };
        for (end, fraction) in [from, to].into_iter().enumerate() {
            if (0.0..=1.0).contains(&fraction) {
                let features = [edge(self.first), Feature::Vertex(self.second.corners[end].name)];
                add(a[0] + (a[1] - a[0]) * fraction, b[end], features);
            }
        }
        // Strictly inside: ends that coincide have been added above.
        for (end, fraction) in [0.0, 1.0].into_iter().enumerate() {
            let fraction_of_b = (fraction - from) / (to - from);
            if fraction_of_b > 0.0 && fraction_of_b < 1.0 {
                let features = [Feature::Vertex(self.first.corners[end].name), edge(self.second)];
                add(a[end], b[0] + (b[1] - b[0]) * fraction_of_b, features);
            }
        }
    }
}

impl Clipper {
    /// Computes the overlap of the features, seen along n, into `polygon`.
    fn clip(&mut self, reference: &SupportFeature, incident: &SupportFeature, n: &Vector3<f64>, margin: f64) {
        let face = Feature::Face(reference.name);
        // A line is a polygon of two corners whose edges are one.
        let last_edge = if incident.is_polygon() { incident.corners.len() } else { 1 };
        self.polygon.clear();
        self.polygon.extend(incident.corners.iter().enumerate().map(|(index, corner)| Vertex {
            point: corner.point,
            features: [face, Feature::Vertex(corner.name)],
            edge: Edge::Incident(index % last_edge),
        }));
        // The reference is counter-clockwise about its own normal, which may point along n or against it.
        let upward = n * 1.0_f64.copysign(reference.normal.dot(n));
        for index in 0..reference.corners.len() {
            let [from, to] = edge_of(reference, index);
            let inward = upward.cross(&(to.point - from.point));
            let length = inward.norm();
            if length.powi(2) <= NO_LENGTH * (to.point - from.point).norm_squared() || length == 0.0 {
                continue;
            }
            let inward = inward / length;
            let offset = inward.dot(&from.point) - margin;
            self.clip_by((reference, incident), index, |point| inward.dot(point) - offset);
        }
        // Corners of the same features coincide up to rounding; two of them would share one impulse.
        self.clipped.clear();
        for vertex in &self.polygon {
            if !self.clipped.iter().any(|other| other.features == vertex.features) {
                self.clipped.push(*vertex);
            }
        }
        std::mem::swap(&mut self.polygon, &mut self.clipped);
    }

    /// Clips the polygon to the inner side of the `index`-th edge of the reference.
    fn clip_by(
        &mut self,
        (reference, incident): (&SupportFeature, &SupportFeature),
        index: usize,
        inside_by: impl Fn(&Vector3<f64>) -> f64,
    ) {
        self.clipped.clear();
        for (i, vertex) in self.polygon.iter().enumerate() {
            let next = &self.polygon[(i + 1) % self.polygon.len()];
            let (here, there) = (inside_by(&vertex.point), inside_by(&next.point));
            if here >= 0.0 {
                self.clipped.push(*vertex);
            }
            if (here >= 0.0) == (there >= 0.0) {
                continue;
            }
            let point = vertex.point + (next.point - vertex.point) * (here / (here - there));
            let features = crossing(reference, incident, index, vertex.edge);
            let edge = if here >= 0.0 { Edge::Reference(index) } else { vertex.edge };
            self.clipped.push(Vertex { point, features, edge });
        }
        std::mem::swap(&mut self.polygon, &mut self.clipped);
    }
}

/// Features that meet where the `index`-th edge of the reference cuts an edge of the polygon.
fn crossing(reference: &SupportFeature, incident: &SupportFeature, index: usize, edge: Edge) -> [Feature; 2] {
    let of_reference = edge_name(reference, index);
    match edge {
        Edge::Incident(other) => [Feature::Edge(of_reference), Feature::Edge(edge_name(incident, other))],
        Edge::Reference(other) => {
            let [a, b] = edge_of(reference, index);
            let [c, d] = edge_of(reference, other);
            let common = [a, b].into_iter().find(|corner| corner.name == c.name || corner.name == d.name);
            let feature = match common {
                Some(corner) => Feature::Vertex(corner.name),
                None => Feature::Edge(of_reference ^ edge_name(reference, other)),
            };
            [feature, Feature::Face(incident.name)]
        }
    }
}

fn edge_of(feature: &SupportFeature, index: usize) -> [&Corner; 2] {
    [&feature.corners[index], &feature.corners[(index + 1) % feature.corners.len()]]
}

/// Name of an edge by its two corners: the same from both of its facets.
fn edge_name(feature: &SupportFeature, index: usize) -> u32 {
    let [a, b] = edge_of(feature, index).map(|corner| corner.name);
    directed_name(a.min(b), a.max(b))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, UnitQuaternion};

    use super::*;
    use extricate_core::geometry::convex::{ConvexShape, START_ANYWHERE};

    /// Contacts of two shapes along a normal, the second one at a pose.
    fn contacts(
        first: &ConvexShape,
        second: &ConvexShape,
        pose: &Isometry3<f64>,
        normal: Vector3<f64>,
    ) -> Vec<ContactPoint> {
        let (mut a, mut b) = (SupportFeature::default(), SupportFeature::default());
        let towards_a = -(pose.rotation.inverse() * normal);
        let vertex = |shape: &ConvexShape, d: &Vector3<f64>| shape.core().support(d, START_ANYWHERE).vertex;
        a.find(first.core(), &normal, vertex(first, &normal));
        b.find(second.core(), &towards_a, vertex(second, &towards_a));
        b.transform(pose);
        let radii = first.radius() + second.radius();
        let facing = Facing { first: &a, second: &b, normal, margin: 1e-6, radii };
        let mut contacts = Vec::new();
        facing.contacts(&mut Clipper::default(), &mut contacts);
        contacts
    }

    fn about_z(angle: f64, translation: [f64; 3]) -> Isometry3<f64> {
        Isometry3::from_parts(
            Vector3::from(translation).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle),
        )
    }

    fn cube() -> ConvexShape {
        ConvexShape::cuboid(Vector3::repeat(2.0))
    }

    /// Area of the polygon of the contact points, which are in order, seen along z.
    fn area(contacts: &[ContactPoint]) -> f64 {
        let corners: Vec<_> = contacts.iter().map(|contact| contact.point).collect();
        let next = |i: usize| corners[(i + 1) % corners.len()];
        (0..corners.len()).map(|i| corners[i].x * next(i).y - next(i).x * corners[i].y).sum::<f64>().abs()
            / 2.0
    }

    #[test]
    fn a_cube_on_another_rotated_by_an_eighth_touches_it_in_an_octagon() {
        let found =
            contacts(&cube(), &cube(), &about_z(std::f64::consts::FRAC_PI_4, [0.0, 0.0, 1.9]), Vector3::z());
        assert_eq!(found.len(), 8);
        // The overlap of a square of side 2 with itself rotated by 45° has the area 8 (√2 − 1).
        assert!((area(&found) - 8.0 * (2.0_f64.sqrt() - 1.0)).abs() < 1e-5, "{}", area(&found));
        assert!(found.iter().all(|contact| (contact.distance + 0.1).abs() < 1e-12));
        let is_crossing =
            |contact: &ContactPoint| matches!(contact.features, [Feature::Edge(_), Feature::Edge(_)]);
        assert!(found.iter().all(is_crossing));
    }

    #[test]
    fn exchanging_the_shapes_exchanges_the_contacts() {
        let pose = Isometry3::from_parts(
            Vector3::new(0.4, -0.3, 1.95).into(),
            UnitQuaternion::from_euler_angles(0.02, 0.03, 0.5),
        );
        let key = |contact: &ContactPoint| format!("{:?}", contact.features);
        let mut there = contacts(&cube(), &cube(), &pose, Vector3::z());
        there.sort_by_key(key);
        let back = contacts(&cube(), &cube(), &pose.inverse(), -(pose.rotation.inverse() * Vector3::z()));
        let mut back: Vec<_> = back
            .into_iter()
            .map(|contact| {
                let on_first = contact.point - contact.normal * contact.distance;
                let [a, b] = contact.features;
                ContactPoint { point: pose * on_first, features: [b, a], ..contact }
            })
            .collect();
        back.sort_by_key(key);
        assert!(there.len() >= 4 && there.len() == back.len());
        for (one, other) in there.iter().zip(&back) {
            assert_eq!(one.features, other.features);
            // Either may be the reference, which reaches beyond its edges by the margin of 1e-6.
            assert!((one.point - other.point).norm() < 5e-6 && (one.distance - other.distance).abs() < 1e-6);
        }
    }

    #[test]
    fn a_corner_within_a_facet_is_named_by_both() {
        let small = ConvexShape::cuboid(Vector3::repeat(0.5));
        let found = contacts(&cube(), &small, &about_z(0.3, [0.2, 0.1, 1.2]), Vector3::z());
        assert_eq!(found.len(), 4);
        for contact in found {
            assert!(
                matches!(contact.features, [Feature::Face(5), Feature::Vertex(_)]),
                "{:?}",
                contact.features
            );
            assert!((contact.distance + 0.05).abs() < 1e-12);
        }
        let found = contacts(&small, &cube(), &about_z(0.3, [0.2, 0.1, 1.2]), Vector3::z());
        assert!(
            found.iter().all(|contact| matches!(contact.features, [Feature::Vertex(_), Feature::Face(4)]))
        );
    }

    #[test]
    fn equal_cubes_on_each_other_touch_at_four_corners_in_spite_of_rounding() {
        for shift in [0.0, 1e-9, -1e-9, 3e-7] {
            let found = contacts(&cube(), &cube(), &about_z(0.0, [shift, -shift, 2.0]), Vector3::z());
            assert_eq!(found.len(), 4);
            assert!(
                found
                    .iter()
                    .all(|contact| matches!(contact.features, [Feature::Face(5), Feature::Vertex(_)]))
            );
        }
    }

    #[test]
    fn a_line_across_a_facet_touches_at_its_ends_or_where_it_leaves() {
        let capsule = ConvexShape::capsule(0.1, 1.0);
        let lying = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
        for (x, left) in [(0.0, -0.5), (0.8, 0.3)] {
            let pose = Isometry3::from_parts(Vector3::new(x, 0.0, 1.1).into(), lying);
            for (found, order) in [
                (contacts(&cube(), &capsule, &pose, Vector3::z()), 1.0),
                (contacts(&capsule, &cube(), &pose.inverse(), pose.rotation.inverse() * -Vector3::z()), -1.0),
            ] {
                assert_eq!(found.len(), 2, "{found:?}");
                assert!(found.iter().all(|contact| (contact.distance - 0.1).abs() < 1e-9));
                if order > 0.0 {
                    let xs = found.iter().map(|contact| contact.point.x);
                    let (min, max) = xs.fold((2.0_f64, -2.0_f64), |(l, m), x| (l.min(x), m.max(x)));
                    assert!((min - left).abs() < 1e-9 && (max - (x + 0.5).min(1.0)).abs() < 2e-6);
                }
            }
        }
    }

    #[test]
    fn parallel_lines_touch_along_their_common_part() {
        let capsule = ConvexShape::capsule(0.1, 1.0);
        let found = contacts(&capsule, &capsule, &Isometry3::translation(0.25, 0.0, 0.4), Vector3::x());
        let mut heights: Vec<_> = found.iter().map(|contact| contact.point.z).collect();
        heights.sort_by(f64::total_cmp);
        assert_eq!(heights.len(), 2);
        assert!((heights[0] + 0.1).abs() < 1e-12 && (heights[1] - 0.5).abs() < 1e-12, "{heights:?}");
        assert!(found.iter().all(|contact| (contact.distance - 0.25).abs() < 1e-12));
        let crossed = about_z(0.0, [0.25, 0.0, 0.0])
            * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
        assert!(contacts(&capsule, &capsule, &crossed, Vector3::x()).is_empty());
    }

    #[test]
    fn lines_a_little_apart_sideways_are_as_far_apart_as_their_round_surfaces() {
        let capsule = ConvexShape::capsule(0.1, 1.0);
        let sideways = 0.01;
        let found = contacts(&capsule, &capsule, &Isometry3::translation(0.2, sideways, 0.0), Vector3::x());
        let exact = 0.2_f64.hypot(sideways) - 0.2;
        for contact in found {
            assert!((contact.distance - 0.2 - exact).abs() < 1e-6, "{} {exact}", contact.distance - 0.2);
        }
    }
}
