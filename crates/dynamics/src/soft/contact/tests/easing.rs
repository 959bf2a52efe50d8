//! Pairs of bodies whose pressure is linear until they have parted.

use nalgebra::Vector3;

use super::super::{ContactOptions, SoftContact};
use super::contact;
use super::shapes::block;
use crate::soft::interaction::Interaction;
use crate::stateful::Stateful;
use extricate_core::geometry::TetMesh;

const DT: f64 = 0.01;

/// Nodes of two equal blocks, the second one moved along x.
fn at(mesh: &TetMesh, apart: f64) -> Vec<Vector3<f64>> {
    let rest = mesh.nodes().iter().map(|node| node.coords);
    rest.clone().chain(rest.map(|node| node + Vector3::new(apart, 0.013, 0.017))).collect()
}

/// A contact of two such blocks, linear or not.
fn of(mesh: &TetMesh, stiffen_beyond: f64) -> SoftContact {
    contact(&[mesh, mesh], ContactOptions { stiffness: 1e6, stiffen_beyond, ..ContactOptions::default() })
}

/// Energies at the depth of a step that begins at `start` \[J\]: by the law that stiffens, and by the linear one.
fn energies(stiff: &mut SoftContact, mesh: &TetMesh, start: f64, end: f64) -> [f64; 2] {
    let mut linear = of(mesh, f64::INFINITY);
    let (start, end) = (at(mesh, start), at(mesh, end));
    [stiff, &mut linear].map(|contact| {
        contact.begin_step(&start, DT);
        contact.energy(&end)
    })
}

#[test]
fn pairs_that_begin_deep_are_linear_until_they_have_parted() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let mut contact = of(&mesh, 0.01);
    // 0.1 of 1 deep at the start, then deeper: points enter that were outside.
    let [stiff, linear] = energies(&mut contact, &mesh, 0.9, 0.8);
    assert!(linear > 0.0 && (stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    let mut restored = of(&mesh, 0.01);
    restored.restore(contact.snapshot()).unwrap();
    for contact in [&mut contact, &mut restored] {
        let [stiff, linear] = energies(contact, &mesh, 0.85, 0.8);
        assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
        let [stiff, linear] = energies(contact, &mesh, 1.1, 0.9);
        assert!(stiff > 2.0 * linear, "they have parted: {stiff} {linear}");
    }
}

#[test]
fn pairs_that_a_step_leaves_deep_are_linear_in_its_repetition_and_until_they_have_parted() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let mut contact = of(&mesh, 0.01);
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "{stiff} {linear}");
    let deep = contact.deep_pairs_at(&at(&mesh, 1.1), &at(&mesh, 0.9));
    assert!(contact.has_stiff_pairs(&deep));
    contact.ease(&deep);
    assert!(!contact.has_stiff_pairs(&deep));
    // The repetition begins apart, which does not count as parted.
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    contact.end_easing();
    let [stiff, linear] = energies(&mut contact, &mesh, 0.9, 0.85);
    assert!((stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "they have parted: {stiff} {linear}");
}

#[test]
fn a_state_that_is_put_back_has_no_eased_pairs() {
    let mesh = block([3, 3, 3], [1.0; 3], [0.0; 3]);
    let mut contact = of(&mesh, 0.01);
    energies(&mut contact, &mesh, 1.1, 0.9);
    let deep = contact.deep_pairs_at(&at(&mesh, 1.1), &at(&mesh, 0.9));
    let before = contact.memory();
    contact.ease(&deep);
    contact.set_memory(before);
    assert!(contact.parting().is_empty() && contact.has_stiff_pairs(&deep));
    let [stiff, linear] = energies(&mut contact, &mesh, 1.1, 0.9);
    assert!(stiff > 2.0 * linear, "{stiff} {linear}");
}

#[test]
fn the_pressure_within_a_body_is_linear() {
    let thick = block([2, 2, 6], [0.3, 0.3, 1.0], [0.0; 3]);
    // Folded so that the top is in the bottom.
    let folded: Vec<_> = thick.nodes().iter().map(|p| Vector3::new(p.x, p.y, (p.z - 0.45).abs())).collect();
    let energy = |stiffen_beyond| {
        let mut contact = contact(
            &[&thick],
            ContactOptions { stiffen_beyond, near: Some(0.2), ..ContactOptions::default() },
        );
        contact.energy(&folded)
    };
    let [stiff, linear] = [0.01, f64::INFINITY].map(energy);
    assert!(linear > 0.0 && (stiff - linear).abs() <= 1e-12 * linear, "{stiff} {linear}");
}
