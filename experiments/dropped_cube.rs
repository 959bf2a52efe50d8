//! A soft cube of 1 m dropped from half a metre on a floor, with contact and self-contact: time of a step by phase, growth
//! with the number of elements, speed-up by a second thread and the same bits with it. Reads the meshes of
//! `../shared/data/fem/meshes`, or builds cubes of the same numbers of elements.
//!
//! ```text
//! cargo run --release --example dropped_cube -- [--steps N] [--runs N] [--young Pa] [--only cube_1k] [--model name]
//!     [--export FOLDER]
//! ```
//!
//! One thread and two take each step in turn, and of each step the fastest of the runs counts: on a machine with other
//! work that is the minimum disturbed measure. Growth is the exponent of one thread's time in the number of tetrahedra, from the mesh before and from the first. `--export` writes the meshes for other
//! engines, as `.node` with `.ele` and as `.msh`, and ends.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use extricate::dynamics::soft::contact::{ContactOptions, Obstacle, Primitive, SoftContact, node_depths};
use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::{NewtonOptions, SoftStepReport, SoftSystem, StepOptions};
use extricate::geometry::TetMesh;
use extricate::geometry::tet_mesh::procedural::block;
use extricate::geometry::tet_mesh::read::read_tets;
use extricate::geometry::tet_mesh::write::write_tets;
use nalgebra::{Isometry3, Point3, Vector3};
use rayon::ThreadPool;

/// Penalty [Pa/m] of contact.
const PENALTY: f64 = 1e7;

/// Time step [s].
const STEP: f64 = 0.005;

/// Meshes with the cells along an edge that make the same number of tetrahedra.
const MESHES: [(&str, usize); 3] = [("cube_1k", 6), ("cube_6k", 10), ("cube_24k", 16)];

/// Options of the command line.
struct Arguments {
    steps: usize,
    runs: usize,
    young: f64,
    only: Option<String>,
    model: Option<String>,
    export: Option<String>,
}

impl Arguments {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut all = Self { steps: 200, runs: 5, young: 1e6, only: None, model: None, export: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or(format!("{word} needs a value"))?;
            match word.as_str() {
                "--steps" => all.steps = value.parse()?,
                "--runs" => all.runs = value.parse()?,
                "--young" => all.young = value.parse()?,
                "--only" => all.only = Some(value),
                "--model" => all.model = Some(value.to_lowercase()),
                "--export" => all.export = Some(value),
                _ => return Err(format!("{word} is unknown").into()),
            }
        }
        Ok(all)
    }
}

fn mesh(name: &str, cells: usize) -> Result<TetMesh, Box<dyn Error>> {
    let path = format!("{}/../shared/data/fem/meshes/{name}.node", env!("CARGO_MANIFEST_DIR"));
    match read_tets(path) {
        Ok(file) => Ok(file.mesh),
        Err(_) => Ok(block([cells; 3], Vector3::repeat(1.0), Point3::origin())?),
    }
}

/// A cube above a floor.
struct Drop {
    system: SoftSystem,
    contact: SoftContact,
    options: StepOptions,
}

impl Drop {
    fn new(mesh: &TetMesh, model: Constitutive, young: f64) -> Result<Self, Box<dyn Error>> {
        let elements = Elements::new(mesh, Material::new(model, 1000.0, young, 0.3)?, ElementKind::Linear)?;
        let mut contact =
            SoftContact::new(ContactOptions { stiffness: PENALTY, ..ContactOptions::default() })?;
        contact.add_body(mesh, 0, &node_depths(mesh))?;
        contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
        let mut system = SoftSystem::new(vec![elements], 0);
        system.gravity = Vector3::new(0.0, 0.0, -9.81);
        let low = system.x.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
        system.x.iter_mut().for_each(|x| x.z += 0.5 - low);
        let once = model == Constitutive::Corotational;
        let newton = NewtonOptions { once, ..NewtonOptions::default() };
        Ok(Self { system, contact, options: StepOptions { newton, ..StepOptions::default() } })
    }

    /// One step: what it reports, its wall time and its processor time [s].
    fn step(&mut self) -> Result<Cost, Box<dyn Error>> {
        let (start, processor) = (Instant::now(), cpu_time::ProcessTime::now());
        self.contact.begin_step(&self.system.x, STEP);
        let report = self.system.step(STEP, &self.options, &mut self.contact)?;
        Ok(Cost { wall: start.elapsed().as_secs_f64(), processor: processor.elapsed().as_secs_f64(), report })
    }
}

/// Time of a step [s].
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    processor: f64,
    report: SoftStepReport,
}

/// Costs of each step with one thread and with two.
struct Costs {
    steps: Vec<[Cost; 2]>,
    /// Lowest point of all steps, below the floor [m].
    deepest: f64,
    same_bits: bool,
}

