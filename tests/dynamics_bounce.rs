//! Bounces: restitution against closed forms, and never a gain of energy.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use dynamics_scenes::{Run, block, body, fixed, half_space, pose, rotated, solid, weightless};
use extricate::dynamics::{
    BodyDescription, JointDescription, JointKind, Shape, SolverOverrides, World, WorldOptions,
};
use extricate::geometry::procedural::{Procedural, Sphere};
use nalgebra::{Isometry3, Vector3};

fn ball(radius: f64) -> Shape {
    Shape::ball(radius)
}

fn icosphere(radius: f64, frequency: u32) -> Shape {
    solid(Sphere { radius, frequency }.mesh().unwrap())
}

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(Vector3::new(x, y, z))
}

fn bouncing(mut body: BodyDescription, restitution: f64) -> BodyDescription {
    body.restitution = restitution;
    body
}

/// Height of the first bounce of a body that falls one metre onto a floor, over the height it fell; and the run.
fn rebound(shape: Shape, half_height: f64, restitution: f64) -> (f64, Run) {
    let floor = bouncing(half_space("floor"), restitution);
    let falling = bouncing(body("a", shape, pose(0.0, 0.0, 1.0 + half_height)), restitution);
    let mut run = Run::new(WorldOptions::default(), [floor, falling]);
    let (mut rose, mut apex) = (false, 0.0_f64);
    while run.world.time() < 0.45 + 0.5 * restitution {
        run.step();
        let state = run.world.body("a").unwrap();
        rose |= state.linear_velocity.z > 0.0;
        apex = if rose { apex.max(state.position.z - half_height) } else { apex };
    }
    (apex, run)
}

#[test]
fn a_ball_a_box_and_a_mesh_bounce_to_e_squared_of_their_height_and_never_higher() {
    let shapes = [(ball(0.1), 0.1), (cuboid(0.4, 0.3, 0.2), 0.1), (block(0.4, 0.3, 0.2), 0.1)];
    for (shape, half_height) in shapes {
        for restitution in [1.0, 0.8, 0.5_f64] {
            let (apex, run) = rebound(shape.clone(), half_height, restitution);
            let exact = restitution.powi(2);
            assert!((apex / exact - 1.0).abs() < 0.01, "{shape:?}, e = {restitution}: {apex}");
            assert!(apex <= exact + 1e-9, "{shape:?}, e = {restitution}: {apex}");
            assert!(run.worst_gain() <= 0.0, "{shape:?}, e = {restitution}: gain {}", run.worst_gain());
        }
    }
}

#[test]
fn a_box_that_lands_flat_does_not_rotate() {
    let (_, run) = rebound(cuboid(0.4, 0.3, 0.2), 0.1, 0.7);
    let state = run.world.body("a").unwrap();
    assert!(state.angular_velocity.norm() < 1e-9, "{}", state.angular_velocity);
    // The solver closes its corners one after the other.
    assert!(state.position.coords.xy().norm() < 1e-3, "{}", state.position);
}

#[test]
fn a_body_without_restitution_does_not_bounce_and_the_mean_of_two_counts() {
    let (apex, _) = rebound(ball(0.1), 0.1, 0.0);
    assert!(apex < 1e-4, "{apex}");
    let falling = bouncing(body("a", ball(0.1), pose(0.0, 0.0, 1.1)), 1.0);
    let mut run = Run::new(WorldOptions::default(), [half_space("floor"), falling]);
    let mut apex = 0.0_f64;
    while run.world.time() < 0.8 {
        run.step();
        let state = run.world.body("a").unwrap();
        apex = if run.world.time() > 0.46 { apex.max(state.position.z - 0.1) } else { apex };
    }
    assert!((apex - 0.25).abs() < 0.0025, "{apex}");
}

#[test]
fn bounces_die_out_and_the_ball_rests() {
    let floor = bouncing(half_space("floor"), 0.5);
    let falling = bouncing(body("a", ball(0.1), pose(0.0, 0.0, 0.6)), 0.5);
    let mut run = Run::new(WorldOptions::default(), [floor, falling]);
    run.seconds(2.0);
    let state = run.world.body("a").unwrap();
    assert!(state.linear_velocity.norm() < 1e-6 && (state.position.z - 0.1).abs() < 1e-4, "{state:?}");
}

