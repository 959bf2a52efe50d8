//! Free motion and contacts against closed forms and Coulomb's law.

use std::borrow::Cow;

use extricate_core::multibody::{JointModel, LinkModel, Multibody, Placement};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

use super::closed_motion::begin;
use super::contact::{Contact, Response, Side};
use super::coordinates::CoordinateRows;
use super::midpoint::Step;
use super::motion::MovingTree;
use super::ports::Ports;
use super::sweeps::Problem;
use crate::robot::coupling::Coupling;

const GRAVITY: f64 = 9.81;

pub(super) fn link(parent: Option<usize>, joint: JointModel, mass: f64, center: Vector3<f64>) -> LinkModel {
    let inertia = Matrix3::from_diagonal(&(Vector3::new(1.0, 1.1, 0.4) * (mass * 1e-3)));
    LinkModel { parent, origin: Isometry3::identity(), joint, mass, center, inertia, armature: 0.0 }
}

fn energy(tree: &Multibody, q: &[f64], v: &[f64]) -> f64 {
    let (mut placement, mut motions) = (Placement::default(), Vec::new());
    tree.place(&Isometry3::identity(), q, &mut placement);
    tree.velocities(&placement, v, &mut motions);
    let lifted = tree.links().iter().zip(placement.poses());
    let lifted = lifted.map(|(link, pose)| link.mass * GRAVITY * (pose * Point3::from(link.center)).z);
    tree.kinetic_energy(&placement, &motions, v) + lifted.sum::<f64>()
}

fn steps(
    tree: &Multibody,
    [q, v]: [&mut Vec<f64>; 2],
    h: f64,
    count: usize,
    mut see: impl FnMut(&[f64], &[f64]),
) {
    let step = Step { gravity: Vector3::z() * -GRAVITY, h };
    for _ in 0..count {
        let mut moving = MovingTree::new(Cow::Borrowed(tree), Isometry3::identity(), q.clone(), v.clone());
        moving.move_freely(&step);
        tree.advance(q, &moving.mean, h);
        v.clone_from(&moving.end);
        see(q, v);
    }
}

#[test]
fn a_fast_top_precesses_steadily_and_does_not_sink() {
    // I₃ ω₃ Ω − I₁ Ω² cos θ = m g l, with Ω the smaller root: 150 rad/s, a third of a radian in a step.
    let (mass, length, spin, tilt) = (2.0_f64, 0.1, 150.0, 0.5_f64);
    let moments = Vector3::new(0.005, 0.005, 0.01);
    let mut top = Multibody::new();
    let inertia = Matrix3::from_diagonal(&moments);
    top.add(LinkModel { inertia, ..link(None, JointModel::Spherical, mass, Vector3::z() * length) });
    let (a, b) = ((moments.x + mass * length * length) * tilt.cos(), -moments.z * spin);
    let precession = (-b - (b * b - 4.0 * a * mass * GRAVITY * length).sqrt()) / (2.0 * a);
    let tilted = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt);
    let mut q = top.identity();
    JointModel::Spherical.set_transform(&(tilted * Isometry3::identity()), &mut q);
    let axis = tilted * Vector3::z();
    let mut v = (Vector3::z() * precession + axis * (spin - precession * tilt.cos())).as_slice().to_vec();
    let (mut angle, mut heading, mut sunk) = (0.0, axis, 0.0_f64);
    let start = energy(&top, &q, &v);
    let mut drift = 0.0_f64;
    steps(&top, [&mut q, &mut v], 1.0 / 480.0, 4 * 480, |q, v| {
        let axis = JointModel::Spherical.transform(q).rotation * Vector3::z();
        angle += (heading.x * axis.y - heading.y * axis.x).atan2(heading.x * axis.x + heading.y * axis.y);
        sunk = sunk.max((axis.z - tilt.cos()).abs() * length);
        heading = axis;
        drift = drift.max((energy(&top, q, v) - start).abs() / start);
    });
    assert!((angle / 4.0 / precession - 1.0).abs() < 1e-4, "{} {precession}", angle / 4.0);
    assert!(sunk < 2e-5, "{sunk} m");
    assert!(drift < 1e-5, "{drift}");
}

