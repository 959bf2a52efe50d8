//! Loads that robots bear, beside Coulomb's law.

use std::path::Path;

use extricate::Scene;
use extricate::dynamics::{
    BodyDescription, BodyKind, Mass, Motor, RobotDescription, Shape, World, WorldOptions,
};
use nalgebra::{Isometry3, Vector3};

use super::{described, state};

/// Mass of the box, whose weight is 5 N \[kg\].
const MASS: f64 = 5.0 / 9.81;

/// Height of a box that two fingers hold at µ = 0.5 with a force in all \[N\], while the scene runs: at the times that are asked for.
fn heights<const N: usize>(force: f64, times: [f64; N]) -> [f64; N] {
    let text = format!(
        r#"(title: "hold", duration: 10, shapes: {{"box": cuboid(size: (0.08, 0.08, 0.08))}},
bodies: [(name: "box", shape: "box", mass: {MASS}, friction: 0.5, position: (0, 0, 0.089))],
robots: [(name: "gripper", file: "../../assets/robots/gripper.urdf", friction: 0.5, joints: {{"grip": metres(0.03)}},
motors: {{"lift": position(target: metres(0), stiffness: 20000, damping: 800), "grip": effort(target: {force})}})])"#
    );
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/robots/hold.ron");
    let mut world = Scene::parse(&place, text).unwrap().world().unwrap();
    times.map(|time| {
        while world.time() < time - 1e-9 {
            world.step().unwrap();
        }
        world.body("box").unwrap().position.z
    })
}

#[test]
fn fingers_hold_a_box_that_friction_can_hold_without_slip() {
    // 6 N at each finger bear 6 N of the box's 5 N.
    let [settled, held] = heights(12.0, [0.5, 60.0]);
    assert!((held - settled).abs() < 1e-8, "{settled} {held}");
    assert!((held - 0.089).abs() < 1e-5, "{held}");
}

#[test]
fn a_box_that_friction_cannot_hold_slides() {
    let force = 9.5;
    let [first, second, third] = heights(force, [0.025, 0.05, 0.075]);
    // Without the fall before the fingers press.
    let rate = -(first - 2.0 * second + third) / (0.025 * 0.025);
    // Friction bears no more than Coulomb's bound, and of that all but the part that rotates the box: the pressure may be off its middle.
    let bound = 9.81 - 0.5 * force / MASS;
    assert!(rate > 0.999 * bound && rate < 1.2 * bound, "{rate} {bound}");
}

#[test]
fn a_stack_of_boxes_on_the_tray_of_an_arm_stays_and_its_joints_bear_what_statics_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/robots/tray_bears_boxes.ron");
    let scene = Scene::load(&path).unwrap();
    let mut world = scene.world().unwrap();
    let boxes: Vec<String> = (0..5).map(|index| format!("box{index}")).collect();
    let places =
        |world: &World| -> Vec<_> { boxes.iter().map(|name| world.body(name).unwrap().position).collect() };
    let start = places(&world);
    while world.time() < 10.0 - 1e-9 {
        world.step().unwrap();
        for (place, start) in places(&world).iter().zip(&start) {
            assert!((place - start).norm() < 1e-3, "{place} from {start} at {} s", world.time());
        }
    }
    // Masses of the links with the x of their centres, then the boxes; the weights act at the angles of the targets.
    let arm = [(3.0, 0.1), (2.0, 0.4), (0.5, 0.6), (1.0, 0.85)];
    let stack = [1.0, 1.0, 2.0, 3.0, 4.0].map(|mass| (mass, 0.87));
    let weights: Vec<(f64, f64)> = arm.into_iter().chain(stack).collect();
    let moment =
        |x: f64, first: usize| weights[first..].iter().map(|(mass, at)| mass * 9.81 * (at - x)).sum::<f64>();
    let efforts = world.robot("waiter").unwrap().efforts;
    // The joints rotate by the right hand about y, and the roll about x: what bears a weight in front is negative.
    let wanted = [
        ("shoulder", -moment(0.0, 0)),
        ("elbow", -moment(0.2, 1)),
        ("pitch", -moment(0.6, 2)),
        ("roll", 11.0 * 9.81 * 0.03),
    ];
    for (joint, wanted) in wanted {
        let borne = efforts[joint].motor;
        assert!((borne - wanted).abs() < 0.01 * wanted.abs(), "{joint}: {borne} N m for {wanted}");
    }
    assert!(efforts["turn"].motor.abs() < 0.01 * 11.0 * 9.81, "{:?}", efforts["turn"]);
}

/// Sizes of the boxes of a wall \[m\]: those of a slender one, and of one that does not topple; and their mass \[kg\].
const CUBES: [f64; 3] = [0.1, 0.1, 0.1];
const SLABS: [f64; 3] = [0.5, 0.1, 0.06];
const BRICK: f64 = 0.2;
/// Mass of the plate that pushes it \[kg\].
const PLATE: f64 = 5.0;
/// Coefficient of friction of everything around the wall.
const FRICTION: f64 = 0.5;

