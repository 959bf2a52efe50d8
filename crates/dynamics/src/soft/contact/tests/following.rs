//! Depths that follow the deformation, against the true depth below the deformed surface and fields computed anew.

use nalgebra::{Point3, Vector3};

use super::super::{ContactOptions, DepthUpdate, SoftContact, node_depths};
use super::shapes::{block, blocks};
use crate::stateful::Stateful;
use extricate_core::field::{DistanceField, FieldOptions, Side};
use extricate_core::geometry::{Solidity, TetMesh, TriangleMesh};
use extricate_core::proximity::{Model, closest_point};

/// A field of about 2.4 m over 32 cells, updated where depths are wrong by 5 %.
const HOW: DepthUpdate = DepthUpdate { resolution: 33, tolerance: 0.05 };

/// A block of 2 m and a smaller one, whose lower face is 2 cm below the middle of the other's upper face when that is at a height [m].
fn pair(height: f64) -> [TetMesh; 2] {
    let lower = block([8, 8, 8], [2.0; 3], [0.0; 3]);
    let upper = block([1, 1, 1], [0.31, 0.31, 0.3], [0.84, 0.86, height - 0.02]);
    [lower, upper]
}

/// Contact of a pair, with depths that follow the lower block or without.
fn contact(meshes: &[TetMesh; 2], follows: bool) -> SoftContact {
    let mut contact = SoftContact::new(ContactOptions { edges: false, ..ContactOptions::default() }).unwrap();
    match follows {
        true => contact.add_following_body(&meshes[0], 0, HOW).unwrap(),
        false => contact.add_body(&meshes[0], 0, &node_depths(&meshes[0])).unwrap(),
    };
    let first = u32::try_from(meshes[0].nodes().len()).unwrap();
    contact.add_body(&meshes[1], first, &node_depths(&meshes[1])).unwrap();
    contact
}

/// The blocks with the lower one's nodes mapped.
fn deformed(meshes: &[TetMesh; 2], map: impl Fn(Vector3<f64>) -> Vector3<f64>) -> Vec<Vector3<f64>> {
    let count = meshes[0].nodes().len();
    let of = |(i, p): (usize, Vector3<f64>)| if i < count { map(p) } else { p };
    blocks(&[&meshes[0], &meshes[1]]).into_iter().enumerate().map(of).collect()
}

/// Maximum relative error of the depths of the upper block's nodes, against closest points of the lower one's present surface.
fn error(contact: &mut SoftContact, mesh: &TetMesh, x: &[Vector3<f64>]) -> f64 {
    let nodes: Vec<Point3<f64>> = x[..mesh.nodes().len()].iter().map(|p| Point3::from(*p)).collect();
    let now = TetMesh::new(nodes, mesh.tets().to_vec()).unwrap();
    let model = Model::new(now.surface(), Solidity::Solid);
    let first = u32::try_from(mesh.nodes().len()).unwrap();
    let of_upper = |contact: &&super::super::Contact| match contact.probe {
        super::super::Probe::Node(block) => block >= first,
        _ => false,
    };
    let contacts: Vec<_> = contact.contacts(x).iter().filter(of_upper).copied().collect();
    assert_eq!(contacts.len(), 4);
    let of = |c: &super::super::Contact| c.depth / closest_point(&model, &c.point.into()).distance - 1.0;
    contacts.iter().map(|c| of(c).abs()).fold(0.0, f64::max)
}

#[test]
fn depths_at_rest_are_wrong_by_the_strain_and_updated_ones_by_a_few_per_cent() {
    for compression in [0.1, 0.3, 0.6] {
        let kept = 1.0 - compression;
        let meshes = pair(2.0 * kept);
        let x = deformed(&meshes, |p| p.component_mul(&Vector3::new(1.0, 1.0, kept)));
        let mut at_rest = contact(&meshes, false);
        at_rest.begin_step(&x, 0.01);
        let wrong = error(&mut at_rest, &meshes[0], &x);
        assert!((wrong - compression / kept).abs() < 1e-9, "{compression}: {wrong}");
        let mut updated = contact(&meshes, true);
        updated.begin_step(&x, 0.01);
        let left = error(&mut updated, &meshes[0], &x);
        assert!(left < 0.02, "{compression}: {left}");
        let work = updated.take_field_work();
        assert_eq!((work.updates, work.whole), (1, 1));
        // They hold: another step marches nothing.
        updated.begin_step(&x, 0.01);
        assert_eq!(updated.take_field_work().updates, 0);
    }
}

/// A dent of 10 cm in the middle of the upper face, moved and rotated with the body.
fn dented(p: Vector3<f64>) -> Vector3<f64> {
    let near = (p.x - 1.0).abs() < 0.3 && (p.y - 1.0).abs() < 0.3;
    if near && p.z > 1.9 { p - Vector3::new(0.0, 0.0, 0.1) } else { p }
}

#[test]
fn a_dent_updates_a_part_of_the_field_and_that_equals_one_computed_anew() {
    let meshes = pair(1.9);
    let pose = nalgebra::Isometry3::new(Vector3::new(5.0, -3.0, 2.0), Vector3::new(0.3, -0.8, 1.1));
    let x: Vec<_> = deformed(&meshes, dented).into_iter().map(|p| (pose * Point3::from(p)).coords).collect();
    let mut updated = contact(&meshes, true);
    updated.begin_step(&x, 0.01);
    let left = error(&mut updated, &meshes[0], &x);
    assert!(left < 0.05, "{left}");
    let work = updated.take_field_work();
    assert_eq!((work.updates, work.whole), (1, 0));
    assert!(3 * work.points[0] < work.points[1], "{work:?}");
    let following = updated.following[0].as_ref().unwrap();
    let options = FieldOptions { side: Side::Inside, exact: Some(2.0), ..FieldOptions::default() };
    let anew = DistanceField::on(following.surface(), *following.field().grid(), &options).unwrap();
    for (value, expected) in following.field().values().zip(anew.values()) {
        assert!(
            value.to_bits() == expected.to_bits() || (value - expected).abs() < 1e-12,
            "{value} {expected}"
        );
    }
    // The reference surface is the present one near the contact.
    let surface: &TriangleMesh = following.surface();
    let top =
        surface.vertices().iter().filter(|p| (p.x - 1.0).abs() < 0.3 && (p.y - 1.0).abs() < 0.3 && p.z > 1.5);
    assert!(top.clone().count() == 9 && top.clone().all(|p| (p.z - 1.9).abs() < 0.02));
}

#[test]
fn a_restored_state_continues_with_the_same_depths() {
    let meshes = pair(1.8);
    let x = deformed(&meshes, dented);
    let mut first = contact(&meshes, true);
    first.begin_step(&x, 0.01);
    let bytes = postcard::to_allocvec(&first.snapshot()).unwrap();
    let mut second = contact(&meshes, true);
    second.restore(postcard::from_bytes(&bytes).unwrap()).unwrap();
    let deeper = deformed(&meshes, |p| p + 2.0 * (dented(p) - p));
    for contact in [&mut first, &mut second] {
        contact.take_field_work();
        contact.begin_step(&deeper, 0.01);
        assert_eq!(contact.take_field_work().updates, 1);
    }
    assert_eq!(first.depths_of(0), second.depths_of(0));
    assert!(contact(&meshes, false).restore(first.snapshot()).is_err());
}
