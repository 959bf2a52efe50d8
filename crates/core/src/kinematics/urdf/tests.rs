use std::f64::consts::FRAC_PI_2;
use std::fs;
use std::path::Path;

use nalgebra::{Isometry3, Point3, Vector3};

use super::*;
use crate::geometry::procedural::{Cuboid, Procedural};
use crate::geometry::read::reach::FileScope;
use crate::geometry::write::write_mesh;
use crate::kinematics::JointKind;
use std::path::PathBuf;

fn parse(text: &str) -> Result<Robot, RobotFileError> {
    parse_urdf(text, Path::new("robots/r.urdf"), &UrdfOptions::default())
}

fn strict(text: &str) -> Result<Robot, RobotFileError> {
    let options = UrdfOptions { strict: true, ..UrdfOptions::default() };
    parse_urdf(text, Path::new("robots/r.urdf"), &options)
}

/// The corrections of a robot, as they are printed.
fn corrections(text: &str) -> Vec<String> {
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let robot = parse_urdf(text, Path::new("r.urdf"), &options).unwrap();
    let refused = parse_urdf(text, Path::new("r.urdf"), &UrdfOptions { strict: true, ..options });
    let found: Vec<_> = robot.corrections.iter().map(ToString::to_string).collect();
    // A link without mass is the business of what needs masses.
    let found: Vec<_> =
        found.into_iter().filter(|found| !found.contains("it moves and has no mass")).collect();
    assert!(found.is_empty() == refused.is_ok(), "{refused:?}");
    found
}

/// A robot of two links and the joint in between.
fn with_joint(kind: &str, inner: &str) -> String {
    format!(
        r#"<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inner}</joint></robot>"#
    )
}

fn with_shape(shape: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"a\"><collision><origin xyz=\"0 0 1\" rpy=\"0 1.5707963267948966 0\"/>\n<geometry>{shape}</geometry></collision></link></robot>"
    )
}

