use kiss3d::egui;
use nalgebra::Vector3;

use super::*;
use crate::palette;
use extricate_core::penetration::Effort;
use extricate_scene::record::WorldState;

/// Time limit, longer than any of these tests takes.
const LONG: Duration = Duration::from_secs(120);

fn mode(path: &str) -> (SketchMode, Models) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let scene = Arc::new(Scene::load(root.join(path)).unwrap());
    let world = scene.world().unwrap();
    let models = Models::of(&world).unwrap();
    let state = WorldState::of(&world);
    let mut mode = SketchMode::new(scene, &world, (&models, &state)).unwrap();
    mode.panel.effort = Effort::Fast;
    (mode, models)
}

/// Texts that the panel shows.
fn texts(mode: &mut SketchMode) -> String {
    let context = egui::Context::default();
    let input = || egui::RawInput {
        screen_rect: Some(egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(400.0, 4000.0))),
        ..egui::RawInput::default()
    };
    let _ = context.run_ui(input(), |ui| drop(mode.panel(ui)));
    let output = context.run_ui(input(), |ui| drop(mode.panel(ui)));
    let text = |shape: &egui::epaint::ClippedShape| match &shape.shape {
        egui::Shape::Text(text) => Some(text.galley.text().to_owned()),
        _ => None,
    };
    output.shapes.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Origin of a drawn body [m, world].
fn place(mode: &SketchMode, models: &Models, name: &str) -> Point3<f64> {
    mode.state().pose(models.body(name).unwrap()).translation.vector.into()
}

#[test]
fn colliding_links_are_tinted_and_a_repair_leaves_ghosts_and_can_be_undone() {
    let (mut mode, models) = mode("scenes/repair/hand_around_bottle.ron");
    let [finger, bottle] = ["hand/index_middle", "bottle"].map(|name| models.body(name).unwrap());
    assert_eq!(mode.drawing().tints.get(&bottle), Some(&palette::COLLIDING));
    let before = mode.state().clone();
    assert!(texts(&mut mode).contains("colliding pairs"));
    assert!(mode.handle(&Action::Repair) && mode.wait(LONG));
    assert!(!mode.drawing().tints.values().any(|tint| *tint == palette::COLLIDING), "nothing collides");
    let ghosts = &mode.drawing().ghosts;
    let ghost =
        ghosts.iter().find(|ghost| Arc::ptr_eq(&ghost.mesh, models.bodies[finger].mesh.as_ref().unwrap()));
    assert_eq!(ghost.map(|ghost| ghost.pose), Some(before.pose(finger)));
    assert!(mode.drawing().tints[&finger] != mode.drawing().tints[&bottle], "green and grey");
    assert!(mode.state().pose(finger) != before.pose(finger));
    let shown = texts(&mut mode);
    assert!(shown.contains("Free: no collisions"), "{shown}");
    // The report has its numbers and the moved joints.
    assert!(shown.contains("√σ") && shown.contains("free, limits satisfied"), "{shown}");
    assert!(shown.contains("index_bend") && shown.contains("hand: 25 joints"), "{shown}");
    assert!(mode.handle(&Action::Undo));
    assert_eq!(mode.state(), &before);
    assert!(mode.drawing().ghosts.is_empty() && mode.drawing().tints[&bottle] == palette::COLLIDING);
    mode.handle(&Action::Redo);
    assert!(mode.sketch.colliding().unwrap().is_empty());
    // A second repair reports that nothing is left to do.
    mode.handle(&Action::Repair);
    assert!(mode.wait(LONG));
    assert!(mode.message().unwrap().text.contains("already free"));
    assert!(!mode.handle(&Action::Quit), "that is not for a sketch");
}

#[test]
fn a_grabbed_finger_follows_the_mouse_and_one_drag_is_one_step() {
    let (mut mode, models) = mode("scenes/repair/hand_around_bottle.ron");
    let name = "hand/middle_distal";
    let body = models.body(name).unwrap();
    let from = place(&mode, &models, name);
    assert!(mode.grab(AnyBody::Rigid(body), &from, false));
    for step in 1..=10 {
        mode.drag(&(from + Vector3::new(0.0, 0.0, 0.003) * f64::from(step)));
    }
    let to = place(&mode, &models, name);
    assert!((to - (from + Vector3::new(0.0, 0.0, 0.03))).norm() < 1e-6, "{from} {to}");
    mode.release();
    assert_eq!(mode.sketch().steps(), [1, 0]);
    mode.handle(&Action::Undo);
    assert!((place(&mode, &models, name) - from).norm() < 1e-15);
}

