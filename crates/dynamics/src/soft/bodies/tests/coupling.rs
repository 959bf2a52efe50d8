//! Soft and rigid bodies support each other.

use super::*;
use crate::{AnyBody, Handle, SoftAttachment, SoftScheme};
use crate::{Mass, SolverOverrides};
use extricate_test_support::Noise;

/// Acceleration of free fall [m/s²].
const GRAVITY: f64 = 9.81;
/// Weight of a soft cube of side 0.1 m [N].
const CUBE_WEIGHT: f64 = DENSITY * 1e-3 * GRAVITY;
/// Relative tolerance of a force at rest.
const REST: f64 = 1e-3;

fn is_near(value: f64, expected: f64, tolerance: f64) -> bool {
    (value - expected).abs() <= tolerance * expected.abs()
}

#[test]
fn a_soft_cube_rests_on_the_ground_with_its_weight() {
    let mut builder = World::builder(options(1e7, 1.0 / 240.0));
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.051)).unwrap();
    let mut world = built(builder);
    run(&mut world, 1.5);
    let load = world.soft_load("ground").unwrap();
    assert!(is_near(load.force.z, -CUBE_WEIGHT, REST), "{load:?}");
    assert!(load.force.xy().norm() < REST * CUBE_WEIGHT, "{load:?}");
    let report = world.step().unwrap().soft.unwrap();
    assert!(report.imbalance < 1e-10 * CUBE_WEIGHT && is_near(report.contact_force, CUBE_WEIGHT, REST));
    assert_eq!(report.deepest, Some([AnyBody::Soft(0), AnyBody::Rigid(0)]));
    // Nine nodes of the face bear the weight over its area: pressure over penalty, at corners more.
    let depth = CUBE_WEIGHT / 0.01 / 1e7;
    assert!(report.max_penetration > 0.9 * depth && report.max_penetration < 2.0 * depth);
}

#[test]
fn a_soft_cube_that_friction_holds_on_a_slope_does_not_creep() {
    // A slope of 0.45 under a coefficient of 0.5: with slip that begins anew in each step it creeps at 0.06 mm/s.
    let mut slope = options(1e7, 1.0 / 240.0);
    slope.gravity = GRAVITY * Vector3::new(0.45, 0.0, -1.0).normalize();
    slope.soft.contact.friction = 0.5;
    let mut builder = World::builder(slope);
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.05)).unwrap();
    let mut world = built(builder);
    run(&mut world, 1.0);
    let before = world.soft_positions("cube").unwrap().to_vec();
    run(&mut world, 0.5);
    let moved = before.iter().zip(world.soft_positions("cube").unwrap()).map(|(a, b)| (b - a).norm());
    let farthest = moved.fold(0.0, f64::max);
    assert!(farthest < 1e-7, "{farthest:e} m");
}

#[test]
fn a_rigid_box_on_the_ground_bears_a_soft_cube_and_stays_where_it_is() {
    let mut rubbing = options(1e7, 1.0 / 240.0);
    rubbing.soft.contact.friction = 0.5;
    let mut builder = World::builder(rubbing);
    builder.add_body(ground()).unwrap();
    builder.add_body(rigid_box("box", Vector3::new(0.2, 0.2, 0.1), 0.05)).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.1501)).unwrap();
    let mut world = built(builder);
    run(&mut world, 1.5);
    let load = world.soft_load("box").unwrap();
    assert!(is_near(load.force.z, -CUBE_WEIGHT, REST), "{load:?}");
    let below = world.body("box").unwrap();
    assert!((below.position.z - 0.05).abs() < 1e-4 && below.linear_velocity.norm() < 1e-4, "{below:?}");
    // Nothing is lost to the box falling away within the soft step: as deep as on the ground.
    let depth = world.soft_body("cube").unwrap().max_penetration;
    assert!(depth < 2.0 * CUBE_WEIGHT / 0.01 / 1e7, "{depth}");
    assert_eq!(world.soft_load("ground").unwrap().force, Vector3::zeros());
}

