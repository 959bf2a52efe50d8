//! Interlocked and overlapping tori: shapes that no convex body can stand for.

mod dynamics_scenes;

use dynamics_scenes::{Run, body, fixed, lying, pose, torus, upright};
use extricate::dynamics::WorldOptions;
use nalgebra::Vector3;

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
