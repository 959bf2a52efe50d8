//! Convex bodies against closed forms: at rest, sliding, rolling, bouncing, pushed apart; and the same with both narrow
//! phases where they must agree.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use std::f64::consts::FRAC_PI_2;

use dynamics_scenes::{
    Run, assert_overlapping_cubes_part_slowly, block, body, fixed, half_space, lying, pose, rotated, tilted,
    weightless,
};
use extricate::dynamics::{BodyDescription, BuildError, Mass, NarrowPhase, Shape, World, WorldOptions};
use extricate::geometry::procedural::{Blob, Cuboid, Procedural};
use nalgebra::{Isometry3, Point3, Vector3};

const GRAVITY: f64 = 9.81;

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(Vector3::new(x, y, z))
}

fn hull(points: &[Point3<f64>]) -> Shape {
    Shape::hull(points).unwrap()
}

/// A cuboid as the hull of its corners.
fn hull_of_cuboid(x: f64, y: f64, z: f64) -> Shape {
    let side = |bit: u32| if bit == 0 { -0.5 } else { 0.5 };
    let corner = |i: u32| Point3::new(x * side(i & 1), y * side(i & 2), z * side(i & 4));
    hull(&(0..8).map(corner).collect::<Vec<_>>())
}

fn rounded(core: Shape, radius: f64) -> Shape {
    core.rounded(radius).unwrap()
}

#[test]
fn a_block_stays_on_an_incline_below_the_friction_limit_and_slides_as_predicted_above() {
    let friction = 0.5_f64;
    for block in [cuboid(0.4, 0.4, 0.4), hull_of_cuboid(0.4, 0.4, 0.4)] {
        for (fraction, slides) in [(0.98, false), (1.10, true)] {
            let angle = (fraction * friction).atan();
            let mut ramp = fixed("ramp", cuboid(20.0, 4.0, 0.5), tilted(angle, 0.0, 0.0, -0.25));
            let mut block = body("block", block.clone(), tilted(angle, 0.0, 0.0, 0.2));
            (ramp.friction, block.friction) = (friction, friction);
            let start = block.pose.translation.vector;
            let mut run = Run::new(WorldOptions::default(), [ramp, block]);
            run.seconds(2.0);
            let moved = (run.world.body("block").unwrap().position.coords - start).norm();
            let exact = 0.5 * GRAVITY * (angle.sin() - friction * angle.cos()) * 4.0;
            if slides {
                assert!((moved / exact - 1.0).abs() < 0.01, "slid {moved}, exactly {exact}");
            } else {
                assert!(moved < 1e-3, "crept {moved}");
            }
        }
    }
}

#[test]
fn a_sliding_block_stops_after_v_squared_over_two_mu_g() {
    let exact = 25.0 / (2.0 * 0.5 * GRAVITY);
    for floor in [half_space("floor"), fixed("floor", cuboid(20.0, 20.0, 1.0), pose(0.0, 0.0, -0.5))] {
        let mut block = body("block", cuboid(0.4, 0.4, 0.2), pose(0.0, 0.0, 0.1));
        block.linear_velocity = Vector3::new(5.0, 0.0, 0.0);
        let mut run = Run::new(WorldOptions::default(), [floor, block]);
        run.seconds(2.0);
        let state = run.world.body("block").unwrap();
        assert!((state.position.x / exact - 1.0).abs() < 0.005, "stopped at {}", state.position.x);
        assert!(state.position.y.abs() < 1e-3 && state.linear_velocity.norm() < 1e-6, "{state:?}");
    }
}

