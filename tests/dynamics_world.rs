//! Promises of every world: reproducible, conserving, and explicit about bad input.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use std::f64::consts::{FRAC_PI_2, PI};

use dynamics_scenes::{Run, block, body, cube, fixed, half_space, pose, rotated, torus};
use extricate::dynamics::{
    BodyDescription, BodyKind, BuildError, JointDescription, JointKind, Mass, Mobility, Shape, World,
    WorldOptions,
};
use extricate::geometry::procedural::{Procedural, TorusKnot};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::penetration::SeparationOptions;
use extricate::proximity::Model;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};

/// A few meshes that fall into a heap on a floor.
fn heap() -> Vec<BodyDescription> {
    let knot = TorusKnot { segments: 60, sides: 6, ..TorusKnot::default() }.mesh().unwrap();
    let knot = dynamics_scenes::solid(knot.scaled(&Vector3::repeat(0.4)).unwrap());
    let mut bodies = vec![fixed("floor", block(6.0, 6.0, 0.5), pose(0.0, 0.0, -0.25))];
    for i in 0..3_u32 {
        let height = 0.6 + 0.8 * f64::from(i);
        bodies.push(body(&format!("cube{i}"), cube(0.4), rotated([1.0, 2.0, 3.0], 0.4, [0.05, 0.0, height])));
        bodies.push(body(&format!("ring{i}"), torus(0.5, 0.15, 16, 8), pose(0.3, 0.02, height + 0.3)));
        bodies.push(body(
            &format!("knot{i}"),
            knot.clone(),
            rotated([0.0, 1.0, 0.3], 1.0, [-0.4, 0.1, height]),
        ));
    }
    bodies
}

fn hash_after(steps: usize, threads: usize, bodies: Vec<BodyDescription>) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut run = Run::new(WorldOptions::default(), bodies);
        for _ in 0..steps {
            run.step();
        }
        run.world.hash()
    })
}

#[test]
fn neither_the_number_of_threads_nor_the_order_of_insertion_changes_a_bit() {
    let reference = hash_after(240, 1, heap());
    assert_eq!(reference, hash_after(240, 2, heap()));
    assert_eq!(reference, hash_after(240, 3, heap()));
    assert_eq!(reference, hash_after(240, 2, heap().into_iter().rev().collect()));
    assert_ne!(reference, hash_after(239, 1, heap()));
}

#[test]
fn a_heap_of_meshes_falls_without_gaining_energy_and_ends_without_overlaps() {
    // Separated first: a body lifted out of an overlap gains height.
    let (mut bodies, overlapping) = (heap(), Run::new(WorldOptions::default(), heap()));
    let found = overlapping.world.separate(&Mobility::default(), &SeparationOptions::default()).unwrap();
    for body in &mut bodies {
        if let Some(by) = found.moved.get(&body.name) {
            body.pose.translation.vector += by;
        }
    }
    let mut run = Run::new(WorldOptions::default(), bodies);
    run.seconds(2.5);
    let energy = run.reports[0].energy.total();
    assert!(run.worst_gain() <= 1e-3 * energy, "gain {} of {energy}", run.worst_gain());
    let found = run.world.penetrations(&Default::default()).unwrap();
    for pair in &found {
        assert!(pair.depth <= 1e-3 * pair.size, "{pair:?}");
    }
}

#[test]
fn a_free_fall_follows_the_parabola_and_keeps_its_energy() {
    let mut falling = body("a", torus(1.0, 0.3, 16, 8), pose(0.0, 0.0, 100.0));
    falling.linear_velocity = Vector3::new(3.0, 0.0, 5.0);
    falling.angular_velocity = Vector3::new(0.3, -0.2, 1.0);
    let mut run = Run::new(WorldOptions::default(), [falling]);
    let start = run.world.energy();
    run.seconds(2.0);
    let state = run.world.body("a").unwrap();
    let exact = Point3::new(6.0, 0.0, 100.0 + 10.0 - 0.5 * 9.81 * 4.0);
    assert!((state.position - exact).norm() < 5e-3, "{}", state.position);
    assert!((run.world.energy().total() / start.total() - 1.0).abs() < 1e-4);
}