#[test]
fn a_chain_of_sixty_hinges_swings_without_gaining_energy() {
    let mut chain = Multibody::new();
    for at in 0..60_usize {
        let axis = if at % 2 == 0 { Vector3::y() } else { Vector3::x() };
        let origin = Isometry3::translation(0.0, 0.0, if at == 0 { 0.0 } else { -0.1 });
        let parent = at.checked_sub(1);
        chain.add(LinkModel {
            origin,
            ..link(parent, JointModel::Revolute { axis }, 0.1, Vector3::z() * -0.05)
        });
    }
    let (mut q, mut v) = (chain.identity(), vec![0.0; 60]);
    q[0] = 0.5;
    let start = energy(&chain, &q, &v);
    let (mut gain, mut kinetic) = (0.0_f64, 0.0_f64);
    steps(&chain, [&mut q, &mut v], 1.0 / 480.0, 720, |q, v| {
        gain = gain.max(energy(&chain, q, v) - start);
        kinetic = kinetic.max(v.iter().fold(0.0, |sum, v| sum + v * v));
    });
    assert!(kinetic > 1.0, "it moves");
    assert!(gain < 1e-6 * start.abs(), "{gain} of {start}");
}

/// A pendulum of links that hinge in turn about two axes.
fn pendulum(links: usize) -> Multibody {
    let mut made = Multibody::new();
    for at in 0..links {
        let axis = if at % 2 == 0 { Vector3::y() } else { Vector3::x() };
        let origin = Isometry3::translation(0.0, 0.0, if at == 0 { 0.0 } else { -0.1 });
        let joint = JointModel::Revolute { axis };
        made.add(LinkModel { origin, ..link(at.checked_sub(1), joint, 0.1, Vector3::z() * -0.05) });
    }
    made
}

#[test]
fn a_pendulum_keeps_its_energy_and_is_as_near_its_path_as_without() {
    let robot = pendulum(6);
    let h = 1.0 / 240.0;
    let step = Step { gravity: Vector3::z() * -GRAVITY, h };
    let mut sums = [0.0_f64; 2];
    for case in 1..=6 {
        let mut q = robot.identity();
        (q[0], q[1]) = (0.2 * f64::from(case), 0.9 - 0.1 * f64::from(case));
        let start = energy(&robot, &q, &[0.0; 6]);
        let (mut v, mut rates) = (vec![0.0; 6], Vec::new());
        let (mut fine, mut plain) = ([q.clone(), v.clone()], [q.clone(), v.clone()]);
        let (mut change, mut change_without, mut errors) = (0.0_f64, 0.0_f64, [0.0_f64; 2]);
        for _ in 0..240 {
            let mut placement = Placement::default();
            robot.place(&Isometry3::identity(), &q, &mut placement);
            let base = Isometry3::identity();
            let mut moving = MovingTree::new(Cow::Borrowed(&robot), base, q.clone(), v.clone());
            (moving.start, moving.guess) = (Some(&placement), &rates);
            moving.move_freely(&step);
            moving.finish(&step, false);
            let (end, mean, next) = (moving.end, moving.mean, moving.rates);
            robot.advance(&mut q, &mean, h);
            (v, rates) = (end, next);
            let [fine_q, fine_v] = &mut fine;
            steps(&robot, [fine_q, fine_v], h / 16.0, 16, |_, _| ());
            let [plain_q, plain_v] = &mut plain;
            steps(&robot, [plain_q, plain_v], h, 1, |_, _| ());
            change = change.max((energy(&robot, &q, &v) - start).abs());
            change_without = change_without.max((energy(&robot, plain_q, plain_v) - start).abs());
            for (error, other) in errors.iter_mut().zip([&q, &*plain_q]) {
                *error = other.iter().zip(&*fine_q).map(|(a, b)| (a - b).abs()).fold(*error, f64::max);
            }
        }
        let scale = start.abs();
        assert!(
            change < 1e-12 * scale && change_without > 1e-8 * scale,
            "{change} {change_without} of {scale}"
        );
        sums.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
    }
    assert!(sums[0] < 1.1 * sums[1] && sums[1] < 0.05, "{sums:?}");
}

