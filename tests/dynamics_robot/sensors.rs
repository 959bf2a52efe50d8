//! Sensors against closed forms: free fall, rest, a wheel, weights on a tray.

use extricate::dynamics::{
    BodyDescription, BodyKind, ContactForce, Motor, Reading, RobotBase, RobotDescription, Sensor, SensorKind,
    Shape, World, WorldOptions,
};
use extricate::kinematics::parse_robot;
use extricate::kinematics::urdf::UrdfOptions;
use nalgebra::{Isometry3, Vector3};

use super::{described, one_joint, state, weightless, world_of};

fn sensor(name: &str, kind: SensorKind) -> Sensor {
    Sensor { name: name.into(), kind }
}

fn imu(link: &str, frame: Isometry3<f64>) -> Sensor {
    sensor("imu", SensorKind::Imu { link: link.into(), frame })
}

/// Specific force and angular velocity of the sensor `imu`.
fn measured(world: &World) -> [Vector3<f64>; 2] {
    match state(world).sensors["imu"] {
        Reading::Imu { specific_force, angular_velocity } => [specific_force, angular_velocity],
        ref other => panic!("{other:?}"),
    }
}

fn contact(world: &World, name: &str) -> ContactForce {
    match state(world).sensors[name] {
        Reading::Contact(force) => force,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn an_imu_measures_nothing_in_free_fall_and_weight_at_rest() {
    let frame = Isometry3::new(Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.4, 0.9, -0.3));
    for base in [RobotBase::Floating, RobotBase::Fixed] {
        let mut robot = described(
            r#"<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="mount"/><joint name="glue" type="fixed"><origin xyz="0.1 0 0" rpy="0 0 0.5"/><parent link="b"/><child link="mount"/></joint>
<joint name="j" type="continuous"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"#,
        );
        robot.base = base;
        robot.pose = Isometry3::new(Vector3::zeros(), Vector3::new(0.2, 0.1, 0.7));
        robot.joints[0].motor =
            Some(Motor::Position { target: 0.0, stiffness: 1e7, damping: 1e5, max_force: None });
        robot.sensors = vec![imu("mount", frame)];
        let (pose, to_part) = (robot.pose, robot.articulation.joints()[0].origin);
        let mut world = world_of(robot, WorldOptions::default());
        assert!(state(&world).sensors.is_empty(), "before the first step");
        for _ in 0..60 {
            world.step().unwrap();
        }
        let [force, angular] = measured(&world);
        let up = match base {
            RobotBase::Floating => Vector3::zeros(),
            RobotBase::Fixed => Vector3::z() * 9.81,
        };
        let expected = (pose.rotation * to_part.rotation * frame.rotation).inverse() * up;
        assert!((force - expected).norm() < 1e-3 && angular.norm() < 1e-3, "{base:?}: {force}, {expected}");
    }
}

#[test]
fn an_imu_on_a_wheel_measures_its_centripetal_acceleration() {
    let mut robot = one_joint("continuous", "");
    robot.velocities = vec![4.0];
    // Its x axis points to the axis of the wheel, its y axis down.
    let frame = Isometry3::translation(0.5, 0.0, 0.0)
        * Isometry3::rotation(Vector3::z() * std::f64::consts::PI)
        * Isometry3::rotation(Vector3::x() * std::f64::consts::FRAC_PI_2);
    robot.sensors = vec![imu("load", frame)];
    let mut world = world_of(robot, WorldOptions::default());
    for _ in 0..100 {
        world.step().unwrap();
        let [force, angular] = measured(&world);
        // Of the acceleration ω² r the mean over a step of h loses (ω h)²/24.
        assert!((force - Vector3::new(8.0, 9.81, 0.0)).norm() < 1e-3, "{force}");
        assert!((angular - Vector3::new(0.0, 4.0, 0.0)).norm() < 1e-9, "{angular}");
    }
    // In free rotation without weight the rest is nothing.
    let mut robot = one_joint("continuous", "");
    robot.velocities = vec![4.0];
    robot.sensors = vec![imu("load", Isometry3::identity())];
    let mut world = world_of(robot, weightless());
    world.step().unwrap();
    assert!(measured(&world)[0].norm() < 1e-12);
}

/// A tray on a slide that is inclined, held by a motor, with a box of 2 kg on it, 0.1 m from its middle.
fn loaded_tray(inclination: f64) -> World {
    let mut robot = described(
        r#"<robot name="r"><link name="rail"/><link name="tray"><inertial><mass value="5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="rail"/><child link="tray"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="0"/></joint></robot>"#,
    );
    let rotation = Isometry3::rotation(Vector3::y() * inclination);
    robot.pose = rotation;
    robot.joints[0].motor =
        Some(Motor::Position { target: 0.0, stiffness: 1e5, damping: 1e4, max_force: None });
    robot.sensors = ["tray", "rail"]
        .map(|link| sensor(link, SensorKind::Contact { link: link.into() }))
        .into_iter()
        .chain([sensor("j", SensorKind::Joint { joint: "j".into() })])
        .chain([sensor("f", SensorKind::Frame { link: "tray".into(), frame: Isometry3::identity() })])
        .collect();
    let mut builder = World::builder(WorldOptions::default());
    builder.add_robot(robot).unwrap();
    let pose = rotation * Isometry3::translation(0.1, 0.0, 0.1);
    let mut cube = BodyDescription::new("box", BodyKind::Dynamic, Shape::cuboid(Vector3::repeat(0.1)), pose);
    cube.mass = extricate::dynamics::Mass::Total(2.0);
    builder.add_body(cube).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_link_feels_the_weight_of_what_rests_on_it_friction_included() {
    for inclination in [0.0, 0.2] {
        let mut world = loaded_tray(inclination);
        for _ in 0..960 {
            world.step().unwrap();
        }
        let (tray, rail) = (contact(&world, "tray"), contact(&world, "rail"));
        let weight = Vector3::new(0.0, 0.0, -2.0 * 9.81);
        assert!((tray.force - weight).norm() < 1e-6, "{inclination}: {tray:?}");
        assert!((tray.normal - 2.0 * 9.81 * inclination.cos()).abs() < 1e-6, "{tray:?}");
        let [arm, origin] = ["box", "r/tray"].map(|name| world.body(name).unwrap().position);
        assert!((tray.moment - (arm - origin).cross(&weight)).norm() < 1e-5, "{inclination}: {tray:?}");
        assert_eq!(rail, ContactForce::default());
        // The motor bears the weight of both along its slide.
        let now = state(&world);
        let Reading::Joint { position, velocity, efforts } = now.sensors["j"] else { panic!("{now:?}") };
        assert_eq!((position, velocity), (now.joints["j"], now.velocities["j"]));
        assert!((efforts.motor - 7.0 * 9.81 * inclination.cos()).abs() < 1e-5, "{efforts:?}");
        let Reading::Frame { pose, .. } = now.sensors["f"] else { panic!("{now:?}") };
        assert!((pose.translation.vector - origin.coords).norm() < 1e-12, "{pose}");
    }
}

#[test]
fn sensors_continue_alike_after_a_checkpoint() {
    let mut world = loaded_tray(0.2);
    for _ in 0..30 {
        world.step().unwrap();
    }
    let mut resumed = loaded_tray(0.2);
    resumed.restore(&world.checkpoint().unwrap()).unwrap();
    for _ in 0..20 {
        assert_eq!(world.robots(), resumed.robots());
        world.step().unwrap();
        resumed.step().unwrap();
    }
    let with_imu = || {
        let mut robot = one_joint("continuous", "");
        robot.velocities = vec![4.0];
        robot.sensors = vec![imu("load", Isometry3::translation(0.5, 0.0, 0.0))];
        world_of(robot, WorldOptions::default())
    };
    let (mut world, mut resumed) = (with_imu(), with_imu());
    world.step().unwrap();
    resumed.restore(&world.checkpoint().unwrap()).unwrap();
    assert_eq!(world.robots(), resumed.robots());
}

#[test]
fn sensors_of_a_file_are_those_of_its_robot_and_wrong_ones_are_refused_by_name() {
    let text = r#"<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="box" size="0.1 0.1 0.1" mass="1"/>
<site name="tip" pos="0.5 0 0" euler="0 0 90"/></body></worldbody><actuator><motor name="m" joint="hinge"/></actuator>
<sensor><accelerometer name="a" site="tip"/><actuatorfrc name="t" actuator="m"/></sensor></mujoco>"#;
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let robot = parse_robot(text, std::path::Path::new("m.xml"), &options).unwrap();
    let mut robot = RobotDescription::new("r", robot, Isometry3::identity());
    robot.joints[0].friction = 100.0;
    let mut world = world_of(robot.clone(), WorldOptions::default());
    for _ in 0..200 {
        world.step().unwrap();
    }
    let now = state(&world);
    let Reading::Imu { specific_force, .. } = now.sensors["a"] else { panic!("{now:?}") };
    assert!((specific_force - Vector3::z() * 9.81).norm() < 1e-6, "{specific_force}");
    assert!(matches!(now.sensors["t"], Reading::Joint { .. }), "{now:?}");
    let message = |sensors: Vec<Sensor>| {
        let mut builder = World::builder(WorldOptions::default());
        let robot = RobotDescription { sensors, ..robot.clone() };
        builder.add_robot(robot).map(drop).unwrap_err().to_string()
    };
    let joint = |joint: &str| sensor("s", SensorKind::Joint { joint: joint.into() });
    assert!(message(vec![joint("hinge"), joint("hinge")]).contains("duplicate sensor \"s\""));
    assert!(message(vec![joint("door")]).contains("sensor \"s\" is at joint \"door\""));
    assert!(message(vec![imu("claw", Isometry3::identity())]).contains("there is no link \"claw\""));
}
