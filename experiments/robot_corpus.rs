//! Reads a corpus of robots with the program and prints a Markdown table.
//!
//! ```text
//! cargo build --release && cargo run --release --example robot_corpus -- DIR [NAME…]
//! ```
//!
//! `DIR/expect.jsonl` holds a robot a line: `robot` (its name), `urdf` (its file, relative to `DIR`), `packages` (folders for
//! `--package`), `expect` (`load` or `refuse`), and as another program reads it `links`, `joints_that_move` (without those that
//! mimic others) and `mass` [kg]. A robot is *loaded* when `repair --list-allowed` and `check` of a scene with it on a fixed
//! base exit with 0, and refused well when both exit with 3 and name the file. One
//! of class `xacro` or `mjcf` that `DIR` expects to be refused is *read* when its list of pairs is printed, which needs no meshes for
//! drawing, and `check` agrees or names a file that is missing. Exits with 1 when a robot is none of these.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use extricate::kinematics::urdf::{UrdfOptions, read_urdf};
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Longest run of the program [s].
const SECONDS: u64 = 120;
/// Maximum relative difference of masses: those that were added to links without one are far smaller.
const MASS_TOLERANCE: f64 = 1e-3;

/// Exit code and output of a run of the program; no code of one that took too long or crashed.
struct Run {
    code: Option<i32>,
    output: String,
}