#[test]
fn the_velocities_of_what_floats_or_has_rows_are_left_as_they_are() {
    let step = Step { gravity: Vector3::z() * -GRAVITY, h: 1.0 / 240.0 };
    let mut floating = Multibody::new();
    floating.add(link(None, JointModel::Floating, 1.0, Vector3::x() * 0.1));
    floating.add(link(Some(0), JointModel::Revolute { axis: Vector3::y() }, 1.0, Vector3::z() * 0.2));
    let fixed = pendulum(7);
    for (robot, has_rows, changes) in
        [(&floating, false, false), (&fixed, true, false), (&fixed, false, true)]
    {
        let (q, v) = (robot.identity(), (0..7).map(|at| f64::from(at) - 2.5).collect::<Vec<_>>());
        let mut placement = Placement::default();
        robot.place(&Isometry3::identity(), &q, &mut placement);
        let mut moving = MovingTree::new(Cow::Borrowed(robot), Isometry3::identity(), q, v);
        moving.start = Some(&placement);
        moving.move_freely(&step);
        let before = moving.end.clone();
        moving.finish(&step, has_rows);
        let change = moving.end.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(if changes { change > 1e-12 && change < 1e-2 } else { change <= 0.0 }, "{change}");
        assert_eq!(moving.rates.is_empty(), !changes);
    }
}

#[test]
fn accelerations_from_a_guess_are_those_from_none() {
    let robot = pendulum(12);
    let step = Step { gravity: Vector3::z() * -GRAVITY, h: 1.0 / 240.0 };
    let (mut q, v) = (robot.identity(), (0..12).map(|at| 0.3 * f64::from(at) - 1.0).collect::<Vec<_>>());
    q.iter_mut().enumerate().for_each(|(at, q)| *q = if at % 3 == 0 { 0.4 } else { -0.1 });
    let moved = |guess: &[f64]| {
        let mut moving = MovingTree::new(Cow::Borrowed(&robot), Isometry3::identity(), q.clone(), v.clone());
        moving.guess = guess;
        moving.move_freely(&step);
        (moving.rates, moving.end)
    };
    let (rates, end) = moved(&[]);
    let far: Vec<f64> =
        rates.iter().enumerate().map(|(at, a)| if at % 2 == 0 { 1.5 * a } else { 0.2 * a }).collect();
    for guess in [&rates, &far, &vec![50.0; 12]] {
        let (_, other) = moved(guess);
        let fastest = end.iter().fold(0.0_f64, |fastest, v| fastest.max(v.abs()));
        let change = end.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(change < 1e-7 * fastest, "{change} of {fastest}");
    }
}

#[test]
fn a_contact_obeys_coulombs_law_whatever_its_response() {
    let n = Vector3::new(0.3, -0.5, 0.8).normalize();
    let shape = Matrix3::new(1.0, 0.4, -0.3, 0.0, 0.7, 0.5, 0.0, 0.0, 0.9);
    let matrix = shape.transpose() * shape;
    let speeds = [[0.2, 0.1, -3.0], [2.0, -0.5, -1.0], [0.0, 1.0, 0.7], [-4.0, 1.0, -2.0]];
    let (mut slides, mut sticks, mut opens) = (0, 0, 0);
    for free in speeds.map(Vector3::from) {
        let mut contact = Contact {
            sides: [None, None],
            given: Vector3::zeros(),
            normal: n,
            friction: 0.4,
            restitution: 0.0,
            gap: 0.0,
            impulse: Vector3::zeros(),
            response: Response::new([matrix, matrix], &n, 0.0).unwrap(),
            rho: 0.0,
        };
        for _ in 0..200 {
            let u = free + matrix * contact.impulse;
            contact.impulse = contact.solve(&u, 0.0);
        }
        let u = free + matrix * contact.impulse;
        let (bears, closing) = (contact.impulse.dot(&n), u.dot(&n));
        let (rubs, slip) = (contact.impulse - n * bears, u - n * closing);
        assert!(bears >= 0.0 && closing > -1e-12 && (bears * closing).abs() < 1e-12);
        if bears <= 0.0 {
            opens += 1;
        } else if slip.norm() < 1e-10 {
            assert!(rubs.norm() <= 0.4 * bears * (1.0 + 1e-12));
            sticks += 1;
        } else {
            // All of the friction, against the slip.
            assert!((rubs + slip.normalize() * (0.4 * bears)).norm() < 1e-9, "{rubs} {slip}");
            slides += 1;
        }
    }
    assert!(slides > 0 && sticks > 0 && opens > 0, "{slides} {sticks} {opens}");
}