fn measure(
    start: impl Fn() -> Result<Drop, Box<dyn Error>>,
    arguments: &Arguments,
) -> Result<Costs, Box<dyn Error>> {
    // Named, so that they can be tied to cores from outside.
    let pool = |threads: usize| {
        let name = move |index| format!("{index}-of-{threads}");
        rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build()
    };
    let pools: [ThreadPool; 2] = [pool(1)?, pool(2)?];
    let mut costs = Costs { steps: Vec::new(), deepest: 0.0, same_bits: true };
    for run in 0..arguments.runs {
        let mut drops = [start()?, start()?];
        for step in 0..arguments.steps {
            let taken =
                [0, 1].map(|i| pools[i].install(|| drops[i].step().map_err(|error| error.to_string())));
            let [one, two] = taken;
            let taken = [one?, two?];
            if run == 0 {
                costs.steps.push(taken);
            } else {
                for (min, cost) in costs.steps[step].iter_mut().zip(taken) {
                    *min = if cost.wall < min.wall { cost } else { *min };
                }
            }
            costs.same_bits &= drops[0].system.x == drops[1].system.x;
            costs.deepest = drops[0].system.x.iter().map(|x| -x.z).fold(costs.deepest, f64::max);
        }
    }
    Ok(costs)
}

/// Exponent of the growth of time in the number of tetrahedra, from some others.
fn growth(from: Option<&(usize, f64)>, tets: usize, time: f64) -> String {
    from.map_or(String::from("-"), |(fewer, less)| {
        format!("{:.2}", (time / less).ln() / (tets as f64 / *fewer as f64).ln())
    })
}

/// Prints the rows of one thread and of two; the mean milliseconds of one. `smaller` has those of smaller meshes.
fn report(name: &str, costs: &Costs, smaller: &[(usize, f64)], tets: usize) -> f64 {
    let count = costs.steps.len() as f64;
    let mean = |of: &dyn Fn(&Cost) -> f64, threads: usize| {
        costs.steps.iter().map(|step| of(&step[threads - 1])).sum::<f64>() / count
    };
    let one = mean(&|c| 1e3 * c.wall, 1);
    for threads in [1, 2] {
        let ms = |of: &dyn Fn(&Cost) -> f64| 1e3 * mean(of, threads);
        let (wall, contact) = (ms(&|c| c.wall), ms(&|c| c.report.times.contact));
        let worst = costs.steps.iter().map(|step| step[threads - 1].wall).fold(0.0, f64::max);
        print!(
            "{name:13} {tets:6} {threads:7} {wall:7.3} {:7.3} {:8.3} {:7.3} {contact:7.3} {:6.1} {:7.2}",
            ms(&|c| c.processor),
            ms(&|c| c.report.times.assembly),
            ms(&|c| c.report.times.solve),
            100.0 * contact / wall,
            1e3 * worst,
        );
        if threads == 2 {
            println!(" {:7.2} {}", one / wall, if costs.same_bits { "same" } else { "DIFFERENT" });
            continue;
        }
        println!(
            "                 {:>6} {:>5} {:6.2} {:6.1} {:6.2} {:11.5}",
            growth(smaller.last(), tets, one),
            growth(smaller.first(), tets, one),
            mean(&|c| c.report.newton_iterations as f64, 1),
            mean(&|c| c.report.linear_iterations as f64, 1),
            mean(&|c| c.report.halvings as f64, 1),
            costs.deepest,
        );
    }
    one
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read()?;
    let meshes = MESHES.iter().filter(|(name, _)| arguments.only.as_ref().is_none_or(|only| only == name));
    let meshes: Vec<_> =
        meshes.map(|&(name, cells)| Ok((name, mesh(name, cells)?))).collect::<Result<_, Box<dyn Error>>>()?;
    if let Some(folder) = &arguments.export {
        for (name, mesh) in &meshes {
            for extension in ["node", "msh"] {
                write_tets(mesh, format!("{folder}/{name}.{extension}"))?;
            }
        }
        return Ok(());
    }
    println!(
        "cube of 1 m, 1000 kg/m³, E = {:e} Pa, ν = 0.3, dropped 0.5 m, dt 5 ms, {} steps, penalty {PENALTY:e} Pa/m; ms a step",
        arguments.young, arguments.steps
    );
    println!(
        "model           tets threads    wall     cpu assembly   solve contact share%   worst speedup bits growth  all newton linear halved deepest[m]"
    );
    for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
        let name = format!("{model:?}");
        if arguments.model.as_ref().is_some_and(|only| !name.to_lowercase().starts_with(only)) {
            continue;
        }
        let mut done = Vec::new();
        for (_, mesh) in &meshes {
            let costs = measure(|| Drop::new(mesh, model, arguments.young), &arguments)?;
            let tets = mesh.tets().len();
            let time = report(&name, &costs, &done, tets);
            done.push((tets, time));
        }
    }
    Ok(())
}
