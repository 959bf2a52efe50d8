//! Writing contacts into rapier's manifolds.

use nalgebra::{Isometry3, Vector3};
use rapier3d::math::Vector;
use rapier3d::parry::query::{ContactManifold, TrackedContact};
use rapier3d::parry::shape::PackedFeatureId;

use super::memory::ContactPoint;
use super::reduction::{Selected, point_on_first};
use crate::proximity::contacts::Feature;

/// Whether the pair came to us as (mesh, other) or (other, mesh): contacts are computed in the frame of the first
/// of *our* order and turned around here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As rapier has it.
    Kept,
    /// The other way round.
    Swapped,
}

/// Replaces the manifolds of a pair. Impulses of the last step are carried over where the same features touch,
/// whichever manifold they were in.
pub(super) fn write<M: Default, C: Default + Copy>(
    contacts: &[ContactPoint],
    selected: &[Selected],
    second_to_first: &Isometry3<f64>,
    order: Order,
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
        for &contact in selection.indices() {
            manifold.points.push(tracked(&contacts[contact], &normal, second_to_first, order));
        }
        manifold.match_contacts(&before);
    }
}

fn tracked<C: Default + Copy>(
    contact: &ContactPoint,
    normal: &Vector3<f64>,
    second_to_first: &Isometry3<f64>,
    order: Order,
) -> TrackedContact<C> {
    let on_first = point_on_first(contact, normal).coords;
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