fn run(program: &Path, arguments: &[String]) -> Result<Run> {
    let output = std::env::temp_dir().join(format!("extricate-corpus-{}", std::process::id()));
    let file = std::fs::File::create(&output)?;
    let (out, error) = (Stdio::from(file.try_clone()?), Stdio::from(file));
    let mut child = Command::new(program).args(arguments).stdout(out).stderr(error).spawn()?;
    let start = Instant::now();
    let code = loop {
        match child.try_wait()? {
            Some(status) => break status.code(),
            None if start.elapsed() > Duration::from_secs(SECONDS) => {
                child.kill()?;
                child.wait()?;
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let text = String::from_utf8_lossy(&std::fs::read(&output)?).into_owned();
    std::fs::remove_file(&output)?;
    Ok(Run { code, output: text })
}

/// Links, joints and mass of a robot, as the program reads it.
fn read(path: &Path, packages: &[PathBuf]) -> Option<(usize, usize, f64)> {
    let options = UrdfOptions { packages: packages.to_vec(), sound_masses: true, ..UrdfOptions::default() };
    let robot = read_urdf(path, &options).ok()?;
    let mass =
        robot.inertials.iter().flatten().map(|inertial| inertial.mass).fold(0.0, |sum, mass| sum + mass);
    Some((robot.articulation.links().len(), robot.articulation.coordinates().len(), mass))
}

/// Row of a robot, its outcome, and the reason why it is wrong, if it is.
struct Judged {
    row: String,
    outcome: &'static str,
    wrong: Option<String>,
}

/// Reads a robot with the program and compares the result with what is expected.
fn judge(program: &Path, folder: &Path, robot: &Value) -> Result<Judged> {
    let text = |key: &str| robot[key].as_str().unwrap_or_default();
    let path = folder.join(text("urdf"));
    let named = robot["packages"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let packages: Vec<_> = named.map(|package| folder.join(package)).collect();
    let name = path.display().to_string();
    let mut list = vec!["repair".into(), "--robot".into(), name.clone(), "--list-allowed".into()];
    for package in &packages {
        list.extend(["--package".to_owned(), package.display().to_string()]);
    }
    let scene = std::env::temp_dir().join(format!("extricate-corpus-{}.ron", std::process::id()));
    std::fs::write(
        &scene,
        format!(
            "(title: \"corpus\", duration: 1, robots: [(name: \"r\", file: {name:?}, packages: {packages:?})])"
        ),
    )?;
    let check =
        ["check".to_owned(), scene.display().to_string(), "--root".to_owned(), folder.display().to_string()];
    let (list, check) = (run(program, &list)?, run(program, &check)?);
    std::fs::remove_file(&scene)?;
    let warnings = check.output.matches("warning: ").count();
    let [code, code_of_check] =
        [list.code, check.code].map(|code| code.map_or("none".to_owned(), |code| code.to_string()));
    let codes = format!("exit codes {code} and {code_of_check}");
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut outcome = "loaded";
    let (found, wrong) = if text("expect") == "refuse" {
        let names_file = [&list, &check].iter().all(|run| run.output.contains(&file));
        let classes = robot["classes"].as_array().into_iter().flatten();
        let is_convertible =
            classes.filter_map(Value::as_str).any(|class| ["xacro", "mjcf"].contains(&class));
        let refused = list.code == Some(3) && check.code == Some(3) && names_file;
        let is_missing = check.code == Some(3) && check.output.contains("cannot be read");
        let read = is_convertible && list.code == Some(0) && (check.code == Some(0) || is_missing);
        outcome = if read { "read" } else { "refused" };
        ((String::new(), String::new(), String::new()), (!refused && !read).then_some(codes))
    } else {
        let (links, joints, mass) = read(&path, &packages).unwrap_or_default();
        let is = |key: &str, found: usize| robot[key].as_u64() == Some(found as u64);
        let is_same = is("links", links) && is("joints_that_move", joints);
        let stated = robot["mass"].as_f64().unwrap_or(f64::NAN);
        let is_mass = (mass - stated).abs() <= MASS_TOLERANCE * stated.max(MASS_TOLERANCE);
        let expected = format!(
            "expected {} links, {} joints, {} kg",
            robot["links"], robot["joints_that_move"], robot["mass"]
        );
        let wrong = match (list.code, check.code) {
            (Some(0), Some(0)) => (!(is_same && is_mass)).then_some(expected),
            _ => {
                Some(format!("{codes}: {}", if list.code == Some(0) { &check.output } else { &list.output }))
            }
        };
        ((links.to_string(), joints.to_string(), format!("{mass:.4}")), wrong)
    };
    let (links, joints, mass) = found;
    let shown = if wrong.is_some() { "**wrong**" } else { outcome };
    let row = format!("| {} | {warnings} | {links} | {joints} | {mass} | {shown} |", text("robot"));
    Ok(Judged { row, outcome: if wrong.is_some() { "wrong" } else { outcome }, wrong })
}

fn judge_all() -> Result<usize> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: robot_corpus DIR [NAME…]")?).canonicalize()?;
    let only: Vec<_> = arguments.collect();
    // Examples are built into a folder beside the program.
    let own = std::env::current_exe()?;
    let program = own.ancestors().nth(2).ok_or("a folder")?.join("extricate");
    let robots = std::fs::read_to_string(folder.join("expect.jsonl"))?;
    let robots = robots.lines().map(serde_json::from_str).collect::<serde_json::Result<Vec<Value>>>()?;
    println!("| robot | warnings | links | joints | mass [kg] | outcome |\n|---|--:|--:|--:|--:|---|");
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for robot in &robots {
        let name = robot["robot"].as_str().unwrap_or_default();
        if !only.is_empty() && !only.iter().any(|wanted| wanted == name) {
            continue;
        }
        let Judged { row, outcome, wrong } = judge(&program, &folder, robot)?;
        println!("{row}");
        if let Some(why) = wrong {
            eprintln!("{name}: {why}");
        }
        *counts.entry(outcome).or_default() += 1;
    }
    let count = |outcome: &str| counts.get(outcome).copied().unwrap_or_default();
    let [loaded, read, refused, wrong] = ["loaded", "read", "refused", "wrong"].map(count);
    println!("\n{loaded} loaded, {read} read, {refused} refused, {wrong} wrong");
    Ok(wrong)
}

fn main() -> ExitCode {
    match judge_all() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
