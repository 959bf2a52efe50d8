//! Overlaps, energy and momentum of soft bodies as reported by a world.

use super::*;
use crate::NodeDepths;

#[test]
fn overlaps_at_the_start_are_named_with_their_depths() {
    let mut builder = World::builder(options(1e6, 0.01));
    builder.add_body(ground()).unwrap();
    builder.add_body(rigid_box("box", Vector3::repeat(0.1), 2.0)).unwrap();
    builder.add_soft_body(soft_cube("deep", 0.04)).unwrap();
    builder.add_soft_body(soft_cube("upper", 0.135)).unwrap();
    builder.add_soft_body(soft_cube("alone", 0.5)).unwrap();
    let mut inside = soft_cube("inside", 2.02);
    inside.pose.translation.vector.x = 0.07;
    builder.add_soft_body(inside).unwrap();
    let world = built(builder);
    let overlaps = world.soft_overlaps();
    let pairs: Vec<_> = overlaps.iter().map(|o| [o.bodies[0].as_str(), o.bodies[1].as_str()]).collect();
    assert_eq!(pairs, [["deep", "upper"], ["deep", "ground"], ["inside", "box"]]);
    // The cube's lowest nodes are 0.01 m under ground, and 0.005 m of each cube are in the other one; those in the box are
    // 0.02 m from its side.
    assert!((overlaps[1].depth - 0.01).abs() < 1e-12 && overlaps[1].count == 9);
    assert!((overlaps[0].depth - 0.005).abs() < 1e-12, "{:?}", overlaps[0]);
    assert!((overlaps[2].depth - 0.03).abs() < 1e-12, "{:?}", overlaps[2]);
    let states = world.soft_bodies();
    let depths: Vec<_> = states.iter().map(|state| (state.name.as_str(), state.max_penetration)).collect();
    assert_eq!(depths[0], ("alone", 0.0));
    assert!((depths[1].1 - 0.01).abs() < 1e-12 && (depths[3].1 - 0.005).abs() < 1e-12);
    assert!((states[0].centroid - Point3::new(0.0, 0.0, 0.5)).norm() < 1e-12);
    assert!((states[0].volume - 1e-3).abs() < 1e-15 && (states[0].rest_volume - 1e-3).abs() < 1e-15);
}

#[test]
fn energy_and_momentum_of_a_body_in_flight_are_those_of_its_mass() {
    let mut builder = World::builder(options(1e6, 0.01));
    let mut body = soft_cube("cube", 0.5);
    body.linear_velocity = Vector3::new(1.0, 2.0, 3.0);
    body.angular_velocity = Vector3::new(0.0, 0.0, 4.0);
    builder.add_soft_body(body).unwrap();
    let world = built(builder);
    let momentum = world.momentum();
    assert!((momentum.linear - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    // c × m v of the centre (0, 0, 0.5) m, and the spin of the masses of the nodes, a quarter of each element's.
    let nodes = world.soft_positions("cube").unwrap();
    let mesh = &world.soft_descriptions()[0].mesh;
    let (mut spin, mut rotational) = (Vector3::zeros(), 0.0);
    for &node in mesh.tets().iter().flatten() {
        let mass = 0.25 / mesh.tets().len() as f64;
        let arm = nodes[node as usize] - Vector3::new(0.0, 0.0, 0.5);
        let velocity = Vector3::new(0.0, 0.0, 4.0).cross(&arm);
        spin += mass * arm.cross(&velocity);
        rotational += 0.5 * mass * velocity.norm_squared();
    }
    assert!((momentum.angular - Vector3::new(-1.0, 0.5, 0.0) - spin).norm() < 1e-12, "{}", momentum.angular);
    let energy = world.energy();
    assert!((energy.potential - 0.5 * 9.81).abs() < 1e-12);
    assert!((energy.kinetic - (7.0 + rotational)).abs() < 1e-12);
    assert!(energy.elastic.abs() < 1e-12);
}

#[test]
fn depths_from_a_grid_are_nearly_the_exact_ones() {
    let depth = |depths: NodeDepths| {
        let mut builder = World::builder(options(1e6, 0.01));
        for (name, height) in [("lower", 0.0), ("upper", 0.09)] {
            let place = Isometry3::translation(0.02, 0.01, height);
            let body = SoftBodyDescription::new(name, cube(4, 0.1), rubber(1e5), place);
            builder.add_soft_body(SoftBodyDescription { depths, ..body }).unwrap();
        }
        built(builder).soft_overlaps()[0].depth
    };
    let (exact, sampled) = (depth(NodeDepths::Exact), depth(NodeDepths::Grid { resolution: 41 }));
    assert!((exact - 0.01).abs() < 1e-12, "{exact}");
    assert!((sampled / exact - 1.0).abs() < 0.05, "{sampled} {exact}");
}

#[test]
fn every_step_of_a_hard_impact_ends_and_inverts_no_element() {
    // Faster than the sound in it, √(E/ρ) = 3 m/s; of a material that resists compression less and less.
    let mut builder = World::builder(options(1e7, 0.005));
    builder.add_body(ground()).unwrap();
    let mut body = soft_cube("cube", 0.06);
    body.material = Material::new(Constitutive::StVenantKirchhoff, DENSITY, 1e4, 0.3).unwrap();
    body.linear_velocity = Vector3::new(1.0, 0.0, -10.0);
    builder.add_soft_body(body).unwrap();
    let mut world = built(builder);
    let start = world.energy();
    for _ in 0..60 {
        let report = world.step().unwrap().soft.unwrap();
        assert_eq!(report.inverted, 0, "{report:?}");
        assert!(world.energy().total() < 1.01 * start.total(), "{:?} {start:?}", world.energy());
    }
}

#[test]
fn edges_that_strike_a_soft_cube_stop_within_a_fiftieth_of_its_thickness() {
    let (mut firm, mut deepest) = (0, 0.0_f64);
    for [mass, speed] in [[1.0, 2.0], [1.0, 5.0], [4.0, 2.0], [4.0, 5.0]] {
        let mut world = struck_cube(options(1e7, 1.0 / 240.0), mass, speed);
        for _ in 0..48 {
            let report = world.step().unwrap().soft.unwrap();
            assert_eq!((report.unconverged, report.inverted), (0, 0), "{mass} {speed}");
            firm += world.soft.as_ref().unwrap().contact.firm_pair_count();
            deepest = deepest.max(report.max_penetration);
        }
    }
    // The thickness of the cube is its side, 0.1 m.
    assert!(firm > 0 && deepest > 0.015 * 0.1 && deepest < 0.02 * 0.1, "{firm} {deepest}");
}
