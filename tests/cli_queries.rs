//! `extricate query`: kinds beyond collision, distance and penetration of two shapes at rest.

mod cli_program;

use cli_program::{Ended, ScratchFolder, extricate, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::{Value, json};

/// Answers of a query that ends well, line by line, in the form of their schema.
fn answers(kind: &str, arguments: &[&str]) -> Vec<Value> {
    let ended = ask(kind, arguments);
    assert_eq!(ended.exit, 0, "{kind} {arguments:?}: {}", ended.stderr);
    let path = format!("{}/assets/schema/{kind}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON");
    let answer = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
        let found = faults(&schema, &value);
        assert!(found.is_empty(), "{kind}: {}\nin {line}", found.join("\n"));
        value
    };
    ended.stdout.lines().map(answer).collect()
}

fn ask(kind: &str, arguments: &[&str]) -> Ended {
    extricate(["query", kind].iter().chain(arguments).chain(&["--json"]).copied())
}

fn fails_with(ended: &Ended, exit: i32, parts: &[&str]) {
    assert_eq!(ended.exit, exit, "{}", ended.stderr);
    for part in parts {
        assert!(ended.stderr.contains(part), "`{part}` is not in {}", ended.stderr);
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn close(found: &Value, expected: f64) {
    assert!((number(found) - expected).abs() < 1e-9, "{found} {expected}");
}

/// Two unit boxes, the second one a little farther along x on each line.
fn apart(folder: &ScratchFolder) -> String {
    folder.write(
        "poses.jsonl",
        "{\"b\": {\"translation\": [1.25, 0, 0]}}\n{\"b\": {\"translation\": [1.5, 0, 0]}}\n{\"b\": {\"translation\": [0.75, 0, 0]}}\n",
    )
}

const BOX: &str = "box:1,1,1";

#[test]
fn a_signed_distance_is_minus_the_depth_where_shapes_overlap() {
    let folder = scratch_folder();
    let poses = apart(&folder);
    let mesh = folder.path("box.obj");
    assert_eq!(extricate(["mesh", "box", "-o", &mesh]).exit, 0);
    for [a, b] in [[BOX, BOX], [&mesh, BOX]] {
        let found = answers("distance", &[a, b, "--poses", &poses, "--signed"]);
        for (answer, expected) in found.iter().zip([0.25, 0.5, -0.25]) {
            close(&answer["distance"], expected);
            assert!(number(&answer["lower_bound"]) <= number(&answer["upper_bound"]), "{answer}");
        }
        let status: Vec<&Value> = found.iter().map(|answer| &answer["status"]).collect();
        assert_eq!(status, ["separate", "separate", "colliding"]);
    }
    fails_with(&ask("distance", &[BOX, BOX, "--signed", "--closer-than", "1"]), 2, &["--closer-than"]);
}

#[test]
fn a_distance_within_a_tolerance_keeps_it() {
    let folder = scratch_folder();
    let poses = apart(&folder);
    let mesh = folder.path("ball.obj");
    assert_eq!(extricate(["mesh", "sphere", "--radius", "0.5", "-o", &mesh]).exit, 0);
    let exact = answers("distance", &[&mesh, BOX, "--poses", &poses]);
    for (tolerance, allowed) in [("10%", 0.1 * 0.6), ("0.01", 0.01)] {
        let found = answers("distance", &[&mesh, BOX, "--poses", &poses, "--tolerance", tolerance]);
        for (found, exact) in found.iter().zip(&exact) {
            let [value, lower] = [number(&found["distance"]), number(&found["lower_bound"])];
            let exact = number(&exact["distance"]);
            assert!(lower <= exact && exact <= value && value - lower <= allowed + 1e-12, "{found} {exact}");
        }
    }
    fails_with(&ask("distance", &[BOX, BOX, "--tolerance=-1"]), 2, &["like 1%"]);
}

#[test]
fn segments_run_around_the_intersection_of_two_boxes() {
    let folder = scratch_folder();
    let poses = folder.write(
        "poses.jsonl",
        "{\"b\": {\"translation\": [0.6, 0.1, 0.2]}}\n{\"b\": {\"translation\": [3, 0, 0]}}\n",
    );
    let found = answers("collide", &[BOX, BOX, "--poses", &poses, "--segments"]);
    let length = |segment: &Value| {
        let at = |end: usize, axis: usize| number(&segment["points"][end][axis]);
        (0..3).map(|axis| (at(0, axis) - at(1, axis)).powi(2)).sum::<f64>().sqrt()
    };
    let segments = found[0]["segments"].as_array().expect("segments");
    assert!(
        (segments.iter().map(length).sum::<f64>() - 2.0 * (0.4 + 0.9 + 0.8)).abs() < 1e-9,
        "{segments:?}"
    );
    assert_eq!((&found[0]["collides"], &found[1]["collides"]), (&json!(true), &json!(false)));
    assert_eq!(found[1]["segments"], json!([]));
    fails_with(&ask("collide", &["sphere:1", BOX, "--segments"]), 2, &["sphere:1", "--segments"]);
}

#[test]
fn hausdorff_and_spanning_distances_of_boxes_are_their_closed_forms() {
    let folder = scratch_folder();
    let poses = apart(&folder);
    let exact = [1.25, 1.5, 0.75];
    for (answer, expected) in
        answers("hausdorff", &[BOX, BOX, "--poses", &poses, "--tolerance", "1e-6"]).iter().zip(exact)
    {
        let [lower, upper] = ["lower_bound", "upper_bound"].map(|bound| number(&answer[bound]));
        assert!(lower <= expected && expected <= upper && upper - lower <= 1e-6, "{answer}");
        assert_eq!(answer["status"], "bounded");
    }
    for (answer, along_x) in answers("spanning", &[BOX, BOX, "--poses", &poses]).iter().zip(exact) {
        close(&answer["value"], ((1.0 + along_x).powi(2) + 2.0).sqrt());
    }
    let one = |a, b| number(&answers("hausdorff", &[a, b, "--one-sided"])[0]["value"]);
    let (inside, outside) = (one(BOX, "box:3,1,1"), one("box:3,1,1", BOX));
    assert!((inside - 0.5).abs() < 1e-3 && (outside - 1.0).abs() < 1e-3, "{inside} {outside}");
    let hurried = answers("hausdorff", &["box:1,2,3", "box:3,2,1", "--max-evaluations", "1"]);
    assert_eq!(hurried[0]["status"], "not-converged");
    fails_with(&ask("spanning", &["sphere:1", BOX]), 2, &["sphere:1", "no triangles"]);
}

#[test]
fn boxes_come_and_go_by_their_places() {
    let folder = scratch_folder();
    let steps = folder.write(
        "boxes.jsonl",
        "{\"boxes\": [[0,0,0, 1,1,1], [1,0,0, 2,1,1], [5,5,5, 6,6,6]]}\n\
         {\"boxes\": [[0,0,0, 1,1,1], null, [0.5,0,0, 1,1,1], [2,2,2, 3,3,3]], \"note\": 1}\n\n\
         {\"boxes\": [[0,0,0, 1,1,1], [0,0,0, 9,9,9]]}\n",
    );
    let found = answers("broad-phase", &[&steps, "--all", "--changes"]);
    let lists = |answer: &Value| [answer["pairs"].clone(), answer["begun"].clone(), answer["ended"].clone()];
    let expected = [
        [json!([[0, 1]]), json!([[0, 1]]), json!([])],
        [json!([[0, 2]]), json!([[0, 2]]), json!([[0, 1]])],
        [json!([[0, 1]]), json!([[0, 1]]), json!([[0, 2]])],
    ];
    assert_eq!(found.iter().map(lists).collect::<Vec<_>>(), expected);
    assert_eq!(found[1]["counts"], json!({"boxes": 3, "pairs": 1, "begun": 1, "ended": 1}));
    let bad = folder.write("bad.jsonl", "{\"boxes\": []}\n{\"boxes\": [[0,0,0, 1,1,1], [0,0,0, 1,-1,1]]}\n");
    fails_with(&ask("broad-phase", &[&bad]), 3, &["bad.jsonl:2", "box 1 is inside out"]);
    let short = folder.write("short.jsonl", "{\"boxes\": [[0,0,0, 1,1]]}\n");
    fails_with(&ask("broad-phase", &[&short]), 3, &["short.jsonl:1", "length 5"]);
}

/// An OBJ file of a flat square of four triangles around its centre, at these heights of the corners and the centre.
fn tent(folder: &ScratchFolder, name: &str, corners: f64, centre: f64) -> String {
    let text = format!(
        "v -1 -1 {corners}\nv 1 -1 {corners}\nv 1 1 {corners}\nv -1 1 {corners}\nv 0 0 {centre}\n\
         f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
    );
    folder.write(name, &text)
}

#[test]
fn moving_boxes_touch_when_their_faces_or_edges_meet() {
    let folder = scratch_folder();
    let motions = folder.write(
        "motions.jsonl",
        "{\"a\": {\"translation\": [-3, 0, 0]}, \"a_end\": {\"translation\": [1, 0, 0]}}\n\
         {\"a\": {\"translation\": [-3, 0, 0]}, \"a_end\": {\"translation\": [1, 0, 0]}, \"b_end\": {\"translation\": [4, 0, 0]}}\n\
         {\"a\": {\"translation\": [0.2, 0, 0]}}\n\
         {\"b\": {\"translation\": [0, 1.2, 0]}, \"b_end\": {\"translation\": [0, 1.2, 0], \"rotation\": [0.7071067811865476, 0, 0, 0.7071067811865476]}}\n",
    );
    // The corner of the rotating box comes down to the face below it, 0.7 from its centre.
    let angle = (0.7_f64 / 0.5_f64.sqrt()).acos();
    let expected = [Some(0.5), None, Some(0.0), Some(0.5 - angle / std::f64::consts::FRAC_PI_2)];
    for motion in ["linear", "screw"] {
        let found = answers("time-of-contact", &[BOX, BOX, "--poses", &motions, "--motion", motion]);
        for (answer, expected) in found.iter().zip(expected) {
            let Some(expected) = expected else {
                assert_eq!((&answer["status"], &answer["time"]), (&json!("free"), &Value::Null));
                continue;
            };
            let early = expected - number(&answer["time"]);
            assert!((0.0..1e-5).contains(&early), "{answer} {expected}");
        }
    }
    let normal: Vec<f64> = answers("time-of-contact", &[BOX, BOX, "--poses", &motions])[0]["normal"]
        .as_array()
        .expect("a normal")
        .iter()
        .map(number)
        .collect();
    assert!((normal[0] + 1.0).abs() < 1e-6, "from B to A: {normal:?}");
    fails_with(&ask("time-of-contact", &["sphere:1", BOX]), 2, &["sphere:1"]);
    let bad = folder.write("bad.jsonl", "{}\n{\"a_end\": {\"rotation\": [1, 2]}}\n");
    fails_with(&ask("time-of-contact", &[BOX, BOX, "--poses", &bad]), 3, &["bad.jsonl:2", "a_end"]);
}

#[test]
fn a_deforming_mesh_touches_where_its_vertices_lead_it() {
    let folder = scratch_folder();
    let (flat, low) = (tent(&folder, "flat.obj", 1.0, 1.0), tent(&folder, "low.obj", 1.0, -3.0));
    let found = answers("time-of-contact", &[&flat, "box:4,4,1", "--a-end", &low]);
    // The centre falls from 1 by 4 to the top of the box at 0.5.
    close(&found[0]["time"], 0.125);
    let features = found[0]["features"].as_array().expect("features");
    assert_eq!(features[0], json!({"vertex": 4}), "{features:?}");
    let centre: Vec<f64> = found[0]["points"][0].as_array().expect("a point").iter().map(number).collect();
    assert!(centre[0].abs() + centre[1].abs() + (centre[2] - 0.5).abs() < 1e-9, "{centre:?}");
    let beside = folder.write("poses.jsonl", "{\"b\": {\"translation\": [9, 0, 0]}}\n");
    let free = answers("time-of-contact", &[&flat, "box:4,4,1", "--a-end", &low, "--poses", &beside]);
    assert_eq!(free[0]["status"], "free");
    fails_with(&ask("time-of-contact", &[&flat, BOX, "--a-end", BOX]), 3, &[BOX]);
    let other = folder.path("box.obj");
    assert_eq!(extricate(["mesh", "box", "-o", &other]).exit, 0);
    fails_with(&ask("time-of-contact", &[&flat, BOX, "--a-end", &other]), 3, &["box.obj", "triangle"]);
}

#[test]
fn a_mesh_meets_itself_at_rest_or_in_motion() {
    let folder = scratch_folder();
    let two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let apart = folder.write("apart.obj", &format!("{two}v 0.2 0.2 1\nv 0.3 0.2 2\nv 0.2 0.3 2\nf 4 5 6\n"));
    let across =
        folder.write("across.obj", &format!("{two}v 0.2 0.2 -1\nv 0.3 0.2 2\nv 0.2 0.3 2\nf 4 5 6\n"));
    let on = folder.write("on.obj", &format!("{two}v 0.2 0.2 0\nv 0.3 0.2 2\nv 0.2 0.3 2\nf 4 5 6\n"));
    let one = |arguments: &[&str]| answers("self-collision", arguments).remove(0);
    assert_eq!(one(&[&apart])["collides"], false);
    assert_eq!(one(&[&across, "--all"])["pairs"], json!([[0, 1]]));
    assert_eq!(
        (&one(&[&on])["collides"], &one(&[&on, "--crossing"])["collides"]),
        (&json!(true), &json!(false))
    );
    close(&one(&[&apart, "--end", &across])["contact"]["time"], 0.5);
    assert_eq!(one(&[&apart, "--end", &apart])["contact"], Value::Null);
    fails_with(&ask("self-collision", &["sphere:1"]), 2, &["sphere:1"]);
    fails_with(&ask("self-collision", &[&folder.path("none.obj")]), 3, &["none.obj"]);
}

/// A bar of length 1 on a post, and a second one on a hinge at its end; both rotate about z.
const ARM: &str = r#"<robot name="arm">
  <link name="post"/>
  <link name="upper"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="post"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3.1" upper="3.1" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="fore"/><child link="hand"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>"#;

#[test]
fn links_of_a_robot_meet_where_it_folds_up() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    let poses =
        folder.write("poses.jsonl", "{\"joints\": {\"elbow\": 0.5}}\n{\"joints\": {\"elbow\": 3.1}}\n");
    let found = answers("self-collision", &[&arm, "--poses", &poses]);
    let links: Vec<&Value> = found.iter().map(|answer| &answer["links"]).collect();
    assert_eq!(links, [&json!([]), &json!([["upper", "hand"]])]);
    let allowed = answers("self-collision", &[&arm, "--poses", &poses, "--allow", "upper,hand"]);
    assert_eq!(allowed[1]["collides"], false);
    // The hand's side, 0.05 from the line of the forearm, meets the end of the upper arm's side near the shoulder.
    let motions =
        folder.write("ways.jsonl", "{\"joints_end\": {\"elbow\": 3.1}}\n{\"joints_end\": {\"elbow\": 2}}\n");
    let found = answers("self-collision", &[&arm, "--poses", &motions]);
    assert_eq!((&found[0]["link"], &found[0]["other"]), (&json!("upper"), &json!("hand")));
    let angle = 3.1 * number(&found[0]["time"]);
    assert!(angle > 2.9 && angle < 3.1, "{angle}");
    assert_eq!(found[1]["status"], "free");
    fails_with(&ask("self-collision", &[&arm, "--allow", "upper,foot"]), 2, &["foot"]);
    let unknown = folder.write("unknown.jsonl", "{\"joints\": {\"knee\": 1}}\n");
    fails_with(&ask("self-collision", &[&arm, "--poses", &unknown]), 3, &["unknown.jsonl:1", "knee"]);
    let broken = folder.write("broken.urdf", "<robot name=\"r\"><link name=\"a\">");
    fails_with(&ask("self-collision", &[&broken]), 3, &["broken.urdf"]);
    fails_with(&ask("self-collision", &["box:1,1,1", "--visual"]), 2, &["--visual", ".urdf"]);
}

#[test]
fn a_robot_touches_the_obstacle_in_its_path() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    let motions = folder.write(
        "ways.jsonl",
        "{\"joints_end\": {\"shoulder\": 3}, \"b\": {\"translation\": [0, 1.5, 0]}}\n\
         {\"joints_end\": {\"shoulder\": 3}, \"b\": {\"translation\": [0, 1.5, 1]}}\n\
         {\"joints\": {\"elbow\": 2}, \"joints_end\": {\"elbow\": 3.1}, \"b\": {\"translation\": [9, 0, 0]}}\n",
    );
    let found = answers("time-of-contact", &[&arm, "box:0.1,0.1,0.1", "--poses", &motions]);
    // The straight arm comes up to the box: its side, 0.05 from its middle line, meets the near corner at (0.05, 1.45) first.
    let corner = (1.45_f64).hypot(0.05);
    let angle = (1.45_f64 / corner).asin() - (0.05_f64 / corner).asin();
    let early = angle - 3.0 * number(&found[0]["time"]);
    assert!((0.0..1e-5).contains(&early), "{early}");
    assert_eq!((&found[0]["link"], &found[0]["other"]), (&json!("fore"), &Value::Null));
    assert_eq!((&found[1]["status"], &found[2]["status"]), (&json!("free"), &json!("free")));
    let with_links =
        answers("time-of-contact", &[&arm, "box:0.1,0.1,0.1", "--poses", &motions, "--self-collision"]);
    assert_eq!(with_links[2]["other"], "hand");
    fails_with(&ask("time-of-contact", &[&arm, BOX, "--tolerance", "1%"]), 2, &["--tolerance"]);
    fails_with(&ask("time-of-contact", &[BOX, BOX, "--self-collision"]), 2, &["--self-collision"]);
}

