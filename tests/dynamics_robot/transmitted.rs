//! Forces that joints transmit, velocities in the axes of a sensor, momenta of subtrees, and forces that bear weights, against closed forms.

use std::path::Path;

use extricate::dynamics::{
    BodyDescription, BodyKind, Grip, Mass, Motor, Pull, Reading, RobotBase, RobotDescription, Sensor,
    SensorKind, Shape, World, WorldOptions,
};
use extricate::kinematics::parse_robot;
use extricate::kinematics::urdf::UrdfOptions;
use nalgebra::{Isometry3, Point3, Vector3};

use super::motors::coupled_world_of;
use super::{chain, state, world_of};

const G: f64 = 9.81;

fn described(text: &str) -> RobotDescription {
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let robot = parse_robot(text, Path::new("robot.xml"), &options).unwrap();
    RobotDescription::new("r", robot, Isometry3::identity())
}

fn at(link: &str, frame: Isometry3<f64>) -> Sensor {
    Sensor { name: link.into(), kind: SensorKind::ForceTorque { link: link.into(), frame } }
}

/// Force and torque of a sensor.
fn transmitted(world: &World, name: &str) -> [Vector3<f64>; 2] {
    match state(world).sensors[name] {
        Reading::ForceTorque { force, torque } => [force, torque],
        ref other => panic!("{other:?}"),
    }
}

/// A shaft of 3 kg on a vertical slide, held by a motor; a plate of 1 kg is welded to it, and a peg of 0.5 kg to that. A box of 2 kg is on the plate, 0.3 m
/// from the shaft.
fn loaded_plate() -> World {
    let mut robot = described(
        r#"<mujoco><worldbody><body name="shaft"><joint name="j" type="slide"/><geom type="box" size="0.1 0.1 0.5" pos="0 0 -0.6" mass="3"/>
<body name="plate" pos="0 0 0.1"><geom type="box" size="0.5 0.5 0.05" mass="1"/>
<body name="peg" pos="-0.3 0 0.05"><geom type="box" size="0.05 0.05 0.2" pos="0 0 0.2" mass="0.5"/></body></body></body></worldbody></mujoco>"#,
    );
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 1e6, damping: 1e5, max_force: None });
    let frame = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.5, -0.3, 0.8));
    robot.sensors =
        vec![at("plate", frame), at("peg", Isometry3::identity()), at("shaft", Isometry3::identity())];
    let mut builder = World::builder(WorldOptions::default());
    builder.add_robot(robot).unwrap();
    let pose = Isometry3::translation(0.3, 0.0, 0.25);
    let mut cube = BodyDescription::new("box", BodyKind::Dynamic, Shape::cuboid(Vector3::repeat(0.1)), pose);
    cube.mass = Mass::Total(2.0);
    builder.add_body(cube).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_weld_transmits_the_weights_beyond_it_and_of_contacts_those_of_its_own_shapes() {
    let mut world = loaded_plate();
    for _ in 0..1200 {
        world.step().unwrap();
    }
    let sensor = Isometry3::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.5, -0.3, 0.8));
    // About the origin of the plate: the peg at −0.3 m, the box where it is.
    let arm = world.body("box").unwrap().position.x;
    let up = |mass: f64, x: f64| (Vector3::z() * (mass * G), Vector3::x() * x);
    let weights = [up(1.0, 0.0), up(0.5, -0.3), up(2.0, arm)];
    let force: Vector3<f64> = weights.iter().map(|(force, _)| force).sum();
    let torque: Vector3<f64> =
        weights.iter().map(|(force, place)| (place - sensor.translation.vector).cross(force)).sum();
    let [measured, about] = transmitted(&world, "plate");
    assert!((measured - sensor.rotation.inverse() * force).norm() < 1e-5, "{measured} {force}");
    assert!((about - sensor.rotation.inverse() * torque).norm() < 1e-5, "{about} {torque}");
    // Nothing touches the peg, whose own weight is on its axis.
    let [measured, about] = transmitted(&world, "peg");
    assert!((measured - Vector3::z() * (0.5 * G)).norm() < 1e-6 && about.norm() < 1e-6, "{measured} {about}");
    // The slide bears the moment, and its motor the force.
    let [measured, about] = transmitted(&world, "shaft");
    assert!((measured.z - state(&world).efforts["j"].motor).abs() < 1e-6, "{measured}");
    assert!((measured - Vector3::z() * (6.5 * G)).norm() < 1e-5, "{measured}");
    let moment = 0.3 * 0.5 * G - arm * 2.0 * G;
    assert!((about - Vector3::y() * moment).norm() < 1e-5, "{about} {moment}");
}

