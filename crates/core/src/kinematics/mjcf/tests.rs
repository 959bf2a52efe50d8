//! Tests against numbers by MuJoCo 4.0.0 (`pip install mujoco`, `mj_kinematics`).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use extricate_test_support::ScratchFolder;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use super::ModelFiles;
use crate::geometry::read::reach::FileScope;
use crate::kinematics::closure::ClosureKind;
use crate::kinematics::urdf::{ActuatorKind, JointSpring, Robot, RobotFileError, Servo, Shapes, UrdfOptions};
use crate::kinematics::{SensorKind, parse_robot, read_robot};
use crate::proximity::{AllowedCollisions, ArticulatedModel};

fn parse(text: &str) -> Result<Robot, RobotFileError> {
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    parse_robot(text, Path::new("m.xml"), &options)
}

/// A model with these elements in its world, and behind it.
fn world(bodies: &str, more: &str) -> String {
    format!("<mujoco><worldbody>{bodies}</worldbody>\n{more}</mujoco>")
}

fn corrections(text: &str) -> Vec<String> {
    parse(text).unwrap().corrections.iter().map(ToString::to_string).collect()
}

/// Poses of the links, with joints at these values.
fn poses(robot: &Robot, values: &[(&str, f64)]) -> Vec<Isometry3<f64>> {
    let values: BTreeMap<_, _> = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let configuration = robot.articulation.configuration(&values).unwrap();
    robot.articulation.link_poses(&configuration, &Isometry3::identity()).unwrap()
}

const ARM: &str = r#"<mujoco model="arm"><compiler angle="degree" eulerseq="zyx"/>
<default><geom density="500"/><default class="strong"><joint damping="2" frictionloss="0.5" range="-60 120"/>
<geom type="capsule" size="0.05"/><default class="weak"><joint axis="0 1 0"/></default></default></default>
<worldbody><geom type="plane" size="0 0 1"/>
<body name="column" pos="0 0 0.5" euler="30 20 10" childclass="strong">
<geom fromto="0 0 -0.4 0.1 0 0.4"/>
<body name="arm" pos="0.1 0.2 0.4" xyaxes="1 0.5 0 0 1 0.2">
<joint name="twist" axis="0 0 1" pos="0.05 0 0"/>
<joint name="slide" type="slide" axis="1 1 0" range="-0.2 0.3" ref="0.1"/>
<joint name="lift" class="weak" pos="0 0.1 0.2" ref="15"/>
<geom name="a" type="box" size="0.2 0.05 0.03" pos="0.2 0 0" zaxis="1 2 3" mass="1.5"/>
<frame pos="0.4 0 0" axisangle="0 1 0 40"><geom type="cylinder" size="0.04 0.2"/>
<geom type="ellipsoid" size="0.1 0.05 0.02" pos="0 0.3 0" quat="1 1 0 0"/>
<body name="hand" pos="0 0 0.3"><joint name="wrist" type="ball" range="0 90"/>
<geom type="sphere" size="0.06" pos="0.1 0 0"/>
<geom type="mesh" mesh="wedge" pos="0 0 0.1" euler="0 90 0"/></body></frame>
</body></body>
<body name="free" pos="1 2 3" euler="90 0 0"><freejoint name="root"/>
<inertial pos="0.1 0 0" quat="0.6 0.8 0 0" mass="2" diaginertia="0.1 0.2 0.25"/><geom size="0.1"/></body>
</worldbody>
<asset><mesh name="wedge" vertex="0 0 0 1 0 0 0 1 0 0 0 1 0.3 0.3 0.3" scale="0.2 0.1 0.3"
face="0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4" refpos="0.1 0 0" refquat="0.8 0 0.6 0"/></asset>
</mujoco>"#;

/// A configuration of the arm.
const VALUES: [(&str, f64); 12] = [
    ("twist", 0.7),
    ("slide", 0.25),
    ("lift", -0.6),
    ("wrist/yaw", 0.3),
    ("wrist/pitch", 0.2),
    ("wrist/roll", -0.1),
    ("root/x", 0.1),
    ("root/y", 0.2),
    ("root/z", 0.3),
    ("root/yaw", 0.3),
    ("root/pitch", -0.4),
    ("root/roll", 0.5),
];

