//! Handles follow their keyframes.

use std::f64::consts::FRAC_PI_2;

use nalgebra::UnitQuaternion;

use super::*;
use crate::soft::Scheme;
use crate::soft::element::ElementKind;
use crate::{Handle, Keyframe, SoftAttachment, SoftScheme};

/// Nodes of the face x = −0.05 m of the cube.
fn face(body: &SoftBodyDescription) -> Vec<u32> {
    let low = (0_u32..).zip(body.mesh.nodes()).filter(|(_, node)| node.x < -0.049);
    low.map(|(index, _)| index).collect()
}

fn grip(nodes: Vec<u32>) -> Handle {
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    Handle {
        name: "grip".into(),
        nodes,
        axes: [true; 3],
        pivot: Point3::new(-0.05, 0.0, 1.0),
        keyframes: vec![
            Keyframe {
                time: 0.1,
                displacement: Vector3::new(-0.02, 0.0, 0.0),
                rotation: UnitQuaternion::identity(),
            },
            Keyframe { time: 0.2, displacement: Vector3::new(-0.02, 0.01, 0.0), rotation: quarter },
        ],
        until: Some(0.25),
    }
}

fn held(scheme: SoftScheme) -> World {
    let mut weightless = options(1e6, 0.01);
    weightless.gravity = Vector3::zeros();
    weightless.soft.scheme = scheme;
    let mut builder = World::builder(weightless);
    let mut cube = soft_cube("cube", 1.0);
    cube.handles = vec![grip(face(&cube))];
    builder.add_soft_body(cube).unwrap();
    built(builder)
}

#[test]
fn handles_are_at_their_keyframes_exactly_and_half_way_between_them_in_the_middle() {
    for scheme in [SoftScheme::default(), SoftScheme::QuasiStatic] {
        let mut world = held(scheme);
        let start = world.soft_positions("cube").unwrap().to_vec();
        let nodes = face(&world.soft_descriptions()[0]);
        let pivot = Vector3::new(-0.05, 0.0, 1.0);
        let mut check = |until: f64, displacement: Vector3<f64>, angle: f64| {
            while world.time() < until - 1e-9 {
                world.step().unwrap();
            }
            let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle);
            for &node in &nodes {
                let expected = pivot + displacement + rotation * (start[node as usize] - pivot);
                let is = world.soft_positions("cube").unwrap()[node as usize];
                assert!((is - expected).norm() < 1e-15, "{scheme:?} {until} {is} {expected}");
            }
        };
        check(0.05, Vector3::new(-0.01, 0.0, 0.0), 0.0);
        check(0.1, Vector3::new(-0.02, 0.0, 0.0), 0.0);
        check(0.15, Vector3::new(-0.02, 0.005, 0.0), FRAC_PI_2 / 2.0);
        check(0.2, Vector3::new(-0.02, 0.01, 0.0), FRAC_PI_2);
        check(0.25, Vector3::new(-0.02, 0.01, 0.0), FRAC_PI_2);
    }
}

#[test]
fn a_handle_releases_its_nodes_at_its_time() {
    let mut world = held(SoftScheme::default());
    run(&mut world, 0.25 - 1e-9);
    let last = world.soft_positions("cube").unwrap()[0];
    world.step().unwrap();
    assert!((world.soft_positions("cube").unwrap()[0] - last).norm() > 1e-9);
}

