//! Fast bodies do not pass through others, and bodies in contact are not held up by this.

#![expect(clippy::unwrap_used, reason = "a world that cannot be built is a failed test")]

mod dynamics_scenes;

use std::path::Path;

use dynamics_scenes::{Run, block, body, cube, fixed, half_space, pose, rotated, solid, weightless};
use extricate::dynamics::{
    BodyDescription, BodyKind, JointDescription, JointKind, RobotDescription, Shape, World, WorldOptions,
};
use extricate::geometry::procedural::{Procedural, Sphere};
use extricate::geometry::{Solidity, TriangleMesh};
use extricate::kinematics::urdf::{UrdfOptions, parse_urdf};
use extricate::proximity::Model;
use extricate_test_support::Noise;
use nalgebra::{Isometry3, Point3, Unit, UnitQuaternion, Vector3};

fn random_direction(noise: &mut Noise) -> Vector3<f64> {
    noise.uniform_direction(0.1..1.0).into_inner()
}

const RADIUS: f64 = 0.02;

fn ball_of_mesh() -> Shape {
    solid(Sphere { radius: RADIUS, frequency: 6 }.mesh().unwrap())
}

fn moving(name: &str, shape: Shape, at: Isometry3<f64>, velocity: Vector3<f64>) -> BodyDescription {
    let mut body = body(name, shape, at);
    body.linear_velocity = velocity;
    body
}

/// Shoots a ball at a wall of 1 cm in the plane x = 0; returns whether it ever was beyond.
fn passes(ball: &Shape, wall: &Shape, random: &mut Noise) -> bool {
    let speed = 400_f64.powf(random.unit_interval());
    let direction = loop {
        let direction = random_direction(random);
        if direction.x > 0.3 {
            break direction;
        }
    };
    let at_wall = Vector3::new(-0.005 - RADIUS, random.between(-0.4, 0.4), random.between(-0.4, 0.4));
    let travel = 0.01 + speed / 240.0 * random.between(0.0, 3.0);
    let rotation = UnitQuaternion::new(3.0 * random.unit_interval() * random_direction(random));
    let start = Isometry3::from_parts((at_wall - direction * travel).into(), rotation);
    let mut ball = moving("ball", ball.clone(), start, direction * speed);
    ball.angular_velocity = random_direction(random) * random.between(0.0, 500.0);
    ball.restitution = 0.5;
    let mut run = Run::new(weightless(), [fixed("wall", wall.clone(), pose(0.0, 0.0, 0.0)), ball]);
    let steps = (travel / speed * 240.0).ceil() as usize + 8;
    (0..steps).any(|_| {
        run.step();
        run.world.body("ball").unwrap().position.x > 0.0
    })
}

/// So wide that no body slides off it.
fn wall() -> Shape {
    Shape::cuboid(Vector3::new(0.01, 80.0, 80.0))
}

#[test]
fn no_ball_passes_a_wall_that_is_a_quarter_of_it_thick() {
    let mut random = Noise(7);
    for wall in [wall(), block(0.01, 80.0, 80.0)] {
        let ball = Shape::ball(RADIUS);
        assert_eq!((0..100).filter(|_| passes(&ball, &wall, &mut random)).count(), 0);
        assert_eq!((0..20).filter(|_| passes(&ball_of_mesh(), &wall, &mut random)).count(), 0);
    }
}

#[test]
fn two_bullets_do_not_pass_each_other() {
    for bullet in [Shape::ball(RADIUS), ball_of_mesh(), cube(0.03), block(0.05, 0.02, 0.01)] {
        for (speed, ahead) in [(30.0, 0.13), (200.0, 0.9), (400.0, 4.0)] {
            let mut left = moving("left", bullet.clone(), pose(-ahead, 0.0, 0.0), Vector3::x() * speed);
            let mut right = moving("right", bullet.clone(), pose(ahead, 2e-3, 0.0), Vector3::x() * -speed);
            left.angular_velocity = Vector3::new(100.0, 30.0, -50.0);
            right.angular_velocity = Vector3::new(-40.0, 70.0, 20.0);
            let mut run = Run::new(weightless(), [left, right]);
            for _ in 0..20 {
                run.step();
                let [left, right] = [0, 1].map(|i| run.world.bodies()[i].position);
                // They may pass beside each other once they are that far off the line.
                let aside = (left - right).yz().norm() > 2.0 * RADIUS;
                assert!(left.x < right.x || aside, "{speed} m/s: {left} {right}");
            }
            let states = run.world.bodies();
            let closing = (states[0].linear_velocity - states[1].linear_velocity).x;
            assert!(closing < speed, "{speed} m/s: they still close in with {closing}");
        }
    }
}