#[test]
fn joints_are_those_of_the_file() {
    let limit = r#"<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 2 0"/><limit lower="-1" upper="2" effort="1" velocity="1"/>"#;
    let robot = parse(&with_joint("revolute", limit)).unwrap();
    let joint = &robot.articulation.joints()[0];
    assert_eq!(joint.kind, JointKind::Revolute { axis: Vector3::y() });
    assert_eq!(joint.limits, Some([-1.0, 2.0]));
    // Fixed axes: roll first, yaw last.
    let [roll, pitch, yaw] =
        [Vector3::x() * 0.1, Vector3::y() * 0.2, Vector3::z() * 0.3].map(Isometry3::rotation);
    let expected = Isometry3::translation(1.0, 2.0, 3.0) * yaw * pitch * roll;
    assert!((joint.origin.to_homogeneous() - expected.to_homogeneous()).amax() < 1e-15);
    let robot = parse(&with_joint("continuous", r#"<axis xyz="1 0 0"/>"#)).unwrap();
    assert_eq!(robot.articulation.joints()[0].limits, None);
    let robot = parse(&with_joint("fixed", "")).unwrap();
    assert!(robot.articulation.coordinates().is_empty());
}

#[test]
fn joints_with_several_freedoms_become_chains() {
    let robot = parse(&with_joint("planar", r#"<origin xyz="1 0 0"/><axis xyz="0 0 3"/>"#)).unwrap();
    let poses = robot.articulation.link_poses(&[0.5, 0.25, FRAC_PI_2], &Isometry3::identity()).unwrap();
    let p = poses[1] * Point3::new(1.0, 0.0, 0.0);
    assert!((p - Point3::new(1.5, 1.25, 0.0)).norm() < 1e-15, "{p}");
    let robot = parse(&with_joint("floating", "")).unwrap();
    let names: Vec<_> = robot.articulation.joints().iter().map(|joint| &joint.name[..]).collect();
    assert_eq!(names, ["j/x", "j/y", "j/z", "j/yaw", "j/pitch", "j/roll"]);
    let values = [1.0, 2.0, 3.0, 0.3, 0.2, 0.1];
    let pose = robot.articulation.link_poses(&values, &Isometry3::identity()).unwrap()[1];
    let [roll, pitch, yaw] =
        [Vector3::x() * 0.1, Vector3::y() * 0.2, Vector3::z() * 0.3].map(Isometry3::rotation);
    let expected = Isometry3::translation(1.0, 2.0, 3.0) * yaw * pitch * roll;
    assert!((pose.to_homogeneous() - expected.to_homogeneous()).amax() < 1e-15);
}

#[test]
fn meshes_of_round_primitives_contain_them_and_are_hardly_larger() {
    // Rotated by 90° about y, the axis of the primitive lies along x.
    let at = |text: &str| parse(&with_shape(text)).unwrap().meshes[0].clone().unwrap();
    let min_height = |mesh: &TriangleMesh, inside: &dyn Fn(&Point3<f64>) -> Point3<f64>| {
        (0..mesh.triangles().len())
            .filter(|&i| !mesh.is_degenerate(i))
            .map(|i| {
                let [a, b, c] = mesh.triangle(i);
                let n = (b - a).cross(&(c - a)).normalize();
                n.dot(&(a - inside(&nalgebra::center(&a, &nalgebra::center(&b, &c)))))
            })
            .fold(f64::INFINITY, f64::min)
    };
    let center = Point3::new(0.0, 0.0, 1.0);
    let ball = at(r#"<sphere radius="2"/>"#);
    assert!(min_height(&ball, &|_| center) >= 2.0 - 1e-14);
    assert!(ball.aabb().extents().amax() < 4.0 * 1.005);
    let capsule = at(r#"<capsule radius="0.5" length="3"/>"#);
    let on_axis = |p: &Point3<f64>| center + Vector3::x() * p.x.clamp(-1.5, 1.5);
    assert!(min_height(&capsule, &on_axis) >= 0.5 - 1e-14);
    let cylinder = at(r#"<cylinder radius="0.5" length="3"/>"#);
    assert!((cylinder.aabb().extents().x - 3.0).abs() < 1e-14);
    let on_axis = |p: &Point3<f64>| center + Vector3::x() * p.x.clamp(-1.0, 1.0);
    assert!(min_height(&cylinder, &on_axis) >= 0.5 - 1e-14);
    for round in [capsule, cylinder] {
        assert!(round.aabb().extents().yz().amax() < 1.005);
    }
    let cuboid = at(r#"<box size="1 2 3"/>"#);
    assert!((cuboid.aabb().extents() - Vector3::new(3.0, 2.0, 1.0)).amax() < 1e-14);
}

#[test]
fn meshes_are_found_beside_the_file_and_in_packages() {
    let folder = std::env::temp_dir().join(format!("extricate_urdf_{}", std::process::id()));
    let package = folder.join("arm_description");
    fs::create_dir_all(package.join("meshes")).unwrap();
    fs::create_dir_all(package.join("urdf")).unwrap();
    fs::write(package.join("package.xml"), "").unwrap();
    let mesh = Cuboid::default().mesh().unwrap();
    write_mesh(&mesh, package.join("meshes/link.obj")).unwrap();
    write_mesh(&mesh, package.join("urdf/link.obj")).unwrap();
    let robot = package.join("urdf/arm.urdf");
    let read = |filename: &str, packages: Vec<PathBuf>| {
        let shape = format!("<mesh filename=\"{filename}\" scale=\"2 -3 4\"/>");
        fs::write(&robot, with_shape(&shape)).unwrap();
        read_urdf(&robot, &UrdfOptions { packages, ..UrdfOptions::default() })
    };
    for filename in ["link.obj", "../meshes/link.obj", "package://arm_description/meshes/link.obj"] {
        let mesh = read(filename, vec![]).unwrap().meshes[0].clone().unwrap();
        assert!((mesh.aabb().extents() - Vector3::new(4.0, 3.0, 2.0)).amax() < 1e-14);
    }
    for packages in [vec![package.clone()], vec![folder.join("nothing"), folder.clone()]] {
        assert!(read("package://arm_description/meshes/link.obj", packages).is_ok());
    }
    let error = read("meshes/lost.obj", vec![]).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:3: link \"a\": mesh \"meshes/lost.obj\" not found"), "{error}");
    assert!(error.contains(&format!("{}", package.join("urdf/meshes").display())), "{error}");
    fs::write(package.join("urdf/bad.obj"), "v 0 0\n").unwrap();
    let error = read("bad.obj", vec![]).unwrap_err().to_string();
    assert!(error.contains("arm.urdf:3: link \"a\"") && error.contains("bad.obj:1"), "{error}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn errors_name_the_file_the_line_and_the_cause() {
    let error = |text: &str| strict(text).unwrap_err().to_string();
    let reversed = r#"<limit lower="1" upper="-1" effort="1" velocity="1"/>"#;
    let found = error(&with_joint("revolute", reversed));
    assert_eq!(found, "robots/r.urdf:2: the limits of joint \"j\" are reversed: 1 > -1");
    let found = error(&with_joint("revolute", r#"<axis xyz="0 0 0"/>"#));
    assert_eq!(found, "robots/r.urdf:2: the axis of joint \"j\" is zero");
    let found = error(&with_shape(r#"<sphere radius="-1"/>"#));
    assert!(found.starts_with("robots/r.urdf:3: link \"a\": ") && found.contains("radius"), "{found}");
    for text in
        ["", "<robot", "<robot name=\"r\"><link/></robot>", "<robot name=\"r\"><link name=\"a\"></robot>"]
    {
        assert!(error(text).starts_with("robots/r.urdf"), "{}", error(text));
    }
    assert!(
        read_urdf("nowhere.urdf", &UrdfOptions::default()).unwrap_err().to_string().contains("nowhere.urdf")
    );
}

/// A link with this inertial, and a joint with this inside.
fn with_mass(inertial: &str, joint: &str) -> String {
    format!(
        "<robot name=\"r\"><link name=\"a\"/>\n<link name=\"b\"><inertial>{inertial}</inertial></link>\n\
         <joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>{joint}</joint></robot>"
    )
}

#[test]
fn inertias_and_joint_dynamics_are_those_of_the_file() {
    let inertial = r#"<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="4"/>
<inertia ixx="1" ixy="0.1" ixz="0" iyy="2" iyz="0" izz="2.5"/>"#;
    let limit =
        r#"<limit lower="-1" upper="1" effort="30" velocity="0"/><dynamics damping="0.5" friction="0.2"/>"#;
    let robot = parse(&with_mass(inertial, limit)).unwrap();
    assert!(robot.inertials[0].is_none());
    let own = robot.inertials[1].unwrap();
    assert_eq!((own.mass, own.center), (4.0, Point3::new(1.0, 2.0, 3.0)));
    // A rotation by 90° about z takes the x axis of the file's frame to the link's y axis.
    let expected = nalgebra::Matrix3::new(2.0, -0.1, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0, 2.5);
    assert!((own.inertia - expected).amax() < 1e-15, "{}", own.inertia);
    let stated =
        JointDynamics { damping: 0.5, friction: 0.2, effort: Some(30.0), ..JointDynamics::default() };
    assert_eq!(robot.dynamics, [stated]);
    let zeros = r#"<mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>"#;
    assert!(parse(&with_mass(zeros, "")).unwrap().inertials[1].is_none());
    let chain = parse(&with_joint("floating", r#"<dynamics damping="1"/>"#)).unwrap();
    assert_eq!(chain.dynamics, [JointDynamics::default(); 6]);
}

#[test]
fn a_mass_that_no_body_has_is_refused_where_dynamics_needs_it_and_nowhere_else() {
    let mass = |mass: f64, ixx: f64| {
        format!(
            "<mass value=\"{mass}\"/><inertia ixx=\"{ixx}\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>"
        )
    };
    let limit = r#"<limit lower="-1" upper="1" effort="1" velocity="1"/>"#;
    let negative = format!(r#"{limit}<dynamics damping="-1"/>"#);
    let cases = [
        (with_mass(&mass(0.0, 1.0), limit), "robots/r.urdf:2: link \"b\": its mass is 0 kg"),
        (
            with_mass(&mass(1.0, 0.0), limit),
            "robots/r.urdf:2: link \"b\": its inertia is not positive definite",
        ),
        (with_mass(&mass(1.0, 2.1), limit), "break the triangle inequality"),
        (with_mass(&mass(f64::NAN, 1.0), limit), "not finite"),
        (with_mass(&mass(1.0, 1.0), &negative), "robots/r.urdf:3: joint \"j\": the damping is -1"),
    ];
    for (text, expected) in cases {
        assert!(parse(&text).is_ok(), "{expected}");
        let options = UrdfOptions { sound_masses: true, strict: true, ..UrdfOptions::default() };
        let message = parse_urdf(&text, Path::new("robots/r.urdf"), &options).unwrap_err().to_string();
        assert!(message.contains(expected), "{message} (expected {expected})");
    }
}

#[test]
fn two_masses_joined_have_the_inertia_of_a_dumbbell() {
    let ball = |x: f64, mass: f64| Inertial {
        mass,
        center: Point3::new(x, 0.0, 0.0),
        inertia: nalgebra::Matrix3::identity() * 0.1 * mass,
    };
    let both = ball(-1.0, 1.0).joined(&ball(2.0, 2.0));
    assert!((both.center - Point3::new(1.0, 0.0, 0.0)).norm() < 1e-15);
    // Reduced mass 2/3 kg at a distance of 3 m.
    let expected = nalgebra::Matrix3::from_diagonal(&Vector3::new(0.3, 6.3, 6.3));
    assert!((both.inertia - expected).amax() < 1e-12, "{}", both.inertia);
}

/// A URDF of 130 joints of all kinds in a tree, with visual and collision shapes.
fn many_jointed() -> String {
    let kinds = ["revolute", "continuous", "prismatic", "fixed", "planar", "floating", "spherical"];
    let mut text = String::from("<robot name=\"r\"><link name=\"l0\"/>");
    for at in 1..=130 {
        let (parent, kind) = (if at % 4 == 0 { at / 2 } else { at - 1 }, kinds[at % 7]);
        let shape = |tag: &str, size: f64| {
            format!("<{tag}><geometry><box size=\"{size} 0.01 0.01\"/></geometry></{tag}>")
        };
        let mimic = if at % 7 == 2 && at > 2 {
            format!("<mimic joint=\"j{}\" multiplier=\"-0.5\" offset=\"0.01\"/>", at - 7)
        } else {
            String::new()
        };
        text += &format!(
            "<link name=\"l{at}\">{}{}</link><joint name=\"j{at}\" type=\"{kind}\"><parent link=\"l{parent}\"/>\
             <child link=\"l{at}\"/><origin xyz=\"0.01 0.02 0.0{}\" rpy=\"0.1 -0.2 0.{}\"/><axis xyz=\"1 {} 2\"/>\
             <limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/>{mimic}</joint>",
            shape("visual", 0.03),
            shape("collision", 0.02),
            at % 10,
            at % 9,
            at % 3,
        );
    }
    text + "</robot>"
}

#[test]
fn a_tree_of_130_joints_of_all_kinds_is_read_and_moves_as_its_jacobians_say() {
    let text = many_jointed();
    let read = |shapes| {
        let options = UrdfOptions { shapes, ..UrdfOptions::default() };
        parse_urdf(&text, Path::new("r.urdf"), &options).unwrap()
    };
    let (robot, seen) = (read(Shapes::Collision), read(Shapes::Visual));
    for (robot, length) in [(&robot, 0.02), (&seen, 0.03)] {
        let meshes: Vec<_> = robot.meshes.iter().flatten().collect();
        assert_eq!(meshes.len(), 130);
        assert!(meshes.iter().all(|mesh| (mesh.aabb().extents().x - length).abs() < 1e-15));
    }
    let tree = &robot.articulation;
    // Joints j1 to j130 in the order of `kinds`, from the second: 19 each of the first five, 18 and 18 of the others,
    // of which 18 that slide follow the first one.
    let of_kind = |kind: usize| (1..=130).filter(|at| at % 7 == kind).count();
    let freedoms = of_kind(0) + of_kind(1) + 1 + 3 * of_kind(4) + 6 * of_kind(5) + 3 * of_kind(6);
    assert_eq!(tree.coordinates().len(), freedoms);
    assert!(tree.joints().len() > 130 && freedoms > 100);
    let configuration: Vec<f64> = (0..freedoms).map(|i| 0.7 * (i as f64).sin()).collect();
    let base = Isometry3::translation(1.0, 2.0, 3.0);
    let placed = tree.placed(&configuration, &base).unwrap();
    for link in [tree.link("l130").unwrap(), tree.link("l97").unwrap(), tree.link("l63").unwrap()] {
        let local = Point3::new(0.1, -0.2, 0.3);
        let jacobian = placed.point_jacobian(link, &(placed.poses()[link] * local));
        for coordinate in 0..freedoms {
            let at = |change: f64| {
                let mut moved = configuration.clone();
                moved[coordinate] += change;
                tree.link_poses(&moved, &base).unwrap()[link] * local
            };
            let differences = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((jacobian.column(coordinate) - differences).norm() < 1e-7, "{link} {coordinate}");
        }
    }
}

#[test]
fn joints_that_form_no_tree_are_refused_with_their_line() {
    let robot = |joints: &[(&str, &str, &str)]| {
        let joint = |(name, parent, child): &(&str, &str, &str)| {
            format!(
                "<joint name=\"{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>"
            )
        };
        let joints = joints.iter().map(joint).collect::<Vec<_>>().join("\n");
        format!("<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>\n{joints}</robot>")
    };
    let cases = [
        (
            robot(&[("j", "a", "b"), ("k", "b", "c"), ("l", "c", "a")]),
            "r.urdf:1: link \"a\" is its own ancestor",
        ),
        (robot(&[("j", "a", "c"), ("k", "b", "c")]), "r.urdf:1: link \"c\" is the child of two joints"),
        (robot(&[("j", "a", "b")]), "r.urdf:1: 2 links have no parent"),
        (robot(&[("j", "a", "b"), ("k", "b", "x")]), "r.urdf:3: joint \"k\" names the link \"x\""),
    ];
    for (text, expected) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn invalid_elements_are_corrected_and_reported_with_their_line() {
    let shape = |shape: &str| corrections(&with_shape(shape)).join("; ");
    assert_eq!(
        shape("<sphere radius='0'/>"),
        "r.urdf:3: link \"a\": the radius is zero; the shape is left out"
    );
    assert!(shape("<cylinder radius='1' length='0'/>").contains("the length 0 m; the shape is left out"));
    assert!(shape("<box size='1 0 1'/>").contains("edges 1, 0 and 1 m"));
    assert!(shape("<mesh scale='1 1 1'/>").contains("has no file name"));
    assert!(shape("<heightmap/>").contains("known are box, cylinder, capsule, sphere, mesh"));
    let joint = |inner: &str| corrections(&with_joint("revolute", inner)).join("; ");
    assert_eq!(
        joint("<limit lower='1' upper='-2' velocity='1'/>"),
        "r.urdf:2: joint \"j\": the limits are reversed: 1 > -2; they are exchanged"
    );
    let axes = "<axis xyz='1 0 0'/>\n<axis xyz='0 1 0'/>";
    assert_eq!(joint(axes), "r.urdf:3: joint \"j\": duplicate <axis>; the first one is used");
    assert_eq!(joint("<origin xyz='1 2 3' rpy='0 0 0'/><gazebo/><unknown:tag/>"), "");
    let text = with_joint("revolute", "<limit lower='1' upper='-2'/><axis xyz='1 0 0'/><axis xyz='0 1 0'/>");
    let robot = parse(&text).unwrap();
    assert_eq!(robot.articulation.joints()[0].limits, Some([-2.0, 1.0]));
    assert_eq!(robot.articulation.joints()[0].kind, JointKind::Revolute { axis: Vector3::x() });

    let mass = |inertial: &str| corrections(&with_mass(inertial, "<dynamics damping='-1'/>")).join("; ");
    let message = mass("<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0'/>");
    assert!(
        message.starts_with("r.urdf:2: link \"b\": <inertia> lacks `izz`; <inertial> is ignored"),
        "{message}"
    );
    assert!(
        message.ends_with("r.urdf:3: joint \"j\": the damping is -1, but must be zero or above; it is zero")
    );
    let message = mass("<mass value='1'/><inertia ixx='5' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>");
    assert!(
        message.contains("break the triangle inequality")
            && message.contains("; the mass stays, and the inertia becomes the nearest one")
    );
    let unnamed = "<robot name='r'><link name='a'/>\n<link/></robot>";
    assert!(strict(unnamed).unwrap_err().to_string().contains("r.urdf:2: link 2: it has no name"));
}

#[test]
fn files_of_other_formats_are_refused_with_a_remedy() {
    let error = |text: &str| parse(text).unwrap_err().to_string();
    let cases = [
        ("<robot name='r'/>", "robots/r.urdf:1: the robot has no links"),
        ("<!-- a\n--><mujoco model='m'/>", "robots/r.urdf:2: this is MJCF"),
        (
            "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:include filename='a'/></robot>",
            "; expand first: xacro robots/r.urdf > ROBOT.urdf",
        ),
        ("<robot>\n\n<xacro:arm/></robot>", "robots/r.urdf: cannot expand this xacro: "),
        (
            "<COLLADA/>",
            "not a robot: found the root element <COLLADA>, expected <robot> (URDF) or <mujoco> (MJCF)",
        ),
        ("<robot name='r'><link name='a'>\n</robot>", "robots/r.urdf:2: invalid XML"),
    ];
    for (text, expected) in cases {
        assert!(error(text).contains(expected), "{}", error(text));
    }
    let joint = |kind: &str, inner: &str| error(&with_joint(kind, inner));
    assert!(joint("screw", "").contains("known are revolute, continuous, prismatic, fixed"));
    assert!(
        joint("revolute", "<origin xyz='1 2'/>")
            .contains("`xyz` of <origin> is \"1 2\", but must be 3 numbers")
    );
}

#[test]
fn comments_and_prefixes_that_strict_xml_refuses_are_read() {
    let text = "\n<?xml version='1.0'?><!-- a -- b -->\n<robot name='r' version='1.2'><link name='a'><sensor:ray/></link>\
                <link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>\
                <origin xyz='0 0 1' quat_xyzw='0 0 0.7071067811865476 0.7071067811865476'/><limit lower='-1'/></joint></robot>";
    let robot = parse(text).unwrap();
    let joint = &robot.articulation.joints()[0];
    assert!((joint.origin * Point3::new(1.0, 0.0, 0.0) - Point3::new(0.0, 1.0, 1.0)).norm() < 1e-15);
    assert_eq!(joint.limits, Some([-1.0, f64::INFINITY]));
    let zero = text.replace("0 0 0.7071067811865476 0.7071067811865476", "0 0 0 0");
    let joint = parse(&zero).unwrap().articulation.joints()[0].clone();
    assert_eq!(joint.origin.rotation, nalgebra::UnitQuaternion::identity());
    // The first edition of the format has no quaternions, and zero where nothing is said.
    let joint = parse(&text.replace("1.2", "1.0")).unwrap().articulation.joints()[0].clone();
    assert_eq!(
        (joint.origin.rotation, joint.limits),
        (nalgebra::UnitQuaternion::identity(), Some([-1.0, 0.0]))
    );
}

#[test]
fn an_invalid_inertia_becomes_the_nearest_one_that_a_body_can_have() {
    let inertial = |moments: [f64; 3]| Inertial {
        mass: 2.0,
        center: Point3::new(1.0, 2.0, 3.0),
        inertia: nalgebra::Matrix3::from_diagonal(&Vector3::from(moments)),
    };
    // The foot of the perpendicular on a + b = c.
    let near = inertial([1.0, 1.0, 5.0]).nearest_valid();
    assert!((near.inertia - nalgebra::Matrix3::from_diagonal(&Vector3::new(2.0, 2.0, 4.0))).amax() < 1e-12);
    for moments in [[1.0, 1.0, 5.0], [0.0, 1.0, 1.0], [-1.0, 2.0, 0.5], [0.0; 3], [-1.0, -2.0, 0.0]] {
        let near = inertial(moments).nearest_valid();
        assert!(near.check().is_ok(), "{moments:?} {:?}", near.check());
        assert_eq!((near.mass, near.center), (2.0, Point3::new(1.0, 2.0, 3.0)));
    }
}

#[test]
fn links_that_move_without_a_mass_get_a_small_one() {
    let leaf = r#"<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<link name="c"/><link name="d"/><link name="e"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><limit lower="0" upper="1"/></joint>
<joint name="l" type="continuous"><parent link="c"/><child link="d"/></joint>
<joint name="m" type="fixed"><parent link="d"/><child link="e"/></joint></robot>"#;
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let robot = parse_urdf(leaf, Path::new("r.urdf"), &options).unwrap();
    let masses: Vec<_> = robot.inertials.iter().map(|own| own.map(|own| own.mass)).collect();
    assert_eq!(masses, [None, Some(2.0), None, Some(0.002), None]);
    assert_eq!(
        robot.corrections.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "r.urdf:3: link \"d\": it moves and has no mass: neither an <inertial> nor a shape; its mass is 2.0e-3 kg"
        ]
    );
}

#[test]
fn lengths_beyond_any_robot_are_refused() {
    let origin = |xyz: &str| parse(&with_joint("fixed", &format!("<origin xyz=\"{xyz}\"/>")));
    assert!(origin("0 1e12 0").is_ok());
    assert_eq!(
        origin("0 1e308 0").unwrap_err().to_string(),
        "robots/r.urdf:2: joint \"j\": `xyz` of <origin> has the length 1e308 m; accepted are lengths up to 1e12 m"
    );
    for shape in ["<sphere radius='inf'/>", "<box size='1 NaN 1'/>", "<mesh filename='a' scale='1e300 1 1'/>"]
    {
        assert!(parse(&with_shape(shape)).unwrap_err().to_string().contains("accepted are lengths up to"));
    }
}

#[test]
fn packages_are_found_by_the_name_that_they_state() {
    let scratch = extricate_test_support::ScratchFolder::new();
    let folder = scratch.folder();
    for (place, name) in
        [("ws/src/repository/folder_a", "arm_a"), ("ws/src/arm_b", "arm_b"), ("own", "robot")]
    {
        fs::create_dir_all(folder.join(place).join("meshes")).unwrap();
        let manifest = format!("<package format=\"3\"><name> {name} </name></package>");
        fs::write(folder.join(place).join("package.xml"), manifest).unwrap();
        write_mesh(&Cuboid::default().mesh().unwrap(), folder.join(place).join("meshes/a.obj")).unwrap();
    }
    let robot = folder.join("own/r.urdf");
    let read = |filename: &str, packages: Vec<PathBuf>, reach: Option<FileScope>| {
        fs::write(&robot, with_shape(&format!("<mesh filename=\"{filename}\"/>"))).unwrap();
        read_urdf(&robot, &UrdfOptions { packages, reach, strict: true, ..UrdfOptions::default() })
    };
    let file = format!("file://{}", folder.join("own/meshes/a.obj").display());
    let local = format!("file://localhost{}", folder.join("own/meshes/a.obj").display());
    for filename in ["package://robot/meshes/a.obj", "package:///meshes/a.obj", "meshes/a.obj", &file, &local]
    {
        assert!(read(filename, vec![], None).is_ok(), "{filename}");
    }
    for name in ["arm_a", "arm_b"] {
        let filename = format!("package://{name}/meshes/a.obj");
        assert!(read(&filename, vec![folder.join("none"), folder.join("ws")], None).is_ok(), "{name}");
        let of_environment = FileScope::around_robot(&robot).with_packages(&[folder.join("ws/src")]);
        assert!(read(&filename, vec![], Some(of_environment)).is_ok(), "{name}");
    }
    let error = read("package://arm_c/meshes/c.obj", vec![folder.join("ws")], None).unwrap_err().to_string();
    let [ws, own] = ["ws", "own"].map(|name| folder.join(name).display().to_string());
    assert_eq!(
        error,
        format!(
            "{own}/r.urdf:3: link \"a\": mesh \"package://arm_c/meshes/c.obj\": package \"arm_c\" not found: no folder \
             and no package.xml of this name in {ws}, {own}; give the folder that holds the package with --package DIR, in a scene `packages: [\"DIR\"]`, \
             and --root DIR or --allow-outside if it may not be named"
        )
    );
}

/// Kinds of the motors and armatures of two joints, `j` and the fixed one `k`, with transmissions.
fn transmitted(transmissions: &str) -> (Option<ActuatorKind>, f64, Vec<String>) {
    let text = format!(
        r#"<robot name="r" xmlns:drake="x"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>
{transmissions}</robot>"#
    );
    let options = UrdfOptions { sound_masses: true, ..UrdfOptions::default() };
    let robot = parse_urdf(&text, Path::new("r.urdf"), &options).unwrap();
    assert_eq!(parse(&text).unwrap().dynamics[0].actuator, None, "kinematics needs no motors");
    (robot.dynamics[0].actuator, robot.dynamics[0].armature, corrections(&text))
}

#[test]
fn transmissions_are_motors_of_the_kind_of_their_interface() {
    let simple = |joint: &str, actuator: &str| {
        format!(
            "<transmission name='t'><type>transmission_interface/SimpleTransmission</type>\
             <joint name='j'>{joint}</joint><actuator name='m'>{actuator}</actuator></transmission>"
        )
    };
    let interface = |name: &str| format!("<hardwareInterface>{name}</hardwareInterface>");
    for (name, kind) in [
        ("hardware_interface/PositionJointInterface", ActuatorKind::Position),
        ("VelocityJointInterface", ActuatorKind::Velocity),
        ("hardware_interface::EffortJointInterface", ActuatorKind::Effort),
    ] {
        for text in [simple(&interface(name), ""), simple("", &interface(name))] {
            assert_eq!(transmitted(&text), (Some(kind), 0.0, Vec::new()), "{text}");
        }
    }
    // Files of the PR2 state no interface, and the reduction beside the actuator.
    let old = "<transmission type='pr2_mechanism_model/SimpleTransmission' name='t'><actuator name='m'/><joint name='j'/>\
        <mechanicalReduction>-79.2</mechanicalReduction></transmission>";
    assert_eq!(transmitted(old), (Some(ActuatorKind::Effort), 0.0, Vec::new()));
    let rotor = "<mechanicalReduction>2</mechanicalReduction><drake:rotor_inertia value='0.25'/>";
    assert!((transmitted(&simple("", rotor)).1 - 1.0).abs() < 1e-15);
    let geared = format!("<drake:gear_ratio value='4'/>{rotor}");
    assert!((transmitted(&simple("", &geared)).1 - 4.0).abs() < 1e-15);
    let wrong = transmitted(&simple("", "<drake:gear_ratio value='4'/><drake:rotor_inertia value='-1'/>"));
    let expected = "r.urdf:4: transmission of joint \"j\": the rotor has the inertia -1 kg·m² behind a reduction of 4; the rotor is ignored";
    assert_eq!(wrong, (Some(ActuatorKind::Effort), 0.0, vec![expected.to_owned()]));
}

#[test]
fn each_kind_of_transmission_without_a_counterpart_is_named_once() {
    let of = |kind: &str, joint: &str, interface: &str| {
        format!(
            "<transmission name='t'><type>transmission_interface/{kind}</type><joint name='{joint}'>\
             <hardwareInterface>{interface}</hardwareInterface></joint></transmission>"
        )
    };
    let (simple, effort) = ("SimpleTransmission", "EffortJointInterface");
    let text = [
        of("DifferentialTransmission", "j", effort),
        of("DifferentialTransmission", "j", effort),
        of(simple, "door", effort),
        of(simple, "k", effort),
        of(simple, "j", "franka_hw/FrankaStateInterface"),
    ];
    let named = |kind: &str| format!("r.urdf:4: robot: {kind} has no counterpart; it is ignored");
    let expected = vec![
        named("a transmission of a joint that is fixed or has several coordinates"),
        named("a transmission of the unknown joint \"door\""),
        "r.urdf:4: robot: a transmission of type \"DifferentialTransmission\" has no counterpart, 2 times; it is ignored".to_owned(),
        named("the hardware interface \"FrankaStateInterface\" of a transmission"),
    ];
    assert_eq!(transmitted(&text.concat()), (None, 0.0, expected));
}
