//! Contact in the solver: closed forms of a block that rests on the ground.

use std::sync::Arc;

use nalgebra::{Isometry3, UnitQuaternion};

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

/// Moves a system with contact for a number of steps of 1/240 s; returns the maximum depth [m].
fn deepest(system: &mut SoftSystem, contact: &mut SoftContact, steps: usize) -> f64 {
    let dt = 1.0 / 240.0;
    let start = system.energies().total();
    let mut deepest = 0.0_f64;
    for _ in 0..steps {
        contact.begin_step(&system.x, dt);
        let options = StepOptions {
            newton: NewtonOptions { accept: true, ..Default::default() },
            ..Default::default()
        };
        system.step(dt, &options, contact).expect("a step");
        contact.end_step(&system.x);
        deepest = contact.contacts(&system.x).iter().map(|c| c.depth).fold(deepest, f64::max);
        let energy = system.energies().total() + contact.energy(&system.x);
        assert!(energy < start + 1e-3 * start.abs(), "{energy} J from {start} J");
    }
    assert!(deepest > 0.0 && system.first_inverted().is_none());
    deepest
}

#[test]
fn an_impact_goes_as_deep_as_the_pressure_of_a_plane_wave_and_stays_within_two_per_cent() {
    let (size, young, poisson, speed, stiffness) = (0.3, 1e6, 0.3, 6.0, 1e7);
    // Pressure of a plane wave ρ c v, an upper bound for the face of a block; over the penalty stiffness, 22 mm.
    let modulus: f64 = young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
    let linear = (1000.0 * modulus).sqrt() * speed / stiffness;
    let run = |stiffen_beyond: f64| {
        let mesh = kuhn([3, 3, 3], Vector3::repeat(size));
        let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, young, poisson)], 0);
        system.transform(0, &Isometry3::translation(0.0, 0.0, 0.01));
        system.v.fill(Vector3::new(0.0, 0.0, -speed));
        let options = ContactOptions { stiffness, stiffen_beyond, ..ContactOptions::default() };
        let mut contact = SoftContact::new(options).expect("options");
        contact.add_body(&mesh, 0, &node_depths(&mesh)).expect("the block");
        contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
        deepest(&mut system, &mut contact, 24)
    };
    let deep = run(f64::INFINITY);
    assert!(deep > 0.03 * size && deep < linear, "linear: {deep} m, wave {linear} m");
    // d + 200 (d − w)²/w = p/k beyond w = 0.005 of the thickness, twice the depth of the inner nodes.
    let width = 0.005 * 2.0 * size / 3.0;
    let more = width / 400.0 * ((1.0 + 800.0 / width * (linear - width)).sqrt() - 1.0);
    let deep = run(0.005);
    assert!(deep > width && deep < width + more && deep < 0.02 * size, "{deep} m, wave {} m", width + more);
}

#[test]
fn friction_that_an_impact_mobilises_within_one_step_converges() {
    // The normal forces at the start of the step are zero, so that friction appears at its first minimum, where the block has slid by centimetres;
    // it sticks within creep · step, which is five decades less. Exact Hessians take 95 and 100 iterations.
    for (stiffen_beyond, young, bound) in [(0.005, 1e6, 40), (f64::INFINITY, 1e5, 60)] {
        let mesh = kuhn([3, 3, 3], Vector3::repeat(0.3));
        let mut system = SoftSystem::new(vec![body(&mesh, Constitutive::NeoHookean, young, 0.3)], 0);
        let tilt = UnitQuaternion::from_euler_angles(0.04, 0.028, 0.0);
        system.transform(0, &Isometry3::from_parts(Vector3::new(0.03, 0.02, 0.03).into(), tilt));
        system.v.fill(Vector3::new(5.0, 0.0, -5.0));
        let stiffness = 1e7;
        let options =
            ContactOptions { stiffness, stiffen_beyond, friction: 1.0, ..ContactOptions::default() };
        let mut contact = SoftContact::new(options).expect("options");
        contact.add_body(&mesh, 0, &node_depths(&mesh)).expect("the block");
        contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
        let momentum = |system: &SoftSystem| -> Vector3<f64> {
            system.node_blocks().map(|block| system.inertia_times(block, &system.v[block])).sum()
        };
        let (mut most, before) = (0, momentum(&system));
        for _ in 0..20 {
            contact.begin_step(&system.x, 1.0 / 240.0);
            let report = system.step(1.0 / 240.0, &StepOptions::default(), &mut contact).expect("a step");
            contact.end_step(&system.x);
            most = most.max(report.newton_iterations);
        }
        let impulse = momentum(&system) - before;
        assert!(impulse.xy().norm() <= impulse.z, "beyond Coulomb's cone: {impulse}");
        assert!(most <= bound, "{most} iterations");
    }
}

