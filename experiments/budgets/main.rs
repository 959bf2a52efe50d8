//! Time budgets of queries on meshes of other people, and a search for slow inputs:
//!
//! ```text
//! cargo run --release --example budgets -- DIR [--budget 0.05]
//! cargo run --release --example budgets -- DIR --search 600 [--seed 1] [--families]
//! ```
//!
//! The first form asks every pair of the meshes below `DIR`, each scaled to a radius of one, at a random overlapping pose, every kind of
//! query; those that have a `time_budget` get it. Prints the five slowest of each kind, and exits with 1 when one of a kind with a
//! budget took more than 1.2 times of it and 5 ms. The second form asks random kinds of random inputs for some seconds: two
//! meshes, unions of transformed copies that overlap themselves, and nearly coincident copies; with `--families`, meshes that strain
//! trees and searches in place of those below `DIR`. It prints the ten slowest with the number by which `--case` repeats them, with the
//! same `--kind`.
//!
//! A query that takes too long is asked once more, and the smaller time counts: on a busy machine a thread may wait.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program that prints tables and counts"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser;
use extricate::geometry::TriangleMesh;
use extricate::geometry::read::{FileScope, read_mesh_corrected};
use extricate::nalgebra::{Isometry3, Point3};
use extricate::{Posed, Shape};

mod families;
mod kinds;
mod random;

use kinds::Kind;
use random::Random;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Slowest queries that are printed of each kind.
const SLOWEST: usize = 5;
/// Slowest queries that a search prints.
const SLOWEST_OF_SEARCH: usize = 10;
/// Seconds that a query without a budget may take; and those of kinds whose bounds are a million steps or pairs.
const WITHOUT_BUDGET: f64 = 1.0;
const OF_MANY_STEPS: f64 = 2.5;

/// Time budgets of queries on meshes of other people, and a search for slow inputs.
#[derive(Debug, Parser)]
struct Arguments {
    /// Folder of meshes, with the folders in it.
    folder: PathBuf,
    /// Time budget of a query [s].
    #[arg(long, default_value_t = 0.05)]
    budget: f64,
    /// Only kinds of queries whose name contains this.
    #[arg(long, default_value = "")]
    kind: String,
    /// Searches for slow inputs for so many seconds instead.
    #[arg(long)]
    search: Option<f64>,
    /// Seed of the poses and of the search.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Searches among families of meshes that strain trees and searches, in place of those of the folder.
    #[arg(long)]
    families: bool,
    /// Repeats a case of the search.
    #[arg(long)]
    case: Option<u64>,
}

/// A mesh about the origin with a radius of one.
fn normalized(mesh: &TriangleMesh) -> Result<TriangleMesh> {
    let aabb = mesh.aabb();
    let (center, radius) = (aabb.center(), 0.5 * aabb.extents().norm());
    let vertices = mesh.vertices().iter().map(|vertex| Point3::from((vertex - center) / radius));
    Ok(TriangleMesh::new(vertices.collect(), mesh.triangles().to_vec())?)
}

/// The meshes below a folder, sorted by path, by the names of their files.
fn meshes(folder: &Path) -> Result<Vec<(String, TriangleMesh)>> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let read = files.iter().filter_map(|path| {
        let (mesh, _) = read_mesh_corrected(path, &FileScope::around(path)).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        Some((name, normalized(&mesh).ok()?))
    });
    Ok(read.collect())
}

/// A query with its time.
#[derive(Debug, Clone)]
struct Timed {
    seconds: f64,
    text: String,
}

/// The slowest of some queries, slowest first.
fn slowest(mut timed: Vec<Timed>, count: usize) -> Vec<Timed> {
    timed.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    timed.truncate(count);
    timed
}

/// Time that a query may take [s].
fn bound(kind: Kind, budget: f64) -> f64 {
    match kind {
        Kind::TimeOfContact | Kind::LocalUnlimited | Kind::RigidUnlimited | Kind::DistanceUnlimited => {
            OF_MANY_STEPS
        }
        _ if kind.has_budget() => 1.2 * budget + 5e-3,
        _ => WITHOUT_BUDGET,
    }
}

