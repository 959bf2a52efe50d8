//! Errors of scenes are reported with file, line, column and cause.

use std::path::Path;

use extricate::scene::schema::SceneFile;

/// A scene with `what` among the fields of its one body (line 4) and `rest` behind the list of bodies.
fn scene(what: &str, rest: &str) -> String {
    format!(
        "(title: \"test\", duration: 2,\nshapes: {{\"s\": ball(radius: 0.5), \"floor\": half_space}},\nbodies: [\n\
         (name: \"a\", shape: \"s\", {what}),\n(name: \"b\", shape: \"s\"),\n(name: \"f\", shape: \"floor\", kind: fixed)],\n{rest})"
    )
}

/// The messages of everything that is wrong, each `line:column: cause`.
fn faults(text: &str) -> Vec<String> {
    let error = SceneFile::parse(Path::new("dir/scene.ron"), text).expect_err("the scene is invalid");
    let strip = |p: &extricate::scene::Problem| {
        p.to_string().strip_prefix("dir/scene.ron:").expect("the message starts with the path").to_owned()
    };
    error.problems().iter().map(strip).collect()
}

#[test]
fn a_scene_without_a_fault_is_accepted() {
    let text = scene("mass: 2", "joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed)]");
    SceneFile::parse(Path::new("scene.ron"), &text).unwrap();
}

#[test]
fn a_wrong_value_of_a_body_is_reported_with_its_place_and_cause() {
    for (what, expected) in [
        ("mass: -2.0", "4:31: the mass [kg] is -2, but must be above zero"),
        ("mass: 0", "4:31: the mass [kg] is 0, but must be above zero"),
        ("density: -1e3", "4:34: the density [kg/m³] is -1000, but must be above zero"),
        ("position: (0, NaN, 0)", "4:39: `NaN` is not a finite number"),
        ("position: (0, 0, -inf)", "4:42: `-inf` is not a finite number"),
        ("density: 1e999", "4:34: `1e999` is not a finite number"),
        ("friction: -0.1", "4:35: the friction coefficient is -0.1, but must be zero or above"),
        ("restitution: 1.5", "4:38: the restitution coefficient is 1.5, but must be between 0 and 1"),
        ("mass: 1, density: 2", "4:31: body `a` has both `mass` and `density`; give only one"),
        ("rotation: quaternion(1, 1, 0, 0)", "the quaternion (w, x, y, z) has length 1.414"),
        (
            "rotation: axis_angle_degrees(axis: (0, 0, 0), angle: 3)",
            "4:60: the axis of the rotation has length 0",
        ),
        (
            "copies: (count: (2, 0, 1), spacing: (1, 1, 1))",
            "zero count: a grid of copies needs 1 or more along each axis",
        ),
        (
            "copies: (count: (4000000000, 4000000000, 4000000000), spacing: (1, 1, 1))",
            "too many bodies: at most 1000000 are supported",
        ),
        ("kind: fixed, linear_velocity: (1, 0, 0)", "body `a` is fixed, but has a velocity"),
        ("frction: 0.5", "4:25: unknown field `frction` of `Body`"),
        ("kind: flying", "4:31: unknown value `flying` of `BodyKind`"),
        ("mass: \"heavy\"", "expected float"),
    ] {
        let faults = faults(&scene(what, ""));
        assert_eq!(faults.len(), 1, "{what}: {faults:?}");
        assert!(faults[0].contains(expected), "{what}: {} (expected {expected})", faults[0]);
    }
}

/// A scene with one body of a shape.
fn scene_of(shape: &str) -> String {
    format!(
        "(title: \"test\", duration: 2,\nshapes: {{\"s\": {shape}}},\nbodies: [(name: \"a\", shape: \"s\")])"
    )
}

