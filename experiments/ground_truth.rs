//! Judges translational penetration against ground truth and prints Markdown tables.
//!
//! ```text
//! cargo run --release --example ground_truth -- DIR [NAME]
//! ```
//!
//! `DIR` holds `soup/NAME.jsonl` (one colliding pose of a mesh and its copy a line, with `best_known_depth`, and
//! `je12_depth`, the answer of the original library) with `soup/meshes/NAME.obj`, and `exact/exact.json` (unions of
//! convex pieces with their exact depth). A *warm* query follows one a small motion away. Exits with 1 when an answer
//! fails, is not free or not tight, or when the bounds do not hold an exact depth.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

#[path = "truth/mod.rs"]
mod truth;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use extricate::geometry::Solidity;
use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use extricate::penetration::{
    Effort, LowerBound, MotionCoherence, Penetration, TranslationalOptions, penetration, penetration_coherent,
};
use extricate::proximity::{Model, collide};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use serde_json::Value;
use truth::{number, pose};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A depth may fall below the exact one by this much [m]: the exact depths belong to unrounded pieces, and the files
/// give coordinates of about a metre to seven digits.
const EXACT: f64 = 1e-8;

fn load(path: &Path, solid: bool) -> Result<Model> {
    let mesh = read_mesh(path)?;
    let solidity = if solid { Solidity::Solid } else { MeshReport::of(&mesh).solidity() };
    Ok(Model::new(mesh, solidity))
}

/// Two models at their poses, body to world.
#[derive(Clone, Copy)]
struct Pair<'a> {
    a: &'a Model,
    pose_a: Isometry3<f64>,
    b: &'a Model,
    pose_b: Isometry3<f64>,
}

/// Minimum time of a few runs [ms], and their result.
fn timed<T>(runs: u32, run: impl Fn() -> T) -> (T, f64) {
    let mut min = f64::INFINITY;
    let mut answer = None;
    for _ in 0..runs.max(1) {
        let start = Instant::now();
        answer = Some(run());
        min = min.min(start.elapsed().as_secs_f64() * 1e3);
    }
    (answer.expect("at least one run"), min)
}

