//! A soft cube of 1 m dropped from half a metre on a floor: time of a step by phase, growth with the number of
//! elements, and the same bits with one thread and two. Reads the meshes of `../shared/data/fem/meshes`, or builds
//! cubes of the same numbers of elements.
//!
//! `cargo run --release --example dropped_cube [steps] [young] [mesh]`

#![expect(clippy::print_stdout, reason = "an example prints")]

use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::interaction::{Interaction, OuterProducts};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::{NewtonOptions, SoftStepReport, SoftSystem, StepOptions};
use extricate::geometry::TetMesh;
use nalgebra::{Point3, Vector3};

/// A floor at z = 0 that pushes nodes back with `stiffness` [N/m] each.
struct Floor {
    stiffness: Vec<f64>,
}

impl Interaction for Floor {
    fn energy(&mut self, x: &[Vector3<f64>]) -> f64 {
        x.iter().zip(&self.stiffness).map(|(x, k)| 0.5 * k * x.z.min(0.0).powi(2)).sum()
    }

    fn linearise(&mut self, x: &[Vector3<f64>], g: &mut [Vector3<f64>], hessian: &mut OuterProducts) -> f64 {
        for (block, (x, &k)) in x.iter().zip(&self.stiffness).enumerate() {
            if x.z < 0.0 && k > 0.0 {
                g[block].z += k * x.z;
                hessian.push(k, [(block as u32, Vector3::z())]);
            }
        }
        self.energy(x)
    }
}

/// Penalty [Pa/m] of the floor.
const FLOOR: f64 = 1e7;

fn floor(elements: &Elements) -> Floor {
    let rest = elements.rest_positions();
    let mut stiffness = vec![0.0; rest.len()];
    for face in elements.linear_mesh().boundary().faces {
        let [a, b, c] = face.map(|node| rest[node as usize]);
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        face.iter().for_each(|&node| stiffness[node as usize] += FLOOR * area / 3.0);
    }
    Floor { stiffness }
}

fn read(name: &str) -> Option<TetMesh> {
    let path = format!("{}/../shared/data/fem/meshes/{name}", env!("CARGO_MANIFEST_DIR"));
    let rows = |extension: &str| -> Option<Vec<Vec<f64>>> {
        let text = std::fs::read_to_string(format!("{path}.{extension}")).ok()?;
        let lines = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        lines.map(|line| line.split_whitespace().skip(1).map(|word| word.parse().ok()).collect()).collect()
    };
    let nodes = rows("node")?.iter().map(|row| Point3::new(row[0], row[1], row[2])).collect();
    let tets = rows("ele")?.iter().map(|row| [0, 1, 2, 3].map(|i| row[i] as u32)).collect();
    TetMesh::new(nodes, tets).ok()
}

/// A unit cube of n³ cubes of six tetrahedra each.
fn cube(n: usize) -> TetMesh {
    let index = |[i, j, k]: [usize; 3]| (i + (n + 1) * (j + (n + 1) * k)) as u32;
    let places =
        |n: usize| (0..n).flat_map(move |k| (0..n).flat_map(move |j| (0..n).map(move |i| [i, j, k])));
    let nodes = places(n + 1).map(|p| Point3::from(p.map(|i| i as f64 / n as f64))).collect();
    let mut tets = Vec::new();
    for place in places(n) {
        for [a, b, c] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1]] {
            let mut corners = [place; 4];
            corners.iter_mut().skip(1).for_each(|p| p[a] += 1);
            corners.iter_mut().skip(2).for_each(|p| p[b] += 1);
            corners[3][c] += 1;
            let odd = (b + 3 - a) % 3 == 2;
            let [p, q, r, s] = corners.map(index);
            tets.push(if odd { [p, r, q, s] } else { [p, q, r, s] });
        }
    }
    TetMesh::new(nodes, tets).expect("a cube")
}

struct Run {
    tets: usize,
    mean: SoftStepReport,
    milliseconds: f64,
    /// Processor time of all threads a step [ms].
    processor: f64,
    x: Vec<Vector3<f64>>,
    deepest: f64,
}

