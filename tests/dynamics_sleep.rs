//! Sleep of bodies at rest: it changes no motion, ends with whatever moves a body, and does not depend on threads.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use std::path::Path;

use dynamics_scenes::{Run, body, half_space, pose, rotated};
use extricate::dynamics::{
    BodyDescription, BodyKind, BuildError, Checkpoint, Grip, Mass, Pull, Shape, SleepOptions, World,
    WorldOptions,
};
use extricate::scene::Scene;
use nalgebra::{Point3, Vector3};

fn cuboid(edge: f64) -> Shape {
    Shape::cuboid(Vector3::repeat(edge))
}

fn options(sleep: Option<SleepOptions>) -> WorldOptions {
    WorldOptions { sleep, ..WorldOptions::default() }
}

fn asleep() -> WorldOptions {
    options(Some(SleepOptions::default()))
}

/// Boxes in stacks, two high, on a plane; a ball that falls on one of them and another one that rolls against a second.
fn stacks(options: WorldOptions) -> World {
    let mut builder = World::builder(options);
    builder.add_body(half_space("ground")).unwrap();
    for i in 0..8 {
        for level in 0..2 {
            let at = pose(0.5 * f64::from(i), 0.0, 0.1 + 0.2 * f64::from(level));
            builder.add_body(body(&format!("box-{i}-{level}"), cuboid(0.2), at)).unwrap();
        }
    }
    let mut falling = body("ball", Shape::ball(0.1), pose(0.5, 0.02, 5.0));
    falling.restitution = 0.4;
    builder.add_body(falling).unwrap();
    let mut rolling = body("roller", Shape::ball(0.1), pose(2.0, -6.0, 0.1));
    rolling.linear_velocity = Vector3::new(0.0, 5.0, 0.0);
    rolling.angular_velocity = Vector3::new(-50.0, 0.0, 0.0);
    builder.add_body(rolling).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_box_that_sleeps_takes_the_velocity_of_an_equal_one_that_hits_it_squarely() {
    let mut options = asleep();
    options.gravity = Vector3::zeros();
    let mut hit = body("hit", cuboid(0.2), pose(0.0, 0.0, 0.0));
    let mut thrown = body("thrown", cuboid(0.2), pose(-2.0, 0.0, 0.0));
    thrown.linear_velocity = Vector3::new(1.5, 0.0, 0.0);
    for body in [&mut hit, &mut thrown] {
        (body.restitution, body.mass) = (1.0, Mass::Total(3.0));
    }
    let mut run = Run::new(options, [hit, thrown]);
    let mut slept = false;
    while run.world.time() < 2.0 {
        let report = run.step();
        slept |= report.asleep == 1;
        let momentum = report.momentum.linear;
        assert!((momentum - Vector3::new(4.5, 0.0, 0.0)).norm() < 1e-9, "{momentum}");
        assert!((report.energy.total() - 0.5 * 3.0 * 1.5 * 1.5).abs() < 1e-9, "{:?}", report.energy);
    }
    assert!(slept, "the box at rest never slept");
    let speed = |name: &str| run.world.body(name).unwrap().linear_velocity;
    assert!((speed("hit") - Vector3::new(1.5, 0.0, 0.0)).norm() < 1e-9, "{}", speed("hit"));
    assert!(speed("thrown").norm() < 1e-9, "{}", speed("thrown"));
}

#[test]
fn boxes_that_slept_are_pushed_as_far_as_those_that_did_not() {
    let mut worlds = [None, Some(SleepOptions::default())].map(|sleep| stacks(options(sleep)));
    let mut most = 0;
    while worlds[0].time() < 3.0 {
        let reports = worlds.each_mut().map(|world| world.step().unwrap());
        assert_eq!(reports[0].asleep, 0);
        most = most.max(reports[1].asleep);
        let energies = reports.map(|report| report.energy.total());
        assert!((energies[0] - energies[1]).abs() < 1e-2 * energies[0].abs().max(1.0), "{energies:?}");
    }
    // All boxes but those of the two stacks that were hit slept through it.
    assert!(most >= 12, "only {most} slept");
    for (plain, slept) in worlds[0].bodies().iter().zip(worlds[1].bodies()) {
        let moved = (plain.position - slept.position).norm();
        // Those that are hit are chaotic.
        let is_hit = ["ball", "roller", "box-1", "box-4"].iter().any(|name| plain.name.starts_with(name));
        assert!(moved < if is_hit { 0.3 } else { 1e-5 }, "{} differs by {moved}", plain.name);
    }
    let fallen = worlds[1].body("box-4-1").unwrap();
    assert!((fallen.position - Point3::new(2.0, 0.0, 0.3)).norm() > 0.01, "the roller moved nothing");
}

#[test]
fn reports_of_a_world_in_part_asleep_have_the_energy_and_momentum_of_all_its_bodies() {
    let mut world = stacks(asleep());
    let mut counts = std::collections::BTreeSet::new();
    while world.time() < 3.0 {
        let report = world.step().unwrap();
        assert_eq!(report.energy, world.energy(), "step {}", report.step);
        assert_eq!(report.momentum, world.momentum(), "step {}", report.step);
        let fastest = world.bodies().iter().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
        assert!((report.max_speed - fastest).abs() <= 1e-15 * fastest, "step {}", report.step);
        counts.insert(report.asleep);
    }
    assert!(counts.len() > 3 && counts.contains(&0), "{counts:?}");
}

#[test]
fn what_sleeps_neither_moves_nor_has_contacts_to_be_solved() {
    let boxes = (0..3).map(|i| body(&format!("b{i}"), cuboid(0.2), pose(0.0, 0.0, 0.1 + 0.2 * f64::from(i))));
    let mut run = Run::new(asleep(), std::iter::once(half_space("floor")).chain(boxes));
    while run.world.time() < 1.0 {
        run.step();
    }
    let (before, contacts) = (run.world.bodies(), run.world.contacts().len());
    let report = run.step();
    assert_eq!((report.asleep, report.contacts, report.fastest), (3, 0, Some(0)));
    assert_eq!((report.max_speed, report.energy.kinetic), (0.0, 0.0));
    assert_eq!(run.world.bodies(), before);
    // The contacts that hold them are still those of the world, with their weight on the lowest ones.
    assert_eq!(run.world.contacts().len(), contacts);
    let load: f64 = run
        .world
        .contacts()
        .iter()
        .filter(|contact| contact.bodies.map(|body| run.world.name_of(body)).contains(&"floor"))
        .map(|contact| contact.force)
        .sum();
    let weight = 3.0 * 8.0 * 9.81;
    assert!((load - weight).abs() < 1e-3 * weight, "{load} of {weight} N");
}

#[test]
fn threads_do_not_change_what_sleeps_and_wakes() {
    let hashes = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = stacks(asleep());
            let mut hashes = Vec::new();
            while world.time() < 2.0 {
                let report = world.step().unwrap();
                hashes.push((world.hash(), report.asleep, report.contacts, report.deepest));
            }
            hashes
        })
    });
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
}