#[test]
fn a_hinge_transmits_tension_and_transverse_force_of_a_compound_pendulum() {
    let mut robot = chain(1);
    robot.configuration = vec![0.3];
    robot.sensors = vec![at("l1", Isometry3::identity())];
    let error = |step: f64| {
        let mut world = world_of(robot.clone(), WorldOptions { time_step: step, ..WorldOptions::default() });
        let (mass, reach) = (0.1, 0.05);
        let inertia = mass * 0.01 / 12.0 + mass * reach * reach;
        let mut worst = 0.0_f64;
        let mut before = state(&world);
        while world.time() < 0.4 {
            world.step().unwrap();
            let now = state(&world);
            let middle = |from: &std::collections::BTreeMap<String, f64>,
                          to: &std::collections::BTreeMap<String, f64>| {
                0.5 * (from["j1"] + to["j1"])
            };
            let (angle, speed) =
                (middle(&before.joints, &now.joints), middle(&before.velocities, &now.velocities));
            // The rod is along x, hinged about y: it falls as the angle grows, with the weight at m g cos θ across it.
            let rate = mass * G * reach * angle.cos() / inertia;
            let across = mass * (G * angle.cos() - reach * rate);
            let along = -mass * (reach * speed * speed + G * angle.sin());
            let [force, torque] = transmitted(&world, "l1");
            worst = worst.max((force - Vector3::new(along, 0.0, across)).norm()).max(torque.norm());
            before = now;
        }
        worst
    };
    let [coarse, fine] = [1.0 / 240.0, 1.0 / 480.0].map(error);
    assert!(fine < 2e-3 && fine < 0.3 * coarse, "{coarse} {fine}");
}

#[test]
fn a_beam_on_a_hinge_and_a_loop_rests_with_half_of_its_weight_on_each() {
    let text = r#"<mujoco><worldbody><body name="beam"><joint name="j" axis="0 1 0"/><geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0" mass="2"/>
</body></worldbody><equality><connect body1="beam" anchor="1 0 0"/></equality></mujoco>"#;
    for base_is_first in [false, true] {
        let mut robot = described(text);
        if base_is_first {
            let closure = &mut robot.closures[0];
            closure.links.reverse();
            closure.frames.reverse();
        }
        robot.sensors = vec![at("beam", Isometry3::translation(1.0, 0.0, 0.0))];
        let mut world = world_of(robot, WorldOptions::default());
        for _ in 0..10 {
            world.step().unwrap();
        }
        let [force, torque] = transmitted(&world, "beam");
        assert!((force - Vector3::z() * G).norm() < 1e-9, "{force}");
        // About the loop: the hinge, 1 m away, bears no moment about its axis.
        assert!((torque - Vector3::y() * G).norm() < 1e-9, "{torque}");
    }
}

#[test]
fn a_floating_root_transmits_nothing_while_its_links_rotate() {
    let mut robot = chain(2);
    robot.base = RobotBase::Floating;
    robot.links[0].inertial = robot.links[1].inertial;
    robot.velocities = vec![3.0, -4.0];
    robot.sensors = vec![at("l0", Isometry3::translation(0.1, 0.0, 0.0)), at("l2", Isometry3::identity())];
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..50 {
        world.step().unwrap();
        let [force, torque] = transmitted(&world, "l0");
        assert!(force.norm() < 1e-4 && torque.norm() < 1e-5, "{force} {torque}");
        assert!(transmitted(&world, "l2")[0].norm() > 0.01, "the links rotate");
    }
}

