//! rapier's own soft bodies on the cube of `experiments/dropped_cube.rs`: milliseconds a step.
//!
//! ```text
//! cargo run --release --example dropped_cube -- --export /tmp/cubes
//! cargo run --release --manifest-path benches/peers/rapier_fem/Cargo.toml -- /tmp/cubes [steps] [only]
//! ```
//!
//! The cube and the step of 5 ms are the same; corotational cells of E = 1 MPa, ν = 0.3, 1000 kg/m³, self-contact on, one
//! thread, of which the processor time counts. Each solver has a row with rapier's default of four substeps; FEM has a second with
//! one, which is one implicit step of 5 ms like ours. With contact the larger cubes take seconds a step: 100 steps, of which 36 touch the
//! floor, are enough.

use std::fs::read_to_string;

use cpu_time::ProcessTime;
use rapier3d::prelude::*;

const STEP: Real = 0.005;
const SIDE: Real = 1.0;
const DENSITY: Real = 1000.0;
const MESHES: [&str; 3] = ["cube_1k", "cube_6k", "cube_24k"];

/// Rows of a TetGen file without their numbers.
fn rows(path: &str) -> Vec<Vec<f64>> {
    let text = read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = text.lines().skip(1).filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| line.split_whitespace().skip(1).map(|word| word.parse().expect("a number")).collect())
        .collect()
}

struct Mesh {
    nodes: Vec<Vector>,
    tets: Vec<[u32; 4]>,
}

impl Mesh {
    fn read(path: &str) -> Self {
        let node = |p: &Vec<f64>| Vector::new(p[0] as Real, p[1] as Real, p[2] as Real + 0.5);
        let tet = |row: &Vec<f64>| [0, 1, 2, 3].map(|i: usize| row[i] as u32);
        Self {
            nodes: rows(&format!("{path}.node")).iter().map(node).collect(),
            tets: rows(&format!("{path}.ele")).iter().map(tet).collect(),
        }
    }

    /// A quarter of each tetrahedron's mass to each of its nodes, as in ours.
    fn masses(&self) -> Vec<Real> {
        let mut masses = vec![0.0; self.nodes.len()];
        for tet in &self.tets {
            let [a, b, c, d] = tet.map(|i| self.nodes[i as usize]);
            let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
            tet.iter().for_each(|&i| masses[i as usize] += 0.25 * DENSITY * volume);
        }
        masses
    }
}

fn run(
    name: &str,
    mesh: &Mesh,
    model: SoftBodyCellModel,
    solver: SoftBodySolver,
    substeps: usize,
    steps: usize,
) {
    let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
    let mut soft_bodies = SoftBodySet::new();
    let floor = ColliderBuilder::halfspace(rapier3d::na::Unit::new_unchecked(Vector::new(0.0, 0.0, 1.0)));
    colliders.insert(floor);
    let material = SoftBodyMaterial { young_modulus: 1e6, poisson_ratio: 0.3, ..SoftBodyMaterial::default() };
    let cells = (mesh.tets.len() as Real / 6.0).cbrt();
    let body = SoftBodyBuilder::new(mesh.nodes.clone())
        .cells(mesh.tets.clone())
        .masses(mesh.masses())
        .material(material)
        .cell_model(model)
        .solver(solver)
        .self_contacts(true)
        .particle_radius(0.05 * SIDE / cells)
        .can_sleep(false);
    let handle = soft_bodies.insert(body, &mut bodies, &mut colliders);
    let mut parameters = IntegrationParameters { dt: STEP, ..IntegrationParameters::default() };
    parameters.num_solver_iterations = substeps;
    if substeps == 1 {
        parameters.soft_bodies.max_extra_substeps = 0;
    }
    let (mut pipeline, mut islands) = (PhysicsPipeline::new(), IslandManager::new());
    let (mut broad, mut narrow) = (BroadPhaseBvh::new(), NarrowPhase::new());
    let (mut impulse, mut multibody) = (ImpulseJointSet::new(), MultibodyJointSet::new());
    let mut ccd = CCDSolver::new();
    let (mut deepest, mut highest): (Real, Real) = (0.0, 0.0);
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let start = ProcessTime::now();
        pipeline.step(
            Vector::new(0.0, 0.0, -9.81),
            &parameters,
            &mut islands,
            &mut broad,
            &mut narrow,
            &mut bodies,
            &mut colliders,
            &mut impulse,
            &mut multibody,
            &mut soft_bodies,
            &mut ccd,
            &(),
            &(),
        );
        times.push(1e3 * start.elapsed().as_secs_f64());
        let body = &soft_bodies[handle];
        let heights = || body.particles().iter().map(|particle| particle.position().z);
        deepest = heights().map(|z| -z).fold(deepest, Real::max);
        highest = heights().fold(Real::MIN, Real::max);
    }
    let mean = times.iter().sum::<f64>() / steps as f64;
    times.sort_by(f64::total_cmp);
    println!(
        "{name:9} {:6} {:28} {mean:9.2} {:9.2} {:9.2} {deepest:10.5} {highest:8.4}",
        mesh.tets.len(),
        format!("{solver:?} {model:?} x{substeps}"),
        times[steps / 2],
        times[steps - 1],
    );
}

fn main() {
    let mut words = std::env::args().skip(1);
    let folder = words.next().expect("the folder of the meshes");
    let steps = words.next().map_or(100, |word| word.parse().expect("a number of steps"));
    let only = words.next();
    println!("mesh        tets solver                        cpu ms    median     worst deepest[m]   top[m]");
    for name in MESHES.into_iter().filter(|name| only.as_ref().is_none_or(|only| only == name)) {
        let mesh = Mesh::read(&format!("{folder}/{name}"));
        run(name, &mesh, SoftBodyCellModel::Corotational, SoftBodySolver::Fem, 1, steps);
        run(name, &mesh, SoftBodyCellModel::Corotational, SoftBodySolver::Fem, 4, steps);
        run(name, &mesh, SoftBodyCellModel::Corotational, SoftBodySolver::Constraints, 4, steps);
    }
}