#[test]
fn a_wrong_hull_or_rounded_shape_is_reported_with_its_place_and_cause() {
    let cuboid = "cuboid(size: (1, 1, 1))";
    for (shape, expected) in [
        (
            format!("rounded(core: {cuboid}, radius: -0.1)"),
            "2:62: the radius of rounding [m] is -0.1, but must be above zero",
        ),
        (format!("rounded(core: {cuboid}, radius: 0)"), "2:62: the radius of rounding [m] is 0"),
        (
            String::from("rounded(core: ball(radius: 1), radius: 0.1)"),
            "2:29: only a `cuboid`, `cylinder`, `cone` or `hull` can be rounded",
        ),
        (
            format!("rounded(core: rounded(core: {cuboid}, radius: 0.1), radius: 0.1)"),
            "2:29: only a `cuboid`, `cylinder`, `cone` or `hull` can be rounded",
        ),
        (
            String::from("rounded(core: cuboid(size: (1, -1, 1)), radius: 0.1)"),
            "2:46: the edge length [m] is -1, but must be above zero",
        ),
        (
            String::from("rounded(core: hull(of: procedural(kind: \"torus\", scale: 0)), radius: 0.1)"),
            "2:71: the scale is 0, but must be above zero",
        ),
        (format!("hull(of: {cuboid})"), "2:24: only a `mesh` or `procedural` has a hull"),
        (
            String::from("hull(of: mesh(file: \"a.obj\", solidity: solid))"),
            "2:54: `solidity` is not allowed here: a hull is always solid",
        ),
        (format!("rounded(core: {cuboid})"), "missing field `radius` of `rounded`"),
        (String::from("hull(file: \"a.obj\")"), "unknown field `file` of `hull`"),
    ] {
        let faults = faults(&scene_of(&shape));
        assert_eq!(faults.len(), 1, "{shape}: {faults:?}");
        assert!(faults[0].contains(expected), "{shape}: {} (expected {expected})", faults[0]);
    }
}

#[test]
fn a_wrong_joint_is_reported_with_its_place_and_cause() {
    for (kind, expected) in [
        (
            "revolute(anchor: (0, 0, 0), axis: (0, 0, 0))",
            "the axis of the joint has length 0, but must be a unit vector",
        ),
        (
            "revolute(anchor: (0, 0, 0), axis: (0, 0, 1000))",
            "the axis of the joint has length 1000, but must be a unit",
        ),
        ("prismatic(axis: (0.6, 0, 0.9))", "7:64: the axis of the joint has length 1.08166538"),
        (
            "prismatic(axis: (0, 0, 1), limits: (2, 1))",
            "the limits are reversed: the lower one is 2, the upper one 1",
        ),
        (
            "revolute(anchor: (0, 0, 0), axis: (1, 0, 0), limits_degrees: (30, -30))",
            "the limits are reversed",
        ),
        ("revolute(anchor: (0, 0, 0), axis: (1, 0, 0), limits_degrees: (0, 200))", "the limit [°] is 200"),
        (
            "rope(anchors: ((0, 0, 0), (0, 0, 2)), length: 1)",
            "the rope is shorter (1 m) than the distance of its anchors (2 m)",
        ),
        ("rope(anchors: ((0, 0, 0), (0, 0, 2)), length: -1)", "the length [m] is -1"),
    ] {
        let faults = faults(
            &scene("", &format!("joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: {kind})]"))
                .replace(", )", ")"),
        );
        assert!(faults[0].contains(expected), "{kind}: {faults:?} (expected {expected})");
    }
}

#[test]
fn an_unknown_or_ambiguous_name_is_reported_with_its_place() {
    let text = scene("", "")
        .replace(", )", ")")
        .replace("(name: \"b\", shape: \"s\")", "(name: \"a\", shape: \"t\")");
    let both = faults(&text);
    assert_eq!(
        both,
        ["5:8: duplicate name `a`: the names of bodies must be unique", "5:20: unknown shape `t`"]
    );
    let text = scene("mass: 1", "").replace("\"floor\": half", "\"s\": ball(radius: 1), \"floor\": half");
    assert_eq!(faults(&text), ["2:34: duplicate name `s`: the names of shapes must be unique"]);
    let joint = |a: &str, b: &str| {
        let list = format!("joints: [(name: \"j\", bodies: (\"{a}\", \"{b}\"), kind: fixed)]");
        faults(&scene("mass: 1", &list))
    };
    assert_eq!(joint("a", "c"), ["7:36: unknown body `c`"]);
    assert_eq!(joint("a", "a"), ["7:30: joint `j` connects body `a` with itself"]);
    let twice = "joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed),\n(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed)]";
    assert_eq!(
        faults(&scene("mass: 1", twice)),
        ["8:8: duplicate name `j`: the names of joints must be unique"]
    );
}

#[test]
fn copies_clash_with_a_body_that_has_the_name_of_one() {
    let text = scene("copies: (count: (2, 1, 1), spacing: (1, 0, 0))", "").replace("\"b\"", "\"a-1\"");
    assert_eq!(faults(&text), ["5:8: duplicate name `a-1`: the names of bodies must be unique"]);
}