/// Five balls in a row with gaps, the first of which comes at 1 m/s from `first`; the run.
fn cradle(shape: &Shape, first: f64, gap: f64, restitution: f64) -> Run {
    let balls = (0..5_u32).map(|i| {
        let x = if i == 0 { first } else { f64::from(i) * (0.2 + gap) };
        let mut ball = bouncing(body(&format!("ball{i}"), shape.clone(), pose(x, 0.0, 0.0)), restitution);
        ball.friction = 0.0;
        if i == 0 {
            ball.linear_velocity = Vector3::x();
        }
        ball
    });
    let mut run = Run::new(weightless(), balls);
    run.seconds(0.5);
    run
}

/// Speeds [m/s] of the bodies of a run along the row.
fn speeds(run: &Run) -> Vec<f64> {
    run.world.bodies().iter().map(|body| body.linear_velocity.x).collect()
}

#[test]
fn newtons_cradle_passes_the_push_to_the_last_ball_even_without_gaps() {
    for gap in [0.0, 1e-9, 1e-3] {
        let speeds = speeds(&cradle(&ball(0.1), -0.1, gap, 1.0));
        assert!((speeds[4] - 1.0).abs() < 1e-9, "{speeds:?}");
        assert!(speeds[..4].iter().all(|speed| speed.abs() < 1e-9), "{speeds:?}");
    }
    // Facets send the balls of a mesh a little aside.
    let speeds = speeds(&cradle(&icosphere(0.1, 16), -0.1, 0.0, 1.0));
    assert!((0.95..=1.0 + 1e-9).contains(&speeds[4]), "{speeds:?}");
}

#[test]
fn a_cradle_of_fine_meshes_keeps_its_momentum_and_energy_whenever_in_a_step_it_is_hit() {
    let shape = icosphere(0.1, 32);
    // The first ball closes the gap with the end of a step, and a third of a substep later.
    for first in [-0.1, -0.1 - 1.0 / 8640.0] {
        let run = cradle(&shape, first, 0.0, 1.0);
        let mass = 2.0 * run.reports[0].energy.total();
        let momentum: Vector3<f64> = run.world.bodies().iter().map(|body| body.linear_velocity).sum();
        assert!((momentum - Vector3::x()).norm() < 1e-9, "{momentum}");
        let energy = run.reports.last().unwrap().energy.total() / (0.5 * mass);
        assert!((0.98..=1.0 + 1e-9).contains(&energy), "{energy}");
        assert!(run.worst_gain() <= 1e-9 * mass, "{}", run.worst_gain());
    }
}

#[test]
fn two_balls_exchange_their_speeds_at_whatever_part_of_a_step_they_touch() {
    for part in 0..24_u32 {
        let gap = 0.05 + f64::from(part) / (24.0 * 480.0);
        let mut first = bouncing(body("a", ball(0.1), pose(0.0, 0.0, 0.0)), 0.9);
        first.linear_velocity = Vector3::x();
        let second = bouncing(body("b", ball(0.1), pose(0.2 + gap, 0.0, 0.0)), 0.9);
        let mut run = Run::new(weightless(), [first, second]);
        run.seconds(0.1);
        let speeds = speeds(&run);
        assert!((speeds[1] - 0.95).abs() < 1e-12 && (speeds[0] - 0.05).abs() < 1e-12, "{part}: {speeds:?}");
    }
}

#[test]
fn balls_of_unequal_mass_exchange_speeds_as_momentum_and_energy_demand() {
    let mut heavy = bouncing(body("a", ball(0.2), pose(-0.5, 0.0, 0.0)), 1.0);
    heavy.linear_velocity = Vector3::new(2.0, 0.0, 0.0);
    let light = bouncing(body("b", ball(0.1), pose(0.0, 0.0, 0.0)), 1.0);
    let mut run = Run::new(weightless(), [heavy, light]);
    run.seconds(0.5);
    let (m, n) = (8.0, 1.0);
    let speeds = run.world.bodies().iter().map(|body| body.linear_velocity.x).collect::<Vec<_>>();
    assert!((speeds[0] - 2.0 * (m - n) / (m + n)).abs() < 1e-9, "{speeds:?}");
    assert!((speeds[1] - 4.0 * m / (m + n)).abs() < 1e-9, "{speeds:?}");
}

