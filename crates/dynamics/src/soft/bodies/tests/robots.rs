//! Soft bodies meet robots.

use std::path::Path;

use super::*;
use crate::{Mass, Motor, RobotDescription, SoftAttachment};
use extricate_core::kinematics::urdf::{UrdfOptions, parse_urdf};

/// A cart of 2 kg that slides along x.
const CART: &str = r#"<robot name="cart">
  <link name="rail"/>
  <link name="cart">
    <inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/></joint>
</robot>"#;

/// A soft cube left of a cart, in weightlessness.
fn beside_a_cart(change: impl FnOnce(&mut SoftBodyDescription)) -> World {
    let mut weightless = options(1e6, 1e-3);
    weightless.gravity = Vector3::zeros();
    weightless.soft.newton.relative_tolerance = 1e-12;
    weightless.soft.linear.relative_tolerance = 1e-12;
    let mut builder = World::builder(weightless);
    let robot = parse_urdf(CART, Path::new("cart.urdf"), &UrdfOptions::default()).unwrap();
    builder.add_robot(RobotDescription::new("cart", robot, Isometry3::identity())).unwrap();
    let mut cube = soft_cube("cube", 0.0);
    cube.pose.translation.vector.x = -0.155;
    cube.material = Material::new(Constitutive::Corotational, DENSITY, 1e5, 0.3).unwrap();
    change(&mut cube);
    builder.add_soft_body(cube).unwrap();
    built(builder)
}

#[test]
fn a_soft_body_that_hits_a_link_gives_it_the_momentum_that_it_loses() {
    let mut world = beside_a_cart(|cube| cube.linear_velocity.x = 1.0);
    run(&mut world, 0.1);
    let cart = world.body("cart/cart").unwrap().linear_velocity.x;
    let cube = world.soft_body("cube").unwrap().velocity.x;
    assert!(cart > 0.3 && cube < 0.4, "{cart} {cube}");
    assert!((2.0 * cart + cube - 1.0).abs() < 1e-9, "{cart} {cube}");
}

#[test]
fn a_soft_body_that_is_attached_to_a_link_drags_it_along() {
    let mut world = beside_a_cart(|cube| {
        let right = (0_u32..).zip(cube.mesh.nodes()).filter(|(_, node)| node.x > 0.049);
        let nodes = right.map(|(index, _)| index).collect();
        cube.attachments = vec![SoftAttachment { body: "cart/cart".into(), nodes, stiffness: 100.0 }];
        cube.linear_velocity.x = -0.5;
    });
    run(&mut world, 0.15);
    let cart = world.body("cart/cart").unwrap().linear_velocity.x;
    let cube = world.soft_body("cube").unwrap().velocity.x;
    assert!(cart < -0.04, "{cart} {cube}");
    assert!((2.0 * cart + cube + 0.5).abs() < 1e-9, "{cart} {cube}");
}