#[test]
fn a_rigid_box_that_falls_on_a_soft_cube_comes_to_rest_there() {
    let mut rubbing = options(1e7, 1.0 / 240.0);
    rubbing.soft.contact.friction = 0.5;
    let mut builder = World::builder(rubbing);
    builder.add_body(ground()).unwrap();
    builder.add_body(rigid_box("box", Vector3::new(0.06, 0.06, 0.04), 0.15)).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.0501)).unwrap();
    let mut world = built(builder);
    run(&mut world, 2.0);
    let weight = DENSITY * 0.06 * 0.06 * 0.04 * GRAVITY;
    let (above, below) = (world.soft_load("box").unwrap(), world.soft_load("ground").unwrap());
    assert!(is_near(above.force.z, weight, REST), "{above:?}");
    assert!(is_near(below.force.z, -weight - CUBE_WEIGHT, REST), "{below:?}");
    let body = world.body("box").unwrap();
    assert!(body.linear_velocity.norm() < 1e-3 && body.position.z > 0.11, "{body:?}");
}

#[test]
fn a_rigid_ball_hangs_on_a_soft_cube_that_a_fixed_body_holds() {
    let mut hung = options(1e6, 1.0 / 240.0);
    hung.soft.contact.self_contact = false;
    let mut builder = World::builder(hung);
    let holder = rigid_box("holder", Vector3::repeat(0.02), 1.2);
    builder.add_body(BodyDescription { kind: BodyKind::Fixed, ..holder }).unwrap();
    let place = Isometry3::translation(0.0, 0.0, 0.8);
    let ball = BodyDescription::new("ball", BodyKind::Dynamic, Shape::ball(0.03), place);
    builder.add_body(BodyDescription { mass: Mass::Total(0.3), ..ball }).unwrap();
    let mut cube = soft_cube("cube", 1.0);
    let face = |top: bool| {
        let at = |node: &Point3<f64>| if top { node.z > 0.049 } else { node.z < -0.049 };
        let nodes = (0_u32..).zip(cube.mesh.nodes()).filter(|(_, node)| at(node));
        nodes.map(|(index, _)| index).collect::<Vec<_>>()
    };
    let hang = |body: &str, nodes: Vec<u32>| SoftAttachment { body: body.into(), nodes, stiffness: 1e3 };
    cube.attachments = vec![hang("holder", face(true)), hang("ball", face(false))];
    builder.add_soft_body(cube).unwrap();
    let mut world = built(builder);
    let top = world.soft_positions("cube").unwrap()[26];
    run(&mut world, 4.0);
    let load = world.soft_load("ball").unwrap();
    assert!(is_near(load.force.z, 0.3 * GRAVITY, 2e-3), "{load:?}");
    assert!((world.soft_positions("cube").unwrap()[26] - top).norm() < 1e-15);
    // Nine springs in parallel below a cube of E A / L = 1e4 N/m; its own weight stretches it, too.
    let sag = 0.8 - world.body("ball").unwrap().position.z;
    let springs = 0.3 * GRAVITY / 9e3;
    assert!(sag > springs + 0.25 * 0.3 * GRAVITY / 1e4 && sag < springs + 2.0 * (0.3 + 0.5) * GRAVITY / 1e4);
}

/// A soft cube flies at a rigid box, off its centre, in weightlessness.
fn collision() -> World {
    let mut weightless = options(1e6, 1e-3);
    weightless.gravity = Vector3::zeros();
    weightless.soft.newton.relative_tolerance = 1e-13;
    weightless.soft.linear.relative_tolerance = 1e-13;
    weightless.solver = SolverOverrides { sweeps: Some(false), ..SolverOverrides::default() };
    let mut builder = World::builder(weightless);
    builder.add_body(rigid_box("box", Vector3::new(0.1, 0.1, 0.08), 0.2)).unwrap();
    let mut cube = soft_cube("cube", 0.1);
    cube.material = Material::new(Constitutive::Corotational, DENSITY, 1e5, 0.3).unwrap();
    cube.pose = Isometry3::translation(0.03, 0.02, 0.1);
    cube.linear_velocity = Vector3::new(0.1, 0.0, 1.0);
    builder.add_soft_body(cube).unwrap();
    built(builder)
}