#[test]
fn a_ball_rolls_down_a_ramp_with_five_sevenths_of_the_acceleration_and_a_cylinder_with_two_thirds() {
    let angle = 20.0_f64.to_radians();
    let shapes = [(Shape::ball(0.2), 5.0 / 7.0), (Shape::cylinder(0.2, 0.5), 2.0 / 3.0)];
    for (shape, fraction) in shapes {
        let ramp = fixed("ramp", cuboid(40.0, 4.0, 0.5), tilted(angle, 0.0, 0.0, -0.25));
        let mut at = tilted(angle, 0.0, 0.0, 0.2);
        // The axis of the cylinder lies across the ramp.
        at.rotation *= nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
        let roller = body("roller", shape, at);
        let mut run = Run::new(WorldOptions::default(), [ramp, roller]);
        run.seconds(2.0);
        let moved = (run.world.body("roller").unwrap().position.coords - at.translation.vector).norm();
        let exact = 0.5 * fraction * GRAVITY * angle.sin() * 4.0;
        assert!((moved / exact - 1.0).abs() < 0.003, "rolled {moved}, exactly {exact}");
    }
}

#[test]
fn a_stack_of_ten_stays_up_for_ten_seconds() {
    for shape in [cuboid(0.2, 0.2, 0.2), hull_of_cuboid(0.2, 0.2, 0.2)] {
        let boxes = (0..10)
            .map(|i| body(&format!("box{i}"), shape.clone(), pose(0.0, 0.0, 0.1 + 0.2 * f64::from(i))));
        let mut run = Run::new(WorldOptions::default(), std::iter::once(half_space("floor")).chain(boxes));
        run.seconds(10.0);
        let top = run.world.body("box9").unwrap().position;
        assert!(top.z >= 1.895, "height {}", top.z);
        assert!(top.x.hypot(top.y) < 1e-3, "drift {top}");
    }
}

#[test]
fn cubes_that_overlap_at_the_start_part_slowly() {
    assert_overlapping_cubes_part_slowly(&cuboid(1.0, 1.0, 1.0));
    assert_overlapping_cubes_part_slowly(&hull_of_cuboid(1.0, 1.0, 1.0));
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    for (restitution, exact) in [(1.0, 1.0), (0.8, 0.64), (0.5, 0.25)] {
        let mut floor = half_space("floor");
        let mut ball = body("ball", Shape::ball(0.1), pose(0.0, 0.0, 1.1));
        (floor.restitution, ball.restitution) = (restitution, restitution);
        let mut run = Run::new(WorldOptions::default(), [floor, ball]);
        let fall = (2.0 / GRAVITY).sqrt();
        run.seconds(fall * 1.01);
        let (mut highest, end) = (0.0_f64, fall * (1.0 + 2.0 * restitution));
        while run.world.time() < end {
            run.step();
            highest = highest.max(run.world.body("ball").unwrap().position.z - 0.1);
        }
        assert!((highest / exact - 1.0).abs() < 0.02 && highest <= 1.0, "{restitution}: height {highest}");
    }
}

#[test]
fn a_ball_that_meets_a_row_of_four_passes_its_speed_on_to_the_last() {
    let balls = (0..5).map(|i| {
        let x = if i == 0 { -0.3 } else { 0.1001 * f64::from(i) };
        let mut ball = body(&format!("ball{i}"), Shape::ball(0.05), pose(x, 0.0, 0.0));
        (ball.restitution, ball.friction) = (1.0, 0.0);
        ball.linear_velocity.x = if i == 0 { 1.0 } else { 0.0 };
        ball
    });
    let mut run = Run::new(weightless(), balls);
    run.seconds(0.5);
    let speeds: Vec<f64> = run.world.bodies().iter().map(|body| body.linear_velocity.x).collect();
    assert!((0.98..=1.0 + 1e-9).contains(&speeds[4]), "{speeds:?}");
    assert!(speeds[..4].iter().all(|speed| speed.abs() < 0.02), "{speeds:?}");
}

