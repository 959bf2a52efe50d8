//! The field: zero on the surface, continuous, the depth at rest; distances of primitives.

use extricate_test_support::Noise;
use nalgebra::{Point3, Vector3};

use super::super::cell::{Depths, Shape, value};
use super::super::{ContactOptions, Primitive, SignedDistance, SoftContact, node_depths};
use super::shapes::{block, blocks};
use crate::error::SoftError;
use extricate_core::geometry::tet_mesh::{TET_EDGES, TET_FACES};

fn field(depths: &Depths, corners: &[Vector3<f64>; 4], point: &Vector3<f64>) -> f64 {
    let u = Shape::of(corners).unwrap().coordinates(point);
    value(&u, &depths.of_part(depths.part(&u)))
}

#[test]
fn the_field_is_zero_on_the_surface_and_continuous_across_faces() {
    // One cube thick: all nodes lie on the surface, and every element is subdivided.
    for mesh in [block([3, 3, 3], [1.0; 3], [0.0; 3]), block([4, 1, 1], [4.0, 1.0, 1.0], [0.0; 3])] {
        let mut contact = SoftContact::new(ContactOptions::default()).unwrap();
        contact.add_body(&mesh, 0, &node_depths(&mesh)).unwrap();
        let body = &contact.bodies[0];
        let x = super::shaken(&blocks(&[&mesh]), 0.05, 1);
        let mut noise = Noise(4);
        let mut seen = std::collections::HashMap::new();
        for (tet, depths) in body.tets.iter().zip(&body.depths) {
            let corners = tet.map(|i| x[i as usize]);
            assert!(field(depths, &corners, &(corners.iter().sum::<Vector3<f64>>() / 4.0)) > 0.0);
            if let Some(midpoints) = &depths.midpoints {
                let middle = |places: &[usize]| {
                    places.iter().map(|&i| corners[i]).sum::<Vector3<f64>>() / places.len() as f64
                };
                let is = |places: &[usize], depth: f64| {
                    assert!((field(depths, &corners, &middle(places)) - depth).abs() < 1e-13);
                };
                is(&[0, 1, 2, 3], midpoints.inside);
                (0..4).for_each(|f| is(&TET_FACES[f], midpoints.faces[f]));
                (0..6).for_each(|e| is(&TET_EDGES[e], midpoints.edges[e]));
                // Steps along a line, over the borders of the parts.
                let at = |s: f64| {
                    corners[0].lerp(&middle(&[1, 2, 3]), s) + 0.1 * (1.0 - s) * s * (corners[1] - corners[2])
                };
                let steps = (1..1000).map(|i| f64::from(i) / 1000.0).map(|s| field(depths, &corners, &at(s)));
                let values: Vec<f64> = steps.collect();
                assert!(
                    values.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.02),
                    "a step within an element"
                );
            }
            for face in TET_FACES {
                let mut nodes = face.map(|i| tet[i]);
                nodes.sort_unstable();
                let at = seen.entry(nodes).or_insert_with(|| {
                    let w = [0; 3].map(|_| 1.1 + noise.signed());
                    (w, Vec::new())
                });
                let sum: f64 = at.0.iter().sum();
                let point = (0..3).map(|i| x[nodes[i] as usize] * at.0[i] / sum).sum();
                at.1.push(field(depths, &corners, &point));
            }
        }
        for (_, values) in seen.values() {
            match values[..] {
                [surface] => assert!(surface.abs() < 1e-14),
                [one, other] => assert!((one - other).abs() < 1e-14, "{one} {other}"),
                _ => panic!("{} elements at a face", values.len()),
            }
        }
    }
}

#[test]
fn depths_of_a_block_are_those_of_its_nearest_face() {
    let mesh = block([4, 4, 4], [1.0; 3], [0.0; 3]);
    for (node, depth) in mesh.nodes().iter().zip(node_depths(&mesh)) {
        let exact = node.coords.iter().map(|x| x.min(1.0 - x)).fold(f64::INFINITY, f64::min);
        assert!((depth - exact).abs() < 1e-12);
    }
}

#[test]
fn distances_of_primitives_are_those_of_their_surfaces_and_slopes_those_of_differences() {
    let shapes = [
        (Primitive::HalfSpace, Point3::new(3.0, 1.0, 0.25), 0.25),
        (Primitive::Ball { radius: 2.0 }, Point3::new(0.0, 3.0, 4.0), 3.0),
        (Primitive::Cuboid { half: Vector3::new(1.0, 2.0, 3.0) }, Point3::new(4.0, 6.0, 0.0), 5.0),
        (Primitive::Cuboid { half: Vector3::new(1.0, 2.0, 3.0) }, Point3::new(0.5, 0.0, 0.0), -0.5),
        (Primitive::Capsule { half_height: 1.0, radius: 0.5 }, Point3::new(3.0, 0.0, 5.0), 4.5),
        (Primitive::Cylinder { half_height: 1.0, radius: 0.5 }, Point3::new(0.0, 3.5, 5.0), 5.0),
        (Primitive::Cylinder { half_height: 1.0, radius: 0.5 }, Point3::new(0.3, 0.0, 0.1), -0.2),
    ];
    let mut noise = Noise(2);
    for (shape, point, distance) in shapes {
        assert!((shape.value_and_gradient(&point).0 - distance).abs() < 1e-14, "{shape:?}");
        for _ in 0..50 {
            let p = Point3::from(3.0 * noise.signed_vector());
            let (_, gradient) = shape.value_and_gradient(&p);
            for k in 0..3 {
                let at = |by: f64| shape.value_and_gradient(&(p + Vector3::ith(k, by))).0;
                let difference = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!(
                    (difference - gradient[k]).abs() < 1e-5,
                    "{shape:?} {p}: {difference} {}",
                    gradient[k]
                );
            }
        }
    }
}

#[test]
fn bad_depths_and_options_are_refused() {
    let mesh = block([1, 1, 1], [1.0; 3], [0.0; 3]);
    let mut contact = SoftContact::new(ContactOptions::default()).unwrap();
    let few = contact.add_body(&mesh, 0, &[0.0; 3]);
    assert!(matches!(few, Err(SoftError::Depths { depths: 3, nodes: 8 })));
    let bad = contact.add_body(&mesh, 0, &[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert!(matches!(bad, Err(SoftError::Depth { node: 1, .. })));
    let options = ContactOptions { stiffness: f64::NAN, ..ContactOptions::default() };
    assert!(matches!(SoftContact::new(options), Err(SoftError::Option { name: "stiffness", .. })));
    let options = ContactOptions { creep: Some(0.0), ..ContactOptions::default() };
    assert!(matches!(SoftContact::new(options), Err(SoftError::Option { name: "creep", .. })));
}
