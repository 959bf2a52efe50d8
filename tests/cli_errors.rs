//! Bad input ends with its documented exit code, a message that names file, line and cause, and no output that looks
//! whole.

mod cli_program;

use cli_program::{Ended, ScratchFolder, extricate, scratch_folder};

const BALL: &str = "(title: \"t\", duration: 0.02, shapes: {\"s\": ball(radius: 0.5)}, bodies: [(name: \"a\", shape: \"s\")])";

/// A scene of one body with the mesh `file`.
fn with_mesh(file: &str, more: &str) -> String {
    format!(
        "(title: \"t\", duration: 0.02,\nshapes: {{\"s\": mesh(file: \"{file}\"{more})}},\nbodies: [(name: \"a\", shape: \"s\", kind: fixed)])"
    )
}

/// Runs a bad scene with `run` and expects that nothing is written.
fn run_bad(folder: &ScratchFolder, scene: &str) -> Ended {
    let path = folder.write("scene.ron", scene);
    let ended = extricate(["run", &path, "-o", &folder.path("out")]);
    assert!(!folder.exists("out"), "a bad scene left results:\n{}", ended.stderr);
    assert_eq!(ended.stdout, "", "a bad scene was answered on stdout");
    ended
}

fn fails_with(ended: &Ended, exit: i32, parts: &[&str]) {
    assert_eq!(ended.exit, exit, "{}", ended.stderr);
    for part in parts {
        assert!(ended.stderr.contains(part), "`{part}` is not in:\n{}", ended.stderr);
    }
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn a_missing_mesh_is_reported_with_the_line_of_the_scene_and_the_path() {
    let folder = scratch_folder();
    let ended = run_bad(&folder, &with_mesh("none.obj", ""));
    fails_with(&ended, 3, &["scene.ron:2:26", &folder.path("none.obj"), "cannot be read"]);
}

#[test]
fn a_mesh_behind_a_broken_path_is_reported_with_the_folder_that_does_not_exist() {
    let folder = scratch_folder();
    let ended = run_bad(&folder, &with_mesh("nowhere/../x/cup.obj", ""));
    fails_with(&ended, 3, &["scene.ron:2:26", "nowhere", "does not exist", "cup.obj"]);
}

#[test]
fn a_damaged_mesh_is_reported_with_its_own_line_and_cause() {
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (name, text, parts) in [
        ("truncated.obj", "v 0 0 0\nv 1 0 0\nv 0", &["truncated.obj:3"][..]),
        ("nan.obj", "v 0 0 0\nv 1 NaN 0\nv 0 1 0\nf 1 2 3\n", &["nan.obj:2", "NaN"]),
        ("infinite.obj", "v 0 0 0\nv 1 0 0\nv 0 1 inf\nf 1 2 3\n", &["infinite.obj:3", "inf"]),
        ("empty.obj", "", &["empty.obj", "no triangles"]),
        ("range.obj", &format!("{triangle}f 1 2 4\n"), &["range.obj:4", "4"]),
        ("flat.obj", &format!("{triangle}f 1 2 2\n"), &["flat.obj", "degenerate"]),
        ("mesh.xyz", triangle, &["mesh.xyz", "supported are"]),
        ("header.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n", &["header.off"]),
        ("short.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", &["short.stl"]),
    ] {
        let folder = scratch_folder();
        folder.write(name, text);
        let ended = run_bad(&folder, &with_mesh(name, ""));
        fails_with(&ended, 3, &["scene.ron:2:26"]);
        fails_with(&ended, 3, parts);
    }
}

#[test]
fn a_solid_without_volume_or_with_a_hole_is_refused() {
    let folder = scratch_folder();
    folder.write("sheet.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
    fails_with(
        &run_bad(&folder, &with_mesh("sheet.obj", ", solidity: solid")),
        3,
        &["scene.ron:2:49", "no volume"],
    );
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    fails_with(
        &run_bad(&folder, &with_mesh("open.obj", ", solidity: solid")),
        3,
        &["is open", "3 of 3 edges"],
    );
    let dynamic = with_mesh("open.obj", "").replace(", kind: fixed", "");
    fails_with(&run_bad(&folder, &dynamic), 3, &["scene.ron:3:29", "is a surface", "mass"]);
}

#[test]
fn an_error_in_a_scene_is_reported_with_line_and_column() {
    let scene = |body: &str| BALL.replace("shape: \"s\")", &format!("shape: \"s\",\n{body})"));
    for (text, parts) in [
        (scene("mas: 1"), ["scene.ron:2:1", "unknown field `mas`"]),
        (scene("mass: -1"), ["scene.ron:2:7", "is -1, but must be above zero"]),
        (scene("position: (0, inf, 0)"), ["scene.ron:2:15", "not a finite number"]),
        (scene("),\n(name: \"a\", shape: \"s\""), ["scene.ron:3:8", "duplicate name `a`"]),
        (BALL.replace("duration", "\nlength"), ["scene.ron:2:1", "unknown field `length`"]),
        (BALL[..60].to_owned(), ["scene.ron:1:", "expected"]),
    ] {
        let folder = scratch_folder();
        fails_with(&run_bad(&folder, &text), 3, &parts);
    }
    let hinge = BALL.replace(
        "bodies: [",
        "joints: [(name: \"j\", bodies: (\"a\", \"b\"),\nkind: revolute(anchor: (0, 0, 0), axis: (0, 0, 57.3)))],
         bodies: [(name: \"b\", shape: \"s\"), ",
    );
    let folder = scratch_folder();
    fails_with(
        &run_bad(&folder, &hinge),
        3,
        &["scene.ron:2:41", "has length 57.3, but must be a unit vector"],
    );
    fails_with(
        &extricate(["check", &folder.path("nothing.ron")]),
        3,
        &["nothing.ron", "cannot read the scene"],
    );
}

#[test]
fn a_deprecated_field_is_read_with_a_warning() {
    let folder = scratch_folder();
    let path = folder.write("scene.ron", &BALL.replace("shapes:", "\nsolver: (sweeps: true), shapes:"));
    let expected = format!("warning: `sweeps` is deprecated at {path}:2:10; write `ccd`");
    fails_with(&extricate(["check", &path]), 0, &[&expected]);
    assert_eq!(extricate(["check", &path, "--quiet"]).stderr, "");
}

#[test]
fn an_unknown_procedural_kind_or_parameter_is_told_with_those_there_are() {
    let folder = scratch_folder();
    let scene = |shape: &str| BALL.replace("ball(radius: 0.5)", shape);
    let kind = run_bad(&folder, &scene("procedural(kind: \"torsu\")"));
    fails_with(&kind, 3, &["scene.ron:1:61", "torsu", "torus_knot"]);
    let parameter = run_bad(&folder, &scene("procedural(kind: \"torus\", parameters: {\"radius\": 1})"));
    fails_with(&parameter, 3, &["scene.ron:1:82", "radius", "minor_radius"]);
}

#[test]
fn a_failed_run_takes_the_summary_of_an_earlier_one_away_only_when_it_starts() {
    let folder = scratch_folder();
    let path = folder.write("scene.ron", BALL);
    let out = folder.path("out");
    assert_eq!(extricate(["run", &path, "-o", &out]).exit, 0);
    assert!(folder.exists("out/summary.json"));
    folder.write("scene.ron", &BALL.replace("0.5", "-0.5"));
    assert_eq!(extricate(["run", &path, "-o", &out]).exit, 3);
    assert!(folder.exists("out/summary.json"), "the earlier run is still whole");
}

#[test]
fn overlap_at_the_start_ends_with_its_own_code_where_it_is_not_allowed() {
    let folder = scratch_folder();
    let two = BALL.replace("bodies: [", "bodies: [(name: \"b\", shape: \"s\", position: (0.6, 0, 0)), ");
    let path = folder.write("scene.ron", &two);
    let out = folder.path("out");
    let refused = extricate(["run", &path, "-o", &out, "--on-overlap", "error"]);
    fails_with(&refused, 4, &["scene.ron", "a and b", "0.4 m deep"]);
    assert!(!folder.exists("out"));
    let strict = extricate(["check", &path, "--strict"]);
    assert_eq!(strict.exit, 4, "{}", strict.stderr);
    assert!(strict.stdout.contains("a and b: 0.4 m deep"), "{}", strict.stdout);
    assert_eq!(extricate(["check", &path]).exit, 0);
    assert_eq!(extricate(["run", &path, "-o", &out, "--on-overlap", "ignore"]).exit, 0);
    let own = two.replace("duration", "on_overlap: error, duration");
    assert_eq!(extricate(["run", &folder.write("own.ron", &own), "-o", &out]).exit, 4);
}

#[test]
fn defects_of_a_mesh_fail_a_strict_check_only() {
    let folder = scratch_folder();
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\nf 1 1 2\n");
    let path = folder.write("scene.ron", &with_mesh("open.obj", ""));
    let strict = extricate(["check", &path, "--strict"]);
    assert_eq!(strict.exit, 1, "{}", strict.stdout);
    assert!(
        strict.stdout.contains("open edges") && strict.stdout.contains("without area"),
        "{}",
        strict.stdout
    );
    assert_eq!(extricate(["check", &path]).exit, 0);
}

#[test]
fn a_command_line_that_makes_no_sense_is_usage() {
    for arguments in [
        &["frobnicate"][..],
        &["run"],
        &["run", "a.ron", "--steps", "0"],
        &["run", "a.ron", "--time", "-1"],
        &["run", "a.ron", "--time", "NaN"],
        &["run", "a.ron", "--steps", "1", "--time", "1"],
        &["query", "collide", "a.obj"],
        &["query", "collide", "box:1,1", "box:1,1,1"],
        &["query", "collide", "sphere:0", "box:1,1,1"],
        &["query", "collide", "rounded:0.1:rounded:-0.1:box:1,1,1", "box:1,1,1"],
        &["query", "collide", "rounded:0.1:cup.obj", "box:1,1,1"],
        &["query", "collide", "pyramid:1", "box:1,1,1"],
        &["query", "collide", "sphere:1", "cup.obj", "--surface"],
        &["query", "collide", "sphere:1", "cup.obj", "--all"],
        &["query", "spanning", "sphere:1", "cup.obj"],
        &["query", "hausdorff", "cup.obj", "halfspace"],
        &["query", "collide", "sphere:1", "box:1,1,1", "--all"],
        &["query", "collide", "sphere:1", "box:1,1,1", "--surface"],
        &["query", "collide", "box:1,1,1", "box:1,1,1", "--effort", "fast"],
        &["query", "penetration", "box:1,1,1", "box:1,1,1", "--all"],
        &["query", "collide", "box:1,1,1", "box:1,1,1", "--solid", "--surface"],
        &["verify"],
        &["info", "--threads", "many"],
    ] {
        let ended = extricate(arguments.iter().copied());
        assert_eq!(ended.exit, 2, "{arguments:?}: {}", ended.stderr);
        assert!(ended.stdout.is_empty() && !ended.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_bad_pose_line_is_reported_with_its_line() {
    let folder = scratch_folder();
    for (line, parts) in [
        ("{\"a\": {\"rotation\": [1, 1, 0, 0]}}", ["poses.jsonl:2", "length 1.414"]),
        ("{\"a\": {\"rotation\": [1, 0, 0]}}", ["poses.jsonl:2", "not 3"]),
        ("{\"a\": {\"translation\": [0, 0]}}", ["poses.jsonl:2", "invalid pose line"]),
        ("{\"a\": ", ["poses.jsonl:2", "invalid pose line"]),
    ] {
        let path = folder.write("poses.jsonl", &format!("{{}}\n{line}\n"));
        let ended = extricate(["query", "collide", "box:1,1,1", "box:1,1,1", "--poses", &path]);
        fails_with(&ended, 3, &parts);
        assert_eq!(ended.stdout, "", "nothing is answered before all poses are read");
    }
    let missing = extricate(["query", "collide", "box:1,1,1", "box:1,1,1", "--poses", &folder.path("none")]);
    fails_with(&missing, 3, &["none", "cannot read the poses"]);
}

#[test]
fn a_hull_that_cannot_be_made_is_reported_with_its_file() {
    let folder = scratch_folder();
    let missing = extricate(["query", "collide", "hull:none.obj", "sphere:1"]);
    fails_with(&missing, 3, &["none.obj"]);
    let bad = folder.write("bad.obj", "v 0 0 0\nv 1 0\n");
    fails_with(
        &extricate(["query", "collide", &format!("rounded:0.1:hull:{bad}"), "sphere:1"]),
        3,
        &["bad.obj"],
    );
}

#[test]
fn two_half_spaces_without_a_finite_depth_are_a_failure_and_not_apart() {
    let ended = extricate(["query", "penetration", "halfspace", "halfspace"]);
    assert_eq!(ended.exit, 5, "{}", ended.stderr);
    assert!(ended.stdout.contains("failed") && ended.stdout.contains("half-spaces"), "{}", ended.stdout);
}

#[test]
fn results_that_cannot_be_written_are_reported() {
    let folder = scratch_folder();
    let path = folder.write("scene.ron", BALL);
    let blocked = folder.write("file", "");
    let ended = extricate(["run", &path, "-o", &format!("{blocked}/out")]);
    fails_with(&ended, 2, &["cannot write", "file/out"]);
}
