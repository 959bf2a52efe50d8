//! Modal analysis with the matrices of a soft body: the bending frequencies of a free beam, beside the closed form.
//!
//! ```text
//! cargo run --release --example modal_analysis
//! ```

#![expect(clippy::print_stdout, reason = "a program that prints what it finds")]

use std::error::Error;
use std::f64::consts::TAU;

use extricate::dynamics::soft::SoftSystem;
use extricate::dynamics::soft::element::{ElementKind, Elements};
use extricate::dynamics::soft::material::{Constitutive, Material};
use extricate::dynamics::soft::nalgebra_sparse::CscMatrix;
use extricate::dynamics::soft::nalgebra_sparse::factorization::CscCholesky;
use extricate::geometry::tet_mesh::procedural::block;
use extricate::nalgebra::{DMatrix, Point3, SymmetricEigen, Vector3};

/// Length and side of the beam \[m\].
const SIZE: [f64; 2] = [1.0, 0.02];
/// Density [kg/m³] and Young's modulus \[Pa\].
const MATERIAL: [f64; 2] = [1000.0, 1e7];
/// Vectors that are iterated: more than are wanted, so that those converge.
const VECTORS: usize = 24;
/// Iterations.
const ITERATIONS: usize = 30;

/// The smallest eigenvalues ω² of K v = ω² M v, ascending, by subspace iteration with K + `shift` M.
fn squares(
    stiffness: &CscMatrix<f64>,
    mass: &CscMatrix<f64>,
    shift: f64,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let factor = CscCholesky::factor(&(stiffness + &(mass * shift)))?;
    let mut basis = DMatrix::from_fn(mass.nrows(), VECTORS, |i, j| ((i * (2 * j + 3)) as f64).sin());
    let mut found = Vec::new();
    for _ in 0..ITERATIONS {
        basis = factor.solve(&(mass * &basis));
        // Rayleigh and Ritz: the problem in the span of the basis, which becomes orthonormal in M.
        let [k, m] = [stiffness, mass].map(|matrix| basis.tr_mul(&(matrix * &basis)));
        let lower = m.cholesky().ok_or("the vectors have become dependent")?.l();
        let half = lower.solve_lower_triangular(&k).ok_or("a vector has no mass")?;
        let reduced = lower.solve_lower_triangular(&half.transpose()).ok_or("a vector has no mass")?;
        let eigen = SymmetricEigen::new(0.5 * (&reduced + reduced.transpose()));
        let turned = lower.tr_solve_lower_triangular(&eigen.eigenvectors).ok_or("a vector has no mass")?;
        basis *= turned;
        found = eigen.eigenvalues.iter().copied().collect();
    }
    found.sort_unstable_by(f64::total_cmp);
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let ([length, side], [density, young]) = (SIZE, MATERIAL);
    let mesh = block([25, 1, 1], Vector3::new(length, side, side), Point3::origin())?;
    let material = Material::new(Constitutive::NeoHookean, density, young, 0.3)?;
    let elements = Elements::new(&mesh, material, ElementKind::Quadratic)?;
    let mut system = SoftSystem::new(vec![elements], 0);
    let (stiffness, mass) = (CscMatrix::from(&system.stiffness()), CscMatrix::from(&system.mass()));
    println!("{} unknowns, {} entries of the stiffness", stiffness.nrows(), stiffness.nnz());

    // Euler and Bernoulli: ω = (βL)²/L² √(E I/ρ A), I/A = side²/12, with cos βL cosh βL = 1.
    let slenderness = (young / density * side * side / 12.0).sqrt() / (length * length);
    let closed_form =
        [4.730_041, 7.853_205, 10.995_608, 14.137_165].map(|beta: f64| beta * beta * slenderness);
    let found = squares(&stiffness, &mass, closed_form[0].powi(2))?;
    println!(
        "rigid motions: {:.1e} of the first frequency at most",
        (found[5].abs().sqrt()) / closed_form[0]
    );
    println!("mode  in both planes [Hz]  closed form [Hz]");
    for (mode, expected) in closed_form.iter().enumerate() {
        // A square section bends in two planes at the same frequency.
        let [first, second] = [6 + 2 * mode, 7 + 2 * mode].map(|at| found[at].sqrt() / TAU);
        println!("{:4}  {first:9.4} {second:9.4}  {:16.4}", mode + 1, expected / TAU);
    }
    Ok(())
}
