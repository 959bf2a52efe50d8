use nalgebra::Isometry3;

use super::*;
use crate::{BodyModel, palette};
use extricate_core::geometry::procedural::{Cuboid, Procedural, Sphere, Torus};
use extricate_dynamics::BodyKind;
use extricate_dynamics::{BodyState, SoftBodyState};
use extricate_scene::record::{SoftState, WorldState};

fn body(name: &str, mesh: Option<Arc<TriangleMesh>>) -> BodyModel {
    BodyModel { name: name.into(), kind: BodyKind::Dynamic, mesh, color: palette::SKY, mass: None }
}

fn at_poses(poses: Vec<Isometry3<f64>>) -> WorldState {
    let body = |pose: &Isometry3<f64>| BodyState {
        name: String::new(),
        position: pose.translation.vector.into(),
        rotation: pose.rotation,
        linear_velocity: Vector3::zeros(),
        angular_velocity: Vector3::zeros(),
    };
    WorldState { bodies: poses.iter().map(body).collect(), ..WorldState::default() }
}

fn cloth(nodes: Vec<Point3<f64>>) -> SoftState {
    let state = SoftBodyState {
        name: "cloth".into(),
        centroid: Point3::origin(),
        velocity: Vector3::zeros(),
        volume: 1.0,
        rest_volume: 1.0,
        max_penetration: 0.0,
        inverted: 0,
        handles: Vec::new(),
    };
    SoftState { nodes, ..state.into() }
}

fn scene(meshes: Vec<(TriangleMesh, Isometry3<f64>)>) -> (Models, WorldState) {
    let (meshes, poses): (Vec<_>, Vec<_>) = meshes.into_iter().unzip();
    let bodies = meshes.into_iter().map(|mesh| body("a", Some(Arc::new(mesh)))).collect();
    let models = Models { bodies, soft: Vec::new(), grounds: Vec::new() };
    (models, at_poses(poses))
}

fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
    Ray { origin: origin.into(), direction: Vector3::from(direction).normalize() }
}

fn cube() -> TriangleMesh {
    Cuboid { x: 2.0, y: 2.0, z: 2.0, ..Cuboid::default() }.mesh().expect("a cube")
}

#[test]
fn a_rotated_cube_is_hit_at_its_edge_and_the_point_is_in_its_frame() {
    // Rotated by 45° about z, an edge of the cube is √2 in front of its centre.
    let pose = Isometry3::new(Vector3::new(5.0, 0.0, 0.0), Vector3::z() * std::f64::consts::FRAC_PI_4);
    let (models, state) = scene(vec![(cube(), pose)]);
    let hit = Picker::default().pick(&models, &state, &ray([0.0, 1e-9, 0.25], [1.0, 0.0, 0.0]));
    let hit = hit.expect("the cube is hit");
    assert_eq!(hit.body, AnyBody::Rigid(0));
    assert!((hit.distance - (5.0 - 2.0_f64.sqrt())).abs() < 1e-8, "{hit:?}");
    let Grip::Point(in_body) = hit.grip else { panic!("a rigid body is gripped at a point") };
    assert!((in_body - Point3::new(-1.0, 1.0, 0.25)).norm() < 1e-8, "{in_body}");
}

#[test]
fn the_nearer_of_two_is_hit_and_nothing_behind_the_eye() {
    let at = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let (models, state) = scene(vec![(cube(), at(9.0)), (cube(), at(4.0)), (cube(), at(-4.0))]);
    let mut picker = Picker::default();
    let hit = picker.pick(&models, &state, &ray([0.0, 0.1, 0.2], [1.0, 0.0, 0.0])).expect("two are there");
    assert_eq!((hit.body, hit.distance), (AnyBody::Rigid(1), 3.0));
    assert_eq!(picker.pick(&models, &state, &ray([0.0, 0.1, 0.2], [0.0, 1.0, 0.0])), None);
}

#[test]
fn a_ball_is_hit_where_a_ray_meets_it_in_a_hundred_directions() {
    let radius = 0.5;
    let (models, state) = scene(vec![(Sphere { radius, ..Sphere::default() }.mesh().expect("a ball"), {
        Isometry3::translation(1.0, 2.0, 3.0)
    })]);
    let mut picker = Picker::default();
    for step in 0..100 {
        let angle = f64::from(step) * 0.37;
        let away = Vector3::new(angle.cos(), angle.sin(), (0.7 * angle).sin()).normalize();
        let origin = state.pose(0) * Point3::from(away * 4.0);
        let ray = Ray { origin, direction: -away };
        let hit = picker.pick(&models, &state, &ray).expect("towards the middle");
        // The mesh is within the ball, by the sagitta of its facets.
        assert!(hit.distance >= 3.5 - 1e-12 && hit.distance < 3.5 + 0.02 * radius, "{}", hit.distance);
    }
}

