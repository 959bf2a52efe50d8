//! Sketches that begin in a simulation, with soft bodies, and following across thin obstacles.

use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

use super::*;

fn load(name: &str) -> Arc<Scene> {
    let scenes = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    Arc::new(Scene::load(scenes.join(name)).unwrap())
}

fn parsed(text: &str) -> Arc<Scene> {
    Arc::new(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap())
}

fn sketch_of(scene: &Arc<Scene>) -> Sketch {
    Sketch::new(Arc::clone(scene), &scene.world().unwrap(), SketchOptions::default()).unwrap()
}

/// A sketch of a scene after a number of steps, with its world.
fn after(scene: &Arc<Scene>, steps: u32) -> (Sketch, World) {
    let mut world = scene.world().unwrap();
    for _ in 0..steps {
        world.step().unwrap();
    }
    let state = WorldState::of(&world);
    let options = SketchOptions::default();
    (Sketch::at_state(Arc::clone(scene), &scene.world().unwrap(), &state, options).unwrap(), world)
}

fn pose_of(sketch: &Sketch, name: &str) -> Isometry3<f64> {
    let places = sketch.named_poses(sketch.posture()).unwrap();
    places.into_iter().find(|place| place.name == name).unwrap().pose
}

#[test]
fn a_sketch_begins_where_the_simulation_is_and_saves_what_it_has_moved() {
    let scene = parsed(
        "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 0.5), \"g\": half_space}, bodies: [
        (name: \"a\", shape: \"s\", position: (0, 0, 2)),
        (name: \"b\", shape: \"s\", position: (4, 0, 3)),
        (name: \"c\", shape: \"s\", position: (6, 0, 3)),
        (name: \"g\", shape: \"g\", kind: fixed),
    ], joints: [(name: \"j\", bodies: (\"b\", \"c\"), kind: revolute(anchor: (4, 0, 3), axis: (0, 1, 0)))])",
    );
    let (mut sketch, world) = after(&scene, 40);
    for body in world.bodies() {
        let pose = pose_of(&sketch, &body.name);
        assert!((pose.translation.vector - body.position.coords).norm() < 1e-9, "{}", body.name);
        assert!(pose.rotation.angle_to(&body.rotation) < 1e-6, "{}", body.name);
    }
    // A twelfth of a second: 34 mm.
    assert!(pose_of(&sketch, "a").translation.z < 1.97 && !sketch.undo());
    // What the simulation has moved is written, what it has not is left alone.
    let written = sketch.scene_poses();
    assert_eq!(written.bodies.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    // Bodies that a joint attaches keep their relative pose of this state.
    let between = pose_of(&sketch, "b").inverse() * pose_of(&sketch, "c");
    sketch.move_body("b", &Isometry3::translation(0.0, 5.0, 3.0)).unwrap();
    let moved = pose_of(&sketch, "b").inverse() * pose_of(&sketch, "c");
    assert!((moved.translation.vector - between.translation.vector).norm() < 1e-12);
}

#[test]
fn a_sketch_of_the_start_is_that_of_the_scene_to_the_last_bit() {
    for name in ["soft/drop.ron", "robots/arm_reaches.ron"] {
        let scene = load(name);
        let (sketch, _) = after(&scene, 0);
        assert_eq!(sketch.posture(), sketch_of(&scene).posture(), "{name}");
        assert_eq!(sketch.scene_poses().soft_bodies.len(), 0, "{name}");
    }
}

#[test]
fn soft_bodies_collide_move_rigidly_and_are_repaired_and_saved() {
    let scene = load("soft/drop.ron");
    let mut sketch = sketch_of(&scene);
    assert!(sketch.colliding().unwrap().is_empty());
    let handle = sketch.bodies().into_iter().find(|body| body.name == "ball").unwrap();
    assert_eq!(handle.mobility, Mobility::Free);
    // The ball is dragged into the block.
    let target = Point3::new(0.15, 0.0, 0.2);
    let middle = handle.pose.inverse_transform_point(&Point3::new(0.4, 0.0, 0.3));
    let dragged = sketch.drag_body("ball", &middle, &target, DragMode::Translate).unwrap();
    assert!(dragged.distance < 1e-12);
    let names: Vec<_> = sketch.colliding().unwrap().iter().map(|pair| pair.names.clone()).collect();
    assert_eq!(names.len(), 1);
    assert!(names[0].contains(&"ball".to_owned()) && names[0].contains(&"block".to_owned()), "{names:?}");
    let repaired = sketch.repair().unwrap().expect("they overlap");
    assert!(repaired.repair.verified_free && sketch.colliding().unwrap().is_empty());
    let motions = sketch.soft_motions(sketch.posture());
    assert!(motions.iter().any(|motion| motion.pose.translation.vector.norm() > 0.05), "{motions:?}");
    let written = sketch.scene_poses().soft_bodies;
    let ball = &written["ball"];
    assert_eq!(*ball, pose_of(&sketch, "ball"));
    // The scene with these poses has its soft bodies there.
    let posed = (*scene).clone().posed(&sketch.scene_poses());
    let again = sketch_of(&Arc::new(posed)).colliding().unwrap().len();
    assert_eq!(again, 0);
}

#[test]
fn deformed_soft_bodies_have_the_shape_of_the_state() {
    let scene = load("soft/drop.ron");
    // The block has landed and is flattened.
    let (sketch, world) = after(&scene, 80);
    let now = world.soft_positions("block").unwrap();
    let lowest = |nodes: &[Vector3<f64>]| nodes.iter().map(|node| node.z).fold(f64::INFINITY, f64::min);
    let now = now.to_vec();
    let start = &sketch.start.soft_bodies;
    let block = start.iter().find(|body| body.name == "block").unwrap();
    let shown: Vec<Vector3<f64>> = block.mesh.nodes().iter().map(|node| (block.pose * node).coords).collect();
    assert!((lowest(&shown) - lowest(&now)).abs() < 1e-9);
    let far = shown.iter().zip(&now).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(far < 1e-9, "{far}");
    // Its pose is the best fit: none of the rest shape, which falls as well, is farther than it is deformed.
    let rest = &scene.soft_bodies.iter().find(|body| body.name == "block").unwrap().mesh;
    let fit =
        rest.nodes().iter().zip(&now).map(|(node, now)| ((block.pose * node).coords - now).norm_squared());
    let fall = Isometry3::translation(0.0, 0.0, block.pose.translation.z - 0.2)
        * scene.soft_bodies.iter().find(|body| body.name == "block").unwrap().pose;
    let fallen = rest.nodes().iter().zip(&now).map(|(node, now)| ((fall * node).coords - now).norm_squared());
    assert!(fit.sum::<f64>() <= fallen.sum::<f64>() + 1e-12);
}

/// Follows a drag of body `a` to a height in one step, from where it is; returns its height and whether it was held.
fn followed(sketch: &mut Sketch, target: [f64; 3]) -> (Vector3<f64>, bool) {
    sketch.drag_body("a", &Point3::origin(), &Point3::from(target), DragMode::Translate).unwrap();
    let followed = sketch.follow().unwrap();
    (followed.posture.poses()[0].base.translation.vector, followed.held)
}

#[test]
fn nothing_thin_is_crossed_however_thin_it_and_the_dragged_body_are() {
    for thickness in [0.02, 0.002, 1e-5] {
        let scene = parsed(&format!(
            "(title: \"t\", duration: 1, shapes: {{\"p\": cuboid(size: (1, 1, {thickness})), \"w\": cuboid(size: (3, 3, {thickness}))}},
            bodies: [(name: \"a\", shape: \"p\", position: (0, 0, 0.1)), (name: \"w\", shape: \"w\", kind: fixed)])"
        ));
        let mut sketch = sketch_of(&scene);
        sketch.follow().unwrap();
        for target in [-0.004, -0.02, -0.1, -0.3, -0.6] {
            let (at, held) = followed(&mut sketch, [0.0, 0.0, target]);
            // Where the sketch is free on the other side.
            let is_beyond = target < -2.5 * thickness;
            assert!(at.z > 0.0 && (held || !is_beyond), "{thickness} {target}: {at}");
        }
        // It slides along the plate, and from beside it to the other side.
        let (at, _) = followed(&mut sketch, [0.5, 0.0, 0.01 + thickness]);
        assert!((at.x - 0.5).abs() < 0.1 && at.z > 0.0, "{thickness}: {at}");
        for target in [[1.2, 0.0, 0.05], [2.2, 0.0, 0.05], [2.2, 0.0, -0.2], [1.2, 0.0, -0.2]] {
            for _ in 0..4 {
                followed(&mut sketch, target);
            }
        }
        let (at, _) = followed(&mut sketch, [0.3, 0.0, -0.2]);
        assert!(at.z < 0.0, "{thickness}: {at}");
    }
}

#[test]
fn a_ring_of_triangles_does_not_pass_through_a_rod() {
    let scene = parsed(
        "(title: \"t\", duration: 1, shapes: {
            \"ring\": procedural(kind: \"torus\", parameters: {\"major_radius\": 0.5, \"minor_radius\": 0.004}),
            \"rod\": cuboid(size: (3, 0.004, 0.004))},
        bodies: [(name: \"a\", shape: \"ring\", position: (0, 0, 0.1)), (name: \"w\", shape: \"rod\", kind: fixed)])",
    );
    let mut sketch = sketch_of(&scene);
    sketch.follow().unwrap();
    for target in [-0.006, -0.03, -0.1, -0.3] {
        let (at, held) = followed(&mut sketch, [0.0, 0.0, target]);
        assert!(at.z > 0.0 && held, "{target}: {at}");
    }
}