/// A rod along x that spins about z on a pivot in its middle; a wall is in its path at 60°.
fn rod_on_a_pivot(rod: Shape, thin: Shape, spin: f64) -> World {
    let mut builder = World::builder(weightless());
    let place = rotated([0.0, 0.0, 1.0], 60_f64.to_radians(), [0.2, 0.2 * 3_f64.sqrt(), 0.0]);
    builder.add_body(fixed("wall", thin, place)).unwrap();
    builder.add_body(fixed("hub", cube(0.01), pose(0.0, 0.0, 1.0))).unwrap();
    let mut rod = body("rod", rod, pose(0.0, 0.0, 0.0));
    rod.angular_velocity = Vector3::z() * spin;
    builder.add_body(rod).unwrap();
    let x_to_z = |z: f64| rotated([0.0, 1.0, 0.0], -std::f64::consts::FRAC_PI_2, [0.0, 0.0, z]);
    let (bodies, anchors) = (["hub".to_owned(), "rod".to_owned()], [x_to_z(-1.0), x_to_z(0.0)]);
    let kind = JointKind::Revolute { limits: None };
    let joint = JointDescription { name: "pivot".into(), bodies, anchors, kind, contacts: false };
    builder.add_joint(joint).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_rod_that_spins_fast_does_not_pass_a_thin_wall() {
    let box_of = |size: [f64; 3]| Shape::cuboid(size.into());
    for rod in [block(1.0, 0.01, 0.01), box_of([1.0, 0.01, 0.01])] {
        for thin in [block(0.3, 1e-3, 0.3), box_of([0.3, 1e-3, 0.3])] {
            for spin in [20.0, 150.0, 400.0] {
                let mut world = rod_on_a_pivot(rod.clone(), thin.clone(), spin);
                let (mut angle_swept, mut before) = (0.0, 0.0_f64);
                for _ in 0..20 {
                    world.step().unwrap();
                    let tip = world.body("rod").unwrap().rotation * Vector3::x();
                    let angle = tip.y.atan2(tip.x);
                    angle_swept += (angle - before).sin().atan2((angle - before).cos());
                    before = angle;
                    assert!(angle_swept < 60_f64.to_radians(), "{spin} rad/s: rotated by {angle_swept}");
                }
                assert!(
                    angle_swept > -2.0 * std::f64::consts::PI / 3.0 + 0.02,
                    "{angle_swept}: on the other side"
                );
            }
        }
    }
}

#[test]
fn a_fast_arm_of_a_robot_does_not_pass_a_thin_wall() {
    let text = r#"<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<collision><geometry><box size="1 0.01 0.01"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"#;
    let robot = parse_urdf(text, Path::new("robot.urdf"), &UrdfOptions::default()).unwrap();
    for spin in [20.0, 150.0, 400.0] {
        let mut builder = World::builder(weightless());
        let place = rotated([0.0, 0.0, 1.0], 60_f64.to_radians(), [0.2, 0.2 * 3_f64.sqrt(), 0.0]);
        builder.add_body(fixed("wall", block(0.3, 1e-3, 0.3), place)).unwrap();
        let mut robot = RobotDescription::new("r", robot.clone(), Isometry3::identity());
        robot.velocities = vec![spin];
        builder.add_robot(robot).unwrap();
        let mut world = builder.build().unwrap();
        for _ in 0..20 {
            world.step().unwrap();
            let angle = world.robot("r").unwrap().joints["j"];
            assert!((-2.1..60_f64.to_radians()).contains(&angle), "{spin} rad/s: at {angle}");
        }
    }
}

#[test]
fn of_several_walls_the_first_one_stops_a_bullet() {
    for bullet in [Shape::ball(RADIUS), cube(0.03)] {
        let walls =
            [0.3, 0.0, 0.6].map(|x| fixed(&format!("wall {x}"), block(0.01, 1.0, 1.0), pose(x, 0.0, 0.0)));
        let bullet = moving("bullet", bullet, pose(-0.5, 0.0, 0.0), Vector3::x() * 390.0);
        let mut run = Run::new(weightless(), walls.into_iter().chain([bullet]));
        for _ in 0..10 {
            run.step();
            let state = run.world.body("bullet").unwrap();
            assert!(state.position.x < 0.0, "at {}", state.position);
        }
    }
}

#[test]
fn a_fast_sliding_or_rolling_body_is_not_held_up() {
    let plane = || half_space("floor");
    let slab = || fixed("floor", block(200.0, 2.0, 1.0), pose(90.0, 0.0, -0.5));
    for floor in [plane(), slab()] {
        for sliding in [cube(0.1), Shape::cuboid(Vector3::repeat(0.1)), Shape::ball(0.05)] {
            let mut sliding = moving("body", sliding, pose(0.0, 0.0, 0.05), Vector3::x() * 100.0);
            let mut floor = floor.clone();
            (sliding.friction, floor.friction, sliding.continuous) = (0.0, 0.0, true);
            let mut run = Run::new(WorldOptions::default(), [floor, sliding]);
            run.seconds(0.25);
            let state = run.world.body("body").unwrap();
            assert!((state.position.x - 25.0).abs() < 0.01, "{}", state.position);
        }
    }
}

#[test]
fn balls_that_roll_by_radians_in_a_step_keep_rolling_on_top_of_the_floor() {
    let slab = fixed("floor", block(400.0, 2.0, 1.0), pose(190.0, 0.0, -0.5));
    for (radius, speed) in [(0.1, 48.0), (0.1, 150.0), (0.005, 1.0), (0.005, 3.0)] {
        for floor in [half_space("floor"), slab.clone()] {
            let mut ball = moving("ball", Shape::ball(radius), pose(0.0, 0.0, radius), Vector3::x() * speed);
            ball.angular_velocity = Vector3::y() * (speed / radius);
            let mut run = Run::new(WorldOptions::default(), [floor, ball]);
            run.seconds(1.0);
            let state = run.world.body("ball").unwrap();
            assert!((state.position.x - speed).abs() < 0.01 * speed, "{speed} m/s: {}", state.position);
            let deepest = run.worst_penetration_after(0.0);
            assert!(deepest < 0.01 * radius, "{speed} m/s: {deepest} deep");
        }
    }
}

/// A floor with a wall standing on it at x = 1, one surface without an inside.
fn floor_with_wall() -> Shape {
    let quad = |corners: [[f64; 3]; 4]| corners.map(Point3::from);
    let floor = quad([[-2.0, -2.0, 0.0], [2.0, -2.0, 0.0], [2.0, 2.0, 0.0], [-2.0, 2.0, 0.0]]);
    let wall = quad([[1.0, -2.0, 0.0], [1.0, 2.0, 0.0], [1.0, 2.0, 1.0], [1.0, -2.0, 1.0]]);
    let vertices = floor.into_iter().chain(wall).collect();
    let mesh = TriangleMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]).unwrap();
    Shape::from(Model::new(mesh, Solidity::Surface))
}

