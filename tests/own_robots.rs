//! The robots and obstacles under `assets` match their descriptions.

use std::path::PathBuf;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::kinematics::{named_joints, parse_robot};
use extricate::penetration::generalized::Shape;
use extricate::penetration::object_norm::ObjectNorm;
use extricate::proximity::{AllowedCollisions, ArticulatedModel, Model};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};

fn asset(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets").join(path)
}

#[test]
fn robots_have_their_freedoms_and_bodies_and_are_free_at_rest() {
    // Name, freedoms, bodies.
    let robots = [
        ("figure", 41, 15),
        ("hand", 25, 25),
        ("arm_on_base", 9, 8),
        ("crawler", 40, 13),
        ("three_link", 5, 3),
        ("two_link", 2, 2),
    ];
    for (name, freedoms, bodies) in robots {
        let robot = read_urdf(asset(&format!("robots/{name}.urdf")), &UrdfOptions::default()).unwrap();
        let model = ArticulatedModel::of_robot(robot);
        let articulation = model.articulation();
        assert_eq!(articulation.coordinates().len(), freedoms, "{name}");
        let shaped: Vec<_> = (0..articulation.links().len()).filter_map(|link| model.model(link)).collect();
        assert_eq!(shaped.len(), bodies, "{name}");
        for shape in shaped {
            assert_eq!(Shape::of_model(shape.clone()).convex_pieces(), Some(1), "{name}");
        }
        let allowed = AllowedCollisions::adjacent(&model);
        let rest: Vec<f64> = articulation
            .coordinates()
            .iter()
            .map(|&joint| articulation.joints()[joint].limits.map_or(0.0, |[a, b]| 0.0_f64.clamp(a, b)))
            .collect();
        let colliding = model.self_collisions(&rest, &Isometry3::identity(), &allowed).unwrap();
        let named = |&[a, b]: &[usize; 2]| [a, b].map(|link| articulation.links()[link].clone());
        assert!(colliding.is_empty(), "{name}: {:?}", colliding.iter().map(named).collect::<Vec<_>>());
        assert!(ObjectNorm::of_model(&model).is_ok(), "{name}");
    }
}

#[test]
fn obstacles_are_unions_of_their_convex_pieces() {
    let obstacles = [
        ("limb", 1),
        ("ball", 1),
        ("bench", 6),
        ("tub", 13),
        ("desk", 5),
        ("shelf", 8),
        ("bridge", 3),
        ("u_shape", 3),
        ("cup_small", 13),
        ("cup_large", 13),
        ("bottle_small", 2),
        ("bottle_large", 2),
        ("car", 6),
        ("alpha", 5),
    ];
    for (name, pieces) in obstacles {
        let mesh = read_mesh(asset(&format!("meshes/{name}.obj"))).unwrap();
        let shape = Shape::of_model(Model::new(mesh, Solidity::Solid));
        assert_eq!(shape.convex_pieces(), Some(pieces), "{name}");
    }
}

#[test]
fn keyframes_place_free_bodies_in_the_world_and_rotate_balls_by_their_quaternions() {
    // MuJoCo: seven values of a free joint are the pose of its body in the world, four of a ball a rotation in its parent; a
    // slide and a hinge with a reference have that value at the pose of the file.
    let text = r#"<mujoco><compiler angle="radian"/><worldbody>
      <body name="base" pos="1 2 3" euler="0.3 0 0"><freejoint name="root"/><geom type="sphere" size="0.1"/>
        <body name="arm" pos="0 0 0.5"><joint name="wrist" type="ball"/><geom type="sphere" size="0.1"/>
          <body name="tip" pos="0 0 0.2"><joint name="reach" type="slide" axis="0 0 1" ref="0.1"/>
            <geom type="sphere" size="0.1"/></body></body></body></worldbody>
      <keyframe><key name="home" qpos="0.5 -1 2 0.8 0 0.6 0  0.6 0.48 0 0.64  0.25"/><key/></keyframe></mujoco>"#;
    let robot = parse_robot(text, &asset("robots/keys.xml"), &UrdfOptions::default()).unwrap();
    let articulation = &robot.articulation;
    let poses_at = |name: &str| {
        let joints = named_joints(&robot.configurations, name).unwrap();
        let configuration = articulation.configuration(joints).unwrap();
        articulation.link_poses(&configuration, &Isometry3::identity()).unwrap()
    };
    let pose = |place: [f64; 3], [w, x, y, z]: [f64; 4]| {
        let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
        Isometry3::from_parts(Translation3::from(place), rotation)
    };
    let link = |name: &str| articulation.link(name).unwrap();
    let base = pose([0.5, -1.0, 2.0], [0.8, 0.0, 0.6, 0.0]);
    let arm = base * pose([0.0, 0.0, 0.5], [0.6, 0.48, 0.0, 0.64]);
    let tip = arm * Isometry3::translation(0.0, 0.0, 0.2 + 0.25 - 0.1);
    let found = poses_at("home");
    for (name, expected) in [("base", base), ("arm", arm), ("tip", tip)] {
        let error = (found[link(name)].to_matrix() - expected.to_matrix()).amax();
        assert!(error < 1e-12, "{name}: {error}");
    }
    // A keyframe without values is the pose of the file; without a name it goes by its number.
    let at_rest = poses_at("1");
    let expected = pose([1.0, 2.0, 3.0], [0.15_f64.cos(), 0.15_f64.sin(), 0.0, 0.0]);
    assert!((at_rest[link("base")].to_matrix() - expected.to_matrix()).amax() < 1e-12);
    let unknown = named_joints(&robot.configurations, "hom").unwrap_err().to_string();
    assert_eq!(unknown, "unknown configuration \"hom\": expected home, 1; did you mean `home`?");
}
