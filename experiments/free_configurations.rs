//! Value of each source of free configurations: prints a Markdown table for each file of poses.
//!
//! ```text
//! cargo run --release --example free_configurations -- DIR [NAME]
//! ```
//!
//! `DIR` holds `soup/NAME.jsonl` with poses and best known depths, and `soup/meshes/NAME.obj`. For each source: the
//! fraction of poses for which it has a start, the mean of depth ÷ best known depth of one walk (`fast`) and of up to ten
//! (`best`), the milliseconds of a query, and the mean when one walk from the centroid difference is tried as well.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

#[path = "truth/mod.rs"]
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use extricate::geometry::read::read_mesh;
use extricate::geometry::report::MeshReport;
use extricate::penetration::PenetrationError;
use extricate::penetration::{Effort, FreeConfiguration, LowerBound, TranslationalOptions, penetration};
use extricate::proximity::Model;
use nalgebra::Isometry3;
use serde_json::Value;
use truth::{number, pose};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const SOURCES: [FreeConfiguration; 7] = [
    FreeConfiguration::CentroidDifference,
    FreeConfiguration::MaximallyClear,
    FreeConfiguration::Sampled,
    FreeConfiguration::Random,
    FreeConfiguration::FaceNormals,
    FreeConfiguration::PrincipalAxes,
    FreeConfiguration::Spread,
];

/// A pose of A against B at the origin, and the best known depth [m].
struct Case {
    pose: Isometry3<f64>,
    best: f64,
}

fn case(line: &str) -> Result<Case> {
    let line: Value = serde_json::from_str(line)?;
    let place = |body: &str| pose(&line[body]["rotation"], &line[body]["translation"]);
    let best = number(&line["best_known_depth"])?;
    Ok(Case { pose: place("b")?.inv_mul(&place("a")?), best })
}

/// Depths ÷ best known ones, `None` where the source has no start, and the mean milliseconds of a query.
fn ask(
    model: &Model,
    cases: &[Case],
    start: Option<FreeConfiguration>,
    effort: Effort,
) -> Result<(Vec<Option<f64>>, f64)> {
    let options = TranslationalOptions {
        effort,
        start,
        lower_bound: LowerBound::Skip,
        ..TranslationalOptions::default()
    };
    let begun = Instant::now();
    let ratio = |case: &Case| match penetration(model, &case.pose, model, &Isometry3::identity(), &options) {
        Ok(Some(found)) => Ok(Some(found.depth / case.best)),
        Err(PenetrationError::NoFreeConfiguration { .. }) => Ok(None),
        Ok(None) => Err("reported apart".into()),
        Err(error) => Err(error.into()),
    };
    let ratios = cases.iter().map(ratio).collect::<Result<Vec<_>>>()?;
    Ok((ratios, begun.elapsed().as_secs_f64() * 1e3 / cases.len() as f64))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count)
}

fn judge(dir: &Path, name: &str) -> Result<()> {
    let mesh = read_mesh(dir.join(format!("soup/meshes/{name}.obj")))?;
    let solidity = MeshReport::of(&mesh).solidity();
    let model = Model::new(mesh, solidity);
    let lines = std::fs::read_to_string(dir.join(format!("soup/{name}.jsonl")))?;
    let cases = lines.lines().map(case).collect::<Result<Vec<_>>>()?;
    let begun = Instant::now();
    let clear = model.clear_configurations();
    println!(
        "\n{name}: {} triangles, {} poses, {} holes and {} parts of flesh in {:.1} ms\n",
        model.mesh().triangles().len(),
        cases.len(),
        clear.free().len(),
        clear.interior().len(),
        begun.elapsed().as_secs_f64() * 1e3
    );
    println!(
        "| source | has a start | fast | ms | fast or centroid | best | ms |\n|---|---|---|---|---|---|---|"
    );
    ask(&model, &cases, None, Effort::Fast)?;
    let (centroid, _) = ask(&model, &cases, Some(FreeConfiguration::CentroidDifference), Effort::Fast)?;
    let sources = SOURCES.into_iter().map(Some).chain([None]);
    for source in sources {
        let (fast, fast_ms) = ask(&model, &cases, source, Effort::Fast)?;
        let (best, best_ms) = ask(&model, &cases, source, Effort::Best)?;
        let either = fast.iter().zip(&centroid).filter_map(|pair| match pair {
            (Some(x), Some(y)) => Some(x.min(*y)),
            (x, y) => x.or(*y),
        });
        println!(
            "| {} | {:.0} % | {:.3} | {fast_ms:.3} | {:.3} | {:.3} | {best_ms:.3} |",
            source.map_or("policy".to_owned(), |source| source.to_string()),
            100.0 * mean(fast.iter().map(|x| f64::from(u8::from(x.is_some())))),
            mean(fast.iter().flatten().copied()),
            mean(either),
            mean(best.iter().flatten().copied()),
        );
    }
    Ok(())
}

fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: free_configurations DIR [NAME]")?);
    let only = arguments.next().unwrap_or_default();
    let entries = std::fs::read_dir(dir.join("soup"))?.collect::<std::io::Result<Vec<_>>>()?;
    let names = entries
        .iter()
        .filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".jsonl")?.to_owned()));
    let mut names =
        names.filter(|name| !name.ends_with(".poses") && name.contains(&only)).collect::<Vec<_>>();
    names.sort();
    names.iter().try_for_each(|name| judge(&dir, name))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(3)
        }
    }
}
