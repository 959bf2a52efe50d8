//! Soft and rigid bodies bear each other.

use super::*;

/// Acceleration of free fall [m/s²].
const GRAVITY: f64 = 9.81;
/// Weight of a soft cube of side 0.1 m [N].
const CUBE_WEIGHT: f64 = DENSITY * 1e-3 * GRAVITY;

#[test]
fn a_soft_cube_rests_on_the_ground_with_its_weight() {
    let mut builder = World::builder(options(1e7, 1.0 / 240.0));
    builder.add_body(ground()).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.051)).unwrap();
    let mut world = built(builder);
    run(&mut world, 1.5);
    let load = world.soft_load("ground").unwrap();
    eprintln!("{:?} {:?}", load, world.soft_body("cube"));
    assert!((load.force.z / -CUBE_WEIGHT - 1.0).abs() < 1e-3);
    assert!(load.force.xy().norm() < 1e-3 * CUBE_WEIGHT);
}

#[test]
fn a_soft_cube_on_a_rigid_box() {
    let mut builder = World::builder(options(1e7, 1.0 / 240.0));
    builder.add_body(ground()).unwrap();
    builder.add_body(rigid_box("box", Vector3::new(0.2, 0.2, 0.1), 0.05)).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.151)).unwrap();
    let mut world = built(builder);
    for i in 0..15 {
        run(&mut world, 0.1);
        let b = world.body("box").unwrap();
        eprintln!(
            "{i} {:?} z {:.6} v {:e} soft {:.6} pen {:e}",
            world.soft_load("box").unwrap().force.z,
            b.position.z,
            b.linear_velocity.z,
            world.soft_body("cube").unwrap().centroid.z,
            world.soft_body("cube").unwrap().max_penetration
        );
    }
}

#[test]
fn a_rigid_box_on_a_soft_cube() {
    let mut builder = World::builder(options(1e7, 1.0 / 240.0));
    builder.add_body(ground()).unwrap();
    builder.add_body(rigid_box("box", Vector3::new(0.1, 0.1, 0.05), 0.15)).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.0501)).unwrap();
    let mut world = built(builder);
    for i in 0..20 {
        run(&mut world, 0.1);
        let b = world.body("box").unwrap();
        eprintln!(
            "{i} {:?} z {:.6} v {:e} w {:e} soft {:.6} pen {:e}",
            world.soft_load("box").unwrap().force.z,
            b.position.z,
            b.linear_velocity.z,
            b.angular_velocity.norm(),
            world.soft_body("cube").unwrap().centroid.z,
            world.soft_body("cube").unwrap().max_penetration
        );
    }
}