#[test]
fn a_world_restored_while_bodies_sleep_wakes_them_with_the_same_bits() {
    // In part asleep; in the step in which a body fell asleep; just before and after the ball hits.
    let mut first = stacks(asleep());
    let mut saved = Vec::new();
    let mut before = 0;
    while first.time() < 1.6 {
        let report = first.step().unwrap();
        let changes = report.asleep != before;
        before = report.asleep;
        if changes || report.step.is_multiple_of(100) {
            saved.push((report.step, first.checkpoint().unwrap().to_bytes().unwrap()));
        }
    }
    let end = first.checkpoint().unwrap().to_bytes().unwrap();
    assert!(saved.len() > 8, "{}", saved.len());
    for (step, bytes) in saved {
        let mut second = stacks(asleep());
        second.restore(&Checkpoint::read(&bytes).unwrap()).unwrap();
        while second.steps() < first.steps() {
            second.step().unwrap();
        }
        assert_eq!(second.hash(), first.hash(), "from step {step}");
        assert!(second.checkpoint().unwrap().to_bytes().unwrap() == end, "from step {step}");
    }
}

#[test]
fn a_pull_wakes_a_body_and_what_lies_on_it() {
    let boxes = (0..2).map(|i| body(&format!("b{i}"), cuboid(0.2), pose(0.0, 0.0, 0.1 + 0.2 * f64::from(i))));
    let mut run = Run::new(asleep(), std::iter::once(half_space("floor")).chain(boxes));
    while run.world.time() < 1.0 {
        run.step();
    }
    assert_eq!(run.step().asleep, 2);
    let grip = Grip::Point(Point3::origin());
    let target = Point3::new(0.5, 0.0, 0.1);
    run.world.pull(Some(Pull { body: "b0".into(), grip, target })).unwrap();
    assert_eq!(run.step().asleep, 0);
    for _ in 0..200 {
        run.step();
    }
    assert!(run.world.body("b0").unwrap().position.x > 0.05, "it was pulled and did not move");
}

