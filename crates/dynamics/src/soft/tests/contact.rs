//! Contact in the solver: closed forms of a block that rests on the ground.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::super::contact::{Contact, ContactOptions, Obstacle, Primitive, SoftContact, node_depths};
use super::*;
use extricate_core::geometry::tet_mesh::procedural::block;

/// Contact forces on all blocks [N].
fn forces(contact: &mut SoftContact, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut gradient = vec![Vector3::zeros(); x.len()];
    contact.linearise(x, &mut gradient, &mut OuterProducts::default());
    gradient.into_iter().map(|g| -g).collect()
}

#[test]
fn a_dropped_block_comes_to_rest_on_the_ground() {
    // 1 m³ of 1000 kg/m³ on 1e8 Pa/m sinks 9810/1e8 m.
    for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
        let mesh = kuhn([3, 3, 3], Vector3::repeat(1.0));
        let mut system = SoftSystem::new(vec![body(&mesh, model, 1e5, 0.3)], 0);
        system.gravity = Vector3::new(0.0, 0.0, -9.81);
        system.transform(0, &Isometry3::translation(0.0, 0.0, 0.3));
        let mut contact = SoftContact::new(ContactOptions::default()).expect("options");
        contact.add_body(&mesh, 0, &node_depths(&mesh)).expect("the block");
        contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
        let start = system.energies().total();
        for _ in 0..500 {
            contact.begin_step(&system.x, 0.03);
            system.step(0.03, &StepOptions::default(), &mut contact).expect("a step");
            let energy = system.energies().total() + contact.energy(&system.x);
            assert!(energy < start + 1e-3 * start.abs(), "{energy} J from {start} J");
        }
        assert!(system.first_inverted().is_none());
        let weight: f64 = forces(&mut contact, &system.x).iter().map(|f| f.z).sum();
        assert!((weight - 9810.0).abs() < 1.0, "{model:?}: {weight} N");
        // The volume that is below the ground is weight over stiffness, under the sixteen nodes of the face.
        let contacts = contact.contacts(&system.x);
        let volume: f64 = contacts.iter().map(|c| c.depth * c.stiffness / 1e8).sum();
        assert!(contacts.len() == 16 && (volume / 9.81e-5 - 1.0).abs() < 1e-4, "{volume:e}");
        let speed = system.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
        assert!(speed < 1e-4, "{speed:e}");
    }
}

/// V10: two blocks, their lower faces at 0 and 1 m, on rollers.
fn stacked() -> (SoftSystem, [TetMesh; 2]) {
    let lower = block([4, 4, 4], Vector3::new(1.2, 1.2, 1.0), Point3::new(-0.6, -0.6, 0.0)).expect("a block");
    let upper = block([3, 3, 3], Vector3::repeat(1.0), Point3::new(-0.5, -0.5, 1.0)).expect("a block");
    let material = Material::new(Constitutive::Linear, 1000.0, 1e6, 0.0).expect("a material");
    let material = material.with_damping(0.0, 1e-2).expect("damping");
    let bodies =
        [&lower, &upper].map(|mesh| Elements::new(mesh, material, ElementKind::Linear).expect("elements"));
    let mut system = SoftSystem::new(bodies.into(), 0);
    system.gravity = Vector3::new(0.0, 0.0, -9.81);
    let at = |x: f64, y: f64| {
        let near = |p: &Point3<f64>| (p - Point3::new(x, y, 0.0)).norm() < 1e-9;
        lower.nodes().iter().position(near).expect("a corner")
    };
    let (first, second) = (at(-0.6, -0.6), at(0.6, -0.6));
    for (node, place) in lower.nodes().iter().enumerate().filter(|(_, place)| place.z == 0.0) {
        system.prescribe(node, [node == first, node == first || node == second, true], place.coords);
    }
    (system, [lower, upper])
}

#[test]
fn stacked_blocks_press_on_each_other_with_the_weight_of_the_upper_one() {
    // V10: 1 m² under 9810 N. Both surfaces push with 1e8 Pa/m, so the mean of their penetrations is half of 9.81e-5 m.
    for edges in [false, true] {
        let (mut system, meshes) = stacked();
        let options = ContactOptions { edges, friction: 0.2, ..ContactOptions::default() };
        let mut contact = SoftContact::new(options).expect("options");
        let mut first = 0;
        for mesh in &meshes {
            contact.add_body(mesh, first, &node_depths(mesh)).expect("a block");
            first += u32::try_from(mesh.nodes().len()).expect("few nodes");
        }
        let newton = NewtonOptions { relative_tolerance: 1e-9, ..NewtonOptions::default() };
        let options = StepOptions { newton, ..StepOptions::default() };
        for _ in 0..40 {
            contact.begin_step(&system.x, 0.02);
            system.step(0.02, &options, &mut contact).expect("a step");
        }
        contact.begin_step(&system.x, 0.02);
        let report = system.solve_quasi_static(&options, &mut contact).expect("an equilibrium");
        assert!((0.0..0.01).contains(&report.drift), "{}", report.drift);
        let forces = forces(&mut contact, &system.x);
        let on = |body: usize| forces[system.blocks_of(body)].iter().sum::<Vector3<f64>>();
        assert!((on(1) / 9810.0 - Vector3::z()).norm() < 1e-6, "{}", on(1));
        assert!((on(0) + on(1)).norm() < 1e-12 * 9810.0);
        let of_area = |c: &Contact| c.depth * c.stiffness / 1e8;
        let mean = contact.contacts(&system.x).iter().map(of_area).sum::<f64>() / 2.0;
        assert!((mean / 4.905e-5 - 1.0).abs() < 0.1, "{mean:e}");
    }
}