#[test]
fn a_pull_at_a_link_is_a_force_beyond_its_joint() {
    let mut robot = described(
        r#"<mujoco><worldbody><body name="cart"><joint name="j" type="slide" axis="1 0 0"/><geom type="box" size="0.1 0.1 0.1" mass="2"/></body></worldbody></mujoco>"#,
    );
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 1e4, damping: 1e3, max_force: None });
    robot.sensors = vec![at("cart", Isometry3::identity())];
    let mut world = world_of(robot, WorldOptions::default());
    let grip = Grip::Point(Point3::new(0.1, 0.0, 0.0));
    world.pull(Some(Pull { body: "r/cart".into(), grip, target: Point3::new(0.3, 0.0, 0.0) })).unwrap();
    for _ in 0..600 {
        world.step().unwrap();
    }
    let (now, [force, _]) = (state(&world), transmitted(&world, "cart"));
    assert!(now.efforts["j"].motor < -10.0, "{now:?}");
    assert!((force.x - now.efforts["j"].motor).abs() < 1e-6, "{force}, {now:?}");
}

#[test]
fn a_velocimeter_and_a_subtree_measure_velocities_and_momenta() {
    let mut robot = chain(3);
    robot.velocities = vec![2.0, -1.0, 3.0];
    let frame = Isometry3::new(Vector3::new(0.1, 0.0, 0.02), Vector3::new(0.4, 1.0, -0.2));
    robot.sensors = vec![
        Sensor { name: "v".into(), kind: SensorKind::Velocimeter { link: "l3".into(), frame } },
        Sensor { name: "f".into(), kind: SensorKind::Frame { link: "l3".into(), frame } },
        Sensor { name: "all".into(), kind: SensorKind::Subtree { link: "l0".into() } },
        Sensor { name: "tip".into(), kind: SensorKind::Subtree { link: "l3".into() } },
    ];
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..20 {
        world.step().unwrap();
    }
    let now = state(&world);
    let Reading::Frame { pose, linear_velocity, angular_velocity } = now.sensors["f"] else {
        panic!("{now:?}")
    };
    let Reading::Velocimeter { linear_velocity: own, angular_velocity: own_angular } = now.sensors["v"]
    else {
        panic!("{now:?}")
    };
    assert!((pose.rotation * own - linear_velocity).norm() < 1e-12, "{own}");
    assert!((pose.rotation * own_angular - angular_velocity).norm() < 1e-12, "{own_angular}");
    let Reading::Subtree { center, linear_velocity, angular_momentum } = now.sensors["all"] else {
        panic!("{now:?}")
    };
    let momentum = world.momentum();
    assert!((0.3 * linear_velocity - momentum.linear).norm() < 1e-12, "{linear_velocity}");
    let about = momentum.angular - center.coords.cross(&momentum.linear);
    assert!((angular_momentum - about).norm() < 1e-12, "{angular_momentum}");
    // A rod of 0.1 kg and 0.1 m that rotates about y.
    let Reading::Subtree { angular_momentum, .. } = now.sensors["tip"] else { panic!("{now:?}") };
    let rate: f64 = ["j1", "j2", "j3"].iter().map(|joint| now.velocities[*joint]).sum();
    assert!((angular_momentum.y - 0.1 * 0.01 / 12.0 * rate).abs() < 1e-12, "{angular_momentum}");
}

#[test]
fn transmitted_forces_continue_alike_after_a_checkpoint() {
    let (mut world, mut resumed) = (loaded_plate(), loaded_plate());
    for _ in 0..30 {
        world.step().unwrap();
    }
    resumed.restore(&world.checkpoint().unwrap()).unwrap();
    for _ in 0..10 {
        assert_eq!(world.robots(), resumed.robots());
        world.step().unwrap();
        resumed.step().unwrap();
    }
}

fn alone(robot: RobotDescription) -> World {
    world_of(robot, WorldOptions::default())
}

/// A rod of 1 kg on a hinge, with a ball of 2 kg at its end on another one, of which forces bear fractions of the weights.
fn lifted(of_rod: f64, of_ball: f64) -> RobotDescription {
    described(&format!(
        r#"<mujoco><worldbody><body name="rod" gravcomp="{of_rod}"><joint name="a" axis="0 1 0"/><inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.1 0.1"/>
<body name="ball" pos="1 0 0" gravcomp="{of_ball}"><joint name="b" axis="0 1 0"/><inertial pos="0.2 0 0" mass="2" diaginertia="0.02 0.02 0.02"/></body></body></worldbody></mujoco>"#
    ))
}

