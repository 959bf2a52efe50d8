//! Soft bodies: a step of a dropped cube by model and size, the same on one thread and two, and a search for contacts.
//!
//! ```text
//! cargo bench --bench soft -- dropped_cube
//! ```
//!
//! The cube of 1 m with 1.3k, 6k and 24.6k tetrahedra is in the middle of its impact on a floor (E = 1 MPa, ν = 0.3, dt 5 ms), with
//! contact and self-contact; each sample takes the same step anew. Throughputs are tetrahedra a second.
//! `experiments/dropped_cube.rs` has the whole fall by phase, `benches/peers/` other engines on the same mesh.

use std::sync::Arc;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use extricate::dynamics::soft::contact::{ContactOptions, Obstacle, Primitive, SoftContact, node_depths};
use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::interaction::Interaction;
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::{NewtonOptions, SoftSystem, StepOptions};
use extricate::geometry::TetMesh;
use extricate::geometry::tet_mesh::procedural::block;
use nalgebra::{Isometry3, Point3, Vector3};

/// Cells along an edge of the cube; six tetrahedra each.
const SIZES: [usize; 3] = [6, 10, 16];
/// Time step [s].
const STEP: f64 = 0.005;
/// Steps from the start, just above the floor, to the middle of the impact.
const TO_IMPACT: usize = 12;

fn cube(cells: usize) -> TetMesh {
    block([cells; 3], Vector3::repeat(1.0), Point3::origin()).expect("a cube")
}

fn touching(mesh: &TetMesh) -> SoftContact {
    let options = ContactOptions { stiffness: 1e7, ..ContactOptions::default() };
    let mut contact = SoftContact::new(options).expect("sound options");
    contact.add_body(mesh, 0, &node_depths(mesh)).expect("sound depths");
    contact.add_obstacle(Obstacle::new(Arc::new(Primitive::HalfSpace), Isometry3::identity()));
    contact
}

/// A cube in flight.
#[derive(Clone)]
struct Falling {
    system: SoftSystem,
    contact: SoftContact,
    options: StepOptions,
}

impl Falling {
    fn at_impact(mesh: &TetMesh, model: Constitutive) -> Self {
        let material = Material::new(model, 1000.0, 1e6, 0.3).expect("a material");
        let elements = Elements::new(mesh, material, ElementKind::Linear).expect("elements");
        let mut system = SoftSystem::new(vec![elements], 0);
        system.gravity = Vector3::new(0.0, 0.0, -9.81);
        // As fast as from half a metre.
        system.v.fill(Vector3::new(0.0, 0.0, -3.1));
        let newton = NewtonOptions { once: model == Constitutive::Corotational, ..NewtonOptions::default() };
        let options = StepOptions { newton, ..StepOptions::default() };
        let mut falling = Self { system, contact: touching(mesh), options };
        (0..TO_IMPACT).for_each(|_| falling.step());
        falling
    }

    fn step(&mut self) {
        self.contact.begin_step(&self.system.x, STEP);
        self.system.step(STEP, &self.options, &mut self.contact).expect("a step");
    }
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

fn dropped_cube(criterion: &mut Criterion) {
    let mut group = group(criterion, "dropped_cube");
    for model in [Constitutive::Corotational, Constitutive::NeoHookean] {
        for cells in SIZES {
            let mesh = cube(cells);
            let falling = Falling::at_impact(&mesh, model);
            group.throughput(Throughput::Elements(mesh.tets().len() as u64));
            for threads in [1, 2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
                let name = format!("{model:?}/{threads} threads");
                group.bench_function(BenchmarkId::new(name, mesh.tets().len()), |bencher| {
                    let step = |mut falling: Falling| {
                        pool.install(|| falling.step());
                        falling
                    };
                    bencher.iter_batched(|| falling.clone(), step, BatchSize::LargeInput);
                });
            }
        }
    }
}

/// Refit, search and evaluation for a body that has moved by more than the margin since the search before.
fn contact_search(criterion: &mut Criterion) {
    let mut group = group(criterion, "contact_search");
    for cells in SIZES {
        let mesh = cube(cells);
        let mut contact = touching(&mesh);
        let rest: Vec<_> = mesh.nodes().iter().map(|node| node.coords).collect();
        let stretched: Vec<_> = rest.iter().map(|x| 1.1 * x).collect();
        group.throughput(Throughput::Elements(mesh.tets().len() as u64));
        let mut there = false;
        group.bench_function(BenchmarkId::from_parameter(mesh.tets().len()), |bencher| {
            bencher.iter(|| {
                there = !there;
                contact.energy(if there { &stretched } else { &rest })
            });
        });
    }
}

criterion_group!(benches, dropped_cube, contact_search);
criterion_main!(benches);