#[test]
fn coupled_joints_share_a_load_as_one_body() {
    // Two weights over a pulley: m₁ and m₂ accelerate by g (m₁ − m₂)/(m₁ + m₂).
    let mut weights = Multibody::new();
    let slide = JointModel::Prismatic { axis: Vector3::z() };
    weights.add(link(None, slide, 3.0, Vector3::zeros()));
    weights.add(link(None, slide, 1.0, Vector3::zeros()));
    let pulley = [Coupling { q: [1, 0], v: [1, 0], factor: -1.0, offset: 0.0 }];
    let (mut q, mut v) = (vec![0.0; 2], vec![0.0; 2]);
    let step = Step { gravity: Vector3::z() * -GRAVITY, h: 1.0 / 480.0 };
    for _ in 0..480 {
        let mut moving =
            MovingTree::new(Cow::Borrowed(&weights), Isometry3::identity(), q.clone(), v.clone());
        moving.couplings = &pulley;
        moving.move_freely(&step);
        let ports = Ports::new(&mut moving, (vec![], vec![]), (0, step.h));
        let mut mean = moving.mean.clone();
        ports.apply(&mut moving, (&[0.0; 2], true), &mut mean);
        let mut end = moving.end.clone();
        ports.apply(&mut moving, (&[0.0; 2], false), &mut end);
        weights.advance(&mut q, &mean, step.h);
        v = end;
    }
    let exact = -0.5 * GRAVITY * 0.5;
    assert!((q[0] - exact).abs() < 1e-9 && (q[1] + exact).abs() < 1e-9, "{q:?} {exact}");
}

#[test]
fn a_tree_whose_displacement_rows_changed_keeps_its_momentum_and_gains_no_energy() {
    // Two balls, so that momenta and kinetic energy do not depend on how they are oriented.
    let ball = |parent, joint, mass: f64, center| {
        let inertia = Matrix3::identity() * (mass * 1e-2);
        LinkModel { inertia, ..link(parent, joint, mass, center) }
    };
    let mut tree = Multibody::new();
    tree.add(ball(None, JointModel::Floating, 0.1, Vector3::x() * 0.2));
    tree.add(ball(Some(0), JointModel::Revolute { axis: Vector3::y() }, 3.0, Vector3::x() * 0.4));
    let v = vec![0.3, -0.2, 0.1, 4.0, 20.0, -9.0, -35.0];
    let step = Step { gravity: Vector3::zeros(), h: 1.0 / 240.0 };
    let momentum = |q: &[f64], v: &[f64]| {
        let (mut placement, mut motions) = (Placement::default(), Vec::new());
        tree.place(&Isometry3::identity(), q, &mut placement);
        tree.velocities(&placement, v, &mut motions);
        let links = motions.iter().enumerate();
        links.map(|(link, motion)| tree.momentum(&placement, link, motion).linear).sum::<Vector3<f64>>()
    };
    let kinetic = |q: &[f64], v: &[f64]| {
        let (mut placement, mut motions) = (Placement::default(), Vec::new());
        tree.place(&Isometry3::identity(), q, &mut placement);
        tree.velocities(&placement, v, &mut motions);
        tree.kinetic_energy(&placement, &motions, v)
    };
    let mut moving = MovingTree::new(Cow::Borrowed(&tree), Isometry3::identity(), tree.identity(), v);
    moving.move_freely(&step);
    let [mut free, mut moved] = [tree.identity(), tree.identity()];
    tree.advance(&mut free, &moving.mean, step.h);
    let end = moving.end.clone();
    // A row stops the joint, which rotates by a seventh of a radian less.
    moving.mean[6] = 0.0;
    tree.advance(&mut moved, &moving.mean, step.h);
    assert!(moving.swings(step.h));
    moving.place_at_end(step.h);
    let change = momentum(&moved, &moving.end) - momentum(&free, &end);
    assert!(change.norm() < 1e-12, "{change}");
    // The velocities themselves would have another momentum, and more energy than they had.
    assert!((momentum(&moved, &end) - momentum(&free, &end)).norm() > 0.1);
    assert!(kinetic(&moved, &moving.end) <= kinetic(&free, &end) * (1.0 + 1e-12));
    let mut slow =
        MovingTree::new(Cow::Borrowed(&tree), Isometry3::identity(), tree.identity(), vec![0.1; 7]);
    slow.move_freely(&step);
    assert!(!slow.swings(step.h));
}