#[test]
fn edges_that_cross_within_one_step_are_stopped_as_points_are() {
    // Bars of 0.1 m, edge on edge: no node of one is ever inside the other; in a step they move by a third of their thickness.
    let bar = kuhn([5, 1, 1], Vector3::new(0.6, 0.1, 0.1));
    let bodies = [(); 2].map(|()| body(&bar, Constitutive::NeoHookean, 3e5, 0.3));
    let mut system = SoftSystem::new(bodies.into(), 0);
    let on_edge = |heading: f64, height: f64| {
        let roll = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_4);
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading);
        let rotation = yaw * roll;
        let centre = rotation * Vector3::new(0.3, 0.05, 0.05);
        Isometry3::from_parts((Vector3::new(0.0, 0.0, height) - centre).into(), rotation)
    };
    system.transform(0, &on_edge(0.0, 0.0));
    system.transform(1, &on_edge(1.3, 0.15));
    let upper = system.blocks_of(1);
    upper.for_each(|block| system.v[block] = Vector3::new(0.0, 0.0, -8.0));
    let mut contact = SoftContact::new(ContactOptions {
        stiffness: 1e7,
        stiffen_beyond: 0.005,
        ..ContactOptions::default()
    })
    .expect("options");
    for number in 0..2 {
        let first = u32::try_from(system.blocks_of(number).start).expect("few blocks");
        contact.add_body(&bar, first, &node_depths(&bar)).expect("a bar");
    }
    let deep = deepest(&mut system, &mut contact, 12);
    assert!(deep < 0.04 * 0.1, "{deep} m");
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

#[test]
fn an_accepted_step_gains_no_energy_from_contacts_that_a_frozen_set_does_not_see() {
    // A block thrown onto another so fast that it crosses its elements within a step.
    for max_iterations in [6, 12, 25, 100] {
        let (mut system, meshes) = stacked();
        let options = ContactOptions { edges: true, ..ContactOptions::default() };
        let mut contact = SoftContact::new(options).expect("options");
        for (body, mesh) in meshes.iter().enumerate() {
            let first = u32::try_from(system.blocks_of(body).start).expect("few nodes");
            contact.add_body(mesh, first, &node_depths(mesh)).expect("a block");
        }
        for block in system.blocks_of(1) {
            system.x[block] += Vector3::new(0.31, 0.17, 0.05);
            system.v[block] = Vector3::new(-15.0, 0.0, -30.0);
        }
        let newton = NewtonOptions { accept: true, max_iterations, ..NewtonOptions::default() };
        let step = StepOptions { newton, ..StepOptions::default() };
        let (mut before, mut ended) = (system.energies().total(), false);
        for _ in 0..20 {
            contact.begin_step(&system.x, 0.02);
            ended |= system.step(0.02, &step, &mut contact).expect("a step").unconverged;
            contact.freeze_active_set(&system.x);
            let energy = system.energies().total() + contact.energy(&system.x);
            assert!(energy < before, "{max_iterations}: {energy} J from {before} J");
            before = energy;
        }
        assert!(ended == (max_iterations < 100) && system.first_inverted().is_none(), "{max_iterations}");
    }
}