#[test]
fn nodes_on_a_kinematic_body_move_with_it_and_free_axes_stay_free() {
    let mut builder = World::builder(options(1e6, 0.01));
    let paddle = rigid_box("paddle", Vector3::repeat(0.02), 1.3);
    let (linear, angular) = (Vector3::new(0.1, 0.0, 0.2), Vector3::new(0.0, 0.0, 2.0));
    let paddle = BodyDescription {
        kind: BodyKind::Kinematic,
        linear_velocity: linear,
        angular_velocity: angular,
        ..paddle
    };
    builder.add_body(paddle).unwrap();
    let mut cube = soft_cube("cube", 1.0);
    cube.attachments = vec![SoftAttachment { body: "paddle".into(), nodes: vec![0], stiffness: 1.0 }];
    let slide = Handle { axes: [false, true, false], keyframes: Vec::new(), until: None, ..grip(vec![26]) };
    cube.handles = vec![slide];
    builder.add_soft_body(cube).unwrap();
    let mut world = built(builder);
    let start = world.soft_positions("cube").unwrap().to_vec();
    run(&mut world, 0.1 - 1e-9);
    let body = world.body("paddle").unwrap();
    let pose = Isometry3::from_parts(body.position.coords.into(), body.rotation);
    let from = Isometry3::translation(0.0, 0.0, 1.3);
    let expected = pose * (from.inverse() * Point3::from(start[0]));
    let now = world.soft_positions("cube").unwrap();
    // rapier rotates a body by 2 atan(ω h/2) in a substep h instead of by ω h.
    assert!((now[0] - expected.coords).norm() < 1e-8, "{} {expected}", now[0]);
    assert!((body.position - Point3::new(0.01, 0.0, 1.32)).norm() < 1e-12);
    assert!((now[26].y - start[26].y).abs() < 1e-15 && (now[26].z - start[26].z).abs() > 1e-3);
}

#[test]
fn midpoints_of_edges_between_prescribed_nodes_are_prescribed() {
    let mut builder = World::builder(options(1e6, 0.01));
    let mut cube = soft_cube("cube", 1.0);
    cube.elements = ElementKind::Quadratic;
    let corners = cube.mesh.nodes().len();
    cube.handles = vec![Handle { until: None, ..grip(face(&cube)) }];
    builder.add_soft_body(cube).unwrap();
    let mut world = built(builder);
    let start = world.soft_positions("cube").unwrap().to_vec();
    run(&mut world, 0.1 - 1e-9);
    let shift = Vector3::new(-0.02, 0.0, 0.0);
    let held = start.iter().zip(world.soft_positions("cube").unwrap()).enumerate();
    let held: Vec<_> = held.filter(|(_, (from, _))| from.x < -0.049).collect();
    // Nine corners, twelve edges along the axes and four diagonals.
    assert_eq!(held.len(), 9 + 12 + 4);
    assert!(held.iter().any(|(node, _)| *node >= corners));
    assert!(held.iter().all(|(_, (from, to))| (*to - *from - shift).norm() < 1e-15));
}

/// Mass of the soft bodies of a world \[kg\].
fn mass(world: &World) -> f64 {
    world.soft.as_ref().unwrap().system.bodies().iter().flat_map(|body| body.masses().to_vec()).sum()
}

#[test]
fn forces_of_handles_change_the_momentum_as_they_should() {
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    for (scheme, dt) in [
        (SoftScheme::Dynamic(Scheme::ImplicitEuler), 0.01),
        (SoftScheme::Dynamic(Scheme::SymplecticEuler), 1e-4),
    ] {
        let mut falling = options(1e6, dt);
        falling.soft.scheme = scheme;
        falling.soft.newton.relative_tolerance = 1e-12;
        let mut builder = World::builder(falling);
        let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3).unwrap();
        let mut cube = SoftBodyDescription { material, ..soft_cube("cube", 1.0) };
        cube.handles = vec![grip(face(&cube))];
        builder.add_soft_body(cube).unwrap();
        let mut world = built(builder);
        let (mass, mut largest) = (mass(&world), 0.0_f64);
        let mut before = world.momentum().linear;
        for _ in 0..(0.3 / dt).round() as usize {
            world.step().unwrap();
            let after = world.momentum().linear;
            let (name, load) = &world.soft_bodies()[0].handles[0];
            assert_eq!(name, "grip");
            let missing = (after - before) / dt - mass * gravity - load.force;
            // The accelerations of the handle are some g, and forces are balanced to the tolerance of the solver.
            assert!(missing.norm() < 1e-6 * mass * 9.81, "{scheme:?} {} {missing}", world.time());
            largest = largest.max(load.force.norm());
            before = after;
        }
        assert!(largest > 1.3 * mass * 9.81, "{largest} {mass}");
        // Released nodes bear nothing.
        assert!(world.soft_bodies()[0].handles[0].1.force.norm() < f64::MIN_POSITIVE);
    }
}

