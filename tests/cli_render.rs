//! `extricate render` without drawing: its refusals, and its message in a program built without pictures.

mod cli_program;

use cli_program::{extricate, scratch_folder};

const SCENE: &str = r#"(title: "A ball", duration: 1, shapes: {"ball": ball(radius: 1)}, bodies: [(name: "ball", shape: "ball")])"#;

#[test]
fn wrong_instructions_are_reported_and_leave_nothing() {
    let folder = scratch_folder();
    let scene = folder.write("ball.ron", SCENE);
    let out = folder.path("out.png");
    for (arguments, expected) in [
        (vec!["--size", "640"], "expected WIDTHxHEIGHT"),
        (vec!["--camera", "1,2,3"], "expected EYE@TARGET"),
        (vec!["--camera", "1,2,3@1,2,3"], "the eye and the target coincide"),
        (vec!["--time", "-1"], "unexpected argument"),
        (vec!["--time=-1"], "expected a time of zero or above"),
        (vec!["--speed", "0"], "expected a number above zero"),
        (vec!["--aperture", "0"], "expected a number above zero"),
        (vec!["--aperture", "1", "--focus", "1,2"], "expected a point X,Y,Z"),
        (vec!["--focus", "1"], "--aperture"),
        (vec!["--samples", "0"], "1..=4096"),
        (vec!["--trails", "0"], "expected a number above zero"),
        (vec!["--show", "everything"], "local-penetrations"),
        (vec!["--time", "1", "--to", "2"], "cannot be used with"),
    ] {
        let ended = extricate(["render", &scene, "-o", &out].into_iter().chain(arguments.clone()));
        assert_eq!(ended.exit, 2, "{arguments:?}");
        assert!(ended.stderr.contains(expected), "{arguments:?}: {}", ended.stderr);
        assert!(!folder.exists("out.png"));
    }
}

#[cfg(not(feature = "viewer"))]
#[test]
fn without_pictures_the_program_says_how_to_get_them() {
    let folder = scratch_folder();
    let scene = folder.write("ball.ron", SCENE);
    let ended = extricate(["render", &scene, "-o", &folder.path("out.png")]);
    assert_eq!(ended.exit, 2);
    assert!(ended.stderr.contains("--features viewer"), "{}", ended.stderr);
    assert!(!folder.exists("out.png"));
    let help = extricate(["render", "--help"]);
    assert!(help.exit == 0 && help.stdout.contains("--orbit"), "{}", help.stdout);
}

#[cfg(feature = "viewer")]
#[test]
fn an_output_that_is_not_a_picture_is_refused() {
    let folder = scratch_folder();
    let scene = folder.write("ball.ron", SCENE);
    for (out, arguments, expected) in [
        ("out.jpg", vec![], "pictures are .png"),
        ("out", vec![], "a folder with --frames"),
        ("out.gif", vec!["--time", "1"], "--time applies to pictures"),
        ("out.gif", vec!["--fps", "60"], "at most 50"),
        ("out.gif", vec!["--from", "2"], "before it begins"),
        ("out.png", vec!["--time", "1,0"], "decreasing times"),
        (
            "out.png",
            vec!["--camera", "0,-5,0@0,0,0", "--aperture", "0.1", "--focus", "0,-6,0"],
            "not in front of the camera",
        ),
    ] {
        let path = folder.path(out);
        let ended = extricate(["render", &scene, "-o", &path].into_iter().chain(arguments.clone()));
        assert_eq!(ended.exit, 2, "{out} {arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{out} {arguments:?}: {}", ended.stderr);
        assert!(!folder.exists(out));
    }
}
