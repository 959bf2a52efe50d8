#![expect(clippy::float_cmp, reason = "what is undone, clamped or left alone has the same bits")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

use super::*;
use extricate_core::geometry::convex::ConvexShape;
use extricate_core::geometry::random::SplitMix64;
use extricate_core::geometry::read::FileScope;
use extricate_core::kinematics::articulation::Mimic;
use extricate_core::kinematics::{Articulation, Joint, JointKind};
use extricate_core::penetration::generalized::{Part, Shape};
use extricate_core::proximity::{AllowedCollisions, collide};

fn sketch_of(scene: Scene) -> Sketch {
    let world = scene.world().unwrap();
    Sketch::new(Arc::new(scene), &world, SketchOptions::default()).unwrap()
}

fn load(name: &str) -> Sketch {
    let scenes = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"));
    sketch_of(Scene::load(scenes.join(name)).unwrap())
}

/// Two balls on the ground, one of them fixed, and two that a joint ties together.
fn balls() -> Sketch {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1), \"g\": half_space}, bodies: [
        (name: \"a\", shape: \"s\", position: (0, 0, 2)), // stays
        (name: \"b\", shape: \"s\", kind: fixed, position: (9, 0, 2), rotation: euler_degrees(0, 0, 90)),
        (name: \"c\", shape: \"s\", position: (0, 9, 2)),
        (name: \"d\", shape: \"s\", position: (0, 12, 2)),
        (name: \"g\", shape: \"g\", kind: fixed),
    ], joints: [(name: \"j\", bodies: (\"c\", \"d\"), kind: revolute(anchor: (0, 10, 2), axis: (0, 0, 1)))])";
    sketch_of(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

fn pose_of(sketch: &Sketch, name: &str) -> Isometry3<f64> {
    let places = sketch.named_poses(sketch.posture()).unwrap();
    places.into_iter().find(|place| place.name == name).unwrap().pose
}

/// Moves joints of a robot at random within their limits, by a fraction of the distance.
fn shaken(sketch: &mut Sketch, robot: usize, numbers: &mut SplitMix64, fraction: f64) {
    let handle = sketch.robots().swap_remove(robot);
    for joint in &handle.joints {
        let reach = if joint.unit == Unit::Radians { 3.0 } else { 0.3 };
        let [lower, upper] =
            [joint.limits[0].max(joint.value - reach), joint.limits[1].min(joint.value + reach)];
        let to = lower + (upper - lower) * numbers.unit_interval();
        sketch.set_joint(&handle.name, &joint.name, joint.value + fraction * (to - joint.value)).unwrap();
    }
}

fn names(collisions: &[Collision]) -> Vec<[String; 2]> {
    collisions.iter().map(|collision| collision.names.clone()).collect()
}

/// Colliding pairs by queries of the triangle models alone.
fn by_models(sketch: &Sketch) -> BTreeSet<[String; 2]> {
    let collision_world = sketch.ensemble().collision_world();
    let poses = collision_world.body_poses(sketch.posture().poses()).unwrap();
    let met = collision_world.checked_pairs().filter(|&[a, b]| {
        match [a, b].map(|body| collision_world.bodies[body].model.as_deref()) {
            [Some(one), Some(other)] => collide(one, &poses[a], other, &poses[b]),
            _ => false,
        }
    });
    met.map(|pair| pair.map(|body| sketch.ensemble().name_of(collision_world.bodies[body].part))).collect()
}

#[test]
fn a_joint_goes_to_its_limit_and_no_farther_and_says_so() {
    let mut sketch = load("repair/hand_around_bottle.ron");
    let hand = sketch.robots().remove(0);
    assert_eq!(hand.mobility, Mobility::Fixed);
    for joint in &hand.joints {
        let [lower, upper] = joint.limits;
        if !(lower.is_finite() && upper.is_finite()) {
            continue;
        }
        let middle = sketch.set_joint("hand", &joint.name, 0.5 * (lower + upper)).unwrap();
        assert!(!middle.clamped && middle.value == 0.5 * (lower + upper), "{}", joint.name);
        assert_eq!(
            sketch.set_joint("hand", &joint.name, upper + 1.0).unwrap(),
            JointSetting { value: upper, clamped: true }
        );
        assert_eq!(
            sketch.set_joint("hand", &joint.name, lower - 1.0).unwrap(),
            JointSetting { value: lower, clamped: true }
        );
    }
    assert!(sketch.ensemble().collision_world().keeps_limits(sketch.posture().poses()));
    let refused = sketch.set_joint("hand", "thumb_nail", 0.0).unwrap_err().to_string();
    assert!(refused.contains("`thumb_nail`") && refused.contains("thumb_bend"), "{refused}");
    assert!(matches!(sketch.set_joint("hand", "thumb_bend", f64::NAN), Err(RepairError::NotFinite { .. })));
    assert!(matches!(sketch.set_joint("foot", "thumb_bend", 0.0), Err(RepairError::UnknownName { .. })));
}

#[test]
fn undo_and_redo_lead_through_the_same_postures_and_a_drag_is_one_step() {
    let mut sketch = balls();
    let mut seen = vec![sketch.posture().clone()];
    sketch.move_body("a", &at(1.0, 0.0, 2.0)).unwrap();
    seen.push(sketch.posture().clone());
    let anchor = Point3::origin();
    for i in 1..=5 {
        let target = Point3::new(1.0, f64::from(i), 2.0);
        sketch.drag_body("a", &anchor, &target, DragMode::Translate).unwrap();
    }
    seen.push(sketch.posture().clone());
    sketch.end_undo_group();
    sketch.drag_body("a", &anchor, &Point3::new(1.0, 6.0, 2.0), DragMode::Translate).unwrap();
    seen.push(sketch.posture().clone());
    sketch.drag_body("b", &anchor, &Point3::new(8.0, 0.0, 2.0), DragMode::Translate).unwrap();
    seen.push(sketch.posture().clone());
    sketch.begin_undo_group();
    sketch.move_body("c", &at(0.0, 9.0, 3.0)).unwrap();
    sketch.move_body("a", &at(0.0, 0.0, 2.0)).unwrap();
    sketch.end_undo_group();
    seen.push(sketch.posture().clone());
    // An edit that changes nothing is not a step.
    sketch.move_body("a", &at(0.0, 0.0, 2.0)).unwrap();
    assert_eq!(sketch.steps(), [5, 0]);
    for posture in seen.iter().rev().skip(1) {
        assert!(sketch.undo());
        assert_eq!(sketch.posture(), posture);
        let obstacle = sketch.ensemble().collision_world().obstacles()[0].pose;
        assert_eq!(obstacle, pose_of(&sketch, "b"));
    }
    assert!(!sketch.undo());
    for posture in &seen[1..] {
        assert!(sketch.redo());
        assert_eq!(sketch.posture(), posture);
    }
    assert!(!sketch.redo());
    sketch.undo();
    sketch.move_body("a", &at(5.0, 5.0, 5.0)).unwrap();
    assert!(!sketch.redo(), "what comes after a new change is gone");
}

#[test]
fn the_past_is_bounded() {
    let Sketch { scene, .. } = balls();
    let world = scene.world().unwrap();
    let mut sketch =
        Sketch::new(scene, &world, SketchOptions { history: 3, ..SketchOptions::default() }).unwrap();
    for i in 1..=5 {
        sketch.move_body("a", &at(f64::from(i), 0.0, 2.0)).unwrap();
    }
    assert_eq!(sketch.steps(), [3, 0]);
    while sketch.undo() {}
    assert_eq!(pose_of(&sketch, "a"), at(2.0, 0.0, 2.0));
}

#[test]
fn bodies_that_a_joint_attaches_move_as_one_and_a_rotation_preserves_the_centre() {
    let mut sketch = balls();
    let mobilities: Vec<_> =
        sketch.bodies().into_iter().map(|body| (body.mobility, body.moves_with)).collect();
    assert_eq!(mobilities[0], (Mobility::Free, Vec::new()));
    assert_eq!(mobilities[1], (Mobility::Fixed, Vec::new()));
    assert_eq!(mobilities[2], (Mobility::Free, vec!["d".to_owned()]));
    let between = pose_of(&sketch, "c").inverse() * pose_of(&sketch, "d");
    let rotated = Isometry3::from_parts(
        Translation3::new(3.0, 1.0, 4.0),
        UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1),
    );
    sketch.move_body("d", &rotated).unwrap();
    assert!((pose_of(&sketch, "d").translation.vector - rotated.translation.vector).norm() < 1e-14);
    let after = pose_of(&sketch, "c").inverse() * pose_of(&sketch, "d");
    assert!((after.translation.vector - between.translation.vector).norm() < 1e-14);
    assert!(after.rotation.angle_to(&between.rotation) < 1e-14);
    // The point of the ball that was on the x axis points up.
    let dragged = sketch
        .drag_body("b", &Point3::new(1.0, 0.0, 0.0), &Point3::new(9.0, 0.0, 7.0), DragMode::Rotate)
        .unwrap();
    let b = pose_of(&sketch, "b");
    assert!((b.translation.vector - Vector3::new(9.0, 0.0, 2.0)).norm() < 1e-14);
    assert!((b * Point3::new(1.0, 0.0, 0.0) - Point3::new(9.0, 0.0, 3.0)).norm() < 1e-14);
    assert!((dragged.distance - 4.0).abs() < 1e-14);
}

#[test]
fn a_body_that_a_joint_attaches_to_a_fixed_one_cannot_be_moved() {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [
        (name: \"a\", shape: \"s\", kind: fixed), (name: \"b\", shape: \"s\", position: (3, 0, 0)),
    ], joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: spherical(anchor: (1, 0, 0)))])";
    let mut sketch = sketch_of(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap());
    assert!(sketch.bodies().iter().all(|body| body.mobility == Mobility::Tied));
    assert!(matches!(sketch.move_body("b", &at(4.0, 0.0, 0.0)), Err(RepairError::Tied { .. })));
    assert!(sketch.steps() == [0, 0] && pose_of(&sketch, "b") == at(3.0, 0.0, 0.0));
}

#[test]
fn collisions_after_each_edit_are_those_of_a_query_from_scratch() {
    let mut numbers = SplitMix64(5);
    for name in ["repair/hand_around_bottle.ron", "repair/figure_in_cup.ron", "repair/arm_in_car.ron"] {
        let mut sketch = load(name);
        let robot = sketch.robots().remove(0);
        let obstacle =
            sketch.bodies().iter().rfind(|body| body.mobility == Mobility::Fixed).unwrap().name.clone();
        let mut met = 0;
        for round in 0..12 {
            match round % 4 {
                0 => shaken(&mut sketch, 0, &mut numbers, 0.2),
                1 => {
                    let joint = &robot.joints[round % robot.joints.len()];
                    let value = joint.limits[0].max(-1.0) + 0.2 * f64::from(round as u32);
                    sketch.set_joint(&robot.name, &joint.name, value).unwrap();
                }
                2 => {
                    let pose = Translation3::new(0.01, -0.02, 0.01) * pose_of(&sketch, &obstacle);
                    sketch.move_body(&obstacle, &pose).unwrap();
                }
                _ => assert!(sketch.undo()),
            }
            let found = sketch.colliding().unwrap().to_vec();
            let anew = sketch.ensemble().colliding(sketch.posture().poses()).unwrap();
            assert_eq!(names(&found), names(&anew), "{name} {round}");
            for (found, anew) in found.iter().zip(&anew) {
                assert_eq!(found.depth.map(f64::to_bits), anew.depth.map(f64::to_bits), "{name} {round}");
            }
            let by_models = by_models(&sketch);
            let of_links: BTreeSet<_> =
                names(&found).into_iter().filter(|pair| !pair.contains(&"floor".into())).collect();
            assert_eq!(of_links, by_models, "{name} {round}");
            met += found.len();
        }
        assert!(met > 0, "{name}");
    }
}

#[test]
fn a_link_reaches_what_it_can_and_keeps_the_limits_where_it_cannot() {
    let mut numbers = SplitMix64(3);
    for name in ["repair/three_link.ron", "repair/arm_in_car.ron", "repair/hand_around_bottle.ron"] {
        let mut sketch = load(name);
        let robot = sketch.robots().remove(0);
        let link = robot.links[robot.links.len() - 1].clone();
        let anchor = Point3::new(0.01, 0.02, 0.03);
        for round in 0..10 {
            let (from, here) =
                (sketch.posture().clone(), pose_of(&sketch, &format!("{}/{link}", robot.name)) * anchor);
            shaken(&mut sketch, 0, &mut numbers, 0.3);
            let target = pose_of(&sketch, &format!("{}/{link}", robot.name)) * anchor;
            sketch.put(from);
            // In small steps, as in a drag.
            let mut left = f64::INFINITY;
            for step in 1..=20 {
                let target = here + (target - here) * (f64::from(step) / 20.0);
                left = sketch.drag_link(&robot.name, &link, &anchor, &target).unwrap().distance;
            }
            let reached = pose_of(&sketch, &format!("{}/{link}", robot.name)) * anchor;
            assert!((reached - target).norm() <= left + 1e-12, "{name} {round}");
            assert!(left < 1e-6, "{name} {round}: {left}");
            assert!(sketch.ensemble().collision_world().keeps_limits(sketch.posture().poses()), "{name}");
        }
        sketch.end_undo_group();
        let far = Point3::new(50.0, -40.0, 60.0);
        let dragged = sketch.drag_link(&robot.name, &link, &anchor, &far).unwrap();
        let reached = pose_of(&sketch, &format!("{}/{link}", robot.name)) * anchor;
        assert!((dragged.distance - (reached - far).norm()).abs() < 1e-9 && dragged.distance > 1.0);
        assert!(sketch.ensemble().collision_world().keeps_limits(sketch.posture().poses()), "{name}");
        assert_eq!(sketch.steps()[0] > 0, sketch.undo());
    }
}

/// Three bars of 1 m in a row, of which the last hinge mimics the second one where `mimics`.
fn bars(limit: f64, mimics: bool) -> MovableModel {
    let names: Vec<String> = (0..4).map(|link| link.to_string()).collect();
    let joint = |at: usize| {
        let kind = JointKind::Revolute { axis: Vector3::z() };
        let joint = Joint::new(&format!("j{at}"), &names[at - 1], &names[at], kind).within([-limit, limit]);
        let mimic = (mimics && at == 3).then(|| Mimic { joint: "j2".to_owned(), factor: 1.0, offset: 0.0 });
        Joint { mimic, ..joint.at(Isometry3::translation(if at == 1 { 0.0 } else { 1.0 }, 0.0, 0.0)) }
    };
    let articulation = Articulation::new(names.clone(), (1..4).map(joint).collect()).unwrap();
    let bar =
        || Shape::of_pieces(vec![(ConvexShape::cuboid(Vector3::new(1.0, 0.1, 0.1)), at(0.5, 0.0, 0.0))]);
    let shapes = (0..4).map(|link| (link > 0).then(bar)).collect();
    MovableModel::new(articulation, shapes, AllowedCollisions::default(), Base::Fixed).unwrap()
}

#[test]
fn pulled_out_of_reach_bars_are_stretched_and_bars_with_limits_point_as_far_as_these_allow() {
    let anchor = Point3::new(1.0, 0.0, 0.0);
    let pull = |movable: &MovableModel, joints: Vec<f64>, target: Point3<f64>| {
        let limits = movable.limits().unwrap();
        let pose = Pose { base: Isometry3::identity(), joints };
        super::inverse_kinematics::InverseKinematics { movable, link: 3, anchor, target }
            .solve(&pose, &limits)
            .unwrap()
    };
    // Nothing is nearer to a far target than the stretched bars.
    let (joints, left) = pull(&bars(3.0, false), vec![0.2, 0.4, -0.3], Point3::new(0.0, 7.0, 0.0));
    assert!((left - 4.0).abs() < 1e-3, "{left}");
    assert!((joints[0] - std::f64::consts::FRAC_PI_2).abs() < 0.05 && joints[1].abs() < 0.05, "{joints:?}");
    // With ±0.5 at each hinge and a target to the left all three hinges are at their limit, on either side alike.
    let (joints, left) = pull(&bars(0.5, false), vec![0.1; 3], Point3::new(-9.0, 0.0, 0.0));
    assert!(joints.iter().all(|q| *q == joints[0] && q.abs() == 0.5), "{joints:?}");
    let tip = (1..=3).fold(Vector3::zeros(), |sum: Vector3<f64>, i| {
        let (sine, cosine) = (0.5 * f64::from(i)).sin_cos();
        sum + Vector3::new(cosine, sine, 0.0)
    });
    assert!((left - (tip - Vector3::new(-9.0, 0.0, 0.0)).norm()).abs() < 1e-12);
    // Two hinges that rotate alike reach a point of their curve, and any other one only nearly.
    let mimicking = bars(3.0, true);
    let tip = |q: &[f64]| mimicking.articulation().link_poses(q, &Isometry3::identity()).unwrap()[3] * anchor;
    let (joints, left) = pull(&mimicking, vec![0.1, 0.1], tip(&[0.7, -0.6]));
    assert!(joints.len() == 2 && left < 1e-6, "{joints:?} {left}");
    assert!((tip(&joints) - tip(&[0.7, -0.6])).norm() < 1e-6);
    // A joint that is fixed stays.
    let mut fixed = bars(3.0, false);
    fixed.fix("j1").unwrap();
    let (joints, _) = pull(&fixed, vec![0.1; 3], Point3::new(-9.0, 0.0, 0.0));
    assert!(joints[0] == 0.1 && joints[1] != 0.1);
}

#[test]
fn a_repair_is_free_by_independent_queries_and_can_be_undone() {
    for name in ["repair/three_link.ron", "repair/hand_around_bottle.ron"] {
        let mut sketch = load(name);
        let before = sketch.posture().clone();
        let fast = RepairOptions { effort: Effort::Fast, ..RepairOptions::default() };
        sketch.set_repair(fast, None);
        assert!(!name.contains("hand") || !by_models(&sketch).is_empty());
        let repaired = sketch.repair().unwrap().unwrap();
        assert_eq!((&repaired.before, &repaired.after), (&before, sketch.posture()));
        assert!(by_models(&sketch).is_empty() && sketch.colliding().unwrap().is_empty(), "{name}");
        assert!(sketch.ensemble().collision_world().keeps_limits(sketch.posture().poses()));
        assert!(
            (repaired.repair.depth.powi(2) - repaired.repair.sigma).abs() <= 1e-12 * repaired.repair.sigma
        );
        assert!(!repaired.repair.changes.is_empty() && !repaired.collisions.is_empty());
        assert!(sketch.repair().unwrap().is_none(), "nothing is left to do");
        assert!(sketch.undo());
        assert_eq!(sketch.posture(), &before);
        // A world that is built of what was repaired finds no overlap either.
        sketch.redo();
        let scene = (**sketch.scene()).clone().posed(&sketch.scene_poses());
        assert!(crate::scene::overlaps(&scene.world().unwrap(), Effort::Fast).unwrap().is_empty(), "{name}");
    }
}

#[test]
fn a_repair_of_an_older_sketch_is_refused_and_one_without_time_is_the_first_that_is_found() {
    let mut sketch = load("repair/hand_around_bottle.ron");
    let job = sketch.repair_job();
    let hasty = job.run(&|| true).unwrap().unwrap();
    assert!(hasty.repair.verified_free);
    sketch.set_joint("hand", "thumb_bend", 0.1).unwrap();
    assert!(!sketch.accept(&hasty));
    assert!(sketch.undo());
    sketch.set_repair(RepairOptions::default(), Some(Duration::ZERO));
    assert_eq!(sketch.repair().unwrap().unwrap().repair, hasty.repair);
}

#[test]
fn no_free_pose_is_an_error_with_the_best_effort_and_nothing_changes() {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [
        (name: \"a\", shape: \"s\"), (name: \"b\", shape: \"s\", kind: fixed, position: (1, 0, 0))])";
    let scene = Arc::new(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap());
    let world = scene.world().unwrap();
    let freedom = Freedom { fixed: ["a".to_owned()].into(), ..Freedom::default() };
    let options = SketchOptions { freedom, ..SketchOptions::default() };
    // Both stay, so nothing collides that could be helped.
    let mut stuck = Sketch::new(Arc::clone(&scene), &world, options).unwrap();
    assert!(stuck.repair().unwrap().is_none());
    let mut sketch = Sketch::new(scene, &world, SketchOptions::default()).unwrap();
    let tight = RepairOptions { max_move: Some(1e-3), ..RepairOptions::default() };
    sketch.set_repair(tight, None);
    let before = sketch.posture().clone();
    let error = sketch.repair().unwrap_err();
    assert!(matches!(error, crate::repair::RepairError::TooFar { .. }), "{error}");
    assert!(sketch.posture() == &before && sketch.steps() == [0, 0]);
}

#[test]
fn bodies_without_collisions_stay_and_a_dragged_body_pushes_those_it_meets() {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": cuboid(size: (1, 1, 1))}, bodies: [
        (name: \"a\", shape: \"s\"), (name: \"b\", shape: \"s\", position: (0.9, 0, 0)),
        (name: \"c\", shape: \"s\", position: (5, 0, 0)), (name: \"d\", shape: \"s\", position: (7, 0, 0))])";
    let mut sketch = sketch_of(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap());
    let repaired = sketch.repair().unwrap().unwrap();
    // Two of four equal bodies move by 0.05 m.
    assert!((repaired.repair.sigma - 0.5 * 0.05_f64.powi(2)).abs() < 1e-5, "{}", repaired.repair.sigma);
    assert_eq!((pose_of(&sketch, "c"), pose_of(&sketch, "d")), (at(5.0, 0.0, 0.0), at(7.0, 0.0, 0.0)));
    sketch.follow().unwrap();
    let place = |followed: &Followed| followed.posture.poses()[2].base.translation.vector.x;
    for step in 1..=15 {
        let x = 7.0 - 0.1 * f64::from(step);
        sketch.drag_body("d", &Point3::origin(), &Point3::new(x, 0.0, 0.0), DragMode::Translate).unwrap();
        let followed = sketch.follow().unwrap();
        assert!(sketch.ensemble().is_verified_free(followed.posture.poses()).unwrap(), "{step}");
        // Both give way by half of the overlap.
        let expected = 5.0 - 0.5 * (6.0 - x).max(0.0);
        assert!((place(&followed) - expected).abs() < 1e-3, "{step}: {} {expected}", place(&followed));
    }
    sketch.drag_body("d", &Point3::origin(), &Point3::new(7.0, 0.0, 0.0), DragMode::Translate).unwrap();
    // So far away it is only after a while: what was pushed comes back.
    assert!(sketch.follow().unwrap().held);
    let followed = sketch.follow().unwrap();
    assert!(!followed.held && followed.depth < 1e-9 && place(&followed) == 5.0, "{}", followed.depth);
}

#[test]
fn following_a_drag_is_free_and_never_passes_through_the_obstacle() {
    // A ball of radius 1 is dragged through a fixed ball, a little off the line of the middles.
    let mut sketch = balls();
    sketch.move_body("a", &at(5.0, 0.1, 2.0)).unwrap();
    let mut last = sketch.follow().unwrap();
    assert!(last.depth == 0.0 && !last.held);
    let limit = 2.0 * (0.02 * 1.0) + 0.25;
    for step in 1..=40 {
        let x = 5.0 + 0.2 * f64::from(step);
        sketch.drag_body("a", &Point3::origin(), &Point3::new(x, 0.1, 2.0), DragMode::Translate).unwrap();
        let next = sketch.follow().unwrap();
        let middle = next.posture.poses()[0].base.translation.vector;
        let gap = (middle - Vector3::new(9.0, 0.0, 2.0)).norm() - 2.0;
        assert!(gap > 0.0, "{step}: {gap}");
        assert!(sketch.ensemble().is_verified_free(next.posture.poses()).unwrap());
        let before = last.posture.poses()[0].base.translation.vector;
        // It may slide around the ball, but it does not jump across: within half a revolution around it.
        let [from, to] = [before, middle].map(|point| point - Vector3::new(9.0, 0.0, 2.0));
        let across = (from.normalize() - to.normalize()).norm();
        assert!(across < 1.0, "{step}: {across} {limit}");
        last = next;
    }
}

#[test]
fn a_wall_holds_what_follows_even_where_the_sketch_is_free_behind_it() {
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 0.1), \"w\": cuboid(size: (0.1, 10, 10))}, bodies: [
        (name: \"a\", shape: \"s\", position: (-1, 0, 0)), (name: \"w\", shape: \"w\", kind: fixed)])";
    let mut sketch = sketch_of(Scene::parse(Path::new("t.ron"), text.to_owned()).unwrap());
    sketch.follow().unwrap();
    let mut held = 0;
    for step in 1..=20 {
        let x = -1.0 + 0.1 * f64::from(step);
        sketch
            .drag_body("a", &Point3::origin(), &Point3::new(x, 0.01 * x, 0.0), DragMode::Translate)
            .unwrap();
        let followed = sketch.follow().unwrap();
        let at = followed.posture.poses()[0].base.translation.vector.x;
        assert!(at <= -0.15, "{step}: {at}");
        assert!((at - x.min(-0.15)).abs() < 0.01, "{step}: {at} {x}");
        held += u32::from(followed.held);
    }
    // Followed anew, it is where it is sketched: free, behind the wall.
    sketch.forget();
    assert!(sketch.follow().unwrap().depth == 0.0);
    assert!(held > 0);
}

#[test]
fn the_hand_that_follows_stays_on_its_side_of_the_bottle() {
    let mut sketch = load("repair/hand_around_bottle.ron");
    let open: Vec<_> = sketch.robots().remove(0).joints;
    sketch.begin_undo_group();
    for joint in &open {
        sketch.set_joint("hand", &joint.name, 0.0_f64.clamp(joint.limits[0], joint.limits[1])).unwrap();
    }
    sketch.end_undo_group();
    let mut last = sketch.follow().unwrap().posture;
    let closed = [("index_base", 60.0), ("index_bend", 65.0), ("middle_base", 60.0), ("middle_bend", 65.0)];
    for step in 1..=20 {
        for (joint, degrees) in closed {
            let value = f64::to_radians(degrees) * f64::from(step) / 20.0;
            sketch.set_joint("hand", joint, value).unwrap();
        }
        let next = sketch.follow().unwrap().posture;
        let collision_world = sketch.ensemble().collision_world();
        assert!(sketch.ensemble().is_verified_free(next.poses()).unwrap(), "{step}");
        assert!(collision_world.keeps_limits(next.poses()), "{step}");
        // Between two results, at every twentieth of the path, overlaps are smaller than the resolution: a link is free
        // once it is moved by as much in some direction.
        let bottle =
            collision_world.bodies.iter().position(|body| matches!(body.part, Part::Obstacle(0))).unwrap();
        for look in 1..20 {
            let time = f64::from(look) / 20.0;
            let joints = last.poses()[0].joints.iter().zip(&next.poses()[0].joints);
            let pose = Pose {
                base: next.poses()[0].base,
                joints: joints.map(|(a, b)| a + (b - a) * time).collect(),
            };
            let places = collision_world.body_poses(&[pose]).unwrap();
            let reach = 2.0 * 0.02 * collision_world.size();
            for (body, place) in collision_world.bodies.iter().zip(&places).take(bottle) {
                let (Some(link), Some(glass)) = (&body.model, &collision_world.bodies[bottle].model) else {
                    continue;
                };
                let directions =
                    (0..26).map(|i| extricate_core::penetration::translational::fibonacci(i, 26) * reach);
                let mut shifts = std::iter::once(Vector3::zeros()).chain(directions);
                let apart = |by: Vector3<f64>| {
                    !collide(link, &(Translation3::from(by) * place), glass, &places[bottle])
                };
                assert!(shifts.any(apart), "{step} {look}");
            }
        }
        last = next;
    }
}

#[test]
fn a_saved_scene_is_read_back_with_everything_where_it_was() {
    let folder = std::env::temp_dir().join(format!("extricate-sketch-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut numbers = SplitMix64(9);
    let mut sketch = load("repair/arm_in_car.ron");
    shaken(&mut sketch, 0, &mut numbers, 0.5);
    let car = Isometry3::from_parts(
        Translation3::new(0.1, 1.0 / 3.0, 0.0),
        UnitQuaternion::from_euler_angles(0.0, 0.1, 0.3),
    );
    sketch.move_body("car", &car).unwrap();
    let base = at(0.0, 0.25, 0.125);
    sketch.move_base("arm", &base).unwrap();
    let path = folder.join("posed.ron");
    sketch.save_scene(&path, Overwrite::Refuse).unwrap();
    // Its robot lies where its folder does not reach.
    let saved = || Scene::load_within(&path, &FileScope::anywhere()).unwrap();
    let read = saved();
    assert!(read.text.contains("// through the door"), "comments stay");
    let again = sketch_of(read);
    assert_eq!(again.posture().poses[0].joints, sketch.posture().poses[0].joints);
    let (before, after) =
        (sketch.named_poses(sketch.posture()).unwrap(), again.named_poses(again.posture()).unwrap());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.name, after.name);
        assert!(
            (before.pose.translation.vector - after.pose.translation.vector).norm() < 1e-14,
            "{}",
            before.name
        );
        assert!(before.pose.rotation.angle_to(&after.pose.rotation) < 1e-14, "{}", before.name);
    }
    // An existing file is replaced only on request.
    assert!(matches!(sketch.save_scene(&path, Overwrite::Refuse), Err(RepairError::Exists { .. })));
    sketch.undo();
    sketch.save_scene(&path, Overwrite::Replace).unwrap();
    assert!(saved().robots[0].pose != base);
    assert!(Scene::load(&path).unwrap_err().to_string().contains("--allow-outside"));
    let nowhere = folder.join("nowhere").join("posed.ron");
    let refused = sketch.save_scene(&nowhere, Overwrite::Refuse).unwrap_err().to_string();
    assert!(refused.contains("nowhere") && refused.contains("posed.ron"), "{refused}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no parts of files are left");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn saved_joints_are_those_of_the_robot() {
    let path = std::env::temp_dir().join(format!("extricate-joints-{}.json", std::process::id()));
    let mut sketch = load("repair/hand_around_bottle.ron");
    sketch.set_joint("hand", "thumb_bend", 1.0 / 3.0).unwrap();
    sketch.save_joints("hand", &path, Overwrite::Replace).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let robot = sketch.robots().remove(0);
    assert_eq!(value["joints"].as_object().unwrap().len(), robot.joints.len());
    for joint in &robot.joints {
        assert_eq!(value["joints"][&joint.name].as_f64().unwrap().to_bits(), joint.value.to_bits());
    }
    assert_eq!(value["base"]["rotation"][0].as_f64(), Some(1.0));
    assert!(matches!(
        sketch.save_joints("foot", &path, Overwrite::Replace),
        Err(RepairError::UnknownName { .. })
    ));
}

#[test]
fn the_same_calls_give_the_same_answers() {
    let run = || {
        let mut sketch = load("repair/hand_around_bottle.ron");
        let robot = sketch.robots().remove(0);
        let link = robot.links[robot.links.len() - 1].clone();
        for step in 0..5 {
            let target = Point3::new(0.05, 0.1 + 0.01 * f64::from(step), 0.1);
            sketch.drag_link("hand", &link, &Point3::origin(), &target).unwrap();
            sketch.follow().unwrap();
        }
        let followed = sketch.follow().unwrap();
        (sketch.posture().clone(), followed.posture, sketch.colliding().unwrap().len())
    };
    assert_eq!(run(), run());
}