#[test]
fn what_hangs_from_a_handle_or_a_fixed_body_loads_it_with_its_weight() {
    let schemes = [Scheme::ImplicitEuler, Scheme::ImplicitMidpoint, Scheme::Newmark].map(SoftScheme::Dynamic);
    for scheme in schemes.into_iter().chain([SoftScheme::QuasiStatic]) {
        let mut hanging = options(1e6, 0.01);
        hanging.soft.scheme = scheme;
        let mut builder = World::builder(hanging);
        builder.add_body(ground()).unwrap();
        let material = Material::new(Constitutive::NeoHookean, 1000.0, 1e5, 0.3)
            .unwrap()
            .with_damping(20.0, 0.01)
            .unwrap();
        for name in ["by handle", "by body"] {
            let mut cube = SoftBodyDescription { material, ..soft_cube(name, 1.0) };
            cube.pose.translation.vector.x = if name == "by body" { 0.5 } else { 0.0 };
            let nodes = face(&cube);
            if name == "by handle" {
                cube.handles = vec![Handle { keyframes: Vec::new(), until: None, ..grip(nodes) }];
            } else {
                cube.attachments = vec![SoftAttachment { body: "ground".into(), nodes, stiffness: 1.0 }];
            }
            builder.add_soft_body(cube).unwrap();
        }
        let mut world = built(builder);
        run(&mut world, 3.0);
        let weight = 0.5 * mass(&world) * 9.81;
        let load =
            world.soft_bodies().into_iter().find(|body| body.name == "by handle").unwrap().handles[0].1;
        assert!((load.force - Vector3::z() * weight).norm() < 1e-4 * weight, "{scheme:?} {}", load.force);
        let on_ground = world.soft_load("ground").unwrap();
        assert!((on_ground.force + Vector3::z() * weight).norm() < 1e-4 * weight, "{scheme:?} {on_ground:?}");
        // The handle bears the moment of the weight about its pivot, the ground about the origin of the world.
        for (name, pivot, torque) in [
            ("by handle", Vector3::new(-0.05, 0.0, 1.0), load.torque),
            ("by body", Vector3::zeros(), -on_ground.torque),
        ] {
            let arm = world.soft_body(name).unwrap().centroid.coords - pivot;
            let expected = arm.cross(&(Vector3::z() * weight));
            assert!(
                (torque - expected).norm() < 1e-3 * weight * 0.1,
                "{scheme:?} {name} {torque} {expected}"
            );
        }
    }
}

#[test]
fn what_a_handle_holds_as_a_whole_is_accelerated_by_it() {
    let schemes = [Scheme::ImplicitEuler, Scheme::ImplicitMidpoint, Scheme::Newmark, Scheme::SymplecticEuler];
    for scheme in schemes.map(SoftScheme::Dynamic) {
        let mut weighed = options(1e6, 0.01);
        weighed.soft.scheme = scheme;
        let mut builder = World::builder(weighed);
        let material = Material::new(Constitutive::NeoHookean, DENSITY, 1e5, 0.3).unwrap();
        let mut cube = SoftBodyDescription { material, ..soft_cube("cube", 1.0) };
        let all = (0..cube.mesh.nodes().len() as u32).collect();
        cube.handles = vec![Handle { until: None, ..grip(all) }];
        builder.add_soft_body(cube).unwrap();
        let mut world = built(builder);
        let mass = mass(&world);
        let mut places = vec![world.soft_bodies()[0].centroid.coords; 2];
        for _ in 0..25 {
            world.step().unwrap();
            let body = world.soft_bodies().remove(0);
            places.push(body.centroid.coords);
            let [before, at, after] = [3, 2, 1].map(|back| places[places.len() - back]);
            let acceleration = (after - 2.0 * at + before) / (0.01 * 0.01);
            let expected = mass * (acceleration + Vector3::new(0.0, 0.0, 9.81));
            let force = body.handles[0].1.force;
            assert!((force - expected).norm() < 1e-7 * mass * 9.81, "{scheme:?} {force} {expected}");
        }
    }
}
