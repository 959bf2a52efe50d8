//! Contact in the solver: closed forms of blocks that rest on each other and on the ground.

use std::sync::Arc;

use nalgebra::Isometry3;

use super::super::contact::{ContactOptions, Obstacle, Primitive, SoftContact, node_depths};
use super::*;
use crate::geometry::TetMesh;

/// The blocks of V10 of `cases.json`, E = 1e6 Pa, ν = 0, 1000 kg/m³: the lower one of 1.2 × 1.2 × 1 m stands on z = 0, held
/// there, the upper one of 1 m on top of it.
fn stacked() -> (SoftSystem, SoftContact) {
    let lower = moved(&kuhn([4, 4, 4], Vector3::new(1.2, 1.2, 1.0)), Vector3::new(-0.6, -0.6, 0.0));
    let upper = moved(&kuhn([3, 3, 3], Vector3::repeat(1.0)), Vector3::new(-0.5, -0.5, 1.0));
    let bodies = [&lower, &upper].map(|mesh| body(mesh, Constitutive::Corotational, 1e6, 0.0));
    let mut system = SoftSystem::new(bodies.to_vec(), 0);
    system.gravity = Vector3::new(0.0, 0.0, -9.81);
    for block in system.blocks_of(0) {
        let x = system.x[block];
        if x.z < 1e-9 {
            let corner = x.x < -0.6 + 1e-9 && x.y < -0.6 + 1e-9;
            let beside = x.x > 0.6 - 1e-9 && x.y < -0.6 + 1e-9;
            system.prescribe(block, [corner, corner || beside, true], x);
        }
    }
    let options = ContactOptions { stiffness: 1e8, self_contact: false, edges: false, ..ContactOptions::default() };
    let mut contact = SoftContact::new(options).expect("options");
    contact.add_body(&lower, 0, &node_depths(&lower)).expect("the lower block");
    let first = u32::try_from(system.blocks_of(1).start).expect("few blocks");
    contact.add_body(&upper, first, &node_depths(&upper)).expect("the upper block");
    (system, contact)
}

fn moved(mesh: &TetMesh, by: Vector3<f64>) -> TetMesh {
    TetMesh::new(mesh.nodes().iter().map(|p| p + by).collect(), mesh.tets().to_vec()).expect("a moved mesh")
}

/// Contact forces on all blocks [N].
fn forces(contact: &mut SoftContact, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut gradient = vec![Vector3::zeros(); x.len()];
    contact.linearise(x, &mut gradient, &mut OuterProducts::default());
    gradient.into_iter().map(|g| -g).collect()
}

#[test]
fn a_block_on_a_block_rests_on_its_weight() {
    // V10: 9810 N at the interface; one side alone would sink 9.81e-5 m into the other, both together half of that.
    let (mut system, mut contact) = stacked();
    let options = StepOptions {
        newton: NewtonOptions { tolerance: 2e-3, ..NewtonOptions::default() },
        ..StepOptions::default()
    };
    for step in 0..400 {
        contact.begin_step(&system.x, 0.01);
        system.step(0.01, &options, &mut contact).unwrap_or_else(|e| panic!("step {step}: {e}"));
    }
    let resting = system.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    assert!(resting < 1e-3, "{resting:e} m/s");
    let forces = forces(&mut contact, &system.x);
    let on = |body: usize| forces[system.blocks_of(body)].iter().sum::<Vector3<f64>>();
    assert!((on(1).z - 9810.0).abs() < 20.0, "{}", on(1));
    assert!((on(0) + on(1)).norm() < 1e-9 * 9810.0, "{} {}", on(0), on(1));
    let depths: Vec<f64> = contact.contacts(&system.x).iter().map(|c| c.depth).collect();
    let mean = depths.iter().sum::<f64>() / depths.len() as f64;
    assert!((mean - 0.5 * 9.81e-5).abs() < 0.5 * 9.81e-6 * 2.0, "{mean:e}");
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