#[test]
fn the_tree_of_a_large_mesh_is_cached_and_a_damaged_one_is_reported() {
    let folder = scratch_folder();
    let (mesh, cache) = (folder.path("blob.stl"), folder.path("deep/cache"));
    assert_eq!(extricate(["mesh", "blob", "--frequency", "32", "-o", &mesh]).exit, 0);
    let poses = apart(&folder);
    let ask_with = |more: &[&str]| {
        let mut found = answers("distance", &[&[mesh.as_str(), BOX, "--poses", &poses], more].concat());
        found.iter_mut().for_each(|answer| answer["time_us"] = Value::Null);
        found
    };
    let plain = ask_with(&[]);
    assert_eq!(ask_with(&["--cache", &cache]), plain);
    let trees: Vec<_> =
        std::fs::read_dir(&cache).expect("the cache").map(|file| file.expect("a file").path()).collect();
    assert!(trees.len() == 1 && trees[0].extension().is_some_and(|name| name == "tree"), "{trees:?}");
    assert_eq!(ask_with(&["--cache", &cache]), plain, "read again");
    let mut bytes = std::fs::read(&trees[0]).expect("the tree");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&trees[0], &bytes).expect("it is damaged");
    let name = trees[0].file_name().and_then(|name| name.to_str()).expect("UTF-8");
    fails_with(&ask("distance", &[&mesh, BOX, "--cache", &cache]), 3, &[name]);
}