/// Mass, centre, and the moments xx, yy, zz, xy, xz, yz about it, in the axes of the world.
const EXPECTED: [(&str, f64, [f64; 3], [f64; 6]); 4] = [
    (
        "column",
        3.4278406019744136,
        [0.040689884067, 0.02349231552, 0.482898992834],
        [0.171179793449, 0.218981255022, 0.054527155001, -0.007840526519, -0.090159355314, -0.014410398681],
    ),
    (
        "arm",
        2.7147491593880533,
        [0.209830491026, 0.620765243078, 1.223139096995],
        [0.061088753303, 0.059018859569, 0.041276051700, -0.006881319819, -0.006284489993, -0.017147381185],
    ),
    (
        "hand",
        0.9023893599983236,
        [0.426224291361, 0.66611694072, 1.619378560247],
        [0.006814710069, 0.005495958386, 0.003627750573, 0.000904445023, -0.001581912395, 0.001804932356],
    ),
    (
        "free",
        2.0,
        [0.77278078647, 2.187992317628, 3.338941834231],
        [0.210314041205, 0.133709829581, 0.205976129213, 0.037999576966, -0.008756891142, -0.049609564377],
    ),
];

/// Vertices of its mesh there.
const CORNERS: [[f64; 3]; 5] = [
    [0.482458851303, 0.564706148459, 1.621208627841],
    [0.37811041762, 0.838100449552, 1.642350100737],
    [0.395282483142, 0.5288510842, 1.654595685678],
    [0.535073542703, 0.618829395853, 1.816714045674],
    [0.440785816202, 0.652204895984, 1.696218814819],
];

#[test]
fn masses_and_shapes_are_where_mujoco_puts_them_at_a_configuration() {
    let robot = parse(ARM).unwrap();
    let poses = poses(&robot, &VALUES);
    // MuJoCo keeps the vertices of meshes in single precision.
    let near = |found: f64, expected: f64| (found - expected).abs() < 1e-7;
    for (name, mass, center, [xx, yy, zz, xy, xz, yz]) in EXPECTED {
        let link = robot.articulation.link(name).unwrap();
        let own = robot.inertials[link].unwrap();
        let rotation = poses[link].rotation.to_rotation_matrix();
        let inertia = rotation.matrix() * own.inertia * rotation.matrix().transpose();
        assert!(near(own.mass, mass), "{name}: {}", own.mass);
        assert!((poses[link] * own.center - Point3::from(center)).norm() < 1e-7, "{name}");
        let expected = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        assert!((inertia - expected).amax() < 1e-7, "{name}: {inertia}");
    }
    let hand = robot.articulation.link("hand").unwrap();
    let mesh = robot.meshes[hand].as_ref().unwrap().transformed(&poses[hand]);
    for corner in CORNERS {
        let corner = Point3::from(corner);
        let nearest = mesh.vertices().iter().map(|p| (p - corner).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-7, "{corner}: {nearest}");
    }
}

#[test]
fn joints_have_the_limits_damping_and_friction_of_their_classes() {
    let robot = parse(ARM).unwrap();
    let joints = robot.articulation.joints();
    let names: Vec<_> = joints.iter().map(|joint| joint.name.as_str()).take(4).collect();
    assert_eq!(names, ["column/fixed", "twist", "slide", "lift"]);
    let limits = |at: usize| joints[at].limits.unwrap();
    assert_eq!(
        limits(1).map(f64::to_bits),
        [-60.0, 120.0].map(|degrees: f64| degrees.to_radians().to_bits())
    );
    assert_eq!(limits(2).map(f64::to_bits), [-0.2, 0.3].map(f64::to_bits));
    assert_eq!((robot.dynamics[3].damping, robot.dynamics[3].friction), (2.0, 0.5));
    assert_eq!((joints[2].rest, joints[3].rest), (0.1, 15.0_f64.to_radians()));
    // At rest a body is in the pose of the file: the anchor of `lift` is in the frame of `twist`.
    let poses = poses(&robot, &[]);
    let [arm, column] = ["arm", "column"].map(|name| poses[robot.articulation.link(name).unwrap()]);
    let expected =
        joints[1].origin.rotation * Point3::new(-0.05, 0.1, 0.2) + joints[1].origin.translation.vector;
    let found = column.inverse_transform_point(&Point3::from(arm.translation.vector));
    assert!((found - expected).norm() < 1e-12, "{found} {expected}");
    let expected = ["m.xml:14: model: limit of a ball or free joint has no counterpart; it is ignored"];
    assert_eq!(corrections(ARM), expected);
    // Without automatic limits a range counts only where it is said to.
    let joint = |compiler: &str, limited: &str| {
        let text = format!(
            "<mujoco><compiler {compiler}/><worldbody><body><joint range='-1 1' {limited}/><geom size='1'/></body></worldbody></mujoco>"
        );
        parse(&text).unwrap().articulation.joints()[0].limits
    };
    assert_eq!(joint("angle='radian'", ""), Some([-1.0, 1.0]));
    assert_eq!(joint("angle='radian' autolimits='false'", ""), None);
    assert_eq!(joint("angle='radian' autolimits='false'", "limited='true'"), Some([-1.0, 1.0]));
    assert_eq!(joint("", "limited='false'"), None);
}

