//! Contacts of robots: links with one another, with the ground, and impacts through joints.

use std::f64::consts::PI;

use extricate::dynamics::{
    BodyDescription, BodyKind, Motor, RobotBase, RobotDescription, Shape, World, WorldOptions,
};
use extricate::proximity::AllowedReason;
use nalgebra::Isometry3;

use super::{described, state, weightless, world_of};

#[test]
fn links_that_overlap_where_joints_hardly_let_them_part_are_not_thrown() {
    // The ball of the tip is 5 mm within that of the base, straight below its hinge but for a tenth of a millimetre: to push it out, the
    // hinge would have to rotate by radians in a step, against its motor.
    let ball = |at: f64, radius: f64| {
        format!(
            r#"<collision><origin xyz="0 0 {at}"/><geometry><sphere radius="{radius}"/></geometry></collision>"#
        )
    };
    let link = |name: &str, balls: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="0.5"/>
<inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>{balls}</link>"#
        )
    };
    let text = format!(
        r#"<robot name="r">{}{}{}
<joint name="j" type="continuous"><parent link="base"/><child link="middle"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="continuous"><parent link="middle"/><child link="tip"/><origin xyz="0.0001 0 0.15"/><axis xyz="0 1 0"/></joint></robot>"#,
        link("base", &ball(0.0, 0.045)),
        link("middle", &ball(0.3, 0.02)),
        link("tip", &ball(-0.1, 0.01)),
    );
    let mut robot = described(&text);
    robot.base = RobotBase::Floating;
    robot.friction = 0.0;
    for joint in &mut robot.joints {
        joint.motor =
            Some(Motor::Position { target: 0.0, stiffness: 2e3, damping: 100.0, max_force: Some(40.0) });
    }
    let mut world = world_of(robot, weightless());
    let mut deepest = 0.0_f64;
    while world.time() < 0.5 {
        let report = world.step().unwrap();
        deepest = deepest.max(report.max_penetration);
        assert!(report.max_speed < 0.5, "{} m/s at {}", report.max_speed, world.time());
        let angle = state(&world).joints["k"];
        assert!(angle.abs() < 0.01, "{angle} rad at {}", world.time());
    }
    assert!(deepest > 1e-3, "they do not touch: {deepest} m");
}

/// Two boxes on a rail that start in one another by 40 mm, held there by motors of an effort and a maximum speed.
fn jammed_slides() -> RobotDescription {
    let slide = |name: &str, x: f64| {
        format!(
            r#"<link name="{name}"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="j_{name}" type="prismatic"><origin xyz="{x} 0 0"/><parent link="rail"/><child link="{name}"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="300" velocity="0.2"/></joint>"#
        )
    };
    let mut robot = described(&format!(
        r#"<robot name="r"><link name="rail"/>{}{}</robot>"#,
        slide("a", 0.0),
        slide("b", 0.06)
    ));
    for joint in &mut robot.joints {
        joint.motor =
            Some(Motor::Position { target: 0.0, stiffness: 2000.0, damping: 100.0, max_force: None });
    }
    robot
}

#[test]
fn an_overlap_that_is_recovered_faster_than_motors_drive_throws_no_link_and_takes_one_solve() {
    let mut world = world_of(jammed_slides(), WorldOptions { time_step: 1.0 / 480.0, ..weightless() });
    let start = world.energy().total();
    let mut widest = 0.0_f64;
    while world.time() < 0.5 {
        let before = state(&world).joints["j_b"];
        let report = world.step().unwrap();
        widest = widest.max(480.0 * (state(&world).joints["j_b"] - before));
        let (gain, robots) = (report.energy.total() - start, report.robots.unwrap());
        assert!(
            gain < 1e-6 && report.max_speed < 1e-6,
            "{gain} J, {} m/s at {}",
            report.max_speed,
            world.time()
        );
        assert!(robots.solves == 1 && robots.exceeding == 0, "{robots:?} at {}", world.time());
    }
    assert!(widest > 0.4, "the overlap is recovered no faster than motors drive: {widest} m/s");
}