#[test]
fn a_body_sliding_on_a_mesh_is_stopped_by_a_wall_of_the_same_mesh() {
    for sliding in [cube(0.1), Shape::ball(0.05)] {
        for speed in [15.0, 80.0, 300.0] {
            let mut sliding = moving("body", sliding.clone(), pose(0.0, 0.0, 0.05), Vector3::x() * speed);
            sliding.friction = 0.0;
            let floor = fixed("floor", floor_with_wall(), pose(0.0, 0.0, 0.0));
            let mut run = Run::new(WorldOptions::default(), [floor, sliding]);
            for _ in 0..30 {
                run.step();
                let state = run.world.body("body").unwrap();
                assert!(state.position.x < 1.0, "{speed} m/s: {}", state.position);
            }
        }
    }
}

#[test]
fn a_fast_kinematic_body_carries_along_what_it_meets() {
    for ball in [Shape::ball(RADIUS), ball_of_mesh()] {
        let mut paddle = fixed("paddle", block(0.01, 0.5, 0.5), pose(-1.0, 0.0, 0.0));
        paddle.kind = BodyKind::Kinematic;
        paddle.linear_velocity = Vector3::x() * 150.0;
        let mut run = Run::new(weightless(), [paddle, body("ball", ball, pose(0.0, 0.0, 0.0))]);
        for _ in 0..20 {
            run.step();
            let [ball, paddle] = [0, 1].map(|i| run.world.bodies()[i].position);
            assert!(ball.x > paddle.x, "ball {ball}, paddle {paddle}");
        }
        assert!(run.world.body("ball").unwrap().linear_velocity.x > 140.0);
    }
}

#[test]
fn a_half_space_stops_what_is_faster_than_its_own_size_in_a_step() {
    for shape in [Shape::ball(RADIUS), cube(0.04), ball_of_mesh()] {
        let mut falling =
            moving("body", shape, rotated([1.0, 0.2, 0.0], 0.4, [0.0, 0.0, 1.5]), Vector3::z() * -380.0);
        falling.angular_velocity = Vector3::new(300.0, 10.0, 20.0);
        let mut run = Run::new(WorldOptions::default(), [half_space("floor"), falling]);
        for _ in 0..10 {
            run.step();
            let state = run.world.body("body").unwrap();
            assert!(state.position.z > 0.0, "{}", state.position);
        }
    }
}

