//! Cost of one element of a soft body: energy, force, and force with projected stiffness, for each model and kind,
//! alone and four at a time.
//!
//! ```text
//! cargo run --release --example soft_elements
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use extricate::dynamics::soft::element::{ElementKind, Elements, Local};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::geometry::TetMesh;
use nalgebra::{Point3, Rotation3, Vector3};

/// Cells along each side of the cube; five tetrahedra each.
const CELLS: u32 = 12;

/// Runs of which the fastest counts.
const RUNS: usize = 15;

/// The five tetrahedra of an even cell, by corner 4x + 2y + z; an odd cell mirrors them.
const CELL: [[usize; 4]; 5] = [[0, 4, 2, 1], [6, 2, 4, 7], [5, 4, 1, 7], [3, 1, 2, 7], [1, 2, 4, 7]];

fn cube() -> Result<TetMesh, Box<dyn Error>> {
    let side = CELLS + 1;
    let at = |i: u32| [i / (side * side), i / side % side, i % side];
    let nodes: Vec<_> =
        (0..side.pow(3)).map(|i| Point3::from(at(i).map(f64::from)) / f64::from(CELLS)).collect();
    let mut tets = Vec::new();
    for [x, y, z] in (0..side.pow(3)).map(at).filter(|cell| cell.iter().all(|&c| c < CELLS)) {
        let flip = if (x + y + z) % 2 == 0 { 0 } else { 7 };
        for tet in CELL {
            let mut tet = tet.map(|corner| {
                let [i, j, k] = [4, 2, 1].map(|bit| u32::from((corner ^ flip) & bit != 0));
                ((x + i) * side + y + j) * side + z + k
            });
            let [a, b, c, d] = tet.map(|i| nodes[i as usize]);
            if (b - a).cross(&(c - a)).dot(&(d - a)) < 0.0 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    Ok(TetMesh::new(nodes, tets)?)
}

/// Fastest time of `pass`, for each of `count` [ns].
fn nanoseconds(count: usize, mut pass: impl FnMut() -> f64) -> f64 {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        black_box(pass());
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min) / count as f64 * 1e9
}

fn report(elements: &Elements, x: &[Vector3<f64>]) -> String {
    let count = elements.element_count() / 4 * 4;
    let fours = || (0..count).step_by(4);
    let mut four: [Local; 4] = Default::default();
    let mut touched = |want: (bool, bool)| {
        let mut pass = |e| -> f64 {
            let energies = elements.local_many(e, x, &mut four, want);
            black_box(&four);
            energies.iter().sum()
        };
        nanoseconds(count, || fours().map(&mut pass).sum())
    };
    let (force4, stiffness4) = (touched((false, false)), touched((true, true)));
    let mut local = Local::default();
    let mut alone = |hessian| {
        let mut pass = |e| {
            let energy = elements.local(e, x, &mut local, hessian, hessian);
            black_box(&local);
            energy
        };
        nanoseconds(count, || (0..count).map(&mut pass).sum())
    };
    let (force, stiffness) = (alone(false), alone(true));
    let energy = nanoseconds(count, || (0..count).map(|e| elements.energy_of(e, x)).sum());
    let energy4 =
        nanoseconds(count, || fours().map(|e| elements.energies_of::<4>(e, x).iter().sum::<f64>()).sum());
    format!(
        "{energy:7.0} {energy4:7.0} {force:7.0} {force4:7.0} {stiffness:7.0} {stiffness4:7.0}   {:5.1}",
        100.0 * (0..count).filter(|&e| elements.is_inverted(e, x)).count() as f64 / count as f64
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = cube()?;
    println!(
        "{} tetrahedra; nanoseconds an element, the second of each pair four at a time",
        mesh.tets().len()
    );
    println!("{:42}   energy           force         stiffness      inverted [%]", "");
    for kind in [ElementKind::Linear, ElementKind::Quadratic] {
        for model in [
            Constitutive::Linear,
            Constitutive::Corotational,
            Constitutive::StVenantKirchhoff,
            Constitutive::NeoHookean,
        ] {
            let elements = Elements::new(&mesh, Material::new(model, 1e3, 1e5, 0.4)?, kind)?;
            for (name, amount) in [("shaken", 0.01), ("crushed", 0.04)] {
                let shake = |(i, p): (usize, &Vector3<f64>)| {
                    let s = i as f64;
                    let noise = Vector3::new((7.0 * s).sin(), (3.0 * s).cos(), (11.0 * s).sin());
                    Rotation3::new(Vector3::new(0.3, 0.5, p.x)) * (p + amount * noise)
                };
                let x: Vec<_> = elements.rest_positions().iter().enumerate().map(shake).collect();
                let head = format!("{kind:?}, {model:?}, {name}");
                println!("{head:38} {}", report(&elements, &x));
            }
        }
    }
    Ok(())
}