#[test]
fn the_shipped_arm_runs_into_a_wall_and_into_itself_and_passes_both() {
    let root = env!("CARGO_MANIFEST_DIR");
    let (arm, motions) =
        (format!("{root}/assets/robots/arm.urdf"), format!("{root}/assets/robots/arm_motions.jsonl"));
    let found =
        answers("time-of-contact", &[&arm, "box:0.05,0.4,0.8", "--poses", &motions, "--self-collision"]);
    let met: Vec<_> = found.iter().map(|answer| (&answer["link"], &answer["other"])).collect();
    assert_eq!(met[0], (&json!("forearm"), &Value::Null));
    assert_eq!(met[1], (&json!("turret"), &json!("right_finger")));
    assert_eq!(found[2]["status"], "free");
    assert_eq!(answers("self-collision", &[&arm])[0]["links"], json!([]));
}

/// The links of a pair, or of a list of pairs.
fn pairs(found: &Value) -> Vec<[&str; 2]> {
    let pairs = found.as_array().expect("pairs").iter();
    pairs.map(|pair| [pair[0].as_str(), pair[1].as_str()].map(|name| name.expect("a name"))).collect()
}

#[test]
fn links_of_a_robot_on_either_side_have_the_distances_and_depths_of_their_boxes() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    // The straight arm along y is 0.1 wide; the box reaches 0.02 and 0.01 into it, and stands 0.25 off it.
    let straight = std::f64::consts::FRAC_PI_2;
    let line = |x: f64, y: f64| {
        format!(
            "{{\"joints\": {{\"shoulder\": {straight}}}, \"OBSTACLE\": {{\"translation\": [{x}, {y}, 0]}}}}\n"
        )
    };
    let lines = line(0.53, 0.45) + &line(0.54, 1.6) + &line(0.8, 0.45) + &line(0.54, 1.0);
    for side in [0, 1] {
        let (obstacle, order) =
            if side == 0 { ("b", [arm.as_str(), BOX]) } else { ("a", [BOX, arm.as_str()]) };
        let poses = folder.write("poses.jsonl", &lines.replace("OBSTACLE", obstacle));
        let ask = |kind: &str| answers(kind, &[order[0], order[1], "--poses", &poses]);
        let named = |link: &'static str| if side == 0 { [link, BOX] } else { [BOX, link] };

        let found = ask("collide");
        let links: Vec<_> = found.iter().map(|answer| pairs(&answer["links"])).collect();
        assert_eq!(links[0], [named("upper")]);
        assert_eq!(links[1], [named("fore"), named("hand")]);
        assert_eq!((links[2].len(), links[3].len()), (0, 2));
        assert_eq!(found[2]["status"], "separate");

        let found = ask("distance");
        close(&found[2]["distance"], 0.25);
        assert_eq!(found[2]["links"], json!(named("upper")));
        close(&found[0]["distance"], 0.0);

        let found = ask("penetration");
        for (answer, depth) in [(&found[0], 0.02), (&found[3], 0.01)] {
            close(&answer["depth"], depth);
            assert!(number(&answer["lower_bound"]) > 0.99 * depth, "{answer}");
            let away = if side == 0 { -1.0 } else { 1.0 };
            close(&answer["direction"][0], away);
            close(&answer["links"][0]["depth"], depth);
        }
        assert_eq!(found[0]["links"][0]["links"], json!(named("upper")));
        assert_eq!(
            (&found[0]["links"][1], found[3]["links"].as_array().map(Vec::len)),
            (&Value::Null, Some(2))
        );
        assert_eq!(found[2]["status"], "separate");
        let signed = answers("distance", &[order[0], order[1], "--poses", &poses, "--signed"]);
        close(&signed[3]["distance"], -0.01);
    }
}