impl Pair<'_> {
    fn ask(&self, options: &TranslationalOptions) -> Result<Penetration> {
        Ok(penetration(self.a, &self.pose_a, self.b, &self.pose_b, options)?.ok_or("reported apart")?)
    }

    /// Checks that the answer is free, and that 0.999 of it is not.
    fn check(&self, found: &Penetration) -> Result<()> {
        let moved = |fraction: f64| Translation3::from(fraction * found.translation) * self.pose_a;
        let collides = |fraction: f64| collide(self.a, &moved(fraction), self.b, &self.pose_b);
        if collides(1.0) || !collides(0.999) {
            return Err("the answer is not free, or not tight".into());
        }
        if !(found.lower_bound <= found.depth) {
            return Err("the lower bound is above the depth".into());
        }
        Ok(())
    }

    /// The answer here after one a small motion away: half a degree and a five-hundredth of the size.
    fn ask_warm(&self) -> Result<(Penetration, f64)> {
        let rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.5_f64.to_radians());
        let shift = Translation3::from(Vector3::new(2e-3, 0.0, 0.0) * self.a.radius());
        let center = self.pose_a * self.a.center();
        let mut before = self.pose_a;
        before.append_rotation_wrt_point_mut(&rotation, &center);
        let before = shift * before;
        let mut coherence = MotionCoherence::default();
        let best = TranslationalOptions { lower_bound: LowerBound::Skip, ..TranslationalOptions::default() };
        penetration_coherent((self.a, &before), (self.b, &self.pose_b), &best, &mut coherence)?;
        let fast = TranslationalOptions { effort: Effort::Fast, ..best };
        let poses = ((self.a, &self.pose_a), (self.b, &self.pose_b));
        let (mut found, mut min) = (None, f64::INFINITY);
        for _ in 0..3 {
            // Copied before the clock starts: a simulation has no copy to make.
            let mut coherence = coherence.clone();
            let start = Instant::now();
            found = penetration_coherent(poses.0, poses.1, &fast, &mut coherence)?;
            min = min.min(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok((found.ok_or("reported apart")?, min))
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Measurements of one file of poses.
#[derive(Default)]
struct Measured {
    ratios: Vec<f64>,
    milliseconds: Vec<f64>,
    warm_ratios: Vec<f64>,
    warm_milliseconds: Vec<f64>,
    bounds: Vec<f64>,
    original: Vec<f64>,
    failures: usize,
}

impl Measured {
    fn look(&mut self, pair: &Pair, best_known: f64, effort: Effort) -> Result<()> {
        let alone = TranslationalOptions {
            effort,
            lower_bound: LowerBound::Skip,
            parallel: false,
            ..TranslationalOptions::default()
        };
        let (found, milliseconds) = timed(if effort == Effort::Fast { 5 } else { 1 }, || pair.ask(&alone));
        pair.check(&found?)?;
        let bounded = pair.ask(&TranslationalOptions { effort, ..TranslationalOptions::default() })?;
        pair.check(&bounded)?;
        let (warm, warm_milliseconds) = pair.ask_warm()?;
        pair.check(&warm)?;
        self.ratios.push(bounded.depth / best_known);
        self.milliseconds.push(milliseconds);
        self.warm_ratios.push(warm.depth / best_known);
        self.warm_milliseconds.push(warm_milliseconds);
        self.bounds.push(bounded.lower_bound / bounded.depth);
        Ok(())
    }

    fn row(self, name: &str, triangles: usize) -> String {
        let (ratios, bounds) = (sorted(self.ratios), sorted(self.bounds));
        let median = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or(f64::NAN);
        format!(
            "| {name} | {triangles} | {} | {:.3} | {:.3} | {:.2} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} | {} |",
            ratios.len(),
            mean(&ratios),
            median(&ratios),
            ratios.last().copied().unwrap_or(f64::NAN),
            mean(&self.original),
            mean(&self.milliseconds),
            mean(&self.warm_ratios),
            mean(&self.warm_milliseconds),
            median(&bounds),
            self.failures
        )
    }
}

/// One row for a file of poses; the number of failures.
fn judge_soup(dir: &Path, file: &Path, effort: Effort) -> Result<usize> {
    let name = file.file_stem().and_then(|stem| stem.to_str()).ok_or("a file name")?;
    let model = load(&dir.join(format!("soup/meshes/{name}.obj")), false)?;
    let mut measured = Measured::default();
    for line in std::fs::read_to_string(file)?.lines() {
        let case: Value = serde_json::from_str(line)?;
        let place = |body: &str| pose(&case[body]["rotation"], &case[body]["translation"]);
        let pair = Pair { a: &model, pose_a: place("a")?, b: &model, pose_b: place("b")? };
        let best_known = number(&case["best_known_depth"])?;
        measured.original.push(number(&case["je12_depth"])? / best_known);
        if let Err(why) = measured.look(&pair, best_known, effort) {
            eprintln!("{name} {}: {why}", case["pose"]);
            measured.failures += 1;
        }
    }
    let failures = measured.failures;
    println!("{}", measured.row(name, model.mesh().triangles().len()));
    Ok(failures)
}

/// One row for each set of exact cases; the number of answers that fail or whose bounds do not hold the exact depth.
fn judge_exact(dir: &Path, effort: Effort) -> Result<usize> {
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(dir.join("exact/exact.json"))?)?;
    let mut sets: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    let mut failures = 0;
    let options = TranslationalOptions { effort, ..TranslationalOptions::default() };
    for case in truth["cases"].as_array().ok_or("exact.json has no cases")? {
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        let [a, b] = ["A_mesh", "B_mesh"].map(|key| load(&dir.join("exact").join(text(key)), true));
        let (a, b, pose_a) = (a?, b?, pose(&case["A_R"], &case["A_t"])?);
        let pair = Pair { a: &a, pose_a, b: &b, pose_b: Isometry3::identity() };
        let exact = number(&case["pd"])?;
        match pair.ask(&options).and_then(|found| pair.check(&found).map(|()| found)) {
            Ok(found) => {
                if found.depth < exact - EXACT || found.lower_bound > exact + EXACT {
                    let (lower, upper) = (found.lower_bound, found.depth);
                    eprintln!("{}: {lower} to {upper} does not hold the exact {exact}", text("id"));
                    failures += 1;
                }
                let ratios = [found.depth, found.lower_bound].map(|depth| depth / exact);
                sets.entry(text("set")).or_default().push(ratios);
            }
            Err(why) => {
                eprintln!("{}: {why}", text("id"));
                failures += 1;
            }
        }
    }
    let all = sets.values().flatten().copied().collect::<Vec<_>>();
    for (set, ratios) in sets.into_iter().chain([("all".to_owned(), all)]) {
        let upper = sorted(ratios.iter().map(|ratios| ratios[0]).collect());
        let lower = sorted(ratios.iter().map(|ratios| ratios[1]).collect());
        let within = |bar: f64| upper.iter().filter(|&&ratio| ratio <= 1.0 + bar).count();
        println!(
            "| {set} | {} | {} | {} | {:.3} | {:.2} | {:.2} |",
            upper.len(),
            within(1e-6),
            within(0.05),
            mean(&upper),
            upper[upper.len() - 1],
            lower[lower.len() / 2]
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
        println!(
            "| mesh | triangles | poses | mean | median | worst | Je12 mean | ms | warm mean | warm ms | lower ÷ depth, median | failed |"
        );
        println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        for file in &files {
            failures += judge_soup(&dir, file, effort)?;
        }
        if only.is_empty() {
            println!("\n{effort:?}: depth ÷ exact\n");
            println!("| set | cases | within 1e-6 | within 5 % | mean | worst | lower ÷ exact, median |");
            println!("|---|--:|--:|--:|--:|--:|--:|");
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
