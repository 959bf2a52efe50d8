//! Overlaps are resolved by position: no speed, no energy, and in the end none left.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use dynamics_scenes::{Run, body, cube, fixed, half_space, pose, solid, torus, upright, weightless};
use extricate::dynamics::{BodyDescription, JointDescription, JointKind, Mass, Shape, World, WorldOptions};
use extricate::geometry::procedural::{Cuboid, Plate, Procedural};
use nalgebra::Vector3;

fn cuboid(edge: f64) -> Shape {
    Shape::cuboid(Vector3::repeat(edge))
}

/// Runs and checks after every step that all bodies are at rest.
fn parts_without_speed(bodies: Vec<BodyDescription>, seconds: f64) -> Run {
    parts_slower_than(1e-12, bodies, seconds)
}

fn parts_slower_than(speed: f64, bodies: Vec<BodyDescription>, seconds: f64) -> Run {
    let mut run = Run::new(weightless(), bodies);
    while run.world.time() < seconds {
        let report = run.step();
        assert!(report.max_speed <= speed, "speed {} at {}", report.max_speed, report.time);
        assert!(report.energy.kinetic <= 1e4 * speed * speed, "energy {}", report.energy.kinetic);
    }
    assert_eq!(run.world.penetrations(&Default::default()).unwrap(), []);
    run
}

#[test]
fn weightless_cubes_part_by_their_overlap_without_speed_as_primitives_and_as_meshes() {
    let fine = solid(Cuboid { x: 1.0, y: 1.0, z: 1.0, subdivisions: 6 }.mesh().unwrap());
    for shape in [cuboid(1.0), cube(1.0), fine] {
        for overlap in [0.05, 0.2, 0.5, 0.9] {
            let bodies = vec![
                body("a", shape.clone(), pose(0.0, 0.0, 0.0)),
                body("b", shape.clone(), pose(1.0 - overlap, 0.0, 0.0)),
            ];
            let run = parts_without_speed(bodies, 1.5);
            let [a, b] = [0, 1].map(|i| run.world.bodies()[i].position);
            assert!(((b - a).norm() - 1.0).abs() < 1e-6, "overlap {overlap}: {a} {b}");
            assert!((a.coords + b.coords - Vector3::x() * (1.0 - overlap)).norm() < 1e-9, "the centre moved");
        }
    }
}

#[test]
fn linked_tori_that_overlap_by_half_or_all_of_their_tubes_part_and_stay_linked() {
    for (offset, displacement) in [(1.8, 0.2), (2.0, 0.4)] {
        let tube = torus(1.0, 0.2, 48, 24);
        let bodies =
            vec![body("a", tube.clone(), pose(0.0, 0.0, 0.0)), body("b", tube, upright(offset, 0.0, 0.0))];
        let run = parts_without_speed(bodies, 1.5);
        let [a, b] = [0, 1].map(|i| run.world.bodies()[i].position);
        let moved = (b - a).norm() - offset;
        assert!((moved.abs() - displacement).abs() < 0.02, "moved by {moved} instead of {displacement}");
    }
}

#[test]
fn the_heavier_of_two_bodies_moves_less_as_their_masses_say_and_a_fixed_one_not_at_all() {
    let mut heavy = body("a", cuboid(1.0), pose(0.0, 0.0, 0.0));
    heavy.mass = Mass::Total(3.0);
    let mut light = body("b", cuboid(1.0), pose(0.6, 0.0, 0.0));
    light.mass = Mass::Total(1.0);
    let run = parts_without_speed(vec![heavy, light.clone()], 1.0);
    assert!((run.world.bodies()[0].position.x + 0.1).abs() < 1e-6);
    assert!((run.world.bodies()[1].position.x - 0.9).abs() < 1e-6);
    let wall = fixed("wall", cuboid(1.0), pose(0.0, 0.0, 0.0));
    let run = parts_without_speed(vec![light, wall], 1.0);
    assert!((run.world.body("b").unwrap().position.x - 1.0).abs() < 1e-6);
}

#[test]
fn a_row_of_three_overlapping_cubes_between_walls_of_just_their_length_fits_in() {
    let cubes = [0.2, 0.6, 1.1].map(|x| x - 0.5);
    let mut bodies: Vec<_> =
        (0..3).map(|i| body(&format!("cube{i}"), cuboid(0.5), pose(cubes[i], 0.0, 0.0))).collect();
    bodies.push(fixed("left", cuboid(1.0), pose(-1.26, 0.0, 0.0)));
    bodies.push(fixed("right", cuboid(1.0), pose(1.26, 0.0, 0.0)));
    // The rest, where they hinder each other, is up to the solver.
    parts_slower_than(1e-5, bodies, 2.0);
}