#[test]
fn two_robots_collide_by_links_of_both_and_meet_half_way() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    let folded =
        r#"{"joints": {"shoulder": 0.5}, "b": {"translation": [3.9, 0, 0], "rotation": [0, 0, 0, 1]},
        "b_joints": {"shoulder": 0.5}}"#
            .replace('\n', " ");
    // Two straight arms along one line: 2.2 m reach each.
    let lines = format!(
        "{}\n{}\n{folded}\n",
        r#"{"b": {"translation": [4.3, 0, 0], "rotation": [0, 0, 0, 1]}}"#,
        r#"{"b": {"translation": [4.5, 0, 0], "rotation": [0, 0, 0, 1]}}"#,
    );
    let poses = folder.write("poses.jsonl", &lines);
    let found = answers("collide", &[&arm, &arm, "--poses", &poses]);
    assert_eq!(pairs(&found[0]["links"]), [["hand", "hand"]]);
    assert_eq!((&found[1]["links"], &found[2]["links"]), (&json!([]), &json!([])));
    let found = answers("distance", &[&arm, &arm, "--poses", &poses]);
    close(&found[1]["distance"], 0.1);
    let found = answers("penetration", &[&arm, &arm, "--poses", &poses]);
    close(&found[0]["depth"], 0.1);

    // Both roots move towards each other, 1 m each: the hands meet after 0.05 m of each.
    let motion = r#"{"a_end": {"translation": [1, 0, 0]}, "b": {"translation": [4.5, 0, 0], "rotation": [0, 0, 0, 1]},
        "b_end": {"translation": [3.5, 0, 0], "rotation": [0, 0, 0, 1]}}"#;
    let found = answers("time-of-contact", &[&arm, &arm, "--poses", motion]);
    assert!((number(&found[0]["time"]) - 0.05).abs() < 1e-5, "{}", found[0]);
    assert_eq!((&found[0]["link"], &found[0]["other"]), (&json!("hand"), &json!("hand")));
    let refused = ask("time-of-contact", &[&arm, &arm, "--self-collision"]);
    fails_with(&refused, 2, &["--self-collision", "one robot"]);
}

