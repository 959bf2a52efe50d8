use std::path::Path;

use nalgebra::Point3;

use super::*;
use crate::ViewError;
use crate::app::script::{Screen, parse, play};
use crate::app::{DragMode, Gesture, prepare};
use crate::interface::{Action, Layer};
use extricate_core::penetration::Effort;
use extricate_scene::scene::{BodyField, overlaps};

const LIMIT: Duration = Duration::from_secs(60);
const SIZE: Vector2<f64> = Vector2::new(800.0, 600.0);

/// A ball in the air and a box that is fixed, above the ground.
const SCENE: &str = r#"(
    title: "a ball and a block",
    duration: 1,
    time_step: 0.002,
    shapes: {"ball": ball(radius: 0.1), "block": cuboid(size: (0.4, 0.4, 0.4)), "ground": half_space},
    bodies: [
        (name: "ball", shape: "ball", position: (0, 0, 1)),
        (name: "block", shape: "block", kind: fixed, position: (0.8, 0, 0.5)),
        (name: "ground", shape: "ground", kind: fixed),
    ],
)"#;

/// No screen at all.
struct Nowhere;

impl Screen for Nowhere {
    fn show(&mut self, session: &mut Session) -> bool {
        session.tick();
        true
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("extricate-session-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A session of the scene in a folder of its own, the camera looking along y.
fn session(name: &str) -> (PathBuf, Session) {
    let folder = folder(name);
    let path = folder.join("scene.ron");
    std::fs::write(&path, SCENE).expect("a scene");
    let loaded = Loaded::scene(&path, &prepare).unwrap_or_else(|error| panic!("{error}"));
    let mut session = Session::new(loaded, Arc::new(prepare), Pace::Commanded, SIZE).expect("a session");
    let eye = Point3::new(0.3, -6.0, 0.8);
    session.look(Camera::look_at(&eye, &Point3::new(0.3, 0.0, 0.8), Camera::FIELD_OF_VIEW));
    (folder, session)
}

fn script(session: &mut Session, text: &str) -> Result<bool, ViewError> {
    let path = Path::new("test.txt");
    play(path, &parse(path, text).expect("a script"), session, &mut Nowhere)
}

fn ball(session: &Session) -> Point3<f64> {
    session.snapshot().state.bodies.iter().find(|body| body.name == "ball").expect("the ball").position
}

/// The pixel of a point.
fn pixel(session: &Session, point: &Point3<f64>) -> Vector2<f64> {
    session.camera().pixel(point, SIZE).expect("it is before the camera")
}

#[test]
fn a_click_selects_a_body_and_on_the_ground_deselects() {
    let (folder, mut session) = session("click");
    let at = pixel(&session, &ball(&session));
    session.gesture(Gesture::Click(at));
    let body = session.panel_state(None).selection.expect("the ball is there");
    assert_eq!(session.name(body).as_deref(), Some("ball"));
    assert_eq!(session.drawing().lines.len(), 12, "a box around it");
    session.settle(LIMIT).expect("it continues");
    let below = pixel(&session, &Point3::new(0.3, -1.0, 0.0));
    session.gesture(Gesture::Click(below));
    assert_eq!(session.panel_state(None).selection, None);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_dragged_ball_follows_the_mouse_and_falls_when_released() {
    let (folder, mut session) = session("drag");
    let from = pixel(&session, &ball(&session));
    assert!(session.can_drag(from));
    let block = pixel(&session, &Point3::new(0.8, 0.0, 0.5));
    assert!(!session.can_drag(block), "it is fixed");
    let goal = Point3::new(-0.5, 0.0, 1.4);
    let to = pixel(&session, &goal);
    let drag = format!("key space\ndrag {} {} to {} {} in 1.5", from.x, from.y, to.x, to.y);
    script(&mut session, &drag).expect("it is played");
    // It hangs a radius below the grip, which is a radius in front of its initial centre.
    assert!((ball(&session) - goal).norm() < 0.2, "{}", ball(&session));
    assert!(session.snapshot().pull.is_none(), "the mouse has let go");
    script(&mut session, "wait 2").expect("it is played");
    assert!(ball(&session).z < 0.11, "{}", ball(&session));
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn the_wheel_keeps_the_point_under_the_pointer_fixed() {
    let (folder, mut session) = session("zoom");
    for place in [Point3::new(0.65, -0.2, 0.55), Point3::new(-0.9, 0.0, 1.9)] {
        let at = pixel(&session, &place);
        let before = session.camera().distance;
        session.gesture(Gesture::Zoom(0.5, at));
        assert!((session.camera().distance - 0.5 * before).abs() < 1e-12);
        assert!((pixel(&session, &place) - at).norm() < 1e-6, "{place}");
        session.gesture(Gesture::Zoom(2.0, at));
    }
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_changed_file_changes_the_scene_but_not_the_camera_and_an_invalid_one_is_reported_and_changes_nothing() {
    let (folder, mut session) = session("reload");
    let path = folder.join("scene.ron");
    session.act(&Action::Speed(4.0));
    session.act(&Action::PlayPause);
    let ball = session.body("ball");
    session.act(&Action::Select(ball));
    session.settle(LIMIT).expect("it continues");
    let camera = *session.camera();
    let reloaded = |text: &str, session: &mut Session| {
        std::fs::write(&path, text).expect("a scene");
        let until = std::time::Instant::now() + LIMIT;
        session.message = None;
        while session.message().is_none() && std::time::Instant::now() < until {
            session.tick();
            std::thread::sleep(Duration::from_millis(5));
        }
        session.message().cloned().expect("the change was seen")
    };
    let message = reloaded(&SCENE.replace("kind: fixed, pos", "kind: fxd, pos"), &mut session);
    assert_eq!(message.kind, MessageKind::Error);
    assert!(message.text.contains("scene.ron:8:"), "{}", message.text);
    assert_eq!(session.models().bodies.len(), 3);
    let another =
        SCENE.replace("bodies: [", "bodies: [(name: \"another\", shape: \"block\", position: (5, 0, 3)),");
    let message = reloaded(&another, &mut session);
    assert_eq!(message.kind, MessageKind::Note, "{}", message.text);
    assert_eq!((session.models().bodies.len(), session.state().bodies.len()), (4, 4));
    assert_eq!(*session.camera(), camera);
    assert!(session.is_playing() && (session.snapshot().clock.speed - 4.0).abs() < 1e-12);
    let selected = session.panel_state(None).selection.expect("the ball is still selected");
    assert_eq!(session.name(selected).as_deref(), Some("ball"));
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_script_sketches_a_colliding_pose_repairs_it_saves_it_and_simulates_it() {
    let (folder, mut session) = session("sketch");
    let file = folder.join("posed.ron");
    let text = format!("key e\nmove ball 0.6 0 0.6\nsave {0}", folder.join("colliding.ron").display());
    script(&mut session, &text).expect("it is played");
    assert!(!session.drawing().tints.is_empty(), "colliding bodies are tinted");
    script(&mut session, &format!("repair\nsave {}", file.display())).expect("it is played");
    let count = |path: &Path| {
        let world = Scene::load(path).expect("it was saved").world().expect("a world");
        overlaps(&world, Effort::Best).expect("they are found").len()
    };
    assert_eq!((count(&folder.join("colliding.ron")), count(&file)), (1, 0));
    script(&mut session, "key space\nwait 0.1").expect("it is played");
    assert!(session.sketch().is_none() && session.is_playing());
    assert_eq!(session.state().step, 50);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_body_of_a_sketch_follows_the_mouse_and_undo_restores_it() {
    let (folder, mut session) = session("pose");
    script(&mut session, "key E").expect("it is played");
    let from = pixel(&session, &ball(&session));
    session.gesture(Gesture::Grab(from, DragMode::Translate));
    session.gesture(Gesture::Drag(from + Vector2::new(0.0, -100.0)));
    session.gesture(Gesture::Release);
    let index = session.models().body("ball").expect("a ball");
    let height = |session: &Session| session.state().pose(index).translation.z;
    // The front of the ball is 5.9 m before the eye.
    let metres = 100.0 * session.camera().metres_per_pixel(5.9, SIZE.y);
    assert!((height(&session) - (1.0 + metres)).abs() < 0.02, "{}", height(&session));
    session.act(&Action::Undo);
    assert!((height(&session) - 1.0).abs() < 1e-12);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_command_that_fails_is_reported_with_file_and_line() {
    let (folder, mut session) = session("wrong");
    let mut error = |text: &str| script(&mut session, text).expect_err("the command fails").to_string();
    assert_eq!(error("wait 0\nselect nobody"), "test.txt:2: unknown body `nobody`");
    assert_eq!(error("key F13"), "test.txt:1: no action is bound to key `F13` in this mode");
    assert_eq!(error("repair"), "test.txt:1: no sketch is open; E starts one");
    assert_eq!(error("move ball 0 0 1"), "test.txt:1: no sketch is open; `key E` starts one");
    assert!(error("key e\n\nmove bell 0 0 1").starts_with("test.txt:3: "), "it names the line");
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn only_selected_layers_are_painted() {
    let (folder, mut session) = session("layers");
    session.act(&Action::Toggle(Layer::Trees));
    session.settle(LIMIT).expect("it continues");
    assert!(session.drawing().lines.len() > 12, "boxes");
    session.act(&Action::Toggle(Layer::Trees));
    session.settle(LIMIT).expect("it continues");
    assert_eq!(session.drawing().lines.len(), 0);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn escape_dismisses_one_thing_at_a_time_and_quit_ends() {
    let (folder, mut session) = session("escape");
    let body = session.body("ball");
    session.act(&Action::Select(body));
    session.act(&Action::Sketch);
    session.note("something");
    session.act(&Action::Help);
    let after_escape = |session: &mut Session| {
        session.act(&Action::Escape);
        let state = session.panel_state(None);
        (state.help, state.message.is_some(), state.sketching, state.selection.is_some())
    };
    assert_eq!(after_escape(&mut session), (false, true, true, false));
    assert_eq!(
        after_escape(&mut session),
        (false, false, true, false),
        "the selection is dismissed after the sketch"
    );
    assert_eq!(after_escape(&mut session), (false, false, false, true));
    assert_eq!(after_escape(&mut session), (false, false, false, false));
    assert!(script(&mut session, "picture a.png").is_ok_and(|continues| continues));
    assert_eq!(session.pictures(), [Picture { path: "a.png".into(), announce: false }]);
    assert!(script(&mut session, "key Q\nwait 99").is_ok_and(|continues| !continues));
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn values_of_a_body_are_written_to_the_scene_file_reloaded_and_undone() {
    let (folder, mut session) = session("values");
    let path = folder.join("scene.ron");
    let text = || std::fs::read_to_string(&path).expect("the scene");
    script(&mut session, "select ball\nset ball position 0.25 0 2\nset ball mass 3").expect("it is played");
    let expected = SCENE.replace(
        "(name: \"ball\", shape: \"ball\", position: (0, 0, 1))",
        "(name: \"ball\", mass: 3, shape: \"ball\", position: (0.25, 0, 2))",
    );
    assert_eq!(text(), expected);
    assert!((ball(&session) - Point3::new(0.25, 0.0, 2.0)).norm() < 1e-12, "it is reloaded");
    let index = session.models().body("ball").expect("the ball");
    assert_eq!(session.models().bodies[index].mass, Some(3.0));
    let values = session.panel_state(None).values.expect("it is selected").as_ref().expect("it is editable");
    assert!(values.contains(&(BodyField::Mass, "3".into())), "{values:?}");

    let error = script(&mut session, "set ball friction -1").expect_err("it is refused").to_string();
    assert!(error.contains("friction of `ball` not changed") && error.contains("scene.ron:7:"), "{error}");
    let error = script(&mut session, "set ball mass much").expect_err("it is refused").to_string();
    assert!(error.contains("invalid mass `much`"), "{error}");
    assert_eq!(text(), expected, "the file is left alone");

    script(&mut session, "key Z\nkey Z").expect("it is played");
    assert_eq!(text(), SCENE);
    assert!((ball(&session) - Point3::new(0.0, 0.0, 1.0)).norm() < 1e-12);
    script(&mut session, "key Z\nkey Y").expect("an empty history is not an error");
    assert!((ball(&session) - Point3::new(0.25, 0.0, 2.0)).norm() < 1e-12);

    // An edit by another program is not overwritten.
    std::fs::write(&path, SCENE.replace("a ball and", "A ball and")).expect("a scene");
    let until = std::time::Instant::now() + LIMIT;
    while session.panel_state(None).title.title != "A ball and a block" {
        assert!(std::time::Instant::now() < until, "the change was not seen");
        session.tick();
    }
    let error = script(&mut session, "key Z").expect_err("it is refused").to_string();
    assert!(error.contains("has been changed since") && text().contains("A ball and"), "{error}");
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn bodies_of_recorded_runs_and_of_their_scenes_are_not_edited() {
    let (folder, mut session) = session("values-of-run");
    std::fs::write(folder.join("states.jsonl"), "").expect("a file");
    let ball = session.body("ball");
    session.act(&Action::Select(ball));
    let values = session.panel_state(None).values.expect("it is selected");
    assert!(values.as_ref().is_err_and(|reason| reason.contains("belongs to a recorded run")), "{values:?}");
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn another_scene_or_run_is_opened_and_listed_and_an_invalid_one_changes_nothing() {
    let (folder, session) = session("open");
    let mut session = session.with_recent(Recent::in_folder(&folder.join("state")));
    let other = folder.join("other.ron");
    std::fs::write(&other, SCENE.replace("\"ball\", shape", "\"sphere\", shape")).expect("a scene");
    script(&mut session, "select ball\nset ball mass 3\nkey space").expect("it is played");
    let mut open = |path: &Path| {
        session.act(&Action::Open(path.to_owned()));
        session.finish_reload(LIMIT).expect("it is loaded");
        let names: Vec<_> = session.models().bodies.iter().map(|body| body.name.clone()).collect();
        let state = session.panel_state(None);
        let recent = state.recent.iter().map(|path| path.file_name().unwrap_or_default().to_owned());
        let recent: Vec<_> = recent.map(|name| name.to_string_lossy().into_owned()).collect();
        (names.join(" "), state.title.name.clone(), recent.join(" "), state.selection, session.is_playing())
    };
    let (bodies, name, recent, selection, is_playing) = open(&other);
    assert_eq!((&*bodies, &*name, &*recent), ("block ground sphere", "other", "other.ron scene.ron"));
    assert!(selection.is_none() && !is_playing);
    let (bodies, name, recent, ..) = open(&folder.join("absent.ron"));
    assert_eq!((&*bodies, &*name, &*recent), ("block ground sphere", "other", "other.ron scene.ron"));
    assert!(session.message().is_some_and(|message| message.kind == MessageKind::Error));
    // Edits of the first scene are not undone in the second one.
    let before = std::fs::read_to_string(&other).expect("the scene");
    script(&mut session, "key Z").expect("it is played");
    assert_eq!(std::fs::read_to_string(&other).expect("the scene"), before);
    std::fs::remove_dir_all(folder).expect("it is ours");
}

#[test]
fn a_dropped_mesh_is_added_above_all_bodies_and_other_files_are_refused() {
    let (folder, mut session) = session("drop");
    let mesh = folder.join("part.obj");
    // A tetrahedron whose lowest point is at z = 2, and the middle of its box at (0.5, 0.5).
    std::fs::write(&mesh, "v 0 0 2\nv 1 0 2\nv 0 1 2\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        .expect("a mesh");
    session.act(&Action::Drop(mesh));
    session.finish_reload(LIMIT).expect("it is loaded");
    let index = session.models().body("part").expect("it is added");
    let at = session.state().pose(index).translation.vector;
    // The ball reaches up to 1.1 m, the gap is a tenth of the height of 2 m, the camera looks at x = 0.3, y = 0.
    assert!((at - nalgebra::Vector3::new(-0.2, -0.5, 1.1 + 0.2 - 2.0)).norm() < 0.01, "{at}");
    script(&mut session, "key Z").expect("it is played");
    assert_eq!(std::fs::read_to_string(folder.join("scene.ron")).expect("the scene"), SCENE);
    let refused = |session: &mut Session, file: PathBuf| {
        session.act(&Action::Drop(file));
        let message = session.message().cloned().expect("it is refused");
        assert_eq!(message.kind, MessageKind::Error, "{}", message.text);
        message.text
    };
    assert!(refused(&mut session, folder.join("a.docx")).contains("expected a scene (ron)"));
    std::fs::write(folder.join("arm.urdf"), "<robot/>").expect("a file");
    assert!(refused(&mut session, folder.join("arm.urdf")).contains("not added"));
    assert_eq!(std::fs::read_to_string(folder.join("scene.ron")).expect("the scene"), SCENE);
    std::fs::remove_dir_all(folder).expect("it is ours");
}