#[test]
fn a_spinning_ball_that_bounces_with_friction_gets_the_speeds_of_a_hard_sphere() {
    // Grip: the contact point stops. With v the speed and ω R the spin before, v' = (5 v + 2 ω R)/7 along the floor.
    let mut falling = bouncing(body("a", ball(0.1), pose(0.0, 0.0, 0.3)), 0.8);
    falling.friction = 5.0;
    falling.angular_velocity = Vector3::new(0.0, 20.0, 0.0);
    falling.linear_velocity = Vector3::new(0.5, 0.0, 0.0);
    let mut floor = bouncing(half_space("floor"), 0.8);
    floor.friction = 5.0;
    let mut run = Run::new(WorldOptions::default(), [floor, falling]);
    while run.world.body("a").unwrap().linear_velocity.z <= 0.0 {
        run.step();
    }
    let state = run.world.body("a").unwrap();
    let exact = (5.0 * 0.5 + 2.0 * 20.0 * 0.1) / 7.0;
    assert!((state.linear_velocity.x - exact).abs() < 1e-9, "{} {exact}", state.linear_velocity.x);
    assert!((state.angular_velocity.y * 0.1 - exact).abs() < 1e-9);
}

#[test]
fn boxes_that_tumble_and_collide_gain_no_energy_whatever_their_restitution() {
    for restitution in [0.3, 0.7, 1.0] {
        let mut floor = bouncing(half_space("floor"), restitution);
        floor.friction = 0.4;
        let boxes = (0..6_u32).map(|i| {
            let at = [0.05 * f64::from(i), 0.02 * f64::from(i * i), 0.5 + 0.35 * f64::from(i)];
            let mut tumbling = bouncing(
                body(&format!("box{i}"), cuboid(0.3, 0.2, 0.1), rotated([1.0, 2.0, f64::from(i)], 0.7, at)),
                restitution,
            );
            tumbling.angular_velocity = Vector3::new(1.0, -2.0, 0.5);
            tumbling
        });
        let mut run = Run::new(WorldOptions::default(), std::iter::once(floor).chain(boxes));
        run.seconds(1.5);
        let energy = run.reports[0].energy.total();
        assert!(
            run.worst_gain() <= 2e-3 * energy,
            "e = {restitution}: gain {} of {energy}",
            run.worst_gain()
        );
    }
}

#[test]
fn pendulums_in_a_row_pass_the_push_on() {
    let mut builder = World::builder(WorldOptions::default());
    builder.add_body(fixed("ceiling", cuboid(2.0, 0.2, 0.1), pose(0.0, 0.0, 1.5))).unwrap();
    let angle = -0.2_f64;
    for i in 0..3_u32 {
        let top = 0.2 * f64::from(i);
        let (x, z) = if i == 0 { (top + angle.sin(), 1.0 - angle.cos()) } else { (top, 0.0) };
        let mut bob = bouncing(body(&format!("bob{i}"), ball(0.1), pose(x, 0.0, z)), 1.0);
        bob.friction = 0.0;
        builder.add_body(bob).unwrap();
        let anchors = [pose(top, 0.0, -0.5), pose(top - x, 0.0, 1.0 - z)];
        let bodies = ["ceiling".to_owned(), format!("bob{i}")];
        let name = format!("string{i}");
        let kind = JointKind::Spherical;
        builder.add_joint(JointDescription { name, bodies, anchors, kind, contacts: false }).unwrap();
    }
    let mut world = builder.build().unwrap();
    let mut fastest = 0.0_f64;
    while world.time() < 0.75 {
        world.step().unwrap();
        fastest = fastest.max(world.body("bob2").unwrap().linear_velocity.x);
    }
    let exact = (2.0 * 9.81 * (1.0 - angle.cos())).sqrt();
    assert!((fastest / exact - 1.0).abs() < 0.03, "{fastest} {exact}");
}

#[test]
fn a_body_slower_than_the_minimum_bounce_speed_stays() {
    let solver = SolverOverrides { least_bounce_speed: Some(10.0), ..SolverOverrides::default() };
    let options = WorldOptions { solver, ..WorldOptions::default() };
    let falling = bouncing(body("a", ball(0.1), pose(0.0, 0.0, 0.6)), 1.0);
    let floor = bouncing(fixed("floor", Shape::half_space(), Isometry3::identity()), 1.0);
    let mut run = Run::new(options, [floor, falling]);
    run.seconds(1.0);
    assert!((run.world.body("a").unwrap().position.z - 0.1).abs() < 1e-4);
}