#[test]
fn a_body_on_a_conveyor_does_not_sleep_and_one_beside_it_does() {
    let mut belt = BodyDescription::new(
        "belt",
        BodyKind::Kinematic,
        Shape::cuboid(Vector3::new(4.0, 1.0, 0.2)),
        pose(0.0, 0.0, 0.1),
    );
    belt.linear_velocity = Vector3::new(0.3, 0.0, 0.0);
    let carried = body("carried", cuboid(0.2), pose(0.0, 0.0, 0.3));
    let beside = body("beside", cuboid(0.2), pose(0.0, 2.0, 0.1));
    let mut run = Run::new(asleep(), [half_space("floor"), belt, carried, beside]);
    while run.world.time() < 2.0 {
        run.step();
    }
    assert_eq!(run.reports.last().unwrap().asleep, 1);
    let velocity = run.world.body("carried").unwrap().linear_velocity;
    assert!((velocity - Vector3::new(0.3, 0.0, 0.0)).norm() < 1e-6, "{velocity}");
}

#[test]
fn the_speed_of_sleep_is_that_of_the_fastest_point_in_radii_a_second() {
    let radius = 0.1 * 3_f64.sqrt();
    let drift = |factor: f64, rotates: bool| {
        let mut options = asleep();
        options.gravity = Vector3::zeros();
        let mut slow = body("slow", cuboid(0.2), rotated([1.0, 2.0, 3.0], 0.4, [0.0; 3]));
        let speed = factor * SleepOptions::default().speed * radius;
        match rotates {
            true => slow.angular_velocity = Vector3::new(0.0, 0.0, speed / radius),
            false => slow.linear_velocity = Vector3::new(speed, 0.0, 0.0),
        }
        let mut run = Run::new(options, [slow]);
        while run.world.time() < 1.0 {
            run.step();
        }
        run.reports.last().unwrap().asleep == 1
    };
    for rotates in [false, true] {
        assert!(drift(0.9, rotates), "slower than the bound, and awake ({rotates})");
        assert!(!drift(1.1, rotates), "faster than the bound, and asleep ({rotates})");
    }
}

/// A box that rattles without loss between two walls, much faster than a body at rest, comes as far as the gap between them and no farther.
#[test]
fn a_body_that_trembles_in_place_sleeps_and_one_that_rattles_farther_does_not() {
    let SleepOptions { speed, time } = SleepOptions::default();
    let radius = 0.1 * 3_f64.sqrt();
    let reach = speed * time * radius;
    let rattle = |gap: f64| {
        let mut options = asleep();
        options.gravity = Vector3::zeros();
        let wall = |name: &str, x: f64| {
            let at = pose(x, 0.0, 0.0);
            BodyDescription::new(name, BodyKind::Fixed, cuboid(1.0), at)
        };
        let mut walls = [wall("left", -0.6), wall("right", 0.6 + gap)];
        let mut box_ = body("box", cuboid(0.2), pose(0.5 * gap, 0.0, 0.0));
        box_.linear_velocity = Vector3::new(0.2, 0.0, 0.0);
        for body in walls.iter_mut().chain([&mut box_]) {
            (body.restitution, body.friction) = (1.0, 0.0);
        }
        let mut run = Run::new(options, walls.into_iter().chain([box_]));
        let mut reversed = 0;
        let mut last = 0.2;
        while run.world.time() < 1.5 && run.step().asleep == 0 {
            let velocity = run.world.body("box").unwrap().linear_velocity.x;
            reversed += i32::from(velocity * last < 0.0);
            last = velocity;
        }
        (run.world.time(), reversed, last.abs())
    };
    let (slept_at, reversed, speed) = rattle(0.5 * reach);
    assert!(reversed > 20 && speed > 0.1, "{reversed} bounces, {speed} m/s");
    assert!(slept_at > time && slept_at < 1.5 * time, "asleep at {slept_at} s");
    let (ended_at, reversed, speed) = rattle(2.0 * reach);
    assert!(reversed > 20 && speed > 0.1, "{reversed} bounces, {speed} m/s");
    assert!(ended_at >= 1.5, "asleep at {ended_at} s");
}

