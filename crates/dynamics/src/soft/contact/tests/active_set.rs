//! Frozen active sets: contacts in the pieces of the field in which they were detected.

use nalgebra::Vector3;

use super::super::{ContactOptions, Probe, SoftContact};
use super::shapes::{block, blocks};
use super::{contact, shaken};
use crate::soft::interaction::{Interaction, OuterProducts};

/// Two shaken blocks, one sunk into the other.
fn overlapping() -> (SoftContact, Vec<Vector3<f64>>) {
    let lower = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let upper = block([2, 2, 2], [0.7, 0.6, 1.0], [0.15, 0.13, 0.93]);
    let x = shaken(&blocks(&[&lower, &upper]), 0.01, 5);
    (contact(&[&lower, &upper], ContactOptions::default()), x)
}

/// The upper block, the last 27 nodes, moved sideways far enough for points to enter other elements.
fn slid(x: &[Vector3<f64>], by: f64) -> Vec<Vector3<f64>> {
    let lower = x.len() - 27;
    let moved = |(i, p): (usize, &Vector3<f64>)| {
        if i < lower { *p } else { p + by * Vector3::new(1.0, 0.7, 0.0) }
    };
    x.iter().enumerate().map(moved).collect()
}

fn gradient(contact: &mut SoftContact, x: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let mut gradient = vec![Vector3::zeros(); x.len()];
    contact.linearise(x, &mut gradient, &mut OuterProducts::default());
    gradient
}

#[test]
fn freezing_changes_nothing_where_it_begins() {
    let (mut contact, x) = overlapping();
    let (energy, free) = (contact.energy(&x), gradient(&mut contact, &x));
    let edges = contact.contacts(&x).iter().filter(|c| matches!(c.probe, Probe::Edge(..))).count();
    assert!(energy > 0.0 && edges > 0);
    contact.freeze_active_set(&x);
    let held = gradient(&mut contact, &x);
    let largest = free.iter().map(|g| g.norm()).fold(0.0, f64::max);
    assert!((contact.energy(&x) - energy).abs() < 1e-12 * energy);
    assert!(free.iter().zip(&held).all(|(a, b)| (a - b).norm() < 1e-9 * largest));
    assert_eq!(contact.drift(&x), None);
}

#[test]
fn frozen_contacts_have_no_kinks_and_report_when_they_have_left_their_pieces() {
    let (mut contact, x) = overlapping();
    let total: f64 = {
        contact.freeze_active_set(&x);
        gradient(&mut contact, &x).iter().map(|g| g.norm()).sum()
    };
    // The gradient along the slide changes as that of a smooth function does: halving the step halves its change.
    let jump = |contact: &mut SoftContact, step: f64| {
        let places: Vec<_> = (0..40).map(|k| gradient(contact, &slid(&x, step * f64::from(k)))).collect();
        let change = |pair: &[Vec<Vector3<f64>>]| -> f64 {
            pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).norm()).sum()
        };
        places.windows(2).map(change).fold(0.0, f64::max)
    };
    let (coarse, fine) = (jump(&mut contact, 2e-3), jump(&mut contact, 1e-3));
    assert!(coarse > 0.0 && fine < 0.6 * coarse && coarse < 0.1 * total, "{coarse} {fine} {total}");
    let drift = contact.drift(&slid(&x, 0.08)).expect("pieces were left");
    assert!(drift > 0.0 && drift < 1.0, "{drift}");
    // A refresh there leaves no drift.
    contact.refresh_active_set(&slid(&x, 0.08));
    assert_eq!(contact.drift(&slid(&x, 0.08)), None);
}

#[test]
fn forces_and_moments_of_frozen_contacts_sum_to_zero() {
    let (mut contact, x) = overlapping();
    contact.freeze_active_set(&x);
    let x = slid(&shaken(&x, 5e-3, 9), 0.03);
    let forces = gradient(&mut contact, &x);
    let size: f64 = forces.iter().map(|f| f.norm()).sum();
    let total: Vector3<f64> = forces.iter().sum();
    let moment: Vector3<f64> = x.iter().zip(&forces).map(|(x, f)| x.cross(f)).sum();
    assert!(size > 0.0 && total.norm() < 1e-12 * size && moment.norm() < 1e-10 * size, "{total} {moment}");
}
