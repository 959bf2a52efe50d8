//! Growth of the time of queries with the number of triangles, from a thousand to a million:
//!
//! ```text
//! cargo run --release --example growth -- [--out docs/pictures/growth.svg] [--most 1000000]
//! ```
//!
//! Two families of shapes, each the same shape at every size: a boulder like a scan and a torus knot. Prints a Markdown
//! table and draws the times with the exponents of their power laws. Times are medians of CPU time over poses in which a
//! mesh and its copy overlap by half their size; that of the build on all threads is wall-clock time. Every answer is
//! verified; exits with 1 when one is not free.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

#[path = "../chart/mod.rs"]
mod chart;
mod measure;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use chart::{Panel, Series};
use clap::Parser;
use extricate::geometry::ShapeError;
use extricate::geometry::TriangleMesh;
use extricate::geometry::procedural::{Blob, Procedural, TorusKnot};
use measure::{KINDS, Measured};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Growth of the time of queries with the number of triangles.
#[derive(Debug, Parser)]
struct Arguments {
    /// File of the picture.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Maximum number of triangles.
    #[arg(long, default_value_t = 1_010_000)]
    most: u32,
    /// Poses of each mesh.
    #[arg(long, default_value_t = 12)]
    poses: usize,
}

/// Shapes of the same form with different numbers of triangles.
struct Family {
    name: &'static str,
    /// The member with about this number of triangles.
    member: fn(f64) -> std::result::Result<TriangleMesh, ShapeError>,
}

const FAMILIES: [Family; 2] = [
    Family {
        name: "blob",
        // 20 n² triangles.
        member: |triangles| {
            Blob { frequency: (triangles / 20.0).sqrt().round() as u32, ..Blob::default() }.mesh()
        },
    },
    Family {
        name: "torus knot",
        // 2 · 14 n · n triangles: square ones, nearly.
        member: |triangles| {
            let sides = (triangles / 28.0).sqrt().round() as u32;
            TorusKnot { sides, segments: 14 * sides, ..TorusKnot::default() }.mesh()
        },
    },
];

/// Numbers of triangles: two a decade.
fn sizes(most: u32) -> Vec<f64> {
    let sizes = (0..).map(|i| 1000.0 * 10_f64.powf(f64::from(i) / 2.0));
    sizes.take_while(|&size| size <= f64::from(most)).collect()
}

/// Exponent and factor of the power law y = c xᵖ through the points: least squares of the logarithms.
fn power_law(points: &[[f64; 2]]) -> [f64; 2] {
    let logs: Vec<_> = points.iter().map(|point| point.map(f64::ln)).collect();
    let mean = |axis: usize| logs.iter().map(|log| log[axis]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let covariance: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    let variance: f64 = logs.iter().map(|log| (log[0] - x).powi(2)).sum();
    let exponent = covariance / variance;
    [exponent, (y - exponent * x).exp()]
}

/// The points of one kind of query over all sizes: triangles and milliseconds.
fn points(of: &[Measured], kind: usize) -> Vec<[f64; 2]> {
    of.iter().map(|measured| [measured.triangles as f64, measured.milliseconds[kind]]).collect()
}

fn panel(title: String, measured: &[Measured], kinds: std::ops::Range<usize>) -> Panel {
    let first = kinds.start;
    let series = kinds.map(|kind| {
        let points = points(measured, kind);
        let label = format!("{}: n^{:.2}", KINDS[kind], power_law(&points)[0]);
        Series { label, points, color: kind - first, dashed: false, marked: true }
    });
    let axes = ["triangles of each of two meshes".to_owned(), "CPU time [ms]".to_owned()];
    Panel { title, axes, logarithmic: true, series: series.collect() }
}

/// Prints the table of a family.
fn print(name: &str, measured: &[Measured]) {
    println!("\n### {name}: ms\n\n| triangles | {} | B a triangle |", KINDS.join(" | "));
    println!("|--:|{}--:|", "--:|".repeat(KINDS.len()));
    for row in measured {
        let times = row.milliseconds.map(|ms| format!("{ms:.4}")).join(" | ");
        println!("| {} | {times} | {:.0} |", row.triangles, row.bytes);
    }
    let exponent = |kind| format!("n^{:.2}", power_law(&points(measured, kind))[0]);
    println!("| growth | {} | |", (0..KINDS.len()).map(exponent).collect::<Vec<_>>().join(" | "));
}

fn run(arguments: &Arguments) -> Result<()> {
    let mut panels = Vec::new();
    for family in &FAMILIES {
        let mut measured = Vec::new();
        for size in sizes(arguments.most) {
            measured.push(measure::measure(&(family.member)(size)?, arguments.poses)?);
        }
        print(family.name, &measured);
        panels.push(panel(format!("{}: queries", family.name), &measured, 0..measure::QUERIES));
        let build = measure::QUERIES..KINDS.len();
        panels.push(panel(format!("{}: building the tree", family.name), &measured, build));
    }
    if let Some(out) = &arguments.out {
        if let Some(folder) = out.parent() {
            std::fs::create_dir_all(folder)?;
        }
        chart::draw(out, 2, &panels)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_of_a_power_law_finds_it() {
        let points = [1.0, 7.0, 50.0, 900.0].map(|x: f64| [x, 3.0 * x.powf(0.7)]);
        let [exponent, factor] = power_law(&points);
        assert!((exponent - 0.7).abs() < 1e-12 && (factor - 3.0).abs() < 1e-12, "{factor} x^{exponent}");
    }

    #[test]
    fn the_members_of_a_family_have_about_as_many_triangles_as_asked_for() {
        for family in &FAMILIES {
            for size in sizes(100_000) {
                let ratio = (family.member)(size).unwrap().triangles().len() as f64 / size;
                assert!((0.8..1.2).contains(&ratio), "{} of {size}: {ratio}", family.name);
            }
        }
    }

    #[test]
    fn the_shortest_run_answers_every_query_with_a_free_translation() {
        run(&Arguments { out: None, most: 4000, poses: 2 }).unwrap();
    }
}
