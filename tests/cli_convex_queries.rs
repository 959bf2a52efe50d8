//! `extricate query` about convex shapes: every form of the command line against its closed form.

mod cli_program;

use cli_program::{ScratchFolder, extricate, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::Value;

/// The corners of a cube of edge 1 around the origin, a point inside, and one triangle: an open mesh with a convex hull.
const OPEN: &str = "v -0.5 -0.5 -0.5\nv 0.5 -0.5 -0.5\nv -0.5 0.5 -0.5\nv 0.5 0.5 -0.5\nv -0.5 -0.5 0.5\nv 0.5 -0.5 0.5\n\
                    v -0.5 0.5 0.5\nv 0.5 0.5 0.5\nv 0 0 0.1\nf 1 2 3\nf 4 5 6\nf 7 8 9\n";

const CUBE: &str = "box:1,1,1";

/// The answers of a query that succeeds, each in the form of its schema.
fn ask(arguments: &[&str]) -> Vec<Value> {
    let ended = extricate(["query"].iter().chain(arguments).chain(&["--json"]).copied());
    assert_eq!(ended.exit, 0, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    let path = format!("{}/assets/schema/{}.schema.json", env!("CARGO_MANIFEST_DIR"), arguments[0]);
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema can be read")).expect("JSON");
    let answer = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("a line of JSON");
        let found = faults(&schema, &value);
        assert!(found.is_empty(), "{}\nin {line}", found.join("\n"));
        value
    };
    ended.stdout.lines().map(answer).collect()
}

/// A query that fails, with an exit code and a message that names all parts.
fn fails_with(arguments: &[&str], exit: i32, parts: &[&str]) {
    let ended = extricate(["query"].iter().chain(arguments).copied());
    assert_eq!(ended.exit, exit, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    assert!(parts.iter().all(|part| ended.stderr.contains(part)), "{arguments:?}: {}", ended.stderr);
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn is_near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() <= 1e-9)
}

/// A file of poses of A: at each height.
fn at_heights(folder: &ScratchFolder, heights: &[f64]) -> String {
    let line = |z: &f64| format!("{{\"a\": {{\"translation\": [0.1, 0.2, {z}]}}}}\n");
    folder.write("poses.jsonl", &heights.iter().map(line).collect::<String>())
}

#[test]
fn every_form_above_a_half_space_is_as_deep_and_as_far_as_its_lowest_point() {
    let folder = scratch_folder();
    let hull = format!("hull:{}", folder.write("open.obj", OPEN));
    let rounded_hull = format!("rounded:0.1:{hull}");
    for (shape, below) in [
        ("sphere:0.5", 0.5),
        ("box:1,2,3", 1.5),
        ("capsule:0.25,1", 0.75),
        ("cylinder:0.5,2", 1.0),
        ("cone:0.5,2", 1.0),
        (hull.as_str(), 0.5),
        (rounded_hull.as_str(), 0.6),
        ("rounded:0.1:rounded:0.2:cylinder:0.5,2", 1.3),
    ] {
        let poses = at_heights(&folder, &[below - 0.25, below + 0.25]);
        let deep = ask(&["penetration", shape, "halfspace", "--poses", &poses]);
        let [first, second] = &deep[..] else { panic!("two poses have two answers") };
        assert_eq!(
            (&first["status"], &second["status"]),
            (&"penetrating".into(), &"separate".into()),
            "{shape}"
        );
        assert!(is_near(&first["depth"], 0.25) && is_near(&first["lower_bound"], 0.25), "{shape}: {first}");
        assert_eq!(first["verified_free"], true);
        assert!(numbers(&first["direction"])[2] > 1.0 - 1e-12, "{shape}: {first}");
        assert_eq!(first["local"].as_array().map(Vec::len), Some(1));
        let witnesses = first["witnesses"].as_array().expect("two points");
        let heights: Vec<f64> = witnesses.iter().map(|point| numbers(point)[2]).collect();
        assert!((heights[0] + 0.25).abs() < 1e-9 && heights[1].abs() < 1e-9, "{shape}: {first}");
        let apart = ask(&["distance", shape, "halfspace", "--poses", &poses]);
        assert_eq!((&apart[0]["status"], &apart[0]["distance"]), (&"colliding".into(), &0.0.into()));
        assert!(is_near(&apart[1]["distance"], 0.25), "{shape}: {}", apart[1]);
        let near = ask(&["distance", shape, "halfspace", "--poses", &poses, "--closer-than", "0.2"]);
        assert_eq!((&near[0]["status"], &near[1]["status"]), (&"colliding".into(), &"farther".into()));
        let collide = ask(&["collide", shape, "halfspace", "--poses", &poses]);
        assert_eq!((&collide[0]["collides"], &collide[1]["collides"]), (&true.into(), &false.into()));
    }
}

#[test]
fn shapes_are_free_after_the_translation_and_overlap_after_most_of_it() {
    let folder = scratch_folder();
    let hull = format!("hull:{}", folder.write("open.obj", OPEN));
    for (a, b) in [
        (hull.as_str(), "sphere:0.5"),
        ("box:1,1,1", "box:0.5,2,1"),
        ("cylinder:0.5,1", "cone:0.5,1"),
        ("rounded:0.1:box:1,1,1", hull.as_str()),
        ("capsule:0.3,1", "capsule:0.4,2"),
        ("sphere:1", "halfspace"),
    ] {
        let at = |translation: &[f64]| {
            let b = r#""b": {"translation": [0.3, 0.1, 0.2], "rotation": [0.8, 0.6, 0, 0]}"#;
            folder.write("poses.jsonl", &format!("{{\"a\": {{\"translation\": {translation:?}}}, {b}}}"))
        };
        let found = ask(&["penetration", a, b, "--poses", &at(&[0.0; 3])]).remove(0);
        let translation = numbers(&found["translation"]);
        let most: Vec<f64> = translation.iter().map(|x| 0.999 * x).collect();
        let collides = |poses: String| ask(&["collide", a, b, "--poses", &poses])[0]["collides"].clone();
        assert_eq!((collides(at(&translation)), collides(at(&most))), (false.into(), true.into()), "{a} {b}");
        let swapped = folder
            .write("poses.jsonl", r#"{"a": {"translation": [0.3, 0.1, 0.2], "rotation": [0.8, 0.6, 0, 0]}}"#);
        let other = ask(&["penetration", b, a, "--poses", &swapped]).remove(0);
        assert!(is_near(&other["depth"], found["depth"].as_f64().expect("a depth")), "{found} {other}");
    }
}

#[test]
fn a_box_and_a_hull_take_the_triangles_of_meshes_where_these_are_asked_for() {
    let folder = scratch_folder();
    let open = folder.write("open.obj", OPEN);
    let hull = format!("hull:{open}");
    for shape in ["box:1,1,1", hull.as_str()] {
        let pairs = ask(&["collide", shape, "box:1,1,3", "--all"]);
        assert!(pairs[0]["pairs"].as_array().is_some_and(|pairs| !pairs.is_empty()), "{shape}");
        // Deep inside a solid no triangles meet.
        assert_eq!(ask(&["collide", shape, "box:9,9,9"])[0]["collides"], true);
        assert_eq!(ask(&["collide", shape, "box:9,9,9", "--surface"])[0]["collides"], false);
        let moved = folder.write("poses.jsonl", r#"{"a": {"translation": [2, 0, 0]}}"#);
        let apart = ask(&["distance", shape, &open, "--poses", &moved]).remove(0);
        assert!(is_near(&apart["distance"], 1.0), "{shape}: {apart}");
    }
}

#[test]
fn round_shapes_and_half_spaces_are_asked_about_together_with_a_mesh_file() {
    let folder = scratch_folder();
    let cube = folder.path("cube.obj");
    assert_eq!(extricate(["mesh", "box", "-o", &cube]).exit, 0);
    let poses = at_heights(&folder, &[1.25, 1.75]);
    for (shape, below) in [
        ("sphere:1", 1.0),
        ("capsule:0.5,1", 1.0),
        ("cylinder:0.05,2", 1.0),
        ("rounded:0.5:cone:0.05,1", 1.0),
    ] {
        let deep = ask(&["penetration", shape, &cube, "--poses", &poses, "--effort", "best"]);
        assert!(is_near(&deep[0]["depth"], 0.5 + below - 1.25), "{shape}: {}", deep[0]);
        assert!(numbers(&deep[0]["direction"])[2] > 0.999_999, "{shape}: {}", deep[0]);
        assert_eq!((&deep[0]["verified_free"], &deep[1]["status"]), (&true.into(), &"separate".into()));
        let apart = ask(&["distance", shape, &cube, "--poses", &poses]);
        assert!(is_near(&apart[1]["distance"], 1.75 - 0.5 - below), "{shape}: {}", apart[1]);
        let signed = ask(&["distance", shape, &cube, "--poses", &poses, "--signed"]);
        assert!(is_near(&signed[0]["distance"], 1.25 - 0.5 - below), "{shape}: {}", signed[0]);
        let collides = ask(&["collide", shape, &cube, "--poses", &poses]);
        assert_eq!([&collides[0]["collides"], &collides[1]["collides"]], [true, false], "{shape}");
    }
    let poses = at_heights(&folder, &[0.2, 0.75]);
    let on_ground = ask(&["penetration", &cube, "halfspace", "--poses", &poses]);
    assert!(
        is_near(&on_ground[0]["depth"], 0.3) && is_near(&on_ground[0]["lower_bound"], 0.3),
        "{}",
        on_ground[0]
    );
    assert_eq!(on_ground[1]["status"], "separate");
    assert!(is_near(&ask(&["distance", &cube, "halfspace", "--poses", &poses])[1]["distance"], 0.25));
    let refused = extricate(["query", "collide", "sphere:1", &cube, "--surface"]);
    assert!(
        refused.exit == 2 && refused.stderr.contains("`sphere:1` has no triangles"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_flat_hull_is_a_shape() {
    let folder = scratch_folder();
    let flat = format!("hull:{}", folder.write("flat.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 1 0\nf 1 2 3\n"));
    let deep = ask(&["penetration", &flat, "box:1,1,1"]).remove(0);
    assert!(is_near(&deep["depth"], 0.5) && is_near(&deep["lower_bound"], 0.5), "{deep}");
    let far = folder.write("poses.jsonl", r#"{"a": {"translation": [0, 0, 3]}}"#);
    assert!(is_near(&ask(&["distance", &flat, "sphere:1", "--poses", &far])[0]["distance"], 2.0));
}

#[test]
fn distances_and_signed_distances_in_a_norm_name_it_also_those_of_meshes() {
    let there = "box:1,1,1@1.5,1.25,0";
    for (options, expected) in [(["--norm", "l1"].as_slice(), 0.75), (&["--norm", "linf", "--signed"], 0.5)] {
        let answer = &ask(&[&["distance", CUBE, there], options].concat())[0];
        assert!(is_near(&answer["distance"], expected), "{answer}");
        assert_eq!(answer["norm"], options[1], "{answer}");
    }
    let deep = &ask(&["distance", CUBE, "box:1,1,1@0.75,0.5,0", "--norm", "l1", "--signed"])[0];
    assert!(is_near(&deep["distance"], -0.25), "{deep}");
    assert!(ask(&["distance", CUBE, there, "--norm", "l2"])[0].get("norm").is_none());
    fails_with(&["distance", CUBE, there, "--norm", "l1", "--closer-than", "1"], 2, &["--closer-than"]);
    let folder = scratch_folder();
    let mesh = folder.path("torus.obj");
    assert_eq!(extricate(["mesh", "torus", "-o", &mesh]).exit, 0);
    // The torus reaches from its centre to 1.2 m along x, the sum of its radii.
    for options in [["--norm", "linf"].as_slice(), &["--norm", "linf", "--signed"], &["--norm", "l1"]] {
        for other in [CUBE, &mesh] {
            let answer = &ask(&[&["distance", &format!("{mesh}@9,0,0"), other], options].concat())[0];
            let reach = if other == CUBE { 0.5 } else { 1.2 };
            assert!(is_near(&answer["distance"], 9.0 - 1.2 - reach), "{answer}");
            assert_eq!(answer["norm"], options[1], "{answer}");
        }
    }
}

#[test]
fn growth_distances_of_cubes_and_of_a_ball_are_their_closed_forms_also_with_seeds() {
    // The factor of growth of two cubes of a metre whose centres are 1.5 m apart along x.
    let growth = &ask(&["growth", CUBE, "box:1,1,1@1.5,1.25,0"])[0];
    assert!(is_near(&growth["value"], 1.5), "{growth}");
    let seeded = &ask(&["growth", CUBE, "sphere:1", "--a-seed", "-0.25,0,0", "--b-seed", "0,0.5,0"])[0];
    assert!(is_near(&seeded["lower_bound"], seeded_growth()), "{seeded}");
    let folder = scratch_folder();
    let mesh = folder.path("torus.obj");
    assert_eq!(extricate(["mesh", "torus", "-o", &mesh]).exit, 0);
    fails_with(&["growth", &mesh, CUBE], 2, &["hull:FILE"]);
}

/// The growth distance of a cube of a metre with the seed (−¼, 0, 0) and a ball of a metre with the seed (0, ½, 0), by bisection:
/// p = (¼, ½, 0), and K are the points within a metre of the cube about (¼, ½, 0).
fn seeded_growth() -> f64 {
    let p = [0.25, 0.5];
    let is_in = |r: f64| {
        let [x, y] = [(r * p[0] - 0.25_f64).abs(), (r * p[1] - 0.5_f64).abs()];
        (x - 0.5).max(0.0).hypot((y - 0.5).max(0.0)) <= 1.0
    };
    let (mut inside, mut outside) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if is_in(middle) { inside = middle } else { outside = middle }
    }
    1.0 / inside
}