/// A plate of a size \[m\] that a motor slides along x, against a wall from its place.
fn pusher([width, height]: [f64; 2], [x, z]: [f64; 2], motor: Motor) -> RobotDescription {
    let mut robot = described(&format!(
        r#"<robot name="r"><link name="rail"/><link name="plate"><inertial><mass value="{PLATE}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><geometry><box size="0.1 {width} {height}"/></geometry></collision></link>
<joint name="j" type="prismatic"><parent link="rail"/><child link="plate"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" velocity="0"/></joint></robot>"#
    ));
    robot.pose = Isometry3::translation(x - 0.05, 0.0, z);
    robot.joints[0].motor = Some(motor);
    robot.friction = 0.0;
    robot
}

/// A wall of ten by ten boxes, a millimetre apart from one another across x, with a robot.
fn wall([depth, width, height]: [f64; 3], robot: RobotDescription) -> World {
    let mut builder = World::builder(WorldOptions::default());
    let floor = BodyDescription::new("floor", BodyKind::Fixed, Shape::half_space(), Isometry3::identity());
    builder.add_body(BodyDescription { friction: FRICTION, ..floor }).unwrap();
    for index in 0..100_u8 {
        let [row, column] = [index / 10, index % 10].map(f64::from);
        let pose = Isometry3::translation(0.0, (column - 4.5) * (width + 0.001), height * (0.5 + row));
        let shape = Shape::cuboid(Vector3::new(depth, width, height));
        let brick = BodyDescription::new(format!("b{index}"), BodyKind::Dynamic, shape, pose);
        builder.add_body(BodyDescription { mass: Mass::Total(BRICK), friction: FRICTION, ..brick }).unwrap();
    }
    builder.add_robot(robot).unwrap();
    builder.build().unwrap()
}

#[test]
fn a_wall_of_a_hundred_boxes_holds_or_accelerates_as_friction_and_newton_say() {
    let (weight, mass) = (100.0 * BRICK * 9.81, 100.0 * BRICK + PLATE);
    // The plate may bear a part of the weight, by the friction of its face: half of that of the boxes with one another.
    for force in [0.85, 1.5].map(|part| part * FRICTION * weight) {
        let motor = Motor::Effort { target: force, max_force: None };
        let mut world = wall(SLABS, pusher([1.1, 0.6], [-0.25, 0.3], motor));
        while world.time() < 0.25 - 1e-9 {
            let report = world.step().unwrap();
            assert!(report.max_penetration < 1e-3, "{} m", report.max_penetration);
        }
        let [smallest, largest] = [0.0, 0.5 * FRICTION * force]
            .map(|borne| 0.5 * (force - FRICTION * (weight - borne)).max(0.0) / mass * world.time().powi(2));
        for index in 0..100 {
            let moved = world.body(&format!("b{index}")).unwrap().position.x;
            let place = format!("{force} N, {index}: {moved} m, {smallest} to {largest}");
            assert!(moved > 0.99 * smallest - 1e-4 && moved < 1.01 * largest + 1e-4, "{place}");
        }
    }
}

#[test]
fn a_wall_that_a_robot_pushes_over_gains_no_energy_but_the_work_of_its_motor() {
    let motor = Motor::Velocity { target: 0.5, damping: 2e3, max_force: Some(200.0) };
    let mut world = wall(CUBES, pusher([0.3, 0.1], [-0.05, 0.75], motor));
    let (start, mut last) = (world.energy().total(), 0.0);
    let (mut work, mut lifted, mut impulse) = (0.0, 0.0, 0.0);
    let weight = 100.0 * BRICK * 9.81;
    while world.time() < 0.6 {
        let report = world.step().unwrap();
        let now = state(&world);
        let (at, effort) = (now.joints["j"], now.efforts["j"].motor);
        work += effort * (at - last);
        impulse += effort * WorldOptions::default().time_step;
        lifted += report.lifted;
        last = at;
        let gain = report.energy.total() - start - work - lifted;
        assert!(gain < 1e-4 * weight * 0.5, "{gain} J at {} s", world.time());
        assert!(report.max_penetration < 1e-3, "{} m at {} s", report.max_penetration, world.time());
        // Friction of the floor gives no more than its part of the weight, and of what falls.
        let momentum: Vector3<f64> =
            (0..100).map(|index| world.body(&format!("b{index}")).unwrap().linear_velocity * BRICK).sum();
        let of_floor = FRICTION * (weight * world.time() + momentum.z);
        assert!(
            momentum.x < impulse + of_floor && momentum.y.abs() < of_floor,
            "{momentum} of {impulse} N s"
        );
    }
    assert!(last > 0.2 && world.body("b74").unwrap().position.x > 0.1, "{last} m");
}
