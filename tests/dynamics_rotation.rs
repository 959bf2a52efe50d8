//! Free rotation against closed forms.

#![allow(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use dynamics_scenes::{Run, block, body, pose, rotated, weightless};
use extricate::dynamics::{Accuracy, Shape, WorldOptions};
use nalgebra::{UnitQuaternion, Vector3};

/// Times at which the box .1 × .3 × .5 reverses about its middle axis, having begun with (.05, 1, .05) of a speed.
fn flips(shape: Shape, options: WorldOptions, speed: f64, duration: f64) -> (Vec<f64>, Run) {
    let mut spinning = body("a", shape, pose(0.0, 0.0, 0.0));
    spinning.angular_velocity = Vector3::new(0.05, speed, 0.05);
    let mut run = Run::new(options, [spinning]);
    let (mut times, mut before) = (Vec::new(), speed);
    while run.world.time() < duration {
        let time = run.step().time;
        let state = run.world.body("a").unwrap();
        let now = (state.rotation.inverse() * state.angular_velocity).y;
        if before * now < 0.0 {
            times.push(time - now / (now - before) * run.world.options().time_step);
        }
        before = now;
    }
    (times, run)
}

/// The first flip and the interval of an asymmetric top, from Euler's equations integrated in fine Runge–Kutta steps.
fn exact_flips(speed: f64) -> (f64, f64) {
    let inertia = Vector3::new(0.09 + 0.25, 0.01 + 0.25, 0.01 + 0.09);
    let rate =
        |w: &Vector3<f64>| -> Vector3<f64> { (inertia.component_mul(w)).cross(w).component_div(&inertia) };
    let (mut w, h, mut time) = (Vector3::new(0.05, speed, 0.05), 1e-5, 0.0);
    let mut times = Vec::new();
    while times.len() < 2 {
        let before = w.y;
        let k1 = rate(&w);
        let k2 = rate(&(w + k1 * (h / 2.0)));
        let k3 = rate(&(w + k2 * (h / 2.0)));
        let k4 = rate(&(w + k3 * h));
        w += (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (h / 6.0);
        time += h;
        if before * w.y < 0.0 {
            times.push(time);
        }
    }
    (times[0], times[1] - times[0])
}

#[test]
fn a_box_about_its_middle_axis_flips_when_eulers_equations_say_at_5_and_at_15_radians_a_second() {
    let cuboid = Shape::cuboid(Vector3::new(0.1, 0.3, 0.5));
    for (shape, speed) in [(cuboid.clone(), 5.0), (block(0.1, 0.3, 0.5), 5.0), (cuboid, 15.0)] {
        let (first, interval) = exact_flips(speed);
        let (times, run) = flips(shape, weightless(), speed, 20.0);
        let found = (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64;
        assert!((times[0] / first - 1.0).abs() < 2e-3, "first flip at {} instead of {first}", times[0]);
        assert!((found / interval - 1.0).abs() < 2e-3, "interval {found} instead of {interval}");
        let (start, end) = (run.reports[0], run.reports[run.reports.len() - 1]);
        let drift = (end.momentum.angular - start.momentum.angular).norm() / start.momentum.angular.norm();
        assert!(drift < 1e-10, "angular momentum drifts by {drift}");
        let swing =
            run.reports.iter().map(|report| (report.energy.kinetic / start.energy.kinetic - 1.0).abs());
        let swing = swing.fold(0.0, f64::max);
        assert!(swing < 1e-4, "energy off by {swing}");
    }
}

#[test]
fn a_symmetric_top_precesses_exactly_in_few_substeps_too() {
    let mut top = body("a", Shape::cylinder(0.3, 0.1), rotated([1.0, 1.0, 0.0], 0.4, [0.0; 3]));
    top.angular_velocity = Vector3::new(3.0, -4.0, 20.0);
    let options = WorldOptions { accuracy: Accuracy::Preview, ..weightless() };
    let start = top.pose.rotation;
    let mut run = Run::new(options, [top.clone()]);
    let momentum = run.world.momentum().angular;
    let (mass, duration) = (1000.0 * std::f64::consts::PI * 0.09 * 0.1, 1.0);
    let (across, along) = (mass * (3.0 * 0.09 + 0.01) / 12.0, mass * 0.09 / 2.0);
    let spin = (start.inverse() * momentum).z * (1.0 / along - 1.0 / across);
    run.seconds(duration);
    let exact = UnitQuaternion::from_scaled_axis(momentum * (duration / across))
        * start
        * UnitQuaternion::from_scaled_axis(Vector3::z() * (spin * duration));
    let found = run.world.body("a").unwrap().rotation;
    assert!(found.angle_to(&exact) < 1e-9, "off by {} rad", found.angle_to(&exact));
}

#[test]
fn a_ball_keeps_its_angular_velocity_to_the_bit() {
    let mut ball = body("a", Shape::ball(0.3), pose(0.0, 0.0, 0.0));
    ball.angular_velocity = Vector3::new(3.0, -4.0, 20.0);
    let mut run = Run::new(weightless(), [ball]);
    run.seconds(1.0);
    assert_eq!(run.world.body("a").unwrap().angular_velocity, Vector3::new(3.0, -4.0, 20.0));
}