#[test]
fn a_robot_may_be_b_of_a_time_of_contact() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    // A box falls onto the straight arm at rest, and the arm rises to a box at rest.
    let falling = r#"{"a": {"translation": [0.5, 0, 1.05]}, "a_end": {"translation": [0.5, 0, -0.95]}}"#;
    let found = answers("time-of-contact", &["box:0.2,0.2,1", &arm, "--poses", falling]);
    assert!((number(&found[0]["time"]) - 0.25).abs() < 1e-5, "{}", found[0]);
    assert_eq!((&found[0]["link"], &found[0]["other"]), (&json!("upper"), &Value::Null));
    assert!(
        (number(&found[0]["normal"][2]) + 1.0).abs() < 1e-9,
        "from the box down to the link: {}",
        found[0]
    );
    let turning = r#"{"joints_end": {"shoulder": 3}, "a": {"translation": [0, 1.5, 0]}}"#;
    let of_b = answers("time-of-contact", &["box:0.1,0.1,0.1", &arm, "--poses", turning]);
    let of_a = turning.replace("\"a\"", "\"b\"");
    let of_a = answers("time-of-contact", &[&arm, "box:0.1,0.1,0.1", "--poses", &of_a]);
    assert_eq!((&of_a[0]["time"], &of_a[0]["link"]), (&of_b[0]["time"], &of_b[0]["link"]));
    let text = extricate(["query", "time-of-contact", "box:0.2,0.2,1", &arm, "--poses", falling]);
    assert!(text.stdout.contains("upper with A"), "{}", text.stdout);
}