/// A prism over the polygon of an L, which is not convex.
fn prism(convention: &str) -> String {
    let outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)];
    let level = |z: i32| outline.map(|(x, y)| format!("{x} {y} {z} ")).concat();
    let mut faces = String::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        faces += &format!("{c} {b} {a} {} {} {} ", a + 6, b + 6, c + 6);
    }
    for (i, j) in (0..6).map(|i| (i, (i + 1) % 6)) {
        faces += &format!("{i} {j} {} {i} {} {} ", j + 6, j + 6, i + 6);
    }
    let mesh = format!("<mesh name='l' vertex='{}{}' face='{faces}' {convention}/>", level(0), level(1));
    world("<body name='l'><joint/><geom type='mesh' mesh='l'/></body>", &format!("<asset>{mesh}</asset>"))
}

#[test]
fn the_inertia_of_a_mesh_follows_the_convention_of_its_asset() {
    let expected = [
        ("", 4161.34054408, [0.77519666, 1.24201082, 0.5], [1219.5851517, 3697.26898675, 4234.05341737]),
        ("inertia='exact'", 4000.0, [0.75, 1.25, 0.5], [1166.66666667, 3666.66666667, 4166.66666667]),
        (
            "inertia='convex'",
            5000.0,
            [0.86666667, 1.33333333, 0.5],
            [1658.24551457, 4030.64337432, 4855.55555556],
        ),
        (
            "inertia='shell'",
            18000.0,
            [0.77777778, 1.27777778, 0.5],
            [8627.48602131, 21428.06953424, 24388.88888889],
        ),
    ];
    for (convention, mass, center, moments) in expected {
        let own = parse(&prism(convention)).unwrap().inertials[1].unwrap();
        let mut found: [f64; 3] = own.inertia.symmetric_eigenvalues().into();
        found.sort_by(f64::total_cmp);
        assert!((own.mass - mass).abs() < 1e-6, "{convention}: {}", own.mass);
        assert!((own.center - Point3::from(center)).norm() < 1e-7, "{convention}: {}", own.center);
        assert!((Vector3::from(found) - Vector3::from(moments)).norm() < 1e-6, "{convention}: {found:?}");
    }
}

#[test]
fn the_compiler_bounds_balances_and_scales_masses() {
    let inertial = |compiler: &str, moments: &str| {
        let body = format!("<body><joint/><inertial pos='0 0 0' mass='3' diaginertia='{moments}'/></body>");
        let text = world(&body, &format!("<compiler {compiler}/>"));
        parse(&text).unwrap().inertials[1].unwrap()
    };
    let bounded = inertial("boundmass='5' boundinertia='2'", "1 2.5 3");
    assert_eq!((bounded.mass, bounded.inertia.diagonal()), (5.0, Vector3::new(2.0, 2.5, 3.0)));
    let balanced = inertial("balanceinertia='true'", "1 2.5 30").inertia.diagonal();
    assert!((balanced - Vector3::repeat(33.5 / 3.0)).norm() < 1e-12);
    let total = inertial("settotalmass='6'", "1 2 2.5");
    assert_eq!((total.mass, total.inertia[(0, 0)]), (6.0, 2.0));
    let of = |setting: &str| {
        let body = "<body><joint/><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/><geom type='box' size='.5 .5 .5'/></body>";
        let text = world(body, &format!("<compiler inertiafromgeom='{setting}'/>"));
        parse(&text).unwrap().inertials[1].unwrap().mass
    };
    assert_eq!((of("auto"), of("false")), (3.0, 3.0));
    assert!((of("true") - 1000.0).abs() < 1e-9);
}

#[test]
fn exclusions_and_masks_are_exempt_pairs_and_geoms_without_masks_are_visual() {
    let body =
        |name: &str, geom: &str| format!("<body name='{name}'><joint/><geom size='.1' {geom}/></body>");
    let bodies = [
        body("a", ""),
        body("b", "contype='2' conaffinity='2'"),
        body("c", "contype='0' conaffinity='3'"),
        body("d", ""),
        body("e", "contype='0' conaffinity='0'"),
        body("f", "group='3'"),
    ];
    let text = world(&bodies.concat(), "<contact><exclude body1='d' body2='a'/></contact>");
    let robot = parse(&text).unwrap();
    let pairs: Vec<_> = robot.exempt.iter().map(|pair| pair.concat()).collect();
    assert_eq!(pairs, ["ab", "ad", "bd", "bf"]);
    let shaped = |shapes: Shapes| -> String {
        let options = UrdfOptions { shapes, ..UrdfOptions::default() };
        let robot = parse_robot(&text, Path::new("m.xml"), &options).unwrap();
        let links = robot.articulation.links().iter().zip(&robot.meshes);
        links.filter(|(_, mesh)| mesh.is_some()).map(|(name, _)| name.as_str()).collect()
    };
    assert_eq!((shaped(Shapes::Collision), shaped(Shapes::Visual)), ("abcdf".into(), "abcde".into()));
}

