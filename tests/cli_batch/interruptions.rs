//! Kills, Ctrl-C and full disks: a batch is gone on with, and ends with the same bytes.

use extricate_test_support::Noise;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cli_program::{Ended, program, scratch_folder};
use super::material::{SCENE, assert_same, batch, lines, manifest};

/// Files of a batch that do not depend on the machine.
const FILES: [&str; 4] = ["batch.json", "results.jsonl", "failed.jsonl", "summary.json"];

/// Starts a batch that is going to be killed.
fn started(manifest: &str, output: &str, options: &[&str]) -> Child {
    let mut command: Command = program();
    command.args(["batch", manifest, "-o", output, "--quiet", "--threads", "2"]).args(options);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

/// Kills a batch again and again, each time when its results have reached another random length below `length`, and lets it
/// end at last. Returns how often it was killed before its end.
fn killed(manifest: &str, output: &str, kills: u32, length: u64, seed: u64) -> u32 {
    let mut numbers = Noise(seed);
    let (results, summary) =
        (Path::new(output).join("results.jsonl"), Path::new(output).join("summary.json"));
    let mut before_end = 0;
    for kill in 0..kills {
        #[expect(clippy::cast_precision_loss, reason = "a length of a test")]
        let length = length as f64 * (f64::from(kill) + numbers.fraction(31)) / f64::from(kills + 1);
        let mut child = started(manifest, output, &["--resume"]);
        #[expect(clippy::cast_precision_loss, reason = "a length of a test")]
        let is_short = || fs::metadata(&results).map_or(0, |file| file.len()) as f64 <= length;
        while is_short() && child.try_wait().expect("a process").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("the program can be killed");
        child.wait().expect("the program ends");
        before_end += u32::from(!summary.exists());
    }
    let done = whole_lines(output);
    let ended = batch(manifest, output, &["--resume", "--threads", "2"]);
    assert!([0, 8].contains(&ended.exit), "{}", ended.stderr);
    // Complete items were not repeated.
    let timing = fs::read_to_string(format!("{output}/timing.json")).expect("times");
    assert_eq!(serde_json::from_str::<Value>(&timing).expect("JSON")["resumed"], done);
    before_end
}

/// Number of complete answers, written or waiting for those before them.
fn whole_lines(output: &str) -> usize {
    let read = |name: &str| fs::read(format!("{output}/{name}")).unwrap_or_default();
    let mut found: Vec<u64> = Vec::new();
    for text in [read("results.jsonl"), read("pending.jsonl")] {
        for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let value: Value = serde_json::from_slice(line).expect("a whole line is JSON");
            found.push(value["index"].as_u64().expect("an index"));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.len()
}

#[test]
fn a_batch_that_is_killed_is_gone_on_with_and_ends_with_the_same_bytes() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 240);
    let (whole, resumed) = (folder.path("whole"), folder.path("resumed"));
    assert_eq!(batch(&manifest, &whole, &["--threads", "2"]).exit, 8);
    let length = fs::metadata(folder.path("whole/results.jsonl")).unwrap().len();
    let kills = killed(&manifest, &resumed, 4, length, 11);
    assert!(kills >= 1, "no kill came before the end");
    assert_same(&whole, &resumed);
}

/// Twenty kills of a longer batch: `cargo test --release --test cli_batch -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute"]
fn twenty_kills_change_no_byte() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 2400);
    let (whole, resumed) = (folder.path("whole"), folder.path("resumed"));
    assert_eq!(batch(&manifest, &whole, &["--threads", "2"]).exit, 8);
    let length = fs::metadata(folder.path("whole/results.jsonl")).unwrap().len();
    let kills = killed(&manifest, &resumed, 20, length, 5);
    println!("{kills} kills before the end of a batch of 2400 items");
    assert_eq!(kills, 20);
    assert_same(&whole, &resumed);
}