#[test]
fn self_collisions_and_refusals_of_robots_in_queries_are_named() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    let far = r#"{"joints": {"elbow": 3.1}, "b": {"translation": [0, 0, 9]}}"#;
    let ask_with =
        |more: &[&str]| answers("collide", &[&[&arm, BOX, "--poses", far], more].concat()).remove(0);
    assert_eq!(ask_with(&[])["collides"], false);
    let found = ask_with(&["--self-collision"]);
    assert_eq!((&found["collides"], &found["self_collisions"]), (&json!(true), &json!([["upper", "hand"]])));
    let found = ask_with(&["--self-collision", "--allow", "upper,hand"]);
    assert_eq!((&found["collides"], &found["self_collisions"]), (&json!(false), &json!([])));
    fails_with(&ask("collide", &[BOX, BOX, "--self-collision"]), 2, &["--self-collision", "robots"]);
    fails_with(&ask("collide", &[&arm, BOX, "--all"]), 2, &["--all", "robots"]);
    fails_with(&ask("distance", &[BOX, BOX, "--at", "home"]), 2, &["--at", "robots"]);
    fails_with(&ask("hausdorff", &[&arm, BOX]), 2, &["arm.urdf", "is a robot"]);
    fails_with(&ask("collide", &[&arm, BOX, "--allow", "upper,foot"]), 2, &["foot"]);
    fails_with(&ask("collide", &[&arm, BOX, "--joints", "{\"knee\": 1}"]), 3, &["--joints", "knee"]);
    let bare = folder.write("bare.urdf", "<robot name='r'><link name='a'/></robot>");
    fails_with(&ask("collide", &[&bare, BOX]), 3, &["bare.urdf: no link has a shape", "--visual"]);
}