const FINGERS: &str = "<body><joint name='a' ref='30'/><geom size='1'/></body><body><joint name='b' ref='10'/><geom size='1'/></body>\
    <body><joint name='c'/><geom size='1'/></body>";

#[test]
fn a_linear_constraint_of_two_joints_is_mimicked_and_others_are_named() {
    let equality = "<equality><joint joint1='a' joint2='b' polycoef='0.1 2 0 0 0'/><joint joint1='b' joint2='a'/>\n\
        <joint joint1='c' joint2='b' polycoef='0 1 3'/><weld body1='x' body2='y'/><joint joint1='c' joint2='a' active='false'/></equality>";
    let text = world(FINGERS, equality);
    let robot = parse(&text).unwrap();
    let joint = &robot.articulation.joints()[0];
    let mimic = joint.mimic.clone().unwrap();
    // By MuJoCo: q_a − 30° = 0.1 + 2 (q_b − 10°).
    let expected = 0.1 + 10.0_f64.to_radians();
    assert_eq!((mimic.joint.as_str(), mimic.factor), ("b", 2.0));
    assert!((mimic.offset - expected).abs() < 1e-15);
    assert_eq!(robot.articulation.coordinates().len(), 2);
    let kinds = [
        "<weld> has no counterpart",
        "that is not a linear one of two joints, or is redundant has no counterpart, 2 times",
    ];
    let expected = [3, 2]
        .iter()
        .zip(kinds)
        .map(|(line, kind)| format!("m.xml:{line}: model: equality constraint {kind}; it is ignored"));
    let found = corrections(&text);
    assert!(found.len() == 2 && expected.clone().all(|own| found.contains(&own)), "{found:?}");
}

#[test]
fn actuators_are_motors_with_their_gear_and_their_maximum_force() {
    let actuators = "<default><position kp='20'/><general ctrlrange='-3 2'/></default><actuator>\
        <motor joint='a' gear='5'/><position joint='b' kv='2' gear='2' forcerange='-7 4'/>\
        <general joint='c' gainprm='40' biastype='affine' biasprm='0 -40 -3'/><velocity joint='c' kv='1.5'/>\
        <muscle joint='a'/><motor site='s'/></actuator>";
    let text = world(FINGERS, actuators);
    let robot = parse(&text).unwrap();
    let found: Vec<_> = robot.dynamics.iter().map(|own| (own.effort, own.servo)).collect();
    let servo = |stiffness, damping| Some(Servo { stiffness, damping });
    assert_eq!(found, [(Some(15.0), None), (Some(14.0), servo(80.0, 8.0)), (None, servo(40.0, 4.5))]);
    let named = ["actuator <muscle>", "actuator of something other than a joint of the model"];
    let expected = named.map(|kind| format!("m.xml:2: model: {kind} has no counterpart; it is ignored"));
    assert_eq!(corrections(&text), expected);
    let kinds: Vec<_> = robot.dynamics.iter().map(|own| own.actuator).collect();
    assert_eq!(kinds, [Some(ActuatorKind::Effort), None, None]);
    // A cylinder of 0.2 m² at up to 10 Pa; activations are not held.
    let more = "<actuator><cylinder joint='a' area='0.2' ctrlrange='-10 10' timeconst='2'/><intvelocity joint='b' kp='7' kv='1'/>\
        <position joint='c' kp='5' timeconst='1'/><general joint='c' dyntype='integrator'/><general joint='c' dyntype='none'/></actuator>";
    let text = world(FINGERS, more);
    let robot = parse(&text).unwrap();
    let found: Vec<_> = robot.dynamics.iter().map(|own| (own.effort, own.servo)).collect();
    assert_eq!(found, [(Some(2.0), None), (None, servo(7.0, 1.0)), (None, servo(5.0, 0.0))]);
    let named = ["`dyntype` of <general>", "`timeconst` of <cylinder>", "`timeconst` of <position>"];
    let expected = named.map(|kind| format!("m.xml:2: model: {kind} has no counterpart; it is ignored"));
    assert_eq!(corrections(&text), expected);
}