#[test]
fn a_body_that_falls_from_high_above_gains_no_energy_where_it_is_stopped() {
    let options = WorldOptions { gravity: Vector3::z() * -100.0, ..WorldOptions::default() };
    for shape in [Shape::ball(RADIUS), cube(0.04)] {
        let falling = moving("body", shape, pose(0.0, 0.0, 1.0), Vector3::z() * -60.0);
        let mut run =
            Run::new(options.clone(), [fixed("floor", block(2.0, 2.0, 0.1), pose(0.0, 0.0, -0.05)), falling]);
        let scale = run.world.energy().kinetic;
        run.seconds(0.1);
        assert!(run.worst_gain() < 1e-6 * scale, "{} of {scale}", run.worst_gain());
    }
}

#[test]
fn bodies_that_a_joint_ties_together_stop_together() {
    let mut builder = World::builder(weightless());
    builder.add_body(fixed("wall", block(0.01, 2.0, 2.0), pose(0.0, 0.0, 0.0))).unwrap();
    let velocity = Vector3::x() * 200.0;
    builder.add_body(moving("front", cube(0.04), pose(-1.0, 0.0, 0.0), velocity)).unwrap();
    builder.add_body(moving("rear", cube(0.04), pose(-1.1, 0.0, 0.0), velocity)).unwrap();
    let bodies = ["front".to_owned(), "rear".to_owned()];
    let anchors = [pose(-0.05, 0.0, 0.0), pose(0.05, 0.0, 0.0)];
    let joint =
        JointDescription { name: "joint".into(), bodies, anchors, kind: JointKind::Fixed, contacts: false };
    builder.add_joint(joint).unwrap();
    let mut world = builder.build().unwrap();
    for step in 0..12 {
        world.step().unwrap();
        let [front, rear] = ["front", "rear"].map(|name| world.body(name).unwrap().position);
        assert!(front.x < 0.0 && rear.x < 0.0, "{front} {rear}");
        // The impact itself bends the joint for a while.
        let apart = (front - rear).norm();
        assert!((apart - 0.1).abs() < 0.02, "step {step}: {apart}");
    }
}

#[test]
fn the_outcome_does_not_depend_on_the_number_of_threads() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut random = Noise(3);
            let bodies = (0..12).map(|i| {
                let away = random_direction(&mut random);
                let shape = if i % 2 == 0 { ball_of_mesh() } else { Shape::ball(RADIUS) };
                let start = Isometry3::from_parts((away * 0.8).into(), UnitQuaternion::identity());
                moving(&format!("body {i}"), shape, start, -away * random.between(50.0, 300.0))
            });
            let mut run = Run::new(weightless(), bodies.collect::<Vec<_>>());
            (0..20).for_each(|_| {
                run.step();
            });
            run.world.hash()
        })
    };
    let one = hash(1);
    assert_eq!(one, hash(2));
    assert_eq!(one, hash(4));
}

#[test]
fn a_ball_leaves_a_wall_with_the_speed_of_its_restitution() {
    for speed in [5.0, 60.0, 350.0] {
        for restitution in [1.0, 0.5] {
            let mut ball = moving("ball", Shape::ball(RADIUS), pose(-1.0, 0.0, 0.0), Vector3::x() * speed);
            let mut thin = fixed("wall", wall(), Isometry3::identity());
            (ball.restitution, thin.restitution) = (restitution, restitution);
            let mut run = Run::new(weightless(), [thin, ball]);
            run.seconds(1.0 / speed + 0.05);
            let after = -run.world.body("ball").unwrap().linear_velocity.x / speed;
            assert!((after - restitution).abs() < 0.01, "{speed} m/s: {after} instead of {restitution}");
        }
    }
}

#[test]
fn rotating_meshes_do_not_pass_through_each_other() {
    // Two plates that fly edge on into each other's faces.
    let mut random = Noise(11);
    for _ in 0..6 {
        let axis = Unit::new_normalize(random_direction(&mut random));
        let rotation = UnitQuaternion::from_axis_angle(&axis, random.between(0.0, 0.3));
        let plate = |x: f64| Isometry3::from_parts(Vector3::new(x, 0.0, 0.0).into(), rotation);
        let speed = random.between(50.0, 250.0);
        let mut left = moving("left", block(0.01, 0.4, 0.4), plate(-0.7), Vector3::x() * speed);
        let mut right = moving("right", block(0.01, 0.4, 0.4), plate(0.7), Vector3::x() * -speed);
        left.angular_velocity = random_direction(&mut random) * 20.0;
        right.angular_velocity = random_direction(&mut random) * 20.0;
        let mut run = Run::new(weightless(), [left, right]);
        for _ in 0..6 {
            run.step();
            let [left, right] = [0, 1].map(|i| run.world.bodies()[i].position);
            assert!(left.x < right.x, "{speed} m/s: {left} {right}");
        }
    }
}