#[test]
fn a_thousandfold_weight_on_a_box_sinks_by_less_than_two_millimetres() {
    let mut light = body("light", cuboid(0.2, 0.2, 0.2), pose(0.0, 0.0, 0.1));
    light.mass = Mass::Total(1.0);
    let mut heavy = body("heavy", cuboid(0.2, 0.2, 0.2), pose(0.0, 0.0, 0.3));
    heavy.mass = Mass::Total(1000.0);
    let mut run = Run::new(WorldOptions::default(), [half_space("floor"), light, heavy]);
    run.seconds(3.0);
    let height = run.world.body("heavy").unwrap().position.z;
    assert!((0.298..0.3001).contains(&height), "height {height}");
}

/// Bodies with the height of their origin at rest on the plane z = 0.
fn resting() -> Vec<(&'static str, Shape, Isometry3<f64>)> {
    let cone = Shape::cone(0.3, 0.5);
    let cylinder = Shape::cylinder(0.3, 0.5);
    vec![
        ("ball", Shape::ball(0.3), pose(0.0, 0.0, 0.3)),
        ("capsule", Shape::capsule(0.2, 0.4), lying(0.0, 0.0, 0.2)),
        ("cone", cone.clone(), pose(0.0, 0.0, 0.25)),
        ("cuboid", cuboid(0.3, 0.4, 0.5), rotated([0.0, 0.0, 1.0], 0.3, [0.0, 0.0, 0.25])),
        ("cylinder", cylinder.clone(), pose(0.0, 0.0, 0.25)),
        ("cylinder on its side", cylinder.clone(), lying(0.0, 0.0, 0.3)),
        ("hull", hull_of_cuboid(0.3, 0.4, 0.5), rotated([0.0, 0.0, 1.0], 0.7, [0.0, 0.0, 0.25])),
        ("rounded cone", rounded(cone, 0.05), pose(0.0, 0.0, 0.3)),
        ("rounded cuboid", rounded(cuboid(0.2, 0.3, 0.1), 0.05), pose(0.0, 0.0, 0.1)),
        ("rounded cylinder", rounded(cylinder, 0.05), pose(0.0, 0.0, 0.3)),
        ("rounded hull", rounded(hull_of_cuboid(0.2, 0.3, 0.1), 0.05), pose(0.0, 0.0, 0.1)),
    ]
}

/// Lets each body rest on each floor for two seconds, and returns how far it moved.
fn motion_at_rest(floor: &BodyDescription, body: BodyDescription, narrow_phase: NarrowPhase) -> f64 {
    let start = body.pose;
    let name = body.name.clone();
    let options = WorldOptions { narrow_phase, ..WorldOptions::default() };
    let mut run = Run::new(options, [floor.clone(), body]);
    run.seconds(2.0);
    let state = run.world.body(&name).unwrap();
    let moved = (state.position.coords - start.translation.vector).norm();
    moved + state.rotation.angle_to(&start.rotation) + state.linear_velocity.norm()
}

#[test]
fn every_convex_body_rests_where_it_is_put() {
    let floors = [half_space("floor"), fixed("floor", cuboid(10.0, 10.0, 0.5), pose(0.0, 0.0, -0.25))];
    for floor in &floors {
        for (name, shape, at) in resting() {
            let moved = motion_at_rest(floor, body(name, shape, at), NarrowPhase::Extricate);
            assert!(moved < 1e-4, "{name} moves by {moved}");
        }
    }
}

/// The hulls and the rounded bodies among them.
fn resting_hulls_and_rounded() -> impl Iterator<Item = (&'static str, Shape, Isometry3<f64>)> {
    resting().into_iter().filter(|(name, ..)| name.starts_with("rounded") || *name == "hull")
}

#[test]
fn hulls_and_rounded_bodies_rest_on_a_mesh() {
    let floor = fixed("floor", block(10.0, 10.0, 0.5), pose(0.0, 0.0, -0.25));
    for (name, shape, at) in resting_hulls_and_rounded() {
        let moved = motion_at_rest(&floor, body(name, shape, at), NarrowPhase::Extricate);
        assert!(moved < 1e-4, "{name} moves by {moved}");
    }
}