#[test]
fn the_energy_and_momentum_of_a_spinning_box_are_those_of_its_inertia() {
    let mut spinning = body("box", block(0.1, 0.3, 0.5), rotated([1.0, 1.0, 0.0], 0.7, [1.0, 2.0, 3.0]));
    spinning.mass = Mass::Total(2.0);
    let about_body_y = spinning.pose.rotation * Vector3::new(0.0, 4.0, 0.0);
    spinning.angular_velocity = about_body_y;
    spinning.linear_velocity = Vector3::new(0.0, 3.0, 0.0);
    let run = Run::new(WorldOptions::default(), [spinning]);
    let inertia = 2.0 / 12.0 * (0.1_f64.powi(2) + 0.5_f64.powi(2));
    let energy = run.world.energy();
    assert!((energy.kinetic - (0.5 * 2.0 * 9.0 + 0.5 * inertia * 16.0)).abs() < 1e-12);
    assert!((energy.potential - 2.0 * 9.81 * 3.0).abs() < 1e-12);
    let momentum = run.world.momentum();
    assert!((momentum.linear - Vector3::new(0.0, 6.0, 0.0)).norm() < 1e-12);
    // (1, 2, 3) × (0, 6, 0), and its spin.
    let exact = Vector3::new(-18.0, 0.0, 6.0) + inertia * about_body_y;
    assert!((momentum.angular - exact).norm() < 1e-12, "{} {exact}", momentum.angular);
}

/// A joint between a fixed `base` and a dynamic `arm`.
fn jointed(kind: JointKind, base: Isometry3<f64>, arm: Isometry3<f64>) -> World {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(fixed("base", cube(0.1), pose(0.0, 0.0, 0.0))).unwrap();
    let mut moving = body("arm", cube(0.2), base * arm.inverse());
    moving.friction = 0.0;
    builder.add_body(moving).unwrap();
    let bodies = ["base".to_owned(), "arm".to_owned()];
    let joint =
        JointDescription { name: "joint".into(), bodies, anchors: [base, arm], kind, contacts: false };
    builder.add_joint(joint).unwrap();
    builder.build().unwrap()
}

fn seconds(world: &mut World, seconds: f64) {
    let end = world.time() + seconds;
    while world.time() < end - 1e-9 {
        world.step().unwrap();
    }
}

#[test]
fn a_revolute_joint_makes_a_pendulum_of_the_right_period_and_keeps_its_limits() {
    // A cube of side 0.2 hung 0.5 from its centre on an axis along x, let go 0.1 rad from the vertical.
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.1);
    let base = Isometry3::from_parts(Vector3::zeros().into(), tilt);
    let mut world = jointed(JointKind::Revolute { limits: None }, base, pose(0.0, 0.0, 0.5));
    let inertia = 0.2_f64.powi(2) / 6.0 + 0.25;
    let amplitude: f64 = 0.1;
    let period = 2.0 * PI * (inertia / (9.81 * 0.5)).sqrt() * (1.0 + amplitude.powi(2) / 16.0);
    seconds(&mut world, period / 2.0);
    let state = world.body("arm").unwrap();
    let angle = state.position.y.atan2(-state.position.z);
    assert!((angle + 0.1).abs() < 2e-3, "after half a period at {angle}");
    assert!((state.position.coords.norm() - 0.5).abs() < 1e-4);
    let mut world =
        jointed(JointKind::Revolute { limits: Some([-0.3, 0.3]) }, pose(0.0, 0.0, 0.0), pose(0.0, -0.5, 0.0));
    seconds(&mut world, 2.0);
    let state = world.body("arm").unwrap();
    let angle = state.position.z.atan2(state.position.y);
    assert!((angle + 0.3).abs() < 1e-2, "rests at {angle}");
}