/// A link with a box that slides: name, mass, size and place of the box, axis.
type Slide = (&'static str, f64, [f64; 3], [f64; 3], [f64; 3]);

/// A robot of such links.
struct Slides(Vec<Slide>);

impl Slides {
    /// A robot of which each joint is on the link `parents` names, on the base by default.
    fn robot(&self, parents: &[&str]) -> RobotDescription {
        let list = |values: &[f64; 3]| format!("{} {} {}", values[0], values[1], values[2]);
        let mut text = String::from(r#"<robot name="r"><link name="base"/>"#);
        for (index, (name, mass, size, at, axis)) in self.0.iter().enumerate() {
            let inertia = mass * size.iter().map(|side| side * side).sum::<f64>() / 12.0;
            let parent = parents.get(index).unwrap_or(&"base");
            text += &format!(
                r#"<link name="{name}"><inertial><origin xyz="{place}"/><mass value="{mass}"/>
<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="{place}"/><geometry><box size="{size}"/></geometry></collision></link>
<joint name="{name}" type="prismatic"><parent link="{parent}"/><child link="{name}"/><axis xyz="{axis}"/>
<limit lower="-1" upper="1" effort="1e4" velocity="100"/></joint>"#,
                place = list(at),
                size = list(size),
                axis = list(axis),
            );
        }
        let robot = parse_urdf(&(text + "</robot>"), Path::new("r.urdf"), &UrdfOptions::default()).unwrap();
        RobotDescription::new("r", robot, Isometry3::identity())
    }
}

/// A world without gravity in which an undamped soft cube of 1 kg flies along x at a robot, 2 mm away.
fn shot_at(robot: Option<RobotDescription>, body: Option<BodyDescription>, time_step: f64) -> World {
    let mut weightless = options(1e7, time_step);
    weightless.gravity = Vector3::zeros();
    weightless.soft.newton.relative_tolerance = 1e-12;
    weightless.soft.linear.relative_tolerance = 1e-12;
    let mut builder = World::builder(weightless);
    robot.into_iter().for_each(|robot| _ = builder.add_robot(robot).unwrap());
    body.into_iter().for_each(|body| _ = builder.add_body(body).unwrap());
    let mut cube = soft_cube("cube", 0.0);
    cube.material = Material::new(Constitutive::Corotational, DENSITY, 1e5, 0.3).unwrap();
    cube.pose.translation.vector.x = -0.102;
    cube.linear_velocity.x = 1.0;
    builder.add_soft_body(cube).unwrap();
    built(builder)
}

/// Velocities of a box of a mass that is a robot's link, or a free body, and of the soft cube that flew at it, and the maximum depth.
fn pushed(mass: f64, is_link: bool, time_step: f64) -> [f64; 3] {
    let mut world = if is_link {
        let slides = Slides(vec![("box", mass, [0.1, 0.4, 0.4], [0.0; 3], [1.0, 0.0, 0.0])]);
        shot_at(Some(slides.robot(&[])), None, time_step)
    } else {
        let body = rigid_box("box", Vector3::new(0.1, 0.4, 0.4), 0.0);
        shot_at(None, Some(BodyDescription { mass: Mass::Total(mass), ..body }), time_step)
    };
    let mut deepest = 0.0_f64;
    while world.time() < 0.04 {
        deepest = deepest.max(world.step().unwrap().soft.unwrap().max_penetration);
    }
    let name = if is_link { "r/box" } else { "box" };
    [world.body(name).unwrap().linear_velocity.x, world.soft_body("cube").unwrap().velocity.x, deepest]
}

#[test]
fn a_link_is_pushed_as_a_free_body_of_its_mass_is_however_light() {
    for (mass, time_step) in [(1.0, 1e-4), (0.1, 1e-4), (1.0, 2e-3), (0.01, 2e-3), (1e-5, 2e-3)] {
        let [link, free] = [true, false].map(|is_link| pushed(mass, is_link, time_step));
        let case = format!("{mass} kg, {time_step} s: {link:?} {free:?}");
        let momentum = mass * link[0] + link[1];
        assert!((momentum - 1.0).abs() < 1e-9, "{momentum} {case}");
        assert!(mass * link[0] * link[0] + link[1] * link[1] < 1.0 && link[0] > 0.5, "{case}");
        // Long steps lose energy, which differs with the engine that moves the box, and a light free box also rotates.
        let tolerance = if mass > 0.5 && time_step < 1e-3 { 0.02 } else { 0.5 };
        for (link, free) in [(link[0], free[0]), (link[1], free[1]), (link[2] / free[2], 1.0)] {
            assert!((link - free).abs() < tolerance, "{case}");
        }
    }
}

#[test]
fn a_link_yields_with_what_it_carries_and_with_what_carries_it() {
    // The light one that is hit carries a heavy one along the same axis, by a joint that is free or held.
    let speed = |is_held: bool| {
        let x = [1.0, 0.0, 0.0];
        let slides =
            Slides(vec![("front", 0.01, [0.1; 3], [0.0; 3], x), ("rear", 1.0, [0.1; 3], [0.3, 0.0, 0.0], x)]);
        let mut robot = slides.robot(&["base", "front"]);
        if is_held {
            let hold = Motor::Position { target: 0.0, stiffness: 1e8, damping: 1e6, max_force: None };
            robot.joints[1].motor = Some(hold);
        }
        let mut world = shot_at(Some(robot), None, 1e-3);
        run(&mut world, 0.02);
        let [front, rear] = ["r/front", "r/rear"].map(|link| world.body(link).unwrap().linear_velocity.x);
        let cube = world.soft_body("cube").unwrap().velocity.x;
        assert!((0.01 * front + rear + cube - 1.0).abs() < 1e-6, "{front} {rear} {cube}");
        [front, rear]
    };
    let [free, held] = [false, true].map(speed);
    assert!(free[0] > 1.0 && free[1].abs() < 1e-9, "{free:?}");
    // Free, the light one is thrown ahead; held, both are one body of 1.01 kg.
    assert!((held[0] - held[1]).abs() < 1e-3 && held[0] > 0.2 && held[0] < 1.0, "{held:?}");
}

#[test]
fn a_soft_cube_rests_on_a_tray_that_a_motor_holds() {
    let mut builder = World::builder(options(1e7, 1.0 / 240.0));
    let slides = Slides(vec![("tray", 0.2, [0.3, 0.3, 0.02], [0.0; 3], [0.0, 0.0, 1.0])]);
    let mut robot = slides.robot(&[]);
    let hold = Motor::Position { target: 0.0, stiffness: 1e5, damping: 1e3, max_force: None };
    robot.joints[0].motor = Some(hold);
    builder.add_robot(robot).unwrap();
    builder.add_soft_body(soft_cube("cube", 0.061)).unwrap();
    let mut world = built(builder);
    run(&mut world, 2.0);
    let weight = DENSITY * 1e-3 * 9.81;
    let load = world.soft_load("r/tray").unwrap().force;
    assert!((load.z + weight).abs() < 1e-3 * weight, "{load}");
    let robot = world.robot("r").unwrap();
    let borne = robot.efforts["tray"].motor;
    assert!((borne - weight - 0.2 * 9.81).abs() < 1e-3 * weight, "{borne}");
    assert!(robot.velocities["tray"].abs() < 1e-6, "{}", robot.velocities["tray"]);
    // As deep as on the ground.
    let depth = world.soft_body("cube").unwrap().max_penetration;
    assert!(depth < 2.0 * weight / 0.01 / 1e7, "{depth}");
}

#[test]
fn a_gripper_squeezes_a_soft_cube_with_the_force_of_its_motors_and_lifts_it() {
    let mut squeezed = options(1e7, 1.0 / 240.0);
    squeezed.soft.contact.friction = 0.8;
    let mut builder = World::builder(squeezed);
    let (finger, side) = ([0.02, 0.08, 0.08], 0.062);
    let slides = Slides(vec![
        ("wrist", 0.3, [0.05, 0.05, 0.02], [0.0, 0.0, 0.2], [0.0, 0.0, 1.0]),
        ("left", 0.02, finger, [-side, 0.0, 0.0], [1.0, 0.0, 0.0]),
        ("right", 0.02, finger, [side, 0.0, 0.0], [1.0, 0.0, 0.0]),
    ]);
    let mut robot = slides.robot(&["base", "wrist", "wrist"]);
    let hold = |target: f64| Motor::Position { target, stiffness: 4e3, damping: 2e3, max_force: None };
    let touch = Motor::Position { target: 0.003, stiffness: 1e5, damping: 1e3, max_force: None };
    let close = Motor::Velocity { target: -0.1, damping: 1e4, max_force: Some(20.0) };
    for (joint, motor) in [hold(0.0), touch, close].into_iter().enumerate() {
        robot.joints[joint].motor = Some(motor);
    }
    builder.add_robot(robot).unwrap();
    builder
        .add_body(BodyDescription { pose: Isometry3::translation(0.0, 0.0, -0.0505), ..ground() })
        .unwrap();
    builder.add_soft_body(soft_cube("cube", 0.0)).unwrap();
    let mut world = built(builder);
    run(&mut world, 0.3);
    world.set_motor("r", "wrist", Some(hold(0.05))).unwrap();
    run(&mut world, 3.0);
    let [left, right] = ["r/left", "r/right"].map(|link| world.soft_load(link).unwrap().force.x);
    assert!((left + 20.0).abs() < 0.1 && (right - 20.0).abs() < 0.1, "{left} {right}");
    let cube = world.soft_body("cube").unwrap();
    // The wrist, a spring of 4 kN/m, sags by the weight of all by some 3 mm; the cube is some millimetres behind.
    assert!(cube.centroid.z > 0.03 && cube.velocity.norm() < 1e-3, "{cube:?}");
    assert_eq!(world.soft_load("ground").unwrap().force, Vector3::zeros());
}

#[test]
fn a_world_that_is_restored_continues_with_the_same_bits() {
    let make = || {
        let mut builder = World::builder(options(1e6, 1e-3));
        let slides = Slides(vec![("cart", 2.0, [0.2; 3], [0.0; 3], [1.0, 0.0, 0.0])]);
        builder.add_robot(slides.robot(&[])).unwrap();
        let mut cube = soft_cube("cube", 0.0);
        cube.pose.translation.vector.x = -0.151;
        cube.linear_velocity.x = 1.0;
        builder.add_soft_body(cube).unwrap();
        built(builder)
    };
    let mut world = make();
    run(&mut world, 0.01);
    assert_ne!(world.soft_load("r/cart").unwrap().force, Vector3::zeros());
    let stored = world.checkpoint().unwrap();
    run(&mut world, 0.01);
    let mut other = make();
    other.restore(&stored).unwrap();
    run(&mut other, 0.01);
    assert_eq!(world.hash(), other.hash());
}

#[test]
fn a_robot_that_swings_far_away_changes_nothing_of_a_soft_body() {
    let dropped = |with_robot: bool| {
        let mut builder = World::builder(options(1e7, 1.0 / 240.0));
        builder.add_body(ground()).unwrap();
        if with_robot {
            let mut robot = parse_urdf(CART, Path::new("cart.urdf"), &UrdfOptions::default()).unwrap();
            robot.name = "far".into();
            let mut robot = RobotDescription::new("far", robot, Isometry3::translation(10.0, 0.0, 5.0));
            robot.velocities[0] = 2.0;
            builder.add_robot(robot).unwrap();
        }
        builder.add_soft_body(soft_cube("cube", 0.07)).unwrap();
        let mut world = built(builder);
        let iterations: Vec<usize> =
            (0..60).map(|_| world.step().unwrap().soft.unwrap().newton_iterations).collect();
        (iterations, world.soft_positions("cube").unwrap().to_vec())
    };
    let [(alone, x), (beside, y)] = [false, true].map(dropped);
    assert!(alone.iter().max() > alone.first(), "it has met the ground: {alone:?}");
    assert_eq!(alone, beside);
    assert_eq!(x, y);
}