#[test]
fn a_collision_in_weightlessness_conserves_momentum() {
    let mut world = collision();
    let start = world.momentum();
    let (mut drift, mut angular_drift) = (0.0_f64, 0.0_f64);
    let mut touched = false;
    for _ in 0..120 {
        let report = world.step().unwrap();
        touched |= report.soft.unwrap().contacts > 0;
        drift = drift.max((report.momentum.linear - start.linear).norm());
        angular_drift = angular_drift.max((report.momentum.angular - start.angular).norm());
    }
    let pushed = world.body("box").unwrap();
    assert!(touched && pushed.linear_velocity.z > 0.3 && pushed.angular_velocity.norm() > 0.1, "{pushed:?}");
    assert!(drift < 1e-10 * start.linear.norm(), "{drift}");
    // Implicit Euler dissipates the angular momentum of rotating bodies.
    assert!(angular_drift < 5e-3 * 0.1 * start.linear.norm(), "{angular_drift}");
}

#[test]
fn equal_runs_have_the_same_hash_whatever_the_number_of_threads() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = collision();
            run(&mut world, 0.04);
            (world.hash(), world.soft_velocities("cube").unwrap()[0])
        })
    };
    let (one, velocity) = hash(1);
    assert_eq!(one, hash(1).0);
    assert_eq!(one, hash(2).0);
    assert!(velocity.z < 0.999, "nothing has touched: {velocity}");
    let mut world = collision();
    world.step().unwrap();
    let before = world.hash();
    world.step().unwrap();
    assert_ne!(before, world.hash());
}

#[test]
fn a_rigid_box_comes_to_rest_on_a_soft_cube_in_equilibrium_with_it() {
    let mut quasi_static = options(1e6, 1.0 / 240.0);
    quasi_static.soft.scheme = SoftScheme::QuasiStatic;
    quasi_static.soft.contact.friction = 0.5;
    let mut builder = World::builder(quasi_static);
    let plate = rigid_box("box", Vector3::new(0.06, 0.06, 0.04), 0.121);
    builder.add_body(BodyDescription { linear_damping: 5.0, ..plate }).unwrap();
    let weight = DENSITY * 0.06 * 0.06 * 0.04 * GRAVITY;
    let mut cube = soft_cube("cube", 0.05);
    let low = (0_u32..).zip(cube.mesh.nodes()).filter(|(_, node)| node.z < -0.049);
    let nodes = low.map(|(index, _)| index).collect();
    cube.handles = vec![Handle {
        name: "floor".into(),
        nodes,
        axes: [true; 3],
        pivot: Point3::origin(),
        keyframes: Vec::new(),
        until: None,
    }];
    builder.add_soft_body(cube).unwrap();
    let mut world = built(builder);
    run(&mut world, 2.0);
    let load = world.soft_load("box").unwrap();
    assert!(is_near(load.force.z, weight, 0.01), "{load:?} {:?}", world.body("box"));
    assert!(world.soft_velocities("cube").unwrap().iter().all(|v| *v == Vector3::zeros()));
}

#[test]
fn a_step_that_does_not_converge_is_taken_in_parts() {
    let mut short = options(1e7, 1.0 / 60.0);
    short.soft.newton.max_iterations = 3;
    short.soft.newton.relative_tolerance = 1e-6;
    let mut builder = World::builder(short);
    builder.add_body(ground()).unwrap();
    let mut cube = soft_cube("cube", 0.06);
    cube.linear_velocity.z = -2.0;
    cube.angular_velocity.x = 5.0;
    builder.add_soft_body(cube).unwrap();
    let mut world = built(builder);
    let mut parts = Vec::new();
    while world.time() < 1.5 {
        parts.push(world.step().unwrap().soft.unwrap().parts);
    }
    assert!(parts.contains(&1) && parts.iter().any(|&parts| parts > 1), "{parts:?}");
    let load = world.soft_load("ground").unwrap();
    assert!(is_near(load.force.z, -CUBE_WEIGHT, 0.01), "{load:?}");
}