#[test]
fn bodies_that_a_joint_ties_together_move_as_one() {
    let mut builder = World::builder(weightless());
    builder.add_body(fixed("wall", cuboid(1.0), pose(0.0, 0.0, 0.0))).unwrap();
    builder.add_body(body("a", cuboid(0.4), pose(0.6, 0.0, 0.0))).unwrap();
    builder.add_body(body("b", cuboid(0.4), pose(1.1, 0.0, 0.0))).unwrap();
    let anchors = [pose(0.25, 0.0, 0.0), pose(-0.25, 0.0, 0.0)];
    let (name, bodies) = ("pin".to_owned(), ["a".to_owned(), "b".to_owned()]);
    let kind = JointKind::Spherical;
    builder.add_joint(JointDescription { name, bodies, anchors, kind, contacts: true }).unwrap();
    let mut world = builder.build().unwrap();
    while world.time() < 0.5 {
        let report = world.step().unwrap();
        let apart = world.body("b").unwrap().position - world.body("a").unwrap().position;
        assert!((apart - Vector3::x() * 0.5).norm() < 1e-9 && report.max_speed < 1e-9);
    }
    assert!((world.body("a").unwrap().position.x - 0.7).abs() < 1e-6);
}

#[test]
fn a_stack_that_starts_in_overlap_is_lifted_without_speed_and_then_rests() {
    let mut bodies = vec![half_space("floor")];
    bodies.extend(
        (0..5).map(|i| body(&format!("cube{i}"), cube(0.2), pose(0.0, 0.0, 0.08 + 0.17 * f64::from(i)))),
    );
    let mut run = Run::new(WorldOptions::default(), bodies);
    while run.world.time() < 2.0 {
        let report = run.step();
        assert!(report.max_speed < 0.02, "speed {} at {}", report.max_speed, report.time);
    }
    let top = run.world.body("cube4").unwrap().position;
    assert!((top.z - 0.9).abs() < 1e-3 && top.coords.xy().norm() < 1e-3, "{top}");
    assert_eq!(run.reports[run.reports.len() - 1].resolving, 0);
}

#[test]
fn restitution_does_not_act_on_an_overlap_that_is_resolved() {
    let bouncy = |name: &str, x: f64| {
        let mut bouncy = body(name, cube(1.0), pose(x, 0.0, 0.0));
        bouncy.restitution = 1.0;
        bouncy
    };
    parts_without_speed(vec![bouncy("a", 0.0), bouncy("b", 0.5)], 1.0);
}

#[test]
fn overlapping_fast_bodies_fall_as_they_should_while_they_are_separated() {
    // Continuous collision finds the two in each other's way in every step.
    let plate = Plate { segments: 24, ..Plate::default() }.mesh().unwrap();
    let radius = 0.45;
    let mut bodies = [
        body("plate", solid(plate), pose(0.0, 0.0, 0.0)),
        body("rod", Shape::capsule(radius, 1.2), upright(0.4, 0.2, 0.2)),
    ];
    for (body, linear, angular, mass) in [
        (0, Vector3::new(4.0, 1.0, 3.0), Vector3::new(6.0, 4.0, 1.0), 1.0),
        (1, Vector3::new(-1.0, -3.0, -4.0), Vector3::new(-5.0, -3.0, 4.0), 2.0),
    ] {
        (bodies[body].linear_velocity, bodies[body].angular_velocity) = (linear, angular);
        bodies[body].mass = Mass::Total(mass);
    }
    let (time_step, time, mass, gravity) = (1e-2, 0.4, 3.0, 9.81);
    let mut run = Run::new(WorldOptions { time_step, ..WorldOptions::default() }, bodies);
    let (potential, rising) = (run.world.energy().potential, run.world.momentum().linear.z);
    run.seconds(time);
    let risen = gravity * (rising * time - 0.5 * mass * gravity * time * (time + time_step));
    let potential = run.world.energy().potential - potential;
    assert!((potential - risen).abs() < 0.02 * risen.abs(), "{potential} instead of {risen}");
    let slowed = run.world.momentum().linear.z - rising + mass * gravity * time;
    assert!(slowed.abs() < 0.02 * mass * gravity * time, "momentum differs by {slowed}");
}
