//! Mesh bodies at rest: on a floor, on each other, on an incline.

mod dynamics_scenes;

use dynamics_scenes::{
    Run, assert_overlapping_cubes_part_slowly, block, body, cube, fixed, half_space, lying, pose, tilted,
};
use extricate::dynamics::{Mass, Shape, WorldOptions};
use nalgebra::Vector3;

#[test]
fn a_mesh_cube_rests_on_a_half_space_within_a_micrometre() {
    let mut run = Run::new(
        WorldOptions::default(),
        [half_space("floor"), body("cube", cube(1.0), pose(0.0, 0.0, 0.5))],
    );
    run.seconds(2.0);
    let state = run.world.body("cube").unwrap();
    assert!((state.position.z - 0.5).abs() < 1e-5, "height {}", state.position.z);
    assert!(state.position.x.hypot(state.position.y) < 1e-6, "drift {}", state.position);
    assert!(state.linear_velocity.norm() < 1e-6, "speed {}", state.linear_velocity.norm());
}

#[test]
fn a_mesh_cube_dropped_on_a_mesh_floor_comes_to_rest_on_it() {
    let mut run = Run::new(
        WorldOptions::default(),
        [
            fixed("floor", block(4.0, 4.0, 0.5), pose(0.0, 0.0, -0.25)),
            body("cube", cube(1.0), pose(0.0, 0.0, 0.8)),
        ],
    );
    run.seconds(3.0);
    let state = run.world.body("cube").unwrap();
    assert!((state.position.z - 0.5).abs() < 1e-5, "height {}", state.position.z);
    assert!(state.linear_velocity.norm() < 1e-5, "speed {}", state.linear_velocity.norm());
    assert!(run.worst_gain() < 1e-9, "energy gain {}", run.worst_gain());
}

#[test]
fn a_stack_of_five_mesh_cubes_stands_still() {
    let floor = fixed("floor", block(4.0, 4.0, 0.5), pose(0.0, 0.0, -0.25));
    let cubes =
        (0..5).map(|i| body(&format!("cube{i}"), cube(0.2), pose(0.0, 0.0, 0.1 + 0.2 * f64::from(i))));
    let mut run = Run::new(WorldOptions::default(), std::iter::once(floor).chain(cubes));
    run.seconds(4.0);
    let top = run.world.body("cube4").unwrap();
    assert!((top.position.z - 0.9).abs() < 5e-4, "height {}", top.position.z);
    assert!(top.position.x.hypot(top.position.y) < 1e-4, "drift {}", top.position);
}

#[test]
fn a_mesh_cube_stays_on_an_incline_just_below_the_friction_limit_and_slides_as_predicted_just_above() {
    let friction = 0.5_f64;
    for (fraction, slides) in [(0.98, false), (1.10, true)] {
        let angle = (fraction * friction).atan();
        let mut ramp = fixed("ramp", block(20.0, 4.0, 0.5), tilted(angle, 0.0, 0.0, -0.25));
        let mut cube = body("cube", cube(0.4), tilted(angle, 0.0, 0.0, 0.2));
        ramp.friction = friction;
        cube.friction = friction;
        cube.mass = Mass::Total(1.0);
        let start = cube.pose.translation.vector;
        let mut run = Run::new(WorldOptions::default(), [ramp, cube]);
        run.seconds(2.0);
        let moved = (run.world.body("cube").unwrap().position.coords - start).norm();
        let exact = 0.5 * 9.81 * (angle.sin() - friction * angle.cos()) * 4.0;
        if slides {
            assert!((moved / exact - 1.0).abs() < 0.01, "slid {moved}, exactly {exact}");
        } else {
            assert!(moved < 1e-3, "crept {moved}");
        }
    }
}

#[test]
fn cubes_that_overlap_at_the_start_part_slowly() {
    assert_overlapping_cubes_part_slowly(&cube(1.0));
}

#[test]
fn primitives_rest_on_a_mesh_floor() {
    let floor = fixed("floor", block(10.0, 10.0, 0.5), pose(0.0, 0.0, -0.25));
    let bodies = [
        body("ball", Shape::ball(0.3), pose(-3.0, 0.0, 0.3)),
        body("capsule", Shape::capsule(0.2, 0.4), lying(-1.5, 0.0, 0.2)),
        body("cone", Shape::cone(0.3, 0.5), pose(0.0, 0.0, 0.25)),
        body("cuboid", Shape::cuboid(Vector3::new(0.3, 0.4, 0.5)), pose(1.5, 0.0, 0.25)),
        body("cylinder", Shape::cylinder(0.3, 0.5), pose(3.0, 0.0, 0.25)),
    ];
    let heights: Vec<_> = bodies.iter().map(|body| (body.name.clone(), body.pose.translation.z)).collect();
    let mut run = Run::new(WorldOptions::default(), std::iter::once(floor).chain(bodies));
    run.seconds(2.0);
    for (name, height) in heights {
        let state = run.world.body(&name).unwrap();
        assert!((state.position.z - height).abs() < 1e-4, "{name} is at {}", state.position.z);
        assert!(state.linear_velocity.norm() < 1e-4, "{name} moves at {}", state.linear_velocity.norm());
    }
}
