//! Contact in the solver: closed forms of a block that rests on the ground.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::super::contact::{ContactOptions, Obstacle, Primitive, SoftContact, node_depths};
use super::*;

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
        let depth = contact.penetrations(&system.x)[0];
        assert!(depth > 0.5 * 9.81e-5 && depth < 10.0 * 9.81e-5, "{depth:e}");
    }
}
