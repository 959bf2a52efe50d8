//! Reads meshes as people use them, and compares collisions and distances with those of another library.
//!
//! ```text
//! cargo run --release --example real_meshes -- DIR
//! ```
//!
//! `DIR/collide_distance.jsonl` holds a pair a line: `a` and `b` (files, relative to `DIR`), `pose_a` and `pose_b` (`translation`,
//! and `rotation` as nine numbers, row by row), `collide`, `distance` (0 where they collide) and `size` (sum of both diagonals).
//! Meshes are surfaces. An answer is wrong when `collide` differs, or the distance by more than 1e-6 of the size. Exits with 1
//! when an answer is wrong or a file of a pair cannot be read.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a table")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use extricate::geometry::read::{FileScope, read_mesh_corrected};
use extricate::nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion};
use extricate::{Posed, Shape, query};
use serde_json::Value;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Maximum error of a distance, relative to the size.
const TOLERANCE: f64 = 1e-6;

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    numbers.try_into().ok()
}

fn pose(value: &Value) -> Option<Isometry3<f64>> {
    let rotation =
        Rotation3::from_matrix_unchecked(Matrix3::from_row_slice(&numbers::<9>(&value["rotation"])?));
    let translation = Translation3::from(numbers::<3>(&value["translation"])?);
    Some(Isometry3::from_parts(translation, UnitQuaternion::from_rotation_matrix(&rotation)))
}

/// The mesh of a file as a surface, with its corrections printed.
fn surface(path: &Path) -> Result<Shape> {
    let (mesh, corrections) = read_mesh_corrected(path, &FileScope::around(path))?;
    corrections.iter().for_each(|correction| println!("corrected: {correction}"));
    Ok(Shape::surface(mesh))
}

/// Times of a kind of query [ms].
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn measured<T>(&mut self, query: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let found = query();
        self.0.push(1e3 * start.elapsed().as_secs_f64());
        found
    }

    fn print(&mut self, name: &str) {
        self.0.sort_by(f64::total_cmp);
        let at = |fraction: usize| self.0.get((self.0.len() * fraction / 100).min(self.0.len().max(1) - 1));
        let [median, worst] = [at(50), at(100)].map(|time| time.copied().unwrap_or_default());
        println!("{name}: median {median:.3} ms, worst {worst:.3} ms");
    }
}

/// Answers every pair, and returns the number of wrong answers.
fn compare(folder: &Path) -> Result<usize> {
    let text = std::fs::read_to_string(folder.join("collide_distance.jsonl"))?;
    let mut shapes: BTreeMap<PathBuf, Shape> = BTreeMap::new();
    let (mut collisions, mut distances) = (Times::default(), Times::default());
    let (mut wrong, mut worst) = (0, (0.0, String::new()));
    for (index, line) in text.lines().enumerate() {
        let pair: Value = serde_json::from_str(line)?;
        let path = |key: &str| folder.join(pair[key].as_str().unwrap_or_default());
        for path in ["a", "b"].map(path) {
            if !shapes.contains_key(&path) {
                shapes.insert(path.clone(), surface(&path)?);
            }
        }
        let posed = |key: &str, at: &str| Some(Posed::new(&shapes[&path(key)], pose(&pair[at])?));
        let (Some(a), Some(b)) = (posed("a", "pose_a"), posed("b", "pose_b")) else {
            return Err(format!("line {}: a pose is missing", index + 1).into());
        };
        let collides = collisions.measured(|| query::collide(&a, &b, &Default::default()))?;
        let distance = distances.measured(|| query::distance(&a, &b, &Default::default()))?.value;
        let stated = (pair["collide"].as_bool(), pair["distance"].as_f64(), pair["size"].as_f64());
        let (Some(expected), Some(exact), Some(size)) = stated else {
            return Err(format!("line {}: an answer is missing", index + 1).into());
        };
        let error = (distance - exact).abs() / size;
        let name = format!("line {}, {} and {}", index + 1, pair["a"], pair["b"]);
        let is_right = collides == expected && error <= TOLERANCE;
        if !is_right {
            wrong += 1;
            println!("wrong: {name}: collides {collides} not {expected}, distance {distance} not {exact}");
        }
        if error > worst.0 {
            worst = (error, name);
        }
    }
    println!("{} pairs of {} meshes, {wrong} answers wrong", text.lines().count(), shapes.len());
    println!("worst error of a distance {:.1e} of the size: {}", worst.0, worst.1);
    collisions.print("collide");
    distances.print("distance");
    Ok(wrong)
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: real_meshes DIR");
        return ExitCode::from(2);
    };
    match compare(Path::new(&folder)) {
        Ok(wrong) => ExitCode::from(u8::from(wrong > 0)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}