#[test]
fn the_tree_agrees_with_testing_every_triangle() {
    let mesh = Torus::default().mesh().expect("a torus");
    let triangles: Vec<_> = (0..mesh.triangles().len()).map(|index| mesh.triangle(index)).collect();
    let tree = RayTree::new(&Arc::new(mesh));
    let mut hits = 0;
    for step in 0..400 {
        let t = f64::from(step);
        let ray = ray(
            [3.0 * (0.7 * t).cos(), 3.0 * (0.3 * t).sin(), 2.0 * (0.2 * t).cos()],
            [-(0.71 * t).cos(), -(0.31 * t).sin(), -0.7 * (0.21 * t).cos()],
        );
        let all = triangles.iter().filter_map(|triangle| hit_triangle(&ray, triangle));
        let nearest = all.min_by(f64::total_cmp);
        assert_eq!(tree.hit(&ray, f64::INFINITY), nearest);
        hits += usize::from(nearest.is_some());
    }
    assert!(hits > 10 && hits < 390, "{hits} of 400 rays hit");
}

#[test]
fn a_half_space_is_hit_from_above_and_not_from_below() {
    let ground = Ground { body: 0 };
    let models = Models { bodies: vec![body("ground", None)], soft: Vec::new(), grounds: vec![ground] };
    let tilt = Isometry3::new(Vector3::new(0.0, 0.0, 1.0), Vector3::zeros());
    let state = at_poses(vec![tilt]);
    let mut picker = Picker::default();
    let hit = picker.pick(&models, &state, &ray([0.0, 0.0, 5.0], [3.0, 0.0, -4.0])).expect("it is below");
    assert!((hit.distance - 5.0).abs() < 1e-12 && (hit.point - Point3::new(3.0, 0.0, 1.0)).norm() < 1e-12);
    assert_eq!(picker.pick(&models, &state, &ray([0.0, 0.0, 5.0], [0.0, 0.0, 1.0])), None);
    assert_eq!(picker.pick(&models, &state, &ray([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])), None);
    // A vertical plane: its outward normal is x.
    let upright = Isometry3::new(Vector3::new(0.0, 0.0, 1.0), Vector3::y() * std::f64::consts::FRAC_PI_2);
    let state = at_poses(vec![upright]);
    let hit = picker.pick(&models, &state, &ray([2.0, 0.0, 0.0], [-1.0, 0.0, 0.0])).expect("it is there");
    assert!((hit.distance - 2.0).abs() < 1e-12);
}

#[test]
fn a_soft_body_is_gripped_at_the_nearest_node_of_the_triangle_that_is_hit() {
    // A square of two triangles; nodes 5, 2, 7, 1 of the body.
    let place = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let mut nodes = vec![Point3::origin(); 8];
    for (node, [x, y]) in [5, 2, 7, 1].into_iter().zip(place) {
        nodes[node] = Point3::new(x, y, 0.5);
    }
    let soft = SoftModel {
        name: "cloth".into(),
        nodes: vec![5, 2, 7, 1],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        color: palette::GREEN,
    };
    let models = Models { bodies: Vec::new(), soft: vec![soft], grounds: Vec::new() };
    let state = WorldState { soft: vec![cloth(nodes)], ..WorldState::default() };
    let mut picker = Picker::default();
    let mut at = |x, y| picker.pick(&models, &state, &ray([x, y, 2.0], [0.0, 0.0, -1.0]));
    let hit = at(0.9, 0.8).expect("on the cloth");
    assert_eq!((hit.body, hit.grip), (AnyBody::Soft(0), Grip::Node(7)));
    assert!((hit.distance - 1.5).abs() < 1e-12);
    assert_eq!(at(0.2, 0.9).map(|hit| hit.grip), Some(Grip::Node(1)));
    assert_eq!(at(1.2, 0.9), None);
}

#[test]
fn rays_along_a_face_and_into_a_flat_triangle_do_no_harm() {
    let (models, state) = scene(vec![(cube(), Isometry3::identity())]);
    let mut picker = Picker::default();
    let along = picker.pick(&models, &state, &ray([-5.0, 0.5, 1.0], [1.0, 0.0, 0.0]));
    assert!(along.is_none_or(|hit| hit.distance.is_finite()));
    let flat = [Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(2.0, 0.0, 0.0)];
    assert_eq!(hit_triangle(&ray([1.0, 0.0, 1.0], [0.0, 0.0, -1.0]), &flat), None);
    let nowhere = Ray { origin: Point3::new(f64::NAN, 0.0, 0.0), direction: Vector3::x() };
    assert_eq!(picker.pick(&models, &state, &nowhere), None);
}
