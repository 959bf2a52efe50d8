//! The options of `extricate query penetration`: sources of starts, seeds, bounds, budgets, the cache.

mod cli_program;

use cli_program::{Ended, ScratchFolder, extricate, scratch_folder};
use extricate_test_support::json_schema::faults;
use serde_json::Value;

/// A ring and a bar through its wall, as files, and a line of poses.
struct Pair {
    folder: ScratchFolder,
    ring: String,
    bar: String,
    poses: String,
}

impl Pair {
    fn new() -> Self {
        let folder = scratch_folder();
        let made = |name: &str, arguments: &[&str]| {
            let path = folder.path(name);
            let command = ["mesh"].iter().chain(arguments).copied().chain(["-o", &path]);
            let ended = extricate(command);
            assert_eq!(ended.exit, 0, "{}", ended.stderr);
            path
        };
        let ring = made("ring.obj", &["torus", "--minor-radius", "0.3", "--segments", "24"]);
        let bar = made("bar.obj", &["box", "--x", "0.3", "--y", "0.3", "--z", "4"]);
        let poses = folder.write("poses.jsonl", "{\"a\": {\"translation\": [0.8, 0.1, 0.0]}}\n");
        Self { folder, ring, bar, poses }
    }

    fn ask(&self, options: &[&str]) -> Ended {
        let pair = ["query", "penetration", &self.bar, &self.ring, "--poses", &self.poses, "--json"];
        extricate(pair.iter().chain(options).copied())
    }

    /// The answers of a query that succeeds, each in the form of its schema.
    fn answers(&self, options: &[&str]) -> Vec<Value> {
        let ended = self.ask(options);
        assert_eq!(ended.exit, 0, "{options:?}: {}{}", ended.stdout, ended.stderr);
        lines(&ended)
    }
}

fn lines(ended: &Ended) -> Vec<Value> {
    let path = format!("{}/assets/schema/penetration.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema can be read")).expect("JSON");
    let line = |text: &str| {
        let value: Value = serde_json::from_str(text).expect("a line of JSON");
        let found = faults(&schema, &value);
        assert!(found.is_empty(), "{}\nin {text}", found.join("\n"));
        value
    };
    ended.stdout.lines().map(line).collect()
}

fn without_time(mut answer: Value) -> Value {
    answer["time_us"] = 0.into();
    answer
}

#[test]
fn every_source_answers_by_its_name_with_the_work_it_took() {
    let pair = Pair::new();
    for source in ["centroid", "clear", "random", "sampled", "normals", "axes", "spread", "given:0,0,9"] {
        let found = pair.answers(&["--start", source, "--effort", "fast"]).remove(0);
        assert_eq!((&found["status"], &found["source"]), (&"penetrating".into(), &source.into()), "{found}");
        assert!(found["walks"].as_u64() >= Some(1) && found["casts"].as_u64() >= Some(1), "{found}");
        assert!(found["marches"].is_u64() && found["rows"].is_u64() && found["iterations"].is_u64());
    }
    // Out through the hole, and out around the ring.
    let depth = |source: &str| pair.answers(&["--start", source])[0]["depth"].as_f64().expect("a depth");
    assert!(
        depth("clear") < 0.3 && depth("given:9,0,0") > 0.6,
        "{} {}",
        depth("clear"),
        depth("given:9,0,0")
    );
}

#[test]
fn a_source_without_a_start_is_a_failure_that_names_it() {
    let pair = Pair::new();
    let ended = pair.ask(&["--start", "given:0.01,0,0"]);
    let answer = lines(&ended).remove(0);
    let error = answer["error"].as_str().expect("an error");
    assert!(ended.exit == 5 && error.contains("`given:0.01,0,0`"), "{answer}");
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let pair = Pair::new();
    let with = |seed: &str| without_time(pair.answers(&["--start", "random", "--seed", seed]).remove(0));
    assert_eq!(with("7"), with("7"));
    assert_eq!(with("0"), without_time(pair.answers(&["--start", "random"]).remove(0)));
}

