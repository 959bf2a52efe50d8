//! Writing contacts into rapier's manifolds.

use nalgebra::{Isometry3, Vector3};
use rapier3d::math::Vector;
use rapier3d::parry::query::{ContactManifold, TrackedContact};
use rapier3d::parry::shape::PackedFeatureId;

use super::patch::Patch;
use super::point::{ContactPoint, Order};
use super::reduction::{POINTS, Selected};
use extricate_core::proximity::contacts::Feature;

/// Contacts of the last step that are stored without an allocation: most pairs have one to four manifolds of up to four.
const FEW: usize = 32;

/// Replaces the manifolds of a pair. Impulses of the last step are carried over where the same features touch,
/// whichever manifold they were in; and, nearer than `same_place` [m], where other features touch at the same place. Contacts of
/// a pair with rolling friction have the extent of its patch.
pub(super) fn write<M: Default, C: Default + Copy>(
    chosen: (&[ContactPoint], &[Selected], Option<Patch>),
    second_to_first: &Isometry3<f64>,
    order: Order,
    same_place: f64,
    manifolds: &mut Vec<ContactManifold<M, C>>,
) {
    let mut old = manifolds.iter().flat_map(|manifold| manifold.points.iter().copied());
    let Some(first) = old.next() else {
        return replace(chosen, second_to_first, (order, same_place, &[]), manifolds);
    };
    let count = 1 + old.clone().count();
    if count > FEW {
        let many: Vec<_> = std::iter::once(first).chain(old).collect();
        return replace(chosen, second_to_first, (order, same_place, &many), manifolds);
    }
    // Copied before the manifolds that hold them are overwritten.
    let mut few = [first; FEW];
    few[1..].iter_mut().zip(old).for_each(|(slot, contact)| *slot = contact);
    replace(chosen, second_to_first, (order, same_place, &few[..count]), manifolds);
}

fn replace<M: Default, C: Default + Copy>(
    (contacts, selected, patch): (&[ContactPoint], &[Selected], Option<Patch>),
    second_to_first: &Isometry3<f64>,
    (order, same_place, before): (Order, f64, &[TrackedContact<C>]),
    manifolds: &mut Vec<ContactManifold<M, C>>,
) {
    // Manifolds are reused: their points keep their allocations.
    let mut written = 0;
    let mut push = |normal: Vector3<f64>, chosen: &mut dyn Iterator<Item = TrackedContact<C>>| {
        if written == manifolds.len() {
            manifolds.push(ContactManifold::with_data(0, 0, M::default()));
        }
        let manifold = &mut manifolds[written];
        written += 1;
        let back = second_to_first.rotation.inverse() * -normal;
        let (n1, n2) = if order == Order::Original { (normal, back) } else { (back, normal) };
        (manifold.local_n1, manifold.local_n2) = (vector(&n1), vector(&n2));
        manifold.points.clear();
        manifold.points.extend(chosen);
        manifold.match_contacts(before);
        if same_place > 0.0 {
            match_places(&mut manifold.points, before, same_place);
        }
    };
    for selection in selected {
        let normal = selection.normal;
        let point = |index: &usize| ContactPoint { normal, ..contacts[*index] };
        if patch.is_none() || selection.indices().len() > 2 {
            for few in selection.indices().chunks(POINTS) {
                let points = few.iter().map(point);
                push(normal, &mut points.map(|contact| tracked(&contact, 0, second_to_first, order)));
            }
        }
        let Some(patch) = patch else { continue };
        let few: Vec<ContactPoint> = selection.indices().iter().map(point).collect();
        if let Some(corners) = patch.contacts(&few, order) {
            let numbered = (1..).zip(&corners);
            push(
                normal,
                &mut numbered.map(|(corner, contact)| tracked(contact, corner, second_to_first, order)),
            );
        }
    }
    manifolds.truncate(written);
}

/// Assigns to contacts of new features the impulses of the nearest contact of the last step that is not among the new
/// ones.
fn match_places<C: Copy>(contacts: &mut [TrackedContact<C>], before: &[TrackedContact<C>], same_place: f64) {
    let same = |a: &TrackedContact<C>, b: &TrackedContact<C>| a.fid1 == b.fid1 && a.fid2 == b.fid2;
    let mut free: Vec<&TrackedContact<C>> =
        before.iter().filter(|old| !contacts.iter().any(|contact| same(old, contact))).collect();
    for contact in contacts {
        if free.is_empty() {
            return;
        }
        // A contact of the same features has its impulse already.
        if before.iter().any(|old| same(old, contact)) {
            continue;
        }
        let moved = |old: &TrackedContact<C>| {
            let (on_first, on_second) = (old.local_p1 - contact.local_p1, old.local_p2 - contact.local_p2);
            on_first.length_squared().max(on_second.length_squared())
        };
        let nearest = (0..free.len()).min_by(|&i, &j| moved(free[i]).total_cmp(&moved(free[j])));
        if let Some(nearest) = nearest.filter(|&nearest| moved(free[nearest]) < same_place.powi(2)) {
            contact.data = free.swap_remove(nearest).data;
        }
    }
}

/// A contact as rapier has it; `corner` is its number in a patch, from 1, or 0 where it is none.
fn tracked<C: Default + Copy>(
    contact: &ContactPoint,
    corner: u32,
    second_to_first: &Isometry3<f64>,
    order: Order,
) -> TrackedContact<C> {
    let on_first = (contact.point - contact.normal * contact.distance).coords;
    let on_second = second_to_first.inverse_transform_point(&contact.point).coords;
    let [first, second] = contact.features;
    // One of the two distinguishes the corners of a patch.
    let (first, second) = (feature_id(first, corner), feature_id(second, 0));
    let swapped = order == Order::Swapped;
    TrackedContact::flipped(vector(&on_first), vector(&on_second), first, second, contact.distance, swapped)
}

/// Identity of a corner of a feature.
fn feature_id(feature: Feature, corner: u32) -> PackedFeatureId {
    /// Numbers that rapier's identities can hold.
    const NUMBERS: u32 = (1 << 30) - 1;
    // Corners count down from the end, so that contacts without a patch keep the numbers of their features.
    let number = |index: u32| index.wrapping_sub(corner << 27) & NUMBERS;
    match feature {
        Feature::Vertex(index) => PackedFeatureId::vertex(number(index)),
        Feature::Edge(index) => PackedFeatureId::edge(number(index)),
        Feature::Face(index) => PackedFeatureId::face(number(index)),
    }
}

fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}
