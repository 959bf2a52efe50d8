//! Derivatives against central differences; balance of forces and moments.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Vector3};

use super::super::{ContactOptions, Motion, Obstacle, Primitive, Probe, SoftContact};
use super::shapes::{ball, block, blocks};
use super::{contact, shaken};
use crate::soft::interaction::{Interaction, OuterProducts};

/// Step of the differences as a fraction of the model's size: truncation and rounding both near 1e-9.
const STEP: f64 = 1e-6;

fn gradient(contact: &mut SoftContact, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut gradient = vec![Vector3::zeros(); x.len()];
    let energy = contact.linearise(x, &mut gradient, &mut OuterProducts::default());
    assert_eq!(energy.to_bits(), contact.energy(x).to_bits());
    gradient
}

/// Maximum difference of the gradient from central differences of the energy, relative to the maximum entry.
fn gradient_error(contact: &mut SoftContact, x: &[Vector3<f64>], step: f64) -> f64 {
    let exact = gradient(contact, x);
    let largest = exact.iter().map(|g| g.amax()).fold(0.0, f64::max);
    assert!(largest > 0.0);
    let mut worst: f64 = 0.0;
    for block in 0..x.len() {
        for axis in 0..3 {
            let mut moved = |by: f64| {
                let mut x = x.to_vec();
                x[block][axis] += by;
                contact.energy(&x)
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            worst = worst.max((difference - exact[block][axis]).abs());
        }
    }
    worst / largest
}

/// Maximum difference of the exact Hessian from central differences of the gradient, relative.
fn hessian_error(contact: &mut SoftContact, x: &[Vector3<f64>], step: f64) -> f64 {
    let exact = contact.exact_hessian(x);
    let mut worst: f64 = 0.0;
    for block in 0..x.len() {
        for axis in 0..3 {
            let mut moved = |by: f64| {
                let mut x = x.to_vec();
                x[block][axis] += by;
                let gradient = gradient(contact, &x);
                DVector::from_iterator(3 * x.len(), gradient.iter().flat_map(|g| g.iter().copied()))
            };
            let difference = (moved(step) - moved(-step)) / (2.0 * step);
            worst = worst.max((difference - exact.column(3 * block + axis)).amax());
        }
    }
    worst / exact.amax()
}

#[test]
fn derivatives_are_those_of_finite_differences_in_any_unit() {
    for (unit, stiffen_beyond) in [(1e-3, 0.005), (1.0, f64::INFINITY), (1.0, 0.1), (1e3, 0.02)] {
        let lower = block([2, 2, 2], [unit; 3], [0.0; 3]);
        let upper = block([2, 2, 1], [0.8 * unit, 0.7 * unit, unit], [0.15 * unit, 0.13 * unit, 0.83 * unit]);
        let x = shaken(&blocks(&[&lower, &upper]), 0.04 * unit, 7);
        let options = ContactOptions { stiffen_beyond, ..ContactOptions::default() };
        let mut contact = contact(&[&lower, &upper], options);
        let kinds = contact.contacts(&x).to_vec();
        assert!(kinds.iter().any(|c| matches!(c.probe, Probe::Edge(..))), "no edge");
        assert!(kinds.iter().any(|c| matches!(c.probe, Probe::Node(_))), "no node");
        let error = gradient_error(&mut contact, &x, STEP * unit);
        assert!(error < 1e-6, "gradient {error}");
        let error = hessian_error(&mut contact, &x, STEP * unit);
        assert!(error < 1e-5, "Hessian {error}");
    }
}

/// The dense sum of outer products.
fn dense(outer: &OuterProducts, blocks: usize) -> DMatrix<f64> {
    let mut sum = DMatrix::zeros(3 * blocks, 3 * blocks);
    for (stiffness, column) in outer.terms() {
        let mut j = DVector::zeros(3 * blocks);
        for (block, part) in column {
            let mut rows = j.fixed_rows_mut::<3>(3 * *block as usize);
            rows += part;
        }
        sum += stiffness * &j * j.transpose();
    }
    sum
}

#[test]
fn where_it_may_be_indefinite_the_hessian_of_a_frozen_set_is_exact_and_that_for_solvers_is_not() {
    for unit in [1e-3, 1.0] {
        let lower = block([2, 2, 2], [unit; 3], [0.0; 3]);
        let upper = block([2, 2, 1], [0.8 * unit, 0.7 * unit, unit], [0.15 * unit, 0.13 * unit, 0.83 * unit]);
        let x = shaken(&blocks(&[&lower, &upper]), 0.04 * unit, 7);
        let options = ContactOptions { stiffen_beyond: 0.02, ..ContactOptions::default() };
        let mut contact = contact(&[&lower, &upper], options);
        contact.freeze_active_set(&x);
        assert!(contact.contacts(&x).iter().any(|c| matches!(c.probe, Probe::Edge(..))), "no edge");
        let differences = DMatrix::from_columns(
            &(0..3 * x.len())
                .map(|at| {
                    let mut moved = |by: f64| {
                        let mut x = x.clone();
                        x[at / 3][at % 3] += by;
                        let gradient = gradient(&mut contact, &x);
                        DVector::from_iterator(3 * x.len(), gradient.iter().flat_map(|g| g.iter().copied()))
                    };
                    let step = STEP * unit;
                    (moved(step) - moved(-step)) / (2.0 * step)
                })
                .collect::<Vec<_>>(),
        );
        let mut error = |indefinite: bool| {
            let mut outer = OuterProducts::default();
            outer.permit_indefinite(indefinite);
            contact.linearise(&x, &mut vec![Vector3::zeros(); x.len()], &mut outer);
            (dense(&outer, x.len()) - &differences).amax() / differences.amax()
        };
        let [exact, approximate] = [true, false].map(&mut error);
        assert!(exact < 1e-5 && approximate > 1e-2, "{exact} {approximate}");
    }
}

#[test]
fn forces_and_moments_of_soft_contacts_sum_to_zero() {
    let (a, b) = (ball(4), block([3, 3, 3], [1.0; 3], [0.55, -0.4, -0.45]));
    let x = shaken(&blocks(&[&a, &b]), 0.02, 3);
    let mut contact = contact(&[&a, &b], ContactOptions::default());
    let forces = gradient(&mut contact, &x);
    let size: f64 = forces.iter().map(|f| f.norm()).sum();
    let total: Vector3<f64> = forces.iter().sum();
    let moment: Vector3<f64> = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
    assert!(size > 0.0 && total.norm() < 1e-10 * size && moment.norm() < 1e-10 * size, "{total} {moment}");
}

#[test]
fn a_dynamic_obstacle_has_the_derivatives_and_takes_the_opposite_force() {
    let soft = block([2, 2, 2], [1.0; 3], [0.0; 3]);
    let nodes = u32::try_from(soft.nodes().len()).unwrap();
    let shapes = [
        Primitive::Cuboid { half: Vector3::new(0.5, 0.4, 0.3) },
        Primitive::Ball { radius: 0.5 },
        Primitive::Capsule { half_height: 0.4, radius: 0.3 },
        Primitive::Cylinder { half_height: 0.4, radius: 0.5 },
        Primitive::HalfSpace,
    ];
    for shape in shapes {
        let start = Isometry3::new(Vector3::new(0.4, 0.5, 1.2), Vector3::new(0.3, -0.2, 0.5));
        let samples = [[0.1, 0.0, -0.3], [-0.2, 0.1, -0.3]].map(|p| (p.into(), 0.3)).to_vec();
        let mut obstacle = Obstacle::new(Arc::new(shape), start).moving(Motion::Dynamic { block: nodes });
        obstacle.samples = samples;
        let mut contact = contact(
            &[&soft],
            ContactOptions { friction: 0.4, creep: Some(10.0), ..ContactOptions::default() },
        );
        contact.add_obstacle(obstacle);
        let mut x = shaken(&blocks(&[&soft]), 0.03, 11);
        x.extend([Vector3::new(0.43, 0.52, 1.22), Vector3::new(0.2, -0.4, 0.3)]);
        contact.begin_step(&shaken(&x, 1e-5, 2), 0.01);
        let error = gradient_error(&mut contact, &x, STEP);
        assert!(error < 1e-6, "{shape:?}: {error}");
        let gradient = gradient(&mut contact, &x);
        let wrench = contact.wrenches(&x)[0];
        let soft_force: Vector3<f64> = gradient[..nodes as usize].iter().map(|g| -g).sum();
        assert!((soft_force + wrench.force).norm() < 1e-10 * wrench.force.norm());
    }
}

#[test]
fn the_hessian_of_friction_is_that_of_its_energy() {
    let (a, b) = (block([2, 2, 1], [1.0; 3], [0.0; 3]), block([1, 1, 1], [0.6; 3], [0.2, 0.2, 0.95]));
    let x = shaken(&blocks(&[&a, &b]), 0.01, 5);
    let options = ContactOptions { friction: 0.5, creep: Some(0.1), ..ContactOptions::default() };
    let mut with = contact(&[&a, &b], options);
    with.begin_step(&x, 0.01);
    let moved = shaken(&x, 4e-4, 8);
    let product = |contact: &mut SoftContact, p: &[Vector3<f64>]| {
        let mut hessian = OuterProducts::default();
        let mut ignored = vec![Vector3::zeros(); p.len()];
        contact.frictions.iter().for_each(|f| f.linearise(&moved, &x, &mut ignored, &mut hessian));
        let mut out = vec![Vector3::zeros(); p.len()];
        hessian.add_product(p, &mut out);
        out
    };
    let pull = |contact: &SoftContact, x_at: &[Vector3<f64>]| {
        let mut gradient = vec![Vector3::zeros(); x.len()];
        contact
            .frictions
            .iter()
            .for_each(|f| f.linearise(x_at, &x, &mut gradient, &mut OuterProducts::default()));
        gradient
    };
    let p = shaken(&vec![Vector3::zeros(); x.len()], 1.0, 21);
    let exact = product(&mut with, &p);
    let at = |s: f64| moved.iter().zip(&p).map(|(x, p)| x + s * p).collect::<Vec<_>>();
    let (up, down) = (pull(&with, &at(1e-8)), pull(&with, &at(-1e-8)));
    let largest = exact.iter().map(|g| g.amax()).fold(0.0, f64::max);
    assert!(largest > 0.0);
    for ((exact, up), down) in exact.iter().zip(&up).zip(&down) {
        assert!((exact - (up - down) / 2e-8).amax() < 1e-5 * largest);
    }
    let limit: f64 = with.frictions.iter().map(|f| f.contact.force().norm() * 0.5).sum();
    let total: f64 = with.frictions.iter().map(|f| f.force(&moved, &x).norm()).sum();
    assert!(total <= limit * (1.0 + 1e-12) && total > 0.1 * limit, "{total} of {limit}");
}

#[test]
fn the_hessian_that_a_solver_gets_is_that_of_the_depths() {
    let (a, b) = (block([2, 2, 1], [1.0; 3], [0.0; 3]), block([1, 1, 1], [0.6; 3], [0.2, 0.2, 0.9]));
    let x = shaken(&blocks(&[&a, &b]), 0.01, 6);
    let mut contact = contact(&[&a, &b], ContactOptions::default());
    let mut hessian = OuterProducts::default();
    contact.linearise(&x, &mut vec![Vector3::zeros(); x.len()], &mut hessian);
    let mut diagonal = vec![Matrix3::zeros(); x.len()];
    hessian.add_diagonal(&mut diagonal);
    assert_eq!(hessian.len(), contact.contacts(&x).len());
    for contact in contact.contacts(&x).to_vec() {
        let Probe::Node(node) = contact.probe else { continue };
        let own = contact.stiffness * contact.gradient * contact.gradient.transpose();
        let rest = diagonal[node as usize] - own;
        assert!(rest.symmetric_eigenvalues().min() > -1e-9 * own.norm());
    }
}