#[test]
fn coherent_lines_are_answered_in_order_with_one_memory() {
    let pair = Pair::new();
    let at = |x: f64| format!("{{\"a\": {{\"translation\": [{x}, 0, 0]}}}}\n");
    // The first overlaps before anything is known; then free in the hole, and into the wall from there.
    let text = [0.72, 0.0, 0.6, 0.9].map(at).concat();
    std::fs::write(&pair.poses, text).expect("the poses can be written");
    let found = pair.answers(&["--start", "coherence", "--effort", "fast"]);
    assert!(found[0]["source"].is_string() && found[0]["source"] != "coherence", "{}", found[0]);
    assert_eq!(found[1]["status"], "separate");
    for answer in &found[2..] {
        assert_eq!(answer["source"], "coherence");
        let x = answer["translation"][0].as_f64().expect("a number");
        assert!(x < -0.04, "back into the hole: {answer}");
    }
}

#[test]
fn the_cache_is_written_once_and_read_afterwards() {
    let pair = Pair::new();
    let cache = pair.folder.path("deep/cache");
    let ask = || without_time(pair.answers(&["--start", "clear", "--cache", &cache]).remove(0));
    let first = ask();
    let files = || {
        let entries = std::fs::read_dir(&cache).expect("the cache is there");
        let mut paths = entries.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
        paths.sort();
        paths
    };
    assert_eq!(files().len(), 2, "one file for each mesh");
    assert_eq!(ask(), first);
    // The contents of the files are used: without holes there is no start.
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a file of the cache");
        let mut value: Value = serde_json::from_str(&text).expect("JSON");
        value["free"] = Value::Array(Vec::new());
        std::fs::write(&path, value.to_string()).expect("the file can be written");
    }
    let ended = pair.ask(&["--start", "clear", "--cache", &cache]);
    assert!(ended.exit == 5 && ended.stdout.contains("`clear`"), "{}", ended.stdout);
    std::fs::write(&files()[0], "{\"format\":").expect("the file can be written");
    let ended = pair.ask(&["--cache", &cache]);
    assert!(
        ended.exit == 3 && ended.stderr.contains("not a valid file of clear configurations"),
        "{}",
        ended.stderr
    );
}

#[test]
fn bounds_and_budgets_are_taken() {
    let pair = Pair::new();
    for bound in ["skip", "balls", "cover", "cover:20"] {
        let found = pair.answers(&["--lower-bound", bound, "--time-budget", "10"]).remove(0);
        assert!(found["lower_bound"].as_f64() <= found["depth"].as_f64(), "{found}");
        assert!(bound != "skip" || found["lower_bound"] == 0.0, "{found}");
    }
}

#[test]
fn where_the_time_budget_is_spent_there_is_an_error_or_bounds_and_no_answer() {
    let folder = scratch_folder();
    // Layers a billionth apart, and those of B half as much above those of A: all triangles are about as near.
    let layers = |name: &str, above: f64| {
        let layer = |i: usize| {
            let (z, first) = (above + 1e-9 * i as f64, 3 * i + 1);
            let corners = format!("v 0 0 {z:e}\nv 1 0 {z:e}\nv 0 1 {z:e}\n");
            format!("{corners}f {first} {} {}\n", first + 1, first + 2)
        };
        folder.write(name, &(0..2000).map(layer).collect::<String>())
    };
    let (a, b) = (layers("a.obj", 0.0), layers("b.obj", 0.5e-9));
    let ask = |options: &[&str]| {
        let ended = extricate(
            ["query", options[0], &a, &b, "--json"].into_iter().chain(options[1..].iter().copied()),
        );
        let answer: Value = serde_json::from_str(ended.stdout.lines().next().unwrap()).unwrap();
        (ended.exit, answer)
    };
    for kind in ["collide", "distance"] {
        let (exit, answer) = ask(&[kind, "--time-budget", "1e-9"]);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(exit == 5 && answer["status"] == "failed", "{answer}");
        assert!(error.contains("time budget") && error.contains("allow more time"), "{error}");
        let (exit, answer) = ask(&[kind, "--time-budget", "1e6"]);
        assert!(exit == 0 && answer["status"] == "separate", "{answer}");
    }
    let (_, answer) = ask(&["hausdorff", "--tolerance", "0", "--time-budget", "1e-9"]);
    assert!(answer["status"] == "not-converged", "{answer}");
    // The lowest layer of A is half a billionth below B.
    let [lower, upper] = ["lower_bound", "upper_bound"].map(|bound| answer[bound].as_f64().unwrap());
    assert!(lower <= 0.5e-9 && 0.5e-9 <= upper, "{answer}");
}