#[test]
fn links_push_one_another_unless_they_are_allowed_to_collide() {
    let slide = |name: &str, x: f64| {
        format!(
            r#"<link name="{name}"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<joint name="j_{name}" type="prismatic"><origin xyz="{x} 0 0"/><parent link="rail"/><child link="{name}"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="0" velocity="0"/></joint>"#
        )
    };
    let text =
        format!(r#"<robot name="r"><link name="rail"/>{}{}</robot>"#, slide("a", 0.0), slide("b", 0.3));
    for allowed in [false, true] {
        let mut robot = described(&text);
        let a = robot.joint("j_a").unwrap();
        robot.joints[a].motor = Some(Motor::Velocity { target: 0.5, damping: 100.0, max_force: None });
        if allowed {
            robot.allowed = vec![["b".into(), "a".into()]];
        }
        let mut world = world_of(robot, weightless());
        let expected: &[_] = if allowed { &[AllowedReason::Given] } else { &[] };
        let reasons = world.allowed_collisions("r").unwrap().iter().map(|pair| pair.because);
        assert_eq!(reasons.collect::<Vec<_>>(), expected);
        while world.time() < 1.5 {
            world.step().unwrap();
        }
        let joints = state(&world).joints;
        if allowed {
            assert!(joints["j_a"] > 0.7 && joints["j_b"].abs() < 1e-9, "{joints:?}");
        } else {
            let gap = 0.3 + joints["j_b"] - joints["j_a"] - 0.1;
            assert!(gap > -1e-3 && joints["j_b"] > 0.3, "gap {gap}: {joints:?}");
        }
    }
}

#[test]
fn a_floating_robot_falls_onto_the_ground_and_rests_there() {
    let text = r#"<robot name="r">
<link name="trunk"><collision><geometry><box size="0.4 0.2 0.1"/></geometry></collision></link>
<link name="tail"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.2 0.1 0.06"/></geometry></collision></link>
<joint name="j" type="revolute"><origin xyz="0.2 0 0"/><parent link="trunk"/><child link="tail"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="0" velocity="0"/></joint></robot>"#;
    let mut robot = described(text);
    robot.base = RobotBase::Floating;
    robot.pose = Isometry3::translation(0.0, 0.0, 0.2);
    let mut builder = World::builder(WorldOptions::default());
    let ground = Shape::half_space();
    builder.add_body(BodyDescription::new("ground", BodyKind::Fixed, ground, Isometry3::identity())).unwrap();
    builder.add_robot(robot).unwrap();
    let mut world = builder.build().unwrap();
    while world.time() < 2.0 {
        world.step().unwrap();
    }
    let trunk = world.body("r/trunk").unwrap();
    assert!((trunk.position.z - 0.05).abs() < 1e-3, "{trunk:?}");
    assert!(trunk.linear_velocity.norm() < 1e-3, "{trunk:?}");
    // The tail, 0.25 m long and 0.06 m thick, hangs from the hinge at a height of 0.05 m and lies on the edge of its end.
    let angle = state(&world).joints["j"];
    let lowest = 0.05 - 0.25 * angle.sin() - 0.03 * angle.cos();
    assert!(lowest.abs() < 1e-3, "the end of the tail is at {lowest}, its angle {angle}");
}

#[test]
fn the_impact_of_a_pendulum_runs_through_a_row_of_them_to_the_last() {
    let options = WorldOptions { time_step: 1.0 / 960.0, ..WorldOptions::default() };
    let mut builder = World::builder(options);
    for i in 0..5 {
        let text = r#"<robot name="r"><link name="hook"/><link name="ball"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
<inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/></inertial>
<collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="hook"/><child link="ball"/><axis xyz="0 1 0"/></joint></robot>"#;
        let mut robot = described(text);
        robot.name = format!("r{i}");
        robot.pose = Isometry3::translation(0.2 * f64::from(i), 0.0, 2.0);
        (robot.restitution, robot.friction) = (1.0, 0.0);
        if i == 0 {
            robot.configuration = vec![0.3];
        }
        builder.add_robot(robot).unwrap();
    }
    let mut world = builder.build().unwrap();
    // Half a period: down, and up on the other side.
    let period = 2.0 * PI * (1.004_f64 / 9.81).sqrt();
    let mut highest = [0.0_f64; 5];
    while world.time() < 0.55 * period {
        world.step().unwrap();
        if world.time() > 0.27 * period {
            for (i, highest) in highest.iter_mut().enumerate() {
                let angle = world.robot(&format!("r{i}")).unwrap().joints["j"];
                *highest = highest.max(angle.abs());
            }
        }
    }
    assert!((highest[4] - 0.3).abs() < 0.003, "{highest:?}");
    assert!(highest[..4].iter().all(|angle| *angle < 0.01), "{highest:?}");
}