#[test]
fn with_ctrl_a_body_is_rotated_about_its_centre_and_a_robot_as_a_whole() {
    let (mut mode, models) = mode("scenes/repair/arm_in_car.ron");
    let [car, hand] = ["car", "arm/forearm"].map(|name| models.body(name).unwrap());
    let before = mode.state().clone();
    assert!(mode.grab(AnyBody::Rigid(car), &Point3::new(2.0, 0.0, 0.5), true));
    mode.drag(&Point3::new(1.0, 1.0, 0.5));
    mode.release();
    assert!(mode.state().pose(car).rotation.angle_to(&before.pose(car).rotation) > 0.1);
    assert!(mode.grab(AnyBody::Rigid(hand), &Point3::new(0.5, 0.0, 0.5), true));
    mode.drag(&Point3::new(0.9, 0.0, 0.5));
    mode.release();
    let between =
        |state: &WorldState| state.pose(hand).inverse() * state.pose(models.body("arm/cart").unwrap());
    let (now, then) = (between(mode.state()), between(&before));
    assert!((now.translation.vector - then.translation.vector).norm() < 1e-12, "its joints stay");
    assert!(mode.state().pose(hand).rotation.angle_to(&before.pose(hand).rotation) > 0.05);
}

#[test]
fn the_following_pose_is_free_while_the_sketch_collides_and_releasing_takes_it() {
    let (mut mode, models) = mode("scenes/repair/hand_around_bottle.ron");
    mode.handle(&Action::Repair);
    assert!(mode.wait(LONG));
    mode.handle(&Action::Follow);
    let name = "hand/index_distal";
    let from = place(&mode, &models, name);
    let bottle = place(&mode, &models, "bottle");
    assert!(mode.grab(AnyBody::Rigid(models.body(name).unwrap()), &from, false));
    for step in 1..=5 {
        mode.drag(&(from + (bottle - from) * (0.1 * f64::from(step))));
        assert!(mode.wait(LONG));
    }
    assert!(!mode.sketch.colliding().unwrap().is_empty(), "the sketch is dragged into the bottle");
    assert!(!mode.drawing().ghosts.is_empty());
    assert!(texts(&mut mode).contains("Free at √σ"));
    let shown = mode.state().clone();
    mode.release();
    assert!(mode.wait(LONG));
    assert!(mode.sketch.colliding().unwrap().is_empty());
    assert_eq!(mode.state(), &shown, "nothing jumps on release");
    assert!(mode.drawing().ghosts.is_empty());
    // The repair is one step, the drag with its following pose another.
    assert_eq!(mode.sketch().steps(), [2, 0]);
    assert!(
        extricate_scene::scene::overlaps(&mode.posed().world().unwrap(), Effort::Fast).unwrap().is_empty()
    );
}

#[test]
fn a_sketch_is_saved_beside_its_scene_and_overwrites_it_only_if_allowed() {
    let folder = std::env::temp_dir().join(format!("extricate-sketch-mode-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("a.ron");
    let text = "(title: \"t\", duration: 1, shapes: {\"s\": ball(radius: 1)}, bodies: [(name: \"a\", shape: \"s\")])";
    std::fs::write(&source, text).unwrap();
    let (mut mode, models) = mode(source.to_str().unwrap());
    assert!(mode.grab(AnyBody::Rigid(models.body("a").unwrap()), &Point3::new(1.0, 0.0, 0.0), false));
    mode.drag(&Point3::new(1.5, 0.0, 0.0));
    mode.release();
    mode.handle(&Action::Save);
    let beside = folder.join("a_sketched.ron");
    assert_eq!(mode.message().unwrap().text, format!("saved to {}", beside.display()));
    assert!((Scene::load(&beside).unwrap().bodies[0].pose.translation.x - 0.5).abs() < 1e-15);
    mode.handle(&Action::SaveAs(source.clone()));
    let refused = mode.message().unwrap();
    assert!(refused.kind == MessageKind::Error && refused.text.contains("a.ron"));
    assert_eq!(std::fs::read_to_string(&source).unwrap(), text);
    mode.panel.over_source = true;
    mode.handle(&Action::SaveAs(source.clone()));
    assert!((Scene::load(&source).unwrap().bodies[0].pose.translation.x - 0.5).abs() < 1e-15);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn lengths_have_three_digits_in_a_suitable_unit() {
    let text = [12.345, 1.0, 0.0123456, 1.5e-5, 0.0, -0.25].map(metres);
    assert_eq!(text, ["12.3 m", "1.00 m", "12.3 mm", "15.0 µm", "0 m", "-250 mm"]);
}
