//! Reports of a step, conditions that stop a run, and independence of threads and order.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use dynamics_scenes::{Run, body, cube, fixed, half_space, pose, rotated, torus};
use extricate::dynamics::{
    Accuracy, BodyDescription, BuildError, Mass, Shape, SolverOverrides, StepError, World, WorldOptions,
};
use nalgebra::Vector3;

fn cuboid(edge: f64) -> Shape {
    Shape::cuboid(Vector3::repeat(edge))
}

#[test]
fn the_deepest_contact_is_reported_with_its_bodies_and_the_fastest_body_with_its_speed() {
    let mut falling = body("b", cuboid(0.2), pose(2.0, 0.0, 3.0));
    falling.linear_velocity = Vector3::new(3.0, 4.0, 0.0);
    let bodies = [
        body("a", cuboid(0.2), pose(0.0, 0.0, 0.1)),
        falling,
        body("c", cuboid(0.2), pose(1.0, 0.0, 0.07)),
        half_space("floor"),
    ];
    let mut run = Run::new(WorldOptions::default(), bodies);
    let report = run.step();
    assert!((report.max_penetration - 0.03).abs() < 1e-9, "{}", report.max_penetration);
    assert_eq!(report.deepest, Some([2, 3]));
    assert_eq!(report.resolving, 1);
    assert_eq!(report.fastest, Some(1));
    assert!((report.max_speed - 5.0).abs() < 1e-3, "{}", report.max_speed);
    assert!(report.manifolds >= 2 && report.contacts >= 8, "{report:?}");
}

#[test]
fn a_step_reports_its_times_and_no_part_is_longer_than_the_whole() {
    let bodies =
        (0..20).map(|i| body(&format!("box{i}"), cuboid(0.2), pose(0.0, 0.0, 0.1 + 0.2 * f64::from(i))));
    let mut run = Run::new(WorldOptions::default(), std::iter::once(half_space("floor")).chain(bodies));
    let timings = (0..5).map(|_| run.step().timings).last().unwrap();
    let parts = [timings.broad_phase, timings.narrow_phase, timings.solver, timings.passes];
    assert!(parts.iter().all(|part| !part.is_zero()), "{timings:?}");
    assert!(parts.iter().sum::<std::time::Duration>() + timings.continuous <= timings.total, "{timings:?}");
}

#[test]
fn an_overflow_of_numbers_stops_the_run_and_names_the_body_and_the_step() {
    let mut lost = body("lost", cuboid(0.2), pose(0.0, 0.0, 0.0));
    lost.linear_velocity = Vector3::new(1e300, 1e300, 0.0);
    let mut run = Run::new(WorldOptions::default(), [body("a", cuboid(0.2), pose(5.0, 0.0, 0.0)), lost]);
    let error = (0..3).find_map(|_| run.world.step().err()).unwrap();
    assert_eq!((error.body(), error.step()), ("lost", 1), "{error}");
}

#[test]
fn a_body_faster_than_any_that_is_meant_stops_the_run() {
    let mut fast = body("fast", Shape::ball(0.01), pose(0.0, 0.0, 0.0));
    fast.linear_velocity = Vector3::new(1e6, 0.0, 0.0);
    let mut run = Run::new(WorldOptions::default(), [fast]);
    let error = run.world.step().unwrap_err();
    let StepError::TooFast { speed, bound, .. } = &error else { panic!("{error}") };
    assert!(speed > bound && error.body() == "fast", "{error}");
    assert!(error.to_string().contains("`fast`") && error.to_string().contains("step 1"), "{error}");
}

#[test]
fn bodies_in_fast_flight_and_hard_impacts_do_not_stop_the_run() {
    let mut bullet = body("bullet", Shape::ball(0.02), pose(-3.0, 0.0, 0.0));
    bullet.linear_velocity = Vector3::new(400.0, 0.0, 0.0);
    bullet.continuous = true;
    bullet.restitution = 1.0;
    let wall = fixed("wall", Shape::cuboid(Vector3::new(0.1, 4.0, 4.0)), pose(0.0, 0.0, 0.0));
    let mut run = Run::new(WorldOptions::default(), [bullet, wall]);
    run.seconds(0.1);
    assert!(run.worst_gain() < 1e-6 * run.reports[0].energy.kinetic);
}

