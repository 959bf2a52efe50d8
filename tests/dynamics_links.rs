//! Interlocked and overlapping tori: shapes that no convex body can stand for.

mod dynamics_scenes;

use std::f64::consts::TAU;

use dynamics_scenes::{Run, body, fixed, lying, pose, torus, upright};
use extricate::dynamics::{BodyState, WorldOptions};
use extricate::scene::linking_number;
use extricate_test_support::Noise;
use nalgebra::{Point3, Vector3};

#[test]
fn two_linked_tori_hang_at_twice_the_inner_radius() {
    let ring = || torus(1.0, 0.2, 24, 16);
    let bodies =
        [fixed("upper", ring(), upright(0.0, 0.0, 0.0)), body("lower", ring(), lying(0.0, 0.0, -1.55))];
    let mut run = Run::new(WorldOptions::default(), bodies);
    run.seconds(4.0);
    let state = run.world.body("lower").unwrap();
    assert!((state.position.z + 1.6).abs() < 1e-3, "pitch {}", -state.position.z);
    assert!(run.worst_penetration_after(1.0) < 1e-3, "overlap {}", run.worst_penetration_after(1.0));
    assert!(run.worst_gain() < 1e-3 * 9.81, "energy gain {}", run.worst_gain());
}

#[test]
fn half_overlapped_tori_come_apart_without_gaining_energy() {
    let options = WorldOptions { gravity: Vector3::zeros(), ..WorldOptions::default() };
    let ring = || torus(1.0, 0.2, 24, 16);
    let bodies = [body("a", ring(), pose(0.0, 0.0, 0.0)), body("b", ring(), pose(0.0, 0.0, 0.2))];
    let mut run = Run::new(options, bodies);
    run.seconds(2.0);
    let [a, b] = [0, 1].map(|i| run.world.bodies()[i].position);
    assert!((b - a).z > 0.38, "distance {}", b - a);
    assert!(run.reports.last().unwrap().max_penetration < 1e-3);
    let fastest = run.world.bodies().iter().map(|body| body.linear_velocity.norm()).fold(0.0, f64::max);
    assert!(fastest < 0.01, "speed {fastest}");
}

/// The centre line of a ring of 1 m.
fn circle(state: &BodyState) -> Vec<Point3<f64>> {
    let corner = |k: u32| {
        let angle = TAU * f64::from(k) / 32.0;
        state.position + state.rotation * Vector3::new(angle.cos(), angle.sin(), 0.0)
    };
    (0..32).map(corner).collect()
}

/// Three rings of 1 m, the first one fixed, are thrown around; whether they are linked all the time. The whole table of
/// seeds is that of `experiments/thrown_chains.rs`.
fn stay_linked(wire: f64, rate: f64, seed: u64) -> bool {
    let mut noise = Noise(seed);
    let mut vector = || 6.0 * noise.signed_vector();
    let (ring, pitch) = (torus(1.0, wire, 32, 8), 1.9 * (1.0 - wire));
    let mut bodies = vec![
        fixed("a", ring.clone(), upright(0.0, 0.0, 0.0)),
        body("b", ring.clone(), lying(0.0, 0.0, -pitch)),
        body("c", ring, upright(0.0, 0.0, -2.0 * pitch)),
    ];
    for link in &mut bodies[1..] {
        (link.linear_velocity, link.angular_velocity) = (vector(), vector());
    }
    let mut run = Run::new(WorldOptions { time_step: 1.0 / rate, ..WorldOptions::default() }, bodies);
    (0..(0.8 * rate) as u32).all(|_| {
        run.step();
        let circles = run.world.bodies().iter().map(circle).collect::<Vec<_>>();
        circles.windows(2).all(|pair| (linking_number(&pair[0], &pair[1]).abs() - 1.0).abs() < 1e-6)
    })
}

#[test]
fn chains_that_are_thrown_around_stay_linked() {
    for wire in [0.2, 0.06] {
        for seed in 0..3 {
            assert!(stay_linked(wire, 60.0, seed), "wire of {wire} m, seed {seed}");
        }
        assert!(stay_linked(wire, 240.0, 0), "wire of {wire} m");
    }
}