/// Asks a query; once more where it took longer than it may.
fn timed(kind: Kind, a: &Posed, b: &Posed, budget: f64) -> (f64, &'static str) {
    let ask = || {
        let started = Instant::now();
        let outcome = kind.ask(a, b, Duration::from_secs_f64(budget));
        (started.elapsed().as_secs_f64(), outcome)
    };
    let first = ask();
    if first.0 <= bound(kind, budget) {
        return first;
    }
    let second = ask();
    if second.0 < first.0 { second } else { first }
}

/// Asks all kinds of queries of all pairs; whether all of those with a budget kept it.
fn table(arguments: &Arguments, meshes: &[(String, TriangleMesh)], kinds: Vec<Kind>) -> bool {
    let shapes: Vec<_> = meshes.iter().map(|(_, mesh)| Shape::mesh(mesh.clone())).collect();
    let started = Instant::now();
    shapes.iter().for_each(Shape::prepare);
    eprintln!("{} meshes prepared in {:.1} s", shapes.len(), started.elapsed().as_secs_f64());
    let mut all_kept = true;
    println!("| query | pairs | within its bound | slowest |\n|---|--:|--:|---|");
    for kind in kinds {
        let mut random = Random(arguments.seed);
        let (mut times, mut outcomes) = (Vec::new(), BTreeMap::new());
        for (i, a) in shapes.iter().enumerate() {
            for (j, b) in shapes.iter().enumerate().skip(i) {
                let pose = if i == j { random.pose(1e-3, 1e-3) } else { random.pose(3.0, 0.8) };
                let (a, b) = (Posed::new(a, pose), Posed::at_origin(b));
                let (seconds, outcome) = timed(kind, &a, &b, arguments.budget);
                let text = format!("{:.0} ms {} and {} ({outcome})", 1e3 * seconds, meshes[i].0, meshes[j].0);
                if seconds > bound(kind, arguments.budget) {
                    eprintln!("{}: {text}", kind.name());
                }
                *outcomes.entry(outcome).or_insert(0_u32) += 1;
                times.push(Timed { seconds, text });
            }
        }
        let bound = bound(kind, arguments.budget);
        let kept = times.iter().filter(|timed| timed.seconds <= bound).count();
        let (count, fraction) = (times.len(), 100.0 * kept as f64 / times.len() as f64);
        all_kept &= kept == count || !kind.has_budget();
        let slowest: Vec<_> = slowest(times, SLOWEST).into_iter().map(|timed| timed.text).collect();
        let name = kind.name();
        eprintln!("{name}: {outcomes:?}");
        println!("| {name} | {count} | {fraction:.2} % of {:.0} ms | {} |", 1e3 * bound, slowest.join("; "));
    }
    all_kept
}

/// A random body: a mesh, or a union of transformed copies of one or two.
fn body(random: &mut Random, meshes: &[(String, TriangleMesh)]) -> Result<(String, TriangleMesh)> {
    /// Maximum number of triangles of a union.
    const MAX: usize = 200_000;
    let (name, mesh) = &meshes[random.below(meshes.len())];
    if random.unit() < 0.5 {
        return Ok((name.clone(), mesh.clone()));
    }
    let copies = 2 + random.below(5);
    let spread = [1e-9, 1e-3, 0.1, 0.5][random.below(4)];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for _ in 0..copies {
        if triangles.len() + mesh.triangles().len() > MAX && !triangles.is_empty() {
            break;
        }
        let pose = random.pose(spread, spread);
        let first = vertices.len() as u32;
        vertices.extend(mesh.vertices().iter().map(|vertex| pose * vertex));
        triangles.extend(mesh.triangles().iter().map(|corners| corners.map(|corner| corner + first)));
    }
    Ok((format!("{copies} × {name} within {spread}"), TriangleMesh::new(vertices, triangles)?))
}

/// A case of the search by its number: two shapes, the pose of the first, and the kind of query.
fn case(
    number: u64,
    meshes: &[(String, TriangleMesh)],
    kinds: &[Kind],
) -> Result<(String, [Shape; 2], Isometry3<f64>, Kind)> {
    let mut random = Random(number);
    let (name, mesh) = body(&mut random, meshes)?;
    let first = Shape::mesh(mesh);
    let (other, second) = if random.unit() < 0.3 {
        ("itself".to_owned(), first.clone())
    } else {
        let (name, mesh) = body(&mut random, meshes)?;
        (name, Shape::mesh(mesh))
    };
    let near = [1e-12, 1e-6, 1e-2, 0.3, 0.8][random.below(5)];
    let pose = random.pose(if near < 0.1 { near } else { 3.0 }, near);
    let kind = kinds[random.below(kinds.len())];
    Ok((format!("{}: {name} and {other}, {near} apart", kind.name()), [first, second], pose, kind))
}