#[test]
fn the_other_joints_leave_their_degrees_of_freedom_free() {
    let quarter = Isometry3::rotation(Vector3::new(0.0, FRAC_PI_2, 0.0));
    let mut world =
        jointed(JointKind::Prismatic { limits: Some([-1.0, 0.2]) }, quarter, Isometry3::identity());
    seconds(&mut world, 1.0);
    // The x axis of the anchor points down: it falls to the upper limit.
    let state = world.body("arm").unwrap();
    assert!((state.position - Point3::new(0.0, 0.0, -0.2)).norm() < 1e-3, "{}", state.position);
    let mut world = jointed(JointKind::Fixed, pose(0.0, 0.5, 0.0), pose(0.0, -0.5, 0.0));
    seconds(&mut world, 1.0);
    assert!((world.body("arm").unwrap().position - Point3::new(0.0, 1.0, 0.0)).norm() < 1e-3);
    let mut world = jointed(JointKind::Spherical, pose(0.0, 0.5, 0.0), pose(0.0, -0.5, 0.0));
    seconds(&mut world, 0.7);
    let state = world.body("arm").unwrap();
    assert!(((state.position - Point3::new(0.0, 0.5, 0.0)).norm() - 0.5).abs() < 1e-3);
    assert!(state.position.z < -0.1);
    let mut world = jointed(JointKind::Rope { length: 0.7 }, pose(0.0, 0.0, 0.0), pose(0.0, 0.0, 0.0));
    seconds(&mut world, 2.0);
    assert!((world.body("arm").unwrap().position.z + 0.7).abs() < 1e-2);
}

#[test]
fn a_kinematic_mesh_carries_what_lies_on_it() {
    let mut tray = fixed("tray", block(2.0, 2.0, 0.1), pose(0.0, 0.0, -0.05));
    tray.kind = BodyKind::Kinematic;
    tray.linear_velocity = Vector3::new(0.2, 0.0, 0.1);
    let mut cargo = body("cargo", cube(0.3), pose(0.0, 0.0, 0.15));
    cargo.linear_velocity = tray.linear_velocity;
    let mut run = Run::new(WorldOptions::default(), [tray, cargo]);
    run.seconds(2.0);
    let [cargo, tray] = [0, 1].map(|i| run.world.bodies()[i].position);
    assert!((tray - Point3::new(0.4, 0.0, 0.15)).norm() < 1e-9);
    assert!((cargo - tray - Vector3::new(0.0, 0.0, 0.2)).norm() < 1e-3, "{cargo} on {tray}");
}

#[test]
fn a_fast_mesh_does_not_pass_through_a_thin_wall() {
    for speed in [20.0, 100.0, 400.0] {
        let options = WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() };
        let wall = fixed("wall", block(0.01, 2.0, 2.0), pose(0.0, 0.0, 0.0));
        let mut bullet = body("bullet", cube(0.04), rotated([1.0, 2.0, 0.5], 0.7, [-1.0, 0.1, 0.05]));
        bullet.linear_velocity = Vector3::new(speed, 0.0, 0.0);
        bullet.continuous = true;
        let mut run = Run::new(options, [wall, bullet]);
        run.seconds(0.3);
        assert!(run.world.body("bullet").unwrap().position.x < 0.0, "{speed} m/s");
    }
}

#[test]
fn a_mesh_inside_a_solid_is_pushed_out_and_a_ball_stays_in_a_shell() {
    let options = WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() };
    let inside =
        [fixed("big", cube(2.0), pose(0.0, 0.0, 0.0)), body("small", cube(0.5), pose(0.6, 0.0, 0.0))];
    let mut run = Run::new(options.clone(), inside);
    run.seconds(3.0);
    let state = run.world.body("small").unwrap();
    assert!(state.position.x > 1.249, "{}", state.position);
    assert!(state.linear_velocity.norm() < 0.05, "{}", state.linear_velocity);
    let shell = Shape::surface(cube(2.0).model().unwrap().mesh().clone());
    let mut ball = body("ball", Shape::ball(0.3), pose(0.0, 0.0, 0.0));
    ball.linear_velocity = Vector3::new(1.0, 0.5, 0.2);
    let mut run = Run::new(options, [fixed("shell", shell, pose(0.0, 0.0, 0.0)), ball]);
    run.seconds(4.0);
    assert!(run.world.body("ball").unwrap().position.iter().all(|x| x.abs() < 0.7 + 1e-3));
}