#[test]
fn sensors_of_joints_sites_and_bodies_are_read_and_others_named_once() {
    let body = "<body name='arm' pos='0 0 1'><joint name='hinge' pos='0.1 0 0'/><geom size='1'/>\
        <frame pos='0 0 0.5'><site name='tip' pos='0.5 0 0' euler='0 0 90'/></frame></body>";
    let sensors = "<actuator><motor name='m' joint='hinge'/></actuator><sensor><jointpos joint='hinge'/>\
        <jointvel name='v' joint='hinge'/><actuatorfrc name='f' actuator='m'/><accelerometer name='a' site='tip'/>\
        <gyro name='g' site='tip'/><touch name='t' site='tip'/><framepos name='p' objtype='site' objname='tip'/>\
        <framequat name='q' objtype='xbody' objname='arm'/><framepos name='r' objtype='site' objname='tip' reftype='xbody' refname='arm'/>\
        <rangefinder site='tip'/><rangefinder site='tip'/><jointpos joint='door'/></sensor>";
    let text = world(body, sensors);
    let found = parse(&text).unwrap().sensors;
    // The frame of a link is at its joint.
    let frame = Isometry3::translation(0.4, 0.0, 0.5)
        * Isometry3::rotation(Vector3::z() * std::f64::consts::FRAC_PI_2);
    let joint = || SensorKind::Joint { joint: "hinge".into() };
    let at = |made: &dyn Fn(String, Isometry3<f64>) -> SensorKind| made("arm".into(), frame);
    let imu = || at(&|link, frame| SensorKind::Imu { link, frame });
    let expected = [
        ("jointpos0", joint()),
        ("v", joint()),
        ("f", joint()),
        ("a", imu()),
        ("g", imu()),
        ("t", SensorKind::Contact { link: "arm".into() }),
        ("p", at(&|link, frame| SensorKind::Frame { link, frame })),
        ("q", SensorKind::Frame { link: "arm".into(), frame: Isometry3::translation(-0.1, 0.0, 0.0) }),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (sensor, (name, kind)) in found.iter().zip(&expected) {
        assert_eq!(sensor.name, *name);
        match (&sensor.kind, kind) {
            (SensorKind::Imu { link, frame }, SensorKind::Imu { link: other, frame: exact })
            | (SensorKind::Frame { link, frame }, SensorKind::Frame { link: other, frame: exact }) => {
                assert_eq!(link, other);
                assert!((frame.to_homogeneous() - exact.to_homogeneous()).norm() < 1e-14, "{name}: {frame}");
            }
            (found, expected) => assert_eq!(found, expected, "{name}"),
        }
    }
    let named = |kind: &str, times: &str| {
        format!("m.xml:2: model: sensor <{kind}> has no counterpart{times}; it is ignored")
    };
    let all = corrections(&text);
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(all.contains(&named("rangefinder", ", 2 times")), "{all:?}");
    assert!(all.contains(&named("jointpos", "")) && all.contains(&named("framepos", "")), "{all:?}");
    assert!(all.iter().any(|own| own.ends_with("it measures all contacts of its body")), "{all:?}");
    let twice = "<sensor><jointpos name='s' joint='hinge'/><jointvel name='s' joint='hinge'/></sensor>";
    assert!(parse(&world(body, twice)).unwrap_err().to_string().contains("duplicate sensor \"s\""));
}

#[test]
fn a_robot_on_a_plane_is_free_of_it_and_a_vehicle_may_touch_it_nowhere_unseen() {
    let vehicle = |joints: &str| {
        let body = format!(
            "<geom type='plane' size='1 1 1'/><body name='car' pos='0 0 1.5'>{joints}<geom size='1'/></body>"
        );
        let robot = parse(&world(&body, "")).unwrap();
        let floor = robot.meshes[0].as_ref().unwrap().aabb();
        // The ball reaches 2.5 m from the origin (its mesh a little more): the box is 4 times that wide on each side.
        assert!((floor.extents().x / floor.extents().z - 8.0).abs() < 1e-12 && floor.max.z.abs() < 1e-12);
        assert!((2.5..3.3).contains(&floor.extents().z), "{}", floor.extents());
        AllowedCollisions::adjacent(&ArticulatedModel::of_robot(robot)).iter().count()
    };
    assert_eq!(vehicle("<freejoint/>"), 0);
    assert_eq!(vehicle("<joint type='slide' axis='1 0 0'/><joint type='slide'/><joint axis='0 1 0'/>"), 0);
    assert_eq!(vehicle("<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"), 1);
    assert_eq!(vehicle("<joint type='ball'/>"), 1);
    assert_eq!(vehicle(""), 1);
}

#[test]
fn a_height_field_is_a_solid_with_its_first_row_at_the_far_side() {
    let field = |data: &str| {
        let asset = format!("<asset><hfield name='h' size='2 1 .5 .1' {data}/></asset>");
        parse(&world("<geom type='hfield' hfield='h'/>", &asset)).unwrap()
    };
    let robot = field("nrow='2' ncol='3' elevation='0 1 2 3 4 10'");
    let mesh = robot.meshes[0].as_ref().unwrap();
    // By rays of MuJoCo: 0.5 m at the corner (2, −1), nothing at (−2, 1).
    let has = |x, y, z| mesh.vertices().iter().any(|p| (p - Point3::new(x, y, z)).norm() < 1e-12);
    assert!(has(2.0, -1.0, 0.5) && has(-2.0, 1.0, 0.0) && has(0.0, 1.0, 0.05) && has(-2.0, -1.0, -0.1));
    assert_eq!(crate::geometry::Solidity::of(mesh), crate::geometry::Solidity::Solid);
    let volume = crate::geometry::mass_properties::MassProperties::of_solid(mesh).unwrap().volume;
    assert!(volume > 0.8 && volume < 4.0, "{volume}");
}

#[test]
fn what_a_model_has_and_a_robot_has_not_is_named_once_for_each_kind() {
    let text = world(
        "<body name='b'><joint name='a' springdamper='.1 1' range='1 -1'/><joint name='b' springdamper='.1 1' damping='-1'/><geom size='1'/><site/>\
         <geom type='box' size='1 0 1'/><composite/></body>",
        "<contact><exclude body1='b' body2='c'/></contact><tendon><spatial/><fixed/><spatial/></tendon><sensor/><keyframe><key name='home'/></keyframe><wings/>",
    );
    let found = corrections(&text);
    let expected = [
        "m.xml:1: joint \"a\": the limits are reversed: 1 > -1; they are exchanged",
        "m.xml:1: joint \"b\": `damping` is -1, but must be zero or above; it is zero",
        "m.xml:1: body \"b\": the box has the edges 2, 0 and 2 m; the shape is left out",
        "m.xml:1: model: <composite> has no counterpart; it is ignored",
        "m.xml:1: model: `springdamper` of <joint> has no counterpart, 2 times; it is ignored",
        "m.xml:2: model: <exclude> of an unknown body has no counterpart; it is ignored",
        "m.xml:2: model: <fixed> has no counterpart; it is ignored",
        "m.xml:2: model: <spatial> has no counterpart, 2 times; it is ignored",
        "m.xml:2: model: <wings> has no counterpart; it is ignored",
    ];
    assert_eq!(found, expected);
    let options = UrdfOptions { strict: true, ..UrdfOptions::default() };
    let refused = parse_robot(&text, Path::new("m.xml"), &options).unwrap_err().to_string();
    assert_eq!(refused, "m.xml:1: joint \"a\": the limits are reversed: 1 > -1");
}

#[test]
fn springs_of_hinges_and_slides_are_read_in_the_unit_of_the_file() {
    let joints = "<joint name='h' stiffness='3' springref='90'/><joint name='s' type='slide' stiffness='2' springref='.5'/><joint name='n' springref='7'/>";
    let body = format!("<body name='b'>{joints}<geom size='1'/></body>");
    let robot = parse(&world(&body, "")).unwrap();
    let springs: Vec<_> = robot.dynamics.iter().map(|joint| joint.spring).collect();
    let spring = |stiffness, rest| Some(JointSpring { stiffness, rest });
    assert_eq!(springs, [spring(3.0, std::f64::consts::FRAC_PI_2), spring(2.0, 0.5), None]);
    assert_eq!(robot.corrections, []);
    let ball = "<body name='b'><joint type='ball' stiffness='3'/><geom size='1'/></body>";
    assert_eq!(
        corrections(&world(ball, "")),
        ["m.xml:1: model: `stiffness` of <joint> has no counterpart; it is ignored"]
    );
}

#[test]
fn invalid_models_are_refused_with_file_line_and_cause() {
    let body = |inner: &str| world(&format!("\n<body name='b'>{inner}</body>"), "");
    let cases = [
        ("<mujoco/>".to_owned(), "m.xml:1: <mujoco>: the model has no bodies"),
        (body("<geom size='1 x'/>"), "m.xml:2: <geom>: `size` contains \"x\", but must be finite numbers"),
        (body("<geom size='inf'/>"), "m.xml:2: <geom>: `size` contains \"inf\", but must be finite numbers"),
        (body("<geom size='1' pos='1 2'/>"), "m.xml:2: <geom>: `pos` has 2 numbers, but must have 3"),
        (body("<geom size='-1'/>"), "m.xml:2: <geom>: `size` is negative: -1 0 0"),
        (
            body("<geom type='cone' size='1'/>"),
            "m.xml:2: <geom>: unknown type \"cone\"; known are plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh",
        ),
        (body("<geom size='1' class='x'/>"), "m.xml:2: <geom>: unknown default class \"x\""),
        (body("<geom size='1' quat='0 0 0 0'/>"), "m.xml:2: <geom>: `quat` has no direction"),
        (body("<geom type='mesh' mesh='x'/>"), "m.xml:2: <geom>: unknown mesh \"x\""),
        (body("<joint axis='0 0 0'/>"), "m.xml:2: <joint>: its axis is zero"),
        (
            body("<joint type='screw'/>"),
            "m.xml:2: <joint>: unknown type \"screw\"; known are hinge, slide, ball and free",
        ),
        (body("\n<body name='b'/>"), "m.xml:3: <body>: duplicate name \"b\""),
        (body("<body name='world'/>"), "m.xml:2: <body>: the name \"world\" is that of the world itself"),
        (body("<inertial pos='0 0 0'/>"), "m.xml:2: <inertial>: it has no `mass`"),
    ];
    assert_refused(&cases);
}

#[test]
fn invalid_sections_are_refused_with_file_line_and_cause() {
    let cases = [
        (
            world("<body/>", "<compiler angle='gon'/>"),
            "m.xml:2: <compiler>: `angle` is \"gon\", but must be degree or radian",
        ),
        (
            world("<body/>", "<compiler eulerseq='xya'/>"),
            "m.xml:2: <compiler>: `eulerseq` is \"xya\", but must be three of x, y, z, X, Y, Z",
        ),
        (
            world("<body/>", "<compiler coordinate='global'/>"),
            "m.xml:2: <compiler>: global coordinates are not supported, as by MuJoCo since 2.3.4",
        ),
        (world("<body/>", "<default><default/></default>"), "m.xml:2: <default>: it has no `class`"),
        (world("<body/>", "<asset><mesh name='m' file='../../m.stl'/></asset>"), ""),
    ];
    assert_refused(&cases);
}

/// Checks the messages of texts; those without one are read.
fn assert_refused(cases: &[(String, &str)]) {
    for (text, expected) in cases {
        let found = parse(text).map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn models_that_are_too_deep_or_too_large_are_refused() {
    let deep =
        format!("<mujoco><worldbody>{}{}</worldbody></mujoco>", "<body>".repeat(70), "</body>".repeat(70));
    assert!(parse(&deep).unwrap_err().to_string().contains("nested more than 64 deep"));
    let many = world(&"<body/>".repeat(10_001), "");
    assert!(parse(&many).unwrap_err().to_string().contains("more than 10000 bodies and joints"));
}

#[test]
fn included_files_and_meshes_are_read_within_the_folder_of_the_model() {
    let scratch = ScratchFolder::new();
    let folder = scratch.folder();
    fs::create_dir_all(folder.join("model/meshes")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write("model/meshes/t.obj", tetrahedron);
    write("t.obj", tetrahedron);
    write(
        "model/body.xml",
        "<mujocoinclude>\n<body name='b'><joint/><geom type='mesh' mesh='t'/></body></mujocoinclude>",
    );
    let read = |asset: &str, include: &str| {
        let text = format!(
            "<mujoco><compiler meshdir='meshes'/><asset><mesh {asset}/></asset>\n<worldbody><include file='{include}'/></worldbody></mujoco>"
        );
        write("model/m.xml", &text);
        let path = folder.join("model/m.xml");
        (read_robot(&path, &UrdfOptions::default()), ModelFiles::of(&text, &path, &FileScope::around(&path)))
    };
    let (robot, files) = read("file='t.obj' scale='2 2 2'", "body.xml");
    assert_eq!(robot.unwrap().meshes[1].as_ref().unwrap().aabb().extents(), Vector3::repeat(2.0));
    let files = files.unwrap();
    assert_eq!(files.included(), [folder.join("model/body.xml")]);
    let mut meshes = Vec::new();
    let text = files.with_meshes(&mut |mesh| {
        meshes.push(mesh.to_owned());
        Ok::<_, RobotFileError>("../t.obj".to_owned())
    });
    assert_eq!(meshes, [folder.join("model/meshes/t.obj")]);
    write("model/meshes/single.xml", &text.unwrap().replace("../t.obj", "t.obj"));
    let single = read_robot(folder.join("model/meshes/single.xml"), &UrdfOptions::default()).unwrap();
    assert_eq!(single.meshes[1].as_ref().unwrap().aabb().extents(), Vector3::repeat(2.0));
    let error = |asset: &str, include: &str| {
        read(asset, include).0.unwrap_err().to_string().replace(&*folder.to_string_lossy(), "")
    };
    assert!(error("name='t' file='../../t.obj'", "body.xml").starts_with("/model/m.xml:1: link \"t\": "));
    assert!(error("file='t.obj'", "../t.obj").contains("lies outside of"));
    let twice = "body.xml'/><include file='body.xml";
    assert_eq!(
        error("file='t.obj'", twice),
        "/model/m.xml:2: <include>: file \"body.xml\": it is included twice"
    );
    assert_eq!(
        error("file='t.obj'", "m.xml"),
        "/model/m.xml:2: <include>: file \"m.xml\": it is included twice"
    );
    assert!(
        error("file='t.obj'", "none.xml")
            .starts_with("/model/m.xml:2: <include>: file \"none.xml\": No such file")
    );
    write("model/body.xml", "<mujocoinclude>\n<body name='b'><geom/><geom size='x'/></body></mujocoinclude>");
    assert!(error("file='t.obj'", "body.xml").starts_with("/model/body.xml:2: <geom>: `size`"));
}

#[test]
fn the_binary_meshes_of_mujoco_are_read_and_others_refused() {
    let scratch = ScratchFolder::new();
    let folder = scratch.folder();
    let mut bytes: Vec<u8> = [4_u32, 0, 0, 4].iter().flat_map(|count| count.to_le_bytes()).collect();
    let vertices = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0_f32];
    bytes.extend(vertices.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0_u32, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].iter().flat_map(|corner| corner.to_le_bytes()));
    let path = folder.join("m.xml");
    let asset = "<asset><mesh file='t.msh'/></asset>";
    fs::write(&path, world("<body><joint/><geom type='mesh' mesh='t'/></body>", asset)).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(folder.join("t.msh"), bytes).unwrap();
        read_robot(&path, &UrdfOptions::default())
    };
    let mesh = read(&bytes).unwrap().meshes[1].clone().unwrap();
    assert_eq!(mesh.aabb().extents(), Vector3::new(1.0, 2.0, 3.0));
    let refused = read(&bytes[..bytes.len() - 4]).unwrap_err().to_string();
    assert!(refused.ends_with("t.msh: not a mesh of MuJoCo: its counts do not fit its length"), "{refused}");
    assert!(read(&[0xff; 16]).is_err() && read(&[]).is_err());
}

#[test]
fn bodies_that_are_connected_or_welded_close_loops_at_rest_or_at_the_pose_given() {
    let bodies = "<body name='a' pos='1 0 0'><joint name='j' type='hinge' axis='0 0 1' pos='0.5 0 0'/><geom size='.1'/></body>\
        <body name='b' pos='0 2 0' euler='0 0 90'><joint name='k' axis='0 0 1'/><geom size='.1'/></body>";
    let equality = "<equality><connect name='pin' body1='a' body2='b' anchor='0.25 0 0.5'/><weld body1='a'/>\
        <weld body1='a' body2='b' relpose='0 0 3 0 0 1 0'/><connect site1='s' site2='t'/></equality>";
    let robot = parse(&world(bodies, equality)).unwrap();
    assert_eq!(robot.closures.len(), 3);
    let poses = robot.articulation.link_poses(&[0.0, 0.0], &Isometry3::identity()).unwrap();
    let in_world = |closure: usize, side: usize| {
        let own = &robot.closures[closure];
        poses[robot.articulation.link(&own.links[side]).unwrap()] * own.frames[side]
    };
    // By MuJoCo: the anchor is in the frame of the first body, which is at (1, 0, 0) at rest.
    for side in [0, 1] {
        assert!((in_world(0, side).translation.vector - Vector3::new(1.25, 0.0, 0.5)).norm() < 1e-14);
        assert!((in_world(1, side).translation.vector - Vector3::new(1.0, 0.0, 0.0)).norm() < 1e-14);
    }
    let names: Vec<_> = robot.closures.iter().map(|own| (own.name.as_str(), own.kind)).collect();
    let (point, weld) = (ClosureKind::Point, ClosureKind::Weld);
    assert_eq!(names, [("pin", point), ("weld a world", weld), ("weld a b", weld)]);
    // The second body is to be three metres above the first one, rotated by half a revolution about y.
    let [target, own] = [0, 1].map(|side| in_world(2, side));
    assert!((target.translation.vector - Vector3::new(1.0, 0.0, 3.0)).norm() < 1e-14);
    assert!((target.rotation * Vector3::x() + Vector3::x()).norm() < 1e-14);
    assert!((own.translation.vector - Vector3::new(0.0, 2.0, 0.0)).norm() < 1e-14);
    assert!((own.rotation * Vector3::x() - Vector3::y()).norm() < 1e-12);
}