#[test]
fn with_the_narrow_phase_of_rapier_hulls_and_rounded_bodies_rest_too() {
    let floor = fixed("floor", cuboid(10.0, 10.0, 0.5), pose(0.0, 0.0, -0.25));
    for (name, shape, at) in resting_hulls_and_rounded() {
        let moved = motion_at_rest(&floor, body(name, shape, at), NarrowPhase::Rapier);
        assert!(moved < 1e-3, "{name} moves by {moved}");
    }
}

fn rock(seed: u32) -> Shape {
    hull(Blob { radius: 0.2, seed, frequency: 4, ..Blob::default() }.mesh().unwrap().vertices())
}

/// A heap of all kinds of convex bodies.
fn heap() -> Vec<BodyDescription> {
    let mut bodies = vec![fixed("floor", cuboid(6.0, 6.0, 0.5), pose(0.0, 0.0, -0.25))];
    for i in 0..4_u32 {
        let height = 0.5 + 0.6 * f64::from(i);
        let tilt = 0.3 + f64::from(i);
        let shapes = [
            rock(i + 1),
            cuboid(0.3, 0.2, 0.4),
            Shape::cylinder(0.15, 0.3),
            Shape::cone(0.2, 0.3),
            Shape::capsule(0.1, 0.3),
            rounded(cuboid(0.2, 0.1, 0.3), 0.05),
            Shape::ball(0.15),
        ];
        for (j, shape) in (0_u32..).zip(shapes) {
            let [x, y] = [j % 3, j / 3].map(|cell| 0.5 * f64::from(cell) - 0.5 + 0.03 * f64::from(i));
            bodies.push(body(
                &format!("body-{i}-{j}"),
                shape,
                rotated([1.0, 2.0, 3.0], tilt * f64::from(j), [x, y, height]),
            ));
        }
    }
    bodies
}

fn hash_after(steps: usize, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut run = Run::new(WorldOptions::default(), heap());
        for _ in 0..steps {
            run.step();
        }
        run.world.hash()
    })
}

#[test]
fn the_number_of_threads_does_not_change_a_bit_of_a_heap_of_convex_bodies() {
    let reference = hash_after(240, 1);
    assert_eq!(reference, hash_after(240, 2));
    assert_eq!(reference, hash_after(240, 3));
}

#[test]
fn a_heap_of_convex_bodies_falls_without_gaining_energy_and_ends_without_overlaps() {
    let mut run = Run::new(WorldOptions::default(), heap());
    run.seconds(4.0);
    let energy = run.reports[0].energy.total();
    assert!(run.worst_gain() <= 1e-6 * energy, "gain {} of {energy}", run.worst_gain());
    for pair in run.world.penetrations(&Default::default()).unwrap() {
        assert!(pair.depth <= 1e-3 * pair.size, "{pair:?}");
    }
}

#[test]
fn penetrations_of_convex_bodies_are_exact() {
    let at = |x: f64, z: f64| pose(x, 0.0, z);
    for (a, b, at_b, exact) in [
        (cuboid(1.0, 1.0, 1.0), cuboid(1.0, 1.0, 1.0), at(0.7, 0.0), 0.3),
        (cuboid(2.0, 2.0, 2.0), cuboid(0.5, 0.5, 0.5), at(0.0, 0.0), 1.25),
        (Shape::cylinder(0.5, 2.0), Shape::ball(0.25), at(0.6, 0.0), 0.15),
        (rounded(cuboid(0.8, 0.8, 0.8), 0.1), hull_of_cuboid(1.0, 1.0, 1.0), at(0.0, 0.9), 0.1),
        (Shape::cone(0.5, 1.0), cuboid(4.0, 4.0, 1.0), at(0.0, -0.9), 0.1),
    ] {
        let mut world = World::builder(weightless());
        world.add_body(body("a", a, pose(0.0, 0.0, 0.0))).unwrap();
        world.add_body(body("b", b, at_b)).unwrap();
        let found = world.build().unwrap().penetrations(&Default::default()).unwrap();
        assert!(found.len() == 1 && (found[0].depth - exact).abs() < 1e-9, "{found:?}, exactly {exact}");
    }
    for (name, shape, mut at) in resting() {
        at.translation.vector.z -= 0.01;
        let mut world = World::builder(weightless());
        world.add_body(half_space("floor")).unwrap();
        world.add_body(body(name, shape, at)).unwrap();
        let found = world.build().unwrap().penetrations(&Default::default()).unwrap();
        assert!((found[0].depth - 0.01).abs() < 1e-12, "{name}: {found:?}");
    }
}