#[test]
fn a_part_that_does_not_fit_into_a_world_is_refused_by_name() {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(half_space("floor")).unwrap();
    assert_eq!(
        builder.add_body(half_space("floor")).err(),
        Some(BuildError::DuplicateBody { name: "floor".into() })
    );
    let mut negative = body("cube", cube(1.0), pose(0.0, 0.0, 0.0));
    negative.mass = Mass::Total(-1.0);
    assert!(
        matches!(builder.add_body(negative), Err(BuildError::OutOfRange { name, value, .. }) if name == "cube" && value < 0.0)
    );
    let mut lost = body("cube", cube(1.0), pose(f64::NAN, 0.0, 0.0));
    assert!(matches!(builder.add_body(lost.clone()), Err(BuildError::OutOfRange { .. })));
    let triangle = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
    let sheet = TriangleMesh::new(triangle, vec![[0, 1, 2]]).unwrap();
    lost.pose = pose(0.0, 0.0, 0.0);
    for solidity in [Solidity::Solid, Solidity::Surface] {
        lost.shape = Shape::from(Model::new(sheet.clone(), solidity));
        let error = builder.add_body(lost.clone()).unwrap_err();
        assert!(matches!(error, BuildError::NoVolume { .. } | BuildError::SurfaceDensity { .. }), "{error}");
    }
    let bodies = ["floor".to_owned(), "nobody".to_owned()];
    let anchors = [Isometry3::identity(); 2];
    let joint =
        JointDescription { name: "joint".into(), bodies, anchors, kind: JointKind::Fixed, contacts: true };
    builder.add_joint(joint).unwrap();
    let error = builder.build().err().unwrap();
    assert_eq!(error, BuildError::UnknownBody { joint: "joint".into(), body: "nobody".into() });
    assert_eq!(error.to_string(), "joint `joint` names body `nobody`, which does not exist");
}

#[test]
fn penetrations_of_many_balls_and_a_plane_are_those_of_the_closed_form() {
    let (radius, count) = (0.1, 2000_u32);
    // A low-discrepancy sequence fills a cube of 2.4 m, a tilted plane cuts it.
    let place = |i: u32| {
        let at = |step: f64| 2.4 * ((f64::from(i) * step).fract() - 0.5);
        Point3::new(at(0.819_172_513), at(0.671_043_607), at(0.549_700_478))
    };
    let normal = Vector3::new(0.6, 0.0, 0.8);
    let mut plane = half_space("plane");
    plane.pose = Isometry3::new(Vector3::zeros(), Vector3::y() * 0.6_f64.atan2(0.8));
    let kind = |i: u32| if i.is_multiple_of(3) { BodyKind::Fixed } else { BodyKind::Dynamic };
    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(plane).unwrap();
    for i in 0..count {
        let pose = Isometry3::from(place(i).coords);
        let name = format!("ball{i:04}");
        builder.add_body(BodyDescription::new(&name, kind(i), Shape::ball(radius), pose)).unwrap();
    }
    let world = builder.build().unwrap();
    let floor = "plane".to_owned();
    let mut expected = Vec::new();
    for i in 0..count {
        let below = radius - place(i).coords.dot(&normal);
        if kind(i) == BodyKind::Dynamic && below >= 0.0 {
            expected.push((format!("ball{i:04}"), floor.clone(), below));
        }
        for j in i + 1..count {
            let depth = 2.0 * radius - (place(i) - place(j)).norm();
            if depth >= 0.0 && (kind(i) == BodyKind::Dynamic || kind(j) == BodyKind::Dynamic) {
                expected.push((format!("ball{i:04}"), format!("ball{j:04}"), depth));
            }
        }
    }
    expected.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let found = world.penetrations(&Default::default()).unwrap();
    assert!(expected.len() > 3000, "{}", expected.len());
    assert_eq!(found.len(), expected.len());
    for (found, (a, b, depth)) in found.iter().zip(expected) {
        assert_eq!(found.bodies, [a, b]);
        assert!((found.depth - depth).abs() < 1e-9, "{found:?} {depth}");
    }
}