#[test]
fn a_soft_cube_is_not_crossed_by_a_rigid_box_that_hits_the_ground_below_it() {
    // They fall together at 4 m/s, 33 mm a step; the ground stops the box within one step, of which the soft solve does not know.
    let falls = Vector3::new(0.0, 0.0, -4.0);
    let mut builder = World::builder(options(1e7, 1.0 / 120.0));
    builder.add_body(ground()).unwrap();
    let below = rigid_box("box", Vector3::new(0.2, 0.2, 0.04), 0.04);
    builder.add_body(BodyDescription { linear_velocity: falls, ..below }).unwrap();
    let above = soft_cube("cube", 0.1101);
    builder.add_soft_body(SoftBodyDescription { linear_velocity: falls, ..above }).unwrap();
    let mut world = built(builder);
    let mut deepest = 0.0_f64;
    while world.time() < 0.3 {
        let soft = world.step().unwrap().soft.unwrap();
        assert_eq!((soft.unconverged, soft.inverted), (0, 0));
        deepest = deepest.max(soft.max_penetration);
        // The cube in the world, not only in the solve: its nodes stay above the box.
        let top = world.body("box").unwrap().position.z + 0.02;
        let lowest = world.soft_positions("cube").unwrap().iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        assert!(top - lowest < 0.035, "{top} {lowest}");
    }
    assert!(deepest > 0.0 && deepest < 0.0025, "2.5 % of the thickness of 0.1 m: {deepest}");
}

/// Largest gain of energy \[J\] of a capsule of 0.14 kg on the ground on which a soft block of 27 kg falls, beside it by `offset` \[m\] and rotated by `angle` \[rad\],
/// and the energy at the start.
fn squeezed(tilt: f64, (offset, angle): ([f64; 2], f64), speed: f64) -> [f64; 2] {
    let mut rubbing = options(1e7, 1.0 / 480.0);
    rubbing.soft.contact.friction = 0.3;
    let mut builder = World::builder(rubbing);
    builder.add_body(BodyDescription { friction: 0.6, ..ground() }).unwrap();
    let height = 0.022 + 0.125 * tilt.cos();
    let place = Isometry3::from_parts(
        Vector3::new(0.0, 0.0, height).into(),
        UnitQuaternion::from_euler_angles(0.0, tilt, 0.0),
    );
    let capsule = BodyDescription::new("capsule", BodyKind::Dynamic, Shape::capsule(0.02, 0.25), place);
    builder.add_body(BodyDescription { mass: Mass::Total(0.144), friction: 0.8, ..capsule }).unwrap();
    let material = Material::new(Constitutive::NeoHookean, DENSITY, 33_000.0, 0.42).unwrap();
    let place = Isometry3::from_parts(
        Vector3::new(offset[0], offset[1], 0.3).into(),
        UnitQuaternion::from_euler_angles(0.0, 0.0, angle),
    );
    let mut block = SoftBodyDescription::new("block", cube(2, 0.3), material, place);
    block.linear_velocity = Vector3::new(0.0, 0.5, -speed);
    builder.add_soft_body(block).unwrap();
    let mut world = built(builder);
    let start = world.energy().total();
    let mut highest = start;
    while world.time() < 0.12 {
        highest = highest.max(world.step().unwrap().energy.total());
    }
    [highest - start, start]
}

#[test]
fn a_capsule_that_a_soft_block_squeezes_against_the_ground_gains_no_energy() {
    let mut noise = Noise(5);
    for case in 0..24 {
        let mut between = |low, high| noise.between(low, high);
        let (tilt, angle, speed) = (between(1.05, 1.55), between(-0.35, 0.35), between(2.0, 5.0));
        let offset = [between(-0.15, 0.15), between(-0.15, 0.15)];
        let [gain, start] = squeezed(tilt, (offset, angle), speed);
        assert!(gain < 1e-6 * start, "{case}: {gain} of {start}");
    }
}