#[test]
fn wrong_uses_are_reported_with_exit_code_2() {
    let pair = Pair::new();
    for (options, message) in [
        (&["--start", "nowhere"][..], "unknown source of starts"),
        (&["--start", "given:1,2"], "given:X,Y,Z"),
        (&["--seed", "one"], "--seed"),
        (&["--time-budget", "0"], "above zero"),
        (&["--lower-bound", "cover:0"], "cover:N"),
        (&["--lower-bound", "some"], "skip, balls"),
    ] {
        let ended = pair.ask(options);
        assert!(ended.exit == 2 && ended.stderr.contains(message), "{options:?}: {}", ended.stderr);
    }
    for (options, message) in [
        (&["collide", "--start", "clear"][..], "unexpected argument '--start'"),
        (&["distance", "--seed", "1"], "unexpected argument '--seed'"),
        (&["spanning", "--time-budget", "1"], "unexpected argument '--time-budget'"),
        (&["collide", "--all", "--time-budget", "1"], "cannot be used with"),
        (&["distance", "--time-budget", "0"], "above zero"),
        (&["collide", "--lower-bound", "skip"], "unexpected argument '--lower-bound'"),
        (&["distance", "--cache", "x"], "`--cache` applies to meshes only"),
        (&["penetration", "--start", "coherence"], "needs `--poses`"),
        (&["penetration", "--start", "clear"], "`--start` applies to meshes only"),
        (&["penetration", "--lower-bound", "skip"], "`--lower-bound` applies to meshes only"),
    ] {
        let command = ["query", options[0], "box:1,1,1", "box:1,1,1"].into_iter();
        let ended = extricate(command.chain(options[1..].iter().copied()));
        assert!(ended.exit == 2 && ended.stderr.contains(message), "{options:?}: {}", ended.stderr);
    }
}

#[test]
fn restricted_translations_stay_in_their_line_or_plane_and_bad_ones_are_refused_with_the_accepted_forms() {
    let pair = Pair::new();
    let [free, line, plane] = [None, Some("line:0,0,1"), Some("plane:0,0,1")].map(|allowed| {
        let options = allowed.map_or(vec![], |allowed| vec!["--allowed", allowed]);
        let mut answers = pair.answers(&options);
        let answer = answers.pop().expect("one pose");
        let number = |value: &Value| value.as_f64().expect("a number");
        let translation = [0, 1, 2].map(|axis| number(&answer["translation"][axis]));
        (number(&answer["depth"]), number(&answer["lower_bound"]), translation)
    });
    // The bar is 4 m long; in the plane it leaves as far as without a restriction, since its sides are parallel to z.
    assert!(line.0 > 2.0 && line.2[0].abs() < 1e-12 && line.2[1].abs() < 1e-12, "{line:?}");
    assert!((line.1 - line.0).abs() < 1e-9, "{line:?}");
    assert!(
        plane.0 >= free.0 * (1.0 - 1e-9) && plane.0 < 1.0 && plane.2[2].abs() < 1e-12,
        "{plane:?} {free:?}"
    );
    let refused = pair.ask(&["--allowed", "plane:0,0,0"]);
    assert!(refused.exit != 0 && refused.stderr.contains("direction:X,Y,Z"), "{}", refused.stderr);
}

#[test]
fn the_norm_of_a_depth_is_named_unless_it_is_that_of_euclid() {
    let ask = |norm: &[&str]| {
        let command = ["query", "penetration", "box:1,1,1", "box:1,1,1@0.6,0.7,0.8", "--json"];
        extricate(command.into_iter().chain(norm.iter().copied()))
    };
    let refused = ask(&["--norm", "l3"]);
    assert!(refused.exit == 2 && refused.stderr.contains("l1, l2 and linf"), "{}", refused.stderr);
    for (options, name) in
        [(vec![], None), (vec!["--norm", "l2"], None), (vec!["--norm", "linf"], Some("linf"))]
    {
        let answer = ask(&options);
        let answer: Value = serde_json::from_str(&answer.stdout).expect("a line of JSON");
        assert_eq!(answer["norm"].as_str(), name);
        assert!((answer["depth"].as_f64().expect("a number") - 0.2).abs() < 1e-9, "{answer}");
    }
    // Along the diagonal of the plane x = y, which is parallel to no face, L1 and L∞ differ by a factor of two.
    let depth = |norm| {
        let ended = ask(&["--norm", norm, "--allowed", "line:1,1,0"]);
        let answer: Value = serde_json::from_str(&ended.stdout).expect("a line of JSON");
        answer["depth"].as_f64().expect("a number")
    };
    assert!((depth("l1") - 2.0 * depth("linf")).abs() < 1e-9 && (depth("linf") - 0.3).abs() < 1e-9);
}