#[test]
fn results_that_end_anywhere_are_gone_on_with() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 12);
    let whole = folder.path("whole");
    assert_eq!(batch(&manifest, &whole, &[]).exit, 8);
    let results = fs::read(format!("{whole}/results.jsonl")).unwrap();
    let failed = fs::read(format!("{whole}/failed.jsonl")).unwrap();
    let borders = results.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let mut cuts: Vec<usize> =
        borders.flat_map(|at| [at, at + 1, at + 2]).filter(|at| *at <= results.len()).collect();
    cuts.extend((0..results.len()).step_by(results.len() / 8));
    for (number, cut) in cuts.into_iter().enumerate() {
        let torn = folder.path(&format!("torn-{number}"));
        fs::create_dir(&torn).unwrap();
        fs::copy(format!("{whole}/batch.json"), format!("{torn}/batch.json")).unwrap();
        fs::write(format!("{torn}/results.jsonl"), &results[..cut]).unwrap();
        // Failures may be ahead or behind: they follow from the results.
        fs::write(format!("{torn}/failed.jsonl"), &failed[..failed.len() * (number % 3) / 2]).unwrap();
        // An answer that waits for those before it, and a torn one.
        let last = results[..results.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let pending = [&results[last..], b"{\"index\": 3, \"ki"].concat();
        fs::write(format!("{torn}/pending.jsonl"), pending).unwrap();
        let ended = batch(&manifest, &torn, &["--resume"]);
        assert_eq!(ended.exit, 8, "cut at {cut}: {}", ended.stderr);
        for name in FILES {
            let read = |folder: &str| fs::read(format!("{folder}/{name}")).unwrap();
            assert!(read(&torn) == read(&whole), "cut at {cut}: {name} differs");
        }
        assert!(!Path::new(&torn).join("pending.jsonl").exists());
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_batch_that_can_be_gone_on_with() {
    /// A second or two of work.
    const ITEMS: usize = 20_000;
    let folder = scratch_folder();
    let manifest = manifest(&folder, ITEMS);
    let output = folder.path("out");
    let mut child = started(&manifest, &output, &[]);
    let results = Path::new(&output).join("results.jsonl");
    let waited = Instant::now();
    while fs::metadata(&results).map_or(0, |file| file.len()) == 0 && waited.elapsed().as_secs() < 60 {
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(asked.expect("kill is there").success());
    let exit = child.wait().unwrap().code();
    assert_eq!(exit, Some(7));
    assert!(!folder.exists("out/summary.json") && folder.exists("out/timing.json"));
    assert!(fs::read(&results).unwrap().ends_with(b"\n"));
    assert_eq!(batch(&manifest, &output, &["--resume"]).exit, 8);
    assert_eq!(lines(&folder.read("out/results.jsonl")).len(), ITEMS);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_a_batch_with_an_error_that_names_the_file() {
    let folder = scratch_folder();
    let manifest = manifest(&folder, 60);
    let (whole, output) = (folder.path("whole"), folder.path("out"));
    assert_eq!(batch(&manifest, &whole, &[]).exit, 8);
    // No file may be longer than 8 KiB; the signal that reports it is ignored, and the write fails.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' batch '{manifest}' -o '{output}' --quiet",
        env!("CARGO_BIN_EXE_extricate")
    );
    let ended: Ended = Command::new("bash").args(["-c", &script]).output().expect("bash is there").into();
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot write") && ended.stderr.contains("out/"), "{}", ended.stderr);
    assert_eq!(batch(&manifest, &output, &["--resume"]).exit, 8);
    for name in FILES {
        assert_eq!(folder.read(&format!("whole/{name}")), folder.read(&format!("out/{name}")), "{name}");
    }
}

#[test]
fn progress_is_reported_where_there_is_no_terminal_unless_it_is_to_be_quiet() {
    let folder = scratch_folder();
    let item = r#"{"kind": "run", "scene": "scene.ron", "time": 2000}"#;
    folder.write("scene.ron", SCENE);
    let manifest = folder.write("manifest.jsonl", item);
    let run = |quiet: bool, name: &str| {
        let mut command = program();
        command.args(["batch", &manifest, "-o", &folder.path(name)]).args(quiet.then_some("--quiet"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        std::thread::sleep(Duration::from_secs(3));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let ended: Ended = {
            child.wait().unwrap();
            child.wait_with_output().unwrap().into()
        };
        ended.stderr
    };
    assert!(run(false, "printed").contains("0 of 1 items"));
    assert_eq!(run(true, "quiet"), "");
}