/// Kinds of queries that are asked for.
fn wanted_kinds(arguments: &Arguments) -> Result<Vec<Kind>> {
    let kinds: Vec<_> = Kind::ALL.into_iter().filter(|kind| kind.name().contains(&arguments.kind)).collect();
    if kinds.is_empty() {
        Err(format!("no kind of query contains {:?}", arguments.kind).into())
    } else {
        Ok(kinds)
    }
}

/// Says every ten seconds how long the present case has taken.
struct Monitor(Arc<Mutex<(Instant, String)>>);

impl Monitor {
    fn new() -> Self {
        const PERIOD: Duration = Duration::from_secs(10);
        let present = Arc::new(Mutex::new((Instant::now(), String::new())));
        let shown = Arc::clone(&present);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(PERIOD);
                let Ok(present) = shown.lock() else { return };
                if present.0.elapsed() > PERIOD {
                    eprintln!("after {:.0} s: {}", present.0.elapsed().as_secs_f64(), present.1);
                }
            }
        });
        Self(present)
    }

    fn begin(&self, text: String) {
        if let Ok(mut present) = self.0.lock() {
            *present = (Instant::now(), text);
        }
    }
}

/// As [`case`], of the families.
fn case_of_families(number: u64, kinds: &[Kind]) -> Result<(String, [Shape; 2], Isometry3<f64>, Kind)> {
    let (text, shapes, pose, mut random) = families::case(number)?;
    let kind = kinds[random.below(kinds.len())];
    Ok((format!("{}: {text}", kind.name()), shapes, pose, kind))
}

/// Asks random cases for some seconds.
fn search(arguments: &Arguments, meshes: &[(String, TriangleMesh)], seconds: f64) -> Result<bool> {
    let started = Instant::now();
    let mut found: Vec<(f64, Timed)> = Vec::new();
    let mut numbers = Random(arguments.seed);
    let (mut cases, mut beyond) = (0_u64, 0_u64);
    let (kinds, monitor) = (wanted_kinds(arguments)?, Monitor::new());
    while started.elapsed().as_secs_f64() < seconds {
        let number = arguments.case.unwrap_or_else(|| numbers.next());
        let of_meshes = || case(number, meshes, &kinds);
        let made = if arguments.families { case_of_families(number, &kinds) } else { of_meshes() };
        let (text, [a, b], pose, kind) = match made {
            // A millionth of some meshes is below the arithmetic.
            Err(_) if arguments.case.is_none() => continue,
            made => made?,
        };
        monitor.begin(format!("--case {number}: preparation of {text}"));
        [&a, &b].into_iter().for_each(Shape::prepare);
        monitor.begin(format!("--case {number}: {text}"));
        let (a, b) = (Posed::new(&a, pose), Posed::at_origin(&b));
        let (seconds, outcome) = timed(kind, &a, &b, arguments.budget);
        cases += 1;
        let ratio = seconds / bound(kind, arguments.budget);
        beyond += u64::from(ratio > 1.0);
        let text =
            format!("{:.0} ms, {ratio:.2} of its bound, --case {number}: {text} ({outcome})", 1e3 * seconds);
        if ratio > 1.0 {
            eprintln!("{text}");
        }
        found.push((ratio, Timed { seconds, text }));
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.truncate(SLOWEST_OF_SEARCH);
        if arguments.case.is_some() {
            break;
        }
    }
    println!("{cases} cases, {beyond} beyond their bounds; the slowest:");
    found.iter().for_each(|(_, timed)| println!("- {}", timed.text));
    Ok(beyond == 0)
}

fn run(arguments: &Arguments) -> Result<bool> {
    let meshes = meshes(&arguments.folder)?;
    if meshes.is_empty() {
        return Err(format!("no meshes below {}", arguments.folder.display()).into());
    }
    match (arguments.search, arguments.case) {
        (None, None) => Ok(table(arguments, &meshes, wanted_kinds(arguments)?)),
        (seconds, _) => search(arguments, &meshes, seconds.unwrap_or(f64::INFINITY)),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