/// A robot of the same arm in MJCF, with keyframes.
const MODEL: &str = r#"<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="upper">
  <joint name="shoulder" axis="0 0 1"/><geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0"/>
  <body name="fore" pos="1 0 0"><joint name="elbow" axis="0 0 1"/><geom type="box" size="0.5 0.05 0.05" pos="0.5 0 0"/>
  </body></body></worldbody>
  <keyframe><key name="side" qpos="1.5707963267948966 0"/><key name="bent" qpos="0 1.5707963267948966"/>
  <key name="short" qpos="1"/></keyframe></mujoco>"#;

#[test]
fn named_configurations_of_mjcf_and_srdf_are_those_of_their_joint_values() {
    let folder = scratch_folder();
    let (model, arm) = (folder.write("arm.xml", MODEL), folder.write("arm.urdf", ARM));
    // The box stands beside the arm that points along y, 0.2 m from its side.
    let above = r#"{"b": {"translation": [0.75, 1.5, 0]}}"#;
    let found = answers("distance", &[&model, BOX, "--poses", above, "--at", "side"]);
    close(&found[0]["distance"], 0.2);
    assert_eq!(found[0]["links"], json!(["fore", BOX]));
    let bent = folder.write("bent.jsonl", "{\"at\": \"bent\", \"b\": {\"translation\": [1.75, 0.5, 0]}}\n");
    close(&answers("distance", &[&model, BOX, "--poses", &bent])[0]["distance"], 0.2);
    // A joint of the line takes the place of that of the configuration.
    let moved = r#"{"at": "bent", "joints": {"elbow": 0}, "b": {"translation": [1.0, 0.8, 0]}}"#;
    close(&answers("distance", &[&model, BOX, "--poses", moved])[0]["distance"], 0.25);
    let wrong = ask("distance", &[&model, BOX, "--at", "sides"]);
    fails_with(
        &wrong,
        2,
        &["arm.xml", "unknown configuration \"sides\"", "side, bent", "did you mean `side`"],
    );
    assert!(wrong.stderr.contains("keyframe \"short\": `qpos` has 1 numbers"), "{}", wrong.stderr);

    let srdf = folder.write(
        "arm.srdf",
        "<robot name=\"arm\"><group_state name=\"side\" group=\"all\">\n         <joint name=\"shoulder\" value=\"1.5707963267948966\"/><joint name=\"tail\" value=\"1\"/></group_state></robot>",
    );
    let found = ask("distance", &[&arm, BOX, "--poses", above, "--srdf", &srdf, "--at", "side"]);
    assert!(
        found.stderr.contains("arm.srdf:1: group states: no value for \"tail\" of the robot"),
        "{}",
        found.stderr
    );
    close(
        &answers("distance", &[&arm, BOX, "--poses", above, "--srdf", &srdf, "--at", "side"])[0]["distance"],
        0.2,
    );
    let obstacle = "box:1,1,1@0.54,1.5,0";
    let repair =
        ["repair", "--robot", &model, "--at", "side", "--obstacle", obstacle, "--json", "--clearance", "0"];
    let repaired = extricate(repair);
    let answer: Value = serde_json::from_str(&repaired.stdout).expect("JSON");
    assert_eq!(answer["status"], "repaired", "{}", repaired.stderr);
    assert!(answer["joints"]["shoulder"].as_f64().is_some_and(|value| value > 1.5), "{answer}");
    fails_with(
        &extricate(["repair", "--robot", &arm, "--at", "home"]),
        2,
        &["unknown configuration", "has none"],
    );
}