#[test]
fn links_whose_weight_is_borne_stay_and_others_keep_their_energy() {
    for build in [alone, coupled_world_of] {
        let mut world = build(lifted(1.0, 1.0));
        for _ in 0..120 {
            world.step().unwrap();
        }
        let now = state(&world);
        assert!(now.joints.values().all(|value| value.abs() < 1e-9), "{now:?}");
        // Of two thirds of the weight of the ball at 1 m and that of the rod at 0.5 m, the first joint bears a third of the ball.
        let mut robot = lifted(1.0, 2.0 / 3.0);
        robot.joints[1].motor =
            Some(Motor::Position { target: 0.0, stiffness: 1e8, damping: 1e6, max_force: None });
        let mut world = build(robot);
        world.step().unwrap();
        let step = world.time();
        let inertia = 0.1 + 0.25 + 0.02 + 2.0 * 1.44;
        let expected = 2.0 / 3.0 * G * 1.2 / inertia * step;
        let speed = state(&world).velocities["a"];
        assert!((speed / expected - 1.0).abs() < 1e-2, "{speed} {expected}");
    }
    let mut world = world_of(lifted(0.3, 0.8), WorldOptions::default());
    let before = world.energy();
    for _ in 0..960 {
        world.step().unwrap();
        let drift = (world.energy().total() - before.total()).abs();
        assert!(drift < 2e-3, "{drift}");
    }
    assert!(state(&world).joints["a"].abs() > 0.5, "it fell");
}

#[test]
fn a_free_body_whose_weight_is_half_borne_falls_with_half_of_g() {
    let text = r#"<mujoco><worldbody><body name="b" gravcomp="0.5"><inertial pos="0.1 0 0" mass="3" diaginertia="0.02 0.03 0.04"/></body></worldbody></mujoco>"#;
    let mut robot = described(text);
    robot.base = RobotBase::Fixed;
    robot.sensors = vec![at("b", Isometry3::identity())];
    // Welded to the world, without a joint: nothing moves, and nothing is lifted.
    let mut world = world_of(robot, WorldOptions::default());
    world.step().unwrap();
    let text = text.replace(
        "mass=\"3\" diaginertia=\"0.02 0.03 0.04\"/>",
        "mass=\"3\" diaginertia=\"0.02 0.03 0.04\"/><joint name=\"z\" type=\"slide\"/>",
    );
    for build in [alone, coupled_world_of] {
        let mut robot = described(&text);
        robot.sensors = vec![at("b", Isometry3::identity())];
        let mut world = build(robot);
        for _ in 0..60 {
            world.step().unwrap();
        }
        let now = state(&world);
        assert!((now.velocities["z"] / (-0.5 * G * world.time()) - 1.0).abs() < 1e-6, "{now:?}");
        // As for MuJoCo, what bears the weight is a force of the joint.
        if let Some(Reading::ForceTorque { force, .. }) = now.sensors.get("b") {
            assert!((force - Vector3::z() * (1.5 * G)).norm() < 1e-6, "{force}");
        }
    }
}

#[test]
fn motors_compensate_what_forces_on_links_do_not_bear() {
    let mut robot = lifted(0.4, 0.9);
    robot.gravity_compensation = 1.0;
    robot.configuration = vec![0.4, 0.7];
    for joint in &mut robot.joints {
        joint.motor = Some(Motor::Effort { target: 0.0, max_force: None });
    }
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..120 {
        world.step().unwrap();
    }
    let now = state(&world);
    assert!((now.joints["a"] - 0.4).abs() < 1e-9 && (now.joints["b"] - 0.7).abs() < 1e-9, "{now:?}");
    let held = -0.2 * G * 0.2 * (1.1_f64).cos();
    assert!((now.efforts["b"].motor - held).abs() < 1e-9, "{now:?} {held}");
}