#[test]
fn pieces_of_a_step_end_where_their_velocities_have_the_energy() {
    // A floating body whose arms whirl by more than a radian in a step.
    let mut robot = Multibody::new();
    robot.add(link(None, JointModel::Floating, 1.0, Vector3::new(0.02, -0.01, 0.03)));
    for (at, axis) in [Vector3::x(), Vector3::y(), Vector3::z()].into_iter().enumerate() {
        let origin = Isometry3::translation(0.1, 0.2 - 0.1 * at as f64, 0.05);
        let joint = JointModel::Revolute { axis };
        robot.add(LinkModel { origin, ..link(Some(at), joint, 0.3, Vector3::new(0.05, 0.1, -0.08)) });
    }
    let (mut q, mut v) = (robot.identity(), vec![0.4, -0.2, 0.1, 60.0, -150.0, 90.0, 400.0, -700.0, 300.0]);
    let (start, mut pieces, mut error) = (energy(&robot, &q, &v), 0, 0.0_f64);
    let step = Step { gravity: Vector3::z() * -GRAVITY, h: 1.0 / 480.0 };
    for _ in 0..30 {
        let mut moving = MovingTree::new(Cow::Borrowed(&robot), Isometry3::identity(), q.clone(), v.clone());
        moving.move_freely(&step);
        robot.advance(&mut q, &moving.mean, step.h);
        v = moving.end;
        pieces = pieces.max(moving.pieces);
        error = error.max((energy(&robot, &q, &v) / start - 1.0).abs());
    }
    assert!(pieces > 1, "{pieces}");
    // The mean of the velocities of the pieces would gain seventy times the energy in this time.
    assert!(error < 0.05, "{error}");
}

#[test]
fn links_that_rotate_too_fast_for_any_iteration_gain_no_energy() {
    // A floating body with a chain of six hinges, whose links rotate by radians in the shortest piece of a step.
    let mut robot = Multibody::new();
    robot.add(link(None, JointModel::Floating, 1.0, Vector3::zeros()));
    for at in 0..6 {
        let axis = [Vector3::x(), Vector3::y(), Vector3::z()][at % 3];
        let origin = Isometry3::translation(0.1, 0.05, -0.02);
        let center = Vector3::new(0.05, 0.1, -0.08);
        robot.add(LinkModel { origin, ..link(Some(at), JointModel::Revolute { axis }, 0.3, center) });
    }
    let momentum = |q: &[f64], v: &[f64]| {
        let (mut placement, mut motions) = (Placement::default(), Vec::new());
        robot.place(&Isometry3::identity(), q, &mut placement);
        robot.velocities(&placement, v, &mut motions);
        let links = motions.iter().enumerate();
        links.map(|(at, motion)| robot.momentum(&placement, at, motion).linear).sum::<Vector3<f64>>()
    };
    let (mut q, mut v) = (robot.identity(), vec![3.0; 12]);
    v[6..].copy_from_slice(&[2e4, -5e4, 3e4, 6e4, -2e4, 4e4]);
    let (mut last, start, h) = (energy(&robot, &q, &v), momentum(&q, &v), 1.0 / 480.0);
    let (first, step) = (last, Step { gravity: Vector3::z() * -GRAVITY, h });
    for count in 1..=3 {
        let mut moving = MovingTree::new(Cow::Borrowed(&robot), Isometry3::identity(), q.clone(), v.clone());
        moving.move_freely(&step);
        robot.advance(&mut q, &moving.mean, h);
        v.clone_from(&moving.end);
        let now = energy(&robot, &q, &v);
        assert!(now < last + 1e-9 * first, "step {count}: {now} J after {last} J");
        last = now;
        if count == 1 {
            assert_eq!(moving.pieces, 64);
        }
        let fallen = Vector3::z() * (-2.8 * GRAVITY * h * f64::from(count));
        let error = (momentum(&q, &v) - start - fallen).norm();
        assert!(error < 1e-6 * first.sqrt(), "step {count}: {error} N·s");
    }
}

