//! The robots and obstacles under `assets` match their descriptions.

use std::path::PathBuf;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use extricate::penetration::generalized::Shape;
use extricate::penetration::object_norm::ObjectNorm;
use extricate::proximity::{AllowedCollisions, ArticulatedModel, Model};
use nalgebra::Isometry3;

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