#[test]
fn a_fast_hull_does_not_pass_through_a_thin_wall() {
    for speed in [20.0, 100.0, 400.0] {
        for wall in [cuboid(0.01, 2.0, 2.0), block(0.01, 2.0, 2.0)] {
            for bullet in [hull_of_cuboid(0.04, 0.04, 0.04), rounded(cuboid(0.02, 0.02, 0.02), 0.01)] {
                let mut bullet = body("bullet", bullet, rotated([1.0, 2.0, 0.5], 0.7, [-1.0, 0.1, 0.05]));
                bullet.linear_velocity = Vector3::new(speed, 0.0, 0.0);
                bullet.continuous = true;
                let mut run =
                    Run::new(weightless(), [fixed("wall", wall.clone(), pose(0.0, 0.0, 0.0)), bullet]);
                run.seconds(0.3);
                assert!(run.world.body("bullet").unwrap().position.x < 0.0, "{speed} m/s");
            }
        }
    }
}

#[test]
fn the_inertia_of_a_hull_and_of_a_rounded_box_is_that_of_their_closed_forms() {
    // E = ½ I ω² about the body's z axis.
    let spin_energy = |shape: Shape| {
        let mut spinning = body("spinning", shape, pose(0.0, 0.0, 0.0));
        spinning.mass = Mass::Total(2.0);
        spinning.angular_velocity = Vector3::new(0.0, 0.0, 3.0);
        Run::new(weightless(), [spinning]).world.energy().kinetic
    };
    let cuboid_energy = 0.5 * 2.0 / 12.0 * (0.3_f64.powi(2) + 0.4_f64.powi(2)) * 9.0;
    assert!((spin_energy(hull_of_cuboid(0.3, 0.4, 0.5)) - cuboid_energy).abs() < 1e-12);
    let ball = 0.5 * 0.4 * 2.0 * 0.2_f64.powi(2) * 9.0;
    assert!((spin_energy(rounded(cuboid(1e-9, 1e-9, 1e-9), 0.2)) - ball).abs() < 1e-6 * ball);
}

#[test]
fn a_shape_that_cannot_be_rounded_is_refused_by_name() {
    let mut builder = World::builder(WorldOptions::default());
    let round_plane = rounded(Shape::half_space(), 0.1);
    let error = builder.add_body(body("plane", round_plane, pose(0.0, 0.0, 0.0))).unwrap_err();
    assert_eq!(error, BuildError::NotRoundable { name: "plane".into() });
    assert!(Shape::mesh(Cuboid::default().mesh().unwrap()).rounded(0.1).is_err());
    // A ball around a ball is a larger ball.
    builder.add_body(body("pill", rounded(Shape::ball(0.1), 0.1), pose(0.0, 0.0, 0.0))).unwrap();
    let negative = rounded(cuboid(1.0, 1.0, 1.0), -0.1);
    let error = builder.add_body(body("soap", negative, pose(0.0, 0.0, 0.0))).unwrap_err();
    assert!(matches!(error, BuildError::OutOfRange { value, .. } if value < 0.0), "{error}");
    let flat = hull(&[Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)]);
    let error = builder.add_body(body("card", flat, pose(0.0, 0.0, 0.0))).unwrap_err();
    assert!(matches!(error, BuildError::NoVolume { .. }), "{error}");
}