#[test]
fn configurations_that_repair_writes_are_read_by_queries() {
    let folder = scratch_folder();
    let arm = folder.write("arm.urdf", ARM);
    let (q, free) =
        (folder.write("q.json", "{\"joints\":\n {\"shoulder\": 1.5}}\n"), folder.path("free.json"));
    let obstacle = "box:1,1,1@0.6,1.5,0";
    let repair = [
        "repair",
        "--robot",
        &arm,
        "--joints",
        &q,
        "--obstacle",
        obstacle,
        "-o",
        &free,
        "--clearance",
        "0.01",
    ];
    assert_eq!(extricate(repair).exit, 0);
    assert_eq!(answers("collide", &[&arm, obstacle, "--joints", &q])[0]["collides"], true);
    let apart = answers("distance", &[obstacle, &arm, "--joints", &free]);
    assert!(number(&apart[0]["distance"]) >= 0.01 - 1e-9, "{}", apart[0]);
}

#[test]
fn a_generalized_penetration_keeps_the_default_clearance_and_its_depth_is_that_of_the_motion() {
    let ask_with =
        |more: &[&str]| answers("generalized", &[&[BOX, "box:1,1,1@0.5,0,0"], more].concat()).remove(0);
    let depth = ask_with(&["--clearance", "0"]);
    assert!((number(&depth["depth"]) - 0.5).abs() < 1e-5 && number(&depth["clearance"]) < 1e-12, "{depth}");
    let found = ask_with(&[]);
    let gap = 1e-4 * 3.0_f64.sqrt();
    close(&found["clearance"], gap);
    assert!((number(&found["depth"]) - 0.5 - gap).abs() < 1e-5, "{found}");
    let x = number(&found["pose"]["translation"][0]);
    assert!(x <= -0.5 - gap + 1e-9, "{found}");
    // Shapes that are apart by less are not moved.
    assert_eq!(answers("generalized", &[BOX, "box:1,1,1@1.00001,0,0"])[0]["status"], "separate");
}