fn run(mesh: &TetMesh, model: Constitutive, steps: usize, young: f64) -> Run {
    let material = Material::new(model, 1000.0, young, 0.3).expect("a material");
    let elements = Elements::new(mesh, material, ElementKind::Linear).expect("elements");
    let mut floor = floor(&elements);
    let mut system = SoftSystem::new(vec![elements], 0);
    system.gravity = Vector3::new(0.0, 0.0, -9.81);
    system.x.iter_mut().for_each(|x| x.z += 0.5);
    let once = model == Constitutive::Corotational;
    let options =
        StepOptions { newton: NewtonOptions { once, ..NewtonOptions::default() }, ..StepOptions::default() };
    let mut sum = SoftStepReport::default();
    let mut deepest: f64 = 0.0;
    let (start, processor) = (std::time::Instant::now(), cpu_time::ProcessTime::now());
    for step in 0..steps {
        let report = match system.step(0.005, &options, &mut floor) {
            Ok(report) => report,
            Err(error) => {
                println!("step {step}: {error}");
                break;
            }
        };
        sum.newton_iterations += report.newton_iterations;
        sum.linear_iterations += report.linear_iterations;
        sum.factorisations += report.factorisations;
        sum.halvings += report.halvings;
        sum.times.assembly += report.times.assembly;
        sum.times.solve += report.times.solve;
        sum.times.contact += report.times.contact;
        sum.times.total += report.times.total;
        deepest = system.x.iter().map(|x| -x.z).fold(deepest, f64::max);
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / steps as f64;
    let processor = processor.elapsed().as_secs_f64() * 1e3 / steps as f64;
    Run { tets: mesh.tets().len(), mean: sum, milliseconds, processor, x: system.x, deepest }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let steps = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(200);
    let young = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1e6);
    let only = arguments.next();
    println!(
        "cube of 1 m, 1000 kg/m³, E = {young:e} Pa, ν = 0.3, dropped 0.5 m, dt 5 ms, {steps} steps, floor {FLOOR:e} Pa/m"
    );
    println!(
        "model          tets threads  ms/step   cpu ms assembly   solve contact  newton linear halved deepest[m] exponent bits"
    );
    for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
        let mut before: Option<(usize, f64)> = None;
        for (name, n) in [("cube_1k", 6), ("cube_6k", 10), ("cube_24k", 16)] {
            if only.as_ref().is_some_and(|only| only != name) {
                continue;
            }
            let mesh = read(name).unwrap_or_else(|| cube(n));
            let mut one: Option<Vec<Vector3<f64>>> = None;
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let run = pool.install(|| run(&mesh, model, steps, young));
                let per = |sum: f64| sum * 1e3 / steps as f64;
                let count = |sum: usize| sum as f64 / steps as f64;
                let exponent =
                    before.filter(|_| threads == 2).map_or(String::from("       -"), |(tets, time)| {
                        let growth = run.tets as f64 / tets as f64;
                        format!("{:8.2}", (run.milliseconds / time).ln() / growth.ln())
                    });
                let bits = one.as_ref().map_or("", |x| if *x == run.x { "same" } else { "DIFFERENT" });
                println!(
                    "{:13} {:5} {threads:7} {:8.3} {:8.3} {:8.3} {:7.3} {:7.3} {:7.2} {:6.1} {:6.2} {:10.5} {exponent} {bits}",
                    format!("{model:?}"),
                    run.tets,
                    run.milliseconds,
                    run.processor,
                    per(run.mean.times.assembly),
                    per(run.mean.times.solve),
                    per(run.mean.times.contact),
                    count(run.mean.newton_iterations),
                    count(run.mean.linear_iterations),
                    count(run.mean.halvings),
                    run.deepest,
                );
                if threads == 2 {
                    before = Some((run.tets, run.milliseconds));
                }
                one.get_or_insert(run.x);
            }
        }
    }
}
