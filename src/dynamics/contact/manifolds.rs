//! Writing contacts into rapier's manifolds.

use nalgebra::{Isometry3, Vector3};
use rapier3d::math::Vector;
use rapier3d::parry::query::{ContactManifold, TrackedContact};
use rapier3d::parry::shape::PackedFeatureId;

use super::memory::ContactPoint;
use super::reduction::Selected;
use crate::proximity::contacts::Feature;

/// Whether contacts were computed with the two shapes as they came, or exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As rapier has it.
    Kept,
    /// The other way round.
    Swapped,
}

impl Order {
    /// The other one.
    pub(super) fn swapped(self) -> Self {
        match self {
            Self::Kept => Self::Swapped,
            Self::Swapped => Self::Kept,
        }
    }
}

/// Replaces the manifolds of a pair. Impulses of the last step are carried over where the same features touch,
/// whichever manifold they were in.
///
/// The solver pushes bodies apart no faster than a bound, which depths beyond `recoverable` [m] reach. Four corners
/// beyond it would be pushed alike however much they differ, and the body would turn at random; so the depths of a
/// manifold are lessened alike until the deepest is recoverable.
pub(super) fn write<M: Default, C: Default + Copy>(
    (contacts, selected): (&[ContactPoint], &[Selected]),
    second_to_first: &Isometry3<f64>,
    order: Order,
    recoverable: f64,
    manifolds: &mut Vec<ContactManifold<M, C>>,
) {
    let before: Vec<TrackedContact<C>> =
        manifolds.iter().flat_map(|manifold| manifold.points.iter().copied()).collect();
    manifolds.truncate(selected.len());
    for (index, selection) in selected.iter().enumerate() {
        if index == manifolds.len() {
            manifolds.push(ContactManifold::with_data(0, 0, M::default()));
        }
        let manifold = &mut manifolds[index];
        let normal = selection.normal;
        let back = second_to_first.rotation.inverse() * -normal;
        let (n1, n2) = if order == Order::Kept { (normal, back) } else { (back, normal) };
        (manifold.local_n1, manifold.local_n2) = (vector(&n1), vector(&n2));
        manifold.points.clear();
        let lessened = f64::max(0.0, -selection.deepest - recoverable);
        for &index in selection.indices() {
            let distance = contacts[index].distance + lessened;
            let contact = ContactPoint { distance, normal, ..contacts[index] };
            manifold.points.push(tracked(&contact, second_to_first, order));
        }
        manifold.match_contacts(&before);
    }
}

fn tracked<C: Default + Copy>(
    contact: &ContactPoint,
    second_to_first: &Isometry3<f64>,
    order: Order,
) -> TrackedContact<C> {
    let on_first = (contact.point - contact.normal * contact.distance).coords;
    let on_second = second_to_first.inverse_transform_point(&contact.point).coords;
    let [first, second] = contact.features.map(feature_id);
    let swapped = order == Order::Swapped;
    TrackedContact::flipped(vector(&on_first), vector(&on_second), first, second, contact.distance, swapped)
}

fn feature_id(feature: Feature) -> PackedFeatureId {
    match feature {
        Feature::Vertex(index) => PackedFeatureId::vertex(index),
        Feature::Edge(index) => PackedFeatureId::edge(index),
        Feature::Face(index) => PackedFeatureId::face(index),
    }
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}