#[test]
fn a_body_thrown_up_does_not_sleep_at_the_top() {
    let mut ball = body("ball", Shape::ball(0.1), pose(0.0, 0.0, 1.0));
    ball.linear_velocity = Vector3::new(0.0, 0.0, 3.0);
    let mut run = Run::new(asleep(), [ball]);
    while run.world.time() < 1.0 {
        assert_eq!(run.step().asleep, 0);
    }
    let height = 1.0 + 3.0 - 0.5 * 9.81;
    let found = run.world.body("ball").unwrap().position.z;
    assert!((found - height).abs() < 0.02, "{found} instead of {height}");
}

#[test]
fn soft_bodies_and_robots_wake_what_they_touch() {
    let text = |soft: &str| {
        format!(
            r#"(title: "soft on rigid", duration: 2, sleep: (time: 0.1),
            shapes: {{"floor": half_space, "box": cuboid(size: (0.3, 0.3, 0.2))}},
            bodies: [(name: "floor", shape: "floor", kind: fixed), (name: "box", shape: "box", position: (0, 0, 0.1))],
            soft_bodies: [{soft}])"#
        )
    };
    let soft = r#"(name: "block", mesh: block(counts: (2, 2, 2), size: (0.1, 0.1, 0.1)), material: (model: corotational, density: 1000, youngs_modulus: 1e5, poisson_ratio: 0.3), position: (0, 0, 0.5))"#;
    let scene = Scene::parse(Path::new("sleep.ron"), text(soft));
    let scene = scene.unwrap_or_else(|error| panic!("{error}"));
    let mut world = scene.world().unwrap();
    let (mut slept, mut woken) = (false, false);
    while world.time() < 0.6 {
        let report = world.step().unwrap();
        slept |= report.asleep == 1;
        woken |= slept && report.asleep == 0;
    }
    assert!(slept && woken, "asleep {slept}, woken {woken}");

    let plain = Scene::load("scenes/robots/gripper_lifts.ron").unwrap();
    let mut sleeping = plain.clone();
    sleeping.options.sleep = Some(SleepOptions { time: 0.05, ..SleepOptions::default() });
    let [plain, sleeping] = [plain, sleeping].map(|scene| {
        let mut world = scene.world().unwrap();
        let mut slept = false;
        while world.time() < scene.duration {
            slept |= world.step().unwrap().asleep > 0;
        }
        (world.bodies(), slept)
    });
    assert!(!plain.1);
    for (a, b) in plain.0.iter().zip(&sleeping.0) {
        assert!((a.position - b.position).norm() < 1e-3, "{}: {} and {}", a.name, a.position, b.position);
    }
}

#[test]
fn values_that_are_not_positive_are_refused_by_name() {
    for (speed, time) in [(0.0, 0.5), (-1.0, 0.5), (f64::NAN, 0.5), (0.01, 0.0), (0.01, f64::INFINITY)] {
        let built = World::builder(options(Some(SleepOptions { speed, time }))).build();
        assert!(matches!(built.err(), Some(BuildError::OutOfRange { .. })), "{speed} {time}");
    }
}