#[test]
fn a_step_starts_from_the_nearest_velocities_that_couplings_allow() {
    // Of two weights over a pulley the one of 3 kg moves alone: its momentum moves both.
    let mut weights = Multibody::new();
    let slide = JointModel::Prismatic { axis: Vector3::z() };
    weights.add(link(None, slide, 3.0, Vector3::zeros()));
    weights.add(link(None, slide, 1.0, Vector3::zeros()));
    let pulley = [Coupling { q: [1, 0], v: [1, 0], factor: -1.0, offset: 0.0 }];
    let step = Step { gravity: Vector3::z() * -GRAVITY, h: 1.0 / 480.0 };
    let mut moving =
        MovingTree::new(Cow::Borrowed(&weights), Isometry3::identity(), vec![0.0; 2], vec![1.0, 0.0]);
    moving.couplings = &pulley;
    begin(&mut moving, &step);
    assert!((moving.v[0] - 0.75).abs() < 1e-15 && (moving.v[1] + 0.75).abs() < 1e-15, "{:?}", moving.v);
    // The free motion alone is that of both, by g/2.
    moving.move_freely(&step);
    let fall = 0.5 * GRAVITY * step.h;
    assert!((moving.end[0] - 0.75 + fall).abs() < 1e-14, "{:?}", moving.end);
    assert!((moving.end[0] + moving.end[1]).abs() < 1e-14, "{:?}", moving.end);
}

#[test]
fn impulses_that_have_not_converged_do_no_work() {
    // A ball that falls onto a floor at 3 m/s: ten times the impulse that stops it would throw it up at 27 m/s, none would be too little.
    let (mass, speed, h) = (2.0, 3.0, 1.0 / 480.0);
    let mut ball = Multibody::new();
    let inertia = Matrix3::identity() * 1e-2;
    ball.add(LinkModel { inertia, ..link(None, JointModel::Floating, mass, Vector3::zeros()) });
    let v = vec![0.0, 0.0, -speed, 0.0, 0.0, 0.0];
    let mut moving = MovingTree::new(Cow::Borrowed(&ball), Isometry3::identity(), ball.identity(), v);
    moving.move_freely(&Step { gravity: Vector3::zeros(), h });
    let ports = [Ports::new(&mut moving, (vec![0], vec![]), (0, h))];
    let mut velocities = vec![0.0; ports[0].count()];
    ports[0].read(&moving, &moving.end, &mut velocities);
    let side = Side { tree: 0, port: 0, arm: Vector3::z() * -0.1, round: Vector3::zeros() };
    let n = Vector3::z();
    for (times, left) in [(10.0, 0.0), (1.5, 0.5), (0.5, -0.5), (-1.0, -1.0)] {
        let mut contacts = [Contact {
            sides: [None, Some(side)],
            given: Vector3::zeros(),
            normal: n,
            friction: 0.4,
            restitution: 0.0,
            gap: 0.0,
            impulse: n * (times * mass * speed),
            response: Response::new([Matrix3::identity() / mass; 2], &n, 0.0).unwrap(),
            rho: 0.0,
        }];
        let rows = CoordinateRows::new(&ports, (&contacts, &[]), &velocities);
        let targets = [vec![0.0], vec![]];
        let (z, limits) = (Vec::new(), &mut [][..]);
        let mut problem = Problem { rows, z, contacts: &mut contacts, limits, targets, scale: 1.0 };
        problem.start();
        problem.restrain();
        let after = problem.rows.velocity(0, &problem.z).z;
        assert!((after - left * speed).abs() < 1e-12, "{times} times: {after} m/s");
    }
}

#[test]
fn a_displacement_does_not_start_from_impulses_that_would_throw_it() {
    let mut robot = Multibody::new();
    robot.add(link(None, JointModel::Floating, 1.0, Vector3::zeros()));
    let start = robot.identity();
    let mut tree = MovingTree::new(Cow::Borrowed(&robot), Isometry3::identity(), start, vec![0.1; 6]);
    tree.lead(&[0.3; 6], &[0.1; 6]);
    assert!(tree.mean.iter().all(|mean| (mean - 0.15).abs() < 1e-15), "{:?}", tree.mean);
    let before = tree.mean.clone();
    tree.lead(&[300.0; 6], &[0.1; 6]);
    assert_eq!(tree.mean, before);
}