#[test]
fn overrides_replace_single_settings_and_bad_ones_are_refused() {
    let plain = WorldOptions::default().solver_settings();
    let solver = SolverOverrides { relax_passes: Some(1), ..SolverOverrides::default() };
    let changed = WorldOptions { solver, ..WorldOptions::default() }.solver_settings();
    assert_eq!((changed.relax_passes, changed.substeps), (1, plain.substeps));
    let bad = [
        SolverOverrides { substeps: Some(0), ..SolverOverrides::default() },
        SolverOverrides { contact_frequency: Some(f64::NAN), ..SolverOverrides::default() },
        SolverOverrides { contact_damping: Some(-1.0), ..SolverOverrides::default() },
        SolverOverrides { least_bounce_speed: Some(f64::INFINITY), ..SolverOverrides::default() },
        SolverOverrides { relax_passes: Some(1_000_000), ..SolverOverrides::default() },
    ];
    for solver in bad {
        let built = World::builder(WorldOptions { solver, ..WorldOptions::default() }).build();
        assert!(matches!(built.err(), Some(BuildError::OutOfRange { .. })), "{solver:?}");
    }
}

#[test]
fn more_substeps_let_a_heavy_body_sink_less() {
    let sink = |substeps: u32| {
        let mut heavy = body("heavy", cuboid(0.2), pose(0.0, 0.0, 0.3));
        heavy.mass = Mass::Total(1000.0);
        let mut light = body("light", cuboid(0.2), pose(0.0, 0.0, 0.1));
        light.mass = Mass::Total(10.0);
        let solver = SolverOverrides { substeps: Some(substeps), ..SolverOverrides::default() };
        let options = WorldOptions { solver, ..WorldOptions::default() };
        let mut run = Run::new(options, [heavy, light, half_space("floor")]);
        run.seconds(0.5);
        0.3 - run.world.body("heavy").unwrap().position.z
    };
    let (few, many) = (sink(6), sink(12));
    assert!(many > 0.0 && many < 0.4 * few, "{few} {many}");
}

/// Everything at once: a start in overlap, bounces, spinning boxes, rings and balls.
fn medley() -> Vec<BodyDescription> {
    let mut bodies = vec![half_space("floor")];
    for i in 0..5_u32 {
        let at = f64::from(i);
        let mut ball = body(&format!("ball{i}"), Shape::ball(0.15), pose(0.1 * at, 0.05, 0.5 + 0.4 * at));
        ball.restitution = 0.8;
        let mut spinning = body(
            &format!("box{i}"),
            cuboid(0.25),
            rotated([1.0, 2.0, at], 0.5, [-0.3, 0.1 * at, 0.3 + 0.2 * at]),
        );
        spinning.angular_velocity = Vector3::new(1.0, 5.0, 0.2);
        spinning.shape = Shape::cuboid(Vector3::new(0.1, 0.2, 0.3));
        bodies.extend([
            ball,
            spinning,
            body(&format!("ring{i}"), torus(0.3, 0.1, 12, 8), pose(0.6, 0.0, 0.15 * at)),
        ]);
        bodies.push(body(&format!("cube{i}"), cube(0.3), pose(-0.8, 0.0, 0.2 + 0.2 * at)));
    }
    bodies
}

fn hash_after(steps: usize, threads: usize, bodies: Vec<BodyDescription>) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let options = WorldOptions { accuracy: Accuracy::Preview, ..WorldOptions::default() };
        let mut run = Run::new(options, bodies);
        for _ in 0..steps {
            run.step();
        }
        run.world.hash()
    })
}

#[test]
fn threads_and_the_order_of_bodies_change_nothing_where_bodies_overlap_bounce_and_spin() {
    let reference = hash_after(120, 1, medley());
    assert_eq!(reference, hash_after(120, 2, medley()));
    assert_eq!(reference, hash_after(120, 4, medley()));
    let mut shuffled = medley();
    let count = shuffled.len();
    (0..count).for_each(|i| shuffled.swap(i, (i * 7 + 3) % count));
    assert_eq!(reference, hash_after(120, 2, shuffled));
    assert_ne!(reference, hash_after(119, 1, medley()));
}
