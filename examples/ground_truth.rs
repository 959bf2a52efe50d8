//! Judges translational penetration against ground truth and prints Markdown tables.
//!
//! ```text
//! cargo run --release --example ground_truth -- DIR [NAME]
//! ```
//!
//! `DIR` holds `soup/NAME.jsonl` (one colliding pose of a mesh and its copy a line, with `best_known_depth`, and
//! `je12_depth`, the answer of the original library) with `soup/meshes/NAME.obj`, and `exact/exact.json` (unions of
//! convex pieces with their exact depth). Exits with 1 when an answer fails, is not free, or is below an exact depth.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use extricate::penetration::{Effort, Penetration, TranslationalOptions, penetration};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A depth may fall below the exact one by this much [m]: the exact depths belong to unrounded pieces, and the files
/// give coordinates of about a metre to seven digits.
const EXACT: f64 = 1e-8;

fn load(path: &Path, solid: bool) -> Result<Model> {
    let mesh = read_mesh(path)?;
    let solidity = if solid { Solidity::Solid } else { MeshReport::of(&mesh).solidity() };
    Ok(Model::new(mesh, solidity))
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| format!("{value} is not a number").into())
}

/// The numbers of an array, nested or flat.
fn numbers(value: &Value) -> Result<Vec<f64>> {
    let items = value.as_array().ok_or_else(|| format!("{value} is not an array"))?;
    let nested =
        items.iter().map(|item| if item.is_array() { numbers(item) } else { Ok(vec![number(item)?]) });
    Ok(nested.collect::<Result<Vec<_>>>()?.concat())
}

fn pose(rotation: &Value, translation: &Value) -> Result<Isometry3<f64>> {
    let translation = Vector3::from_column_slice(&numbers(translation)?);
    let rotation = Matrix3::from_row_slice(&numbers(rotation)?);
    let turned = UnitQuaternion::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(rotation));
    Ok(Isometry3::from_parts(translation.into(), turned))
}

/// The answer, after a check that it is free and that 0.999 of it is not.
fn verified(
    a: &Model,
    pose_a: &Isometry3<f64>,
    b: &Model,
    pose_b: &Isometry3<f64>,
    effort: Effort,
) -> Result<Penetration> {
    let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
    let found = penetration(a, pose_a, b, pose_b, &options)?.ok_or("reported apart")?;
    let moved = |share: f64| Translation3::from(share * found.translation) * pose_a;
    if collide(a, &moved(1.0), b, pose_b) || !collide(a, &moved(0.999), b, pose_b) {
        return Err("the answer is not free, or not tight".into());
    }
    Ok(found)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// One row for a file of poses; the number of failures.
fn judge_soup(dir: &Path, file: &Path, effort: Effort) -> Result<usize> {
    let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or("a file name")?;
    let model = load(&dir.join(format!("soup/meshes/{name}.obj")), false)?;
    let (mut ratios, mut original, mut milliseconds, mut failures) = (vec![], vec![], vec![], 0);
    for line in std::fs::read_to_string(file)?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let pose_a = pose(&case["a"]["rotation"], &case["a"]["translation"])?;
        let pose_b = pose(&case["b"]["rotation"], &case["b"]["translation"])?;
        let best = number(&case["best_known_depth"])?;
        original.push(number(&case["je12_depth"])? / best);
        let start = Instant::now();
        let answer = verified(&model, &pose_a, &model, &pose_b, effort);
        milliseconds.push(start.elapsed().as_secs_f64() * 1e3);
        match answer {
            Ok(found) => ratios.push(found.depth / best),
            Err(why) => {
                eprintln!("{name} {}: {why}", case["pose"]);
                failures += 1;
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let (median, worst) = (ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
    println!(
        "| {name} | {} | {} | {:.3} | {median:.3} | {worst:.2} | {:.3} | {:.2} | {failures} |",
        model.mesh().triangles().len(),
        ratios.len(),
        mean(&ratios),
        mean(&original),
        mean(&milliseconds),
    );
    Ok(failures)
}

/// One row for each set of exact cases; the number of answers that fail or fall below the exact depth.
fn judge_exact(dir: &Path, effort: Effort) -> Result<usize> {
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("exact/exact.json"))?)?;
    let mut sets: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut failures = 0;
    for case in truth["cases"].as_array().ok_or("exact.json has no cases")? {
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let [a, b] = ["A_mesh", "B_mesh"].map(|key| load(&dir.join("exact").join(text(key)), true));
        let pose_a = pose(&case["A_R"], &case["A_t"])?;
        let exact = number(&case["pd"])?;
        match verified(&a?, &pose_a, &b?, &Isometry3::identity(), effort) {
            Ok(found) => {
                if found.depth < exact - EXACT {
                    eprintln!("{}: {} is below the exact {exact}", text("id"), found.depth);
                    failures += 1;
                }
                sets.entry(text("set")).or_default().push(found.depth / exact);
            }
            Err(why) => {
                eprintln!("{}: {why}", text("id"));
                failures += 1;
            }
        }
    }
    let all = sets.values().flatten().copied().collect::<Vec<_>>();
    for (set, ratios) in sets.into_iter().chain([("all".to_owned(), all)]) {
        let within = |bar: f64| ratios.iter().filter(|&&ratio| ratio <= 1.0 + bar).count();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        println!(
            "| {set} | {} | {} | {} | {:.3} | {worst:.2} |",
            ratios.len(),
            within(1e-6),
            within(0.05),
            mean(&ratios)
        );
    }
    Ok(failures)
}

fn run() -> Result<usize> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: ground_truth DIR [NAME]")?);
    let only = arguments.next().unwrap_or_default();
    let has_truth = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".jsonl") && !name.ends_with(".poses.jsonl") && name.contains(&only)
    };
    let entries = std::fs::read_dir(dir.join("soup"))?.collect::<std::io::Result<Vec<_>>>()?;
    let mut files = entries.iter().map(std::fs::DirEntry::path).filter(has_truth).collect::<Vec<_>>();
    files.sort();
    let mut failures = 0;
    for effort in [Effort::Fast, Effort::Best] {
        println!("\n{effort:?}: depth ÷ best known\n");
        println!("| mesh | triangles | poses | mean | median | worst | Je12 mean | ms | failed |");
        println!("|---|---|---|---|---|---|---|---|---|");
        for file in &files {
            failures += judge_soup(&dir, file, effort)?;
        }
        if only.is_empty() {
            println!("\n{effort:?}: depth ÷ exact\n");
            println!("| set | cases | within 1e-6 | within 5 % | mean | worst |\n|---|---|---|---|---|---|");
            failures += judge_exact(&dir, effort)?;
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
