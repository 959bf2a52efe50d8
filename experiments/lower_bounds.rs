//! Judges the lower bounds of translational penetration against ground truth and prints a Markdown table.
//!
//! ```text
//! cargo run --release --example lower_bounds -- DIR [NAME [BOUND ...]]
//! ```
//!
//! `DIR` holds `soup/NAME.jsonl` (one colliding pose of a mesh and its copy a line, with `best_known_depth`) with
//! `soup/meshes/NAME.obj`, and `exact/exact.json` (unions of convex pieces with their exact depth). A row is for one
//! file and one bound: `balls`, `crossings:PATCHES`, or `cover:EVALUATIONS`; the first query of a row builds the structures that are built once for
//! a model. Exits with 1 when a bound is above a depth that is
//! known to suffice.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

#[path = "truth/mod.rs"]
mod truth;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::penetration::{Effort, LowerBound, TranslationalOptions, penetration};
use extricate::proximity::Model;
use nalgebra::Isometry3;
use serde_json::Value;
use truth::{number, pose};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A bound may exceed an exact depth by this much [m]: the exact depths belong to unrounded pieces, and the files
/// give coordinates of about a metre to seven digits.
const EXACT: f64 = 1e-8;
/// A bound may exceed a best known depth by this fraction: the depths are verified, and printed with limited precision.
const PRINTED: f64 = 1e-6;

/// A pair of models with a depth that is known to suffice.
struct Case {
    name: String,
    models: [usize; 2],
    poses: [Isometry3<f64>; 2],
    depth: f64,
    tolerance: f64,
}

/// The poses of one file, of a mesh against itself.
fn soup(dir: &Path, name: &str) -> Result<(Vec<Model>, Vec<Case>)> {
    let mesh = read_mesh(dir.join(format!("soup/meshes/{name}.obj")))?;
    let solidity = Solidity::of(&mesh);
    let mut cases = Vec::new();
    for line in std::fs::read_to_string(dir.join(format!("soup/{name}.jsonl")))?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let of = |body: &str| pose(&case[body]["rotation"], &case[body]["translation"]);
        let depth = number(&case["best_known_depth"])?;
        let name = format!("{name} {}", case["pose"]);
        cases.push(Case {
            name,
            models: [0, 0],
            poses: [of("a")?, of("b")?],
            depth,
            tolerance: PRINTED * depth,
        });
    }
    Ok((vec![Model::new(mesh, solidity)], cases))
}

/// The exact cases of one set.
fn exact(dir: &Path, set: &str) -> Result<(Vec<Model>, Vec<Case>)> {
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("exact/exact.json"))?)?;
    let (mut models, mut cases) = (Vec::new(), Vec::new());
    for case in truth["cases"].as_array().ok_or("exact.json has no cases")? {
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        if text("set") != set {
            continue;
        }
        if models.is_empty() {
            for key in ["A_mesh", "B_mesh"] {
                models.push(Model::new(read_mesh(dir.join("exact").join(text(key)))?, Solidity::Solid));
            }
        }
        let poses = [pose(&case["A_R"], &case["A_t"])?, Isometry3::identity()];
        let (name, depth) = (text("id").to_owned(), number(&case["pd"])?);
        cases.push(Case { name, models: [0, 1], poses, depth, tolerance: EXACT });
    }
    Ok((models, cases))
}

/// One row; the number of bounds that are above the depth.
fn judge(name: &str, models: &[Model], cases: &[Case], bound: LowerBound) -> Result<usize> {
    let options = |lower_bound| TranslationalOptions {
        effort: Effort::Fast,
        lower_bound,
        ..TranslationalOptions::default()
    };
    let (mut ratios, mut failures, mut seconds, mut made) = (Vec::new(), 0, [0.0; 2], None);
    for Case { name, models: [a, b], poses: [pose_a, pose_b], depth, tolerance } in cases {
        let (a, b) = (&models[*a], &models[*b]);
        let timed = |bound| -> Result<_> {
            let start = Instant::now();
            let found = penetration(a, pose_a, b, pose_b, &options(bound))?.ok_or("reported apart")?;
            Ok((found.lower_bound, start.elapsed().as_secs_f64()))
        };
        // Once to build the structures that are built once; then the time of a query with a bound beyond that of one without.
        let (lower, first) = timed(bound)?;
        let fastest = |bound| -> Result<f64> {
            (0..9).try_fold(f64::INFINITY, |min: f64, _| Ok(min.min(timed(bound)?.1)))
        };
        let with_bound = fastest(bound)?;
        made.get_or_insert(first - with_bound);
        let without = fastest(LowerBound::Skip)?;
        seconds[0] += with_bound - without;
        seconds[1] += without;
        if !(lower <= depth + tolerance) {
            eprintln!("{name}: the bound {lower} is above {depth}");
            failures += 1;
        }
        ratios.push(lower / depth);
    }
    ratios.sort_by(f64::total_cmp);
    let count = ratios.len();
    let label = match bound {
        LowerBound::Cover { evaluations } => format!("cover {evaluations}"),
        LowerBound::Crossings { patches } => format!("crossings {patches}"),
        _ => "balls".to_owned(),
    };
    println!(
        "| {name} | {label} | {count} | {:.3} | {:.3} | {:.3} | {:.1} | {:.0} | {:.1} | {failures} |",
        ratios[count / 2],
        ratios.iter().sum::<f64>() / count as f64,
        ratios[0],
        1e6 * seconds[0] / count as f64,
        1e6 * seconds[1] / count as f64,
        1e3 * made.unwrap_or_default(),
    );
    Ok(failures)
}

/// Names of the files and sets that hold `only`.
fn names(dir: &Path, only: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir.join("soup"))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(stem) = name.strip_suffix(".jsonl")
            && !stem.ends_with(".poses")
        {
            names.push(stem.to_owned());
        }
    }
    names.sort();
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("exact/exact.json"))?)?;
    let sets = truth["cases"].as_array().into_iter().flatten();
    names.extend(sets.filter_map(|case| Some(format!("exact/{}", case["set"].as_str()?))));
    names.dedup();
    names.retain(|name| name.contains(only));
    Ok(names)
}

/// A bound of the command line.
fn parsed(text: &str) -> Result<LowerBound> {
    match text.split_once(':') {
        None if text == "balls" => Ok(LowerBound::InnerBalls),
        Some(("crossings", count)) => Ok(LowerBound::Crossings { patches: count.parse()? }),
        Some(("cover", count)) => Ok(LowerBound::Cover { evaluations: count.parse()? }),
        _ => Err(format!("`{text}` is not balls, crossings:PATCHES or cover:EVALUATIONS").into()),
    }
}

fn run() -> Result<usize> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: lower_bounds DIR [NAME [BOUND ...]]")?);
    let only = arguments.next().unwrap_or_default();
    let mut bounds = arguments.map(|argument| parsed(&argument)).collect::<Result<Vec<_>>>()?;
    if bounds.is_empty() {
        bounds = vec![LowerBound::InnerBalls, LowerBound::CROSSINGS];
    }
    println!("lower bound ÷ depth\n");
    println!(
        "| mesh | bound | poses | median | mean | minimum | µs | µs of the query | ms once | above |\n|---|---|---|---|---|---|---|---|---|---|"
    );
    let mut failures = 0;
    for name in names(&dir, &only)? {
        let (models, cases) = match name.strip_prefix("exact/") {
            Some(set) => exact(&dir, set)?,
            None => soup(&dir, &name)?,
        };
        for &bound in &bounds {
            failures += judge(&name, &models, &cases, bound)?;
        }
    }
    Ok(failures)
}

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