#[test]
fn an_expectation_that_no_run_can_be_judged_by_is_refused() {
    for (expect, expected) in [
        ("at_rest_by: 2", "`at_rest_by` must be before the end of the run at 2 s"),
        ("max_penetration: 1e-3, settle_time: 5", "`settle_time` must be before the end of the run at 2 s"),
        ("settle_time: 1", "`settle_time` has no effect without `max_penetration`"),
        ("rest_speed: 1", "`rest_speed` has no effect without `at_rest_by`"),
        ("energy_gain: -1", "the bound on the energy is -1"),
        ("body_at: [(body: \"x\", position: (0, 0, 0), tolerance: 1)]", "unknown body `x`"),
        ("body_at: [(body: \"a\", position: (0, 0, 0), tolerance: 0)]", "the tolerance [m] is 0"),
        (
            "no_escape: (min: (0, 0, 0), max: (1, -1, 1))",
            "the limits are reversed: the lower one is 0, the upper one -1",
        ),
        (
            "distance: [(bodies: [\"a\"], distance: 1, tolerance: 0.1)]",
            "at least two bodies are needed, found 1",
        ),
        (
            "linked: [(bodies: [\"a\", \"b\"], core: polygon(points: [(0, 0, 0)]))]",
            "a closed curve needs at least three points, found 1",
        ),
        ("linked: [(bodies: [\"a\", \"c\"], core: circle(radius: 1))]", "unknown body `c`"),
        (
            "measured: [(quantity: speed(body: \"c\", along: (1, 0, 0)), exact: 0, tolerance: 1)]",
            "unknown body `c`",
        ),
        (
            "measured: [(quantity: travel(body: \"a\", along: (0, 0, 0)), exact: 0, tolerance: 1)]",
            "the length of the direction is 0",
        ),
        (
            "measured: [(quantity: drift(body: \"a\", from: 9), exact: 0, tolerance: 1)]",
            "the run ends before this time",
        ),
        ("measured: [(quantity: energy_drift, exact: 0, tolerance: -1)]", "the tolerance is -1"),
    ] {
        let faults = faults(&scene("mass: 1", &format!("expect: ({expect})")));
        assert!(faults[0].contains(expected), "{expect}: {faults:?}");
    }
}

#[test]
fn a_camera_that_sees_nothing_is_refused() {
    for (camera, expected) in [
        ("eye: (1, 0, 0), target: (1, 0, 0)", "`eye` and `target` of the camera coincide"),
        (
            "eye: (1, 0, 0), target: (0, 0, 0), field_of_view: 0.5",
            "the field of view [°] is 0.5, but must be between",
        ),
        (
            "eye: (1, 0, 0), target: (0, 0, 0), field_of_view: 171",
            "the field of view [°] is 171, but must be between",
        ),
        ("eye: (1, 0, NaN), target: (0, 0, 0)", "`NaN` is not a finite number"),
        ("target: (0, 0, 0)", "missing field `eye` of `Camera`"),
    ] {
        let faults = faults(&scene("mass: 1", &format!("camera: ({camera})")));
        assert_eq!(faults.len(), 1, "{camera}: {faults:?}");
        assert!(faults[0].contains(expected), "{camera}: {faults:?}");
    }
}

#[test]
fn all_faults_of_a_file_are_reported_in_its_order() {
    let text = scene("mass: -1, friction: -1", "time_step: 0");
    let faults = faults(&text);
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults[0].starts_with("4:31") && faults[1].starts_with("4:45") && faults[2].starts_with("7:"));
}

#[test]
fn the_report_shows_the_line_of_the_scene_and_both_places_of_a_name() {
    let text = scene("mass: 1", "").replace("\"b\"", "\"a\"");
    let error = SceneFile::parse(Path::new("dir/scene.ron"), &text).expect_err("two bodies have one name");
    let mut shown = String::new();
    let theme = miette::GraphicalTheme::unicode_nocolor();
    let problem = &error.problems()[0];
    miette::GraphicalReportHandler::new_themed(theme).render_report(&mut shown, problem).unwrap();
    for part in ["dir/scene.ron:5:8", "(name: \"a\", shape: \"s\", mass: 1)", "here", "first here"] {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
}

#[test]
fn a_truncated_file_is_an_error_wherever_it_is_cut() {
    let text = scene("mass: 2", "joints: [(name: \"j\", bodies: (\"a\", \"b\"), kind: fixed)]");
    for (end, _) in text.char_indices() {
        assert!(SceneFile::parse(Path::new("scene.ron"), &text[..end]).is_err(), "{}", &text[..end]);
    }
}
